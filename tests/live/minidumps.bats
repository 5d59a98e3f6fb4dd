# Minidumps of real programs of Windows, which run under wine: a heap walk through the diagnostics
# pipe and the dump taken right after it have the same objects. Under 20 seconds each once built.
load ../cli/helper

# wanted VARIANT DIR [ARGUMENT…]: $tmp/VARIANT.nettrace and .dmp, and more by LIST.
wanted() {
    command -v dotnet >/dev/null || skip "no dotnet here"
    [[ -x /usr/lib/wine/wine64 ]] || skip "no wine here: scripts/install-deps.sh windows-test"
    TMPDIR=$tmp tests/live/minidump.sh take "$@" >"$tmp/taken" 2>&1 || {
        local code=$?
        if ((code == 77)); then skip "no package of the runtime for Windows here"; fi
        cat "$tmp/taken"
        return $code
    }
}

# passes_gate VARIANT RUNTIME: its dump, with this version of .NET.
passes_gate() {
    wanted "$1" "$tmp" quiet --size=200
    works convert -q "$tmp/$1.nettrace" -o "$tmp/$1.gcdump"
    python3 tests/live/core_gate.py "$tmp/$1.dmp" "$tmp/$1.gcdump" >"$tmp/gate" || {
        cat "$tmp/gate"
        return 1
    }
    works info --format=json --strict "$tmp/$1.dmp"
    [[ $(json '.snapshots[0] | "\(.format) \(.process) \(.complete) \(.runtime)"') == "minidump CoreLab true $2."* ]]
}

@test "the same heap as the heap walk: .NET 11" { passes_gate net11 11; }
@test "the same heap as the heap walk: .NET 11, server GC, two heaps" { passes_gate net11-server 11; }
@test "the same heap as the heap walk: .NET 11, single-file program" { passes_gate net11-single 11; }
@test "the same heap as the heap walk: .NET 10" { passes_gate net10 10; }
@test "the same heap as the heap walk: .NET 9" { passes_gate net9 9; }
@test "the same heap as the heap walk: .NET 8" { passes_gate net8 8; }
@test "the same heap as the heap walk: server GC, two heaps" { passes_gate server 10; }
@test "the same heap as the heap walk: server GC that adapts" { passes_gate adaptive 10; }
@test "the same heap as the heap walk: segments" { passes_gate segments 10; }
@test "the same heap as the heap walk: single-file program" { passes_gate single 10; }

# values_are_right VARIANT: what a dump shows is what the program printed of itself.
values_are_right() {
    VALUES=1 wanted "$1" "$tmp" quiet --size=20
    python3 tests/live/values.py --heapdrift="$HEAPDRIFT" "$tmp/$1.dmp" "$tmp/$1.told"
}

@test "values are those that the program prints: .NET 11" { values_are_right net11; }
@test "values are those that the program prints: .NET 10" { values_are_right net10; }

@test "either list of memory gives the same; without all memory a dump is refused" {
    LIST=1 wanted net10 "$tmp" quiet --size=20
    python3 tests/live/core_gate.py --same "$tmp/net10.dmp" "$tmp/net10-list.dmp"
    local kind
    for kind in heap mini; do
        hd top "$tmp/net10-$kind.dmp"
        status_is 2
        err_has "a minidump without all memory"
    done
}
