# What looks at the sources. A part of the Makefile.

#: lint          | clang-tidy 14      | 2 min    | layers, clang-tidy, formatting, shell scripts, tests that cannot fail, English
#: tidy-deep     | clang-tidy 14      | minutes  | clang-tidy with the analyser
#: analyze       | cppcheck           | minutes  | cppcheck and gcc's analyser over src/
#: format        | clang-format 14    | 1 s      | let clang-format have its way

ALL_C = $(LIB_SRC) $(CLI_SRC) $(wildcard src/windows/*.c src/absent/*.c src/absent/*/*.c) $(SUPPORT_SRC) $(TEST_SRC) $(TOOL_SRC) $(ROUNDS_SRC) tests/support/failing.c tests/support/run_tests.c

# Headers of every depth, and the examples in the documentation.
ALL_H = $(wildcard include/*.h src/*/*.h src/*/*/*.h src/*/*/*/*.h tests/*/*.h tests/*/*/*.h tests/*/*/*/*.h docs/examples/*)

lint: layers assertions english tidy style

layers:
	scripts/check_layers.py

# Finds assertions that can never fail a test.
assertions:
	scripts/assertions.py $(wildcard tests/*/*.bats tests/*/*.bash tests/*/*.sh scripts/*.sh scripts/*/*.sh) .ci/run

# Fails if a habit of our English becomes more frequent. After a text got better: scripts/english.py --update.
english:
	scripts/english.py --check

# A file is looked at again when its object is made again, so when it or a header changed;
# those of a folder together, as half of the time goes by before clang-tidy has begun. For
# check-full are the analyser, which takes 13 of 14 seconds, and of the last one a half for
# names that are reserved or look like others, and for what is not in C.
TIDY_OPTIONS = -std=c11 $(ALL_CPPFLAGS) -Isrc -I$(BUILD)/made
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
	@gcc -std=c11 -O1 $(ALL_CPPFLAGS) -Isrc -I$(BUILD)/made -fanalyzer -Werror \
	    $$(sed -n 's|^$< ||p' scripts/analyzer.txt) -c -o /dev/null $<
	@touch $@

analyzed: $(ANALYZED)

analyze:
	@scripts/install-deps.sh build analyze
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    -j $$(scripts/jobs.sh) -D__linux__ -D__x86_64__ --suppressions-list=scripts/cppcheck.txt \
	    -Iinclude -Isrc/core -Isrc src
	@$(MAKE) --no-print-directory -s -k -j$$(scripts/jobs.sh) analyzed

# The layout depends on the version of clang-format, the findings on that of clang-tidy (scripts/tidy.sh):
# version 14, of Debian 12, decides.
style:
	@if clang-format --version | grep -q 'version 14\.'; then \
	    clang-format --dry-run -Werror $(ALL_C) $(ALL_H); \
	else echo "note: layout and findings of clang-tidy are not checked: that takes version 14, here is $$(clang-format --version)"; fi
	shellcheck -x scripts/*.sh tests/mutants/*.sh tests/bench/*.sh tests/store/*.sh tests/fuzz/*.sh tests/live/*.sh tests/fleet/*.sh scripts/fleet/*.sh scripts/fleet/slurm/* .github/actions/*/*.sh .ci/run
	shellcheck -x tests/cli/*.bats tests/store/*.bats tests/fleet/*.bats tests/live/*.bats tests/packages/*.bats tests/nuget/*.bats tests/neighbours/*.bats tests/peers/*.bats tests/peers/*.sh tests/static/*.bats tests/static/*.sh tests/windows/*.bats tests/windows/*.sh tests/cli/helper.bash tests/live/lab.bash tests/neighbours/neighbours.bash tests/nuget/packages.bash

format:
	clang-format -i $(ALL_C) $(ALL_H)

.PHONY: lint layers assertions english tidy tidied tidy-deep tidied-deep analyze analyzed style format
