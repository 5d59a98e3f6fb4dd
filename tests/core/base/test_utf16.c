#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *units, size_t count, enum utf16_order order,
                   const char *expected)
{
    struct text t = {0};
    text_add_utf16(&t, (const unsigned char *)units, count, order);
    cr_expect_eq(t.len, strlen(expected), "%zu bytes for %s", t.len, expected);
    cr_expect(t.len == 0 || memcmp(t.data, expected, t.len) == 0, "%s", expected);
    text_free(&t);
}

Test(utf16, joins_pairs_of_either_byte_order)
{
    expect("a\0\x3D\xD8\0\xDEz\0", 4, UTF16_LITTLE, "a\xF0\x9F\x98\x80z");
    expect("\0a\xD8\x3D\xDE\0\0z", 4, UTF16_BIG, "a\xF0\x9F\x98\x80z");
    expect("\xFF\xDB\xFF\xDF", 2, UTF16_LITTLE, "\xF4\x8F\xBF\xBF");
    expect("\0\xD8\0\xDC", 2, UTF16_LITTLE, "\xF0\x90\x80\x80");
}

Test(utf16, keeps_lone_surrogates_as_three_bytes)
{
    expect("\x3D\xD8z\0", 2, UTF16_LITTLE, "\xED\xA0\xBDz");
    expect("\0\xDE\x3D\xD8", 2, UTF16_LITTLE, "\xED\xB8\x80\xED\xA0\xBD");
    expect("\x3D\xD8\x3D\xD8\0\xDE", 3, UTF16_LITTLE, "\xED\xA0\xBD\xF0\x9F\x98\x80");
}

Test(utf16, reads_no_unit_beyond_the_last)
{
    expect("\x3D\xD8\0\xDE", 1, UTF16_LITTLE, "\xED\xA0\xBD");
    expect("a\0", 0, UTF16_LITTLE, "");
}

Test(utf16, splits_what_it_joins)
{
    for (uint32_t code = 0x10000; code <= 0x10FFFF; code += 0x3FD) {
        uint32_t high, low;
        utf16_split(code, &high, &low);
        cr_expect(utf16_is_high(high) && utf16_is_low(low));
        cr_expect_eq(utf16_join(high, low), code);
    }
    cr_expect_not(utf16_is_high(0xD7FF) || utf16_is_high(0xDC00));
    cr_expect_not(utf16_is_low(0xDBFF) || utf16_is_low(0xE000));
}
