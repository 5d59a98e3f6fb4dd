/* All inputs of a check, in all combinations, compared with its definition:
 *
 *     A rule passes only if the snapshots show that it is not over its limit.
 *
 * The oracle uses the input numbers and this sentence and must not depend on judge.c. The
 * library judges every cell, and the exit status must be that of `heapdrift check`. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"

#include "support/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <strings.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(check_table, .init = open_scratch, .fini = remove_scratch);

/* --- what a cell is ------------------------------------------------------------ */

enum title { TOTAL, TYPE, HOLDER, SUSPECTS, DEFAULT };

static const struct {
    const char *name;
    enum title title;
    enum hd_per per;
    double limit; /* in objects; for scores see limit_of() */
    const char *yaml;
} rules[] = {
    {"total", TOTAL, HD_PER_TOTAL, 150, "{total: objects, max_growth: 150}"},
    {"total per step", TOTAL, HD_PER_STEP, 50,
     "{total: objects, max_growth: 50, per: step}"},
    {"total per iteration", TOTAL, HD_PER_ITERATION, 5,
     "{total: objects, max_growth: 5, per: iteration}"},
    {"type", TYPE, HD_PER_TOTAL, 150, "{type: App.Order, max_growth: 150}"},
    {"type per step", TYPE, HD_PER_STEP, 50,
     "{type: App.Order, max_growth: 50, per: step}"},
    {"type per iteration", TYPE, HD_PER_ITERATION, 5,
     "{type: App.Order, max_growth: 5, per: iteration}"},
    {"holder", HOLDER, HD_PER_TOTAL, 150, "{holder: '*App.Order[]', max_growth: 150}"},
    {"holder per step", HOLDER, HD_PER_STEP, 50,
     "{holder: '*App.Order[]', max_growth: 50, per: step}"},
    {"holder per iteration", HOLDER, HD_PER_ITERATION, 5,
     "{holder: '*App.Order[]', max_growth: 5, per: iteration}"},
    /* The same in bytes, 100 for each order. */
    {"total bytes", TOTAL, HD_PER_TOTAL, 150, "{total: bytes, max_growth: 15000}"},
    {"reachable bytes", TOTAL, HD_PER_TOTAL, 150,
     "{total: reachable_bytes, max_growth: 15000}"},
    {"reachable bytes per step", TOTAL, HD_PER_STEP, 50,
     "{total: reachable_bytes, max_growth: 5000, per: step}"},
    {"type, bytes", TYPE, HD_PER_TOTAL, 150, "{type: App.Order, max_growth_bytes: 15000}"},
    {"holder, bytes per step", HOLDER, HD_PER_STEP, 50,
     "{holder: '*App.Order[]', max_growth_bytes: 5000, per: step}"},
    {"suspects", SUSPECTS, HD_PER_TOTAL, 0, "{suspects: any, max_score: 14kB}"},
    {"default", DEFAULT, HD_PER_TOTAL, 0, NULL},
};

enum mercy {
    NO_MERCY,
    SUPPRESSED,           /* the type, or the holder */
    SUPPRESSED_BY_HOLDER, /* of types and suspects too */
    SUPPRESSED_ELSEWHERE, /* a type that does not grow */
    BASELINE,             /* made from the same series without the fault */
    BOTH,
    MERCIES
};

static const char *const mercies[MERCIES] = {
    "nothing excused",      "suppressed", "suppressed by holder",
    "suppressed elsewhere", "baseline",   "suppressed and baseline"};

enum state {
    COMPLETE,
    FIRST_CUT,
    MIDDLE_CUT,
    LAST_CUT,
    SAMPLED, /* an object represents ten */
    RESTARTED,
    OTHER_PROGRAM, /* the first snapshot */
    OUT_OF_ORDER,
    TOO_FEW, /* three */
    LONE,    /* all except one are incomplete */
    STATES
};

static const char *const states[STATES] = {
    "complete",  "first incomplete", "middle incomplete", "last incomplete", "sampled",
    "restarted", "other program",    "out of order",      "too few",         "only one"};

static const uint32_t steps[] = {0, 20, 400}; /* orders added; the last is over */
enum { GROWTHS = 3, MAX_SNAPSHOTS = 6, FIRST_ORDERS = 100, STANDS_FOR = 10 };

struct cell {
    size_t rule;
    enum mercy mercy;
    enum state state;
    uint32_t step;
};

/* --- the series ---------------------------------------------------------------- */

static size_t snapshots_in(enum state state)
{
    return state == TOO_FEW ? 3 : MAX_SNAPSHOTS;
}

