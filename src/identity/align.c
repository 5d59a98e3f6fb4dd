#include "identity/align.h"

#include "identity/align_parts.h"

#include <stdlib.h>
#include <string.h>

/* Keys are hashes: of pairs that were found by them, those stay that are of one type and
 * size indeed. Types of one snapshot that another one has are remembered. */
static void tell(struct same *s, const struct alignment *al)
{
    const struct side *a = &al->a, *b = &al->b;
    type_id *twin =
        alloc_resize(NULL, array_bytes((size_t)a->snap->type_count + 1, sizeof(*twin)));
    memset(twin, 0xFF, array_bytes(a->snap->type_count, sizeof(*twin)));
    for (uint32_t x = 0; x < a->len; x++) {
        if (!IS_MATE(a->mate[x]))
            continue;
        node_id from = a->node[x], to = b->node[a->mate[x]];
        type_id in_a = a->graph->type[from], in_b = b->graph->type[to];
        if (twin[in_a] != in_b &&
            strcmp(a->snap->types[in_a].name, b->snap->types[in_b].name) != 0)
            continue;
        twin[in_a] = in_b;
        if (graph_size(a->graph, from) == graph_size(b->graph, to))
            s->next[from] = to;
    }
    free(twin);
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
        s->source = al.by_contents ? HD_SAME_BY_CONTENTS : HD_SAME_BY_ORDER;
        s->count = older->graph->node_count;
        s->next = alloc_resize(NULL, array_bytes((size_t)s->count + 1, sizeof(*s->next)));
        memset(s->next, 0xFF, array_bytes(s->count, sizeof(*s->next)));
        tell(s, &al);
    }
    uint64_t work = al.work;
    alignment_end(&al);
    return work;
}
