#!/usr/bin/env bats
# Invalid series: of several programs or processes, the same snapshot twice, swapped.

load helper

lab=fixtures/leaklab

# warned CODE: which of the series' snapshots it is about, from 0; empty: not warned.
warned() { json "[.warnings[] | select(.code == \"$1\") | .snapshot] | join(\" \")"; }

# check_of FILE...: the default gate, as JSON.
check_of() { hd check --format=json -q "$@"; }

@test "snapshots of four processes of one program are not a series" {
    works -q --format=json $lab/cache/2.gcdump.gz $lab/density/3.gcdump.gz $lab/list/4.gcdump.bz2 $lab/none/5.gcdump.gz
    [[ $(warned different-process) == 1 ]]
    [[ $(json '.warnings[] | select(.code == "different-process").count') == 3 ]]
    [[ $(json .confidence) == medium ]]
    works $lab/cache/2.gcdump.gz $lab/density/3.gcdump.gz $lab/list/4.gcdump.bz2 $lab/none/5.gcdump.gz
    err_has "$lab/density/3.gcdump.gz: different-process: not from the same process as 2.gcdump.gz: no runtime object is at its previous address"
    [[ $(grep -c different-process <<<"$err") == 1 ]]
}

@test "snapshots of four programs are not a series" {
    works -q --format=json fixtures/nettrace-real/leak31_first.nettrace.* $lab/events/3.gcdump.zst \
        fixtures/heap-text/before.txt fixtures/type-tables/table.json
    [[ $(warned different-process) == 1 ]]
    [[ $(warned different-program) == 2 ]]
    [[ $(json .confidence) != high ]]
}

@test "what is not shown by one process is never passed" {
    check_of $lab/events/5.gcdump.zst $lab/timers/4.gcdump.xz $lab/list/4.gcdump.bz2 $lab/none/4.gcdump.gz
    [[ $(json .verdict) == inconclusive ]]
    [[ $(json '.rules[0].reason') == "the snapshots are from several processes: take them without a restart in between" ]]
    check_of $lab/none/{1,2,3,4}.gcdump.gz
    [[ $(json .verdict) == pass ]]
}

@test "the same snapshot twice counts once, compressed or not" {
    zcat $lab/none/2.gcdump.gz >"$tmp/again"
    works -q --format=json $lab/none/{1,2,3}.gcdump.gz "$tmp/again"
    [[ $(warned same-snapshot) == 3 ]]
    [[ $(json .confidence) == medium ]]
    works $lab/none/{1,2,3}.gcdump.gz "$tmp/again"
    err_has "same-snapshot: the same snapshot as 2.gcdump.gz, byte for byte; not ranked"
    out_has "1 of 4 snapshots could not be"
    works -q --format=json - $lab/none/{1,2}.gcdump.gz <"$tmp/again"
    [[ $(warned same-snapshot) == 2 ]]
}

@test "two equal files do not prove the absence of growth" {
    check_of --max-growth=0 $lab/none/2.gcdump.gz $lab/none/2.gcdump.gz
    [[ $(json .verdict) == inconclusive ]]
    check_of --max-growth=0 fixtures/heap-text/before.txt fixtures/heap-text/before.txt
    [[ $(json .verdict) == inconclusive ]]
    check_of --max-growth=0 fixtures/type-tables/table.csv fixtures/type-tables/table.csv
    [[ $(json .verdict) == inconclusive ]]
    check_of --max-growth=50% $lab/list/{2,3,4,5,2}.gcdump.bz2
    [[ $(json .verdict) == inconclusive ]]
}

@test "equal tables in two files are two snapshots" {
    cp fixtures/type-tables/table.csv "$tmp/again.csv"
    works -q --format=json fixtures/type-tables/table.csv "$tmp/again.csv"
    [[ $(warned same-snapshot) == "" ]]
}

@test "one trace that is given twice is one snapshot" {
    local trace
    trace=$lab/nettrace/1.nettrace.zst
    works -q --format=json "$trace" "$trace"
    [[ $(warned same-snapshot) == 1 ]]
}

