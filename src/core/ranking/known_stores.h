/* known_stores.h - classes of the framework and of packages that retain objects by design,
 * with their lifetime or bound.
 *
 * No statistic over a minute can distinguish a session of 20 minutes from a leak. Objects
 * in such a store are suspects only after a watch longer than its lifetime, or above its
 * bound. Each row names its source. */
#ifndef KNOWN_STORES_H
#define KNOWN_STORES_H

#include <stdbool.h>

struct known_store {
    const char *holder;  /* full name, or that of a static variable without its module */
    const char *keeps;   /* its entries: "closed circuits" */
    unsigned seconds;    /* longest default lifetime of an entry; 0: unlimited */
    unsigned watch;      /* seconds of a watch that would show whether entries expire */
    unsigned bound;      /* default maximum of entries; 0: unlimited */
    bool is_per_type;    /* one entry per type used by the program */
    const char *setting; /* option that changes it; or NULL */
};

/* The row of a holder by its name as snapshots spell it, or NULL. */
const struct known_store *known_store_of(const char *holder);

#endif
