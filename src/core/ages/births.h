/* births.h - who came when, and who of them stayed: per path of an aligned ownership tree.
 *
 * An object belongs at its path to the cohort of the snapshot in which it was first seen
 * there. What the first snapshot has is cohort 0, wherever it hangs later: old objects that
 * change hands are nobody's births. How many of each cohort are there in each snapshot is a
 * triangle; a leak keeps its columns, load and churn do not. What follows from it
 * is below. */
#ifndef BIRTHS_H
#define BIRTHS_H

#include "identity/same.h"
#include "owners/ownership_tree.h"

struct births {
    const struct ownership_tree *t;
    size_t n;                       /* snapshots */
    enum hd_identity_source source; /* the weakest of all steps; HD_SAME_UNKNOWN: nothing
                                       is known, whatever else stands here */
    enum selection selection;
    uint32_t *row;  /* [path * n + cohort]: 1 + where its numbers begin; 0: it has none */
    uint32_t *cell; /* of each row one per snapshot, from that of the cohort on */
    size_t len, cap;
    uint32_t *left;         /* [path * n + k]: of cohort 0, there in k and not in k + 1 */
    uint64_t *stayed;       /* per path: bytes of the later cohorts in the last snapshot */
    uint64_t *stayed_below; /* the same of it and all paths below it */
    uint32_t
        *came; /* per path of the last full ownership tree: objects of the later cohorts */
    uint64_t *fresh; /* [label * n + k], k > 0: objects of snapshot k that are not in k - 1,
                        at any place */
    uint64_t *kept;  /* per type of the last snapshot: objects that the first has, too */
    unsigned char *cohort; /* of each node of the snapshot that was added last; when all are
                              in, of the last: 0 is what the first has, wherever it hangs */
    uint32_t nodes;        /* of that */
    path_id *path;         /* of each of them, until all are in; NO_PATH: not counted */
};

/* Over the aligned ownership tree t, which must outlive it; its first snapshot must have
 * its graph. selection is that of the ownership tree. 4 bytes per path and snapshot, and 1
 * per object of the last. */
void births_begin(struct births *b, const struct ownership_tree *t,
                  const struct hd_snapshot *first, enum selection selection);

/* Add snapshot k, from 1 on in order: same leads from the objects of k - 1. O(objects). A
 * step of which nothing is known makes all unknown. */
void births_add(struct births *b, size_t k, const struct hd_snapshot *newer,
                const struct same *same);

/* The same of digests, all at once: snaps are those of the ownership tree. What they know
 * of ages has to reach from the first to the last, and all objects are asked for; else the
 * source is HD_SAME_UNKNOWN. O(places + groups of ages). */
void births_of_digests(struct births *b, const struct ownership_tree *t,
                       const struct hd_snapshot *const *snaps, enum selection selection);

/* When all are in. */
void births_end(struct births *b);
void births_free(struct births *b); /* {0} is fine */

/* Objects of a cohort that are at a path in snapshot k, at least the cohort. */
static inline uint32_t births_at(const struct births *b, path_id p, size_t cohort, size_t k)
{
    uint32_t row = b->row[p * b->n + cohort];
    return row > 0 ? b->cell[row - 1 + (k - cohort)] : 0;
}

/* How many of a cohort are there in snapshot k and not in k + 1: dead, or elsewhere. They
 * never get more but where digests say so. */
static inline uint32_t births_lost(const struct births *b, path_id p, size_t cohort,
                                   size_t k)
{
    if (cohort == 0)
        return b->left[p * b->n + k];
    uint32_t now = births_at(b, p, cohort, k), next = births_at(b, p, cohort, k + 1);
    return now > next ? now - next : 0;
}

/* --- retention -------------------------------------------------------------------- */

/* Does a place keep what it gets?
 *
 * What leaks has survivors of every interval; a store that lives on turnover loses as many
 * as it gains, and churn has none. So these numbers are held against the
 * hypothesis that for each object that comes at least half a one goes (as many in a steady
 * state; half leaves room for a load that grows): of B that came and D that went then B are
 * no more than Bin(B + D, 2/3). Objects that die young hide a leak among them, so the same
 * is asked of those that are one and two snapshots old. docs/ranking.md, "It keeps what it
 * gets". It does not know what a path is. */

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
