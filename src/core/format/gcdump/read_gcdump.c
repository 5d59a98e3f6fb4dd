/* Reads a .gcdump as a snapshot: the node records (a type, a size, references as distances,
 * all as compressed integers), and the facts about itself. gcdump.c reads the data around
 * the records.
 *
 * Nodes are read in the order of their numbers, through the table of offsets: records are
 * in the order in which the writer defined them. */
#include "base/arrays.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/quantity.h"
#include "base/workers.h"
#include "format/gcdump/gcdump_log.h"
#include "format/gcdump/gcdump_record.h"
#include "format/reader.h"
#include "heap/process_facts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CUT_AT_NODES = 10000000, CUT_BELOW_NODES = 10010000 };

static enum recognition gcdump_recognises(struct bytes head)
{
    static const char magic[] = FAST_SERIALIZATION_HEAD, entry[] = "GCHeapDump";
    enum { ENTRY_NAME_AT = 39 }; /* after 04, 04 01, two versions and a length */
    if (head.size < sizeof(magic) - 1 || memcmp(head.data, magic, sizeof(magic) - 1) != 0)
        return RECOGNISED_NO;
    if (head.size < ENTRY_NAME_AT + sizeof(entry) - 1)
        return RECOGNISED_YES;
    return memcmp(head.data + ENTRY_NAME_AT, entry, sizeof(entry) - 1) == 0 ? RECOGNISED_YES
                                                                            : RECOGNISED_NO;
}

/* --- sums ------------------------------------------------------------------------ */

/* Sums of a range of nodes, by type of the file. Counts and bytes are in two arrays, since
 * gcc generates slow vector code if they are adjacent. */
struct node_sums {
    uint64_t *count, *bytes; /* generations * type_count */
    uint64_t *pseudo;        /* type_count: nodes without size and address */
    size_t len;              /* of all three together, one array */
    bool by_generation;
    struct range lately;                   /* range of the last address */
    uint64_t *count_lately, *bytes_lately; /* of its generation */
};

static size_t generations_of(const struct gcdump *d)
{
    return gcdump_has_generations(d) ? HD_GENERATION_COUNT : 1;
}

static struct node_sums sums_begin(const struct gcdump *d)
{
    size_t types = d->type_count, each = types * generations_of(d);
    struct node_sums s = {.len = 2 * each + types,
                          .by_generation = gcdump_has_generations(d)};
    s.count = s.count_lately = alloc_zeroed(array_bytes(s.len, sizeof(*s.count)));
    s.bytes = s.bytes_lately = s.count + each;
    s.pseudo = s.bytes + each;
    return s;
}

/* Adds node i, which must not be a pseudo-node. d may be a copy; whole must not. */
static inline __attribute__((always_inline)) void
sums_add(struct node_sums *s, const struct gcdump *d, const struct gcdump *whole,
         const struct gcdump_head *h, uint64_t i)
{
    if (s->by_generation) {
        uint64_t address = gcdump_u64(d->addresses, i);
        if (address < s->lately.start || address >= s->lately.end) {
            s->lately = ranges_around(&whole->ranges, address);
            size_t at = (size_t)s->lately.generation * d->type_count;
            s->count_lately = s->count + at;
            s->bytes_lately = s->bytes + at;
        }
    }
    s->count_lately[h->type]++;
    s->bytes_lately[h->type] += (uint64_t)h->size;
}

struct nodes {
    struct input *in;
    const struct gcdump *d;
    struct builder *b;
    struct hd_error *err;
    /* A type of the file may have objects and pseudo-nodes. The builder has a type for
     * each; that of pseudo-nodes is made when it is needed, and NO_TYPE until then. */
    uint32_t *objects, *pseudo;
    uint32_t pseudo_mark;     /* pseudo-nodes of type t have this + t for now */
    unsigned char *undefined; /* of each type; not 0 for UNDEFINED, whose nodes were
                                 referred to but never described */
    struct gcdump_names names;
    struct node_sums sums; /* of all nodes; empty if the graph does not fit */
};

/* --- a range of nodes -------------------------------------------------------------- */

enum {
    AHEAD = 24, /* nodes whose records are prefetched, since they may be anywhere */
    MIN_NODES = 100000,
    MAX_THREADS = 64,
    REPORT_EVERY = 1 << 16,
    UNDESCRIBED_SIZE = 2
};

/* A range of nodes can be read independently, since records are found by a table of
 * offsets; references of ranges are concatenated. Usual records are read without branches
 * on their content; unusual ones, with long numbers or at the end of all records, are read
 * again number by number. */
