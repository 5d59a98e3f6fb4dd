#include "identity/align.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

struct place {
    uint64_t address;
    node_id node;
};

static int by_address(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static struct place *in_order(const struct hd_snapshot *snap, size_t *len)
{
    const struct graph *g = snap->graph;
    struct place *all = alloc_zeroed(array_bytes((size_t)g->node_count + 1, sizeof(*all)));
    for (node_id n = 0; n < g->node_count; n++)
        if (snap->types[g->type[n]].kind == TYPE_OBJECT && graph_address(g, n) != 0)
            all[(*len)++] = (struct place){graph_address(g, n), n};
    qsort(all, *len, sizeof(*all), by_address);
    return all;
}

void same_align(struct same *s, const struct hd_snapshot *older,
                const struct hd_snapshot *newer, unsigned threads)
{
    const struct graph *a = older->graph, *b = newer->graph;
    size_t len_a = 0, len_b = 0;
    (void)threads;
    struct place *pa = in_order(older, &len_a), *pb = in_order(newer, &len_b);
    if (len_a > 0 && len_b > 0) {
        s->source = HD_SAME_BY_ORDER;
        s->count = a->node_count;
        s->next = alloc_zeroed(array_bytes((size_t)a->node_count + 1, sizeof(*s->next)));
        memset(s->next, 0xFF, array_bytes(a->node_count, sizeof(*s->next)));
        for (size_t i = 0, k = 0; i < len_a && k < len_b;) {
            if (pa[i].address != pb[k].address) {
                pa[i].address < pb[k].address ? i++ : k++;
                continue;
            }
            if (graph_size(a, pa[i].node) == graph_size(b, pb[k].node) &&
                strcmp(older->types[a->type[pa[i].node]].name,
                       newer->types[b->type[pb[k].node]].name) == 0)
                s->next[pa[i].node] = pb[k].node;
            i++, k++;
        }
    }
    free(pa);
    free(pb);
}
