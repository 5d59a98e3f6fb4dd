/* memory_watch.h - which bytes of a process's memory were looked at, so that a dump can be
 * made that has these and no others.
 *
 * Byte by byte: a page has secrets beside what was asked for. What is read by memory_at(),
 * memory_copy() and the numbers is seen; what lies behind memory_from() is not: who goes by
 * it says what it took (memory_keep). It costs a bit for every byte of the pages looked at,
 * and 8 bytes for every page there is. It must not know what the bytes mean. One thread at
 * a time. */
#ifndef MEMORY_WATCH_H
#define MEMORY_WATCH_H

#include "process/memory.h"

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
