/* Answers from several runs made by hand, each of which is too short alone. */
#include "fleet/asked_fleet.h"

#include <stdio.h>
#include <string.h>

TestSuite(fleet_pool, .init = begin, .fini = end);

/* Six snapshots in five hours; the heap is always 100 MiB. */
static const struct made_run leak = {.service = "Shop",
                                     .host = "a",
                                     .build = "1",
                                     .type = "App.Order",
                                     .holder = "[static var App.s_all]",
                                     .share = 0.1,
                                     .per_hour = MADE_MIB,
                                     .heap_per_hour = 2 * MADE_MIB,
                                     .doubt = HD_DOUBT_SHORT};

static struct made_run healthy(void)
{
    struct made_run m = leak;
    m.type = NULL;
    return m;
}

enum { LIFE = 6 };

/* `count` runs of a host, one after the other, six hours each: they cover all hours of the
 * day from the fifth on, since they shift by an hour each day. */
static void add_runs(struct made_run m, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        m.started = ((double)i * LIFE + i / 4.0) / 24;
        add(m);
    }
}

static const struct hd_fleet_suspect *only_open(void)
{
    cr_assert_eq(a.suspect_count + a.few_count, 0);
    cr_assert_eq(a.open_count, 1);
    cr_expect_eq(a.suspects[0].evidence, HD_EVIDENCE_OPEN);
    return &a.suspects[0];
}

static void expect_missing(enum hd_fleet_missing missing)
{
    const struct hd_fleet_suspect *s = only_open();
    cr_expect_eq(s->missing, missing, "%s is missing, not %s",
                 hd_fleet_missing_name(s->missing), hd_fleet_missing_name(missing));
}

Test(fleet_pool, of_runs_on_one_host_is_evidence)
{
    add_runs(leak, 8);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->evidence, HD_EVIDENCE_POOLED);
    cr_expect_eq(s->periods, 8);
    cr_expect_eq(s->periods_with, 8);
    cr_expect_lt(fabs(s->pool_log_chance - 8 * log(0.3)), 1e-9);
    cr_expect_eq(s->pool_hours, 24);
    cr_expect_eq(s->hosts, 1);
    cr_expect_eq(s->of_hosts, 1);
    cr_expect_eq(s->hosts_still, 1);
    cr_expect_eq(s->runs, 8);
    cr_expect_eq(s->of_runs, 8);
    cr_expect_eq(s->on[0].count, MADE_POINTS);
    cr_expect_eq(a.services[0].suspects, 1);
    cr_expect_eq(a.services[0].suspects_open, 0);
    cr_expect_eq(a.runs[HD_UNSURE], 8, "each alone still is");
}

Test(fleet_pool, needs_several_times)
{
    add_runs(leak, 3);
    ask();
    expect_missing(HD_MISSING_RUNS);
    cr_expect_eq(a.services[0].suspects_open, 1);
    cr_expect_eq(a.services[0].suspects, 0);
}

/* A deployment starts all together, and all have the same load. */
Test(fleet_pool, counts_runs_at_one_time_once)
{
    for (unsigned i = 0; i < 40; i++) {
        struct made_run m = leak;
        m.host = host(i);
        m.started = i / 1000.0;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_RUNS);
    cr_expect_eq(a.suspects[0].periods, 1);
}

Test(fleet_pool, needs_more_than_the_same_hours_of_each_day)
{
    for (unsigned i = 0; i < 20; i++) {
        struct made_run m = leak;
        m.started = i;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_HOURS);
    cr_expect_eq(a.suspects[0].pool_hours, 4, "behind the first half hour");
}

Test(fleet_pool, is_held_against_runs_that_do_not_show_it)
{
    add_runs(leak, 8);
    struct made_run m = healthy();
    for (unsigned i = 0; i < 12; i++) {
        m.started = 3 + i * 0.25;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_SHARE);
    cr_expect_eq(a.suspects[0].periods, 20);
    cr_expect_eq(a.suspects[0].periods_with, 8);
}

Test(fleet_pool, is_held_against_judged_runs_that_do_not_show_it)
{
    add_runs(leak, 8);
    struct made_run m = healthy();
    m.doubt = HD_DOUBT_NONE;
    for (unsigned i = 0; i < 12; i++) {
        m.started = 3 + i * 0.25;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_SHARE);
}

Test(fleet_pool, is_not_misled_by_caches_that_fill_after_each_start)
{
    struct made_run m = leak;
    m.fills = true;
    add_runs(m, 12);
    ask();
    expect_missing(HD_MISSING_PACE);
}

