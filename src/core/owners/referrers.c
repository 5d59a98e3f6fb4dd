#include "owners/referrers.h"

#include "base/pair_table.h"
#include "base/radix_sort.h"
#include "base/search.h"
#include "series/ranking_constants.h"

#include <stdlib.h>
#include <string.h>

/* --- references between places ------------------------------------------------------- */

/* To an object, from a place of the ownership tree: high, low half. {0} is empty. */
struct referrers_references {
    uint64_t *all; /* malloc'd */
    size_t len, cap;
};

static void references_add(struct referrers_references *r, uint32_t to, path_id from)
{
    r->all = grow(r->all, r->len, &r->cap, sizeof(*r->all));
    r->all[r->len++] = (uint64_t)to << 32 | from;
}

/* Heads that stand above each other are few; a heap made to be deep must not cost a walk
 * to the root for every reference. */
enum { MAX_HEADS_ABOVE = 64 };

/* What is referred to has a number: of a graph that of the node; of a digest that of a
 * group of objects (heap/digest.h), and behind those of the place whose other objects are
 * meant. */
struct referrers_search {
    const struct ownership_tree *t;
    const struct full_tree *f;
    const struct graph *g;       /* or */
    const struct digest *digest; /* one of both */
    const bool *heads;           /* per aligned path */
    path_id *head_at; /* per full path: nearest head at or above it, aligned; 0: none */
    path_id *
        head_above; /* per aligned head: the next one above it in the full ownership tree */
    uint64_t *alone; /* per place: objects that only what they hang from refers to */
    struct referrers_references references;
};

/* Paths of the full ownership tree stand behind what they hang from. */
static void find_heads(struct referrers_search *s, struct arena *scratch)
{
    s->head_at = arena_array(scratch, path_id, s->f->len);
    s->head_above = arena_array(scratch, path_id, s->t->len);
    for (size_t p = 1; p < s->f->len; p++) {
        path_id cut = s->f->cut[p], above = s->head_at[s->f->parent[p]];
        s->head_at[p] = s->heads[cut] ? cut : above;
        if (s->heads[cut])
            s->head_above[cut] = above;
    }
}

/* The nearest head at or above `from`, if objects at `to` are news to it; else 0. */
static path_id head_that_refers(const struct referrers_search *s, path_id from, path_id to)
{
    if (s->head_at[from] == 0 || to == NO_PATH || to == from || !s->heads[s->f->cut[to]])
        return 0;
    /* What hangs from its only referrer: no news. */
    return s->head_at[from] == s->f->cut[to] ? 0 : s->head_at[from];
}

static void gather_from_graph(struct referrers_search *s)
{
    const struct graph *g = s->g;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id at = s->f->at_node[n];
        if (at == NO_PATH || s->head_at[at] == 0)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            path_id head = head_that_refers(s, at, s->f->at_node[g->edge_to[e]]);
            if (head != 0)
                references_add(&s->references, g->edge_to[e], head);
        }
    }
}

static void gather_from_digest(struct referrers_search *s, struct arena *scratch)
{
    const struct shared_groups *groups = &s->digest->sharing;
    const struct digest_places *places = &s->digest->places;
    const path_id *path = s->f->at_place;
    s->alone = arena_array(scratch, uint64_t, places->len);
    for (uint32_t i = 1; i < places->len; i++)
        s->alone[i] = places->at[i].count;
    for (uint32_t i = 0; i < groups->len; i++) {
        s->alone[groups->target[i]] -= groups->objects[i];
        for (uint32_t k = groups->begin[i]; k < groups->begin[i + 1]; k++) {
            path_id head =
                head_that_refers(s, path[groups->from[k]], path[groups->target[i]]);
            if (head != 0)
                references_add(&s->references, i, head);
        }
    }
    for (uint32_t i = 1; i < places->len; i++) {
        path_id head =
            s->alone[i] > 0 ? head_that_refers(s, path[places->parent[i]], path[i]) : 0;
        if (head != 0)
            references_add(&s->references, groups->len + i, head);
    }
}

/* The path of what has a number, and how many objects that are. */
static path_id referrers_path_of(const struct referrers_search *s, uint32_t to,
                                 uint64_t *objects)
{
    *objects = 1;
    if (s->g != NULL)
        return s->f->at_node[to];
    const struct shared_groups *groups = &s->digest->sharing;
    uint32_t place = to < groups->len ? groups->target[to] : to - groups->len;
    *objects = to < groups->len ? groups->objects[to] : s->alone[place];
    return s->f->at_place[place];
}

