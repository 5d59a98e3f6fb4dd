# The commands that read snapshots work unchanged in the sandbox.
load helper

# Some kernels have neither, and sanitizers and coverage counters need forbidden calls.
need_sandbox() {
    works info -v "$before"
    [[ $err == *"sandbox: Landlock "*", seccomp"* ]] || skip "no Landlock and seccomp here"
}

# trying ARG...: run the program, and then try what the sandbox is to refuse.
trying() {
    [[ -e $tmp/refused.so ]] ||
        "${CC:-cc}" -shared -fPIC -o "$tmp/refused.so" tests/cli/refused.c
    echo victim >"$tmp/victim"
    REFUSED_FOLDER=$tmp REFUSED_INPUT=$PWD/$before LD_PRELOAD=$tmp/refused.so hd "$@"
    tried=$(sed -n 's/^tried //p' <<<"$err")
}

# Those of $tried that succeeded.
went_well() { sed -n 's/: yes$//p' <<<"$tried" | xargs; }

# same ARG...: the same bytes and status with the sandbox and without; an output in place of OUT.
same() {
    local with=$tmp/with without=$tmp/without
    rm -f "$with" "$without"
    hd "${@/OUT/$with}" <"${input:-/dev/null}"
    local out_1=$out err_1=$err status_1=$status
    hd "${@/OUT/$without}" --no-sandbox <"${input:-/dev/null}"
    [[ $out == "$out_1" && ${err//$without/} == "${err_1//$with/}" && $status == "$status_1" ]] ||
        complain "with the sandbox: status $status_1, $out_1 $err_1"
    [[ $* != *OUT* ]] || cmp "$with" "$without"
}

@test "the sandbox refuses other files, the network, programs and processes" {
    need_sandbox
    trying info "$before"
    status_is 0
    [[ $(went_well) == "input thread" ]] || complain "only these should work: input, thread"
    # A refusal must not end the program, but be an ordinary error.
    [[ $(wc -l <<<"$tried") == 30 ]]
    [[ $(sed -n 's/.*: no //p' <<<"$tried" | sort -u | xargs) == "EACCES EPERM" ]] ||
        complain "other errors than expected"
}

@test "with an output the sandbox allows only files in its folder" {
    need_sandbox
    mkdir "$tmp/there"
    trying top "$before" -o "$tmp/there/out"
    status_is 0
    [[ -s $tmp/there/out && $(went_well) == "input thread" ]] || complain "too much"
    trying top "$before" -o "$tmp/out"
    [[ $(went_well) == "input thread create write remove" ]] ||
        complain "files of this folder, no more"
}

@test "--no-sandbox keeps all rights" {
    need_sandbox
    trying info --no-sandbox "$before"
    local wanted="input thread read list create write truncate mkdir link chmod owner remove tcp
        unix pair fork signal trace peek code memory-file limit dumpable program"
    # Restrictions of a container are not a failure of the test.
    local name
    for name in $wanted; do
        [[ " $(went_well) " == *" $name "* || $name =~ ^(trace|peek|signal|code|memory-file)$ ]] ||
            complain "$name should work without the sandbox"
    done
}

@test "every command that reads snapshots is in the sandbox" {
    need_sandbox
    local command
    for command in "diff ${pair[*]}" "report ${pair[*]}" "tree $before" "top $before" \
        "roots --type=* $before" "object $before #1" "check ${series[*]}" "info $before" \
        "convert --to=table-csv $before -o -"; do
        set -f
        trying $command
        set +f
        [[ $status -lt 2 && $tried == *"tcp: no EPERM"*"program: no EPERM"* ]] || complain "$command"
        [[ $tried == *"read: no EACCES"*"create: no E"* ]] || complain "$command"
    done
    trying completion bash
    [[ $tried == *"tcp: yes"* ]]
}

@test "what may be a core dump reads modules, until it is known" {
    need_sandbox
    local core=fixtures/core/net10.core.xz
    stand_in '#include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        char *strrchr(const char *s, int c) {
            char *at = NULL;
            for (; *s; s++) at = *s == c ? (char *)s : at;
            return at;
        }
        __attribute__((destructor)) static void end(void) {
            dprintf(2, "%d %d\n", open("/usr/bin/env", O_RDONLY), open("/proc/1/status", O_RDONLY));
        }'
    with_stand_in info "$core"
    [[ ${err##*$'\n'} == "-1 -1" ]] || complain "one core is read once"
    with_stand_in diff "$core" "$core"
    [[ ${err##*$'\n'} == *[0-9]" -1" && ${err##*$'\n'} != "-1 -1" ]] ||
        complain "two may be read again"
    with_stand_in top - <"$before"
    [[ ${err##*$'\n'} == "-1 -1" ]] || complain "it was no core"
}

@test "a folder of links, a part of a file, a named pipe are read as without" {
    need_sandbox
    mkdir "$tmp/links"
    for i in 1 2 3 4; do ln -s "$PWD/${series[i - 1]}" "$tmp/links/$i.txt"; done
    same diff "$tmp/links"
    same info "$before" "$tmp/links/" fixtures/no-such-file
    ln -s links/1.txt "$tmp/one"
    same top "$tmp/one"
    cat "${series[0]}" "${series[1]}" >"$tmp/two#3"
    same info "$tmp/two#3" "$tmp/one#2"
    works top <(cat "$before")
    mkfifo "$tmp/pipe"
    copy_slowly "$before" "$tmp/pipe"
    works top "$tmp/pipe"
}

@test "the same bytes with the sandbox and without" {
    need_sandbox
    local core=fixtures/core/net10.core.xz cache=fixtures/leaklab/cache
    same diff "$cache"
    same diff --memory=64MiB -j1 "$cache"
    same diff --format=json "${pair[@]}" -o OUT
    # A page contains its command, which differs.
    works report "${pair[@]}" -o "$tmp/page"
    [[ $(tail -n1 "$tmp/page") == *"</html>"* ]]
    same tree "$cache"
    same top --format=json "$core"
    same roots --type='*' "${pair[@]}"
    same object "$before" '#1'
    same check --max-growth=1% "${series[@]}"
    same check "${series[@]}" --baseline-write OUT
    works check "${series[@]}" --baseline-write "$tmp/accepted"
    same check "${series[@]}" --baseline "$tmp/accepted"
    printf 'version: 1\nbudgets:\n  - total: objects\n    max_growth: 1\n' >"$tmp/heapdrift.yml"
    (cd "$tmp" && same check "${series[@]/#/$OLDPWD/}")
    same convert fixtures/leaklab/cache/1.gcdump.gz -o OUT --to=table-json
    input=$before same top -
    zip -qj "$tmp/a.zip" "$before"
    xz -k <"$before" >"$tmp/a.xz"
    same info "$tmp/a.zip" "$tmp/a.xz"
    printf '%s\n' --rows=3 "$before" >"$tmp/words"
    same top "@$tmp/words"
}

@test "outputs to links, devices, pipes and missing folders behave as without the sandbox" {
    need_sandbox
    mkdir "$tmp/a" "$tmp/b"
    ln -s ../b/real "$tmp/a/link"
    works top "$before" -o "$tmp/a/link"
    [[ -L $tmp/a/link && -s $tmp/b/real ]]
    works top "$before" -o /dev/null
    works top "$before" -o /dev/stdout
    out_has "[total]"
    mkfifo "$tmp/pipe"
    timeout 600 cat "$tmp/pipe" >"$tmp/got" 3>&- &
    works top "$before" -o "$tmp/pipe"
    wait
    cmp "$tmp/got" "$tmp/b/real"
    same top "$before" -o "$tmp/none/out"
    (cd "$tmp" && works top "$OLDPWD/$before" -o here && [[ -s here ]])
    GITHUB_STEP_SUMMARY=$tmp/summary works check --max-growth=900% "${series[@]}"
    [[ -s $tmp/summary ]]
}

@test "with one of them in the kernel, or neither, the program works as before" {
    need_sandbox
    local no_landlock='#include <errno.h>
        #include <stdarg.h>
        #include <sys/syscall.h>
        long syscall(long n, ...) { (void)n; errno = ENOSYS; return -1; }'
    # PR_SET_NO_NEW_PRIVS is for Landlock, too.
    local no_seccomp='#include <dlfcn.h>
        #include <errno.h>
        #include <linux/prctl.h>
        int prctl(int what, long a, long b, long c, long d) {
            int (*real)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
            errno = EINVAL;
            return what == PR_SET_SECCOMP ? -1 : real(what, a, b, c, d);
        }'
    works top "$before"
    local expected=$out
    stand_in "$no_landlock
        $no_seccomp"
    with_stand_in top "$before"
    [[ $status == 0 && $out == "$expected" ]] || complain "should work with neither"
    with_stand_in info -v "$before"
    err_has "heapdrift: sandbox: none: this system has neither Landlock nor seccomp"
    stand_in "$no_seccomp"
    with_stand_in info -v "$before"
    err_matches "heapdrift: sandbox: Landlock [0-9]+; no seccomp here"
}

@test "what the kernel has and does not do is an error, not a run without" {
    need_sandbox
    stand_in '#include <errno.h>
        #include <stdarg.h>
        #include <sys/syscall.h>
        #include <dlfcn.h>
        long syscall(long n, ...) {
            va_list a;
            va_start(a, n);
            long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
            long x[4];
            for (int i = 0; i < 4; i++) x[i] = va_arg(a, long);
            va_end(a);
            if (n == SYS_landlock_restrict_self) { errno = E2BIG; return -1; }
            return real(n, x[0], x[1], x[2], x[3]);
        }'
    with_stand_in top "$before"
    fails_with "cannot enable the sandbox (Landlock: Argument list too long); --no-sandbox runs without it"
    with_stand_in top --no-sandbox "$before"
    status_is 0
}

@test "-v reports the active restrictions" {
    need_sandbox
    works info -v "$before"
    err_matches '^heapdrift: sandbox: Landlock [0-9]+, seccomp'
    works info "$before"
    err_is ""
}

@test "record enters the sandbox as soon as its store is open" {
    need_sandbox
    mkdir "$tmp/there"
    trying record -q --store="$tmp/there/store.db" --service=x --keep=90d "$before" "${series[@]}"
    status_is 0
    [[ $(went_well) == "input thread" ]] || complain "only these should work: input, thread"
    [[ $(ls "$tmp/there") == store.db ]]
    ln -s there/store.db "$tmp/link"
    works record -q --store="$tmp/link" --service=x "$before" "$after"
    [[ $(grep -c already <<<"$out") == 1 ]]
}