Test(fleet_pool, tells_a_build_that_leaks_from_others)
{
    struct made_run m = healthy();
    m.build = "0";
    m.host = "b";
    for (unsigned i = 0; i < 12; i++) {
        m.started = -4 + i * 0.25;
        add(m);
    }
    add_runs(leak, 12);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->onset, HD_ONSET_NAMED);
    cr_expect_str_eq(s->began_with, "1");
    cr_expect_eq(s->since_with, 12);
    cr_expect_eq(s->before_without, 12);
    cr_expect_eq(s->periods, 12, "the other build is a pool of its own");
}

/* If each run has its own build, no build is sufficient alone. */
Test(fleet_pool, joins_builds_that_are_too_short)
{
    for (unsigned i = 0; i < 8; i++) {
        struct made_run m = leak;
        char build[8];
        snprintf(build, sizeof(build), "1.%u", i);
        m.build = build;
        m.started = (i * 6 + i / 4.0) / 24;
        add(m);
    }
    ask();
    cr_expect_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].build_count, 8);
}

/* Runs without a build do not belong to the previous build. */
Test(fleet_pool, joins_no_build_with_runs_without_a_build)
{
    struct made_run m = leak;
    add_runs(leak, 4);
    m.build = NULL;
    for (unsigned i = 4; i < 8; i++) {
        m.started = (i * 6 + i / 4.0) / 24;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_RUNS);
    cr_expect_eq(a.suspects[0].periods, 4);
}

Test(fleet_pool, joins_no_build_that_has_eight_periods)
{
    struct made_run m = healthy();
    m.build = "0";
    for (unsigned i = 0; i < 8; i++) {
        m.started = -4 + i * 0.25;
        add(m);
    }
    add_runs(leak, 8);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].periods, 8);
}

Test(fleet_pool, counts_a_run_from_the_moment_another_ends_as_a_period)
{
    struct made_run m = leak;
    for (unsigned i = 0; i < 8; i++) {
        m.started = i * 5 / 24.0;
        add(m);
    }
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].periods, 8);
}

/* Six periods are enough if a service has one suspect, but not if it has two. */
Test(fleet_pool, wants_more_of_a_service_with_more_suspects)
{
    struct made_run other = leak;
    other.type = "App.Item";
    other.build = NULL;
    other.started = 10;
    for (int has_other = 0; has_other < 2; has_other++) {
        hd_fleet_free(f);
        f = made_fleet(0, 0);
        add_runs(leak, 6);
        if (has_other)
            add(other);
        ask();
        cr_expect_eq(a.suspect_count, !has_other);
        cr_expect_eq(a.open_count, 2 * has_other);
    }
}

Test(fleet_pool, needs_neither_builds_nor_hosts)
{
    struct made_run m = leak;
    m.build = m.host = NULL;
    m.limit = 100 * MADE_MIB;
    add_runs(m, 8);
    ask();
    cr_expect_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_UNKNOWN);
    cr_expect_eq(a.suspects[0].ended_near_limit, 0, "who followed whom is not known");
    cr_expect_eq(a.unnamed_hosts, 8);
}

/* Two hosts of forty, one of which has it by chance, once. */
Test(fleet_pool, finds_the_hosts_that_show_it)
{
    struct made_run m = healthy();
    for (unsigned i = 0; i < 38; i++) {
        m.host = host(i);
        add_runs(m, 12);
    }
    add_runs(leak, 12);
    m = leak;
    m.host = host(3);
    m.started = 4;
    add(m);
    ask();
    cr_expect_eq(a.suspect_count, 0, "it is on few hosts");
    cr_assert_eq(a.few_count, 1);
    cr_expect_eq(a.suspects[0].evidence, HD_EVIDENCE_POOLED);
    cr_expect_eq(a.suspects[0].hosts, 1);
    cr_expect_eq(a.suspects[0].of_hosts, 39);
    cr_expect_str_eq(a.suspects[0].on[0].host, "a");
    opt.min_hosts = 1;
    opt.by = HD_FLEET_BY_HOST;
    ask();
    cr_expect_eq(a.suspect_count, 1);
    cr_expect_str_eq(a.host_rows[0].host, "a");
    cr_expect_eq(a.host_rows[0].suspects, 0);
    cr_expect_eq(a.host_rows[0].suspects_pooled, 1);
    cr_expect_str_eq(a.host_rows[0].title, "App.Order");
}

