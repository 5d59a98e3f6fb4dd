/* ranges.h - in which generation an address lies.
 *
 * Segments of a file may overlap and number tens of thousands; they are turned
 * into disjoint ranges once, O(n log n), and looked up by binary search. Where
 * segments overlap the first one given wins. */
#ifndef RANGES_H
#define RANGES_H

#include "base/arena.h"

#include "heapdrift.h"

#include <stdbool.h>
#include <stdint.h>

/* "gen0", "gen1", "gen2", "loh", "poh", "frozen", "unknown". */
extern const char *const generation_names[HD_GENERATION_COUNT];

/* gen2 and what is collected with it, or never: the objects of --gen2. */
static inline bool generation_is_old(enum hd_generation g)
{
    return g >= HD_GEN2 && g <= HD_GEN_FROZEN;
}

/* The part [start, end) of a segment, of one generation. */
struct range {
    uint64_t start, end;
    enum hd_generation generation;
};

struct ranges {
    struct range *all; /* disjoint, ascending */
    size_t len;
};

/* Where parts overlap, the one that comes first wins; one of HD_GEN_UNKNOWN keeps
 * later ones out. Empty parts are ignored. The result lives as long as a. */
struct ranges ranges_build(const struct range *parts, size_t count, struct arena *a);

/* HD_GEN_UNKNOWN outside of all ranges. */
enum hd_generation ranges_find(const struct ranges *r, uint64_t address);

/* Where a generation stays the same around an address: its range, or what lies between two
 * of them, HD_GEN_UNKNOWN. The last address there is may lie outside. */
struct range ranges_around(const struct ranges *r, uint64_t address);

/* The number of ranges that end at or below address. O(log ranges). */
size_t ranges_below(const struct ranges *r, uint64_t address);

#endif
