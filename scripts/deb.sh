#!/bin/bash
# Debian's packages, built from the source archive as Debian would: program, library, headers.
#
#   scripts/deb.sh VERSION heapdrift-VERSION.tar.gz OUT-FOLDER
#
# debian/ is scripts/debian of the archive. The same archive and the same packages of Debian
# give the same bytes.
set -euo pipefail

version=$1 archive=$2 out=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$archive" "$scratch/heapdrift_$version.orig.tar.gz"
tar -xf "$archive" -C "$scratch"
cp -a "$scratch/heapdrift-$version/scripts/debian" "$scratch/heapdrift-$version/debian"
cd "$scratch/heapdrift-$version"
if ! head -n 1 debian/changelog | grep -qF "heapdrift ($version-"; then
    echo "scripts/debian/changelog is not of version $version" >&2
    exit 1
fi
# Not those of the make that may have called this.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CFLAGS SANITIZE
if ! DEB_BUILD_OPTIONS="parallel=$(nproc)" dpkg-buildpackage -us -uc >"$scratch/log" 2>&1; then
    tail -n 40 "$scratch/log" >&2
    exit 1
fi
cd - >/dev/null
rm -rf "$out"
mkdir -p "$out"
rm -r "$scratch/heapdrift-$version" "$scratch/log"
mv "$scratch"/* "$out"
