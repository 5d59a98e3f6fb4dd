/* classes.h - series of the kinds that rankings get wrong, and the right answers.
 *
 *     struct class_series s = {.kind = CLASS_TWO_HOLDERS, .seed = 1, .snapshots = 4};
 *     struct class_truth truth = class_truth(&s);
 *     for (size_t k = 0; k < s.snapshots; k++)
 *         snaps[k] = class_snapshot(&s, k);
 *
 * The leaks of leaks.h are easy to find. Here healthy programs look like leaks, and leaks
 * are hidden by the objects that they refer to, by changing owners, by many classes or by
 * a fluctuating heap. All have the noise of leaks.h. */
#ifndef CLASSES_H
#define CLASSES_H

#include "support/leaks.h"

enum class_kind {
    /* Healthy. */
    CLASS_SHARED_OLD,  /* ever more old objects get a second holder */
    CLASS_HANDED_OVER, /* objects move from one table to another; none is allocated */
    CLASS_FILLING,     /* a cache that fills up */
    CLASS_WALK,        /* a random walk */
    CLASS_DAY,         /* load that rises and falls during the day */
    CLASS_DRAINING,    /* bursts that are worked off */

    /* Leaks. */
    CLASS_SHARING,     /* new objects that refer to old ones */
    CLASS_TWO_HOLDERS, /* table and list hold the object; table and object hold its key */
    CLASS_ENTRIES,     /* a linked list, entered at another node in every snapshot */
    CLASS_TEN_CLASSES, /* in one store; each is small */
    CLASS_BUSY,        /* slow and even, among caches of varying size */
    CLASS_RANDOM,      /* slow, at random */
    CLASS_BURSTS,      /* bursts that are never freed */

    /* The series does not show whether these leak. */
    CLASS_STOPPED,  /* a leak that ended with its load */
    CLASS_DOUBLING, /* an array of values that has room for them most of the time */

    CLASS_KINDS
};

enum class_nature {
    CLASS_HEALTHY, /* no suspect is expected */
    CLASS_LEAK,    /* the culprit and no other suspect */
    CLASS_UNKNOWN  /* no suspect, but a note */
};

enum { CLASS_NAMES = 10, CLASS_SNAPSHOTS = 6, CLASS_PATH = 8 };

struct class_series {
    enum class_kind kind;
    uint64_t seed;
    size_t snapshots; /* 4 to CLASS_SNAPSHOTS */
};

struct class_truth {
    /* The type that the series is about, then those that link it to its holder; finding one
     * of them counts. NULL after the last. */
    const char *found[CLASS_NAMES + 1];

    /* Labels from below the root of all roots to the objects of the first type, in every
     * snapshot. NULL after the last. */
    const char *path[CLASS_SNAPSHOTS][CLASS_PATH + 1];

    /* Objects at that path and the bytes that they retain, computed from the plan. */
    uint64_t count[CLASS_SNAPSHOTS], retained[CLASS_SNAPSHOTS];
};

/* "two holders": for messages. */
const char *class_name(enum class_kind kind);

enum class_nature class_nature(enum class_kind kind);

struct class_truth class_truth(const struct class_series *s);

bool class_is_found(const struct class_truth *truth, const char *type);

/* Snapshot k, from 0; for hd_snapshot_close(). */
struct hd_snapshot *class_snapshot(const struct class_series *s, size_t k);

#endif
