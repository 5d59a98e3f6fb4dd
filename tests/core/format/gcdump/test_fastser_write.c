#include "format/gcdump/fastser.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct hd_memory memory;
static struct out out;

static struct fastser_write begin(void)
{
    memory = (struct hd_memory){0};
    out = (struct out){.to = hd_sink_memory(&memory)};
    return fastser_write_begin(&out);
}

static struct fastser end(struct fastser_write *f, struct hd_error *err)
{
    fastser_put_trailer(f);
    cr_assert(out_finish(&out, NULL));
    cr_expect_eq(f->at, memory.size);
    return fastser_open((struct bytes){(unsigned char *)memory.bytes, memory.size}, err);
}

static void expect_string(const char *written, const char *read, int32_t units)
{
    struct hd_error err = {0};
    struct fastser_write f = begin();
    fastser_put_string(&f, written);
    struct fastser r = end(&f, &err);
    struct cursor ahead = r.c;
    cr_expect_eq(cursor_i32(&ahead), units, "%s", written);
    struct text t = {0};
    cr_expect_eq(fastser_string(&r, &t), read != NULL);
    if (read != NULL)
        cr_expect_str_eq(text_string(&t), read);
    text_free(&t);
    hd_memory_free(&memory);
}

Test(fastser_write, strings_are_utf_16_units)
{
    expect_string("", "", 0);
    expect_string("App.Order", "App.Order", 9);
    expect_string("Größe", "Größe", 5);
    expect_string("注文", "注文", 2);
    expect_string("a\xF0\x9F\x98\x80z", "a\xF0\x9F\x98\x80z", 4);
    expect_string(NULL, NULL, -1);
}

Test(fastser_write, keeps_lone_surrogates_and_replaces_invalid_utf_8)
{
    expect_string("x\xED\xA0\x80y", "x\xED\xA0\x80y", 3);
    expect_string("\xED\xB0\x80", "\xED\xB0\x80", 1);
    expect_string("a\xFFz", "a\xEF\xBF\xBDz", 3);
    expect_string("\xE6\xB3", "\xEF\xBF\xBD\xEF\xBF\xBD", 2);
}

Test(fastser_write, writes_a_type_once_and_a_label_from_then_on)
{
    struct hd_error err = {0};
    struct fastser_write f = begin();
    for (int i = 0; i < 2; i++) {
        fastser_put_begin(&f, "Some.Type", 7, 3);
        fastser_put_u32(&f, 40);
        fastser_put_end(&f);
    }
    fastser_put_reference(&f, 24);
    struct fastser r = end(&f, &err);
    for (int i = 0; i < 2; i++) {
        struct fastser_type type;
        cr_expect_eq(fastser_expect(&r, "Some.Type", 3, &type), FIELD_OBJECT);
        cr_expect_eq(type.version, 7);
        cr_expect_eq(type.min_reader, 3);
        cr_expect_eq(cursor_u32(&r.c), 40);
        cr_expect(fastser_end(&r));
    }
    struct fastser_type type;
    cr_expect_eq(fastser_begin(&r, &type), FIELD_REFERENCE);
    cr_expect_eq(type.label, 24);
    cr_expect(cursor_ok(&r.c));
    hd_memory_free(&memory);
}

Test(fastser_write, the_ends_of_regions_are_at_the_end_of_the_file)
{
    struct hd_error err = {0};
    struct fastser_write f = begin();
    uint32_t first = fastser_put_region(&f);
    fastser_put_null(&f);
    fastser_put_region_end(&f, first);
    uint64_t first_end = f.at;
    uint32_t second = fastser_put_untagged_region(&f);
    fastser_put_f32(&f, 1.5F);
    fastser_put_region_end(&f, second);
    struct fastser r = end(&f, &err);
    cr_expect(r.has_trailer);
    cr_expect_eq(r.label_size, 4);
    cr_expect_eq(r.forward_count, 2);
    cr_expect_eq(fastser_forward(&r, first), first_end);
    cr_expect_eq(fastser_forward(&r, second), first_end + 8);
    hd_memory_free(&memory);
}
