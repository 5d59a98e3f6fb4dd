/* Writes a .gcdump for Microsoft's readers: version 10, labels of 4 bytes, the layout of
 * dotnet-gcdump. docs/formats/gcdump.md describes every field.
 *
 * Uses 4 bytes per node, and 8 if nodes are renumbered (gcdump_records.h). The verbatim
 * content of a snapshot from a gcdump is written unchanged. */
#include "base/error.h"
#include "format/gcdump/fastser.h"
#include "format/gcdump/gcdump.h"
#include "format/gcdump/gcdump_log.h"
#include "format/gcdump/gcdump_records.h"
#include "format/snapshot_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gcdump_writer {
    const struct hd_snapshot *snap;
    const struct graph *g;
    struct arena arena;   /* scratch */
    struct source source; /* data around the nodes: of a gcdump, or made from the
                             snapshot */
    struct gcdump_records records;
};

/* --- generations --------------------------------------------------------------- */

/* In traces, objects in no range are frozen, if every other object has its range. Widens,
 * for each gap between ranges, the part that they occupy. */
static void find_frozen(const struct gcdump_writer *w, struct range *gaps)
{
    const struct ranges *r = &w->snap->ranges;
    const struct hd_tally *by = w->snap->by_generation;
    if (by[HD_GEN_FROZEN].count == 0 || by[HD_GEN_UNKNOWN].count > 0)
        return;
    struct range within = {0, 0, HD_GEN_UNKNOWN}; /* mostly the range of the node before */
    for (node_id n = 0; n < w->records.kept; n++) {
        uint64_t address = graph_address(w->g, n), size = graph_size(w->g, n);
        bool is_known = address >= within.start && address < within.end;
        if (is_known || address == 0 || w->snap->types[w->g->type[n]].kind != TYPE_OBJECT)
            continue;
        size_t below = ranges_below(r, address);
        if (below < r->len && r->all[below].start <= address &&
            r->all[below].generation != HD_GEN_UNKNOWN) {
            within = r->all[below];
            continue;
        }
        uint64_t most = below < r->len ? r->all[below].start : UINT64_MAX;
        uint64_t end = size < most - address ? address + size : most;
        struct range *gap = &gaps[below];
        if (gap->end == 0 || address < gap->start)
            gap->start = address;
        if (end > gap->end)
            gap->end = end;
        gap->end = gap->end > address ? gap->end : address + 1;
    }
}

/* An end for one generation, 0 for the others, as Microsoft's writers do from events. The
 * format has no frozen objects; they are collected with gen2, or rather never. */
static void add_source_segment(struct source *s, const struct range *r)
{
    static const unsigned char part[HD_GENERATION_COUNT] = {
        [HD_GEN0] = 0,    [HD_GEN1] = 1,    [HD_GEN2] = 2,
        [HD_GEN_LOH] = 3, [HD_GEN_POH] = 4, [HD_GEN_FROZEN] = 2};
    if (r->generation == HD_GEN_UNKNOWN || r->start >= r->end)
        return;
    struct source_segment *segment = &s->segments[s->segment_count++];
    *segment = (struct source_segment){.start = r->start, .end = r->end};
    segment->gen_end[part[r->generation]] = r->end;
    s->segment_bytes += r->end - r->start;
    s->has_heap_info = true;
}

/* --- types of native AOT programs ------------------------------------------------ */

/* A program has one image, and perhaps a few libraries. */
enum { MAX_MODULES = 64 };

static uint32_t module_of(struct gcdump_writer *w, const struct source_type *type)
{
    struct source *s = &w->source;
    for (uint32_t i = 0; i < s->module_count; i++)
        if (s->modules[i].base == type->base)
            return i;
    if (s->module_count == MAX_MODULES)
        return NO_TYPE;
    const char *path = type->module != NULL ? type->module : w->snap->info.program;
    s->modules[s->module_count] = (struct source_module){.path = path, .base = type->base};
    return s->module_count++;
}

/* --- facts in the file --------------------------------------------------------- */

