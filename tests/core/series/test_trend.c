/* The worked numbers of docs/ranking.md, to the digit. */
#include "series/trend.h"

#include <criterion/criterion.h>
#include <math.h>

static const double steps[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

static struct trend over(const double *y, size_t n)
{
    return (struct trend){.n = n, .x = steps, .y = y};
}

static bool is_near(double got, double wanted)
{
    return fabs(got - wanted) <= 1e-9 * fmax(1, fabs(wanted));
}

/* --- the table --------------------------------------------------------------- */

struct example {
    const char *meaning;
    double y[5];
    size_t n;
    bool by_size; /* the longer second half of types that grow in size */
    double tau_times_pairs;
    double sustained, score; /* over the whole axis */
};

static const struct example examples[] = {
    {"leak", {10, 20, 30}, 3, false, 3, 20, 20},
    {"warm-up that ended", {200, 1500, 1600, 1600, 1600}, 5, false, 7, 0, 0},
    {"growth with one dip", {10, 30, 20, 40}, 4, false, 4, 22.5, 10},
    {"dip at the start", {5, 4, 6, 7}, 4, false, 4, 2.5, 2.5 * 16 / 36},
    {"a step, then flat", {1, 2, 2}, 3, false, 2, 0, 0},
    {"doubling buffer",
     {819224, 1638424, 3276824, 3276824},
     4,
     true,
     5,
     2457600,
     2457600.0 * 25 / 36},
    {"comes in the last of 3", {0, 0, 900}, 3, false, 2, 900, 400},
};

Test(trend, tau_sustained_rate_and_score_are_those_of_the_examples)
{
    for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++) {
        const struct example *e = &examples[i];
        struct trend t = over(e->y, e->n);
        double pairs = (double)(e->n * (e->n - 1)) / 2, length = (double)(e->n - 1);
        size_t half = e->by_size ? trend_half_of_sizes(e->n) : trend_half(e->n);
        double tau = trend_tau(&t), sustained = trend_sustained(&t, half) * length;
        cr_expect(is_near(tau, e->tau_times_pairs / pairs), "%s: tau %f", e->meaning, tau);
        cr_expect(is_near(sustained, e->sustained), "%s: %f", e->meaning, sustained);
        cr_expect(is_near(sustained * tau * tau, e->score), "%s: score %f", e->meaning,
                  sustained * tau * tau);
        cr_expect(trend_grows(&t), "%s does not grow", e->meaning);
    }
}

Test(trend, a_rise_in_the_last_of_four_is_not_growth)
{
    struct trend t = over((const double[]){0, 0, 0, 900}, 4);
    cr_expect(is_near(trend_tau(&t), 0.5));
    cr_expect_not(trend_grows(&t));
}

Test(trend, a_doubling_buffer_needs_the_longer_half)
{
    struct trend t = over((const double[]){819224, 1638424, 3276824, 3276824}, 4);
    cr_expect_eq(trend_sustained(&t, trend_half(4)), 0);
    cr_expect(is_near(trend_sustained(&t, trend_half_of_sizes(4)), 819200));
}

Test(trend, second_halves_have_the_documented_lengths)
{
    static const size_t counts[] = {2, 2, 2, 3, 3, 4, 4}, sizes[] = {2, 2, 3, 3, 4, 4, 5};
    for (size_t n = 2; n <= 8; n++) {
        cr_expect_eq(trend_half(n), counts[n - 2], "of %zu counts: %zu", n, trend_half(n));
        cr_expect_eq(trend_half_of_sizes(n), sizes[n - 2], "of %zu sizes: %zu", n,
                     trend_half_of_sizes(n));
    }
}

/* --- what grows ---------------------------------------------------------------- */

static bool grows(const double *y, size_t n)
{
    struct trend t = over(y, n);
    return trend_grows(&t);
}

Test(trend, three_may_have_one_tie_but_no_step_down)
{
    cr_expect(grows((const double[]){1, 1, 2}, 3));
    cr_expect(grows((const double[]){1, 2, 2}, 3));
    cr_expect_not(grows((const double[]){1, 3, 2}, 3));
    cr_expect_not(grows((const double[]){2, 1, 3}, 3));
}

Test(trend, one_pair_of_four_may_fall)
{
    cr_expect(grows((const double[]){1, 3, 2, 4}, 4));
    cr_expect_not(grows((const double[]){1, 3, 4, 2}, 4)); /* two fall */
}

/* 8 up, 2 down: tau is exactly 0.6, which rounding must not change. */
Test(trend, two_pairs_of_five_may_fall)
{
    cr_expect(grows((const double[]){2, 1, 4, 3, 5}, 5));
    cr_expect(grows((const double[]){1, 2, 5, 3, 4}, 5));
    cr_expect_not(grows((const double[]){2, 1, 5, 3, 4}, 5)); /* three fall */
}

