#include "heap/builder_graph.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/workers.h"
#include "heap/root_kind.h"

#include <stdlib.h>
#include <string.h>

/* --- room ---------------------------------------------------------------------- */

/* Ids and offsets are 32 bits; two values are special. */
enum { ID_LIMIT_BELOW_MAX = 2 };
#define ID_LIMIT (UINT32_MAX - ID_LIMIT_BELOW_MAX)

/* Of arrays for that many nodes and edges. */
static uint64_t graph_memory(const struct builder *b, uint64_t nodes, uint64_t edges)
{
    enum { PER_NODE = sizeof(type_id) + 2 * sizeof(uint32_t), PER_EDGE = sizeof(node_id) };
    size_t per_source = b->source != NULL ? sizeof(uint32_t) + sizeof(node_id) : 0;
    return nodes * (PER_NODE + per_source) + edges * PER_EDGE;
}

/* What others have charged. */
static uint64_t beside_graph(const struct builder *b)
{
    return b->account.used - b->graph_charged;
}

/* Whether arrays of so many bytes are more than may be taken. */
static bool is_too_much(struct builder *b, uint64_t bytes)
{
    const struct account *account = builder_account(b);
    return account->limit > 0 &&
           (bytes > b->max_memory || bytes + beside_graph(b) > account->limit);
}

/* Whether arrays for that many nodes and edges are allowed; if so they are charged. */
static bool fits(struct builder *b, size_t nodes, size_t edges)
{
    uint64_t bytes = graph_memory(b, nodes, edges);
    if (b->over_memory) {
        b->most_beside =
            beside_graph(b) > b->most_beside ? beside_graph(b) : b->most_beside;
        return false;
    }
    b->over_memory = is_too_much(b, bytes);
    if (b->over_memory) {
        b->most_beside = beside_graph(b);
        b->nodes_dropped.wanted = nodes > 0 ? nodes : 1;
        b->edges_dropped.wanted = edges > 0 ? edges : 1;
        return false;
    }
    account_release(&b->account, b->graph_charged);
    account_charge(&b->account, bytes);
    b->graph_charged = bytes;
    return true;
}

/* Arrays would have been doubled until they hold all. have is what was taken. */
static void drop(struct dropped *d, uint64_t have, uint32_t more)
{
    d->count += more;
    while (d->wanted < have + d->count && d->wanted < ID_LIMIT)
        d->wanted = d->wanted < ID_LIMIT / 2 ? d->wanted * 2 : ID_LIMIT;
}

/* What would suffice. It is said once everything has come, and readers may have given
 * back what they kept meanwhile. */
static uint64_t needed_memory(const struct builder *b)
{
    return graph_memory(b, b->nodes_dropped.wanted, b->edges_dropped.wanted) +
           (beside_graph(b) > b->most_beside ? beside_graph(b) : b->most_beside);
}

static size_t doubled(size_t cap)
{
    return array_bytes(cap, 2) < ID_LIMIT ? cap * 2 : ID_LIMIT;
}

static void resize_nodes(struct builder *b, size_t cap)
{
    struct graph *g = b->graph;
    g->type = alloc_resize(g->type, array_bytes(cap, sizeof(*g->type)));
    g->small_size = alloc_resize(g->small_size, array_bytes(cap, sizeof(*g->small_size)));
    g->edge_begin =
        alloc_resize(g->edge_begin, array_bytes(cap + 1, sizeof(*g->edge_begin)));
    b->node_cap = cap;
}

static void resize_edges(struct builder *b, size_t cap)
{
    struct graph *g = b->graph;
    g->edge_to = alloc_resize(g->edge_to, array_bytes(cap, sizeof(*g->edge_to)));
    b->edge_cap = cap;
}

void builder_reserve(struct builder *b, size_t nodes, size_t edges)
{
    if (b->graph == NULL)
        b->graph = alloc_zeroed(sizeof(*b->graph));
    if (!fits(b, nodes, edges))
        nodes = edges = 1;
    resize_nodes(b, nodes > 0 ? nodes : 1);
    resize_edges(b, edges > 0 ? edges : 1);
}

