/* Checks by name: patterns, suppressed holders, and baselines. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"

#include "support/scratch.h"

#include <criterion/criterion.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(check_names, .init = open_scratch, .fini = remove_scratch);

enum { COUNT = 4 };

static struct hd_report *check(struct hd_snapshot *const *snaps, const char *yaml,
                               const char *baseline, bool accepts,
                               const struct hd_options *opt)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    struct text file = {0};
    text_add_string(&file, "version: 1\n");
    text_add_string(&file, yaml);
    const char *path = scratch_file(&scratch, "heapdrift.yml", file.data, file.len);
    cr_assert(hd_budgets_read(b, path, &err), "%s: %s", yaml, err.message);
    if (baseline != NULL)
        cr_assert(hd_budgets_read_baseline(
            b, scratch_file(&scratch, "accepted", baseline, strlen(baseline)), &err));
    if (accepts)
        hd_budgets_accept(b);
    struct hd_report *r = ask_check(snaps, COUNT, opt, b, &err);
    cr_assert_not_null(r, "%s: %s", yaml, err.message);
    hd_budgets_free(b);
    text_free(&file);
    return r;
}

static void expect_verdict(struct hd_snapshot *const *snaps, const char *yaml,
                           enum hd_verdict wanted)
{
    struct hd_report *r = check(snaps, yaml, NULL, false, NULL);
    cr_expect_eq(hd_report_verdict(r), wanted, "%s: %s (%s)", yaml,
                 verdict_names[hd_report_verdict(r)], text_of_reason(&r->check.rules[0]));
    hd_report_free(r);
}

/* --- names with the outer class --------------------------------------------------- */

/* As in a trace: the table has Order; that it is nested in Outer is known from another
 * type. */
static void open_nested(struct hd_snapshot **s)
{
    for (uint32_t k = 0; k < COUNT; k++) {
        struct forge f = {0};
        node_id shop = forge_object(&f, "Shop", 24);
        node_id array = forge_object(&f, "Order[]", 1024);
        node_id first = forge_objects(&f, "Order", 100, 10 + 10 * k);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", shop);
        forge_reference(&f, shop, array);
        for (uint32_t i = 0; i < 10 + 10 * k; i++)
            forge_reference(&f, array, first + i);
        s[k] = forge_finish(&f);
        s[k]->types[forge_type_id(s[k], TYPE_OBJECT, "Order")].full_name =
            "App.Outer+Order";
        s[k]->types[forge_type_id(s[k], TYPE_OBJECT, "Order[]")].full_name =
            "App.Outer+Order[]";
    }
}

