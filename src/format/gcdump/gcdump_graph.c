/* Usual records are read without branches that depend on what is in them; what is unusual,
 * long numbers and the last bytes of all records, is read again number by number. */
#include "format/gcdump/gcdump_graph.h"

#include "base/alloc.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* --- tables by type and by node ------------------------------------------------ */

/* The same for many nodes that have a size, so that none of them is a pseudo-node: sums by
 * generation and type, until they are added to counts. Numbers and bytes stand in two
 * arrays, since gcc makes a detour over vectors of two that lie side by side. */
struct sized_nodes {
    uint64_t *count, *bytes;               /* generations * type_count */
    size_t generations;                    /* 1, or HD_GENERATION_COUNT */
    struct range lately;                   /* where the last address was */
    uint64_t *count_lately, *bytes_lately; /* of its generation */
};

/* An address outside of s->lately. */
static inline void sized_nodes_look_up(struct sized_nodes *s, const struct gcdump *d,
                                       uint64_t address)
{
    s->lately = ranges_around(&d->ranges, address);
    s->count_lately = s->count + (size_t)s->lately.generation * d->type_count;
    s->bytes_lately = s->bytes + (size_t)s->lately.generation * d->type_count;
}

/* Node i. d may be a copy; whole is not. */
static inline __attribute__((always_inline)) void
sized_nodes_add(struct sized_nodes *s, const struct gcdump *d, const struct gcdump *whole,
                const struct gcdump_head *h, uint64_t i)
{
    if (s->generations > 1) {
        uint64_t address = gcdump_u64(d->addresses, i);
        if (address < s->lately.start || address >= s->lately.end)
            sized_nodes_look_up(s, whole, address);
    }
    s->count_lately[h->type]++;
    s->bytes_lately[h->type] += (uint64_t)h->size;
}

enum {
    AHEAD = 24, /* nodes whose records are fetched early: they lie anywhere */
    LEAST_NODES = 100000,
    MOST_THREADS = 64
};

/* --- a range of nodes ---------------------------------------------------------- */

struct range_count {
    const struct gcdump *d;
    const unsigned char *undefined;
    uint64_t from, to;
    struct node_counts counts;
    struct sized_nodes sized;
    bool is_counted; /* to its end: no record is damaged */
};

struct node_counts node_counts_begin(const struct gcdump *d)
{
    size_t types = d->type_count;
    struct node_counts c = {.types = alloc_zeroed(array_bytes(types, sizeof(*c.types)))};
    if (d->has_generations)
        c.by_generation = alloc_zeroed(
            array_bytes(types * HD_GENERATION_COUNT, sizeof(*c.by_generation)));
    return c;
}

static struct sized_nodes sized_nodes_begin(const struct gcdump *d)
{
    struct sized_nodes s = {.generations = d->has_generations ? HD_GENERATION_COUNT : 1};
    size_t bytes = array_bytes(d->type_count, s.generations * sizeof(*s.count));
    s.count = s.count_lately = alloc_zeroed(bytes);
    s.bytes = s.bytes_lately = alloc_zeroed(bytes);
    return s;
}

/* Behind which s can no longer be used. */
static void sized_nodes_end(struct sized_nodes *s, const struct gcdump *d,
                            const unsigned char *undefined, struct node_counts *counts)
{
    for (size_t g = 0; g < s->generations; g++)
        for (size_t t = 0; t < d->type_count; t++) {
            size_t i = g * d->type_count + t;
            const struct hd_tally more = {s->count[i], s->bytes[i]};
            tally_add(&counts->types[t].objects, &more);
            if (counts->by_generation != NULL && !undefined[t])
                tally_add(&counts->by_generation[t * s->generations + g], &more);
        }
    free(s->count);
    free(s->bytes);
    *s = (struct sized_nodes){0};
}

/* What the loop changes is kept in local variables, and what it needs of *r->d: stores of
 * counts might be stores into these, for all the compiler knows. */
