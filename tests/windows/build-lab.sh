#!/bin/sh
# Build the leaking program of tests/live for Windows, with its runtime, into build/windows/lab-FRAMEWORK.
# Needs the .NET SDK, and NuGet for the runtime. Prints the path of the program.
#
#   tests/windows/build-lab.sh net10.0
set -eu
cd "$(dirname "$0")/../.."
out=build/windows/lab-$1
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
newer=$(find tests/live/leaklab tests/windows/build-lab.sh -type f -newer "$out/LeakLab.exe" 2>/dev/null || echo missing)
if [ -n "$newer" ]; then
    rm -rf "$out" "$out.src"
    mkdir -p build/windows
    cp -r tests/live/leaklab "$out.src"
    sed -i "s/net10.0/$1/" "$out.src/LeakLab.csproj"
    dotnet publish -c Release -r win-x64 --self-contained -o "$out" "$out.src" >"$out.log" 2>&1 || {
        cat "$out.log" >&2
        exit 1
    }
    touch "$out/LeakLab.exe"
fi
echo "$PWD/$out/LeakLab.exe"
