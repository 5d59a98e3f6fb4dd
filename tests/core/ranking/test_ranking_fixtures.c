/* Real series with planted leaks: the ranking by tables compared with that of an
 * independent program, for windows of two to six snapshots (fixtures/leaklab/expected). */
#include "owners/aligned.h"
#include "ranking/table_ranking.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <math.h>

/* rows per window in the file */
enum { MAX_ROWS = 8 };

static struct hd_snapshot *open_numbered(const char *series, json_int_t number)
{
    char pattern[128];
    snprintf(pattern, sizeof(pattern), "fixtures/leaklab/%s/%lld.gcdump*", series,
             (long long)number);
    glob_t found = {0};
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0, "%s", pattern);
    struct hd_error err = {0};
    struct hd_read_options opt = {.tables_only = true};
    struct hd_snapshot *snap = hd_snapshot_open(found.gl_pathv[0], &opt, &err);
    cr_assert_not_null(snap, "%s: %s", found.gl_pathv[0], err.message);
    globfree(&found);
    return snap;
}

/* The file has six decimals. */
static bool is_near(double got, double wanted)
{
    return fabs(got - wanted) <= 1e-9 * fabs(wanted) + 5e-7;
}

static void expect_rows(const char *where, const struct ranking *r, const json_t *rows)
{
    size_t given = json_array_size(rows);
    cr_expect(given == MAX_ROWS ? r->len >= given : r->len == given,
              "%s: %zu rows, not %zu", where, r->len, given);
    for (size_t i = 0; i < r->len && i < given; i++) {
        const json_t *row = json_array_get(rows, i);
        const char *type = json_string_value(json_object_get(row, "type"));
        double score = json_number_value(json_object_get(row, "score"));
        const struct suspect *s = &r->all[i];
        cr_expect_str_eq(s->row->name, type, "%s: %zu. is %s and not %s", where, i + 1,
                         s->row->name, type);
        cr_expect(is_near(s->score, score), "%s: %s scores %.6f and not %.6f", where, type,
                  s->score, score);
    }
}

static void expect_window(const char *series, const json_t *window)
{
    struct aligned a = {0};
    const json_t *numbers = json_object_get(window, "snapshots");
    for (size_t i = 0; i < json_array_size(numbers); i++)
        aligned_add(&a,
                    open_numbered(series, json_integer_value(json_array_get(numbers, i))));
    align(&a, NULL);
    struct ranking r = growth_rank(&a.series, NULL, &a.arena);
    char where[64];
    snprintf(where, sizeof(where), "%s %lld..%lld", series,
             (long long)json_integer_value(json_array_get(numbers, 0)),
             (long long)json_integer_value(
                 json_array_get(numbers, json_array_size(numbers) - 1)));
    expect_rows(where, &r, json_object_get(window, "table_rows"));
    aligned_free(&a);
}

static void expect_series(const char *series)
{
    char path[128];
    snprintf(path, sizeof(path), "fixtures/leaklab/expected/%s/ranking.json", series);
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *windows = json_object_get(file, "windows");
    cr_assert_gt(json_array_size(windows), 0, "%s", path);
    for (size_t i = 0; i < json_array_size(windows); i++)
        expect_window(series, json_array_get(windows, i));
    json_decref(file);
}

Test(ranking_fixtures, a_cache_that_is_never_emptied)
{
    expect_series("cache");
}

Test(ranking_fixtures, more_and_more_per_session)
{
    expect_series("density");
}

Test(ranking_fixtures, event_handlers_that_stay)
{
    expect_series("events");
}

Test(ranking_fixtures, a_list_of_strings)
{
    expect_series("list");
}

Test(ranking_fixtures, timers_that_run_on)
{
    expect_series("timers");
}

Test(ranking_fixtures, a_program_without_a_leak)
{
    expect_series("none");
}
