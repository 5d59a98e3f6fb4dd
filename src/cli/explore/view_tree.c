/* Who owns the heap: branches open and close, ways that say nothing share a line. */
#include "cli/explore/tree_rows.h"
#include "cli/explore/view.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

struct tree {
    struct view view;
    struct tree_rows rows; /* of an empty tree where there is none */
};

static const struct tree_rows *of(const struct view *v)
{
    return &((const struct tree *)v)->rows;
}

static const struct hd_tree *tree_of(const struct explore *e)
{
    return e->model->tree;
}

static bool is_diff(const struct explore *e)
{
    return tree_of(e) != NULL && tree_of(e)->first != tree_of(e)->last;
}

/* Of all places or of none. */
static bool has_stayed(const struct explore *e)
{
    return tree_of(e) != NULL && tree_of(e)->len > 0 &&
           tree_of(e)->nodes[0].stayed != HD_UNKNOWN;
}

/* --- which rows ------------------------------------------------------------------ */

static void refresh(struct explore *e, struct view *v)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    size_t node = v->cursor < t->len ? t->all[v->cursor].last : 0;
    tree_rows_choose(t, e->app_only, !is_diff(e) || e->last);
    tree_rows_build(t);
    v->cursor = tree_rows_find(t, node);
}

static void rebuild_at(struct view *v, size_t node)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    tree_rows_build(t);
    v->cursor = tree_rows_find(t, node);
}

static void set_open(struct view *v, size_t i, bool open)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    size_t node = t->all[i].last;
    t->open[node] = open;
    rebuild_at(v, node);
}

static void toggle_all(struct view *v)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    size_t node = t->all[v->cursor].last, end = t->tree->nodes[node].end;
    bool all = true;
    for (size_t n = node; n < end; n++)
        all = all && (t->open[n] || t->tree->nodes[n].end == n + 1);
    for (size_t n = node; n < end; n++)
        t->open[n] = !all;
    rebuild_at(v, node);
}

bool tree_view_show(struct explore *e, struct view *v, size_t rank)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    (void)e;
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

static size_t columns(const struct explore *e, const struct view *v, struct column *all)
{
    bool changes = is_diff(e) && !e->last;
    (void)v;
    size_t n = 0;
    all[n++] = changes ? (struct column){"Δretained", "delta_retained", 11, ALIGN_RIGHT, 0}
                       : (struct column){"share", NULL, 7, ALIGN_RIGHT, 0};
    all[n++] = (struct column){"", NULL, 8, ALIGN_LEFT, has_stayed(e) ? 120 : 100};
    all[n++] = (struct column){"retained", "retained", 10, ALIGN_RIGHT, changes ? 50 : 0};
    all[n++] = (struct column){"objects", "objects", 11, ALIGN_RIGHT, 90};
    if (has_stayed(e))
        all[n++] = (struct column){"stayed", "stayed", 11, ALIGN_RIGHT, 100};
    all[n++] = (struct column){"owner", "owner", 0, ALIGN_LEFT, 0};
    return n;
}

static size_t rows(const struct explore *e, const struct view *v)
{
    (void)e;
    return of(v)->len;
}

static const char *name_of(const struct hd_tree_node *n)
{
    return n->full_name != NULL ? n->full_name : n->type;
}

/* "s_all: " of "[static var App.s_all]"; false for what is no variable. */
static bool print_variable(const struct hd_tree_node *n, struct hd_sink to)
{
    if (n->kind != HD_NODE_ROOTS || !hd_put_static_field(to, name_of(n)))
        return false;
    print_to(to, ": ");
    return true;
}

/* Of places that share a row a variable is told by its field, and the last place says most;
 * where there is room, the first is told as well. */
