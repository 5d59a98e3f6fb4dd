/* Snapshots triggered by the memory of a process: every shape of memory use. */
#include "collect/live/trigger.h"

#include "heapdrift.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define MIB UINT64_C(1048576)

static struct trigger_rules rules;
static struct trigger trigger;
static struct trigger_sight sight;
static double left; /* MiB after the collection of a snapshot; 0: unchanged */

static void begin(void)
{
    rules = (struct trigger_rules){.interval = 3600};
    sight = (struct trigger_sight){.limit = 1000 * MIB, .duration = 1};
    trigger_begin(&trigger);
    left = 0;
}

TestSuite(trigger, .init = begin);

static void rule_for(const char *text)
{
    cr_assert_null(triggers_parse(text, &rules), "%s", text);
}

enum { OUT_OF_TIME = -2, LATE = -3 };

/* Advances a second, to this memory. Returns the due rule and takes its snapshot. */
static int second(double mib)
{
    int rule;
    sight.now++;
    sight.memory = (uint64_t)(mib * (double)MIB);
    enum trigger_verdict v = trigger_see(&trigger, &rules, &sight, &rule);
    if (left > 0)
        sight.memory = (uint64_t)(left * (double)MIB);
    if (v == TRIGGER_DUE)
        trigger_taken(&trigger, &rules, &sight, rule);
    return v == TRIGGER_DUE ? rule : v == TRIGGER_TOO_LATE ? LATE : NO_TRIGGER;
}

/* Changes memory linearly over seconds; returns the number of triggers, with the last one
 * in *rule. */
static int go(double from, double to, int seconds, int *rule)
{
    int count = 0;
    for (int i = 1; i <= seconds; i++) {
        int due = second(from + (to - from) * i / seconds);
        if (due != NO_TRIGGER)
            *rule = due;
        count += due >= 0;
    }
    return count;
}

Test(trigger, rules_are_shares_sizes_and_growth)
{
    static const char *const wrong[] = {
        "",  "80",  "0%",   "100%", "-5%", "+80%", "80%,", ",80%",
        "+", "1.5", "nan%", "1e1%", "+0",  "0MiB", "80 %", "1%,2%,3%,4%,5%,6%,7%,8%,9%"};
    char text[32];
    rule_for("80%,1.5GiB,+200MiB,99.5%");
    cr_expect_eq(rules.count, 4);
    cr_expect_float_eq(rules.all[0].share, 0.8, 1e-9);
    cr_expect_eq(rules.all[1].bytes, 1536 * MIB);
    cr_expect_eq(rules.all[2].kind, TRIGGER_GROWTH);
    trigger_put(&rules, 0, text, sizeof(text));
    cr_expect_str_eq(text, "80%");
    trigger_put(&rules, 2, text, sizeof(text));
    cr_expect_str_eq(text, "+200 MiB");
    cr_expect(triggers_have_share(&rules));
    rule_for("1.5GiB,+1MiB");
    cr_expect_not(triggers_have_share(&rules));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        cr_expect_not_null(triggers_parse(wrong[i], &rules), "%s", wrong[i]);
}

Test(trigger, a_slow_rise_is_one_snapshot_for_each_level)
{
    int rule;
    rule_for("50%,80%");
    cr_expect_eq(go(100, 490, 400, &rule), 0);
    cr_expect_eq(go(490, 790, 400, &rule), 1);
    cr_expect_eq(rule, 0);
    cr_expect_eq(go(790, 900, 400, &rule), 1);
    cr_expect_eq(rule, 1);
    cr_expect_eq(go(900, 900, 4000, &rule), 0);
}

Test(trigger, a_jump_beyond_both_levels_is_one_snapshot)
{
    int rule;
    rule_for("50%,80%");
    go(100, 100, 60, &rule);
    cr_expect_eq(second(850), 1, "the higher one");
    cr_expect_eq(go(850, 850, 4000, &rule), 0);
}

Test(trigger, a_level_that_is_exceeded_at_first_sight_counts)
{
    rule_for("80%");
    cr_expect_eq(second(850), 0);
}

Test(trigger, a_small_saw_tooth_around_a_level_is_one_crossing)
{
    int rule, count = 0;
    rule_for("80%");
    go(700, 700, 60, &rule);
    for (int i = 0; i < 100; i++)
        count += go(790, 810, 10, &rule) + go(810, 790, 2, &rule);
    cr_expect_eq(count, 1);
}

