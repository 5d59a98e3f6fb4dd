# watch --store with real .NET processes: through their restarts, by name.

load ../cli/helper
load lab

setup() {
    begin
    need_dotnet
    # A name of its own: others run LeakLab at the same time.
    name=Sidecar$$
    cp -r "$(dirname "$lab")" "$tmp/out.d"
    mv "$tmp/out.d/LeakLab" "$tmp/out.d/$name"
    lab=$tmp/out.d/$name
}

teardown() {
    [[ -z ${job:-} ]] || kill "$job" 2>/dev/null || true
    stop_lab
}

@test "a process that restarts is a new series, and its name and limits are known" {
    # Waited for from the start.
    OTEL_SERVICE_NAME=other "$HEAPDRIFT" watch --name="$name" --store="$tmp/store.db" --build=1.4 --label=zone=a \
        --interval=300ms --lock="$tmp/lock" --max-heap=4GiB >"$tmp/.out" 2>"$tmp/err" 3>&- </dev/null &
    job=$!
    says "no such process; waiting for one"
    start_lab list OTEL_SERVICE_NAME=shop
    iterate 100
    says ": stored in " 2
    iterate 400
    says ": stored in " 4
    stop_lab
    says "no such process; waiting for one"
    start_lab list OTEL_SERVICE_NAME=shop
    says "a new process, so a new series"
    says ": stored in " 6
    kill -TERM "$job"
    wait "$job"
    job=
    [[ $(stored 'SELECT count(*), count(DISTINCT pid), count(DISTINCT host), max(build), max(service) FROM series') == "2|2|1|1.4|shop" ]] ||
        { stored 'SELECT * FROM series'; false; }
    [[ $(stored 'SELECT count(*) FROM snapshot') == "$(grep -c ': stored in ' "$tmp/err")" ]]
    [[ $(stored 'SELECT count(*) FROM snapshot WHERE pause_seconds > 0 AND pause_seconds < 2') == "$(stored 'SELECT count(*) FROM snapshot')" ]]
    [[ $(stored 'SELECT labels FROM series LIMIT 1') == *'"zone"'* ]]
}

@test "a heap over --max-heap is left alone until it is smaller; the size is that of ps" {
    start_lab list
    hd watch --name="$name" --store="$tmp/store.db" --lock="$tmp/lock" --interval=100ms --count=1 --max-heap=1MiB
    status_is 2
    err_matches "no snapshot: it uses [0-9]+ MiB, more than --max-heap \(1 MiB\)"
    works ps --name="$name" --format=csv
    local memory
    memory=$(($(python -c 'import csv, sys; print(next(csv.DictReader(sys.stdin))["memory_bytes"])' <<<"$out")))
    works watch --name="$name" --store="$tmp/store.db" --lock="$tmp/lock" --interval=100ms --count=1 --max-heap=$((2 * memory))
    [[ $(stored 'SELECT count(*) FROM snapshot') == 1 ]]
}

@test "another user's process is not asked, and that is reported immediately" {
    [[ $(id -u) == 0 ]] || skip "only root can be somebody else"
    start_lab list
    chmod 711 "$tmp" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" 2>/dev/null || true
    cp "$HEAPDRIFT" /tmp/heapdrift-other-$$
    run timeout 20 setpriv --reuid=65534 --regid=65534 --clear-groups /tmp/heapdrift-other-$$ \
        watch --process-id="$pid" --store=/tmp/heapdrift-other-$$.db --interval=1s
    rm -f /tmp/heapdrift-other-$$*
    [[ $status == 2 && $output == *"(pid $pid): "*"belongs to user"* ]] || { echo "$status $output"; false; }
}

@test "two sidecars of two processes on one host never freeze both together" {
    start_lab list LEAKLAB_CATALOG=20000
    "$HEAPDRIFT" watch --process-id="$pid" --store="$tmp/store.db" --lock="$tmp/lock" --interval=4s --count=3 2>"$tmp/err" 3>&- &
    job=$!
    works watch --process-id="$pid" --store="$tmp/other.db" --lock="$tmp/lock" --interval=4s --count=3
    wait "$job"
    job=
    # Start and length of each freeze: none begins during another.
    python - "$tmp/store.db" "$tmp/other.db" <<'END'
import sqlite3, sys
stops = sorted((at, at + pause) for db in sys.argv[1:]
               for at, pause in sqlite3.connect(db).execute("SELECT taken_at, pause_seconds FROM snapshot"))
assert len(stops) == 6, stops
assert all(a[1] <= b[0] for a, b in zip(stops, stops[1:])), stops
END
}
