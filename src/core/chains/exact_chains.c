/* All instances instead of a sample: each chain with how many have it,
 * and those that are the same from their owner down put together. */
#include "base/arrays.h"
#include "chains/chain_owner.h"
#include "chains/chains.h"
#include "chains/walk.h"

#include <stdlib.h>

/* --- the chains of all ---------------------------------------------------------- */

/* Find the folded chains of all objects in one pass.
 *
 * The chain of an object is that of its parent with one type more, folded as in
 * signature.h. Folding only drops the end again, so every chain is a node of a tree of
 * chains and each object takes constant time. That makes exact counts as cheap as a walk;
 * tracing every object separately would be quadratic on a list. */

#define NO_CHAIN UINT32_MAX

struct chain_index {
    uint32_t *of_node; /* chain of each node, itself included; NO_CHAIN for the root */
    uint32_t *parent;  /* of each chain: one element less; NO_CHAIN for the empty one, 0 */
    uint32_t *type;    /* its last element */
    uint32_t *length;
    field_id *by; /* the field that leads to it; NULL: they part no chains */
    size_t len, cap;
};

struct chain_index_question {
    const struct hd_snapshot *snap;
    const struct walk *walk;
    const field_id *field_of; /* by node (walk.h): separates chains that differ only in
                                 fields; NULL: does not */
    const node_id *nodes;     /* only these nodes and their ancestors; NULL: all nodes */
    size_t count;
    size_t most; /* limit of chains (0: any number); exceeding it stops, with len > most */
};

struct indexer {
    struct chain_index *x;
    struct pair_table children;
    struct pair_table steps; /* a number for each type and field that leads to it */
    uint32_t step_count;
};

static uint32_t add_chain(struct chain_index *x, uint32_t parent, uint32_t type,
                          field_id by)
{
    if (x->len == x->cap) {
        x->cap = x->cap > 0 ? array_bytes(x->cap, 2) : 1024;
        x->parent = alloc_resize(x->parent, array_bytes(x->cap, sizeof(*x->parent)));
        x->type = alloc_resize(x->type, array_bytes(x->cap, sizeof(*x->type)));
        x->length = alloc_resize(x->length, array_bytes(x->cap, sizeof(*x->length)));
        if (x->by != NULL)
            x->by = alloc_resize(x->by, array_bytes(x->cap, sizeof(*x->by)));
    }
    if (x->by != NULL)
        x->by[x->len] = by;
    x->parent[x->len] = parent;
    x->type[x->len] = type;
    x->length[x->len] = parent != NO_CHAIN ? x->length[parent] + 1 : 0;
    return (uint32_t)x->len++;
}

/* Compares the two halves of the last 2p elements with the new type. If they are equal, the
 * chain is the one that ends with the first half. */
static uint32_t folded(const struct chain_index *x, uint32_t chain, uint32_t type,
                       field_id by, uint32_t p)
{
    if (x->length[chain] + 1 < 2 * p)
        return NO_CHAIN;
    uint32_t last[2 * SIGNATURE_PERIODS], at = chain, half = chain;
    field_id fields[2 * SIGNATURE_PERIODS] = {by};
    last[0] = type;
    for (uint32_t i = 1; i < 2 * p; i++, at = x->parent[at]) {
        last[i] = x->type[at];
        fields[i] = x->by != NULL ? x->by[at] : by;
        if (i < p)
            half = x->parent[at];
    }
    for (uint32_t i = 0; i < p; i++)
        if (last[i] != last[i + p] || (x->by != NULL && fields[i] != fields[i + p]))
            return NO_CHAIN;
    return half;
}

static uint32_t step_of(struct indexer *in, uint32_t type, field_id by)
{
    if (in->x->by == NULL)
        return type;
    uint32_t step = pair_table_put(&in->steps, type, by, in->step_count);
    in->step_count += step == in->step_count;
    return step;
}

static uint32_t extend(struct indexer *in, uint32_t chain, uint32_t type, field_id by)
{
    struct chain_index *x = in->x;
    for (uint32_t p = 1; p <= SIGNATURE_PERIODS; p++) {
        uint32_t same = folded(x, chain, type, by, p);
        if (same != NO_CHAIN)
            return same;
    }
    uint32_t next = (uint32_t)x->len;
    uint32_t found = pair_table_put(&in->children, chain, step_of(in, type, by), next);
    return found == next ? add_chain(x, chain, type, by) : found;
}

struct chain_index_builder {
    const struct chain_index_question *ask;
    struct indexer in;
    uint32_t unreachable; /* the chain of unreachable objects */
    node_id *up;          /* nodes whose chains need that of their parent first */
    size_t cap;
};

/* Finds the chain of a node, after those of its ancestors. */
static void index_node(struct chain_index_builder *b, node_id n, size_t most)
{
    const struct graph *g = b->ask->snap->graph;
    const struct walk *walk = b->ask->walk;
    struct chain_index *x = b->in.x;
    size_t depth = 0;
    for (node_id at = n; at != NO_NODE && at != g->root && x->of_node[at] == NO_CHAIN;
         at = walk->parent[at]) {
        b->up = grow(b->up, depth, &b->cap, sizeof(*b->up));
        b->up[depth++] = at;
    }
    while (depth > 0 && x->len <= most) {
        node_id at = b->up[--depth], above = walk->parent[at];
        uint32_t chain = above == NO_NODE   ? b->unreachable
                         : above == g->root ? 0
                                            : x->of_node[above];
        x->of_node[at] = extend(&b->in, chain, g->type[at],
                                b->ask->field_of != NULL ? b->ask->field_of[at] : NO_FIELD);
    }
}

