/* List objects: lists by type are slices of the index; others are arrays of their own. */
#include "base/arrays.h"
#include "base/error.h"
#include "browse/object_index.h"
#include "browse/objects.h"
#include "heap/graph.h"

#include <assert.h>
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

/* Reserves the maximum length, within the memory limit. */
static bool list_reserve(struct hd_object_list *list, uint64_t count, struct hd_error *err)
{
    uint64_t bytes = count * sizeof(node_id) + order_work(count);
    if (!comparison_reserve(list->c, bytes, "listing objects", err))
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

/* Sorts list->own, which ascends. */
static void put_in_order(struct hd_object_list *list, const struct graph *g,
                         enum hd_object_order order)
{
    if (order == HD_OBJECTS_BY_SIZE)
        order_by_size(g, list->own, list->count);
    else if (order == HD_OBJECTS_BY_ADDRESS && g->addresses != NULL)
        order_by_address(g, list->own, list->count);
}

/* --- of a type ------------------------------------------------------------------- */

/* Collects the instances of t, as in the graph. Every node is written, and kept if it is
 * one: that avoids an unpredictable branch, and needs capacity for one more. */
static void collect_type(struct hd_object_list *list, const struct type_index *index,
                         const struct graph *g, type_id t)
{
    size_t count = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        list->own[count] = n;
        count += g->type[n] == t && type_index_has(index, g, n);
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
    const struct hd_snapshot *snap = o->snap;
    type_id t = 0;
    while (t < snap->type_count &&
           (snap->types[t].kind != TYPE_OBJECT || strcmp(snap->types[t].name, type) != 0))
        t++;
    if (t == snap->type_count) {
        fail(err, HD_USAGE, "no object of this type in the snapshot");
        return NULL;
    }
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
        ok = list_reserve(list, count, err);
        comparison_end(o->c);
        if (ok)
            collect_type(list, &o->of_types, snap->graph, t);
    }
    if (ok && o->of_types.omits_garbage)
        add_up_bytes(list, snap->graph);
    else
        list->bytes = snap->types[t].raw.bytes;
    if (ok)
        return list;
    hd_object_list_free(list);
    return NULL;
}

/* --- at a place of the tree of owners -------------------------------------------- */

