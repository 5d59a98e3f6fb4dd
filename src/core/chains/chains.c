#include "chains/chains.h"

#include "series/sampler.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sampling ------------------------------------------------------------ */

static bool arrived_in_time(const struct chain_question *ask, size_t query, node_id n)
{
    if (ask->since_of_node == NULL)
        return true;
    const struct since_range *range = &ask->since_of_query[query];
    return ask->since_of_node[n] >= range->first && ask->since_of_node[n] <= range->last;
}

uint32_t chain_query_of(const struct hd_snapshot *snap, const struct chain_question *ask,
                        node_id n)
{
    const struct graph *g = snap->graph;
    uint32_t key = ask->key_of_node != NULL ? ask->key_of_node[n] : g->type[n];
    if (key >= ask->key_count || ask->query_of_key[key] == 0)
        return 0;
    bool counts = snap->types[g->type[n]].kind == TYPE_OBJECT &&
                  snapshot_selects(snap, n, ask->selection);
    return counts && arrived_in_time(ask, ask->query_of_key[key] - 1, n)
               ? ask->query_of_key[key]
               : 0;
}

/* --- one chain ----------------------------------------------------------- */

struct path {
    struct signature signature;
    size_t skipped; /* elements missing after CHAIN_HEAD_ELEMENTS */
    size_t owner;   /* element of the signature, or HD_NO_OWNER */
    enum hd_root_kind kind;
    node_id node;
    uint32_t order; /* among the samples */
};

type_id chain_owner_wanted(const struct chain_search *s, size_t query)
{
    return s->ask->owner_of_query != NULL ? s->ask->owner_of_query[query] : NO_TYPE;
}

const char *chain_type_name(const struct hd_snapshot *snap, uint32_t type)
{
    return type == UNREACHABLE_GROUP ? "[unreachable]" : snap->types[type].name;
}

/* The nodes of a chain; the array is reused, as a chain may be as long as the heap. */
struct node_list {
    node_id *all;
    size_t cap;
};

/* Removes half of the capacity; folding needs the last few elements only. */
static size_t skip_middle(struct signature *s)
{
    size_t less = CHAIN_MAX_ELEMENTS / 2, from = CHAIN_HEAD_ELEMENTS + less;
    memmove(&s->all[CHAIN_HEAD_ELEMENTS], &s->all[from], (s->len - from) * sizeof(*s->all));
    s->all[CHAIN_HEAD_ELEMENTS].by = FIELD_SEVERAL; /* the element before is missing */
    s->len -= less;
    return less;
}

static struct path trace(const struct chain_search *s, size_t query, node_id n,
                         struct node_list *list)
{
    const struct hd_snapshot *snap = s->snap;
    const struct walk *walk = s->walk;
    const struct graph *g = snap->graph;
    size_t length = 0;
    for (node_id at = n; at != NO_NODE && at != g->root; at = walk->parent[at]) {
        list->all = grow(list->all, length, &list->cap, sizeof(*list->all));
        list->all[length++] = at;
    }
    struct path p = {.node = n, .kind = HD_ROOT_OTHER, .owner = HD_NO_OWNER};
    p.signature.parts = s->parts;
    if (length > 0 && walk->parent[list->all[length - 1]] == NO_NODE) {
        p.kind = HD_ROOT_UNREACHABLE;
        signature_push(&p.signature, UNREACHABLE_GROUP, NO_FIELD);
    }
    while (length > 0) {
        type_id type = g->type[list->all[--length]];
        const struct type *t = &snap->types[type];
        if (t->kind == TYPE_PSEUDO && p.kind != HD_ROOT_UNREACHABLE)
            p.kind = root_kind_below(t->name, p.kind);
        signature_push(&p.signature, type, chain_field_of(s, list->all[length]));
        if (p.signature.len == CHAIN_MAX_ELEMENTS)
            p.skipped += skip_middle(&p.signature);
    }
    if (s->ask->role_of_type != NULL)
        p.owner = owner_in_signature(&p.signature, s->ask->role_of_type,
                                     chain_owner_wanted(s, query));
    return p;
}

