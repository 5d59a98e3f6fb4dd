/* Lists of objects: those of a type are a part of the index where they stand in its order;
 * others are an array of their own. */
#include "base/error.h"
#include "browse/object_order.h"
#include "browse/objects.h"

#include <stdlib.h>
#include <string.h>

struct hd_object_list {
    const node_id *node; /* own, or of the index */
    node_id *own;
    size_t count, cap;
    uint64_t bytes;
    struct hd_comparison *c;
    uint64_t reserved;
};

static struct hd_object_list *list_new(struct hd_objects *o)
{
    struct hd_object_list *list = alloc_zeroed(sizeof(*list));
    list->c = o->c;
    return list;
}

/* Room for all that there may be, within the limit of memory. */
static bool list_room(struct hd_object_list *list, uint64_t count, struct hd_error *err)
{
    uint64_t bytes = count * sizeof(node_id) + order_work(count);
    if (!comparison_reserve(list->c, bytes, "to list objects", err))
        return false;
    list->reserved = bytes;
    list->own = alloc_resize(NULL, array_bytes((size_t)count + 1, sizeof(node_id)));
    list->node = list->own;
    return true;
}

static void add_up_bytes(struct hd_object_list *list, const struct graph *g)
{
    for (size_t i = 0; i < list->count; i++)
        list->bytes += graph_size(g, list->node[i]);
}

/* Those of list->own ascend. */
static void put_in_order(struct hd_object_list *list, const struct graph *g,
                         enum hd_object_order order)
{
    if (order == HD_OBJECTS_BY_SIZE)
        order_by_size(g, list->own, list->count);
    else if (order == HD_OBJECTS_BY_ADDRESS && g->addresses != NULL)
        order_by_address(g, list->own, list->count);
}

/* --- of a type ------------------------------------------------------------------- */

static type_id type_named(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && strcmp(snap->types[t].name, name) == 0)
            return t;
    return NO_TYPE;
}

/* Its instances, as they stand in the graph. Every node is written, and stays if it is one:
 * no branch that nobody can foresee, and there is room for one too many. */
static void collect_type(struct hd_object_list *list, const struct graph *g, type_id t)
{
    size_t count = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        list->own[count] = n;
        count += g->type[n] == t;
    }
    list->count = count;
}

struct hd_object_list *hd_objects_of_type(struct hd_objects *o, const char *type,
                                          enum hd_object_order order, struct hd_error *err)
{
    if (!objects_have(o, HD_OBJECTS_OF_TYPES)) {
        fail(err, HD_USAGE, "the objects of types are not there yet");
        return NULL;
    }
    type_id t = type_named(o->snap, type);
    if (t == NO_TYPE) {
        fail(err, HD_USAGE, "no object of this type is in the snapshot");
        return NULL;
    }
    const struct graph *g = o->snap->graph;
    struct hd_object_list *list = list_new(o);
    const node_id *indexed = order == HD_OBJECTS_BY_SIZE      ? o->of_types.node
                             : order == HD_OBJECTS_BY_ADDRESS ? o->of_types.by_address
                                                              : NULL;
    size_t count = o->of_types.begin[t + 1] - o->of_types.begin[t];
    bool ok = true;
    if (indexed != NULL) {
        list->node = indexed + o->of_types.begin[t];
        list->count = count;
    } else {
        comparison_begin_any(o->c);
        ok = list_room(list, count, err);
        comparison_end(o->c);
        if (ok)
            collect_type(list, g, t);
    }
    list->bytes = o->snap->types[t].raw.bytes;
    if (ok)
        return list;
    hd_object_list_free(list);
    return NULL;
}

/* --- at a place of the tree of owners -------------------------------------------- */

static bool is_step(const struct label *label, const struct hd_place_step *step)
{
    return (label->kind == TYPE_PSEUDO) == step->is_roots &&
           strcmp(label->name, step->type) == 0;
}

/* Parents stand before their children, so one look at each path suffices. */
static path_id path_of(const struct ownership_tree *t, const struct full_tree *f,
                       const struct hd_place_step *steps, size_t count)
{
    path_id at = 0;
    size_t step = 0;
    for (path_id p = 1; step < count && p < f->len; p++) {
        if (f->parent[p] != at || !is_step(&t->labels.all[f->label[p]], &steps[step]))
            continue;
        at = p;
        step++;
    }
    return step == count ? at : NO_PATH;
}

static size_t snapshot_of_owners(const struct ownership *owners, size_t k)
{
    size_t i = 0;
    while (i < owners->usable_count && owners->usable[i] != k)
        i++;
    return i;
}

