#include "base/error.h"
#include "questions/report_rank.h"
#include "report/phrases.h"
#include "report/text_parts.h"
#include "report/view.h"
#include "series/ranking_constants.h"

#include <math.h>
#include <string.h>

/* --- rows ---------------------------------------------------------------- */

/* All there are, in the order of the series. */
void report_add_types(struct hd_report *r, struct hd_type_table *t, const struct series *s)
{
    t->rows = arena_array(&r->arena, struct hd_type_row, s->row_count);
    for (size_t i = 0; i < s->row_count; i++)
        t->rows[t->len++] =
            (struct hd_type_row){.type = s->rows[i].name,
                                 .full_name = report_full_name(r, s->rows[i].name),
                                 .at = s->rows[i].at,
                                 .status = s->rows[i].status,
                                 .retained = HD_UNKNOWN,
                                 .survivors = s->rows[i].survivors,
                                 .survivors_low = s->rows[i].survivors_low,
                                 .survivors_high = s->rows[i].survivors_high};
}

/* What was found out about suspects that are shown. Both stand in the order of ranks. */
static void keep_answers(struct hd_diff *found, const struct hd_diff *shown)
{
    for (size_t i = 0, at = 0; i < shown->suspect_count; i++) {
        const struct hd_suspect *s = &shown->suspects[i];
        while (found->suspects[at].rank != s->rank)
            at++;
        found->suspects[at].chains = s->chains;
        found->suspects[at].hint = s->hint;
    }
}

static double bytes_per_hour(const struct hd_report *r)
{
    const struct hd_tally *first = &r->diff.types.totals[0],
                          *last = &r->diff.types.totals[r->snapshot_count - 1];
    return r->diff.types.bytes_known
               ? heading_per_hour(r, (double)last->bytes - (double)first->bytes)
               : NAN;
}

/* The analysis has made r->diff but for its rows, and all rows there are. */
static void show(struct hd_report *r, const struct hd_options *opt)
{
    struct hd_diff *found = &r->found.diff, whole = r->diff;
    struct view v = view_of(opt);
    keep_answers(found, &r->diff);
    whole.suspects = found->suspects;
    whole.suspect_count = found->suspect_count;
    whole.minor = found->minor;
    whole.minor_count = found->minor_count;
    whole.pooled = found->pooled;
    whole.pooled_count = found->pooled_count;
    whole.hidden_count = 0;
    whole.stopped = found->stopped;
    whole.stopped_count = found->stopped_count;
    whole.types.rows = found->types.rows;
    whole.types.len = found->types.len;
    whole.span_seconds = heading_span(r);
    whole.bytes_per_hour = bytes_per_hour(r);
    *found = whole;
    r->diff = view_diff(found, &v, r, &r->arena);
    for (size_t i = 0; i < r->diff.unmatched_count; i++) {
        struct text message = {0};
        phrase_no_match(&message, opt->by, &r->diff.unmatched[i]);
        report_warn_text(r, WARN_NO_SUCH_TYPE, (size_t)-1, &message);
    }
    view_cut(r, opt->rows, &r->arena);
}

/* --- the report ---------------------------------------------------------- */

static void add_reachable(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, enum selection selection)
{
    r->diff.reachable = arena_array(&r->arena, struct hd_tally, count);
    for (size_t k = 0; k < count; k++) {
        const struct hd_snapshot *snap = snaps[k];
        if (!snap->info.has_roots || snap->info.reachable_objects == HD_UNKNOWN) {
            r->diff.reachable[k] = (struct hd_tally){HD_UNKNOWN, HD_UNKNOWN};
            continue;
        }
        for (type_id t = 0; t < snap->type_count; t++) {
            struct hd_tally at =
                series_tally(snap, &snap->types[t], selection | SELECT_REACHABLE);
            if (snap->types[t].kind != TYPE_OBJECT)
                continue;
            r->diff.reachable[k].count += at.count;
            r->diff.reachable[k].bytes += at.bytes;
        }
    }
}

static bool count_fits(size_t count, struct hd_error *err)
{
    return (count >= 2 && count <= HD_MAX_SNAPSHOTS) ||
           fail(err, HD_USAGE, "2 to %d snapshots can be compared", HD_MAX_SNAPSHOTS);
}

static bool iterations_fit(const struct hd_options *opt, size_t count, struct hd_error *err)
{
    if (!count_fits(count, err))
        return false;
    for (size_t k = 1; opt->iterations != NULL && k < count; k++)
        if (opt->iterations[k] <= opt->iterations[k - 1])
            return fail(err, HD_USAGE, "iterations must rise from snapshot to snapshot");
    return true;
}

/* Rows, ranking and chains; units stand in the place of snapshots. */
static bool answer(struct hd_report *r, struct hd_comparison *c,
                   struct hd_snapshot *const *units, const struct hd_options *opt,
                   struct series *s, struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), opt->by, opt->iterations};
    struct series_warnings warnings = {0};
    if (!series_align(s, units, c->count, &ask, &r->arena, &warnings, err))
        return false;
    for (size_t i = 0; i < warnings.len; i++) {
        const struct series_warning *from = &warnings.all[i];
        if (from->detail != NULL)
            report_warn_detail(r, from->code, from->snapshot, from->detail);
        else
            report_warn(r, from->code, from->snapshot);
        if (from->times > 1)
            r->warnings[r->warning_count - 1].count = from->times;
    }
    if (s->confidence < HD_CONFIDENCE_HIGH && s->usable_count < rank_by.enough_snapshots)
        report_warn(r, WARN_FEW_SNAPSHOTS, (size_t)-1);
    r->diff.confidence = s->confidence;
    r->diff.types.bytes_known = s->bytes_known;
    r->diff.usable_count = s->usable_count;
    r->diff.types.totals = s->totals;
    if (!report_rank(r, c, s, opt, err))
        return false;
    report_add_types(r, &r->found.diff.types, s);
    return true;
}

bool report_compare(struct hd_report *r, struct hd_comparison *c,
                    const struct hd_options *opt, struct series *s, struct hd_error *err)
{
    size_t count = c->count;
    if (!iterations_fit(opt, count, err))
        return false;
    struct hd_snapshot *const *units = report_units(c, opt, err);
    if (units == NULL)
        return false;
    report_add_snapshots(r, c->snaps, count);
    if (opt->iterations != NULL) {
        r->diff.iterations = arena_array(&r->arena, uint64_t, count);
        memcpy(r->diff.iterations, opt->iterations, count * sizeof(*r->diff.iterations));
    }
    if (!answer(r, c, units, opt, s, err) || !report_refresh_reach(r, c->snaps, count, err))
        return false;
    add_reachable(r, c->snaps, count, report_selection(opt));
    show(r, opt);
    return true;
}

static bool answer_diff(struct hd_report *r, struct hd_comparison *c,
                        struct hd_options *opt, struct hd_error *err)
{
    struct series s;
    return report_compare(r, c, opt, &s, err);
}

struct hd_report *hd_report_diff(struct hd_comparison *c, const struct hd_options *opt,
                                 struct hd_error *err)
{
    return answer_question(HD_REPORT_DIFF, c, opt, answer_diff, NULL, err);
}
