#include "ranking/suspect_title.h"

#include "series/ranking_constants.h"

#include <stdlib.h>
#include <string.h>

/* Of what stands above each other: the lower one, but the program's own before all else. */
static bool hides(enum type_rank rank, enum type_rank above)
{
    return rank != RANK_PLAIN && (rank_is_own(rank) || !rank_is_own(above));
}

static enum type_rank full_rank(const struct labels *l, const struct full_tree *f,
                                path_id p)
{
    return p != 0 ? l->all[f->label[p]].rank : RANK_PLAIN;
}

/* As many heads may stand as deep as there are objects: nobody walks up for each. */
static path_id *find_named_above(const struct ownership_tree *t, struct arena *a)
{
    const struct full_tree *f = &t->full[t->snapshots - 1];
    path_id *above = arena_array(a, path_id, f->len);
    for (path_id p = 1; p < f->len; p++) {
        path_id up = above[f->parent[p]];
        bool named = hides(full_rank(&t->labels, f, p), full_rank(&t->labels, f, up));
        above[p] = named ? p : up;
    }
    return above;
}

struct title_tree title_tree_of(const struct ownership_tree *t, const bool *grows,
                                struct arena *a)
{
    struct title_tree tree = {.t = t,
                              .graph = {.labels = &t->labels,
                                        .label = t->label,
                                        .grows = grows,
                                        .count = t->count,
                                        .retained = t->retained,
                                        .len = t->len,
                                        .snapshots = t->snapshots,
                                        .first = arena_array(a, path_id, t->len),
                                        .next = arena_array(a, path_id, t->len)},
                              .named_above = find_named_above(t, a)};
    uint32_t *first = tree.graph.first, *next = tree.graph.next;
    for (path_id p = 0; p < t->len; p++)
        first[p] = next[p] = NO_TITLE;
    for (path_id p = (path_id)t->len; p-- > 1;) {
        next[p] = first[t->parent[p]];
        first[t->parent[p]] = p;
    }
    return tree;
}

/* --- 1. down ------------------------------------------------------------------------- */

struct title_searcher {
    const struct title_graph *graph;
    int64_t more; /* objects of the head */
    bool *seen;   /* NULL: there are no circles */
    uint32_t *queue;
    size_t len, cap;
};

static const struct label *label_of(const struct title_graph *g, uint32_t i)
{
    return &g->labels->all[g->label != NULL ? g->label[i] : i];
}

static int64_t delta(const struct title_graph *g, const uint64_t *values, uint32_t i)
{
    const uint64_t *at = &values[i * g->snapshots];
    return (int64_t)(at[g->snapshots - 1] - at[0]);
}

static bool is_better(const struct title_graph *g, uint32_t i, uint32_t best)
{
    const struct label *a = label_of(g, i), *b = label_of(g, best);
    if (a->rank != b->rank)
        return a->rank > b->rank;
    int64_t x = delta(g, g->retained, i), y = delta(g, g->retained, best);
    return x != y ? x > y : strcmp(a->name, b->name) < 0;
}

static void add(struct title_searcher *s, uint32_t i)
{
    if (s->seen != NULL && s->seen[i])
        return;
    if (s->seen != NULL)
        s->seen[i] = true;
    s->queue = grow(s->queue, s->len, &s->cap, sizeof(*s->queue));
    s->queue[s->len++] = i;
}

static void add_below(struct title_searcher *s, uint32_t above)
{
    const struct title_graph *g = s->graph;
    for (uint32_t i = g->first[above]; i != NO_TITLE; i = g->next[i])
        if (s->more > 0 && g->grows[i] &&
            rank_by.goes_along * delta(g, g->count, i) >= s->more)
            add(s, i);
}

/* The best of a level, if it ranks higher than all of the levels above. */
static uint32_t best_of(const struct title_searcher *s, size_t begin, size_t end,
                        uint32_t found)
{
    enum type_rank least = found != NO_TITLE ? label_of(s->graph, found)->rank : RANK_PLAIN;
    uint32_t best = NO_TITLE;
    for (size_t i = begin; i < end; i++)
        if (label_of(s->graph, s->queue[i])->rank > least &&
            (best == NO_TITLE || is_better(s->graph, s->queue[i], best)))
            best = s->queue[i];
    return best != NO_TITLE ? best : found;
}

uint32_t title_search(const struct title_graph *graph, uint32_t head)
{
    struct title_searcher s = {.graph = graph, .more = delta(graph, graph->count, head)};
    uint32_t found = NO_TITLE;
    if (graph->has_circles)
        s.seen = alloc_zeroed(graph->len);
    add(&s, head);
    for (size_t level = 0, begin = 0; level <= rank_by.title_levels && begin < s.len;
         level++) {
        size_t end = s.len;
        found = best_of(&s, begin, end, found);
        if (found != NO_TITLE && label_of(graph, found)->rank == RANK_OWN)
            break;
        for (; begin < end; begin++)
            add_below(&s, s.queue[begin]);
    }
    free(s.queue);
    free(s.seen);
    return found;
}

/* --- 2. up the whole path in the last snapshot --------------------------------------- */

const char *suspect_title_above(const struct labels *l, const struct full_tree *f,
                                path_id at)
{
    path_id found = 0;
    for (; at != NO_PATH && at != 0; at = f->parent[at])
        if (full_rank(l, f, at) != RANK_PLAIN &&
            (found == 0 || !hides(full_rank(l, f, found), full_rank(l, f, at))))
            found = at;
    return found != 0 ? l->all[f->label[found]].name : NULL;
}

static const char *above_head(const struct title_tree *tree, path_id head)
{
    const struct ownership_tree *t = tree->t;
    size_t last = t->snapshots - 1;
    const struct full_tree *f = &t->full[last];
    path_id full = t->full_of[head * t->snapshots + last];
    path_id named = full != NO_PATH ? tree->named_above[full] : 0;
    return named != 0 ? t->labels.all[f->label[named]].name : NULL;
}

const char *suspect_title_of(const struct title_tree *tree, path_id head,
                             enum title_place *place)
{
    const struct ownership_tree *t = tree->t;
    enum title_place found = TITLE_WITHIN;
    uint32_t within = title_search(&tree->graph, head);
    const char *name = within != NO_TITLE ? label_of(&tree->graph, within)->name : NULL;
    if (name == NULL) {
        name = above_head(tree, head);
        found = name != NULL ? TITLE_ABOVE : TITLE_NOWHERE;
    }
    if (place != NULL)
        *place = found;
    return name != NULL ? name : t->labels.all[t->label[head]].name;
}
