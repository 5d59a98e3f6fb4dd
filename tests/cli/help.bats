# Help, version, suggestions, and whether the documentation keeps up.
load helper

commands=(diff report tree top roots object check info convert collect watch ps explore record store fleet help completion)

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
    by) case ${c:-} in fleet) echo host ;; tree) echo owner ;; *) echo type ;; esac ;;
    since | until) echo 7d ;;
    shard) echo 1/2 ;;
    sort) [[ ${c:-} == ps ]] && echo memory || echo bytes ;;
    type | exclude) echo 'X.*' ;;
    min-score | max-growth | max-process-growth | max-score) echo 5% ;;
    budget | label) echo X=2 ;;
    keep) echo 90d ;;
    limit) echo 1GiB ;;
    at) echo 80%,+1GiB ;;
    listen) echo 127.0.0.1:9464 ;;
    metrics) echo "$tmp/watch.prom" ;;
    store) echo "$tmp/store.db" ;;
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
@test "help about formats in text" { golden help-formats.txt help formats; }

@test "help is printed in all the usual ways" {
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
    fails_with "help takes one topic"
    hd help diff zebra
    status_is 2
    out_is ""
}

@test "without arguments the help is on stderr" {
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
    [[ $(grep -cE '^  (diff|report|tree|top|roots|object|check|info|convert|collect|watch|record|fleet|store|ps|explore|help|completion) ' <<<"$out") == "${#commands[@]}" ]]
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

@test "a usage line has no text after it" {
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
diff across-builds app-only ascii build by chains color depth exact exclude exit-code fields format gen2 help host iterations memory min-score min-steady no-ages no-progress no-sandbox output quiet reachable rows run samples service since sort store strict symbols tables-only threads type until verbose version width
top app-only ascii build by color exclude format gen2 help host memory no-progress no-sandbox output quiet reachable rows run service since sort store strict symbols tables-only threads type until verbose version width
roots across-builds app-only ascii born build chains color depth exact exclude fields format gen2 help host memory no-progress no-sandbox output quiet rows run samples service since store strict symbols threads type until verbose version width
check across-builds app-only ascii baseline baseline-write budget build chains color config depth exact exclude fields format gen2 help host iterations max-growth max-process-growth max-score memory min-score min-steady no-ages no-progress no-sandbox output quiet reachable rows run samples service since store strict symbols tables-only threads type until verbose version width
convert build help host memory no-progress no-sandbox output quiet redact run service since size-base store strict symbols threads to until verbose version
info ascii build color format help host memory no-progress no-sandbox output quiet run service since size-base store strict symbols threads until verbose version width
collect all build core count diagnostic-port direct force help host interval keep label limit lock max-heap memory name no-ages no-keep no-progress no-sites on-enter output process-id quiet resume service store strict threads timeout to tries verbose version
watch all app-only ascii at baseline baseline-write budget build chains color config count depth diagnostic-port direct exact exclude exit-code force format gen2 help host interval iterations keep label limit listen lock max-growth max-heap max-process-growth max-score memory metrics min-score min-steady name no-ages no-keep no-progress no-sites on-enter output process-id quiet reachable resume rows samples service sites store strict threads timeout tries type verbose version width
record build follow format help host keep label limit memory no-progress no-sandbox quiet service store symbols threads verbose version
ps ascii color format help name output quiet sort version width
fleet ascii by color exit-code format help limit max-hosts memory merge min-hosts min-score min-span min-steady no-sandbox output quiet rows save service shard since store strict threads until verbose version width
store all format help memory no-sandbox quiet store version
help help version
completion help version
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
        [[ $c == @(help|completion|ps|store) || ${#args[@]} -gt 10 ]]
        printf 'version: 1\n' >"$tmp/budgets.yml"
        printf 'heapdrift-baseline\t1\nsnapshots\t2\n' >"$tmp/accepted"
        hd "$c" "${args[@]}" "$tmp/no-such-file"
        # It got as far as the operand.
        case $c in
        help) ;;
        fleet) err_has "parts have their own window and services" ;;
        completion) err_has "name a shell:" ;;
        ps) err_has "ps takes no operands" ;;
        store) err_has "store has no verb" ;;
        collect) err_has "--all cannot be combined with --store" ;;
        watch) err_has "watch --all takes no process" ;;
        record) err_has "--follow does not end, so it cannot be combined" ;;
        *) err_has "takes files or, with --store, a run of a store; not both" ;;
        esac
        err_lacks option
        err_lacks "must be"
    done
}

