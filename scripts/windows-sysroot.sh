#!/bin/sh
# Build the libraries that heapdrift needs for Windows, of Debian's sources, into a folder to
# link with: Debian has only zlib for mingw-w64. Nothing is installed in this system, whose
# own list of packages stays as it is. What is linked has its licence and version in
# FOLDER/usr/share/doc, and its package in FOLDER/packages.
#
#   scripts/windows-sysroot.sh FOLDER
set -eu

posix=$(cd "$(dirname "$0")/../src/windows/posix" && pwd)
rm -rf "$1.new"
mkdir -p "$1.new"
folder=$(cd "$1.new" && pwd)
host=x86_64-w64-mingw32
flags='-O2 -g0 -DNDEBUG'
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial" "$folder/source" "$folder/lib" "$folder/include"
cd "$folder/source"

# --- sources ----------------------------------------------------------------------------

# From where this system has its packages.
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $release" | head -1)
for each in "$release" trixie; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $each main"
done >"$folder/apt/sources.list"

get() {
    apt-get -qq -o Dir::Etc::SourceList="$folder/apt/sources.list" -o Dir::Etc::SourceParts=/nonexistent \
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

get update
# With Debian's corrections, as the program is linked elsewhere.
while read -r package library; do
    get source "$package/$release" >"$package.log" 2>&1 || { cat "$package.log"; exit 1; }
    documents=$folder/usr/share/doc/$package
    mkdir -p "$documents"
    cp "$package"-[0-9]*/debian/copyright "$documents"
    gzip -9n <"$(echo "$package"-[0-9]*)/debian/changelog" >"$documents/changelog.Debian.gz"
    echo "$library.a $package" >>"$folder/packages"
done <<END
bzip2 libbz2
jansson libjansson
libarchive libarchive
libyaml libyaml
libzstd libzstd
popt libpopt
protobuf-c libprotobuf-c
utf8proc libutf8proc
xz-utils liblzma
END
rm -f -- *.tar.* *.dsc *.asc

# --- libraries --------------------------------------------------------------------------

# compile NAME FLAGS FILE...: lib/libNAME.a of C files, where a build system adds nothing.
compile() {
    name=$1 own_flags=$2
    shift 2
    mkdir -p "$name.o"
    for file; do
        # shellcheck disable=SC2086 # lists of words
        $host-gcc $flags -w $own_flags -I../include -c "$file" -o "$name.o/$(basename "$file").o"
    done
    $host-ar rcs "$folder/lib/lib$name.a" "$name".o/*.o
}

# with_cmake SOURCE TARGET OPTION...
with_cmake() {
    source=$1 target=$2
    shift 2
    if ! { cmake -S "$source" -B "$target.build" -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=$host-gcc \
        -DCMAKE_RC_COMPILER=$host-windres -DCMAKE_FIND_ROOT_PATH="$folder;/usr/$host" \
        -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-w -DCMAKE_C_FLAGS_RELEASE="$flags" \
        -DBUILD_SHARED_LIBS=OFF "$@" && cmake --build "$target.build" --target "$target"; } >"$target.log" 2>&1; then
        tail -30 "$target.log" >&2
        exit 1
    fi
    find "$target.build" -name '*.a' -exec cp {} "$folder/lib" \;
}

cd "$folder/source"
mv bzip2-* bzip2
mv jansson-* jansson
mv libarchive-* libarchive
mv libyaml-* yaml
mv libzstd-* zstd
mv popt-* popt
mv protobuf-c-* protobuf-c
mv utf8proc-* utf8proc
mv xz-utils-* xz

cp bzip2/bzlib.h zstd/lib/zstd.h zstd/lib/zstd_errors.h popt/src/popt.h utf8proc/utf8proc.h yaml/include/yaml.h "$folder/include"
cp -r xz/src/liblzma/api/* "$folder/include"
mkdir "$folder/include/protobuf-c"
cp protobuf-c/protobuf-c/protobuf-c.h "$folder/include/protobuf-c"

compile bz2 '' bzip2/blocksort.c bzip2/huffman.c bzip2/crctable.c bzip2/randtable.c bzip2/compress.c \
    bzip2/decompress.c bzip2/bzlib.c
compile zstd '-DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_' zstd/lib/common/*.c zstd/lib/compress/*.c zstd/lib/decompress/*.c
compile utf8proc -DUTF8PROC_STATIC utf8proc/utf8proc.c
compile protobuf-c -Iprotobuf-c protobuf-c/protobuf-c/protobuf-c.c
compile yaml '-DYAML_DECLARE_STATIC -DYAML_VERSION_STRING="" -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=0 -DYAML_VERSION_PATCH=0' \
    yaml/src/*.c
mkdir popt/src/sys
cp "$posix/sys/ioctl.h" popt/src/sys
# Who its user is matters to programs that run as somebody else, of which Windows has none.
compile popt '-Dgetuid()=0 -Dgeteuid()=0 -Dgetgid()=0 -Dgetegid()=0 -DHAVE_FLOAT_H -DHAVE_STRERROR -DPACKAGE="popt" -DPOPT_SYSCONFDIR="" -Ipopt/src' \
    popt/src/popt.c popt/src/poptparse.c popt/src/popthelp.c popt/src/poptint.c popt/src/poptconfig.c
with_cmake jansson jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
cp jansson.build/include/*.h "$folder/include"
with_cmake xz liblzma
# No hashes, no names of users, and no formats' own libraries: it unpacks streams and zips. Of
# its build system only what it found out: Debian's corrections do not fit its libtool.
if ! (cd libarchive && ./configure --host=$host --disable-xattr --disable-acl --without-libb2 --without-iconv \
    --without-lz4 --without-cng --without-openssl --without-nettle --without-xml2 --without-expat \
    CPPFLAGS="-I../../include -DLZMA_API_STATIC" LDFLAGS=-L../../lib) >archive.log 2>&1; then
    tail -30 archive.log >&2
    exit 1
fi
compile archive '-DHAVE_CONFIG_H -Ilibarchive -DLIBARCHIVE_STATIC -DLZMA_API_STATIC' libarchive/libarchive/*.c
cp libarchive/libarchive/archive.h libarchive/libarchive/archive_entry.h "$folder/include"

# Headers only, the same for every processor and system.
cp /usr/include/uthash.h /usr/include/utlist.h /usr/include/xxhash.h "$folder/include"

cd ..
rm -rf apt source "${folder%.new}"
mv "$folder" "${folder%.new}"
touch "${folder%.new}"