static void print_fold(const struct tree_rows *t, const struct tree_row *r, unsigned width,
                       struct hd_sink to)
{
    enum { WIDE = 140 };
    const struct hd_tree_node *nodes = t->tree->nodes;
    size_t from = r->first;
    if (nodes[from].field != NULL) {
        hd_put_field(to, "", nodes[from].field);
        print_to(to, " → ");
    }
    if (r->first == r->last)
        return;
    if (print_variable(&nodes[r->first], to))
        for (from = r->last; nodes[from].parent != r->first;)
            from = nodes[from].parent;
    if (from == r->last)
        return;
    if (width >= WIDE)
        hd_put_short_type(to, name_of(&nodes[from]));
    bool next = width >= WIDE && nodes[r->last].parent == from;
    if (width >= WIDE)
        hd_put_field(to, nodes[from].type, nodes[from + 1].field);
    if (next)
        print_to(to, " → ");
    else
        print_to(to, width >= WIDE ? " → … → " : "… → ");
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
    row->shown = name_of(last);
    if (last->kind == HD_NODE_HEAP)
        *owner = (struct cell){.kind = CELL_WORD, .look = LOOK_STRONG, .text = "heap"};
    else if (last->kind == HD_NODE_OTHERS)
        *owner = (struct cell){.kind = CELL_OTHERS, .look = LOOK_DIM, .a = last->others};
    else
        *owner = (struct cell){.kind = CELL_OWNER, .text = row->shown};
    if (last->kind == HD_NODE_TYPE && hd_type_is_framework(last->type))
        owner->look = LOOK_DIM;
    if (last->suspect > 0)
        snprintf(row->tail, sizeof(row->tail), "  ◀ suspect %zu", last->suspect);
    row->tail_look = LOOK_FOUND;
}

static void row(const struct explore *e, const struct view *v, size_t i, struct row *row)
{
    const struct tree_rows *t = of(v);
    const struct tree_row *r = &t->all[i];
    const struct hd_tally *owned = t->tree->nodes[r->first].owned;
    const struct hd_tally *first = &owned[t->tree->first], *last = &owned[t->tree->last];
    uint64_t whole = t->tree->nodes[0].owned[t->tree->last].bytes;
    if (is_diff(e) && !e->last)
        row->cells[0] = (struct cell){.kind = CELL_SIZE_CHANGE,
                                      .a = first->bytes,
                                      .b = last->bytes,
                                      .look = last->bytes > first->bytes   ? LOOK_GROWN
                                              : last->bytes < first->bytes ? LOOK_SHRUNK
                                                                           : LOOK_PLAIN};
    else
        row->cells[0] = (struct cell){
            .kind = CELL_SHARE, .a = last->bytes, .b = whole, .look = LOOK_DIM};
    row->cells[1] =
        (struct cell){.kind = CELL_BAR, .a = last->bytes, .b = whole, .look = LOOK_DIM};
    row->cells[2] = (struct cell){.kind = CELL_SIZE, .a = last->bytes};
    row->cells[3] = (struct cell){.kind = CELL_COUNT, .a = last->count};
    row->count = last->count;
    row->bytes = last->bytes;
    row->has_count = row->has_bytes = true;
    size_t n = 4;
    if (has_stayed(e))
        row->cells[n++] =
            (struct cell){.kind = CELL_COUNT, .a = t->tree->nodes[r->first].stayed};
    put_names(t, r, e->width, row, &row->cells[n]);
}

static void empty(const struct explore *e, const struct view *v, struct hd_sink to)
{
    (void)v;
    if (tree_of(e) == NULL)
        print_to(to, "No ownership tree: it needs snapshots with references and roots "
                     "(.gcdump, .nettrace, heap text).");
    else
        print_to(to, "No type of the program. `a` shows all.");
}

static bool detail(const struct explore *e, const struct view *v, unsigned i,
                   unsigned width, struct hd_sink to)
{
    const struct tree_rows *t = of(v);
    (void)e;
    (void)width;
    if (v->cursor >= t->len || i > 1)
        return false;
    const struct tree_row *r = &t->all[v->cursor];
    const struct hd_tree_node *n = &t->tree->nodes[r->last];
    if (i == 1) {
        const struct hd_tally *at = &n->at[t->tree->last];
        print_to(to, "itself   ");
        hd_put_count(to, at->count);
        print_to(to, at->count == 1 ? " object, " : " objects, ");
        hd_put_size(to, at->bytes);
        return n->kind == HD_NODE_TYPE;
    }
    print_to(to, "place    ");
    tree_rows_path(t, r->last, to);
    return true;
}

static bool copied(const struct explore *e, const struct view *v, size_t i,
                   struct hd_sink to)
{
    const struct tree_rows *t = of(v);
    size_t node = t->all[i].last;
    (void)e;
    if (t->tree->nodes[node].type == NULL)
        return false;
    tree_rows_path(t, node, to);
    return true;
}

/* --- keys ------------------------------------------------------------------------ */

