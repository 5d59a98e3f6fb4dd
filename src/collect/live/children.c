/* pipe2, environ. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "collect/live/children.h"

#include "cli/guard/allocate.h"
#include "cli/guard/rights.h"
#include "collect/live/collector.h"
#include "collect/live/last_resort.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

pid_t child_begin(const char *task)
{
    (void)task;
    return fork();
}

/* The environment, and the task. malloc'd; the words are where they were. */
static char **with_task(char *task)
{
    size_t count = 0;
    while (environ[count] != NULL)
        count++;
    char **all = zeroed(count + 2, sizeof(*all));
    all[0] = task;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = environ[i];
    return all;
}

pid_t child_begin_anew(const char *const *words, const char *task, int *from)
{
    enum { TASK_SIZE = 4096 };
    char variable[TASK_SIZE];
    int ends[2];
    pid_t child = -1;
    posix_spawn_file_actions_t files;
    int length = snprintf(variable, sizeof(variable), CHILD_TASK "=%s", task);
    if (length >= TASK_SIZE || pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    char **environment = with_task(variable);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    if (posix_spawn(&child, "/proc/self/exe", &files, NULL, (char *const *)words,
                    environment) != 0)
        child = -1;
    posix_spawn_file_actions_destroy(&files);
    free(environment);
    close(ends[1]);
    *from = ends[0];
    if (child < 0)
        close(ends[0]);
    return child;
}

const char *child_task(void)
{
    const int last = 19;
    const char *task = getenv(CHILD_TASK);
    if (task != NULL)
        setpriority(PRIO_PROCESS, 0, last);
    return task;
}

void child_collects(void)
{
    rights_keep_for_collector();
    rights_forget_environment("PG");
    rights_forget_environment("HEAPDRIFT_STORE");
}

static void close_from_to(int first, int last)
{
    enum { CLOSE_RANGE = 436 }; /* Linux 5.9 */
    const long most = sysconf(_SC_OPEN_MAX) - 1;
    if (first > last || syscall(CLOSE_RANGE, (unsigned)first, (unsigned)last, 0U) == 0)
        return;
    for (int fd = first; fd <= last && fd <= most; fd++)
        close(fd);
}

static void keep_files(const int *files, size_t count)
{
    for (int kept = STDERR_FILENO, next; kept < INT_MAX; kept = next) {
        next = INT_MAX;
        for (size_t i = 0; i < count; i++)
            if (files[i] > kept && files[i] < next)
                next = files[i];
        close_from_to(kept + 1, next - 1);
    }
}

pid_t child_begin_snapshot(struct collector *c, const int *files, size_t count)
{
    const pid_t parent = getpid();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    fflush(NULL);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    /* If SIGCHLD is ignored, exit statuses are lost. */
    signal(SIGCHLD, SIG_DFL);
    pid_t child = fork();
    if (child != 0) {
        int why = errno;
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        errno = why;
        return child;
    }
    if (files != NULL)
        keep_files(files, count);
    child_collects();
    c->signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    last_resort_begin(c->signals);
    c->finishes = c->stopped = false;
    c->meanwhile = NULL;
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    /* The parent may have ended before prctl(). */
    if (getppid() != parent)
        _exit(EXIT_TROUBLE);
    return 0;
}
