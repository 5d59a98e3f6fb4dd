/* Show the ownership tree: branches open and close, uninformative paths share a line. Must
 * not recurse: a tree may be as deep as the heap. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

/* --- which places stand on the screen ---------------------------------------------- */

enum tree_order { TREE_BY_SIZE, TREE_BY_OBJECTS, TREE_BY_NAME };

struct tree_row {
    size_t first, last; /* nodes that share the row; the same: one */
    unsigned depth;     /* of rows */
    uint64_t more;      /* bit d: the row above it at depth d has more siblings below */
};

struct tree_rows {
    struct view view;
    const struct hd_tree *tree; /* may be empty */
    bool *open, *kept;          /* per node */
    size_t *child;              /* children of all nodes, in their order */
    size_t *begin;              /* per node, and one more: where its children are */
    size_t *row_of;             /* per node */
    struct tree_row *all;       /* one for each row of the view */
    enum tree_order order;
    bool unfolded;
};

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

/* Opens the ancestors of a node. */
static void tree_rows_reveal(struct tree_rows *t, size_t node)
{
    for (size_t n = node_at(t, node)->parent; n != HD_NO_NODE; n = node_at(t, n)->parent)
        t->open[n] = true;
}

/* --- order ----------------------------------------------------------------------- */

static struct view_slot tree_slot(const struct tree_rows *t, size_t n, bool by_last)
{
    const struct hd_tree_node *node = node_at(t, n);
    const struct hd_tally *last = &node->owned[t->tree->last];
    struct view_slot s = {.i = n, .name = "", .is_below = node->kind == HD_NODE_OTHERS};
    if (t->order == TREE_BY_NAME)
        s.name = node->type != NULL ? node->type : "";
    else if (t->order == TREE_BY_OBJECTS)
        s.key = last->count;
    else if (by_last)
        s.key = last->bytes;
    return s;
}

/* Keeps types of the program and their ancestors. */
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

/* --- rows ------------------------------------------------------------------------ */

/* Returns the one large child that shares a node's row, or HD_NO_NODE. */
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
    enum { MAX_BITS = 63 };
    size_t first = t->begin[r->last], end = t->begin[r->last + 1];
    unsigned depth = r->depth + 1;
    for (size_t i = end; i-- > first;) {
        uint64_t bit = i + 1 < end && depth < MAX_BITS ? UINT64_C(1) << depth : 0;
        stack[(*len)++] =
            (struct tree_row){.first = t->child[i], .depth = depth, .more = r->more | bit};
    }
}

static void tree_rows_build(struct tree_rows *t)
{
    struct tree_row *stack = zeroed(t->tree->len + 1, sizeof(*stack));
    size_t len = 0;
    t->view.rows = 0;
    for (size_t n = 0; n < t->tree->len; n++)
        t->row_of[n] = NO_ROW;
    if (t->tree->len > 0 && t->kept[0])
        stack[len++] = (struct tree_row){.first = 0};
    while (len > 0) {
        struct tree_row r = stack[--len];
        r.last = end_of_fold(t, r.first);
        for (size_t n = r.last; n != r.first; n = node_at(t, n)->parent)
            t->row_of[n] = t->view.rows;
        t->row_of[r.first] = t->view.rows;
        t->all[t->view.rows++] = r;
        if (t->open[r.last])
            push_children(t, &r, stack, &len);
    }
    free(stack);
}

/* Returns the row of a node, or the nearest one above it. */
static size_t tree_rows_find(const struct tree_rows *t, size_t node)
{
    while (node != HD_NO_NODE && t->row_of[node] == NO_ROW)
        node = node_at(t, node)->parent;
    return node != HD_NO_NODE ? t->row_of[node] : 0;
}

/* Returns the node at which a search continues from row i. */
static size_t tree_rows_start(const struct tree_rows *t, size_t i, int step)
{
    if (step > 0)
        return i == 0 || t->view.rows == 0
                   ? 0
                   : t->all[i <= t->view.rows ? i - 1 : t->view.rows - 1].last + 1;
    return i + 1 < t->view.rows ? t->all[i + 1].first - 1 : t->tree->len - 1;
}

/* --- words ----------------------------------------------------------------------- */

/* "[static vars] → List<Order> → Order[]" */
static void tree_rows_path(const struct tree_rows *t, size_t node, struct hd_sink to)
{
    enum { MAX_SHOWN = 16 };
    size_t path[MAX_SHOWN], len = 0, n = node;
    for (; n != HD_NO_NODE && len < MAX_SHOWN; n = node_at(t, n)->parent)
        if (node_at(t, n)->kind != HD_NODE_HEAP && node_at(t, n)->type != NULL)
            path[len++] = n;
    if (len == 0)
        PUT(to, "all that roots reach");
    if (n != HD_NO_NODE && len == MAX_SHOWN)
        PUT(to, "… → ");
    while (len-- > 0) {
        PUT(to, "{}", SHORT(node_at(t, path[len])->type));
        if (len > 0)
            hd_put_field(to, node_at(t, path[len])->type, node_at(t, path[len - 1])->field);
        PUT(to, len > 0 ? " → " : "");
    }
}

