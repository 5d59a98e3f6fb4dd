# The code that allocated leaked objects: printed by every command that names a leak, and stored.
load helper

# Digests of a laboratory's leak, with samples of its objects: sampled FOLDER PER_STEP STACK...
sampled() {
    local k folder=$1
    shift
    mkdir -p "$tmp/$folder"
    for k in 0 1 2 3 4 5; do
        "$HEAPDRIFT" convert -q --to=digest "$(echo "fixtures/leaklab/cache/$k.gcdump".*)" -o "$tmp/$folder/$k.digest"
    done
    python3 tests/cli/add_sites.py "$tmp/$folder" "Node<System.String,Shop.Sessions.Session>" "$@"
}

add='LeakLab.Cache.Add@Cache.cs:42 < LeakLab.Program.Step < -System.Threading.Run'
load='LeakLab.Cache.Load@Cache.cs:77 < LeakLab.Program.Step < -System.Threading.Run'

@test "diff, check and a report name the code that allocated a leak" {
    sampled one 2 "$add"
    works -q "$tmp/one"
    out_matches '^LEAK '
    out_has "allocated   LeakLab.Cache.Add (Cache.cs:42) ← Program.Step   10 of 10 samples, in every interval"
    works -q --width=80 "$tmp/one"
    out_has $'\nallocated   Cache.Add (Cache.cs:42) ← Program.Step   10 of 10 samples\n'
    [[ $(wc -l <<<"$out") -le 14 ]]
    hd check -q "$tmp/one"
    status_is 1
    out_has "allocated   LeakLab.Cache.Add (Cache.cs:42)"
    works -q -v "$tmp/one"
    out_has $'\nALLOCATED'
    out_matches '2 2 2 2 2 +.*LeakLab\.Cache\.Add \(Cache\.cs:42\) ← LeakLab\.Program\.Step'
    works -q --format=md "$tmp/one"
    out_has "LeakLab.Cache.Add"
    works report -q "$tmp/one" -o "$tmp/page.html"
    grep -q "LeakLab.Cache.Add" "$tmp/page.html"
}

@test "two sites are told apart, in JSON with their stacks" {
    sampled two 4 "$add" "$add" "$add" "$load"
    works -q --format=json "$tmp/two"
    [[ $(jq -c '.suspects[0].sites | map([.at.method, .at.line, .caller.method, .samples])' <<<"$out") == \
        '[["LeakLab.Cache.Add",42,"LeakLab.Program.Step",15],["LeakLab.Cache.Load",77,"LeakLab.Program.Step",5]]' ]]
    [[ $(jq -c '.suspects[0].sampling | [.samples, .in_every_interval, .every_interval_sampled, .new]' <<<"$out") == \
        '[20,true,true,[null,4,4,4,4,4]]' ]]
    [[ $(jq -c '.suspects[0].sites[1].stacks[0].frames | map(.own)' <<<"$out") == '[true,true,false]' ]]
    works -q "$tmp/two"
    out_has "LeakLab.Cache.Add (Cache.cs:42) ← Program.Step   15 of 20 samples, in every interval"
}

@test "a leak without a sample is reported as such, and files without sites have no line" {
    sampled none 0 "$add"
    works -q "$tmp/none"
    out_has "allocated   unknown: none of its objects was sampled"
    works -q fixtures/leaklab/cache
    out_lacks allocated
    works -q --format=json fixtures/leaklab/cache
    [[ $(jq -c '.suspects[0] | [.sites, .sampling]' <<<"$out") == '[null,null]' ]]
}

@test "a part of a series counts what was allocated in it" {
    sampled part 2 "$add"
    works -q --format=json "$tmp"/part/{2,3,5}.digest
    [[ $(jq -c '.suspects[0].sampling | [.samples, .new]' <<<"$out") == '[6,[null,2,4]]' ]]
}

@test "tree --by=site has the stacks of survivors, in every format" {
    local format
    sampled tree 2 "$add" "$load"
    works tree -q --by=site "$tmp/tree"
    out_matches 'samples of allocations are alive'
    out_matches 'LeakLab\.Cache\.Add \(Cache\.cs:42\)'
    works tree -q --by=site --format=folded "$tmp/tree"
    [[ $out == *"System.Threading.Run;LeakLab.Program.Step;LeakLab.Cache.Add 0 512000"* ]]
    [[ $(awk '{ sum += $NF } END { print sum }' <<<"$out") == 1024000 ]]
    for format in json csv md speedscope dot; do
        works tree -q --by=site --format=$format "$tmp/tree"
        out_has "LeakLab.Cache.Load"
    done
    works tree -q --by=site --format=pprof "$tmp/tree" -o "$tmp/sites.pb.gz"
    zcat "$tmp/sites.pb.gz" | grep -aq "LeakLab.Cache.Load"
    python tests/cli/check_tree.py "$HEAPDRIFT" --by=site --min=0 "$tmp/tree"
    works tree -q --by=site --format=speedscope "$tmp/tree"
    [[ $(json '.shared.frames[] | select(.name == "LeakLab.Cache.Add") | "\(.file):\(.line)"') == "Cache.cs:42" ]]
    hd tree --by=site fixtures/leaklab/cache
    status_is 2
    err_has "no samples of allocations here"
    hd tree --by=site --type=Order "$tmp/tree"
    status_is 2
}

@test "a digest that is written again keeps its sites" {
    sampled again 2 "$add"
    "$HEAPDRIFT" convert -q "$tmp/again/5.digest" -o "$tmp/copy.digest"
    zstd -dcq "$tmp/copy.digest" | jq -r .sites.line | grep -q "LeakLab.Cache.Add @42:Cache.cs"
}

@test "info has the numbers of samples and of method names in a file" {
    sampled info 2 "$add"
    works info -q "$tmp/info/5.digest"
    out_matches 'allocations +10 samples, with names of 3 methods'
}

@test "annotations, JUnit and SARIF name the code that allocated" {
    local format
    sampled ci 2 "$add"
    for format in github junit sarif; do
        hd check -q --format=$format "$tmp/ci"
        status_is 1
        out_has "LeakLab.Cache.Add (Cache.cs:42)"
    done
}
