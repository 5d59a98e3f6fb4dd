#include "report/view_tree.h"

#include <stdlib.h>
#include <string.h>

/* What has so much of its parent's bytes, and of its growth, tells all of it. */
#define FOLDED_SHARE 0.95

struct choice {
    uint64_t weight; /* the largest of its subtree */
    size_t node;
};

static uint64_t size_of_change(int64_t growth)
{
    return growth < 0 ? 0 - (uint64_t)growth : (uint64_t)growth;
}

static uint64_t weight_of(const struct hd_tree *t, const struct hd_tree_node *n)
{
    uint64_t bytes = n->owned[t->last].bytes, change = size_of_change(n->growth);
    if (n->suspect != 0)
        return UINT64_MAX - n->suspect;
    return bytes > change ? bytes : change;
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

/* Roots stand for themselves, and so does what is marked. */
static void find_folds(struct hd_tree *t)
{
    for (size_t i = 0; i < t->len; i++) {
        struct hd_tree_node *n = &t->nodes[i];
        size_t child = i + 1;
        n->folds = false;
        if (n->kind != HD_NODE_TYPE || n->suspect != 0 || child >= n->end)
            continue;
        const struct hd_tree_node *only = &t->nodes[child];
        bool alone = only->end == n->end ||
                     (only->end + 1 == n->end && t->nodes[only->end].others > 0);
        n->folds = alone && only->kind == HD_NODE_TYPE && has_nearly_all(t, only, n);
    }
}

/* --- the largest ------------------------------------------------------------ */

static int by_weight(const void *a, const void *b)
{
    const struct choice *x = a, *y = b;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Which nodes stay: a parent weighs as much as its children, and stands before them. */
static bool *choose(const struct hd_tree *t, uint32_t rows, struct arena *scratch)
{
    struct choice *all = arena_array(scratch, struct choice, t->len);
    bool *stays = arena_array(scratch, bool, t->len);
    for (size_t i = 0; i < t->len; i++)
        all[i] = (struct choice){weight_of(t, &t->nodes[i]), i};
    for (size_t i = t->len; i-- > 0;) {
        size_t parent = t->nodes[i].parent;
        if (parent != HD_NO_NODE && t->nodes[i].others == 0 &&
            all[parent].weight < all[i].weight)
            all[parent].weight = all[i].weight;
    }
    qsort(all, t->len, sizeof(*all), by_weight);
    uint32_t lines = 0;
    for (size_t i = 0; i < t->len; i++) {
        const struct hd_tree_node *n = &t->nodes[all[i].node];
        bool is_top = n->parent == HD_NO_NODE;
        if (n->others > 0 || (lines >= rows && !is_top))
            continue;
        stays[all[i].node] = true;
        lines += !n->folds;
    }
    return stays;
}

static void add_to(struct hd_tree_node *others, const struct hd_tree_node *n,
                   size_t snapshots)
{
    others->others += n->others > 0 ? n->others : 1;
    others->growth += n->growth;
    for (size_t k = 0; k < snapshots; k++) {
        if (n->owned[k].bytes == HD_UNKNOWN) {
            others->at[k] = n->owned[k];
            continue;
        }
        others->at[k].count += n->owned[k].count;
        others->at[k].bytes += n->owned[k].bytes;
    }
}

/* The children of node i that do not stay, as one; count 0: all stay. */
static struct hd_tree_node others_of(const struct hd_tree *t, size_t i, const bool *stays,
                                     size_t snapshots, struct arena *a)
{
    struct hd_tree_node others = {.kind = HD_NODE_OTHERS, .depth = t->nodes[i].depth + 1};
    for (size_t child = i + 1; child < t->nodes[i].end; child = t->nodes[child].end) {
        if (stays[child])
            continue;
        if (others.at == NULL)
            others.at = arena_array(a, struct hd_tally, snapshots);
        add_to(&others, &t->nodes[child], snapshots);
    }
    others.owned = others.at;
    return others;
}

/* Nodes of a subtree end where the next that is no child stands; others stand last. */
static void copy(struct hd_tree *to, const struct hd_tree *t, const bool *stays,
                 size_t snapshots, struct arena *a)
{
    struct arena scratch = {0};
    size_t *open =
        arena_array(&scratch, size_t, 2 * (t->len + 1)); /* pairs, not at an end */
    size_t depth = 0;
    for (size_t i = 0; i <= t->len; i++) {
        if (i < t->len && !stays[i])
            continue;
        while (depth > 0 && (i == t->len || t->nodes[open[2 * (depth - 1)]].end <= i)) {
            size_t from = open[2 * --depth], at = open[2 * depth + 1];
            struct hd_tree_node others = others_of(t, from, stays, snapshots, a);
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
    if (rows == HD_DEFAULT_ROWS)
        rows = TREE_USUAL_ROWS;
    find_folds(&t);
    if (rows == 0 || t.len == 0)
        return t;
    struct arena scratch = {0};
    bool *stays = choose(&t, rows, &scratch);
    t.nodes = arena_array(a, struct hd_tree_node, 2 * t.len);
    t.len = 0;
    copy(&t, all, stays, snapshots, a);
    find_folds(&t);
    arena_free(&scratch);
    return t;
}