struct node_range {
    const struct nodes *nodes;
    const struct gcdump *d;
    struct input *in; /* for progress; may be NULL */
    uint64_t from, to;
    struct node_sums sums;
    node_id *edges;
    size_t edge_count, edge_cap, most_edges;
    uint64_t consumed; /* bytes of all records read so far */
    uint64_t shared;   /* records at offset 0 */
    bool is_read;      /* to its end: no record is damaged, and there was room */
};

static bool range_reserve(struct node_range *r, size_t more)
{
    size_t cap = r->edge_cap > 0 ? r->edge_cap : (size_t)(r->to - r->from);
    while (cap - r->edge_count < more && cap < r->most_edges)
        cap = cap < r->most_edges / 2 ? cap * 2 : r->most_edges;
    if (cap > r->most_edges || cap - r->edge_count < more)
        return false;
    r->edges = alloc_resize(r->edges, array_bytes(cap, sizeof(*r->edges)));
    r->edge_cap = cap;
    return true;
}

/* Maximum size of all records: they do not overlap, except that all undefined nodes share
 * the one at offset 0. Without this rule a small file could require terabytes. */
static uint64_t allowed(const struct gcdump *d, uint64_t shared)
{
    return d->blob.size + shared * UNDESCRIBED_SIZE;
}

/* Neither size nor address; a name in brackets is custom, not proof. */
static inline bool is_pseudo(const struct nodes *nodes, const struct gcdump_head *h,
                             uint64_t i)
{
    return h->size == 0 && !nodes->undefined[h->type] &&
           gcdump_u64(nodes->d->addresses, i) == 0;
}

/* Nodes are read in batches: first all heads, then all references, of nodes with one
 * reference, with two, ... This makes the number of iterations of the inner loop
 * predictable. In the order of nodes it is not, and each misprediction costs as much as a
 * node. */
enum { BATCH = 256, MANY = 9, CAREFUL = 10, CLASSES, LONGEST = 5 };

struct node_batch {
    uint32_t first;    /* node */
    size_t edge_count; /* of the range, with the batch's */
    uint32_t references_at[BATCH], count[BATCH];
    uint32_t len[CLASSES]; /* nodes of each class, and which: by number of references */
    uint16_t of[CLASSES][BATCH];
};

/* Reads the head of any record and, if has_references, their number; advances *at after
 * them. */
static bool any_record(const struct gcdump *d, bool has_references,
                       const unsigned char **at, struct gcdump_head *h,
                       uint32_t *references)
{
    const unsigned char *end = d->blob.data + d->blob.size;
    bool ok = true;
    if (!gcdump_any_head(d, at, h))
        return false;
    if (!has_references)
        return true;
    int32_t count = gcdump_compressed(at, end, &ok);
    *references = (uint32_t)count;
    return ok && count >= 0 && count <= end - *at;
}

/* The same, where d is a copy of whole: a usual one, or any. */
static inline __attribute__((always_inline)) bool
read_record(const struct gcdump *d, const struct gcdump *whole, bool has_references,
            const unsigned char **at, struct gcdump_head *h, uint32_t *references,
            gcdump_grouping *groups)
{
    enum { ONE_BYTE = 64 };
    const unsigned char *start = *at;
    if (gcdump_usual_head(d, at, h, groups) &&
        (!has_references ||
         (*at != d->blob.data + d->blob.size && (*references = *(*at)++) < ONE_BYTE)))
        return true;
    struct gcdump_head any;
    uint32_t count = 0;
    if (!any_record(whole, has_references, &start, &any, &count))
        return false;
    *h = any;
    *at = start;
    *references = count;
    return true;
}

/* Reads the heads of a batch; graph NULL: counts them, without references. Modified values
 * are in local variables: the compiler must assume that stores into the arrays alias *r. */
