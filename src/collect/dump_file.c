#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/dump_file.h"

#include "base/error.h"
#include "collect/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

/* --- where ------------------------------------------------------------------------ */

/* The name of an open file, if it still has one. */
static const char *name_of(int fd, struct arena *arena)
{
    char link[64], path[PATH_MAX];
    struct stat open, named;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof(path) - 1);
    if (len <= 0)
        return NULL;
    path[len] = '\0';
    bool same = fstat(fd, &open) == 0 && stat(path, &named) == 0 && S_ISREG(open.st_mode) &&
                open.st_dev == named.st_dev && open.st_ino == named.st_ino;
    return same ? arena_strdup(arena, path, (size_t)len) : NULL;
}

/* createdump replaces "%p" and similar ones by names and numbers. */
static const char *escaped(const char *path, struct arena *arena)
{
    char *to = arena_alloc(arena, 2 * strlen(path) + 1), *at = to;
    for (; *path != '\0'; path++) {
        if (*path == '%')
            *at++ = '%';
        *at++ = *path;
    }
    return to;
}

/* --- making it -------------------------------------------------------------------- */

/* A file in a folder. */
struct named {
    const char *name;
    struct stat st; /* of the file that is to be removed */
};

static int hold_folder(const struct inside *at)
{
    const long fuse = 0x65735546;
    struct statfs st;
    int folder = inside_open(at, O_PATH | O_DIRECTORY);
    /* Its user could let every read wait. */
    if (folder < 0 || fstatfs(folder, &st) != 0 || (long)st.f_type != fuse)
        return folder;
    close(folder);
    errno = EOPNOTSUPP;
    return -1;
}

static int make_file(const struct inside *at, void *context, struct text *answer)
{
    const struct named *n = context;
    const int how = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    (void)answer;
    int folder = hold_folder(at);
    if (folder < 0)
        return -1;
    int fd = openat(folder, n->name, how, 0600);
    close_quietly(folder);
    return fd;
}

static int remove_file(const struct inside *at, void *context, struct text *answer)
{
    const struct named *n = context;
    struct stat st;
    (void)answer;
    int folder = hold_folder(at);
    if (folder < 0)
        return -1;
    if (fstatat(folder, n->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
        st.st_dev == n->st.st_dev && st.st_ino == n->st.st_ino)
        unlinkat(folder, n->name, 0);
    close(folder);
    errno = 0;
    return -1;
}

/* Works in the folder of path with the rights of the user of the process. */
static bool work_in_folder(const char *path, const struct target *t,
                           int (*work)(const struct inside *, void *, struct text *),
                           struct named *n, int *fd)
{
    static const struct patience brief = {.silence_ms = 2000};
    struct rights its = {.uid = t->uid, .gid = (gid_t)t->uid};
    struct other_work w = {.work = work, .context = n};
    struct text none = {0}, folder = {0};
    n->name = strrchr(path, '/') + 1;
    text_add(&folder, path, (size_t)(n->name - path));
    *fd = -1;
    errno = ESRCH;
    bool ok = !t->visible || (others_rights(t->pid, &its) && its.uid == t->uid);
    if (t->uid != geteuid())
        w.as = &its;
    ok = ok && others_run(text_string(&folder), &w, &brief, &none, fd);
    int why = errno;
    text_free(&folder);
    text_free(&none);
    errno = why;
    return ok;
}

/* The folder of its socket is its own folder for temporary files, and we see it. */
static bool make_next_to_socket(struct dump_file *f, const struct target *t,
                                struct arena *arena, struct hd_error *err)
{
    int folder = (int)(strrchr(t->socket, '/') - t->socket);
    struct named n = {.name = NULL};
    uint64_t random[2] = {0};
    struct stat st;
    pid_t pid;
    if (getentropy(random, sizeof(random)) != 0)
        return fail(err, HD_IO, "no random numbers: %s", strerror(errno));
    const char *path =
        arena_printf(arena, "%.*s/heapdrift-%016llx%016llx", folder, t->socket,
                     (unsigned long long)random[0], (unsigned long long)random[1]);
    if (!work_in_folder(path, t, make_file, &n, &f->fd))
        return errno == EPERM && t->uid != geteuid()
                   ? fail(err, HD_IO,
                          "a dump of another user's process takes the right to become that "
                          "user (CAP_SETUID, CAP_SETGID); use --direct, or run heapdrift "
                          "as that user")
                   : fail(err, HD_IO,
                          "cannot write to %.*s, where the runtime writes its dump: %s",
                          folder < 150 ? folder : 150, path, strerror(errno));
    f->ours = path;
    f->of = *t;
    f->is_apart = true;
    /* "/proc/4711/root/tmp/x" is "/tmp/x" to it. For an invisible process the folder is
     * assumed to have the same name. */
    others_is_inside(path, &pid, &path);
    f->path = escaped(path, arena);
    /* Must be a private regular file of the user, with one name. */
    return (fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == t->uid &&
            (st.st_mode & 07077) == 0 && st.st_nlink == 1) ||
           fail(err, HD_IO, "another process has changed the file for the dump");
}

bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err)
{
    enum { LONGEST = 4000 };
    struct stat file;
    *f = (struct dump_file){.fd = -1};
    /* It sees the same files, and is of the same user. */
    bool may = t->proc != NULL && t->uid == geteuid() && t->proc->same_files;
    const char *name = may ? name_of(fileno(to), arena) : NULL;
    /* An unlinked file, through our descriptor: processes of our user in our pid namespace
     * can open it that way. */
    if (may && name == NULL && fstat(fileno(to), &file) == 0 && S_ISREG(file.st_mode) &&
        file.st_nlink == 0 && proc_namespace(t->pid, "pid", NULL) == NAMESPACE_OURS)
        name = arena_printf(arena, "/proc/%ld/fd/%d", (long)getpid(), fileno(to));
    const char *path = name != NULL ? escaped(name, arena) : NULL;
    if (path == NULL || strlen(path) > LONGEST)
        return make_next_to_socket(f, t, arena, err);
    f->path = path;
    f->fd = dup(fileno(to));
    return f->fd >= 0 || fail(err, HD_IO, "%s", strerror(errno));
}