/* --- the view ---------------------------------------------------------------------- */

static const struct tree_rows *rows_of(const struct view *v)
{
    return (const struct tree_rows *)v;
}

static const struct hd_tree *tree_of(const struct explore *e)
{
    return e->model->tree;
}

static bool is_diff(const struct explore *e)
{
    return tree_of(e) != NULL && tree_of(e)->first != tree_of(e)->last;
}

/* --- which rows ------------------------------------------------------------------ */

static void tree_refresh(struct view *v)
{
    struct tree_rows *t = (struct tree_rows *)v;
    size_t node = v->cursor < t->view.rows ? t->all[v->cursor].last : 0;
    t->order = (enum tree_order)v->order;
    /* Which nodes are kept, and the order of children: that of the report, or of the
     * last snapshot. */
    struct view_slot *slots = zeroed(t->tree->len + 1, sizeof(*slots));
    size_t len = 0;
    choose_kept(t, v->e->app_only);
    for (size_t n = 0; n < t->tree->len; n++) {
        size_t count = 0;
        t->begin[n] = len;
        for (size_t c = n + 1; c < node_at(t, n)->end; c = node_at(t, c)->end)
            if (t->kept[c])
                slots[count++] = tree_slot(t, c, !is_diff(v->e) || v->e->last);
        view_sort(slots, count);
        for (size_t i = 0; i < count; i++)
            t->child[len++] = slots[i].i;
    }
    t->begin[t->tree->len] = len;
    free(slots);
    tree_rows_build(t);
    v->cursor = tree_rows_find(t, node);
}

static void rebuild_at(struct view *v, size_t node)
{
    struct tree_rows *t = (struct tree_rows *)v;
    tree_rows_build(t);
    v->cursor = tree_rows_find(t, node);
}

static void set_open(struct view *v, size_t i, bool open)
{
    struct tree_rows *t = (struct tree_rows *)v;
    size_t node = t->all[i].last;
    t->open[node] = open;
    rebuild_at(v, node);
}

bool tree_view_show(struct view *v, size_t rank)
{
    struct tree_rows *t = (struct tree_rows *)v;
    for (size_t n = 0; n < t->tree->len; n++) {
        if (t->tree->nodes[n].suspect != rank || !t->kept[n])
            continue;
        tree_rows_reveal(t, n);
        rebuild_at(v, n);
        return true;
    }
    return false;
}

/* --- rows ------------------------------------------------------------------------ */

static enum hd_list tree_list(const struct explore *e)
{
    return is_diff(e) && !e->last ? HD_LIST_PLACES : HD_LIST_LAST_PLACES;
}

static size_t tree_columns(const struct view *v, struct hd_column *all)
{
    enum { BAR = 1, BAR_NEXT_TO_SURVIVED = 120, WITH_SURVIVED = 6 };
    size_t count = view_list_columns(v->e, tree_list(v->e), all);
    if (count == WITH_SURVIVED)
        all[BAR].from_width = BAR_NEXT_TO_SURVIVED;
    return count;
}

static const char *node_name(const struct hd_tree_node *n)
{
    return n->full_name != NULL ? n->full_name : n->type;
}

/* "s_all: " of "[static var App.s_all]"; false if it is not a variable. */
static bool print_variable(const struct hd_tree_node *n, struct hd_sink to)
{
    if (n->kind != HD_NODE_ROOTS || !hd_put_static_field(to, node_name(n)))
        return false;
    PUT(to, ": ");
    return true;
}

/* If places share a row a variable is shown by its field, and the last place is the most
 * informative; with space for it, the first is shown, too. */
static void print_fold(const struct tree_rows *t, const struct tree_row *r, unsigned width,
                       struct hd_sink to)
{
    enum { WIDE = 140 };
    const struct hd_tree_node *nodes = t->tree->nodes;
    size_t from = r->first;
    if (nodes[from].field != NULL) {
        hd_put_field(to, "", nodes[from].field);
        PUT(to, " → ");
    }
    if (r->first == r->last)
        return;
    if (print_variable(&nodes[r->first], to))
        for (from = r->last; nodes[from].parent != r->first;)
            from = nodes[from].parent;
    if (from == r->last)
        return;
    if (width < WIDE) {
        PUT(to, "… → ");
        return;
    }
    PUT(to, "{}", SHORT(node_name(&nodes[from])));
    hd_put_field(to, nodes[from].type, nodes[from + 1].field);
    PUT(to, nodes[r->last].parent == from ? " → " : " → … → ");
}

