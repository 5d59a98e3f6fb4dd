# How large the program is: a mirror, no limit. A part of the Makefile.

#: size          | cloc               | 5 min    | lines of code of each house and room, and what a diff runs

SIZE_OF = $(addprefix fixtures/leaklab/cache/,0.gcdump.gz 1.gcdump.gz)
SIZE_BUILD = BUILD=build/size COUNT='--coverage -fprofile-update=atomic' CFLAGS='-O0 -g' LDFLAGS=--coverage

size:
	@scripts/install-deps.sh build size
	+@$(MAKE) --no-print-directory -s -j$$(scripts/jobs.sh) $(SIZE_BUILD) build/size/heapdrift
	@tests/size/size.py build/size/heapdrift build/size $(SIZE_OF)

.PHONY: size
