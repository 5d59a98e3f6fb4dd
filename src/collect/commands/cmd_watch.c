/* Takes snapshots of a running process at intervals, then compares them with `diff` or
 * `check`. Keeps them in a new folder, so that the next question needs no second run. */
#include "cli/commands/commands.h"
#include "cli/guard/temporary.h"
#include "cli/options/houses.h"
#include "cli/options/options.h"
#include "cli/terminal/exit_hook.h"
#include "collect/commands/so_far.h"
#include "collect/live/children.h"
#include "collect/live/collector.h"
#include "collect/live/run_folder.h"
#include "collect/live/trigger.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USUAL_COUNT = 6, FOLDER_SIZE = 2048, PATH_SIZE = FOLDER_SIZE + 32 };

struct watch_run {
    const struct settings *settings;
    char folder[FOLDER_SIZE];
    bool is_temporary, is_new;
    bool is_named_here; /* no folder was given */
    bool is_child;      /* the parent removes the folder */
    char paths[HD_MAX_SNAPSHOTS][PATH_SIZE];
    size_t count; /* of snapshots that are there */
    struct collector *collector;
    struct so_far so_far;
};

/* --- the folder ---------------------------------------------------------- */

static bool no_folder(void)
{
    return refuse("no folder for the snapshots: cannot write to this one, nor to $TMPDIR, "
                  "/tmp or /dev/shm; name one: -o DIR");
}

/* Snapshots that are there already would be taken for older ones of this series. */
static bool is_empty(const char *folder)
{
    DIR *d = opendir(folder);
    bool empty = d != NULL;
    for (const struct dirent *e; empty && (e = readdir(d)) != NULL;)
        empty = e->d_name[0] == '.';
    if (d == NULL)
        return trouble(folder, strerror(errno));
    closedir(d);
    return empty || trouble(folder, "the folder has files; name a new folder");
}

/* By the program's own name, whatever the process was asked for by. */
static bool make_folder(struct watch_run *w, const struct collector *c)
{
    enum { NAME_SIZE = 160 };
    char name[NAME_SIZE];
    int why;
    struct hd_processes all = {0};
    const char *program = c->options->name;
    const uint64_t pid = c->how.pid;
    if (pid > 0)
        hd_processes_find(&all);
    for (size_t i = 0; i < all.count; i++)
        if (all.all[i].pid == pid && all.all[i].name != NULL)
            program = all.all[i].name;
    run_folder_name(program, pid, time(NULL), name, sizeof(name));
    hd_processes_free(&all);
    w->is_new = w->is_named_here =
        run_folder_make(name, w->folder, sizeof(w->folder), &why);
    if (!w->is_new)
        return no_folder();
    if (why != 0 && !w->settings->quiet)
        fprintf(stderr, "heapdrift: note: cannot write to this folder (%s)\n",
                strerror(why));
    return true;
}

static bool open_folder(struct watch_run *w, const struct collector *c)
{
    const char *wanted = w->settings->output;
    if (wanted == NULL && !c->options->no_keep)
        return make_folder(w, c);
    if (wanted == NULL) {
        w->is_temporary = run_folder_make_temporary(w->folder, sizeof(w->folder));
        return w->is_temporary || no_folder();
    }
    if (strlen(wanted) >= sizeof(w->folder))
        return trouble(wanted, strerror(ENAMETOOLONG));
    if (watch_keeps_digests(w->settings))
        return true;
    snprintf(w->folder, sizeof(w->folder), "%s", wanted);
    w->is_new = mkdir(wanted, 0777) == 0;
    return w->is_new ||
           (errno == EEXIST ? is_empty(wanted) : trouble(wanted, strerror(errno)));
}

static void close_folder(struct watch_run *w)
{
    if (w->is_child)
        return;
    for (size_t i = 0; w->is_temporary && i < w->count; i++)
        unlink(w->paths[i]);
    /* Remove a new folder without snapshots. */
    if (w->is_temporary || (w->is_new && w->count == 0))
        rmdir(w->folder);
}

/* --- kept snapshots ------------------------------------------------------ */

static bool tells_folder(const struct watch_run *w)
{
    return !w->is_temporary && !watch_keeps_digests(w->settings) && !w->settings->quiet;
}

/* Before the comparison, so that it is printed in any case, and the result is last.
 * Commands for pasting must not need quotes here, else they are omitted. */
