#include "collect/dump_file.h"

#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* It sees the same files, and is of the same user. */
static bool may_write_ours(const struct target *t, struct arena *arena)
{
    struct proc proc;
    return t->visible && t->uid == geteuid() && proc_read(&proc, t->pid, arena) &&
           proc.same_files;
}

/* A file that has no name (any more), by us, who have it open: whoever is of our user and
 * knows us by the same number can open it so. */
static const char *name_by_us(int fd, pid_t pid, struct arena *arena)
{
    char theirs[64];
    struct stat file, us, them;
    snprintf(theirs, sizeof(theirs), "/proc/%ld/ns/pid", (long)pid);
    bool ok = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 0 &&
              stat("/proc/self/ns/pid", &us) == 0 && stat(theirs, &them) == 0 &&
              us.st_dev == them.st_dev && us.st_ino == them.st_ino;
    return ok ? arena_printf(arena, "/proc/%ld/fd/%d", (long)getpid(), fd) : NULL;
}

/* "/proc/4711/root/tmp/x" is "/tmp/x" to it. Of a process that is not visible the folder
 * is taken to have the same name there. */
static const char *as_it_sees(const char *path)
{
    static const char proc[] = "/proc/", root[] = "/root/";
    const char *inside = strncmp(path, proc, strlen(proc)) == 0 ? strstr(path, root) : NULL;
    return inside != NULL ? inside + strlen(root) - 1 : path;
}

/* createdump puts names and numbers in place of "%p" and the like. */
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

/* The folder of its socket is its own folder for temporary files, and we see it. */
static bool make_beside_socket(struct dump_file *f, const struct target *t,
                               struct arena *arena, struct hd_error *err)
{
    size_t folder = (size_t)(strrchr(t->socket, '/') - t->socket);
    char *path = arena_printf(arena, "%.*s/heapdrift-XXXXXX", (int)folder, t->socket);
    f->fd = mkstemp(path);
    if (f->fd < 0)
        return fail(err, HD_IO,
                    "cannot write to %.150s, where the runtime writes its dump: %s",
                    arena_strdup(arena, path, folder), strerror(errno));
    f->ours = path;
    f->is_apart = true;
    f->path = escaped(as_it_sees(path), arena);
    if (t->uid != geteuid() && fchown(f->fd, t->uid, (gid_t)-1) != 0)
        return fail(err, HD_IO, "cannot create a file for its user: %s", strerror(errno));
    return true;
}

bool dump_file_open(struct dump_file *f, const struct target *t, FILE *to,
                    struct arena *arena, struct hd_error *err)
{
    enum { LONGEST = 4000 };
    *f = (struct dump_file){.fd = -1};
    bool may = may_write_ours(t, arena);
    const char *name = may ? name_of(fileno(to), arena) : NULL;
    if (may && name == NULL)
        name = name_by_us(fileno(to), t->pid, arena);
    const char *path = name != NULL ? escaped(name, arena) : NULL;
    if (path == NULL || strlen(path) > LONGEST)
        return make_beside_socket(f, t, arena, err);
    f->path = path;
    f->fd = dup(fileno(to));
    return f->fd >= 0 || fail(err, HD_IO, "%s", strerror(errno));
}

/* createdump opens it once: what it writes into is gone with both of us, however we end. */
static void remove_ours(struct dump_file *f)
{
    if (f->ours != NULL)
        unlink(f->ours);
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

static bool copy(int from, FILE *to, struct hd_error *err)
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
    return !f->is_apart || copy(f->fd, to, err);
}

void dump_file_close(struct dump_file *f)
{
    if (f->fd >= 0)
        close(f->fd);
    remove_ours(f);
    *f = (struct dump_file){.fd = -1};
}
