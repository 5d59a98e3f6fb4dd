/* chains.h - what holds the instances of a type, as a few groups of root chains.
 *
 * A bottom-k sample of the instances is taken, each with its chain of types from
 * the root; runs of a repeated pattern are folded (a linked list is one frame);
 * chains that are equal from their owner down form a group, whose share of the instances
 * is known with a 95 % Wilson interval. Formulas: docs/chains.md. */
#ifndef CHAINS_H
#define CHAINS_H

#include "analysis/chain_owner.h"
#include "analysis/walk.h"

/* A frame is one type, or a pattern of up to three that is repeated. */
enum { HD_MOST_FRAME_TYPES = 3 };

struct hd_frame {
    const char *types[HD_MOST_FRAME_TYPES];
    const char *shown[HD_MOST_FRAME_TYPES]; /* the same for people; NULL: as types */
    unsigned type_count;
    uint32_t repeat_min, repeat_max; /* over the group's samples */
    uint32_t example_nodes;          /* how many objects of the example it stands for */
    enum hd_generation generation; /* the youngest of these; HD_GEN_UNKNOWN if not known */
    bool is_program;               /* a class of the program is among its types */
};

/* An exact answer may have more groups; those beyond are counted and have no frames. */
enum { CHAINS_WITH_FRAMES = 256 };

/* A chain of more elements than that, after folding, loses some behind the first ones: it
 * may be as long as the heap, and there are many samples. */
enum { CHAIN_MOST_ELEMENTS = 8192, CHAIN_HEAD_ELEMENTS = 1024 };

struct hd_chain {
    enum hd_root_kind kind;
    uint64_t hash;           /* from its owner down: the same in every snapshot */
    struct hd_frame *frames; /* root first, without the root of all roots; instance last;
                             above the owner those of the entry that most samples have */
    size_t frame_count;      /* 0 for a rare chain of an exact answer */
    size_t frames_skipped;   /* before frame skipped_at: of a very long chain */
    size_t skipped_at;
    uint64_t count;          /* instances, if exact; else samples that have this chain */
    double share, low, high; /* of the instances; a 95 % interval */
    bool exact;              /* all instances were looked at: low = share = high */
    node_id example;         /* the sample with the smallest hash, or any */
    size_t owner_frame;      /* the one that has the owner, or HD_NO_OWNER */
    const char *owner;       /* its type, or NULL */
    enum hd_service service; /* how the container of services holds it */
};

struct chains {
    struct hd_chain *all; /* by count, descending; then by signature */
    size_t len;
    uint64_t instances; /* how many there are to sample from */
    uint64_t samples;   /* how many were looked at */
};

/* Several questions to one snapshot at once. Every node has a key, its type or whatever
 * key_of_node says; every key belongs to at most one question. */
struct chain_question {
    const uint32_t *key_of_node;  /* per node, or NULL: the types of the snapshot */
    const uint32_t *query_of_key; /* number of the question from 1; 0: none */
    size_t key_count;             /* larger keys belong to none */
    size_t queries;
    enum selection selection;
    const chain_role *role_of_type; /* NULL: chains are compared from the root */
    const type_id *owner_of_query;  /* that the dominators name, or NO_TYPE; may be NULL */
};

struct chain_options {
    uint32_t samples; /* at most this many instances per question */
    uint64_t seed;
    bool exact; /* count all instances; samples then give the repeats only */
};

/* An answer to each question, one pass over the objects. snap must have a graph; names
 * are the snapshot's. */
struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_question *ask,
                           const struct chain_options *opt, struct arena *a);

/* The 95 % Wilson interval of k of n > 0. E. B. Wilson, Probable inference, JASA 22
 * (1927). */
void wilson_interval(uint64_t k, uint64_t n, double *low, double *high);

#endif
