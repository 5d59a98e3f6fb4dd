#include "format/digest/digest_file.h"

#include <stddef.h>

const char *const digest_group_names[DIGEST_GROUPS] = {
    [DIGEST_SOURCE] = "source",       [DIGEST_INFO] = "info",
    [DIGEST_ORIGIN] = "origin",       [DIGEST_WARNINGS] = "warnings",
    [DIGEST_TYPES] = "types",         [DIGEST_LOST] = "unreachable",
    [DIGEST_TYPE_IDS] = "type_ids",   [DIGEST_IDENTITY] = "identity",
    [DIGEST_FIELDS] = "fields",       [DIGEST_PLACES] = "places",
    [DIGEST_SHARING] = "sharing",     [DIGEST_CHAINS] = "chains",
    [DIGEST_SURVIVORS] = "survivors", [DIGEST_AGES] = "ages",
    [DIGEST_SITES] = "sites",
};

/* A plain member; a column of numbers or strings; a column that is a field of structs. */
#define F struct digest_file
#define PLAIN(group_, name_, coding_, when_, member)                          \
    {                                                                         \
        .group = DIGEST_##group_, .name = (name_), .coding = CODED_##coding_, \
        .when = (when_), .offset = offsetof(F, member)                        \
    }
#define FIELD(group_, name_, coding_, rows_, limit_, when_, pointer, within_) \
    {                                                                         \
        .group = DIGEST_##group_, .name = (name_), .coding = CODED_##coding_, \
        .rows = ROWS_##rows_, .limit = (limit_), .when = (when_),             \
        .offset = offsetof(F, pointer), .stride = sizeof(*((F *)0)->pointer), \
        .within = (within_)                                                   \
    }
#define COLUMN(group, name, coding, rows, limit, when, pointer) \
    FIELD(group, name, coding, rows, limit, when, pointer, 0)
#define CSV_CELL(group, name, coding, rows, limit, when, pointer, field) \
    FIELD(group, name, coding, rows, limit, when, pointer,               \
          offsetof(__typeof__(*((F *)0)->pointer), field))

/* The counts and bytes of each type in a generation. */
#define GENERATION(name, g)                                                         \
    CSV_CELL(TYPES, name "_count", NUMBER, TYPES, KNOWN, IF_GENERATIONS, types,     \
             by_generation[g].count),                                               \
        CSV_CELL(TYPES, name "_bytes", NUMBER, TYPES, KNOWN, IF_GENERATIONS, types, \
                 by_generation[g].bytes)

