#!/bin/sh
# Run one harness for some seconds, beginning with what was learned before: seeds, the corpus
# of fixtures/fuzz, and what grew in build/fuzz. Ends with 1 when something was found, which
# then lies in build/fuzz/found.
#
#   tests/fuzz/run.sh libfuzzer|afl HARNESS SECONDS
set -eu

engine=$1
harness=$2
seconds=$3
here=tests/fuzz
corpus=build/fuzz/corpus/$harness
seeds=build/fuzz/seeds/$harness
found=build/fuzz/found/$harness
mkdir -p "$corpus" "$found"
[ ! -e "fixtures/fuzz/$harness.tar.xz" ] || tar -xf "fixtures/fuzz/$harness.tar.xz" -C "$corpus"
[ ! -e "fixtures/fuzz/$harness" ] || cp "fixtures/fuzz/$harness"/* "$corpus"

"$here/seeds.sh" "$harness"

# Inputs are cut into up to four parts; a core has all the headers of a real one.
case $harness in
core) longest=120000 ;;
types) longest=32768 ;;
nettrace | peer | movement | gcdump | packed | digest | delta) longest=16384 ;;
*) longest=4096 ;;
esac

dictionary=$here/dictionaries/$harness.dict
[ -e "$dictionary" ] || dictionary=

# The meter holds each input to a second of the processor and 64 MiB + 100 times its size.
# Behind it stand ten seconds of the clock, which a busy machine may need, and twice the
# memory that ASan keeps beside that: freed blocks (16 MiB), shadow and red zones.
export ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=1:abort_on_error=1:symbolize=1
if [ "$engine" = libfuzzer ]; then
    ln -sf fuzz-all "build/fuzz/fuzz-$harness"
    exec "build/fuzz/fuzz-$harness" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=768 \
        -malloc_limit_mb=256 -detect_leaks=1 -max_len=$longest -close_fd_mask=1 \
        -print_final_stats=1 -artifact_prefix="$found/" \
        ${dictionary:+-dict="$dictionary"} "$corpus" "$seeds"
else
    rm -rf "build/afl/in-$harness" "build/afl/out-$harness"
    mkdir -p "build/afl/in-$harness"
    for folder in "$corpus" "$seeds"; do
        find "$folder" -type f -size -32 | sort | head -300 | xargs -r cp -t "build/afl/in-$harness"
    done
    ln -sf fuzz-all "build/afl/fuzz-$harness"
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:symbolize=0 \
        AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        AFL_NO_AFFINITY=1 \
        afl-fuzz -V "$seconds" -t 10000 -m none -i "build/afl/in-$harness" \
        -o "build/afl/out-$harness" ${dictionary:+-x "$dictionary"} \
        -- "build/afl/fuzz-$harness"
    crashes=$(find "build/afl/out-$harness" -path '*/crashes/id*' -o -path '*/hangs/id*' | wc -l)
    if [ "$crashes" -ne 0 ]; then
        echo "$crashes inputs end the program: build/afl/out-$harness" >&2
        exit 1
    fi
fi
