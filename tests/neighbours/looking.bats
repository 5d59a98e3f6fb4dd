# Root's heapdrift reads the process of a hostile neighbor.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # bats and helper.bash set status, out, err and tmp; scripts for `host`

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    unshare -Urm true 2>/dev/null || skip "no user namespaces here"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/trace"
    chmod 755 "$tmp"
    export -f stranger neighbour runtime_there pid_of stops_within
}

# neighbour TRICK... HABIT FILE...: a process of mallory's that passes for a runtime; see stranger.py.
neighbour() { mallory env "${with[@]}" python3 tests/neighbours/stranger.py "$@" >>"$tmp/said" 2>&1 & }

# The same as root of a user and a mount namespace of hers.
stranger() { mallory env "${with[@]}" unshare -Urm python3 tests/neighbours/stranger.py "$@" >>"$tmp/said" 2>&1 & }

# runtime_there [FOLDER [COUNT]]: waits until sockets of runtimes are there.
runtime_there() {
    local i
    for ((i = 0; i < 200; i++)); do
        [[ $(find "${1:-/tmp}" -maxdepth 1 -name 'dotnet-diagnostic-*-socket' | wc -l) -lt ${2:-1} ]] || return 0
        sleep 0.05
    done
    echo "no runtime: $(cat "$tmp/said")"
    exit 98
}

# pid_of [FOLDER]: of the one that listens there.
pid_of() { find "${1:-/tmp}" -maxdepth 1 -name 'dotnet-diagnostic-*-socket' | sed 's/.*diagnostic-\([0-9]*\)-.*/\1/' | head -1; }

# stops_within SECONDS PID: "stopped", or "hangs" and its end.
stops_within() {
    local i
    for ((i = 0; i < $1 * 20; i++)); do
        kill -0 "$2" 2>/dev/null || { echo stopped; return; }
        sleep 0.05
    done
    echo hangs
    kill -KILL "$2"
}

# watched SCRIPT [OPTION...]: runs the agent with a service of root's and the processes of SCRIPT for
# eight seconds, and interrupts it. It has to stop, and to have taken snapshots of the service to the
# end.
watched() {
    local script=$1
    shift
    host 'python3 tests/neighbours/stranger.py play "$tmp/trace" >/dev/null 2>&1 &
        service=$!
        runtime_there
        with=()
        '"$script"'
        env --default-signal=INT "$HEAPDRIFT" watch --all --store="$tmp/s.db" --interval=2s --timeout=2s "$@" 2>"$tmp/watch" & agent=$!
        sleep 8
        kill -INT $agent
        stops_within 4 $agent
        echo "service $(grep -c "pid $service): .* objects" "$tmp/watch")"
        cat "$tmp/watch" "$tmp/said"' "$@"
    out_matches '^stopped
service [3-9]
'
}

# collects [OPTION...]: root collects from the neighbour of the script $before and is to end within ten seconds, or
# within one of an interrupt after five.
collects='pid=$(pid_of)
        for how in "" --direct; do
            setsid "$HEAPDRIFT" collect "$pid" $how -o "$tmp/x.$([[ $how ]] && echo core || echo gcdump)" --timeout=3s >"$tmp/c" 2>&1 & c=$!
            stops_within 10 $c
            cat "$tmp/c"
        done
        sleep 0.2
        cat "$tmp/said"'

# --- control groups -----------------------------------------------------------------------

@test "M: a FIFO in the place of a container's memory limit does not stop the agent" {
    watched 'stranger "hide=/sys/fs/cgroup/memory.max:fifo" play "$tmp/trace"
        runtime_there /tmp 2'
}

@test "M: nor does it with --at, nor a folder or a socket there" {
    watched 'for what in fifo folder socket; do
            stranger "hide=/sys/fs/cgroup/memory.max:$what" play "$tmp/trace"
        done
        runtime_there /tmp 4' --at=80%
}

@test "M: a file of the neighbor's is not used as a control group" {
    watched 'echo 1000000 >/tmp/limit
        stranger "hide=/sys/fs/cgroup/memory.max:/tmp/limit" play "$tmp/trace"
        runtime_there /tmp 2' --at=80%
    out_lacks "a snapshot for its memory"
}

