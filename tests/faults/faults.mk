# Faults: everything that the program asks of its system fails once. Included by the Makefile.

#: faults        |                    | 1 h      | everything that the program asks of its system fails once


# Of its own: what it defines stands in for libc's.
$(BUILD)/failing.so: tests/support/failing.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(WARNINGS) -O1 -g -fPIC -shared -o $@ $< -ldl

# FAULTS: options of faults.py, as --few or --command=diff-json --class=calls,signals
faults: $(BUILD)/heapdrift $(BUILD)/failing.so
	@scripts/install-deps.sh build test faults
	python3 tests/faults/faults.py $^ $(BUILD)/faults $(FAULTS)

.PHONY: faults
