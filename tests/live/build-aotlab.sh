#!/bin/sh
# Publish the Native AOT program to build/live/aotlab, away from the source.
# Needs the .NET SDK, and the compiler from NuGet. Prints the path of the program; nothing to do when it is
# up to date.
set -eu
cd "$(dirname "$0")/../.."
out=build/live/aotlab
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
newer=$(find tests/live/aotlab -type f -newer $out/Aot-Lab 2>/dev/null || echo missing)
if [ ! -x $out/Aot-Lab ] || [ -n "$newer" ]; then
    rm -rf "$out" build/live/aotlab-src
    mkdir -p build/live
    cp -r tests/live/aotlab build/live/aotlab-src
    dotnet publish -c Release -r linux-x64 -o $out build/live/aotlab-src >build/live/aotlab.log 2>&1 || {
        cat build/live/aotlab.log >&2
        exit 1
    }
fi
echo "$PWD/$out/Aot-Lab"
