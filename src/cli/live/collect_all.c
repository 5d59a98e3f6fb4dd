/* collect --all. Each snapshot is taken by a child, so that a heap that is too large, or a
 * process that lies, costs its own snapshot and no other. */
#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/live/children.h"
#include "cli/live/collecting.h"
#include "cli/live/last_resort.h"
#include "cli/terminal/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Most characters of a program's name and of a host's in the name of a file; with pid and
 * suffix that is well below the 255 of file systems. */
enum { MOST_OF_A_NAME = 64, CONTAINER_DIGITS = 12, NAME_SIZE = 256, WHO_SIZE = 160 };

/* What a child tells besides its exit status: a second client keeps the names. */
enum { STATUS_BITS = 15, OTHER_CLIENT = 16 };

/* One of the processes. */
struct item {
    const struct hd_process *process;
    char who[WHO_SIZE];   /* "Shop (pid 4711)" */
    char name[NAME_SIZE]; /* of its file, without suffix, or of its folder */
    bool is_out;          /* it failed, so it is not asked again */
    bool has_folder;      /* a new one, of its own */
    bool keep_names;
    uint32_t taken; /* snapshots */
    pid_t child;    /* that takes one now; 0 */
};

struct all {
    const struct settings *settings;
    struct settings own; /* of each child */
    struct collecting c;
    const char *folder;
    bool is_new;
    struct item *items;
    size_t count;
    size_t running; /* that have a child */
    uint32_t round; /* from 1 */
    int status;
};

/* --- names ------------------------------------------------------------------------- */

/* A program may be called anything. What could leave the folder, hide a file, look like an
 * option or ring a terminal's bell becomes "_". */
static size_t add_safely(char *to, size_t len, const char *from, size_t most)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    for (size_t i = 0; i < most && from[i] != '\0'; i++, len++) {
        to[len] = '_';
        if (strchr(safe, from[i]) != NULL)
            to[len] = from[i];
    }
    if (to[0] == '.' || to[0] == '-')
        to[0] = '_';
    return len;
}

/* "Shop-web1-4711". Pids are different, but where containers that are not visible from here
 * count for themselves: then their place among those of that pid follows. */
static void name_item(struct item *item, unsigned same)
{
    const struct hd_process *p = item->process;
    const char *name = p->name != NULL && p->name[0] != '\0' ? p->name : "dotnet";
    const char *place = p->host != NULL ? p->host : p->container;
    size_t len = add_safely(item->name, 0, name, MOST_OF_A_NAME);
    if (place != NULL) {
        item->name[len++] = '-';
        size_t most = place == p->host ? MOST_OF_A_NAME : CONTAINER_DIGITS;
        len = add_safely(item->name, len, place, most);
    }
    int end = snprintf(item->name + len, NAME_SIZE - len, "-%" PRIu64, p->pid);
    if (same > 0)
        snprintf(item->name + len + end, NAME_SIZE - len - (size_t)end, ".%u", same + 1);
    snprintf(item->who, WHO_SIZE, "%.100s (pid %" PRIu64 ")", name, p->pid);
}

/* Its file in this round, or with round 0 that, or the folder, in which its files are.
 * malloc'd. */
static char *path_of(const struct all *a, const struct item *item, uint32_t round)
{
    const char *target = a->settings->target;
    const char *suffix = a->settings->core != CORE_NONE ? "core"
                         : target != NULL               ? target
                                                        : "gcdump";
    bool is_series = a->settings->snapshot_count > 0;
    size_t len = strlen(a->folder), size = len + NAME_SIZE + 32;
    char *path = more(NULL, size);
    int end = snprintf(path, size, "%s%s%s", a->folder,
                       len > 0 && a->folder[len - 1] == '/' ? "" : "/", item->name);
    if (is_series && round > 0)
        snprintf(path + end, size - (size_t)end, "/%" PRIu32 ".%s", round, suffix);
    else if (!is_series)
        snprintf(path + end, size - (size_t)end, ".%s", suffix);
    return path;
}

/* --- which processes --------------------------------------------------------------- */

/* By pid. What belongs to others is none of ours: that is no failure. One that did not
 * answer is asked all the same: it may by now, and if not, that has to be told. */
