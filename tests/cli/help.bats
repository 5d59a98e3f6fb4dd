# Help, version, suggestions, and whether the documentation keeps up.
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154 # $out, $err, $tmp, $before, ... come from the helper
load helper

commands=(diff report top roots check info convert collect watch ps help)

# The long options that `help COMMAND` lists, with "=" where there is a value.
options_of() {
    "$HEAPDRIFT" help "$1" | grep -oE '^  (-.,|   ) --[a-z0-9-]+=?' | sed 's/.*--//'
}

# A value that the option takes.
value_of() {
    case $1 in
    format) [[ ${c:-} == convert ]] && echo table-json || echo json ;;
    to) [[ ${c:-} == collect ]] && echo gcdump || echo table-csv ;;
    output) echo "$tmp/out" ;;
    by) echo type ;;
    sort) [[ ${c:-} == ps ]] && echo memory || echo bytes ;;
    type | exclude) echo 'X.*' ;;
    min-score | max-growth | max-score) echo 5% ;;
    budget) echo X=2 ;;
    config) echo "$tmp/budgets.yml" ;;
    baseline) echo "$tmp/accepted" ;;
    baseline-write) echo "$tmp/new" ;;
    diagnostic-port) echo /none ;;
    iterations) echo 0,10 ;;
    size-base) echo 16 ;;
    memory) echo 1GiB ;;
    color) echo never ;;
    *) echo 2 ;;
    esac
}

@test "help in text" { golden help.txt help; }
@test "help of diff in text" { golden help-diff.txt help diff; }

@test "help comes in all the usual ways" {
    local c
    works help
    local general=$out
    for c in --help -h; do
        works "$c"
        out_is "$general"
        err_is ""
    done
    for c in "${commands[@]}"; do
        works help "$c"
        out_has "usage: heapdrift $c "
        err_is ""
        local own=$out
        works "$c" --help
        out_is "$own"
        works "$c" -h
        out_is "$own"
    done
}

@test "help is about one command" {
    hd help diff top
    fails_with "help is about one command at a time"
    hd help diff zebra
    status_is 2
    out_is ""
}

@test "without arguments the help goes to stderr" {
    works help
    local general=$out
    hd
    status_is 2
    out_is ""
    err_is "$general"
}

@test "help lists every command, with its line" {
    local c
    works help
    for c in "${commands[@]}"; do
        out_matches $'\n'"  $c +[^ ].*[a-z]"
    done
    [[ $(grep -cE '^  (diff|report|top|roots|check|info|convert|collect|watch|ps|help) ' <<<"$out") == "${#commands[@]}" ]]
}

@test "--version is one line" {
    works --version
    out_matches '^heapdrift [0-9]+\.[0-9]+\.[0-9]+$'
    works --help
    works info --format=json "$before"
    local tool
    tool=$(json .tool_version)
    works --version
    out_is "heapdrift $tool"
    local c
    for c in "${commands[@]}"; do
        works "$c" --version no-such-file
        out_is "heapdrift $tool"
    done
}

@test "a usage line has nothing behind it" {
    local c
    for c in "${commands[@]}"; do
        works help "$c"
        [[ ${out%%$'\n'*} != *' ' ]] || complain "a blank at the end"
    done
}

@test "each command has the options that belong to it" {
    local c options
    while read -r c options; do
        [[ $(options_of "$c" | tr -d = | sort | xargs) == "$options" ]] ||
            complain "help $c should list: $options"
    done <<'OPTIONS'
diff across-builds app-only by chains color depth exact exclude exit-code format gen2 help iterations memory min-score min-steady no-progress output quiet reachable rows samples seed size-base sort strict tables-only threads type verbose version
top app-only by color exclude format gen2 help memory no-progress output quiet reachable rows size-base sort strict tables-only threads type verbose version
roots across-builds app-only chains color depth exact exclude format gen2 help iterations memory no-progress output quiet rows samples seed size-base strict threads type verbose version
check across-builds app-only baseline baseline-write budget chains color config depth exact exclude format gen2 help iterations max-growth max-growth-objects max-score memory min-score min-steady no-progress output quiet reachable rows samples seed size-base strict tables-only threads type verbose version
convert format help memory no-progress output quiet size-base strict threads to verbose version
info color format help memory no-progress output quiet size-base strict threads verbose version
collect all count diagnostic-port help interval memory name no-progress output process-id quiet strict threads timeout to verbose version
watch app-only baseline baseline-write budget chains color config count depth diagnostic-port exact exclude exit-code format gen2 help interval iterations max-growth max-growth-objects max-score memory min-score min-steady name no-progress output process-id quiet reachable rows samples seed strict threads timeout type verbose version
ps color format help name output quiet sort version
help help version
OPTIONS
}

@test "every option that a command's help lists is taken, with = and with a blank" {
    local c option args
    for c in "${commands[@]}"; do
        args=()
        while read -r option; do
            case $option in
            help | version) ;;
            *=) args+=("--$option$(value_of "${option%=}")" "--${option%=}" "$(value_of "${option%=}")") ;;
            *) args+=("--$option") ;;
            esac
        done < <(options_of "$c")
        [[ $c == help || ${#args[@]} -gt 10 ]]
        printf 'version: 1\n' >"$tmp/budgets.yml"
        printf 'heapdrift-baseline\t1\nsnapshots\t2\n' >"$tmp/accepted"
        hd "$c" "${args[@]}" "$tmp/no-such-file"
        # It got as far as the operand.
        case $c in
        help) ;;
        ps | collect | watch) err_has "$c takes no operands" ;;
        *) err_has "no-such-file: No such file or directory" ;;
        esac
        err_lacks option
        err_lacks "must be"
    done
}

