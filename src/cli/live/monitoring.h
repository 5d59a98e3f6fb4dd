/* monitoring.h - what others learn of an agent while it runs: /metrics and /healthz, or a
 * file for the textfile collector.
 *
 * Alive means that the loop turns: every step says for how long it may take, and is late
 * after that. Healthy means also that each process that is watched gives snapshots, and
 * that they are stored, whatever is the reason if not. */
#ifndef MONITORING_H
#define MONITORING_H

#include "cli/live/metrics.h"
#include "cli/live/metrics_server.h"

struct agent;

struct monitoring {
    struct watch_metrics metrics;
    struct metrics_server *server; /* NULL: --listen was not given */
    char watch[80];
    enum watch_activity activity;
    double seconds;              /* that it may take */
    double published, next_file; /* seconds_now() */
};

/* What is remembered of one process, for others. */
struct monitored {
    char service[256],
        host[256];             /* as the store has them, as far as that is known before */
    struct watched_service of; /* the same */
    uint64_t failures[WATCH_FAILURES]; /* that were told */
};

/* False after saying why --listen cannot be. */
bool monitoring_begin(struct agent *a);

/* The next thing takes so many seconds at most, or the watcher hangs. */
void monitoring_expect(struct agent *a, enum watch_activity what, double seconds);

/* Whenever something may have changed, as often as twice a second. */
void monitoring_turn(struct agent *a);

/* A snapshot was tried; w->pause and its failures say what came of it. Its numbers are told
 * at once, since w may be about to go. */
void monitoring_tried(struct agent *a, struct watched *w, bool is_taken, bool is_triggered);

void monitoring_end(struct agent *a);

#endif
