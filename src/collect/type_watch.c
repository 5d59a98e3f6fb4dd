#include "collect/type_watch.h"

#include "base/alloc.h"

#include <stdlib.h>

/* More types than this are not told apart; no program has so many. */
enum { FIRST_CAP = 4096, MOST_TYPES = 1 << 17 };

static size_t slot_of(const struct type_watch *w, uint64_t id)
{
    size_t at = (size_t)(id * 0x9E3779B97F4A7C15u >> 32) & (w->cap - 1);
    while (w->slots[at].id != 0 && w->slots[at].id != id)
        at = (at + 1) & (w->cap - 1);
    return at;
}

static void make_room(struct type_watch *w)
{
    if (w->cap > 0 && (w->used + 1) * 4 <= w->cap * 3)
        return;
    struct type_watch larger = {.used = w->used,
                                .cap = w->cap > 0 ? w->cap * 2 : FIRST_CAP};
    larger.slots = alloc_zeroed(array_bytes(larger.cap, sizeof(*larger.slots)));
    for (size_t i = 0; i < w->cap; i++)
        if (w->slots[i].id != 0)
            larger.slots[slot_of(&larger, w->slots[i].id)] = w->slots[i];
    free(w->slots);
    *w = larger;
}

/* NULL when there are too many, or it is no type. */
static struct seen_type *type_of(struct type_watch *w, uint64_t id)
{
    if (id == 0)
        return NULL;
    make_room(w);
    struct seen_type *type = &w->slots[slot_of(w, id)];
    if (type->id == id)
        return type;
    if (w->used >= MOST_TYPES)
        return NULL;
    w->used++;
    type->id = id;
    return type;
}

void type_watch_nodes(struct type_watch *w, const struct bulk *nodes, unsigned pointer_size)
{
    uint64_t before = 0;
    const unsigned char *p = nodes->records;
    for (uint32_t i = 0; i < nodes->count; i++, p += nodes->size) {
        uint64_t id = heap_node_at(p, pointer_size).type;
        struct seen_type *type = id != before ? type_of(w, id) : NULL;
        if (type != NULL)
            type->in_heap = true;
        before = id;
    }
}

void type_watch_types(struct type_watch *w, const struct bulk *types)
{
    enum { OF_NATIVE_IMAGE = 0x10 }; /* its names are in the program's symbols */
    struct trace_fields f = {types->rest.data, types->rest.data + types->rest.size, false};
    struct heap_type t;
    for (uint32_t i = 0; i < types->count && heap_type_next(&f, &t); i++) {
        struct seen_type *type = type_of(w, t.id);
        if (type != NULL && (t.name.size > 0 || (t.flags & OF_NATIVE_IMAGE)))
            type->named = true;
    }
}

struct type_counts type_watch_count(const struct type_watch *w)
{
    struct type_counts n = {0};
    for (size_t i = 0; i < w->cap; i++) {
        n.types += w->slots[i].in_heap;
        n.nameless += w->slots[i].in_heap && !w->slots[i].named;
    }
    return n;
}

void type_watch_free(struct type_watch *w)
{
    free(w->slots);
    *w = (struct type_watch){0};
}
