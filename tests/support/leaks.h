/* leaks.h - series of snapshots with one planted leak, and the right answers.
 *
 *     struct leak_series s = {
 *         .kind = LEAK_LIST, .seed = 1, .per_step = 60, .swing_percent = 20};
 *     struct leak_truth truth = leak_truth(&s, 4);
 *     for (size_t k = 0; k < 4; k++)
 *         snaps[k] = leak_snapshot(&s, k);
 *
 * The noise around the leak is what every program has: constant tables, a cache of random
 * size, a queue, and the runtime warming up. It depends on the seed only, and snapshot k
 * does not depend on the length of the series, so two series of a seed differ only in
 * their leaks. */
#ifndef LEAKS_H
#define LEAKS_H

#include "heapdrift.h"

enum leak_kind {
    LEAK_NONE,
    LEAK_EVENT,      /* delegates that never unsubscribe */
    LEAK_DICTIONARY, /* sessions that are never closed */
    LEAK_LIST,       /* strings */
    LEAK_LINKED,     /* nodes of a linked list */
    LEAK_TWO_OWNERS, /* objects in two tables */
    LEAK_DENSITY,    /* more per owner; hardly more owners */
    LEAK_BUFFER,     /* one growing byte[] */
    LEAK_TIMER,      /* timers with their closures */
    LEAK_SHARED,     /* objects, every two of which share a string */
    LEAK_KINDS
};

enum { LEAK_SNAPSHOTS = 8, LEAK_NAMES = 4, LEAK_PATH = 10 };

struct leak_series {
    enum leak_kind kind;
    uint64_t seed;
    uint32_t per_step;      /* objects leaked between two snapshots; even */
    uint32_t swing_percent; /* of the cache, up and down */
};

struct leak_truth {
    const char *name; /* "event": for messages */

    /* The culprit's type, then those that link it to its holder; finding one of them
     * counts. NULL after the last; empty for LEAK_NONE. */
    const char *found[LEAK_NAMES + 1];

    /* Labels from below the root of all roots to the culprit, along its owners, with
     * repetitions folded. NULL after the last. */
    const char *path[LEAK_PATH + 1];

    /* Culprits at that path and the bytes that they retain, per snapshot; computed from the
     * plan of the leak, not from a snapshot. */
    uint64_t count[LEAK_SNAPSHOTS], retained[LEAK_SNAPSHOTS];
};

struct leak_truth leak_truth(const struct leak_series *s, size_t snapshots);

/* True if finding the type counts as finding the leak. */
bool leak_is_found(const struct leak_truth *truth, const char *type);

/* Snapshot k, from 0; for hd_snapshot_close(). */
struct hd_snapshot *leak_snapshot(const struct leak_series *s, size_t k);

/* Methods known to the runtime in snapshot k: grows in the first ones. */
uint32_t leak_warm_up(size_t k);

/* Items in the cache: up to swing_percent more or less than LEAK_CACHE_ITEMS. */
enum { LEAK_CACHE_ITEMS = 100 };
uint32_t leak_cache_items(const struct leak_series *s, size_t k);

/* Jobs waiting in the queue in snapshot k, fewer than LEAK_QUEUE_JOBS. */
enum { LEAK_QUEUE_JOBS = 40 };
uint32_t leak_queue_jobs(const struct leak_series *s, size_t k);

#endif
