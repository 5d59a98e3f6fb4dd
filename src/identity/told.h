/* told.h - which object is which, as the collector told it while both snapshots were
 * taken. */
#ifndef TOLD_H
#define TOLD_H

#include "identity/same.h"

/* Fill in s; false, and s as it was, if the newer was not told of the older, or what it
 * was told cannot be. */
bool same_told(struct same *s, const struct hd_snapshot *older,
               const struct hd_snapshot *newer);

#endif
