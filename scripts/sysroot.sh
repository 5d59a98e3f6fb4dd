#!/bin/sh
# Unpack Debian's libraries for another processor into a folder, to link with them. Nothing is
# installed in this system, and nothing of the folder is run.
#
#   scripts/sysroot.sh aarch64 FOLDER [PACKAGE,PACKAGE...]
set -eu

case $1 in
aarch64) architecture=arm64 ;;
x86_64) architecture=amd64 ;;
*)
    echo "$0: aarch64 or x86_64, not $1" >&2
    exit 2
    ;;
esac
folder=$2

# What the program is built with here, as far as it is libraries. A static program has no libpq.
packages=${3:-$("$(dirname "$0")/install-deps.sh" --names build static | tr ' ' '\n' | grep '^.*-dev$' | grep -v '^libpq-dev$' | paste -sd,)}
release=$(. /etc/os-release && echo "$VERSION_CODENAME")

mkdir -p "$(dirname "$folder")"
rm -rf "$folder.new"
mmdebstrap --quiet --variant=extract --architectures="$architecture" --include="$packages" \
    "$release" "$folder.new"
rm -rf "$folder"
mv "$folder.new" "$folder"
touch "$folder"
