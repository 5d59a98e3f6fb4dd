/* site_keeper.h - tracks which code allocated the objects of a series, across snapshots.
 *
 * Samples of each interval are added to earlier ones whose objects survive. Their stacks
 * are code addresses: names are read from the process occasionally, since this costs it
 * time, for samples of any age. A snapshot gets the samples that have names by then. Memory
 * is bounded by the limits of heap/allocation_sites.h. */
#ifndef SITE_KEEPER_H
#define SITE_KEEPER_H

#include "collect/gc_move_events.h"
#include "collect/site_names.h"
#include "heap/survivor_map.h"
#include "heapdrift.h"

struct site_keeper {
    struct arena arena; /* of the sites */
    /* sites of the last snapshot; methods are addresses of code, in hexadecimal; or NULL */
    const struct allocation_sites *by_address;
    struct site_names names;
    uint64_t read_at, cost_ms; /* of the last session for names; or 0 */
    struct hd_error error;     /* from the last session, or why samples are missing */
};

/* Gives the first snapshot of a series an empty list of sites: it identifies the collection
 * in which it was taken. */
void site_keeper_begin(struct hd_snapshot *snap, uint64_t token);

/* Adds the samples of an interval to those of earlier snapshots, and gives those with names
 * to snap, in the order of its places. snap->survivor_map must be set. Reads names from the
 * process if some are missing and the last time cost less than a tenth of the time since
 * then, or with opt->is_last. With opt->with_activity, activity gets the sites that
 * allocated most. If the collector processed allocations without any sample, the runtime
 * sends them to another client: then all samples are dropped, with an error. */
void site_keeper_add(struct site_keeper *k, struct gc_move_events *events,
                     struct hd_snapshot *snap, const struct places *places,
                     const struct hd_collect_options *opt, struct hd_activity *activity);

/* Drops all samples, if survivors are unknown. */
void site_keeper_forget(struct site_keeper *k);
void site_keeper_free(struct site_keeper *k);

#endif
