# Shared by all tests of the command line. HEAPDRIFT is the program under test, an absolute path; tests
# run from the repository's root and write to $BATS_TEST_TMPDIR.
# shellcheck shell=bash

# bash decodes $'\u202e' when it parses a test, after this line but before setup.
export LC_ALL=C.UTF-8

HEAPDRIFT=${HEAPDRIFT:-$BATS_TEST_DIRNAME/../../build/heapdrift}

# Builds inside of tests must not inherit settings of the make that runs the tests.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL SANITIZE CFLAGS

# Snapshots for many tests: two small ones with a leak, and four.
pair=(fixtures/heap-text/before.txt fixtures/heap-text/after.txt)
series=(fixtures/heap-text/series-{1,2,3,4}.txt)
before=${pair[0]}
after=${pair[1]}

setup() { begin; }

# skip_file REASON: skips every test of the file, for setup_file, in which bats 1.8 reports `skip` as a failure.
skip_file() { echo "$1" >"$BATS_FILE_TMPDIR/skipped"; }

begin() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    tmp=$BATS_TEST_TMPDIR
    export LC_ALL=C.UTF-8 TERM=xterm
    unset NO_COLOR COLUMNS
    # For tests/mutants/covered.py: what a test covers, apart from the others.
    [[ -z ${GCOV_PREFIX:-} ]] || export GCOV_PREFIX=$GCOV_PREFIX/$BATS_TEST_NUMBER
    [[ ! -e $BATS_FILE_TMPDIR/skipped ]] || skip "$(<"$BATS_FILE_TMPDIR/skipped")"
}

# Runs the program: sets $status, $out and $err. Stdin is the caller's.
hd() {
    status=0
    "$HEAPDRIFT" "$@" >"$BATS_TEST_TMPDIR/.out" 2>"$BATS_TEST_TMPDIR/.err" || status=$?
    out=$(<"$BATS_TEST_TMPDIR/.out")
    err=$(<"$BATS_TEST_TMPDIR/.err")
    ran="heapdrift $*"
}

# The same where it has to work.
works() {
    hd "$@"
    status_is 0
}

# --- what to expect ------------------------------------------------------------------

complain() {
    printf '%s\n' "$@"
    printf -- '--- %s: status %s\n--- stdout:\n%s\n--- stderr:\n%s\n' \
        "$ran" "$status" "${out:0:2000}" "${err:0:2000}"
    return 1
}

status_is() { [[ $status == "$1" ]] || complain "status $1 expected"; }
out_is() { [[ $out == "$1" ]] || complain "stdout expected: $1"; }
out_has() { [[ $out == *"$1"* ]] || complain "stdout should have: $1"; }
out_lacks() { [[ $out != *"$1"* ]] || complain "stdout should not have: $1"; }
err_is() { [[ $err == "$1" ]] || complain "stderr expected: $1"; }
err_has() { [[ $err == *"$1"* ]] || complain "stderr should have: $1"; }
err_lacks() { [[ $err != *"$1"* ]] || complain "stderr should not have: $1"; }
out_matches() { [[ $out =~ $1 ]] || complain "stdout should match: $1"; }
err_matches() { [[ $err =~ $1 ]] || complain "stderr should match: $1"; }

