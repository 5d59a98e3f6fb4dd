
#include "base/error.h"
#include "base/workers.h"
#include "collect/proc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A socket that accepts no connections costs the whole timeout, and anybody may create many
 * in /tmp. So a search of all queries them in parallel, with a total of this many timeouts:
 * after that it tries each again without waiting, so that an accepting process is still
 * found. */
enum { SIDE_BY_SIDE = 32, MAX_PATIENCES = 3 };

static struct patience for_a_search(const struct patience *p)
{
    struct patience all = *p;
    all.deadline = clock_ms() + (uint64_t)p->silence_ms * MAX_PATIENCES;
    return all;
}

/* --- names --------------------------------------------------------------------- */

struct candidate {
    const char *path;
    pid_t number; /* in the name */
    bool cut;     /* possibly truncated */
    uint64_t key; /* as far as the name is complete */
    uid_t owner;
    struct timespec changed;
    uint64_t payer; /* owner, or that of its folder, whose turn it uses */
    unsigned rank;  /* sort key: smaller is likelier */

    bool listens; /* it listens, as this process: */
    pid_t pid;
    uid_t uid;
    struct hd_error why; /* not */
};

struct candidates {
    struct candidate *all;
    size_t len, cap;
    bool unreadable; /* a folder */
    int lacked;      /* errno, or 0: why another is not looked at */
};

/* Names are cut at 107 characters of the path, even inside the number. */
static bool parse_name(const char *name, struct candidate *c)
{
    static const char prefix[] = "dotnet-diagnostic-";
    if (strncmp(name, prefix, strlen(prefix)) != 0)
        return false;
    const char *at = name + strlen(prefix);
    char *end;
    errno = 0;
    long number = isdigit((unsigned char)*at) ? strtol(at, &end, 10) : 0;
    if (number <= 0 || errno != 0 || number != (pid_t)number)
        return false;
    c->number = (pid_t)number;
    c->cut = *end == '\0';
    if (*end == '-')
        c->key = strtoull(end + 1, NULL, 10);
    return c->cut || *end == '-';
}

static bool is_named_so(const char *name)
{
    struct candidate c;
    return parse_name(name, &c);
}

/* --- folders ------------------------------------------------------------------- */

struct target_folder {
    const char *path, *view; /* view: identifies the root; NULL: ours */
    uint64_t owner;          /* of the process whose view is used */
    struct look seen;
    struct text sockets;
    int why; /* errno; 0: it was looked at */
};

struct target_folders {
    struct target_folder *all;
    size_t len, cap;
    const struct patience *patience;
};

static const char *path_inside(const char *path)
{
    pid_t pid;
    const char *inside = path;
    others_is_inside(path, &pid, &inside);
    return inside;
}

static bool are_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Skips the folder of another process in the same container. */
static void add_folder(struct target_folders *f, const char *path, const struct proc *by)
{
    const char *view = by != NULL ? by->view : NULL;
    if (path == NULL || path[0] != '/')
        return;
    for (size_t i = 0; i < f->len; i++)
        if (are_same(f->all[i].view, view) &&
            strcmp(path_inside(f->all[i].path), path_inside(path)) == 0)
            return;
    f->all = grow(f->all, f->len, &f->cap, sizeof(*f->all));
    f->all[f->len++] = (struct target_folder){.path = path, .view = view};
    if (by != NULL && path_inside(path) != path)
        f->all[f->len - 1].owner = process_owner(by->pid, by->real_uid);
}

/* Adds the folder of its sockets, by a path through /proc if it belongs to another user or
 * has another root. Without a process: the default folders, as for ourselves. */
static void add_folder_of(struct target_folders *f, const struct proc *proc,
                          struct arena *arena)
{
    const char *ours = getenv("TMPDIR");
    if (proc == NULL) {
        add_folder(f, ours, NULL);
        add_folder(f, "/tmp", NULL);
        return;
    }
    bool is_usual = strcmp(proc->folder, "/tmp") == 0 || are_same(proc->folder, ours);
    bool is_ours = (proc->uid == geteuid() && proc->real_uid == proc->uid) || is_usual;
    add_folder(f,
               proc->same_files && is_ours
                   ? proc->folder
                   : arena_printf(arena, "/proc/%ld/root%s", (long)proc->pid, proc->folder),
               proc);
}

