# Running .NET processes. A part of the Makefile.

#: check-live    | .NET SDK, NuGet    | 36 min   | collect from live .NET processes
#: check-leaks   | .NET SDK, NuGet    | 15 min   | what the ranking finds of leaks of real packages
#: accuracy      | .NET SDK, NuGet    | hours    | the programs of docs/accuracy.md, run and judged
#: live          | .NET SDK           | minutes  | the gate on a running .NET program, LIVE_RUNS times each way

LIVE_RUNS ?= 20
TOOL_SRC += tests/live/list_heap.c

$(BUILD)/list-heap: $(BUILD)/tests/live/list_heap.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

check-live: $(BUILD)/heapdrift $(BUILD)/list-heap
	@scripts/install-deps.sh build test static-test cross windows-test postgresql
	$(SUITE) -- tests/live/shop.sh $(LIVE_RUNS) -- $(BATS) tests/live tests/peers

# Tells how the ranking does; fails where a program does not leak as it should.
check-leaks: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/packages.py

# A table for each source of survivors, and one of all. Three series are recorded side by side, since
# programs sleep for most of a step. Fails after the last set if a program does not leak as it should.
ACCURACY_SETS ?= packages services strangers
accuracy: $(BUILD)/heapdrift
	@status=0; for set in $(ACCURACY_SETS); do \
	    echo "$$set:"; \
	    HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/$$set.py --all-loads --jobs=3 --by=counts,order,events \
	        --misses $(ACCURACY_FLAGS) || status=$$?; \
	done; exit $$status

# A program that leaks and one that does not, built and run here; says so where it cannot.
live: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/shop.sh $(LIVE_RUNS)

.PHONY: check-live check-leaks accuracy live
