/* Real series with planted leaks, and healthy ones: the ranking by graphs, the explained
 * share of the growth, and leveled-off types, compared with an independent program, for
 * windows of two to six snapshots (fixtures/leaklab/expected, fixtures/leaklab2/expected).
 */
#include "ranking/ranked.h"

#include <glob.h>
#include <jansson.h>

enum {
    MAX_ROWS = 8, /* rows per window in the file; fewer mean that there are no more */
    MAX_FILES = 8
};

/* The snapshots of a series by number; kept open, because windows overlap. */
struct files {
    const char *set, *series; /* "leaklab", "cache" */
    struct hd_snapshot *all[MAX_FILES];
};

static struct hd_snapshot *open_numbered(struct files *f, size_t number)
{
    cr_assert_lt(number, MAX_FILES);
    if (f->all[number] != NULL)
        return f->all[number];
    char pattern[128];
    snprintf(pattern, sizeof(pattern), "fixtures/%s/%s/%zu.gcdump*", f->set, f->series,
             number);
    glob_t found = {0};
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "%s", pattern);
    struct hd_error err = {0};
    f->all[number] = hd_snapshot_open(found.gl_pathv[0], NULL, &err);
    cr_assert_not_null(f->all[number], "%s: %s", found.gl_pathv[0], err.message);
    globfree(&found);
    return f->all[number];
}

static uint64_t number_at(const json_t *array, size_t i)
{
    return (uint64_t)json_integer_value(json_array_get(array, i));
}

/* The file has six decimals for scores and nine for tau. */
static void expect_near(const char *where, const char *what, double got, double wanted)
{
    cr_expect(fabs(got - wanted) <= 1e-9 * fabs(wanted) + 5e-7, "%s: %s is %.9f, not %.9f",
              where, what, got, wanted);
}

static void expect_numbers(const char *where, const char *what, const uint64_t *got,
                           const json_t *wanted, size_t len)
{
    cr_assert_eq(json_array_size(wanted), len, "%s: %s", where, what);
    for (size_t k = 0; k < len; k++)
        cr_expect_eq(got[k], number_at(wanted, k), "%s: %s of snapshot %zu is %llu", where,
                     what, k, (unsigned long long)got[k]);
}

/* Expects the nodes above the head in the last snapshot. */
static void expect_holder(const char *where, struct ranked *r,
                          const struct ranked_type *type, const json_t *wanted)
{
    const label_id *path;
    size_t len = tree_full_path(&r->tree, type->head, r->a.count - 1, &path, &r->a.arena);
    cr_assert_eq(len, json_array_size(wanted) + 1, "%s: %zu labels", where, len);
    for (size_t i = 0; i + 1 < len; i++)
        cr_expect_str_eq(r->tree.labels.all[path[i]].name,
                         json_string_value(json_array_get(wanted, i)), "%s: holder", where);
    cr_expect_eq(path[len - 1], type->label, "%s: the path ends at the type", where);
}

/* The word in JSON for a path in the file. */
static const char *basis_of(const json_t *row)
{
    const char *basis = json_string_value(json_object_get(row, "basis"));
    return strcmp(basis, "path") == 0 ? "graph" : basis;
}

/* Expects the same types in any order. */
static void expect_also(const char *where, struct ranked *r, const struct ranked_type *type,
                        const json_t *wanted)
{
    for (size_t i = 0; i < type->also_count; i++) {
        const char *name = r->tree.labels.all[type->also[i]].name;
        bool found = false;
        for (size_t j = 0; j < json_array_size(wanted); j++)
            found |= strcmp(json_string_value(json_array_get(wanted, j)), name) == 0;
        cr_expect(found, "%s: also %s", where, name);
    }
    for (size_t j = 0; j < json_array_size(wanted); j++) {
        const char *name = json_string_value(json_array_get(wanted, j));
        bool found = false;
        for (size_t i = 0; i < type->also_count; i++)
            found |= strcmp(r->tree.labels.all[type->also[i]].name, name) == 0;
        cr_expect(found, "%s: without %s", where, name);
    }
}

