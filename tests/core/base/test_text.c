#include "base/text.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void expect_text(struct text *t, const char *wanted)
{
    cr_expect_eq(t->len, strlen(wanted));
    cr_expect_str_eq(text_string(t), wanted);
}

Test(text, an_empty_one_is_an_empty_string)
{
    struct text t = {0};
    text_add(&t, "x", 0);
    cr_expect_null(t.data);
    expect_text(&t, "");
    text_free(&t);
    cr_expect_null(t.data);
    cr_expect_eq(t.cap, 0);
}

Test(text, pieces_are_appended)
{
    struct text t = {0};
    text_add_string(&t, "List<");
    text_add(&t, "Order, Shop", 5);
    text_add_char(&t, '>');
    expect_text(&t, "List<Order>");
    text_string(&t);
    text_add_string(&t, "[]");
    expect_text(&t, "List<Order>[]");
    text_free(&t);
}

Test(text, clearing_keeps_the_memory_but_not_the_bytes)
{
    struct text t = {0};
    text_add_string(&t, "before");
    size_t cap = t.cap;
    text_clear(&t);
    cr_expect_eq(t.cap, cap);
    text_add_char(&t, 'x');
    expect_text(&t, "x");
    text_free(&t);
}

Test(text, holds_any_bytes_nul_too)
{
    struct text t = {0};
    text_add(&t, "a\0b", 3);
    text_add(&t, "\xFF", 1);
    cr_expect_eq(t.len, 4);
    cr_expect_eq(memcmp(t.data, "a\0b\xFF", 4), 0);
    text_free(&t);
}

Test(text, grows_by_single_bytes_and_by_large_pieces)
{
    enum { MANY = 100000 };
    struct text t = {0};
    for (size_t i = 0; i < MANY; i++)
        text_add_char(&t, (char)('a' + i % 26));
    char *piece = calloc(1, MANY);
    cr_assert_not_null(piece);
    text_add(&t, piece, MANY);
    cr_assert_eq(t.len, 2 * MANY);
    for (size_t i = 0; i < MANY; i++)
        cr_assert(t.data[i] == (char)('a' + i % 26) && t.data[MANY + i] == 0);
    free(piece);
    text_free(&t);
}

/* --- code points ----------------------------------------------------------------- */

static void expect_code_point(uint32_t code, const char *wanted)
{
    struct text t = {0};
    text_add_code_point(&t, code);
    expect_text(&t, wanted);
    text_free(&t);
}

Test(text, writes_code_points_of_one_to_four_bytes)
{
    expect_code_point('A', "A");
    expect_code_point(0x7F, "\x7F");
    expect_code_point(0x80, "\xC2\x80");
    expect_code_point(0x7FF, "\xDF\xBF");
    expect_code_point(0x800, "\xE0\xA0\x80");
    expect_code_point(0xFFFF, "\xEF\xBF\xBF");
    expect_code_point(0x10000, "\xF0\x90\x80\x80");
    expect_code_point(0x1F600, "\xF0\x9F\x98\x80");
    expect_code_point(0x10FFFF, "\xF4\x8F\xBF\xBF");
}

Test(text, writes_lone_surrogates_as_three_bytes)
{
    expect_code_point(0xD800, "\xED\xA0\x80");
    expect_code_point(0xDFFF, "\xED\xBF\xBF");
}

Test(text, every_code_point_except_surrogates_is_read_back)
{
    struct text t = {0};
    for (uint32_t code = 0; code <= 0x10FFFF; code++) {
        bool surrogate = code >= 0xD800 && code <= 0xDFFF;
        text_clear(&t);
        text_add_code_point(&t, code);
        const unsigned char *bytes = (const unsigned char *)t.data;
        size_t wanted = surrogate ? 0 : t.len;
        cr_assert_eq(utf8_length(bytes, t.len), wanted, "U+%04X", code);
        if (!surrogate)
            cr_assert_eq(utf8_decode(bytes, t.len), code, "U+%04X", code);
        cr_assert_eq(utf8_length(bytes, t.len - 1), 0, "U+%04X cut", code);
    }
    text_free(&t);
}

/* --- UTF-8 ----------------------------------------------------------------------- */

