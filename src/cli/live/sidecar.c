#include "cli/live/sidecar.h"

#include "cli/live/collecting.h"
#include "cli/live/storing.h"
#include "cli/options/settings.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- whether the process is there ---------------------------------------------
 *
 * Whether the process that is meant is there, and how large it is.
 *
 * One that was seen is meant for as long as it lives, whatever else has its name. Then it
 * may have another pid: of the options a number is tried first, then a name. It asks all
 * runtimes of this machine who they are, and none for its heap. */

struct sighted {
    uint64_t pid;
    uint64_t memory;  /* bytes (RSS); HD_UNKNOWN */
    char who[160];    /* "Shop (pid 4711)" */
    char host[65];    /* that it sees; "" unknown */
    char socket[256]; /* its diagnostics socket */
    char started[32]; /* as ps tells it; "" unknown */
    uint64_t born;    /* the same by the kernel, in its ticks; 0: it cannot be seen */
};

enum process_lookup {
    SIGHT_THERE,
    SIGHT_GONE,
    SIGHT_SEVERAL, /* of that name */
    SIGHT_DENIED   /* it is there, and this user may not ask it; or nothing can be seen */
};

/* When a process began, in ticks of the kernel: with its number that is one process, see
 * proc(5). 0: it has ended, or cannot be seen. */
