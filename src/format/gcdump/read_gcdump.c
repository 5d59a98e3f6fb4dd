/* The node records of a .gcdump: a type, a size, references as distances, all as
 * compressed integers. What stands around them is gcdump.c's.
 *
 * Nodes are read in the order of their numbers, through the table of offsets:
 * records stand in the order in which the writer defined them. */
#include "base/error.h"
#include "base/fast_serialization.h"
#include "format/gcdump/gcdump_facts.h"
#include "format/gcdump/gcdump_graph.h"
#include "format/gcdump/gcdump_names.h"
#include "format/gcdump/gcdump_record.h"
#include "format/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CUT_AT_NODES = 10000000, CUT_BELOW_NODES = 10010000 };

static enum recognition recognises(struct bytes head)
{
    static const char magic[] = FAST_SERIALIZATION_HEAD, entry[] = "GCHeapDump";
    enum { ENTRY_NAME_AT = 39 }; /* behind 04, 04 01, two versions and a length */
    if (head.size < sizeof(magic) - 1 || memcmp(head.data, magic, sizeof(magic) - 1) != 0)
        return RECOGNISED_NO;
    if (head.size < ENTRY_NAME_AT + sizeof(entry) - 1)
        return RECOGNISED_YES;
    return memcmp(head.data + ENTRY_NAME_AT, entry, sizeof(entry) - 1) == 0 ? RECOGNISED_YES
                                                                            : RECOGNISED_NO;
}

/* --- types --------------------------------------------------------------------- */

/* A type of the file may have objects and pseudo-nodes; the builder has a type
 * for each, made when it is needed. */
struct node_type {
    uint32_t object, pseudo;
};

/* Those of native AOT programs are known by number. */
static bool is_nameless(const struct gcdump_type *t)
{
    static const char nameless[] = "UNKNOWN 0x";
    return t->null_name || t->name == NULL ||
           strncmp(t->name, nameless, sizeof(nameless) - 1) == 0;
}

/* --- nodes --------------------------------------------------------------------- */

struct nodes {
    struct input *in;
    const struct gcdump *d;
    struct builder *b;
    struct node_type *types;
    struct gcdump_names names;
    unsigned char *undefined; /* of each type, whether it is UNDEFINED */
    struct node_counts counts;
    struct hd_error *err;
    uint64_t bytes;          /* sum of sizes */
    uint64_t consumed;       /* bytes of all records read so far */
    uint64_t shared_allowed; /* of these, what records at offset 0 may share */
};

static bool bad_node(const struct nodes *r, uint64_t i, uint32_t offset, const char *what)
{
    return fail_at_byte(r->err, r->d->blob_at + offset, "node %" PRIu64 ": %s", i, what);
}

static uint32_t make_type(const struct nodes *r, uint32_t number, enum type_kind kind)
{
    struct builder *b = r->b;
    const struct gcdump *d = r->d;
    const struct gcdump_type *t = &d->types[number];
    uint32_t id = builder_type(b, kind, t->name, t->name_len);
    if (t->module != NULL && t->module_len > 0)
        builder_module(b, id, t->module, t->module_len);
    b->types[id].multiplier = (double)t->multiplier;
    b->types[id].source.number = number;
    if (t->module != NULL && t->module_len == 0)
        b->types[id].source.module = "";
    const char *full = gcdump_names_find(&r->names, b->types[id].name);
    if (full != NULL)
        builder_full_name(b, id, full);
    return id;
}

static uint32_t pseudo_type(struct nodes *r, uint32_t type)
{
    struct node_type *t = &r->types[type];
    if (t->pseudo == NO_TYPE)
        t->pseudo = make_type(r, type, TYPE_PSEUDO);
    return t->pseudo;
}

/* The writer's first record, which all nodes share that were only referred to. */
static bool is_undescribed(const struct nodes *r, uint64_t i)
{
    static const unsigned char record[] = {0, 0};
    const struct gcdump *d = r->d;
    return gcdump_u32(d->offsets, i) == 0 && r->undefined[0] && d->default_sizes[0] == 0 &&
           d->blob.size >= sizeof(record) &&
           memcmp(d->blob.data, record, sizeof(record)) == 0;
}

