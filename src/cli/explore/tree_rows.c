#include "cli/explore/tree_rows.h"

#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

#define NO_ROW SIZE_MAX

static const struct hd_tree_node *node_at(const struct tree_rows *t, size_t n)
{
    return &t->tree->nodes[n];
}

static uint64_t owned_bytes(const struct tree_rows *t, size_t n)
{
    return node_at(t, n)->owned[t->tree->last].bytes;
}

static bool is_leaf(const struct tree_rows *t, size_t n)
{
    return t->begin[n] == t->begin[n + 1];
}

/* --- beginning ------------------------------------------------------------------- */

static void open_large_branches(struct tree_rows *t)
{
    enum { A_TENTH = 10 };
    for (size_t n = 0; n < t->tree->len; n++) {
        t->open[n] =
            node_at(t, n)->depth == 0 ||
            (owned_bytes(t, n) >= owned_bytes(t, 0) / A_TENTH && node_at(t, n)->depth < 4);
        if (node_at(t, n)->suspect > 0)
            tree_rows_reveal(t, n);
    }
}

void tree_rows_begin(struct tree_rows *t, const struct hd_tree *tree)
{
    *t = (struct tree_rows){.tree = tree};
    t->open = zeroed(tree->len + 1, sizeof(*t->open));
    t->kept = zeroed(tree->len + 1, sizeof(*t->kept));
    t->child = zeroed(tree->len + 1, sizeof(*t->child));
    t->begin = zeroed(tree->len + 2, sizeof(*t->begin));
    t->row_of = zeroed(tree->len + 1, sizeof(*t->row_of));
    t->all = zeroed(tree->len + 1, sizeof(*t->all));
    open_large_branches(t);
}

void tree_rows_free(struct tree_rows *t)
{
    free(t->open);
    free(t->kept);
    free(t->child);
    free(t->begin);
    free(t->row_of);
    free(t->all);
    *t = (struct tree_rows){0};
}

void tree_rows_reveal(struct tree_rows *t, size_t node)
{
    for (size_t n = node_at(t, node)->parent; n != HD_NO_NODE; n = node_at(t, n)->parent)
        t->open[n] = true;
}

/* --- order ----------------------------------------------------------------------- */

struct slot {
    size_t node;
    uint64_t key;
    const char *name;
    bool is_others;
};

static int compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->is_others != y->is_others)
        return x->is_others ? 1 : -1;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    int names = strcmp(x->name, y->name);
    return names != 0 ? names : (x->node > y->node) - (x->node < y->node);
}

static struct slot slot_of(const struct tree_rows *t, size_t n, bool by_last)
{
    const struct hd_tree_node *node = node_at(t, n);
    const struct hd_tally *last = &node->owned[t->tree->last];
    struct slot s = {.node = n, .name = "", .is_others = node->kind == HD_NODE_OTHERS};
    if (t->order == TREE_BY_NAME)
        s.name = node->type != NULL ? node->type : "";
    else if (t->order == TREE_BY_OBJECTS)
        s.key = last->count;
    else if (by_last)
        s.key = last->bytes;
    return s;
}

static void order_children(struct tree_rows *t, size_t n, bool by_last, struct slot *slots,
                           size_t *len)
{
    size_t count = 0;
    t->begin[n] = *len;
    for (size_t c = n + 1; c < node_at(t, n)->end; c = node_at(t, c)->end)
        if (t->kept[c])
            slots[count++] = slot_of(t, c, by_last);
    if (count > 1)
        qsort(slots, count, sizeof(*slots), compare);
    for (size_t i = 0; i < count; i++)
        t->child[(*len)++] = slots[i].node;
}

/* Kept are types of the program and whatever leads to them. */
static void choose_kept(struct tree_rows *t, bool app_only)
{
    for (size_t n = 0; n < t->tree->len; n++) {
        const struct hd_tree_node *node = node_at(t, n);
        bool is_app = node->kind == HD_NODE_TYPE && !hd_type_is_framework(node->type);
        t->kept[n] = !app_only || is_app || node->kind == HD_NODE_HEAP;
    }
    for (size_t n = t->tree->len; n-- > 0;)
        if (t->kept[n] && node_at(t, n)->parent != HD_NO_NODE)
            t->kept[node_at(t, n)->parent] = true;
}

void tree_rows_choose(struct tree_rows *t, bool app_only, bool by_last)
{
    struct slot *slots = zeroed(t->tree->len + 1, sizeof(*slots));
    size_t len = 0;
    choose_kept(t, app_only);
    for (size_t n = 0; n < t->tree->len; n++)
        order_children(t, n, by_last, slots, &len);
    t->begin[t->tree->len] = len;
    free(slots);
}

/* --- rows ------------------------------------------------------------------------ */