static bool is_cut(enum state state, size_t k)
{
    return (state == FIRST_CUT && k == 0) || (state == MIDDLE_CUT && k == 2) ||
           (state == LAST_CUT && k == MAX_SNAPSHOTS - 1) || (state == LONE && k != 3);
}

/* A constant megabyte, and an array with capacity for all orders. The other program has the
 * same number of objects of other types. */
static struct hd_snapshot *heap_of(uint32_t orders, bool other, bool sampled)
{
    struct forge f = {.sampled = sampled};
    uint32_t seen = sampled ? orders / STANDS_FOR : orders;
    const char *order = other ? "Other.Thing" : "App.Order";
    node_id blob = forge_object(&f, other ? "Other.Blob" : "App.Blob", 1000000);
    node_id shop = forge_object(&f, other ? "Other.Host" : "App.Shop", 24);
    node_id array = forge_object(&f, other ? "Other.Thing[]" : "App.Order[]", 24000);
    node_id first = forge_objects(&f, order, 100, seen);
    forge_root(&f, HD_ROOT_STATIC, other ? "Other.Host.s_blob" : "App.Shop.s_blob", blob);
    forge_root(&f, HD_ROOT_STATIC, other ? "Other.Host.s_all" : "App.Shop.s_orders", shop);
    forge_reference(&f, shop, array);
    for (uint32_t i = 0; i < seen; i++)
        forge_reference(&f, array, first + i);
    if (sampled)
        forge_multiplier(&f, order, STANDS_FOR);
    return forge_finish(&f);
}

static void open_series(struct hd_snapshot **s, enum state state, uint32_t step)
{
    for (size_t k = 0; k < snapshots_in(state); k++) {
        s[k] = heap_of(FIRST_ORDERS + step * (uint32_t)k, state == OTHER_PROGRAM && k == 0,
                       state == SAMPLED);
        s[k]->info.complete = !is_cut(state, k);
        s[k]->info.pid = state == RESTARTED && k >= 3 ? 8 : 7;
        s[k]->clock = state == OUT_OF_ORDER ? 1000.0 - (double)k : 1000.0 + (double)k;
        s[k]->clock_is_date = true;
    }
}

/* --- the oracle ---------------------------------------------------------------- */

/* Bounds of the growth shown by the snapshots. */
struct shown {
    double low, high;
};

/* Objects of the rule's subject in snapshot k. */
static double objects(const struct cell *c, size_t k)
{
    bool there = rules[c->rule].title == TOTAL || c->state != OTHER_PROGRAM || k > 0;
    return there ? FIRST_ORDERS + (double)c->step * (double)k : 0;
}

/* "An estimate is off by up to two standard deviations": 2 m sqrt(n / m). */
static double error(const struct cell *c, size_t k)
{
    return c->state == SAMPLED ? 2 * STANDS_FOR * sqrt(objects(c, k) / STANDS_FOR) : 0;
}

/* Only complete snapshots count. */
static size_t usable(const struct cell *c, size_t *index)
{
    size_t n = 0;
    for (size_t k = 0; k < snapshots_in(c->state); k++)
        if (!is_cut(c->state, k))
            index[n++] = k;
    return n;
}

static struct shown growth_between(const struct cell *c, size_t first, size_t last,
                                   double parts)
{
    double grown = objects(c, last) - objects(c, first);
    double off = error(c, first) + error(c, last);
    return (struct shown){(grown - off) / parts, (grown + off) / parts};
}

/* Corollary: a step across a missing snapshot shows that one of its steps grew by the mean;
 * the rule fails if any step is shown to be over the limit. */
static struct shown worst_step(const struct cell *c, const size_t *index, size_t n)
{
    struct shown worst = {-INFINITY, -INFINITY};
    for (size_t i = 1; i < n; i++) {
        double spanned = (double)(index[i] - index[i - 1]);
        struct shown s = growth_between(c, index[i - 1], index[i], spanned);
        worst.low = fmax(worst.low, s.low);
        worst.high = fmax(worst.high, s.high);
    }
    return worst;
}

static bool is_score(const struct cell *c)
{
    return rules[c->rule].title >= SUSPECTS;
}

/* Corollary: neither growth nor error of a suppressed subject counts; totals cover the
 * whole heap and are never suppressed. */
static bool is_suppressed(const struct cell *c)
{
    if (rules[c->rule].title == TOTAL)
        return false;
    return c->mercy == SUPPRESSED || c->mercy == SUPPRESSED_BY_HOLDER || c->mercy == BOTH;
}

/* Corollary: growth accepted by the baseline does not count, as far as it is shown; it does
 * not reduce uncertainty. */