# --- descriptors ---------------------------------------------------------------------------

@test "C: a FIFO that is named as the runtime's memory does not hold a collector" {
    host 'mkdir -m 777 /tmp/m
        with=()
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /tmp/m && mkfifo /tmp/m/memfd:doublemapper &&
            exec python3 tests/neighbours/stranger.py open=/tmp/m/memfd:doublemapper play \"$tmp/trace\"" >>"$tmp/said" 2>&1 &
        runtime_there
        '"$collects"
    out_lacks hangs
    out_matches '8526 objects'
}

@test "C2: an interrupt ends a collect within a second, whatever has that name" {
    host 'mkdir -m 777 /tmp/m
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /tmp/m && mkfifo /tmp/m/memfd:doublemapper &&
            exec python3 tests/neighbours/stranger.py open=/tmp/m/memfd:doublemapper play \"$tmp/trace\"" >>"$tmp/said" 2>&1 &
        runtime_there
        for how in "" --direct; do
            env --default-signal=INT "$HEAPDRIFT" collect "$(pid_of)" $how -o "$tmp/x.$([[ $how ]] && echo core || echo gcdump)" --timeout=20s >"$tmp/c" 2>&1 & c=$!
            sleep 2
            kill -INT $c 2>/dev/null
            stops_within 1 $c
        done'
    out_lacks hangs
}

# --- mapped files ---------------------------------------------------------------------------

@test "D: only a regular file is opened in place of a mapped file" {
    host 'mkdir -m 777 /tmp/m && cp -r fixtures/README.md /tmp/m/x.dll && mkdir -m 700 /tmp/mine && mkfifo /tmp/mine/device
        (: >/tmp/mine/device && echo opened >>"$tmp/said") &
        with=()
        stranger map=/tmp/m/x.dll hide=/tmp/m/x.dll:/tmp/mine/device play "$tmp/trace"
        runtime_there
        grep -c /tmp/m/x.dll "/proc/$(pid_of)/maps"
        '"$collects"
    out_matches '^1
'
    out_lacks hangs
    out_lacks opened
    out_matches '8526 objects'
}

@test "D: nor where a link and the file take turns" {
    host 'mkdir -m 777 /tmp/m && mkdir -m 700 /tmp/mine && mkfifo /tmp/mine/device
        (: >/tmp/mine/device && echo opened >>"$tmp/said") &
        mallory cp fixtures/README.md /tmp/m/x.dll
        with=()
        neighbour map=/tmp/m/x.dll turn=/tmp/m/x.dll:/tmp/mine/device play "$tmp/trace"
        runtime_there
        for i in $(seq 30); do
            timeout 10 "$HEAPDRIFT" collect "$(pid_of)" -o "$tmp/x$i.gcdump" --timeout=3s 2>&1
        done
        sleep 0.2
        cat "$tmp/said"'
    out_lacks opened
    out_matches '8526 objects'
}

@test "D2: the terminal of a neighbour does not become root's" {
    host 'mkdir -m 777 /tmp/m && cp fixtures/README.md /tmp/m/x.dll
        with=()
        stranger map=/tmp/m/x.dll terminal=/tmp/m/x.dll play "$tmp/trace"
        runtime_there
        '"$collects"
    out_lacks "has the terminal"
    out_matches '8526 objects'
}

@test "D2: nor with a link to it for a memory limit" {
    watched 'stranger terminal=/sys/fs/cgroup/memory.max play "$tmp/trace"
        runtime_there /tmp 2'
    out_lacks "has the terminal"
}

# --- dumps -----------------------------------------------------------------------------------

