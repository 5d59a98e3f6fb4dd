# Destinations of results, and their layout.
load helper

# Waits until the reader of stdout has closed it, then runs the program. The status is in $tmp/status.
into_closed_pipe() {
    mkfifo "$tmp/gate"
    {
        read -r <"$tmp/gate"
        status=0
        "$HEAPDRIFT" "$@" 2>"$tmp/err" || status=$?
        echo $status >"$tmp/status"
    } | {
        exec <&-
        echo closed >"$tmp/gate"
    }
    rm "$tmp/gate"
    status=$(<"$tmp/status") out='' err=$(<"$tmp/err") ran="heapdrift $* (into a closed pipe)"
}

@test "-o writes the result to a file and nothing to stdout" {
    works top --format=csv "$before"
    local expected=$out o
    for o in "-o $tmp/1" "-o$tmp/2" "--output=$tmp/3" "--output $tmp/4"; do
        works top --format=csv $o "$before"
        out_is ""
    done
    for o in 1 2 3 4; do [[ $(<"$tmp/$o") == "$expected" ]]; done
    [[ $(stat -c %a "$tmp/1") == "$(printf %o $((0666 & ~$(umask))))" ]]
}

@test "-o replaces a file whole, or leaves it alone" {
    mkdir "$tmp/o"
    echo precious >"$tmp/o/file"
    works top -o "$tmp/o/file" "$before"
    grep -q Orchard.Page "$tmp/o/file"
    echo precious >"$tmp/o/file"
    hd top -o "$tmp/o/file" fixtures/heap-text/bad-nul.txt
    status_is 2
    hd diff -o "$tmp/o/file" "$before"
    status_is 2
    hd roots -t Nowhere -o "$tmp/o/file" "$before"
    status_is 2
    [[ $(<"$tmp/o/file") == precious ]]
    [[ $(ls -A "$tmp/o") == file ]]
}

@test "-o follows links and keeps the mode of the file" {
    echo old >"$tmp/real"
    chmod 640 "$tmp/real"
    ln -s real "$tmp/link"
    works top -o "$tmp/link" "$before"
    [[ -L $tmp/link && ! -L $tmp/real ]]
    [[ $(stat -c %a "$tmp/real") == 640 ]]
    grep -q Orchard.Page "$tmp/real"
}

@test "-o creates the missing target of a link" {
    mkdir "$tmp/o"
    ln -s o/new "$tmp/link"
    ln -s "$tmp/link" "$tmp/link2"
    works top -o "$tmp/link2" "$before"
    [[ -L $tmp/link && -L $tmp/link2 && ! -L $tmp/o/new ]]
    grep -q Orchard.Page "$tmp/o/new"
    ln -s loop "$tmp/loop"
    hd top -o "$tmp/loop" "$before"
    fails_with "$tmp/loop: Too many levels of symbolic links"
    [[ -L $tmp/loop ]]
}

@test "-o keeps the old file when the disk is full" {
    mkdir "$tmp/o"
    echo precious >"$tmp/o/file"
    # A limit on the size of files fails a write as a full disk does.
    status=0
    (
        ulimit -f 8
        exec "$HEAPDRIFT" top -n0 -o "$tmp/o/file" fixtures/leaklab/none/5.gcdump.gz
    ) 2>"$tmp/err" || status=$?
    out='' err=$(<"$tmp/err") ran="heapdrift top -o (too large)"
    status_is 2
    err_matches "^heapdrift: $tmp/o/file: File too large\$"
    [[ $(<"$tmp/o/file") == precious ]]
    [[ $(ls -A "$tmp/o") == file ]]
}

