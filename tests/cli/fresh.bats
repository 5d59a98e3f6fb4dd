# A machine with only a clone: packages, progress, limits under load, and checkouts in unusual places.
# tests/packages/fresh.bats runs README's commands on minimal systems.
# shellcheck disable=SC2016 # scripts are of others
load helper

@test "each command that the tests call is in a package that they install" {
    python3 tests/cli/called.py
}

@test "a command in no package is found, wherever shell, Python or C call it" {
    mkdir -p "$tmp/tree"/{scripts,tests/cli,src/core/cli/commands}
    printf '#!/bin/sh\necho gcc python3\n' >"$tmp/tree/scripts/install-deps.sh"
    chmod +x "$tmp/tree/scripts/install-deps.sh"
    # bats would run a line that begins with @test.
    sed 's/^:test/@test/' >"$tmp/tree/tests/cli/x.bats" <<'BATS'
# pkill is only a remark
:test "jq is only a title" {
    ours() { true; }
    ours zip 'zstd' "xz" <<<"bzip2" # tmux
    x=$(one | sort) y=(two $(three)) four=1 five --six
    case $x in seven) eight ;; *) nine ;; esac
    if ! [[ $(ten) == eleven ]]; then env A=1 nice -n 3 twelve; fi
    cat <<'END' >file
thirteen
END
    bash -c 'fourteen && timeout 3 fifteen'
    sixteen <(seventeen) "$(eighteen "`nineteen`")" $((twenty + 1)) || { twentyone; }
    command -v optional >/dev/null || skip "no optional here"
    optional
    for i in many; do twentytwo; done; xargs -n 1 twentythree
    script -qec "twentyfour" /dev/null
}
BATS
    printf 'import subprocess, os\nsubprocess.run(["snake", "x"])\nos.system("adder x")\n' >"$tmp/tree/tests/cli/x.py"
    printf 'void f(void)\n{\n    system("cd x && gecko");\n}\n' >"$tmp/tree/tests/cli/x.c"
    printf '{"heapdrift top x | less"}\n' >"$tmp/tree/src/core/cli/commands/x.c"
    run python3 tests/cli/called.py "$tmp/tree"
    [[ $status == 1 ]]
    [[ $(sed -E 's/^[^ ]* //; s/: in no list.*//' <<<"$output" | sort | xargs) == \
        "adder eight eighteen fifteen five fourteen gecko less: package less is in no group of: build test nine nineteen one seventeen sixteen snake ten three twelve twentyfour twentyone twentythree twentytwo" ]] || {
        echo "$output"
        return 1
    }
}

# bare APT UID: runs scripts/install-deps.sh without packages and without sudo; APT is the body of apt-get.
bare() {
    mkdir -p "$tmp/bin"
    local name
    for name in mktemp cat rm; do ln -sf "$(command -v $name)" "$tmp/bin/"; done
    printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
    printf '#!/bin/sh\necho %s\n' "$2" >"$tmp/bin/id"
    printf '#!/bin/sh\necho "$@" >>%q\n%s\n' "$tmp/apt" "$1" >"$tmp/bin/apt-get"
    chmod +x "$tmp"/bin/{dpkg-query,id,apt-get}
    run env -i PATH="$tmp/bin" TMPDIR="$tmp" /bin/sh scripts/install-deps.sh action
}

