/* One snapshot of a running process as a digest: by this process, or by one of its own. */
#include "cli/live/agent.h"
#include "cli/live/children.h"
#include "cli/live/last_resort.h"
#include "cli/live/nameless.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A digest has some hundred kilobytes; larger than all that may wait it is none. */
enum { MOST_RESULT = 64 << 20, TO_END_S = 2 };

void taking_here(struct collecting *c, const char *who, struct taken *t)
{
    *t = (struct taken){.status = EXIT_TROUBLE};
    c->failure = &t->err;
    t->status = collecting_take(c, who, &t->digest);
    c->failure = NULL;
    t->collected = c->collected;
}

/* --- in the child ------------------------------------------------------------------- */

/* Ctrl-C is for the whole group, and systemd tells all of a unit to end: one that comes
 * once ends what would come next, and this is in hand. So it listens to its parent only. */
_Noreturn static void be_child(const struct taking *taking, pid_t parent,
                               const sigset_t *signal)
{
    struct collecting *c = taking->c;
    struct taken t;
    child_collects();
    c->signals = signalfd(-1, signal, SFD_NONBLOCK | SFD_CLOEXEC);
    last_resort_begin(c->signals);
    c->finishes = c->stopped = false;
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    /* It may have ended before it was to be told of. */
    if (getppid() != parent)
        _exit(EXIT_TROUBLE);
    c->meanwhile = NULL;
    taking_here(c, taking->who, &t);
    fflush(stderr);
    bool ok = fwrite(&t, sizeof(t), 1, taking->result) == 1 &&
              (t.digest.size == 0 ||
               fwrite(t.digest.bytes, t.digest.size, 1, taking->result) == 1) &&
              fflush(taking->result) == 0;
    _exit(ok ? EXIT_DONE : EXIT_TROUBLE);
}

/* --- in the parent ------------------------------------------------------------------ */

void taking_stop(struct taking *taking)
{
    if (taking->child > 0)
        kill(taking->child, taking->stops++ > 0 ? SIGKILL : SIGUSR1);
}

bool taking_begin(struct taking *taking, struct collecting *c, const char *who,
                  double most_seconds)
{
    *taking = (struct taking){.c = c, .who = who, .result = nameless_in_memory()};
    if (taking->result == NULL)
        return false;
    pid_t parent = getpid();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    c->most_seconds = most_seconds;
    c->begin = seconds_now();
    taking->give_up = c->begin + most_seconds + TO_END_S;
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    /* Where it is ignored nobody learns how a child ended. */
    signal(SIGCHLD, SIG_DFL);
    taking->child = child_begin(who);
    if (taking->child == 0)
        be_child(taking, parent, &signals);
    int why = errno;
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    if (taking->child > 0)
        return true;
    fclose(taking->result);
    *taking = (struct taking){0};
    errno = why;
    return false;
}

/* What comes from there is no more to be believed than what it read. */
static bool read_result(FILE *result, struct taken *t)
{
    struct stat st;
    char block[1 << 14];
    const struct hd_sink to = hd_sink_memory(&t->digest);
    int fd = fileno(result);
    /* Its word stands in front of its digest. */
    bool ok = fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(*t) &&
              st.st_size <= MOST_RESULT && lseek(fd, 0, SEEK_SET) == 0 &&
              read(fd, t, sizeof(*t)) == (ssize_t)sizeof(*t);
    t->digest = (struct hd_memory){0};
    t->has_crashed = false;
    t->err.kind = NULL;
    t->err.message[sizeof(t->err.message) - 1] = '\0';
    if (!ok)
        return false;
    ssize_t n;
    while ((n = read(fd, block, sizeof(block))) > 0)
        if (to.write(to.context, block, (size_t)n) != 0)
            return false;
    return n == 0;
}

bool taking_is_done(struct taking *taking, struct taken *t)
{
    int how = EXIT_TROUBLE << 8;
    if (seconds_now() > taking->give_up) {
        taking_stop(taking);
        taking->give_up += TO_END_S;
    }
    pid_t ended = waitpid(taking->child, &how, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    *t = (struct taken){.status = EXIT_TROUBLE};
    t->has_crashed = WIFSIGNALED(how) && taking->stops == 0;
    if (t->has_crashed) {
        set_error(&t->err, HD_IO, "its collector process was killed (signal %d)%s",
                  WTERMSIG(how),
                  WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    } else if (taking->stops > 0 && !WIFEXITED(how)) {
        set_error(&t->err, HD_TIMED_OUT,
                  "took too long, and its collector process was killed");
    } else if (WEXITSTATUS(how) != EXIT_DONE || !read_result(taking->result, t)) {
        t->has_crashed = true;
        t->status = EXIT_TROUBLE;
        set_error(&t->err, HD_IO, "its collector process failed");
    }
    if (t->status == EXIT_TROUBLE)
        hd_memory_free(&t->digest);
    fclose(taking->result);
    *taking = (struct taking){0};
    return true;
}
