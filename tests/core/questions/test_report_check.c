/* Series checked against budgets: the result of each rule, and the verdict. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"

#include "support/scratch.h"

#include <criterion/criterion.h>
#include <math.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(report_check, .init = open_scratch, .fini = remove_scratch);

/* --- series -------------------------------------------------------------------- */

enum series_name {
    STEADY,      /* constant */
    LEAK,        /* 20 orders of 100 bytes more in every step: 100 to 160 */
    BURST,       /* 200 more in the first step, then constant */
    SHRINKING,   /* 20 fewer in every step */
    PAIR,        /* LEAK, first and last */
    TRIPLE,      /* LEAK without its last */
    COUNTS,      /* LEAK without bytes */
    SIZES,       /* 10 growing buffers: 1,000 bytes more in every step */
    NEW_TYPE,    /* no order at first, then 30 more in every step */
    SOME_FREE,   /* free space grows */
    LAST_CUT,    /* LEAK, the last snapshot incomplete */
    FIRST_CUT,   /* LEAK, the first */
    MIDDLE_CUT,  /* LEAK, the second */
    STEADY_CUT,  /* STEADY, the last snapshot incomplete */
    STEADY_HOLE, /* STEADY, the second incomplete */
    ALL_CUT,     /* LEAK, all except one incomplete */
    BACKWARDS,   /* SHRINKING, with times in reverse order */
    SAMPLES,     /* LEAK as samples: an object represents 10 */
    SHOPS_GRAPH, /* graphs: orders below App.Shop.s_orders, 10 more in every step */
    SERIES_COUNT
};

enum { MAX_SNAPSHOTS = 4 };

static struct hd_snapshot *orders(uint64_t count, uint64_t bytes)
{
    struct forge f = {0};
    forge_row(&f, "App.Order", count, bytes);
    forge_row(&f, "App.Customer", 50, 5000);
    forge_row(&f, "System.String", 1000, 40000);
    return forge_finish(&f);
}

static struct hd_snapshot *sampled_orders(uint32_t count)
{
    struct forge f = {.sampled = true};
    node_id first = forge_objects(&f, "App.Order", 100, count);
    node_id shop = forge_object(&f, "App.Shop", 24);
    for (uint32_t i = 0; i < count; i++)
        forge_reference(&f, shop, first + i);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", shop);
    forge_multiplier(&f, "App.Order", 10);
    return forge_finish(&f);
}

static size_t open_series(enum series_name name, struct hd_snapshot **s)
{
    size_t count = name == PAIR ? 2 : name == TRIPLE ? 3 : MAX_SNAPSHOTS;
    for (uint32_t k = 0; k < count; k++) {
        uint64_t steps = name == PAIR ? 3 * k : k, n = 100 + 20 * steps;
        uint64_t bytes = 100 * n;
        if (name == STEADY || name == STEADY_CUT || name == STEADY_HOLE)
            n = 100, bytes = 10000;
        if (name == BURST)
            n = k == 0 ? 100 : 300, bytes = 100 * n;
        if (name == SHRINKING || name == BACKWARDS)
            n = 160 - 20 * k, bytes = 100 * n;
        if (name == COUNTS)
            bytes = HD_UNKNOWN;
        if (name == SIZES)
            n = 10, bytes = 10000 + 1000 * k;
        if (name == NEW_TYPE)
            n = 30 * k, bytes = 100 * n;
        s[k] = name == SAMPLES       ? sampled_orders(10 + 2 * k)
               : name == SHOPS_GRAPH ? shop(10 * (k + 1))
               : name == SOME_FREE   ? table_of("Free", 10 + k, 1000 * (k + 1))
                                     : orders(n, bytes);
        if (name == BACKWARDS)
            s[k]->clock = 1000 - k, s[k]->clock_is_date = true;
    }
    s[count - 1]->info.complete = name != LAST_CUT && name != STEADY_CUT;
    s[0]->info.complete = name != FIRST_CUT && name != ALL_CUT;
    for (size_t k = 1; k < count; k++)
        if ((k == 1 && (name == MIDDLE_CUT || name == STEADY_HOLE)) ||
            (k < 3 && name == ALL_CUT))
            s[k]->info.complete = false;
    return count;
}

