# A fleet with known truth (tests/fleet/simulate.c): a small one as part of `make check`, 200
# hosts and 30 days by `make check-fleet`, as part of check-full.
SIMULATE_SRC = tests/fleet/simulate.c

$(BUILD)/simulate-fleet: $(SIMULATE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

check-fleet: $(BUILD)/heapdrift $(BUILD)/simulate-fleet
	python3 tests/fleet/truth.py $(BUILD) hosts=200 days=30

check-parts: part-truth
part-truth: $(BUILD)/heapdrift $(BUILD)/simulate-fleet
	@$(PART)/truth python3 tests/fleet/truth.py $(BUILD) hosts=24 days=15 every=6

check-full: check-fleet

.PHONY: check-fleet part-truth
-include $(SIMULATE_SRC:%.c=$(BUILD)/%.d)
