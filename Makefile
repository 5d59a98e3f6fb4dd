# heapdrift - see README.md for what it does, docs/architecture.md for how.
#
#   make              build/heapdrift, build/lib/libheapdrift.a and .so, and the manual page
#   make demo         install what is missing, build, find a leak in a real series
#   make check        install what the tests need, then run every test
#   make install      program, libraries, header, pkg-config file and manual page
#                     under $(DESTDIR)$(PREFIX); BUILD=x: as they were built there
#   make uninstall    remove them
#
#   make test         unit, sweep and command-line tests of a plain build
#   make asan         the same under AddressSanitizer and UBSan
#   make portable     the same in plain C, as on processors that are not x86-64
#   make check-live   collect from live .NET processes; needs the SDK, takes minutes
#   make check-full   check, check-live, and what is too long for check
#   make lint         layers, clang-tidy, formatting, shell scripts
#   make format       let clang-format have its way
#   make fuzz         fuzz the readers for FUZZ_SECONDS
#   make score        the ranking against others on series with known leaks
#   make live         the gate on a running .NET program, LIVE_RUNS times each way
#   make bench        speed and memory against the gates
#   make golden       accept the program's current output as expected

VERSION  := $(shell sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
FUZZ_SECONDS ?= 60
LIVE_RUNS ?= 20

CC       ?= cc
OBJCOPY  ?= objcopy
CFLAGS   ?= -O2 -g
# Every x86-64 processor since 2009 counts bits in one instruction.
BASELINE := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-march=x86-64-v2)
WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
            -Wstrict-prototypes -Wmissing-prototypes -Wvla
ALL_CFLAGS   = -std=c11 -pthread $(BASELINE) $(WARNINGS) $(WERROR) $(CFLAGS) $(SANITIZE)
# One set of objects for programs, archives and the shared library. Hidden symbols are
# called as directly as in a program.
LIB_CFLAGS   = -fPIC -fvisibility=hidden
ALL_CPPFLAGS = -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -Iinclude -Isrc $(CPPFLAGS)
LIB_LIBS  = -larchive -lcyaml -lyaml -ljansson -lutf8proc -lm
CLI_LIBS  = $(LIB_LIBS) -lpopt
TEST_LIBS = $(LIB_LIBS) -lcriterion