static void enter_place(struct explore *e, const struct tree_rows *t, size_t node)
{
    const struct hd_tree_node *nodes = t->tree->nodes;
    size_t depth = 0, count = 0;
    for (size_t n = node; n != HD_NO_NODE && nodes[n].kind != HD_NODE_HEAP;
         n = nodes[n].parent)
        depth++;
    struct hd_place_step *steps = zeroed(depth, sizeof(*steps));
    for (size_t n = node; count < depth; n = nodes[n].parent)
        steps[depth - ++count] =
            (struct hd_place_step){nodes[n].type, nodes[n].kind == HD_NODE_ROOTS};
    explore_open(e, place_view(e, steps, depth, name_of(&nodes[node])));
    free(steps);
}

static void enter(struct explore *e, struct view *v, size_t i)
{
    const struct tree_rows *t = of(v);
    size_t node = t->all[i].last;
    if (t->tree->nodes[node].kind == HD_NODE_TYPE)
        enter_place(e, t, node);
    else if (t->tree->nodes[node].kind == HD_NODE_OTHERS)
        explore_message(e,
                        "These places are too small to be shown: --min=SIZE shows more.");
    else
        set_open(v, i, !t->open[node]);
}

static bool left(struct explore *e, struct view *v, size_t i)
{
    const struct tree_rows *t = of(v);
    (void)e;
    if (i >= t->len)
        return false;
    size_t node = t->all[i].last, parent = t->tree->nodes[t->all[i].first].parent;
    if (t->open[node] && t->tree->nodes[node].end > node + 1) {
        set_open(v, i, false);
        return true;
    }
    if (parent == HD_NO_NODE)
        return false;
    v->cursor = tree_rows_find(t, parent);
    return true;
}

static void right(struct explore *e, struct view *v, size_t i)
{
    const struct tree_rows *t = of(v);
    if (i >= t->len)
        return;
    size_t node = t->all[i].last;
    if (t->tree->nodes[node].end == node + 1)
        enter(e, v, i);
    else if (!t->open[node])
        set_open(v, i, true);
    else
        view_move(e, v, 1);
}

static bool key(struct explore *e, struct view *v, uint32_t key)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    (void)e;
    if (t->len == 0 || (key != '+' && key != '-' && key != '*' && key != 'f'))
        return false;
    if (key == '*') {
        toggle_all(v);
    } else if (key == 'f') {
        t->unfolded = !t->unfolded;
        rebuild_at(v, t->all[v->cursor].last);
    } else {
        set_open(v, v->cursor, key == '+');
    }
    return true;
}

static void sort(struct explore *e, struct view *v)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    t->order = (enum tree_order)((t->order + 1) % TREE_ORDERS);
    refresh(e, v);
}

static const char *order_name(const struct explore *e, const struct view *v)
{
    static const char *const names[] = {"retained", "objects", "name"};
    return of(v)->order == TREE_BY_SIZE && is_diff(e) && !e->last ? "Δretained"
                                                                  : names[of(v)->order];
}

static size_t find(struct explore *e, struct view *v, const char *text, size_t i, int step)
{
    struct tree_rows *t = &((struct tree *)v)->rows;
    (void)e;
    for (size_t n = tree_rows_start(t, i, step); n < t->tree->len; n += (size_t)step) {
        struct row row = {.name = t->tree->nodes[n].type,
                          .shown = t->tree->nodes[n].full_name};
        if (!t->kept[n] || !view_matches(&row, text))
            continue;
        tree_rows_reveal(t, n);
        tree_rows_build(t);
        return tree_rows_find(t, n);
    }
    return t->len;
}

static void release(struct view *v)
{
    tree_rows_free(&((struct tree *)v)->rows);
}

static const struct view_kind kind = {
    .name = "tree",
    .place = IN_TREE,
    .columns = columns,
    .rows = rows,
    .row = row,
    .empty = empty,
    .detail = detail,
    .detail_lines = 4,
    .copied = copied,
    .enter = enter,
    .left = left,
    .right = right,
    .key = key,
    .sort = sort,
    .order = order_name,
    .refresh = refresh,
    .find = find,
    .free = release,
};

struct view *tree_view(const struct explore *e)
{
    static const struct hd_tree none = {0};
    struct tree *t = view_new(&kind, sizeof(*t));
    tree_rows_begin(&t->rows, tree_of(e) != NULL ? tree_of(e) : &none);
    return &t->view;
}