Test(text, overlong_truncated_and_impossible_sequences_are_invalid_utf8)
{
    static const char *const bad[] = {
        "\x80",             /* a continuation byte alone */
        "\xC0\x80",         /* overlong NUL */
        "\xC1\xBF",         /* overlong DEL */
        "\xE0\x9F\xBF",     /* overlong U+07FF */
        "\xF0\x8F\xBF\xBF", /* overlong U+FFFF */
        "\xF4\x90\x80\x80", /* U+110000 */
        "\xF5\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xED\xA0\x80", /* surrogate */
        "\xC3",         /* truncated */
        "\xE2\x82",
        "\xF0\x9F\x98",
        "\xC3(", /* not a continuation byte */
        "\xE2(\xA1",
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        cr_expect_eq(utf8_length((const unsigned char *)bad[i], strlen(bad[i])), 0,
                     "sequence %zu", i);
    cr_expect_eq(utf8_length((const unsigned char *)"", 0), 0);
}

static void expect_utf8(const char *bytes, const char *wanted)
{
    struct text t = {0};
    text_add_utf8(&t, bytes, strlen(bytes));
    expect_text(&t, wanted);
    text_free(&t);
}

#define REPLACED "\xEF\xBF\xBD"

Test(text, invalid_utf8_is_replaced)
{
    expect_utf8("", "");
    expect_utf8("Orders", "Orders");
    expect_utf8("\xE6\xBC\xA2\xF0\x9F\x98\x80", "\xE6\xBC\xA2\xF0\x9F\x98\x80");
    expect_utf8("a\xFF"
                "b",
                "a" REPLACED "b");
    expect_utf8("\xC3\xC3\xA9", REPLACED "\xC3\xA9");
    expect_utf8("\xF0\x9F\x98", REPLACED REPLACED REPLACED);
}

Test(text, a_lone_surrogate_is_replaced_once)
{
    expect_utf8("\xED\xA0\xBDx", REPLACED "x");
    expect_utf8("\xED\xA0\xBD\xED\xB8\x80", REPLACED REPLACED);
    expect_utf8("\xED\xA0", REPLACED REPLACED);
}

Test(text, replacing_always_gives_utf8_and_changes_no_utf8)
{
    enum { ROUNDS = 20000, MAX = 12 };
    struct random random = random_from(4);
    struct text once = {0}, twice = {0};
    for (int round = 0; round < ROUNDS; round++) {
        /* Bytes that often occur together. */
        static const unsigned char usual[] = {'a',  0x80, 0xBF, 0xA0, 0xC3,
                                              0xE2, 0xED, 0xF0, 0xF4, 0x90};
        unsigned char bytes[MAX];
        size_t len = random_below(&random, MAX + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = usual[random_below(&random, sizeof(usual))];
        text_clear(&once);
        text_clear(&twice);
        text_add_utf8(&once, bytes, len);
        for (size_t i = 0, n; i < once.len; i += n) {
            n = utf8_length((const unsigned char *)once.data + i, once.len - i);
            cr_assert_gt(n, 0, "round %d", round);
        }
        text_add_utf8(&twice, once.data, once.len);
        cr_assert_eq(once.len, twice.len);
        cr_assert(once.len == 0 || memcmp(once.data, twice.data, once.len) == 0);
    }
    text_free(&once);
    text_free(&twice);
}

static void expect_columns(const char *s, size_t columns)
{
    cr_expect_eq(utf8_columns(s, strlen(s)), columns, "%s", s);
}

Test(text, columns_are_those_of_a_terminal)
{
    expect_columns("", 0);
    expect_columns("Order", 5);
    expect_columns("na\xC3\xAFve", 5);
    expect_columns("e\xCC\x81", 1);                /* combining acute */
    expect_columns("\xE6\xBC\xA2\xE5\xAD\x97", 4); /* wide */
    expect_columns("\xF0\x9F\x98\x80", 2);         /* emoji */
    expect_columns("\xE2\x96\x81\xE2\x96\x88", 2); /* bars */
    expect_columns("\xFF\xFE", 2);                 /* invalid UTF-8: a column each */
}

Test(text, knows_which_names_it_must_change)
{
    cr_expect_not(utf8_is_damaged(""));
    cr_expect_not(utf8_is_damaged("Größe 注文 \xF0\x9F\x98\x80"));
    cr_expect_not(utf8_is_damaged("x\xED\xA0\x80y"));
    cr_expect(utf8_is_damaged("a\xFF"));
    cr_expect(utf8_is_damaged("\xC3"));
}

static void expect_visible(const char *s, bool keep_lines, const char *wanted)
{
    struct text t = {0};
    text_add_visible(&t, s, strlen(s), keep_lines);
    cr_expect_str_eq(text_string(&t), wanted);
    text_free(&t);
}

Test(text, control_characters_are_written_out)
{
    static const char *const same[] = {"",
                                       "Gr\xC3\xB6\xC3\x9F"
                                       "e<\xE6\xBC\xA2>",
                                       "\xC2\xA0\xE2\x80\xA6\xE2\x80\xA7\xE2\x81\xA5",
                                       "a##b",
                                       "a::b",
                                       "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        expect_visible(same[i], false, same[i]);
        expect_visible(same[i], true, same[i]);
    }
    expect_visible("a\x1b\a\x7f", true, "a\\x1b\\x07\\x7f");
    expect_visible("\xC2\x80\xC2\x9F", true, "\\x80\\x9f");
    /* U+061C, 200E, 2028, 202A, 202E, 2066, 2069 */
    expect_visible("\xD8\x9C\xE2\x80\x8E\xE2\x80\xA8\xE2\x80\xAA\xE2\x80\xAE\xE2\x81\xA6"
                   "\xE2\x81\xA9",
                   false, "\\u061c\\u200e\\u2028\\u202a\\u202e\\u2066\\u2069");
    expect_visible("a\tb\nc\rd", false, "a\\tb\\nc\\rd");
    expect_visible("a\tb\nc\rd", true, "a\tb\nc\rd");
}

Test(text, commands_of_build_servers_are_disarmed)
{
    expect_visible("a##vso[x]###[y]#", true, "a#\\x23vso[x]##\\x23[y]#");
    expect_visible("::error::x::y", true, "\\x3a:error::x::y");
    expect_visible("a\n::error::", true, "a\n\\x3a:error::");
    expect_visible("a\r::error::", true, "a\r\\x3a:error::");
    expect_visible("##vso", true, "##vso");
    expect_visible(":", true, ":");
}
