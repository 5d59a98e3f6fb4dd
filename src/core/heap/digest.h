/* digest.h - a heap reduced to what the analyses ask of it, without its objects.
 *
 * Of a snapshot that was read from a digest it stands in the place of the graph: who owns
 * what, as paths of types, which places refer to the objects of others, root chains and
 * addresses of a sample. What made it is digest/digest_build.h; the file is format/digest/.
 * It must not know either.
 *
 * Types are rows of the snapshot that the digest belongs to; numbers are those of the
 * file, not scaled. All arrays live in the snapshot's arena. */
#ifndef DIGEST_H
#define DIGEST_H

#include "base/arena.h"
#include "heap/allocation_sites.h"
#include "heap/graph.h"
#include "heapdrift.h"

#define NO_PLACE UINT32_MAX

/* Of the levels that zstd has for its file: the last, 19, makes files smaller by a seventh,
 * and takes twenty times as long. */
#define DIGEST_LEVEL "9"

/* The full ownership tree of who owns what (owners/ownership_tree.h). Place 0 is the root;
 * others stand behind what they hang from, in the order in which they were met. */
struct digest_places {
    uint32_t len; /* 0: who owns what is not known */
    uint32_t *parent;
    type_id *type;
    struct hd_tally *at; /* objects that are there; of what is none, nodes and 0 bytes */
    struct hd_tally
        *old; /* of these in gen2 and what is collected with it; NULL: unknown */

    /* By which field most objects of each place are held: how many of how many. NULL: not
     * known. Names of fields are those of the digest. */
    field_id *field;
    uint64_t *held, *held_of;
};

/* Objects that are referred to from other places than the one that they hang from. Group i
 * are `objects` objects at place `target`, each referred to from the places from[begin[i]]
 * ... from[begin[i + 1] - 1], ascending and without the target itself; perhaps from none.
 * Groups stand in order of their targets. Objects in no group are referred to from the
 * place that they hang from, and no other. */
struct shared_groups {
    uint32_t len;
    uint32_t *target, *begin, *from;
    uint64_t *objects;
};

/* Of the objects at large places those with the smallest hashes (series/sampler.h), each
 * with its shortest chain from a root. Links make a tree: each leads from the one above it,
 * NO_PLACE for the root, to a node of its type. */
struct digest_chains {
    uint32_t samples_each; /* at most so many of a place */
    uint32_t link_count;
    uint32_t *above;
    type_id *type;
    unsigned char *generation; /* enum hd_generation */
    field_id *field;           /* by which it hangs below the one above; NULL: not known */

    uint32_t sample_count;
    node_id *node;   /* its number in the graph that it was of, which the hash is made of */
    uint32_t *link;  /* where its chain ends */
    uint32_t *place; /* where it is; ascending */

    uint64_t *by_call_sites; /* per type: objects that call sites of a container refer to */
};

/* Of the objects of large types those whose addresses have the smallest hashes, to tell how
 * many survive. Type i has objects begin[i] ... begin[i + 1] - 1, in order of addresses. */
struct digest_survivors {
    uint32_t samples_each;
    uint32_t len; /* types */
    type_id *type;
    uint32_t *begin;
    uint64_t *address;
    uint32_t *size;     /* or BIG_SIZE */
    unsigned char *old; /* it may have been there before: not known to be young */
};

/* Since when objects have been there, of snapshots that were followed from one to the next.
 * A moment is one of these snapshots, the last is this one. Group i are `objects` objects
 * at a place that were first seen anywhere at moment born[i], and have been there since
 * moment came[i], which is no earlier; ascending by place, born and came. Who is in no
 * group was there at moment 0, or before, and has been ever since. What no root reaches is
 * at no place, so of that there are groups by type. */
struct digest_ages {
    enum hd_identity_source source;
    uint32_t moment_count;  /* 0: nothing is known */
    uint64_t *moment;       /* a token of each, which tells two snapshots apart */
    uint64_t survivors, of; /* of the snapshot before; HD_UNKNOWN: none was followed */
    uint32_t len;
    uint32_t *place;
    unsigned char *born, *came;
    uint64_t *objects, *bytes;
    uint32_t lost_len;
    type_id *lost_type; /* ascending, then by born */
    unsigned char *lost_born;
    uint64_t *lost_objects;
};

enum { AGES_MAX = 255 }; /* moments */

/* What the objects of a type of a sampled file stand for. */
struct digest_scaled {
    struct hd_tally all, old;
    double count_scale;
};

struct digest {
    const char *source_format; /* "gcdump": what it was made of */
    uint64_t source_xxh3;      /* of those bytes; HD_UNKNOWN: they never were a file */
    struct hd_tally *lost; /* per type and generation: what no root reaches; NULL: none is
                              known to be */
    struct digest_scaled *scaled; /* per type; NULL: not sampled */
    uint64_t *retained;           /* per type, as hd_type_row.retained; NULL: not known */
    struct digest_places places;
    struct shared_groups sharing;
    struct digest_chains chains;
    struct digest_survivors survivors;
    struct digest_ages ages;
    const struct allocation_sites *sites; /* by place; NULL: nobody sampled */
    const char **field_names;
    uint32_t field_count;
};

/* Types of the digest become rows: type i is row row_of[i], of row_count. What several
 * types have adds up. */
void digest_rename(struct digest *d, const type_id *row_of, size_t type_count,
                   size_t row_count, struct arena *a);

#endif