@test "without root and sudo the required command is printed" {
    bare true 1000
    [[ $status == 1 && ${#lines[@]} == 2 ]]
    [[ ${lines[1]} == "apt-get update && apt-get install -y --no-install-recommends jq" ]]
    [[ ! -e $tmp/apt ]]
}

@test "what apt-get remarks is shown only if it fails" {
    bare 'echo "debconf: delaying package configuration" >&2' 0
    [[ $status == 0 && $output == "installing: jq" ]]
    [[ $(<"$tmp/apt") == $'update -qq\ninstall -y -qq --no-install-recommends jq' ]]
    bare 'echo "E: no network" >&2; exit 100' 0
    [[ $status == 1 && ${lines[1]} == "E: no network" && ${lines[2]} == "the packages could not be installed"* ]]
}

@test "make is silent about a compiler that is not installed yet" {
    run make -n demo CC=no-such-compiler
    [[ $status == 0 && $output != *"o such file"* && $output != *"not found"* ]]
}

# memory MIB [LIMIT]: prints the jobs for MIB of available memory in a control group with LIMIT MiB.
memory() {
    printf 'MemTotal: 9 kB\nMemAvailable: %s kB\n' $(($1 * 1024)) >"$tmp/meminfo"
    mkdir -p "$tmp/group"
    echo "${2:-max}" >"$tmp/group/memory.max"
    [[ ${2:-max} == max ]] || echo $(($2 << 20)) >"$tmp/group/memory.max"
    scripts/jobs.sh "$tmp/meminfo" "$tmp/group"
}

@test "the number of jobs is that of processors, or less for lack of memory" {
    [[ $(memory 1000000) == "$(nproc)" ]]
    [[ $(memory 512) == 1 && $(memory 100) == 1 && $(memory 1000000 600) == 1 ]]
    [[ $(memory 1000000 1000000) == "$(nproc)" ]]
    # Other systems have neither file; a large number of version 1 is not a limit.
    [[ $(scripts/jobs.sh "$tmp/none" "$tmp/none") == "$(nproc)" ]]
    mkdir -p "$tmp/one/memory"
    echo 9223372036854771712 >"$tmp/one/memory/memory.limit_in_bytes"
    [[ $(scripts/jobs.sh "$tmp/none" "$tmp/one") == "$(nproc)" ]]
}

@test "make check prints its start immediately, then its progress" {
    printf '%s\n' 'all: one two three' "one: ; scripts/part.sh $tmp/check/slow sleep 3" \
        "two: ; scripts/part.sh $tmp/asan/fast true" "three: ; scripts/part.sh $tmp/check/wrong false" >"$tmp/parts.mk"
    CHECK_EVERY=1 run scripts/check.sh check "$tmp/check" "$tmp/asan=under ASan" -- -f "$tmp/parts.mk" all
    [[ $status == 1 && ${lines[0]} == "check: compiles, then tests, with "*" job"* ]]
    grep -qE '^check: 0 min [12] s: 1 of 3 parts passed, 1 failed; running: slow$' <<<"$output"
    # No progress follows the last line.
    [[ ${lines[-1]} == "check: FAILED: "* ]]
}

@test "a note of a part that passes is shown" {
    run scripts/part.sh "$tmp/check/x" printf 'a\nnote: no clang-format 14\nb\n'
    [[ $status == 0 && ${#lines[@]} == 2 && ${lines[1]} == "note: no clang-format 14" ]]
}

@test "without /proc there is one line about it" {
    [[ $(id -u) == 0 ]] || skip "takes root"
    unshare -m true 2>/dev/null || skip "no namespaces here"
    run unshare -m sh -c 'mount -t tmpfs none /proc && exec scripts/check.sh check build/none -- all'
    [[ $status == 1 && ${#lines[@]} == 1 && $output == "check: FAILED: /proc is not mounted"*"mount -t proc proc /proc" ]]
}

@test "waiting takes longer on a busy machine" {
    echo "0.40 1 1 1/1 1" >"$tmp/idle"
    echo "$(($(nproc) * 9)).50 1 1 1/1 1" >"$tmp/busy"
    [[ $(LOADAVG=$tmp/idle busy) == 1 && $(LOADAVG=$tmp/busy busy) == 10 && $(LOADAVG=$tmp/none busy) == 1 ]]
    [[ $(LOADAVG=$tmp/idle tries | wc -l) == 400 ]]
}

@test "the limit of a unit test is of the processor, not of the clock" {
    cat >"$tmp/limits.c" <<'C'
#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>
Test(limits, waits, .timeout = 1) { sleep(2); }
Test(limits, works, .timeout = 1) { for (volatile int i = 0;; i++) continue; }
Test(limits, skips) { cr_skip_test("not here"); }
C
    cc -D_GNU_SOURCE -o "$tmp/limits" "$tmp/limits.c" tests/support/run_tests.c -lm
    run "$tmp/limits" -j3
    [[ $status == 1 && $output == *"[FAIL] limits::works: Timed out"* && $output == *"Tested: 2 | Passing: 1 | Failing: 1"* ]]
}

# odd FILE PATTERN: runs tests in a checkout with a space in its path, with umask 077, a read-only HOME,
# no locale, and the program under another name.
odd() {
    local name odd="$tmp/a b"
    if [[ ! -d $odd ]]; then
        mkdir -p "$odd/tests" "$odd/build"
        for name in fixtures src scripts include docs Makefile README.md; do ln -s "$PWD/$name" "$odd/"; done
        for name in tests/*; do [[ $name == tests/cli ]] || ln -s "$PWD/$name" "$odd/tests/"; done
        cp -r tests/cli "$odd/tests/"
        cp "$HEAPDRIFT" "$odd/build/drift"
    fi
    # The first folders of PATH contain programs internal to bats.
    run env -i PATH="${PATH#*/bats-core:}" HOME=/proc HEAPDRIFT="$odd/build/drift" bash -c 'umask 077; exec bats --formatter tap -f "$2" "$1"' \
        bash "$odd/tests/cli/$1.bats" "$2"
    [[ $status == 0 && $output != *"not ok"* && $output == *$'\nok 1 '* ]] || {
        echo "$output"
        return 1
    }
}

@test "tests pass in a path with a space, under umask 077, without HOME and locale, by another name" {
    odd check 'text of a failure'
    odd record 'JSON has the result'
    odd style 'messages are ASCII'
    odd explore 'suspended and resumed'
    odd collect 'hidden in /proc'
    odd report 'terminal'
}
