/* Exports the state of a running agent. */
#include "cli/commands/output.h"
#include "cli/guard/allocate.h"
#include "cli/terminal/clock.h"
#include "fleet/agent/agent.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds. */
static const double publish_every = 2, file_every = 15, file_again = 600;

static bool is_on(const struct agent *a)
{
    return a->monitoring.server != NULL || a->options->metrics != NULL;
}

/* --- counts ---------------------------------------------------------------------- */

static const char *first_set(const char *a, const char *b, const char *c)
{
    return a != NULL && a[0] != '\0' ? a : b != NULL && b[0] != '\0' ? b : c;
}

/* Its names are those that hd_store_record() will have. */
static void see_process(struct agent *a, struct watched_process *w)
{
    const struct agent_process *p = &w->process;
    struct monitored *known = w->monitored;
    char own[128] = "";
    struct run_facts facts;
    if (known == NULL) {
        known = w->monitored = zeroed(1, sizeof(*known));
        run_facts_of(&facts, a->settings, p->memory != HD_UNKNOWN ? p->pid : 0, HD_UNKNOWN);
        gethostname(own, sizeof(own) - 1);
        snprintf(known->service, sizeof(known->service), "%s",
                 first_set(facts.run.service, p->service, p->who));
        snprintf(
            known->host, sizeof(known->host), "%s",
            first_set(facts.run.host, p->host, first_set(getenv("HOSTNAME"), own, "")));
        known->of = (struct watched_service){
            .service = known->service, .host = known->host, .owner = p->owner};
        run_facts_free(&facts);
    }
    for (int why = WATCH_FINE; why < WATCH_FAILURES; why++) {
        uint64_t count = w->failures[why] - known->failures[why];
        if (count > 0 || why == WATCH_FINE)
            watch_metrics_failed(&a->monitoring.metrics, &known->of,
                                 (enum watch_failure)why, count);
        known->failures[why] = w->failures[why];
    }
}

void monitoring_tried(struct agent *a, struct watched_process *w, bool is_taken,
                      bool is_triggered)
{
    if (!is_on(a))
        return;
    see_process(a, w);
    if (is_taken)
        watch_metrics_taken(&a->monitoring.metrics, &w->monitored->of, is_triggered,
                            w->pause);
    a->monitoring.published = 0;
    a->monitoring.next_file = fmin(a->monitoring.next_file, seconds_now() + 1);
}

/* --- whether it is well ---------------------------------------------------------- */

