#include "collect/live/collector.h"

#include "cli/terminal/clock.h"
#include "cli/terminal/style.h"
#include "collect/live/last_resort.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

/* --- waiting ----------------------------------------------------------------------- */

bool collector_is_stopped(struct collector *c, int wait_ms)
{
    struct pollfd ready = {.fd = c->signals, .events = POLLIN};
    int number = last_resort_signal(poll(&ready, 1, wait_ms) > 0 ? c->signals : -1);
    if (number != 0) {
        c->stopped = true;
        c->signal = number;
        c->signalled++;
    }
    return c->stopped;
}

/* On a terminal, redraws a line; without one, prints a line every half minute. */
static void collector_show(struct collector *c, const struct hd_collect_progress *so_far)
{
    const double first = 0.5, redraw_every = 0.2, line_every = 30;
    double seconds = seconds_now() - c->begin, since = seconds - c->line_seconds;
    bool is_time = c->progress ? seconds >= first && since >= redraw_every
                               : c->lines && since >= line_every;
    if (!is_time)
        return;
    c->line_seconds = seconds;
    bool is_core = c->is_core || c->options->direct;
    fputs(c->progress ? "\r\033[Kcollecting: " : "heapdrift: collecting: ", stderr);
    if (so_far->bytes == 0)
        fprintf(stderr, "the %s, %.0f s",
                is_core ? "memory is being copied" : "heap is being walked", seconds);
    else if (is_core)
        fprintf(stderr, "%.1f MiB, %.0f s", (double)so_far->bytes / 1048576, seconds);
    else
        fprintf(stderr, "%" PRIu64 " objects, %.1f MiB, %.0f s", so_far->objects,
                (double)so_far->bytes / 1048576, seconds);
    fputs(c->progress ? "" : "\n", stderr);
}

static bool go_on(void *context, const struct hd_collect_progress *so_far)
{
    struct collector *c = context;
    collector_show(c, so_far);
    if (c->reading != NULL)
        hd_reading_arrived(c->reading, so_far->bytes);
    if (c->meanwhile != NULL)
        c->meanwhile(c->meanwhile_context);
    c->is_too_much = c->most_bytes > 0 && so_far->bytes > c->most_bytes;
    c->is_too_late = c->most_seconds > 0 && seconds_now() - c->begin > c->most_seconds;
    bool stops = collector_is_stopped(c, 0) && (!c->finishes || c->signalled > 1);
    if (stops && !c->finishes)
        last_resort_leave(true);
    return !stops && !c->is_too_much && !c->is_too_late;
}

static void add_limits(void *context, uint64_t pid, struct hd_process_facts *facts)
{
    (void)context;
    uint64_t used;
    hd_fact_set(facts, HD_FACT_LIMIT, memory_limit("", pid, &used));
    hd_fact_set(facts, HD_FACT_USED, used);
}

/* A snapshot can exhaust a control group, and its processes are killed. Processes that
 * are collected at the same time may share a group, also with this program in a container:
 * its own memory is some bytes per object (docs/performance.md), and names. */
static uint64_t left_to_process(void *context, uint64_t pid)
{
    const uint64_t per_object = 38, names = (uint64_t)96 << 20,
                   for_trace = (uint64_t)16 << 20;
    struct collector *c = context;
    const struct settings *s = c->settings;
    const struct collect_options *o = c->options;
    uint64_t own = 0;
    c->harm = (struct harm){.pid = pid};
    if (pid == 0)
        return HD_UNKNOWN;
    c->harm.born = hd_process_start(pid);
    memory_kills_see("", pid, &c->harm.kills);
    uint64_t left = memory_spare("", pid);
    if (o->force || left == HD_UNKNOWN)
        return HD_UNKNOWN;
    if (memory_is_shared("", pid)) {
        uint64_t trace =
            c->how.expected_bytes > 0 ? c->how.expected_bytes : memory_resident("", pid);
        bool is_trace = s->output != NULL && output_ends_in(s->output, ".nettrace");
        own = is_trace
                  ? for_trace
                  : names + (trace != HD_UNKNOWN ? trace / TRACE_BYTES * per_object : 0);
    }
    left = left > own ? left - own : 0;
    return o->all && o->threads_given && s->threads > 1 ? left / s->threads : left;
}

