/* Answers from records made by hand. */
#include "fleet/asked_fleet.h"

#include <stdio.h>
#include <string.h>

TestSuite(fleet_answer, .init = begin, .fini = end);

static const struct made_run leak = {.service = "Shop",
                                     .host = "a",
                                     .build = "1",
                                     .type = "App.Order",
                                     .holder = "[static var App.s_all]",
                                     .share = 0.1,
                                     .per_hour = MADE_MIB,
                                     .heap_per_hour = 2 * MADE_MIB};
static const struct made_run healthy = {.service = "Shop", .host = "b", .build = "1"};

static void expect_near(double got, double wanted)
{
    cr_expect_lt(fabs(got - wanted), 1e-9 * (1 + fabs(wanted)), "%.17g, not %.17g", got,
                 wanted);
}

Test(fleet_answer, without_runs_is_empty)
{
    ask();
    cr_expect_eq(a.suspect_count + a.few_count + a.service_count + a.unjudged_count, 0);
    cr_expect(isnan(a.first) && isnan(a.last));
}

Test(fleet_answer, has_the_share_of_hosts_and_medians_over_them)
{
    const double shares[] = {0.1, 0.3, 0.2}, rates[] = {5, 1, 3};
    for (unsigned i = 0; i < 10; i++) {
        struct made_run m = i < 3 ? leak : healthy;
        m.host = host(i);
        m.share = i < 3 ? shares[i] : 0;
        m.per_hour = i < 3 ? rates[i] * MADE_MIB : 0;
        add(m);
    }
    ask();
    cr_assert_eq(a.suspect_count, 1);
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->hosts, 3);
    cr_expect_eq(s->of_hosts, 10);
    expect_near(s->hosts_share, 0.3);
    expect_near(s->score_share, 0.2);
    expect_near(s->score, 0.06);
    expect_near(s->per_hour, 3 * MADE_MIB);
    expect_near(s->per_day, 72 * MADE_MIB);
    cr_expect_str_eq(s->on[0].host, "h000");
    cr_expect_str_eq(s->on[2].host, "h001");
    cr_expect_str_eq(s->service, "Shop");
    cr_expect_str_eq(s->holder, leak.holder);
}

Test(fleet_answer, counts_several_runs_of_a_host_as_one_host_by_its_worst)
{
    struct made_run m = leak;
    for (unsigned i = 0; i < 5; i++) {
        m.started = i;
        m.share = 0.1 * (i + 1);
        add(m);
    }
    add(healthy);
    ask();
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->hosts, 1);
    cr_expect_eq(s->of_hosts, 2);
    cr_expect_eq(s->runs, 5);
    cr_expect_eq(s->of_runs, 6);
    expect_near(s->score_share, 0.5);
    cr_expect_eq(s->hosts_still, 1);
}

Test(fleet_answer, reports_that_the_newest_run_does_not_show_it)
{
    struct made_run fixed = healthy;
    add(leak);
    fixed.host = leak.host;
    fixed.started = 3;
    add(fixed);
    ask();
    cr_expect_eq(a.suspects[0].hosts, 1);
    cr_expect_eq(a.suspects[0].hosts_still, 0);
    cr_expect(isnan(a.suspects[0].hours_left));
}

Test(fleet_answer, does_not_let_the_cache_of_one_host_outvote_two_hundred)
{
    struct made_run cache = leak;
    for (unsigned i = 0; i < 200; i++) {
        struct made_run m = leak;
        m.host = host(i);
        m.share = 0.03;
        add(m);
    }
    cache.host = "h007";
    cache.type = "App.Cache";
    cache.share = 0.9;
    cache.started = 1;
    add(cache);
    ask();
    cr_assert_eq(a.suspect_count, 1);
    cr_assert_eq(a.few_count, 1);
    cr_expect_str_eq(a.suspects[0].type, "App.Order");
    cr_expect_str_eq(a.suspects[1].type, "App.Cache");
    cr_expect(a.suspects[1].is_few);
    cr_expect_eq(a.suspects[1].rank, 2);
    opt.min_hosts = 1;
    ask();
    cr_expect_eq(a.suspect_count, 2);
    cr_expect_str_eq(a.suspects[0].type, "App.Order");
}

