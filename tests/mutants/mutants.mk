# How much of src/ the tests run, and how much of that they notice: docs/testing.md,
# "Coverage" and "Mutants".

#: coverage      | gcovr              | 15 min   | lines and branches of each folder, and the files furthest from the goal
#: mutants       | gcovr              | hours    | MUTANTS changes of the program, drawn by SEED, and which of them the
#:                                               tests notice; RETRY=1 tries survivors again, QUICK=1 runs unit tests only

# Counters that several threads count with are exact only if they are atomic. What has them is
# built without optimisation, so that a line is a line.
MUTANTS ?= 150
SEED    ?= 1
COUNTED   = BUILD=build/coverage COUNT='--coverage -fprofile-update=atomic -DHD_COUNTED' CFLAGS='-O0 -g' \
            LDFLAGS='--coverage -fuse-ld=mold -Wl,--wrap=_exit,--wrap=raise build/coverage/counted.o'

build/coverage/counted.o: tests/mutants/counted.c
	@mkdir -p $(@D)
	$(CC) -std=c11 $(WARNINGS) -c -o $@ $<

build/coverage/map.json: build/coverage/counted.o build/failing.so
	@scripts/install-deps.sh build test coverage faults
	+@$(MAKE) --no-print-directory -s -j$$(scripts/jobs.sh) $(COUNTED) programs
	rm -rf build/coverage/runs
	python3 tests/mutants/covered.py build/coverage

# Always measured anew.
coverage:
	@rm -f build/coverage/map.json
	+@$(MAKE) --no-print-directory build/coverage/map.json
	tests/mutants/coverage.sh build/coverage

mutants: build/coverage/map.json
	python3 tests/mutants/mutants.py --seed=$(SEED) --mutants=$(MUTANTS) \
	    $(if $(QUICK),--quick) $(if $(RETRY),--again) $<

.PHONY: coverage mutants
