/* borrow.h - names for types that a snapshot lacks, from another one of the process.
 *
 * A runtime reports its types to tracing clients only once while any client listens, so a
 * later snapshot may have ids instead of names ("UNKNOWN 0x7f..."). An id means the same
 * type as long as the process lives, and traces store the names by id. */
#ifndef BORROW_H
#define BORROW_H

#include "heap/snapshot.h"

/* Returns the new canonical name of a row, which must outlive the snapshot; NULL:
 * unchanged. */
typedef const char *type_name_finder(void *context, const struct type *type);

/* Renames rows of objects and of variables; rows with the same name are merged. Returns the
 * number of renamed rows of objects. O(rows), and O(objects) of a graph. */
uint64_t snapshot_rename_types(struct hd_snapshot *snap, type_name_finder *name_of,
                               void *context);

/* Names the unnamed types of each snapshot by other snapshots of the same process, with a
 * warning (WARN_NAMES_BORROWED). Processes are the same if the addresses of their images
 * are equal, and names and ids as far as known; without ids the addresses must be known.
 * O(types log types) per pair of snapshots. */
void snapshots_borrow_names(struct hd_snapshot *const *snaps, size_t count);

/* Maps the types of a graph that was read again to the rows of snap. */
void snapshot_rename_graph(const struct hd_snapshot *snap, struct graph *g);

#endif
