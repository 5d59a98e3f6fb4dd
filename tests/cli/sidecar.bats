# Snapshots of a running process into a store: watch --store, collect --store.
# shellcheck disable=SC2163 # what helper sets and reads

load helper

# The time in front of each line.
when='20[0-9-]+T[0-9:]+Z'

# Kills remaining processes; the locks of other tests on this machine are not ours.
teardown() {
    local job
    for job in ${runtime:-} ${holder:-} $(jobs -p); do kill "$job" 2>/dev/null || true; done
    wait 2>/dev/null || true
}

# play [NAME=VALUE...]: a runtime with an hour between its snapshots.
play() {
    local LATER=1
    export LATER
    [[ $# == 0 ]] || export "$@"
    play_runtime play
    unset LATER SLOW
    store=$tmp/store.db
    at=(--diagnostic-port="$socket" --store="$store" --lock="$tmp/lock")
}

# stored SQL: the output of sqlite.
stored() { python -c 'import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")' "$store" "$1"; }
snapshots_are() { [[ $(stored 'SELECT count(*) FROM snapshot') == "$1" ]] || complain "$1 snapshots expected: $(stored 'SELECT id, series_id, taken_at, xxh3, base_id FROM snapshot')"; }

# hd_beside ARG...: runs the program in the background; $job is for ends.
hd_beside() {
    ran="heapdrift $*"
    "$HEAPDRIFT" "$@" >"$tmp/.out" 2>"$tmp/err" 3>&- </dev/null &
    job=$!
}

# says TEXT: waits until it has printed this.
says() {
    for _ in $(tries); do
        ! grep -qF -- "$1" "$tmp/err" || return 0
        sleep 0.05
    done
    err=$(<"$tmp/err") out='' status=running
    complain "stderr should have: $1"
}

# is_at_work: wait until it takes a snapshot, which is when it holds the lock.
is_at_work() {
    for _ in $(tries); do
        [[ ! -f $tmp/lock ]] || flock -n "$tmp/lock" true || return 0
        sleep 0.02
    done
    return 1
}

@test "watch --store records a snapshot at a time, with how long the process was paused" {
    play
    works watch "${at[@]}" --interval=100ms --count=3
    out_is ""
    err_matches "^heapdrift: $when $socket: a snapshot every 0\.1 s into $store, the first in 0 s"
    [[ $(grep -cE "^heapdrift: $when $socket: stored in $store, [0-9.]+ KiB\$" <<<"$err") == 3 ]]
    [[ $(grep -cE "^heapdrift: $when $socket: 8526 objects, 1\.9 MiB, in [0-9.]+ s; process paused for [0-9.]+ ms\$" <<<"$err") == 3 ]]
    snapshots_are 3
    [[ $(stored 'SELECT count(*) FROM series') == 1 ]]
    [[ $(stored 'SELECT count(DISTINCT taken_at), min(pause_seconds) > 0, max(pause_seconds) < 1 FROM snapshot') == "3|1|1" ]]
    # No file but the store and the lock.
    [[ $(cd "$tmp" && ls) == $'lock\nplayed.nettrace\nsocket\nstore.db' ]]
    works watch -q "${at[@]}" --interval=10ms --count=1
    err_is ""
    snapshots_are 4
    # Progress is one thing, what is stored another.
    works watch --no-progress "${at[@]}" --interval=10ms --count=1
    [[ $(grep -cE "^heapdrift: $when $socket: stored in $store, [0-9.]+ KiB\$" <<<"$err") == 1 ]]
    err_lacks objects
}

@test "collect --store records one, or a series, or fails" {
    play
    works collect "${at[@]}"
    snapshots_are 1
    works collect "${at[@]}" --count=2 --interval=50ms
    snapshots_are 3
    # An unavailable store does not affect the process.
    hd collect --diagnostic-port="$socket" --store="$tmp/none/x.db"
    status_is 2
    err_lacks objects
    kill "$runtime" && wait "$runtime" || true
    rm "$socket"
    hd collect "${at[@]}"
    fails_with "$socket: no such socket"
}

@test "SIGTERM waits for the snapshot in hand, and a second one does not" {
    play SLOW=1
    hd_beside watch "${at[@]}" --interval=1h --timeout=5
    says "a snapshot every"
    # The jitter is a tenth of an hour at most: this one is still waiting.
    kill -TERM "$job"
    ends "$job"
    status_is 0
    snapshots_are 0
    hd_beside watch "${at[@]}" --interval=100ms
    is_at_work
    kill -TERM "$job"
    ends "$job"
    status_is 0
    snapshots_are 1
    hd_beside watch "${at[@]}" --interval=100ms
    is_at_work
    kill -TERM "$job"
    sleep 0.2
    kill -TERM "$job"
    ends "$job"
    status_is 0
    err_has "stopped; the process continues, and nothing was written"
    snapshots_are 1
}

@test "two sidecars on one host take turns, and one that hangs costs a snapshot" {
    play SLOW=0.2
    hd_beside watch "${at[@]}" --interval=3s --count=2
    works watch "${at[@]}" --interval=3s --count=2
    ends "$job"
    snapshots_are 4
    flock "$tmp/lock" sleep 30 3>&- &
    holder=$!
    sleep 0.1
    hd watch "${at[@]}" --interval=200ms --count=1
    status_is 2
    err_has "warning: $socket: no snapshot: another collector on this host has been running for 0 s"
    hd_beside watch "${at[@]}" --interval=5s --count=1
    says "the first in"
    pkill -P "$holder"
    # The jitter of the first is a second at most.
    ends "$job"
    status_is 0
    snapshots_are 5
}

@test "a lock must be a file, not a pipe or a link, and without one it continues" {
    play
    mkfifo "$tmp/pipe"
    touch "$tmp/elsewhere"
    ln -s "$tmp/elsewhere" "$tmp/link"
    local lock
    for lock in pipe link none/lock; do
        works watch --diagnostic-port="$socket" --store="$store" --lock="$tmp/$lock" --interval=1ms --count=1
        err_matches "heapdrift: $when note: $tmp/$lock: .*; another collector may run at the same time"
    done
    snapshots_are 3
}

@test "a process that is larger than --max-heap, or may be, is left alone" {
    play
    hd watch "${at[@]}" --interval=10ms --count=1 --max-heap=1GiB
    status_is 2
    err_has "no snapshot: its memory use is not visible from here, as --max-heap requires"
    snapshots_are 0
}

@test "a process that ends is the end, unless it has a name" {
    play
    hd_beside watch "${at[@]}" --interval=300ms
    says "stored in"
    kill "$runtime"
    wait "$runtime" || true
    rm "$socket"
    ends "$job"
    status_is 0
    err_has "note: $socket: has exited, stopping"
    hd_beside watch --name=no-such-program --store="$store" --lock="$tmp/lock" --interval=100ms
    says "note: no-such-program: no such process; waiting for one"
    kill -TERM "$job"
    ends "$job"
    status_is 0
}

# player NAME [SERVICE [HOUR]]: a process with this name and a socket with its number; $player is its
# pid.
player() {
    local interpreter
    interpreter=$(python -c 'import os, sys; print(os.path.realpath(sys.executable))')
    mkdir -p "$tmp/t"
    [[ -e $tmp/played.nettrace ]] ||
        zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    LATER=${3:-1} OTEL_SERVICE_NAME=${2:-$1} bash -c 'exec -a "$1" "$2" tests/cli/runtime.py "$3/dotnet-diagnostic-$$-1-socket" play "$4"' \
        sh "$1" "$interpreter" "$tmp/t" "$tmp/played.nettrace" 3>&- &
    player=$!
    for _ in $(tries); do [[ ! -S $tmp/t/dotnet-diagnostic-$player-1-socket ]] || break; sleep 0.05; done
    export TMPDIR=$tmp/t
}

# stored_next PID: from now on snapshots of this process are stored, and of no other.
stored_next() {
    local from
    from=$(grep -c ': stored in ' "$tmp/err") || true
    for _ in $(tries); do
        [[ $(grep -c ': stored in ' "$tmp/err") -lt $((from + 3)) ]] || break
        sleep 0.05
    done
    # One may have been in hand.
    grep ': stored in ' "$tmp/err" | tail -n +$((from + 2)) >"$tmp/stored"
    [[ -s $tmp/stored && $(grep -c "(pid $1): stored in " "$tmp/stored") == $(wc -l <"$tmp/stored") ]] ||
        complain "snapshots of $1 expected: $(<"$tmp/err")"
}

# Ends the first process, its twin with the same name, or the first socket, and checks which snapshots
# are stored then.
@test "the process that it began with is followed for as long as it lives, whatever else has its name" {
    local first name event status=0 out='' err='' ran='watch -n'
    for event in twin twin-then-end end-then-twin end-of-one-service socket-then-twin; do
        rm -rf "$tmp/t" "$tmp/store.db"
        name=own$$-$event
        player "$name"
        first=$player
        hd_beside watch --name="$name" --store="$tmp/store.db" --lock="$tmp/lock" --interval=150ms
        stored_next "$first"
        case $event in
        twin)
            player "$name"
            stored_next "$first"
            ;;
        twin-then-end)
            player "$name"
            stored_next "$first"
            kill "$first"
            wait "$first" || true
            says "note: $name (pid $first): has exited; the next is $name (pid $player)"
            stored_next "$player"
            ;;
        end-then-twin)
            kill "$first"
            wait "$first" || true
            says "note: $name: no such process; waiting for one"
            player "$name"
            says "note: $name (pid $first): has exited; the next is $name (pid $player)"
            stored_next "$player"
            ;;
        end-of-one-service)
            player "$name" another
            stored_next "$first"
            kill "$first"
            wait "$first" || true
            says "note: $name: 1 other process with this name is not watched: of another service or command line than $name (pid $first)"
            says "note: $name: no such process; waiting for one"
            ! grep -q "(pid $player): stored" "$tmp/err" || complain "$(<"$tmp/err")"
            kill "$player"
            player "$name"
            says "note: $name (pid $first): has exited; the next is $name (pid $player)"
            stored_next "$player"
            ;;
        socket-then-twin)
            rm "$tmp/t/dotnet-diagnostic-$first-1-socket"
            player "$name"
            says "warning: $name (pid $first): no snapshot: the process runs, but its diagnostics socket is gone"
            sleep 1
            ! grep -q "(pid $player): stored" "$tmp/err" || complain "$(<"$tmp/err")"
            ;;
        esac
        kill -TERM "$job"
        ends "$job"
        status_is 0
        kill "$first" "$player" 2>/dev/null || true
        wait "$first" "$player" || true
    done
}