static inline __attribute__((always_inline)) bool count_nodes(struct range_count *r,
                                                              gcdump_grouping *groups)
{
    const struct gcdump d = {.blob = r->d->blob,
                             .offsets = r->d->offsets,
                             .addresses = r->d->addresses,
                             .type_count = r->d->type_count,
                             .default_sizes = r->d->default_sizes};
    struct sized_nodes sized = r->sized;
    uint64_t last = r->to - 1;
    for (uint64_t i = r->from; i < r->to; i++) {
        uint64_t later = i + AHEAD < last ? i + AHEAD : last;
        __builtin_prefetch(d.blob.data + gcdump_u32(d.offsets, later));
        uint32_t offset = gcdump_u32(d.offsets, i);
        if (offset >= d.blob.size)
            return false;
        const unsigned char *at = d.blob.data + offset;
        struct gcdump_head h;
        if (!gcdump_usual_head(&d, &at, &h, groups)) {
            const unsigned char *again = d.blob.data + offset;
            struct gcdump_head any;
            if (!gcdump_any_head(r->d, &again, &any))
                return false;
            h = any;
        }
        if (h.size > 0) {
            sized_nodes_add(&sized, &d, r->d, &h, i);
        } else {
            const struct gcdump_head empty = {.type = h.type};
            gcdump_count_node(&r->counts, r->d, r->undefined, &empty, i);
        }
    }
    return true;
}

static bool count_nodes_anywhere(struct range_count *r)
{
    return count_nodes(r, gcdump_groups);
}

#ifdef GCDUMP_HAVE_BMI
GCDUMP_BMI static bool count_nodes_bmi(struct range_count *r)
{
    return count_nodes(r, gcdump_groups_bmi);
}
#endif

/* One of the ranges: the work of a thread. */
static bool count_range(void *ranges, size_t i)
{
    struct range_count *r = (struct range_count *)ranges + i;
    bool (*count)(struct range_count *) = count_nodes_anywhere;
#ifdef GCDUMP_HAVE_BMI
    if (gcdump_has_bmi())
        count = count_nodes_bmi;
#endif
    r->counts = node_counts_begin(r->d);
    r->sized = sized_nodes_begin(r->d);
    r->is_counted = count(r);
    sized_nodes_end(&r->sized, r->d, r->undefined, &r->counts);
    return r->is_counted;
}

/* --- all of them --------------------------------------------------------------- */

/* Sizes have 31 bits and nodes 32, so no sum can overflow. */
static void node_counts_add(struct node_counts *to, const struct node_counts *more,
                            size_t types)
{
    for (size_t t = 0; t < types; t++) {
        tally_add(&to->types[t].objects, &more->types[t].objects);
        to->types[t].pseudo += more->types[t].pseudo;
    }
    bool generations = to->by_generation != NULL && more->by_generation != NULL;
    for (size_t i = 0; generations && i < types * HD_GENERATION_COUNT; i++)
        tally_add(&to->by_generation[i], &more->by_generation[i]);
}

void node_counts_free(struct node_counts *counts)
{
    free(counts->types);
    free(counts->by_generation);
    *counts = (struct node_counts){0};
}

bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts)
{
    struct range_count ranges[MOST_THREADS];
    size_t n = workers_shares(d->node_count, LEAST_NODES, threads, MOST_THREADS);
    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct range_count){.d = d,
                                         .undefined = undefined,
                                         .from = d->node_count * i / n,
                                         .to = d->node_count * (i + 1) / n};
    workers_run(n, (unsigned)n, count_range, ranges);
    bool ok = true;
    *counts = node_counts_begin(d);
    for (size_t i = 0; i < n; i++) {
        /* Behind a damaged range others may not have been begun. */
        ok = ok && ranges[i].is_counted;
        if (ok)
            node_counts_add(counts, &ranges[i].counts, d->type_count);
        node_counts_free(&ranges[i].counts);
    }
    if (!ok)
        node_counts_free(counts);
    return ok;
}

/* --- graph --------------------------------------------------------------------- */

enum { TOLD_EVERY = 1 << 16 };

/* --- a range of nodes ---------------------------------------------------------- */

struct range_nodes {
    const struct gcdump *d;
    const unsigned char *undefined;
    const struct gcdump_graph *graph;
    struct input *in; /* told how far this is; NULL: nobody */
    uint64_t from, to;
    struct node_counts counts;
    struct sized_nodes sized;
    node_id *edges;
    size_t edge_count, edge_cap, most_edges;
    struct gcdump_pseudo *pseudo;
    size_t pseudo_count, pseudo_cap;
    uint64_t consumed; /* bytes of all records read so far */
    uint64_t shared;   /* records at offset 0 */
    bool is_read;      /* to its end: no record is damaged */
};

