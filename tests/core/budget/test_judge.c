/* Rules applied to evidence made by hand: the interface between ranking and gate. */
#include "budget/judge.h"
#include "budget/measure.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SNAPSHOTS = 4, MAX_SCORED = 4 };

/* Four tables of App.Order, growing by step, and an empty ranking. */
struct trial {
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct series series;
    struct hd_suspect scored[MAX_SCORED];
    struct hd_diff diff;
    struct hd_options opt;
    struct evidence e;
    struct hd_budgets *b;
    struct findings found;
    struct arena arena;
};

static const uint64_t rounds[SNAPSHOTS] = {0, 10, 20, 30};

static void show(struct trial *t)
{
    t->diff = (struct hd_diff){.suspects = t->scored, .types.bytes_known = true};
    t->opt = (struct hd_options){.min_share = 0.02, .iterations = rounds};
    t->e = (struct evidence){.diff = &t->diff, .opt = &t->opt, .types = &t->series};
}

static void trial_open(struct trial *t, uint64_t first, uint64_t step)
{
    struct series_question ask = {.by = HD_BY_TYPE};
    struct series_warnings ignored = {0};
    *t = (struct trial){.b = hd_budgets_new()};
    for (uint64_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        forge_row(&f, "App.Order", first + step * k, 100 * (first + step * k));
        forge_row(&f, "App.Ghost", 1, k == 1 ? HD_UNKNOWN : 8);
        forge_row(&f, "System.String", 1000, 100000);
        t->snaps[k] = forge_finish(&f);
    }
    cr_assert(
        series_align(&t->series, t->snaps, SNAPSHOTS, &ask, &t->arena, &ignored, NULL));
    show(t);
}

static void trial_close(struct trial *t)
{
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(t->snaps[k]);
    hd_budgets_free(t->b);
    arena_free(&t->arena);
}

/* A row with this share of the heap, which is a suspect if by is. */
static struct hd_suspect *add_scored(struct trial *t, double share, enum hd_suspicion by)
{
    static const char *holder[] = {"[static var App.Shop.s_all]", "App.Order[]"};
    struct hd_suspect *s = &t->scored[t->diff.suspect_count++];
    *s = (struct hd_suspect){.type = "App.Order",
                             .title = "App.Shop",
                             .holder = holder,
                             .holder_len = 2,
                             .suspicion = by,
                             .score = share * 100000,
                             .score_share = share};
    return s;
}

/* The rule without any budget, or "suspects: any" in a file. */
static void add_default(struct trial *t, bool is_default)
{
    struct rule rule = {.kind = HD_RULE_SUSPECTS,
                        .measure = HD_MEASURE_SCORE,
                        .limit_is_min_score = true,
                        .is_default = is_default};
    cr_assert(budgets_add_rule(t->b, &rule, NULL));
}

static void add_option(struct trial *t, const char *name, const char *value)
{
    struct hd_error err = {0};
    cr_assert(hd_budgets_add_option(t->b, name, value, &err), "%s", err.message);
}

static void suppress(struct trial *t, const char *type, const char *holder)
{
    struct hd_budgets *b = t->b;
    b->suppressions = grow(b->suppressions, b->suppression_count, &b->suppression_cap,
                           sizeof(*b->suppressions));
    b->suppressions[b->suppression_count++] =
        (struct suppression){.type = type, .holder = holder, .reason = "known"};
}

static void accept_score(struct trial *t, uint64_t score)
{
    struct hd_accepted a = {.kind = HD_ACCEPTED_TYPE, .name = "App.Order", .score = score};
    t->b->baseline.snapshots = SNAPSHOTS;
    t->b->baseline.iterations = rounds[SNAPSHOTS - 1];
    baseline_add(&t->b->baseline, &a);
}

/* The findings as letters: p, f, s, i; P for a pass that --strict rejects. */
static const char *judged(struct trial *t)
{
    static const char letters[] = {[HD_FOUND_PASS] = 'p',
                                   [HD_FOUND_FAIL] = 'f',
                                   [HD_FOUND_SUPPRESSED] = 's',
                                   [HD_FOUND_INCONCLUSIVE] = 'i'};
    struct hd_error err = {0};
    cr_assert(judge_rules(&t->found, t->b, &t->e, &t->arena, &err), "%s", err.message);
    char *all = arena_alloc(&t->arena, t->found.len + 1);
    for (size_t i = 0; i < t->found.len; i++)
        all[i] = t->found.all[i].is_lenient ? 'P' : letters[t->found.all[i].status];
    return all;
}

