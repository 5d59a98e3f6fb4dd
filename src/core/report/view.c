#include "report/view.h"

#include "base/hash.h"
#include "heap/place.h"
#include "report/phrases.h"

#include <stdlib.h>
#include <string.h>

/* --- which rows ---------------------------------------------------------- */

struct view view_of(const struct hd_options *opt)
{
    return (struct view){.types = opt->types,
                         .type_count = opt->type_count,
                         .excludes = opt->excludes,
                         .exclude_count = opt->exclude_count,
                         .app_only = opt->app_only,
                         .sort = opt->sort};
}

static bool matches_any(const struct hd_report *r, const char *const *patterns,
                        size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (report_matches(r, patterns[i], name))
            return true;
    return false;
}

static bool excludes(const struct view *v, const struct hd_report *r, const char *name)
{
    return matches_any(r, v->excludes, v->exclude_count, name);
}

bool view_shows(const struct view *v, const struct hd_report *r, const char *name)
{
    if (v->type_count > 0 && !matches_any(r, v->types, v->type_count, name))
        return false;
    return !excludes(v, r, name) &&
           !(v->app_only && names_is_framework(name_part(name), NAME_WHOLE));
}

/* A row of the ranking shows if its type or the class in its title does, and neither is
 * excluded. */
static bool shows_ranked(const struct view *v, const struct hd_report *r, const char *type,
                         const char *subject)
{
    if (excludes(v, r, type) || excludes(v, r, subject))
        return false;
    return (!place_is_root(subject) && view_shows(v, r, subject)) || view_shows(v, r, type);
}

static bool hides_nothing(const struct view *v)
{
    return v->type_count == 0 && v->exclude_count == 0 && !v->app_only;
}

/* --- the ranking --------------------------------------------------------- */

static struct hd_suspect *view_choose(const struct hd_suspect *all, size_t count,
                                      size_t *len, const struct view *v,
                                      const struct hd_report *r, struct arena *a)
{
    struct hd_suspect *chosen = arena_array(a, struct hd_suspect, count);
    *len = 0;
    for (size_t i = 0; i < count; i++)
        if (shows_ranked(v, r, all[i].type, all[i].subject))
            chosen[(*len)++] = all[i];
    return chosen;
}

static size_t count_hidden(const struct hd_suspect *all, size_t count, const struct view *v,
                           const struct hd_report *r)
{
    size_t hidden = 0;
    for (size_t i = 0; i < count; i++)
        hidden += all[i].suspicion != HD_SUSPECT_NOT &&
                  !shows_ranked(v, r, all[i].type, all[i].subject);
    return hidden;
}

void view_suspects(struct hd_diff *shown, const struct hd_diff *all, const struct view *v,
                   const struct hd_report *r, struct arena *a)
{
    shown->suspects = all->suspects;
    shown->suspect_count = all->suspect_count;
    shown->minor = all->minor;
    shown->minor_count = all->minor_count;
    shown->pooled = all->pooled;
    shown->pooled_count = all->pooled_count;
    shown->hidden_count = 0;
    if (hides_nothing(v))
        return;
    shown->suspects =
        view_choose(all->suspects, all->suspect_count, &shown->suspect_count, v, r, a);
    shown->minor = view_choose(all->minor, all->minor_count, &shown->minor_count, v, r, a);
    shown->pooled =
        view_choose(all->pooled, all->pooled_count, &shown->pooled_count, v, r, a);
    shown->hidden_count = all->suspect_count - shown->suspect_count +
                          count_hidden(all->pooled, all->pooled_count, v, r);
}

/* --- rows of a diff, by growth ------------------------------------------- */

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
    struct hd_type_row row;
    size_t last;
    enum hd_sort sort;
    bool bytes_known;
    bool is_ranked; /* what it retains is known */
    uint64_t retained_first, retained_last;
};

static int by_count_growth(const struct sortable *x, const struct sortable *y)
{
    const struct hd_tally *a = x->row.at, *b = y->row.at;
    return compare_growth(a[0].count, a[x->last].count, b[0].count, b[y->last].count);
}

