# Random snapshots, written in every form and read back: a few hundred as part of `make check`,
# ROUNDS of them by `make round-trips`.
ROUNDS   ?= 10000
ROUNDS_SRC = $(wildcard tests/rounds/*.c)

$(BUILD)/rounds: $(ROUNDS_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

round-trips: $(BUILD)/rounds
	$< $(ROUNDS)

part-rounds: $(BUILD)/rounds
	@$(PART)/rounds $<

.PHONY: round-trips part-rounds
-include $(ROUNDS_SRC:%.c=$(BUILD)/%.d)