static bool make_room(struct range_nodes *r, size_t more)
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

static bool add_pseudo(struct range_nodes *r, uint64_t i, uint32_t type)
{
    enum { SOME = 4096, PER_NODE = 16 };
    if (r->pseudo_count >= SOME + (r->to - r->from) / PER_NODE)
        return false;
    r->pseudo = grow(r->pseudo, r->pseudo_count, &r->pseudo_cap, sizeof(*r->pseudo));
    r->pseudo[r->pseudo_count++] = (struct gcdump_pseudo){(node_id)i, type};
    return true;
}

/* Objects without a size are rare, and may be pseudo-nodes. */
static bool count_empty(struct range_nodes *r, uint32_t i, uint32_t type)
{
    const struct gcdump_head head = {.type = type};
    return !gcdump_count_node(&r->counts, r->d, r->undefined, &head, i) ||
           add_pseudo(r, i, type);
}

/* Records do not overlap, but for the shared one (read_gcdump.c). */
static uint64_t allowed(const struct range_nodes *r)
{
    enum { UNDEFINED_RECORD = 2 };
    return r->d->blob.size + r->shared * UNDEFINED_RECORD;
}

/* Nodes are read in batches: first all heads, then all references, of nodes with one
 * reference, with two, ... How often the loop over references is run can then be foreseen.
 * In the order of nodes it could not, and each surprise costs as much as a node. */
enum { BATCH = 256, MANY = 9, CAREFUL = 10, CLASSES };

struct batch {
    uint32_t first;    /* node */
    size_t edge_count; /* of the range, with the batch's */
    uint32_t references_at[BATCH], count[BATCH];
    uint32_t len[CLASSES]; /* nodes of each class, and which: by number of references */
    uint16_t of[CLASSES][BATCH];
};

/* The head of any record and the number of its references; *at is then behind them. */
static bool any_record(const struct gcdump *d, const unsigned char **at,
                       struct gcdump_head *h, uint32_t *references)
{
    const unsigned char *end = d->blob.data + d->blob.size;
    bool ok = true;
    if (!gcdump_any_head(d, at, h))
        return false;
    int32_t count = gcdump_compressed(at, end, &ok);
    *references = (uint32_t)count;
    return ok && count >= 0 && count <= end - *at;
}

static inline __attribute__((always_inline)) bool
usual_record(const struct gcdump *d, const unsigned char **at, struct gcdump_head *h,
             uint32_t *references, gcdump_grouping *groups)
{
    enum { ONE_BYTE = 64 };
    if (!gcdump_usual_head(d, at, h, groups) || *at == d->blob.data + d->blob.size)
        return false;
    *references = *(*at)++;
    return *references < ONE_BYTE;
}

/* References of CAREFUL are read number by number: there may not be five bytes for
 * each. */
static inline unsigned class_of(uint32_t count, size_t left)
{
    enum { LONGEST = 5 };
    unsigned class = count < MANY ? count : MANY;
    return left >= (size_t)count * LONGEST ? class : CAREFUL;
}

/* Heads of a batch. What each changes is kept in local variables: stores into the arrays
 * might be stores into *r, for all the compiler knows. */
