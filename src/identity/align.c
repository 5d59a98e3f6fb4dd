#include "identity/align.h"

#include "identity/align_parts.h"

#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

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

static bool tell_share(void *context, size_t i)
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
static void tell(struct same *s, const struct alignment *al)
{
    size_t types = al->a.snap->type_count;
    struct telling t = {.al = al, .same = s};
    s->source = al->by_contents ? HD_SAME_BY_CONTENTS : HD_SAME_BY_ORDER;
    s->count = al->a.graph->node_count;
    s->next = alloc_resize(NULL, array_bytes((size_t)s->count + 1, sizeof(*s->next)));
    t.twin = alloc_resize(NULL, array_bytes(types + 1, sizeof(*t.twin)));
    memset(t.twin, 0xFF, array_bytes(types, sizeof(*t.twin)));
    workers_run(((size_t)s->count + SHARE - 1) / SHARE, al->threads, know_nothing, &t);
    workers_run(al->a.len / SHARE + 1, al->threads, tell_share, &t);
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
        tell(s, &al);
    }
    uint64_t work = al.work;
    alignment_end(&al);
    return work;
}
