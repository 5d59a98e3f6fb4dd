/* Late leaks in series of 5 to 30 snapshots: retained and healthy shapes. */
#include "ages/dealt.h"

#include <criterion/criterion.h>

/* A store of a hundred in which each lives for three snapshots: healthy. */
static void add_churn(struct dealt *d, uint32_t per_step)
{
    dealt_add(d, 0, 1, per_step);
    dealt_add(d, 0, 2, per_step);
    dealt_add(d, 0, 3, per_step);
    for (size_t k = 1; k < d->n; k++)
        dealt_add(d, k, k + 3, per_step);
}

static void add_leak(struct dealt *d, size_t after, uint32_t per_step)
{
    for (size_t k = after + 1; k < d->n; k++)
        dealt_add(d, k, DEALT_FOR_EVER, per_step);
}

Test(retention_late, a_leak_is_judged_from_where_it_begins)
{
    for (size_t n = 5; n <= 30; n++)
        for (size_t after = n / 2; after + 4 <= n; after++) {
            struct dealt d = dealt_of(n);
            dealt_add(&d, 0, DEALT_FOR_EVER, 81);
            add_leak(&d, after, 10);
            struct retention s = dealt_judge(&d);
            cr_expect(s.accumulates, "%zu snapshots, after %zu", n, after);
            cr_expect(s.since == after || s.since == 0, "%zu, after %zu: since %zu", n,
                      after, s.since);
            cr_expect(after < 2 || s.since == after, "%zu, after %zu", n, after);
            cr_expect_eq(s.arrived, 10 * (n - 1 - after));
        }
}

/* The chance includes the choice among all possible starts. */
Test(retention_late, the_choice_of_the_start_is_paid_for)
{
    struct dealt d = dealt_of(20);
    add_leak(&d, 12, 4);
    struct retention s = dealt_judge(&d);
    cr_expect(s.accumulates && s.since == 12 && s.arrived == 28 && s.died == 0);
    double want = 16 * pow(2.0 / 3, 28);
    cr_expect_lt(fabs(s.chance - want), 1e-6 * want, "%g", s.chance);
    d = dealt_of(20);
    add_leak(&d, 12, 2);
    s = dealt_judge(&d);
    cr_expect_not(s.accumulates, "14 of them are no chance of one start, but of sixteen");
    cr_expect(s.since == 0 && s.arrived == 14, "as it was over all");
}

Test(retention_late, a_leak_among_short_lived_objects_is_found)
{
    for (size_t n = 12; n <= 30; n++) {
        struct dealt d = dealt_of(n);
        add_churn(&d, 2);
        add_leak(&d, n - 8, 20);
        struct retention s = dealt_judge(&d);
        cr_expect(s.accumulates, "%zu", n);
        cr_expect(s.since >= n - 11 && s.since <= n - 8, "%zu: %zu", n, s.since);
    }
}

/* --- what is healthy ----------------------------------------------------------------- */

static void expect_none(struct dealt *d, const char *what)
{
    cr_expect_not(dealt_judge(d).accumulates, "%s, %zu snapshots", what, d->n);
}

Test(retention_late, flat_series_and_churn_are_not_leaks)
{
    for (size_t n = 3; n <= 30; n++) {
        struct dealt flat = dealt_of(n), churn = dealt_of(n);
        dealt_add(&flat, 0, DEALT_FOR_EVER, 500);
        expect_none(&flat, "flat");
        add_churn(&churn, 30);
        expect_none(&churn, "churn");
    }
}

/* One batch, in one step or two, of any size. */
Test(retention_late, bursts_are_not_leaks)
{
    for (size_t n = 5; n <= 30; n++)
        for (size_t after = 1; after + 1 < n; after++) {
            struct dealt one = dealt_of(n), two = dealt_of(n);
            dealt_add(&one, after + 1, DEALT_FOR_EVER, 400);
            expect_none(&one, "one burst");
            dealt_add(&two, after, DEALT_FOR_EVER, 200);
            dealt_add(&two, after + 1, DEALT_FOR_EVER, 200);
            expect_none(&two, "two bursts");
        }
}

/* A queue that was emptied fills again; it has been as large before. */
Test(retention_late, filling_again_after_a_dip_is_not_a_leak)
{
    for (size_t n = 7; n <= 30; n++) {
        struct dealt d = dealt_of(n);
        size_t empty = n - 5;
        dealt_add(&d, 0, empty, 100);
        for (size_t k = empty; k < n; k++)
            dealt_add(&d, k, DEALT_FOR_EVER, 20);
        expect_none(&d, "refilled");
    }
}

/* Early arrivals are retained and decrease: the opposite of a late leak. */
Test(retention_late, reversed_leaks_are_not_leaks)
{
    for (size_t n = 9; n <= 30; n++) {
        struct dealt d = dealt_of(n);
        for (size_t k = 1; k <= n / 3; k++)
            dealt_add(&d, k, DEALT_FOR_EVER, 20);
        expect_none(&d, "grew, and stayed");
    }
}

/* The load doubles at some snapshot: it settles, and turns over all the time. */
Test(retention_late, a_load_that_rises_once_is_not_a_leak)
{
    for (size_t n = 8; n <= 30; n++)
        for (size_t after = 1; after + 2 < n; after++) {
            struct dealt d = dealt_of(n);
            add_churn(&d, 30);
            for (size_t k = after + 1; k < n; k++)
                dealt_add(&d, k, k + 3, 30);
            expect_none(&d, "twice the load");
        }
}

/* Poisson arrivals that live for two snapshots on average, at fluctuating load: hardly any
 * of 2,000 series of each length is reported. */
Test(retention_late, chance_makes_hardly_any)
{
    enum { SERIES = 2000 };
    struct random r = random_from(13);
    for (size_t n = 5; n <= 30; n += 5) {
        size_t found = 0;
        for (size_t i = 0; i < SERIES; i++) {
            struct dealt d = dealt_of(n);
            double load = 8;
            dealt_add(&d, 0, 2, 16);
            for (size_t k = 1; k < n; k++) {
                load *= 0.75 + 0.5 * dealt_share(&r);
                for (uint32_t c = dealt_poisson(&r, load < 40 ? load : 40); c > 0; c--)
                    dealt_add(&d, k, k + 1 + dealt_poisson(&r, 1), 1);
            }
            found += dealt_judge(&d).accumulates;
        }
        cr_expect_leq(found, SERIES / 200, "%zu of %zu snapshots", found, n);
    }
}
