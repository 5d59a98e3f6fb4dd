#include "analysis/holders.h"

#include "analysis/trie.h"

#include <stdlib.h>
#include <string.h>

/* A path may be as deep as the heap; a holder's name has its two ends. */
enum { HEAD_LABELS = 16, TAIL_LABELS = 16 };

struct namer {
    const struct trie *t;
    const struct full_trie *f;
    uint32_t *depth;
    path_id *head; /* the ancestor that is HEAD_LABELS deep, or the path itself above it */
};

static struct namer namer_begin(const struct trie *t, struct arena *scratch)
{
    const struct full_trie *f = &t->full[0];
    struct namer n = {t, f, arena_array(scratch, uint32_t, f->len),
                      arena_array(scratch, path_id, f->len)};
    for (path_id p = 1; p < f->len; p++) {
        n.depth[p] = n.depth[f->parent[p]] + 1;
        n.head[p] = n.depth[p] <= HEAD_LABELS ? p : n.head[f->parent[p]];
    }
    return n;
}

/* The labels from p up to, but not including, stop, in order from the root. */
static void add_labels(struct text *out, const struct namer *n, path_id p, path_id stop,
                       size_t most)
{
    label_id labels[HEAD_LABELS > TAIL_LABELS ? HEAD_LABELS : TAIL_LABELS];
    size_t len = 0;
    for (; p != stop && len < most; p = n->f->parent[p])
        labels[len++] = n->f->label[p];
    while (len > 0) {
        if (out->len > 0)
            text_add_string(out, " → ");
        text_add_string(out, n->t->labels.all[labels[--len]].name);
    }
}

static void holder_name(struct text *out, const struct namer *n, path_id p)
{
    if (p == 0) {
        text_add_string(out, "[roots]");
        return;
    }
    add_labels(out, n, n->head[p], 0, HEAD_LABELS);
    if (n->depth[p] <= HEAD_LABELS)
        return;
    if (n->depth[p] > HEAD_LABELS + TAIL_LABELS)
        text_add_string(out, " → …");
    add_labels(out, n, p, n->head[p], TAIL_LABELS);
}

static void add_holder(struct hd_snapshot *to, enum selection selection, const char *name,
                       struct tally tally)
{
    struct type *row = &to->types[to->type_count++];
    *row = (struct type){.name = name, .kind = TYPE_OBJECT, .raw = tally, .count_scale = 1};
    row->tally[selection] = tally;
}

static bool is_selected(const struct hd_snapshot *snap, node_id n, enum selection selection)
{
    if (snap->types[snap->graph->type[n]].kind != TYPE_OBJECT)
        return false;
    return !(selection & SELECT_GEN2) ||
           generation_is_old(ranges_find(&snap->ranges, graph_address(snap->graph, n)));
}

/* What no path has, type by type: a sample is scaled by type. */
static void add_unreachable(struct hd_snapshot *to, const struct hd_snapshot *snap,
                            const struct full_trie *f, enum selection selection)
{
    struct arena scratch = {0};
    struct tally *left = arena_array(&scratch, struct tally, snap->type_count);
    struct tally all = {0};
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        if (n == snap->graph->root || f->at_node[n] != NO_PATH ||
            !is_selected(snap, n, selection))
            continue;
        left[snap->graph->type[n]].count++;
        left[snap->graph->type[n]].bytes += graph_size(snap->graph, n);
    }
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        double of_bytes = type->raw.bytes > 0 ? (double)type->tally[SELECT_ALL].bytes /
                                                    (double)type->raw.bytes
                                              : 1;
        all.count += (uint64_t)((double)left[t].count * type->count_scale + 0.5);
        all.bytes += (uint64_t)((double)left[t].bytes * of_bytes + 0.5);
    }
    arena_free(&scratch);
    if (all.count > 0 && !(selection & SELECT_REACHABLE))
        add_holder(to, selection, "[unreachable]", all);
}

struct hd_snapshot *holders_of(const struct hd_snapshot *snap, enum selection selection)
{
    static const struct ranking_rules all_rules;
    struct arena scratch = {0};
    struct trie t;
    trie_begin(&t, 1);
    trie_add(&t, 0, snap, selection, &all_rules);
    const struct full_trie *f = &t.full[0];
    struct hd_snapshot *to = alloc_zeroed(sizeof(*to));
    to->info = snap->info;
    to->origin = snap->origin;
    to->identity = snap->identity;
    to->read.tables_only = true; /* there is no graph to be read again */
    to->clock = snap->clock;
    to->clock_is_date = snap->clock_is_date;
    to->types = arena_array(&to->arena, struct type, f->len + 1);

    /* What each path holds directly. */
    struct tally *held = arena_array(&scratch, struct tally, f->len);
    for (path_id p = 1; p < f->len; p++) {
        held[f->parent[p]].count += f->count[p];
        held[f->parent[p]].bytes += f->bytes[p];
    }
    struct namer n = namer_begin(&t, &scratch);
    struct text name = {0};
    for (path_id p = 0; p < f->len; p++) {
        if (held[p].count == 0)
            continue;
        text_clear(&name);
        holder_name(&name, &n, p);
        add_holder(to, selection, arena_strdup(&to->arena, name.data, name.len), held[p]);
    }
    add_unreachable(to, snap, f, selection);
    text_free(&name);
    trie_free(&t);
    arena_free(&scratch);
    return to;
}