static uint64_t born(uint64_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
    FILE *f = fopen(path, "re");
    size_t len = f != NULL ? fread(line, 1, sizeof(line) - 1, f) : 0;
    if (f != NULL)
        fclose(f);
    line[len] = '\0';
    /* Its name may have anything in it; behind that is its state, and 19 more to go. */
    char *at = strrchr(line, ')');
    if (at == NULL || at[1] == '\0' || strchr("ZXx", at[2]) != NULL)
        return 0;
    for (int i = 0; at != NULL && i < 20; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static void describe(struct sighted *seen, const struct hd_process *p)
{
    *seen = (struct sighted){.pid = p->pid, .memory = p->memory};
    snprintf(seen->who, sizeof(seen->who), "%.100s (pid %" PRIu64 ")",
             p->name != NULL ? p->name : "dotnet", p->pid);
    snprintf(seen->host, sizeof(seen->host), "%s", p->host != NULL ? p->host : "");
    if (p->socket != NULL && strlen(p->socket) < sizeof(seen->socket))
        snprintf(seen->socket, sizeof(seen->socket), "%s", p->socket);
    snprintf(seen->started, sizeof(seen->started), "%s",
             p->started != NULL ? p->started : "");
    if (seen->memory == 0)
        seen->memory = HD_UNKNOWN;
    /* Of one that cannot be seen the number is that of another container. */
    if (seen->memory != HD_UNKNOWN)
        seen->born = born(seen->pid);
}

/* One that this list does not know, but whose socket is there. */
static enum process_lookup unseen_socket(struct sighted *seen, const char *socket,
                                         struct hd_error *err)
{
    if (access(socket, F_OK) != 0) {
        err->status = HD_IO;
        snprintf(err->message, sizeof(err->message), "%.200s: no such socket", socket);
        return SIGHT_GONE;
    }
    *seen = (struct sighted){.memory = HD_UNKNOWN};
    snprintf(seen->who, sizeof(seen->who), "%.150s", socket);
    snprintf(seen->socket, sizeof(seen->socket), "%s", socket);
    return SIGHT_THERE;
}

static bool is_meant(const struct hd_process *p, const struct settings *s, bool by_name)
{
    if (by_name)
        return hd_process_goes_by(p, s->name);
    if (s->socket != NULL)
        return p->socket != NULL && strcmp(p->socket, s->socket) == 0;
    return s->process_id > 0 && p->pid == s->process_id;
}

/* What a process that is stopped or busy says is no reason to ask no more. */
static enum process_lookup judge(struct sighted *seen, const struct hd_process *p,
                                 struct hd_error *err)
{
    describe(seen, p);
    if (!p->is_denied)
        return SIGHT_THERE;
    err->status = HD_IO;
    snprintf(err->message, sizeof(err->message), "%.80s: %.150s", seen->who, p->problem);
    return SIGHT_DENIED;
}

static enum process_lookup choose(struct sighted *seen, const struct settings *s,
                                  bool by_name, const struct hd_processes *all,
                                  struct hd_error *err)
{
    const struct hd_process *found = NULL;
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++)
        if (is_meant(&all->all[i], s, by_name)) {
            found = &all->all[i];
            count++;
        }
    if (count == 1)
        return judge(seen, found, err);
    err->status = HD_USAGE;
    if (count > 1 && by_name)
        snprintf(err->message, sizeof(err->message),
                 "%zu processes are called %.80s; choose one with --process-id", count,
                 s->name);
    else if (count > 1)
        snprintf(err->message, sizeof(err->message),
                 "%zu processes have the id %" PRIu64
                 ", each in its own container; choose one with --diagnostic-port",
                 count, s->process_id);
    else
        snprintf(err->message, sizeof(err->message),
                 "no .NET process %" PRIu64
                 " with a diagnostics socket; see `heapdrift ps`",
                 s->process_id);
    return count > 1 ? SIGHT_SEVERAL : SIGHT_GONE;
}

static bool is_same(const struct sighted *seen, const struct hd_process *p)
{
    return p->pid == seen->pid && p->socket != NULL &&
           strcmp(p->socket, seen->socket) == 0 &&
           (p->started == NULL || seen->started[0] == '\0' ||
            strcmp(p->started, seen->started) == 0);
}

/* One that is busy may not say what it is called, and another may be called the same. */
static enum process_lookup follow(struct sighted *seen, const struct hd_processes *all,
                                  struct hd_error *err)
{
    const struct sighted before = *seen;
    for (size_t i = 0; i < all->count; i++) {
        const struct hd_process *p = &all->all[i];
        if (!is_same(&before, p))
            continue;
        enum process_lookup what = judge(seen, p, err);
        snprintf(seen->who, sizeof(seen->who), "%s", before.who);
        return what;
    }
    if (before.born == 0 || born(before.pid) != before.born)
        return SIGHT_GONE;
    err->status = HD_IO;
    snprintf(err->message, sizeof(err->message),
             "is running, but its diagnostics socket is gone: %.160s", before.socket);
    return SIGHT_DENIED;
}

/* Look for *seen, unless it is {0} or has ended, then for the process of --process-id,
 * --name or --diagnostic-port. err says what is wrong unless it is there. */
static enum process_lookup sight(struct sighted *seen, const struct settings *s,
                                 struct hd_error *err)
{
    struct hd_processes all;
    enum process_lookup what = SIGHT_GONE;
    hd_processes_find(&all);
    if (seen->pid != 0 && s->socket == NULL)
        what = follow(seen, &all, err);
    if (what == SIGHT_GONE && (s->process_id > 0 || s->socket != NULL))
        what = choose(seen, s, false, &all, err);
    if (what == SIGHT_GONE && s->socket != NULL)
        what = unseen_socket(seen, s->socket, err);
    else if (what == SIGHT_GONE && s->name != NULL)
        what = choose(seen, s, true, &all, err);
    if (what == SIGHT_GONE && all.incomplete != NULL && s->socket == NULL) {
        snprintf(err->message, sizeof(err->message), "%s", all.incomplete);
        what = SIGHT_DENIED;
    }
    hd_processes_free(&all);
    return what;
}

/* --- the lock of the host ----------------------------------------------------
 *
 * One at a time on this host, whatever they look at: a lock on a file.
 *
 * Whoever sees the same file takes turns, other users and other containers too; who does
 * not see it cannot. The kernel lets go when the holder ends, however that is. */

struct host_lock {
    const char *path; /* as given; NULL: heapdrift.lock in /run/lock, TMPDIR or /tmp */
    int held;         /* a descriptor; -1: not held */
};

enum host_lock_state {
    HOST_LOCKED,
    HOST_LOCK_BUSY, /* somebody else has it */
    HOST_LOCK_NONE  /* there can be no such file; errno says why */
};

/* To read is enough for a lock, so that the file of another user will do. What somebody
 * planted there is not waited for (a pipe) and not followed (a link). */
static int open_file(const char *path)
{
    const int how = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    struct stat st;
    int fd = open(path, how | O_CREAT, 0644);
    /* In a folder for all the kernel may refuse to "make" a file of another's
     * (fs.protected_regular), though it only has to be opened. */
    if (fd < 0 && errno == EACCES)
        fd = open(path, how);
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    if (fd >= 0) {
        close(fd);
        errno = EINVAL;
    }
    return -1;
}

static int open_usual(char *path, size_t size)
{
    const char *own = getenv("TMPDIR");
    const char *const folders[] = {"/run/lock", own != NULL && own[0] == '/' ? own : "/tmp",
                                   "/tmp"};
    int fd = -1;
    for (size_t i = 0; fd < 0 && i < sizeof(folders) / sizeof(*folders); i++) {
        int length = snprintf(path, size, "%s/heapdrift.lock", folders[i]);
        if (length > 0 && (size_t)length < size)
            fd = open_file(path);
    }
    return fd;
}

/* Somebody who tidies up may have removed the file since it was opened: others would lock
 * another one. */
static bool is_still_there(int fd, const char *path)
{
    struct stat open_one, there;
    return fstat(fd, &open_one) == 0 && stat(path, &there) == 0 &&
           open_one.st_dev == there.st_dev && open_one.st_ino == there.st_ino;
}

/* Take it if it is free. The file is made if it is not there, and stays. */
static enum host_lock_state host_lock_try(struct host_lock *lock)
{
    char usual[PATH_MAX];
    const char *path = lock->path != NULL ? lock->path : usual;
    int fd = lock->path != NULL ? open_file(path) : open_usual(usual, sizeof(usual));
    if (fd < 0)
        return HOST_LOCK_NONE;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_still_there(fd, path)) {
        lock->held = fd;
        return HOST_LOCKED;
    }
    close(fd);
    return HOST_LOCK_BUSY;
}