/* Lines that lead to a row, and whether it is open. */
static void tree_rows_lead(const struct tree_rows *t, const struct tree_row *r,
                           struct hd_sink to)
{
    enum { MAX_GUIDES = 24 };
    unsigned from = r->depth > MAX_GUIDES ? r->depth - MAX_GUIDES : 1;
    if (from > 1)
        PUT(to, "… ");
    for (unsigned d = from; d < r->depth; d++)
        PUT(to, r->more >> (d < 63 ? d : 63) & 1 ? "│ " : "  ");
    if (r->depth > 0)
        PUT(to, r->more >> (r->depth < 63 ? r->depth : 63) & 1 ? "├ " : "└ ");
    PUT(to, is_leaf(t, r->last) ? "  " : t->open[r->last] ? "▾ " : "▸ ");
}

static void put_names(const struct tree_rows *t, const struct tree_row *r, unsigned width,
                      struct row *row, struct cell *owner)
{
    const struct hd_tree_node *last = &t->tree->nodes[r->last];
    struct hd_memory lead = {0};
    tree_rows_lead(t, r, hd_sink_memory(&lead));
    print_fold(t, r, width, hd_sink_memory(&lead));
    row->lead = lead.bytes;
    row->name = last->type;
    row->shown = node_name(last);
    if (last->kind == HD_NODE_HEAP)
        *owner = WORD_AS(LOOK_STRONG, "heap");
    else if (last->kind == HD_NODE_OTHERS)
        *owner = OTHERS(last->others);
    else
        *owner = OWNER(LOOK_PLAIN, row->shown);
    if (last->kind == HD_NODE_TYPE && hd_type_is_framework(last->type))
        owner->look = LOOK_DIM;
    if (last->suspect > 0)
        snprintf(row->tail, sizeof(row->tail), "  ◀ suspect %zu", last->suspect);
    row->tail_look = LOOK_FOUND;
}

static void tree_row(const struct view *v, size_t i, struct row *row)
{
    const struct explore *e = v->e;
    const struct tree_rows *t = rows_of(v);
    const struct tree_row *r = &t->all[i];
    const struct hd_tree_node *node = node_at(t, r->first);
    const struct hd_tally *last = &node->owned[t->tree->last];
    struct hd_column columns[HD_MAX_COLUMNS];
    row->count = last->count;
    row->bytes = last->bytes;
    row->has_count = row->has_bytes = true;
    view_list_cells(e, tree_list(e), node, row);
    put_names(t, r, e->width, row, &row->cells[tree_columns(v, columns) - 1]);
}

static void tree_empty(const struct view *v, struct hd_sink to)
{
    PUT(to, tree_of(v->e) == NULL
                ? "No ownership tree: it needs snapshots with references and roots "
                  "(.gcdump, .nettrace, heap text)."
                : "No type of the program. `a` shows all.");
}

static bool tree_detail(const struct view *v, unsigned i, struct hd_sink to)
{
    const struct tree_rows *t = rows_of(v);
    if (v->cursor >= t->view.rows || i > 1)
        return false;
    const struct tree_row *r = &t->all[v->cursor];
    const struct hd_tree_node *n = node_at(t, r->last);
    if (i == 1) {
        const struct hd_tally *at = &n->at[t->tree->last];
        PUT(to, at->count == 1 ? "itself   {} object, {}" : "itself   {} objects, {}",
            COUNT(at->count), BYTES(at->bytes));
        return n->kind == HD_NODE_TYPE;
    }
    PUT(to, "place    ");
    tree_rows_path(t, r->last, to);
    return true;
}

static bool tree_copied(const struct view *v, size_t i, struct hd_sink to)
{
    const struct tree_rows *t = rows_of(v);
    size_t node = t->all[i].last;
    if (node_at(t, node)->type == NULL)
        return false;
    tree_rows_path(t, node, to);
    return true;
}

/* --- keys ------------------------------------------------------------------------ */

static void tree_enter(struct view *v, size_t i)
{
    const struct tree_rows *t = rows_of(v);
    size_t node = t->all[i].last;
    if (node_at(t, node)->kind == HD_NODE_TYPE) {
        const struct hd_tree_node *nodes = t->tree->nodes;
        size_t depth = 0, count = 0;
        for (size_t n = node; n != HD_NO_NODE && nodes[n].kind != HD_NODE_HEAP;
             n = nodes[n].parent)
            depth++;
        struct hd_place_step *steps = zeroed(depth, sizeof(*steps));
        for (size_t n = node; count < depth; n = nodes[n].parent)
            steps[depth - ++count] =
                (struct hd_place_step){nodes[n].type, nodes[n].kind == HD_NODE_ROOTS};
        explore_open(v->e, place_view(v->e, steps, depth, node_name(&nodes[node])));
        free(steps);
    } else if (node_at(t, node)->kind == HD_NODE_OTHERS)
        explore_message(v->e,
                        "These places are too small to be shown: --min=SIZE shows more.");
    else
        set_open(v, i, !t->open[node]);
}

