/* type_growth.h - types as a whole, wherever they are held.
 *
 * A list that is entered at another node in every snapshot hangs from other objects each
 * time, and no path of it grows. All its nodes together do. So what paths leave
 * unexplained (the residue) is ranked once more by type, over all places at once: owners,
 * explained shares and credit are those of paths, between types. Rules and reasons:
 * docs/ranking.md. */
#ifndef TYPE_GROWTH_H
#define TYPE_GROWTH_H

#include "analysis/path_growth.h"
#include "analysis/residue.h"

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

struct type_growths {
    const struct residue *residue;
    const struct series *s;
    const struct ranking_rules *rules;
    enum type_question question;
    size_t n;
    struct grown_type *all;     /* per label */
    uint64_t *count, *retained; /* [label * n + snapshot] of what is in the residue */
    path_id *topmost;           /* per label: of the outermost, the full path with the most
                                   bytes in the last snapshot; NO_PATH */
    bool *is_leaf;              /* per label: String and arrays of numbers */
    label_id *first_owned, *next_owned; /* per label: those that have it as owner */
    const uint32_t *order; /* of the full paths of the last snapshot, bytewise */
};

/* order is full_trie_order() of the last snapshot. residue must outlive it; arrays in a.
 * O(paths) per snapshot. */
struct type_growths type_growths_of(const struct residue *residue, const struct series *s,
                                    const struct ranking_rules *rules,
                                    enum type_question question, const uint32_t *order,
                                    struct arena *a);

/* The name for the title of a type, found as that of a head among the types that it owns.
 * O(labels), of which a few bytes each are all but a few. */
const char *type_growths_title(const struct type_growths *g, label_id label);

#endif