@test "an option that a command's help does not list is refused, with a hint" {
    local c option all
    mapfile -t all < <(for c in diff report top roots check info convert collect watch ps; do options_of $c; done | sort -u)
    [[ ${#all[@]} -gt 20 ]]
    for c in top roots check info convert; do
        options_of $c | sort -u >"$tmp/has"
        while read -r option; do
            hd $c "--$option$([[ $option == *= ]] && value_of "${option%=}")" "$before"
            fails_with "$c has no option --${option%=}; see \`heapdrift help $c\`"
        done < <(printf '%s\n' "${all[@]}" | comm -23 - "$tmp/has")
    done
}

@test "what is an option of all commands is taken by those too that have no use for it" {
    local c
    for c in collect watch ps; do
        hd $c -q -v -j 2 --memory=1GiB --strict --size-base=10 --no-progress operand
        status_is 2
        err_has "$c takes no operands"
        hd $c --memory=lots
        fails_with "--memory=lots: must be a size such as 64KiB, 10MB or 1.5GiB"
    done
    works help ps
    out_lacks --memory
    works ps -v --strict
}

@test "the source has no option that help does not list" {
    for c in diff report top roots check info convert collect watch ps; do options_of $c; done | tr -d = | sort -u >"$tmp/listed"
    sed -n '/^const struct option options/,/^};/s/^ *{"\([a-z0-9-]*\)", .*/\1/p' \
        src/cli/options.c | sort -u | diff - "$tmp/listed"
}

@test "short options are those that help lists" {
    works help diff
    grep -oE '^  -., ' <<<"$out" | tr -d ' ,' | sort | xargs >"$tmp/letters"
    [[ $(<"$tmp/letters") == "-h -j -n -o -q -t -v -x" ]]
    works diff -q -v -j 1 -n 3 -t '*' -x Nothing -o "$tmp/result" "${pair[@]}"
    out_is ""
    grep -q 'System.Byte\[\]' "$tmp/result"
    works diff -qvj1 -n3 "${pair[@]}"
    out_has "[9 others]"
}

@test "a mistyped command or option names the right one" {
    local command typed right
    while read -r typed right; do
        hd "$typed" a b
        fails_with "no command or file is called $typed; did you mean $right?"
    done <<'COMMANDS'
dif diff
tpo top
root roots
inof info
hlep help
compare diff
analyze diff
analyse diff
COMMANDS
    while read -r command typed right; do
        hd "$command" "$typed"
        fails_with "unknown option $typed; did you mean $right?"
    done <<'OPTIONS'
diff --fromat=json --format
diff --row=3 --rows
top --exlude=X --exclude
roots --chain=2 --chains
info --strickt --strict
OPTIONS
    hd zebra
    fails_with "no command or file is called zebra; see \`heapdrift --help\`"
    hd diff --zebra
    fails_with "unknown option --zebra; see \`heapdrift help diff\`"
    hd top -Z "$before"
    fails_with "unknown option -Z; see \`heapdrift help top\`"
    hd help zebra
    fails_with "no command or file is called zebra; see \`heapdrift --help\`"
}

@test "the manual page has every command, option and format" {
    local c word page=docs/heapdrift.1.scd
    [[ -f $page ]]
    works help
    for word in "${commands[@]}" NO_COLOR \
        $(sed -n '/^snapshots/,/^A snapshot/s/^  \([a-z-]*\) .*/\1/p; /^output/,$s/^  \([a-z]*\) .*/\1/p' <<<"$out"); do
        grep -qwF -- "$word" $page || complain "$page does not mention $word"
    done
    works help diff
    for word in $(for c in diff report top roots check info convert collect watch ps; do options_of $c; done | tr -d = | sort -u); do
        grep -qE -- "--$word([^a-z-]|\$)" $page || complain "$page does not mention --$word"
    done
    for word in -j -n -o -q -t -v -x; do
        grep -qE -- "(^|[^a-z-])$word([^a-z-]|\$)" $page || complain "$page does not mention $word"
    done
}

@test "every warning code is in docs/warnings.md and in each schema" {
    local code
    grep -oE '\{"[a-z-]+"' src/heap/warning.c | tr -d '{"' | sort >"$tmp/codes"
    [[ $(wc -l <"$tmp/codes") -gt 20 ]]
    while read -r code; do
        grep -q "\`$code\`" docs/warnings.md || complain "docs/warnings.md has no $code"
    done <"$tmp/codes"
    for schema in docs/json-schema/*.json; do
        [[ $schema != */heapdrift-ps.json ]] || continue
        jq -r '."$defs".warning.properties.code.enum[]' "$schema" | sort | diff "$tmp/codes" -
    done
}

@test "the schemas know every input format" {
    works help
    sed -n '/^snapshots/,/^A snapshot/s/^  \([a-z-]*\) .*/\1/p' <<<"$out" | sort >"$tmp/formats"
    for schema in docs/json-schema/*.json; do
        [[ $schema != */heapdrift-ps.json ]] || continue
        jq -r '."$defs".snapshot.properties.format.enum[]' "$schema" | sort | diff "$tmp/formats" -
    done
}
