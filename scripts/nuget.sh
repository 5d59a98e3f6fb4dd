#!/bin/bash
# The two NuGet packages: heapdrift, a .NET tool, and Heapdrift.Testing, a library for tests with
# its symbols. Both carry the programs that are there: static/ARCH/heapdrift and
# windows/heapdrift.exe, with their THIRD-PARTY-NOTICES.
#
#   scripts/nuget.sh VERSION MOMENT FOLDER PROGRAMS-FOLDER
#
# MOMENT: seconds since 1970, which all files in the packages get. Needs the .NET SDK, 8 or later;
# for the first time also a source of packages, of which it takes the reference assemblies of
# .NET 8. The same programs and the same SDK, 10 or later, give the same bytes.
set -euo pipefail

version=$1 moment=$2 folder=$3 programs=$4
source=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp -r "$source"/nuget/* "$scratch"

# add PROGRAM PLATFORM: NuGet has other words for processors.
add() {
    [[ -e $programs/$1 ]] || { echo "note: no program for $2 in $folder"; return 0; }
    install -D -t "$scratch/programs/$2" "$programs/$1"
    cp "$programs/${1%/*}/THIRD-PARTY-NOTICES" "$scratch/programs/$2"
}
add static/x86_64/heapdrift linux-x64
add static/aarch64/heapdrift linux-arm64
add windows/heapdrift.exe win-x64

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
