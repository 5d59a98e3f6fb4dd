# Facts of processes with unusual layouts, or of other users: known facts are consistent, and reading
# them changes nothing and is fast.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # bats and helper.bash set status, out, err and tmp; scripts for `host`

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    chmod 755 "$tmp"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/trace"
    cat >"$tmp/holds.py" <<'END'
"""holds.py KIND SCRIPT ARG...: allocates in that way, then runs a script of Python."""
import ctypes, mmap, os, runpy, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
READ, RW, PRIVATE, SHARED, HUGEPAGE, HUGETLB = 1, 3, 0x22, 1, 14, 0x40022
MIB, PAGE = 1 << 20, 4096
kept = []


def area(size, how=RW, flags=PRIVATE, fd=-1):
    at = libc.mmap(None, size, how, flags, fd, 0)
    if at == 2 ** 64 - 1:
        sys.exit("no memory")
    return at


def mappings(count):
    at = area(count * PAGE)
    for i in range(0, count, 2):
        libc.mprotect(at + i * PAGE, PAGE, READ)


def churn():
    while True:
        threads = [threading.Thread(target=time.sleep, args=(0.001,)) for _ in range(20)]
        for t in threads: t.start()
        for t in threads: t.join()


def begin(kind, n):
    if kind == "mappings":
        mappings(n)
    elif kind == "memfd":
        fd = os.memfd_create("cache")
        os.ftruncate(fd, n * MIB)
        libc.memset(area(n * MIB, RW, SHARED, fd), 1, n * MIB)
    elif kind == "huge":
        at = area(n * MIB)
        libc.madvise(at, n * MIB, HUGEPAGE)
        libc.memset(at, 1, n * MIB)
    elif kind == "hugetlb":
        libc.memset(area(n * MIB, RW, HUGETLB), 1, n * MIB)
    elif kind == "churn":
        threading.Thread(target=churn, daemon=True).start()
    elif kind == "named":
        libc.prctl(15, bytes.fromhex("30313233343536373839616263c3a9c3"), 0, 0, 0)


for word in sys.argv[1].split("+"):
    kind, _, n = word.partition("=")
    begin(kind, int(n or 0))
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
END
    cat >"$tmp/facts.py" <<'END'
"""facts.py EXPRESSION...: evaluates each with the facts of the first snapshot of what `info` says."""
import json, sys
f = json.load(sys.stdin)["snapshots"][0]["process_facts"]
of = f and sum(v for k, v in f.items() if k.startswith("of_") and v is not None)
parts = f and sum(v or 0 for v in f["parts"].values())
MIB = 1 << 20
for e in sys.argv[1:]:
    print(eval(e))
END
}

# Programs on a host: holder USER KIND... starts a process; facts EXPRESSION... collects from it and
# evaluates.
helpers='
holder() {
    local user=$1; shift
    "${@:2}" ${user:+$user} python3 "$tmp/holds.py" "$1" tests/neighbours/stranger.py play "$tmp/trace" >>"$tmp/said" 2>&1 &
    for ((i = 0; i < 400; i++)); do
        compgen -G "/tmp/dotnet-diagnostic-*-socket" >/dev/null && break; sleep 0.05
    done
    pid=$(find /tmp -maxdepth 1 -name "dotnet-diagnostic-*-socket" | sed "s/.*diagnostic-\([0-9]*\)-.*/\1/" | head -1)
    [[ -n $pid ]] || cat "$tmp/said" >&2
}
facts() {
    rm -f "$tmp/a.gcdump"
    heapdrift collect "$pid" -o "$tmp/a.gcdump" 2>"$tmp/collected" || { cat "$tmp/collected"; return 1; }
    heapdrift info --format=json "$tmp/a.gcdump" | python3 "$tmp/facts.py" "$@"
}
'

@test "facts of a process add up: the kinds of mappings to its size, and the parts as well" {
    host "$helpers"'holder "" none; facts "abs(of - f[\"size\"]) < 2 * MIB" "parts == f[\"size\"]" "0 <= f[\"uptime_seconds\"] < 60"'
    status_is 0
    out_is $'True\nTrue\nTrue'
}