@test "watch --all: each process matching a pattern is a series, an ended one is closed, others are ignored" {
    local first ran='watch --all' out='' err='' status=0
    store=$tmp/store.db
    player "all$$-a" shop
    first=$player
    player "all$$-b" mail 300
    player "other$$" mail
    hd_beside watch --all --name="all$$-*" --store="$store" --lock="$tmp/lock" --interval=200ms --no-progress
    says "shop (pid $first): stored in "
    says "mail (pid "
    kill "$first"
    wait "$first" || true
    says "note: shop (pid $first): has exited, after "
    kill -TERM "$job"
    ends "$job"
    status_is 0
    err=$(<"$tmp/err")
    err_matches "heapdrift: $when stopped: [0-9]+ snapshots of 2 processes, [0-9]+ stored; own memory [0-9]+ MiB at most\$"
    err_lacks objects
    [[ $(stored 'SELECT service FROM series ORDER BY 1') == mail$'\n'shop ]] || complain "$(stored 'SELECT * FROM series')"
    hd_beside watch -q --all --name="all$$-*" --service='sh?p' --store="$store" --lock="$tmp/lock" --interval=200ms
    sleep 1
    kill -TERM "$job"
    ends "$job"
    status_is 0
    err_is ""
}

@test "while a store is unavailable snapshots wait, and losses are reported" {
    play
    hd_beside watch --diagnostic-port="$socket" --store='postgresql://me:secret@127.0.0.1:1/x' --lock="$tmp/lock" --interval=200ms
    says " snapshots are waiting, next attempt in "
    kill -TERM "$job"
    ends "$job"
    status_is 2
    err_has 'warning: postgresql://me:***@127.0.0.1:1/x: connection to server at "127.0.0.1", port 1 failed'
    err_has "1 snapshot is waiting, next attempt in "
    err_has "$socket: dropped a snapshot: it could not be stored"
    err_lacks secret
    err_lacks "stored in"
    hd collect --diagnostic-port="$socket" --store='postgresql://127.0.0.1:1/x'
    status_is 2
    err_lacks objects
}

