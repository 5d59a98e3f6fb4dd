/* subject.h - the name for the title of a suspect: the program's own class next to
 * what the ranking found growing.
 *
 * A delegate, a dictionary's node or a timer is what grows; OrderNotifier, Session or
 * Reminder is what the reader knows. Rules: docs/ranking.md. */
#ifndef SUSPECT_TITLE_H
#define SUSPECT_TITLE_H

#include "owners/ownership_tree.h"

/* One growing child of a path, as the rules need it. */
struct title_tree {
    const struct ownership_tree *t;
    const bool *grows;    /* per path: in count, with growth > 0 */
    path_id *first_child; /* per path; NO_PATH at the end */
    path_id *next_sibling;
    path_id *named_above; /* per full path of the last snapshot: the one at or above it that
                             suspect_title_above() takes; 0: none */
};

/* Links of parents to children; arrays in a. grows must live as long. */
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

#endif
