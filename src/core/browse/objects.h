/* objects.h - the objects of a snapshot in a comparison, and the thread that builds the
 * data for look-ups (hd_objects_open).
 *
 * The thread builds one part after the other and never touches a part again; callers read a
 * part only when its bit is set. The graph is pinned: the comparison does not release
 * it. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include "browse/object_index.h"
#include "chains/walk.h"
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

    unsigned wanted; /* parts; all except for objects_open_one() */
    bool pinned;
    uint64_t reserved;
    struct referrers_of_one {
        node_id of;
        node_id *from; /* ascending, once for each reference; NULL: not looked for */
        uint32_t count;
    } one;
    struct retained_of_one {
        node_id of;
        pthread_t thread;
        bool begun, has_thread;
        struct watch watch;
        atomic_bool done;
        uint64_t bytes;    /* read when done */
        uint64_t reserved; /* of o->reserved */
    } retained;
    struct type_index of_types;
    struct referrer_index referrers;
    struct walk walk;
    struct arena arena; /* walk */
};

/* For questions about one object: skips the indexes of types and referrers, and information
 * about other objects. Otherwise as hd_objects_open(). */
struct hd_objects *objects_open_one(struct hd_comparison *c, size_t k);

/* Returns a field, or a static variable, as it is shown: without secrets unless with_text;
 * with the target of a reference. */
struct hd_field objects_shown_field(const struct hd_snapshot *snap, struct hd_field field,
                                    bool with_text);

/* Returns the facts that the graph has about one object, without those that need a part:
 * referrers are unknown. */
struct hd_object object_at(const struct hd_snapshot *snap, node_id number);

/* Fills in everything of hd_object() except whether roots reach it, which needs a walk
 * along its chain. */
void objects_describe(const struct hd_objects *o, node_id n, struct hd_object *object);

/* Finds the referrers of node n, by a pass over all references: from then on as with
 * HD_OBJECTS_REFERRERS, for n only. Not within a question. False and err: HD_TOO_BIG. */
bool objects_find_referrers(struct hd_objects *o, node_id n, struct hd_error *err);

/* Bytes of objects that roots reach through node n only, itself included: its retained size
 * by definition. Two walks, O(nodes + references). Not within a question. False and err:
 * HD_TOO_BIG. */
bool objects_find_retained(struct hd_objects *o, node_id n, uint64_t *bytes,
                           struct hd_error *err);

/* Stops computing the retained size of an object, and drops the result. */
void objects_forget_retained(struct hd_objects *o);

/* Reserves bytes in addition to the graph, within the comparison's limit. Not
 * thread-safe. */
bool objects_reserve(struct hd_objects *o, uint64_t bytes, struct hd_error *err);
void objects_unreserve(struct hd_objects *o, uint64_t bytes);

static inline bool objects_have(const struct hd_objects *o, enum hd_objects_part part)
{
    return (atomic_load_explicit(&o->ready, memory_order_acquire) & (unsigned)part) != 0;
}

static inline enum hd_object_kind objects_kind_of(const struct type *t)
{
    return t->kind == TYPE_PSEUDO      ? HD_OBJECT_ROOTS
           : t->kind == TYPE_UNDEFINED ? HD_OBJECT_UNDEFINED
                                       : HD_OBJECT;
}

/* The targets of a node, or its referrers: with duplicates. Empty if not known yet. */
struct neighbours {
    const node_id *node;
    uint32_t count;
};

static inline struct neighbours neighbours_of(const struct hd_objects *o, node_id n,
                                              enum hd_direction direction)
{
    bool back = direction == HD_REFERRED_BY;
    if (back && o->one.from != NULL && n == o->one.of)
        return (struct neighbours){o->one.from, o->one.count};
    if (!objects_have(o, back ? HD_OBJECTS_REFERRERS : HD_OBJECTS_GRAPH) ||
        n >= o->snap->graph->node_count)
        return (struct neighbours){0};
    const uint32_t *begin = back ? o->referrers.begin : o->snap->graph->edge_begin;
    const node_id *all = back ? o->referrers.from : o->snap->graph->edge_to;
    return (struct neighbours){all + begin[n], begin[n + 1] - begin[n]};
}

#endif
