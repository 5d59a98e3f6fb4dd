#include "analysis/stays.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MOST = 6, CELLS = MOST * (MOST + 1) / 2 };

/* A triangle: of cohort 0 how many are there in each snapshot, then of cohort 1, ...; and
 * how many of cohort 0 went in each step, for others of it may have come. */
struct triangle {
    size_t n;
    uint32_t at[CELLS], lost[MOST];
};

/* The births of a single path, number 0. */
struct made {
    struct trie t;
    struct births b;
    uint64_t count[MOST];
    uint32_t row[MOST], cell[CELLS];
};

static struct stays judge(const struct triangle *from)
{
    struct made m = {.t = {.snapshots = from->n, .len = 1, .count = m.count}};
    m.b = (struct births){.t = &m.t,
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
    return stays_of(&m.b, 0);
}

static void expect_chance(double got, double want)
{
    cr_expect_lt(fabs(got - want), 1e-6 * want + 1e-300, "%g instead of %g", got, want);
}

/* Of a consumer of messages, and of the same with three snapshots. */
Test(stays, a_leak_keeps_all_that_comes)
{
    const struct triangle six = {6,
                                 {81, 81, 81, 81, 81, 81, 23, 23, 23, 23, 23,
                                  20, 20, 20, 20, 15, 15, 15, 23, 23, 24},
                                 {0}};
    struct stays s = judge(&six);
    cr_expect(s.keeps && !s.turns_over);
    cr_expect(s.age == 0 && s.came == 105 && s.went == 0);
    expect_chance(s.chance, pow(2.0 / 3, 105));
    s = judge(&(struct triangle){3, {81, 81, 81, 23, 23, 20}, {0}});
    cr_expect(s.keeps && s.came == 43);
    expect_chance(s.chance, pow(2.0 / 3, 43));
}

/* Twelve is the fewest that show it. */
Test(stays, too_few_show_nothing)
{
    cr_expect_not(judge(&(struct triangle){3, {0, 0, 0, 6, 6, 5}, {0}}).keeps);
    cr_expect(judge(&(struct triangle){3, {0, 0, 0, 6, 6, 6}, {0}}).keeps);
    cr_expect_not(judge(&(struct triangle){2, {0, 0, 500}, {0}}).keeps);
    cr_expect_not(judge(&(struct triangle){2, {9, 0, 500}, {9}}).turns_over);
}

Test(stays, turnover_is_told_from_a_leak)
{
    /* Twice as many in each step, and all of those before are gone. */
    const struct triangle queue = {4, {50, 0, 0, 0, 100, 0, 0, 200, 0, 400}, {50, 0, 0}};
    struct stays s = judge(&queue);
    cr_expect(!s.keeps && !s.turns_over, "350 went of 700: load that doubles");
    const struct triangle steady = {4, {90, 20, 0, 0, 80, 10, 0, 90, 10, 100}, {70, 20, 0}};
    s = judge(&steady);
    cr_expect(!s.keeps && s.turns_over);
    cr_expect(s.came == 270 && s.went == 250);
}

/* Purged, and filled again: births after the purge stay, and it has been as large before.
 */
Test(stays, what_was_as_large_before_is_no_leak)
{
    const struct triangle purged = {
        5, {1300, 0, 0, 0, 0, 900, 900, 900, 900, 100, 100, 100, 130, 130, 120}, {1300}};
    cr_expect_not(judge(&purged).keeps);
    const struct triangle larger = {
        5, {300, 0, 0, 0, 0, 900, 900, 900, 900, 100, 100, 100, 130, 130, 120}, {300}};
    cr_expect(judge(&larger).chance > STAYS_LEVEL, "and slows down");
}

/* Made populations (Poisson arrivals, deaths by age), judged by another program that was
 * written of the formulas. */
Test(stays, are_those_of_the_definition)
{
    static const struct {
        size_t n;
        uint32_t at[CELLS], lost[MOST];
        double chance;
        unsigned age;
        bool turns_over;
    } all[] = {
        {5,
         {0, 2, 1, 3, 3, 3, 3, 3, 3, 8, 7, 5, 18, 18, 35},
         {0, 1, 0, 0},
         3.901844e-02,
         2,
         false},
        {4, {0, 2, 2, 2, 0, 0, 0, 0, 0, 0}, {0, 0, 0}, 1, 0, false},
        {5, {5, 4, 3, 2, 1, 4, 0, 0, 0, 6, 1, 1, 5, 2, 5}, {1, 1, 1, 1}, 1, 0, true},
        {3, {5, 6, 5, 1, 1, 0}, {1, 1}, 1, 0, true},
        {5, {0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 1, 0, 2, 2, 6}, {0, 0, 0, 0}, 1, 0, false},
        {4, {0, 0, 0, 0, 32, 32, 32, 22, 22, 17}, {0, 0, 0}, 3.144276e-13, 0, false},
        {3, {5, 2, 4, 3, 3, 10}, {3, 0}, 1, 0, false},
        {4, {40, 28, 23, 11, 36, 24, 17, 79, 56, 151}, {12, 5, 14}, 3.199655e-02, 1, false},
        {3, {40, 40, 40, 2, 0, 0}, {0, 0}, 1, 0, true},
        {4, {5, 3, 1, 0, 25, 13, 6, 81, 31, 156}, {4, 2, 1}, 1.230808e-02, 1, false},
        {3, {40, 42, 44, 4, 4, 4}, {0, 0}, 3.901844e-02, 0, false},
        {3, {40, 42, 42, 0, 0, 1}, {0, 0}, 1, 0, false},
        {5,
         {40, 40, 40, 40, 39, 14, 14, 13, 13, 12, 11, 11, 24, 24, 57},
         {0, 0, 0, 1},
         1.217019e-15,
         0,
         false},
        {6,
         {0, 0, 0, 0, 2, 3, 13, 10, 7, 4, 4, 7, 4, 4, 4, 3, 2, 2, 0, 0, 2},
         {0, 0, 0, 0, 1},
         1,
         0,
         false},
        {4, {5, 2, 0, 0, 7, 1, 0, 13, 8, 22}, {3, 2, 0}, 1, 0, false},
        {6,
         {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 2, 1, 1, 0, 0, 1},
         {0, 0, 0, 0, 0},
         1,
         0,
         false},
        {5,
         {0, 0, 0, 0, 0, 24, 3, 3, 3, 38, 6, 6, 43, 7, 52},
         {0, 0, 0, 0},
         1.522439e-03,
         1,
         false},
        {5, {40, 15, 5, 2, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0}, {25, 10, 3, 2}, 1, 0, true},
        {6,
         {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 1, 1, 4, 2, 1, 7, 6, 6},
         {0, 0, 0, 0, 0},
         1.382535e-01,
         0,
         false},
        {3, {40, 40, 42, 2, 2, 2}, {0, 0}, 1.975309e-01, 0, false},
        {6,
         {40, 39, 34, 32, 28, 27, 1, 0, 0, 0, 0, 4, 4, 4, 4, 2, 0, 0, 4, 2, 5},
         {3, 5, 2, 4, 1},
         1,
         0,
         true},
        {5, {5, 5, 5, 4, 4, 4, 1, 1, 1, 2, 2, 2, 3, 1, 1}, {0, 0, 1, 0}, 1, 0, false},
        {4, {40, 27, 20, 11, 0, 0, 0, 0, 0, 0}, {13, 9, 9}, 1, 0, true},
        {4, {40, 29, 20, 13, 9, 5, 3, 6, 5, 7}, {11, 11, 7}, 1, 0, true},
        {5,
         {40, 40, 40, 40, 40, 0, 0, 0, 0, 3, 2, 2, 2, 1, 3},
         {0, 0, 0, 0},
         2.991414e-01,
         0,
         false},
        {6,
         {0, 0, 0, 2, 2, 4, 22, 22, 21, 20, 20, 23, 23, 23, 22, 15, 13, 13, 19, 19, 16},
         {0, 0, 0, 0, 0},
         6.442604e-12,
         0,
         false},
        {3, {0, 0, 0, 28, 25, 40}, {0, 0}, 2.453203e-09, 0, false},
        {5,
         {40, 39, 40, 40, 40, 1, 1, 1, 1, 2, 2, 2, 3, 3, 1},
         {1, 1, 0, 0},
         2.633745e-01,
         1,
         false},
        {6,
         {40, 40, 42, 42, 42, 41, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 2},
         {0, 0, 0, 0, 1},
         1,
         0,
         true},
        {6,
         {0, 0, 0, 0, 0, 2, 11, 2, 2, 2, 2, 7, 2, 2, 2, 7, 2, 2, 7, 2, 4},
         {0, 0, 0, 0, 0},
         3.901844e-02,
         1,
         false},
        {3, {0, 0, 2, 26, 26, 23}, {0, 0}, 2.352493e-09, 0, false},
        {6,
         {5, 5, 5, 4, 5, 7, 11, 11, 11, 11, 11, 17, 17, 16, 16, 17, 17, 17, 24, 24, 22},
         {0, 0, 1, 1, 0},
         5.013993e-13,
         0,
         false},
        {4, {40, 38, 38, 35, 9, 9, 9, 11, 11, 21}, {2, 0, 3}, 4.383915e-04, 0, false},
        {5,
         {0, 0, 0, 0, 0, 3, 3, 3, 3, 2, 2, 2, 9, 9, 15},
         {0, 0, 0, 0},
         1.316872e-01,
         2,
         false},
        {5,
         {0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 1, 3, 2, 1},
         {0, 0, 0, 0},
         4.682213e-01,
         0,
         false},
        {6,
         {40, 40, 40, 40, 40, 40, 15, 15,  15,  15, 15,
          35, 35, 35, 35, 55, 55, 55, 126, 126, 261},
         {0, 0, 0, 0, 0},
         3.239051e-19,
         2,
         false},
        {5,
         {0, 2, 2, 1, 1, 14, 12, 11, 10, 14, 13, 11, 17, 16, 29},
         {0, 0, 1, 0},
         2.024568e-06,
         0,
         false},
        {5,
         {5, 5, 5, 5, 5, 17, 15, 13, 12, 22, 19, 18, 18, 15, 18},
         {0, 0, 0, 0},
         1.003814e-05,
         1,
         false},
        {6,
         {0, 0, 0, 0, 0, 0, 23, 2, 2, 2, 2, 26, 8, 8, 8, 46, 7, 7, 51, 15, 69},
         {0, 0, 0, 0, 0},
         1.014959e-03,
         2,
         false},
        {6,
         {40, 29, 20, 14, 12, 10, 8, 7, 5, 5, 4, 13, 9, 6, 5, 22, 14, 11, 29, 21, 25},
         {11, 9, 6, 4, 2},
         1.000000e+00,
         1,
         true},
        {6,
         {0, 0, 0, 2, 2, 2, 7, 2, 2, 2, 2, 4, 0, 0, 0, 15, 2, 2, 31, 7, 88},
         {0, 0, 0, 0, 0},
         1.156102e-02,
         1,
         false},
        {4, {40, 40, 40, 42, 6, 1, 1, 4, 1, 12}, {0, 0, 0}, 2.860156e-01, 0, false},
        {5,
         {5, 4, 5, 5, 4, 4, 2, 2, 2, 2, 1, 1, 3, 2, 4},
         {1, 1, 0, 1},
         5.706447e-01,
         1,
         false},
        {6,
         {5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 3, 3, 1},
         {0, 0, 0, 0, 0},
         8.779150e-02,
         0,
         false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct triangle t = {.n = all[i].n};
        memcpy(t.at, all[i].at, sizeof(t.at));
        memcpy(t.lost, all[i].lost, sizeof(t.lost));
        struct stays s = judge(&t);
        cr_expect_lt(fabs(s.chance - all[i].chance), 1e-5 * all[i].chance, "%zu: %g", i,
                     s.chance);
        cr_expect_eq(s.turns_over, all[i].turns_over, "%zu turns over", i);
        if (all[i].chance < 1)
            cr_expect_eq(s.age, all[i].age, "%zu: age %u", i, s.age);
    }
}
