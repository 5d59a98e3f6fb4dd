/* digest.h - a heap reduced to the data that the analyses need, without its objects.
 *
 * Replaces the graph of a snapshot that was read from a digest: the ownership tree as paths
 * of types, the places that refer to the objects of others, and root chains and addresses
 * of a sample. Written by digest/digest_build.h; the file format is in format/digest/. Must
 * not depend on either.
 *
 * Types are rows of the snapshot of the digest; numbers are those of the file, not scaled.
 * All arrays live in the snapshot's arena. */
#ifndef DIGEST_H
#define DIGEST_H

#include "base/arena.h"
#include "heap/allocation_sites.h"
#include "heap/graph.h"
#include "heapdrift.h"

#define NO_PLACE UINT32_MAX

/* zstd level of its file: the highest level, 19, shrinks files by another seventh but is
 * twenty times as slow. */
#define DIGEST_LEVEL "9"

/* The full ownership tree (owners/ownership_tree.h). Place 0 is the root; the others follow
 * their parents, in the order of discovery. */
struct digest_places {
    uint32_t len; /* 0: ownership is unknown */
    uint32_t *parent;
    type_id *type;
    struct hd_tally *at;  /* objects at each place; for pseudo-nodes their number and 0
                             bytes */
    struct hd_tally *old; /* their part in gen2 and collected with it; NULL if unknown */

    /* The field through which most objects of each place are held, with numerator and
     * denominator. NULL if unknown. Indexes field_names. */
    field_id *field;
    uint64_t *held, *held_of;
};

/* Objects with references from places other than their parent. Group i: `objects` objects
 * at place `target`, each referred to from the places from[begin[i]] ... from[begin[i + 1]
 * - 1], ascending and without the target itself; this list may be empty. Groups are sorted
 * by target. Objects in no group have references from their parent only. */
struct shared_groups {
    uint32_t len;
    uint32_t *target, *begin, *from;
    uint64_t *objects;
};

/* A sample of the objects at large places, those with the smallest hashes
 * (series/sampler.h), each with its shortest chain from a root. Links form a tree: each is
 * a reference from the link above (NO_PLACE: the root) to a node of its type. */
struct digest_chains {
    uint32_t samples_each; /* sampled objects per place, at most */
    uint32_t link_count;
    uint32_t *above;
    type_id *type;
    unsigned char *generation; /* enum hd_generation */
    field_id *field;           /* through which the link above refers to it; NULL if
                                  unknown */

    uint32_t sample_count;
    node_id *node;   /* its number in the original graph, the input of the hash */
    uint32_t *link;  /* last link of its chain */
    uint32_t *place; /* its place; ascending */

    uint64_t *by_call_sites; /* per type: objects referenced by call sites of a container */
};

/* A sample of the objects of large types, those whose addresses have the smallest hashes,
 * for counting survivors. Type i has objects begin[i] ... begin[i + 1] - 1, in order of
 * addresses. */
struct digest_survivors {
    uint32_t samples_each;
    uint32_t len; /* types */
    type_id *type;
    uint32_t *begin;
    uint64_t *address;
    uint32_t *size;     /* or BIG_SIZE */
    unsigned char *old; /* not known to be young, so it may be older than the snapshot
                           before */
};

/* Ages of objects, for snapshots with known survivors from one to the next. A moment is
 * such a snapshot; the last is this one. Group i: `objects` objects at a place that first
 * appeared anywhere at moment born[i], and at this place at moment arrived[i] >= born[i];
 * ascending by place, born and arrived. Objects in no group have been at their place since
 * moment 0 or earlier. Unreachable objects have no place, so their groups are by type. */
struct digest_ages {
    enum hd_identity_source source;
    uint32_t moment_count;  /* 0 if unknown */
    uint64_t *moment;       /* a token of each, which identifies the snapshot */
    uint64_t survivors, of; /* of the snapshot before; HD_UNKNOWN if survivors are
                               unknown */
    uint32_t len;
    uint32_t *place;
    unsigned char *born, *arrived;
    uint64_t *objects, *bytes;
    uint32_t lost_len;
    type_id *lost_type; /* ascending, then by born */
    unsigned char *lost_born;
    uint64_t *lost_objects;
};

enum { AGES_MAX = 255 }; /* moments */

/* Scaled numbers of a type of a sampled file. */
struct digest_scaled {
    struct hd_tally all, old;
    double count_scale;
};

struct digest {
    const char *source_format; /* format of the original file, such as "gcdump" */
    uint64_t source_xxh3;      /* hash of its bytes; HD_UNKNOWN if it never was a file */
    struct hd_tally *lost; /* unreachable objects per type and generation; NULL if unknown
                              or empty */
    struct digest_scaled *scaled; /* per type; NULL: not sampled */
    uint64_t *retained;           /* per type, as hd_type_row.retained; NULL if unknown */
    struct digest_places places;
    struct shared_groups sharing;
    struct digest_chains chains;
    struct digest_survivors survivors;
    struct digest_ages ages;
    const struct allocation_sites *sites; /* by place; NULL if not sampled */
    const char **field_names;
    uint32_t field_count;
};

/* Maps the types of the digest to rows: type i becomes row row_of[i] < row_count. Numbers
 * of types that share a row are added up. */
void digest_rename(struct digest *d, const type_id *row_of, size_t type_count,
                   size_t row_count, struct arena *a);

#endif
