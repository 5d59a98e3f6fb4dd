/* Budgets of the process with every state of its facts: each number, known in all, some or
 * no snapshots, growing, constant or shrinking, with each kind of limit.
 *
 *     A rule passes only if all snapshots have its number and show that it is not over its
 *     limit. It fails if those that have it show that it is over.
 *
 * The oracle uses the input numbers and must not depend on judge.c. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SNAPSHOTS = 6, MIB = 1 << 20 };

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(check_process, .init = open_scratch, .fini = remove_scratch);

/* --- what a cell is ------------------------------------------------------------ */

/* A number, the fact that grows, and one that may be missing. is_partial: without that fact
 * the snapshot has another number. */
static const struct {
    const char *name;
    enum hd_fact grows, missing;
    bool is_partial, is_count;
} numbers[] = {
    {"size", HD_FACT_RESIDENT, HD_FACT_RESIDENT, false, false},
    {"size", HD_FACT_SWAPPED, HD_FACT_RESIDENT, false, false},
    {"size", HD_FACT_RESIDENT, HD_FACT_SWAPPED, true, false},
    {"resident", HD_FACT_RESIDENT, HD_FACT_RESIDENT, false, false},
    {"private", HD_FACT_PRIVATE, HD_FACT_PRIVATE, false, false},
    {"native", HD_FACT_RESIDENT, HD_FACT_RESIDENT, false, false},
    {"native", HD_FACT_RESIDENT, HD_FACT_OF_GC, false, false},
    {"native", HD_FACT_RESIDENT, HD_FACT_OF_STACKS, true, false},
    {"fragmented", HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, false, false},
    {"threads", HD_FACT_THREADS, HD_FACT_THREADS, false, true},
    {"handles", HD_FACT_SOCKETS, HD_FACT_PIPES, true, true},
    {"handles", HD_FACT_OTHERS, HD_FACT_REGULAR, true, true},
};

enum missing { IN_NONE, IN_FIRST, IN_MIDDLE, IN_LAST, IN_ALL, MISSING };

static const char *const missing_names[MISSING] = {"known", "unknown in the first",
                                                   "unknown in the middle",
                                                   "unknown in the last", "unknown"};

/* Growth by a MiB or two threads per step exceeds all except the first. */
enum limit { ENOUGH, ABSOLUTE, RELATIVE, PER_STEP, PER_ITERATION, LIMITS };

static const struct {
    const char *bytes, *count;
} limits[LIMITS] = {
    {"50MiB", "50"},
    {"2MiB", "4"},
    {"1%", "1%"},
    {"{max_growth: 512KiB, per: step}", "{max_growth: 1, per: step}"},
    {"{max_growth: 51KiB, per: iteration}", "{max_growth: 0, per: iteration}"}};

struct cell {
    size_t number;
    enum missing missing;
    enum limit limit;
    int step; /* -1, 0, 1 */
};

static const char *name_of(const struct cell *c)
{
    static char name[200];
    snprintf(name, sizeof(name), "%s by %s: %s, %s %s, %+d", numbers[c->number].name,
             hd_fact_name(numbers[c->number].grows), limits[c->limit].bytes,
             hd_fact_name(numbers[c->number].missing), missing_names[c->missing], c->step);
    return name;
}

/* --- the series ---------------------------------------------------------------- */

static bool lacks(enum missing missing, size_t k)
{
    return missing == IN_ALL || (missing == IN_FIRST && k == 0) ||
           (missing == IN_MIDDLE && k == 2) || (missing == IN_LAST && k == SNAPSHOTS - 1);
}

static const struct {
    enum hd_fact fact;
    uint64_t value;
} first_facts[] = {
    {HD_FACT_RESIDENT, 100 * MIB},
    {HD_FACT_PRIVATE, 60 * MIB},
    {HD_FACT_SWAPPED, 8 * MIB},
    {HD_FACT_OF_GC, 20 * MIB},
    {HD_FACT_OF_CODE, 4 * MIB},
    {HD_FACT_OF_STACKS, 2 * MIB},
    {HD_FACT_OF_FILES, 30 * MIB},
    {HD_FACT_OF_SHARED, 1 * MIB},
    {HD_FACT_FRAGMENTED, 10 * MIB},
    {HD_FACT_THREADS, 20},
    {HD_FACT_SOCKETS, 20},
    {HD_FACT_REGULAR, 9},
    {HD_FACT_PIPES, 4},
    {HD_FACT_OTHERS, 30},
};

