/* processes.h - which of the running processes, and in which order. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "cli/options/settings.h"

/* All there are; false, and said so, when they cannot all be looked at. */
bool processes_find(struct hd_processes *processes);

/* Keep those of that name or pattern; all if it is NULL. */
void processes_keep(struct hd_processes *processes, const char *name);

/* The largest and the oldest first; what is not known last; the same by pid. */
void processes_sort(struct hd_processes *processes, enum process_order order);

#endif
