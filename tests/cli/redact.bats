# Core dumps without values (convert --redact): the same answers, except for redacted values.
load helper
load ../live/lab

core=fixtures/core/net10.core.xz
later=fixtures/core/net10-later.gcdump.xz

# One file for all tests of this one.
setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    "${HEAPDRIFT:-build/heapdrift}" convert -q --redact "$core" -o "$BATS_FILE_TMPDIR/safe.core"
}

setup() {
    begin
    safe=$BATS_FILE_TMPDIR/safe.core
    # Compared files have the same name.
    ln -s "$PWD/$core" "$tmp/before.core"
    ln -s "$safe" "$tmp/after.core"
    mkdir "$tmp/x"
}

teardown() { stop_lab; }

# asked FILE ARGUMENT…: the program's stdout and stderr for it, as app.core.
asked() {
    ln -sfn "$1" "$tmp/x/app.core"
    "$HEAPDRIFT" "${@:2}" 2>&1 | sed 's/\("redacted": *\)true/\1false/'
    return "${PIPESTATUS[0]}"
}

# same ARGUMENT…: the answer is that of the dump that it was made of.
same() {
    local before=0 after=0
    asked "$tmp/before.core" "$@" >"$tmp/expected" || before=$?
    asked "$tmp/after.core" "$@" >"$tmp/found" || after=$?
    [[ $before == "$after" ]] || complain "$*: status $after instead of $before"
    [[ -s $tmp/expected ]] || complain "$*: says nothing"
    diff "$tmp/expected" "$tmp/found" >&2 || complain "$*: says something else"
}

@test "every command answers as before" {
    local app=$tmp/x/app.core address
    same top -n0 "$app"
    same top -n0 --gen2 "$app"
    same top -n0 --tables-only "$app"
    same top --by=namespace "$app"
    same top --by=holder "$app"
    same tree --min=0 -n0 "$app"
    same tree --min=0 -n0 --holders "$app"
    same roots --type='*' -n0 "$app"
    same roots --type='Shop.*' --exact --fields --depth=30 "$app"
    same diff "$app" "$later"
    same diff --tables-only "$app" "$later"
    same check --budget='Shop.Session=14' "$app" "$later"
    same check --max-growth=0 "$app" "$later"
    same object --type='Shop.Session' "$app"
    works roots -q --format=json --exact --type=Shop.AllFields "$core"
    address=$(json '.chains[0].example.address')
    works object "$safe" "$address"
    out_has "Shop.AllFields"
}

@test "in every format" {
    local app=$tmp/x/app.core format
    for format in text json csv tsv md; do
        same top --format=$format "$app"
        same roots --format=$format --type='Shop.*' "$app"
        same tree --format=$format "$app"
        same diff --format=$format "$app" "$later"
    done
    for format in folded speedscope dot; do
        same tree --format=$format "$app"
    done
    for format in junit sarif github; do
        same check --format=$format --budget='Shop.Session=14' "$app" "$later"
    done
    same top --format=html "$app"
}