@test "an option that a command's help does not list is refused, with a hint" {
    local c option all
    mapfile -t all < <(for c in diff report tree top roots object check info convert collect watch record fleet ps explore; do options_of $c; done | sort -u)
    [[ ${#all[@]} -gt 20 ]]
    for c in top roots object check info convert; do
        # Besides what it takes for old times' sake, or has no use for.
        { options_of $c; echo size-base=; [[ $c != roots ]] || echo iterations=; [[ $c != convert ]] || echo format=; } |
            sort -u >"$tmp/has"
        while read -r option; do
            hd $c "--$option$([[ $option == *= ]] && value_of "${option%=}")" "$before"
            fails_with "$c has no option --${option%=}; see \`heapdrift help $c\`"
        done < <(printf '%s\n' "${all[@]}" | comm -23 - "$tmp/has")
    done
}

@test "what is an option of all commands is taken by those too that have no use for it" {
    local c
    for c in collect watch ps; do
        hd $c -q -v -j 2 --memory=1GiB --strict --size-base=10 --no-progress 0
        status_is 2
        case $c in
        ps) err_is "heapdrift: ps takes no operands" ;;
        collect) err_has "0: must be a process id" ;;
        watch) err_has "0: must be a process id" ;;
        esac
        hd $c --memory=lots
        fails_with "--memory=lots: must be a size such as 64KiB, 10MB or 1.5GiB"
    done
    works help ps
    out_lacks --memory
    works ps -v --strict
}

# Accepted options that are not documented: old ones, and those of no use to users.
hidden="max-growth-objects seed"

