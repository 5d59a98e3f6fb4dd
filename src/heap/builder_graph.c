#include "heap/builder_graph.h"

#include "base/error.h"
#include "base/workers.h"

#include <stdlib.h>
#include <string.h>

/* --- room -------------------------------------------------------------------- */

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

/* --- its end ----------------------------------------------------------------- */

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
