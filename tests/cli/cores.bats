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

@test "a core as a table has what a gcdump of it would have, and says what it left out" {
    works convert -q "$core" -o "$tmp/a.gcdump"
    works convert -q "$tmp/a.gcdump" -o "$tmp/a.csv"
    works convert "$core" -o "$tmp/b.csv"
    err_has "garbage: objects that no root reaches are left out: "
    cmp "$tmp/a.csv" "$tmp/b.csv"
}

@test "build servers are told that garbage is not counted" {
    local format
    for format in junit sarif github; do
        run "$HEAPDRIFT" check -q --budget='Shop.Session=0' --format=$format "$core" "$later"
        [[ $output == *"garbage, which a core dump holds, is not counted"* ]] || complain "$format says nothing of garbage"
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
