#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): O_PATH */

#include "collect/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SAFELY = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK };

/* --- apart ----------------------------------------------------------------- */

/* The beginning of an answer. */
struct others_head {
    int why; /* errno; 0: done */
    bool has_fd;
    size_t size; /* of the answer, which follows */
};

/* Changes the ids for file access only, which drops CAP_DAC_OVERRIDE, too (setfsuid(2)).
 * The user then cannot signal or trace the child, which has our open files; and the user's
 * FUSE mounts refuse it, since FUSE compares the other ids. */
static bool take_rights(const struct rights *r)
{
    if (r->uid == geteuid())
        return true;
    bool ok = setgroups(r->group_count, r->groups) == 0;
    setfsgid(r->gid);
    setfsuid(r->uid);
    return ok && (uid_t)setfsuid((uid_t)-1) == r->uid &&
           (gid_t)setfsgid((gid_t)-1) == r->gid;
}

static bool send_head(int to, const struct others_head *h, int fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = ""};
    struct iovec body = {(void *)h, sizeof(*h)};
    struct msghdr m = {.msg_iov = &body, .msg_iovlen = 1};
    if (h->has_fd) {
        m.msg_control = &control;
        m.msg_controllen = sizeof(control);
        struct cmsghdr *c = CMSG_FIRSTHDR(&m);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    }
    return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(*h);
}

static void close_from_to(long first, long last)
{
    enum { CLOSE_RANGE = 436 };
    long most = sysconf(_SC_OPEN_MAX) - 1;
    if (first > last || syscall(CLOSE_RANGE, (unsigned)first, (unsigned)last, 0U) == 0)
        return;
    for (long fd = first; fd <= last && fd <= most; fd++)
        close((int)fd);
}

/* Closes all our files in the child except these two (keeps may be -1): an abandoned child
 * must not hold a pipe or a lock of ours. */
_Noreturn static void be_child(const struct apart *a, pid_t parent, int to)
{
    struct text answer = {0};
    int low = a->keeps < to ? a->keeps : to, high = a->keeps < to ? to : a->keeps, fd = -1;
    bool may = a->as == NULL || take_rights(a->as) || !a->must_be;
    /* A change of ids resets it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_from_to(0, (long)low - 1);
    close_from_to((long)low + 1, (long)high - 1);
    close_from_to((long)high + 1, INT_MAX);
    errno = EPERM;
    if (may && getppid() == parent) {
        errno = 0;
        fd = a->work(a->context, &answer);
    }
    const struct others_head h = {
        .why = fd >= 0 ? 0 : errno, .has_fd = fd >= 0, .size = answer.len};
    size_t done = 0;
    ssize_t n = send_head(to, &h, fd) ? 1 : -1;
    for (; n > 0 && done<answer.len; done += n> 0 ? (size_t)n : 0)
        n = send(to, answer.data + done, answer.len - done, MSG_NOSIGNAL);
    /* Exit handlers belong to the parent. */
    for (;;)
        raise(SIGKILL);
}

/* The mutex keeps a concurrent child from inheriting the other end, which would hide the
 * end of this child. Signals to the process group do not reach the child. */
static pid_t begin_apart(const struct apart *a, int *from)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    const pid_t parent = getpid();
    int ends[2];
    sigset_t all, before;
    sigfillset(&all);
    pthread_mutex_lock(&one);
    pid_t child = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
    if (child == 0) {
        pthread_sigmask(SIG_SETMASK, &all, &before);
        child = fork();
        if (child == 0)
            be_child(a, parent, ends[1]);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        close_quietly(ends[1]);
        *from = ends[0];
        if (child < 0)
            close_quietly(ends[0]);
    }
    pthread_mutex_unlock(&one);
    return child;
}

/* As read(2), with a descriptor that was sent. */
static ssize_t receive(int from, void *to, size_t size, int *fd)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec body = {to, size};
    struct msghdr m = {.msg_iov = &body,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = sizeof(control)};
    ssize_t n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    if (c != NULL && c->cmsg_type == SCM_RIGHTS && *fd < 0)
        memcpy(fd, CMSG_DATA(c), sizeof(*fd));
    return n;
}

static bool await_answer(int from, uint64_t deadline, const struct patience *p)
{
    for (;;) {
        struct pollfd ready = {.fd = from, .events = POLLIN};
        unsigned step = patience_step(deadline);
        int n = poll(&ready, 1, (int)step);
        if (n > 0)
            return true;
        errno = n < 0 && errno != EINTR ? errno
                : !patience_goes_on(p)  ? ECANCELED
                : step == 0             ? ETIMEDOUT
                                        : 0;
        if (errno != 0)
            return false;
    }
}