/* O(nodes), 4 bytes per node and 12 to 16 per chain. */
static struct chain_index chain_index_build(const struct chain_index_question *ask)
{
    const struct graph *g = ask->snap->graph;
    struct chain_index x = {0};
    struct chain_index_builder b = {.ask = ask, .in = {.x = &x}};
    x.of_node = alloc_unknown((size_t)g->node_count + 1);
    if (ask->field_of != NULL)
        x.by = alloc_resize(NULL, sizeof(*x.by));
    add_chain(&x, NO_CHAIN, 0, NO_FIELD);
    b.unreachable = extend(&b.in, 0, UNREACHABLE_GROUP, NO_FIELD);
    size_t count = ask->nodes != NULL ? ask->count : g->node_count;
    size_t most = ask->most > 0 ? ask->most : SIZE_MAX;
    for (size_t i = 0; i < count && x.len <= most; i++)
        index_node(&b, ask->nodes != NULL ? ask->nodes[i] : (node_id)i, most);
    free(b.up);
    pair_table_free(&b.in.children);
    pair_table_free(&b.in.steps);
    return x;
}

static void chain_index_free(struct chain_index *x)
{
    free(x->of_node);
    free(x->parent);
    free(x->type);
    free(x->length);
    free(x->by);
    *x = (struct chain_index){0};
}

/* --- how many have each ----------------------------------------------------------- */

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
    /* The root of all, if that is an object, has no owner. */
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

/* With fields each element is two letters, its field and its type; an owner's own field is
 * left out, since it refers to the owner from above. */
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

/* Merges chains that differ only above their owner into the most frequent one. */
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

/* Returns the frame of an element; HD_NO_OWNER if it was left out. */
static size_t frame_of_element(const struct hd_chain *c, size_t element)
{
    if (c->frames_skipped == 0 || element < c->skipped_at)
        return element;
    size_t after = c->skipped_at + c->frames_skipped;
    return element >= after ? element - c->frames_skipped : HD_NO_OWNER;
}

/* Builds the frames of a chain without a sample, without repeats. */
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

/* --- who owns single objects ------------------------------------------------------ */

struct node_owners_search {
    const struct chain_index *x;
    const chain_role *role_of_type;
    const bool *is_singleton;
    struct signature signature; /* of the current chain */
};

static struct node_owner owner_of_chain(struct node_owners_search *s, uint32_t chain)
{
    /* Only its last elements, up to the maximum of a chain: an owner is the nearest. */
    const struct chain_index *x = s->x;
    struct signature *to = &s->signature;
    to->len = x->length[chain] < CHAIN_MAX_ELEMENTS ? x->length[chain] : CHAIN_MAX_ELEMENTS;
    for (size_t i = to->len; i-- > 0; chain = x->parent[chain])
        to->all[i].type = x->type[chain];
    size_t at = owner_in_signature(&s->signature, s->role_of_type, NO_TYPE);
    if (at == HD_NO_OWNER)
        return (struct node_owner){NO_TYPE, HD_SERVICE_NONE};
    return (struct node_owner){
        s->signature.all[at].type,
        owner_service(&s->signature, at, s->role_of_type, s->is_singleton)};
}

static void find_all(struct node_owners_search *s, struct node_owner *owners,
                     const node_id *nodes, size_t count)
{
    const struct chain_index *x = s->x;
    struct node_owner *known = alloc_zeroed(array_bytes(x->len, sizeof(*known)));
    uint64_t *is_known = bits_new(x->len);
    for (size_t i = 0; i < count; i++) {
        uint32_t chain = x->of_node[nodes[i]];
        owners[i] = (struct node_owner){NO_TYPE, HD_SERVICE_NONE};
        if (chain == NO_CHAIN)
            continue;
        if (bits_add(is_known, chain))
            known[chain] = owner_of_chain(s, chain);
        owners[i] = known[chain];
    }
    free(is_known);
    free(known);
}

bool node_owners_find(struct node_owner *owners, const node_id *nodes, size_t count,
                      const struct hd_snapshot *snap, const struct walk *walk,
                      const chain_role *role_of_type, size_t most)
{
    struct arena scratch = {0};
    struct chain_index x = chain_index_build(&(struct chain_index_question){
        .snap = snap, .walk = walk, .nodes = nodes, .count = count, .most = most});
    bool fits = most == 0 || x.len <= most;
    struct node_owners_search s = {.x = &x, .role_of_type = role_of_type};
    if (fits) {
        s.is_singleton = owner_singletons(snap, role_of_type, &scratch);
        s.signature.all =
            arena_array(&scratch, struct signature_element, CHAIN_MAX_ELEMENTS);
        find_all(&s, owners, nodes, count);
    }
    chain_index_free(&x);
    arena_free(&scratch);
    return fits;
}
