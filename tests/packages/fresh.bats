# README's two commands on a machine with only Debian's minimal system, git, make and a clone.
# build/packages caches the systems and has the output, in fresh-SUITE-COMMAND.log.
# shellcheck disable=SC2016 # another shell runs the script
load ../cli/helper

# absent WHY: skips, but fails on a build server, which must have root, mmdebstrap and a network.
absent() {
    [[ ${CI:-} != true ]] || complain "$1"
    skip "$1"
}

# Prints the URI of this machine's own mirror; apt reads every form of sources.
mirror() {
    local codename
    codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 2>/dev/null | sed -n "s/^$codename //p" | head -n 1
}

# system SUITE: makes a new system in $root.
system() {
    local tar=build/packages/fresh-$1.tar from proxy=()
    ran="a minimal $1" status='' out='' err=''
    [[ $(id -u) == 0 ]] || absent "needs root for a system in a folder"
    mkdir -p build/packages
    if [[ ! -e $tar ]]; then
        command -v mmdebstrap >/dev/null || absent "no mmdebstrap here"
        from=$(mirror)
        mapfile -t proxy < <(apt-config dump | grep -E '^Acquire::https?::Proxy ' | sed 's/^/--aptopt=/')
        # shellcheck disable=SC2086 # nothing, where apt says nothing
        mmdebstrap --quiet --variant=minbase --include=git,make,ca-certificates "${proxy[@]}" "$1" "$tar.new.tar" $from >&2 ||
            absent "no minimal $1: no network?"
        mv "$tar.new.tar" "$tar"
    fi
    root=$tmp/$1
    mkdir "$root"
    tar -xf "$tar" -C "$root" --exclude='./dev/*'
    [[ ! -e /etc/resolv.conf ]] || cp /etc/resolv.conf "$root/etc/"
    # A clone has committed files only.
    git clone -q --no-hardlinks . "$root/root/heapdrift"
}

# typed SUITE COMMAND: runs it in the clone, with the mounts of a container, which end with the namespace.
typed() {
    local log=build/packages/fresh-$1-${2##* }.log began
    began=$(date +%s)
    status=0 ran="$2 on a minimal $1"
    unshare --mount --pid --fork --kill-child bash -c '
        set -e
        mount -t proc proc "$1/proc"
        mount -t tmpfs tmpfs "$1/dev"
        mkdir "$1"/dev/pts "$1"/dev/shm
        mount -t devpts -o ptmxmode=0666 devpts "$1/dev/pts"
        mount -t tmpfs tmpfs "$1/dev/shm"
        ln -s pts/ptmx "$1/dev/ptmx"
        ln -s /proc/self/fd "$1/dev/fd"
        ln -s fd/0 "$1/dev/stdin"
        ln -s fd/1 "$1/dev/stdout"
        ln -s fd/2 "$1/dev/stderr"
        for name in null zero full random urandom tty; do
            : >"$1/dev/$name"
            mount --bind "/dev/$name" "$1/dev/$name"
        done
        exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=xterm timeout 3600 \
            chroot "$1" sh -c "cd /root/heapdrift && $2"' bash "$root" "$2" >"$log" 2>&1 3>&- || status=$?
    out=$(tail -n 60 "$log") err=''
    echo "# $ran: $(($(date +%s) - began)) s" >&3
    status_is 0
    run grep -nE 'No such file or directory|not found|debconf:|[Ww]arning' "$log"
    [[ $status == 1 ]] || complain "$output"
}

# README must have the commands that run here.
both_commands() {
    grep -q '^make demo ' README.md
    grep -q '^make check ' README.md
    system "$1"
    typed "$1" "make demo"
    out_has "LEAK  Shop.Sessions.Session"
    typed "$1" "make check"
    out_matches $'\ncheck: passed: [0-9,]+ unit tests, '
}

@test "make demo and make check on a minimal Debian 12" {
    both_commands bookworm
}

@test "make demo and make check on a minimal Debian 13" {
    both_commands trixie
}