static void expect_suspicion(const char *where, struct ranked *r,
                             const struct ranked_type *got, const json_t *row)
{
    const char *suspicion = suspicion_names[got->suspicion];
    const char *wanted = json_string_value(json_object_get(row, "suspect"));
    cr_expect(wanted == NULL ? suspicion == NULL
                             : suspicion != NULL && strcmp(suspicion, wanted) == 0,
              "%s: suspect %s and not %s", where, suspicion != NULL ? suspicion : "null",
              wanted != NULL ? wanted : "null");
    cr_expect_str_eq(ranking_basis_names[got->basis], basis_of(row), "%s: basis %s", where,
                     ranking_basis_names[got->basis]);
    expect_also(where, r, got, json_object_get(row, "also"));
    double places = 0;
    for (size_t i = 0; i < got->place_count; i++)
        places += got->places[i].score;
    cr_expect(fabs(places - got->score) <= 1e-9 * got->score, "%s: places sum to %f", where,
              places);
}

static void expect_row(const char *where, struct ranked *r, const struct ranked_type *got,
                       const json_t *row)
{
    const char *type = json_string_value(json_object_get(row, "type"));
    const char *name = r->tree.labels.all[got->label].name;
    cr_expect_str_eq(name, type, "%s: %s and not %s", where, name, type);
    if (strcmp(name, type) != 0)
        return;
    const char *title = json_string_value(json_object_get(row, "subject"));
    cr_expect_str_eq(got->title, title, "%s: subject %s and not %s", where, got->title,
                     title);
    expect_near(where, "score", got->score,
                json_number_value(json_object_get(row, "score")));
    expect_near(where, "tau", got->tau, json_number_value(json_object_get(row, "tau")));
    expect_numbers(where, "count", got->count, json_object_get(row, "count"), r->a.count);
    expect_numbers(where, "retained", got->retained, json_object_get(row, "retained"),
                   r->a.count);
    expect_holder(where, r, got, json_object_get(row, "holder"));
    expect_suspicion(where, r, got, row);
}

static void expect_growth(const char *where, struct ranked *r, const json_t *window)
{
    const struct ranked_growth *g = &r->ranking.growth;
    size_t n = r->a.count;
    expect_numbers(where, "suspects", g->suspects,
                   json_object_get(window, "suspects_bytes"), n);
    expect_numbers(where, "pools", g->pools, json_object_get(window, "pools_bytes"), n);
    expect_numbers(where, "rest", g->rest, json_object_get(window, "rest_bytes"), n);
    const json_t *explained = json_object_get(window, "explained");
    if (json_is_number(explained))
        expect_near(where, "explained", g->explained, json_number_value(explained));
    else
        cr_expect(isnan(g->explained), "%s: explained %f", where, g->explained);
    /* The file lists only steady growth, so there may be more. */
    cr_expect(g->open.grew || !json_is_true(json_object_get(window, "unexplained_growth")),
              "%s: unexplained", where);
}

static void expect_leveled_off(const char *where, struct ranked *r, const json_t *wanted)
{
    cr_expect_eq(r->ranking.leveled_off_count, json_array_size(wanted), "%s: %zu stopped",
                 where, r->ranking.leveled_off_count);
    for (size_t i = 0; i < r->ranking.leveled_off_count; i++) {

        const struct ranked_leveled_off *got = &r->ranking.leveled_off[i];
        const json_t *row = json_array_get(wanted, i);
        cr_expect_str_eq(r->tree.labels.all[got->label].name,
                         json_string_value(json_object_get(row, "type")), "%s", where);
        cr_expect_str_eq(got->title, json_string_value(json_object_get(row, "subject")),
                         "%s: %s", where, got->title);
        expect_near(where, "growth", got->growth,
                    json_number_value(json_object_get(row, "growth")));
        expect_numbers(where, "stopped", got->count, json_object_get(row, "count"),
                       r->a.count);
    }
}

