/* hash.h - uthash, hashing with XXH3. Include this, not uthash.h.
 *
 * For names (types, signatures), of which there are some 10^5. An entry costs
 * 56 bytes and a cache miss, so objects are looked up elsewhere (ids.h). */
#ifndef HASH_H
#define HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#define HASH_FUNCTION(key, len, hash) ((hash) = (unsigned)XXH3_64bits((key), (len)))
#define uthash_fatal(msg) hash_out_of_memory()
#include <uthash.h>

#include <stdio.h>
#include <stdlib.h>

static inline _Noreturn void hash_out_of_memory(void)
{
    fputs("heapdrift: out of memory\n", stderr);
    exit(2);
}

#endif
