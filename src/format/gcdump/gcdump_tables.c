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
    bool is_counted; /* to its end: no record is damaged */
};

static bool count_nodes(struct range_count *r)
{
    const struct gcdump *d = r->d;
    for (uint64_t i = r->from; i < r->to; i++) {
        if (i + AHEAD < r->to)
            __builtin_prefetch(d->blob.data + gcdump_u32(d->offsets, i + AHEAD));
        uint32_t offset = gcdump_u32(d->offsets, i);
        if (offset >= d->blob.size)
            return false;
        const unsigned char *at = d->blob.data + offset;
        struct gcdump_head h;
        if (!gcdump_head(d, &at, &h))
            return false;
        gcdump_count_node(&r->counts, d, r->undefined, &h, i);
    }
    return true;
}

struct node_counts node_counts_begin(const struct gcdump *d)
{
    size_t types = d->type_count;
    struct node_counts c = {.types = alloc_zeroed(array_bytes(types, sizeof(*c.types)))};
    if (d->has_generations)
        c.by_generation = alloc_zeroed(
            array_bytes(types * HD_GENERATION_COUNT, sizeof(*c.by_generation)));
    return c;
}

/* One of the ranges: the work of a thread. */
static bool count_range(void *ranges, size_t i)
{
    struct range_count *r = (struct range_count *)ranges + i;
    r->counts = node_counts_begin(r->d);
    r->is_counted = count_nodes(r);
    return r->is_counted;
}

/* --- all of them --------------------------------------------------------------- */

/* Sizes have 31 bits and nodes 32, so no sum can overflow. */
static void add_counts(struct node_counts *to, const struct node_counts *more, size_t types)
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
    uint64_t worth = d->node_count / LEAST_NODES, n = threads;
    n = n > MOST_THREADS ? MOST_THREADS : n;
    n = n > worth ? worth : n;
    n = n < 1 ? 1 : n;
    for (uint64_t i = 0; i < n; i++)
        ranges[i] = (struct range_count){.d = d,
                                         .undefined = undefined,
                                         .from = d->node_count * i / n,
                                         .to = d->node_count * (i + 1) / n};
    workers_run((size_t)n, (unsigned)n, count_range, ranges);
    bool ok = true;
    *counts = node_counts_begin(d);
    for (uint64_t i = 0; i < n; i++) {
        /* Behind a damaged range others may not have been begun. */
        ok = ok && ranges[i].is_counted;
        if (ok)
            add_counts(counts, &ranges[i].counts, d->type_count);
        node_counts_free(&ranges[i].counts);
    }
    if (!ok)
        node_counts_free(counts);
    return ok;
}