Test(check_names, patterns_select_by_the_name_that_is_shown_too)
{
    struct hd_snapshot *s[COUNT];
    open_nested(s);
    static const struct {
        const char *yaml;
        enum hd_verdict verdict;
    } cases[] = {
        {"budgets: [{type: App.Outer+Order, max_growth: 0}]", HD_FAIL},
        {"budgets: [{type: Order, max_growth: 0}]", HD_FAIL},
        {"budgets: [{type: 'App.*', max_growth: 0}]", HD_FAIL},
        {"budgets: [{type: App.Outer+Orders, max_growth: 0}]", HD_PASS},
        {"budgets: [{holder: '*App.Outer+Order[]', max_growth: 0}]", HD_FAIL},
        {"budgets: [{holder: '* → Order[]', max_growth: 0}]", HD_FAIL},
        {"suppress: [{type: App.Outer+Order, reason: r}]", HD_PASS},
        {"suppress: [{type: Order, reason: r}]", HD_PASS},
        {"suppress: [{holder: '*App.Outer+Order[]', reason: r}]", HD_PASS},
        {"suppress: [{type: App.Outer+Orders, reason: r}]", HD_FAIL},
        {"budgets: [{type: '*', max_growth: 0}]\n"
         "suppress: [{holder: '*App.Outer+Order[]', reason: r}]",
         HD_PASS},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_verdict(s, cases[i].yaml, cases[i].verdict);
    close_all(s, COUNT);
}

/* A whole file of names in the wrong case: the number of suggestions is limited. */
Test(check_names, at_most_sixteen_patterns_get_a_suggestion)
{
    enum { WRONG = 18, SHOWN = 16 };
    static const char name[] = "Order";
    struct hd_snapshot *s[COUNT];
    struct text yaml = {0};
    open_nested(s);
    text_add_string(&yaml, "budgets: [{type: Shop, max_growth: 0}");
    for (unsigned i = 1; i <= WRONG; i++) {
        text_add_string(&yaml, ", {type: ");
        for (unsigned k = 0; k < sizeof(name) - 1; k++)
            text_add_char(&yaml, (char)((unsigned)name[k] ^ (i >> k & 1) << 5));
        text_add_string(&yaml, ", max_growth: 0}");
    }
    text_add_string(&yaml, "]");
    struct hd_report *r = check(s, text_string(&yaml), NULL, false, NULL);
    cr_assert_eq(r->check.rule_count, WRONG + 1);
    cr_expect_null(r->check.rules[0].reason.meant);
    for (unsigned i = 1; i <= WRONG; i++) {
        const struct hd_reason *why = &r->check.rules[i].reason;
        cr_expect_eq(why->code, HD_REASON_NO_MATCH);
        if (i <= SHOWN)
            cr_expect_str_eq(why->meant, name);
        else
            cr_expect_null(why->meant, "%u: %s", i, why->meant);
    }
    hd_report_free(r);
    text_free(&yaml);
    close_all(s, COUNT);
}

Test(check_names, options_select_by_the_same_names_as_budgets)
{
    struct hd_snapshot *s[COUNT];
    open_nested(s);
    static const char *const names[] = {"Order", "App.Outer+Order", "*Order"};
    for (size_t i = 0; i < 3; i++) {
        for (int excluded = 0; excluded < 2; excluded++) {
            struct hd_options opt = hd_default_options();
            opt.types = opt.excludes = &names[i];
            opt.type_count = excluded ? 0 : 1;
            opt.exclude_count = excluded ? 1 : 0;
            struct hd_report *r =
                check(s, "budgets: [{type: '*', max_growth: 0}]", NULL, false, &opt);
            cr_expect_eq(hd_report_verdict(r), excluded ? HD_PASS : HD_FAIL, "%s",
                         names[i]);
            cr_expect_eq(r->diff.types.len, excluded ? 2 : 1, "%s: %zu", names[i],
                         r->diff.types.len);
            hd_report_free(r);
        }
    }
    close_all(s, COUNT);
}

/* --- one type below two holders ---------------------------------------------------- */

/* 60 more in every step below s_cache, 40 more below s_leak; each time the same amount of
 * garbage. */
static void open_two(struct hd_snapshot **s, int cached, int leaked)
{
    for (int k = 0; k < COUNT; k++) {
        struct forge f = {0};
        node_id cache = forge_object(&f, "App.Cache", 24);
        node_id leak = forge_object(&f, "App.Leak", 24);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_cache", cache);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_leak", leak);
        for (int i = 0; i < 200 + cached * k; i++)
            forge_reference(&f, cache, forge_object(&f, "App.Order", 100));
        for (int i = 0; i < 10 + leaked * k; i++)
            forge_reference(&f, leak, forge_object(&f, "App.Order", 100));
        forge_objects(&f, "App.Order", 100, 7 * ((uint32_t)k + 1));
        s[k] = forge_finish(&f);
    }
}

#define CACHE "\nsuppress: [{holder: '*s_cache]*', reason: r}]"
#define BOTH_HOLDERS \
    "\nsuppress: [{holder: '*s_cache]*', reason: r}, {holder: '*s_leak]*', reason: s}]"

