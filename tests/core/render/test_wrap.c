#include "render/text_words.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_wrapped(const char *words, unsigned width, const char *wanted)
{
    struct text t = {0};
    wrap_words(&t, words, 0, 2, width, false);
    cr_expect_str_eq(text_string(&t), wanted, "%s", text_string(&t));
    text_free(&t);
}

Test(wrap, words_are_broken_at_blanks)
{
    expect_wrapped("one two three", 8, "one two\n  three");
    expect_wrapped("one two three", 0, "one two three");
    expect_wrapped("averylongword two", 5, "averylongword\n  two");
}

Test(wrap, no_line_ends_within_a_number)
{
    expect_wrapped("of 3.31 MiB, so", 8, "of\n  3.31 MiB,\n  so");
    expect_wrapped("of 66 % so", 4, "of\n  66 %\n  so");
    expect_wrapped("up 0 → 6,000 in", 6, "up\n  0 → 6,000\n  in");
    expect_wrapped("24 Bytes", 4, "24\n  Bytes");
}

static void expect_arrows(const char *line, struct wrap_area area,
                          const char *const *colors, const char *wanted)
{
    struct text t = {0};
    wrap_arrows(&t, line, strlen(line), area, colors);
    cr_expect_str_eq(text_string(&t), wanted, "%s", text_string(&t));
    text_free(&t);
}

Test(wrap, chains_are_broken_at_arrows_and_cut_only_where_the_place_is_hard)
{
    static const char line[] = "[stack] → ABCDEFGHIJKLMNOPQRSTUVWXYZ0123 → C";
    expect_arrows(line, (struct wrap_area){0, 2, 26, false, false}, NULL,
                  "[stack]\n  → ABCDEFGHIJKLMNOPQRSTUVWXYZ0123\n  → C");
    expect_arrows(line, (struct wrap_area){0, 2, 26, true, false}, NULL,
                  "[stack]\n  → ABCDEFG…QRSTUVWXYZ0123\n  → C");
    expect_arrows(line, (struct wrap_area){0, 2, 0, true, false}, NULL, line);
}

Test(wrap, an_element_has_its_color_and_arrows_have_no_color)
{
    static const char *const colors[] = {"", "\033[2m", "\033[1m"};
    expect_arrows("A → B → C", (struct wrap_area){0, 2, 6, true, false}, colors,
                  "A → \033[2mB\033[0m\n  → \033[1mC\033[0m");
    cr_expect_eq(wrap_count_arrows("A → B → C", strlen("A → B → C")), 2);
}
