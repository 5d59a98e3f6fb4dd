# LeakVerdict of the library Heapdrift.Testing, asked about reports made by hand. `make check-nuget`; skipped
# without .NET.
load ../cli/helper

@test "a test fails by suspects that grow with its iterations, not by those of the test run" {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 MSBUILDDISABLENODEREUSE=1
    dotnet run --project "$BATS_TEST_DIRNAME/verdict" -v quiet --disable-build-servers
}