/* References are distances from the node's own number. */
static bool read_references(struct nodes *r, uint64_t i, const unsigned char **at,
                            uint32_t offset)
{
    const unsigned char *end = r->d->blob.data + r->d->blob.size;
    bool ok = true;
    int32_t count = gcdump_compressed(at, end, &ok);
    if (!ok || count < 0 || (size_t)count > (size_t)(end - *at))
        return bad_node(r, i, offset, "more references than fit into the file");
    node_id *edges = builder_edges(r->b, (uint32_t)count);
    for (int32_t k = 0; k < count; k++) {
        int64_t to = (int64_t)i + gcdump_compressed(at, end, &ok);
        if (!ok)
            return bad_node(r, i, offset, "the record crosses the end of all records");
        if (to < 0 || (uint64_t)to >= r->d->node_count)
            return bad_node(r, i, offset, "refers to a node that does not exist");
        if (edges != NULL)
            edges[k] = (node_id)to;
    }
    return true;
}

/* Records do not overlap, except that all undefined nodes share the one at offset
 * 0. Without this rule a small file could stand for terabytes. */
static bool within_blob(struct nodes *r, uint64_t i, uint32_t offset, uint64_t length)
{
    enum { UNDEFINED_RECORD = 2 };
    r->consumed += length;
    if (offset == 0)
        r->shared_allowed += UNDEFINED_RECORD;
    if (r->consumed <= r->d->blob.size + r->shared_allowed)
        return true;
    return bad_node(r, i, offset, "overlaps the record of another node");
}

/* What is wrong with a record whose head cannot be read. */
static bool bad_head(const struct nodes *r, uint64_t i, uint32_t offset)
{
    const struct gcdump *d = r->d;
    const unsigned char *at = d->blob.data + offset;
    bool ok = true;
    uint32_t type = (uint32_t)gcdump_compressed(&at, d->blob.data + d->blob.size, &ok) >> 1;
    return bad_node(r, i, offset,
                    ok && type < d->type_count ? "has no valid size"
                                               : "is of a type that does not exist");
}

static bool read_node(struct nodes *r, uint64_t i)
{
    const struct gcdump *d = r->d;
    uint32_t offset = gcdump_u32(d->offsets, i);
    if (offset >= d->blob.size)
        return bad_node(r, i, 0, "its record is outside all records");
    const unsigned char *start = d->blob.data + offset, *at = start;
    struct gcdump_head h;
    if (!gcdump_head(d, &at, &h))
        return bad_head(r, i, offset);
    if (!r->b->want_graph)
        return true;
    bool pseudo = gcdump_count_node(&r->counts, d, r->undefined, &h, i);
    builder_node(r->b, pseudo ? pseudo_type(r, h.type) : r->types[h.type].object,
                 (uint64_t)h.size);
    return read_references(r, i, &at, offset) &&
           within_blob(r, i, offset, (uint64_t)(at - start));
}

/* Nodes in the order of their records, which is the order of their offsets: three
 * passes of a radix sort. What the record at 0 makes undefined was never described. Each
 * offset is fetched once: those of a mapped file may change between what counts places and
 * what fills them. */
static void keep_order(const struct nodes *r)
{
    enum { DIGIT = 11, DIGITS = 1 << DIGIT, PASSES = 3 };
    const struct gcdump *d = r->d;
    struct source *s = r->b->source;
    uint32_t len = 0;
    size_t bytes = array_bytes((size_t)d->node_count, sizeof(node_id));
    node_id *from = alloc_resize(NULL, bytes), *to = alloc_resize(NULL, bytes);
    uint32_t *offsets = alloc_resize(NULL, bytes);
    for (uint32_t i = 0; i < d->node_count; i++) {
        offsets[i] = gcdump_u32(d->offsets, i);
        if (offsets[i] != 0 || !is_undescribed(r, i))
            from[len++] = i;
    }
    for (int pass = 0; pass < PASSES; pass++) {
        uint32_t next[DIGITS] = {0}, sum = 0;
        for (uint32_t k = 0; k < len; k++)
            next[offsets[from[k]] >> pass * DIGIT & (DIGITS - 1)]++;
        for (uint32_t digit = 0; digit < DIGITS; digit++) {
            uint32_t count = next[digit];
            next[digit] = sum;
            sum += count;
        }
        for (uint32_t k = 0; k < len; k++)
            to[next[offsets[from[k]] >> pass * DIGIT & (DIGITS - 1)]++] = from[k];
        node_id *swap = from;
        from = to;
        to = swap;
    }
    free(to);
    free(offsets);
    s->described = from;
    s->described_count = len;
}

/* Records are in the order of their writer, so the next one is often far away. */
static inline void prefetch_record(const struct gcdump *d, uint64_t i)
{
    uint32_t offset = i < d->node_count ? gcdump_u32(d->offsets, i) : 0;
    if (offset < d->blob.size)
        __builtin_prefetch(d->blob.data + offset);
}

