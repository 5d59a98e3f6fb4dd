/* suspect_title.h - the names that a reader knows a suspect by: what owns it, and for its
 * title the program's own class next to what the ranking found growing.
 *
 * A delegate, a dictionary's node or a timer is what grows; OrderNotifier, Session or
 * Reminder is what the reader knows. Rules: docs/ranking.md. */
#ifndef SUSPECT_TITLE_H
#define SUSPECT_TITLE_H

#include "chains/chain_owner.h"
#include "owners/ownership_tree.h"

#define NO_TITLE UINT32_MAX

/* What grows, each with what hangs from it: paths of an ownership tree, or types and those
 * that they own. */
struct title_graph {
    const struct labels *labels;
    const label_id *label;            /* of each; NULL: they are labels */
    const bool *grows;                /* in count */
    const uint64_t *count, *retained; /* [number * snapshots + snapshot] */
    size_t len, snapshots;
    uint32_t *first, *next; /* of each: the first below it, the next beside it; NO_TITLE */
    bool has_circles;       /* then O(len) a search, else O(what is looked at) */
};

/* Below a number of the graph, itself included, the one whose label tells most; NO_TITLE:
 * none is more than plain. Down level by level, by what grows at least half as much: what
 * ranks highest, of equals the topmost. */
uint32_t title_search(const struct title_graph *graph, uint32_t head);

struct title_tree {
    const struct ownership_tree *t;
    struct title_graph graph; /* of the aligned paths */
    path_id *named_above; /* per full path of the last snapshot: the one at or above it that
                             suspect_title_above() takes; 0: none */
};

/* grows: per path, in count with growth > 0; it must live as long. Arrays in a. */
struct title_tree title_tree_of(const struct ownership_tree *t, const bool *grows,
                                struct arena *a);

/* Where a title was found: the class of the program that grows or goes along, or only one
 * that stands above; or none, and the title is the head's own type. */
enum title_place { TITLE_WITHIN, TITLE_ABOVE, TITLE_NOWHERE };

/* For a head of this path. Lives as long as the ownership tree. place may be NULL. */
const char *suspect_title_of(const struct title_tree *tree, path_id head,
                             enum title_place *place);

/* On the way up from a path of a full ownership tree, itself included: the nearest class or
 * static variable of the program itself; without one the nearest label that is not plain,
 * or NULL.
 */
const char *suspect_title_above(const struct labels *l, const struct full_tree *f,
                                path_id at);

/* --- what owns a head ---------------------------------------------------------------- */

/* What owns a head of the ranking, as the dominators have it.
 *
 * Every way from the roots to the objects of a head passes what is above it in its
 * ownership tree. So unlike a chain's entry this owner is the same whatever way is the
 * shortest today. */

struct head_owner {
    label_id owner; /* NO_LABEL: several roots share it */
    label_id of;    /* the program's own that has the owner, if that is not its own */
};

/* The nearest path above the head, in the last snapshot, that is a static variable, a class
 * of the program, a service, a scope of services, or a named object of which no snapshot
 * has a second one there; of a framework's object what is above it, if that is a class of
 * the program. What hangs from a token belongs to the list of its source, if only a handle
 * leads there. O(depth). */
struct head_owner head_owner(const struct ownership_tree *t, path_id head,
                             const struct owner_types *types);

#endif
