#!/bin/sh
# Install the Debian packages that are missing, and nothing when all are there.
#
#   scripts/install-deps.sh build         what the program is built with
#   scripts/install-deps.sh build test    and what the tests need; fuzz: the fuzzer,
#                                         action: the GitHub action beside the build,
#                                         page: the page in a browser, and its pictures
set -eu

build='gcc libc6-dev make pkg-config libxxhash-dev uthash-dev libpopt-dev libjansson-dev
       libarchive-dev libcyaml-dev libyaml-dev libutf8proc-dev libprotobuf-c-dev
       protobuf-c-compiler libncurses-dev scdoc
       node-d3-hierarchy node-d3-scale node-d3-shape'
test='libcriterion-dev bats clang-tidy clang-format shellcheck python3-jsonschema python3-yaml libxml2-utils jq
      hyperfine time cmark-gfm gzip zstd xz-utils bzip2 zip mandoc tmux'
fuzz='clang libclang-rt-14-dev'
action='jq'
# A browser that looks at the page, axe-core by npm, and pictures of it.
page='chromium chromium-driver python3 optipng pngquant tmux fonts-dejavu-core'
# npm may be there by another way than Debian's package, which would fight with it.
command -v npm >/dev/null || page="$page npm"

wanted=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    action) wanted="$wanted $action" ;;
    page) wanted="$wanted $page" ;;
    *)
        echo "usage: $0 [build] [test] [fuzz] [action] [page]" >&2
        exit 2
        ;;
    esac
done

if ! command -v dpkg-query >/dev/null; then
    echo "no Debian packages here; heapdrift needs, by the names that Debian gives them:$wanted"
    exit 0
fi

missing=
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case $state in
    ii*) ;;
    *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "As root, please: apt-get install$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# Lists may be stale or absent on a new machine; packages may be there already.
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
