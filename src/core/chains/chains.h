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
enum { CHAIN_MAX_ELEMENTS = 8192, CHAIN_HEAD_ELEMENTS = 1024 };

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

/* --- shared by both ways ---------------------------------------------------- */

/* What the two ways of finding chains share: a sample (chains.c), all instances
 * (exact_chains.c) --- */

/* The type at the head of what hangs from no root. */
#define UNREACHABLE_GROUP UINT32_MAX

/* What is asked of one snapshot, and what is known of its types. */
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

/* By which field a node hangs below the one before it on its chain, or NO_FIELD. */
static inline field_id chain_field_of(const struct chain_search *s, node_id n)
{
    return s->field_of != NULL ? s->field_of[n] : NO_FIELD;
}

/* Its name, as long as the answers; NULL for what is no field. */
const char *chain_field_name(const struct chain_search *s, field_id field);

/* The question that asks for a node, from 1; 0 without. */
uint32_t chain_query_of(const struct hd_snapshot *snap, const struct chain_question *ask,
                        node_id n);

/* The type that the dominators name for a question, or NO_TYPE. */
type_id chain_owner_wanted(const struct chain_search *s, size_t query);

/* "[unreachable]" for UNREACHABLE_GROUP. */
const char *chain_type_name(const struct hd_snapshot *snap, uint32_t type);

bool chain_has_program(const struct chain_search *s, uint32_t type);

/* A chain from its owner down as one number: a polynomial in the hashes of the names, so
 * that of a part follows from those of two beginnings. The name decides, not the number
 * that a snapshot gives the type. */
#define CHAIN_HASH_BASE 0x9E3779B97F4A7C15u
uint64_t chain_hash_more(uint64_t before, const char *name);

/* The same for a field that parts chains, before the type that it leads to. */
uint64_t chain_hash_field(const struct chain_search *s, uint64_t before, field_id field);
uint64_t chain_hash_end(uint64_t hash, bool has_owner, bool unreachable);

/* Of count among the samples of all. */
void chain_set_share(struct hd_chain *c, const struct chains *all);

/* For qsort: by count, descending; then by signature. */
int chain_by_count(const void *a, const void *b);

/* The fields of frames of a chain that ends at n: its elements are those of s. */
void chain_name_fields(struct hd_chain *c, const struct chain_search *s, size_t query,
                       node_id n);

/* Replace the sampled answers by exact ones; the samples keep giving the repeats. False:
 * there are more than most chains (0: any number). */
bool exact_chains(struct chains *answers, const struct chain_search *s, size_t most,
                  struct arena *a);

/* The 95 % Wilson interval of k of n > 0. E. B. Wilson, Probable inference, JASA 22
 * (1927). */
void wilson_interval(uint64_t k, uint64_t n, double *low, double *high);

/* --- owners of single objects ------------------------------------------------- */

/* Who owns single objects: the owner of the chain of each, as chains of a
 * sample have it (chain_owner.h).
 *
 * Objects of one folded chain have one owner, so a chain is looked at once however many
 * objects it leads to. */

struct node_owner {
    type_id type; /* NO_TYPE: none */
    enum hd_service service;
};

/* Of each of these nodes. O(nodes above them + chains), 4 bytes per node of the graph and
 * some 50 per chain. False: there are more than most chains (0: any number). */
bool node_owners_find(struct node_owner *owners, const node_id *nodes, size_t count,
                      const struct hd_snapshot *snap, const struct walk *walk,
                      const chain_role *role_of_type, size_t most);

#endif
