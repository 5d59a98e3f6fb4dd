/* memory.h - the memory of a process, from a dump or a copy, and a record of the bytes that
 * were read, so that a dump with exactly these can be written.
 *
 * All reads of another process's memory go through this: its pointers are not trusted, any
 * address may be requested, and missing memory is reported. Must not depend on the meaning
 * of the bytes. Read-only after creation: several threads may read concurrently, unless it
 * is watched. */
#ifndef MEMORY_H
#define MEMORY_H

#include "base/little_endian.h"
#include "clr/clr.h"

/* --- bytes ----------------------------------------------------------------------- */

/* Returns the existing bytes of a range. */
struct bytes bytes_within(struct bytes all, uint64_t at, uint64_t size);

/* Does the same; data is NULL unless all exist. */
struct bytes bytes_whole(struct bytes all, uint64_t at, uint64_t size);

/* Returns the first occurrence of len bytes, or NULL. */
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

/* Returns the sum, or UINT64_MAX on overflow. */
static inline uint64_t sum_or_most(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Source of numbers outside of all pieces: a running process. False: missing. */
struct memory_fallback {
    bool (*read)(const struct memory_fallback *b, uint64_t address, void *to, size_t size);
    int fd;
};

/* Initialised with {0}. */
struct memory {
    struct memory_piece *all; /* by address, disjoint; adjacent ones are merged */
    size_t len;
    const struct memory_fallback *fallback; /* or NULL */
    struct memory_watch *watch;             /* NULL: not watched */
};

/* Builds a memory from pieces in any order; where they overlap the first one wins. The
 * result is in a. O(n log n). */
struct memory memory_of(const struct memory_piece *pieces, size_t count, struct arena *a);

/* Pieces being collected; malloc'd. */
struct memory_pieces {
    struct memory_piece *all;
    size_t len, cap;
};

/* Appends bytes, unless empty. */
void memory_pieces_add(struct memory_pieces *p, uint64_t address, struct bytes bytes);

/* Returns the memory from an address to the end of its piece; size 0: missing. */
struct bytes memory_from(const struct memory *m, uint64_t address);

/* Returns size contiguous bytes at an address; NULL unless all are in one piece. */
const unsigned char *memory_at(const struct memory *m, uint64_t address, uint64_t size);

/* Copies size bytes, possibly from several pieces; false if one is missing: `to` is then
 * undefined. */
bool memory_copy(const struct memory *m, uint64_t address, void *to, size_t size);

/* Read little-endian numbers, also from `fallback`; 0 if missing, and *ok becomes false,
 * which is never reset: check it after several reads. ok may be NULL. */
uint64_t memory_u64(const struct memory *m, uint64_t address, bool *ok);
uint32_t memory_u32(const struct memory *m, uint64_t address, bool *ok);
uint16_t memory_u16(const struct memory *m, uint64_t address, bool *ok);
uint8_t memory_u8(const struct memory *m, uint64_t address, bool *ok);

/* --- recorded reads -------------------------------------------------------------- */

/* Per byte: a page has secrets next to the requested bytes. memory_at(), memory_copy() and
 * the number readers record what they read. memory_from() does not: its callers must call
 * memory_keep(). Costs a bit for every byte of the pages read, and 8 bytes for every
 * existing page. One thread at a time. */

enum { WATCH_PAGE = 4096 };

/* Starts recording. Records are in a. */
void memory_watch(struct memory *m, struct arena *a);

/* Records these bytes as kept, as far as they exist. */
void memory_keep(const struct memory *m, uint64_t address, uint64_t size);

void memory_watch_note(const struct memory *m, uint64_t address, uint64_t size);

/* Records that these bytes were read. */
static inline void memory_note(const struct memory *m, uint64_t address, uint64_t size)
{
    if (m->watch != NULL)
        memory_watch_note(m, address, size);
}

/* Keeps the pages of the bytes, possibly as zeros, so that memory has the same holes. */
void memory_hold(const struct memory *m, uint64_t address, uint64_t size);

/* Unmarks these bytes; their pages are kept. */
void memory_forget(const struct memory *m, uint64_t address, uint64_t size);

/* Suspends recording (away) for tentative reads. Returns the previous state, to be
 * restored. */
bool memory_look_away(const struct memory *m, bool away);

/* Finds the first run of kept pages in one piece at or after *address: sets its start and
 * returns its size, 0 after the last. */
uint64_t memory_kept_from(const struct memory *m, uint64_t *address);

/* Copies up to a page: recorded bytes, and zeros in place of others. */
void memory_kept_copy(const struct memory *m, uint64_t address, size_t size,
                      unsigned char *to);

#endif
