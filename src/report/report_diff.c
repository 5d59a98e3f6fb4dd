#include "base/error.h"
#include "base/hash.h"
#include "heap/names.h"
#include "report/report_rank.h"

#include <stdlib.h>
#include <string.h>

/* --- rows ---------------------------------------------------------------- */

/* Signed difference of two 64-bit counts, for ordering only. */
static int compare_growth(uint64_t first_a, uint64_t last_a, uint64_t first_b,
                          uint64_t last_b)
{
    bool up_a = last_a >= first_a, up_b = last_b >= first_b;
    if (up_a != up_b)
        return up_a ? -1 : 1;
    uint64_t a = up_a ? last_a - first_a : first_a - last_a;
    uint64_t b = up_b ? last_b - first_b : first_b - last_b;
    if (a == b)
        return 0;
    return (a > b) == up_a ? -1 : 1;
}

/* qsort has no argument for it. */
struct sortable {
    struct report_type row;
    size_t last;
    enum hd_sort sort;
    bool bytes_known;
    bool is_ranked; /* what it retains is known */
    uint64_t retained_first, retained_last;
};

static int by_count_growth(const struct sortable *x, const struct sortable *y)
{
    const struct tally *a = x->row.at, *b = y->row.at;
    return compare_growth(a[0].count, a[x->last].count, b[0].count, b[y->last].count);
}

static int by_bytes_growth(const struct sortable *x, const struct sortable *y)
{
    const struct tally *a = x->row.at, *b = y->row.at;
    if (!x->bytes_known)
        return 0;
    return compare_growth(a[0].bytes, a[x->last].bytes, b[0].bytes, b[y->last].bytes);
}

/* What the ranking did not look at stands behind. */
static int by_retained_growth(const struct sortable *x, const struct sortable *y)
{
    if (x->is_ranked != y->is_ranked)
        return x->is_ranked ? -1 : 1;
    return compare_growth(x->retained_first, x->retained_last, y->retained_first,
                          y->retained_last);
}

static int by_growth(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    int order = 0;
    if (x->sort == HD_SORT_RETAINED)
        order = by_retained_growth(x, y);
    if (x->sort == HD_SORT_BYTES)
        order = by_bytes_growth(x, y);
    if (order == 0 && x->sort != HD_SORT_NAME)
        order = by_count_growth(x, y);
    if (order == 0 && x->sort != HD_SORT_NAME)
        order = by_bytes_growth(x, y);
    return order != 0 ? order : strcmp(x->row.type, y->row.type);
}

struct ranked_type {
    const struct report_suspect *suspect;
    UT_hash_handle hh;
};

/* The row of the ranking for each type that has one; the first, of several. */
static void index_ranked(struct ranked_type **by_type, const struct report_suspect *all,
                         size_t count, struct arena *a)
{
    for (size_t i = 0; i < count; i++) {
        struct ranked_type *slot;
        HASH_FIND_STR(*by_type, all[i].type, slot);
        if (slot != NULL || all[i].retained == NULL)
            continue;
        slot = arena_alloc(a, sizeof(*slot));
        slot->suspect = &all[i];
        HASH_ADD_KEYPTR(hh, *by_type, all[i].type, strlen(all[i].type), slot);
    }
}

static void find_retained(const struct hd_report *r, struct sortable *rows, size_t count)
{
    struct arena scratch = {0};
    struct ranked_type *by_type = NULL, *slot;
    index_ranked(&by_type, r->suspects, r->suspect_count, &scratch);
    index_ranked(&by_type, r->minor, r->minor_count, &scratch);
    index_ranked(&by_type, r->pooled, r->pooled_count, &scratch);
    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(by_type, rows[i].row.type, slot);
        rows[i].is_ranked =
            slot != NULL && report_retained(r, slot->suspect, &rows[i].retained_first,
                                            &rows[i].retained_last);
    }
    HASH_CLEAR(hh, by_type);
    arena_free(&scratch);
}

static void add_types(struct hd_report *r, const struct series *s,
                      const struct hd_options *opt)
{
    struct arena scratch = {0};
    struct sortable *rows = arena_array(&scratch, struct sortable, s->row_count);
    enum hd_sort sort = opt->sort != HD_SORT_DEFAULT ? opt->sort : HD_SORT_COUNT;
    for (size_t i = 0; i < s->row_count; i++) {
        if (!report_shows_row(r, opt, s->rows[i].name))
            continue;
        rows[r->type_count++] =
            (struct sortable){.row = {.type = s->rows[i].name,
                                      .at = s->rows[i].at,
                                      .status = s->rows[i].status,
                                      .retained = HD_UNKNOWN,
                                      .survivors = s->rows[i].survivors},
                              .last = s->count - 1,
                              .sort = sort,
                              .bytes_known = s->bytes_known};
    }
    if (sort == HD_SORT_RETAINED)
        find_retained(r, rows, r->type_count);
    qsort(rows, r->type_count, sizeof(*rows), by_growth);
    r->types = arena_array(&r->arena, struct report_type, r->type_count);
    for (size_t i = 0; i < r->type_count; i++)
        r->types[i] = rows[i].row;
    arena_free(&scratch);
}

/* --- patterns that match nothing ------------------------------------------ */

/* All that a pattern of --type is compared with. */
struct shown_names {
    const char **all;
    size_t count;
};

static void add_subjects(struct shown_names *names, const struct report_suspect *all,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        names->all[names->count++] = all[i].subject;
}

