# A store that many write to, and a fleet that is judged in parts, with a real PostgreSQL and a
# real Slurm. Included by the Makefile.

$(BUILD)/make-fleet: $(BUILD)/tests/fleet/make_fleet.o $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)
