/* Takes snapshots of processes into files. Must not depend on their use. */
#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/guard/temporary.h"
#include "cli/options/houses.h"
#include "cli/options/options.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/exit_hook.h"
#include "collect/live/children.h"
#include "collect/live/collector.h"
#include "collect/live/last_resort.h"
#include "collect/live/run_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- what was asked for ---------------------------------------------------------- */

static const char no_trace[] =
    "--direct reads memory and has no trace: write a .gcdump or .core";

static bool check_for_all(struct settings *s)
{
    struct collect_options *o = s->own;
    bool is_core = o->target != NULL && strcmp(o->target, "core") == 0;
    if (s->store != NULL)
        return refuse("--all cannot be combined with --store; write files, and store them "
                      "with `heapdrift record`");
    if (s->operand_count > 0)
        return refuse(
            "collect --all takes no operands; select processes with --name=PATTERN");
    if (o->process_id > 0 || o->socket != NULL)
        return refuse("--all cannot be combined with --process-id or --diagnostic-port; "
                      "select processes with --name=PATTERN");
    if (o->core != CORE_NONE && o->target != NULL && !is_core)
        return refuse("--core writes a core dump: it cannot be combined with --to");
    if (o->core == CORE_NONE && is_core)
        o->core = CORE_HEAP;
    if (o->direct && o->target != NULL && strcmp(o->target, "nettrace") == 0)
        return refuse(no_trace);
    return (!o->on_enter && !o->no_keep) ||
           refuse("--all cannot be combined with --on-enter or --no-keep");
}

/* Checks the format, from the name of the file and options. */
static bool check_files(const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (o->target != NULL)
        return refuse("--to needs --all; without it, the suffix of OUT decides the format");
    if (o->no_keep && !o->on_enter)
        return refuse("--no-keep deletes the snapshots when --on-enter ends");
    if (!collector_modes_fit(s))
        return false;
    if (o->no_keep)
        return true;
    if (s->output == NULL)
        return refuse("collect needs an output file: heapdrift collect PID -o OUT");
    bool is_trace = output_ends_in(s->output, ".nettrace");
    bool is_snapshot = is_trace || output_ends_in(s->output, ".gcdump") ||
                       output_ends_in(s->output, ".digest");
    if (o->core != CORE_NONE && is_snapshot)
        return trouble(s->output,
                       "--core writes a core dump: choose a name that ends in .core");
    if (!is_snapshot && !collect_writes_core(s, s->output))
        return trouble(s->output, "the name must end in .gcdump, .digest (a digest), "
                                  ".nettrace (the raw trace) or .core (a core dump)");
    return !o->direct || !is_trace || refuse(no_trace);
}

/* Checks options for a store, which takes only digests. */
static bool check_store(const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (o->on_enter || o->no_keep)
        return refuse(
            "--store writes no files: it cannot be combined with --on-enter or --no-keep");
    if (s->output != NULL)
        return refuse("write to a file (-o) or to a store (--store), not both");
    return (o->core == CORE_NONE && o->target == NULL) ||
           refuse("a store holds digests, not core dumps or traces");
}

static bool collect_check(struct settings *s)
{
    const struct collect_options *o = s->own;
    if (s->store == NULL && s->is_for_a_store)
        return refuse("--max-heap, --lock, --keep and the names of a run need --store");
    if (o->direct && o->core == CORE_FULL)
        return refuse("--direct copies the heap only; --core=full needs the runtime");
    if (!collect_can_retry(s) || (!o->all && !collector_process_is_named(s, "collect")))
        return false;
    bool ok = o->all             ? check_for_all(s)
              : s->store != NULL ? check_store(s)
                                 : check_files(s);
    return ok && (!o->interval_given || o->snapshot_count > 0 ||
                  refuse("--interval requires --count"));
}

/* --- snapshots on request -------------------------------------------------------- */

enum { FOLDER_SIZE = 1024, PATH_SIZE = FOLDER_SIZE + 32 };

struct requested {
    struct collector *collector;
    char folder[FOLDER_SIZE]; /* "": the files stay, by the name of -o */
    uint32_t count;           /* of snapshots, including failed ones */
    bool failed;
};

/* --- the files ------------------------------------------------------------------------ */

static void name_file(const struct requested *r, uint32_t number, const char *suffix,
                      char *path, size_t size)
{
    if (r->folder[0] != '\0') {
        snprintf(path, size, "%s/%u%s", r->folder, number, suffix);
        return;
    }
    char *numbered = output_numbered(r->collector->settings->output, number);
    snprintf(path, size, "%s", numbered != NULL ? numbered : "");
    free(numbered);
}

/* The caller may have deleted files or added cores. Unlinks by known names: readdir() is
 * not async-signal-safe. */
