#include "report/view.h"

#include <stdlib.h>
#include <string.h>

/* What has so much of its parent's bytes, and of its growth, tells all of it. */
#define FOLDED_SHARE 0.9

struct view_tree_choice {
    uint64_t weight; /* the largest of its subtree */
    size_t node;
};

/* Who stays: the first places of an order by weight. */
struct cut {
    const struct hd_tree *t;
    size_t *place; /* per node: in the order */
    size_t count;  /* so many of them stay, and the tops */
    bool *named;   /* per node: it stays too, in place of others that are one */
};

static uint64_t size_of_change(int64_t growth)
{
    return growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth;
}

/* --- lines that say nothing ------------------------------------------------- */

static bool has_nearly_all(const struct hd_tree *t, const struct hd_tree_node *child,
                           const struct hd_tree_node *of)
{
    double bytes = (double)of->owned[t->last].bytes;
    double growth = (double)size_of_change(of->growth - child->growth);
    return (double)child->owned[t->last].bytes >= FOLDED_SHARE * bytes &&
           growth <= (1 - FOLDED_SHARE) * bytes;
}

bool tree_variable(const struct hd_tree *t, const struct hd_tree_node *variable,
                   const struct hd_tree_node *object, struct place *place)
{
    if (variable->kind != HD_NODE_ROOTS || object->kind != HD_NODE_TYPE)
        return false;
    const char *full = variable->full_name;
    *place = place_of(full != NULL ? full : variable->type);
    if (place->field.at == NULL)
        return false;
    if (full != NULL || t->declares_statics)
        return true;
    bool is_of = name_part_is(place->type, object->type);
    place->type.len = 0;
    return is_of;
}

static bool is_variable_of(const struct hd_tree *t, const struct hd_tree_node *variable,
                           const struct hd_tree_node *object)
{
    struct place place;
    return tree_variable(t, variable, object, &place);
}

/* Whether the one says no more than the other. Roots stand for themselves, but for a
 * variable and the object in it; and so does what is marked. A variable says who holds what
 * is marked, and is not put on one line with that. */
static bool may_fold(const struct hd_tree *t, size_t i, size_t child, bool leads_to_mark)
{
    const struct hd_tree_node *n = &t->nodes[i], *only = &t->nodes[child];
    if (n->suspect != 0)
        return false;
    if (is_variable_of(t, n, only) || (t->is_holders && is_variable_of(t, only, n)))
        return true;
    if (n->kind == HD_NODE_PATTERN)
        return only->kind == HD_NODE_TYPE;
    bool in_variable = i > 0 && is_variable_of(t, &t->nodes[n->parent], n);
    if (t->is_holders)
        return only->kind == HD_NODE_ROOTS ||
               (n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE);
    return n->kind == HD_NODE_TYPE && only->kind == HD_NODE_TYPE &&
           !(in_variable && leads_to_mark);
}

/* Backwards: what a child folds into is known then. */
void tree_fold(struct hd_tree *t)
{
    struct arena scratch = {0};
    bool *leads_to_mark = arena_array(&scratch, bool, t->len);
    for (size_t i = t->len; i-- > 0;) {
        struct hd_tree_node *n = &t->nodes[i];
        size_t child = i + 1;
        n->folds = false;
        leads_to_mark[i] = n->suspect != 0;
        if (n->kind == HD_NODE_HEAP || child >= n->end)
            continue;
        const struct hd_tree_node *only = &t->nodes[child];
        bool alone = only->end == n->end ||
                     (only->end + 1 == n->end && t->nodes[only->end].others > 0);
        n->folds = alone && has_nearly_all(t, only, n) &&
                   may_fold(t, i, child, leads_to_mark[child]);
        leads_to_mark[i] |= n->folds && leads_to_mark[child];
    }
    arena_free(&scratch);
}

/* --- the largest ------------------------------------------------------------ */

static uint64_t weight_of(const struct hd_tree *t, const struct hd_tree_node *n)
{
    uint64_t bytes = n->owned[t->last].bytes, change = size_of_change(n->growth);
    return bytes > change ? bytes : change;
}

