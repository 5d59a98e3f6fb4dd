/* All instances instead of a sample: each chain with how many have it,
 * and those that are the same from their owner down put together. */
#include "base/pair_table.h"
#include "chains/chain_index.h"
#include "chains/chains.h"
#include "chains/walk.h"

#include <stdlib.h>

/* How many instances of each question have each chain; then, of each that is the same
 * from its owner down. */
struct tally_of_chain {
    uint32_t query, chain;
    uint32_t owner; /* the chain that ends at it, or NO_CHAIN */
    uint64_t count, hash;
    node_id example;
};

struct exact {
    struct chain_index index;
    unsigned char *kind; /* enum hd_root_kind of each chain */
    struct tally_of_chain *all;
    size_t len, cap;
};

/* The kind of root of each chain, from that of the one it extends. */
static unsigned char *kinds_of(const struct hd_snapshot *snap, const struct chain_index *x)
{
    unsigned char *kind = alloc_zeroed(x->len + 1);
    kind[0] = HD_ROOT_OTHER;
    for (size_t c = 1; c < x->len; c++) {
        enum hd_root_kind above = (enum hd_root_kind)kind[x->parent[c]];
        kind[c] = (unsigned char)above;
        if (x->type[c] == UNREACHABLE_GROUP)
            kind[c] = HD_ROOT_UNREACHABLE;
        else if (above != HD_ROOT_UNREACHABLE &&
                 snap->types[x->type[c]].kind == TYPE_PSEUDO)
            kind[c] = (unsigned char)root_kind_below(snap->types[x->type[c]].name, above);
    }
    return kind;
}

static struct exact count_all(const struct chain_search *s, size_t most)
{
    const struct hd_snapshot *snap = s->snap;
    struct exact e = {.index = chain_index_build(&(struct chain_index_question){
                          .snap = snap,
                          .walk = s->walk,
                          .field_of = s->parts ? s->field_of : NULL,
                          .most = most})};
    struct pair_table slots = {0};
    if (most > 0 && e.index.len > most)
        return e;
    e.kind = kinds_of(snap, &e.index);
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        uint32_t q = chain_query_of(snap, s->ask, n);
        if (q == 0)
            continue;
        uint32_t chain = n == snap->graph->root ? 0 : e.index.of_node[n];
        e.all = grow(e.all, e.len, &e.cap, sizeof(*e.all));
        uint32_t at = pair_table_put(&slots, q, chain, (uint32_t)e.len);
        if (at == e.len)
            e.all[e.len++] =
                (struct tally_of_chain){.query = q - 1, .chain = chain, .example = n};
        e.all[at].count++;
    }
    pair_table_free(&slots);
    return e;
}

/* For every chain: its nearest element that may own what is below, and the nearest of
 * another type than that one, each as the chain that ends there. */
struct exact_chains_nearest {
    uint32_t *any, *other, *wanted;
    type_id wanted_type; /* that wanted is of */
};

static void roles_at(const struct chain_index *x, uint32_t chain, const chain_role *roles,
                     chain_role window[ROLE_WINDOW])
{
    for (size_t up = 0; up < ROLE_WINDOW; up++) {
        bool is_type = chain != 0 && x->type[chain] != UNREACHABLE_GROUP;
        window[up] = is_type ? roles[x->type[chain]] : 0;
        chain = chain != 0 ? x->parent[chain] : 0;
    }
}

static uint32_t of_other_type(const struct chain_index *x,
                              const struct exact_chains_nearest *near, uint32_t chain,
                              uint32_t type)
{
    uint32_t any = near->any[chain];
    return any != NO_CHAIN && x->type[any] == type ? near->other[chain] : any;
}

static struct exact_chains_nearest
find_nearest(const struct chain_search *s, const struct chain_index *x, struct arena *a)
{
    struct exact_chains_nearest near = {arena_array(a, uint32_t, x->len),
                                        arena_array(a, uint32_t, x->len),
                                        arena_array(a, uint32_t, x->len), NO_TYPE};
    near.any[0] = near.other[0] = NO_CHAIN;
    for (uint32_t c = 1; c < x->len; c++) {
        chain_role window[ROLE_WINDOW];
        uint32_t above = x->parent[c];
        roles_at(x, c, s->ask->role_of_type, window);
        bool stands = owner_stands_at(window);
        near.any[c] = stands ? c : near.any[above];
        near.other[c] =
            stands ? of_other_type(x, &near, above, x->type[c]) : near.other[above];
    }
    return near;
}

