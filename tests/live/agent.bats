# One agent for all .NET processes of a host, and one followed process: with real ones that start, end,
# share their names, and hostile peers.

load ../cli/helper
load lab

setup() {
    begin
    need_dotnet
    # A name of its own: others run LeakLab at the same time.
    name=Agent$$
    mkdir "$tmp/p" "$tmp/t"
    cp -r "$(dirname "$lab")/." "$tmp/p"
    mv "$tmp/p/LeakLab" "$tmp/p/$name"
    export TMPDIR=$tmp/t
    mkfifo "$tmp/never"
    exec 6<>"$tmp/never"
    began=()
}

teardown() {
    local one
    for one in ${job:-} "${began[@]}"; do
        kill -CONT "$one" 2>/dev/null || true
        kill -KILL "$one" 2>/dev/null || true
    done
    wait 2>/dev/null || true
    [[ ! -f $tmp/postgres ]] || tests/store/postgres.sh stop "$(<"$tmp/postgres")"
}

# run_lab [NAME=VALUE...] [ARG]: a lab that works on request only, which never comes; $started is its
# pid.
run_lab() {
    local variables=()
    while [[ ${1:-} == *=* ]]; do
        variables+=("$1")
        shift
    done
    env "${variables[@]}" "$tmp/p/$name" list "$@" <&6 >/dev/null 2>&1 3>&- &
    started=$!
    began+=("$started")
}

end_lab() {
    kill "$1"
    wait "$1" || true
}

watching() {
    "$HEAPDRIFT" watch "$@" --lock="$tmp/lock" >"$tmp/.out" 2>"$tmp/err" 3>&- 6>&- </dev/null &
    job=$!
}

ended() {
    local status=0
    kill "$job"
    wait "$job" || status=$?
    job=
    [[ $status == "$1" ]] || { cat "$tmp/err"; echo "status $status"; return 1; }
}

says_not() {
    ! grep -E -- "$1" "${2:-$tmp/err}"
}

@test "blue and green: the series continues while blue lives, then with green" {
    local blue green other
    run_lab OTEL_SERVICE_NAME=shop
    blue=$started
    watching --name="$name" --store="$tmp/store.db" --interval=500ms
    says "shop \(pid $blue\): stored" 2
    run_lab OTEL_SERVICE_NAME=mail
    other=$started
    run_lab OTEL_SERVICE_NAME=shop
    green=$started
    says "shop \(pid $blue\): stored" 6
    says_not "pid ($green|$other)\): stored"
    end_lab "$blue"
    says "shop \(pid $blue\): has exited; the next is shop \(pid $green\)"
    says "shop \(pid $green\): a new process, so a new series"
    says "shop \(pid $green\): stored" 2
    # Its own restart does not move it to the other process with the same name.
    end_lab "$green"
    says "$name: 1 other process with this name is not watched: of another service or command line than shop \(pid $green\)"
    says "$name: no such process; waiting for one"
    run_lab OTEL_SERVICE_NAME=shop
    says "shop \(pid $green\): has exited; the next is shop \(pid $started\)"
    says "shop \(pid $started\): stored" 2
    says_not "pid $other\): stored"
    ended 0
    [[ $(stored 'SELECT service, COUNT(DISTINCT pid) FROM series GROUP BY service') == "shop|3" ]]
}

@test "without a declared service the command line decides" {
    local first
    run_lab one
    first=$started
    watching --name="$name" --store="$tmp/store.db" --interval=500ms
    says "pid $first\): stored"
    run_lab two
    end_lab "$first"
    says "1 other process with this name is not watched"
    run_lab one
    says "pid $started\): stored"
    ended 0
    [[ $(stored 'SELECT COUNT(*) FROM series') == 2 ]]
}

@test "the newest of several is watched, and that is reported once" {
    run_lab
    sleep 0.2
    run_lab
    sleep 3
    watching --name="$name" --store="$tmp/store.db" --interval=500ms
    says "$name: 2 processes have this name; watching the newest, LeakLab \(pid $started\)"
    says "pid $started\): stored" 4
    ended 0
    [[ $(grep -c "processes have this name" "$tmp/err") == 1 ]]
    [[ $(stored 'SELECT COUNT(*) FROM series') == 1 ]]
}

