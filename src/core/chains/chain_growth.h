/* chain_growth.h - find the root chains of a type that grew over a series.
 *
 * Exact counts show every change. Samples show only a change whose 95 % intervals do not
 * overlap; others are left open. */
#ifndef CHAIN_GROWTH_H
#define CHAIN_GROWTH_H

#include "chains/chains.h"
#include "series/series.h"

/* "new", ...; NULL for HD_CHAIN_UNKNOWN. */
extern const char *const chain_status_names[HD_CHAIN_STATUS_COUNT];

struct grown_chain {
    struct hd_chain chain; /* as in the last snapshot that has it */
    uint64_t *instances;   /* per snapshot; NULL unless exact */
    enum hd_chain_status status;
};

struct grown_chains {
    struct grown_chain
        *all; /* the chains of the last snapshot in its order, then those that vanished */
    size_t len;
};

/* Aligns the answers of count >= 1 snapshots to one question; in[k] is that of snapshot k,
 * with frames; in a. With one snapshot every status is unknown. */
struct grown_chains chain_growth(const struct chains *const *in, size_t count,
                                 struct arena *a);

#endif
