# heapdrift roots: what keeps instances of a type alive.
load helper

@test "a type without --type, or with another spelling, is guessed" {
    local type
    hd roots Session fixtures/leaklab/cache
    fails_with "roots needs a type; did you mean roots --type=Session?"
    hd roots 'Shop.*' "$before"
    fails_with "roots needs a type; did you mean roots --type=Shop.*?"
    hd roots "$before"
    fails_with "roots needs a type: heapdrift roots --type=MyApp.Order SNAPSHOT"
    hd roots
    fails_with "roots needs a type: heapdrift roots --type=MyApp.Order SNAPSHOT"
    for type in session SESSION Sesion shop.sessions.session sess; do
        hd roots --type="$type" fixtures/leaklab/cache/5.gcdump.gz
        fails_with "fixtures/leaklab/cache/5.gcdump.gz: no type matches $type; did you mean Shop.Sessions.Session?"
    done
}

@test "roots in text" { golden roots.txt roots --type=Orchard.Page "${pair[@]}"; }
@test "roots as Markdown" { golden roots.md roots --type=String --format=md --chains=2 "${pair[@]}"; }

@test "roots finds the field that the leak's author put it in" {
    local scenario truth field
    for scenario in events timers cache list; do
        truth=fixtures/leaklab/expected/$scenario/truth.json
        field=$(jq -r '.root | split(".")[-1]' "$truth")
        works roots -q --format=json -t "$(jq -r '.culprits[0].type' "$truth")" "fixtures/leaklab/$scenario"
        [[ $(json '.chains[0].root_kind') == static ]]
        [[ $(json '.chains[0].frames[1].types[0]') == "[static var "*"$field"* ]] ||
            complain "$field should hold it"
    done
}

@test "--type is needed, and may be given in any way and repeatedly" {
    hd roots "$before"
    fails_with "roots needs a type: heapdrift roots --type=MyApp.Order SNAPSHOT"
    works roots --type=Page "$before"
    local page=$out
    works roots --type Page "$before"
    out_is "$page"
    works roots -t Page "$before"
    out_is "$page"
    works roots "$before" -tPage
    out_is "$page"
    works roots --format=json -t Page -t EventHub "$before"
    [[ $(json '.matched | tojson') == '["Orchard.EventHub","Orchard.Page"]' ]]
    [[ $(json '.instances | tojson') == '[11]' ]]
}

@test "--exclude and --app-only narrow the types" {
    works roots --format=json -t '*' --app-only "$before"
    [[ $(json '.matched | tojson') == '["Orchard.EventHub","Orchard.Game","Orchard.Page"]' ]]
    works roots --format=json -t 'Orchard.*' -x Game --exclude=Page "$before"
    [[ $(json '.matched | tojson') == '["Orchard.EventHub"]' ]]
}

@test "--born chooses those that were new in a snapshot and stayed" {
    local series=fixtures/leaklab2/tenants-slow n all
    works diff -q --format=json "$series"
    all=$(json '.suspects[0].births.cohorts | map(.count[-1]) | tojson')
    [[ $all == "[2120,60,60,54,62,64]" ]]
    for n in 1 2 3 4 5 6; do
        works roots -q --format=json --exact -t Zoo.Tenants.Item --born=$n "$series"
        [[ $(json '.born.instances') == "$(jq ".[$n - 1]" <<<"$all")" ]] || complain "born in $n"
        [[ $(json '[.born.first, .born.last] | tojson') == "[$((n - 1)),$((n - 1))]" ]]
    done
    works roots -q --format=json -t Zoo.Tenants.Item --born=2..4 "$series"
    [[ $(json '.born | tojson') == '{"first":1,"last":3,"instances":174,"identity":"order"}' ]]
    [[ $(json '[.chains[].status] | unique | tojson') == '[null]' ]]
    python tests/cli/check_json.py docs/json-schema <(printf '%s' "$out")
    works roots -q -t Zoo.Tenants.Item --born=2..4 "$series"
    out_has "174 of them, new in snapshots 2 to 4, held in 5.gcdump.xz by (shares from 32 sampled instances, 95 % intervals):"
    works roots -q -t Zoo.Tenants.Item --born=3 "$series"
    out_has "60 of them, new in snapshot 3, held in"
    works roots -q -t Zoo.Tenants.Item --born=1 "$series"
    out_has "2,120 of them, older than snapshot 1, held in"
}

