/* Child processes that take snapshots for an agent: one for each, or a permanent one that
 * follows the objects of a process. Collects nothing: the snapshot is a text of the test.
 */
#include "cli/terminal/clock.h"
#include "collect/live/last_resort.h"
#include "fleet/agent/agent.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BIG = 100000, PATIENCE_S = 30 };

static struct collector c;
static struct follower f;
static struct snapshot_job job;
static unsigned taken; /* by this process */
static bool follows;   /* this process */

/* --- in place of collector.c --------------------------------------------------------- */

bool collector_is_stopped(struct collector *of, int wait_ms)
{
    struct pollfd ready = {.fd = of->signals, .events = POLLIN};
    if (last_resort_signal(poll(&ready, 1, wait_ms) > 0 ? of->signals : -1) != 0)
        of->stopped = true;
    return of->stopped;
}

void collector_follow(struct collector *of)
{
    follows = of == &c;
}

/* Hangs on request, like a process that does not end its session. */
void collector_unfollow(struct collector *of)
{
    while (strcmp(of->label, "hang at the end") == 0)
        pause();
}

/* The digest is the number of the snapshot, and whether objects are followed. */
int collector_take(struct collector *of, const char *name, struct hd_memory *digest)
{
    const struct hd_sink to = hd_sink_memory(digest);
    char text[64];
    int size = snprintf(text, sizeof(text), "%u of %s%s, %g s", ++taken, name,
                        follows ? ", followed" : "", of->most_seconds);
    bool waits = strcmp(name, "wait") == 0 || (strcmp(name, "then wait") == 0 && taken > 1);
    while (waits && !collector_is_stopped(of, 1000))
        continue;
    while (strcmp(name, "hang") == 0)
        pause();
    if (waits) {
        *of->failure = (struct hd_error){.status = HD_CANCELLED, .message = "stopped"};
        return EXIT_TROUBLE;
    }
    for (int i = 0; strcmp(name, "shrink") == 0 && taken == 1 && i < BIG; i++)
        to.write(to.context, "x", 1);
    return to.write(to.context, text, (size_t)size) == 0 ? EXIT_DONE : EXIT_TROUBLE;
}

/* --- what is tested --------------------------------------------------------------------
 */

static void begin(void)
{
    /* As in an agent. */
    signal(SIGPIPE, SIG_IGN);
    c = (struct collector){.label = "", .most_seconds = PATIENCE_S, .signals = -1};
}

