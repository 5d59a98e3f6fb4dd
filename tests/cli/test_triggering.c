/* Snapshots triggered by memory: the limit that applies, and the effect on the schedule.
 * The kernel's files are the test's. */
#include "cli/terminal/clock.h"
#include "fleet/agent/agent.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB UINT64_C(1048576)

enum { HOUR = 3600 };

static struct scratch scratch;
static struct settings settings;
static struct collect_options options;
static struct agent agent;
static struct watched_process process, *all[] = {&process};
static unsigned failures[WATCH_FAILURES];

/* Replaces the one of finding.c, which prints the message. */
void finding_failed(struct watched_process *w, enum watch_failure why, const char *format,
                    ...)
{
    cr_expect(w == &process && strstr(format, "MiB") != NULL);
    failures[why]++;
}

static void put(const char *path, const char *text)
{
    scratch_file(&scratch, path, text, strlen(text));
}

static const char *of_process(const char *name)
{
    return arena_printf(&scratch.arena, "proc/%d%s", (int)getpid(), name);
}

static void set_resident(unsigned mib)
{
    put(of_process("/statm"), arena_printf(&scratch.arena, "1 %lld 0 0 0 0 0\n",
                                           (long long)(mib * MIB) / sysconf(_SC_PAGESIZE)));
}

static void put_size(const char *path, const char *before, unsigned mib)
{
    put(path,
        arena_printf(&scratch.arena, "%s%llu\n", before, (unsigned long long)(mib * MIB)));
}

/* MiB; limit 0: no limit. */
static void set_group(unsigned limit, unsigned used, unsigned cache)
{
    if (limit > 0)
        put_size("sys/fs/cgroup/shop/memory.max", "", limit);
    else
        put("sys/fs/cgroup/shop/memory.max", "max\n");
    put_size("sys/fs/cgroup/shop/memory.current", "", used);
    put_size("sys/fs/cgroup/shop/memory.stat", "inactive_file ", cache);
}

/* A process of 100 MiB in a group; its next snapshot is in half an hour. */
static void begin(void)
{
    static const char *const folders[] = {"proc", "sys", "sys/fs", "sys/fs/cgroup",
                                          "sys/fs/cgroup/shop"};
    scratch_open(&scratch);
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        scratch_folder(&scratch, folders[i]);
    scratch_folder(&scratch, of_process(""));
    put(of_process("/cgroup"), "0::/shop\n");
    set_resident(100);
    settings = (struct settings){.own = &options, .quiet = true};
    options = (struct collect_options){.at = "80%"};
    process = (struct watched_process){
        .is_there = true,
        .process = {.pid = (uint64_t)getpid(), .memory = 100 * MIB},
        .pause = NAN,
        .due = seconds_now() + HOUR / 2};
    agent = (struct agent){.settings = &settings,
                           .options = &options,
                           .root = scratch.folder,
                           .interval = HOUR,
                           .all = all,
                           .count = 1};
}

static void end(void)
{
    free(process.triggering);
    scratch_remove(&scratch);
}

TestSuite(triggering, .init = begin, .fini = end);

/* Checks, regardless of the last check. True if memory triggers a snapshot. */
static bool is_due(void)
{
    double clock_due = process.due;
    if (process.triggering == NULL)
        triggering_begin(&agent);
    agent.memory_looked = -INFINITY;
    triggering_look(&agent);
    bool due = process.due <= seconds_now();
    cr_expect(due || process.due == clock_due);
    cr_expect(process.triggering == NULL ||
              due == (process.triggering->rule != NO_TRIGGER));
    return due;
}

/* --- which limit ------------------------------------------------------------------- */

Test(triggering, share_is_of_the_limit_of_the_group)
{
    set_group(1000, 790, 0);
    cr_expect_not(is_due());
    set_group(1000, 810, 0);
    cr_expect(is_due());
}

Test(triggering, cache_of_the_group_is_not_counted)
{
    set_group(1000, 900, 200);
    cr_expect_not(is_due());
    set_group(1000, 900, 50);
    cr_expect(is_due());
}

Test(triggering, a_changed_limit_counts_with_its_remaining_memory)
{
    set_group(1000, 500, 0);
    cr_expect_not(is_due());
    set_group(700, 500, 0);
    cr_expect_not(is_due(), "71 %%");
    set_group(4000, 1000, 0);
    cr_expect_not(is_due());
    set_group(600, 500, 0);
    cr_expect(is_due(), "83 %%");
}