static inline __attribute__((always_inline)) bool
read_heads(struct range_nodes *r, struct batch *batch, uint32_t to, gcdump_grouping *groups)
{
    const struct gcdump d = {.blob = r->d->blob,
                             .offsets = r->d->offsets,
                             .addresses = r->d->addresses,
                             .type_count = r->d->type_count,
                             .default_sizes = r->d->default_sizes};
    const struct gcdump_graph g = *r->graph;
    const unsigned char *end = d.blob.data + d.blob.size;
    struct sized_nodes sized = r->sized;
    uint64_t edge_count = r->edge_count, consumed = 0, shared = 0, last = r->to - 1;
    for (uint32_t i = batch->first, k = 0; i < to; i++, k++) {
        uint64_t later = (uint64_t)i + AHEAD;
        later = later < last ? later : last;
        __builtin_prefetch(d.blob.data + gcdump_u32(d.offsets, later));
        uint32_t offset = gcdump_u32(d.offsets, i), count;
        if (offset >= d.blob.size)
            return false;
        const unsigned char *at = d.blob.data + offset;
        struct gcdump_head h;
        if (!usual_record(&d, &at, &h, &count, groups)) {
            struct gcdump_head any;
            const unsigned char *behind = d.blob.data + offset;
            uint32_t references;
            if (!any_record(r->d, &behind, &any, &references))
                return false;
            h = any;
            at = behind;
            count = references;
        }
        unsigned class = class_of(count, (size_t)(end - at));
        batch->of[class][batch->len[class]++] = (uint16_t)k;
        batch->references_at[k] = (uint32_t)(at - d.blob.data);
        batch->count[k] = count;
        consumed += (uint64_t)(at - d.blob.data) - offset;
        shared += offset == 0;
        g.type[i] = g.type_of[h.type];
        g.size[i] = (uint32_t)h.size;
        g.edge_begin[i] = (uint32_t)edge_count;
        edge_count += count;
        if (h.size > 0)
            sized_nodes_add(&sized, &d, r->d, &h, i);
        else if (!count_empty(r, i, h.type))
            return false;
    }
    r->sized = sized;
    r->consumed += consumed;
    r->shared += shared;
    batch->edge_count = (size_t)edge_count;
    return r->edge_cap >= edge_count || make_room(r, (size_t)edge_count - r->edge_count);
}

