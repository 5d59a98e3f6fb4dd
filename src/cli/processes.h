/* processes.h - which of the running processes, and in which order.
 *
 * It works on the list that the library found, and asks nobody. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include "cli/settings.h"

/* Keep those of that name or pattern; all if it is NULL. */
void processes_keep(struct hd_processes *processes, const char *name);

/* The largest and the oldest first; what is not known last; the same by pid. */
void processes_sort(struct hd_processes *processes, enum process_order order);

#endif
