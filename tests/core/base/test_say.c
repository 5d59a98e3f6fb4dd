#include "base/say.h"
#include "heapdrift.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect(struct text *got, const char *wanted)
{
    cr_expect_str_eq(text_string(got), wanted, "%s, not %s", text_string(got), wanted);
    text_free(got);
}

/* --- numbers --------------------------------------------------------------------- */

static void expect_count(uint64_t n, const char *wanted)
{
    struct text t = {0};
    format_count(&t, n);
    expect(&t, wanted);
}

Test(human, counts_have_thousands_separators)
{
    expect_count(0, "0");
    expect_count(7, "7");
    expect_count(999, "999");
    expect_count(1000, "1,000");
    expect_count(1234567, "1,234,567");
    expect_count(HD_UNKNOWN - 1, "18,446,744,073,709,551,614");
    expect_count(HD_UNKNOWN, "-");
}

static void expect_delta(uint64_t first, uint64_t last, const char *count, const char *size)
{
    struct text t = {0};
    format_delta(&t, first, last);
    expect(&t, count);
    format_size_delta(&t, first, last);
    expect(&t, size);
}

Test(human, deltas_have_a_sign_unless_nothing_changed)
{
    expect_delta(10, 2010, "+2,000", "+1.95 KiB");
    expect_delta(2010, 10, "-2,000", "-1.95 KiB");
    expect_delta(5, 5, "0", "0 B");
    expect_delta(HD_UNKNOWN, 5, "-", "-");
    expect_delta(5, HD_UNKNOWN, "-", "-");
    expect_delta(0, HD_UNKNOWN - 1, "+18,446,744,073,709,551,614", "+16.0 EiB");
}

static void expect_size(uint64_t bytes, const char *wanted)
{
    struct text t = {0};
    format_size(&t, bytes);
    expect(&t, wanted);
}

Test(human, sizes_have_three_digits_and_binary_units)
{
    expect_size(0, "0 B");
    expect_size(96, "96 B");
    expect_size(1023, "1023 B");
    expect_size(1024, "1.00 KiB");
    expect_size(1536, "1.50 KiB");
    expect_size(192000, "188 KiB");
    expect_size(1929380, "1.84 MiB");
    expect_size(24431821, "23.3 MiB");
    expect_size(1ULL << 30, "1.00 GiB");
    expect_size(1ULL << 40, "1.00 TiB");
    expect_size(1ULL << 50, "1.00 PiB");
    expect_size(1ULL << 60, "1.00 EiB");
    expect_size(HD_UNKNOWN - 1, "16.0 EiB");
    expect_size(HD_UNKNOWN, "-");
}

Test(human, rounding_never_makes_a_fourth_digit)
{
    expect_size(10234, "9.99 KiB");
    expect_size(10235, "10.0 KiB");  /* 9.9951 */
    expect_size(102348, "99.9 KiB"); /* 99.949 */
    expect_size(102349, "100 KiB");
    expect_size(1023487, "999 KiB"); /* 999.499 */
    expect_size(1023488, "0.98 MiB");
    expect_size(1048166, "1.00 MiB"); /* 1023.6 KiB */
}

static void expect_percent(double share, const char *wanted)
{
    struct text t = {0};
    format_percent(&t, share);
    expect(&t, wanted);
}

Test(human, small_shares_have_a_decimal)
{
    expect_percent(0, "0 %");
    expect_percent(0.004, "0.4 %");
    expect_percent(0.079, "7.9 %");
    expect_percent(0.0994, "9.9 %");
    expect_percent(0.0996, "10 %");
    expect_percent(0.31, "31 %");
    expect_percent(1, "100 %");
}

/* --- names ---------------------------------------------------------------------- */

static void expect_name(const char *name, const char *wanted)
{
    struct text t = {0};
    format_name(&t, name);
    expect(&t, wanted);
}

Test(human, names_are_valid_utf_8_without_control_characters)
{
    expect_name("App.Order", "App.Order");
    expect_name("App.Größe", "App.Größe");
    expect_name("a\xff"
                "b",
                "a\xef\xbf\xbd"
                "b");
    expect_name("\xed\xa0\x80", "\xef\xbf\xbd"); /* one lone surrogate, one mark */
    expect_name("a\tb\nc\rd", "a\\tb\\nc\\rd");
    expect_name("\x1b[31m\x7f", "\\x1b[31m\\x7f");
    expect_name("", "");
}

