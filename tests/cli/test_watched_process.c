/* The successor of an ended process, and the times of snapshots. */
#include "fleet/agent/agent.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- which one is next ------------------------------------------------------------- */

/* NULL: missing. */
static struct agent_process sight(uint64_t born, const char *declared, const char *command,
                                  const char *unit)
{
    struct agent_process s = {.pid = born, .born = born, .command = (char *)command};
    s.is_declared = declared != NULL;
    snprintf(s.service, sizeof(s.service), "%s", declared != NULL ? declared : "Shop");
    snprintf(s.unit, sizeof(s.unit), "%s", unit != NULL ? unit : "");
    snprintf(s.who, sizeof(s.who), "Shop (pid %d)", (int)born);
    return s;
}

static const struct agent_process nobody;

Test(watched_process, the_newest_of_several_is_watched_first)
{
    const struct agent_process all[] = {sight(2, NULL, "Shop", NULL),
                                        sight(9, NULL, "Shop a", NULL),
                                        sight(5, "shop", "Shop", NULL)};
    cr_expect_eq(agent_process_choose(all, 3, &nobody, false), 1);
    cr_expect_eq(agent_process_choose(all, 0, &nobody, false), 0, "none of none");
}

Test(watched_process, one_that_is_denied_is_only_taken_alone)
{
    struct agent_process all[] = {sight(2, NULL, "Shop", NULL),
                                  sight(9, NULL, "Shop", NULL)};
    all[1].is_denied = true;
    cr_expect_eq(agent_process_choose(all, 2, &nobody, false), 0);
    cr_expect_eq(agent_process_choose(all + 1, 1, &nobody, false), 0);
}

/* Each row: the ended process, the present one, and whether it is the successor. */
Test(watched_process, a_process_of_another_service_never_follows)
{
    static const struct {
        const char *service, *command, *unit, *next_service, *next_command, *next_unit;
        bool follows, follows_if_one;
    } rows[] = {
        {"shop", "Shop", NULL, "shop", "Shop", NULL, true, true},
        {"shop", "Shop 1", NULL, "shop", "Shop 2", NULL, true, true},
        {"shop", "Shop", NULL, "mail", "Shop", NULL, false, true},
        {"shop", "Shop", NULL, NULL, "Shop", NULL, false, true},
        {NULL, "Shop", NULL, "shop", "Shop", NULL, false, true},
        {NULL, "Shop", NULL, NULL, "Shop", NULL, true, true},
        {NULL, "Shop 1", NULL, NULL, "Shop 2", NULL, false, true},
        /* As in the kernel, then as in the runtime. */
        {NULL, "/a/Shop 1", NULL, NULL, "/a/Shop /a/Shop.dll 1", NULL, true, true},
        {NULL, "/a/Shop", NULL, NULL, "/a/Shop /a/Shop.dll", NULL, true, true},
        {NULL, "/a/Shop 1", NULL, NULL, "/a/Shop /a/Shop.dll 2", NULL, false, true},
        {NULL, "/a/Shop 1", NULL, NULL, "/b/Shop /b/Shop.dll 1", NULL, false, true},
        {NULL, "dotnet Shop.dll 1", NULL, NULL, "/net/dotnet Shop.dll 1", NULL, true, true},
        {NULL, "dotnet a.dll", NULL, NULL, "dotnet b.dll", NULL, false, true},
        {NULL, "Shop", NULL, NULL, "OtherShop", NULL, false, true},
        {NULL, "Shop 1", "shop.service", NULL, "Shop 2", "shop.service", true, true},
        {NULL, "Shop 1", "shop.service", NULL, "Shop 2", "mail.service", false, true},
        {NULL, "Shop", "shop.service", NULL, "Shop", "mail.service", true, true},
        {NULL, NULL, NULL, NULL, "Shop", NULL, true, true}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct agent_process last =
            sight(1, rows[i].service, rows[i].command, rows[i].unit);
        const struct agent_process next =
            sight(2, rows[i].next_service, rows[i].next_command, rows[i].next_unit);
        cr_expect_eq(agent_process_choose(&next, 1, &last, false) == 0, rows[i].follows,
                     "row %zu", i);
        cr_expect_eq(agent_process_choose(&next, 1, &last, true) == 0,
                     rows[i].follows_if_one, "row %zu, of one service", i);
    }
}

Test(watched_process, within_a_service_an_equal_command_line_is_preferred_then_the_newest)
{
    const struct agent_process last = sight(1, "shop", "Shop blue", NULL);
    const struct agent_process all[] = {
        sight(4, "shop", "Shop blue", NULL), sight(8, "shop", "Shop green", NULL),
        sight(6, "shop", "Shop blue", NULL), sight(9, "mail", "Shop blue", NULL)};
    cr_expect_eq(agent_process_choose(all, 4, &last, false), 2);
    cr_expect_eq(agent_process_choose(all + 1, 1, &last, false), 0);
    cr_expect_eq(agent_process_choose(all + 3, 1, &last, false), 1);
}

