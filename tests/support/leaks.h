/* leaks.h - made series of snapshots with one planted leak, and what is true of it.
 *
 *     struct leak_series s = {
 *         .kind = LEAK_LIST, .seed = 1, .per_step = 60, .swing_percent = 20};
 *     struct leak_truth truth = leak_truth(&s, 4);
 *     for (size_t k = 0; k < 4; k++)
 *         snaps[k] = leak_snapshot(&s, k);
 *
 * The leak stands among what every program has: tables that stay as they are, a cache
 * whose size swings at random, a queue, and the runtime warming up. That noise is the
 * same for all leaks of a seed, and snapshot k is the same in every series that is long
 * enough to have one, so two series differ by what differs between their leaks. */
#ifndef LEAKS_H
#define LEAKS_H

#include "heapdrift.h"

enum leak_kind {
    LEAK_NONE,
    LEAK_EVENT,      /* delegates that never unsubscribe */
    LEAK_DICTIONARY, /* sessions that are never closed */
    LEAK_LIST,       /* strings */
    LEAK_LINKED,     /* nodes of a linked list */
    LEAK_TWO_OWNERS, /* objects in two tables at once */
    LEAK_DENSITY,    /* more per owner, of owners that are hardly more */
    LEAK_BUFFER,     /* one byte[] that is ever larger */
    LEAK_TIMER,      /* timers with their closures */
    LEAK_SHARED,     /* objects of which every two have a string in common */
    LEAK_KINDS
};

enum { LEAK_SNAPSHOTS = 8, LEAK_NAMES = 4, LEAK_PATH = 10 };

struct leak_series {
    enum leak_kind kind;
    uint64_t seed;
    uint32_t per_step;      /* objects that leak between two snapshots; even */
    uint32_t swing_percent; /* of the cache, up and down */
};

struct leak_truth {
    const char *name; /* "event": for people */

    /* The culprit's type, then those that link it to its holder: whoever finds one of
     * them found the leak. NULL behind the last; none for LEAK_NONE. */
    const char *found[LEAK_NAMES + 1];

    /* Labels from below the root of all roots to the culprit, along its owners; what
     * recurs in them is folded. NULL behind the last. */
    const char *path[LEAK_PATH + 1];

    /* Culprits at that path, and bytes that they retain, in each snapshot; summed up
     * from the plan of the leak, not by looking at a snapshot. */
    uint64_t count[LEAK_SNAPSHOTS], retained[LEAK_SNAPSHOTS];
};

struct leak_truth leak_truth(const struct leak_series *s, size_t snapshots);

/* Whether the type is one that counts as found. */
bool leak_is_found(const struct leak_truth *truth, const char *type);

/* Snapshot k, from 0; for hd_snapshot_close(). */
struct hd_snapshot *leak_snapshot(const struct leak_series *s, size_t k);

/* How many methods the runtime knows in snapshot k: much more in the first ones. */
uint32_t leak_warm_up(size_t k);

/* Items in the cache whose size swings by up to swing_percent around LEAK_CACHE_ITEMS. */
enum { LEAK_CACHE_ITEMS = 100 };
uint32_t leak_cache_items(const struct leak_series *s, size_t k);

/* Jobs that wait in the queue in snapshot k, anything below LEAK_QUEUE_JOBS. */
enum { LEAK_QUEUE_JOBS = 40 };
uint32_t leak_queue_jobs(const struct leak_series *s, size_t k);

#endif
