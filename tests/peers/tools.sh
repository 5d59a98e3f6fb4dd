#!/bin/bash
# Microsoft's tools of today in build/peers, from NuGet: dotnet-gcdump, dotnet-trace, dotnet-dump, and a program of
# tests/peers/traceevent that reads traces by their library.
#
#   tests/peers/tools.sh     install what is missing, print a line of versions
#
# Status 77: no SDK, or no registry. FRESH=1 installs the newest anew.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
to=build/peers
unavailable=77
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_UI_LANGUAGE=en

lacking() {
    echo "$1" >&2
    exit $unavailable
}

# What NuGet says where it is not reached: the sources are wrong, or no network.
is_offline() { grep -Eq 'NU1301|NU1801|Unable to load the service index|No such host' "$1"; }

install_tool() {
    [[ ! -x $to/tools/$1 ]] || return 0
    if ! dotnet tool install --tool-path "$to/tools" "$1" >"$to/$1.log" 2>&1; then
        if is_offline "$to/$1.log"; then lacking "$1 cannot be had: $(tail -n 1 "$to/$1.log")"; fi
        cat "$to/$1.log" >&2
        exit 1
    fi
}

build_reader() {
    local out=$to/traceevent
    [[ ! -e $out/TraceEvent.dll || -n $(find tests/peers/traceevent -newer "$out/TraceEvent.dll") ]] || return 0
    rm -rf "$out" "$out.source"
    cp -r tests/peers/traceevent "$out.source"
    if ! dotnet build -c Release -o "$out" "$out.source" >"$out.log" 2>&1; then
        if is_offline "$out.log"; then lacking "TraceEvent cannot be had: $(grep -m 1 'NU1' "$out.log")"; fi
        cat "$out.log" >&2
        exit 1
    fi
    touch "$out/TraceEvent.dll"
}

command -v dotnet >/dev/null || lacking "no dotnet here"
if [[ -n ${FRESH:-} ]]; then rm -rf "$to"; fi
mkdir -p "$to"
versions=
for tool in dotnet-gcdump dotnet-trace dotnet-dump; do
    install_tool $tool
    versions+="$tool $("$to/tools/$tool" --version | sed 's/[+-].*//'), "
done
build_reader
echo "${versions}TraceEvent $(sed -n 's|.*"Microsoft.Diagnostics.Tracing.TraceEvent/\([^"]*\)".*|\1|p' "$to/traceevent/TraceEvent.deps.json" | head -n 1)"
