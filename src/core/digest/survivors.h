/* survivors.h - count instances that are certainly the same as before.
 *
 * A cache that is refreshed has the same number of instances, but other ones; a leak keeps
 * its instances. An object of the last snapshot at the address of an object of the first,
 * with the same type and size, counts as that object. The collector moves objects, so the
 * number is a lower bound; in gen2 and the large object heap, where it seldom does, a good
 * one. Objects known to be younger do not count.
 *
 * A digest has a sample of the addresses only: those with the smallest hashes, in both
 * snapshots. So the addresses that both samples could have are a random choice of the last
 * one's instances; the share that existed before is the estimate. */
#ifndef SURVIVORS_H
#define SURVIVORS_H

#include "base/arrays.h"
#include "heap/address_index.h"
#include "heap/snapshot.h"

/* Instances of a type that are still there: at least count; or, where only samples can be
 * compared, about count, with 95 % between low and high. Those are HD_UNKNOWN else. */
struct survived {
    uint64_t count, low, high; /* all HD_UNKNOWN: no estimate for the type */
};

/* Data about the first snapshot: some 10 bytes per object. */
struct survivors {
    struct address_index addresses;
    struct pair_table kinds; /* a number for every type (by name) and size */
    uint32_t *kind;          /* of each address, by position */
    struct survivor_name *names;
    uint32_t name_count;
    enum selection selection;
    bool estimates;                 /* then only names and this are used: */
    struct digest_survivors sample; /* of the first */
    struct arena arena;
};

/* True unless the object at the address is known to be young. */
bool may_have_survived(const struct hd_snapshot *snap, uint64_t address);

/* Records the objects of the first snapshot that are selected; it must have its graph or
 * digest. estimates: one of both snapshots has a digest only. False if it lacks addresses;
 * s then owns no memory. */
bool survivors_begin(struct survivors *s, const struct hd_snapshot *first,
                     enum selection selection, bool estimates);

/* Returns for each type of the last snapshot of the same process, which must have its graph
 * or digest, how many selected instances existed before; NULL if it has no addresses.
 * O(objects). */
struct survived *survivors_count(struct survivors *s, const struct hd_snapshot *last,
                                 struct arena *a);
void survivors_free(struct survivors *s);

/* A five-hundredth of the reachable heap, in bytes or objects: a digest stores no samples
 * of smaller types and places. */
enum { LARGE_SHARE = 500 };

/* For a digest: addresses of a sample of the objects of each type, of large ones or all. */
void survivors_sample(struct digest_survivors *to, const struct hd_snapshot *snap,
                      bool of_all_types, struct arena *a);

#endif
