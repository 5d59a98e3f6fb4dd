/* leak_ranking.h - ranks growth: the topmost types whose instances keep growing, each with
 * the gained retained bytes that no growing owner above it explains.
 *
 * Used for a diff whose snapshots all have graphs: by path in the ownership tree, then
 * again by type for the remaining growth. Formulas and reasons: docs/ranking.md. */
#ifndef LEAK_RANKING_H
#define LEAK_RANKING_H

#include "ages/cohorts.h"
#include "owners/ownership_tree.h"
#include "ranking/confidence.h"
#include "series/suspicion.h"

struct known_store;

/* One place at which a type is held. */
struct ranked_place {
    path_id path;
    double score; /* its part of the score, with co-retained heads */
};

struct ranked_type {
    label_id label;
    enum hd_basis basis; /* HD_BASIS_GRAPH, or HD_BASIS_TYPE: held in changing places */
    enum hd_suspicion suspicion;
    bool is_repeated;                /* its growth is more than a jump or two */
    enum hd_reservation reservation; /* why it is not a suspect despite its score */
    const struct known_store *store; /* with a lifetime longer than the series; or NULL */
    double score;
    double tau;                 /* of the growth site with the largest credit */
    struct retention retention; /* of the same site */
    uint64_t *count;            /* per snapshot, summed over the type's heads */
    uint64_t *retained;         /* the same for retained bytes */
    uint64_t *own;              /* bytes attributed to this suspect only; NULL for others */
    int64_t more;               /* gained retained bytes, with those of co-retained types */
    path_id head; /* path with the largest credit; for a whole type the place with the most
                     bytes */
    const char *title; /* the name for the title */
    bool pooled;       /* buffers that a pool holds: not ranked */
    label_id *also;    /* co-retained types, by their scores */
    size_t also_count;
    struct ranked_place *places; /* by path, bytewise; scores sum to that of the type */
    size_t place_count;
    /* Fewest and most objects gained in a step, for a steady suspect; else 0. */
    uint64_t step_least, step_most;
};

/* The growth of the reachable heap by cause. */
struct ranked_growth {
    uint64_t *suspects, *pools, *rest; /* bytes per snapshot; their sum is the reachable
                                          heap */
    double explained;        /* the suspects' share of the growth; NAN without growth */
    bool pools_by_name;      /* some pool is recognized by name alone */
    struct rest_growth open; /* growth without an explanation */
};

/* A type that grew, and then stayed as large. */
struct ranked_leveled_off {
    label_id label;
    const char *name, *title;
    uint64_t *count, *retained; /* per snapshot; without what belongs to suspects */
    double growth;              /* bytes that no other such type explains */
    path_id head;               /* the outermost path with the most bytes */
};

struct leak_ranking {
    struct ranked_type *all; /* suspects, then the others, each by score, growth in count,
                                name; then the pooled; in a */
    size_t len;              /* ranked */
    size_t pooled;           /* number after the ranked ones */
    struct ranked_growth growth;
    struct ranked_leveled_off *leveled_off; /* by growth, then name */
    size_t leveled_off_count;

    /* The first non-suspect that may still leak, or SIZE_MAX: it rose in every step, and
     * was not seen to turn over. */
    size_t undecided;
};

/* Ranks an aligned ownership tree over the usable snapshots of s: snapshot i of the tree is
 * s->usable[i]. The last one should have its graph, for shared objects. cohorts: survivors
 * over t; NULL if unknown. */
struct leak_ranking leak_ranking_of(const struct ownership_tree *t, const struct series *s,
                                    const struct cohorts *cohorts,
                                    const struct suspect_line *line, struct arena *a);

#endif