static bool list_one(void *context, size_t i)
{
    const struct target_folders *f = context;
    struct target_folder *one = &f->all[i];
    bool ok = others_list(one->path, is_named_so, f->patience, &one->seen, &one->sockets);
    one->why = ok ? 0 : errno;
    return true;
}

/* Adds sockets with one number, or any if it is 0: the kernel identifies the process
 * later. */
static void add_candidates(struct candidates *to, const struct target_folder *f,
                           pid_t number, struct arena *arena)
{
    const char *slash = f->path[strlen(f->path) - 1] == '/' ? "" : "/";
    bool is_inside = path_inside(f->path) != f->path;
    for (size_t at = 0; at + sizeof(struct socket_name) <= f->sockets.len;
         at += sizeof(struct socket_name)) {
        struct socket_name s;
        struct candidate c = {.rank = 0};
        pid_t pid = number;
        memcpy(&s, f->sockets.data + at, sizeof(s));
        if (!parse_name(s.name, &c))
            continue;
        while (c.cut && pid > c.number)
            pid /= 10;
        if (number != 0 && pid != c.number)
            continue;
        c.path = arena_printf(arena, "%s%s%s", f->path, slash, s.name);
        c.owner = s.owner;
        c.payer = is_inside ? f->owner : s.owner;
        c.changed = s.changed;
        to->all = grow(to->all, to->len, &to->cap, sizeof(*to->all));
        to->all[to->len++] = c;
    }
}

/* Lists all folders in parallel, since one may never answer. One that was listed by another
 * name, or by way of another container, counts once. */
static void look_in_all(struct target_folders *f, pid_t number, const struct patience *p,
                        struct candidates *to, struct arena *arena)
{
    const struct patience limited = for_a_search(p);
    f->patience = &limited;
    workers_run(f->len, SIDE_BY_SIDE, list_one, f);
    for (size_t i = 0; i < f->len; i++) {
        struct target_folder *one = &f->all[i];
        bool was_seen = false;
        for (size_t k = 0; k < i; k++)
            was_seen |= f->all[k].why == 0 && f->all[k].seen.device == one->seen.device &&
                        f->all[k].seen.inode == one->seen.inode;
        to->unreadable = to->unreadable || one->why == EACCES;
        to->lacked = proc_is_shortage(one->why) ? one->why : to->lacked;
        if (one->why == 0 && !was_seen)
            add_candidates(to, one, number, arena);
        text_free(&one->sockets);
    }
    free(f->all);
}

/* --- listening process --------------------------------------------------------- */

/* True for our sockets, or for all if we are root. */
static bool may_trust(uid_t owner)
{
    uid_t self = geteuid();
    return owner == self || self == 0;
}

static bool foreign(const char *socket, uid_t owner, struct hd_error *err)
{
    return fail(err, HD_IO,
                "the diagnostics socket belongs to user %s; run heapdrift as that user, or "
                "as root (%s)",
                proc_user(owner).text, socket);
}

static bool cannot_connect(const char *socket, struct hd_error *err)
{
    if (errno == EACCES || errno == EPERM)
        return fail(err, HD_IO,
                    "%s: %s; run heapdrift as the user of the process, or as "
                    "root",
                    socket, strerror(errno));
    return target_fail(socket, err);
}

/* Connects once to identify the listener. The runtime treats a connection without a request
 * as a client that disconnected. After the end of a search a socket in our root still costs
 * nothing, but one below the root of another process costs a child, and that process may
 * have created any number. */
static bool who_listens(const char *socket, uid_t owner, const struct patience *p,
                        pid_t *pid, uid_t *uid, struct hd_error *err)
{
    enum { LATE_MS = 2000 };
    if (!may_trust(owner))
        return foreign(socket, owner, err);
    bool is_too_late = p->deadline != 0 && clock_ms() > p->deadline + LATE_MS &&
                       path_inside(socket) != socket;
    errno = ETIMEDOUT;
    int fd = is_too_late ? -1 : transport.connect(socket, p);
    if (fd < 0)
        return cannot_connect(socket, err);
    bool known = transport.peer(fd, pid, uid);
    close(fd);
    if (!known)
        return fail(err, HD_IO, "%s: %s", socket, strerror(errno));
    return may_trust(*uid) || foreign(socket, *uid, err);
}

