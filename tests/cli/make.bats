# Output of the build and the tests: progress and failures.
load helper

part() { scripts/part.sh "$tmp/check/$1" "${@:2}"; }

# A Makefile with parts as ours has them, for scripts/check.sh.
make_parts() {
    printf '%s\n' "$@" >"$tmp/parts.mk"
    run scripts/check.sh check "$tmp/check" "$tmp/asan=again under ASan" -- -f "$tmp/parts.mk" all
}

@test "a part that passes prints one line, one that fails its whole output" {
    run part good sh -c 'echo much; echo more >&2'
    [[ $status == 0 && $output == "passed: $tmp/check/good, "*" s" ]]
    [[ $(<"$tmp/check/good.log") == $'much\nmore' ]]
    run part bad sh -c 'echo much; echo more >&2; exit 3'
    [[ $status == 1 && $output == *$'\nmuch\nmore\n'* && -e $tmp/check/bad.failed ]]
}

@test "a part with a report of a sanitizer fails" {
    run part leaks sh -c 'eval "$ASAN_OPTIONS"; echo "it leaks" >"$log_path.1"'
    [[ $status == 1 && $output == *"it leaks"* ]]
}

@test "the last line counts what ran" {
    make_parts 'all:' \
        "	scripts/part.sh $tmp/check/unit echo 'Tested: 1214 | Passing: 1214 | Failing: 0'" \
        "	scripts/part.sh $tmp/check/cli-a printf 'ok 1 a\nok 2 b # skip not here\nok 3 c\n'" \
        "	scripts/part.sh $tmp/check/lint true" \
        "	scripts/part.sh $tmp/asan/unit echo 'Tested: 7 | Passing: 7 | Failing: 0'" \
        "	scripts/part.sh $tmp/asan/cli-a echo 'ok 1 a'"
    [[ $status == 0 ]]
    [[ ${lines[-1]} == "check: passed: 1,214 unit tests, 2 command-line tests (1 skipped), 7 unit tests, 1 command-line tests again under ASan, lint; 0 min "*" s" ]]
}

@test "the last line does not mention unit tests if none were to run" {
    printf '%s\n' 'all:' "	scripts/part.sh $tmp/tsan/cli-a echo 'ok 1 a'" >"$tmp/parts.mk"
    run scripts/check.sh tsan "$tmp/tsan=under ThreadSanitizer" -- -f "$tmp/parts.mk" all
    [[ ${lines[-1]} == "tsan: passed: 1 command-line tests under ThreadSanitizer; 0 min "*" s" ]]
}

@test "the last line names failures, and independent parts still run" {
    make_parts 'all: one two three' \
        "one: ; scripts/part.sh $tmp/check/unit sh -c 'echo broken; exit 1'" \
        "two: ; scripts/part.sh $tmp/asan/cli-a false" "three: ; touch $tmp/ran"
    [[ $status == 1 && $output == *broken* && -e $tmp/ran ]]
    [[ ${lines[-1]} == "check: FAILED: $tmp/check/unit.failed $tmp/asan/cli-a.failed; 0 min "*" s" ]]
    make_parts 'all: ; false'
    [[ $status == 1 && ${lines[-1]} == "check: FAILED: what make says above; "* ]]
}

@test "lint fails without clang-tidy" {
    mkdir "$tmp/src"
    echo 'int main(void) { return 0; }' >"$tmp/src/main.c"
    TIDY=no-such-tidy run scripts/tidy.sh "$tmp/stamp" "$tmp/src/main.c"
    [[ $status == 1 && $output == *"not found"* && ! -e $tmp/stamp ]]
}

@test "lint fails where clang-tidy finds something" {
    clang-tidy --version | grep -q 'version 14\.' || skip "no clang-tidy 14 here"
    echo 'int main(void) { int *p = 0; return *p; }' >"$tmp/main.c"
    cp .clang-tidy "$tmp"
    run scripts/tidy.sh "$tmp/stamp" "$tmp/main.c" -- -std=c11
    [[ $status == 1 && $output == *NullDereference* && ! -e $tmp/stamp ]]
    echo 'int main(void) { return 0; }' >"$tmp/main.c"
    run scripts/tidy.sh "$tmp/stamp" "$tmp/main.c" -- -std=c11
    [[ $status == 0 && -e $tmp/stamp ]]
}

