# Threads and memory affect the time, never the result.
load helper

# A command gives the same bytes and status with one, two and eight threads.
same_with_threads() {
    local j wanted
    hd "$@" -j1
    wanted=$status
    cp "$tmp/.out" "$tmp/one.out"
    cp "$tmp/.err" "$tmp/one.err"
    for j in 2 8; do
        hd "$@" -j$j
        [[ $status == "$wanted" ]] || complain "status $wanted expected"
        cmp "$tmp/.out" "$tmp/one.out" || complain "differs with -j$j"
        cmp "$tmp/.err" "$tmp/one.err" || complain "says something else with -j$j"
    done
}

@test "one, two or eight threads: the same diff of every folder of snapshots" {
    local folder
    for folder in fixtures/leaklab/*/ fixtures/nettrace-real; do
        same_with_threads diff --format=json "$folder"
    done
    same_with_threads diff --format=json "${series[@]}"
    same_with_threads diff --format=json fixtures/gcdump-made/v1*.gcdump
}

@test "the same of exact chains, holders, roots, top, and of bad inputs" {
    local file
    same_with_threads diff --format=json --exact fixtures/leaklab/cache
    same_with_threads diff --format=json --by=holder fixtures/leaklab/events
    same_with_threads check --format=json --max-growth=1% fixtures/leaklab/cache
    same_with_threads roots --format=json --type='*Session*' --exact "${series[@]}"
    same_with_threads diff --format=json fixtures/gcdump-made/v3.gcdump "${pair[@]}" fixtures/none
    for file in fixtures/gcdump-made/*.gcdump; do
        same_with_threads top --format=json "$file"
    done
}

@test "the same diff with little memory, in which snapshots are read one after the other" {
    local size done=0
    works diff -q -j2 --format=json fixtures/leaklab/cache
    cp "$tmp/.out" "$tmp/plenty"
    for size in 2M 3M 4M 6M 8M 16M 20M 50M; do
        hd diff -q -j2 --memory=$size --format=json fixtures/leaklab/cache
        if [[ $status == 0 ]]; then
            cmp "$tmp/.out" "$tmp/plenty" || complain "differs with $size"
            done=$((done + 1))
        else
            # Small budgets are refused, larger ones are not.
            status_is 2
            out_is ""
            [[ $done == 0 ]] || complain "$size is too little, and less was enough"
        fi
    done
    [[ $done -ge 3 && $done -le 7 ]] || complain "$done of 8 sizes were enough"
}

@test "with too little memory one line has the requirement, which is enough" {
    local need
    local command
    for command in "top" "diff -j2"; do
        hd $command -q --memory=3M fixtures/leaklab/cache/{5,4}.gcdump.gz
        [[ $command != top ]] || hd top -q --memory=3M fixtures/leaklab/cache/5.gcdump.gz
        status_is 2
        out_is ""
        err_matches '^heapdrift: fixtures/leaklab/cache/5.gcdump.gz: analyzing its graph of [0-9]+ objects takes [0-9]+ KiB of memory; the limit is 3072 KiB; raise it with --memory, or use --tables-only$'
        need=$(grep -o 'takes [0-9]* KiB' <<<"$err" | grep -o '[0-9]*')
        works top -q --memory="${need}KiB" fixtures/leaklab/cache/5.gcdump.gz
        works top -q --memory=3M --tables-only fixtures/leaklab/cache/5.gcdump.gz
    done
}
