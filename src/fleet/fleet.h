/* fleet.h - a set of run records, each series once.
 *
 * Records lie in one arena, and names that many of them have lie there once. They are
 * sorted when somebody asks, so nothing depends on the order in which they came. It knows
 * neither where they came from nor what is made of them. */
#ifndef FLEET_H
#define FLEET_H

#include "base/arena.h"
#include "heapdrift_fleet.h"
#include "series/trend.h"

struct fleet_name;
struct fleet_series;

struct hd_fleet {
    struct arena arena;
    unsigned holders; /* reports besides its owner */
    bool has_rules;   /* else the first part gives them */
    struct hd_fleet_rules rules;
    bool *shards; /* of rules.shards: which are there; NULL: all, in one */

    struct hd_run_record *all;
    size_t len, cap;
    bool is_sorted;

    struct fleet_name *names;    /* each once; by itself */
    struct fleet_series *series; /* each once; by its id */
};

/* Rules whose service lies in the fleet's arena, with shards 1 of 1 for all. */
void fleet_set_rules(struct hd_fleet *f, const struct hd_fleet_rules *rules);

/* The same string in the arena, UTF-8, once; NULL for NULL and for "". */
const char *fleet_name(struct hd_fleet *f, const char *s);

/* Records by service, host, start, pid and series. */
void fleet_sort(struct hd_fleet *f);

/* Who holds it frees it too: names and numbers stay where they are. */
struct hd_fleet *fleet_hold(struct hd_fleet *f);

/* Names in their order, of which NULL is the first. */
int fleet_order(const char *a, const char *b);

/* The same by another name if those are equal. */
int fleet_order_of_two(const char *a, const char *b, const char *then_a,
                       const char *then_b);

/* Bytes over time, as far as they are known: at most TREND_MAX_POINTS, each later than the
 * one before. */
struct points {
    double x[TREND_MAX_POINTS], y[TREND_MAX_POINTS];
    struct trend trend; /* of these */
};
void fleet_points(struct points *to, const double *times, const uint64_t *bytes,
                  size_t count);

/* How many shards are not there. */
unsigned fleet_shards_missing(const struct hd_fleet *f);

#endif
