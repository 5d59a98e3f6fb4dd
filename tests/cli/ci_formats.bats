# Checks in formats for build servers: JUnit XML, SARIF, annotations.
load helper

# A build server of our own must not leak in.
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY
export SOURCE_DATE_EPOCH=1790000000 # 2026-09-21

# reports NAME STATUS ARG...: the same check in all formats, each valid and all agreeing.
reports() {
    local folder=$tmp/$1 expected=$2 format suffix
    shift 2
    mkdir -p "$folder"
    for format in json:json junit:xml sarif:sarif; do
        suffix=${format#*:}
        hd check -q --format="${format%:*}" -o "$folder/out.$suffix" "$@"
        status_is "$expected"
    done
    xmllint --noout --schema docs/ci/junit.xsd "$folder/out.xml" 2>"$tmp/xmllint" ||
        complain "$(<"$tmp/xmllint")"
    status=0
    out=$(python tests/cli/check_ci.py docs/ci/sarif.json "$folder") || status=$?
    status_is 0
}

xml() { xmllint --xpath "$2" "$tmp/$1/out.xml"; }
sarif() { jq -r "$2" "$tmp/$1/out.sarif"; }

config() {
    { echo "version: 1"; cat; } >"$tmp/$1.yml"
}

# Tables of one growing type, by name; and a heap of strings.
odd_series() {
    local k
    for k in 1 2 3 4; do
        printf '%s' "$1" | jq -Rs --argjson k $k '{format: "heapdrift-table", version: 1, types: [
            {type: ., count: ($k * 100), bytes: ($k * 10000)},
            {type: "System.String", count: 1000, bytes: 40000}]}' >"$tmp/$k.json"
    done
}

@test "without budgets, leaking and not" {
    reports leak 1 fixtures/leaklab/events
    reports none 0 fixtures/leaklab/none/{1,2,3,4,5}.gcdump.gz
    [[ $(xml leak 'string(/testsuites/@failures)') == 1 ]]
    [[ $(xml none 'string(/testsuites/@failures)') == 0 ]]
    [[ $(xml none 'string(//system-out)') == "pass: suspects any: "* ]]
    [[ $(sarif leak '.runs[0].results[0].ruleId') == suspect ]]
    # No file has the rule, so no place in a file is claimed.
    [[ $(sarif leak '[.. | objects | select(has("physicalLocation"))] | length') == 0 ]]
}

@test "too few snapshots are skipped tests and open results" {
    reports few 0 fixtures/leaklab/none/{1,2}.gcdump.gz
    [[ $(xml few 'string(//testsuite/@skipped)') == 1 ]]
    [[ $(xml few 'string(//skipped/@message)') == "inconclusive: "* ]]
    # Where servers show the content and not the attribute.
    [[ $(xml few 'string(//skipped)') == "inconclusive: suspects any: "* ]]
    [[ $(sarif few '.runs[0].results[0] | .kind + " " + .level') == "open none" ]]
    reports few 3 --strict fixtures/leaklab/none/{1,2}.gcdump.gz
}

@test "every kind of rule, suppressions and warnings, from a file" {
    config all <<'YML'
budgets:
  - total: bytes
    max_growth: 5%
  - total: objects
    max_growth: 1000000
  - type: "Shop.Sessions.*"
    max_growth: 0
    max_growth_bytes: 1MiB
  - type: "Shop.Catalog.*"
    max_growth: 100
    per: step
  - type: "Nowhere.*"
    max_growth: 0
  - holder: "*s_sessions]*"
    max_growth: 100
  - suspects: any
suppress:
  - type: "Shop.Sessions.LogEntry*"
    reason: "SHOP-7: <b>belongs</b> & stays"
    until: 2027-06-30
YML
    reports all 1 -c "$tmp/all.yml" fixtures/leaklab/cache
    [[ $(xml all 'count(//testcase)') == 8 ]]
    [[ $(xml all 'string(//failure)') == *"+4.77 MiB"* ]]
    [[ $(xml all 'string(//testcase[@name="type Shop.Sessions.* +0 instances"]/failure)') == \
        *"SHOP-7: <b>belongs</b> & stays"* ]]
    # Suppressed findings fail in these formats, with the reason of the suppression.
    [[ $(sarif all '[.runs[0].results[] | select(.suppressions) | .suppressions[0].justification] | unique[]') == \
        "SHOP-7: <b>belongs</b> & stays" ]]
    [[ $(sarif all '[.runs[0].results[].ruleId] | unique | join(" ")') == \
        "holder-growth suspect total-growth type-growth" ]]
    [[ $(sarif all '[.. | .uri? // empty] | unique[]') == "file://$tmp/all.yml" ]]
    [[ $(sarif all '.runs[0].invocations[0].toolExecutionNotifications[0].descriptor.id') == unused-budget ]]
    # All that is found is excused: skipped, and no failure.
    config excused <<'YML'
budgets:
  - type: "Shop.Sessions.LogEntry"
    max_growth: 0
suppress:
  - type: "Shop.Sessions.LogEntry"
    reason: known
YML
    reports excused 0 -c "$tmp/excused.yml" fixtures/leaklab/cache
    [[ $(xml excused 'string(//skipped/@message)') == "suppressed: Shop.Sessions.LogEntry: +18,000 instances "* ]]
}

