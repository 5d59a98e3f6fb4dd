/* objects.h - the objects of one snapshot of a comparison, and the thread that makes what
 * is looked up about them (hd_objects_open).
 *
 * The thread makes one part after the other and never touches a part again; whoever asks
 * looks at a part only when its bit is set. The graph is pinned: no question to the
 * comparison gives it back. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "analysis/walk.h"
#include "browse/object_index.h"
#include "compare/comparison.h"

struct hd_objects {
    struct hd_comparison *c;
    struct hd_snapshot *snap;
    size_t k; /* its number */

    pthread_t thread;
    bool joined;
    struct watch watch;
    atomic_uint ready, making; /* enum hd_objects_part */
    struct hd_error error;     /* of the thread; read when making is 0 */

    bool pinned;
    uint64_t reserved;
    struct type_index of_types;
    struct referrer_index referrers;
    struct walk walk;
    struct arena arena; /* walk */
};

static inline bool objects_have(const struct hd_objects *o, enum hd_objects_part part)
{
    return (atomic_load_explicit(&o->ready, memory_order_acquire) & (unsigned)part) != 0;
}

/* What a node refers to, or what refers to it: with duplicates. Empty where it is not
 * known yet. */
struct neighbours {
    const node_id *node;
    uint32_t count;
};

static inline struct neighbours neighbours_of(const struct hd_objects *o, node_id n,
                                              enum hd_direction direction)
{
    bool back = direction == HD_REFERRED_BY;
    if (!objects_have(o, back ? HD_OBJECTS_REFERRERS : HD_OBJECTS_GRAPH) ||
        n >= o->snap->graph->node_count)
        return (struct neighbours){0};
    const uint32_t *begin = back ? o->referrers.begin : o->snap->graph->edge_begin;
    const node_id *all = back ? o->referrers.from : o->snap->graph->edge_to;
    return (struct neighbours){all + begin[n], begin[n + 1] - begin[n]};
}

#endif
