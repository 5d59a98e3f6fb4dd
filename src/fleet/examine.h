/* examine.h - what one run shows, of its snapshots. */
#ifndef EXAMINE_H
#define EXAMINE_H

#include "base/arena.h"
#include "heapdrift_fleet.h"

/* Growth in bytes per hour of at most 50 snapshots, some of which may be unknown: the
 * median of all slopes. NAN if less than a minute is known. */
double examine_rate(const double *times, const uint64_t *bytes, size_t count);

/* Fill in *record, whose strings and arrays lie in the arena, in series and in the report
 * that is returned (NULL: there is none), to be freed behind it. */
struct hd_report *examine_series(const struct hd_fleet_series *series,
                                 const struct hd_fleet_rules *rules, uint64_t max_memory,
                                 struct arena *arena, struct hd_run_record *record);

#endif
