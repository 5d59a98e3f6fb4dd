/* gcdump_limits.h - how much a .gcdump can hold: numbers of nodes and types are signed and
 * of 32 bits, the records of nodes one blob of less than 2 GiB, labels offsets of 4 bytes.
 */
#ifndef GCDUMP_LIMITS_H
#define GCDUMP_LIMITS_H

#include "heapdrift.h"

struct gcdump_extent {
    uint64_t nodes, types;
    uint64_t record_bytes; /* of all nodes */
    uint64_t file_bytes;
};

/* False, and why, if there can be no such file. */
bool gcdump_can_hold(const struct gcdump_extent *e, struct hd_error *err);

#endif
