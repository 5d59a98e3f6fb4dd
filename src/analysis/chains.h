/* chains.h - what holds the instances of a type, as a few groups of root chains.
 *
 * A bottom-k sample of the instances is taken, each with its chain of types from
 * the root; runs of a repeated pattern are folded (a linked list is one frame);
 * equal chains form a group, whose share of the instances is known with a 95 %
 * Wilson interval. Formulas: docs/chains.md. */
#ifndef CHAINS_H
#define CHAINS_H

#include "analysis/walk.h"

/* A frame is one type, or a pattern of up to three that is repeated. */
enum { FRAME_MAX_TYPES = 3 };

struct frame {
    const char *types[FRAME_MAX_TYPES];
    unsigned type_count;
    uint32_t repeat_min, repeat_max; /* over the group's samples */
};

struct chain {
    enum root_kind kind;
    struct frame *frames; /* root first, without the root of all roots; instance last */
    size_t frame_count;
    uint32_t samples;        /* that have this chain */
    double share, low, high; /* of the instances; a 95 % interval */
    bool exact;              /* all instances were looked at: low = share = high */
    node_id example;         /* the sample with the smallest hash */
};

struct chains {
    struct chain *all; /* by samples, descending; then by signature */
    size_t len;
    uint64_t instances; /* how many there are to sample from */
    uint32_t samples;   /* how many were taken */
};

/* Which instances: those of some types, all together. */
struct chain_query {
    const bool *wanted; /* per type of the snapshot */
    enum selection selection;
};

struct chain_options {
    uint32_t samples; /* at most this many instances per query */
    uint64_t seed;
};

/* Answers to count queries at once, one pass over the objects. snap must have a
 * graph; names are the snapshot's. No type may be wanted by two queries. */
struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_query *queries, size_t count,
                           const struct chain_options *opt, struct arena *a);

/* The 95 % Wilson interval of k of n. E. B. Wilson, Probable inference, JASA 22
 * (1927). */
void wilson_interval(uint32_t k, uint32_t n, double *low, double *high);

/* The hash that orders a node for sampling: the samples are those with the smallest,
 * the lower node first on a tie. */
uint64_t sample_hash(node_id node, uint64_t seed);

#endif