@test "budgets of options, iterations and a baseline" {
    reports options 1 --max-growth=1KiB --max-growth-objects=5% --budget='Shop.*=0' --max-score=1% \
        --iterations=0,20,40,60,80,100 fixtures/leaklab/cache
    [[ $(sarif options '[.. | objects | select(has("physicalLocation"))] | length') == 0 ]]
    works check -q --budget='Shop.*=0' --baseline-write="$tmp/accepted" fixtures/leaklab/cache
    reports base 0 --budget='Shop.*=0' --baseline="$tmp/accepted" fixtures/leaklab/cache
}

@test "tables, samples, cut and restarted series" {
    local tables=(fixtures/type-tables/{table.csv,table.json,gcdump-report.txt,histogram.json})
    reports tables 1 --budget='*=0' "${tables[@]}"
    reports text 1 --budget='*=0' "${series[@]}"
    reports sampled 0 --max-growth=1000% fixtures/gcdump-made/{sampled,ms_full,v10,v11future}.gcdump
    hd check -q --max-growth=1000% fixtures/leaklab/events/0.* fixtures/leaklab/timers/5.*
    reports mixed "$status" --max-growth=1000% fixtures/leaklab/events/0.* fixtures/leaklab/timers/5.*
}

@test "names that XML or JSON could choke on" {
    local name
    config odd <<'YML'
budgets:
  - type: "*"
    max_growth: 0
  - suspects: any
YML
    for name in 'App.Cache<System.String,App.Item[]>+<>c__DisplayClass3_0' 'App.A&B;&amp;]]>' 'App."Quo'\''ted"' \
        $'App.Tab\tLine\nReturn\rEnd' $'App.\x01\x02\x1b[31mRed\x7f' $'App.\u0085\u2028\u202e\ufeff' \
        $'App.\ufffe\uffff' $'App.\U1F600Ünï' '::error::App%0A' '--> <![CDATA['; do
        odd_series "$name"
        reports odd 1 -c "$tmp/odd.yml" "$tmp"/{1,2,3,4}.json
        # Characters with a meaning for terminals and parsers are removed.
        [[ $(grep -cP '[\x00-\x08\x0b-\x1f]' "$tmp/odd/out.xml") == 0 ]]
        [[ $(grep -cP '[\x00-\x08\x0b-\x1f]' "$tmp/odd/out.sarif") == 0 ]]
    done
    odd_series 'App.Cache<System.String,App.Item[]>'
    reports odd 1 -c "$tmp/odd.yml" "$tmp"/{1,2,3,4}.json
    [[ $(xml odd 'string(//failure)') == *"App.Cache<System.String,App.Item[]>: +300 instances"* ]]
    [[ $(sarif odd '.runs[0].results[0].locations[0].logicalLocations[0] | .name + " " + .fullyQualifiedName') == \
        "Cache<String,Item[]> App.Cache<System.String,App.Item[]>" ]]
}

@test "odd file names, and patterns with markup" {
    odd_series App.Item
    mkdir -p "$tmp/a b & <c> %41 ü"
    cp "$tmp"/?.json "$tmp/a b & <c> %41 ü/"
    config markup <<'YML'
budgets:
  - type: "App.*<&>\"'*"
    max_growth: 0
  - type: "App.Item"
    max_growth: 0
YML
    mv "$tmp/markup.yml" "$tmp/a b & <c> %41 ü/heap drift.yml"
    reports names 1 -c "$tmp/a b & <c> %41 ü/heap drift.yml" "$tmp/a b & <c> %41 ü"
    [[ $(sarif names '.runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri') == \
        "file://$tmp/a%20b%20%26%20%3Cc%3E%20%2541%20%C3%BC/heap%20drift.yml" ]]
    [[ $(xml names 'string(//property[@name="snapshot.1"]/@value)') == "$tmp/a b & <c> %41 ü/1.json" ]]
    # From inside, as a server runs it: a reference from the root of the repository.
    cd "$tmp/a b & <c> %41 ü"
    mv "heap drift.yml" heapdrift.yml
    mkdir .git below
    works check -q --format=sarif -o "$tmp/s" --budget='App.*=9999' {1,2,3,4}.json
    cd below
    hd check -q --format=sarif -o "$tmp/s" ../{1,2,3,4}.json
    status_is 1
    [[ $(jq -r '[.. | .uri? // empty] | unique[]' "$tmp/s") == heapdrift.yml ]]
}

