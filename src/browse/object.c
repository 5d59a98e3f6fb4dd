/* One object: what it is, what it refers to, what refers to it, what keeps it alive. */
#include "base/error.h"
#include "browse/object_order.h"
#include "browse/objects.h"
#include "heap/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum hd_object_kind kind_of(const struct type *t)
{
    return t->kind == TYPE_PSEUDO      ? HD_OBJECT_ROOTS
           : t->kind == TYPE_UNDEFINED ? HD_OBJECT_UNDEFINED
                                       : HD_OBJECT;
}

static uint64_t referrers_of(const struct hd_objects *o, node_id n)
{
    return objects_have(o, HD_OBJECTS_REFERRERS)
               ? o->referrers.begin[n + 1] - o->referrers.begin[n]
               : HD_UNKNOWN;
}

bool hd_object(const struct hd_objects *o, uint32_t number, struct hd_object *object)
{
    *object = (struct hd_object){.number = number};
    if (!objects_have(o, HD_OBJECTS_GRAPH) || number >= o->snap->graph->node_count)
        return false;
    const struct graph *g = o->snap->graph;
    const struct type *t = &o->snap->types[g->type[number]];
    object->kind = kind_of(t);
    object->address = graph_address(g, number);
    object->type = t->name;
    object->full_name = t->full_name;
    object->bytes = graph_size(g, number);
    object->generation = o->snap->info.has_generations
                             ? ranges_find(&o->snap->ranges, object->address)
                             : HD_GEN_UNKNOWN;
    object->is_reachable = g->reachable != NULL && graph_reachable(g, number);
    object->instances = t->raw.count;
    object->references = g->edge_begin[number + 1] - g->edge_begin[number];
    object->referrers = referrers_of(o, number);
    return true;
}

/* --- by address ------------------------------------------------------------------ */

static bool is_object(const struct hd_objects *o, node_id n)
{
    return kind_of(&o->snap->types[o->snap->graph->type[n]]) == HD_OBJECT;
}

/* The one that begins last at or before the address; NO_NODE. */
static node_id last_before(const struct hd_objects *o, uint64_t address)
{
    const struct graph *g = o->snap->graph;
    node_id best = NO_NODE;
    uint64_t begins = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t here = graph_address(g, n);
        if (here == 0 || here > address || here <= begins || !is_object(o, n))
            continue;
        best = n;
        begins = here;
    }
    return best;
}

bool hd_object_at(const struct hd_objects *o, uint64_t address, uint32_t *number,
                  struct hd_error *err)
{
    if (!objects_have(o, HD_OBJECTS_GRAPH))
        return fail(err, HD_USAGE, "the graph is not there yet");
    const struct graph *g = o->snap->graph;
    if (g->addresses == NULL)
        return fail(err, HD_USAGE, "this snapshot tells no addresses");
    node_id n = last_before(o, address);
    uint64_t begins = n != NO_NODE ? graph_address(g, n) : 0;
    if (n == NO_NODE || (address > begins && address - begins >= graph_size(g, n)))
        return fail(err, HD_USAGE, "no object is at 0x%" PRIx64, address);
    *number = n;
    return true;
}

/* --- what keeps it alive --------------------------------------------------------- */

/* The root of all roots says nothing. */
static node_id above(const struct hd_objects *o, node_id n)
{
    node_id up = o->walk.parent[n];
    return up == o->snap->graph->root ? NO_NODE : up;
}

static bool has_chain(const struct hd_objects *o, uint32_t number)
{
    return objects_have(o, HD_OBJECTS_CHAINS) && number < o->snap->graph->node_count;
}

size_t hd_object_chain(const struct hd_objects *o, uint32_t number, uint32_t *numbers,
                       size_t room, size_t *skipped, size_t *skipped_at)
{
    *skipped = 0;
    *skipped_at = 0;
    if (!has_chain(o, number) || room < 2)
        return 0;
    size_t length = 0;
    for (node_id n = number; n != NO_NODE; n = above(o, n))
        length++;
    size_t shown = length < room ? length : room, top = shown - shown / 2;
    if (length > room) {
        *skipped = length - room;
        *skipped_at = top;
    }
    size_t at = length;
    for (node_id n = number; n != NO_NODE; n = above(o, n)) {
        at--;
        if (at < top)
            numbers[at] = n;
        else if (at >= length - (shown - top))
            numbers[at - (length - shown)] = n;
    }
    return shown;
}