static struct hd_snapshot *heap(void)
{
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_blob", forge_object(&f, "App.Blob", MIB));
    return forge_finish(&f);
}

/* Sets the facts of snapshot k; one of them grows by step in each. */
static void set_facts(struct hd_snapshot *snap, enum hd_fact grows, int64_t step, size_t k)
{
    for (size_t i = 0; i < sizeof(first_facts) / sizeof(*first_facts); i++) {
        uint64_t more = first_facts[i].fact == grows ? (uint64_t)(step * (int64_t)k) : 0;
        hd_fact_set(&snap->facts, first_facts[i].fact, first_facts[i].value + more);
    }
}

static int64_t step_of(const struct cell *c)
{
    return numbers[c->number].is_count ? 2 * c->step : (int64_t)MIB * c->step;
}

static void open_series(struct hd_snapshot **snaps, enum hd_fact grows, int64_t step)
{
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        snaps[k] = heap();
        snaps[k]->info.pid = 7;
        snaps[k]->clock = 1000.0 + (double)k;
        snaps[k]->clock_is_date = true;
        set_facts(snaps[k], grows, step, k);
    }
}

static void remove_fact(struct hd_snapshot **snaps, const struct cell *c)
{
    for (size_t k = 0; k < SNAPSHOTS; k++)
        if (lacks(c->missing, k))
            snaps[k]->facts.known &= ~((uint64_t)1 << numbers[c->number].missing);
}

/* --- the oracle ---------------------------------------------------------------- */

/* A fact missing in all snapshots, as stacks on Windows, is not part of the number. If a
 * single snapshot lacks it, its number cannot be compared; the first one is the reference.
 */
static bool has_number(const struct cell *c, size_t k)
{
    if (!numbers[c->number].is_partial)
        return !lacks(c->missing, k);
    return c->missing == IN_FIRST ? k == 0 : c->missing == IN_ALL || !lacks(c->missing, k);
}

static bool has_all_numbers(const struct cell *c)
{
    for (size_t k = 0; k < SNAPSHOTS; k++)
        if (!has_number(c, k))
            return false;
    return true;
}

static bool is_shown_over(const struct cell *c)
{
    bool grows = c->step > 0 && c->limit != ENOUGH;
    bool step = false;
    for (size_t k = 1; k < SNAPSHOTS; k++)
        step |= has_number(c, k - 1) && has_number(c, k);
    if (c->limit == PER_STEP)
        return grows && step;
    return grows && has_number(c, 0) && has_number(c, SNAPSHOTS - 1);
}

static enum hd_finding_status status_of(const struct cell *c)
{
    if (is_shown_over(c))
        return HD_FOUND_FAIL;
    return has_all_numbers(c) ? HD_FOUND_PASS : HD_FOUND_INCONCLUSIVE;
}

/* --- the program's answer -------------------------------------------------------- */

static const uint64_t rounds[SNAPSHOTS] = {0, 10, 20, 30, 40, 50};

static struct hd_budgets *budgets_of(const char *yaml)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_assert(hd_budgets_read(
                  b, scratch_file(&scratch, "heapdrift.yml", yaml, strlen(yaml)), &err),
              "%s: %s", yaml, err.message);
    return b;
}

static struct hd_report *check(struct hd_snapshot *const *snaps, const struct hd_budgets *b)
{
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    opt.iterations = rounds;
    struct hd_report *r = ask_check(snaps, SNAPSHOTS, &opt, b, &err);
    cr_assert_not_null(r, "%s", err.message);
    return r;
}

static const char *const formats[] = {"text",  "md",    "json", "csv",
                                      "junit", "sarif", "tsv",  "github"};
static const char unknown[] = "not every snapshot has this number";