Test(check_names, a_suppressed_holder_excuses_of_a_type_what_it_holds)
{
    struct hd_snapshot *s[COUNT];
    open_two(s, 60, 40);
    static const struct {
        const char *yaml;
        enum hd_verdict verdict;
        double observed;
    } cases[] = {
        {"budgets: [{type: App.Order, max_growth: 140}]" CACHE, HD_FAIL, 141},
        {"budgets: [{type: App.Order, max_growth: 141}]" CACHE, HD_PASS, 321},
        {"budgets: [{type: App.Order, max_growth_bytes: 14099}]" CACHE, HD_FAIL, 14100},
        {"budgets: [{type: App.Order, max_growth: 46, per: step}]" CACHE, HD_FAIL, 47},
        {"budgets: [{type: App.Order, max_growth: 20}]" BOTH_HOLDERS, HD_FAIL, 21},
        {"budgets: [{type: App.Order, max_growth: 21}]" BOTH_HOLDERS, HD_PASS, 321},
        {"budgets: [{type: App.Order, max_growth: 20}]"
         "\nsuppress: [{holder: '*', reason: r}]",
         HD_PASS, 321},
        {"budgets: [{type: App.Order, max_growth: 0}]"
         "\nsuppress: [{holder: '*s_other]*', reason: r}]",
         HD_FAIL, 321},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_report *r = check(s, cases[i].yaml, NULL, false, NULL);
        cr_expect_eq(hd_report_verdict(r), cases[i].verdict, "%s: %s (%s)", cases[i].yaml,
                     text_of_observed(&r->check.rules[0]),
                     text_of_reason(&r->check.rules[0]));
        cr_expect_float_eq(r->check.rules[0].observed_value, cases[i].observed, 1e-9,
                           "%s: %s", cases[i].yaml, text_of_observed(&r->check.rules[0]));
        hd_report_free(r);
    }
    close_all(s, COUNT);
}

/* 180 fewer below s_cache, 120 more below s_leak. */
Test(check_names, shrinking_below_a_suppressed_holder_hides_no_growth)
{
    static const char *const yaml[] = {
        "budgets: [{type: App.Order, max_growth: 140}]",
        "budgets: [{type: App.Order, max_growth: 46, per: step}]",
        "budgets: [{holder: '*static var*', max_growth: 119}]"};
    for (size_t i = 0; i < sizeof(yaml) / sizeof(*yaml); i++) {
        char suppressed[256];
        struct hd_snapshot *s[COUNT];
        open_two(s, -60, 40);
        snprintf(suppressed, sizeof(suppressed), "%s" CACHE, yaml[i]);
        expect_verdict(s, yaml[i], HD_PASS);
        expect_verdict(s, suppressed, HD_FAIL);
        close_all(s, COUNT);
    }
}

/* In a table the part below a suppressed holder is unknown. */
Test(check_names, without_holders_what_they_excuse_is_left_open)
{
    struct hd_snapshot *s[COUNT];
    for (uint32_t k = 0; k < COUNT; k++)
        s[k] = table_of("App.Order", 10 + 10 * k, 1000 + 1000 * k);
    expect_verdict(s, "budgets: [{type: App.Order, max_growth: 0}]", HD_FAIL);
    expect_verdict(s, "budgets: [{type: App.Order, max_growth: 0}]" CACHE, HD_INCONCLUSIVE);
    /* The suppressed part may have shrunk. */
    expect_verdict(s, "budgets: [{type: App.Order, max_growth: 30}]" CACHE,
                   HD_INCONCLUSIVE);
    expect_verdict(s, "budgets: [{suspects: any}]" CACHE, HD_INCONCLUSIVE);
    expect_verdict(s,
                   "budgets: [{type: App.Order, max_growth: 0}]\n"
                   "suppress: [{holder: '*', reason: r}, {type: App.Order, reason: r}]",
                   HD_PASS);
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    const char yaml[] = "version: 1" CACHE "\n";
    cr_assert(
        hd_budgets_read(b, scratch_file(&scratch, "x.yml", yaml, strlen(yaml)), &err));
    hd_budgets_accept(b);
    cr_expect_null(ask_check(s, COUNT, NULL, b, &err), "no baseline either");
    cr_expect(strstr(err.message, "suppressed") != NULL, "%s", err.message);
    hd_budgets_free(b);
    close_all(s, COUNT);
}

/* --- baselines ---------------------------------------------------------------------- */

static char *baseline_of(const struct hd_report *r)
{
    char *bytes = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&bytes, &size);
    cr_assert(hd_report_write_baseline(r, hd_sink_file(f), NULL));
    fclose(f);
    return bytes;
}