const char *collector_harm(const struct harm *harm, const struct hd_error *err)
{
    const double most = 0.3;
    const struct timespec moment = {.tv_nsec = 10000000};
    if (harm->pid == 0 || harm->born == 0)
        return NULL;
    double until = seconds_now() + (err->status == HD_IO ? most : 0);
    bool has_ended;
    while (!(has_ended = hd_process_start(harm->pid) != harm->born) &&
           seconds_now() < until)
        nanosleep(&moment, NULL);
    if (!has_ended)
        return NULL;
    return memory_kills_rose("", &harm->kills)
               ? "was killed for lack of memory during the snapshot"
               : "ended during the snapshot";
}

/* --- one snapshot ------------------------------------------------------------------ */

/* Prints "dotnet-monitor (pid 812) or apm (pid 813)"; usual candidates if unknown. */
static void warn_of_clients(const struct hd_collected *got)
{
    if (got->client_count == 0)
        fputs(" (dotnet-monitor, dotnet-trace, an APM agent) keeps the names", stderr);
    else
        fputs(" keeps the names: ", stderr);
    for (size_t i = 0; i < got->client_count; i++) {
        const struct hd_client *client = &got->clients[i];
        fputs(i > 0 ? " or " : "", stderr);
        put_name(client->name[0] != '\0' ? client->name : "a process");
        fprintf(stderr, " (pid %" PRIu64 ")", client->pid);
    }
    fputs("; stop it, and collect again\n", stderr);
}

static void print_collected(struct collector *c)
{
    const struct settings *s = c->settings;
    const struct collect_options *o = c->options;
    const struct hd_collected *got = &c->collected;
    /* Snapshots from memory have warnings of their own. */
    if (!s->quiet && !got->complete && !c->is_core && !o->direct)
        put_message("warning", s->output,
                    "incomplete: %" PRIu64
                    " events were lost, so objects or references are missing",
                    got->events_lost);
    if (!s->quiet && got->other_client) {
        begin_message("warning", s->output);
        fprintf(stderr,
                ": unknown-type: %" PRIu64 " of %" PRIu64
                " types have no name: another tracing client of process %" PRIu64,
                got->unnamed, got->types, got->pid);
        warn_of_clients(got);
    }
    if (c->is_core && !c->privacy_reported && !s->quiet) {
        c->privacy_reported = true;
        put_message("note", s->output,
                    "a core dump contains everything in the memory of the process, "
                    "including passwords and personal data; only this user may read it");
    }
    bool asked_for = c->progress || c->lines || c->who != NULL;
    if (!s->verbose && (!asked_for || s->quiet))
        return;
    begin_message(NULL, c->label != NULL ? c->label : s->output);
    fputs(": ", stderr);
    if (!c->is_core)
        fprintf(stderr, "%" PRIu64 " objects, ", got->objects);
    fprintf(stderr, "%.1f MiB, in %.2f s",
            (double)(c->is_core ? got->bytes : got->object_bytes) / 1048576,
            seconds_now() - c->begin);
    if (got->paused_us > 0)
        fprintf(stderr, "; process paused for %.1f ms", (double)got->paused_us / 1e3);
    if (got->paused_us > 0 && got->tries > 1)
        fprintf(stderr, " at most (%u attempts: a garbage collection was running)",
                got->tries);
    if (c->takes > 1)
        fprintf(stderr, "; retaken %s: not complete before",
                c->takes == 2   ? "once"
                : c->takes == 3 ? "twice"
                                : "several times");
    fputs("\n", stderr);
}

int collector_take(struct collector *c, const char *name, struct hd_memory *digest)
{
    const struct settings *all = c->settings;
    struct settings one = *all;
    one.output = name;
    c->settings = &one;
    c->is_core = digest == NULL && collect_writes_core(&one, name);
    c->begin = seconds_now();
    c->line_seconds = 0;
    c->takes = 0;
    c->unread = c->unchecked = false;
    c->is_too_much = c->is_too_late = false;
    bool ok = digest != NULL
                  ? collect_digest(c, digest)
                  : output_file(&one, name, collect_writer(&one, name), (const void *)&c);
    last_resort_leave(false);
    int status = ok && !c->unread ? EXIT_DONE : EXIT_TROUBLE;
    if (ok) {
        print_collected(c);
        /* A client that prevents the names will do so again: do not try twice. */
        c->how.keep_names = c->how.keep_names || c->collected.other_client;
    }
    if (status == EXIT_DONE && all->strict &&
        (!c->collected.complete || c->collected.other_client)) {
        fprintf(stderr, "heapdrift: inconclusive: the snapshot %s\n",
                c->unchecked ? "was not checked" : "is incomplete");
        status = EXIT_INCONCLUSIVE;
    }
    c->settings = all;
    if (digest != NULL && status == EXIT_TROUBLE)
        hd_memory_free(digest);
    return status;
}