static void end(void)
{
    follower_end(&f);
    cr_expect_eq(f.child, 0);
    cr_expect(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
}

TestSuite(follower, .init = begin, .fini = end);

static struct snapshot_result finish(void)
{
    struct snapshot_result t;
    double until = seconds_now() + PATIENCE_S;
    while (!snapshot_job_is_done(&job, &t)) {
        cr_assert_lt(seconds_now(), until);
        poll(NULL, 0, 1);
    }
    cr_expect_eq(job.child, 0);
    return t;
}

static struct snapshot_result take(const char *who, struct follower *of)
{
    cr_assert(snapshot_job_begin(&job, &c, who, of), "%s", strerror(errno));
    return finish();
}

/* Expects a snapshot with this digest. */
#define expect_digest(t, text)                                                   \
    do {                                                                         \
        struct snapshot_result got = (t);                                        \
        cr_expect_eq(got.status, EXIT_DONE, "%s", got.err.message);              \
        cr_expect_eq(got.digest.size, strlen(text));                             \
        cr_expect(got.digest.size == strlen(text) &&                             \
                      memcmp(got.digest.bytes, text, strlen(text)) == 0,         \
                  "%.*s", (int)got.digest.size, (const char *)got.digest.bytes); \
        hd_memory_free(&got.digest);                                             \
    } while (0)

static size_t open_files(void)
{
    size_t count = 0;
    DIR *all = opendir("/proc/self/fd");
    while (readdir(all) != NULL)
        count++;
    closedir(all);
    return count;
}

Test(follower, a_child_for_one_snapshot_knows_no_other)
{
    size_t files = open_files();
    expect_digest(take("a", NULL), "1 of a, 30 s");
    expect_digest(take("a", NULL), "1 of a, 30 s");
    cr_expect_eq(open_files(), files);
}

Test(follower, a_child_that_stays_takes_all_snapshots)
{
    size_t files = open_files();
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    const pid_t child = f.child;
    c.most_seconds = 4;
    expect_digest(take("a", &f), "2 of a, followed, 4 s");
    cr_expect_eq(f.child, child);
    cr_expect_not(follower_has_ended(&f));
    cr_expect_eq(open_files(), files + 3);
    follower_end(&f);
    cr_expect_eq(open_files(), files);
    expect_digest(take("a", &f), "1 of a, followed, 4 s");
}

Test(follower, a_result_has_no_rest_of_a_longer_one_before_it)
{
    struct snapshot_result first = take("shrink", &f);
    cr_expect_gt(first.digest.size, BIG);
    hd_memory_free(&first.digest);
    expect_digest(take("shrink", &f), "2 of shrink, followed, 30 s");
}

Test(follower, several_stay_side_by_side)
{
    struct follower other = {0};
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    expect_digest(take("b", &other), "1 of b, followed, 30 s");
    expect_digest(take("a", &f), "2 of a, followed, 30 s");
    follower_end(&other);
    expect_digest(take("a", &f), "3 of a, followed, 30 s");
}

Test(follower, one_that_is_killed_at_work_costs_one_snapshot)
{
    cr_assert(snapshot_job_begin(&job, &c, "wait", &f));
    kill(f.child, SIGKILL);
    struct snapshot_result t = finish();
    cr_expect_eq(t.status, EXIT_TROUBLE);
    cr_expect(t.has_crashed);
    cr_expect_str_eq(t.err.message,
                     "its collector process was killed (signal 9): possibly out of memory");
    cr_expect_eq(f.child, 0);
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
}

Test(follower, one_that_is_killed_while_it_waits_costs_no_snapshot)
{
    siginfo_t how;
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    kill(f.child, SIGKILL);
    waitid(P_PID, (id_t)f.child, &how, WEXITED | WNOWAIT);
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    kill(f.child, SIGKILL);
    waitid(P_PID, (id_t)f.child, &how, WEXITED | WNOWAIT);
    cr_expect(follower_has_ended(&f));
    cr_expect_not(follower_has_ended(&f));
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
}

Test(follower, one_that_is_stopped_ends_in_good_order)
{
    expect_digest(take("then wait", &f), "1 of then wait, followed, 30 s");
    cr_assert(snapshot_job_begin(&job, &c, "then wait", &f));
    snapshot_job_stop(&job);
    struct snapshot_result t = finish();
    cr_expect_eq(t.err.status, HD_CANCELLED);
    cr_expect_str_eq(t.err.message, "stopped");
    cr_expect_not(t.has_crashed);
    cr_expect_eq(f.child, 0);
}

Test(follower, one_that_is_too_late_is_stopped_and_then_killed)
{
    c.most_seconds = -2;
    cr_assert(snapshot_job_begin(&job, &c, "hang", &f));
    struct snapshot_result t = finish();
    cr_expect_eq(t.err.status, HD_TIMED_OUT);
    cr_expect_eq(f.child, 0);
}

Test(follower, one_that_does_not_end_is_killed)
{
    c.label = "hang at the end";
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    double begun = seconds_now();
    follower_end(&f);
    cr_expect_lt(seconds_now() - begun, 10);
    cr_expect_gt(seconds_now() - begun, 0.5);
}

/* A file that two processes have open ends when both have closed it. */
Test(follower, it_holds_no_file_of_the_agent)
{
    int ends[2];
    char byte;
    cr_assert_eq(pipe(ends), 0);
    expect_digest(take("a", &f), "1 of a, followed, 30 s");
    close(ends[1]);
    struct pollfd end_of = {.fd = ends[0], .events = POLLIN};
    cr_assert_eq(poll(&end_of, 1, 0), 1);
    cr_expect_eq(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

/* However the agent ends; the test is its parent then. */
Test(follower, it_ends_with_the_agent)
{
    int ends[2];
    pid_t child = 0;
    cr_assert_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    cr_assert_eq(pipe(ends), 0);
    pid_t agent = fork();
    if (agent == 0) {
        struct snapshot_result t = take("a", &f);
        bool ok = t.status == EXIT_DONE && write(ends[1], &f.child, sizeof(f.child)) > 0;
        raise(ok ? SIGKILL : SIGABRT);
    }
    cr_assert_eq(read(ends[0], &child, sizeof(child)), (ssize_t)sizeof(child));
    cr_expect_eq(waitpid(agent, NULL, 0), agent);
    double until = seconds_now() + PATIENCE_S;
    while (waitpid(child, NULL, WNOHANG) == 0 && seconds_now() < until)
        poll(NULL, 0, 1);
    cr_expect_neq(kill(child, 0), 0);
}
