/* type_growth.h - types as a whole, wherever they are held.
 *
 * A list that is entered at another node in every snapshot hangs from other objects each
 * time, and no path of it grows. All its nodes together do. So what paths leave
 * unexplained is ranked once more by type, over all places at once: owners,
 * explained shares and credit are those of paths, between types. Rules and reasons:
 * docs/ranking.md. */
#ifndef TYPE_GROWTH_H
#define TYPE_GROWTH_H

#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"

/* --- what is left -------------------------------------------------------------------- */

/* What is left of the heap when suspects and pools are taken out of
 * it; and whether that has grown, and since when.
 *
 * In the full ownership tree of every snapshot a path belongs to the suspects (at or below
 * one of their heads), else to the pools (at or below a pool of buffers) or to the arrays
 * of thread statics, which follow the load, or to what measuring made the runtime keep,
 * else to the rest. Each byte belongs to one. */

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
    uint64_t *bytes[PART_COUNT]; /* per snapshot; they add up to what is reachable */
    uint64_t *threads;           /* per snapshot: arrays of thread statics */
};

/* Whether it is ranked by type: what measuring made the runtime keep is growth too. */
static inline bool unexplained_is_left(unsigned char part)
{
    return part == PART_REST || part == PART_LISTENER;
}

/* heads: per aligned path, what belongs to suspects. labels: per label, types that do
 * wherever they are left, or NULL. In a. O(paths) per snapshot. */
struct unexplained unexplained_of(const struct ownership_tree *t, const bool *heads,
                                  const bool *labels, struct arena *a);

/* Whose each byte of the suspects is: the owner of the nearest head at or above it, else
 * that of its label, so that suspects within others share nothing with them. of_head: per
 * aligned path, of_label: per label, or NO_OWNER. Added to own, of owner i in snapshot k at
 * [i * snapshots + k]. O(paths) per snapshot. */
#define NO_OWNER SIZE_MAX
void unexplained_share(const struct unexplained *r, const size_t *of_head,
                       const size_t *of_label, uint64_t *own);

/* --- whole types ---------------------------------------------------------------------- */

enum type_question {
    TYPES_GROWING, /* what keeps growing */
    TYPES_STAYED   /* what grew, and then stayed as large */
};

struct grown_type {
    double tau;
    double growth; /* g; a type grows if it has more than 0 */
    double own, credit;
    double score;   /* max(0, credit), times tau^2 if it keeps growing */
    label_id owner; /* of more than half of its growth; NO_LABEL */
    bool several;   /* more than one object in some snapshot */
};

/* full_tree_order() of the last snapshot, or NULL as long as nobody asked; whoever has it
 * frees it. Sorting all paths costs more than the rest, and few types are rows. */
struct path_order {
    uint32_t *all;
};

struct type_growths {
    const struct unexplained *unexplained;
    const struct series *s;
    enum type_question question;
    size_t n;
    struct grown_type *all;     /* per label */
    uint64_t *count, *retained; /* [label * n + snapshot] of what is unexplained */
    bool *is_leaf;              /* per label: String and arrays of numbers */
    struct title_graph titles;  /* of labels, by owners */
    struct path_order *order;   /* of the last snapshot, made when two places tie */
};

/* unexplained and order must outlive it; arrays in a. O(paths) per snapshot. */
struct type_growths type_growths_of(const struct unexplained *unexplained,
                                    const struct series *s, enum type_question question,
                                    struct path_order *order, struct arena *a);

/* Of the outermost paths of a type in what is unexplained of the last snapshot the one with
 * the most bytes, then the first by name; NO_PATH. O(paths of the label), and once their
 * sorting. */
path_id type_growths_topmost(const struct type_growths *g, label_id label);

/* Whether a type, or the one of its title, gains the same whole number of instances per
 * iteration in every step; false where nobody counted iterations. Such a count is no
 * chance and no load, wherever the instances hang. */
bool type_growths_are_exact(const struct type_growths *g, label_id label);

/* The name for the title of a type, found as that of a head among the types that it owns.
 * O(labels), of which a few bytes each are all but a few. */
const char *type_growths_title(const struct type_growths *g, label_id label);

/* --- the load ------------------------------------------------------------------------ */

/* The load of each step, and types judged by it wherever their objects hang.
 *
 * Types that live on turnover are allocated at the rate of the load, so their births are a
 * clock: a leak gains at its rate, a store that fills gains ever less per unit of it, since
 * it has more and more of its keys already. Method and figures: docs/ranking.md, "It
 * fills". Must not depend on paths or heads. */

struct load_clock {
    size_t steps;                    /* 0: too little lives on turnover to tell */
    double at[SERIES_MAX_SNAPSHOTS]; /* load of each step; the unit means nothing */
};

/* Births and deaths of each type in the whole heap. */
struct type_births {
    size_t steps;
    uint64_t *came, *went; /* [label * steps + step]; in the arena */
};

/* Counts them over the tree of b, into a. O(paths * snapshots). */
struct type_births type_births_of(const struct births *b, struct arena *a);

/* True if a type accumulates, whatever holds it: it has enough births, in all steps except
 * one and to the end, and nearly no deaths. */
bool type_births_keep(const struct type_births *t, label_id label);

/* Returns the load of each step. O(labels * steps). */
struct load_clock load_clock_of(const struct births *b, const struct type_births *t);

/* True if the births of each step fall against the load and in time: the rate is lower at
 * the end by 15 % or more, and by two standard errors. */
bool load_clock_slows(const struct load_clock *clock, const uint64_t *came);

#endif
