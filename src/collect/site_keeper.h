/* site_keeper.h - which code allocated the objects of a series, from snapshot to snapshot.
 *
 * Samples of each interval join those of earlier ones whose objects are still there. Their
 * stacks stay addresses of code: names are read from the process now and then, as this
 * costs it time, and may come for samples of any age. A snapshot gets the samples that have
 * names by then. Memory is bounded by the limits of heap/allocation_sites.h. */
#ifndef SITE_KEEPER_H
#define SITE_KEEPER_H

#include "collect/movement_events.h"
#include "heap/survivor_map.h"
#include "heapdrift.h"

struct site_keeper {
    struct arena arena; /* of the sites */
    /* Of the last snapshot; methods are addresses of code, in hexadecimal. NULL: none */
    const struct allocation_sites *by_address;
    struct arena names_arena;
    struct named_address *names; /* ascending */
    size_t name_count;
    bool own_is_known;         /* which methods are the program's own */
    uint64_t read_at, cost_ms; /* of the last session for names; 0: there was none */
    struct hd_error error;     /* of that session, or why there are no samples */
};

/* Gives the first snapshot of a series sites without objects: readers know by them in which
 * collection it was taken. */
void site_keeper_begin(struct hd_snapshot *snap, uint64_t token);

/* Adds the samples of an interval to those of earlier snapshots, and gives the snapshot
 * snap, in the order of its places, those that have names. snap->told is set. Reads names
 * of the process if some are missing, and the last time cost less than a tenth of the time
 * since then, or opt->is_last. With opt->with_activity, activity gets the sites that
 * allocated most. Without any sample though the collector worked off allocations the
 * runtime reports them to somebody else: then all samples are forgotten, with an error. */
void site_keeper_add(struct site_keeper *k, struct movement_events *events,
                     struct hd_snapshot *snap, const struct places *places,
                     const struct hd_collect_options *opt, struct hd_activity *activity);

/* Forgets all samples: it is not known which objects are still there. */
void site_keeper_forget(struct site_keeper *k);
void site_keeper_free(struct site_keeper *k);

#endif
