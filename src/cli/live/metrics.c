#include "cli/live/metrics.h"

#include "cli/guard/allocate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct service_counts {
    char *service, *host;
    uint64_t events[WATCH_EVENT_COUNT];
    double pause, pause_sum; /* seconds; pause is the last, NAN: unknown */
};

enum { MOST_SERVICES = 1000 };
static const char others[] = "(others)";

/* --- counting ------------------------------------------------------------------------ */

static char *copy_of(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(more(NULL, size), s, size);
}

static bool is_of(const struct service_counts *c, const char *service, const char *host)
{
    return strcmp(c->service, service) == 0 && strcmp(c->host, host) == 0;
}

static struct service_counts *counts_of(struct watch_metrics *m, const char *service,
                                        const char *host)
{
    for (size_t i = 0; i < m->service_count; i++)
        if (is_of(&m->services[i], service, host))
            return &m->services[i];
    if (m->service_count >= MOST_SERVICES && strcmp(service, others) != 0)
        return counts_of(m, others, "");
    m->services = more(m->services, (m->service_count + 1) * sizeof(*m->services));
    struct service_counts *added = &m->services[m->service_count++];
    *added = (struct service_counts){
        .service = copy_of(service), .host = copy_of(host), .pause = NAN};
    return added;
}

void watch_metrics_count(struct watch_metrics *m, const char *service, const char *host,
                         enum watch_event what)
{
    counts_of(m, service, host)->events[what]++;
}

void watch_metrics_pause(struct watch_metrics *m, const char *service, const char *host,
                         double seconds)
{
    struct service_counts *c = counts_of(m, service, host);
    c->pause = seconds;
    if (!isnan(seconds))
        c->pause_sum += seconds;
}

void watch_metrics_free(struct watch_metrics *m)
{
    for (size_t i = 0; i < m->service_count; i++) {
        free(m->services[i].service);
        free(m->services[i].host);
    }
    free(m->services);
    m->services = NULL;
    m->service_count = 0;
}

/* --- the text ------------------------------------------------------------------------ */

static void put(struct hd_memory *text, const char *name, const char *help,
                const struct hd_metric_sample *samples, size_t count)
{
    const struct hd_metric metric = {name, help, samples, count};
    struct hd_error none = {0};
    hd_put_metrics(hd_sink_memory(text), &metric, 1, &none);
}

static void put_one(struct hd_memory *text, const char *name, const char *help,
                    double value)
{
    const struct hd_metric_sample sample = {.value = value};
    put(text, name, help, &sample, 1);
}

static struct hd_metric_sample sample_of(const char *service, const char *host,
                                         double value)
{
    return (struct hd_metric_sample){{{"service", service}, {"host", host}}, value};
}

/* Resident, of this process; NAN. */
static double own_memory(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    bool ok = f != NULL && fscanf(f, "%*u %lu", &pages) == 1;
    if (f != NULL)
        fclose(f);
    return ok ? (double)pages * (double)sysconf(_SC_PAGESIZE) : NAN;
}

static void put_state(const struct watch_metrics *m, struct hd_memory *text)
{
    const struct hd_metric_sample build = {{{"version", hd_version()}}, 1};
    put(text, "heapdrift_build_info", "Which heapdrift this is.", &build, 1);
    put_one(text, "heapdrift_watch_start_timestamp_seconds", "When it started.",
            m->started);
    put_one(text, "heapdrift_watch_heartbeat_timestamp_seconds",
            "When its loop last turned.", m->beat);
    put_one(text, "heapdrift_watch_interval_seconds",
            "Time between two snapshots of a process.", m->interval);
    put_one(text, "heapdrift_watch_memory_bytes", "Its own resident memory.", own_memory());
    put_one(text, "heapdrift_watch_processes", "Processes that are watched now.",
            (double)m->process_count);
    put_one(text, "heapdrift_watch_store_reachable",
            "Whether the store could be opened when it last was to be.",
            m->is_store_reachable ? 1 : 0);
    put_one(text, "heapdrift_watch_queue_snapshots", "Snapshots that wait for the store.",
            (double)m->queued);
    put_one(text, "heapdrift_watch_queue_bytes", "Their size.", (double)m->queued_bytes);
    put_one(text, "heapdrift_watch_stored_total", "Snapshots that the store has taken.",
            (double)m->stored);
    put_one(text, "heapdrift_watch_dropped_total",
            "Snapshots that were lost before they could be stored.", (double)m->dropped);
}