/* --- which one it is ----------------------------------------------------------------- */

Test(watched_process, a_number_that_is_used_again_is_another_process)
{
    const struct hd_process p = {.pid = (uint64_t)getpid(), .socket = "/tmp/s"};
    struct agent_process seen = {
        .pid = p.pid, .born = hd_process_start(p.pid), .socket = "/tmp/s"};
    cr_assert_neq(seen.born, 0);
    cr_expect(agent_process_is(&seen, &p));
    cr_expect_not(agent_process_has_ended(&seen));
    seen.born--;
    cr_expect_not(agent_process_is(&seen, &p));
    cr_expect(agent_process_has_ended(&seen));
}

Test(watched_process, a_zombie_has_ended)
{
    pid_t child = fork();
    if (child == 0)
        pause();
    struct agent_process seen = {.pid = (uint64_t)child,
                                 .born = hd_process_start((uint64_t)child)};
    cr_expect_not(agent_process_has_ended(&seen));
    kill(child, SIGKILL);
    siginfo_t info;
    waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT);
    cr_expect(agent_process_has_ended(&seen), "a zombie");
    waitpid(child, NULL, 0);
    cr_expect(agent_process_has_ended(&seen));
}

Test(watched_process, one_that_cannot_be_seen_lives_as_long_as_its_socket)
{
    struct agent_process seen = {
        .pid = 1, .memory = HD_UNKNOWN, .socket = "/proc/self/stat"};
    cr_expect_not(agent_process_has_ended(&seen));
    snprintf(seen.socket, sizeof(seen.socket), "/proc/self/none");
    cr_expect(agent_process_has_ended(&seen));
}

/* --- what is said ----------------------------------------------------------------------
 */

Test(watched_process, each_reason_is_news_once_until_a_snapshot_succeeds)
{
    struct watched_process w = {0};
    cr_expect(watched_process_failed(&w, WATCH_SILENT));
    cr_expect_not(watched_process_failed(&w, WATCH_SILENT));
    cr_expect(watched_process_failed(&w, WATCH_TOO_LARGE));
    cr_expect_not(watched_process_failed(&w, WATCH_SILENT));
    cr_expect_eq(w.failures[WATCH_SILENT], 3);
    watched_process_succeeded(&w);
    cr_expect(watched_process_failed(&w, WATCH_SILENT));
    cr_expect_eq(w.taken, 1);
}

Test(watched_process, each_reason_has_a_name_of_its_own)
{
    for (int i = 0; i < WATCH_FAILURES; i++)
        for (int j = 0; j < i; j++)
            cr_expect_str_neq(watch_failure_name((enum watch_failure)i),
                              watch_failure_name((enum watch_failure)j));
}

/* --- when ----------------------------------------------------------------------------- */

Test(watched_process, the_first_is_within_a_tenth_and_the_next_within_a_twentieth)
{
    double least = INFINITY, most = 0;
    for (uint64_t pid = 1; pid < 500; pid++) {
        struct watched_process w = {.process = {.pid = pid, .host = "web1"},
                                    .attempts = pid};
        schedule_begin(&w);
        cr_assert(schedule_until_first(&w, 100) >= 0 && schedule_until_first(&w, 100) < 10);
        least = fmin(least, schedule_until_next(&w, 100));
        most = fmax(most, schedule_until_next(&w, 100));
    }
    cr_expect(least >= 95 && least < 96 && most <= 105 && most > 104, "%g %g", least, most);
}

/* Otherwise consecutive pids would all be due together, and so would hosts with equal pids.
 */
Test(watched_process, moments_differ_by_pid_and_by_host)
{
    struct watched_process a = {.process = {.pid = 1, .host = "web1"}}, b = a, c = a;
    b.process.pid = 2;
    snprintf(c.process.host, sizeof(c.process.host), "web2");
    schedule_begin(&a);
    schedule_begin(&b);
    schedule_begin(&c);
    cr_expect(fabs(schedule_share(&a, 0) - schedule_share(&b, 0)) > 0.001);
    cr_expect(fabs(schedule_share(&a, 0) - schedule_share(&c, 0)) > 0.001);
}

Test(watched_process, failing_processes_use_at_most_a_twentieth_of_the_time)
{
    struct watched_process w = {.seed = 1};
    w.cost = 4;
    cr_expect_eq(schedule_until_next(&w, 20), 80);
    cr_expect(schedule_until_next(&w, 3600) >= 3420);
    watched_process_succeeded(&w);
    cr_expect(schedule_until_next(&w, 20) <= 21);
}

/* Fifty processes that need a second each, at an interval too short for half of them: each
 * gets its turn, none twice within the interval, and none waits indefinitely. */
