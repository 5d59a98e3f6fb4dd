/* A handler of signals has no arguments: what it removes can only be a variable of this
 * file. */
#include "cli/temporary.h"

#include "cli/last_words.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[PATH_MAX];
static volatile sig_atomic_t is_there;

/* What people, terminals and systems end programs with. */
static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
enum { END_COUNT = sizeof(ends) / sizeof(*ends) };

/* Only what POSIX allows in a handler. The signal then does what it would have done. */
static void end(int number)
{
    last_words();
    temporary_remove();
    raise(number);
}

static sigset_t all_ends(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < END_COUNT; i++)
        sigaddset(&set, ends[i]);
    return set;
}

/* What is ignored stays so: nohup. */
void temporary_listen(void)
{
    static bool listens;
    struct sigaction before, ours = {.sa_flags = (int)SA_RESETHAND};
    if (listens)
        return;
    listens = true;
    ours.sa_handler = end;
    ours.sa_mask = all_ends();
    for (size_t i = 0; i < END_COUNT; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ends[i], &ours, NULL);
    atexit(temporary_remove);
}

static bool name_beside(const char *target)
{
    static const char name[] = ".heapdrift-XXXXXX";
    const char *slash = strrchr(target, '/');
    size_t folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
    if (folder + sizeof(name) > sizeof(path)) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(path, target, folder);
    memcpy(path + folder, name, sizeof(name));
    return true;
}

FILE *temporary_open(const char *target)
{
    sigset_t set = all_ends(), before;
    if (!name_beside(target))
        return NULL;
    temporary_listen();
    /* None comes between the file and the note that it is there. */
    pthread_sigmask(SIG_BLOCK, &set, &before);
    int fd = mkstemp(path), why = errno;
    is_there = fd >= 0;
    /* Landlock may let a file be made that it then refuses to open. */
    if (fd < 0)
        unlink(path);
    errno = why;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (to == NULL && fd >= 0) {
        why = errno;
        close(fd);
        temporary_remove();
        errno = why;
    }
    return to;
}

bool temporary_rename(const char *target)
{
    if (rename(path, target) != 0)
        return false;
    is_there = false;
    return true;
}

void temporary_remove(void)
{
    if (is_there)
        unlink(path);
    is_there = false;
}