int target_connect(const struct target *t, const struct patience *p, struct hd_error *err)
{
    pid_t pid;
    uid_t uid;
    int fd = transport.connect(t->socket, p);
    if (fd < 0) {
        cannot_connect(t->socket, err);
        return -1;
    }
    bool same = transport.peer(fd, &pid, &uid) && uid == t->uid &&
                (t->visible ? pid == t->pid : pid == 0 || pid == t->pid);
    uint64_t start = same && t->start != 0 ? proc_start(t->pid) : t->start;
    if (same && start == t->start)
        return fd;
    close(fd);
    if (same && start == 0)
        fail(err, HD_IO, "%s: the process has exited", t->socket);
    else
        fail(err, HD_IO, "%s: another process is listening there now", t->socket);
    return -1;
}

/* --- one process --------------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->changed.tv_sec != y->changed.tv_sec)
        return x->changed.tv_sec > y->changed.tv_sec ? -1 : 1;
    if (x->changed.tv_nsec != y->changed.tv_nsec)
        return x->changed.tv_nsec > y->changed.tv_nsec ? -1 : 1;
    return strcmp(x->path, y->path);
}

/* Results of the search for one process. */
struct target_search {
    const struct proc *proc; /* NULL: not visible */
    struct target best, unseen;
    size_t found, unseen_count;
    struct hd_error denied, dead, other;
};

/* A process that had this number before may have left a listening socket to a stranger. */
static void wrong_user(struct hd_error *err, const char *socket, const struct proc *proc,
                       uid_t uid)
{
    fail(err, HD_IO, "user %s listens on %s, not %s, the user of process %ld",
         proc_user(uid).text, socket, proc_user(proc->uid).text, (long)proc->pid);
}

static void try(struct target_search *s, const struct candidate *c,
                const struct patience *p)
{
    struct hd_error why = {0};
    struct target t = {.socket = c->path, .pid = c->number};
    pid_t pid = 0;
    if (!who_listens(c->path, c->owner, p, &pid, &t.uid, &why)) {
        struct hd_error *slot = !may_trust(c->owner) ? &s->denied : &s->dead;
        if (slot->status == HD_OK)
            *slot = why;
    } else if (s->proc != NULL && pid == s->proc->pid && t.uid != s->proc->uid) {
        wrong_user(&s->other, c->path, s->proc, t.uid);
    } else if (s->proc != NULL && pid == s->proc->pid) {
        t.visible = true;
        t.pid = pid;
        t.start = s->proc->start;
        t.proc = s->proc;
        if (s->found++ == 0)
            s->best = t;
    } else if (pid == 0 || s->proc == NULL) {
        t.visible = pid != 0;
        t.pid = pid != 0 ? pid : c->number;
        if (s->unseen_count++ == 0)
            s->unseen = t;
    } else {
        fail(&s->other, HD_IO, "process %ld listens on %s, not process %ld", (long)pid,
             c->path, (long)s->proc->pid);
    }
}

static bool no_socket(const struct proc *proc, pid_t pid, bool unreadable,
                      struct hd_error *err)
{
    if (proc == NULL && proc_is_hidden(pid))
        return fail(err, HD_IO,
                    "process %ld is hidden from this user by /proc (hidepid); run "
                    "heapdrift as its user, or as root",
                    (long)pid);
    if (proc == NULL)
        return fail(err, HD_IO, "no process %ld", (long)pid);
    if (geteuid() != 0 && proc->uid != geteuid())
        return fail(err, HD_IO,
                    "process %ld (%s) belongs to user %s; run heapdrift as that user, or "
                    "as root",
                    (long)pid, proc->name, proc_user(proc->uid).text);
    if (unreadable)
        return fail(err, HD_IO,
                    "process %ld (%s): no permission to look for its socket in %s",
                    (long)pid, proc->name, proc->folder);
    return fail_about(
        err, HD_ABOUT_SOCKETS, HD_IO,
        "process %ld (%s) has no diagnostics socket in %s: it runs no .NET Core 3.0 or "
        "later, is native AOT without events, DOTNET_EnableDiagnostics=0 is set, or its "
        "TMPDIR is read-only or too long",
        (long)pid, proc->name, proc->folder);
}