static int by_weight(const void *a, const void *b)
{
    const struct view_tree_choice *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Each suspect is to be seen: at the largest of its places. */
static void lift_suspects(const struct hd_tree *t, struct view_tree_choice *all,
                          struct arena *scratch)
{
    size_t most = 0;
    for (size_t i = 0; i < t->len; i++)
        most = t->nodes[i].suspect > most ? t->nodes[i].suspect : most;
    size_t *best = arena_array(scratch, size_t, most + 1); /* node + 1, or 0 */
    for (size_t i = 0; i < t->len; i++) {
        size_t rank = t->nodes[i].suspect;
        if (rank > 0 && (best[rank] == 0 || all[best[rank] - 1].weight < all[i].weight))
            best[rank] = i + 1;
    }
    for (size_t rank = 1; rank <= most; rank++)
        if (best[rank] > 0)
            all[best[rank] - 1].weight = UINT64_MAX - rank;
}

/* A parent weighs as much as its children, and stands before them. What shares a line stays
 * or goes together. */
static void order(struct cut *cut, struct arena *scratch)
{
    const struct hd_tree *t = cut->t;
    struct view_tree_choice *all = arena_array(scratch, struct view_tree_choice, t->len);
    cut->place = arena_array(scratch, size_t, t->len);
    cut->named = arena_array(scratch, bool, t->len);
    for (size_t i = 0; i < t->len; i++)
        all[i] = (struct view_tree_choice){weight_of(t, &t->nodes[i]), i};
    lift_suspects(t, all, scratch);
    for (size_t i = t->len; i-- > 0;) {
        size_t parent = t->nodes[i].parent;
        if (t->nodes[i].others > 0)
            all[i].weight = 0;
        if (parent != HD_NO_NODE && all[parent].weight < all[i].weight)
            all[parent].weight = all[i].weight;
    }
    for (size_t i = 0; i < t->len; i++)
        if (t->nodes[i].folds)
            all[i + 1].weight = all[i].weight;
    qsort(all, t->len, sizeof(*all), by_weight);
    for (size_t i = 0; i < t->len; i++)
        cut->place[all[i].node] = i;
}

static bool stays(const struct cut *cut, size_t i)
{
    const struct hd_tree_node *n = &cut->t->nodes[i];
    return n->others == 0 &&
           (cut->place[i] < cut->count || n->parent == HD_NO_NODE || cut->named[i]);
}

/* How many of the children of a node stay; *hidden: one that does not, *gone of them. */
static size_t staying_children(const struct cut *cut, size_t i, size_t *hidden,
                               size_t *gone)
{
    const struct hd_tree_node *nodes = cut->t->nodes;
    size_t staying = 0;
    *gone = 0;
    for (size_t child = i + 1; child < nodes[i].end; child = nodes[child].end) {
        if (stays(cut, child)) {
            staying++;
            continue;
        }
        *hidden = child;
        *gone += nodes[child].others > 0 ? nodes[child].others : 1;
    }
    return staying;
}

/* Lines are places, but for those that share one, and others beside them. */
static size_t count_lines(const struct cut *cut)
{
    const struct hd_tree_node *nodes = cut->t->nodes;
    size_t lines = 0, hidden, gone;
    for (size_t i = 0; i < cut->t->len;) {
        if (!stays(cut, i)) {
            i = nodes[i].end;
            continue;
        }
        size_t staying = staying_children(cut, i, &hidden, &gone);
        bool shares = nodes[i].folds && stays(cut, i + 1);
        lines += !shares;
        lines += staying > 0 && gone > 0 && !shares;
        i++;
    }
    return lines;
}

/* As many as there are lines for: more places are more lines. */
static void view_tree_choose(struct cut *cut, uint32_t rows, struct arena *scratch)
{
    size_t low = 0, high = cut->t->len;
    order(cut, scratch);
    while (low < high) {
        cut->count = high - (high - low) / 2;
        if (count_lines(cut) <= rows)
            low = cut->count;
        else
            high = cut->count - 1;
    }
    cut->count = low;
    /* One that is alone may have its name as well as a line. */
    const struct hd_tree_node *nodes = cut->t->nodes;
    for (size_t i = 0, hidden, gone; i < cut->t->len;) {
        if (!stays(cut, i)) {
            i = nodes[i].end;
            continue;
        }
        if (staying_children(cut, i, &hidden, &gone) > 0 && gone == 1 &&
            nodes[hidden].others == 0 && !nodes[i].folds)
            cut->named[hidden] = true;
        i++;
    }
}

/* The children of node i that do not stay, as one; count 0: all stay. */
static struct hd_tree_node others_of(const struct cut *cut, size_t i, size_t snapshots,
                                     struct arena *a)
{
    const struct hd_tree *t = cut->t;
    struct hd_tree_node others = {.kind = HD_NODE_OTHERS, .depth = t->nodes[i].depth + 1};
    for (size_t child = i + 1; child < t->nodes[i].end; child = t->nodes[child].end) {
        if (stays(cut, child))
            continue;
        if (others.at == NULL)
            others.at = arena_array(a, struct hd_tally, snapshots);
        others.others += t->nodes[child].others > 0 ? t->nodes[child].others : 1;
        others.growth += t->nodes[child].growth;
        others.stayed = t->nodes[child].stayed != HD_UNKNOWN
                            ? others.stayed + t->nodes[child].stayed
                            : HD_UNKNOWN;
        for (size_t k = 0; k < snapshots; k++) {
            if (t->nodes[child].owned[k].bytes == HD_UNKNOWN) {
                others.at[k] = t->nodes[child].owned[k];
                continue;
            }
            others.at[k].count += t->nodes[child].owned[k].count;
            others.at[k].bytes += t->nodes[child].owned[k].bytes;
        }
    }
    others.owned = others.at;
    return others;
}

/* Nodes of a subtree end where the next that is no child stands; others stand last. */
static void view_tree_copy(struct hd_tree *to, const struct cut *cut, size_t snapshots,
                           struct arena *a)
{
    const struct hd_tree *t = cut->t;
    struct arena scratch = {0};
    size_t *open =
        arena_array(&scratch, size_t, 2 * (t->len + 1)); /* pairs, not at an end */
    size_t depth = 0;
    for (size_t i = 0; i <= t->len; i++) {
        if (i < t->len && !stays(cut, i))
            continue;
        while (depth > 0 && (i == t->len || t->nodes[open[2 * (depth - 1)]].end <= i)) {
            size_t from = open[2 * --depth], at = open[2 * depth + 1];
            struct hd_tree_node others = others_of(cut, from, snapshots, a);
            others.parent = at;
            others.end = to->len + 1;
            if (others.others > 0)
                to->nodes[to->len++] = others;
            to->nodes[at].end = to->len;
        }
        if (i == t->len)
            break;
        struct hd_tree_node *n = &to->nodes[to->len];
        *n = t->nodes[i];
        n->parent = depth > 0 ? open[2 * depth - 1] : HD_NO_NODE;
        open[2 * depth] = i;
        open[2 * depth++ + 1] = to->len++;
    }
    arena_free(&scratch);
}

struct hd_tree view_tree(const struct hd_tree *all, uint32_t rows, size_t snapshots,
                         struct arena *a)
{
    struct hd_tree t = *all;
    struct arena scratch = {0};
    if (rows == HD_DEFAULT_ROWS)
        rows = TREE_USUAL_ROWS;
    if (rows > 0 && t.len > 0) {
        struct cut cut = {.t = all};
        view_tree_choose(&cut, rows, &scratch);
        t.nodes = arena_array(a, struct hd_tree_node, 2 * t.len);
        t.len = 0;
        view_tree_copy(&t, &cut, snapshots, a);
        tree_fold(&t);
    }
    arena_free(&scratch);
    return t;
}