static bool has_large_addresses(const struct gcdump_writer *w)
{
    for (node_id n = 0; w->g->addresses != NULL && n < w->records.kept; n++)
        if (graph_address(w->g, n) > UINT32_MAX)
            return true;
    return false;
}

/* 100 ns since year 1; 0 is unknown. */
static int64_t ticks_of(const struct hd_snapshot *snap)
{
    const int64_t unix_epoch = 621355968000000000;
    const double last = 253402300800; /* seconds from 1970 to the year 10000 */
    bool known = snap->info.time != NULL && snap->clock_is_date && snap->clock >= 0 &&
                 snap->clock < last;
    return known ? unix_epoch + llround(snap->clock * 1e7) : 0;
}

/* Other readers expect a signed number; 0 is unknown. */
static uint64_t signed_fact(const struct gcdump_writer *w, enum hd_fact fact)
{
    uint64_t n = hd_fact(&w->snap->facts, fact);
    return n <= INT64_MAX ? n : 0;
}

static void make_segments(struct gcdump_writer *w)
{
    const struct ranges *r = &w->snap->ranges;
    if (!w->snap->info.has_generations)
        return;
    struct range *gaps = arena_array(&w->arena, struct range, r->len + 1);
    w->source.segments = arena_array(&w->arena, struct source_segment, 2 * r->len + 1);
    find_frozen(w, gaps);
    for (size_t i = 0; i <= r->len; i++) {
        gaps[i].generation = HD_GEN_FROZEN;
        add_source_segment(&w->source, &gaps[i]);
        if (i < r->len)
            add_source_segment(&w->source, &r->all[i]);
    }
}

/* Adds types of a trace that are in an image. Sizes of images then have 4 bytes, as in
 * dotnet-gcdump 10. */
static void make_deferred(struct gcdump_writer *w)
{
    struct source *s = &w->source;
    size_t count = w->records.type_count;
    s->deferred = arena_array(&w->arena, struct source_deferred, count);
    s->modules = arena_array(&w->arena, struct source_module, MAX_MODULES);
    for (uint32_t i = 0; i < count; i++) {
        const struct table_type *type = &w->records.types[i];
        s->deferred[i].module = NO_TYPE;
        if (type->of == NULL)
            continue;
        s->deferred[i] =
            (struct source_deferred){type->of->rva, module_of(w, type->of), type->suffix};
        s->deferred_count = i + 1;
        s->has_deferred = true;
    }
}

/* Makes the source that a gcdump of this snapshot would have. */
static void make_source(struct gcdump_writer *w)
{
    const struct hd_info *info = &w->snap->info;
    w->source = (struct source){.is_64_bit = has_large_addresses(w),
                                .average_count = 1,
                                .average_size = 1,
                                .machine = info->host,
                                .process = info->process,
                                .tool = "heapdrift",
                                .ticks = ticks_of(w->snap),
                                .working_set = signed_fact(w, HD_FACT_RESIDENT),
                                .commit = signed_fact(w, HD_FACT_PRIVATE),
                                .pid = info->pid <= INT32_MAX ? (int32_t)info->pid : 0};
    make_segments(w);
    make_deferred(w);
}

/* --- the table of COM wrappers ------------------------------------------------- */

/* Unused by the analyses, and copied verbatim. */
enum { INTEROP_VERSION = 0 };

/* Skips `words` integers of 4 bytes, then `addresses` of 8, without overflow. */
static void skip_fields(struct cursor *c, unsigned words, unsigned addresses)
{
    for (unsigned i = 0; i < words; i++)
        cursor_u32(c);
    for (unsigned i = 0; i < addresses; i++)
        if (cursor_u64(c) > FASTSER_MAX_ADDRESS)
            cursor_fail(c, "an address above 2^63 - 1");
}

