# Unit tests, and what `make check` does, in parts that run side by side. A part of the Makefile.

#: test          |                    | 4 min    | unit, sweep and command-line tests of a plain build
#: asan          |                    | 25 min   | the same under AddressSanitizer and UBSan
#: tsan          |                    | 5 min    | what has several threads under ThreadSanitizer
#: portable      |                    | 8 min    | the same in plain C, as on processors that are not x86-64
#: check-core    |                    | 2 min    | core without the other houses, and its own unit tests
#: check-full    | all of the below   | hours    | every suite, and what is too long for check

SUPPORT_SRC = $(filter-out %/failing.c %/run_tests.c,$(wildcard tests/support/*.c))
TEST_SRC  = $(wildcard tests/*/test_*.c tests/*/*/test_*.c tests/*/*/*/test_*.c)
TOOL_SRC  = tests/sweep/sweep.c tests/threads/ask.c $(wildcard tests/fuzz/*.c)
SUPPORT_OBJ = $(SUPPORT_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ  = $(TEST_SRC:%.c=$(BUILD)/%.o)
# What of the program is tested without it.
TESTED_CLI_OBJ = $(addprefix $(BUILD)/src/core/cli/guard/,memory.o allocate.o trust.o) $(BUILD)/src/core/cli/terminal/exit_hook.o \
                 $(addprefix $(BUILD)/src/,core/cli/guard/temporary.o $(addprefix fleet/agent/,run_facts.o metrics.o watched_process.o store_queue.o) $(addprefix collect/live/,run_folder.o trigger.o)) \
                 $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/terminal.c,$(wildcard src/core/cli/explore/*.c)))
TOOL_OBJ  = $(TOOL_SRC:%.c=$(BUILD)/%.o)

# Without Criterion's library: who runs them is one of us.
$(BUILD)/unit-tests $(BUILD)/unit-tests-large $(BUILD)/unit-tests-small: \
        $(BUILD)/tests/support/run_tests.o $(SUPPORT_OBJ) $(TESTED_CLI_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    $(LIB_LIBS) $(LDLIBS)

$(BUILD)/unit-tests: $(TEST_OBJ)

# Their tests replace functions that they call, of the watcher and of the sandbox.
$(BUILD)/unit-tests $(BUILD)/unit-tests-small: \
        $(addprefix $(BUILD)/src/,core/cli/guard/rights.o core/cli/terminal/clock.o core/cli/terminal/messages.o \
            $(addprefix fleet/agent/,triggering.o metrics_server.o snapshot_job.o follower.o) \
            $(addprefix collect/live/,children.o last_resort.o anonymous_file.o))

$(BUILD)/sweep: $(BUILD)/tests/sweep/sweep.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/ask: $(BUILD)/tests/threads/ask.o $(BUILD)/lib/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

# Core without the other houses, of the same objects: the program, and core's own tests.
CORE_OBJ = $(filter $(BUILD)/src/core/% $(BUILD)/made/%,$(LIB_OBJ)) $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/absent/*.c))
CORE_CLI_OBJ = $(filter $(BUILD)/src/core/%,$(CLI_OBJ)) $(patsubst %.c,$(BUILD)/%.o,$(wildcard src/absent/commands/*.c))
# Left out: tests of the formats and records of all houses together, and what forges those of others.
OF_ALL_HOUSES = render/test_writer render/test_schema format/test_convert format/gcdump/test_gcdump_facts
CORE_TEST_OBJ = $(filter-out $(OF_ALL_HOUSES:%=$(BUILD)/tests/core/%.o),$(filter $(BUILD)/tests/core/%,$(TEST_OBJ))) \
    $(filter-out $(patsubst %,$(BUILD)/tests/support/%.o,stored outcome forge_clr),$(SUPPORT_OBJ))

$(BUILD)/core/heapdrift: $(CORE_CLI_OBJ) $(CORE_OBJ)
	@mkdir -p $(@D)
	$(LINK) $(CLI_LIBS) $(LDLIBS)

$(BUILD)/core/unit-tests: $(BUILD)/tests/support/run_tests.o $(CORE_TEST_OBJ) $(CORE_OBJ)
	@mkdir -p $(@D)
	$(LINK) $(LIB_LIBS) $(LDLIBS)

# A test takes longer to compile than to run: what it tests is optimised, not the test. Of a
# sanitizer its variables have what surrounds them, so that what it tests cannot leave them;
# what it does itself is not looked at.
TEST_FLAGS = -O0 -U_FORTIFY_SOURCE $(if $(SANITIZE),-fno-sanitize=undefined \
    $(patsubst %,--param asan-%=0,instrument-reads instrument-writes memintrin))
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Isrc -Itests -Itests/core $(ALL_CFLAGS) $(if $(SANITIZE)$(filter test_%,$(@F)),$(TEST_FLAGS)) \
	    -MMD -MP -c -o $@ $<

CLI_TESTS = $(wildcard tests/cli/*.bats)
# Those that build and install the program themselves are about scripts.
ASAN_CLI_TESTS = $(filter-out %/action.bats %/guides.bats %/shop.bats,$(CLI_TESTS))

# What the tests run.
programs: $(BUILD)/heapdrift $(BUILD)/unit-tests $(BUILD)/sweep $(BUILD)/make-heap $(BUILD)/score

test: programs
	$(BUILD)/unit-tests -j2
	$(MAKE) --no-print-directory -j2 test-sweep test-cli

test-sweep: $(BUILD)/sweep
	$(BUILD)/sweep $(SWEEP_FLAGS) fixtures

# One file per job: their tests do one thing after the other.
test-cli: $(BUILD)/heapdrift
	@printf '%s\n' $(CLI_TESTS) | HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" \
	    xargs -P $$(scripts/jobs.sh) -n 1 bats --formatter tap $(BATS_FLAGS)

# Runs a suite with its own target, and counts its tests in the last line: scripts/suite.sh. Each suite installs the
# packages that it needs, so that the order of suites decides about no skip.
SUITE = HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" scripts/suite.sh $@
BATS  = bats --formatter tap $(BATS_FLAGS)

# Without the instructions of one processor: what runs where there is no x86-64.
portable:
	$(MAKE) --no-print-directory -j$$(scripts/jobs.sh) BUILD=build/portable CPPFLAGS=-DHD_PORTABLE \
	    BASELINE= programs
	$(MAKE) --no-print-directory BUILD=build/portable CPPFLAGS=-DHD_PORTABLE BASELINE= test

check-full: check check-core check-neighbours check-live check-page check-digests check-store check-static check-windows round-trips test asan tsan portable tidy-deep analyze check-slurm check-packages check-nuget check-hints faults fuzz
	HEAPDRIFT_FULL=1 $(BUILD)/unit-tests --filter 'collect/*' --timeout 1800
	HEAPDRIFT_FULL=1 HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" bats $(BATS_FLAGS) \
	    tests/cli/completion.bats tests/cli/tree.bats tests/cli/hostile.bats tests/cli/limits.bats

# A part is a unit of work for one processor that says one line, or all when it fails.
PART      = scripts/part.sh $(BUILD)/check
UNIT_TESTS = unit-tests
CLI_PARTS = $(CLI_TESTS:tests/cli/%.bats=part-cli-%)

parts: part-unit part-sweep $(CLI_PARTS)

part-unit: $(BUILD)/$(UNIT_TESTS)
	@$(PART)/unit $< -j2

part-core: $(BUILD)/core/heapdrift
	@$(PART)/core sh -c '$< fixtures/leaklab/cache | grep "^LEAK" && ! $< watch 2>/dev/null'

check-core: part-core $(BUILD)/core/unit-tests
	$(SUITE) -- $(BUILD)/core/unit-tests -j2

part-sweep: $(BUILD)/sweep
	@$(PART)/sweep $< $(SWEEP_FLAGS) fixtures

# Some tests call make, which has nothing to do then.
$(CLI_PARTS): part-cli-%: tests/cli/%.bats $(if $(SANITIZE),,all) $(BUILD)/heapdrift $(BUILD)/make-heap
	@HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" $(PART)/cli-$* bats --formatter tap $(BATS_FLAGS) $<

part-lint: tidied
	@$(PART)/lint $(MAKE) --no-print-directory layers assertions style

# Under ASan again what reads and fails. Left to check-full is what says
# nothing else about memory for being run there: the text of help and reports, conversions
# (the sweep converts what it reads), heaps of which only the size is odd, and what asks the
# same code of many series or rules, or its definition. The sweep's one run is the one that
# sees every bad access.
AGAIN = errors inputs nettrace
PLAIN_ONLY = $(filter $(addprefix %/test_,$(addsuffix .o,bad_sizes bad_random bad_series baseline_scale \
    check_table shapes verdicts histories leak_ranking_fixtures leak_ranking_rules ranking_fixtures \
    series_identity align_hostile align_contents ages dominators_shapes exact_chains retained \
    ownership_tree_definition)),$(TEST_OBJ))

# Every other unit test finds under ASan what it finds without: a plain build runs them in
# make test.
$(BUILD)/unit-tests-large: $(PLAIN_ONLY)
$(BUILD)/unit-tests-small: $(filter-out $(PLAIN_ONLY),$(TEST_OBJ))

# First what takes longest: the others fill up the second processor.
check-parts: check-asan part-unit part-lint part-score part-rounds part-core $(CLI_PARTS)

check-asan:
	@$(MAKE) -k parts part-fuzz $(ASAN_BUILD) SWEEP_FLAGS=--quick UNIT_TESTS=unit-tests-small \
	    CLI_TESTS='$(AGAIN:%=tests/cli/%.bats)'

# A null pointer traps by itself, and is reported as well: to check for it costs a fifth of
# the time to compile, as does whatever -O1 has and -Og has not. Lines are enough to find a
# place.
ASAN_BUILD = SANITIZE='-fsanitize=address,undefined -fno-sanitize=null,object-size \
    -fno-sanitize-recover=all' CFLAGS='-Og -g1 -DXXH_NO_INLINE_HINTS=1'
TSAN_TESTS = threads check inputs convert nettrace collect
TSAN_BUILD = BUILD=build/tsan SANITIZE=-fsanitize=thread CFLAGS='-O1 -g'

asan:
	+@scripts/check.sh $@ 'build/asan/check=under ASan' -- parts part-fuzz $(ASAN_BUILD) \
	    SWEEP_FLAGS=$(SWEEP_FLAGS) CLI_TESTS='$(ASAN_CLI_TESTS)'

# The program, and one that asks the library from several threads: Criterion cannot begin
# under ThreadSanitizer, which leaves no room where Criterion wants its memory. Those files
# have readers and comparisons with several threads.
tsan:
	+@scripts/check.sh $@ 'build/tsan/check=under ThreadSanitizer' -- part-ask \
	    $(TSAN_TESTS:%=part-cli-%) $(TSAN_BUILD)

part-ask: $(BUILD)/ask
	@$(PART)/ask $< fixtures/leaklab/cache

.PHONY: programs check-core test test-sweep test-cli portable check-full parts part-unit part-core part-sweep part-lint part-ask check-parts check-asan \
        $(CLI_PARTS) asan tsan