@test "--born is refused if cohorts are unknown" {
    local series=fixtures/leaklab2/tenants-slow value k
    for value in 0 x 9..2 2.. ..3 2...4 -1 '' 1..2..3 51 99999999999999999999; do
        hd roots -q -t Item --born="$value" "$series"
        fails_with "--born=$value: must be a snapshot in which the instances are new (3), or several (2..4)"
    done
    hd roots -q -t Item --born=2..9 "$series"
    fails_with "no snapshot 9: there are 6"
    hd roots -q -t Item --born=1 "$series/5.gcdump.xz"
    fails_with "$series/5.gcdump.xz: new objects need two snapshots to compare"
    hd roots -q -t Item --born=2 "$series"/{5,4}.gcdump.xz
    fails_with "which objects are new is unknown: the snapshots are not from one process, in order of time"
    hd roots -q -t Item --born=2 "$series"/{0,1,1}.gcdump.xz
    fails_with "which objects are new is unknown: the last snapshot cannot be compared with the others"
    hd roots -q -t Zoo.Tenants.Item --born=1 fixtures/leaklab/none/1.gcdump.gz "$series/5.gcdump.xz"
    fails_with "which objects are new is unknown: the snapshots are not from one process, in order of time"
    for k in 0 1; do
        works convert -q "$series/$k.gcdump.xz" -o "$tmp/$k.digest"
    done
    hd roots -q -t Item --born=2 "$tmp"/{0,1}.digest
    fails_with "which objects are new is unknown: a digest has no single objects"
    hd roots -q -t Zoo.Tenants.Tenant --born=6 "$series"
    fails_with "no instance of Zoo.Tenants.Tenant that was new then still exists"
}

@test "a missing type is an error that explains how to find names" {
    hd roots -t Nowhere "${pair[@]}"
    fails_with "$after: no type matches Nowhere; \`heapdrift top\` lists all"
}

@test "a type that is nearly there is named" {
    local typed right
    while read -r typed right; do
        hd roots -t "$typed" "${pair[@]}"
        fails_with "$after: no type matches $typed; did you mean $right?"
    done <<'TYPES'
page Orchard.Page
orchard.page Orchard.Page
Pag Orchard.Page
Paeg Orchard.Page
orchard.P* Orchard.P*
*.page Orchard.Page
TYPES
    # It is there, but hidden.
    hd roots -t Page -x Page "${pair[@]}"
    fails_with "$after: no type matches Page; \`heapdrift top\` lists all"
}

@test "a file without references or roots has no chains" {
    hd roots -t String fixtures/type-tables/table.csv
    status_is 2
    out_is ""
    err_has "heapdrift: fixtures/type-tables/table.csv: root chains need references"
    hd roots -q -t String fixtures/heap-text/no-roots.txt
    status_is 2
    err_has "heapdrift: fixtures/heap-text/no-roots.txt: no root"
    # Only the last one needs them.
    works roots -q -t System.String fixtures/type-tables/table.csv "$before"
    out_has "66,412 → 50 instances"
}

@test "instances are counted in each snapshot" {
    works roots --format=json -t Session "${series[@]}"
    [[ $(json '.instances | tojson') == "[30,55,80,105]" ]]
    works roots -t Session "${series[@]}"
    out_has "30 → 55 → 80 → 105 instances"
}

@test "--chains cuts groups, --depth cuts chains in the middle" {
    works roots --format=json --chains=1 -t String "$before"
    [[ $(json '.chains|length') == 1 ]]
    works roots --format=json --chains 100 --samples=1000 -t String "$before"
    [[ $(json '[.chains[].share] | add | . * 1000 | round') == 1000 ]]
    [[ $(json '[.chains[].frames|length] | max') -gt 4 ]]
    works roots --format=json --depth=4 -t Page "$before"
    [[ $(json '.chains[0] | "\(.frames|length) \(.frames_omitted)"') == "4 3" ]]
    [[ $(json '.chains[0].frames[3].types[0]') == Orchard.Page ]]
    works roots --depth 4 -t Page "$before"
    out_has "… 3 more"
}

@test "--samples and --seed choose the instances looked at" {
    works roots --format=json --samples=8 --seed=0 -t String "${series[3]}"
    local zero=$out
    works roots --format=json --samples 8 -t String "${series[3]}"
    out_is "$zero"
    works roots --format=json --samples=8 --seed 5 -t String "${series[3]}"
    [[ $out != "$zero" ]]
    [[ $(json '[.chains[] | .exact == false and .share_low < .share and .share_high > .share] | all') == true ]]
    works roots --format=json --samples=1000 -t String "${series[3]}"
    [[ $(json '[.chains[] | .exact and .share_low == .share and .share_high == .share] | all') == true ]]
}

@test "--gen2 counts old instances, and fails where generations are unknown" {
    hd roots --gen2 -t String "$before"
    status_is 2
    err_has "heapdrift: $before: --gen2: "
    works roots --format=json -t '*' fixtures/gcdump-made/v10.gcdump
    [[ $(json '.instances | tojson') == "[2]" ]]
    [[ $(json '.chains[0].example.generation') == gen0 ]]
}

