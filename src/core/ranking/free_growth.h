/* free_growth.h - whether the free space between objects keeps growing, and the objects
 * around it.
 *
 * Uses the rule for a part of the process (process_growth.h). If fewer than four snapshots
 * have the size of the process, as in `dumpheap -stat`, the heap with its free space
 * replaces it. */
#ifndef FREE_GROWTH_H
#define FREE_GROWTH_H

#include "ranking/process_growth.h"

/* Uses the snapshots that can be compared and have free space; NULL if fewer than two have.
 * The result is in a. process may be NULL. */
const struct hd_free_growth *free_growth_of(const struct series *s,
                                            const struct hd_process_growth *process,
                                            struct arena *a);

#endif
