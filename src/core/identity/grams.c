#include "identity/grams.h"

#include "base/radix_sort.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* A part of a heap of eight million objects sorts in the cache; more parts would be too
 * many places to write to at a time. */
enum { PART_BITS = 10, PARTS = 1 << PART_BITS };

struct gram_sink {
    uint64_t *entry; /* NULL: only count */
    uint32_t *at;    /* per part */
};

struct part_pairs {
    uint64_t *all;
    size_t len, cap;
};

struct join {
    gram_source *source;
    void *context;
    uint64_t *entry[2];
    uint32_t *begin[2];       /* per part, and the end */
    struct part_pairs *found; /* per part */
};

void gram_add(struct gram_sink *sink, uint32_t hash, uint32_t position)
{
    uint32_t *at = &sink->at[hash >> (32 - PART_BITS)];
    if (sink->entry != NULL)
        sink->entry[*at] = gram_entry(hash, position);
    (*at)++;
}

void grams_in_rows(void *context, size_t side, struct gram_sink *sink)
{
    const uint64_t factor = 0x9E3779B97F4A7C15U;
    const struct gram_rows *rows = context;
    const struct side *s = side == 0 ? &rows->al->a : &rows->al->b;
    uint64_t hash = 0, first = 1; /* what the key that leaves is multiplied by */
    uint32_t len = 0, width = rows->width;
    for (uint32_t i = 0; i < width; i++)
        first *= factor;
    for (uint32_t p = 0; p < s->len; p++) {
        if (s->mate[p] != FREE) {
            len = 0, hash = 0;
            continue;
        }
        hash = hash * factor + s->key[p];
        if (len++ >= width)
            hash -= first * s->key[p - width];
        uint64_t stirred = stir(hash);
        if (len >= width && (stirred & rows->without) == 0)
            gram_add(sink, (uint32_t)(stirred >> 32), p + 1 - width);
    }
}

/* --- dealing out ---------------------------------------------------------------------- */

static bool deal_out(void *context, size_t side)
{
    struct join *j = context;
    uint32_t *begin = alloc_zeroed(array_bytes(PARTS + 1, sizeof(*begin)));
    struct gram_sink sink = {.at = begin};
    j->source(j->context, side, &sink);
    j->begin[side] = alloc_zeroed(array_bytes(PARTS + 1, sizeof(*begin)));
    uint32_t count = 0;
    for (size_t i = 0; i <= PARTS; i++) {
        uint32_t of_part = begin[i];
        begin[i] = count;
        count += of_part;
    }
    memcpy(j->begin[side], begin, (PARTS + 1) * sizeof(*begin));
    sink.entry = j->entry[side] = alloc_resize(NULL, array_bytes((size_t)count + 1, 8));
    j->source(j->context, side, &sink);
    free(begin);
    return true;
}

/* --- joining ---------------------------------------------------------------------- */

struct grams_part {
    const uint64_t *entry[2];
    size_t len[2];
};

static size_t group_end(const uint64_t *entry, size_t i, size_t len)
{
    size_t end = i + 1;
    while (end < len && gram_hash(entry[end]) == gram_hash(entry[i]))
        end++;
    return end;
}

static void find_pairs(struct part_pairs *f, const struct grams_part *p)
{
    const uint64_t *a = p->entry[0], *b = p->entry[1];
    for (size_t i = 0, k = 0, i_end, k_end; i < p->len[0] && k < p->len[1];) {
        i_end = gram_hash(a[i]) <= gram_hash(b[k]) ? group_end(a, i, p->len[0]) : i;
        k_end = gram_hash(b[k]) <= gram_hash(a[i]) ? group_end(b, k, p->len[1]) : k;
        if (i_end == i + 1 && k_end == k + 1) {
            f->all = grow(f->all, f->len, &f->cap, sizeof(*f->all));
            f->all[f->len++] = gram_pair(gram_position(a[i]), gram_position(b[k]));
        }
        i = i_end, k = k_end;
    }
}

static bool join_part(void *context, size_t i)
{
    struct join *j = context;
    struct grams_part p;
    for (int s = 0; s < 2; s++) {
        p.entry[s] = j->entry[s] + j->begin[s][i];
        p.len[s] = j->begin[s][i + 1] - j->begin[s][i];
    }
    if (p.len[0] == 0 || p.len[1] == 0)
        return true;
    size_t most = p.len[0] > p.len[1] ? p.len[0] : p.len[1];
    uint64_t *buffers = alloc_resize(NULL, array_bytes(most, sizeof(*buffers)));
    for (int s = 0; s < 2; s++)
        radix_sort(j->entry[s] + j->begin[s][i], NULL, p.len[s], buffers, NULL);
    free(buffers);
    find_pairs(&j->found[i], &p);
    return true;
}

static struct gram_pairs collect(struct join *j)
{
    struct gram_pairs pairs = {0};
    for (size_t i = 0; i < PARTS; i++)
        pairs.len += j->found[i].len;
    pairs.all = alloc_resize(NULL, array_bytes(pairs.len + 1, sizeof(*pairs.all)));
    for (size_t i = 0, len = 0; i < PARTS; i++) {
        if (j->found[i].len > 0)
            memcpy(pairs.all + len, j->found[i].all, j->found[i].len * sizeof(*pairs.all));
        len += j->found[i].len;
        free(j->found[i].all);
    }
    uint64_t *buffers = alloc_resize(NULL, array_bytes(pairs.len + 1, sizeof(*buffers)));
    radix_sort(pairs.all, NULL, pairs.len, buffers, NULL);
    free(buffers);
    return pairs;
}

struct gram_pairs grams_join(gram_source *source, void *context, unsigned threads)
{
    struct join j = {.source = source, .context = context};
    workers_run(2, threads, deal_out, &j);
    j.found = alloc_zeroed(array_bytes(PARTS, sizeof(*j.found)));
    workers_run(PARTS, threads, join_part, &j);
    for (int s = 0; s < 2; s++) {
        free(j.entry[s]);
        free(j.begin[s]);
    }
    struct gram_pairs pairs = collect(&j);
    free(j.found);
    return pairs;
}
