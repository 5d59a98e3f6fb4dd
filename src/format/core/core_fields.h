/* core_fields.h - by which field an object of a core dump refers to another, and what its
 * fields hold (heap/fields.h).
 *
 * The object's memory is looked at again, by the collector's list of its references, in the
 * order in which its edges were made. */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include "format/core/core.h"
#include "heap/fields.h"

/* The value of a field that is no reference and stands at bytes, as its kind and size say:
 * its number, its real or its words, which a gets. */
void core_value_of(const struct clr_field *field, const unsigned char *bytes,
                   struct arena *a, struct hd_field *to);

/* Of g, which was built of c's heap and owns c from now on. */
struct fields *core_fields_make(struct core *c, const struct graph *g);

/* The core that they are of, which is the only input that has fields. */
struct core *core_fields_core(const struct fields *f);

#endif
