# Files that root reads and writes in folders that mallory writes to as well.
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # bats and helper.bash set status, out, err and tmp; scripts for `host`

load ../cli/helper
load neighbours

setup() {
    begin
    need_host
    export leak=$PWD/fixtures/leaklab/cache snapshot=$PWD/fixtures/heap-text/before.txt
    export excuse='version: 1\nsuppress:\n  - type: "*"\n    reason: x\n'
}

# --- heapdrift.yml that is found -------------------------------------------------------

@test "a heapdrift.yml of another user in the folder above is refused, neither used nor skipped" {
    host 'mallory sh -c "printf \"\$0\" >/tmp/heapdrift.yml" "$excuse"
        mkdir /tmp/ci && cd /tmp/ci && heapdrift check -q "$leak"'
    fails_with "../heapdrift.yml: refused: /tmp/heapdrift.yml belongs to user $mallory_id; HEAPDRIFT_TRUST=/tmp/heapdrift.yml allows it"
    host 'mallory sh -c "printf \"\$0\" >/tmp/heapdrift.yml" "$excuse"
        mkdir /tmp/ci && cd /tmp/ci || exit
        for HEAPDRIFT_TRUST in /tmp/heapdrift.yml /nowhere:/tmp/ci/.. "*"; do
            export HEAPDRIFT_TRUST
            heapdrift check -q "$leak" >/dev/null; echo $?
        done
        for HEAPDRIFT_TRUST in /tmp/heapdrift : ::/tmp/ci. ""; do
            heapdrift check -q "$leak"; echo $?
        done
        unset HEAPDRIFT_TRUST
        SUDO_UID=$mallory_id heapdrift check -q "$leak" >/dev/null; echo $?
        SUDO_UID=$mallory_id mallory "$HEAPDRIFT" check -q "$leak" >/dev/null; echo $?'
    out_is $'0\n0\n0\n2\n2\n2\n2\n0\n0'
}

@test "a found heapdrift.yml that a group, a list or another name opens to others is refused" {
    host 'mkdir -m 2775 /tmp/team && chgrp "$mallory_id" /tmp/team && cd /tmp/team || exit
        printf "$excuse" >heapdrift.yml
        heapdrift check -q "$leak"; echo $?
        chmod 755 . && heapdrift check -q "$leak" >/dev/null; echo $?
        chmod 666 heapdrift.yml && heapdrift check -q "$leak"; echo $?
        chmod 777 . && chmod 644 heapdrift.yml && heapdrift check -q "$leak"; echo $?
        printf "$excuse" >/tmp/mine && ln /tmp/mine /tmp/heapdrift.yml
        mkdir /tmp/ci && cd /tmp/ci && heapdrift check -q "$leak"; echo $?'
    out_is $'2\n0\n2\n2\n2'
    err_is "heapdrift: heapdrift.yml: refused: others than its owner can write to /tmp/team; HEAPDRIFT_TRUST=/tmp/team/heapdrift.yml allows it
heapdrift: heapdrift.yml: refused: anybody can write to /tmp/team/heapdrift.yml; HEAPDRIFT_TRUST=/tmp/team/heapdrift.yml allows it
heapdrift: heapdrift.yml: refused: anybody can write to /tmp/team; HEAPDRIFT_TRUST=/tmp/team/heapdrift.yml allows it
heapdrift: ../heapdrift.yml: refused: /tmp/heapdrift.yml has another name, in a folder of others; HEAPDRIFT_TRUST=/tmp/heapdrift.yml allows it"
    # As setfacl -m u:ID:MODE: an access list of owner, that user, group, mask and others.
    cat >"$tmp/acl.py" <<'PY'
import os, struct, sys
user, mode, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
none = 0xFFFFFFFF
entries = [(1, 7, none), (2, mode, user), (4, 0, none), (16, mode, none), (32, 0, none)]
for file in files:
    os.setxattr(file, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *e) for e in entries))
PY
    host 'mkdir /tmp/ci && cd /tmp/ci && printf "$excuse" >heapdrift.yml || exit
        python3 "$tmp/acl.py" "$mallory_id" 6 heapdrift.yml || exit 77
        heapdrift check -q "$leak"; echo $?
        python3 "$tmp/acl.py" "$mallory_id" 5 . heapdrift.yml && heapdrift check -q "$leak" >/dev/null; echo $?'
    [[ $status != 77 ]] || skip "no access lists here"
    out_is $'2\n0'
    err_has "refused: others than its owner can write to /tmp/ci/heapdrift.yml"
}

