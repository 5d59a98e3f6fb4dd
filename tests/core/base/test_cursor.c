#include "base/cursor.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct cursor over(const char *bytes, size_t size, struct hd_error *err)
{
    return cursor_over((struct bytes){(const unsigned char *)bytes, size}, err);
}

Test(cursor, reads_little_endian)
{
    struct hd_error err = {0};
    struct cursor c = over("\x01"
                           "\x02\x03\x04\x85"
                           "\x06\x07\x08\x09\x0a\x0b\x0c\x8d"
                           "\xfe\xff\xff\xff"
                           "\x00\x00\xc0\xbf",
                           21, &err);
    cr_expect_eq(cursor_left(&c), 21);
    cr_expect_eq(cursor_u8(&c), 1);
    cr_expect_eq(cursor_u32(&c), 0x85040302);
    cr_expect_eq(cursor_u64(&c), 0x8d0c0b0a09080706);
    cr_expect_eq(cursor_i32(&c), -2);
    float f = cursor_f32(&c); /* the macro evaluates twice */
    cr_expect(f <= -1.5f && f >= -1.5f);
    cr_expect(cursor_ok(&c));
    cr_expect_eq(cursor_left(&c), 0);
    cr_expect_eq(cursor_offset(&c), 21);
    cr_expect_eq(err.status, HD_OK);
}

Test(cursor, stays_failed_and_reports_the_first_offset)
{
    struct hd_error err = {0};
    struct cursor c = over("\x01\x02\x03\x04\x05", 5, &err);
    cursor_u32(&c);
    cr_expect_eq(cursor_u32(&c), 0);
    cr_expect_not(cursor_ok(&c));
    cr_expect_eq(cursor_u8(&c), 0, "a failed cursor reads nothing");
    cr_expect_eq(cursor_u64(&c), 0);
    cr_expect_eq(cursor_peek(&c), -1);
    cr_expect_null(cursor_bytes(&c, 0));
    cr_expect_eq(cursor_count(&c, 4, 1, "things"), 0);
    cursor_seek(&c, 0);
    cr_expect_eq(cursor_offset(&c), 4, "and does not move");
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect_eq(err.where, HD_AT_BYTE);
    cr_expect_eq(err.at, 4);
    cr_expect_not_null(strstr(err.message, "the file ends here, 3 bytes too early"));
}

Test(cursor, over_no_bytes_is_at_its_end)
{
    struct hd_error err = {0};
    struct cursor c = cursor_over((struct bytes){NULL, 0}, &err);
    cr_expect_eq(cursor_left(&c), 0);
    cr_expect_eq(cursor_peek(&c), -1);
    cr_expect(cursor_ok(&c));
    cr_expect_eq(cursor_u8(&c), 0);
    cr_expect_eq(err.at, 0);
    cr_expect_eq(err.status, HD_BAD_FORMAT);
}

Test(cursor, a_trial_fails_without_a_word)
{
    struct cursor c = over("", 0, NULL);
    cr_expect_not(cursor_fail(&c, "a reason"));
    cr_expect_not(cursor_ok(&c));
}

Test(cursor, a_copy_can_be_returned_to)
{
    struct cursor c = over("\x01\x02", 2, NULL), before = c;
    cursor_u64(&c);
    cr_expect_not(cursor_ok(&c));
    c = before;
    cr_expect(cursor_ok(&c));
    cr_expect_eq(cursor_u8(&c), 1);
}

Test(cursor, peeking_consumes_nothing)
{
    struct cursor c = over("\xff\x02", 2, NULL);
    cr_expect_eq(cursor_peek(&c), 0xff);
    cr_expect_eq(cursor_peek(&c), 0xff);
    cr_expect_eq(cursor_u8(&c), 0xff);
    cr_expect_eq(cursor_peek(&c), 2);
    cursor_u8(&c);
    cr_expect_eq(cursor_peek(&c), -1);
    cr_expect(cursor_ok(&c), "looking is not failing");
}

Test(cursor, bytes_are_borrowed)
{
    static const char data[] = "abcdef";
    struct cursor c = over(data, 6, NULL);
    cr_expect_eq((const char *)cursor_bytes(&c, 4), data);
    cr_expect_eq((const char *)cursor_bytes(&c, 0), data + 4);
    cr_expect_null(cursor_bytes(&c, 3));
    cr_expect_not(cursor_ok(&c));
    c = over(data, 6, NULL);
    cr_expect_null(cursor_bytes(&c, SIZE_MAX));
}

