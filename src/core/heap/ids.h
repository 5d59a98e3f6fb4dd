/* ids.h - maps 64-bit ids to small numbers.
 *
 * Text and trace formats name objects by handles or addresses: dense in practice, anything
 * in a hostile file. Here they are numbered in order of appearance, to index flat arrays.
 * Their range and number need not be known in advance. Must not depend on what the ids
 * mean. */
#ifndef IDS_H
#define IDS_H

#include "base/arena.h"
#include "heap/graph.h"

/* "Not there"; the numbers end one below it. */
#define NO_ID UINT32_MAX

/* Some thousands of ids, numbered from 0 in order of first use: types, blocks.
 * Costs 16 to 24 bytes per id. A {0} is empty. */
struct id_numbers {
    uint64_t *ids; /* by number */
    size_t len, cap;
    uint32_t *slots; /* number + 1, or 0; open addressing, at most half full */
    size_t slot_count;
    struct account *account; /* charged for all memory; may be NULL */
};

/* Returns the number of id, adding it if it is new. At most 2^32 - 2 ids. */
uint32_t id_numbers_add(struct id_numbers *n, uint64_t id);

/* NO_ID if the id is not present. */
uint32_t id_numbers_find(const struct id_numbers *n, uint64_t id);
void id_numbers_free(struct id_numbers *n);

/* For millions of objects: a bit per id, in blocks of 512 ids that exist only where ids
 * are, and the number of bits before each word. An id costs 0.2 to 2 bytes if every tenth
 * number is used, and never more than some 150. Ids out of order cost 8 bytes more, 4 after
 * ids_freeze(). */
struct ids {
    unsigned shift;
    uint32_t len;
    struct id_numbers keys; /* of blocks */
    struct id_block *blocks;
    size_t block_cap;
    uint64_t last_key; /* of the last block used; the same for most ids */
    uint32_t last_block;
    uint64_t last_place;
    uint64_t *places; /* place of each id, by position; NULL while they ascend */
    size_t place_cap;
    uint32_t *position; /* of each id, by rank; NULL: the rank is the position */
    struct id_directory *directory; /* of blocks, once frozen; NULL for few blocks */
};

/* Ids are mostly multiples of 2^shift (0 to 63): 0 for handles, 3 for addresses of a 64-bit
 * heap. Others still work, in blocks of their own. */
void ids_init(struct ids *s, unsigned shift);

/* Charges account for all memory from now on. Must be called before the first id. */
static inline void ids_charge_to(struct ids *s, struct account *account)
{
    s->keys.account = account;
}

/* Appends id. False if it is there already. The caller stops at 2^32 - 2 ids. */
bool ids_add(struct ids *s, uint64_t id);

/* Ends adding; enables ids_find(). O(len). */
void ids_freeze(struct ids *s);

/* Returns the position of id, from 0 in order of ids_add(); NO_ID if it is not there. */
uint32_t ids_find(const struct ids *s, uint64_t id);
void ids_free(struct ids *s);

#endif
