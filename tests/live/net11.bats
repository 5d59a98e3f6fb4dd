# Processes of .NET 11, with a runtime from a package and an older SDK: a gcdump, --direct and a dump of
# one state, compared object by object, and redacted. `make check-live`; skipped without .NET, or without
# the package. The program with everything: cores.bats.
load ../cli/helper
load lab

teardown() { stop_lab; }

runtime=11.0.0

# three_ways: $tmp/app.gcdump, app.core and direct.core of the process, and that they are the same heap.
three_ways() {
    # The first session makes the runtime allocate what it keeps.
    works collect -q -p "$pid" -o "$tmp/first.gcdump"
    local try
    for try in 1 2 3; do
        works collect -q -p "$pid" -o "$tmp/app.gcdump"
        "${lab%/*}/createdump" --withheap -f "$tmp/app.core" "$pid" >/dev/null
        works collect -q -p "$pid" --direct -o "$tmp/direct.core"
        # A thread of the pool may begin or end to wait in between.
        if same "$tmp/app.core" "$tmp/app.gcdump" && same "$tmp/direct.core" "$tmp/app.core" --same; then break; fi
        [[ $try -lt 3 ]]
    done
    works info --strict --format=json "$tmp"/{app,direct}.core
    [[ $(json '[.snapshots[].runtime] | unique | join(" ")') == "$runtime" ]]
    works convert -q --redact "$tmp/app.core" -o "$tmp/safe.core"
    same "$tmp/safe.core" "$tmp/app.core" --same
}

# each_has TYPE COUNT: this number of reachable ones, however the snapshot was taken.
each_has() {
    local file
    for file in app.gcdump app.core direct.core safe.core; do
        works top -q -n0 --format=json "$tmp/$file"
        [[ $(json "[.types[] | select(.type == \"$1\") | .count] | add") == "$2" ]] ||
            complain "$file: not $2 of $1: $(json ".types[] | select(.type == \"$1\") | .count")"
    done
}

# is_held_by TYPE PATTERN: a chain in the cores.
is_held_by() {
    local file
    for file in app.core direct.core safe.core; do
        works roots -q --exact --format=json --type="$1" "$tmp/$file"
        [[ $(json "[.chains[].frames | map(.types | join(\" \")) | join(\" \") | select(test(\"$2\"))] | length") -gt 0 ]] ||
            complain "$file: no $1 is held by $2"
    done
}

@test ".NET 11: statics, thread statics and handles of the leaking program" {
    local scenario type rate
    need_runtime $runtime
    while read -r scenario type rate; do
        start_lab "$scenario"
        iterate 10
        three_ways
        each_has "$type" "$((10 * rate))"
        stop_lab
    done <<'EOF'
cache Shop.Sessions.Session 60
threadstatic Shop.Parsing.ParseContext 70
gchandle Shop.Imaging.FrameBuffer 20
EOF
}

@test ".NET 11: what suspended methods of runtime-async hold" {
    need_runtime $runtime asynclab
    start_lab waiting
    iterate 500
    three_ways
    each_has Shop.Order 500
    # Two methods each, and one of the runtime in which all wait.
    each_has System.Runtime.CompilerServices.Continuation $((495 * 2 + 1))
    is_held_by Shop.Order 'Shop.Desk.s_answers.* System.Runtime.CompilerServices.Continuation Shop.Order'
    works roots -q --type=Shop.Order "$tmp/app.core"
    out_has "heapdrift help hint await-never-completes"
    is_held_by Shop.Order 'Shop.Desk.t_atHand.*List<Shop.Order>'
}

# The list of a delegate's handlers has another type than in .NET 10.
@test ".NET 11: the hint of a handler that is never removed" {
    local i
    need_runtime $runtime
    start_lab events
    works collect -q -p "$pid" -o "$tmp/first.gcdump"
    for i in 1 2 3 4; do
        iterate 10
        works collect -q -p "$pid" -o "$tmp/$i.gcdump"
    done
    works diff -q "$tmp"/[1-4].gcdump
    out_has "heapdrift help hint event-not-unsubscribed"
}

@test ".NET 11: watch names the leak, by --direct too" {
    local how
    need_runtime $runtime
    for how in "" --direct; do
        start_lab cache
        iterate 5
        "$HEAPDRIFT" watch $how -p "$pid" --count=4 --interval=2s -o "$tmp/run" >"$tmp/out.txt" 2>"$tmp/err" 7>&- 8>&- &
        watching=$!
        while kill -0 $watching 2>/dev/null; do
            iterate 3
            sleep 0.3
        done
        wait $watching || true
        works diff -q "$tmp"/run/*
        out_has "Session"
        stop_lab
        rm -r "$tmp/run"
    done
}