/* Parents precede their children, so one pass over the paths suffices. */
static path_id object_list_path_of(const struct ownership_tree *t,
                                   const struct full_tree *f,
                                   const struct hd_place_step *steps, size_t count)
{
    path_id at = 0;
    size_t step = 0;
    for (path_id p = 1; step < count && p < f->len; p++) {
        const struct label *label = &t->labels.all[f->label[p]];
        if (f->parent[p] != at || (label->kind == TYPE_PSEUDO) != steps[step].is_roots ||
            strcmp(label->name, steps[step].type) != 0)
            continue;
        at = p;
        step++;
    }
    return step == count ? at : NO_PATH;
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

/* Within a question: the ownership is replaced when another selection is asked for. */
static bool fill_place(struct hd_object_list *list, const struct hd_objects *o,
                       const struct hd_place_step *steps, size_t count,
                       enum selection selection, struct hd_error *err)
{
    const struct ownership *owners = o->c->owned[selection];
    size_t i = 0;
    while (owners != NULL && i < owners->usable_count && owners->usable[i] != o->k)
        i++;
    if (owners == NULL || i == owners->usable_count)
        return fail(err, HD_USAGE, "this snapshot has no owners");
    const struct full_tree *f = &owners->tree.full[i];
    path_id path = object_list_path_of(&owners->tree, f, steps, count);
    if (path == NO_PATH)
        return fail(err, HD_USAGE, "nothing at this place in this snapshot");
    if (!list_reserve(list, collect_place(NULL, o, f, path, selection), err))
        return false;
    collect_place(list, o, f, path, selection);
    return true;
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
    unsigned selection = ask != NULL && ask->gen2 ? SELECT_GEN2 : SELECT_ALL;
    if ((ask != NULL && ask->reachable) || comparison_leaves_garbage(o->c))
        selection |= SELECT_REACHABLE;
    bool ok = fill_place(list, o, steps, count, (enum selection)selection, err);
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

struct hd_object_list *hd_object_neighbours(struct hd_objects *o, uint32_t number,
                                            enum hd_direction direction, const char *type,
                                            enum hd_object_order order)
{
    struct hd_object_list *list = list_new(o);
    struct neighbours near = neighbours_of(o, number, direction);
    list->own = alloc_resize(NULL, array_bytes((size_t)near.count + 1, sizeof(node_id)));
    list->node = list->own;
    bool *wanted = alloc_zeroed((size_t)o->snap->type_count + 1); /* per type */
    for (type_id t = 0; t < o->snap->type_count; t++)
        wanted[t] = type == NULL || strcmp(o->snap->types[t].name, type) == 0;
    for (uint32_t i = 0; i < near.count; i++)
        if (wanted[o->snap->graph->type[near.node[i]]])
            list->own[list->count++] = near.node[i];
    free(wanted);
    if (list->count == 0)
        return list;
    order_by_number(list->own, list->count);
    size_t found = list->count;
    list->count = 0;
    for (size_t i = 0; i < found; i++) /* each once */
        if (list->count == 0 || list->own[list->count - 1] != list->own[i])
            list->own[list->count++] = list->own[i];
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

/* --- groups -------------------------------------------------------------------------- */

/* List the references to or from an object, by type and field. */

/* One reference: its other end, and its field. */
struct object_list_link {
    node_id node;
    field_id field;
    uint32_t group;
};

struct links {
    struct object_list_link *all;
    size_t len;
};

/* --- which references there are -------------------------------------------------- */

/* Adds all references of an object, or with `to` only those to it, whose other end is
 * `from`. Unknown fields are NO_FIELD. */
static void add_references(struct links *links, const struct graph *g, node_id from,
                           node_id to)
{
    uint32_t begin = g->edge_begin[from], count = g->edge_begin[from + 1] - begin;
    field_id *ids = alloc_resize(NULL, array_bytes((size_t)count + 1, sizeof(*ids)));
    for (uint32_t i = 0; i < count; i++)
        ids[i] = NO_FIELD;
    if (g->fields != NULL && count > 0)
        g->fields->of_node(g->fields->context, from, ids);
    for (uint32_t i = 0; i < count; i++)
        if (to == NO_NODE || g->edge_to[begin + i] == to)
            links->all[links->len++] = (struct object_list_link){
                to == NO_NODE ? g->edge_to[begin + i] : from, ids[i], 0};
    free(ids);
}

/* malloc'd. An object with several references is several times in a row: each is read
 * once. */
static struct links links_of(const struct graph *g, struct neighbours near, node_id n,
                             enum hd_direction direction)
{
    struct links links = {
        .all = alloc_resize(NULL, array_bytes(near.count, sizeof(*links.all)))};
    if (direction == HD_REFERS_TO)
        add_references(&links, g, n, NO_NODE);
    else
        for (uint32_t k = 0; k < near.count; k++)
            if (k == 0 || near.node[k - 1] != near.node[k])
                add_references(&links, g, near.node[k], n);
    return links;
}

/* --- as groups ------------------------------------------------------------------- */

static const char *field_name(const struct graph *g, field_id field)
{
    bool known = g->fields != NULL && field < g->fields->name_count;
    return known ? g->fields->names[field] : NULL;
}

/* Numbers the group of each link, and counts its references. */
static size_t find_groups(const struct hd_snapshot *snap, struct links *links,
                          struct hd_object_group **groups)
{
    struct pair_table table = {0};
    size_t len = 0, cap = 0;
    for (size_t i = 0; i < links->len; i++) {
        struct object_list_link *link = &links->all[i];
        type_id type = snap->graph->type[link->node];
        link->group = pair_table_put(&table, type, link->field, (uint32_t)len);
        if (link->group == len) {
            const struct type *t = &snap->types[type];
            *groups = grow(*groups, len, &cap, sizeof(**groups));
            (*groups)[len++] =
                (struct hd_object_group){.type = t->name,
                                         .full_name = t->full_name,
                                         .kind = objects_kind_of(t),
                                         .first = link->node,
                                         .field = field_name(snap->graph, link->field)};
        }
        assert(*groups != NULL); /* the first link begins one */
        (*groups)[link->group].references++;
    }
    pair_table_free(&table);
    return len;
}

/* Stores the links group by group. */
static void fill_groups(struct hd_object_group *groups, size_t count, const struct graph *g,
                        const struct links *links)
{
    node_id *nodes = alloc_resize(NULL, array_bytes(links->len + 1, sizeof(*nodes)));
    size_t *begin = alloc_zeroed(array_bytes(count + 1, sizeof(*begin)));
    for (size_t i = 0; i < count; i++)
        begin[i + 1] = begin[i] + groups[i].references;
    for (size_t i = 0; i < links->len; i++)
        nodes[begin[links->all[i].group]++] = links->all[i].node;
    for (size_t i = 0; i < count; i++) {
        struct hd_object_group *group = &groups[i];
        node_id *own = nodes + begin[i] - group->references;
        order_by_number(own, group->references);
        group->first = own[0];
        for (size_t k = 0; k < group->references; k++) {
            if (k > 0 && own[k - 1] == own[k])
                continue;
            group->objects++;
            group->bytes += graph_size(g, own[k]);
        }
    }
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
    struct links links = links_of(o->snap->graph, near, number, direction);
    *count = find_groups(o->snap, &links, &groups);
    fill_groups(groups, *count, o->snap->graph, &links);
    free(links.all);
    assert(groups != NULL);
    qsort(groups, *count, sizeof(*groups), by_objects);
    return groups;
}

/* --- one by one ------------------------------------------------------------------ */

/* A referrer by one field, in output order. */
struct object_list_holder {
    node_id node;
    field_id field;
    uint32_t references;
    unsigned char is_object, root;
};

static int by_strength(const void *a, const void *b)
{
    const struct object_list_holder *x = a, *y = b;
    if (x->is_object != y->is_object)
        return x->is_object < y->is_object ? -1 : 1;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->field > y->field) - (x->field < y->field);
}

static struct object_list_holder *find_holders(const struct hd_objects *o,
                                               const struct links *links)
{
    const struct hd_snapshot *snap = o->snap;
    struct object_list_holder *all =
        alloc_resize(NULL, array_bytes(links->len + 1, sizeof(*all)));
    unsigned char *root_of = walk_root_kinds(snap, &o->walk);
    for (size_t i = 0; i < links->len; i++) {
        node_id n = links->all[i].node;
        const struct type *t = &snap->types[snap->graph->type[n]];
        all[i] =
            (struct object_list_holder){.node = n,
                                        .field = links->all[i].field,
                                        .references = 1,
                                        .is_object = objects_kind_of(t) != HD_OBJECT_ROOTS,
                                        .root = root_of[n]};
    }
    free(root_of);
    return all;
}

struct hd_object_holder *hd_object_holders(const struct hd_objects *o, uint32_t number,
                                           size_t most, size_t *len, size_t *count)
{
    struct neighbours near = neighbours_of(o, number, HD_REFERRED_BY);
    *len = *count = 0;
    if (near.count == 0 || !objects_have(o, HD_OBJECTS_CHAINS))
        return NULL;
    struct links links = links_of(o->snap->graph, near, number, HD_REFERRED_BY);
    struct object_list_holder *all = find_holders(o, &links);
    free(links.all);
    qsort(all, links.len, sizeof(*all), by_strength);
    for (size_t i = 0; i < links.len; i++) { /* equal ones become one */
        struct object_list_holder *before = *count > 0 ? &all[*count - 1] : NULL;
        if (before != NULL && before->node == all[i].node && before->field == all[i].field)
            before->references++;
        else
            all[(*count)++] = all[i];
    }
    *len = *count < most ? *count : most;
    struct hd_object_holder *holders =
        alloc_resize(NULL, array_bytes(*len + 1, sizeof(*holders)));
    for (size_t i = 0; i < *len; i++) {
        struct hd_object_holder *h = &holders[i];
        *h = (struct hd_object_holder){.field = field_name(o->snap->graph, all[i].field),
                                       .references = all[i].references,
                                       .root = (enum hd_root_kind)all[i].root};
        objects_describe(o, all[i].node, &h->object);
        h->object.is_reachable = h->root != HD_ROOT_UNREACHABLE;
    }
    free(all);
    return holders;
}
