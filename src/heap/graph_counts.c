#include "heap/graph_counts.h"

#include "base/arena.h"
#include "heap/root_kind.h"

/* A bit for every node that is no object, and one for every block of nodes with such a
 * one: these are few and stand together, so the bits of blocks stay in the cache where the
 * types of all targets would not. */
struct others {
    uint64_t *nodes, *blocks;
};

enum { BLOCK_BITS = 9 }; /* of nodes: 512 */

static bool is_other(const struct others *o, node_id n)
{
    return bits_have(o->blocks, n >> BLOCK_BITS) && bits_have(o->nodes, n);
}

static struct others mark_others(const struct hd_snapshot *snap, struct arena *a)
{
    const struct graph *g = snap->graph;
    size_t words = bits_words(g->node_count);
    struct others o = {arena_array(a, uint64_t, words),
                       arena_array(a, uint64_t, (words >> BLOCK_BITS) + 1)};
    unsigned char *other = arena_array(a, unsigned char, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        other[t] = snap->types[t].kind != TYPE_OBJECT;
    for (node_id n = 0; n < g->node_count; n++) {
        if (!other[g->type[n]])
            continue;
        bits_set(o.nodes, n);
        bits_set(o.blocks, n >> BLOCK_BITS);
    }
    return o;
}

/* Those of one node that is no object: if it groups roots, they are roots. */
static void take_off_references(struct hd_snapshot *snap, const struct others *o, node_id n)
{
    const struct graph *g = snap->graph;
    uint64_t objects = 0;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        objects += !is_other(o, g->edge_to[e]);
    snap->info.references -= objects;
    if (snap->types[g->type[n]].kind == TYPE_PSEUDO)
        snap->info.roots += objects;
}

/* All, without those to others and those of others. */
void graph_counts_references(struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct hd_info *info = &snap->info;
    struct arena scratch = {0};
    struct others o = mark_others(snap, &scratch);
    uint64_t to_others = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        to_others += is_other(&o, g->edge_to[e]);
    info->references = g->edge_count - to_others;
    info->roots = 0;
    for (uint32_t word = 0; word <= g->node_count / 64; word++)
        for (uint64_t left = o.nodes[word]; left != 0; left &= left - 1)
            take_off_references(snap, &o, word * 64 + (uint32_t)__builtin_ctzll(left));
    info->has_roots = info->roots > 0;
    arena_free(&scratch);
}

/* Which kind of root each pseudo-node's references are: its own name's, else the
 * kind of the node above it. Walks the pseudo-nodes only. */
void graph_counts_roots(struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct arena scratch = {0};
    unsigned char *kind = arena_array(&scratch, unsigned char, g->node_count);
    node_id *queue = arena_array(&scratch, node_id, g->node_count);
    uint32_t head = 0, tail = 0;
    enum { UNSEEN = 0, SEEN = 1 };
    queue[tail++] = g->root;
    kind[g->root] = SEEN + HD_ROOT_OTHER;
    while (head < tail) {
        node_id n = queue[head++];
        enum hd_root_kind above = (enum hd_root_kind)(kind[n] - SEEN);
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            const struct type *t = &snap->types[g->type[to]];
            if (t->kind == TYPE_OBJECT)
                snap->roots_by_kind[above]++;
            if (t->kind != TYPE_PSEUDO || kind[to] != UNSEEN)
                continue;
            kind[to] = (unsigned char)(SEEN + root_kind_below(t->name, above));
            queue[tail++] = to;
        }
    }
    arena_free(&scratch);
}
