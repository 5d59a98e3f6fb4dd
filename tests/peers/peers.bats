# Microsoft's tools of today open what heapdrift writes, with equal counts, and heapdrift reads what
# they write. `make check-peers`; skipped without an SDK or a registry (tests/peers/tools.sh).
load ../cli/helper
load ../live/lab

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    local result=0
    tests/peers/tools.sh >"$BATS_FILE_TMPDIR/versions" 2>"$BATS_FILE_TMPDIR/lacking" || result=$?
    if [[ $result != 0 && $result != 77 ]]; then
        cat "$BATS_FILE_TMPDIR/lacking"
        return 1
    fi
    sed 's/^/# /' "$BATS_FILE_TMPDIR/versions" >&3
}

setup() {
    begin
    [[ ! -s $BATS_FILE_TMPDIR/lacking ]] || skip "no tools: $(head -n 1 "$BATS_FILE_TMPDIR/lacking")"
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
    peers=build/peers/tools
}

teardown() { stop_lab; }

# theirs TOOL ARGUMENT…: sets $said to its output; it must succeed, and prints failures to any stream.
theirs() {
    "$peers/$1" "${@:2}" >"$tmp/said" 2>&1 || complain_theirs "$*"
    said=$(<"$tmp/said")
    if grep -Eq 'An error occured|Unhandled exception|^Error|^\[ERROR\]' "$tmp/said"; then complain_theirs "$*"; fi
}

complain_theirs() {
    echo "$1:"
    head -n 20 "$tmp/said"
    return 1
}

# counted FILE [WHAT]: "objects bytes" of it as heapdrift reads it.
counted() {
    works info --format=json "$1"
    json ".snapshots[0] | \"\(.${2:-objects}) \(.bytes)\""
}

# Their report of a gcdump, read by us, has its objects; its first line the bytes.
opens() {
    local ours bytes
    ours=$(counted "$1")
    theirs dotnet-gcdump report "$1"
    bytes=$(sed -n '1s/[^0-9]*GC Heap bytes.*//p' "$tmp/said" | tr -cd 0-9)
    works info --format=json "$tmp/said"
    [[ "$(json '.snapshots[0].objects') $bytes" == "$ours" ]] ||
        complain "$1: $ours here, $(json '.snapshots[0].objects') $bytes in dotnet-gcdump"
}

# opens_converted FILE [ARGUMENT…]: as a gcdump.
opens_converted() {
    works convert --to=gcdump -o "$tmp/converted.gcdump" "$@"
    opens "$tmp/converted.gcdump"
    rm "$tmp/converted.gcdump"
}

# near A B: within one percent.
near() { (($1 - $2 < $1 / 100 && $2 - $1 < $1 / 100)) || complain "$1 and $2 objects"; }

# variant NAME: $lab becomes a program of tests/live/corelab.
variant() {
    lab=$(tests/live/corelab.sh build "$1" 2>"$tmp/build.log") || {
        [[ $? == 77 ]] || complain "$(cat "$tmp/build.log")"
        skip "$1 cannot be had: $(tail -n 1 "$tmp/build.log")"
    }
}

# --- what they open ------------------------------------------------------------------------

