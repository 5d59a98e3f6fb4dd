/* chains.h - find how the instances of a type are kept alive, as a few groups of root
 * chains.
 *
 * A bottom-k sample of the instances is taken, each with its chain of types from the root;
 * runs of a repeated pattern are folded (a linked list is one frame); chains that are equal
 * from their owner down form a group, whose share of the instances is known with a 95 %
 * Wilson interval. If references have fields, frames have theirs. A digest stores a sample
 * and its chains, from which it is answered. Formulas: docs/chains.md. */
#ifndef CHAINS_H
#define CHAINS_H

#include "chains/chain_owner.h"
#include "chains/walk.h"

/* An exact answer may have more groups; those beyond are counted and have no frames. */
enum { CHAINS_WITH_FRAMES = 256 };

/* A chain that is longer than this after folding loses elements after the first ones: it
 * may be as long as the heap, and there are many samples. */
enum { CHAIN_MAX_ELEMENTS = 8192, CHAIN_HEAD_ELEMENTS = 1024 };

struct chains {
    struct hd_chain *all; /* by count, descending; then by signature */
    size_t len;
    uint64_t instances; /* how many there are to sample from */
    uint64_t uncovered; /* instances without samples in a digest */
    uint64_t samples;   /* how many were looked at */
};

/* Selects objects that arrived in the snapshots from first to last. */
struct since_range {
    unsigned char first, last;
};

/* Several questions to one snapshot, answered together. Every node has a key, its type or
 * that of key_of_node; every key belongs to at most one question. */
struct chain_question {
    const uint32_t *key_of_node;  /* per node, or NULL: the types of the snapshot */
    const uint32_t *key_of_place; /* of a digest the same per place */
    const uint32_t *query_of_key; /* number of the question from 1; 0: no question */
    size_t key_count;             /* larger keys belong to no question */
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
    bool fields; /* separate chains that differ only in fields, if known */
};

/* Answers each question, in one pass over the objects. snap must have a graph, or a digest
 * with places, which needs no walk and has no exact answer; names are the snapshot's. NULL:
 * there are more than opt->most chains. */
struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_question *ask,
                           const struct chain_options *opt, struct arena *a);

/* --- shared by both ways ---------------------------------------------------- */

/* The type at the head of unreachable objects. */
#define UNREACHABLE_GROUP UINT32_MAX

/* The questions to one snapshot, and facts about its types. */
struct chain_search {
    const struct hd_snapshot *snap;
    const struct walk *walk;
    const struct chain_question *ask;
    const bool *is_singleton;           /* per type; or NULL */
    bool parts;                         /* chains by fields */
    const unsigned char *generation_of; /* of nodes; NULL: by their addresses */
    const field_id *field_of;           /* of nodes that are looked at (walk.h); or NULL */
    const char **field_names; /* by field_id, once asked for: as long as the answers */
    struct arena *answers;
};

/* Returns the field through which the node before on the chain refers to n, or NO_FIELD. */
static inline field_id chain_field_of(const struct chain_search *s, node_id n)
{
    return s->field_of != NULL ? s->field_of[n] : NO_FIELD;
}

/* Returns the name, valid as long as the answers; NULL if the field is unknown. */
const char *chain_field_name(const struct chain_search *s, field_id field);

/* Returns the question that asks for a node, from 1; 0 without. */
uint32_t chain_query_of(const struct hd_snapshot *snap, const struct chain_question *ask,
                        node_id n);

/* Returns the type that the dominators name for a question, or NO_TYPE. */
type_id chain_owner_wanted(const struct chain_search *s, size_t query);

/* "[unreachable]" for UNREACHABLE_GROUP. */
const char *chain_type_name(const struct hd_snapshot *snap, uint32_t type);

bool chain_has_program(const struct chain_search *s, uint32_t type);

/* A chain from its owner down as one number: a polynomial in the hashes of the names, so
 * that of a part follows from those of two beginnings. The name decides, not the number
 * that a snapshot gives the type. */
#define CHAIN_HASH_BASE 0x9E3779B97F4A7C15u
uint64_t chain_hash_more(uint64_t before, const char *name);

/* The same for a field that separates chains, before the type that it refers to. */
uint64_t chain_hash_field(const struct chain_search *s, uint64_t before, field_id field);
uint64_t chain_hash_end(uint64_t hash, bool has_owner, bool unreachable);

/* Sets the share of c->count in the samples of all. */
void chain_set_share(struct hd_chain *c, const struct chains *all);

/* For qsort: by count, descending; then by signature. */
int chain_by_count(const void *a, const void *b);

/* Names the fields of frames of a chain that ends at n: its elements are those of s. */
void chain_name_fields(struct hd_chain *c, const struct chain_search *s, size_t query,
                       node_id n);

/* Replaces the sampled answers by exact ones; repeats are still those of the samples.
 * False: there are more than most chains (0: any number). */
bool exact_chains(struct chains *answers, const struct chain_search *s, size_t most,
                  struct arena *a);

/* The 95 % Wilson interval of k of n > 0. E. B. Wilson, Probable inference, JASA 22
 * (1927). */
void wilson_interval(uint64_t k, uint64_t n, double *low, double *high);

/* --- owners of single objects ------------------------------------------------- */

/* Finds the owners of single objects: the owner in the chain of each, as in chains of a
 * sample (chain_owner.h).
 *
 * Objects of a folded chain share an owner, so a chain is examined once, however many
 * objects it leads to. */

struct node_owner {
    type_id type; /* NO_TYPE: no owner */
    enum hd_service service;
};

/* Finds the owner of each node. O(nodes above them + chains), 4 bytes per node of the graph
 * and some 50 per chain. False: there are more than `most` chains (0: any number). */
bool node_owners_find(struct node_owner *owners, const node_id *nodes, size_t count,
                      const struct hd_snapshot *snap, const struct walk *walk,
                      const chain_role *role_of_type, size_t most);

#endif
