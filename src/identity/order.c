/* The collector keeps the order of what it slides together. So of the matches of a region
 * of the newer snapshot only the heaviest chain stays in which positions in the older one
 * rise, as long as they are in one region of it: regions are emptied into each other in any
 * order.
 *
 * Chains are found as longest rising sequences are, by a Fenwick tree of maxima, one for
 * each region of the older snapshot, here slices of one array. O(r log r) for r runs. */
#include "identity/align_parts.h"

#include "base/radix_sort.h"

#include <stdlib.h>

static const uint32_t NO_RUN = UINT32_MAX;

struct chain_end {
    uint32_t weight; /* objects */
    uint32_t run;    /* the last one of it */
};

struct order {
    struct run *run; /* by y */
    uint32_t *back;  /* the run before it in its chain */
    uint32_t *rank;  /* in its slice, from 1 */
    uint32_t *slice; /* where that begins, and how long it is */
    uint32_t *slice_len;
    struct chain_end *tree;
    size_t len, cap;
};

/* The heaviest chain, and the heaviest that ends in another region than that. */
struct heaviest {
    struct chain_end end;
    uint64_t region;
};

static bool heavier(struct chain_end a, struct chain_end b)
{
    return a.weight > b.weight || (a.weight == b.weight && a.run > b.run);
}

static void put(struct heaviest top[2], struct chain_end end, uint64_t region)
{
    if (region == top[0].region) {
        if (heavier(end, top[0].end))
            top[0].end = end;
    } else if (top[0].end.run == NO_RUN || heavier(end, top[0].end)) {
        top[1] = top[0];
        top[0] = (struct heaviest){end, region};
    } else if (top[1].end.run == NO_RUN || heavier(end, top[1].end)) {
        top[1] = (struct heaviest){end, region};
    }
}

static uint64_t region_of_run(const struct alignment *al, const struct order *o, size_t i)
{
    return region_of(al->a.address[o->run[i].x]);
}

/* Runs of one region of b, cut where a region of a ends. */
static void collect(const struct alignment *al, struct order *o, uint32_t begin,
                    uint32_t end)
{
    const struct side *a = &al->a, *b = &al->b;
    o->len = 0;
    for (uint32_t y = begin, next; y < end; y = next) {
        uint32_t x = b->mate[y];
        next = y + 1;
        if (!IS_MATE(x))
            continue;
        while (next < end && b->mate[next] == x + (next - y) &&
               region_of(a->address[x + (next - y)]) == region_of(a->address[x]))
            next++;
        o->run = grow(o->run, o->len, &o->cap, sizeof(*o->run));
        o->run[o->len++] = (struct run){x, y, next - y};
    }
}

static bool is_in_order(const struct order *o)
{
    for (size_t i = 1; i < o->len; i++)
        if (o->run[i].x < o->run[i - 1].x)
            return false;
    return true;
}

static void rank_runs(const struct alignment *al, struct order *o)
{
    uint64_t *by_x = alloc_resize(NULL, array_bytes(2 * o->len, sizeof(*by_x)));
    for (size_t i = 0; i < o->len; i++)
        by_x[i] = (uint64_t)o->run[i].x << 32 | i;
    radix_sort(by_x, NULL, o->len, by_x + o->len, NULL);
    for (size_t i = 0, end; i < o->len; i = end) {
        for (end = i; end < o->len && region_of_run(al, o, (uint32_t)by_x[end]) ==
                                          region_of_run(al, o, (uint32_t)by_x[i]);)
            end++;
        for (size_t k = i; k < end; k++) {
            uint32_t run = (uint32_t)by_x[k];
            o->rank[run] = (uint32_t)(k - i + 1);
            o->slice[run] = (uint32_t)i;
            o->slice_len[run] = (uint32_t)(end - i);
        }
    }
    free(by_x);
}

/* Gives the last run of the heaviest chain. */
static uint32_t find_chain(const struct alignment *al, struct order *o)
{
    const struct chain_end none = {0, NO_RUN};
    struct heaviest top[2] = {{none, UINT64_MAX}, {none, UINT64_MAX}};
    for (size_t i = 0; i < o->len; i++)
        o->tree[i] = none;
    for (uint32_t i = 0; i < o->len; i++) {
        uint64_t region = region_of_run(al, o, i);
        struct chain_end *tree = o->tree + o->slice[i] - 1, best = none;
        for (uint32_t k = o->rank[i] - 1; k > 0; k -= k & -k)
            if (heavier(tree[k], best))
                best = tree[k];
        const struct chain_end *other = &top[top[0].region == region].end;
        if (other->weight > best.weight)
            best = *other;
        o->back[i] = best.run;
        best = (struct chain_end){best.weight + o->run[i].len, i};
        for (uint32_t k = o->rank[i]; k <= o->slice_len[i]; k += k & -k)
            if (heavier(best, tree[k]))
                tree[k] = best;
        put(top, best, region);
    }
    return top[0].end.run;
}

static void keep_order_of_region(struct alignment *al, struct order *o)
{
    if (is_in_order(o))
        return;
    size_t bytes = array_bytes(o->len, sizeof(uint32_t));
    o->back = alloc_resize(NULL, bytes);
    o->rank = alloc_resize(NULL, bytes);
    o->slice = alloc_resize(NULL, bytes);
    o->slice_len = alloc_resize(NULL, bytes);
    rank_runs(al, o);
    o->tree = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->tree)));
    uint32_t keep = find_chain(al, o);
    for (uint32_t i = (uint32_t)o->len; i-- > 0;) {
        if (i == keep) {
            keep = o->back[i];
            continue;
        }
        for (uint32_t k = 0; k < o->run[i].len; k++)
            part(al, o->run[i].y + k);
    }
    free(o->back);
    free(o->rank);
    free(o->slice);
    free(o->slice_len);
    free(o->tree);
}

static void keep_order_of_share(struct alignment *al, struct share s)
{
    struct order o = {0};
    for (uint32_t begin = s.begin, end; begin < s.end; begin = end) {
        for (end = begin + 1; end < s.end && region_of(al->b.address[end]) ==
                                                 region_of(al->b.address[begin]);)
            end++;
        collect(al, &o, begin, end);
        keep_order_of_region(al, &o);
    }
    free(o.run);
}

void keep_order(struct alignment *al)
{
    for_each_share(al, keep_order_of_share);
}
