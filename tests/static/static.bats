# One file to copy: that it needs nothing, and says byte for byte what the program says that is
# linked as usual. Made by `make check-static`.
#
# Images of Alpine and distroless are not fetched: folders that have what matters of them stand
# in for them. The C library of an Alpine system is musl, with busybox; a distroless one has
# users, certificates and time zones, and no shell.
bats_require_minimum_version 1.5.0
load ../cli/helper

STATIC=$BATS_TEST_DIRNAME/../../build/static
PLAIN=$BATS_TEST_DIRNAME/../../build/heapdrift

# Every command that reads, and every form that is written.
commands=(
    "info fixtures/cache" "info --format=json fixtures/cache" "top fixtures/cache/5.gcdump.gz"
    "top fixtures/net10.core.xz" "top fixtures/net10-aarch64.core.xz" "info fixtures/leak31_first.nettrace.zst"
    "diff fixtures/cache" "diff -v fixtures/cache" "diff --format=json fixtures/cache"
    "diff --format=csv fixtures/cache" "diff --format=md fixtures/cache" "diff --format=html fixtures/cache"
    "diff fixtures/before.txt fixtures/after.txt" "diff fixtures/none" "diff fixtures/cache/0.gcdump.gz"
    "check fixtures/cache" "check --max-growth=1% --format=junit fixtures/cache"
    "check --format=sarif fixtures/cache" "check --config=fixtures/heapdrift.yml fixtures/cache"
    "roots --exact --type=Session fixtures/cache" "roots --type=Session --format=dot fixtures/cache"
    "tree fixtures/cache" "tree --format=speedscope fixtures/cache" "tree --format=folded fixtures/cache"
    "object --type=Session fixtures/cache/5.gcdump.gz" "report fixtures/cache -o -"
    "completion bash" "help diff" "--version" "--no-such-option"
)

