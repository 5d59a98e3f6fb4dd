# record --follow: what appears in folders, as dotnet-monitor writes it. Needs no .NET, but seconds.
load ../cli/helper

setup() {
    begin
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES HEAPDRIFT_STORE
    db=$tmp/store.db
    egress=$tmp/egress
    mkdir "$egress"
    gzip -dc fixtures/leaklab/cache/0.gcdump.gz >"$tmp/0.gcdump"
    gzip -dc fixtures/leaklab/cache/1.gcdump.gz >"$tmp/1.gcdump"
}

teardown() {
    local job
    for job in ${follower:-} ${writer:-}; do kill "$job" 2>/dev/null || true; done
    wait 2>/dev/null || true
}

# follow ARG...: in the background, until done.
follow() {
    ran="heapdrift record --follow $*"
    "$HEAPDRIFT" record --follow --store="$db" --service=shop --host=h "$@" >"$tmp/followed" 2>"$tmp/err" 3>&- </dev/null &
    follower=$!
}

# done_with: end it; it has to be well.
done_with() {
    kill -TERM "$follower"
    status=0
    wait "$follower" || status=$?
    follower=
    out=$(<"$tmp/followed") err=$(<"$tmp/err")
    status_is 0
}

# prints TEXT [SECONDS]: wait until one of the two outputs has it.
prints() {
    for ((i = 0; i < 20 * ${2:-15}; i++)); do
        ! grep -qF -- "$1" "$tmp/followed" "$tmp/err" || return 0
        sleep 0.05
    done
    out=$(<"$tmp/followed") err=$(<"$tmp/err") status=running
    complain "should be printed: $1"
}

snapshots() { python -c 'import sqlite3, sys; print(*sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM snapshot").fetchone())' "$db"; }

@test "files that exist, appear, grow, change, or are invalid" {
    cp "$tmp/0.gcdump" "$egress/20261124_100000_4711.gcdump"
    touch -d '1 hour ago' "$egress/20261124_100000_4711.gcdump"
    follow "$egress" "$tmp/later"
    prints "/later: No such file or directory; waiting for it"
    prints "20261124_100000_4711.gcdump: recorded: shop on h"
    # One in a folder that is created later, written slowly by .NET, which locks it.
    mkdir -p "$tmp/later/sub"
    # shellcheck disable=SC2094 # it is locked, not read
    flock "$tmp/later/sub/core_20261124_110000" sh -c \
        "head -c 5000 '$tmp/1.gcdump'; sleep 3.5; tail -c +5001 '$tmp/1.gcdump'" >"$tmp/later/sub/core_20261124_110000" &
    writer=$!
    # Renamed into place, truncated, not a snapshot, hidden.
    mkdir "$tmp/aside"
    head -c 3000 "$tmp/1.gcdump" >"$egress/cut.gcdump"
    echo '{"log": 1}' >"$egress/logs.jsonl"
    cp "$tmp/1.gcdump" "$egress/.hidden"
    prints "cut.gcdump: "
    prints "logs.jsonl: skipped: "
    [[ $(snapshots) == 1 ]]
    wait "$writer"
    prints "core_20261124_110000: recorded"
    [[ $(snapshots) == 2 ]]
    # The same again is not new; a truncated one is read again when it is complete.
    cp "$tmp/0.gcdump" "$egress/copy.gcdump"
    prints "copy.gcdump: already recorded"
    cp "$tmp/1.gcdump" "$egress/cut.gcdump"
    echo '{"log": 2}' >>"$egress/logs.jsonl"
    prints "cut.gcdump: already recorded"
    sleep 3
    done_with
    [[ $(grep -c "logs.jsonl" <<<"$err") == 1 ]] || complain "told once"
    [[ $(grep -c "cut.gcdump" <<<"$err") == 1 ]] || complain "told once"
    [[ $(snapshots) == 2 ]]
    # Anew, all is there already.
    follow -q "$egress"
    prints "copy.gcdump: already recorded"
    done_with
    [[ $(snapshots) == 2 ]]
}

@test "an unavailable store is waited for, an invalid one is not" {
    [[ -e /usr/lib/x86_64-linux-gnu/libpq.so.5 || -e /usr/lib/aarch64-linux-gnu/libpq.so.5 ]] || skip "no libpq"
    cp "$tmp/0.gcdump" "$egress/a.gcdump"
    touch -d '1 hour ago' "$egress/a.gcdump"
    db='postgresql://nobody@127.0.0.1:1/none'
    follow "$egress"
    prints "Connection refused"
    sleep 4
    done_with
    # At the start, and when the first file was there; not at each try.
    [[ $(grep -c "Connection refused" <<<"$err") -le 2 ]] || complain "told once"
    out_is ""
    hd record --follow --store="$tmp/none/x.db" "$egress"
    status_is 2
    echo "no database" >"$tmp/text.db"
    hd record --follow --store="$tmp/text.db" "$egress"
    status_is 2
}
