#include "base/spare.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(spare, an_empty_list_gives_new_memory)
{
    struct spare s = {0};
    int *p = spare_take(&s, 10, sizeof(*p));
    cr_assert_not_null(p);
    p[9] = 1;
    spare_give(&s, p, 10, sizeof(*p));
    cr_expect_eq(s.len, 1);
    spare_free(&s);
    cr_expect_eq(s.len, 0);
}

Test(spare, the_smallest_block_that_is_large_enough_is_used_again)
{
    struct spare s = {0};
    void *small = spare_take(&s, 10, 1), *large = spare_take(&s, 1000, 1),
         *middle = spare_take(&s, 100, 1);
    spare_give(&s, small, 10, 1);
    spare_give(&s, large, 1000, 1);
    spare_give(&s, middle, 100, 1);
    void *again = spare_take(&s, 50, 2);
    cr_expect_eq(again, middle);
    void *rest = spare_take(&s, 11, 1);
    cr_expect_eq(rest, large);
    cr_expect_eq(s.len, 1);
    free(again);
    free(rest);
    spare_free(&s);
}

Test(spare, what_is_too_large_for_all_is_new)
{
    struct spare s = {0};
    spare_give(&s, spare_take(&s, 10, 1), 10, 1);
    char *p = spare_take(&s, 11, 1);
    cr_expect_eq(s.len, 1, "the small one is still there");
    p[10] = 1;
    free(p);
    spare_free(&s);
}

Test(spare, a_full_list_gives_memory_back)
{
    struct spare s = {0};
    spare_give(&s, NULL, 1, 1);
    cr_expect_eq(s.len, 0, "nothing is nothing to keep");
    for (int i = 0; i < 100; i++)
        spare_give(&s, malloc(8), 8, 1);
    cr_expect_leq(s.len, sizeof(s.all) / sizeof(s.all[0]));
    spare_free(&s);
}
