/* collect_all.h - a snapshot, or a series, of every process that gives one.
 *
 * Each snapshot is taken by a child, so that a heap that is too large, or a process that
 * lies, costs its own snapshot and no other. */
#ifndef COLLECT_ALL_H
#define COLLECT_ALL_H

#include "cli/options/settings.h"

/* An exit status: EXIT_TROUBLE if a process failed, whatever became of the others. */
int collect_all(const struct settings *s);

#endif
