# System errors are reported in one line, and nothing is half done. Each of these was found by `make
# faults`, which lets every call fail once.
load helper

setup_file() {
    if [[ $HEAPDRIFT == *asan* ]]; then skip_file "the sanitizers have a malloc of their own"; else make_failing; fi
}

teardown() {
    [[ -z ${runtime:-} ]] || kill "$runtime" 2>/dev/null || true
}

# Without /proc, for programs that open or stat files in it. without_proc [C]: with the replacements in
# C.
without_proc() {
    stand_in '#include <dlfcn.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <string.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static int is_there(const char *path)
        { errno = ENOENT; return strncmp(path, "/proc/", 6) != 0; }
        int open(const char *path, int flags, ...)
        { return is_there(path) ? syscall(SYS_openat, AT_FDCWD, path, flags, 0600) : -1; }
        int access(const char *path, int mode)
        { return is_there(path) ? syscall(SYS_faccessat, AT_FDCWD, path, mode) : -1; }
        '"${1:-}"
}

@test "a mapped file that was truncated is named, or without /proc the possible ones are" {
    large_gcdump "$tmp/large.gcdump" 150000
    cp "$tmp/large.gcdump" "$tmp/cut.gcdump"
    # The sandbox would keep the program from cutting.
    export CUT_AT=1 CUT_BELOW=$tmp
    LD_PRELOAD=$failing hd top --no-sandbox "$tmp/cut.gcdump"
    fails_with "$tmp/cut.gcdump: was truncated while being read"
    cp "$tmp/large.gcdump" "$tmp/cut.gcdump"
    without_proc
    # It is truncated through /proc as well, by the first one that is asked.
    LD_PRELOAD=$failing:$BATS_TEST_TMPDIR/stand_in.so hd top --no-sandbox "$tmp/cut.gcdump"
    fails_with "a snapshot, or a file that a core dump names: was truncated while being read"
}

@test "without /proc collect makes a snapshot of a usual trace" {
    play_runtime play
    without_proc
    with_stand_in collect -q --diagnostic-port="$socket" -o "$tmp/a.gcdump"
    status_is 0
    works info "$tmp/a.gcdump"
    out_matches "objects +8,526,"
}

@test "without /proc collect reports that a snapshot of an unusual trace needs it" {
    play_runtime play fixtures/leaklab/odd/lossy.nettrace.zst
    without_proc
    mkdir "$tmp/o"
    with_stand_in collect -q --diagnostic-port="$socket" -o "$tmp/o/a.gcdump"
    fails_with "$tmp/o/a.gcdump: a gcdump needs /proc, which is not mounted here; write a trace instead (.nettrace)"
    [[ -z $(ls -A "$tmp/o") ]]
    with_stand_in collect -q --diagnostic-port="$socket" -o "$tmp/o/a.nettrace"
    status_is 0
    works top "$tmp/o/a.nettrace"
}

@test "without /proc a core dump is written, and reported as unchecked" {
    socket=$tmp/socket
    xz -dc fixtures/core/net10.core.xz >"$tmp/good"
    python3 tests/cli/runtime.py "$socket" dump "$tmp/good" 3>&- &
    runtime=$!
    until [[ -S $socket ]]; do sleep 0.05; done
    without_proc
    with_stand_in collect --no-progress --diagnostic-port="$socket" -o "$tmp/a.core"
    status_is 0
    err_has "heapdrift: note: $tmp/a.core: not checked: reading it needs /proc, which is not mounted here"
    cmp "$tmp/a.core" "$tmp/good"
    with_stand_in collect -q --strict --diagnostic-port="$socket" -o "$tmp/a.core"
    status_is 3
    err_is "heapdrift: inconclusive: the snapshot was not checked"
}

