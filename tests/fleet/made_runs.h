/* made_runs.h - run records made by hand, one line per run. */
#ifndef MADE_RUNS_H
#define MADE_RUNS_H

#include "fleet/fleet.h"

#include <criterion/criterion.h>
#include <math.h>

enum { MADE_POINTS = 6, MADE_MAX = 30, MADE_MIB = 1 << 20 };
static const double made_hour = 3600, made_day = 86400, made_start = 1794700800;

/* A run with or without one suspect. */
struct made_run {
    const char *service, *host, *build;
    double started;   /* days since made_start */
    const char *type; /* of its suspect; NULL: healthy */
    const char *holder;
    double share, per_hour; /* of the suspect: share of the heap; bytes */
    enum hd_doubt doubt;
    double heap_per_hour;
    uint64_t limit;
    const char *title, *hint, *chain; /* of the suspect; NULL: type, none, none */
    size_t points;                    /* snapshots; 0: six */
    double age;                       /* hours, age of the process at its first snapshot */
    bool fills;                       /* its growth halves every hour */
};

/* One snapshot per hour. Valid until the next call. */
static inline const struct hd_run_record *made_record(uint64_t series,
                                                      const struct made_run *m)
{
    static double times[MADE_MAX];
    static uint64_t heap[MADE_MAX], retained[MADE_MAX];
    static struct hd_run_finding finding;
    static struct hd_run_record r;
    size_t points = m->points > 0 ? m->points : MADE_POINTS;
    for (size_t k = 0; k < points; k++) {
        double hours = m->fills ? 2 - 2 * pow(0.5, (double)k) : (double)k;
        times[k] = made_start + m->started * made_day + (double)k * made_hour;
        retained[k] = (uint64_t)(MADE_MIB + hours * m->per_hour);
        heap[k] = 100 * MADE_MIB;
    }
    finding = (struct hd_run_finding){.rank = 1,
                                      .type = m->type,
                                      .title = m->title != NULL ? m->title : m->type,
                                      .hint = m->hint,
                                      .chain = m->chain,
                                      .holder = m->holder,
                                      .score = m->share * 100 * MADE_MIB,
                                      .score_share = m->share,
                                      .per_hour = m->per_hour,
                                      .retained = retained};
    r = (struct hd_run_record){.series = series,
                               .run = hd_unknown_run(),
                               .recorded = points,
                               .doubt = m->doubt,
                               .confidence = HD_CONFIDENCE_HIGH,
                               .count = points,
                               .times = times,
                               .heap = heap,
                               .heap_per_hour = m->heap_per_hour,
                               .findings = &finding,
                               .finding_count = m->type != NULL};
    r.judgement = m->doubt == HD_DOUBT_NONE        ? HD_JUDGED
                  : m->doubt >= HD_DOUBT_PROCESSES ? HD_UNSURE
                                                   : HD_NOT_JUDGED;
    r.run.service = m->service;
    r.run.host = m->host;
    r.run.build = m->build;
    r.run.started = times[0] - m->age * made_hour;
    r.run.limit = m->limit > 0 ? m->limit : HD_UNKNOWN;
    return &r;
}

static inline void made_add(struct hd_fleet *f, uint64_t series, struct made_run m)
{
    struct hd_error err = {0};
    cr_assert(hd_fleet_add(f, made_record(series, &m), &err), "%s", err.message);
}

static inline struct hd_fleet *made_fleet(unsigned shard, unsigned shards)
{
    const struct hd_fleet_rules rules = {.since = NAN,
                                         .until = made_start + 30 * made_day,
                                         .shard = shard,
                                         .shards = shards,
                                         .min_share = 0.02};
    return hd_fleet_new(&rules);
}

#endif
