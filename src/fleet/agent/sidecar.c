/* watch --store: takes snapshots into a store, of a process and its successors, or of all
 * processes of a host.
 *
 * Guarantees of docs/agent.md: at most one snapshot at a time on a host, no pause of a
 * process that exceeds the size limit, the current snapshot is finished before exit, and a
 * snapshot is reported as stored only after the commit. */
#include "cli/options/houses.h"

#include "cli/guard/memory.h"
#include "cli/options/settings.h"
#include "cli/terminal/clock.h"
#include "cli/terminal/messages.h"
#include "collect/live/collector.h"
#include "collect/live/last_resort.h"
#include "fleet/agent/agent.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    USUAL_INTERVAL_MS = 3600 * 1000,
    TICK_MS = 500,
    TURN_MS = 100, /* between two tries to get the lock */
    WORK_MS = 20,  /* and to see whether a snapshot is done */
    STEP_S = 60,   /* maximum duration of a step of the loop, except a snapshot */
    TURN_S = 600,  /* while another process's snapshot is taken */
    CLOCK_JUMP_S = 5
};

/* --- each moment ----------------------------------------------------------------- */

/* Twice a second, also during a snapshot in this process: exports the state of the agent.
 * To trigger a snapshot ahead of the clock, set watched_process.due. */
static void tick(void *context)
{
    struct agent *a = context;
    double now = seconds_now();
    if (now - a->ticked < TICK_MS / 1e3)
        return;
    a->ticked = now;
    a->memory = memory_resident("", (uint64_t)getpid());
    monitoring_turn(a);
}

/* --- result of a snapshot -------------------------------------------------------- */

static void end_work(struct agent *a, int result, bool is_taken)
{
    struct watched_process *w = a->at_work;
    bool is_triggered = w->triggering != NULL && w->triggering->rule != NO_TRIGGER;
    host_lock_release(&a->lock);
    run_facts_free(&a->facts);
    w->due = w->begun + (a->is_once ? a->interval : schedule_until_next(w, a->interval));
    monitoring_tried(a, w, is_taken, is_triggered);
    triggering_tried(a, w, is_taken);
    a->at_work = NULL;
    /* If a number of snapshots was requested, each is required; otherwise the next one may
     * succeed. */
    uint32_t wanted = a->options->snapshot_count;
    if (wanted > 0 && result != EXIT_DONE && a->status != EXIT_TROUBLE)
        a->status = result;
    a->is_over = a->is_over || (wanted > 0 && a->attempts >= wanted) ||
                 (a->is_once && result == EXIT_TROUBLE);
}

static void fail_work(struct agent *a, enum watch_failure why, const struct hd_error *err)
{
    if (a->is_once)
        print_error(NULL, err);
    else
        finding_failed(a->at_work, why, "%s", err->message);
    end_work(a, EXIT_TROUBLE, false);
}

static enum watch_failure reason_of(const struct agent *a, const struct snapshot_result *t)
{
    if (t->has_crashed)
        return WATCH_CRASHED;
    if (t->err.status == HD_TIMED_OUT)
        return WATCH_SILENT;
    if (t->err.topic == HD_ABOUT_LIMIT)
        return WATCH_NEAR_LIMIT;
    if (t->err.status == HD_TOO_BIG)
        return WATCH_TOO_MUCH;
    if (t->err.status == HD_CLOSED || agent_process_is_ending(&a->at_work->process))
        return WATCH_ENDED;
    return t->err.topic == HD_ABOUT_DIRECT ? WATCH_DENIED : WATCH_OTHER;
}

static void sidecar_keep(struct agent *a, struct snapshot_result *t)
{
    struct watched_process *w = a->at_work;
    uint64_t stopped_us = t->collected.paused_us;
    w->pause = stopped_us > 0 ? (double)stopped_us / 1e6 : NAN;
    w->last_taken = seconds_utc();
    w->last_well = seconds_now();
    w->objects = t->collected.objects;
    w->seconds = seconds_now() - w->begun;
    struct queued_snapshot what = {.series = w->number,
                                   .digest = t->digest,
                                   .facts = a->facts,
                                   .pause_seconds = w->pause};
    snprintf(what.who, sizeof(what.who), "%s", w->process.who);
    store_writer_add(&a->queue, &what);
    a->facts = (struct run_facts){0};
    /* Facts about a predecessor do not apply to the next process. */
    uint64_t instance = t->collected.origin.instance;
    bool is_first = w->taken == 0 && a->last.who[0] == '\0';
    if (!a->options->all && !is_first && !a->settings->quiet &&
        instance != (w->taken > 0 ? w->instance : a->last_instance))
        put_message("note", w->process.who, "a new process, so a new series");
    w->instance = instance;
    watched_process_succeeded(w);
    if (w->share != NULL)
        time_share_succeeded(&a->shares, w->share, w->seconds);
    a->taken++;
    end_work(a, t->status, true);
}

