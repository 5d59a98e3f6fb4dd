# The program for Windows. A part of the Makefile.
#
#   build/windows/heapdrift.exe         one file, linked statically
#   build/windows/THIRD-PARTY-NOTICES   the licences of what is inside
#   build/windows/packages.tsv          the same as a table: package, version, licence, files
#   build/windows/sysroot/              the libraries, built of Debian's sources
#   build/windows/linked/               what it is made of, and the linker's map
#
#: windows       | mingw-w64          | 3 min    | the program for Windows, build/windows/heapdrift.exe
#
# Nothing of src/ asks which system it is: src/windows/posix has what the C library of Windows
# lacks of POSIX's headers, src/windows what is other there.

WINDOWS = build/windows
MINGW   = x86_64-w64-mingw32-

# Left out is the house fleet, since there is no SQLite in the sysroot, and what reads memory of processes;
# src/windows stands in for these. Of collect/live is left out what is not named here.
WINDOWS_HOUSES = clr collect
WINDOWS_LIVE = collect_writers collector run_folder trigger
WINDOWS_LEFT_OUT = src/fleet/% src/core/cli/explore/terminal.c src/clr/managed/core_names.c src/core/base/hash.c \
    $(filter-out $(WINDOWS_LIVE:%=src/collect/live/%.c),$(wildcard src/collect/live/*.c)) \
    $(addprefix src/collect/,address_space.c clients.c direct.c dump_file.c \
        others.c proc.c process_copy.c read_facts.c target.c thread_freeze.c unix_socket.c) \
    $(addprefix src/core/cli/guard/,memory.c rights.c sandbox.c temporary.c trust.c)
WINDOWS_LIBS = -lprotobuf-c -larchive -llzma -lzstd -lbz2 -lz -lyaml -ljansson -lutf8proc -lpopt

# The stack is as large as on Linux. Warnings are those of Linux's build, but for what other headers
# and a smaller mode_t make of them.
WINDOWS_BUILD = BUILD=$(WINDOWS)/linked CC=$(MINGW)gcc AR=$(MINGW)ar \
    HOUSES='$(WINDOWS_HOUSES)' LIB_SRC='$(filter-out $(WINDOWS_LEFT_OUT),$(LIB_SRC)) src/absent/fleet.c' \
    CLI_SRC='$(filter-out $(WINDOWS_LEFT_OUT),$(CLI_SRC)) src/absent/commands/fleet.c $(wildcard src/windows/*.c)' \
    CPPFLAGS='-Isrc/windows/posix -isystem $(WINDOWS)/sysroot/include -D__USE_MINGW_ANSI_STDIO=1 \
        -D_FILE_OFFSET_BITS=64 -D_WIN32_WINNT=0x0A00 -DLIBARCHIVE_STATIC -DLZMA_API_STATIC \
        -DUTF8PROC_STATIC -DYAML_DECLARE_STATIC -DHD_PORTABLE -DBUILD_NAME=\"heapdrift\ for\ Windows\" -D_POSIX_THREAD_SAFE_FUNCTIONS' \
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

$(WINDOWS)/sysroot: scripts/windows-sysroot.sh
	@scripts/install-deps.sh build windows
	scripts/windows-sysroot.sh $@

.PHONY: windows
