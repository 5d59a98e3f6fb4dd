#!/bin/bash
# The source archive, the same bytes wherever and whenever it is made of one commit.
#
#   scripts/dist.sh VERSION FILE.tar.gz
#
# It holds what is committed. Where there is no repository, as in an unpacked archive, it is
# the files of this folder but for build/; then the archive of an archive is that archive.
set -euo pipefail

version=$1 file=$2
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/heapdrift-$version
mkdir "$tree"

if [[ -e .git ]]; then
    [[ -z $(git status --porcelain) ]] || echo "note: what is not committed is not in the archive" >&2
    git archive --format=tar HEAD | tar -x -C "$tree"
    moment=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
else
    # All files have the time of the commit; what is changed later has a later one.
    moment=${SOURCE_DATE_EPOCH:-$(find . -path ./build -prune -o -type f -printf '%T@\n' | sort -n | tail -n 1)}
    moment=${moment%%.*}
    tar -c --exclude=./build . | tar -x -C "$tree"
fi

scripts/same-tar.sh "$moment" "$tree" "$file"
