/* watch.h - long work that somebody else watches and may stop.
 *
 * The work looks up now and then, every few thousand steps; who watches reads a percentage.
 * NULL is nobody. */
#ifndef WATCH_H
#define WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
