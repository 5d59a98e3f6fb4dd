# Tools of others. A part of the Makefile.

#: check-peers   | NuGet              | 2 min    | Microsoft's tools of today and heapdrift read each other's files

check-peers: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test
	$(SUITE) -- $(BATS) tests/peers

.PHONY: check-peers