static bool hear(int from, const struct patience *p, struct text *answer, int *fd)
{
    /* After the deadline of a search each child still has time to answer. */
    enum { MIN_MS = 100, BLOCK = 1 << 14 };
    uint64_t deadline = patience_end(p), least = clock_ms() + MIN_MS;
    struct others_head h = {0};
    char block[BLOCK];
    deadline = deadline > least ? deadline : least;
    if (!await_answer(from, deadline, p))
        return false;
    if (receive(from, &h, sizeof(h), fd) != (ssize_t)sizeof(h)) {
        errno = EIO;
        return false;
    }
    while (answer->len < h.size && h.size <= APART_MAX_BYTES) {
        size_t left = h.size - answer->len;
        if (!await_answer(from, deadline, p))
            return false;
        ssize_t n = receive(from, block, left < BLOCK ? left : BLOCK, fd);
        if (n <= 0)
            break;
        text_add(answer, block, (size_t)n);
    }
    errno = answer->len < h.size ? EIO : h.why;
    return errno == 0;
}

bool apart_run(const struct apart *a, const struct patience *p, struct text *answer,
               int *fd)
{
    enum { TRIES = 200, TICK_MS = 5 };
    int from;
    *fd = -1;
    text_clear(answer);
    pid_t child = begin_apart(a, &from), ended = 0;
    if (child < 0)
        return false;
    bool ok = hear(from, p, answer, fd);
    int why = errno;
    /* A child in an uninterruptible wait (a lost NFS server) is abandoned after a second.
     */
    bool has_answered = ok || (why != ETIMEDOUT && why != ECANCELED);
    kill(child, SIGKILL);
    for (int i = 0; i < TRIES && ended == 0; i++) {
        ended = waitpid(child, NULL, has_answered ? 0 : WNOHANG);
        if (ended < 0 && errno == EINTR)
            ended = 0;
        if (ended == 0)
            poll(NULL, 0, TICK_MS);
    }
    close(from);
    if (!ok) {
        close_quietly(*fd);
        *fd = -1;
    }
    errno = why;
    return ok;
}

/* --- opening --------------------------------------------------------------- */

int others_open(pid_t pid, const char *name, int how)
{
    return open(proc_path(pid, name).text, how | SAFELY);
}

int others_open_namespace(pid_t pid, const char *kind)
{
    char name[64];
    snprintf(name, sizeof(name), "ns/%s", kind);
    return open(proc_path(pid, name).text, O_RDONLY | (SAFELY & ~O_NOFOLLOW));
}

DIR *others_list_of(pid_t pid, const char *name)
{
    int fd = others_open(pid, name, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (dir == NULL)
        close_quietly(fd);
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
    close_quietly(held);
    return fd;
}

int others_open_program(pid_t pid)
{
    int held = open(proc_path(pid, "exe").text, O_PATH | O_CLOEXEC);
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
            close_quietly(at);
            return -1;
        }
        snprintf(part, sizeof(part), "%.*s", (int)len, len > 0 ? path : ".");
        int next = openat(at, part, SAFELY | (is_last ? how : O_PATH | O_DIRECTORY));
        close_quietly(at);
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
    /* Folders may be links, below that root. */
    if ((how & O_DIRECTORY) == 0)
        q.flags |= O_NOFOLLOW;
    int fd = (int)syscall(OPENAT2, at->root, at->path, &q, sizeof(q));
    /* Old filters of system calls return EPERM for unknown calls. */
    return fd < 0 && (errno == ENOSYS || errno == EPERM) ? walk(at->root, at->path, how)
                                                         : fd;
}

/* --- rights of a process -------------------------------------------------- */

