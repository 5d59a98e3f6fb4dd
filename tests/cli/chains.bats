# Chains from their owner: a series of a service with changing shortest paths.
load helper

# service PAGES NEAR FAR: heap text of a service. Two loops, types NEAR and FAR of the table below, wait
# for a timer and refer to one cache with PAGES pages; the timer of FAR is one further down its list. The
# container's call site refers to the cache, too.
service() {
    local pages=$1 near=$2 far=$3 i
    printf '%s\n' 'a 2 service 1' \
        't 1 System.Threading.TimerQueue' 't 2 System.Threading.TimerQueueTimer' \
        't 3 DelayPromise' 't 4 Shop.Pump' 't 5 Shop.Cleanup' \
        't 6 Microsoft.Extensions.Caching.Memory.MemoryCache' 't 7 CoherentState' \
        't 8 System.Collections.Generic.Dictionary<System.String,Shop.Page>' \
        't 9 Shop.Page' \
        't a Microsoft.Extensions.DependencyInjection.ServiceLookup.ConstructorCallSite' \
        't b Tables<System.String,Shop.Page>' 't c Node<System.String,Shop.Page>[]' \
        'o 1 1 18 2' 'r 1 4 0 1' \
        'o 2 2 40 3 4' 'o 3 2 40 5' 'o 4 3 20 6' 'o 5 3 20 7' \
        "o 6 $near 18 8" "o 7 $far 18 8" \
        'o 8 6 28 9' 'o 9 7 18 a' 'o a 8 28 b' 'o b b 18 c' \
        'o d a 30 8' 'r d 0 0'
    printf 'o c c 1000'
    for ((i = 0; i < pages; i++)); do printf ' %x' $((i + 256)); done
    printf '\n'
    for ((i = 0; i < pages; i++)); do printf 'o %x 9 60\n' $((i + 256)); done
    echo 'c service 2'
}

@test "chains of a suspect are those of its cohorts and survivors, if known" {
    works -q --format=json fixtures/leaklab/density
    [[ $(json '.suspects | map(.chains_of) | tojson') == '["stayed","all"]' ]]
    [[ $(json '.suspects[0].chains[0].status') == new ]]
    works -q --format=json --no-ages fixtures/leaklab/density
    [[ $(json '.suspects | map(.chains_of) | unique | tojson') == '["all"]' ]]
    # Their example is not of the 2,120 that the first snapshot has; what became of the chain is of all.
    works -q --format=json --exact fixtures/leaklab2/tenants-slow
    [[ $(json '.suspects[0] | [.chains_of, .chains[0].status] | tojson') == '["stayed","growing"]' ]]
    [[ $(json '.suspects[0].chains[0].instances | tojson') == '[2120,2180,2240,2300,2360,2420]' ]]
    [[ $(json '.suspects[0].chains[0].example.address') == 0x* ]]
}

# Four snapshots with two alternating paths.
make_flips() {
    local k ways
    for k in 0 1 2 3; do
        ways=(4 5)
        ((k % 2 == 0)) || ways=(5 4)
        service $((20 * (k + 1))) "${ways[@]}" >"$tmp/$k.txt"
    done
    flips=("$tmp"/{0,1,2,3}.txt)
}

@test "held by begins at the owner" {
    make_flips
    works diff -q --exact -n 1 "${flips[@]}"
    sed -i "/^next:/d" "$tmp/.out" # has the paths
    sed -i "\${/^\$/d}" "$tmp/.out"
    golden_is held-by.txt
}

@test "held by begins at the owner in Markdown" {
    make_flips
    works diff -q --format=md -n 2 "${flips[@]}"
    sed -i "s|$tmp/||g" "$tmp/.out"
    golden_is held-by.md
}

@test "a chain that enters elsewhere is the same chain" {
    make_flips
    works diff -q --exact --format=json "${flips[@]}"
    [[ $(json '.suspects[0].chains | map("\(.status) \(.instances | tojson)") | join(", ")') == \
        "growing [20,40,60,80]" ]]
    [[ $(json '.suspects[0].owner | tojson') == \
        '{"type":"Microsoft.Extensions.Caching.Memory.MemoryCache","frames_above":6,"service":"singleton","of":null}' ]]
    # Between the first and the last the way changed.
    works roots -q --exact --format=json -t Page "${flips[0]}" "${flips[1]}"
    [[ $(json '.chains | map("\(.status) \(.instances | tojson) \(.frames[5].types[0])") | join(", ")') == \
        "growing [20,40] Shop.Cleanup" ]]
    works roots -q --exact --format=json -t Page "${flips[0]}" "${flips[2]}"
    [[ $(json '.chains[0].frames[5].types[0]') == Shop.Pump ]]
}

@test "--depth and roots show the way to the owner" {
    make_flips
    works diff -qn5 --depth=64 "${flips[@]}"
    unfold
    out_has "TimerQueueTimer → DelayPromise → Cleanup → singleton MemoryCache"
    works roots -q -t Page "${flips[@]}"
    out_has "    → Shop.Cleanup"
}

@test "JSON with owners keeps to its schema" {
    make_flips
    works diff -q --exact --format=json "${flips[@]}"
    python tests/cli/check_json.py docs/json-schema "$tmp/.out"
}