@test "it becomes the gcdump, the digest and the tables that the dump becomes" {
    local suffix
    for suffix in gcdump txt csv json; do
        works convert -q "$core" -o "$tmp/a.$suffix"
        works convert -q "$safe" -o "$tmp/b.$suffix"
        cmp "$tmp/a.$suffix" "$tmp/b.$suffix"
    done
    # A digest has the checksum of its source.
    works convert -q "$core" -o "$tmp/a.digest"
    works convert -q "$safe" -o "$tmp/b.digest"
    works top -n0 "$tmp/a.digest"
    local table=${out//a.digest/b.digest}
    works top -n0 "$tmp/b.digest"
    out_is "$table"
}

@test "info reports that it is redacted, and everything else is equal" {
    works info --format=json "$core"
    [[ $(json '.snapshots[0].redacted') == false ]]
    local facts
    facts=$(json '.snapshots[0] | del(.redacted, .xxh3, .source_xxh3, .path) | tojson')
    works info --format=json "$safe"
    [[ $(json '.snapshots[0].redacted') == true ]]
    [[ $(json '.snapshots[0] | del(.redacted, .xxh3, .source_xxh3, .path) | tojson') == "$facts" ]]
    works info "$safe"
    out_matches 'values +redacted'
    works info "$core"
    out_lacks redacted
}

@test "values are redacted, not zero" {
    works roots -q --format=json --exact --type=Shop.AllFields "$core"
    local address format
    address=$(json '.chains[0].example.address')
    works object -q --format=json -n0 --values "$core" "$address"
    local names
    names=$(json '[.fields[] | [.name, .kind, .type, (.to | if . then del(.value, .member) else . end)]] | tojson')
    [[ $(json '[.fields[] | select(.redacted)] | length') == 0 ]]
    works object -q --format=json -n0 --values "$safe" "$address"
    [[ $(json '[.fields[] | [.name, .kind, .type, (.to | if . then del(.value, .member) else . end)]] | tojson') == "$names" ]]
    [[ $(json '[.fields[] | select(.value != null or .member != null or .text != null or .hidden)] | length') == 0 ]]
    [[ $(json '[.fields[] | select(.kind != "reference" and .kind != "unknown") | .redacted] | all') == true ]]
    [[ $(json '[.fields[] | select(.name == "Words") | .redacted] | all') == true ]]
    works object -q --format=csv -n0 --values "$safe" "$address"
    out_lacks "plain words"
    for format in text md; do
        works object -q --format=$format -n0 --values "$safe" "$address"
        out_has redacted
        out_lacks "plain words"
        out_lacks "--values"
    done
    # Without --values the text of a string is neither requested nor missing.
    works object -q --format=json -n0 "$safe" "$address"
    [[ $(json '[.fields[] | select(.hidden or (.kind == "reference" and .redacted))] | length') == 0 ]]
}

@test "a string and an array without their contents" {
    works roots -q --format=json --exact --type=System.String "$core"
    local address length
    address=$(json '.chains[0].example.address')
    works object -q --values --format=json "$core" "$address"
    length=$(json .object.bytes)
    works object -q --values "$safe" "$address"
    out_has redacted
    works object -q "$safe" "$address"
    out_has redacted
    out_lacks "not shown"
    works object -q --values --format=json "$safe" "$address"
    [[ $(json .object.bytes) == "$length" ]]
    works roots -q --format=json --exact --type='System.Byte[]' "$core"
    works object -q --format=json --values "$safe" "$(json '.chains[0].example.address')"
    [[ $(json '[.fields[].redacted] | length > 0 and all') == true ]]
}

@test "overwritten and kept parts are reported once" {
    works convert --redact "$core" -o "$tmp/a.core"
    err_has "note: $core: values: overwritten with zeros in "
    err_has "note: $core: kept: addresses, references, sizes and lengths; names of types and fields; "
    works convert --redact "$tmp/a.core" -o "$tmp/b.core"
    [[ -z $err ]]
    cmp "$tmp/a.core" "$tmp/b.core"
    cmp "$tmp/a.core" "$safe"
    works convert -q --redact "$core" -o "$tmp/a.core"
    [[ -z $err ]]
}

@test "no secret of the process is in the bytes" {
    xz -dc "$core" >"$tmp/whole"
    local words
    for words in "plain words" $'escape\x1b[31m'; do
        [[ $(tr -d '\0' <"$tmp/whole" | grep -caF "$words") -gt 0 ]]
        [[ $(tr -d '\0' <"$safe" | grep -caF "$words") == 0 ]]
    done
    # Not even holes for it.
    [[ $(stat -c %s "$safe") -lt $(($(stat -c %s "$tmp/whole") / 5)) ]]
}

@test "a dump is not written without --redact, nor made of anything else" {
    hd convert "$core" -o "$tmp/a.core"
    fails_with "$tmp/a.core: a core dump is only written without values; add --redact"
    hd convert --to=core-dump "$core" -o "$tmp/a"
    fails_with "$tmp/a: a core dump is only written without values; add --redact"
    hd convert -q --redact "$later" -o "$tmp/a.core"
    fails_with "$later: is not a core dump; only a core dump can be written as one"
    hd convert -q --redact "$before" -o "$tmp/a.core"
    fails_with "$before: is not a core dump; only a core dump can be written as one"
    hd convert -q --redact fixtures/type-tables/table.csv -o "$tmp/a.core"
    fails_with "fixtures/type-tables/table.csv: is not a core dump; only a core dump can be written as one"
    [[ ! -e $tmp/a.core && ! -e $tmp/a ]]
    hd convert -q --redact "$core" -o /dev/full
    status_is 2
    hd convert -q --redact --to=core-dump "$core" -o /dev/full
    fails_with "/dev/full: No space left on device"
}

# Its runtime is on this disk, and describes itself there with more than the carried table has.
@test "a core that was made here is redacted, whatever is on this disk" {
    need_dotnet
    start_lab cache
    iterate 5
    works collect -q -p "$pid" --core -o "$tmp/here.core"
    stop_lab
    works convert -q --redact "$tmp/here.core" -o "$tmp/safe.core"
    works top -q -n0 --format=csv "$tmp/here.core"
    local before=$out
    works top -q -n0 --format=csv "$tmp/safe.core"
    [[ $before == *Shop.Sessions.Session,300,* && $out == "$before" ]]
}

@test "other formats have no values: --redact changes nothing" {
    works convert -q "$core" -o "$tmp/a.gcdump"
    works convert -q --redact "$core" -o "$tmp/b.gcdump"
    cmp "$tmp/a.gcdump" "$tmp/b.gcdump"
}

@test "a series, a pipe, and a file onto itself" {
    works convert -q --redact "$core" fixtures/core/net9-server.core.xz -o "$tmp/s.core"
    cmp "$tmp/s-1.core" "$safe"
    works info --format=json "$tmp/s-2.core"
    [[ $(json '.snapshots[0] | "\(.runtime) \(.redacted)"') == "9 true" ]]
    works convert -q --redact --to=core-dump - -o - <"$core"
    cmp "$BATS_TEST_TMPDIR/.out" "$safe"
    xz -dc "$core" >"$tmp/app.core"
    works convert -q --redact "$tmp/app.core" -o "$tmp/app.core"
    cmp "$tmp/app.core" "$safe"
}

@test "what is cut stays incomplete" {
    xz -dc "$core" | head -c -600000 >"$tmp/cut.core"
    works info --format=json "$tmp/cut.core"
    [[ $(json '.snapshots[0].complete') == false ]]
    local reason
    reason=$(json '.warnings[] | select(.code == "incomplete") | .message')
    hd convert --redact --strict "$tmp/cut.core" -o "$tmp/safe.core"
    status_is 3
    err_has "incomplete"
    works info --format=json "$tmp/safe.core"
    [[ $(json '.snapshots[0].complete') == false ]]
    [[ $(json '.warnings[] | select(.code == "incomplete") | .message') == "$reason" ]]
}

@test "memory is limited as elsewhere" {
    hd convert -q --redact --memory=4MiB "$core" -o "$tmp/a.core"
    status_is 2
    err_has "--memory"
    [[ ! -e $tmp/a.core ]]
}
