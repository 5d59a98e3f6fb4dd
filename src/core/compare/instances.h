/* instances.h - measure chosen objects of the last snapshot of a comparison: their number,
 * what keeps them alive, their retained sizes; and the largest objects one by one.
 *
 * One walk, dominators once, then passes over the objects: only sums per object. Must not
 * depend on why they were chosen. */
#ifndef INSTANCES_H
#define INSTANCES_H

#include "chains/chains.h"
#include "compare/comparison.h"

/* Which are meant; arrays are the caller's. */
struct instances_question {
    const bool *is_type; /* per type of the snapshot */
    enum selection selection;
    const unsigned char *since_of_node; /* since when it is there; NULL: any time will do */
    struct since_range since;
    size_t most;                      /* listed in each case, at most */
    struct hd_snapshot *const *snaps; /* of the series: used to find owners */
    size_t count;
};

struct instances_sum {
    uint64_t count, bytes;             /* as in the file, no sample scaled up */
    uint64_t retained;                 /* by all together; HD_UNKNOWN without roots */
    uint64_t held[HD_ROOT_KIND_COUNT]; /* by the kind of roots that its chain begins with */
    uint64_t held_by_older; /* part of the objects on the stack: those that an object older
                               than `since` keeps alive; HD_UNKNOWN without since_of_node */
};

struct one_instance {
    node_id node;
    uint64_t retained; /* HD_UNKNOWN for unreachable objects */
    enum hd_root_kind root;
    struct node_owner owner;
};

struct instances {
    struct instances_sum all, *of_type; /* per type of the snapshot */
    struct one_instance *largest;       /* by retained size, then by address and number */
    size_t len;
};

/* Arrays in a. The graph is in memory afterwards. False and err: HD_USAGE where the
 * snapshot has no objects, HD_TOO_BIG, ... */
bool instances_find(struct instances *found, struct hd_comparison *c,
                    const struct instances_question *ask, struct arena *a,
                    struct hd_error *err);

#endif
