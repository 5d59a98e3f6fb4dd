#include "format/gcdump/fastser.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define SIGNATURE "\x14\0\0\0!FastSerialization.1"

enum { START = 24 }; /* after the signature */

/* A file: the signature, a body, and a trailer with forward labels. */
struct file {
    struct text data;
    struct hd_error err;
};

static void put(struct text *t, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        text_add_char(t, (char)(unsigned char)(value >> (8 * i)));
}

static void begin(struct file *f, const char *body, size_t size)
{
    *f = (struct file){0};
    text_add(&f->data, SIGNATURE, START);
    text_add(&f->data, body, size);
}

/* label_size is 4 or 8; forwards are offsets. */
static void put_trailer(struct file *f, unsigned label_size, const uint64_t *forwards,
                        uint32_t count)
{
    uint64_t table = f->data.len;
    put(&f->data, count, 4);
    for (uint32_t i = 0; i < count; i++)
        put(&f->data, forwards[i], label_size);
    uint64_t trailer = f->data.len;
    put(&f->data, table, label_size);
    put(&f->data, trailer, label_size);
}

static struct fastser open_file(struct file *f)
{
    struct bytes bytes = {(const unsigned char *)f->data.data, f->data.len};
    return fastser_open(bytes, &f->err);
}

static void end(struct file *f)
{
    text_free(&f->data);
}

#define BEGIN(f, body) begin((f), (body), sizeof(body) - 1)

static void expect_failed(struct file *file, const struct fastser *f, const char *why)
{
    cr_expect_not(cursor_ok(&f->c), "%s", why);
    cr_expect_eq(file->err.status, HD_BAD_FORMAT);
    cr_expect_not_null(strstr(file->err.message, why), "%s, and not: %s", file->err.message,
                       why);
}

/* --- signature and trailer ------------------------------------------------------- */

Test(fastser, starts_after_the_signature)
{
    struct file file;
    BEGIN(&file, "\x06");
    put_trailer(&file, 4, NULL, 0);
    struct fastser f = open_file(&file);
    cr_expect(cursor_ok(&f.c));
    cr_expect_eq(cursor_offset(&f.c), START);
    cr_expect(f.has_trailer);
    cr_expect_eq(f.forward_count, 0);
    end(&file);
}

Test(fastser, without_the_signature_it_is_something_else)
{
    static const char *const wrong[] = {"", "\x14", "!FastSerialization.1",
                                        "Nettrace\x14....!FastSerialization.1",
                                        "\x14...!FastSerialization.1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct hd_error err = {0};
        struct bytes bytes = {(const unsigned char *)wrong[i], strlen(wrong[i])};
        struct fastser f = fastser_open(bytes, &err);
        cr_expect_not(cursor_ok(&f.c), "%s", wrong[i]);
        cr_expect_eq(err.status, HD_BAD_FORMAT);
    }
}

Test(fastser, the_width_of_labels_is_found_at_the_end_of_the_file)
{
    static const uint64_t forwards[] = {30, 26, 31};
    for (unsigned width = 4; width <= 8; width += 4) {
        struct file file;
        BEGIN(&file, "some bytes\x06");
        put_trailer(&file, width, forwards, 3);
        struct fastser f = open_file(&file);
        cr_expect(f.has_trailer);
        cr_expect_eq(f.label_size, width);
        cr_expect_eq(f.forward_count, 3);
        for (uint32_t i = 0; i < 3; i++)
            cr_expect_eq(fastser_forward(&f, i), forwards[i]);
        cr_expect_eq(cursor_offset(&f.c), START, "looking does not move");
        cr_expect_eq(fastser_forward(&f, 3), 0);
        expect_failed(&file, &f, "forward reference 3 of 3");
        end(&file);
    }
}

Test(fastser, labels_above_two_gibibytes_are_unsigned)
{
    static const uint64_t forwards[] = {0xFFFFFFF0};
    struct file file;
    BEGIN(&file, "\x06");
    put_trailer(&file, 4, forwards, 1);
    struct fastser f = open_file(&file);
    cr_expect_eq(fastser_forward(&f, 0), 0xFFFFFFF0);
    end(&file);
}

Test(fastser, a_file_without_its_end_has_labels_of_four_bytes_and_no_forwards)
{
    static const uint64_t forwards[] = {30};
    for (size_t cut = 1; cut < 16; cut++) {
        struct file file;
        BEGIN(&file, "some bytes\x06");
        put_trailer(&file, 4, forwards, 1);
        file.data.len -= cut;
        struct fastser f = open_file(&file);
        cr_expect(cursor_ok(&f.c), "cut by %zu", cut);
        cr_expect_not(f.has_trailer, "cut by %zu", cut);
        cr_expect_eq(f.label_size, 4);
        cr_expect_eq(fastser_forward(&f, 0), 0);
        expect_failed(&file, &f, "the file is truncated");
        end(&file);
    }
}

