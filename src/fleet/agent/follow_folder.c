/* F_SETLEASE. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "fleet/agent/agent.h"

#include "cli/guard/allocate.h"
#include "cli/guard/trust.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILES = 100000, MAX_DEPTH = 8, MAX_FOLDERS = 1000 };

/* Seconds. */
static const double look_soon = 1, look_usual = 10;
static const double quiet_known = 2, quiet_unknown = 30, old = 60;
static const double first_delay = 1, most_delay = 300;

struct file {
    dev_t device;
    ino_t inode;
    off_t size;
    struct timespec changed; /* ctime: also what makes it readable */
    struct timespec written;
    double since;    /* that this is so, of seconds_now() */
    bool is_refused; /* a link created by another user, or similar */
    bool is_done, is_reported;
    char *path;
};

struct files {
    struct file *all;
    size_t count, capacity;
};

struct following_folders {
    const struct follow_how *how;
    struct collector *c;
    struct files known, found;
    int events;    /* inotify; -1: only scans */
    double delay;  /* before the next retry after a temporary problem; 0: not due */
    double resume; /* when that is */
    bool many_reported, *missing_reported;
};

/* --- what there is ------------------------------------------------------------------- */

static void free_files(struct files *f)
{
    for (size_t i = 0; i < f->count; i++)
        free(f->all[i].path);
    free(f->all);
    *f = (struct files){0};
}

static void add_file(struct following_folders *f, const char *path, const struct stat *st,
                     bool is_refused)
{
    struct files *to = &f->found;
    if (to->count == MAX_FILES) {
        if (!f->many_reported)
            trouble(path, "there are more than 100,000 files; this one and others are not "
                          "recorded");
        f->many_reported = true;
        return;
    }
    if (to->count == to->capacity) {
        to->capacity = to->capacity > 0 ? 2 * to->capacity : 64;
        to->all = more(to->all, to->capacity * sizeof(*to->all));
    }
    size_t size = strlen(path) + 1;
    double age = seconds_utc() - (double)st->st_mtim.tv_sec;
    to->all[to->count++] = (struct file){.device = st->st_dev,
                                         .inode = st->st_ino,
                                         .size = st->st_size,
                                         .changed = st->st_ctim,
                                         .written = st->st_mtim,
                                         .is_refused = is_refused,
                                         /* Old files were complete before we started. */
                                         .since = seconds_now() - (age > old ? old : 0),
                                         .path = memcpy(more(NULL, size), path, size)};
}

/* Folders that are still to be looked into. */
struct follow_folder_folders {
    struct {
        char *path;
        int depth;
    } all[MAX_FOLDERS];
    size_t count;
};

static void add_folder(struct follow_folder_folders *to, const char *path, int depth)
{
    size_t size = strlen(path) + 1;
    if (to->count == MAX_FOLDERS || depth == MAX_DEPTH)
        return;
    to->all[to->count].path = memcpy(more(NULL, size), path, size);
    to->all[to->count++].depth = depth;
}

/* Follows links to files, but not to folders, which may be cyclic. Refuses links created by
 * others to files of a third user: this user may have more rights than they have. */