@test "dotnet-gcdump opens converted traces" {
    local trace
    for trace in fixtures/leaklab/nettrace/*.nettrace.zst fixtures/leaklab/nettrace-official/*.nettrace.zst \
        fixtures/nettrace-real/*.nettrace*; do
        works info --format=json "$trace"
        [[ $(json '.snapshots[0].has_graph') == true ]] || continue
        opens_converted "$trace"
    done
}

@test "dotnet-gcdump opens converted cores, minidumps, and redacted ones" {
    local core
    for core in fixtures/core/*.core.xz fixtures/core/*.dmp.xz; do
        opens_converted "$core"
        [[ $core == *.core.xz ]] || continue
        works convert --to=core-dump --redact -o "$tmp/redacted.core" "$core"
        opens_converted "$tmp/redacted.core"
        rm "$tmp/redacted.core"
    done
}

@test "dotnet-gcdump opens converted heap text and gcdumps" {
    local file
    for file in fixtures/heap-text/{before,series-1,root-kinds}.txt fixtures/leaklab/cache/1.gcdump* \
        fixtures/followed/*.gcdump*; do
        opens_converted "$file"
    done
    # Names of several lines, and sums that both sides scale, by different rules.
    for file in fixtures/gcdump-made/{ms_full,ms_modsize32_full_def,ms_plain,sampled,tiny}.gcdump; do
        works convert --to=gcdump -o "$tmp/made.gcdump" "$file"
        theirs dotnet-gcdump report "$tmp/made.gcdump"
        [[ $said == *"GC Heap objects"* ]]
        rm "$tmp/made.gcdump"
    done
}

@test "dotnet-gcdump opens what collect and watch write: workstation GC" {
    need_dotnet
    start_lab cache
    iterate 20
    works collect -q -p "$pid" -o "$tmp/one.gcdump"
    opens "$tmp/one.gcdump"
    works collect -q -p "$pid" --count=3 --interval=1s -o "$tmp/series-%d.gcdump"
    works watch -p "$pid" --count=2 --interval=1s -o "$tmp/watched/"
    local file n=0
    for file in "$tmp"/series-*.gcdump "$tmp"/watched/*.gcdump; do
        opens "$file"
        n=$((n + 1))
    done
    [[ $n == 5 ]]
}

@test "dotnet-gcdump opens what collect writes: server GC" {
    need_dotnet
    start_lab cache DOTNET_gcServer=1 DOTNET_GCHeapCount=2
    iterate 20
    works collect -q -p "$pid" -o "$tmp/one.gcdump"
    opens "$tmp/one.gcdump"
}

@test "dotnet-gcdump opens what collect writes: single-file program" {
    variant single
    start_lab quiet
    works collect -q -p "$pid" -o "$tmp/one.gcdump"
    opens "$tmp/one.gcdump"
}

@test "dotnet-gcdump opens what collect writes: native AOT" {
    variant aot-events
    start_lab quiet
    works collect -q -p "$pid" -o "$tmp/one.gcdump"
    opens "$tmp/one.gcdump"
}

@test "TraceEvent and dotnet-gcdump read the traces that collect writes" {
    need_dotnet
    start_lab cache
    iterate 20
    works collect -q -p "$pid" -o "$tmp/one.nettrace"
    local ours theirs
    ours=$(counted "$tmp/one.nettrace")
    theirs=$(dotnet build/peers/traceevent/TraceEvent.dll "$tmp/one.nettrace")
    [[ "$ours" == "$(cut -d' ' -f1,2 <<<"$theirs")" && $theirs == *" 0" ]] ||
        complain "$ours here, $theirs in TraceEvent"
    theirs dotnet-gcdump convert "$tmp/one.nettrace" -o "$tmp/theirs.gcdump"
    [[ $(counted "$tmp/theirs.gcdump") == "$ours" ]]
    theirs dotnet-trace convert "$tmp/one.nettrace" --format Speedscope -o "$tmp/one"
    [[ -s $tmp/one.speedscope.json ]]
}

# dumped FILE: "objects bytes" of dotnet-dump, without Free, which its total includes.
dumped() {
    theirs dotnet-dump analyze "$1" -c "dumpheap -stat" -c exit
    awk '/ Free$/ { gsub(",", ""); n = $2; b = $3 }
         /^Total .* objects/ { gsub(",", ""); print $2 - n, $4 - b }' "$tmp/said"
}

@test "dotnet-dump opens the cores that collect writes" {
    need_dotnet
    start_lab cache
    iterate 20
    works collect -q -p "$pid" --core -o "$tmp/core.core"
    works collect -q -p "$pid" --direct -o "$tmp/direct.core"
    local file theirs
    for file in core direct; do
        theirs=$(dumped "$tmp/$file.core")
        # It rounds the size of the empty string up.
        read -r objects bytes <<<"$(counted "$tmp/$file.core")"
        [[ $theirs == "$objects $bytes" || $theirs == "$objects $((bytes + 2))" ]] ||
            complain "$file: $objects $bytes here, $theirs in dotnet-dump"
    done
}

# --- what they write -----------------------------------------------------------------------

@test "gcdumps, traces and reports of theirs are read, in any language" {
    need_dotnet
    start_lab cache
    iterate 20
    # The first session makes the runtime allocate what it keeps.
    works collect -q -p "$pid" -o "$tmp/ours.gcdump"
    theirs dotnet-gcdump collect -p "$pid" -o "$tmp/theirs.gcdump"
    opens "$tmp/theirs.gcdump"
    works collect -q -p "$pid" -o "$tmp/ours.gcdump"
    local ours
    ours=$(counted "$tmp/ours.gcdump" | cut -d' ' -f1)
    works info --format=json "$tmp/theirs.gcdump"
    # A session allocates a few objects.
    near "$ours" "$(json '.snapshots[0].objects')"
    local language
    for language in C de_DE.UTF-8 fr_FR.UTF-8 hi_IN.UTF-8; do
        LC_ALL=$language theirs dotnet-gcdump report "$tmp/theirs.gcdump"
        LC_ALL=C.UTF-8 works info --format=json "$tmp/said"
        [[ $(json '.snapshots[0].objects') == "$(counted "$tmp/theirs.gcdump" | cut -d' ' -f1)" ]]
    done
    theirs dotnet-trace collect -p "$pid" --providers Microsoft-Windows-DotNETRuntime:0x1980001:5 \
        --duration 00:00:00:05 -o "$tmp/theirs.nettrace"
    works info --format=json "$tmp/theirs.nettrace"
    [[ $(json '.snapshots[0].objects') -gt 1000 ]]
}

@test "dumps of theirs and their tables are read" {
    need_dotnet
    start_lab cache
    iterate 20
    local type theirs
    for type in Heap Full; do
        theirs dotnet-dump collect -p "$pid" --type $type -o "$tmp/$type.core"
        theirs=$(dumped "$tmp/$type.core")
        read -r objects bytes <<<"$(counted "$tmp/$type.core")"
        [[ $theirs == "$objects $bytes" || $theirs == "$objects $((bytes + 2))" ]] ||
            complain "$type: $objects $bytes here, $theirs in dotnet-dump"
        grep -A 100000 'MT .*Count' "$tmp/said" >"$tmp/stat.txt"
        works info --format=json "$tmp/stat.txt"
        [[ $(json '.snapshots[0].format') == dumpheap* ]]
    done
}
