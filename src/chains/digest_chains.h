/* digest_chains.h - the chains that a digest keeps, as the graph that they are of: the
 * links as a tree, and behind them the samples, each below what its chain leads over.
 *
 * chains.c looks for chains in it as in a whole heap; what it must not ask of it is told
 * beside: numbers of the heap's own nodes, generations, and how many instances there are.
 */
#ifndef DIGEST_CHAINS_H
#define DIGEST_CHAINS_H

#include "chains/chain_search.h"
#include "series/sampler.h"

struct digest_graph {
    struct hd_snapshot snap; /* that of the digest, with this graph */
    struct graph graph;
    struct fields fields;
    struct walk walk;
    unsigned char *generation; /* of each node */
    field_id *field_of;        /* NULL: not known */
};

/* In a, O(links + samples). */
struct digest_graph *digest_graph_of(const struct hd_snapshot *snap, struct arena *a);

/* A sampler for each question, with those of the kept samples that it would have taken; and
 * in uncovered[question] how many instances are where no samples were kept. */
struct sampler *digest_samples(const struct digest_graph *d,
                               const struct chain_question *ask,
                               const struct chain_options *opt, uint64_t *uncovered,
                               struct arena *a);

/* The number that a sample had in the heap. */
node_id digest_node(const struct digest_graph *d, node_id sample);

#endif
