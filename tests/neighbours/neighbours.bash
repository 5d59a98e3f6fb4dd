# An unprivileged neighbor of root's heapdrift. Source it after tests/cli/helper.bash, which sets $tmp.
#
# Everything runs in namespaces of its own: `host COMMAND...` is a small host with a private /tmp, /run and
# /proc, in which root runs heapdrift and mallory runs whatever she likes. Her processes end with it.
# shellcheck shell=bash

# An id that no account has.
mallory_id=61357

need_root() { [[ $(id -u) == 0 ]] || skip "takes root to be somebody else"; }

need_host() {
    need_root
    unshare -mpf --mount-proc --propagation private true 2>/dev/null || skip "no namespaces here"
}

# mallory COMMAND ARG...: as a user without access to root's files, without groups and capabilities.
mallory() {
    setpriv --reuid="$mallory_id" --regid="$mallory_id" --clear-groups --inh-caps=-all \
        env -i PATH="$PATH" HOME=/tmp LC_ALL=C.UTF-8 "$@"
}

# host SCRIPT ARG...: bash runs SCRIPT on a private host, with the commands `mallory` and `heapdrift` and
# the test's $tmp for persistent files. Sets $status, $out and $err.
host() {
    export -f mallory
    export mallory_id tmp HEAPDRIFT
    status=0
    unshare -mpf --mount-proc --propagation private bash -c '
        mount -t tmpfs tmpfs /mnt && mkdir /mnt/tmp /mnt/tree || exit 99
        mount --bind "$tmp" /mnt/tmp && mount --bind . /mnt/tree || exit 99
        mount -t tmpfs -o mode=1777 tmpfs /tmp && mkdir -p "$tmp" && mount --move /mnt/tmp "$tmp" || exit 99
        mkdir -p "$PWD" && mount --move /mnt/tree "$PWD" && cd "$PWD" || exit 99
        mount -t tmpfs -o mode=755 tmpfs /run && mkdir -m 1777 /run/lock || exit 99
        heapdrift() { "$HEAPDRIFT" "$@"; }
        eval "$0"' "$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out")
    err=$(<"$tmp/.err")
    ran="host ${1:0:200}"
}
