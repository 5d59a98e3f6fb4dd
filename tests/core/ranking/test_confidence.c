#include "ranking/confidence.h"

#include "ages/dealt.h"
#include "series/trend.h"

#include <criterion/criterion.h>

static struct hd_power power(size_t snapshots, enum hd_identity_source source)
{
    return power_of(&(struct power_question){.snapshots = snapshots,
                                             .source = source,
                                             .by_graph = true,
                                             .line = &usual_line,
                                             .heap = 1e6});
}

/* --- the numbers, against leaks that are made ---------------------------------------- */

/* Adds leaked objects, of which `missed` percent are not recognized later: one dies and
 * another appears. */
static void add_leaked(struct dealt *d, size_t k, uint32_t count, uint32_t missed,
                       struct random *r)
{
    for (uint32_t i = 0; i < count; i++) {
        bool is_lost = random_below(r, 100) < missed;
        dealt_add(d, k, is_lost ? k + 1 : DEALT_FOR_EVER, 1);
        if (is_lost)
            dealt_add(d, k + 1, DEALT_FOR_EVER, 1);
    }
}

/* Share of random leaks, of this number of objects in all, that are shown as retained. */
static double share_shown(size_t n, double objects, uint32_t missed)
{
    enum { LEAKS = 400 };
    struct random r = random_from(100 * n + missed);
    size_t shown = 0;
    for (size_t i = 0; i < LEAKS; i++) {
        struct dealt d = dealt_of(n);
        for (size_t k = 1; k < n; k++)
            add_leaked(&d, k, dealt_poisson(&r, objects / (double)(n - 1)), missed, &r);
        shown += dealt_judge(&d).accumulates;
    }
    return (double)shown / LEAKS;
}

/* Four of five leaks must show, with tolerance for chance, and clearly fewer of half the
 * size. */
static void expect_power(enum hd_identity_source source, uint32_t missed)
{
    for (size_t n = 3; n <= 50; n += n < 12 ? 1 : 7) {
        double objects = (double)power(n, source).objects;
        double shown = share_shown(n, objects, missed);
        cr_expect_geq(shown, 0.78, "%zu snapshots, %g objects: %g", n, objects, shown);
        double fewer = share_shown(n, 0.5 * objects, missed);
        cr_expect_lt(fewer, 0.7, "%zu snapshots, half as many: %g", n, fewer);
    }
}

Test(power, four_of_five_random_leaks_show_by_events)
{
    expect_power(HD_SAME_BY_EVENTS, 0);
}

/* Order finds about 76 % of the youngest. */
Test(power, four_of_five_random_leaks_show_by_order)
{
    expect_power(HD_SAME_BY_ORDER, 24);
}

/* An even distribution of objects over steps. */
static uint32_t step(uint64_t objects, size_t steps, size_t i)
{
    return (uint32_t)(objects * (i + 1) / steps - objects * i / steps);
}

Test(power, even_steps_show_by_age)
{
    for (size_t n = 3; n <= 50; n++) {
        uint64_t even = power(n, HD_SAME_BY_EVENTS).even;
        struct dealt enough = dealt_of(n), less = dealt_of(n);
        for (size_t k = 1; k < n; k++) {
            dealt_add(&enough, k, DEALT_FOR_EVER, step(even, n - 1, k - 1));
            dealt_add(&less, k, DEALT_FOR_EVER, step(11, n - 1, k - 1));
        }
        cr_expect(dealt_judge(&enough).accumulates, "%zu snapshots, %u objects", n,
                  (unsigned)even);
        cr_expect_not(dealt_judge(&less).accumulates, "%zu snapshots, 11 objects", n);
    }
}

Test(power, even_steps_show_by_counts_alone)
{
    for (size_t n = 2; n <= 50; n++) {
        uint64_t even = power(n, HD_SAME_UNKNOWN).even;
        double x[50], y[50] = {0};
        if (n < 4) {
            cr_expect_eq(even, HD_UNKNOWN);
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)k;
            y[k] = k > 0 ? y[k - 1] + step(even, n - 1, k - 1) : 7;
        }
        cr_expect(trend_rises_evenly(&(struct trend){n, x, y, NULL}), "%zu", n);
    }
}

/* --- what there is to say --------------------------------------------------------------
 */

