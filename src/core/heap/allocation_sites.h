/* allocation_sites.h - the code that allocated objects of a snapshot, by samples.
 *
 * A runtime reports about one allocation in 100 KB with its stack. Those whose object is in
 * the snapshot are stored with it: the object as its number in the order of addresses, the
 * stack as its methods. docs/sites.md. Must not depend on processes or addresses. */
#ifndef ALLOCATION_SITES_H
#define ALLOCATION_SITES_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limits; a file with more has no sites. */
enum {
    MAX_SITE_OBJECTS = 16384,
    MAX_SITE_STACKS = 1024,
    MAX_SITE_FRAMES = 8192, /* distinct ones */
    MAX_STACK_FRAMES = 100, /* limit of the runtime */
    MAX_SITE_NAME = 1023,   /* bytes of a method or a file */
    MAX_SITES_TEXT = 1 << 20
};

/* A place in code. Strings are UTF-8 and untrusted: shown as names of types are. */
struct site_frame {
    const char *method; /* as written: "Shop.Checkout.Add"; never NULL */
    const char *file;   /* name without folders; NULL: unknown */
    uint32_t line;      /* from 1; 0: unknown */
    bool is_own;        /* in the program's own code */
};

struct site_stack {
    const uint32_t *frames; /* numbers of struct site_frame, the innermost first */
    uint32_t frame_count;
};

/* A sampled object that is in the snapshot. */
struct site_object {
    uint32_t object; /* number in the order of addresses, as in survivor_map.h; in a digest
                        the number of its place, which objects share */
    uint32_t stack;
    uint32_t born; /* number of the collection of its first snapshot */
};

struct allocation_sites {
    uint64_t token;      /* places_token() of its snapshot */
    uint32_t collection; /* in which the snapshot was taken; 0: unknown */
    uint64_t sampled;    /* samples since the snapshot before, dead ones included */
    uint64_t unnamed;    /* sampled objects without method names, not in objects[] */
    uint64_t per_sample; /* approximate bytes per sample; 0: unknown */
    const struct site_frame *frames;
    const struct site_stack *stacks;
    const struct site_object *objects; /* ascending by object */
    uint32_t frame_count, stack_count, object_count;
};

/* --- making ---------------------------------------------------------------------- */

/* Sites under construction, within the limits above. Equal frames are merged, and so are
 * equal stacks. Valid between site_builder_begin() and site_builder_end(). */
struct site_builder {
    struct arena *arena; /* for the result */
    struct site_frame *frames;
    struct site_stack *stacks;
    struct site_object *objects;
    size_t frame_count, frame_cap, stack_count, stack_cap, object_count, object_cap;
    size_t text_bytes; /* of the frames as text */
    uint64_t left_out; /* objects whose stack did not fit */
    struct site_slot *frame_slots, *stack_slots;
};

#define NO_SITE UINT32_MAX

void site_builder_begin(struct site_builder *b, struct arena *a);

/* Returns the number of a frame, whose strings are copied; NO_SITE if the limits are
 * reached. */
uint32_t site_builder_frame(struct site_builder *b, const struct site_frame *frame);

/* Returns the number of a stack of frames of b, innermost first; frames beyond
 * MAX_STACK_FRAMES are dropped. NO_SITE if the limits are reached or count is 0. */
uint32_t site_builder_stack(struct site_builder *b, const uint32_t *frames, size_t count);

/* Copies a stack of other sites. */
uint32_t site_builder_copy_stack(struct site_builder *b,
                                 const struct allocation_sites *from, uint32_t stack);

/* Adds an object, in any order. With NO_SITE as stack it is counted as unnamed. */
void site_builder_object(struct site_builder *b, struct site_object object);

/* True if no object was left out and the objects are within the limit. Else objects must be
 * drawn, so that those of all moments have the same weight. */
bool site_builder_fits(const struct site_builder *b);

/* Selects one object of `from` in `share` by a hash, since neighbours were allocated in
 * turns. A remaining one represents share times the bytes. Draws from the result are
 * independent if its per_sample or token differs. */
bool site_object_is_drawn(const struct allocation_sites *from,
                          const struct site_object *object, uint64_t share);

/* Returns the sites, in the arena, with the token and numbers of `of`. If objects have the
 * same number, all are stored if `several`, else the last added. Beyond the limit, objects
 * all over the heap are dropped. */
struct allocation_sites *site_builder_end(struct site_builder *b,
                                          const struct allocation_sites *of, bool several);

struct survivor_map;

/* Returns the sites of a snapshot: sites of the snapshot before whose objects survived by
 * the map, and the newer ones, whose numbers and token it gets. If older or map is NULL, or
 * their tokens do not match, only the newer ones. If not all stacks or objects fit, or
 * samples of the two have different weights in bytes, samples are thinned out and
 * per_sample is larger. The result is in a and independent of the arguments. */
struct allocation_sites *allocation_sites_carry(const struct allocation_sites *older,
                                                const struct survivor_map *map,
                                                const struct allocation_sites *newer,
                                                struct arena *a);

/* Returns the number of methods; a method has a frame per line. */
uint32_t allocation_sites_methods(const struct allocation_sites *sites);

/* --- as text --------------------------------------------------------------------- */

/* Writes one line of text and parses it; the result and all its data live in a, and use
 * less than four times MAX_SITES_TEXT. NULL if the text is invalid, or its numbers
 * contradict each other. Frames and stacks are written once, sorted, and only if an object
 * has them. */
void allocation_sites_put(const struct allocation_sites *sites, struct text *to);
struct allocation_sites *allocation_sites_parse(const char *text, size_t len,
                                                struct arena *a);

#endif