@test "a pipe, a device and a link of others for heapdrift.yml are refused immediately" {
    host 'mkdir /tmp/ci && cd /tmp/ci && mkfifo heapdrift.yml || exit
        timeout 5 "$HEAPDRIFT" check -q "$leak"; echo $?
        rm heapdrift.yml; mknod heapdrift.yml c 1 5 || exit 77
        timeout 5 "$HEAPDRIFT" check -q "$leak"; echo $?
        cd .. && mkdir ci2 && cd ci2 && printf "$excuse" >/tmp/mine || exit
        mallory ln -s /tmp/mine /tmp/heapdrift.yml
        heapdrift check -q "$leak"; echo $?'
    [[ $status != 77 ]] || skip "no device can be made here"
    out_is $'2\n2\n2'
    err_is "heapdrift: heapdrift.yml: is not a regular file
heapdrift: heapdrift.yml: is not a regular file
heapdrift: ../heapdrift.yml: refused: /tmp/heapdrift.yml belongs to user $mallory_id; HEAPDRIFT_TRUST=/tmp/mine allows it"
}

@test "root in a checkout of another user: refused, except for the folder of a build server" {
    host 'mkdir -p /run/w/a && printf "$excuse" >/run/w/heapdrift.yml && chown -R "$mallory_id:$mallory_id" /run/w || exit
        cd /run/w && mkdir .git || exit
        heapdrift check -q "$leak"; echo $?
        for variable in GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY HEAPDRIFT_TRUST; do
            (export $variable=/run/w; heapdrift check -q "$leak" >/dev/null; echo $?)
        done
        heapdrift check -q --config=heapdrift.yml "$leak" >/dev/null; echo $?
        # GitLab checks out with modes for everybody.
        chmod -R a+rwX . && CI_PROJECT_DIR=$PWD heapdrift check -q "$leak" >/dev/null; echo $?
        mkdir /run/mount && mount --bind /run/w /run/mount && cd /run/mount && heapdrift check -q "$leak"; echo $?'
    out_is $'2\n0\n0\n0\n0\n0\n0\n2'
}

# --- files that are named --------------------------------------------------------------

@test "named files in a folder of everybody, or for everybody to write, are refused" {
    host 'mallory sh -c "printf \"\$0\" >/tmp/budgets.yml; echo --quiet >/tmp/words; echo >/tmp/accepted" "$excuse"
        heapdrift check -q --config=/tmp/budgets.yml "$leak"; echo $?
        heapdrift check -q --baseline=/tmp/accepted "$leak"; echo $?
        heapdrift top @/tmp/words "$snapshot"; echo $?
        echo --quiet >/tmp/open && chmod 666 /tmp/open
        heapdrift top @/tmp/open "$snapshot"; echo $?
        HEAPDRIFT_TRUST=/tmp/open heapdrift top @/tmp/open "$snapshot" >/dev/null; echo $?'
    out_is $'2\n2\n2\n2\n0'
    err_is "heapdrift: /tmp/budgets.yml: refused: /tmp/budgets.yml belongs to user $mallory_id, in a folder of everybody; HEAPDRIFT_TRUST=/tmp/budgets.yml allows it
heapdrift: /tmp/accepted: refused: /tmp/accepted belongs to user $mallory_id, in a folder of everybody; HEAPDRIFT_TRUST=/tmp/accepted allows it
heapdrift: /tmp/words: refused: /tmp/words belongs to user $mallory_id, in a folder of everybody; HEAPDRIFT_TRUST=/tmp/words allows it
heapdrift: /tmp/open: refused: anybody can write to /tmp/open; HEAPDRIFT_TRUST=/tmp/open allows it"
}

@test "files named by the user are read: own ones, those in other users' folders, pipes and standard input" {
    host 'printf "$excuse" >/tmp/budgets.yml
        heapdrift check -q --config=/tmp/budgets.yml "$leak" >/dev/null; echo $?
        mkdir /run/hers && chown "$mallory_id" /run/hers
        mallory sh -c "printf \"\$0\" >/run/hers/budgets.yml" "$excuse"
        heapdrift check -q --config=/run/hers/budgets.yml "$leak" >/dev/null; echo $?
        heapdrift check -q --config=<(printf "$excuse") "$leak" >/dev/null; echo $?
        printf "$excuse" | heapdrift check -q --config=- "$leak" >/dev/null; echo $?
        printf "$excuse" | heapdrift check -q --config=/dev/stdin "$leak" >/dev/null; echo $?
        heapdrift top @<(echo --quiet) "$snapshot" >/dev/null; echo $?
        heapdrift top -q -o /dev/stdout "$snapshot" | grep -c Orchard
        heapdrift top -q -o >(cat >/tmp/piped) "$snapshot" >/dev/null; echo $?'
    [[ $out =~ ^$'0\n0\n0\n0\n0\n0\n'[1-9][0-9]*$'\n0'$ ]] || complain "all should be read"
    err_is ""
}

# --- what is written -------------------------------------------------------------------

