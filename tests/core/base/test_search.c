#include "base/arrays.h"

#include <criterion/criterion.h>

static bool is_less(const void *all, size_t i, const void *wanted)
{
    return ((const int *)all)[i] < *(const int *)wanted;
}

/* The definition: a linear search. */
static size_t slowly(const int *all, size_t begin, size_t end, int wanted)
{
    while (begin < end && all[begin] < wanted)
        begin++;
    return begin;
}

Test(search, finds_what_a_walk_finds)
{
    int all[40];
    for (int i = 0; i < 40; i++)
        all[i] = i / 3 * 2;
    for (size_t begin = 0; begin <= 40; begin++)
        for (size_t end = begin; end <= 40; end++)
            for (int wanted = -1; wanted < 30; wanted++)
                cr_assert_eq(search_first(all, begin, end, is_less, &wanted),
                             slowly(all, begin, end, wanted));
}

Test(search, needs_no_array_for_an_empty_range)
{
    int wanted = 0;
    cr_expect_eq(search_first(NULL, 0, 0, is_less, &wanted), 0);
}