static void print_kept(const struct watch_run *w)
{
    static const char pasted[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789/._-+";
    const char *remover = folder_remover();
    uint64_t bytes = 0;
    struct stat st;
    if (!tells_folder(w) || w->count == 0)
        return;
    for (size_t i = 0; i < w->count; i++)
        bytes += stat(w->paths[i], &st) == 0 ? (uint64_t)st.st_size : 0;
    fprintf(stderr, "heapdrift: kept %zu snapshot%s (%.1f MiB) in ", w->count,
            w->count == 1 ? "" : "s", (double)bytes / 1048576);
    end_message(w->folder);
    if (w->is_named_here && remover != NULL && w->folder[0] != '-' &&
        w->folder[strspn(w->folder, pasted)] == '\0')
        fprintf(stderr, "heapdrift: to delete them: %s %s\n", remover, w->folder);
}

/* For exits on out-of-memory or a signal, which do not return. */
static struct watch_run *at_work;

static void close_at_once(void)
{
    so_far_end(&at_work->so_far);
    temporary_remove();
    close_folder(at_work);
}

/* Once a second while the next snapshot is waited for. */
static void watch_tick(void *context, double left)
{
    struct watch_run *w = context;
    so_far_show(&w->so_far, w->collector, w->count, left);
}

/* --- snapshots ----------------------------------------------------------- */

static void print_next(const struct collector *c, size_t number, size_t wanted)
{
    const double seconds = (double)c->options->interval_ms / 1e3;
    if (c->options->on_enter && c->progress)
        fprintf(stderr, "\r\033[Kwatching: %zu snapshot%s; Enter takes %s, Ctrl-D ends",
                number, number == 1 ? "" : "s", number == 0 ? "the first" : "another");
    else if (!c->options->on_enter && c->lines && !c->progress && number == 1)
        fprintf(stderr, "heapdrift: watching: %zu more, every %.4g s\n", wanted - number,
                seconds);
}

static bool take_next(struct watch_run *w, struct collector *c, size_t wanted)
{
    char label[64], *path = w->paths[w->count];
    so_far_name(w->settings, w->folder, w->count + 1, path, PATH_SIZE);
    if (c->options->on_enter && c->options->snapshot_count == 0)
        snprintf(label, sizeof(label), "snapshot %zu", w->count + 1);
    else
        snprintf(label, sizeof(label), "snapshot %zu of %zu", w->count + 1, wanted);
    c->label = label;
    c->how.is_last = w->count + 1 == wanted;
    bool taken = collector_take(c, path, NULL) != EXIT_TROUBLE;
    c->label = NULL;
    w->count += taken;
    return taken;
}

static int watch_collect(struct watch_run *w, struct collector *c)
{
    bool on_enter = c->options->on_enter, failed = false;
    size_t wanted = c->options->snapshot_count > 0 ? c->options->snapshot_count
                    : on_enter                     ? HD_MAX_SNAPSHOTS
                                                   : USUAL_COUNT;
    w->so_far.wanted = wanted;
    w->collector = c;
    c->tick = c->progress || c->lines ? watch_tick : NULL;
    c->tick_context = w;
    if (on_enter)
        print_next(c, 0, wanted);
    if (on_enter && !collector_wait(c))
        return EXIT_DONE;
    collector_follow(c);
    while (w->count < wanted && !(failed = !take_next(w, c, wanted)) && w->count < wanted) {
        /* For users who end this with kill -9. */
        if (w->count == 1 && tells_folder(w) && (c->progress || c->lines)) {
            fputs("heapdrift: writing snapshots to ", stderr);
            end_message(w->folder);
        }
        print_next(c, w->count, wanted);
        so_far_begin(&w->so_far, c, w->folder, w->count);
        if (!collector_wait(c))
            break;
    }
    c->tick = NULL;
    so_far_end(&w->so_far);
    collector_unfollow(c);
    if (c->progress)
        fputs("\r\033[K", stderr);
    if (c->stopped && w->count >= 2 && !w->settings->quiet)
        fprintf(stderr, "heapdrift: note: stopped after %zu of %zu snapshots\n", w->count,
                wanted);
    /* Stopped by the user: not an error if two snapshots can be compared. */
    return failed && (!c->stopped || w->count < 2) ? EXIT_TROUBLE : EXIT_DONE;
}

/* --- the comparison ------------------------------------------------------ */

static bool has_budgets(const struct settings *s)
{
    const struct check_options *own = s->own;
    return hd_format_is_for_check(settings_format(s)) || own->budgets.count > 0 ||
           own->config != NULL || own->baseline != NULL || own->baseline_write != NULL;
}

static int compare(const struct watch_run *w)
{
    const char *paths[HD_MAX_SNAPSHOTS];
    struct settings s = *w->settings;
    /* A folder is a single word in suggested commands. */
    s.operand_count = watch_keeps_digests(w->settings) ? w->count : 1;
    for (size_t i = 0; i < s.operand_count; i++)
        paths[i] = watch_keeps_digests(w->settings) ? w->paths[i] : w->folder;
    s.operands = paths;
    s.output = NULL;
    s.files_go = w->is_temporary;
    s.command = command_named(has_budgets(&s) ? "check" : "diff");
    return s.command->run(&s);
}

/* Returns the exit status of the comparison, or the signal that ended it and us. Further
 * signals are for the comparison. */
static int wait_for(pid_t child, struct collector *c, int *killed_by)
{
    enum { TICK_MS = 20 };
    int how = 0;
    pid_t ended;
    c->stopped = false;
    while ((ended = waitpid(child, &how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (collector_is_stopped(c, TICK_MS))
            kill(child, c->signal);
        c->stopped = false;
    }
    if (ended != child)
        return EXIT_TROUBLE;
    if (WIFEXITED(how))
        return WEXITSTATUS(how);
    int signal = WTERMSIG(how);
    if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT)
        *killed_by = signal;
    else
        fprintf(stderr, "heapdrift: the comparison was killed (signal %d)%s\n", signal,
                signal == SIGKILL ? ": possibly out of memory" : "");
    return EXIT_TROUBLE;
}

/* Compares temporary snapshots in a child, so that this process can remove them in any
 * case: Ctrl-C, out of memory, a crash. Returns in both processes; only the parent removes
 * files. */
static int compare_apart(struct watch_run *w, struct collector *c, int *killed_by)
{
    fflush(NULL);
    /* If SIGCHLD is ignored, exit statuses are lost. */
    signal(SIGCHLD, SIG_DFL);
    pid_t child = w->is_temporary ? child_begin(w->folder) : -1;
    if (child > 0)
        return wait_for(child, c, killed_by);
    w->is_child = child == 0;
    sigprocmask(SIG_SETMASK, &c->before, NULL);
    return compare(w);
}

/* Stored snapshots are compared by other commands, over weeks. */
static bool check_store(const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (o->no_keep)
        return refuse("--store keeps the snapshots: it cannot be combined with --no-keep");
    if (s->output != NULL)
        return refuse("--store keeps the snapshots: it cannot be combined with -o");
    if (o->on_enter)
        return refuse(
            "--store takes snapshots by the clock: it cannot be combined with --on-enter");
    if (has_budgets(s) || s->exit_code || strcmp(s->format, hd_format_name(0)) != 0)
        return refuse("--store compares nothing: it cannot be combined with budgets or a "
                      "format; use `heapdrift fleet`");
    return true;
}

/* One agent for a host. */
static bool check_all(const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (s->store == NULL)
        return refuse(
            "watch --all requires --store=URL; for files, use `heapdrift collect --all`");
    if (s->operand_count > 0 || o->process_id > 0 || o->socket != NULL)
        return refuse("watch --all takes no process; select processes with --name=PATTERN "
                      "or --service=PATTERN");
    if (o->sites != NULL && (o->no_sites || s->options.no_ages || o->direct))
        return refuse("--sites cannot be combined with --no-sites, --no-ages or --direct");
    return o->snapshot_count == 0 ||
           refuse("watch --all runs until SIGTERM: it cannot be combined with --count");
}

static bool watch_check(struct settings *s)
{
    const struct collect_options *o = s->own;
    if (o->sites != NULL && !o->all)
        return refuse("--sites selects processes of watch --all; a single process is "
                      "sampled without it");
    bool is_named = o->all ? check_all(s) : collector_process_is_named(s, "watch");
    if (!is_named || !collect_can_retry(s))
        return false;
    if (s->store != NULL)
        return check_store(s);
    if (s->is_for_a_store)
        return refuse(
            "--at, --listen, --metrics, --max-heap, --lock, --keep and the names of "
            "a run need --store");
    if (!collector_modes_fit(s))
        return false;
    if (o->snapshot_count != 1 && o->snapshot_count <= HD_MAX_SNAPSHOTS)
        return true;
    fprintf(stderr, "heapdrift: --count=%" PRIu32 ": watch compares 2 to %d snapshots\n",
            o->snapshot_count, HD_MAX_SNAPSHOTS);
    return false;
}

/* Errors of collecting override the status of the comparison. */
static int watch_run(struct settings *s)
{
    struct watch_run w = {.settings = s};
    struct collector c = {.signals = -1};
    int killed_by = 0;
    if (!watch_check(s))
        return EXIT_TROUBLE;
    if (s->store != NULL)
        return sidecar_run(s, false);
    const char *task = child_task();
    if (task != NULL && strncmp(task, SO_FAR, strlen(SO_FAR)) == 0)
        return so_far_print(s, task + strlen(SO_FAR));
    if (task != NULL) {
        /* That folder is the parent's. */
        w.is_temporary = true;
        snprintf(w.folder, sizeof(w.folder), "%s", task);
        return compare(&w);
    }
    if (!collector_begin(&c, s))
        return EXIT_TROUBLE;
    at_work = &w;
    exit_hook_before(close_at_once);
    temporary_listen();
    int status = open_folder(&w, &c) ? watch_collect(&w, &c) : EXIT_TROUBLE;
    print_kept(&w);
    if (w.count >= 2) {
        int found = compare_apart(&w, &c, &killed_by);
        status = status != EXIT_DONE ? status : found;
    } else if (status == EXIT_DONE) {
        fputs("heapdrift: stopped before there were two snapshots to compare\n", stderr);
        status = EXIT_TROUBLE;
    }
    exit_hook_before(NULL);
    close_folder(&w);
    collector_end(&c);
    if (killed_by != 0)
        raise(killed_by);
    return status;
}

static const char *parse_at(struct settings *s, const struct option *o, const char *value)
{
    struct trigger_rules rules;
    *(const char **)option_place(s, o->at) = value;
    return triggers_parse(value, &rules);
}

static const char *parse_listen(struct settings *s, const struct option *o,
                                const char *value)
{
    const char *problem = metrics_address_problem(value);
    *(const char **)option_place(s, o->at) = value;
    return problem[0] != '\0' ? problem : NULL;
}

OPTIONS_OF(struct collect_options);

static const struct option options[] = {
    {"all", 'a', GROUP_PROCESS, ON_WATCH, FLAG(own.all),
     .help = "with --store: all processes; --name, --service select"},
    {"sites", 0, GROUP_PROCESS, ON_WATCH, TEXT(PROCESS, own.sites), .argument = "PATTERN",
     .help = "with --all: survivors and allocation sites of these processes"},
    {"at", 0, GROUP_PROCESS, ON_WATCH, TEXT(OTHER, own.at), .parse = parse_at,
     GIVEN(s.is_for_a_store), .argument = "LIST",
     .words = WORDS("80%,95%", "1.5GiB", "+200MB"),
     .help = "with --store: also at these shares of the limit, sizes, growth (RSS)"},
    {"listen", 0, GROUP_STORE, ON_WATCH, TEXT(OTHER, own.listen), .parse = parse_listen,
     GIVEN(s.is_for_a_store), .argument = "ADDRESS",
     .words = WORDS(":9464", "127.0.0.1:9464"),
     .help = "with --store: serve /metrics and /healthz, for Prometheus"},
    {"metrics", 0, GROUP_STORE, ON_WATCH, TEXT(FILE_WRITTEN, own.metrics),
     GIVEN(s.is_for_a_store),
     .help = "with --store: write metrics to FILE, for a textfile collector"},
    {"count", 0, GROUP_PROCESS, ON_WATCH, COUNT(own.snapshot_count, 1, MAX_COLLECTED),
     .help = "snapshots to take, 2 to 50; default 6"},
    {"output", 'o', GROUP_OUTPUT, ON_WATCH, TEXT(FOLDER, s.output),
     .help = "folder of the snapshots; default heapdrift-NAME-PID-DATE-TIME"},
    {"rows", 0, GROUP_SHOWN, ON_WATCH, COUNT(s.options.rows, 0, HD_DEFAULT_ROWS - 1),
     .help = "rows per table; default 20, 0 shows all"},
    {"config", 'c', GROUP_BUDGETS, ON_WATCH, TEXT(FILE_READ, own.check.config),
     .once = true, .help = "budget file; else heapdrift.yml, if another budget is given"},
    {.more = collect_rows}};

const struct command cmd_watch = {
    .name = "watch",
    .bit = ON_WATCH,
    .purpose = FOR_PROCESSES,
    .operands = "PID|NAME",
    .summary = "take snapshots, and report what grew",
    .description =
        "Take snapshots of a running .NET process, by default six in five minutes, and\n"
        "report what grew. The snapshots are written to a new folder, here or, if that is\n"
        "not possible, in $TMPDIR; --no-keep deletes them. With budgets, the exit status "
        "is\n"
        "that of `heapdrift check`. Ctrl-C ends early, and compares the snapshots "
        "collected\n"
        "so far. With --store nothing is compared: a snapshot an hour is stored until\n"
        "SIGTERM, with --all one of each process of this host.",
    .examples =
        {
            {"heapdrift watch 4711", "six snapshots, a minute apart, then what grew"},
            {"heapdrift watch MyApp --count=10 --interval=5m",
             "longer, by the name of the process"},
            {"heapdrift watch 4711 -o snapshots",
             "into that folder; -o app.digest: digests"},
            {"heapdrift watch 4711 --max-growth=5%", "status 1 if it grows by more"},
            {"heapdrift watch 4711 --on-enter",
             "you do something, press Enter, do it again"},
            {"heapdrift watch --name=MyApp --store=heapdrift.db",
             "one an hour, into a store, until SIGTERM"},
        },
    .options = options,
    .own_size = sizeof(struct collect_options),
    .owns_format = hd_format_is_for_check,
    .run = watch_run,
};
