/* Numbers from memory, for people and for programs: every kind in every size. */
#include "clr/managed/core_fields.h"
#include "report/object_words.h"

#include <criterion/criterion.h>
#include <string.h>

struct number_case {
    enum hd_field_kind kind;
    bool is_signed;
    uint32_t size;
    uint64_t bits;
    const char *type, *shown;
};

static void expect_shown(const struct number_case *c)
{
    const struct clr_field field = {
        .kind = c->kind, .is_signed = c->is_signed, .size = c->size};
    struct hd_field v = {.kind = c->kind, .type = c->type};
    struct text t = {0};
    struct arena a = {0};
    unsigned char bytes[8];
    /* Bytes after a small number are ignored. */
    memset(bytes, 0xA5, sizeof(bytes));
    le_put(bytes, c->bits, c->size);
    core_value_of(&field, bytes, &a, &v);
    object_add_plain(&t, &v);
    cr_expect_str_eq(text_string(&t), c->shown, "%s for %s", text_string(&t), c->shown);
    text_free(&t);
    arena_free(&a);
}

#define ALL_ONES UINT64_MAX
#define TOP UINT64_C(0x8000000000000000)

Test(core_values, integers_and_enums_of_every_size_and_sign)
{
    static const struct number_case all[] = {
        {HD_FIELD_SIGNED, true, 1, 0x80, NULL, "-128"},
        {HD_FIELD_SIGNED, true, 2, 0x8000, NULL, "-32768"},
        {HD_FIELD_SIGNED, true, 4, UINT32_MAX, NULL, "-1"},
        {HD_FIELD_SIGNED, true, 8, TOP, NULL, "-9223372036854775808"},
        {HD_FIELD_UNSIGNED, false, 1, 0x80, NULL, "128"},
        {HD_FIELD_UNSIGNED, false, 2, 0x8000, NULL, "32768"},
        {HD_FIELD_UNSIGNED, false, 4, UINT32_MAX, NULL, "4294967295"},
        {HD_FIELD_UNSIGNED, false, 8, TOP, NULL, "9223372036854775808"},
        {HD_FIELD_ENUM, true, 1, 0x80, "Shop.Level", "-128"},
        {HD_FIELD_ENUM, true, 2, 0xFFFF, "Shop.Level", "-1"},
        {HD_FIELD_ENUM, true, 4, UINT32_MAX, "Shop.Level", "-1"},
        {HD_FIELD_ENUM, true, 8, ALL_ONES, "Shop.Level", "-1"},
        {HD_FIELD_ENUM, false, 1, 0x80, "Shop.Level", "128"},
        {HD_FIELD_ENUM, false, 2, 0xFFFF, "Shop.Level", "65535"},
        {HD_FIELD_ENUM, false, 4, UINT32_MAX, "Shop.Level", "4294967295"},
        {HD_FIELD_ENUM, false, 8, TOP, "Shop.Level", "9223372036854775808"},
        {HD_FIELD_ENUM, false, 8, ALL_ONES, "Shop.Level", "18446744073709551615"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        expect_shown(&all[i]);
}

Test(core_values, addresses_are_hexadecimal)
{
    static const struct number_case all[] = {
        {HD_FIELD_UNSIGNED, false, 8, 0x1234, "System.Int32*", "0x1234"},
        {HD_FIELD_SIGNED, true, 8, ALL_ONES, "System.IntPtr", "0xffffffffffffffff"},
        {HD_FIELD_UNSIGNED, false, 8, 16, "System.UIntPtr", "0x10"},
        {HD_FIELD_UNSIGNED, false, 8, 0x7f0012345678, "FNPTR", "0x7f0012345678"},
        {HD_FIELD_UNSIGNED, false, 8, 0x1234, "System.UInt64", "4660"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        expect_shown(&all[i]);
}

static uint64_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

Test(core_values, reals_have_the_digits_that_tell_them_apart)
{
    const struct number_case all[] = {
        {HD_FIELD_FLOAT, false, 4, bits_of(1.1F), NULL, "1.1"},
        {HD_FIELD_FLOAT, false, 4, bits_of(1.5F), NULL, "1.5"},
        {HD_FIELD_FLOAT, false, 4, bits_of(-0.1F), NULL, "-0.1"},
        {HD_FIELD_FLOAT, false, 4, bits_of(16777216.0F), NULL, "16777216"},
        {HD_FIELD_FLOAT, false, 4, bits_of(3.4028235e38F), NULL, "3.4028235E+38"},
        {HD_FIELD_FLOAT, false, 4, 1, NULL, "1E-45"},
        {HD_FIELD_FLOAT, false, 4, 0x7f800000, NULL, "Infinity"},
        {HD_FIELD_FLOAT, false, 4, 0x7fc00000, NULL, "NaN"},
        {HD_FIELD_FLOAT, false, 8, bits_of_double(1.1), NULL, "1.1"},
        {HD_FIELD_FLOAT, false, 8, bits_of_double((double)1.1F), NULL,
         "1.100000023841858"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        expect_shown(&all[i]);
}

/* Digits from Python's struct, which rounds a double to a half. */
Test(core_values, halves)
{
    static const struct number_case all[] = {
        {HD_FIELD_FLOAT, false, 2, 0x0001, NULL, "6E-08"},
        {HD_FIELD_FLOAT, false, 2, 0x0002, NULL, "1E-07"},
        {HD_FIELD_FLOAT, false, 2, 0x0003, NULL, "2E-07"},
        {HD_FIELD_FLOAT, false, 2, 0x03FF, NULL, "6.1E-05"},
        {HD_FIELD_FLOAT, false, 2, 0x0400, NULL, "6.104E-05"},
        {HD_FIELD_FLOAT, false, 2, 0x3C00, NULL, "1"},
        {HD_FIELD_FLOAT, false, 2, 0x3C01, NULL, "1.001"},
        {HD_FIELD_FLOAT, false, 2, 0x7BFF, NULL, "65500"},
        {HD_FIELD_FLOAT, false, 2, 0x7BFE, NULL, "65470"},
        {HD_FIELD_FLOAT, false, 2, 0x3555, NULL, "0.3333"},
        {HD_FIELD_FLOAT, false, 2, 0x2E66, NULL, "0.1"},
        {HD_FIELD_FLOAT, false, 2, 0xC500, NULL, "-5"},
        {HD_FIELD_FLOAT, false, 2, 0x5640, NULL, "100"},
        {HD_FIELD_FLOAT, false, 2, 0x70E2, NULL, "10000"},
        {HD_FIELD_FLOAT, false, 2, 0x1E75, NULL, "0.006306"},
        {HD_FIELD_FLOAT, false, 2, 0x4BDB, NULL, "15.71"},
        {HD_FIELD_FLOAT, false, 2, 0x45A9, NULL, "5.66"},
        {HD_FIELD_FLOAT, false, 2, 0x10B1, NULL, "0.0005727"},
        {HD_FIELD_FLOAT, false, 2, 0x2F5A, NULL, "0.11487"},
        {HD_FIELD_FLOAT, false, 2, 0x753D, NULL, "21460"},
        {HD_FIELD_FLOAT, false, 2, 0x4D4D, NULL, "21.2"},
        {HD_FIELD_FLOAT, false, 2, 0x3CAD, NULL, "1.169"},
        {HD_FIELD_FLOAT, false, 2, 0x5017, NULL, "32.72"},
        {HD_FIELD_FLOAT, false, 2, 0x4A59, NULL, "12.695"},
        {HD_FIELD_FLOAT, false, 2, 0x0000, NULL, "0"},
        {HD_FIELD_FLOAT, false, 2, 0x8000, NULL, "-0"},
        {HD_FIELD_FLOAT, false, 2, 0x7C00, NULL, "Infinity"},
        {HD_FIELD_FLOAT, false, 2, 0xFC00, NULL, "-Infinity"},
        {HD_FIELD_FLOAT, false, 2, 0x7E00, NULL, "NaN"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        expect_shown(&all[i]);
}

/* --- structs, and values that there may not be ------------------------------------ */

static void expect_value(const struct clr_field *field, const unsigned char *bytes,
                         const char *wanted)
{
    struct hd_field v = {.kind = field->kind};
    struct arena a = {0};
    struct text t = {0};
    core_value_of(field, bytes, &a, &v);
    object_add_plain(&t, &v);
    cr_expect_str_eq(text_string(&t), wanted);
    text_free(&t);
    arena_free(&a);
}

Test(core_values, a_nullable_is_its_value_or_null)
{
    const struct clr_field
        number = {.kind = HD_FIELD_SIGNED, .is_signed = true, .inside = 4, .size = 4},
        date = {.kind = HD_FIELD_STRUCT, .form = CLR_DATE_TIME, .inside = 8, .size = 8};
    unsigned char bytes[16] = {1, 0xA5, 0xA5, 0xA5, 0xF9, 0xFF, 0xFF, 0xFF};
    expect_value(&number, bytes, "-7");
    memset(bytes + 8, 0, 8);
    expect_value(&date, bytes, "0001-01-01 00:00:00.0000000");
    bytes[0] = 0;
    expect_value(&number, bytes, "null");
    expect_value(&date, bytes, "null");
}

/* The runtime chooses the layout; .NET 10 stores the minutes in four bytes. */
Test(core_values, the_parts_of_a_date_with_an_offset)
{
    struct clr_field field = {.kind = HD_FIELD_STRUCT,
                              .form = CLR_DATE_TIME_OFFSET,
                              .size = 12,
                              .date_at = 4,
                              .minutes_at = 0,
                              .minutes_size = 4};
    unsigned char bytes[16] = {0xC4, 0xFF, 0xFF, 0xFF};
    le_put(bytes + 4, UINT64_C(864000000000), 8);
    expect_value(&field, bytes, "0001-01-01 23:00:00.0000000-01:00");
    field.minutes_size = 2;
    bytes[2] = 0xA5;
    expect_value(&field, bytes, "0001-01-01 23:00:00.0000000-01:00");
}

Test(core_values, an_invalid_date_is_shown_as_bytes)
{
    const struct clr_field field = {
        .kind = HD_FIELD_STRUCT, .form = CLR_DATE_TIME, .size = 8};
    unsigned char bytes[16];
    memset(bytes, 0xFF, sizeof(bytes));
    expect_value(&field, bytes, "0xffffffffffffffff");
}
