/* A .gcdump for Microsoft's readers: version 10, labels of 4 bytes, the layout of
 * dotnet-gcdump. docs/formats/gcdump.md describes every field.
 *
 * Takes 4 bytes per node beside the snapshot, and 8 if nodes get numbers
 * (gcdump_records.h). What a snapshot from a gcdump still knows of its file is written as
 * it was. */
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

struct writing {
    const struct hd_snapshot *snap;
    const struct graph *g;
    const struct source *source;
    struct arena arena; /* scratch */
    const char *log;
    struct gcdump_records records;
    struct source_segment *segments;
    size_t segment_count;
    struct deferred {
        struct source_deferred *all; /* of the first types */
        uint32_t count;
        struct source_module *modules;
        uint32_t module_count;
        bool is_there, module_size_is_64_bit;
    } deferred;
    bool has_interop; /* a table of COM wrappers that others can read */
};

/* --- what is said once --------------------------------------------------------- */

/* A gcdump of others gets no line that it did not have, unless something is missing. */
static const char *make_log(struct writing *w)
{
    const char *log = w->source->log;
    struct text t = {0};
    text_add_string(&t, log != NULL ? log : "");
    if (!w->snap->info.complete &&
        (log == NULL || strstr(log, GCDUMP_LOG_INCOMPLETE) == NULL))
        text_add_string(&t, GCDUMP_LOG_INCOMPLETE ": objects may be missing\r\n");
    if (!w->source->is_gcdump) {
        gcdump_facts_write(&t, w->snap);
        gcdump_names_write(&t, w->snap);
        gcdump_ids_write(&t, w->snap);
    }
    if (t.len > 0)
        log = arena_strdup(&w->arena, t.data, t.len);
    text_free(&t);
    return log;
}

static const char *host_of(const struct writing *w)
{
    return w->source->is_gcdump ? w->source->machine : w->snap->info.host;
}

bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err)
{
    /* A type's number stands doubled in front of each of its nodes. */
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

/* At most three bytes per byte of a name, where it is no UTF-8. */
static uint64_t string_bytes(const char *s)
{
    enum { COUNT = 4, WORST = 3 };
    return COUNT + (s != NULL ? WORST * (uint64_t)strlen(s) : 0);
}

/* All labels stand at the end, so the size of the file bounds them. */
static bool check_limits(struct writing *w, struct hd_error *err)
{
    enum { PER_NODE = 4 + 8, PER_SEGMENT = 64, REST = 4096 };
    uint64_t size = REST + w->records.blob_size +
                    PER_NODE * (uint64_t)w->records.node_count +
                    PER_SEGMENT * (uint64_t)w->segment_count + string_bytes(w->log) +
                    string_bytes(host_of(w)) + string_bytes(w->snap->info.process) +
                    w->source->interop_size;
    for (size_t t = 0; t < w->records.type_count; t++)
        size += 8 + string_bytes(w->records.types[t].name) +
                string_bytes(w->records.types[t].module);
    for (uint32_t i = 0; i < w->deferred.count; i++)
        size += 16 + string_bytes(w->deferred.all[i].suffix);
    for (uint32_t i = 0; i < w->deferred.module_count; i++)
        size += 64 + string_bytes(w->deferred.modules[i].path) +
                string_bytes(w->deferred.modules[i].pdb);
    const struct gcdump_extent extent = {.nodes = w->records.node_count,
                                         .types = w->records.type_count,
                                         .record_bytes = w->records.blob_size,
                                         .file_bytes = size};
    return gcdump_can_hold(&extent, err);
}

/* --- generations --------------------------------------------------------------- */

/* Objects in no range are frozen where every other one has its range: in traces. Widen,
 * for each gap between ranges, what of it they take. */
static void find_frozen(const struct writing *w, struct range *gaps)
{
    const struct ranges *r = &w->snap->ranges;
    const struct hd_tally *by = w->snap->by_generation;
    if (by[HD_GEN_FROZEN].count == 0 || by[HD_GEN_UNKNOWN].count > 0)
        return;
    struct range within = {0, 0, HD_GEN_UNKNOWN}; /* that of the node before, mostly */
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
static void add_segment(struct writing *w, const struct range *r)
{
    static const unsigned char part[HD_GENERATION_COUNT] = {
        [HD_GEN0] = 0,    [HD_GEN1] = 1,    [HD_GEN2] = 2,
        [HD_GEN_LOH] = 3, [HD_GEN_POH] = 4, [HD_GEN_FROZEN] = 2};
    if (r->generation == HD_GEN_UNKNOWN || r->start >= r->end)
        return;
    struct source_segment *s = &w->segments[w->segment_count++];
    *s = (struct source_segment){.start = r->start, .end = r->end};
    s->gen_end[part[r->generation]] = r->end;
}

static void make_segments(struct writing *w)
{
    const struct ranges *r = &w->snap->ranges;
    if (w->source->is_gcdump) {
        w->segments = w->source->segments;
        w->segment_count = w->source->segment_count;
        return;
    }
    if (!w->snap->info.has_generations)
        return;
    struct range *gaps = arena_array(&w->arena, struct range, r->len + 1);
    w->segments = arena_array(&w->arena, struct source_segment, 2 * r->len + 1);
    find_frozen(w, gaps);
    for (size_t i = 0; i <= r->len; i++) {
        gaps[i].generation = HD_GEN_FROZEN;
        add_segment(w, &gaps[i]);
        if (i < r->len)
            add_segment(w, &r->all[i]);
    }
}

static void put_heap_info(struct fastser_write *f, const struct writing *w)
{
    const struct source *s = w->source;
    if (w->segment_count == 0 && !s->has_heap_info) {
        fastser_put_null(f);
        return;
    }
    uint64_t bytes = s->segment_bytes;
    for (size_t i = 0; !s->is_gcdump && i < w->segment_count; i++)
        bytes += w->segments[i].end - w->segments[i].start;
    fastser_put_begin(f, "DotNetHeapInfo", 0, 0);
    fastser_put_u64(f, bytes);
    fastser_put_u32(f, (uint32_t)w->segment_count);
    for (size_t i = 0; i < w->segment_count; i++) {
        const struct source_segment *segment = &w->segments[i];
        fastser_put_begin(f, "GCHeapDumpSegment", 1, 1);
        fastser_put_u64(f, segment->start);
        fastser_put_u64(f, segment->end);
        for (int g = 0; g <= 4; g++)
            fastser_put_u64(f, segment->gen_end[g]);
        fastser_put_end(f);
    }
    fastser_put_end(f);
}

/* --- the table of COM wrappers ------------------------------------------------- */

/* Needed by no analysis, and copied as it is. */
enum { INTEROP_VERSION = 0 };

/* Skips `words` integers of 4 bytes, then `addresses` of 8, none of which overflows. */
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

/* Microsoft's reader fails on the whole file where an address of the table overflows or a
 * count exceeds the table. Layout: InteropInfo.FromStream() in PerfView's GCHeapDump.cs. */
static bool interop_is_readable(struct bytes table)
{
    struct fastser f = {.c = cursor_over(table, NULL), .label_size = 4};
    struct fastser_type type;
    return fastser_expect(&f, "InteropInfo", INTEROP_VERSION, &type) == FIELD_OBJECT &&
           (skip_records(&f), fastser_end(&f)) && cursor_left(&f.c) == 0;
}

/* --- the graph ----------------------------------------------------------------- */

static void put_types(struct fastser_write *f, const struct writing *w)
{
    fastser_put_u32(f, (uint32_t)w->records.type_count);
    for (size_t i = 0; i < w->records.type_count; i++) {
        const struct table_type *t = &w->records.types[i];
        fastser_put_string(f, t->name);
        fastser_put_i32(f, t->size);
        fastser_put_string(f, t->module);
    }
}

static bool is_64_bit(const struct writing *w)
{
    if (w->source->is_gcdump)
        return w->source->is_64_bit;
    for (node_id n = 0; w->g->addresses != NULL && n < w->records.kept; n++)
        if (graph_address(w->g, n) > UINT32_MAX)
            return true;
    return false;
}

/* 100 ns since year 1, up to the last that .NET's DateTime takes; 0 is unknown. */
static uint64_t ticks_within(uint64_t ticks)
{
    const uint64_t last = 3155378975999999999;
    return ticks <= last ? ticks : 0;
}

/* The size of an image has 4 bytes or 8, as in the file it is from. */
static void put_module(struct fastser_write *f, const struct deferred *d,
                       const struct source_module *m)
{
    fastser_put_begin(f, "Graphs.Module", 0, 0);
    fastser_put_string(f, m->path);
    fastser_put_u64(f, m->base);
    if (d->module_size_is_64_bit)
        fastser_put_u64(f, m->size);
    else
        fastser_put_u32(f, (uint32_t)m->size);
    fastser_put_u64(f, ticks_within(m->build_time));
    fastser_put_string(f, m->pdb);
    fastser_put_bytes(f, m->guid, sizeof(m->guid));
    fastser_put_i32(f, m->age);
    fastser_put_end(f);
}

/* Types that only the symbols of an image name. A module is written where it is used
 * first. */
static void put_deferred(struct fastser_write *f, struct writing *w)
{
    const struct deferred *all = &w->deferred;
    uint64_t *labels = arena_array(&w->arena, uint64_t, all->module_count);
    uint32_t region = fastser_put_untagged_region(f);
    fastser_put_u32(f, all->count);
    for (uint32_t i = 0; i < all->count; i++) {
        const struct source_deferred *d = &all->all[i];
        fastser_put_u32(f, d->id);
        if (d->module == NO_TYPE) {
            fastser_put_null(f);
        } else if (labels[d->module] != 0) {
            fastser_put_reference(f, labels[d->module]);
        } else {
            labels[d->module] = f->at;
            put_module(f, all, &all->modules[d->module]);
        }
        fastser_put_string(f, d->suffix);
    }
    fastser_put_end(f);
    fastser_put_region_end(f, region);
}

/* A program has one image, and perhaps a few libraries. */
enum { MOST_MODULES = 64 };

static uint32_t module_of(const struct writing *w, struct deferred *d,
                          const struct source_type *type)
{
    for (uint32_t i = 0; i < d->module_count; i++)
        if (d->modules[i].base == type->base)
            return i;
    if (d->module_count == MOST_MODULES)
        return NO_TYPE;
    const char *path = type->module != NULL ? type->module : w->snap->info.program;
    d->modules[d->module_count] = (struct source_module){.path = path, .base = type->base};
    return d->module_count++;
}

/* Of a gcdump as they were; of a trace, those that are in an image. */
static void make_deferred(struct writing *w)
{
    const struct source *s = w->source;
    struct deferred *d = &w->deferred;
    if (s->is_gcdump) {
        *d =
            (struct deferred){s->deferred,     s->deferred_count, s->modules,
                              s->module_count, s->has_deferred,   s->module_size_is_64_bit};
        return;
    }
    d->all = arena_array(&w->arena, struct source_deferred, w->records.type_count);
    d->modules = arena_array(&w->arena, struct source_module, MOST_MODULES);
    d->module_size_is_64_bit = false; /* as dotnet-gcdump 10 */
    for (uint32_t i = 0; i < w->records.type_count; i++) {
        const struct table_type *type = &w->records.types[i];
        d->all[i].module = NO_TYPE;
        if (type->of == NULL)
            continue;
        d->all[i] = (struct source_deferred){type->of->rva, module_of(w, d, type->of),
                                             type->suffix};
        d->count = i + 1;
        d->is_there = true;
    }
}

static void put_graph(struct fastser_write *f, struct writing *w)
{
    fastser_put_begin(f, "Graphs.MemoryGraph", 1, w->deferred.is_there ? 1 : 0);
    fastser_put_u64(f, w->records.total_size);
    fastser_put_u32(f, w->records.root);
    put_types(f, w);
    fastser_put_u32(f, w->records.node_count);
    gcdump_records_put_offsets(&w->records, f);
    fastser_put_u32(f, (uint32_t)w->records.blob_size);
    gcdump_records_put(&w->records, f);
    if (w->deferred.is_there)
        put_deferred(f, w);
    fastser_put_u32(f, w->records.node_count);
    gcdump_records_put_addresses(&w->records, f);
    fastser_put_u8(f, TAG_BYTE);
    fastser_put_u8(f, is_64_bit(w));
    fastser_put_end(f);
}

/* --- around it ----------------------------------------------------------------- */

static uint64_t ticks_of(const struct writing *w)
{
    const int64_t unix_epoch = 621355968000000000;
    const struct hd_snapshot *snap = w->snap;
    if (w->source->is_gcdump)
        return ticks_within((uint64_t)w->source->ticks);
    const double last = 253402300800; /* seconds from 1970 to the year 10000 */
    if (snap->info.time == NULL || !snap->clock_is_date || !(snap->clock >= 0) ||
        snap->clock >= last)
        return 0;
    return ticks_within((uint64_t)(unix_epoch + llround(snap->clock * 1e7)));
}

static int32_t pid_of(const struct writing *w)
{
    if (w->source->is_gcdump)
        return w->source->pid;
    return w->snap->info.pid <= INT32_MAX ? (int32_t)w->snap->info.pid : 0;
}

static void put_dump(struct fastser_write *f, struct writing *w)
{
    const struct source *s = w->source;
    fastser_put_begin(f, "GCHeapDump", 10, 8);
    put_graph(f, w);
    fastser_put_u8(f, is_64_bit(w));
    fastser_put_f32(f, s->is_gcdump ? s->average_count : 1);
    fastser_put_f32(f, s->is_gcdump ? s->average_size : 1);
    fastser_put_null(f); /* JSHeapInfo */
    put_heap_info(f, w);
    fastser_put_string(f, w->log);
    fastser_put_u64(f, ticks_of(w));
    fastser_put_string(f, host_of(w));
    fastser_put_string(f, s->is_gcdump ? s->process : w->snap->info.process);
    fastser_put_i32(f, pid_of(w));
    fastser_put_u64(f, s->commit);
    fastser_put_u64(f, s->working_set);
    uint32_t multipliers = s->sampled ? (uint32_t)w->records.type_count : 0;
    fastser_put_u32(f, multipliers);
    for (uint32_t t = 0; t < multipliers; t++)
        fastser_put_f32(f, w->records.types[t].multiplier);
    uint32_t interop = fastser_put_region(f);
    if (w->has_interop)
        fastser_put_bytes(f, s->interop, s->interop_size);
    else
        fastser_put_null(f);
    fastser_put_region_end(f, interop);
    fastser_put_u8(f, TAG_STRING);
    fastser_put_string(f, s->is_gcdump ? s->tool : "heapdrift");
    fastser_put_end(f);
}

static void add_losses(const struct writing *w, struct losses *l)
{
    if (w->records.cut_sizes > 0)
        losses_add(l, "sizes",
                   "objects of 2 GiB and more, written as 2147483647 bytes: %" PRIu64,
                   w->records.cut_sizes);
    if (w->source->interop_size > 0 && !w->has_interop)
        losses_add(l, "com-wrappers", "damaged table of COM wrappers omitted: %zu bytes",
                   w->source->interop_size);
}

static bool gcdump_write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                         struct hd_error *err)
{
    struct writing w = {.snap = snap, .g = snap->graph, .source = snap->source};
    w.log = make_log(&w);
    w.records = gcdump_records_plan(snap, &w.arena);
    make_segments(&w);
    make_deferred(&w);
    w.has_interop =
        interop_is_readable((struct bytes){w.source->interop, w.source->interop_size});
    bool ok = check_limits(&w, err);
    if (ok) {
        struct fastser_write f = fastser_write_begin(o);
        put_dump(&f, &w);
        fastser_put_trailer(&f);
        add_losses(&w, l);
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
