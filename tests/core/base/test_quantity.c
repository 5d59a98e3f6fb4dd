#include "base/quantity.h"

#include <criterion/criterion.h>

Test(quantity, sizes_have_binary_and_decimal_units)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"0", 0},
                 {"1", 1},
                 {"17B", 17},
                 {"64KiB", 65536},
                 {"64K", 65536},
                 {"10MB", 10000000},
                 {"10 MB", 10000000},
                 {"1.5GiB", 1610612736},
                 {".5K", 512},
                 {"2k", 2000},
                 {"2K", 2048},
                 {"5mb", 5000000},
                 {"5Mb", 5000000},
                 {"5m", 5242880},
                 {"1gib", 1073741824},
                 {"17b", 17},
                 {"2kb", 2000},
                 {"1TiB", UINT64_C(1) << 40}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint64_t bytes = 99;
        cr_expect(hd_size_from_text(cases[i].text, &bytes), "%s", cases[i].text);
        cr_expect_eq(bytes, cases[i].bytes, "%s", cases[i].text);
    }
    static const char *const wrong[] = {"",      "B",         "-1",    "+1",  "1e3", "0x10",
                                        "1.2.3", "5%",        "inf",   "nan", ".",   "1 2",
                                        "10XB",  "9999999TB", "1KiBx", " 1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        uint64_t bytes;
        cr_expect_not(hd_size_from_text(wrong[i], &bytes), "%s", wrong[i]);
    }
}

Test(quantity, shares_end_in_a_percent_sign)
{
    double percent = 0;
    cr_expect(quantity_percent("5%", &percent));
    cr_expect_eq(percent, 5);
    cr_expect(quantity_percent("0.25 %", &percent));
    cr_expect_eq(percent, 0.25);
    cr_expect(quantity_percent("1000%", &percent));
    static const char *const wrong[] = {"5",   "%",    "-5%",  "+5%",
                                        "5%%", "0x5%", "1e1%", "5% x"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        cr_expect_not(quantity_percent(wrong[i], &percent), "%s", wrong[i]);
}

Test(quantity, counts_are_digits)
{
    uint64_t n = 0;
    cr_expect(quantity_count("18446744073709551614", &n));
    cr_expect_eq(n, UINT64_MAX - 1);
    static const char *const wrong[] = {
        "", "18446744073709551615", "18446744073709551616", "-1", "+1", "1.0", "1 ", "0x1"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        cr_expect_not(quantity_count(wrong[i], &n), "%s", wrong[i]);
}

Test(quantity, days_are_those_of_the_calendar)
{
    static const struct {
        const char *text;
        int64_t day;
    } cases[] = {{"1970-01-01", 0},       {"1970-01-02", 1},      {"1969-12-31", -1},
                 {"2000-02-29", 11016},   {"2000-03-01", 11017},  {"2026-11-21", 20778},
                 {"0001-01-01", -719162}, {"9999-12-31", 2932896}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int64_t day = 0;
        cr_expect(quantity_day(cases[i].text, &day), "%s", cases[i].text);
        cr_expect_eq(day, cases[i].day, "%s: %ld", cases[i].text, (long)day);
    }
    static const char *const wrong[] = {
        "",           "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32",  "2026-02-29",
        "1900-02-29", "2026-1-1",   "01.02.2026", "2026/01/01", "2026-01-01T", "20260101",
        "0000-01-01", "2026-04-31", "next week"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        int64_t day;
        cr_expect_not(quantity_day(wrong[i], &day), "%s", wrong[i]);
    }
}