Test(trend, the_last_must_be_above_the_first)
{
    cr_expect_not(grows((const double[]){1, 1}, 2));
    cr_expect_not(grows((const double[]){2, 1}, 2));
    cr_expect(grows((const double[]){1, 2}, 2));
    cr_expect_not(grows((const double[]){1}, 1));
    cr_expect_not(grows((const double[]){0}, 0));
    /* 28 of 45: only the ends contradict growth. */
    cr_expect_not(grows((const double[]){9, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10));
    cr_expect(grows((const double[]){9, 1, 2, 3, 4, 5, 6, 7, 8, 10}, 10));
}

Test(trend, falling_is_growing_the_other_way)
{
    struct trend t = over((const double[]){5, 3, 4, 1, 2}, 5); /* 2 up, 8 down */
    cr_expect(is_near(trend_tau(&t), -0.6));
    cr_expect(trend_falls(&t));
    t = over((const double[]){4, 3, 5, 1, 2}, 5); /* 3 up, 7 down */
    cr_expect_not(trend_falls(&t));
    t = over((const double[]){1}, 1);
    cr_expect_not(trend_falls(&t));
}

/* --- noise ----------------------------------------------------------------------- */

Test(trend, a_difference_within_the_larger_noise_band_is_a_tie)
{
    const double y[] = {100, 110, 130}, noise[] = {10, 5, 20};
    struct trend t = {.n = 3, .x = steps, .y = y, .noise = noise};
    /* 10 is not above 10, 20 is not above 20, 30 is above 20. */
    cr_expect_eq(trend_rises(&t), 1);
    const double falling[] = {130, 110, 100};
    t.y = falling;
    cr_expect_eq(trend_rises(&t), -2); /* by 20 > 10, 10 < 20, 30 > 20 */
    t.noise = NULL;
    cr_expect_eq(trend_rises(&t), -3);
}

Test(trend, ties_do_not_inflate_tau)
{
    struct trend t = over((const double[]){1, 1, 1, 2}, 4);
    cr_expect(is_near(trend_tau(&t), 0.5));
}

/* --- slopes ---------------------------------------------------------------------- */

Test(trend, slope_is_the_median_over_all_pairs)
{
    struct trend t = over((const double[]){10, 30, 20, 40}, 4);
    /* 20, 5, 10, -10, 5, 20: the middle two are 5 and 10. */
    cr_expect(is_near(trend_slope(&t, 0, 4), 7.5));
    cr_expect(is_near(trend_slope(&t, 0, 3), 5));
    cr_expect(is_near(trend_slope(&t, 2, 2), 20));
}

Test(trend, slope_is_per_unit_of_the_axis)
{
    const double x[] = {0, 10, 40}, y[] = {0, 20, 80};
    struct trend t = {.n = 3, .x = x, .y = y};
    cr_expect(is_near(trend_slope(&t, 0, 3), 2));
}

Test(trend, one_spike_does_not_move_the_slope)
{
    struct trend t = over((const double[]){1, 2, 900, 4, 5, 6, 7}, 7);
    cr_expect(is_near(trend_slope(&t, 0, 7), 1));
}

Test(trend, fifty_points_are_room_enough)
{
    double x[TREND_MAX_POINTS], y[TREND_MAX_POINTS];
    for (size_t i = 0; i < TREND_MAX_POINTS; i++) {
        x[i] = (double)i;
        y[i] = 3 * (double)i;
    }
    struct trend t = {.n = TREND_MAX_POINTS, .x = x, .y = y};
    cr_expect_eq(trend_rises(&t), TREND_MAX_POINTS * (TREND_MAX_POINTS - 1) / 2);
    cr_expect(is_near(trend_slope(&t, 0, t.n), 3));
}

/* --- sustained and slowing ------------------------------------------------------- */

Test(trend, growth_that_fell_back_is_not_sustained)
{
    struct trend t = over((const double[]){1, 5, 9, 8}, 4);
    cr_expect_eq(trend_sustained(&t, trend_half(4)), 0);
}

Test(trend, slowing_compares_the_halves)
{
    struct trend t = over((const double[]){0, 100, 150, 175}, 4);
    cr_expect(is_near(trend_slowing(&t, 2), 0.25));
    t = over((const double[]){0, 100, 200, 500}, 4);
    cr_expect_eq(trend_slowing(&t, 2), 1, "growth that speeds up is no more than growth");
    t = over((const double[]){0, 100, 200, 150}, 4);
    cr_expect_eq(trend_slowing(&t, 2), 0);
}

Test(trend, slowing_is_unknown_for_three_points_or_a_flat_start)
{
    struct trend t = over((const double[]){0, 100, 110}, 3);
    cr_expect_eq(trend_slowing(&t, 2), 1);
    t = over((const double[]){100, 100, 150, 160}, 4);
    cr_expect_eq(trend_slowing(&t, 2), 1);
    t = over((const double[]){100, 50, 150, 160}, 4);
    cr_expect_eq(trend_slowing(&t, 2), 1);
}
