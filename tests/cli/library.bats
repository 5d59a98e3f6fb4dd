# The library as others get it: installed somewhere, found by pkg-config, linked in both
# ways by the examples of docs/api.md.
bats_require_minimum_version 1.5.0
load helper

# The folder of the program, below the tree if it is there: make splits a path at a space.
build() {
    local folder=${HEAPDRIFT%/*}
    echo "${folder#"$PWD/"}"
}

setup_file() {
    [[ $HEAPDRIFT != *asan* ]] || { skip_file "what is installed has no sanitizer"; return; }
    cd "$BATS_TEST_DIRNAME/../.." || return
    export root=$BATS_FILE_TMPDIR/root
    make -s install PREFIX="$root" BUILD="$(build)" \
        >"$BATS_FILE_TMPDIR/log" 2>&1 || {
        cat "$BATS_FILE_TMPDIR/log"
        return 1
    }
    export PKG_CONFIG_PATH=$root/lib/pkgconfig
}

# Compiles example $1 with the flags of pkg-config; other arguments are for the compiler.
compile() {
    local source=$1 cc=cc standard=c11
    [[ $source == *.cpp ]] && cc=c++ standard=c++17
    shift
    # shellcheck disable=SC2046 # words
    "$cc" -std="$standard" -Wall -Wextra -Wpedantic -Werror "docs/examples/$source" \
        $(pkg-config --cflags heapdrift) "$@" -o "$tmp/${source%.*}"
}

shared() {
    # shellcheck disable=SC2046
    compile "$1" $(pkg-config --libs heapdrift) -Wl,-rpath,"$root/lib"
}

# The libraries below stay shared: distributions lack static ones of some.
static() {
    # shellcheck disable=SC2046
    compile "$1" "$root/lib/libheapdrift.a" $(pkg-config --static --libs heapdrift | sed 's/-lheapdrift//')
}

# Run what was compiled.
run_it() {
    status=0
    "$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?
    out=$(<"$tmp/.out") err=$(<"$tmp/.err") ran=$*
}

needs() { readelf -d "$1" | grep -c "NEEDED.*$2" || true; }

grew_works() {
    run_it "$tmp/grew" "${pair[@]}"
    status_is 0
    out_has "bytes of Markdown"
    out_has "Contoso" || out_has "|"
    run_it "$tmp/grew" "$before" fixtures/heap-text/bad-number.txt
    status_is 1
    err_has "bad-number.txt: "
}

gate_works() {
    run_it "$tmp/gate" "*=100000" "${series[@]}"
    status_is 0
    out_has '<testsuites name="heapdrift" tests="1" failures="0"'
    run_it "$tmp/gate" "*=1" "${series[@]}"
    status_is 1
    out_has 'type="over-budget"'
    run_it "$tmp/gate" "*=much" "${series[@]}"
    status_is 2
}

held_works() {
    run_it "$tmp/held" "$after" Orchard.Page
    status_is 0
    out_has "Orchard.Page"
    out_has "referred to by"
    run_it "$tmp/held" "$after" No.Such.Type
    status_is 1
    err_has "no object of this type"
}

@test "a C program links the shared library" {
    shared grew.c
    [[ $(needs "$tmp/grew" 'libheapdrift\.so\.0') == 1 ]]
    grew_works
    shared held.c
    held_works
}

@test "a C++ program links the shared library" {
    shared gate.cpp
    [[ $(needs "$tmp/gate" 'libheapdrift\.so\.0') == 1 ]]
    gate_works
}

@test "a C program links the static library" {
    static grew.c
    [[ $(needs "$tmp/grew" 'libheapdrift') == 0 ]]
    grew_works
    static held.c
    held_works
}

@test "a C++ program links the static library" {
    static gate.cpp
    [[ $(needs "$tmp/gate" 'libheapdrift') == 0 ]]
    gate_works
}

@test "the header is valid C and C++ and shows itself what it needs" {
    echo '#include <heapdrift.h>' >"$tmp/h.c"
    cp "$tmp/h.c" "$tmp/h.cpp"
    local how=(-Wall -Wextra -Wpedantic -Werror -Wconversion -fsyntax-only -I "$root/include")
    cc -std=c11 -Wshadow "${how[@]}" "$tmp/h.c"
    c++ -std=c++11 "${how[@]}" "$tmp/h.cpp"
}

@test "exactly the declarations of the header are visible" {
    local declared shared static
    declared=$(cc -E -P "$root/include/heapdrift_fleet.h" | grep -oE '\bhd_[a-z0-9_]+\(' | tr -d '(' |
        grep -vxE 'hd_(default_options|unknown_run|store_everything)' | sort -u)
    shared=$(nm -D --defined-only "$root/lib/libheapdrift.so" | awk '{ print $3 }' | sort)
    static=$(nm -g --defined-only "$root/lib/libheapdrift.a" | awk 'NF == 3 { print $3 }' | sort)
    [[ $shared == "$declared" ]] || diff <(echo "$declared") <(echo "$shared")
    [[ $static == "$declared" ]] || diff <(echo "$declared") <(echo "$static")
    readelf -d "$root/lib/libheapdrift.so" | grep 'SONAME.*\[libheapdrift\.so\.0\]'
}

@test "pkg-config knows the version and everything that a static link needs" {
    [[ $(pkg-config --modversion heapdrift) == "$("$root/bin/heapdrift" --version | cut -d' ' -f2)" ]]
    local libs
    libs=" $(pkg-config --static --libs heapdrift) "
    for lib in heapdrift archive zstd yaml jansson utf8proc m; do
        [[ $libs == *" -l$lib "* ]] || { echo "$lib is not in $libs"; return 1; }
    done
    [[ " $(pkg-config --libs heapdrift) " != *" -larchive "* ]]
}

@test "the library itself prints nothing and never exits" {
    local calls
    calls=$(nm -u "$root/lib/libheapdrift.a" | awk '{ print $2 }' |
        grep -xE '(f|v|vf)?printf|_+(f|v|vf)?printf_chk|f?puts|putchar|perror|_?exit|_Exit|std(out|err)' || true)
    [[ -z $calls ]] || { echo "calls: $calls"; return 1; }
}

@test "what is installed can be uninstalled" {
    local there=$tmp/there
    make -s install DESTDIR="$there" PREFIX=/usr LIBDIR=/usr/lib/any BUILD="$(build)"
    [[ -e $there/usr/lib/any/libheapdrift.so && -x $there/usr/bin/heapdrift ]]
    grep -x 'libdir=/usr/lib/any' "$there/usr/lib/any/pkgconfig/heapdrift.pc"
    # Completion, where shells look for it.
    diff "$there/usr/share/bash-completion/completions/heapdrift" <("$HEAPDRIFT" completion bash)
    diff "$there/usr/share/zsh/site-functions/_heapdrift" <("$HEAPDRIFT" completion zsh)
    diff "$there/usr/share/fish/vendor_completions.d/heapdrift.fish" <("$HEAPDRIFT" completion fish)
    make -s uninstall DESTDIR="$there" PREFIX=/usr LIBDIR=/usr/lib/any
    [[ -z $(find "$there" ! -type d) ]] || { find "$there" ! -type d; return 1; }
}

@test "other flags make other objects, and the installed files are the built ones" {
    make -n install BUILD="$(build)" CFLAGS=-O0 PREFIX="$tmp/a" >"$tmp/same"
    run ! grep -E -- '-c -o .*/src/core/base/out\.o' "$tmp/same"
    cp -r Makefile src include docs scripts "$tmp/"
    cd "$tmp" || return
    local object=build/src/core/base/version.o
    make -s "$object" CFLAGS=-O1
    touch -d '+1 second' "$object" "$tmp/mark"
    make -s "$object" CFLAGS=-O1 WERROR=-Werror
    [[ ! $object -nt mark ]]
    touch -d '-1 minute' "$object" "$tmp/mark"
    make -s "$object" CFLAGS=-O3
    [[ $object -nt mark ]]
}