static inline __attribute__((always_inline)) bool
read_heads(struct node_range *r, struct node_batch *batch, uint32_t to, struct graph *graph,
           gcdump_grouping *groups)
{
    const struct gcdump d = {.blob = r->d->blob,
                             .offsets = r->d->offsets,
                             .addresses = r->d->addresses,
                             .type_count = r->d->type_count,
                             .default_sizes = r->d->default_sizes};
    const struct graph g = graph != NULL ? *graph : (struct graph){0};
    const uint32_t *type_of = r->nodes->objects, pseudo_mark = r->nodes->pseudo_mark;
    const unsigned char *end = d.blob.data + d.blob.size;
    const bool is_many = r->d->node_count > INT32_MAX; /* see read_references() */
    struct node_sums sums = r->sums;
    uint64_t edge_count = r->edge_count, consumed = 0, shared = 0, last = r->to - 1;
    for (uint32_t i = batch->first, k = 0; i < to; i++, k++) {
        uint64_t later = (uint64_t)i + AHEAD;
        later = later < last ? later : last;
        __builtin_prefetch(d.blob.data + gcdump_u32(d.offsets, later));
        uint32_t offset = gcdump_u32(d.offsets, i), count = 0;
        if (offset >= d.blob.size)
            return false;
        const unsigned char *at = d.blob.data + offset;
        struct gcdump_head h;
        if (!read_record(&d, r->d, graph != NULL, &at, &h, &count, groups))
            return false;
        bool pseudo = is_pseudo(r->nodes, &h, i);
        if (pseudo)
            sums.pseudo[h.type]++;
        else
            sums_add(&sums, &d, r->d, &h, i);
        if (graph == NULL)
            continue;
        /* References of CAREFUL are read number by number: there may not be five bytes
         * for each. */
        bool careful = is_many || (size_t)(end - at) < (size_t)count * LONGEST;
        unsigned class = careful ? CAREFUL : count < MANY ? count : MANY;
        batch->of[class][batch->len[class]++] = (uint16_t)k;
        batch->references_at[k] = (uint32_t)(at - d.blob.data);
        batch->count[k] = count;
        consumed += (uint64_t)(at - d.blob.data) - offset;
        shared += offset == 0;
        g.type[i] = pseudo ? pseudo_mark + h.type : type_of[h.type];
        g.small_size[i] = (uint32_t)h.size;
        g.edge_begin[i] = (uint32_t)edge_count;
        edge_count += count;
    }
    r->sums = sums;
    r->consumed += consumed;
    r->shared += shared;
    batch->edge_count = (size_t)edge_count;
    return r->edge_cap >= edge_count ||
           range_reserve(r, (size_t)edge_count - r->edge_count);
}

/* Reads the references of node k of the batch, in any form. */
static bool any_references(struct node_range *r, const struct node_batch *batch, uint32_t k)
{
    const struct gcdump *d = r->d;
    const unsigned char *end = d->blob.data + d->blob.size;
    const unsigned char *start = d->blob.data + batch->references_at[k], *at = start;
    uint32_t i = batch->first + k;
    node_id *edges = r->edges + r->nodes->b->graph->edge_begin[i];
    bool ok = true;
    for (uint32_t e = 0; e < batch->count[k]; e++) {
        int64_t to = (int64_t)i + gcdump_compressed(&at, end, &ok);
        if (!ok || to < 0 || (uint64_t)to >= d->node_count)
            return false;
        edges[e] = (node_id)to;
    }
    r->consumed += (uint64_t)(at - start);
    return true;
}

/* Reads the references of all nodes that have count references; 0: of nodes with many. */
static inline __attribute__((always_inline)) bool
read_references(struct node_range *r, const struct node_batch *batch,
                const uint32_t *edge_begin, uint32_t count, gcdump_value *short_value)
{
    const unsigned char *blob = r->d->blob.data;
    const uint32_t *begin = edge_begin + batch->first;
    uint32_t node_count = (uint32_t)r->d->node_count;
    unsigned class = count > 0 ? count : MANY;
    node_id *edges = r->edges;
    uint64_t consumed = 0;
    for (uint32_t n = 0; n < batch->len[class]; n++) {
        uint32_t k = batch->of[class][n], i = batch->first + k;
        uint32_t all = count > 0 ? count : batch->count[k];
        const unsigned char *start = blob + batch->references_at[k], *at = start;
        unsigned longest = 0, outside = 0;
        for (uint32_t e = 0; e < all; e++) {
            unsigned more;
            /* Modulo 2^32: negative values become at least 2^31, more than node_count. */
            uint32_t to = i + (uint32_t)short_value(at, &more);
            outside |= to >= node_count;
            longest |= more;
            edges[begin[k] + e] = to;
            at += more + 1;
        }
        if ((longest & GCDUMP_LONGER) == 0 && outside == 0)
            consumed += (uint64_t)(at - start);
        else if (!any_references(r, batch, k))
            return false;
    }
    r->consumed += consumed;
    return true;
}

