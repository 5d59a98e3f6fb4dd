# The store in a real PostgreSQL, and with writers that are killed: minutes. A part of the Makefile.

# So many times two writers at once are killed.
KILLED ?= 300

check-store: $(BUILD)/heapdrift $(BUILD)/unit-tests
	@scripts/install-deps.sh build test postgresql
	$(SUITE) -- $(BATS) tests/store -- tests/store/killed.sh $(BUILD)/heapdrift $(KILLED)

.PHONY: check-store
