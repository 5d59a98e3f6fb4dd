#!/usr/bin/env bats
# Runtimes that report less than CoreCLR: missing facts are unknown.

load helper

aot=fixtures/native-aot

teardown() {
    [[ -z ${runtime:-} ]] || kill "$runtime" || true
}

# replay_runtime: a process of Native AOT, which leaks, at $socket.
replay_runtime() {
    mkdir "$tmp/streams"
    zstd -dqr --output-dir-flat "$tmp/streams" $aot/*.nettrace.zst
    socket=$tmp/socket
    python3 tests/cli/runtime.py "$socket" replay "$tmp/streams" 3>&- &
    runtime=$!
    for _ in $(tries); do [[ ! -S $socket ]] || break; sleep 0.05; done
    [[ -S $socket ]]
}

# by_order FOLDER: its leak is found by order, with the reason.
by_order() {
    works info --format=json "$1"/*
    [[ $(json '[.snapshots[].untold]|join(" ")') == " silent silent silent" ]]
    works info "$1"/*2.gcdump
    out_has "unknown: the runtime does not report survivors (Native AOT never does)"
    works -q --format=json "$1"/*
    [[ $(json '.untold|[.snapshot, .reason]|join(" ")') == "1 silent" ]]
    [[ $(json .identity) == order ]]
    [[ $(json '.suspects[0].type') == "TypeID(0x39ce98)" ]]
    hd check -q "$1"/*
    [[ $status == 1 ]]
}

@test "a collection that names no survivor kills no object: watch finds the leak" {
    replay_runtime
    works watch --diagnostic-port="$socket" --count=4 --interval=100ms -o "$tmp/kept" --no-progress
    out_has "LEAK  so far, TypeID(0x39ce98): 96 → 540 objects"
    err_has "snapshot 2 of 4: which objects survived is not known exactly: the runtime does not report survivors"
    [[ $(grep -c "which objects survived" <<<"$err") == 1 ]]
    by_order "$tmp/kept"
}

@test "a collection that names no survivor kills no object: collect --on-enter" {
    replay_runtime
    mkdir "$tmp/entered"
    works collect --diagnostic-port="$socket" --on-enter --count=4 -o "$tmp/entered/a.gcdump" --no-progress <<<$'\n\n\n\n'
    by_order "$tmp/entered"
}

# warned: the number of the snapshot from another process, from 0; empty: none.
warned() { json '[.warnings[] | select(.code == "different-process") | .snapshot] | join(" ")'; }

@test "two runs of a program without CoreCLR's tables are two processes, also as digests" {
    works --format=json $aot/run-1.gcdump.xz $aot/run-2.gcdump.xz
    [[ $(warned) == 1 ]]
    [[ $(json .identity) == null ]]
    err_has "run-2.gcdump.xz: different-process: not from the same process as run-1.gcdump.xz: no object is near where objects were"
    for run in 1 2; do works convert -q $aot/run-$run.gcdump.xz -o "$tmp/$run.digest"; done
    works -q --format=json "$tmp"/[12].digest
    [[ $(warned) == 1 ]]
}

@test "snapshots of one process of Native AOT are recognized although objects moved" {
    works -q --format=json $aot/heap-*.nettrace.zst
    [[ $(warned) == "" ]]
    [[ $(json .identity) == order ]]
}

# tables NAME...: $tmp/1.csv, 2.csv, ...: 100 objects of this type in the first, 50 more in each, and the
# same number of bytes each.
tables() {
    local k=0
    for name; do
        k=$((k + 1))
        printf 'type,count,bytes\n%s,%d,%d\n%s2,40,4000\n' "$name" $((50 + 50 * k)) $((5000 + 5000 * k)) "$name" >"$tmp/$k.csv"
    done
}

# left_out: which snapshots have other names than most.
left_out() { json '[.warnings[] | select(.code == "names-missing") | .snapshot] | join(" ")'; }

@test "snapshots with names of types and without are not compared: the larger part counts" {
    local id="UNKNOWN 0x7f6114729a10"
    tables App.Order "$id" "$id" "$id" "$id"
    works --format=json "$tmp"/[1-5].csv
    [[ $(left_out) == 0 ]]
    [[ $(json '.warnings | map(.code) | index("different-program")') == null ]]
    err_has "most of the others have no names of types"
    works "$tmp"/[1-5].csv
    out_has "$id: 150 → 300 objects"
    tables App.Order App.Order "$id" App.Order App.Order
    works -q --format=json "$tmp"/[1-5].csv
    [[ $(left_out) == 2 ]]
    tables App.Order App.Order "$id" "$id"
    works -q --format=json "$tmp"/[1-4].csv
    [[ $(left_out) == "2 3" ]]
    tables "$id" "$id" "$id" "$id"
    works -q --format=json "$tmp"/[1-4].csv
    [[ $(left_out) == "" ]]
}

# heaps GROWTH: $tmp/1.txt to 5.txt: 100 reachable objects, and 1000 unreachable App.Lost, GROWTH more in
# each.
heaps() {
    local k
    for k in 1 2 3 4 5; do
        awk -v k="$k" -v growth="$1" 'BEGIN {
            print "a 2 App.exe 1\nt 1 App.Kept\nt 2 App.Lost"
            for (i = 1; i <= 100; i++) {
                printf "o %x 1 18 %x\n", i, i
                printf "r %x 3 0\n", i
            }
            for (i = 1001; i <= 2000 + growth * k; i++) printf "o %x 2 18 %x\n", i, i
            print "c App.exe 2"
        }' >"$tmp/$k.txt"
    done
}

@test "objects without a root are not garbage after a collection: their growth is a leak" {
    heaps 200
    works "$tmp"/[1-5].txt
    out_has "LEAK  App.Lost: 1,200 → 2,000 objects"
    out_has "most roots are unknown, so holders are, too"
    hd check -q "$tmp"/[1-5].txt
    [[ $status == 1 ]]
    # --reachable is obeyed.
    works --reachable "$tmp"/[1-5].txt
    out_lacks LEAK
    out_has "only reachable objects count"
    heaps 1
    works "$tmp"/[1-5].txt
    out_has "NO LEAK FOUND"
}
