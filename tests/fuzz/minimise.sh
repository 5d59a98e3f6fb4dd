#!/bin/sh
# Of all inputs that one harness was ever given, keep the fewest and smallest that reach the
# same code, in fixtures/fuzz/HARNESS.tar.xz: thousands of files that differ in a few bytes
# take little room so. Where they would take more than their share of it, the largest are
# left out. What was found lies beside it as files with names, and stays.
#
#   tests/fuzz/minimise.sh HARNESS
set -eu

harness=$1
# Bytes of the archive: 130 KB in all, with what was found.
case $harness in
gcdump | nettrace | core | text | digest) most=14000 ;;
*) most=7000 ;;
esac
all=build/fuzz/corpus/$harness
kept=build/fuzz/minimised/$harness
archive=fixtures/fuzz/$harness.tar.xz

# The archive of the $1 smallest.
pack() {
    (cd "$kept" && find . -type f -printf '%s %f\n' | sort -n | head -n "$1" | cut -d' ' -f2 |
        sort | tar -c --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 --format=ustar -T -) |
        xz -9e --check=crc32 >"$archive.new"
}

rm -rf "$kept"
mkdir -p "$kept" "$all"
tests/fuzz/seeds.sh "$harness"
ln -sf fuzz-all "build/fuzz/fuzz-$harness"
ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 "build/fuzz/fuzz-$harness" -merge=1 \
    -timeout=10 -rss_limit_mb=768 -close_fd_mask=1 "$kept" "$all" "build/fuzz/seeds/$harness" \
    2>build/fuzz/minimise.log || { tail -20 build/fuzz/minimise.log; exit 1; }

count=$(find "$kept" -type f | wc -l)
fits=0
beyond=$((count + 1))
pack "$count"
[ "$(stat -c %s "$archive.new")" -gt "$most" ] || fits=$count
while [ $((beyond - fits)) -gt 1 ]; do
    middle=$(((fits + beyond) / 2))
    pack "$middle"
    if [ "$(stat -c %s "$archive.new")" -le "$most" ]; then
        fits=$middle
    else
        beyond=$middle
    fi
done
pack "$fits"
mv "$archive.new" "$archive"
echo "$harness: $fits of $count inputs, $(stat -c %s "$archive") bytes"
