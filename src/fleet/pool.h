/* pool.h - between pool.c, which pools runs and finds their periods, and pool_judge.c,
 * which says what those that show a suspect come to. docs/fleet.md, "Runs that are judged
 * together", has the rule and its reasons. */
#ifndef POOL_H
#define POOL_H

#include "fleet/answer.h"

enum { HOURS = 24, FEWEST_POINTS = 3, MANY_POINTS = 8 };

/* Chosen so that the made-up services of tests/fleet/short_lives.c that do not leak are not
 * accused; docs/fleet.md has the figures. */
static const struct pool_constants {
    double start, walk, long_walk, coin, level, pace, near_limit, killer, share;
    uint64_t periods, enough, ends;
    unsigned hours, gap, ends_apart;
} pool_by = {
    /* Seconds in which a process starts up: growth in them says nothing. */
    .start = 1800,

    /* How often what does not leak looks as if it grew: a random walk of 3 to 7 points does
     * in 0.29 at most, of 8 and more in 0.20; two points do every other time. */
    .walk = 0.3,
    .long_walk = 0.2,
    .coin = 0.5,
    /* Chance, of all that is asked about a service in one evaluation: of four weeks that
     * have no run in common one in a hundred. Half is for all hosts together, half for
     * single ones. */
    .level = 0.0025,
    /* Periods in which it grows, at least; a build that has so many is no longer joined. */
    .periods = 3,
    .enough = 8,

    /* Of the day, in which it grows: load may rise for 17. So many in a row without a run,
     * as between two lives, are passed over. */
    .hours = 20,
    .gap = 2,
    /* The second half's rate over that of the first, at the median: as for even growth in
     * the ranking. */
    .pace = 0.8,

    /* Of the limit. The runtime lets the heap have 3/4 of a container, part of which is
     * free; what has grown by a quarter has to do with the end. */
    .near_limit = 0.7,
    .killer = 0.25,
    /* Periods with such an end, and hours of the day that they span: more than a peak. */
    .ends = 3,
    .ends_apart = 8,

    /* Of the runs of a host, that show it, for it to count with the others of its build. */
    .share = 0.5,
};

enum scope { BY_BUILD, BY_HOST, SCOPES };

struct period {
    uint32_t pool;
    uint64_t runs;
    double chance; /* sum over its runs */
};

/* Runs of some builds, on all hosts or on one. */
struct pool {
    uint32_t periods;
    double chance;       /* mean over its periods */
    double hours[HOURS]; /* seconds of its runs in each hour of the day */
};

struct scoped {
    struct pool *pools;
    struct period *periods;
    uint32_t pool_count, period_count;
};

struct pool_run {
    enum run_weight weight;
    bool is_near, was_followed;
    uint32_t host, group;
    uint32_t period[SCOPES];
    size_t first; /* the snapshot behind its start, or all, if it ended near its limit */
    double limit, more; /* bytes; hours that it lived behind its last snapshot */
    double chance;
};

struct pools {
    const struct service_runs *of;
    struct pool_run *runs; /* as many as of->all */
    struct scoped scopes[SCOPES];
    double level[SCOPES]; /* its logarithm, of one test */
};

/* Whether it is in a pool, and has a period. A part may say that nothing was judged. */
bool pool_counts(const struct pool_run *run, const struct hd_run_record *r);

/* Which run it is; when its process began, if that is known, and its last snapshot: Unix
 * seconds. */
const struct pool_run *pool_run_of(const struct pools *p, const struct hd_run_record *r);
double pool_begin(const struct hd_run_record *r);
double pool_end(const struct hd_run_record *r);

/* Of the day: 0 to 23, whatever the time. */
size_t pool_hour_of(double seconds);

/* Add weight times the seconds of each hour of the day that lie between these times, a day
 * at most. */
void pool_add_hours(double hours[HOURS], double from, double to, double weight);

#endif
