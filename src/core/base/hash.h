/* hash.h - uthash with XXH3, and a hash of numbers. Include this, not uthash.h.
 *
 * For names (types, signatures), of which there are some 10^5. An entry costs 56 bytes and
 * a cache miss, so objects are looked up elsewhere (ids.h).
 *
 * The seed differs from process to process: otherwise a crafted file could have 300 names
 * in a single bucket, which would make a table quadratic. So output must not depend on
 * hashes; a loop over a table visits entries in order of insertion. */
#ifndef HASH_H
#define HASH_H

#include "base/alloc.h"

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Returns a random number, the same for the whole process. Thread-safe. */
uint64_t hash_seed(void);

#define HASH_FUNCTION(key, len, hash) \
    ((hash) = (unsigned)XXH3_64bits_withSeed((key), (len), hash_seed()))
#define uthash_fatal(msg) out_of_memory(0)
#include <uthash.h>

/* Hashes a number; every bit of the result depends on all of n (the end of MurmurHash3). */
static inline uint64_t mix(uint64_t n)
{
    n = (n ^ n >> 33) * 0xFF51AFD7ED558CCDU;
    n = (n ^ n >> 33) * 0xC4CEB9FE1A85EC53U;
    return n ^ n >> 33;
}

#endif