static inline __attribute__((always_inline)) bool read_batch(struct node_range *r,
                                                             uint32_t from, uint32_t to,
                                                             gcdump_grouping *groups,
                                                             gcdump_value *short_value)
{
    struct graph *g = r->nodes->b->graph;
    struct node_batch batch;
    batch.first = from;
    if (g == NULL)
        return read_heads(r, &batch, to, NULL, groups);
    memset(batch.len, 0, sizeof(batch.len));
    if (!read_heads(r, &batch, to, g, groups))
        return false;
    for (uint32_t n = 0; n < batch.len[CAREFUL]; n++)
        if (!any_references(r, &batch, batch.of[CAREFUL][n]))
            return false;
    const uint32_t *begin = g->edge_begin;
    bool ok = read_references(r, &batch, begin, 0, short_value) &&
              read_references(r, &batch, begin, 1, short_value) &&
              read_references(r, &batch, begin, 2, short_value) &&
              read_references(r, &batch, begin, 3, short_value) &&
              read_references(r, &batch, begin, 4, short_value) &&
              read_references(r, &batch, begin, 5, short_value) &&
              read_references(r, &batch, begin, 6, short_value) &&
              read_references(r, &batch, begin, 7, short_value) &&
              read_references(r, &batch, begin, 8, short_value);
    r->edge_count = batch.edge_count;
    return ok && r->consumed <= allowed(r->d, r->shared);
}

static bool read_batch_anywhere(struct node_range *r, uint32_t from, uint32_t to)
{
    return read_batch(r, from, to, gcdump_groups, gcdump_short_value);
}

#ifdef GCDUMP_HAVE_BMI
GCDUMP_BMI static bool read_batch_bmi(struct node_range *r, uint32_t from, uint32_t to)
{
    return read_batch(r, from, to, gcdump_groups_bmi, gcdump_short_value_bmi);
}
#endif

/* Reads one of the ranges; the work of a thread. */
static bool read_range(void *ranges, size_t number)
{
    struct node_range *r = (struct node_range *)ranges + number;
    bool (*read)(struct node_range *, uint32_t, uint32_t) = read_batch_anywhere;
#ifdef GCDUMP_HAVE_BMI
    if (gcdump_has_bmi())
        read = read_batch_bmi;
#endif
    r->sums = sums_begin(r->d);
    r->is_read = r->nodes->b->graph == NULL || range_reserve(r, 0);
    for (uint64_t i = r->from; i < r->to && r->is_read; i += BATCH) {
        if (r->in != NULL && i % REPORT_EVERY < BATCH)
            input_passed(r->in, (double)(i - r->from) / (double)(r->to - r->from));
        r->is_read =
            read(r, (uint32_t)i, (uint32_t)(i + BATCH < r->to ? i + BATCH : r->to));
    }
    return r->is_read;
}

/* --- all ranges ------------------------------------------------------------------- */

struct joint {
    struct node_range *ranges;
    struct graph *graph;
    node_id *edge_to;
    uint32_t first[MAX_THREADS]; /* of the references of each range, among all */
};

/* Moves the references of a range to their place. The first range is there already. */
static bool move_range(void *context, size_t number)
{
    struct joint *j = context;
    struct node_range *r = &j->ranges[number];
    if (number == 0)
        return true;
    if (r->edge_count > 0)
        memcpy(j->edge_to + j->first[number], r->edges, r->edge_count * sizeof(*r->edges));
    free(r->edges);
    r->edges = NULL;
    for (uint64_t i = r->from; i < r->to; i++)
        j->graph->edge_begin[i] += j->first[number];
    return true;
}

static void join_graph(struct nodes *nodes, struct node_range *ranges, size_t n)
{
    struct joint j = {.ranges = ranges, .graph = nodes->b->graph};
    size_t edges = 0;
    for (size_t i = 0; i < n; i++) {
        j.first[i] = (uint32_t)edges;
        edges += ranges[i].edge_count;
    }
    j.edge_to =
        alloc_resize(ranges[0].edges, array_bytes(edges > 0 ? edges : 1, sizeof(node_id)));
    ranges[0].edges = NULL;
    workers_run(n, (unsigned)n, move_range, &j);
    builder_whole_graph(nodes->b, (uint32_t)nodes->d->node_count, j.edge_to,
                        (uint32_t)edges);
}

/* Reads all nodes on at most this many threads; the result does not depend on their number.
 * False if a record is damaged, or if a range has more references than its share of the
 * memory limit. */