static void skip_records(struct fastser *f)
{
    struct cursor *c = &f->c;
    enum { RCW = 8 + 24 + 8, CCW = 8 + 16 + 8, INTERFACE = 1 + 8 + 24, MODULE = 20 };
    if (cursor_u32(c) == 0)
        return;
    struct cursor counts = *c;
    skip_fields(c, 4, 0);
    uint64_t rcws = cursor_count(&counts, 4, RCW, "wrappers of COM objects");
    uint64_t ccws = cursor_count(&counts, 4, CCW, "wrappers for COM");
    uint64_t interfaces = cursor_count(&counts, 4, INTERFACE, "interfaces");
    uint64_t modules = cursor_count(&counts, 4, MODULE, "modules");
    if (!cursor_ok(&counts)) {
        cursor_fail(c, "a count");
        return;
    }
    for (uint64_t i = 0; i < rcws && cursor_ok(c); i++) {
        skip_fields(c, 2, 3);
        skip_fields(c, 2, 0);
    }
    for (uint64_t i = 0; i < ccws && cursor_ok(c); i++) {
        skip_fields(c, 2, 2);
        skip_fields(c, 2, 0);
    }
    for (uint64_t i = 0; i < interfaces && cursor_ok(c); i++) {
        cursor_u8(c);
        skip_fields(c, 2, 3);
    }
    for (uint64_t i = 0; i < modules && cursor_ok(c); i++) {
        skip_fields(c, 0, 1);
        skip_fields(c, 2, 0);
        fastser_string(f, NULL);
    }
}

/* Microsoft's reader rejects the whole file if an address of the table overflows or a count
 * exceeds the table. Layout: InteropInfo.FromStream() in PerfView's GCHeapDump.cs. */
static bool interop_is_readable(const struct source *s)
{
    const struct bytes table = {s->interop, s->interop_size};
    struct fastser f = {.c = cursor_over(table, NULL), .label_size = 4};
    struct fastser_type type;
    return fastser_expect(&f, "InteropInfo", INTEROP_VERSION, &type) == FIELD_OBJECT &&
           (skip_records(&f), fastser_end(&f)) && cursor_left(&f.c) == 0;
}

/* --- limits -------------------------------------------------------------------- */

bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err)
{
    /* a type number is stored doubled before each of its nodes */
    if (e->nodes > INT32_MAX || e->types > INT32_MAX / 2)
        return fail(err, HD_TOO_BIG, "too many nodes or types for a gcdump");
    if (e->record_bytes > INT32_MAX)
        return fail(err, HD_TOO_BIG,
                    "%" PRIu64
                    " bytes of node records; the limit of a gcdump is 2147483647",
                    e->record_bytes);
    if (e->file_bytes > UINT32_MAX)
        return fail(err, HD_TOO_BIG, "a gcdump of more than 4 GiB, which no tool can read");
    return true;
}

/* At most three bytes per byte of a name, if it is invalid UTF-8. */
static uint64_t string_bytes(const char *s)
{
    enum { COUNT = 4, WORST = 3 };
    return COUNT + (s != NULL ? WORST * (uint64_t)strlen(s) : 0);
}

/* All labels are at the end, so the size of the file bounds them. */
static bool check_limits(const struct gcdump_writer *w, struct hd_error *err)
{
    enum { PER_NODE = 4 + 8, PER_SEGMENT = 64, REST = 4096 };
    const struct source *s = &w->source;
    const struct gcdump_records *r = &w->records;
    uint64_t size = REST + r->blob_size + PER_NODE * (uint64_t)r->node_count +
                    PER_SEGMENT * (uint64_t)s->segment_count + string_bytes(s->log) +
                    string_bytes(s->machine) + string_bytes(s->process) + s->interop_size;
    for (size_t t = 0; t < r->type_count; t++)
        size += 8 + string_bytes(r->types[t].name) + string_bytes(r->types[t].module);
    for (uint32_t i = 0; i < s->deferred_count; i++)
        size += 16 + string_bytes(s->deferred[i].suffix);
    for (uint32_t i = 0; i < s->module_count; i++)
        size += 64 + string_bytes(s->modules[i].path) + string_bytes(s->modules[i].pdb);
    const struct gcdump_extent extent = {.nodes = r->node_count,
                                         .types = r->type_count,
                                         .record_bytes = r->blob_size,
                                         .file_bytes = size};
    return gcdump_can_hold(&extent, err);
}

