#include "fleet/agent/agent.h"

#include "cli/guard/allocate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values per service: counts; seconds of the last pause (NAN: unknown) and of all
 * pauses. */
enum { TAKEN, TRIGGERED, PAUSE, PAUSE_SUM, SERVICE_VALUES };

struct service_counts {
    char *service, *host;
    uint64_t owner;
    char user[24]; /* owner as text; "" for the rest */
    double values[SERVICE_VALUES];
    uint64_t failures[WATCH_FAILURES];
};

enum { MAX_SERVICES = 300 };

/* --- counting ------------------------------------------------------------------------ */

static char *copy_of(const char *s)
{
    size_t size = strlen(s) + 1;
    return memcpy(more(NULL, size), s, size);
}

static bool is_of(const struct service_counts *c, const struct watched_service *of)
{
    return c->owner == of->owner && strcmp(c->service, of->service) == 0 &&
           strcmp(c->host, of->host) == 0;
}

static struct service_counts *metrics_find(struct watch_metrics *m,
                                           const struct watched_service *of)
{
    for (size_t i = 0; i < m->service_count; i++)
        if (is_of(&m->services[i], of))
            return &m->services[i];
    return NULL;
}

static struct service_counts *add_counts(struct watch_metrics *m,
                                         const struct watched_service *of)
{
    m->services = more(m->services, (m->service_count + 1) * sizeof(*m->services));
    struct service_counts *added = &m->services[m->service_count++];
    *added = (struct service_counts){.service = copy_of(of->service),
                                     .host = copy_of(of->host),
                                     .owner = of->owner,
                                     .values[PAUSE] = NAN};
    if (of->owner != HD_UNKNOWN)
        snprintf(added->user, sizeof(added->user), "%" PRIu64, of->owner);
    return added;
}

/* --- too many ------------------------------------------------------------------------ */

static const struct watched_service others = {"(others)", "", HD_UNKNOWN};

static size_t services_of(const struct watch_metrics *m, uint64_t owner, size_t *last)
{
    size_t count = 0;
    for (size_t i = 0; i < m->service_count; i++)
        if (m->services[i].owner == owner) {
            count++;
            *last = i;
        }
    return count;
}

/* Adds the counts of a service to those of the rest, and removes it. */
static void join_others(struct watch_metrics *m, size_t which)
{
    struct service_counts gone = m->services[which];
    memmove(&m->services[which], &m->services[which + 1],
            (--m->service_count - which) * sizeof(gone));
    struct service_counts *all = metrics_find(m, &others);
    all = all != NULL ? all : add_counts(m, &others);
    for (int i = 0; i < SERVICE_VALUES; i++)
        all->values[i] += i != PAUSE ? gone.values[i] : 0;
    for (int why = 0; why < WATCH_FAILURES; why++)
        all->failures[why] += gone.failures[why];
    free(gone.service);
    free(gone.host);
}

/* Frees a place of the user with most services for one with fewer: however many services
 * one user invents, the others keep a place each. */
static bool make_place(struct watch_metrics *m, uint64_t owner)
{
    size_t most = 0, last = 0, of_most = 0, unused;
    for (size_t i = 0; i < m->service_count; i++) {
        size_t at = 0, count = services_of(m, m->services[i].owner, &at);
        if (count > most && m->services[i].owner != HD_UNKNOWN) {
            most = count;
            of_most = m->services[i].owner;
            last = at;
        }
    }
    if (of_most == owner || most <= services_of(m, owner, &unused) + 1)
        return false;
    join_others(m, last);
    return true;
}

static struct service_counts *counts_of(struct watch_metrics *m,
                                        const struct watched_service *of)
{
    struct service_counts *found = metrics_find(m, of);
    bool is_full = m->service_count >= MAX_SERVICES;
    if (found == NULL && is_full && !make_place(m, of->owner)) {
        of = &others;
        found = metrics_find(m, of);
    }
    return found != NULL ? found : add_counts(m, of);
}

void watch_metrics_taken(struct watch_metrics *m, const struct watched_service *of,
                         bool is_triggered, double pause)
{
    struct service_counts *c = counts_of(m, of);
    c->values[TAKEN]++;
    c->values[TRIGGERED] += is_triggered;
    c->values[PAUSE] = pause;
    c->values[PAUSE_SUM] += isnan(pause) ? 0 : pause;
}

