# What the benchmarks share; sourced with the folder of the build as $1.
#
# Nanoseconds of one processor say nothing of another. So everything is measured beside a
# reference in the same run: wc -l or md5sum of the same file, which is the same way to the
# bytes; a pointer chase over as many nodes as there are objects, which is the same way to
# memory; an empty program, which is what starting costs (reference.c). BENCH_OBJECTS (10^7,
# which the gates stand for) sets the size, BENCH_RUNS (12) how many runs are measured of
# each command, after two that warm memory and page cache; medians count.
# shellcheck shell=sh disable=SC2034

[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$1/heapdrift
make_heap=$1/make-heap
reference=$1/reference
objects=${BENCH_OBJECTS:-10000000}
runs=${BENCH_RUNS:-12}
for tool in hyperfine jq /usr/bin/time "$program" "$make_heap" "$reference"; do
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
# wall and cpu give the seconds of a name; those of processors are means, hyperfine has no
# others.
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

# time_beside_chase NODES NAME=COMMAND...: the same, and the names random and in_order for
# walks over so many nodes, half of them before the commands and half behind.
time_beside_chase() {
    nodes=$1
    shift
    "$reference" "$nodes" $(((runs + 1) / 2)) >"$folder/walks"
    time_all "$@"
    "$reference" "$nodes" $(((runs + 1) / 2)) >>"$folder/walks"
    for name in random in_order; do
        echo "$name $(median_walk $name 2) $(median_walk $name 3)"
    done >>"$folder/times"
}
median_walk() {
    awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$folder/walks" | sort -g |
        awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'
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

# ratio_of A B: of the wall times of two names; cpu_ratio_of of their processor times.
ratio_of() { ratio "$(wall "$1")" "$(wall "$2")"; }
cpu_ratio_of() { ratio "$(cpu "$1")" "$(cpu "$2")"; }

headline() {
    echo "$objects objects, medians of $runs runs; $("$program" --version); $(nproc) processors"
    [ "${BENCH_OBJECTS:-10000000}" -ge 10000000 ] ||
        echo "the gates stand for 10^7 objects: of few, starting is most of the time, and caches hold them"
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

# What the walks of time_beside_chase took, per node.
chase_rates() {
    for name in random in_order; do
        awk -v name="$name" -v n="$1" -v s="$(wall "$name")" -v cpu="$(cpu "$name")" 'BEGIN {
            printf "%-24s %8.2f ns (cpu %8.2f) per node\n", "pointer chase, " name, s / n * 1e9, cpu / n * 1e9
        }'
    done
}

failed=0
table_head() { printf '\n%-46s | %-19s | %-8s | %-3s | %s\n' what measured gate ok beside; }

# row WHAT MEASURED UNIT "<=" GATE [BESIDE]
row() {
    awk -v what="$1" -v measured="$2" -v unit="$3" -v sign="$4" -v gate="$5" -v beside="${6:-}" 'BEGIN {
        ok = sign == "<=" ? measured <= gate : measured >= gate
        printf "%-46s | %10.3f %-8s | %s %-5s | %-3s | %s\n", what, measured, unit, sign, gate,
               ok ? "yes" : "NO", beside
        exit !ok
    }' || failed=1
}

# time_row WHAT A B "<=" GATE: processor time of A in those of B, which others who use the
# processors change least, with the ratio of wall times beside it; wall_row the other way
# round, for what several threads gain.
time_row() { both_rows "$1" cpu_ratio_of ratio_of "$2" "$3" "$4" "$5" wall; }
wall_row() { both_rows "$1" ratio_of cpu_ratio_of "$2" "$3" "$4" "$5" cpu; }
both_rows() {
    row "$1" "$("$2" "$4" "$5")" times "$6" "$7" "$8 $("$3" "$4" "$5" | awk '{ printf "%.2f", $1 }')"
}
