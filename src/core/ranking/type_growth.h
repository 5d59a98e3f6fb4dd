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
#include "ranking/unexplained_growth.h"

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

#endif
