/* co_retained.h - heads that go along with another head: the keys that a leaked object
 * shares with its table, and so does not own alone.
 *
 * A carried head is no finding of its own; its score belongs to what carries it, for it
 * would go with that. Rule: docs/ranking.md. */
#ifndef CO_RETAINED_H
#define CO_RETAINED_H

#include "ranking/path_growth.h"
#include "ranking/suspect_title.h"

/* A place where something grows. */
struct head {
    label_id label;
    uint32_t order; /* of the path, bytewise by its names */
    path_id path;
    bool pooled;
    bool steady;
    bool keeps;      /* what it gets (retention.h) */
    double score;    /* max(0, credit) tau^2 */
    double total;    /* that and of all that it carries; 0 if it is carried itself */
    path_id carrier; /* at the end of its chain; 0: it stands for itself */
};

/* Fill in total and carrier of the heads. O(links log heads). */
void co_retained_join(struct head *heads, size_t count, const struct path_growths *g,
                      const struct title_tree *titles);

#endif
