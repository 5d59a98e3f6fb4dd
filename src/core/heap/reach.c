#include "heap/reach.h"

#include "heap/sample.h"

#include "base/alloc.h"

bool reach_is_known(const struct hd_snapshot *snap)
{
    return snap->info.reachable_objects != HD_UNKNOWN;
}

/* --- what is left out ---------------------------------------------------- */

static void leave_out(struct hd_snapshot *snap, node_id n)
{
    struct hd_info *info = &snap->info;
    struct type *t = &snap->types[snap->graph->type[n]];
    if (t->kind != TYPE_OBJECT)
        return;
    const struct hd_tally one = {1, graph_size(snap->graph, n)};
    info->reachable_objects--;
    info->reachable_bytes -= one.bytes;
    tally_take(&t->tally[SELECT_REACHABLE], &one);
    if (info->has_generations &&
        generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n))))
        tally_take(&t->tally[SELECT_GEN2 | SELECT_REACHABLE], &one);
}

/* A collection runs before a snapshot, so few objects are unreachable: these are taken off
 * from all objects, 64 nodes at a time where there are none. */
static void count_reachable(struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct hd_info *info = &snap->info;
    info->reachable_objects = info->objects;
    info->reachable_bytes = info->bytes;
    for (type_id i = 0; i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        t->tally[SELECT_REACHABLE] = t->raw;
        t->tally[SELECT_GEN2 | SELECT_REACHABLE] = type_raw_of_old(t);
    }
    for (size_t word = 0; word <= g->node_count / 64; word++) {
        uint64_t missing = ~g->reachable[word];
        if (word == g->node_count / 64)
            missing &= (1ULL << (g->node_count % 64)) - 1;
        for (; missing != 0; missing &= missing - 1)
            leave_out(snap, (node_id)(word * 64 + (size_t)__builtin_ctzll(missing)));
    }
}

/* A row's own multiplier is known only for the row as a whole once types of
 * different multipliers are merged; so what is reachable is scaled by the row's
 * ratio, and all of it by exactly the row's own sum. */
static void scale_reachable(struct hd_snapshot *snap)
{
    for (type_id i = 0; i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        double bytes_scale = sample_bytes_scale(t);
        for (int both = 0; both < 2; both++) {
            struct hd_tally *r = &t->tally[SELECT_REACHABLE | (both ? SELECT_GEN2 : 0)];
            bool whole = r->count == t->raw.count;
            *r = whole ? t->tally[SELECT_ALL]
                       : (struct hd_tally){tally_rounded((double)r->count * t->count_scale),
                                           tally_rounded((double)r->bytes * bytes_scale)};
        }
    }
}

static void measure(struct hd_snapshot *snap)
{
    const struct hd_info *info = &snap->info;
    count_reachable(snap);
    if (info->sampled)
        scale_reachable(snap);
    if (info->has_roots && !info->holds_garbage &&
        info->reachable_objects < info->objects - info->reachable_objects) {
        warnings_add(&snap->warnings, WARN_MOSTLY_UNREACHABLE, 0);
        if (snap->image_base != 0)
            warnings_add_detail(&snap->warnings, WARN_MOSTLY_UNREACHABLE,
                                "more than half of the objects are unreachable; a native "
                                "AOT program does not tell what its stacks hold");
    }
}

void reach_from_digest(struct hd_snapshot *snap)
{
    const struct hd_tally *lost = snap->digest->lost;
    for (type_id i = 0; lost != NULL && i < snap->type_count; i++) {
        struct type *t = &snap->types[i];
        if (t->kind != TYPE_OBJECT)
            continue;
        t->tally[SELECT_REACHABLE] = t->raw;
        t->tally[SELECT_GEN2 | SELECT_REACHABLE] = type_raw_of_old(t);
        for (enum hd_generation g = HD_GEN0; g < HD_GENERATION_COUNT; g++) {
            const struct hd_tally *less = &lost[(size_t)i * HD_GENERATION_COUNT + g];
            tally_take(&t->tally[SELECT_REACHABLE], less);
            if (snap->info.has_generations && generation_is_old(g))
                tally_take(&t->tally[SELECT_GEN2 | SELECT_REACHABLE], less);
        }
    }
    if (lost != NULL && snap->info.sampled)
        scale_reachable(snap);
}

/* --- who is reached ------------------------------------------------------ */

void reach_find(struct hd_snapshot *snap)
{
    if (reach_is_known(snap))
        return;
    graph_mark_reachable(snap->graph);
    measure(snap);
}

void reach_given(struct hd_snapshot *snap, const node_id *nodes, uint32_t count)
{
    if (reach_is_known(snap))
        return;
    graph_set_reachable(snap->graph, nodes, count);
    measure(snap);
}

struct hd_tally *reach_lost(const struct hd_snapshot *snap, struct arena *a)
{
    const struct graph *g = snap->graph;
    if (g == NULL)
        return snap->digest != NULL ? snap->digest->lost : NULL;
    struct hd_tally *lost =
        arena_array(a, struct hd_tally, array_bytes(snap->type_count, HD_GENERATION_COUNT));
    for (node_id n = 0; n < g->node_count; n++) {
        if (graph_reachable(g, n) || snap->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        enum hd_generation in = ranges_find(&snap->ranges, graph_address(g, n));
        struct hd_tally *to = &lost[(size_t)g->type[n] * HD_GENERATION_COUNT + in];
        to->count++;
        to->bytes += graph_size(g, n);
    }
    return lost;
}
