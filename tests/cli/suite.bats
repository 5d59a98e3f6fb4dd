# A suite without tests, or with fewer than expected, fails: scripts/suite.sh, and the programs of the
# suites.
load helper

# suite NAME -- COMMAND...: runs scripts/suite.sh with $ci and $skips in place of the caller's CI and SKIPS.
suite() { run env CI="${ci:-}" SKIPS="${skips:-}" scripts/suite.sh "$@"; }

# ends_with STATUS LINE: expects this status and last line.
ends_with() { [[ $status == "$1" && ${lines[-1]} == "$2" ]] || { echo "status $status: $output"; return 1; }; }

@test "the last line counts the tests of all commands, and those without TAP as one each" {
    suite check-x -- printf 'ok 1 a\nok 2 b # skip no b here\nok 3 c\n' -- echo hello -- true
    ends_with 0 "check-x: 4 passed, 0 failed, 1 skipped"
    [[ $output == *hello* ]]
    suite check-x -- printf '1..2\nok 1 a\nnot ok 2 b\n' -- true
    ends_with 1 "check-x: 2 passed, 1 failed, 0 skipped"
    suite check-x -- false -- echo 'ok 1 a'
    ends_with 1 "check-x: 1 passed, 1 failed, 0 skipped"
    # A status without a failed test: the program ended before its last test.
    suite check-x -- sh -c 'echo "ok 1 a"; exit 3'
    ends_with 1 "check-x: 1 passed, 1 failed, 0 skipped"
}

@test "a suite without tests has status 2, and its last line has the reason" {
    suite check-x -- printf 'ok 1 a # skip no a here\nok 2 b # skip no b here\nok 3 c # skip no a here\n'
    ends_with 2 "check-x: 0 passed, 0 failed, 3 skipped: nothing was tested: no a here; no b here"
    suite check-x -- echo '1..0 # skip no browser here'
    ends_with 2 "check-x: 0 passed, 0 failed, 1 skipped: nothing was tested: no browser here"
}

@test "under CI=true a skip is a failure unless its reason is listed" {
    local ci=true skips=$tmp/skips
    printf '%s\n' '# No kernel has it.' 'no [a-c] here' >"$skips"
    suite check-x -- printf 'ok 1 a\nok 2 b # skip no b here\n'
    ends_with 0 "check-x: 1 passed, 0 failed, 1 skipped"
    suite check-x -- printf 'ok 1 a\nok 2 b # skip no b here at all\nok 3 c # skip\n'
    ends_with 1 "check-x: 1 passed, 0 failed, 2 skipped: a skip is a failure under CI=true: no b here at all; no reason"
    ci=
    suite check-x -- printf 'ok 1 a\nok 2 b # skip no d here\n'
    ends_with 0 "check-x: 1 passed, 0 failed, 1 skipped"
}

@test "reasons of tests/cli are listed, missing programs that a suite installs are not" {
    grep -vE '^(#|$)' scripts/skips.txt >"$tmp/patterns"
    find tests/cli -name '*.ba*' ! -name assertions.bats ! -name suite.bats ! -name fresh.bats -exec grep -ohE '\bskip(_file)? "[^"$]*"' {} + | cut -d'"' -f2 | sort -u >"$tmp/reasons"
    [[ $(wc -l <"$tmp/reasons") -gt 20 ]]
    grep -vxE -f "$tmp/patterns" "$tmp/reasons" >"$tmp/unlisted" || true
    [[ ! -s $tmp/unlisted ]] || complain "$(<"$tmp/unlisted")"
    printf '%s\n' "no chromium with chromedriver here" "no PostgreSQL here" "no wine here: scripts/install-deps.sh windows-test" \
        "no qemu-aarch64-static here" "aarch64: no qemu-aarch64-static here: qemu-user-static" "musl: no musl-gcc here: musl-tools" >"$tmp/installed"
    run grep -xE -f "$tmp/patterns" "$tmp/installed"
    [[ $status == 1 ]] || complain "$output"
}

