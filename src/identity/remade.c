#include "identity/remade.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Several objects hold it. */
#define SEVERAL (NO_NODE - 1)

/* Of two snapshots: who became whom, and by number of a thing of the newer one that stayed
 * the object that holds it and went, or came. */
struct wrapping {
    const struct hd_snapshot *older, *newer;
    const node_id *next;     /* of nodes of the older; NO_NODE: it went */
    uint64_t *was;           /* a bit per node of the newer: was there before */
    node_id *before, *after; /* holders; NO_NODE: none */
};

static bool is_object(const struct hd_snapshot *snap, node_id n)
{
    return snap->types[snap->graph->type[n]].kind == TYPE_OBJECT;
}

static void hold(node_id *holder, node_id thing, node_id n)
{
    if (holder[thing] != n)
        holder[thing] = holder[thing] == NO_NODE ? n : SEVERAL;
}

static void find_holders(struct wrapping *w)
{
    const struct graph *a = w->older->graph, *b = w->newer->graph;
    for (node_id n = 0; n < a->node_count; n++)
        for (uint32_t i = a->edge_begin[n];
             w->next[n] == NO_NODE && is_object(w->older, n) && i < a->edge_begin[n + 1];
             i++)
            if (w->next[a->edge_to[i]] != NO_NODE)
                hold(w->before, w->next[a->edge_to[i]], n);
    for (node_id n = 0; n < b->node_count; n++)
        for (uint32_t i = b->edge_begin[n];
             !bits_have(w->was, n) && is_object(w->newer, n) && i < b->edge_begin[n + 1];
             i++)
            if (bits_have(w->was, b->edge_to[i]))
                hold(w->after, b->edge_to[i], n);
}

static bool are_alike(const struct wrapping *w, node_id old, node_id new)
{
    const struct graph *a = w->older->graph, *b = w->newer->graph;
    return graph_size(a, old) == graph_size(b, new) &&
           strcmp(w->older->types[a->type[old]].name, w->newer->types[b->type[new]].name) ==
               0;
}

/* The next reference from *i on to what stayed, or NO_NODE; false if there is one before it
 * to something else that is not its like. */
static bool next_held(const struct graph *g, node_id n, const struct wrapping *w,
                      uint32_t *i, node_id *held)
{
    bool is_older = g == w->older->graph;
    for (*held = NO_NODE; *i < g->edge_begin[n + 1]; (*i)++) {
        node_id to = g->edge_to[*i];
        node_id thing = is_older ? w->next[to] : bits_have(w->was, to) ? to : NO_NODE;
        if (thing != NO_NODE) {
            *held = thing;
            (*i)++;
            return true;
        }
        if (g->type[to] != g->type[n])
            return false;
    }
    return true;
}

static bool hold_the_same(const struct wrapping *w, node_id old, node_id new)
{
    const struct graph *a = w->older->graph, *b = w->newer->graph;
    uint32_t i = a->edge_begin[old], j = b->edge_begin[new];
    node_id x, y;
    do {
        if (!next_held(a, old, w, &i, &x) || !next_held(b, new, w, &j, &y) || x != y)
            return false;
    } while (x != NO_NODE);
    return true;
}

/* The one that came which alone holds what this one held alone. */
static node_id successor_of(const struct wrapping *w, node_id old)
{
    const struct graph *a = w->older->graph;
    for (uint32_t i = a->edge_begin[old]; i < a->edge_begin[old + 1]; i++) {
        node_id thing = w->next[a->edge_to[i]];
        if (thing == NO_NODE || w->before[thing] != old || w->after[thing] >= SEVERAL)
            continue;
        node_id new = w->after[thing];
        return are_alike(w, old, new) && hold_the_same(w, old, new) ? new : NO_NODE;
    }
    return NO_NODE;
}

static node_id *no_nodes(size_t count)
{
    node_id *all = alloc_resize(NULL, array_bytes(count + 1, sizeof(*all)));
    memset(all, 0xFF, (count + 1) * sizeof(*all)); /* NO_NODE */
    return all;
}

void same_add_remade(struct same *s, const struct hd_snapshot *older,
                     const struct hd_snapshot *newer)
{
    size_t count = newer->graph->node_count;
    if (s->source == HD_SAME_UNKNOWN)
        return;
    struct wrapping w = {.older = older,
                         .newer = newer,
                         .next = s->next,
                         .was = bits_new(count),
                         .before = no_nodes(count),
                         .after = no_nodes(count)};
    node_id *found = no_nodes(s->count);
    for (node_id n = 0; n < s->count; n++)
        if (s->next[n] != NO_NODE)
            bits_set(w.was, s->next[n]);
    find_holders(&w);
    for (node_id n = 0; n < s->count; n++)
        if (s->next[n] == NO_NODE && is_object(older, n))
            found[n] = successor_of(&w, n);
    for (node_id n = 0; n < s->count; n++)
        if (found[n] != NO_NODE)
            s->next[n] = found[n];
    free(found);
    free(w.before);
    free(w.after);
    free(w.was);
}
