# Digests as files: made, read by every command, refused where they cannot answer.
load helper

teardown() {
    [[ -z ${runtime:-} ]] || kill "$runtime" 2>/dev/null || true
}

series=fixtures/leaklab/events

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    for k in 0 1 2 3 4 5; do
        "$HEAPDRIFT" convert -q "$series/$k".gcdump.* -o "$BATS_FILE_TMPDIR/$k.digest"
    done
}

digest() {
    echo "$BATS_FILE_TMPDIR/$1.digest"
}

first_suspect() {
    jq -r '.suspects[0] | "\(.type) \(.score) \(.retained)"' <<<"$out"
}

@test "every command gives the same answer for digests as for snapshots" {
    python tests/cli/equal_digests.py "$HEAPDRIFT" "$series" fixtures/leaklab2/archive fixtures/followed
}

# identity FILE...: the source of survivors in a comparison of these files.
identity() {
    "$HEAPDRIFT" diff -q --format=json "$@" | jq -r .identity
}

@test "digests of a followed series have survivors, others do not" {
    local followed=fixtures/followed
    works convert -q $followed/* -o "$tmp/d.digest"
    works info --format=json "$tmp"/d-*
    [[ $(jq -c '[.snapshots[].identity]' <<<"$out") == "$("$HEAPDRIFT" info -q --format=json $followed/* | jq -c '[.snapshots[].identity]')" ]]
    works info "$tmp/d-2.digest"
    out_has 'of the previous snapshot, as reported by its collector'
    works diff --format=json "$tmp"/d-*
    [[ $(jq -c '[.identity, .suspects[0].births.verdict]' <<<"$out") == '["events","keeps"]' ]]
    # Without one between them they know it as well, of which the snapshots know less.
    [[ $(identity "$tmp"/d-[134].digest) == events ]]
    [[ $(identity --no-ages "$tmp"/d-*) == null ]]
    [[ $(identity --gen2 "$tmp"/d-*) == null ]]
    # Mixed, or made alone, they do not.
    [[ $(identity "$tmp"/d-[12].digest $followed/3.gcdump.xz) == null ]]
    works convert -q "$followed/3.gcdump.xz" -o "$tmp/alone.digest"
    [[ $(identity "$tmp"/d-[12].digest "$tmp/alone.digest") == null ]]
    # A store has them as well.
    works record -q --store="$tmp/a.db" --service=consumer $followed/*
    works fleet -q --store="$tmp/a.db" --since=all --min-span=1s --format=json
    [[ $(json '.suspects[0].type') == *Telemetry.Delivery* ]]
}

# untold FILE...: the source of survivors, and the reason why it is not better.
untold() {
    "$HEAPDRIFT" diff -q --format=json "$@" | jq -c '[.identity, .untold]'
}

@test "the reason for unknown survivors is stored in files, and printed" {
    local k
    for k in 1 2 3 4; do
        xz -dc fixtures/followed/$k.gcdump.xz >"$tmp/$k.gcdump"
    done
    [[ $(untold "$tmp"/*.gcdump) == '["events",null]' ]]
    # Replaces the line of survivors by a reason.
    LC_ALL=C sed -i 's/heapdrift: same 1 ............./heapdrift: same 0 lost-events\r\n/' "$tmp/3.gcdump"
    [[ $(untold "$tmp"/*.gcdump) == '["order",{"snapshot":2,"reason":"lost-events"}]' ]]
    [[ $(untold --no-ages "$tmp"/*.gcdump) == '[null,null]' ]]
    [[ $(untold "$tmp"/[12].gcdump) == '["events",null]' ]]
    works diff -v "$tmp"/*.gcdump
    out_has 'survivors  by order; events missing in snapshot 3: the process lost events'
    works diff -v "$tmp"/[12].gcdump
    out_lacks 'survivors  '
    out_lacks 'events missing'
    works convert -q "$tmp"/*.gcdump -o "$tmp/d.digest"
    [[ $(untold "$tmp"/d-*) == '[null,{"snapshot":2,"reason":"lost-events"}]' ]]
    works info "$tmp/d-3.digest"
    out_has 'unknown: the process lost events'
    # Ages start again after it.
    [[ $(untold "$tmp"/d-[34].digest) == '["events",null]' ]]
}

@test "converting a series overwrites none of its files" {
    cp fixtures/followed/1.gcdump.xz "$tmp/b.xz"
    cp fixtures/followed/2.gcdump.xz "$tmp/a-1.digest"
    hd convert "$tmp/b.xz" "$tmp/a-1.digest" -o "$tmp/a.digest"
    fails_with "$tmp/a-1.digest: is one of the inputs; name another file"
    hd convert "$tmp/b.xz" "$tmp/a-1.digest" -o - --to=digest
    fails_with "-o -: a series becomes several files: -o app.digest"
    cmp "$tmp/a-1.digest" fixtures/followed/2.gcdump.xz
}

@test "digests and snapshots in one series" {
    works diff --format=json "$(digest 0)" "$(digest 1)" "$series"/[23].gcdump.*
    [[ $(json '[.types[].survivors_low] | any(. != null)') == true ]]
    mixed=$(first_suspect)
    works diff --no-ages --format=json "$series"/[0123].gcdump.*
    [[ $(json '[.types[].survivors_low] | any(. != null)') == false ]]
    [[ $(first_suspect) == "$mixed" ]]
}

@test "a digest and its snapshot are the same one twice" {
    works diff "$(digest 0)" "$series"/0.gcdump.* "$(digest 1)" "$(digest 2)"
    err_has 'the same snapshot as 0.digest'
}

@test "estimates are marked" {
    works diff -v --width=120 "$(digest 0)" "$(digest 1)" "$(digest 2)"
    out_has '≈ '
    err_has 'chains and survivors are those of its samples'
}

@test "it is JSON that other tools read" {
    zstd -dcq "$(digest 5)" | jq -e '.heapdrift_digest == 1 and (.types.name | length) == (.types.count | length)'
}

@test "packed and plain it is the same, from standard input too" {
    zstd -dcq "$(digest 5)" >"$tmp/plain"
    works top --format=csv "$(digest 5)"
    packed=$out
    works top --format=csv - <"$tmp/plain"
    out_is "$packed"
}

@test "unanswerable questions are refused in one line with the reason" {
    hd roots --exact --type=System.String "$(digest 5)"
    status_is 2
    err_has 'a digest has chains of a sample only'
    hd convert "$(digest 5)" -o "$tmp/x.gcdump"
    fails_with "$(digest 5): a digest has no objects: it can be converted to table-csv or table-json"
    hd object "$(digest 5)" 0x1000
    status_is 2
    err_has digest
    [[ ! -e $tmp/x.gcdump ]]
}

@test "a digest becomes a table" {
    works convert -q "$(digest 5)" -o - --to=table-csv
    of_digest=$out
    works convert -q "$series"/5.gcdump.* -o - --to=table-csv
    out_is "$of_digest"
}

@test "cut, or of another version, it is refused" {
    head -c 20000 "$(digest 5)" >"$tmp/cut.digest"
    hd top "$tmp/cut.digest"
    status_is 2
    printf '{"heapdrift_digest":7,"x":1}' >"$tmp/new.digest"
    hd top "$tmp/new.digest"
    fails_with "$tmp/new.digest: a digest of version 7; this heapdrift reads version 1"
}

@test "collect and watch write digests without snapshots" {
    play_runtime play
    works collect --diagnostic-port="$socket" -o "$tmp/app.digest"
    works info "$tmp/app.digest"
    out_has '8,526'
    LATER=1 works watch -q --diagnostic-port="$socket" --count=2 --interval=10ms -o "$tmp/app.digest"
    [[ $(cd "$tmp" && ls ./*) == $'./app-1.digest\n./app-2.digest\n./app.digest\n./played.nettrace\n./socket' ]]
}