@test "ending the program leaves no partial file" {
    local how
    # In the moment before the file gets its name.
    stand_in 'int rename(const char *from, const char *to)
        { (void)from, (void)to; char *s = getenv("SIGNAL"); s ? raise(atoi(s)) : exit(2); return -1; }'
    mkdir "$tmp/o"
    echo precious >"$tmp/o/file"
    for how in HUP INT QUIT TERM XCPU; do
        signal_ends "$how" || continue
        SIGNAL=$(kill -l "$how") with_stand_in top -q -o "$tmp/o/file" "$before"
        status_is $((128 + $(kill -l "$how")))
        err_is ""
        [[ $(ls -A "$tmp/o") == file ]] || complain "$how leaves $(ls -A "$tmp/o")"
    done
    with_stand_in convert -q -o "$tmp/o/file" --to=gcdump "$before"
    status_is 2
    [[ $(ls -A "$tmp/o") == file && $(<"$tmp/o/file") == precious ]]
    # A signal that was ignored is still ignored.
    status=0
    (
        trap '' HUP
        SIGNAL=1 with_stand_in top -q -o "$tmp/o/file" "$before"
        [[ $status == 2 ]]
    )
    # SIGKILL at the moment of replacing another file cannot be handled; but the remaining file is
    # not a snapshot of the folder.
    rm "$tmp/o/file"
    cp "$before" "$tmp/o/b"
    SIGNAL=9 with_stand_in convert -q --to=gcdump -o "$tmp/o/b" "$before"
    status_is 137
    compgen -G "$tmp/o/.heapdrift-*" >"$tmp/left"
    works top "$tmp/o"
    err_is ""
}

@test "memory that runs out while a file is written leaves no partial file" {
    ! nm -D "$HEAPDRIFT" | grep -q __asan_init || skip "AddressSanitizer has its own memory"
    stand_in 'static int gone;
        int mkstemp(char *name) { gone = 1; return mkostemp(name, 0); }
        int access(const char *name, int how)
        { gone |= strncmp(name, "/proc/self/fd/", 14) == 0; return faccessat(-100, name, how, 0); }
        void *realloc(void *p, size_t size) { return gone ? NULL : __libc_realloc(p, size); }'
    mkdir "$tmp/o"
    with_stand_in top -q -n0 --format=csv -o "$tmp/o/file" "$before"
    status_is 2
    err_has "heapdrift: out of memory"
    [[ -z $(ls -A "$tmp/o") ]] || complain "there is $(ls -A "$tmp/o")"
}

@test "-o without a place to write to" {
    hd top -o "$tmp/none/file" "$before"
    fails_with "$tmp/none/file: No such file or directory: create the folder $tmp/none first"
    hd top -o /dev/full "$before"
    fails_with "/dev/full: No space left on device"
    works top -o /dev/null "$before"
    if [[ $(id -u) != 0 ]]; then
        mkdir -m 555 "$tmp/locked"
        hd top -o "$tmp/locked/file" "$before"
        fails_with "$tmp/locked/file: Permission denied: this user cannot write to $tmp/locked"
    fi
}

@test "-o does not replace a snapshot that the report is about" {
    cp "$before" "$tmp/1.txt"
    cp "$after" "$tmp/2.txt"
    ln -s 2.txt "$tmp/link"
    local output
    for output in 1.txt 2.txt link; do
        hd diff -q "$tmp/1.txt" "$tmp/2.txt" -o "$tmp/$output"
        fails_with "$tmp/$output: is one of the snapshots; name another file"
    done
    hd info -o "$tmp/1.txt" "$tmp/1.txt"
    fails_with "$tmp/1.txt: is one of the snapshots; name another file"
    cmp "$before" "$tmp/1.txt"
    cmp "$after" "$tmp/2.txt"
}

@test "-o to a pipe writes into the pipe" {
    mkfifo "$tmp/pipe"
    copy_slowly "$tmp/pipe" "$tmp/got"
    works top --format=csv -o "$tmp/pipe" "$before"
    wait
    [[ -p $tmp/pipe ]]
    grep -q Orchard.Page,10,480 "$tmp/got"
}

@test "a full disk on stdout is an error of every command and format" {
    local args
    while read -r args; do
        status=0
        err=$("$HEAPDRIFT" $args 2>&1 >/dev/full) || status=$?
        out='' ran="heapdrift $args >/dev/full"
        fails_with "standard output: No space left on device"
    done <<ARGS
diff -q ${pair[*]}
top --format=json $before
top --format=csv fixtures/leaklab/none/5.gcdump.gz
roots -t Page --format=md $before
info $before
help
help diff
--version
ARGS
}

