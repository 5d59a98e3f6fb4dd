# What a release asks of the tree before anything is built, and what it is put together of.
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

@test "a tree that is not ready is refused, and it is said why" {
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

@test "what was built is put together, with checksums, the same bytes twice" {
    [[ -e build/static/aarch64/heapdrift && -e build/sbom/heapdrift-$version-aarch64.spdx.json ]] ||
        skip "no program for aarch64: make static ARCH=aarch64 sbom"
    mkdir -p "$tmp/tree/build"
    cp -r scripts LICENSE README.md CHANGELOG.md include "$tmp/tree"
    cp -r build/{static,sbom,dist,nuget,deb,completion,heapdrift.1} "$tmp/tree/build"
    cd "$tmp/tree" || return
    scripts/release.sh pack "$version" 1790000000 >"$tmp/said"
    cp -r "build/release/$version" "$tmp/one"
    # Another time, another umask.
    find . -type f -exec touch -d '2001-01-01' {} +
    (umask 077 && scripts/release.sh pack "$version" 1790000000 >/dev/null)
    diff -r "$tmp/one" "build/release/$version"
    cd "build/release/$version" || return
    sha256sum --quiet -c SHA256SUMS
    [[ $(wc -l <SHA256SUMS) == "$(find . -type f ! -name SHA256SUMS | wc -l)" ]]
    local name=heapdrift-$version-linux-x86_64
    tar -xf "$name.tar.gz"
    [[ $("$name/heapdrift" --version) == "heapdrift $version" ]]
    [[ -s $name/LICENSE && -s $name/THIRD-PARTY-NOTICES && -s $name/heapdrift.1 && -s $name/completion/_heapdrift ]]
}
