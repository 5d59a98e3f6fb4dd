#!/bin/bash
# First step of the action: a heapdrift on PATH for this and later steps. One that is there
# and has the right version is taken; else the program of the release, if its checksum is right;
# else it is built from the source around this file.
set -euo pipefail

root=$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)
version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$root/include/heapdrift.h")
wanted=${HEAPDRIFT_VERSION:-$version}
bin=$RUNNER_TEMP/heapdrift/bin

complain() {
    echo "::error title=heapdrift::$1"
    exit 2
}

if [[ $RUNNER_OS != Linux ]]; then
    complain "the check runs on Linux; upload the snapshots of a $RUNNER_OS job and check them in a second one"
fi
if [[ ! $wanted =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]; then
    complain "version: three numbers, as 1.2.3, not '$wanted'"
fi
if ! command -v jq >/dev/null; then
    "$root/scripts/install-deps.sh" action
fi
if command -v heapdrift >/dev/null && [[ $(heapdrift --version) == "heapdrift $wanted" ]]; then
    echo "heapdrift $wanted is there"
    exit 0
fi

# --- the program of the release ------------------------------------------------------

# download FILE: of the release, to the folder. Fails where there is none.
download() {
    curl --silent --show-error --fail --location --retry 3 --max-time 300 \
        --output "$folder/$1" "$releases/v$wanted/$1" 2>>"$folder/log"
}

# Where releases are: as told, or of the repository that the action is of. An action that lies in
# the workflow's own repository is for who changes it: built from source.
releases=${HEAPDRIFT_RELEASES:-${HEAPDRIFT_REPOSITORY:+${GITHUB_SERVER_URL:-https://github.com}/$HEAPDRIFT_REPOSITORY/releases/download}}
if [[ $releases == none ]]; then releases=; fi

# Whether it could be had. A file that is another than the release says is no reason to build
# from source: somebody should look at it.
released() {
    local name
    name=heapdrift-$wanted-linux-$(uname -m)
    [[ -n $releases ]] || return 1
    folder=$RUNNER_TEMP/heapdrift/download
    rm -rf "$folder"
    mkdir -p "$folder"
    if ! download SHA256SUMS || ! download "$name.tar.gz"; then
        echo "no release of heapdrift $wanted at $releases: $(tail -n 1 "$folder/log")"
        return 1
    fi
    if ! (cd "$folder" && grep "^[0-9a-f]\{64\}  $name\.tar\.gz$" SHA256SUMS | sha256sum --quiet --strict --check); then
        complain "$releases/v$wanted/$name.tar.gz is not the file that SHA256SUMS of the release says"
    fi
    tar -xzf "$folder/$name.tar.gz" -C "$folder" --no-same-owner
    mkdir -p "$bin"
    cp "$folder/$name/heapdrift" "$bin/"
}

if ! released; then
    if [[ $wanted != "$version" ]]; then
        complain "version $wanted is wanted, but this action comes with $version; use the action of that version"
    fi
    "$root/scripts/install-deps.sh" build
    # Warnings of other compilers than ours are no reason to stop here.
    make -C "$root" --no-print-directory -s -j "$("$root/scripts/jobs.sh")" WARNINGS= build/heapdrift
    mkdir -p "$bin"
    cp "$root/build/heapdrift" "$bin/"
fi
if [[ $("$bin/heapdrift" --version) != "heapdrift $wanted" ]]; then
    complain "this is not heapdrift $wanted: $("$bin/heapdrift" --version)"
fi
echo "$bin" >>"$GITHUB_PATH"
"$bin/heapdrift" --version
