# heapdrift - see README.md for what it does, docs/architecture.md for how.
#
#   make              build/heapdrift, build/lib/libheapdrift.a and .so, and the manual page
#   make demo         install what is missing, build, find a leak in a real series
#   make check        install what the tests need, then run them: under ten minutes
#   make install      program, libraries, header, pkg-config file, manual page and
#                     completion for bash, zsh, fish under $(DESTDIR)$(PREFIX); BUILD=x: as they were built there
#   make uninstall    remove them
#
#   make test         unit, sweep and command-line tests of a plain build
#   make asan         the same under AddressSanitizer and UBSan
#   make tsan         what has several threads under ThreadSanitizer
#   make portable     the same in plain C, as on processors that are not x86-64
#   make check-live   collect from live .NET processes; needs the SDK, takes minutes
#   make check-peers  Microsoft's tools of today and heapdrift read each other's files; needs NuGet, minutes
#   make check-neighbours  what an unprivileged user of a host can do to root's heapdrift; needs root, minutes
#   make check-leaks  what the ranking finds of leaks of real packages; needs NuGet, takes a quarter of an hour
#   make check-fleet  a made-up fleet of 200 hosts and 30 days, whose truth is known; a minute
#   make check-store  the store in a PostgreSQL of its own, and killed writers; minutes
#   make check-slurm  many writers, a real PostgreSQL, a real Slurm; what is in scripts/fleet
#   make check-page   the HTML page in Chromium; a minute or two
#   make check-digests  that digests say what the snapshots say, of every series
#   make static       one file to copy, build/static/x86_64/heapdrift; or ARCH=aarch64
#   make static-all   both, each with its debug information and THIRD-PARTY-NOTICES
#   make check-static that they run in folders with nothing else; aarch64 under qemu
#   make windows      the program for Windows, build/windows/heapdrift.exe, by mingw-w64
#   make check-windows  that it says under wine what the program says here, and collects there
#   make check-full   check, check-live, check-page, and what is too long for check
#   make lint         layers, clang-tidy, formatting, shell scripts, tests that cannot fail
#   make tidy-deep    clang-tidy with the analyser, which takes minutes
#   make analyze      cppcheck and gcc's analyser over src/, which takes minutes
#   make format       let clang-format have its way
#   make fuzz         fuzz all that strangers send, for FUZZ_SECONDS each; fuzz-afl,
#                     fuzz-minimise, fuzz-replay: tests/fuzz/fuzz.mk
#   make round-trips  ROUNDS random snapshots, written in every form and read back
#   make faults       everything that the program asks of its system fails once; an hour
#   make coverage     lines and branches of src/ that the tests run; a quarter of an hour
#   make mutants      MUTANTS changed programs, and which of them the tests notice
#   make score        the ranking against others on series with known leaks
#   make accuracy     the programs of docs/accuracy.md, run and judged; needs NuGet, hours
#   make live         the gate on a running .NET program, LIVE_RUNS times each way
#   make bench        speed and memory against the gates
#   make bench-buffers  what a snapshot takes of the process; needs the SDK, minutes
#   make bench-compare  BASE=commit: ratios to it, of FILES=... as well
#   make check-packages  what follows, built, installed, run, removed
#   make check-nuget  leak tests in xUnit.net, NUnit, MSTest, TUnit, of the package; needs NuGet, minutes
#   make dist         the source archive; the same bytes from everywhere
#   make deb          Debian's packages
#   make nuget        the .NET tool and the library for tests, of the static programs; also:
#                     sbom, container
#   make release      all of it, VERSION=x.y.z, with checksums
#   make gallery      the pictures of docs/gallery anew
#   make golden       accept the program's current output as expected

VERSION  := $(shell sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
# Debian's own packages have share/zsh/vendor-completions.
ZSHDIR   ?= $(PREFIX)/share/zsh/site-functions
LIVE_RUNS ?= 20

CC       ?= cc
OBJCOPY  ?= objcopy
CFLAGS   ?= -O2 -g
# Every x86-64 processor since 2009 counts bits in one instruction. The compiler may be
# missing until a recipe installs it; that recipe starts another make to build.
X86_64   := $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null))
BASELINE := $(if $(X86_64),-march=x86-64-v2)
WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
            -Wstrict-prototypes -Wmissing-prototypes -Wvla