/* U+009B is ESC [ for some terminals. */
Test(human, names_do_not_command_the_terminal_by_c1_controls_either)
{
    struct text t = {0};
    format_name(&t, "a\xc2\x9b"
                    "31mb");
    cr_expect_null(strstr(text_string(&t), "\xc2\x9b"));
    text_free(&t);
}

Test(human, names_are_appended)
{
    struct text t = {0};
    format_name(&t, "one ");
    format_name(&t, "t\two");
    expect(&t, "one t\\two");
}

/* --- sentences ------------------------------------------------------------------------ */

Test(say, words_and_counts_are_parts_by_themselves)
{
    struct text t = {0};
    size_t size = 1234567;
    uint8_t small = 7;
    uint16_t port = 8080;
    char words[] = " of ";
    say(&t, size, words, UINT32_C(1000), ", ", small, ", ", port, ", ", HD_UNKNOWN);
    expect(&t, "1,234,567 of 1,000, 7, 8,080, -");
}

Test(say, parts_are_appended_to_a_text)
{
    struct text t = {0};
    text_add_string(&t, "heap: ");
    say(&t, as_size(1929380), " (", as_percent(0.31), ")");
    expect(&t, "heap: 1.84 MiB (31 %)");
}

Test(say, every_part_is_written_by_its_function)
{
    struct text t = {0};
    say(&t, as_size_signed(-2048), " ", as_size_signed(2048), " ", as_change(5, 1205), " ",
        as_size_change(2048, 0), " ", as_duration(7800), " ", as_digits(1234567), " ",
        as_hex(0x7f3a), " ", as_number(0.5));
    expect(&t, "-2.00 KiB +2.00 KiB +1,200 -2.00 KiB 2 h 10 min 1234567 0x7f3a 0.5");
    t = (struct text){0};
    say(&t, as_plural(1, "chain"), ", ", as_plural(2, "chain"), "; one ",
        as_noun(1, "object"), ", no ", as_noun(0, "object"));
    expect(&t, "1 chain, 2 chains; one object, no objects");
}

Test(say, sixteen_parts_make_a_sentence)
{
    struct text t = {0};
    say(&t, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u, 16u);
    expect(&t, "12345678910111213141516");
}

Test(say, names_are_escaped)
{
    struct text t = {0};
    say(&t, "type ", as_name("a\tb"), ": ", as_name("##[error]"));
    expect(&t, "type a\\tb: #\\x23[error]");
}

Test(say, a_text_is_a_part)
{
    struct text t = {0}, inner = {0}, empty = {0};
    say(&inner, "limit ", 5u);
    say(&t, "(", as_text(&inner), as_text(&empty), ")");
    text_free(&inner);
    expect(&t, "(limit 5)");
}

/* A part defined by the caller, made of other parts. */
static void add_ratio(struct sentence *to, const struct say_part *p)
{
    say(to, p->n, " of ", p->last);
}

static struct say_part as_ratio(uint64_t n, uint64_t all)
{
    return (struct say_part){.add = add_ratio, .n = n, .last = all};
}

Test(say, callers_have_parts_of_their_own)
{
    struct text t = {0};
    say(&t, as_ratio(2, 1500), ", steady: +", as_range(28, 33), ", +", as_range(5, 5));
    expect(&t, "2 of 1,500, steady: +28–33, +5");
}

Test(say, a_sentence_has_the_places_of_its_names)
{
    struct sentence s = {0};
    say(&s, as_name("App.A"), " holds ", 2u, " of ", as_name("B"));
    cr_expect_str_eq(text_string(&s.words), "App.A holds 2 of B");
    cr_assert_eq(s.name_count, 2);
    cr_expect_eq(s.names[0].from, 0);
    cr_expect_eq(s.names[0].to, 5);
    cr_expect_eq(s.names[1].from, 17);
    cr_expect_eq(s.names[1].to, 18);
    sentence_free(&s);
}

Test(say, a_text_takes_any_number_of_names)
{
    struct text t = {0};
    for (int i = 0; i < 2 * SENTENCE_NAMES; i++)
        say(&t, as_name("n"));
    expect(&t, "nnnnnnnnnnnn");
}