@test "a build shows what it does, and fails if it fails" {
    mkdir -p "$tmp/src" "$tmp/scripts"
    cp scripts/build.sh scripts/jobs.sh "$tmp/scripts"
    cd "$tmp" || return
    touch src/{1..45}.c
    printf '#!/bin/sh\nfor i in $(seq 45); do echo "cc -O2 -c -o build/$i.o src/$i.c"; done\n' >"$tmp/make"
    chmod +x "$tmp/make"
    run scripts/build.sh "$tmp/make"
    [[ $status == 0 && ${lines[0]} == "building with "*" job"* ]]
    [[ ${lines[1]} == "  compiled 20 of 45 files" && ${lines[2]} == "  compiled 40 of 45 files" && ${#lines[@]} == 3 ]]
    mkdir -p build/src
    printf '#!/bin/sh\n:\n' >"$tmp/make"
    run scripts/build.sh "$tmp/make"
    [[ $status == 0 && -z $output ]]
    printf '#!/bin/sh\necho "src/1.c: error" >&2\nexit 2\n' >"$tmp/make"
    run scripts/build.sh "$tmp/make"
    [[ $status == 1 && ${lines[0]} == "src/1.c: error" && ${lines[-1]} == "the build failed"* ]]
}

# readelf's output for the program, or for a library next to it.
@test "the program and the shared library are hardened" {
    [[ ! -e $HEAPDRIFT ]] && skip "nothing built"
    ! nm -D "$HEAPDRIFT" | grep -qE '__(asan|tsan)_init' || skip "a sanitizer has its own ways"
    local file library=${HEAPDRIFT%/*}/lib/libheapdrift.so.0
    for file in "$HEAPDRIFT" "$library"; do
        [[ -e $file ]] || continue
        run readelf -hldW "$file"
        # Addresses differ between runs; function pointers are not looked up in writable memory;
        # no stack is executable.
        [[ $output == *"Type:"*"DYN"* && $output == *GNU_RELRO* && $output == *BIND_NOW* ]]
        grep -qE 'GNU_STACK .* RW +0x' <<<"$output"
        refute grep -qE 'LOAD .* (RWE|WE) ' <<<"$output"
        # Code shares no segment with data, not even with the headers at the start of the file.
        refute grep -qE 'LOAD +0x0+ .* R E ' <<<"$output"
        nm -D "$file" | grep -q __stack_chk_fail
        nm -D "$file" | grep -q '__.*_chk@'
    done
    [[ $(readelf -d "$HEAPDRIFT") == *PIE* ]]
    # Only the program gives up rights.
    [[ ! -e $library || $(readelf -d "$library") != *seccomp* ]]
}

@test "the top level has these files and no others" {
    [[ -e .git ]] || skip "no repository here"
    [[ $(git ls-files | cut -d/ -f1 | LC_ALL=C sort -u | tr '\n' ' ') == "$(tr '\n' ' ' <<'END'
.ci
.clang-format
.clang-tidy
.github
.gitignore
CHANGELOG.md
CONTRIBUTING.md
LICENSE
Makefile
README.md
SECURITY.md
docs
fixtures
include
scripts
src
tests
END
)" ]]
}

# make check reports it at the end of the whole tree.
@test "a file that tests leave in the tree is a failure, except existing and ignored ones" {
    local check=$PWD/scripts/check.sh
    git init -q "$tmp/tree"
    cd "$tmp/tree" || return
    echo /build/ >.gitignore
    git add .gitignore
    printf 'all: ; mkdir -p build; touch build/log mine\n' >quiet.mk
    printf 'all: ; touch plain\n' >leaves.mk
    touch mine
    run "$check" check build/check -- -f quiet.mk all
    [[ $status == 0 && ${lines[-1]} == "check: passed: "* ]]
    run "$check" check build/check -- -f leaves.mk all
    [[ $status == 1 && ${lines[-1]} == "check: FAILED: left behind by a test: plain; "* ]]
}

@test "the workflow runs .ci/run for every push and pull request, and may only read" {
    local ours=.github/workflows/check.yml wrong
    python tests/cli/ci_files.py workflow $ours
    [[ -x .ci/run ]]
    # It does find what is wrong.
    for wrong in 's|: .ci/run|: make|' 's|pull_request:|schedule:|' 's|contents: read|contents: write|' \
        's|checkout@v4|checkout|' 's|check-.*github.ref.*|all|' 's|"$GITHUB_WORKSPACE"|${{ github.workspace }}|'; do
        sed "$wrong" $ours >"$tmp/check.yml"
        cmp -s $ours "$tmp/check.yml" && return 1
        run python tests/cli/ci_files.py workflow "$tmp/check.yml"
        [[ $status == 1 && $output == ci_files:* ]]
    done
}

# A table of fields in which the row of the member $2 has the kind $1.
compiles() {
    printf '%s\n' '#include "base/record.h"' \
        'struct thing { const char *name; uint64_t number; double real; bool truth; uint64_t *series; size_t len; };' \
        '#define T struct thing' \
        "const struct record_field fields[] = {FIELD(\"key\", $1($2), MAY_BE_NULL, NULL)};" >"$tmp/fields.c"
    cc -std=c11 -D_DEFAULT_SOURCE -fsyntax-only -Iinclude -Isrc/core "$tmp/fields.c" 2>"$tmp/says"
}

@test "a field of a record with a member of another type does not compile" {
    local row
    for row in 'TEXT name' 'UINT64 number' 'REAL real' 'TRUTH truth' 'SERIES series' 'NUMBERS series,len'; do
        compiles "${row% *}" "${row#* }" || complain "$row"
    done
    for row in 'TEXT number' 'UINT64 name' 'UINT64 real' 'UINT32 number' 'REAL number' 'TRUTH number' \
        'SERIES number' 'COUNTS series' 'CHOICE real,0,1' 'INT64 number' 'NUMBERS series,truth' 'TEXT gone'; do
        ! compiles "${row% *}" "${row#* }" || complain "$row compiles"
    done
}

@test "files that include each other, or a room or house that they may not, are found" {
    mkdir -p "$tmp"/{include,src/core/{base,heap},src/clr/process}
    touch "$tmp"/src/core/{base/a,heap/b}.h "$tmp/src/clr/process/c.h"
    printf '#include "heap/b.h"\n' >"$tmp/src/core/heap/b.c"
    run scripts/check_layers.py "$tmp"
    [[ $status == 0 && -z $output ]] || complain "$output"
    printf '#include "heap/b.h"\n#include "clr/process/c.h"\n' >"$tmp/src/core/base/a.c"
    printf '#include "base/a.h"\n' >"$tmp/src/core/heap/b.h"
    run scripts/check_layers.py "$tmp"
    [[ $status == 1 && ${#lines[@]} == 3 ]] || complain "$output"
    [[ ${lines[0]} == "src/core/base/a.c: includes core/heap/b.h; core/base may not include core/heap" ]]
    [[ ${lines[1]} == "src/core/base/a.c: includes clr/process/c.h; core/base may not include clr/process" ]]
    [[ ${lines[2]} == "a circle of files: core/base/a core/heap/b" ]]
}

@test "a habit of English that becomes more frequent is found, with its place" {
    local english=$PWD/scripts/english.py
    mkdir -p "$tmp"/{scripts,src,tests,docs}
    cd "$tmp" || return
    git init -q .
    printf '/* Returns the number of objects. */\nint count;\n' >src/a.c
    printf '```\nWho knows what lies behind it.\n```\nThe size of it, and `what lies behind`.\n' >docs/a.md
    "$english" --update
    git add .
    git -c user.name=a -c user.email=a commit -qm one
    [[ $(grep -w of-them scripts/english.txt | xargs) == "of-them 0 0 0 1 0" && $(grep -wc 0 scripts/english.txt) == 15 ]]
    run "$english" --check
    [[ $status == 0 && -z $output ]] || complain "$output"
    printf '\n/* What is left of\n * it. */\n' >>src/a.c
    run "$english" --check
    [[ $status == 1 && ${#lines[@]} == 4 ]] || complain "$output"
    [[ ${lines[0]} == "english: clause-opens in src: 1, scripts/english.txt has 0" ]]
    [[ ${lines[1]} == "src/a.c:4: What is left of it." ]]
    printf 'Its size.\n' >docs/a.md
    printf '/* Returns the number of objects. */\nint count;\n' >src/a.c
    run "$english" --check
    [[ $status == 0 && $output == "english: 1 fewer than scripts/english.txt has: "* ]] || complain "$output"
    run "$english" of-them
    [[ $status == 0 && -z $output ]]
    run "$english" --zebra
    [[ $status == 1 && $output == *"--update"* ]]
}
