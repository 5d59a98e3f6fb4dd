# heapdrift diff: what grew.
load helper

# Counts and bytes of every type of $out, a diff as JSON, against its totals.
rows_sum_to_totals() {
    [[ $(json '[range(.snapshots|length)] as $ks | .types_omitted == 0
               and (.totals.objects == [$ks[] as $k | [.types[].count[$k]] | add])
               and (.totals.bytes == [$ks[] as $k | [.types[].bytes[$k]] | add])') == true ]] ||
        complain "the rows do not add up"
}

suspects() { json '[.suspects[].type] | join(" ")'; }

@test "diff is what happens without a command" {
    works diff "${series[@]}"
    local named=$out
    works "${series[@]}"
    out_is "$named"
    works -q "${series[@]}"
    out_is "$named"
}

@test "diff of two snapshots in text" { golden diff-pair.txt diff -q "${pair[@]}"; }
@test "diff of a real series in text" { golden diff-events.txt diff -q fixtures/leaklab/events; }
@test "diff as CSV" { golden diff-pair.csv diff -q --format=csv "${pair[@]}"; }
@test "diff as Markdown" { golden diff-pair.md diff -q --format=md -n 2 "${pair[@]}"; }
@test "diff as JSON" { golden diff-tables.json diff -q --format=json fixtures/type-tables/table.{json,csv}; }
@test "diff without growth" {
    # One file four times is not a series: these differ in their time, by a thousandth of a second.
    local i
    for i in 0 1 2 3; do
        mkdir "$tmp/$i"
        sed "1s/7a1c20/7a1c2$i/" "$before" >"$tmp/$i/before.txt"
    done
    golden diff-nothing.txt diff "$tmp"/[0-3]/before.txt
}

@test "diff finds the leak of the pair and of the series, and its holder" {
    local pattern expected
    for expected in pair series; do
        local -n files=$expected
        works -q --format=json "${files[@]}"
        pattern=$(jq -r ".$expected.leak" fixtures/heap-text/expected.json)
        [[ " $(suspects) " == *" $pattern "* ]] || complain "$pattern should be a suspect"
        [[ $(json ".suspects[] | select(.type == \"$pattern\") | .chains[0].frames[1].types[0]") == \
            "[static var $(jq -r ".$expected.held_by | sub(\"static \"; \"\")" fixtures/heap-text/expected.json)]" ]] ||
            complain "another static variable holds it"
        rows_sum_to_totals
    done
}

@test "diff of a real series sums to the contents of each file" {
    works -q -n 0 --format=json fixtures/leaklab/cache
    rows_sum_to_totals
    local name
    for name in objects bytes; do
        [[ $(json ".totals.$name | tojson") == "$(json "[.snapshots[].$name] | tojson")" ]]
    done
    works -q -n 0 --format=json --by=namespace fixtures/leaklab/cache
    rows_sum_to_totals
}

@test "--rows limits tables and reports the omissions" {
    works -q --rows=2 "${series[@]}"
    out_has "[16 others]"
    out_has "[total]"
    local equals=$out
    works -q --rows 2 "${series[@]}"
    out_is "$equals"
    works -q -n 2 "${series[@]}"
    out_is "$equals"
    works -q -n2 "${series[@]}"
    out_is "$equals"
    works -q -n2 --format=json "${series[@]}"
    [[ $(json '"\(.types|length) \(.types_omitted)"') == "2 16" ]]
    works -q -n2 --format=csv "${series[@]}"
    [[ $(wc -l <<<"$out") == 3 ]]
}

@test "--rows=0 shows all rows; by default text shows the verdict, -v and JSON twenty types and CSV all" {
    works -q -n0 --format=json fixtures/leaklab/none
    local all
    all=$(json '.types|length')
    [[ $all -gt 500 && $(json .types_omitted) == 0 ]]
    works -q --format=json fixtures/leaklab/none
    [[ $(json '"\(.types|length) \(.types_omitted)"') == "20 $((all - 20))" ]]
    works -q fixtures/leaklab/none
    out_lacks "others]"
    works -q -v fixtures/leaklab/none
    out_has "[$((all - 20)) others]"
    works -q -n 7 fixtures/leaklab/none
    out_has "[$((all - 7)) others]"
    works -q --format=csv fixtures/leaklab/none
    [[ $(wc -l <<<"$out") == $((all + 1)) ]]
    out_lacks "others]"
    out_lacks "[total]"
}

@test "--sort orders the types" {
    works -q --format=csv "${series[@]}"
    local by_count=$out
    [[ $(column 1 | head -3 | xargs) == \
        "System.String System.Reflection.RuntimeMethodInfo Orchard.Session" ]]
    works -q --format=csv --sort=count "${series[@]}"
    out_is "$by_count"
    works -q --format=csv --sort=bytes "${series[@]}"
    [[ $(column 1 | head -4 | xargs) == "System.String System.Reflection.RuntimeMethodInfo Orchard.Session System.Byte[]" ]]
    works -q --format=csv --sort name "${series[@]}"
    [[ $(sort <<<"$out") == "$(sort <<<"$by_count")" ]]
    works -q --format=tsv --sort=name "${series[@]}"
    tail -n +2 <<<"$out" | cut -f 1 | LC_ALL=C sort -c
}

@test "--type and --exclude choose rows and leave ranks and totals alone" {
    works -q --format=json "${series[@]}"
    local totals rank
    totals=$(json .totals)
    rank=$(json '.suspects[] | select(.type == "Orchard.Session").rank')
    works -q --format=json --type=Session "${series[@]}"
    [[ $(json '[.types[].type] | tojson') == '["Orchard.Session"]' ]]
    [[ $(json .totals) == "$totals" ]]
    [[ $(json '.suspects | map(.rank) | tojson') == "[$rank]" ]]
    works -q --format=csv -t 'Orchard.*' -t String -x 'Orchard.T*' "${series[@]}"
    [[ $(column 1 | sort | xargs) == \
        "Orchard.Game Orchard.Session Orchard.User System.String" ]]
    works -q --format=csv -t Session --exclude Session "${series[@]}"
    [[ $(column 1) == "" ]]
}

@test "patterns are whole names, ends after a dot, or wildcards" {
    local pattern expected
    while read -r pattern expected; do
        works -q --format=csv --sort=name -t "$pattern" "${series[@]}"
        [[ $(column 1 | xargs) == "$expected" ]] || complain "$pattern should find: $expected"
    done <<'PATTERNS'
Orchard.Session Orchard.Session
Session Orchard.Session
session
ession
String[] System.String[]
*.User Orchard.User
Orchard.T?le Orchard.Tile
*Tile[] Orchard.Tile[]
PATTERNS
}

@test "--app-only hides the framework" {
    works -q --format=csv --app-only -n 3 "${series[@]}"
    [[ $(column 1 | xargs) == "Orchard.Session Orchard.User Orchard.Tile" ]]
    works -q --format=json --app-only "${series[@]}"
    [[ $(json '[.suspects[].type] | tojson') == '["Orchard.Session"]' ]]
    # Ranks stay what they are: what is hidden keeps the others'.
    works -q --format=json --app-only --tables-only "${series[@]}"
    [[ $(json '[.suspects[] | "\(.rank) \(.type)"] | join(", ")') == "2 Orchard.Session, 3 Orchard.User" ]]
}

@test "--gen2 counts old objects, and fails where generations are unknown" {
    local old=fixtures/dumpheap-stat/dumpgen-gen2.txt
    works -q --gen2 --format=json $old $old
    [[ $(json '.totals.objects | tojson') == "[91814,91814]" ]]
    hd --gen2 "$before" "$after"
    status_is 2
    out_is ""
    err_has "heapdrift: $before: --gen2: "
}

@test "--reachable leaves out what no root holds" {
    works -q --reachable --format=json "${pair[@]}"
    [[ $(json '.totals.objects | tojson') == "[88,168]" ]]
    [[ $(json '.totals.bytes | tojson') == "[8524,16764]" ]]
    hd --reachable "$before" fixtures/type-tables/table.csv
    status_is 2
    err_has "heapdrift: fixtures/type-tables/table.csv: --reachable"
}

@test "--by makes rows of namespaces and modules" {
    works -q --by=namespace --format=csv "${series[@]}"
    out_has "namespace,status,count_1,bytes_1,count_2,bytes_2,"
    [[ $(column 1 | sort | xargs) == \
        "Orchard System System.Collections.Generic System.Reflection" ]]
    works -q --by module --format=json fixtures/gcdump-made/v1{0,1future}.gcdump
    [[ $(json .by) == module ]]
    works -q --by=type --format=json "${pair[@]}"
    [[ $(json .by) == type ]]
}

@test "--min-score moves the limit between suspects and the rest" {
    works -q --format=json --min-score=0% "${series[@]}"
    local all
    all=$(json '.suspects|length')
    [[ $(json '.minor|length') == 0 ]]
    works -q --format=json --min-score 100% --min-steady=0 "${series[@]}"
    [[ $(json '"\(.suspects|length) \(.minor|length)"') == "0 $all" ]]
    works -q --format=json --min-score=4KiB --min-steady 0% "${series[@]}"
    [[ $(json '[.suspects[].score] | min >= 4096') == true ]]
    [[ $(json '[.minor[].score] | max < 4096') == true ]]
    works -q --format=json "${series[@]}"
    [[ $(json '[.suspects[].score_share] | min >= 0.02') == true ]]
    [[ $(json '[.minor[].score_share] | max < 0.02') == true ]]
}

@test "--iterations turns growth into growth per iteration" {
    works -q --iterations=0,5,10,15 --format=json "${series[@]}"
    [[ $(json '.iterations | tojson') == "[0,5,10,15]" ]]
    [[ $(json '.suspects[] | select(.type == "Orchard.Session").per_iteration') == 5 ]]
    works -q --iterations 0,5,10,15 "${series[@]}"
    out_has "Orchard.Session: 30 → 105 objects in 4 snapshots, exactly 5 per iteration, "
    hd --iterations=1,2 "${series[@]}"
    fails_with "--iterations has 2 numbers for 4 snapshots"
}

@test "--tables-only has the same table and no chains" {
    works -q -n0 --format=csv fixtures/leaklab/events
    local full=$out
    works -q -n0 --format=csv --tables-only fixtures/leaklab/events
    out_is "$full"
    works -q --format=json --tables-only fixtures/leaklab/events
    [[ $(json '[.suspects[].chains[]] | length') == 0 ]]
    [[ $(json .totals.reachable_bytes) == null ]]
}

@test "--chains, --samples, --seed and --depth shape the chains" {
    works -q --format=json --chains=1 "${series[@]}"
    [[ $(json '[.suspects[].chains|length] | unique | tojson') == "[1]" ]]
    works -q --format=json --chains 0 "${series[@]}"
    [[ $(json '[.suspects[].chains|length] | unique | tojson') == "[0]" ]]
    works -q --format=json --samples=1000 "${series[@]}"
    [[ $(json '[.suspects[].chains[].exact] | unique | tojson') == "[true]" ]]
    works -q --format=json --samples 4 --seed=7 "${series[@]}"
    local seven=$out
    [[ $(json '[.suspects[].chains[].exact] | unique | tojson') == "[false]" ]]
    works -q --format=json --samples=4 --seed 8 "${series[@]}"
    [[ $out != "$seven" ]]
    works -q --format=json --depth=3 "${series[@]}"
    [[ $(json '[.suspects[].chains[] | .frames|length] | max') -le 3 ]]
    [[ $(json '[.suspects[].chains[].frames_omitted] | max') -gt 0 ]]
    works -q -v --depth=3 "${series[@]}"
    out_has "… 2 more"
    out_has "path        static SessionTable → … → Session"
}

@test "--min-steady is a separate threshold for even growth" {
    local slow=fixtures/leaklab2/tenants-slow
    works -q --format=json $slow
    [[ $(json '.suspects[0] | "\(.type) \(.suspect) \(.score_share < 0.02)"') == "Zoo.Tenants.Item steady true" ]]
    works -q -v $slow
    out_has "steady: +60 every step"
    works -q --format=json --min-steady=0 $slow
    [[ $(json '.suspects | length') == 0 ]]
    works -q --format=json --min-steady=1MiB $slow
    [[ $(json '.suspects | length') == 0 ]]
    hd -q --exit-code $slow
    status_is 1
}

@test "growth is distributed to the byte, and unexplained growth is not hidden" {
    local series
    for series in fixtures/leaklab/{cache,none} fixtures/leaklab2/svc-{timer,idle}; do
        works -q --format=json "$series"
        [[ $(json '.growth | .bytes == .suspects + .pools + .rest') == true ]] || complain "$series"
    done
    works --format=json fixtures/leaklab2/sharedrefsmore/[0-4].*
    [[ $(json '"\(.confidence) \(.growth.unexplained) \(.suspects | length)"') == "medium true 0" ]]
    err_has "unexplained-growth"
    works -q fixtures/leaklab2/sharedrefsmore/[0-4].*
    out_has "UNSURE  Unexplained growth: "
    hd -q --strict fixtures/leaklab2/sharedrefsmore/[0-4].*
    status_is 3
    err_is "heapdrift: inconclusive: part of the growth is unexplained"
}

@test "what grew and stayed has a list of its own, and lowers the confidence" {
    works --format=json fixtures/leaklab2/svc-idle
    [[ $(json '.stopped[0] | "\(.type) \(.subject) \(.count[0]) \(.count[5])"') == \
        "System.EventHandler<Contoso.Orders.Price> Contoso.Orders.CartNotifier 1251 2751" ]]
    [[ $(json .confidence) == medium ]]
    err_has "growth-stopped"
    err_has "Was the load still running?"
    works fixtures/leaklab2/svc-idle
    out_has "UNSURE  Nothing is growing now. Contoso.Orders.CartNotifier gained 1.08 MiB (20 % of the heap), then leveled off"
    err_lacks "growth-stopped" # the summary says it
    works -q -v fixtures/leaklab2/svc-idle
    out_has "LEVELED OFF"
    hd -q --strict fixtures/leaklab2/svc-idle
    status_is 3
    err_is "heapdrift: inconclusive: the heap grew, then leveled off"
}

@test "a hidden suspect lowers the confidence" {
    works -q --format=json -x '*Session*' fixtures/leaklab/cache
    [[ $(json '"\(.confidence) \(.suspects_hidden) \(.suspects | length)"') == "medium 1 0" ]]
    works -q -x '*Session*' fixtures/leaklab/cache
    out_has "confidence  medium: some suspects are hidden"
}

@test "facts fit --width, and a verdict alone is one line" {
    local width
    for width in 60 68 72 76 80; do
        works -q --width=$width fixtures/leaklab/cache
        [[ $(grep -v '^next\|^   *heapdrift' <<<"$out" | wc -L) -le $width ]] || complain "$width columns"
    done
    local last=fixtures/leaklab/cache/5.gcdump.gz
    works -q $last $last
    [[ $(wc -l <"$tmp/.out") == 1 ]]
    works -q --type=Nope -v fixtures/leaklab/cache
    out_lacks $'\n\n\n'
}

@test "the next command has its options before the -- of a folder named -x" {
    mkdir "$tmp/-x"
    cp fixtures/leaklab/cache/* "$tmp/-x"
    cd "$tmp"
    works -q -- -x
    out_has "heapdrift report -o leak.html -- -x"
    out_has "heapdrift explore -- -x"
    works report -q -o leak.html -- -x
}

@test "growth after the first snapshot alone is not reported as leveled off" {
    works -q --format=json fixtures/leaklab/none
    [[ $(json '.stopped | length > 0 and all(.[]; .type != "System.Reflection.RuntimeParameterInfo")') == true ]]
    [[ $(json '[.types[].type] | index("System.Reflection.RuntimeParameterInfo") != null') == true ]]
}

@test "with suspects leveled-off growth is mentioned briefly" {
    works -q fixtures/leaklab/list
    out_has "also        2 leveled off (Shop.Telemetry.Metric, +128 KiB)"
    out_lacks "LEVELED OFF"
    works -q -v fixtures/leaklab/list
    out_has "LEVELED OFF"
    out_lacks "held by  [local vars]"
    works -q -v fixtures/leaklab2/svc-idle
    out_has "    held by  [static vars] → PriceFeed"
}

@test "-v shows the scores that rows are ranked by" {
    works -q -v fixtures/leaklab/events
    out_matches $'\n''#? +retains +of heap +count +trend +score +type'
}

@test "--exit-code reports whether there is a suspect" {
    hd -q --exit-code "${series[@]}"
    status_is 1
    out_has Orchard.Session
    works -q --exit-code fixtures/leaklab/none
    works -q --exit-code --min-score=100% --min-steady=0 "${series[@]}"
}

@test "--strict fails if two snapshots are not enough" {
    hd -q --strict "${pair[@]}"
    status_is 3
    err_is "heapdrift: inconclusive: fewer than four snapshots can be compared"
    out_has "confidence  low: 2 snapshots"
    works -q --strict "${series[@]}"
    works "${pair[@]}"
    out_has "UNSURE  Two snapshots cannot tell a leak from warm-up"
    works --format=csv "${pair[@]}"
    err_has "heapdrift: warning: few-snapshots: "
}

@test "exit status 2 takes precedence over 1, and 1 over 3" {
    hd -q --strict --exit-code "${pair[@]}"
    status_is 1
    hd -q --strict --exit-code "${pair[@]}" fixtures/heap-text/bad-nul.txt
    status_is 2
    hd -q --strict --exit-code -o "$tmp" "${pair[@]}"
    status_is 2
}

@test "diff wants 2 to 50 snapshots" {
    local many=() i
    for i in {1..50}; do many+=("$before"); done
    works -q --tables-only "${many[@]}"
    hd diff "${many[@]}" "$before"
    status_is 2
    err_has "diff compares 2 to 50 snapshots, not 51"
    hd diff "$before"
    status_is 2
    err_has "not 1; for one, use \`heapdrift top\`"
    hd diff
    status_is 2
    out_is ""
    err_has "not 0"
}

@test "the next command that diff proposes works" {
    cp "$before" "$tmp/it's 1.txt"
    cp "$after" "$tmp/it's 2.txt"
    works -q "$tmp/it's 1.txt" "$tmp/it's 2.txt"
    local next=${out##*next: heapdrift explore }
    [[ $next != "$out" ]]
    eval "works diff -q $next"
    out_has "Two snapshots"
}

@test "where one folder was named, a page is proposed too, and both work" {
    works -q fixtures/leaklab/cache
    out_has $'next: heapdrift explore fixtures/leaklab/cache\n      heapdrift report fixtures/leaklab/cache -o leak.html'
    works report -q fixtures/leaklab/cache -o "$tmp/leak.html"
    out_is ""
}

@test "one snapshot alone is looked at; where a status is asked for it is refused" {
    works -q "$after"
    local alone=$out
    works top -q "$after"
    out_is "$alone"
    out_matches '^MOST  .* retains .* of the heap'
    hd -q --exit-code "$after"
    status_is 2
    hd -q --strict "$after"
    status_is 2
}

@test "the first screen has 14 lines at 80 columns at most" {
    local s lines
    for s in fixtures/leaklab/[a-m]* fixtures/leaklab/[t]* fixtures/leaklab2/[a-z]* fixtures/followed; do
        [[ $s != */expected ]] || continue
        works -q --width=80 "$s"
        lines=$(wc -l <<<"$out")
        [[ $lines -le 14 ]] || complain "$s: $lines lines"
    done
}

@test "formats of all kinds can be compared; unknown bytes are unknown" {
    works -q --format=json fixtures/type-tables/{gcdump-report.txt,table.csv} "$before"
    [[ $(json '.totals.bytes | tojson') == "[null,5217608,8588]" ]]
    works -q -v fixtures/type-tables/{gcdump-report.txt,table.csv}
    out_has "by growth of counts; bytes and owners are unknown"
    works -q --format=csv fixtures/type-tables/{gcdump-report.txt,table.csv}
    out_has "System.Char[],gone,1,,0,0"
}

@test "of a diff, --sort=retained puts first what retains more than before, then the others by count" {
    local file
    works diff -q -n0 --format=json --sort=retained fixtures/leaklab/cache
    # Facts of the ranking about a type, or null.
    json '[.suspects[], .minor[], .pooled[]] as $ranked | .types[] | .type as $t
        | [$ranked[] | select(.type == $t) | .retained[-1] - .retained[0]] | first // "none"' >"$tmp/grown"
    [[ $(grep -vc none "$tmp/grown") -gt 1 ]]
    grep -v none "$tmp/grown" | sort -rnc
    sed -n '1,/none/p' "$tmp/grown" | grep -v none | diff - <(grep -v none "$tmp/grown")
    json '[.types[] | "\(.count[-1] - .count[0])"] | .[]' | tail -n +"$(grep -n -m1 none "$tmp/grown" | cut -d: -f1)" | sort -rnc
    works diff -q -n2 --sort=retained fixtures/leaklab/cache
    out_has 'TYPES  by retained growth; top 2 of '
}

@test "without retained sizes --sort=retained sorts by count, as the heading states" {
    local by_count
    works -q --tables-only --format=csv "${series[@]}"
    by_count=$out
    works -q --tables-only --format=csv --sort=retained "${series[@]}"
    out_is "$by_count"
    works -q --tables-only --sort=retained "${series[@]}"
    out_matches $'TYPES  by growth(\n|;)'
}

@test "rows of holders are chains themselves: options of chains are refused" {
    local option
    for option in --exact --chains=1 --samples=3 --seed=1 --depth=4; do
        hd diff -q --by=holder "$option" "${pair[@]}"
        fails_with "${option%%=*}: cannot be combined with --by=holder, whose rows are chains"
        works diff -q --by=namespace "$option" "${pair[@]}"
    done
}

@test "a --type without a match is reported with a similar name" {
    works --type=NoSuchType "${series[@]}"
    out_has "None: no type matches NoSuchType"
    out_lacks "nothing keeps growing"
    err_has "heapdrift: warning: no-such-type: no type matches NoSuchType"
    works -t session "${series[@]}"
    out_has "None: no type matches session; did you mean Orchard.Session?"
    works -q --format=md -t session "${series[@]}"
    out_has "None: no type matches session; did you mean Orchard.Session?"
    works -q --format=json -t session -t User "${series[@]}"
    [[ $(json '.warnings[] | select(.code == "no-such-type") | .message') == \
        "no type matches session; did you mean Orchard.Session?" ]]
    hd -q --strict -t session "${series[@]}"
    status_is 3
    works -q --strict -t session -t User "${series[@]}"
}

@test "suspects that are hidden are counted" {
    works -q --format=json --tables-only "${series[@]}"
    local all
    all=$(json '.suspects | length')
    [[ $all -gt 1 && $(json .suspects_hidden) == 0 ]]
    works -q --tables-only "${series[@]}"
    out_lacks "not shown"
    works -q --format=json -t NoSuchType --tables-only "${series[@]}"
    [[ $(json '.suspects_hidden') == "$all" ]]
    works -q -t NoSuchType --tables-only "${series[@]}"
    out_has "$all suspects are not shown: --type, --exclude or --app-only hides them."
    works -q --format=json -x Orchard.Session --tables-only "${series[@]}"
    [[ $(json '.suspects_hidden') == 1 && $(json '.suspects | length') == $((all - 1)) ]]
    works -q -x Orchard.Session --tables-only "${series[@]}"
    out_has "1 suspect is not shown: --type, --exclude or --app-only hides it."
    works -q --format=md -x Orchard.Session --tables-only "${series[@]}"
    out_has "1 suspect is not shown: --type, --exclude or --app-only hides it."
}

@test "a folder of more than 50 snapshots is refused before any is read" {
    local i
    mkdir "$tmp/many"
    # Damaged after their head: reading one would be an error.
    for i in {1..60}; do head -c 300 fixtures/gcdump-made/tiny.gcdump >"$tmp/many/$i.gcdump"; done
    echo "not one" >"$tmp/many/README.md"
    hd diff "$tmp/many"
    fails_with 'diff compares 2 to 50 snapshots, not 60; for one, use `heapdrift top`'
    hd check "$tmp/many"
    fails_with 'check compares 2 to 50 snapshots, not 60; for one, use `heapdrift top`'
    hd roots -t X "$tmp/many"
    fails_with "roots takes 1 to 50 snapshots, not 60"
    hd top "$tmp/many"
    fails_with 'top takes one snapshot, not 60; compare several with `heapdrift diff`'
}

@test "the next command ends the options before files that look like some" {
    cp "${series[@]}" "$tmp"
    cd "$tmp"
    mv series-1.txt ./-1.txt
    mv series-4.txt ./@4.txt
    works -q -- -1.txt series-2.txt series-3.txt @4.txt
    local next=${out##*next: heapdrift explore }
    [[ $next == "-- -1.txt series-2.txt series-3.txt @4.txt" ]]
    eval "works diff -q $next"
}

@test "the heading of the table has its order" {
    works diff -q -n2 "${pair[@]}"
    out_has 'TYPES  by growth; top 2 of '
    works diff -q -n2 --sort=name "${pair[@]}"
    out_has 'TYPES  by name; top 2 of '
    works diff -q -n0 --sort=name "${pair[@]}"
    out_has $'TYPES  by name\n'
}

@test "a sample that represents less than half an object does no harm" {
    works diff fixtures/gcdump-made/v5.gcdump fixtures/gcdump-made/ms_full.gcdump
}

@test "files with the same name are distinguished by their folders, in every format" {
    local k format
    for k in a b c d; do
        mkdir "$tmp/$k"
        cp "fixtures/leaklab/cache/$((0x$k - 8)).gcdump.gz" "$tmp/$k/3.gcdump.gz"
    done
    works diff -q -v --width=100 "$tmp"/{a,b,c,d}/3.gcdump.gz
    out_has "a/3.gcdump.gz … d/3.gcdump.gz"
    for format in md html; do
        works diff -q --format=$format "$tmp"/{a,b,c,d}/3.gcdump.gz
        out_has "a/3.gcdump.gz"
        out_has "d/3.gcdump.gz"
    done
    hd check -q --max-growth=1KiB --format=github "$tmp"/{a,b,c,d}/3.gcdump.gz
    out_has "from a/3.gcdump.gz to d/3.gcdump.gz"
    hd check -q --max-growth=1KiB --width=100 "$tmp"/{a,b,c,d}/3.gcdump.gz
    out_has "a/3.gcdump.gz → d/3.gcdump.gz"
    # If names differ, folders are omitted.
    works diff -q -v --width=100 fixtures/leaklab/cache/[2-5].gcdump.gz
    out_has " 2.gcdump.gz … 5.gcdump.gz"
}