/* A group without a limit is read again every ten seconds. */
Test(triggering, a_new_limit_is_noticed)
{
    set_group(0, 900, 0);
    cr_expect_not(is_due());
    set_group(1000, 900, 0);
    cr_expect_not(is_due());
    process.triggering->looked -= 5;
    cr_expect_not(is_due());
    process.triggering->looked -= 5;
    cr_expect(is_due());
}

Test(triggering, a_given_limit_applies_to_the_process_alone)
{
    set_group(1000, 950, 0);
    options.limit = 500 * MIB;
    set_resident(390);
    cr_expect_not(is_due());
    set_resident(410);
    cr_expect(is_due());
}

Test(triggering, limit_of_the_runtime_counts_if_it_is_smaller)
{
    set_group(1000, 100, 0);
    cr_assert_not(is_due());
    process.triggering->limit = 500 * MIB;
    set_group(1000, 950, 0);
    set_resident(390);
    cr_expect_not(is_due());
    set_resident(410);
    cr_expect(is_due());
}

/* --- who is looked at ---------------------------------------------------------------- */

Test(triggering, looks_once_a_second)
{
    set_group(1000, 900, 0);
    triggering_begin(&agent);
    agent.memory_looked = seconds_now();
    triggering_look(&agent);
    cr_expect_null(process.triggering);
    agent.memory_looked = seconds_now() - 1;
    triggering_look(&agent);
    cr_assert_not_null(process.triggering);
    cr_expect_eq(process.triggering->rule, 0);
}

Test(triggering, skips_ended_busy_and_invisible_processes)
{
    set_group(1000, 900, 0);
    process.is_there = false;
    cr_expect_not(is_due());
    process.is_there = true;
    agent.at_work = &process;
    cr_expect_not(is_due());
    agent.at_work = NULL;
    process.process.memory = HD_UNKNOWN;
    cr_expect_not(is_due());
    process.process.memory = 100 * MIB;
    cr_expect(is_due());
}

Test(triggering, collection_that_does_not_fit_is_a_failure)
{
    set_group(1000, 700, 0);
    process.objects = 6 * MIB;
    cr_expect_not(is_due(), "300 MiB do not fit, but nothing is passed");
    cr_expect_eq(failures[WATCH_NEAR_LIMIT], 0);
    set_group(1000, 850, 0);
    cr_expect_not(is_due());
    cr_expect_not(is_due());
    cr_expect_eq(failures[WATCH_NEAR_LIMIT], 1);
}

Test(triggering, a_snapshot_without_the_runtime_needs_no_memory_of_the_process)
{
    options.direct = true;
    set_group(1000, 850, 0);
    process.objects = 6 * MIB;
    cr_expect(is_due());
    cr_expect_eq(failures[WATCH_NEAR_LIMIT], 0);
}

/* --- the clock's snapshot --------------------------------------------------------------
 */

/* Seconds until the next snapshot, after one triggered by memory `clock` seconds before the
 * scheduled one; the interval is an hour. */
static double next_after(double clock, bool is_taken)
{
    double now = seconds_now();
    set_group(1000, 900, 0);
    process.due = now + clock;
    cr_assert(is_due());
    process.due = now + HOUR;
    triggering_tried(&agent, &process, is_taken);
    cr_expect_eq(process.triggering->rule, NO_TRIGGER);
    return round(process.due - now);
}

Test(triggering, snapshot_of_the_clock_stays_after_a_triggered_one)
{
    cr_expect_eq(next_after(1800, true), 1800);
}

Test(triggering, snapshot_of_the_clock_stays_after_a_triggered_one_that_failed)
{
    cr_expect_eq(next_after(1800, false), 1800);
}

Test(triggering, snapshot_of_the_clock_right_after_a_triggered_one_is_left_out)
{
    cr_expect_eq(next_after(300, true), HOUR);
}

Test(triggering, snapshot_of_the_clock_leaves_the_next_one_to_the_clock)
{
    set_group(1000, 100, 0);
    cr_assert_not(is_due());
    double due = seconds_now() + HOUR;
    process.triggering->clock_due = due - 1800;
    process.due = due;
    triggering_tried(&agent, &process, true);
    cr_expect_eq(process.due, due);
}

/* Thirty seconds later a passed level triggers again only if its snapshot failed. */
Test(triggering, level_is_due_again_only_if_its_snapshot_failed)
{
    for (int is_taken = 0; is_taken < 2; is_taken++) {
        free(process.triggering);
        process.triggering = NULL;
        next_after(1800, is_taken);
        process.triggering->trigger.last -= 100;
        process.triggering->trigger.rules[0].last -= 100;
        cr_expect_eq(is_due(), !is_taken);
    }
}
