# A fleet with known truth (tests/fleet/simulate.c): a small one as part of `make check`, 200
# hosts and 30 days by `make check-fleet`.
SIMULATE_SRC = tests/fleet/simulate.c

$(BUILD)/simulate-fleet: $(SIMULATE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

check-fleet: $(BUILD)/heapdrift $(BUILD)/simulate-fleet
	python3 tests/fleet/truth.py $(BUILD) hosts=200 days=30

part-fleet: $(BUILD)/heapdrift $(BUILD)/simulate-fleet
	@$(PART)/fleet python3 tests/fleet/truth.py $(BUILD) hosts=20 days=5 every=3

.PHONY: check-fleet part-fleet
-include $(SIMULATE_SRC:%.c=$(BUILD)/%.d)
