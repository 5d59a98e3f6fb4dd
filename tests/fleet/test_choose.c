#include "heapdrift_fleet.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_CHOSEN = 50, MANY = 1000 };

static void expect_valid(const double *taken, size_t n, size_t most)
{
    size_t chosen[MAX_CHOSEN];
    size_t count = hd_fleet_choose(taken, n, most, chosen);
    cr_assert_eq(count, n < most ? n : most);
    if (n == 0)
        return;
    cr_expect_eq(chosen[0], 0);
    cr_expect_eq(chosen[count - 1], n - 1);
    for (size_t k = 1; k < count; k++)
        cr_expect_lt(chosen[k - 1], chosen[k]);
}

Test(fleet_choose, takes_all_of_few)
{
    const double taken[] = {1, 2, 50};
    size_t chosen[MAX_CHOSEN];
    cr_assert_eq(hd_fleet_choose(taken, 3, MAX_CHOSEN, chosen), 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(chosen[i], i);
    cr_expect_eq(hd_fleet_choose(taken, 0, MAX_CHOSEN, chosen), 0);
}

Test(fleet_choose, is_even_where_snapshots_are)
{
    double taken[MANY];
    size_t chosen[MAX_CHOSEN];
    for (size_t i = 0; i < MANY; i++)
        taken[i] = (double)i;
    cr_assert_eq(hd_fleet_choose(taken, MANY, 4, chosen), 4);
    const size_t wanted[] = {0, 333, 666, 999};
    for (size_t k = 0; k < 4; k++)
        cr_expect_eq(chosen[k], wanted[k]);
}

/* A store keeps all of the last day, and one per day before. */
Test(fleet_choose, is_even_in_time_where_a_store_was_thinned)
{
    double taken[30 + 240];
    size_t chosen[MAX_CHOSEN], n = 0, recent = 0;
    for (size_t day = 0; day < 30; day++)
        taken[n++] = (double)day;
    for (size_t i = 0; i < 240; i++)
        taken[n++] = 30 + (double)i / 240;
    cr_assert_eq(hd_fleet_choose(taken, n, MAX_CHOSEN, chosen), MAX_CHOSEN);
    for (size_t day = 0; day < 30; day++)
        cr_expect_eq(chosen[day], day);
    for (size_t k = 0; k < MAX_CHOSEN; k++)
        recent += chosen[k] >= 30;
    cr_expect_eq(recent, 20);
}

Test(fleet_choose, takes_each_once_whatever_the_times)
{
    struct random r = random_from(7);
    for (int round = 0; round < 2000; round++) {
        double taken[300];
        size_t n = random_below(&r, 300), most = 2 + random_below(&r, 49);
        double at = 0;
        for (size_t i = 0; i < n; i++) {
            at += random_below(&r, 3) == 0 ? (double)random_below(&r, 1000) : 0;
            taken[i] = at;
        }
        expect_valid(taken, n, most);
    }
}
