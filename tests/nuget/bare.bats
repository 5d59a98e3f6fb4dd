# The library Heapdrift.Testing without a test framework, and with something missing: older runtimes, one
# file, trimmed, without the program, without space, diagnostics off. `make check-nuget`; skipped without
# .NET, or without packages.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper
load packages

# publish NAME OPTION...: the program bare, published like that, or why not in NAME.log.
publish() {
    local name=$1
    shift
    (cd "$BATS_TEST_DIRNAME/bare" && dotnet publish -r "linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')" "$@" \
        -o "$BATS_FILE_TMPDIR/$name" -v quiet --disable-build-servers -nodeReuse:false) >"$BATS_FILE_TMPDIR/$name.log" 2>&1 ||
        touch "$BATS_FILE_TMPDIR/$name.failed"
}

setup_file() {
    command -v dotnet >/dev/null || return 0
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
    # The package has the same version and times of files each time: no file of the last one may be
    # left.
    (cd "$BATS_TEST_DIRNAME/../../build" && rm -rf nuget-tests/{packages/heapdrift.testing,bin/Bare,obj/Bare})
    publish plain --no-self-contained
    publish file --no-self-contained -p:PublishSingleFile=true
    publish trimmed --self-contained -p:PublishSingleFile=true -p:PublishTrimmed=true
    publish net8 -p:Runtime=net8.0 --self-contained
    publish net9 -p:Runtime=net9.0 --self-contained
    publish net11 --self-contained -p:RuntimeFrameworkVersion=11.0.0
}

# need NAME: skips if it could not be published for lack of packages.
need() {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    [[ -e $BATS_FILE_TMPDIR/$1.failed ]] || return 0
    if no_packages "$BATS_FILE_TMPDIR/$1.log"; then skip "no packages here"; fi
    cat "$BATS_FILE_TMPDIR/$1.log"
    return 1
}

# bare NAME WORD...: its checks, in a temporary folder; $out is its output. Leaves no file.
bare() {
    local name=$1
    shift
    mkdir -p "$tmp/temporary"
    status=0 ran="bare $*"
    TMPDIR=${TMPDIR_OF_BARE:-$tmp/temporary} HEAPDRIFT_RESULTS="$tmp/results" "$BATS_FILE_TMPDIR/$name/Bare" "$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out")
    err=$(<"$tmp/.err")
    status_is 0
    local n
    for n in {1..30}; do
        [[ $(find "$tmp/temporary" -name 'heapdrift-*') ]] || return 0
        sleep 0.1
    done
    complain "left: $(ls "$tmp/temporary")"
}

need_root() {
    [[ $(id -u) == 0 ]] || skip "needs root"
    unshare --mount true 2>/dev/null || skip "no namespaces here"
}

same_everywhere() {
    need "$1"
    bare "$1" version why-not frees leaks piles looks throws
    out_has "version: $2"
    out_has "why-not: possible"
    out_has "frees: gone"
    out_has "leaks: LeakException: 1 new Shop.Bare.Order object is left (0 before; 24 B, retains 148 B)."
    out_matches "→ \[static var .*kept\]"
    out_has "piles: LeakException: FAIL  Shop.Bare.Order: 50 → 250 objects in 5 snapshots, exactly 1 per iteration"
    out_matches "looks: 0, 7, 7 new, held by static (Program.)?kept"
    out_has "throws: TimeoutException: the bank does not answer"
    [[ -s $tmp/results/GoneAsync.html && -s $tmp/results/GoneAsync.md && -s $tmp/results/GoneAsync/2.gcdump && -s $tmp/results/PilesAsync.html ]]
}

@test "a program on .NET 10" { same_everywhere plain 10; }

@test "a program on .NET 11" { same_everywhere net11 11; }

@test "a program on .NET 9" { same_everywhere net9 9; }

@test "a program on .NET 8" { same_everywhere net8 8; }

@test "a program in one file" { same_everywhere file 10; }

@test "a program in one file, trimmed, without a warning" {
    need trimmed
    [[ ! $(grep -E 'warning|IL[0-9]{4}' "$BATS_FILE_TMPDIR/trimmed.log") ]]
    same_everywhere trimmed 10
}

@test "with the collectors that servers have" {
    need plain
    DOTNET_gcServer=1 DOTNET_GCHeapCount=2 same_everywhere plain 10
    DOTNET_gcConcurrent=0 DOTNET_TieredPGO=0 same_everywhere plain 10
}

@test "types that do not exist, and the nearest name" {
    need plain
    bare plain mistypes
    out_has "matches Shop.Bare.Ordre; did you mean Shop.Bare.Order?"
    out_has "matches Shop.Baer.*; did you mean Shop.Bare.*?"
    [[ $out == *"matches Nowhere.At.All.*"* && $out != *"Nowhere.At.All.*; did"* ]]
    out_has "matches Shelf+Entry<*; did you mean Shop.Bare.Shelf+Entry?"
    out_has "an empty pattern matches no type"
}

@test "classes within generic ones" {
    need plain
    bare plain nests
    out_is "nests: 1 1 1 1 1 1 0 0 "
}

