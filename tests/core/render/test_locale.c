/* Output of a program that has called setlocale(LC_ALL, ""), in a locale where 1.5 is
 * "1,5". */
#include "base/text.h"
#include "render/written.h"
#include "support/scratch.h"

#include <locale.h>
#include <stdio.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(locale, .init = open_scratch, .fini = remove_scratch);

/* Made here, as few machines have such a locale; localedef needs no other sources for it.
 */
static void enter_comma(void)
{
    static const char source[] = "LC_NUMERIC\n"
                                 "decimal_point \",\"\n"
                                 "thousands_sep \".\"\n"
                                 "grouping 3;3\n"
                                 "END LC_NUMERIC\n";
    scratch_file(&scratch, "source", source, sizeof(source) - 1);
    /* It warns that the locale has no other categories. */
    const char *make = arena_printf(
        &scratch.arena, "cd '%s' && localedef -c -i source ./comma >localedef.log 2>&1",
        scratch.folder);
    (void)!system(make);
    cr_assert_eq(setenv("LOCPATH", scratch.folder, 1), 0);
    if (setlocale(LC_NUMERIC, "comma") == NULL)
        cr_skip_test("localedef made no locale: it needs the package locales");
    char s[8];
    snprintf(s, sizeof(s), "%.1f", 1.5);
    cr_assert_str_eq(s, "1,5", "the locale is not what this test is about");
}

Test(locale, numbers_have_a_point)
{
    enter_comma();
    char s[32], *end;
    c_snprintf(s, sizeof(s), "%.2f %g %d", 0.25, 1.9, 1000000);
    cr_expect_str_eq(s, "0.25 1.9 1000000");
    cr_expect_float_eq(c_strtod("1.9x", &end), 1.9, 0);
    cr_expect_str_eq(end, "x");
    snprintf(s, sizeof(s), "%.1f", 1.5);
    cr_expect_str_eq(s, "1,5", "the caller's locale is back");
}

Test(locale, words_are_compared_as_in_ascii)
{
    cr_expect(ascii_same_word("KiB", "kib"));
    cr_expect(ascii_same_word("", ""));
    cr_expect_not(ascii_same_word("KiB", "Ki"));
    cr_expect_not(ascii_same_word("Ki", "KiB"));
    cr_expect_not(ascii_same_word("\xc4", "\xe4"));
    cr_expect(ascii_is_alnum('z') && ascii_is_alnum('0') && !ascii_is_alnum('\xe4'));
}

static struct hd_report *check_with_percent(void)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_budgets *b = hd_budgets_new();
    struct hd_options opt = hd_default_options();
    open_shops(snaps);
    opt.min_share = 0.019;
    cr_assert(hd_budgets_add_option(b, "max-growth", "1.9 %", NULL));
    cr_assert(hd_budgets_add_option(b, "budget", "App.Order=1.5KiB", NULL));
    return check_of(snaps, SHOPS, &opt, b);
}

static const char *const formats[] = {"text", "json",  "csv",   "tsv",
                                      "md",   "junit", "sarif", "github"};
enum { FORMATS = sizeof(formats) / sizeof(*formats), FOR_ALL = 5 };

static void write_all(char **got)
{
    struct hd_report *check = check_with_percent(), *diff = shop_diff(NULL);
    for (size_t i = 0; i < FORMATS; i++)
        got[i] = written(check, formats[i]);
    for (size_t i = 0; i < FOR_ALL; i++)
        got[FORMATS + i] = written(diff, formats[i]);
    hd_report_free(check);
    hd_report_free(diff);
}

Test(locale, reports_are_the_same_everywhere)
{
    char *usual[FORMATS + FOR_ALL], *here[FORMATS + FOR_ALL];
    write_all(usual);
    enter_comma();
    write_all(here);
    expect_part(here[0], "1.9 %");
    for (size_t i = 0; i < FORMATS + FOR_ALL; i++) {
        cr_expect_str_eq(here[i], usual[i], "%s:\n%s", formats[i % FORMATS], here[i]);
        free(usual[i]);
        free(here[i]);
    }
}

Test(locale, sizes_are_read_the_same_everywhere)
{
    enter_comma();
    uint64_t bytes = 0;
    cr_expect(hd_size_from_text("1.5KiB", &bytes));
    cr_expect_eq(bytes, 1536);
    cr_expect_not(hd_size_from_text("1,5KiB", &bytes));
}
