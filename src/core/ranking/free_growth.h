/* free_growth.h - whether the free space between objects keeps growing, and what lies
 * between.
 *
 * The rule is that of a part of the process (process_growth.h). If the size of the process
 * is not known, as in `dumpheap -stat`, the heap with its free space takes its place. */
#ifndef FREE_GROWTH_H
#define FREE_GROWTH_H

#include "ranking/process_growth.h"

/* Of the snapshots that can be compared and have free space, in a; NULL if fewer than two
 * have. process may be NULL. */
const struct hd_free_growth *free_growth_of(const struct series *s,
                                            const struct hd_process_growth *process,
                                            struct arena *a);

#endif