/* The cache grows by 180 and is suppressed; later the other store grows. */
Test(check_names, a_baseline_accepts_no_suppressed_growth)
{
    static const char *const yaml[] = {
        "budgets: [{type: App.Order, max_growth: 0}]" CACHE,
        "budgets: [{holder: '*static var*', max_growth: 0}]" CACHE,
        "budgets: [{type: App.Order, max_growth_bytes: 0, per: step}]" CACHE,
        "budgets: [{type: App.Order, max_growth: 0}]\n"
        "suppress: [{type: App.Order, reason: r, until: 2000-01-01}]",
    };
    for (size_t i = 0; i < sizeof(yaml) / sizeof(*yaml); i++) {
        struct hd_snapshot *before[COUNT], *after[COUNT];
        open_two(before, 60, 0);
        open_two(after, 0, 59);
        struct hd_report *made = check(before, yaml[i], NULL, true, NULL);
        char *baseline = baseline_of(made);
        struct hd_report *again = check(before, yaml[i], baseline, false, NULL);
        struct hd_report *later = check(after, yaml[i], baseline, false, NULL);
        cr_expect_eq(hd_report_verdict(made), HD_PASS, "%s", yaml[i]);
        cr_expect_eq(hd_report_verdict(again), HD_PASS, "%s", yaml[i]);
        /* An expired suppression has no effect: everything was accepted. */
        cr_expect_eq(hd_report_verdict(later), i < 3 ? HD_FAIL : HD_PASS, "%s", yaml[i]);
        hd_report_free(made);
        hd_report_free(again);
        hd_report_free(later);
        close_all(before, COUNT);
        close_all(after, COUNT);
        free(baseline);
    }
}

Test(check_names, an_excused_type_is_not_accepted_for_the_day_when_it_counts_again)
{
    struct hd_snapshot *s[COUNT];
    open_two(s, 60, 40);
    struct hd_report *made =
        check(s, "suppress: [{type: App.Order, reason: r}]", NULL, true, NULL);
    char *baseline = baseline_of(made);
    cr_expect_null(strstr(baseline, "\ntype\t"), "%s", baseline);
    struct hd_report *later = check(s, "budgets: []", baseline, false, NULL);
    cr_expect_eq(hd_report_verdict(later), HD_FAIL);
    hd_report_free(made);
    hd_report_free(later);
    free(baseline);
    close_all(s, COUNT);
}

/* A number of bytes is below 2^64, but a sum of doubles may reach it. */
Test(check_names, a_baseline_of_all_there_can_be_is_one_that_can_be_read)
{
    struct hd_snapshot *s[COUNT];
    for (uint32_t k = 0; k < COUNT; k++)
        s[k] = table_of("App.Order", 1, k == 3 ? HD_UNKNOWN - 1 : 0);
    struct hd_report *r = check(s, "budgets: []", NULL, true, NULL);
    char *baseline = baseline_of(r);
    cr_expect(strstr(baseline, "18446744073709551614") != NULL, "%s", baseline);
    struct hd_report *again =
        check(s, "budgets: [{total: bytes, max_growth: 0}]", baseline, false, NULL);
    cr_expect_eq(hd_report_verdict(again), HD_PASS, "%s",
                 text_of_observed(&again->check.rules[0]));
    hd_report_free(r);
    hd_report_free(again);
    free(baseline);
    close_all(s, COUNT);
}

Test(check_names, a_baseline_is_refused_for_the_snapshot_that_is_incomplete)
{
    for (size_t cut = 0; cut < COUNT; cut++) {
        struct hd_snapshot *s[COUNT];
        struct hd_error err = {0};
        struct hd_budgets *b = hd_budgets_new();
        open_two(s, 1, 1);
        for (size_t k = cut; k < COUNT; k++)
            s[k]->info.complete = false;
        hd_budgets_accept(b);
        cr_expect_null(ask_check(s, COUNT, NULL, b, &err));
        cr_expect_eq(err.snapshot, cut + 1, "%u", err.snapshot);
        hd_budgets_free(b);
        close_all(s, COUNT);
    }
}

/* --- what is reported of it ---------------------------------------------------------- */