/* Objects are given in the order of types, so that it is the same for any number of
 * threads. */
static void give_counts(struct nodes *r)
{
    const struct node_counts *c = &r->counts;
    for (uint32_t t = 0; t < r->d->type_count; t++) {
        const struct node_count *n = &c->types[t];
        const struct node_type *type = &r->types[t];
        r->bytes += n->objects.bytes;
        if (n->pseudo > 0)
            pseudo_type(r, t);
        if (r->undefined[t])
            continue;
        /* 2^32 sizes of 31 bits fit. */
        if (c->by_generation == NULL)
            builder_row(r->b, type->object, n->objects.count, n->objects.bytes);
        for (int g = 0; c->by_generation != NULL && g < HD_GENERATION_COUNT; g++)
            builder_objects(r->b, type->object,
                            &c->by_generation[(size_t)t * HD_GENERATION_COUNT + (size_t)g],
                            (enum hd_generation)g);
    }
    node_counts_free(&r->counts);
}

static void make_types(struct nodes *r)
{
    for (uint32_t t = 0; t < r->d->type_count; t++) {
        const struct gcdump_type *type = &r->d->types[t];
        bool undefined = type->name != NULL && strcmp(type->name, "UNDEFINED") == 0 &&
                         r->d->default_sizes[t] <= 0;
        r->undefined[t] = undefined;
        r->types[t] = (struct node_type){
            .object = make_type(r, t, undefined ? TYPE_UNDEFINED : TYPE_OBJECT),
            .pseudo = NO_TYPE};
    }
}

static bool read_one_by_one(struct nodes *r)
{
    enum { RECORDS_AHEAD = 24, TOLD_EVERY = 1 << 16 };
    const struct gcdump *d = r->d;
    for (uint64_t i = 0; i < d->node_count; i++) {
        prefetch_record(d, i + RECORDS_AHEAD);
        if (i % TOLD_EVERY == 0)
            input_passed(r->in, (double)i / (double)d->node_count);
        if (!read_node(r, i))
            return false;
    }
    return true;
}

/* All nodes by all threads. False: whatever is the matter is found one by one. */
static bool read_at_once(struct nodes *r)
{
    const struct gcdump *d = r->d;
    struct builder *b = r->b;
    if (b->over_memory || d->node_count == 0 || b->node_cap != d->node_count)
        return false;
    uint32_t *type_of = alloc_resize(NULL, array_bytes(d->type_count, sizeof(*type_of)));
    for (uint32_t t = 0; t < d->type_count; t++)
        type_of[t] = r->types[t].object;
    struct gcdump_graph g = {.type = b->graph->type,
                             .size = b->graph->small_size,
                             .edge_begin = b->graph->edge_begin,
                             .type_of = type_of,
                             .most_edges = builder_most_edges(b)};
    bool ok = gcdump_graph_read(&g, d, r->undefined, b->threads, r->in);
    free(type_of);
    if (!ok)
        return false;
    for (size_t i = 0; i < g.pseudo_count; i++)
        g.type[g.pseudo[i].node] = pseudo_type(r, g.pseudo[i].type);
    free(g.pseudo);
    builder_whole_graph(b, (uint32_t)d->node_count, g.edge_to, g.edge_count);
    r->counts = g.counts;
    return true;
}

static bool read_graph(struct nodes *r)
{
    if (r->d->node_count > 0)
        builder_reserve(r->b, (size_t)r->d->node_count, (size_t)r->d->node_count);
    if (read_at_once(r))
        return true;
    r->counts = node_counts_begin(r->d);
    if (!read_one_by_one(r)) {
        node_counts_free(&r->counts);
        return false;
    }
    return true;
}

static bool read_all_nodes(struct nodes *r)
{
    const struct gcdump *d = r->d;
    make_types(r);
    if (!r->b->want_graph) {
        /* The first damaged record is found one after the other. */
        if (!gcdump_count(d, r->undefined, r->b->threads, &r->counts))
            return read_one_by_one(r);
        give_counts(r);
        return true;
    }
    if (!read_graph(r))
        return false;
    give_counts(r);
    if (r->b->source != NULL)
        keep_order(r);
    return true;
}

/* --- what the snapshot says about itself --------------------------------------- */

