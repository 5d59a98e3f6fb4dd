/* The sentence about survivors: its wording for various numbers, or its absence. */
#include "report/report.h"

#include <criterion/criterion.h>

static const size_t numbers[] = {0, 1, 2, 3};
static struct hd_snapshot_facts files[4] = {
    {.clock = 0}, {.clock = 0}, {.clock = 1795423884, .clock_is_date = true}, {.clock = 0}};

/* 81 at first; then 23, 20 and 15 are added. */
static const uint64_t all_stay[] = {81, 81, 81, 81, 23, 23, 23, 20, 20, 15};
static const uint64_t some_go[] = {81, 80, 70, 60, 23, 10, 5, 20, 8, 15};
static const uint64_t few_go[] = {81, 80, 70, 60, 23, 22, 20, 20, 18, 15};

static void says(enum hd_identity_source source, enum hd_suspicion suspicion,
                 const struct hd_cohorts *b, const char *expected)
{
    struct hd_report r = {.snapshots = files, .snapshot_count = 4};
    struct hd_suspect s = {.cohorts = b, .suspicion = suspicion, .rank = 1};
    struct hd_memory text = {0};
    r.diff.identity = source;
    cr_expect_eq(hd_put_cohorts(hd_sink_memory(&text), &r, &s), expected[0] != '\0');
    cr_expect_str_eq(text.bytes != NULL ? text.bytes : "", expected);
    hd_memory_free(&text);
}

Test(put_cohorts, by_events_survivors_and_deaths_are_given)
{
    struct hd_cohorts b = {
        .count = 4, .snapshot = numbers, .at = all_stay, .accumulates = true};
    says(HD_SAME_BY_EVENTS, HD_SUSPECT_SIZE, &b,
         "all of the 23, 20 and 15 added in each step; of 81 older ones, "
         "all");
    b = (struct hd_cohorts){.count = 4, .snapshot = numbers, .at = some_go};
    says(HD_SAME_BY_EVENTS, HD_SUSPECT_SIZE, &b,
         "5, 8 and 15 of the 23, 20 and 15 added in each step; of 81 older "
         "ones, 60");
}

Test(put_cohorts,
     by_order_survivors_are_a_lower_bound_if_nearly_all_survive_and_deaths_are_omitted)
{
    struct hd_cohorts b = {
        .count = 4, .snapshot = numbers, .at = few_go, .accumulates = true};
    says(HD_SAME_BY_ORDER, HD_SUSPECT_SIZE, &b,
         "at least 20, 18 and 15 of the 23, 20 and 15 added in each step; "
         "of 81 older ones, 60");
    b.at = some_go;
    says(HD_SAME_BY_ORDER, HD_SUSPECT_SIZE, &b, "");
    b.accumulates = false;
    says(HD_SAME_BY_ORDER, HD_SUSPECT_SIZE, &b, "");
    says(HD_SAME_UNKNOWN, HD_SUSPECT_SIZE, NULL, "");
}

Test(put_cohorts, a_late_one_has_its_start)
{
    struct hd_cohorts b = {
        .count = 4, .snapshot = numbers, .at = all_stay, .accumulates = true, .since = 2};
    says(HD_SAME_BY_EVENTS, HD_SUSPECT_SIZE, &b,
         "since snapshot 3 (08:51 UTC), all of the 15 added; of 124 older "
         "ones, all");
}

Test(put_cohorts, turnover_is_mentioned_for_types_that_are_not_suspects)
{
    struct hd_cohorts b = {.count = 4,
                           .snapshot = numbers,
                           .at = some_go,
                           .turns_over = true,
                           .arrived = 120,
                           .died = 100};
    says(HD_SAME_BY_ORDER, HD_SUSPECT_NOT, &b, "turnover: 120 added, 100 freed");
    says(HD_SAME_BY_EVENTS, HD_SUSPECT_NOT, &b, "turnover: 120 added, 100 freed");
    b.died = 30;
    says(HD_SAME_BY_ORDER, HD_SUSPECT_NOT, &b,
         "the oldest are freed first: 120 added, 30 freed");
    says(HD_SAME_BY_ORDER, HD_SUSPECT_SIZE, &b, "");
    b.arrived = 11;
    says(HD_SAME_BY_ORDER, HD_SUSPECT_NOT, &b, "");
}
