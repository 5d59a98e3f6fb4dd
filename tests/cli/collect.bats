# Snapshots of running processes: usage, errors, and one live process where there is .NET.
# tests/live has the long ones.
load helper
load ../live/lab

teardown() {
    stop_lab
    [[ -z ${runtime:-} ]] || kill "$runtime" 2>/dev/null || true
}

# until_is PATH: wait for a file, for 20 s at most.
until_is() {
    for _ in $(tries); do [[ ! -e $1 ]] || break; sleep 0.05; done
    [[ -e $1 ]]
}

@test "collect reports missing arguments" {
    hd collect
    fails_with 'name a process: heapdrift collect PID, or its name; see `heapdrift ps`'
    hd collect -p 1 --name=shop -o "$tmp/a.gcdump"
    fails_with "--process-id, --name and --diagnostic-port cannot be combined"
    hd collect -p 1
    fails_with "collect needs an output file: heapdrift collect PID -o OUT"
    hd collect -p 1 -o "$tmp/a.txt"
    fails_with "$tmp/a.txt: the name must end in .gcdump, .digest (a digest), .nettrace (the raw trace) or .core (a core dump)"
    hd collect -p 1 -o "$tmp/a.gcdump" --interval=5s
    fails_with "--interval requires --count"
    hd ps 1
    fails_with "ps takes no operands"
}

