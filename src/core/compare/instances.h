/* instances.h - chosen objects of the last snapshot of a comparison: how many there are,
 * what keeps them alive, what they retain; and of the largest of them each.
 *
 * One walk, dominators once, then passes over the objects: nothing is computed for each of
 * them but sums. It does not know why they were chosen. */
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
    size_t most;                      /* of how many each is told */
    struct hd_snapshot *const *snaps; /* of the series: they decide who owns */
    size_t count;
};

struct instances_sum {
    uint64_t count, bytes;             /* as in the file, no sample scaled up */
    uint64_t retained;                 /* by all together; HD_UNKNOWN without roots */
    uint64_t held[HD_ROOT_KIND_COUNT]; /* by the kind of roots that its chain begins with */
    uint64_t held_by_older; /* of those by a stack the ones that an object keeps which is
                               older than since; HD_UNKNOWN without since_of_node */
};

struct one_instance {
    node_id node;
    uint64_t retained; /* HD_UNKNOWN of what no root reaches */
    enum hd_root_kind root;
    struct node_owner owner;
};

struct instances {
    struct instances_sum all, *of_type; /* per type of the snapshot */
    struct one_instance *largest; /* by what they retain, then by address and number */
    size_t len;
};

/* Arrays in a. The graph is in memory afterwards. False and err: HD_USAGE where the
 * snapshot has no objects, HD_TOO_BIG, ... */
bool instances_find(struct instances *found, struct hd_comparison *c,
                    const struct instances_question *ask, struct arena *a,
                    struct hd_error *err);

#endif
