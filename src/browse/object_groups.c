/* What an object refers to, or what refers to it, by type and field. */
#include "base/pair_table.h"
#include "browse/object_order.h"
#include "browse/objects.h"
#include "heap/fields.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One reference: its other end, and by which field it stands there. */
struct link {
    node_id node;
    field_id field;
    uint32_t group;
};

struct links {
    struct link *all;
    size_t len;
};

/* --- which references there are -------------------------------------------------- */

/* The field of each reference of node n; all NO_FIELD where they are not known. */
static void fields_of(const struct graph *g, node_id n, field_id *ids)
{
    uint32_t count = g->edge_begin[n + 1] - g->edge_begin[n];
    for (uint32_t i = 0; i < count; i++)
        ids[i] = NO_FIELD;
    if (g->fields != NULL && count > 0)
        g->fields->of_node(g->fields->context, n, ids);
}

static field_id *room_for_fields(const struct graph *g, node_id n)
{
    size_t count = g->edge_begin[n + 1] - g->edge_begin[n];
    return alloc_resize(NULL, array_bytes(count + 1, sizeof(field_id)));
}

static void add_references(struct links *links, const struct graph *g, node_id n)
{
    field_id *ids = room_for_fields(g, n);
    uint32_t begin = g->edge_begin[n], count = g->edge_begin[n + 1] - begin;
    fields_of(g, n, ids);
    for (uint32_t i = 0; i < count; i++)
        links->all[links->len++] = (struct link){g->edge_to[begin + i], ids[i], 0};
    free(ids);
}

/* Who refers several times stands several times in a row: each is looked at once. */
static void add_referrers(struct links *links, const struct graph *g,
                          struct neighbours near, node_id n)
{
    for (uint32_t k = 0; k < near.count; k++) {
        node_id from = near.node[k];
        if (k > 0 && near.node[k - 1] == from)
            continue;
        field_id *ids = room_for_fields(g, from);
        uint32_t begin = g->edge_begin[from], count = g->edge_begin[from + 1] - begin;
        fields_of(g, from, ids);
        for (uint32_t i = 0; i < count; i++)
            if (g->edge_to[begin + i] == n)
                links->all[links->len++] = (struct link){from, ids[i], 0};
        free(ids);
    }
}

/* --- as groups ------------------------------------------------------------------- */

static const char *field_name(const struct graph *g, field_id field)
{
    bool known = g->fields != NULL && field < g->fields->name_count;
    return known ? g->fields->names[field] : NULL;
}

static struct hd_object_group group_of(const struct hd_snapshot *snap,
                                       const struct link *link)
{
    const struct type *t = &snap->types[snap->graph->type[link->node]];
    return (struct hd_object_group){.type = t->name,
                                    .full_name = t->full_name,
                                    .kind = objects_kind_of(t),
                                    .first = link->node,
                                    .field = field_name(snap->graph, link->field)};
}

/* Number each link's group, and count its references. */
static size_t find_groups(const struct hd_snapshot *snap, struct links *links,
                          struct hd_object_group **groups)
{
    struct pair_table table = {0};
    size_t len = 0, cap = 0;
    for (size_t i = 0; i < links->len; i++) {
        struct link *link = &links->all[i];
        type_id type = snap->graph->type[link->node];
        link->group = pair_table_put(&table, type, link->field, (uint32_t)len);
        if (link->group == len) {
            *groups = grow(*groups, len, &cap, sizeof(**groups));
            (*groups)[len++] = group_of(snap, link);
        }
        assert(*groups != NULL); /* the first link begins one */
        (*groups)[link->group].references++;
    }
    pair_table_free(&table);
    return len;
}

/* Those of one group, in any order. */
static void count_objects(struct hd_object_group *group, const struct graph *g,
                          node_id *nodes)
{
    order_by_number(nodes, group->references);
    group->first = nodes[0];
    for (size_t i = 0; i < group->references; i++) {
        if (i > 0 && nodes[i - 1] == nodes[i])
            continue;
        group->objects++;
        group->bytes += graph_size(g, nodes[i]);
    }
}

/* Side by side, group by group. */
static void fill_groups(struct hd_object_group *groups, size_t count, const struct graph *g,
                        const struct links *links)
{
    node_id *nodes = alloc_resize(NULL, array_bytes(links->len + 1, sizeof(*nodes)));
    size_t *begin = alloc_zeroed(array_bytes(count + 1, sizeof(*begin)));
    for (size_t i = 0; i < count; i++)
        begin[i + 1] = begin[i] + groups[i].references;
    for (size_t i = 0; i < links->len; i++)
        nodes[begin[links->all[i].group]++] = links->all[i].node;
    for (size_t i = 0; i < count; i++)
        count_objects(&groups[i], g, nodes + begin[i] - groups[i].references);
    free(begin);
    free(nodes);
}

static int by_objects(const void *a, const void *b)
{
    const struct hd_object_group *x = a, *y = b;
    if (x->objects != y->objects)
        return x->objects < y->objects ? 1 : -1;
    int names = strcmp(x->type, y->type);
    if (names == 0)
        names = (int)x->kind - (int)y->kind;
    if (names != 0)
        return names;
    return strcmp(x->field != NULL ? x->field : "", y->field != NULL ? y->field : "");
}

struct hd_object_group *hd_object_groups(const struct hd_objects *o, uint32_t number,
                                         enum hd_direction direction, size_t *count)
{
    struct neighbours near = neighbours_of(o, number, direction);
    struct hd_object_group *groups = NULL;
    *count = 0;
    if (near.count == 0)
        return NULL;
    struct links links = {
        .all = alloc_resize(NULL, array_bytes(near.count, sizeof(struct link)))};
    if (direction == HD_REFERS_TO)
        add_references(&links, o->snap->graph, number);
    else
        add_referrers(&links, o->snap->graph, near, number);
    *count = find_groups(o->snap, &links, &groups);
    fill_groups(groups, *count, o->snap->graph, &links);
    free(links.all);
    assert(groups != NULL);
    qsort(groups, *count, sizeof(*groups), by_objects);
    return groups;
}
