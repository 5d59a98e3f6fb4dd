# Which code allocated what leaks, of live .NET programs. `make check-live`; skipped without .NET.
load ../cli/helper
load lab

setup() { begin; }
teardown() { stop_lab; }

# leaks_while COMMAND...: a series of four, of --on-enter, while the program works; $out and $err.
leaks_while() {
    iterate 40
    works "$@" --on-enter --count=4 < <(for ((k = 0; k < 4; k++)); do
        echo
        sleep 2
        iterate 60
    done)
    err_lacks "which code allocated"
}

# first_own: the innermost frame of the program itself where most of the first suspect was allocated, as METHOD FILE:LINE.
first_own() { json '.suspects[0].sites[0].at | "\(.method) \(.file):\(.line)"'; }

# line_of PATTERN: where the program has it, as FILE:LINE.
line_of() { echo "Scenarios.cs:$(grep -n -- "$1" tests/live/leaklab/Scenarios.cs | head -n 1 | cut -d: -f1)"; }

# one_tier LAB: without tiers the samples do not depend on the time at which the compiler optimises.
one_tier() { start_lab "$1" DOTNET_TieredCompilation=0; }

@test "the line that allocates what leaks" {
    need_dotnet
    one_tier list
    leaks_while watch "$pid" -o "$tmp/kept" --format=json
    [[ $(first_own) == "LeakLab.ListLeak.Iterate $(line_of 'AuditTrail.Write("user"')" ]] || complain "$(first_own)"
    jq -e ".suspects[0].sites[0].samples >= 3" <<<"$out" || complain "$(json ".suspects[0].sites[0].new")"
    # The files have them, and so have their digests.
    works diff -q "$tmp"/kept/*.gcdump
    out_has "allocated   LeakLab.ListLeak.Iterate (Scenarios.cs:"
    for k in 1 2 3 4; do works convert "$tmp/kept/$k.gcdump" -o "$tmp/$k.digest"; done
    works diff -q "$tmp"/[1234].digest
    out_has "allocated   LeakLab.ListLeak.Iterate (Scenarios.cs:"
}

@test "async methods and their callers are named as they are written" {
    need_dotnet
    start_lab async
    leaks_while watch "$pid" --no-keep --format=json
    json '.suspects[0].sites[].at.method' | grep -Fx -e Shop.Net.RpcClient.CallAsync -e LeakLab.AsyncLeak.HandleAsync
    [[ $(json '[.suspects[].sites[].stacks[].frames[] | select(.own).method | select(test("[<>]d__|MoveNext"))] | length') == 0 ]]
}

@test "the same of .NET 11" {
    need_runtime 11.0.0
    one_tier list
    leaks_while watch "$pid" --no-keep --format=json
    [[ $(first_own) == "LeakLab.ListLeak.Iterate $(line_of 'AuditTrail.Write("user"')" ]] || complain "$(first_own)"
}

@test "code that the compiler moved has its method, and no other line" {
    need_dotnet
    start_lab list
    leaks_while watch "$pid" --no-keep --format=json
    [[ $(first_own) == "LeakLab.ListLeak.Iterate "* ]] || complain "$(first_own)"
    [[ $(json '.suspects[0].sites[].at | select(.method == "LeakLab.ListLeak.Iterate" and .line).line' | sort -u) =~ \
        ^($(line_of 'AuditTrail.Write("user"' | cut -d: -f2))?$ ]] || complain "$(json '.suspects[0].sites[].at')"
}

@test "traces keep it" {
    need_dotnet
    one_tier list
    leaks_while collect "$pid" -o "$tmp/t.nettrace"
    works diff -q "$tmp"/t-*.nettrace
    out_has "allocated   LeakLab.ListLeak.Iterate (Scenarios.cs:"
}

@test "with --no-sites nothing is sampled, and files have no names of methods" {
    need_dotnet
    start_lab list
    leaks_while watch "$pid" --no-sites -o "$tmp/kept"
    out_lacks "allocated "
    [[ $(grep -c "heapdrift: sites" "$tmp"/kept/*.gcdump | grep -vc ':0$') == 0 ]]
    works info --format=json "$tmp"/kept/*.gcdump
    [[ $(jq -c '[.snapshots[].identity.source]' <<<"$out") == '[null,"events","events","events"]' ]]
}
