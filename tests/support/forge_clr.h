/* forge_clr.h - readable builders of the types of a .NET 10 or .NET 8 process, in memory,
 * for tests.
 *
 *     struct clr_forge f;
 *     forge_clr_begin(&f);
 *     uint64_t module = forge_clr_module(&f, metadata);
 *     struct forged_type list = {.module = module, .row = 2};
 *     uint64_t type = forge_clr_type(&f, &list);
 *     struct clr_types *t = forge_clr_open(&f);
 *     ...
 *     clr_types_close(t);
 *     forge_clr_end(&f);
 *
 * One piece of memory from FORGED_CLR_BASE on. From the description of the layout; must
 * not share code with the reader. A wrong address ends the test. */
#ifndef FORGE_CLR_H
#define FORGE_CLR_H

#include "clr/managed/clr_types.h"

enum {
    FORGED_CLR_SIZE = 1 << 17,
    FORGED_FIELDS = 8,
    FORGED_ARGUMENTS = 4,
    FORGED_ENTRIES = 8 /* types with statics of their own, in a module of .NET 8 */
};
#define FORGED_CLR_BASE UINT64_C(0x10000)

struct clr_forge {
    unsigned char *bytes; /* malloc'd */
    size_t len;
    struct memory_piece piece;
    struct process_image image;
    struct runtime runtime;
    struct arena arena;
    uint64_t modules[8];
    size_t module_count;
    bool is_unpacked; /* class numbers of .NET 8 are not packed */
};

/* Bits of MTFlags and MTFlags2. */
#define FORGED_VALUE 0x40000U
#define FORGED_INSTANCE 0x10U
#define FORGED_COLLECTIBLE 0x200000U
#define FORGED_HAS_STATICS 0x2U
#define FORGED_COLLECTIBLE_8 0x10000000U
#define FORGED_OWN_STATICS 0x6U /* either bit, in MTFlags of .NET 8 */

/* Bits of the first word of a FieldDesc. */
#define FORGED_STATIC 0x1000000U
#define FORGED_THREAD 0x2000000U
#define FORGED_RVA 0x4000000U

struct forged_field_desc {
    uint32_t row, offset;
    unsigned element;
    uint32_t flags;
};

struct forged_type {
    uint64_t module;
    uint32_t row, flags, flags2;
    uint64_t parent;
    unsigned element; /* of the class; 0: VALUETYPE or CLASS */
    uint32_t size;    /* bytes of the contents of an object; 0: 8 */
    uint32_t inherited;
    struct forged_field_desc fields[FORGED_FIELDS]; /* up to the first of element 0 */
    uint64_t arguments[FORGED_ARGUMENTS];           /* up to the first 0 */
    uint64_t statics, thread_index; /* base of the first; TLSIndex. In .NET 8 of all plain
                                       types of a module */
    uint64_t plain_statics, plain_thread_index; /* of non-references */
};

void forge_clr_begin(struct clr_forge *f);
void forge_clr_begin_8(struct clr_forge *f);
void forge_clr_end(struct clr_forge *f);

/* Zeros; size is a multiple of 8. */
uint64_t forge_clr_reserve(struct clr_forge *f, size_t size);
void forge_clr_put(struct clr_forge *f, uint64_t address, uint64_t value, size_t size);
uint64_t forge_clr_get(const struct clr_forge *f, uint64_t address);

/* An emitted module in the list of the process; copies metadata. */
uint64_t forge_clr_module(struct clr_forge *f, struct bytes metadata);

/* A MethodTable: in the map of its module, or, with arguments, in its hash table. */
uint64_t forge_clr_type(struct clr_forge *f, const struct forged_type *type);

/* An array; rank 0 is T[]. */
uint64_t forge_clr_array(struct clr_forge *f, uint64_t module, uint64_t element,
                         uint32_t element_size, uint32_t rank);

/* The handle of T*, by element type 0x0F, or T&. */
uint64_t forge_clr_pointer(struct clr_forge *f, uint64_t type, unsigned element);

/* Binds a TypeRef of a module to a type. */
void forge_clr_refer(struct clr_forge *f, uint64_t module, uint32_t row, uint64_t type);

/* The only thread, with its numbers of arrays of thread statics. Returns the address of its
 * ThreadLocalData; in .NET 8 of its ThreadLocalBlock, where `ordinary` is the number of
 * modules. */
uint64_t forge_clr_thread(struct clr_forge *f, uint64_t id, uint32_t ordinary,
                          uint32_t collectible);

struct clr_types *forge_clr_open(struct clr_forge *f);

#endif
