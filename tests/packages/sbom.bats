# The bill of materials of the static program.
# shellcheck disable=SC2143,SC2190 # $tmp, $status, $out come from the helper
load ../cli/helper

arch=$(uname -m)
version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../include/heapdrift.h")

@test "it is SPDX 2.3: what the standard asks for is there, and every reference leads somewhere" {
    local file
    for file in build/sbom/*.spdx.json; do python tests/packages/check_sbom.py "$file"; done
}

@test "it is of this program, and names every library in it" {
    local file=build/sbom/heapdrift-$version-$arch.spdx.json name
    [[ $(jq -r '.packages[] | select(.name == "heapdrift") | .checksums[0].checksumValue' "$file") == \
        $(sha256sum <"build/static/$arch/heapdrift" | cut -d' ' -f1) ]]
    # Found independently: from the linker's command, and from the program.
    for name in libarchive libyaml libjansson libutf8proc libprotobuf-c libpopt libncurses libc6 zlib1g liblzma libzstd libsqlite3 \
        libbz2 nettle libgcc-.*; do
        jq -e --arg name "^$name-dev" '[.packages[] | select(.name | test($name))] | length == 1' "$file" || complain "no $name"
    done
    jq -e '[.packages[] | select(.name != "heapdrift") | .versionInfo] | all(test("^[0-9]"))' "$file"
}

@test "the program for Windows has one of its own" {
    local file=build/sbom/heapdrift-$version-windows-x86_64.spdx.json name
    [[ -e $file ]] || skip "no program for Windows: make windows sbom"
    [[ $(jq -r '.packages[] | select(.name == "heapdrift") | .packageFileName, .checksums[0].checksumValue' "$file") == \
        "heapdrift.exe"$'\n'"$(sha256sum <build/windows/heapdrift.exe | cut -d' ' -f1)" ]]
    for name in libarchive libyaml jansson utf8proc protobuf-c popt xz-utils libzstd bzip2 libz-mingw-w64-dev \
        mingw-w64-x86-64-dev gcc-mingw-w64-x86-64-.*; do
        jq -e --arg name "^$name$" '[.packages[] | select(.name | test($name))] | length == 1' "$file" || complain "no $name"
    done
    jq -e '[.packages[].name] | all(test("^(libc6|libsqlite3|libseccomp|libncurses)") | not)' "$file"
}

@test "the same program, the same bytes" {
    TZ=Asia/Tokyo LC_ALL=C scripts/sbom.py "$version" 1790000000 "$arch" "build/static/$arch" >"$tmp/one"
    scripts/sbom.py "$version" 1790000000 "$arch" "build/static/$arch" >"$tmp/two"
    cmp "$tmp/one" "$tmp/two"
    [[ $(jq -r .creationInfo.created "$tmp/one") == 2026-09-21T*Z ]]
}

@test "without a table of its contents there is none" {
    mkdir "$tmp/static"
    cp "build/static/$arch/heapdrift" "$tmp/static"
    : >"$tmp/static/packages.tsv"
    run scripts/sbom.py "$version" 1790000000 "$arch" "$tmp/static"
    [[ $status == 1 && $output == "sbom: "*"packages.tsv is no table"* ]]
}

@test "licences are expressions of SPDX" {
    [[ -d /usr/share/nodejs/spdx-expression-parse ]] || skip "no node-spdx-expression-parse here"
    jq -r '.packages[] | .licenseDeclared' build/sbom/*.spdx.json | sort -u >"$tmp/licences"
    NODE_PATH=/usr/share/nodejs node -e '
        const parse = require("spdx-expression-parse");
        for (const text of require("fs").readFileSync(process.argv[1], "utf8").trim().split("\n")) parse(text)' "$tmp/licences"
}
