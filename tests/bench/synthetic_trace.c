#include "bench/synthetic_trace.h"

#include "base/alloc.h"
#include "support/trace_forge.h"

#include <stdlib.h>

enum { THREAD = 11, TYPE_STRIDE = 0x100, NODES_AT_ONCE = 2008, TYPES_AT_ONCE = 31 };
static const uint64_t first_address = 0x7f0000000028, first_type = 0x7e0000000000;

static uint64_t *place(const struct heap *h)
{
    enum { ALIGNMENT = 8 };
    uint64_t *address = alloc_zeroed(array_bytes((size_t)h->count + 1, sizeof(*address)));
    address[0] = first_address;
    for (uint32_t i = 0; i < h->count; i++)
        address[i + 1] = (address[i] + h->size[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return address;
}

static uint64_t type_id(unsigned type)
{
    return first_type + (uint64_t)type * TYPE_STRIDE;
}

static void write_types(const struct heap *h, struct trace_forge *f)
{
    for (unsigned i = 0; i < h->type_count; i += TYPES_AT_ONCE) {
        struct forged_type some[TYPES_AT_ONCE];
        uint32_t n = 0;
        for (; n < TYPES_AT_ONCE && i + n < h->type_count; n++)
            some[n] =
                (struct forged_type){.id = type_id(i + n), .name = h->type_names[i + n]};
        trace_forge_types(f, THREAD, some, n);
    }
}

static void write_roots(const struct heap *h, struct trace_forge *f,
                        const uint64_t *address)
{
    static const struct {
        unsigned kind;
        uint32_t flags;
    } kinds[ROOT_GROUPS] = {[ROOTS_STRONG] = {2, 0},
                            [ROOTS_LOCAL] = {0, 0},
                            [ROOTS_PINNING] = {2, 1},
                            [ROOTS_FINALIZER] = {1, 0},
                            [ROOTS_DEPENDENT] = {3, 0}};
    for (size_t i = 0; i < h->root_count; i++) {
        const struct root *r = &h->roots[i];
        if (r->group != ROOTS_STATIC)
            trace_forge_root(f, address[r->object], kinds[r->group].kind,
                             kinds[r->group].flags);
    }
}

static void write_statics(const struct heap *h, struct trace_forge *f,
                          const uint64_t *address)
{
    for (size_t i = 0; i < h->root_count; i++) {
        const struct root *r = &h->roots[i];
        char field[32];
        snprintf(field, sizeof(field), "s_%u", r->variable);
        if (r->group == ROOTS_STATIC)
            trace_forge_static(f, THREAD, address[r->object], type_id(h->type[r->object]),
                               0, field);
    }
}

void synthetic_write_trace(const struct heap *h, FILE *to)
{
    struct trace_forge f = {.pointer_size = 8, .to = to};
    uint64_t *address = place(h);
    trace_forge_begin(&f);
    trace_forge_gc(&f, THREAD, true, 1);
    write_types(h, &f);
    write_statics(h, &f, address);
    for (uint32_t i = 0; i < h->count; i++) {
        trace_forge_node(&f, address[i], h->size[i], type_id(h->type[i]),
                         h->begin[i + 1] - h->begin[i]);
        for (uint32_t e = h->begin[i]; e < h->begin[i + 1]; e++)
            trace_forge_edge(&f, address[h->to[e]]);
        if (i % NODES_AT_ONCE == NODES_AT_ONCE - 1)
            trace_forge_walk(&f, THREAD);
    }
    write_roots(h, &f, address);
    trace_forge_walk(&f, THREAD);
    trace_forge_range(&f, THREAD, 1, first_address,
                      (address[h->count] - first_address) / 2);
    trace_forge_range(&f, THREAD, 2,
                      first_address + (address[h->count] - first_address) / 2,
                      address[h->count]);
    trace_forge_gc(&f, THREAD, false, 1);
    trace_forge_end(&f);
    trace_forge_free(&f);
    free(address);
}
