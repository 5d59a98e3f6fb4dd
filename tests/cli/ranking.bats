# heapdrift diff ranks: what holds the growth, from graphs where there are some.
load helper

# bases: which bases the ranking of $out, a diff as JSON, has.
bases() { json '[.suspects, .minor, .pooled | .[].basis] | unique | join(" ")'; }

# Two builds of one program: the compiler numbered a closure differently.
two_builds() {
    sed 's/Orchard\.Page$/Orchard.Hub+<>c__DisplayClass3_0/' "$before" >"$tmp/1.txt"
    sed 's/Orchard\.Page$/Orchard.Hub+<>c__DisplayClass4_0/' "$after" >"$tmp/2.txt"
}

@test "graphs rank by retained size: one finding instead of all objects below it" {
    works -q --format=json fixtures/leaklab/events
    [[ $(bases) == graph ]]
    [[ $(json '.suspects | length') == 1 ]]
    [[ $(json '.suspects[0] | (.retained[-1] - .retained[0]) as $grown
               | $grown > 0.5 * ((.retained | length) as $n | .bytes[$n - 1])
                 and .score <= 1.05 * $grown and .score >= 0.95 * $grown') == true ]] ||
        complain "the score should be what it came to retain"
    works -q -v fixtures/leaklab/events
    out_has "Shop.Notifications.OrderNotifier  (EventHandler<OrderPlacedEventArgs>)"
    out_matches $'\n''#? +retains +of heap +count +trend +score +type'
}

@test "the title is the program's class, the holder is its owner" {
    local scenario subject holder
    while read -r scenario subject holder; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '.suspects[0].subject') == "$subject" ]] || complain "$scenario: $subject should be the subject"
        [[ $(json '.suspects[0].holder | last') == "$holder"* ]] || complain "$scenario: $holder should hold it"
        [[ $(json '.suspects[0] | .holder | index("'"$(json '.suspects[0].type')"'")') == null ]]
    done <<'SCENARIOS'
events Shop.Notifications.OrderNotifier [static var System.EventHandler<
timers Shop.Scheduling.Reminder System.Threading.TimerQueue
cache Shop.Sessions.Session VolatileNode<
density Shop.Sessions.LogEntry Shop.Sessions.LogEntry[]
SCENARIOS
}

@test "the path that the leak's author wrote down is the holder" {
    local scenario
    for scenario in events timers cache list density; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(jq -r '.leak' "fixtures/leaklab/expected/$scenario/truth.json") == true ]]
        # Names on the path, down to the culprit or the end of the holder.
        jq -c '.holder_path' "fixtures/leaklab/expected/$scenario/truth.json" >"$tmp/truth"
        [[ $(json '.suspects[0].holder' | jq -c --slurpfile t "$tmp/truth" \
            '[.[] | select(startswith("[static var "))] as $vars | ($vars - $t[0]) | length') == 0 ]] ||
            complain "$scenario: another static variable holds it"
    done
}

@test "a healthy program has no suspect" {
    works -q --format=json fixtures/leaklab/none
    [[ $(json '.suspects | length') == 0 ]]
    works -q fixtures/leaklab/none
    out_has "UNSURE  Nothing is growing now."
}

@test "tables rank if one snapshot has no graph, or graphs are not read" {
    works -q --format=json "${series[@]}"
    [[ $(bases) == graph ]]
    works -q --format=json --tables-only "${series[@]}"
    [[ $(bases) == table ]]
    [[ $(json '[.suspects[] | .retained, .holder, .survivors] | unique | tojson') == "[null]" ]]
    [[ $(json '[.suspects[] | .type == .subject and .chains == []] | unique | tojson') == "[true]" ]]
    works -q -v --tables-only "${series[@]}"
    out_has "by growth of shallow bytes; owners are unknown"
    works top --format=csv -o "$tmp/1.csv" "${series[0]}"
    works -q --format=json "$tmp/1.csv" "${series[@]:1}"
    [[ $(bases) == table ]]
    # The last one has a graph: chains show the holder of the type.
    [[ $(json '[.suspects[].chains | length > 0] | all') == true ]]
    works -q --format=json fixtures/type-tables/table.{json,csv}
    [[ $(bases) != *graph* ]]
}