Test(fleet_answer, parts_suspects_by_service_type_and_holder)
{
    struct made_run m = leak;
    add(m);
    m.holder = NULL;
    add(m);
    m.service = "Other";
    add(m);
    m.type = "App.Item";
    add(m);
    ask();
    cr_expect_eq(a.suspect_count, 4);
    cr_expect_eq(a.service_count, 2);
    cr_expect_str_eq(a.services[0].service, "Other");
    cr_expect_eq(a.services[0].suspects, 2);
}

Test(fleet_answer, takes_no_run_without_a_verdict_for_healthy_or_leaking)
{
    struct made_run few = leak, lone = healthy;
    few.doubt = HD_DOUBT_FEW;
    few.host = "c";
    lone.doubt = HD_DOUBT_ONE_SNAPSHOT;
    lone.host = "d";
    add(few);
    add(lone);
    add(healthy);
    ask();
    cr_expect_eq(a.suspect_count + a.few_count, 0);
    cr_expect_eq(a.hosts, 3);
    cr_expect_eq(a.hosts_judged, 1);
    cr_expect_eq(a.runs[HD_JUDGED], 1);
    cr_expect_eq(a.runs[HD_UNSURE], 1);
    cr_expect_eq(a.runs[HD_NOT_JUDGED], 1);
    cr_assert_eq(a.unjudged_count, 2);
    cr_expect_eq(a.unjudged[0].doubt, HD_DOUBT_ONE_SNAPSHOT);
    cr_expect_eq(a.unjudged[1].findings, 1);
}

Test(fleet_answer, predicts_when_the_first_host_is_full)
{
    struct made_run m = leak;
    add(m);
    ask();
    cr_expect(isnan(a.suspects[0].hours_left), "no limit is known");
    opt.limit = 300 * (uint64_t)MADE_MIB;
    ask();
    expect_near(a.suspects[0].hours_left, 100);
    m.host = "fast";
    m.heap_per_hour = 20 * MADE_MIB;
    add(m);
    m.host = "own-limit";
    m.limit = 101 * MADE_MIB;
    add(m);
    ask();
    expect_near(a.suspects[0].hours_left, 10);
    opt.limit = HD_UNKNOWN;
    ask();
    expect_near(a.suspects[0].hours_left, 0.05);
    expect_near(a.services[0].hours_left, 0.05);
    opt.limit = 50 * MADE_MIB;
    ask();
    expect_near(a.suspects[0].hours_left, 0);
}

Test(fleet_answer, is_never_full_where_the_heap_does_not_grow)
{
    struct made_run m = leak;
    m.heap_per_hour = -1;
    m.limit = 1000 * (uint64_t)MADE_MIB;
    add(m);
    ask();
    cr_expect(isinf(a.suspects[0].hours_left));
    m.host = "slow";
    m.heap_per_hour = 1000;
    add(m);
    ask();
    cr_expect(isinf(a.suspects[0].hours_left), "more than ten years");
}

/* A heap of 100 MiB. */
Test(fleet_answer, is_full_at_the_limit_also_where_the_heap_does_not_grow)
{
    struct made_run m = leak;
    m.heap_per_hour = 0;
    m.limit = 100 * (uint64_t)MADE_MIB;
    add(m);
    ask();
    cr_expect_eq(a.suspects[0].hours_left, 0);
}

/* Builds 1 to 5, each on all hosts for six days. */
static void five_builds(unsigned first_bad, unsigned bad_hosts)
{
    static const char *const names[] = {"1", "2", "3", "4", "5"};
    for (unsigned b = 0; b < 5; b++)
        for (unsigned i = 0; i < 20; i++) {
            struct made_run m = b + 1 >= first_bad && i < bad_hosts ? leak : healthy;
            m.host = host(i);
            m.build = names[b];
            m.started = 6.0 * b + i / 100.0;
            add(m);
        }
}

Test(fleet_answer, names_the_build_with_which_it_began)
{
    five_builds(3, 12);
    ask();
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->onset, HD_ONSET_NAMED);
    cr_expect_str_eq(s->began_with, "3");
    cr_expect_str_eq(s->first_build, "3");
    cr_expect_eq(s->since_with, 36);
    cr_expect_eq(s->since_without, 24);
    cr_expect_eq(s->before_with, 0);
    cr_expect_eq(s->before_without, 40);
    cr_expect_eq(s->boundaries, 4);
    cr_expect_lt(s->chance, 1e-9);
    cr_expect_eq(s->build_count, 3);
    cr_expect_eq(s->builds[0].with, 12);
    cr_expect_eq(s->builds[0].runs, 20);
    expect_near(s->first_seen, made_start + 12 * made_day);
}