static void see_result(struct agent *a, struct snapshot_result *t)
{
    struct watched_process *w = a->at_work;
    /* A client that prevents the names will do so again: do not try twice. */
    w->keep_names = w->keep_names || t->collected.other_client;
    if (t->status != EXIT_TROUBLE) {
        sidecar_keep(a, t);
        return;
    }
    enum watch_failure why = reason_of(a, t);
    w->cost = seconds_now() - a->c.begin;
    w->failed_in_row++;
    if (w->share != NULL)
        time_share_failed(&a->shares, w->share, w->cost, seconds_now());
    if (why == WATCH_ENDED && !a->is_once) {
        const struct hd_error end = t->err;
        bool is_named = strncmp(end.message, "process ", strlen("process ")) == 0;
        snprintf(t->err.message, sizeof(t->err.message), "the %s%.200s",
                 is_named ? "" : "process ",
                 end.status == HD_CLOSED ? end.message : "has exited");
    }
    fail_work(a, why, &t->err);
}

/* --- one at a time --------------------------------------------------------------- */

/* A missed turn costs one snapshot: a holder that takes this long hangs. */
static bool has_turn(struct agent *a)
{
    enum host_lock_state state = host_lock_try(&a->lock);
    if (state == HOST_LOCK_NONE && !a->no_lock_reported && !a->settings->quiet)
        put_message("note", a->lock.path != NULL ? a->lock.path : "heapdrift.lock",
                    "%s; another collector may run at the same time", a->lock.why);
    a->no_lock_reported |= state == HOST_LOCK_NONE;
    if (state != HOST_LOCK_BUSY)
        return true;
    struct hd_error err;
    double most = fmin(a->interval, TURN_S);
    if (seconds_now() - a->turn_since <= most)
        return false;
    set_error(&err, HD_TIMED_OUT,
              "another collector on this host has been running for %.0f s", most);
    fail_work(a, WATCH_BUSY, &err);
    return false;
}

/* --- one snapshot ---------------------------------------------------------------- */

/* Collects the facts about the run, and checks the clock: if it was set, times in this
 * series are wrong, and its readers are warned too. */
static void see_run(struct agent *a)
{
    const struct agent_process *process = &a->at_work->process;
    double offset = seconds_utc() - seconds_now(), jump = offset - a->clock_offset;
    bool quiet = a->settings->quiet;
    if (fabs(jump) >= CLOCK_JUMP_S && !quiet)
        put_message(NULL, "note",
                    "the system clock was changed by %+.0f s since the last snapshot",
                    jump);
    a->clock_offset = offset;
    /* Before the snapshot: the process may end afterwards, and its environment with it. */
    run_facts_of(&a->facts, a->settings, process->memory != HD_UNKNOWN ? process->pid : 0,
                 a->options->all ? process->owner : HD_UNKNOWN);
    if (a->facts.problem != NULL && !quiet)
        put_message("warning", process->who, "%s", a->facts.problem);
}

/* So long others wait for this one, too. One of many that has never given a snapshot has a
 * quarter of the interval, and each time that was too short twice as long. */
static double most_seconds(const struct agent *a)
{
    const struct watched_process *w = a->at_work;
    double silence = (double)a->options->timeout_ms / 1e3, most = a->interval;
    if (w->share != NULL && w->taken == 0 && w->failed_in_row < 2)
        most = ldexp(most, (int)w->failed_in_row - 2);
    return fmax(fmin(most, TURN_S), 2 * silence);
}

/* The follower of the process at work; NULL: --sites does not match, or too many are
 * followed. One that ends makes room for the next. */
static struct follower *follower_of(struct agent *a)
{
    struct watched_process *w = a->at_work;
    size_t followed = 0;
    if (!w->wants_sites)
        return NULL;
    for (size_t i = 0; i < a->count; i++)
        followed += a->all[i]->follower.child > 0;
    if (w->follower.child > 0 || followed < MAX_FOLLOWED)
        return &w->follower;
    if (!a->too_many_followed_reported && !a->settings->quiet)
        put_message("note", a->options->sites,
                    "%d processes are followed already; %s is not", MAX_FOLLOWED,
                    w->process.who);
    a->too_many_followed_reported = true;
    return NULL;
}

