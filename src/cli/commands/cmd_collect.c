#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/live/children.h"
#include "cli/live/collect_writers.h"
#include "cli/live/collecting.h"
#include "cli/live/processes.h"
#include "cli/live/requested.h"
#include "cli/live/sidecar.h"
#include "cli/options/options.h"
#include "cli/options/settings.h"
#include "cli/terminal/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- of every process --------------------------------------------------------
 *
 * A snapshot, or a series, of every process that gives one.
 *
 * Each snapshot is taken by a child, so that a heap that is too large, or a process that
 * lies, costs its own snapshot and no other. */

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
    struct item *at_work[MOST_THREADS]; /* those that have a child */
    size_t running;
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

/* In the folder, malloc'd. */
static char *path_of(const struct all *a, const char *name, const char *rest)
{
    size_t size = strlen(a->folder) + strlen(name) + strlen(rest) + 2, len;
    char *path = more(NULL, size);
    len = strlen(a->folder);
    bool slash = len > 0 && a->folder[len - 1] == '/';
    snprintf(path, size, "%s%s%s%s", a->folder, slash ? "" : "/", name, rest);
    return path;
}

static const char *suffix_of(const struct all *a)
{
    const char *target = a->settings->target;
    if (a->settings->core != CORE_NONE)
        return ".core";
    if (target != NULL && strcmp(target, "nettrace") == 0)
        return ".nettrace";
    return target != NULL && strcmp(target, "digest") == 0 ? ".digest" : ".gcdump";
}

static char *path_of_snapshot(const struct all *a, const struct item *item)
{
    char rest[32];
    if (a->settings->snapshot_count == 0)
        return path_of(a, item->name, suffix_of(a));
    snprintf(rest, sizeof(rest), "/%" PRIu32 "%s", a->round, suffix_of(a));
    return path_of(a, item->name, rest);
}

/* --- which processes --------------------------------------------------------------- */

/* What belongs to others is none of ours: that is no failure. */
static bool is_ours(const struct all *a, const struct hd_process *p)
{
    if (p->is_denied && !a->settings->quiet) {
        begin_message("note", p->name != NULL ? p->name : "dotnet");
        fprintf(stderr, " (pid %" PRIu64 ") skipped: ", p->pid);
        end_message(p->problem);
    }
    return !p->is_denied;
}

/* By pid. One that did not answer is asked all the same: it may by now, and if not, that
 * has to be told. */
static void choose(struct all *a, const struct hd_processes *processes)
{
    unsigned same = 0;
    a->items = zeroed(processes->count + 1, sizeof(*a->items));
    for (size_t i = 0; i < processes->count; i++) {
        const struct hd_process *p = &processes->all[i];
        if (!is_ours(a, p))
            continue;
        struct item *item = &a->items[a->count];
        item->process = p;
        same = a->count > 0 && item[-1].process->pid == p->pid ? same + 1 : 0;
        name_item(item, same);
        a->count++;
    }
}

