# What is handed out. A part of the Makefile.

#: check-packages | root, two Debians | 60 min   | the packages: built, installed, run, removed

# The packages themselves: built, installed, run, removed. Says what it leaves out, and why.
check-packages: all deb nuget sbom container container-store
	@scripts/install-deps.sh test packages postgresql
	$(SUITE) -- $(BATS) tests/packages

.PHONY: check-packages
