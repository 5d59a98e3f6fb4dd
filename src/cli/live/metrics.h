/* metrics.h - what `watch --store` tells of itself: counters and the text that Prometheus
 * reads of them. It takes no snapshots, and knows no socket.
 *
 * Counts are kept by service and host, not by process: a pid in a label would be a new
 * series with each restart. */
#ifndef METRICS_H
#define METRICS_H

#include "heapdrift.h"

#include <stdbool.h>
#include <stdint.h>

/* What became of a snapshot that was due. */
enum watch_event {
    WATCH_TAKEN,
    WATCH_TRIGGERED, /* taken for its memory, not by the clock; counted besides */
    WATCH_FAILED,    /* the process did not give one */
    WATCH_NO_TURN,   /* another collector kept the host's lock */
    WATCH_TOO_LARGE, /* --max-heap, or its memory cannot be seen */
    WATCH_TOO_LATE,  /* so near its limit that the collection might end it */
    WATCH_EVENT_COUNT
};

struct service_counts; /* of a service on a host */

/* A process that is being watched. */
struct watched_process {
    const char *service, *host;
    double last; /* seconds UTC: of its last snapshot; before that, since when it is seen */
};

/* Counters and state; {0} with the times set. Members below the line are the caller's to
 * set before watch_metrics_put(). */
struct watch_metrics {
    struct service_counts *services;
    size_t service_count;

    double started;          /* seconds UTC, as all times */
    double beat;             /* when the loop last turned */
    double interval;         /* seconds between the snapshots of a process */
    bool is_store_reachable; /* as of the last try */
    uint64_t queued, queued_bytes, stored, dropped;
    const struct watched_process *processes;
    size_t process_count;
};

void watch_metrics_count(struct watch_metrics *m, const char *service, const char *host,
                         enum watch_event what);

/* A snapshot that was taken stopped its process for so long; NAN: unknown. */
void watch_metrics_pause(struct watch_metrics *m, const char *service, const char *host,
                         double seconds);

/* The text, at most so large that a scrape takes no notice: of more than a thousand
 * services and hosts the others are counted as one. */
void watch_metrics_put(const struct watch_metrics *m, struct hd_memory *text);

void watch_metrics_free(struct watch_metrics *m);

#endif