# The snapshots that they read, in folder $1.
put_fixtures() {
    mkdir -p "$1/fixtures/cache"
    cp fixtures/leaklab/cache/*.gcdump.gz "$1/fixtures/cache"
    cp fixtures/core/net10{,-aarch64}.core.xz fixtures/nettrace-real/leak31_first.nettrace.zst "$before" "$after" "$1/fixtures"
    printf 'suspects: { max_retained: 1MiB }\n' >"$1/fixtures/heapdrift.yml"
}

# make_root KIND: a root folder, $root.
make_root() {
    root=$tmp/$1
    mkdir -p "$root"
    put_fixtures "$root"
    cp "$STATIC/x86_64/heapdrift" "$root"
    case $1 in
    musl)
        mkdir -p "$root"/{bin,lib,etc,tmp}
        cp /bin/busybox "$root/bin"
        ln -s busybox "$root/bin/sh"
        cp "$(find /lib /usr/lib -name libc.so -path '*musl*' | head -1)" "$root/lib/ld-musl-x86_64.so.1"
        printf 'ID=alpine\n' >"$root/etc/os-release"
        printf 'root:x:0:0:root:/root:/bin/sh\n' >"$root/etc/passwd"
        ;;
    distroless)
        mkdir -p "$root"/{etc,tmp,home/nonroot,usr/share/ca-certificates,usr/share/zoneinfo/Europe}
        cp -r /usr/share/ca-certificates/mozilla "$root/usr/share/ca-certificates"
        cp /usr/share/zoneinfo/Europe/Berlin "$root/usr/share/zoneinfo/Europe"
        printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' \
            >"$root/etc/passwd"
        printf 'passwd: files ldap systemd\n' >"$root/etc/nsswitch.conf"
        ;;
    esac
}

inside() { env -i ${set:-} unshare -r -R "$root" -w / /heapdrift "$@"; }

need_root_folders() {
    unshare -r -R / true 2>/dev/null || skip "no user namespaces here"
}

# The output of the plain program for the same files, with the same environment.
plain() { (cd "$root" && env -i ${set:-} "$PLAIN" "$@"); }

# Files are read by several threads, with varying times. The active part of the sandbox depends on the
# system: qemu has none of it.
without_times() { sed -e 's/, read in .*//' -e "${another_system:+/^heapdrift: sandbox: /d}" "$1" | sort; }

# same_words RUN: each command prints the same as the plain program, on both outputs.
same_words() {
    local line status expected
    for line in "${commands[@]}"; do
        status=0 expected=0
        "$1" $line >"$tmp/out" 2>"$tmp/err" || status=$?
        plain $line >"$tmp/plain-out" 2>"$tmp/plain-err" || expected=$?
        [[ $status == "$expected" ]] || { cat "$tmp/err"; echo "$line: status $status, not $expected"; return 1; }
        cmp "$tmp/out" "$tmp/plain-out" || { echo "$line"; return 1; }
        diff <(without_times "$tmp/err") <(without_times "$tmp/plain-err") || { echo "$line"; return 1; }
    done
}

is_one_file() {
    local file=$STATIC/$1/heapdrift
    readelf -hldSW "$file" >"$tmp/headers"
    grep -qF "DYN (Position-Independent Executable file)" "$tmp/headers"
    grep -qE '^ *LOAD ' "$tmp/headers"
    refute grep -qE '^ *INTERP ' "$tmp/headers"
    refute grep -q '(NEEDED)' "$tmp/headers"
    grep -q BIND_NOW "$tmp/headers"
    grep -q GNU_RELRO "$tmp/headers"
    refute grep -qE '(GNU_STACK|LOAD) .* RWE' "$tmp/headers"
    refute grep -qF .debug_info "$tmp/headers"
    [[ $(file -b "$file") == *"static-pie linked"*"stripped"* ]]
    [[ $(stat -c %s "$file") -lt 7000000 ]]
    # The build's folder and user are not in the output.
    refute grep -qF "$(cd "$STATIC/../.." && pwd)" "$file" "$file.debug"
    [[ $(readelf -nW "$file" | grep Build) == "$(readelf -nW "$file.debug" | grep Build)" ]]
}

@test "x86-64: static, position independent, hardened, below 7 MB, debug information apart" {
    is_one_file x86_64
}

@test "aarch64: the same" {
    is_one_file aarch64
    [[ $(readelf -hW "$STATIC/aarch64/heapdrift") == *AArch64* ]]
}

@test "the notices name what is linked, with versions and licences" {
    local arch package
    for arch in x86_64 aarch64; do
        [[ $(cut -f1 "$STATIC/$arch/packages.tsv") == *libarchive-dev*libc6-dev*nettle-dev*uthash-dev* ]]
        refute grep -qP '\t\t|^\t|\t$' "$STATIC/$arch/packages.tsv"
        while IFS=$'\t' read -r package _; do
            grep -q "^======== $package\$" "$STATIC/$arch/THIRD-PARTY-NOTICES"
        done <"$STATIC/$arch/packages.tsv"
        grep -q "GNU LESSER GENERAL PUBLIC LICENSE" "$STATIC/$arch/THIRD-PARTY-NOTICES"
        # Nothing that only libarchive's other formats would need.
        refute grep -qE 'libxml2|libicu|libssl|libacl' "$STATIC/$arch/packages.tsv"
    done
    # An unknown library stops the build.
    printf '%s(x.o)\n' "$(find /usr/lib -name libanl.a | head -1)" >"$tmp/map"
    sed 's/\[libc6-dev\]=[^ ]*//' scripts/notices.sh >"$tmp/notices.sh"
    run -1 bash "$tmp/notices.sh" "$tmp/map" "$tmp/notices" "$tmp/packages"
}

@test "an empty root: every command prints the same as elsewhere" {
    need_root_folders
    make_root empty
    rm -rf "$tmp/empty/tmp"
    set="LANG=C.UTF-8" same_words inside
    set="LANG=en_US.UTF-8 LC_ALL=xx_YY.UTF-8 TZ=Europe/Nowhere" same_words inside
    set="" same_words inside
    set="LC_ALL=C" same_words inside
}

@test "a root with musl and busybox, as Alpine has: the same" {
    need_root_folders
    make_root musl
    set="LANG=C.UTF-8" same_words inside
    # From its own shell, by its own user, for its own /tmp.
    unshare -r -R "$root" -w / /bin/sh -c '/heapdrift convert fixtures/before.txt -o /tmp/a.gcdump && /heapdrift info /tmp/a.gcdump' >"$tmp/out"
    grep -q a.gcdump "$tmp/out"
}

@test "a root with users, certificates and time zones, as distroless has: the same" {
    need_root_folders
    make_root distroless
    set="LANG=C.UTF-8 TZ=Europe/Berlin" same_words inside
    set="" same_words inside
}

@test "an empty root: files are written, whole or not at all" {
    need_root_folders
    make_root empty
    inside convert fixtures/before.txt -o a.gcdump
    plain convert fixtures/before.txt -o b.gcdump
    cmp "$root/a.gcdump" "$root/b.gcdump"
    inside diff --format=html fixtures/cache -o page.html
    mv "$root/page.html" "$root/inside.html"
    plain diff --format=html fixtures/cache -o page.html
    cmp "$root/page.html" "$root/inside.html"
    run -2 inside convert fixtures/before.txt -o no/such/folder.gcdump
    [[ $(find "$root" -name '.heapdrift-*') == "" ]]
}

@test "an empty root: snapshots of a process by its socket, ps without /proc" {
    need_root_folders
    make_root empty
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    python3 tests/cli/runtime.py "$root/socket" play "$tmp/played.nettrace" 3>&- &
    runtime=$!
    for _ in {1..200}; do [[ ! -S $root/socket ]] || break; sleep 0.05; done
    inside collect --diagnostic-port=/socket -o a.nettrace
    [[ -s $root/a.nettrace ]]
    inside collect --diagnostic-port=/socket -o a.gcdump
    inside info a.gcdump >"$tmp/out"
    plain info a.gcdump | cmp - "$tmp/out"
    # Containers have /proc.
    mkdir "$root/proc"
    in_container() { env -i unshare -r -p -f --mount-proc=/proc -R "$root" -w / /heapdrift "$@"; }
    in_container collect --diagnostic-port=/socket -o a.gcdump --count=2 --interval=50ms
    in_container info a-1.gcdump a-2.gcdump >"$tmp/out"
    plain info a-1.gcdump a-2.gcdump | cmp - "$tmp/out"
    in_container ps >"$tmp/out"
    rmdir "$root/proc"
    status=0
    inside ps >"$tmp/out" 2>"$tmp/err" || status=$?
    kill "$runtime"
    [[ $status == 2 ]]
    [[ $(<"$tmp/err") == "heapdrift: cannot list processes: /proc is not mounted here" ]]
}

@test "an empty root: explore draws without a description of the terminal" {
    need_root_folders
    make_root empty
    local term line
    for term in xterm xterm-256color tmux-256color linux; do
        rm -f "$tmp/status"
        mux() { tmux -L "hd-static-$$" -f /dev/null "$@"; }
        printf -v line 'env -i TERM=%q LANG=C.UTF-8 unshare -r -R %q -w / /heapdrift explore fixtures/cache' "$term" "$root"
        mux new-session -d -x 90 -y 24 "$line; echo \$? >$tmp/status" 3>&-
        for _ in {1..200}; do
            out=$(mux capture-pane -p 2>/dev/null) || true
            [[ $out != *"Shop.Sessions.Session"* ]] || break
            sleep 0.05
        done
        [[ $out == *"Shop.Sessions.Session"* ]] || { echo "$term: $out"; mux kill-server; return 1; }
        mux send-keys q
        for _ in {1..200}; do [[ ! -s $tmp/status ]] || break; sleep 0.05; done
        [[ $(<"$tmp/status") == 0 ]]
        mux kill-server 2>/dev/null || true
    done
    # An unsupported terminal is reported.
    line=$(env -i TERM=dumb script -qec "unshare -r -R $root -w / /heapdrift explore fixtures/cache" /dev/null </dev/null) || true
    [[ $line == *'does not know this terminal (TERM); `heapdrift tree` prints instead'* ]]
}

on_aarch64() { (cd "$root" && env -i ${set:-} "$(command -v qemu-aarch64-static)" "$STATIC/aarch64/heapdrift" "$@"); }

@test "aarch64 under qemu: every command prints the same as on x86-64" {
    command -v qemu-aarch64-static >/dev/null || skip "no qemu-aarch64-static here"
    make_root empty
    set="LANG=C.UTF-8" another_system=1 same_words on_aarch64
    on_aarch64 convert fixtures/before.txt -o a.gcdump
    plain convert fixtures/before.txt -o b.gcdump
    cmp "$root/a.gcdump" "$root/b.gcdump"
    status=0
    sleep 60 3>&- &
    on_aarch64 collect --direct $! -o a.core 2>"$tmp/err" || status=$?
    kill $!
    [[ $status == 2 ]]
    [[ $(<"$tmp/err") == "heapdrift: the process has no .NET runtime whose memory can be read: "* ]]
}
