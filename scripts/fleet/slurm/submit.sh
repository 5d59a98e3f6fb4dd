#!/bin/sh
# Judge a fleet on a Slurm cluster: N tasks a part each, then one that adds them up. Prints
# the number of the last job; with --wait it ends when that has.
#
#   scripts/fleet/slurm/submit.sh [--wait] N STORE PARTS REPORT [OPTION...]
#   scripts/fleet/slurm/submit.sh 16 postgresql://db/heapdrift /shared/parts /shared/fleet.html \
#       --since=7d
#
# PARTS is a new folder on a file system that all nodes share. Options are those of
# `heapdrift fleet` that choose what is judged. What is said of it all, REPORT_OPTIONS
# chooses: REPORT_OPTIONS='--format=html --by=build'; by default it is text.
set -eu

wait=
if [ "${1:-}" = --wait ]; then
    wait=--wait
    shift
fi
[ $# -ge 4 ] || { sed -n '4,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
tasks=$1 store=$2 parts=$3 report=$4
shift 4
here=$(cd "$(dirname "$0")" && pwd)

# Parts of an earlier run would be added to these; and all must have one window, whenever
# their tasks begin. A --until among the options wins.
mkdir "$parts"
set -- --until="$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$@"
shards=$(sbatch --parsable --array="1-$tasks" --output="$parts/shard-%a.log" \
    --export="ALL,STORE=$store" "$here/shard.sbatch" "$parts" "$@")
# Only if every part is there; else the job goes, and says why in squeue.
# shellcheck disable=SC2086 # none, or several words
exec sbatch --parsable $wait --dependency="afterok:$shards" --kill-on-invalid-dep=yes \
    --output="$parts/merge.log" "$here/merge.sbatch" "$parts" "$report" ${REPORT_OPTIONS:---format=text}