@test "the source has no option that help does not list" {
    for c in "${commands[@]}"; do options_of "$c"; done | tr -d = | sort -u >"$tmp/listed"
    grep -ohE '^    \{"[a-z0-9-]+", (0|.[a-z].), GROUP_' src/core/cli/options/options.c src/collect/live/collector.c src/*/commands/cmd_*.c \
        src/core/cli/commands/cmd_*.c |
        cut -d'"' -f2 | sort -u >"$tmp/rows"
    [[ $(wc -l <"$tmp/rows") -gt 60 ]]
    [[ $(comm -23 "$tmp/rows" "$tmp/listed" | xargs) == "$hidden" ]]
    [[ $(comm -13 "$tmp/rows" "$tmp/listed") == "" ]]
}

@test "an option that is kept in a member of another type does not compile" {
    local row right wrong
    while IFS='|' read -r right wrong; do
        for row in "$right" "$wrong"; do
            printf '#include "cli/options/options.h"\nOPTIONS_OF(struct { const char *name; uint64_t limit; uint64_t after; double age; });\nconst struct option o = {"x", 0, GROUP_GENERAL, ON_DIFF, %s};\n' "$row" >"$tmp/row.c"
            status=0
            "${CC:-cc}" -std=gnu11 -Isrc/core -Iinclude -fsyntax-only "$tmp/row.c" 2>"$tmp/why" || status=$?
            if [[ $row == "$right" ]]; then
                status_is 0
            else
                grep -q Generic "$tmp/why" || complain "$row compiles"
            fi
        done
    done <<'ROWS'
FLAG(s.quiet)|FLAG(s.style.width)
COUNT(s.style.width, 0, 9)|COUNT(own.limit, 0, 9)
SIZE(own.limit)|SIZE(s.style.width)
SHARE(s.options.min_bytes, s.options.min_share)|SHARE(s.options.min_share, s.options.min_bytes)
CHOICE(s.style.color, COLOR_AUTO, "a")|CHOICE(s.quiet, COLOR_AUTO, "a")
TEXT(TEXT, own.name)|TEXT(TEXT, s.types)
PATTERNS(s.types)|PATTERNS(own.name)
AGE(own.age)|AGE(own.after)
ROWS
}

@test "undocumented options are accepted" {
    works diff -q --seed=5 --size-base=16 "${pair[@]}"
    works roots -q --iterations=1,2 --seed=5 -t String "${pair[@]}"
    works check -q --max-growth-objects=900% "${pair[@]}"
    works convert -q --format=table-csv "$before" -o -
}

@test "a letter that means something else elsewhere is taken with a note" {
    local args name
    while IFS='|' read -r args name; do
        # shellcheck disable=SC2086
        hd $args
        err_has "heapdrift: note: $name"
        # shellcheck disable=SC2086
        hd $args -q
        err_lacks "note:"
    done <<'LETTERS'
collect -n no-such-program -o x.gcdump|-n is --rows elsewhere; here it is an old form of --name
watch -n no-such-program|-n is --rows elsewhere; here it is an old form of --name
ps -n no-such-program|-n is --rows elsewhere; here it is an old form of --name
collect -t 5 -o x.gcdump no-such-program|-t is --type elsewhere; here it is an old form of --timeout
LETTERS
    works ps --name=no-such-program
    err_lacks "note:"
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

@test "the manual page has every command and format" {
    local word page=docs/heapdrift.1.scd
    works help formats
    for word in "${commands[@]}" NO_COLOR \
        $(sed -n '/^snapshots/,/^A snapshot/s/^  \([a-z-]*\) .*/\1/p; /^output/,$s/^  \([a-z]*\) .*/\1/p' <<<"$out"); do
        grep -qwF -- "$word" $page || complain "$page does not mention $word"
    done
}

@test "every option of every command is in help, in completion and in the manual page" {
    local c option page=docs/heapdrift.1.scd
    for c in "${commands[@]}"; do
        options_of "$c" | tr -d = | sort >"$tmp/has"
        [[ -s $tmp/has ]]
        "$HEAPDRIFT" __complete "$c" -- | cut -f1 | sed 's/^--//; s/=$//' | sort | diff "$tmp/has" - ||
            complain "completion knows other options of $c than help"
    done
    # The script that makes the page gets the heads of its options from help, and fails if one has
    # none.
    scripts/manual.sh "$HEAPDRIFT" $page >"$tmp/page"
    for c in "${commands[@]}"; do
        for option in $(options_of "$c" | tr -d =); do
            grep -qE "^(\*-.\*, )?\*--$option\*" "$tmp/page" || complain "the page has no --$option"
        done
    done
    [[ $(grep -c "^%" "$tmp/page") == 0 ]]
    grep -qxF '*-t*, *--type*=_PATTERN_ (tree)' "$tmp/page"
    grep -v '^%option type tree' $page >"$tmp/less.scd"
    ! scripts/manual.sh "$HEAPDRIFT" "$tmp/less.scd" >"$tmp/page" 2>"$tmp/why" || complain "an option may lack"
    grep -qx "scripts/manual.sh: $tmp/less.scd lacks --type of tree" "$tmp/why"
    sed '/^%option type tree/s/.*/&\n&/' $page >"$tmp/more.scd"
    ! scripts/manual.sh "$HEAPDRIFT" "$tmp/more.scd" >"$tmp/page" 2>"$tmp/why" || complain "an option may be there twice"
    sed 's/^%option type tree/%option typ tree/' $page >"$tmp/wrong.scd"
    ! scripts/manual.sh "$HEAPDRIFT" "$tmp/wrong.scd" >"$tmp/page" 2>"$tmp/why" || complain "an option may be misspelt"
}

