#include "ages/sampled_objects.h"

#include "base/arrays.h"
#include "identity/places.h"

#include <stdlib.h>

node_id *sampled_nodes(const struct hd_snapshot *snap)
{
    const struct allocation_sites *sites = snap->sites;
    if (sites == NULL || snap->graph == NULL)
        return NULL;
    struct places p = places_of(snap);
    uint32_t count = sites->object_count;
    bool is_of = p.len > 0 && places_token(&p) == sites->token &&
                 (count == 0 || sites->objects[count - 1].object < p.len);
    node_id *nodes =
        is_of ? alloc_zeroed(array_bytes((size_t)count + 1, sizeof(*nodes))) : NULL;
    for (uint32_t i = 0; nodes != NULL && i < count; i++)
        nodes[i] = p.all[sites->objects[i].object].object;
    places_free(&p);
    return nodes;
}

/* --- for a digest ------------------------------------------------------------------ */

struct counted_stack {
    uint32_t stack, objects;
};

static int by_objects(const void *a, const void *b)
{
    const struct counted_stack *x = a, *y = b;
    if (x->objects != y->objects)
        return x->objects < y->objects ? 1 : -1;
    return (x->stack > y->stack) - (x->stack < y->stack);
}

/* Marks the `most` stacks with most objects; malloc'd. */
static bool *choose_stacks(const struct allocation_sites *sites, size_t most)
{
    size_t count = sites->stack_count;
    struct counted_stack *all = alloc_zeroed(array_bytes(count + 1, sizeof(*all)));
    bool *chosen = alloc_zeroed(count + 1);
    for (size_t i = 0; i < count; i++)
        all[i].stack = (uint32_t)i;
    for (uint32_t i = 0; i < sites->object_count; i++)
        all[sites->objects[i].stack].objects++;
    if (count > 0)
        qsort(all, count, sizeof(*all), by_objects);
    for (size_t i = 0; i < count && i < most; i++)
        chosen[all[i].stack] = true;
    free(all);
    return chosen;
}

/* One object in `share` of the `most` stacks; those of other stacks are unnamed. */
static struct allocation_sites *put_in_places(const struct hd_snapshot *snap,
                                              const node_id *nodes,
                                              const struct full_tree *t, size_t most,
                                              uint64_t share, struct arena *a)
{
    const struct allocation_sites *sites = snap->sites;
    bool *chosen = choose_stacks(sites, most);
    struct allocation_sites drawn = *sites;
    struct site_builder b;
    drawn.per_sample *= share;
    site_builder_begin(&b, a);
    for (uint32_t i = 0; i < sites->object_count; i++) {
        struct site_object object = sites->objects[i];
        path_id place = t->at_node[nodes[i]];
        if (place == NO_PATH || place == 0 || !site_object_is_drawn(sites, &object, share))
            continue;
        object.object = place;
        object.stack = chosen[object.stack]
                           ? site_builder_copy_stack(&b, sites, object.stack)
                           : NO_SITE;
        site_builder_object(&b, object);
    }
    free(chosen);
    return site_builder_end(&b, &drawn, true);
}

struct allocation_sites *sampled_by_place(const struct hd_snapshot *snap,
                                          const struct full_tree *t, struct arena *a)
{
    node_id *nodes = sampled_nodes(snap);
    struct allocation_sites *kept = NULL;
    size_t most = MAX_SITE_STACKS;
    bool fits = nodes == NULL;
    for (uint64_t share = 1; !fits; share++, most /= 2) {
        struct arena scratch = {0};
        struct text text = {0};
        allocation_sites_put(put_in_places(snap, nodes, t, most, share, &scratch), &text);
        fits = text.len > 0 && text.len <= MAX_DIGEST_SITES;
        if (fits)
            kept = allocation_sites_parse(text.data, text.len, a);
        text_free(&text);
        arena_free(&scratch);
    }
    free(nodes);
    return kept;
}
