#include "analysis/referrers.h"

#include "base/pair_table.h"
#include "base/search.h"

#include <stdlib.h>
#include <string.h>

/* Heads that stand above each other are few; a heap made to be deep must not cost a walk
 * to the root for every reference. */
enum { MOST_HEADS_ABOVE = 64 };

/* A referred object and the nearest head at or above what refers to it. */
struct reference {
    node_id to;
    path_id from;
};

struct search {
    const struct trie *t;
    const struct full_trie *f;
    const struct graph *g;
    const bool *heads;   /* per aligned path */
    path_id *head_at;    /* per full path: nearest head at or above it, aligned; 0: none */
    path_id *head_above; /* per aligned head: the next one above it in the full trie */
    struct reference *references;
    size_t len, cap;
};

/* Paths of the full trie stand behind what they hang from. */
static void find_heads(struct search *s, struct arena *scratch)
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

static void gather(struct search *s)
{
    const struct graph *g = s->g;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id at = s->f->at_node[n];
        if (at == NO_PATH || s->head_at[at] == 0)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            path_id to = s->f->at_node[g->edge_to[e]];
            if (to == NO_PATH || to == at || !s->heads[s->f->cut[to]])
                continue;
            /* What hangs from its only referrer: no news. */
            if (s->head_at[at] == s->f->cut[to])
                continue;
            s->references = grow(s->references, s->len, &s->cap, sizeof(*s->references));
            s->references[s->len++] = (struct reference){g->edge_to[e], s->head_at[at]};
        }
    }
}

/* By what they refer to, half a number at a time: of a large leak there are as many as
 * objects, and qsort takes ten times as long. */
static void sort_by_target(struct search *s)
{
    enum { DIGITS = 1 << 16, DIGIT_BITS = 16 };
    struct reference *to = alloc_resize(NULL, array_bytes(s->len + 1, sizeof(*to)));
    uint32_t *begin = alloc_resize(NULL, (DIGITS + 1) * sizeof(*begin));
    for (unsigned shift = 0; shift <= DIGIT_BITS; shift += DIGIT_BITS) {
        memset(begin, 0, (DIGITS + 1) * sizeof(*begin));
        for (size_t i = 0; i < s->len; i++)
            begin[(s->references[i].to >> shift & (DIGITS - 1)) + 1]++;
        for (size_t d = 0; d < DIGITS; d++)
            begin[d + 1] += begin[d];
        for (size_t i = 0; i < s->len; i++)
            to[begin[s->references[i].to >> shift & (DIGITS - 1)]++] = s->references[i];
        struct reference *sorted = to;
        to = s->references;
        s->references = sorted;
    }
    free(to);
    free(begin);
}

/* Count each object once for each head above any of its referrers. */
static void count(const struct search *s, struct referrers *r, struct pair_table *numbers,
                  size_t *cap)
{
    uint32_t *seen_for = alloc_zeroed(array_bytes(s->t->len, sizeof(*seen_for)));
    uint32_t stamp = 0;
    for (size_t i = 0; i < s->len; i++) {
        const struct reference *now = &s->references[i];
        if (i == 0 || now->to != now[-1].to)
            stamp++;
        path_id target = s->f->cut[s->f->at_node[now->to]];
        path_id from = now->from;
        for (int steps = 0; from != 0 && steps < MOST_HEADS_ABOVE;
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
            r->links[number].objects++;
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

struct referrers *referrers_find(const struct trie *t, const struct hd_snapshot *snap,
                                 const bool *heads, struct arena *a)
{
    struct referrers *r = arena_alloc(a, sizeof(*r));
    struct arena scratch = {0};
    struct search s = {
        .t = t, .f = &t->full[t->snapshots - 1], .g = snap->graph, .heads = heads};
    r->objects = arena_array(a, uint32_t, t->len);
    if (s.g == NULL || s.f->at_node == NULL)
        return r;
    find_heads(&s, &scratch);
    for (node_id n = 0; n < s.g->node_count; n++)
        if (s.f->at_node[n] != NO_PATH)
            r->objects[s.f->cut[s.f->at_node[n]]]++;
    gather(&s);
    if (s.len > 0)
        sort_by_target(&s);
    struct pair_table numbers = {0};
    size_t cap = 0;
    count(&s, r, &numbers, &cap);
    pair_table_free(&numbers);
    if (r->len > 0)
        qsort(r->links, r->len, sizeof(*r->links), by_from);
    struct referrer_link *links = arena_array(a, struct referrer_link, r->len);
    if (r->len > 0)
        memcpy(links, r->links, r->len * sizeof(*links));
    free(r->links);
    r->links = links;
    free(s.references);
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
    return 5 * (uint64_t)link->objects >= 4 * (uint64_t)r->objects[link->target];
}
