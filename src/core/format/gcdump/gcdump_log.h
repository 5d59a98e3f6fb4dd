/* gcdump_log.h - facts without a field in a .gcdump, as lines of its collection log, which
 * other readers show or skip.
 *
 *     heapdrift: started 2026-11-22T00:51:24
 *     heapdrift: full Node<System.String>	Shop.Ring<System.String>+Node
 *
 * The second has a name, a tab, and the same name with outer classes, or with the class
 * that declares the variable. Must not depend on the rest of the file. */
#ifndef GCDUMP_LOG_H
#define GCDUMP_LOG_H

#include "base/text.h"
#include "heap/builder.h"

/* Written to the log if objects may be missing: no field of the file could express that. */
#define GCDUMP_LOG_INCOMPLETE "heapdrift: incomplete"

/* --- facts ------------------------------------------------------------------- */

/* Appends a line for each fact of snap that log lacks. */
void gcdump_facts_write(struct text *log, const struct hd_snapshot *snap);

/* Reads the facts from a log, which may be NULL; does not overwrite known ones. */
void gcdump_facts_read(struct hd_snapshot *snap, const char *log);

/* --- ids of types ------------------------------------------------------------ */

/* Ids of types by name, so that snapshots of the process that lack names can borrow them:
 * a line of pairs in hex, each the distance to the id before and 40 bits of the XXH3 of the
 * canonical name. */
void gcdump_ids_write(struct text *log, const struct hd_snapshot *snap);

/* Fills in the type names of the snapshot, if they are missing, for types that the builder
 * has by name. */
void gcdump_ids_read(struct builder *b, const char *log);

/* --- full names -------------------------------------------------------------- */

/* Appends a line for each row with a full name, 512 KiB at most. */
void gcdump_names_write(struct text *log, const struct hd_snapshot *snap);

/* The names of a log. {0} is empty. */
struct gcdump_names {
    struct gcdump_name *all; /* by name, as the builder has it */
    struct arena arena;
};

/* log may be NULL. A line is used if both names can mean the same: the full name ends in
 * the same field, or contains the nested class. */
void gcdump_names_read(struct gcdump_names *n, struct builder *b, const char *log);
void gcdump_names_free(struct gcdump_names *n);

/* Returns the full name of a type, which lives as long as the snapshot, or NULL. name may
 * be NULL: the type without a name. */
const char *gcdump_names_find(const struct gcdump_names *n, const char *name);

#endif
