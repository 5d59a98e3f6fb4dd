/* Distinct stacks: numbers, removal, and too many of them. */
#include "trace/stack_table.h"

#include "base/arrays.h"
#include "base/little_endian.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A stack of two addresses, unique to this number. */
static uint32_t add(struct stack_table *t, uint64_t number)
{
    unsigned char bytes[16];
    le_put(bytes, 0x7f0000001000, 8);
    le_put(bytes + 8, number, 8);
    return stack_table_add(t, (struct bytes){bytes, sizeof(bytes)});
}

static uint64_t number_at(const struct stack_table *t, uint32_t n)
{
    struct bytes stack = stack_table_at(t, n);
    cr_assert_eq(stack.size, 16);
    return le_u64(stack.data + 8);
}

Test(stack_table, equal_stacks_have_one_number)
{
    struct stack_table t = {0};
    cr_expect_eq(add(&t, 5), 0);
    cr_expect_eq(add(&t, 6), 1);
    cr_expect_eq(add(&t, 5), 0);
    /* A prefix of a stack is a different stack. */
    struct bytes part = stack_table_at(&t, 0);
    part.size = 8;
    cr_expect_eq(stack_table_add(&t, part), 2);
    cr_expect_eq(number_at(&t, 0), 5);
    cr_expect_eq(number_at(&t, 1), 6);
    cr_expect_eq(stack_table_at(&t, 2).size, 8);
    cr_expect_eq(t.count, 3);
    cr_expect_eq(t.bytes, 40);
    cr_expect_eq(stack_table_uses(&t, 0), 2);
    cr_expect_eq(stack_table_uses(&t, 2), 1);
    stack_table_free(&t);
}

Test(stack_table, no_stack_has_no_number)
{
    struct stack_table t = {0};
    cr_expect_eq(stack_table_add(&t, (struct bytes){(const unsigned char *)"", 0}),
                 NO_STACK);
    cr_expect_eq(t.count, 0);
    stack_table_free(&t);
}

Test(stack_table, unneeded_stacks_are_removed_and_their_numbers_reused)
{
    struct stack_table t = {0};
    for (uint64_t i = 0; i < 100; i++)
        cr_assert_eq(add(&t, i), i);
    uint64_t *needed = bits_new(t.len);
    bits_set(needed, 17);
    bits_set(needed, 64);
    stack_table_forget(&t, needed);
    free(needed);
    cr_expect_eq(t.count, 2);
    cr_expect_eq(t.bytes, 32);
    cr_expect_eq(number_at(&t, 17), 17);
    cr_expect_eq(add(&t, 64), 64);
    for (uint64_t i = 1000; i < 1098; i++) {
        uint32_t n = add(&t, i);
        cr_assert(n < 100 && n != 17 && n != 64);
        cr_expect_eq(number_at(&t, n), i);
    }
    cr_expect_eq(add(&t, 2000), 100);
    cr_expect_eq(t.count, 101);
    stack_table_free(&t);
}

Test(stack_table, the_number_of_stacks_is_bounded)
{
    struct stack_table t = {0};
    for (uint64_t i = 0; i < MAX_STACKS; i++) {
        cr_assert_eq(stack_table_is_crowded(&t), i > MAX_STACKS / 4 * 3);
        cr_assert_eq(add(&t, i), i);
    }
    cr_expect_eq(add(&t, MAX_STACKS), NO_STACK);
    cr_expect_eq(add(&t, 3), 3, "those that are there are found");
    uint64_t *needed = bits_new(t.len);
    memset(needed, 0xFF, MAX_STACKS / 8);
    needed[0] = ~(uint64_t)(1 << 5);
    stack_table_forget(&t, needed);
    free(needed);
    cr_expect_eq(add(&t, MAX_STACKS), 5);
    cr_expect_eq(add(&t, MAX_STACKS + 1), NO_STACK);
    stack_table_free(&t);
}

Test(stack_table, their_bytes_are_bounded)
{
    struct stack_table t = {0};
    enum { LARGE = 1 << 20 };
    unsigned char *bytes = alloc_zeroed(LARGE);
    for (unsigned char i = 0; i < MAX_STACK_BYTES / LARGE; i++) {
        bytes[0] = i;
        cr_assert_eq(stack_table_is_crowded(&t), i > MAX_STACK_BYTES / LARGE / 4 * 3);
        cr_assert_eq(stack_table_add(&t, (struct bytes){bytes, LARGE}), i);
    }
    cr_expect_eq(add(&t, 1), NO_STACK);
    cr_expect(stack_table_is_crowded(&t));
    cr_expect_eq(stack_table_add(&t, (struct bytes){bytes, LARGE}),
                 MAX_STACK_BYTES / LARGE - 1);
    free(bytes);
    stack_table_free(&t);
}

/* Removal is due a logarithmic number of times, and then once per `kept` new stacks (at
 * least 1024), even if the table is full of needed ones. */
Test(stack_table, is_due_after_the_same_number_of_new_stacks_as_were_kept)
{
    enum { NEW = 1 << 18 };
    for (uint32_t kept = 0; kept <= MAX_STACKS; kept += MAX_STACKS / 4) {
        struct stack_table t = {0};
        uint64_t *needed = bits_new(MAX_STACKS);
        memset(needed, 0xFF, kept / 8);
        unsigned times = 0;
        for (uint64_t i = 0; i < NEW; i++) {
            if (stack_table_is_due(&t)) {
                stack_table_forget(&t, needed);
                times++;
            }
            add(&t, i);
        }
        cr_expect_geq(t.count, kept < MAX_STACKS ? kept : MAX_STACKS);
        unsigned most = NEW / (kept > 1024 ? kept : 1024) + 20;
        cr_expect_geq(times, 2, "%u", kept);
        cr_expect_leq(times, most, "%u of %u", times, kept);
        free(needed);
        stack_table_free(&t);
    }
}