@test "every suite of the Makefile is counted, and installs packages" {
    local name
    for name in live page digests static windows packages nuget fleet slurm store; do
        awk -v suite="check-$name:" '$1 == suite { on = 1; next } on && !/^\t/ { exit } on' Makefile scripts/*.mk tests/*/*.mk >"$tmp/recipe"
        grep -q '\$(SUITE) -- ' "$tmp/recipe" || complain "check-$name"
        grep -q '^.@scripts/install-deps.sh ' "$tmp/recipe" || complain "check-$name installs nothing"
        [[ $name != live ]] || cp "$tmp/recipe" "$tmp/live"
    done
    # Live tests need PostgreSQL, wine, qemu and musl.
    for name in postgresql windows-test cross static-test; do
        grep -qE "install-deps.sh .*\b$name\b" "$tmp/live" || complain "check-live does not install $name"
    done
    grep -qw musl-tools <<<"$(scripts/install-deps.sh --names static-test)"
}

@test "setup_file never calls skip, which bats reports as a failure" {
    local file
    for file in tests/*/*.bats; do
        awk '/^setup_file\(\)/ { on = 1 } on && /(^|[^#a-z])skip / { print FILENAME ": " FNR } /^}/ { on = 0 }' "$file"
    done >"$tmp/found"
    [[ ! -s $tmp/found ]] || complain "$(<"$tmp/found")"
    printf '%s\n' "load $PWD/tests/cli/helper" 'setup_file() { skip_file "no such thing here"; }' '@test "a" {' 'false' '}' >"$tmp/a.bats"
    run bats --formatter tap "$tmp/a.bats"
    [[ $status == 0 && $output == *"ok 1 a # skip no such thing here"* ]]
}

@test "the suite of the page fails without a browser" {
    suite check-page -- env PATH=/nowhere CHROMIUM= CHROMEDRIVER= "$(python3 -c 'import sys; print(sys.executable)')" tests/page/test_page.py
    ends_with 2 "check-page: 0 passed, 0 failed, 1 skipped: nothing was tested: no chromium with chromedriver here"
}

@test "two refusals are not equal answers of snapshots and digests" {
    mkdir "$tmp/series"
    cp "${pair[@]}" "$tmp/series"
    printf '#!/bin/sh\n[ "$1" != diff ] || exit 2\nexec "%s" "$@"\n' "$HEAPDRIFT" >"$tmp/refuses"
    chmod +x "$tmp/refuses"
    suite check-digests -- python3 tests/cli/equal_digests.py "$tmp/refuses" "$tmp/series"
    ends_with 1 "check-digests: 0 passed, 1 failed, 0 skipped"
    [[ $output == *"diff -n0 -v --no-ages: no answer, status 2"* ]]
}

@test "a missing package under test is not taken for a missing network" {
    load ../nuget/packages
    local said
    for said in "error NU1101: Unable to find package xunit.v3. No packages exist with this id in source(s): heapdrift, others" \
        "error NU1301: Unable to load the service index for source https://packages.example.com/index.json."; do
        echo "x.csproj : $said [x.csproj]" >"$tmp/log"
        no_packages "$tmp/log" || complain "$said"
    done
    for said in "error NU1101: Unable to find package Heapdrift.Testing. No packages exist with this id in source(s): others" \
        "error NU1102: Unable to find package Heapdrift.Testing with version (>= 0.1.0)" "error CS0103: The name does not exist" \
        "error NU1301: The local source '/src/build/nuget' doesn't exist."; do
        echo "x.csproj : $said [x.csproj]" >"$tmp/log"
        refute no_packages "$tmp/log"
    done
}

@test "leak tests of NuGet: a missing result and an unexpected status are failures" {
    run python3 - <<'END'
import sys
sys.path.insert(0, "tests/nuget")
sys.dont_write_bytecode = True
import run

for name, project in run.PROJECTS.items():
    wanted = run.declared(project)
    assert len(wanted) > 20 and set(wanted) >= {"Frees_a_window"} or name == "aspnet", (name, wanted)
    names = [f"{test} ({i})" if count > 1 else test for test, count in wanted.items() for i in range(count)]
    results = {test: run.Result(test, "Failed" if test.startswith("Leaks_") else "Passed", 0, "", []) for test in names}

    def wrong(lost, status):
        check = run.Check(project, None, False)
        check.complete({test: result for test, result in results.items() if test != lost}, status)
        return check.wrong

    assert wrong(None, project.failing) == [], wrong(None, project.failing)
    for test in names:
        assert any("results" in line for line in wrong(test, project.failing)), test
    assert len(wrong(None, 0)) == len(wrong(None, 7)) == 1
END
    [[ $status == 0 ]] || complain "$output"
}
