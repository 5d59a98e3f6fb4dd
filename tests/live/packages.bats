# The judgement of packages.py: one of its programs, recorded here. `make check-live`; skipped without
# .NET, or without packages. All programs: `make check-leaks`.
load ../cli/helper

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    kept=$BATS_FILE_TMPDIR/kept
    export kept
    command -v dotnet >/dev/null || return 0
    tests/live/packages.py --only meter --keep "$kept" >"$BATS_FILE_TMPDIR/table" 2>"$BATS_FILE_TMPDIR/errors" ||
        echo $? >"$BATS_FILE_TMPDIR/status"
}

need_series() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    if grep -q 'error NU' "$BATS_FILE_TMPDIR/errors"; then skip "no packages here"; fi
    [[ -d $kept ]] || { cat "$BATS_FILE_TMPDIR/errors"; return 1; }
}

@test "a slow program leaks in every step, one that is fixed does not, and both are judged again as they were" {
    need_series
    [[ ! -e $BATS_FILE_TMPDIR/status ]] || { cat "$BATS_FILE_TMPDIR/errors"; return 1; }
    # The last columns: windows without a leak, and their three counts.
    grep -E '^\| meter \| 4 · 3 · 2 · 1 \|.*\| 4 · 3 · 2 · 1( \| [0-4] · [0-3] · [0-2] · [01]){3} \|$' "$BATS_FILE_TMPDIR/table"
    [[ $(tests/live/packages.py --from "$kept") == "$(<"$BATS_FILE_TMPDIR/table")" ]]
}

@test "a program with an unexpected leak is reported: slow taken for fixed, and the reverse" {
    need_series
    for series in "$kept"/*; do
        case $series in
        *-slow-*) cp -r "$series" "$tmp/$(basename "${series/-slow-/-fixed-}")" ;;
        *-fixed-*) cp -r "$series" "$tmp/$(basename "${series/-fixed-/-slow-}")" ;;
        esac
    done
    local status=0
    tests/live/packages.py --from "$tmp" >"$tmp/table" 2>"$tmp/errors" || status=$?
    [[ $status == 1 ]]
    grep -E '^meter slow .* its culprit does not rise in every step$' "$tmp/errors"
    grep -E '^meter fixed .* its culprit rises in every step$' "$tmp/errors"
}

@test "it is judged by GC events, by the order of objects, and by counts" {
    need_series
    tests/live/packages.py --from "$kept" --by=counts,order,events --causes "$tmp/causes" >"$tmp/table" 2>"$tmp/errors"
    # Each kind that was requested exists: a series collected in one session has it.
    [[ ! -s $tmp/errors ]] || { cat "$tmp/errors"; return 1; }
    [[ $(grep -c '^| meter | 4 · 3 · 2 · 1 ' "$tmp/table") == 3 ]]
    grep -E '^\| events, any \| 4 · 3 · 2 · 1 \|' "$tmp/table"
    grep -E '^meter slow .* 1-3 counts missed \(medium\): .* no births at ' "$tmp/causes"
    # Files that lack it are not taken for exact.
    for series in "$kept"/*; do
        mkdir "$tmp/$(basename "$series")"
        for file in "$series"/*.gcdump; do
            LC_ALL=C sed 's/heapdrift: same 1 /heapdrift: same - /' "$file" >"$tmp/$(basename "$series")/$(basename "$file")"
        done
    done
    tests/live/packages.py --from "$tmp" >/dev/null 2>"$tmp/errors"
    [[ $(grep -c 'events: judged by order$' "$tmp/errors") == 20 ]]
}

@test "programs that are not known are refused" {
    run tests/live/packages.py --only mail
    [[ $status == 2 && $output == *"there is: autofac"* ]]
    run tests/live/packages.py --by=guess
    [[ $status == 2 && $output == *"there is: counts order events"* ]]
}
