#include "digest/digest_build.h"

#include "ages/ages.h"
#include "ages/sampled_objects.h"
#include "base/arrays.h"
#include "base/hash.h"
#include "chains/chain_owner.h"
#include "chains/walk.h"
#include "digest/survivors.h"
#include "heap/snapshot.h"
#include "owners/retained.h"
#include "series/sampler.h"
#include "series/type_rank.h"

#include <stdlib.h>
#include <string.h>

/* --- what is referred to from elsewhere ---------------------------------------------- */

/* Objects at a place with references from the same places. */
struct digest_build_group {
    uint64_t hash; /* of both */
    path_id target;
    uint32_t len;
    size_t begin;        /* of the places, within those of all groups */
    const path_id *from; /* these, once all are there */
    uint64_t objects;
};

struct group_builder {
    const struct graph *g;
    const struct full_tree *f;
    uint64_t
        *from_parent; /* a bit for each node: the place refers to it from which it hangs */
    uint64_t *others; /* references to an object, from another place; high, low half */
    size_t other_count, other_cap;
    struct digest_build_group *groups;
    size_t group_count, group_cap;
    path_id *from; /* places of all groups */
    size_t from_count, from_cap;
    uint32_t *slots; /* numbers of groups from 1, by hash; 0: free. At most half are used */
    size_t slot_count;
};

enum { AHEAD = 16 };

static void find_others(struct group_builder *s)
{
    const struct graph *g = s->g;
    const struct full_tree *f = s->f;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id from = f->at_node[n];
        if (from == NO_PATH)
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            if (g->edge_count - e > AHEAD)
                __builtin_prefetch(&f->at_node[g->edge_to[e + AHEAD]]);
            node_id to = g->edge_to[e];
            path_id at = f->at_node[to];
            if (at == NO_PATH || at == 0 || at == from)
                continue;
            if (f->parent[at] == from) {
                bits_set(s->from_parent, to);
                continue;
            }
            *APPEND(s->others, s->other_count, s->other_cap) = (uint64_t)to << 32 | from;
        }
    }
}

static bool has_other(const struct group_builder *s, size_t next, node_id n)
{
    return next < s->other_count && s->others[next] >> 32 == n;
}

static void add_from(struct group_builder *s, path_id from)
{
    *APPEND(s->from, s->from_count, s->from_cap) = from;
}

/* Returns the places that refer to n, each once, as a group. *next: the first entry of
 * others for n or a later node. */
static struct digest_build_group gather(struct group_builder *s, node_id n, size_t *next)
{
    path_id at = s->f->at_node[n], parent = s->f->parent[at];
    bool hangs_there = bits_have(s->from_parent, n);
    struct digest_build_group made = {.target = at, .begin = s->from_count};
    for (; has_other(s, *next, n); ++*next) {
        path_id from = (path_id)s->others[*next];
        if (hangs_there && parent < from) {
            add_from(s, parent);
            hangs_there = false;
        }
        if (s->from_count == made.begin || s->from[s->from_count - 1] != from)
            add_from(s, from);
    }
    if (hangs_there)
        add_from(s, parent);
    made.len = (uint32_t)(s->from_count - made.begin);
    return made;
}

static size_t slot_of(const struct group_builder *s, const struct digest_build_group *group)
{
    size_t at = group->hash & (s->slot_count - 1);
    for (; s->slots[at] != 0; at = (at + 1) & (s->slot_count - 1)) {
        const struct digest_build_group *x = &s->groups[s->slots[at] - 1];
        if (x->hash == group->hash && x->target == group->target && x->len == group->len &&
            (x->len == 0 || memcmp(&s->from[x->begin], &s->from[group->begin],
                                   x->len * sizeof(*s->from)) == 0))
            break;
    }
    return at;
}

static void count_object(struct group_builder *s, struct digest_build_group made)
{
    enum { FEW = 1 << 12 };
    if (2 * s->group_count >= s->slot_count) {
        free(s->slots);
        s->slot_count = s->slot_count > 0 ? 2 * s->slot_count : FEW;
        s->slots = alloc_zeroed(array_bytes(s->slot_count, sizeof(*s->slots)));
        for (size_t i = 0; i < s->group_count; i++)
            s->slots[slot_of(s, &s->groups[i])] = (uint32_t)i + 1;
    }
    made.hash = XXH3_64bits_withSeed(&s->from[made.begin], made.len * sizeof(*s->from),
                                     made.target);
    uint32_t *slot = &s->slots[slot_of(s, &made)];
    if (*slot == 0) {
        *APPEND(s->groups, s->group_count, s->group_cap) = made;
        *slot = (uint32_t)s->group_count;
    } else {
        s->from_count = made.begin;
    }
    s->groups[*slot - 1].objects++;
}

/* --- in order -------------------------------------------------------- */

