#!/bin/sh
# Print how many compilers and tests may run in parallel: one per processor, and one per JOB_MIB of memory.
#
#   scripts/jobs.sh [MEMINFO [CGROUP]]    /proc/meminfo and /sys/fs/cgroup, or files in their place
set -eu

# MiB; the largest unit test takes 430, clang-tidy 220, gcc under AddressSanitizer 70.
JOB_MIB=450

meminfo=${1:-/proc/meminfo}
cgroup=${2:-/sys/fs/cgroup}
jobs=$(nproc 2>/dev/null || echo 1)

# fits MIB: lower $jobs to what that much memory allows.
fits() {
    [ $(($1 / JOB_MIB)) -ge "$jobs" ] || jobs=$(($1 / JOB_MIB))
}

available=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' "$meminfo" 2>/dev/null || true)
[ -z "$available" ] || fits $((available / 1024))
# Version 2, then 1. "max", and a number of more than 15 digits, are no limit.
for file in memory.max memory/memory.limit_in_bytes; do
    limit=$(cat "$cgroup/$file" 2>/dev/null || true)
    case $limit in
    '' | *[!0-9]* | ????????????????*) ;;
    *) fits $((limit / 1048576)) ;;
    esac
done
[ "$jobs" -ge 1 ] || jobs=1
echo "$jobs"
