#include "collect/site_keeper.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "base/error.h"
#include "collect/transport.h"
#include "heap/allocation_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reading names may take one of this number of milliseconds. */
enum { NAMES_TAKE = 10 };

void site_keeper_forget(struct site_keeper *k)
{
    arena_free(&k->arena);
    k->by_address = NULL;
}

void site_keeper_free(struct site_keeper *k)
{
    arena_free(&k->arena);
    site_names_free(&k->names);
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

/* Returns one in `share` of the placed samples, allocated in a. */
static struct allocation_sites *share_of(const struct gc_move_events *e,
                                         const struct allocation_sites *of,
                                         const struct placed_sample *placed, size_t count,
                                         uint64_t share, bool *fits, struct arena *a)
{
    struct site_builder b;
    struct allocation_sites drawn = *of;
    drawn.per_sample *= share;
    site_builder_begin(&b, a);
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &e->gc_moves.samples[placed[i].sample];
        struct site_object object = {.object = placed[i].object, .born = of->collection};
        if (!site_object_is_drawn(of, &object, share))
            continue;
        object.stack =
            stack_of_addresses(&b, stack_table_at(&e->stacks, s->stack), e->pointer_size);
        site_builder_object(&b, object);
    }
    *fits = site_builder_fits(&b);
    return site_builder_end(&b, &drawn, false);
}

/* Returns the samples whose objects are in the snapshot, allocated in a. If there are more
 * stacks or objects than fit, a part of all: the first would be those at low addresses. */
static struct allocation_sites *samples_of(struct gc_move_events *e,
                                           const struct hd_snapshot *snap,
                                           const struct places *places, struct arena *a)
{
    enum { MAX_SHARE = 256 };
    const struct allocation_sites of = {.token = snap->survivor_map->newer.token,
                                        .collection = snap->identity.collection,
                                        .sampled = e->sampled,
                                        .per_sample = gc_move_events_per_sample(e)};
    size_t count;
    bool fits = false;
    struct allocation_sites *sites = NULL;
    struct placed_sample *placed = gc_moves_samples(&e->gc_moves, snap, places, &count);
    for (uint64_t share = 1; !fits && share <= MAX_SHARE; share *= 2)
        sites = share_of(e, &of, placed, count, share, &fits, a);
    free(placed);
    return sites;
}

/* --- what is allocated most ------------------------------------------------------ */

enum { MAX_BUSY = 32 };

/* The stacks of most samples, whether their objects live or not. */
struct busy_stacks {
    struct busy_stack {
        struct bytes frames; /* addresses, leaf first */
        uint64_t uses;
    } all[MAX_BUSY]; /* descending by uses */
    size_t count;
    unsigned pointer_size;
};

static size_t frame_count(const struct busy_stacks *b, size_t i)
{
    size_t count = b->all[i].frames.size / b->pointer_size;
    return count < MAX_STACK_FRAMES ? count : MAX_STACK_FRAMES;
}

static uint64_t frame_at(const struct busy_stacks *b, size_t i, size_t frame)
{
    return heap_pointer(b->all[i].frames.data + frame * b->pointer_size, b->pointer_size);
}

static struct busy_stacks busy_stacks_of(const struct gc_move_events *e)
{
    struct busy_stacks b = {.pointer_size = e->pointer_size};
    for (uint32_t i = 0; i < e->stacks.len; i++) {
        uint64_t uses = stack_table_uses(&e->stacks, i);
        if (uses == 0 || (b.count == MAX_BUSY && uses <= b.all[MAX_BUSY - 1].uses))
            continue;
        size_t at = b.count < MAX_BUSY ? b.count++ : MAX_BUSY - 1;
        for (; at > 0 && b.all[at - 1].uses < uses; at--)
            b.all[at] = b.all[at - 1];
        b.all[at] = (struct busy_stack){stack_table_at(&e->stacks, i), uses};
    }
    return b;
}

/* --- names ----------------------------------------------------------------------- */

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

/* Returns the frames of the sites and of busy stacks, ascending and distinct; malloc'd. */
static struct wanted_address *wanted_addresses(const struct allocation_sites *s,
                                               const struct busy_stacks *busy,
                                               size_t *count)
{
    size_t most = s->frame_count + (size_t)MAX_BUSY * MAX_STACK_FRAMES, len = 0, kept = 0;
    struct wanted_address *all = alloc_zeroed(array_bytes(most, sizeof(*all)));
    for (uint32_t i = 0; i < s->frame_count; i++)
        all[len++].address = site_address(&s->frames[i]);
    for (uint32_t i = 0; i < s->stack_count; i++)
        all[s->stacks[i].frames[0]].is_innermost = true;
    for (size_t i = 0; i < busy->count; i++)
        for (size_t j = 0; j < frame_count(busy, i); j++)
            all[len++] = (struct wanted_address){frame_at(busy, i, j), j == 0};
    qsort(all, len, sizeof(*all), by_address);
    for (size_t i = 0; i < len; i++) {
        bool is_new = kept == 0 || all[kept - 1].address != all[i].address;
        if (is_new)
            all[kept++] = all[i];
        else
            all[kept - 1].is_innermost |= all[i].is_innermost;
    }
    *count = kept;
    return all;
}