@test "a closed pipe ends quietly: its reader has what it wanted" {
    local args
    while read -r args; do
        into_closed_pipe $args
        status_is 0
        err_is ""
    done <<ARGS
diff -q ${pair[*]}
top -n0 --format=json fixtures/leaklab/none/5.gcdump.gz
roots -t Page --format=csv $before
convert -q --to=gcdump -o - $before
help
--version
ARGS
    # The status still has the result.
    into_closed_pipe diff -q --exit-code "${series[@]}"
    status_is 1
    err_is ""
}

@test "closed standard output and input" {
    status=0
    err=$("$HEAPDRIFT" top "$before" 2>&1 >&-) || status=$?
    out='' ran="heapdrift top >&-"
    status_is 2
    err_has "heapdrift: standard output: "
    works top "$before" <&-
    hd top - <&-
    status_is 2
    err_has "heapdrift: standard input: "
}

@test "-q silences notes and warnings, not errors" {
    works diff --format=csv "${pair[@]}"
    err_has warning
    local result=$out
    works diff -q --format=csv "${pair[@]}"
    err_is ""
    out_is "$result"
    works diff --quiet "${pair[@]}"
    err_is ""
    hd top -q "$tmp/none"
    fails_with "$tmp/none: No such file or directory"
}

@test "-v lists the inputs" {
    works top -v --no-sandbox "$before"
    err_matches "^heapdrift: sandbox: none: --no-sandbox
heapdrift: $before: heap-text, 90 objects, read in [0-9.]+ s\$"
    works diff -q --verbose "${pair[@]}"
    err_has "heapdrift: sandbox: "
    [[ $(wc -l <<<"$err") == 3 ]]
}

@test "no progress without a terminal" {
    works diff -q fixtures/leaklab/events
    err_is ""
    works diff -q --no-progress fixtures/leaklab/events
    err_is ""
}

@test "on a terminal a line shows the progress, and disappears" {
    need_terminal
    local copy=$tmp/slow
    mkfifo "$copy"
    copy_slowly "$before" "$copy" 1.2
    script -qec "'$HEAPDRIFT' top -q --color=never '$copy' | head -1" /dev/null >"$tmp/none" </dev/null
    copy_slowly "$before" "$copy" 1.2
    script -qec "'$HEAPDRIFT' top --color=never '$copy' | head -1" /dev/null >"$tmp/seen" </dev/null
    grep -q $'\e\\[Kreading; 1 of 1: '"$copy" "$tmp/seen" || complain "$(cat -v "$tmp/seen")"
    grep -q $'\r\e\\[K' "$tmp/seen"
    [[ $(grep -c reading "$tmp/none") == 0 ]]
}

@test "colour is for terminals, NO_COLOR and --color decide" {
    works diff -q "${pair[@]}"
    out_lacks $'\e'
    local plain=$out
    works diff -q --color=always "${pair[@]}"
    out_has $'\e['
    uncolor
    out_is "$plain"
    NO_COLOR=1 works diff -q --color always "${pair[@]}"
    out_has $'\e['
    on_terminal 200 diff -q "${pair[@]}"
    status_is 0
    out_has $'\e['
    on_terminal 200 diff -q --color=never "${pair[@]}"
    out_lacks $'\e'
    NO_COLOR=1 on_terminal 200 diff -q "${pair[@]}"
    out_lacks $'\e'
    NO_COLOR='' on_terminal 200 diff -q "${pair[@]}"
    out_has $'\e['
    TERM=dumb on_terminal 200 diff -q "${pair[@]}"
    out_lacks $'\e'
    works diff -q --color=auto --format=json "${pair[@]}"
    out_lacks $'\e'
    works diff -q --color=always --format=json "${pair[@]}"
    out_lacks $'\e'
}