uint64_t builder_most_edges(struct builder *b)
{
    size_t most = b->edge_cap;
    while (most < ID_LIMIT &&
           !is_too_much(b, graph_memory(b, b->node_cap, array_bytes(most, 2))))
        most = doubled(most);
    return most;
}

void builder_whole_graph(struct builder *b, uint32_t nodes, node_id *edge_to,
                         uint32_t edges)
{
    struct graph *g = b->graph;
    /* Charged as if they had come one by one. */
    builder_room_for_edges(b, edges);
    free(g->edge_to);
    g->node_count = nodes;
    g->edge_to = edge_to;
    g->edge_count = edges;
    b->edge_cap = edges;
}

bool builder_room_for_node(struct builder *b)
{
    enum { FIRST_NODES = 256 };
    if (b->graph == NULL)
        builder_reserve(b, FIRST_NODES, FIRST_NODES);
    struct graph *g = b->graph;
    if (g->node_count < b->node_cap)
        return true;
    if (g->node_count == ID_LIMIT)
        b->too_big = true;
    else if (fits(b, array_bytes(b->node_cap, 2), b->edge_cap))
        resize_nodes(b, doubled(b->node_cap));
    if (g->node_count < b->node_cap)
        return true;
    if (b->over_memory)
        drop(&b->nodes_dropped, g->node_count, 1);
    return false;
}

bool builder_room_for_edges(struct builder *b, uint32_t count)
{
    struct graph *g = b->graph;
    while (b->edge_cap - g->edge_count < count) {
        if (b->edge_cap == ID_LIMIT)
            b->too_big = true;
        bool room = !b->too_big && fits(b, b->node_cap, array_bytes(b->edge_cap, 2));
        if (!room && b->over_memory)
            drop(&b->edges_dropped, g->edge_count, count);
        if (!room)
            return false;
        resize_edges(b, doubled(b->edge_cap));
    }
    return true;
}

void builder_big_size(struct builder *b, node_id n, uint64_t size)
{
    struct graph *g = b->graph;
    g->big = account_grow(&b->account, g->big, g->big_count, &g->big_cap, sizeof(*g->big));
    g->big[g->big_count++] = (struct big_size){n, size};
}

void builder_root(struct builder *b, node_id root)
{
    b->graph->root = root;
}

/* --- its end ------------------------------------------------------------------- */

struct renaming {
    struct graph *graph;
    const type_id *row_of;
    size_t pieces;
};

static bool rename_piece(void *renaming, size_t piece)
{
    const struct renaming *r = renaming;
    uint64_t nodes = r->graph->node_count;
    type_id *type = r->graph->type;
    node_id end = (node_id)(nodes * (piece + 1) / r->pieces);
    for (node_id n = (node_id)(nodes * piece / r->pieces); n < end; n++)
        type[n] = r->row_of[type[n]];
    return true;
}

/* From types of the file to rows. */
static void rename_types(struct builder *b, const type_id *row_of)
{
    enum { LEAST_NODES = 1 << 18 };
    struct renaming r = {
        .graph = b->graph,
        .row_of = row_of,
        .pieces = workers_shares(b->graph->node_count, LEAST_NODES, b->threads, SIZE_MAX)};
    workers_run(r.pieces, (unsigned)r.pieces, rename_piece, &r);
}

bool builder_settle_graph(struct builder *b, const type_id *row_of, struct hd_error *err)
{
    struct graph *g = b->graph;
    if (b->too_big)
        return fail(err, HD_TOO_BIG, "more than %u objects or references",
                    (unsigned)ID_LIMIT);
    if (b->over_memory)
        return fail_memory(err, "its graph", needed_memory(b), b->max_memory);
    resize_nodes(b, g->node_count);
    resize_edges(b, g->edge_count);
    g->edge_begin[g->node_count] = g->edge_count;
    if (b->source != NULL) {
        size_t bytes = array_bytes(g->node_count, sizeof(*g->type));
        g->source_type = memcpy(alloc_resize(NULL, bytes), g->type, bytes);
    }
    rename_types(b, row_of);
    return true;
}

/* --- counts -------------------------------------------------------------------- */

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
