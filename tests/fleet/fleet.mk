# A fleet with known truth (tests/fleet/simulate.c): a small one as part of `make check`, 200
# hosts and 30 days by `make check-fleet`, as part of check-full. Services whose processes live
# for minutes or hours (tests/fleet/short_lives.c): check-fleet; `services=10` takes five minutes.

#: check-fleet   |                    | 4 min    | a made-up fleet of 200 hosts and 30 days, whose truth is known

SIMULATE_SRC = tests/fleet/simulate.c
LIVES_SRC = tests/fleet/short_lives.c

$(BUILD)/simulate-fleet: $(SIMULATE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(TEST_LIBS) $(LDLIBS)

$(BUILD)/short-lives: $(LIVES_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(TEST_LIBS) $(LDLIBS)

check-fleet: $(BUILD)/heapdrift $(BUILD)/simulate-fleet $(BUILD)/short-lives
	@scripts/install-deps.sh build test
	$(SUITE) -- python3 tests/fleet/truth.py $(BUILD) hosts=200 days=30 -- $(BUILD)/short-lives services=2 days=10

check-parts: part-truth
part-truth: $(BUILD)/heapdrift $(BUILD)/simulate-fleet
	@$(PART)/truth python3 tests/fleet/truth.py $(BUILD) hosts=24 days=15 every=6

check-full: check-fleet

.PHONY: check-fleet part-truth
-include $(SIMULATE_SRC:%.c=$(BUILD)/%.d) $(LIVES_SRC:%.c=$(BUILD)/%.d)
