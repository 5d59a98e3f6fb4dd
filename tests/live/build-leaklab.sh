#!/bin/sh
# Build a program into build/live, away from its source, and print its path; nothing to do when it
# is up to date. Needs the .NET SDK.
#
#   tests/live/build-leaklab.sh [leaklab|manylab]              for the runtime of the SDK, without packages
#   RUNTIME=11.0.0 tests/live/build-leaklab.sh [leaklab|asynclab|manylab]
#                                  with that runtime, which is a package; status 77 when it is not to be had
set -eu
cd "$(dirname "$0")/../.."
lab=${1:-leaklab}
runtime=${RUNTIME:-}
unavailable=77
case $lab in
leaklab) name=LeakLab ;;
asynclab) name=AsyncLab ;;
manylab) name=ManyLab ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
esac
export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
if [ "$lab$runtime" = leaklab ]; then
    out=build/live/out source=build/live/src
    set -- build -c Release
elif [ "$lab$runtime" = manylab ]; then
    out=build/live/$lab source=build/live/$lab.source
    set -- build -c Release
else
    out=build/live/$lab-${runtime:-own} source=build/live/$lab-${runtime:-own}.source
    set -- publish -c Release -r linux-x64 --self-contained ${runtime:+-p:RuntimeFrameworkVersion=$runtime}
fi
newer=$(find "tests/live/$lab" -type f -newer "$out/$name" 2>/dev/null || echo missing)
if [ ! -x "$out/$name" ] || [ -n "$newer" ]; then
    # The others' programs stay.
    rm -rf "$out" "$source"
    mkdir -p build/live
    cp -r "tests/live/$lab" "$source"
    dotnet "$@" -o "$out" "$source" >"$out.log" 2>&1 || {
        cat "$out.log" >&2
        if grep -Eq 'error NU1|error NETSDK' "$out.log"; then exit $unavailable; fi
        exit 1
    }
fi
echo "$PWD/$out/$name"
