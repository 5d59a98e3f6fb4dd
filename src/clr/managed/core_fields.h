/* core_fields.h - by which field an object of a core dump refers to another, and what its
 * fields hold (heap/graph.h).
 *
 * The object's memory is looked at again, by the collector's list of its references, in the
 * order in which its edges were made. */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include "clr/managed/gc_heap.h"

/* What is kept of a core dump as long as its graph: memory, runtime, types, and where
 * objects are. */
struct core {
    struct arena arena;
    struct process_image image;
    struct runtime runtime;
    struct clr_types *clr;
    struct gc_heap heap;
};

/* Its types, once its runtime is known. False and err: that is not as it was described. */
bool core_open_types(struct core *c, struct hd_error *err);

/* What is known of the type of the object there; NULL if nothing is. */
const struct gc_type *core_type_at(const struct core *c, uint64_t address);

/* The bytes of an object of that size but for the header of the next one; copy is to be
 * freed. NULL: they are not there. */
const unsigned char *core_object_at(const struct core *c, uint64_t address, uint64_t size,
                                    void **copy);

void core_free(struct core *c); /* c is malloc'd; NULL is fine */

/* The value of a field that is no reference and stands at bytes, as its kind and size say:
 * its number, its real or its words, which a gets. */
void core_value_of(const struct clr_field *field, const unsigned char *bytes,
                   struct arena *a, struct hd_field *to);

/* Of g, which was built of c's heap and owns c from now on. */
struct fields *core_fields_make(struct core *c, const struct graph *g);

/* The core that they are of, which is the only input that has fields. */
struct core *core_fields_core(const struct fields *f);

#endif
