/* identity.h - which process a snapshot is of, as far as its own bytes tell.
 *
 * Two things in the heap of a process stay where they are as long as it lives, and lie
 * elsewhere in the next one, because the system places memory at random: the objects that
 * stand for types (System.RuntimeType; frozen since .NET 8) and the pinned tables in which
 * the runtime keeps static variables and literals (System.Object[] of a few fixed sizes).
 * Of each kind the addresses with the smallest hashes are kept: those of two snapshots can
 * be compared whatever became of the heaps meanwhile, in memory that does not grow.
 *
 * Native AOT and Mono have neither. There it is the blocks of memory in which objects are:
 * a collector moves objects, but not all of them to other blocks at a time, and literals in
 * the image and pinned objects never. So no block in common is another process; one in
 * common proves nothing, since memory may be placed alike.
 *
 * Whether an absence means anything is decided with care: a rule that takes one process
 * for two would cost more than one that says nothing. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

/* The smallest hashes of a set of addresses, ascending, each once. */
struct sketch {
    uint64_t *all;
    size_t len;
    bool is_cut; /* there are more, all above the last one here */
};

struct identity {
    struct sketch types, tables;
    struct sketch blocks; /* their first addresses, if types or tables are missing */
    uint64_t instance;    /* of a process, on whatever machine; 0 unknown */
    uint32_t collection; /* the number of the garbage collection that it was taken in, among
                            those of its process; 0 unknown */
};

enum kinship {
    KIN_UNKNOWN,
    KIN_SAME,
    KIN_OTHER /* certainly not of one process */
};

enum kinship identity_compare(const struct identity *a, const struct identity *b);

struct hd_snapshot;

/* Fill in snap->identity, but for the instance, from its graph; info.runtime from where
 * its modules lie, if it is not known. One pass over the types of the nodes. */
void identity_find(struct hd_snapshot *snap);

/* --- sketches ------------------------------------------------------------- */

/* A hash of an address, and the address that has it. */
uint64_t address_hash(uint64_t address);
uint64_t address_of_hash(uint64_t hash);

enum { SKETCH_SIZE = 1024 };

/* Addresses on their way into a sketch; {0} is none. */
struct sketching {
    uint64_t hashes[2 * SKETCH_SIZE];
    size_t len;
    bool is_cut;
};

void sketch_add(struct sketching *s, uint64_t address);
struct sketch sketch_finish(struct sketching *s, struct arena *a);

/* KIN_UNKNOWN if one of them has nothing that the other could have as well. */
enum kinship sketch_compare(const struct sketch *a, const struct sketch *b);

#endif
