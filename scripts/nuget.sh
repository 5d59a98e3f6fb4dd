#!/bin/bash
# The .NET tool package, of the static programs that are there.
#
#   scripts/nuget.sh VERSION MOMENT FILE.nupkg STATIC-FOLDER
#
# MOMENT: seconds since 1970, which all files in the package get. Needs the .NET SDK, 8 or later;
# for the first time also a source of packages, of which it takes the reference assemblies of
# .NET 8. The same programs and the same SDK, 10 or later, give the same bytes.
set -euo pipefail

version=$1 moment=$2 file=$3 static=$4
source=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$source"/nuget/* "$source/../LICENSE" "$scratch"

# add PROCESSOR PLATFORM: NuGet has other words for processors.
add() {
    [[ -e $static/$1/heapdrift ]] || { echo "note: no program for $2 in $file"; return 0; }
    install -D "$static/$1/heapdrift" "$scratch/programs/$2/heapdrift"
    cp "$static/$1/THIRD-PARTY-NOTICES" "$scratch/programs/$2/"
}
add x86_64 linux-x64
add aarch64 linux-arm64

if ! (cd "$scratch" && dotnet pack -c Release -p:Version="$version" -p:Programs="$scratch/programs" \
    --disable-build-servers -nodeReuse:false >"$scratch/log" 2>&1); then
    cat "$scratch/log" >&2
    exit 1
fi
made=$scratch/out/heapdrift.$version.nupkg
strip-nondeterminism -t zip -T "$moment" "$made"
mkdir -p "$(dirname "$file")"
mv "$made" "$file"
