#include "heap/graph_counts.h"

#include "base/arena.h"
#include "base/workers.h"
#include "heap/root_kind.h"

#include <stdlib.h>

enum {
    BLOCK = 64,      /* nodes, of which mostly none is of interest */
    FEW = 16,        /* references, the same */
    LEAST = 1 << 18, /* that are worth a thread */
    MOST_THREADS = 64
};

/* An interval of numbers: one comparison tells what lies outside. */
struct interval {
    uint32_t first, count;
};

static inline bool is_within(struct interval in, uint32_t n)
{
    return n - in.first < in.count;
}

/* Nodes that are no objects: a bit each. They are few and stand together, as a rule at
 * either end of all nodes, so two intervals hold them all and hardly anything else. */
struct others {
    const struct hd_snapshot *snap;
    uint64_t *nodes;
    struct interval low, high;
    size_t pieces;
    uint64_t references[MOST_THREADS]; /* to them, by piece */
};

static inline bool is_other(const struct others *o, node_id n)
{
    return (is_within(o->low, n) || is_within(o->high, n)) && bits_have(o->nodes, n);
}

static uint32_t border(uint32_t all, size_t piece, size_t pieces)
{
    uint32_t at = (uint32_t)((uint64_t)all * piece / pieces);
    return piece == pieces ? all : at / BLOCK * BLOCK;
}

/* The longest run of rows that are of objects: most nodes are of one of them. */
static struct interval object_rows(const struct hd_snapshot *snap)
{
    struct interval best = {0, 0};
    uint32_t first = 0;
    for (type_id t = 0; t <= snap->type_count; t++) {
        if (t < snap->type_count && snap->types[t].kind == TYPE_OBJECT)
            continue;
        if (t - first > best.count)
            best = (struct interval){first, t - first};
        first = t + 1;
    }
    return best;
}

static bool mark_piece(void *others, size_t piece)
{
    struct others *o = others;
    const struct graph *g = o->snap->graph;
    struct interval objects = object_rows(o->snap);
    uint32_t end = border(g->node_count, piece + 1, o->pieces);
    for (node_id n = border(g->node_count, piece, o->pieces); n < end; n += BLOCK) {
        const type_id *type = g->type + n;
        uint32_t count = end - n < BLOCK ? end - n : BLOCK, outside = 0;
        for (uint32_t k = 0; count == BLOCK && k < BLOCK; k++)
            outside |= !is_within(objects, type[k]);
        for (uint32_t k = 0; (count < BLOCK || outside != 0) && k < count; k++)
            if (o->snap->types[type[k]].kind != TYPE_OBJECT)
                bits_set(o->nodes, n + k);
    }
    return true;
}

/* Both intervals, with the widest gap between them. */
static void find_intervals(struct others *o)
{
    uint32_t words = o->snap->graph->node_count / BLOCK, last = NO_NODE, widest = 0;
    struct interval *low = &o->low, *high = &o->high;
    for (uint32_t word = 0; word <= words; word++) {
        if (o->nodes[word] == 0)
            continue;
        if (last == NO_NODE)
            low->first = word * BLOCK;
        if (last == NO_NODE || word - last > widest) {
            widest = last == NO_NODE ? 0 : word - last;
            low->count = last == NO_NODE ? 0 : (last + 1) * BLOCK - low->first;
            high->first = word * BLOCK;
        }
        last = word;
    }
    if (last != NO_NODE)
        high->count = (last + 1) * BLOCK - high->first;
}

static bool count_piece(void *others, size_t piece)
{
    struct others *o = others;
    const struct graph *g = o->snap->graph;
    const struct interval low = o->low, high = o->high;
    uint32_t end = border(g->edge_count, piece + 1, o->pieces);
    uint64_t references = 0;
    for (uint32_t e = border(g->edge_count, piece, o->pieces); e < end; e += FEW) {
        const node_id *to = g->edge_to + e;
        uint32_t count = end - e < FEW ? end - e : FEW, within = 0;
        for (uint32_t k = 0; count == FEW && k < FEW; k++)
            within |= is_within(low, to[k]) | is_within(high, to[k]);
        for (uint32_t k = 0; (count < FEW || within != 0) && k < count; k++)
            references += bits_have(o->nodes, to[k]);
    }
    o->references[piece] = references;
    return true;
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
void graph_counts_references(struct hd_snapshot *snap, unsigned threads)
{
    const struct graph *g = snap->graph;
    struct hd_info *info = &snap->info;
    struct others o = {.snap = snap, .nodes = bits_new(g->node_count)};
    o.pieces = workers_shares(g->node_count, LEAST, threads, MOST_THREADS);
    workers_run(o.pieces, (unsigned)o.pieces, mark_piece, &o);
    find_intervals(&o);
    workers_run(o.pieces, (unsigned)o.pieces, count_piece, &o);
    info->references = g->edge_count;
    for (size_t piece = 0; piece < o.pieces; piece++)
        info->references -= o.references[piece];
    info->roots = 0;
    for (uint32_t word = 0; word <= g->node_count / 64; word++)
        for (uint64_t left = o.nodes[word]; left != 0; left &= left - 1)
            take_off_references(snap, &o, word * 64 + (uint32_t)__builtin_ctzll(left));
    info->has_roots = info->roots > 0;
    free(o.nodes);
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
