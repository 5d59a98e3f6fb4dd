/* All types of the heap: what changed of each, or what there is in the last snapshot. */
#include "cli/explore/view.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

/* The first is the order of the report. */
enum order { AS_REPORTED, BY_BYTES, BY_COUNT, BY_RETAINED, BY_NAME, ORDERS };

struct types {
    struct view view;
    const struct hd_type_row **rows;
    size_t len;
    enum order order;
};

static const struct types *of(const struct view *v)
{
    return (const struct types *)v;
}

static const struct hd_type_table *table_of(const struct explore *e)
{
    return e->model->diff != NULL ? &e->model->diff->types : &e->model->top->types;
}

static bool is_diff(const struct explore *e)
{
    return e->model->diff != NULL;
}

static size_t last_of(const struct explore *e)
{
    return e->model->snapshot_count - 1;
}

static bool has_retained(const struct explore *e)
{
    const struct hd_type_table *t = table_of(e);
    return !is_diff(e) && t->len > 0 && t->rows[0].retained != HD_UNKNOWN;
}

/* --- order ----------------------------------------------------------------------- */

struct slot {
    const struct hd_type_row *row;
    int64_t key;
};

static int compare(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return strcmp(x->row->type, y->row->type);
}

static int64_t change(uint64_t first, uint64_t last)
{
    return first == HD_UNKNOWN || last == HD_UNKNOWN ? INT64_MIN : (int64_t)(last - first);
}

static int64_t key_of(const struct explore *e, const struct hd_type_row *r,
                      enum order order)
{
    const struct hd_tally *first = &r->at[0], *last = &r->at[last_of(e)];
    bool changes = is_diff(e) && !e->last;
    switch (order) {
    case BY_BYTES:
        return change(changes ? first->bytes : 0, last->bytes);
    case BY_COUNT:
        return change(changes ? first->count : 0, last->count);
    case BY_RETAINED:
        return change(0, r->retained);
    default:
        return 0;
    }
}

static void refresh(struct explore *e, struct view *v)
{
    struct types *t = (struct types *)v;
    const struct hd_type_table *all = table_of(e);
    struct slot *slots = zeroed(all->len, sizeof(*slots));
    free(t->rows);
    t->len = 0;
    for (size_t i = 0; i < all->len; i++)
        if (!e->app_only || !hd_type_is_framework(all->rows[i].type))
            slots[t->len++] =
                (struct slot){&all->rows[i], key_of(e, &all->rows[i], t->order)};
    /* What is reported is what changed: of the last one the largest come first. */
    bool as_they_are = t->order == AS_REPORTED && !(is_diff(e) && e->last);
    if (t->order == AS_REPORTED && !as_they_are)
        for (size_t i = 0; i < t->len; i++)
            slots[i].key = key_of(e, slots[i].row, BY_BYTES);
    if (!as_they_are && t->len > 0)
        qsort(slots, t->len, sizeof(*slots), compare);
    t->rows = zeroed(t->len, sizeof(void *));
    for (size_t i = 0; i < t->len; i++)
        t->rows[i] = slots[i].row;
    free(slots);
}

static void sort(struct explore *e, struct view *v)
{
    struct types *t = (struct types *)v;
    t->order = (t->order + 1) % ORDERS;
    if (t->order == BY_RETAINED && !has_retained(e))
        t->order++;
    refresh(e, v);
}

static const char *order_name(const struct explore *e, const struct view *v)
{
    static const char *const changes[] = {"growth", "Δbytes", "Δcount", "retained", "name"};
    static const char *const last[] = {"bytes", "bytes", "count", "retained", "name"};
    return (is_diff(e) && !e->last ? changes : last)[of(v)->order];
}

/* --- rows ------------------------------------------------------------------------ */

static size_t columns_of_last(const struct explore *e, struct column *all)
{
    all[0] = (struct column){"count", "count", 12, ALIGN_RIGHT, 0};
    all[1] = (struct column){"bytes", "bytes", 10, ALIGN_RIGHT, 0};
    all[2] = (struct column){"share", NULL, 7, ALIGN_RIGHT, 60};
    all[3] = has_retained(e) ? (struct column){"retained", "retained", 10, ALIGN_RIGHT, 50}
                             : (struct column){"", NULL, 1, ALIGN_RIGHT, UINT32_MAX};
    all[4] = (struct column){"type", "type", 0, ALIGN_LEFT, 0};
    return 5;
}

