#include "digest/digest_build.h"

#include "ages/ages.h"
#include "base/hash.h"
#include "base/pair_table.h"
#include "chains/chain_owner.h"
#include "chains/walk.h"
#include "digest/survivors.h"
#include "heap/reach.h"
#include "owners/referrers.h"
#include "owners/retained.h"
#include "series/sampler.h"
#include "series/type_rank.h"

#include <stdlib.h>
#include <string.h>

/* --- what is referred to from elsewhere ---------------------------------------------- */

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

static void keep_sharing(struct digest *to, const struct graph *g,
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

/* --- samples with their chains ------------------------------------------------------- */

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

static void keep_chains(struct digest *to, const struct hd_snapshot *snap,
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

/* --- fields ---------------------------------------------------------- */

static void keep_field_names(struct digest *to, const struct graph *g, struct arena *a)
{
    if (g->fields == NULL)
        return;
    to->field_count = g->fields->name_count;
    to->field_names = arena_array(a, const char *, to->field_count);
    for (uint32_t i = 0; i < to->field_count; i++)
        to->field_names[i] =
            arena_strdup(a, g->fields->names[i], strlen(g->fields->names[i]));
}

/* --- places ---------------------------------------------------------- */

/* As the file has them: an ownership tree has what they stand for. */
static void count_objects(struct digest_places *to, const struct hd_snapshot *snap,
                          const struct full_tree *f)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id p = f->at_node[n];
        if (p == NO_PATH || p == 0)
            continue;
        to->at[p].count++;
        if (snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        to->at[p].bytes += graph_size(g, n);
        if (to->old == NULL || !snapshot_selects(snap, n, SELECT_GEN2))
            continue;
        to->old[p].count++;
        to->old[p].bytes += graph_size(g, n);
    }
}

static void keep_fields(struct digest_places *to, const struct full_tree *f,
                        struct arena *a)
{
    if (f->field == NULL)
        return;
    to->field = arena_array(a, field_id, f->len);
    to->held = arena_array(a, uint64_t, f->len);
    to->held_of = arena_array(a, uint64_t, f->len);
    for (size_t p = 0; p < f->len; p++) {
        to->field[p] = p > 0 ? f->field[p].field : NO_FIELD;
        to->held[p] = p > 0 ? f->field[p].held : 0;
        to->held_of[p] = p > 0 ? f->field[p].all : 0;
    }
}

/* Labels of an ownership tree of one snapshot are its types, one by one. */
static void keep_places(struct digest_places *to, const struct hd_snapshot *snap,
                        const struct full_tree *f, struct arena *a)
{
    to->len = (uint32_t)f->len;
    to->parent = arena_array(a, uint32_t, f->len);
    to->type = arena_array(a, type_id, f->len);
    to->at = arena_array(a, struct hd_tally, f->len);
    if (snap->info.has_generations)
        to->old = arena_array(a, struct hd_tally, f->len);
    for (size_t p = 1; p < f->len; p++) {
        to->parent[p] = f->parent[p];
        to->type[p] = f->label[p];
    }
    to->parent[0] = NO_PLACE;
    to->type[0] = NO_TYPE;
    count_objects(to, snap, f);
    keep_fields(to, f, a);
}

/* --- types ----------------------------------------------------------- */

static uint64_t *retained_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    uint64_t *by_type = retained_by_type(&d, snap, a);
    dominators_free(&d);
    return by_type;
}

/* --- all of it ------------------------------------------------------- */

struct digest *digest_build(struct hd_snapshot *snap, struct arena *a)
{
    struct digest *to = arena_alloc(a, sizeof(*to));
    const struct graph *g = snap->graph;
    to->source_format = snap->info.format;
    to->source_xxh3 = snap->info.source_xxh3;
    if (g == NULL)
        return to;
    keep_field_names(to, g, a);
    to->retained = retained_of(snap, a);
    struct dominators d = dominators_find(snap, DOMINATORS_OF_OWNERS);
    reach_given(snap, d.node, d.count);
    struct ownership_tree t;
    ownership_tree_begin(&t, 1);
    t.fields = g->fields != NULL ? OWNERSHIP_TELLS_FIELDS : OWNERSHIP_NO_FIELDS;
    ownership_tree_add_owned(&t, 0, snap, &d, SELECT_ALL);
    dominators_free(&d);
    to->lost = reach_lost(snap, a);
    if (snap->ages != NULL)
        ages_add(snap->ages, snap, &t, &to->ages, a);
    if (snap->info.has_roots) {
        const struct full_tree *f = &t.full[0];
        keep_places(&to->places, snap, f, a);
        keep_sharing(to, g, f, a);
        keep_chains(to, snap, f, a);
        survivors_sample(&to->survivors, snap, false, a);
    }
    ownership_tree_free(&t);
    return to;
}
