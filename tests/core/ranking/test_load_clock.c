#include "ranking/type_growth.h"

#include <criterion/criterion.h>

struct slowing {
    const char *what;
    double load[6];
    uint64_t arrived[6];
    size_t steps;
    bool slows;
};

Test(load_clock, a_filling_cache_gains_less_per_load_and_less_over_time)
{
    static const struct slowing all[] = {
        {"a leak", {10, 10, 10, 10, 10}, {50, 52, 48, 51, 49}, 5, false},
        {"a cache", {10, 10, 10, 10, 10}, {100, 80, 64, 51, 41}, 5, true},
        {"a leak under random load", {10, 5, 18, 7, 20}, {100, 50, 180, 70, 200}, 5, false},
        {"a leak while the load falls",
         {20, 18, 14, 12, 10},
         {100, 90, 70, 60, 50},
         5,
         false},
        {"a leak while another load rises",
         {10, 12, 14, 16, 18},
         {50, 51, 49, 50, 50},
         5,
         false},
        {"few objects", {1, 1, 1, 1}, {5, 3, 2, 1}, 4, false},
        {"two steps", {1, 1}, {500, 100}, 2, false},
        {"no load is known", {0}, {100, 50, 25, 10}, 0, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct load_clock clock = {.steps = all[i].steps};
        for (size_t k = 0; k < all[i].steps; k++)
            clock.at[k] = all[i].load[k];
        cr_expect_eq(load_clock_slows(&clock, all[i].arrived), all[i].slows, "%s",
                     all[i].what);
    }
}

Test(load_clock, a_type_accumulates_if_objects_are_added_in_nearly_every_step_and_survive)
{
    static const struct {
        uint64_t arrived[4], died[4];
        bool accumulates;
    } all[] = {
        {{5, 5, 5, 5}, {0, 0, 1, 0}, true},    {{5, 5, 5, 5}, {0, 1, 1, 0}, false},
        {{0, 9, 9, 9}, {0, 0, 0, 0}, true},    {{9, 9, 0, 9}, {0, 0, 0, 0}, false},
        {{20, 20, 4, 4}, {0, 0, 0, 0}, false}, {{3, 3, 3, 2}, {0, 0, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        uint64_t arrived[4], died[4];
        for (size_t k = 0; k < 4; k++) {
            arrived[k] = all[i].arrived[k];
            died[k] = all[i].died[k];
        }
        struct type_cohorts t = {4, arrived, died};
        cr_expect_eq(type_cohorts_accumulate(&t, 0), all[i].accumulates, "case %zu", i);
    }
}
