# The program for Windows. A part of the Makefile.
#
#   build/windows/heapdrift.exe         one file, linked statically
#   build/windows/THIRD-PARTY-NOTICES   the licences of what is inside
#   build/windows/packages.tsv          the same as a table: package, version, licence, files
#   build/windows/sysroot/              the libraries, built of Debian's sources
#   build/windows/linked/               what it is made of, and the linker's map
#
# Nothing of src/ asks which system it is: src/windows/posix has what the C library of Windows
# lacks of POSIX's headers, src/windows what is other there.

WINDOWS = build/windows
MINGW   = x86_64-w64-mingw32-

# Left out is what reads memory of processes; the store, since there is no SQLite in the sysroot, with
# the commands that ask for it and what only serves it in cli/live; the others stand in src/windows
# once more. What is added to cli/live is left out until it is named here.
WINDOWS_LIVE = collect_writers collecting run_folder trigger
WINDOWS_LEFT_OUT_COMMANDS := $(shell grep -lE '"(heapdrift_(store|fleet)|cli/live/(open_store|storing))\.h"' src/cli/commands/cmd_*.c)
WINDOWS_LEFT_OUT = src/store/% src/cli/explore/terminal.c src/format/core/core_names.c src/base/hash.c \
    $(WINDOWS_LEFT_OUT_COMMANDS) $(addprefix src/cli/commands/,fleet_pages.c record_follow.c) \
    $(filter-out $(WINDOWS_LIVE:%=src/cli/live/%.c),$(wildcard src/cli/live/*.c)) \
    $(addprefix src/collect/,address_space.c clients.c direct.c dump_file.c \
        others.c proc.c process_copy.c target.c thread_freeze.c unix_socket.c) \
    $(addprefix src/cli/,$(addprefix guard/,landlock.c lost_pages.c memory.c rights.c sandbox.c system_calls.c trust.c) \
        terminal/temporary.c)
WINDOWS_LIBS = -lprotobuf-c -larchive -llzma -lzstd -lbz2 -lz -lyaml -ljansson -lutf8proc -lpopt

# The stack is as large as on Linux. Warnings are those of Linux's build, but for what other headers
# and a smaller mode_t make of them.
WINDOWS_BUILD = BUILD=$(WINDOWS)/linked CC=$(MINGW)gcc AR=$(MINGW)ar \
    LIB_SRC='$(filter-out $(WINDOWS_LEFT_OUT),$(LIB_SRC))' \
    CLI_SRC='$(filter-out $(WINDOWS_LEFT_OUT),$(CLI_SRC)) $(wildcard src/windows/*.c)' \
    CPPFLAGS='-Isrc/windows/posix -isystem $(WINDOWS)/sysroot/include -D__USE_MINGW_ANSI_STDIO=1 \
        -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 -DLIBARCHIVE_STATIC -DLZMA_API_STATIC \
        -DUTF8PROC_STATIC -DYAML_DECLARE_STATIC -DHD_PORTABLE -D_POSIX_THREAD_SAFE_FUNCTIONS' \
    CFLAGS='-std=gnu11 -O2 -g -Wno-pedantic -Wno-format -Wno-attributes -Wno-conversion' HARDENING=-fstack-protector-strong \
    HARDENED_LINK= LIB_LIBS= CLI_LIBS= \
    LDFLAGS='-static -Wl,--wrap=main -Wl,--stack,8388608 -Wl,--no-insert-timestamp -Wl,-Map=$(WINDOWS)/linked/map \
        -L$(WINDOWS)/sysroot/lib'

windows: | $(WINDOWS)/sysroot
	@scripts/install-deps.sh build windows
	+@$(MAKE) --no-print-directory $(WINDOWS_BUILD) $(WINDOWS)/linked/heapdrift.exe
	@# -p: without the time of now in the header
	$(MINGW)objcopy -p --strip-all $(WINDOWS)/linked/heapdrift.exe $(WINDOWS)/heapdrift.exe
	SYSROOT=$(WINDOWS)/sysroot scripts/notices.sh $(WINDOWS)/linked/map $(WINDOWS)/THIRD-PARTY-NOTICES \
	    $(WINDOWS)/packages.tsv $(D3_PARTS)

$(WINDOWS)/linked/heapdrift.exe: $(CLI_OBJ) $(BUILD)/manifest.o $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(WINDOWS_LIBS)

$(WINDOWS)/linked/manifest.o: src/windows/heapdrift.rc src/windows/heapdrift.manifest
	$(MINGW)windres $< $@

# Each command that is left out says so.
$(WINDOWS)/linked/src/windows/left_out.o: $(WINDOWS_LEFT_OUT_COMMANDS)
$(WINDOWS)/linked/src/windows/left_out.%: private override CPPFLAGS += -DLEFT_OUT_COMMANDS='$(foreach \
    name,$(WINDOWS_LEFT_OUT_COMMANDS:src/cli/commands/cmd_%.c=%),LEFT_OUT($(name),ON_$(shell echo $(name) | tr a-z A-Z));)'

$(WINDOWS)/sysroot: scripts/windows-sysroot.sh
	@scripts/install-deps.sh build windows
	scripts/windows-sysroot.sh $@

# By wine, which keeps its files in build/windows/wine: what the plain program says of the same
# files, what is collected of real processes (COLLECTIONS, ROGUES: how many), and those tests of the command line that need nothing of Linux.
WINDOWS_CLI = info diff top roots hints chains ranking cores

check-windows: windows $(WINDOWS)/rogue.exe $(BUILD)/heapdrift $(BUILD)/make-heap
	@scripts/install-deps.sh test windows-test
	$(SUITE) -- $(BATS) tests/windows \
	    -- env HEAPDRIFT="$(CURDIR)/tests/windows/wine.sh" MAKE_HEAP="$(CURDIR)/$(BUILD)/make-heap" $(BATS) $(WINDOWS_CLI:%=tests/cli/%.bats)

# A process that misbehaves where a runtime listens.
$(WINDOWS)/rogue.exe: tests/windows/rogue.c
	@scripts/install-deps.sh build windows
	@mkdir -p $(@D)
	$(MINGW)gcc -O1 -Wall -Wextra -static -o $@ $<

.PHONY: windows check-windows
