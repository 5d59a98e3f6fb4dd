/* Objects with the same types above them are equivalent, so bytes are summed by place: a
 * path of types along dominators. There are thousands of places for millions of objects,
 * and the size retained by a single instance is never needed. If there are nearly as many
 * places as objects, each object is a place of its own. */
#include "owners/retained.h"

#include "base/arrays.h"
#include "heap/snapshot.h"
#include "owners/dominators.h"

#include <stdlib.h>
#include <string.h>

/* Places, or objects: parents have smaller numbers; 0 is the root. */
struct tree {
    uint32_t *parent;
    type_id *type;   /* NO_TYPE for pseudo-nodes */
    uint64_t *bytes; /* of the objects at a place; then, with those below */
    size_t len;
};

/* --- places ---------------------------------------------------------------------- */

/* Places are looked up by parent and type, usually by a recent pair: the latest answers are
 * in a table that remains in the cache. */
enum { ANSWER_BITS = 13, FOLD_DEPTH = 8, AHEAD = 16 };

struct retained_answer {
    uint32_t above;
    type_id type;
    uint32_t kind, place;
};

/* Objects of a type below a place, and their own place. */
struct retained_kind {
    uint32_t place;
    uint64_t bytes;
};

struct retained_places {
    struct tree tree;
    size_t parent_cap, type_cap;
    struct retained_kind *kinds;
    size_t kind_count, kind_cap;
    struct pair_table found;         /* the kind of a place and a type */
    struct retained_answer *answers; /* 1 << ANSWER_BITS */
};

static uint32_t add_place(struct retained_places *p, uint32_t parent, type_id type)
{
    struct tree *t = &p->tree;
    t->parent = grow(t->parent, t->len, &p->parent_cap, sizeof(*t->parent));
    t->type = grow(t->type, t->len, &p->type_cap, sizeof(*t->type));
    t->parent[t->len] = parent;
    t->type[t->len] = type;
    return (uint32_t)t->len++;
}

/* Below an instance of its own type, an object is retained by that instance already: if one
 * of the next few ancestors has its type, it is counted at the place above. So a list is a
 * single place. */
static uint32_t place_below(struct retained_places *p, uint32_t above, type_id type)
{
    uint32_t at = above;
    for (int i = 0; i < FOLD_DEPTH && at != 0; i++, at = p->tree.parent[at])
        if (p->tree.type[at] == type)
            return above;
    return add_place(p, above, type);
}

static uint32_t find_kind(struct retained_places *p, uint32_t above, type_id type)
{
    uint32_t next = (uint32_t)p->kind_count;
    uint32_t found = pair_table_put(&p->found, above, type, next);
    if (found != next)
        return found;
    p->kinds = grow(p->kinds, p->kind_count, &p->kind_cap, sizeof(*p->kinds));
    p->kinds[p->kind_count++] =
        (struct retained_kind){.place = place_below(p, above, type)};
    return next;
}

static inline struct retained_answer *answer_of(struct retained_places *p, uint32_t above,
                                                type_id type)
{
    /* Fibonacci hashing, of both. */
    uint32_t hash = above * 0x9E3779B1U + type * 0x85EBCA6BU;
    struct retained_answer *known = &p->answers[hash >> (32 - ANSWER_BITS)];
    if (known->above != above || known->type != type) {
        uint32_t kind = find_kind(p, above, type);
        *known = (struct retained_answer){above, type, kind, p->kinds[kind].place};
    }
    return known;
}

/* --- objects --------------------------------------------------------------------- */

/* The bytes of a sampled type are distributed over its objects; NULL if not sampled. */
static struct deal *deals_of(const struct hd_snapshot *snap)
{
    if (!snap->info.sampled)
        return NULL;
    struct deal *deals =
        alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*deals)));
    for (type_id t = 0; t < snap->type_count; t++)
        deals[t] = (struct deal){.whole = snap->types[t].tally[SELECT_ALL].bytes,
                                 .raw = snap->types[t].raw.bytes};
    return deals;
}

static inline uint64_t size_of(const struct hd_snapshot *snap, struct deal *deals,
                               node_id n)
{
    uint64_t size = graph_size(snap->graph, n);
    return deals != NULL ? deal_next(&deals[snap->graph->type[n]], size) : size;
}

static inline void fetch(const struct dominators *d, const struct graph *g, uint32_t w)
{
    if (w >= d->count)
        return;
    __builtin_prefetch(&g->type[d->node[w]]);
    __builtin_prefetch(&g->small_size[d->node[w]]);
}

/* False if the places would need more memory than the fallback; not all objects are counted
 * then. */
static bool find_places(struct retained_places *p, struct dominators *d,
                        const struct hd_snapshot *snap)
{
    enum { ALWAYS = 4096, PART = 16 };
    size_t most = ALWAYS + d->count / PART;
    const uint32_t *idom = d->plain != NULL ? d->plain : d->idom;
    uint32_t *at = buffer_pool_take(&d->buffers, d->count, sizeof(*at));
    struct deal *deals = deals_of(snap);
    size_t bytes = sizeof(*p->answers) << ANSWER_BITS;
    p->answers = memset(alloc_resize(NULL, bytes), 0xFF, bytes);
    add_place(p, 0, NO_TYPE);
    at[0] = 0;
    for (uint32_t w = 0; w < d->count && p->kind_count <= most; w++) {
        fetch(d, snap->graph, w + AHEAD);
        type_id type = snap->graph->type[d->node[w]];
        const struct retained_answer *a = answer_of(p, at[idom[w]], type);
        p->kinds[a->kind].bytes += size_of(snap, deals, d->node[w]);
        at[w] = a->place;
    }
    free(deals);
    buffer_pool_give(&d->buffers, at, d->count, sizeof(*at));
    p->tree.bytes = alloc_zeroed(array_bytes(p->tree.len, sizeof(*p->tree.bytes)));
    for (size_t k = 0; k < p->kind_count; k++)
        p->tree.bytes[p->kinds[k].place] += p->kinds[k].bytes;
    return p->kind_count <= most;
}

