/* retention.h - does a place keep what it gets?
 *
 * What leaks has survivors of every interval; a store that lives on turnover loses as many
 * as it gains, and churn has none. So the numbers of births.h are held against the
 * hypothesis that for each object that comes at least half a one goes (as many in a steady
 * state; half leaves room for a load that grows): of B that came and D that went then B are
 * no more than Bin(B + D, 2/3). Objects that die young hide a leak among them, so the same
 * is asked of those that are one and two snapshots old. docs/ranking.md, "It keeps what it
 * gets". It does not know what a path is. */
#ifndef RETENTION_H
#define RETENTION_H

#include "ages/births.h"

struct stays {
    bool keeps;          /* it keeps what it gets */
    bool turns_over;     /* at every age as many go as come: it grows by its load */
    bool queues;         /* the oldest go first: so do they who wait */
    bool has_of_each;    /* some of what came in each interval are still there */
    unsigned age;        /* snapshots after which objects are counted: 0, 1 or 2 */
    size_t since;        /* it keeps what it gets after this snapshot; 0: all the time */
    double chance;       /* of what was seen at that age, if it were turnover */
    uint64_t came, went; /* at that age, in all steps since then */
    double share;        /* of those that came and are there: what stays by that age */
};

/* Objects that have been at a path for `age` snapshots: how many came to be so in each step
 * after snapshot `first`, how many of all went, and how many of each cohort are there at
 * the end. */
struct population {
    size_t first, steps;
    uint64_t came[SERIES_MAX_SNAPSHOTS], left[SERIES_MAX_SNAPSHOTS];
    uint64_t all_came, all_left, all_stayed;
};

struct population population_of(const struct births *b, path_id p, size_t first,
                                unsigned age);

/* Of a path. Needs three snapshots; with fewer nothing is said. */
struct stays stays_of(const struct births *b, path_id p);

#endif
