# The store in a real PostgreSQL, and with writers that are killed: minutes. A part of the Makefile.

#: check-store   | PostgreSQL         | 4 min    | the store in a PostgreSQL of its own, and killed writers


# So many times two writers at once are killed.
KILLED ?= 300

# Builds the program before the present version of the tables, from the parent of the commit that added the version.
# A test has both use one store; it is skipped in a tree without the history.
STORE_VERSION = $(lastword $(shell sed -n 's/^-- version \([0-9]*\).*/\1/p' src/fleet/store/schema.sql))
STORE_BEFORE = build/store-before/$(STORE_VERSION)

$(STORE_BEFORE)/build/heapdrift:
	-@rm -rf $(STORE_BEFORE) && mkdir -p $(STORE_BEFORE) && added=$$(git log --format=%H -S'-- version $(STORE_VERSION)' -- src/fleet/store/schema.sql | tail -1) && \
	    git archive "$$added~" | tar -x -C $(STORE_BEFORE) && $(MAKE) -s -C $(STORE_BEFORE) build/heapdrift

check-store: $(BUILD)/heapdrift $(BUILD)/unit-tests $(STORE_BEFORE)/build/heapdrift
	@scripts/install-deps.sh build test postgresql
	HEAPDRIFT_OLD="$(CURDIR)/$(STORE_BEFORE)/build/heapdrift" $(SUITE) -- $(BATS) tests/store -- tests/store/killed.sh $(BUILD)/heapdrift $(KILLED)

.PHONY: check-store
