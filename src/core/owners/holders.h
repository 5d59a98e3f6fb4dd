/* holders.h - a snapshot's objects by what holds them instead of by type.
 *
 * The holder of an object is the path of types from the roots to its owner (the dominator
 * among the strongest class of roots that reaches it), recursion folded. Objects on no
 * chain from a root are held by "[unreachable]". */
#ifndef HOLDERS_H
#define HOLDERS_H

#include "owners/ownership_tree.h"

/* --- what hangs below some holders --------------------------------------------------- */

/* The types of what hangs below some holders, told apart from the rest.
 *
 * Whoever asks puts holders into parts, by their names as they are made here; each part
 * becomes a snapshot of its own. It does not know what the parts are for. */

/* What objects on no chain from a root are held by. */
#define HOLDER_UNREACHABLE "[unreachable]"

struct holder_parts {
    size_t count;
    /* The part of what this holder holds directly, or count: it is in none. Several
     * threads may ask at once. */
    size_t (*part_of)(const void *context, const char *holder);
    const void *context;
};

/* Per part a snapshot of the types of the objects in it that selection means, without a
 * graph, for snapshot_free(). t has snap, and nothing else, in it; part_of_path says for
 * each of its full paths in which part the objects are that hang directly below it.
 * O(paths), and O(objects) where a part has what is unreachable. */
void holder_parts_split(struct hd_snapshot **of_parts, const struct holder_parts *parts,
                        const size_t *part_of_path, const struct ownership_tree *t,
                        const struct hd_snapshot *snap, enum selection selection);

/* --- rows by holder --------------------------------------------------------------- */

/* A snapshot whose types are holders: "[static var App.s_all] → List<Order> → Order[]". It
 * counts the objects that selection means, has no graph, and must not outlive snap, which
 * must have one. Free it with snapshot_free(). parts may be NULL; else of_parts gets what
 * holder_parts_split() makes of them. NULL: there are more than most holders (0: any
 * number). */
struct hd_snapshot *holders_of(const struct hd_snapshot *snap, enum selection selection,
                               const struct holder_parts *parts,
                               struct hd_snapshot **of_parts, size_t most);

#endif