static bool choose(struct all *a, const struct hd_processes *processes)
{
    const char *name = a->settings->name;
    unsigned same = 0;
    a->items = zeroed(processes->count + 1, sizeof(*a->items));
    for (size_t i = 0; i < processes->count; i++) {
        const struct hd_process *p = &processes->all[i];
        if (p->is_denied && !a->settings->quiet) {
            begin_message("note", p->name != NULL ? p->name : "dotnet");
            fprintf(stderr, " (pid %" PRIu64 ") skipped: ", p->pid);
            end_message(p->problem);
        }
        if (p->is_denied)
            continue;
        struct item *item = &a->items[a->count];
        item->process = p;
        same = a->count > 0 && item[-1].process->pid == p->pid ? same + 1 : 0;
        name_item(item, same);
        a->count++;
    }
    if (a->count > 0)
        return true;
    fprintf(stderr, "heapdrift: no .NET process to collect from%s",
            name != NULL ? " is called " : "\n");
    if (name != NULL) {
        hd_put_name(hd_sink_file(stderr), name);
        fputs("; see `heapdrift ps`\n", stderr);
    }
    return false;
}

/* --- folders ----------------------------------------------------------------------- */

static bool open_folder(struct all *a)
{
    struct stat st;
    const char *wanted = a->settings->output;
    a->folder = wanted != NULL ? wanted : ".";
    bool is_there = stat(a->folder, &st) == 0;
    if (is_there && S_ISDIR(st.st_mode))
        return true;
    if (is_there)
        return trouble(wanted, "is not a folder; --all writes a file per process");
    if (output_ends_in(a->folder, ".gcdump") || output_ends_in(a->folder, ".nettrace") ||
        output_ends_in(a->folder, ".digest"))
        return trouble(wanted, "--all writes a file per process: name a folder, and choose "
                               "the format with --to");
    a->is_new = mkdir(a->folder, 0777) == 0;
    return a->is_new || trouble(a->folder, strerror(errno));
}

/* Nobody chose these names, so nobody meant to replace what has them; and snapshots that
 * are there would be taken for older ones of this series. */
static void open_places(struct all *a)
{
    bool is_series = a->settings->snapshot_count > 0;
    struct stat st;
    for (size_t i = 0; i < a->count; i++) {
        struct item *item = &a->items[i];
        char *path = path_of(a, item, 0);
        item->has_folder = is_series && mkdir(path, 0777) == 0;
        bool is_there =
            is_series ? !item->has_folder && errno == EEXIST : lstat(path, &st) == 0;
        item->is_out = is_there || (is_series && !item->has_folder);
        if (item->is_out)
            trouble(path,
                    is_there ? "already exists; name another folder" : strerror(errno));
        free(path);
    }
}

/* Of new folders nothing is left where nothing was collected. */
static void close_places(const struct all *a)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!a->items[i].has_folder || a->items[i].taken > 0)
            continue;
        char *path = path_of(a, &a->items[i], 0);
        rmdir(path);
        free(path);
    }
    if (a->is_new)
        rmdir(a->folder);
}

/* --- children ---------------------------------------------------------------------- */

_Noreturn static void be_child(struct all *a, const struct item *item)
{
    static char line[4096];
    struct collecting *c = &a->c;
    child_collects();
    last_resort_begin(c->signals);
    /* Lines of several children at once must not mix. */
    if (a->settings->threads_given && a->settings->threads > 1)
        setvbuf(stderr, line, _IOLBF, sizeof(line));
    c->settings = &a->own;
    c->how.max_memory = a->own.read.max_memory;
    c->who = item->who;
    c->host = item->process->host;
    c->how.socket = item->process->socket;
    c->how.keep_names = item->keep_names;
    int status = collecting_take(c, path_of(a, item, a->round), NULL);
    fflush(NULL);
    _exit(status | (c->collected.other_client ? OTHER_CLIENT : 0));
}

/* What a child that begins anew has to know. Only a name may have anything in it. */
enum { ERRAND_SIZE = 2048 };

static void start(struct all *a, struct item *item)
{
    char errand[ERRAND_SIZE];
    snprintf(errand, sizeof(errand), "%u %" PRIu32 " %s %s %s", (unsigned)item->keep_names,
             a->round, item->name, item->process->socket, item->who);
    fflush(NULL);
    item->child = child_begin(errand);
    if (item->child == 0)
        be_child(a, item);
    item->is_out = item->child < 0;
    if (item->is_out)
        trouble(item->who, strerror(errno));
    a->running += !item->is_out;
}

