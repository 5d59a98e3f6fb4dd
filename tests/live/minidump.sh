#!/bin/bash
# tests/live/corelab on Windows, that is under wine, and what is taken of it.
#
#   tests/live/minidump.sh build VARIANT                 print the folder of its program, built if need be
#   tests/live/minidump.sh take VARIANT DIR [ARGUMENT…]  run it with the arguments, and take of it
#                                                        DIR/VARIANT.nettrace (a heap walk) and DIR/VARIANT.dmp
#
# Variants: net11, net10, net9, net8, server and net11-server (two heaps), adaptive (server GC that adapts), segments
# (the collector with segments), single and net11-single (a single-file program). The program runs in C:\shop with an
# environment of its own, so a dump tells nothing of this machine. LIST=1 writes DIR/VARIANT-list.dmp, -heap.dmp and
# -mini.dmp as well (write_minidump.py), VALUES=1 DIR/VARIANT.told, the program's answer to "values". Status 77: wine or
# a package of the runtime is not to be had. The heap walk is asked for by tests/live/pipelab, through the pipe that the
# runtime has there.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
wine=/usr/lib/wine/wine64
unavailable=77

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

# --- the programs --------------------------------------------------------------------

# An older SDK downloads the other frameworks in the same version too, needed or not.
net11='-p:RuntimeFrameworkVersion=11.0.0 -p:DisableTransitiveFrameworkReferenceDownloads=true'
# wine cannot map assemblies out of the program: they are unpacked when it starts.
single='-p:PublishSingleFile=true -p:IncludeAllContentForSelfExtract=true'

publish_options() {
    case $1 in
    net10 | server | adaptive | segments | pipelab) ;;
    net11 | net11-server) echo "$net11" ;;
    net9) echo "-p:CoreLabFramework=net9.0" ;;
    net8) echo "-p:CoreLabFramework=net8.0" ;;
    single) echo "$single" ;;
    net11-single) echo "$net11 $single" ;;
    *) usage ;;
    esac
}

build() {
    local options source=corelab out=build/live/windows-$1
    case $1 in
    server | adaptive | segments) out=build/live/windows-net10 ;;
    net11-server) out=build/live/windows-net11 ;;
    esac
    read -ra options <<<"$(publish_options "$1")"
    if [[ $1 == pipelab ]]; then source=pipelab; fi
    if [[ ! -d $out || -n $(find "tests/live/$source" -newer "$out") ]]; then
        export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
        rm -rf "$out" "$out.source"
        mkdir -p build/live
        cp -r "tests/live/$source" "$out.source"
        if ! dotnet publish -c Release -r win-x64 --self-contained -p:InvariantGlobalization=true -o "$out" "${options[@]}" \
            "$out.source" >"$out.log" 2>&1; then
            cat "$out.log" >&2
            if grep -Eq 'error NU1|error NETSDK' "$out.log"; then exit $unavailable; fi
            exit 1
        fi
        touch "$out"
    fi
    echo "$PWD/$out"
}

# --- a process -----------------------------------------------------------------------

prefix='' process_id='' input='' output=''
stop() {
    if [[ -n $input ]]; then exec {input}>&- {output}<&-; fi
    if [[ -n $process_id ]]; then kill -KILL "$process_id" 2>/dev/null || true; fi
    if [[ -n $prefix ]]; then
        WINEPREFIX=$prefix WINEDEBUG=-all /usr/lib/wine/wineserver64 -k 2>/dev/null || true
        WINEPREFIX=$prefix WINEDEBUG=-all /usr/lib/wine/wineserver64 -w 2>/dev/null || true
        rm -rf "$prefix"
    fi
}
trap stop EXIT

# Sets in_wine to what runs a program there, with these variables.
use_wine() {
    in_wine=(env -i PATH=/usr/bin:/bin HOME="$prefix" WINEPREFIX="$prefix" WINEDEBUG=-all "$@" "$wine")
}

# start VARIANT [ARGUMENT…]: its id under wine is windows_id then, on Linux process_id.
start() {
    local program variables=() answer
    program=$(build "$1")
    case $1 in
    server | net11-server) variables=(DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCDynamicAdaptationMode=0) ;;
    adaptive) variables=(DOTNET_gcServer=1) ;;
    segments) variables=(DOTNET_GCName=clrgc.dll) ;;
    esac
    shift
    prefix=$(mktemp -d)
    use_wine "${variables[@]}"
    "${in_wine[@]}" wineboot -i >/dev/null 2>&1
    cp -r "$program" "$prefix/drive_c/shop"
    # Under wine .NET 10.0.12 and 11 do not survive the end of a method that reflection emitted.
    if [[ -n ${VALUES:-} ]]; then
        sed -i 's/"configProperties": {/& "Switch.System.Reflection.ForceInterpretedInvoke": true,/' \
            "$prefix/drive_c/shop/CoreLab.runtimeconfig.json"
    fi
    mkfifo "$prefix/in" "$prefix/out"
    "${in_wine[@]}" 'C:\shop\CoreLab.exe' "$@" <"$prefix/in" >"$prefix/out" 2>/dev/null 3>&- &
    process_id=$!
    exec {input}>"$prefix/in" {output}<"$prefix/out"
    read -r -t 120 -u "$output" answer
    [[ $answer == READY* ]]
    windows_id=${answer//[^0-9]/}
}

ask() {
    local program
    program=$(build pipelab)
    (cd "$program" && "${in_wine[@]}" PipeLab.exe "$windows_id" "Z:${1//\//\\}") >/dev/null
}

# values: what it prints of itself.
values() {
    local line
    echo values >&"$input"
    while read -r -t 60 -u "$output" line && [[ $line != done* ]]; do
        echo "${line%$'\r'}"
    done
}

take() {
    local variant=$1 folder kind
    mkdir -p "$2"
    folder=$(cd "$2" && pwd)
    shift 2
    build pipelab >/dev/null
    start "$variant" "$@"
    # The first session makes the runtime allocate what it keeps.
    ask "$folder/$variant.nettrace"
    if [[ -n ${VALUES:-} ]]; then values >"$folder/$variant.told"; fi
    ask "$folder/$variant.nettrace"
    python3 tests/live/write_minidump.py "$process_id" "$folder/$variant.dmp"
    for kind in ${LIST:+list heap mini}; do
        python3 tests/live/write_minidump.py "--$kind" "$process_id" "$folder/$variant-$kind.dmp"
    done
}

if [[ ! -x $wine ]] || ! command -v dotnet >/dev/null; then exit $unavailable; fi
if [[ ${1:-} == build && $# == 2 ]]; then
    build "$2"
elif [[ ${1:-} == take && $# -ge 3 ]]; then
    shift
    take "$@"
else
    usage
fi
