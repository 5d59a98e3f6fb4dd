# A process that grows outside of its objects: output and status of diff and check.
load helper

# Digests of a folder of the laboratory, of a process whose FACT grows by 10 MB each time.
grown() {
    local k file
    mkdir -p "$tmp/$2"
    for k in 0 1 2 3 4 5; do
        file=$(echo "fixtures/leaklab/$1/$k.gcdump".*)
        "$HEAPDRIFT" convert -q --to=digest "$file" -o - | zstd -dcq |
            sed "s/\"instance\":/\"process_facts\":\"resident=$((60 + 10 * k))000000 of_gc=9000000 $2=$((20 + 10 * k))000000\",&/" \
                >"$tmp/$2/$k.digest"
    done
}

@test "diff names the part that grew and the next step, and check does not pass" {
    grown none of_brk
    works -q "$tmp/of_brk"
    out_matches '^NOT MANAGED +The process grew from 57\.2 MiB to 105 MiB, outside of the managed heap: native memory'
    out_has "heapdrift help hint native-memory-grows"
    out_matches 'process +57\.2 MiB → 105 MiB'
    hd check -q "$tmp/of_brk"
    status_is 0
    out_matches '^INCONCLUSIVE +The process grew from 57\.2 MiB to 105 MiB'
    hd check -q --strict "$tmp/of_brk"
    status_is 3
    out_matches '^INCONCLUSIVE +The process grew from 57\.2 MiB to 105 MiB'
    hd check -q --strict --max-growth=5MiB "$tmp/of_brk"
    status_is 0
    out_matches "^PASS "
}

# The runtime's own memory rises for seconds; iterations count work, not time.
@test "a series of seconds needs more growth, also where iterations count" {
    local k step
    grown none of_brk
    for step in 60 1; do
        for k in 0 1 2 3 4 5; do
            sed -i -e "s/of_brk=[0-9]*/of_brk=$((20000 + 1200 * k))000/; s/resident=[0-9]*/resident=$((60000 + 1200 * k))000/" \
                -e "s/\"clock\":[^,]*/\"clock\":$((1700000000 + step * k))/; s/\"clock_is_date\":false/\"clock_is_date\":true/" \
                "$tmp/of_brk/$k.digest"
        done
        hd check -q --iterations=10,20,30,40,50,60 "$tmp/of_brk"
        if ((step == 60)); then
            out_matches '^INCONCLUSIVE +The process grew'
        else
            out_matches '^PASS '
        fi
    done
}

@test "each part has its hint" {
    local fact hint
    while read -r fact hint; do
        grown none "$fact"
        works -q "$tmp/$fact"
        out_matches '^NOT MANAGED '
        out_has "heapdrift help hint $hint"
    done <<'EOF'
of_arenas native-memory-grows
of_files mapped-files-kept
of_stacks thread-never-ends
of_code compiled-code-kept
EOF
}

@test "a leak stays a leak, with the process below it" {
    grown cache of_brk
    works -q "$tmp/of_brk"
    out_matches '^LEAK '
    out_matches 'process +57\.2 MiB → 105 MiB'
    hd check -q "$tmp/of_brk"
    status_is 1
    out_matches '^FAIL '
}

@test "a process that does not grow is not mentioned" {
    works -q fixtures/leaklab/none
    out_lacks process
    out_lacks "NOT MANAGED"
}

@test "diff by holder and diff --strict report growth outside, too" {
    grown none of_brk
    works -q --by=holder "$tmp/of_brk"
    out_matches '^NOT MANAGED '
    hd -q --strict "$tmp/of_brk"
    status_is 3
    err_has "the process grew outside of its objects"
    grown none fragmented
    sed -i 's/resident=[0-9]* of_gc=[0-9]* //' "$tmp"/fragmented/*.digest
    works -q --by=holder "$tmp/fragmented"
    out_matches '^UNSURE +The heap is fragmented'
    out_lacks 'leaks above'
    hd -q --strict "$tmp/fragmented"
    status_is 3
    err_has "the heap is fragmented"
}

@test "growth of unknown parts is UNSURE, and check does not pass" {
    grown none of_brk
    sed -i 's/ of_gc=[0-9]* of_brk=[0-9]*//' "$tmp"/of_brk/*.digest
    works -q "$tmp/of_brk"
    out_matches '^UNSURE .*The process grew from 57\.2 MiB to 105 MiB; objects explain 2\.7 % of that; where the rest is'
    hd check -q --strict "$tmp/of_brk"
    status_is 3
    hd check -q --max-process-growth=100MiB "$tmp/of_brk"
    status_is 0
    out_matches '^PASS '
    hd -q --strict "$tmp/of_brk"
    status_is 3
}
