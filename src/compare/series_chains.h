/* series_chains.h - root chains in several snapshots of a comparison, side by side.
 *
 * Who asks says which snapshots are looked at and which instances are meant in each; the
 * graphs, the walks and the memory are the matter of this file. It does not know why the
 * chains are wanted. */
#ifndef SERIES_CHAINS_H
#define SERIES_CHAINS_H

#include "chains/chains.h"
#include "compare/comparison.h"

struct series_chains {
    struct hd_comparison *c;
    size_t indexes[HD_MAX_SNAPSHOTS]; /* of the snapshots to look at, ascending */
    size_t count;
    size_t queries;
    enum selection selection;
    struct owner_types types; /* of the snapshots that decide who owns; freed with this */
    struct chain_options how;

    /* Say which instances of the snapshot in that place are meant: queries and selection
     * are in *ask, roles come later; arrays from scratch. False: there are none. */
    bool (*ask)(void *context, size_t place, const struct hd_snapshot *snap,
                struct chain_question *ask, struct arena *scratch);
    void *context;

    /* By place: an answer for each query; NULL where there is no graph. */
    const struct chains *answers[HD_MAX_SNAPSHOTS];
    struct arena scratch[HD_MAX_SNAPSHOTS];
    uint64_t objects; /* to tell progress */
    const struct graph_work *work;
};

/* Find them. series_chains_free() also after a failure. */
bool series_chains_find(struct series_chains *s, struct hd_error *err);
void series_chains_free(struct series_chains *s);

#endif
