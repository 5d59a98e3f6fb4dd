#include "base/error.h"
#include "base/hash.h"
#include "format/open.h"
#include "heap/reach.h"
#include "heap/sample.h"
#include "questions/report_tree.h"
#include "report/view.h"
#include "series/series.h"

#include <stdlib.h>
#include <string.h>

struct row_slot {
    struct hd_type_row *row;
    UT_hash_handle hh;
};

/* Rows by type have the retained size of their type; NULL: it is not known. */
static void add_retained(struct hd_report *r, const struct hd_snapshot *snap,
                         const uint64_t *retained)
{
    if (retained == NULL)
        return;
    struct arena scratch = {0};
    struct row_slot *rows = NULL, *slot;
    for (size_t i = 0; i < r->found.top.types.len; i++) {
        slot = arena_alloc(&scratch, sizeof(*slot));
        slot->row = &r->found.top.types.rows[i];
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
 * out can only be told with the graph, or a digest. */
static void add_generations(struct hd_report *r, const struct hd_snapshot *snap,
                            const struct hd_options *opt)
{
    if (!snap->info.has_generations || opt->by == HD_BY_HOLDER)
        return;
    struct arena scratch = {0};
    const struct hd_tally *lost = opt->reachable ? reach_lost(snap, &scratch) : NULL;
    if (opt->reachable && lost == NULL)
        return;
    struct text name = {0};
    struct row_slot *rows = NULL, *slot;
    for (size_t i = 0; i < r->found.top.types.len; i++) {
        slot = arena_alloc(&scratch, sizeof(*slot));
        slot->row = &r->found.top.types.rows[i];
        HASH_ADD_KEYPTR(hh, rows, slot->row->type, strlen(slot->row->type), slot);
        slot->row->by_generation =
            arena_array(&r->arena, struct hd_tally, HD_GENERATION_COUNT);
    }
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind != TYPE_OBJECT || type->by_generation == NULL)
            continue;
        text_clear(&name);
        unit_name(&name, opt->by, type);
        HASH_FIND(hh, rows, name.data, name.len, slot);
        for (enum hd_generation g = HD_GEN0; slot != NULL && g < HD_GENERATION_COUNT; g++) {
            if (opt->gen2 && !generation_is_old(g))
                continue;
            struct hd_tally from = type->by_generation[g];
            struct hd_tally *to = &slot->row->by_generation[g];
            if (lost != NULL) {
                from.count -= lost[(size_t)t * HD_GENERATION_COUNT + g].count;
                from.bytes -= lost[(size_t)t * HD_GENERATION_COUNT + g].bytes;
            }
            struct hd_tally scaled = sample_tally(type, from);
            tally_add(to, &scaled);
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
    struct hd_type_table *t = &r->found.top.types;
    t->bytes_known = s.bytes_known;
    t->totals = s.totals;
    t->rows = arena_array(&r->arena, struct hd_type_row, s.row_count);
    for (size_t i = 0; i < s.row_count; i++)
        t->rows[t->len++] =
            (struct hd_type_row){.type = s.rows[i].name,
                                 .full_name = report_full_name(r, s.rows[i].name),
                                 .at = s.rows[i].at,
                                 .status = s.rows[i].status,
                                 .retained = HD_UNKNOWN,
                                 .survivors = HD_UNKNOWN,
                                 .survivors_low = HD_UNKNOWN,
                                 .survivors_high = HD_UNKNOWN};
    return true;
}

static bool describe(struct hd_report *r, struct hd_comparison *c,
                     const struct hd_options *opt, struct hd_error *err)
{
    struct hd_snapshot *snap = c->snaps[0];
    struct hd_error own = {0};
    const uint64_t *retained = NULL;
    if (opt->by == HD_BY_TYPE)
        retained = comparison_retained(c, &own);
    if (own.status != HD_OK || !snapshot_need_reach(snap, &own)) {
        if (err != NULL && err->status == HD_OK)
            *err = own;
        return comparison_blame(err, 0);
    }
    struct hd_snapshot *const *units = report_units(c, opt, err);
    report_add_snapshots(r, c->snaps, 1);
    if (units == NULL || !add_rows(r, units[0], opt, err))
        return false;
    add_retained(r, snap, retained);
    add_generations(r, snap, opt);
    struct view v = view_of(opt);
    r->top = view_top(&r->found.top, &v, r, &r->arena);
    bool wants_tree = opt->tree || opt->owner_of_most;
    if (wants_tree && snap->info.has_roots && !snap->read.tables_only &&
        !report_add_tree_of_one(r, c, opt, err))
        return false;
    view_cut(r, opt->rows, &r->arena);
    return true;
}

static bool answer_top(struct hd_report *r, struct hd_comparison *c, struct hd_options *opt,
                       struct hd_error *err)
{
    return c->count == 1 ? describe(r, c, opt, err)
                         : fail(err, HD_USAGE, "top takes one snapshot, not %zu", c->count);
}

struct hd_report *hd_report_top(struct hd_comparison *c, const struct hd_options *opt,
                                struct hd_error *err)
{
    return report_answer(HD_REPORT_TOP, c, opt, answer_top, err);
}
