# One file to copy: the program with everything that it needs inside, for a processor ARCH,
# which may be another than this one. A part of the Makefile.
#
#   build/static/ARCH/heapdrift             the program, without debug information
#   build/static/ARCH/heapdrift.debug       which is here, and found by gdb beside it
#   build/static/ARCH/THIRD-PARTY-NOTICES   the licences of what is inside
#   build/static/ARCH/packages.tsv          the same as a table: package, version, licence, files
#   build/static/ARCH/linked/               what it is made of, and the linker's map

#: static        |                    | 3 min    | one file to copy, build/static/x86_64/heapdrift; or ARCH=aarch64
#: static-all    | cross compiler     | 6 min    | both, each with its debug information and THIRD-PARTY-NOTICES

ARCH ?= x86_64
STATIC = build/static/$(ARCH)
LINKED = $(STATIC)/linked

# Debian's compiler for it, and its libraries in a folder if they are not this system's.
HOST_ARCH := $(shell uname -m)
ifneq ($(ARCH),$(HOST_ARCH))
CROSS   = $(ARCH)-linux-gnu-
SYSROOT = build/sysroot/$(ARCH)
# Debian's cross compilers come with a C library of their own: that of the folder goes first,
# as it is the one that gets corrections.
SYSROOT_LIB    = $(SYSROOT)/usr/lib/$(ARCH)-linux-gnu
SYSROOT_CFLAGS = --sysroot=$(SYSROOT) -B$(SYSROOT_LIB) -L$(SYSROOT_LIB) \
    -isystem $(SYSROOT)/usr/include/$(ARCH)-linux-gnu -isystem $(SYSROOT)/usr/include
endif

# Relocations in a tenth of the room; ld 2.40 does so for x86 only.
ifeq ($(ARCH),x86_64)
PACKED = -Wl,-z,pack-relative-relocs
endif

# Besides the libraries that the program names: what those need.
STATIC_LIBS = -lnettle -llzma -lzstd -lbz2 -lz

# Paths are those of the source, wherever it lies: two builds are the same bytes.
STATIC_BUILD = BUILD=$(LINKED) CC=$(CROSS)gcc OBJCOPY=$(CROSS)objcopy AR=$(CROSS)ar \
    CPPFLAGS=-DHD_STATIC LDLIBS='$(STATIC_LIBS)' \
    CFLAGS='-O2 -g -ffunction-sections -fdata-sections -ffile-prefix-map="$(CURDIR)"=. \
            $(SYSROOT_CFLAGS)' \
    LDFLAGS='$(LDFLAGS) -static-pie $(PACKED) -Wl,--gc-sections -Wl,-Map=$(LINKED)/map'

static: $(SYSROOT)
	@scripts/install-deps.sh build static $(if $(CROSS),cross)
	+@$(MAKE) --no-print-directory $(STATIC_BUILD) $(LINKED)/heapdrift
	$(CROSS)objcopy --only-keep-debug $(LINKED)/heapdrift $(STATIC)/heapdrift.debug
	$(CROSS)objcopy --strip-all --add-gnu-debuglink=$(STATIC)/heapdrift.debug \
	    $(LINKED)/heapdrift $(STATIC)/heapdrift
	SYSROOT=$(SYSROOT) scripts/notices.sh $(LINKED)/map $(STATIC)/THIRD-PARTY-NOTICES \
	    $(STATIC)/packages.tsv $(D3_PARTS)

static-all:
	+@$(MAKE) --no-print-directory static ARCH=x86_64
	+@$(MAKE) --no-print-directory static ARCH=aarch64

# Libraries for another processor, unpacked beside this system instead of installed in it.
build/sysroot/%: scripts/install-deps.sh scripts/sysroot.sh
	@scripts/install-deps.sh static cross
	scripts/sysroot.sh $* $@

.PHONY: static static-all
