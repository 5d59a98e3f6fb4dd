#!/bin/bash
# A process with one of everything on its heap (tests/live/corelab), and dumps of it.
#
#   tests/live/corelab.sh build VARIANT                 print the path of its program, built if need be
#   tests/live/corelab.sh take VARIANT DIR [ARGUMENT…]  run it with the arguments, and take of it:
#                                                       DIR/VARIANT.gcdump and DIR/VARIANT.core
#
# Variants: workstation, server (two heaps), adaptive (server GC that adapts), segments and
# segments-server (the collector with segments), small-regions, contained (with its runtime),
# single (a single-file program), net11, net11-server, net11-single, net9, net9-server, net8,
# net8-server, net8-segments, net8-single, net8-first and net8-last (8.0.0 and the last one), patch
# (another patch of the runtime), aot (NativeAOT, without a gcdump), aot-events (with a
# diagnostics socket), musl and net11-musl (the runtime of Alpine, with Debian's musl and libstdc++,
# and tests/live/musl_shim.c between them), aarch64 and net11-aarch64 (under qemu, whose core is by
# tests/live/qemu_core.py). Those that need a package end with status 77 when it is not to be had.
#
# TYPE=full takes a full dump; single and aot do anyhow. TYPE=kernel of aarch64 is one without the
# pages of files, but with thread pointers. DIRECT=N takes DIR/VARIANT-direct-1.core …
# as well, and what `collect --direct` said of each in a .log. SERIES="N N N" takes DIR/VARIANT-K.core
# and .gcdump after N more leaked sessions each. AT=FOLDER runs the program there, in a folder
# that is removed at the end, so that dumps tell nothing of this machine and find no files on
# its disk. SECRET=TEXT is a variable of its environment. HEAPDRIFT is the program that takes gcdumps.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
heapdrift=${HEAPDRIFT:-$PWD/build/heapdrift}
unavailable=77

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# --- the programs --------------------------------------------------------------------

# One of them with another collector is the same program.
program_of() {
    local kind=${1%-server}
    echo "${kind%-segments}"
}

# What `dotnet publish` is told for a variant that brings its runtime; nothing for the others.
publish_options() {
    case $1 in
    single) echo "-p:PublishSingleFile=true" ;;
    contained) echo "-p:PublishSingleFile=false" ;;
    net11-single) echo "-p:RuntimeFrameworkVersion=11.0.0 -p:PublishSingleFile=true" ;;
    # An older SDK downloads the other frameworks in the same version too, needed or not.
    net11-musl | net11-aarch64) echo "-p:RuntimeFrameworkVersion=11.0.0 -p:DisableTransitiveFrameworkReferenceDownloads=true" ;;
    net11*) echo "-p:RuntimeFrameworkVersion=11.0.0" ;;
    net9*) echo "-p:CoreLabFramework=net9.0 -p:RuntimeFrameworkVersion=9.0.20" ;;
    net8 | net8-server | net8-segments) echo "-p:CoreLabFramework=net8.0 -p:RuntimeFrameworkVersion=8.0.31" ;;
    net8-single) echo "-p:CoreLabFramework=net8.0 -p:RuntimeFrameworkVersion=8.0.31 -p:PublishSingleFile=true" ;;
    net8-first) echo "-p:CoreLabFramework=net8.0 -p:CoreLabRuntime=8.0.0" ;;
    net8-last) echo "-p:CoreLabFramework=net8.0 -p:CoreLabRuntime=8.0.33" ;;
    patch) echo "-p:RuntimeFrameworkVersion=10.0.11" ;;
    aot) echo "-p:PublishAot=true" ;;
    aot-events) echo "-p:PublishAot=true -p:EventSourceSupport=true" ;;
    musl | aarch64) echo "-p:PublishSingleFile=false" ;;
    esac
}

