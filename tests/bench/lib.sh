# What the benchmarks share; sourced with the folder of the build as $1.
#
# Everything is measured beside wc -l or md5sum of the same file in the same run: the same
# way to the bytes on every machine. BENCH_OBJECTS (10^7, which the gates stand for) sets
# the size, BENCH_RUNS (12) how many runs are measured of each command, after two that warm
# memory and page cache; medians count.
# shellcheck shell=sh disable=SC2034

[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$1/heapdrift
make_heap=$1/make-heap
objects=${BENCH_OBJECTS:-10000000}
runs=${BENCH_RUNS:-12}
for tool in hyperfine jq /usr/bin/time "$program" "$make_heap"; do
    command -v "$tool" >/dev/null || { echo "$0: needs $tool" >&2; exit 2; }
done

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# Median seconds of each command, a line each. diff exits with 0, whatever grew.
seconds() {
    hyperfine -N -w 2 -r "$runs" --style none --export-json "$folder/time.json" "$@" \
        >/dev/null 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 2; }
    jq '.results[].median' "$folder/time.json"
}

# time_all NAME=COMMAND...: one call, so that all see the machine in the same state. Then
# wall and cpu give the seconds of a name.
time_all() {
    for pair in "$@"; do echo "${pair%%=*}"; done >"$folder/names"
    for pair in "$@"; do
        shift
        set -- "$@" "${pair#*=}"
    done
    seconds "$@" >"$folder/wall"
    jq '.results[] | .user + .system' "$folder/time.json" | paste "$folder/names" "$folder/wall" - \
        >"$folder/times"
}
wall() { awk -v name="$1" '$1 == name { print $2 }' "$folder/times"; }
cpu() { awk -v name="$1" '$1 == name { print $3 }' "$folder/times"; }

# What a command needs at most, in bytes.
memory() {
    /usr/bin/time -f %M -o "$folder/time.txt" "$@" >/dev/null 2>"$folder/errors" || {
        cat "$folder/errors" >&2
        exit 2
    }
    awk 'END { printf "%.0f\n", $1 * 1024 }' "$folder/time.txt"
}

calculate() { awk "BEGIN { printf \"%.5f\\n\", $1 }"; }
ratio() { calculate "$1 / $2"; }

# ratio_of A B: of the wall times of two names.
ratio_of() { ratio "$(wall "$1")" "$(wall "$2")"; }

headline() {
    echo "$objects objects, medians of $runs runs; $("$program" --version); $(nproc) processors"
    awk -v n="$(nproc)" '$1 > 0.5 * n || n < 2 {
        print "load average " $1 ": others use the processors, so what 2 threads gain is lost"
    }' /proc/loadavg
    echo
}

# rates LABEL NAME FILE [OBJECTS]
rates() {
    awk -v name="$1" -v s="$(wall "$2")" -v cpu="$(cpu "$2")" -v bytes="$(wc -c <"$3")" \
        -v n="${4:-$objects}" 'BEGIN {
        printf "%-24s %8.2f ms (cpu %8.2f), %6.1f million objects/s, %6.2f GB/s, " \
               "%4.1f bytes/object\n", name, s * 1e3, cpu * 1e3, n / s / 1e6, bytes / s / 1e9, bytes / n
    }'
}

failed=0
table_head() { printf '\n%-46s | %-19s | %-8s | %s\n' what measured gate ok; }

# row WHAT MEASURED UNIT "<=" GATE
row() {
    awk -v what="$1" -v measured="$2" -v unit="$3" -v sign="$4" -v gate="$5" 'BEGIN {
        ok = sign == "<=" ? measured <= gate : measured >= gate
        printf "%-46s | %10.3f %-8s | %s %-5s | %s\n", what, measured, unit, sign, gate,
               ok ? "yes" : "NO"
        exit !ok
    }' || failed=1
}