static bool none(const struct settings *s)
{
    static const char hint[] = "; see `heapdrift ps`\n";
    fputs("heapdrift: no .NET process ", stderr);
    if (s->name != NULL) {
        fputs("to collect from is called ", stderr);
        hd_put_name(hd_sink_file(stderr), s->name);
        fputs(hint, stderr);
    } else {
        fputs("to collect from\n", stderr);
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

/* Snapshots that are there would be taken for older ones of this series. */
static bool open_own_folder(struct item *item, const char *path)
{
    item->has_folder = mkdir(path, 0777) == 0;
    return item->has_folder ||
           trouble(path, errno == EEXIST ? "already exists; name another folder"
                                         : strerror(errno));
}

/* Nobody chose these names, so nobody meant to replace what has them. */
static bool has_room(const char *path)
{
    struct stat st;
    return lstat(path, &st) != 0 || trouble(path, "already exists; name another folder");
}

static void open_places(struct all *a)
{
    bool series = a->settings->snapshot_count > 0;
    for (size_t i = 0; i < a->count; i++) {
        struct item *item = &a->items[i];
        char *path = path_of(a, item->name, series ? "" : suffix_of(a));
        item->is_out = !(series ? open_own_folder(item, path) : has_room(path));
        free(path);
    }
}

/* Of new folders nothing is left where nothing was collected. */
static void close_places(const struct all *a)
{
    for (size_t i = 0; i < a->count; i++) {
        if (!a->items[i].has_folder || a->items[i].taken > 0)
            continue;
        char *path = path_of(a, a->items[i].name, "");
        rmdir(path);
        free(path);
    }
    if (a->is_new)
        rmdir(a->folder);
}

/* --- children ---------------------------------------------------------------------- */

/* Lines of several children at once must not mix. */
static void speak_in_lines(void)
{
    static char line[4096];
    setvbuf(stderr, line, _IOLBF, sizeof(line));
}

_Noreturn static void be_child(struct all *a, const struct item *item)
{
    struct collecting *c = &a->c;
    if (a->settings->threads_given && a->settings->threads > 1)
        speak_in_lines();
    c->settings = &a->own;
    c->who = item->who;
    c->how.socket = item->process->socket;
    c->how.keep_names = item->keep_names;
    int status = collecting_take(c, path_of_snapshot(a, item));
    fflush(NULL);
    _exit(status | (c->collected.other_client ? OTHER_CLIENT : 0));
}

/* What a child that begins anew has to know. Only a name may have anything in it. */
enum { ERRAND_SIZE = 2048 };

static void write_errand(const struct all *a, const struct item *item,
                         char errand[ERRAND_SIZE])
{
    snprintf(errand, ERRAND_SIZE, "%u %" PRIu32 " %s %s %s", (unsigned)item->keep_names,
             a->round, item->name, item->process->socket, item->who);
}

static void start(struct all *a, struct item *item)
{
    char errand[ERRAND_SIZE];
    write_errand(a, item, errand);
    fflush(NULL);
    item->child = child_begin(errand);
    if (item->child == 0)
        be_child(a, item);
    if (item->child > 0) {
        a->at_work[a->running++] = item;
        return;
    }
    item->child = 0;
    item->is_out = true;
    trouble(item->who, strerror(errno));
}

static void see_end(struct all *a, struct item *item, int how)
{
    int status = EXIT_TROUBLE;
    item->child = 0;
    if (WIFEXITED(how)) {
        status = WEXITSTATUS(how) & STATUS_BITS;
        item->keep_names = (WEXITSTATUS(how) & OTHER_CLIENT) != 0;
    } else {
        begin_message(NULL, item->who);
        fprintf(stderr, ": its collector process was killed (signal %d)%s\n", WTERMSIG(how),
                WTERMSIG(how) == SIGKILL ? ": possibly out of memory" : "");
    }
    item->is_out = status == EXIT_TROUBLE;
    item->taken += !item->is_out;
    if (status == EXIT_INCONCLUSIVE)
        a->status = status;
}

static void reap(struct all *a)
{
    size_t still = 0;
    for (size_t i = 0; i < a->running; i++) {
        struct item *item = a->at_work[i];
        int how = 0;
        if (waitpid(item->child, &how, WNOHANG) == item->child)
            see_end(a, item, how);
        else
            a->at_work[still++] = item;
    }
    a->running = still;
}

static void pass_on(const struct all *a, int number)
{
    for (size_t i = 0; i < a->running; i++)
        kill(a->at_work[i]->child, number);
}

/* A signal is for the children, too: from a terminal they have it, from kill they do not.
 * It makes no difference to them to get it twice. */
static void wait_for_one(struct all *a)
{
    enum { TICK_MS = 5 };
    a->c.signal = 0;
    if (collecting_is_stopped(&a->c, TICK_MS) && a->c.signal != 0)
        pass_on(a, a->c.signal);
    reap(a);
}

/* --- rounds ------------------------------------------------------------------------ */

/* One snapshot of each, in order. */
static void take_each(struct all *a)
{
    const struct settings *s = a->settings;
    size_t most = s->threads_given ? s->threads : 1;
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
}

static bool has_any(const struct all *a)
{
    for (size_t i = 0; i < a->count; i++)
        if (!a->items[i].is_out)
            return true;
    return false;
}

static void take_series(struct all *a)
{
    uint32_t wanted = a->settings->snapshot_count;
    for (a->round = 1; has_any(a) && !a->c.stopped; a->round++) {
        take_each(a);
        if (a->round >= wanted || !has_any(a) || !collecting_wait(&a->c))
            break;
    }
}

static int result(const struct all *a)
{
    size_t failed = 0, taken = 0;
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

/* Where several are at work at once they share the memory, and the line of the progress
 * would be everybody's. */
static void share(struct all *a)
{
    const struct settings *s = a->settings;
    a->own = *s;
    if (!s->threads_given || s->threads < 2)
        return;
    a->own.read.max_memory /= s->threads;
    a->c.progress = false;
}

static int collect(struct all *a)
{
    if (!open_folder(a) || !collecting_begin(&a->c, a->settings))
        return EXIT_TROUBLE;
    share(a);
    open_places(a);
    /* Where it is ignored nobody learns how a child ended. */
    signal(SIGCHLD, SIG_DFL);
    take_series(a);
    close_places(a);
    collecting_end(&a->c);
    return result(a);
}

/* A child that began anew: one snapshot of one process. */
static int collect_for_parent(const struct settings *s, const char *errand)
{
    struct all a = {.settings = s, .c = {.signals = -1}};
    struct item item = {.has_folder = false};
    char socket[ERRAND_SIZE];
    unsigned keep_names;
    int end = 0;
    bool ok = sscanf(errand, "%u %" SCNu32 " %255s %2047s %n", &keep_names, &a.round,
                     item.name, socket, &end) == 4 &&
              end > 0;
    if (!ok || !open_folder(&a) || !collecting_begin(&a.c, s))
        return EXIT_TROUBLE;
    const struct hd_process process = {.socket = socket};
    snprintf(item.who, WHO_SIZE, "%s", errand + end);
    item.process = &process;
    item.keep_names = keep_names != 0;
    share(&a);
    be_child(&a, &item);
}

/* An exit status: EXIT_TROUBLE if a process failed, whatever became of the others. */
static int collect_all(const struct settings *s)
{
    struct all a = {.settings = s, .c = {.signals = -1}, .status = EXIT_DONE};
    struct hd_processes processes;
    if (!processes_find(&processes))
        return EXIT_TROUBLE;
    processes_keep(&processes, s->name);
    choose(&a, &processes);
    int status = a.count > 0 || none(s) ? collect(&a) : EXIT_TROUBLE;
    free(a.items);
    hd_processes_free(&processes);
    return status;
}

/* --- what was asked for ---------------------------------------------------------- */

static const char no_trace[] =
    "--direct reads memory and has no trace: write a .gcdump or .core";

static bool check_for_all(struct settings *s)
{
    if (s->store != NULL)
        return refuse("--all writes files, to be stored with `heapdrift record`; --store "
                      "takes one process");
    if (s->operand_count > 0)
        return refuse(
            "collect --all takes no operands; select processes with --name=PATTERN");
    if (s->process_id > 0 || s->socket != NULL)
        return refuse("--all cannot be combined with --process-id or --diagnostic-port; "
                      "select processes with --name=PATTERN");
    if (s->core != CORE_NONE && s->target != NULL && strcmp(s->target, "core") != 0)
        return refuse("--core writes a core dump, --to another format");
    if (s->core == CORE_NONE && s->target != NULL && strcmp(s->target, "core") == 0)
        s->core = CORE_HEAP;
    if (s->direct && s->target != NULL && strcmp(s->target, "nettrace") == 0)
        return refuse(no_trace);
    if (s->on_enter || s->no_keep)
        return refuse("--on-enter and --no-keep are about one process, --all is not");
    return !s->interval_given || s->snapshot_count > 0 ||
           refuse("--interval needs --count");
}

/* What is to be written, by the name of the file and by options. */
static bool check_output(const struct settings *s)
{
    bool is_trace = output_ends_in(s->output, ".nettrace");
    bool is_snapshot = is_trace || output_ends_in(s->output, ".gcdump") ||
                       output_ends_in(s->output, ".digest");
    if (s->core != CORE_NONE && is_snapshot)
        return trouble(s->output,
                       "--core writes a core dump: choose a name that ends in .core");
    if (!is_snapshot && !collect_writes_core(s, s->output))
        return trouble(s->output, "the name must end in .gcdump, .digest (a digest), "
                                  ".nettrace (the raw trace) or .core (a core dump)");
    return !s->direct || !is_trace || refuse(no_trace);
}

/* A digest and nothing else. */
static bool check_store(const struct settings *s)
{
    if (s->on_enter || s->no_keep)
        return refuse("--on-enter and --no-keep are about files, --store has none");
    if (s->output != NULL)
        return refuse("write to a file (-o) or to a store (--store), not both");
    if (s->core != CORE_NONE || s->target != NULL)
        return refuse("a store holds digests, not core dumps or traces");
    return !s->interval_given || s->snapshot_count > 0 ||
           refuse("--interval needs --count");
}

static bool check(struct settings *s)
{
    if (s->store == NULL && s->is_for_a_store)
        return refuse("--max-heap, --lock, --keep and the names of a run need --store");
    if (s->direct && s->core == CORE_FULL)
        return refuse("--direct copies the heap only; --core=full needs the runtime");
    if (!collect_can_retry(s))
        return false;
    if (s->all)
        return check_for_all(s);
    if (!collecting_process_is_named(s, "collect"))
        return false;
    if (s->store != NULL)
        return check_store(s);
    if (s->target != NULL)
        return refuse("--to needs --all; without it, the suffix of OUT decides the format");
    if (s->no_keep && !s->on_enter)
        return refuse("--no-keep deletes the snapshots when --on-enter ends");
    if (s->no_keep && s->output != NULL)
        return refuse("-o keeps the snapshots, --no-keep does not");
    if (s->on_enter && s->interval_given)
        return refuse("--on-enter waits for a person, --interval for a clock: choose one");
    if (s->no_keep)
        return true;
    if (s->output == NULL)
        return refuse("collect needs an output file: heapdrift collect PID -o OUT");
    if (!check_output(s))
        return false;
    if (s->interval_given && s->snapshot_count == 0)
        return refuse("--interval needs --count");
    return true;
}

static int collect_series(struct collecting *c)
{
    const struct settings *s = c->settings;
    int status = EXIT_DONE;
    if (s->snapshot_count > 1)
        collecting_follow(c);
    for (uint32_t i = 1; i <= s->snapshot_count; i++) {
        char *name = output_numbered(s->output, i);
        int result = name != NULL ? collecting_take(c, name) : EXIT_TROUBLE;
        free(name);
        if (result == EXIT_TROUBLE)
            return result;
        status = result != EXIT_DONE ? result : status;
        if (i == s->snapshot_count || collecting_wait(c))
            continue;
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
        return EXIT_TROUBLE;
    }
    return status;
}

static int run(struct settings *s)
{
    struct collecting c = {.signals = -1};
    if (!check(s))
        return EXIT_TROUBLE;
    if (s->all)
        return child_errand() == NULL ? collect_all(s)
                                      : collect_for_parent(s, child_errand());
    if (s->store != NULL)
        return sidecar_collect(s);
    if (!collecting_begin(&c, s))
        return EXIT_TROUBLE;
    int status = s->on_enter             ? requested_collect(&c)
                 : s->snapshot_count > 0 ? collect_series(&c)
                                         : collecting_take(&c, s->output);
    collecting_end(&c);
    return status;
}

static const struct option options[] = {
    {"all", 'a', GROUP_PROCESS, ON_COLLECT, FLAG(all),
     .help = "all .NET processes, or those that match --name"},
    {"core", 0, GROUP_PROCESS, ON_COLLECT, CHOICE(core, CORE_HEAP, "heap", "full"),
     .argument = "[=KIND]", .help = "have the runtime write a core dump"},
    {"count", 0, GROUP_PROCESS, ON_COLLECT, COUNT(snapshot_count, 1, MOST_COLLECTED),
     .help = "number of snapshots: app-1.gcdump, app-2.gcdump, ..."},
    {"to", 0, GROUP_OUTPUT, ON_COLLECT, TEXT(WORD, target),
     .words = WORDS("gcdump", "digest", "nettrace", "core"),
     .help = "format with --all: gcdump (default), digest, nettrace or core"},
    {"output", 'o', GROUP_OUTPUT, ON_COLLECT, TEXT(SNAPSHOT, output),
     .help = "output file; with --all a folder, default: this one"},
    {"threads", 'j', GROUP_GENERAL, ON_COLLECT, COUNT(threads, 1, MOST_THREADS),
     GIVEN(threads_given), .help = "with --all: processes at the same time; default 1"},
    {0}};

const struct command cmd_collect = {
    .name = "collect",
    .bit = ON_COLLECT,
    .purpose = FOR_PROCESSES,
    .operands = "PID|NAME -o OUT",
    .summary = "take snapshots of a process",
    .description =
        "Ask a process for its heap, over the diagnostics socket that every .NET runtime\n"
        "opens. OUT is a .gcdump, a .digest, or a .nettrace (the raw trace, with "
        "generations).\n"
        "Each snapshot is preceded by a full, blocking garbage collection in the process.\n"
        "With --all, OUT is a folder, with a file for every process, taken one after "
        "another.",
    .examples =
        {
            {"heapdrift collect 4711 -o app.gcdump", "one snapshot of process 4711"},
            {"heapdrift collect MyApp -o app.gcdump", "of the process with that name"},
            {"heapdrift collect 4711 -o app.gcdump --count=4 --interval=5m",
             "a series: app-1.gcdump, ..."},
            {"heapdrift collect --all -o leak/ --count=4", "a series of each process"},
            {"heapdrift collect 4711 -o app.gcdump --on-enter",
             "one each time Enter is pressed"},
            {"heapdrift collect MyApp --store=heapdrift.db", "store a digest of it"},
        },
    .options = options,
    .run = run,
};
