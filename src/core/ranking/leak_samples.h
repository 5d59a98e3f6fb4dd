/* leak_samples.h - samples of surviving allocations, by path in the ownership tree and by
 * interval of allocation.
 *
 * Ages are known for every object of a suspect already; a sample adds the allocating code.
 * Must not depend on the ranking. */
#ifndef LEAK_SAMPLES_H
#define LEAK_SAMPLES_H

#include "ages/cohorts.h"
#include "ages/sampled_objects.h"

/* An interval that is not known. */
#define NO_INTERVAL UINT32_MAX

struct leak_sample {
    path_id path;      /* in the aligned tree */
    uint32_t stack;    /* of sites */
    uint32_t interval; /* number of the snapshot that ends it, from 1; or NO_INTERVAL */
};

struct leak_samples {
    const struct allocation_sites *sites; /* NULL if not sampled */
    struct leak_sample *all;
    size_t len;
};

/* Returns the sampled objects of the last of snaps that the first snapshot does not have.
 * snaps are those of t, and of cohorts (NULL: unknown). The last needs its graph or its
 * digest. In a. */
struct leak_samples leak_samples_of(const struct ownership_tree *t,
                                    const struct cohorts *cohorts,
                                    struct hd_snapshot *const *snaps, struct arena *a);

/* The sites of a snapshot or of its digest; NULL if not sampled. */
const struct allocation_sites *leak_sites_of(const struct hd_snapshot *snap);

/* Paths of the rows of a ranking: a sample belongs to every row with a path at or above
 * it. */
struct leak_rows {
    uint32_t *row;  /* of each path: number of its row, from 1; or 0 */
    path_id *above; /* nearest such path at or above; or 0 */
    const struct ownership_tree *t;
};

/* Without any rows. */
struct leak_rows leak_rows_new(const struct ownership_tree *t, struct arena *a);

/* Must be called after row is filled in. */
void leak_rows_end(struct leak_rows *rows);

/* Returns the nearest path with a row at or above p, or 0. */
static inline path_id leak_rows_at(const struct leak_rows *rows, path_id p)
{
    return rows->above[p];
}

/* The next one above such a path. */
static inline path_id leak_rows_above(const struct leak_rows *rows, path_id p)
{
    return rows->t->parent[p] != NO_PATH ? rows->above[rows->t->parent[p]] : 0;
}

#endif