@test "every warning code is in docs/warnings.md and in each schema" {
    local code
    grep -oE '\{"[a-z-]+"' src/core/heap/warning.c | tr -d '{"' | sort >"$tmp/codes"
    [[ $(wc -l <"$tmp/codes") -gt 20 ]]
    while read -r code; do
        grep -q "\`$code\`" docs/warnings.md || complain "docs/warnings.md has no $code"
    done <"$tmp/codes"
    for schema in docs/json-schema/*.json; do
        [[ $schema != */heapdrift-@(ps|record|store).json ]] || continue
        jq -r '."$defs".warning.properties.code.enum[]' "$schema" | sort | diff "$tmp/codes" -
    done
}

@test "the schemas know every input format" {
    works help formats
    sed -n '/^snapshots/,/^A snapshot/s/^  \([a-z-]*\) .*/\1/p' <<<"$out" | sort >"$tmp/formats"
    for schema in docs/json-schema/*.json; do
        [[ $schema != */heapdrift-@(ps|record|fleet|store).json ]] || continue
        jq -r '."$defs".snapshot.properties.format.enum[]' "$schema" | sort | diff "$tmp/formats" -
    done
}

@test "help begins with examples, and has every option in one group" {
    local c title
    for c in "${commands[@]}"; do
        works help "$c"
        [[ $(grep -n '^examples:$' <<<"$out") == ?*: ]] || complain "no examples"
        [[ $(grep -c "^  .*heapdrift $c.* # " <<<"$out") -ge 2 ]] || complain "too few examples"
        # Titles appear only with content below them.
        [[ $(grep -A1 '^[a-z].*:$' <<<"$out" | grep -c '^$') == 0 ]]
        [[ $(options_of "$c" | sort | uniq -d) == "" ]]
    done
    works help diff
    [[ $(grep -E '^[a-z][a-z ]*:$' <<<"$out" | xargs) == "examples: comparison: display: ranking: chains: run of a store: output: general:" ]]
    works help watch
    [[ $(grep -E '^[a-z][a-z ]*:$' <<<"$out" | xargs) == "examples: process and snapshots: store: comparison: display: ranking: chains: budgets: output: general:" ]]
}

@test "help fits 80 columns, that of commands and formats 100" {
    local c
    for c in "" "${commands[@]}" formats; do
        works help $c
        [[ $(awk '{ if (length > m) m = length } END { print m }' <<<"$out") -le $([[ -n $c ]] && echo 100 || echo 80) ]] || complain "too wide"
    done
}

