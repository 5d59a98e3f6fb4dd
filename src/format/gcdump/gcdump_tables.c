#include "format/gcdump/gcdump_tables.h"

#include "base/alloc.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 24, /* nodes whose records are fetched early: they lie anywhere */
    LEAST_NODES = 100000,
    MOST_THREADS = 64
};

/* --- a range of nodes --------------------------------------------------------- */

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

struct sized_nodes sized_nodes_begin(const struct gcdump *d)
{
    struct sized_nodes s = {.generations = d->has_generations ? HD_GENERATION_COUNT : 1};
    size_t bytes = array_bytes(d->type_count, s.generations * sizeof(*s.count));
    s.count = s.count_lately = alloc_zeroed(bytes);
    s.bytes = s.bytes_lately = alloc_zeroed(bytes);
    return s;
}

void sized_nodes_end(struct sized_nodes *s, const struct gcdump *d,
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
void node_counts_add(struct node_counts *to, const struct node_counts *more, size_t types)
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
