#include "chains/chain_index.h"

#include "base/pair_table.h"
#include "chains/chain_owner.h"
#include "chains/chains.h"

#include <stdlib.h>

struct indexer {
    struct chain_index *x;
    struct pair_table children;
    struct pair_table steps; /* a number for each type and field that leads to it */
    uint32_t step_count;
};

static uint32_t add_chain(struct chain_index *x, uint32_t parent, uint32_t type,
                          field_id by)
{
    if (x->len == x->cap) {
        x->cap = x->cap > 0 ? array_bytes(x->cap, 2) : 1024;
        x->parent = alloc_resize(x->parent, array_bytes(x->cap, sizeof(*x->parent)));
        x->type = alloc_resize(x->type, array_bytes(x->cap, sizeof(*x->type)));
        x->length = alloc_resize(x->length, array_bytes(x->cap, sizeof(*x->length)));
        if (x->by != NULL)
            x->by = alloc_resize(x->by, array_bytes(x->cap, sizeof(*x->by)));
    }
    if (x->by != NULL)
        x->by[x->len] = by;
    x->parent[x->len] = parent;
    x->type[x->len] = type;
    x->length[x->len] = parent != NO_CHAIN ? x->length[parent] + 1 : 0;
    return (uint32_t)x->len++;
}

/* The last 2p elements with the new type: do the two halves agree? Then the chain is the
 * one that ends where the first half does. */
static uint32_t folded(const struct chain_index *x, uint32_t chain, uint32_t type,
                       field_id by, uint32_t p)
{
    if (x->length[chain] + 1 < 2 * p)
        return NO_CHAIN;
    uint32_t last[2 * SIGNATURE_PERIODS], at = chain, half = chain;
    field_id fields[2 * SIGNATURE_PERIODS] = {by};
    last[0] = type;
    for (uint32_t i = 1; i < 2 * p; i++, at = x->parent[at]) {
        last[i] = x->type[at];
        fields[i] = x->by != NULL ? x->by[at] : by;
        if (i < p)
            half = x->parent[at];
    }
    for (uint32_t i = 0; i < p; i++)
        if (last[i] != last[i + p] || (x->by != NULL && fields[i] != fields[i + p]))
            return NO_CHAIN;
    return half;
}

static uint32_t step_of(struct indexer *in, uint32_t type, field_id by)
{
    if (in->x->by == NULL)
        return type;
    uint32_t step = pair_table_put(&in->steps, type, by, in->step_count);
    in->step_count += step == in->step_count;
    return step;
}

static uint32_t extend(struct indexer *in, uint32_t chain, uint32_t type, field_id by)
{
    struct chain_index *x = in->x;
    for (uint32_t p = 1; p <= SIGNATURE_PERIODS; p++) {
        uint32_t same = folded(x, chain, type, by, p);
        if (same != NO_CHAIN)
            return same;
    }
    uint32_t next = (uint32_t)x->len;
    uint32_t found = pair_table_put(&in->children, chain, step_of(in, type, by), next);
    return found == next ? add_chain(x, chain, type, by) : found;
}

struct chain_index_builder {
    const struct chain_index_question *ask;
    struct indexer in;
    uint32_t unreachable; /* the chain of what no root reaches */
    node_id *up;          /* nodes whose chains wait for that of their parent */
    size_t cap;
};

/* The chain of a node, after those above it. */
static void index_node(struct chain_index_builder *b, node_id n, size_t most)
{
    const struct graph *g = b->ask->snap->graph;
    const struct walk *walk = b->ask->walk;
    struct chain_index *x = b->in.x;
    size_t depth = 0;
    for (node_id at = n; at != NO_NODE && at != g->root && x->of_node[at] == NO_CHAIN;
         at = walk->parent[at]) {
        b->up = grow(b->up, depth, &b->cap, sizeof(*b->up));
        b->up[depth++] = at;
    }
    while (depth > 0 && x->len <= most) {
        node_id at = b->up[--depth], above = walk->parent[at];
        uint32_t chain = above == NO_NODE   ? b->unreachable
                         : above == g->root ? 0
                                            : x->of_node[above];
        x->of_node[at] = extend(&b->in, chain, g->type[at],
                                b->ask->field_of != NULL ? b->ask->field_of[at] : NO_FIELD);
    }
}

struct chain_index chain_index_build(const struct chain_index_question *ask)
{
    const struct graph *g = ask->snap->graph;
    struct chain_index x = {0};
    struct chain_index_builder b = {.ask = ask, .in = {.x = &x}};
    x.of_node = alloc_unknown((size_t)g->node_count + 1);
    if (ask->field_of != NULL)
        x.by = alloc_resize(NULL, sizeof(*x.by));
    add_chain(&x, NO_CHAIN, 0, NO_FIELD);
    b.unreachable = extend(&b.in, 0, UNREACHABLE_GROUP, NO_FIELD);
    size_t count = ask->nodes != NULL ? ask->count : g->node_count;
    size_t most = ask->most > 0 ? ask->most : SIZE_MAX;
    for (size_t i = 0; i < count && x.len <= most; i++)
        index_node(&b, ask->nodes != NULL ? ask->nodes[i] : (node_id)i, most);
    free(b.up);
    pair_table_free(&b.in.children);
    pair_table_free(&b.in.steps);
    return x;
}

void chain_index_free(struct chain_index *x)
{
    free(x->of_node);
    free(x->parent);
    free(x->type);
    free(x->length);
    free(x->by);
    *x = (struct chain_index){0};
}
