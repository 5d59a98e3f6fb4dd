#include "base/arrays.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(buffers, an_empty_list_gives_new_memory)
{
    struct buffer_pool s = {0};
    int *p = buffer_pool_take(&s, 10, sizeof(*p));
    cr_assert_not_null(p);
    p[9] = 1;
    buffer_pool_give(&s, p, 10, sizeof(*p));
    cr_expect_eq(s.len, 1);
    buffer_pool_free(&s);
    cr_expect_eq(s.len, 0);
}

Test(buffers, the_smallest_block_that_is_large_enough_is_used_again)
{
    struct buffer_pool s = {0};
    void *small = buffer_pool_take(&s, 10, 1), *large = buffer_pool_take(&s, 1000, 1),
         *middle = buffer_pool_take(&s, 100, 1);
    buffer_pool_give(&s, small, 10, 1);
    buffer_pool_give(&s, large, 1000, 1);
    buffer_pool_give(&s, middle, 100, 1);
    void *again = buffer_pool_take(&s, 50, 2);
    cr_expect_eq(again, middle);
    void *rest = buffer_pool_take(&s, 11, 1);
    cr_expect_eq(rest, large);
    cr_expect_eq(s.len, 1);
    free(again);
    free(rest);
    buffer_pool_free(&s);
}

Test(buffers, a_request_larger_than_all_buffers_gets_a_new_one)
{
    struct buffer_pool s = {0};
    buffer_pool_give(&s, buffer_pool_take(&s, 10, 1), 10, 1);
    char *p = buffer_pool_take(&s, 11, 1);
    cr_expect_eq(s.len, 1, "the small one is still there");
    p[10] = 1;
    free(p);
    buffer_pool_free(&s);
}

Test(buffers, a_full_list_gives_memory_back)
{
    struct buffer_pool s = {0};
    buffer_pool_give(&s, NULL, 1, 1);
    cr_expect_eq(s.len, 0, "nothing is nothing to keep");
    for (int i = 0; i < 100; i++)
        buffer_pool_give(&s, malloc(8), 8, 1);
    cr_expect_leq(s.len, sizeof(s.all) / sizeof(s.all[0]));
    buffer_pool_free(&s);
}
