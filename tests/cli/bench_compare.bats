# Two programs compared by tests/bench/compare.py, without building one.
load helper

setup() {
    begin
    [[ -x ${HEAPDRIFT%/*}/make-heap && -x /usr/bin/time ]] || skip "needs make-heap and time"
    export BENCH_OBJECTS=1000 BENCH_RUNS=1 TMPDIR=$tmp
    unset BASE FILES BENCH_MAX
    build=${HEAPDRIFT%/*}
}

compare() { run env "$@" tests/bench/compare.py "$build"; }

# A program with the same output, and extra work before or after it.
changed() {
    printf '#!/bin/sh\n%s\n' "$1" >"$tmp/changed"
    chmod +x "$tmp/changed"
}

@test "a program compared with itself prints the same and leaves no files" {
    compare BASE="$HEAPDRIFT" FILES="${pair[*]}"
    [[ $status == 0 && $(grep -c '| same |$' <<<"$output") == 20 ]]
    [[ $output == *'| `diff -j2` | these 2 files | '* ]]
    [[ -z $(find "$tmp" -name 'heapdrift-bench-*') ]]
}

@test "different output is reported" {
    changed "\"$HEAPDRIFT\" \"\$@\" && echo more"
    compare BASE="$tmp/changed"
    [[ $status == 0 && $(grep -c '| \*\*differs\*\* |$' <<<"$output") == 8 ]]
}

@test "more time than may be is status 1, what cannot be run status 2" {
    changed 'exit 3'
    compare BASE="$tmp/changed"
    [[ $status == 2 && $output == *'could not be run: BASE status 3: nothing was said'* ]]
    compare BASE="$HEAPDRIFT" BENCH_MAX=0.01
    [[ $status == 1 && $output == *'| **'* ]]
}

@test "invalid arguments are reported in one line" {
    local wrong
    for wrong in BASE= BASE=no-such-commit BENCH_RUNS=0 "FILES=$tmp/none"; do
        compare BASE="$HEAPDRIFT" "$wrong"
        [[ $status == 2 && ${#lines[@]} == 1 && $output == 'bench-compare: '* ]]
    done
}

@test "intervals of the sign test are those of its tables" {
    # W. J. Conover, Practical Nonparametric Statistics: of 12, all except two at each end.
    PYTHONPATH=tests/bench PYTHONDONTWRITEBYTECODE=1 python3 - <<'END'
from compare import dropped, interval
assert [dropped(n)[0] for n in (1, 5, 6, 8, 9, 12, 15, 20, 100)] == [0, 0, 0, 0, 1, 2, 3, 5, 39]
assert round(dropped(12)[1], 4) == 0.9614 and dropped(1)[1] == 0
assert interval([9, 1, 5, 3, 7, 2, 8, 4, 6]) == (5, 2, 8)
END
}