@test "on a terminal no line is wider than it" {
    local columns args line
    for columns in 80 100 120; do
        while read -r args; do
            on_terminal $columns $args
            status_is 0
            uncolor
            while IFS= read -r line; do
                # A command to copy stays whole.
                [[ ${#line} -le $columns || $line == "next: "* ]] ||
                    complain "${#line} columns: $line"
            done <<<"$out"
        done <<'ARGS'
diff fixtures/leaklab/events
diff fixtures/leaklab/timers
diff --by=holder fixtures/leaklab/events
check --max-score=50% --max-growth=50% fixtures/leaklab2/tenants-slow
check fixtures/leaklab2/svc-idle
top fixtures/leaklab/events/5.gcdump.zst
roots -t Shop.Orders.Order fixtures/leaklab/events
info fixtures/leaklab/events/5.gcdump.zst
ARGS
    done
}

@test "remarks move below their row before a title is cut" {
    on_terminal 80 diff -n 3 fixtures/leaklab2/svc-timer
    uncolor
    out_has $'▁▃▅▆█  Contoso.Orders.Order\n    (TimerQueueTimer)\n    held by'
    on_terminal 120 diff -n 3 fixtures/leaklab2/svc-timer
    uncolor
    out_has "Contoso.Orders.Order  (TimerQueueTimer)"
    out_lacks "different owners" # one chain has all of them
}

@test "names lose their namespaces before their middle" {
    on_terminal 80 roots -t Session fixtures/leaklab/cache
    uncolor
    out_has $'\n    → …ConcurrentDictionary<String,Session>\n'
    out_has $'\n    → Tables<System.String,Shop.Sessions.Session>\n'
    on_terminal 80 diff -n 3 --chains=1 fixtures/leaklab/cache
    uncolor
    out_has "[static var …ConcurrentDictionary<String,Session>.s_sessions]"
    on_terminal 80 diff -n 3 --by=holder fixtures/leaklab/cache
    uncolor
    out_has " … → "
}

@test "a narrow terminal shows of the generations the one with most objects" {
    on_terminal 100 top -n 1 fixtures/leaklab/nettrace/1.nettrace.zst
    uncolor
    out_matches ' gen[012] [0-9.]+ %   *System'
    on_terminal 140 top -n 1 fixtures/leaklab/nettrace/1.nettrace.zst
    uncolor
    out_matches ' gen[012] [0-9.]+ %, gen'
}

@test "without a terminal names stay whole" {
    works diff -q -v --chains=0 fixtures/leaklab/events
    out_lacks "…Event"
    out_has "System.Collections.Generic.List<Shop.Orders.OrderLine>"
}

@test "the same bytes whatever the number of threads, and every time" {
    works diff -q --format=json -j1 fixtures/leaklab/density
    local one=$out j
    for j in -j2 -j7 --threads=2 "--threads 7"; do
        works diff -q --format=json $j fixtures/leaklab/density
        out_is "$one"
    done
    works diff -j1 "${series[@]}" fixtures/heap-text/odd-but-read.txt
    one=$out
    local warnings=$err
    works diff -j7 "${series[@]}" fixtures/heap-text/odd-but-read.txt
    out_is "$one"
    err_is "$warnings"
}

@test "warnings on stderr name file, line and code" {
    works top fixtures/heap-text/odd-but-read.txt
    err_has "heapdrift: warning: fixtures/heap-text/odd-but-read.txt:7: dangling-reference: "
    err_has "(3 times)"
    [[ $(grep -vc "^heapdrift: warning: fixtures/heap-text/odd-but-read.txt:[0-9]*: [a-z-]*: " <<<"$err") == 0 ]]
}

@test "Markdown begins with the line that bots look for" {
    local args
    for args in "diff -q ${pair[*]}" "top $before" "roots -t Page $before" "info $before"; do
        works ${args%% *} --format=md ${args#* }
        [[ ${out%%$'\n'*} == "<!-- heapdrift -->" ]]
    done
}

@test "CSV has the same number of fields in every row, TSV the same cells" {
    works diff -q --format=tsv fixtures/leaklab/none
    [[ $(awk -F'\t' '{print NF}' <<<"$out" | sort -u) == 14 ]]
    local tsv=$out
    works diff -q --format=csv fixtures/leaklab/none
    out_lacks "others]"
    out_lacks $'\r'
    [[ $(python -c 'import csv, sys
for row in csv.reader(sys.stdin): print("\t".join(row))' <<<"$out") == "$tsv" ]]
}

@test "JSON of every command and of all fixtures is valid under its schema" {
    local all=() file
    for file in fixtures/{heap-text,dumpheap-stat,gcdump-made}/*.{txt,gcdump} fixtures/type-tables/*; do
        [[ ! -f $file || $file == *expected.json ]] || all+=("$file")
    done
    {
        "$HEAPDRIFT" info -q --format=json "${all[@]}" 2>"$tmp/bad" || [[ $? == 2 ]]
        "$HEAPDRIFT" info --format=json fixtures/leaklab/{events,odd}
        for file in events timers cache list density none; do
            "$HEAPDRIFT" diff -q --format=json "fixtures/leaklab/$file"
        done
        "$HEAPDRIFT" diff -q --format=json -n0 --depth=3 --min-score=0% --iterations=0,1,2,3 "${series[@]}"
        "$HEAPDRIFT" diff -q --format=json --exact fixtures/leaklab/density
        "$HEAPDRIFT" diff -q --format=json --exact --across-builds --tables-only "${series[@]}"
        "$HEAPDRIFT" diff -q --format=json --by=holder fixtures/leaklab/events
        "$HEAPDRIFT" diff -q --format=json fixtures/leaklab/events/0.* fixtures/leaklab/timers/5.*
        "$HEAPDRIFT" check -q --format=json fixtures/leaklab/none
        "$HEAPDRIFT" check -q --format=json --budget='Shop.*=0' --max-growth=1% --max-score=1MiB \
            --exact fixtures/leaklab/events || [[ $? == 1 ]]
        "$HEAPDRIFT" check -q --format=json --budget=Zebra=0 --baseline-write="$tmp/accepted" "${pair[@]}"
        "$HEAPDRIFT" check -q --format=json --budget='*=1KiB' fixtures/type-tables/{gcdump-report.txt,table.csv}
        "$HEAPDRIFT" top -q --format=json --by=holder --sort=retained "$before"
        "$HEAPDRIFT" roots -q --format=json --exact -t Shop.Orders.Order fixtures/leaklab/events
        "$HEAPDRIFT" roots -q --format=json -t System.String "${series[@]}"
        "$HEAPDRIFT" diff -q --format=json --by=namespace --tables-only "${pair[@]}"
        "$HEAPDRIFT" diff -q --format=json fixtures/type-tables/{gcdump-report.txt,histogram.json,table.csv} "$before"
        "$HEAPDRIFT" diff -q --format=json fixtures/gcdump-made/{sampled,ms_full,v10,v11future}.gcdump
        "$HEAPDRIFT" diff -q --format=json fixtures/dumpheap-stat/{managed,dumpgen-gen2,unknown-names}.txt
        for file in "$before" fixtures/{heap-text/odd-but-read.txt,gcdump-made/v10.gcdump,type-tables/table.json} \
            fixtures/leaklab/odd/{empty,nameless}.gcdump.gz fixtures/dumpheap-stat/empty-heap.txt; do
            "$HEAPDRIFT" top -q --format=json "$file"
        done
        "$HEAPDRIFT" top -q --format=json --by=module fixtures/leaklab/none/0.gcdump.gz
        "$HEAPDRIFT" roots -q --format=json -t '*' --chains=50 "${series[3]}"
        "$HEAPDRIFT" roots -q --format=json -t 'Shop.*' --chains=50 --depth=5 fixtures/leaklab/list
        "$HEAPDRIFT" roots -q --format=json -t '*' fixtures/gcdump-made/v10.gcdump
        "$HEAPDRIFT" roots -q --format=json -t '*' fixtures/heap-text/root-kinds.txt
    } >"$tmp/results.json"
    python tests/cli/check_json.py docs/json-schema "$tmp/results.json"
}

@test "the verdict is first, and last where the beginning has scrolled away" {
    local verdict='LEAK  Shop.Sessions.Session: 0 → 6,000 objects in 6 snapshots, +3.31 MiB, 66 % of the heap, kept alive by static s_sessions'
    works diff -q fixtures/leaklab/cache
    [[ ${out%%$'\n'*} == "$verdict" && $out != *"$verdict"*"$verdict"* ]]
    on_terminal "160 rows 100" diff -q -v fixtures/leaklab/cache
    uncolor
    [[ ${out%%$'\n'*} == "$verdict" && $out != *"$verdict"*"$verdict"* ]]
    on_terminal "160 rows 24" diff -q -v fixtures/leaklab/cache
    uncolor
    [[ ${out%%$'\n'*} == "$verdict" && $out == *$'\n\n'"$verdict"$'\nFIX   '* ]]
    on_terminal "160 rows 24" check -q -v fixtures/leaklab/cache
    uncolor
    [[ $out == FAIL* && $out == *$'\n\n'"FAIL${verdict#LEAK}"$'\nFIX   '* ]]
}

@test "in a file nothing is repeated, truncated or colored" {
    on_terminal "60 rows 10" diff -q -v -o "$tmp/report.txt" fixtures/leaklab/cache
    [[ $(grep -c "^LEAK  " "$tmp/report.txt") == 1 ]]
    [[ $(grep -c $'\033' "$tmp/report.txt") == 0 ]]
    grep -qF "Node<System.String,Shop.Sessions.Session>" "$tmp/report.txt"
}

@test "facts about the whole heap are counted where it is held" {
    works -q -v fixtures/leaklab/events
    out_matches '0 → 20 .*  System.Byte\[\]  at this location; heap-wide 2 → 7,071'
    works -q --format=json fixtures/leaklab/events
    [[ $(json '.pooled[0] | "\(.held | tojson) \(.count[5])"') == "[0,13,14,19,19,20] 7071" ]] ||
        complain "$(json '.pooled[0].held | tojson')"
}

# A command killed while it writes leaves the old file or the new one, and no others. Each command is
# long enough to be killed while it writes.
@test "kill -9 in a loop: the old file or the new one, and no others" {
    local delay job command name
    mkdir "$tmp/k"
    python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$tmp/k" 2>/dev/null || skip "no nameless files here"
    large_gcdump "$tmp/large.gcdump" 60000
    while read -r name command; do
        # shellcheck disable=SC2086
        works $command "$before" -o "$tmp/k/$name"
        mv "$tmp/k/$name" "$tmp/whole"
        echo old >"$tmp/k/$name"
        for delay in 0 0.0{03..30..5} 0.{05..35..6}; do
            # shellcheck disable=SC2086
            "$HEAPDRIFT" $command "$before" -o "$tmp/k/$name" >/dev/null 2>&1 3>&- &
            job=$!
            sleep "$delay"
            kill -9 $job 2>/dev/null || true
            wait $job 2>/dev/null || true
            [[ $(ls -A "$tmp/k") == "$name" ]] || complain "$command leaves $(ls -A "$tmp/k")"
            [[ $(<"$tmp/k/$name") == old ]] || cmp "$tmp/whole" "$tmp/k/$name"
        done
        rm "$tmp/k/$name"
    done <<WAYS
a.json top -q --format=json
b.html report -q $tmp/large.gcdump
c.gcdump convert -q --to=gcdump
d.digest convert -q --to=digest
WAYS
}

@test "on file systems without unnamed files, or names for them, files are still written" {
    local how mode
    mkdir "$tmp/o"
    works top -q --format=csv "$before"
    local wanted=$out
    for how in NONE NO_NAME; do
        stand_in '#include <errno.h>
            #include <fcntl.h>
            #include <sys/syscall.h>
            #include <unistd.h>
            int open(const char *path, int flags, ...)
            {
                if (getenv("NONE") != NULL && (flags & O_TMPFILE) == O_TMPFILE)
                    return errno = EOPNOTSUPP, -1;
                return syscall(SYS_openat, AT_FDCWD, path, flags, 0600);
            }
            int linkat(int a, const char *from, int b, const char *to, int flags)
            { (void)a, (void)from, (void)b, (void)to, (void)flags; errno = EPERM; return -1; }
            ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
            {
                if (getenv("FULL") != NULL)
                    return errno = ENOSPC, -1;
                return syscall(SYS_pwrite64, fd, from, size > 1000 ? 1000 : size, at);
            }'
        export "$how=1"
        with_stand_in top -q --format=csv -o "$tmp/o/new" "$before"
        status_is 0
        [[ $(<"$tmp/o/new") == "$wanted" && $(stat -c %a "$tmp/o/new") == "$(printf %o $((0666 & ~$(umask))))" ]]
        for mode in 600 640; do
            echo old >"$tmp/o/there"
            chmod $mode "$tmp/o/there"
            with_stand_in top -q --format=csv -o "$tmp/o/there" "$before"
            status_is 0
            [[ $(<"$tmp/o/there") == "$wanted" && $(stat -c %a "$tmp/o/there") == "$mode" ]]
        done
        [[ $(cd "$tmp/o" && echo .[!.]* *) == ".[!.]* new there" ]] || complain "$(ls -A "$tmp/o")"
        rm "$tmp/o/new"
        unset "$how"
    done
    echo old >"$tmp/o/there"
    FULL=1 with_stand_in top -q --format=csv -o "$tmp/o/there" "$before"
    fails_with "$tmp/o/there: No space left on device"
    [[ $(ls -A "$tmp/o") == there && $(<"$tmp/o/there") == old ]]
}

# The fifth file is much the largest, the second cannot be opened; threads end in another order.
@test "-v lists files in the order of the command line" {
    local k names
    for k in {1..5}; do
        hd diff -v fixtures/leaklab/cache/0.gcdump.gz "$tmp/none" fixtures/leaklab/cache/{5,1,4,2,3}.gcdump.gz
        status_is 2
        names=$(sed -n 's|^heapdrift: fixtures/leaklab/cache/\([0-9]\).gcdump.gz: gcdump, .*|\1|p' <<<"$err")
        [[ ${names//$'\n'/} == 051423 ]] || complain "${names//$'\n'/}"
    done
}

# --- on the disk -------------------------------------------------------------------------

# calls ARG...: what becomes of files, a word each: sync, name, folder (to be written).
calls() {
    strace -f -y -e trace=fsync,linkat,rename,renameat,renameat2 -o "$tmp/calls" "$HEAPDRIFT" "$@" >/dev/null
    sed -nE "s/.* fsync\([0-9]+<${tmp//\//\\/}\/?(there)?>\).* = 0\$/folder/p; t; s/.* fsync\(.* = 0\$/sync/p; t; s/.* (linkat|rename[a-z0-9]*)\(.* = 0\$/name/p" "$tmp/calls" | xargs
}

@test "a file is on the disk before it has its name, and its name before it is reported" {
    strace -V >/dev/null 2>&1 || skip "no strace"
    mkdir "$tmp/there"
    [[ $(calls top "$before" -o "$tmp/there/out") == "sync name folder" ]] || complain "$(<"$tmp/calls")"
    # The replaced file has its name until then; the new one has another for a moment.
    [[ $(calls top "$before" -o "$tmp/there/out") == "sync name name folder" ]] || complain "$(<"$tmp/calls")"
    [[ $(calls convert -q "$before" -o "$tmp/there/new.gcdump") == "sync name folder" ]] || complain "$(<"$tmp/calls")"
}

@test "a failing disk is an error, but not a file system without this call" {
    local error
    for error in EIO EINVAL ENOTSUP; do
        stand_in "#include <errno.h>
int fsync(int fd) { (void)fd; errno = $error; return -1; }"
        rm -f "$tmp/out"
        with_stand_in top "$before" -o "$tmp/out"
        if [[ $error == EIO ]]; then
            fails_with "$tmp/out: Input/output error"
            [[ ! -e $tmp/out ]] || complain "a file that may not be on the disk"
        else
            status_is 0
            [[ -s $tmp/out ]]
        fi
    done
}
