/* workers.h - the same work for every item of a list, on several threads.
 *
 * Threads live as long as the call. An item is worked on by one thread, items are taken in
 * order, and which thread takes which must change nothing: every item has its own place
 * for its result. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Call work(context, i) for i = 0 .. count - 1, on at most that many threads, the caller's
 * among them; 0 means 1. An item is begun only after all before it were begun. After one
 * returned false no further is begun. */
void workers_run(size_t count, unsigned threads, bool (*work)(void *context, size_t i),
                 void *context);

/* Into how many shares to cut so many things for threads: none of less than least things,
 * most shares, and at least one. */
size_t workers_shares(uint64_t things, uint64_t least, unsigned threads, size_t most);

#endif
