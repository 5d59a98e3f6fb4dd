/* collect_all.h - a snapshot, or a series, of every process that gives one. */
#ifndef COLLECT_ALL_H
#define COLLECT_ALL_H

#include "cli/options/settings.h"

/* An exit status: EXIT_TROUBLE if a process failed, whatever became of the others. */
int collect_all(const struct settings *s);

#endif
