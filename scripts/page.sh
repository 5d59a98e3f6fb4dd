#!/bin/sh
# Put together what the HTML page embeds: its style, its script behind those modules of D3
# that it uses, and the Content-Security-Policy that has their hashes.
#
#   scripts/page.sh OUT-FOLDER D3-FOLDER MODULE...
#
# D3-FOLDER is where d3-scale/dist/d3-scale.min.js is found, /usr/share/nodejs in Debian.
# It is embedded as it was packaged, with the notice that its licence asks for.
set -eu

out=$1
d3=$2
shift 2
source=$(dirname "$0")/../src/core/render/page

# The licence, of Debian's file or of the module's own.
licence() {
    for file in /usr/share/doc/node-d3-scale/copyright "$d3/d3-scale/LICENSE"; do
        [ -r "$file" ] || continue
        sed -n '/^Copyright/p; /Redistribution and use/,$p' "$file" | sed 's/^ *\.$//; s|\*/|* /|g' |
            awk '/^Copyright.*(debian|Praveen)/ {next} !seen[$0]++ || !NF'
        return
    done
}

module() {
    if ! [ -r "$d3/d3-$1/dist/d3-$1.min.js" ]; then
        echo "no D3 in $d3: install node-d3-hierarchy, node-d3-scale and node-d3-shape, or say make D3=FOLDER" >&2
        exit 1
    fi
    cat "$d3/d3-$1/dist/d3-$1.min.js"
    echo
}

hash() {
    sha256sum <"$1" | cut -c-64 | tr a-f A-F | basenc --base16 -d | base64
}

mkdir -p "$out"
{
    printf '/* D3, https://d3js.org\n'
    licence
    printf '*/\n'
    for name in "$@"; do module "$name"; done
    printf '(function () {\n"use strict";\n'
    for name in base address births chart cards tree types page; do sed '/^"use strict";$/d' "$source/$name.js"; done
    printf '})();\n'
} >"$out/page.js"
cp "$source/page.css" "$out/page.css"

# Nothing may end the element that it stands in.
if grep -qi '</\(script\|style\)\|<!--' "$out/page.js" "$out/page.css"; then
    echo "the page's script or style has what ends its element" >&2
    exit 1
fi
# Nothing is loaded from anywhere, and nothing runs but these very bytes.
printf "default-src 'none'; img-src data:; style-src 'sha256-%s'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'" \
    "$(hash "$out/page.css")" "$(hash "$out/page.js")" >"$out/policy"