/* Count each object once for each head above any of its referrers. */
static void referrers_count(const struct referrers_search *s, struct referrers *r,
                            struct pair_table *numbers, size_t *cap)
{
    uint32_t *seen_for = alloc_zeroed(array_bytes(s->t->len, sizeof(*seen_for)));
    uint32_t stamp = 0;
    for (size_t i = 0; i < s->references.len; i++) {
        const uint64_t *now = &s->references.all[i];
        if (i == 0 || now[0] >> 32 != now[-1] >> 32)
            stamp++;
        uint64_t objects;
        path_id target = s->f->cut[referrers_path_of(s, (uint32_t)(*now >> 32), &objects)];
        path_id from = (path_id)*now;
        for (int steps = 0; from != 0 && steps < MAX_HEADS_ABOVE;
             from = s->head_above[from], steps++) {
            if (seen_for[from] == stamp)
                break;
            seen_for[from] = stamp;
            uint32_t next = (uint32_t)r->len;
            uint32_t number = pair_table_put(numbers, from, target, next);
            if (number == next) {
                r->links = grow(r->links, r->len, cap, sizeof(*r->links));
                r->links[r->len++] = (struct referrer_link){from, target, 0};
            }
            r->links[number].objects += objects;
        }
    }
    free(seen_for);
}

static int by_from(const void *a, const void *b)
{
    const struct referrer_link *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

struct referrers *referrers_find(const struct ownership_tree *t,
                                 const struct hd_snapshot *snap, const bool *heads,
                                 struct arena *a)
{
    struct referrers *r = arena_alloc(a, sizeof(*r));
    struct arena scratch = {0};
    struct referrers_search s = {.t = t,
                                 .f = &t->full[t->snapshots - 1],
                                 .g = snap->graph,
                                 .digest = snap->digest,
                                 .heads = heads};
    r->objects = arena_array(a, uint64_t, t->len);
    if (s.g != NULL ? s.f->at_node == NULL : s.f->at_place == NULL)
        return r;
    find_heads(&s, &scratch);
    /* All that are at each path. */
    const struct full_tree *f = s.f;
    for (node_id n = 0; s.g != NULL && n < s.g->node_count; n++)
        if (f->at_node[n] != NO_PATH)
            r->objects[f->cut[f->at_node[n]]]++;
    for (uint32_t i = 1; s.g == NULL && i < s.digest->places.len; i++)
        r->objects[f->cut[f->at_place[i]]] += s.digest->places.at[i].count;
    if (s.g != NULL)
        gather_from_graph(&s);
    else
        gather_from_digest(&s, &scratch);
    /* Each once. */
    size_t kept = 0;
    uint64_t *spare = alloc_resize(NULL, array_bytes(s.references.len + 1, sizeof(*spare)));
    radix_sort(s.references.all, NULL, s.references.len, spare, NULL);
    for (size_t i = 0; i < s.references.len; i++)
        if (i == 0 || s.references.all[i] != s.references.all[kept - 1])
            s.references.all[kept++] = s.references.all[i];
    s.references.len = kept;
    free(spare);
    struct pair_table numbers = {0};
    size_t cap = 0;
    referrers_count(&s, r, &numbers, &cap);
    pair_table_free(&numbers);
    if (r->len > 0)
        qsort(r->links, r->len, sizeof(*r->links), by_from);
    struct referrer_link *links = arena_array(a, struct referrer_link, r->len);
    if (r->len > 0)
        memcpy(links, r->links, r->len * sizeof(*links));
    free(r->links);
    r->links = links;
    free(s.references.all);
    arena_free(&scratch);
    return r;
}

static bool is_from_earlier(const void *links, size_t i, const void *from)
{
    return ((const struct referrer_link *)links)[i].from < *(const uint64_t *)from;
}

static size_t first_from(const struct referrers *r, uint64_t from)
{
    return search_first(r->links, 0, r->len, is_from_earlier, &from);
}

size_t referrers_begin(const struct referrers *r, path_id from)
{
    return first_from(r, from);
}

size_t referrers_end(const struct referrers *r, path_id from)
{
    return first_from(r, (uint64_t)from + 1);
}

bool referrers_cover(const struct referrers *r, const struct referrer_link *link)
{
    return rank_by.of_covering * link->objects >=
           rank_by.covering * r->objects[link->target];
}