# Files from strangers: what a mistake lets them write over is found, or cannot be used. Of
# what the C library checks something is seen by optimised code only, and sanitizers see
# more. HARDENING= and HARDENED_LINK= build without.
HARDENING ?= -fPIE -fstack-protector-strong -fstack-clash-protection \
    $(if $(X86_64),-fcf-protection) \
    $(if $(SANITIZE),,$(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3))
HARDENED_LINK ?= -Wl,-z,relro,-z,now,-z,noexecstack,-z,separate-code
# A program that is linked statically says so itself.
PIE = $(if $(filter -static%,$(LDFLAGS)),,$(if $(HARDENED_LINK),-pie))
ALL_LDFLAGS  = $(HARDENED_LINK) $(LDFLAGS)
ALL_CFLAGS   = -std=c11 -pthread $(BASELINE) $(WARNINGS) $(WERROR) $(HARDENING) $(CFLAGS) $(SANITIZE)
# One set of objects for programs, archives and the shared library. Hidden symbols are
# called as directly as in a program.
LIB_CFLAGS   = -fPIC -fvisibility=hidden $(COUNT)
ALL_CPPFLAGS = -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -Iinclude -Isrc $(CPPFLAGS)
LIB_LIBS  = -lprotobuf-c -larchive -lzstd -lyaml -ljansson -lutf8proc -lsqlite3 -lm
CLI_LIBS  = $(LIB_LIBS) -lpopt -lncursesw -ltinfo -lseccomp
TEST_LIBS = $(LIB_LIBS) -lcriterion

