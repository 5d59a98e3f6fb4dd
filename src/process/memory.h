/* memory.h - the memory of a process as a dump or a copy has it.
 *
 * All that is read of another process is read through here: what its pointers say is never
 * trusted, any address may be asked for, and what is not there is told as such. It must not
 * know what the bytes mean. Read only once made: several threads may look at once. */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/arena.h"
#include "base/input.h"
#include "base/little_endian.h"

#include <stdbool.h>

/* Bytes of the process from an address on, which belong to somebody else. */
struct memory_piece {
    uint64_t address, size;
    const unsigned char *bytes;
};

/* Where numbers come from that no piece has: a process that runs. False: not there. */
struct memory_behind {
    bool (*read)(const struct memory_behind *b, uint64_t address, void *to, size_t size);
    int fd;
};

/* {0} is empty. */
struct memory {
    struct memory_piece *all; /* by address, disjoint; those that follow on are one */
    size_t len;
    const struct memory_behind *behind; /* NULL: nothing */
    struct memory_watch *watch;         /* memory_watch.h; NULL: nobody wants to know */
};

/* Of pieces in any order; where they overlap the one that comes first wins. The result
 * lives in a. O(n log n). */
struct memory memory_of(const struct memory_piece *pieces, size_t count, struct arena *a);

/* All that is there from address on, up to the end of its piece; size 0: nothing. */
struct bytes memory_from(const struct memory *m, uint64_t address);

/* size bytes at address, side by side; NULL unless all are there and in one piece. */
const unsigned char *memory_at(const struct memory *m, uint64_t address, uint64_t size);

/* A copy of size bytes, perhaps out of several pieces; false if one is missing: then to is
 * not to be looked at. */
bool memory_copy(const struct memory *m, uint64_t address, void *to, size_t size);

/* Little-endian numbers, from behind the pieces, too; 0 where they are not there, and *ok
 * becomes false, which is never made true: many can be read before it is asked. */
uint64_t memory_u64(const struct memory *m, uint64_t address, bool *ok);
uint32_t memory_u32(const struct memory *m, uint64_t address, bool *ok);
uint16_t memory_u16(const struct memory *m, uint64_t address, bool *ok);
uint8_t memory_u8(const struct memory *m, uint64_t address, bool *ok);

#endif