static const uint64_t rounds[] = {0, 10, 20, 30};

/* The series checked against "budgets:" with yaml appended; or the default. */
static struct hd_report *checked(enum series_name name, const char *yaml, int64_t today,
                                 const uint64_t *iterations, struct hd_error *err)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    size_t count = open_series(name, snaps);
    struct hd_budgets *b = hd_budgets_new();
    struct hd_options opt = hd_default_options();
    struct text file = {0};
    opt.iterations = iterations;
    text_add_string(&file, "version: 1\n");
    text_add_string(&file, yaml);
    const char *path = scratch_file(&scratch, "heapdrift.yml", file.data, file.len);
    text_free(&file);
    cr_assert(hd_budgets_read(b, path, err), "%s: line %lu: %s", yaml,
              (unsigned long)err->at, err->message);
    hd_budgets_set_time(b, today * 86400);
    struct hd_report *r = ask_check(snaps, count, &opt, b, err);
    close_all(snaps, count);
    hd_budgets_free(b);
    return r;
}

/* --- the table ----------------------------------------------------------------- */

#define TYPE(pattern, limit) "budgets:\n - {type: \"" pattern "\", " limit "}\n"
#define TOTAL(what, limit) "budgets:\n - {total: " what ", " limit "}\n"
#define HOLDER(pattern, limit) "budgets:\n - {holder: \"" pattern "\", " limit "}\n"
#define SUSPECTS(limit) "budgets:\n - {suspects: any" limit "}\n"

enum { TODAY = 20778 }; /* 2026-11-21 */