/* Lines that arrive during a snapshot count, too. */
static bool wait_for_enter(struct collector *c)
{
    while (c->asked == 0 && !c->asks_no_more && !c->stopped) {
        struct pollfd ready[] = {{.fd = c->signals, .events = POLLIN},
                                 {.fd = STDIN_FILENO, .events = POLLIN}};
        if (c->tick != NULL)
            c->tick(c->tick_context, 0);
        if (poll(ready, 2, c->tick != NULL ? 1000 : -1) <= 0)
            continue;
        if (ready[0].revents != 0)
            collector_is_stopped(c, 0);
        if (ready[1].revents == 0)
            continue;
        char typed[256];
        ssize_t len = read(STDIN_FILENO, typed, sizeof(typed));
        c->asks_no_more = len == 0 || (len < 0 && errno != EINTR && errno != EAGAIN);
        for (ssize_t i = 0; i < len; i++)
            c->asked += typed[i] == '\n';
    }
    bool is_asked = c->asked > 0 && !c->stopped;
    c->asked -= is_asked;
    return is_asked;
}

bool collector_wait(struct collector *c)
{
    double due = c->begin + (double)c->options->interval_ms / 1e3, left;
    if (c->options->on_enter)
        return wait_for_enter(c);
    while ((left = due - seconds_now()) > 0) {
        if (c->tick != NULL)
            c->tick(c->tick_context, left);
        if (collector_is_stopped(c, left > 1 ? 1000 : (int)(left * 1e3) + 1))
            break;
    }
    return !c->stopped;
}

/* --- the process ------------------------------------------------------------------- */

static bool is_number(const char *s)
{
    return s[0] != '\0' && s[strspn(s, "0123456789")] == '\0';
}

/* "-n 20", "-t 30": letters that mean rows and seconds elsewhere. */
static bool letters_are_meant(const struct settings *s, const char *command)
{
    const struct collect_options *o = s->own;
    if (o->name != NULL && is_number(o->name) && settings_has_letter(s, 'n')) {
        fprintf(stderr,
                "heapdrift: -n %s: -n is --name in %s; for a process: `heapdrift %s %s`, "
                "for rows: --rows=%s, for snapshots: --count=%s\n",
                o->name, command, command, o->name, o->name, o->name);
        return false;
    }
    for (size_t i = 0; i < s->types.count && settings_has_letter(s, 't'); i++) {
        const char *type = s->types.all[i];
        if (type[0] < '0' || type[0] > '9')
            continue;
        fputs("heapdrift: -t ", stderr);
        put_name(type);
        fprintf(stderr, ": -t is --type in %s; for a timeout: --timeout=", command);
        end_message(type);
        return false;
    }
    return true;
}

/* Parses a process id or name; names of files in this folder are rejected. */
static bool parse_operand(struct settings *s, const char *command)
{
    struct collect_options *o = s->own;
    const char *given = s->operands[0];
    uint64_t pid = is_number(given) ? strtoull(given, NULL, 10) : 0;
    if (!is_number(given) && (strchr(given, '/') != NULL || hd_path_is_snapshot(given)))
        return put_message(
            NULL, given,
            "%s takes a process, by id or name; for files, use `heapdrift diff`", command);
    if (is_number(given) && (pid == 0 || pid > INT32_MAX))
        return trouble(given, "must be a process id, see `heapdrift ps`");
    o->process_id = pid;
    if (pid == 0)
        o->name = given;
    return true;
}

bool collector_process_is_named(struct settings *s, const char *command)
{
    const struct collect_options *o = s->own;
    size_t ways = (size_t)(o->process_id > 0) + (o->name != NULL) + (o->socket != NULL);
    if (!letters_are_meant(s, command))
        return false;
    /* A pid is one process; a name also its successors. */
    bool number = o->process_id > 0 || (s->operand_count == 1 && is_number(s->operands[0]));
    ways -= s->store != NULL && o->name != NULL && number;
    if (ways + s->operand_count == 0)
        fprintf(stderr,
                "heapdrift: name a process: heapdrift %s PID, or its name; see `heapdrift "
                "ps`\n",
                command);
    else if (ways > 1)
        fputs("heapdrift: --process-id, --name and --diagnostic-port cannot be combined\n",
              stderr);
    else if (ways + s->operand_count > 1)
        fprintf(stderr, "heapdrift: %s takes one process, not %zu\n", command,
                ways + s->operand_count);
    else
        return s->operand_count == 0 || parse_operand(s, command);
    return false;
}

