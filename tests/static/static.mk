# The static programs. A part of the Makefile.

#: check-static  | qemu               | 29 min   | that they run in folders with nothing else; aarch64 under qemu

# That they run where there is nothing else, and say what the program says that is not static.
# Under qemu what only computes: it is ten times as slow.
STATIC_CLI = style explore info top diff check roots tree convert object report inputs nettrace
QEMU_CLI   = info diff check roots tree convert

check-static: static-all $(BUILD)/heapdrift
	@scripts/install-deps.sh test static-test
	$(SUITE) -- $(BATS) tests/static \
	    -- env HEAPDRIFT="$(CURDIR)/build/static/x86_64/heapdrift" $(BATS) $(STATIC_CLI:%=tests/cli/%.bats) \
	    -- env HEAPDRIFT="$(CURDIR)/tests/static/aarch64.sh" $(BATS) $(QEMU_CLI:%=tests/cli/%.bats)

.PHONY: check-static
