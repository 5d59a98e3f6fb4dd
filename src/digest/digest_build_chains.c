#include "base/pair_table.h"
#include "chains/chain_owner.h"
#include "chains/plumbing.h"
#include "chains/walk.h"
#include "chains/walk_fields.h"
#include "digest/digest_build_parts.h"
#include "series/sampler.h"
#include "series/type_rank.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES = 32,        /* hd_default_options().samples: a usual answer needs no more */
    MOST_LINKS = 1 << 18 /* a chain may be as long as the heap: then there are fewer */
};

struct sampling {
    const struct hd_snapshot *snap;
    const struct full_tree *f;
    struct digest_chains *to;
    struct walk walk;
    uint32_t *sampler_of; /* of each place, from 1; 0: it is not large */
    struct sampler *samplers;
    uint32_t large; /* so many of them */
    const field_id *field_of;
    struct pair_table steps, children, ends; /* what makes a link, two numbers at a time */
    uint32_t step_count, child_count;
    size_t link_cap;
    struct digest_chains links; /* malloc'd, until all are there */
    node_id *chain;             /* from an object to the root */
    size_t chain_cap;
    struct arena scratch;
};

/* --- which objects --------------------------------------------------- */

/* Places that hold or have a share of the heap, in order. */
static void number_large_places(struct sampling *s)
{
    const struct full_tree *f = s->f;
    uint64_t *held = arena_array(&s->scratch, uint64_t, f->len);
    uint64_t *count = arena_array(&s->scratch, uint64_t, f->len);
    s->sampler_of = arena_array(&s->scratch, uint32_t, f->len);
    for (size_t p = f->len; p-- > 1;) {
        held[p] += f->bytes[p];
        count[p] += f->count[p];
        held[f->parent[p]] += held[p];
        count[f->parent[p]] += count[p];
    }
    for (size_t p = 1; p < f->len; p++) {
        bool is_object = s->snap->types[f->label[p]].kind == TYPE_OBJECT;
        if (is_object && f->count[p] > 0 &&
            (held[p] >= held[0] / LARGE_SHARE || f->count[p] >= count[0] / LARGE_SHARE))
            s->sampler_of[p] = ++s->large;
    }
}

static uint32_t take_samples(struct sampling *s)
{
    uint32_t samples = 0;
    number_large_places(s);
    s->samplers = arena_array(&s->scratch, struct sampler, s->large);
    for (uint32_t i = 0; i < s->large; i++)
        s->samplers[i].cap = SAMPLES;
    for (node_id n = 0; n < s->snap->graph->node_count; n++) {
        path_id p = s->f->at_node[n];
        if (p != NO_PATH && s->sampler_of[p] != 0)
            sampler_offer(&s->samplers[s->sampler_of[p] - 1], n, 0);
    }
    for (uint32_t i = 0; i < s->large; i++) {
        sampler_sort(&s->samplers[i]);
        samples += s->samplers[i].len;
    }
    return samples;
}

/* --- their chains ---------------------------------------------------- */

static void find_fields(struct sampling *s)
{
    const struct graph *g = s->snap->graph;
    if (g->fields == NULL)
        return;
    uint64_t *wanted = arena_array(&s->scratch, uint64_t, bits_words(g->node_count));
    for (uint32_t i = 0; i < s->large; i++)
        for (uint32_t k = 0; k < s->samplers[i].len; k++)
            walk_mark_chain(&s->walk, s->samplers[i].heap[k].node, wanted);
    s->field_of = walk_fields(g, s->walk.parent, wanted, &s->scratch);
}

static uint32_t add_link(struct sampling *s, uint32_t above, type_id type,
                         unsigned char generation, field_id field)
{
    struct digest_chains *l = &s->links;
    if (l->link_count == s->link_cap) {
        s->link_cap = s->link_cap > 0 ? 2 * s->link_cap : 1024;
        l->above = alloc_resize(l->above, array_bytes(s->link_cap, sizeof(*l->above)));
        l->type = alloc_resize(l->type, array_bytes(s->link_cap, sizeof(*l->type)));
        l->generation = alloc_resize(l->generation, s->link_cap);
        l->field = alloc_resize(l->field, array_bytes(s->link_cap, sizeof(*l->field)));
    }
    l->above[l->link_count] = above;
    l->type[l->link_count] = type;
    l->generation[l->link_count] = generation;
    l->field[l->link_count] = field;
    return l->link_count++;
}

static unsigned char generation_of(const struct hd_snapshot *snap, node_id n)
{
    const struct graph *g = snap->graph;
    bool known = snap->info.has_generations && snap->types[g->type[n]].kind == TYPE_OBJECT;
    return (unsigned char)(known ? ranges_find(&snap->ranges, graph_address(g, n))
                                 : HD_GEN_UNKNOWN);
}

