# scripts/assertions.py finds statements that look like assertions and can never fail a test.
load helper

# looked_at LINE...: checks a function with these lines; $found has the numbers of the findings.
looked_at() {
    printf '%s\n' 'f() {' "$@" '}' >"$tmp/looked.bats"
    run scripts/assertions.py "$tmp/looked.bats"
    found=$(grep -oE ':[0-9]+: ' <<<"$output" | tr -d ' ' | tr '\n' ' ') || true
}

# finds NUMBER... -- LINE...: expects findings in these lines; the first line is number 2.
finds() {
    local wanted=
    while [[ $1 != -- ]]; do wanted+=":$1: "; shift; done
    looked_at "${@:2}"
    [[ $status == 1 && $found == "$wanted" ]] || { echo "status $status: $output"; printf '%s\n' "${@:2}"; return 1; }
}

accepts() {
    looked_at "$@"
    [[ $status == 0 && -z $output ]] || { echo "status $status: $output"; printf '%s\n' "$@"; return 1; }
}

@test "an inverted command is accepted only as the last statement" {
    finds 2 -- '! grep x y' 'true'
    finds 3 -- 'true' '! grep x y | grep z; true'
    finds 2 -- 'a || ! b' 'true'
    accepts 'true' '! grep x y'
    accepts '! grep x y || complain "it is there"' 'true'
    accepts '! grep x y && return 1' 'true'
}

@test "a list that ends with && is accepted only as the last statement" {
    finds 2 -- '[[ -s x ]] && grep y x' 'true'
    finds 2 -- 'a || b && c' 'true'
    finds 2 -- 'a &&' '    b' 'true'
    finds 2 -- 'a && { b; c; }' 'true'
    accepts 'a && b || c' 'a && b || complain "neither"' 'true'
    accepts 'true' '[[ -s x ]] && grep y x'
}

@test "branches and assignments are accepted" {
    accepts 'a && return' 'b && skip "not here"' 'c && return 1' 'd && { echo "why"; return 1; }' 'e && x=1 y=2' 'true'
    accepts 'for i in 1 2; do a && continue; b && break; c; done' 'true'
}

@test "bodies of compound commands: the last statement depends on the command" {
    finds 3 -- 'for i in 1 2; do' '! a' 'done'
    finds 3 -- 'while read -r x; do' 'a && b' 'done <y'
    finds 2 3 -- 'if a; then ! b' 'else c && d; fi' 'true'
    finds 3 -- 'case $x in' 'a | b) ! c ;;' '(d) e ;; esac' 'true'
    finds 2 -- '{ a; ! b; }' 'true'
    finds 2 -- '( ! a; b )' 'true'
    finds 2 -- '{ ! a; b; } || c' 'true'
    accepts '( a; ! b )' 'true'
    accepts 'echo x | { a; ! b; }' 'true'
    accepts '{ a; ! b; } || c' 'true'
    accepts 'if a; then ! b; else c && d; fi'
    accepts 'if ! a && b; then c; fi' 'while ! a; do b; done' 'until a && ! b; do c; done' 'true'
    accepts 'g() { a; ! b; }' 'function h { a && b; }' 'true'
    accepts '! a &' 'true'
}

@test "tests are functions" {
    printf '%s\n' '@test "a && b # no" {' '! c' 'd' '}' '@test "e" {' 'f && g' '}' >"$tmp/a.bats"
    run scripts/assertions.py "$tmp/a.bats"
    [[ $status == 1 && $output == "$tmp/a.bats:2: "* && ${#lines[@]} == 1 ]]
}

@test "quotes, comments, substitutions and here-documents are skipped" {
    accepts 'cat <<END <<-"OTHER"' '! a && b' "it's" 'END' '! c' $'\tOTHER' 'true'
    finds 5 -- "cat <<'END'" '$(' 'END' '! a' 'true'
    accepts 'x=$(! a; b && c; echo ")" # )' '   case $y in z) ! d ;; esac)' 'true'
    accepts "$(cat <<'END'
        # ! a
        echo "! a
        ! b && c" '! d
        ! e' \! f \
        ! g
        a "${x//"}"/! b}" "$(c "$(d ")")" && e)" `! f; g` $'it\'s; ! h' <(! i; j)
        x=("! a" b # ! c
            d)
        local y=${z:-"}"} e=${f%%)*}
        true
END
    )"
    accepts '((! x)) || true' '(( (x && ! y) || z ))' 'for ((i = 0; i < 3 && ! x; i++)); do a; done' 'true'
    accepts '[[ ! -e x && ! ( $y == *"]]"* || $y =~ ^(a|b\)$) ]]' 'true'
    accepts '[[ $x == @(a|b) ]]' 'echo @(a|b)c $((1 << 2)) ${x#"${y}"} 2>&1 >x' 'true'
    finds 3 -- 'coproc X { a; b; }' '! c' 'true'
}

@test "a file that cannot be parsed is an error" {
    run scripts/assertions.py <(echo 'f() { "a; }')
    [[ $status == 2 && $output == *': " is missing' ]]
    run scripts/assertions.py <(printf 'f() {\nif a; then b; }\n')
    [[ $status == 2 ]]
}

@test "bash ignores these failures, and only these" {
    prints() { bash -ec "f() { $1; }; f; echo goes on" 2>&1 || true; }
    local statement
    for statement in '! true; true' 'false && true; true' '{ ! true; }; true' 'for i in 1 2; do [[ $i == 2 ]] && true; done'; do
        [[ $(prints "$statement") == "goes on" ]]
    done
    for statement in 'true; ! true' 'true; false && true' '(true; ! true); true' 'echo x | { ! true; }; true' \
        'if true; then ! true; fi' '! true || false; true'; do
        [[ $(prints "$statement") == "" ]]
    done
}

@test "refute fails if the command succeeds" {
    refute false
    run refute true
    [[ $status == 1 && $output == "should have failed: true" ]]
    refute grep -q x /dev/null
}
