# The .NET tool: installed as usual, from a folder instead of the internet. Compared with the program
# that it contains.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper

version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    command -v dotnet >/dev/null || return 0
    export HOME=$BATS_FILE_TMPDIR/home TOOLS=$BATS_FILE_TMPDIR/tools SOURCE=$BATS_FILE_TMPDIR/source
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_GENERATE_ASPNET_CERTIFICATE=0
    mkdir -p "$HOME" "$SOURCE"
    chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR"
    cp build/nuget/*.nupkg "$SOURCE"
    printf '%s\n' '<configuration><packageSources><clear/></packageSources></configuration>' >"$HOME/nuget.config"
    dotnet_tool install
}

# dotnet_tool VERB: without access to the internet.
dotnet_tool() {
    dotnet tool "$1" heapdrift --tool-path "$TOOLS" --configfile "$HOME/nuget.config" --add-source "$SOURCE" >&2
}

# The tests are about the command that the SDK has made; $native is the program in the package.
setup() {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    cd "$BATS_TEST_DIRNAME/../.." || return
    tmp=$BATS_TEST_TMPDIR
    export LC_ALL=C.UTF-8 TERM=xterm TMPDIR=$tmp/temporary
    unset NO_COLOR COLUMNS
    mkdir "$TMPDIR"
    tool=$TOOLS/heapdrift
    native=build/static/$(uname -m)/heapdrift
}

# same ARG...: tool and program do the same, to the byte, and the tool leaves no file.
same() {
    HEAPDRIFT=$native hd "$@"
    local expected="$status|$out|$err"
    HEAPDRIFT=$tool hd "$@"
    [[ "$status|$out|$err" == "$expected" ]] || complain "the program itself: $expected"
    [[ -z $(ls -A "$TMPDIR") ]] || complain "left behind: $(ls "$TMPDIR")"
}

@test "it is the program: output, messages, status, words of all kinds" {
    same --version
    out_is "heapdrift $version"
    same diff "${pair[@]}"
    same check fixtures/leaklab/cache
    status_is 1
    same info nowhere "" "a b" '$HOME' "ä"
    status_is 2
    same info $'\xff\xfe'
    same
    same --no-such-option
    status_is 2
}

@test "standard input and a terminal are passed through" {
    HEAPDRIFT=$tool works info - <"$before"
    out_has "heap-text"
    need_terminal
    HEAPDRIFT=$native on_terminal 90 top "$before"
    local expected=$out
    HEAPDRIFT=$tool on_terminal 90 top "$before"
    [[ $out == "$expected" && $out == *$'\x1b['* ]]
}

@test "a closed pipe ends it as it ends the program" {
    local ends
    (sleep 0.3 && exec "$tool" help check) 2>"$tmp/tool" | true
    ends=("${PIPESTATUS[@]}")
    (sleep 0.3 && exec "$native" help check) 2>"$tmp/native" | true
    [[ ${ends[0]} == "${PIPESTATUS[0]}" ]]
    cmp "$tmp/tool" "$tmp/native"
}

declare -gA ends

# stopped PROGRAM SIGNAL SECONDS: sends the signal after this time, and prints how it ends. Not in the
# background, where a shell ignores SIGINT.
stopped() {
    status=0
    timeout --preserve-status --foreground -s "$2" "$3" "$1" collect --diagnostic-port="$socket" \
        --timeout=120 -o "$tmp/x.gcdump" >"$tmp/said" 2>&1 || status=$?
    ends[$1]="$status $(<"$tmp/said")"
}

@test "Ctrl-C reaches the program, and no process is left" {
    play_runtime stall
    local signal seconds
    for signal in INT TERM; do
        stopped "$native" "$signal" 3
        # A busy machine may need that long to start a runtime, which then ends by the signal
        # and leaves its sockets.
        for seconds in 3 10 60; do
            rm -f "${TMPDIR:?}"/*
            stopped "$tool" "$signal" "$seconds"
            [[ ${ends[$native]} != "${ends[$tool]}" ]] || break
        done
        [[ ${ends[$native]} == "2 heapdrift: stopped; "* && ${ends[$native]} == "${ends[$tool]}" ]] || {
            kill "$runtime"
            printf '%s\n' "${ends[@]}"
            return 1
        }
    done
    kill "$runtime"
    [[ ! -e $tmp/x.gcdump && -z $(ls -A "$TMPDIR") ]]
}

@test "one process: nothing remains between the caller and the program" {
    play_runtime stall
    "$tool" collect --diagnostic-port="$socket" --timeout=60 -o "$tmp/x.gcdump" 2>/dev/null 3>&- &
    local pid=$! n
    for n in {1..600}; do
        [[ $(readlink "/proc/$pid/exe") != */linux-*/heapdrift ]] || break
        sleep 0.1
    done
    [[ $(readlink "/proc/$pid/exe") == */linux-*/heapdrift ]]
    kill "$pid" "$runtime"
}

