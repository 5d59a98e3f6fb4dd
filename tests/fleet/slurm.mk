# A store that many write to, and a fleet that is judged in parts, with a real PostgreSQL and a
# real Slurm. Included by the Makefile.

#: check-slurm   | PostgreSQL, Slurm  | 3 min    | many writers, a real PostgreSQL, a real Slurm; scripts/fleet


$(BUILD)/make-fleet: $(BUILD)/tests/fleet/make_fleet.o $(SUPPORT_OBJ) $(BUILD)/libheapdrift.a
	$(LINK) $(TEST_LIBS) $(LDLIBS)

# Short, in make check.
FLEET_BATS = env HEAPDRIFT="$(CURDIR)/$(BUILD)/heapdrift" MAKE_FLEET="$(CURDIR)/$(BUILD)/make-fleet" $(BATS)
check-parts: part-writers
part-writers: $(BUILD)/heapdrift $(BUILD)/make-fleet
	@$(PART)/writers $(FLEET_BATS) tests/fleet/writers.bats

# Schemas of Kubernetes and of the Prometheus operator. Where npm has no network their test is left out, and says so.
KUBERNETES_MODELS = build/fleet-tests/node_modules/kubernetes-models/package.json
$(KUBERNETES_MODELS):
	-@mkdir -p build/fleet-tests && cd build/fleet-tests && \
	    npm install --silent --no-audit --no-fund --no-save kubernetes-models@4 @kubernetes-models/prometheus-operator@6

# 1,000 snapshots of 100 hosts by eight writers; a minute.
check-slurm: $(BUILD)/heapdrift $(BUILD)/make-fleet $(KUBERNETES_MODELS)
	@scripts/install-deps.sh build test postgresql fleet
	$(SUITE) -- $(FLEET_BATS) tests/fleet

.PHONY: part-writers check-slurm
-include $(BUILD)/tests/fleet/make_fleet.d