static bool tree_left(struct view *v, size_t i)
{
    const struct tree_rows *t = rows_of(v);
    if (i >= t->view.rows)
        return false;
    size_t node = t->all[i].last, parent = node_at(t, t->all[i].first)->parent;
    if (t->open[node] && node_at(t, node)->end > node + 1) {
        set_open(v, i, false);
        return true;
    }
    if (parent == HD_NO_NODE)
        return false;
    v->cursor = tree_rows_find(t, parent);
    return true;
}

static void tree_right(struct view *v, size_t i)
{
    const struct tree_rows *t = rows_of(v);
    if (i >= t->view.rows)
        return;
    size_t node = t->all[i].last;
    if (node_at(t, node)->end == node + 1)
        tree_enter(v, i);
    else if (!t->open[node])
        set_open(v, i, true);
    else
        view_move(v, 1);
}

static bool tree_key(struct view *v, uint32_t key)
{
    struct tree_rows *t = (struct tree_rows *)v;
    if (t->view.rows == 0 || (key != '+' && key != '-' && key != '*' && key != 'f'))
        return false;
    if (key == '*') {
        size_t node = t->all[v->cursor].last, end = t->tree->nodes[node].end;
        bool all = true;
        for (size_t n = node; n < end; n++)
            all = all && (t->open[n] || t->tree->nodes[n].end == n + 1);
        for (size_t n = node; n < end; n++)
            t->open[n] = !all;
        rebuild_at(v, node);
    } else if (key == 'f') {
        t->unfolded = !t->unfolded;
        rebuild_at(v, t->all[v->cursor].last);
    } else {
        set_open(v, v->cursor, key == '+');
    }
    return true;
}

static size_t tree_find(struct view *v, const char *text, size_t i, int step)
{
    struct tree_rows *t = (struct tree_rows *)v;
    for (size_t n = tree_rows_start(t, i, step); n < t->tree->len; n += (size_t)step) {
        struct row row = {.name = node_at(t, n)->type, .shown = node_at(t, n)->full_name};
        if (!t->kept[n] || !view_matches(&row, text))
            continue;
        tree_rows_reveal(t, n);
        tree_rows_build(t);
        return tree_rows_find(t, n);
    }
    return t->view.rows;
}

static void tree_release(struct view *v)
{
    struct tree_rows *t = (struct tree_rows *)v;
    free(t->open);
    free(t->kept);
    free(t->child);
    free(t->begin);
    free(t->row_of);
    free(t->all);
}

static const struct view_kind kind = {
    .name = "tree",
    .place = IN_TREE,
    .columns = tree_columns,
    .row = tree_row,
    .empty = tree_empty,
    .detail = tree_detail,
    .detail_lines = 4,
    .copied = tree_copied,
    .enter = tree_enter,
    .left = tree_left,
    .right = tree_right,
    .key = tree_key,
    .orders =
        (const char *const[][2]){
            {"retained", "Δretained"}, {"objects", "objects"}, {"name", "name"}, {NULL}},
    .refresh = tree_refresh,
    .find = tree_find,
    .free = tree_release,
};

struct view *tree_view(struct explore *e)
{
    static const struct hd_tree none = {0};
    struct tree_rows *t = view_new(e, &kind, sizeof(*t));
    t->tree = tree_of(e) != NULL ? tree_of(e) : &none;
    const size_t len = t->tree->len + 1;
    t->open = zeroed(len, sizeof(*t->open));
    t->kept = zeroed(len, sizeof(*t->kept));
    t->child = zeroed(len, sizeof(*t->child));
    t->begin = zeroed(len + 1, sizeof(*t->begin));
    t->row_of = zeroed(len, sizeof(*t->row_of));
    t->all = zeroed(len, sizeof(*t->all));
    /* Large branches and those of suspects are open. */
    enum { A_TENTH = 10 };
    for (size_t n = 0; n < t->tree->len; n++) {
        t->open[n] =
            node_at(t, n)->depth == 0 ||
            (owned_bytes(t, n) >= owned_bytes(t, 0) / A_TENTH && node_at(t, n)->depth < 4);
        if (node_at(t, n)->suspect > 0)
            tree_rows_reveal(t, n);
    }
    return &t->view;
}