@test "what watch --store does not do" {
    local line what
    while IFS='|' read -r line what; do
        eval "set -- $line"
        hd "$@"
        fails_with "$what"
    done <<'LINES'
watch 1 --store=x.db -o y|--store keeps the snapshots: it cannot be combined with -o
watch 1 --store=x.db --format=json|--store compares nothing: it cannot be combined with budgets or a format; use `heapdrift fleet`
watch 1 --store=x.db --max-growth=5%|--store compares nothing: it cannot be combined with budgets or a format; use `heapdrift fleet`
watch 1 --max-heap=1GiB|--at, --listen, --metrics, --max-heap, --lock, --keep and the names of a run need --store
watch 1 --at=80%|--at, --listen, --metrics, --max-heap, --lock, --keep and the names of a run need --store
watch 1 --listen=:9464|--at, --listen, --metrics, --max-heap, --lock, --keep and the names of a run need --store
watch Shop --name=Shop --store=x.db|watch takes one process, not 2
collect 1 --lock=x -o a.gcdump|--max-heap, --lock, --keep and the names of a run need --store
collect 1 --store=x.db -o a.gcdump|write to a file (-o) or to a store (--store), not both
collect 1 --store=x.db --core|a store holds digests, not core dumps or traces
collect --all --store=x.db|--all cannot be combined with --store; write files, and store them with `heapdrift record`
collect 1 --store=x.db --interval=5s|--interval requires --count
watch --all 1 --store=x.db|watch --all takes no process; select processes with --name=PATTERN or --service=PATTERN
watch --all --diagnostic-port=/x --store=x.db|watch --all takes no process; select processes with --name=PATTERN or --service=PATTERN
watch --all --store=x.db --sites=Shop --no-sites|--sites cannot be combined with --no-sites, --no-ages or --direct
watch --all --store=x.db --sites=Shop --no-ages|--sites cannot be combined with --no-sites, --no-ages or --direct
watch --all --store=x.db --sites=Shop --direct|--sites cannot be combined with --no-sites, --no-ages or --direct
watch 1 --store=x.db --sites=Shop|--sites selects processes of watch --all; a single process is sampled without it
watch 1 --sites=Shop|--sites selects processes of watch --all; a single process is sampled without it
watch --all --sites=Shop|watch --all requires --store=URL; for files, use `heapdrift collect --all`
watch --all --store=x.db --count=3|watch --all runs until SIGTERM: it cannot be combined with --count
watch --all --store=x.db -o y|--store keeps the snapshots: it cannot be combined with -o
watch --all --store=x.db --on-enter|--store takes snapshots by the clock: it cannot be combined with --on-enter
watch --all --store=/no/such/folder/x.db|/no/such/folder/x.db: No such file or directory
watch 999999999 --store=/no/such/folder/x.db|/no/such/folder/x.db: No such file or directory
LINES
}