Test(fleet_answer, is_not_misled_by_one_early_run)
{
    struct made_run early = leak;
    five_builds(3, 12);
    early.host = "h019";
    early.started = 0.5;
    add(early);
    ask();
    const struct hd_fleet_suspect *s = &a.suspects[0];
    cr_expect_eq(s->onset, HD_ONSET_NAMED);
    cr_expect_str_eq(s->began_with, "3");
    cr_expect_str_eq(s->first_build, "1");
    cr_expect_eq(s->before_with, 1);
}

Test(fleet_answer, names_no_build_where_all_show_it)
{
    five_builds(1, 12);
    ask();
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_FIRST);
    cr_expect_str_eq(a.suspects[0].first_build, "1");
}

Test(fleet_answer, names_no_build_that_may_be_chance)
{
    five_builds(5, 2);
    ask();
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_CHANCE);
    cr_expect_str_eq(a.suspects[0].first_build, "5");
    cr_expect_gt(a.suspects[0].chance, 0.01);
}

Test(fleet_answer, has_no_build_if_the_runs_have_none)
{
    struct made_run m = leak;
    m.build = NULL;
    add(m);
    ask();
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_UNKNOWN);
    cr_expect_null(a.suspects[0].first_build);
    cr_expect_null(a.suspects[0].began_with);
}

Test(fleet_answer, orders_builds_by_time_and_not_by_name)
{
    struct made_run m = healthy;
    for (unsigned i = 0; i < 40; i++) {
        m = i < 20 ? healthy : leak;
        m.host = host(i);
        m.build = i < 20 ? "10.0" : "9.0";
        m.started = i;
        add(m);
    }
    ask();
    cr_expect_str_eq(a.suspects[0].began_with, "9.0");
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_NAMED);
}

/* The first host in order is the last that got the old build. */
Test(fleet_answer, orders_builds_by_their_first_run_on_any_host)
{
    struct made_run m = healthy;
    for (unsigned i = 0; i < 40; i++) {
        m = i < 20 ? healthy : leak;
        m.host = host(i);
        m.build = i < 20 ? "10.0" : "9.0";
        m.started = i == 0 ? 25 : i;
        add(m);
    }
    ask();
    cr_expect_str_eq(a.suspects[0].began_with, "9.0");
    cr_expect_eq(a.suspects[0].onset, HD_ONSET_NAMED);
}

/* Four runs without, then five with: one in 126. Not enough for one of two possible
 * boundaries. */
Test(fleet_answer, names_no_build_that_may_be_chance_for_one_of_several)
{
    for (unsigned builds = 2; builds <= 3; builds++) {
        hd_fleet_free(f);
        f = made_fleet(0, 0);
        for (unsigned i = 0; i < 9; i++) {
            struct made_run m = i < 4 ? healthy : leak;
            m.host = host(i);
            m.build = i < 4 ? "1" : i < 7 || builds == 2 ? "2" : "3";
            m.started = i;
            add(m);
        }
        ask();
        expect_near(a.suspects[0].chance, 1 / 126.0);
        cr_expect_eq(a.suspects[0].boundaries, builds - 1);
        cr_expect_eq(a.suspects[0].onset, builds == 2 ? HD_ONSET_NAMED : HD_ONSET_CHANCE);
    }
}

Test(fleet_answer, has_a_row_per_host)
{
    struct made_run m = leak;
    add(m);
    m.type = "App.Item";
    m.share = 0.4;
    m.started = 1;
    add(m);
    m.service = "Other";
    m.type = NULL;
    add(m);
    add(healthy);
    opt.by = HD_FLEET_BY_HOST;
    ask();
    cr_assert_eq(a.host_row_count, 3);
    cr_expect_str_eq(a.host_rows[0].host, "a");
    cr_expect_eq(a.host_rows[0].suspects, 2);
    cr_expect_str_eq(a.host_rows[0].type, "App.Item");
    cr_expect_eq(a.host_rows[0].runs[HD_JUDGED], 2);
    cr_expect_str_eq(a.host_rows[1].service, "Other");
    cr_expect_str_eq(a.host_rows[2].host, "b");
    cr_expect_eq(a.host_rows[2].suspects, 0);
}