/* --- the graph ----------------------------------------------------------------- */

/* Clamps to the range of .NET's DateTime; 0 is unknown. */
static uint64_t ticks_within(uint64_t ticks)
{
    const uint64_t last = 3155378975999999999;
    return ticks <= last ? ticks : 0;
}

/* The size of an image has 4 bytes or 8, as in the file it is from. */
static void put_module(struct fastser_write *f, const struct source *s,
                       const struct source_module *m)
{
    fastser_put_begin(f, "Graphs.Module", 0, 0);
    fastser_put_string(f, m->path);
    fastser_put_u64(f, m->base);
    if (s->module_size_is_64_bit)
        fastser_put_u64(f, m->size);
    else
        fastser_put_u32(f, (uint32_t)m->size);
    fastser_put_u64(f, ticks_within(m->build_time));
    fastser_put_string(f, m->pdb);
    fastser_put_bytes(f, m->guid, sizeof(m->guid));
    fastser_put_i32(f, m->age);
    fastser_put_end(f);
}

/* Types whose names are only in the symbols of an image. A module is written at its first
 * use. */
static void put_deferred(struct fastser_write *f, struct gcdump_writer *w)
{
    const struct source *s = &w->source;
    uint64_t *labels = arena_array(&w->arena, uint64_t, s->module_count);
    uint32_t region = fastser_put_untagged_region(f);
    fastser_put_u32(f, s->deferred_count);
    for (uint32_t i = 0; i < s->deferred_count; i++) {
        const struct source_deferred *d = &s->deferred[i];
        fastser_put_u32(f, d->id);
        if (d->module == NO_TYPE) {
            fastser_put_null(f);
        } else if (labels[d->module] != 0) {
            fastser_put_reference(f, labels[d->module]);
        } else {
            labels[d->module] = f->at;
            put_module(f, s, &s->modules[d->module]);
        }
        fastser_put_string(f, d->suffix);
    }
    fastser_put_end(f);
    fastser_put_region_end(f, region);
}

static void put_graph(struct fastser_write *f, struct gcdump_writer *w)
{
    struct gcdump_records *r = &w->records;
    fastser_put_begin(f, "Graphs.MemoryGraph", 1, w->source.has_deferred ? 1 : 0);
    fastser_put_u64(f, r->total_size);
    fastser_put_u32(f, r->root);
    fastser_put_u32(f, (uint32_t)r->type_count);
    for (size_t i = 0; i < r->type_count; i++) {
        fastser_put_string(f, r->types[i].name);
        fastser_put_i32(f, r->types[i].size);
        fastser_put_string(f, r->types[i].module);
    }
    fastser_put_u32(f, r->node_count);
    gcdump_records_put_offsets(r, f);
    fastser_put_u32(f, (uint32_t)r->blob_size);
    gcdump_records_put(r, f);
    if (w->source.has_deferred)
        put_deferred(f, w);
    fastser_put_u32(f, r->node_count);
    gcdump_records_put_addresses(r, f);
    fastser_put_u8(f, TAG_BYTE);
    fastser_put_u8(f, w->source.is_64_bit);
    fastser_put_end(f);
}

/* --- around it ----------------------------------------------------------------- */

static void put_heap_info(struct fastser_write *f, const struct source *s)
{
    if (!s->has_heap_info) {
        fastser_put_null(f);
        return;
    }
    fastser_put_begin(f, "DotNetHeapInfo", 0, 0);
    fastser_put_u64(f, s->segment_bytes);
    fastser_put_u32(f, s->segment_count);
    for (size_t i = 0; i < s->segment_count; i++) {
        fastser_put_begin(f, "GCHeapDumpSegment", 1, 1);
        fastser_put_u64(f, s->segments[i].start);
        fastser_put_u64(f, s->segments[i].end);
        for (int g = 0; g <= 4; g++)
            fastser_put_u64(f, s->segments[i].gen_end[g]);
        fastser_put_end(f);
    }
    fastser_put_end(f);
}

