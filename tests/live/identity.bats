# Identity of objects in consecutive snapshots, for live .NET processes with numbered objects. `make
# check-live`; skipped without .NET.
load ../cli/helper

setup() {
    begin
    command -v dotnet >/dev/null || skip "no dotnet here"
    [[ -r /proc/$$/mem ]] || skip "no memory of others may be read here"
    lab=$(tests/live/build-idlab.sh) || return
}

# is_known HOW [NAME=VALUE...]: its objects are followed, with these settings of the collector.
is_known() {
    local how=$1
    shift
    mkdir "$tmp/series"
    env "$@" python3 tests/live/identity.py "$lab" "$tmp/series" "$how" >"$tmp/said" 2>&1 || {
        cat "$tmp/said"
        return 1
    }
}

@test "young collections" { is_known none DOTNET_GCgen0size=0x40000; }
@test "generation 1" { is_known gen1; }
@test "all generations, one at a time" { is_known forced DOTNET_gcConcurrent=0; }
@test "compacting, large objects too" { is_known compact; }
@test "conserving memory" { is_known forced DOTNET_GCConserveMemory=7; }
@test "in the background" { is_known background; }
@test "server" { is_known none DOTNET_gcServer=1; }
@test "server with four heaps, compacting" { is_known compact DOTNET_gcServer=1 DOTNET_GCHeapCount=4 DOTNET_GCNoAffinitize=1; }
@test "server with four heaps, in the background" { is_known background DOTNET_gcServer=1 DOTNET_GCHeapCount=4 DOTNET_GCNoAffinitize=1; }
@test "segments" { is_known background DOTNET_GCName=libclrgc.so; }
@test "cores alone" { is_known direct; }
@test "cores alone, young collections" { is_known direct DOTNET_GCgen0size=0x40000; }

# parameters FILE: how many of the objects that the runtime builds when its events are switched on.
parameters() { "$HEAPDRIFT" top --format=json --rows=0 "$1" | jq '[.types[] | select(.type == "System.Reflection.RuntimeParameterInfo") | .count] | add // 0'; }

# rests: $pid is the lab, now idle.
rests() {
    coproc LAB { exec "$lab" 2>/dev/null; }
    pid=$LAB_PID
    read -r -t 60 _ <&"${LAB[0]}"
    echo "800 forced" >&"${LAB[1]}"
    read -r -t 60 _ <&"${LAB[0]}"
}

@test "watch keeps what it learned, and measuring makes no heap grow" {
    rests
    works watch "$pid" --count=4 --interval=1s -o "$tmp/kept"
    err_lacks unknown-type
    err_lacks "which objects stayed"
    works info --format=json "$tmp"/kept/*.gcdump
    [[ $(jq -c '[.snapshots[].identity.source]' <<<"$out") == '[null,"events","events","events"]' ]]
    jq -e 'all(.snapshots[1:][].identity; .survivors > 0.9 * .of)' <<<"$out"
    # Everything exists from the first snapshot on.
    [[ $(parameters "$tmp/kept/1.gcdump") -gt 400 ]]
    [[ $(parameters "$tmp/kept/2.gcdump") -le $(parameters "$tmp/kept/1.gcdump") ]]
    # A copy keeps what there is.
    works convert "$tmp/kept/2.gcdump" -o "$tmp/copy.gcdump"
    works info --format=json "$tmp/copy.gcdump"
    [[ $(jq -r '.snapshots[0].identity.source' <<<"$out") == events ]]
    # So do digests, in files and in a store.
    works collect "$pid" --count=3 --interval=1s -o "$tmp/d.digest"
    err_lacks "which objects stayed"
    works info --format=json "$tmp"/d-*
    [[ $(jq -c '[.snapshots[].identity.source]' <<<"$out") == '[null,"events","events"]' ]]
    works diff -q --format=json "$tmp"/d-*
    [[ $(json .identity) == events ]]
    # And traces.
    works collect "$pid" --count=3 --interval=1s -o "$tmp/t.nettrace"
    err_lacks "which objects stayed"
    works info --format=json "$tmp"/t-*
    [[ $(jq -c '[.snapshots[].identity.source]' <<<"$out") == '[null,"events","events"]' ]]
    [[ $(json '.warnings | length') == 0 ]]
    works diff -q --format=json "$tmp"/t-*
    [[ $(json .identity) == events ]]
    works collect "$pid" --count=2 --interval=1s --no-ages -o "$tmp/none.nettrace"
    works info --format=json "$tmp/none-2.nettrace"
    [[ $(json '.snapshots[0].identity') == null ]]
    works watch "$pid" --store="$tmp/a.db" --service=lab --count=3 --interval=1s
    err_lacks "which objects stayed"
    works diff -q --format=json --store="$tmp/a.db" --service=lab
    [[ $(json .identity) == events ]]
    works collect "$pid" --count=2 --interval=1s --no-ages -o "$tmp/a.gcdump"
    works info --format=json "$tmp/a-2.gcdump"
    [[ $(jq -r '.snapshots[0].identity' <<<"$out") == null ]]
    kill "$pid"
}
