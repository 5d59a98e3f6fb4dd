#include "base/quantity.h"

#include <criterion/criterion.h>

Test(calendar, a_day_has_86400_seconds_before_1970_too)
{
    cr_expect_eq(calendar_day_of(0), 0);
    cr_expect_eq(calendar_day_of(86399), 0);
    cr_expect_eq(calendar_day_of(86400), 1);
    cr_expect_eq(calendar_day_of(-1), -1);
    cr_expect_eq(calendar_day_of(-86400), -1);
    cr_expect_eq(calendar_day_of(-86401), -2);
}

/* The definition: each day of 2,000 years is the day before it plus one. */
Test(calendar, counts_every_day_once)
{
    int64_t expected = calendar_day(1, 1, 1);
    cr_assert_eq(expected, -719162);
    for (int year = 1; year <= 2400; year++)
        for (int month = 1; month <= 12; month++)
            for (int day = 1; calendar_has_day(year, month, day); day++, expected++)
                cr_assert_eq(calendar_day(year, month, day), expected, "%d-%d-%d", year,
                             month, day);
    cr_expect_eq(calendar_day(2401, 1, 1), expected);
}

Test(calendar, knows_leap_years)
{
    cr_expect(calendar_has_day(2000, 2, 29));
    cr_expect(calendar_has_day(2024, 2, 29));
    cr_expect_not(calendar_has_day(1900, 2, 29));
    cr_expect_not(calendar_has_day(2026, 2, 29));
    cr_expect_not(calendar_has_day(0, 1, 1));
    cr_expect_not(calendar_has_day(2026, 13, 1));
    cr_expect_not(calendar_has_day(2026, 4, 31));
}

Test(calendar, continues_after_the_last_day_of_a_month)
{
    cr_expect_eq(calendar_day(2026, 2, 31), calendar_day(2026, 3, 3));
}

Test(calendar, writes_times_that_it_reads)
{
    char text[CALENDAR_TIME];
    cr_expect(calendar_time(calendar_seconds(2026, 8, 1, 12, 34, 56), text));
    cr_expect_str_eq(text, "2026-08-01T12:34:56");
    cr_expect(calendar_time(-1, text));
    cr_expect_str_eq(text, "1969-12-31T23:59:59");
    cr_expect(calendar_time(calendar_seconds(1, 1, 1, 0, 0, 0), text));
    cr_expect_str_eq(text, "0001-01-01T00:00:00");
    cr_expect(calendar_time(calendar_seconds(9999, 12, 31, 23, 59, 59), text));
    cr_expect_str_eq(text, "9999-12-31T23:59:59");
}

Test(calendar, has_no_words_for_other_years)
{
    char text[CALENDAR_TIME] = "x";
    cr_expect_not(calendar_time(calendar_seconds(9999, 12, 31, 23, 59, 59) + 1, text));
    cr_expect_str_eq(text, "");
    cr_expect_not(calendar_time(calendar_seconds(1, 1, 1, 0, 0, 0) - 1, text));
    cr_expect_not(calendar_time(INT64_MAX, text));
    cr_expect_not(calendar_time(INT64_MIN, text));
}