/* The one large child that a node shares its row with, or HD_NO_NODE. */
static size_t folded_child(const struct tree_rows *t, size_t n)
{
    const struct hd_tree_node *node = node_at(t, n);
    size_t best = HD_NO_NODE;
    bool is_group = node->kind != HD_NODE_TYPE && node->depth < 2;
    if (t->unfolded || !node->folds || is_group || node->suspect > 0)
        return HD_NO_NODE;
    for (size_t i = t->begin[n]; i < t->begin[n + 1]; i++)
        if (node_at(t, t->child[i])->kind == HD_NODE_TYPE &&
            (best == HD_NO_NODE || owned_bytes(t, t->child[i]) > owned_bytes(t, best)))
            best = t->child[i];
    return best;
}

static size_t end_of_fold(const struct tree_rows *t, size_t n)
{
    for (size_t next; (next = folded_child(t, n)) != HD_NO_NODE;)
        n = next;
    return n;
}

static void push_children(const struct tree_rows *t, const struct tree_row *r,
                          struct tree_row *stack, size_t *len)
{
    enum { MOST_BITS = 63 };
    size_t first = t->begin[r->last], end = t->begin[r->last + 1];
    unsigned depth = r->depth + 1;
    for (size_t i = end; i-- > first;) {
        uint64_t bit = i + 1 < end && depth < MOST_BITS ? UINT64_C(1) << depth : 0;
        stack[(*len)++] =
            (struct tree_row){.first = t->child[i], .depth = depth, .more = r->more | bit};
    }
}

void tree_rows_build(struct tree_rows *t)
{
    struct tree_row *stack = zeroed(t->tree->len + 1, sizeof(*stack));
    size_t len = 0;
    t->len = 0;
    for (size_t n = 0; n < t->tree->len; n++)
        t->row_of[n] = NO_ROW;
    if (t->tree->len > 0 && t->kept[0])
        stack[len++] = (struct tree_row){.first = 0};
    while (len > 0) {
        struct tree_row r = stack[--len];
        r.last = end_of_fold(t, r.first);
        for (size_t n = r.last; n != r.first; n = node_at(t, n)->parent)
            t->row_of[n] = t->len;
        t->row_of[r.first] = t->len;
        t->all[t->len++] = r;
        if (t->open[r.last])
            push_children(t, &r, stack, &len);
    }
    free(stack);
}

size_t tree_rows_find(const struct tree_rows *t, size_t node)
{
    while (node != HD_NO_NODE && t->row_of[node] == NO_ROW)
        node = node_at(t, node)->parent;
    return node != HD_NO_NODE ? t->row_of[node] : 0;
}

size_t tree_rows_start(const struct tree_rows *t, size_t i, int step)
{
    if (step > 0)
        return i == 0 || t->len == 0 ? 0
                                     : t->all[i <= t->len ? i - 1 : t->len - 1].last + 1;
    return i + 1 < t->len ? t->all[i + 1].first - 1 : t->tree->len - 1;
}

/* --- words ----------------------------------------------------------------------- */

static void put(struct hd_sink to, const char *s)
{
    to.write(to.context, s, strlen(s));
}

void tree_rows_lead(const struct tree_rows *t, const struct tree_row *r, struct hd_sink to)
{
    enum { MOST_GUIDES = 24 };
    unsigned from = r->depth > MOST_GUIDES ? r->depth - MOST_GUIDES : 1;
    if (from > 1)
        put(to, "… ");
    for (unsigned d = from; d < r->depth; d++)
        put(to, r->more >> (d < 63 ? d : 63) & 1 ? "│ " : "  ");
    if (r->depth > 0)
        put(to, r->more >> (r->depth < 63 ? r->depth : 63) & 1 ? "├ " : "└ ");
    put(to, is_leaf(t, r->last) ? "  " : t->open[r->last] ? "▾ " : "▸ ");
}

void tree_rows_path(const struct tree_rows *t, size_t node, struct hd_sink to)
{
    enum { MOST_SHOWN = 16 };
    size_t path[MOST_SHOWN], len = 0, n = node;
    for (; n != HD_NO_NODE && len < MOST_SHOWN; n = node_at(t, n)->parent)
        if (node_at(t, n)->kind != HD_NODE_HEAP && node_at(t, n)->type != NULL)
            path[len++] = n;
    if (len == 0)
        put(to, "all that roots reach");
    if (n != HD_NO_NODE && len == MOST_SHOWN)
        put(to, "… → ");
    while (len-- > 0) {
        hd_put_short_type(to, node_at(t, path[len])->type);
        if (len > 0)
            hd_put_field(to, node_at(t, path[len])->type, node_at(t, path[len - 1])->field);
        put(to, len > 0 ? " → " : "");
    }
}
