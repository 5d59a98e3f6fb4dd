# Containers near their memory limit: a snapshot must not kill them. Needs root, for control groups with
# a limit (version 1 or 2); skipped otherwise. The cost of a snapshot for a process:
# tests/bench/buffers.sh.
load ../cli/helper
load lab

objects=4000000

setup() {
    begin
    group=
    started=
}

teardown() {
    end_program
    [[ -z $group ]] || rmdir "$group" || true
}

# The program of many objects, for the runtime of the SDK, and a group for it.
need_many() {
    need_group
    need_dotnet manylab
}

# Memory that is not reclaimed under pressure, in bytes.
used() {
    local stat=total_inactive_file usage=memory.usage_in_bytes
    if [[ $limit == memory.max ]]; then
        stat=inactive_file usage=memory.current
    fi
    echo $(($(<"$group/$usage") - $(awk -v s="$stat" '$1 == s { print $2 }' "$group/memory.stat")))
}

# start_program PERCENT: $pid is a program in the group, whose limit is then set so that it uses this
# share. Its runtime does not know the limit, and reserves no memory for it. Swap would hide the shortage
# of memory.
start_program() {
    mkfifo "$tmp/in" "$tmp/out"
    (
        echo "$BASHPID" >"$group/cgroup.procs"
        exec "$lab" "$objects"
    ) <"$tmp/in" >"$tmp/out" 2>"$tmp/lab.err" 3>&- &
    started=$!
    exec 7>"$tmp/in" 8<"$tmp/out"
    read -r -t 120 _ pid <&8
    [[ ! -e $group/memory.swap.max ]] || echo 0 >"$group/memory.swap.max"
    echo $(($(used) * 100 / $1)) >"$group/$limit"
}

end_program() {
    [[ -n $started ]] || return 0
    exec 7>&- 8<&-
    wait "$started" || true
    started=
    rm -f "$tmp/in" "$tmp/out"
    for file in memory.limit_in_bytes memory.max; do
        [[ ! -w $group/$file ]] || echo 1000000000000 >"$group/$file"
    done
}

is_running() { [[ $(awk '/^State:/ { print $2 }' "/proc/$pid/status") == [RSD] ]]; }

# has_all FILE: every object of the program, without losses.
has_all() {
    works info --strict --format=json "$1"
    [[ $(json '.snapshots[0].complete') == true ]]
    works top -n0 --format=json --type=ManyLab.Item "$1"
    [[ $(json '.types[0].count') == "$objects" ]] || complain "not $objects objects"
}

# once PERCENT: one container; adds to $taken or $refused.
once() {
    start_program "$1"
    hd collect -q --no-ages -p "$pid" -o "$tmp/app.nettrace"
    is_running || complain "killed at $1 % of its limit"
    if [[ $status == 0 ]]; then
        taken=$((taken + 1))
        has_all "$tmp/app.nettrace"
    else
        refused=$((refused + 1))
        status_is 2
        err_has "use --direct, which takes nothing, or --force"
        [[ ! -e $tmp/app.nettrace ]]
    fi
    # The way out.
    works collect -q --direct -p "$pid" -o "$tmp/direct.gcdump"
    is_running
    has_all "$tmp/direct.gcdump"
    rm -f "$tmp"/app.* "$tmp"/direct.*
    end_program
}

twelve_containers() {
    local percent taken=0 refused=0
    for percent in 50 54 58 62 66 70 74 78 82 86 90 95; do
        once "$percent"
    done
    echo "# $1: twelve containers: killed 0, taken $taken, refused with a way out $refused" >&3
    [[ $taken -ge $2 && $refused -ge $3 ]]
}

@test "twelve containers at 50 to 95 % of their limits: none is killed or loses an object" {
    need_many
    twelve_containers ".NET of the SDK" 0 1
}

@test "twelve containers of a runtime that waits for the reader" {
    need_group
    need_runtime 11.0.0 manylab
    twelve_containers ".NET 11" 6 1
}

@test "a container with room for part of the heap is read while it is walked, and a small one is not" {
    need_many
    start_program 40
    works collect -q -p "$pid" -o "$tmp/app.gcdump"
    has_all "$tmp/app.gcdump"
    is_running
    end_program
    start_program 90
    hd collect -q -p "$pid" -o "$tmp/b.gcdump"
    status_is 2
    err_has "it could be killed; use --direct, which takes nothing, or --force"
}

@test "watch --all and collect --all skip a process near its limit, and the metrics have the reason" {
    need_many
    start_program 92
    hd collect --all --name=ManyLab -o "$tmp/all"
    status_is 2
    err_has "ManyLab (pid $pid): a snapshot may take"
    "$HEAPDRIFT" watch --all --name=ManyLab --store="$tmp/store.db" --interval=1s --metrics="$tmp/metrics" \
        2>"$tmp/err" &
    local agent=$!
    says "no snapshot: a snapshot may take .* it could be killed"
    for _ in {1..200}; do
        ! grep -q 'reason="near-limit"} [1-9]' "$tmp/metrics" 2>/dev/null || break
        sleep 0.05
    done
    kill "$agent"
    wait "$agent" || true
    grep -q 'reason="near-limit"} [1-9]' "$tmp/metrics"
    is_running
}

@test "--force takes the snapshot anyway, and a resulting kill is reported" {
    need_many
    start_program 75
    hd collect -q --force -p "$pid" -o "$tmp/app.gcdump"
    fails_with "process $pid was killed for lack of memory during the snapshot"
    [[ -z $(ls "$tmp"/*.gcdump "$tmp"/.heapdrift-* 2>/dev/null) ]]
    end_program
    start_program 75
    hd collect -q --force --all --name=ManyLab -o "$tmp/all"
    status_is 2
    err_has "ManyLab (pid $pid): was killed for lack of memory during the snapshot"
}

@test "a limit that falls while the snapshot is taken" {
    need_many
    start_program 10
    "$HEAPDRIFT" collect -q -p "$pid" -o "$tmp/app.gcdump" 2>"$tmp/err" 3>&- &
    local collector=$! result=0
    sleep 0.1
    # The kernel may refuse that, or take it and kill.
    echo $(($(used) * 100 / 98)) >"$group/$limit" || true
    wait "$collector" || result=$?
    if [[ $result == 0 ]]; then
        has_all "$tmp/app.gcdump"
    else
        grep -Eq "process $pid was killed for lack of memory|memory limit" "$tmp/err"
        [[ ! -e $tmp/app.gcdump ]]
    fi
}
