# Many processes: ps, and collect --all. All of them are played (runtime.py), and chosen by a name that
# is unique on the machine.
load helper

teardown() {
    local job
    for job in "${players[@]}"; do kill "$job" 2>/dev/null || true; done
    # unshare needs all of these.
    [[ -z ${container:-} ]] || { kill -KILL "$container" && wait "$container"; } 2>/dev/null || true
    [[ -z ${open:-} ]] || rm -rf "$open"
}

# The interpreter itself, which keeps the given name: some interpreters are scripts.
interpreter() { python -c 'import os, sys; print(os.path.realpath(sys.executable))'; }

# play NAME HABIT NUMBER...: a process with this name listens at a socket per number, or one process each
# with APART=1. Collecting from it gives $tmp/played.nettrace.
play() {
    local name=$1 habit=$2 number sockets=() interpreter
    interpreter=$(interpreter)
    shift 2
    mkdir -p "$tmp/t"
    [[ -e $tmp/played.nettrace ]] ||
        zstd -dqf fixtures/nettrace-real/leak31_first.nettrace.zst -o "$tmp/played.nettrace"
    for number; do sockets+=("$tmp/t/dotnet-diagnostic-$number-1-socket"); done
    (
        IFS=,
        exec -a "$name" "$interpreter" tests/cli/runtime.py "${sockets[*]}" "$habit" "$tmp/played.nettrace"
    ) 3>&- &
    players+=($!)
    for number in "${sockets[@]}"; do
        for _ in $(tries); do [[ ! -S $number ]] || break; sleep 0.05; done
        [[ -S $number ]]
    done
    export TMPDIR=$tmp/t
}

# files FOLDER [PATTERN]: how many there are, hidden ones too.
files() { find "$1" -type f -name "${2:-*}" 2>/dev/null | wc -l; }

# A name of our own.
own() { echo "own$$-$BATS_TEST_NUMBER"; }

# --- ps --------------------------------------------------------------------------------

@test "ps of forty processes lists their memory, in less than two seconds on an idle machine" {
    APART=1 play "$(own)" play {1001..1040}
    # A silent socket of another user, or a busy machine, may interfere once.
    local start took limit
    for _ in 1 2 3; do
        start=$(date +%s%N)
        works ps --name="$(own)" --format=json
        took=$((($(date +%s%N) - start) / 1000000))
        limit=$((2000 * $(busy)))
        [[ $took -ge $limit ]] || break
    done
    [[ $took -lt $limit ]] || complain "$took ms"
    python tests/cli/check_json.py docs/json-schema "$tmp/.out"
    [[ $(json '[.processes[] | select(.memory_bytes > 1000000 and .uptime_seconds < 600 and .started != null and .problem == null)] | length') == 40 ]]
    [[ $(json '[.processes[].host] | unique[]') == "$(uname -n)" ]]
    [[ $(json '[.processes[].pid] | (. == sort) and (unique | length == 40)') == true ]]
    on_terminal 80 ps --name="$(own)"
    [[ $(wc -l <<<"$out") == 41 && $(wc -L <<<"$out") -le 80 ]]
}

@test "ps chooses by name and sorts" {
    play "$(own)-b" play 1
    play "$(own)-a" play 2
    play "$(own)x" play 3
    works ps --name="$(own)-?" --sort=name --format=csv
    [[ $(column 2) == "$(own)-a"$'\n'"$(own)-b" ]]
    works ps --name="$(own)*" --sort=pid --format=csv
    [[ $(column 1) == "$(column 1 | sort -n)" && $(column 1 | wc -l) == 3 ]]
    works ps --name="$(own)*" --sort=memory --format=csv
    [[ $(column 12) == "$(column 12 | sort -nr)" ]]
    works ps --name="$(own)*" --sort=uptime --format=csv
    [[ $(column 11) == "$(column 11 | sort -nr)" ]]
    works ps --name="$(own)"
    out_is "no .NET process is called $(own)"
    hd ps --sort=size
    fails_with "--sort=size: must be pid, name, memory or uptime"
}

# --- collect --all ---------------------------------------------------------------------

@test "collect --all reports missing arguments" {
    hd collect --all 17
    fails_with "collect --all takes no operands; select processes with --name=PATTERN"
    hd collect --all -p 1
    fails_with "--all cannot be combined with --process-id or --diagnostic-port; select processes with --name=PATTERN"
    hd collect --all --diagnostic-port=/none
    fails_with "--all cannot be combined with --process-id or --diagnostic-port; select processes with --name=PATTERN"
    hd collect --all --interval=5s
    fails_with "--interval requires --count"
    hd collect --all --to=csv
    fails_with "--to=csv: must be gcdump, digest, nettrace or core"
    hd collect -p 1 -o "$tmp/a.gcdump" --to=nettrace
    fails_with "--to needs --all; without it, the suffix of OUT decides the format"
    hd watch --all
    fails_with "watch --all requires --store=URL; for files, use \`heapdrift collect --all\`"
    hd collect --all --name="$(own)" -o "$tmp/o"
    fails_with "no .NET process is called $(own); see \`heapdrift ps\`"
    [[ ! -e $tmp/o ]]
}

