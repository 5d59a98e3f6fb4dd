#include "format/digest/digest_format.h"

#include <stddef.h>

const char *const digest_group_names[DIGEST_GROUPS] = {
    [DIGEST_SOURCE] = "source",       [DIGEST_INFO] = "info",
    [DIGEST_ORIGIN] = "origin",       [DIGEST_WARNINGS] = "warnings",
    [DIGEST_TYPES] = "types",         [DIGEST_LOST] = "unreachable",
    [DIGEST_TYPE_IDS] = "type_ids",   [DIGEST_IDENTITY] = "identity",
    [DIGEST_FIELDS] = "fields",       [DIGEST_PLACES] = "places",
    [DIGEST_SHARING] = "sharing",     [DIGEST_CHAINS] = "chains",
    [DIGEST_SURVIVORS] = "survivors", [DIGEST_AGES] = "ages",
};

#define OF(member) offsetof(struct hd_info, member)

const struct digest_fact digest_facts[DIGEST_FACTS] = {
    {"producer", OF(producer)}, {"time", OF(time)},           {"process", OF(process)},
    {"host", OF(host)},         {"container", OF(container)}, {"program", OF(program)},
    {"started", OF(started)},   {"runtime", OF(runtime)},
};

const struct digest_fact digest_numbers[DIGEST_NUMBERS] = {
    {"pid", OF(pid)},
    {"objects", OF(objects)},
    {"bytes", OF(bytes)},
    {"references", OF(references)},
    {"roots", OF(roots)},
    {"reachable_objects", OF(reachable_objects)},
    {"reachable_bytes", OF(reachable_bytes)},
};

const struct digest_fact digest_truths[DIGEST_TRUTHS] = {
    {"has_roots", OF(has_roots)},
    {"has_generations", OF(has_generations)},
    {"sampled", OF(sampled)},
    {"complete", OF(complete)},
    {"holds_garbage", OF(holds_garbage)},
    {"has_fields", OF(has_fields)},
};

#define OF_TABLE(member) offsetof(struct hd_table_origin, member)

const struct digest_fact digest_origins[DIGEST_ORIGINS] = {
    {"command", OF_TABLE(command)},
    {"generation", OF_TABLE(generation)},
    {"liveness", OF_TABLE(liveness)},
    {"filters", OF_TABLE(filters)},
};

const char *const digest_generation_columns[HD_GENERATION_COUNT][2] = {
    [HD_GEN0] = {"gen0_count", "gen0_bytes"},
    [HD_GEN1] = {"gen1_count", "gen1_bytes"},
    [HD_GEN2] = {"gen2_count", "gen2_bytes"},
    [HD_GEN_LOH] = {"loh_count", "loh_bytes"},
    [HD_GEN_POH] = {"poh_count", "poh_bytes"},
    [HD_GEN_FROZEN] = {"frozen_count", "frozen_bytes"},
    [HD_GEN_UNKNOWN] = {"unknown_count", "unknown_bytes"},
};