static void host_lock_release(struct host_lock *lock)
{
    if (lock->held >= 0)
        close(lock->held);
    lock->held = -1;
}

/* --- the sidecar ----------------------------------------------------------------- */

enum {
    USUAL_INTERVAL_MS = 3600 * 1000,
    TICK_MS = 500,
    POLL_S = 10,  /* while there is no process */
    TURN_S = 600, /* while another has its snapshot taken */
    CLOCK_JUMP_S = 5
};

struct sidecar {
    const struct settings *settings;
    struct settings own; /* of collecting: the process is looked for here */
    struct collecting c;
    struct store_queue queue;
    struct host_lock lock;
    struct sighted process; /* last seen */
    double interval;        /* seconds */
    uint64_t seed;          /* of the jitter */
    uint64_t instance;      /* that the last snapshot was of; 0: unknown */
    double clock_offset;    /* between the time of day and the clock that nobody sets */
    uint32_t attempts;
    uint64_t taken;
    bool is_once; /* `collect`: nothing is waited for, and everything is wanted */
    bool told_missing, told_no_lock;
};

/* --- time --------------------------------------------------------------------------- */

static double clock_offset(void)
{
    return seconds_utc() - seconds_now();
}

/* Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014. */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Which moment is whose follows from the host and the pid, so it can be told beforehand,
 * and sidecars that start together do not stop all processes of a service together. */
static uint64_t seed_of(const struct sighted *process)
{
    uint64_t seed = mixed(process->pid);
    for (const char *c = process->host; *c != '\0'; c++)
        seed = mixed(seed ^ (unsigned char)*c);
    return seed;
}

/* From 0 to 1; number 0 is of the first snapshot. */
static double share(const struct sidecar *w, uint64_t number)
{
    return (double)(mixed(w->seed + number) >> 11) / (double)(UINT64_C(1) << 53);
}

static double until_first(const struct sidecar *w)
{
    return w->is_once ? 0 : w->interval / 10 * share(w, 0);
}

static double until_next(const struct sidecar *w)
{
    return w->interval * (w->is_once ? 1 : 0.95 + 0.1 * share(w, w->attempts));
}

/* Wait, and store meanwhile what could not be stored before. False if a signal came. */
static bool wait_until(struct sidecar *w, double due)
{
    double left = due - seconds_now();
    while (left > 0 && !w->c.stopped) {
        storing_flush(&w->queue, false);
        collecting_is_stopped(&w->c,
                              left * 1e3 < TICK_MS ? (int)(left * 1e3) + 1 : TICK_MS);
        left = due - seconds_now();
    }
    return !w->c.stopped;
}

/* The times of this series are then not what they seem; whoever reads it is told as well.
 */
static void see_clock(struct sidecar *w)
{
    double offset = clock_offset(), jump = offset - w->clock_offset;
    if (fabs(jump) >= CLOCK_JUMP_S && !w->settings->quiet)
        fprintf(stderr,
                "heapdrift: note: the system clock was changed by %+.0f s since the last "
                "snapshot\n",
                jump);
    w->clock_offset = offset;
}

/* --- one at a time ------------------------------------------------------------------ */

static bool no_lock(struct sidecar *w)
{
    if (!w->told_no_lock && !w->settings->quiet) {
        begin_message("note", w->lock.path != NULL ? w->lock.path : "heapdrift.lock");
        fprintf(stderr, ": %s; another collector may run at the same time\n",
                strerror(errno));
    }
    w->told_no_lock = true;
    return true;
}