static struct shown_names names_of(const struct hd_report *r, const struct series *s,
                                   struct arena *a)
{
    size_t most = 2 * s->row_count + r->suspect_count + r->minor_count + r->pooled_count;
    struct shown_names names = {.all = arena_array(a, const char *, most)};
    for (size_t i = 0; i < s->row_count; i++) {
        const char *name = s->rows[i].name, *shown = report_shown(r, name);
        names.all[names.count++] = name;
        if (shown != name)
            names.all[names.count++] = shown;
    }
    add_subjects(&names, r->suspects, r->suspect_count);
    add_subjects(&names, r->minor, r->minor_count);
    add_subjects(&names, r->pooled, r->pooled_count);
    return names;
}

static bool is_matched(const struct shown_names *names, const char *pattern)
{
    for (size_t i = 0; i < names->count; i++)
        if (names_match(pattern, names->all[i]))
            return true;
    return false;
}

/* A mistyped pattern must not look like a heap without growth. */
static void warn_about_types(struct hd_report *r, const struct series *s,
                             const struct hd_options *opt)
{
    struct arena scratch = {0};
    struct text message = {0};
    size_t matched = 0;
    struct shown_names names = {0};
    if (opt->type_count > 0)
        names = names_of(r, s, &scratch);
    for (size_t i = 0; i < opt->type_count; i++) {
        if (is_matched(&names, opt->types[i])) {
            matched++;
            continue;
        }
        text_clear(&message);
        report_no_match(&message, r, opt->types[i], names.all, names.count);
        report_warn_detail(r, WARN_NO_SUCH_TYPE, (size_t)-1, text_string(&message));
        if (r->no_match == NULL)
            r->no_match = report_string(r, text_string(&message));
    }
    if (matched > 0)
        r->no_match = NULL;
    text_free(&message);
    arena_free(&scratch);
}

/* --- the report ---------------------------------------------------------- */

static void add_reachable(struct hd_report *r, struct hd_snapshot *const *snaps,
                          size_t count, enum selection selection)
{
    r->reachable = arena_array(&r->arena, struct tally, count);
    for (size_t k = 0; k < count; k++) {
        const struct hd_snapshot *snap = snaps[k];
        if (!snap->info.has_roots || snap->info.reachable_objects == HD_UNKNOWN) {
            r->reachable[k] = (struct tally){HD_UNKNOWN, HD_UNKNOWN};
            continue;
        }
        for (type_id t = 0; t < snap->type_count; t++) {
            struct tally at =
                series_tally(snap, &snap->types[t], selection | SELECT_REACHABLE);
            if (snap->types[t].kind != TYPE_OBJECT)
                continue;
            r->reachable[k].count += at.count;
            r->reachable[k].bytes += at.bytes;
        }
    }
}

static void add_series_warnings(struct hd_report *r, const struct series *s,
                                const struct series_warnings *w)
{
    for (size_t i = 0; i < w->len; i++) {
        const struct series_warning *from = &w->all[i];
        if (from->detail != NULL)
            report_warn_detail(r, from->code, from->snapshot, from->detail);
        else
            report_warn(r, from->code, from->snapshot);
        if (from->times > 1)
            r->warnings[r->warning_count - 1].count = from->times;
    }
    if (s->confidence < CONFIDENCE_HIGH && s->fit_count < SERIES_ENOUGH_SNAPSHOTS)
        report_warn(r, WARN_FEW_SNAPSHOTS, (size_t)-1);
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

/* The answer to one question about snapshots that are as the question wants them. */
static bool answer(struct hd_report *r, struct hd_snapshot *const *snaps, size_t count,
                   const struct hd_options *opt, struct series *s, struct hd_error *err)
{
    struct series_question ask = {report_selection(opt), opt->by, opt->iterations};
    struct series_warnings warnings = {0};
    if (!series_align(s, snaps, count, &ask, &r->arena, &warnings, err))
        return false;
    add_series_warnings(r, s, &warnings);
    r->confidence = s->confidence;
    r->bytes_known = s->bytes_known;
    r->fit_count = s->fit_count;
    r->totals = s->totals;
    if (!report_rank(r, s, opt, err))
        return false;
    add_types(r, s, opt);
    warn_about_types(r, s, opt);
    return true;
}

bool report_compare(struct hd_report *r, struct hd_snapshot *const *snaps,
                    struct hd_snapshot *const *units, size_t count,
                    const struct hd_options *opt, struct series *s, struct hd_error *err)
{
    if (!iterations_fit(opt, count, err))
        return false;
    report_add_snapshots(r, snaps, count);
    if (opt->iterations != NULL) {
        r->iterations = arena_array(&r->arena, uint64_t, count);
        memcpy(r->iterations, opt->iterations, count * sizeof(*r->iterations));
    }
    if (!answer(r, units, count, opt, s, err) ||
        !report_refresh_reach(r, snaps, count, err))
        return false;
    add_reachable(r, snaps, count, report_selection(opt));
    return true;
}

struct hd_report *hd_report_diff(struct hd_snapshot *const *snaps, size_t count,
                                 const struct hd_options *opt, struct hd_error *err)
{
    struct hd_options options;
    if (!report_options(&options, opt, err) || !count_fits(count, err))
        return NULL;
    opt = &options;
    struct hd_report *r = report_new(REPORT_DIFF, opt);
    struct hd_snapshot *units[HD_MAX_SNAPSHOTS] = {0};
    struct series s;
    bool ok = report_begin_units(units, snaps, count, opt, err) &&
              report_compare(r, snaps, units, count, opt, &s, err);
    report_end_units(units, snaps, count);
    if (ok)
        return r;
    hd_report_free(r);
    return NULL;
}