static int by_places(const void *a, const void *b)
{
    const struct digest_build_group *x = a, *y = b;
    for (uint32_t i = 0; i < x->len && i < y->len; i++)
        if (x->from[i] != y->from[i])
            return x->from[i] < y->from[i] ? -1 : 1;
    return (x->len > y->len) - (x->len < y->len);
}

/* By target, then by referring places. */
static void sort_groups(struct group_builder *s)
{
    struct digest_build_group *sorted =
        alloc_resize(NULL, array_bytes(s->group_count + 1, sizeof(*sorted)));
    size_t *end = alloc_zeroed(array_bytes(s->f->len + 1, sizeof(*end)));
    for (size_t i = 0; i < s->group_count; i++) {
        s->groups[i].from = &s->from[s->groups[i].begin];
        end[s->groups[i].target + 1]++;
    }
    for (size_t p = 0; p < s->f->len; p++)
        end[p + 1] += end[p];
    for (size_t i = 0; i < s->group_count; i++)
        sorted[end[s->groups[i].target]++] = s->groups[i];
    free(s->groups);
    s->groups = sorted;
    for (size_t p = 0, begin = 0; p < s->f->len; begin = end[p++])
        if (end[p] - begin > 1)
            qsort(&sorted[begin], end[p] - begin, sizeof(*sorted), by_places);
    free(end);
}

static void keep_sharing(struct digest *to, const struct graph *g,
                         const struct full_tree *f, struct arena *a)
{
    struct group_builder s = {
        .g = g, .f = f, .from_parent = bits_new((size_t)g->node_count + 1)};
    find_others(&s);
    /* By object, then place. */
    uint64_t *spare = alloc_resize(NULL, array_bytes(s.other_count + 1, sizeof(*spare)));
    radix_sort(s.others, NULL, s.other_count, spare, NULL);
    free(spare);
    size_t next = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        path_id at = f->at_node[n];
        /* A reference from the parent's place only is implied. */
        if (at != NO_PATH && at != 0 &&
            (!bits_have(s.from_parent, n) || has_other(&s, next, n)))
            count_object(&s, gather(&s, n, &next));
    }
    sort_groups(&s);
    struct shared_groups *kept = &to->sharing;
    *kept = (struct shared_groups){.len = (uint32_t)s.group_count,
                                   .target = arena_array(a, uint32_t, s.group_count),
                                   .begin = arena_array(a, uint32_t, s.group_count + 1),
                                   .from = arena_array(a, uint32_t, s.from_count),
                                   .objects = arena_array(a, uint64_t, s.group_count)};
    for (size_t i = 0; i < s.group_count; i++) {
        const struct digest_build_group *group = &s.groups[i];
        kept->target[i] = group->target;
        kept->objects[i] = group->objects;
        kept->begin[i + 1] = kept->begin[i] + group->len;
        if (group->len > 0)
            memcpy(&kept->from[kept->begin[i]], group->from,
                   group->len * sizeof(*group->from));
    }
    free(s.from_parent);
    free(s.others);
    free(s.groups);
    free(s.from);
    free(s.slots);
}

/* --- samples with their chains ------------------------------------------------------- */

enum {
    SAMPLES = 32, /* hd_default_options().samples: a from_parent answer needs no more */
    MAX_LINKS = 1 << 18 /* a chain may be as long as the heap: then there are fewer */
};

struct chain_sampler {
    const struct hd_snapshot *snap;
    const struct full_tree *f;
    struct digest_chains *to;
    struct walk walk;
    uint32_t *sampler_of; /* of each place, from 1; 0: it is not large */
    struct sampler *samplers;
    uint32_t large; /* number of large places */
    const field_id *field_of;
    struct pair_table steps, children, ends; /* what makes a link, two numbers at a time */
    uint32_t step_count, child_count;
    struct digest_build_link {
        uint32_t above;
        type_id type;
        unsigned char generation;
        field_id field;
    } * links; /* malloc'd, until all are there */
    uint32_t link_count;
    size_t link_cap;
    node_id *chain; /* from an object to the root */
    size_t chain_cap;
    struct arena scratch;
};

/* --- which objects --------------------------------------------------- */

/* Places that hold or have a share of the heap, in order. */
static void number_large_places(struct chain_sampler *s)
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

static uint32_t digest_build_take_samples(struct chain_sampler *s)
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

/* Returns the link below another one to a node like n. */
static uint32_t link_to(struct chain_sampler *s, uint32_t above, node_id n)
{
    const struct graph *g = s->snap->graph;
    type_id type = g->type[n];
    bool has_generation =
        s->snap->info.has_generations && s->snap->types[type].kind == TYPE_OBJECT;
    unsigned char generation =
        (unsigned char)(has_generation ? ranges_find(&s->snap->ranges, graph_address(g, n))
                                       : HD_GEN_UNKNOWN);
    field_id field = s->field_of != NULL ? s->field_of[n] : NO_FIELD;
    uint32_t step = pair_table_put(&s->steps, type, generation, s->step_count);
    s->step_count += step == s->step_count;
    /* The root is number 0. */
    uint32_t up = above != NO_PLACE ? above + 1 : 0;
    uint32_t child = pair_table_put(&s->children, up, step, s->child_count);
    s->child_count += child == s->child_count;
    uint32_t link = pair_table_put(&s->ends, child, field, s->link_count);
    if (link == s->link_count) {
        *APPEND(s->links, s->link_count, s->link_cap) =
            (struct digest_build_link){above, type, generation, field};
    }
    return link;
}

