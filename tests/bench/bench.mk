# Speed and memory: against gates that are ratios, and against another commit of heapdrift.
TOOL_SRC += tests/bench/reference.c tests/bench/align_pairs.c tests/bench/buffer_cost.c

$(BUILD)/reference: $(BUILD)/tests/bench/reference.o $(BUILD)/tests/support/random.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/align-pairs: $(BUILD)/tests/bench/align_pairs.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/buffer-cost: $(BUILD)/tests/bench/buffer_cost.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

# Of running processes, minutes: no part of bench.
bench-buffers: $(BUILD)/buffer-cost
	@tests/bench/buffers.sh $(BUILD)

bench: $(BUILD)/heapdrift $(BUILD)/make-heap $(BUILD)/reference $(BUILD)/shapes \
       $(BUILD)/press-keys $(BUILD)/bare-stream $(BUILD)/simulate-fleet $(BUILD)/align-pairs
	@scripts/install-deps.sh build test
	status=0; for part in tables graphs identity scale explore cores collecting digests fleet; do \
	    tests/bench/$$part.sh $(BUILD) || status=1; echo; done; exit $$status

# Variables given to make are in the environment: BASE, FILES, BENCH_*.
bench-compare: $(BUILD)/heapdrift $(BUILD)/make-heap
	@scripts/install-deps.sh build test
	@tests/bench/compare.py $(BUILD)

.PHONY: bench bench-buffers bench-compare
