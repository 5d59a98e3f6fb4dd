# Core dumps through the program: real ones, cut down (fixtures/README.md).
load helper

core=fixtures/core/net10.core.xz
later=fixtures/core/net10-later.gcdump.xz

@test "a core reports its process and its share of garbage" {
    works info --format=json "$core"
    [[ $(json '.snapshots[0] | "\(.format) \(.process) \(.processor) \(.runtime | split(".")[0])"') == "core-dump CoreLab x86-64 10" ]]
    works info --format=json fixtures/core/net9-server.core.xz
    [[ $(json '.snapshots[0].format') == core-dump ]]
    works info --format=json fixtures/core/net8.core.xz
    [[ $(json '.snapshots[0] | "\(.format) \(.process) \(.runtime | split(".")[0]) \(.complete)"') == "core-dump CoreLab 8 true" ]]
}

@test "a core of aarch64 has the same process facts as its gcdump" {
    local other=fixtures/core/net10-aarch64
    works info --format=json "$other.core.xz"
    [[ $(json '.snapshots[0] | "\(.process) \(.processor) \(.complete)"') == "CoreLab aarch64 true" ]]
    works info "$other.core.xz"
    out_has "processor        aarch64"
    works check -q --budget='Shop.*=0' "$other.gcdump.xz" "$other.core.xz"
    works roots -q --type=Shop.LogEntry --width=200 "$other.core.xz"
    out_has "[static var Shop.Store.s_recent]"
    out_has "→ Shop.Session.Log"
    works diff -q "$core" "$other.core.xz"
}

@test "tables and chains of a core" {
    works top --format=csv -n0 "$core"
    out_has "Shop.Session,"
    works roots -q --type=Shop.LogEntry "$core"
    out_has "[static var Shop.Store."
}

@test "chains have fields: the class of a static, elements, structs in structs" {
    works roots -q --type=Shop.LogEntry --width=200 "$core"
    out_has "[static var Shop.Store.s_byNumber]"
    out_has "Dictionary+Entry<System.Int32,Shop.Session>[].value"
    out_has "→ Shop.Session.Log"
    out_has "List<Shop.LogEntry>._items"
    works roots -q --format=json --type=Shop.LogEntry "$core"
    [[ $(json '.chains[0].frames | map(.field) | tojson') == '[null,null,"[]","Log","_items","[]",null]' ]]
}

@test "a core of .NET 8 has what others have: chains by field, statics by class, values" {
    local old=fixtures/core/net8.core.xz
    works roots -q --type=Shop.LogEntry --width=200 "$old"
    out_has "[static var Shop.Store.s_recent]"
    out_has "[static var Shop.Store.t_current]"
    out_has "→ Shop.Session.Log"
    works roots -q --format=json --type=Shop.AllFields "$old"
    works object --values -q "$old" "$(json '[.. | .address? | strings][0]')"
    out_has "9000000000000000000"
    out_has "Read | Pay (5)"
    works diff -q "$old" "$old"
    works convert "$old" -o "$tmp/old.gcdump"
    works top -q -n0 --format=json "$tmp/old.gcdump"
    [[ $(json '[.types[] | select(.type == "Shop.Session")] | length') == 1 ]]
}

@test "the tree has the field that holds each node" {
    works tree -q --format=json --min=0 -n0 "$core"
    [[ $(json '[.nodes[] | select(.field == "_entries") | .type] | map(startswith("Entry<")) | length > 0 and all') == true ]]
    works tree -q --width=200 "$core"
    out_has "Arrays.s_large: Byte[]"
}

@test "--fields separates objects held by two fields of one type" {
    works roots -q --format=json --type=Shop.Session -n0 "$core"
    local together
    together=$(json '.chains | length')
    works roots -q --format=json --type=Shop.Session -n0 --fields "$core"
    [[ $(json '.chains | length') -gt $together ]] || complain "not more than $together chains"
    [[ $(json '[.chains[].frames[] | select(.types == ["Shop.AllFields"]) | .field] | unique | length') -gt 1 ]]
}

