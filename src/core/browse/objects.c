#include "browse/objects.h"

#include "base/error.h"
#include "format/open.h"

#include <assert.h>
#include <stdlib.h>

/* --- the parts ------------------------------------------------------------------- */

bool objects_reserve(struct hd_objects *o, uint64_t bytes, struct hd_error *err)
{
    comparison_begin_any(o->c);
    bool ok = comparison_reserve(o->c, bytes, "examining single objects", err);
    comparison_end(o->c);
    if (ok)
        o->reserved += bytes;
    return ok;
}

void objects_unreserve(struct hd_objects *o, uint64_t bytes)
{
    comparison_begin_any(o->c);
    comparison_unreserve(o->c, bytes);
    comparison_end(o->c);
    o->reserved -= bytes;
}

/* Within a question, as other questions may need the graph too. */
static bool make_graph(struct hd_objects *o, struct hd_error *err)
{
    struct hd_snapshot *snap = o->snap;
    if (!snap->info.has_graph || snap->read.tables_only || snap->info.objects == 0)
        return fail(err, HD_USAGE,
                    "no single objects in this snapshot: it is a table, or its references "
                    "were not read");
    if (!comparison_begin(o->c, err))
        return false;
    bool ok = snapshot_need_graph(snap, err) &&
              (o->wanted != HD_OBJECTS_ALL || snapshot_need_reach(snap, err));
    ok = ok && (snap->graph != NULL || fail(err, HD_USAGE, "this snapshot has no graph"));
    if (ok) {
        snap->pins++;
        o->pinned = true;
    }
    comparison_end(o->c);
    return ok;
}

static bool make_types(struct hd_objects *o, struct hd_error *err)
{
    uint64_t work = type_index_work(o->snap);
    if (!objects_reserve(o, type_index_bytes(o->snap) + work, err))
        return false;
    bool ok =
        type_index_make(&o->of_types, o->snap, comparison_leaves_garbage(o->c), &o->watch);
    objects_unreserve(o, work);
    return ok;
}

/* The walk needs 12 bytes per object, of which 4 remain. */
static bool make_chains(struct hd_objects *o, struct hd_error *err)
{
    uint64_t all = plan_walk(o->snap->node_count, o->snap->edge_count);
    if (!objects_reserve(o, all, err))
        return false;
    bool ok = walk_graph_watched(o->snap, &o->arena, &o->walk, &o->watch);
    objects_unreserve(o, all - o->snap->node_count * sizeof(node_id));
    return ok;
}

static bool make_referrers(struct hd_objects *o, struct hd_error *err)
{
    return objects_reserve(o, referrer_index_bytes(o->snap), err) &&
           referrer_index_make(&o->referrers, o->snap->graph, &o->watch);
}

/* --- the thread ------------------------------------------------------------------ */

static const struct {
    enum hd_objects_part part;
    bool (*make)(struct hd_objects *o, struct hd_error *err);
} parts[] = {
    {HD_OBJECTS_GRAPH, make_graph},
    {HD_OBJECTS_OF_TYPES, make_types},
    {HD_OBJECTS_CHAINS, make_chains},
    {HD_OBJECTS_REFERRERS, make_referrers},
};

static void *make_parts(void *context)
{
    struct hd_objects *o = context;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if ((o->wanted & (unsigned)parts[i].part) == 0)
            continue;
        atomic_store(&o->watch.percent, 0);
        atomic_store(&o->making, parts[i].part);
        if (atomic_load(&o->watch.stop) || !parts[i].make(o, &o->error))
            break;
        atomic_fetch_or_explicit(&o->ready, parts[i].part, memory_order_release);
    }
    atomic_store_explicit(&o->making, 0, memory_order_release);
    return NULL;
}

static struct hd_objects *open_parts(struct hd_comparison *c, size_t k, unsigned wanted)
{
    if (k >= c->count)
        return NULL;
    struct hd_objects *o = alloc_zeroed(sizeof(*o));
    o->c = c;
    o->wanted = wanted;
    o->k = k;
    o->snap = c->snaps[k];
    atomic_store(&o->making, HD_OBJECTS_GRAPH);
    /* Without a thread it is built here: slower, with the same result. */
    if (pthread_create(&o->thread, NULL, make_parts, o) != 0) {
        o->joined = true;
        make_parts(o);
    }
    return o;
}

struct hd_objects *hd_objects_open(struct hd_comparison *c, size_t k)
{
    return open_parts(c, k, HD_OBJECTS_ALL);
}

struct hd_objects *objects_open_one(struct hd_comparison *c, size_t k)
{
    return open_parts(c, k, HD_OBJECTS_GRAPH | HD_OBJECTS_CHAINS);
}

static void join(struct hd_objects *o)
{
    if (!o->joined)
        pthread_join(o->thread, NULL);
    o->joined = true;
}

void hd_objects_close(struct hd_objects *o)
{
    if (o == NULL)
        return;
    atomic_store(&o->watch.stop, true);
    join(o);
    objects_forget_retained(o);
    comparison_begin_any(o->c);
    comparison_unreserve(o->c, o->reserved);
    o->snap->pins -= o->pinned;
    comparison_end(o->c);
    type_index_free(&o->of_types);
    referrer_index_free(&o->referrers);
    free(o->one.from);
    arena_free(&o->arena);
    free(o);
}

/* --- how far it is --------------------------------------------------------------- */

struct hd_objects_progress hd_objects_progress(const struct hd_objects *o)
{
    struct hd_objects_progress p;
    p.making = atomic_load_explicit(&o->making, memory_order_acquire);
    p.percent = atomic_load_explicit(&o->watch.percent, memory_order_relaxed);
    p.ready = atomic_load_explicit(&o->ready, memory_order_acquire);
    return p;
}

bool hd_objects_whole(const struct hd_objects *o, struct hd_error *err)
{
    if (hd_objects_progress(o).ready == o->wanted)
        return true;
    if (hd_objects_progress(o).making != 0)
        return fail(err, HD_USAGE, "not everything is there yet");
    if (o->error.status == HD_OK)
        return fail(err, HD_CANCELLED, "stopped");
    if (err != NULL && err->status == HD_OK)
        *err = o->error;
    return comparison_blame(err, o->k);
}

bool hd_objects_wait(struct hd_objects *o, struct hd_error *err)
{
    join(o);
    return hd_objects_whole(o, err);
}

/* --- a single object ------------------------------------------------------------- */

bool objects_find_referrers(struct hd_objects *o, node_id n, struct hd_error *err)
{
    const struct graph *g = o->snap->graph;
    uint32_t count = 0, found = 0;
    for (uint32_t e = 0; e < g->edge_count; e++)
        count += g->edge_to[e] == n;
    if (!objects_reserve(o, (uint64_t)count * sizeof(node_id), err))
        return comparison_blame(err, o->k);
    free(o->one.from);
    o->one.from = alloc_resize(NULL, array_bytes((size_t)count + 1, sizeof(*o->one.from)));
    for (node_id from = 0; found < count; from++)
        for (uint32_t e = g->edge_begin[from]; e < g->edge_begin[from + 1]; e++)
            if (g->edge_to[e] == n)
                o->one.from[found++] = from;
    o->one.of = n;
    o->one.count = count;
    return true;
}