static const char *time_string(struct builder *b, int64_t ticks)
{
    /* 100 ns from year 1 to 1970. */
    const int64_t unix_epoch = 621355968000000000, second = 10000000;
    time_t seconds = (time_t)((ticks - unix_epoch) / second);
    struct tm tm;
    char text[32];
    if (gmtime_r(&seconds, &tm) == NULL ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
        return NULL;
    return builder_string(b, text, strlen(text));
}

static const char *keep(struct builder *b, const char *s)
{
    return builder_string(b, s, s != NULL ? strlen(s) : 0);
}

static void keep_deferred(struct builder *b, const struct gcdump *d)
{
    struct source *s = b->source;
    struct arena *a = &b->snap->arena;
    s->has_deferred = d->has_deferred;
    s->module_size_is_64_bit = d->module_size_is_64_bit;
    s->deferred_count = d->deferred_count;
    s->deferred = arena_array(a, struct source_deferred, d->deferred_count);
    for (uint32_t i = 0; i < d->deferred_count; i++) {
        s->deferred[i] = d->deferred[i];
        s->deferred[i].suffix = keep(b, d->deferred[i].suffix);
    }
    s->module_count = (uint32_t)d->module_count;
    s->modules = arena_array(a, struct source_module, d->module_count);
    for (size_t i = 0; i < d->module_count; i++) {
        s->modules[i] = d->modules[i];
        s->modules[i].path = keep(b, d->modules[i].path);
        s->modules[i].pdb = keep(b, d->modules[i].pdb);
    }
}

/* Everything that the file says and the model has no use for. */
static void keep_source(struct builder *b, const struct gcdump *d)
{
    struct source *s = b->source;
    struct arena *a = &b->snap->arena;
    s->is_gcdump = true;
    s->gcdump_types = arena_array(a, struct source_gcdump_type, d->type_count);
    s->gcdump_type_count = d->type_count;
    for (uint32_t t = 0; t < d->type_count; t++)
        s->gcdump_types[t] = (struct source_gcdump_type){
            .size = d->default_sizes[t],
            .multiplier = d->types[t].stored_multiplier,
            .name = d->types[t].null_name ? NULL : b->types[t].source.name,
            .module = d->types[t].null_module ? NULL : b->types[t].source.module};
    s->segments = arena_array(a, struct source_segment, d->segment_count);
    if (d->segment_count > 0)
        memcpy(s->segments, d->segments, d->segment_count * sizeof(*s->segments));
    s->segment_count = d->segment_count;
    s->segment_bytes = d->segment_bytes;
    s->has_heap_info = d->has_heap_info;
    s->is_64_bit = d->is_64_bit;
    s->average_count = d->average_count;
    s->average_size = d->average_size;
    s->sampled = d->sampled;
    s->log = keep(b, d->log);
    s->machine = keep(b, d->machine);
    s->process = keep(b, d->process);
    s->tool = keep(b, d->tool);
    s->ticks = d->time_ticks;
    s->pid = d->pid;
    s->commit = d->commit;
    s->working_set = d->working_set;
    /* The file may be closed before this is written. */
    if (d->interop.size > 0)
        s->interop =
            memcpy(arena_alloc(a, d->interop.size), d->interop.data, d->interop.size);
    s->interop_size = d->interop.size;
    keep_deferred(b, d);
}

static void describe(struct builder *b, const struct gcdump *d)
{
    struct hd_snapshot *snap = b->snap;
    struct hd_info *info = &snap->info;
    const int64_t unix_epoch = 621355968000000000, last = 3155378975999999999;
    info->has_graph = true;
    info->has_generations = d->has_generations;
    info->sampled = d->sampled;
    info->process = keep(b, d->process);
    info->host = d->machine != NULL && d->machine[0] != '\0' ? keep(b, d->machine) : NULL;
    gcdump_facts_read(snap, d->log);
    info->producer = keep(b, d->tool);
    if (d->pid > 0)
        info->pid = (uint64_t)d->pid;
    if (d->time_ticks >= unix_epoch && d->time_ticks <= last) {
        info->time = time_string(b, d->time_ticks);
        snap->clock = (double)(d->time_ticks - unix_epoch) / 1e7;
        snap->clock_is_date = true;
    }
    snap->ranges = d->ranges;
    if (d->sampled)
        builder_warn(b, WARN_SAMPLED, 0);
    if (d->damaged_end)
        builder_warn(b, WARN_NO_TRAILER, 0);
}

/* dotnet-gcdump stops at ten million objects with only a line in its log; what was
 * cut off is missing, or looks unreachable. */
static void note_missing_objects(struct builder *b, const struct gcdump *d)
{
    bool may_cut = d->tool == NULL || strcmp(d->tool, "dotnet-gcdump") == 0;
    bool told = d->log != NULL && strstr(d->log, GCDUMP_LOG_INCOMPLETE) != NULL;
    bool cut = may_cut && d->node_count >= CUT_AT_NODES && d->node_count < CUT_BELOW_NODES;
    if (!cut && !told && d->all_objects)
        return;
    b->snap->info.complete = false;
    builder_warn(b, WARN_INCOMPLETE, 0);
    if (cut)
        warnings_add_detail(&b->snap->warnings, WARN_INCOMPLETE,
                            "10,000,000 nodes, the limit of dotnet-gcdump: the rest of the "
                            "heap is missing");
}

static int by_id(const void *a, const void *b)
{
    const struct type_name *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Types of a native AOT program that have both a number and a name, to name those of other
 * files. */
static void learn_image(struct builder *b, const struct gcdump *d, const struct nodes *r)
{
    struct hd_snapshot *snap = b->snap;
    struct type_name *all = arena_array(&snap->arena, struct type_name, d->deferred_count);
    for (uint32_t i = 0; i < d->deferred_count; i++) {
        const struct source_deferred *of = &d->deferred[i];
        if (of->module == NO_TYPE ||
            (snap->image_base != 0 && d->modules[of->module].base != snap->image_base))
            continue;
        snap->image_base = d->modules[of->module].base;
        const char *name = b->types[r->types[i].object].name;
        if (!d->types[i].null_name && name != NULL)
            all[snap->type_name_count++] =
                (struct type_name){snap->image_base + of->id, name};
    }
    snap->type_names = all;
    if (snap->type_name_count > 0)
        qsort(all, snap->type_name_count, sizeof(*all), by_id);
}

/* Of a type that is known by number; another one of that number has the small objects. */
static bool is_size_class(const struct gcdump *d, uint32_t type)
{
    return type < d->deferred_count && d->deferred[type].suffix != NULL &&
           d->deferred[type].suffix[0] != '\0';
}

static void warn(struct builder *b, const struct gcdump *d, const struct nodes *r)
{
    for (uint32_t t = 0; t < d->type_count; t++)
        if (is_nameless(&d->types[t]) && !is_size_class(d, t) &&
            b->types[r->types[t].object].all.count > 0)
            builder_warn(b, WARN_UNKNOWN_TYPE, 0);
    if (warnings_find(&b->snap->warnings, WARN_UNKNOWN_TYPE) != NULL)
        warnings_add_detail(
            &b->snap->warnings, WARN_UNKNOWN_TYPE,
            d->module_count > 0
                ? AOT_UNNAMED
                : "types without names; another tracing client may have been active");
    if (r->bytes != d->total_size)
        builder_warn(b, WARN_SIZE_MISMATCH, 0);
    if (b->snap->info.objects == 0)
        builder_warn(b, WARN_EMPTY_HEAP, 0);
    note_missing_objects(b, d);
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes file;
    if (!input_all(in, &file, err))
        return false;
    struct arena scratch = {.account = builder_account(b)};
    struct gcdump d;
    bool ok = gcdump_parse(&d, file, &scratch, err);
    if (ok) {
        /* The snapshot keeps the ranges. */
        struct ranges kept = {arena_array(&b->snap->arena, struct range, d.ranges.len),
                              d.ranges.len};
        if (kept.len > 0)
            memcpy(kept.all, d.ranges.all, kept.len * sizeof(*kept.all));
        d.ranges = kept;
        describe(b, &d);
        struct nodes r = {.in = in,
                          .d = &d,
                          .b = b,
                          .err = err,
                          .types = arena_array(&scratch, struct node_type, d.type_count),
                          .undefined = arena_array(&scratch, unsigned char, d.type_count)};
        gcdump_names_read(&r.names, b, d.log);
        ok = read_all_nodes(&r);
        gcdump_names_free(&r.names);
        if (ok && b->source != NULL)
            keep_source(b, &d);
        if (ok) {
            learn_image(b, &d, &r);
            gcdump_ids_read(b, d.log);
            warn(b, &d, &r);
        }
        if (ok && b->graph != NULL) {
            builder_root(b, d.root);
            b->graph->addresses = d.addresses;
        }
    }
    gcdump_free(&d);
    arena_free(&scratch);
    return ok;
}

const struct reader read_gcdump = {
    .name = "gcdump",
    .summary = ".NET heap dump from dotnet-gcdump, dotnet-monitor, PerfView, Visual Studio",
    .statics = STATICS_BY_TYPE,
    .recognises = recognises,
    .read = read,
};