/* --- groups -------------------------------------------------------------- */

void wilson_interval(uint64_t k, uint64_t n, double *low, double *high)
{
    const double z = 1.959964;
    double p = (double)k / (double)n, zz = z * z / (double)n;
    double centre = (p + zz / 2) / (1 + zz);
    double half = z * sqrt(p * (1 - p) / (double)n + zz / (4 * (double)n)) / (1 + zz);
    *low = centre - half > 0 ? centre - half : 0;
    *high = centre + half < 1 ? centre + half : 1;
}

uint64_t chain_hash_more(uint64_t before, const char *name)
{
    return before * CHAIN_HASH_BASE + XXH3_64bits(name, strlen(name));
}

uint64_t chain_hash_end(uint64_t hash, bool has_owner, bool unreachable)
{
    return XXH3_64bits_withSeed(&hash, sizeof(hash),
                                (unsigned)has_owner | (unsigned)unreachable << 1);
}

uint64_t chain_hash_field(const struct chain_search *s, uint64_t before, field_id field)
{
    const char *name = s->parts ? chain_field_name(s, field) : NULL;
    return s->parts ? chain_hash_more(before, name != NULL ? name : "") : before;
}

bool chain_has_program(const struct chain_search *s, uint32_t type)
{
    return s->ask->role_of_type != NULL && type != UNREACHABLE_GROUP &&
           (s->ask->role_of_type[type] & ROLE_PROGRAM) != 0;
}

/* Paths of a group: equal from the owner down. Those in [first, end_of_run) also share the
 * path from the root that is shown. */
struct chains_group {
    const struct path *all;
    size_t len, first, end_of_run;
};

/* The fields of a frame: the last is the one by which it leads on. */
struct frame_fields {
    field_id of[HD_MAX_FRAME_TYPES + 1];
};

/* Adds the fields of the pattern of p elements that ends at element i. */
static void see_fields(struct frame_fields *to, const struct signature *s, size_t i,
                       unsigned p)
{
    for (unsigned k = 0; k + 1 < p; k++)
        to->of[k] = field_seen(to->of[k], s->all[i + 2 + k - p].by);
    to->of[p - 1] = field_seen(to->of[p - 1], s->all[i].back[p - 1]);
    if (i + 1 < s->len)
        to->of[HD_MAX_FRAME_TYPES] =
            field_seen(to->of[HD_MAX_FRAME_TYPES], s->all[i + 1].by);
}

static void name_fields(struct hd_frame *f, const struct chain_search *search,
                        const struct frame_fields *fields)
{
    for (unsigned k = 0; k < HD_MAX_FRAME_TYPES; k++)
        f->fields[k] = chain_field_name(search, fields->of[k]);
    f->field = chain_field_name(search, fields->of[HD_MAX_FRAME_TYPES]);
}

static const struct frame_fields nothing_seen = {
    {FIELD_UNSEEN, FIELD_UNSEEN, FIELD_UNSEEN, FIELD_UNSEEN}};

/* Repeats and fields of the pattern of p elements that ends at element i of the path shown,
 * over all paths that have it. */
static void widen(struct hd_frame *f, const struct chain_search *search,
                  const struct chains_group *group, size_t i, unsigned p)
{
    const struct path *shown = &group->all[group->first];
    struct frame_fields fields = nothing_seen;
    bool owned = shown->owner != HD_NO_OWNER && i >= shown->owner;
    for (size_t j = owned ? 0 : group->first; j < (owned ? group->len : group->end_of_run);
         j++) {
        const struct path *path = &group->all[j];
        size_t at = owned ? path->owner + (i - shown->owner) : i;
        uint32_t repeats = path->signature.all[at].repeats[p - 1];
        f->repeat_min = repeats < f->repeat_min ? repeats : f->repeat_min;
        f->repeat_max = repeats > f->repeat_max ? repeats : f->repeat_max;
        see_fields(&fields, &path->signature, at, p);
    }
    name_fields(f, search, &fields);
}