/* createdump opens it once: the file then disappears when both processes have ended. */
static void remove_ours(struct dump_file *f)
{
    struct named n = {.name = NULL};
    int none;
    if (f->ours != NULL && fstat(f->fd, &n.st) == 0)
        work_in_folder(f->ours, &f->of, remove_file, &n, &none);
    f->ours = NULL;
}

/* --- taking it -------------------------------------------------------------------- */

uint64_t dump_file_size(struct dump_file *f)
{
    struct stat st;
    uint64_t size = fstat(f->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (size > 0)
        remove_ours(f);
    return size;
}

static bool dump_file_copy(int from, FILE *to, struct hd_error *err)
{
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    off_t at = 0;
    ssize_t n;
    while ((n = pread(from, block, BLOCK, at)) > 0 &&
           fwrite(block, 1, (size_t)n, to) == (size_t)n)
        at += n;
    if (n < 0)
        return fail(err, HD_IO, "cannot read the dump: %s", strerror(errno));
    return (n == 0 && fflush(to) == 0) ||
           fail(err, HD_IO, "cannot write: %s", strerror(errno));
}

bool dump_file_copy_to(struct dump_file *f, FILE *to, struct hd_error *err)
{
    static const char magic[] = "\177ELF";
    char head[4] = "";
    if (pread(f->fd, head, sizeof(head), 0) != (ssize_t)sizeof(head))
        return fail(
            err, HD_UNSUPPORTED,
            "the runtime has written its dump to %.100s in its own file system, "
            "which is not visible from here, so it was not checked; copy it from there",
            f->path);
    if (memcmp(head, magic, sizeof(head)) != 0)
        return fail(err, HD_UNSUPPORTED, "the runtime has not written an ELF core");
    return !f->is_apart || dump_file_copy(f->fd, to, err);
}

void dump_file_close(struct dump_file *f)
{
    remove_ours(f);
    close_quietly(f->fd);
    *f = (struct dump_file){.fd = -1};
}
