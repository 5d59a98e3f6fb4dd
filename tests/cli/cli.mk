# The command line. A part of the Makefile.

#: golden        |                    | 1 min    | accept the program's current output as expected
#: check-digests |                    | 2 min    | that digests say what the snapshots say, of every series

golden: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" GOLDEN=accept bats tests/cli

# Digests of every series against the snapshots that they are of; two minutes.
check-digests: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test
	$(SUITE) -- python3 tests/cli/equal_digests.py $< $(wildcard fixtures/services/*/*) fixtures/followed \
	    $(filter-out %/expected %/nettrace %/odd,$(wildcard fixtures/leaklab/* fixtures/leaklab2/*))

.PHONY: golden check-digests
