/* The rank of a bit (the number of bits before it) is found as in S. Vigna, "Broadword
 * Implementation of Rank/Select Queries", 2008 (rank9): one sum per block, seven 9-bit sums
 * in one word inside it, one population count. */
#include "heap/ids.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>

enum { BLOCK_BITS = 9, BLOCK_IDS = 1 << BLOCK_BITS, BLOCK_WORDS = BLOCK_IDS / 64 };

struct id_block {
    uint64_t bits[BLOCK_WORDS];
    uint64_t within; /* bits before word w > 0, at bit 9 * (w - 1) */
    uint32_t before; /* bits in the blocks before this one */
};

/* Blocks by key without a hash, for keys around the median: pages of a heap are adjacent.
 * Other keys are looked up in the hash table. */
enum { PAGE_BITS = 10, PAGE = 1 << PAGE_BITS, PAGES = 1 << 16, FEW_BLOCKS = 4096 };

struct id_directory {
    uint64_t first;       /* page */
    uint32_t page[PAGES]; /* its number + 1; 0: no block has such a key */
    uint32_t page_count;
    uint32_t *blocks; /* block + 1, or 0 */
};

/* --- id_numbers ---------------------------------------------------------- */

/* Returns either the slot of id or the free one for it. */
static size_t find_slot(const struct id_numbers *n, uint64_t id)
{
    size_t mask = n->slot_count - 1;
    size_t i = (size_t)XXH3_64bits_withSeed(&id, sizeof(id), hash_seed()) & mask;
    while (n->slots[i] != 0 && n->ids[n->slots[i] - 1] != id)
        i = (i + 1) & mask;
    return i;
}

uint32_t id_numbers_add(struct id_numbers *n, uint64_t id)
{
    if (n->len >= n->slot_count / 2) {
        enum { FIRST_SLOTS = 32 };
        account_free(n->account, n->slots, n->slot_count, sizeof(*n->slots));
        n->slot_count = n->slot_count > 0 ? array_bytes(n->slot_count, 2) : FIRST_SLOTS;
        n->slots = alloc_zeroed(array_bytes(n->slot_count, sizeof(*n->slots)));
        account_charge(n->account, (uint64_t)n->slot_count * sizeof(*n->slots));
        for (size_t i = 0; i < n->len; i++)
            n->slots[find_slot(n, n->ids[i])] = (uint32_t)i + 1;
    }
    size_t slot = find_slot(n, id);
    if (n->slots[slot] == 0) {
        *ACCOUNT_APPEND(n->account, n->ids, n->len, n->cap) = id;
        n->slots[slot] = (uint32_t)n->len;
    }
    return n->slots[slot] - 1;
}

uint32_t id_numbers_find(const struct id_numbers *n, uint64_t id)
{
    uint32_t found = n->len > 0 ? n->slots[find_slot(n, id)] : 0;
    return found > 0 ? found - 1 : NO_ID;
}

void id_numbers_free(struct id_numbers *n)
{
    account_free(n->account, n->ids, n->cap, sizeof(*n->ids));
    account_free(n->account, n->slots, n->slot_count, sizeof(*n->slots));
    *n = (struct id_numbers){.account = n->account};
}

/* --- ids ----------------------------------------------------------------- */

void ids_init(struct ids *s, unsigned shift)
{
    *s = (struct ids){.shift = shift};
}

/* Rotated, not shifted: the low bits still distinguish ids. */
static uint64_t rotate(const struct ids *s, uint64_t id)
{
    return s->shift > 0 ? id >> s->shift | id << (64 - s->shift) : id;
}

static uint32_t use_block(struct ids *s, uint64_t key)
{
    if (s->len > 0 && key == s->last_key)
        return s->last_block;
    size_t blocks = s->keys.len;
    uint32_t block = id_numbers_add(&s->keys, key);
    if (block == blocks) {
        s->blocks = account_grow(s->keys.account, s->blocks, blocks, &s->block_cap,
                                 sizeof(*s->blocks));
        s->blocks[block] = (struct id_block){0};
    }
    s->last_key = key;
    s->last_block = block;
    return block;
}

/* As long as ids ascend, the bits give the order. Stores it before the first id that does
 * not. */
static void list_places(struct ids *s)
{
    size_t len = 0;
    for (size_t block = 0; block < s->keys.len; block++)
        for (unsigned w = 0; w < BLOCK_WORDS; w++)
            for (uint64_t bits = s->blocks[block].bits[w]; bits != 0; bits &= bits - 1) {
                unsigned bit = w * 64 + (unsigned)__builtin_ctzll(bits);
                *ACCOUNT_APPEND(s->keys.account, s->places, len, s->place_cap) =
                    (uint64_t)block << BLOCK_BITS | bit;
            }
    assert(len == s->len);
}

