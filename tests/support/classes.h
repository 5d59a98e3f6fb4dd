/* classes.h - made series of the kinds that rankings get wrong, and what is true of them.
 *
 *     struct class_series s = {.kind = CLASS_TWO_HOLDERS, .seed = 1, .snapshots = 4};
 *     struct class_truth truth = class_truth(&s);
 *     for (size_t k = 0; k < s.snapshots; k++)
 *         snaps[k] = class_snapshot(&s, k);
 *
 * leaks.h makes leaks that are easy to tell from what stands around them. Here programs
 * without a leak look as if they had one, and leaks hide: behind what they refer to, behind
 * owners that change, among many classes, in a heap that swings. The noise of leaks.h is
 * around all of them. */
#ifndef CLASSES_H
#define CLASSES_H

#include "support/leaks.h"

enum class_kind {
    /* Healthy. */
    CLASS_SHARED_OLD,  /* ever more old objects get a second holder */
    CLASS_HANDED_OVER, /* objects go from one table to another; none is made */
    CLASS_FILLING,     /* a cache that fills up */
    CLASS_WALK,        /* a population that walks at random */
    CLASS_DAY,         /* load that comes and goes with the hours */
    CLASS_DRAINING,    /* bursts that are worked off */

    /* Leaks. */
    CLASS_SHARING,     /* new objects that refer to old ones */
    CLASS_TWO_HOLDERS, /* table and list hold the object; table and object hold its key */
    CLASS_ENTRIES,     /* a linked list, entered at another node in every snapshot */
    CLASS_TEN_CLASSES, /* in one store, none of them large */
    CLASS_BUSY,        /* slow and even, among caches that swing */
    CLASS_RANDOM,      /* slow, at random */
    CLASS_BURSTS,      /* bursts that stay */

    /* Nobody can tell from the series whether these leak. */
    CLASS_STOPPED,  /* a leak whose load ended */
    CLASS_DOUBLING, /* an array of values that has room for them most of the time */

    CLASS_KINDS
};

enum class_nature {
    CLASS_HEALTHY, /* no suspect is expected */
    CLASS_LEAK,    /* the culprit, and nothing else */
    CLASS_UNKNOWN  /* no suspect, and a word about what was seen */
};

enum { CLASS_NAMES = 10, CLASS_SNAPSHOTS = 6, CLASS_PATH = 8 };

struct class_series {
    enum class_kind kind;
    uint64_t seed;
    size_t snapshots; /* 4 to CLASS_SNAPSHOTS */
};

struct class_truth {
    /* The type that the series is about, then those that link it to its holder: whoever
     * finds one of them found it. NULL behind the last. */
    const char *found[CLASS_NAMES + 1];

    /* Labels from below the root of all roots to the objects of the first type, in every
     * snapshot. NULL behind the last. */
    const char *path[CLASS_SNAPSHOTS][CLASS_PATH + 1];

    /* Objects at that path, and bytes that they retain, summed up from the plan. */
    uint64_t count[CLASS_SNAPSHOTS], retained[CLASS_SNAPSHOTS];
};

/* "two holders": for people. */
const char *class_name(enum class_kind kind);

enum class_nature class_nature(enum class_kind kind);

struct class_truth class_truth(const struct class_series *s);

bool class_is_found(const struct class_truth *truth, const char *type);

/* Snapshot k, from 0; for hd_snapshot_close(). */
struct hd_snapshot *class_snapshot(const struct class_series *s, size_t k);

#endif
