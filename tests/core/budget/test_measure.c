/* Error bounds of sampled numbers, from rows made by hand. Snapshots are sampled
 * independently, so the squares of their errors add up. */
#include "budget/measure.h"

#include <criterion/criterion.h>
#include <math.h>

enum { SNAPSHOTS = 3 };

/* Two rows, of types or of holders. In the first snapshot 100 and 200 objects of 10 bytes,
 * 3 % and 2 % off: by 3 and 4, together by 5. In the last 400 and 1200, 10 % and 2.5 %: by
 * 40 and 30, together by 50. */
struct trial {
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_tally at[2][SNAPSHOTS], totals[SNAPSHOTS];
    double noise_share[2][SNAPSHOTS];
    struct series_row rows[2];
    struct series s;
    struct hd_diff diff;
    struct evidence e;
};

static void trial_make(struct trial *t)
{
    static const uint64_t counts[2][SNAPSHOTS] = {{100, 100, 400}, {200, 200, 1200}};
    static const double shares[2][SNAPSHOTS] = {{0.03, 0, 0.1}, {0.02, 0, 0.025}};
    static const char *const names[] = {"[static var A.a]", "[static var A.b]"};
    *t = (struct trial){
        .s = {.count = SNAPSHOTS, .row_count = 2, .usable_count = SNAPSHOTS}};
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < SNAPSHOTS; k++) {
            t->at[i][k] = (struct hd_tally){counts[i][k], 10 * counts[i][k]};
            t->totals[k].count += counts[i][k];
            t->totals[k].bytes += 10 * counts[i][k];
            t->noise_share[i][k] = shares[i][k];
            t->s.usable[k] = k;
        }
        t->rows[i] = (struct series_row){
            .name = names[i], .at = t->at[i], .noise_share = t->noise_share[i]};
    }
    t->s.rows = t->rows;
    t->s.totals = t->totals;
    t->e = (struct evidence){.diff = &t->diff, .types = &t->s, .holders = &t->s};
}

static void expect_noise(const struct values *v, double first, double last)
{
    cr_expect_float_eq(v->noise[0], first, 1e-9, "%g", v->noise[0]);
    cr_expect_float_eq(v->noise[1], 0, 1e-9, "%g", v->noise[1]);
    cr_expect_float_eq(v->noise[2], last, 1e-9, "%g", v->noise[2]);
}

Test(measure, a_total_of_samples_is_off_by_the_root_of_the_squares)
{
    struct trial t;
    trial_make(&t);
    struct values objects = values_of_total(&t.e, HD_TOTAL_OBJECTS);
    struct values bytes = values_of_total(&t.e, HD_TOTAL_BYTES);
    expect_noise(&objects, 5, 50);
    expect_noise(&bytes, 50, 500);
    cr_expect_eq(objects.y[2], 1600);
}

Test(measure, a_type_that_is_not_sampled_adds_no_error)
{
    struct trial t;
    trial_make(&t);
    t.rows[1].noise_share = NULL;
    struct values objects = values_of_total(&t.e, HD_TOTAL_OBJECTS);
    expect_noise(&objects, 3, 40);
}

Test(measure, objects_below_several_holders_have_the_error_of_a_total)
{
    struct trial t;
    trial_make(&t);
    struct held all = held_by(&t.e, "*static var*", HD_MEASURE_COUNT);
    struct held one = held_by(&t.e, "*A.a]", HD_MEASURE_COUNT);
    expect_noise(&all.values, 5, 50);
    expect_noise(&one.values, 3, 40);
    cr_expect_str_eq(all.most, "[static var A.b]");
}

Test(measure, growth_is_off_by_both_of_its_ends)
{
    struct trial t;
    trial_make(&t);
    struct values objects = values_of_total(&t.e, HD_TOTAL_OBJECTS);
    struct growth g = growth_of(&t.e, &objects, HD_PER_TOTAL);
    cr_expect_float_eq(g.value, 1300, 1e-9);
    cr_expect_float_eq(g.low, 1245, 1e-9, "%g", g.low);
    cr_expect_float_eq(g.high, 1355, 1e-9, "%g", g.high);
    /* The worst step: errors 5 and 0, then 0 and 50. */
    g = growth_of(&t.e, &objects, HD_PER_STEP);
    cr_expect_float_eq(g.low, 1250, 1e-9, "%g", g.low);
    cr_expect_float_eq(g.high, 1350, 1e-9, "%g", g.high);
}

/* The first of equally bad steps is reported: a leak is best investigated where it began.
 */
Test(measure, the_worst_step_is_reported_and_the_first_of_equal_ones)
{
    static const struct {
        double y[SNAPSHOTS];
        double value;
        size_t first;
    } cases[] = {{{0, 5, 10}, 5, 0}, {{0, 5, 11}, 6, 1}, {{0, 6, 11}, 6, 0},
                 {{5, 5, 5}, 0, 0},  {{9, 5, 1}, -4, 0}, {{9, 4, 1}, -3, 1}};
    struct trial t;
    trial_make(&t);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct values v = {.unknown = false};
        for (size_t k = 0; k < SNAPSHOTS; k++)
            v.y[k] = cases[i].y[k];
        struct growth g = growth_of(&t.e, &v, HD_PER_STEP);
        cr_expect_float_eq(g.value, cases[i].value, 1e-9, "case %zu: %g", i, g.value);
        cr_expect_eq(g.first, cases[i].first, "case %zu: %zu", i, g.first);
        cr_expect_eq(g.last, cases[i].first + 1, "case %zu: %zu", i, g.last);
    }
}

Test(measure, reachable_bytes_have_a_noise_of_their_own)
{
    static const double noise[SNAPSHOTS] = {7, 0, 9};
    struct trial t;
    trial_make(&t);
    t.diff.reachable = t.totals;
    struct values v = values_of_total(&t.e, HD_TOTAL_REACHABLE_BYTES);
    expect_noise(&v, 0, 0);
    t.e.reachable_noise = noise;
    v = values_of_total(&t.e, HD_TOTAL_REACHABLE_BYTES);
    expect_noise(&v, 7, 9);
}