@test "the process is an operand, too: a number or a name" {
    local command args wanted
    cp "$before" "$tmp/file"
    for command in watch collect; do
        while IFS='|' read -r args wanted; do
            hd $command -o "$tmp/a.gcdump" ${args//FILE/$tmp\/file}
            fails_with "${wanted//FILE/$tmp\/file}"
        done <<OPERANDS
2147483647|no process 2147483647
no-such-program|no .NET process is called no-such-program; see \`heapdrift ps\`
0|0: must be a process id, see \`heapdrift ps\`
2147483648|2147483648: must be a process id, see \`heapdrift ps\`
99999999999999999999999|99999999999999999999999: must be a process id, see \`heapdrift ps\`
1 2|$command takes one process, not 2
-p 1 2|$command takes one process, not 2
--name=shop 2|$command takes one process, not 2
FILE|FILE: $command takes a process, by id or name; for files, use \`heapdrift diff\`
a/b.gcdump|a/b.gcdump: $command takes a process, by id or name; for files, use \`heapdrift diff\`
OPERANDS
    done
    # A program is often called like its file or its folder.
    mkdir "$tmp/here"
    touch "$tmp/here/no-such-program"
    cp "$before" "$tmp/here/snapshot"
    cd "$tmp/here"
    hd watch no-such-program
    fails_with 'no .NET process is called no-such-program; see `heapdrift ps`'
    hd watch snapshot
    fails_with 'snapshot: watch takes a process, by id or name; for files, use `heapdrift diff`'
    hd 4711
    fails_with 'no command or file is called 4711; for the process: heapdrift watch 4711'
}

@test "collect refuses values that make no sense" {
    local option
    for option in --process-id=0 --process-id=x --process-id=-4 --process-id=99999999999 --count=0 \
        --timeout=0 --timeout=x --timeout=5y --interval=-1 --interval=60d \
        --interval=0x10 --interval=1e1 --interval=1e1s --interval=.s --interval=1.2.3 --interval=' 5' \
        --timeout=0x10 --timeout=inf --name= \
        --diagnostic-port=relative; do
        hd collect -o "$tmp/a.gcdump" "$option"
        status_is 2
        err_matches "^heapdrift: ${option%%=*}=.*: must be "
    done
}

@test "collect reports its errors, and leaves no file" {
    mkdir "$tmp/o"
    hd collect -p 2147483647 -o "$tmp/o/a.nettrace"
    fails_with "no process 2147483647"
    # In a folder of its own: /tmp may contain a socket of another process with this number.
    TMPDIR=$tmp sleep 60 &
    for _ in $(tries); do [[ $(readlink "/proc/$!/exe") != */sleep ]] || break; sleep 0.05; done
    hd collect -p $! -o "$tmp/o/a.gcdump"
    kill $!
    status_is 2
    err_matches "^heapdrift: process $! \(.*\) has no diagnostics socket in $tmp"
    hd collect --name=no-such-program -o "$tmp/o/a.gcdump"
    fails_with "no .NET process is called no-such-program; see \`heapdrift ps\`"
    hd collect --diagnostic-port="$tmp/none" -o "$tmp/o/a.gcdump"
    fails_with "$tmp/none: No such file or directory"
    hd collect --diagnostic-port="$tmp/o" -o "$tmp/o/a.gcdump"
    fails_with "$tmp/o: not a socket"
    hd collect -p $$ -o "$tmp/none/a.gcdump"
    fails_with "$tmp/none/a.gcdump: No such file or directory: create the folder $tmp/none first"
    [[ -z $(ls -A "$tmp/o") ]]
}

@test "collect refuses the socket of a dead process" {
    python -c 'import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1])' \
        "$tmp/dotnet-diagnostic-$$-1-socket"
    TMPDIR=$tmp hd collect -p $$ -o "$tmp/a.gcdump"
    status_is 2
    err_has "nothing listens on $tmp/dotnet-diagnostic-$$-1-socket: its process has exited"
    TMPDIR=$tmp works ps --format=csv
    out_lacks "$tmp"
}

@test "a process that hangs is given up on" {
    play_runtime mute
    mkdir "$tmp/o"
    hd collect --diagnostic-port="$socket" --timeout=500ms -o "$tmp/o/a.gcdump"
    status_is 2
    err_matches '^heapdrift: the heap was not walked within 0.5 s: .*--timeout'
    [[ -z $(ls -A "$tmp/o") ]]
}

@test "a process that sends more than its heap can need does not fill the disk" {
    play_runtime flood
    mkdir "$tmp/o"
    # Within the limit, and far from the time-out.
    (
        ulimit -f 1000000
        hd collect --diagnostic-port="$socket" -o "$tmp/o/a.nettrace"
        status_is 2
        err_matches '^heapdrift: the process sent more than [0-9]+ MiB, which a heap in [0-9.]+ MiB of memory cannot need$'
    )
    [[ -z $(ls -A "$tmp/o") ]]
}

@test "collect replaces a file, but not by half of one" {
    play_runtime play
    echo old >"$tmp/a.nettrace"
    works collect --diagnostic-port="$socket" -o "$tmp/a.nettrace"
    same_trace "$tmp/a.nettrace"
    kill "$runtime"
    play_runtime flood
    hd collect --diagnostic-port="$socket" -o "$tmp/a.nettrace"
    status_is 2
    same_trace "$tmp/a.nettrace"
}

@test "collect continues without its terminal on request" {
    play_runtime play
    mkdir "$tmp/o"
    (trap '' HUP && exec "$HEAPDRIFT" collect -q --diagnostic-port="$socket" -o "$tmp/o/a.nettrace" --count=3 --interval=500ms 2>"$tmp/err") 3>&- &
    local job=$!
    until_is "$tmp/o/a-1.nettrace"
    kill -HUP $job
    wait $job
    [[ ! -s $tmp/err && $(ls "$tmp/o") == a-1.nettrace$'\n'a-2.nettrace$'\n'a-3.nettrace ]]
}

@test "in a pipe each step is a line, without escape sequences; -q and --no-progress silence it" {
    local option
    play_runtime play
    works collect --no-ages --diagnostic-port="$socket" -o "$tmp/a.gcdump" --count=2 --interval=50ms
    out_is ""
    err_lacks $'\e'
    err_lacks $'\r'
    err_matches "^heapdrift: $tmp/a-1\.gcdump: [0-9]+ objects, [0-9.]+ MiB, in [0-9.]+ s(; process paused for [0-9.]+ ms)?"$'\n'"heapdrift: $tmp/a-2\.gcdump: [0-9]+ objects, [0-9.]+ MiB, in [0-9.]+ s(; process paused for [0-9.]+ ms)?\$"
    works watch --no-keep --no-ages --diagnostic-port="$socket" --count=2 --interval=50ms --format=csv
    err_lacks $'\e'
    err_matches "^heapdrift: snapshot 1 of 2: [0-9]+ objects, [0-9.]+ MiB, in [0-9.]+ s(; process paused for [0-9.]+ ms)?"$'\n'"heapdrift: watching: 1 more, every 0.05 s"$'\n'"heapdrift: snapshot 2 of 2: "
    out_lacks snapshot
    for option in -q --quiet "-q -v --no-progress"; do
        works watch --no-keep $option --diagnostic-port="$socket" --count=2 --interval=50ms
        err_lacks watching
    done
    works watch -q --no-keep --diagnostic-port="$socket" --count=2 --interval=50ms
    err_is ""
    works collect -q --diagnostic-port="$socket" -o "$tmp/a.gcdump"
    err_is ""
    works collect --no-progress --diagnostic-port="$socket" -o "$tmp/a.gcdump"
    err_is ""
}

@test "a process that ends the session between two snapshots costs no more than a note, once" {
    play_runtime play
    works collect --diagnostic-port="$socket" -o "$tmp/a.gcdump" --count=3 --interval=50ms
    err_matches "heapdrift: note: $tmp/a-2\.gcdump: which objects survived is not known exactly: the process ended the session"
    [[ $(grep -c 'which objects survived' <<<"$err") == 1 ]]
    works info --format=json "$tmp/a-3.gcdump"
    [[ $(jq -c '.snapshots[0] | [.identity, .untold]' <<<"$out") == '[null,"ended"]' ]]
    works info "$tmp/a-3.gcdump"
    out_has 'unknown: the process ended the session'
}

@test "of a series of traces it is never in the way, whatever cannot be known" {
    play_runtime play
    works collect --diagnostic-port="$socket" -o "$tmp/a.nettrace" --count=3 --interval=50ms
    err_matches "heapdrift: note: $tmp/a-2\.nettrace: which objects survived is not known exactly: the process ended the session"
    [[ $(grep -c 'which objects survived' <<<"$err") == 1 ]]
    works collect --memory=100KiB --diagnostic-port="$socket" -o "$tmp/b.nettrace" --count=2 --interval=50ms
    err_matches "heapdrift: note: $tmp/b-1\.nettrace: which objects survived is not known exactly: .*memory"
    for trace in "$tmp"/a-1.nettrace "$tmp"/b-*.nettrace; do
        same_trace "$trace"
    done
    for trace in "$tmp"/a-[23].nettrace; do
        works info --format=json "$trace"
        [[ $(jq -c '.snapshots[0] | [.identity, .untold, .complete]' <<<"$out") == '[null,"ended",true]' ]]
    done
}

@test "a long step prints every half minute that it continues" {
    # Half a minute is long for a test: the clock runs a thousand times faster.
    play_runtime mute
    stand_in '#include <time.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        int clock_gettime(clockid_t id, struct timespec *t)
        {
            int failed = syscall(SYS_clock_gettime, id, t);
            t->tv_sec = t->tv_sec % 1000 * 100 + t->tv_nsec / 10000000;
            return failed;
        }'
    with_stand_in collect --diagnostic-port="$socket" --timeout=90 -o "$tmp/a.gcdump"
    status_is 2
    err_matches '^heapdrift: collecting: the heap is being walked, [3-5][0-9] s'$'\n''heapdrift: collecting: the heap is being walked, [6-9][0-9] s'
    err_lacks $'\e'
}

@test "on a terminal a line is written over, but not on a dumb one" {
    need_terminal
    play_runtime play
    local line
    printf -v line ' %q' "$HEAPDRIFT" watch --no-keep --diagnostic-port="$socket" --count=2 --interval=700ms
    script -qec "$line >$tmp/none" /dev/null >"$tmp/seen" </dev/null
    grep -q $'\e\\[Kwatching: 1 of 2 snapshots, the next in 1 s' "$tmp/seen"
    # A busy machine may skip a second, but not in each of five tries.
    for _ in {1..5}; do
        script -qec "${line/700ms/2200ms} >$tmp/none" /dev/null >"$tmp/seen" </dev/null
        ! grep -q 'the next in 3 s.*the next in 2 s.*the next in 1 s' <(tr -d '\r\n' <"$tmp/seen") || break
    done
    grep -q 'the next in 3 s.*the next in 2 s.*the next in 1 s' <(tr -d '\r\n' <"$tmp/seen")
    TERM=dumb script -qec "$line >$tmp/none" /dev/null >"$tmp/seen" </dev/null
    grep -q 'heapdrift: watching: 1 more' "$tmp/seen"
    run ! grep -q $'\e' "$tmp/seen"
}

@test "a process hidden in /proc is not reported as missing" {
    [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null || skip "takes root"
    local program
    printf -v program %q "$HEAPDRIFT"
    # In a folder where no process puts its socket: another one with this number may have left one in
    # /tmp.
    local as_nobody=(env TMPDIR=/var/lib unshare -m -p -f --kill-child sh -c 'mount -t proc -o hidepid=2 proc /proc || exit
        mount -t tmpfs none /tmp || exit
        sleep 600 &
        export hidden=$!
        exec setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$1"' sh)
    "${as_nobody[@]}" "$program --version" >/dev/null 2>&1 || skip "no namespaces here, or nobody may not run it"
    ran='collect as nobody' status=2 err=''
    ! "${as_nobody[@]}" 'test -e /proc/$hidden' || skip "nothing is hidden here"
    out=$("${as_nobody[@]}" "$program collect -p \$hidden -o /tmp/heapdrift-$$.gcdump 2>&1") || true
    out_matches '^heapdrift: process [0-9]+ is hidden from this user by /proc \(hidepid\); run heapdrift as its user, or as root$'
    out=$("${as_nobody[@]}" "$program collect -p 2000 -o /tmp/heapdrift-$$.gcdump 2>&1") || true
    out_is "heapdrift: no process 2000"
}

@test "ps writes every format" {
    works ps --format=csv
    out_matches '^pid,name,runtime,user,command,socket,problem'
    works ps --format=json
    [[ $(json .schema) == heapdrift-ps ]]
    works ps --format=md
    out_matches '\| pid \| name \||no \.NET process'
}

@test "a live process: ps, collect as trace and gcdump, compare" {
    need_dotnet
    start_lab cache
    iterate 5
    works ps --format=csv
    out_matches "(^|"$'\n'")$pid,LeakLab,[0-9]+\.[0-9.]+,"
    works ps --format=json
    python tests/cli/check_json.py docs/json-schema "$tmp/.out"
    works collect -p "$pid" -o "$tmp/1.nettrace"
    out_is ""
    err_matches "^heapdrift: $tmp/1\.nettrace: [0-9]+ objects, [0-9.]+ MiB, in [0-9.]+ s; process paused for [0-9.]+ ms\$"
    iterate 10
    works collect --process-id="$pid" --output="$tmp/2.gcdump" --timeout=60
    works info --format=json "$tmp/1.nettrace" "$tmp/2.gcdump"
    [[ $(json '[.snapshots[] | .complete, .has_graph, .pid] | join(" ")') == "true true $pid true true $pid" ]]
    works diff --format=json -n0 "$tmp/1.nettrace" "$tmp/2.gcdump"
    [[ $(json '.types[] | select(.type == "Shop.Sessions.Session") | .count | join(" ")') == "300 900" ]]
    # Nothing but the two snapshots.
    [[ $(echo "$tmp"/*.nettrace* "$tmp"/*.gcdump*) == "$tmp/1.nettrace $tmp/2.gcdump" ]]
}

@test "a live process: by name" {
    need_dotnet
    start_lab cache
    works ps --format=csv
    # Others may run at the same time.
    local same
    same=$(grep -c ',LeakLab,' <<<"$out")
    hd collect --name=LeakLab -o "$tmp/a.nettrace"
    if [[ $same == 1 ]]; then
        status_is 0
    else
        status_is 2
        err_matches "processes are called LeakLab: .*; choose one with --process-id"
    fi
}

@test "a live process: a series" {
    need_dotnet
    start_lab cache
    works collect -p "$pid" -o "$tmp/app.nettrace" --count=3 --interval=100ms -v
    [[ $(echo "$tmp"/app*) == "$tmp/app-1.nettrace $tmp/app-2.nettrace $tmp/app-3.nettrace" ]]
    [[ $(grep -cE 'app-[123].nettrace: [0-9]+ objects, [0-9.]+ MiB, in [0-9.]+ s(; process paused for [0-9.]+ ms)?$' <<<"$err") == 3 ]]
}

@test "a live process: collectors at the same time take turns" {
    need_dotnet
    start_lab cache
    iterate 5
    local i jobs=()
    for i in 1 2 3 4; do
        "$HEAPDRIFT" collect -q -p "$pid" -o "$tmp/$i.nettrace" --strict 2>"$tmp/err.$i" 3>&- &
        jobs+=($!)
    done
    for i in 1 2 3 4; do
        wait "${jobs[i - 1]}" || complain "$(<"$tmp/err.$i")"
        [[ ! -s $tmp/err.$i ]]
    done
}

# --- watch -----------------------------------------------------------------------------

@test "watch reports missing arguments" {
    hd watch
    fails_with 'name a process: heapdrift watch PID, or its name; see `heapdrift ps`'
    hd watch -p 1 --count=1
    fails_with "--count=1: watch compares 2 to 50 snapshots"
    hd watch -p 1 --count=51
    fails_with "--count=51: watch compares 2 to 50 snapshots"
    hd watch -p 2147483647 -o "$tmp/o"
    fails_with "no process 2147483647"
    [[ ! -e $tmp/o ]]
    mkdir "$tmp/o"
    touch "$tmp/o/1.gcdump"
    hd watch -p 1 -o "$tmp/o"
    fails_with "$tmp/o: the folder has files; name a new folder"
    hd watch -p 1 -o "$tmp/none/o"
    fails_with "$tmp/none/o: No such file or directory"
}

@test "a live process: watch ranks what grew, and keeps the files" {
    need_dotnet
    start_lab cache
    iterate 20
    # From the first snapshot to the last except one, however long they take: as each appears.
    mkdir "$tmp/kept"
    (for number in 1 2 3; do
        timeout 600 sh -c 'until [ -e "$1" ]; do sleep 0.02; done' sh "$tmp/kept/$number.gcdump" || exit
        iterate 20
    done) 3>&- &
    works watch -p "$pid" --count=4 --interval=2 --format=json -o "$tmp/kept"
    wait $!
    [[ $(json .schema) == heapdrift-diff && $(json '.suspects[0].subject') == Shop.Sessions.Session ]]
    [[ $(cd "$tmp/kept" && echo ./*) == "./1.gcdump ./2.gcdump ./3.gcdump ./4.gcdump" ]]
    hd check -q --budget=Session=0 "$tmp/kept"
    status_is 1
}

@test "a live process: watch accepts budgets, and leaves no files with --no-keep" {
    need_dotnet
    start_lab none
    iterate 20
    mkdir "$tmp/t"
    # The runtime's socket is not there.
    local socket
    works ps --format=json
    socket=$(json ".processes[] | select(.pid == $pid) | .socket")
    TMPDIR=$tmp/t works watch --no-keep --diagnostic-port="$socket" --count=2 --interval=100ms --max-growth=1GiB --format=junit
    out_has '<testsuite name="heapdrift" tests="1" failures="0"'
    TMPDIR=$tmp/t hd watch --no-keep --diagnostic-port="$socket" --count=2 --interval=100ms --budget='System.*=0' --max-growth-objects=0 -q
    [[ $status == 0 || $status == 1 ]]
    out_lacks "next:"
    [[ -z $(ls -A "$tmp/t") ]]
}

@test "a live process: what watch keeps has the name of the program" {
    need_dotnet
    start_lab cache
    mkdir "$tmp/here"
    cd "$tmp/here"
    local mistyped
    for mistyped in eakla leaklob; do
        hd watch "$mistyped"
        status_is 2
        err_matches "^heapdrift: no \.NET process is called $mistyped; did you mean [Ll]eak[Ll]ab\?$"
    done
    works watch "$pid" --count=2 --interval=50ms
    local kept=(heapdrift-*)
    [[ ${kept[0]} =~ ^heapdrift-[Ll]eak[Ll]ab-$pid-20[0-9]{6}-[0-9]{4}$ ]] || complain "${kept[0]}"
    err_has "heapdrift: kept 2 snapshots"
    hd check -q "${kept[0]}"
    [[ $status == 0 || $status == 1 ]]
    cd "$OLDPWD"
}

@test "watch compares what there is when it is stopped" {
    play_runtime play
    mkdir "$tmp/t"
    TMPDIR=$tmp/t "$HEAPDRIFT" watch --no-keep --diagnostic-port="$socket" --count=50 --interval=300ms --format=json \
        >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$!
    for _ in $(tries); do [[ ! -e $(echo "$tmp"/t/*/3.gcdump) ]] || break; sleep 0.05; done
    kill -TERM $job
    ran=watch
    ends $job
    status_is 0
    err_has "heapdrift: note: stopped after "
    [[ $(json '.snapshots | length') -ge 3 && -z $(ls -A "$tmp/t") ]]
}

@test "watch keeps snapshots in a new folder here, and prints its path and how to delete it" {
    play_runtime play
    mkdir "$tmp/here"
    cd "$tmp/here"
    works watch --no-ages --diagnostic-port="$socket" --count=3 --interval=50ms --format=json
    local kept=(heapdrift-*)
    [[ ${#kept[@]} == 1 && ${kept[0]} =~ ^heapdrift-20[0-9]{6}-[0-9]{4}$ ]]
    [[ $(cd "${kept[0]}" && echo *) == "1.gcdump 2.gcdump 3.gcdump" ]]
    err_has "heapdrift: writing snapshots to ${kept[0]}"$'\n'
    err_has "heapdrift: watching: 2 more, every 0.05 s"
    err_matches "heapdrift: kept 3 snapshots \(0\.[1-9] MiB\) in ${kept[0]}"$'\n'"heapdrift: to delete them: rm -r ${kept[0]}"
    [[ $(json '.snapshots[0].path') == "${kept[0]}/1.gcdump" ]]
    # None of these in the answer, and it can be asked again.
    out_lacks "kept"
    works diff --format=csv "${kept[0]}"
    # Another run in this minute has its own folder; a hidden file is ignored.
    works watch -q --diagnostic-port="$socket" --count=2 --interval=50ms
    err_is ""
    kept=(heapdrift-*)
    [[ ${#kept[@]} == 2 ]]
    works watch --diagnostic-port="$socket" --count=2 --interval=50ms -o "$tmp/named"
    err_has "heapdrift: kept 2 snapshots (0.3 MiB) in $tmp/named"
    err_lacks "rm -r"
    hd watch --no-keep -o "$tmp/o" 4711
    fails_with "-o keeps the snapshots: it cannot be combined with --no-keep"
    hd watch --no-keep --store=x.db 4711
    fails_with "--store keeps the snapshots: it cannot be combined with --no-keep"
}

@test "watch prints its result from the third snapshot on" {
    play_runtime play
    local said='heapdrift: after 3 of 4 snapshots: UNSURE No leak found '
    works watch --no-keep --diagnostic-port="$socket" --count=4 --interval=4
    err_matches "$said"
    err_lacks "after 2 of 4"
    err_lacks "after 4 of 4"
    # With its own options, also for digests, and if the user presses Enter.
    works watch --diagnostic-port="$socket" --count=4 --interval=4 --budget='*=0' -o "$tmp/x.digest" --format=junit
    err_matches "$said|heapdrift: after 3 of 4 snapshots: UNSURE Fewer than two"
    out_lacks "after 3"
    works watch --no-keep --diagnostic-port="$socket" --on-enter --count=4 < <(printf '\n\n\n'; sleep 4; echo)
    err_matches "$said"
    # Not without a terminal, or without enough time.
    works watch -q --no-keep --diagnostic-port="$socket" --count=4 --interval=2
    err_is ""
    works watch --no-keep --diagnostic-port="$socket" --count=4 --interval=50ms
    err_lacks "after 3"
    HEAPDRIFT_ERRAND="so-far 3" hd watch 1
    status_is 2
}

@test "watch keeps what it took where this folder cannot be written to" {
    play_runtime play
    mkdir "$tmp/gone" "$tmp/t"
    cd "$tmp/gone"
    rmdir "$tmp/gone"
    TMPDIR=$tmp/t works watch --diagnostic-port="$socket" --count=2 --interval=50ms
    err_has "heapdrift: note: cannot write to this folder (No such file or directory)"
    err_has "heapdrift: writing snapshots to $tmp/t/heapdrift-"
    [[ $(stat -c %a "$tmp"/t/heapdrift-*) == 700 && -s $(echo "$tmp"/t/heapdrift-*/2.gcdump) ]]
    cd "$tmp"
}

@test "watch that is stopped keeps what it has" {
    play_runtime play
    mkdir "$tmp/here"
    cd "$tmp/here"
    local signal job
    ran=watch
    for signal in TERM KILL; do
        : >"$tmp/err" # what the other one said
        "$HEAPDRIFT" watch --diagnostic-port="$socket" --count=50 --interval=10 >"$tmp/.out" 2>"$tmp/err" 3>&- &
        job=$!
        for _ in $(tries); do ! grep -q 'more, every' "$tmp/err" || break; sleep 0.05; done
        kill -$signal $job
        ends $job
        [[ $(echo heapdrift-*/*) == */1.gcdump ]]
        rm -r heapdrift-*
        [[ $signal != TERM ]] || err_matches "heapdrift: kept 1 snapshot \(0\.[1-9] MiB\) in heapdrift-.*stopped before there were two"
    done
}

@test "watch that is stopped before its first snapshot leaves no folder" {
    play_runtime stall
    mkdir "$tmp/here"
    cd "$tmp/here"
    "$HEAPDRIFT" watch --diagnostic-port="$socket" --count=2 >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$!
    ran=watch
    for _ in $(tries); do [[ ! -e $(echo heapdrift-*) ]] || break; sleep 0.05; done
    sleep 0.2
    kill -TERM $job
    ends $job
    status_is 2
    err_lacks "kept"
    [[ -z $(ls -A) ]]
}

@test "a watch stopped in its first snapshot reports it once" {
    play_runtime stall
    mkdir "$tmp/t"
    TMPDIR=$tmp/t "$HEAPDRIFT" watch --no-keep --diagnostic-port="$socket" --count=2 -q >"$tmp/.out" 2>"$tmp/err" 3>&- &
    local job=$!
    for _ in $(tries); do [[ ! -e $(echo "$tmp"/t/*) ]] || break; sleep 0.05; done
    sleep 0.2
    kill -TERM $job
    ran=watch
    ends $job
    status_is 2
    err_is "heapdrift: stopped; the process continues, and nothing was written"
    [[ -z $out && -z $(ls -A "$tmp/t") ]]
}

# The comparison waits for a pipe without a writer.
@test "watch removes its folder when the comparison is stopped" {
    play_runtime play
    mkdir "$tmp/t"
    mkfifo "$tmp/baseline"
    local signal job
    for signal in TERM HUP; do
        signal_ends "$signal" || continue
        TMPDIR=$tmp/t "$HEAPDRIFT" watch --no-keep -q --diagnostic-port="$socket" --count=2 --interval=100ms \
            --baseline="$tmp/baseline" >"$tmp/out" 2>"$tmp/err" 3>&- &
        job=$!
        for _ in $(tries); do [[ ! -e $(echo "$tmp"/t/*/2.gcdump) ]] || break; sleep 0.05; done
        # Not while the second is written: the first alone cannot be compared.
        sleep 0.5
        [[ -d $(echo "$tmp"/t/heapdrift-*) ]]
        kill -$signal $job
        status=0
        wait $job || status=$?
        status_is $((128 + $(kill -l $signal)))
        [[ -z $(ls -A "$tmp/t") && ! -s $tmp/out && ! -s $tmp/err ]]
    done
}

@test "watch removes its folder when the comparison is killed" {
    play_runtime play
    mkdir "$tmp/t"
    mkfifo "$tmp/baseline"
    TMPDIR=$tmp/t "$HEAPDRIFT" watch --no-keep -q --diagnostic-port="$socket" --count=2 --interval=100ms \
        --baseline="$tmp/baseline" >"$tmp/out" 2>"$tmp/err" 3>&- &
    local job=$! child
    for _ in $(tries); do [[ ! -e $(echo "$tmp"/t/*/2.gcdump) ]] || break; sleep 0.05; done
    # Not a child that looks at the process: the comparison waits for its baseline.
    sleep 0.5
    for _ in $(tries); do child=$(pgrep -P $job) && break || sleep 0.05; done
    kill -KILL "$child"
    status=0 ran=watch out=''
    wait $job || status=$?
    err=$(<"$tmp/err")
    status_is 2
    err_is "heapdrift: the comparison was killed (signal 9): possibly out of memory"
    [[ -z $(ls -A "$tmp/t") ]]
}

# Only a file that never had a name disappears when the program is killed.
@test "kill -9 while a snapshot is written leaves no file" {
    local folder=$tmp/k habit to options job
    mkdir "$folder"
    python3 -c 'import os, sys; os.open(sys.argv[1], os.O_TMPFILE | os.O_RDWR)' "$folder" 2>/dev/null || skip "no nameless files here"
    echo before >"$folder/there.nettrace"
    while read -r habit to options; do
        play_runtime "$habit"
        for _ in {1..4}; do
            "$HEAPDRIFT" collect -q $options --diagnostic-port="$socket" -o "$folder/$to" >/dev/null 2>&1 3>&- &
            job=$!
            for _ in $(tries); do
                # shellcheck disable=SC2012
                [[ $(ls -l "/proc/$job/fd" 2>/dev/null) != *"$folder/"* ]] || break
                sleep 0.02
            done
            # shellcheck disable=SC2012
            [[ $(ls -l "/proc/$job/fd") == *"$folder/"* ]]
            kill -9 $job
            wait $job || true
            [[ $(ls -A "$folder") == there.nettrace ]] || complain "$(ls -A "$folder")"
        done
        kill "$runtime"
        rm "$socket" "$tmp/played.nettrace"
    done <<WAYS
stall a.nettrace
stall there.nettrace
stall a.gcdump
mute a.core --core
WAYS
    [[ $(<"$folder/there.nettrace") == before ]]
}

@test "core dumps and direct reading report options that cannot be combined" {
    local args wanted
    while IFS='|' read -r args wanted; do
        hd collect $args
        fails_with "$wanted"
    done <<WRONG
1 --core -o a.gcdump|a.gcdump: --core writes a core dump: choose a name that ends in .core
1 --core=full -o a.nettrace|a.nettrace: --core writes a core dump: choose a name that ends in .core
1 --core=mini -o a.core|--core=mini: must be heap or full
1 --direct -o a.nettrace|--direct reads memory and has no trace: write a .gcdump or .core
1 --direct --core=full -o a.core|--direct copies the heap only; --core=full needs the runtime
--all --direct --to=nettrace|--direct reads memory and has no trace: write a .gcdump or .core
--all --core --to=gcdump|--core writes a core dump: it cannot be combined with --to
1 --tries=2 -o a.gcdump|--tries works with --direct and --core only: events that the runtime drops would be dropped again
1 --tries=2 --store=a.db|--tries works with --direct and --core only: events that the runtime drops would be dropped again
--all --tries=2|--tries works with --direct and --core only: events that the runtime drops would be dropped again
1 --tries=0 -o a.core|--tries=0: must be a whole number from 1 to 100
1 --tries=101 --direct -o a.gcdump|--tries=101: must be a whole number from 1 to 100
WRONG
    hd watch --tries=2 1
    fails_with "--tries works with --direct and --core only: events that the runtime drops would be dropped again"
    hd watch 1 --core
    fails_with 'watch has no option --core; see `heapdrift help watch`'
    # The process is the operand, not the kind of core.
    hd collect --core 2147483647 -o "$tmp/a.core"
    fails_with 'no process 2147483647'
    hd collect --direct $$ -o "$tmp/a.core"
    fails_with 'the process has no .NET runtime whose memory can be read: .NET 8 or later'
    [[ -z $(ls "$tmp") ]]
}

# play_dumps HABIT FILE…: a runtime that answers when it is asked for a dump.
play_dumps() {
    socket=$tmp/socket
    python3 tests/cli/runtime.py "$socket" "$@" 3>&- &
    runtime=$!
    for _ in $(tries); do [[ ! -S $socket ]] || break; sleep 0.05; done
    [[ -S $socket ]]
}

# again_with HABIT FILE…: the same with another runtime.
again_with() {
    [[ -z ${runtime:-} ]] || kill "$runtime"
    rm -f "$socket" "$tmp/a.core"
    play_dumps "$@"
}

@test "what the runtime has dumped is read before it is handed out" {
    xz -dc fixtures/core/net10.core.xz >"$tmp/good"
    python3 tests/cli/break_core.py "$tmp/good" "$tmp/bad"
    printf '\177ELF\2\1\1' >"$tmp/none"
    local during="the dump was taken during a garbage collection, while objects were being moved; take another one"
    # During a collection: retried, three times in all, or as given by --tries.
    again_with dump "$tmp/bad" "$tmp/bad" "$tmp/good"
    works collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    err_is ""
    cmp "$tmp/a.core" "$tmp/good"
    again_with dump "$tmp/bad" "$tmp/bad" "$tmp/bad" "$tmp/bad" "$tmp/good"
    works collect -q --diagnostic-port="$socket" --tries=5 -o "$tmp/a.core"
    cmp "$tmp/a.core" "$tmp/good"
    again_with dump "$tmp/bad"
    hd collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    status_is 2
    err_is "heapdrift: $tmp/a.core: written, but cannot be read back (3 attempts): $during"
    # Other programs may be able to use it.
    cmp "$tmp/a.core" "$tmp/bad"
    hd collect -q --diagnostic-port="$socket" --core --tries=1 -o "$tmp/a.core"
    status_is 2
    err_is "heapdrift: $tmp/a.core: written, but cannot be read back: $during"
    again_with dump "$tmp/none"
    hd collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    status_is 2
    err_has "$tmp/a.core: written, but cannot be read back: "
}

# Input that cannot be read twice is checked before it is stored.
@test "a core dump into a pipe, and to a full device" {
    xz -dc fixtures/core/net10.core.xz >"$tmp/good"
    python3 tests/cli/break_core.py "$tmp/good" "$tmp/bad"
    mkfifo "$tmp/pipe.core"
    again_with dump "$tmp/bad" "$tmp/good"
    copy_slowly "$tmp/pipe.core" "$tmp/got"
    local reader=$!
    works collect -q --diagnostic-port="$socket" -o "$tmp/pipe.core"
    wait $reader
    cmp "$tmp/got" "$tmp/good"
    ln -s /dev/full "$tmp/full.core"
    hd collect -q --diagnostic-port="$socket" -o "$tmp/full.core"
    fails_with "$tmp/full.core: No space left on device"
}

# lacking OUT: a core of which an object is missing that others refer to.
lacking() {
    xz -dc fixtures/core/net10.core.xz >"$tmp/good"
    works roots --format=json --type=Shop.Session "$tmp/good"
    python3 tests/cli/break_core.py "$tmp/good" "$1" "$(json '[.. | .address? | strings][0]')"
}

@test "an incomplete dump is reported in the same way as by info" {
    lacking "$tmp/lacking"
    again_with dump "$tmp/lacking"
    hd collect --no-progress --strict --diagnostic-port="$socket" --core -o "$tmp/a.core"
    status_is 3
    err_has "heapdrift: warning: $tmp/a.core: incomplete: live objects refer to objects that were not found ("
    err_has "heapdrift: inconclusive: the snapshot is incomplete"
    local said
    said=$(grep warning <<<"$err")
    works info --format=csv "$tmp/a.core"
    [[ $err == "$said" ]] || complain "collect said: $said"
    works info --format=json "$tmp/a.core"
    [[ $(json '.snapshots[0].complete') == false ]]
    hd diff "$tmp/a.core" "$tmp/a.core"
    err_has "$(head -1 <<<"$said")"
    works collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    err_is ""
}

@test "a dump that lacks something is taken again" {
    lacking "$tmp/lacking"
    python3 tests/cli/break_core.py "$tmp/good" "$tmp/bad"
    again_with dump "$tmp/lacking" "$tmp/bad" "$tmp/good"
    works collect -v --no-progress --strict --diagnostic-port="$socket" --core -o "$tmp/a.core"
    cmp "$tmp/a.core" "$tmp/good"
    err_lacks warning
    err_has "; retaken twice: not complete before"
    again_with dump "$tmp/lacking" "$tmp/good"
    hd collect --no-progress --strict --tries=1 --diagnostic-port="$socket" --core -o "$tmp/a.core"
    status_is 3
    cmp "$tmp/a.core" "$tmp/lacking"
    # A series, each with tries of its own.
    again_with dump "$tmp/lacking" "$tmp/good" "$tmp/lacking" "$tmp/lacking" "$tmp/good"
    works collect --no-progress --strict --tries=3 --count=2 --interval=1ms --diagnostic-port="$socket" -o "$tmp/b.core"
    cmp "$tmp/b-1.core" "$tmp/good"
    cmp "$tmp/b-2.core" "$tmp/good"
}

@test "a refusal of the runtime is printed in words" {
    play_dumps refuse "[createdump] The process 4711 could not be dumped, for reasons that take a long time to tell: the first of them is that it did not want to, the second that there was no room at all, the third took 844ms"
    hd collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    fails_with "the runtime wrote no dump: [createdump] The process 4711 could not be dumped, for reasons that take a long time to tell: the first of them is that it did not want to, the second that there was no room at all, the third took ..."
    kill "$runtime"
    rm "$socket"
    play_dumps refuse "[createdump] Triage, mini and heap dumps are not supported for single-file apps; took 844ms"
    hd collect -q --diagnostic-port="$socket" --core -o "$tmp/a.core"
    fails_with "a single-file program: the runtime can only write a full dump, --core=full"
}

@test "native AOT and runtimes that are too old are named before anything is stopped or written" {
    local shared=$tmp/Microsoft.NETCore.App/7.0.20 native old
    printf '%s\n' '#include <unistd.h>' 'int DotNetRuntimeDebugHeader = 1;' 'int main(void) { return pause(); }' >"$tmp/aot.c"
    "${CC:-cc}" -rdynamic -o "$tmp/aot" "$tmp/aot.c"
    "$tmp/aot" 3>&- &
    native=$!
    until [[ $(cat "/proc/$native/comm") == aot ]]; do sleep 0.05; done
    hd collect --direct "$native" -o "$tmp/a.gcdump"
    kill "$native"
    fails_with "a native AOT program, whose memory cannot be read; without --direct, the runtime takes the snapshot"
    mkdir -p "$shared"
    echo 'void *g_dacTable[200] = {g_dacTable};' >"$tmp/old.c"
    "${CC:-cc}" -shared -fPIC -o "$shared/libcoreclr.so" "$tmp/old.c"
    LD_PRELOAD=$shared/libcoreclr.so sleep 60 3>&- &
    old=$!
    until [[ $(cat "/proc/$old/comm") == sleep ]]; do sleep 0.05; done
    hd collect --direct "$old" -o "$tmp/a.core"
    kill "$old"
    fails_with "its runtime is .NET 7.0.20; reading its memory needs .NET 8 or later; without --direct, the runtime takes the snapshot"
    MAPPED=$shared/libcoreclr.so play_dumps dump "$tmp/old.c"
    hd collect --diagnostic-port="$socket" --core -o "$tmp/a.core"
    fails_with "its runtime is .NET 7.0.20; core dumps need .NET 8 or later; take a gcdump with \`heapdrift collect\`"
    [[ ! -e $tmp/a.core ]]
}

@test "a process with .NET: by the runtime and by its memory, the same heap" {
    local core answer
    need_dotnet
    start_lab cache
    iterate 20
    works collect "$pid" --no-progress -o "$tmp/runtime.core"
    err_is "heapdrift: note: $tmp/runtime.core: a core dump contains everything in the memory of the process, including passwords and personal data; only this user may read it"
    works collect "$pid" --no-progress -q --direct -o "$tmp/direct.core"
    err_is ""
    [[ $(stat -c %a "$tmp/runtime.core" "$tmp/direct.core" | xargs) == "600 600" ]]
    works collect "$pid" -v --no-progress --direct -o "$tmp/direct.gcdump"
    err_has "process paused for "
    # createdump has written lines to the standard output of the process.
    echo 1 >&7
    while read -r -t 60 answer <&8 && [[ $answer != done* ]]; do :; done
    [[ $answer == done* ]]
    for core in runtime.core direct.core; do
        works top -n0 --reachable --format=json "$tmp/$core"
        json '[.types[] | {type, count, bytes}] | sort' >"$tmp/$core.json"
    done
    [[ $(json '.types | length') -gt 50 ]]
    diff "$tmp/runtime.core.json" "$tmp/direct.core.json"
    works top -n0 --format=json "$tmp/direct.gcdump"
    [[ $(json '.types | length') -gt 50 ]]
    works info --format=json "$tmp/direct.gcdump"
    [[ $(json '.snapshots[0].time | .[:13]') == "$(date -u +%Y-%m-%dT%H)" || $(date +%M) == 00 ]]
    stop_lab
}

@test "each line of standard input takes a snapshot, and its end ends the series" {
    play_runtime play
    local named=("$tmp/a-1.gcdump" "$tmp/a-2.gcdump" "$tmp/a-3.gcdump")
    works collect --no-ages --diagnostic-port="$socket" --on-enter -o "$tmp/a.gcdump" < <(printf '\n\nand one\nbut no fourth')
    out_is "$(printf '%s\n' "${named[@]}")"
    works diff -q --format=csv "${named[@]}"
    works collect -q --no-ages --diagnostic-port="$socket" --on-enter --count=1 -o "$tmp/b.gcdump" < <(printf '\n\n\n')
    out_is "$tmp/b-1.gcdump"
    hd collect --diagnostic-port="$socket" --on-enter -o "$tmp/c.gcdump" </dev/null
    fails_with "standard input ended before a snapshot was asked for"
    [[ ! -e $tmp/c-1.gcdump ]]
}

@test "watch --on-enter compares what was asked for" {
    play_runtime play
    mkdir "$tmp/t"
    TMPDIR=$tmp/t works watch --no-keep --no-ages --diagnostic-port="$socket" --on-enter --format=json < <(printf '\n\n\n')
    [[ $(json '.snapshots | length') == 3 && -z $(ls -A "$tmp/t") ]]
    TMPDIR=$tmp/t hd watch --no-keep --no-ages --diagnostic-port="$socket" --on-enter < <(printf '\n')
    status_is 2
    err_has "stopped before there were two snapshots to compare"
    [[ -z $(ls -A "$tmp/t") ]]
}

# asked: a collector with pipe 5 as standard input and the folder $folder.
asked() {
    mkfifo "$tmp/in" "$tmp/answers"
    TMPDIR=$tmp/t "$@" "$HEAPDRIFT" collect -q --no-ages --no-keep --on-enter --diagnostic-port="$socket" \
        <"$tmp/in" >"$tmp/answers" 2>"$tmp/err" 3>&- &
    asked=$!
    exec 5>"$tmp/in" 6<"$tmp/answers"
    echo >&5
    read -r -t 20 folder <&6
    folder=${folder%/*}
    [[ $folder == "$tmp"/t/heapdrift-* && -s $folder/1.gcdump && $(stat -c %a "$folder") == 700 ]]
}

@test "snapshots of --on-enter with --no-keep are deleted however the requester ends" {
    local how
    play_runtime play
    mkdir "$tmp/t"
    for how in eof TERM; do
        asked env
        # Files deleted or added by others do no harm.
        touch "$folder/1.core"
        echo >&5
        read -r -t 20 <&6
        rm "$folder/2.gcdump"
        [[ $how == eof ]] || kill -s $how $asked
        exec 5>&- 6<&-
        ran="collect, $how"
        : >"$tmp/.out"
        ends $asked
        [[ -z $(ls -A "$tmp/t") ]] || complain "left: $(ls "$tmp/t")"
        rm "$tmp/in" "$tmp/answers"
    done
    # The whole process group is killed, the collector is not in it.
    asked setsid bash -c 'exec 7<&0; "$@" <&7 & sleep 30 & wait' -
    kill -KILL -- -$asked
    exec 5>&- 6<&-
    for _ in $(tries); do [[ -n $(ls -A "$tmp/t") ]] || break; sleep 0.05; done
    [[ -z $(ls -A "$tmp/t") ]]
}

@test "a snapshot that fails is answered with an empty line, and the next one is taken" {
    play_runtime play
    mkdir "$tmp/o"
    hd collect -q --no-ages --diagnostic-port="$socket" --on-enter -o "$tmp/o/a.gcdump" \
        < <(printf '\n'; sleep 2; mv "$tmp/o" "$tmp/gone"; printf '\n'; sleep 2; mv "$tmp/gone" "$tmp/o"; printf '\n')
    status_is 2
    out_is "$tmp/o/a-1.gcdump"$'\n\n'"$tmp/o/a-3.gcdump"
    err_has "a-2.gcdump"
}

@test "--on-enter and --no-keep report options that cannot be combined" {
    local options wanted
    while IFS='|' read -r options wanted; do
        hd $options
        fails_with "$wanted"
    done <<'LINES'
collect 1 -o a.gcdump --on-enter --interval=5s|--on-enter cannot be combined with --interval
watch 1 --on-enter --interval=5s|--on-enter cannot be combined with --interval
collect 1 --no-keep|--no-keep deletes the snapshots when --on-enter ends
collect 1 --no-keep --on-enter -o a.gcdump|-o keeps the snapshots: it cannot be combined with --no-keep
collect --all --on-enter|--all cannot be combined with --on-enter or --no-keep
collect 1 --store=x.db --on-enter|--store writes no files: it cannot be combined with --on-enter or --no-keep
watch 1 --store=x.db --on-enter|--store takes snapshots by the clock: it cannot be combined with --on-enter
LINES
}

@test "a process that has just started has the command line that it keeps" {
    mkdir "$tmp/t"
    zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    bash -c 'exec python3 tests/cli/runtime.py "$1/t/dotnet-diagnostic-$$-1-socket" suspended "$1/played.nettrace"' sh "$tmp" 3>&- &
    runtime=$!
    for _ in $(tries); do [[ ! -S $tmp/t/dotnet-diagnostic-$runtime-1-socket ]] || break; sleep 0.05; done
    TMPDIR=$tmp/t works ps --format=json
    [[ $(json ".processes[] | select(.pid == $runtime) | .command") == *"runtime.py $tmp/t/dotnet-diagnostic-$runtime-1-socket suspended "* ]]
}

@test "a process suspended at its start is reported, and resumed on request" {
    local how
    # The environment is inherited; without it nothing is requested.
    DOTNET_DefaultDiagnosticPortSuspend=1 play_runtime suspended
    for how in "$socket" "$socket,connect"; do
        hd collect --diagnostic-port="$how" -o "$tmp/a.nettrace"
        fails_with "the process is suspended at its start (DOTNET_DefaultDiagnosticPortSuspend); --resume lets it run"
    done
    works collect -q --diagnostic-port="$socket" --resume -o "$tmp/a.nettrace"
    works collect -q --diagnostic-port="$socket" -o "$tmp/a.nettrace"
    kill "$runtime"
    rm "$socket"
    # A port of its own: only its listener can resume it.
    COMPlus_DiagnosticPorts="$tmp/a,nosuspend;$tmp/b,connect" play_runtime suspended
    hd collect --diagnostic-port="$socket" -o "$tmp/b.nettrace"
    fails_with "the process is suspended at its start until the tool that listens at $tmp/b resumes it (DOTNET_DiagnosticPorts; with ,nosuspend there it starts without it)"
    kill "$runtime"
    rm "$socket"
    DOTNET_DiagnosticPorts="$tmp/a,nosuspend" DOTNET_DefaultDiagnosticPortSuspend=0 play_runtime suspended
    hd collect --diagnostic-port="$socket" --timeout=300ms -o "$tmp/b.nettrace"
    err_lacks suspended
    hd collect --diagnostic-port="$socket,listen" -o "$tmp/b.nettrace"
    fails_with "--diagnostic-port=$socket,listen: must be a socket to connect to, since heapdrift does not listen: that of a process, see \`heapdrift ps\`, or of dotnet-dsrouter"
}
