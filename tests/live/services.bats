# Services that the ranking was not made with, each with and without its leak. `make check-live`;
# skipped without .NET. The quick part of services.sh: fast leaks, constant load, five snapshots.
load ../cli/helper

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    kept=$BATS_FILE_TMPDIR/kept
    export kept
    command -v dotnet >/dev/null || return 0
    # Runs all of them once; the tests check the results.
    tests/live/services.sh --quick --keep "$kept" >"$BATS_FILE_TMPDIR/tables" 2>"$BATS_FILE_TMPDIR/errors" ||
        echo $? >"$BATS_FILE_TMPDIR/status"
}

need_series() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    [[ -d $kept ]] || { cat "$BATS_FILE_TMPDIR/errors"; return 1; }
}

# judged STATUS ARGUMENT...: services.sh on snapshots that are there; $tables, $errors.
judged() {
    local wanted=$1 status=0
    shift
    tests/live/services.sh --quick "$@" >"$tmp/tables" 2>"$tmp/errors" || status=$?
    tables=$(<"$tmp/tables") errors=$(<"$tmp/errors")
    [[ $status == "$wanted" ]] || { echo "status $status: $tables $errors"; return 1; }
}

@test "a fast leak is the first suspect of each service, and a healthy one has none" {
    need_series
    [[ ! -e $BATS_FILE_TMPDIR/status ]] || { cat "$BATS_FILE_TMPDIR/tables" "$BATS_FILE_TMPDIR/errors"; return 1; }
    # efcore may be missing where its package cannot be restored.
    [[ $(find "$kept" -name iterations | wc -l) -ge 14 ]]
}

@test "snapshots that were kept are judged as they were" {
    need_series
    judged 0 --from "$kept"
    [[ $tables == "$(<"$BATS_FILE_TMPDIR/tables")" ]]
}

@test "the judgement can fail: a leak taken for healthy, and the other way round" {
    need_series
    cp -r "$kept/game" "$tmp/game"
    mv "$tmp/game/leak-fast-constant" "$tmp/game/was-leak"
    mv "$tmp/game/healthy-fast-constant" "$tmp/game/leak-fast-constant"
    judged 1 --from "$tmp" --only game
    # Without a suspect; which row is below the line is chance.
    [[ $errors == *"game leak fast constant"*@(missed|small)* ]]
    mv "$tmp/game/leak-fast-constant" "$tmp/game/was-healthy"
    mv "$tmp/game/was-leak" "$tmp/game/healthy-fast-constant"
    judged 1 --from "$tmp" --only game
    [[ $errors == *"game healthy fast constant"*false* ]]
    [[ $tables == *"| game | – | – |"* ]]
}

@test "services that are not known are refused" {
    need_series
    judged 2 --from "$kept" --only mail
    [[ $errors == usage:* ]]
}

@test "the series in fixtures are judged without .NET: no false alarm, and slow leaks are reported" {
    local status=0
    tests/live/services.sh --from fixtures/services >"$tmp/tables" || status=$?
    [[ $status == 0 ]]
    grep -E '^\| consumer \| – \| [0-6] of 6 \|.*\| 0 of 6 \| [0-6] \|$' "$tmp/tables"
}
