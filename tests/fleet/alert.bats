# The path of an on-call operator: from the metrics through a real Prometheus and its alert to the
# command in it, and from there to the page with the suspect and its chain. With both databases.

load ../cli/helper
load fleet

setup() {
    begin
    unset HEAPDRIFT_STORE
}

teardown() {
    [[ -z ${postgres:-} ]] || tests/store/postgres.sh stop "$postgres"
}

# Three of six hosts leak App.Session.
fleet_in() {
    local host
    make_fleet 6 5
    for host in "$tmp"/digests/*; do record "$1" "$host" || return; done
}

# from_alert_to_page URL: runs the pasted command in a folder of its own.
from_alert_to_page() {
    command -v prometheus >/dev/null || skip "no Prometheus here"
    local alerts open run
    works fleet --store="$1" "${window[@]}" --format=prometheus -o "$tmp/leaks.prom"
    python tests/fleet/alert.py "$tmp/leaks.prom" scripts/fleet/prometheus.yml HeapdriftLeak >"$tmp/alerts"
    alerts=$(<"$tmp/alerts")
    [[ $(jq length <<<"$alerts") == 1 ]]
    [[ $(jq -r '.[0].labels | .subject, .hint, .service' <<<"$alerts" | xargs) == "App.Session static-collection shop" ]]
    [[ $(jq -r '.[0].annotations.summary' <<<"$alerts") == "shop leaks App.Session on 50% of its hosts" ]]
    [[ $(jq -r '.[0].annotations.description' <<<"$alerts") == *"heapdrift help hint static-collection"* ]]
    open=$(jq -r '.[0].annotations.open' <<<"$alerts")
    works fleet --store="$1" "${window[@]}" --format=json
    run=$(json '.suspects[0].run')
    mkdir "$tmp/pasted"
    (cd "$tmp/pasted" && PATH=${HEAPDRIFT%/*}:$PATH bash -euc "$open") || complain "$open"
    # The page, by its own data: the suspect, the chain, from the reported run.
    sed -n 's|.*id="report-data">\(.*\)</script>|\1|p' "$tmp/pasted/run-$run.html" >"$tmp/page.json"
    [[ $(jq -r '.suspects[0].subject' "$tmp/page.json") == App.Session ]]
    [[ $(jq -r '[.suspects[0].chains[0].frames[].types[]] | join(" ")' "$tmp/page.json") == \
        "[static vars] [static var App.Sessions.s_open] System.Collections.Generic.List<App.Session> App.Session[] App.Session" ]]
    [[ $(jq -r '.suspects[0].chains[0].frames | map(.types[]) | join(" → ")' "$tmp/page.json") == "$(json '.suspects[0].chain')" ]]
    [[ $(jq -r '.snapshots[0].path' "$tmp/page.json") == "$(json '.suspects[0].hosts[0].host')/"* ]]
    # As HTML too, for browsers without JavaScript.
    grep -q 'id="suspect-1"' "$tmp/pasted/run-$run.html"
    grep -qF 'App.Sessions.s_open' "$tmp/pasted/run-$run.html"
    [[ $(json '.suspects[0].command') == "heapdrift report "*" --run=$run "* ]]
}

@test "from an alert to the page of the evidence: SQLite, a path with blanks" {
    mkdir "$tmp/a store"
    fleet_in "$tmp/a store/o'clock.db"
    from_alert_to_page "$tmp/a store/o'clock.db"
}

@test "from an alert to the page of the evidence: PostgreSQL, and no password anywhere" {
    local status=0 url
    postgres=$(tests/store/postgres.sh start 3>&-) || status=$?
    [[ $status != 77 ]] || skip "no PostgreSQL here"
    url=$(tests/store/postgres.sh url "$postgres")
    fleet_in "$url"
    from_alert_to_page "$url&password=se%20cret"
    [[ $(cat "$tmp/leaks.prom" "$tmp/alerts" "$tmp"/pasted/* "$BATS_TEST_TMPDIR/.out" | grep -cE 'se(%20| )?cret') == 0 ]]
    # A folder of pages.
    works fleet -q --store="$url&password=secret" "${window[@]}" --format=html -o "$tmp/pages/"
    [[ $(cd "$tmp/pages" && echo *) == "index.html run-"*".html" ]]
    works report -q --store="$url&password=secret" --service=shop -o "$tmp/pages/one.html"
    works report -q --store "$url&password=secret" --service=shop -o "$tmp/pages/two.html"
    grep -qF -- "--service=shop -o" "$tmp/pages/two.html"
    [[ $(cat "$tmp"/pages/* | grep -c secret) == 0 ]]
    # The store may be there and the run not.
    hd report --store="$url" --run=999
    fails_with "$url: no run 999; \`heapdrift fleet\` prints the numbers of runs"
    hd report --store="$url" --service=Shop
    fails_with "$url: no run of service Shop; did you mean shop?"
}