/* A group's kind is decided by those above it (root_kind.h). */
static enum hd_root_kind kind_at(const struct hd_objects *o, node_id group)
{
    enum { MOST_GROUPS = 64 };
    const struct hd_snapshot *snap = o->snap;
    node_id groups[MOST_GROUPS];
    size_t depth = 0;
    for (node_id n = group; n != NO_NODE && depth < MOST_GROUPS; n = above(o, n))
        groups[depth++] = n;
    enum hd_root_kind kind = HD_ROOT_OTHER;
    while (depth-- > 0)
        kind = root_kind_below(snap->types[snap->graph->type[groups[depth]]].name, kind);
    return kind;
}

enum hd_root_kind hd_object_root(const struct hd_objects *o, uint32_t number)
{
    if (!has_chain(o, number))
        return HD_ROOT_UNREACHABLE;
    node_id n = number;
    while (n != NO_NODE && o->snap->types[o->snap->graph->type[n]].kind != TYPE_PSEUDO)
        n = n == o->snap->graph->root ? NO_NODE : o->walk.parent[n];
    return n != NO_NODE ? kind_at(o, n) : HD_ROOT_UNREACHABLE;
}

/* --- groups of neighbours -------------------------------------------------------- */

static int by_objects(const void *a, const void *b)
{
    const struct hd_object_group *x = a, *y = b;
    if (x->objects != y->objects)
        return x->objects < y->objects ? 1 : -1;
    int names = strcmp(x->type, y->type);
    return names != 0 ? names : (int)x->kind - (int)y->kind;
}

static void count_neighbour(const struct hd_objects *o, struct hd_object_group *group,
                            node_id n, bool is_new)
{
    group->references++;
    if (!is_new)
        return;
    group->objects++;
    group->bytes += graph_size(o->snap->graph, n);
}

static struct hd_object_group group_of(const struct hd_objects *o, node_id n)
{
    const struct type *t = &o->snap->types[o->snap->graph->type[n]];
    return (struct hd_object_group){
        .type = t->name, .full_name = t->full_name, .kind = kind_of(t), .first = n};
}

/* nodes ascend, so that what is referred to twice stands side by side. */
static size_t group_all(const struct hd_objects *o, const node_id *nodes, size_t count,
                        struct hd_object_group **groups)
{
    const struct hd_snapshot *snap = o->snap;
    uint32_t *number =
        alloc_zeroed(array_bytes((size_t)snap->type_count + 1, sizeof(*number)));
    size_t len = 0, cap = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t *of = &number[snap->graph->type[nodes[i]]];
        if (*of == 0) {
            *groups = grow(*groups, len, &cap, sizeof(**groups));
            (*groups)[len++] = group_of(o, nodes[i]);
            *of = (uint32_t)len;
        }
        count_neighbour(o, &(*groups)[*of - 1], nodes[i],
                        i == 0 || nodes[i - 1] != nodes[i]);
    }
    free(number);
    return len;
}

struct hd_object_group *hd_object_groups(const struct hd_objects *o, uint32_t number,
                                         enum hd_direction direction, size_t *count)
{
    struct neighbours near = neighbours_of(o, number, direction);
    struct hd_object_group *groups = NULL;
    *count = 0;
    if (near.count == 0)
        return NULL;
    node_id *nodes = alloc_resize(NULL, array_bytes(near.count, sizeof(*nodes)));
    memcpy(nodes, near.node, near.count * sizeof(*nodes));
    order_by_number(nodes, near.count);
    *count = group_all(o, nodes, near.count, &groups);
    free(nodes);
    qsort(groups, *count, sizeof(*groups), by_objects);
    return groups;
}

bool hd_type_is_framework(const char *type)
{
    return names_is_framework(type);
}