static bool read_at_once(struct nodes *nodes, unsigned threads)
{
    struct node_range ranges[MAX_THREADS] = {0};
    const struct gcdump *d = nodes->d;
    struct graph *g = nodes->b->graph;
    uint64_t edges = 0, consumed = 0, shared = 0,
             most = g != NULL ? builder_most_edges(nodes->b) : 0;
    size_t n = workers_shares(d->node_count, MIN_NODES, threads, MAX_THREADS);
    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct node_range){.nodes = nodes,
                                        .d = d,
                                        .in = g != NULL && i == 0 ? nodes->in : NULL,
                                        .from = d->node_count * i / n,
                                        .to = d->node_count * (i + 1) / n,
                                        .most_edges = (size_t)(most / n)};
    workers_run(n, (unsigned)n, read_range, ranges);
    bool ok = true;
    nodes->sums = sums_begin(d);
    for (size_t i = 0; i < n; i++) {
        ok &= ranges[i].is_read;
        edges += ranges[i].edge_count;
        consumed += ranges[i].consumed;
        shared += ranges[i].shared;
        /* Sizes have 31 bits and nodes 32, so no sum can overflow. */
        for (size_t k = 0; ok && k < nodes->sums.len; k++)
            nodes->sums.count[k] += ranges[i].sums.count[k];
    }
    ok = ok && edges <= most && consumed <= allowed(d, shared);
    if (ok && g != NULL)
        join_graph(nodes, ranges, n);
    for (size_t i = 0; i < n; i++) {
        free(ranges[i].sums.count);
        free(ranges[i].edges);
    }
    if (!ok) {
        free(nodes->sums.count);
        nodes->sums.count = NULL;
    }
    return ok;
}

/* --- errors in a record ------------------------------------------------------------ */

static bool bad_node(const struct nodes *r, uint64_t i, uint32_t offset, const char *what)
{
    return fail_at_byte(r->err, r->d->blob_at + offset, "node %" PRIu64 ": %s", i, what);
}

/* Looks at one node after the other. False, and why, at the first one with a damaged
 * record; else *edges is the number of all references. */
static bool gcdump_explain(const struct nodes *r, uint64_t *edges)
{
    const struct gcdump *d = r->d;
    const unsigned char *end = d->blob.data + d->blob.size;
    uint64_t consumed = 0, shared = 0;
    *edges = 0;
    for (uint64_t i = 0; i < d->node_count; i++) {
        uint32_t offset = gcdump_u32(d->offsets, i);
        const unsigned char *start = d->blob.data + offset, *at = start;
        struct gcdump_head h;
        bool ok = true;
        if (offset >= d->blob.size)
            return bad_node(r, i, 0, "its record is outside all records");
        if (!gcdump_any_head(d, &at, &h)) {
            at = start;
            uint32_t type = (uint32_t)gcdump_compressed(&at, end, &ok) >> 1;
            return bad_node(r, i, offset,
                            ok && type < d->type_count
                                ? "has no valid size"
                                : "is of a type that does not exist");
        }
        if (r->b->graph == NULL)
            continue;
        int32_t count = gcdump_compressed(&at, end, &ok);
        if (!ok || count < 0 || count > end - at)
            return bad_node(r, i, offset, "more references than fit into the file");
        for (int32_t k = 0; k < count; k++) {
            int64_t to = (int64_t)i + gcdump_compressed(&at, end, &ok);
            if (!ok)
                return bad_node(r, i, offset, "the record crosses the end of all records");
            if (to < 0 || (uint64_t)to >= d->node_count)
                return bad_node(r, i, offset, "refers to a node that does not exist");
        }
        *edges += (uint64_t)count;
        consumed += (uint64_t)(at - start);
        shared += offset == 0;
        if (consumed > allowed(d, shared))
            return bad_node(r, i, offset, "overlaps the record of another node");
    }
    return true;
}

/* Reads all nodes on all threads; on one thread if a range exceeds its share. False and err
 * if a record is damaged. builder_finish() reports lack of memory. */
static bool read_nodes(struct nodes *r)
{
    const struct gcdump *d = r->d;
    struct builder *b = r->b;
    uint64_t edges;
    if (d->node_count == 0)
        return true;
    if (b->want_graph)
        builder_reserve(b, (size_t)d->node_count, (size_t)d->node_count);
    if (!b->over_memory && read_at_once(r, b->threads))
        return true;
    if (!gcdump_explain(r, &edges))
        return false;
    if (b->want_graph && (!builder_reserve_edges(b, (uint32_t)edges) || b->over_memory))
        return true;
    return read_at_once(r, 1) ||
           fail(r->err, HD_BAD_FORMAT, "was modified while being read");
}