/* The first run has no snapshot, the last repeats the second. */
Test(fleet_answer, counts_a_suspect_of_several_runs_of_a_host_once)
{
    struct made_run m = leak;
    for (unsigned i = 0; i < 3; i++) {
        m.started = i;
        struct hd_run_record r = *made_record(++series, &m);
        r.count = i > 0 ? r.count : 0;
        cr_assert(hd_fleet_add(f, &r, NULL));
    }
    opt.by = HD_FLEET_BY_HOST;
    ask();
    cr_assert_eq(a.host_row_count, 1);
    cr_expect_eq(a.host_rows[0].suspects, 1);
    cr_expect_eq(a.host_rows[0].count, MADE_POINTS);
}

Test(fleet_answer, counts_runs_without_a_host_as_one_host)
{
    struct made_run m = leak;
    m.host = NULL;
    add(m);
    m.host = "";
    m.started = 1;
    add(m);
    ask();
    cr_expect_eq(a.hosts, 1);
    cr_expect_eq(a.unnamed_hosts, 2);
    cr_expect_null(a.suspects[0].on[0].host);
}

Test(fleet_answer, refuses_a_series_twice)
{
    struct hd_error err = {0};
    add(leak);
    cr_expect_not(hd_fleet_add(f, made_record(1, &healthy), &err));
    cr_expect_eq(err.status, HD_USAGE);
}

/* --- evidence ---------------------------------------------------------------------- */

static struct made_run leak_on(const char *host, double share, double per_hour,
                               const char *chain)
{
    struct made_run m = leak;
    m.host = host;
    m.share = share;
    m.per_hour = per_hour;
    m.chain = chain;
    return m;
}

Test(fleet_answer, has_the_evidence_of_the_host_where_it_grows_fastest)
{
    made_add(f, 7, leak_on("a", 0.5, 10, "slow"));
    made_add(f, 8, leak_on("b", 0.2, 99, "new"));
    made_add(f, 9, leak_on("b", 0.4, 90, "worst"));
    opt.store = "file:a b.db?wait=5";
    struct hd_report *r = hd_report_fleet(f, &opt);
    const struct hd_fleet_suspect *s = &hd_report_model(r)->fleet->suspects[0];
    cr_expect_eq(s->run, 9);
    cr_expect_eq(s->on[0].rank, 1);
    cr_expect_eq(s->on[1].run, 7);
    cr_expect_str_eq(s->chain, "worst");
    cr_expect_str_eq(s->command,
                     "heapdrift report '--store=file:a b.db?wait=5' --run=9 -o run-9.html");
    hd_report_free(r);
    r = hd_report_fleet(f, NULL);
    s = &hd_report_model(r)->fleet->suspects[0];
    cr_expect_str_eq(s->command, "heapdrift report --store=URL --run=9 -o run-9.html");
    hd_report_free(r);
}

Test(fleet_answer, looks_at_the_window_of_a_run_that_is_older)
{
    const struct hd_fleet_rules rules = {.since = made_start + made_day, .until = NAN};
    hd_fleet_free(f);
    f = hd_fleet_new(&rules);
    struct made_run m = leak;
    m.started = 0.5;
    made_add(f, 7, m);
    m.started = 1;
    m.service = "Cart";
    made_add(f, 8, m);
    struct hd_report *r = hd_report_fleet(f, NULL);
    const struct hd_fleet_suspect *s = hd_report_model(r)->fleet->suspects;
    cr_assert_eq(hd_report_model(r)->fleet->suspect_count, 2);
    for (size_t i = 0; i < 2; i++)
        cr_expect_str_eq(s[i].command,
                         s[i].run == 7
                             ? "heapdrift report --store=URL --run=7 "
                               "--since=2026-11-16T00:00:00Z -o run-7.html"
                             : "heapdrift report --store=URL --run=8 -o run-8.html");
    hd_report_free(r);
}

/* The worst run changes every night. */
Test(fleet_answer, is_called_what_most_runs_call_it)
{
    static const char *const hosts[] = {"a", "b", "c", "d", "e"};
    for (unsigned i = 0; i < 5; i++) {
        struct made_run m = leak_on(hosts[i], i == 4 ? 0.9 : 0.1, 10, NULL);
        m.title = i == 0 || i == 4 ? "Other" : "Usual";
        m.hint = i < 3 ? "static-collection" : NULL;
        add(m);
    }
    struct hd_report *r = hd_report_fleet(f, NULL);
    const struct hd_fleet_suspect *s = &hd_report_model(r)->fleet->suspects[0];
    cr_expect_str_eq(s->title, "Usual");
    cr_expect_str_eq(s->hint, "static-collection");
    cr_expect_not_null(s->fix);
    hd_report_free(r);
}
