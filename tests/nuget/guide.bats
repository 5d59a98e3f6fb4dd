# The samples of docs/testing-your-code.md and of the package's page, compiled and run. `make
# check-nuget`; skipped without .NET, or where no packages can be had.
load ../cli/helper
load packages

@test "the samples of the guide work as described, and fail as described without the fix" {
    command -v dotnet >/dev/null || skip "no .NET SDK here"
    run tests/nuget/guide.py
    echo "$output" >"$tmp/log"
    if no_packages "$tmp/log"; then skip "no packages here"; fi
    [[ $status == 0 ]] || {
        echo "$output"
        return 1
    }
}
