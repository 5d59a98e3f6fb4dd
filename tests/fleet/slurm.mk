# A store that many write to, and a fleet that is judged in parts, with a real PostgreSQL and a
# real Slurm. Included by the Makefile.

$(BUILD)/make-fleet: $(BUILD)/tests/fleet/make_fleet.o $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(CC) $(ALL_CFLAGS) $(PIE) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LDLIBS)

# Short, in make check; shellcheck and the schemas of what stands in scripts/fleet besides.
FLEET_BATS = HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" MAKE_FLEET="$(CURDIR)/$(BUILD)/make-fleet" bats $(BATS_FLAGS)
parts: part-fleet
part-fleet: $(BUILD)/heapdrift $(BUILD)/make-fleet
	@$(PART)/fleet env $(FLEET_BATS) --formatter tap tests/fleet/writers.bats tests/fleet/templates.bats

# 1,000 snapshots of 100 hosts by eight writers; a minute.
check-slurm: $(BUILD)/heapdrift $(BUILD)/make-fleet $(KUBERNETES_MODELS)
	@scripts/install-deps.sh build test postgresql fleet
	$(FLEET_BATS) tests/fleet

.PHONY: part-fleet check-slurm