void watch_metrics_failed(struct watch_metrics *m, const struct watched_service *of,
                          enum watch_failure why, uint64_t count)
{
    counts_of(m, of)->failures[why] += count;
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

/* The samples of a metric, one metric after the other. */
struct metric_samples {
    const struct watch_metrics *m;
    struct hd_memory *text;
    struct hd_metric_sample *samples;
    size_t count;
};

/* reason: why a snapshot could not be taken; NULL: of another metric. */
static void add_of(struct metric_samples *t, const struct service_counts *c,
                   const char *reason, double value)
{
    t->samples[t->count++] =
        (struct hd_metric_sample){{{"watch", t->m->watch},
                                   {"service", c->service},
                                   {"host", c->host},
                                   {"user", c->user},
                                   {reason != NULL ? "reason" : NULL, reason}},
                                  value};
}

/* Prints the metric with the samples added since the last one. */
static void metrics_put(struct metric_samples *t, const char *name, const char *help)
{
    const struct hd_metric metric = {name, help, t->samples, t->count};
    struct hd_error none = {0};
    hd_put_metrics(hd_sink_memory(t->text), &metric, 1, &none);
    t->count = 0;
}

static void put_one(struct metric_samples *t, const char *name, const char *help,
                    double value)
{
    t->samples[t->count++] = (struct hd_metric_sample){{{"watch", t->m->watch}}, value};
    metrics_put(t, name, help);
}

static void put_state(struct metric_samples *t)
{
    const struct watch_metrics *m = t->m;
    t->samples[t->count++] =
        (struct hd_metric_sample){{{"watch", m->watch}, {"version", hd_version()}}, 1};
    metrics_put(t, "heapdrift_build_info", "Version of heapdrift.");
    put_one(t, "heapdrift_watch_start_timestamp_seconds",
            "Unix time of the start of watch.", m->started);
    put_one(t, "heapdrift_watch_heartbeat_timestamp_seconds",
            "Unix time of the last iteration of the main loop.", m->beat);
    put_one(t, "heapdrift_watch_interval_seconds",
            "Seconds between two snapshots of a process.", m->interval);
    put_one(t, "heapdrift_watch_memory_bytes", "Resident memory of watch in bytes.",
            (double)m->memory);
    put_one(t, "heapdrift_watch_processes", "Watched processes.", (double)m->process_count);
    put_one(t, "heapdrift_watch_overdue_processes",
            "Watched processes without a snapshot for three intervals.",
            (double)m->overdue);
    put_one(t, "heapdrift_watch_store_reachable",
            "1 if the last attempt to open the store succeeded, else 0.",
            m->is_store_reachable);
    put_one(t, "heapdrift_watch_queue_snapshots", "Snapshots waiting for the store.",
            (double)m->queued);
    put_one(t, "heapdrift_watch_queue_bytes",
            "Bytes of the snapshots waiting for the store.", (double)m->queued_bytes);
    put_one(t, "heapdrift_watch_stored_total", "Snapshots stored.", (double)m->stored);
    put_one(t, "heapdrift_watch_dropped_total",
            "Snapshots lost before they could be stored.", (double)m->dropped);
}

/* Uses the process that has waited longest, so that a silent one is not hidden by
 * another. */
static void put_last(struct metric_samples *t)
{
    const struct watch_metrics *m = t->m;
    for (size_t i = 0; i < m->service_count; i++) {
        const struct service_counts *c = &m->services[i];
        double last = INFINITY;
        for (size_t k = 0; k < m->process_count; k++)
            if (is_of(c, &m->processes[k].of))
                last = fmin(last, m->processes[k].last);
        if (isfinite(last))
            add_of(t, c, NULL, last);
    }
    metrics_put(t, "heapdrift_watch_last_snapshot_timestamp_seconds",
                "Unix time of the last snapshot of the service's longest-waiting process; "
                "when watching began if it has none.");
}

void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text)
{
    static const struct {
        const char *name, *help;
    } values[SERVICE_VALUES] = {
        [TAKEN] = {"heapdrift_watch_snapshots_total", "Snapshots taken."},
        [TRIGGERED] = {"heapdrift_watch_triggered_total",
                       "Snapshots triggered by memory use (--at)."},
        [PAUSE] = {"heapdrift_watch_pause_seconds",
                   "Seconds for which the last snapshot stopped its process."},
        [PAUSE_SUM] = {
            "heapdrift_watch_pause_seconds_total",
            "Seconds for which all snapshots together stopped their processes."}};
    struct metric_samples t = {.m = m, .text = text};
    t.samples = zeroed((m->service_count + 1) * WATCH_FAILURES, sizeof(*t.samples));
    put_state(&t);
    put_last(&t);
    for (int k = 0; k < SERVICE_VALUES; k++) {
        for (size_t i = 0; i < m->service_count; i++)
            add_of(&t, &m->services[i], NULL, m->services[i].values[k]);
        metrics_put(&t, values[k].name, values[k].help);
    }
    /* All reasons from the start, so that the first failure is an increase. */
    for (size_t i = 0; i < m->service_count; i++)
        for (int why = WATCH_FINE + 1; why < WATCH_FAILURES; why++)
            add_of(&t, &m->services[i], watch_failure_name((enum watch_failure)why),
                   (double)m->services[i].failures[why]);
    metrics_put(&t, "heapdrift_watch_failures_total",
                "Due snapshots that could not be taken.");
    free(t.samples);
}
