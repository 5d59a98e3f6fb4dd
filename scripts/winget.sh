#!/bin/bash
# What winget is told of a release, of scripts/winget.yaml: heapdrift.heapdrift*.yaml in FOLDER.
#
#   scripts/winget.sh VERSION MOMENT URL ZIP FOLDER
#
# ZIP will be in the folder URL. MOMENT: seconds since 1970.
set -euo pipefail

version=$1 moment=$2 url=$3 zip=$4 folder=$5
[[ $url =~ ^https?://[^[:space:]@|\&#\"]+$ ]] || {
    echo "$0: $url is no address that winget can download from" >&2
    exit 1
}
sum=$(sha256sum <"$zip")
name=$(basename "$zip" .zip)
sed -e "s|@VERSION@|$version|g; s|@NAME@|$name|g; s|@FOLDER@|$url|g" \
    -e "s|@DATE@|$(date -u -d "@$moment" +%F)|; s|@SHA256@|$(tr a-f A-F <<<"${sum%% *}")|" \
    "$(dirname "$0")/winget.yaml" |
    awk -v start="$folder/heapdrift.heapdrift" '/^--- /{ file = start $2; printf "" >file; next } file { print >file }'