@test "P: a dump makes no file in a folder that only root may write to" {
    host 'printf "\177ELF core" >"$tmp/core" && mkdir -m 755 /tmp/etc
        for i in 1 2 3 4 5 6 7 8; do
            mallory mkdir -p "/tmp/m$i/t"
            with=(TMPDIR=/tmp/m$i/t)
            neighbour flip=/tmp/m$i/t:/tmp/etc dump "$tmp/core"
            runtime_there /tmp/m$i/t
            timeout 5 "$HEAPDRIFT" collect "$(pid_of /tmp/m$i/t)" --core -o "$tmp/x$i.core" --timeout=1s 2>&1
        done
        cat "$tmp/said"
        ls -A /tmp/etc'
    out_lacks "mine is"
    out_matches "cannot write to|no such process|$"
}

@test "P: a dump of a neighbor's process is made by her, and no file is left" {
    host 'printf "\177ELF core" >"$tmp/core"
        mallory mkdir -m 700 /tmp/m
        with=(TMPDIR=/tmp/m)
        neighbour dump "$tmp/core"
        runtime_there /tmp/m
        strace -f -e trace=fchown,chown,fchownat,setuid -o "$tmp/strace" "$HEAPDRIFT" collect "$(pid_of /tmp/m)" --core -o "$tmp/x.core" --timeout=5s 2>&1
        cmp "$tmp/core" "$tmp/x.core" && echo same
        grep -c chown "$tmp/strace"
        find /tmp/m -name "heapdrift*"'
    out_matches 'same
0$'
}

@test "P: a dump is made in the temporary folder of a container, as its user" {
    host 'printf "\177ELF core" >"$tmp/core" && mkdir -m 777 /tmp/m
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /tmp/m && mkdir -m 700 /tmp/m/t &&
            TMPDIR=/tmp/m/t exec python3 tests/neighbours/stranger.py dump \"$tmp/core\"" >>"$tmp/said" 2>&1 &
        for i in {1..100}; do [[ ! $("$HEAPDRIFT" ps --format=csv) == *python3* ]] || break; done
        pid=$("$HEAPDRIFT" ps --format=csv | awk -F, "NR == 2 { print \$1 }")
        "$HEAPDRIFT" collect "$pid" --core -o "$tmp/x.core" --timeout=5s 2>&1
        cmp "$tmp/core" "$tmp/x.core" && echo same
        ls -A "/proc/$pid/root/tmp/m/t"'
    out_matches 'same
dotnet-diagnostic-[0-9]+-[0-9]+-socket$'
}

@test "P: without the permission to become her that is reported" {
    host 'printf "\177ELF core" >"$tmp/core"
        with=()
        neighbour dump "$tmp/core"
        runtime_there
        setpriv --bounding-set=-setuid "$HEAPDRIFT" collect "$(pid_of)" --core -o "$tmp/x.core" 2>&1'
    status_is 2
    out_is "heapdrift: a dump of another user's process takes the right to become that user (CAP_SETUID, CAP_SETGID); use --direct, or run heapdrift as that user"
}

# --- who answers ------------------------------------------------------------------------------

@test "E: a socket of another user does not answer for a process that has its number again" {
    host 'mallory python3 tests/neighbours/reserve.py 20 >"$tmp/pids" 2>"$tmp/spoof" &
        while [[ ! -s $tmp/pids ]]; do sleep 0.1; done
        wanted=$(tail -1 "$tmp/pids")
        echo $((wanted - 1)) >/proc/sys/kernel/ns_last_pid
        python3 tests/neighbours/stranger.py play "$tmp/trace" >/dev/null 2>&1 &
        [[ $! == "$wanted" ]] || echo "not the number $wanted: $!"
        runtime_there /tmp 1
        while ! grep -q took "$tmp/spoof"; do sleep 0.1; done
        echo "ps $("$HEAPDRIFT" ps --format=csv | grep -c "^$wanted,")"
        "$HEAPDRIFT" collect "$wanted" -o "$tmp/x.gcdump" --timeout=3s 2>&1
        hers=$(echo "/tmp/dotnet-diagnostic-$wanted-"*-socket-)
        "$HEAPDRIFT" collect --diagnostic-port="$hers" -o "$tmp/y.gcdump" --timeout=3s 2>&1
        cat "$tmp/spoof"'
    out_lacks "not the number"
    out_lacks command
    out_matches 'ps 1
.*8526 objects'
    out_matches "user uid $mallory_id listens on"
}

