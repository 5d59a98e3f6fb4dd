/* cohorts.h - count objects per path of an aligned ownership tree by cohort: when they
 * arrived, and how many survive.
 *
 * An object belongs at its path to the cohort of the snapshot in which it was first seen
 * there. Objects of the first snapshot are cohort 0, wherever they are later: an old object
 * with a new owner is not a birth. The counts of each cohort in each snapshot are a
 * triangle; a leak keeps its columns, load and churn do not. The test for this is below. */
#ifndef COHORTS_H
#define COHORTS_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

struct cohorts {
    const struct ownership_tree *t;
    size_t n;                       /* snapshots */
    enum hd_identity_source source; /* the weakest of all steps; HD_SAME_UNKNOWN: no
                                       identity, ignore all other fields */
    enum selection selection;
    uint32_t *row; /* [path * n + cohort]: 1 + offset of its counts in cell; 0: no counts */
    uint32_t *cell; /* of each row one per snapshot, from that of the cohort on */
    size_t len, cap;
    uint32_t *left;     /* [path * n + k]: of cohort 0, there in k and not in k + 1 */
    uint64_t *survived; /* per path: bytes of the later cohorts in the last snapshot */
    uint64_t *survived_below; /* the same, including all paths below */
    uint32_t *arrived; /* per path of the last full ownership tree: objects of the later
                          cohorts */
    uint64_t *fresh; /* [label * n + k], k > 0: objects of snapshot k that are not in k - 1,
                        at any place */
    uint64_t *kept;  /* per type of the last snapshot: objects that the first has, too */
    unsigned char *cohort; /* of each node of the snapshot that was added last; when all are
                              in, of the last: 0 is what the first has, wherever it hangs */
    uint32_t nodes;        /* in the snapshot added last */
    path_id *path;         /* path of each node until cohorts_end(); NO_PATH: not counted */
};

/* Begins on the aligned ownership tree t, which must outlive it; its first snapshot must
 * have its graph. selection is that of the ownership tree. 4 bytes per path and snapshot,
 * and 1 per object of the last. */
void cohorts_begin(struct cohorts *b, const struct ownership_tree *t,
                   const struct hd_snapshot *first, enum selection selection);

/* Adds snapshot k, from 1 on in order: same maps objects of k - 1 to it. O(objects). A step
 * without identity makes all unknown. */
void cohorts_add(struct cohorts *b, size_t k, const struct hd_snapshot *newer,
                 const struct same *same);

/* The same from digests, all in one call: snaps are those of the ownership tree. Their ages
 * must reach from the first to the last, and the selection must be all objects; else the
 * source is HD_SAME_UNKNOWN. O(places + groups of ages). */
void cohorts_of_digests(struct cohorts *b, const struct ownership_tree *t,
                        const struct hd_snapshot *const *snaps, enum selection selection);

/* Call once all snapshots are added. */
void cohorts_end(struct cohorts *b);
void cohorts_free(struct cohorts *b); /* {0} is fine */

/* Objects of a cohort that are at a path in snapshot k, at least the cohort. */
static inline uint32_t cohorts_at(const struct cohorts *b, path_id p, size_t cohort,
                                  size_t k)
{
    uint32_t row = b->row[p * b->n + cohort];
    return row > 0 ? b->cell[row - 1 + (k - cohort)] : 0;
}

/* Objects of a cohort that are there in snapshot k and not in k + 1: dead, or elsewhere. A
 * cohort can grow only with digests. */
static inline uint32_t cohorts_lost(const struct cohorts *b, path_id p, size_t cohort,
                                    size_t k)
{
    if (cohort == 0)
        return b->left[p * b->n + k];
    uint32_t now = cohorts_at(b, p, cohort, k), next = cohorts_at(b, p, cohort, k + 1);
    return now > next ? now - next : 0;
}

/* --- retention -------------------------------------------------------------------- */

/* Tests whether a place accumulates.
 *
 * A leak has survivors of every interval; a store with turnover loses the number that it
 * gains, and churn has no survivors. The null hypothesis is that for each object that
 * arrives at least half a one leaves (in a steady state, one; half allows for a growing
 * load): of B arrivals and D departures, B is no more than Bin(B + D, 2/3). Objects that
 * die young hide a leak among them, so the test is repeated for those that are one and two
 * snapshots old. docs/ranking.md, "Accumulation". Must not depend on the meaning
 * of paths. */

struct retention {
    bool accumulates;  /* objects that are added survive */
    bool turns_over;   /* at every age departures match arrivals: it grows with its load */
    bool queues;       /* the oldest leave first, as in a queue */
    bool has_of_each;  /* some arrivals of each interval are still there */
    bool is_unmatched; /* by order, in half of the steps no object was recognized */
    unsigned age;      /* snapshots after which objects are counted: 0, 1 or 2 */
    size_t since;      /* it accumulates after this snapshot; 0: all the time */
    double chance;     /* p-value of the counts at that age under turnover */
    uint64_t arrived, died; /* at that age, in all steps since then */
    double share; /* of the arrivals that are there: the share that survives at that age's
                     rate */
};

/* Objects that have been at a path for `age` snapshots: how many reached that age in each
 * step after snapshot `first`, how many of all left, and how many of each cohort are there
 * at the end. */
struct population {
    size_t first, steps;
    uint64_t arrived[SERIES_MAX_SNAPSHOTS], left[SERIES_MAX_SNAPSHOTS];
    uint64_t all_arrived, all_left, all_survived;
};

struct population population_of(const struct cohorts *b, path_id p, size_t first,
                                unsigned age);

/* Tests a path. Accumulation requires at least three snapshots. */
struct retention retention_test(const struct cohorts *b, path_id p);

#endif
