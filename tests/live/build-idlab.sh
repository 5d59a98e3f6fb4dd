#!/bin/sh
# Build the program whose objects have numbers into build/live/idlab, away from the source.
# Needs the .NET SDK and no packages. Prints the path of the program; nothing to do when it is
# up to date.
set -eu
cd "$(dirname "$0")/../.."
out=build/live/idlab
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
newer=$(find tests/live/idlab -type f -newer $out/IdLab 2>/dev/null || echo missing)
if [ ! -x $out/IdLab ] || [ -n "$newer" ]; then
    rm -rf "$out" build/live/idlab-src
    mkdir -p build/live
    cp -r tests/live/idlab build/live/idlab-src
    dotnet build -c Release -o $out build/live/idlab-src >build/live/idlab.log 2>&1 || {
        cat build/live/idlab.log >&2
        exit 1
    }
fi
echo "$PWD/$out/IdLab"