/* --- adding up ------------------------------------------------------------------- */

/* In preorder a number is below another of its type iff its position is before the end of
 * the last outermost one. */
static void add_outermost(struct tree *t, uint64_t *sum, size_t type_count,
                          struct buffer_pool *buffers)
{
    for (size_t i = t->len; i-- > 1;)
        t->bytes[t->parent[i]] += t->bytes[i];
    uint32_t *end = alloc_zeroed(array_bytes(type_count + 1, sizeof(*end)));
    uint32_t *size = buffer_pool_take(buffers, t->len, sizeof(*size));
    uint32_t *at = buffer_pool_take(buffers, t->len, sizeof(*at));
    uint32_t *next = buffer_pool_take(buffers, t->len, sizeof(*next));
    preorder(t->parent, t->len, at, size, next);
    buffer_pool_give(buffers, next, t->len, sizeof(*next));
    for (uint32_t position = 0; position < t->len; position++) {
        uint32_t i = at[position];
        type_id type = t->type[i];
        if (type == NO_TYPE || position < end[type])
            continue;
        sum[type] += t->bytes[i];
        end[type] = position + size[i];
    }
    buffer_pool_give(buffers, at, t->len, sizeof(*at));
    buffer_pool_give(buffers, size, t->len, sizeof(*size));
    free(end);
}

uint64_t *retained_by_type(struct dominators *d, const struct hd_snapshot *snap,
                           struct arena *a)
{
    uint64_t *sum = arena_array(a, uint64_t, snap->type_count);
    struct retained_places p = {0};
    if (d->count == 0)
        return sum;
    bool few = find_places(&p, d, snap);
    if (few)
        add_outermost(&p.tree, sum, snap->type_count, &d->buffers);
    free(p.tree.parent);
    free(p.tree.type);
    free(p.tree.bytes);
    free(p.answers);
    free(p.kinds);
    pair_table_free(&p.found);
    if (few)
        return sum;
    /* every object on its own */
    struct tree t = {.parent = d->plain != NULL ? d->plain : d->idom,
                     .type = buffer_pool_take(&d->buffers, d->count, sizeof(*t.type)),
                     .bytes = buffer_pool_take(&d->buffers, d->count, sizeof(*t.bytes)),
                     .len = d->count};
    struct deal *deals = deals_of(snap);
    for (uint32_t w = 0; w < d->count; w++) {
        fetch(d, snap->graph, w + AHEAD);
        t.type[w] = snap->graph->type[d->node[w]];
        t.bytes[w] = size_of(snap, deals, d->node[w]);
    }
    free(deals);
    add_outermost(&t, sum, snap->type_count, &d->buffers);
    buffer_pool_give(&d->buffers, t.type, t.len, sizeof(*t.type));
    buffer_pool_give(&d->buffers, t.bytes, t.len, sizeof(*t.bytes));
    return sum;
}

/* --- chosen objects -------------------------------------------------------------- */

/* Sums the chosen objects that no other chosen one dominates; parents precede their
 * children. */
static uint64_t sum_outermost(const struct tree *t)
{
    uint64_t *below = bits_new((uint32_t)t->len), sum = 0;
    for (uint32_t w = 0; w < t->len; w++) {
        bool is_chosen = t->type[w] != NO_TYPE;
        bool is_below = w > 0 && bits_have(below, t->parent[w]);
        if (is_chosen && !is_below)
            sum += t->bytes[w];
        if (is_chosen || is_below)
            bits_set(below, w);
    }
    free(below);
    return sum;
}

struct retained_sizes retained_by_objects(struct dominators *d,
                                          const struct hd_snapshot *snap,
                                          const uint64_t *chosen, struct arena *a)
{
    struct retained_sizes r = {.of_type = arena_array(a, uint64_t, snap->type_count)};
    if (d->count == 0)
        return r;
    /* Groups of roots and undescribed objects have 0 bytes. */
    const struct graph *g = snap->graph;
    struct tree t = {.parent = d->idom,
                     .type = buffer_pool_take(&d->buffers, d->count, sizeof(*t.type)),
                     .bytes = alloc_zeroed(array_bytes((size_t)d->count + 1, 8)),
                     .len = d->count};
    for (uint32_t w = 0; w < d->count; w++) {
        fetch(d, g, w + AHEAD);
        node_id n = d->node[w];
        t.type[w] = bits_have(chosen, n) ? g->type[n] : NO_TYPE;
        if (snap->types[g->type[n]].kind == TYPE_OBJECT)
            t.bytes[w] = graph_size(g, n);
    }
    add_outermost(&t, r.of_type, snap->type_count, &d->buffers);
    r.all = sum_outermost(&t);
    r.each = t.bytes;
    buffer_pool_give(&d->buffers, t.type, t.len, sizeof(*t.type));
    return r;
}
