/* core_fields.h - finds the fields through which objects of a core dump refer to others,
 * and reads their values (heap/graph.h).
 *
 * Reads the object's memory again, by the collector's list of its references, in the order
 * in which its edges were created. */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include "clr/managed/gc_heap.h"

/* Data of a core dump that is kept as long as its graph: memory, runtime, types, and
 * addresses of objects. */
struct core {
    struct arena arena;
    struct process_image image;
    struct runtime runtime;
    struct clr_types *clr;
    struct gc_heap heap;
};

/* Opens its types, after its runtime. False and err: the layout is wrong. */
bool core_open_types(struct core *c, struct hd_error *err);

/* Returns the type of the object at an address; NULL if unknown. */
const struct gc_type *core_type_at(const struct core *c, uint64_t address);

/* Returns the bytes of an object, without the header of the next one; free copy. NULL: not
 * in the dump. */
const unsigned char *core_object_at(const struct core *c, uint64_t address, uint64_t size,
                                    void **copy);

void core_free(struct core *c); /* c is malloc'd; NULL is fine */

/* Decodes the value of a non-reference field: number, real or words, allocated in a. */
void core_value_of(const struct clr_field *field, const unsigned char *bytes,
                   struct arena *a, struct hd_field *to);

/* Builds the fields of g, which was built from c's heap. Takes ownership of c. */
struct fields *core_fields_make(struct core *c, const struct graph *g);

/* Returns the core of the fields; only cores have fields. */
struct core *core_fields_core(const struct fields *f);

#endif
