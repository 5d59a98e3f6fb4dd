/* survivor_map.h - which objects of a snapshot are which of the one before, from GC events
 * traced between the two: the encoding that files store.
 *
 * Objects are numbered in the order of addresses, from 0. Survivors that are adjacent on
 * both sides form a run of three varints (7 bits each, lowest first): number of new objects
 * before it; distance of its first object, in the older snapshot, from the end of the run
 * before (zigzag); its length minus one. About 3 bytes per run. Tokens identify the two
 * snapshots, so that a map is never applied to others. Must not depend on files or
 * addresses. */
#ifndef SURVIVOR_MAP_H
#define SURVIVOR_MAP_H

#include "base/arena.h"
#include "heapdrift.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct survivor_side {
    uint64_t token; /* places_token() */
    uint32_t objects;
};

struct survivor_map {
    struct survivor_side older, newer;
    uint32_t survivors;
    const unsigned char *runs;
    size_t size; /* bytes */
};

/* Encodes sides and runs. older_of[i] is the number of object i of the newer snapshot in
 * the older one, or UINT32_MAX. The runs live in a. */
struct survivor_map survivor_map_write(const struct survivor_side *older,
                                       const struct survivor_side *newer,
                                       const uint32_t *older_of, struct arena *a);

/* `count` consecutive objects on both sides. */
struct survivor_run {
    uint32_t older, newer, count;
};

struct survivor_map_reader {
    const struct survivor_map *map;
    size_t at;
    struct survivor_run next; /* end of the run before; count is unused */
};

/* Returns the next run, which is within both sides. False at the end; *damaged if the data
 * is invalid. */
bool survivor_map_next(struct survivor_map_reader *r, struct survivor_run *run,
                       bool *damaged);

/* Writes one line of text and parses it: numbers, then base64. NULL if text is invalid; the
 * result lives in a, and is smaller than the text. */
struct text;
void survivor_map_put(const struct survivor_map *map, struct text *to);
struct survivor_map *survivor_map_parse(const char *text, size_t len, struct arena *a);

/* --- why survivors are unknown ------------------------------------------------- */

/* Why the survivors between two snapshots are unknown although GC events were traced.
 *
 * Files store the name; a name that only a later version has is ignored. */

/* Returns the reason with this name, or HD_SURVIVORS_UNKNOWN_NONE. */
enum hd_survivors_unknown survivors_unknown_named(const char *name, size_t len);

#endif