Test(fastser, an_inconsistent_trailer_is_ignored)
{
    static const uint64_t forwards[] = {30};
    /* From the end: the suffix, the trailer, the label, the count. */
    for (size_t at = 1; at <= 16; at++) {
        if (at > 8 && at <= 12)
            continue; /* a label: any value is valid */
        struct file file;
        BEGIN(&file, "some bytes\x06");
        put_trailer(&file, 4, forwards, 1);
        file.data.data[file.data.len - at] ^= 0x40;
        struct fastser f = open_file(&file);
        cr_expect(cursor_ok(&f.c));
        cr_expect_not(f.has_trailer, "byte %zu from the end", at);
        end(&file);
    }
}

/* --- strings --------------------------------------------------------------------- */

static void expect_string_of(const char *body, size_t size, const char *wanted)
{
    struct file file;
    struct text got = {0};
    begin(&file, body, size);
    struct fastser f = open_file(&file);
    cr_expect(fastser_string(&f, &got));
    cr_expect_str_eq(text_string(&got), wanted);
    cr_expect_eq(cursor_left(&f.c), 0, "all of it: %s", wanted);
    text_free(&got);
    f = open_file(&file);
    cr_expect(fastser_string(&f, NULL), "skipped");
    cr_expect_eq(cursor_left(&f.c), 0, "all of it: %s", wanted);
    end(&file);
}

#define EXPECT_STRING(body, wanted) expect_string_of((body), sizeof(body) - 1, (wanted))

Test(fastser, strings_are_counted_in_units_of_utf16)
{
    EXPECT_STRING("\0\0\0\0", "");
    EXPECT_STRING("\5\0\0\0Order", "Order");
    EXPECT_STRING("\2\0\0\0\xC3\xAFz", "\xC3\xAFz");
    EXPECT_STRING("\1\0\0\0\xE6\xBC\xA2", "\xE6\xBC\xA2");
    EXPECT_STRING("\3\0\0\0\xED\xA0\xBD\xED\xB8\x80!", "\xF0\x9F\x98\x80!");
}

Test(fastser, lone_surrogates_stay_three_bytes)
{
    EXPECT_STRING("\1\0\0\0\xED\xA0\xBD", "\xED\xA0\xBD");
    EXPECT_STRING("\2\0\0\0\xED\xB8\x80z", "\xED\xB8\x80z");
    EXPECT_STRING("\2\0\0\0\xED\xA0\xBDz", "\xED\xA0\xBDz");
    EXPECT_STRING("\3\0\0\0\xED\xA0\xBD\xED\xA0\xBD\xED\xB8\x80",
                  "\xED\xA0\xBD\xF0\x9F\x98\x80");
    EXPECT_STRING("\2\0\0\0\xED\xB8\x80\xED\xA0\xBD", "\xED\xB8\x80\xED\xA0\xBD");
}

/* Names are C strings. */
Test(fastser, a_nul_inside_becomes_a_replacement)
{
    EXPECT_STRING("\3\0\0\0a\0b", "a\xEF\xBF\xBD"
                                  "b");
    EXPECT_STRING("\1\0\0\0\xC0\x80", "\xEF\xBF\xBD");
}

/* Microsoft's reader does not check the groups. */
Test(fastser, the_lead_byte_alone_gives_the_length_of_a_unit)
{
    EXPECT_STRING("\1\0\0\0\x80\x41", "\x01");
    EXPECT_STRING("\1\0\0\0\xFF\xFF\xFF", "\xEF\xBF\xBF");
}

Test(fastser, a_negative_length_is_the_null_string)
{
    struct file file;
    struct text got = {0};
    BEGIN(&file, "\xff\xff\xff\xff\x00\x00\x00\x80");
    struct fastser f = open_file(&file);
    cr_expect_not(fastser_string(&f, &got));
    cr_expect_not(fastser_string(&f, &got));
    cr_expect(cursor_ok(&f.c), "which is no failure");
    cr_expect_eq(cursor_left(&f.c), 0);
    cr_expect_eq(got.len, 0);
    end(&file);
}

Test(fastser, a_string_longer_than_the_file_is_refused)
{
    struct file file;
    BEGIN(&file, "\5\0\0\0name");
    struct fastser f = open_file(&file);
    cr_expect_not(fastser_string(&f, NULL));
    expect_failed(&file, &f, "a string of 5 units does not fit");
    cr_expect_eq(file.err.at, START);
    end(&file);

    BEGIN(&file, "\2\0\0\0\xE6\xBC"); /* the units fit, their bytes do not */
    f = open_file(&file);
    struct text got = {0};
    cr_expect_not(fastser_string(&f, &got));
    expect_failed(&file, &f, "the file ends here");
    text_free(&got);
    end(&file);
}

