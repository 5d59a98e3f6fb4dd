/* Numbers out of memory, and how people and programs read them: every kind in every size.
 */
#include "format/core/core_fields.h"
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
    unsigned char bytes[8];
    /* What follows a small one is none of it. */
    memset(bytes, 0xA5, sizeof(bytes));
    le_put(bytes, c->bits, c->size);
    core_value_number(&field, bytes, &v);
    object_add_plain(&t, &v);
    cr_expect_str_eq(text_string(&t), c->shown, "%s for %s", text_string(&t), c->shown);
    text_free(&t);
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
        {HD_FIELD_FLOAT, false, 4, bits_of(3.4028235e38F), NULL, "3.4028235e+38"},
        {HD_FIELD_FLOAT, false, 4, 1, NULL, "1e-45"},
        {HD_FIELD_FLOAT, false, 4, 0x7f800000, NULL, "Infinity"},
        {HD_FIELD_FLOAT, false, 4, 0x7fc00000, NULL, "NaN"},
        {HD_FIELD_FLOAT, false, 8, bits_of_double(1.1), NULL, "1.1"},
        {HD_FIELD_FLOAT, false, 8, bits_of_double((double)1.1F), NULL,
         "1.100000023841858"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        expect_shown(&all[i]);
}
