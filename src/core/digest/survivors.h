/* survivors.h - how many instances are certainly the same ones as before.
 *
 * A cache that is refreshed has as many instances as before, but other ones; a leak keeps
 * what it has. An object of the last snapshot that lies at the address of an object of the
 * first, with the same type and size, counts as that object. The collector moves objects,
 * so the number is a lower bound; in gen2 and the large object heap, where it seldom does,
 * a good one. Objects known to be younger do not count.
 *
 * A digest has a sample of the addresses only. Those with the smallest hashes were kept, of
 * both snapshots the same, so what both could have is a random choice of the last one's
 * instances; the share of them that were there before is the estimate. */
#ifndef SURVIVORS_H
#define SURVIVORS_H

#include "base/arrays.h"
#include "heap/address_index.h"
#include "heap/snapshot.h"

/* Instances of a type that are still there: at least count; or, where only samples can be
 * compared, about count, with 95 % between low and high. Those are HD_UNKNOWN else. */
struct survived {
    uint64_t count, low, high; /* all HD_UNKNOWN: nothing is known of the type */
};

/* What has to be remembered of the first snapshot: some 10 bytes per object. */
struct survivors {
    struct address_index addresses;
    struct pair_table kinds; /* a number for every type (by name) and size */
    uint32_t *kind;          /* of each address, by position */
    struct survivor_name *names;
    uint32_t name_count;
    enum selection selection;
    bool estimates;                 /* then, beside names, only this: */
    struct digest_survivors sample; /* of the first */
    struct arena arena;
};

/* Whether what lies there may have been there before: nothing that is known to be young. */
bool may_have_survived(const struct hd_snapshot *snap, uint64_t address);

/* Remember the objects of the first snapshot that selection means; it must have its graph
 * or digest. estimates: one of both snapshots has a digest only. False, and nothing to
 * free, if it has no addresses. */
bool survivors_begin(struct survivors *s, const struct hd_snapshot *first,
                     enum selection selection, bool estimates);

/* For each type of the last snapshot of the same process, which must have its graph or
 * digest, how many instances that the selection means were there before; NULL if it has no
 * addresses. O(objects). */
struct survived *survivors_count(struct survivors *s, const struct hd_snapshot *last,
                                 struct arena *a);
void survivors_free(struct survivors *s);

/* A five-hundredth of the reachable heap, in bytes or objects: of what is smaller a digest
 * keeps no samples. */
enum { LARGE_SHARE = 500 };

/* For a digest: addresses of a sample of the objects of each type, of large ones or all. */
void survivors_sample(struct digest_survivors *to, const struct hd_snapshot *snap,
                      bool of_all_types, struct arena *a);

#endif
