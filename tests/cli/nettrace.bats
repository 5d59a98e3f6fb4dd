# heapdrift and traces, as a user has them.

load helper

traces=fixtures/leaklab/nettrace
vectors=fixtures/nettrace-vectors
real=fixtures/nettrace-real

@test "a trace is an input of every command" {
    local trace=$traces/2.nettrace.zst
    works info --format=json "$trace"
    [[ $(json '.snapshots[0].format') == nettrace ]]
    [[ $(json '.snapshots[0] | [.objects, .bytes, .references, .pid, .process] | tojson') == \
        '[54070,3263273,66376,22043,"LeakLab"]' ]]
    [[ $(json '.snapshots[0].generations.frozen | tojson') == '{"objects":1555,"bytes":69160}' ]]
    works top "$trace"
    out_has "generation"
    out_matches "gen1 50 %, gen2 50 % +Shop.Sessions.LogEntry"
    works roots --type=Session "$trace"
    out_has "(gen1)"
    works diff -qn5 "$traces"
    out_has "held by"
    out_matches $'\n1 [^\n]*Shop.Sessions.Session'
}

@test "a trace is the same from a pipe, and compressed in any way" {
    local whole
    zstd -dqc $traces/1.nettrace.zst >"$tmp/1.nettrace"
    works top --format=csv "$tmp/1.nettrace"
    whole=$out
    works top --format=csv - <"$tmp/1.nettrace"
    out_is "$whole"
    works top --format=csv <(cat "$tmp/1.nettrace")
    out_is "$whole"
    gzip "$tmp/1.nettrace"
    works top --format=csv "$tmp/1.nettrace.gz"
    out_is "$whole"
}

@test "traces and gcdumps of one heap have the same rows" {
    local trace
    works top --format=csv -n 0 $traces/1.nettrace.zst
    trace=$out
    works top --format=csv -n 0 fixtures/leaklab/nettrace-official/1.gcdump.zst
    out_is "$trace"
    works diff -q --format=json $traces/1.nettrace.zst fixtures/leaklab/nettrace-official/1.gcdump.zst
    [[ $(json '[.types[] | select(.status != "steady")] | length') == 0 ]]
}

@test "--gen2 counts old and frozen objects" {
    works top --gen2 --format=json -n 0 $traces/2.nettrace.zst
    [[ $(json '[.types[].count] | add') == $((24734 + 1 + 1555)) ]]
    [[ $(json '.types[] | select(.type == "Shop.Sessions.LogEntry") | .generations.gen1.objects') == 0 ]]
    works diff --gen2 -q --format=json $traces/{1,2,3}.nettrace.zst
    [[ $(json '.totals.objects | tojson') == "[6738,26290,39759]" ]]
    hd top --gen2 $real/leak31_first.nettrace.zst
    status_is 2
    err_has "has no generations"
}

@test "FILE#2 is the second walk of a trace, unless a file has that name" {
    local trace=$vectors/A_v4_compressed.nettrace
    works info --format=json "$trace#1"
    [[ $(json '.snapshots[0].path') == "$trace#1" ]]
    hd info "$trace#2"
    status_is 2
    err_has "#2: this trace holds 1 heap snapshot only"
    hd top "fixtures/gcdump-made/tiny.gcdump#1"
    status_is 2
    err_has "holds one snapshot only"
    hd top "$tmp/none#1"
    status_is 2
    err_has "No such file"
    cp "$trace" "$tmp/x#2"
    works info "$tmp/x#2"
    works info "$tmp/x#2#1"
    hd top "$tmp#1"
    status_is 2
    err_has "directory"
}

@test "a trace that lost events is incomplete, and the loss is reported" {
    works info --format=json fixtures/leaklab/odd/lossy.nettrace.zst
    [[ $(json '.snapshots[0].complete') == false ]]
    [[ $(json '.warnings[] | select(.code == "incomplete").message') == \
        "122 events of the trace were lost, 1931 references are missing"* ]]
    hd top --strict $vectors/D_v4_lost_event.nettrace
    status_is 3
    works top --strict $vectors/A_v4_compressed.nettrace
}

@test "a truncated trace is read up to its end" {
    works info --format=json $vectors/E_v4_truncated.nettrace
    [[ $(json '.snapshots[0] | [.objects, .references, .complete] | tojson') == '[3,0,false]' ]]
    [[ $(json '.warnings[0].message') == "the file is truncated"* ]]
    head -c 600 $vectors/A_v4_compressed.nettrace >"$tmp/cut"
    hd top "$tmp/cut"
    status_is 2
    err_has "without a heap snapshot, truncated before it"
}

@test "types without names are named as in another trace of the process" {
    works info $real/leak31_unknown_types.nettrace.zst
    out_has "unknown-type"
    works top -q --format=csv $real/leak31_unknown_types.nettrace.zst
    out_has "UNKNOWN 0x"
    works diff --format=json $real/leak31_servergc.nettrace.zst $real/leak31_unknown_types.nettrace.zst
    out_lacks "UNKNOWN 0x"
    [[ $(json '.warnings[] | select(.code == "names-borrowed") | [.snapshot, .count] | tojson') == "[1,102]" ]]
    [[ $(json '.types[] | select(.type == "LeakApp.Payload") | .count | tojson') == "[2006,2006]" ]]
    [[ $(json '.suspects + .minor | length') == 0 ]]
}

@test "nested types are shown with their outer class, and compared without" {
    local trace=$real/leak31_first.nettrace.zst
    works top --type='LeakApp.Outer+*' "$trace"
    out_matches $'3 [^\n]* LeakApp\\.Outer\\+Inner\n'
    works top --type=Inner --format=json "$trace"
    [[ $(json '.types[0] | [.type, .full_name] | tojson') == '["Inner","LeakApp.Outer+Inner"]' ]]
    works top -n 0 --format=csv "$trace"
    out_has $'\nInner,3,72,'
    out_lacks "Outer+Inner,"
    works roots --type=LeakApp.Outer+Inner "$trace"
    out_has "→ LeakApp.Outer+Inner[]"
}
