/* The first line of a check: its first word is always the verdict, as scripts and the
 * action read it. */
#include "heap/process_facts.h"
#include "render/written.h"
#include "report/phrases.h"

/* Shops with 10 more orders in each, checked against one rule; or the default. */
static struct hd_report *checked(size_t snapshots, const char *option, const char *value)
{
    enum { MAX_SNAPSHOTS = 5 };
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct hd_budgets *b = hd_budgets_new();
    for (uint32_t k = 0; k < snapshots; k++)
        snaps[k] = shop(10 * (k + 1));
    cr_assert(option == NULL || hd_budgets_add_option(b, option, value, NULL));
    return check_of(snaps, snapshots, NULL, b);
}

static const char *fact(const struct hd_report *r, const char *label)
{
    for (size_t i = 0; i < r->summary.fact_len; i++)
        if (strcmp(r->summary.facts[i].label, label) == 0)
            return r->summary.facts[i].text;
    return NULL;
}

#define GREW2                                                                                \
    "; GREW App.Order: 10 → 20 objects between 2 snapshots, +1.33 KiB, 46 % of the heap, " \
    "kept alive by static s_orders"
#define LEAK5                                                                               \
    "App.Order: 10 → 50 objects in 5 snapshots, +5.31 KiB, 75 % of the heap, kept alive " \
    "by static s_orders"

static const struct {
    size_t snapshots;
    const char *option, *value, *headline;
    enum hd_verdict verdict;
    enum hd_severity severity;
    bool counts; /* with the number of rules in the line */
} checks[] = {
    {2, "budget", "App.Order=5", "FAIL 1 of 1 rule is over budget." GREW2, HD_FAIL,
     HD_SEVERITY_BAD, false},
    {2, "budget", "App.Order=10", "PASS All budgets are kept." GREW2, HD_PASS,
     HD_SEVERITY_GOOD, true},
    {2, "max-score", "2%", "FAIL 1 of 1 rule is over budget." GREW2, HD_FAIL,
     HD_SEVERITY_BAD, false},
    {2, "max-score", "99%", "PASS All budgets are kept." GREW2, HD_PASS, HD_SEVERITY_GOOD,
     true},
    {2, "max-growth", "5%", "FAIL total bytes: +94.7 % (+1.41 KiB), limit +5 %" GREW2,
     HD_FAIL, HD_SEVERITY_BAD, true},
    {2, "max-growth", "1GiB", "PASS All budgets are kept." GREW2, HD_PASS, HD_SEVERITY_GOOD,
     true},
    {5, "budget", "App.Order=5", "FAIL " LEAK5, HD_FAIL, HD_SEVERITY_BAD, true},
    {5, "budget", "App.Order=40", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_SEVERITY_GOOD, true},
    {5, "max-score", "2%", "FAIL " LEAK5, HD_FAIL, HD_SEVERITY_BAD, true},
    {5, "max-score", "99%", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_SEVERITY_GOOD, true},
    {5, "max-growth", "5%", "FAIL total bytes: +379 % (+5.62 KiB), limit +5 %; LEAK " LEAK5,
     HD_FAIL, HD_SEVERITY_BAD, true},
    {5, "max-growth", "1GiB", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_SEVERITY_GOOD, true},
};

Test(summary_check, begins_with_the_verdict_whatever_decided_it)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
        struct hd_report *r =
            checked(checks[i].snapshots, checks[i].option, checks[i].value);
        cr_expect_eq(r->check.verdict, checks[i].verdict, "%zu", i);
        cr_expect_str_eq(r->diff.headline, checks[i].headline, "%s", r->diff.headline);
        cr_expect_eq(r->summary.severity, checks[i].severity, "%zu", i);
        cr_expect_eq(fact(r, "budgets") != NULL, checks[i].counts, "%zu", i);
        hd_report_free(r);
    }
}

/* The confidence of a verdict from two or three snapshots. Shows neither a leak nor a
 * separate warning. */
