/* core_values.h - the values of an object's fields, or of an array's elements, out of the
 * memory of its process. */
#ifndef CORE_VALUES_H
#define CORE_VALUES_H

#include "format/core/core.h"

struct core_values_asked {
    uint64_t first;
    size_t most;
    bool with_text;   /* the contents of strings as well */
    size_t most_text; /* of so many characters at most */
};

/* The number of a field that stands at bytes, or its real, as its kind and size say. */
void core_value_number(const struct clr_field *field, const unsigned char *bytes,
                       struct hd_field *to);

/* As struct fields' values (heap/fields.h). One thread at a time. */
const struct hd_field *core_values_of(struct core *c, const struct graph *g, node_id n,
                                      const struct core_values_asked *asked,
                                      struct arena *a, size_t *len, uint64_t *count);

#endif