static bool target_decide(const struct target_search *s, struct target *t, pid_t pid,
                          bool unreadable, struct hd_error *err)
{
    *t = s->found > 0 ? s->best : s->unseen;
    if (s->found > 0 || s->unseen_count == 1)
        return true;
    if (s->unseen_count > 1)
        return fail_about(err, HD_ABOUT_SOCKET, HD_USAGE,
                          "%zu processes in other containers have the id %ld; choose one",
                          s->unseen_count, (long)pid);
    const struct hd_error *why = s->denied.status != HD_OK                    ? &s->denied
                                 : s->other.status != HD_OK                   ? &s->other
                                 : s->proc != NULL && s->dead.status != HD_OK ? &s->dead
                                                                              : NULL;
    return why != NULL ? fail(err, why->status, "%s", why->message)
                       : no_socket(s->proc, pid, unreadable, err);
}

bool target_of_process(struct target *t, pid_t pid, const struct patience *p,
                       struct arena *arena, struct hd_error *err)
{
    struct proc *proc = arena_array(arena, struct proc, 1);
    struct target_search s = {0};
    struct candidates c = {0};
    struct target_folders f = {0};
    if (proc_read(proc, pid, arena)) {
        s.proc = proc;
        add_folder_of(&f, proc, arena);
    }
    add_folder_of(&f, NULL, arena);
    look_in_all(&f, s.proc != NULL ? proc->inner_pid : pid, p, &c, arena);
    for (size_t i = 0; i < c.len; i++)
        c.all[i].rank = s.proc != NULL && c.all[i].key == proc->start ? 0 : 1;
    if (c.len > 0)
        qsort(c.all, c.len, sizeof(*c.all), by_rank);
    const struct patience limited = for_a_search(p);
    for (size_t i = 0; i < c.len && s.found == 0; i++)
        try(&s, &c.all[i], &limited);
    bool ok = target_decide(&s, t, pid, c.unreadable, err);
    free(c.all);
    return ok;
}

bool target_at_socket(struct target *t, const char *path, const struct patience *p,
                      struct arena *arena, struct hd_error *err)
{
    struct look seen;
    struct candidate named = {0};
    struct proc *proc = arena_array(arena, struct proc, 1);
    pid_t pid = 0;
    if (path[0] != '/')
        return fail(err, HD_USAGE, "name the socket by its absolute path");
    if (!others_look(path, LOOK_NAME, p, &seen))
        return fail(err, errno == ETIMEDOUT ? HD_TIMED_OUT : HD_IO, "%s: %s", path,
                    strerror(errno));
    if (!S_ISSOCK(seen.mode))
        return fail(err, HD_IO, "%s: not a socket", path);
    *t = (struct target){.socket = arena_strdup(arena, path, strlen(path))};
    if (!who_listens(t->socket, seen.uid, p, &pid, &t->uid, err))
        return false;
    t->visible = pid != 0;
    t->pid = pid != 0 ? pid : parse_name(strrchr(path, '/') + 1, &named) ? named.number : 0;
    if (!t->visible || !proc_read(proc, pid, arena))
        return true;
    t->start = proc->start;
    t->proc = proc;
    if (proc->uid != t->uid)
        wrong_user(err, t->socket, proc, t->uid);
    return proc->uid == t->uid;
}

/* --- list of targets ---------------------------------------------------------------- */

static int by_pid(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    if (x->target.pid != y->target.pid)
        return x->target.pid < y->target.pid ? -1 : 1;
    return strcmp(x->target.socket, y->target.socket);
}

struct candidate_query {
    struct candidate *all;
    const struct turn *turns;
    struct patience patience;
    const struct proc *procs; /* by pid */
    size_t proc_count;
};

static bool ask_one(void *context, size_t i)
{
    const struct candidate_query *asking = context;
    struct candidate *c = &asking->all[asking->turns[i].which];
    c->listens =
        who_listens(c->path, c->owner, &asking->patience, &c->pid, &c->uid, &c->why);
    return true;
}

static int by_proc_pid(const void *pid, const void *proc)
{
    pid_t a = *(const pid_t *)pid, b = ((const struct proc *)proc)->pid;
    return (a > b) - (a < b);
}

static const struct proc *proc_with_pid(const struct candidate_query *asking, pid_t pid)
{
    return asking->proc_count > 0 ? bsearch(&pid, asking->procs, asking->proc_count,
                                            sizeof(*asking->procs), by_proc_pid)
                                  : NULL;
}

/* A folder shared by several processes was found through the first process, which may end
 * before this one: returns a path through this process if it sees the same file. */