/* References of one node, any of them. */
static bool any_references(struct range_nodes *r, const struct batch *batch, uint32_t k)
{
    const struct gcdump *d = r->d;
    const unsigned char *end = d->blob.data + d->blob.size;
    const unsigned char *start = d->blob.data + batch->references_at[k], *at = start;
    uint32_t i = batch->first + k;
    node_id *edges = r->edges + r->graph->edge_begin[i];
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

/* References of all nodes that have count; 0: of those that have many. */
static inline __attribute__((always_inline)) bool read_references(struct range_nodes *r,
                                                                  const struct batch *batch,
                                                                  uint32_t count,
                                                                  gcdump_value *short_value)
{
    const unsigned char *blob = r->d->blob.data;
    const uint32_t *begin = r->graph->edge_begin + batch->first;
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
            /* Modulo 2^32: what is below 0 becomes at least 2^31, as node_count is not. */
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

static inline __attribute__((always_inline)) bool read_batch(struct range_nodes *r,
                                                             uint32_t from, uint32_t to,
                                                             gcdump_grouping *groups,
                                                             gcdump_value *short_value)
{
    struct batch batch;
    batch.first = from;
    memset(batch.len, 0, sizeof(batch.len));
    if (!read_heads(r, &batch, to, groups))
        return false;
    for (uint32_t n = 0; n < batch.len[CAREFUL]; n++)
        if (!any_references(r, &batch, batch.of[CAREFUL][n]))
            return false;
    bool ok = read_references(r, &batch, 0, short_value) &&
              read_references(r, &batch, 1, short_value) &&
              read_references(r, &batch, 2, short_value) &&
              read_references(r, &batch, 3, short_value) &&
              read_references(r, &batch, 4, short_value) &&
              read_references(r, &batch, 5, short_value) &&
              read_references(r, &batch, 6, short_value) &&
              read_references(r, &batch, 7, short_value) &&
              read_references(r, &batch, 8, short_value);
    r->edge_count = batch.edge_count;
    return ok && r->consumed <= allowed(r);
}

static bool read_batch_anywhere(struct range_nodes *r, uint32_t from, uint32_t to)
{
    return read_batch(r, from, to, gcdump_groups, gcdump_short_value);
}

#ifdef GCDUMP_HAVE_BMI
GCDUMP_BMI static bool read_batch_bmi(struct range_nodes *r, uint32_t from, uint32_t to)
{
    return read_batch(r, from, to, gcdump_groups_bmi, gcdump_short_value_bmi);
}
#endif

/* One of the ranges: the work of a thread. */
static bool read_range(void *ranges, size_t number)
{
    struct range_nodes *r = (struct range_nodes *)ranges + number;
    bool (*read)(struct range_nodes *, uint32_t, uint32_t) = read_batch_anywhere;
#ifdef GCDUMP_HAVE_BMI
    if (gcdump_has_bmi())
        read = read_batch_bmi;
#endif
    r->counts = node_counts_begin(r->d);
    r->sized = sized_nodes_begin(r->d);
    r->is_read = make_room(r, 0);
    for (uint64_t i = r->from; i < r->to && r->is_read; i += BATCH) {
        if (r->in != NULL && i % TOLD_EVERY < BATCH)
            input_passed(r->in, (double)(i - r->from) / (double)(r->to - r->from));
        r->is_read =
            read(r, (uint32_t)i, (uint32_t)(i + BATCH < r->to ? i + BATCH : r->to));
    }
    sized_nodes_end(&r->sized, r->d, r->undefined, &r->counts);
    return r->is_read;
}

/* --- all of them --------------------------------------------------------------- */

static void free_ranges(struct range_nodes *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        node_counts_free(&ranges[i].counts);
        free(ranges[i].edges);
        free(ranges[i].pseudo);
    }
}

/* Whether all have been read, and together keep the rules that each of them kept. */
static bool are_one_graph(const struct range_nodes *ranges, size_t n,
                          const struct gcdump_graph *g)
{
    uint64_t edges = 0, consumed = 0, shared = 0;
    for (size_t i = 0; i < n; i++) {
        if (!ranges[i].is_read)
            return false;
        edges += ranges[i].edge_count;
        consumed += ranges[i].consumed;
        shared += ranges[i].shared;
    }
    const struct range_nodes all = {.d = ranges[0].d, .shared = shared};
    return edges <= g->most_edges && consumed <= allowed(&all);
}

struct joint {
    struct range_nodes *ranges;
    struct gcdump_graph *graph;
    uint32_t first[MOST_THREADS]; /* of the references of each range, among all */
};

/* References of a range to where they belong. The first is there already. */
static bool move_range(void *context, size_t number)
{
    struct joint *j = context;
    struct range_nodes *r = &j->ranges[number];
    struct gcdump_graph *g = j->graph;
    if (number == 0)
        return true;
    if (r->edge_count > 0)
        memcpy(g->edge_to + j->first[number], r->edges, r->edge_count * sizeof(*r->edges));
    free(r->edges);
    r->edges = NULL;
    for (uint64_t i = r->from; i < r->to; i++)
        g->edge_begin[i] += j->first[number];
    return true;
}

static void join(struct gcdump_graph *g, struct range_nodes *ranges, size_t n)
{
    struct joint j = {.ranges = ranges, .graph = g};
    size_t edges = 0, pseudo = 0, types = ranges[0].d->type_count;
    for (size_t i = 0; i < n; i++) {
        j.first[i] = (uint32_t)edges;
        edges += ranges[i].edge_count;
        pseudo += ranges[i].pseudo_count;
    }
    g->edge_count = (uint32_t)edges;
    g->edge_to =
        alloc_resize(ranges[0].edges, array_bytes(edges > 0 ? edges : 1, sizeof(node_id)));
    ranges[0].edges = NULL;
    g->pseudo = alloc_resize(NULL, array_bytes(pseudo + 1, sizeof(*g->pseudo)));
    g->pseudo_count = 0;
    g->counts = node_counts_begin(ranges[0].d);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < ranges[i].pseudo_count; k++)
            g->pseudo[g->pseudo_count++] = ranges[i].pseudo[k];
        node_counts_add(&g->counts, &ranges[i].counts, types);
    }
    workers_run(n, (unsigned)n, move_range, &j);
}

bool gcdump_graph_read(struct gcdump_graph *g, const struct gcdump *d,
                       const unsigned char *undefined, unsigned threads, struct input *in)
{
    struct range_nodes ranges[MOST_THREADS] = {0};
    if (d->node_count == 0 || d->node_count > INT32_MAX)
        return false;
    size_t n = workers_shares(d->node_count, LEAST_NODES, threads, MOST_THREADS);
    for (size_t i = 0; i < n; i++)
        ranges[i] = (struct range_nodes){.d = d,
                                         .undefined = undefined,
                                         .graph = g,
                                         .in = i == 0 ? in : NULL,
                                         .from = d->node_count * i / n,
                                         .to = d->node_count * (i + 1) / n,
                                         .most_edges = (size_t)(g->most_edges / n)};
    workers_run(n, (unsigned)n, read_range, ranges);
    bool ok = are_one_graph(ranges, n, g);
    if (ok)
        join(g, ranges, (size_t)n);
    free_ranges(ranges, (size_t)n);
    return ok;
}
