/* Finds the processes that an agent watches, and tracks each while it lives. Queries the
 * names of all runtimes of this machine, but no heap. */
#include "cli/guard/allocate.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "fleet/agent/agent.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- messages -------------------------------------------------------------------- */

void finding_failed(struct watched_process *w, enum watch_failure why, const char *format,
                    ...)
{
    char what[320];
    va_list arguments;
    if (!watched_process_failed(w, why))
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    put_message("warning", w->process.who, "no snapshot: %s", what);
}

static void finding_note(const struct agent *a, const char *who, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void finding_note(const struct agent *a, const char *who, const char *format, ...)
{
    char what[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof(what), format, arguments);
    va_end(arguments);
    if (!a->settings->quiet)
        put_message("note", who, "%s", what);
}

/* --- what a process is ----------------------------------------------------------- */

/* The unit of systemd: the last folder of its control group, if that is a service. */
static void read_unit(struct agent_process *seen)
{
    static const char suffix[] = ".service";
    size_t size;
    char *groups = hd_process_file(seen->pid, "cgroup", &size);
    for (char *rest = groups, *line; (line = strsep(&rest, "\n")) != NULL;) {
        size_t len = strlen(line);
        bool is_unit =
            len > sizeof(suffix) && strcmp(line + len - (sizeof(suffix) - 1), suffix) == 0;
        const char *name = is_unit ? strrchr(line, '/') : NULL;
        if (name != NULL && strlen(name) < sizeof(seen->unit))
            snprintf(seen->unit, sizeof(seen->unit), "%s", name + 1);
    }
    free(groups);
}

static void see_state(struct agent_process *seen, const struct hd_process *p)
{
    seen->memory = p->memory != 0 ? p->memory : HD_UNKNOWN;
    seen->runtime = p->runtime != NULL ? (unsigned)strtoul(p->runtime, NULL, 10) : 0;
    seen->is_denied = p->is_denied;
    seen->problem[0] = '\0';
    if (p->problem != NULL)
        snprintf(seen->problem, sizeof(seen->problem), "%s", p->problem);
}

/* Names of runtime sockets have at most some hundred characters after a path of /proc; a
 * longer one is not a runtime's. */
static bool has_socket(const struct hd_process *p)
{
    return p->socket != NULL &&
           strlen(p->socket) < sizeof(((struct agent_process *)0)->socket);
}

static void finding_describe(struct agent_process *seen, const struct hd_process *p)
{
    *seen = (struct agent_process){.pid = p->pid, .owner = p->owner};
    see_state(seen, p);
    snprintf(seen->service, sizeof(seen->service), "%s",
             p->name != NULL ? p->name : "dotnet");
    snprintf(seen->host, sizeof(seen->host), "%s", p->host != NULL ? p->host : "");
    snprintf(seen->socket, sizeof(seen->socket), "%s", p->socket);
    /* The pid of an invisible process belongs to another container. */
    if (seen->memory != HD_UNKNOWN) {
        struct run_facts facts;
        seen->born = hd_process_start(seen->pid);
        read_unit(seen);
        run_facts_of_process(&facts, seen->pid);
        seen->is_declared = facts.run.service != NULL;
        if (seen->is_declared)
            snprintf(seen->service, sizeof(seen->service), "%s", facts.run.service);
        run_facts_free(&facts);
    }
    if (p->command != NULL) {
        size_t size = strlen(p->command) + 1;
        seen->command = memcpy(more(NULL, size), p->command, size);
    }
    snprintf(seen->who, sizeof(seen->who), "%.100s (pid %" PRIu64 ")", seen->service,
             p->pid);
}

/* --- the list -------------------------------------------------------------------- */

/* seen is taken over. */
static struct watched_process *finding_add(struct agent *a, struct agent_process *seen)
{
    struct watched_process *w = zeroed(1, sizeof(*w));
    const char *last = a->last.who;
    w->process = *seen;
    *seen = (struct agent_process){0};
    w->number = ++a->numbered;
    w->since = w->last_well = seconds_now();
    w->is_there = !w->process.is_denied;
    w->pause = NAN;
    if (a->options->all) {
        w->share = time_share_of(&a->shares, w->process.owner, w->since);
        w->share->process_count++;
    }
    schedule_begin(w);
    w->due = w->since + (a->is_once ? 0 : schedule_until_first(w, a->interval));
    if (a->numbered == 1)
        a->queue.spread = 0.75 + 0.5 * schedule_share(w, UINT64_MAX);
    a->all = more(a->all, (a->count + 1) * sizeof(struct watched_process *));
    a->all[a->count++] = w;
    a->missing_reported = a->others_reported = false;
    if (a->options->all)
        return w;
    /* Survivor tracking may have been disabled for the predecessor only. */
    collector_unfollow(&a->c);
    if (a->options->snapshot_count != 1)
        collector_follow(&a->c);
    if (last[0] != '\0')
        finding_note(a, last, "has exited; the next is %s", w->process.who);
    return w;
}

static void free_process(struct watched_process *w)
{
    follower_end(&w->follower);
    agent_process_free(&w->process);
    if (w->share != NULL)
        w->share->process_count--;
    free(w->monitored);
    free(w->triggering);
    free(w);
}

void finding_unfollow(struct agent *a)
{
    for (size_t i = 0; i < a->count; i++)
        follower_stop(&a->all[i]->follower);
}

void finding_free(struct agent *a)
{
    finding_unfollow(a);
    for (size_t i = 0; i < a->count; i++)
        free_process(a->all[i]);
    free(a->all);
    time_shares_free(&a->shares);
    agent_process_free(&a->last);
}

/* It has ended. */
static void remove_at(struct agent *a, size_t i)
{
    struct watched_process *w = a->all[i];
    if (a->options->all && (w->is_announced || w->taken > 0))
        finding_note(a, w->process.who, "has exited, after %" PRIu64 " snapshot%s",
                     w->taken, w->taken == 1 ? "" : "s");
    if (!a->options->all) {
        agent_process_free(&a->last);
        a->last = w->process;
        a->last_instance = w->instance;
        w->process = (struct agent_process){0};
    }
    free_process(w);
    a->all[i] = a->all[--a->count];
}

/* --- those that are watched ------------------------------------------------------ */

/* Result of a look at all processes; known: those in the list. */
struct look {
    struct hd_processes found; /* by pid */
    bool *known;
};

static const struct hd_process *finding_find(struct look *look,
                                             const struct agent_process *seen)
{
    const struct hd_processes *found = &look->found;
    size_t low = 0, high = found->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (found->all[middle].pid < seen->pid)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < found->count && found->all[i].pid == seen->pid; i++)
        if (agent_process_is(seen, &found->all[i])) {
            look->known[i] = true;
            return &found->all[i];
        }
    return NULL;
}