static int by_bytes_growth(const struct sortable *x, const struct sortable *y)
{
    const struct hd_tally *a = x->row.at, *b = y->row.at;
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

struct view_ranked_type {
    const struct hd_suspect *suspect;
    UT_hash_handle hh;
};

/* The row of the ranking for each type that has one; the first, of several. */
static void index_ranked(struct view_ranked_type **by_type, const struct hd_suspect *all,
                         size_t count, struct arena *a)
{
    for (size_t i = 0; i < count; i++) {
        struct view_ranked_type *slot;
        HASH_FIND_STR(*by_type, all[i].type, slot);
        if (slot != NULL || all[i].retained == NULL)
            continue;
        slot = arena_alloc(a, sizeof(*slot));
        slot->suspect = &all[i];
        HASH_ADD_KEYPTR(hh, *by_type, all[i].type, strlen(all[i].type), slot);
    }
}

static void view_find_retained(const struct hd_diff *d, const struct hd_report *r,
                               struct sortable *rows, size_t count)
{
    struct arena scratch = {0};
    struct view_ranked_type *by_type = NULL, *slot;
    index_ranked(&by_type, d->suspects, d->suspect_count, &scratch);
    index_ranked(&by_type, d->minor, d->minor_count, &scratch);
    index_ranked(&by_type, d->pooled, d->pooled_count, &scratch);
    for (size_t i = 0; i < count; i++) {
        HASH_FIND_STR(by_type, rows[i].row.type, slot);
        rows[i].is_ranked =
            slot != NULL && report_retained(r, slot->suspect, &rows[i].retained_first,
                                            &rows[i].retained_last);
    }
    HASH_CLEAR(hh, by_type);
    arena_free(&scratch);
}

static void choose_types(struct hd_diff *shown, const struct hd_type_table *all,
                         const struct view *v, const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    struct sortable *rows = arena_array(&scratch, struct sortable, all->len);
    enum hd_sort sort = v->sort != HD_SORT_DEFAULT ? v->sort : HD_SORT_COUNT;
    size_t len = 0;
    for (size_t i = 0; i < all->len; i++)
        if (view_shows(v, r, all->rows[i].type))
            rows[len++] = (struct sortable){.row = all->rows[i],
                                            .last = r->snapshot_count - 1,
                                            .sort = sort,
                                            .bytes_known = all->bytes_known};
    if (sort == HD_SORT_RETAINED)
        view_find_retained(shown, r, rows, len);
    qsort(rows, len, sizeof(*rows), by_growth);
    shown->types.rows = arena_array(a, struct hd_type_row, len);
    shown->types.len = len;
    for (size_t i = 0; i < len; i++)
        shown->types.rows[i] = rows[i].row;
    arena_free(&scratch);
}

/* --- patterns that match nothing ----------------------------------------- */

/* All that a pattern of --type is compared with. */
struct shown_names {
    const char **all;
    size_t count;
};

static void add_subjects(struct shown_names *names, const struct hd_suspect *all,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        names->all[names->count++] = all[i].subject;
}

static struct shown_names names_of(const struct hd_diff *d,
                                   const struct hd_type_table *types,
                                   const struct hd_report *r, struct arena *a)
{
    size_t most = 2 * types->len + d->suspect_count + d->minor_count + d->pooled_count;
    struct shown_names names = {.all = arena_array(a, const char *, most)};
    for (size_t i = 0; i < types->len; i++) {
        const char *name = types->rows[i].type, *shown = report_shown(r, name);
        names.all[names.count++] = name;
        if (shown != name)
            names.all[names.count++] = shown;
    }
    add_subjects(&names, d->suspects, d->suspect_count);
    add_subjects(&names, d->minor, d->minor_count);
    add_subjects(&names, d->pooled, d->pooled_count);
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
static void find_unmatched(struct hd_diff *shown, const struct hd_type_table *types,
                           const struct view *v, const struct hd_report *r, struct arena *a)
{
    struct arena scratch = {0};
    struct shown_names names = {0};
    if (v->type_count > 0)
        names = names_of(shown, types, r, &scratch);
    shown->unmatched = arena_array(a, struct hd_no_match, v->type_count);
    shown->unmatched_count = 0;
    for (size_t i = 0; i < v->type_count; i++)
        if (!is_matched(&names, v->types[i]))
            shown->unmatched[shown->unmatched_count++] =
                report_no_match(v->types[i], names.all, names.count, a);
    bool none = shown->unmatched_count > 0 && shown->unmatched_count == v->type_count;
    shown->no_match = none ? shown->unmatched : NULL;
    arena_free(&scratch);
}

struct hd_diff view_diff(const struct hd_diff *all, const struct view *v,
                         const struct hd_report *r, struct arena *a)
{
    struct hd_diff shown = *all;
    view_suspects(&shown, all, v, r, a);
    shown.stopped = arena_array(a, struct hd_stopped, all->stopped_count);
    shown.stopped_count = 0;
    for (size_t i = 0; i < all->stopped_count; i++)
        if (shows_ranked(v, r, all->stopped[i].type, all->stopped[i].subject))
            shown.stopped[shown.stopped_count++] = all->stopped[i];
    choose_types(&shown, &all->types, v, r, a);
    find_unmatched(&shown, &all->types, v, r, a);
    return shown;
}

/* --- rows of a top, by size ---------------------------------------------- */

static int view_by_name(const void *a, const void *b)
{
    const struct hd_type_row *x = a, *y = b;
    return strcmp(x->type, y->type);
}

static int by_count(const void *a, const void *b)
{
    const struct hd_tally *x = ((const struct hd_type_row *)a)->at;
    const struct hd_tally *y = ((const struct hd_type_row *)b)->at;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return view_by_name(a, b);
}

/* Rows without bytes stand behind the others, by count. */
static int by_bytes(const void *a, const void *b)
{
    const struct hd_tally *x = ((const struct hd_type_row *)a)->at;
    const struct hd_tally *y = ((const struct hd_type_row *)b)->at;
    uint64_t x_bytes = x->bytes != HD_UNKNOWN ? x->bytes : 0;
    uint64_t y_bytes = y->bytes != HD_UNKNOWN ? y->bytes : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_count(a, b);
}

static int by_retained(const void *a, const void *b)
{
    const struct hd_type_row *x = a, *y = b;
    uint64_t x_bytes = x->retained != HD_UNKNOWN ? x->retained : 0;
    uint64_t y_bytes = y->retained != HD_UNKNOWN ? y->retained : 0;
    if (x_bytes != y_bytes)
        return x_bytes < y_bytes ? 1 : -1;
    return by_bytes(a, b);
}

struct hd_top view_top(const struct hd_top *all, const struct view *v,
                       const struct hd_report *r, struct arena *a)
{
    static int (*const orders[])(const void *, const void *) = {
        [HD_SORT_DEFAULT] = by_bytes,  [HD_SORT_COUNT] = by_count,
        [HD_SORT_BYTES] = by_bytes,    [HD_SORT_RETAINED] = by_retained,
        [HD_SORT_NAME] = view_by_name,
    };
    struct hd_top shown = *all;
    struct hd_type_table *t = &shown.types;
    t->rows = arena_array(a, struct hd_type_row, all->types.len);
    t->len = 0;
    for (size_t i = 0; i < all->types.len; i++)
        if (view_shows(v, r, all->types.rows[i].type))
            t->rows[t->len++] = all->types.rows[i];
    qsort(t->rows, t->len, sizeof(*t->rows), orders[v->sort]);
    return shown;
}

/* --- how many ------------------------------------------------------------ */

static void view_add(uint64_t *sum, uint64_t more)
{
    *sum = *sum == HD_UNKNOWN || more == HD_UNKNOWN ? HD_UNKNOWN : *sum + more;
}

/* Of the rows from first on. */
static struct hd_sum sum_rows(const struct hd_type_table *t, size_t first, size_t snapshots,
                              struct arena *a)
{
    struct hd_sum sum = {.rows = t->len - first,
                         .at = arena_array(a, struct hd_tally, snapshots)};
    for (size_t i = first; i < t->len; i++) {
        for (size_t k = 0; k < snapshots; k++) {
            view_add(&sum.at[k].count, t->rows[i].at[k].count);
            view_add(&sum.at[k].bytes, t->rows[i].at[k].bytes);
        }
    }
    return sum;
}

static bool is_equal(const struct hd_tally *x, const struct hd_tally *y)
{
    return x->count == y->count && x->bytes == y->bytes;
}

void view_cut(struct hd_report *r, uint32_t rows, struct arena *a)
{
    r->rows = rows == HD_DEFAULT_ROWS ? REPORT_USUAL_ROWS : rows;
    bool is_diff = r->kind == HD_REPORT_DIFF || r->kind == HD_REPORT_CHECK ||
                   (r->kind == HD_REPORT_TREE && r->snapshot_count > 1);
    if (is_diff || r->kind == HD_REPORT_TOP) {
        struct hd_type_table *t = is_diff ? &r->diff.types : &r->top.types;
        size_t n = r->snapshot_count;
        t->shown = report_rows(r, t->len);
        t->others = sum_rows(t, t->shown, n, a);
        t->sum = sum_rows(t, 0, n, a);
        t->is_whole = is_equal(&t->sum.at[0], &t->totals[0]) &&
                      is_equal(&t->sum.at[n - 1], &t->totals[n - 1]);
    }
    r->diff.suspects_shown = report_rows(r, r->diff.suspect_count);
    r->check.rules_shown = report_rows(r, r->check.rule_count);
    r->diff.stopped_shown = report_rows(r, r->diff.stopped_count);
    r->tree = view_tree(&r->found.tree, rows, r->snapshot_count, a);
    if (r->maker != NULL)
        r->maker->cut(r, a);
}
