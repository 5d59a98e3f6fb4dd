#include "ages/cohorts.h"

#include "series/ranking_constants.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MAX_SNAPSHOTS = 6, CELLS = MAX_SNAPSHOTS * (MAX_SNAPSHOTS + 1) / 2 };

/* A triangle: the number of objects of cohort 0 in each snapshot, then of cohort 1, ...;
 * and the deaths in cohort 0 per step, which arrivals may hide. */
struct triangle {
    size_t n;
    uint32_t at[CELLS], lost[MAX_SNAPSHOTS];
};

/* The births of a single path, number 0. */
struct made {
    struct ownership_tree t;
    struct cohorts b;
    uint64_t count[MAX_SNAPSHOTS];
    uint32_t row[MAX_SNAPSHOTS], cell[CELLS];
};

static struct retention judge(const struct triangle *from)
{
    struct made m = {.t = {.snapshots = from->n, .len = 1, .count = m.count}};
    m.b = (struct cohorts){.t = &m.t,
                           .n = from->n,
                           .source = HD_SAME_BY_EVENTS,
                           .row = m.row,
                           .cell = m.cell,
                           .left = (uint32_t *)from->lost};
    memcpy(m.cell, from->at, sizeof(m.cell));
    for (size_t j = 0, at = 0; j < from->n; at += from->n - j++) {
        m.row[j] = 1 + (uint32_t)at;
        for (size_t k = j; k < from->n; k++)
            m.count[k] += from->at[at + k - j];
    }
    return retention_test(&m.b, 0);
}

static void expect_chance(double got, double want)
{
    cr_expect_lt(fabs(got - want), 1e-6 * want + 1e-300, "%g instead of %g", got, want);
}

/* From a message consumer; and its first three snapshots. */
Test(retention, a_leak_keeps_all_new_objects)
{
    const struct triangle six = {6,
                                 {81, 81, 81, 81, 81, 81, 23, 23, 23, 23, 23,
                                  20, 20, 20, 20, 15, 15, 15, 23, 23, 24},
                                 {0}};
    struct retention s = judge(&six);
    cr_expect(s.accumulates && !s.turns_over);
    cr_expect(s.age == 0 && s.arrived == 105 && s.died == 0);
    expect_chance(s.chance, pow(2.0 / 3, 105));
    s = judge(&(struct triangle){3, {81, 81, 81, 23, 23, 20}, {0}});
    cr_expect(s.accumulates && s.arrived == 43);
    expect_chance(s.chance, pow(2.0 / 3, 43));
}

/* Twelve is the minimum for a result. */
Test(retention, too_few_show_nothing)
{
    cr_expect_not(judge(&(struct triangle){3, {0, 0, 0, 6, 6, 5}, {0}}).accumulates);
    cr_expect(judge(&(struct triangle){3, {0, 0, 0, 6, 6, 6}, {0}}).accumulates);
    cr_expect_not(judge(&(struct triangle){2, {0, 0, 500}, {0}}).accumulates);
    cr_expect_not(judge(&(struct triangle){2, {9, 0, 500}, {9}}).turns_over);
}

Test(retention, turnover_is_told_from_a_leak)
{
    /* Doubles in each step, and all earlier ones are gone. */
    const struct triangle queue = {4, {50, 0, 0, 0, 100, 0, 0, 200, 0, 400}, {50, 0, 0}};
    struct retention s = judge(&queue);
    cr_expect(!s.accumulates && !s.turns_over, "350 went of 700: load that doubles");
    const struct triangle steady = {4, {90, 20, 0, 0, 80, 10, 0, 90, 10, 100}, {70, 20, 0}};
    s = judge(&steady);
    cr_expect(!s.accumulates && s.turns_over);
    cr_expect(s.arrived == 270 && s.died == 250);
}

/* Purged and filled again: births after the purge survive, but the count has been as high
 * before. */
