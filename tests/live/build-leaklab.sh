#!/bin/sh
# Build the leaking program into build/live, away from the source. Needs the .NET SDK and
# no packages. Prints the path of the program; nothing to do when it is up to date.
set -eu
cd "$(dirname "$0")/../.."
out=build/live/out
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
newer=$(find tests/live/leaklab -type f -newer $out/LeakLab 2>/dev/null || echo missing)
if [ ! -x $out/LeakLab ] || [ -n "$newer" ]; then
    # The others' programs stay.
    rm -rf "$out" build/live/src
    mkdir -p build/live
    cp -r tests/live/leaklab build/live/src
    dotnet build -c Release -o $out build/live/src >build/live/log 2>&1 || {
        cat build/live/log >&2
        exit 1
    }
fi
echo "$PWD/$out/LeakLab"