@test "60000 mappings are read within seconds, and are counted" {
    host "$helpers"'holder "" mappings=60000; from=$SECONDS; facts "f[\"mappings\"] >= 60000" "parts == f[\"size\"]"; echo $(((SECONDS - from) / 15))'
    status_is 0
    out_is $'True\nTrue\n0'
}

@test "memory of more mappings than are read is unknown by kind, its size is known" {
    [[ $(</proc/sys/vm/max_map_count) -ge 110000 ]] || skip "takes vm.max_map_count of 110000"
    host "$helpers"'holder "" mappings=100000; facts "f[\"mappings\"]" "f[\"of_files\"]" "f[\"resident\"] > 0" "f[\"parts\"][\"stacks\"]"'
    status_is 0
    out_is $'None\nNone\nTrue\nNone'
}

@test "a file in memory is shared memory, and part of mapped files" {
    host "$helpers"'holder "" memfd=32; facts "f[\"of_shared\"] >= 32 * MIB" "f[\"parts\"][\"files\"] >= 32 * MIB" "parts == f[\"size\"]"'
    status_is 0
    out_is $'True\nTrue\nTrue'
}

@test "huge pages that the kernel makes are private memory, counted once" {
    host "$helpers"'holder "" huge=64; facts "64 * MIB <= f[\"of_large\"] < 96 * MIB" "parts == f[\"size\"]"'
    status_is 0
    out_is $'True\nTrue'
}

@test "reserved huge pages are not part of resident memory, or of its parts" {
    [[ $(awk '/HugePages_Free/ {print $2}' /proc/meminfo) -ge 8 ]] || skip "no huge pages are reserved here"
    host "$helpers"'holder "" hugetlb=16; facts "parts == f[\"size\"]" "of <= f[\"size\"] + 2 * MIB"'
    status_is 0
    out_is $'True\nTrue'
}

@test "threads that start and end while they are counted do no harm" {
    host "$helpers"'holder "" churn; for i in 1 2 3 4 5; do facts "f[\"threads\"] >= 1" "sum(f[\"threads_by_name\"].values()) >= 1"; done'
    status_is 0
    out_is "$(yes True | head -10)"
}

@test "a name of a thread that is cut within a character is valid JSON" {
    host "$helpers"'holder "" named; facts "[n for n in f[\"threads_by_name\"] if n.startswith(\"0123\")] == [\"0123456789abc\\u00e9\"]"'
    status_is 0
    out_is True
}

@test "root sees everything of another user's process, and that user everything of its own, even with hidepid" {
    host "$helpers"'holder mallory none
        facts "f[\"of_files\"] > 0" "f[\"open_files\"] is not None" "f[\"threads_by_name\"] != {}"
        mount -o remount,hidepid=2 /proc
        facts "f[\"of_files\"] > 0"
        heapdrift() { mallory "$HEAPDRIFT" "$@"; }
        chmod 777 "$tmp"; facts "f[\"of_files\"] > 0" "parts == f[\"size\"]"'
    status_is 0
    out_is "$(yes True | head -6)"
}

@test "facts of a process in its own pid namespace are those of that process" {
    host "$helpers"'holder "" memfd=32 unshare -pf --mount-proc
        pid=$(pgrep -n python3)
        facts "f[\"of_shared\"] >= 32 * MIB" "parts == f[\"size\"]" "f[\"threads\"] >= 1"'
    status_is 0
    out_is $'True\nTrue\nTrue'
}

@test "a process that is reached by its socket alone has no facts of the system" {
    host "$helpers"'holder "" none
        socket=$(find /tmp -name "dotnet-diagnostic-*-socket")
        unshare -pf --mount-proc "$HEAPDRIFT" collect --diagnostic-port="$socket" -o "$tmp/a.gcdump" 2>"$tmp/collected" || cat "$tmp/collected"
        heapdrift info --format=json "$tmp/a.gcdump" | python3 "$tmp/facts.py" "f[\"size\"]" "f[\"threads\"]" "set(f[\"parts\"].values())"'
    status_is 0
    out_is $'None\nNone\n{None}'
}