@test "collect --all writes a file per process, and replaces no file" {
    APART=1 play "$(own)" play 1 2 3
    hd collect --all --name="$(own)" -o "$tmp/a.gcdump"
    fails_with "$tmp/a.gcdump: --all writes a file per process: name a folder, and choose the format with --to"
    hd collect --all --name="$(own)" -o "$tmp/played.nettrace"
    fails_with "$tmp/played.nettrace: is not a folder; --all writes a file per process"
    hd collect --all --name="$(own)" -o "$tmp/none/o"
    fails_with "$tmp/none/o: No such file or directory"
    works collect --all --name="$(own)" -o "$tmp/o" --to=nettrace -j 2
    works ps --name="$(own)" --format=csv
    local pids pid
    mapfile -t pids < <(column 1)
    for pid in "${pids[@]}"; do
        same_trace "$tmp/o/$(own)-$(uname -n)-$pid.nettrace"
    done
    [[ ${#pids[@]} == 3 && $(find "$tmp/o" | wc -l) == 4 ]]
    echo kept >"$tmp/o/$(own)-$(uname -n)-$pid.nettrace"
    hd collect --all --name="$(own)" -o "$tmp/o/" --to=nettrace
    status_is 2
    [[ $(<"$tmp/o/$(own)-$(uname -n)-$pid.nettrace") == kept ]]
    [[ $(grep -c ': already exists; name another folder$' <<<"$err") == 3 ]]
    err_has "heapdrift: 3 of 3 processes failed; 0 have snapshots"
    # Here, as .gcdump, and one line for each.
    mkdir "$tmp/here"
    (cd "$tmp/here" && "$HEAPDRIFT" collect -a --name="$(own)" 2>"$tmp/.err")
    [[ $(grep -cE '^heapdrift: \./own.*\.gcdump: 8526 objects, 1\.9 MiB, in [0-9.]+ s(; process paused for [0-9.]+ ms)?$' "$tmp/.err") == 3 && $(wc -l <"$tmp/.err") == 3 ]]
    works info --format=json "$tmp/here"
    [[ $(json '[.snapshots[] | .objects] | join(" ")') == "8526 8526 8526" ]]
    works collect -qa --name="$(own)" -o "$tmp/quiet"
    err_is ""
}

@test "a process may be called anything" {
    play $'-x/..\e[2J\n$(touch oops) ü'"$(own)" play 1
    play "$(own)$(printf 'long%.0s' {1..60})" play 2
    works collect --all --name="*$(own)*" -o "$tmp/o"
    [[ $(files "$tmp/o") == 2 && $(ls -A "$tmp") != *oops* && ! -e oops ]]
    local file
    for file in "$tmp"/o/*; do
        file=${file##*/}
        [[ $file =~ ^[A-Za-z0-9_][A-Za-z0-9_.-]+\.gcdump$ && ${#file} -lt 160 ]] || complain "$file"
    done
    [[ -e $(echo "$tmp"/o/_._2J__touch_oops*.gcdump) || -e $(echo "$tmp"/o/_.*oops*.gcdump) ]]
    [[ $(wc -l <<<"$err") == 2 && $err != *$'\e'* ]]
}

@test "processes that have one pid get names of their own" {
    play "$(own)" play 1 2 3
    works collect --all --name="$(own)" -o "$tmp/o" --to=nettrace
    [[ $(cd "$tmp/o" && echo ./*) == "./$(own)-$(uname -n)-${players[0]}.2.nettrace ./$(own)-$(uname -n)-${players[0]}.3.nettrace ./$(own)-$(uname -n)-${players[0]}.nettrace" ]]
}

@test "one that fails leaves the others alone" {
    APART=1 play "$(own)" play 1 2
    play "$(own)-slow" stall 3
    hd collect --all --name="$(own)*" -o "$tmp/o" --timeout=500ms
    status_is 2
    err_matches "heapdrift: $(own)-slow \(pid ${players[1]}\): no data for 0.5 s, and the heap walk is not finished"
    err_has "heapdrift: 1 of 3 processes failed; 2 have snapshots"
    [[ $(files "$tmp/o") == 2 ]]
    # A failure leaves no file.
    hd collect --all --name="$(own)-slow" -o "$tmp/p" --timeout=500ms --count=2
    status_is 2
    [[ ! -e $tmp/p ]]
}

@test "a series of each, in a folder of its own, until it ends" {
    play "$(own)" play 1
    play "$(own)" play 2
    "$HEAPDRIFT" collect --all --name="$(own)" -o "$tmp/o" --count=2 --interval=2 >"$tmp/.out" 2>"$tmp/.err" 3>&- &
    local job=$! name
    name=$tmp/o/$(own)-$(uname -n)
    for _ in $(tries); do [[ ! -e $name-${players[1]}/1.gcdump ]] || break; sleep 0.02; done
    kill "${players[1]}"
    rm "$tmp/t/dotnet-diagnostic-2-1-socket"
    status=0 ran="collect --all --count=2"
    wait $job || status=$?
    out=$(<"$tmp/.out") err=$(<"$tmp/.err")
    status_is 2
    err_has "heapdrift: $(own) (pid ${players[1]}): has exited"
    err_has "heapdrift: 1 of 2 processes failed; 2 have snapshots"
    [[ $(ls -A "$name-${players[0]}") == 1.gcdump$'\n'2.gcdump && $(ls -A "$name-${players[1]}") == 1.gcdump ]]
    works diff -q --format=json "$name-${players[0]}"
    [[ $(json '.snapshots | length') == 2 ]]
    # The next series is another one.
    hd collect --all --name="$(own)" -o "$tmp/o" --count=2 --interval=0
    fails_with "$name-${players[0]}: already exists; name another folder"
}

@test "a signal stops all of them, and keeps complete files" {
    APART=1 play "$(own)" play 1 2
    play "$(own)-slow" stall 3
    "$HEAPDRIFT" collect --all --name="$(own)*" -o "$tmp/o" -j 3 >"$tmp/.out" 2>"$tmp/.err" 3>&- &
    local job=$!
    for _ in $(tries); do [[ $(files "$tmp/o" 'own*.gcdump') != 2 ]] || break; sleep 0.05; done
    kill -TERM $job
    status=0 ran="collect --all, SIGTERM"
    wait $job || status=$?
    err=$(<"$tmp/.err")
    status_is 2
    err_has "heapdrift: $(own)-slow (pid ${players[1]}): stopped; the process continues, and nothing was written"
    err_has "heapdrift: stopped; snapshots collected so far are kept"
    [[ $(files "$tmp/o") == 2 ]]
}

@test "processes of other users are skipped with a message" {
    [[ $(id -u) == 0 ]] && command -v setpriv >/dev/null || skip "takes root"
    local as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    open=$(mktemp -d /tmp/heapdrift-XXXXXX)
    cp "$HEAPDRIFT" "$open/heapdrift"
    chmod -R 777 "$open"
    "${as_nobody[@]}" "$open/heapdrift" --version >/dev/null 2>&1 || skip "nobody may not run it"
    play "$(own)" play 1
    # The name of a socket that may not be used must show its user.
    local start
    start=$(awk '{ print $22 }' "/proc/${players[0]}/stat")
    mv "$tmp/t/dotnet-diagnostic-1-1-socket" "$open/dotnet-diagnostic-${players[0]}-$start-socket"
    status=0 ran="collect --all as nobody" out=
    err=$(TMPDIR=$open "${as_nobody[@]}" "$open/heapdrift" collect --all --name="$(own)" -o "$open/o" 2>&1) || status=$?
    status_is 2
    err_matches "^heapdrift: note: $(own) \(pid ${players[0]}\) skipped: the diagnostics socket belongs to user root"
    err_has "heapdrift: no .NET process is called $(own)"
    [[ ! -e $open/o ]]
}

@test "processes in containers are named by the container's host name" {
    [[ $(id -u) == 0 ]] || skip "takes root"
    local inside=(unshare -u -m -p -f --kill-child --mount-proc) pid
    "${inside[@]}" mount -t tmpfs none /mnt 2>/dev/null || skip "no namespaces here"
    play "$(own)" play 1
    # The kernel knows the name; the environment may contain anything.
    HOSTNAME=elsewhere "${inside[@]}" bash -c 'hostname pod-7f9-x2 && mount -t tmpfs none /tmp &&
        unset TMPDIR && exec -a "$1" "$2" "$4" /tmp/dotnet-diagnostic-1-1-socket play "$3"' \
        bash "$(own)" "$(interpreter)" <(cat "$tmp/played.nettrace") <(cat tests/cli/runtime.py) 3>&- &
    container=$!
    for _ in $(tries); do
        works ps --name="$(own)" --format=json
        [[ $(json '.processes | length') != 2 ]] || break
        sleep 0.05
    done
    [[ $(json '[.processes[].host] | sort | join(" ")') == "$(printf '%s\n' "$(uname -n)" pod-7f9-x2 | sort | xargs)" ]]
    pid=$(json '.processes[] | select(.host == "pod-7f9-x2") | .pid')
    [[ $(json ".processes[] | select(.pid == $pid) | .socket") == "/proc/$pid/root/tmp/dotnet-diagnostic-1-1-socket" ]]
    works collect --all --name="$(own)" -o "$tmp/o" --to=nettrace
    [[ $(find "$tmp/o" -type f | wc -l) == 2 ]]
    same_trace "$tmp/o/$(own)-pod-7f9-x2-$pid.nettrace"
}
