#include "owners/placed.h"

static void count_nodes(const struct hd_snapshot *snap, const struct full_tree *f,
                        enum selection selection, struct hd_tally *at,
                        struct hd_tally *left)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; n < g->node_count; n++) {
        type_id t = g->type[n];
        if (n == g->root || snap->types[t].kind != TYPE_OBJECT ||
            !snapshot_selects(snap, n, selection))
            continue;
        path_id p = f->at_node[n];
        struct hd_tally *to = p != NO_PATH ? &at[p] : &left[t];
        to->count++;
        to->bytes += graph_size(g, n);
    }
}

/* What a digest does not place is what no root reaches. */
static void count_places(const struct hd_snapshot *snap, const struct full_tree *f,
                         enum selection selection, struct hd_tally *at,
                         struct hd_tally *left)
{
    const struct digest *d = snap->digest;
    const struct digest_places *from = &d->places;
    bool of_age = selection & SELECT_GEN2 && from->old != NULL;
    for (uint32_t i = 1; i < from->len; i++)
        if (snap->types[from->type[i]].kind == TYPE_OBJECT)
            tally_add(&at[f->at_place[i]], of_age ? &from->old[i] : &from->at[i]);
    if (selection & SELECT_REACHABLE)
        return;
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->kind == TYPE_OBJECT)
            left[t] = of_age ? type_raw_of_old(type) : type->raw;
    }
    for (uint32_t i = 1; i < from->len; i++) {
        const struct hd_tally *placed = of_age ? &from->old[i] : &from->at[i];
        if (snap->types[from->type[i]].kind != TYPE_OBJECT)
            continue;
        tally_take(&left[from->type[i]], placed);
    }
}

void placed_count(const struct hd_snapshot *snap, const struct full_tree *f,
                  enum selection selection, struct hd_tally *at, struct hd_tally *left)
{
    if (snap->graph != NULL)
        count_nodes(snap, f, selection, at, left);
    else
        count_places(snap, f, selection, at, left);
}
