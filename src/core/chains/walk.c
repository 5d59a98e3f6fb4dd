/* The pseudo-nodes are walked first, and each becomes an entry of the queue of its
 * own class: "[strong Handles]" counts as a handle though it hangs below "[other
 * roots]". Then the classes are emptied one after the other through one queue.
 * Nothing here recurses: a linked list of ten million objects is an ordinary heap. */
#include "chains/walk.h"

#include <stdlib.h>
#include <string.h>

struct walker {
    const struct hd_snapshot *snap;
    const struct graph *g;
    node_id *parent;
    uint64_t *seen; /* bits */
    node_id *queue;
    uint32_t head, tail;
    struct watch *watch;
    bool stopped;
};

static void visit(struct walker *w, node_id n, node_id from)
{
    if (!bits_add(w->seen, n))
        return;
    w->parent[n] = from;
    w->queue[w->tail++] = n;
}

static void empty_queue(struct walker *w)
{
    const struct graph *g = w->g;
    while (w->head < w->tail) {
        if (w->head % WATCH_EVERY == 0 && !watch_goes_on(w->watch, w->head, g->node_count))
            w->stopped = true;
        if (w->stopped)
            return;
        graph_prefetch(g, w->queue, w->head, w->tail);
        node_id n = w->queue[w->head++];
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            visit(w, g->edge_to[e], n);
    }
}

static bool is_pseudo(const struct walker *w, node_id n)
{
    return w->snap->types[w->g->type[n]].kind == TYPE_PSEUDO;
}

/* Numbers the pseudo-nodes that are below the root through pseudo-nodes only, with the
 * class of each; returns their number. They are marked as seen. */
static uint32_t walk_groups(struct walker *w, node_id *groups, unsigned char *kind)
{
    const struct graph *g = w->g;
    uint32_t head = 0, tail = 0;
    groups[tail] = g->root;
    kind[tail++] = HD_ROOT_OTHER;
    bits_set(w->seen, g->root);
    w->parent[g->root] = NO_NODE;
    for (; head < tail; head++) {
        node_id n = groups[head];
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (!is_pseudo(w, to) || !bits_add(w->seen, to))
                continue;
            w->parent[to] = n;
            groups[tail] = to;
            kind[tail++] = (unsigned char)root_kind_below(w->snap->types[g->type[to]].name,
                                                          (enum hd_root_kind)kind[head]);
        }
    }
    return tail;
}

/* Entries of the part that no root reaches: what no other unreachable node refers
 * to; then, for cycles, the lowest node not yet seen, again and again. */
static void walk_unreachable(struct walker *w)
{
    const struct graph *g = w->g;
    struct arena scratch = {0};
    uint64_t *referred = arena_array(&scratch, uint64_t, bits_words(g->node_count));
    for (node_id n = 0; n < g->node_count; n++) {
        if (bits_have(w->seen, n))
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (g->edge_to[e] != n)
                bits_set(referred, g->edge_to[e]);
    }
    for (node_id n = 0; n < g->node_count; n++)
        if (!bits_have(referred, n))
            visit(w, n, NO_NODE);
    empty_queue(w);
    for (node_id n = 0; n < g->node_count && !w->stopped; n++) {
        visit(w, n, NO_NODE);
        empty_queue(w);
    }
    arena_free(&scratch);
}

bool walk_graph_watched(const struct hd_snapshot *snap, struct arena *a, struct walk *walk,
                        struct watch *watch)
{
    const struct graph *g = snap->graph;
    struct arena scratch = {0};
    struct walker w = {.snap = snap,
                       .g = g,
                       .watch = watch,
                       .parent = arena_array(a, node_id, g->node_count),
                       .queue = arena_array(&scratch, node_id, g->node_count),
                       .seen = arena_array(&scratch, uint64_t, bits_words(g->node_count))};
    if (g->node_count > 0) {
        uint32_t pseudo = 0;
        for (node_id n = 0; n < g->node_count; n++)
            pseudo += is_pseudo(&w, n);
        node_id *groups = arena_array(&scratch, node_id, (size_t)pseudo + 1);
        unsigned char *kind = arena_array(&scratch, unsigned char, (size_t)pseudo + 1);
        uint32_t count = walk_groups(&w, groups, kind);
        for (unsigned c = 0; c < ROOT_CLASSES; c++) {
            for (uint32_t i = 0; i < count; i++)
                if (root_kind_class((enum hd_root_kind)kind[i]) == c)
                    w.queue[w.tail++] = groups[i];
            empty_queue(&w);
        }
        if (!w.stopped)
            walk_unreachable(&w);
    }
    arena_free(&scratch);
    walk->parent = w.parent;
    return !w.stopped;
}

struct walk walk_graph(const struct hd_snapshot *snap, struct arena *a)
{
    struct walk walk = {0};
    walk_graph_watched(snap, a, &walk, NULL);
    return walk;
}

/* --- by which kind of root ----------------------------------------------------------- */

enum { KIND_UNSEEN = 0xFF };

/* Names of groups determine the kind below them, except below the unreachable one. */
static unsigned char kind_below(const struct hd_snapshot *snap, node_id n,
                                unsigned char above)
{
    const struct type *t = &snap->types[snap->graph->type[n]];
    if (t->kind != TYPE_PSEUDO || above == HD_ROOT_UNREACHABLE)
        return above;
    return (unsigned char)root_kind_below(t->name, (enum hd_root_kind)above);
}

unsigned char *walk_root_kinds(const struct hd_snapshot *snap, const struct walk *walk)
{
    const struct graph *g = snap->graph;
    unsigned char *kind = alloc_resize(NULL, (size_t)g->node_count + 1);
    node_id *up = NULL; /* nodes that need their parents first */
    size_t cap = 0;
    memset(kind, KIND_UNSEEN, (size_t)g->node_count + 1);
    if (g->node_count > 0)
        kind[g->root] = HD_ROOT_OTHER;
    for (node_id n = 0; n < g->node_count; n++) {
        size_t depth = 0;
        node_id at = n;
        for (; at != NO_NODE && kind[at] == KIND_UNSEEN; at = walk->parent[at]) {
            up = grow(up, depth, &cap, sizeof(*up));
            up[depth++] = at;
        }
        unsigned char above = at != NO_NODE ? kind[at] : HD_ROOT_UNREACHABLE;
        while (depth > 0) {
            above = kind_below(snap, up[--depth], above);
            kind[up[depth]] = above;
        }
    }
    free(up);
    return kind;
}

/* --- by which field ------------------------------------------------------------------ */

struct asker {
    const struct graph *g;
    const node_id *parent;
    const uint64_t *wanted; /* NULL: all */
    field_id *of_node;
    field_id *ids; /* of the references of the current object */
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