@test "a core and a gcdump of one process, one after the other" {
    works diff -q --format=json "$core" "$later"
    # 15 sessions that leaked.
    [[ $(json '.types[] | select(.type == "Shop.Session") | .count[1] - .count[0]') == 15 ]]
}

@test "in a series with gcdumps classes of statics are one, and fields are shown where they are known" {
    # The static is found under one name in both: it is one way, which held 15 sessions more.
    works roots -q --exact --format=json --type=Shop.Order "$core" "$later"
    [[ $(json '.snapshots | map(.format) | join(" ")') == "core-dump gcdump" ]]
    [[ $(json '.chains[0].instances | .[1] - .[0]') == 15 ]]
    works roots -q --exact --type=Shop.Order "$core" "$later"
    out_has "Shop.Store.s_unsent"
}

@test "a budget on cores" {
    hd check -q --budget='Shop.Session=14' --format=json "$core" "$later"
    status_is 1
    works check -q --budget='Shop.Session=15' --format=json "$core" "$later"
}

# look_at TYPE [OPTION…]: the only object of the type, as JSON.
look_at() {
    works roots -q --format=json --exact --type="$1" "$core"
    works object -q --format=json -n0 "${@:2}" "$core" "$(json '.chains[0].example.address')"
}

# is FIELD FILTER VALUE: compares the JSON of this field of the object.
is() {
    local found
    found=$(json ".fields[] | select(.name == \"$1\") | $2")
    [[ $found == "$3" ]] || complain "$1 is $found instead of $3"
}

@test "one object of a core: values of every kind" {
    look_at Shop.AllFields
    is True .value true
    is SmallSigned .value -8
    is Small .value 200
    is ShortSigned .value -16000
    is Short .value 60000
    is Signed .value -2000000000
    is Unsigned .value 4000000000
    is Single .value 1.5
    is Infinite .value -Infinity
    is Level .member Warning
    is Rights .member 'Read | Pay'
    is UnknownRights .member null
    is Missing .to null
    is SomePair.value.Left .to.type Shop.Session
    is 'Three[1].Right' .to.type Shop.Session
    is Deep.value.Item2 .to.type Shop.Session
    is Overlaid.Number .value 1065353216
    is WhenThere .value '2026-01-02 03:04:05.0000000+02:00'
    is When .value '2026-01-02 03:04:05.0000000Z'
    is Took .value 01:30:00
    is Money .value 12345.6789
    is Id .value 00112233-4455-6677-8899-aabbccddeeff
    is Day .kind struct
    is Some .value 7
    is None .no_value true
    is BoxedNumber .to.value 42
    is BoxedLevel .to.member Info
    is LongText .to.length 5000
    [[ $(json .object.generation) == gen2 && $(json .object.reachable) == true ]]
    [[ $(json '.referred_by[0].field') == Fields ]]
    [[ $(json '.holders[0].field') == Fields && $(json '.holders | length') == 1 ]]
}

@test "text is hidden without --values, cut and escaped with it" {
    look_at Shop.AllFields
    out_lacks "plain words"
    is Words .text null
    look_at Shop.AllFields --values
    is Words .text "plain words"
    is Letter .value 223
    is Other .text "Grüße, 東京, 🙂"
    is Empty .text ""
    is LongText .text_cut true
    is Words .text_cut false
    works object -q --values --width=250 "$core" "$(json .object.address)"
    out_has 'escape\x1b[31m'
    out_lacks $'\x1b'
}

@test "a core as a gcdump" {
    works convert "$core" -o "$tmp/a.gcdump"
    works info --format=json "$tmp/a.gcdump"
    [[ $(json '.snapshots[0].complete') == true ]]
}

@test "a core as a table equals a table of a gcdump, and the omissions are reported" {
    works convert -q "$core" -o "$tmp/a.gcdump"
    works convert -q "$tmp/a.gcdump" -o "$tmp/a.csv"
    works convert "$core" -o "$tmp/b.csv"
    err_has "garbage: unreachable objects omitted: "
    cmp "$tmp/a.csv" "$tmp/b.csv"
}

