# Random snapshots, written in every form and read back: a few hundred as part of `make check`,
# ROUNDS of them by `make round-trips`.

#: round-trips   |                    | 2 min    | ROUNDS random snapshots, written in every form and read back

ROUNDS   ?= 10000
ROUNDS_SRC = $(wildcard tests/rounds/*.c)

$(BUILD)/rounds: $(ROUNDS_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(TEST_LIBS) $(LDLIBS)

round-trips: $(BUILD)/rounds
	$< $(ROUNDS)

part-rounds: $(BUILD)/rounds
	@$(PART)/rounds $<

.PHONY: round-trips part-rounds
-include $(ROUNDS_SRC:%.c=$(BUILD)/%.d)