@test "pooled buffers are listed without a rank, and ranks have no gap" {
    works -q --format=json fixtures/leaklab/events
    [[ $(json '.pooled | map("\(.rank) \(.type)") | join(", ")') == "null System.Byte[]" ]]
    works -q -v fixtures/leaklab/events
    out_has "held by buffer pools, not ranked"
    local scenario
    for scenario in events timers cache list density none; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '(.suspects + .minor | map(.rank)) as $r | $r == [range(1; ($r | length) + 1)]') == true ]]
        [[ $(json '[.pooled[].rank] | unique - [null] | tojson') == "[]" ]]
    done
}

@test "--rows cuts types, not suspects" {
    works -q --format=json --min-score=0% --tables-only "${series[@]}"
    local all
    all=$(json '.suspects | length')
    [[ $all -gt 3 ]]
    works -q --format=json --min-score=0% --tables-only --rows=1 "${series[@]}"
    [[ $(json '"\(.suspects | length) \(.types | length)"') == "$all 1" ]]
    works -q --min-score=0% --tables-only --rows=1 "${series[@]}"
    out_has "[$((all - 1)) others]"
}

@test "survivors are reported for gcdumps of one process" {
    works -q -n0 --format=json fixtures/leaklab/list
    [[ $(json '[.types[] | .survivors != null and .survivors <= ([.count[0], .count[-1]] | min)] | all') == true ]]
    [[ $(json '[.types[].survivors] | add > 0') == true ]]
    [[ $(json '.suspects[0] as $s | .types[] | select(.type == $s.type).survivors == $s.survivors') == true ]]
    works -q -v fixtures/leaklab/list
    out_has "≈ "
    works -q -v --no-ages fixtures/leaklab/list
    out_has "≥ "
    # Nothing moved: all survived. Appended bytes make it another file.
    { bzcat fixtures/leaklab/list/5.gcdump.bz2; echo; } >"$tmp/again.gcdump"
    works -q -n0 --format=json fixtures/leaklab/list/5.gcdump.bz2 "$tmp/again.gcdump"
    [[ $(json '[.types[] | .survivors == .count[0]] | all') == true ]]
}

@test "survivors are unknown without addresses, for tables, and in another process" {
    local files
    for files in "${series[*]}" "--tables-only fixtures/leaklab/list" \
        "fixtures/type-tables/table.json fixtures/type-tables/table.csv" \
        "fixtures/gcdump-made/ms_full.gcdump fixtures/gcdump-made/v5.gcdump"; do
        works -q --format=json $files
        [[ $(json '[.suspects, .minor, .types | .[].survivors] | unique | tojson') == "[null]" ]] ||
            complain "survivors should be unknown: $files"
    done
}

@test "types that hold memory outside the heap are warned about when they grow" {
    local n
    for n in 1 2 3 4; do
        printf 'type,count,bytes\nSystem.Threading.Thread,%d,%d\nX.Y,5,500\n' $n $((n * 100)) >"$tmp/$n.csv"
    done
    works "$tmp"
    err_has "heapdrift: warning: native-memory: System.Threading.Thread "
    works -q --format=json "$tmp"
    [[ $(json '[.warnings[].code] | tojson') == '["native-memory"]' ]]
    cp "$tmp/1.csv" "$tmp/4.csv"
    works "$tmp"
    err_lacks native-memory
}

# --- chains ----------------------------------------------------------------------------