/* All formats have the rule; for an undecided one, the reason instead of a number. */
static void expect_formats(const struct cell *c, const struct hd_report *r)
{
    char rule[80];
    snprintf(rule, sizeof(rule), "process %s", numbers[c->number].name);
    bool open = status_of(c) == HD_FOUND_INCONCLUSIVE;
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char *text = written(r, formats[i]);
        /* Annotations are for failures only. */
        bool fails_only = strcmp(formats[i], "github") == 0;
        bool has_rule = !fails_only || status_of(c) == HD_FOUND_FAIL;
        cr_expect_eq(strstr(text, rule) != NULL, has_rule, "%s in %s: %s", name_of(c),
                     formats[i], text);
        cr_expect_eq(strstr(text, unknown) != NULL, open && !fails_only, "%s in %s: %s",
                     name_of(c), formats[i], text);
        free(text);
    }
}

static void expect_cell(const struct cell *c, struct hd_snapshot *const *snaps)
{
    char yaml[300];
    bool counts = numbers[c->number].is_count;
    snprintf(yaml, sizeof(yaml),
             "version: 1\nbudgets: [{total: objects, max_growth: 0}]\nprocess:\n  %s: %s\n",
             numbers[c->number].name,
             counts ? limits[c->limit].count : limits[c->limit].bytes);
    struct hd_budgets *b = budgets_of(yaml);
    struct hd_report *r = check(snaps, b);
    cr_assert_eq(r->check.rule_count, 2);
    const struct hd_finding *f = &r->check.rules[1];
    enum hd_finding_status status = status_of(c);
    cr_expect_eq(f->status, status, "%s: %s, not %s (%s, limit %s: %s)", name_of(c),
                 rule_status_names[f->status], rule_status_names[status],
                 text_of_observed(f), text_of_limit(f), text_of_reason(f));
    cr_expect_eq(isnan(f->observed_value), status == HD_FOUND_INCONCLUSIVE, "%s: %g",
                 name_of(c), f->observed_value);
    bool per_step = c->limit == PER_STEP, per_round = c->limit == PER_ITERATION;
    double growth = (double)step_of(c) * (per_step ? 1 : SNAPSHOTS - 1);
    growth /= per_round ? 50 : 1;
    if (status != HD_FOUND_INCONCLUSIVE)
        cr_expect_float_eq(f->observed_value, growth, 1, "%s: %g", name_of(c),
                           f->observed_value);
    for (int strict = 0; strict < 2; strict++)
        cr_expect_eq(hd_report_status(r, strict),
                     status == HD_FOUND_FAIL                     ? 1
                     : status == HD_FOUND_INCONCLUSIVE && strict ? 3
                                                                 : 0,
                     "%s: status %d", name_of(c), hd_report_status(r, strict));
    expect_formats(c, r);
    hd_report_free(r);
    hd_budgets_free(b);
}

Test(check_process, passes_only_numbers_that_all_snapshots_have)
{
    enum { NUMBERS = sizeof(numbers) / sizeof(*numbers) };
    size_t found[HD_FINDING_STATUS_COUNT] = {0};
    struct cell c;
    for (c.number = 0; c.number < NUMBERS; c.number++)
        for (int missing = 0; missing < MISSING; missing++)
            for (c.step = -1; c.step <= 1; c.step++) {
                struct hd_snapshot *snaps[SNAPSHOTS];
                c.missing = (enum missing)missing;
                open_series(snaps, numbers[c.number].grows, step_of(&c));
                remove_fact(snaps, &c);
                for (int limit = 0; limit < LIMITS; limit++) {
                    c.limit = (enum limit)limit;
                    expect_cell(&c, snaps);
                    found[status_of(&c)]++;
                }
                close_all(snaps, SNAPSHOTS);
            }
    cr_expect_gt(found[HD_FOUND_PASS], 100);
    cr_expect_gt(found[HD_FOUND_FAIL], 100);
    cr_expect_gt(found[HD_FOUND_INCONCLUSIVE], 100);
}

