# One number per fact: text, Markdown, the page and JSON of twenty series are held against
# each other by check_numbers.py.
load helper

agree() {
    hd_numbers=$(python3 tests/cli/check_numbers.py "$HEAPDRIFT" "$@") || complain "$*: $hd_numbers"
}

@test "all views of the small shop have the same numbers" {
    for series in cache density events list none timers; do
        agree "fixtures/leaklab/$series"
    done
}

@test "so they do of services and of kinds of holders" {
    for series in fixtures/leaklab2/[a-z]*; do
        [[ $series == */expected ]] || agree "$series"
    done
}

@test "so they do of two, three and five snapshots, of tables, and where suspects nest" {
    cache=fixtures/leaklab/cache
    agree "$cache/0.gcdump.gz" "$cache/5.gcdump.gz"
    agree "$cache/1.gcdump.gz" "$cache/3.gcdump.gz" "$cache/5.gcdump.gz"
    agree fixtures/leaklab/timers/[1-5].gcdump.xz
    agree fixtures/heap-text/series-[1-4].txt
    agree fixtures/followed
    agree fixtures/leaklab/nettrace
    agree fixtures/core/net10.gcdump.xz fixtures/core/net10-later.gcdump.xz
}