static double accepted(const struct cell *c, const size_t *index, size_t n)
{
    if (c->mercy != BASELINE && c->mercy != BOTH)
        return 0;
    double whole = (double)c->step * (double)(index[n - 1] - index[0]);
    switch (rules[c->rule].per) {
    case HD_PER_TOTAL:
        return whole;
    case HD_PER_STEP:
        return (double)c->step;
    case HD_PER_ITERATION:
        break;
    }
    return (double)c->step / 10;
}

static struct shown growth_of(const struct cell *c, const size_t *index, size_t n)
{
    double iterations = 10 * (double)(index[n - 1] - index[0]);
    if (is_suppressed(c))
        return (struct shown){0, 0};
    if (rules[c->rule].per == HD_PER_STEP)
        return worst_step(c, index, n);
    /* Objects allocated at the start of the program are a burst; a score measures
     * continuing growth. */
    size_t first = is_score(c) && c->state == OTHER_PROGRAM ? 1 : 0;
    return growth_between(c, index[first], index[n - 1],
                          rules[c->rule].per == HD_PER_ITERATION ? iterations : 1);
}

/* Corollary: the threshold is lower for even growth in every step, but not for growth that
 * begins in the second snapshot, or for samples. */
static double default_share(const struct cell *c)
{
    return c->state == OTHER_PROGRAM || c->state == SAMPLED ? 0.02 : 0.001;
}

static double limit_of(const struct cell *c, size_t last)
{
    enum { ORDER_BYTES = 100 };
    double heap = 1000000 + 24 + 24000 + ORDER_BYTES * objects(c, last);
    if (rules[c->rule].title == SUSPECTS)
        return 14000.0 / ORDER_BYTES;
    return rules[c->rule].title == DEFAULT ? default_share(c) * heap / ORDER_BYTES
                                           : rules[c->rule].limit;
}

/* Corollary: the numbers must be of one run of a program, from the first snapshot to the
 * last, and of each step if steps count. */
static bool says_nothing_of_the_rest(const struct cell *c)
{
    switch (c->state) {
    case FIRST_CUT:
    case LAST_CUT:
    case RESTARTED:
    case OTHER_PROGRAM:
    case OUT_OF_ORDER:
        return true;
    case MIDDLE_CUT:
        return rules[c->rule].per == HD_PER_STEP;
    default:
        return false;
    }
}

static enum hd_verdict verdict_of(const struct cell *c)
{
    size_t index[MAX_SNAPSHOTS], n = usable(c, index);
    if (n < 2)
        return HD_INCONCLUSIVE; /* one snapshot shows no growth */
    if (rules[c->rule].title == DEFAULT && n < 4)
        return HD_INCONCLUSIVE; /* nor do three show a leak */
    struct shown s = growth_of(c, index, n);
    double limit = limit_of(c, index[n - 1]);
    if (s.low - accepted(c, index, n) > limit)
        return HD_FAIL; /* shown to be over it */
    if (s.high - accepted(c, index, n) > limit || says_nothing_of_the_rest(c))
        return HD_INCONCLUSIVE; /* not shown to be within the limit */
    return HD_PASS;
}

/* --strict rejects a pass that rests on incomplete snapshots. */
static int status_of(const struct cell *c, bool strict)
{
    enum hd_verdict verdict = verdict_of(c);
    bool whole = c->state != SAMPLED;
    for (size_t k = 0; k < snapshots_in(c->state); k++)
        whole = whole && !is_cut(c->state, k);
    if (verdict == HD_FAIL)
        return 1;
    return strict && (verdict == HD_INCONCLUSIVE || !whole) ? 3 : 0;
}

/* --- the program's answer -------------------------------------------------------- */

static const uint64_t rounds[MAX_SNAPSHOTS] = {0, 10, 20, 30, 40, 50};

static void add_budgets(struct text *t, const struct cell *c)
{
    if (rules[c->rule].yaml == NULL)
        return;
    text_add_string(t, "budgets:\n - ");
    text_add_string(t, rules[c->rule].yaml);
    text_add_char(t, '\n');
}

static void add_suppressions(struct text *t, const struct cell *c)
{
    static const char by_holder[] = "suppress:\n - {holder: '*s_orders]*', reason: r}\n";
    bool holder = rules[c->rule].title == HOLDER;
    if (c->mercy == SUPPRESSED_BY_HOLDER ||
        (holder && (c->mercy == SUPPRESSED || c->mercy == BOTH)))
        text_add_string(t, by_holder);
    else if (c->mercy == SUPPRESSED || c->mercy == BOTH)
        text_add_string(t, "suppress:\n - {type: App.Order, reason: r}\n");
    else if (c->mercy == SUPPRESSED_ELSEWHERE)
        text_add_string(t, "suppress:\n - {type: App.Blob, reason: r}\n"
                           " - {holder: '*s_blob]*', reason: r}\n");
}

