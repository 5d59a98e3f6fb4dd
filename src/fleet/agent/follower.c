/* A child process that takes all snapshots of a process and follows its objects between
 * them. */
/* pipe2(). */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/memory.h"
#include "cli/terminal/clock.h"
#include "collect/live/anonymous_file.h"
#include "collect/live/children.h"
#include "collect/live/last_resort.h"
#include "fleet/agent/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TO_END_S = 2 };

/* --- in the child ------------------------------------------------------------------- */

/* The pipe is closed when the agent ends, which sends a signal as well. A requested
 * snapshot is started even if it is to be cancelled: its result reports that. */
static bool is_asked(struct collector *c, int requests)
{
    struct pollfd any[] = {{.fd = requests, .events = POLLIN},
                           {.fd = c->signals, .events = POLLIN}};
    while (!c->stopped) {
        if (poll(any, 2, -1) < 0)
            continue;
        if (any[0].revents != 0)
            return read(requests, &c->most_seconds, sizeof(c->most_seconds)) ==
                   (ssize_t)sizeof(c->most_seconds);
        collector_is_stopped(c, 0);
    }
    return false;
}

/* Facts about the process that apply to later snapshots (its size, whether its names are
 * available) stay in c. */
_Noreturn static void be_follower(struct collector *c, const char *who, FILE *result,
                                  int requests, int answers)
{
    static const char done = 0;
    bool ok = true;
    collector_follow(c);
    while (ok && is_asked(c, requests)) {
        ok = snapshot_job_write(c, who, result) && write(answers, &done, 1) == 1;
        memory_give_back();
    }
    /* Its process may hang. The connection ends with this one, and the session with that.
     */
    last_resort_leave(true);
    collector_unfollow(c);
    _exit(ok ? EXIT_DONE : EXIT_TROUBLE);
}

/* --- in the agent ------------------------------------------------------------------- */

static void close_ends(const int *ends)
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static bool begin(struct follower *f, struct collector *c, const char *who)
{
    int requests[2] = {-1, -1}, answers[2] = {-1, -1};
    *f = (struct follower){.result = anonymous_file_in_memory()};
    bool ok = f->result != NULL && pipe2(requests, O_CLOEXEC) == 0 &&
              pipe2(answers, O_CLOEXEC) == 0;
    if (ok) {
        /* Not the lock of this host, which it would hold, nor the pipes of others, which
         * would not end with the agent. */
        const int kept[] = {fileno(f->result), requests[0], answers[1]};
        f->child = child_begin_snapshot(c, kept, sizeof(kept) / sizeof(*kept));
        if (f->child == 0)
            be_follower(c, who, f->result, requests[0], answers[1]);
        ok = f->child > 0;
    }
    if (ok) {
        close(requests[0]);
        close(answers[1]);
        f->requests = requests[1];
        f->answers = answers[0];
        return true;
    }
    int why = errno;
    close_ends(requests);
    close_ends(answers);
    if (f->result != NULL)
        fclose(f->result);
    *f = (struct follower){0};
    errno = why;
    return false;
}

/* Truncates the previous result, which would remain if the child ends early. */
static bool ask(const struct follower *f, double most_seconds)
{
    return ftruncate(fileno(f->result), 0) == 0 &&
           write(f->requests, &most_seconds, sizeof(most_seconds)) ==
               (ssize_t)sizeof(most_seconds);
}

bool follower_take(struct follower *f, struct collector *c, const char *who)
{
    if (f->child > 0 && f->ends_by == 0 && ask(f, c->most_seconds))
        return true;
    /* It has ended since it was looked at. */
    follower_end(f);
    return begin(f, c, who) && ask(f, c->most_seconds);
}

bool follower_has_answered(const struct follower *f)
{
    char done;
    struct pollfd answer = {.fd = f->answers, .events = POLLIN};
    return poll(&answer, 1, 0) > 0 && (answer.revents & POLLIN) != 0 &&
           read(f->answers, &done, 1) == 1;
}

bool follower_has_ended(struct follower *f)
{
    if (f->child == 0 || waitpid(f->child, NULL, WNOHANG) != f->child)
        return false;
    f->child = 0;
    follower_end(f);
    return true;
}

void follower_stop(struct follower *f)
{
    if (f->child == 0 || f->ends_by != 0)
        return;
    f->ends_by = seconds_now() + TO_END_S;
    kill(f->child, SIGUSR1);
}

/* The other end of answers is closed when the child ends. A child that closes it and
 * survives does not block the agent. */
static void await_end(struct follower *f)
{
    struct pollfd end = {.fd = f->answers};
    double left;
    follower_stop(f);
    while ((left = f->ends_by - seconds_now()) > 0 && poll(&end, 1, (int)(left * 1e3)) < 1)
        continue;
    kill(f->child, SIGKILL);
    while (waitpid(f->child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

void follower_end(struct follower *f)
{
    if (f->result == NULL)
        return;
    if (f->child > 0)
        await_end(f);
    close(f->requests);
    close(f->answers);
    fclose(f->result);
    *f = (struct follower){0};
}
