/* laid_out.h - heaps whose objects have addresses chosen by the test. A heap is a list of
 * struct laid in any order, which is also the order of nodes. Objects of two heaps with the
 * same number are the same object. */
#ifndef LAID_OUT_H
#define LAID_OUT_H

#include "base/alloc.h"
#include "heap/graph.h"
#include "identity/same.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct laid {
    uint32_t number; /* identity; 0: irrelevant */
    uint32_t type;   /* App.Type7 */
    uint64_t size, address;
    uint32_t refers_to; /* number of another one; 0: none */
};

struct heap_laid {
    struct laid *all;
    size_t len, cap;
    uint64_t (*contents)(const struct laid *); /* of objects of types 0 (strings) and 1
                                                  (arrays); NULL: unknown */
};

static inline struct laid *lay(struct heap_laid *h, struct laid object)
{
    h->all = grow(h->all, h->len, &h->cap, sizeof(*h->all));
    h->all[h->len] = object;
    return &h->all[h->len++];
}

/* Places objects next to each other, in the order of the list. */
static inline void slide(struct heap_laid *h, uint64_t address)
{
    for (size_t i = 0; i < h->len; i++) {
        h->all[i].address = address;
        address += h->all[i].size;
    }
}

static inline void shuffle(struct heap_laid *h, struct random *r)
{
    for (size_t i = h->len; i > 1; i--) {
        size_t k = random_below(r, (uint32_t)i);
        struct laid object = h->all[i - 1];
        h->all[i - 1] = h->all[k];
        h->all[k] = object;
    }
}

static inline void put_address(unsigned char *to, uint64_t address)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (unsigned char)(address >> (8 * i));
}

static inline void link_numbers(struct forge *f, const struct heap_laid *h)
{
    uint32_t most = 0;
    for (size_t i = 0; i < h->len; i++)
        most = h->all[i].number > most ? h->all[i].number : most;
    node_id *node = alloc_zeroed(array_bytes((size_t)most + 1, sizeof(*node)));
    for (size_t i = 0; i < h->len; i++)
        node[h->all[i].number] = (node_id)i + 1;
    for (size_t i = 0; i < h->len; i++)
        if (h->all[i].refers_to > 0 && h->all[i].refers_to <= most &&
            node[h->all[i].refers_to] > 0)
            forge_reference(f, (node_id)i, node[h->all[i].refers_to] - 1);
    free(node);
}

static inline enum contents contents_laid(const void *context, node_id n, uint64_t *hash)
{
    const struct heap_laid *h = context;
    if (n >= h->len || h->all[n].type > 1)
        return CONTENTS_UNKNOWN;
    *hash = h->contents(&h->all[n]);
    return h->all[n].type == 0 ? CONTENTS_FIXED : CONTENTS_MUTABLE;
}

/* h must outlive the snapshot. */
static inline struct hd_snapshot *snapshot_of(const struct heap_laid *h)
{
    struct forge f = {0};
    char name[32];
    for (size_t i = 0; i < h->len; i++) {
        snprintf(name, sizeof(name), "App.Type%u", (unsigned)h->all[i].type);
        forge_object(&f, name, h->all[i].size);
    }
    link_numbers(&f, h);
    if (h->len > 0)
        forge_root(&f, HD_ROOT_STACK, NULL, 0);
    else
        forge_start(&f, forge_pseudo(&f, "[.NET Roots]"));
    struct hd_snapshot *snap = forge_finish(&f);
    struct graph *g = snap->graph;
    free(g->own_addresses);
    g->addresses = g->own_addresses = alloc_zeroed(8 * ((size_t)g->node_count + 1));
    for (size_t i = 0; i < h->len; i++)
        put_address(g->own_addresses + 8 * i, h->all[i].address);
    if (h->contents != NULL) {
        fields_free(g->fields);
        g->fields = alloc_zeroed(sizeof(*g->fields));
        *g->fields = (struct fields){.contents = contents_laid, .context = (void *)h};
    }
    return snap;
}

/* Invariants of every comparison. */
static inline void expect_sound(const struct same *s, const struct hd_snapshot *a,
                                const struct hd_snapshot *b)
{
    uint64_t *met = bits_new(b->graph->node_count);
    cr_assert_eq(s->count, s->source == HD_SAME_UNKNOWN ? 0 : a->graph->node_count);
    for (node_id n = 0; n < s->count; n++) {
        node_id to = s->next[n];
        if (to == NO_NODE)
            continue;
        cr_assert_lt(to, b->graph->node_count);
        cr_assert(bits_add(met, to), "node %u is two", to);
        cr_assert_str_eq(a->types[a->graph->type[n]].name,
                         b->types[b->graph->type[to]].name);
        cr_assert_eq(graph_size(a->graph, n), graph_size(b->graph, to));
        cr_assert_eq(a->types[a->graph->type[n]].kind, TYPE_OBJECT);
    }
    free(met);
}

struct tally_of_same {
    size_t survived, found, right, called;
    uint64_t steps;
};

static inline struct tally_of_same compare_laid(const struct heap_laid *a,
                                                const struct heap_laid *b, unsigned threads)
{
    struct tally_of_same t = {0};
    struct hd_snapshot *older = snapshot_of(a), *newer = snapshot_of(b);
    struct same s = {0};
    uint32_t most = 0;
    t.steps = same_align(&s, older, newer, threads);
    expect_sound(&s, older, newer);
    for (size_t i = 0; i < b->len; i++)
        most = b->all[i].number > most ? b->all[i].number : most;
    size_t *now = alloc_zeroed(array_bytes((size_t)most + 1, sizeof(*now)));
    for (size_t i = 0; i < b->len; i++)
        now[b->all[i].number] = i + 1;
    for (size_t i = 0; i < a->len; i++) {
        uint32_t number = a->all[i].number;
        bool survives = number > 0 && number <= most && now[number] > 0;
        node_id to = s.count > 0 ? s.next[i] : NO_NODE;
        t.survived += survives;
        t.called += to != NO_NODE;
        t.found += survives && to != NO_NODE;
        t.right += survives && to == now[number] - 1;
    }
    free(now);
    same_free(&s);
    hd_snapshot_close(older);
    hd_snapshot_close(newer);
    return t;
}

#endif
