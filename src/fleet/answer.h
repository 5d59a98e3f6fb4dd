/* answer.h - what the records of a fleet say together: formulas in docs/fleet-method.md.
 *
 * Everything is made of the sorted records, by sorting and by going through once: nothing
 * depends on where they came from, and nothing is quadratic. Names are those of the fleet,
 * the rest lies in the answer's arena. */
#ifndef ANSWER_H
#define ANSWER_H

#include "fleet/fleet.h"

/* All of it but the headline; rows are all there are. */
void fleet_answer(struct hd_fleet_answer *a, struct hd_fleet *f,
                  const struct hd_fleet_options *opt, struct arena *arena);

/* Numbers in order; the median of those that are known, NAN: none. They are sorted then. */
int fleet_by_value(const void *a, const void *b);
double fleet_median(double *values, size_t count);

/* --- between answer.c and onset.c ----------------------------------------------- */

/* How much a run may count: the more the larger. */
enum run_weight {
    RUN_NOTHING,
    RUN_COMPARED, /* it may show something, but says too little to be pooled */
    RUN_POOLED,
    RUN_JUDGED
};

/* The runs of a service, which follow each other, sorted by host. */
struct service_runs {
    const struct hd_run_record *all;
    size_t len;
    struct service_builds *builds;
    uint64_t hosts[RUN_JUDGED + 1], runs[RUN_JUDGED + 1]; /* that count for so much */
};

/* A run that shows a suspect. */
struct hit {
    const struct hd_run_record *run;
    const struct hd_run_finding *finding;
    uint32_t host;  /* of the service: numbered in their order */
    uint32_t build; /* the same, by when it was first seen; NO_BUILD */
    bool counts;    /* it is judged, by itself or with others */
};
enum { NO_BUILD = UINT32_MAX };

/* Builds of a service in the order in which they were first seen. */
struct service_builds {
    struct service_build {
        const char *name;
        double first_seen;
        uint64_t judged;   /* runs */
        uint64_t compared; /* the same, with unsure ones */
    } * all;
    const struct service_build **by_name;
    size_t len;
};

struct service_builds *onset_builds(const struct hd_run_record *all, size_t len,
                                    struct arena *arena);

/* The number of a build. O(log builds). */
uint32_t onset_build_of(const struct service_builds *b, const struct hd_run_record *run);

/* When a build or a leak is first seen by that run: NAN unknown. */
double onset_seen(const struct hd_run_record *run);

/* Where the suspect of these hits, all there are of it, began. Hits are sorted by build
 * then. O(hits · log hits). */
void onset_find(struct hd_fleet_suspect *s, struct hit *hits, size_t count,
                const struct service_builds *builds, struct arena *arena);

/* --- between answer.c and pool.c ------------------------------------------------ */

/* What the runs of a service say together that say too little alone. Lies in the arena. */
struct pools;
struct pools *pools_make(const struct service_runs *of, uint64_t limit,
                         struct arena *arena);
struct run_in_pools {
    enum run_weight weight;
    bool ended_near;   /* its limit of memory, and another run of its host followed */
    bool was_followed; /* by another run of its host */
};
const struct run_in_pools *pools_run(const struct pools *p,
                                     const struct hd_run_record *run);

/* How many different suspects are going to be asked about: chance counts so often. */
void pools_set_suspects(struct pools *p, size_t suspects);

/* What pools say of the suspect that all these hits are of, into *s: periods, chance,
 * hours, what is missing (nothing: they are evidence). Those on hosts that count because of
 * it count then. Hits keep their order. O(hits · log hits). */
void pools_judge(const struct pools *p, struct hit *hits, size_t count,
                 struct hd_fleet_suspect *s);

#endif