@test "an agent watches each process under its own name, also new and ended ones" {
    local first second
    run_lab OTEL_SERVICE_NAME=shop OTEL_RESOURCE_ATTRIBUTES=service.version=1.4,deployment.environment=prod
    first=$started
    OTEL_SERVICE_NAME=agent POD_NAME=agent-x7 NODE_NAME=node1 \
        watching --all --name="$name" --store="$tmp/store.db" --interval=1s --label=zone=a --no-progress
    says "shop \(pid $first\): stored"
    run_lab OTEL_SERVICE_NAME=mail
    second=$started
    says "mail \(pid $second\): stored"
    run_lab
    says "LeakLab \(pid $started\): stored" 2
    end_lab "$first"
    says "shop \(pid $first\): has exited, after [0-9]+ snapshot"
    says "mail \(pid $second\): stored" 3
    ended 0
    says "stopped: [0-9]+ snapshots of 3 processes, [0-9]+ stored; own memory [0-9]+ MiB at most"
    [[ $(stored 'SELECT service, build FROM series ORDER BY 1') == "$name|"$'\n'"mail|"$'\n'"shop|1.4" ]] ||
        { stored 'SELECT * FROM series'; false; }
    [[ $(stored "SELECT labels FROM series WHERE service = 'shop'") == *prod* ]]
    [[ $(stored 'SELECT labels FROM series' | grep -c '"k8s.node.name":"node1"') == 3 ]]
    [[ $(stored 'SELECT labels FROM series' | grep -c '"zone":"a"') == 3 ]]
    [[ $(stored 'SELECT labels FROM series') != *agent-x7* ]]
    # None twice within its interval, minus a twentieth and the delay of a busy machine for the
    # first; never two concurrently.
    python - "$tmp/store.db" <<'END'
import sqlite3, sys
rows = sqlite3.connect(sys.argv[1]).execute("SELECT taken_at, pause_seconds, series_id FROM snapshot ORDER BY 1").fetchall()
before, last = {}, 0
for at, pause, series in rows:
    assert at >= last, rows
    assert at - before.get(series, 0) > 0.6, rows
    before[series], last = at, at + pause
END
}

@test "an agent for a service watches no other" {
    run_lab OTEL_SERVICE_NAME=shop-eu
    run_lab OTEL_SERVICE_NAME=mail
    watching --all --name="$name" --service='shop-*' --store="$tmp/store.db" --interval=500ms
    says "shop-eu \(pid [0-9]+\): stored" 3
    ended 0
    [[ $(stored 'SELECT service FROM series') == shop-eu ]]
}

# run_busy NAME=VALUE...: one that works, and leaks, all the time; $started is its pid.
run_busy() {
    while echo 20; do sleep 0.2; done 2>/dev/null |
        env "$@" "$tmp/p/$name" list >/dev/null 2>&1 3>&- 6>&- &
    started=$!
    began+=("$started")
}

# sessions PID: how many connections its diagnostics socket has.
sessions() { awk -v at="dotnet-diagnostic-$1-" '$6 == "03" && index($NF, at)' /proc/net/unix | wc -l; }

# until_is VALUE COMMAND...: until it prints that.
until_is() {
    local value=$1 i
    shift
    for ((i = 0; i < 200; i++)); do
        [[ $("$@") != "$value" ]] || return 0
        sleep 0.05
    done
    echo "$*: $("$@") instead of $value"
    return 1
}

# state_of PID: R, S, ...; empty if it has ended, even if a parent must still wait for it.
state_of() { sed -n 's/.*) \([^ZX]\) .*/\1/p' "/proc/$1/stat" 2>/dev/null || true; }

# reported SERVICE: $out is the report of its runs in the store, as JSON.
reported() { works diff -q --store="$tmp/store.db" --service="$1" --format=json; }

@test "an agent follows the processes named by --sites: their allocating code and survivors are known, those of others are not" {
    local shop
    run_busy OTEL_SERVICE_NAME=shop
    shop=$started
    run_busy OTEL_SERVICE_NAME=mail
    watching --all --name="$name" --sites='sho?' --store="$tmp/store.db" --interval=3s
    says "shop \(pid $shop\): stored" 5
    says "mail \(pid $started\): stored" 4
    until_is 0 sessions "$started"
    ended 0
    says_not "not known|no snapshot"
    reported shop
    [[ $(json '.suspects[0].sites[0].at.method') == LeakLab.ListLeak.Iterate ]]
    [[ $(json .identity) == events ]]
    works diff -q --store="$tmp/store.db" --service=shop
    out_has "allocated "
    reported mail
    [[ $(json '.suspects | length') != 0 ]]
    [[ $(json '[.suspects[].sites[]?] | length') == 0 ]]
    [[ $(json .identity) != events ]]
}