/* Reads the names of all addresses, since some may be new. */
static void read_names(struct site_keeper *k, const struct wanted_address *wanted,
                       size_t count, const struct hd_collect_options *opt)
{
    struct code_names read;
    struct arena scratch = {0};
    uint64_t *addresses = arena_array(&scratch, uint64_t, count);
    bool *innermost = arena_array(&scratch, bool, count);
    for (size_t i = 0; i < count; i++) {
        addresses[i] = wanted[i].address;
        innermost[i] = wanted[i].is_innermost;
    }
    k->error = (struct hd_error){0};
    bool ok = code_names_read(&read, &(struct code_addresses){addresses, innermost, count},
                              opt, &k->error);
    site_names_update(&k->names, addresses, count, &read, ok);
    k->cost_ms = read.ms;
    k->read_at = clock_ms();
    code_names_free(&read);
    arena_free(&scratch);
}

/* Reads the names of all frames if some are missing and the process can afford it. */
static void name_frames(struct site_keeper *k, const struct busy_stacks *busy,
                        const struct hd_collect_options *opt)
{
    size_t count;
    struct wanted_address *wanted = wanted_addresses(k->by_address, busy, &count);
    bool is_missing = false;
    for (size_t i = 0; i < count && !is_missing; i++)
        is_missing = site_names_find(&k->names, wanted[i].address) == NULL;
    bool is_due = k->read_at == 0 || opt->is_last ||
                  clock_ms() - k->read_at >= NAMES_TAKE * k->cost_ms;
    if (is_missing && is_due)
        read_names(k, wanted, count, opt);
    free(wanted);
}

/* Sets *method to the innermost method of the program's own on a busy stack, or NULL; to
 * the innermost of all if own methods are unknown. False if the names do not suffice. */
static bool find_busy_site(const struct site_keeper *k, const struct busy_stacks *busy,
                           size_t i, const char **method)
{
    bool has_name = false;
    *method = NULL;
    for (size_t j = 0; j < frame_count(busy, i); j++) {
        const struct named_address *n = site_names_find(&k->names, frame_at(busy, i, j));
        if (n == NULL)
            return false; /* it may be the site */
        if (n->frame.method == NULL)
            continue;
        has_name = true;
        if (n->frame.is_own || !k->names.own_is_known) {
            *method = n->frame.method;
            break;
        }
    }
    return has_name;
}

static int by_share(const void *a, const void *b)
{
    const struct hd_busy_site *x = a, *y = b;
    return (x->share < y->share) - (x->share > y->share);
}

/* Adds up the busy stacks by site. Not after thinning, which makes shares unknown. */
static void add_busy_sites(const struct site_keeper *k, const struct busy_stacks *busy,
                           const struct gc_move_events *e, struct hd_activity *activity)
{
    struct hd_busy_site sites[MAX_BUSY];
    size_t count = 0;
    for (size_t i = 0; e->stride <= 1 && i < busy->count; i++) {
        const char *method;
        if (!find_busy_site(k, busy, i, &method))
            continue;
        size_t at = 0;
        while (at < count && sites[at].method != method &&
               (method == NULL || sites[at].method == NULL ||
                strcmp(sites[at].method, method) != 0))
            at++;
        if (at == count)
            sites[count++] = (struct hd_busy_site){.method = method};
        sites[at].share += (double)busy->all[i].uses / e->events;
    }
    qsort(sites, count, sizeof(*sites), by_share);
    activity->site_count = count < HD_BUSY_SITES ? count : HD_BUSY_SITES;
    memcpy(activity->sites, sites, activity->site_count * sizeof(*sites));
}

/* --- from outside ---------------------------------------------------------------- */

void site_keeper_begin(struct hd_snapshot *snap, uint64_t token)
{
    struct allocation_sites *sites = arena_alloc(&snap->arena, sizeof(*sites));
    *sites =
        (struct allocation_sites){.token = token, .collection = snap->identity.collection};
    snap->sites = sites;
}

/* A runtime sends no event of an allocation while another client samples them in the other
 * way (heap_allocation). Two budgets that were used up have at least one event. */
static bool is_muted(const struct gc_move_events *e)
{
    enum { BUDGETS = 2 };
    return e->events == 0 && e->activity.of_allocations >= BUDGETS;
}

void site_keeper_add(struct site_keeper *k, struct gc_move_events *events,
                     struct hd_snapshot *snap, const struct places *places,
                     const struct hd_collect_options *opt, struct hd_activity *activity)
{
    struct arena scratch = {0}, arena = {0};
    struct busy_stacks busy = {.count = 0};
    if (is_muted(events)) {
        site_keeper_forget(k);
        fail(&k->error, HD_UNSUPPORTED,
             "its runtime reports no allocations: another tool samples them, or it is old");
        return;
    }
    if (opt->with_activity)
        busy = busy_stacks_of(events);
    const struct allocation_sites *newer = samples_of(events, snap, places, &scratch);
    const struct allocation_sites *all =
        allocation_sites_carry(k->by_address, snap->survivor_map, newer, &arena);
    arena_free(&scratch);
    arena_free(&k->arena);
    k->arena = arena;
    k->by_address = all;
    if (all->frame_count > 0 || busy.count > 0)
        name_frames(k, &busy, opt);
    snap->sites = site_names_apply(&k->names, k->by_address, &snap->arena);
    activity->allocated = gc_move_events_allocated(events);
    add_busy_sites(k, &busy, events, activity);
}
