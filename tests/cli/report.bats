# The page, as a file: contents, destination, hostile names. Layout and behavior in a browser:
# tests/page.
load helper

cache=fixtures/leaklab/cache

# A page at $tmp/page.html that no browser has to repair, and its data in $tmp/data.
page() {
    mkdir -p "$tmp/data"
    works "$@" -q -o "$tmp/page.html"
    well_formed
}

well_formed() { python tests/cli/check_page.py "$tmp/page.html" "$tmp/data"; }

shows() { grep -qF -- "$1" "$tmp/page.html" || complain "the page should have: $1"; }

@test "a series is the diff, one snapshot is the top, and their data keep to the schemas" {
    page report "$cache"
    jq -e '.schema == "heapdrift-diff" and .types == [] and .types_omitted == 624' "$tmp/data/report-data.json"
    jq -e '(.name | length) == 624 and .points == [0, 1, 2, 3, 4, 5]' "$tmp/data/types-data.json"
    jq -e '.schema == "heapdrift-tree" and .nodes[0].kind == "heap"' "$tmp/data/tree-data.json"
    python tests/cli/check_json.py docs/json-schema "$tmp/data/report-data.json" "$tmp/data/tree-data.json"
    page report "$cache/5.gcdump.gz"
    jq -e '.schema == "heapdrift-top"' "$tmp/data/report-data.json"
    python tests/cli/check_json.py docs/json-schema "$tmp/data/report-data.json"
}

@test "the numbers of the page are those of the report" {
    page report "$cache"
    works diff -q --format=json "$cache"
    # jq 1.7 prints a number as it was written, unless it computes with it.
    local read='.suspects, .totals, .growth, .snapshots | walk(if type == "number" then . + 0 else . end)'
    diff <(json "$read") <(jq "$read" "$tmp/data/report-data.json")
    # Types by columns, put together again: the words of names, constant counts, bytes of each.
    diff <(works diff -q -n 0 --format=json "$cache" && json '[.types[] | [.full_name // .type, .count, .bytes]]') \
        <(jq -r '. as $t | [range(.name | length) as $i |
            ($t.name[$i] | gsub("(?<n>[0-9]+)"; $t.words[.n | tonumber])) as $name |
            ($t.count[$i] | if type == "array" then . else . as $n | [$t.points[] | $n] end) as $count |
            [$name, $count, ($t.bytes[$i] | if type == "array" then . else . as $b | [$count[] | . * $b] end)]]' \
            "$tmp/data/types-data.json")
}

@test "diff, check and top have the format too, and the page keeps the verdict" {
    page diff --format=html "$cache"
    hd check --format=html -q --max-growth=1KiB "$cache" -o "$tmp/page.html"
    status_is 1
    well_formed
    shows '<h1 class="verdict bad"><strong class="word">FAIL</strong> '
    shows '<div class="fact-budgets"><dt>budgets</dt><dd>1 of 1 rule is over budget</dd></div>'
    python tests/cli/check_json.py docs/json-schema "$tmp/data/report-data.json"
    page top --format=html "$cache/0.gcdump.gz"
    page roots --format=html --type=Shop.Sessions.Session "$cache/5.gcdump.gz"
    page info --format=html "$cache"
    [[ $(grep -c 'see -v' "$tmp/page.html") == 0 ]]
    page report fixtures/leaklab/none
    shows '<h1 class="verdict unsure"><strong class="word">UNSURE</strong> '
    page report fixtures/leaklab2/archive
    shows '<h1 class="verdict good"><strong class="word">NO LEAK FOUND</strong> '
}

@test "without references there is no tree, and the page states it" {
    page report --tables-only "$cache"
    [[ ! -e $tmp/data/tree-data.json ]]
    shows "Unknown: retained sizes need references"
    page report "${pair[@]}"
    works top --format=csv "$before" -o "$tmp/table.csv"
    page report "$tmp/table.csv"
    shows "a table, without references"
}

