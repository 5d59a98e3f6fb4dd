# The library for tests. A part of the Makefile.

#: check-nuget   | .NET SDK, NuGet    | 20 min   | leak tests in xUnit.net, NUnit, MSTest, TUnit, of the package

# The library for tests, in test frameworks. RUNS=50 LOAD=1: so many runs, on a busy machine.
check-nuget: nuget
	@scripts/install-deps.sh test windows-test
	RUNS='$(RUNS)' LOAD='$(LOAD)' $(SUITE) -- $(BATS) tests/nuget

.PHONY: check-nuget