/* --- types ------------------------------------------------------------------------- */

static uint32_t make_type(const struct nodes *r, uint32_t number, enum type_kind kind)
{
    struct builder *b = r->b;
    const struct source *s = &r->d->source;
    const struct source_gcdump_type *t = &s->gcdump_types[number];
    const char *name = t->name, *module = t->module;
    char known_by[32];
    if (number < s->deferred_count) {
        /* its name is only in the symbols of the image; the suffix is appended to it */
        const struct source_deferred *of = &s->deferred[number];
        snprintf(known_by, sizeof(known_by), "TypeID(0x%" PRIx32 ")", of->id);
        if (name == NULL && (of->id != 0 || of->module != NO_TYPE))
            name = known_by;
        if (module == NULL && of->module != NO_TYPE)
            module = s->modules[of->module].path;
    }
    uint32_t id = builder_type(b, kind, name, name != NULL ? strlen(name) : 0);
    if (module != NULL && module[0] != '\0')
        builder_module(b, id, module, strlen(module));
    b->types[id].multiplier =
        isfinite(t->multiplier) && t->multiplier > 0 ? (double)t->multiplier : 1;
    b->types[id].source.number = number;
    const char *full = gcdump_names_find(&r->names, b->types[id].name);
    if (full != NULL)
        builder_full_name(b, id, full);
    return id;
}

static uint32_t pseudo_type(struct nodes *r, uint32_t type)
{
    if (r->pseudo[type] == NO_TYPE)
        r->pseudo[type] = make_type(r, type, TYPE_PSEUDO);
    return r->pseudo[type];
}

/* Marks pseudo-nodes, in the order of nodes. */
static void mark_pseudo(struct nodes *r)
{
    type_id *type = r->b->graph->type;
    uint64_t left = 0;
    for (uint32_t t = 0; t < r->d->type_count; t++)
        left += r->sums.pseudo[t];
    for (node_id n = 0; left > 0; n++)
        if (type[n] >= r->pseudo_mark) {
            type[n] = pseudo_type(r, type[n] - r->pseudo_mark);
            left--;
        }
}

/* Objects are counted in the order of types, independent of the number of threads. Returns
 * the sum of sizes. */
static uint64_t give_counts(struct nodes *r)
{
    size_t types = r->d->type_count, generations = generations_of(r->d);
    uint64_t bytes = 0;
    for (uint32_t t = 0; t < types; t++) {
        if (r->sums.pseudo[t] > 0)
            pseudo_type(r, t);
        for (size_t g = 0; g < generations; g++) {
            const struct hd_tally sum = {r->sums.count[g * types + t],
                                         r->sums.bytes[g * types + t]};
            bytes += sum.bytes;
            /* 2^32 sizes of 31 bits fit. */
            if (!r->undefined[t])
                builder_objects(r->b, r->objects[t], &sum, (enum hd_generation)g);
        }
    }
    free(r->sums.count);
    return bytes;
}

/* --- verbatim content ---------------------------------------------------------------- */

/* The writer's first record, which all nodes share that were only referred to. */
static bool is_undescribed(const struct nodes *r)
{
    static const unsigned char record[UNDESCRIBED_SIZE] = {0};
    const struct gcdump *d = r->d;
    return r->undefined[0] && d->default_sizes[0] == 0 && d->blob.size >= sizeof(record) &&
           memcmp(d->blob.data, record, sizeof(record)) == 0;
}

/* Stores nodes in the order of their records. Records have at least two bytes, so each half
 * of an offset has one node; if not, the order is not stored. Each offset is read once: a
 * mapped file may change in between. */
static void keep_order(const struct nodes *r)
{
    const struct gcdump *d = r->d;
    struct source *s = r->b->source;
    uint32_t halves = (uint32_t)(d->blob.size / 2 + 1), none = is_undescribed(r) ? 0 : 1;
    node_id *nodes = alloc_unknown(halves);
    for (uint32_t i = 0; i < d->node_count; i++) {
        uint32_t offset = gcdump_u32(d->offsets, i);
        if (offset == 0 && none == 0)
            continue;
        if (offset / 2 >= halves || nodes[offset / 2] != NO_NODE) {
            free(nodes);
            return;
        }
        nodes[offset / 2] = i;
    }
    for (uint32_t half = 0; half < halves; half++)
        if (nodes[half] != NO_NODE)
            nodes[s->described_count++] = nodes[half];
    s->described = alloc_resize(nodes, array_bytes(s->described_count, sizeof(*nodes)));
}

