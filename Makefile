# heapdrift - see README.md for what it does, docs/architecture.md for how.
#
# Here is what everybody types. The rules of a suite are in its folder (tests/*/NAME.mk), those of
# building, looking and packing in scripts/*.mk. `make help` lists all of them.

#: all           |                    | 2 min    | build/heapdrift, build/lib/libheapdrift.a and .so, manual page (default)
#: demo          | packages           | 3 min    | install what is missing, build, find a leak in a real series
#: check         | packages           | 10 min   | install what the tests need, then run them
#: install       |                    | 1 s      | program, libraries, headers, pkg-config file, manual page and completion
#:                                               under $(DESTDIR)$(PREFIX); BUILD=x: as they were built there
#: uninstall     |                    | 1 s      | remove them
#: clean         |                    | 1 s      | remove build/
#: help          |                    | 1 s      | this list

VERSION  := $(shell sed -n 's/^.define HD_VERSION "\(.*\)"/\1/p' include/heapdrift.h)
PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
# Debian's own packages have share/zsh/vendor-completions.
ZSHDIR   ?= $(PREFIX)/share/zsh/site-functions

.DEFAULT_GOAL := all
include scripts/build.mk

all: $(BUILD)/heapdrift $(LIBRARIES) $(BUILD)/heapdrift.1 $(COMPLETIONS)

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

help:
	@printf '%-16s %-20s %-8s\n' target needs takes
	@sed -n 's/^#: //p' $(MAKEFILE_LIST) | awk -F' *[|] *' \
	    'NF == 4 { printf "%-16s %-20s %-8s %s\n", $$1, $$2, $$3, $$4; next } { sub(/^ */, ""); printf "%46s %s\n", "", $$0 }'

include $(addprefix scripts/,lint.mk static.mk windows.mk package.mk)
# Whoever has the source without the tests builds as well.
include $(wildcard tests/support/*.mk) $(filter-out tests/support/%,$(wildcard tests/*/*.mk))

.PHONY: all demo check install uninstall clean help
-include $(patsubst %.o,%.d,$(LIB_OBJ) $(CLI_OBJ) $(TEST_OBJ) $(SUPPORT_OBJ) $(TOOL_OBJ))