/* --- objects --------------------------------------------------------------------- */

#define THING "\x05\0\0\0Thing"
#define TYPE_OF_THING "\x04\x01\x02\0\0\0\x01\0\0\0" THING "\x06"

Test(fastser, an_object_begins_with_its_type)
{
    struct file file;
    BEGIN(&file, "\x04" TYPE_OF_THING "\x06");
    struct fastser f = open_file(&file);
    struct fastser_type type;
    cr_assert_eq(fastser_begin(&f, &type), FIELD_OBJECT);
    cr_expect_str_eq(type.name, "Thing");
    cr_expect_eq(type.version, 2);
    cr_expect_eq(type.min_reader, 1);
    cr_expect_eq(type.label, START);
    cr_expect(fastser_end(&f));
    cr_expect_eq(cursor_left(&f.c), 0);
    end(&file);
}

Test(fastser, the_second_object_of_a_type_refers_to_the_first)
{
    for (unsigned width = 4; width <= 8; width += 4) {
        struct file file;
        BEGIN(&file, "\x04" TYPE_OF_THING "\x06");
        uint64_t second = file.data.len;
        text_add(&file.data, "\x04\x02", 2);
        put(&file.data, START + 1, width);
        text_add(&file.data, "\x06", 1);
        put_trailer(&file, width, NULL, 0);
        struct fastser f = open_file(&file);
        struct fastser_type type;
        fastser_begin(&f, &type);
        fastser_end(&f);
        cr_assert_eq(fastser_begin(&f, &type), FIELD_OBJECT, "%s", file.err.message);
        cr_expect_str_eq(type.name, "Thing");
        cr_expect_eq(type.label, second);
        cr_expect(fastser_end(&f));
        end(&file);
    }
}

Test(fastser, a_field_may_be_null_or_an_object_from_before)
{
    struct file file;
    BEGIN(&file, "\x01\x02\x78\x56\x34\x12");
    struct fastser f = open_file(&file);
    struct fastser_type type;
    cr_expect_eq(fastser_begin(&f, &type), FIELD_NULL);
    cr_expect_eq(fastser_begin(&f, &type), FIELD_REFERENCE);
    cr_expect_eq(type.label, 0x12345678);
    cr_expect_eq(fastser_begin(&f, &type), FIELD_FAILED, "nothing is left");
    end(&file);
}

Test(fastser, a_forward_definition_belongs_to_the_object)
{
    struct file file;
    BEGIN(&file, "\x07\0\0\0\0\x04" TYPE_OF_THING "\x06");
    struct fastser f = open_file(&file);
    struct fastser_type type;
    cr_assert_eq(fastser_begin(&f, &type), FIELD_OBJECT);
    cr_expect_eq(type.label, START);
    end(&file);
}

static void expect_no_object(const char *body, size_t size, const char *why)
{
    struct file file;
    begin(&file, body, size);
    struct fastser f = open_file(&file);
    struct fastser_type type;
    cr_expect_eq(fastser_begin(&f, &type), FIELD_FAILED, "%s", why);
    expect_failed(&file, &f, why);
    end(&file);
}

#define EXPECT_NO_OBJECT(body, why) expect_no_object((body), sizeof(body) - 1, (why))

Test(fastser, an_invalid_object_is_refused)
{
    EXPECT_NO_OBJECT("", "the file ends where an object should follow");
    EXPECT_NO_OBJECT("\x06", "expected an object, found tag 6");
    EXPECT_NO_OBJECT("\x04\x06", "expected a type");
    EXPECT_NO_OBJECT("\x04\x04\x06", "expected the type of a type");
    EXPECT_NO_OBJECT("\x04\x04\x01\0\0\0\0\0\0\0\0\xff\xff\xff\xff\x06", "without a name");
    EXPECT_NO_OBJECT("\x04\x04\x01\0\0\0\0\0\0\0\0" THING "\x05", "the end of a type");
}

Test(fastser, a_reference_to_a_type_leads_to_a_type)
{
    EXPECT_NO_OBJECT("\x04\x02\xff\xff\xff\x7f", "beyond the end of the file");
    EXPECT_NO_OBJECT("\x04\x02\x18\0\0\0", "expected the type of a type"); /* to itself */
    EXPECT_NO_OBJECT("\x04\x02\x19\0\0\0", "expected a type"); /* to a reference */
}

