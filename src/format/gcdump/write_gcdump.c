/* A .gcdump for Microsoft's readers: version 10, labels of 4 bytes, the layout of
 * dotnet-gcdump. docs/formats/gcdump.md describes every field.
 *
 * Offsets of node records stand before the records, so nodes are gone through twice: to
 * measure, and to write. Takes 4 bytes per node beside the snapshot, and 8 if nodes get
 * numbers (gcdump_numbers.h). What a snapshot
 * from a gcdump still knows of its file is written as it was. */
#include "base/error.h"
#include "format/gcdump/fastser_write.h"
#include "format/gcdump/gcdump.h"
#include "format/gcdump/gcdump_facts.h"
#include "format/gcdump/gcdump_limits.h"
#include "format/gcdump/gcdump_names.h"
#include "format/gcdump/gcdump_numbers.h"
#include "format/gcdump/gcdump_tree.h"
#include "format/gcdump/gcdump_types.h"
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
    struct gcdump_tree tree;
    struct gcdump_numbers numbers; /* of the nodes that are kept */
    struct gcdump_types types;
    uint32_t node_count; /* in the file */
    uint32_t *offsets;   /* of records, by node of the file; 0: never described */
    uint64_t blob_size, total_size;
    uint64_t cut_sizes; /* objects larger than the format can say */
    struct source_segment *segments;
    size_t segment_count;
};

/* --- records --------------------------------------------------------------- */

/* Where records go: nowhere while they are measured. */
struct sink {
    struct fastser_write *file; /* NULL: measure */
    uint64_t len;
    unsigned char buffer[16 * 1024];
    size_t used;
};

static void flush(struct sink *s)
{
    if (s->file != NULL)
        fastser_put_bytes(s->file, s->buffer, s->used);
    s->used = 0;
}

/* Signed, groups of 7 bits, the highest first; the shortest form. */
static void put_compressed(struct sink *s, int32_t value)
{
    enum { LONGEST = 5 };
    unsigned more = 0;
    while (more + 1 < LONGEST && (value < -(64LL << 7 * more) || value >= 64LL << 7 * more))
        more++;
    s->len += more + 1;
    if (s->file == NULL)
        return;
    if (s->used + LONGEST > sizeof(s->buffer))
        flush(s);
    for (unsigned i = more; i > 0; i--)
        s->buffer[s->used++] = (unsigned char)(0x80 | (value >> 7 * i & 0x7F));
    s->buffer[s->used++] = (unsigned char)(value & 0x7F);
}

/* Groups take the place of the pseudo-nodes that they replace, so objects keep their
 * numbers, and with them the samples that reports take. */
static uint32_t group_number(const struct writing *w, uint32_t group)
{
    return w->tree.kept + group;
}

static void put_references(struct sink *s, const struct writing *w, uint32_t from,
                           node_id n)
{
    const struct graph *g = w->g;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        if (g->edge_to[e] < w->tree.kept)
            put_compressed(
                s, (int32_t)((int64_t)gcdump_number(&w->numbers, g->edge_to[e]) - from));
}

static uint32_t out_degree(const struct graph *g, node_id n)
{
    return g->edge_begin[n + 1] - g->edge_begin[n];
}

/* The size that a node gets; those that fit no signed 32-bit number are cut, as
 * HeapDump.exe does. */
static uint32_t size_of(const struct writing *w, node_id n)
{
    uint64_t size = graph_size(w->g, n);
    return size <= INT32_MAX ? (uint32_t)size : INT32_MAX;
}

static void put_type_and_size(struct sink *s, struct writing *w, uint32_t type,
                              uint32_t size)
{
    struct table_type *t = &w->types.all[type];
    /* An object type of that name must not look like the type of what is undefined. */
    if (t->size < 0 && !w->types.as_they_are)
        t->size =
            strcmp(t->name != NULL ? t->name : "", "UNDEFINED") == 0 ? 1 : (int32_t)size;
    bool stored = (uint32_t)t->size != size;
    put_compressed(s, (int32_t)(type * 2 + stored));
    if (stored)
        put_compressed(s, (int32_t)size);
}

static void put_node(struct sink *s, struct writing *w, node_id n)
{
    uint32_t size = size_of(w, n);
    put_type_and_size(s, w, gcdump_types_of(&w->types, n, size), size);
    put_compressed(s, (int32_t)out_degree(w->g, n));
    put_references(s, w, gcdump_number(&w->numbers, n), n);
}

