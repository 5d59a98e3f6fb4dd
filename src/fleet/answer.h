/* answer.h - combines the records of a fleet: docs/fleet-method.md has the formulas.
 *
 * Everything is computed from the sorted records, by sorting and single passes: the result
 * does not depend on their source, and the cost is below quadratic. Names belong to the
 * fleet, everything else to the answer's arena. */
#ifndef ANSWER_H
#define ANSWER_H

#include "fleet/fleet.h"

/* Computes the answer, except its headline; rows are not limited. */
void fleet_answer(struct hd_fleet_answer *a, struct hd_fleet *f,
                  const struct hd_fleet_options *opt, struct arena *arena);

/* Compares numbers. Returns the median of known values, or NAN; sorts them. */
int fleet_by_value(const void *a, const void *b);
double fleet_median(double *values, size_t count);

/* --- between answer.c and onset.c ----------------------------------------------- */

/* Weight of a run, in ascending order. */
enum run_weight {
    RUN_NOTHING,
    RUN_COMPARED, /* may contain a suspect, but has too little evidence to be pooled */
    RUN_POOLED,
    RUN_JUDGED
};

/* The runs of a service, consecutive and sorted by host. */
struct service_runs {
    const struct hd_run_record *all;
    size_t len;
    struct service_builds *builds;
    uint64_t hosts[RUN_JUDGED + 1], runs[RUN_JUDGED + 1]; /* with at least this weight */
};

/* A run with a given suspect. */
struct hit {
    const struct hd_run_record *run;
    const struct hd_run_finding *finding;
    uint32_t host;  /* index in the service */
    uint32_t build; /* index in the service, by first_seen; NO_BUILD */
    bool counts;    /* it is judged, alone or pooled */
};
enum { NO_BUILD = UINT32_MAX };

/* Builds of a service, by first_seen. */
struct service_builds {
    struct service_build {
        const char *name;
        double first_seen;
        uint64_t judged;   /* runs */
        uint64_t compared; /* the same, and unsure ones */
    } * all;
    const struct service_build **by_name;
    size_t len;
};

struct service_builds *onset_builds(const struct hd_run_record *all, size_t len,
                                    struct arena *arena);

/* Returns the index of a build. O(log builds). */
uint32_t onset_build_of(const struct service_builds *b, const struct hd_run_record *run);

/* Returns when a build or leak is first seen in that run: NAN unknown. */
double onset_seen(const struct hd_run_record *run);

/* Finds where a suspect began, from all of its hits, which it sorts by build. O(hits · log
 * hits). */
void onset_find(struct hd_fleet_suspect *s, struct hit *hits, size_t count,
                const struct service_builds *builds, struct arena *arena);

/* --- between answer.c and pool.c ------------------------------------------------ */

/* Pools of runs of a service that have too little evidence alone. In the arena. */
struct pools;
struct pools *pools_make(const struct service_runs *of, uint64_t limit,
                         struct arena *arena);
struct run_in_pools {
    enum run_weight weight;
    bool ended_near;   /* near its memory limit, and followed by another run of its host */
    bool was_followed; /* by another run of its host */
};
const struct run_in_pools *pools_run(const struct pools *p,
                                     const struct hd_run_record *run);

/* Sets the number of different suspects that will be judged, for the Bonferroni
 * correction. */
void pools_set_suspects(struct pools *p, size_t suspects);

/* Judges the suspect of these hits by pools and sets *s: periods, chance, hours, missing
 * (HD_MISSING_NOTHING: they are evidence). Marks hits on hosts that count as a result, and
 * keeps their order. O(hits · log hits). */
void pools_judge(const struct pools *p, struct hit *hits, size_t count,
                 struct hd_fleet_suspect *s);

#endif
