#include "base/arrays.h"

#include <criterion/criterion.h>
#include <stdlib.h>

Test(bits, contain_exactly_the_added_numbers)
{
    enum { COUNT = 200 };
    static const uint32_t added[] = {0, 1, 63, 64, 127, 128, COUNT - 1};
    uint64_t *bits = bits_new(COUNT);
    for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++) {
        cr_expect(bits_add(bits, added[i]));
        cr_expect_not(bits_add(bits, added[i]));
    }
    bits_set(bits, 5);
    bits_set(bits, 5);
    cr_expect_not(bits_add(bits, 5));
    size_t count = 0;
    for (uint32_t n = 0; n < COUNT; n++)
        count += bits_have(bits, n);
    cr_expect_eq(count, sizeof(added) / sizeof(*added) + 1);
    for (size_t i = 0; i < sizeof(added) / sizeof(*added); i++)
        cr_expect(bits_have(bits, added[i]));
    free(bits);
}

Test(bits, an_empty_set_can_be_made)
{
    uint64_t *bits = bits_new(0);
    cr_expect_not(bits_have(bits, 0));
    free(bits);
}
