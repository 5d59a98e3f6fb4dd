# The source archive.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper

version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

@test "two clones in two places make the same bytes, and so does the archive itself" {
    [[ -e .git ]] || skip "no repository here"
    git clone -q . "$tmp/one"
    mkdir -p "$tmp/a b"
    (umask 077 && git clone -q . "$tmp/a b/two")
    make -s -C "$tmp/one" dist
    (
        umask 077
        export TZ=Pacific/Kiritimati LC_ALL=C LANG=C
        make -s -C "$tmp/a b/two" dist
    )
    cmp "$tmp/one/build/dist/heapdrift-$version.tar.gz" "$tmp/a b/two/build/dist/heapdrift-$version.tar.gz"

    # No user names, no later times, no files outside of its folder.
    local moment
    moment=$(git log -1 --format=%ct)
    tar -tvf "$tmp/one/build/dist/heapdrift-$version.tar.gz" --numeric-owner --full-time --utc >"$tmp/list"
    [[ -z $(grep -v " 0/0 .* $(date -u -d "@$moment" '+%F %T') heapdrift-$version/" "$tmp/list") ]]

    mkdir "$tmp/three"
    tar -xf "$tmp/one/build/dist/heapdrift-$version.tar.gz" -C "$tmp/three"
    make -s -C "$tmp/three/heapdrift-$version" dist
    cmp "$tmp/one/build/dist/heapdrift-$version.tar.gz" \
        "$tmp/three/heapdrift-$version/build/dist/heapdrift-$version.tar.gz"
}

@test "uncommitted changes are not in it, and that is reported" {
    [[ -e .git ]] || skip "no repository here"
    git clone -q . "$tmp/one"
    echo more >"$tmp/one/docs/more.md"
    make -s -C "$tmp/one" dist >"$tmp/said" 2>&1
    grep -q "note: what is not committed" "$tmp/said"
    [[ -z $(tar -tf "$tmp/one/build/dist/heapdrift-$version.tar.gz" | grep more.md) ]]
}

@test "an unpacked archive builds without git, and finds a leak" {
    scripts/dist.sh "$version" "$tmp/heapdrift-$version.tar.gz" 2>/dev/null
    tar -xf "$tmp/heapdrift-$version.tar.gz" -C "$tmp"
    cd "$tmp/heapdrift-$version" || return
    make -s -j2 build/heapdrift
    [[ $(build/heapdrift --version) == "heapdrift $version" ]]
    HEAPDRIFT=$PWD/build/heapdrift hd check fixtures/leaklab/cache
    status_is 1
    out_has "Shop.Sessions.Session"
}
