/* The ownership tree for the page, as `heapdrift tree --format=json` writes it: every node,
 * but of a long series only so many snapshots as there is room for, the two that are
 * compared among them. */
#include "render/page/page.h"

#include "render/report_json.h"
#include "report/view_tree.h"

#include <string.h>

/* Of numbers, four per node and snapshot: half a megabyte. */
enum { MOST_VALUES = 80 * 1000, PER_NODE = 4 };

/* Of the snapshots from the first to the last that is compared. */
static size_t choose(const struct hd_tree *t, size_t *chosen)
{
    size_t span = t->last - t->first + 1, room = MOST_VALUES / PER_NODE / t->len;
    size_t len = room < 2 ? 2 : room;
    if (len > span)
        len = span;
    for (size_t i = 0; i < len; i++)
        chosen[i] = len > 1 ? t->first + i * (span - 1) / (len - 1) : t->first;
    return len;
}

static struct hd_tally *pick(const struct hd_tally *at, const size_t *chosen, size_t len,
                             struct arena *a)
{
    struct hd_tally *some = arena_array(a, struct hd_tally, len);
    for (size_t i = 0; i < len; i++)
        some[i] = at[chosen[i]];
    return some;
}

json_t *page_tree(const struct hd_report *r)
{
    struct hd_model m = r->model;
    struct arena a = {0};
    size_t chosen[HD_MAX_SNAPSHOTS];
    struct hd_tree t = view_tree(&r->found.tree, 0, m.snapshot_count, &a);
    size_t len = choose(&t, chosen);
    struct hd_snapshot_facts *snapshots = arena_array(&a, struct hd_snapshot_facts, len);
    struct hd_tree_node *nodes = arena_array(&a, struct hd_tree_node, t.len);
    for (size_t i = 0; i < len; i++)
        snapshots[i] = m.snapshots[chosen[i]];
    for (size_t i = 0; i < t.len; i++) {
        nodes[i] = t.nodes[i];
        nodes[i].at = pick(t.nodes[i].at, chosen, len, &a);
        nodes[i].owned = pick(t.nodes[i].owned, chosen, len, &a);
    }
    t.nodes = nodes;
    t.first = 0;
    t.last = len - 1;
    m.kind = HD_REPORT_TREE;
    m.tree = &t;
    m.diff = NULL;
    m.snapshots = snapshots;
    m.snapshot_count = len;
    m.warning_count = 0;
    json_t *value = report_json(&m);
    arena_free(&a);
    return value;
}
