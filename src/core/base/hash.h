/* hash.h - uthash, hashing with XXH3, and a hash of numbers. Include this, not uthash.h.
 *
 * For names (types, signatures), of which there are some 10^5. An entry costs
 * 56 bytes and a cache miss, so objects are looked up elsewhere (ids.h).
 *
 * The seed is another one in every process: who writes a file cannot choose 300 names of
 * one bucket, which would make a table quadratic. So nothing that is printed may depend on
 * hashes; a loop over a table goes in the order in which its entries came. */
#ifndef HASH_H
#define HASH_H

#include "base/alloc.h"

#include <stdint.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Random, and the same until the process ends. Any thread may ask. */
uint64_t hash_seed(void);

#define HASH_FUNCTION(key, len, hash) \
    ((hash) = (unsigned)XXH3_64bits_withSeed((key), (len), hash_seed()))
#define uthash_fatal(msg) out_of_memory(0)
#include <uthash.h>

/* A hash of a number, all of whose bits depend on all of it (the end of MurmurHash3). */
static inline uint64_t stir(uint64_t n)
{
    n = (n ^ n >> 33) * 0xFF51AFD7ED558CCDU;
    n = (n ^ n >> 33) * 0xC4CEB9FE1A85EC53U;
    return n ^ n >> 33;
}

#endif
