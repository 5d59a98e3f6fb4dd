# The gate for builds: budgets, verdicts, exit status, what build servers read.
load helper

# Outside of any heapdrift.yml, and without variables of a build server.
setup() {
    begin
    export SOURCE_DATE_EPOCH=1795219200 # 2026-11-21
    unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
    cache=$PWD/fixtures/leaklab/cache none=$PWD/fixtures/leaklab/none
    lab=(fixtures/leaklab/{cache,density,events,list,timers})
}

# A file of budgets.
budgets() { printf 'version: 1\n%s\n' "$1" >"$tmp/heapdrift.yml"; }

@test "the default budget fails every leak and passes every healthy program, for every window" {
    local folder first n files wanted
    for folder in "${lab[@]}" fixtures/leaklab/none; do
        wanted=$([[ $folder == */none ]] && echo 0 || echo 1)
        files=("$folder"/[0-5].gcdump.*)
        [[ ${#files[@]} == 6 && ${files[0]} == */0.gcdump.* ]]
        for n in 4 5; do
            for ((first = 1; first + n <= 6; first++)); do
                hd check -q "${files[@]:first:n}"
                status_is "$wanted"
            done
        done
        hd check -q "$folder"
        status_is "$wanted"
    done
}

@test "text of a failure" {
    budgets 'budgets:
  - total: bytes
    max_growth: 5%
  - type: "Shop.Sessions.*"
    max_growth: 0
  - holder: "*s_sessions]*"
    max_growth: 100
    per: step
  - type: System.String
    max_growth_bytes: 10MiB
  - suspects: any
suppress:
  - type: "Shop.Sessions.LogEntry*"
    reason: "SHOP-7: belongs to its session"
    until: 2027-06-30'
    hd check -c "$tmp/heapdrift.yml" "$cache"
    status_is 1
    out=${out//"$tmp"/TMP}
    # In quotes where the path has a space.
    out=${out//"'$cache'"/$cache}
    out=${out//"$PWD"/PWD}
    printf '%s\n' "$out" >"$tmp/.out"
    golden_is check.txt
}

@test "fewer than four snapshots are inconclusive without a budget" {
    hd check "$cache"/{1,2,3}.gcdump.gz
    status_is 0
    out_matches $'^INCONCLUSIVE  Fewer than four comparable snapshots'
    out_has "budgets     1 of 1 rule could not be decided"
    out_lacks LEAK
    err_has "inconclusive"
    hd check --strict "$cache"/{1,2,3}.gcdump.gz
    status_is 3
    hd check --strict --budget='Shop.Sessions.Session=10' "$cache"/{1,2,3}.gcdump.gz
    status_is 1
    hd check --strict --budget='Shop.Sessions.Session=10000' "$cache"/{1,2,3}.gcdump.gz
    status_is 0
}

@test "a broken input is never a pass" {
    cp "$none"/{1,2,3,4}.gcdump.gz "$tmp"
    works check "$tmp"/{1,2,3,4}.gcdump.gz
    gunzip "$tmp/4.gcdump.gz"
    head -c 5000 "$tmp/4.gcdump" >"$tmp/cut.gcdump"
    hd check "$tmp"/{1,2,3}.gcdump.gz "$tmp/cut.gcdump"
    status_is 2
    out_is ""
    hd check "$tmp"/{1,2,3,9}.gcdump.gz
    status_is 2
    hd check "$tmp/1.gcdump.gz"
    fails_with 'check compares 2 to 50 snapshots, not 1; for one, use `heapdrift top`'
}

@test "a failure wins over an inconclusive rule, trouble over both" {
    budgets 'budgets:
  - total: reachable_bytes
    max_growth: 1TiB
  - type: X
    max_growth: 0'
    printf 'type,count,bytes\nX,%d,100\n' 1 >"$tmp/1.csv"
    printf 'type,count,bytes\nX,%d,100\n' 2 >"$tmp/2.csv"
    hd check --strict -c "$tmp/heapdrift.yml" "$tmp"/{1,2}.csv
    status_is 1
    hd check --strict -c "$tmp/heapdrift.yml" "$tmp"/{2,1}.csv
    status_is 3
    hd check -c "$tmp/heapdrift.yml" "$tmp"/{2,1}.csv
    status_is 0
    hd check -c "$tmp/heapdrift.yml" -o /dev/full "$tmp"/{1,2}.csv
    status_is 2
}

# --- where budgets come from -----------------------------------------------------------

@test "heapdrift.yml is found in a parent folder, up to the root of the repository" {
    mkdir -p "$tmp/repo/.git" "$tmp/repo/a/b"
    printf 'version: 1\nbudgets:\n  - total: objects\n    max_growth: 0\n' >"$tmp/repo/heapdrift.yml"
    cd "$tmp/repo/a/b"
    hd check --format=json "$none"
    status_is 1
    [[ $(json '.rules[0].source') == ../../heapdrift.yml:3 ]]
    cd "$tmp/repo"
    hd check --format=json "$none"
    [[ $(json '.rules[0].source') == heapdrift.yml:3 ]]
    mkdir "$tmp/repo/a/.git"
    cd "$tmp/repo/a/b"
    hd check --format=json "$none"
    status_is 0
    [[ $(json '.rules[0].source') == default ]]
}

@test "a heapdrift.yml that is a link to nowhere is not passed over for another" {
    mkdir -p "$tmp/repo/.git" "$tmp/repo/a"
    printf 'version: 1\nbudgets: []\n' >"$tmp/repo/heapdrift.yml"
    ln -s moved-away.yml "$tmp/repo/a/heapdrift.yml"
    cd "$tmp/repo/a"
    hd check "$none"
    fails_with "heapdrift.yml: No such file or directory"
    cp ../heapdrift.yml heapdrift.yaml
    hd check "$none"
    fails_with "heapdrift.yml: No such file or directory"
}

@test "of two files of budgets the nearest is taken" {
    mkdir -p "$tmp/repo/.git" "$tmp/repo/a"
    printf 'version: 1\nbudgets:\n  - total: objects\n    max_growth: 0\n' >"$tmp/repo/heapdrift.yml"
    budgets 'budgets: []'
    cp "$tmp/heapdrift.yml" "$tmp/repo/a/heapdrift.yaml"
    cd "$tmp/repo/a"
    works check --format=json "$none"
    [[ $(json '.rules[0].source') == default ]]
    cp heapdrift.yaml heapdrift.yml
    # Beside it the usual name counts.
    printf 'version: 1\nbudgets:\n  - total: objects\n    max_growth: 0\n' >heapdrift.yaml
    works check --format=json "$none"
    [[ $(json '.rules[0].source') == default ]]
    works check -v "$none"
    err_has "heapdrift: heapdrift.yml: the budget file in use"
    err_has "heapdrift: heapdrift.yaml: not read; a closer file takes precedence"
    err_has "heapdrift: ../heapdrift.yml: not read; a closer file takes precedence"
    works check -qv -c heapdrift.yml "$none"
    err_lacks "that count"
    hd check -c heapdrift.yml -c heapdrift.yaml "$none"
    fails_with "--config=heapdrift.yaml: must be one file only"
    rm heapdrift.y*ml
    hd check "$none"
    status_is 1
}

@test "a heapdrift.yml in a folder of another user is ignored" {
    [[ $(id -u) == 0 ]] || skip "only root can give folders away"
    mkdir -p "$tmp/shared/mine/a"
    printf 'version: 1\nbudgets:\n  - total: objects\n    max_growth: 0\n' >"$tmp/shared/heapdrift.yml"
    cd "$tmp/shared/mine/a"
    hd check "$none"
    status_is 1
    chown 12345 "$tmp/shared"
    works check --format=json "$none"
    [[ $(json '.rules[0].source') == default ]]
    # A gate must not pass because it may not read its budgets.
    cd "$tmp/shared"
    hd check "$none"
    fails_with "heapdrift.yml: refused: $tmp/shared belongs to user 12345; HEAPDRIFT_TRUST=$tmp/shared/heapdrift.yml allows it"
    HEAPDRIFT_TRUST=$tmp/shared/heapdrift.yml hd check "$none"
    status_is 1
    hd check -c heapdrift.yml "$none"
    status_is 1
}

@test "a mistake in the budgets is one line with its place, before a snapshot is read" {
    local text wanted
    while IFS='|' read -r text wanted; do
        budgets "${text//;/$'\n'}"
        hd check -c "$tmp/heapdrift.yml" no-such-file
        fails_with "$tmp/heapdrift.yml:$wanted"
    done <<'MISTAKES'
budgets:;  - type: X;    max_grow: 1|4: unknown-key: max_grow; did you mean max_growth?
budgets:;  - type: [X];    max_growth: 1|3: wrong-type: Expecting STRING, got event: SEQUENCE_START
budgets:;  - total: bytes;    max_growth: 5XB|4: bad-limit: max_growth: 5XB: must be a size such as 10MiB, or a share such as 5%
budgets:;  - type: X;    max_growth: -1|4: bad-limit: max_growth: -1: must be a limit that is not negative: how much may be added
budgets:;  - {type: X, max_growth: 1};  - {type: X, max_growth: 2}|4: duplicate-rule: type X already has a budget on line 3; put all its limits there
suppress:;  - {type: X, reason: r, until: 31.12.2026}|3: bad-date: until: 31.12.2026: must be a day such as 2026-12-31
MISTAKES
    : >"$tmp/heapdrift.yml"
    hd check -c "$tmp/heapdrift.yml" no-such-file
    fails_with "$tmp/heapdrift.yml:1: empty-file: no budgets in it; begin with \"version: 1\" and \"budgets:\""
    hd check -c "$tmp/none.yml" no-such-file
    fails_with "$tmp/none.yml: No such file or directory"
    hd check -c "$tmp" no-such-file
    status_is 2
    if [[ $(id -u) != 0 ]]; then
        chmod 0 "$tmp/heapdrift.yml"
        hd check -c "$tmp/heapdrift.yml" no-such-file
        fails_with "$tmp/heapdrift.yml: Permission denied"
    fi
}

@test "a budget that matches no type is a warning with its place" {
    budgets 'budgets:
  - type: Zebra
    max_growth: 0'
    local warm=("$none"/{2,3,4,5}.gcdump.gz)
    works check -c "$tmp/heapdrift.yml" "${warm[@]}"
    err_is "heapdrift: warning: $tmp/heapdrift.yml:3: unused-budget: type Zebra: the budget matches nothing"
    works check --budget=Zebra=0 "${warm[@]}"
    err_is "heapdrift: warning: unused-budget: type Zebra: the budget matches nothing"
}

@test "with --strict a budget without a match does not pass, and a similar name is suggested" {
    hd check --strict --budget='shop.*=0' "$none"
    status_is 3
    err_has "type shop.* (did you mean Shop.*?): the budget matches nothing"
    out_has "matches no type; did you mean Shop.*?"
    hd check -q --strict --budget='Shop.Zebra.*=0' "$none"
    status_is 3
    works check --budget='shop.*=0' "$none"
    hd check --strict --budget='Shop.*=1000000' "$none"
    status_is 0
}

@test "a limit in bytes without a unit is bytes, with a warning" {
    local place what
    hd check --max-growth=5 --format=json "$none"
    status_is 1
    err_has "heapdrift: warning: no-unit: total bytes: 5 is taken for 5 bytes: limit without a unit; write 5MiB, 5% or 5B"
    [[ $(json '.rules[0].limit_value') == 5 && $(json '.warnings[] | select(.code == "no-unit") | .message') == "total bytes: 5 is"* ]]
    budgets 'budgets:
  - total: bytes
    max_growth: 5
  - type: "Shop.*"
    max_growth: 5
    max_growth_bytes: 1023
  - suspects: any
    max_score: 1'
    hd check -c "$tmp/heapdrift.yml" "$none"
    [[ $(grep -c ': no-unit: ' <<<"$err") == 3 ]]
    err_has "heapdrift: warning: $tmp/heapdrift.yml:3: no-unit: total bytes: 5 is taken for 5 bytes"
    err_has "heapdrift: warning: $tmp/heapdrift.yml:5: no-unit: type Shop.*: 1,023 is taken for 1,023 bytes"
    err_has "heapdrift: warning: $tmp/heapdrift.yml:8: no-unit: suspects any: 1 is taken for 1 byte:"
    # No reason for a warning: a unit, no unit, unusual but valid values, objects.
    for what in --max-growth=5B '--max-growth=5 %' --max-growth=0 --max-growth=1024 --max-growth-objects=5 --budget=X=5 --max-score=5%; do
        hd check "$what" "$none"
        err_lacks no-unit
    done
}

@test "sizes of budgets are taken in any case" {
    local size
    works check -q --max-growth=500mb --budget='*=1gib' "${pair[@]}"
    for size in 5mb 5MB 5Mb '5 MB' '5 mb' 5m 5M 5mib 5MIB '5 MiB'; do
        hd check -q --format=json --max-growth="$size" "${pair[@]}"
        [[ $(json '.rules[0].limit_value') == "$([[ $size == *[bB] && $size != *i* && $size != *I* ]] && echo 5000000 || echo 5242880)" ]] ||
            complain "$size should be 5 MB or 5 MiB"
    done
    hd check -q --budget=X=1024 --budget=X=1KiB "$none"
    fails_with "two budgets for type X; keep one"
    hd check -j 100000 "$none"
    fails_with "--threads=100000: must be a whole number from 1 to 64"
}

# Combinations of rule, series and suppression: rows of tests/core/questions/test_check_table.c through
# the program. rule | files | suppression | status | status with --strict
@test "a rule passes only if the snapshots show that it is not over its limit" {
    local rule files excuse lenient strict i row=0
    for i in 1 2 3 4; do
        printf 'type,count,bytes\nA.X,%d,%d\nA.Y,100,1000\n' $((100 + 20 * i)) $((1000 + 200 * i)) >"$tmp/g$i.csv"
        printf 'type,count,bytes\nA.X,100,1000\nA.Y,100,1000\n' >"$tmp/n$i.csv"
        printf '{"schema":"heapdrift-top","schema_version":1,"snapshot":{"sampled":%s,"complete":%s},"types":[{"type":"A.X","count":%d,"bytes":%d}]}' \
            false "$([[ $i == 4 ]] && echo false || echo true)" 100 1000 >"$tmp/c$i.json"
    done
    while IFS='|' read -r rule files excuse lenient strict; do
        row=$((row + 1))
        budgets "budgets: [$rule]"$'\n'"suppress: [$excuse]"
        # shellcheck disable=SC2046 # several files
        hd check -q -c "$tmp/heapdrift.yml" $(eval echo "$tmp/$files")
        status_is "$lenient" || complain "row $row: $rule"
        # shellcheck disable=SC2046
        hd check -q --strict -c "$tmp/heapdrift.yml" $(eval echo "$tmp/$files")
        status_is "$strict" || complain "row $row, strict: $rule"
    done <<'ROWS'
{total: objects, max_growth: 59}|g{1,2,3,4}.csv||1|1
{total: objects, max_growth: 60}|g{1,2,3,4}.csv||0|0
{type: A.X, max_growth: 59}|g{1,2,3,4}.csv||1|1
{type: A.X, max_growth: 59}|g{1,2,3,4}.csv|{type: A.X, reason: r}|0|0
{type: A.X, max_growth: 59}|g{1,2,3,4}.csv|{type: A.Y, reason: r}|1|1
{type: A.X, max_growth: 59}|g{1,2,3,4}.csv|{holder: "*", reason: r}|0|3
{type: A.X, max_growth: 60}|g{1,2,3,4}.csv|{holder: "*", reason: r}|0|3
{type: A.X, max_growth: 19, per: step}|g{1,2,3,4}.csv||1|1
{type: A.X, max_growth: 20, per: step}|g{1,2,3,4}.csv||0|0
{type: A.X, max_growth: 0}|n{1,2,3,4}.csv||0|0
{type: A.X, max_growth: 0}|c{1,2,3,4}.json||0|3
{type: A.X, max_growth: 0}|c{1,2,3,4}.json|{type: A.X, reason: r}|0|3
{type: B.X, max_growth: 0}|n{1,2,3,4}.csv||0|3
{holder: "*", max_growth: 0}|n{1,2,3,4}.csv||0|3
{suspects: any}|g{1,2,3,4}.csv||1|1
{suspects: any}|g{1,2,3,4}.csv|{type: A.X, reason: r}|0|0
{suspects: any}|n{1,2,3,4}.csv||0|0
{suspects: any}|c{1,2,3,4}.json||0|3
ROWS
    [[ $row == 18 ]]
}

@test "a sample does not pass with --strict" {
    local file=fixtures/gcdump-made/sampled.gcdump i sampled
    works check -q --max-growth=1000% $file $file
    hd check -q --strict --max-growth=1000% $file $file
    status_is 3
    # Every rule passes, and there is no other doubt.
    for sampled in false true; do
        for i in 1 2 3 4; do
            printf '{"schema":"heapdrift-top","schema_version":1,"snapshot":{"sampled":%s},"types":[{"type":"A.X","count":%d,"bytes":1000}]}' \
                $sampled $((100 + i)) >"$tmp/$sampled-$i.json"
        done
        works check --format=json --max-growth-objects=1000% "$tmp/$sampled"-{1,2,3,4}.json
        [[ $(json .verdict) == pass ]]
        hd check -q --strict --max-growth-objects=1000% "$tmp/$sampled"-{1,2,3,4}.json
        status_is "$([[ $sampled == true ]] && echo 3 || echo 0)"
    done
}

@test "what fails because it is steady is held against the limit for that" {
    local slow=fixtures/leaklab2/tenants-slow
    hd check -q --format=json $slow
    status_is 1
    [[ $(json '.rules[0] | .limit, .reason') == $'score below 0.1 % if steady\nit grew in every step; --min-steady sets when that counts' ]]
    [[ $(json '.rules[0] | .observed_value > .limit_value') == true ]]
    hd check -q --format=json --min-steady=2KiB $slow
    [[ $(json '.rules[0] | .limit, .limit_value') == $'score below 2.00 KiB if steady\n2048' ]]
    works check -q --min-steady=0 $slow
}

@test "a verdict that cannot be given says what to do" {
    works check -q --format=json "$cache"/[12].gcdump.gz
    [[ $(json '.rules[0].reason') == *": take four or more, under the same load" ]]
}

@test "a restart in the series does not pass" {
    local i pids=(7 7 8 8) counts=(100 200 50 100)
    for i in 0 1 2 3; do
        printf '{"schema":"heapdrift-top","schema_version":1,"snapshot":{"pid":%d},"types":[{"type":"A.X","count":%d,"bytes":%d}]}' \
            "${pids[i]}" "${counts[i]}" "${counts[i]}" >"$tmp/$i.json"
    done
    works check --format=json --budget=A.X=0 "$tmp"/{0,1,2,3}.json
    [[ $(json '.verdict, .rules[0].reason') == $'inconclusive\nthe snapshots are from several processes: take them without a restart in between' ]]
    hd check -q --strict --budget=A.X=0 "$tmp"/{0,1,2,3}.json
    status_is 3
    works check -q --strict --budget=A.X=100 "$tmp"/{0,1}.json
}

@test "two doubts pass no more than one of them" {
    local again=$tmp/again.gcdump first
    zcat "$none/1.gcdump.gz" >"$again"
    # The same one twice, and too few; with the maximum number of snapshots.
    hd check -q --strict "$none"/{1,2,3}.gcdump.gz "$again"
    status_is 3
    out_has "inconclusive"
    first=("$none"/{0,1,2,3,4,5}.gcdump.gz)
    hd check -q --strict "${first[@]}" "${first[@]}" "${first[@]}" "${first[@]}" \
        "${first[@]}" "${first[@]}" "${first[@]}" "${first[@]}" "$none"/{1,2}.gcdump.gz
    status_is 3
    out_has "a snapshot was given twice"
    hd check -q "${first[@]}" "${first[@]}" "${first[@]}" "${first[@]}" "${first[@]}" \
        "${first[@]}" "${first[@]}" "${first[@]}" "$none"/{1,2,3}.gcdump.gz
    status_is 2
    err_has "2 to 50 snapshots"
}

@test "per iteration needs iterations" {
    budgets 'budgets:
  - type: "*Session"
    max_growth: 59
    per: iteration'
    hd check -c "$tmp/heapdrift.yml" "$cache"
    fails_with "$tmp/heapdrift.yml:3: no-iterations: per: iteration needs one number per snapshot: --iterations=A,B,..."
    hd check --format=json --iterations=0,20,40,60,80,100 -c "$tmp/heapdrift.yml" "$cache"
    status_is 1
    [[ $(json '.rules[0].observed') == "+60 instances per iteration" ]]
    [[ $(json '.rules[0] | .observed_value, .limit_value, .unit') == $'60\n59\nobjects' ]]
}

@test "options are budgets too" {
    hd check --max-growth=1MiB --max-growth-objects=10% --budget='Shop.*Session=6000' --max-score=1MiB \
        --format=csv "$cache"
    status_is 1
    [[ $(column 1 | xargs) == "fail fail pass fail" ]]
    [[ $(tail -n +2 <<<"$out" | grep -c ',option,') == 4 ]]
    hd check --max-growth=-1 "$cache"
    fails_with "--max-growth=-1: must be a limit that is not negative: how much may be added"
    hd check --budget=X "$cache"
    fails_with "--budget=X: must be TYPE=N, a type or a pattern and how many instances may be added"
    hd check --max-score=much "$cache"
    status_is 2
}

# --- suppressions ------------------------------------------------------------------------

@test "a suppression ends after its day" {
    budgets 'suppress:
  - type: Shop.Sessions.Session
    reason: "SHOP-7: known"
    until: 2026-11-21'
    works check -c "$tmp/heapdrift.yml" --format=json "$cache"
    [[ $(json '.verdict, .rules[0].status, .rules[0].reason') == $'pass\nsuppressed\nSHOP-7: known' ]]
    SOURCE_DATE_EPOCH=1795305599 works check -q -c "$tmp/heapdrift.yml" "$cache"
    SOURCE_DATE_EPOCH=1795305600 hd check -c "$tmp/heapdrift.yml" "$cache"
    status_is 1
    err_has ":3: expired-suppression: Shop.Sessions.Session (until 2026-11-21, SHOP-7: known)"
    SOURCE_DATE_EPOCH=tomorrow hd check "$cache"
    fails_with "SOURCE_DATE_EPOCH=tomorrow: must be seconds since 1970-01-01"
    works check -c "$tmp/heapdrift.yml" "$none"/{2,3,4,5}.gcdump.gz
    err_is "heapdrift: warning: $tmp/heapdrift.yml:3: unused-suppression: Shop.Sessions.Session: the suppression matches nothing; remove it"
}

# --- baselines ---------------------------------------------------------------------------

@test "a baseline accepts the recorded growth and no more" {
    budgets 'budgets:
  - {type: "*", max_growth: 0}
  - {total: bytes, max_growth: 0}
  - {suspects: any}
  - {holder: "*s_sessions]*", max_growth: 0}'
    local four=("$cache"/{1,2,3,4}.gcdump.gz)
    hd check -q -c "$tmp/heapdrift.yml" "${four[@]}"
    status_is 1
    works check -c "$tmp/heapdrift.yml" --baseline-write="$tmp/accepted" "${four[@]}"
    works check -c "$tmp/heapdrift.yml" --baseline="$tmp/accepted" "${four[@]}"
    err_is ""
    # Sorted, without addresses and times: written again it is the same.
    cp "$tmp/accepted" "$tmp/before"
    works check -c "$tmp/heapdrift.yml" --baseline-write="$tmp/accepted" "${four[@]}"
    cmp "$tmp/accepted" "$tmp/before"
    # Another leak is not covered by it.
    hd check -q -c "$tmp/heapdrift.yml" --baseline="$tmp/accepted" fixtures/leaklab/events/[1-4].gcdump.zst
    status_is 1
    sed -i '1s/1/2/' "$tmp/accepted"
    hd check --baseline="$tmp/accepted" "${four[@]}"
    fails_with "$tmp/accepted:1: unknown-version: baseline of version 2; heapdrift reads version 1: write it again with --baseline-write"
    hd check --baseline="$tmp/nothing" "${four[@]}"
    fails_with "$tmp/nothing: No such file or directory"
    hd check -q --baseline-write=/dev/full "${four[@]}"
    status_is 2
}

# --- formats -----------------------------------------------------------------------------

@test "the same input gives the same bytes, in every format and with any number of threads" {
    local format
    budgets 'budgets:
  - {type: "Shop.*", max_growth: 0}
  - {suspects: any}'
    for format in text json csv tsv md junit sarif github; do
        hd check --format=$format -j1 -c "$tmp/heapdrift.yml" "$cache"
        status_is 1
        cp "$tmp/.out" "$tmp/first"
        hd check --format=$format -j2 -c "$tmp/heapdrift.yml" "$cache"
        cmp "$tmp/.out" "$tmp/first"
    done
    hd diff --format=junit "$cache"
    fails_with '--format=junit is for `heapdrift check`'
}

@test "GitHub gets annotations and a summary" {
    budgets 'budgets:
  - type: "Shop.Sessions.Session"
    max_growth: 5%
suppress:
  - type: Zebra
    reason: none'
    export GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$tmp/summary.md
    echo "# before" >"$tmp/summary.md"
    cd "$tmp"
    hd check "$cache"
    status_is 1
    out_lacks "::error"
    err_has "::error file=heapdrift.yml,line=3,title=heapdrift%3A over budget::type Shop.Sessions.Session: +6,000 instances from 0.gcdump.gz to 5.gcdump.gz; limit: +5 %25 (heapdrift.yml:3)%0Aheld by [static var "
    err_has "::warning file=heapdrift.yml,line=6,title=unused-suppression::Zebra: the suppression matches nothing; remove it"
    [[ $(head -1 summary.md) == "# before" ]]
    [[ $(sed -n 2p summary.md) == "<!-- heapdrift -->" ]]
    GITHUB_STEP_SUMMARY=$tmp/no/folder hd check "$cache"
    status_is 2
    err_has "GITHUB_STEP_SUMMARY=$tmp/no/folder: No such file or directory"
}

@test "tables of garbage are inconclusive, whatever grows" {
    local i tables=()
    for i in 1 2 3 4; do
        printf '> dumpheap -stat -dead\n%8s MT Count TotalSize Class Name\n7f00 %s00 %s000 App.Order\nTotal %s00 objects, %s000 bytes\n' \
            '' $i $i $i $i >"$tmp/$i.txt"
        tables+=("$tmp/$i.txt")
    done
    works check --format=json --max-growth=1% --max-growth-objects=1000 --budget='App.*=0' --max-score=2% "${tables[@]}"
    [[ $(json '.verdict + " " + (.rules | map(.status) | unique | join(" ")) + " " + .rules[0].reason') == \
        "inconclusive inconclusive a table lists garbage only; its growth is no leak" ]] ||
        complain "every rule should be inconclusive"
    hd check -q --strict --max-growth=1% "${tables[@]}"
    status_is 3
    sed -i s/-dead/-live/ "${tables[@]}"
    hd check -q --max-growth=1% "${tables[@]}"
    status_is 1
}

@test "in Markdown the holder of a suspect is printed once even with a rule about it" {
    local path='→ VolatileNode<System.String,Shop.Sessions.Session>'
    hd check -q --format=md --budget='Shop.Sessions.Session=0' fixtures/leaklab/cache
    status_is 1
    [[ $(grep -c "$path" <<<"$out") == 1 ]] || complain "one chain expected"
    hd check -q -v --budget='Shop.Sessions.Session=0' fixtures/leaklab/cache
    [[ $(grep -c "^    held by" <<<"$out") == 2 ]] || complain "text says it beside the rule"
}

# A heap of N snapshots that is flat until the one before FROM and then gains 600 objects in
# each: late_leak N FROM
late_leak() {
    mkdir "$tmp/late"
    awk -v snapshots="$1" -v from="$2" -v folder="$tmp/late" 'BEGIN {
        for (k = 1; k <= snapshots; k++) {
            file = folder "/" k ".txt"
            last = 4096 + 100 + (k < from ? 0 : 600 * (k - from + 1)) - 1
            printf "a 2 App.exe %x\nt 1 App.Blob\nt 2 App.Leaked\nt 3 App.Leaked[]\n", 1000 * k >file
            printf "o 10 1 ea60\nr 10 4 0 1\no 20 3 1000" >file
            for (i = 4096; i <= last; i++)
                printf " %x", i >file
            printf "\nr 20 4 0 1\n" >file
            for (i = 4096; i <= last; i++)
                printf "o %x 2 64\n", i >file
            printf "c App.exe %x\n", 1000 * k + 5 >file
        }
    }'
}

@test "a late leak does not pass, and the report has its start" {
    local how
    late_leak 20 14
    for how in "" --tables-only --min-score=90%; do
        hd check -q --strict $how "$tmp/late"
        status_is 3
        out_matches "^INCONCLUSIVE  Unexplained growth: .* since snapshot 13;"
    done
    hd -q --strict "$tmp/late"
    status_is 3
    out_matches "^UNSURE  Unexplained growth: 8"
    eval "works ${out##*next: heapdrift }"
    out_matches "^LEAK  so far, App.Leaked: 100 → 4,300 objects"
    works check -q --format=json "$tmp/late"
    [[ $(json '"\(.verdict) \(.confidence) \(.growth.unexplained) \(.growth.since)"') == \
        "inconclusive medium true 12" ]]
    hd check -q "$tmp"/late/{13,14,15,16,17,18,19,20}.txt
    status_is 1
}

@test "a rule for suspects that matches nothing passes with a reservation" {
    local hidden
    for hidden in '*' '*Session*'; do
        hd check -q --strict -x "$hidden" fixtures/leaklab/cache
        status_is 3
    done
    hd check -q --strict -t System.String fixtures/leaklab/cache
    status_is 3
    works check -q -x '*Session*' fixtures/leaklab/cache
    out_has "1 suspect is hidden by --type, --exclude or --app-only"
    hd check -q --strict -x '*' fixtures/leaklab/none/[2-5].gcdump*
    status_is 3
    out_has "no type is shown: --type, --exclude and --app-only hide all"
    works check -q --strict fixtures/leaklab/none/[2-5].gcdump*
}

@test "--strict names the reservation of a pass, or counts undecided results" {
    hd check -q --strict fixtures/leaklab/none
    status_is 3
    out_matches '^PASS '
    err_is "heapdrift: passed with a reservation: the heap grew, then leveled off; --strict makes that status 3"
    hd check -q --strict --budget=Nope=0 fixtures/leaklab/cache
    status_is 3
    err_is "heapdrift: passed with a reservation: a budget without a match; --strict makes that status 3"
    hd check -q --strict -x '*Session*' fixtures/leaklab/cache
    err_is "heapdrift: passed with a reservation: options hide a suspect, or every type; --strict makes that status 3"
    hd check -q --strict "${pair[@]}"
    status_is 3
    err_is "heapdrift: inconclusive: 1 of 1 results could not be decided; see the report"
}

@test "a --type without a match makes a check inconclusive" {
    works check --type=Nope fixtures/leaklab/cache
    out_matches '^INCONCLUSIVE '
    err_has "warning: no-such-type: no type matches Nope"
    works check -q --type=Nope --format=json fixtures/leaklab/cache
    [[ $(json .verdict) == inconclusive ]]
    hd check -q --strict --type=Nope fixtures/leaklab/cache
    status_is 3
    # A total does not depend on it.
    works check -q --type=Nope --max-growth=100GB --format=json fixtures/leaklab/cache
    [[ $(json .verdict) == pass ]]
    hd check -q --type=Nope --type='*Session' fixtures/leaklab/cache
    status_is 1
}

@test "a budget of the process is undecided where snapshots have no facts" {
    local pair=(fixtures/heap-text/before.txt fixtures/heap-text/after.txt)
    hd check -q --max-process-growth=5% "${pair[@]}"
    status_is 0
    out_matches "INCONCLUSIVE  process size: Not every snapshot has this number"
    out_has "suspects any"
    hd check -q --strict --max-process-growth=5% "${pair[@]}"
    status_is 3
    works check -q --max-process-growth=5% --format=json "${pair[@]}"
    [[ $(json '.rules[0] | "\(.rule) \(.status) \(.observed) \(.observed_value) \(.source)"') == \
        "process size inconclusive null null option" ]]
    printf 'version: 1\nprocess:\n  handels: 5\n' >"$tmp/process.yml"
    hd check -q --config="$tmp/process.yml" "${pair[@]}"
    status_is 2
    err_has "process.yml:3: unknown-key: handels; did you mean handles?"
}
