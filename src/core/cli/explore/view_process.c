/* The account of the process: its parts, what they changed, or their shares in the last
 * snapshot. */
#include "cli/explore/explore.h"
#include "cli/guard/allocate.h"

#include <stdio.h>
#include <string.h>

static enum hd_list process_list(const struct explore *e)
{
    return e->model->diff == NULL || e->last ? HD_LIST_LAST_PROCESS : HD_LIST_PROCESS;
}

static void process_refresh(struct view *v)
{
    v->rows = v->e->model->account_len;
}

static size_t process_columns(const struct view *v, struct hd_column *all)
{
    return view_list_columns(v->e, process_list(v->e), all);
}

/* Returns the indent of a part or class. */
static char *lead_of(unsigned depth)
{
    enum { INDENT = 2, MAX_LEAD = 16 };
    char *lead = zeroed(MAX_LEAD, 1);
    snprintf(lead, MAX_LEAD, "%*s", (int)(depth * INDENT), "");
    return lead;
}

static void process_row(const struct view *v, size_t i, struct row *row)
{
    const struct explore *e = v->e;
    const struct hd_process_row *r = &e->model->account[i];
    uint64_t last = r->at[last_snapshot(e)];
    view_list_cells(e, process_list(e), r, row);
    row->name = r->name;
    row->lead = r->depth > 0 ? lead_of(r->depth) : NULL;
    row->has_count = r->is_count && last != HD_UNKNOWN;
    row->has_bytes = !r->is_count && last != HD_UNKNOWN;
    row->count = row->has_count ? last : 0;
    row->bytes = row->has_bytes ? last : 0;
}

/* The values of all snapshots. */
static bool process_detail(const struct view *v, unsigned i, struct hd_sink to)
{
    enum { AROUND = 11 }; /* "values   ", and the margins */
    const struct hd_model *m = v->e->model;
    const unsigned width = v->e->width;
    struct hd_tally at[HD_MAX_SNAPSHOTS];
    if (i > 0 || v->cursor >= v->rows)
        return false;
    const struct hd_process_row *r = &m->account[v->cursor];
    for (size_t k = 0; k < m->snapshot_count; k++)
        at[k] = (struct hd_tally){.count = r->at[k]};
    PUT(to, "values   ");
    print_values(at, m->snapshot_count, r->is_count ? CELL_COUNT : CELL_SIZE,
                 width > AROUND ? width - AROUND : 0, to);
    return true;
}

static const struct view_kind kind = {
    .name = "process",
    .place = IN_PROCESS,
    .columns = process_columns,
    .row = process_row,
    .detail = process_detail,
    .detail_lines = 1,
    .refresh = process_refresh,
};

struct view *process_view(struct explore *e)
{
    return view_new(e, &kind, sizeof(struct view));
}