static void monitoring_put(struct hd_memory *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void monitoring_put(struct hd_memory *to, const char *format, ...)
{
    char line[160];
    const struct hd_sink sink = hd_sink_memory(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    sink.write(sink.context, line, strlen(line));
}

/* Lists overdue processes, except those that are excluded. One per user first, so that
 * failures of a user do not hide those of another. */
static void put_overdue(struct agent *a, struct hd_memory *to, double most, double now)
{
    enum { MAX_LISTED = 8 };
    const struct watched_process *listed[MAX_LISTED];
    size_t count = 0, all = 0, k;
    for (size_t i = 0; i < a->count; i++) {
        const struct watched_process *w = a->all[i];
        double without = now - w->last_well;
        if (without <= most || w->process.is_denied || w->last_failure == WATCH_TOO_LARGE ||
            w->last_failure == WATCH_NEAR_LIMIT)
            continue;
        all++;
        for (k = 0; k < count && listed[k]->process.owner != w->process.owner; k++)
            ;
        if (k < count || count == MAX_LISTED)
            continue;
        listed[count++] = w;
        monitoring_put(to, "no snapshot of ");
        hd_put_name(hd_sink_memory(to), w->process.who);
        monitoring_put(to,
                       " of user %" PRIu64
                       " for %.0f s (%.0f intervals): %s; the next attempt in "
                       "%.0f s\n",
                       w->process.owner, without, without / a->interval,
                       w->last_failure == WATCH_FINE ? "waiting for its turn"
                                                     : watch_failure_name(w->last_failure),
                       fmax(schedule_due(w) - now, 0));
    }
    if (all > count)
        monitoring_put(to, "no snapshot of %zu other processes\n", all - count);
    a->monitoring.metrics.overdue = all;
}

/* Intervals without a snapshot, and time to find a process: one may fail, and one is
 * due. */
static void see_health(struct agent *a)
{
    const double intervals = 3, to_find = 10;
    double now = seconds_now(), most = intervals * a->interval + to_find;
    struct hd_memory text = {0};
    const struct queued_snapshot *first = a->queue.first;
    put_overdue(a, &text, most, now);
    if (first != NULL && now - first->added > most)
        monitoring_put(&text,
                       "nothing stored for %.0f s: %zu snapshots wait for the store\n",
                       now - first->added, a->queue.count);
    if (a->monitoring.server != NULL)
        metrics_server_say_ill(a->monitoring.server, text.size > 0 ? text.bytes : "");
    hd_memory_free(&text);
}

/* --- the text -------------------------------------------------------------------- */

/* Exports processes that can give snapshots, and failures. */
static void make_text(struct agent *a, struct hd_memory *text)
{
    struct watch_metrics *m = &a->monitoring.metrics;
    struct metrics_process *processes = zeroed(a->count, sizeof(*processes));
    double offset = seconds_utc() - seconds_now();
    for (size_t i = 0; i < a->count; i++) {
        struct watched_process *w = a->all[i];
        see_process(a, w);
        processes[i] = (struct metrics_process){
            w->monitored->of, w->last_taken > 0 ? w->last_taken : w->since + offset};
    }
    see_health(a);
    m->watch = a->monitoring.watch;
    m->beat = seconds_utc();
    m->interval = a->interval;
    m->memory = a->memory;
    m->is_store_reachable = !a->queue.is_away;
    m->queued = a->queue.count;
    m->queued_bytes = a->queue.bytes;
    m->stored = a->queue.stored;
    m->dropped = a->queue.lost;
    m->processes = processes;
    m->process_count = a->count;
    watch_metrics_put(m, text);
    m->processes = NULL;
    free(processes);
}

static bool write_text(const void *thing, const struct settings *s, FILE *to,
                       struct hd_error *err)
{
    const struct hd_memory *text = thing;
    (void)s;
    return (fwrite(text->bytes, 1, text->size, to) == text->size && fflush(to) == 0) ||
           set_error(err, HD_IO, "cannot write the whole file");
}

void monitoring_turn(struct agent *a)
{
    struct monitor *m = &a->monitoring;
    double now = seconds_now();
    if (!is_on(a))
        return;
    if (m->server != NULL)
        metrics_server_beat(m->server, m->activity, m->seconds);
    /* The temporary file of the program is one, so only while no snapshot is taken here. */
    bool writes =
        a->options->metrics != NULL && now >= m->next_file && m->activity != WATCH_TAKES;
    if (!writes && (m->server == NULL || now - m->published < publish_every))
        return;
    struct hd_memory text = {0};
    make_text(a, &text);
    if (m->server != NULL)
        metrics_server_publish(m->server, text.bytes, text.size);
    if (writes) {
        const struct output_how how = {.write = write_text, .never_waits = true};
        bool ok = output_file(a->settings, a->options->metrics, how, &text);
        m->next_file = now + (ok ? file_every : file_again);
    }
    m->published = now;
    hd_memory_free(&text);
}

void monitoring_expect(struct agent *a, enum watch_activity what, double seconds)
{
    a->monitoring.activity = what;
    a->monitoring.seconds = seconds;
    if (a->monitoring.server == NULL)
        return;
    metrics_server_beat(a->monitoring.server, what, seconds);
    if (what == WATCH_WAITS && a->at_work == NULL)
        metrics_server_keep(a->monitoring.server);
}

/* --- from begin to end ----------------------------------------------------------- */

bool monitoring_begin(struct agent *a)
{
    const struct settings *s = a->settings;
    const struct collect_options *o = a->options;
    struct monitor *m = &a->monitoring;
    const double first = 60;
    m->metrics.started = seconds_utc();
    if (o->name == NULL && o->socket == NULL && o->process_id > 0)
        snprintf(m->watch, sizeof(m->watch), "%" PRIu64, o->process_id);
    else
        snprintf(m->watch, sizeof(m->watch), "%s",
                 o->name != NULL      ? o->name
                 : o->socket != NULL  ? o->socket
                 : s->service != NULL ? s->service
                                      : "all");
    if (o->listen != NULL)
        m->server = metrics_server_begin(s, o->listen);
    if (o->listen != NULL && m->server == NULL)
        return false;
    monitoring_expect(a, WATCH_LOOKS, first);
    return true;
}

void monitoring_end(struct agent *a)
{
    metrics_server_end(a->monitoring.server);
    watch_metrics_free(&a->monitoring.metrics);
}
