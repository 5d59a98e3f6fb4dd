# How the program and the libraries are built. A part of the Makefile.

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
ALL_CPPFLAGS = -D_XOPEN_SOURCE=700 -D_DEFAULT_SOURCE -Iinclude -Isrc/core $(CPPFLAGS)
LIB_LIBS  = -lprotobuf-c -larchive -lzstd -lyaml -ljansson -lutf8proc -lsqlite3 -lm
CLI_LIBS  = $(LIB_LIBS) -lpopt -lncursesw -ltinfo -lseccomp
TEST_LIBS = $(LIB_LIBS) -lcriterion

BUILD     = build$(if $(SANITIZE),/asan)
# What protoc-c makes of the format of pprof.
PROFILE   = $(BUILD)/made/profile.pb-c.c
# Houses: core builds and works without the others (docs/architecture.md). Files of core include
# each other by room, those of the others by house. Folders of the program see public headers only.
HOUSES   ?= clr collect fleet
PROGRAM   = cli/% commands/% live/% agent/%
HOUSE_SRC = $(foreach house,core $(HOUSES),$(wildcard $(patsubst %,src/$(house)/%,*.c */*.c */*/*.c)))
# A file stands for each house that is left out.
ABSENT    = $(filter-out $(HOUSES),clr collect fleet)
HOUSE_SRC += $(wildcard $(ABSENT:%=src/absent/%.c) $(ABSENT:%=src/absent/commands/%.c))
CLI_SRC   = $(filter $(foreach house,core absent $(HOUSES),$(PROGRAM:%=src/$(house)/%)),$(HOUSE_SRC))
LIB_SRC   = $(filter-out $(CLI_SRC),$(HOUSE_SRC))
PAGE_OBJ  = $(BUILD)/src/core/render/page/bytes.o
HINTS_OBJ = $(BUILD)/src/core/document/hints.o
LIB_OBJ   = $(LIB_SRC:%.c=$(BUILD)/%.o) $(PROFILE:.c=.o) $(PAGE_OBJ) $(HINTS_OBJ)
CLI_OBJ   = $(CLI_SRC:%.c=$(BUILD)/%.o)

SONAME    = libheapdrift.so.0
LIBRARIES = $(BUILD)/lib/libheapdrift.a $(BUILD)/lib/$(SONAME)
COMPLETIONS = $(addprefix $(BUILD)/completion/,heapdrift.bash _heapdrift heapdrift.fish)

# A program of ours that is not handed out.
LINK = $(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^

# Linked against what others get, so that the public functions are enough.
$(BUILD)/heapdrift: $(CLI_OBJ) $(BUILD)/lib/libheapdrift.a
	$(LINK) $(CLI_LIBS) $(LDLIBS)

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

$(CLI_OBJ): private LIB_CFLAGS = $(COUNT)

$(BUILD)/src/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CPPFLAGS) $(if $(filter core/%,$*),,-Isrc) $(ALL_CFLAGS) $(LIB_CFLAGS) -MMD -MP -c -o $@ $<

# protoc-c of Debian 13 warns that it is deprecated; Debian 12 has no replacement.
$(PROFILE): src/core/render/profile.proto
	@mkdir -p $(@D)
	protoc-c --proto_path=$(<D) --c_out=$(@D) $< 2>$@.log || { cat $@.log >&2; exit 1; }

$(PROFILE:.c=.o): $(PROFILE) $(BUILD)/flags
	$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(LIB_CFLAGS) -w -c -o $@ $<

$(BUILD)/src/core/render/write_pprof.o: $(PROFILE)
$(BUILD)/src/core/render/write_pprof.%: private override CPPFLAGS += -I$(BUILD)/made

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
STORE_SQL = $(addprefix $(BUILD)/made/fleet/store/,schema_sql.h roles_sql.h)
$(STORE_SQL): $(BUILD)/made/fleet/store/%_sql.h: src/fleet/store/%.sql
	@mkdir -p $(@D)
	{ echo 'static const char $*_sql[] = {'; od -An -v -td1 $< | sed 's/[0-9][0-9]*/&,/g'; \
	  echo '0};'; } >$@.new
	mv $@.new $@

$(BUILD)/src/fleet/store/schema.o: $(STORE_SQL)
$(BUILD)/src/fleet/store/schema.%: private override CPPFLAGS += -I$(BUILD)/made

$(BUILD)/src/core/cli/explore/terminal.o: $(TERMINAL)
$(BUILD)/src/core/cli/explore/terminal.%: private override CPPFLAGS += -I$(BUILD)/made

# The HTML page: style and script as the assembler takes them in, and a policy that has their
# hashes. Of D3 what page.js uses, in the order in which one needs the other.
D3        ?= /usr/share/nodejs
D3_PARTS   = array collection color interpolate format time time-format scale path shape hierarchy
PAGE       = $(BUILD)/page

$(PAGE)/policy: scripts/page.sh $(wildcard src/core/render/page/*.css src/core/render/page/*.js) \
                $(wildcard $(D3_PARTS:%=$(D3)/d3-%/dist/d3-%.min.js))
	scripts/page.sh $(PAGE) $(D3) $(D3_PARTS)

$(PAGE_OBJ): $(PAGE)/policy
$(PAGE_OBJ): private override CPPFLAGS += -DPAGE_STYLE='"$(PAGE)/page.css"' \
    -DPAGE_SCRIPT='"$(PAGE)/page.js"' -DPAGE_POLICY='"$(PAGE)/policy"'

# What is said of hints in a report and in help is what stands in the documentation.
$(HINTS_OBJ): docs/hints.md
$(HINTS_OBJ): private override CPPFLAGS += -DHINTS='"docs/hints.md"'

$(PAGE_OBJ) $(HINTS_OBJ): $(BUILD)/%.o: %.S src/core/base/embed.inc $(BUILD)/flags
	@mkdir -p $(@D)
	$(CC) $(filter -m% -fcf-protection%,$(ALL_CFLAGS)) $(CPPFLAGS) -Isrc/core -c -o $@ $<

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

.PHONY: always
