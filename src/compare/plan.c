#include "compare/plan.h"

#include "base/error.h"
#include "format/open.h"

#include <inttypes.h>
#include <stdlib.h>

/* What finding dominators takes, and the path of each object that is kept: at most 24 and 4
 * bytes per object, 12 per reference that is no edge of a depth-first tree. Some more for
 * what stands beside them, and an upper bound for the references. */
uint64_t plan_dominators(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 34, PER_REFERENCE = 12 };
    uint64_t others = references > objects ? references - objects : 0;
    return objects * PER_OBJECT + others * PER_REFERENCE;
}

uint64_t plan_walk(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 12 };
    (void)references;
    return objects * PER_OBJECT;
}

/* What is taken beside the graph: by the work, or before by whoever reads it. */
static uint64_t work_on(const struct hd_snapshot *snap, plan_work *work)
{
    uint64_t bytes = work(snap->node_count, snap->edge_count);
    uint64_t most = snap->graph == NULL ? snap->reading_bytes : 0;
    return most > snap->graph_bytes + bytes ? most - snap->graph_bytes : bytes;
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

/* The largest number of snapshots, up to most, of which any that many fit together. */
static unsigned fit_together(const uint64_t *needs, size_t count, unsigned most,
                             uint64_t limit)
{
    uint64_t sum = 0;
    unsigned usable = 0;
    while (usable < most && usable < count && (limit == 0 || needs[usable] <= limit - sum))
        sum += needs[usable++];
    return usable > 0 ? usable : 1;
}

/* What the graphs at work leave over. A little more is always allowed, as to readers: it
 * is what ordinary heaps need. */
static uint64_t left_over(const struct plan *plan, const uint64_t *needs, uint64_t graphs,
                          uint64_t largest, uint64_t limit)
{
    enum { ALWAYS = 16 << 20 };
    uint64_t used = graphs + largest;
    if (limit == 0)
        return UINT64_MAX;
    if (!plan->keep) {
        used = 0;
        for (unsigned i = 0; i < plan->at_once; i++)
            used += needs[i];
    }
    return (used < limit ? limit - used : 0) + ALWAYS;
}

static bool too_big(const struct hd_snapshot *snap, size_t k, uint64_t need, uint64_t limit,
                    struct hd_error *err)
{
    char what[80];
    snprintf(what, sizeof(what), "analyzing its graph of %" PRIu32 " objects",
             snap->node_count);
    if (err != NULL && err->status == HD_OK)
        err->snapshot = (unsigned)k + 1;
    return fail_memory(err, what, need, limit);
}

bool plan_graphs(struct plan *plan, struct hd_snapshot *const *snaps, size_t count,
                 plan_work *work, const struct hd_read_options *how, struct hd_error *err)
{
    uint64_t limit = how->max_memory, graphs = 0, held = 0, largest = 0, more = 0;
    uint64_t *needs = alloc_zeroed(array_bytes(count + 1, sizeof(*needs)));
    bool ok = true;
    for (size_t k = 0; ok && k < count; k++) {
        uint64_t graph = snaps[k]->graph_bytes, extra = work_on(snaps[k], work);
        needs[k] = graph + extra;
        graphs += graph;
        held += snaps[k]->graph != NULL ? graph : 0;
        largest = extra > largest ? extra : largest;
        extra += snaps[k]->graph == NULL ? graph : 0;
        more = extra > more ? extra : more;
        if (limit > 0 && needs[k] > limit)
            ok = too_big(snaps[k], k, needs[k], limit, err);
    }
    if (ok && count > 0)
        qsort(needs, count, sizeof(*needs), descending);
    unsigned most = how->threads > 0 ? how->threads : 1;
    plan->at_once = fit_together(needs, count, most, limit);
    largest *= plan->at_once;
    plan->keep =
        plan->at_once > 1 && (limit == 0 || (graphs <= limit && largest <= limit - graphs));
    plan->left = count > 0 ? left_over(plan, needs, graphs, largest, limit) : UINT64_MAX;
    free(needs);
    more *= plan->at_once;
    bool crowded = limit > 0 && (held > limit || more > limit - held);
    for (size_t k = plan->at_once; ok && crowded && k < count; k++)
        snapshot_release_graph(snaps[k]);
    return ok;
}