@test "metrics are written to a file that is replaced, and an address that cannot be used ends it" {
    play
    works watch -q "${at[@]}" --interval=50ms --count=3 --service=$'"sh\nop\\' --host=h --metrics="$tmp/watch.prom" --listen="$tmp/answers"
    err_is ""
    python3 tests/cli/check_prometheus.py "$tmp/watch.prom"
    grep -qF 'heapdrift_watch_snapshots_total{' "$tmp/watch.prom"
    grep -qF 'service="\"sh\nop\\",host="h"' "$tmp/watch.prom"
    [[ ! -e $tmp/answers && $(cd "$tmp" && ls) == $'lock\nplayed.nettrace\nsocket\nstore.db\nwatch.prom' ]]
    touch "$tmp/answers"
    hd watch "${at[@]}" --count=1 --listen="$tmp/answers"
    status_is 2
    err_has "$tmp/answers: Address already in use"
    for address in 9464 localhost:9464 :99999 '[::1]' '[127.0.0.1]:1' 1.2.3:9464 ''; do
        hd watch "${at[@]}" --listen="$address"
        fails_with "--listen=$address: must be an address such as :9464, 127.0.0.1:9464, [::1]:9464, or a path"
    done
    hd watch "${at[@]}" --interval=50ms --count=1 --metrics="$tmp/none/x.prom"
    err_has "x.prom: No such file or directory"
    snapshots_are 4
    # The memory of an invisible process is unknown.
    works watch "${at[@]}" --interval=50ms --count=1 --at=80%,+1GiB
    err_has "note: $socket: memory use is not visible from here, so --at has no effect"
}
