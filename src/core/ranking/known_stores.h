/* known_stores.h - classes of the framework and of packages that keep objects by design,
 * for how long or up to how many.
 *
 * No statistic over a minute tells a session of 20 minutes from a leak. Objects in one of
 * these stores are no suspects before they were watched for longer than its lifetime, nor
 * below its bound. Each row names its source. */
#ifndef KNOWN_STORES_H
#define KNOWN_STORES_H

#include <stdbool.h>

struct known_store {
    const char *holder;  /* full name, or that of a static variable without its module */
    const char *keeps;   /* its entries: "closed circuits" */
    unsigned seconds;    /* longest lifetime of an entry by default; 0: has none */
    unsigned watch;      /* seconds of a watch that would show whether entries go */
    unsigned bound;      /* entries at most by default; 0: has none */
    bool is_per_type;    /* one entry for each type that the program uses */
    const char *setting; /* option that changes it; NULL: none does */
};

/* The row of a holder by its name as snapshots spell it, or NULL. */
const struct known_store *known_store_of(const char *holder);

#endif
