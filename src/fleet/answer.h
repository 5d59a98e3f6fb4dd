/* answer.h - what the records of a fleet say together: docs/fleet.md has the formulas.
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

/* --- between answer.c and onset.c ----------------------------------------------- */

/* The runs of a service, which follow each other, sorted by host. */
struct service_runs {
    const struct hd_run_record *all;
    size_t len;
    struct service_builds *builds;
    uint64_t hosts_judged, runs_judged;
};

/* A run that shows a suspect. */
struct hit {
    const struct hd_run_record *run;
    const struct hd_run_finding *finding;
    uint32_t host;  /* of the service: numbered in their order */
    uint32_t build; /* the same, by when it was first seen; NO_BUILD */
};
enum { NO_BUILD = UINT32_MAX };

/* Builds of a service in the order in which they were first seen. */
struct service_builds {
    const char **names;
    double *first_seen;
    uint64_t *judged; /* runs of each */
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

#endif
