/* gcdump_log.h - what a .gcdump has no field for, in lines of its collection log, which
 * other readers show or skip.
 *
 *     heapdrift: started 2026-11-22T00:51:24
 *     heapdrift: full Node<System.String>	Shop.Ring<System.String>+Node
 *
 * The second has a name, a tab, and the same name with outer classes, or of the class that
 * declares the variable. It knows the lines, not the file. */
#ifndef GCDUMP_LOG_H
#define GCDUMP_LOG_H

#include "base/text.h"
#include "heap/builder.h"

/* What the writer puts into the log if objects may be missing: nothing else in a file
 * could say so. */
#define GCDUMP_LOG_INCOMPLETE "heapdrift: incomplete"

/* --- facts ------------------------------------------------------------------- */

/* Append a line for each fact that snap has and log has not. */
void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap);

/* Take the facts out of a log, NULL for none; those of the snapshot's that are known
 * stay. */
void gcdump_facts_read(struct hd_snapshot *snap, const char *log);

/* --- ids of types ------------------------------------------------------------ */

/* Ids of types by name, so that snapshots of the process that lack names can borrow them:
 * a line of pairs in hex, each the distance to the id before and 40 bits of the XXH3 of the
 * canonical name. */
void gcdump_ids_write(struct text *log, const struct hd_snapshot *snap);

/* Fill in the type names of the snapshot, if it has none, for types that the builder has by
 * name. */
void gcdump_ids_read(struct builder *b, const char *log);

/* --- full names -------------------------------------------------------------- */

/* Append a line for each row that has such a name, 512 KiB of them at most. */
void gcdump_names_write(struct text *log, const struct hd_snapshot *snap);

/* Those of a log. {0} is empty. */
struct gcdump_names {
    struct gcdump_name *all; /* by name, as the builder has it */
    struct arena arena;
};

/* NULL: no log. Lines are read if both names can be of one thing: a full name ends in the
 * same field, or has the nested class in it. */
void gcdump_names_read(struct gcdump_names *n, struct builder *b, const char *log);
void gcdump_names_free(struct gcdump_names *n);

/* name NULL: a type without one. NULL: none. It lives as long as the snapshot. */
const char *gcdump_names_find(const struct gcdump_names *n, const char *name);

#endif