@test "true series have no warnings" {
    local run
    for run in cache density events list none timers nettrace; do
        works --format=json $lab/$run
        [[ $(json '[.warnings[].code] - ["few-snapshots", "native-memory", "growth-stopped"] | length') == 0 ]] ||
            complain "$run"
    done
}

@test "the heading has span and process, and fits 80 columns" {
    COLUMNS=80 works -q -v $lab/nettrace
    out_has $'\n3 snapshots over 1 s  1.nettrace.zst … 3.nettrace.zst\n'
    out_has $'\nLeakLab (pid 22043), .NET 10.0.12\n'
    works -q --format=md $lab/nettrace
    out_has $'3 snapshots over 1 s, `1.nettrace.zst` … `3.nettrace.zst`  \n'
    out_has $'\n`LeakLab` (pid 22043), .NET `10.0.12`\n'
    works -q --format=json $lab/nettrace
    [[ $(json '.span_seconds > 0.5 and .bytes_per_hour == null') == true ]]
    [[ $(json '.snapshots[0] | "\(.runtime) \(.program) \(.host)"') == "10.0.12 /opt/leaklab/LeakLab null" ]]
    works info $lab/nettrace/1.nettrace.zst
    out_matches "program +/opt/leaklab/LeakLab"
    out_lacks "/opt/leaklab/LeakLab.dll cache"
}

@test "heap text in reverse order is out of order by its stamps, and so are its digests" {
    local k kind
    mkdir "$tmp/txt" "$tmp/digest"
    for k in 1 2 3 4; do
        cp "fixtures/heap-text/series-$k.txt" "$tmp/txt/$((5 - k)).txt"
        works convert -q "fixtures/heap-text/series-$k.txt" -o "$tmp/digest/$((5 - k)).digest"
    done
    for kind in txt digest; do
        check_of --strict "$tmp/$kind"
        [[ $(json .verdict) != pass && $(warned out-of-order) == 1 ]]
        [[ $(json '.warnings[] | select(.code == "out-of-order").message') =~ ^"its stamp is "[0-9]+" ms, less than that of 1.$kind (" ]]
    done
    check_of "${series[@]}"
    [[ $(warned out-of-order) == "" ]]
}

# The span and the rate are of the first and the last, which say nothing of the others.
@test "a series out of order has no span and no rate, and its leak is one so far" {
    local t=fixtures/leaklab2/svc-timer
    works -q -v $t/0.* $t/2.* $t/1.* $t/3.* $t/4.*
    out_matches '^LEAK  so far, Contoso.Orders.Order: '
    out_has "the snapshots are out of order"
    out_lacks "no times"
    out_lacks "1 min 43 s"
    out_lacks "/h)"
    works -q --format=json $t/0.* $t/2.* $t/1.* $t/3.* $t/4.*
    [[ $(json '[.span_seconds, .bytes_per_hour] | tojson') == "[null,null]" ]]
    works -q $t
    out_has "over 1 min 43 s"
    out_has "/h)"
}

@test "roots warns of a wrong order and of other processes, as diff does" {
    local t=fixtures/leaklab2/svc-timer
    works roots --type=Contoso.Orders.Order $t/0.* $t/2.* $t/1.*
    err_matches "warning: .*1.gcdump.xz: out-of-order: taken at .*, before 2.gcdump.xz"
    works roots --format=json --type=System.String $lab/cache/0.* $lab/none/5.*
    [[ $(warned different-process) == 1 ]]
    works roots --type=Contoso.Orders.Order $t/0.* $t/1.* $t/2.*
    err_is ""
}

@test "one table is one snapshot, however its path is written" {
    local other
    cp fixtures/type-tables/table.csv "$tmp/z.csv"
    ln -s z.csv "$tmp/link.csv"
    ln "$tmp/z.csv" "$tmp/hard.csv"
    mkdir "$tmp/folder"
    cd "$tmp"
    for other in z.csv ./z.csv folder/../z.csv "$PWD/z.csv" link.csv hard.csv; do
        works -q --format=json z.csv "$other"
        [[ $(warned same-snapshot) == 1 ]]
    done
}
