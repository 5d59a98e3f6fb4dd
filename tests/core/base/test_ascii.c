#include "base/out.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *text, *plain;
} forms[] = {
    {"", ""},
    {"plain, ~", "plain, ~"},
    {"0 → 6,000", "0 -> 6,000"},
    {"… → Order", "... -> Order"},
    {"×1–2, ≥ 7 %", "x1-2, >= 7 %"},
    {"Δcount", "+/-count"},
    {"▁▂▃▄▅▆▇█", ".:-=+*%#"},
    {"█▏", "#-"},
    {"│  ├─ └─ ◀", "|  |- `- <"},
    {"Café", "Caf\\u{e9}"},
    {"日本", "\\u{65e5}\\u{672c}"},
    {"\xF0\x9F\x98\x80", "\\u{1f600}"},
    {"e\xCC\x81", "e\\u{301}"},
    {"\xF4\x8F\xBF\xBF", "\\u{10ffff}"},
    {"a\xFF"
     "b",
     "a\\u{fffd}b"},
    {"cut \xE2\x86", "cut \\u{fffd}\\u{fffd}"},
};

Test(ascii, every_character_has_a_plain_form)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        struct text t = {0};
        text_add_ascii(&t, forms[i].text, strlen(forms[i].text));
        cr_expect_str_eq(text_string(&t), forms[i].plain);
        cr_expect_eq(printed_columns(forms[i].text, strlen(forms[i].text), true),
                     strlen(forms[i].plain), "%s", forms[i].plain);
        text_free(&t);
    }
}

Test(ascii, output_has_only_ascii_and_columns_are_counted_right)
{
    for (uint32_t code = 0x80; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 97) {
        struct text from = {0}, to = {0};
        text_add_code_point(&from, code);
        text_add_ascii(&to, from.data, from.len);
        cr_assert_eq(printed_columns(from.data, from.len, true), to.len);
        for (size_t i = 0; i < to.len; i++)
            cr_assert(to.data[i] >= ' ' && to.data[i] < 0x7F, "U+%04X", code);
        text_free(&from);
        text_free(&to);
    }
}

Test(ascii, columns_of_others_are_those_of_the_terminal)
{
    cr_expect_eq(printed_columns("日本 →", strlen("日本 →"), false), 6);
}

Test(ascii, an_output_writes_ascii_if_requested)
{
    struct hd_memory got = {0};
    struct out o = {.to = hd_sink_memory(&got), .ascii = true};
    out_string(&o, "a → b ");
    o.ascii = false;
    out_string(&o, "a → b");
    cr_expect(out_finish(&o, NULL));
    cr_expect_str_eq(got.bytes, "a -> b a → b");
    hd_memory_free(&got);
}