@test "a file of a folder that cannot be looked at is not left out" {
    mkdir "$tmp/folder"
    cp "${series[@]}" "$tmp/folder"
    stand_in '#include <errno.h>
        #include <string.h>
        #include <sys/stat.h>
        #include <fcntl.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int stat(const char *path, struct stat *st)
        {
            errno = ENOMEM;
            return strstr(path, "series-2") != NULL ? -1 : syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
        }'
    works diff -q "$tmp/folder"
    local whole=$out
    with_stand_in diff -q "$tmp/folder"
    status_is 0
    out_is "$whole"
    stand_in '#include <dirent.h>
        #include <errno.h>
        struct dirent *readdir(DIR *folder) { (void)folder; errno = EIO; return NULL; }'
    with_stand_in diff -q "$tmp/folder"
    fails_with "$tmp/folder: Input/output error"
}

@test "a compressed file that cannot be read is not reported as damaged" {
    gzip -c "$after" >"$tmp/a.gz"
    # Behind the head, which is read to recognise it.
    stand_in '#include <errno.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        ssize_t read(int fd, void *to, size_t size)
        { (void)fd, (void)to, (void)size; errno = EIO; return -1; }'
    with_stand_in top "$tmp/a.gz"
    fails_with "$tmp/a.gz: Input/output error"
}

@test "processes that cannot be listed are not reported as missing" {
    # Nor is there what would find the .NET processes of this machine.
    without_proc '#include <dirent.h>
        DIR *fdopendir(int fd) { (void)fd; errno = ENOENT; return NULL; }
        DIR *opendir(const char *name)
        {
            if (strncmp(name, "/proc", 5) == 0)
                return errno = ENOENT, NULL;
            return ((DIR *(*)(const char *))dlsym(RTLD_NEXT, "opendir"))(name);
        }'
    TMPDIR=$tmp with_stand_in ps
    fails_with "cannot list processes: /proc is not mounted here"
    TMPDIR=$tmp with_stand_in collect --name=Shop -o "$tmp/a.gcdump"
    fails_with "cannot list processes: /proc is not mounted here"
    stand_in '#include <dirent.h>
        #include <errno.h>
        DIR *opendir(const char *name) { (void)name; errno = EMFILE; return NULL; }'
    with_stand_in ps
    fails_with "cannot inspect all processes: Too many open files"
    with_stand_in collect --name=Shop -o "$tmp/a.gcdump"
    fails_with "cannot inspect all processes: Too many open files"
    with_stand_in collect --all -o "$tmp/all"
    fails_with "cannot inspect all processes: Too many open files"
    [[ ! -e $tmp/all ]]
}

@test "output that was lost in the middle is not called written" {
    # The disk is full for a moment: the first block is lost, the others are written.
    stand_in '#include <fcntl.h>
        #include <stdio.h>
        #include <unistd.h>
        size_t fwrite(const void *from, size_t size, size_t count, FILE *to)
        {
            static int seen;
            if (to == stdout && seen++ == 2) {
                int kept = dup(1);
                dup2(open("/dev/full", O_WRONLY), 1);
                fflush(stdout);
                dup2(kept, 1);
            }
            return fwrite_unlocked(from, size, count, to);
        }'
    with_stand_in help formats
    status_is 2
    err_is "heapdrift: standard output: Input/output error"
    # A reader that closes the pipe has read enough.
    works help formats
    HEAPDRIFT=$HEAPDRIFT bash -c '"$HEAPDRIFT" help formats 2>"$1" | head -n 1; exit "${PIPESTATUS[0]}"' sh "$tmp/said"
    [[ ! -s $tmp/said ]]
}

@test "watch --no-keep leaves no file if memory or time runs out" {
    mkdir "$tmp/t"
    play_runtime play
    for n in 500 3000 5000; do
        TMPDIR=$tmp/t LD_PRELOAD=$failing FAIL_AT=$n hd watch --no-keep --diagnostic-port="$socket" --count=2 --interval=10ms -q
        status_is 2
        err_has "out of memory"
        [[ -z $(ls -A "$tmp/t") ]]
    done
    TMPDIR=$tmp/t "$HEAPDRIFT" watch --no-keep --diagnostic-port="$socket" --count=50 --interval=1s -q 3>&- &
    local job=$!
    for _ in $(tries); do [[ ! -e $(echo "$tmp"/t/*/1.gcdump) ]] || break; sleep 0.05; done
    kill -XCPU $job
    wait $job || true
    [[ -z $(ls -A "$tmp/t") ]]
}
