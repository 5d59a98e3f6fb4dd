# watch --store as seen by others: --listen, --metrics; and by the memory of a process: --at.

load ../cli/helper
load lab

setup() {
    begin
    need_dotnet
    watch=(watch --lock="$tmp/lock" --store="$tmp/store.db")
}

teardown() {
    [[ -z ${job:-} ]] || kill -CONT "$job" 2>/dev/null || true
    [[ -z ${job:-} ]] || kill "$job" 2>/dev/null || true
    [[ -z ${holder:-} ]] || kill "$holder" 2>/dev/null || true
    stop_lab
}

# watching ARG...: in the background; $address is where it answers, if it does.
watching() {
    ran="heapdrift ${watch[*]} $*"
    "$HEAPDRIFT" "${watch[@]}" "$@" >"$tmp/.out" 2>"$tmp/err" 3>&- 7>&- 8<&- 9>&- </dev/null &
    job=$!
    [[ "$*" != *--listen* ]] || says "metrics: "
    address=$(sed -nE 's!.*metrics: (http://)?([^ ]*:[0-9]+|/[^ ]*[^s])(/metrics)?$!\2!p' "$tmp/err")
}

done_with() {
    kill -TERM "$job"
    status=0
    wait "$job" || status=$?
    job=
    status_is 0
}