static void follow_folder_look_at(struct following_folders *f,
                                  struct follow_folder_folders *to, DIR *folder,
                                  const char *path, int depth)
{
    const char *name = strrchr(path, '/') + 1;
    char why[TRUST_REASON];
    struct stat st;
    if (fstatat(dirfd(folder), name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return;
    bool is_link = S_ISLNK(st.st_mode);
    bool may_be_of_others = is_link ? !trust_user(st.st_uid) : st.st_nlink > 1;
    if (S_ISDIR(st.st_mode))
        add_folder(to, path, depth);
    else if (may_be_of_others && !trust_allows(path, TRUST_FOLLOWED, why))
        add_file(f, path, &st, true);
    else if ((!is_link || stat(path, &st) == 0) && S_ISREG(st.st_mode))
        add_file(f, path, &st, false);
}

/* Does not follow links created by others. */
static DIR *open_folder(const char *path)
{
    char inside[PATH_MAX], name[NAME_MAX + 1];
    if (snprintf(inside, sizeof(inside), "%s/*", path) >= (int)sizeof(inside))
        return NULL;
    int handle = trust_open_folder(inside, name);
    if (handle < 0)
        return NULL;
    int fd = openat(handle, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), why = errno;
    close(handle);
    errno = why;
    return fd >= 0 ? fdopendir(fd) : NULL;
}

static void look_into(struct following_folders *f, struct follow_folder_folders *to,
                      const char *path, int depth)
{
    const uint32_t mask = IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_ATTRIB | IN_ONLYDIR;
    char file[PATH_MAX];
    if (f->events >= 0)
        inotify_add_watch(f->events, path, mask);
    DIR *folder = open_folder(path);
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;)
        if (e->d_name[0] != '.' &&
            snprintf(file, sizeof(file), "%s/%s", path, e->d_name) < (int)sizeof(file))
            follow_folder_look_at(f, to, folder, file, depth + 1);
    if (folder != NULL)
        closedir(folder);
}

/* Scans a folder of the options with its subfolders. A missing one is reported each time it
 * disappears: it may be a mistake, or dotnet-monitor may create it later. */
static void look_through(struct following_folders *f, size_t i)
{
    const char *path = f->how->folders[i];
    DIR *folder = open_folder(path);
    if (folder == NULL && !f->missing_reported[i] && !f->how->quiet)
        put_message("note", path, "%s; waiting for it", strerror(errno));
    f->missing_reported[i] = folder == NULL;
    if (folder != NULL)
        closedir(folder);
    struct follow_folder_folders *left = zeroed(1, sizeof(*left));
    add_folder(left, path, 0);
    while (left->count > 0) {
        char *next = left->all[--left->count].path;
        look_into(f, left, next, left->all[left->count].depth);
        free(next);
    }
    free(left);
}

static int by_identity(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return x->inode != y->inode ? (x->inode < y->inode ? -1 : 1) : 0;
}

static int compare_times(struct timespec x, struct timespec y)
{
    if (x.tv_sec != y.tv_sec)
        return x.tv_sec < y.tv_sec ? -1 : 1;
    return x.tv_nsec != y.tv_nsec ? (x.tv_nsec < y.tv_nsec ? -1 : 1) : 0;
}

/* Oldest first, so that series are in order. */
static int by_age(const void *a, const void *b)
{
    const struct file *x = *(struct file *const *)a, *y = *(struct file *const *)b;
    int order = compare_times(x->written, y->written);
    return order != 0 ? order : strcmp(x->path, y->path);
}

/* A file with two names is one file; entries of deleted files are dropped. */
static void follow_folder_look(struct following_folders *f)
{
    struct file *now = NULL;
    for (size_t i = 0; i < f->how->count; i++)
        look_through(f, i);
    if (f->found.count > 0)
        qsort(f->found.all, f->found.count, sizeof(*f->found.all), by_identity);
    for (size_t i = 0, k = 0; i < f->found.count; i++) {
        const struct file *last = now, *before = NULL;
        now = &f->found.all[i];
        while (k < f->known.count && by_identity(&f->known.all[k], now) < 0)
            k++;
        if (k < f->known.count && by_identity(&f->known.all[k], now) == 0)
            before = &f->known.all[k];
        now->is_reported = before != NULL && before->is_reported;
        if (before != NULL && now->size == before->size &&
            compare_times(now->changed, before->changed) == 0) {
            now->since = before->since;
            now->is_done = before->is_done;
        }
        if (last != NULL && by_identity(last, now) == 0)
            now->is_done = true;
        if (!now->is_refused)
            continue;
        if (!now->is_reported)
            trust_check(now->path, TRUST_FOLLOWED);
        now->is_reported = now->is_done = true;
    }
    free_files(&f->known);
    f->known = f->found;
    f->found = (struct files){0};
}

/* --- whether it is complete ---------------------------------------------------------- */

static int open_file(const struct file *file)
{
    const struct stat known = {.st_dev = file->device, .st_ino = file->inode};
    return trust_open_known(file->path, &known);
}

/* A read lease is refused while a process of this machine has the file open for writing. If
 * the kernel does not support that, wait longer. */
static bool is_complete(const struct file *file)
{
    double quiet = seconds_now() - file->since;
    if (quiet < quiet_known)
        return false;
    int fd = open_file(file);
    bool is_locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    bool is_read_only = fd >= 0 && !is_locked && fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    bool is_written = is_locked || (fd >= 0 && !is_read_only && errno == EAGAIN);
    if (is_read_only)
        fcntl(fd, F_SETLEASE, F_UNLCK);
    if (fd >= 0)
        close(fd);
    return is_read_only || (!is_written && quiet >= quiet_unknown);
}

/* --- one after the other ------------------------------------------------------------- */

/* False: the following files are postponed, too. */
static bool follow_folder_take(struct following_folders *f, struct file *file)
{
    char opened[64];
    int fd = open_file(file);
    if (fd < 0) {
        file->is_done = errno == EACCES;
        if (file->is_done && !file->is_reported)
            file->is_reported = !trouble(file->path, strerror(errno));
        return true;
    }
    snprintf(opened, sizeof(opened), "/proc/self/fd/%d", fd);
    enum followed what =
        f->how->take(f->how->context, file->path,
                     access(opened, F_OK) == 0 ? opened : file->path, file->is_reported);
    close(fd);
    if (what == FOLLOWED_NOT_NOW) {
        f->delay = f->delay > 0 ? 2 * f->delay : first_delay;
        f->delay = f->delay < most_delay ? f->delay : most_delay;
        f->resume = seconds_now() + f->delay;
        return false;
    }
    f->delay = 0;
    file->is_done = true;
    file->is_reported |= what == FOLLOWED_FAILED;
    return true;
}

/* Those that wait, the oldest first. How many still do. */
static size_t take_all(struct following_folders *f)
{
    struct file **all = zeroed(f->known.count, sizeof(struct file *));
    size_t count = 0, left = 0;
    for (size_t i = 0; i < f->known.count; i++)
        if (!f->known.all[i].is_done)
            all[count++] = &f->known.all[i];
    if (count > 0)
        qsort(all, count, sizeof(struct file *), by_age);
    bool goes_on = seconds_now() >= f->resume;
    for (size_t i = 0; i < count; i++) {
        goes_on = goes_on && !collector_is_stopped(f->c, 0);
        if (goes_on && is_complete(all[i]))
            goes_on = follow_folder_take(f, all[i]);
        left += !all[i]->is_done;
    }
    free(all);
    return left;
}

/* --- from time to time --------------------------------------------------------------- */

void follow_folders(const struct follow_how *how, struct collector *c)
{
    struct following_folders f = {.how = how, .c = c};
    char bytes[4096];
    f.missing_reported = zeroed(how->count, sizeof(*f.missing_reported));
    f.events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    /* A writer that opens a leased file raises a signal. */
    signal(SIGIO, SIG_IGN);
    while (!collector_is_stopped(c, 0)) {
        double begin = seconds_now();
        follow_folder_look(&f);
        double looking = seconds_now() - begin;
        double usual = take_all(&f) > 0 ? look_soon : look_usual;
        how->rest(how->context);
        /* Looking at a hundred thousand files takes a tenth of the time at most. */
        double rest = looking * 10 > usual ? looking * 10 : usual;
        if (collector_is_stopped(c, 0))
            break;
        /* The content of the events does not matter. */
        struct pollfd ready[] = {{.fd = c->signals, .events = POLLIN},
                                 {.fd = f.events, .events = POLLIN}};
        if (poll(ready, 2, (int)(rest * 1e3)) > 0 && ready[1].revents != 0)
            collector_is_stopped(c, (int)(look_soon * 1e3));
        while (f.events >= 0 && read(f.events, bytes, sizeof(bytes)) > 0)
            continue;
    }
    free_files(&f.known);
    free(f.missing_reported);
    if (f.events >= 0)
        close(f.events);
}