/* A turn that does not come costs one snapshot: who holds it for so long hangs. */
static bool take_turn(struct sidecar *w)
{
    double begin = seconds_now();
    double most = w->interval < TURN_S ? w->interval : TURN_S;
    enum host_lock_state state;
    while ((state = host_lock_try(&w->lock)) == HOST_LOCK_BUSY) {
        if (seconds_now() - begin > most) {
            begin_message("warning", w->process.who);
            fprintf(stderr,
                    ": no snapshot: another collector on this host has been running for "
                    "%.0f s\n",
                    most);
            return false;
        }
        if (collecting_is_stopped(&w->c, TICK_MS))
            return false;
    }
    return state == HOST_LOCKED || no_lock(w);
}

/* --- one snapshot ------------------------------------------------------------------- */

/* A process that is larger has a heap that may be; what is not known may be, too. */
static bool is_small_enough(const struct sidecar *w)
{
    uint64_t most = w->settings->max_heap, memory = w->process.memory;
    if (most == 0 || (memory != HD_UNKNOWN && memory <= most))
        return true;
    begin_message("warning", w->process.who);
    if (memory == HD_UNKNOWN)
        fputs(": no snapshot: its memory use is not visible from here, as --max-heap "
              "requires\n",
              stderr);
    else
        fprintf(stderr,
                ": no snapshot: it uses %.0f MiB, more than --max-heap (%.0f MiB)\n",
                (double)memory / 1048576, (double)most / 1048576);
    return false;
}

static void see_run(struct sidecar *w)
{
    uint64_t instance = w->c.collected.origin.instance;
    if (w->taken > 0 && instance != w->instance && !w->settings->quiet) {
        begin_message("note", w->process.who);
        fputs(": a new process, so a new series\n", stderr);
    }
    w->instance = instance;
}

/* An exit status. */
static int take(struct sidecar *w)
{
    w->c.how.socket = w->process.socket[0] != '\0' ? w->process.socket : NULL;
    w->c.how.pid = w->c.how.socket == NULL ? w->process.pid : 0;
    w->c.label = w->process.who;
    /* Of one whose memory cannot be seen the number is that of another container. */
    const struct stored_process process = {
        w->process.who, w->process.memory != HD_UNKNOWN ? w->process.pid : 0};
    int status = storing_take(&w->c, w->settings, &process, &w->queue);
    if (status == EXIT_TROUBLE)
        return status;
    see_run(w);
    w->taken++;
    return status;
}

static int take_in_turn(struct sidecar *w)
{
    if (!is_small_enough(w) || !take_turn(w))
        return EXIT_TROUBLE;
    see_clock(w);
    int status = take(w);
    host_lock_release(&w->lock);
    return status;
}

/* --- the process -------------------------------------------------------------------- */

enum next { GO_ON, LOOK_AGAIN, END };

/* Whoever named it by its name means whatever has that name, now or later. What is wrong
 * from the start will not change by itself, and is better told by ending. */
static enum next miss(struct sidecar *w, enum process_lookup what,
                      const struct hd_error *err)
{
    const struct settings *s = w->settings;
    bool comes_back = what == SIGHT_GONE && s->name != NULL && !w->is_once;
    bool is_told = w->told_missing;
    if (!comes_back && (w->taken == 0 || w->is_once)) {
        print_error(NULL, err);
        return END;
    }
    w->told_missing = true;
    if (what == SIGHT_GONE && !comes_back) {
        begin_message("note", w->process.who);
        fputs(": has exited, stopping\n", stderr);
        return END;
    }
    if (!is_told && !s->quiet) {
        begin_message("note", comes_back ? s->name : w->process.who);
        fputs(comes_back ? ": no such process; waiting for one\n" : ": ", stderr);
        if (!comes_back)
            end_message(err->message);
    }
    return LOOK_AGAIN;
}

static bool is_another(const struct sighted *seen, const struct sighted *before)
{
    return seen->pid != before->pid || strcmp(seen->socket, before->socket) != 0;
}

static void print_next(const struct sidecar *w, const struct sighted *seen)
{
    if (w->settings->quiet)
        return;
    begin_message("note", w->process.who);
    fputs(": has exited; the next is ", stderr);
    put_name(seen->who);
    fputc('\n', stderr);
}

/* From its first snapshot on. What the one before had too much of says nothing of this one.
 */
