/* suspect_title.h - the names by which a reader knows a suspect: its owner, and for its
 * title the program's own class next to the growing type.
 *
 * A delegate, a dictionary's node or a timer is what grows; OrderNotifier, Session or
 * Reminder is the name that the reader knows. Rules: docs/ranking.md. */
#ifndef SUSPECT_TITLE_H
#define SUSPECT_TITLE_H

#include "chains/chain_owner.h"
#include "owners/ownership_tree.h"

#define NO_TITLE UINT32_MAX

/* Growing items and the items below them: paths of an ownership tree, or types and the
 * types that they own. */
struct title_graph {
    const struct labels *labels;
    const label_id *label;            /* of each; NULL: the items are labels */
    const bool *grows;                /* in count */
    const uint64_t *count, *retained; /* [number * snapshots + snapshot] */
    size_t len, snapshots;
    uint32_t *first, *next; /* per item: first child, next sibling; or NO_TITLE */
    bool has_circles;       /* then a search is O(len), else O(items visited) */
};

/* Returns the item with the most informative label at or below head; NO_TITLE if all are
 * plain. Searches level by level through items that grow at least half as much: the highest
 * rank wins, then the topmost. */
uint32_t title_search(const struct title_graph *graph, uint32_t head);

struct title_tree {
    const struct ownership_tree *t;
    struct title_graph graph; /* of the aligned paths */
    path_id *named_above;     /* per full path of the last snapshot: the result of
                                 suspect_title_above(), or 0 */
};

/* grows: per path, in count with growth > 0; it must outlive the result. Arrays in a. */
struct title_tree title_tree_of(const struct ownership_tree *t, const bool *grows,
                                struct arena *a);

/* Source of a title: a class of the program that grows or is co-retained, a class above, or
 * the growing type itself. */
enum title_place { TITLE_WITHIN, TITLE_ABOVE, TITLE_NOWHERE };

/* Returns the title for a head. Lives as long as the ownership tree. place may be NULL. */
const char *suspect_title_of(const struct title_tree *tree, path_id head,
                             enum title_place *place);

/* Returns the nearest class or static variable of the program itself at or above a path of
 * a full ownership tree; without one the nearest label that is not plain, or NULL. */
const char *suspect_title_above(const struct labels *l, const struct full_tree *f,
                                path_id at);

/* --- owner of a growth site ---------------------------------------------------------- */

/* The owner of a growth site, by dominators.
 *
 * Every way from the roots to the objects of a site passes the owners above it in its
 * ownership tree. So unlike a chain's entry this owner does not depend on which way is
 * currently the shortest. */

struct head_owner {
    label_id owner; /* NO_LABEL if several roots share it */
    label_id of;    /* the program's class above the owner, if the owner is not the
                       program's */
};

/* Returns the nearest path above the head, in the last snapshot, that is a static variable,
 * a class of the program, a service, a scope of services, or a named object that is unique
 * there in every snapshot; `of` is set for an object of the framework below a class of the
 * program. Objects below a token belong to the list of its source if only a handle leads
 * there. O(depth). */
struct head_owner head_owner(const struct ownership_tree *t, path_id head,
                             const struct owner_types *types);

#endif
