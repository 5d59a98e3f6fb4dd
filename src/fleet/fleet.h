/* fleet.h - a set of run records, with unique series.
 *
 * Records are in one arena, and share names. They are sorted on demand, so results do not
 * depend on the order of insertion. Must not depend on their source or use. */
#ifndef FLEET_H
#define FLEET_H

#include "base/arena.h"
#include "heapdrift_fleet.h"
#include "series/trend.h"

struct fleet_name;
struct fleet_series;

struct hd_fleet {
    struct arena arena;
    unsigned holders; /* reports, in addition to the owner */
    bool has_rules;   /* else the first part sets them */
    struct hd_fleet_rules rules;
    bool *shards; /* of rules.shards: the present ones; NULL: all, in one */

    struct hd_run_record *all;
    size_t len, cap;
    bool is_sorted;

    struct fleet_name *names;    /* hash set */
    struct fleet_series *series; /* hash set by id */
};

/* Sets the rules; copies the service to the arena, and uses shard 1 of 1 for all. */
void fleet_set_rules(struct hd_fleet *f, const struct hd_fleet_rules *rules);

/* Returns the unique copy of a string in the arena, as UTF-8; NULL for NULL and "". */
const char *fleet_name(struct hd_fleet *f, const char *s);

/* Sorts records by service, host, start, pid and series. */
void fleet_sort(struct hd_fleet *f);

/* Adds a reference, to be freed too: keeps names and numbers alive. */
struct hd_fleet *fleet_hold(struct hd_fleet *f);

/* Compares names; NULL is the smallest. */
int fleet_order(const char *a, const char *b);

/* Compares by another name if the first ones are equal. */
int fleet_order_of_two(const char *a, const char *b, const char *then_a,
                       const char *then_b);

/* Bytes over time, known values only: at most TREND_MAX_POINTS, in strictly ascending
 * time. */
struct points {
    double x[TREND_MAX_POINTS], y[TREND_MAX_POINTS];
    struct trend trend; /* of the points */
};
void fleet_points(struct points *to, const double *times, const uint64_t *bytes,
                  size_t count);

/* Returns the number of missing shards. */
unsigned fleet_shards_missing(const struct hd_fleet *f);

#endif
