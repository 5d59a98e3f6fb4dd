/* A record begins with type * 2 + 1 if its size follows, else type * 2. Both numbers have
 * 1 or 2 bytes as a rule, in no order that could be foreseen, so they are taken from eight
 * bytes without asking: a wrongly foreseen branch costs as much as all of that. */
#include "format/gcdump_tables.h"

#include "base/alloc.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* A type with flag and a size of up to 4 bytes each, and the loads of both. */
    HEAD_BYTES = 16,
    AHEAD = 24, /* nodes whose records are fetched early: they lie anywhere */
    LEAST_NODES = 100000,
    MOST_THREADS = 64
};

uint32_t gcdump_u32(const unsigned char *table, uint64_t i)
{
    const unsigned char *p = table + 4 * i;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

uint64_t gcdump_u64(const unsigned char *table, uint64_t i)
{
    return gcdump_u32(table, 2 * i) | (uint64_t)gcdump_u32(table, 2 * i + 1) << 32;
}

/* --- a record --------------------------------------------------------------- */

struct head {
    uint32_t type;
    int32_t size;
};

static inline uint32_t four_bytes(const unsigned char *p)
{
    uint32_t v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    return v;
}

/* gcdump_compressed() for at most 4 bytes, *len of them; 5 if there are more. */
static inline int32_t short_value(const unsigned char *p, unsigned *len)
{
    uint32_t v = four_bytes(p), ends = ~v & 0x80808080;
    *len = ends != 0 ? (unsigned)__builtin_clz(ends) / 8 + 1 : 5;
    /* The groups side by side, then those of this value, with its sign. */
    v = (v & 0x7F) | (v >> 1 & 0x3F80) | (v >> 2 & 0x1FC000) | (v >> 3 & 0xFE00000);
    v <<= 4;
    unsigned bits = 7 * *len;
    return bits <= 28 ? (int32_t)v >> (32 - bits) : 0;
}

static bool any_head(const struct gcdump *d, uint32_t offset, struct head *h)
{
    const unsigned char *at = d->blob.data + offset, *end = d->blob.data + d->blob.size;
    bool ok = true;
    uint32_t type_and_flag = (uint32_t)gcdump_compressed(&at, end, &ok);
    h->type = type_and_flag >> 1;
    if (!ok || h->type >= d->type_count)
        return false;
    h->size = type_and_flag & 1 ? gcdump_compressed(&at, end, &ok)
                                : d->types[h->type].default_size;
    return ok;
}

/* --- a range of nodes --------------------------------------------------------- */

struct range_count {
    const struct gcdump *d;
    const unsigned char *undefined;
    const int32_t *default_sizes;
    uint64_t from, to;
    struct node_counts counts;
    bool is_counted; /* to its end: no record is damaged */
};

static void count_generation(struct range_count *r, const struct head *h, uint64_t i)
{
    const struct gcdump *d = r->d;
    enum generation gen = ranges_find(&d->ranges, gcdump_u64(d->addresses, i));
    struct tally *t = &r->counts.by_generation[(size_t)h->type * GENERATION_COUNT + gen];
    t->count++;
    t->bytes += (uint64_t)h->size;
}

static void count_head(struct range_count *r, const struct head *h, uint64_t i)
{
    struct node_count *t = &r->counts.types[h->type];
    if (h->size == 0 && !r->undefined[h->type] && gcdump_u64(r->d->addresses, i) == 0) {
        t->pseudo++;
        return;
    }
    t->objects.count++;
    t->objects.bytes += (uint64_t)h->size;
    if (r->counts.by_generation != NULL && !r->undefined[h->type])
        count_generation(r, h, i);
}

static bool count_nodes(struct range_count *r)
{
    const struct gcdump *d = r->d;
    const unsigned char *offsets = d->offsets, *blob = d->blob.data;
    const int32_t *default_sizes = r->default_sizes;
    const uint64_t safe = d->blob.size < HEAD_BYTES ? 0 : d->blob.size - HEAD_BYTES;
    for (uint64_t i = r->from; i < r->to; i++) {
        if (i + AHEAD < r->to)
            __builtin_prefetch(blob + gcdump_u32(offsets, i + AHEAD));
        uint32_t offset = gcdump_u32(offsets, i);
        struct head h;
        unsigned type_len = 5, size_len = 5;
        if (offset < safe) {
            int32_t type_and_flag = short_value(blob + offset, &type_len);
            int32_t size = short_value(blob + offset + type_len, &size_len);
            h.type = (uint32_t)type_and_flag >> 1;
            if (h.type >= d->type_count)
                h.type = 0, type_len = 5;
            bool has_size = type_and_flag & 1;
            h.size = has_size ? size : default_sizes[h.type];
            size_len = has_size ? size_len : 0;
        }
        if (offset >= d->blob.size)
            return false;
        if ((type_len > 4 || size_len > 4) && !any_head(d, offset, &h))
            return false;
        if (h.size < 0)
            return false;
        count_head(r, &h, i);
    }
    return true;
}

static struct node_counts no_counts(const struct gcdump *d)
{
    size_t types = d->type_count;
    struct node_counts c = {.types = alloc_zeroed(array_bytes(types, sizeof(*c.types)))};
    if (d->has_generations)
        c.by_generation =
            alloc_zeroed(array_bytes(types * GENERATION_COUNT, sizeof(*c.by_generation)));
    return c;
}

/* One of the ranges: the work of a thread. */
static bool count_range(void *ranges, size_t i)
{
    struct range_count *r = (struct range_count *)ranges + i;
    r->counts = no_counts(r->d);
    r->is_counted = count_nodes(r);
    return r->is_counted;
}

/* --- all of them --------------------------------------------------------------- */

static void add(struct tally *to, const struct tally *more)
{
    to->count += more->count;
    to->bytes += more->bytes;
}

/* Sizes have 31 bits and nodes 32, so no sum can overflow. */
static void add_counts(struct node_counts *to, const struct node_counts *more, size_t types)
{
    for (size_t t = 0; t < types; t++) {
        add(&to->types[t].objects, &more->types[t].objects);
        to->types[t].pseudo += more->types[t].pseudo;
    }
    bool generations = to->by_generation != NULL && more->by_generation != NULL;
    for (size_t i = 0; generations && i < types * GENERATION_COUNT; i++)
        add(&to->by_generation[i], &more->by_generation[i]);
}

void node_counts_free(struct node_counts *counts)
{
    free(counts->types);
    free(counts->by_generation);
    *counts = (struct node_counts){0};
}

static int32_t *list_default_sizes(const struct gcdump *d)
{
    int32_t *sizes = alloc_zeroed(array_bytes((size_t)d->type_count + 1, sizeof(*sizes)));
    for (uint32_t t = 0; t < d->type_count; t++)
        sizes[t] = d->types[t].default_size;
    return sizes;
}

bool gcdump_count(const struct gcdump *d, const unsigned char *undefined, unsigned threads,
                  struct node_counts *counts)
{
    struct range_count ranges[MOST_THREADS];
    uint64_t worth = d->node_count / LEAST_NODES, n = threads;
    n = n > MOST_THREADS ? MOST_THREADS : n;
    n = n > worth ? worth : n;
    n = n < 1 ? 1 : n;
    int32_t *default_sizes = list_default_sizes(d);
    for (uint64_t i = 0; i < n; i++)
        ranges[i] = (struct range_count){.d = d,
                                         .undefined = undefined,
                                         .default_sizes = default_sizes,
                                         .from = d->node_count * i / n,
                                         .to = d->node_count * (i + 1) / n};
    workers_run((size_t)n, (unsigned)n, count_range, ranges);
    bool ok = true;
    *counts = no_counts(d);
    for (uint64_t i = 0; i < n; i++) {
        /* Behind a damaged range others may not have been begun. */
        ok = ok && ranges[i].is_counted;
        if (ok)
            add_counts(counts, &ranges[i].counts, d->type_count);
        node_counts_free(&ranges[i].counts);
    }
    free(default_sizes);
    if (!ok)
        node_counts_free(counts);
    return ok;
}
