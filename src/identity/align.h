/* align.h - the objects of two snapshots lined up in the order of addresses.
 *
 * The collector slides survivors together and keeps their order, so both snapshots are
 * sequences of types and sizes of which parts are common. */
#ifndef ALIGN_H
#define ALIGN_H

#include "identity/same.h"

/* Fill in s, whose source stays HD_SAME_UNKNOWN where there are no addresses. Gives the
 * inner steps that it took, which are O(objects + references) (for tests). */
uint64_t same_align(struct same *s, const struct hd_snapshot *older,
                    const struct hd_snapshot *newer, unsigned threads);

#endif