/* Of several processes the one that has waited longest counts: one that is silent is not
 * hidden by another that is not. */
static void put_last(const struct watch_metrics *m, struct hd_memory *text,
                     struct hd_metric_sample *samples)
{
    size_t count = 0;
    for (size_t i = 0; i < m->service_count; i++) {
        const struct service_counts *c = &m->services[i];
        double last = INFINITY;
        for (size_t k = 0; k < m->process_count; k++)
            if (is_of(c, m->processes[k].service, m->processes[k].host))
                last = fmin(last, m->processes[k].last);
        if (isfinite(last))
            samples[count++] = sample_of(c->service, c->host, last);
    }
    put(text, "heapdrift_watch_last_snapshot_timestamp_seconds",
        "When the last snapshot was taken, of the process of the service that has waited "
        "longest; without one since when that process is watched.",
        samples, count);
}

static void put_events(const struct watch_metrics *m, struct hd_memory *text,
                       struct hd_metric_sample *samples, const char *name, const char *help,
                       enum watch_event what)
{
    for (size_t i = 0; i < m->service_count; i++)
        samples[i] = sample_of(m->services[i].service, m->services[i].host,
                               (double)m->services[i].events[what]);
    put(text, name, help, samples, m->service_count);
}

/* All reasons from the start, so that the first failure is an increase. */
static void put_failures(const struct watch_metrics *m, struct hd_memory *text,
                         struct hd_metric_sample *samples)
{
    static const struct {
        enum watch_event what;
        const char *reason;
    } reasons[] = {{WATCH_FAILED, "snapshot"},
                   {WATCH_NO_TURN, "lock"},
                   {WATCH_TOO_LARGE, "max-heap"},
                   {WATCH_TOO_LATE, "too-near-limit"}};
    size_t count = 0;
    for (size_t i = 0; i < m->service_count; i++)
        for (size_t k = 0; k < sizeof(reasons) / sizeof(*reasons); k++) {
            const struct service_counts *c = &m->services[i];
            samples[count] =
                sample_of(c->service, c->host, (double)c->events[reasons[k].what]);
            samples[count].labels[2].name = "reason";
            samples[count++].labels[2].value = reasons[k].reason;
        }
    put(text, "heapdrift_watch_failures_total",
        "Snapshots that were due and could not be taken.", samples, count);
}

static void put_pauses(const struct watch_metrics *m, struct hd_memory *text,
                       struct hd_metric_sample *samples)
{
    for (size_t i = 0; i < m->service_count; i++)
        samples[i] =
            sample_of(m->services[i].service, m->services[i].host, m->services[i].pause);
    put(text, "heapdrift_watch_pause_seconds",
        "How long the last snapshot stopped its process.", samples, m->service_count);
    for (size_t i = 0; i < m->service_count; i++)
        samples[i].value = m->services[i].pause_sum;
    put(text, "heapdrift_watch_pause_seconds_total",
        "How long all snapshots together stopped theirs.", samples, m->service_count);
}

void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text)
{
    struct hd_metric_sample *samples =
        zeroed(m->service_count * WATCH_EVENT_COUNT, sizeof(*samples));
    put_state(m, text);
    put_last(m, text, samples);
    put_events(m, text, samples, "heapdrift_watch_snapshots_total",
               "Snapshots that were taken.", WATCH_TAKEN);
    put_events(m, text, samples, "heapdrift_watch_triggered_total",
               "Those of them that were taken for the memory of the process.",
               WATCH_TRIGGERED);
    put_failures(m, text, samples);
    put_pauses(m, text, samples);
    free(samples);
}
