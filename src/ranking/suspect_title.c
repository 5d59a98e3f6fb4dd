#include "ranking/suspect_title.h"

#include "series/ranking_constants.h"

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
    struct title_tree tree = {t, grows, arena_array(a, path_id, t->len),
                              arena_array(a, path_id, t->len), find_named_above(t, a)};
    for (path_id p = 0; p < t->len; p++)
        tree.first_child[p] = tree.next_sibling[p] = NO_PATH;
    for (path_id p = (path_id)t->len; p-- > 1;) {
        tree.next_sibling[p] = tree.first_child[t->parent[p]];
        tree.first_child[t->parent[p]] = p;
    }
    return tree;
}

static const char *name_of(const struct ownership_tree *t, path_id p)
{
    return t->labels.all[t->label[p]].name;
}

static enum type_rank rank_of(const struct ownership_tree *t, path_id p)
{
    return t->labels.all[t->label[p]].rank;
}

static int64_t delta(const struct ownership_tree *t, const uint64_t *values, path_id p)
{
    const uint64_t *at = &values[p * t->snapshots];
    return (int64_t)(at[t->snapshots - 1] - at[0]);
}

/* Grows at least half as much as the head. */
static bool is_candidate(const struct title_tree *tree, path_id child, path_id head)
{
    int64_t more = delta(tree->t, tree->t->count, head);
    return more > 0 && tree->grows[child] &&
           rank_by.goes_along * delta(tree->t, tree->t->count, child) >= more;
}

static bool is_better(const struct ownership_tree *t, path_id p, path_id best)
{
    int64_t a = delta(t, t->retained, p), b = delta(t, t->retained, best);
    return a != b ? a > b : strcmp(name_of(t, p), name_of(t, best)) < 0;
}

/* The candidates of one level become those of the next; the list is a queue in a. */
struct level {
    path_id *all;
    size_t len;
};

/* The best of a level, if it ranks higher than all of the levels above. */
static path_id best_named(const struct ownership_tree *t, const struct level *level,
                          path_id found)
{
    enum type_rank least = found != NO_PATH ? rank_of(t, found) : RANK_PLAIN;
    path_id best = NO_PATH;
    for (size_t i = 0; i < level->len; i++) {
        path_id p = level->all[i];
        enum type_rank rank = rank_of(t, p);
        if (rank <= least)
            continue;
        if (best == NO_PATH || rank > rank_of(t, best) ||
            (rank == rank_of(t, best) && is_better(t, p, best)))
            best = p;
    }
    return best != NO_PATH ? best : found;
}

static void next_level(const struct title_tree *tree, struct level *level, path_id head,
                       struct arena *scratch)
{
    size_t count = 0;
    for (size_t i = 0; i < level->len; i++)
        for (path_id c = tree->first_child[level->all[i]]; c != NO_PATH;
             c = tree->next_sibling[c])
            count += is_candidate(tree, c, head);
    path_id *all = arena_array(scratch, path_id, count);
    count = 0;
    for (size_t i = 0; i < level->len; i++)
        for (path_id c = tree->first_child[level->all[i]]; c != NO_PATH;
             c = tree->next_sibling[c])
            if (is_candidate(tree, c, head))
                all[count++] = c;
    *level = (struct level){all, count};
}

/* 1. Down level by level: what ranks highest, of equals the topmost. */
static path_id from_levels(const struct title_tree *tree, path_id head)
{
    struct arena scratch = {0};
    struct level level = {&head, 1};
    path_id found = NO_PATH;
    for (unsigned depth = 0; depth <= rank_by.title_levels && level.len > 0; depth++) {
        found = best_named(tree->t, &level, found);
        if (found != NO_PATH && rank_of(tree->t, found) == RANK_OWN)
            break;
        next_level(tree, &level, head, &scratch);
    }
    arena_free(&scratch);
    return found;
}

/* 2. Up the whole path in the last snapshot. */
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
    path_id within = from_levels(tree, head);
    const char *name = within != NO_PATH ? name_of(t, within) : NULL;
    if (name == NULL) {
        name = above_head(tree, head);
        found = name != NULL ? TITLE_ABOVE : TITLE_NOWHERE;
    }
    if (place != NULL)
        *place = found;
    return name != NULL ? name : name_of(t, head);
}