static void see_end(struct all *a, struct item *item, int how)
{
    int status = EXIT_TROUBLE;
    item->child = 0;
    a->running--;
    if (WIFEXITED(how)) {
        status = WEXITSTATUS(how) & STATUS_BITS;
        item->keep_names = (WEXITSTATUS(how) & OTHER_CLIENT) != 0;
    } else {
        put_message(NULL, item->who, "its collector process was killed (signal %d)%s",
                    WTERMSIG(how),
                    WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    }
    item->is_out = status == EXIT_TROUBLE;
    item->taken += !item->is_out;
    if (status == EXIT_INCONCLUSIVE)
        a->status = status;
}

/* A signal is for the children, too: from a terminal they have it, from kill they do not.
 * It makes no difference to them to get it twice. */
static void wait_for_one(struct all *a)
{
    enum { TICK_MS = 5 };
    a->c.signal = 0;
    bool is_news = collecting_is_stopped(&a->c, TICK_MS) && a->c.signal != 0;
    for (size_t i = 0; i < a->count; i++) {
        struct item *item = &a->items[i];
        int how = 0;
        if (is_news && item->child > 0)
            kill(item->child, a->c.signal);
        if (item->child > 0 && waitpid(item->child, &how, WNOHANG) == item->child)
            see_end(a, item, how);
    }
}

/* --- rounds ------------------------------------------------------------------------ */

/* One snapshot of each, in order. Returns how many go on. */
static size_t take_each(struct all *a)
{
    size_t most = a->settings->threads_given ? a->settings->threads : 1, left = 0;
    a->c.begin = seconds_now();
    for (size_t i = 0; i < a->count && !a->c.stopped; i++) {
        if (a->items[i].is_out)
            continue;
        start(a, &a->items[i]);
        while (a->running >= most)
            wait_for_one(a);
    }
    while (a->running > 0)
        wait_for_one(a);
    for (size_t i = 0; i < a->count; i++)
        left += !a->items[i].is_out;
    return left;
}

/* Where several are at work at once they share the memory, and the line of the progress
 * would be everybody's. */
static bool begin(struct all *a)
{
    const struct settings *s = a->settings;
    if (!open_folder(a) || !collecting_begin(&a->c, s))
        return false;
    a->own = *s;
    if (s->threads_given && s->threads > 1) {
        a->own.read.max_memory /= s->threads;
        a->c.progress = false;
    }
    return true;
}

static int collect(struct all *a)
{
    size_t failed = 0, taken = 0, left = a->count;
    if (!begin(a))
        return EXIT_TROUBLE;
    open_places(a);
    /* Where it is ignored nobody learns how a child ended. */
    signal(SIGCHLD, SIG_DFL);
    for (a->round = 1; left > 0 && !a->c.stopped; a->round++) {
        left = take_each(a);
        if (a->round >= a->settings->snapshot_count || left == 0 || !collecting_wait(&a->c))
            break;
    }
    close_places(a);
    collecting_end(&a->c);
    for (size_t i = 0; i < a->count; i++) {
        failed += a->items[i].is_out;
        taken += a->items[i].taken > 0;
    }
    if (a->c.stopped)
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
    else if (failed > 0 && a->count > 1)
        fprintf(stderr, "heapdrift: %zu of %zu processes failed; %zu have snapshots\n",
                failed, a->count, taken);
    return a->c.stopped || failed > 0 ? EXIT_TROUBLE : a->status;
}

/* A child that began anew: one snapshot of one process. */
static int collect_for_parent(struct all *a, const char *errand)
{
    struct item item = {.has_folder = false};
    char socket[ERRAND_SIZE];
    const struct hd_process process = {.socket = socket};
    unsigned keep_names;
    int end = 0;
    bool ok = sscanf(errand, "%u %" SCNu32 " %255s %2047s %n", &keep_names, &a->round,
                     item.name, socket, &end) == 4 &&
              end > 0;
    if (!ok || !begin(a))
        return EXIT_TROUBLE;
    snprintf(item.who, WHO_SIZE, "%s", errand + end);
    item.process = &process;
    item.keep_names = keep_names != 0;
    be_child(a, &item);
}

int collect_all(const struct settings *s)
{
    struct all a = {.settings = s, .c = {.signals = -1}, .status = EXIT_DONE};
    struct hd_processes processes;
    if (child_errand() != NULL)
        return collect_for_parent(&a, child_errand());
    if (!collecting_find(&processes, s->name))
        return EXIT_TROUBLE;
    int status = choose(&a, &processes) ? collect(&a) : EXIT_TROUBLE;
    free(a.items);
    hd_processes_free(&processes);
    return status;
}