/* Each path may be cut into patterns differently; the cut of the one shown is used for
 * all. */
static void make_frames(struct hd_chain *c, const struct chain_search *search,
                        const struct chains_group *group, struct arena *a)
{
    const struct path *shown = &group->all[group->first];
    const struct signature *s = &shown->signature;
    c->frames = arena_array(a, struct hd_frame, s->len);
    c->frames_skipped = shown->skipped;
    for (size_t i = 0; i < s->len;) {
        struct hd_frame *f = &c->frames[c->frame_count];
        c->skipped_at += shown->skipped > 0 && i < CHAIN_HEAD_ELEMENTS;
        uint32_t repeats;
        f->type_count = signature_pattern(s, i, &repeats);
        f->repeat_min = f->repeat_max = repeats;
        f->example_nodes = repeats * f->type_count;
        f->generation = HD_GEN_UNKNOWN;
        for (unsigned p = 0; p < f->type_count; p++) {
            f->types[p] = chain_type_name(search->snap, s->all[i + p].type);
            f->is_program |= chain_has_program(search, s->all[i + p].type);
        }
        if (shown->owner >= i && shown->owner < i + f->type_count)
            c->owner_frame = c->frame_count;
        i += f->type_count;
        widen(f, search, group, i - 1, f->type_count);
        c->frame_count++;
    }
    if (shown->owner == HD_NO_OWNER)
        return;
    c->owner = chain_type_name(search->snap, s->all[shown->owner].type);
    c->service =
        owner_service(s, shown->owner, search->ask->role_of_type, search->is_singleton);
}

void chain_set_share(struct hd_chain *c, const struct chains *all)
{
    c->share = (double)c->count / (double)all->samples;
    c->exact = all->samples == all->instances;
    c->low = c->high = c->share;
    if (!c->exact)
        wilson_interval(c->count, all->samples, &c->low, &c->high);
    /* Uncovered instances may all be on this chain, or all on others. */
    if (all->uncovered > 0) {
        double unknown = (double)all->uncovered / (double)all->instances;
        c->low *= 1 - unknown;
        c->high = c->high * (1 - unknown) + unknown;
    }
}

static int compare_types(const struct hd_frame *x, const struct hd_frame *y)
{
    for (unsigned p = 0; p < x->type_count && p < y->type_count; p++) {
        int order = strcmp(x->types[p], y->types[p]);
        if (order != 0)
            return order;
    }
    return (x->type_count > y->type_count) - (x->type_count < y->type_count);
}