static void expect_window(struct files *f, const json_t *window)
{
    /* The independent program has no clock. */
    static const uint64_t steps[MAX_FILES] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct ranked r = {.iterations = steps};
    const json_t *numbers = json_object_get(window, "snapshots");
    size_t len = json_array_size(numbers);
    for (size_t i = 0; i < len; i++)
        aligned_add(&r.a, open_numbered(f, number_at(numbers, i)));
    rank(&r);
    char where[64];
    snprintf(where, sizeof(where), "%s %llu..%llu", f->series,
             (unsigned long long)number_at(numbers, 0),
             (unsigned long long)number_at(numbers, len - 1));
    expect_numbers(where, "reachable bytes", r.tree.retained,
                   json_object_get(window, "reachable_bytes"), len);
    const json_t *rows = json_object_get(window, "rows");
    size_t given = json_array_size(rows);
    cr_expect(given < MAX_ROWS ? r.ranking.len == given : r.ranking.len >= given,
              "%s: %zu rows, not %zu", where, r.ranking.len, given);
    for (size_t i = 0; i < given && i < r.ranking.len; i++) {
        char at[96];
        snprintf(at, sizeof(at), "%s, row %zu", where, i + 1);
        expect_row(at, &r, &r.ranking.all[i], json_array_get(rows, i));
    }
    expect_growth(where, &r, window);
    expect_leveled_off(where, &r, json_object_get(window, "stopped"));
    r.a.count = 0; /* the files stay open for the next window */
    ranked_free(&r);
}

static void expect_series(const char *set, const char *series)
{
    struct files f = {.set = set, .series = series};
    char path[128];
    snprintf(path, sizeof(path), "fixtures/%s/expected/%s/ranking.json", set, series);
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *windows = json_object_get(file, "windows");
    cr_assert_gt(json_array_size(windows), 0, "%s", path);
    for (size_t i = 0; i < json_array_size(windows); i++)
        expect_window(&f, json_array_get(windows, i));
    json_decref(file);
    for (size_t i = 0; i < MAX_FILES; i++)
        hd_snapshot_close(f.all[i]);
}

Test(leak_ranking_fixtures, a_cache_that_is_never_emptied)
{
    expect_series("leaklab", "cache");
}

Test(leak_ranking_fixtures, more_and_more_per_session)
{
    expect_series("leaklab", "density");
}

Test(leak_ranking_fixtures, event_handlers_that_stay)
{
    expect_series("leaklab", "events");
}

Test(leak_ranking_fixtures, a_list_of_strings)
{
    expect_series("leaklab", "list");
}

Test(leak_ranking_fixtures, timers_that_run_on)
{
    expect_series("leaklab", "timers");
}

Test(leak_ranking_fixtures, a_program_without_a_leak)
{
    expect_series("leaklab", "none");
}

Test(leak_ranking_fixtures, orders_that_change_hands)
{
    expect_series("leaklab2", "archive");
}

Test(leak_ranking_fixtures, ten_classes_in_one_journal)
{
    expect_series("leaklab2", "kindsdirect");
}

Test(leak_ranking_fixtures, widgets_in_two_stores)
{
    expect_series("leaklab2", "rootback");
}

Test(leak_ranking_fixtures, old_objects_with_ever_more_holders)
{
    expect_series("leaklab2", "sharedrefsmore");
}

Test(leak_ranking_fixtures, a_slow_leak_below_many_tenants)
{
    expect_series("leaklab2", "tenants-slow");
}

Test(leak_ranking_fixtures, a_service_with_a_stopped_load)
{
    expect_series("leaklab2", "svc-idle");
}

Test(leak_ranking_fixtures, a_service_with_a_timer_per_order)
{
    expect_series("leaklab2", "svc-timer");
}