Test(trigger, memory_freed_by_the_snapshots_collection_is_known)
{
    int rule;
    rule_for("80%");
    left = 790;
    cr_expect_eq(second(850), 0);
    cr_expect_eq(go(790, 810, 600, &rule), 0, "it was not far below");
    go(700, 700, 60, &rule);
    cr_expect_eq(go(700, 810, 600, &rule), 1);
}

Test(trigger, a_large_saw_tooth_costs_no_more_than_the_clock)
{
    int rule, first_hour = 0, second_day = 0;
    rule_for("80%");
    for (int i = 0; i < 60; i++)
        first_hour += go(600, 850, 50, &rule) + go(850, 600, 10, &rule);
    for (int i = 0; i < 24 * 60; i++)
        second_day += go(600, 850, 50, &rule) + go(850, 600, 10, &rule);
    cr_expect(first_hour >= 3 && first_hour <= 8, "%d", first_hour);
    cr_expect(second_day >= 20 && second_day <= 26, "%d", second_day);
}

Test(trigger, the_interval_of_two_snapshots_depends_on_their_pause)
{
    int rule;
    rule_for("+10MiB");
    sight.limit = HD_UNKNOWN;
    /* At a MiB per second, due every ten. */
    cr_expect_eq(go(100, 220, 120, &rule), 4, "at 10, 40, 70, 100 s");
    begin();
    rule_for("+10MiB");
    sight.limit = HD_UNKNOWN;
    sight.pause = 1;
    cr_expect_eq(go(100, 300, 200, &rule), 2, "a hundred seconds");
    rules.interval = 5;
    cr_expect_geq(go(300, 400, 100, &rule), 9, "never further apart than by the clock");
}

Test(trigger, a_saw_tooth_is_not_growth_for_long)
{
    int rule, count = 0;
    rule_for("+200MiB");
    sight.limit = HD_UNKNOWN;
    left = 600;
    for (int i = 0; i < 24 * 60; i++)
        count += go(600, 850, 50, &rule) + go(850, 600, 10, &rule);
    cr_expect(count >= 20 && count <= 34, "%d", count);
}

Test(trigger, growth_counts_from_the_last_snapshot_whatever_it_was_for)
{
    int rule;
    rule_for("+200MiB");
    sight.limit = HD_UNKNOWN;
    go(100, 290, 100, &rule);
    trigger_taken(&trigger, &rules, &sight, NO_TRIGGER);
    cr_expect_eq(go(290, 480, 100, &rule), 0);
    cr_expect_eq(go(480, 491, 100, &rule), 1);
    cr_expect_eq(rule, 0);
    /* A decrease is not growth. */
    cr_expect_eq(go(491, 100, 100, &rule) + go(100, 690, 1000, &rule), 0);
}

Test(trigger, a_restart_resets_the_trigger)
{
    rule_for("80%");
    cr_expect_eq(second(850), 0);
    cr_expect_eq(second(850), NO_TRIGGER);
    trigger_begin(&trigger);
    cr_expect_eq(second(850), 0);
}

Test(trigger, without_a_limit_shares_have_no_effect_but_other_rules_work)
{
    int rule;
    rule_for("80%,2GiB,+300MiB");
    sight.limit = HD_UNKNOWN;
    cr_expect_eq(go(100, 390, 100, &rule), 0);
    cr_expect_eq(go(390, 410, 100, &rule), 1);
    cr_expect_eq(rule, 2);
    sight.memory = HD_UNKNOWN;
    sight.now++;
    cr_expect_eq(trigger_see(&trigger, &rules, &sight, &rule), TRIGGER_NOT_DUE);
}

Test(trigger, a_limit_that_changes_moves_its_levels)
{
    int rule;
    rule_for("80%");
    cr_expect_eq(second(810), 0);
    /* Raised: 810 is no longer 80 % of it. Then 80 % is 960. */
    sight.limit = 1200 * MIB;
    cr_expect_eq(go(810, 950, 200, &rule), 0);
    cr_expect_eq(go(950, 970, 200, &rule), 1);
    /* Lowered below the use, which exceeds the level as before. */
    sight.limit = 1100 * MIB;
    cr_expect_eq(go(970, 970, 200, &rule), 0);
    /* The limit becomes known late. */
    begin();
    rule_for("80%");
    sight.limit = HD_UNKNOWN;
    cr_expect_eq(go(900, 900, 100, &rule), 0);
    sight.limit = 1000 * MIB;
    cr_expect_eq(second(900), 0);
}