/* The link below another one to a node like n. */
static uint32_t link_to(struct sampling *s, uint32_t above, node_id n)
{
    type_id type = s->snap->graph->type[n];
    unsigned char generation = generation_of(s->snap, n);
    field_id field = s->field_of != NULL ? s->field_of[n] : NO_FIELD;
    uint32_t step = pair_table_put(&s->steps, type, generation, s->step_count);
    s->step_count += step == s->step_count;
    /* The root is number 0. */
    uint32_t up = above != NO_PLACE ? above + 1 : 0;
    uint32_t child = pair_table_put(&s->children, up, step, s->child_count);
    s->child_count += child == s->child_count;
    uint32_t next = s->links.link_count;
    uint32_t link = pair_table_put(&s->ends, child, field, next);
    return link == next ? add_link(s, above, type, generation, field) : link;
}

/* False: there is no room for it. */
static bool keep_chain(struct sampling *s, node_id n, uint32_t *link)
{
    const struct graph *g = s->snap->graph;
    size_t length = 0;
    for (node_id at = n; at != NO_NODE && at != g->root; at = s->walk.parent[at]) {
        s->chain = grow(s->chain, length, &s->chain_cap, sizeof(*s->chain));
        s->chain[length++] = at;
    }
    if (length > MOST_LINKS - s->links.link_count)
        return false;
    *link = NO_PLACE;
    while (length > 0)
        *link = link_to(s, *link, s->chain[--length]);
    return true;
}

static int by_node(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* In order of the nodes: hashes are found again, and numbers that rise pack well. */
static void keep_place(struct sampling *s, uint32_t place, struct sampler *from)
{
    struct digest_chains *to = s->to;
    uint32_t begin = to->sample_count;
    qsort(from->heap, from->len, sizeof(*from->heap), by_node);
    for (uint32_t i = 0; i < from->len; i++) {
        uint32_t at = to->sample_count++;
        to->node[at] = from->heap[i].node;
        to->place[at] = place;
        if (!keep_chain(s, to->node[at], &to->link[at])) {
            to->sample_count = begin;
            return;
        }
    }
}

/* --- all of it ------------------------------------------------------- */

static void *copy(const void *from, size_t count, size_t size, struct arena *a)
{
    void *to = arena_alloc(a, array_bytes(count, size));
    if (count > 0)
        memcpy(to, from, count * size);
    return to;
}

static void keep_links(struct sampling *s, struct arena *a)
{
    struct digest_chains *to = s->to, *from = &s->links;
    size_t n = to->link_count = from->link_count;
    to->above = copy(from->above, n, sizeof(*to->above), a);
    to->type = copy(from->type, n, sizeof(*to->type), a);
    to->generation = copy(from->generation, n, sizeof(*to->generation), a);
    to->field = s->field_of != NULL ? copy(from->field, n, sizeof(*to->field), a) : NULL;
    free(from->above);
    free(from->type);
    free(from->generation);
    free(from->field);
}

static void count_singletons(struct digest_chains *to, const struct hd_snapshot *snap,
                             struct arena *a)
{
    struct arena scratch = {0};
    bool *is_call_site = arena_array(&scratch, bool, snap->type_count);
    bool any = false;
    for (type_id t = 0; t < snap->type_count; t++)
        any |= is_call_site[t] = snap->types[t].kind == TYPE_OBJECT &&
                                 plumbing_of(snap->types[t].name) == PLUMBING_CALL_SITE &&
                                 type_origin_of(snap->types[t].module) != ORIGIN_PROGRAM;
    if (any)
        to->by_call_sites = owner_by_call_sites(snap, is_call_site, a);
    arena_free(&scratch);
}

void digest_build_chains(struct digest *to, const struct hd_snapshot *snap,
                         const struct full_tree *f, struct arena *a)
{
    struct sampling s = {.snap = snap, .f = f, .to = &to->chains};
    uint32_t samples = take_samples(&s);
    s.walk = walk_graph(snap, &s.scratch);
    find_fields(&s);
    to->chains.samples_each = SAMPLES;
    to->chains.node = arena_array(a, node_id, samples);
    to->chains.link = arena_array(a, uint32_t, samples);
    to->chains.place = arena_array(a, uint32_t, samples);
    for (size_t p = 1; p < f->len; p++)
        if (s.sampler_of[p] != 0)
            keep_place(&s, (uint32_t)p, &s.samplers[s.sampler_of[p] - 1]);
    for (uint32_t i = 0; i < s.large; i++)
        sampler_free(&s.samplers[i]);
    keep_links(&s, a);
    count_singletons(&to->chains, snap, a);
    pair_table_free(&s.steps);
    pair_table_free(&s.children);
    pair_table_free(&s.ends);
    free(s.chain);
    arena_free(&s.scratch);
}