static void remove_files(const struct requested *r)
{
    char path[PATH_SIZE];
    if (r->folder[0] == '\0')
        return;
    for (uint32_t i = 1; i <= r->count; i++) {
        name_file(r, i, ".gcdump", path, sizeof(path));
        unlink(path);
        name_file(r, i, ".core", path, sizeof(path));
        unlink(path);
    }
    rmdir(r->folder);
}

/* For the exit hook, which does not return. */
static struct requested *at_work;

static void remove_at_once(void)
{
    temporary_remove();
    remove_files(at_work);
}

/* --- the series ----------------------------------------------------------------------- */

static void print_prompt(const struct requested *r)
{
    if (r->collector->progress)
        fprintf(stderr, "\r\033[Kcollecting: Enter takes snapshot %u, Ctrl-D ends",
                r->count + 1);
}

static int collect_requested(struct requested *r)
{
    char path[PATH_SIZE];
    struct collector *c = r->collector;
    uint32_t most = c->options->snapshot_count;
    collector_follow(c);
    for (print_prompt(r); collector_wait(c); print_prompt(r)) {
        name_file(r, ++r->count, ".gcdump", path, sizeof(path));
        c->how.is_last = most > 0 && r->count == most;
        bool taken = collector_take(c, path, NULL) != EXIT_TROUBLE;
        r->failed = r->failed || !taken;
        printf("%s\n", taken ? path : "");
        fflush(stdout);
        if (c->stopped || ferror(stdout) != 0 || (most > 0 && r->count == most))
            break;
    }
    collector_unfollow(c);
    if (c->progress)
        fputs("\r\033[K", stderr);
    if (c->stopped && r->folder[0] == '\0')
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
    if (r->count == 0 && !c->stopped)
        refuse("standard input ended before a snapshot was asked for");
    return r->failed || c->stopped || r->count == 0 ? EXIT_TROUBLE : EXIT_DONE;
}

/* --on-enter: a series with a snapshot for each line of standard input. For people who
 * press Enter, and for programs that examine their own heap: each line is answered by one
 * on standard output, the name of the finished file, or an empty one after an error on
 * standard error.
 *
 * Ends with standard input, a signal, or --count. With --no-keep the files are in a
 * separate folder, which is removed at the end, also if the caller is killed with all of
 * its process group. Returns an exit status: EXIT_TROUBLE if a snapshot failed, after a
 * signal, or without snapshots. */
static int collect_on_request(struct collector *c)
{
    struct requested r = {.collector = c};
    bool is_temporary = c->options->no_keep;
    int status = EXIT_TROUBLE;
    /* The caller may have ended before the answer; the files must still be removed. */
    signal(SIGPIPE, SIG_IGN);
    at_work = &r;
    exit_hook_before(remove_at_once);
    temporary_listen();
    /* Without a terminal, leave the caller's process group: if that is killed, this process
     * sees the end of standard input, and cleans up. */
    if (is_temporary && !isatty(STDIN_FILENO))
        setsid();
    if (!is_temporary || run_folder_make_temporary(r.folder, sizeof(r.folder))) {
        status = collect_requested(&r);
    } else {
        r.folder[0] = '\0';
        refuse("no folder for the snapshots: cannot write to $TMPDIR, /tmp or /dev/shm");
    }
    exit_hook_before(NULL);
    remove_files(&r);
    return status;
}

/* --- of every process ------------------------------------------------------------ */

/* Each snapshot is taken by a child, so that a heap that is too large, or a malicious
 * process, costs only its own snapshot. */

/* Maximum lengths of the names of program and host in the name of a file; with pid and
 * suffix that is well below the 255 of file systems. */
enum { MAX_OF_A_NAME = 64, CONTAINER_DIGITS = 12, NAME_SIZE = 256, WHO_SIZE = 160 };

/* Sent by a child in addition to its exit status: a second client prevents the names. */
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
    struct settings *settings;
    const struct collect_options *options;
    struct collector c;
    const char *folder;
    bool is_new;
    struct item *items;
    size_t count;
    size_t running; /* that have a child */
    uint32_t round; /* from 1 */
    int status;
};

/* --- names ------------------------------------------------------------------------- */

/* Names of programs are untrusted. Characters that could leave the folder, hide a file,
 * look like an option or ring the bell become "_". */
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

/* Formats "Shop-web1-4711". Pids are distinct except in invisible containers: then an index
 * among equal pids is appended. */
static void name_item(struct item *item, unsigned same)
{
    const struct hd_process *p = item->process;
    const char *name = p->name != NULL && p->name[0] != '\0' ? p->name : "dotnet";
    const char *place = p->host != NULL ? p->host : p->container;
    size_t len = add_safely(item->name, 0, name, MAX_OF_A_NAME);
    if (place != NULL) {
        item->name[len++] = '-';
        size_t most = place == p->host ? MAX_OF_A_NAME : CONTAINER_DIGITS;
        len = add_safely(item->name, len, place, most);
    }
    int end = snprintf(item->name + len, NAME_SIZE - len, "-%" PRIu64, p->pid);
    if (same > 0)
        snprintf(item->name + len + end, NAME_SIZE - len - (size_t)end, ".%u", same + 1);
    snprintf(item->who, WHO_SIZE, "%.100s (pid %" PRIu64 ")", name, p->pid);
}