static const struct {
    enum series_name series;
    const char *yaml;
    enum hd_verdict verdict;
    enum hd_finding_status status; /* of the first finding */
    double value;                  /* the observed one; NAN: unknown */
    const char *title, *observed;
} cases[] = {
    /* the default budget */
    {STEADY, "", HD_PASS, HD_FOUND_PASS, NAN, NULL, "nothing grows"},
    {LEAK, "", HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", "score 9.8 % (5.86 KiB)"},
    {BURST, "", HD_PASS, HD_FOUND_PASS, NAN, NULL, "no suspect"},
    {SHRINKING, "", HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    {PAIR, "", HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {TRIPLE, "", HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {LAST_CUT, "", HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {ALL_CUT, "", HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {COUNTS, "", HD_FAIL, HD_FOUND_FAIL, 60, "App.Order", "score 5.0 % (60 objects)"},
    {SOME_FREE, "", HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    {SHOPS_GRAPH, "", HD_FAIL, HD_FOUND_FAIL, NAN, "App.Order", NULL},
    {SIZES, "", HD_FAIL, HD_FOUND_FAIL, 3000, "App.Order", NULL},
    /* suspects */
    {PAIR, SUSPECTS(""), HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 9.8%"), HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 9.9%"), HD_PASS, HD_FOUND_PASS, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 0.5%"), HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 6000"), HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 6001"), HD_PASS, HD_FOUND_PASS, 6000, "App.Order", NULL},
    {LEAK, SUSPECTS(", max_score: 0"), HD_FAIL, HD_FOUND_FAIL, 6000, "App.Order", NULL},
    {STEADY, SUSPECTS(", max_score: 0"), HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    {COUNTS, SUSPECTS(", max_score: 1KiB"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN,
     NULL, NULL},
    {STEADY_CUT, SUSPECTS(""), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {STEADY_HOLE, SUSPECTS(""), HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    /* types: instances */
    {LEAK, TYPE("App.Order", "max_growth: 59"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order",
     "+60 instances"},
    {LEAK, TYPE("App.Order", "max_growth: 60"), HD_PASS, HD_FOUND_PASS, 60, "App.Order",
     "+60 instances"},
    {LEAK, TYPE("Order", "max_growth: 59"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order", NULL},
    {LEAK, TYPE("App.*", "max_growth: 0"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order", NULL},
    {LEAK, TYPE("App.Cust*", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, 0, "App.Customer",
     "+0 instances"},
    {LEAK, TYPE("Zebra", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    {LEAK, TYPE("App.Order", "max_growth: 60%"), HD_PASS, HD_FOUND_PASS, 60, "App.Order",
     "+60.0 % (+60 instances)"},
    {LEAK, TYPE("App.Order", "max_growth: 59.9%"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order",
     NULL},
    {LEAK, TYPE("App.Order", "max_growth: 19, per: step"), HD_FAIL, HD_FOUND_FAIL, 20,
     "App.Order", "+20 instances per step"},
    {LEAK, TYPE("App.Order", "max_growth: 20, per: step"), HD_PASS, HD_FOUND_PASS, 20,
     "App.Order", NULL},
    {BURST, TYPE("App.Order", "max_growth: 199, per: step"), HD_FAIL, HD_FOUND_FAIL, 200,
     "App.Order", NULL},
    {LEAK, TYPE("App.Order", "max_growth: 1, per: iteration"), HD_FAIL, HD_FOUND_FAIL, 2,
     "App.Order", "+2 instances per iteration"},
    {LEAK, TYPE("App.Order", "max_growth: 2, per: iteration"), HD_PASS, HD_FOUND_PASS, 2,
     "App.Order", NULL},
    {SHRINKING, TYPE("App.Order", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, -60,
     "App.Order", "-60 instances"},
    {SHRINKING, TYPE("App.Order", "max_growth: 0, per: step"), HD_PASS, HD_FOUND_PASS, -20,
     "App.Order", NULL},
    {NEW_TYPE, TYPE("App.Order", "max_growth: 1000%"), HD_FAIL, HD_FOUND_FAIL, 90,
     "App.Order", "+90 instances"},
    {NEW_TYPE, TYPE("App.Order", "max_growth: 90"), HD_PASS, HD_FOUND_PASS, 90, "App.Order",
     NULL},
    {PAIR, TYPE("App.Order", "max_growth: 0"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order",
     NULL},
    {COUNTS, TYPE("App.Order", "max_growth: 59"), HD_FAIL, HD_FOUND_FAIL, 60, "App.Order",
     NULL},
    {SOME_FREE, TYPE("*", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, NAN, NULL, NULL},
    /* types: bytes */
    {LEAK, TYPE("App.Order", "max_growth_bytes: 5999"), HD_FAIL, HD_FOUND_FAIL, 6000,
     "App.Order", "+5.859 KiB"},
    {LEAK, TYPE("App.Order", "max_growth_bytes: 6kB"), HD_PASS, HD_FOUND_PASS, 6000,
     "App.Order", NULL},
    {SIZES, TYPE("App.Order", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, 0, "App.Order",
     NULL},
    {SIZES, TYPE("App.Order", "max_growth_bytes: 29%"), HD_FAIL, HD_FOUND_FAIL, 3000,
     "App.Order", "+30.0 % (+2.93 KiB)"},
    {SIZES, TYPE("App.Order", "max_growth_bytes: 30%"), HD_PASS, HD_FOUND_PASS, 3000,
     "App.Order", NULL},
    {COUNTS, TYPE("App.Order", "max_growth_bytes: 1B"), HD_INCONCLUSIVE,
     HD_FOUND_INCONCLUSIVE, NAN, "App.Order", NULL},
    /* the first that matches counts */
    {LEAK,
     "budgets:\n - {type: Order, max_growth: 100}\n - {type: \"App.*\", max_growth: 0}\n",
     HD_PASS, HD_FOUND_PASS, 60, "App.Order", NULL},
    {LEAK, "budgets:\n - {type: \"*\", max_growth: 0}\n - {type: Order, max_growth: 100}\n",
     HD_FAIL, HD_FOUND_FAIL, 60, "App.Order", NULL},
    /* totals */
    {LEAK, TOTAL("bytes", "max_growth: 5999"), HD_FAIL, HD_FOUND_FAIL, 6000, NULL,
     "+5.859 KiB"},
    {LEAK, TOTAL("bytes", "max_growth: 6000"), HD_PASS, HD_FOUND_PASS, 6000, NULL, NULL},
    {LEAK, TOTAL("bytes", "max_growth: 10%"), HD_FAIL, HD_FOUND_FAIL, 6000, NULL,
     "+10.9 % (+5.86 KiB)"},
    {LEAK, TOTAL("bytes", "max_growth: 11%"), HD_PASS, HD_FOUND_PASS, 6000, NULL, NULL},
    {LEAK, TOTAL("objects", "max_growth: 59"), HD_FAIL, HD_FOUND_FAIL, 60, NULL,
     "+60 objects"},
    {LEAK, TOTAL("objects", "max_growth: 60"), HD_PASS, HD_FOUND_PASS, 60, NULL, NULL},
    {LEAK, TOTAL("objects", "max_growth: 20, per: step"), HD_PASS, HD_FOUND_PASS, 20, NULL,
     NULL},
    {LEAK, TOTAL("objects", "max_growth: 1, per: iteration"), HD_FAIL, HD_FOUND_FAIL, 2,
     NULL, "+2 objects per iteration"},
    {COUNTS, TOTAL("bytes", "max_growth: 1GiB"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     NAN, NULL, NULL},
    {LEAK, TOTAL("reachable_bytes", "max_growth: 1GiB"), HD_INCONCLUSIVE,
     HD_FOUND_INCONCLUSIVE, NAN, NULL, NULL},
    {SHOPS_GRAPH, TOTAL("reachable_bytes", "max_growth: 4319"), HD_FAIL, HD_FOUND_FAIL,
     4320, NULL, NULL},
    {SHOPS_GRAPH, TOTAL("reachable_bytes", "max_growth: 4320"), HD_PASS, HD_FOUND_PASS,
     4320, NULL, NULL},
    /* holders */
    {SHOPS_GRAPH, HOLDER("*App.Shop.s_orders*", "max_growth: 59"), HD_FAIL, HD_FOUND_FAIL,
     60, NULL, "+60 instances"},
    {SHOPS_GRAPH, HOLDER("*App.Shop.s_orders*", "max_growth: 60"), HD_PASS, HD_FOUND_PASS,
     60, NULL, NULL},
    {SHOPS_GRAPH, HOLDER("*s_orders]*", "max_growth_bytes: 4319"), HD_FAIL, HD_FOUND_FAIL,
     4320, NULL, NULL},
    {SHOPS_GRAPH, HOLDER("*s_zebra*", "max_growth: 0"), HD_PASS, HD_FOUND_PASS, 0, NULL,
     NULL},
    {LEAK, HOLDER("*", "max_growth: 0"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN, NULL,
     NULL},
    /* limits of the evidence */
    {LAST_CUT, TYPE("App.Order", "max_growth: 39"), HD_FAIL, HD_FOUND_FAIL, 40, "App.Order",
     NULL},
    {LAST_CUT, TYPE("App.Order", "max_growth: 40"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     40, "App.Order", NULL},
    {FIRST_CUT, TYPE("App.Order", "max_growth: 40"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     40, "App.Order", NULL},
    {MIDDLE_CUT, TYPE("App.Order", "max_growth: 60"), HD_PASS, HD_FOUND_PASS, 60,
     "App.Order", NULL},
    {MIDDLE_CUT, TYPE("App.Order", "max_growth: 40, per: step"), HD_INCONCLUSIVE,
     HD_FOUND_INCONCLUSIVE, 20, "App.Order", NULL},
    {MIDDLE_CUT, TYPE("App.Order", "max_growth: 19, per: step"), HD_FAIL, HD_FOUND_FAIL, 20,
     "App.Order", "+20 instances per step"},
    {STEADY_CUT, TOTAL("bytes", "max_growth: 1GiB"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     0, NULL, NULL},
    {STEADY_CUT, TYPE("Zebra", "max_growth: 0"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     NAN, NULL, NULL},
    {ALL_CUT, TOTAL("bytes", "max_growth: 0"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE, NAN,
     NULL, NULL},
    {BACKWARDS, TYPE("App.Order", "max_growth: 0"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     -60, "App.Order", NULL},
    {SAMPLES, TYPE("App.Order", "max_growth: 0"), HD_INCONCLUSIVE, HD_FOUND_INCONCLUSIVE,
     60, "App.Order", NULL},
    {SAMPLES, TYPE("App.Order", "max_growth: 1000"), HD_PASS, HD_FOUND_PASS, 60,
     "App.Order", NULL},
    /* suppressions */
    {LEAK, TYPE("App.*", "max_growth: 0") "suppress:\n - {type: App.Order, reason: r}\n",
     HD_PASS, HD_FOUND_SUPPRESSED, 60, "App.Order", "+60 instances"},
    {LEAK,
     TYPE("App.*", "max_growth: 0") "suppress:\n - {type: App.O*, reason: r, until: "
                                    "2026-11-21}\n",
     HD_PASS, HD_FOUND_SUPPRESSED, 60, "App.Order", NULL},
    {LEAK,
     TYPE("App.*", "max_growth: 0") "suppress:\n - {type: App.O*, reason: r, until: "
                                    "2026-11-20}\n",
     HD_FAIL, HD_FOUND_FAIL, 60, "App.Order", NULL},
    {LEAK, SUSPECTS("") "suppress:\n - {type: App.Order, reason: r}\n", HD_PASS,
     HD_FOUND_SUPPRESSED, 6000, "App.Order", NULL},
    {LEAK, TOTAL("objects", "max_growth: 0") "suppress:\n - {type: \"*\", reason: r}\n",
     HD_FAIL, HD_FOUND_FAIL, 60, NULL, NULL},
    {SHOPS_GRAPH,
     HOLDER("*s_orders]*",
            "max_growth: 0") "suppress:\n - {holder: \"*s_orders]*\", reason: "
                             "r}\n",
     HD_PASS, HD_FOUND_SUPPRESSED, 60, NULL, NULL},
    {SHOPS_GRAPH,
     HOLDER("*s_orders]*",
            "max_growth: 0") "suppress:\n - {holder: \"*Order[[]]\", reason: "
                             "r}\n",
     HD_FAIL, HD_FOUND_FAIL, 60, NULL, NULL},
    {SHOPS_GRAPH, SUSPECTS("") "suppress:\n - {holder: \"*s_orders]*\", reason: r}\n",
     HD_PASS, HD_FOUND_SUPPRESSED, NAN, "App.Order", NULL},
};

Test(report_check, series_times_budgets)
{
    enum { COUNT = sizeof(cases) / sizeof(*cases) };
    cr_assert_geq(COUNT, 60);
    for (size_t i = 0; i < COUNT; i++) {
        struct hd_error err = {0};
        struct hd_report *r = checked(cases[i].series, cases[i].yaml, TODAY, rounds, &err);
        if (r == NULL) {
            /* The rounds are irrelevant for fewer than four snapshots. */
            err = (struct hd_error){0};
            r = checked(cases[i].series, cases[i].yaml, TODAY, NULL, &err);
        }
        cr_assert_not_null(r, "case %zu: %s", i, err.message);
        cr_assert_gt(r->check.rule_count, 0);
        const struct hd_finding *f = &r->check.rules[0];
        cr_expect_eq(hd_report_verdict(r), cases[i].verdict, "case %zu:\n%sverdict %s", i,
                     cases[i].yaml, verdict_names[r->check.verdict]);
        cr_expect_eq(f->status, cases[i].status, "case %zu:\n%s%s %s (%s)", i,
                     cases[i].yaml, rule_status_names[f->status], text_of_observed(f),
                     text_of_reason(f));
        if (!isnan(cases[i].value))
            cr_expect_float_eq(f->observed_value, cases[i].value, 1e-6, "case %zu:\n%s%g",
                               i, cases[i].yaml, f->observed_value);
        if (cases[i].observed != NULL)
            cr_expect_str_eq(text_of_observed(f), cases[i].observed, "case %zu:\n%s%s", i,
                             cases[i].yaml, text_of_observed(f));
        if (cases[i].title != NULL)
            cr_expect_str_eq(f->title != NULL ? f->title : "", cases[i].title,
                             "case %zu:\n%s", i, cases[i].yaml);
        hd_report_free(r);
    }
}

/* --- what a table does not show ------------------------------------------------- */

static size_t warnings_of(const struct hd_report *r, const char *code)
{
    size_t n = 0;
    for (size_t i = 0; i < r->warning_count; i++)
        n += strcmp(r->warnings[i].code, code) == 0;
    return n;
}

static struct hd_report *must_check(enum series_name name, const char *yaml)
{
    struct hd_error err = {0};
    struct hd_report *r = checked(name, yaml, TODAY, NULL, &err);
    cr_assert_not_null(r, "%s", err.message);
    return r;
}

Test(report_check, every_failing_type_is_listed_the_largest_first)
{
    struct hd_report *r = must_check(SHOPS_GRAPH, TYPE("*", "max_growth: 0"));
    cr_assert_eq(r->check.rule_count, 2);
    cr_expect_str_eq(r->check.rules[0].title, "App.Order");
    cr_expect_str_eq(r->check.rules[1].title, "System.String");
    cr_expect_eq(report_rule_end(&r->check, 0), 2);
    cr_expect_gt(r->check.rules[0].chains.len, 0);
    cr_expect_gt(r->check.rules[1].chains.len, 0);
    /* Chains of one snapshot only, so there are no numbers per snapshot. */
    cr_expect_null(r->check.rules[1].chains.all[0].instances);
    hd_report_free(r);
}

Test(report_check, names_the_snapshots_of_the_worst_step)
{
    struct hd_report *r = must_check(BURST, TYPE("App.Order", "max_growth: 10, per: step"));
    cr_expect_eq(r->check.rules[0].first, 0);
    cr_expect_eq(r->check.rules[0].last, 1);
    hd_report_free(r);
}

Test(report_check, useless_entries_are_warnings_with_their_line)
{
    struct hd_report *r =
        must_check(LEAK, "budgets:\n"
                         " - {type: Zebra, max_growth: 0}\n"
                         " - {type: App.*, max_growth: 1000}\n"
                         " - {type: App.Order, max_growth: 0}\n"
                         "suppress:\n"
                         " - {type: Lion, reason: r}\n"
                         " - {type: Tiger, reason: r, until: 2026-11-20}\n");
    cr_expect_eq(warnings_of(r, "unused-budget"), 2);
    cr_expect_eq(warnings_of(r, "unused-suppression"), 1);
    cr_expect_eq(warnings_of(r, "expired-suppression"), 1);
    for (size_t i = 0; i < r->warning_count; i++)
        if (strcmp(r->warnings[i].code, "unused-suppression") == 0)
            cr_expect_eq(r->warnings[i].line, 7);
    cr_expect_eq(hd_report_verdict(r), HD_PASS);
    hd_report_free(r);
}

Test(report_check, a_rule_per_iteration_needs_iterations)
{
    struct hd_error err = {0};
    cr_expect_null(
        checked(LEAK, TYPE("Order", "max_growth: 0, per: iteration"), TODAY, NULL, &err));
    cr_expect_eq(err.at, 3);
    cr_expect_str_eq(err.kind, "no-iterations");
}

Test(report_check, hidden_types_are_not_judged_but_totals_are)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct hd_budgets *b = hd_budgets_new();
    struct hd_options opt = hd_default_options();
    const char *excluded = "App.*";
    size_t count = open_series(LEAK, snaps);
    opt.excludes = &excluded;
    opt.exclude_count = 1;
    cr_assert(hd_budgets_add_option(b, "budget", "*=0", NULL));
    cr_assert(hd_budgets_add_option(b, "max-score", "1%", NULL));
    cr_assert(hd_budgets_add_option(b, "max-growth", "1B", NULL));
    struct hd_report *r = check_of(snaps, count, &opt, b);
    cr_assert_eq(r->check.rule_count, 3);
    cr_expect_eq(r->check.rules[0].status, HD_FOUND_PASS);
    cr_expect_eq(r->check.rules[1].status, HD_FOUND_PASS);
    cr_expect_eq(r->check.rules[2].status, HD_FOUND_FAIL);
    hd_report_free(r);
}

/* --- baselines ------------------------------------------------------------------ */

static const char strict[] =
    "budgets:\n"
    " - {type: \"*\", max_growth: 0, max_growth_bytes: 0}\n"
    " - {total: bytes, max_growth: 0}\n"
    " - {total: bytes, max_growth: 0, per: step}\n"
    " - {total: objects, max_growth: 0%}\n"
    " - {total: reachable_bytes, max_growth: 0}\n"
    " - {holder: \"*s_orders]*\", max_growth: 0, max_growth_bytes: 0}\n"
    " - {suspects: any, max_score: 0}\n";

static char *baseline_of(const struct hd_report *r)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    cr_assert(hd_report_write_baseline(r, hd_sink_file(f), NULL));
    fclose(f);
    return bytes;
}

static struct hd_report *check_strictly(enum series_name name, const char *baseline)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    struct text file = {0};
    size_t count = open_series(name, snaps);
    text_add_string(&file, "version: 1\n");
    text_add_string(&file, strict);
    cr_assert(hd_budgets_read(
        b, scratch_file(&scratch, "heapdrift.yml", file.data, file.len), &err));
    text_free(&file);
    if (baseline == NULL)
        hd_budgets_accept(b);
    else
        cr_assert(hd_budgets_read_baseline(
            b, scratch_file(&scratch, "accepted", baseline, strlen(baseline)), &err));
    return check_of(snaps, count, NULL, b);
}

Test(report_check, accepted_growth_passes_but_no_more)
{
    static const enum series_name names[] = {LEAK, BURST, SIZES, NEW_TYPE, SHOPS_GRAPH};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct hd_report *made = check_strictly(names[i], NULL);
        /* Tables have neither reachable bytes nor holders. */
        enum hd_verdict wanted = names[i] == SHOPS_GRAPH ? HD_PASS : HD_INCONCLUSIVE;
        cr_expect_eq(hd_report_verdict(made), wanted, "series %d", names[i]);
        char *baseline = baseline_of(made);
        struct hd_report *again = check_strictly(names[i], baseline);
        cr_expect_eq(hd_report_verdict(again), wanted, "series %d", names[i]);
        cr_expect_eq(warnings_of(again, "different-baseline"), 0);
        hd_report_free(made);
        hd_report_free(again);
        struct hd_report *other =
            check_strictly(names[i] == SHOPS_GRAPH ? LEAK : SHOPS_GRAPH, baseline);
        cr_expect_eq(hd_report_verdict(other), HD_FAIL, "series %d", names[i]);
        hd_report_free(other);
        free(baseline);
    }
}

Test(report_check, a_baseline_of_another_run_is_a_warning)
{
    struct hd_report *made = check_strictly(LEAK, NULL);
    char *baseline = baseline_of(made);
    struct hd_report *pair = check_strictly(PAIR, baseline);
    cr_expect_eq(warnings_of(pair, "different-baseline"), 1);
    hd_report_free(made);
    hd_report_free(pair);
    free(baseline);
}

Test(report_check, incomplete_snapshots_make_no_baseline)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    size_t count = open_series(LAST_CUT, snaps);
    hd_budgets_accept(b);
    cr_expect_null(ask_check(snaps, count, NULL, b, &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_eq(err.snapshot, 4);
    close_all(snaps, count);
    hd_budgets_free(b);
}

Test(report_check, without_budgets_means_the_default)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    size_t count = open_series(LEAK, snaps);
    struct hd_report *r = ask_check(snaps, count, NULL, NULL, NULL);
    cr_assert_not_null(r);
    cr_expect(r->check.rules[0].is_default);
    cr_expect_not(hd_report_write_baseline(r, hd_sink_file(stdout), NULL));
    cr_expect_eq(hd_report_verdict(r), HD_FAIL);
    cr_expect(hd_report_conclusive(r));
    hd_report_free(r);
    close_all(snaps, count);
}