/* A mean per iteration may be a fraction of a handle; both units are named. */
Test(check_process, names_what_it_counts)
{
    static const struct {
        const char *yaml, *observed, *limit, *unit;
        enum hd_fact grows;
        int64_t step;
    } cases[] = {
        {"threads: 4", "+10 threads", "+4 threads", "threads", HD_FACT_THREADS, 2},
        {"threads: {max_growth: 1, per: step}", "+2 threads per step", "+1 thread per step",
         "threads", HD_FACT_THREADS, 2},
        {"handles: {max_growth: 0, per: iteration}", "+0.20 handles per iteration",
         "+0 handles per iteration", "handles", HD_FACT_PIPES, 2},
        {"resident: 1%", "+5.0 % (+5.00 MiB)", "+1 %", "bytes", HD_FACT_RESIDENT, MIB},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_snapshot *snaps[SNAPSHOTS];
        char yaml[200];
        snprintf(yaml, sizeof(yaml), "version: 1\nprocess: {%s}\n", cases[i].yaml);
        struct hd_budgets *b = budgets_of(yaml);
        open_series(snaps, cases[i].grows, cases[i].step);
        struct hd_report *r = check(snaps, b);
        cr_expect_str_eq(text_of_observed(&r->check.rules[0]), cases[i].observed);
        cr_expect_str_eq(text_of_limit(&r->check.rules[0]), cases[i].limit);
        char *json = written(r, "json");
        char unit[40];
        snprintf(unit, sizeof(unit), "\"unit\": \"%s\"", cases[i].unit);
        expect_part(json, unit);
        free(json);
        hd_report_free(r);
        hd_budgets_free(b);
        close_all(snaps, SNAPSHOTS);
    }
}

/* --- the default ------------------------------------------------------------------- */

/* Growth of 10 MiB a step in a constant heap. */
static const struct {
    const char *process; /* NULL: no budget */
    enum hd_fact grows;
    bool accept;
    enum hd_finding_status status; /* of the default rule */
    const char *says;
} defaults[] = {
    {NULL, HD_FACT_COUNT, false, HD_FOUND_PASS, NULL},
    {NULL, HD_FACT_RESIDENT, false, HD_FOUND_INCONCLUSIVE, "outside of the managed heap"},
    {"native: 60MiB", HD_FACT_RESIDENT, false, HD_FOUND_PASS,
     "; the budget process native allows that"},
    {"native: {max_growth: 11MiB, per: step}", HD_FACT_RESIDENT, false, HD_FOUND_PASS,
     "; the budget process native allows that"},
    {"size: 100%", HD_FACT_RESIDENT, false, HD_FOUND_PASS,
     "; the budget process size allows that"},
    {"native: 1MiB", HD_FACT_RESIDENT, false, HD_FOUND_INCONCLUSIVE, "native memory"},
    {"threads: 100", HD_FACT_RESIDENT, false, HD_FOUND_INCONCLUSIVE, "native memory"},
    {"fragmented: 100MiB", HD_FACT_RESIDENT, false, HD_FOUND_INCONCLUSIVE, "native"},
    {NULL, HD_FACT_RESIDENT, true, HD_FOUND_PASS, "; the baseline accepts that"},
    {"resident: 100%", HD_FACT_RESIDENT, false, HD_FOUND_PASS,
     "; the budget process resident allows that"},
    {"private: 100%", HD_FACT_RESIDENT, false, HD_FOUND_PASS,
     "; the budget process private allows that"},
    {"resident: 100%", HD_FACT_SWAPPED, false, HD_FOUND_INCONCLUSIVE, "native memory"},
    {"private: 100%", HD_FACT_SWAPPED, false, HD_FOUND_INCONCLUSIVE, "native memory"},
    {"size: 100%", HD_FACT_SWAPPED, false, HD_FOUND_PASS,
     "; the budget process size allows that"},
};

/* Those of every check, one of the process unless NULL, and a baseline if `accept`. */
static struct hd_budgets *default_budgets(const char *process, bool accept)
{
    char yaml[200];
    snprintf(yaml, sizeof(yaml), "version: 1\n%s%s\n",
             process != NULL ? "process:\n  " : "", process != NULL ? process : "");
    struct hd_budgets *b = budgets_of(yaml);
    if (accept)
        hd_budgets_accept(b);
    return b;
}

