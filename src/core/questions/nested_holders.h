/* nested_holders.h - one row for one leak of --by=holder.
 *
 * What a static variable holds grows in each of the places below it: in the dictionary's
 * array, in its nodes, in what they refer to. Of such suspects the topmost speaks for all.
 * It knows places by their names, and no graph. */
#ifndef NESTED_HOLDERS_H
#define NESTED_HOLDERS_H

#include "ranking/table_ranking.h"
#include "series/suspicion.h"

/* The places that a row speaks for, by their scores. */
struct joined_holder {
    const char **below;
    size_t len;
};

/* Join the suspects of t, rows that reach the line, and order it again: one for each row
 * of t. A row that speaks for others has the counts, bytes and scores of all. In a. */
struct joined_holder *nested_holders_join(struct ranking *t, size_t snapshots,
                                          const struct suspect_line *line, double whole,
                                          struct arena *a);

#endif