/* Its file in this round, or with round 0 that, or the folder, in which its files are.
 * malloc'd. */
static char *collect_path_of(const struct all *a, const struct item *item, uint32_t round)
{
    const char *target = a->options->target;
    const char *suffix = a->options->core != CORE_NONE ? "core"
                         : target != NULL              ? target
                                                       : "gcdump";
    bool is_series = a->options->snapshot_count > 0;
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

/* Selects processes, by pid. Skips other users' processes; not a failure. Tries those that
 * did not answer: they may now, and otherwise the failure has to be reported. */
static bool collect_choose(struct all *a, const struct hd_processes *processes)
{
    const char *name = a->options->name;
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
    return name != NULL ? put_message(NULL, NULL,
                                      "no .NET process is called %s; see "
                                      "`heapdrift ps`",
                                      name)
                        : refuse("no .NET process to collect from");
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

/* The names are automatic, so existing files must not be replaced; and existing snapshots
 * would be taken for earlier ones of this series. */
static void open_places(struct all *a)
{
    bool is_series = a->options->snapshot_count > 0;
    struct stat st;
    for (size_t i = 0; i < a->count; i++) {
        struct item *item = &a->items[i];
        char *path = collect_path_of(a, item, 0);
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

/* --- children ---------------------------------------------------------------------- */

_Noreturn static void be_child(struct all *a, const struct item *item)
{
    static char line[4096];
    struct collector *c = &a->c;
    child_collects();
    last_resort_begin(c->signals);
    /* Lines of concurrent children must not mix. */
    if (a->options->threads_given && a->settings->threads > 1)
        setvbuf(stderr, line, _IOLBF, sizeof(line));
    c->who = item->who;
    c->host = item->process->host;
    c->how.socket = item->process->socket;
    c->how.keep_names = item->keep_names;
    int status = collector_take(c, collect_path_of(a, item, a->round), NULL);
    fflush(NULL);
    _exit(status | (c->collected.other_client ? OTHER_CLIENT : 0));
}

/* Parameters of a child that is executed again. Only the name may have any characters. */
enum { TASK_SIZE = 2048 };

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
    bool is_news = collector_is_stopped(&a->c, TICK_MS) && a->c.signal != 0;
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

/* Takes one snapshot of each process, in order. Returns the number of remaining
 * processes. */
static size_t take_each(struct all *a)
{
    size_t most = a->options->threads_given ? a->settings->threads : 1, left = 0;
    char task[TASK_SIZE];
    a->c.begin = seconds_now();
    for (size_t i = 0; i < a->count && !a->c.stopped; i++) {
        struct item *item = &a->items[i];
        if (item->is_out)
            continue;
        snprintf(task, sizeof(task), "%u %" PRIu32 " %s %s %s", (unsigned)item->keep_names,
                 a->round, item->name, item->process->socket, item->who);
        fflush(NULL);
        item->child = child_begin(task);
        if (item->child == 0)
            be_child(a, item);
        item->is_out = item->child < 0;
        if (item->is_out)
            trouble(item->who, strerror(errno));
        a->running += !item->is_out;
        while (a->running >= most)
            wait_for_one(a);
    }
    while (a->running > 0)
        wait_for_one(a);
    for (size_t i = 0; i < a->count; i++)
        left += !a->items[i].is_out;
    return left;
}

/* Concurrent children share the memory, and have no progress line. */
static bool collect_begin(struct all *a)
{
    bool are_several = a->options->threads_given && a->settings->threads > 1;
    if (are_several)
        a->settings->read.max_memory /= a->settings->threads;
    if (!open_folder(a) || !collector_begin(&a->c, a->settings))
        return false;
    a->c.progress &= !are_several;
    return true;
}

static int collect_each(struct all *a)
{
    size_t failed = 0, taken = 0, left = a->count;
    if (!collect_begin(a))
        return EXIT_TROUBLE;
    open_places(a);
    /* If SIGCHLD is ignored, exit statuses are lost. */
    signal(SIGCHLD, SIG_DFL);
    for (a->round = 1; left > 0 && !a->c.stopped; a->round++) {
        left = take_each(a);
        if (a->round >= a->options->snapshot_count || left == 0 || !collector_wait(&a->c))
            break;
    }
    for (size_t i = 0; i < a->count; i++) {
        const struct item *item = &a->items[i];
        failed += item->is_out;
        taken += item->taken > 0;
        /* Remove new folders without snapshots. */
        char *path = collect_path_of(a, item, 0);
        if (item->has_folder && item->taken == 0)
            rmdir(path);
        free(path);
    }
    if (a->is_new)
        rmdir(a->folder);
    collector_end(&a->c);
    if (a->c.stopped)
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
    else if (failed > 0 && a->count > 1)
        fprintf(stderr, "heapdrift: %zu of %zu processes failed; %zu have snapshots\n",
                failed, a->count, taken);
    return a->c.stopped || failed > 0 ? EXIT_TROUBLE : a->status;
}

/* In a child that was executed again: takes one snapshot of a process. */
static int collect_for_parent(struct all *a, const char *task)
{
    struct item item = {.has_folder = false};
    char socket[TASK_SIZE];
    const struct hd_process process = {.socket = socket};
    unsigned keep_names;
    int end = 0;
    bool ok = sscanf(task, "%u %" SCNu32 " %255s %2047s %n", &keep_names, &a->round,
                     item.name, socket, &end) == 4 &&
              end > 0;
    if (!ok || !collect_begin(a))
        return EXIT_TROUBLE;
    snprintf(item.who, WHO_SIZE, "%s", task + end);
    item.process = &process;
    item.keep_names = keep_names != 0;
    be_child(a, &item);
}

static int collect_all(struct settings *s)
{
    const struct collect_options *o = s->own;
    struct all a = {
        .settings = s, .options = s->own, .c = {.signals = -1}, .status = EXIT_DONE};
    struct hd_processes processes;
    if (child_task() != NULL)
        return collect_for_parent(&a, child_task());
    if (!collector_find(&processes, o->name))
        return EXIT_TROUBLE;
    int status = collect_choose(&a, &processes) ? collect_each(&a) : EXIT_TROUBLE;
    free(a.items);
    hd_processes_free(&processes);
    return status;
}

/* --- the command --------------------------------------------------------------- */

static int collect_series(struct collector *c)
{
    const struct settings *s = c->settings;
    const struct collect_options *o = c->options;
    int status = EXIT_DONE;
    if (o->snapshot_count > 1)
        collector_follow(c);
    for (uint32_t i = 1; i <= o->snapshot_count; i++) {
        char *name = output_numbered(s->output, i);
        c->how.is_last = i == o->snapshot_count;
        int result = name != NULL ? collector_take(c, name, NULL) : EXIT_TROUBLE;
        free(name);
        if (result == EXIT_TROUBLE)
            return result;
        status = result != EXIT_DONE ? result : status;
        if (i == o->snapshot_count || collector_wait(c))
            continue;
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
        return EXIT_TROUBLE;
    }
    return status;
}

static int collect_run(struct settings *s)
{
    const struct collect_options *o = s->own;
    struct collector c = {.signals = -1};
    if (!collect_check(s))
        return EXIT_TROUBLE;
    if (o->all)
        return collect_all(s);
    if (s->store != NULL)
        return sidecar_run(s, true);
    if (!collector_begin(&c, s))
        return EXIT_TROUBLE;
    int status = o->on_enter             ? collect_on_request(&c)
                 : o->snapshot_count > 0 ? collect_series(&c)
                                         : collector_take(&c, s->output, NULL);
    collector_end(&c);
    return status;
}

OPTIONS_OF(struct collect_options);

static const struct option options[] = {
    {"all", 'a', GROUP_PROCESS, ON_COLLECT, FLAG(own.all),
     .help = "all .NET processes, or those that match --name"},
    {"core", 0, GROUP_PROCESS, ON_COLLECT, CHOICE(own.core, CORE_HEAP, "heap", "full"),
     .argument = "[=KIND]", .help = "have the runtime write a core dump"},
    {"count", 0, GROUP_PROCESS, ON_COLLECT, COUNT(own.snapshot_count, 1, MAX_COLLECTED),
     .help = "number of snapshots: app-1.gcdump, app-2.gcdump, ..."},
    {"to", 0, GROUP_OUTPUT, ON_COLLECT, TEXT(WORD, own.target),
     .words = WORDS("gcdump", "digest", "nettrace", "core"),
     .help = "format with --all: gcdump (default), digest, nettrace or core"},
    {"output", 'o', GROUP_OUTPUT, ON_COLLECT, TEXT(SNAPSHOT, s.output),
     .help = "output file; with --all a folder, default: this one"},
    {"threads", 'j', GROUP_GENERAL, ON_COLLECT, COUNT(s.threads, 1, MAX_THREADS),
     GIVEN(own.threads_given), .help = "with --all: processes at the same time; default 1"},
    {.more = collect_rows}};

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
            {"heapdrift collect MyApp --store=heapdrift.db", "store a digest of the heap"},
        },
    .options = options,
    .own_size = sizeof(struct collect_options),
    .run = collect_run,
};