/* For single hosts the chance is multiplied by the number of hosts with enough evidence. */
Test(fleet_pool, is_not_held_against_hosts_with_a_single_run)
{
    struct made_run m = healthy();
    add_runs(leak, 8);
    for (unsigned i = 0; i < 30; i++) {
        m.host = host(i);
        add(m);
    }
    opt.min_hosts = 1;
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].hosts, 1);
    cr_expect_eq(a.suspects[0].of_hosts, 31);
}

Test(fleet_pool, counts_hosts_of_which_half_the_runs_show_it)
{
    struct made_run m = leak;
    for (unsigned i = 0; i < 3; i++) {
        m.host = host(i);
        add_runs(m, 24);
    }
    m.host = host(9);
    m.started = 2.5;
    add(m);
    m.type = NULL;
    add_runs(m, 24);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].hosts, 3);
    cr_expect_eq(a.suspects[0].of_hosts, 4);
    cr_expect_eq(a.suspects[0].runs, 73, "for the build all count");
}

/* A host with one run of another build, without evidence. */
Test(fleet_pool, counts_no_host_of_a_build_without_evidence)
{
    struct made_run m = leak;
    add_runs(leak, 8);
    m.host = "b";
    m.build = NULL;
    m.started = 10;
    add(m);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].hosts, 1);
}

/* Two findings of one type and holder are one growth site. */
Test(fleet_pool, counts_a_run_once_that_shows_a_suspect_twice)
{
    struct made_run m = healthy();
    for (unsigned i = 0; i < 8; i++) {
        struct made_run shows = leak;
        shows.started = ((double)i * LIFE + i / 4.0) / 24;
        struct hd_run_record r = *made_record(++series, &shows);
        struct hd_run_finding twice[] = {r.findings[0], r.findings[0]};
        twice[1].rank = 2;
        twice[1].title = "App.Order[]";
        r.findings = twice;
        r.finding_count = 2;
        cr_assert(hd_fleet_add(f, &r, NULL));
    }
    for (unsigned i = 0; i < 12; i++) {
        m.started = 3 + i * 0.25;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_SHARE);
}

/* Runs judged alone were already checked for a slowdown. */
Test(fleet_pool, asks_no_judged_run_whether_it_slows_down)
{
    struct made_run m = leak;
    add_runs(leak, 8);
    m.doubt = HD_DOUBT_NONE;
    m.fills = true;
    add_runs(m, 12);
    m = healthy();
    m.doubt = HD_DOUBT_NONE;
    m.build = "2";
    m.started = 20;
    for (unsigned i = 0; i < 38; i++) {
        m.host = host(i);
        add(m);
    }
    ask();
    cr_assert_eq(a.few_count + a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].evidence, HD_EVIDENCE_POOLED);
}

Test(fleet_pool, follows_the_majority_of_the_runs_of_an_hour)
{
    for (unsigned i = 0; i < 80; i++) {
        struct made_run m = i % 4 < 3 || i % 16 == 3 ? leak : healthy();
        m.started = i * 0.25;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_HOURS);
    cr_expect_eq(a.suspects[0].pool_hours, 16, "and the two gaps between them");
}

Test(fleet_pool, ignores_runs_that_fall_below_their_start)
{
    struct made_run m = leak;
    m.per_hour = -1000;
    add_runs(m, 12);
    ask();
    expect_missing(HD_MISSING_SNAPSHOTS);
}

Test(fleet_pool, changes_nothing_if_judged_runs_suffice)
{
    struct made_run m = leak;
    m.doubt = HD_DOUBT_NONE;
    m.host = "b";
    add(m);
    add_runs(leak, 8);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].evidence, HD_EVIDENCE_JUDGED);
    cr_expect_eq(a.suspects[0].runs, 1);
    cr_expect_eq(a.suspects[0].of_hosts, 1);
}