Test(retention, a_store_that_was_as_large_before_is_not_a_leak)
{
    const struct triangle purged = {
        5, {1300, 0, 0, 0, 0, 900, 900, 900, 900, 100, 100, 100, 130, 130, 120}, {1300}};
    cr_expect_not(judge(&purged).accumulates);
    const struct triangle larger = {
        5, {300, 0, 0, 0, 0, 900, 900, 900, 900, 100, 100, 100, 130, 130, 120}, {300}};
    cr_expect(judge(&larger).chance > rank_by.accumulation_chance, "and slows down");
}

/* Random populations (Poisson arrivals, deaths by age). Expected values from an independent
 * program written from the formulas. */
Test(retention, are_those_of_the_definition)
{
    static const struct {
        size_t n;
        uint32_t at[CELLS], lost[MAX_SNAPSHOTS];
        double chance;
        unsigned age;
        bool turns_over, queues;
    } all[] = {
        {5,
         {0, 2, 2, 1, 3, 2, 2, 2, 2, 5, 5, 4, 13, 13, 36},
         {0, 0, 1, 0},
         2.633745e-01,
         2,
         false,
         false},
        {6,
         {5, 5, 5, 5, 5, 7, 20, 14, 14, 14, 14, 15, 8, 8, 8, 17, 9, 9, 24, 7, 21},
         {0, 0, 0, 0, 0},
         2.034849e-07,
         1,
         false,
         false},
        {6,
         {40, 12, 4, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
         {28, 8, 1, 3, 0},
         1,
         0,
         true,
         false},
        {3, {0, 2, 1, 17, 6, 19}, {0, 1}, 1, 0, false, false},
        {4, {0, 0, 2, 0, 1, 1, 0, 6, 4, 6}, {0, 0, 2}, 1, 0, false, true},
        {5,
         {40, 36, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 1},
         {4, 36, 0, 0},
         1,
         0,
         true,
         false},
        {3, {40, 35, 31, 17, 1, 35}, {5, 4}, 1, 0, false, false},
        {3, {40, 40, 0, 6, 6, 8}, {0, 40}, 1, 0, true, true},
        {4, {40, 42, 0, 0, 0, 0, 0, 0, 0, 3}, {0, 42, 0}, 1, 0, true, false},
        {3, {5, 4, 0, 1, 0, 5}, {1, 4}, 1, 0, true, false},
        {5,
         {0, 0, 0, 0, 0, 8, 8, 8, 8, 7, 7, 7, 8, 8, 5},
         {0, 0, 0, 0},
         1.173396e-05,
         0,
         false,
         false},
        {5, {5, 5, 0, 0, 0, 2, 1, 0, 0, 3, 2, 0, 3, 2, 3}, {0, 5, 0, 0}, 1, 0, true, false},
        {6,
         {5, 5, 0, 2, 0, 0, 8, 8, 0, 0, 0, 4, 4, 0, 0, 17, 17, 0, 40, 40, 53},
         {0, 5, 0, 2, 0},
         1,
         0,
         false,
         true},
        {3, {5, 5, 0, 10, 10, 8}, {0, 5}, 1, 0, false, true},
        {4, {0, 0, 0, 0, 6, 3, 3, 2, 2, 7}, {0, 0, 0}, 1.016651e-01, 0, false, false},
        {4, {5, 7, 6, 5, 1, 0, 0, 5, 2, 3}, {0, 1, 1}, 1, 0, true, false},
        {5,
         {5, 5, 5, 5, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
         {0, 0, 0, 0},
         1,
         0,
         false,
         false},
        {4, {5, 5, 0, 0, 7, 7, 0, 1, 1, 0}, {0, 5, 0}, 1, 0, true, true},
        {6,
         {5, 5, 5, 0, 0, 0, 31, 10, 9, 0, 0, 33, 20, 17, 0, 36, 15, 12, 58, 20, 67},
         {0, 0, 5, 0, 0},
         1,
         0,
         true,
         false},
        {3, {0, 0, 0, 7, 5, 11}, {0, 0}, 1.759263e-02, 0, false, false},
        {4, {5, 5, 5, 5, 2, 2, 2, 3, 3, 0}, {0, 0, 0}, 1.316872e-01, 1, false, false},
        {6,
         {40, 39, 37, 36, 36, 36, 12, 10, 10, 10, 10,
          14, 13, 13, 13, 16, 16, 16, 26, 24, 26},
         {1, 2, 1, 0, 0},
         4.380521e-09,
         0,
         false,
         false},
        {3, {40, 8, 4, 2, 0, 0}, {32, 4}, 1, 0, true, false},
        {3, {5, 5, 5, 8, 8, 4}, {0, 0}, 7.707347e-03, 0, false, false},
        {6,
         {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0},
         {0, 0, 0, 0, 0},
         1,
         0,
         false,
         false},
        {4, {5, 1, 0, 0, 13, 5, 4, 8, 3, 12}, {4, 1, 0}, 2.991414e-01, 1, true, false},
        {3, {5, 5, 7, 4, 4, 4}, {0, 0}, 3.901844e-02, 0, false, false},
        {5,
         {40, 40, 38, 37, 0, 17, 16, 16, 16, 37, 37, 37, 73, 71, 121},
         {0, 2, 1, 37},
         1,
         0,
         false,
         true},
        {4, {0, 0, 0, 0, 5, 3, 3, 2, 2, 0}, {0, 0, 0}, 1, 0, false, false},
        {4,
         {40, 38, 34, 31, 22, 11, 10, 34, 13, 65},
         {2, 4, 3},
         2.288776e-02,
         0,
         false,
         false},
        {6,
         {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1},
         {0, 0, 0, 0, 0},
         1,
         0,
         false,
         false},
        {3, {0, 2, 1, 9, 7, 15}, {0, 1}, 8.235043e-03, 0, false, false},
        {4, {5, 5, 5, 5, 5, 5, 5, 6, 6, 1}, {0, 0, 0}, 1, 0, false, false},
        {4,
         {40, 40, 42, 42, 7, 7, 7, 20, 20, 29},
         {0, 0, 0},
         1.760095e-05,
         1,
         false,
         false},
        {5,
         {0, 0, 0, 0, 0, 2, 0, 0, 0, 5, 2, 2, 2, 1, 3},
         {0, 0, 0, 0},
         1,
         0,
         false,
         false},
        {4, {5, 5, 0, 0, 2, 2, 0, 1, 1, 3}, {0, 5, 0}, 1, 0, true, true},
        {5,
         {0, 0, 0, 0, 0, 5, 5, 4, 3, 5, 5, 5, 11, 9, 10},
         {0, 0, 0, 0},
         2.924145e-03,
         0,
         false,
         false},
        {5,
         {0, 0, 0, 0, 2, 12, 11, 0, 0, 7, 4, 0, 4, 4, 0},
         {0, 0, 0, 0},
         1,
         0,
         true,
         true},
        {6,
         {5, 5, 0, 0, 0, 0, 43, 42, 0, 0, 0, 87, 85, 0, 0, 156, 154, 0, 310, 304, 670},
         {0, 5, 0, 0, 0},
         1,
         0,
         false,
         true},
        {3, {40, 30, 20, 6, 6, 8}, {10, 10}, 1, 0, true, true},
        {5,
         {0, 0, 0, 0, 0, 22, 8, 4, 2, 34, 18, 7, 67, 27, 134},
         {0, 0, 0, 0},
         6.686526e-02,
         1,
         false,
         false},
        {4,
         {40, 20, 11, 5, 31, 16, 7, 80, 36, 157},
         {20, 9, 6},
         4.248626e-01,
         1,
         false,
         false},
        {5,
         {40, 40, 40, 40, 40, 2, 2, 2, 2, 1, 1, 1, 4, 4, 1},
         {0, 0, 0, 0},
         3.901844e-02,
         0,
         false,
         false},
        {4, {0, 0, 0, 0, 23, 20, 19, 15, 12, 24}, {0, 0, 0}, 7.580014e-06, 0, false, false},
        {4, {40, 40, 40, 40, 6, 6, 6, 7, 7, 9}, {0, 0, 0}, 1.336572e-04, 0, false, false},
        {6,
         {40, 40, 40, 40, 40, 40, 29, 29, 29, 29, 29,
          36, 36, 36, 36, 36, 36, 36, 56, 56, 83},
         {0, 0, 0, 0, 0},
         5.471392e-43,
         0,
         false,
         false},
        {4, {5, 3, 0, 0, 15, 15, 0, 19, 18, 18}, {2, 3, 0}, 1, 0, false, true},
        {4, {0, 0, 0, 0, 7, 5, 5, 13, 7, 31}, {0, 0, 0}, 7.707347e-03, 1, false, false},
        {5, {0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 4, 0, 5, 5, 7}, {0, 0, 0, 0}, 1, 0, false, true},
        {6,
         {0, 0, 2, 2, 2, 2, 37, 6, 4, 4, 4, 38, 3, 2, 2, 41, 4, 4, 62, 4, 69},
         {0, 0, 0, 0, 0},
         1.734153e-02,
         2,
         false,
         false},
        {6,
         {40, 27, 0, 0, 0, 0, 26, 14, 0, 0, 0, 30, 24, 0, 0, 51, 30, 0, 58, 41, 80},
         {13, 27, 0, 0, 0},
         1,
         0,
         true,
         true},
        {6,
         {40, 40, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 4},
         {0, 40, 0, 0, 0},
         1,
         0,
         true,
         true},
        {5,
         {0, 0, 2, 2, 2, 11, 1, 1, 1, 13, 2, 2, 12, 3, 23},
         {0, 0, 0, 0},
         8.779150e-02,
         1,
         false,
         false},
        {6,
         {40, 39, 39, 41, 40, 40, 10, 9, 9, 9, 9, 23, 23, 23, 22, 30, 30, 29, 61, 61, 126},
         {1, 0, 0, 1, 0},
         4.196430e-09,
         2,
         false,
         false},
        {5,
         {0, 0, 0, 0, 0, 2, 1, 1, 1, 0, 0, 0, 1, 1, 1},
         {0, 0, 0, 0},
         4.609053e-01,
         0,
         false,
         false},
        {6,
         {40, 39, 39, 38, 37, 37, 16, 3, 3, 3, 3, 25, 3, 3, 3, 71, 12, 12, 134, 20, 241},
         {1, 0, 1, 1, 0},
         1.759263e-02,
         2,
         false,
         false},
        {5,
         {0, 0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 9, 9, 14},
         {0, 0, 0, 0},
         3.901844e-02,
         2,
         false,
         false},
        {6,
         {5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
         {0, 0, 0, 0, 0},
         1.975309e-01,
         0,
         false,
         false},
        {5,
         {40, 42, 0, 0, 0, 6, 6, 0, 0, 9, 9, 0, 3, 3, 7},
         {0, 42, 0, 0},
         1,
         0,
         true,
         true},
        {5,
         {5, 5, 5, 5, 5, 11, 7, 7, 7, 10, 3, 3, 14, 7, 20},
         {0, 0, 0, 0},
         1.014959e-03,
         1,
         false,
         false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct triangle t = {.n = all[i].n};
        memcpy(t.at, all[i].at, sizeof(t.at));
        memcpy(t.lost, all[i].lost, sizeof(t.lost));
        struct retention s = judge(&t);
        cr_expect_lt(fabs(s.chance - all[i].chance), 1e-5 * all[i].chance, "%zu: %g", i,
                     s.chance);
        cr_expect_eq(s.turns_over, all[i].turns_over, "%zu turns over", i);
        cr_expect_eq(s.queues, all[i].queues, "%zu queues", i);
        if (all[i].chance < 1)
            cr_expect_eq(s.age, all[i].age, "%zu: age %u", i, s.age);
    }
}
