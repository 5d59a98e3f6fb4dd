# Memory that runs out, anywhere: status 2 and a line with the reason, or the complete answer. Never
# fewer rows, a crash, or the status of "over budget".
load helper

setup_file() {
    if [[ $HEAPDRIFT == *asan* ]]; then skip_file "the sanitizers have a malloc of their own"; else make_failing; fi
}

# One run of the program with $1, FAIL_AT=N or FAIL_ABOVE=N; the right answer is $tmp/whole
# with status $whole.
run_without() {
    local how=$1 was=0 said
    shift
    unset FAIL_AT FAIL_ABOVE
    export "${how?}"
    LD_PRELOAD=$failing "$HEAPDRIFT" "$@" >"$tmp/part" 2>"$tmp/said" || was=$?
    # Without an extra process: there are 1,500 runs.
    IFS= read -r -d '' said <"$tmp/said" || true
    if [[ $was == 2 && ! -s $tmp/part && ($said == *"out of memory"* || $said == *"Cannot allocate"*) ]]; then
        refused=$((refused + 1))
    elif [[ $was != "$whole" ]] || ! cmp -s "$tmp/part" "$tmp/whole"; then
        echo "heapdrift $* with $how: status $was, $(wc -c <"$tmp/part") bytes"
        head -3 "$tmp/said"
        return 1
    else
        answered=$((answered + 1))
    fi
}

whole_answer() {
    whole=0 refused=0 answered=0
    "$HEAPDRIFT" "$@" >"$tmp/whole" 2>/dev/null || whole=$?
}

# Every $1-th of the first $2 allocations fails.
no_failure_is_lost() {
    local step=$1 most=$2
    shift 2
    whole_answer "$@"
    for ((n = 1; n <= most; n += step)); do
        run_without FAIL_AT="$n" "$@"
    done
    ((refused > 0)) || { echo "none of them failed"; return 1; }
}

# From far too little memory to enough, in steps of a fifth.
no_limit_is_lost() {
    whole_answer "$@"
    for ((n = 20000; answered < 3; n += n / 5)); do
        ((n < 1000000000)) || { echo "never enough"; return 1; }
        run_without FAIL_ABOVE="$n" "$@"
    done
    ((refused > 5)) || { echo "nearly always enough"; return 1; }
}

@test "a failed allocation while a check is written is reported, in every format" {
    for format in text json csv tsv md junit sarif github; do
        no_failure_is_lost 71 2500 check -j1 --budget='*=2' --format=$format "${series[@]}"
    done
}

@test "a failed allocation is reported by every command" {
    no_failure_is_lost 17 700 top -j1 --format=json "$after"
    no_failure_is_lost 17 700 roots -j1 --type='*' --format=json "$after"
    no_failure_is_lost 17 700 info --format=json "${pair[@]}"
    no_failure_is_lost 17 700 diff -j4 --format=json "${series[@]}"
}

@test "a failed allocation while a tree is written is reported, in every format" {
    for format in text md json csv folded speedscope pprof dot; do
        no_failure_is_lost 97 1700 tree -j1 --format=$format "$after"
    done
    no_limit_is_lost tree -j1 --format=pprof "${pair[@]}"
}

@test "a failed allocation while tables are read and written is reported" {
    local table=$tmp/table.json
    works convert "$after" -o "$table"
    no_failure_is_lost 3 200 top -j1 --format=csv "$table"
    no_failure_is_lost 3 200 convert "$table" -o - --to=table-json
    no_failure_is_lost 3 200 convert "$table" -o - --to=table-csv
}

@test "a failed allocation while budgets are read is reported" {
    cat >"$tmp/heapdrift.yml" <<'YML'
version: 1
budgets:
  - type: "*"
    max_growth: 1.5 %
suppress:
  - type: System.*
    reason: not ours
YML
    no_failure_is_lost 7 1000 check -j1 -c "$tmp/heapdrift.yml" "${pair[@]}"
}

@test "insufficient memory is reported, in every format" {
    for format in text json csv md junit sarif; do
        no_limit_is_lost check -j1 --budget='*=2' --format=$format "${pair[@]}"
    done
}

@test "insufficient memory to decompress is reported" {
    gzip -c "$after" >"$tmp/a.gz"
    zstd -qc "$after" >"$tmp/a.zst"
    xz -c "$after" >"$tmp/a.xz"
    bzip2 -c "$after" >"$tmp/a.bz2"
    (cd "$tmp" && zip -q a.zip a.gz && cp "$OLDPWD/$after" a.txt && zip -q b.zip a.txt)
    for file in a.gz a.zst a.xz a.bz2 b.zip; do
        no_limit_is_lost top -j1 "$tmp/$file"
        no_failure_is_lost 7 150 top -j1 "$tmp/$file"
    done
}

@test "a large table in little memory is written whole or not at all" {
    awk 'BEGIN { print "type,count,bytes"; for (i = 1; i <= 60000; i++) print "App.T" i "," i "," i * 24 }' \
        >"$tmp/large.csv"
    whole_answer top -n 0 --format=json "$tmp/large.csv"
    for kib in 60000 70000 80000 90000; do
        (
            ulimit -v "$kib"
            hd top -n 0 --format=json "$tmp/large.csv"
            [[ $status == 2 && -z $out && ($err == *"out of memory"*" ulimit -v limits this process to $((kib / 1024)) MiB; raise the limit, or "* ||
                $err == *"see --memory" || $err == *"raise it with --memory"*) ]] || cmp "$tmp/.out" "$tmp/whole"
        )
    done
}
