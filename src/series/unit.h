/* unit.h - what a row stands for: a type, or all types of a namespace or module. */
#ifndef UNIT_H
#define UNIT_H

#include "base/text.h"
#include "heap/snapshot.h"

/* The row that a type belongs to. Types: its name. Namespaces: what stands before
 * the last dot in front of any "<", "[" or "+"; "(global)" without. Modules: the
 * file name without folders; "(unknown)" without. Appended to out. */
void unit_name(struct text *out, enum hd_unit by, const struct type *t);

#endif
