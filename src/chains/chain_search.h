/* chain_search.h - what the two ways of finding chains share: chains.c looks at a sample,
 * exact_chains.c at all instances. Both must call the same chain the same. */
#ifndef CHAIN_SEARCH_H
#define CHAIN_SEARCH_H

#include "chains/chains.h"
#include "chains/walk.h"

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

#endif