/* Of the members of a static group, the variables are groups by now. */
static uint32_t member_count(const struct writing *w, const struct tree_group *group)
{
    const struct graph *g = w->g;
    uint32_t count = 0;
    if (group->members == NO_NODE)
        return 0;
    for (uint32_t e = g->edge_begin[group->members]; e < g->edge_begin[group->members + 1];
         e++)
        count += g->edge_to[e] < w->tree.kept;
    return count;
}

static void put_group(struct sink *s, struct writing *w, uint32_t number)
{
    const struct gcdump_tree *tree = &w->tree;
    const struct tree_group *group = &tree->groups[number];
    put_type_and_size(s, w, gcdump_types_pseudo(&w->types, group->name), 0);
    uint32_t children = 0;
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        children += tree->groups[i].parent == number;
    put_compressed(s, (int32_t)(children + member_count(w, group)));
    for (uint32_t i = 1; number < tree->parents && i < tree->count; i++)
        if (tree->groups[i].parent == number)
            put_compressed(s, (int32_t)(i - number));
    if (group->members != NO_NODE)
        put_references(s, w, group_number(w, number), group->members);
}

/* Described or not, where the file did not say: nothing is known of what is undefined. */
static bool is_undescribed(const struct writing *w, node_id n)
{
    return w->snap->types[w->g->type[n]].kind == TYPE_UNDEFINED &&
           out_degree(w->g, n) == 0 && graph_size(w->g, n) == 0;
}

static void note_offset(struct writing *w, const struct sink *s, uint32_t number)
{
    if (s->file == NULL)
        w->offsets[number] = (uint32_t)s->len;
}

/* All records, in the order of description: objects, then pseudo-nodes. A blob begins
 * with the record of what was never described: type 0, no references. */
static void put_records(struct sink *s, struct writing *w)
{
    const struct source *source = w->source;
    put_compressed(s, 0);
    put_compressed(s, 0);
    if (source->described != NULL) {
        for (uint32_t k = 0; k < source->described_count; k++) {
            note_offset(w, s, source->described[k]);
            put_node(s, w, source->described[k]);
        }
        flush(s);
        return;
    }
    for (node_id n = 0; n < w->tree.kept; n++) {
        if (is_undescribed(w, n))
            continue;
        note_offset(w, s, gcdump_number(&w->numbers, n));
        put_node(s, w, n);
    }
    for (uint32_t i = 0; i < w->tree.count; i++) {
        note_offset(w, s, group_number(w, i));
        put_group(s, w, i);
    }
    flush(s);
}

/* --- measuring --------------------------------------------------------------- */

