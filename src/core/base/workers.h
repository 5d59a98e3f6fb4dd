/* workers.h - do the same work for every item of a list on several threads; and work that
 * another thread watches and may stop.
 *
 * Threads live as long as the call. An item is worked on by one thread, items are started
 * in order, and the results must not depend on which thread does which: every item has its
 * own place for its result. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls work(context, i) for i = 0 .. count - 1, on at most `threads` threads, the caller's
 * among them; 0 means 1. Items are started in order. After a call returned false no further
 * one is started. */
void workers_run(size_t count, unsigned threads, bool (*work)(void *context, size_t i),
                 void *context);

/* Returns the number of shares to split things into for threads: at most `most`, of at
 * least `least` things each, and at least one. */
size_t workers_shares(uint64_t things, uint64_t least, unsigned threads, size_t most);

/* --- watch ------------------------------------------------------------------------ */

/* Long work that another thread watches and may stop. The work checks every few thousand
 * steps; the watcher reads a percentage. NULL: not watched. */

struct watch {
    atomic_bool stop;
    atomic_uint percent;
};

/* Steps between checks; a power of two. */
enum { WATCH_EVERY = 1 << 14 };

/* Reports done of all. False: stop. */
static inline bool watch_goes_on(struct watch *w, uint64_t done, uint64_t all)
{
    if (w == NULL)
        return true;
    atomic_store_explicit(&w->percent, all > 0 ? (unsigned)(done * 100 / all) : 100,
                          memory_order_relaxed);
    return !atomic_load_explicit(&w->stop, memory_order_relaxed);
}

#endif
