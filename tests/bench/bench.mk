# Speed and memory: against gates that are ratios, and against another commit of heapdrift.

#: bench         |                    | 20 min   | speed and memory against the gates
#: bench-buffers | .NET SDK           | minutes  | what a snapshot takes of the process
#: bench-compare |                    | 5 min    | BASE=commit: ratios to it, of FILES=... as well
#: bench-official | NuGet             | 3 min    | processor time beside the present dotnet-gcdump

TOOL_SRC += tests/bench/make_heap.c tests/bench/synthetic.c tests/bench/synthetic_trace.c \
            tests/bench/synthetic_stream.c tests/bench/shapes.c tests/bench/press_keys.c \
            tests/bench/bare_stream.c tests/bench/reference.c tests/bench/align_pairs.c tests/bench/buffer_cost.c

$(BUILD)/shapes: $(BUILD)/tests/bench/shapes.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/bare-stream: $(BUILD)/tests/bench/bare_stream.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/press-keys: $(BUILD)/tests/bench/press_keys.o $(TESTED_CLI_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/make-heap: $(BUILD)/tests/bench/make_heap.o $(BUILD)/tests/bench/synthetic.o \
                    $(BUILD)/tests/bench/synthetic_trace.o \
                    $(BUILD)/tests/bench/synthetic_stream.o \
                    $(BUILD)/tests/support/trace_forge.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/reference: $(BUILD)/tests/bench/reference.o $(BUILD)/tests/support/random.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/align-pairs: $(BUILD)/tests/bench/align_pairs.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

$(BUILD)/buffer-cost: $(BUILD)/tests/bench/buffer_cost.o $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

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

# FILES="OLDER NEWER" instead of made heaps.
bench-official: $(BUILD)/heapdrift $(BUILD)/make-heap
	@scripts/install-deps.sh build test
	@tests/peers/tools.sh
	@tests/bench/official.py $(BUILD)

.PHONY: bench bench-buffers bench-compare bench-official