/* False: the limit of links is reached. */
static bool keep_chain(struct chain_sampler *s, node_id n, uint32_t *link)
{
    const struct graph *g = s->snap->graph;
    size_t length = 0;
    for (node_id at = n; at != NO_NODE && at != g->root; at = s->walk.parent[at]) {
        *APPEND(s->chain, length, s->chain_cap) = at;
    }
    if (length > MAX_LINKS - s->link_count)
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

/* In order of the nodes: hashes can be recomputed, and ascending numbers compress well. */
static void keep_place(struct chain_sampler *s, uint32_t place, struct sampler *from)
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

/* --- all chains ------------------------------------------------------ */

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
    struct chain_sampler s = {.snap = snap, .f = f, .to = &to->chains};
    uint32_t samples = digest_build_take_samples(&s);
    const struct graph *g = snap->graph;
    s.walk = walk_graph(snap, &s.scratch);
    if (g->fields != NULL) {
        uint64_t *wanted = arena_array(&s.scratch, uint64_t, bits_words(g->node_count));
        for (uint32_t i = 0; i < s.large; i++)
            for (uint32_t k = 0; k < s.samplers[i].len; k++)
                walk_mark_chain(&s.walk, s.samplers[i].heap[k].node, wanted);
        s.field_of = walk_fields(g, s.walk.parent, wanted, &s.scratch);
    }
    to->chains.samples_each = SAMPLES;
    to->chains.node = arena_array(a, node_id, samples);
    to->chains.link = arena_array(a, uint32_t, samples);
    to->chains.place = arena_array(a, uint32_t, samples);
    for (size_t p = 1; p < f->len; p++)
        if (s.sampler_of[p] != 0)
            keep_place(&s, (uint32_t)p, &s.samplers[s.sampler_of[p] - 1]);
    for (uint32_t i = 0; i < s.large; i++)
        sampler_free(&s.samplers[i]);
    struct digest_chains *c = &to->chains;
    c->link_count = s.link_count;
    c->above = arena_array(a, uint32_t, s.link_count);
    c->type = arena_array(a, type_id, s.link_count);
    c->generation = arena_alloc(a, s.link_count);
    c->field = s.field_of != NULL ? arena_array(a, field_id, s.link_count) : NULL;
    for (uint32_t i = 0; i < s.link_count; i++) {
        c->above[i] = s.links[i].above;
        c->type[i] = s.links[i].type;
        c->generation[i] = s.links[i].generation;
        if (c->field != NULL)
            c->field[i] = s.links[i].field;
    }
    free(s.links);
    count_singletons(c, snap, a);
    pair_table_free(&s.steps);
    pair_table_free(&s.children);
    pair_table_free(&s.ends);
    free(s.chain);
    arena_free(&s.scratch);
}

/* --- places ---------------------------------------------------------- */

/* Counts the file's objects; an ownership tree has the number that they represent. */
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

/* The labels of a single snapshot's ownership tree are its types, one by one. */
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
    if (f->field == NULL)
        return;
    to->field = arena_array(a, field_id, f->len);
    to->held = arena_array(a, uint64_t, f->len);
    to->held_of = arena_array(a, uint64_t, f->len);
    to->field[0] = NO_FIELD;
    for (size_t p = 1; p < f->len; p++) {
        to->field[p] = f->field[p].field;
        to->held[p] = f->field[p].held;
        to->held_of[p] = f->field[p].all;
    }
}

/* --- the digest ------------------------------------------------------ */

struct digest *digest_build(struct hd_snapshot *snap, struct arena *a)
{
    struct digest *to = arena_alloc(a, sizeof(*to));
    const struct graph *g = snap->graph;
    to->source_format = snap->info.format;
    to->source_xxh3 = snap->info.source_xxh3;
    if (g == NULL)
        return to;
    to->field_count = g->fields != NULL ? g->fields->name_count : 0;
    to->field_names =
        g->fields != NULL ? arena_array(a, const char *, to->field_count) : NULL;
    for (uint32_t i = 0; i < to->field_count; i++)
        to->field_names[i] =
            arena_strdup(a, g->fields->names[i], strlen(g->fields->names[i]));
    struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
    to->retained = retained_by_type(&d, snap, a);
    d = dominators_find_next(&d, snap, DOMINATORS_OF_OWNERS);
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
        to->sites = sampled_by_place(snap, f, a);
        keep_sharing(to, g, f, a);
        keep_chains(to, snap, f, a);
        survivors_sample(&to->survivors, snap, false, a);
    }
    ownership_tree_free(&t);
    return to;
}
