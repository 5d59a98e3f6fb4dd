#!/bin/bash
# What make release does around the targets that build.
#
#   scripts/release.sh check VERSION    whether this tree is that version, committed and told
#   scripts/release.sh pack  VERSION MOMENT [RELEASES]
#                                       put what was built together, with checksums; RELEASES is
#                                       where it will be: RELEASES/vVERSION/FILE
set -euo pipefail

cd "$(dirname "$0")/.."
step=$1 version=$2

refuse() {
    echo "no release: $1" >&2
    exit 1
}

check() {
    local header
    header=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)
    [[ $version == "$header" ]] || refuse "VERSION is $version, but include/heapdrift.h says $header"
    grep -q "^## $version (20[0-9-]*)$" CHANGELOG.md ||
        refuse "CHANGELOG.md has no '## $version (YEAR-MONTH-DAY)'"
    head -n 1 scripts/debian/changelog | grep -qF "heapdrift ($version-" ||
        refuse "scripts/debian/changelog does not begin with $version"
    [[ -e .git ]] || refuse "no repository here"
    [[ -z $(git status --porcelain) ]] || refuse "something is not committed: git status"
}

# program PROCESSOR: the static program with what belongs to it, as one archive.
program() {
    local name=heapdrift-$version-linux-$1 tree
    [[ -e build/static/$1/heapdrift ]] || refuse "no static program for $1"
    tree=$scratch/$name
    mkdir "$tree"
    cp "build/static/$1/heapdrift" "build/static/$1/THIRD-PARTY-NOTICES" LICENSE README.md CHANGELOG.md \
        build/heapdrift.1 "$tree"
    cp -r build/completion "$tree"
    scripts/same-tar.sh "$moment" "$tree" "$out/$name.tar.gz"
}

# The program for Windows, in the same way.
program_for_windows() {
    local name=heapdrift-$version-windows-x86_64 tree
    [[ -e build/windows/packages.tsv ]] || refuse "no program for Windows"
    tree=$scratch/$name
    mkdir "$tree"
    cp build/windows/heapdrift.exe build/windows/THIRD-PARTY-NOTICES LICENSE README.md CHANGELOG.md "$tree"
    scripts/same-zip.py "$moment" "$tree" "$out/$name.zip"
    cp "build/sbom/$name.spdx.json" "$out"
    if [[ -n $releases ]]; then
        scripts/winget.sh "$version" "$moment" "$releases/v$version" "$out/$name.zip" "$out"
    else
        echo "note: no manifest of winget, which has to know where the zip will be: RELEASES=https://..."
    fi
}

pack() {
    moment=$1 releases=${2:-}
    out=build/release/$version
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    rm -rf "$out"
    mkdir -p "$out"
    local processor
    for processor in x86_64 aarch64; do
        program $processor
        cp "build/sbom/heapdrift-$version-$processor.spdx.json" "$out"
    done
    program_for_windows
    cp "build/dist/heapdrift-$version.tar.gz" build/nuget/*."$version".*nupkg "$out"
    cp build/deb/heapdrift_*.deb build/deb/libheapdrift*.deb "$out"
    rm -f "$out"/*-dbgsym_*
    (cd "$out" && LC_ALL=C sha256sum -- * >"$scratch/SHA256SUMS" && mv "$scratch/SHA256SUMS" .)
    cat <<TEXT
$out:
$(cd "$out" && ls -1)

next, docs/releasing.md tells more:
  git tag -s v$version && git push origin v$version
  upload all of $out to the release v$version
  winget: offer heapdrift.heapdrift*.yaml as manifests/h/heapdrift/heapdrift/$version
  dotnet nuget push $out/*.nupkg
  build the image in build/container, and push it as heapdrift:$version
TEXT
}

case $step in
check) check ;;
pack) pack "$3" "${4:-}" ;;
*) refuse "scripts/release.sh check or pack, not $step" ;;
esac
