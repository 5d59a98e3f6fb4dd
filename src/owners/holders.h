/* holders.h - a snapshot's objects by what holds them instead of by type.
 *
 * The holder of an object is the path of types from the roots to its owner (the dominator
 * among the strongest class of roots that reaches it), recursion folded. Objects on no
 * chain from a root are held by "[unreachable]". */
#ifndef HOLDERS_H
#define HOLDERS_H

#include "owners/holder_parts.h"

/* A snapshot whose types are holders: "[static var App.s_all] → List<Order> → Order[]". It
 * counts the objects that selection means, has no graph, and must not outlive snap, which
 * must have one. Free it with snapshot_free(). parts may be NULL; else of_parts gets what
 * holder_parts_take() makes of them. NULL: there are more than most holders (0: any
 * number). */
struct hd_snapshot *holders_of(const struct hd_snapshot *snap, enum selection selection,
                               const struct holder_parts *parts,
                               struct hd_snapshot **of_parts, size_t most);

#endif
