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

/* Limits; a file with more has no sites. */
enum {
    MAX_SITE_OBJECTS = 16384,
    MAX_SITE_STACKS = 1024,
    MAX_SITE_FRAMES = 8192, /* distinct ones */
    MAX_STACK_FRAMES = 100, /* as the runtime cuts them */
    MAX_SITE_NAME = 1023,   /* bytes of a method or a file */
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
    uint32_t object; /* its number in the order of addresses, as in survivor_map.h; in
                        a digest that of its place, which several have */
    uint32_t stack;
    uint32_t born; /* number of the collection of the first snapshot that has it */
};

struct allocation_sites {
    uint64_t token;      /* places_token() of the snapshot that it is of */
    uint32_t collection; /* in which that was taken; 0: unknown */
    uint64_t sampled;    /* samples since the snapshot before, those that died included */
    uint64_t unnamed;    /* objects of samples without names of methods, not in objects[] */
    uint64_t per_sample; /* bytes that one stands for, about; 0: unknown */
    const struct site_frame *frames;
    const struct site_stack *stacks;
    const struct site_object *objects; /* ascending by object */
    uint32_t frame_count, stack_count, object_count;
};

/* --- making ---------------------------------------------------------------------- */

/* Sites that are being put together, within the limits above. Equal frames are one, and so
 * are equal stacks. Between site_builder_begin() and site_builder_end(). */
struct site_builder {
    struct arena *arena; /* of what is made */
    struct site_frame *frames;
    struct site_stack *stacks;
    struct site_object *objects;
    size_t frame_count, frame_cap, stack_count, stack_cap, object_count, object_cap;
    size_t name_bytes;
    uint64_t left_out; /* objects whose stack has no room */
    struct site_slot *frame_slots, *stack_slots;
};

#define NO_SITE UINT32_MAX

void site_builder_begin(struct site_builder *b, struct arena *a);

/* The number of a frame, whose strings are copied; NO_SITE: there is no room. */
uint32_t site_builder_frame(struct site_builder *b, const struct site_frame *frame);

/* The number of a stack of frames of b, innermost first; what goes beyond MAX_STACK_FRAMES
 * is left out. NO_SITE: there is no room, or it has no frame. */
uint32_t site_builder_stack(struct site_builder *b, const uint32_t *frames, size_t count);

/* The stack of other sites. */
uint32_t site_builder_copy_stack(struct site_builder *b,
                                 const struct allocation_sites *from, uint32_t stack);

/* In any order. With NO_SITE as stack it is counted as unnamed. */
void site_builder_object(struct site_builder *b, struct site_object object);

/* The sites, in the arena, with the token and numbers of `of`. Of objects with the same
 * number that was added last; several: all of them stay. Of more objects than may be kept
 * some of all addresses go. */
struct allocation_sites *site_builder_end(struct site_builder *b,
                                          const struct allocation_sites *of, bool several);

struct survivor_map;

/* Returns the sites of a snapshot: those of the one before whose objects survived by the
 * map, and the newer ones, which have the numbers of the snapshot and its token. Nothing is
 * carried if older or map is NULL, or they are not of the same two snapshots. Where there
 * is no room for all stacks, or a sample of one stands for more bytes than of the other, a
 * part is drawn, and per_sample is larger. In a, and it needs nothing of the others
 * afterwards.
 */
struct allocation_sites *allocation_sites_carry(const struct allocation_sites *older,
                                                const struct survivor_map *map,
                                                const struct allocation_sites *newer,
                                                struct arena *a);

/* --- as text --------------------------------------------------------------------- */

/* As text of one line, and back; it and all it points to live in a, and take less than
 * four times MAX_SITES_TEXT. NULL if the text is none, or its numbers do not fit each
 * other. Frames and stacks are written once, in an order of their own, and only if an
 * object has them. */
void allocation_sites_put(const struct allocation_sites *sites, struct text *to);
struct allocation_sites *allocation_sites_parse(const char *text, size_t len,
                                                struct arena *a);

#endif