Test(power, has_the_lines_of_the_ranking)
{
    struct hd_power p = power(6, HD_SAME_BY_EVENTS);
    cr_expect(p.steps == 5 && p.large == 20000 && p.bytes == 1000);
    cr_expect(p.objects == 20 && p.even == 12);
    p = power(3, HD_SAME_BY_ORDER);
    cr_expect(p.steps == 2 && p.objects == 25 && p.even == 12);
    p = power(6, HD_SAME_UNKNOWN);
    cr_expect(p.objects == HD_UNKNOWN && p.even == 12 && p.bytes == 1000);
    p = power(2, HD_SAME_BY_EVENTS);
    cr_expect(p.steps == 1 && p.large == 20000);
    cr_expect(p.objects == HD_UNKNOWN && p.even == HD_UNKNOWN && p.bytes == HD_UNKNOWN);
    cr_expect_eq(power(1, HD_SAME_BY_EVENTS).steps, 0);
}

Test(power, tables_samples_and_a_line_that_is_off_show_by_size_only)
{
    const struct suspect_line off = {.share = 0.02},
                              bytes = {.bytes = 4096, .steady_bytes = 512};
    struct power_question q = {6, HD_SAME_UNKNOWN, false, false, &usual_line, 1e6};
    struct hd_power p = power_of(&q);
    cr_expect(p.large == 20000 && p.bytes == HD_UNKNOWN && p.even == HD_UNKNOWN);
    q = (struct power_question){6, HD_SAME_UNKNOWN, true, true, &usual_line, 1e6};
    cr_expect_eq(power_of(&q).even, HD_UNKNOWN);
    q = (struct power_question){6, HD_SAME_BY_EVENTS, true, false, &off, 1e6};
    cr_expect_eq(power_of(&q).objects, HD_UNKNOWN);
    q.line = &bytes;
    p = power_of(&q);
    cr_expect(p.large == 4096 && p.bytes == 512 && p.objects == 20);
}

/* The smallest number that reaches a threshold does; one less does not. */
Test(power, is_exact_at_the_lines)
{
    struct random r = random_from(28);
    for (int i = 0; i < 10000; i++) {
        double heap = 1000 + (double)random_below(&r, 1u << 31);
        uint64_t large = least_at_line(&usual_line, heap);
        uint64_t small = least_at_steady_line(&usual_line, heap);
        cr_assert(reaches_line(&usual_line, (double)large, heap), "%g", heap);
        cr_assert_not(reaches_line(&usual_line, (double)large - 1, heap), "%g", heap);
        cr_assert(reaches_steady_line(&usual_line, (double)small, heap), "%g", heap);
        cr_assert_not(reaches_steady_line(&usual_line, (double)small - 1, heap) &&
                          small > 1,
                      "%g", heap);
    }
}

/* Fewer snapshots or unknown survivors never give a higher confidence. */
Test(power, confidence_rises_with_detection_power)
{
    for (size_t n = 2; n <= 50; n++) {
        cr_expect_eq(power_is_high(n, HD_SAME_BY_EVENTS), n >= 4, "%zu", n);
        cr_expect_eq(power_is_high(n, HD_SAME_BY_ORDER), n >= 5, "%zu", n);
        cr_expect_eq(power_is_high(n, HD_SAME_UNKNOWN), n >= 5, "%zu", n);
    }
}

/* --- where the growth went ------------------------------------------------------------ */

