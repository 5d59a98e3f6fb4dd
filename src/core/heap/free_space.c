#include "heap/free_space.h"

#include "base/alloc.h"
#include "heap/root_kind.h"

#include <stdlib.h>
#include <string.h>

/* --- rows ------------------------------------------------------------------------ */

static bool is_of_mono(const struct hd_snapshot *snap)
{
    return snap->info.runtime != NULL && strstr(snap->info.runtime, "Mono") != NULL;
}

static bool is_called_free(const struct type *t)
{
    return t->kind == TYPE_OBJECT && t->module == NULL && strcmp(t->name, "Free") == 0;
}

/* True if a node of the row has or receives references, or has no size: free blocks do
 * not. */
static bool is_a_class(const struct graph *g, type_id row)
{
    if (g == NULL)
        return false;
    for (node_id n = 0; n < g->node_count; n++)
        if (g->type[n] == row &&
            (g->edge_begin[n] < g->edge_begin[n + 1] || graph_size(g, n) == 0))
            return true;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->type[g->edge_to[e]] == row)
            return true;
    return false;
}

static enum hd_fact fact_of(enum hd_generation gen)
{
    switch (gen) {
    case HD_GEN0:
        return HD_FACT_FREE_GEN0;
    case HD_GEN1:
        return HD_FACT_FREE_GEN1;
    case HD_GEN2:
        return HD_FACT_FREE_GEN2;
    case HD_GEN_LOH:
        return HD_FACT_FREE_LOH;
    case HD_GEN_POH:
        return HD_FACT_FREE_POH;
    default:
        return HD_FACT_COUNT;
    }
}

static uint64_t largest_of(const struct graph *g, type_id row)
{
    uint64_t most = HD_UNKNOWN;
    for (node_id n = 0; g != NULL && n < g->node_count; n++)
        if (g->type[n] == row && (most == HD_UNKNOWN || graph_size(g, n) > most))
            most = graph_size(g, n);
    return most;
}

/* Moves the numbers of the row from the totals, which are as in the file, to the facts. */
static void move_tally(struct hd_snapshot *snap, const struct type *t)
{
    struct hd_process_facts *facts = &snap->facts;
    hd_fact_set(facts, HD_FACT_FREE_BLOCKS, t->raw.count);
    hd_fact_set(facts, HD_FACT_FRAGMENTED, t->raw.bytes);
    snap->info.objects -= t->raw.count;
    if (t->raw.bytes != HD_UNKNOWN)
        snap->info.bytes -= t->raw.bytes;
    for (enum hd_generation gen = HD_GEN0;
         t->by_generation != NULL && gen < HD_GENERATION_COUNT; gen++) {
        tally_take(&snap->by_generation[gen], &t->by_generation[gen]);
        if (fact_of(gen) != HD_FACT_COUNT)
            hd_fact_set(facts, fact_of(gen), t->by_generation[gen].bytes);
    }
}

void free_space_take(struct hd_snapshot *snap, const struct graph *g)
{
    for (type_id row = 0; row < snap->type_count; row++) {
        struct type *t = &snap->types[row];
        if (!is_called_free(t) || is_of_mono(snap) || is_a_class(g, row))
            continue;
        t->kind = TYPE_FREE;
        move_tally(snap, t);
        hd_fact_set(&snap->facts, HD_FACT_LARGEST_FREE, largest_of(g, row));
    }
}

/* --- blocks ---------------------------------------------------------------------- */

static void add_to_fact(struct hd_process_facts *facts, enum hd_fact fact, uint64_t more)
{
    uint64_t before = hd_fact(facts, fact);
    hd_fact_set(facts, fact, before != HD_UNKNOWN ? before + more : more);
}

void free_space_add(struct hd_process_facts *facts, uint64_t size, enum hd_generation gen)
{
    uint64_t largest = hd_fact(facts, HD_FACT_LARGEST_FREE);
    add_to_fact(facts, HD_FACT_FREE_BLOCKS, 1);
    add_to_fact(facts, HD_FACT_FRAGMENTED, size);
    if (fact_of(gen) != HD_FACT_COUNT)
        add_to_fact(facts, fact_of(gen), size);
    if (largest == HD_UNKNOWN || size > largest)
        hd_fact_set(facts, HD_FACT_LARGEST_FREE, size);
}

/* --- pinned objects -------------------------------------------------------------- */

/* Pseudo-nodes that refer to objects with pinned handles; they are few. */
static bool holds_pinned(const struct hd_snapshot *snap, node_id n)
{
    const struct type *t = &snap->types[snap->graph->type[n]];
    return t->kind == TYPE_PSEUDO &&
           root_kind_below(t->name, HD_ROOT_OTHER) == HD_ROOT_PINNED_HANDLE;
}

static void count_pinned(const struct hd_snapshot *snap, struct hd_tally *of_type)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        if (snap->types[g->type[n]].kind != TYPE_PSEUDO || !holds_pinned(snap, n))
            continue;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            const struct hd_tally one = {1, graph_size(g, to)};
            if (snap->types[g->type[to]].kind == TYPE_OBJECT)
                tally_add(&of_type[g->type[to]], &one);
        }
    }
}

void free_space_find_pinned(struct hd_snapshot *snap)
{
    if (snap->roots_by_kind[HD_ROOT_PINNED_HANDLE] == 0)
        return;
    struct hd_tally *of_type =
        alloc_zeroed(array_bytes(snap->type_count, sizeof(*of_type)));
    struct free_holder *best = &snap->pinned;
    count_pinned(snap, of_type);
    for (type_id t = 0; t < snap->type_count; t++)
        if (of_type[t].count > best->at.count)
            *best = (struct free_holder){snap->types[t].name, of_type[t]};
    free(of_type);
}
