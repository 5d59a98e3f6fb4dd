#!/bin/bash
# The two NuGet packages: heapdrift, a .NET tool, and Heapdrift.Testing, a library for tests with
# its symbols. Both carry the static programs that are there.
#
#   scripts/nuget.sh VERSION MOMENT FOLDER STATIC-FOLDER
#
# MOMENT: seconds since 1970, which all files in the packages get. Needs the .NET SDK, 8 or later;
# for the first time also a source of packages, of which it takes the reference assemblies of
# .NET 8. The same programs and the same SDK, 10 or later, give the same bytes.
set -euo pipefail

version=$1 moment=$2 folder=$3 static=$4
source=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$source"/nuget/* "$scratch"

# add PROCESSOR PLATFORM: NuGet has other words for processors.
add() {
    [[ -e $static/$1/heapdrift ]] || { echo "note: no program for $2 in $folder"; return 0; }
    install -D "$static/$1/heapdrift" "$scratch/programs/$2/heapdrift"
    cp "$static/$1/THIRD-PARTY-NOTICES" "$scratch/programs/$2/"
}
add x86_64 linux-x64
add aarch64 linux-arm64

# pack PROJECT FILE...: of the folder, into those files.
pack() {
    local project=$1 file
    cp "$source/../LICENSE" "$scratch/$project"
    if ! (cd "$scratch/$project" && dotnet pack -c Release -p:Version="$version" -p:Programs="$scratch/programs" \
        --disable-build-servers -nodeReuse:false >"$scratch/log" 2>&1); then
        cat "$scratch/log" >&2
        exit 1
    fi
    for file in "${@:2}"; do
        strip-nondeterminism -t zip -T "$moment" "$scratch/$project/out/$file"
        mv "$scratch/$project/out/$file" "$folder/$file"
    done
}
mkdir -p "$folder"
pack tool "heapdrift.$version.nupkg"
pack testing "Heapdrift.Testing.$version.nupkg" "Heapdrift.Testing.$version.snupkg"