Test(summary_check, mentions_the_limits_of_two_snapshots)
{
    static const struct {
        size_t snapshots;
        const char *option, *value, *confidence;
    } all[] = {
        {2, "max-growth", "5%",
         "low: 2 snapshots; fewer than four cannot tell a leak from warm-up"},
        {2, "max-score", "99%",
         "low: 2 snapshots; fewer than four cannot tell a leak from warm-up"},
        {3, "budget", "App.Order=5",
         "medium: 3 snapshots, +10 objects in every step; fewer than four cannot tell a "
         "leak from warm-up"},
        {2, NULL, NULL, "low: 2 snapshots"}, /* inconclusive for this reason */
        {5, "max-growth", "5%",
         "high: 5 snapshots, +10 objects in every step; no times: long-lived objects are "
         "not ruled out"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct hd_report *r = checked(all[i].snapshots, all[i].option, all[i].value);
        const char *told = fact(r, "confidence");
        cr_expect_str_eq(told, all[i].confidence, "%zu: %s", i, told);
        hd_report_free(r);
    }
}

/* The verdict of a failing check is about its rules; other growth is still mentioned. */
Test(summary_check, that_fails_without_suspects_mentions_other_growth)
{
    struct hd_tally totals[2] = {{100, 1000}, {200, 9000}};
    struct hd_snapshot_facts *snapshots = calloc(2, sizeof(*snapshots));
    struct hd_finding rule = {.kind = HD_RULE_TOTAL, .status = HD_FOUND_FAIL};
    struct hd_report r = {.kind = HD_REPORT_CHECK,
                          .options = hd_default_options(),
                          .snapshot_count = 2,
                          .snapshots = snapshots,
                          .check = {.verdict = HD_FAIL, .rules = &rule, .rule_count = 1},
                          .diff = {.usable_count = 2,
                                   .hidden_count = 2,
                                   .types = {.bytes_known = true, .totals = totals},
                                   .growth = {.pools_are_reported = true, .pools = 2048}}};
    report_summarize(&r);
    cr_expect_str_eq(fact(&r, "also"),
                     "buffer pools and threads +2.00 KiB, 2 suspects are hidden by --type, "
                     "--exclude or --app-only");
    r.check.verdict = HD_INCONCLUSIVE;
    report_summarize(&r);
    cr_expect_null(fact(&r, "also"));
    arena_free(&r.arena);
    free(snapshots);
}

/* --- a process that grows outside of its objects ----------------------------------------
 */

/* Shops with `more` orders added in each; native memory grows by 10 MiB each time. */
static struct hd_report *checked_process(const char *line, uint32_t more,
                                         const char *option, const char *value)
{
    enum { SNAPSHOTS = 6 };
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_budgets *b = option != NULL ? hd_budgets_new() : NULL;
    for (uint32_t k = 0; k < SNAPSHOTS; k++) {
        char text[200];
        uint64_t n = (10 + 10 * k) * (uint64_t)1048576;
        snprintf(text, sizeof(text), line, (unsigned long long)(50000000 + n),
                 (unsigned long long)n);
        snaps[k] = shop(10 + more * k);
        process_facts_parse(&snaps[k]->facts, text, strlen(text));
    }
    cr_assert(option == NULL || hd_budgets_add_option(b, option, value, NULL));
    return check_of(snaps, SNAPSHOTS, NULL, b);
}

#define NATIVE "resident=%llu of_gc=9000000 of_brk=%llu"
#define KEPT "resident=%llu of_gc=%llu"

Test(summary_check, growth_outside_of_objects_is_inconclusive_by_the_default)
{
    static const struct {
        const char *line, *headline;
    } cases[] = {
        {NATIVE, "INCONCLUSIVE The process grew from 57.7 MiB to 108 MiB, outside of the "
                 "managed heap: native memory 49.1 MiB → 99.1 MiB."},
        {KEPT,
         "INCONCLUSIVE The process grew from 57.7 MiB to 108 MiB, and objects explain "
         "0 % of that: kept by the collector 10.0 MiB → 60.0 MiB."},
    };
    for (size_t i = 0; i < 2; i++) {
        struct hd_report *r = checked_process(cases[i].line, 0, NULL, NULL);
        cr_expect_eq(r->check.verdict, HD_INCONCLUSIVE);
        cr_expect_str_eq(r->diff.headline, cases[i].headline, "%s", r->diff.headline);
        cr_expect_eq(r->summary.severity, HD_SEVERITY_UNSURE);
        cr_assert_eq(r->check.rule_count, 1);
        cr_expect_eq(r->check.rules[0].reason.code, HD_REASON_OUTSIDE);
        hd_report_free(r);
    }
}

Test(summary_check, leak_fails_whatever_grows_outside)
{
    struct hd_report *r = checked_process(NATIVE, 10, NULL, NULL);
    cr_expect_eq(r->check.verdict, HD_FAIL);
    cr_expect_eq(strncmp(r->diff.headline, "FAIL App.Order: ", 16), 0, "%s",
                 r->diff.headline);
    cr_expect_eq(r->summary.severity, HD_SEVERITY_BAD);
    hd_report_free(r);
}

/* They limit objects, which are within limits. */
Test(summary_check, rules_of_ones_own_pass_whatever_grows_outside)
{
    struct hd_report *r = checked_process(NATIVE, 0, "max-growth", "5%");
    cr_expect_eq(r->check.verdict, HD_PASS, "%s", r->diff.headline);
    cr_expect_eq(strncmp(r->diff.headline, "PASS ", 5), 0, "%s", r->diff.headline);
    hd_report_free(r);
}
