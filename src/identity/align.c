#include "identity/same.h"

#include "base/radix_sort.h"
#include "identity/align_parts.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* --- order --------------------------------------------------------------------- */

/* The collector keeps the order of what it slides together. So of all that a region of the
 * newer snapshot has of one region of the older only the heaviest part stays in which
 * positions rise on both sides; regions themselves are emptied into each other in any
 * order.
 *
 * It is found as longest rising sequences are, by a Fenwick tree of maxima, one for each
 * region of the older snapshot, here slices of one array. O(r log r) for r runs. */

static const uint32_t NO_RUN = UINT32_MAX;

struct chain_end {
    uint32_t weight; /* objects */
    uint32_t run;    /* the last one of it */
};

/* What the work on a region of b needs; 40 bytes per run. */
struct order {
    struct run *run; /* by y */
    size_t len, cap;
    uint64_t *by_x, *buffers;
    struct chain_end *tree; /* of ranks, from 1 */
    uint32_t *back;         /* per run: the one before it in its chain */
};

static bool heavier(struct chain_end a, struct chain_end b)
{
    return a.weight > b.weight || (a.weight == b.weight && a.run > b.run);
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

static struct chain_end heaviest_below(const struct order *o, size_t rank)
{
    struct chain_end best = {0, NO_RUN};
    for (size_t k = rank - 1; k > 0; k -= k & -k)
        if (heavier(o->tree[k], best))
            best = o->tree[k];
    return best;
}

/* Of runs by x, all of one region of a, the heaviest chain stays. */
static void keep_chain(struct alignment *al, struct order *o, uint64_t *runs, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        runs[i] = runs[i] << 32 | (i + 1); /* the number of the run, its rank by x */
        o->tree[i + 1] = (struct chain_end){0, NO_RUN};
    }
    radix_sort(runs, NULL, len, o->buffers, NULL);
    for (size_t i = 0; i < len; i++) {
        uint32_t run = (uint32_t)(runs[i] >> 32), rank = (uint32_t)runs[i];
        struct chain_end chain = heaviest_below(o, rank);
        o->back[run] = chain.run;
        chain = (struct chain_end){chain.weight + o->run[run].len, run};
        for (size_t k = rank; k <= len; k += k & -k)
            if (heavier(chain, o->tree[k]))
                o->tree[k] = chain;
    }
    uint32_t keep = heaviest_below(o, len + 1).run;
    for (size_t i = len; i-- > 0;) {
        uint32_t run = (uint32_t)(runs[i] >> 32);
        if (run == keep) {
            keep = o->back[run];
            continue;
        }
        for (uint32_t k = 0; k < o->run[run].len; k++)
            part(al, o->run[run].y + k);
    }
}

static void keep_order_of_region(struct alignment *al, struct order *o)
{
    if (is_in_order(o))
        return;
    o->by_x = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->by_x)));
    o->buffers = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->buffers)));
    o->tree = alloc_resize(NULL, array_bytes(o->len + 1, sizeof(*o->tree)));
    o->back = alloc_resize(NULL, array_bytes(o->len, sizeof(*o->back)));
    for (size_t i = 0; i < o->len; i++)
        o->by_x[i] = (uint64_t)o->run[i].x << 32 | i;
    radix_sort(o->by_x, NULL, o->len, o->buffers, NULL);
    for (size_t i = 0, end; i < o->len; i = end) {
        uint64_t region = region_of(al->a.address[o->by_x[i] >> 32]);
        for (end = i + 1;
             end < o->len && region_of(al->a.address[o->by_x[end] >> 32]) == region;)
            end++;
        keep_chain(al, o, o->by_x + i, end - i);
    }
    free(o->by_x);
    free(o->buffers);
    free(o->tree);
    free(o->back);
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

static void keep_order(struct alignment *al)
{
    for_each_share(al, keep_order_of_share);
}

/* --- alignment ----------------------------------------------------------------- */

enum { SHARE = 1 << 14 }; /* positions of a, and nodes, that a thread tells of at a time */

struct telling {
    const struct alignment *al;
    struct same *same;
    type_id *twin; /* per type of a: the last one of b that has its name */
};

/* Types are compared once mostly. Which thread noted a twin last changes nothing. */
static bool same_type(const struct telling *t, type_id in_a, type_id in_b)
{
    if (__atomic_load_n(&t->twin[in_a], __ATOMIC_RELAXED) == in_b)
        return true;
    if (strcmp(t->al->a.snap->types[in_a].name, t->al->b.snap->types[in_b].name) != 0)
        return false;
    __atomic_store_n(&t->twin[in_a], in_b, __ATOMIC_RELAXED);
    return true;
}

static bool know_nothing(void *context, size_t i)
{
    const struct telling *t = context;
    size_t begin = i * SHARE, left = t->same->count - begin;
    memset(t->same->next + begin, 0xFF,
           array_bytes(left < SHARE ? left : SHARE, sizeof(*t->same->next)));
    return true;
}

static bool report_share(void *context, size_t i)
{
    const struct telling *t = context;
    const struct side *a = &t->al->a, *b = &t->al->b;
    uint32_t begin = (uint32_t)i * SHARE, end = begin + SHARE;
    for (uint32_t x = begin; x < a->len && x < end; x++) {
        if (!IS_MATE(a->mate[x]))
            continue;
        node_id from = a->node[x], to = b->node[a->mate[x]];
        if (same_type(t, a->graph->type[from], b->graph->type[to]) &&
            graph_size(a->graph, from) == graph_size(b->graph, to))
            t->same->next[from] = to;
    }
    return true;
}

/* Keys are hashes: of pairs that were found by them, those stay that are of one type and
 * size indeed. */
static void report(struct same *s, const struct alignment *al)
{
    size_t types = al->a.snap->type_count;
    struct telling t = {.al = al, .same = s};
    s->source = al->by_contents ? HD_SAME_BY_CONTENTS : HD_SAME_BY_ORDER;
    s->count = al->a.graph->node_count;
    s->next = alloc_resize(NULL, array_bytes((size_t)s->count + 1, sizeof(*s->next)));
    t.twin = alloc_resize(NULL, array_bytes(types + 1, sizeof(*t.twin)));
    memset(t.twin, 0xFF, array_bytes(types, sizeof(*t.twin)));
    workers_run(((size_t)s->count + SHARE - 1) / SHARE, al->threads, know_nothing, &t);
    workers_run(al->a.len / SHARE + 1, al->threads, report_share, &t);
    free(t.twin);
}

uint64_t same_align(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer, unsigned threads)
{
    struct alignment al;
    if (alignment_begin(&al, older, newer, threads)) {
        find_in_place(&al);
        find_anchors(&al);
        sweep_regions(&al);
        if (al.by_contents) {
            find_young(&al);
            extend(&al);
            forget_what_changes(&al);
            find_anchors(&al);
        }
        fill_between(&al);
        find_young(&al);
        fill_between(&al);
        extend(&al);
        fill_between(&al);
        find_young(&al); /* again: more of their neighbours are known by now */
        keep_order(&al);
        fill_between(&al);
        report(s, &al);
    }
    uint64_t work = al.work;
    alignment_end(&al);
    return work;
}