environment() {
    case $1 in
    server | net11-server | net9-server | net8-server) echo "DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCDynamicAdaptationMode=0" ;;
    adaptive) echo "DOTNET_gcServer=1" ;;
    segments | net8-segments) echo "DOTNET_GCName=libclrgc.so" ;;
    segments-server) echo "DOTNET_GCName=libclrgc.so DOTNET_gcServer=1 DOTNET_GCHeapCount=2" ;;
    small-regions) echo "DOTNET_GCRegionSize=100000 DOTNET_GCgen0size=80000 DOTNET_gcConcurrent=0" ;;
    *musl) echo "LD_LIBRARY_PATH=$PWD/build/live/musl" ;;
    *aarch64 | workstation | contained | single | net11 | net11-single | net9 | net8 | net8-single | net8-first | net8-last | patch | aot | aot-events) ;;
    *) usage ;;
    esac
}

runtime_of() {
    case $1 in
    *musl) echo linux-musl-x64 ;;
    *aarch64) echo linux-arm64 ;;
    *) echo linux-x64 ;;
    esac
}

lacking() {
    echo "$1" >&2
    exit $unavailable
}

# What the runtime of another system needs besides itself.
libraries() {
    local to=build/live/${1#net11-}
    case $1 in
    *musl)
        command -v musl-gcc >/dev/null || lacking "no musl-gcc here: musl-tools"
        mkdir -p "$to"
        cp -Lu /usr/lib/x86_64-linux-gnu/lib{stdc++.so.6,gcc_s.so.1} "$to"
        musl-gcc -shared -fPIC -O2 -o "$to/ld-linux-x86-64.so.2" tests/live/musl_shim.c
        ;;
    *aarch64)
        command -v qemu-aarch64-static >/dev/null || lacking "no qemu-aarch64-static here: qemu-user-static"
        [[ -d $to ]] || scripts/sysroot.sh aarch64 "$to" libc6,libstdc++6,libgcc-s1 >&2 ||
            lacking "the libraries of Debian for arm64 cannot be had"
        ;;
    esac
}

build() {
    local options kind=shared out
    libraries "$1" >&2
    options=$(publish_options "$1")
    if [[ -n $options ]]; then kind=$(program_of "$1"); fi
    out=build/live/corelab-$kind
    if [[ ! -x $out/CoreLab || -n $(find tests/live/corelab -newer "$out/CoreLab") ]]; then
        export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
        rm -rf "$out" "$out.source"
        mkdir -p build/live
        cp -r tests/live/corelab "$out.source"
        local command=(dotnet build -c Release -o "$out" "$out.source")
        if [[ -n $options ]]; then
            read -ra options <<<"$options"
            command=(dotnet publish -c Release -r "$(runtime_of "$1")" --self-contained -o "$out" "${options[@]}" "$out.source")
        fi
        if ! "${command[@]}" >"$out.log" 2>&1; then
            cat "$out.log" >&2
            if grep -Eq 'error NU1|error NETSDK' "$out.log"; then lacking "packages cannot be had"; fi
            exit 1
        fi
    fi
    echo "$PWD/$out/CoreLab"
}

# --- a process -----------------------------------------------------------------------

process_id='' started='' moved_to='' pipes=''
stop() {
    if [[ -n $process_id ]]; then
        kill -KILL "$process_id" "${started:-$process_id}" 2>/dev/null || true
        wait "${started:-$process_id}" 2>/dev/null || true
        process_id='' started=''
    fi
    if [[ -n $pipes ]]; then
        rm -r "$pipes"
        pipes=
    fi
    if [[ -n $moved_to ]]; then
        rm -r "$moved_to"
        moved_to=
    fi
}
trap stop EXIT