@test "killing a process that follows objects costs at most one snapshot, and leaves no session" {
    local shop follower next
    run_busy OTEL_SERVICE_NAME=shop
    shop=$started
    watching --all --name="$name" --sites="$name" --store="$tmp/store.db" --interval=2s
    says "shop \(pid $shop\): stored" 2
    follower=$(pgrep -P "$job")
    [[ $follower =~ ^[0-9]+$ ]]
    until_is 1 sessions "$shop"
    kill -KILL "$follower"
    says "shop \(pid $shop\): stored" 5
    next=$(pgrep -P "$job")
    [[ $next =~ ^[0-9]+$ && $next != "$follower" ]]
    until_is 1 sessions "$shop"
    [[ $(grep -c "no snapshot" "$tmp/err") -le 1 ]] || { cat "$tmp/err"; false; }
    ended 0
    [[ ! -e /proc/$next ]]
    until_is 0 sessions "$shop"
    kill -0 "$shop"
    # The same where the agent is killed.
    watching --all --name="$name" --sites="$name" --store="$tmp/store.db" --interval=2s
    says "shop \(pid $shop\): stored"
    next=$(pgrep -P "$job")
    kill -KILL "$job"
    wait "$job" || true
    job=
    until_is "" state_of "$next"
    until_is 0 sessions "$shop"
    kill -0 "$shop"
}

@test "sixteen processes are followed at most, and the next one when there is room" {
    local i victim
    for ((i = 0; i < 17; i++)); do run_lab LEAKLAB_CATALOG=10; done
    watching --all --name="$name" --sites="$name" --store="$tmp/store.db" --interval=10s
    says "$name: 16 processes are followed already; LeakLab \(pid [0-9]+\) is not"
    says "LeakLab \(pid [0-9]+\): stored" 17
    until_is 16 pgrep -cP "$job"
    i=$(sed -n 's/.*followed already; LeakLab (pid \([0-9]*\)) is not.*/\1/p' "$tmp/err")
    for victim in "${began[@]}"; do [[ $victim == "$i" ]] || break; done
    end_lab "$victim"
    says "pid $victim\): has exited"
    until_is 15 pgrep -cP "$job"
    says "LeakLab \(pid $i\): stored" 2
    until_is 16 pgrep -cP "$job"
    ended 0
    [[ $(grep -c "followed already" "$tmp/err") == 1 ]]
    # It may end while its snapshot is taken.
    refute grep "no snapshot" <(grep -v "(pid $victim)" "$tmp/err")
}

@test "each of many processes with the same name has a series" {
    local i crowd=${AGENT_CROWD:-20}
    for ((i = 0; i < crowd; i++)); do run_lab DOTNET_TieredCompilation=1 LEAKLAB_CATALOG=10; done
    watching --all --name="$name" --store="$tmp/store.db" --interval=20s
    says "LeakLab \(pid [0-9]+\): stored" $((2 * crowd))
    ended 0
    [[ $(stored 'SELECT COUNT(*), COUNT(DISTINCT pid) FROM series') == "$crowd|$crowd" ]]
    # Waiting ones are first: none gets two ahead of another.
    [[ $(stored 'SELECT MAX(n) - MIN(n) <= 1 FROM (SELECT COUNT(*) AS n FROM snapshot GROUP BY series_id)') == 1 ]]
}

# rogue HABIT: a socket of a program with this name, which misbehaves.
rogue() {
    local interpreter
    interpreter=$(python -c 'import os, sys; print(os.path.realpath(sys.executable))')
    [[ -e $tmp/played.nettrace ]] ||
        zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    bash -c 'exec -a "$1" "$2" tests/cli/runtime.py "$3/dotnet-diagnostic-$$-1-socket" "$4" "$5"' \
        sh "$name-$1" "$interpreter" "$tmp/t" "$1" "$tmp/played.nettrace" 3>&- 6>&- &
    began+=("$!")
}