/* Updates watched processes. Busy ones may not return their name, so it is kept. A process
 * known only by its socket exists as long as the file does. */
static void see_process(struct agent *a, struct look *look)
{
    for (size_t i = a->count; i-- > 0;) {
        struct watched_process *w = a->all[i];
        const struct hd_process *p = finding_find(look, &w->process);
        bool was_denied = w->process.is_denied;
        if (w != a->at_work && follower_has_ended(&w->follower))
            finding_note(a, w->process.who,
                         "the process that followed its objects has ended; the next "
                         "snapshot starts a new series");
        if (p != NULL) {
            see_state(&w->process, p);
            w->is_there = !p->is_denied;
            if (p->is_denied && !was_denied)
                finding_failed(w, WATCH_DENIED, "%s", w->process.problem);
        } else if (agent_process_has_ended(&w->process)) {
            if (w != a->at_work)
                remove_at(a, i);
        } else if (w->process.pid != 0 && look->found.incomplete == NULL) {
            w->is_there = false;
            finding_failed(w, WATCH_NO_SOCKET,
                           "the process runs, but its diagnostics socket is gone: %s",
                           w->process.socket);
        }
    }
}

/* --- all that are meant ---------------------------------------------------------- */

static void add_if_meant(struct agent *a, const struct hd_process *p)
{
    enum { MAX_OF_ONE = 1000 };
    const struct settings *s = a->settings;
    const struct collect_options *o = a->options;
    struct agent_process seen;
    /* Each costs memory and time, and a user can start any number. */
    if (time_share_of(&a->shares, p->owner, seconds_now())->process_count >= MAX_OF_ONE) {
        if (!a->too_many_reported)
            finding_note(a, "processes",
                         "%d processes of user %" PRIu64 " are watched; the others are not",
                         MAX_OF_ONE, p->owner);
        a->too_many_reported = true;
        return;
    }
    if (o->name != NULL && !hd_process_goes_by(p, o->name))
        return;
    finding_describe(&seen, p);
    /* A name to be compared with a pattern, that of no process. */
    const struct hd_process any = {.pid = UINT64_MAX, .name = seen.service};
    if (s->service != NULL && !hd_process_goes_by(&any, s->service)) {
        agent_process_free(&seen);
        return;
    }
    bool wants_sites = o->sites != NULL && (hd_process_goes_by(p, o->sites) ||
                                            hd_process_goes_by(&any, o->sites));
    struct watched_process *w = finding_add(a, &seen);
    w->wants_sites = wants_sites;
    if (w->process.is_denied)
        finding_failed(w, WATCH_DENIED, "%s", w->process.problem);
}

