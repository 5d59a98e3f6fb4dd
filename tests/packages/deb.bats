# Debian's packages: lintian's output, and a fresh system.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper

# A Debian with apt only. Kept for the next time, since making it takes minutes.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    [[ $(id -u) == 0 ]] || return 0
    mkdir -p build/packages
    if [[ ! -e build/packages/bookworm.tar ]] && command -v mmdebstrap >/dev/null; then
        mmdebstrap --quiet --variant=minbase --format=tar bookworm build/packages/bookworm.tar.new >&2 &&
            mv build/packages/bookworm.tar.new build/packages/bookworm.tar
    fi
}

@test "lintian has neither errors nor warnings" {
    command -v lintian >/dev/null || skip "no lintian here"
    run lintian --allow-root --fail-on error,warning build/deb/*.changes
    [[ $status == 0 && -z $output ]] || complain "$output"
}

@test "version and changes are those of the program" {
    local version
    version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)
    [[ $(dpkg-deb -f build/deb/heapdrift_*_amd64.deb Version) == "$version"-* ]]
}

@test "Debian builds with the build dependencies of the program" {
    # Without what every Debian has that builds anything.
    scripts/install-deps.sh --names build | tr -s ' ' '\n' |
        grep -vxE 'gcc|libc6-dev|make|pkg-config|ncurses-bin|' | sort >"$tmp/ours"
    sed -n '/^Build-Depends:/,/^[^ B]/p' scripts/debian/control | grep -oE '[a-z][a-z0-9-]+' |
        grep -vxE 'debhelper-compat|uild-|epends|tandards-|ersion' | sort >"$tmp/debian"
    diff "$tmp/ours" "$tmp/debian"
}

@test "every processor of Debian's amd64 can run it" {
    mkdir "$tmp/x"
    dpkg-deb -x build/deb/heapdrift_*.deb "$tmp/x"
    # The instruction that x86-64-v2 has for counting bits, and this architecture has not.
    [[ $(uname -m) == x86_64 ]] || skip "not x86-64"
    objdump -d "$tmp/x/usr/bin/heapdrift" >"$tmp/code"
    [[ $(grep -cw popcnt "$tmp/code") == 0 ]]
}

@test "the series of README's example is in the package" {
    mkdir "$tmp/x"
    dpkg-deb -x build/deb/heapdrift_*.deb "$tmp/x"
    HEAPDRIFT=$tmp/x/usr/bin/heapdrift works -q "$tmp/x/usr/share/doc/heapdrift/examples/cache"
    out_has "LEAK  Shop.Sessions.Session: 0 → 6,000 objects in 6 snapshots"
}

@test "headers and libraries are enough for a program of others" {
    mkdir "$tmp/x"
    local package
    for package in build/deb/libheapdrift0_*.deb build/deb/libheapdrift-dev_*.deb; do dpkg-deb -x "$package" "$tmp/x"; done
    local lib
    lib=$(echo "$tmp"/x/usr/lib/*/pkgconfig)
    # shellcheck disable=SC2046 # words
    cc "$tmp/x/usr/share/doc/libheapdrift-dev/examples/grew.c" -o "$tmp/grew" \
        $(PKG_CONFIG_PATH=$lib PKG_CONFIG_SYSROOT_DIR=$tmp/x pkg-config --cflags --libs heapdrift)
    LD_LIBRARY_PATH=${lib%/pkgconfig} "$tmp/grew" "${pair[@]}" >"$tmp/said"
    [[ -s $tmp/said ]]
}

@test "a clean Debian installs, runs and removes it" {
    [[ $(id -u) == 0 ]] || skip "needs root for a system in a folder"
    [[ -e build/packages/bookworm.tar ]] || skip "no clean Debian: no mmdebstrap, or no network"
    local root=$tmp/root
    mkdir "$root"
    tar -xf build/packages/bookworm.tar -C "$root" --exclude='./dev/*'
    mkdir "$root/try"
    cp build/deb/heapdrift_*.deb build/deb/libheapdrift0_*.deb build/deb/libheapdrift-dev_*.deb \
        fixtures/heap-text/before.txt fixtures/heap-text/after.txt "$root/try"
    cp /etc/resolv.conf "$root/etc/"
    cat >"$root/try/steps" <<'SH'
set -e
mount -t proc proc /proc
test -e /dev/null || mknod -m 666 /dev/null c 1 3
cd /try
export DEBIAN_FRONTEND=noninteractive
find / -xdev \( -path /try -o -path /proc \) -prune -o -name '*heapdrift*' -print >before
apt-get update -qq
apt-get install -y -qq --no-install-recommends ./heapdrift_*.deb ./libheapdrift0_*.deb >log 2>&1 || { cat log; exit 1; }
su -s /bin/sh nobody -c 'heapdrift --version && heapdrift before.txt after.txt && heapdrift help check >/dev/null'
test -s /usr/share/man/man1/heapdrift.1.gz
test -s /usr/share/bash-completion/completions/heapdrift
test -s /usr/share/doc/heapdrift/copyright
zcat /usr/share/doc/heapdrift/changelog.Debian.gz | head -n 1
dpkg --verify heapdrift libheapdrift0
apt-get purge -y -qq heapdrift libheapdrift0 >log 2>&1 || { cat log; exit 1; }
find / -xdev \( -path /try -o -path /proc -o -path '/var/log/*' \) -prune -o -name '*heapdrift*' -print | diff before -
SH
    status=0 ran="the steps in a chroot"
    out=$(unshare --mount --pid --fork chroot "$root" /bin/bash /try/steps 2>"$tmp/err") || status=$?
    err=$(<"$tmp/err")
    status_is 0
    out_has "heapdrift (0."
    out_has "GREW    Orchard.Page: 10 → 30 objects"
}

@test "the manual page is one" {
    mkdir "$tmp/x"
    dpkg-deb -x build/deb/heapdrift_*.deb "$tmp/x"
    MANWIDTH=80 man -l "$tmp/x/usr/share/man/man1/heapdrift.1.gz" >"$tmp/page" 2>"$tmp/wrong"
    [[ ! -s $tmp/wrong ]]
    grep -q '^NAME' "$tmp/page"
}