/* --- facts in the file --------------------------------------------------------- */

static const char *gcdump_keep(struct builder *b, const char *s)
{
    return builder_string(b, s, s != NULL ? strlen(s) : 0);
}

/* 0: unknown to the writer. Negative numbers are invalid. */
static bool is_known_number(uint64_t n)
{
    return n > 0 && n <= INT64_MAX;
}

static void gcdump_describe(struct builder *b, const struct gcdump *d)
{
    struct hd_snapshot *snap = b->snap;
    struct hd_info *info = &snap->info;
    const struct source *s = &d->source;
    /* 100 ns from year 1 to 1970, and to its last moment. */
    const int64_t unix_epoch = 621355968000000000, last = 3155378975999999999;
    info->has_graph = true;
    info->has_generations = gcdump_has_generations(d);
    info->sampled = s->sampled;
    info->process = gcdump_keep(b, s->process);
    info->host =
        s->machine != NULL && s->machine[0] != '\0' ? gcdump_keep(b, s->machine) : NULL;
    gcdump_facts_read(snap, s->log);
    struct hd_process_facts stored = {0};
    if (is_known_number(s->working_set))
        hd_fact_set(&stored, HD_FACT_RESIDENT, s->working_set);
    if (is_known_number(s->commit))
        hd_fact_set(&stored, HD_FACT_PRIVATE, s->commit);
    process_facts_add(&snap->facts, &stored);
    info->producer = gcdump_keep(b, s->tool);
    if (s->pid > 0)
        info->pid = (uint64_t)s->pid;
    if (s->ticks >= unix_epoch && s->ticks <= last) {
        char time[CALENDAR_TIME];
        if (calendar_time((s->ticks - unix_epoch) / 10000000, time))
            info->time = gcdump_keep(b, time);
        snap->clock = (double)(s->ticks - unix_epoch) / 1e7;
        snap->clock_is_date = true;
    }
    snap->ranges.len = d->ranges.len;
    snap->ranges.all = arena_array(&snap->arena, struct range, d->ranges.len);
    if (d->ranges.len > 0)
        memcpy(snap->ranges.all, d->ranges.all, d->ranges.len * sizeof(*d->ranges.all));
    if (s->sampled)
        builder_warn(b, WARN_SAMPLED, 0);
    if (d->damaged_end)
        builder_warn(b, WARN_NO_TRAILER, 0);
}

/* Stores the types of a native AOT program that have both a number and a name, for naming
 * those of other files. */
static void learn_image(const struct nodes *r)
{
    struct builder *b = r->b;
    struct hd_snapshot *snap = b->snap;
    const struct source *s = &r->d->source;
    struct type_name *all = arena_array(&snap->arena, struct type_name, s->deferred_count);
    for (uint32_t i = 0; i < s->deferred_count; i++) {
        const struct source_deferred *of = &s->deferred[i];
        if (of->module == NO_TYPE ||
            (snap->image_base != 0 && s->modules[of->module].base != snap->image_base))
            continue;
        snap->image_base = s->modules[of->module].base;
        const char *name = b->types[r->objects[i]].name;
        if (s->gcdump_types[i].name != NULL && name != NULL)
            all[snap->type_name_count++] =
                (struct type_name){snap->image_base + of->id, name};
    }
    snap->type_names = all;
    if (snap->type_name_count > 0)
        qsort(all, snap->type_name_count, sizeof(*all), by_first_number);
}

/* dotnet-gcdump stops at ten million objects with only a line in its log; objects beyond
 * are missing, or look unreachable. */
static void note_missing_objects(struct builder *b, const struct gcdump *d)
{
    const char *tool = d->source.tool, *log = d->source.log;
    bool may_cut = tool == NULL || strcmp(tool, "dotnet-gcdump") == 0;
    bool is_incomplete = log != NULL && strstr(log, GCDUMP_LOG_INCOMPLETE) != NULL;
    bool cut = may_cut && d->node_count >= CUT_AT_NODES && d->node_count < CUT_BELOW_NODES;
    if (!cut && !is_incomplete && d->all_objects)
        return;
    b->snap->info.complete = false;
    builder_warn(b, WARN_INCOMPLETE, 0);
    if (cut)
        warnings_add_detail(&b->snap->warnings, WARN_INCOMPLETE,
                            "10,000,000 nodes, the limit of dotnet-gcdump: the rest of the "
                            "heap is missing");
}