/* Builds and scripts run programs that live for a moment: one that has been there twice is
 * worth a line. So many lines in a look, the others in the next. */
static void announce(struct agent *a)
{
    enum { MAX_LINES = 20 };
    size_t lines = 0;
    for (size_t i = 0; i < a->count && lines < MAX_LINES; i++) {
        struct watched_process *w = a->all[i];
        if (w->is_announced || !w->is_there || w->since >= a->looked)
            continue;
        w->is_announced = true;
        if (w->attempts > 0)
            continue;
        finding_note(a, w->process.who, "is watched, the first snapshot in %.0f s",
                     fmax(w->due - seconds_now(), 0));
        lines++;
    }
}

/* --- the one that is meant ------------------------------------------------------- */

enum sight {
    SIGHT_THERE,
    SIGHT_GONE,
    SIGHT_SEVERAL, /* and they are ambiguous */
    SIGHT_DENIED   /* exists, but access is denied; or no process is visible */
};

static enum sight take_it(struct agent *a, struct agent_process *seen, struct hd_error *err)
{
    if (seen->is_denied) {
        set_error(err, HD_IO, "%.80s: %.150s", seen->who, seen->problem);
        return SIGHT_DENIED;
    }
    finding_add(a, seen);
    return SIGHT_THERE;
}

/* By the number or the socket of the options, or by name. A number is used again, so it
 * only counts for the first. */
static bool is_meant(const struct agent *a, const struct hd_process *p, bool by_name)
{
    const struct collect_options *o = a->options;
    return has_socket(p) &&
           (by_name             ? hd_process_goes_by(p, o->name)
            : o->socket != NULL ? strcmp(p->socket, o->socket) == 0
                                : p->pid == o->process_id && a->numbered == 0);
}

static enum sight choose_named(struct agent *a, struct agent_process *all, size_t count,
                               struct hd_error *err)
{
    const uint64_t pid = a->options->process_id;
    const char *socket = a->options->socket;
    if (count == 1)
        return take_it(a, &all[0], err);
    if (count > 1) {
        set_error(err, HD_USAGE,
                  "%zu processes have the id %" PRIu64
                  ", each in its own container; choose one with --diagnostic-port",
                  count, pid);
        return SIGHT_SEVERAL;
    }
    set_error(err, HD_USAGE,
              "no .NET process %" PRIu64 " with a diagnostics socket; see `heapdrift ps`",
              pid);
    if (socket == NULL)
        return SIGHT_GONE;
    /* Not listed, but its socket exists. */
    all[0] = (struct agent_process){.memory = HD_UNKNOWN};
    if (hd_socket_is_gone(socket) || strlen(socket) >= sizeof(all[0].socket)) {
        set_error(err, HD_IO, "%.200s: no such socket", socket);
        return SIGHT_GONE;
    }
    snprintf(all[0].who, sizeof(all[0].who), "%.150s", socket);
    snprintf(all[0].socket, sizeof(all[0].socket), "%s", socket);
    return take_it(a, &all[0], err);
}

/* Reports other candidates once per change. */
static enum sight choose_by_name(struct agent *a, struct agent_process *all, size_t count,
                                 struct hd_error *err)
{
    const struct settings *s = a->settings;
    const struct collect_options *o = a->options;
    size_t chosen = agent_process_choose(all, count, &a->last, s->service != NULL);
    bool is_first = a->last.who[0] == '\0';
    if (count > 1 && a->is_once) {
        set_error(err, HD_USAGE,
                  "%zu processes are called %.80s; choose one with --process-id", count,
                  o->name);
        return SIGHT_SEVERAL;
    }
    if (chosen == count) {
        if (count > 0 && !a->others_reported)
            finding_note(
                a, o->name,
                "%zu other process%s with this name %s not watched: of another service or "
                "command line than %.80s; --all --name watches each",
                count, count == 1 ? "" : "es", count == 1 ? "is" : "are", a->last.who);
        a->others_reported |= count > 0;
        set_error(err, HD_USAGE, "no .NET process is called %.80s; see `heapdrift ps`",
                  o->name);
        return SIGHT_GONE;
    }
    enum sight what = take_it(a, &all[chosen], err);
    if (what == SIGHT_THERE && count > 1 && is_first && !a->others_reported) {
        finding_note(a, o->name,
                     "%zu processes have this name; watching the newest, %.80s. To watch "
                     "all of them: --all --name=NAME",
                     count, a->all[0]->process.who);
        a->others_reported = true;
    }
    return what;
}

