/* core.h - what is kept of a core dump as long as its graph: memory, runtime, types, and
 * where objects are. */
#ifndef CORE_H
#define CORE_H

#include "format/core/gc_heap.h"

struct core {
    struct arena arena;
    struct process_image image;
    struct runtime runtime;
    struct clr_types *clr;
    struct gc_heap heap;
};

/* What is known of the type of the object there; NULL if nothing is. */
const struct gc_type *core_type_at(const struct core *c, uint64_t address);

/* The bytes of an object of that size but for the header of the next one; copy is to be
 * freed. NULL: they are not there. */
const unsigned char *core_object_at(const struct core *c, uint64_t address, uint64_t size,
                                    void **copy);

void core_free(struct core *c); /* c is malloc'd; NULL is fine */

#endif
