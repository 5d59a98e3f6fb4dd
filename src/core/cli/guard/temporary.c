/* A handler of signals has no arguments: what it removes can only be a variable of this
 * file.
 *
 * O_TMPFILE. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "cli/guard/temporary.h"

#include "cli/guard/trust.h"
#include "cli/terminal/exit_hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[PATH_MAX];
static volatile sig_atomic_t is_there;

/* The folder, and the final name through its handle: another user may exchange a folder
 * while a file is written into it. */
static int handle = -1;
static char place[PATH_MAX];

/* A file without a name yet, which the kernel frees after SIGKILL; -1: no such file. */
static int anonymous = -1;

/* Signals by which people, terminals and systems end programs. */
static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
enum { END_COUNT = sizeof(ends) / sizeof(*ends) };

/* Only calls that POSIX allows in a handler. Then the default action of the signal. */
static void temporary_end(int number)
{
    exit_hook();
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

/* Ignored signals remain ignored: nohup. */
void temporary_listen(void)
{
    static bool listens;
    struct sigaction before, ours = {.sa_flags = (int)SA_RESETHAND};
    if (listens)
        return;
    listens = true;
    exit_hook_at_last(temporary_remove);
    ours.sa_handler = temporary_end;
    ours.sa_mask = all_ends();
    for (size_t i = 0; i < END_COUNT; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(ends[i], &ours, NULL);
    atexit(temporary_remove);
}

/* Bytes of a path up to its last slash, that included; 0 without one. */
static size_t folder_length(const char *target)
{
    const char *slash = strrchr(target, '/');
    return slash != NULL ? (size_t)(slash - target) + 1 : 0;
}

static bool name_next_to(const char *target, char *to)
{
    static const char name[] = ".heapdrift-XXXXXX";
    size_t folder = folder_length(target);
    if (folder + sizeof(name) > PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    memcpy(to, target, folder);
    memcpy(to + folder, name, sizeof(name));
    return true;
}

static int open_folder_of(const char *target, int how)
{
    char folder[PATH_MAX];
    size_t len = folder_length(target);
    snprintf(folder, sizeof(folder), "%.*s", len > 0 ? (int)len : 1,
             len > 0 ? target : ".");
    return open(folder, how | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

static void close_keeping_errno(int fd)
{
    int why = errno;
    if (fd >= 0)
        close(fd);
    errno = why;
}

/* --- on the disk ----------------------------------------------------------------- */

/* A file reported as written must survive a power failure. Not every file system supports
 * that (EINVAL, ENOTSUP); only errors of the disk count. */
static bool sync_file(int fd)
{
    return fsync(fd) == 0 || (errno != EIO && errno != ENOSPC && errno != EDQUOT);
}

/* -1 is accepted and skipped. */
static bool sync_and_close(int fd)
{
    bool ok = fd < 0 || sync_file(fd);
    close_keeping_errno(fd);
    return ok;
}

/* The owner of the folder may have replaced the file with a pipe by now. */
static bool sync_content(void)
{
    return anonymous >= 0
               ? sync_file(anonymous)
               : sync_and_close(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
}

/* --- files ----------------------------------------------------------------------- */

/* In the folder of target, if its file system supports that. */
static int open_anonymous(const char *target)
{
    return open_folder_of(target, O_TMPFILE | O_RDWR);
}

/* A file that can be named later, which needs /proc. It is kept beyond the descriptor of
 * the stream. */
static int open_to_be_named(const char *target)
{
    char link[64];
    int fd = open_anonymous(target);
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    if (fd >= 0 && access(link, F_OK) == 0)
        anonymous = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (anonymous >= 0)
        return fd;
    close_keeping_errno(fd);
    return -1;
}

/* Creates a file; with is_kept it is removed at the end, else it is unlinked
 * immediately. */
static int make_file(char *name, bool is_kept)
{
    sigset_t set = all_ends(), before;
    /* Block signals between the creation and the note that it exists. */
    pthread_sigmask(SIG_BLOCK, &set, &before);
    int fd = mkstemp(name), why = errno;
    if (is_kept)
        is_there = fd >= 0;
    /* Landlock may let a file be made that it then refuses to open. */
    if (fd < 0 || !is_kept)
        unlink(name);
    errno = why;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

static void close_folder(void)
{
    close_keeping_errno(handle);
    handle = -1;
}

/* Without /proc the names are used. */
static bool hold_folder(const char *target)
{
    char name[NAME_MAX + 1];
    close_folder();
    handle = trust_open_folder(target, name);
    if (handle < 0)
        return false;
    int len = snprintf(place, sizeof(place), "/proc/self/fd/%d", handle);
    bool has_proc = access(place, F_OK) == 0;
    len = has_proc ? len + snprintf(place + len, sizeof(place) - (size_t)len, "/%s", name)
                   : snprintf(place, sizeof(place), "%s", target);
    if (len < (int)sizeof(place))
        return true;
    errno = ENAMETOOLONG;
    return false;
}

FILE *temporary_open(const char *target)
{
    if (!hold_folder(target) || !name_next_to(place, path))
        return NULL;
    temporary_listen();
    int fd = open_to_be_named(place);
    fd = fd >= 0 ? fd : make_file(path, true);
    FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (to == NULL) {
        close_keeping_errno(fd);
        temporary_remove();
    }
    return to;
}

/* linkat() does not replace: with an existing target it is first linked under a temporary
 * name, to be renamed a moment later. */
static bool link_next_to(const char *link)
{
    enum { MAX_TRIES = 100, DIGITS = 6 };
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char *end = path + strlen(path);
    uint64_t number = (uint64_t)getpid();
    sigset_t set = all_ends(), before;
    pthread_sigmask(SIG_BLOCK, &set, &before);
    errno = EEXIST;
    for (int i = 0; i < MAX_TRIES && !is_there && errno == EEXIST; i++, number++) {
        uint64_t rest = number;
        for (int k = 1; k <= DIGITS; k++, rest /= sizeof(digits) - 1)
            end[-k] = digits[rest % (sizeof(digits) - 1)];
        is_there = linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_there;
}

static bool copy_to(int to)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    struct stat st;
    off_t at = 0;
    ssize_t n = 0, written = 1;
    bool ok = fstat(anonymous, &st) == 0 && fchmod(to, st.st_mode & 0777) == 0;
    while (ok && written > 0 && (n = pread(anonymous, block, BLOCK, at)) > 0) {
        written = pwrite(to, block, (size_t)n, at);
        at += written;
    }
    return ok && n == 0;
}

/* Some file systems create anonymous files, but cannot name them. */
static bool copy_next_to(void)
{
    enum { ANY = sizeof("XXXXXX") - 1 };
    memset(path + strlen(path) - ANY, 'X', ANY);
    int to = make_file(path, true);
    bool ok = to >= 0 && copy_to(to) && sync_file(to);
    if (ok)
        ok = close(to) == 0;
    else
        close_keeping_errno(to);
    int why = errno;
    if (!ok && is_there)
        unlink(path);
    is_there = ok;
    errno = why;
    return ok;
}

/* True: it is named target. Else it has a temporary name in the same folder (is_there), or
 * errno has the reason. */
static bool name_it(const char *target)
{
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", anonymous);
    if (linkat(AT_FDCWD, link, AT_FDCWD, target, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST || !link_next_to(link))
        copy_next_to();
    return false;
}

bool temporary_rename(const char *target)
{
    (void)target; /* is place */
    bool is_synced = sync_content();
    bool ok = is_synced && anonymous >= 0 && name_it(place);
    ok = ok || (is_synced && is_there && rename(path, place) == 0);
    is_there = is_there && !ok;
    ok = ok && sync_and_close(open_folder_of(place, O_RDONLY | O_NONBLOCK | O_DIRECTORY));
    if (!ok)
        temporary_remove();
    close_keeping_errno(anonymous);
    anonymous = -1;
    close_folder();
    return ok;
}

/* Keeps errno. */
void temporary_remove(void)
{
    int why = errno;
    if (is_there)
        unlink(path);
    is_there = false;
    close_keeping_errno(anonymous);
    anonymous = -1;
    close_folder();
    errno = why;
}

/* Builds a name below an open folder; without /proc from the user's path. */
static void put_below(int folder, const char *neighbor, char by[PATH_MAX])
{
    int len = snprintf(by, PATH_MAX, "/proc/self/fd/%d", folder);
    if (access(by, F_OK) == 0)
        snprintf(by + len, PATH_MAX - (size_t)len, "/nameless");
    else
        snprintf(by, PATH_MAX, "%s", neighbor);
}

FILE *temporary_anonymous(const char *neighbor)
{
    char name[PATH_MAX], by[PATH_MAX];
    struct stat st;
    if (stat(neighbor, &st) == 0 && !S_ISREG(st.st_mode))
        return tmpfile();
    int folder = trust_open_folder(neighbor, name);
    if (folder < 0)
        return NULL;
    put_below(folder, neighbor, by);
    int fd = open_anonymous(by);
    if (fd < 0 && name_next_to(by, name))
        fd = make_file(name, false);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (file == NULL)
        close_keeping_errno(fd);
    close_keeping_errno(folder);
    return file;
}

const char *folder_remover(void)
{
    return "rm -r";
}