@test "nothing is written through a link of another user" {
    host 'mkdir /tmp/etc && chmod 755 /tmp/etc || exit
        mallory ln -s /tmp/etc/conf /tmp/leak.html; mallory ln -s /tmp/etc /tmp/out; mallory ln -s /tmp/etc /tmp/site
        mallory sh -c "mkdir /tmp/hers; ln -s /tmp/etc/conf /tmp/hers/leak.html"
        mallory sh -c "cd /tmp/etc && exec sleep 60" & sleep 0.3
        her=$(pgrep -u "$mallory_id" sleep)
        cp "$snapshot" /tmp/a.txt
        for to in /tmp/leak.html /tmp/out/leak.html /tmp/hers/leak.html "/proc/$her/cwd/leak.html"; do
            heapdrift report -q "$leak" -o "$to"; echo $?
        done
        heapdrift check -q --baseline-write=/tmp/out/accepted "$leak" >/dev/null; echo $?
        heapdrift convert -q /tmp/a.txt -o /tmp/out/a.gcdump; echo $?
        GITHUB_STEP_SUMMARY=/tmp/leak.html heapdrift check -q "$leak" >/dev/null; echo $?
        heapdrift record -q --store=/tmp/store.db --service=s "$leak" >/dev/null
        heapdrift fleet -q --store=/tmp/store.db --format=html -o /tmp/site/; echo $?
        ls -A /tmp/etc
        kill "$her"'
    out_matches $'^2\n2\n2\n2\n(.*\n)*2\n2\n2\n2$'
    err_has "/tmp/leak.html: refused: /tmp/leak.html is a link of user $mallory_id; HEAPDRIFT_TRUST=/tmp/leak.html allows it"
    err_has "/tmp/hers/leak.html: refused: /tmp/hers/leak.html is a link of user $mallory_id"
    err_has "/tmp/out/accepted: refused: /tmp/out is a link of user $mallory_id"
    out_lacks conf
}

@test "own links are followed, other users' pipes in a shared folder are not written" {
    host 'cd /tmp && mkdir real && ln -s real mine && ln -s mine/new link || exit
        heapdrift top -q -o link "$snapshot"; echo $?; ls -A real
        mallory mkfifo -m 666 /tmp/pipe
        timeout 5 "$HEAPDRIFT" top -q -o /tmp/pipe "$snapshot"; echo $?
        mallory sh -c "echo hers >/tmp/file; chmod 666 /tmp/file"
        heapdrift top -q -o /tmp/file "$snapshot"; echo $?; stat -c "%u %a" /tmp/file'
    out_is $'0\nnew\n2\n0\n0 644'
    err_has "/tmp/pipe: refused: /tmp/pipe belongs to user $mallory_id, in a folder of everybody"
}

@test "a folder that flips while 200 files are written to it" {
    cat >"$tmp/flip.py" <<'PY'
import os
os.chdir("/tmp/hers")
os.mkdir("d")
os.symlink("/tmp/etc", "l")
while True:
    os.rename("d", "e")
    os.rename("l", "d")
    os.rename("d", "l")
    os.rename("e", "d")
PY
    host 'mkdir /tmp/etc; mallory mkdir /tmp/hers
        cp "$tmp/flip.py" /tmp/flip.py
        mallory python3 /tmp/flip.py & sleep 0.5
        for i in $(seq 200); do
            heapdrift top -q -n1 --tables-only -o /tmp/hers/d/x "$snapshot" 2>/dev/null; echo $?
            [[ ! -e /tmp/etc/x ]] || echo written
        done | sort | uniq -c | sed "s/^ *//"
        ls -A /tmp/etc'
    out_lacks written
    out_has " 0"
    out_has " 2"
}

@test "watch --metrics does not write through a link of another user" {
    host 'mkdir /tmp/etc; mallory ln -s /tmp/etc/x.prom /tmp/x.prom
        timeout -s TERM 4 "$HEAPDRIFT" watch --all --store=/tmp/s.db --metrics=/tmp/x.prom --lock=/tmp/mine.lock
        ls -A /tmp/etc'
    out_lacks x.prom
    err_has " /tmp/x.prom: refused: /tmp/x.prom is a link of user $mallory_id"
}

# --- what is followed ------------------------------------------------------------------