@test "--exact looks at every instance: shares and counts are exact" {
    local scenario
    for scenario in events timers cache list density; do
        works -q --exact --format=json "fixtures/leaklab/$scenario"
        [[ $(json '[.suspects[].chains[] | .exact and .share_low == .share and .share_high == .share] | all') == true ]]
        [[ $(json '.snapshots | length') == 6 ]]
        [[ $(json '[.suspects[].chains[].instances | type == "array" and length == 6] | all') == true ]]
        # Share and count of the last snapshot agree.
        [[ $(json '[.suspects[] | (.chains | map(.instances[-1]) | add) as $all
                    | .chains[] | .share * $all - .instances[-1] | fabs < 0.5] | all') == true ]]
        # Every status follows from the counts.
        [[ $(json '[.suspects[].chains[] | .instances[0] as $first | .instances[-1] as $last
                    | if .status == "new" then $first == 0 and $last > 0
                      elif .status == "gone" then $last == 0
                      elif .status == "growing" then 0 < $first and $first < $last
                      elif .status == "shrinking" then $first > $last
                      elif .status == "steady" then (.instances | unique | length) == 1
                      else .status == null end] | all') == true ]]
    done
    works -q --exact --format=json fixtures/leaklab/timers
    [[ $(json '.suspects[0].chains[0] | "\(.status) \(.instances | tojson)"') == "new [0,1000,2000,3000,4000,5000]" ]]
}

@test "--exact counts the same as roots, and as the type table where all have one owner" {
    works -q --exact --format=json "${series[@]}"
    [[ $(json '.suspects[0] | .chains[0].instances == .count') == true ]]
    [[ $(json '.suspects[0].chains[0].status') == growing ]]
    works -q -v "${series[@]}"
    out_has "growing, 100 % (89–100 %)"
    works -q -v --exact "${series[@]}"
    out_has "growing, 100 % "
    out_lacks "(89–100 %)"
    works roots --exact --format=json -t Session "${series[@]}"
    [[ $(json '.chains[0] | "\(.status) \(.instances | tojson) \(.exact)"') == "growing [30,55,80,105] true" ]]
}

@test "samples show the growing chain, but not its number of instances" {
    works -q --format=json fixtures/leaklab/events
    [[ $(json '.suspects[0].chains[0] | "\(.status) \(.instances) \(.exact)"') == "new null false" ]]
    works -q --format=json "${series[@]}"
    [[ $(json '.suspects[0].chains[0] | "\(.status) \(.instances) \(.exact)"') == "growing null false" ]]
    # A sample of all instances has exact shares, in the last snapshot.
    works -q --format=json --samples=1000 "${series[@]}"
    [[ $(json '.suspects[0].chains[0] | "\(.status) \(.exact)"') == "growing true" ]]
}

# --- other ways to name things -----------------------------------------------------------

@test "--across-builds matches names that the compiler numbered differently" {
    two_builds
    works -q --format=csv -t '*DisplayClass*' "$tmp/1.txt" "$tmp/2.txt"
    [[ $(column 1,2 | sort | xargs) == "Orchard.Hub+<>c__DisplayClass3_0,gone Orchard.Hub+<>c__DisplayClass4_0,growing" ]]
    works -q --across-builds --format=csv -t '*DisplayClass*' "$tmp/1.txt" "$tmp/2.txt"
    [[ $(tail -n +2 <<<"$out") == "Orchard.Hub+<>c__DisplayClass"*,growing,10,480,30,1440 ]]
    [[ $(wc -l <<<"$out") == 2 ]]
    out_lacks 3_0
    out_lacks 4_0
    works -q --across-builds --format=json "$tmp/1.txt" "$tmp/2.txt"
    [[ $(json '.suspects[0].chains[0].status') == growing ]]
    # The same score as if the name had stayed.
    local score
    score=$(json '.suspects[0].score')
    works -q --format=json "${pair[@]}"
    [[ $(json '.suspects[0].score') == "$score" ]]
    # Names without a number are unchanged.
    works -q --format=csv "${pair[@]}"
    local table=$out
    works -q --across-builds --format=csv "${pair[@]}"
    out_is "$table"
    works roots --across-builds --format=json -t '*DisplayClass*' "$tmp/1.txt" "$tmp/2.txt"
    [[ $(json '.instances | tojson') == "[10,30]" ]]
    [[ $(json '.chains[0].status') == growing ]]
}

@test "--by=holder has rows by holder, which sum to the heap" {
    works -q -n0 --by=holder --format=json "${series[@]}"
    [[ $(json .by) == holder ]]
    [[ $(json '.types_omitted == 0 and ([.snapshots[].objects] == .totals.objects)
               and ([.snapshots[].bytes] == .totals.bytes)') == true ]]
    [[ $(json '. as $r | [range(4) as $k | ([$r.types[].count[$k]] | add) == $r.totals.objects[$k]
               and ([$r.types[].bytes[$k]] | add) == $r.totals.bytes[$k]] | all') == true ]]
    [[ $(json '[.types[].type | startswith("[")] | all') == true ]]
    [[ $(json '.types[0].type') == "[static vars] → [static var Orchard.SessionTable] → "* ]]
    works -q --by holder -n 3 "${series[@]}"
    out_has "HOLDERS  by growth"
    out_has "others]"
    works -q --by=holder --format=csv -n 1 "${series[@]}"
    out_has "holder,status,count_1,"
    works -q -n0 --by=holder --format=json fixtures/leaklab/events
    [[ $(json '[.types[].count[5]] | add == 73123') == true ]]
    [[ $(json '.suspects[0].type') == *"OrderPlaced"* ]]
}

@test "--by=holder needs graphs with roots" {
    local args file
    while read -r file args; do
        hd $args
        status_is 2
        out_is ""
        [[ $err == "heapdrift: $file: --by=holder "?* && $err != *$'\n'* ]] || complain "$file should be refused"
    done <<ARGS
$before diff -q --by=holder --tables-only ${pair[*]}
$before top --by=holder --tables-only $before
fixtures/type-tables/table.csv top --by=holder fixtures/type-tables/table.csv
fixtures/type-tables/table.csv diff -q --by=holder $before fixtures/type-tables/table.csv
fixtures/dumpheap-stat/managed.txt top -q --by=holder fixtures/dumpheap-stat/managed.txt
ARGS
}

# late FIRST...: made snapshots with these numbers of objects in their list.
late() {
    local total i=100
    rm -rf "$tmp/late"
    mkdir "$tmp/late"
    for total; do
        i=$((i + 1))
        "${MAKE_HEAP:-${HEAPDRIFT%/*}/make-heap}" 20000 "$tmp/late/$i.gcdump" --step="$total" --leak=1
    done
}

@test "what begins to leak late is a suspect since then" {
    late 300 302 299 301 303 298 304 297 330 360 390 420
    works -q -v "$tmp/late"
    out_has "LEAK  Bench.Leaked: 300 → 420 objects in 12 snapshots, since snapshot 8, "
    out_has "  Bench.Leaked  since snapshot 8"
    works -q --format=json "$tmp/late"
    [[ $(json '.suspects[0] | [.type, .suspect, .births.since] | join(" ")') == "Bench.Leaked age 7" ]]
}

@test "an all-clear has the smallest visible leak" {
    late 300 302 299 301 303 298
    works -q "$tmp/late"
    out_has "confidence  high for leaks above 27.4 KiB (2 % of the heap); slower leaks need a longer run"
    works -q -v "$tmp/late"
    out_has "A leak of 25 objects and 1.37 KiB or more in these 5 steps would have shown; of fewer objects, one of 27.4 KiB."
    works -q -v --no-ages "$tmp/late"
    out_has "By counts alone, a leak of 27.4 KiB or more in these 5 steps would have shown; with even steps, one of 12 objects and"
    works -q --format=json "$tmp/late"
    [[ $(json '[.confidence, .identity, .would_show.objects, .would_show.bytes] | join(" ")') == "high order 25 "* ]]
    works -q --format=json "$tmp"/late/10[1-4].gcdump
    [[ $(json '.confidence') == medium ]]
    hd check -q --format=sarif "$tmp/late"
    [[ $(json '.runs[0].invocations[0].toolExecutionNotifications[] | select(.descriptor.id == "would-show").message.text') == "A leak of 25 objects "* ]]
}
