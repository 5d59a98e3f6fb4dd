/* The order in which processes are asked: their users take turns. */
#include "collect/proc.h"

#include <criterion/criterion.h>

Test(turns, are_of_each_user_before_the_next_of_any)
{
    const uint64_t owners[] = {7, 7, 7, 0, 7, 3};
    const size_t order[] = {0, 3, 5, 1, 2, 4};
    struct arena arena = {0};
    const struct turn *turns = turns_of(owners, 6, &arena);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(turns[i].which, order[i], "%zu", i);
    arena_free(&arena);
}

Test(turns, end_for_a_user_with_silent_processes)
{
    const uint64_t owners[] = {7, 0};
    struct arena arena = {0};
    const struct turn *turns = turns_of(owners, 2, &arena);
    for (int i = 0; i < 32; i++) {
        cr_expect_not(turn_is_over(&turns[0]));
        atomic_fetch_add(turns[0].late, 1);
    }
    cr_expect(turn_is_over(&turns[0]));
    cr_expect_not(turn_is_over(&turns[1]));
    arena_free(&arena);
}

Test(turns, without_processes_are_empty)
{
    struct arena arena = {0};
    turns_of(NULL, 0, &arena);
    arena_free(&arena);
}
