#!/bin/sh
# Pack a folder so that the same files give the same bytes: sorted as bytes, all of one moment,
# nobody's, and readable by all whatever the umask of who made them.
#
#   scripts/same-tar.sh MOMENT FOLDER FILE.tar.gz
#
# MOMENT: seconds since 1970. The archive has FOLDER's last name in front of every name.
set -eu

mkdir -p "$(dirname "$3")"
LC_ALL=C tar -C "$(dirname "$2")" -c --format=gnu --sort=name --mtime="@$1" --owner=0 --group=0 \
    --numeric-owner --mode=u+rwX,go+rX,go-w "$(basename "$2")" >"$3.tar"
gzip -9n <"$3.tar" >"$3.new"
rm "$3.tar"
mv "$3.new" "$3"