Test(cursor, seeks_to_the_end_but_not_beyond_it)
{
    struct hd_error err = {0};
    struct cursor c = over("abc", 3, &err);
    cursor_seek(&c, 3);
    cr_expect(cursor_ok(&c));
    cr_expect_eq(cursor_left(&c), 0);
    cursor_seek(&c, 1);
    cr_expect_eq(cursor_u8(&c), 'b');
    cursor_seek(&c, UINT64_MAX);
    cr_expect_not(cursor_ok(&c));
    cr_expect_eq(cursor_offset(&c), 2, "it stays where it was");
    cr_expect_eq(err.at, 2);
    cr_expect_not_null(strstr(err.message, "0xffffffffffffffff"));
}

Test(cursor, a_count_is_as_large_as_the_rest_of_the_file_allows)
{
    /* 12 bytes after the count: 3 elements of 4 bytes, or of 3. */
    static const struct {
        uint32_t count;
        size_t min_size;
        bool fits;
    } cases[] = {{0, 4, true},  {3, 4, true},   {4, 4, false},  {4, 3, true},
                 {12, 1, true}, {13, 1, false}, {1, 13, false}, {UINT32_MAX, 1, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (size_t count_size = 4; count_size <= 8; count_size += 4) {
            char bytes[20] = {0};
            for (size_t k = 0; k < 4; k++)
                bytes[k] = (char)(unsigned char)(cases[i].count >> (8 * k));
            struct hd_error err = {0};
            struct cursor c = over(bytes, count_size + 12, &err);
            uint64_t got = cursor_count(&c, count_size, cases[i].min_size, "things");
            cr_expect_eq(cursor_ok(&c), cases[i].fits, "case %zu", i);
            cr_expect_eq(got, cases[i].fits ? cases[i].count : 0, "case %zu", i);
            cr_expect_eq(cursor_offset(&c), cases[i].fits ? count_size : 0);
        }
}

Test(cursor, a_count_that_cannot_be_names_itself_and_its_place)
{
    struct hd_error err = {0};
    struct cursor c = over("..\xff\xff\xff\xffzz", 8, &err);
    cursor_seek(&c, 2);
    cr_expect_eq(cursor_count(&c, 4, 12, "nodes"), 0);
    cr_expect_eq(err.at, 2);
    cr_expect_not_null(
        strstr(err.message, "4294967295 nodes do not fit into the remaining 2 bytes"));
}

Test(cursor, a_count_of_64_bits_does_not_overflow)
{
    /* 2^64 - 1; and 2^61, which times 8 is 0. */
    static const char *const counts[] = {"\xff\xff\xff\xff\xff\xff\xff\xff........",
                                         "\0\0\0\0\0\0\0\x20........"};
    for (size_t i = 0; i < 2; i++) {
        struct cursor c = over(counts[i], 16, NULL);
        cr_expect_eq(cursor_count(&c, 8, 8, "things"), 0);
        cr_expect_not(cursor_ok(&c));
    }
}

/* Every read, from memory of the exact size: a sanitizer reports one byte too many. */
Test(cursor, never_reads_beyond_the_end)
{
    for (size_t size = 0; size < 9; size++) {
        unsigned char *bytes = malloc(size > 0 ? size : 1);
        cr_assert_not_null(bytes);
        memset(bytes, 0xAA, size);
        for (size_t at = 0; at <= size; at++) {
            struct cursor c = cursor_over((struct bytes){bytes, size}, NULL);
            cursor_seek(&c, at);
            struct cursor u8 = c, u32 = c, u64 = c, f32 = c;
            cursor_u8(&u8);
            cursor_u32(&u32);
            cursor_u64(&u64);
            cursor_f32(&f32);
            cr_expect_eq(cursor_ok(&u8), size - at >= 1);
            cr_expect_eq(cursor_ok(&u32), size - at >= 4);
            cr_expect_eq(cursor_ok(&u64), size - at >= 8);
            cr_expect_eq(cursor_ok(&f32), size - at >= 4);
        }
        free(bytes);
    }
}

Test(cursor, a_long_reason_is_cut)
{
    struct hd_error err = {0};
    struct cursor c = over("", 0, &err);
    cursor_fail(&c, "%1000d", 1);
    cr_expect_eq(strlen(err.message), sizeof(err.message) - 1);
}
