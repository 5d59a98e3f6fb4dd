/* Show all types of the heap: their changes, or their values in the last snapshot. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>

/* The first is the order of the report. */
enum order { AS_REPORTED, BY_BYTES, BY_COUNT, BY_RETAINED, BY_NAME };

struct types {
    struct view view;
    const struct hd_type_row **rows;
};

static const struct types *types_of(const struct view *v)
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

static bool has_retained(const struct explore *e)
{
    const struct hd_type_table *t = table_of(e);
    return !is_diff(e) && t->len > 0 && t->rows[0].retained != HD_UNKNOWN;
}

/* --- order ----------------------------------------------------------------------- */

/* Sort key of a change: the largest loss, and unknown values, are last. */
static uint64_t change(uint64_t first, uint64_t last)
{
    bool known = first != HD_UNKNOWN && last != HD_UNKNOWN;
    return known ? last - first + (UINT64_C(1) << 63) : 0;
}

static uint64_t types_key_of(const struct explore *e, const struct hd_type_row *r,
                             enum order order)
{
    const struct hd_tally *first = &r->at[0], *last = &r->at[last_snapshot(e)];
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

static void types_refresh(struct view *v)
{
    struct types *t = (struct types *)v;
    const struct explore *e = v->e;
    const struct hd_type_table *all = table_of(e);
    struct view_slot *slots = zeroed(all->len, sizeof(*slots));
    /* A diff is in order of change; for the last snapshot sort by size. */
    bool as_they_are = v->order == AS_REPORTED && !(is_diff(e) && e->last);
    v->order += v->order == BY_RETAINED && !has_retained(e);
    enum order order = v->order == AS_REPORTED ? BY_BYTES : (enum order)v->order;
    free(t->rows);
    v->rows = 0;
    for (size_t i = 0; i < all->len; i++)
        if (!e->app_only || !hd_type_is_framework(all->rows[i].type))
            slots[v->rows++] =
                (struct view_slot){.key = types_key_of(e, &all->rows[i], order),
                                   .name = all->rows[i].type,
                                   .i = i};
    if (!as_they_are)
        view_sort(slots, v->rows);
    t->rows = zeroed(v->rows, sizeof(void *));
    for (size_t i = 0; i < v->rows; i++)
        t->rows[i] = &all->rows[slots[i].i];
    free(slots);
}

/* --- rows ------------------------------------------------------------------------ */

static enum hd_list types_list(const struct explore *e)
{
    return is_diff(e) && !e->last ? HD_LIST_CHANGES : HD_LIST_TYPES;
}

static size_t types_columns(const struct view *v, struct hd_column *all)
{
    return view_list_columns(v->e, types_list(v->e), all);
}

static void types_row(const struct view *v, size_t i, struct row *row)
{
    const struct explore *e = v->e;
    const struct hd_type_row *r = types_of(v)->rows[i];
    const struct hd_tally *last = &r->at[last_snapshot(e)];
    row->name = r->type;
    row->shown = r->full_name != NULL ? r->full_name : r->type;
    row->count = last->count;
    row->bytes = last->bytes;
    row->has_count = row->has_bytes = true;
    view_list_cells(e, types_list(e), r, row);
}

static void types_empty(const struct view *v, struct hd_sink to)
{
    PUT(to, v->e->app_only ? "No type of the program. `a` shows all." : "An empty heap.");
}

static bool types_detail(const struct view *v, unsigned i, struct hd_sink to)
{
    enum { AROUND = 24 }; /* "count ", followed by the status */
    const struct types *t = types_of(v);
    const unsigned width = v->e->width;
    if (v->cursor >= v->rows || i > is_diff(v->e))
        return false;
    const struct hd_type_row *r = t->rows[v->cursor];
    if (i == 0) {
        PUT(to, "type     {}",
            NAMED(LOOK_PLAIN, r->full_name != NULL ? r->full_name : r->type));
        return true;
    }
    PUT(to, "count    ");
    print_counts(r->at, v->e->model->snapshot_count, width > AROUND ? width - AROUND : 0,
                 to);
    PUT(to, "   {}", WORD(hd_series_status_name(r->status)));
    return true;
}

static void types_enter(struct view *v, size_t i)
{
    const struct hd_type_row *r = types_of(v)->rows[i];
    explore_open(v->e, instances_view(v->e, r->type, r->full_name));
}

static void types_release(struct view *v)
{
    free(((struct types *)v)->rows);
}

static const struct view_kind kind = {
    .name = "types",
    .place = IN_TYPES,
    .columns = types_columns,
    .row = types_row,
    .empty = types_empty,
    .detail = types_detail,
    .detail_lines = 2,
    .enter = types_enter,
    .orders = (const char *const[][2]){{"bytes", "growth"},
                                       {"bytes", "Δbytes"},
                                       {"count", "Δcount"},
                                       {"retained", "retained"},
                                       {"name", "name"},
                                       {NULL}},
    .refresh = types_refresh,
    .free = types_release,
};

struct view *types_view(struct explore *e)
{
    return view_new(e, &kind, sizeof(struct types));
}
