# Core dumps through the program: real ones, cut down (fixtures/README.md).
# shellcheck disable=SC2154 # $out, $err, $tmp, ... come from the helper
load helper

core=fixtures/core/net10.core.xz
later=fixtures/core/net10-later.gcdump.xz

@test "a core says what it is, and how much of it is garbage" {
    works info --format=json "$core"
    [[ $(json '.snapshots[0] | "\(.format) \(.process) \(.runtime | split(".")[0])"') == "core-dump CoreLab 10" ]]
    works info --format=json fixtures/core/net9-server.core.xz
    [[ $(json '.snapshots[0].format') == core-dump ]]
}

@test "tables and chains of a core" {
    works top --format=csv -n0 "$core"
    out_has "Shop.Session,"
    works roots -q --type=Shop.LogEntry "$core"
    out_has "[static var Shop.Store."
    works roots -q --exact --format=json --type=Shop.Order "$later" "$later"
}

@test "a core and a gcdump of one process, one after the other" {
    works diff -q --format=json "$core" "$later"
    # 15 sessions that leaked.
    [[ $(json '.types[] | select(.type == "Shop.Session") | .count[1] - .count[0]') == 15 ]]
}

@test "a core as a gcdump" {
    works convert "$core" -o "$tmp/a.gcdump"
    works info --format=json "$tmp/a.gcdump"
    [[ $(json '.snapshots[0].complete') == true ]]
}
