# Facts of live processes in every format: gcdumps, traces, cores, stores.
# shellcheck disable=SC2154 # bats, helper.bash and lab.bash set status, out, err, tmp, group and limit

load ../cli/helper
load lab

setup() {
    begin
    need_dotnet
}

teardown() {
    stop_lab
    [[ -z ${group:-} ]] || rmdir "$group" || true
}

# facts FILE EXPRESSION...: evaluates each with the facts of FILE.
facts() {
    "$HEAPDRIFT" info --format=json "$1" 2>/dev/null | python3 -c '
import json, sys
f = json.load(sys.stdin)["snapshots"][0]["process_facts"]
free = f and sum(f["fragmented_" + g] or 0 for g in ("gen0", "gen1", "gen2", "loh", "poh"))
for e in sys.argv[1:]: print(eval(e))' "${@:2}"
}

# expect_facts FILE EXPRESSION...: all are true.
expect_facts() {
    out=$(facts "$@") err=
    [[ $out == "$(yes True | head -n $(($# - 1)))" ]] || complain "facts of $1 should be: ${*:2}"
}

all_known='None not in (f["resident"], f["of_gc"], f["of_files"], f["threads"], f["uptime_seconds"], f["open_files"])'
adds_up='sum(f["parts"].values()) == f["size"]'

@test "gcdumps, traces and cores that --direct writes have the facts of the process" {
    start_lab list
    iterate 5
    works collect -q "$pid" -o "$tmp/a.gcdump"
    works collect -q "$pid" -o "$tmp/a.nettrace"
    works collect -q "$pid" --direct -o "$tmp/a.core"
    works collect -q "$pid" --direct -o "$tmp/direct.gcdump"
    for file in a.gcdump a.nettrace a.core direct.gcdump; do
        expect_facts "$tmp/$file" "$all_known" "$adds_up" "f['threads_by_name']['.NET Finalizer'] == 1"
    done
    expect_facts "$tmp/a.core" "f['fragmented'] == free" "f['gc_committed'] is None"
}

@test "a core without values has figures, and no names of threads" {
    start_lab list
    works collect -q "$pid" --direct -o "$tmp/a.core"
    works convert -q --redact "$tmp/a.core" -o "$tmp/b.core"
    expect_facts "$tmp/b.core" "$all_known" "$adds_up" "f['threads_by_name'] == {}"
    refute grep -q "NET%20Finalizer" "$tmp/b.core"
}

@test "a core of createdump has threads and free space, but no sizes and parts" {
    start_lab list
    works collect -q "$pid" --core -o "$tmp/a.core"
    expect_facts "$tmp/a.core" "f['threads'] > 1" "f['fragmented'] == free" "f['resident'] is None" \
        "set(f['parts'].values()) == {None}"
    works collect -q "$pid" --core=full -o "$tmp/b.core"
    expect_facts "$tmp/b.core" "f['threads'] > 1" "f['size'] is None"
}

@test "gdb reads a core with our note" {
    command -v gdb >/dev/null || skip "no gdb here"
    start_lab list
    works collect -q "$pid" --direct -o "$tmp/a.core"
    out=$(gdb -batch -ex 'info threads' "$lab" "$tmp/a.core" 2>&1)
    out_has "LWP $pid"
    refute grep -qi "heapdrift\|unknown note\|malformed" <<<"$out"
}

@test "snapshots on request have facts" {
    start_lab list
    works collect -q -p "$pid" --on-enter -o "$tmp/on.gcdump" < <(printf '\n\n')
    for file in "$tmp"/on*.gcdump; do
        expect_facts "$file" "$all_known" "$adds_up"
    done
}

@test "a series knows how long collections stopped the program, and when the last one of gen2 was" {
    start_lab list
    for suffix in gcdump nettrace; do
        works collect -q "$pid" --on-enter --count=3 -o "$tmp/t.$suffix" < <(for _ in 1 2 3; do
            echo
            sleep 2
            iterate 200
        done)
        expect_facts "$tmp/t-1.$suffix" "f['gc_pause_ppm'] is None"
        for k in 2 3; do
            expect_facts "$tmp/t-$k.$suffix" "0 < f['gc_pause_ppm'] < 500000" "0 <= f['since_gen2_seconds'] < 60"
        done
    done
    works convert -q "$tmp/t-3.gcdump" -o "$tmp/t.digest"
    expect_facts "$tmp/t.digest" "0 < f['gc_pause_ppm'] < 500000"
}

@test "the limit of the control group is a fact of gcdumps, traces and cores; without one it is unknown" {
    start_lab list
    works collect -q "$pid" -o "$tmp/no.gcdump"
    stop_lab
    need_group
    echo $((512 << 20)) >"$group/$limit"
    within=$group/cgroup.procs start_lab list
    works collect -q "$pid" -o "$tmp/a.gcdump"
    works collect -q "$pid" -o "$tmp/a.nettrace"
    works collect -q "$pid" --direct -o "$tmp/a.core"
    for file in a.gcdump a.nettrace a.core; do
        expect_facts "$tmp/$file" "f['limit'] == 512 << 20" "0 < f['limit_used'] < f['limit']"
    done
    expect_facts "$tmp/no.gcdump" "f['limit'] is None or f['limit'] != 512 << 20"
}

@test "a fleet has no verdict on a run with growth outside of its heap, but its report names the part" {
    start_lab native
    iterate 3
    (for _ in {1..40}; do iterate 2; sleep 0.3; done) &
    working=$!
    works watch -q -p "$pid" --count=6 --interval=2s --store="$tmp/store.db"
    wait "$working"
    works fleet --store="$tmp/store.db" --min-span=1s
    out_has "no suspect, but memory outside the objects grew"
    works report --store="$tmp/store.db" --run=1 -o "$tmp/run.html"
    grep -q "<title>NOT MANAGED .*native memory" "$tmp/run.html"
}