static void warn_of_nodes(const struct nodes *r, uint64_t bytes)
{
    struct builder *b = r->b;
    const struct source *s = &r->d->source;
    for (uint32_t t = 0; t < r->d->type_count; t++) {
        static const char unknown[] = "UNKNOWN 0x";
        const char *name = s->gcdump_types[t].name;
        /* Types of native AOT programs are identified by number; that of a size class also
         * applies to the type of small objects. */
        const char *suffix = t < s->deferred_count ? s->deferred[t].suffix : NULL;
        bool is_unnamed = name == NULL || strncmp(name, unknown, sizeof(unknown) - 1) == 0;
        if (is_unnamed && (suffix == NULL || suffix[0] == '\0') &&
            b->types[r->objects[t]].all.count > 0)
            builder_warn(b, WARN_UNKNOWN_TYPE, 0);
    }
    if (warnings_find(&b->snap->warnings, WARN_UNKNOWN_TYPE) != NULL)
        warnings_add_detail(
            &b->snap->warnings, WARN_UNKNOWN_TYPE,
            s->module_count > 0
                ? AOT_UNNAMED
                : "types without names; another tracing client may have been active");
    if (bytes != r->d->total_size)
        builder_warn(b, WARN_SIZE_MISMATCH, 0);
    if (b->snap->info.objects == 0)
        builder_warn(b, WARN_EMPTY_HEAP, 0);
    note_missing_objects(b, r->d);
}

static void make_types(struct nodes *r)
{
    for (uint32_t t = 0; t < r->d->type_count; t++) {
        const struct source_gcdump_type *type = &r->d->source.gcdump_types[t];
        r->undefined[t] =
            type->name != NULL && strcmp(type->name, "UNDEFINED") == 0 && type->size <= 0;
        r->objects[t] = make_type(r, t, r->undefined[t] ? TYPE_UNDEFINED : TYPE_OBJECT);
        r->pseudo[t] = NO_TYPE;
    }
    r->pseudo_mark = (uint32_t)r->b->type_count;
}

/* The file may be closed before it is written. */
static void keep_source(const struct nodes *r)
{
    struct source *s = r->b->source;
    *s = r->d->source;
    if (s->interop_size > 0)
        s->interop = memcpy(arena_alloc(&r->b->snap->arena, s->interop_size), s->interop,
                            s->interop_size);
    if (r->b->want_graph)
        keep_order(r);
}

static bool read_all(struct nodes *r, struct arena *scratch)
{
    struct builder *b = r->b;
    const struct gcdump *d = r->d;
    r->objects = arena_array(scratch, uint32_t, d->type_count);
    r->pseudo = arena_array(scratch, uint32_t, d->type_count);
    r->undefined = arena_array(scratch, unsigned char, d->type_count);
    gcdump_describe(b, d);
    gcdump_names_read(&r->names, b, d->source.log);
    make_types(r);
    bool ok = read_nodes(r), is_there = ok && r->sums.count != NULL;
    if (is_there && b->want_graph)
        mark_pseudo(r);
    uint64_t bytes = is_there ? give_counts(r) : 0;
    gcdump_names_free(&r->names);
    if (!ok)
        return false;
    if (b->source != NULL)
        keep_source(r);
    learn_image(r);
    gcdump_ids_read(b, d->source.log);
    warn_of_nodes(r, bytes);
    if (b->graph != NULL) {
        builder_root(b, d->root);
        b->graph->addresses = d->addresses;
    }
    return true;
}

static bool gcdump_read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes file;
    if (!input_all(in, &file, err))
        return false;
    struct arena scratch = {.account = builder_account(b)}, *a = &scratch;
    if (b->source != NULL)
        a = &b->snap->arena;
    struct gcdump d;
    a->account = scratch.account;
    bool ok = gcdump_parse(&d, file, a, err);
    b->snap->arena.account = NULL;
    struct nodes r = {.in = in, .d = &d, .b = b, .err = err};
    ok = ok && read_all(&r, &scratch);
    arena_free(&scratch);
    return ok;
}

const struct reader read_gcdump = {
    .name = "gcdump",
    .summary = ".NET heap dump from dotnet-gcdump, dotnet-monitor, PerfView, Visual Studio",
    .statics = STATICS_BY_TYPE,
    .recognises = gcdump_recognises,
    .read = gcdump_read,
};