static uint64_t collect_place(struct hd_object_list *list, const struct hd_objects *o,
                              const struct full_tree *f, path_id path,
                              enum selection selection)
{
    const struct hd_snapshot *snap = o->snap;
    const struct graph *g = snap->graph;
    uint64_t count = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        if (f->at_node[n] != path || snap->types[g->type[n]].kind != TYPE_OBJECT ||
            !snapshot_selects(snap, n, selection))
            continue;
        if (list != NULL)
            list->own[list->count++] = n;
        count++;
    }
    return count;
}

/* Within a question: what is known of owners goes when others are asked for. */
static bool fill_place(struct hd_object_list *list, const struct hd_objects *o,
                       const struct hd_place_step *steps, size_t count,
                       enum selection selection, struct hd_error *err)
{
    const struct ownership *owners = o->c->owned[selection];
    size_t i = owners != NULL ? snapshot_of_owners(owners, o->k) : 0;
    if (owners == NULL || i == owners->usable_count)
        return fail(err, HD_USAGE, "who owns what is not known of this snapshot");
    const struct full_tree *f = &owners->tree.full[i];
    path_id path = path_of(&owners->tree, f, steps, count);
    if (path == NO_PATH)
        return fail(err, HD_USAGE, "nothing is at this place in this snapshot");
    if (!list_room(list, collect_place(NULL, o, f, path, selection), err))
        return false;
    collect_place(list, o, f, path, selection);
    return true;
}

static enum selection selection_of(const struct hd_objects *o, const struct hd_options *ask)
{
    unsigned bits = SELECT_ALL;
    if (ask != NULL && ask->gen2)
        bits |= SELECT_GEN2;
    if ((ask != NULL && ask->reachable) || comparison_leaves_garbage(o->c))
        bits |= SELECT_REACHABLE;
    return (enum selection)bits;
}

struct hd_object_list *hd_objects_at(struct hd_objects *o,
                                     const struct hd_place_step *steps, size_t count,
                                     const struct hd_options *ask,
                                     enum hd_object_order order, struct hd_error *err)
{
    if (!objects_have(o, HD_OBJECTS_GRAPH)) {
        fail(err, HD_USAGE, "the graph is not there yet");
        return NULL;
    }
    struct hd_object_list *list = list_new(o);
    comparison_begin_any(o->c);
    bool ok = fill_place(list, o, steps, count, selection_of(o, ask), err);
    comparison_end(o->c);
    if (ok) {
        put_in_order(list, o->snap->graph, order);
        add_up_bytes(list, o->snap->graph);
        return list;
    }
    hd_object_list_free(list);
    return NULL;
}

/* --- neighbours ------------------------------------------------------------------ */

/* Those of ascending numbers, each once. */
static size_t without_doubles(node_id *nodes, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || nodes[kept - 1] != nodes[i])
            nodes[kept++] = nodes[i];
    return kept;
}

/* Per type, whether it has the name; NULL: any. malloc'd. */
static bool *types_named(const struct hd_snapshot *snap, const char *name)
{
    bool *is = alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*is)));
    for (type_id t = 0; t < snap->type_count; t++)
        is[t] = name == NULL || strcmp(snap->types[t].name, name) == 0;
    return is;
}

struct hd_object_list *hd_object_neighbours(struct hd_objects *o, uint32_t number,
                                            enum hd_direction direction, const char *type,
                                            enum hd_object_order order)
{
    struct hd_object_list *list = list_new(o);
    struct neighbours near = neighbours_of(o, number, direction);
    list->own = alloc_resize(NULL, array_bytes((size_t)near.count + 1, sizeof(node_id)));
    list->node = list->own;
    bool *wanted = types_named(o->snap, type);
    for (uint32_t i = 0; i < near.count; i++)
        if (wanted[o->snap->graph->type[near.node[i]]])
            list->own[list->count++] = near.node[i];
    free(wanted);
    if (list->count == 0)
        return list;
    order_by_number(list->own, list->count);
    list->count = without_doubles(list->own, list->count);
    put_in_order(list, o->snap->graph, order);
    add_up_bytes(list, o->snap->graph);
    return list;
}

/* --- what is in it --------------------------------------------------------------- */

size_t hd_object_list_count(const struct hd_object_list *list)
{
    return list->count;
}

uint64_t hd_object_list_bytes(const struct hd_object_list *list)
{
    return list->bytes;
}

uint32_t hd_object_list_get(const struct hd_object_list *list, size_t place)
{
    return list->node[place];
}

size_t hd_object_list_find(const struct hd_object_list *list, uint32_t number)
{
    size_t place = 0;
    while (place < list->count && list->node[place] != number)
        place++;
    return place;
}

void hd_object_list_free(struct hd_object_list *list)
{
    if (list == NULL)
        return;
    if (list->reserved > 0) {
        comparison_begin_any(list->c);
        comparison_unreserve(list->c, list->reserved);
        comparison_end(list->c);
    }
    free(list->own);
    free(list);
}