Test(confidence, one_step_is_taken_whatever_the_number_of_reasons)
{
    enum { LOW = HD_CONFIDENCE_LOW, MEDIUM = HD_CONFIDENCE_MEDIUM };
    enum { HIGH = HD_CONFIDENCE_HIGH };
    static const struct {
        struct rest_growth open;
        double leveled_off;
        bool suspects, undecided;
        size_t snapshots;
        int before, after;
    } cases[] = {
        {{0}, 0, false, false, 6, HIGH, HIGH},
        {{0}, 0, false, false, 4, HIGH, MEDIUM}, /* by counts four may not show it */
        {{0}, 0, false, false, 3, MEDIUM, MEDIUM},
        {{.grew = true, .share = 0.1}, 0, false, false, 6, HIGH, MEDIUM},
        {{.grew = true, .share = 0.1}, 0.5, false, true, 4, HIGH, MEDIUM},
        {{.grew = true, .share = 0.1}, 0.5, true, true, 4, HIGH, HIGH},
        {{0}, 0.049, false, false, 6, HIGH, HIGH},
        {{0}, 0.05, false, false, 6, HIGH, MEDIUM},
        {{.leveled_off = true, .share = 0.05}, 0, false, false, 6, HIGH, MEDIUM},
        {{0}, 0, false, true, 6, HIGH, MEDIUM},
        {{.grew = true, .share = 0.1}, 0, false, false, 2, LOW, LOW},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct growth_question q = {.open = &cases[i].open,
                                    .leveled_off_share = cases[i].leveled_off,
                                    .has_suspects = cases[i].suspects,
                                    .is_repeated = true,
                                    .has_undecided = cases[i].undecided,
                                    .confidence = (enum hd_confidence)cases[i].before,
                                    .seconds = NAN,
                                    .uptime = NAN,
                                    .snapshots = cases[i].snapshots};
        cr_expect_eq(growth_verdict_of(&q).confidence, cases[i].after, "case %zu", i);
    }
}

Test(confidence, high_needs_time_that_shows_what_only_lives_long)
{
    static const struct {
        double seconds, uptime;
        enum hd_time_limit limit;
    } cases[] = {
        {NAN, NAN, HD_TIME_UNKNOWN}, {NAN, 1e6, HD_TIME_UNKNOWN}, {15, 1e6, HD_TIME_SHORT},
        {239, NAN, HD_TIME_SHORT},   {240, NAN, HD_TIME_ENOUGH},  {300, 599, HD_TIME_YOUNG},
        {300, 600, HD_TIME_ENOUGH},  {1200, 0, HD_TIME_ENOUGH},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct rest_growth open = {0};
        struct growth_question q = {.open = &open,
                                    .has_suspects = true,
                                    .is_repeated = true,
                                    .confidence = HD_CONFIDENCE_HIGH,
                                    .snapshots = 6,
                                    .seconds = cases[i].seconds,
                                    .uptime = cases[i].uptime};
        struct growth_verdict v = growth_verdict_of(&q);
        q.by_iterations = true;
        cr_expect_eq(growth_verdict_of(&q).time_limit, HD_TIME_ENOUGH, "case %zu", i);
        bool limited = v.time_limit > HD_TIME_UNKNOWN;
        cr_expect_eq(v.time_limit, cases[i].limit, "case %zu", i);
        cr_expect_eq(v.confidence, limited ? HD_CONFIDENCE_MEDIUM : HD_CONFIDENCE_HIGH);
        q.is_repeated = false;
        cr_expect_eq(growth_verdict_of(&q).confidence, HD_CONFIDENCE_MEDIUM, "case %zu", i);
    }
}

Test(confidence, with_suspects_growth_is_unexplained_if_the_rest_is_most_of_it)
{
    const struct rest_growth open = {.grew = true, .share = 0.1}, none = {0};
    struct growth_question q = {
        .open = &open, .has_suspects = true, .growth = 100, .rest = 50};
    cr_expect_not(growth_verdict_of(&q).is_unexplained);
    cr_expect(growth_verdict_of(&q).is_open);
    q.rest = 51;
    cr_expect(growth_verdict_of(&q).is_unexplained);
    q.growth = q.rest = 0; /* unknown in tables */
    cr_expect_not(growth_verdict_of(&q).is_unexplained);
    q.has_suspects = false;
    cr_expect(growth_verdict_of(&q).is_unexplained);
    q.open = &none;
    cr_expect_not(growth_verdict_of(&q).is_unexplained);
}

Test(confidence, leveled_off_growth_is_that_of_one_type_or_of_all_whichever_is_more)
{
    const struct rest_growth open = {.leveled_off = true, .share = 0.2};
    struct growth_question q = {.open = &open, .leveled_off_share = 0.1};
    struct growth_verdict v = growth_verdict_of(&q);
    cr_expect(v.has_leveled_off && !v.is_one_type && v.leveled_off_share == 0.2);
    q.leveled_off_share = 0.3;
    v = growth_verdict_of(&q);
    cr_expect(v.has_leveled_off && v.is_one_type && v.leveled_off_share == 0.3);
}
