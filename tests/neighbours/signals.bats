# SIGINT and SIGTERM end each command within a second, wherever it waits (docs/architecture.md, Waits).
# Needs neither root nor a neighbor, but most of a minute.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper

setup() {
    begin
    unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES HEAPDRIFT_STORE
    env --default-signal=INT true 2>/dev/null || skip "takes env --default-signal"
    pipe=$tmp/pipe.gcdump
    mkfifo "$pipe"
    jobs=() others=()
}

teardown() {
    local job
    for job in ${runtime:-} "${jobs[@]}" "${others[@]}"; do kill -9 "$job" 2>/dev/null || true; done
    wait 2>/dev/null || true
}

# A command waits after this number of seconds, and when standard error has the text.
until_it_waits=1 until_it_says=

# It may take a second, and more on a busy machine, where everything does.
limit_ms() { echo $((1000 * (1 + $(busy)))); }

milliseconds() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# stopped_by SIGNAL STATUS JOB: the job still runs, and ends with that status (130 or "130|2") in time.
stopped_by() {
    local begin took
    kill -0 "$3" || complain "ended by itself: $(cat "$tmp/err.$1")"
    begin=$(milliseconds)
    kill "-$1" "$3"
    for _ in $(tries); do
        kill -0 "$3" 2>/dev/null || break
        sleep 0.02
    done
    took=$(($(milliseconds) - begin))
    kill -9 "$3" 2>/dev/null || true
    status=0
    wait "$3" || status=$?
    out='' err=$(<"$tmp/err.$1")
    [[ $status =~ ^($2)$ ]] || complain "$1: status $2 expected"
    ((took < $(limit_ms))) || complain "$1 took $took ms"
}

# says SIGNAL TEXT: waits until the one for this signal has printed it.
says() {
    [[ -n $2 ]] || return 0
    for _ in $(tries); do
        ! grep -qF -- "$2" "$tmp/err.$1" || return 0
        sleep 0.05
    done
    complain "should be printed: $2"
}

# start SIGNAL ARG...: the program, to get that signal; another job.
start() {
    env --default-signal=INT,TERM "$HEAPDRIFT" "${@:2}" >"$tmp/out.$1" 2>"$tmp/err.$1" 3>&- <&0 &
    jobs+=($!)
}

# ends INT TERM ARG...: two of the program, which wait; one gets SIGINT and one SIGTERM, and these are their
# statuses. Standard input is the caller's, and %s in an argument the name of the signal.
ends() {
    local int=$1 term=$2 signal
    shift 2
    ran="heapdrift $*"
    jobs=()
    for signal in INT TERM; do start "$signal" "${@//%s/$signal}"; done
    for signal in INT TERM; do says "$signal" "$until_it_says"; done
    sleep "$until_it_waits"
    stopped_by INT "$int" "${jobs[0]}"
    stopped_by TERM "$term" "${jobs[1]}"
    refute compgen -G "$tmp/.heapdrift-*"
}


# --- what is read ----------------------------------------------------------------------

@test "a snapshot from a pipe without a writer" {
    ends 130 143 top "$pipe"
    ends 130 143 diff "$before" "$pipe"
    ends 130 143 check "$before" "$pipe"
    ends 130 143 report "$pipe" -o "$tmp/%s.html"
    ends 130 143 convert --to=gcdump "$pipe" -o "$tmp/%s.gcdump"
    ends 130 143 record --store="$tmp/%s.db" "$pipe"
    [[ ! -e $tmp/INT.html && ! -e $tmp/TERM.gcdump ]]
}

@test "a snapshot from standard input that never arrives" {
    exec 4<>"$pipe"
    ends 130 143 top - <&4
    ends 130 143 info /dev/stdin <&4
    exec 4<&-
}

@test "arguments, budgets and a baseline from a pipe" {
    ends 130 143 top "@$pipe" "$before"
    ends 130 143 check --config="$pipe" "${pair[@]}"
    ends 130 143 check --baseline="$pipe" "${pair[@]}"
}

# --- what is written -------------------------------------------------------------------

@test "a pipe without a reader, or a full one" {
    ends 130 143 top -q "$before" -o "$pipe"
    exec 4<>"$pipe"
    ends 130 143 report -q fixtures/leaklab/cache -o "$pipe"
    exec 4<&-
}

@test "a snapshot of a process into a pipe without a reader, or a full one" {
    play_runtime play
    until_it_waits=2
    ends 130 143 collect --diagnostic-port="$socket" -o "$pipe"
    exec 4<>"$pipe"
    ends 130 143 collect --diagnostic-port="$socket" -o "$pipe"
    exec 4<&-
}

@test "metrics into a pipe without a reader are skipped" {
    until_it_says="$pipe: No such device or address"
    ends 0 0 watch --all --store="$tmp/%s.db" --lock="$tmp/%s.lock" --metrics="$pipe"
    err_has "$pipe: No such device or address"
}

# --- processes -------------------------------------------------------------------------

@test "a process that does not answer, sends slowly, or stalls" {
    local habit
    until_it_waits=2
    for habit in mute drip; do
        play_runtime "$habit"
        # Whether the session ends in time is its runtime's.
        ends "130|2" "143|2" collect --diagnostic-port="$socket" -o "$tmp/%s.gcdump"
        kill "$runtime"
        rm "$socket"
    done
    play_runtime stall
    ends 2 2 collect --diagnostic-port="$socket" -o "$tmp/%s.gcdump"
    err_has "stopped; the process continues, and nothing was written"
}