@test "the page lists its inputs, every warning and the command that made it" {
    page report "${pair[@]}"
    shows "heapdrift report $before $after -q -o $tmp/page.html"
    shows "$before"
    shows "few-snapshots"
    shows "<footer>heapdrift "
}

@test "names of types, files and processes are text" {
    local bad='<img src=x onerror=alert(1)></script><script>alert(2)</script>'
    for i in 1 2 3 4; do
        jq -n --arg bad "$bad" --argjson n $((100 * i)) '{schema: "heapdrift-top", schema_version: 1,
            snapshot: {process: $bad, host: $bad}, types: [{type: $bad, count: $n, bytes: ($n * 100)},
            {type: "A\u202eexe\u2028B", count: $n, bytes: ($n * 200)}, {type: "&amp;\"'"'"'", count: $n, bytes: 1},
            {type: ("L" + ("o" * 1000000) + "ng"), count: $n, bytes: ($n * 300)}]}' >"$tmp/<b>$i.json"
    done
    page report "$tmp"/*.json
    [[ $(grep -c '<img' "$tmp/page.html") == 0 ]]
    [[ $(grep -cP '\x{202e}|\x{2028}' "$tmp/page.html") == 0 ]]
    shows '&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;'
    shows 'A\u202eexe\u2028B'
    [[ $(stat -c %s "$tmp/page.html") -lt 400000 ]]
}

@test "the page loads nothing" {
    page report "$cache"
    # Except names of specifications there is no address in our part.
    run bash -c "sed '/^<script>/,\$d' '$tmp/page.html' | grep -oE '(src|href|url)[=(]\"?[^ >]*' | grep -v 'href=\"#\\|data:image/svg'"
    [[ -z $output ]]
    shows "default-src &#39;none&#39;" || shows "default-src 'none'"
}

@test "the same files give the same page, whatever the number of threads" {
    page report -j1 "$cache"
    sed 's/ -j1 / -j2 /' "$tmp/page.html" >"$tmp/one.html"
    page report -j2 "$cache"
    cmp "$tmp/one.html" "$tmp/page.html"
}

@test "the page has the date of its creation, or SOURCE_DATE_EPOCH" {
    SOURCE_DATE_EPOCH=86400 page report "$cache"
    shows "page made on 1970-01-02</footer>"
    SOURCE_DATE_EPOCH=0 page report "$cache"
    shows "<footer>heapdrift $(works --version && cut -d' ' -f2 <<<"$out")</footer>"
}

@test "it goes to standard output unless that is a terminal, and then not over a file" {
    works report -q "$cache"
    [[ $out == '<!DOCTYPE html>'* ]]
    need_terminal
    cd "$tmp"
    at_terminal() { script -qec "$(printf '%q ' "$HEAPDRIFT" report "$OLDPWD/$cache") $*" /dev/null </dev/null; }
    run at_terminal
    [[ -s heapdrift-report.html && $output == *"open heapdrift-report.html in a browser"* ]]
    run at_terminal
    [[ $status == 2 && $output == *"heapdrift-report.html already exists; to replace it: -o heapdrift-report.html"* ]]
    run at_terminal -o heapdrift-report.html
    [[ $status == 0 ]]
}

@test "errors are reported as by the other commands" {
    hd report
    status_is 2
    hd report --format=md "$cache"
    fails_with "report has no option --format; see \`heapdrift help report\`"
    hd report nothing.gcdump
    status_is 2
    err_has "nothing.gcdump"
    hd report "$cache" -o /dev/full
    status_is 2
    hd report --exit-code -q "$cache"
    status_is 1
    hd report --iterations=1,2 "$cache"
    status_is 2
}

@test "report accepts one snapshot, but requires one" {
    hd report -o "$tmp/none.html"
    fails_with "report takes 1 to 50 snapshots, not 0"
    works report -o "$tmp/one.html" "$before"
}