static void sidecar_take(struct agent *a)
{
    struct watched_process *w = a->at_work;
    const char *socket = w->process.socket;
    struct snapshot_result t;
    /* The turn may have been waited for: it is paused now. */
    w->begun = seconds_now();
    a->c.how.socket = socket[0] != '\0' ? socket : NULL;
    a->c.how.pid = a->c.how.socket == NULL ? w->process.pid : 0;
    a->c.how.keep_names = w->keep_names;
    a->c.how.expected_bytes = w->objects * TRACE_BYTES;
    a->c.label = w->process.who;
    a->c.host = w->process.host;
    a->c.is_warm = w->taken > 0;
    a->c.most_seconds = a->is_once ? 0 : most_seconds(a);
    see_run(a);
    /* Following objects in this process needs the previous snapshot, and there is only one
     * process. */
    if (a->c.gc_listener == NULL && !a->is_once) {
        if (snapshot_job_begin(&a->job, &a->c, w->process.who, follower_of(a)))
            return;
        t = (struct snapshot_result){.status = EXIT_TROUBLE};
        set_error(&t.err, HD_OK, "%s", strerror(errno));
    } else {
        monitoring_expect(a, WATCH_TAKES, a->c.most_seconds + STEP_S);
        snapshot_job_run(&a->c, w->process.who, &t);
    }
    see_result(a, &t);
}

/* A process that is larger than it may be has a heap that may be; what is not known may be,
 * too. */
static void begin_work(struct agent *a, struct watched_process *w)
{
    uint64_t most = a->options->max_heap, memory = w->process.memory;
    struct hd_error err;
    a->at_work = w;
    w->begun = a->turn_since = seconds_now();
    w->attempts++;
    a->attempts++;
    if (most == 0 || (memory != HD_UNKNOWN && memory <= most)) {
        if (has_turn(a))
            sidecar_take(a);
        return;
    }
    if (memory == HD_UNKNOWN)
        set_error(&err, HD_TOO_BIG,
                  "its memory use is not visible from here, as --max-heap requires");
    else
        set_error(&err, HD_TOO_BIG, "it uses %.0f MiB, more than --max-heap (%.0f MiB)",
                  (double)memory / 1048576, (double)most / 1048576);
    fail_work(a, WATCH_TOO_LARGE, &err);
}

/* --- for how long ---------------------------------------------------------------- */

/* Also while a snapshot is taken elsewhere, which may take minutes. */
static bool is_time_to_look(struct agent *a, double now)
{
    if (a->at_work != NULL)
        return a->options->all && a->job.child > 0 && now >= finding_next(a);
    if (schedule_next_due(a->all, a->count) <= now)
        return finding_is_stale(a, now);
    if (now < finding_next(a))
        return false;
    /* A process with a pid lives as long as the kernel reports it; no query is needed. */
    const struct watched_process *one =
        a->count == 1 && !a->options->all ? a->all[0] : NULL;
    bool is_known = one != NULL && one->is_there && one->process.born != 0 &&
                    !agent_process_has_ended(&one->process);
    if (is_known)
        a->looked = now;
    return !is_known;
}

static void sidecar_look(struct agent *a)
{
    monitoring_expect(a, WATCH_LOOKS, STEP_S);
    finding_look(a);
}

/* Waits for a file locked by others at most a minute, twice: to open, and to write. Memory
 * for the snapshot and the store is then released. */
static void store(struct agent *a)
{
    if (a->queue.count == 0)
        return;
    monitoring_expect(a, WATCH_STORES, 3 * STEP_S);
    last_resort_hold(true);
    store_writer_flush(&a->queue, false);
    monitoring_expect(a, WATCH_WAITS, STEP_S);
    if (a->queue.count == 0)
        memory_give_back();
}

static void rest(struct agent *a)
{
    unsigned before = a->c.signalled;
    double left =
        fmin(schedule_next_due(a->all, a->count), finding_next(a)) - seconds_now();
    int ms = left * 1e3 >= TICK_MS ? TICK_MS : left > 0 ? (int)(left * 1e3) + 1 : 0;
    if (a->at_work != NULL)
        ms = a->job.child > 0 ? WORK_MS : TURN_MS;
    collector_is_stopped(&a->c, ms);
    /* The second signal does not wait for the snapshot in hand. */
    if (a->c.signalled > before && a->c.signalled > 1)
        snapshot_job_stop(&a->job);
}