static const char *by_its_own_way(const char *path, const struct proc *proc,
                                  const struct candidate_query *asking, struct arena *arena)
{
    static const struct patience brief = {.silence_ms = 200};
    struct look a, b;
    pid_t pid;
    const char *inside;
    if (!others_is_inside(path, &pid, &inside) || pid == proc->pid)
        return path;
    const struct proc *first = proc_with_pid(asking, pid);
    const char *own = arena_printf(arena, "/proc/%ld/root%s", (long)proc->pid, inside);
    bool is_one = first != NULL && are_same(first->view, proc->view);
    return is_one || (others_look(path, LOOK_NAME, &brief, &a) &&
                      others_look(own, LOOK_NAME, &brief, &b) && a.device == b.device &&
                      a.inode == b.inode)
               ? own
               : path;
}

/* False for dead sockets and processes of other users with our sockets: both are
 * skipped. */
static bool target_describe(struct found *found, const struct candidate *c,
                            const struct candidate_query *asking, struct arena *arena)
{
    const struct proc *proc = NULL;
    *found = (struct found){.target = {.socket = c->path, .pid = c->number, .uid = c->uid}};
    if (c->listens) {
        found->target.visible = c->pid != 0;
        found->target.pid = c->pid != 0 ? c->pid : c->number;
        found->target.proc = proc = proc_with_pid(asking, c->pid);
        if (proc == NULL)
            return true;
        found->target.start = proc->start;
        found->target.socket = by_its_own_way(c->path, proc, asking, arena);
        return proc->uid == c->uid;
    }
    /* Not ours, or it does not take connections: all that is known of a socket that may not
     * be used is its name. */
    for (size_t i = 0; i < asking->proc_count && proc == NULL; i++)
        if (asking->procs[i].inner_pid == c->number && asking->procs[i].start == c->key &&
            !c->cut)
            proc = &asking->procs[i];
    if (proc == NULL)
        return false;
    found->target.proc = proc;
    found->target.pid = proc->pid;
    found->target.uid = proc->uid;
    found->target.visible = true;
    found->problem = arena_strdup(arena, c->why.message, strlen(c->why.message));
    found->is_denied = !may_trust(c->owner) || !may_trust(proc->uid);
    return true;
}

struct found *targets_find(size_t *count, const char **incomplete, const struct patience *p,
                           struct arena *arena)
{
    size_t n, kept = 0;
    struct candidates c = {0};
    pid_t *pids = proc_all(&n, &c.lacked, arena);
    struct proc *procs = arena_array(arena, struct proc, n);
    struct target_folders f = {0};
    add_folder_of(&f, NULL, arena);
    for (size_t i = 0; i < n; i++) {
        if (!proc_read(&procs[kept], pids[i], arena))
            continue;
        add_folder_of(&f, &procs[kept], arena);
        c.lacked = procs[kept].lacked != 0 ? procs[kept].lacked : c.lacked;
        kept++;
    }
    look_in_all(&f, 0, p, &c, arena);
    struct found *all = arena_array(arena, struct found, c.len);
    uint64_t *payers = arena_array(arena, uint64_t, c.len);
    for (size_t i = 0; i < c.len; i++)
        payers[i] = c.all[i].payer;
    struct candidate_query asking = {.all = c.all,
                                     .turns = turns_of(payers, c.len, arena),
                                     .patience = for_a_search(p),
                                     .procs = procs,
                                     .proc_count = kept};
    workers_run(c.len, SIDE_BY_SIDE, ask_one, &asking);
    *count = 0;
    for (size_t i = 0; i < c.len; i++) {
        struct found *found = &all[*count];
        if (!target_describe(found, &c.all[i], &asking, arena))
            continue;
        const struct user_name user = proc_user(found->target.uid);
        found->user = arena_strdup(arena, user.text, strlen(user.text));
        found->owner =
            process_owner(found->target.visible ? found->target.pid : 0, found->target.uid);
        ++*count;
    }
    if (*count > 0)
        qsort(all, *count, sizeof(*all), by_pid);
    *incomplete = NULL;
    if (c.lacked != 0)
        *incomplete =
            arena_printf(arena, "cannot inspect all processes: %s", strerror(c.lacked));
    else if (*count == 0 && access("/proc/self", F_OK) != 0)
        /* Sockets may still be found, but perhaps not all. */
        *incomplete = "cannot list processes: /proc is not mounted here";
    free(c.all);
    return all;
}