# start VARIANT [ARGUMENT…]
start() {
    local program variables answer variant=$1 system=$PWD/build/live/aarch64
    program=$(build "$1")
    # What this environment holds is nobody's business: a core has it all.
    read -ra variables <<<"PATH=$PATH ${TMPDIR:+TMPDIR=$TMPDIR} ${DOTNET_ROOT:+DOTNET_ROOT=$DOTNET_ROOT} ${SECRET:+SHOP_SECRET=$SECRET} $(environment "$1")"
    shift
    if [[ -n ${AT:-} ]]; then
        mkdir "$AT"
        moved_to=$AT
        cp -r "$(dirname "$program")/." "$AT"
        program=$AT/CoreLab
        if [[ $variant == *aarch64 ]]; then cp -r "$system" "$AT/system"; system=$AT/system; fi
    fi
    if [[ $variant == *aarch64 ]]; then
        pipes=$(mktemp -d)
        mkfifo "$pipes/orders" "$pipes/answers"
        exec {orders}<>"$pipes/orders" {answers}<>"$pipes/answers"
        set -- "$program" "$@"
        coproc lab { exec env -i "${variables[@]}" python3 tests/live/qemu_core.py "$pipes/stub" \
            qemu-aarch64-static -L "$system" "$@" \
            2>/dev/null 3<"$pipes/orders" 4>"$pipes/answers"; }
    else
        coproc lab { exec env -i "${variables[@]}" "$program" "$@" 2>/dev/null; }
    fi
    started=$lab_PID process_id=$lab_PID
    read -r -t 300 -u "${lab[0]}" answer
    [[ $answer == READY* ]]
    process_id=${answer#READY }
}

# leak N: make N more sessions leak.
leak() {
    local answer
    echo "$1" >&"${lab[1]}"
    read -r -t 300 -u "${lab[0]}" answer
    [[ $answer == done* ]]
}

# The program that comes with a runtime; single-file programs and NativeAOT have none.
createdump() {
    local beside
    beside=build/live/corelab-$(program_of "$1")/createdump
    if [[ ! -x $beside ]]; then
        beside=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$/\2\/\1\/createdump/p' | tail -n 1)
    fi
    echo "$beside"
}

# take_core VARIANT TYPE FILE
take_core() {
    local variables
    if [[ $1 == *aarch64 ]]; then
        local answer
        echo "$3 $2" >&"$orders"
        read -r -t 60 -u "$answers" answer
        [[ $answer == "$3" ]]
        return
    fi
    read -ra variables <<<"$(environment "$1")"
    env "${variables[@]}" "$(createdump "$1")" "--$2" -f "$3" "$process_id"
}

# snapshot VARIANT STEM: first the gcdump, which forces a collection, then the core. Under qemu on a busy
# machine the runtime takes its time.
snapshot() {
    local variant=$1 type=${TYPE:-withheap}
    case $variant in single | net11-single | net8-single | aot) type=full ;; esac
    if [[ $variant != aot ]]; then
        "$heapdrift" collect -q --timeout=120 -p "$process_id" -o "$2.gcdump" >&2
    fi
    take_core "$variant" "$type" "$2.core" >"$2.log" 2>&1 || {
        cat "$2.log" >&2
        return 1
    }
    rm "$2.log"
    local k
    for ((k = 1; k <= ${DIRECT:-0}; k++)); do
        "$heapdrift" collect --direct -p "$process_id" -o "$2-direct-$k.core" 2>"$2-direct-$k.log" || {
            cat "$2-direct-$k.log" >&2
            return 1
        }
    done
}

take() {
    local variant=$1 folder=$2 n k=0 spare
    shift 2
    mkdir -p "$folder"
    start "$variant" "$@"
    # The first session makes the runtime allocate what it keeps.
    if [[ $variant != aot ]]; then
        spare=$(mktemp -d)
        "$heapdrift" collect -q --timeout=120 -p "$process_id" -o "$spare/first.gcdump" >&2
        rm -r "$spare"
    fi
    if [[ -z ${SERIES:-} ]]; then
        snapshot "$variant" "$folder/$variant"
        return
    fi
    for n in $SERIES; do
        k=$((k + 1))
        leak "$n"
        snapshot "$variant" "$folder/$variant-$k"
    done
}

if [[ ${1:-} == build && $# == 2 ]]; then
    environment "$2" >/dev/null
    build "$2"
elif [[ ${1:-} == take && $# -ge 3 ]]; then
    shift
    environment "$1" >/dev/null
    take "$@"
else
    usage
fi
