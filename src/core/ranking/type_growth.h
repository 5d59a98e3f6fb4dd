/* type_growth.h - growth of types as a whole, wherever they are held.
 *
 * A list that is entered at another node in every snapshot has another owner each time, so
 * its paths do not grow. All its nodes together do. So growth that paths leave unexplained
 * is ranked again by type, over all places together: owners, explained shares and credit
 * are those of paths, between types. Rules and reasons: docs/ranking.md. */
#ifndef TYPE_GROWTH_H
#define TYPE_GROWTH_H

#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"

/* --- unexplained growth -------------------------------------------------------------- */

/* The heap without suspects and pools; whether that has grown, and since when.
 *
 * In the full ownership tree of every snapshot a path belongs to the suspects (at or below
 * one of their heads), else to the pools (at or below a pool of buffers) or to the arrays
 * of thread statics, which follow the load, or to memory that measuring made the runtime
 * allocate, else to the rest. Each byte belongs to one part. */

enum unexplained_part {
    PART_REST,
    PART_SUSPECTS,
    PART_POOLS,
    PART_THREADS,
    PART_LISTENER,
    PART_COUNT
};

struct unexplained {
    const struct ownership_tree *t;
    unsigned char **part;        /* [snapshot][full path]: enum unexplained_part */
    uint64_t **left;             /* [snapshot][full path]: bytes of the rest at or below */
    uint64_t *bytes[PART_COUNT]; /* per snapshot; their sum is the reachable heap */
    uint64_t *threads;           /* per snapshot: arrays of thread statics */
};

/* True if the part is ranked by type: memory that measuring causes may grow too. */
static inline bool unexplained_is_left(unsigned char part)
{
    return part == PART_REST || part == PART_LISTENER;
}

/* heads: per aligned path, true for suspects. labels: per label, true for types that are
 * suspects wherever they are left, or NULL. In a. O(paths) per snapshot. */
struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a);

/* Attributes each byte of the suspects to the owner of the nearest head at or above it,
 * else to that of its label, so that nested suspects share no bytes. of_head: per aligned
 * path, of_label: per label, or NO_OWNER. Adds to own[i * snapshots + k] for owner i in
 * snapshot k. O(paths) per snapshot. */
#define NO_OWNER SIZE_MAX
void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own);

/* --- whole types ---------------------------------------------------------------------- */

enum type_question {
    TYPES_GROWING,    /* types that keep growing */
    TYPES_LEVELED_OFF /* types that leveled off after growth */
};

struct grown_type {
    double tau;
    double growth; /* g; above 0 if the type grows */
    double own, credit;
    double score;   /* max(0, credit), times tau^2 for TYPES_GROWING */
    label_id owner; /* of more than half of its growth; NO_LABEL */
    bool several;   /* more than one object in some snapshot */
};

/* full_tree_order() of the last snapshot, computed on first use, else NULL; its owner frees
 * it. Sorting all paths costs more than the rest, and few types are rows. */
struct path_order {
    uint32_t *all;
};

struct type_growths {
    const struct unexplained *unexplained;
    const struct series *s;
    enum type_question question;
    size_t n;
    struct grown_type *all;     /* per label */
    uint64_t *count, *retained; /* [label * n + snapshot], of unexplained objects */
    bool *is_leaf;              /* per label: String and arrays of numbers */
    struct title_graph titles;  /* of labels, by owners */
    struct path_order *order;   /* of the last snapshot, computed when two places tie */
};

/* Computes growth by type. unexplained and order must outlive the result; arrays in a.
 * O(paths) per snapshot. */
struct type_growths type_growths_of(const struct unexplained *unexplained,
                                    const struct series *s, enum type_question question,
                                    struct path_order *order, struct arena *a);

/* Returns, of the outermost paths of a type among unexplained objects of the last snapshot,
 * the one with the most bytes, then the first by name; or NO_PATH. O(paths of the label),
 * and once their sorting. */
path_id type_growths_topmost(const struct type_growths *g, label_id label);

/* True if a type, or the type of its title, gains the same whole number of instances per
 * iteration in every step; false without counted iterations. Such a count excludes chance
 * and load, wherever the instances are held. */
bool type_growths_are_exact(const struct type_growths *g, label_id label);

/* Returns the name for the title of a type, found as that of a head among the types that it
 * owns. O(labels), a few bytes for nearly every label. */
const char *type_growths_title(const struct type_growths *g, label_id label);

/* --- the load ------------------------------------------------------------------------ */

/* The load of each step, for judging types independent of their holders.
 *
 * Types that turn over are allocated at the rate of the load, so their births are a clock:
 * a leak gains at its rate, a store that fills gains less and less per unit of load, since
 * it has more and more of its keys already. Method and figures: docs/ranking.md, "Filling
 * stores". Must not depend on paths or heads. */

struct load_clock {
    size_t steps;                    /* 0: too few objects turn over */
    double at[SERIES_MAX_SNAPSHOTS]; /* load of each step; arbitrary unit */
};

/* Births and deaths of each type in the whole heap. */
struct type_cohorts {
    size_t steps;
    uint64_t *arrived, *died; /* [label * steps + step]; in the arena */
};

/* Counts them over the tree of b, into a. O(paths * snapshots). */
struct type_cohorts type_cohorts_of(const struct cohorts *b, struct arena *a);

/* True if a type accumulates, whatever holds it: it has enough births, in all steps except
 * one and to the end, and nearly no deaths. */
bool type_cohorts_accumulate(const struct type_cohorts *t, label_id label);

/* Returns the load of each step. O(labels * steps). */
struct load_clock load_clock_of(const struct cohorts *b, const struct type_cohorts *t);

/* True if the births of each step fall against the load and in time: the rate is lower at
 * the end by 15 % or more, and by two standard errors. */
bool load_clock_slows(const struct load_clock *clock, const uint64_t *arrived);

#endif
