/* rows.h - how much there is of each type, as it is stored: sorted by name, each name once.
 * It does not know databases. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include "heap/snapshot.h"

struct type_sum {
    const char *name; /* as store_clean() makes it */
    uint64_t objects, bytes;
};

struct type_sums {
    struct type_sum *all;
    size_t count;
};

/* Of the types of snap. In a. */
struct type_sums type_sums_of(const struct hd_snapshot *snap, struct arena *a);

/* What is not as in base, with 0 for what is gone; and what base has none of, with 0. In a.
 */
void type_sums_compare(const struct type_sums *now, const struct type_sums *base,
                       struct type_sums *changed, struct type_sums *new, struct arena *a);

/* [[name, objects, bytes], ...], text of JSON; malloc'd. */
char *type_sums_rows(const struct type_sums *sums);

#endif
