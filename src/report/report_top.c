#include "analysis/dominators.h"
#include "analysis/unit.h"
#include "base/hash.h"
#include "format/open.h"
#include "heap/reach.h"
#include "report/plan.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

struct row_slot {
    struct report_type *row;
    UT_hash_handle hh;
};

static int by_name(const void *a, const void *b)
{
    const struct report_type *x = a, *y = b;
    return strcmp(x->type, y->type);
}

static int by_count(const void *a, const void *b)
{
    const struct tally *x = ((const struct report_type *)a)->at;
    const struct tally *y = ((const struct report_type *)b)->at;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return by_name(a, b);
}

/* Rows without bytes stand behind the others, by count. */
static int by_bytes(const void *a, const void *b)
{
    const struct tally *x = ((const struct report_type *)a)->at;
    const struct tally *y = ((const struct report_type *)b)->at;
    uint64_t x_bytes = x->bytes != HD_UNKNOWN ? x->bytes : 0;
    uint64_t y_bytes = y->bytes != HD_UNKNOWN ? y->bytes : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_count(a, b);
}

static int by_retained(const void *a, const void *b)
{
    const struct report_type *x = a, *y = b;
    uint64_t x_bytes = x->retained != HD_UNKNOWN ? x->retained : 0;
    uint64_t y_bytes = y->retained != HD_UNKNOWN ? y->retained : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_bytes(a, b);
}

/* What the instances of each type of snap retain together, by type. The walk for it finds
 * what is reachable as well. */
static uint64_t *retained_by_type(struct hd_snapshot *snap, const struct hd_options *opt,
                                  struct arena *a)
{
    uint64_t all = snap->node_count;
    if (opt->progress != NULL)
        opt->progress(opt->progress_context, HD_FINDING_OWNERS, 0, all);
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    reach_given(snap, d.node, d.count);
    if (opt->progress != NULL)
        opt->progress(opt->progress_context, HD_FINDING_OWNERS, all - all / 4, all);
    uint64_t *retained = dominators_retained(&d, snap);
    uint64_t *by_type = dominators_retained_by_type(&d, snap, retained, a);
    free(retained);
    dominators_free(&d);
    return by_type;
}

/* Rows by type have the retained size of their type; NULL: it is not known. */
static void add_retained(struct hd_report *r, const struct hd_snapshot *snap,
                         const uint64_t *retained)
{
    if (retained == NULL)
        return;
    struct arena scratch = {0};
    struct row_slot *rows = NULL, *slot;
    for (size_t i = 0; i < r->type_count; i++) {
        slot = arena_alloc(&scratch, sizeof(*slot));
        slot->row = &r->types[i];
        HASH_ADD_KEYPTR(hh, rows, slot->row->type, strlen(slot->row->type), slot);
    }
    for (type_id t = 0; t < snap->type_count; t++) {
        HASH_FIND_STR(rows, snap->types[t].name, slot);
        if (slot != NULL && snap->types[t].kind == TYPE_OBJECT)
            slot->row->retained = retained[t];
    }
    HASH_CLEAR(hh, rows);
    arena_free(&scratch);
}

/* How many of the objects that are counted lie in each generation. What --reachable leaves
 * out is not known by generation. */
static void add_generations(struct hd_report *r, const struct hd_snapshot *snap,
                            const struct hd_options *opt)
{
    if (!snap->info.has_generations || opt->reachable || opt->by == HD_BY_HOLDER)
        return;
    struct arena scratch = {0};
    struct text name = {0};
    struct row_slot *rows = NULL, *slot;
    for (size_t i = 0; i < r->type_count; i++) {
        slot = arena_alloc(&scratch, sizeof(*slot));
        slot->row = &r->types[i];
        HASH_ADD_KEYPTR(hh, rows, slot->row->type, strlen(slot->row->type), slot);
        slot->row->by_generation = arena_array(&r->arena, struct tally, GENERATION_COUNT);
    }
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->by_generation == NULL)
            continue;
        text_clear(&name);
        unit_name(&name, opt->by, type);
        HASH_FIND(hh, rows, name.data, name.len, slot);
        for (enum generation g = GEN0; slot != NULL && g < GENERATION_COUNT; g++) {
            if (opt->gen2 && !generation_is_old(g))
                continue;
            const struct tally *from = &type->by_generation[g];
            struct tally *to = &slot->row->by_generation[g];
            double bytes_scale =
                type->raw.bytes > 0
                    ? (double)type->tally[SELECT_ALL].bytes / (double)type->raw.bytes
                    : 1;
            to->count += tally_scaled(from->count, type->count_scale);
            to->bytes += tally_scaled(from->bytes, bytes_scale);
        }
    }
    HASH_CLEAR(hh, rows);
    text_free(&name);
    arena_free(&scratch);
}

static bool add_rows(struct hd_report *r, struct hd_snapshot *unit,
                     const struct hd_options *opt, struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), opt->by, NULL};
    struct series_warnings none = {0};
    struct series s;
    if (!series_align(&s, &unit, 1, &ask, &r->arena, &none, err))
        return false;
    r->bytes_known = s.bytes_known;
    r->totals = s.totals;
    r->types = arena_array(&r->arena, struct report_type, s.row_count);
    for (size_t i = 0; i < s.row_count; i++)
        if (report_shows_row(r, opt, s.rows[i].name))
            r->types[r->type_count++] = (struct report_type){.type = s.rows[i].name,
                                                             .at = s.rows[i].at,
                                                             .status = s.rows[i].status,
                                                             .retained = HD_UNKNOWN,
                                                             .survivors = HD_UNKNOWN};
    return true;
}

static int (*const orders[])(const void *, const void *) = {
    [HD_SORT_DEFAULT] = by_bytes, [HD_SORT_COUNT] = by_count,
    [HD_SORT_BYTES] = by_bytes,   [HD_SORT_RETAINED] = by_retained,
    [HD_SORT_NAME] = by_name,
};

struct hd_report *hd_report_top(struct hd_snapshot *snap, const struct hd_options *opt,
                                struct hd_error *err)
{
    struct hd_options options;
    if (!report_options(&options, opt, err))
        return NULL;
    opt = &options;
    struct plan plan;
    if (!snapshot_need_graph(snap, err) ||
        (snap->graph != NULL && !plan_graphs(&plan, &snap, 1, plan_dominators, opt, err)))
        return NULL;
    struct hd_report *r = report_new(REPORT_TOP, opt);
    const uint64_t *retained = NULL;
    if (opt->by == HD_BY_TYPE && snap->graph != NULL)
        retained = retained_by_type(snap, opt, &r->arena);
    struct hd_snapshot *unit = NULL;
    bool ok = snapshot_need_reach(snap, err);
    report_add_snapshots(r, &snap, 1);
    ok = ok && report_begin_units(&unit, &snap, 1, opt, err) && add_rows(r, unit, opt, err);
    if (unit != NULL)
        report_end_units(&unit, &snap, 1);
    if (!ok) {
        hd_report_free(r);
        return NULL;
    }
    add_retained(r, snap, retained);
    add_generations(r, snap, opt);
    qsort(r->types, r->type_count, sizeof(*r->types), orders[opt->sort]);
    return r;
}
