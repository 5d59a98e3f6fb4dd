# Other users of a host. A part of the Makefile.

#: check-neighbours | root            | 7 min    | what an unprivileged user of a host can do to root's heapdrift

check-neighbours: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test faults
	$(SUITE) -- $(BATS) tests/neighbours

.PHONY: check-neighbours