# fetch PATH: the body; $code is the status.
fetch() {
    body=$(curl -sS -m 5 -w '\n%{http_code}' "http://$address$1")
    code=${body##*$'\n'}
    body=${body%$'\n'*}
    body=${body%$'\n'}
}

# value NAME [LABEL]: of the only sample of /metrics that has it.
value() {
    fetch /metrics
    [[ $code == 200 ]]
    grep "^$1{" <<<"$body" | grep -F "${2:-}" | sed 's/.* //'
}

becomes() { # VALUE NAME [LABEL]
    for _ in {1..100}; do
        [[ $(value "${@:2}") != "$1" ]] || return 0
        sleep 0.2
    done
    echo "$2 should become $1"
    fetch /metrics
    echo "$body"
    return 1
}

@test "clients, however they behave, cost no snapshot, and one that ends is replaced" {
    start_lab list OTEL_SERVICE_NAME=shop
    watching "$pid" --interval=1s --host=web-1 --listen=127.0.0.1:0 --metrics="$tmp/watch.prom"
    says ": stored in "
    stored() { grep -c ": stored in " "$tmp/err"; }
    local before after seconds
    before=$(stored) SECONDS=0
    python3 tests/cli/clients.py "$address" "$job" >"$tmp/scraped"
    after=$(stored) seconds=$SECONDS
    # As many as in the same time without clients, on a busy machine, too.
    sleep "$seconds"
    ((after - before >= $(stored) - after - 2))
    python3 tests/cli/check_prometheus.py "$tmp/scraped"
    python3 tests/cli/check_prometheus.py "$tmp/watch.prom"
    [[ $(value heapdrift_watch_snapshots_total '"shop",host="web-1"') -gt 2 ]]
    [[ $(value heapdrift_watch_processes) == 1 && $(value heapdrift_watch_store_reachable) == 1 ]]
    [[ $(value heapdrift_watch_memory_bytes) -lt 60000000 ]]
    python3 -c "import sys, time; assert abs(time.time() - float(sys.argv[1])) < 5" "$(value heapdrift_watch_last_snapshot_timestamp_seconds)"
    kill -9 "$(pgrep -P "$job")"
    says "the process that serves requests has ended; restarting it"
    for _ in {1..150}; do ! curl -sf -m 1 "http://$address/healthz" || break; sleep 0.1; done
    fetch /healthz
    [[ $code == 200 && $body == ok ]]
    done_with
    run curl -sf -m 1 "http://$address/healthz"
    [[ $status != 0 ]]
}

@test "healthy is a loop that turns: without its store, but not when it hangs" {
    start_lab list
    watch[2]=--store=postgresql://nobody@127.0.0.1:1/none
    [[ -e /usr/lib/x86_64-linux-gnu/libpq.so.5 || -e /usr/lib/aarch64-linux-gnu/libpq.so.5 ]] || watch[2]=--store="$tmp/store.db"
    # Between snapshots a minute is allowed, during one more.
    watching "$pid" --interval=20s --listen="$tmp/socket"
    says "1 snapshot is waiting|stored in"
    ask() { curl -sS -m 5 --unix-socket "$tmp/socket" "http://x$1"; }
    [[ $(ask /healthz) == ok ]]
    if [[ ${watch[2]} == *postgresql* ]]; then
        sleep 3
        grep -q '^heapdrift_watch_store_reachable{.*} 0$' <<<"$(ask /metrics)"
        [[ $(ask /metrics | sed -n 's/^heapdrift_watch_queue_snapshots.* //p') -ge 1 ]]
    fi
    kill -STOP "$job"
    for _ in {1..70}; do [[ $(ask /healthz) == ok ]] || break; sleep 1; done
    ask /healthz | grep -E '^watch hangs: .*, no sign of life for 6[0-9] s$'
    kill -CONT "$job"
    sleep 2
    [[ $(ask /livez) == ok ]]
    kill -TERM "$job"
    sleep 1
    kill -TERM "$job" 2>/dev/null || true
    wait "$job" || [[ $? == 2 ]]
    job=
    [[ ! -e $tmp/socket ]]
}

@test "a hanging process does not make the watcher hang, and is counted" {
    start_lab list
    watching "$pid" --interval=500ms --timeout=2s --listen=127.0.0.1:0 --name=None$$
    says ": stored in "
    kill -STOP "$started"
    becomes 1 heapdrift_watch_failures_total '"timeout"'
    fetch /livez
    [[ $code == 200 ]]
    kill -CONT "$started"
    stop_lab
    becomes 0 heapdrift_watch_processes
    [[ -z $(value heapdrift_watch_last_snapshot_timestamp_seconds) ]]
    done_with
}

@test "all services of a host, each separately" {
    local other
    name=Monitored$$
    cp -r "$(dirname "$lab")" "$tmp/out.d"
    mv "$tmp/out.d/LeakLab" "$tmp/out.d/$name"
    lab=$tmp/out.d/$name
    start_lab list OTEL_SERVICE_NAME=shop
    mkfifo "$tmp/in2"
    OTEL_SERVICE_NAME='"m\ail' "$lab" list <"$tmp/in2" >"$tmp/out2" 3>&- 7>&- 8<&- &
    other=$!
    exec 9>"$tmp/in2"
    watching --all --name="$name" --interval=1s --listen=127.0.0.1:0
    becomes 2 heapdrift_watch_processes
    says ": stored in " 4
    [[ $(value heapdrift_watch_snapshots_total '"shop"') -ge 1 && $(value heapdrift_watch_snapshots_total '"\"m\\ail"') -ge 1 ]]
    exec 9>&-
    wait "$other"
    becomes 1 heapdrift_watch_processes
    # Counts persist.
    [[ $(value heapdrift_watch_snapshots_total '"\"m\\ail"') -ge 1 ]]
    fetch /metrics
    echo "$body" >"$tmp/x"
    python3 tests/cli/check_prometheus.py "$tmp/x"
    done_with
}

@test "memory triggers snapshots in addition to the schedule, once for each crossing" {
    start_lab list LEAKLAB_RATE=10
    rss() { echo $(($(awk '/VmRSS/ {print $2}' "/proc/$pid/status") * 1024)); }
    local first limit
    first=$(rss)
    limit=$((first + 100 * 1048576))
    watching "$pid" --interval=1h --at="$((first + 20 * 1048576))" --limit="$limit"
    says "a snapshot every"
    sleep 3
    [[ $(grep -c "stored in" "$tmp/err") == 0 ]]
    until [[ $(rss) -gt $((first + 25 * 1048576)) ]]; do iterate 20; done
    says "a snapshot for its memory, [0-9]+ MiB of [0-9]+ \(--at="
    says ": stored in "
    sleep 5
    [[ $(grep -c ": stored in " "$tmp/err") == 1 ]]
    done_with
    # A restarted process starts without history; a share of an unknown limit is reported.
    watching "$pid" --interval=1h --at=20MiB,99%
    says "memory limit is unknown, so a share of it in --at has no effect; give --limit"
    says ": stored in "
    done_with
}

@test "a snapshot for memory keeps to --max-heap, waits for its turn, and is tried again" {
    start_lab list
    watching "$pid" --interval=1h --at=10MiB --max-heap=20MiB
    says "no snapshot: it uses [0-9]+ MiB, more than --max-heap"
    sleep 3
    [[ $(grep -c "for its memory" "$tmp/err") == 1 && $(grep -c "stored in" "$tmp/err") == 0 ]]
    done_with
    # Only locks that others cannot open are waited for.
    install -m 600 /dev/null "$tmp/lock"
    flock "$tmp/lock" sleep 60 3>&- &
    holder=$!
    sleep 0.2
    watching "$pid" --interval=1h --at=10MiB
    says "for its memory"
    sleep 2
    [[ $(grep -c "stored in" "$tmp/err") == 0 ]]
    pkill -P "$holder" || kill "$holder"
    holder=
    says ": stored in "
    done_with
}

@test "memory between snapshots stays small" {
    # make check-live has sixty of them; docs/fleet.md five hundred.
    INTERVAL=300ms python3 tests/live/sidecar_memory.py "$lab" 60 60000
}
