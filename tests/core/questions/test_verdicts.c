/* Verdicts on real programs: in every window of four to six consecutive snapshots the gate
 * must fail on a leak and name it first, and pass a healthy program (fixtures/leaklab,
 * fixtures/leaklab2, with the truth by their authors). */
#include "report/report.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <string.h>

enum { MIN_SNAPSHOTS = 4, MAX_SNAPSHOTS = 6 };

struct program {
    const char *set, *series;
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    size_t count;
    json_t *truth;
};

static struct program open_program(const char *set, const char *series)
{
    struct program p = {.set = set, .series = series};
    char path[128];
    snprintf(path, sizeof(path), "fixtures/%s/%s/*.gcdump*", set, series);
    glob_t found = {0};
    cr_assert_eq(glob(path, 0, NULL, &found), 0, "%s", path);
    for (size_t i = 0; i < found.gl_pathc && p.count < MAX_SNAPSHOTS; i++) {
        struct hd_error err = {0};
        p.snaps[p.count] = hd_snapshot_open(found.gl_pathv[i], NULL, &err);
        cr_assert_not_null(p.snaps[p.count++], "%s", err.message);
    }
    globfree(&found);
    snprintf(path, sizeof(path), "fixtures/%s/expected/%s/truth.json", set, series);
    p.truth = json_load_file(path, 0, NULL);
    cr_assert_not_null(p.truth, "%s", path);
    return p;
}

static bool is_culprit(const struct program *p, const char *type)
{
    size_t i;
    json_t *culprit;
    json_array_foreach(
        json_object_get(p->truth, "culprits"), i,
        culprit) if (strcmp(json_string_value(json_object_get(culprit, "type")), type) ==
                     0) return true;
    return false;
}

/* Its rank, or 0 if the leak is not a suspect. */
static size_t rank_of_leak(const struct program *p, const struct hd_report *r)
{
    for (size_t i = 0; i < r->diff.suspect_count; i++) {
        const struct hd_suspect *s = &r->diff.suspects[i];
        bool found = is_culprit(p, s->type) || is_culprit(p, s->title);
        for (size_t j = 0; j < s->also_count; j++)
            found |= is_culprit(p, s->also[j]);
        if (found)
            return s->rank;
    }
    return 0;
}

/* Warm-up may rank first in a few snapshots from the start of the program. */
static void expect_leak(const struct program *p, const struct hd_report *r,
                        bool from_the_start, const char *where)
{
    size_t rank = rank_of_leak(p, r);
    cr_expect_eq(r->check.verdict, HD_FAIL, "%s: %s", where,
                 verdict_names[r->check.verdict]);
    cr_expect(rank == 1 || (rank > 1 && from_the_start), "%s: rank %zu behind %s", where,
              rank, r->diff.suspect_count > 0 ? r->diff.suspects[0].type : "none");
}

/* A leak whose load has ended may be a full cache: not a suspect, but reported. */
static void expect_leveled_off(const struct program *p, const struct hd_report *r,
                               const char *where)
{
    cr_assert_geq(r->diff.leveled_off_count, 1, "%s", where);
    cr_expect(is_culprit(p, r->diff.leveled_off[0].type), "%s: %s", where,
              r->diff.leveled_off[0].type);
    cr_expect(r->diff.growth.has_leveled_off, "%s", where);
    cr_expect_lt(r->diff.confidence, HD_CONFIDENCE_HIGH, "%s", where);
}

static void expect_healthy(const struct hd_report *r, const char *where)
{
    cr_expect_eq(r->diff.suspect_count, 0, "%s: %s", where,
                 r->diff.suspect_count > 0 ? r->diff.suspects[0].type : "");
    cr_expect_neq(r->check.verdict, HD_FAIL, "%s", where);
    if (r->check.verdict == HD_PASS)
        cr_expect_not(r->diff.growth.is_open, "%s: growth that nothing explains", where);
}

static void expect_window(const struct program *p, size_t first, size_t len)
{
    char where[96];
    snprintf(where, sizeof(where), "%s/%s %zu..%zu", p->set, p->series, first,
             first + len - 1);
    struct hd_error err = {0};
    struct hd_options opt = hd_default_options();
    opt.chains = 0;
    struct hd_report *r = ask_check(&p->snaps[first], len, &opt, NULL, &err);
    cr_assert_not_null(r, "%s: %s", where, err.message);
    bool idle = json_is_true(json_object_get(p->truth, "idle"));
    if (!json_is_true(json_object_get(p->truth, "leak")))
        expect_healthy(r, where);
    else if (!idle)
        expect_leak(p, r, first == 0 && len < p->count, where);
    else if (first + len == p->count)
        expect_leveled_off(p, r, where);
    hd_report_free(r);
}

static void expect_program(const char *set, const char *series)
{
    struct program p = open_program(set, series);
    for (size_t len = MIN_SNAPSHOTS; len <= p.count; len++)
        for (size_t first = 0; first + len <= p.count; first++)
            expect_window(&p, first, len);
    json_decref(p.truth);
    for (size_t i = 0; i < p.count; i++)
        hd_snapshot_close(p.snaps[i]);
}

Test(verdicts, leaks_of_a_shop_are_named_first_in_every_window)
{
    static const char *const series[] = {"cache", "density", "events", "list", "timers"};
    for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++)
        expect_program("leaklab", series[i]);
}

Test(verdicts, leaks_of_a_zoo_and_a_service_are_named_first_in_every_window)
{
    static const char *const series[] = {"kindsdirect", "rootback", "tenants-slow",
                                         "svc-timer", "svc-idle"};
    for (size_t i = 0; i < sizeof(series) / sizeof(*series); i++)
        expect_program("leaklab2", series[i]);
}

Test(verdicts, healthy_programs_have_no_suspect_in_any_window)
{
    expect_program("leaklab", "none");
    expect_program("leaklab2", "archive");
    expect_program("leaklab2", "sharedrefsmore");
}
