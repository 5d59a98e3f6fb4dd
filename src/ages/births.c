#include "ages/births.h"

#include <stdlib.h>
#include <string.h>

/* A cohort fits six bits. What was in the first snapshot remembers it. */
enum { COHORT = 0x3F, OLD = 0x80 };

/* NO_PATH of what is not counted. */
static path_id path_at(const struct births *b, size_t k, const struct hd_snapshot *snap,
                       node_id n)
{
    const struct full_tree *f = &b->t->full[k];
    path_id p = f->at_node[n];
    bool counts = p != NO_PATH && b->t->labels.all[f->label[p]].kind == TYPE_OBJECT &&
                  snapshot_selects(snap, n, b->selection & SELECT_GEN2);
    return counts ? f->cut[p] : NO_PATH;
}

uint32_t *births_cell(struct births *b, path_id p, size_t cohort, size_t k)
{
    uint32_t *row = &b->row[p * b->n + cohort];
    if (*row == 0) {
        size_t numbers = b->n - cohort;
        while (b->len + numbers > b->cap) {
            b->cap = b->cap > 0 ? array_bytes(b->cap, 2) : 4096;
            b->cell = alloc_resize(b->cell, array_bytes(b->cap, sizeof(*b->cell)));
        }
        memset(&b->cell[b->len], 0, numbers * sizeof(*b->cell));
        *row = 1 + (uint32_t)b->len;
        b->len += numbers;
    }
    return &b->cell[*row - 1 + (k - cohort)];
}

static void count(struct births *b, size_t k, const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    for (node_id n = 0; b->kept != NULL && n < g->node_count; n++)
        b->kept[g->type[n]] +=
            (b->cohort[n] & OLD) != 0 && snapshot_selects(snap, n, b->selection);
    for (node_id n = 0; n < g->node_count; n++) {
        path_id p = path_at(b, k, snap, n);
        size_t cohort = b->cohort[n] & COHORT;
        if (p == NO_PATH)
            continue;
        ++*births_cell(b, p, cohort, k);
        if (k + 1 == b->n && cohort > 0) {
            b->stayed[p] += graph_size(g, n);
            b->came[b->t->full[k].at_node[n]]++;
        }
    }
}

void births_begin_empty(struct births *b, const struct ownership_tree *t,
                        enum selection selection)
{
    size_t cells = array_bytes(t->len, t->snapshots);
    *b = (struct births){.t = t,
                         .n = t->snapshots,
                         .source = HD_SAME_BY_EVENTS,
                         .selection = selection,
                         .row = alloc_zeroed(array_bytes(cells, sizeof(*b->row))),
                         .left = alloc_zeroed(array_bytes(cells, sizeof(*b->left))),
                         .stayed = alloc_zeroed(array_bytes(t->len, sizeof(*b->stayed)))};
}

void births_begin(struct births *b, const struct ownership_tree *t,
                  const struct hd_snapshot *first, enum selection selection)
{
    uint32_t nodes = first->graph->node_count;
    births_begin_empty(b, t, selection);
    b->cohort = alloc_zeroed((size_t)nodes + 1);
    memset(b->cohort, OLD, nodes);
    count(b, 0, first);
}

void births_add(struct births *b, size_t k, const struct hd_snapshot *older,
                const struct hd_snapshot *newer, const struct same *same)
{
    uint32_t nodes = newer->graph->node_count;
    if (same->source < b->source)
        b->source = same->source;
    if (b->source == HD_SAME_UNKNOWN)
        return;
    unsigned char *cohort = alloc_zeroed((size_t)nodes + 1);
    memset(cohort, (int)k, nodes);
    for (node_id n = 0; n < same->count; n++) {
        path_id from = path_at(b, k - 1, older, n);
        node_id to = same->next[n];
        bool stays = false;
        if (to != NO_NODE) {
            unsigned char old = b->cohort[n] & OLD;
            stays = from != NO_PATH && path_at(b, k, newer, to) == from;
            cohort[to] = stays ? b->cohort[n] : old != 0 ? OLD : (unsigned char)k;
        }
        if (from != NO_PATH && !stays && (b->cohort[n] & COHORT) == 0)
            b->left[from * b->n + k - 1]++;
    }
    free(b->cohort);
    b->cohort = cohort;
    b->nodes = nodes;
    if (k + 1 == b->n) {
        b->kept =
            alloc_zeroed(array_bytes((size_t)newer->type_count + 1, sizeof(*b->kept)));
        b->came = alloc_zeroed(array_bytes(b->t->full[k].len, sizeof(*b->came)));
    }
    count(b, k, newer);
}

void births_end(struct births *b)
{
    size_t paths = b->t->len;
    for (node_id n = 0; n < b->nodes; n++)
        b->cohort[n] &= COHORT;
    b->stayed_below = alloc_zeroed(array_bytes(paths, sizeof(*b->stayed_below)));
    memcpy(b->stayed_below, b->stayed, paths * sizeof(*b->stayed));
    for (size_t p = paths; p-- > 1;)
        b->stayed_below[b->t->parent[p]] += b->stayed_below[p];
}

void births_free(struct births *b)
{
    free(b->row);
    free(b->cell);
    free(b->left);
    free(b->stayed);
    free(b->stayed_below);
    free(b->kept);
    free(b->came);
    free(b->cohort);
    *b = (struct births){0};
}
