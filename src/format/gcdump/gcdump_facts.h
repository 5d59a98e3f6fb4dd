/* gcdump_facts.h - what a .gcdump has no field for, in lines of its collection log.
 *
 *     heapdrift: started 2026-11-22T00:51:24
 *
 * The log is text that other readers show or skip. It knows the lines, not the file. */
#ifndef GCDUMP_FACTS_H
#define GCDUMP_FACTS_H

#include "base/text.h"
#include "heap/snapshot.h"

/* Append a line for each fact that snap has and log has not. */
void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap);

/* Take the facts out of a log, NULL for none; those of the snapshot's that are known
 * stay. */
void gcdump_facts_read(struct hd_snapshot *snap, const char *log);

#endif