Test(check_process, the_default_passes_growth_outside_that_a_budget_allows)
{
    for (size_t i = 0; i < sizeof(defaults) / sizeof(*defaults); i++) {
        struct hd_snapshot *snaps[SNAPSHOTS];
        struct hd_budgets *b = default_budgets(defaults[i].process, defaults[i].accept);
        open_series(snaps, defaults[i].grows, INT64_C(10) * MIB);
        struct hd_report *r = check(snaps, b);
        const struct hd_finding *f = &r->check.rules[r->check.rule_count - 1];
        cr_expect_eq(r->check.rule_count, defaults[i].process != NULL ? 2 : 1);
        cr_expect(f->is_default);
        cr_expect_eq(f->status, defaults[i].status, "%zu: %s", i, text_of_reason(f));
        cr_expect_not(f->is_lenient);
        if (hd_report_verdict(r) == HD_PASS && defaults[i].says != NULL) {
            cr_assert_eq(r->summary.verdict_len, 3);
            cr_expect_str_eq(r->summary.verdict[0].text, "All budgets are kept.");
            cr_expect_str_eq(r->summary.verdict[1].label, "NOT MANAGED");
        }
        if (defaults[i].says != NULL)
            expect_part(text_of_reason(f), defaults[i].says);
        hd_report_free(r);
        hd_budgets_free(b);
        close_all(snaps, SNAPSHOTS);
    }
}

/* The facts that remain, and the one that grows by 10 MiB a step. */
static const struct {
    const char *process; /* NULL: no budget */
    enum hd_fact keep, grows, grows_too;
    bool accept;
    enum hd_finding_status status; /* of the default rule */
    const char *says;
} others[] = {
    {NULL, HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, HD_FACT_COUNT, false,
     HD_FOUND_INCONCLUSIVE, "the heap is fragmented"},
    {"native: 100MiB", HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, HD_FACT_COUNT, false,
     HD_FOUND_INCONCLUSIVE, "the heap is fragmented"},
    {"fragmented: 10MiB", HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, HD_FACT_COUNT, false,
     HD_FOUND_INCONCLUSIVE, "the heap is fragmented"},
    {"fragmented: 100MiB", HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, HD_FACT_COUNT, false,
     HD_FOUND_PASS, "; the budget process fragmented allows that"},
    {NULL, HD_FACT_FRAGMENTED, HD_FACT_FRAGMENTED, HD_FACT_COUNT, true, HD_FOUND_PASS,
     "; the baseline accepts that"},
    {NULL, HD_FACT_RESIDENT, HD_FACT_RESIDENT, HD_FACT_COUNT, false, HD_FOUND_INCONCLUSIVE,
     "where the rest is, is unknown"},
    {"native: 100MiB", HD_FACT_RESIDENT, HD_FACT_RESIDENT, HD_FACT_COUNT, false,
     HD_FOUND_INCONCLUSIVE, "where the rest is, is unknown"},
    {"private: 100MiB", HD_FACT_RESIDENT, HD_FACT_RESIDENT, HD_FACT_COUNT, false,
     HD_FOUND_INCONCLUSIVE, "where the rest is, is unknown"},
    {"size: 100MiB", HD_FACT_RESIDENT, HD_FACT_RESIDENT, HD_FACT_COUNT, false,
     HD_FOUND_PASS, "; the budget process size allows that"},
    {NULL, HD_FACT_RESIDENT, HD_FACT_RESIDENT, HD_FACT_COUNT, true, HD_FOUND_PASS,
     "; the baseline accepts that"},
    {"native: 60MiB", HD_FACT_COUNT, HD_FACT_RESIDENT, HD_FACT_OF_STACKS, false,
     HD_FOUND_INCONCLUSIVE, "stacks of threads"},
};

static void keep_fact(struct hd_snapshot **snaps, enum hd_fact fact)
{
    for (size_t k = 0; k < SNAPSHOTS && fact != HD_FACT_COUNT; k++)
        snaps[k]->facts.known &= (uint64_t)1 << fact;
}

/* Stacks that grow by 15 MiB a step, and native memory by 10. */
static void grow_too(struct hd_snapshot **snaps, enum hd_fact fact)
{
    for (uint64_t k = 0; k < SNAPSHOTS && fact != HD_FACT_COUNT; k++) {
        struct hd_process_facts *f = &snaps[k]->facts;
        hd_fact_set(f, fact, hd_fact(f, fact) + k * 15 * MIB);
        hd_fact_set(f, HD_FACT_RESIDENT, hd_fact(f, HD_FACT_RESIDENT) + k * 15 * MIB);
    }
}

