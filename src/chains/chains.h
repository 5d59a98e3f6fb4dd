/* chains.h - what holds the instances of a type, as a few groups of root chains.
 *
 * A bottom-k sample of the instances is taken, each with its chain of types from
 * the root; runs of a repeated pattern are folded (a linked list is one frame);
 * chains that are equal from their owner down form a group, whose share of the instances
 * is known with a 95 % Wilson interval. Where references have fields, frames tell theirs.
 * A digest has a sample and its chains; of that the answer is made.
 * Formulas: docs/chains.md. */
#ifndef CHAINS_H
#define CHAINS_H

#include "chains/chain_owner.h"
#include "chains/walk.h"

/* An exact answer may have more groups; those beyond are counted and have no frames. */
enum { CHAINS_WITH_FRAMES = 256 };

/* A chain of more elements than that, after folding, loses some behind the first ones: it
 * may be as long as the heap, and there are many samples. */
enum { CHAIN_MOST_ELEMENTS = 8192, CHAIN_HEAD_ELEMENTS = 1024 };

struct chains {
    struct hd_chain *all; /* by count, descending; then by signature */
    size_t len;
    uint64_t instances; /* how many there are to sample from */
    uint64_t uncovered; /* of so many of them a digest has no samples */
    uint64_t samples;   /* how many were looked at */
};

/* Which objects are meant by when they came: since one of these snapshots. */
struct since_range {
    unsigned char first, last;
};

/* Several questions to one snapshot at once. Every node has a key, its type or whatever
 * key_of_node says; every key belongs to at most one question. */
struct chain_question {
    const uint32_t *key_of_node;  /* per node, or NULL: the types of the snapshot */
    const uint32_t *key_of_place; /* of a digest the same per place */
    const uint32_t *query_of_key; /* number of the question from 1; 0: none */
    size_t key_count;             /* larger keys belong to none */
    size_t queries;
    const unsigned char *since_of_node; /* since when it is there; NULL: any time will do */
    const struct since_range *since_of_query;
    enum selection selection;
    const chain_role *role_of_type; /* NULL: chains are compared from the root */
    const type_id *owner_of_query;  /* that the dominators name, or NO_TYPE; may be NULL */
};

struct chain_options {
    uint32_t samples; /* at most this many instances per question */
    uint64_t seed;
    bool exact;  /* count all instances; samples then give the repeats only */
    size_t most; /* chains that an exact answer may tell apart; 0: any number */
    bool fields; /* two fields of one type part chains, where they are known */
};

/* An answer to each question, one pass over the objects. snap must have a graph, or a
 * digest with places, which needs no walk and has no exact answer; names are the
 * snapshot's. NULL: there are more than opt->most chains. */
struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_question *ask,
                           const struct chain_options *opt, struct arena *a);

/* The 95 % Wilson interval of k of n > 0. E. B. Wilson, Probable inference, JASA 22
 * (1927). */
void wilson_interval(uint64_t k, uint64_t n, double *low, double *high);

#endif
