# The program for Windows. A part of the Makefile.

#: check-windows | wine               | 10 min   | that it says under wine what the program says here, and collects there

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

.PHONY: check-windows