bool collector_modes_fit(const struct settings *s)
{
    const struct collect_options *o = s->own;
    if (o->no_keep && s->output != NULL)
        return refuse("-o keeps the snapshots: it cannot be combined with --no-keep");
    return !o->on_enter || !o->interval_given ||
           refuse("--on-enter cannot be combined with --interval");
}

bool collector_find(struct hd_processes *processes, const char *name)
{
    size_t kept = 0;
    hd_processes_find(processes);
    if (processes->incomplete != NULL) {
        fprintf(stderr, "heapdrift: %s\n", processes->incomplete);
        hd_processes_free(processes);
        return false;
    }
    for (size_t i = 0; i < processes->count; i++)
        if (name == NULL || hd_process_goes_by(&processes->all[i], name))
            processes->all[kept++] = processes->all[i];
    processes->count = kept;
    return true;
}

bool collector_begin(struct collector *c, const struct settings *s)
{
    const struct collect_options *o = s->own;
    uint64_t pid = o->process_id;
    if (o->name != NULL && !o->all && s->store == NULL) {
        struct hd_error err = {0};
        pid = hd_process_named(o->name, &err);
        if (pid == 0) {
            print_error(NULL, &err);
            return false;
        }
    }
    /* Signals that are ignored would be noticed, too, once they are blocked. */
    static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction how;
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (sigaction(all[i], NULL, &how) == 0 && how.sa_handler != SIG_IGN)
            sigaddset(&set, all[i]);
    sigprocmask(SIG_BLOCK, &set, &c->before);
    c->settings = s;
    c->options = o;
    c->who = NULL;
    c->how = (struct hd_collect_options){.size = sizeof(c->how),
                                         .pid = pid,
                                         .socket = o->socket,
                                         .silence_ms = (unsigned)o->timeout_ms,
                                         .go_on = go_on,
                                         .memory_left = left_to_process,
                                         .add_limits = add_limits,
                                         .context = c,
                                         .max_memory = s->read.max_memory,
                                         .resume = o->resume};
    c->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    last_resort_begin(c->signals);
    c->progress = !s->no_progress && !s->quiet && style_can_redraw();
    c->lines = !s->no_progress && !s->quiet && !c->progress;
    return true;
}

void collector_follow(struct collector *c)
{
    const struct settings *s = c->settings;
    const struct collect_options *o = c->options;
    /* Direct copies have no collection events; cores and traces do not store survivors. */
    if (s->options.no_ages || o->direct || o->core != CORE_NONE)
        return;
    c->gc_listener = hd_gc_listener_begin();
    c->ages = hd_ages_begin();
    c->how.with_sites = !o->no_sites;
    c->how.with_activity = s->verbose;
}

void collector_unfollow(struct collector *c)
{
    hd_gc_listener_end(c->gc_listener);
    hd_ages_end(c->ages);
    c->gc_listener = NULL;
    c->ages = NULL;
}

void collector_end(struct collector *c)
{
    collector_unfollow(c);
    /* A signal after all work needs no action. */
    collector_is_stopped(c, 0);
    last_resort_end();
    if (c->signals >= 0)
        close(c->signals);
    sigprocmask(SIG_SETMASK, &c->before, NULL);
}

/* --- options ------------------------------------------------------------------------- */

static const char *parse_label(struct settings *s, const struct option *o,
                               const char *value)
{
    if (value[0] == '=' || strchr(value, '=') == NULL)
        return o->argument;
    text_list_add(option_place(s, o->at), value);
    return NULL;
}

/* A socket is a file, or a pipe of Windows; also as the tools of .NET spell it:
 * SOCKET,connect. */
static const char *parse_socket(struct settings *s, const struct option *row,
                                const char *value)
{
    struct collect_options *o = s->own;
    const char *mode = strrchr(value, ',');
    size_t len = mode != NULL ? (size_t)(mode - value) : 0;
    (void)row;
    if (mode != NULL && strcmp(mode, ",listen") == 0)
        return "a socket to connect to, since heapdrift does not listen: that of a "
               "process, see `heapdrift ps`, or of dotnet-dsrouter";
    if (mode != NULL && strcmp(mode, ",connect") == 0 && len < sizeof(o->socket_path)) {
        memcpy(o->socket_path, value, len);
        value = o->socket_path;
    }
    o->socket = value;
    return value[0] == '/' || strncmp(value, "\\\\.\\", 4) == 0
               ? NULL
               : "the absolute path of a diagnostics socket";
}

enum {
    ON_LIVE = ON_COLLECT | ON_WATCH,
    ON_STORES = ON_RECORD | ON_LIVE /* put snapshots into a store */
};