# --- more of the kind ---------------------------------------------------------------------------

@test "a file system that never answers blocks neither the agent nor a collect" {
    watched 'mknod -m 666 /tmp/fuse c 10 229
        mkdir -m 777 /tmp/m
        with=(FUSE=/tmp/fuse TMPDIR=/tmp/m/t)
        for i in 1 2 3; do stranger fuse=/tmp/m listen=/tmp play "$tmp/trace"; done
        with=(FUSE=/tmp/fuse)
        stranger fuse=/sys/fs/cgroup play "$tmp/trace"
        runtime_there /tmp 5
        "$HEAPDRIFT" collect "$(pid_of)" -o "$tmp/x.gcdump" --timeout=3s 2>"$tmp/c" & c=$!
        [[ $(stops_within 10 $c) == stopped ]] || echo collect hangs' --at=80%
    out_lacks 'collect hangs'
}

@test "a container's link to a folder is resolved inside the container only" {
    host 'mkdir -m 755 /tmp/hers /tmp/hers/inside && python3 - <<P &
import socket, time
s = socket.socket(socket.AF_UNIX); s.bind("/tmp/hers/inside/dotnet-diagnostic-1-1-socket"); s.listen(9)
while True:
    s.accept(); print("connected on the host", flush=True)
P
        while [[ ! -S /tmp/hers/inside/dotnet-diagnostic-1-1-socket ]]; do sleep 0.05; done
        mkdir -m 777 /tmp/m
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /tmp/hers && mkdir /tmp/hers/inside && mount -t tmpfs tmpfs /tmp/m &&
            ln -s /tmp/hers/inside /tmp/m/t && TMPDIR=/tmp/m/t exec python3 tests/neighbours/stranger.py play \"$tmp/trace\"" >>"$tmp/said" 2>&1 &
        sleep 1.5
        "$HEAPDRIFT" ps --format=csv
        "$HEAPDRIFT" collect --name=python3 -o "$tmp/x.gcdump" 2>&1'
    out_lacks "connected on the host"
    out_matches '/root/tmp/m/t/dotnet-diagnostic-'
    out_matches '8526 objects'
}

@test "a neighbor's lock of a process does not delay its snapshot" {
    host 'python3 tests/neighbours/stranger.py play "$tmp/trace" >/dev/null 2>&1 &
        service=$!
        runtime_there
        with=()
        neighbour "lock=$service" mute
        runtime_there /tmp 2
        begin=$SECONDS
        "$HEAPDRIFT" collect $service -o "$tmp/x.gcdump" --timeout=20s 2>&1
        echo "took $((SECONDS - begin)) s"'
    out_matches '8526 objects.*
took [0-3] s'
}

@test "a lock of root's is waited for" {
    host 'python3 tests/neighbours/stranger.py play "$tmp/trace" >/dev/null 2>&1 &
        service=$!
        runtime_there
        flock "/proc/$service" sleep 3 &
        sleep 0.5
        begin=$SECONDS
        "$HEAPDRIFT" collect $service -o "$tmp/x.gcdump" --timeout=20s 2>&1
        echo "took $((SECONDS - begin)) s"'
    out_matches '8526 objects.*
took [2-5] s'
}

@test "processes that end while they are read are skipped, without further messages" {
    host 'printf "\177ELF core" >"$tmp/core"
        (for i in $(seq 60); do
            timeout -s KILL "0.$((i % 9 + 1))" python3 tests/neighbours/stranger.py play "$tmp/trace" >/dev/null 2>&1
        done) &
        for i in $(seq 20); do
            timeout 20 "$HEAPDRIFT" ps >/dev/null 2>>"$tmp/ps" || echo "status $?"
            "$HEAPDRIFT" collect --name=python3 --direct -o "$tmp/x$i.core" --timeout=2s 2>&1 | sed "s/[0-9][0-9]*/N/g"
        done | sort | uniq -c
        cat "$tmp/ps"'
    status_is 0
    out_lacks "status"
    out_lacks "Segmentation"
}