bool others_rights(pid_t pid, struct rights *r)
{
    struct text t = {0};
    *r = (struct rights){.uid = (uid_t)-1};
    bool ok = proc_read_file(pid, "status", &t);
    const char *status = text_string(&t), *groups = strstr(status, "\nGroups:");
    /* A set-user-ID program of root acts for the user who started it. */
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

struct others_job {
    struct inside at;
    const struct other_work *work;
};

static int work_inside(void *context, struct text *answer)
{
    const struct others_job *job = context;
    return job->work->work(&job->at, job->work->context, answer);
}

bool others_run(const char *path, const struct other_work *w, const struct patience *p,
                struct text *answer, int *fd)
{
    struct others_job job = {{AT_FDCWD, path}, w};
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
        job.at.root = open(proc_path(pid, "root").text, O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (job.at.root < 0)
            return false;
        a.keeps = job.at.root;
        a.as = a.as == NULL && others_rights(pid, &its) ? &its : a.as;
    }
    bool ok = apart_run(&a, p, answer, fd);
    close_quietly(a.keeps);
    return ok;
}

bool others_run_inside(pid_t pid, const struct other_work *w, const struct patience *p,
                       struct text *answer)
{
    int none;
    return others_run(proc_path(pid, "root/").text, w, p, answer, &none);
}

/* --- looks ----------------------------------------------------------------- */

struct look_request {
    enum look_for what;
    const struct patience *patience;
    bool (*is_wanted)(const char *name);
};

/* How many sockets of each owner are listed: one user's leave room for those of others. */
struct others_owners {
    struct {
        uid_t uid;
        unsigned count;
    } * all;
    size_t len, cap;
};

/* Lists a folder of a user, or of all users. With a limit per owner, so that one user's
 * sockets do not displace those of others. */
static void list(const struct look_request *l, const struct inside *at, int folder,
                 struct text *to)
{
    enum { MAX_OF_OTHERS = 1000, MAX_OF_ALL = 400000, MAX_OF_ONE = 4000 };
    size_t most =
        (at->root == AT_FDCWD ? MAX_OF_ALL : MAX_OF_OTHERS) * sizeof(struct socket_name);
    DIR *dir = fdopendir(folder);
    const struct dirent *entry;
    struct others_owners o = {.len = 0};
    if (dir == NULL) {
        close_quietly(folder);
        return;
    }
    while ((errno = 0, entry = readdir(dir)) != NULL && to->len < most) {
        const char *name = entry->d_name;
        struct socket_name s = {.owner = 0};
        struct stat st;
        size_t i = 0;
        if (!l->is_wanted(name) || strlen(name) >= sizeof(s.name) ||
            fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISSOCK(st.st_mode))
            continue;
        while (i < o.len && o.all[i].uid != st.st_uid)
            i++;
        if (i == o.len) {
            o.all = grow(o.all, o.len, &o.cap, sizeof(*o.all));
            o.all[o.len].uid = st.st_uid;
            o.all[o.len++].count = 0;
        }
        if (o.all[i].count++ >= MAX_OF_ONE)
            continue;
        s.owner = st.st_uid;
        s.changed = st.st_mtim;
        memcpy(s.name, name, strlen(name)); /* shorter than it, which is all zero */
        text_add(to, &s, sizeof(s));
    }
    int why = proc_is_shortage(errno) ? errno : 0;
    closedir(dir);
    free(o.all);
    errno = why;
}

static int look(const struct inside *at, void *context, struct text *answer)
{
    const struct look_request *l = context;
    const bool is_folder = l->what == LOOK_FOLDER;
    struct look seen = {.fd = -1};
    struct stat st;
    int fd = inside_open(at, is_folder ? O_RDONLY | O_DIRECTORY : O_PATH);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) != 0) {
        close_quietly(fd);
        return -1;
    }
    seen = (struct look){-1, st.st_mode, st.st_uid, st.st_dev, st.st_ino};
    text_add(answer, &seen, sizeof(seen));
    if (is_folder) {
        list(l, at, fd, answer);
        return -1;
    }
    int connection = -1;
    errno = 0;
    if (l->what == LOOK_SOCKET) {
        /* By its descriptor, so that it cannot be replaced in between. The callback belongs
         * to the parent. */
        const struct patience alone = {.silence_ms = l->patience->silence_ms,
                                       .deadline = l->patience->deadline};
        char path[64];
        snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        errno = ENOTSOCK;
        connection = S_ISSOCK(st.st_mode) ? transport.connect(path, &alone) : -1;
    }
    close_quietly(fd);
    return connection;
}

/* As others_list(), of any kind. */
static bool others_look_at(const char *path, struct look_request *l, struct look *seen,
                           struct text *sockets)
{
    const struct other_work work = {.work = look, .context = l};
    int fd;
    bool ok = others_run(path, &work, l->patience, sockets, &fd);
    int why = errno;
    size_t head = sockets->len >= sizeof(*seen) ? sizeof(*seen) : 0;
    *seen = (struct look){.fd = -1};
    if (head > 0) {
        memcpy(seen, sockets->data, head);
        memmove(sockets->data, sockets->data + head, sockets->len - head);
    }
    sockets->len = head > 0 ? sockets->len - head : 0;
    seen->fd = fd;
    errno = why;
    return ok;
}

bool others_look(const char *path, enum look_for what, const struct patience *p,
                 struct look *seen)
{
    struct look_request l = {.what = what, .patience = p};
    struct text none = {0};
    bool ok = others_look_at(path, &l, seen, &none);
    int why = errno;
    text_free(&none);
    errno = why;
    return ok;
}

bool others_list(const char *folder, bool (*is_wanted)(const char *name),
                 const struct patience *p, struct look *seen, struct text *sockets)
{
    struct look_request l = {.what = LOOK_FOLDER, .patience = p, .is_wanted = is_wanted};
    return others_look_at(folder, &l, seen, sockets);
}
