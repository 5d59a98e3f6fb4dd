#include "base/hash.h"
#include "digest/digest_build_parts.h"
#include "owners/references.h"

#include <stdlib.h>
#include <string.h>

/* Objects of one place that are referred to from the same places. */
struct group {
    uint32_t target, len;
    const path_id *from;
    uint64_t objects;
    UT_hash_handle hh;
};

struct grouping {
    const struct graph *g;
    const struct full_tree *f;
    path_id *first;    /* of each node: a place that it is referred to from */
    uint64_t *several; /* a bit for each node: and another one */
    struct group *groups;
    path_id *key; /* target, then the places that refer to it */
    size_t cap;
    struct arena scratch;
};

/* A reference to another place, from what is reachable. */
static bool is_across(path_id from, path_id to)
{
    return to != NO_PATH && to != 0 && to != from;
}

static void find_referrers(struct grouping *s)
{
    const struct graph *g = s->g;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id from = s->f->at_node[n];
        if (from == NO_PATH)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (!is_across(from, s->f->at_node[to]) || s->first[to] == from)
                continue;
            if (s->first[to] == NO_PATH)
                s->first[to] = from;
            else
                bits_set(s->several, to);
        }
    }
}

static void add_object(struct grouping *s, path_id target, const struct reference *from,
                       size_t len)
{
    struct group *found;
    while (len + 1 > s->cap)
        s->key = grow(s->key, s->cap, &s->cap, sizeof(*s->key));
    s->key[0] = target;
    for (size_t i = 0; i < len; i++)
        s->key[1 + i] = from[i].from;
    size_t bytes = (len + 1) * sizeof(*s->key);
    HASH_FIND(hh, s->groups, s->key, bytes, found);
    if (found == NULL) {
        found = arena_alloc(&s->scratch, sizeof(*found));
        path_id *kept = arena_array(&s->scratch, path_id, len + 1);
        memcpy(kept, s->key, bytes);
        *found = (struct group){.target = target, .len = (uint32_t)len, .from = kept + 1};
        HASH_ADD_KEYPTR(hh, s->groups, kept, bytes, found);
    }
    found->objects++;
}

/* What one place refers to, which is not what it hangs from; or none but its own. */
static void group_singles(struct grouping *s)
{
    for (node_id n = 0; n < s->g->node_count; n++) {
        path_id at = s->f->at_node[n];
        if (at == NO_PATH || at == 0 || bits_have(s->several, n) ||
            s->first[n] == s->f->parent[at])
            continue;
        struct reference from = {n, s->first[n]};
        add_object(s, at, &from, s->first[n] != NO_PATH);
    }
}

static void group_several(struct grouping *s)
{
    const struct graph *g = s->g;
    struct references all = {0};
    for (node_id n = 0; n < g->node_count; n++) {
        path_id from = s->f->at_node[n];
        for (uint32_t e = g->edge_begin[n]; from != NO_PATH && e < g->edge_begin[n + 1];
             e++) {
            node_id to = g->edge_to[e];
            if (bits_have(s->several, to) && is_across(from, s->f->at_node[to]))
                references_add(&all, to, from);
        }
    }
    references_sort(&all);
    for (size_t i = 0, run; i < all.len; i += run) {
        run = references_run(&all, i);
        add_object(s, s->f->at_node[all.all[i].to], &all.all[i], run);
    }
    references_free(&all);
}

static int by_target(const void *a, const void *b)
{
    const struct group *x = *(const struct group *const *)a,
                       *y = *(const struct group *const *)b;
    if (x->target != y->target)
        return x->target < y->target ? -1 : 1;
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        if (x->from[i] != y->from[i])
            return x->from[i] < y->from[i] ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

static void keep(struct digest_sharing *to, const struct grouping *s, struct arena *a)
{
    size_t count = HASH_COUNT(s->groups), from = 0;
    const struct group **sorted =
        alloc_resize(NULL, array_bytes(count + 1, sizeof(struct group *)));
    count = 0;
    for (const struct group *g = s->groups; g != NULL; g = g->hh.next) {
        sorted[count++] = g;
        from += g->len;
    }
    if (count > 0)
        qsort(sorted, count, sizeof(struct group *), by_target);
    *to = (struct digest_sharing){.len = (uint32_t)count,
                                  .target = arena_array(a, uint32_t, count),
                                  .begin = arena_array(a, uint32_t, count + 1),
                                  .from = arena_array(a, uint32_t, from),
                                  .objects = arena_array(a, uint64_t, count)};
    for (size_t i = 0; i < count; i++) {
        to->target[i] = sorted[i]->target;
        to->objects[i] = sorted[i]->objects;
        to->begin[i + 1] = to->begin[i] + sorted[i]->len;
        if (sorted[i]->len > 0)
            memcpy(&to->from[to->begin[i]], sorted[i]->from,
                   sorted[i]->len * sizeof(*to->from));
    }
    free(sorted);
}

void digest_build_sharing(struct digest *to, const struct graph *g,
                          const struct full_tree *f, struct arena *a)
{
    struct grouping s = {.g = g, .f = f};
    size_t nodes = (size_t)g->node_count + 1;
    s.first = alloc_unknown(nodes);
    s.several = bits_new(nodes);
    find_referrers(&s);
    group_singles(&s);
    group_several(&s);
    keep(&to->sharing, &s, a);
    HASH_CLEAR(hh, s.groups);
    free(s.first);
    free(s.several);
    free(s.key);
    arena_free(&s.scratch);
}
