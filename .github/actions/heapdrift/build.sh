#!/bin/bash
# First step of the action: a heapdrift on PATH for this and later steps. One that is there
# and has the right version is taken; else it is built from the source around this file.
set -euo pipefail

root=$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)
version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$root/include/heapdrift.h")
wanted=${HEAPDRIFT_VERSION:-$version}

complain() {
    echo "::error title=heapdrift::$1"
    exit 2
}

if [[ $RUNNER_OS != Linux ]]; then
    complain "the check runs on Linux; upload the snapshots of a $RUNNER_OS job and check them in a second one"
fi
if ! command -v jq >/dev/null; then
    "$root/scripts/install-deps.sh" action
fi
if command -v heapdrift >/dev/null && [[ $(heapdrift --version) == "heapdrift $wanted" ]]; then
    echo "heapdrift $wanted is there"
    exit 0
fi
if [[ $wanted != "$version" ]]; then
    complain "version $wanted is wanted, but this action comes with $version; use the action of that version"
fi

"$root/scripts/install-deps.sh" build
# Warnings of other compilers than ours are no reason to stop here.
make -C "$root" --no-print-directory -s -j "$(nproc)" WARNINGS= build/heapdrift
mkdir -p "$RUNNER_TEMP/heapdrift/bin"
cp "$root/build/heapdrift" "$RUNNER_TEMP/heapdrift/bin/"
echo "$RUNNER_TEMP/heapdrift/bin" >>"$GITHUB_PATH"
"$RUNNER_TEMP/heapdrift/bin/heapdrift" --version
