# Native AOT programs: names of their types, and the report on a leak. `make check-live`; skipped without
# .NET, or without its compiler.
load ../cli/helper

setup() {
    begin
    command -v dotnet >/dev/null || skip "no dotnet here"
    lab=$(tests/live/build-aotlab.sh 2>"$tmp/build.log") || {
        grep -q 'NU1[0-9]*' "$tmp/build.log" && skip "no compiler of Native AOT here"
        cat "$tmp/build.log"
        return 1
    }
}

teardown() { [[ -z ${pid:-} ]] || kill "$pid"; }

# begin_lab leak|stay: the program, as $pid.
begin_lab() {
    "$lab" "$1" </dev/null >"$tmp/said" 3>&- &
    pid=$!
    for _ in $(tries); do
        ! grep -q ready "$tmp/said" || return 0
        sleep 0.05
    done
    return 1
}

@test "types are called as they call themselves, live, by the program and by its symbols" {
    python3 tests/live/native_aot.py "$HEAPDRIFT" "$lab" "$tmp"
}

# compare_five SCENARIO: the lab and five snapshots of it.
compare_five() {
    local i
    begin_lab "$1"
    for i in 1 2 3 4 5; do
        works collect -q "$pid" -o "$tmp/$i.gcdump"
        sleep 1
    done
    works diff -q --no-ages "$tmp"/{1,2,3,4,5}.gcdump
}

@test "a leak is found, and a bounded store is not accused" {
    compare_five leak
    out_has "LEAK  so far, Lab.Order"
    out_has "a static variable"
    kill "$pid"
    compare_five stay
    out_has "NO LEAK FOUND"
}

@test "data that a Native AOT program lacks is reported as missing" {
    begin_lab stay
    works collect -q "$pid" -o "$tmp/app.gcdump"
    hd statics "$tmp/app.gcdump"
    status_is 2
    err_has "a native AOT program names no static variables"
    hd collect --direct "$pid" -o "$tmp/direct.core"
    status_is 2
    err_has "native AOT"
}
