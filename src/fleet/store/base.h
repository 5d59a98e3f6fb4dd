/* base.h - the digests that a writer builds others on: of each series the last that is
 * whole (docs/store.md). Kept in memory, else asked of the store. */
#ifndef STORE_BASE_H
#define STORE_BASE_H

#include "base/input.h"
#include "fleet/store/store.h"

enum { SOURCE_DIGITS = 16 };

struct base {
    char *run; /* run_key() */
    int64_t id;
    char source[SOURCE_DIGITS + 1]; /* its xxh3: ids are given again */
    double taken;
    struct hd_memory digest; /* a file */
    uint64_t spent;          /* bytes of what was built on it */
    unsigned tries;          /* of the series: bases before it */
    uint64_t used;           /* when that was last, as a number that rises */
};

/* One that a snapshot of that time can be built on. NULL: none, or a new one pays. Lives
 * until something is kept or dropped. */
const struct base *base_find(struct hd_store *s, const char *run, double taken);

/* It was stored: a snapshot whole; so many bytes built on its series' base. id 0: nobody
 * knows its id, and nothing can be built on it. */
void base_keep(struct hd_store *s, const char *run, int64_t id, const char *source,
               double taken, const struct hd_memory *digest);
void base_spend(struct hd_store *s, const char *run, uint64_t bytes);

/* A whole digest as JSON, at most limit bytes of memory (0: no limit); to be closed. */
struct input *digest_open(const void *digest, size_t size, uint64_t limit,
                          struct bytes *json, struct hd_error *err);

/* A copy, with a NUL behind it. */
struct hd_memory digest_copy(const void *bytes, size_t size);

#endif