Test(fleet_pool, names_what_single_runs_show_whatever_their_doubt)
{
    static const enum hd_doubt doubts[] = {HD_DOUBT_PROCESSES, HD_DOUBT_FEW,
                                           HD_DOUBT_SHORT};
    struct made_run m = leak;
    for (size_t i = 0; i < sizeof(doubts) / sizeof(*doubts); i++) {
        m.doubt = doubts[i];
        m.points = doubts[i] == HD_DOUBT_FEW ? 2 : 6;
        m.type = hd_doubt_name(doubts[i]);
        m.started = (double)i;
        add(m);
    }
    ask();
    cr_assert_eq(a.open_count, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(a.suspects[i].missing, strcmp(a.suspects[i].type, "short") == 0
                                                ? HD_MISSING_RUNS
                                                : HD_MISSING_SNAPSHOTS);
    cr_expect_eq(a.suspects[0].of_runs, 3);
}

Test(fleet_pool, ignores_runs_with_a_clock_change)
{
    struct made_run m = leak;
    m.doubt = HD_DOUBT_CLOCK;
    add_runs(m, 12);
    ask();
    cr_expect_eq(a.suspect_count + a.few_count + a.open_count, 0);
}

/* --- limits ------------------------------------------------------------------------ */

/* Two snapshots: the first at the start; the heap grows by 40 MiB an hour. */
static struct made_run killed(void)
{
    struct made_run m = leak;
    m.doubt = HD_DOUBT_FEW;
    m.points = 2;
    m.per_hour = m.heap_per_hour = 40.0 * MADE_MIB;
    m.limit = 160 * (uint64_t)MADE_MIB;
    m.age = 0.25;
    return m;
}

static void add_killed(unsigned count, double hours_apart)
{
    struct made_run m = killed();
    for (unsigned i = 0; i < count; i++) {
        m.started = i * hours_apart / 24;
        add(m);
    }
}

Test(fleet_pool, counts_what_ended_near_its_limit)
{
    add_killed(14, 2.25);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->ended_near_limit, 13, "nothing followed the last");
    cr_expect_eq(s->periods, 13);
    cr_expect_lt(fabs(s->pool_log_chance - 13 * log(0.5)), 1e-9);
    /* 100 MiB of 160 a quarter of an hour after the start, as in the last run, and 40 an
     * hour. */
    cr_expect_lt(fabs(s->life_hours - 1.75), 1e-6, "%g", s->life_hours);
    cr_expect_lt(fabs(s->hours_left - 1.5), 1e-6, "%g", s->hours_left);
    cr_expect_lt(fabs(a.services[0].hours_left - 1.5), 1e-6);
}

/* Three points may be a random walk, two prove nothing. */
Test(fleet_pool, counts_the_start_of_runs_that_ended_near_their_limit)
{
    struct made_run m = killed();
    m.points = 3;
    for (unsigned i = 0; i < 14; i++) {
        m.started = i * 3.25 / 24;
        add(m);
    }
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_lt(fabs(a.suspects[0].pool_log_chance - 13 * log(0.3)), 1e-9);
}

/* 30 of the 40 MiB that are a quarter of the limit were observed. */
Test(fleet_pool, adds_what_a_suspect_retained_until_the_end)
{
    struct made_run m = killed();
    m.per_hour = 30.0 * MADE_MIB;
    for (unsigned i = 0; i < 14; i++) {
        m.started = i * 2.25 / 24;
        add(m);
    }
    ask();
    cr_expect_eq(a.suspect_count, 1);
}

/* A dead process has no time left; its successor has a whole life. */
Test(fleet_pool, predicts_a_whole_life_for_a_process_that_just_began)
{
    struct made_run m = leak;
    add_killed(14, 2.25);
    m.doubt = HD_DOUBT_ONE_SNAPSHOT;
    m.points = 1;
    m.started = 2;
    add(m);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_expect_eq(a.suspects[0].ended_near_limit, 14);
    cr_expect_lt(fabs(a.suspects[0].hours_left - 1.75), 1e-6);
}

Test(fleet_pool, wants_three_ends)
{
    struct made_run m = leak;
    for (unsigned i = 0; i < 20; i++) {
        m.started = i;
        add(m);
    }
    m.per_hour = m.heap_per_hour = 40.0 * MADE_MIB;
    m.limit = 100 * (uint64_t)MADE_MIB;
    for (unsigned i = 0; i < 2; i++) {
        m.started = 5.3 + i * 0.5;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_HOURS);
    cr_expect_eq(a.suspects[0].ended_near_limit, 2);
}

Test(fleet_pool, takes_the_limit_that_is_asked_about)
{
    add_killed(14, 2.25);
    opt.limit = 1000 * (uint64_t)MADE_MIB;
    ask();
    expect_missing(HD_MISSING_SNAPSHOTS);
    cr_expect_eq(a.suspects[0].ended_near_limit, 0);
}

/* Number of runs that ended near their limit. Two snapshots an hour apart, the next process
 * hours_until_next later, a heap of 100 MiB; from 112 on it is near the limit. */