static size_t columns(const struct explore *e, const struct view *v, struct column *all)
{
    unsigned bars = (unsigned)view_bars(e);
    (void)v;
    if (!is_diff(e) || e->last)
        return columns_of_last(e, all);
    all[0] = (struct column){"Δcount", "delta_count", 11, ALIGN_RIGHT, 0};
    all[1] = (struct column){"count", "count", 19, ALIGN_RIGHT, 72};
    all[2] = (struct column){"trend", NULL,
                             bars < 5    ? 5
                             : bars > 16 ? 16
                                         : bars,
                             ALIGN_LEFT, 80};
    all[3] = (struct column){"Δbytes", "delta_bytes", 11, ALIGN_RIGHT, 40};
    all[4] = (struct column){"type", "type", 0, ALIGN_LEFT, 0};
    return 5;
}

static size_t rows(const struct explore *e, const struct view *v)
{
    (void)e;
    return of(v)->len;
}

static enum look look_of(uint64_t first, uint64_t last)
{
    if (first == HD_UNKNOWN || last == HD_UNKNOWN || first == last)
        return LOOK_PLAIN;
    return last > first ? LOOK_GROWN : LOOK_SHRUNK;
}

static void cells_of_change(const struct hd_type_row *r, size_t last, size_t bars,
                            struct cell *cells)
{
    const struct hd_tally *a = &r->at[0], *b = &r->at[last];
    cells[0] = (struct cell){.kind = CELL_COUNT_CHANGE,
                             .a = a->count,
                             .b = b->count,
                             .look = look_of(a->count, b->count)};
    cells[1] = (struct cell){.kind = CELL_FROM_TO, .a = a->count, .b = b->count};
    cells[2] =
        (struct cell){.kind = CELL_TREND, .a = bars, .at = r->at + (last + 1 - bars)};
    cells[3] = (struct cell){.kind = CELL_SIZE_CHANGE,
                             .a = a->bytes,
                             .b = b->bytes,
                             .look = look_of(a->bytes, b->bytes)};
}

static void row(const struct explore *e, const struct view *v, size_t i, struct row *row)
{
    const struct hd_type_row *r = of(v)->rows[i];
    size_t last = last_of(e);
    row->name = r->type;
    row->shown = r->full_name != NULL ? r->full_name : r->type;
    row->count = r->at[last].count;
    row->bytes = r->at[last].bytes;
    row->has_count = row->has_bytes = true;
    if (is_diff(e) && !e->last) {
        cells_of_change(r, last, view_bars(e), row->cells);
    } else {
        uint64_t total = table_of(e)->totals[last].bytes;
        row->cells[0] = (struct cell){.kind = CELL_COUNT, .a = row->count};
        row->cells[1] = (struct cell){.kind = CELL_SIZE, .a = row->bytes};
        row->cells[2] = (struct cell){
            .kind = CELL_SHARE, .a = row->bytes, .b = total, .look = LOOK_DIM};
        row->cells[3] = (struct cell){.kind = CELL_SIZE, .a = r->retained};
    }
    row->cells[4] =
        (struct cell){.kind = CELL_NAME,
                      .text = row->shown,
                      .look = hd_type_is_framework(r->type) ? LOOK_DIM : LOOK_PLAIN};
}

static void empty(const struct explore *e, const struct view *v, struct hd_sink to)
{
    (void)v;
    print_to(to, e->app_only ? "No type of the program. `a` shows all." : "An empty heap.");
}

static bool detail(const struct explore *e, const struct view *v, unsigned i,
                   unsigned width, struct hd_sink to)
{
    const struct types *t = of(v);
    enum { AROUND = 24 }; /* "count    ", and behind them the status */
    if (v->cursor >= t->len || i > 1)
        return false;
    const struct hd_type_row *r = t->rows[v->cursor];
    if (i == 0) {
        print_to(to, "type     ");
        hd_put_name(to, r->full_name != NULL ? r->full_name : r->type);
        return true;
    }
    if (!is_diff(e))
        return false;
    print_to(to, "count    ");
    print_counts(r->at, e->model->snapshot_count, width > AROUND ? width - AROUND : 0, to);
    print_to(to, "   %s", hd_series_status_name(r->status));
    return true;
}

static void enter(struct explore *e, struct view *v, size_t i)
{
    const struct hd_type_row *r = of(v)->rows[i];
    explore_open(e, instances_view(e, r->type, r->full_name));
}

static void release(struct view *v)
{
    free(((struct types *)v)->rows);
}

static const struct view_kind kind = {
    .name = "types",
    .place = IN_TYPES,
    .columns = columns,
    .rows = rows,
    .row = row,
    .empty = empty,
    .detail = detail,
    .detail_lines = 2,
    .enter = enter,
    .sort = sort,
    .order = order_name,
    .refresh = refresh,
    .free = release,
};

struct view *types_view(const struct explore *e)
{
    (void)e;
    return view_new(&kind, sizeof(struct types));
}
