/* subject.h - the name for the title of a suspect: the program's own class next to
 * what the ranking found growing.
 *
 * A delegate, a dictionary's node or a timer is what grows; OrderNotifier, Session or
 * Reminder is what the reader knows. Rules: docs/ranking.md. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "analysis/trie.h"

/* One growing child of a path, as the rules need it. */
struct subject_tree {
    const struct trie *t;
    const bool *grows;    /* per path: in count, with growth > 0 */
    path_id *first_child; /* per path; NO_PATH at the end */
    path_id *next_sibling;
    path_id *named_above; /* per full path of the last snapshot: the one at or above it that
                             subject_above() takes; 0: none */
};

/* Links of parents to children; arrays in a. grows must live as long. */
struct subject_tree subject_tree_of(const struct trie *t, const bool *grows,
                                    struct arena *a);

/* Where a title was found: the class of the program that grows or goes along, or only one
 * that stands above; or none, and the title is the head's own type. */
enum subject_place { SUBJECT_WITHIN, SUBJECT_ABOVE, SUBJECT_NOWHERE };

/* For a head of this path. Lives as long as the trie. place may be NULL. */
const char *subject_of(const struct subject_tree *tree, path_id head,
                       enum subject_place *place);

/* On the way up from a path of a full trie, itself included: the nearest class or static
 * variable of the program itself; without one the nearest label that is not plain, or NULL.
 */
const char *subject_above(const struct labels *l, const struct full_trie *f, path_id at);

#endif
