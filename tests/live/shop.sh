#!/bin/bash
# A leak gate from end to end: run a program, take snapshots between rounds of its work,
# hold them against budgets. The fixed version has to pass and the leaking one to fail.
#
#   tests/live/shop.sh [RUNS]              of each version; default 1
#   tests/live/shop.sh --fixtures [RUNS]   take the snapshots from fixtures/, run nothing
#
# Snapshots come from `heapdrift collect` or, without that command, from dotnet-gcdump. Where
# there is neither, series from fixtures/ stand in. Without dotnet nothing is run.
# HEAPDRIFT is the program under test; SHOP_ROUND (200) customers come between two snapshots.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
heapdrift=${HEAPDRIFT:-$PWD/build/heapdrift}
round=${SHOP_ROUND:-200}
config=tests/live/shop/heapdrift.yml
taken=5

fixtures=false
if [[ ${1:-} == --fixtures ]]; then
    fixtures=true
    shift
fi
runs=${1:-1}
if [[ ! $runs =~ ^[1-9][0-9]*$ ]]; then
    echo "usage: $0 [--fixtures] [RUNS]" >&2
    exit 2
fi

work=$(mktemp -d)
shop_pid=
stop_shop() {
    if [[ -n $shop_pid ]]; then
        kill "$shop_pid" 2>/dev/null || true
        wait "$shop_pid" 2>/dev/null || true
        shop_pid=
    fi
}
clean_up() {
    stop_shop
    rm -rf "$work"
}
trap clean_up EXIT

# --- what takes the snapshots --------------------------------------------------------

choose_collector() {
    if $fixtures; then
        collector=fixtures
    elif ! command -v dotnet >/dev/null; then
        echo "skipped: no dotnet here; --fixtures takes snapshots that are there"
        # For scripts/suite.sh.
        echo "1..0 # skip no dotnet here"
        exit 0
    elif "$heapdrift" help collect >/dev/null 2>&1; then
        collector=heapdrift
    elif command -v dotnet-gcdump >/dev/null; then
        collector=dotnet-gcdump
    else
        collector=fixtures
        echo "neither heapdrift collect nor dotnet-gcdump: series from fixtures/ stand in"
    fi
}

collect() {
    case $collector in
    heapdrift) "$heapdrift" collect -p "$1" -o "$2" ;;
    dotnet-gcdump) dotnet-gcdump collect -p "$1" -o "$2" ;;
    esac >"$work/collect.log" 2>&1 || {
        echo "no snapshot of process $1 with $collector:" >&2
        cat "$work/collect.log" >&2
        return 1
    }
}

# --- a run ---------------------------------------------------------------------------

build() {
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
    # Built outside of the tree, which stays clean.
    cp -R tests/live/shop "$work/source"
    if ! dotnet build --configuration Release --output "$work/shop" "$work/source" >"$work/build.log" 2>&1; then
        cat "$work/build.log" >&2
        return 1
    fi
}

# serve N: let the program work, and wait until it says that it is done.
serve() {
    local answer
    echo "$1" >&"${shop[1]}" && read -r -t 60 -u "${shop[0]}" answer && [[ $answer == done* ]]
}

# Snapshots of a run of VERSION in $work/snapshots, and how much work was done before each.
take_snapshots() {
    local k done=$((2 * round)) answer input
    coproc shop { exec "$work/shop/Shop" "$1"; }
    shop_pid=$shop_PID
    { read -r -t 60 -u "${shop[0]}" answer && [[ $answer == ready* ]]; } || return 1
    # The first work fills caches and makes the JIT compile: two rounds before the first snapshot.
    serve "$done" || return 1
    # The first snapshot makes the runtime allocate some 2,700 objects that stay: not counted.
    collect "$shop_pid" "$work/first.gcdump" || return 1
    iterations=
    for ((k = 1; k <= taken; k++)); do
        if ((k > 1)); then
            serve "$round" || return 1
            done=$((done + round))
        fi
        collect "$shop_pid" "$work/snapshots/$k.gcdump" || return 1
        iterations+=${iterations:+,}$done
    done
    input=${shop[1]}
    exec {input}>&-
    wait "$shop_pid" || return 1
    shop_pid=
}

# The same from files: another series and another choice of four or five in each run, without
# the first snapshot, which is of the start.
choose_fixtures() {
    local series=(cache density events list timers)
    local windows=("1 2 3 4" "2 3 4 5" "1 2 3 4 5" "1 2 3 5" "1 2 4 5" "1 3 4 5")
    local from=none k
    if [[ $1 == leaking ]]; then from=${series[$2 % ${#series[@]}]}; fi
    iterations=
    for k in ${windows[$2 % ${#windows[@]}]}; do
        cp "fixtures/leaklab/$from/$k".gcdump.* "$work/snapshots/"
        iterations+=${iterations:+,}$((20 * k))
    done
}

# run VERSION NUMBER STATUS: one run, whose check has to end with STATUS.
run() {
    local status=0
    rm -rf "$work/snapshots"
    mkdir "$work/snapshots"
    if [[ $collector == fixtures ]]; then
        choose_fixtures "$1" "$2"
    elif ! take_snapshots "$1"; then
        echo "run $2 of the $1 version: no snapshots" >&2
        stop_shop
        return 1
    fi
    "$heapdrift" check -q --strict --config="$config" --iterations="$iterations" "$work/snapshots" \
        >"$work/report" || status=$?
    if [[ $status != "$3" ]]; then
        echo "run $2 of the $1 version: status $status instead of $3" >&2
        cat "$work/report" >&2
        return 1
    fi
}

choose_collector
if [[ $collector != fixtures ]]; then build; fi
right=0
for ((i = 1; i <= runs; i++)); do
    if run fixed $i 0; then right=$((right + 1)); fi
    if run leaking $i 1; then right=$((right + 1)); fi
done
echo "$collector: $right of $((2 * runs)) verdicts are right"
((right == 2 * runs))