/* Within five percent below the moved level. */
Test(trigger, a_level_that_a_limit_moved_above_memory_may_be_passed_again)
{
    rule_for("80%");
    cr_expect_eq(second(850), 0);
    sight.limit = 1100 * MIB;
    cr_expect_eq(second(850), NO_TRIGGER);
    sight.now += 200;
    cr_expect_eq(second(900), 0);
}

Test(trigger, a_limit_that_is_raised_has_one_more_before_it_again)
{
    int rule = NO_TRIGGER;
    rule_for("2GiB");
    cr_expect_eq(go(900, 1000, 50, &rule), 1);
    cr_expect_eq(rule, TRIGGER_NEAR_LIMIT);
    sight.limit = 1050 * MIB;
    cr_expect_eq(go(1000, 1040, 20, &rule), 1);
}

Test(trigger, two_moments_do_not_predict_the_limit)
{
    rule_for("2GiB");
    cr_expect_eq(second(900), NO_TRIGGER);
    cr_expect_eq(second(950), NO_TRIGGER, "50 MiB a second, for all that is known");
}

/* 300 MiB for the collection: it must be before 690. */
Test(trigger, the_one_before_the_limit_leaves_room_for_the_collection)
{
    int rule = NO_TRIGGER;
    rule_for("2GiB");
    sight.needed = 300 * MIB;
    cr_expect_eq(go(600, 689, 20, &rule), 1);
    cr_expect_eq(rule, TRIGGER_NEAR_LIMIT);
}

Test(trigger, a_level_was_passed_also_if_memory_is_not_seen_after_the_snapshot)
{
    int rule;
    rule_for("80%");
    sight.memory = 850 * MIB;
    cr_assert_eq(trigger_see(&trigger, &rules, &sight, &rule), TRIGGER_DUE);
    sight.memory = HD_UNKNOWN;
    trigger_taken(&trigger, &rules, &sight, rule);
    sight.now += 200;
    cr_expect_eq(second(850), NO_TRIGGER);
}

Test(trigger, the_highest_of_several_levels_is_reported_in_any_order)
{
    rule_for("50%,80%,60%");
    cr_expect_eq(second(900), 1);
}

Test(trigger, there_is_one_more_before_the_limit)
{
    int rule;
    rule_for("50%");
    sight.duration = 3;
    sight.needed = 20 * MIB;
    go(400, 400, 60, &rule);
    /* Ten per second: the limit is reached in a minute. */
    cr_expect_eq(go(400, 900, 50, &rule), 1);
    cr_expect_eq(rule, 0);
    cr_expect_eq(go(900, 970, 7, &rule), 1);
    cr_expect_eq(rule, TRIGGER_NEAR_LIMIT);
    cr_expect_lt(sight.memory + sight.needed, sight.limit);
    cr_expect_eq(go(970, 975, 30, &rule), 0, "it was told");
    /* Without a rise there is none. */
    begin();
    rule_for("50%");
    cr_expect_eq(second(970), 0);
    cr_expect_eq(go(970, 970, 600, &rule), 0);
}

Test(trigger, a_saw_tooth_far_from_the_limit_does_not_predict_it)
{
    int rule, count = 0;
    rule_for("90%");
    for (int i = 0; i < 60; i++)
        count += go(200, 500, 20, &rule) + go(500, 200, 1, &rule);
    cr_expect_eq(count, 0);
}

Test(trigger, a_snapshot_that_might_end_the_process_is_skipped_and_reported_once)
{
    int rule = NO_TRIGGER;
    rule_for("95%");
    sight.needed = 200 * MIB;
    go(100, 100, 60, &rule);
    cr_expect_eq(second(960), LATE);
    cr_expect_eq(go(960, 960, 600, &rule), 0);
    cr_expect_eq(rule, NO_TRIGGER);
    go(960, 500, 60, &rule);
    go(500, 960, 1, &rule);
    cr_expect_eq(rule, LATE, "again, after it was far from it");
}

Test(trigger, one_that_fails_stays_due_less_and_less_often)
{
    int rule, tries = 0;
    rule_for("80%");
    for (int i = 0; i < 1000; i++) {
        sight.now++;
        sight.memory = 850 * MIB;
        if (trigger_see(&trigger, &rules, &sight, &rule) != TRIGGER_DUE)
            continue;
        tries++;
        trigger_failed(&trigger, &sight, rule);
    }
    cr_expect_eq(tries, 5, "at 1, 61, 181, 421, 901 s: %d", tries);
}
