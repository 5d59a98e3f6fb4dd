# heapdrift diff says what a suspect usually is: a sentence, and a section of docs/hints.md.
load helper

@test "the leaks of the laboratory have the hints that they should have" {
    local scenario hint
    while read -r scenario hint; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '.suspects[0].hint') == "$hint" ]] || complain "should be $hint"
        grep -qx "## $hint" docs/hints.md
    done <<'EOF'
timers timer-not-disposed
events event-not-unsubscribed
list static-collection
cache static-collection
nettrace static-collection
density collection-never-emptied
EOF
}

@test "a program without a leak has no hint, nor has one whose types have no names" {
    for scenario in none odd; do
        works -q --format=json "fixtures/leaklab/$scenario"
        [[ $(json '[.suspects[].hint | values] | length') == 0 ]] || complain "has a hint"
    done
    works -q fixtures/leaklab/none
    out_lacks "docs/hints.md"
}

@test "a hint stands below what holds the suspect" {
    works -q fixtures/leaklab/timers
    out_matches '    held by [^'$'\n'']*'$'\n''    hint     A running timer [^'$'\n'']*'$'\n''             docs/hints\.md#timer-not-disposed'$'\n'
    works -q --chains=0 fixtures/leaklab/timers
    out_has "docs/hints.md#timer-not-disposed"
}

@test "minor rows and rows by namespace have none" {
    works -q --format=json fixtures/leaklab/timers
    [[ $(json '[.minor[], .pooled[] | .hint == null] | all') == true ]]
    works -q --format=json --by=namespace fixtures/leaklab/timers
    [[ $(json '[.suspects[].hint | values] | length') == 0 ]]
}