/* Groups and members in the order in which they are written and checked. */
const struct digest_member digest_members[DIGEST_MEMBERS] = {
    PLAIN(SOURCE, "format", TEXT, ALWAYS, digest.source_format),
    PLAIN(SOURCE, "xxh3", HEX, ALWAYS, digest.source_xxh3),
    PLAIN(INFO, "producer", TEXT, ALWAYS, info.producer),
    PLAIN(INFO, "time", TEXT, ALWAYS, info.time),
    PLAIN(INFO, "process", TEXT, ALWAYS, info.process),
    PLAIN(INFO, "host", TEXT, ALWAYS, info.host),
    PLAIN(INFO, "container", TEXT, ALWAYS, info.container),
    PLAIN(INFO, "program", TEXT, ALWAYS, info.program),
    PLAIN(INFO, "started", TEXT, ALWAYS, info.started),
    PLAIN(INFO, "runtime", TEXT, ALWAYS, info.runtime),
    PLAIN(INFO, "pid", NUMBER, ALWAYS, info.pid),
    PLAIN(INFO, "objects", NUMBER, ALWAYS, info.objects),
    PLAIN(INFO, "bytes", NUMBER, ALWAYS, info.bytes),
    PLAIN(INFO, "references", NUMBER, ALWAYS, info.references),
    PLAIN(INFO, "roots", NUMBER, ALWAYS, info.roots),
    PLAIN(INFO, "reachable_objects", NUMBER, ALWAYS, info.reachable_objects),
    PLAIN(INFO, "reachable_bytes", NUMBER, ALWAYS, info.reachable_bytes),
    PLAIN(INFO, "has_roots", TRUTH, ALWAYS, info.has_roots),
    PLAIN(INFO, "has_generations", TRUTH, ALWAYS, info.has_generations),
    PLAIN(INFO, "sampled", TRUTH, ALWAYS, info.sampled),
    PLAIN(INFO, "complete", TRUTH, ALWAYS, info.complete),
    PLAIN(INFO, "holds_garbage", TRUTH, ALWAYS, info.holds_garbage),
    PLAIN(INFO, "has_fields", TRUTH, ALWAYS, info.has_fields),
    PLAIN(INFO, "weak_roots", NUMBER, ALWAYS, weak_roots),
    COLUMN(INFO, "roots_by_kind", NUMBER, ROOT_KINDS, ANY, IF_THERE, roots_by_kind),
    PLAIN(INFO, "clock", REAL, ALWAYS, clock),
    PLAIN(INFO, "clock_is_date", TRUTH, ALWAYS, clock_is_date),
    PLAIN(INFO, "instance", HEX, ALWAYS, instance),
    PLAIN(INFO, "process_facts", TEXT, IF_THERE, facts),
    PLAIN(ORIGIN, "command", TEXT, ALWAYS, origin.command),
    PLAIN(ORIGIN, "generation", TEXT, ALWAYS, origin.generation),
    PLAIN(ORIGIN, "liveness", TEXT, ALWAYS, origin.liveness),
    PLAIN(ORIGIN, "filters", TEXT, ALWAYS, origin.filters),
    CSV_CELL(WARNINGS, "code", TEXT, WARNINGS, ANY, IF_THERE, warnings, code),
    CSV_CELL(WARNINGS, "detail", TEXT, WARNINGS, ANY, IF_THERE, warnings, detail),
    CSV_CELL(WARNINGS, "count", NUMBER, WARNINGS, ANY, IF_THERE, warnings, count),
    CSV_CELL(WARNINGS, "line", NUMBER, WARNINGS, ANY, IF_THERE, warnings, line),
    CSV_CELL(TYPES, "name", TEXT, TYPES, ANY, ALWAYS, types, name),
    COLUMN(TYPES, "full_name", TEXT, TYPES, ANY, IF_THERE, full_names),
    COLUMN(TYPES, "module", ID, TYPES, ANY, IF_THERE, module),
    COLUMN(TYPES, "modules", TEXT, MODULES, ANY, IF_THERE, modules),
    CSV_CELL(TYPES, "kind", NUMBER, TYPES, BELOW_KINDS, ALWAYS, types, kind),
    CSV_CELL(TYPES, "count", NUMBER, TYPES, KNOWN, ALWAYS, types, all.count),
    CSV_CELL(TYPES, "bytes", NUMBER, TYPES, ANY, ALWAYS, types, all.bytes),
    GENERATION("gen0", HD_GEN0),
    GENERATION("gen1", HD_GEN1),
    GENERATION("gen2", HD_GEN2),
    GENERATION("loh", HD_GEN_LOH),
    GENERATION("poh", HD_GEN_POH),
    GENERATION("frozen", HD_GEN_FROZEN),
    GENERATION("unknown", HD_GEN_UNKNOWN),
    CSV_CELL(TYPES, "scaled_count", NUMBER, TYPES, KNOWN, IF_SAMPLED, digest.scaled,
             all.count),
    CSV_CELL(TYPES, "scaled_bytes", NUMBER, TYPES, KNOWN, IF_SAMPLED, digest.scaled,
             all.bytes),
    CSV_CELL(TYPES, "scaled_old_count", NUMBER, TYPES, KNOWN, IF_SAMPLED, digest.scaled,
             old.count),
    CSV_CELL(TYPES, "scaled_old_bytes", NUMBER, TYPES, KNOWN, IF_SAMPLED, digest.scaled,
             old.bytes),
    CSV_CELL(TYPES, "count_scale", REAL, TYPES, ANY, IF_SAMPLED, digest.scaled,
             count_scale),
    COLUMN(TYPES, "retained", NUMBER, TYPES, KNOWN, IF_THERE, digest.retained),
    CSV_CELL(LOST, "at", RISE_32, CELLS, BELOW_CELLS, ALWAYS, cells, at),
    CSV_CELL(LOST, "count", NUMBER, CELLS, KNOWN, ALWAYS, cells, lost.count),
    CSV_CELL(LOST, "bytes", NUMBER, CELLS, KNOWN, ALWAYS, cells, lost.bytes),
    CSV_CELL(TYPE_IDS, "id", RISE, TYPE_IDS, KNOWN, IF_THERE, type_ids, id),
    CSV_CELL(TYPE_IDS, "name", TEXT, TYPE_IDS, ANY, IF_THERE, type_ids, name),
    COLUMN(IDENTITY, "types", NUMBER, SKETCH_TYPES, KNOWN, IF_THERE, sketch_types.rise),
    PLAIN(IDENTITY, "types_unit", NUMBER, ALWAYS, sketch_types.unit),
    PLAIN(IDENTITY, "types_are_cut", TRUTH, ALWAYS, sketch_types.is_cut),
    COLUMN(IDENTITY, "tables", NUMBER, SKETCH_TABLES, KNOWN, IF_THERE, sketch_tables.rise),
    PLAIN(IDENTITY, "tables_unit", NUMBER, ALWAYS, sketch_tables.unit),
    PLAIN(IDENTITY, "tables_are_cut", TRUTH, ALWAYS, sketch_tables.is_cut),
    COLUMN(IDENTITY, "blocks", NUMBER, SKETCH_BLOCKS, KNOWN, IF_THERE, sketch_blocks.rise),
    PLAIN(IDENTITY, "blocks_unit", NUMBER, IF_BLOCKS, sketch_blocks.unit),
    PLAIN(IDENTITY, "blocks_are_cut", TRUTH, IF_BLOCKS, sketch_blocks.is_cut),
    COLUMN(FIELDS, "name", TEXT, FIELDS, ANY, IF_THERE, digest.field_names),
    COLUMN(PLACES, "above", BACK, PLACES, KNOWN, ALWAYS, digest.places.parent),
    COLUMN(PLACES, "type", TYPE, PLACES, BELOW_TYPES, ALWAYS, digest.places.type),
    CSV_CELL(PLACES, "count", NUMBER, PLACES, KNOWN, ALWAYS, digest.places.at, count),
    CSV_CELL(PLACES, "bytes", NUMBER, PLACES, KNOWN, ALWAYS, digest.places.at, bytes),
    CSV_CELL(PLACES, "young_count", NUMBER, PLACES, KNOWN, IF_GENERATIONS, young, count),
    CSV_CELL(PLACES, "young_bytes", NUMBER, PLACES, KNOWN, IF_GENERATIONS, young, bytes),
    COLUMN(PLACES, "field", ID, PLACES, BELOW_FIELDS, IF_THERE, digest.places.field),
    COLUMN(PLACES, "held", NUMBER, PLACES, KNOWN, IF_THERE, digest.places.held),
    COLUMN(PLACES, "held_of", NUMBER, PLACES, KNOWN, IF_THERE, digest.places.held_of),
    COLUMN(SHARING, "place", RISE_32, SHARING, BELOW_PLACES, ALWAYS, digest.sharing.target),
    COLUMN(SHARING, "objects", NUMBER, SHARING, KNOWN, ALWAYS, digest.sharing.objects),
    COLUMN(SHARING, "from_count", LENGTH, SHARING, KNOWN, ALWAYS, digest.sharing.begin),
    COLUMN(SHARING, "from", NUMBER_32, REFERRERS, BELOW_DISTANCES, ALWAYS, distance),
    PLAIN(CHAINS, "samples_each", NUMBER, ALWAYS, chains_each),
    COLUMN(CHAINS, "above", BACK, LINKS, BELOW_ROWS, ALWAYS, digest.chains.above),
    COLUMN(CHAINS, "type", TYPE, LINKS, BELOW_TYPES, ALWAYS, digest.chains.type),
    COLUMN(CHAINS, "generation", NUMBER_8, LINKS, BELOW_GENERATIONS, IF_GENERATIONS,
           digest.chains.generation),
    COLUMN(CHAINS, "field", ID, LINKS, BELOW_FIELDS, IF_THERE, digest.chains.field),
    COLUMN(CHAINS, "place", RISE_32, SAMPLES, BELOW_PLACES, ALWAYS, digest.chains.place),
    COLUMN(CHAINS, "node", NUMBER_32, SAMPLES, BELOW_NODES, ALWAYS, node),
    COLUMN(CHAINS, "link", NUMBER_32, SAMPLES, BELOW_LINKS, ALWAYS, digest.chains.link),
    COLUMN(CHAINS, "by_call_sites", NUMBER, TYPES, KNOWN, IF_THERE,
           digest.chains.by_call_sites),
    PLAIN(SURVIVORS, "samples_each", NUMBER, ALWAYS, survivors_each),
    COLUMN(SURVIVORS, "type", TYPE, SURVIVOR_TYPES, BELOW_TYPES, ALWAYS,
           digest.survivors.type),
    COLUMN(SURVIVORS, "samples", LENGTH, SURVIVOR_TYPES, BELOW_SURVIVORS_EACH, ALWAYS,
           digest.survivors.begin),
    COLUMN(SURVIVORS, "address", NUMBER, SURVIVORS, KNOWN, ALWAYS, address),
    PLAIN(SURVIVORS, "address_unit", NUMBER, ALWAYS, address_unit),
    COLUMN(SURVIVORS, "size", ID, SURVIVORS, ANY, ALWAYS, digest.survivors.size),
    COLUMN(SURVIVORS, "old", NUMBER_8, SURVIVORS, BELOW_TWO, IF_GENERATIONS,
           digest.survivors.old),
    PLAIN(AGES, "source", TEXT, ALWAYS, age_source),
    COLUMN(AGES, "moment", HEX, MOMENTS, KNOWN, ALWAYS, digest.ages.moment),
    PLAIN(AGES, "survivors", NUMBER, ALWAYS, digest.ages.survivors),
    PLAIN(AGES, "of", NUMBER, ALWAYS, digest.ages.of),
    PLAIN(AGES, "untold", TEXT, IF_THERE, survivors_unknown),
    COLUMN(AGES, "place", RISE_32, AGES, BELOW_PLACES, ALWAYS, digest.ages.place),
    COLUMN(AGES, "born", AGO, AGES, BELOW_MOMENTS, ALWAYS, digest.ages.born),
    COLUMN(AGES, "came", AGO, AGES, BELOW_MOMENTS, ALWAYS, digest.ages.arrived),
    COLUMN(AGES, "objects", NUMBER, AGES, KNOWN, ALWAYS, digest.ages.objects),
    COLUMN(AGES, "bytes", NUMBER, AGES, KNOWN, ALWAYS, digest.ages.bytes),
    COLUMN(AGES, "lost_type", TYPE, LOST_AGES, BELOW_TYPES, ALWAYS, digest.ages.lost_type),
    COLUMN(AGES, "lost_born", AGO, LOST_AGES, BELOW_LOST_MOMENTS, ALWAYS,
           digest.ages.lost_born),
    COLUMN(AGES, "lost_objects", NUMBER, LOST_AGES, KNOWN, ALWAYS,
           digest.ages.lost_objects),
    PLAIN(SITES, "line", TEXT, IF_THERE, sites),
};

bool digest_has(const struct digest_file *f, const struct digest_member *m)
{
    switch (m->when) {
    case IF_GENERATIONS:
        return f->info.has_generations;
    case IF_SAMPLED:
        return f->info.sampled;
    case IF_BLOCKS:
        return f->sketch_blocks.rise != NULL;
    case IF_THERE:
        return *(void *const *)((const char *)f + m->offset) != NULL;
    case ALWAYS:
        break;
    }
    return true;
}
