/* allocation_sites.h - which code allocated objects of a snapshot, by samples.
 *
 * A runtime reports about one allocation in 100 KB with its stack. Those whose object is in
 * the snapshot are kept with it: the object by its number in the order of addresses, the
 * stack by the methods on it. docs/sites.md. It knows neither processes nor addresses. */
#ifndef ALLOCATION_SITES_H
#define ALLOCATION_SITES_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More are not kept, and what a file says beyond them is not read. */
enum {
    MAX_SITE_OBJECTS = 16384,
    MAX_SITE_STACKS = 1024,
    MAX_SITE_FRAMES = 8192, /* distinct ones */
    MAX_STACK_FRAMES = 100, /* as the runtime cuts them */
    MAX_SITES_TEXT = 1 << 20
};

/* A place in code. Strings are UTF-8, of anybody: shown as names of types are. */
struct site_frame {
    const char *method; /* as written: "Shop.Checkout.Add"; never NULL */
    const char *file;   /* name without folders; NULL: unknown */
    uint32_t line;      /* from 1; 0: unknown */
    bool is_own;        /* of the program itself: neither framework nor package */
};

struct site_stack {
    const uint32_t *frames; /* numbers of struct site_frame, the innermost first */
    uint32_t frame_count;
};

/* A sampled object that is there. */
struct site_object {
    uint32_t object; /* its number in the order of addresses, as in survivor_map.h */
    uint32_t stack;
    uint32_t born; /* number of the collection of the first snapshot that has it */
};

struct allocation_sites {
    uint64_t token;    /* places_token() of the snapshot that it is of */
    uint64_t sampled;  /* samples since the snapshot before, those that died included */
    uint64_t unnamed;  /* objects of samples without names of methods, not in objects[] */
    uint64_t per_sample; /* bytes that one stands for, about; 0: unknown */
    const struct site_frame *frames;
    const struct site_stack *stacks;
    const struct site_object *objects; /* ascending by object */
    uint32_t frame_count, stack_count, object_count;
};

/* As text of one line, and back; it and all it points to live in a, and take less than
 * four times the text. NULL if the text is none, or its numbers do not fit each other. */
void allocation_sites_put(const struct allocation_sites *sites, struct text *to);
struct allocation_sites *allocation_sites_parse(const char *text, size_t len,
                                                struct arena *a);

#endif
