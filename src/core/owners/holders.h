/* holders.h - groups a snapshot's objects by holder instead of by type.
 *
 * The holder of an object is the path of types from the roots to its owner (the dominator
 * among the strongest class of roots that reaches it), recursion folded. Objects on no
 * chain from a root are held by "[unreachable]". */
#ifndef HOLDERS_H
#define HOLDERS_H

#include "owners/ownership_tree.h"

/* --- the contents of some holders ------------------------------------------------- */

/* The types of the objects below some holders, separated from the rest.
 *
 * The caller assigns holders to parts, by the names that are generated here; each part
 * becomes a snapshot of its own. Must not depend on the use of the parts. */

/* The holder of objects on no chain from a root. */
#define HOLDER_UNREACHABLE "[unreachable]"

struct holder_parts {
    size_t count;
    /* Returns the part of the objects that this holder holds directly; count for the rest.
     * Thread-safe. */
    size_t (*part_of)(const void *context, const char *holder);
    const void *context;
};

/* Makes, per part, a snapshot of the types of its selected objects, without a graph, for
 * snapshot_free(). t contains only snap; part_of_path gives, for each of its full paths,
 * the part of the objects directly below it. O(paths), and O(objects) if a part includes
 * unreachable objects. */
void holder_parts_split(struct hd_snapshot **of_parts, const struct holder_parts *parts,
                        const size_t *part_of_path, const struct ownership_tree *t,
                        const struct hd_snapshot *snap, enum selection selection);

/* --- rows by holder --------------------------------------------------------------- */

/* Returns a snapshot whose types are holders: "[static var App.s_all] → List<Order> →
 * Order[]". It counts selected objects, has no graph, and must not outlive snap, which must
 * have one. Free it with snapshot_free(). parts may be NULL; else of_parts gets the result
 * of holder_parts_split(). NULL if there are more than `most` holders (0: no limit). */
struct hd_snapshot *holders_of(const struct hd_snapshot *snap, enum selection selection,
                               const struct holder_parts *parts,
                               struct hd_snapshot **of_parts, size_t most);

#endif