@test "a turn on this host, the next snapshot, a line of standard input" {
    play_runtime play
    exec 4>"$tmp/lock"
    flock 4
    until_it_says="a snapshot every"
    ends 0 0 watch --diagnostic-port="$socket" --service=s --store="$tmp/%s.db" --lock="$tmp/lock" 4>&-
    exec 4>&-
    until_it_says="watching: 5 more"
    ends 2 2 watch --diagnostic-port="$socket" --interval=1h -o "$tmp/run-%s"
    err_has "stopped before there were two snapshots"
    exec 4<>"$pipe"
    until_it_says=
    ends 2 2 collect --diagnostic-port="$socket" --count=2 --on-enter -o "$tmp/%s.gcdump" <&4 4>&-
    exec 4>&-
}

# --- stores ----------------------------------------------------------------------------

# locked COMMAND...: while another process writes to $tmp/locked.db.
locked() {
    [[ -e $tmp/locked.db ]] || hd record -q --store="$tmp/locked.db" --service=s "$before"
    python3 -c 'import sqlite3, sys, time
store = sqlite3.connect(sys.argv[1], isolation_level=None)
store.execute("BEGIN EXCLUSIVE")
open(sys.argv[1] + ".is-locked", "w")
time.sleep(300)' "$tmp/locked.db" 3>&- &
    others+=($!)
    for _ in $(tries); do [[ ! -e $tmp/locked.db.is-locked ]] || break; sleep 0.05; done
    "$@"
}

@test "a store locked by another process" {
    play_runtime play
    locked locked_stores
}

locked_stores() {
    local store="file:$tmp/locked.db?wait=60"
    ends 130 143 record --store="$store" "$after"
    mkdir "$tmp/folder"
    ends 130 143 record --follow --store="$store" "$tmp/folder"
    until_it_waits=2
    ends 130 143 watch --diagnostic-port="$socket" --service=s --store="$store" --lock="$tmp/%s.lock"
    ends 130 143 collect --diagnostic-port="$socket" --service=s --store="$store" --lock="$tmp/%s.lock"
}

@test "a database that does not answer" {
    [[ -e /usr/lib/x86_64-linux-gnu/libpq.so.5 || -e /usr/lib/aarch64-linux-gnu/libpq.so.5 ]] || skip "no libpq"
    python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", 0), backlog=9)
open(sys.argv[1], "w").write(str(s.getsockname()[1]))
time.sleep(300)' "$tmp/port" 3>&- &
    local store
    others+=($!)
    for _ in $(tries); do [[ ! -s $tmp/port ]] || break; sleep 0.05; done
    store="postgresql://u@127.0.0.1:$(<"$tmp/port")/d"
    ends 130 143 record --store="$store" "$before"
    ends 130 143 fleet --store="$store"
    until_it_waits=2
    ends 130 143 watch --all --store="$store" --lock="$tmp/%s.lock"
}

@test "a snapshot that waits for its store: the first signal is heeded, the second ends it" {
    play_runtime play
    hd record -q --store="$tmp/locked.db" --service=s "$before"
    start TERM collect --diagnostic-port="$socket" --service=s --count=2 --interval=5s \
        --store="file:$tmp/locked.db?wait=60" --lock="$tmp/lock"
    ran="heapdrift collect --store"
    says TERM ": stored"
    locked waits_and_is_lost
}

waits_and_is_lost() {
    sleep 6
    kill -TERM "${jobs[0]}"
    sleep 3
    stopped_by TERM 143 "${jobs[0]}"
    err_has "heapdrift: ended while snapshots waited for the store; these are lost"
}

# --- nothing to do, and much -----------------------------------------------------------

@test "folders and hosts without any events" {
    mkdir "$tmp/folder"
    until_it_waits=3
    ends 0 0 record --follow --store="$tmp/%s.db" "$tmp/folder"
    until_it_says="a snapshot every"
    ends 0 0 watch --all --store="$tmp/%s.db" --lock="$tmp/%s.lock" --listen=127.0.0.1:0
}

@test "the analysis of a large heap" {
    # A tree of three million objects, a dozen times: seconds of work.
    awk 'BEGIN {
        print "a 2 App.exe 1\nt 1 App.Order"
        for (i = 1; i <= 3000000; i++)
            printf "o %x 1 18 %x\n", i, 2 * i <= 3000000 ? 2 * i : 1
        print "r 1 3 0\nc App.exe 2"
    }' >"$tmp/large.txt"
    works convert -q "$tmp/large.txt" -o "$tmp/01.gcdump"
    rm "$tmp/large.txt"
    for i in {02..12}; do ln "$tmp/01.gcdump" "$tmp/$i.gcdump"; done
    start INT diff -j1 "$tmp"/*.gcdump
    sleep 0.2
    stopped_by INT 130 "${jobs[0]}"
}

@test "the browser, at work and waiting for a snapshot" {
    need_terminal
    local signal file
    for file in "$before" "$pipe"; do
        for signal in INT TERM HUP; do
            python - "$signal" "$file" "$(limit_ms)" <<'PY'
import os, pty, select, signal, sys, time
number, limit = getattr(signal, "SIG" + sys.argv[1]), int(sys.argv[3]) / 1000
pid, fd = pty.fork()
if pid == 0:
    signal.signal(number, signal.SIG_DFL)
    os.execv(os.environ["HEAPDRIFT"], ["heapdrift", "explore", sys.argv[2]])


def look(until):
    while time.time() < until:
        if select.select([fd], [], [], 0.02)[0]:
            try:
                os.read(fd, 65536)
            except OSError:
                time.sleep(0.02)
        if os.waitpid(pid, os.WNOHANG)[0]:
            return True
    return False


assert not look(time.time() + 1), "ended by itself"
os.kill(pid, number)
if not look(time.time() + limit):
    os.kill(pid, signal.SIGKILL)
    sys.exit(f"{sys.argv[1:]} does not end it")
PY
        done
    done
}