static void rounds(struct agent *a)
{
    struct snapshot_result t;
    while ((!a->is_over && !a->c.stopped) || a->at_work != NULL) {
        monitoring_expect(a, WATCH_WAITS, STEP_S);
        last_resort_hold(a->at_work != NULL);
        if (a->job.child != 0 && snapshot_job_is_done(&a->job, &t))
            see_result(a, &t);
        else if (a->at_work != NULL && a->job.child == 0 && a->c.stopped)
            end_work(a, EXIT_DONE, false);
        else if (a->at_work != NULL && a->job.child == 0 && has_turn(a))
            sidecar_take(a);
        if (is_time_to_look(a, seconds_now()))
            sidecar_look(a);
        triggering_look(a);
        struct watched_process *next = schedule_pick(a->all, a->count, seconds_now());
        bool goes_on = !a->is_over && !a->c.stopped;
        last_resort_hold(a->at_work != NULL || next != NULL);
        if (a->at_work == NULL && next != NULL && goes_on)
            begin_work(a, next);
        store(a);
        tick(a);
        if (goes_on || a->at_work != NULL)
            rest(a);
    }
}

/* Wait for the process at first, too: a pod starts its containers in any order. */
static bool find_first(struct agent *a)
{
    sidecar_look(a);
    while (a->count == 0 && !a->options->all && !a->is_over && !a->c.stopped) {
        double left = finding_next(a) - seconds_now();
        if (left <= 0)
            sidecar_look(a);
        else
            collector_is_stopped(&a->c,
                                 left * 1e3 < TICK_MS ? (int)(left * 1e3) + 1 : TICK_MS);
        tick(a);
    }
    return !a->is_over && !a->c.stopped;
}

static bool sidecar_begin(struct agent *a, const struct settings *s)
{
    const struct collect_options *o = s->own;
    bool is_away = false;
    a->settings = s;
    a->options = o;
    bool is_usual = !o->interval_given && !a->is_once;
    a->interval = (double)(is_usual ? USUAL_INTERVAL_MS : o->interval_ms) / 1e3;
    if (!collector_begin(&a->c, s))
        return false;
    a->c.finishes = true;
    last_resort_hold(false);
    a->c.meanwhile = tick;
    a->c.meanwhile_context = a;
    a->lock = (struct host_lock){.path = o->lock, .held = -1};
    a->clock_offset = seconds_utc() - seconds_now();
    a->queue = store_writer_begin(s);
    bool goes_on = store_writer_probe(&a->queue, &is_away) || (is_away && !a->is_once);
    a->queue.is_away = is_away;
    if (goes_on && !a->is_once)
        messages_with_time();
    if (goes_on) {
        memory_keep_little();
        triggering_begin(a);
        goes_on = monitoring_begin(a);
    }
    if (!goes_on)
        collector_end(&a->c);
    return goes_on;
}

static void print_begin(const struct agent *a)
{
    const struct settings *s = a->settings;
    const struct collect_options *o = a->options;
    if (s->quiet || a->is_once)
        return;
    begin_message(NULL, !o->all              ? a->all[0]->process.who
                        : o->name != NULL    ? o->name
                        : s->service != NULL ? s->service
                                             : "all .NET processes");
    fprintf(stderr, ": a snapshot every %.4g s into ", a->interval);
    hd_store_put_url(hd_sink_file(stderr), s->store);
    if (!o->all)
        fprintf(stderr, ", the first in %.0f s",
                schedule_until_first(a->all[0], a->interval));
    fputc('\n', stderr);
}

int sidecar_run(struct settings *s, bool is_once)
{
    struct agent agent = {.root = "", .c = {.signals = -1}, .is_once = is_once};
    struct agent *a = &agent;
    struct collect_options *o = s->own;
    if (is_once && o->snapshot_count == 0)
        o->snapshot_count = 1;
    /* Output readers may be restarted. */
    if (!is_once)
        signal(SIGPIPE, SIG_IGN);
    if (!sidecar_begin(a, s))
        return EXIT_TROUBLE;
    if (find_first(a)) {
        print_begin(a);
        rounds(a);
        bool is_cut = a->is_once && a->c.stopped && a->attempts < o->snapshot_count;
        a->status = is_cut ? EXIT_TROUBLE : a->status;
    }
    finding_unfollow(a);
    monitoring_expect(a, WATCH_STORES, 3 * STEP_S);
    last_resort_hold(a->queue.count > 0);
    if (!store_writer_end(&a->c, &a->queue))
        a->status = EXIT_TROUBLE;
    /* Summary for many processes. */
    struct rusage used = {.ru_maxrss = 0};
    getrusage(RUSAGE_SELF, &used);
    if (o->all && !s->quiet)
        put_message(NULL, "stopped",
                    "%" PRIu64 " snapshots of %" PRIu64 " processes, %" PRIu64
                    " stored; own memory %.0f MiB at most",
                    a->taken, a->numbered, a->queue.stored, (double)used.ru_maxrss / 1024);
    monitoring_end(a);
    collector_end(&a->c);
    finding_free(a);
    return a->status;
}