Test(check_process, the_default_passes_other_growth_outside_that_a_budget_allows)
{
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        struct hd_snapshot *snaps[SNAPSHOTS];
        struct hd_budgets *b = default_budgets(others[i].process, others[i].accept);
        open_series(snaps, others[i].grows, INT64_C(10) * MIB);
        keep_fact(snaps, others[i].keep);
        grow_too(snaps, others[i].grows_too);
        struct hd_report *r = check(snaps, b);
        const struct hd_finding *f = &r->check.rules[r->check.rule_count - 1];
        cr_expect(f->is_default);
        cr_expect_eq(f->status, others[i].status, "%zu: %s", i, text_of_reason(f));
        cr_expect_not(f->is_lenient);
        expect_part(text_of_reason(f), others[i].says);
        hd_report_free(r);
        hd_budgets_free(b);
        close_all(snaps, SNAPSHOTS);
    }
}

/* Native memory that replaces what the collector returns is in no size. */
Test(check_process, a_baseline_without_native_memory_does_not_accept_it)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_budgets *b = budgets_of("version: 1\n");
    open_series(snaps, HD_FACT_COUNT, 0);
    for (uint64_t k = 0; k < SNAPSHOTS; k++)
        hd_fact_set(&snaps[k]->facts, HD_FACT_OF_GC, (20 - 3 * k) * MIB);
    struct hd_report *r = check(snaps, b);
    cr_expect_eq(r->check.rules[0].status, HD_FOUND_INCONCLUSIVE);
    expect_part(text_of_reason(&r->check.rules[0]), "the process did not grow");
    hd_report_free(r);
    hd_budgets_free(b);
    close_all(snaps, SNAPSHOTS);
}

/* --- baselines --------------------------------------------------------------------- */

/* Accepts growth by 1 MiB a step, but not more. */
Test(check_process, growth_that_a_baseline_accepts_is_not_counted)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    char *bytes = NULL;
    size_t size = 0;
    struct hd_budgets *b = budgets_of("version: 1\n");
    hd_budgets_accept(b);
    open_series(snaps, HD_FACT_RESIDENT, MIB);
    struct hd_report *r = check(snaps, b);
    FILE *f = open_memstream(&bytes, &size);
    cr_assert(hd_report_write_baseline(r, hd_sink_file(f), NULL));
    fclose(f);
    expect_part(bytes, "\nprocess\t0\t5242880\t0\t1048576\t0\tnative\n");
    expect_part(bytes, "\nprocess\t0\t5242880\t0\t1048576\t0\tsize\n");
    expect_no_part(bytes, "threads");
    const char *path = scratch_file(&scratch, "baseline", bytes, size);
    free(bytes);
    hd_report_free(r);
    hd_budgets_free(b);
    close_all(snaps, SNAPSHOTS);
    for (int64_t step = 1; step <= 2; step++) {
        b = budgets_of("version: 1\nprocess: {native: 0B}\n");
        cr_assert(hd_budgets_read_baseline(b, path, &err), "%s", err.message);
        open_series(snaps, HD_FACT_RESIDENT, step * MIB);
        r = check(snaps, b);
        cr_expect_eq(r->check.rules[0].status, step == 1 ? HD_FOUND_PASS : HD_FOUND_FAIL);
        cr_expect_float_eq(r->check.rules[0].observed_value, (double)(step - 1) * 5 * MIB,
                           0.5);
        hd_report_free(r);
        hd_budgets_free(b);
        close_all(snaps, SNAPSHOTS);
    }
}

/* An option replaces the number of the file. */
Test(check_process, the_option_limits_resident_and_swapped_memory)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    const char yaml[] = "version: 1\nprocess: {size: 1MiB, threads: 3}\n";
    struct hd_budgets *b = hd_budgets_new();
    cr_assert(hd_budgets_add_option(b, "max-process-growth", "50MiB", &err));
    cr_assert(hd_budgets_read(
        b, scratch_file(&scratch, "heapdrift.yml", yaml, strlen(yaml)), &err));
    open_series(snaps, HD_FACT_SWAPPED, MIB);
    struct hd_report *r = check(snaps, b);
    cr_assert_eq(r->check.rule_count, 3);
    cr_expect_eq(r->check.rules[0].limit.amount, (uint64_t)50 * MIB);
    cr_expect_float_eq(r->check.rules[0].observed_value, 5.0 * MIB, 0.5);
    cr_expect_eq(r->check.rules[0].status, HD_FOUND_PASS);
    cr_expect_str_eq(r->check.rules[1].pattern, "threads");
    hd_report_free(r);
    hd_budgets_free(b);
    close_all(snaps, SNAPSHOTS);
}