bool ids_add(struct ids *s, uint64_t id)
{
    assert(s->len < NO_ID);
    uint64_t rotated = rotate(s, id);
    uint32_t block = use_block(s, rotated >> BLOCK_BITS);
    uint64_t *word = &s->blocks[block].bits[rotated % BLOCK_IDS / 64];
    uint64_t bit = 1ULL << rotated % 64;
    if (*word & bit)
        return false;
    uint64_t place = (uint64_t)block << BLOCK_BITS | rotated % BLOCK_IDS;
    if (place < s->last_place && s->places == NULL)
        list_places(s);
    if (s->places != NULL) {
        s->places = account_grow(s->keys.account, s->places, s->len, &s->place_cap,
                                 sizeof(*s->places));
        s->places[s->len] = place;
    }
    *word |= bit;
    s->last_place = place;
    s->len++;
    return true;
}

static uint32_t rank(const struct id_block *b, unsigned at)
{
    unsigned w = at / 64;
    uint64_t earlier = b->bits[w] & ((1ULL << at % 64) - 1);
    uint64_t words_before = w > 0 ? b->within >> BLOCK_BITS * (w - 1) & (BLOCK_IDS - 1) : 0;
    return b->before + (uint32_t)words_before + (uint32_t)__builtin_popcountll(earlier);
}

static bool is_in(const struct id_directory *d, uint64_t key, uint64_t *page)
{
    *page = (key >> PAGE_BITS) - d->first;
    return *page < PAGES;
}

static uint64_t directory_size(const struct id_directory *d)
{
    return sizeof(*d) + (uint64_t)d->page_count * PAGE * sizeof(*d->blocks);
}

/* Four entries per block at most, so that no file can make it large. */
static void make_directory(struct ids *s)
{
    if (s->keys.len < FEW_BLOCKS)
        return;
    struct id_directory *d = alloc_zeroed(sizeof(*d));
    uint64_t middle = s->keys.ids[s->keys.len / 2] >> PAGE_BITS, page;
    d->first = middle > PAGES / 2 ? middle - PAGES / 2 : 0;
    for (size_t i = 0; i < s->keys.len; i++)
        if (is_in(d, s->keys.ids[i], &page) && d->page[page] == 0)
            d->page[page] = ++d->page_count;
    if ((uint64_t)d->page_count * PAGE > 4 * (uint64_t)s->keys.len) {
        free(d);
        return;
    }
    d->blocks = alloc_zeroed(array_bytes((size_t)d->page_count * PAGE, sizeof(*d->blocks)));
    for (size_t i = 0; i < s->keys.len; i++)
        if (is_in(d, s->keys.ids[i], &page))
            d->blocks[(size_t)(d->page[page] - 1) * PAGE + s->keys.ids[i] % PAGE] =
                (uint32_t)i + 1;
    s->directory = d;
    account_charge(s->keys.account, directory_size(d));
}

static uint32_t find_block(const struct ids *s, uint64_t key)
{
    const struct id_directory *d = s->directory;
    uint64_t page;
    if (d == NULL || !is_in(d, key, &page))
        return id_numbers_find(&s->keys, key);
    uint32_t number = d->page[page];
    return number > 0 ? d->blocks[(size_t)(number - 1) * PAGE + key % PAGE] - 1 : NO_ID;
}

void ids_freeze(struct ids *s)
{
    uint32_t before = 0;
    for (size_t i = 0; i < s->keys.len; i++) {
        struct id_block *b = &s->blocks[i];
        uint64_t sum = 0;
        b->before = before;
        b->within = 0;
        for (unsigned w = 0; w < BLOCK_WORDS; w++) {
            if (w > 0)
                b->within |= sum << BLOCK_BITS * (w - 1);
            sum += (uint64_t)__builtin_popcountll(b->bits[w]);
        }
        before += (uint32_t)sum;
    }
    make_directory(s);
    if (s->places == NULL)
        return;
    s->position = alloc_resize(NULL, array_bytes(s->len, sizeof(*s->position)));
    account_charge(s->keys.account, (uint64_t)s->len * sizeof(*s->position));
    for (uint32_t i = 0; i < s->len; i++) {
        uint64_t place = s->places[i];
        s->position[rank(&s->blocks[place >> BLOCK_BITS], place % BLOCK_IDS)] = i;
    }
    account_free(s->keys.account, s->places, s->place_cap, sizeof(*s->places));
    s->places = NULL;
    s->place_cap = 0;
}

uint32_t ids_find(const struct ids *s, uint64_t id)
{
    uint64_t rotated = rotate(s, id);
    uint32_t block = find_block(s, rotated >> BLOCK_BITS);
    if (block == NO_ID)
        return NO_ID;
    const struct id_block *b = &s->blocks[block];
    unsigned at = rotated % BLOCK_IDS;
    if (!(b->bits[at / 64] >> at % 64 & 1))
        return NO_ID;
    uint32_t r = rank(b, at);
    return s->position != NULL ? s->position[r] : r;
}

void ids_free(struct ids *s)
{
    struct account *account = s->keys.account;
    if (s->directory != NULL) {
        account_release(s->keys.account, directory_size(s->directory));
        free(s->directory->blocks);
        free(s->directory);
    }
    id_numbers_free(&s->keys);
    account_free(account, s->blocks, s->block_cap, sizeof(*s->blocks));
    account_free(account, s->places, s->place_cap, sizeof(*s->places));
    account_free(account, s->position, s->position != NULL ? s->len : 0,
                 sizeof(*s->position));
    *s = (struct ids){.shift = s->shift, .keys = {.account = account}};
}