static void find_wanted(const struct chain_index *x, struct exact_chains_nearest *near,
                        type_id wanted)
{
    if (wanted == near->wanted_type)
        return;
    near->wanted_type = wanted;
    near->wanted[0] = NO_CHAIN;
    for (uint32_t c = 1; c < x->len; c++)
        near->wanted[c] = x->type[c] == wanted ? c : near->wanted[x->parent[c]];
}

/* The same answers as owner_in_signature(). */
static uint32_t owner_of(const struct chain_search *s, const struct chain_index *x,
                         struct exact_chains_nearest *near, const struct tally_of_chain *t)
{
    chain_role window[ROLE_WINDOW];
    /* The root of all, where that is an object: nothing stands above it. */
    if (t->chain == 0)
        return NO_CHAIN;
    type_id wanted = chain_owner_wanted(s, t->query);
    uint32_t above = x->parent[t->chain], owner = NO_CHAIN;
    roles_at(x, t->chain, s->ask->role_of_type, window);
    if (window[0] & ROLE_TIMER)
        return t->chain;
    if (wanted != NO_TYPE) {
        find_wanted(x, near, wanted);
        owner = near->wanted[above];
    }
    return owner != NO_CHAIN ? owner : of_other_type(x, near, above, x->type[t->chain]);
}

/* With fields each element is two letters, its field and its type; of an owner its field is
 * left out, as it stands above. */
static void hash_tallies(const struct chain_search *s, struct exact *e)
{
    const struct chain_index *x = &e->index;
    uint64_t *prefix = alloc_zeroed(array_bytes(x->len, sizeof(*prefix)));
    uint64_t *above = alloc_zeroed(array_bytes(x->len, sizeof(*above)));
    uint64_t *power = alloc_zeroed(array_bytes(x->len + 1, sizeof(*power)));
    const uint64_t letters = s->parts ? CHAIN_HASH_BASE * CHAIN_HASH_BASE : CHAIN_HASH_BASE;
    power[0] = 1;
    for (size_t c = 1; c < x->len; c++) {
        above[c] = prefix[x->parent[c]];
        if (x->parent[c] != 0)
            above[c] = chain_hash_field(s, above[c], x->by != NULL ? x->by[c] : NO_FIELD);
        prefix[c] = chain_hash_more(above[c], chain_type_name(s->snap, x->type[c]));
        power[c] = power[c - 1] * letters;
    }
    for (size_t i = 0; i < e->len; i++) {
        struct tally_of_chain *t = &e->all[i];
        uint64_t hash = prefix[t->chain];
        if (t->owner != NO_CHAIN)
            hash -= above[t->owner] * CHAIN_HASH_BASE *
                    power[x->length[t->chain] - x->length[t->owner]];
        t->hash = chain_hash_end(hash, t->owner != NO_CHAIN,
                                 e->kind[t->chain] == HD_ROOT_UNREACHABLE);
    }
    free(prefix);
    free(above);
    free(power);
}

static int by_query_and_hash(const void *a, const void *b)
{
    const struct tally_of_chain *x = a, *y = b;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->chain > y->chain) - (x->chain < y->chain);
}

/* Chains that differ above their owner only become one, the most frequent of them. */
static void merge_below_owners(const struct chain_search *s, struct exact *e)
{
    struct arena scratch = {0};
    struct exact_chains_nearest near = {0};
    if (s->ask->role_of_type != NULL)
        near = find_nearest(s, &e->index, &scratch);
    for (size_t i = 0; i < e->len; i++)
        e->all[i].owner =
            near.any != NULL ? owner_of(s, &e->index, &near, &e->all[i]) : NO_CHAIN;
    arena_free(&scratch);
    hash_tallies(s, e);
    if (e->len > 0)
        qsort(e->all, e->len, sizeof(*e->all), by_query_and_hash);
    size_t len = 0;
    for (size_t i = 0; i < e->len; i++) {
        const struct tally_of_chain *t = &e->all[i];
        bool same =
            len > 0 && e->all[len - 1].query == t->query && e->all[len - 1].hash == t->hash;
        if (same)
            e->all[len - 1].count += t->count;
        else
            e->all[len++] = *t;
    }
    e->len = len;
}

static int by_query_and_count(const void *a, const void *b)
{
    const struct tally_of_chain *x = a, *y = b;
    if (x->query != y->query)
        return x->query < y->query ? -1 : 1;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->chain > y->chain) - (x->chain < y->chain);
}