@test "build servers get the warning that garbage is not counted" {
    local format
    for format in junit sarif github; do
        run "$HEAPDRIFT" check -q --budget='Shop.Session=0' --format=$format "$core" "$later"
        [[ $output == *"garbage, which a memory dump holds, is not counted"* ]] || complain "$format says nothing of garbage"
    done
}

@test "one object of a core needs no word about garbage" {
    works roots -q --format=json --type=Shop.Session "$core"
    works object "$core" "$(grep -o '0x[0-9a-f]*' <<<"$out" | head -1)"
    [[ $err != *garbage* ]]
    out_has "Customer "
}

@test "where a chain of the tree is long, frames are left out before names are cut to letters" {
    works tree -q --width=80 --min=0 "$core"
    out_has "EventSource.Log: … → "
}

# --- minidumps ---------------------------------------------------------------------------

windows=fixtures/core/net10-windows.dmp.xz

@test "a minidump has its process and time" {
    works info --format=json --strict "$windows"
    [[ $(json '.snapshots[0] | "\(.format) \(.process) \(.runtime) \(.complete) \(.has_fields)"') == "minidump CoreLab 10.0.12 true true" ]]
    [[ $(json '.snapshots[0].time') == 2026-* ]]
    works info "$windows"
    out_matches "static +4[0-9][0-9]"
    out_matches "thread_static +1[0-9]"
    out_matches "stack +[1-9]"
}

@test "a minidump has what cores have: chains by field, statics by class, values" {
    works roots -q --type=Shop.LogEntry --width=200 "$windows"
    out_has "[static var Shop.Store.s_recent]"
    out_has "→ Shop.Session.Log"
    works roots -q --format=json --type=Shop.AllFields "$windows"
    works object --values -q "$windows" "$(json '[.. | .address? | strings][0]')"
    out_has "9000000000000000000"
    out_has "Read | Pay (5)"
    works diff -q "$windows" "$windows"
}

@test "a minidump becomes a gcdump of the same objects" {
    works convert "$windows" -o "$tmp/windows.gcdump"
    works top -q -n0 --format=csv "$tmp/windows.gcdump"
    cp "$tmp/.out" "$tmp/gcdump.csv"
    works top -q -n0 --format=csv "$windows"
    [[ $(cut -d, -f1-3 "$tmp/gcdump.csv" | sort) == "$(cut -d, -f1-3 "$tmp/.out" | sort)" ]]
}

@test "redacting a minidump is refused with a remedy" {
    hd convert --redact "$windows" -o "$tmp/windows.core"
    fails_with "$windows: a minidump cannot be written without values, as only cores of Linux can; a gcdump has none: \`heapdrift convert DUMP -o app.gcdump\`"
    [[ ! -e $tmp/windows.core ]]
}

@test "a truncated minidump has no heap or reports the missing part" {
    xz -dc "$windows" | head -c 60000000 >"$tmp/cut.dmp"
    works info "$tmp/cut.dmp"
    out_has "bytes of memory are missing after byte 60000000"
    xz -dc "$windows" | head -c 5000 >"$tmp/cut.dmp"
    hd top "$tmp/cut.dmp"
    status_is 2
    err_matches "the minidump is truncated: its stream [0-9]* is [0-9]* bytes at byte [0-9]*"
}

@test "a minidump with memory beyond 4 GB is read" {
    xz -dc "$windows" >"$tmp/near.dmp"
    python3 - "$tmp/near.dmp" "$tmp/far.dmp" <<'MOVE'
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
count, directory = struct.unpack_from("<II", data, 8)
streams = {kind: at for kind, _, at in (struct.unpack_from("<III", data, directory + 12 * i) for i in range(count))}
begin, = struct.unpack_from("<Q", data, streams[9] + 8)
far = (5 << 30) + begin
struct.pack_into("<Q", data, streams[9] + 8, far)
with open(sys.argv[2], "wb") as f:
    f.write(data[:begin])
    f.seek(far)
    f.write(data[begin:])
MOVE
    works top -q -n0 --format=csv "$tmp/near.dmp"
    local near=$out
    works top -q -n0 --format=csv "$tmp/far.dmp"
    [[ $out == "$near" ]]
}
