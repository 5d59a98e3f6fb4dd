# Requirements of a release for the tree, and its parts.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $output come from the helper and bats
load ../cli/helper

version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

# A clone in which everything is as it has to be.
ready() {
    [[ -e .git ]] || skip "no repository here"
    git clone -q . "$tmp/tree"
    cd "$tmp/tree" || return
    git config user.email nobody@example.org
    git config user.name Nobody
    sed -i "s/^## $version .*/## $version (2026-12-01)/" CHANGELOG.md
    git commit -qam "Release $version" || true
}

# refused WHY [VERSION]
refused() {
    run scripts/release.sh check "${2:-$version}"
    [[ $status == 1 && $output == "no release: $1"* ]] || {
        echo "$output"
        return 1
    }
}

@test "a tree that is not ready is refused, with the reason" {
    ready
    scripts/release.sh check "$version"
    refused "VERSION is 9.9.9, but include/heapdrift.h says $version" 9.9.9
    echo more >>README.md
    refused "something is not committed"
    git checkout -q README.md
    touch new
    refused "something is not committed"
    rm new
    sed -i "s/^## $version .*/## $version (unreleased)/" CHANGELOG.md
    refused "CHANGELOG.md has no '## $version "
    git checkout -q CHANGELOG.md
    sed -i "1s/$version/9.9.9/" scripts/debian/changelog
    refused "scripts/debian/changelog does not begin with $version"
    git checkout -q scripts
    rm -rf .git
    refused "no repository here"
}

@test "make release asks first" {
    ready
    run make -s release VERSION=9.9.9
    [[ $status != 0 && $output == *"no release: VERSION is 9.9.9"* && ! -e build/static ]]
}

# A tree with build outputs.
built() {
    [[ -e build/static/aarch64/heapdrift && -e build/sbom/heapdrift-$version-aarch64.spdx.json ]] ||
        skip "no program for aarch64: make static ARCH=aarch64 sbom"
    [[ -e build/sbom/heapdrift-$version-windows-x86_64.spdx.json ]] || skip "no program for Windows: make windows sbom"
    mkdir -p "$tmp/tree/build/windows"
    cp -r scripts LICENSE README.md CHANGELOG.md include "$tmp/tree"
    cp -r build/{static,sbom,dist,nuget,deb,completion,heapdrift.1} "$tmp/tree/build"
    cp build/windows/{heapdrift.exe,packages.tsv,THIRD-PARTY-NOTICES} "$tmp/tree/build/windows"
    root=$PWD
    cd "$tmp/tree" || return
}

@test "what was built is put together, with checksums, the same bytes twice" {
    built
    scripts/release.sh pack "$version" 1790000000 https://example.org/releases >"$tmp/said"
    cp -r "build/release/$version" "$tmp/one"
    # Another time, another umask, another place on earth.
    find . -type f -exec touch -d '2001-01-01' {} +
    (umask 077 && TZ=Asia/Tokyo scripts/release.sh pack "$version" 1790000000 https://example.org/releases >/dev/null)
    diff -r "$tmp/one" "build/release/$version"
    cd "build/release/$version" || return
    sha256sum --quiet -c SHA256SUMS
    [[ $(wc -l <SHA256SUMS) == "$(find . -type f ! -name SHA256SUMS | wc -l)" ]]
    local name=heapdrift-$version-linux-x86_64
    tar -xf "$name.tar.gz"
    [[ $("$name/heapdrift" --version) == "heapdrift $version" ]]
    [[ -s $name/LICENSE && -s $name/THIRD-PARTY-NOTICES && -s $name/heapdrift.1 && -s $name/completion/_heapdrift ]]
}

@test "the program for Windows: a zip with its files, and a manifest for winget" {
    built
    local name=heapdrift-$version-windows-x86_64 url=https://example.org/releases
    scripts/release.sh pack "$version" 1790000000 "$url" >"$tmp/said"
    cd "build/release/$version" || return
    python3 "$root/tests/packages/check_winget.py" . "$version" "$url/v$version" "$name.zip"
    grep -qx 'ReleaseDate: 2026-09-21' heapdrift.heapdrift.installer.yaml
    unzip -q "$name.zip"
    cmp "$name/heapdrift.exe" "$root/build/windows/heapdrift.exe"
    [[ -s $name/LICENSE && -s $name/README.md && -s $name/CHANGELOG.md ]]
    # Linked libraries are named, and none of Linux.
    local library
    for library in libarchive libz-mingw-w64-dev mingw-w64-x86-64-dev gcc-mingw-w64; do
        grep -q "^$library" "$name/THIRD-PARTY-NOTICES" || { echo "no $library"; return 1; }
    done
    [[ -z $(grep "GNU C library\|^libsqlite3" "$name/THIRD-PARTY-NOTICES") ]]
    [[ $(jq -r '.packages[0].checksums[0].checksumValue' "$name.spdx.json") == "$(sha256sum <"$name/heapdrift.exe" | cut -d' ' -f1)" ]]
    # The check itself: another version, another zip.
    run python3 "$root/tests/packages/check_winget.py" . 9.9.9 "$url/v$version" "$name.zip"
    [[ $status == 1 && $output == *PackageVersion* ]]
    zip -q "$name.zip" SHA256SUMS
    run python3 "$root/tests/packages/check_winget.py" . "$version" "$url/v$version" "$name.zip"
    [[ $status == 1 && $output == *"another zip"* ]]
}

@test "without a place for releases there is no manifest of winget, and it is reported" {
    built
    scripts/release.sh pack "$version" 1790000000 >"$tmp/said"
    grep -q "^note: no manifest of winget" "$tmp/said"
    [[ -e build/release/$version/heapdrift-$version-windows-x86_64.zip ]]
    [[ -z $(find build/release -name '*.yaml') ]]
    run scripts/release.sh pack "$version" 1790000000 'ftp://example.org/a b'
    [[ $status != 0 && $output == *"is no address that winget can download from"* ]]
    rm build/windows/packages.tsv
    run scripts/release.sh pack "$version" 1790000000
    [[ $status == 1 && $output == *"no release: no program for Windows"* ]]
}
