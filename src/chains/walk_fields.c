#include "chains/walk_fields.h"

#include <stdlib.h>
#include <string.h>

struct asker {
    const struct graph *g;
    const node_id *parent;
    const uint64_t *wanted; /* NULL: all */
    field_id *of_node;
    field_id *ids; /* of the references of one object */
    size_t cap;
};

static bool is_wanted(const struct asker *a, node_id n)
{
    return a->parent[n] != NO_NODE && (a->wanted == NULL || bits_have(a->wanted, n));
}

/* The first of several references decides, as in field_between(). */
static void ask_parent(struct asker *a, node_id n)
{
    const struct graph *g = a->g;
    uint32_t begin = g->edge_begin[n], count = g->edge_begin[n + 1] - begin;
    if (count > a->cap) {
        a->cap = count;
        a->ids = alloc_resize(a->ids, array_bytes(count, sizeof(*a->ids)));
    }
    if (count == 0)
        return;
    g->fields->of_node(g->fields->context, n, a->ids);
    for (uint32_t i = count; i-- > 0;) {
        node_id to = g->edge_to[begin + i];
        if (a->parent[to] == n && is_wanted(a, to))
            a->of_node[to] = a->ids[i] < g->fields->name_count ? a->ids[i] : NO_FIELD;
    }
}

field_id *walk_fields(const struct graph *g, const node_id *parent, const uint64_t *wanted,
                      struct arena *a)
{
    if (g->fields == NULL)
        return NULL;
    struct arena scratch = {0};
    struct asker asker = {.g = g,
                          .parent = parent,
                          .wanted = wanted,
                          .of_node = arena_array(a, field_id, g->node_count)};
    uint64_t *parents = arena_array(&scratch, uint64_t, bits_words(g->node_count));
    memset(asker.of_node, 0xFF, array_bytes(g->node_count, sizeof(field_id)));
    for (node_id n = 0; n < g->node_count; n++)
        if (is_wanted(&asker, n))
            bits_set(parents, parent[n]);
    for (node_id n = 0; n < g->node_count; n++)
        if (bits_have(parents, n))
            ask_parent(&asker, n);
    free(asker.ids);
    arena_free(&scratch);
    return asker.of_node;
}