static void put_dump(struct fastser_write *f, struct gcdump_writer *w)
{
    const struct source *s = &w->source;
    fastser_put_begin(f, "GCHeapDump", 10, 8);
    put_graph(f, w);
    fastser_put_u8(f, s->is_64_bit);
    fastser_put_f32(f, s->average_count);
    fastser_put_f32(f, s->average_size);
    fastser_put_null(f); /* JSHeapInfo */
    put_heap_info(f, s);
    fastser_put_string(f, s->log);
    fastser_put_u64(f, ticks_within((uint64_t)s->ticks));
    fastser_put_string(f, s->machine);
    fastser_put_string(f, s->process);
    fastser_put_i32(f, s->pid);
    fastser_put_u64(f, s->commit);
    fastser_put_u64(f, s->working_set);
    uint32_t multipliers = s->sampled ? (uint32_t)w->records.type_count : 0;
    fastser_put_u32(f, multipliers);
    for (uint32_t t = 0; t < multipliers; t++)
        fastser_put_f32(f, w->records.types[t].multiplier);
    uint32_t interop = fastser_put_region(f);
    if (interop_is_readable(s))
        fastser_put_bytes(f, s->interop, s->interop_size);
    else
        fastser_put_null(f);
    fastser_put_region_end(f, interop);
    fastser_put_u8(f, TAG_STRING);
    fastser_put_string(f, s->tool);
    fastser_put_end(f);
    fastser_put_trailer(f);
}

/* A gcdump of others gets no line that it did not have, unless something is missing. */
static void make_log(struct gcdump_writer *w)
{
    const char *log = w->source.log;
    struct text t = {0};
    text_add_string(&t, log != NULL ? log : "");
    if (!w->snap->info.complete &&
        (log == NULL || strstr(log, GCDUMP_LOG_INCOMPLETE) == NULL))
        text_add_string(&t, GCDUMP_LOG_INCOMPLETE ": objects may be missing\r\n");
    if (!w->source.is_gcdump) {
        gcdump_facts_write(&t, w->snap);
        gcdump_names_write(&t, w->snap);
        gcdump_ids_write(&t, w->snap);
    }
    if (t.len > 0)
        w->source.log = arena_strdup(&w->arena, t.data, t.len);
    text_free(&t);
}

static bool gcdump_write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                         struct hd_error *err)
{
    struct gcdump_writer w = {.snap = snap, .g = snap->graph, .source = *snap->source};
    w.records = gcdump_records_plan(snap, &w.arena);
    if (!w.source.is_gcdump)
        make_source(&w);
    make_log(&w);
    bool ok = check_limits(&w, err);
    if (ok) {
        struct fastser_write f = fastser_write_begin(o);
        put_dump(&f, &w);
        if (w.records.cut_sizes > 0)
            losses_add(l, "sizes",
                       "objects of 2 GiB and more, written as 2147483647 bytes: %" PRIu64,
                       w.records.cut_sizes);
        if (w.source.interop_size > 0 && !interop_is_readable(&w.source))
            losses_add(l, "com-wrappers",
                       "damaged table of COM wrappers omitted: %zu bytes",
                       w.source.interop_size);
    }
    gcdump_records_free(&w.records);
    arena_free(&w.arena);
    return ok;
}

const struct snapshot_writer write_gcdump = {
    .name = "gcdump",
    .summary = "for PerfView, Visual Studio, dotnet-gcdump report",
    .suffix = ".gcdump",
    .holds = FACT_GRAPH | FACT_GENERATIONS | FACT_ADDRESSES | FACT_MODULES | FACT_TIME |
             FACT_PROCESS | FACT_PID | FACT_HOST | FACT_SAMPLING | FACT_INCOMPLETE,
    .binary = true,
    .write = gcdump_write,
};
