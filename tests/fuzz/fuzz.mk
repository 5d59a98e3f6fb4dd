# Fuzzing: what strangers send is tried out. docs/testing.md says what came of it.

#: fuzz          | clang              | 20 min   | each harness for FUZZ_SECONDS; HARNESS=gcdump only that one
#: fuzz-afl      | AFL++              | 20 min   | the same by AFL++
#: fuzz-minimise | clang              | minutes  | put what was learned into fixtures/fuzz
#: fuzz-replay   |                    | 1 min    | run all of fixtures/fuzz once, under ASan and UBSan

FUZZ_SECONDS ?= 60
FUZZ_HARNESSES = gcdump nettrace core types symbols text table digest delta store packed session budget baseline options peer movement writers
HARNESS ?= $(FUZZ_HARNESSES)

# The program without its main(), and what the harnesses share.
FUZZ_SHARED_SRC = $(filter-out tests/fuzz/engine.c tests/fuzz/replay.c tests/fuzz/mutate%.c \
                  tests/fuzz/seeds.c tests/fuzz/type_seeds.c,$(wildcard tests/fuzz/*.c))
FUZZ_OBJ  = $(FUZZ_SHARED_SRC:%.c=$(BUILD)/%.o) $(BUILD)/tests/support/gcdump_bytes.o \
            $(BUILD)/tests/support/forge_clr.o \
            $(filter-out %/main.o,$(CLI_OBJ)) $(BUILD)/libheapdrift.a
# What stands in the place of who finds processes: tests/fuzz/peer.c.
FUZZ_WRAPPED = target_at_socket target_connect origin_of clients_find dump_file_open
FUZZ_LINK = $(FUZZ_WRAPPED:%=-Wl,--wrap=%) $(CLI_LIBS) $(LDLIBS)

# Harnesses are not what is tried out: they take no part in what is covered, and are fast.
$(BUILD)/tests/fuzz/%.o: tests/fuzz/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Isrc -Itests -Itests/core $(ALL_CFLAGS) -O2 $(if $(SANITIZE),-fno-sanitize=all -DMETER_HAS_HOOKS) \
	    -MMD -MP -c -o $@ $<

# libFuzzer learns from comparisons, where numbers and words of an input are looked at. To
# note them takes a third of the time.
ifneq ($(findstring fuzzer,$(SANITIZE)),)
FUZZ_PLAIN = collect $(addprefix core/,browse compare heap report)
$(foreach folder,$(FUZZ_PLAIN),$(BUILD)/src/$(folder)/%.o): private CPPFLAGS += -fno-sanitize-coverage=trace-cmp
$(patsubst %,$(BUILD)/src/core/base/%.o,alloc arena arrays hash json out text workers): \
    private CPPFLAGS += -fno-sanitize-coverage=trace-cmp
endif

$(BUILD)/fuzz-all: $(BUILD)/tests/fuzz/engine.o $(FUZZ_MUTATE) $(FUZZ_OBJ)
	$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(FUZZ_LINK)

$(BUILD)/fuzz-replay: $(BUILD)/tests/fuzz/replay.o $(FUZZ_OBJ)
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(FUZZ_LINK)

$(BUILD)/fuzz-seeds: $(addprefix $(BUILD)/tests/,fuzz/seeds.o fuzz/type_seeds.o support/forge_core.o support/forge_minidump.o \
                     support/forge_aot.o support/forge_clr.o support/forge_metadata.o support/trace_forge.o) $(BUILD)/libheapdrift.a
	$(LINK) $(LIB_LIBS) $(LDLIBS)

# One program has all harnesses, and is told by its name which it is.
FUZZ_BUILD = BUILD=build/fuzz CC=clang CFLAGS='-O1 -g' HARDENING= HARDENED_LINK= \
    FUZZ_MUTATE='$(patsubst %.c,build/fuzz/%.o,$(wildcard tests/fuzz/mutate*.c))' \
    SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'
# By name only: no mutators of ours, which are libFuzzer's.
AFL_BUILD = BUILD=build/afl CC=afl-clang-fast CFLAGS='-O1 -g' HARDENING= HARDENED_LINK= FUZZ_MUTATE= \
    SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=undefined'

fuzz-program: $(BUILD)/fuzz-seeds $(BUILD)/heapdrift
	@scripts/install-deps.sh build fuzz
	@$(MAKE) --no-print-directory $(FUZZ_BUILD) build/fuzz/fuzz-all

fuzz: fuzz-program
	@for harness in $(HARNESS); do \
	    tests/fuzz/run.sh libfuzzer $$harness $(FUZZ_SECONDS) || exit 1; \
	done

fuzz-afl: $(BUILD)/fuzz-seeds
	@scripts/install-deps.sh build fuzz
	@$(MAKE) --no-print-directory $(AFL_BUILD) build/afl/fuzz-all
	@for harness in $(HARNESS); do \
	    tests/fuzz/run.sh afl $$harness $(FUZZ_SECONDS) || exit 1; \
	done

fuzz-minimise: fuzz-program
	@for harness in $(HARNESS); do tests/fuzz/minimise.sh $$harness || exit 1; done

fuzz-replay:
	@$(MAKE) --no-print-directory $(ASAN_BUILD) build/asan/fuzz-replay
	build/asan/fuzz-replay fixtures/fuzz

part-fuzz: $(BUILD)/fuzz-replay
	@$(PART)/fuzz $< fixtures/fuzz

.PHONY: fuzz fuzz-afl fuzz-program fuzz-minimise fuzz-replay part-fuzz
