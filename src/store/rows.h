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

/* What is not as in base; what is gone has 0. In a. */
struct type_sums type_sums_changed(const struct type_sums *now,
                                   const struct type_sums *base, struct arena *a);

/* What base has none of, with 0. In a. */
struct type_sums type_sums_new(const struct type_sums *now, const struct type_sums *base,
                               struct arena *a);

/* [[name, objects, bytes], ...], text of JSON; malloc'd. */
char *type_sums_rows(const struct type_sums *sums);

#endif