@test "--iterations has a number per snapshot" {
    works roots -t Page --iterations=0,20 "${pair[@]}"
    hd roots -t Page --iterations=0,20,40 "${pair[@]}"
    fails_with "--iterations has 3 numbers for 2 snapshots"
    hd roots -t Page --iterations=3 "${pair[@]}"
    fails_with "--iterations has 1 number for 2 snapshots"
}

@test "with several snapshots chains are new, gone, growing, steady or shrinking" {
    local events=(fixtures/leaklab/events/{0,1,5}.gcdump.zst)
    works roots --exact --format=json -t Shop.Orders.Order "${events[@]}"
    [[ $(json '[.chains[] | "\(.status) \(.instances | tojson)"] | join(", ")') == \
        "new [0,1280,6400], new [0,261,296]" ]]
    works roots --exact -t Shop.Orders.Order "${events[@]}"
    out_has "static  0 → 1,280 → 6,400"
    works roots --exact --chains=100 -t 'Shop.*' "${events[2]}" "${events[0]}"
    out_has "static  6,400 → 0"
    works roots --exact --format=json -t Page "$before" "$before"
    [[ $(json '.chains[0] | "\(.status) \(.instances | tojson)"') == "steady [10,10]" ]]
    works roots --exact --format=json -t Page "$before" "$after"
    [[ $(json '.chains[0] | "\(.status) \(.instances | tojson)"') == "growing [10,30]" ]]
    works roots --exact --format=json -t Page "$after" "$before"
    [[ $(json '.chains[0] | "\(.status) \(.instances | tojson)"') == "shrinking [30,10]" ]]
    # One alone has no history.
    works roots --exact --format=json -t Page "$before"
    [[ $(json '.chains[0].status') == null ]]
    # From samples where the intervals are apart.
    works roots --format=json -t Session "${series[0]}" "${series[3]}"
    [[ $(json '.chains[0] | "\(.status) \(.instances)"') == "growing null" ]]
}

@test "--gen2 without old instances is an error" {
    hd roots --gen2 -t '*' fixtures/gcdump-made/v10.gcdump
    fails_with "fixtures/gcdump-made/v10.gcdump: no instance of * is in gen2 or a large object segment"
}

@test "CSV and TSV have a row per chain" {
    works roots --format=csv -t Page "$before"
    out_is "root_kind,share,share_low,share_high,chain
static,1,1,1,[static vars] → [static var Orchard.EventHub] → Orchard.EventHub → System.MulticastDelegate → System.Object[] → System.EventHandler → Orchard.Page"
    local comma=$out
    works roots --format=tsv -t Page "$before"
    out_is "${comma//,/$'\t'}"
}

@test "--strict fails for a sample" {
    hd roots -q --strict -t T0 fixtures/gcdump-made/sampled.gcdump
    status_is 3
    works roots --strict -t Page "$before"
}

@test "roots wants 1 to 50 snapshots" {
    hd roots -t Page
    fails_with "roots takes 1 to 50 snapshots, not 0"
    local many=() i
    for i in {1..51}; do many+=("$before"); done
    hd roots -t Page "${many[@]}"
    fails_with "roots takes 1 to 50 snapshots, not 51"
}

@test "-n is how many chains, 0 for all" {
    local last=fixtures/leaklab/cache/5.gcdump.gz n
    for n in 1 2; do
        works roots -q -n $n --type=String --format=json "$last"
        [[ $(json '.chains | length') == "$n" ]] || complain "$n chains expected"
    done
    works roots -q -n 0 --type=String --format=json "$last"
    [[ $(json '(.chains | length) > 3 and ((.chains | map(.share) | add) - 1 | fabs) < 1e-9') == true ]] ||
        complain "every chain expected"
    works roots -q --rows=0 --exact --type=String --format=csv "$last"
    awk -F, 'NR > 1 { all += $2 } END { exit !(all > 0.999 && all < 1.001) }' <<<"$out" ||
        complain "every chain expected"
}

@test "unreachable objects have no FIX" {
    local root
    for root in 10 15; do
        printf 'a 2 app.exe 100\nt 2 App.Order\nt 4 System.Threading.TimerQueueTimer\nt 5 App.Root\no 10 4 50 12\no 12 2 18\no 15 5 18\nr %s 3 0\nc app.exe 200\n' \
            "$root" >"$tmp/heap.txt"
        works roots -q --type=Order "$tmp/heap.txt"
        if [[ $root == 10 ]]; then out_has "FIX"; else out_lacks "FIX"; fi
    done
    out_has "unreachable"
}