@test "the examples of help work" {
    local c line
    cp fixtures/leaklab/cache/1.gcdump.gz "$tmp/app.gcdump"
    cp fixtures/leaklab/cache/1.gcdump.gz "$tmp/before.gcdump"
    cp fixtures/leaklab/cache/5.gcdump.gz "$tmp/after.gcdump"
    cp fixtures/leaklab/nettrace/1.nettrace.zst "$tmp/app.nettrace"
    cp fixtures/core/net10.core.xz "$tmp/app.core"
    mkdir "$tmp/snapshots"
    cp fixtures/leaklab/cache/[1-4].gcdump.gz "$tmp/snapshots"
    cd "$tmp"
    mkdir bin
    ln -s "$HEAPDRIFT" bin/heapdrift
    for c in diff top roots object check info convert help ps; do
        while IFS= read -r line; do
            line=${line//MyApp/Shop}
            status=0 ran=$line err=''
            out=$(PATH=$tmp/bin:$PATH bash -c "$line" 2>&1) || status=$?
            [[ $status == 0 || ($status == 1 && $line == *check*) ]] || complain "status 0 expected"
        done < <("$HEAPDRIFT" help "$c" | sed -n 's/^  \(heapdrift .*[^ ]\)  *# .*/\1/p')
    done
    [[ -s leaks.md && -s small.csv && -s heapdrift.xml && -s accepted && -s app.csv ]]
    [[ $(head -c 9 app.gcdump) != Nettrace ]]
}

@test "a letter that means another option elsewhere is explained" {
    local args wanted
    while IFS='|' read -r args wanted; do
        hd $args
        fails_with "$wanted"
    done <<'LETTERS'
watch -t 30 1|-t 30: -t is --type in watch; for a timeout: --timeout=30
watch -t 30s|-t 30s: -t is --type in watch; for a timeout: --timeout=30s
watch -q -n 20|-n 20: -n is --name in watch; for a process: `heapdrift watch 20`, for rows: --rows=20, for snapshots: --count=20
collect -q -n 4711 -o x.gcdump|-n 4711: -n is --name in collect; for a process: `heapdrift collect 4711`, for rows: --rows=4711, for snapshots: --count=4711
collect -t Order -o x.gcdump 1|--timeout=Order: must be seconds, or a time such as 500ms, 30s, 5m, 1h; -t is --timeout in collect
diff -n MyApp a b|--rows=MyApp: must be a whole number from 0 to 4,294,967,294; -n is --rows in diff
diff --rows=MyApp a b|--rows=MyApp: must be a whole number from 0 to 4,294,967,294
roots -n x a|--rows=x: must be a whole number from 0 to 1,000,000; -n is --rows in roots
LETTERS
    # Long names are unambiguous.
    hd watch --name=4711 --type=30
    fails_with 'no .NET process is called 4711; see `heapdrift ps`'
}

@test "a number out of range gets the range, a wrong word the right ones" {
    local args wanted
    while IFS='|' read -r args wanted; do
        hd $args
        fails_with "$wanted"
    done <<'VALUES'
top -j 100000 a|--threads=100000: must be a whole number from 1 to 64
top --threads=0 a|--threads=0: must be a whole number from 1 to 64
roots --samples=0 a|--samples=0: must be a whole number from 1 to 1,000,000
roots --depth=1 a|--depth=1: must be a whole number from 2 to 1,000,000
collect --count=100001|--count=100001: must be a whole number from 1 to 100,000
roots --seed=-1 a|--seed=-1: must be a whole number from 0 to 18,446,744,073,709,551,615
diff --sort=size a b|--sort=size: must be count, bytes, retained or name
diff --by=class a b|--by=class: must be type, namespace, module or holder
diff --format=xml a b|--format=xml: must be text, json, csv, tsv, md or html
check --format=xml a b|--format=xml: must be text, json, csv, tsv, md, html, junit, sarif or github
convert --to=xml a|--to=xml: must be gcdump, heap-text, table-csv, table-json, digest or core-dump
convert --format=xml a|--format=xml: must be gcdump, heap-text, table-csv, table-json, digest or core-dump
diff --color=red a b|--color=red: must be auto, always or never
diff --size-base=8 a b|--size-base=8: must be 16 or 10
diff --format=junit a b|--format=junit is for `heapdrift check`
VALUES
}

@test "commands in the README and the guides are understood" {
    local file line count=0
    for file in README.md docs/*.md docs/heapdrift.1.scd; do
        while IFS= read -r line; do
            # Up to a comment, a pipe, or an output file; with values for placeholders.
            line=$(sed -E 's/^(\$ )?(build\/)?heapdrift //; s/ +(#|\||>|&&).*//; s/PID|\$shop/4711/g; s/--([a-z-]+)=\.\.\./--\1=1/' <<<"$line")
            [[ $line != *...* && $line != *SNAPSHOT* && $line != *FORMAT* ]] || continue
            eval "set -- $line"
            hd "$@" --help
            [[ $status == 0 ]] || complain "$file: $line"
            count=$((count + 1))
        done < <(sed -n '/^```/,/^```/p' "$file" | grep -E '^(\$ )?(build/)?heapdrift [^|]')
    done
    [[ $count -gt 30 ]]
    # First the reader's own process, then files, then a build.
    [[ $(grep -nE '^heapdrift (watch 4711|before|check)' README.md | head -3 | sed -E 's/^[0-9]+:heapdrift ([a-z]+).*/\1/' | xargs) == "watch before check" ]]
}
