# The packages on Windows, here wine: programs without a test framework, of .NET for Windows, and the
# .NET tool. `make check-nuget` after `make windows`; skipped without wine, .NET, or packages.
# shellcheck disable=SC1003,SC2143,SC2190 # backslashes are meant; $tmp, $status, $out come from the helper and bats
load ../cli/helper
load packages
load ../windows/wine
wine_folder=build/nuget-tests/wine

version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

# publish NAME PROJECT OPTION...: for Windows, or why not in NAME.log.
publish() {
    local name=$1 project=$2
    shift 2
    dotnet publish "$project" -c Release -r win-x64 --self-contained -v quiet --disable-build-servers -nodeReuse:false \
        -o "$BATS_FILE_TMPDIR/$name" "$@" >"$BATS_FILE_TMPDIR/$name.log" 2>&1 || touch "$BATS_FILE_TMPDIR/$name.failed"
}

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    command -v dotnet >/dev/null && [[ -x /usr/lib/wine/wine64 ]] || return 0
    unzip -l "build/nuget/heapdrift.$version.nupkg" | grep -q win-x64 || return 0
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en
    rm -rf build/nuget-tests/{packages/heapdrift.testing,bin/Bare,obj/Bare}
    publish net10 tests/nuget/bare
    publish net9 tests/nuget/bare -p:Runtime=net9.0
    publish net8 tests/nuget/bare -p:Runtime=net8.0
    # The runtime around the launcher, and then all that is in the package.
    cp -r scripts/nuget "$BATS_FILE_TMPDIR/source"
    cp LICENSE "$BATS_FILE_TMPDIR/source/tool"
    sed -i 's/net8.0</net10.0</; s/<PackAsTool>true/<PackAsTool>false/; s/<UseAppHost>false/<UseAppHost>true/' \
        "$BATS_FILE_TMPDIR/source/tool/heapdrift.csproj"
    publish tool "$BATS_FILE_TMPDIR/source/tool" -p:Programs="$BATS_FILE_TMPDIR/none"
    (cd "$BATS_FILE_TMPDIR" && unzip -q "$OLDPWD/build/nuget/heapdrift.$version.nupkg" 'tools/*' &&
        cp -r tools/net8.0/any/{heapdrift-launcher.dll,win-x64} tool)
    # Killed programs have left files.
    rm -rf "$wine_folder"/drive_c/users/*/Temp/heapdrift-*
    wine_begins
}

# need NAME: skips if it could not be published for lack of packages.
need() {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    [[ -x /usr/lib/wine/wine64 ]] || skip "no wine here: scripts/install-deps.sh windows-test"
    unzip -l "build/nuget/heapdrift.$version.nupkg" | grep -q win-x64 || skip "no program for Windows: make windows nuget"
    [[ -e $BATS_FILE_TMPDIR/$1.failed ]] || return 0
    if no_packages "$BATS_FILE_TMPDIR/$1.log"; then skip "no packages here"; fi
    cat "$BATS_FILE_TMPDIR/$1.log"
    return 1
}

# run_windows PROGRAM WORD...: sets $out, $err and $status.
run_windows() {
    status=0 ran=$*
    (HEAPDRIFT_RESULTS="Z:${tmp//\//\\}\\results" wine "$@" >"$tmp/.out" 2>"$tmp/.err") || status=$?
    out=$(tr -d '\r' <"$tmp/.out")
    err=$(<"$tmp/.err")
}

bare() { run_windows "$BATS_FILE_TMPDIR/$1/Bare.exe" "${@:2}" && status_is 0; }

# The fields of chains are of memory, which is read on Linux only.
same_everywhere() {
    need "$1"
    bare "$1" version why-not frees leaks piles looks throws turns cancels hurries mistypes
    out_has "version: $2"
    out_has "why-not: possible"
    out_has "frees: gone"
    out_has "leaks: LeakException: 1 new Shop.Bare.Order object is left (0 before; 24 B, retains 148 B)."
    out_has "→ [static var System.Collections.Generic.List<System.Object>.kept]"
    out_has "piles: LeakException: FAIL  Shop.Bare.Order: 50 → 250 objects in 5 snapshots, exactly 1 per iteration"
    out_has "looks: 0, 7, 7 new, held by static kept"
    out_has "throws: TimeoutException: the bank does not answer"
    out_has "turns: 1 at a time"
    out_has "cancels: after 30"
    out_has "hurries: a snapshot took longer than 0.001 s (option Timeout); then 0"
    out_has "matches Shop.Bare.Ordre; did you mean Shop.Bare.Order?"
    [[ -s $tmp/results/GoneAsync.html && -s $tmp/results/GoneAsync.md && -s $tmp/results/GoneAsync/2.gcdump && -s $tmp/results/PilesAsync.html ]]
    local n
    for n in {1..30}; do
        [[ -n $(find "$wine_folder/drive_c/users" -name 'heapdrift-*' -type d) ]] || return 0
        sleep 0.1
    done
    complain "left: $(find "$wine_folder/drive_c/users" -name 'heapdrift-*')"
}

@test "a program on .NET 10" { same_everywhere net10 10; }

@test "a program on .NET 9" { same_everywhere net9 9; }

# wine 8 cannot unwind what .NET 8 throws for a leak.
@test "a program on .NET 8, without exceptions" {
    need net8
    bare net8 version why-not frees looks
    out_is $'version: 8\nwhy-not: possible\nfrees: gone\nlooks: 0, 7, 7 new, held by static kept'
}

@test "where nothing can be seen, it says why" {
    need net10
    DOTNET_EnableDiagnostics=0 bare net10 why-not
    out_has "why-not: diagnostics of this process are switched off (DOTNET_EnableDiagnostics=0)"
    HEAPDRIFT_PROGRAM='C:\nowhere.exe' bare net10 why-not
    out_has 'why-not: HEAPDRIFT_PROGRAM: C:\nowhere.exe is no program that this user may run'
    cp -r "$BATS_FILE_TMPDIR/net10" "$BATS_FILE_TMPDIR/without"
    rm "$BATS_FILE_TMPDIR/without/heapdrift.exe"
    bare without why-not leaks
    out_has "why-not: the heapdrift program of win-x64 is missing in "
    out_has "leaks: InvalidOperationException: inconclusive: the heapdrift program"
    HEAPDRIFT_PROGRAM="Z:${BATS_FILE_TMPDIR//\//\\}\\net10\\heapdrift.exe" bare without frees
    out_has "frees: gone"
}

# same ARG...: the tool does what the program in it does.
same() {
    run_windows "$BATS_FILE_TMPDIR/tool/win-x64/heapdrift.exe" "$@"
    local expected="$status|$out|$err"
    run_windows "$BATS_FILE_TMPDIR/tool/heapdrift-launcher.exe" "$@"
    [[ "$status|$out|$err" == "$expected" ]] || complain "the program itself: $expected"
}

@test "the .NET tool is the program: output, messages, status, words of all kinds" {
    need tool
    cmp build/windows/heapdrift.exe "$BATS_FILE_TMPDIR/tool/win-x64/heapdrift.exe"
    same --version
    out_is "heapdrift $version"
    same check fixtures/leaklab/cache
    status_is 1
    same info nowhere "" "a b" 'ä "x" \' 'C:\\' '*'
    status_is 2
    (wine "$BATS_FILE_TMPDIR/tool/heapdrift-launcher.exe" info - <"$before" >"$tmp/.out")
    grep -q heap-text "$tmp/.out"
    mv "$BATS_FILE_TMPDIR/tool/win-x64" "$BATS_FILE_TMPDIR/elsewhere"
    run_windows "$BATS_FILE_TMPDIR/tool/heapdrift-launcher.exe" --version
    mv "$BATS_FILE_TMPDIR/elsewhere" "$BATS_FILE_TMPDIR/tool/win-x64"
    status_is 2
    err_has 'heapdrift.exe is missing; reinstall: dotnet tool uninstall, then dotnet tool install'
}

@test "the .NET tool ends with the program, and the program with the tool" {
    need tool
    # It waits for the next Enter.
    mkfifo "$tmp/in"
    wine "$BATS_FILE_TMPDIR/net10/Bare.exe" waits >/dev/null 2>&1 &
    local waiting=$! tool pid="" n
    for n in {1..100}; do
        pid=$( (wine build/windows/heapdrift.exe ps --name=Bare --format=csv) | sed -n '2s/,.*//p')
        [[ -z $pid ]] || break
        sleep 0.2
    done
    wine "$BATS_FILE_TMPDIR/tool/heapdrift-launcher.exe" collect "$pid" --on-enter --no-keep <"$tmp/in" >"$tmp/.out" 2>&1 &
    tool=$!
    exec 7>"$tmp/in"
    echo >&7
    for n in {1..100}; do
        [[ ! -s $tmp/.out ]] || break
        sleep 0.2
    done
    [[ -n $(pgrep -f "heapdrift.exe collect $pid") ]]
    kill -9 "$tool"
    for n in {1..50}; do
        [[ -n $(pgrep -f "heapdrift.exe collect $pid") ]] || break
        sleep 0.1
    done
    kill -9 "$waiting"
    exec 7>&-
    [[ -z $(pgrep -f "heapdrift.exe collect $pid") ]]
}