static const struct hd_chain *with_hash(const struct chains *c, uint64_t hash)
{
    for (size_t i = 0; i < c->len; i++)
        if (c->all[i].hash == hash)
            return &c->all[i];
    return NULL;
}

/* Where an element is; HD_NO_OWNER if it was left out. */
static size_t frame_of_element(const struct hd_chain *c, size_t element)
{
    if (c->frames_skipped == 0 || element < c->skipped_at)
        return element;
    size_t behind = c->skipped_at + c->frames_skipped;
    return element >= behind ? element - c->frames_skipped : HD_NO_OWNER;
}

/* A chain that no sample has: its frames without repeats. */
static void frames_of_index(struct hd_chain *c, const struct chain_search *s,
                            const struct chain_index *x, const struct tally_of_chain *t,
                            struct arena *a)
{
    uint32_t chain = t->chain;
    size_t length = x->length[chain], most = CHAIN_MAX_ELEMENTS;
    c->frame_count = length < most ? length : most;
    c->frames_skipped = length - c->frame_count;
    c->skipped_at = c->frames_skipped > 0 ? CHAIN_HEAD_ELEMENTS : 0;
    c->frames = arena_array(a, struct hd_frame, c->frame_count);
    for (size_t i = c->frame_count; i-- > 0; chain = x->parent[chain]) {
        for (size_t up = 0; i + 1 == c->skipped_at && up < c->frames_skipped; up++)
            chain = x->parent[chain];
        c->frames[i] =
            (struct hd_frame){.types = {chain_type_name(s->snap, x->type[chain])},
                              .type_count = 1,
                              .repeat_min = 1,
                              .repeat_max = 1,
                              .generation = HD_GEN_UNKNOWN,
                              .is_program = chain_has_program(s, x->type[chain])};
    }
    if (s->field_of != NULL)
        chain_name_fields(c, s, t->query, t->example);
    if (t->owner != NO_CHAIN)
        c->owner_frame = frame_of_element(c, x->length[t->owner] - 1);
    if (c->owner_frame == HD_NO_OWNER)
        return;
    chain_role window[ROLE_WINDOW];
    uint32_t type = x->type[t->owner];
    roles_at(x, t->owner, s->ask->role_of_type, window);
    c->owner = chain_type_name(s->snap, type);
    c->service = s->is_singleton != NULL && s->is_singleton[type] ? HD_SERVICE_SINGLETON
                 : owner_is_service(window)                       ? HD_SERVICE_HELD
                                                                  : HD_SERVICE_NONE;
}

static void make_exact(struct chains *answers, const struct chain_search *s,
                       struct exact *e, struct arena *a)
{
    if (e->len > 0)
        qsort(e->all, e->len, sizeof(*e->all), by_query_and_count);
    for (size_t begin = 0, end; begin < e->len; begin = end) {
        struct chains *answer = &answers[e->all[begin].query], sampled = *answer;
        for (end = begin; end < e->len && e->all[end].query == e->all[begin].query;)
            end++;
        answer->len = end - begin;
        answer->samples = answer->instances;
        answer->all = arena_array(a, struct hd_chain, answer->len);
        for (size_t i = 0; i < answer->len; i++) {
            const struct tally_of_chain *t = &e->all[begin + i];
            struct hd_chain *c = &answer->all[i];
            bool common = i < CHAINS_WITH_FRAMES;
            const struct hd_chain *known = common ? with_hash(&sampled, t->hash) : NULL;
            *c = known != NULL
                     ? *known
                     : (struct hd_chain){.example = t->example,
                                         .owner_frame = HD_NO_OWNER,
                                         .kind = (enum hd_root_kind)e->kind[t->chain]};
            c->hash = t->hash;
            c->count = t->count;
            if (known == NULL && common)
                frames_of_index(c, s, &e->index, t, a);
            chain_set_share(c, answer);
        }
        qsort(answer->all, answer->len, sizeof(*answer->all), chain_by_count);
    }
}

bool exact_chains(struct chains *answers, const struct chain_search *s, size_t most,
                  struct arena *a)
{
    struct exact e = count_all(s, most);
    bool fits = most == 0 || e.index.len <= most;
    if (fits) {
        merge_below_owners(s, &e);
        make_exact(answers, s, &e, a);
    }
    chain_index_free(&e.index);
    free(e.kind);
    free(e.all);
    return fits;
}
