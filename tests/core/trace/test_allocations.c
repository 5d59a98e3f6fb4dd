/* Allocation events: payloads of .NET 8 to 10, older and damaged ones. */
#include "trace/trace_heap_events.h"

#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICK = 10, SAMPLED = 303, HEAP = 0, RUNTIME = 9 };

static const uint64_t type = 0x7f3a00112233, address = 0x7f2b44556677, size = 85024;

static void put_pointer(struct text *t, uint64_t value, unsigned pointer_size)
{
    if (pointer_size == 8)
        forge_u64(t, value);
    else
        forge_u32(t, (uint32_t)value);
}

/* Versions 1 to 4: each appends fields to the previous one. */
static struct text tick(unsigned version, unsigned pointer_size)
{
    struct text t = {0};
    forge_u32(&t, 0xFFFFFFFF);
    forge_u32(&t, ALLOCATED_LARGE);
    forge_u16(&t, RUNTIME);
    if (version >= 2) {
        forge_u64(&t, UINT64_MAX);
        put_pointer(&t, type, pointer_size);
        forge_wide(&t, "App.Order[]");
        forge_u32(&t, HEAP);
    }
    if (version >= 3)
        put_pointer(&t, address, pointer_size);
    if (version >= 4)
        forge_u64(&t, size);
    return t;
}

static struct text sampled(unsigned pointer_size)
{
    struct text t = {0};
    forge_u32(&t, ALLOCATED_PINNED);
    forge_u16(&t, RUNTIME);
    put_pointer(&t, type, pointer_size);
    forge_wide(&t, "App.Order[]");
    put_pointer(&t, address, pointer_size);
    forge_u64(&t, size);
    forge_u64(&t, 17); /* offset of the sampled byte */
    return t;
}

static bool parse(uint32_t id, const struct text *t, size_t len, unsigned pointer_size,
                  struct heap_allocation *a)
{
    const struct trace_event e = {.provider = TRACE_RUNTIME, .id = id};
    const struct bytes payload = {(const unsigned char *)t->data, len};
    return heap_allocation_parse(&e, payload, pointer_size, a);
}

/* Fewer than `needed` bytes are rejected. */
static void expect_fields(uint32_t id, struct text *t, size_t needed, unsigned pointer_size)
{
    struct heap_allocation a;
    for (size_t len = 0; len < needed; len++) {
        struct text copy = {0}; /* a sanitizer reports a byte too many */
        text_add(&copy, t->data, len);
        cr_expect_not(parse(id, &copy, len, pointer_size, &a), "%zu of %zu", len, t->len);
        text_free(&copy);
    }
    cr_assert(parse(id, t, t->len, pointer_size, &a));
    uint64_t mask = pointer_size == 8 ? UINT64_MAX : UINT32_MAX;
    cr_expect_eq(a.type, type & mask);
    cr_expect_eq(a.address, address & mask);
    cr_expect_eq(a.size, size);
    cr_expect_eq(a.is_tick, id == TICK);
    cr_expect_eq(a.kind, id == TICK ? ALLOCATED_LARGE : ALLOCATED_PINNED);
    cr_expect_eq(a.name.size, 2 * strlen("App.Order[]"));
    cr_expect_eq(memcmp(a.name.data, "A\0p\0p\0.\0", 8), 0);
    text_free(t);
}

Test(allocations, are_parsed_from_ticks)
{
    for (unsigned pointer_size = 4; pointer_size <= 8; pointer_size += 4) {
        struct text t = tick(4, pointer_size);
        expect_fields(TICK, &t, t.len, pointer_size);
        t = tick(4, pointer_size);
        size_t needed = t.len;
        forge_u64(&t, 0); /* as in a later version */
        expect_fields(TICK, &t, needed, pointer_size);
    }
}

Test(allocations, that_are_drawn)
{
    for (unsigned pointer_size = 4; pointer_size <= 8; pointer_size += 4) {
        struct text t = sampled(pointer_size);
        expect_fields(SAMPLED, &t, t.len - 8, pointer_size);
    }
}

Test(allocations, of_older_runtimes_lack_address_or_size)
{
    struct heap_allocation a;
    for (unsigned version = 1; version < 4; version++) {
        struct text t = tick(version, 8);
        cr_expect_not(parse(TICK, &t, t.len, 8, &a), "version %u", version);
        text_free(&t);
    }
}

Test(allocations, a_name_without_an_end_is_ignored)
{
    struct heap_allocation a;
    struct text t = sampled(8);
    memset(t.data + 14, 'x', t.len - 14);
    cr_expect_not(parse(SAMPLED, &t, t.len, 8, &a));
    text_free(&t);
}

Test(allocations, are_used_only_if_objects_are_followed)
{
    const struct trace_event events[] = {{.provider = TRACE_RUNTIME, .id = TICK},
                                         {.provider = TRACE_RUNTIME, .id = SAMPLED},
                                         {.provider = TRACE_RUNDOWN, .id = TICK},
                                         {.provider = TRACE_OTHER, .id = SAMPLED}};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(trace_heap_event_kind(&events[i]), EVENT_OTHER);
        cr_expect_eq(trace_gc_move_kind(&events[i]), i < 2 ? EVENT_ALLOCATED : EVENT_OTHER);
    }
}