# Chains of $out in one line again, as they were before they were folded.
unfold() { out=${out//$'\n             → '/ → }; }

# refute COMMAND ARG...: fails if the command succeeds. `! COMMAND` fails a test only as the last statement.
refute() {
    "$@" || return 0
    echo "should have failed: $*"
    return 1
}

# A run that fails in the usual way: status 2, empty stdout, one line on stderr.
fails_with() {
    status_is 2
    out_is ""
    err_is "heapdrift: $1"
}

# The columns of CSV on stdout: column N (from 1), without the header. Names without
# commas only.
column() { tail -n +2 <<<"$out" | cut -d, -f"$1"; }

# json FILTER: what jq makes of stdout.
json() { jq -r "$1" <<<"$out"; }

# --- what is not easily provoked -------------------------------------------------------

# stand_in C: a function of a library that is called in place of the real one.
stand_in() {
    {
        echo '#define _GNU_SOURCE'
        printf '#include <%s>\n' signal.h stdlib.h string.h unistd.h
        echo 'extern void *__libc_realloc(void *, size_t);'
        echo "$1"
    } >"$BATS_TEST_TMPDIR/stand_in.c"
    "${CC:-cc}" -shared -fPIC -o "$BATS_TEST_TMPDIR/stand_in.so" "$BATS_TEST_TMPDIR/stand_in.c"
}

# Run the program with it.
with_stand_in() {
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0 \
        LD_PRELOAD=$BATS_TEST_TMPDIR/stand_in.so hd "$@"
}

# Under nohup HUP is ignored, in the background INT and QUIT are, and the program must keep it so.
signal_ends() {
    local ignored
    ignored=$(awk '$1 == "SigIgn:" { print $2 }' /proc/self/status)
    ((!(16#$ignored >> ($(kill -l "$1") - 1) & 1)))
}

# For setup_file: $failing is a library to preload in which allocations, transfers or mapped
# files fail; see tests/support/failing.c.
make_failing() {
    export failing=$BATS_FILE_TMPDIR/failing.so
    "${CC:-cc}" -std=gnu11 -O1 -shared -fPIC "$BATS_TEST_DIRNAME/../support/failing.c" -o "$failing" -ldl
}

# --- golden outputs ------------------------------------------------------------------

# golden NAME ARG...: stdout of the program is tests/cli/golden/NAME byte for byte.
golden() {
    local name=$1
    shift
    works "$@"
    golden_is "$name"
}

# The same for the last run, whatever its status. With GOLDEN=accept in the environment the file is
# replaced by the program's output.
golden_is() {
    local expected=tests/cli/golden/$1
    if [[ ${GOLDEN:-} == accept ]]; then
        cp "$BATS_TEST_TMPDIR/.out" "$expected"
    else
        diff -u "$expected" "$BATS_TEST_TMPDIR/.out" ||
            complain "other than $expected; \`make golden\` accepts it"
    fi
}

# --- waiting -------------------------------------------------------------------------

# Prints the factor by which limits of time grow with the load: 1 on an idle machine, 1 more per
# process that waits for a processor.
busy() {
    local load=0 rest
    read -r load rest 2>/dev/null <"${LOADAVG:-/proc/loadavg}" || true
    echo $((1 + ${load%.*} / $(nproc)))
}

# tries: one word per iteration of a loop that sleeps for 0.05 s; 20 s on an idle machine.
tries() { seq $((400 * $(busy))); }

# --- pipes ---------------------------------------------------------------------------

# copy_slowly FROM TO [SECONDS]: copies in the background, after a while. TO may be a pipe that the test
# never opens: then it gives up, so that it does not outlive the test for long, and it does not hold the
# descriptor that bats waits for.
copy_slowly() {
    timeout 300 sh -c 'sleep "$3"; cat "$1" >"$2"' sh "$1" "$2" "${3:-0}" 3>&- &
}

# --- terminals -----------------------------------------------------------------------

# Some containers have no pseudo-terminals.
need_terminal() {
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo-terminal here"
}

# on_terminal COLUMNS ARG...: runs with stdout on a terminal of this width; $out is the screen, without
# carriage returns.
on_terminal() {
    need_terminal
    local word line="stty cols $1;"
    shift
    printf -v word ' %q' "$HEAPDRIFT" "$@"
    ran="heapdrift $* (on a terminal)"
    status=0
    script -qec "$line$word 2>/dev/null" /dev/null >"$BATS_TEST_TMPDIR/.out" </dev/null || status=$?
    out=$(tr -d '\r' <"$BATS_TEST_TMPDIR/.out")
    err=
}

# Removes the colors from $out.
# shellcheck disable=SC2001 # a pattern of the shell cannot say it
uncolor() { out=$(sed 's/\x1b\[[0-9;]*m//g' <<<"$out"); }

# The Python that Debian's python3-jsonschema is for, where there is one.
python() {
    if [[ -x /usr/bin/python3 ]]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

# large_gcdump FILE OBJECTS: a gcdump of a type App.Order. Of 150,000 it is mapped, as it has
# more than 1 MiB.
large_gcdump() {
    awk -v objects="$2" 'BEGIN {
        print "a 2 App.exe 1\nt 1 App.Order"
        for (i = 1; i <= objects; i++)
            printf "o %x 1 18 %x\n", i, i
        print "r 1 3 0\nc App.exe 2"
    }' >"$tmp/large.txt"
    works convert -q "$tmp/large.txt" -o "$1"
}

# play_runtime HABIT [TRACE]: a runtime that listens at $socket; see runtime.py. Callers must kill
# $runtime in teardown. The trace is compressed, a usual one by default.
# kills $runtime in teardown. The trace is packed, and a usual one if none is named.
play_runtime() {
    socket=$tmp/socket
    zstd -dqf "${2:-fixtures/nettrace-real/leak31_first.nettrace.zst}" -o "$tmp/played.nettrace"
    python3 tests/cli/runtime.py "$socket" "$1" "$tmp/played.nettrace" 3>&- &
    runtime=$!
    for _ in $(tries); do [[ ! -S $socket ]] || break; sleep 0.05; done
    [[ -S $socket ]]
}

# ends JOB: waits for the program that runs in the background, with $tmp/.out and $tmp/err, as if hd had
# run it.
ends() {
    status=0
    wait "$1" || status=$?
    out=$(<"$tmp/.out") err=$(<"$tmp/err")
}

# A trace is the recording up to the mark of its end, followed by the facts of its process.
same_trace() {
    local size
    size=$(stat -c %s "$tmp/played.nettrace")
    cmp -n $((size - 1)) "$1" "$tmp/played.nettrace"
}
