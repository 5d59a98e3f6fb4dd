/* The stream of a collector while objects are followed: collections, survivors, allocations
 * with their stacks; then a list of methods. For any input the samples stay within their
 * limits, have stacks, and do not overlap. */
#include "fuzz/frame.h"
#include "fuzz/surfaces.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "collect/code_names.h"
#include "collect/gc_move_events.h"
#include "trace/nettrace.h"

#include <stdlib.h>

/* Less than in gc_listener.c, so that limits are reached. */
enum { MAX_MEMORY = 4 << 20, STACK_MEMORY = 64 << 10, OBJECTS = 64, OBJECT_SIZE = 24 };

static struct input *input_of_bytes(struct bytes b)
{
    return input_over(b.data, b.size);
}

static struct nettrace *open_trace(struct input *in)
{
    struct hd_error unused = {0};
    struct nettrace *t = nettrace_begin(in, &unused);
    nettrace_distrust(t, MAX_MEMORY);
    return t;
}

static bool take_event(struct gc_move_events *m, struct nettrace *t,
                       const struct trace_event *e)
{
    enum trace_heap_event kind = trace_gc_move_kind(e);
    struct heap_allocation a;
    struct bytes payload;
    bool is_wanted = kind == EVENT_ALLOCATED || gc_move_events_want(kind);
    if (!is_wanted || !nettrace_payload(t, &payload))
        return true;
    if (kind != EVENT_ALLOCATED)
        return gc_move_events_add(m, kind, e->time, payload, nettrace_header(t));
    return !heap_allocation_parse(e, payload, nettrace_header(t)->pointer_size, &a) ||
           gc_move_events_add_sample(m, e->time, &a, nettrace_stack(t));
}

static void check_samples(const struct gc_move_events *m)
{
    const struct gc_moves *all = &m->gc_moves;
    if (all->sample_count > MAX_SAMPLES || m->stacks.count > MAX_STACKS ||
        m->stacks.bytes > MAX_STACK_BYTES)
        abort();
    for (size_t i = 0; i < all->sample_count; i++)
        if (all->samples[i].stack >= m->stacks.len ||
            stack_table_uses(&m->stacks, all->samples[i].stack) == 0)
            abort();
}

static void follow(struct bytes trace, uint32_t after, uint32_t until, bool is_held)
{
    struct gc_move_events m = {.is_held = is_held};
    struct trace_event e;
    struct places places = {.all = alloc_zeroed(OBJECTS * sizeof(struct place)),
                            .len = OBJECTS};
    struct input *in = input_of_bytes(trace);
    struct nettrace *t = open_trace(in);
    nettrace_keep_stacks(t, STACK_MEMORY);
    for (uint64_t i = 0; i < OBJECTS; i++)
        places.all[i] = (struct place){0x10000 + i * OBJECT_SIZE, 0, i % 2};
    gc_move_events_begin(&m, &places, after);
    while (nettrace_next(t, &e) && take_event(&m, t, &e))
        continue;
    gc_move_events_end(&m, until);
    check_samples(&m);
    places_free(&places);
    gc_move_events_free(&m);
    nettrace_free(t);
    input_close(in);
}

/* Each name is found, or missing. */
static void list_methods(struct bytes trace)
{
    uint64_t addresses[OBJECTS];
    struct code_name names[OBJECTS];
    struct account account = {.limit = MAX_MEMORY};
    struct arena arena = {0};
    struct trace_event e;
    struct bytes payload;
    struct input *in = input_of_bytes(trace);
    struct nettrace *t = open_trace(in);
    for (uint64_t i = 0; i < OBJECTS; i++)
        addresses[i] = 0x20000 + 0x40 * i;
    struct code_list *list = code_list_begin(
        &(struct code_addresses){addresses, NULL, OBJECTS}, &account, &arena);
    while (nettrace_next(t, &e)) {
        enum trace_code_event kind = trace_code_event_kind(&e);
        if (kind != CODE_OTHER && nettrace_payload(t, &payload))
            code_list_add(list, kind, payload);
    }
    code_list_names(list, names);
    for (size_t i = 0; i < OBJECTS; i++)
        if (names[i].frame.method != NULL && names[i].frame.method[0] == '\0')
            abort();
    code_list_free(list);
    nettrace_free(t);
    input_close(in);
    arena_free(&arena);
}

void surface_movement(struct bytes input)
{
    struct frame f = frame_of(input);
    follow(frame_part(&f, 0), f.head[0], f.head[1], f.head[2] % 2 == 1);
    list_methods(frame_part(&f, 1));
}
