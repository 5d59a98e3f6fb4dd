/* metrics.h - what `watch --store` tells of itself: counters and the text that Prometheus
 * reads of them. It takes no snapshots, and knows no socket.
 *
 * Counts are kept by service and host, not by process: a pid in a label would be a new
 * series with each restart. */
#ifndef METRICS_H
#define METRICS_H

#include "fleet/agent/watched.h"

#include <stdbool.h>
#include <stdint.h>

struct service_counts; /* of a service on a host */

/* A process may call itself what it likes, so that a service is also whose it is. */
struct watched_service {
    const char *service, *host;
    uint64_t owner; /* hd_process.owner */
};

/* A process that is being watched. */
struct watched_process {
    struct watched_service of;
    double last; /* seconds UTC: of its last snapshot; before that, since when it is seen */
};

/* Counters and state; {0} is none. What stands below the empty line is set by the caller
 * before watch_metrics_put(). */
struct watch_metrics {
    struct service_counts *services;
    size_t service_count;

    const char *watch;       /* what is watched: tells several watchers of a host apart */
    double started;          /* seconds UTC, as all times */
    double beat;             /* when the loop last turned */
    double interval;         /* seconds between the snapshots of a process */
    uint64_t memory;         /* resident, of this process */
    bool is_store_reachable; /* as of the last try */
    uint64_t queued, queued_bytes, stored, dropped;
    const struct watched_process *processes;
    size_t process_count;
    size_t overdue; /* of them: without a snapshot for too long */
};

/* A snapshot was taken, for memory and not by the clock if is_triggered; its pause in
 * seconds, NAN if unknown. */
void watch_metrics_taken(struct watch_metrics *m, const struct watched_service *of,
                         bool is_triggered, double pause);

/* So many that were due could not be taken. With WATCH_FINE that service is there: all its
 * counts are told from then on. */
void watch_metrics_failed(struct watch_metrics *m, const struct watched_service *of,
                          enum watch_failure why, uint64_t count);

/* The text, at most so large that a scrape takes no notice: of more than three hundred
 * services and hosts the others are counted as one, those first that were added last by the
 * user who has most. */
void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text);

void watch_metrics_free(struct watch_metrics *m);

#endif