Test(watched_process, no_process_starves_or_is_due_too_often)
{
    enum { COUNT = 50, INTERVAL = 20, SECONDS = 3000 };
    static struct watched_process all[COUNT];
    struct watched_process *list[COUNT];
    double last[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        all[i] = (struct watched_process){.process = {.pid = i + 1}, .is_there = i != 7};
        list[i] = &all[i];
        schedule_begin(&all[i]);
        all[i].due = schedule_until_first(&all[i], INTERVAL);
        last[i] = -INTERVAL;
    }
    for (double now = INTERVAL; now < SECONDS; now += 1) {
        struct watched_process *w = schedule_pick(list, COUNT, now);
        cr_assert_not_null(w);
        size_t i = (size_t)(w - all);
        cr_assert(now - last[i] >= 0.95 * INTERVAL, "%zu too early", i);
        cr_assert(now < 100 || now - last[i] < COUNT + 3, "%zu waited %g s", i,
                  now - last[i]);
        last[i] = now;
        w->attempts++;
        w->taken++;
        w->due = now + schedule_until_next(w, INTERVAL);
    }
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < COUNT; i++) {
        least = i != 7 && all[i].taken < least ? all[i].taken : least;
        most = all[i].taken > most ? all[i].taken : most;
    }
    cr_expect_eq(all[7].taken, 0, "one that is not there");
    cr_expect(most - least <= 2, "%d to %d", (int)least, (int)most);
}

Test(watched_process, the_next_is_due_when_the_first_is)
{
    struct watched_process a = {.is_there = true, .due = 8},
                           b = {.is_there = true, .due = 5}, c = {.due = 1};
    struct watched_process *const list[] = {&a, &b, &c};
    cr_expect_eq(schedule_next_due(list, 3), 5);
    cr_expect_null(schedule_pick(list, 3, 4.9));
    cr_expect_eq(schedule_pick(list, 3, 9), &b);
    cr_expect(isinf(schedule_next_due(list, 0)));
}

/* One user has many slow due processes, another user one: it waits for one of them. */
Test(watched_process, processes_of_one_user_do_not_delay_those_of_another)
{
    enum { MANY = 300 };
    struct time_shares shares = {0};
    struct watched_process all[MANY + 1] = {{.number = 0}}, *list[MANY + 1];
    for (size_t i = 0; i <= MANY; i++) {
        list[i] = &all[i];
        all[i].is_there = true;
        all[i].share = time_share_of(&shares, i < MANY ? 1000 : 0, 0);
        all[i].share->process_count++;
    }
    double now = 0, last = 0;
    for (int turn = 0; turn < 200; turn++, now += 1) {
        struct watched_process *w = schedule_pick(list, MANY + 1, now);
        if (w == NULL)
            continue;
        w->taken++;
        w->due = now + 10;
        double seconds = w == &all[MANY] ? 0.1 : 10;
        if (w == &all[MANY]) {
            cr_expect(turn == 0 || now - last <= 21, "%g", now - last);
            last = now;
        }
        time_share_succeeded(&shares, w->share, seconds);
        now += seconds;
    }
    cr_expect(now - last <= 21);
    cr_expect(all[MANY].taken > 60);
    time_shares_free(&shares);
}

Test(watched_process, a_failed_process_is_retried_later_and_charged_a_twentieth)
{
    struct time_shares shares = {0};
    struct watched_process a = {.is_there = true}, b = a, c = a, *list[] = {&a, &b, &c};
    a.share = b.share = time_share_of(&shares, 1000, 0);
    a.share->process_count = 2;
    c.share = time_share_of(&shares, 0, 0);
    c.share->process_count = 1;
    a.cost = 1;
    a.failed_in_row = 1;
    time_share_failed(&shares, a.share, 1, 0);
    cr_expect_eq(schedule_due(&b), 1, "one that was never tried");
    b.taken = 1;
    cr_expect_eq(schedule_due(&b), 0, "one that gives snapshots");
    for (int i = 0; i < 10; i++)
        time_share_failed(&shares, a.share, 1, 0);
    cr_expect_eq(schedule_due(&a), 19);
    cr_expect_eq(schedule_pick(list, 3, 1), &c);
    double once = schedule_until_next(&a, 100);
    a.failed_in_row = 2;
    cr_expect_eq(schedule_until_next(&a, 100), 2 * once);
    a.failed_in_row = 50;
    cr_expect_eq(schedule_until_next(&a, 100), 4 * once);
    time_shares_free(&shares);
}

Test(watched_process, shares_of_absent_users_expire_after_their_rest)
{
    struct time_shares shares = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        struct time_share *of = time_share_of(&shares, i, (double)i);
        time_share_failed(&shares, of, 1, (double)i);
        cr_assert_lt(shares.count, 4);
    }
    time_shares_free(&shares);
}