BUILD     = build$(if $(SANITIZE),/asan)
LIB_SRC   = $(filter-out src/cli/%,$(wildcard src/*/*.c src/*/*/*.c))
CLI_SRC   = $(wildcard src/cli/*.c)
SUPPORT_SRC = $(wildcard tests/support/*.c)
TEST_SRC  = $(wildcard tests/*/test_*.c tests/*/*/test_*.c)
SCORE_SRC = $(wildcard tests/score/*.c)
TOOL_SRC  = tests/sweep/sweep.c tests/bench/make_heap.c tests/bench/synthetic.c tests/bench/synthetic_trace.c \
            tests/bench/synthetic_stream.c tests/bench/shapes.c \
            $(SCORE_SRC)
LIB_OBJ   = $(LIB_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ   = $(CLI_SRC:%.c=$(BUILD)/%.o)
SUPPORT_OBJ = $(SUPPORT_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ  = $(TEST_SRC:%.c=$(BUILD)/%.o)
TOOL_OBJ  = $(TOOL_SRC:%.c=$(BUILD)/%.o)

SONAME    = libheapdrift.so.0
LIBRARIES = $(BUILD)/lib/libheapdrift.a $(BUILD)/lib/$(SONAME)

all: $(BUILD)/heapdrift $(LIBRARIES) $(BUILD)/heapdrift.1

# Linked against what others get, so that the public functions are enough.
$(BUILD)/heapdrift: $(CLI_OBJ) $(BUILD)/lib/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(CLI_LIBS) $(LDLIBS)

# For tests of what is inside: every symbol. Made afresh, so that a deleted source file
# leaves no member behind.
$(BUILD)/libheapdrift.a: $(LIB_OBJ)
	rm -f $@
	$(AR) rcs $@ $^

# For others: one object, whose symbols are those of the header. Without a pattern that
# says which: what is hidden in the shared library is local here.
$(BUILD)/lib/libheapdrift.a: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -r -nostdlib $(if $(findstring -flto,$(CFLAGS)),-flinker-output=nolto-rel) \
	    -o $(@D)/heapdrift.o $^
	$(OBJCOPY) --localize-hidden $(@D)/heapdrift.o
	rm -f $@
	$(AR) rcs $@ $(@D)/heapdrift.o

$(BUILD)/lib/$(SONAME): $(LIB_OBJ)
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -o $@ $^ \
	    $(LIB_LIBS) $(LDLIBS)

$(BUILD)/unit-tests: $(TEST_OBJ) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

$(BUILD)/sweep: $(BUILD)/tests/sweep/sweep.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/score: $(SCORE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

$(BUILD)/shapes: $(BUILD)/tests/bench/shapes.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/make-heap: $(BUILD)/tests/bench/make_heap.o $(BUILD)/tests/bench/synthetic.o \
                    $(BUILD)/tests/bench/synthetic_trace.o \
                    $(BUILD)/tests/bench/synthetic_stream.o \
                    $(BUILD)/tests/support/trace_forge.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/cli/%.o: src/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

# Other flags, other objects, but for warnings, which change none. What is installed is
# what was built, with whatever flags.
FLAGS = $(CC) $(ALL_CPPFLAGS) $(BASELINE) $(CFLAGS) $(SANITIZE) $(LIB_CFLAGS)
$(BUILD)/flags: $(if $(filter install uninstall,$(MAKECMDGOALS)),,always)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || \
	    printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@

$(BUILD)/heapdrift.1: docs/heapdrift.1.scd include/heapdrift.h
	@mkdir -p $(@D)
	sed 's/@VERSION@/$(VERSION)/' $< | scdoc >$@

# --- for people --------------------------------------------------------------

# Warnings are errors for us, not for who builds it with another compiler.
check check-full asan portable: export WERROR = -Werror

demo:
	@scripts/install-deps.sh build
	@$(MAKE) --no-print-directory -s all
	build/heapdrift fixtures/leaklab/cache

check:
	@scripts/install-deps.sh build test
	$(MAKE) --no-print-directory -j$$(nproc) all programs
	$(MAKE) --no-print-directory lint test score
	$(MAKE) --no-print-directory asan SWEEP_FLAGS=--quick

BIN = $(DESTDIR)$(PREFIX)/bin
LIB = $(DESTDIR)$(LIBDIR)
INCLUDE = $(DESTDIR)$(PREFIX)/include
MAN1 = $(DESTDIR)$(PREFIX)/share/man/man1

install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE) $(MAN1)
	install -m 755 $(BUILD)/heapdrift $(BIN)
	install -m 644 $(LIBRARIES) $(LIB)
	ln -sf $(SONAME) $(LIB)/libheapdrift.so
	install -m 644 include/heapdrift.h $(INCLUDE)
	install -m 644 $(BUILD)/heapdrift.1 $(MAN1)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(LIB_LIBS)|' scripts/heapdrift.pc.in >$(LIB)/pkgconfig/heapdrift.pc

uninstall:
	rm -f $(BIN)/heapdrift $(LIB)/libheapdrift.a $(LIB)/$(SONAME) $(LIB)/libheapdrift.so \
	      $(LIB)/pkgconfig/heapdrift.pc $(INCLUDE)/heapdrift.h $(MAN1)/heapdrift.1

clean:
	rm -rf build

# --- tests ---------------------------------------------------------------------

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

# A file for each processor: their tests do one thing after the other.
test-cli: $(BUILD)/heapdrift
	@printf '%s\n' $(CLI_TESTS) | HEAPDRIFT=$(CURDIR)/$(BUILD)/heapdrift \
	    xargs -P $$(nproc) -n 1 bats --formatter tap $(BATS_FLAGS)

check-live: $(BUILD)/heapdrift live
	HEAPDRIFT=$(CURDIR)/$(BUILD)/heapdrift bats $(BATS_FLAGS) tests/live

# Without the instructions of one processor: what runs where there is no x86-64.
portable:
	$(MAKE) --no-print-directory -j$$(nproc) BUILD=build/portable CPPFLAGS=-DHD_PORTABLE \
	    BASELINE= programs
	$(MAKE) --no-print-directory BUILD=build/portable CPPFLAGS=-DHD_PORTABLE BASELINE= test

check-full: check check-live asan portable
	HEAPDRIFT_FULL=1 $(BUILD)/unit-tests --filter 'collect/*' --timeout 1800

# Criterion passes a test that leaks, so the sanitizers report to files and any file
# is a failure.
ASAN_BUILD = SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' CFLAGS='-O1 -g'

asan:
	@rm -rf build/asan/reports && mkdir -p build/asan/reports
	$(MAKE) --no-print-directory -j$$(nproc) programs $(ASAN_BUILD)
	ASAN_OPTIONS=log_path=$(CURDIR)/build/asan/reports/asan \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/support/lsan.supp:print_suppressions=0 \
	UBSAN_OPTIONS=print_stacktrace=1 \
	$(MAKE) --no-print-directory test $(ASAN_BUILD) SWEEP_FLAGS=$(SWEEP_FLAGS) \
	    CLI_TESTS='$(ASAN_CLI_TESTS)'
	@! cat build/asan/reports/* 2>/dev/null

golden: $(BUILD)/heapdrift
	HEAPDRIFT=$(CURDIR)/$(BUILD)/heapdrift GOLDEN=accept bats tests/cli

# Headed growth beside other rankings on made-up series with known leaks.
score: $(BUILD)/score
	$(BUILD)/score

# A program that leaks and one that does not, built and run here; says so where it cannot.
live: $(BUILD)/heapdrift
	HEAPDRIFT=$(CURDIR)/$(BUILD)/heapdrift tests/live/shop.sh $(LIVE_RUNS)

bench: $(BUILD)/heapdrift $(BUILD)/make-heap $(BUILD)/shapes
	@scripts/install-deps.sh build test
	status=0; for part in tables graphs scale; do \
	    tests/bench/$$part.sh $(BUILD) || status=1; echo; done; exit $$status

# Any format, through the same front door as a real file.
fuzz: tests/fuzz/fuzz_read.c
	@scripts/install-deps.sh build fuzz
	@mkdir -p build/fuzz/corpus
	clang -g -O1 -std=c11 $(ALL_CPPFLAGS) -fsanitize=fuzzer,address,undefined \
	      -fno-sanitize-recover=undefined -Itests \
	      -o build/fuzz/read $< $(LIB_SRC) $(LIB_LIBS)
	build/fuzz/read -max_total_time=$(FUZZ_SECONDS) build/fuzz/corpus fixtures/gcdump-made \
	      fixtures/nettrace-vectors fixtures/heap-text fixtures/dumpheap-stat fixtures/type-tables

# --- looks -----------------------------------------------------------------------

ALL_C = $(LIB_SRC) $(CLI_SRC) $(SUPPORT_SRC) $(TEST_SRC) $(TOOL_SRC) tests/fuzz/fuzz_read.c

lint: layers tidy style

layers:
	scripts/check-layers.sh

# One file per process: clang-tidy 14 invents va_list errors otherwise.
tidy:
	@printf '%s\n' $(LIB_SRC) $(CLI_SRC) | xargs -P $$(nproc) -I {} \
	    clang-tidy --quiet {} -- -std=c11 $(ALL_CPPFLAGS) 2>&1 | \
	    { ! grep -E '(warning|error):' -A 3; }

style:
	@clang-format --dry-run -Werror $(ALL_C) $(wildcard include/*.h src/*/*.h src/*/*/*.h tests/*/*.h)
	shellcheck -x scripts/*.sh tests/bench/*.sh tests/live/*.sh .github/actions/*/*.sh .ci/run
	shellcheck -x tests/cli/*.bats tests/live/*.bats tests/cli/helper.bash tests/live/lab.bash

format:
	clang-format -i $(ALL_C) $(wildcard include/*.h src/*/*.h src/*/*/*.h tests/*/*.h)

.PHONY: always all programs demo check check-live check-full install uninstall clean test test-sweep test-cli asan portable golden score live bench fuzz lint layers tidy style format
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(SUPPORT_OBJ:.o=.d) $(TOOL_OBJ:.o=.d)