static void expect(struct trial *t, const char *wanted)
{
    cr_expect_str_eq(judged(t), wanted, "%s", judged(t));
    trial_close(t);
}

/* --- what the ranking calls a suspect -------------------------------------------- */

Test(judge, the_default_rule_fails_for_a_suspect_of_the_ranking)
{
    static const struct {
        double share;
        enum hd_suspicion by;
        const char *wanted, *with_score; /* for a limit of 2 % */
    } cases[] = {{0.03, HD_SUSPECT_SIZE, "f", "f"},
                 {0.02, HD_SUSPECT_SIZE, "f", "f"},
                 {0.005, HD_SUSPECT_STEADY, "f", "p"},
                 {0.005, HD_SUSPECT_NOT, "p", "p"},
                 {0.03, HD_SUSPECT_AGE, "f", "f"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trial t;
        for (int is_default = 0; is_default < 2; is_default++) {
            trial_open(&t, 100, 10);
            add_scored(&t, cases[i].share, cases[i].by);
            add_default(&t, is_default);
            expect(&t, cases[i].wanted);
        }
        trial_open(&t, 100, 10);
        add_scored(&t, cases[i].share, cases[i].by);
        add_option(&t, "max-score", "2%");
        expect(&t, cases[i].with_score);
    }
}

Test(judge, a_steady_suspect_is_marked)
{
    struct trial t;
    trial_open(&t, 100, 10);
    add_scored(&t, 0.005, HD_SUSPECT_STEADY);
    add_default(&t, true);
    cr_assert_str_eq(judged(&t), "f");
    cr_expect_eq(t.found.all[0].reason.code, HD_REASON_STEADY);
    trial_close(&t);
}

Test(judge, a_steady_suspect_with_little_growth_left_is_not_a_suspect)
{
    for (int large = 0; large < 2; large++) {
        struct trial t;
        trial_open(&t, 100, 10);
        add_scored(&t, 0.005, HD_SUSPECT_STEADY);
        t.opt.min_steady_share = 0.001;
        accept_score(&t, large ? 399 : 401);
        add_default(&t, true);
        expect(&t, large ? "f" : "p");
    }
}

/* --- heads ------------------------------------------------------------------------ */

static struct hd_head heads[] = {{"[static var App.Cache.s_cache] → App.Order[]", 1800},
                                 {"[static var App.Shop.s_leak] → App.Order[]", 1200}};

Test(judge, a_suppressed_holder_excuses_its_heads_and_no_others)
{
    static const struct {
        const char *limit, *holder, *wanted;
    } cases[] = {{"1%", "*s_cache]*", "f"},  {"1.3%", "*s_cache]*", "s"},
                 {"1.3%", "*s_leak]*", "f"}, {"1%", "*", "s"},
                 {"1%", "*s_other]*", "f"},  {"4%", "*s_cache]*", "p"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trial t;
        trial_open(&t, 100, 10);
        struct hd_suspect *s = add_scored(&t, 0.03, HD_SUSPECT_SIZE);
        s->heads = heads;
        s->head_count = 2;
        suppress(&t, NULL, cases[i].holder);
        add_option(&t, "max-score", cases[i].limit);
        expect(&t, cases[i].wanted);
    }
}

Test(judge, the_rest_of_a_suppressed_suspect_is_reported)
{
    struct trial t;
    trial_open(&t, 100, 10);
    struct hd_suspect *s = add_scored(&t, 0.03, HD_SUSPECT_SIZE);
    s->heads = heads;
    s->head_count = 2;
    suppress(&t, NULL, "*s_cache]*");
    add_option(&t, "max-score", "1%");
    cr_assert_str_eq(judged(&t), "f");
    cr_expect_float_eq(t.found.all[0].observed, 1200, 1e-9);
    cr_expect(t.found.suppression_used[0]);
    trial_close(&t);
}

Test(judge, without_heads_the_single_holder_counts_and_without_one_there_is_none)
{
    for (int known = 0; known < 2; known++) {
        struct trial t;
        trial_open(&t, 100, 10);
        struct hd_suspect *s = add_scored(&t, 0.03, HD_SUSPECT_SIZE);
        s->holder = known ? s->holder : NULL;
        suppress(&t, NULL, "*s_all]*");
        add_default(&t, true);
        expect(&t, known ? "s" : "i");
    }
}

Test(judge, either_name_of_a_suspect_will_do_for_a_suppression)
{
    static const char *const names[] = {"App.Order", "Order", "App.Shop", "App.*"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct trial t;
        trial_open(&t, 100, 10);
        add_scored(&t, 0.03, HD_SUSPECT_SIZE);
        suppress(&t, names[i], NULL);
        add_default(&t, true);
        expect(&t, "s");
    }
}

/* --- growth that nothing explains, and that stopped -------------------------------- */

enum { UNEXPLAINED = 38, STOPPED = 10 }; /* percent of the heap */

static void leave_unexplained(struct trial *t)
{
    t->diff.growth.is_open = true;
    t->diff.growth.open_share = UNEXPLAINED;
}

static void let_stop(struct trial *t)
{
    t->diff.growth.has_leveled_off = true;
    t->diff.growth.leveled_off_share = STOPPED;
}

Test(judge, unexplained_growth_does_not_pass_with_any_suppression)
{
    for (int rule = 0; rule < 3; rule++) {
        for (int mercy = 0; mercy < 4; mercy++) {
            struct trial t;
            trial_open(&t, 100, 10);
            leave_unexplained(&t);
            if (mercy > 0)
                add_scored(&t, 0.03, HD_SUSPECT_SIZE);
            if (mercy & 1)
                suppress(&t, "App.Order", NULL);
            if (mercy & 2)
                accept_score(&t, 3000);
            if (rule == 2)
                add_option(&t, "max-score", "2%");
            else
                add_default(&t, rule == 1);
            const char *got = judged(&t);
            size_t last = t.found.len - 1;
            cr_expect_str_eq(got, mercy == 1 ? "si" : "i", "rule %d, mercy %d: %s", rule,
                             mercy, got);
            cr_expect_eq(t.found.all[last].reason.code, HD_REASON_UNEXPLAINED);
            cr_expect_eq(t.found.all[last].reason.share, UNEXPLAINED);
            trial_close(&t);
        }
    }
}

Test(judge, a_failing_suspect_is_reported_without_unexplained_growth)
{
    struct trial t;
    trial_open(&t, 100, 10);
    leave_unexplained(&t);
    let_stop(&t);
    add_scored(&t, 0.03, HD_SUSPECT_SIZE);
    add_default(&t, true);
    expect(&t, "f");
}

Test(judge, growth_that_stopped_is_a_pass_that_strictness_does_not_take)
{
    struct trial t;
    for (int is_default = 0; is_default < 2; is_default++) {
        trial_open(&t, 100, 0);
        let_stop(&t);
        add_default(&t, is_default);
        cr_expect_str_eq(judged(&t), "P");
        cr_expect_eq(t.found.all[0].reason.code, HD_REASON_LEVELED_OFF);
        cr_expect_eq(t.found.all[0].reason.share, STOPPED);
        trial_close(&t);
    }
    trial_open(&t, 100, 0);
    let_stop(&t);
    add_scored(&t, 0.03, HD_SUSPECT_SIZE);
    suppress(&t, "App.Order", NULL);
    add_default(&t, true);
    expect(&t, "sP");
    /* Growth that is also unexplained has this reason. */
    trial_open(&t, 100, 0);
    let_stop(&t);
    leave_unexplained(&t);
    add_default(&t, true);
    expect(&t, "i");
    /* A rule with a score of its own has only this condition. */
    trial_open(&t, 100, 0);
    let_stop(&t);
    add_option(&t, "max-score", "2%");
    expect(&t, "p");
}

/* --- limits ------------------------------------------------------------------------ */

/* 93.6 * 2750 / 100 is 2573.9999999999995 in binary. */
Test(judge, a_share_is_what_people_calculate)
{
    struct trial t;
    trial_open(&t, 2750, 858);
    add_option(&t, "budget", "App.Order=93.6%");
    expect(&t, "p");
    trial_open(&t, 2750, 859);
    add_option(&t, "budget", "App.Order=93.6%");
    expect(&t, "f");
}

Test(judge, a_score_that_is_the_limit_is_over_it)
{
    struct trial t;
    trial_open(&t, 100, 10);
    add_scored(&t, 0.0936, HD_SUSPECT_SIZE)->score = 0.0936 * 100000;
    add_option(&t, "max-score", "9.36%");
    expect(&t, "f");
}

/* Accepted over 60 rounds: 1 a round. Now there are 30 rounds with 2 each; if the number of
 * rounds is unknown, 2 may be accepted entirely or not at all. */
Test(judge, the_iterations_of_a_baseline_are_its_own)
{
    struct hd_accepted a = {.kind = HD_ACCEPTED_TYPE, .name = "App.Order", .count = 60};
    struct rule rule = {.kind = HD_RULE_TYPE,
                        .pattern = "App.Order",
                        .per = HD_PER_ITERATION,
                        .measure = HD_MEASURE_COUNT,
                        .limit = {.amount = 1}};
    struct trial t;
    for (int known = 0; known < 2; known++) {
        trial_open(&t, 100, 20);
        t.b->baseline.snapshots = SNAPSHOTS;
        t.b->baseline.iterations = known ? 60 : HD_UNKNOWN;
        baseline_add(&t.b->baseline, &a);
        cr_assert(budgets_add_rule(t.b, &rule, NULL));
        cr_expect_str_eq(judged(&t), known ? "p" : "i");
        cr_expect_float_eq(t.found.all[0].observed, known ? 1 : 2, 1e-9);
        trial_close(&t);
    }
}

Test(judge, an_undecided_type_is_listed_with_a_failing_one)
{
    struct trial t;
    trial_open(&t, 100, 10);
    add_option(&t, "budget", "App.*=1KiB");
    cr_expect_str_eq(judged(&t), "fi");
    cr_expect_str_eq(t.found.all[1].title, "App.Ghost");
    trial_close(&t);
}

/* Both pass: the type nearer to its limit represents the rule, wherever it is in the table;
 * if both are equally near, the first by name. */
Test(judge, the_type_nearest_to_its_limit_represents_a_passing_rule)
{
    static const struct {
        uint64_t a, b;
        const char *stands;
    } cases[] = {{5, 9, "App.B"}, {9, 5, "App.A"}, {7, 7, "App.A"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trial t = {.b = hd_budgets_new()};
        struct series_question ask = {.by = HD_BY_TYPE};
        struct series_warnings ignored = {0};
        for (uint64_t k = 0; k < SNAPSHOTS; k++) {
            struct forge f = {0};
            forge_row(&f, "App.A", 100 + (k == 3 ? cases[i].a : 0), 10000);
            forge_row(&f, "App.B", 100 + (k == 3 ? cases[i].b : 0), 10000);
            t.snaps[k] = forge_finish(&f);
        }
        cr_assert(
            series_align(&t.series, t.snaps, SNAPSHOTS, &ask, &t.arena, &ignored, NULL));
        show(&t);
        add_option(&t, "budget", "App.*=10");
        cr_expect_str_eq(judged(&t), "p");
        cr_expect_str_eq(t.found.all[0].title, cases[i].stands, "case %zu", i);
        trial_close(&t);
    }
}

/* --- what matches nothing ----------------------------------------------------------- */

Test(judge, a_budget_without_a_match_suggests_a_name)
{
    static const struct {
        const char *pattern, *meant;
    } cases[] = {{"app.*", "App.*"},       {"APP.order", "App.Order"},
                 {"order", "Order"},       {"App.Ordre", "App.Order"},
                 {"Ordr", "Order"},        {"Appp.*", "App.*"},
                 {"*order", "*Order"},     {"Sytem.String", "System.String"},
                 {"Zebra.Crossing", NULL}, {"x*y", NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct trial t;
        char option[64];
        trial_open(&t, 100, 10);
        snprintf(option, sizeof(option), "%s=0", cases[i].pattern);
        add_option(&t, "budget", option);
        cr_expect_str_eq(judged(&t), "P", "%s", option);
        const char *meant = t.found.meant[0];
        cr_expect_str_eq(meant != NULL ? meant : "-",
                         cases[i].meant != NULL ? cases[i].meant : "-", "%s: %s", option,
                         meant);
        cr_expect_eq(t.found.all[0].reason.code, HD_REASON_NO_MATCH);
        cr_expect_eq(t.found.all[0].reason.meant, meant);
        trial_close(&t);
    }
}

Test(judge, an_optional_budget_may_match_nothing)
{
    for (int optional = 0; optional < 2; optional++) {
        struct rule rule = {.kind = HD_RULE_TYPE, .pattern = "B", .is_optional = optional};
        struct trial t;
        trial_open(&t, 100, 10);
        cr_assert(budgets_add_rule(t.b, &rule, NULL));
        expect(&t, optional ? "p" : "P");
    }
}

Test(judge, a_doubt_also_applies_to_rules_without_a_match)
{
    struct trial t;
    trial_open(&t, 100, 10);
    t.e.doubt = because(HD_REASON_OUT_OF_ORDER);
    add_option(&t, "budget", "Zebra=0");
    expect(&t, "i");
}
