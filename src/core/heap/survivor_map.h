/* survivor_map.h - which objects of a snapshot are which of the one before, as the
 * collector told it while both were taken: in bytes, as a file keeps it.
 *
 * Objects are numbered in the order of addresses, from 0. What survived side by side is a
 * run of three varints (7 bits each, lowest first): how many newcomers come before it; how
 * far its first object is, in the older snapshot, from the end of the run before (zigzag);
 * one less than its length. Some 3 bytes for a run. Tokens say of which two snapshots, so
 * that nothing is ever applied to others. It knows neither files nor addresses. */
#ifndef TOLD_SAME_H
#define TOLD_SAME_H

#include "base/arena.h"
#include "heapdrift.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct told_side {
    uint64_t token; /* places_token() */
    uint32_t objects;
};

struct survivor_map {
    struct told_side older, newer;
    uint32_t survivors;
    const unsigned char *runs;
    size_t size; /* bytes */
};

/* older_of[i] is the number of object i of the newer in the older, or UINT32_MAX. Sides and
 * runs; the runs live in a. */
struct survivor_map survivor_map_write(const struct told_side *older,
                                       const struct told_side *newer,
                                       const uint32_t *older_of, struct arena *a);

/* So many objects of both sides. */
struct survivor_run {
    uint32_t older, newer, count;
};

struct survivor_map_reader {
    const struct survivor_map *told;
    size_t at;
    struct survivor_run next; /* where the run before ended; count is of no use */
};

/* The next run, which lies within both sides. False at the end; *damaged if what is there
 * cannot be. */
bool survivor_map_next(struct survivor_map_reader *r, struct survivor_run *run,
                       bool *damaged);

/* As text of one line, and back: base64 with the numbers in front. NULL if text is none;
 * it lives in a, and takes less than the text. */
struct text;
void survivor_map_put(const struct survivor_map *told, struct text *to);
struct survivor_map *survivor_map_parse(const char *text, size_t len, struct arena *a);

/* --- why nothing was told ------------------------------------------------------ */

/* Why it was not told which objects of a snapshot are those of the one before, where
 * somebody listened to the collector and heard nothing that could be used.
 *
 * Files keep the name; one that a later version may have is no reason. */

/* HD_UNTOLD_NOTHING: there is none of that name. */
enum hd_untold untold_named(const char *name, size_t len);

#endif