@test "its own pid namespace does not keep a neighbour's tricks from being seen through" {
    host 'mkdir -m 777 /tmp/m && cp fixtures/README.md /tmp/m/x.dll && mkdir -m 700 /tmp/mine && mkfifo /tmp/mine/device
        (: >/tmp/mine/device && echo opened >>"$tmp/said") &
        mallory unshare -Urmpf --mount-proc python3 tests/neighbours/stranger.py map=/tmp/m/x.dll hide=/tmp/m/x.dll:/tmp/mine/device \
            play "$tmp/trace" >>"$tmp/said" 2>&1 &
        runtime_there
        pid=$("$HEAPDRIFT" ps --format=csv | awk -F, "NR == 2 { print \$1 }")
        echo "inside $(pid_of), outside $pid"
        "$HEAPDRIFT" collect "$pid" -o "$tmp/x.gcdump" --timeout=3s 2>&1
        sleep 0.2
        cat "$tmp/said"'
    out_matches '^inside 1, outside [0-9]+
.*8526 objects'
    out_lacks opened
}

@test "where openat2 is refused links are not followed, and everything else works" {
    cat >"$tmp/refuse.py" <<'P'
import ctypes, os, struct, sys
# BPF: openat2 (437) is EPERM, all else is allowed; as old profiles of container engines have it.
code = struct.pack("<HBBIHBBIHBBIHBBI", 0x20, 0, 0, 0, 0x15, 0, 1, 437, 6, 0, 0, 0x50001, 6, 0, 0, 0x7FFF0000)
buffer = ctypes.create_string_buffer(code)
program = struct.pack("<H6xQ", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
P
    host 'mkdir -m 777 /tmp/m && mkdir /tmp/hers
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /tmp/m && TMPDIR=/tmp/m exec python3 tests/neighbours/stranger.py play \"$tmp/trace\"" >>"$tmp/said" 2>&1 &
        sleep 1.5
        python3 "$tmp/refuse.py" "$HEAPDRIFT" collect --name=python3 -o "$tmp/x.gcdump" 2>&1
        cat "$tmp/said"'
    out_matches '8526 objects'
}

@test "every open of a path of a neighbour's is free of effects" {
    command -v strace >/dev/null || skip "no strace here"
    host 'mkdir -m 777 /tmp/m && cp fixtures/README.md /tmp/m/x.dll
        with=(TMPDIR=/tmp/m/t)
        mallory mkdir -p /tmp/m/t
        printf "\177ELF core" >"$tmp/core"
        mallory unshare -Urm bash -c "mount -t tmpfs tmpfs /mnt && mkdir /mnt/t && TMPDIR=/mnt/t exec python3 tests/neighbours/stranger.py map=/tmp/m/x.dll \
            hide=/sys/fs/cgroup/memory.max:fifo play \"$tmp/trace\"" >>"$tmp/said" 2>&1 &
        neighbour map=/tmp/m/x.dll play "$tmp/trace"
        runtime_there /tmp/m/t
        sleep 1
        strace -f -e trace=open,openat,openat2,connect -o "$tmp/strace.watch" env --default-signal=INT "$HEAPDRIFT" watch --all --store="$tmp/s.db" \
            --interval=2s --at=80% 2>"$tmp/watch" & agent=$!
        sleep 7
        kill -INT "$(pgrep -P $agent)"
        stops_within 5 $agent
        strace -f -e trace=open,openat,openat2,connect -o "$tmp/strace.direct" "$HEAPDRIFT" collect "$(pid_of /tmp/m/t)" --direct -o "$tmp/x.core" 2>&1
        strace -f -e trace=open,openat,openat2,connect -o "$tmp/strace.core" "$HEAPDRIFT" collect "$(pid_of /tmp/m/t)" --core -o "$tmp/y.core" --timeout=2s 2>&1
        cat "$tmp/watch"'
    out_matches '8526 objects'
    out_lacks hangs
    python3 tests/neighbours/opens.py /tmp/m/ "$tmp"/strace.*
}
