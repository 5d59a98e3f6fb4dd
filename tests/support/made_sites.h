/* made_sites.h - allocation sites for forged snapshots.
 *
 *     const struct made_sample all[] = {
 *         {order, "Shop.Add@Shop.cs:42 < Shop.Post < -System.Run", 20}};
 *     made_sites(snap, 20, all, 1);
 *
 * Frames from the innermost on; "-" marks frames outside the program. The objects need
 * addresses (forge_generation). */
#ifndef MADE_SITES_H
#define MADE_SITES_H

#include "heap/snapshot.h"

struct made_sample {
    node_id node;
    const char *stack;
    uint32_t born;
};

/* Sites of a snapshot of this collection, one sample per 100 KiB. */
void made_sites(struct hd_snapshot *snap, uint32_t collection,
                const struct made_sample *all, size_t count);

#endif
