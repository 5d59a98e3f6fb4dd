#!/bin/bash
# How well the ranking does on services that it was not made for: eight programs, each with and
# without its bug, at constant, rising and random load, with a fast and a slow leak. Prints
# tables for docs/ranking.md: found, missed, false.
#
#   tests/live/services.sh [--quick] [--size X] [--keep DIR] [--only NAME[,NAME...]]
#   tests/live/services.sh --from DIR [--quick] [--only ...]
#
#   --quick      constant load and fast leaks only, five snapshots
#   --keep DIR   keep the snapshots there, compressed
#   --from DIR   judge snapshots that were kept; run nothing
#   --only ...   these services only
#   --size X     multiplies the heaps, but not what leaks (1)
#   -v           one line per series that was judged, with what stood first
#
# Status 1 if a fast leak at constant load is not the first suspect, or a healthy service at
# constant load has a suspect, in five snapshots. The rest is told and not judged.
# HEAPDRIFT is the program under test. What leaks in each service: services/truth.json.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
heapdrift=${HEAPDRIFT:-$PWD/build/heapdrift}
truth=tests/live/services/truth.json
taken=6

usage() {
    echo "usage: $0 [--quick] [-v] [--size X] [--keep DIR | --from DIR] [--only NAME[,NAME...]]" >&2
    exit 2
}

quick=false verbose=false keep='' from='' only='' size=1
while [[ $# -gt 0 ]]; do
    case $1 in
    --quick) quick=true ;;
    -v) verbose=true ;;
    --keep | --from | --only | --size)
        [[ $# -gt 1 ]] || usage
        printf -v "${1#--}" %s "$2"
        shift
        ;;
    *) usage ;;
    esac
    shift
done
if [[ -n $keep && -n $from ]]; then usage; fi

work=$(mktemp -d)
recorder=
clean_up() {
    # It ends the service.
    if [[ -n $recorder ]]; then
        kill "$recorder" 2>/dev/null || true
        wait "$recorder" || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the programs --------------------------------------------------------------------

# Built outside of the tree, which stays clean. Without the package of EF Core, if need be.
build() {
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
    local with
    for with in true false; do
        rm -rf "$work/source"
        cp -R tests/live/services "$work/source"
        if dotnet build --configuration Release --output "$work/program" -p:WithEfCore=$with \
            "$work/source/plugin/Reports.csproj" >"$work/build.log" 2>&1; then
            return 0
        fi
        if ! grep -q 'error NU' "$work/build.log"; then break; fi
        echo "efcore: skipped, its package cannot be restored" >&2
    done
    cat "$work/build.log" >&2
    return 1
}

fact() { jq -r --arg of "$1" ".[\$of].$2" $truth; }

# units_of LOAD STEP UNITS: how much work comes before snapshot STEP (0: the warm-up).
units_of() {
    local rising=(60 75 105 115 145 150 185) random=(100 55 180 75 200 50 140)
    case $1 in
    constant) echo "$3" ;;
    rising) echo $(($3 * ${rising[$2]} / 100)) ;;
    random) echo $(($3 * ${random[$2]} / 100)) ;;
    esac
}

# spread LOAD MOST UNITS: how much longer than the first step that of MOST units may take.
spread() { jq -n "$2 / $(units_of "$1" 1 "$3")"; }

# record NAME BUG SPEED LOAD SEED: snapshots of a run in $work/series. Stores fill in four rounds.
record() {
    local name=$1 load=$4 options=(--seed="$5" --rate="$(fact "$1" "$3")" --size="$size")
    local units all most=0 k n
    units=$(fact "$name" units)
    if [[ $2 == leak ]]; then options+=(--leak); fi
    all=$((4 * $(units_of "$load" 0 "$units")))
    for ((k = 1; k <= taken; k++)); do
        n=$(units_of "$load" $k "$units")
        if ((n > most)); then most=$n; fi
        all+=,$n
    done
    HEAPDRIFT=$heapdrift tests/live/one_session.py --units="$all" --spread="$(spread "$load" "$most" "$units")" \
        "$work/series" "$work/program/Services" "$name" "${options[@]}" 2>"$work/service.log" &
    recorder=$!
    wait $recorder || return 1
    recorder=
    cat "$work/series/said" >&2
}

