#include "series/sampler.h"

#include "base/alloc.h"
#include "base/little_endian.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>

uint64_t sample_hash(node_id node, uint64_t seed)
{
    unsigned char key[8] = {0};
    le_put(key, node, 4);
    return XXH3_64bits_withSeed(key, sizeof(key), seed);
}

static bool is_after(struct sample a, struct sample b)
{
    return a.hash != b.hash ? a.hash > b.hash : a.node > b.node;
}

static void swap(struct sample *a, struct sample *b)
{
    struct sample t = *a;
    *a = *b;
    *b = t;
}

static void sift_down(struct sampler *s)
{
    for (uint32_t i = 0;;) {
        uint32_t largest = i, left = 2 * i + 1, right = left + 1;
        if (left < s->len && is_after(s->heap[left], s->heap[largest]))
            largest = left;
        if (right < s->len && is_after(s->heap[right], s->heap[largest]))
            largest = right;
        if (largest == i)
            return;
        swap(&s->heap[i], &s->heap[largest]);
        i = largest;
    }
}

void sampler_offer(struct sampler *s, node_id node, uint64_t seed)
{
    sampler_offer_hashed(s, node, sample_hash(node, seed));
}

void sampler_offer_hashed(struct sampler *s, node_id node, uint64_t hash)
{
    s->instances++;
    struct sample new = {hash, node};
    if (s->len < s->cap) {
        s->heap = grow(s->heap, s->len, &s->capacity, sizeof(*s->heap));
        s->heap[s->len++] = new;
        uint32_t i = s->len - 1;
        for (; i > 0 && is_after(s->heap[i], s->heap[(i - 1) / 2]); i = (i - 1) / 2)
            swap(&s->heap[i], &s->heap[(i - 1) / 2]);
    } else if (s->cap > 0 && is_after(s->heap[0], new)) {
        s->heap[0] = new;
        sift_down(s);
    }
}

static int by_hash(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return is_after(*x, *y) - is_after(*y, *x);
}

void sampler_sort(struct sampler *s)
{
    if (s->len > 0)
        qsort(s->heap, s->len, sizeof(*s->heap), by_hash);
}

void sampler_free(struct sampler *s)
{
    free(s->heap);
    *s = (struct sampler){0};
}
