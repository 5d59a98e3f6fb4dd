/* made_sites.h - allocation sites for forged snapshots.
 *
 *     made_sites(snap, 20, (const struct made_sample[]){
 *                              {order, "Shop.Add@Shop.cs:42 < Shop.Post < -System.Run",
 * 20},
 *                          }, 1);
 *
 * Frames from the innermost on; "-" begins those that are not the program's. The objects
 * need addresses (forge_generation). */
#ifndef MADE_SITES_H
#define MADE_SITES_H

#include "heap/snapshot.h"

struct made_sample {
    node_id node;
    const char *stack;
    uint32_t born;
};

/* Sites of a snapshot taken in that collection, one sample for 100 KiB. */
void made_sites(struct hd_snapshot *snap, uint32_t collection,
                const struct made_sample *all, size_t count);

#endif
