/* workers.h - the same work for every item of a list, on several threads; and work that is
 * watched and may be stopped.
 *
 * Threads live as long as the call. An item is worked on by one thread, items are taken in
 * order, and which thread takes which must change nothing: every item has its own place
 * for its result. */
#ifndef WORKERS_H
#define WORKERS_H

#include <stdatomic.h>
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

/* --- watch ------------------------------------------------------------------------ */

/* Long work that somebody else watches and may stop.
 *
 * The work looks up now and then, every few thousand steps; who watches reads a percentage.
 * NULL is nobody. */

struct watch {
    atomic_bool stop;
    atomic_uint percent;
};

/* How often: every so many steps, a power of two. */
enum { WATCH_EVERY = 1 << 14 };

/* done of all is done. False: stop. */
static inline bool watch_goes_on(struct watch *w, uint64_t done, uint64_t all)
{
    if (w == NULL)
        return true;
    atomic_store_explicit(&w->percent, all > 0 ? (unsigned)(done * 100 / all) : 100,
                          memory_order_relaxed);
    return !atomic_load_explicit(&w->stop, memory_order_relaxed);
}

#endif
