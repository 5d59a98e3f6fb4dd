#!/bin/sh
# Install the Debian packages that are missing, and nothing when all are there.
#
#   scripts/install-deps.sh build         what the program is built with
#   scripts/install-deps.sh build test    and what the tests need; fuzz: the fuzzer,
#                                         coverage: what measures it and draws mutants,
#                                         action: the GitHub action beside the build,
#                                         page: the page in a browser, and its pictures,
#                                         faults: what makes system calls fail,
#                                         static: one file to copy, cross: for other processors,
#                                         static-test: the small systems that it is tried in,
#                                         windows: the program for Windows,
#                                         windows-test: what runs it here,
#                                         deb: Debian's packages, nuget: the .NET tool,
#                                         packages: tests of what is packed,
#                                         analyze: what looks for mistakes, size: what counts lines,
#                                         postgresql: a server for the tests of the store,
#                                         fleet: a scheduler, and what checks scripts/fleet
#   scripts/install-deps.sh --names build     only say which they are
set -eu

build='gcc libc6-dev make pkg-config libxxhash-dev uthash-dev libpopt-dev libjansson-dev
       libarchive-dev libzstd-dev libyaml-dev libutf8proc-dev libprotobuf-c-dev
       protobuf-c-compiler libncurses-dev ncurses-bin libseccomp-dev scdoc
       libsqlite3-dev libpq-dev node-d3-hierarchy node-d3-scale node-d3-shape'
# tests/cli/called.py compares this group with the commands that the tests run.
test='libcriterion-dev bats clang-tidy clang-format shellcheck python3-jsonschema python3-yaml libxml2-utils jq
      hyperfine time cmark-gfm gzip zstd xz-utils bzip2 zip mandoc tmux g++ git less locales procps python3 curl strace'
fuzz='clang libclang-rt-dev llvm afl++'
coverage='gcovr mold python3'
postgresql='postgresql util-linux'
# Slurm with what makes its nodes trust each other; systemd-analyze, promtool.
fleet='slurmctld slurmd slurm-client munge procps parallel postgresql-client systemd prometheus python3-yaml yamllint
       nodejs npm'
action='jq'
# System calls that fail, and mounts of its own.
faults='strace util-linux mount python3'
# What libarchive needs of others to be linked statically.
static='binutils liblzma-dev libbz2-dev zlib1g-dev nettle-dev'
cross='gcc-aarch64-linux-gnu mmdebstrap qemu-user-static'
static_test='busybox-static musl musl-tools ca-certificates tzdata file'
# What builds the libraries of Windows and the program with them.
windows='gcc-mingw-w64-x86-64 binutils-mingw-w64-x86-64 libz-mingw-w64-dev dpkg-dev cmake'
# What builds Debian's packages, and looks at them.
deb='debhelper dpkg-dev lintian'
# The SDK itself is not Debian's.
nuget='strip-nondeterminism'
packages='mmdebstrap man-db curl python3-jsonschema python3-yaml zip unzip jq buildah uidmap systemd-container
          nodejs node-spdx-expression-parse node-spdx-exceptions node-spdx-license-ids'
# A browser that looks at the page, axe-core by npm, and pictures of it.
page='chromium chromium-driver python3 optipng pngquant tmux fonts-dejavu-core npm'

say_names=
if [ "${1:-}" = --names ]; then
    say_names=1
    shift
fi
wanted=
for group in "$@"; do
    case $group in
    build) wanted="$wanted $build" ;;
    test) wanted="$wanted $test" ;;
    fuzz) wanted="$wanted $fuzz" ;;
    coverage) wanted="$wanted $coverage" ;;
    action) wanted="$wanted $action" ;;
    static) wanted="$wanted $static" ;;
    analyze) wanted="$wanted cppcheck" ;;
    size) wanted="$wanted cloc python3" ;;
    cross) wanted="$wanted $cross" ;;
    faults) wanted="$wanted $faults" ;;
    static-test) wanted="$wanted $static_test" ;;
    windows) wanted="$wanted $windows" ;;
    windows-test) wanted="$wanted wine64 tmux" ;;
    page) wanted="$wanted $page" ;;
    postgresql) wanted="$wanted $postgresql" ;;
    fleet) wanted="$wanted $fleet" ;;
    deb) wanted="$wanted $deb" ;;
    nuget) wanted="$wanted $nuget" ;;
    packages) wanted="$wanted $packages" ;;
    *)
        echo "usage: $0 [build] [test] [fuzz] [coverage] [action] [page] [static] [cross] [windows] [windows-test] [deb] [nuget] [packages] [static-test] [analyze] [size] [faults] [postgresql] [fleet]" >&2
        exit 2
        ;;
    esac
done

if [ -n "$say_names" ]; then
    # shellcheck disable=SC2086 # a list of words
    echo $wanted
    exit 0
fi
if ! command -v dpkg-query >/dev/null; then
    echo "no Debian packages here; heapdrift needs, by the names that Debian gives them:$wanted"
    exit 0
fi

missing=
for package in $wanted; do
    # They may come from elsewhere; Debian's packages would conflict with those.
    case $package in
    nodejs) ! command -v node >/dev/null || continue ;;
    npm) ! command -v npm >/dev/null || continue ;;
    esac
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
        echo "Debian packages are missing. As root:" >&2
        echo "apt-get update && apt-get install -y --no-install-recommends$missing" >&2
        exit 1
    fi
    as_root=sudo
fi

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# apt and debconf print remarks that look like failures: their output is shown only if they fail.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Lists may be stale or absent on a new machine; packages may be there already.
# shellcheck disable=SC2086 # a list of words
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "the packages could not be installed; the output of apt-get is above" >&2
    exit 1
fi
