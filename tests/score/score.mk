# Headed growth beside other rankings on made-up series with known leaks. A part of the Makefile.

#: score         |                    | 1 min    | the ranking against others on series with known leaks

SCORE_SRC = $(wildcard tests/score/*.c)
TOOL_SRC += $(SCORE_SRC)

$(BUILD)/score: $(SCORE_SRC:%.c=$(BUILD)/%.o) $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(TEST_LIBS) $(LDLIBS)

part-score: $(BUILD)/score
	@$(PART)/score $<

score: $(BUILD)/score
	$(BUILD)/score

.PHONY: score part-score
