/* The first line of a check: its first word is the verdict, whatever decided it, as scripts
 * and the action read it. */
#include "render/written.h"
#include "report/phrases.h"

/* Shops that keep 10 orders more in each, held against one rule; or the default. */
static struct hd_report *checked(size_t snapshots, const char *option, const char *value)
{
    enum { MOST = 5 };
    struct hd_snapshot *snaps[MOST];
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
    enum hd_tone tone;
    bool counts; /* the line beside it, of how many rules */
} checks[] = {
    {2, "budget", "App.Order=5", "FAIL 1 of 1 rule is over budget." GREW2, HD_FAIL,
     HD_TONE_BAD, false},
    {2, "budget", "App.Order=10", "PASS All budgets are kept." GREW2, HD_PASS, HD_TONE_GOOD,
     true},
    {2, "max-score", "2%", "FAIL 1 of 1 rule is over budget." GREW2, HD_FAIL, HD_TONE_BAD,
     false},
    {2, "max-score", "99%", "PASS All budgets are kept." GREW2, HD_PASS, HD_TONE_GOOD,
     true},
    {2, "max-growth", "5%", "FAIL total bytes: +94.7 % (+1.41 KiB), limit +5 %" GREW2,
     HD_FAIL, HD_TONE_BAD, true},
    {2, "max-growth", "1GiB", "PASS All budgets are kept." GREW2, HD_PASS, HD_TONE_GOOD,
     true},
    {5, "budget", "App.Order=5", "FAIL " LEAK5, HD_FAIL, HD_TONE_BAD, true},
    {5, "budget", "App.Order=40", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_TONE_GOOD, true},
    {5, "max-score", "2%", "FAIL " LEAK5, HD_FAIL, HD_TONE_BAD, true},
    {5, "max-score", "99%", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_TONE_GOOD, true},
    {5, "max-growth", "5%", "FAIL total bytes: +379 % (+5.62 KiB), limit +5 %; LEAK " LEAK5,
     HD_FAIL, HD_TONE_BAD, true},
    {5, "max-growth", "1GiB", "PASS All budgets are kept.; LEAK " LEAK5, HD_PASS,
     HD_TONE_GOOD, true},
};

Test(summary_check, begins_with_the_verdict_whatever_decided_it)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++) {
        struct hd_report *r =
            checked(checks[i].snapshots, checks[i].option, checks[i].value);
        cr_expect_eq(r->check.verdict, checks[i].verdict, "%zu", i);
        cr_expect_str_eq(r->diff.headline, checks[i].headline, "%s", r->diff.headline);
        cr_expect_eq(r->summary.tone, checks[i].tone, "%zu", i);
        cr_expect_eq(fact(r, "budgets") != NULL, checks[i].counts, "%zu", i);
        hd_report_free(r);
    }
}

/* What a verdict is worth that rests on two or three: no leak is shown, nor any warning
 * beside the text, which has it here. */
Test(summary_check, says_what_two_snapshots_cannot_show)
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
        {2, NULL, NULL, "low: 2 snapshots"}, /* inconclusive for that reason */
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

/* The verdict of a check that fails is about its rules: what else there is, is not lost. */
Test(summary_check, that_fails_without_suspects_tells_of_other_growth)
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
                                   .growth = {.pools_are_told = true, .pools = 2048}}};
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
