#!/bin/bash
# What is linked into the one file to copy, and its licences: of exactly those archives that the
# linker took something from, the headers that are code, and the parts of D3 in the page.
#
#   scripts/notices.sh MAP OUT PACKAGES D3-PART...
#
# MAP is the linker's (-Wl,-Map). OUT gets the notices, PACKAGES a line of each package: its name,
# its version, its licence (SPDX), the archives, between tabs. With SYSROOT in the environment,
# libraries and their licences are those of that folder; where that has been built of Debian's
# sources, its file `packages` says of which. A package whose licence is not in the
# table below is an error: somebody has to look first whether it may be linked.
set -euo pipefail

map=$1 out=$2 table=$3
shift 3
sysroot=${SYSROOT:-}
version=$(sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)

# As it applies to what is linked: tools and tests of a package may have others.
declare -A licences=(
    [libc6-dev]="LGPL-2.1-or-later" [libgcc-12-dev]="GPL-3.0-or-later WITH GCC-exception-3.1"
    [libarchive-dev]="BSD-2-Clause" [libbz2-dev]="bzip2-1.0.6"
    [libjansson-dev]="MIT" [liblzma-dev]="LicenseRef-public-domain" [libncurses-dev]="X11-distribute-modifications-variant"
    [libpopt-dev]="MIT" [libprotobuf-c-dev]="BSD-2-Clause" [libseccomp-dev]="LGPL-2.1-only"
    [libsqlite3-dev]="blessing"
    [libutf8proc-dev]="MIT AND Unicode-DFS-2015" [libyaml-dev]="MIT" [libzstd-dev]="BSD-3-Clause"
    [nettle-dev]="LGPL-3.0-or-later OR GPL-2.0-or-later" [zlib1g-dev]="Zlib"
    [libxxhash-dev]="BSD-2-Clause" [uthash-dev]="BSD-1-Clause"
    [bzip2]="bzip2-1.0.6" [jansson]="MIT" [libarchive]="BSD-2-Clause" [libyaml]="MIT" [libzstd]="BSD-3-Clause"
    [popt]="MIT" [protobuf-c]="BSD-2-Clause" [utf8proc]="MIT AND Unicode-DFS-2015"
    [xz-utils]="LicenseRef-public-domain" [libz-mingw-w64-dev]="Zlib"
    [gcc-mingw-w64-x86-64-win32]="GPL-3.0-or-later WITH GCC-exception-3.1"
    [mingw-w64-x86-64-dev]="ZPL-2.1 AND MIT"
    [node-d3-array]="ISC" [node-d3-collection]="BSD-3-Clause"
    [node-d3-color]="BSD-3-Clause" [node-d3-format]="BSD-3-Clause"
    [node-d3-hierarchy]="BSD-3-Clause" [node-d3-interpolate]="BSD-3-Clause"
    [node-d3-path]="BSD-3-Clause" [node-d3-scale]="BSD-3-Clause" [node-d3-shape]="BSD-3-Clause"
    [node-d3-time]="BSD-3-Clause" [node-d3-time-format]="BSD-3-Clause"
)
declare -A archives=()

# package_of FILE: the one that it is of. A folder of unpacked packages has no list of files:
# there it is the package that has the file of this system's processor.
package_of() {
    local file=$1 found
    if [[ -n $sysroot && $file == *"$sysroot"/* ]]; then
        found=$(sed -n "s/^${file##*/} //p" "$sysroot/packages" 2>/dev/null) || found=
        [[ -z $found ]] || { echo "$found"; return; }
        file=/${file##*"$sysroot"/}
        file=${file//aarch64-linux-gnu/$(uname -m)-linux-gnu}
    fi
    # A folder of the system may be reached by two names, of which the list has one.
    found=$(dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}" 2>/dev/null) || {
        echo "$0: no package has $file" >&2
        return 1
    }
    found=${found%%:*}
    echo "${found%-arm64-cross}"
}

# Files of package $1: in the folder or in this system.
documents_of() {
    local name
    for name in "$sysroot/usr/share/doc/$1" "/usr/share/doc/$1" "/usr/share/doc/$1-arm64-cross"; do
        [[ ! -r $name/copyright ]] || { echo "$name"; return; }
    done
    echo "$0: no copyright file of $1" >&2
    return 1
}

version_of() {
    local folder
    folder=$(documents_of "$1")
    if [[ -n $sysroot && $folder == "$sysroot"* ]]; then
        zcat "$folder"/changelog.Debian*.gz | sed -n '1s/.*(\(.*\)).*/\1/p'
    else
        # shellcheck disable=SC2016 # for dpkg-query
        dpkg-query -W -f '${Version}' "${folder##*/}"
    fi
}

# The first part of the map lists members that were taken: /usr/lib/libz.a(inflate.o).
while read -r file; do
    package=$(package_of "$(realpath "$file")")
    archives[$package]+="${archives[$package]:+ }$(basename "$file")"
done < <(sed -n '/^As-needed\|^Discarded\|^Memory Conf/q; s/^\([^ ]*\.a\)([^ ]*).*/\1/p' "$map" |
    grep -v '^build/.*heapdrift\.a$' | sort -u)
archives[libxxhash-dev]=xxhash.h
archives[uthash-dev]=uthash.h
for part in "$@"; do
    package=$(package_of "$(realpath "/usr/share/nodejs/d3-$part")" 2>/dev/null || echo "node-d3-$part")
    archives[$package]+="${archives[$package]:+ }d3-$part"
done

mapfile -t packages < <(printf '%s\n' "${!archives[@]}" | sort)
for package in "${packages[@]}"; do
    if [[ -z ${licences[$package]:-} ]]; then
        echo "$0: the licence of $package is not known here: look whether it may be linked" >&2
        exit 1
    fi
    printf '%s\t%s\t%s\t%s\n' "$package" "$(version_of "$package")" "${licences[$package]}" \
        "${archives[$package]}"
done >"$table.new"

{
    cat <<END
heapdrift $version, one file to copy: what is inside

The program is under the MIT licence (file LICENSE). Linked into it are these libraries, as Debian
packages them. Their licences follow, whole: they are of all a package has, of which only the named
archives are in the program.

END
    awk -F'\t' '{ printf "%-20s %-26s %s\n%20s %s\n", $1, $2, $3, "", $4 }' "$table.new"
    if [[ -n ${archives[libc6-dev]:-} ]]; then cat <<END

The GNU C library, nettle and (where it is listed) libseccomp are under the GNU Lesser General
Public License. You may change them and link the program with them again: it is free software, its
source, with all that builds it, is published beside this file, and \`make static\` links it anew
with the libraries that it finds; LDFLAGS=-L/folder names a folder with others. Debugging such
changes by reverse engineering is allowed. The source of each library, in just that version, is
Debian's: \`apt-get source PACKAGE=VERSION\`, or https://snapshot.debian.org.

The description of the terminal xterm is of ncurses.
END
    fi
    cat <<END

The modules of D3 are in the pages that the program writes, with their notice.
END
    for package in "${packages[@]}"; do
        printf '\n\n======== %s\n\n' "$package"
        cat "$(documents_of "$package")/copyright"
    done
    for licence in ${archives[libc6-dev]:+LGPL-2.1 LGPL-3} GPL-3 Apache-2.0; do
        printf '\n\n======== %s\n\n' "$licence"
        cat "/usr/share/common-licenses/$licence"
    done
} >"$out.new"
mv "$table.new" "$table"
mv "$out.new" "$out"
