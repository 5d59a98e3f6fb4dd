#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */
#include "collect/others.h"

#include "collect/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SAFELY = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK };

static void close_keeping_errno(int fd)
{
    int why = errno;
    close(fd);
    errno = why;
}

int others_open(pid_t pid, const char *name, int how)
{
    char path[96];
    snprintf(path, sizeof(path), "/proc/%ld/%s", (long)pid, name);
    return open(path, how | SAFELY);
}

int others_open_namespace(pid_t pid, const char *kind)
{
    char path[96];
    snprintf(path, sizeof(path), "/proc/%ld/ns/%s", (long)pid, kind);
    return open(path, O_RDONLY | (SAFELY & ~O_NOFOLLOW));
}

DIR *others_list_of(pid_t pid, const char *name)
{
    int fd = others_open(pid, name, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL && fd >= 0)
        close_keeping_errno(fd);
    return dir;
}

int others_open_held(int held)
{
    char path[64];
    struct stat st;
    int fd = -1;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
    errno = EINVAL;
    if (fstat(held, &st) == 0 && S_ISREG(st.st_mode))
        fd = open(path, O_RDONLY | (SAFELY & ~O_NOFOLLOW));
    close_keeping_errno(held);
    return fd;
}

int others_open_program(pid_t pid)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%ld/exe", (long)pid);
    int held = open(path, O_PATH | O_CLOEXEC);
    return held >= 0 ? others_open_held(held) : -1;
}

/* --- a path below a root --------------------------------------------------- */

bool others_is_inside(const char *path, pid_t *pid, const char **inside)
{
    static const char proc[] = "/proc/", root[] = "/root";
    char *end;
    if (strncmp(path, proc, sizeof(proc) - 1) != 0)
        return false;
    long number = strtol(path + sizeof(proc) - 1, &end, 10);
    size_t len = sizeof(root) - 1;
    if (number <= 0 || number != (pid_t)number || strncmp(end, root, len) != 0 ||
        end[len] != '/')
        return false;
    *pid = (pid_t)number;
    *inside = end + len;
    return true;
}

/* Without openat2(): a link on the way is an error. */
static int walk(int root, const char *path, int how)
{
    char part[256];
    int at = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    while (at >= 0) {
        path += strspn(path, "/");
        size_t len = strcspn(path, "/");
        bool is_last = path[len + strspn(path + len, "/")] == '\0';
        if (len >= sizeof(part) || (len == 2 && memcmp(path, "..", 2) == 0)) {
            errno = ENOENT;
            close_keeping_errno(at);
            return -1;
        }
        snprintf(part, sizeof(part), "%.*s", (int)len, len > 0 ? path : ".");
        int next = openat(at, part, SAFELY | (is_last ? how : O_PATH | O_DIRECTORY));
        close_keeping_errno(at);
        if (is_last)
            return next;
        at = next;
        path += len;
    }
    return -1;
}

int inside_open(const struct inside *at, int how)
{
    enum { OPENAT2 = 437, NO_MAGIC_LINKS = 2, IN_ROOT = 16 };
    const bool has_effects = (how & (O_PATH | O_DIRECTORY)) == 0;
    struct {
        uint64_t flags, mode, resolve;
    } q = {(uint64_t)(how | O_CLOEXEC), 0, NO_MAGIC_LINKS | IN_ROOT};
    if (has_effects) {
        errno = EINVAL;
        return -1;
    }
    if (at->root == AT_FDCWD)
        return open(at->path, how | O_CLOEXEC);
    /* Of folders links are followed, below that root. */
    if ((how & O_DIRECTORY) == 0)
        q.flags |= O_NOFOLLOW;
    int fd = (int)syscall(OPENAT2, at->root, at->path, &q, sizeof(q));
    /* Old filters of system calls return EPERM for unknown calls. */
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? walk(at->root, at->path, how)
                                                         : fd;
}

/* --- whose rights ---------------------------------------------------------- */

bool others_rights(pid_t pid, struct rights *r)
{
    struct text t = {0};
    *r = (struct rights){.uid = (uid_t)-1};
    bool ok = proc_read_file(pid, "status", &t);
    const char *status = text_string(&t), *groups = strstr(status, "\nGroups:");
    /* A set-user-ID program of root acts for the user who began it. */
    const int which = proc_number(status, "\nUid:", 1, 10) == 0 ? 0 : 1;
    r->uid = (uid_t)proc_number(status, "\nUid:", which, 10);
    r->gid = (gid_t)proc_number(status, "\nGid:", which, 10);
    ok = ok && r->uid != (uid_t)-1 && r->gid != (gid_t)-1;
    char *end;
    for (const char *at = groups != NULL ? groups + 8 : ""; r->group_count < 64; at = end) {
        at += strspn(at, " \t");
        unsigned long group = strtoul(at, &end, 10);
        if (end == at || *at == '\n')
            break;
        r->groups[r->group_count++] = (gid_t)group;
    }
    text_free(&t);
    return ok;
}

/* --- work below a root ----------------------------------------------------- */

struct job {
    struct inside at;
    const struct other_work *work;
};

static int work_inside(void *context, struct text *answer)
{
    const struct job *job = context;
    return job->work->work(&job->at, job->work->context, answer);
}

