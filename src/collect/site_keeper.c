#include "collect/site_keeper.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "collect/code_names.h"
#include "collect/transport.h"
#include "heap/allocation_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reading names may take one of this number of milliseconds. */
enum { NAMES_TAKE = 10 };

struct named_address {
    uint64_t address;
    struct site_frame frame; /* method NULL: the process knows none */
};

void site_keeper_forget(struct site_keeper *k)
{
    arena_free(&k->arena);
    k->by_address = NULL;
}

void site_keeper_free(struct site_keeper *k)
{
    arena_free(&k->arena);
    arena_free(&k->names_arena);
    *k = (struct site_keeper){0};
}

/* --- samples of an interval ------------------------------------------------------ */

/* The number of a stack of addresses, leaf first. */
static uint32_t stack_of_addresses(struct site_builder *b, struct bytes stack,
                                   unsigned pointer_size)
{
    uint32_t frames[MAX_STACK_FRAMES];
    size_t count = 0;
    for (size_t at = 0; at + pointer_size <= stack.size && count < MAX_STACK_FRAMES;
         at += pointer_size) {
        char text[20];
        uint64_t address = heap_pointer(stack.data + at, pointer_size);
        snprintf(text, sizeof(text), "%" PRIx64, address);
        frames[count] = site_builder_frame(b, &(struct site_frame){.method = text});
        if (frames[count] == NO_SITE)
            return NO_SITE;
        count++;
    }
    return site_builder_stack(b, frames, count);
}

/* Returns the samples whose objects are in the snapshot, in a. */
static struct allocation_sites *samples_of(struct movement_events *e,
                                           const struct hd_snapshot *snap,
                                           const struct places *places, struct arena *a)
{
    struct movement *m = &e->movement;
    const struct allocation_sites of = {.token = snap->told->newer.token,
                                        .collection = snap->identity.collection,
                                        .sampled = e->sampled,
                                        .per_sample = movement_events_per_sample(e)};
    struct site_builder b;
    size_t count;
    struct placed_sample *placed = movement_samples(m, snap, places, &count);
    site_builder_begin(&b, a);
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &m->samples[placed[i].sample];
        struct site_object object = {
            .object = placed[i].object,
            .stack = stack_of_addresses(&b, stack_table_at(&e->stacks, s->stack),
                                        e->pointer_size),
            .born = snap->identity.collection};
        site_builder_object(&b, object);
    }
    free(placed);
    return site_builder_end(&b, &of, false);
}

/* --- names ----------------------------------------------------------------------- */

static uint64_t address_of(const struct site_frame *f)
{
    return strtoull(f->method, NULL, 16);
}

static bool is_below(const void *names, size_t i, const void *address)
{
    return ((const struct named_address *)names)[i].address < *(const uint64_t *)address;
}

static const struct named_address *find_name(const struct site_keeper *k, uint64_t address)
{
    size_t i = search_first(k->names, 0, k->name_count, is_below, &address);
    return i < k->name_count && k->names[i].address == address ? &k->names[i] : NULL;
}

/* A frame of the sites. */
struct wanted_address {
    uint64_t address;
    bool is_innermost; /* of some stack */
};

