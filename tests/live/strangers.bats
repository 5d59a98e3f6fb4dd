# strangers.py judges in two halves, and hard programs separately: two of its programs, recorded
# here. `make check-live`; skipped without .NET or packages. All programs: `make accuracy`.
load ../cli/helper

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    kept=$BATS_FILE_TMPDIR/kept
    export kept
    command -v dotnet >/dev/null || return 0
    tests/live/strangers.py --only lru,sqlitecommands --jobs 3 --keep "$kept" --misses >"$BATS_FILE_TMPDIR/table" \
        2>"$BATS_FILE_TMPDIR/errors" || echo $? >"$BATS_FILE_TMPDIR/status"
}

need_series() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    if grep -q 'error NU' "$BATS_FILE_TMPDIR/errors"; then skip "no packages here"; fi
    [[ -d $kept ]] || { cat "$BATS_FILE_TMPDIR/errors"; return 1; }
}

@test "a leak is in the table of its half, a store that fills in that of the other, and --from repeats both" {
    need_series
    [[ ! -e $BATS_FILE_TMPDIR/status ]] || { cat "$BATS_FILE_TMPDIR/errors"; return 1; }
    [[ $(ls "$kept") == $'lru-hard-'*$'\nsqlitecommands-fixed-'*$'\nsqlitecommands-slow-'* ]]
    sed '/^Half to report/,$d' "$BATS_FILE_TMPDIR/table" >"$tmp/tune"
    sed -n '/^Half to report/,$p' "$BATS_FILE_TMPDIR/table" >"$tmp/report"
    grep -E '^\| sqlitecommands \| 4 · 3 · 2 · 1 \|' "$tmp/tune"
    grep -E '^\| lru \| 4 · 3 · 2 · 1( \| [0-4] · [0-3] · [0-2] · [01]){3} \|$' "$tmp/report"
    run grep -E '^\| lru ' "$tmp/tune"
    [[ $status == 1 ]]
    [[ $(tests/live/strangers.py --from "$kept" --misses) == "$(<"$BATS_FILE_TMPDIR/table")" ]]
}

@test "shares count windows of five and six, and --misses has a line for each suspect of a store that fills" {
    need_series
    grep -E '^\| events( \| -){5}( \| [0-3] of 3, [0-9.]+ %){3} \|$' "$BATS_FILE_TMPDIR/table"
    wrong=$(sed -n 's/^| lru | 4 · 3 · 2 · 1 | \([0-9 ·]*\) |.*/\1/p' "$BATS_FILE_TMPDIR/table")
    listed=$(sed -n 's/^lru hard [a-z]* events: false \([0-9 ·]*\): .*/\1/p' "$BATS_FILE_TMPDIR/table")
    sum() { grep -oE '[0-9]+' | awk '{ n += $1 } END { print n + 0 }'; }
    [[ $(sum <<<"$wrong") == "$(sum <<<"$listed")" ]]
}

@test "the half of a program follows from its name" {
    cd tests/live
    [[ $(python3 -c 'import windows
s = windows.Suite("strangers/truth.json", (), None, None, "", halved=True)
print(*sorted(n for n in s.truth if s.half(n) == "tune"))') == "diagnosticlistener efproviders hangfire interning jint memorycache queue runtimecaching sessions sqlitecommands telemetry" ]]
    # The document has the same halves.
    while read -r name half; do
        grep -qE "^\| $name \| $half \|" strangers/README.md
    done < <(python3 -c 'import windows
s = windows.Suite("strangers/truth.json", (), None, None, "", halved=True)
for n in s.truth: print(n, s.half(n))')
}
