/* sampler.h - a bottom-k sample: the k objects with the smallest hashes of their numbers.
 * As good as a random choice, and deterministic. */
#ifndef SAMPLER_H
#define SAMPLER_H

#include "heap/graph.h"

struct sample {
    uint64_t hash;
    node_id node;
};

/* The k smallest seen so far, as a heap with the largest on top. */
struct sampler {
    struct sample
        *heap; /* malloc'd; capacity follows what was seen, not what was asked for */
    size_t capacity;
    uint32_t len, cap; /* cap is k */
    uint64_t instances;
};

/* Returns the hash that orders a node for sampling: the samples are those with the
 * smallest, the lower node first on a tie. */
uint64_t sample_hash(node_id node, uint64_t seed);

void sampler_offer(struct sampler *s, node_id node, uint64_t seed);

/* The same with a hash of the caller. */
void sampler_offer_hashed(struct sampler *s, node_id node, uint64_t hash);

/* Once all were offered: sorts by hash, the smallest first. */
void sampler_sort(struct sampler *s);
void sampler_free(struct sampler *s);

#endif