OPTIONS_OF(struct collect_options);

const struct option collect_rows[] = {
    {"process-id", 'p', GROUP_PROCESS, ON_LIVE, PID(own.process_id),
     .help = "process id; see `heapdrift ps`"},
    {"name", 0, GROUP_PROCESS, ON_LIVE, TEXT(PROCESS, own.name),
     .help = "name of the process", .old_letter = 'n'},
    {"diagnostic-port", 0, GROUP_PROCESS, ON_LIVE, TEXT(SOCKET, own.socket),
     .parse = parse_socket, .help = "socket of the process"},
    {"resume", 0, GROUP_PROCESS, ON_LIVE, FLAG(own.resume),
     .help = "resume the process if it is suspended at its start"},
    {"direct", 0, GROUP_PROCESS, ON_LIVE, FLAG(own.direct),
     .help = "pause the process and read its memory: no GC, a shorter pause"},
    {"force", 0, GROUP_PROCESS, ON_LIVE, FLAG(own.force),
     .help = "take the snapshot even if the process could run out of memory"},
    {"tries", 0, GROUP_PROCESS, ON_LIVE, COUNT(own.tries, 1, MAX_TRIES),
     GIVEN(own.tries_given), .usual = "3",
     .help = "--direct, --core: tries to get a complete snapshot"},
    {"no-ages", 0, GROUP_PROCESS, ON_LIVE, FLAG(s.options.no_ages),
     .help = "do not trace GC events to follow survivors"},
    {"no-sites", 0, GROUP_PROCESS, ON_LIVE, FLAG(own.no_sites),
     .help = "do not sample which code allocates the surviving objects"},
    {"interval", 0, GROUP_PROCESS, ON_LIVE, DURATION(own.interval_ms, 0), .usual = "1m",
     .help = "time between snapshots: 500ms, 5m, 1h", GIVEN(own.interval_given)},
    {"on-enter", 0, GROUP_PROCESS, ON_LIVE, FLAG(own.on_enter),
     .help = "a snapshot each time Enter is pressed; Ctrl-D ends the series"},
    {"max-heap", 0, GROUP_PROCESS, ON_LIVE, SIZE(own.max_heap), GIVEN(s.is_for_a_store),
     .help = "with --store: no snapshot while the process uses more memory (RSS)"},
    {"lock", 0, GROUP_PROCESS, ON_LIVE, TEXT(FILE_WRITTEN, own.lock),
     GIVEN(s.is_for_a_store),
     .help = "with --store: lock of this host's collectors; default heapdrift.lock"},
    {"timeout", 0, GROUP_PROCESS, ON_LIVE, DURATION(own.timeout_ms, 1), .usual = "30s",
     .help = "time limit for a process that does not respond", .old_letter = 't'},

    {"no-keep", 0, GROUP_OUTPUT, ON_LIVE, FLAG(own.no_keep),
     .help = "delete the snapshots at the end"},

    {"store", 0, GROUP_STORE, ON_LIVE, TEXT(STORE, s.store),
     .help = "record to a store instead: a file, or postgresql://..."},
    {"store", 0, GROUP_STORE, ON_RECORD | ON_FLEET | ON_STORE, TEXT(STORE, s.store),
     .help = "a file, or postgresql://...; default: HEAPDRIFT_STORE, heapdrift.db"},
    {"service", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, s.service), GIVEN(s.is_for_a_store),
     .help = "name of the service; default: OTEL_SERVICE_NAME, the pod, the program"},
    {"host", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, s.host), GIVEN(s.is_for_a_store),
     .help = "name of the host; default: from the snapshot, else HOSTNAME"},
    {"build", 0, GROUP_STORE, ON_STORES, TEXT(TEXT, s.build), GIVEN(s.is_for_a_store),
     .argument = "VERSION", .wanted = "a version",
     .help = "build of the program, to find the one that began to leak"},
    {"label", 0, GROUP_STORE, ON_STORES, PATTERNS(own.labels), .parse = parse_label,
     GIVEN(s.is_for_a_store), .argument = "NAME=VALUE",
     .help = "any other label of the run; repeatable"},
    {"limit", 0, GROUP_STORE, ON_STORES, SIZE(own.limit), GIVEN(s.is_for_a_store),
     .help = "memory limit of the process"},
    {"keep", 0, GROUP_STORE, ON_STORES, AGE(own.keep_seconds), GIVEN(s.is_for_a_store),
     .help = "then thin out: hourly after 1 day, daily after 8, delete older ones"},
    {.more = shared_options}};