@test "record --follow skips links and hard links of others, and reports it once" {
    gzip -dc "$PWD/fixtures/leaklab/cache/0.gcdump.gz" >"$tmp/0"
    gzip -dc "$PWD/fixtures/leaklab/cache/1.gcdump.gz" >"$tmp/1"
    gzip -dc "$PWD/fixtures/leaklab/cache/2.gcdump.gz" >"$tmp/2"
    host 'mkdir -m 700 /tmp/etc && mkdir -m 1777 /tmp/drop && mkdir -m 755 /tmp/read || exit
        cp "$tmp/0" /tmp/etc/secret.gcdump && cp "$tmp/1" /tmp/etc/other.gcdump && cp "$tmp/2" /tmp/read/hers.gcdump
        mallory sh -c "cd /tmp/drop; ln -s /tmp/etc/secret.gcdump a.gcdump; ln -s /dev/zero z.gcdump; mkfifo f.gcdump
            ln -s /tmp/etc e; cp /tmp/read/hers.gcdump b.gcdump"
        ln /tmp/etc/other.gcdump /tmp/drop/c.gcdump
        ln -s /tmp/read/hers.gcdump /tmp/drop/mine.gcdump
        mallory ln -s /tmp/etc /tmp/hers
        find /tmp/drop /tmp/etc /tmp/read -exec touch -h -d "1 hour ago" {} +
        timeout 5 "$HEAPDRIFT" record --follow --store=/tmp/f.db --service=s /tmp/hers; echo $?
        timeout -s TERM 6 "$HEAPDRIFT" record --follow --store=/tmp/f.db --service=s /tmp/drop'
    out_has "2
/tmp/drop/b.gcdump: recorded: "
    out_has "/tmp/drop/mine.gcdump: already recorded"
    out_lacks "/tmp/drop/a.gcdump"
    out_lacks "/tmp/drop/c.gcdump"
    err_has "/tmp/hers: refused: /tmp/hers is a link of user $mallory_id"
    err_has "/tmp/drop/a.gcdump: refused: /tmp/drop/a.gcdump is a link of user $mallory_id; HEAPDRIFT_TRUST=/tmp/drop/a.gcdump allows it"
    err_has "/tmp/drop/c.gcdump: refused: /tmp/drop/c.gcdump has another name, in a folder of others"
    [[ $(grep -c "a.gcdump" <<<"$err") == 1 ]] || complain "said once"
}

@test "record --follow reads the file that it looked at, though folder and file flip" {
    gzip -dc "$PWD/fixtures/leaklab/cache/0.gcdump.gz" >"$tmp/0"
    gzip -dc "$PWD/fixtures/leaklab/cache/1.gcdump.gz" >"$tmp/1"
    cat >"$tmp/flip.py" <<'PY'
import os
os.chdir("/tmp/drop")
os.mkdir("d")
open("d/x.gcdump", "wb").write(open("/tmp/1.gcdump", "rb").read())
os.utime("d/x.gcdump", (1700000000, 1700000000))
os.symlink("/tmp/etc", "l")
while True:
    os.rename("d", ".e")
    os.rename("l", "d")
    os.rename("d", "l")
    os.rename(".e", "d")
PY
    host 'mkdir -m 700 /tmp/etc && mkdir -m 1777 /tmp/drop || exit
        cp "$tmp/0" /tmp/etc/x.gcdump && touch -d "1 hour ago" /tmp/etc/x.gcdump && cp "$tmp/1" /tmp/1.gcdump
        cp "$tmp/flip.py" /tmp/flip.py; mallory python3 /tmp/flip.py &
        sleep 0.5
        timeout -s TERM 12 "$HEAPDRIFT" record --follow --store=/tmp/f.db --service=s /tmp/drop
        python3 -c "import sqlite3; print(sqlite3.connect(\"/tmp/f.db\").execute(\"SELECT count(*) FROM snapshot\").fetchone()[0])"
        mallory stat -c %s /tmp/1.gcdump; heapdrift record --store=/tmp/f.db --service=s /tmp/etc/x.gcdump'
    out_has "x.gcdump: recorded: "
    [[ $(tail -1 <<<"$out") == "/tmp/etc/x.gcdump: recorded: "* ]] || complain "the secret one was not recorded before"
}

# --- limits ----------------------------------------------------------------------------

@test "a full disk, few descriptors and a limit of size leave the old file as it is" {
    host 'mkdir /tmp/small && mount -t tmpfs -o size=64k tmpfs /tmp/small && cd /tmp/small && echo old >page.html || exit
        heapdrift report -q "$leak" -o page.html; echo $?; cat page.html; ls -A
        cd /tmp && echo old >page.html || exit
        (ulimit -f 16; heapdrift report -q "$leak" -o page.html; echo $?); cat page.html
        for files in 6 7 8 9 10 11 12; do
            (ulimit -n "$files"; heapdrift top -q "$snapshot" -o page.html; [[ $? == 0 || $? == 2 ]] || echo "status $?")
            [[ $(<page.html) == old ]] || grep -q Orchard.Page page.html || echo half
            echo old >page.html
        done
        ls -A /tmp | grep -c heapdrift- || true'
    out_is $'2\nold\npage.html\n2\nold\n0'
}
