/* What an object retains: by definition the bytes that roots reach through it alone. Two
 * walks over the graph, which take a part of a second for millions of objects; so a thread
 * makes them for who must not wait. */
#include "browse/objects.h"

#include "base/bits.h"

#include <stdlib.h>

/* --- two walks ------------------------------------------------------------------- */

struct retained_marker {
    const struct hd_snapshot *snap;
    uint64_t *marked;
    node_id *queue;
    struct watch *watch;
    bool stopped;
};

/* Mark what can be reached from a node without those that are marked; bytes of objects. */
static uint64_t mark_from(struct retained_marker *m, node_id from)
{
    const struct graph *g = m->snap->graph;
    uint64_t bytes = 0;
    uint32_t head = 0, tail = 0;
    if (bits_add(m->marked, from))
        m->queue[tail++] = from;
    while (head < tail && !m->stopped) {
        m->stopped =
            head % WATCH_EVERY == 0 && !watch_goes_on(m->watch, head, g->node_count);
        graph_prefetch(g, m->queue, head, tail);
        node_id n = m->queue[head++];
        bytes += m->snap->types[g->type[n]].kind == TYPE_OBJECT ? graph_size(g, n) : 0;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (bits_add(m->marked, g->edge_to[e]))
                m->queue[tail++] = g->edge_to[e];
    }
    return bytes;
}

static uint64_t room_for(const struct graph *g)
{
    return g->node_count * sizeof(node_id) + bits_words(g->node_count) * 8;
}

/* HD_UNKNOWN if it was stopped. */
static uint64_t find_retained(const struct hd_snapshot *snap, node_id n,
                              struct watch *watch)
{
    const struct graph *g = snap->graph;
    struct retained_marker m = {
        .snap = snap,
        .marked = bits_new(g->node_count),
        .queue = alloc_resize(NULL, array_bytes(g->node_count, sizeof(*m.queue))),
        .watch = watch};
    /* What others lead to is marked first: the rest hangs on n alone. */
    bits_set(m.marked, n);
    if (n != g->root)
        mark_from(&m, g->root);
    m.marked[n / 64] &= ~(UINT64_C(1) << (n % 64));
    uint64_t bytes = mark_from(&m, n);
    free(m.queue);
    free(m.marked);
    return m.stopped ? HD_UNKNOWN : bytes;
}

bool objects_find_retained(struct hd_objects *o, node_id n, uint64_t *bytes,
                           struct hd_error *err)
{
    uint64_t room = room_for(o->snap->graph);
    if (!objects_reserve(o, room, err))
        return comparison_blame(err, o->k);
    *bytes = find_retained(o->snap, n, NULL);
    objects_unreserve(o, room);
    return true;
}

/* --- by a thread ----------------------------------------------------------------- */

static void *find_apart(void *context)
{
    struct hd_objects *o = context;
    struct retained_of_one *r = &o->retained;
    r->bytes = find_retained(o->snap, r->of, &r->watch);
    atomic_store_explicit(&r->done, true, memory_order_release);
    return NULL;
}

void objects_forget_retained(struct hd_objects *o)
{
    struct retained_of_one *r = &o->retained;
    atomic_store(&r->watch.stop, true);
    if (r->has_thread)
        pthread_join(r->thread, NULL);
    if (r->reserved > 0)
        objects_unreserve(o, r->reserved);
    r->reserved = 0;
    r->has_thread = r->begun = false;
    atomic_store(&r->done, false);
    atomic_store(&r->watch.stop, false);
}

/* Whether there is a number to be found. */
static bool has_retained(const struct hd_objects *o, node_id n)
{
    struct hd_object object;
    return o->snap->info.has_roots && hd_object(o, n, &object) &&
           object.kind == HD_OBJECT && object.is_reachable;
}

static void object_retained_begin(struct hd_objects *o, node_id n)
{
    struct retained_of_one *r = &o->retained;
    uint64_t room = has_retained(o, n) ? room_for(o->snap->graph) : 0;
    struct hd_error err = {0};
    objects_forget_retained(o);
    r->of = n;
    r->begun = true;
    r->bytes = HD_UNKNOWN;
    if (room == 0 || !objects_reserve(o, room, &err)) {
        atomic_store(&r->done, true);
        return;
    }
    r->reserved = room;
    r->has_thread = pthread_create(&r->thread, NULL, find_apart, o) == 0;
    if (!r->has_thread)
        find_apart(o);
}

/* Chains come first: by them it is known what is reachable. */
bool hd_object_retained(struct hd_objects *o, uint32_t number, uint64_t *bytes)
{
    struct retained_of_one *r = &o->retained;
    *bytes = HD_UNKNOWN;
    if (atomic_load_explicit(&o->making, memory_order_acquire) != 0)
        return false;
    if (!objects_have(o, HD_OBJECTS_CHAINS))
        return true;
    if (!r->begun || r->of != number)
        object_retained_begin(o, number);
    if (!atomic_load_explicit(&r->done, memory_order_acquire))
        return false;
    *bytes = r->bytes;
    return true;
}
