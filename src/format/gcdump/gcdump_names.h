/* gcdump_names.h - what types and static variables are called in full, in lines of the
 * collection log of a .gcdump: a name, a tab, and the same with outer classes, or by the
 * class that declares the variable.
 *
 *     heapdrift: full Node<System.String>	Shop.Ring<System.String>+Node
 *
 * It knows the lines, not the file. */
#ifndef GCDUMP_NAMES_H
#define GCDUMP_NAMES_H

#include "base/text.h"
#include "heap/builder.h"

/* Append a line for each row that has such a name, 512 KiB of them at most. */
void gcdump_names_write(struct text *log, const struct hd_snapshot *snap);

/* Those of a log. {0} is empty. */
struct gcdump_names {
    struct gcdump_name *all; /* by name, as the builder has it */
    struct arena arena;
};

/* NULL: no log. Lines are taken if both names can be of one thing: a full name ends in the
 * same field, or has the nested class in it. */
void gcdump_names_read(struct gcdump_names *n, struct builder *b, const char *log);
void gcdump_names_free(struct gcdump_names *n);

/* name NULL: a type without one. NULL: none. It lives as long as the snapshot. */
const char *gcdump_names_find(const struct gcdump_names *n, const char *name);

#endif
