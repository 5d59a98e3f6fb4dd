/* gcdump_facts.h - what a .gcdump has no field for, in lines of its collection log.
 *
 *     heapdrift: started 2026-11-22T00:51:24
 *
 * The log is text that other readers show or skip. It knows the lines, not the file. */
#ifndef GCDUMP_FACTS_H
#define GCDUMP_FACTS_H

#include "base/text.h"
#include "heap/builder.h"

/* Append a line for each fact that snap has and log has not. */
void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap);

/* Take the facts out of a log, NULL for none; those of the snapshot's that are known
 * stay. */
void gcdump_facts_read(struct hd_snapshot *snap, const char *log);

/* Ids of types by name, so that snapshots of the process that lack names can borrow them:
 * a line of pairs in hex, each the distance to the id before and 40 bits of the XXH3 of the
 * canonical name. */
void gcdump_ids_write(struct text *log, const struct hd_snapshot *snap);

/* Fill in the type names of the snapshot, if it has none, for types that the builder has by
 * name. */
void gcdump_ids_read(struct builder *b, const char *log);

#endif