# --- judging -------------------------------------------------------------------------

# What became of the culprit in one report, as "OUTCOME CONFIDENCE OTHERS FIRST". JSON of other
# versions has more keys; these stay.
judgement='
    def any_of(patterns): . as $type
        | any(patterns[]; . as $p | if endswith("*") then $p[:-1] as $q | $type | startswith($q) else $type == $p end);
    $truth[0][$name] as $t | ($t.primary + $t.links) as $guilty
    | def is_guilty: (.type | any_of($guilty)) or (.subject | any_of($guilty)) or any((.also // [])[]; any_of($guilty));
    (.suspects | map(is_guilty)) as $s
    | [ (if $bug == "healthy" then (if $s == [] then "clean" else "false" end)
         elif $s[0] then "found"
         elif any($s[]; .) then "later"
         elif $s == [] and (.minor[0] // {type: "", subject: "", also: []} | is_guilty) then "small"
         else "missed" end),
        .confidence,
        ([$s[] | select(. | not)] | length),
        ((.suspects + .minor)[0] // {type: "-", score_share: 0} | "\(.type | gsub(" "; "")):\(.score_share * 1000 | round / 10)%") ]
    | map(tostring) | join(" ")'

# judge NAME BUG SPEED LOAD: all windows of the snapshots in $work/series, a line each in verdicts.
judge() {
    local sizes=(4 5 6) n first axis k files iterations verdict all
    if $quick; then sizes=(5); fi
    mapfile -t all <"$work/series/iterations"
    for n in "${sizes[@]}"; do
        for ((first = 1; first + n - 1 <= taken; first++)); do
            files=() iterations=
            for ((k = first; k < first + n; k++)); do
                files+=("$work/series/$k.gcdump")
                iterations+=${iterations:+,}${all[k - 1]}
            done
            for axis in steps iterations; do
                local options=(-q --format=json --chains=1 --samples=1 --rows=1)
                if [[ $axis == iterations ]]; then options+=(--iterations="$iterations"); fi
                "$heapdrift" diff "${options[@]}" "${files[@]}" >"$work/report.json"
                verdict=$(jq -r --slurpfile truth $truth --arg name "$1" --arg bug "$2" "$judgement" "$work/report.json")
                echo "$1 $2 $3 $4 $n $first $axis $verdict" >>"$work/verdicts"
            done
        done
    done
    if $verbose; then tail -n 1 "$work/verdicts" >&2; fi
}

# --- the whole -----------------------------------------------------------------------

services() {
    if [[ -n $only ]]; then tr , '\n' <<<"$only"; else jq -r 'keys[]' $truth; fi
}

# run NAME BUG SPEED LOAD SEED: a run or what is left of one, judged.
run() {
    local folder=$1/$2-$3-$4
    rm -rf "$work/series"
    mkdir "$work/series"
    if [[ -n $from ]]; then
        if [[ ! -f $from/$folder/iterations ]]; then return 0; fi
        cp "$from/$folder/"* "$work/series"
        xz -d "$work"/series/*.xz
    else
        record "$@" || {
            echo "no series of $folder:" >&2
            cat "$work/service.log" >&2
            return 1
        }
        if [[ -n $keep ]]; then
            rm -rf "${keep:?}/$folder"
            mkdir -p "$keep/$folder"
            cp "$work"/series/* "$keep/$folder"
            xz -6 "$keep/$folder/"*.gcdump
        fi
    fi
    judge "$1" "$2" "$3" "$4"
}

run_all() {
    local speeds=(fast slow) loads=(constant rising random) name bug speed load seed known
    if $quick; then speeds=(fast) loads=(constant); fi
    if [[ -z $from ]]; then known=$("$work/program/Services" list); fi
    for name in $(services); do
        if [[ $(fact "$name" units) == null ]]; then usage; fi
        if [[ -z $from ]] && ! grep -qx "$name" <<<"$known"; then continue; fi
        seed=0
        for bug in leak healthy; do
            for speed in "${speeds[@]}"; do
                for load in "${loads[@]}"; do
                    seed=$((seed + 1))
                    run "$name" $bug "$speed" "$load" $seed
                done
            done
        done
    done
}

# The tables. A window is some snapshots in a row.
tables() {
    awk '
    function share(a, b) { return b ? sprintf("%d of %d", a, b) : "–" }
    function percent(a, b) { return b ? sprintf("%.0f", 100 * a / b) : "–" }
    {
        name = $1; bug = $2; speed = $3; load = $4; n = $5; axis = $7; outcome = $8; sure = $9 == "high"
        names[name]; windows++
        if (bug == "healthy") {
            key = axis SUBSEP "healthy"
        } else {
            key = axis SUBSEP speed
            if ($10 > 0) beside[name, axis]++
            if ($10 > 0) beside["all", axis]++
        }
        if (outcome ~ /^(missed|small|clean)$/ && !sure) { unsure[name, key]++; unsure["all", key]++ }
        count[name, key]++; count["all", key]++
        got[name, key, outcome]++; got["all", key, outcome]++
        cell[bug == "healthy" ? bug : speed, load, n, axis]++
        if (outcome ~ /^(found|false)$/) hits[bug == "healthy" ? bug : speed, load, n, axis]++
    }
    function row(name, axis,    f, s, h) {
        f = axis SUBSEP "fast"; s = axis SUBSEP "slow"; h = axis SUBSEP "healthy"
        printf "| %s | %s | %s | %d | %d | %d | %d | %d | %s | %d |\n", name,
            share(got[name, f, "found"], count[name, f]), share(got[name, s, "found"], count[name, s]),
            got[name, f, "later"] + got[name, s, "later"], got[name, f, "small"] + got[name, s, "small"],
            got[name, f, "missed"] + got[name, s, "missed"], unsure[name, f] + unsure[name, s],
            beside[name, axis], share(got[name, h, "false"], count[name, h]), unsure[name, h]
    }
    function table(axis,    i) {
        print "| service | fast, found | slow, found | suspect, not first | first, no suspect | missed | of these unsure | others beside | false | unsure |"
        print "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
        for (i = 1; i <= number; i++) row(sorted[i], axis)
        row("all", axis)
        print ""
    }
    function by_load(axis,    i, j, n, kind, load, line) {
        print "| | load | 6 snapshots | 5 | 4 |"
        print "| --- | --- | ---: | ---: | ---: |"
        split("fast slow healthy", kinds, " ")
        split("constant rising random", loads, " ")
        for (i = 1; i <= 3; i++)
            for (j = 1; j <= 3; j++) {
                kind = kinds[i]; load = loads[j]; line = ""
                for (n = 6; n >= 4; n--) line = line " | " percent(hits[kind, load, n, axis], cell[kind, load, n, axis])
                print "| " (kind == "healthy" ? "healthy, false" : kind ", found") " | " load line " |"
            }
        print ""
    }
    END {
        while (("sort -u " FILENAME " | cut -d\" \" -f1 | uniq") | getline line) sorted[++number] = line
        print "Windows of 4 to 6 snapshots, without `--iterations`:\n"
        table("steps")
        print "With `--iterations`:\n"
        table("iterations")
        print "In % of the windows, without and then with `--iterations`:\n"
        by_load("steps")
        by_load("iterations")
    }' "$work/verdicts"
}

# What has to be right: five snapshots at constant load.
gate() {
    local wrong
    wrong=$(awk '$4 == "constant" && $5 == 5 &&
        ($2 == "leak" && $3 == "fast" && $8 != "found" || $2 == "healthy" && $8 != "clean")' "$work/verdicts")
    if [[ -n $wrong ]]; then
        echo "wrong at constant load (first snapshot, axis, outcome, confidence, other suspects, what stood first):" >&2
        cut -d' ' -f1-4,6- <<<"$wrong" >&2
        return 1
    fi
    echo "gate: $(awk '$4 == "constant" && $5 == 5 && ($2 == "healthy" || $3 == "fast")' "$work/verdicts" | wc -l) verdicts at constant load are right"
}

if [[ -z $from ]]; then
    if ! command -v dotnet >/dev/null; then
        echo "skipped: no dotnet here; --from DIR judges snapshots that were kept"
        exit 0
    fi
    build
fi
: >"$work/verdicts"
run_all
tables
gate