@test "with more findings than rows all are counted, and -n lists all" {
    python - "$tmp" <<'PY'
import json, sys
for k in range(1, 5):
    types = [{"type": f"App.T{i:03}", "count": k * 10, "bytes": k * 100} for i in range(60)]
    json.dump({"format": "heapdrift-table", "version": 1, "types": types}, open(f"{sys.argv[1]}/{k}.json", "w"))
PY
    reports many 1 --budget='App.*=0' "$tmp"/{1,2,3,4}.json
    [[ $(sarif many '.runs[0].results | length') == 60 ]]
    [[ $(xml many 'string(//failure)') == *"[40 others]"* ]]
    reports many 1 -n0 --budget='App.*=0' "$tmp"/{1,2,3,4}.json
    [[ $(xml many 'string(//failure)') == *"App.T059"* ]]
    hd check -q --format=github --budget='App.*=0' "$tmp"/{1,2,3,4}.json
    status_is 1
    # GitHub shows ten errors of a step.
    [[ $(grep -c '^::error ' <<<"$out") == 10 ]]
    out_has "::error title=heapdrift%3A over budget::51 more findings in the report"
}

@test "annotations are one line each, whatever the names" {
    odd_series $'App.50%<a>,b:c\r\n::warning::no'
    hd check -q --format=github --budget='App.*=0' "$tmp"/{1,2,3,4}.json
    status_is 1
    local line
    while IFS= read -r line; do
        [[ $line =~ ^::(error|warning)\ ((file=[^:,]+,line=[0-9]+,)?title=[^:,]+):: ]] || complain "line: $line"
    done <<<"$out"
    out_has "App.50%25<a>,b:c"
    # Tests of names are above; here the position of the budget's line.
    mkdir "$tmp/repo" "$tmp/repo/.git"
    config in-file <<<'budgets: [{type: "App.*", max_growth: 0}]'
    mv "$tmp/in-file.yml" "$tmp/repo/heapdrift.yml"
    cd "$tmp/repo"
    hd check -q --format=github ../{1,2,3,4}.json
    status_is 1
    out_has "::error file=heapdrift.yml,line=2,title=heapdrift%3A over budget::type App.*: "
}

@test "a budget of the process is a rule in all formats" {
    config process <<<'process: {native: 1MiB, threads: {max_growth: 5, per: step}}'
    reports process 0 --config="$tmp/process.yml" fixtures/leaklab/none/{1,2,3,4,5}.gcdump.gz
    [[ $(sarif process '[.runs[0].results[] | "\(.ruleId) \(.ruleIndex) \(.kind)"] | join(",")') == \
        "process-growth 4 open,process-growth 4 open,suspect 3 pass" ]]
    [[ $(xml process 'count(//testcase[starts-with(@name, "process ")]/skipped)') == 2 ]]
}

@test "the same input gives the same bytes" {
    local format
    for format in junit sarif github; do
        hd check -q --format=$format -j1 fixtures/leaklab/timers
        local one=$out
        hd check -q --format=$format -j7 fixtures/leaklab/timers
        out_is "$one"
    done
}

@test "formats for build servers and schemas have the same version" {
    [[ $(jq -r '.properties.version.const' docs/ci/sarif.json) == 2.1.0 ]]
    grep -q 'ci/junit.xsd' docs/check.md
    grep -q 'ci/sarif.json' docs/check.md
    # The schemas do refuse: a file with one word more.
    reports none 0 fixtures/leaklab/none/{1,2,3,4,5}.gcdump.gz
    sed -i 's/<testcase /<testcase extra="1" /' "$tmp/none/out.xml"
    run xmllint --noout --schema docs/ci/junit.xsd "$tmp/none/out.xml"
    [[ $status != 0 && $output == *"attribute 'extra' is not allowed"* ]]
    jq '.runs[0].results[0].extra = 1' "$tmp/none/out.sarif" >"$tmp/s"
    mv "$tmp/s" "$tmp/none/out.sarif"
    run python tests/cli/check_ci.py docs/ci/sarif.json "$tmp/none"
    [[ $status == 1 && $output == *"'extra' was unexpected"* ]]
}

@test "each format has the fix of the failed suspect, and not of passing ones" {
    local format fix='Entries are added and never removed: remove them, or set a limit.  heapdrift help hint static-collection'
    for format in github junit sarif; do
        hd check --format=$format fixtures/leaklab/cache
        status_is 1
        out_has "fix: $fix"
        works check --format=$format --max-score=90% fixtures/leaklab/cache
        out_lacks "fix: "
    done
}