bool others_run(const char *path, const struct other_work *w, const struct patience *p,
                struct text *answer, int *fd)
{
    struct job job = {{AT_FDCWD, path}, w};
    struct rights its;
    pid_t pid;
    bool is_inside = others_is_inside(path, &pid, &job.at.path);
    *fd = -1;
    if (!is_inside && w->as == NULL) {
        text_clear(answer);
        errno = 0;
        *fd = work_inside(&job, answer);
        return *fd >= 0 || errno == 0;
    }
    struct apart a = {.as = w->as,
                      .must_be = w->as != NULL,
                      .keeps = -1,
                      .work = work_inside,
                      .context = &job};
    if (is_inside) {
        char root[64];
        snprintf(root, sizeof(root), "/proc/%ld/root", (long)pid);
        job.at.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (job.at.root < 0)
            return false;
        a.keeps = job.at.root;
        a.as = a.as == NULL && others_rights(pid, &its) ? &its : a.as;
    }
    bool ok = apart_run(&a, p, answer, fd);
    if (is_inside)
        close_keeping_errno(job.at.root);
    return ok;
}

/* --- looks ----------------------------------------------------------------- */

struct looking {
    enum look_for what;
    const struct patience *patience;
    bool (*is_wanted)(const char *name);
};

/* How many sockets of each owner are listed: one user's leave room for those of others. */
struct owners {
    struct {
        uid_t uid;
        unsigned count;
    } * all;
    size_t len, cap;
};

static bool has_room(struct owners *o, uid_t uid)
{
    enum { MOST_OF_ONE = 4000 };
    size_t i = 0;
    while (i < o->len && o->all[i].uid != uid)
        i++;
    if (i == o->len) {
        o->all = grow(o->all, o->len, &o->cap, sizeof(*o->all));
        o->all[o->len].uid = uid;
        o->all[o->len++].count = 0;
    }
    return o->all[i].count++ < MOST_OF_ONE;
}

static void add_socket(struct text *to, int folder, const char *name, struct owners *o)
{
    struct socket_name s = {.owner = 0};
    struct stat st;
    if (strlen(name) >= sizeof(s.name) ||
        fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISSOCK(st.st_mode) ||
        !has_room(o, st.st_uid))
        return;
    s.owner = st.st_uid;
    s.changed = st.st_mtim;
    snprintf(s.name, sizeof(s.name), "%s", name);
    text_add(to, &s, sizeof(s));
}

static void list(const struct looking *l, int folder, size_t most, struct text *to)
{
    DIR *dir = fdopendir(folder);
    const struct dirent *entry;
    struct owners owners = {.len = 0};
    if (dir == NULL) {
        close_keeping_errno(folder);
        return;
    }
    while ((errno = 0, entry = readdir(dir)) != NULL && to->len < most)
        if (l->is_wanted(entry->d_name))
            add_socket(to, dirfd(dir), entry->d_name, &owners);
    int why = proc_is_shortage(errno) ? errno : 0;
    closedir(dir);
    free(owners.all);
    errno = why;
}

/* Connects to a file by its descriptor, so that it cannot be replaced in between. */
static int connect_held(int held, const struct patience *p)
{
    /* The callback belongs to the parent. */
    const struct patience alone = {.silence_ms = p->silence_ms, .deadline = p->deadline};
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", held);
    return transport.connect(path, &alone);
}

/* Of a folder that one user fills, and of one that all share. */
static size_t most_listed(const struct inside *at)
{
    enum { MOST_OF_OTHERS = 1000, MOST_OF_ALL = 400000 };
    return (at->root == AT_FDCWD ? MOST_OF_ALL : MOST_OF_OTHERS) *
           sizeof(struct socket_name);
}

static int look(const struct inside *at, void *context, struct text *answer)
{
    const struct looking *l = context;
    const bool is_folder = l->what == LOOK_FOLDER;
    struct look seen = {.fd = -1};
    struct stat st;
    int fd = inside_open(at, is_folder ? O_RDONLY | O_DIRECTORY : O_PATH);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0) {
        close_keeping_errno(fd);
        return -1;
    }
    seen = (struct look){-1, st.st_mode, st.st_uid, st.st_dev, st.st_ino};
    text_add(answer, &seen, sizeof(seen));
    if (is_folder) {
        list(l, fd, most_listed(at), answer);
        return -1;
    }
    int connection = -1;
    errno = 0;
    if (l->what == LOOK_SOCKET) {
        errno = ENOTSOCK;
        connection = S_ISSOCK(st.st_mode) ? connect_held(fd, l->patience) : -1;
    }
    close_keeping_errno(fd);
    return connection;
}

static bool begin_look(const char *path, struct looking *l, struct look *seen,
                       struct text *answer)
{
    const struct other_work work = {.work = look, .context = l};
    int fd;
    bool ok = others_run(path, &work, l->patience, answer, &fd);
    int why = errno;
    *seen = (struct look){.fd = -1};
    if (answer->len >= sizeof(*seen))
        memcpy(seen, answer->data, sizeof(*seen));
    seen->fd = fd;
    errno = why;
    return ok;
}

bool others_look(const char *path, enum look_for what, const struct patience *p,
                 struct look *seen)
{
    struct looking l = {.what = what, .patience = p};
    struct text answer = {0};
    bool ok = begin_look(path, &l, seen, &answer);
    int why = errno;
    text_free(&answer);
    errno = why;
    return ok;
}

bool others_list(const char *folder, bool (*is_wanted)(const char *name),
                 const struct patience *p, struct look *seen, struct text *sockets)
{
    struct looking l = {.what = LOOK_FOLDER, .patience = p, .is_wanted = is_wanted};
    bool ok = begin_look(folder, &l, seen, sockets);
    int why = errno;
    if (sockets->len >= sizeof(*seen)) {
        sockets->len -= sizeof(*seen);
        memmove(sockets->data, sockets->data + sizeof(*seen), sockets->len);
    } else {
        text_clear(sockets);
    }
    errno = why;
    return ok;
}
