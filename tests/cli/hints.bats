# The hint of heapdrift diff: the fix for a suspect, and where to read more.
load helper

@test "the leaks of the laboratory have the hints that they should have" {
    local scenario hint
    while read -r scenario hint; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '.suspects[0].hint') == "$hint" ]] || complain "should be $hint"
        grep -qx "## $hint" docs/hints.md
    done <<'EOF'
timers timer-not-disposed
events event-not-unsubscribed
list static-collection
cache static-collection
nettrace static-collection
density collection-never-emptied
EOF
}

@test "a program without a leak has no hint, nor has one with unnamed types" {
    for scenario in none odd; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '[.suspects[].hint | values] | length') == 0 ]] || complain "has a hint"
    done
    works -q fixtures/leaklab/none
    out_lacks "help hint"
}

@test "a hint is below the holder of the suspect" {
    works -q fixtures/leaklab/timers
    out_matches $'\nFIX   A running timer [^\n]*  heapdrift help hint timer-not-disposed\n'
    works -qv --width=100 fixtures/leaklab/timers
    out_matches '    held by [^'$'\n'']*'$'\n''    fix      A running timer [^'$'\n'']*'$'\n''             [^'$'\n'']*heapdrift help hint timer-not-disposed'$'\n'
    works -q --chains=0 fixtures/leaklab/timers
    out_has "heapdrift help hint timer-not-disposed"
}

@test "code in a hint looks the same in both places" {
    works -q -v fixtures/leaklab/events
    [[ $(grep -c 'unsubscribe (-=) the same' <<<"$out") == 2 ]]
    out_lacks '`'
    works -q --format=md fixtures/leaklab/events
    out_has 'unsubscribe (`-=`) the same'
}

@test "minor rows and rows by namespace have none" {
    works -q --format=json fixtures/leaklab/timers
    [[ $(json '[.minor[], .pooled[] | .hint == null] | all') == true ]]
    works -q --format=json --by=namespace fixtures/leaklab/timers
    [[ $(json '[.suspects[].hint | values] | length') == 0 ]]
}

@test "help hint lists every hint, and has a page for each: code before, after, how to confirm" {
    local name
    works help hint
    sed -n 's/^\([a-z][a-z-]*\)  .*/\1/p' <<<"$out" >"$tmp/names"
    sed -n 's/^| \[\([a-z-]*\)\](#.*/\1/p' docs/hints.md | diff - "$tmp/names"
    [[ $(wc -l <"$tmp/names") -ge 70 ]]
    grep -q "hints for $(wc -l <"$tmp/names") kinds of leaks" README.md
    grep -q "^- $(wc -l <"$tmp/names") kinds of leaks have a hint" CHANGELOG.md
    while read -r name; do
        works help hint "$name"
        [[ ${out%%$'\n'*} == "$name" ]] || complain "begins with its name"
        [[ $(grep -cxE '  (Before|After):' <<<"$out") == 2 && $(grep -c '^      [^ ]' <<<"$out") -ge 2 ]] || complain "no code"
        out_matches $'\n''  How to confirm: [^'$'\n'']'
        out_lacks '](' '**' '```' '##'
    done <"$tmp/names"
}

@test "a hint's page fits the terminal, its code is as it is, and a pipe has no colours" {
    local columns
    works help hint timer-not-disposed
    out_lacks $'\e'
    for columns in 60 80; do
        COLUMNS=$columns works help hint timer-not-disposed
        [[ $(grep -v '^      ' <<<"$out" | LC_ALL=C.UTF-8 wc -L) -le $columns ]] || complain "wider than $columns"
        out_has $'\n''          readonly Timer timer;'$'\n'
    done
}

@test "an unknown hint is reported with the nearest one" {
    hd help hint timr-not-disposed
    fails_with "no hint is called timr-not-disposed; did you mean timer-not-disposed?"
    hd help hint zebra
    fails_with 'no hint is called zebra; `heapdrift help hint` lists them'
    hd help hint $'z\n\e[31m'
    fails_with 'no hint is called z\n\x1b[31m; `heapdrift help hint` lists them'
    hd help hint timer-not-disposed regex-per-call
    fails_with "help takes one topic"
}

@test "patterns in a hint's commands match names with a namespace" {
    [[ $(grep -cE -- "--type='[^*.']+[*?]" docs/hints.md) == 0 ]]
}