int chain_by_count(const void *a, const void *b)
{
    const struct hd_chain *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    for (size_t i = 0; i < x->frame_count && i < y->frame_count; i++) {
        int order = compare_types(&x->frames[i], &y->frames[i]);
        if (order != 0)
            return order;
    }
    if (x->frame_count != y->frame_count)
        return x->frame_count < y->frame_count ? -1 : 1;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

/* Compares from the owner down; the entry into the heap does not count. */
static int by_group(const struct path *x, const struct path *y)
{
    bool owned[] = {x->owner != HD_NO_OWNER, y->owner != HD_NO_OWNER};
    bool lost[] = {x->kind == HD_ROOT_UNREACHABLE, y->kind == HD_ROOT_UNREACHABLE};
    if (owned[0] != owned[1])
        return owned[0] ? -1 : 1;
    if (lost[0] != lost[1])
        return lost[0] ? 1 : -1;
    return signature_compare_from(&x->signature, owned[0] ? x->owner : 0, &y->signature,
                                  owned[0] ? y->owner : 0);
}

/* Orders paths by group, then by equal paths from the root, then by sample. */
static int by_group_and_order(const void *a, const void *b)
{
    const struct path *x = a, *y = b;
    int order = by_group(x, y);
    if (order == 0)
        order = signature_compare(&x->signature, &y->signature);
    return order != 0 ? order : (x->order > y->order) - (x->order < y->order);
}

/* Finds the most frequent path from the root in a group; if several are, that of the first
 * sample. */
static struct chains_group find_run(const struct path *paths, size_t len)
{
    struct chains_group best = {.all = paths, .len = len};
    for (size_t begin = 0, end; begin < len; begin = end) {
        for (end = begin + 1; end < len && signature_compare(&paths[begin].signature,
                                                             &paths[end].signature) == 0;)
            end++;
        size_t most = best.end_of_run - best.first;
        if (end - begin > most ||
            (end - begin == most && paths[begin].order < paths[best.first].order)) {
            best.first = begin;
            best.end_of_run = end;
        }
    }
    return best;
}

static uint64_t hash_path(const struct chain_search *s, const struct path *p)
{
    uint64_t hash = 0;
    bool owned = p->owner != HD_NO_OWNER;
    size_t first = owned ? p->owner : 0;
    for (size_t i = first; i < p->signature.len; i++) {
        if (i > first)
            hash = chain_hash_field(s, hash, p->signature.all[i].by);
        hash = chain_hash_more(hash, chain_type_name(s->snap, p->signature.all[i].type));
    }
    return chain_hash_end(hash, owned, p->kind == HD_ROOT_UNREACHABLE);
}

static void group_paths(struct chains *c, const struct chain_search *s, struct path *paths,
                        struct arena *a)
{
    qsort(paths, c->samples, sizeof(*paths), by_group_and_order);
    c->all = arena_array(a, struct hd_chain, c->samples);
    for (size_t begin = 0, end; begin < c->samples; begin = end) {
        end = begin + 1;
        while (end < c->samples && by_group(&paths[begin], &paths[end]) == 0)
            end++;
        struct chains_group group = find_run(&paths[begin], end - begin);
        const struct path *shown = &group.all[group.first];
        struct hd_chain *chain = &c->all[c->len++];
        *chain = (struct hd_chain){.kind = shown->kind,
                                   .example = shown->node,
                                   .count = end - begin,
                                   .owner_frame = HD_NO_OWNER,
                                   .hash = hash_path(s, shown)};
        chain_set_share(chain, c);
        make_frames(chain, s, &group, a);
    }
    qsort(c->all, c->len, sizeof(*c->all), chain_by_count);
}

static enum hd_generation generation_of(const struct chain_search *s, node_id n)
{
    const struct hd_snapshot *snap = s->snap;
    const struct graph *g = snap->graph;
    if (!snap->info.has_generations || n == NO_NODE ||
        snap->types[g->type[n]].kind != TYPE_OBJECT)
        return HD_GEN_UNKNOWN;
    return s->generation_of != NULL ? (enum hd_generation)s->generation_of[n]
                                    : ranges_find(&snap->ranges, graph_address(g, n));
}

/* For the examples, from the instance up: frames and walk have the same nodes. */
static void find_generations(struct chains *c, const struct chain_search *s)
{
    for (size_t i = 0; i < c->len; i++)
        c->all[i].example_generation = generation_of(s, c->all[i].example);
    for (size_t i = 0; s->snap->info.has_generations && i < c->len; i++) {
        node_id at = c->all[i].example;
        size_t end = c->all[i].frames_skipped > 0 ? c->all[i].skipped_at : 0;
        for (size_t f = c->all[i].frame_count; f-- > end;) {
            struct hd_frame *frame = &c->all[i].frames[f];
            for (uint32_t n = 0; n < frame->example_nodes && at != NO_NODE; n++) {
                enum hd_generation g = generation_of(s, at);
                frame->generation = g < frame->generation ? g : frame->generation;
                at = s->walk->parent[at];
            }
        }
    }
}

/* --- fields ---------------------------------------------------------------- */

const char *chain_field_name(const struct chain_search *s, field_id field)
{
    const struct fields *known = s->snap->graph->fields;
    if (s->field_names == NULL || field >= known->name_count)
        return NULL;
    const char **kept = &s->field_names[field], *name = known->names[field];
    if (*kept == NULL)
        *kept = arena_strdup(s->answers, name, strlen(name));
    return *kept;
}

/* Returns all nodes of the chains of the samples. */
static uint64_t *nodes_on_chains(const struct chain_search *s,
                                 const struct sampler *samplers, struct arena *scratch)
{
    uint64_t *wanted =
        arena_array(scratch, uint64_t, bits_words(s->snap->graph->node_count));
    for (size_t q = 0; q < s->ask->queries; q++)
        for (uint32_t i = 0; i < samplers[q].len; i++)
            walk_mark_chain(s->walk, samplers[q].heap[i].node, wanted);
    return wanted;
}

/* Finds the fields of sampled chains; of all nodes if all instances are counted, or chains
 * of all are built. */
static void find_fields(struct chain_search *s, const struct sampler *samplers,
                        const struct chain_options *opt, struct arena *scratch)
{
    const struct graph *g = s->snap->graph;
    if (g->fields == NULL)
        return;
    s->parts = opt->fields;
    s->field_names = arena_array(scratch, const char *, g->fields->name_count);
    s->field_of =
        walk_fields(g, s->walk->parent,
                    opt->exact ? NULL : nodes_on_chains(s, samplers, scratch), scratch);
}

void chain_name_fields(struct hd_chain *c, const struct chain_search *s, size_t query,
                       node_id n)
{
    struct node_list list = {0};
    struct path p = trace(s, query, n, &list);
    size_t known = p.skipped > 0 ? CHAIN_HEAD_ELEMENTS : p.signature.len;
    for (size_t i = 0; i < c->frame_count && i < known; i++) {
        struct frame_fields fields = nothing_seen;
        see_fields(&fields, &p.signature, i, 1);
        name_fields(&c->frames[i], s, &fields);
    }
    signature_free(&p.signature);
    free(list.all);
}

/* --- digests -----------------------------------------------------------------
 *
 * The chains of a digest, as a graph: the links as a tree, and after them the samples, each
 * below the last link of its chain. Facts that this graph lacks are stored next to it:
 * numbers of the heap's own nodes, generations, and the number of instances. */

struct digest_graph {
    struct hd_snapshot snap; /* that of the digest, with this graph */
    struct graph graph;
    struct fields fields;
    struct walk walk;
    unsigned char *generation; /* of each node */
    field_id *field_of;        /* NULL: not known */
};

static const struct digest_chains *chains_of(const struct digest_graph *d)
{
    return &d->snap.digest->chains;
}

/* The root is node 0, link i node 1 + i; samples follow. */
static node_id node_of_link(uint32_t link)
{
    return link != NO_PLACE ? 1 + link : 0;
}

static node_id first_sample(const struct digest_graph *d)
{
    return 1 + chains_of(d)->link_count;
}

static void set_node(struct digest_graph *d, node_id n, uint32_t link)
{
    const struct digest_chains *c = chains_of(d);
    d->graph.type[n] = c->type[link];
    d->walk.parent[n] = node_of_link(c->above[link]);
    d->generation[n] = c->generation[link];
    if (d->field_of != NULL)
        d->field_of[n] = c->field[link];
}

/* In a, O(links + samples). */
static struct digest_graph *digest_graph_of(const struct hd_snapshot *snap, struct arena *a)
{
    struct digest_graph *d = arena_alloc(a, sizeof(*d));
    const struct digest_chains *c = &snap->digest->chains;
    size_t nodes = (size_t)1 + c->link_count + c->sample_count;
    d->snap = *snap;
    d->snap.graph = &d->graph;
    d->graph.node_count = (uint32_t)nodes;
    d->graph.type = arena_array(a, type_id, nodes);
    d->walk.parent = arena_array(a, node_id, nodes);
    d->generation = arena_alloc(a, nodes);
    if (c->field != NULL) {
        d->field_of = arena_array(a, field_id, nodes);
        d->fields = (struct fields){.names = snap->digest->field_names,
                                    .name_count = snap->digest->field_count};
        d->graph.fields = &d->fields;
        d->field_of[0] = NO_FIELD;
    }
    d->walk.parent[0] = NO_NODE;
    d->generation[0] = HD_GEN_UNKNOWN;
    for (uint32_t i = 0; i < c->link_count; i++)
        set_node(d, node_of_link(i), i);
    for (uint32_t i = 0; i < c->sample_count; i++)
        set_node(d, first_sample(d) + i, c->link[i]);
    return d;
}

/* Returns the question that asks for the objects at a place, from 1; 0 without. */
static uint32_t query_of_place(const struct digest_graph *d,
                               const struct chain_question *ask, uint32_t place)
{
    type_id type = d->snap.digest->places.type[place];
    uint32_t key = ask->key_of_place != NULL ? ask->key_of_place[place] : type;
    if (d->snap.types[type].kind != TYPE_OBJECT || key >= ask->key_count)
        return 0;
    return ask->query_of_key[key];
}

static uint64_t objects_at(const struct digest_graph *d, const struct chain_question *ask,
                           uint32_t place)
{
    const struct digest_places *p = &d->snap.digest->places;
    bool of_age = ask->selection & SELECT_GEN2 && p->old != NULL;
    return of_age ? p->old[place].count : p->at[place].count;
}

/* Unreachable objects have no place, but count if types are asked for. */
static void count_instances(const struct digest_graph *d, const struct chain_question *ask,
                            struct sampler *samplers)
{
    const struct digest_places *p = &d->snap.digest->places;
    bool of_types = ask->key_of_place == NULL && !(ask->selection & SELECT_REACHABLE);
    for (uint32_t i = 1; !of_types && i < p->len; i++) {
        uint32_t q = query_of_place(d, ask, i);
        if (q != 0)
            samplers[q - 1].instances += objects_at(d, ask, i);
    }
    for (type_id t = 0; of_types && t < d->snap.type_count && t < ask->key_count; t++) {
        const struct type *type = &d->snap.types[t];
        uint32_t q = type->kind == TYPE_OBJECT ? ask->query_of_key[t] : 0;
        if (q != 0)
            samplers[q - 1].instances += ask->selection & SELECT_GEN2
                                             ? type_raw_of_old(type).count
                                             : type->raw.count;
    }
}

/* Returns a sampler for each question, with those of the stored samples that it would have
 * taken; uncovered[question] is the number of instances without stored samples. */
static struct sampler *digest_samples(const struct digest_graph *d,
                                      const struct chain_question *ask,
                                      const struct chain_options *opt, uint64_t *uncovered,
                                      struct arena *a)
{
    const struct digest_chains *c = chains_of(d);
    struct sampler *samplers = arena_array(a, struct sampler, ask->queries);
    for (size_t q = 0; q < ask->queries; q++)
        samplers[q].cap = opt->samples < c->sample_count ? opt->samples : c->sample_count;
    for (uint32_t i = 0; i < c->sample_count; i++) {
        node_id n = first_sample(d) + i;
        uint32_t q = query_of_place(d, ask, c->place[i]);
        if (q == 0)
            continue;
        if (i == 0 || c->place[i] != c->place[i - 1])
            uncovered[q - 1] += objects_at(d, ask, c->place[i]);
        if (!(ask->selection & SELECT_GEN2) ||
            generation_is_old((enum hd_generation)d->generation[n]))
            sampler_offer_hashed(&samplers[q - 1], n, sample_hash(c->node[i], opt->seed));
    }
    for (size_t q = 0; q < ask->queries; q++) {
        samplers[q].instances = 0;
        sampler_sort(&samplers[q]);
    }
    count_instances(d, ask, samplers);
    for (size_t q = 0; q < ask->queries; q++)
        uncovered[q] = samplers[q].instances - uncovered[q];
    return samplers;
}

/* Replaces a digest by the graph of its chains. */
static const struct digest_graph *look_at_digest(struct chain_search *s,
                                                 struct arena *scratch)
{
    if (s->snap->digest == NULL)
        return NULL;
    struct digest_graph *d = digest_graph_of(s->snap, scratch);
    s->snap = &d->snap;
    s->walk = &d->walk;
    s->generation_of = d->generation;
    return d;
}

static struct sampler *choose_samples(struct chain_search *s, const struct digest_graph *d,
                                      const struct chain_options *opt, uint64_t *uncovered,
                                      struct arena *scratch)
{
    if (d == NULL) {
        struct sampler *samplers = arena_array(scratch, struct sampler, s->ask->queries);
        uint32_t most = s->snap->graph->node_count;
        most = opt->samples < most ? opt->samples : most;
        for (size_t q = 0; q < s->ask->queries; q++)
            samplers[q] = (struct sampler){.cap = most};
        for (node_id n = 0; n < s->snap->graph->node_count; n++) {
            uint32_t q = chain_query_of(s->snap, s->ask, n);
            if (q != 0)
                sampler_offer(&samplers[q - 1], n, opt->seed);
        }
        for (size_t q = 0; q < s->ask->queries; q++)
            sampler_sort(&samplers[q]);
        find_fields(s, samplers, opt, scratch);
        return samplers;
    }
    s->field_of = d->field_of;
    if (d->field_of != NULL)
        s->field_names = arena_array(scratch, const char *, d->fields.name_count);
    return digest_samples(d, s->ask, opt, uncovered, scratch);
}

struct chains *chains_find(const struct hd_snapshot *snap, const struct walk *walk,
                           const struct chain_question *ask,
                           const struct chain_options *opt, struct arena *a)
{
    struct arena scratch = {0};
    struct chain_search s = {.snap = snap, .walk = walk, .ask = ask, .answers = a};
    if (ask->role_of_type != NULL)
        s.is_singleton = owner_singletons(snap, ask->role_of_type, &scratch);
    const struct digest_graph *digest = look_at_digest(&s, &scratch);
    struct chains *answers = arena_array(a, struct chains, ask->queries);
    uint64_t *uncovered = arena_array(&scratch, uint64_t, ask->queries);
    struct sampler *samplers = choose_samples(&s, digest, opt, uncovered, &scratch);
    struct node_list list = {0};
    for (size_t q = 0; q < ask->queries; q++) {
        answers[q].instances = samplers[q].instances;
        answers[q].uncovered = uncovered[q];
        answers[q].samples = samplers[q].len;
        struct path *paths = arena_array(&scratch, struct path, samplers[q].len);
        for (uint32_t i = 0; i < samplers[q].len; i++) {
            paths[i] = trace(&s, q, samplers[q].heap[i].node, &list);
            paths[i].order = i;
        }
        group_paths(&answers[q], &s, paths, a);
        find_generations(&answers[q], &s);
        /* The number that a sample had in the heap. */
        for (size_t i = 0; digest != NULL && i < answers[q].len; i++)
            answers[q].all[i].example =
                chains_of(digest)->node[answers[q].all[i].example - first_sample(digest)];
        for (uint32_t i = 0; i < samplers[q].len; i++)
            signature_free(&paths[i].signature);
        sampler_free(&samplers[q]);
    }
    free(list.all);
    bool fits = !opt->exact || digest != NULL || exact_chains(answers, &s, opt->most, a);
    arena_free(&scratch);
    return fits ? answers : NULL;
}