@test "silent, flooding or slow peers cost only their own snapshots, and are reported once" {
    # All belong to one user, who rests longer the more of them fail in a row.
    local habit patience=300
    run_lab
    for habit in mute stall flood drip; do rogue "$habit"; done
    watching --all --name="$name*" --store="$tmp/store.db" --interval=2s --timeout=2 --memory=500MiB
    for habit in mute stall flood drip; do
        says "warning: $name-$habit \(pid [0-9]+\): no snapshot: "
    done
    says "LeakLab \(pid $started\): stored" 4
    ended 0
    for habit in mute stall flood drip; do
        [[ $(grep -c "$name-$habit (pid [0-9]*): no snapshot: " "$tmp/err") == 1 ]] || { cat "$tmp/err"; false; }
    done
    grep -E "$name-drip .*(took too long|within 2 s)" "$tmp/err"
    # The one that can be watched waited once for each of them, 4 + 4 s, and no second time.
    [[ $(stored 'SELECT MAX(taken_at) - MIN(taken_at) < 40 FROM snapshot') == 1 ]]
}

@test "temporary shortages pass, and it continues" {
    local first files
    run_lab
    first=$started
    watching --all --name="$name" --store="$tmp/store.db" --interval=500ms
    says "pid $first\): stored" 2
    # No file can be opened: neither /proc, nor sockets, nor the store.
    files=$(prlimit --nofile --output=SOFT --noheadings --pid "$job" | tr -d ' ')
    prlimit --nofile=5: --pid "$job"
    sleep 3
    says_not "has exited"
    prlimit --nofile="$files": --pid "$job"
    says "pid $first\): stored" "$(($(grep -c "pid $first): stored" "$tmp/err") + 2))"
    # A store that disappears and returns.
    mv "$tmp/store.db" "$tmp/away.db"
    rm -f "$tmp"/store.db-*
    mkdir "$tmp/store.db"
    says "[2-9] snapshots are waiting, next attempt"
    rmdir "$tmp/store.db"
    mv "$tmp/away.db" "$tmp/store.db"
    says ", after waiting" 2
    kill -0 "$job"
    ended 0
}

@test "a server that is away at first, and again later, costs no snapshot" {
    local folder url status=0
    folder=$(tests/store/postgres.sh start 3>&-) || status=$?
    [[ $status != 77 ]] || skip "no PostgreSQL here"
    echo "$folder" >"$tmp/postgres"
    url=$(tests/store/postgres.sh url "$folder")
    tests/store/postgres.sh crash "$folder"
    run_lab OTEL_SERVICE_NAME=shop
    run_lab OTEL_SERVICE_NAME=mail
    watching --all --name="$name" --store="$url" --interval=1s
    says "[2-9] snapshots are waiting, next attempt"
    tests/store/postgres.sh resume "$folder" 3>&-
    says ", after waiting" 2
    tests/store/postgres.sh crash "$folder"
    says "[2-9] snapshots are waiting, next attempt" 2
    tests/store/postgres.sh resume "$folder" 3>&-
    ended 0
    # Each that was taken is there.
    [[ $(tests/store/postgres.sh sql "$folder" 'SELECT count(*) FROM snapshot') == "$(grep -c "objects, " "$tmp/err")" ]]
    [[ $(tests/store/postgres.sh sql "$folder" 'SELECT count(*) FROM series') == 2 ]]
    # A crash while a snapshot is committed loses nothing: it is sent again.
    says_not "(is|are) lost"
}

@test "one that hangs, one that is too large and one that lives for a moment" {
    local hangs
    run_lab LEAKLAB_CATALOG=200000
    run_lab OTEL_SERVICE_NAME=hangs
    hangs=$started
    sleep 3
    kill -STOP "$hangs"
    run_lab OTEL_SERVICE_NAME=small
    watching --all --name="$name" --store="$tmp/store.db" --interval=1s --timeout=1 --max-heap=150MiB
    says "hangs \(pid $hangs\): no snapshot: "
    says "LeakLab \(pid [0-9]+\): no snapshot: it uses [0-9]+ MiB, more than --max-heap \(150 MiB\)"
    for _ in {1..5}; do
        run_lab OTEL_SERVICE_NAME=brief
        sleep 0.3
        kill -KILL "$started"
        wait "$started" || true
    done
    says "small \(pid [0-9]+\): stored" 3
    ended 0
    [[ $(grep -c "hangs (pid $hangs): no snapshot" "$tmp/err") == 1 ]]
    [[ $(grep -c "more than --max-heap" "$tmp/err") == 1 ]]
    [[ $(stored 'SELECT COUNT(*) FROM series WHERE service IN ("small", "hangs")') == 1 ]]
}