static uint64_t ended_near(double heap_per_hour, double hours_until_next)
{
    struct made_run m = leak;
    m.doubt = HD_DOUBT_FEW;
    m.points = 2;
    m.heap_per_hour = heap_per_hour * MADE_MIB;
    m.limit = 160 * (uint64_t)MADE_MIB;
    for (unsigned i = 0; i < 4; i++) {
        m.started = i * (1 + hours_until_next) / 24;
        add(m);
    }
    ask();
    return only_open()->ended_near_limit;
}

Test(fleet_pool, adds_growth_until_the_next_process)
{
    cr_expect_eq(ended_near(40, 0.5), 3);
}

Test(fleet_pool, adds_growth_of_no_more_than_the_time_without_a_process)
{
    cr_expect_eq(ended_near(20, 0.5), 0);
}

Test(fleet_pool, adds_growth_of_one_interval_at_most)
{
    cr_expect_eq(ended_near(10, 3), 0);
}

/* Three each evening, the first at this hour. */
static void add_evenings(double hour)
{
    for (unsigned i = 0; i < 5; i++) {
        struct made_run m = leak;
        m.doubt = HD_DOUBT_FEW;
        m.points = 2;
        m.per_hour = m.heap_per_hour = 40.0 * MADE_MIB;
        m.limit = 160 * (uint64_t)MADE_MIB;
        for (unsigned k = 0; k < 3; k++) {
            m.started = i + (hour + k * 2.25) / 24;
            add(m);
        }
    }
}

/* Ends that are all at the same hours may be due to their load, on a heap with too small a
 * limit; whichever hours these are, even across midnight. */
Test(fleet_pool, wants_ends_at_different_hours)
{
    static const double hours[] = {0, 11, 21};
    for (size_t i = 0; i < sizeof(hours) / sizeof(*hours); i++) {
        hd_fleet_free(f);
        f = made_fleet(0, 0);
        add_evenings(hours[i]);
        ask();
        expect_missing(HD_MISSING_HOURS);
        cr_expect_eq(a.suspects[0].ended_near_limit, 14, "%g", hours[i]);
    }
}

Test(fleet_pool, does_not_blame_what_hardly_grew_for_the_end)
{
    struct made_run m = leak;
    m.points = 2;
    m.doubt = HD_DOUBT_FEW;
    m.limit = 100 * MADE_MIB;
    for (unsigned i = 0; i < 14; i++) {
        m.started = i * 2.25 / 24;
        add(m);
    }
    ask();
    expect_missing(HD_MISSING_SNAPSHOTS);
}

/* A shard may contain anything. */
Test(fleet_pool, survives_times_that_cannot_be)
{
    const double starts[] = {1e290, -1e290, -1, -1e6, 1e8, 0};
    for (size_t i = 0; i < 6 * 14; i++) {
        struct made_run m = leak;
        m.points = 2;
        m.per_hour = m.heap_per_hour = 40.0 * MADE_MIB;
        m.limit = 100 * MADE_MIB;
        m.started = starts[i / 14] + (double)i * 2.25 / 24;
        add(m);
    }
    ask();
    cr_expect_eq(a.suspect_count + a.few_count + a.open_count, 1);
}

Test(fleet_pool, survives_suspects_of_no_snapshots)
{
    for (unsigned i = 0; i < 4; i++) {
        struct made_run m = leak;
        m.doubt = i % 2 == 0 ? HD_DOUBT_NONE : HD_DOUBT_SHORT;
        m.type = i < 2 ? "App.Order" : "App.Item";
        struct hd_run_record r = *made_record(++series, &m);
        r.count = 0;
        cr_assert(hd_fleet_add(f, &r, NULL));
    }
    opt.by = HD_FLEET_BY_HOST;
    ask();
    cr_expect_eq(a.suspect_count, 2);
    cr_expect_eq(a.suspects[0].of_hosts, 1);
}

/* --- the same however it is added ---------------------------------------------------- */

Test(fleet_pool, does_not_depend_on_the_order_of_records)
{
    struct hd_fleet_suspect forward;
    add_runs(leak, 8);
    ask();
    forward = a.suspects[0];
    hd_fleet_free(f);
    f = made_fleet(0, 0);
    for (unsigned i = 8; i-- > 0;) {
        struct made_run m = leak;
        m.started = ((double)i * LIFE + i / 4.0) / 24;
        made_add(f, i + 1, m);
    }
    ask();
    cr_expect_eq(forward.pool_log_chance, a.suspects[0].pool_log_chance);
    cr_expect_eq(forward.score, a.suspects[0].score);
    cr_expect_eq(forward.first_seen, a.suspects[0].first_seen);
}