static void measure(struct writing *w)
{
    struct sink s = {.file = NULL};
    w->node_count = w->tree.kept + w->tree.count;
    w->offsets = alloc_zeroed(array_bytes(w->node_count, sizeof(*w->offsets)));
    put_records(&s, w);
    w->blob_size = s.len;
    for (node_id n = 0; n < w->tree.kept; n++) {
        w->cut_sizes += graph_size(w->g, n) > INT32_MAX;
        w->total_size += size_of(w, n);
    }
}

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
    uint64_t size = REST + w->blob_size + PER_NODE * (uint64_t)w->node_count +
                    PER_SEGMENT * (uint64_t)w->segment_count + string_bytes(w->log) +
                    string_bytes(host_of(w)) + string_bytes(w->snap->info.process) +
                    w->source->interop_size;
    for (size_t t = 0; t < w->types.count; t++)
        size +=
            8 + string_bytes(w->types.all[t].name) + string_bytes(w->types.all[t].module);
    for (uint32_t i = 0; i < w->source->deferred_count; i++)
        size += 16 + string_bytes(w->source->deferred[i].suffix);
    for (uint32_t i = 0; i < w->source->module_count; i++)
        size += 64 + string_bytes(w->source->modules[i].path) +
                string_bytes(w->source->modules[i].pdb);
    const struct gcdump_extent extent = {.nodes = (uint64_t)w->tree.kept + w->tree.count,
                                         .types = w->types.count,
                                         .record_bytes = w->blob_size,
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
    for (node_id n = 0; n < w->tree.kept; n++) {
        uint64_t address = graph_address(w->g, n), size = graph_size(w->g, n);
        if (address == 0 || w->snap->types[w->g->type[n]].kind != TYPE_OBJECT ||
            ranges_find(r, address) != HD_GEN_UNKNOWN)
            continue;
        size_t below = ranges_below(r, address);
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

/* --- the graph --------------------------------------------------------------- */

static void put_types(struct fastser_write *f, const struct writing *w)
{
    fastser_put_u32(f, (uint32_t)w->types.count);
    for (size_t i = 0; i < w->types.count; i++) {
        const struct table_type *t = &w->types.all[i];
        fastser_put_string(f, t->name);
        fastser_put_i32(f, t->size);
        fastser_put_string(f, t->module);
    }
}

/* An object of no size and without an address would be read as a pseudo-node: those of
 * formats without addresses get one, which is their number. */
static uint64_t address_of(const struct writing *w, node_id n)
{
    uint64_t address = graph_address(w->g, n);
    bool object = w->snap->types[w->g->type[n]].kind == TYPE_OBJECT;
    return address == 0 && object && graph_size(w->g, n) == 0 ? (uint64_t)n + 1 : address;
}

static bool is_64_bit(const struct writing *w)
{
    if (w->source->is_gcdump)
        return w->source->is_64_bit;
    for (node_id n = 0; w->g->addresses != NULL && n < w->tree.kept; n++)
        if (graph_address(w->g, n) > UINT32_MAX)
            return true;
    return false;
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
    fastser_put_u64(f, m->build_time);
    fastser_put_string(f, m->pdb);
    fastser_put_bytes(f, m->guid, sizeof(m->guid));
    fastser_put_i32(f, m->age);
    fastser_put_end(f);
}

/* Types that only the symbols of an image name. A module is written where it is used
 * first. */
static void put_deferred(struct fastser_write *f, struct writing *w)
{
    const struct source *s = w->source;
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

static void put_graph(struct fastser_write *f, struct writing *w)
{
    fastser_put_begin(f, "Graphs.MemoryGraph", 1, w->source->has_deferred ? 1 : 0);
    fastser_put_u64(f, w->total_size);
    fastser_put_u32(f, w->tree.count > 0 ? group_number(w, 0)
                                         : gcdump_number(&w->numbers, w->g->root));
    put_types(f, w);
    fastser_put_u32(f, w->node_count);
    for (uint32_t i = 0; i < w->node_count; i++)
        fastser_put_u32(f, w->offsets[i]);
    fastser_put_u32(f, (uint32_t)w->blob_size);
    struct sink records = {.file = f};
    put_records(&records, w);
    if (w->source->has_deferred)
        put_deferred(f, w);
    fastser_put_u32(f, w->node_count);
    for (uint32_t i = 0; i < w->tree.kept; i++)
        fastser_put_u64(f, address_of(w, gcdump_numbered(&w->numbers, i)));
    for (uint32_t i = 0; i < w->tree.count; i++)
        fastser_put_u64(f, 0);
    fastser_put_u8(f, TAG_BYTE);
    fastser_put_u8(f, is_64_bit(w));
    fastser_put_end(f);
}

/* --- around it ----------------------------------------------------------------- */

static uint64_t ticks_of(const struct writing *w)
{
    const int64_t unix_epoch = 621355968000000000, last = 3155378975999999999;
    const struct hd_snapshot *snap = w->snap;
    if (w->source->is_gcdump)
        return w->source->ticks >= 0 && w->source->ticks <= last
                   ? (uint64_t)w->source->ticks
                   : 0;
    if (snap->info.time == NULL || !snap->clock_is_date || !(snap->clock >= 0) ||
        snap->clock >= (double)(last - unix_epoch) / 1e7)
        return 0;
    return (uint64_t)(unix_epoch + llround(snap->clock * 1e7));
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
    uint32_t multipliers = s->sampled ? (uint32_t)w->types.count : 0;
    fastser_put_u32(f, multipliers);
    for (uint32_t t = 0; t < multipliers; t++)
        fastser_put_f32(f, w->types.all[t].multiplier);
    uint32_t interop = fastser_put_region(f);
    if (s->interop_size > 0)
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
    if (w->cut_sizes > 0)
        losses_add(l, "sizes",
                   "objects of 2 GiB and more are written as 2147483647 bytes: %" PRIu64,
                   w->cut_sizes);
}

static bool write(const struct hd_snapshot *snap, struct out *o, struct losses *l,
                  struct hd_error *err)
{
    struct writing w = {.snap = snap, .g = snap->graph, .source = snap->source};
    w.tree = gcdump_tree_plan(snap, &w.arena);
    w.numbers = gcdump_numbers_plan(snap);
    w.types = gcdump_types_begin(snap, &w.arena);
    w.log = make_log(&w);
    measure(&w);
    make_segments(&w);
    bool ok = check_limits(&w, err);
    if (ok) {
        struct fastser_write f = fastser_write_begin(o);
        put_dump(&f, &w);
        fastser_put_trailer(&f);
        add_losses(&w, l);
    }
    gcdump_types_free(&w.types);
    gcdump_numbers_free(&w.numbers);
    free(w.offsets);
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
    .write = write,
};