BUILD     = build$(if $(SANITIZE),/asan)
# What protoc-c makes of the format of pprof.
PROFILE   = $(BUILD)/made/profile.pb-c.c
LIB_SRC   = $(filter-out src/cli/% src/windows/%,$(wildcard src/*/*.c src/*/*/*.c))
CLI_SRC   = $(wildcard src/cli/*.c src/cli/*/*.c)
SUPPORT_SRC = $(filter-out %/failing.c %/run_tests.c,$(wildcard tests/support/*.c))
TEST_SRC  = $(wildcard tests/*/test_*.c tests/*/*/test_*.c)
SCORE_SRC = $(wildcard tests/score/*.c)
TOOL_SRC  = tests/sweep/sweep.c tests/bench/make_heap.c tests/bench/synthetic.c tests/bench/synthetic_trace.c \
            tests/bench/synthetic_stream.c tests/bench/shapes.c tests/bench/press_keys.c \
            tests/bench/bare_stream.c \
            tests/threads/ask.c tests/live/list_heap.c $(wildcard tests/fuzz/*.c) \
            $(SCORE_SRC)
PAGE_OBJ  = $(BUILD)/src/render/page/bytes.o
HINTS_OBJ = $(BUILD)/src/document/hints.o
LIB_OBJ   = $(LIB_SRC:%.c=$(BUILD)/%.o) $(PROFILE:.c=.o) $(PAGE_OBJ) $(HINTS_OBJ)
CLI_OBJ   = $(CLI_SRC:%.c=$(BUILD)/%.o)
SUPPORT_OBJ = $(SUPPORT_SRC:%.c=$(BUILD)/%.o)
TEST_OBJ  = $(TEST_SRC:%.c=$(BUILD)/%.o)
# What of the program is tested without it.
TESTED_CLI_OBJ = $(addprefix $(BUILD)/src/cli/guard/,memory.o allocate.o trust.o) $(BUILD)/src/cli/terminal/exit_hook.o \
                 $(BUILD)/src/cli/terminal/temporary.o $(addprefix $(BUILD)/src/cli/live/,run_facts.o run_folder.o trigger.o metrics.o watched.o waiting.o) \
                 $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/terminal.c,$(wildcard src/cli/explore/*.c)))
TOOL_OBJ  = $(TOOL_SRC:%.c=$(BUILD)/%.o)

SONAME    = libheapdrift.so.0
LIBRARIES = $(BUILD)/lib/libheapdrift.a $(BUILD)/lib/$(SONAME)

COMPLETIONS = $(addprefix $(BUILD)/completion/,heapdrift.bash _heapdrift heapdrift.fish)

all: $(BUILD)/heapdrift $(LIBRARIES) $(BUILD)/heapdrift.1 $(COMPLETIONS)

# Linked against what others get, so that the public functions are enough.
$(BUILD)/heapdrift: $(CLI_OBJ) $(BUILD)/lib/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(CLI_LIBS) $(LDLIBS)

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
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,-z,defs -o $@ $^ \
	    $(LIB_LIBS) $(LDLIBS)

# Without Criterion's library: who runs them is one of us.
$(BUILD)/unit-tests $(BUILD)/unit-tests-large $(BUILD)/unit-tests-small: \
        $(BUILD)/tests/support/run_tests.o $(SUPPORT_OBJ) $(TESTED_CLI_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) \
	    $(LIB_LIBS) $(LDLIBS)

$(BUILD)/unit-tests: $(TEST_OBJ)

# Their tests replace functions that they call, of the watcher and of the sandbox.
$(BUILD)/unit-tests $(BUILD)/unit-tests-small: \
        $(addprefix $(BUILD)/src/cli/,guard/rights.o live/triggering.o live/metrics_server.o terminal/clock.o terminal/messages.o)

$(BUILD)/sweep: $(BUILD)/tests/sweep/sweep.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/score: $(SCORE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

$(BUILD)/ask: $(BUILD)/tests/threads/ask.o $(BUILD)/lib/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/list-heap: $(BUILD)/tests/live/list_heap.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/shapes: $(BUILD)/tests/bench/shapes.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/bare-stream: $(BUILD)/tests/bench/bare_stream.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/press-keys: $(BUILD)/tests/bench/press_keys.o $(TESTED_CLI_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

$(BUILD)/make-heap: $(BUILD)/tests/bench/make_heap.o $(BUILD)/tests/bench/synthetic.o \
                    $(BUILD)/tests/bench/synthetic_trace.o \
                    $(BUILD)/tests/bench/synthetic_stream.o \
                    $(BUILD)/tests/support/trace_forge.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(LIB_LIBS) $(LDLIBS)

# A test takes longer to compile than to run: what it tests is optimised, not the test. Of a
# sanitizer its variables have what surrounds them, so that what it tests cannot leave them;
# what it does itself is not looked at.
TEST_FLAGS = -O0 -U_FORTIFY_SOURCE $(if $(SANITIZE),-fno-sanitize=undefined \
    $(patsubst %,--param asan-%=0,instrument-reads instrument-writes memintrin))
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) -Itests $(ALL_CFLAGS) $(if $(SANITIZE)$(filter test_%,$(@F)),$(TEST_FLAGS)) \
	    -MMD -MP -c -o $@ $<

$(BUILD)/src/cli/%.o: src/cli/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(COUNT) -MMD -MP -c -o $@ $<

$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

# protoc-c of Debian 13 warns that it is deprecated; Debian 12 has no replacement.
$(PROFILE): src/render/profile.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $< 2>$@.log || { cat $@.log >&2; exit 1; }

$(PROFILE:.c=.o): $(PROFILE) $(BUILD)/flags
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIB_CFLAGS) -w -c -o $@ $<

$(BUILD)/src/render/write_pprof.o: $(PROFILE)
$(BUILD)/src/render/write_pprof.%: private override CPPFLAGS += -I$(BUILD)/made

# What the browser takes for the description of a terminal where there is none: in the form
# that curses takes from the environment, and longer than a C string may be.
TERMINAL = $(BUILD)/made/cli/explore/terminal_description.h
$(TERMINAL):
	@mkdir -p $(@D)
	{ echo 'static const char terminal_described[] = "xterm";'; \
	  echo 'static const char terminal_description[] = {'; \
	  infocmp -x -q -Q2 xterm | tr -d '\n' | od -An -v -td1 | sed 's/[0-9][0-9]*/&,/g'; \
	  echo '0};'; } >$@.new
	mv $@.new $@

# SQL of a store, in the same form.
STORE_SQL = $(BUILD)/made/store/schema_sql.h $(BUILD)/made/store/roles_sql.h
$(STORE_SQL): $(BUILD)/made/store/%_sql.h: src/store/%.sql
	@mkdir -p $(@D)
	{ echo 'static const char $*_sql[] = {'; od -An -v -td1 $< | sed 's/[0-9][0-9]*/&,/g'; \
	  echo '0};'; } >$@.new
	mv $@.new $@

$(BUILD)/src/store/schema.o $(BUILD)/src/store/roles.o: $(STORE_SQL)
$(BUILD)/src/store/schema.% $(BUILD)/src/store/roles.%: private override CPPFLAGS += -I$(BUILD)/made

$(BUILD)/src/cli/explore/terminal.o: $(TERMINAL)
$(BUILD)/src/cli/explore/terminal.%: private override CPPFLAGS += -I$(BUILD)/made

# The HTML page: style and script as the assembler takes them in, and a policy that has their
# hashes. Of D3 what page.js uses, in the order in which one needs the other.
D3        ?= /usr/share/nodejs
D3_PARTS   = array collection color interpolate format time time-format scale path shape hierarchy
PAGE       = $(BUILD)/page

$(PAGE)/policy: scripts/page.sh $(wildcard src/render/page/*.css src/render/page/*.js) \
                $(wildcard $(D3_PARTS:%=$(D3)/d3-%/dist/d3-%.min.js))
	scripts/page.sh $(PAGE) $(D3) $(D3_PARTS)

$(PAGE_OBJ): $(PAGE)/policy
$(PAGE_OBJ): private override CPPFLAGS += -DPAGE_STYLE='"$(PAGE)/page.css"' \
    -DPAGE_SCRIPT='"$(PAGE)/page.js"' -DPAGE_POLICY='"$(PAGE)/policy"'

# What is said of hints in a report and in help is what stands in the documentation.
$(HINTS_OBJ): docs/hints.md
$(HINTS_OBJ): private override CPPFLAGS += -DHINTS='"docs/hints.md"'

$(PAGE_OBJ) $(HINTS_OBJ): $(BUILD)/%.o: %.S src/base/embed.inc $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(filter -m% -fcf-protection%,$(ALL_CFLAGS)) $(CPPFLAGS) -Isrc -c -o $@ $<

# Other flags, other objects, but for warnings, which change none. What is installed is
# what was built, with whatever flags.
FLAGS = $(CC) $(ALL_CPPFLAGS) $(BASELINE) $(HARDENING) $(CFLAGS) $(SANITIZE) $(LIB_CFLAGS)
$(BUILD)/flags: $(if $(filter install uninstall,$(MAKECMDGOALS)),,always)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS))' | cmp -s - $@ || \
	    printf '%s\n' '$(subst ','\'',$(FLAGS))' >$@

# The heads of its options are those of the program's help.
$(BUILD)/heapdrift.1: docs/heapdrift.1.scd scripts/manual.sh $(BUILD)/heapdrift
	@mkdir -p $(@D)
	scripts/manual.sh $(BUILD)/heapdrift $< >$@.scd
	sed 's/@VERSION@/$(VERSION)/' $@.scd | scdoc >$@

# The program writes them of its own lists.
$(BUILD)/completion/heapdrift.bash: SHELL_NAME = bash
$(BUILD)/completion/_heapdrift: SHELL_NAME = zsh
$(BUILD)/completion/heapdrift.fish: SHELL_NAME = fish
$(COMPLETIONS): $(BUILD)/heapdrift
	@mkdir -p $(@D)
	$< completion $(SHELL_NAME) >$@.new
	mv $@.new $@

# --- for people --------------------------------------------------------------

# Warnings are errors for us, not for who builds it with another compiler.
check check-full asan portable: export WERROR = -Werror

demo:
	@scripts/install-deps.sh build
	@scripts/build.sh $(MAKE)
	build/heapdrift fixtures/leaklab/cache

check:
	@scripts/install-deps.sh build test
	+@scripts/check.sh $@ build/check 'build/asan/check=under ASan' -- check-parts \
	    UNIT_TESTS=unit-tests-large

BIN = $(DESTDIR)$(PREFIX)/bin
LIB = $(DESTDIR)$(LIBDIR)
INCLUDE = $(DESTDIR)$(PREFIX)/include
MAN1 = $(DESTDIR)$(PREFIX)/share/man/man1
BASH_WORDS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_WORDS = $(DESTDIR)$(ZSHDIR)
FISH_WORDS = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: all
	install -d $(BIN) $(LIB)/pkgconfig $(INCLUDE) $(MAN1) \
	    $(BASH_WORDS) $(ZSH_WORDS) $(FISH_WORDS)
	install -m 755 $(BUILD)/heapdrift $(BIN)
	install -m 644 $(LIBRARIES) $(LIB)
	ln -sf $(SONAME) $(LIB)/libheapdrift.so
	install -m 644 $(wildcard include/*.h) $(INCLUDE)
	install -m 644 $(BUILD)/heapdrift.1 $(MAN1)
	install -m 644 $(BUILD)/completion/heapdrift.bash $(BASH_WORDS)/heapdrift
	install -m 644 $(BUILD)/completion/_heapdrift $(ZSH_WORDS)
	install -m 644 $(BUILD)/completion/heapdrift.fish $(FISH_WORDS)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
	    -e 's|@LIBS@|$(LIB_LIBS)|' scripts/heapdrift.pc.in >$(LIB)/pkgconfig/heapdrift.pc

uninstall:
	rm -f $(BIN)/heapdrift $(LIB)/libheapdrift.a $(LIB)/$(SONAME) $(LIB)/libheapdrift.so \
	      $(LIB)/pkgconfig/heapdrift.pc $(INCLUDE)/heapdrift.h \
	      $(INCLUDE)/heapdrift_model.h $(INCLUDE)/heapdrift_objects.h \
	      $(INCLUDE)/heapdrift_store.h $(INCLUDE)/heapdrift_fleet.h $(MAN1)/heapdrift.1 \
	      $(BASH_WORDS)/heapdrift $(ZSH_WORDS)/_heapdrift $(FISH_WORDS)/heapdrift.fish

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

# One file per job: their tests do one thing after the other.
test-cli: $(BUILD)/heapdrift
	@printf '%s\n' $(CLI_TESTS) | HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" \
	    xargs -P $$(scripts/jobs.sh) -n 1 bats --formatter tap $(BATS_FLAGS)

# Runs a suite with its own target, and counts its tests in the last line: scripts/suite.sh. Each suite installs the
# packages that it needs, so that the order of suites decides about no skip.
SUITE = HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" scripts/suite.sh $@
BATS  = bats --formatter tap $(BATS_FLAGS)

check-live: $(BUILD)/heapdrift $(BUILD)/list-heap
	@scripts/install-deps.sh build test static-test cross windows-test postgresql
	$(SUITE) -- tests/live/shop.sh $(LIVE_RUNS) -- $(BATS) tests/live tests/peers

check-peers: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test
	$(SUITE) -- $(BATS) tests/peers

check-neighbours: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test faults
	$(SUITE) -- $(BATS) tests/neighbours

# Tells how the ranking does; fails where a program does not leak as it should.
check-leaks: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/packages.py

# One table for each source of what survived, and one of all.
accuracy: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/packages.py --all-loads --by=counts,order,events $(ACCURACY_FLAGS)
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/services.py --all-loads --by=counts,order,events $(ACCURACY_FLAGS)

# Without the instructions of one processor: what runs where there is no x86-64.
portable:
	$(MAKE) --no-print-directory -j$$(scripts/jobs.sh) BUILD=build/portable CPPFLAGS=-DHD_PORTABLE \
	    BASELINE= programs
	$(MAKE) --no-print-directory BUILD=build/portable CPPFLAGS=-DHD_PORTABLE BASELINE= test

AXE = $(CURDIR)/build/page-tests/node_modules/axe-core/axe.min.js
check-page: $(BUILD)/heapdrift $(AXE)
	@scripts/install-deps.sh page
	$(SUITE) -- env AXE=$(AXE) python3 tests/page/test_page.py

# Where npm has no network its test is left out, and says so.
$(AXE):
	@scripts/install-deps.sh page
	-@mkdir -p build/page-tests && cd build/page-tests && \
	    npm install --silent --no-audit --no-fund --no-save axe-core@4

gallery: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" scripts/gallery.sh docs/gallery

check-full: check check-neighbours check-live check-page check-digests check-store check-static check-windows round-trips test asan tsan portable tidy-deep analyze check-slurm check-packages check-nuget faults fuzz
	HEAPDRIFT_FULL=1 $(BUILD)/unit-tests --filter 'collect/*' --timeout 1800
	HEAPDRIFT_FULL=1 HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" bats $(BATS_FLAGS) \
	    tests/cli/completion.bats tests/cli/tree.bats tests/cli/hostile.bats tests/cli/limits.bats

# --- parts, to run side by side -----------------------------------------------------

# A part is a unit of work for one processor that says one line, or all when it fails.
PART      = scripts/part.sh $(BUILD)/check
UNIT_TESTS = unit-tests
CLI_PARTS = $(CLI_TESTS:tests/cli/%.bats=part-cli-%)

parts: part-unit part-sweep $(CLI_PARTS)

part-unit: $(BUILD)/$(UNIT_TESTS)
	@$(PART)/unit $< -j2

part-sweep: $(BUILD)/sweep
	@$(PART)/sweep $< $(SWEEP_FLAGS) fixtures

# Some tests call make, which has nothing to do then.
$(CLI_PARTS): part-cli-%: tests/cli/%.bats $(if $(SANITIZE),,all) $(BUILD)/heapdrift $(BUILD)/make-heap
	@HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" $(PART)/cli-$* bats --formatter tap $(BATS_FLAGS) $<

part-score: $(BUILD)/score
	@$(PART)/score $<

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
check-parts: check-asan part-unit part-lint part-score part-rounds $(CLI_PARTS)

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

golden: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" GOLDEN=accept bats tests/cli

# Headed growth beside other rankings on made-up series with known leaks.
score: $(BUILD)/score
	$(BUILD)/score

# A program that leaks and one that does not, built and run here; says so where it cannot.
live: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/live/shop.sh $(LIVE_RUNS)

# Digests of every series against the snapshots that they are of; two minutes.
check-digests: $(BUILD)/heapdrift
	@scripts/install-deps.sh build test
	$(SUITE) -- python3 tests/cli/equal_digests.py $< $(wildcard fixtures/services/*/*) fixtures/followed \
	    $(filter-out %/expected %/nettrace %/odd,$(wildcard fixtures/leaklab/* fixtures/leaklab2/*))

# Benchmarks, coverage, faults, fuzzing, mutants, round trips. Whoever has the source without the tests
# builds as well.
include $(wildcard tests/*/*.mk)

# --- looks -----------------------------------------------------------------------

ALL_C = $(LIB_SRC) $(CLI_SRC) $(wildcard src/windows/*.c) $(SUPPORT_SRC) $(TEST_SRC) $(TOOL_SRC) $(ROUNDS_SRC) tests/support/failing.c tests/support/run_tests.c

lint: layers assertions tidy style

layers:
	scripts/check-layers.sh

# Finds assertions that can never fail a test.
assertions:
	scripts/assertions.py $(wildcard tests/*/*.bats tests/*/*.bash tests/*/*.sh scripts/*.sh scripts/*/*.sh) .ci/run

# A file is looked at again when its object is made again, so when it or a header changed;
# those of a folder together, as half of the time goes by before clang-tidy has begun. For
# check-full are the analyser, which takes 13 of 14 seconds, and of the last one a half for
# names that are reserved or look like others, and for what is not in C.
TIDY_OPTIONS = -std=c11 $(ALL_CPPFLAGS) -I$(BUILD)/made
LOOKED_AT = $(LIB_SRC) $(CLI_SRC)
LOOKED_FOLDERS = $(sort $(patsubst %/,%,$(dir $(LOOKED_AT))))
TIDY_LATER = clang-analyzer-* bugprone-reserved-identifier misc-misleading-identifier \
    misc-unused-using-decls bugprone-dangling-handle bugprone-sizeof-container

tidied: $(LOOKED_FOLDERS:%=$(BUILD)/%/tidy)
tidied-deep: $(LOOKED_AT:%.c=$(BUILD)/%.tidy-deep)

$(foreach folder,$(LOOKED_FOLDERS),$(eval $(BUILD)/$(folder)/tidy: \
    $(patsubst %.c,$(BUILD)/%.o,$(filter $(wildcard $(folder)/*.c),$(LOOKED_AT)))))
$(BUILD)/src/%/tidy: .clang-tidy
	@CHECKS=$$(printf -- ',-%s' $(TIDY_LATER:%='%')) scripts/tidy.sh $@ \
	    $(patsubst $(BUILD)/%.o,%.c,$(filter %.o,$(if $(filter .clang-tidy,$?),$^,$?))) -- $(TIDY_OPTIONS)

$(BUILD)/src/%.tidy-deep: src/%.c $(BUILD)/src/%.o .clang-tidy
	@scripts/tidy.sh $@ $< -- $(TIDY_OPTIONS)

tidy:
	@$(MAKE) --no-print-directory -s -k -j$$(scripts/jobs.sh) tidied

tidy-deep:
	@$(MAKE) --no-print-directory -s -k -j$$(scripts/jobs.sh) tidied-deep

# Every finding is an error. What is suppressed, and why: scripts/cppcheck.txt, scripts/analyzer.txt.
ANALYZED = $(LIB_SRC:%.c=$(BUILD)/%.analyzed) $(CLI_SRC:%.c=$(BUILD)/%.analyzed)

$(BUILD)/src/%.analyzed: src/%.c $(BUILD)/src/%.o scripts/analyzer.txt
	@gcc -std=c11 -O1 $(ALL_CPPFLAGS) -I$(BUILD)/made -fanalyzer -Werror \
	    $$(sed -n 's|^$< ||p' scripts/analyzer.txt) -c -o /dev/null $<
	@touch $@

analyzed: $(ANALYZED)

analyze:
	@scripts/install-deps.sh build analyze
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    -j $$(scripts/jobs.sh) -D__linux__ -D__x86_64__ --suppressions-list=scripts/cppcheck.txt \
	    -Iinclude -Isrc src
	@$(MAKE) --no-print-directory -s -k -j$$(scripts/jobs.sh) analyzed

# The layout depends on the version of clang-format, the findings on that of clang-tidy (scripts/tidy.sh):
# version 14, of Debian 12, decides.
style:
	@if clang-format --version | grep -q 'version 14\.'; then \
	    clang-format --dry-run -Werror $(ALL_C) $(wildcard include/*.h src/*/*.h src/*/*/*.h src/windows/posix/sys/*.h tests/*/*.h tests/*/*/*.h docs/examples/*); \
	else echo "note: layout and findings of clang-tidy are not checked: that takes version 14, here is $$(clang-format --version)"; fi
	shellcheck -x scripts/*.sh tests/mutants/*.sh tests/bench/*.sh tests/store/*.sh tests/fuzz/*.sh tests/live/*.sh tests/fleet/*.sh scripts/fleet/*.sh scripts/fleet/slurm/* .github/actions/*/*.sh .ci/run
	shellcheck -x tests/cli/*.bats tests/store/*.bats tests/fleet/*.bats tests/live/*.bats tests/packages/*.bats tests/nuget/*.bats tests/neighbours/*.bats tests/peers/*.bats tests/peers/*.sh tests/static/*.bats tests/static/*.sh tests/windows/*.bats tests/windows/*.sh tests/cli/helper.bash tests/live/lab.bash tests/neighbours/neighbours.bash tests/nuget/packages.bash

format:
	clang-format -i $(ALL_C) $(wildcard include/*.h src/*/*.h src/*/*/*.h src/windows/posix/sys/*.h tests/*/*.h tests/*/*/*.h docs/examples/*)

include scripts/static.mk
include scripts/windows.mk
include scripts/package.mk

.PHONY: always all programs demo check check-digests accuracy check-leaks check-live check-neighbours check-peers check-page check-full gallery install uninstall clean test \
        test-sweep test-cli parts part-unit part-sweep part-score part-lint check-parts check-asan \
        $(CLI_PARTS) asan tsan portable golden score live lint layers assertions tidy tidied \
        tidy-deep tidied-deep analyze analyzed style format
-include $(LIB_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(TEST_OBJ:.o=.d) $(SUPPORT_OBJ:.o=.d) $(TOOL_OBJ:.o=.d)