static struct hd_budgets *budgets_of(const struct text *yaml)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_assert(hd_budgets_read(
                  b, scratch_file(&scratch, "heapdrift.yml", yaml->data, yaml->len), &err),
              "%s", err.message);
    return b;
}

static struct hd_report *check(struct hd_snapshot *const *snaps, size_t count,
                               const struct hd_budgets *b)
{
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    opt.iterations = rounds;
    struct hd_report *r = ask_check(snaps, count, &opt, b, &err);
    cr_assert_not_null(r, "%s", err.message);
    return r;
}

/* Writes the growth of the complete series as a baseline; returns the path. */
static const char *write_baseline(uint32_t step, const char *name)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct text yaml = {0};
    char *bytes = NULL;
    size_t size = 0;
    text_add_string(&yaml, "version: 1\nbudgets:\n - {holder: '*App.Order[]', "
                           "max_growth: 0}\n");
    struct hd_budgets *b = budgets_of(&yaml);
    hd_budgets_accept(b);
    open_series(snaps, COMPLETE, step);
    struct hd_report *r = check(snaps, MAX_SNAPSHOTS, b);
    FILE *f = open_memstream(&bytes, &size);
    cr_assert(hd_report_write_baseline(r, hd_sink_file(f), NULL));
    fclose(f);
    const char *path = scratch_file(&scratch, name, bytes, size);
    close_all(snaps, MAX_SNAPSHOTS);
    hd_report_free(r);
    hd_budgets_free(b);
    text_free(&yaml);
    free(bytes);
    return path;
}

static void expect_cell(const struct cell *c, struct hd_snapshot *const *snaps,
                        const char *baseline)
{
    struct text yaml = {0};
    struct hd_error err = {0};
    text_add_string(&yaml, "version: 1\n");
    add_budgets(&yaml, c);
    add_suppressions(&yaml, c);
    struct hd_budgets *b = budgets_of(&yaml);
    if (c->mercy == BASELINE || c->mercy == BOTH)
        cr_assert(hd_budgets_read_baseline(b, baseline, &err), "%s", err.message);
    struct hd_report *r = check(snaps, snapshots_in(c->state), b);
    const struct hd_finding *f = &r->check.rules[0];
    cr_expect_eq(hd_report_verdict(r), verdict_of(c),
                 "%s, %s, %s, +%u: %s, not %s (%s: %s, limit %s: %s)", rules[c->rule].name,
                 mercies[c->mercy], states[c->state], c->step,
                 verdict_names[hd_report_verdict(r)], verdict_names[verdict_of(c)],
                 rule_status_names[f->status], text_of_observed(f), text_of_limit(f),
                 text_of_reason(f));
    /* Scripts read the verdict there. */
    cr_expect_eq(strcasecmp(r->summary.verdict[0].label, verdict_names[verdict_of(c)]), 0,
                 "%s, %s, %s, +%u: %s", rules[c->rule].name, mercies[c->mercy],
                 states[c->state], c->step, r->diff.headline);
    for (int strict = 0; strict < 2; strict++)
        cr_expect_eq(hd_report_status(r, strict), status_of(c, strict),
                     "%s, %s, %s, +%u%s: status %d, not %d", rules[c->rule].name,
                     mercies[c->mercy], states[c->state], c->step, strict ? ", strict" : "",
                     hd_report_status(r, strict), status_of(c, strict));
    hd_report_free(r);
    hd_budgets_free(b);
    text_free(&yaml);
}

Test(check_table, passes_only_what_the_snapshots_show)
{
    enum { RULES = sizeof(rules) / sizeof(*rules) };
    static const char *const names[GROWTHS] = {"none", "some", "much"};
    const char *paths[GROWTHS];
    size_t verdicts[3] = {0};
    for (size_t g = 0; g < GROWTHS; g++)
        paths[g] = write_baseline(steps[g], names[g]);
    for (int state = 0; state < STATES; state++) {
        for (size_t g = 0; g < GROWTHS; g++) {
            struct hd_snapshot *snaps[MAX_SNAPSHOTS];
            open_series(snaps, (enum state)state, steps[g]);
            for (size_t i = 0; i < RULES * (size_t)MERCIES; i++) {
                struct cell c = {i / MERCIES, (enum mercy)(i % MERCIES), (enum state)state,
                                 steps[g]};
                expect_cell(&c, snaps, paths[g]);
                verdicts[verdict_of(&c)]++;
            }
            close_all(snaps, snapshots_in((enum state)state));
        }
    }
    /* Each verdict is frequent. */
    for (size_t i = 0; i < 3; i++)
        cr_expect_gt(verdicts[i], 200, "%s: %zu", verdict_names[i], verdicts[i]);
}
