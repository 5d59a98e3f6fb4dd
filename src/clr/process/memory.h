/* memory.h - the memory of a process as a dump or a copy has it, and which of its bytes
 * were looked at, so that a dump can be made that has these and no others.
 *
 * All that is read of another process is read through here: what its pointers say is never
 * trusted, any address may be asked for, and what is not there is told as such. It must not
 * know what the bytes mean. Read only once made: several threads may look at once, unless
 * it is watched. */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/little_endian.h"
#include "clr/clr.h"

/* --- bytes ----------------------------------------------------------------------- */

/* What of size bytes from at on there is. */
struct bytes bytes_within(struct bytes all, uint64_t at, uint64_t size);

/* The same; data is NULL unless all of them are there. */
struct bytes bytes_whole(struct bytes all, uint64_t at, uint64_t size);

/* Where len bytes first are among others; NULL: nowhere. */
const void *bytes_find(const void *in, size_t size, const void *wanted, size_t len);

/* -1, 0 or 1, for comparators. */
static inline int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Moves a malloc'd array into a, sorted unless order is NULL. */
void *arena_take_array(struct arena *a, void *all, size_t count, size_t size,
                       int (*order)(const void *, const void *));

/* --- memory ---------------------------------------------------------------------- */

/* The sum, or the most that fits. */
static inline uint64_t sum_or_most(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

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
    struct memory_watch *watch;         /* NULL: nobody wants to know */
};

/* Of pieces in any order; where they overlap the one that comes first wins. The result
 * lives in a. O(n log n). */
struct memory memory_of(const struct memory_piece *pieces, size_t count, struct arena *a);

/* Pieces that are being collected; malloc'd. */
struct memory_pieces {
    struct memory_piece *all;
    size_t len, cap;
};

/* Appends bytes; none if there are none. */
void memory_pieces_add(struct memory_pieces *p, uint64_t address, struct bytes bytes);

/* All that is there from address on, up to the end of its piece; size 0: nothing. */
struct bytes memory_from(const struct memory *m, uint64_t address);

/* size bytes at address, side by side; NULL unless all are there and in one piece. */
const unsigned char *memory_at(const struct memory *m, uint64_t address, uint64_t size);

/* A copy of size bytes, perhaps out of several pieces; false if one is missing: then to is
 * not to be looked at. */
bool memory_copy(const struct memory *m, uint64_t address, void *to, size_t size);

/* Little-endian numbers, from behind the pieces, too; 0 where they are not there, and *ok
 * becomes false, which is never made true: many can be read before it is asked. ok may be
 * NULL: nobody asks. */
uint64_t memory_u64(const struct memory *m, uint64_t address, bool *ok);
uint32_t memory_u32(const struct memory *m, uint64_t address, bool *ok);
uint16_t memory_u16(const struct memory *m, uint64_t address, bool *ok);
uint8_t memory_u8(const struct memory *m, uint64_t address, bool *ok);

/* --- what was looked at -------------------------------------------------------- */

/* Byte by byte: a page has secrets beside what was asked for. What is read by memory_at(),
 * memory_copy() and the numbers is seen; what lies behind memory_from() is not: who goes by
 * it says what it took (memory_keep). It costs a bit for every byte of the pages looked at,
 * and 8 bytes for every page there is. One thread at a time. */

enum { WATCH_PAGE = 4096 };

/* From here on. What is kept lives in a. */
void memory_watch(struct memory *m, struct arena *a);

/* These bytes are kept, as far as they are there. */
void memory_keep(const struct memory *m, uint64_t address, uint64_t size);

void memory_watch_note(const struct memory *m, uint64_t address, uint64_t size);

/* They were looked at. */
static inline void memory_note(const struct memory *m, uint64_t address, uint64_t size)
{
    if (m->watch != NULL)
        memory_watch_note(m, address, size);
}

/* Their pages are to be there, though with zeros: whoever asks how far memory goes without
 * a hole gets the same answer. */
void memory_hold(const struct memory *m, uint64_t address, uint64_t size);

/* These bytes are not kept; their pages are. */
void memory_forget(const struct memory *m, uint64_t address, uint64_t size);

/* Whether what is looked at is not to be kept from now on, because it is only tried whether
 * it is something. Returns what it was before, for afterwards. */
bool memory_look_away(const struct memory *m, bool away);

/* The first run of kept pages of one piece that begins at *address or behind: its begin and
 * its size, which is 0 behind the last. */
uint64_t memory_kept_from(const struct memory *m, uint64_t *address);

/* Up to a page of it: what was looked at, and zeros in place of the rest. */
void memory_kept_copy(const struct memory *m, uint64_t address, size_t size,
                      unsigned char *to);

#endif
