/* A baseline applied to runs that differ from its own in time axis, length, leak per
 * iteration and rule, in all combinations. The oracle has the size of the leak, and this
 * definition:
 *
 *     A baseline accepts a rate: per iteration if both runs count iterations, else per step
 *     or per hour. If these two disagree, a rule passes or fails only if it does so by
 * both; if only one of the runs counts iterations, the result is unknown. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"
#include "support/forge.h"
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

TestSuite(baseline_scale, .init = open_scratch, .fini = remove_scratch);

/* --- runs ------------------------------------------------------------------------- */

enum kind { ITERATIONS, TIMES, BARE, KINDS };
static const char *const kinds[KINDS] = {"iterations", "times", "bare steps"};

/* A minute for each iteration. */
enum { MAX_SNAPSHOTS = 10, SECONDS_EACH = 60, LEAK = 10, ORDER_BYTES = 100 };

struct run {
    const char *name;
    uint64_t steps, each; /* iterations in a step */
};

static const struct run accepted_run = {"accepted", 6, 10};
static const struct run runs[] = {
    {"the same", 6, 10},    {"six iterations in as many steps", 6, 1},
    {"fewer steps", 4, 10}, {"longer steps", 6, 20},
    {"more steps", 9, 10},  {"longer by a sixth in as many steps", 6, 12}};

static const struct {
    const char *name, *yaml;
    enum hd_per per;
} rules[] = {
    {"suspects", "{suspects: any}", HD_PER_TOTAL},
    {"suspects, any score", "{suspects: any, max_score: 0}", HD_PER_TOTAL},
    {"total", "{total: objects, max_growth: 0}", HD_PER_TOTAL},
    {"total per step", "{total: bytes, max_growth: 0, per: step}", HD_PER_STEP},
    {"type", "{type: App.Order, max_growth: 0}", HD_PER_TOTAL},
    {"type per step", "{type: App.Order, max_growth_bytes: 0, per: step}", HD_PER_STEP},
    {"holder", "{holder: '*s_orders]*', max_growth: 0}", HD_PER_TOTAL},
};

static struct hd_snapshot *heap(uint64_t orders)
{
    struct forge f = {0};
    node_id all = forge_object(&f, "App.Order[]", 24000);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_orders", all);
    node_id first = forge_objects(&f, "App.Order", ORDER_BYTES, (uint32_t)orders);
    for (uint32_t i = 0; i < orders; i++)
        forge_reference(&f, all, first + i);
    return forge_finish(&f);
}

static struct hd_report *check(const struct run *run, enum kind kind, uint64_t leak,
                               const struct hd_budgets *b)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    uint64_t iterations[MAX_SNAPSHOTS];
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    for (uint64_t k = 0; k <= run->steps; k++) {
        iterations[k] = k * run->each;
        snaps[k] = heap(500 + leak * iterations[k]);
        if (kind == TIMES) {
            snaps[k]->clock = 1e9 + (double)(iterations[k] * SECONDS_EACH);
            snaps[k]->clock_is_date = true;
        }
    }
    opt.iterations = kind == ITERATIONS ? iterations : NULL;
    struct hd_report *r = ask_check(snaps, run->steps + 1, &opt, b, &err);
    cr_assert_not_null(r, "%s", err.message);
    for (uint64_t k = 0; k <= run->steps; k++)
        hd_snapshot_close(snaps[k]);
    return r;
}

static struct hd_budgets *budgets_of(const char *rule)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    struct text yaml = {0};
    text_add_string(&yaml, "version: 1\nbudgets:\n - ");
    text_add_string(&yaml, rule);
    text_add_char(&yaml, '\n');
    cr_assert(hd_budgets_read(
                  b, scratch_file(&scratch, "heapdrift.yml", yaml.data, yaml.len), &err),
              "%s", err.message);
    text_free(&yaml);
    return b;
}

static const char *accepted_growth(const char *rule, enum kind kind)
{
    struct hd_budgets *b = budgets_of(rule);
    hd_budgets_accept(b);
    struct hd_report *r = check(&accepted_run, kind, LEAK, b);
    struct hd_memory file = {0};
    cr_expect_eq(hd_report_verdict(r), HD_PASS, "%s, %s: what is accepted is no growth",
                 rule, kinds[kind]);
    cr_assert(hd_report_write_baseline(r, hd_sink_memory(&file), NULL));
    const char *path = scratch_file(&scratch, "accepted", file.bytes, file.size);
    hd_memory_free(&file);
    hd_report_free(r);
    hd_budgets_free(b);
    return path;
}

/* --- what has to come of it --------------------------------------------------------- */

static uint64_t iterations_of(const struct run *run)
{
    return run->steps * run->each;
}