static enum sight choose_among(struct agent *a, const struct look *look, bool by_name,
                               struct hd_error *err)
{
    struct agent_process *all = zeroed(look->found.count + 1, sizeof(*all));
    size_t count = 0;
    for (size_t i = 0; i < look->found.count; i++)
        if (is_meant(a, &look->found.all[i], by_name))
            finding_describe(&all[count++], &look->found.all[i]);
    enum sight what =
        by_name ? choose_by_name(a, all, count, err) : choose_named(a, all, count, err);
    for (size_t i = 0; i < count; i++)
        agent_process_free(&all[i]);
    free(all);
    return what;
}

/* A name matches any process that has it, now or later. Errors at the start are permanent
 * and best reported by exiting. */
static void finding_choose(struct agent *a, const struct look *look)
{
    const struct collect_options *o = a->options;
    struct hd_error err = {0};
    enum sight what = SIGHT_GONE;
    if (o->process_id > 0 || o->socket != NULL)
        what = choose_among(a, look, false, &err);
    if (what == SIGHT_GONE && o->socket == NULL && o->name != NULL)
        what = choose_among(a, look, true, &err);
    if (what == SIGHT_GONE && look->found.incomplete != NULL && o->socket == NULL) {
        snprintf(err.message, sizeof(err.message), "%s", look->found.incomplete);
        what = SIGHT_DENIED;
    }
    if (what == SIGHT_THERE)
        return;
    bool comes_back = what == SIGHT_GONE && o->name != NULL && !a->is_once;
    if (!comes_back && (a->numbered == 0 || a->is_once)) {
        print_error(NULL, &err);
        a->is_over = true;
        a->status = EXIT_TROUBLE;
        return;
    }
    if (what == SIGHT_GONE && !comes_back) {
        put_message("note", a->last.who, "has exited, stopping");
        a->is_over = true;
    } else if (!a->missing_reported) {
        finding_note(a, comes_back ? o->name : a->last.who, "%s",
                     comes_back ? "no such process; waiting for one" : err.message);
    }
    a->missing_reported = true;
}

/* --- a look ---------------------------------------------------------------------- */

void finding_look(struct agent *a)
{
    struct look look;
    double begin = seconds_now();
    hd_processes_find(&look.found);
    look.known = zeroed(look.found.count + 1, sizeof(*look.known));
    see_process(a, &look);
    bool is_short = look.found.incomplete != NULL;
    if (is_short && !a->incomplete_reported && a->numbered > 0)
        finding_note(a, "processes", "%s", look.found.incomplete);
    a->incomplete_reported = is_short;
    for (size_t i = 0; a->options->all && i < look.found.count; i++)
        if (!look.known[i] && has_socket(&look.found.all[i]))
            add_if_meant(a, &look.found.all[i]);
    if (a->options->all)
        announce(a);
    else if (a->count == 0)
        finding_choose(a, &look);
    if (a->options->all && a->count == 0 && !a->missing_reported) {
        a->missing_reported = true;
        finding_note(a, a->options->name != NULL ? a->options->name : ".NET",
                     "no such process; waiting for one");
    }
    free(look.known);
    hd_processes_free(&look.found);
    a->looked = seconds_now();
    a->look_seconds = a->looked - begin;
}

double finding_next(const struct agent *a)
{
    const double every = 5, longest = 10;
    /* With one process to find, look more often. */
    const double share = a->options->all ? 20 : 2;
    double wait = fmin(a->interval, every);
    return a->looked + fmax(wait, fmin(share * a->look_seconds, longest));
}

/* One process is looked for right before each snapshot. */
bool finding_is_stale(const struct agent *a, double now)
{
    const double most = 1, share = 4;
    return !a->options->all || now - a->looked > fmax(most, share * a->look_seconds);
}
