/* Snapshots of a process into files. What becomes of them is no business of its. */
#include "cli/commands/output.h"
#include "cli/live/collecting.h"
#include "cli/live/run_folder.h"
#include "cli/live/sidecar.h"
#include "cli/options/options.h"
#include "cli/terminal/exit_hook.h"
#include "cli/terminal/temporary.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- what was asked for ---------------------------------------------------------- */

static const char no_trace[] =
    "--direct reads memory and has no trace: write a .gcdump or .core";

static bool check_for_all(struct settings *s)
{
    bool is_core = s->target != NULL && strcmp(s->target, "core") == 0;
    if (s->store != NULL)
        return refuse("--all writes files, to be stored with `heapdrift record`; --store "
                      "takes one process");
    if (s->operand_count > 0)
        return refuse(
            "collect --all takes no operands; select processes with --name=PATTERN");
    if (s->process_id > 0 || s->socket != NULL)
        return refuse("--all cannot be combined with --process-id or --diagnostic-port; "
                      "select processes with --name=PATTERN");
    if (s->core != CORE_NONE && s->target != NULL && !is_core)
        return refuse("--core writes a core dump, --to another format");
    if (s->core == CORE_NONE && is_core)
        s->core = CORE_HEAP;
    if (s->direct && s->target != NULL && strcmp(s->target, "nettrace") == 0)
        return refuse(no_trace);
    return (!s->on_enter && !s->no_keep) ||
           refuse("--on-enter and --no-keep are about one process, --all is not");
}

/* What is to be written, by the name of the file and by options. */
static bool check_files(const struct settings *s)
{
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
    return (s->core == CORE_NONE && s->target == NULL) ||
           refuse("a store holds digests, not core dumps or traces");
}

static bool check(struct settings *s)
{
    if (s->store == NULL && s->is_for_a_store)
        return refuse("--max-heap, --lock, --keep and the names of a run need --store");
    if (s->direct && s->core == CORE_FULL)
        return refuse("--direct copies the heap only; --core=full needs the runtime");
    if (!collect_can_retry(s) || (!s->all && !collecting_process_is_named(s, "collect")))
        return false;
    bool ok = s->all             ? check_for_all(s)
              : s->store != NULL ? check_store(s)
                                 : check_files(s);
    return ok && (!s->interval_given || s->snapshot_count > 0 ||
                  refuse("--interval needs --count"));
}

/* --- snapshots on request -------------------------------------------------------- */

enum { FOLDER_SIZE = 1024, PATH_SIZE = FOLDER_SIZE + 32 };

struct requested {
    struct collecting *collecting;
    char folder[FOLDER_SIZE]; /* "": the files stay, by the name of -o */
    uint32_t count;           /* of snapshots, also of those that failed */
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
    char *numbered = output_numbered(r->collecting->settings->output, number);
    snprintf(path, size, "%s", numbered != NULL ? numbered : "");
    free(numbered);
}

/* Who asks may have removed some himself, or have put a core beside one. By names that are
 * known, not by what the folder has: a handler of signals may not read folders. */
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

/* Where the program ends at once, nobody comes back. */
static struct requested *at_work;

static void remove_at_once(void)
{
    temporary_remove();
    remove_files(at_work);
}

/* --- the series ----------------------------------------------------------------------- */

static void print_prompt(const struct requested *r)
{
    if (r->collecting->progress)
        fprintf(stderr, "\r\033[Kcollecting: Enter takes snapshot %u, Ctrl-D ends",
                r->count + 1);
}

static int collect_requested(struct requested *r)
{
    char path[PATH_SIZE];
    struct collecting *c = r->collecting;
    uint32_t most = c->settings->snapshot_count;
    collecting_follow(c);
    for (print_prompt(r); collecting_wait(c); print_prompt(r)) {
        name_file(r, ++r->count, ".gcdump", path, sizeof(path));
        bool taken = collecting_take(c, path, NULL) != EXIT_TROUBLE;
        r->failed = r->failed || !taken;
        printf("%s\n", taken ? path : "");
        fflush(stdout);
        if (c->stopped || ferror(stdout) != 0 || (most > 0 && r->count == most))
            break;
    }
    collecting_unfollow(c);
    if (c->progress)
        fputs("\r\033[K", stderr);
    if (c->stopped && r->folder[0] == '\0')
        fputs("heapdrift: stopped; snapshots collected so far are kept\n", stderr);
    if (r->count == 0 && !c->stopped)
        refuse("standard input ended before a snapshot was asked for");
    return r->failed || c->stopped || r->count == 0 ? EXIT_TROUBLE : EXIT_DONE;
}

/* --on-enter: a series of which each snapshot is asked for, by a line on standard input.
 * For people who press Enter, and for programs that look at their own heap: each line of
 * theirs is answered by one on standard output, the name of the finished file, or an empty
 * one where there is none, after the reason on standard error.
 *
 * Until standard input ends, a signal comes, or --count is reached. With --no-keep the
 * files lie in a folder of their own, and go with it in the end, also when whoever asks is
 * killed together with all of his process group. An exit status: EXIT_TROUBLE if one
 * failed, or there is none. */
static int collect_on_request(struct collecting *c)
{
    struct requested r = {.collecting = c};
    bool is_temporary = c->settings->no_keep;
    int status = EXIT_TROUBLE;
    /* Whoever asked may be gone when the answer comes; the files still have to go. */
    signal(SIGPIPE, SIG_IGN);
    at_work = &r;
    exit_hook_before(remove_at_once);
    temporary_listen();
    /* Without a terminal it leaves the process group of who asks: whoever kills that whole
     * group leaves somebody who sees the end of standard input, and tidies up. */
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

/* --- the command --------------------------------------------------------------- */

static int collect_series(struct collecting *c)
{
    const struct settings *s = c->settings;
    int status = EXIT_DONE;
    if (s->snapshot_count > 1)
        collecting_follow(c);
    for (uint32_t i = 1; i <= s->snapshot_count; i++) {
        char *name = output_numbered(s->output, i);
        int result = name != NULL ? collecting_take(c, name, NULL) : EXIT_TROUBLE;
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
        return collect_all(s);
    if (s->store != NULL)
        return sidecar_run(s, true);
    if (!collecting_begin(&c, s))
        return EXIT_TROUBLE;
    int status = s->on_enter             ? collect_on_request(&c)
                 : s->snapshot_count > 0 ? collect_series(&c)
                                         : collecting_take(&c, s->output, NULL);
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
