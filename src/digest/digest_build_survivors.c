#include "digest/digest_build_parts.h"
#include "digest/survivors.h"
#include "heap/identity.h"
#include "series/sampler.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 256 };

static bool is_large(const struct hd_snapshot *snap, type_id t)
{
    const struct hd_info *info = &snap->info;
    return snap->types[t].raw.bytes >= info->bytes / LARGE_SHARE ||
           snap->types[t].raw.count >= info->objects / LARGE_SHARE;
}

static struct sampler *take_samples(const struct hd_snapshot *snap, bool of_all_types,
                                    struct arena *scratch)
{
    const struct graph *g = snap->graph;
    struct sampler *samplers = arena_array(scratch, struct sampler, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && (of_all_types || is_large(snap, t)))
            samplers[t].cap = SAMPLES;
    for (node_id n = 0; n < g->node_count; n++)
        if (samplers[g->type[n]].cap > 0 && graph_address(g, n) != 0)
            sampler_offer_hashed(&samplers[g->type[n]], n,
                                 address_hash(graph_address(g, n)));
    return samplers;
}

struct object {
    uint64_t address;
    node_id node;
};

static int by_address(const void *a, const void *b)
{
    const struct object *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static void keep_type(struct digest_survivors *to, const struct hd_snapshot *snap,
                      type_id t, const struct sampler *from)
{
    const struct graph *g = snap->graph;
    struct object all[SAMPLES];
    uint32_t at = to->begin[to->len];
    for (uint32_t i = 0; i < from->len; i++)
        all[i] = (struct object){graph_address(g, from->heap[i].node), from->heap[i].node};
    qsort(all, from->len, sizeof(*all), by_address);
    for (uint32_t i = 0; i < from->len; i++) {
        /* A damaged file may have two objects at one address: the first counts. */
        if (i > 0 && all[i].address == all[i - 1].address)
            continue;
        to->address[at] = all[i].address;
        to->size[at] = g->small_size[all[i].node];
        to->old[at++] = may_have_survived(snap, all[i].address);
    }
    to->type[to->len++] = t;
    to->begin[to->len] = at;
}

void digest_build_survivors(struct digest_survivors *to, const struct hd_snapshot *snap,
                            bool of_all_types, struct arena *a)
{
    struct arena scratch = {0};
    const struct graph *g = snap->graph;
    if (g->addresses == NULL)
        return;
    struct sampler *samplers = take_samples(snap, of_all_types, &scratch);
    size_t types = 0, objects = 0;
    for (type_id t = 0; t < snap->type_count; t++) {
        types += samplers[t].len > 0;
        objects += samplers[t].len;
    }
    *to = (struct digest_survivors){.samples_each = SAMPLES,
                                    .type = arena_array(a, type_id, types),
                                    .begin = arena_array(a, uint32_t, types + 1),
                                    .address = arena_array(a, uint64_t, objects),
                                    .size = arena_array(a, uint32_t, objects),
                                    .old = arena_alloc(a, objects + 1)};
    for (type_id t = 0; t < snap->type_count; t++) {
        if (samplers[t].len > 0)
            keep_type(to, snap, t, &samplers[t]);
        sampler_free(&samplers[t]);
    }
    arena_free(&scratch);
}