Test(check_names, a_type_that_fails_in_two_ways_has_its_chains_in_both)
{
    struct hd_snapshot *s[COUNT];
    open_shops(s);
    struct hd_report *r =
        check(s, "budgets: [{type: System.String, max_growth: 0, max_growth_bytes: 0}]",
              NULL, false, NULL);
    cr_assert_eq(r->check.rule_count, 2);
    cr_expect_gt(r->check.rules[0].chains.len, 0);
    cr_expect_gt(r->check.rules[1].chains.len, 0);
    hd_report_free(r);
    close_all(s, SHOPS);
}

/* Counts occurrences of part, and the different words after them. */
static size_t different(const char *text, const char *part, size_t len, size_t *count)
{
    const char *found[64];
    size_t unlike = 0;
    *count = 0;
    for (; (text = strstr(text, part)) != NULL; text++) {
        bool again = false;
        for (size_t i = 0; i < *count; i++)
            again = again || strncmp(found[i], text, len) == 0;
        unlike += !again;
        found[(*count)++] = text;
    }
    return unlike;
}

Test(check_names, findings_of_one_rule_and_subject_have_fingerprints_of_their_own)
{
    static const char part[] = "\"ruleAndSubject/v1\":";
    struct hd_snapshot *s[COUNT];
    size_t count;
    open_shops(s);
    struct hd_report *r =
        check(s,
              "budgets:\n"
              " - {type: System.String, max_growth: 0, max_growth_bytes: 0}\n"
              " - {total: bytes, max_growth: 0}\n"
              " - {total: bytes, max_growth: 0, per: step}\n",
              NULL, false, NULL);
    char *sarif = written(r, "sarif");
    cr_expect_eq(different(sarif, part, strlen(part) + 20, &count), 4, "%s", sarif);
    cr_expect_eq(count, 4);
    free(sarif);
    hd_report_free(r);
    close_all(s, SHOPS);
}

Test(check_names, annotations_escape_what_would_end_a_property)
{
    struct hd_report *r = shop_check();
    for (size_t i = 0; i < r->check.rule_count; i++) {
        r->check.rules[i].path = "./../ci/a,b:c%.yml";
        r->check.rules[i].line = 7;
    }
    char *annotations = written(r, "github"), *sarif = written(r, "sarif");
    expect_part(annotations, "::error file=ci/a%2Cb%3Ac%25.yml,line=7,title=");
    expect_part(sarif, "ci/a%2Cb%3Ac%25.yml");
    expect_no_part(sarif, "\"./"); /* the address; a message names the file as given */
    free(annotations);
    free(sarif);
    hd_report_free(r);
}

Test(check_names, a_budget_that_matches_nothing_passes_only_without_strictness)
{
    struct hd_snapshot *s[COUNT];
    open_shops(s);
    static const char *const yaml[] = {
        "budgets: [{type: app.*, max_growth: 0}]",
        "budgets: [{holder: zebra, max_growth: 0}]",
        "budgets: [{type: A, max_growth: 0, optional: true}]"};
    for (size_t i = 0; i < 3; i++) {
        struct hd_report *r = check(s, yaml[i], NULL, false, NULL);
        cr_expect_eq(hd_report_verdict(r), HD_PASS, "%s", yaml[i]);
        cr_expect_eq(hd_report_status(r, false), 0, "%s", yaml[i]);
        cr_expect_eq(hd_report_status(r, true), i < 2 ? 3 : 0, "%s", yaml[i]);
        cr_expect_eq(r->warning_count, i < 2 ? 1 : 0, "%s", yaml[i]);
        hd_report_free(r);
    }
    close_all(s, SHOPS);
}

/* --- order ---------------------------------------------------------------------------- */

/* Two snapshots of the same second are in the given order. */
Test(check_names, equal_dates_are_not_a_doubt_but_falling_ones_are)
{
    for (int falls = 0; falls < 2; falls++) {
        struct hd_snapshot *s[COUNT];
        open_two(s, 0, 0);
        for (size_t k = 0; k < COUNT; k++) {
            s[k]->clock = k < 2 ? 1000 : 1000 + (double)k - 3 * falls;
            s[k]->clock_is_date = true;
        }
        expect_verdict(s, "budgets: [{type: App.Cache, max_growth: 0}]",
                       falls ? HD_INCONCLUSIVE : HD_PASS);
        close_all(s, COUNT);
    }
}