@test "what the first snapshot leaves does not count" {
    need plain
    # Growth between the first two snapshots of a process; the first collection alone leaves 230 KiB.
    bare plain first
    local bytes=${out#first: }
    ((${bytes% bytes} < 8192)) || complain "the second snapshot has ${bytes} more"
}

@test "checks take turns, end on request, and none breaks the next one" {
    need plain
    bare plain turns left-running cancels hurries frees
    out_has "turns: 1 at a time"
    out_has "left-running: waits for its turn"
    out_has "cancels: after 30"
    out_has "hurries: a snapshot took longer than 0.001 s (option Timeout); then 0"
    out_has "frees: gone"
}

@test "a snapshot of 100,000 objects" {
    need plain
    bare plain cost
    echo "# $out" >&3
    # Below 300 ms on an idle machine; not a limit to test on a busy one.
    local median=${out#*median }
    ((${median%% ms*} < 1500)) || complain "slow"
}

@test "where nothing can be seen, it says why" {
    need file
    DOTNET_EnableDiagnostics=0 bare file why-not frees
    out_has "why-not: diagnostics of this process are switched off (DOTNET_EnableDiagnostics=0)"
    out_has "frees: InvalidOperationException: inconclusive: diagnostics of this process are switched off"
    DOTNET_EnableDiagnostics_IPC=0 bare file why-not
    out_has "switched off (DOTNET_EnableDiagnostics_IPC=0)"
    TMPDIR_OF_BARE=/proc/self bare file why-not
    out_has "why-not: the runtime has no diagnostics socket in /proc/self"
}

@test "without the program, or with one that cannot be run" {
    need file
    cp -r "$BATS_FILE_TMPDIR/file" "$BATS_FILE_TMPDIR/without"
    rm "$BATS_FILE_TMPDIR/without/heapdrift"
    bare without why-not leaks
    out_matches "why-not: the heapdrift program of linux-(x64|arm64) is missing in .*/without/: publish with it"
    out_has "leaks: InvalidOperationException: inconclusive: the heapdrift program"
    HEAPDRIFT_PROGRAM=/nonexistent bare without why-not
    out_has "why-not: HEAPDRIFT_PROGRAM: /nonexistent is no program that this user may run"
    HEAPDRIFT_PROGRAM="$BATS_FILE_TMPDIR/file/heapdrift" bare without why-not frees
    out_has "frees: gone"
    HEAPDRIFT_PROGRAM=/bin/false bare without frees
    out_has "frees: HeapdriftException: no snapshot of this process: heapdrift has ended without a word"
    printf 'no program' >"$tmp/text"
    chmod 755 "$tmp/text"
    HEAPDRIFT_PROGRAM="$tmp/text" bare without frees
    out_matches "frees: HeapdriftException: $tmp/text cannot be run: .*Exec format error"
}

@test "a program without execute permission, for a user who may not set it" {
    need file
    need_root
    cp -r "$BATS_FILE_TMPDIR/file" "$BATS_FILE_TMPDIR/others"
    chmod 644 "$BATS_FILE_TMPDIR/others/heapdrift"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$tmp"
    mkdir "$tmp/temporary"
    chown 65534 "$tmp/temporary"
    TMPDIR="$tmp/temporary" HEAPDRIFT_RESULTS="$tmp/temporary/results" \
        setpriv --reuid=65534 --regid=65534 --clear-groups "$BATS_FILE_TMPDIR/others/Bare" frees leaks >"$tmp/.out"
    out=$(<"$tmp/.out")
    out_has "frees: gone"
    out_has "leaks: LeakException: 1 new Shop.Bare.Order"
    [[ $(stat -c %a "$BATS_FILE_TMPDIR/others/heapdrift") == 644 ]]
}

@test "the runtime that answers is another one than that of the test" {
    need file
    # The first listener in a process with two of them is asked; here it belongs to another process.
    cat >"$tmp/other" <<'SH'
#!/bin/bash
[[ $1 != collect ]] || set -- "$1" "$OTHER" "${@:3}"
exec "$REAL" "$@"
SH
    chmod 755 "$tmp/other"
    mkdir -p "$tmp/temporary"
    TMPDIR="$tmp/temporary" HEAPDRIFT_RESULTS="$tmp/elsewhere" "$BATS_FILE_TMPDIR/file/Bare" version waits >"$tmp/log" 3>&- &
    local other=$! n
    for n in {1..100}; do
        ! grep -q 'version: ' "$tmp/log" || break
        sleep 0.1
    done
    REAL="$BATS_FILE_TMPDIR/file/heapdrift" OTHER=$other HEAPDRIFT_PROGRAM="$tmp/other" bare file frees looks piles
    kill "$other"
    out_has "frees: HeapdriftException: the snapshot lacks objects of this process: two runtimes in it"
    out_has "looks: HeapdriftException: the snapshot lacks objects of this process"
    out_has "piles: HeapdriftException: the snapshot lacks objects of this process"
}

# small WORD...: with 64 KiB of room in $where.
small() {
    unshare --mount bash -c 'mount -t tmpfs -o size=64k tmpfs "$1" && TMPDIR=$2 HEAPDRIFT_RESULTS=$3 "${@:4}"; find "$1" -type f' \
        bash "$tmp/full" "$1" "$2" "$BATS_FILE_TMPDIR/file/Bare" "${@:3}" >"$tmp/.out"
    out=$(<"$tmp/.out")
}

@test "no room on disk" {
    need file
    need_root
    mkdir "$tmp/full" "$tmp/temporary"
    # Snapshots have no verdict.
    small "$tmp/full" "$tmp/results" frees leaks
    out_matches "frees: HeapdriftException: no snapshot of this process: .*: cannot write: No space left on device"
    out_matches "leaks: HeapdriftException: no snapshot of this process: .*: cannot write: No space left on device"
    # For what is kept of a failure there is the failure, and no part of a file.
    small "$tmp/temporary" "$tmp/full/results" leaks piles
    out_has "leaks: LeakException: 1 new Shop.Bare.Order"
    out_has "→ Shop.Bare.Order"
    out_has "piles: LeakException: FAIL  Shop.Bare.Order"
    out_has "not all files could be kept: No space left on device"
    [[ $out != *gcdump && $out != *next:* ]]
}
