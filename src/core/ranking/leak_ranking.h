/* leak_ranking.h - growth, ranked: the topmost types whose instances keep growing, each
 * with what it gained and retains that no growing owner above it explains.
 *
 * The ranking of a diff whose snapshots all have graphs: by place in the tree of owners,
 * and what that leaves unexplained once more by type. Formulas and reasons:
 * docs/ranking.md. */
#ifndef LEAK_RANKING_H
#define LEAK_RANKING_H

#include "ages/births.h"
#include "owners/ownership_tree.h"
#include "ranking/confidence.h"
#include "series/suspicion.h"

struct known_store;

/* One place at which a type is held. */
struct ranked_place {
    path_id path;
    double score; /* its part, with what goes along */
};

struct ranked_type {
    label_id label;
    enum hd_basis basis; /* HD_BASIS_GRAPH, or HD_BASIS_TYPE: held in changing places */
    enum hd_suspicion suspicion;
    enum hd_reservation reservation; /* why it is none, though it would be */
    const struct known_store *store; /* whose lifetime is longer than the series */
    double score;
    double tau;         /* of the head with the largest credit */
    struct stays stays; /* the same */
    uint64_t *count;    /* per snapshot, summed over the type's heads */
    uint64_t *retained; /* the same for retained bytes */
    uint64_t *own; /* bytes that are this suspect's and no other's; NULL of the others */
    int64_t more;  /* bytes that these and all that goes along retain more */
    path_id head;  /* with the largest credit; of a whole type the place with the most */
    const char *subject; /* the name for the title */
    bool pooled;         /* buffers that a pool holds: not ranked */
    label_id *also;      /* types that go along, by their scores */
    size_t also_count;
    struct ranked_place *places; /* by path, bytewise; scores sum to that of the type */
    size_t place_count;
    /* How many more came in a step: least and most. Of a steady suspect; else 0. */
    uint64_t step_least, step_most;
};

/* Where the growth of the reachable heap went. */
struct ranked_growth {
    uint64_t *suspects, *pools, *rest; /* bytes per snapshot; they sum to the reachable */
    double
        explained; /* share of the growth that the suspects have; NAN if it did not grow */
    bool pools_by_name;      /* some pool is one by its name alone */
    struct rest_growth open; /* what nothing explains */
};

/* A type that grew, and then stayed as large. */
struct ranked_stopped {
    label_id label;
    const char *name, *subject;
    uint64_t *count, *retained; /* per snapshot; without what belongs to suspects */
    double growth;              /* bytes that no other such type explains */
    path_id head;               /* where most of it is held */
};

struct leak_ranking {
    struct ranked_type *all; /* suspects, then the others, each by score, growth in count,
                                name; then the pooled; in a */
    size_t len;              /* ranked */
    size_t pooled;           /* behind them */
    struct ranked_growth growth;
    struct ranked_stopped *stopped; /* by growth, then name */
    size_t stopped_count;

    /* The first row that is no suspect, and yet may leak: it rose in every step, and nobody
     * saw as many go as come. SIZE_MAX: none. */
    size_t undecided;
};

/* Rank an aligned ownership tree over the usable snapshots of s, whose numbers the
 * ownership tree's snapshots are (ownership tree snapshot i is s->usable[i]). The last of
 * them should have its graph, which tells who shares objects. births: who stayed, of t;
 * NULL if that is not known. */
struct leak_ranking leak_ranking_of(const struct ownership_tree *t, const struct series *s,
                                    const struct births *births,
                                    const struct suspect_line *line, struct arena *a);

#endif
