#include "ranking/suspect_title.h"

#include "heap/place.h"
#include "series/ranking_constants.h"

#include <stdlib.h>
#include <string.h>

/* True if the lower of two ranks wins; but the program's own always does. */
static bool hides(enum type_rank rank, enum type_rank above)
{
    return rank != RANK_PLAIN && (rank_is_own(rank) || !rank_is_own(above));
}

static enum type_rank full_rank(const struct labels *l, const struct full_tree *f,
                                path_id p)
{
    return p != 0 ? l->all[f->label[p]].rank : RANK_PLAIN;
}

/* Precomputed: there may be as many deep heads as objects, so a walk up for each is too
 * slow. */
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
    bool *seen;   /* NULL without cycles */
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

static bool suspect_title_is_better(const struct title_graph *g, uint32_t i, uint32_t best)
{
    const struct label *a = label_of(g, i), *b = label_of(g, best);
    if (a->rank != b->rank)
        return a->rank > b->rank;
    int64_t x = delta(g, g->retained, i), y = delta(g, g->retained, best);
    return x != y ? x > y : strcmp(a->name, b->name) < 0;
}

static void suspect_title_add(struct title_searcher *s, uint32_t i)
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
            suspect_title_add(s, i);
}

uint32_t title_search(const struct title_graph *graph, uint32_t head)
{
    struct title_searcher s = {.graph = graph, .more = delta(graph, graph->count, head)};
    uint32_t found = NO_TITLE;
    if (graph->has_circles)
        s.seen = alloc_zeroed(graph->len);
    suspect_title_add(&s, head);
    for (size_t level = 0, begin = 0; level <= rank_by.title_levels && begin < s.len;
         level++) {
        size_t end = s.len;
        /* The best of a level, if it ranks higher than all of the levels above. */
        enum type_rank least =
            found != NO_TITLE ? label_of(s.graph, found)->rank : RANK_PLAIN;
        uint32_t best = NO_TITLE;
        for (size_t i = begin; i < end; i++)
            if (label_of(s.graph, s.queue[i])->rank > least &&
                (best == NO_TITLE || suspect_title_is_better(s.graph, s.queue[i], best)))
                best = s.queue[i];
        found = best != NO_TITLE ? best : found;
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

const char *suspect_title_of(const struct title_tree *tree, path_id head,
                             enum title_place *place)
{
    const struct ownership_tree *t = tree->t;
    enum title_place found = TITLE_WITHIN;
    uint32_t within = title_search(&tree->graph, head);
    const char *name = within != NO_TITLE ? label_of(&tree->graph, within)->name : NULL;
    if (name == NULL) {
        size_t last = t->snapshots - 1;
        const struct full_tree *f = &t->full[last];
        path_id full = t->full_of[head * t->snapshots + last];
        path_id named = full != NO_PATH ? tree->named_above[full] : 0;
        name = named != 0 ? t->labels.all[f->label[named]].name : NULL;
        found = name != NULL ? TITLE_ABOVE : TITLE_NOWHERE;
    }
    if (place != NULL)
        *place = found;
    return name != NULL ? name : t->labels.all[t->label[head]].name;
}

/* --- owner of a growth site ---------------------------------------------------------- */

/* True if there is one object in the last snapshot, and never more. */
static bool is_single(const struct ownership_tree *t, path_id full)
{
    size_t last = t->snapshots - 1;
    const uint64_t *counts = &t->count[t->full[last].cut[full] * t->snapshots];
    for (size_t k = 0; k < t->snapshots; k++)
        if (counts[k] > 1)
            return false;
    return counts[last] == 1;
}

/* A channel or a ThreadLocal of the framework belongs to the program's object that alone
 * leads to it; a service stands for itself. */
static bool is_part_of_program(const chain_role window[ROLE_WINDOW])
{
    return (window[0] & ROLE_NAMED) && !(window[0] & ROLE_PROGRAM) &&
           !owner_is_service(window) && (window[1] & ROLE_NAMED) &&
           (window[1] & ROLE_PROGRAM);
}

static void window_above(const struct ownership_tree *t, const struct owner_types *types,
                         path_id at, chain_role window[ROLE_WINDOW])
{
    const struct full_tree *f = &t->full[t->snapshots - 1];
    for (size_t i = 0; i < ROLE_WINDOW; i++, at = at != 0 ? f->parent[at] : 0) {
        const struct label *l = at != 0 ? &t->labels.all[f->label[at]] : NULL;
        window[i] = l != NULL ? owner_role(types, l->kind, l->name) : 0;
    }
}

/* Above these, ways only show how they were reached: an object with an injected provider
 * leads to all services, and one that waits for a timer to everything that the next timer
 * refers to. */
static bool is_border(const chain_role window[ROLE_WINDOW])
{
    return (window[0] & (ROLE_TIMER | ROLE_SCOPE | ROLE_SERVICES | ROLE_CALL_SITE)) != 0 ||
           owner_is_service(window);
}

/* The fact that it is a variable of the framework is the only information in its name. */
static bool is_telling(const struct label *l, chain_role role)
{
    struct place place = place_of(l->name);
    return (role & ROLE_OWN) != 0 ||
           ((role & ROLE_VARIABLE) != 0 && place_is_variable(&place) &&
            !names_is_framework(place.type, NAME_WHOLE));
}

/* Returns the nearest class of the program itself, or variable, above the owner. */
static label_id own_above(const struct ownership_tree *t, const struct owner_types *types,
                          path_id at)
{
    const struct full_tree *f = &t->full[t->snapshots - 1];
    chain_role window[ROLE_WINDOW];
    window_above(t, types, at, window);
    if (window[0] & (ROLE_OWN | ROLE_VARIABLE | ROLE_TIMER) || owner_is_service(window))
        return NO_LABEL;
    bool scope = window[0] & ROLE_SCOPE;
    for (at = f->parent[at]; at != 0 && at != NO_PATH; at = f->parent[at]) {
        window_above(t, types, at, window);
        /* The provider refers to its scope, and so does every object with an injected
         * provider. */
        if (scope &&
            strcmp(t->labels.all[f->label[at]].name,
                   "Microsoft.Extensions.DependencyInjection.ServiceProvider") != 0)
            return NO_LABEL;
        scope = false;
        if (is_telling(&t->labels.all[f->label[at]], window[0]))
            return f->label[at];
        if (is_border(window))
            return NO_LABEL;
    }
    return NO_LABEL;
}

struct head_owner head_owner(const struct ownership_tree *t, path_id head,
                             const struct owner_types *types)
{
    static const struct head_owner none = {NO_LABEL, NO_LABEL};
    size_t last = t->snapshots - 1;
    const struct full_tree *f = &t->full[last];
    path_id at = t->full_of[head * t->snapshots + last], token = 0;
    if (at == NO_PATH || at == 0)
        return none;
    label_id of_head = f->label[at];
    chain_role window[ROLE_WINDOW], below = ROLE_TOKEN;
    window_above(t, types, at, window);
    for (at = f->parent[at]; at != 0 && at != NO_PATH; at = f->parent[at]) {
        chain_role under = below;
        below = window[0];
        window_above(t, types, at, window);
        if (owner_is_handle(window[0], below, under))
            return (struct head_owner){token != 0 ? f->label[token] : NO_LABEL, NO_LABEL};
        token = window[0] & ROLE_TOKEN ? at : token;
        bool named =
            (window[0] & ROLE_PROGRAM) || ((window[0] & ROLE_NAMED) && is_single(t, at));
        if (f->label[at] != of_head && (named || owner_stands_at(window))) {
            path_id owner = is_part_of_program(window) ? f->parent[at] : at;
            return (struct head_owner){f->label[owner], own_above(t, types, owner)};
        }
    }
    return none;
}