static int by_address(const void *a, const void *b)
{
    const struct wanted_address *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

/* Returns the frames, ascending by address; malloc'd. */
static struct wanted_address *wanted_addresses(const struct allocation_sites *s)
{
    struct wanted_address *all = alloc_zeroed(array_bytes(s->frame_count, sizeof(*all)));
    for (uint32_t i = 0; i < s->frame_count; i++)
        all[i].address = address_of(&s->frames[i]);
    for (uint32_t i = 0; i < s->stack_count; i++)
        all[s->stacks[i].frames[0]].is_innermost = true;
    qsort(all, s->frame_count, sizeof(*all), by_address);
    return all;
}

/* Copies a frame, or what was known before of its address. */
static struct site_frame kept_frame(const struct site_keeper *k, uint64_t address,
                                    const struct site_frame *frame, struct arena *a)
{
    const struct named_address *before = find_name(k, address);
    struct site_frame f = frame->method == NULL && before != NULL ? before->frame : *frame;
    f.method = f.method != NULL ? arena_strdup(a, f.method, strlen(f.method)) : NULL;
    f.file = f.file != NULL ? arena_strdup(a, f.file, strlen(f.file)) : NULL;
    return f;
}

/* Reads the names of all addresses, as code may have got some. Names of code that is gone
 * by now stay. */
static void read_names(struct site_keeper *k, const struct wanted_address *wanted,
                       size_t count, const struct hd_collect_options *opt)
{
    struct code_names read;
    struct arena arena = {0}, scratch = {0};
    uint64_t *addresses = arena_array(&scratch, uint64_t, count);
    bool *innermost = arena_array(&scratch, bool, count);
    for (size_t i = 0; i < count; i++) {
        addresses[i] = wanted[i].address;
        innermost[i] = wanted[i].is_innermost;
    }
    k->error = (struct hd_error){0};
    code_names_read(&read, &(struct code_addresses){addresses, innermost, count}, opt,
                    &k->error);
    struct named_address *all = arena_array(&arena, struct named_address, count);
    for (size_t i = 0; i < count; i++)
        all[i] = (struct named_address){
            addresses[i], kept_frame(k, addresses[i], &read.all[i].frame, &arena)};
    arena_free(&scratch);
    k->cost_ms = read.ms;
    k->read_at = clock_ms();
    code_names_free(&read);
    arena_free(&k->names_arena);
    k->names_arena = arena;
    k->names = all;
    k->name_count = count;
}

/* Names of all frames, if some have none yet and the process can bear it. */
static void name_frames(struct site_keeper *k, const struct hd_collect_options *opt)
{
    const size_t count = k->by_address->frame_count;
    struct wanted_address *wanted = wanted_addresses(k->by_address);
    bool is_missing = false;
    for (size_t i = 0; i < count && !is_missing; i++)
        is_missing = find_name(k, wanted[i].address) == NULL;
    bool is_due = k->read_at == 0 || opt->is_last ||
                  clock_ms() - k->read_at >= NAMES_TAKE * k->cost_ms;
    if (is_missing && is_due)
        read_names(k, wanted, count, opt);
    free(wanted);
}

/* Returns the sites with methods in the place of addresses, in a. Frames without a name,
 * such as stubs of the runtime, are left out. */
static const struct allocation_sites *named_sites(const struct site_keeper *k,
                                                  struct arena *a)
{
    const struct allocation_sites *s = k->by_address;
    struct site_builder b;
    uint32_t *frames = alloc_zeroed(array_bytes(s->frame_count + 1, sizeof(*frames)));
    uint32_t *stacks = alloc_zeroed(array_bytes(s->stack_count + 1, sizeof(*stacks)));
    site_builder_begin(&b, a);
    for (uint32_t i = 0; i < s->frame_count; i++) {
        const struct named_address *n = find_name(k, address_of(&s->frames[i]));
        bool has_name = n != NULL && n->frame.method != NULL;
        frames[i] = has_name ? site_builder_frame(&b, &n->frame) : NO_SITE;
    }
    for (uint32_t i = 0; i < s->stack_count; i++) {
        uint32_t named[MAX_STACK_FRAMES];
        size_t count = 0;
        for (uint32_t j = 0; j < s->stacks[i].frame_count; j++)
            if (frames[s->stacks[i].frames[j]] != NO_SITE)
                named[count++] = frames[s->stacks[i].frames[j]];
        stacks[i] = site_builder_stack(&b, named, count);
    }
    for (uint32_t i = 0; i < s->object_count; i++) {
        struct site_object object = s->objects[i];
        object.stack = stacks[object.stack];
        site_builder_object(&b, object);
    }
    free(frames);
    free(stacks);
    return site_builder_end(&b, s, false);
}

/* --- from outside ---------------------------------------------------------------- */

void site_keeper_begin(struct hd_snapshot *snap, uint64_t token)
{
    struct allocation_sites *sites = arena_alloc(&snap->arena, sizeof(*sites));
    *sites =
        (struct allocation_sites){.token = token, .collection = snap->identity.collection};
    snap->sites = sites;
}

void site_keeper_add(struct site_keeper *k, struct movement_events *events,
                     struct hd_snapshot *snap, const struct places *places,
                     const struct hd_collect_options *opt)
{
    struct arena scratch = {0}, arena = {0};
    const struct allocation_sites *newer = samples_of(events, snap, places, &scratch);
    const struct allocation_sites *all =
        allocation_sites_carry(k->by_address, snap->told, newer, &arena);
    arena_free(&scratch);
    arena_free(&k->arena);
    k->arena = arena;
    k->by_address = all;
    if (all->frame_count > 0)
        name_frames(k, opt);
    snap->sites = named_sites(k, &snap->arena);
}