static void follow_it(struct sidecar *w)
{
    collecting_unfollow(&w->c);
    if (w->settings->snapshot_count != 1)
        collecting_follow(&w->c);
}

static enum next look(struct sidecar *w)
{
    struct hd_error err = {0};
    struct sighted seen = w->process;
    enum process_lookup what = sight(&seen, w->settings, &err);
    if (what != SIGHT_THERE)
        return miss(w, what, &err);
    w->told_missing = false;
    if (w->process.who[0] != '\0' && is_another(&seen, &w->process)) {
        /* Whoever kept the names of types away is connected to the one before. */
        w->c.how.keep_names = false;
        print_next(w, &seen);
        follow_it(w);
    }
    w->process = seen;
    w->seed = seed_of(&seen);
    w->queue.spread = 0.75 + 0.5 * share(w, UINT64_MAX);
    return GO_ON;
}

static void print_begin(const struct sidecar *w, double first)
{
    if ((!w->c.lines && !w->c.progress) || w->is_once)
        return;
    begin_message(NULL, w->process.who);
    fprintf(stderr, ": a snapshot every %.4g s into ", w->interval);
    hd_store_put_url(hd_sink_file(stderr), w->settings->store);
    fprintf(stderr, ", the first in %.0f s\n", first);
}

/* --- for how long ------------------------------------------------------------------- */

static bool is_enough(const struct sidecar *w)
{
    uint32_t wanted = w->settings->snapshot_count;
    return wanted > 0 && w->attempts >= wanted;
}

/* Wait for the process at first, too: a pod starts its containers in any order. */
static enum next wait_for_it(struct sidecar *w)
{
    enum next what;
    double poll = w->interval < POLL_S ? w->interval : POLL_S;
    while ((what = look(w)) == LOOK_AGAIN)
        if (!wait_until(w, seconds_now() + poll))
            return END;
    return what;
}

/* Of a number of snapshots each is wanted; without one the next may do. */
static int round_status(const struct sidecar *w, int before, int result)
{
    bool counts = w->settings->snapshot_count > 0 && result != EXIT_DONE;
    return !counts || before == EXIT_TROUBLE ? before : result;
}

static int rounds(struct sidecar *w)
{
    int status = EXIT_DONE;
    if (wait_for_it(w) == END)
        return w->c.stopped ? EXIT_DONE : EXIT_TROUBLE;
    double due = seconds_now() + until_first(w);
    print_begin(w, until_first(w));
    while (wait_until(w, due) && !is_enough(w)) {
        if (wait_for_it(w) == END)
            return w->is_once && !w->c.stopped ? EXIT_TROUBLE : status;
        double begin = seconds_now();
        w->attempts++;
        int result = take_in_turn(w);
        status = round_status(w, status, result);
        if (w->is_once && result == EXIT_TROUBLE)
            break;
        storing_flush(&w->queue, false);
        due = is_enough(w) ? 0 : begin + until_next(w);
    }
    return w->is_once && w->c.stopped && !is_enough(w) ? EXIT_TROUBLE : status;
}

static bool begin(struct sidecar *w, const struct settings *s)
{
    bool is_away = false;
    w->settings = s;
    bool is_usual = !s->interval_given && !w->is_once;
    w->interval = (double)(is_usual ? USUAL_INTERVAL_MS : s->interval_ms) / 1e3;
    w->own = *s;
    w->own.name = NULL;
    if (!collecting_begin(&w->c, &w->own))
        return false;
    follow_it(w);
    w->c.finishes = true;
    w->c.most_bytes = s->read.max_memory;
    w->lock = (struct host_lock){.path = s->lock, .held = -1};
    w->clock_offset = clock_offset();
    w->queue = storing_begin(s);
    if (storing_probe(&w->queue, &is_away) || (is_away && !w->is_once))
        return true;
    collecting_end(&w->c);
    return false;
}

static int run(struct sidecar *w, const struct settings *s)
{
    if (!begin(w, s))
        return EXIT_TROUBLE;
    int status = rounds(w);
    if (!storing_end(&w->c, &w->queue))
        status = EXIT_TROUBLE;
    collecting_end(&w->c);
    return status;
}

int sidecar_run(const struct settings *s)
{
    struct sidecar w = {.c = {.signals = -1}};
    return run(&w, s);
}

int sidecar_collect(const struct settings *s)
{
    struct sidecar w = {.c = {.signals = -1}, .is_once = true};
    struct settings one = *s;
    one.snapshot_count = s->snapshot_count > 0 ? s->snapshot_count : 1;
    return run(&w, &one);
}
