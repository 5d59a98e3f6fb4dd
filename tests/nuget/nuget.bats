# The library Heapdrift.Testing from its package: the shop's tests in four test frameworks, and tests of
# programs with unmodified frameworks. `make check-nuget`; skipped without .NET, or without packages.
# RUNS=50: number of runs of each; LOAD=1: with every processor busy.
# shellcheck disable=SC2086 # options are several words
load ../cli/helper
load packages

setup_file() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    command -v dotnet >/dev/null || return 0
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1
    local name
    for name in xunit.v3 nunit mstest tunit avalonia aspnet; do
        tests/nuget/run.py --build-only --only=$name >"$BATS_FILE_TMPDIR/$name" 2>&1 || touch "$BATS_FILE_TMPDIR/$name.failed"
    done
}

need() {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    [[ -e $BATS_FILE_TMPDIR/$1.failed ]] || return 0
    if no_packages "$BATS_FILE_TMPDIR/$1"; then skip "no packages here"; fi
    cat "$BATS_FILE_TMPDIR/$1"
    return 1
}

all_as_named() {
    need "$1"
    tests/nuget/run.py --no-build --only="$1" --runs="${RUNS:-1}" ${LOAD:+--load}
    tests/nuget/run.py --no-build --only="$1" --serial
}

@test "xUnit.net: leaks fail with their chain and are attached, freed objects pass, no file is left" {
    all_as_named xunit.v3
}

@test "NUnit: leaks fail with their chain and are attached, freed objects pass, no file is left" {
    all_as_named nunit
}

@test "MSTest: leaks fail with their chain and are attached, freed objects pass, no file is left" {
    all_as_named mstest
}

@test "TUnit: leaks fail with their chain and are attached, freed objects pass, no file is left" {
    all_as_named tunit
}

@test "a desktop program: windows, bindings, styles, animations of Avalonia" {
    need avalonia
    tests/nuget/run.py --no-build --only=avalonia --runs="${RUNS:-1}" ${LOAD:+--load}
}

@test "a service: requests of ASP.NET" {
    need aspnet
    tests/nuget/run.py --no-build --only=aspnet --runs="${RUNS:-1}" ${LOAD:+--load}
}

@test "without diagnostics each test is skipped with the reason" {
    local name
    for name in xunit.v3 nunit mstest tunit; do
        need $name
        tests/nuget/run.py --no-build --only=$name --blind
    done
}

@test "killed tests leave no process and no file" {
    local name whom
    for name in xunit.v3 nunit mstest tunit; do
        need $name
        for whom in host group; do
            tests/nuget/killed.py $name $whom
        done
    done
}