@test "without execute permission for the unpacked program it still runs" {
    [[ $(id -u) == 0 ]] || skip "needs root to be somebody else"
    local program
    program=$(echo "$TOOLS"/.store/heapdrift/*/heapdrift/*/tools/net8.0/any/linux-x64/heapdrift)
    # As NuGet unpacks it, whatever its owner has run since: 0744, or 0644.
    chmod 644 "$program"
    out=$(cd / && HOME=/nonexistent TMPDIR=/tmp setpriv --reuid=65534 --regid=65534 --clear-groups "$tool" --version)
    out_is "heapdrift $version"
    [[ $(stat -c %a "$program") == 644 ]]
    # Its owner makes it right for all.
    "$tool" --version
    [[ $(stat -c %a "$program") == 755 ]]
}

@test "a package without the program is reported" {
    cp -a "$TOOLS" "$tmp/tools"
    rm "$tmp"/tools/.store/heapdrift/*/heapdrift/*/tools/net8.0/any/linux-*/heapdrift
    # The command has the place in it where it was installed.
    HEAPDRIFT=dotnet hd "$tmp"/tools/.store/heapdrift/*/heapdrift/*/tools/net8.0/any/heapdrift-launcher.dll --version
    fails_with "$(echo "$tmp"/tools/.store/heapdrift/*/heapdrift/*/tools/net8.0/any)/linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')/heapdrift is missing; reinstall: dotnet tool uninstall, then dotnet tool install"
}

@test "the package has its metadata, and the same programs make the same bytes" {
    unzip -p "$SOURCE/heapdrift.$version.nupkg" heapdrift.nuspec >"$tmp/nuspec"
    local word
    for word in "<id>heapdrift</id>" "<version>$version</version>" '<license type="expression">MIT</license>' \
        "<readme>README.md</readme>" '<packageType name="DotnetTool" />' "<description>"; do
        grep -qF -- "$word" "$tmp/nuspec" || complain "no $word"
    done
    unzip -l "$SOURCE/heapdrift.$version.nupkg" >"$tmp/list"
    local windows=
    [[ ! -e build/windows/packages.tsv ]] || windows=yes
    for word in " README.md" " LICENSE" "linux-x64/heapdrift" "linux-x64/THIRD-PARTY-NOTICES" \
        ${windows:+win-x64/heapdrift.exe win-x64/THIRD-PARTY-NOTICES}; do
        grep -qF -- "$word" "$tmp/list" || complain "no $word"
    done
    # The library has its documentation for editors. The bytes of its symbols must not reveal where
    # it was made.
    unzip -l "$SOURCE/Heapdrift.Testing.$version.nupkg" >"$tmp/list"
    for word in " README.md" " LICENSE" " lib/net8.0/Heapdrift.Testing.xml" "runtimes/linux-x64/native/heapdrift" "notices/linux-x64/THIRD-PARTY-NOTICES" \
        ${windows:+runtimes/win-x64/native/heapdrift.exe notices/win-x64/THIRD-PARTY-NOTICES}; do
        grep -qF -- "$word" "$tmp/list" || complain "no $word"
    done
    HOME=~root scripts/nuget.sh "$version" "$(unzip -Z -T "$SOURCE/heapdrift.$version.nupkg" LICENSE | awk '{print $7}' |
        sed 's/\(....\)\(..\)\(..\)\.\(..\)\(..\)\(..\)/\1-\2-\3 \4:\5:\6 UTC/' | date -f - +%s)" "$tmp/again" build
    for file in build/nuget/*."$version".*nupkg; do
        cmp "$file" "$tmp/again/${file##*/}"
    done
}

@test "update and uninstall" {
    # The same with a later version.
    mkdir "$tmp/later"
    (cd "$tmp/later" && unzip -q "$SOURCE/heapdrift.$version.nupkg" && sed -i "s|<version>$version<|<version>99.0.0<|" heapdrift.nuspec &&
        zip -qr "$SOURCE/heapdrift.99.0.0.nupkg" .)
    dotnet_tool update
    [[ -d $TOOLS/.store/heapdrift/99.0.0 && ! -d $TOOLS/.store/heapdrift/$version ]]
    HEAPDRIFT=$tool works --version
    dotnet tool uninstall heapdrift --tool-path "$TOOLS"
    [[ ! -e $tool && ! -e $TOOLS/.store/heapdrift ]]
}
