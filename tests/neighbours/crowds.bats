# Attacks by a stranger with very many names, with links in place of the expected files, and with setuid
# programs.
# shellcheck disable=SC2154,SC2030,SC2031 # bats and helper.bash set status, out, err and tmp

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    cp tests/neighbours/agent.bash "$tmp/agent.bash"
    cat >"$tmp/sockets.py" <<'END'
import os, sys
for i in range(int(sys.argv[2])):
    os.mknod("%s/dotnet-diagnostic-%d-%d-socket" % (sys.argv[1], 3000000 + i, i), 0o140777)
END
    mkdir "$tmp/victim"
}

@test "40000 names of sockets in /tmp do not hide others" {
    host '. "$tmp/agent.bash"
        honest Shop; mallory python3 - /tmp 40000 <"$tmp/sockets.py"
        heapdrift ps | tail -n 1'
    status_is 0
    out_matches "^ *[0-9]+ +python3"
}

@test "a process with a folder full of sockets costs a scan seconds, and others nothing" {
    host '. "$tmp/agent.bash"
        for i in 1 2 3 4 5 6; do
            mallory mkdir "/tmp/m$i"; mallory python3 - "/tmp/m$i" 20000 <"$tmp/sockets.py"
            mallory TMPDIR="/tmp/m$i" sleep 1000 &
        done
        mkdir /tmp/own; TMPDIR=/tmp/own setpriv --reuid=61358 --regid=61358 --clear-groups sleep 1000 & sleep 0.2
        chown 61358 /tmp/own; setpriv --reuid=61358 --regid=61358 --clear-groups env python3 tests/cli/runtime.py \
            "/tmp/own/dotnet-diagnostic-$!-1-socket" play "$tmp/played.nettrace" & sleep 0.5
        from=$SECONDS; heapdrift ps | grep -c "uid 61358"; echo $(((SECONDS - from) / 15))'
    status_is 0
    out_is $'1\n0'
}

@test "arguments and environments of other processes take no memory" {
    cat >"$tmp/large.py" <<'END'
import os, sys, time
if len(sys.argv) == 1:
    os.environ["TMPDIR"] = "/tmp/" + "./" * 60000
    os.execv(sys.executable, [sys.executable, sys.argv[0]] + ["x" * 100000] * 9)
for i in range(100):
    if os.fork() == 0:
        break
print("ready", flush=True)
time.sleep(1000)
END
    host 'cp "$tmp/large.py" /tmp; mallory python3 /tmp/large.py >/tmp/out & sleep 0.5
        . "$tmp/agent.bash"; within 20 grep -q ready /tmp/out
        heapdrift ps >/dev/null
        (ulimit -v 100000; heapdrift ps)'
    out_is "no .NET process to collect from"
}

@test "a user that locks a process and becomes root in name has no more permissions" {
    host '. "$tmp/agent.bash"
        honest Shop; cp "$(command -v sleep)" /tmp/lent; chmod 4755 /tmp/lent
        mallory flock --no-fork "/proc/$honest" /tmp/lent 1000 & sleep 0.5
        from=$SECONDS
        heapdrift collect "$honest" --timeout=8s --no-progress -o "$tmp/x.gcdump" && echo $(((SECONDS - from) / 4))'
    status_is 0
    out_is 0
}

@test "a store is made by way of no stranger's link" {
    host 'mallory ln -s "$tmp/victim" /tmp/link; mallory mkdir /tmp/hers; mallory ln -s "$tmp/victim/x.db" /tmp/hers/
        heapdrift record --service=a --store=/tmp/link/x.db "$PWD/fixtures/heap-text/before.txt" || echo $?
        heapdrift record --service=a --store=/tmp/hers/x.db "$PWD/fixtures/heap-text/before.txt" || echo $?
        timeout 3 "$HEAPDRIFT" watch --all --store=/tmp/link/x.db || echo $?
        ls "$tmp/victim"'
    out_is $'2\n2\n2'
    err_matches "refused: /tmp/link is a link of user $mallory_id"
}

@test "a store that a stranger left in a folder of everybody is read, not written" {
    host 'text="$PWD/fixtures/heap-text/before.txt"
        mallory sh -c "umask 0; exec \"$HEAPDRIFT\" record -q --service=a --store=/tmp/store.db - <\"$text\" >/dev/null"
        heapdrift record --service=a --store=/tmp/store.db "$text" || echo $?
        timeout 3 "$HEAPDRIFT" watch --all --store=/tmp/store.db || echo $?
        heapdrift fleet -q --store=/tmp/store.db --format=json | jq ".services | length"'
    out_is $'2\n2\n1'
    err_matches "refused: /tmp/store.db belongs to user $mallory_id, in a folder of everybody"
}

@test "a lock and a socket are made by way of no stranger's link" {
    host '. "$tmp/agent.bash"
        mallory ln -s "$tmp/victim" /tmp/link
        timeout 3 "$HEAPDRIFT" watch --all --store=/tmp/own.db --listen=/tmp/link/socket || echo $?
        honest Shop; agent --interval=1s --lock=/tmp/link/lock; stored Shop 2; ls "$tmp/victim"; cat /tmp/agent.err >&2'
    out_is $'2'
    err_has "/tmp/link/socket: refused: /tmp/link is a link of user $mallory_id"
    err_has "note: /tmp/link/lock: it is a link of another user"
}

@test "an exception replaced by a stranger's link does not apply to its target" {
    host 'mallory ln -s / /tmp/heapdrift.yml; mallory ln -s "$tmp/victim" /tmp/link
        HEAPDRIFT_TRUST=/tmp/heapdrift.yml heapdrift diff "$PWD/fixtures/heap-text/before.txt" \
            "$PWD/fixtures/heap-text/after.txt" -o /tmp/link/a.html || echo $?; ls "$tmp/victim"
        ln -s link /tmp/mine
        HEAPDRIFT_TRUST=/tmp/link heapdrift diff "$PWD/fixtures/heap-text/before.txt" \
            "$PWD/fixtures/heap-text/after.txt" -o /tmp/mine/a.html && ls "$tmp/victim"'
    out_is $'2\na.html'
}
