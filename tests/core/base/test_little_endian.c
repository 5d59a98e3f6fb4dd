#include "base/little_endian.h"

#include <criterion/criterion.h>

static const unsigned char bytes[] = {0xFF, 0x01, 0x02, 0x83, 0x04, 0x05, 0x06, 0x07, 0x88};

Test(little_endian, reads_the_lowest_byte_first_at_any_alignment)
{
    cr_expect_eq(le_u16(bytes + 1), 0x0201);
    cr_expect_eq(le_u32(bytes + 1), 0x04830201);
    cr_expect_eq(le_u64(bytes + 1), UINT64_C(0x8807060504830201));
}

Test(little_endian, has_no_sign)
{
    const unsigned char ones[8] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    cr_expect_eq((uint64_t)le_u16(ones), 0xFFFF);
    cr_expect_eq((uint64_t)le_u32(ones), 0xFFFFFFFF);
    cr_expect_eq(le_u64(ones), UINT64_MAX);
}

Test(little_endian, puts_what_it_takes_and_no_byte_more)
{
    unsigned char to[10] = {0};
    le_put(to + 1, UINT64_C(0x8807060504830201), 8);
    cr_expect_eq(le_u64(to + 1), UINT64_C(0x8807060504830201));
    cr_expect_eq(to[0] + to[9], 0);
    unsigned char two[3] = {0};
    le_put(two, UINT64_C(0x8807060504830201), 2);
    cr_expect_eq(le_u32((unsigned char[4]){two[0], two[1], two[2], 0}), 0x0201);
}