@test "a pid that is used again is another process" {
    local script='
        watch() { exec "$HEAPDRIFT" watch "$@" --lock="$tmp/lock" --interval=500ms --no-progress; }
        await() { for _ in {1..600}; do [[ $(grep -c "$2" "$1") -lt $3 ]] || return 0; sleep 0.05; done; return 1; }
        OTEL_SERVICE_NAME=blue "$tmp/p/$name" list <&6 >/dev/null & first=$!
        watch --all --name="$name" --store="$tmp/store.db" 2>"$tmp/err" & agent=$!
        watch --name="$name" --store="$tmp/one.db" 2>"$tmp/err.one" & one=$!
        await "$tmp/err" "stored in" 2
        await "$tmp/err.one" "stored in" 2
        kill -KILL $first
        wait $first
        echo $((first - 1)) >/proc/sys/kernel/ns_last_pid
        OTEL_SERVICE_NAME=green "$tmp/p/$name" list <&6 >/dev/null & second=$!
        [[ $first == "$second" ]] || exit 77
        await "$tmp/err" "green (pid $first): stored in" 2
        sleep 1
        kill $agent $one
        wait $agent && wait $one'
    local status=0
    [[ $(id -u) == 0 ]] && unshare --pid --fork true 2>/dev/null || skip "only root can choose pids"
    export tmp name HEAPDRIFT
    unshare --pid --fork --mount-proc --kill-child bash -c "$script" sh 3>&- || status=$?
    [[ $status != 77 ]] || skip "pids cannot be chosen here"
    [[ $status == 0 ]] || { cat "$tmp/err"; return 1; }
    [[ $(stored 'SELECT service, COUNT(DISTINCT instance) FROM series GROUP BY service') == "blue|1"$'\n'"green|1" ]]
    [[ $(stored 'SELECT COUNT(DISTINCT pid) FROM series') == 1 ]]
    # A watch for the first service alone does not continue with the second.
    says_not "green \(pid [0-9]+\): stored" "$tmp/err.one"
}

@test "waiting costs next to nothing, for one process and for all" {
    local who before after
    run_lab
    sleep 2
    for who in "--name=$name" "--all --name=$name"; do
        # shellcheck disable=SC2086 # two words
        watching $who --store="$tmp/store.db" --interval=1h
        says "snapshot every 3600 s"
        before=$(awk '{ print $14 + $15 }' "/proc/$job/stat")
        sleep 8
        after=$(awk '{ print $14 + $15 }' "/proc/$job/stat")
        [[ $((after - before)) -lt 30 ]] || { echo "$((after - before)) hundredths of a second"; return 1; }
        ended 0
    done
}

@test "processes of other users are reported once, and ignored" {
    local socket
    [[ $(id -u) == 0 ]] || skip "only root can be somebody else"
    chmod 711 "$tmp" "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" 2>/dev/null || true
    chmod 1777 "$tmp/t"
    mkdir -m 777 "$tmp/own"
    install -m 755 "$HEAPDRIFT" "$tmp/own/heapdrift"
    run_lab OTEL_SERVICE_NAME=root
    setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp TMPDIR="$tmp/t" OTEL_SERVICE_NAME=own \
        "$tmp/p/$name" list <&6 >/dev/null 2>&1 3>&- &
    began+=("$!")
    setpriv --reuid=65534 --regid=65534 --clear-groups "$tmp/own/heapdrift" watch --all --name="$name" \
        --store="$tmp/own/store.db" --lock="$tmp/own/lock" --interval=500ms 2>"$tmp/err" 3>&- 6>&- &
    job=$!
    says "own \(pid [0-9]+\): stored" 3
    # Permissions that are lost, and restored.
    socket=$(ls "$tmp"/t/dotnet-diagnostic-"${began[1]}"-*-socket)
    chown root "$socket"
    says "own \(pid [0-9]+\): no snapshot: the diagnostics socket belongs to user root"
    chown 65534 "$socket"
    says "own \(pid [0-9]+\): stored" "$(($(grep -c "own (pid [0-9]*): stored" "$tmp/err") + 2))"
    ended 0
    [[ $(grep -c "$name (pid [0-9]*): no snapshot: the diagnostics socket belongs to user root" "$tmp/err") == 1 ]] || { cat "$tmp/err"; false; }
}

@test "an hour in three minutes: four services, two leak, replaced again and again" {
    tests/live/agent.py --minutes "${AGENT_MINUTES:-3}" --interval "${AGENT_INTERVAL:-5}" >"$tmp/told" ||
        { cat "$tmp/told"; return 1; }
}