Test(fastser, names_of_types_are_cut_and_very_long_ones_refused)
{
    enum { LENGTHS = 4 };
    static const size_t lengths[LENGTHS] = {39, 40, 500, 501};
    for (size_t i = 0; i < LENGTHS; i++) {
        struct file file;
        BEGIN(&file, "\x04\x04\x01\0\0\0\0\0\0\0\0");
        put(&file.data, lengths[i], 4);
        for (size_t k = 0; k < lengths[i]; k++)
            text_add_char(&file.data, 'x');
        text_add(&file.data, "\x06\x06", 2);
        struct fastser f = open_file(&file);
        struct fastser_type type;
        bool ok = fastser_begin(&f, &type) == FIELD_OBJECT;
        cr_expect_eq(ok, lengths[i] <= 500, "%zu", lengths[i]);
        if (ok)
            cr_expect_eq(strlen(type.name), sizeof(type.name) - 1);
        end(&file);
    }
}

static enum fastser_field expect_thing(struct file *file, const char *name, int32_t version)
{
    struct fastser f = open_file(file);
    struct fastser_type type;
    return fastser_expect(&f, name, version, &type);
}

Test(fastser, expects_an_object_of_a_name_that_this_reader_may_read)
{
    struct file file;
    BEGIN(&file, "\x04" TYPE_OF_THING "\x06");
    cr_expect_eq(expect_thing(&file, "Thing", 1), FIELD_OBJECT);
    cr_expect_eq(expect_thing(&file, "Thing", 9), FIELD_OBJECT);
    cr_expect_eq(expect_thing(&file, "Thin", 1), FIELD_FAILED);
    cr_expect_not_null(strstr(file.err.message, "a Thing instead of a Thin"));
    file.err = (struct hd_error){0};
    cr_expect_eq(expect_thing(&file, "Thing", 0), FIELD_FAILED);
    cr_expect_not_null(strstr(file.err.message, "readers of version 1 or later"));
    end(&file);
    BEGIN(&file, "\x02\0\0\0\0");
    cr_expect_eq(expect_thing(&file, "Thing", 1), FIELD_FAILED);
    cr_expect_not_null(strstr(file.err.message, "a reference instead of a new Thing"));
    end(&file);
    BEGIN(&file, "\x01");
    cr_expect_eq(expect_thing(&file, "Thing", 1), FIELD_NULL);
    end(&file);
}

/* --- the end of an object -------------------------------------------------------- */

Test(fastser, skips_fields_that_it_does_not_know)
{
    static const uint64_t forwards[] = {START + 12};
    struct file file;
    /* A region from byte 5 to 12 with arbitrary contents. */
    BEGIN(&file, "\x0c\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\x09\x06\x06\x06?");
    put_trailer(&file, 4, forwards, 1);
    struct fastser f = open_file(&file);
    cr_expect(fastser_end(&f));
    cr_expect_eq(cursor_u8(&f.c), '?');
    end(&file);
}

Test(fastser, an_object_must_end)
{
    static const struct {
        const char *body;
        size_t size;
        const char *why;
    } cases[] = {
        {"", 0, "the file ends here"},
        {"\x0a\x01", 2, "the file ends here"},
        {"\x0e\xff\xff\xff\x7f\x06", 6, "bytes do not fit"},
        {"\x0d\xff\xff\xff\x7f\x06", 6, "units does not fit"},
        {"\x04", 1, "unknown tag 4"},
        {"\x00", 1, "unknown tag 0"},
        {"\x0f", 1, "unknown tag 15"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct file file;
        begin(&file, cases[i].body, cases[i].size);
        struct fastser f = open_file(&file);
        cr_expect_not(fastser_end(&f));
        expect_failed(&file, &f, cases[i].why);
        end(&file);
    }
}

Test(fastser, a_region_must_end_where_declared)
{
    static const uint64_t forwards[] = {START, START + 4, START + 5, 1 << 30};
    for (uint32_t i = 0; i < 4; i++) {
        struct file file;
        BEGIN(&file, "\x0c\0\0\0\0\x06");
        file.data.data[START + 1] = (char)i;
        put_trailer(&file, 4, forwards, 4);
        struct fastser f = open_file(&file);
        cr_expect_eq(fastser_end(&f), i == 2, "ends at %u", (unsigned)forwards[i]);
        end(&file);
    }
}

Test(fastser, a_tag_is_consumed_only_if_it_is_the_wanted_one)
{
    struct file file;
    BEGIN(&file, "\x0d\x06");
    struct fastser f = open_file(&file);
    cr_expect_not(fastser_tag(&f, TAG_SKIP_REGION));
    cr_expect_eq(cursor_offset(&f.c), START);
    cr_expect(fastser_tag(&f, TAG_STRING));
    cr_expect(fastser_tag(&f, TAG_END));
    cr_expect_not(fastser_tag(&f, TAG_END));
    cr_expect(cursor_ok(&f.c));
    end(&file);
}
