/* The triangle of cohorts, as lines. */
#include "cli/explore/explore.h"

#include <criterion/criterion.h>

static const size_t numbers[] = {0, 1, 2, 4, 5, 6, 7, 8, 9};

static void is(const struct hd_cohorts *b, unsigned columns, const char *expected)
{
    struct hd_memory all = {0};
    struct hd_sink to = hd_sink_memory(&all);
    for (unsigned i = 0; i < cohorts_lines(b, columns); i++) {
        cohorts_line(b, i, to);
        to.write(to.context, "\n", 1);
    }
    cr_expect_str_eq(all.bytes != NULL ? all.bytes : "", expected);
    hd_memory_free(&all);
}

/* The third snapshot could not be compared: numbers are those of files. */
static const uint64_t few[] = {63,   63, 60, 0, /* of the first */
                               1064, 9,  9,     /* of the second */
                               128,  7,  4};
static const struct hd_cohorts cohorts = {.count = 4, .snapshot = numbers, .at = few};

static const char *const lines = "snapshot   1      2    3  5\n"
                                 "older     63     63   60  0\n"
                                 "new in 2      1,064    9  9\n"
                                 "new in 3             128  7\n"
                                 "new in 5                  4\n";

Test(explore_cohorts, a_column_is_as_wide_as_its_numbers)
{
    is(&cohorts, 80, lines);
}

Test(explore_cohorts, cohorts_that_do_not_fit_are_omitted)
{
    is(&cohorts, 27, lines);
    is(&cohorts, 26, "");
    is(&cohorts, 0, "");
    is(NULL, 80, "");
}

Test(explore_cohorts, are_omitted_for_many_snapshots)
{
    static const uint64_t many[9 * 10 / 2];
    struct hd_cohorts b = {.count = 8, .snapshot = numbers, .at = many};
    cr_expect_eq(cohorts_lines(&b, 80), 9);
    b.count = 9;
    cr_expect_eq(cohorts_lines(&b, 200), 0);
}
