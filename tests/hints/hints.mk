# The examples of docs/hints.md, run, and the hints that they get. A part of the Makefile.

#: check-hints   | .NET SDK, NuGet    | 12 min   | each example of docs/hints.md gets its own hint

check-hints: $(BUILD)/heapdrift
	HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" tests/hints/hints.py $(HINTS_FLAGS)

.PHONY: check-hints