/* Growth that is not a suspect need not be accepted. */
static bool is_found(size_t rule, const struct run *run, uint64_t leak)
{
    enum { MIN_LEAKED = 10 };
    return rule > 0 || leak * iterations_of(run) >= MIN_LEAKED;
}

static enum hd_verdict verdict_of(const struct run *run, enum kind then, enum kind now,
                                  uint64_t leak)
{
    double grown = (double)(leak * iterations_of(run));
    double whole = (double)(LEAK * iterations_of(&accepted_run));
    double by_length =
        whole * (double)iterations_of(run) / (double)iterations_of(&accepted_run);
    double by_steps = whole * (double)run->steps / (double)accepted_run.steps;
    if ((then == ITERATIONS) != (now == ITERATIONS))
        return HD_INCONCLUSIVE;
    if (then == ITERATIONS)
        return grown > by_length ? HD_FAIL : HD_PASS;
    /* A fifth more time per step counts as the same pace. */
    bool timed = then == TIMES && now == TIMES && run->each != 12;
    double least = timed ? fmin(by_steps, by_length) : by_steps;
    double most = timed ? fmax(by_steps, by_length) : by_steps;
    return grown > most ? HD_FAIL : grown > least ? HD_INCONCLUSIVE : HD_PASS;
}

static void expect_verdict(size_t rule, enum kind then, enum kind now, size_t run,
                           uint64_t leak, const char *baseline)
{
    struct hd_budgets *b = budgets_of(rules[rule].yaml);
    struct hd_error err = {0};
    cr_assert(hd_budgets_read_baseline(b, baseline, &err), "%s", err.message);
    struct hd_report *r = check(&runs[run], now, leak, b);
    enum hd_verdict wanted = HD_PASS;
    if (is_found(rule, &runs[run], leak))
        wanted = verdict_of(&runs[run], then, now, leak);
    const struct hd_finding *f = &r->check.rules[0];
    cr_expect_eq(hd_report_verdict(r), wanted,
                 "%s, accepted by %s, now %s, %s, leaks %llu: %s, not %s (%s: %s)",
                 rules[rule].name, kinds[then], kinds[now], runs[run].name,
                 (unsigned long long)leak, verdict_names[hd_report_verdict(r)],
                 verdict_names[wanted], text_of_observed(f), text_of_reason(f));
    if (wanted == HD_INCONCLUSIVE)
        cr_expect_eq(f->reason.code, HD_REASON_SCALE_UNKNOWN);
    hd_report_free(r);
    hd_budgets_free(b);
}

Test(baseline_scale, a_baseline_accepts_a_rate)
{
    static const uint64_t leaks[] = {LEAK / 10, LEAK, 10 * LEAK};
    enum {
        RULES = sizeof(rules) / sizeof(*rules),
        RUNS = sizeof(runs) / sizeof(*runs),
        LEAKS = sizeof(leaks) / sizeof(*leaks)
    };
    for (size_t rule = 0; rule < RULES; rule++)
        for (int then = 0; then < KINDS; then++) {
            const char *baseline = accepted_growth(rules[rule].yaml, (enum kind)then);
            for (size_t i = 0; i < (size_t)KINDS * RUNS * LEAKS; i++)
                expect_verdict(rule, (enum kind)then, (enum kind)(i % KINDS),
                               i / KINDS % RUNS, leaks[i / KINDS / RUNS], baseline);
        }
}

/* A type that grew in neither run has no rate; one that does not grow now needs none. */
Test(baseline_scale, the_length_of_the_run_does_not_matter_for_types_that_are_not_accepted)
{
    const char *nothing = scratch_file(&scratch, "nothing",
                                       "heapdrift-baseline\t1\nsnapshots\t7\n"
                                       "type\t9\t9\t9\t9\t9\tApp.Other\n",
                                       strlen("heapdrift-baseline\t1\nsnapshots\t7\n"
                                              "type\t9\t9\t9\t9\t9\tApp.Other\n"));
    for (size_t rule = 0; rule < sizeof(rules) / sizeof(*rules); rule++)
        for (uint64_t leak = 0; leak <= LEAK; leak += LEAK) {
            struct hd_budgets *b = budgets_of(rules[rule].yaml);
            cr_assert(hd_budgets_read_baseline(b, nothing, NULL));
            struct hd_report *r = check(&runs[0], ITERATIONS, leak, b);
            cr_expect_eq(hd_report_verdict(r), leak > 0 ? HD_FAIL : HD_PASS, "%s, %llu",
                         rules[rule].name, (unsigned long long)leak);
            hd_report_free(r);
            hd_budgets_free(b);
        }
}
