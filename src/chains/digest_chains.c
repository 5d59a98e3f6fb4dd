#include "chains/digest_chains.h"

#include <string.h>

static const struct digest_chains *chains_of(const struct digest_graph *d)
{
    return &d->snap.digest->chains;
}

/* The root is node 0, link i node 1 + i; then come the samples. */
static node_id node_of_link(uint32_t link)
{
    return link != NO_PLACE ? 1 + link : 0;
}

static node_id first_sample(const struct digest_graph *d)
{
    return 1 + chains_of(d)->link_count;
}

node_id digest_node(const struct digest_graph *d, node_id sample)
{
    return chains_of(d)->node[sample - first_sample(d)];
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

struct digest_graph *digest_graph_of(const struct hd_snapshot *snap, struct arena *a)
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

/* --- samples --------------------------------------------------------- */

/* The question that asks for the objects at a place, from 1; 0 without. */
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

/* What no root reaches is at no place, and counts where types are asked for. */
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

struct sampler *digest_samples(const struct digest_graph *d,
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
