/* Real series with planted leaks: the ranking by graphs against that of an independent
 * program, for windows of two to six snapshots (fixtures/leaklab/expected). */
#include "analysis/ranked.h"

#include <glob.h>
#include <jansson.h>

enum {
    FEW_ROWS = 4, /* a window with fewer has no more; of others the last are left out */
    MOST_FILES = 8
};

/* The snapshots of a series by their numbers; windows overlap, so they are kept. */
struct files {
    const char *series;
    struct hd_snapshot *all[MOST_FILES];
};

static struct hd_snapshot *open_numbered(struct files *f, size_t number)
{
    cr_assert_lt(number, MOST_FILES);
    if (f->all[number] != NULL)
        return f->all[number];
    char pattern[128];
    snprintf(pattern, sizeof(pattern), "fixtures/leaklab/%s/%zu.gcdump*", f->series,
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

/* The file has six decimals of scores and nine of tau. */
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

/* What stands above the head in the last snapshot. */
static void expect_holder(const char *where, struct ranked *r,
                          const struct headed_type *type, const json_t *wanted)
{
    const label_id *path;
    size_t len = headed_full_path(&r->trie, type->head, r->a.count - 1, &path, &r->a.arena);
    cr_assert_eq(len, json_array_size(wanted) + 1, "%s: %zu labels", where, len);
    for (size_t i = 0; i + 1 < len; i++)
        cr_expect_str_eq(r->trie.labels.all[path[i]].name,
                         json_string_value(json_array_get(wanted, i)), "%s: holder", where);
    cr_expect_eq(path[len - 1], type->label, "%s: the path ends at the type", where);
}

static void expect_row(const char *where, struct ranked *r, const struct headed_type *got,
                       const json_t *row)
{
    const char *type = json_string_value(json_object_get(row, "type"));
    const char *name = r->trie.labels.all[got->label].name;
    cr_assert_str_eq(name, type, "%s: %s and not %s", where, name, type);
    const char *subject = json_string_value(json_object_get(row, "subject"));
    cr_expect_str_eq(got->subject, subject, "%s: subject %s and not %s", where,
                     got->subject, subject);
    expect_near(where, "score", got->score,
                json_number_value(json_object_get(row, "score")));
    expect_near(where, "tau", got->tau, json_number_value(json_object_get(row, "tau")));
    expect_numbers(where, "count", got->count, json_object_get(row, "count"), r->a.count);
    expect_numbers(where, "retained", got->retained, json_object_get(row, "retained"),
                   r->a.count);
    expect_holder(where, r, got, json_object_get(row, "holder"));
}

static void expect_window(struct files *f, const json_t *window)
{
    struct ranked r = {0};
    const json_t *numbers = json_object_get(window, "snapshots");
    size_t len = json_array_size(numbers);
    for (size_t i = 0; i < len; i++)
        aligned_add(&r.a, open_numbered(f, number_at(numbers, i)));
    rank(&r);
    char where[64];
    snprintf(where, sizeof(where), "%s %llu..%llu", f->series,
             (unsigned long long)number_at(numbers, 0),
             (unsigned long long)number_at(numbers, len - 1));
    expect_numbers(where, "reachable bytes", r.trie.retained,
                   json_object_get(window, "reachable_bytes"), len);
    const json_t *rows = json_object_get(window, "rows");
    size_t given = json_array_size(rows);
    cr_assert(given < FEW_ROWS ? r.headed.len == given : r.headed.len >= given,
              "%s: %zu rows, not %zu", where, r.headed.len, given);
    for (size_t i = 0; i < given; i++) {
        char at[96];
        snprintf(at, sizeof(at), "%s, row %zu", where, i + 1);
        expect_row(at, &r, &r.headed.all[i], json_array_get(rows, i));
    }
    r.a.count = 0; /* the files stay open for the next window */
    ranked_free(&r);
}

static void expect_series(const char *series)
{
    struct files f = {.series = series};
    char path[128];
    snprintf(path, sizeof(path), "fixtures/leaklab/expected/%s/ranking.json", series);
    json_t *file = json_load_file(path, 0, NULL);
    const json_t *windows = json_object_get(file, "windows");
    cr_assert_gt(json_array_size(windows), 0, "%s", path);
    for (size_t i = 0; i < json_array_size(windows); i++)
        expect_window(&f, json_array_get(windows, i));
    json_decref(file);
    for (size_t i = 0; i < MOST_FILES; i++)
        hd_snapshot_close(f.all[i]);
}

Test(headed_fixtures, a_cache_that_is_never_emptied)
{
    expect_series("cache");
}

Test(headed_fixtures, more_and_more_per_session)
{
    expect_series("density");
}

Test(headed_fixtures, event_handlers_that_stay)
{
    expect_series("events");
}

Test(headed_fixtures, a_list_of_strings)
{
    expect_series("list");
}

Test(headed_fixtures, timers_that_run_on)
{
    expect_series("timers");
}

Test(headed_fixtures, a_program_without_a_leak)
{
    expect_series("none");
}
