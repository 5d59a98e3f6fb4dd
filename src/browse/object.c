/* One object: what it is, what it refers to, what refers to it, what keeps it alive. */
#include "base/error.h"
#include "browse/objects.h"
#include "heap/names.h"

#include <inttypes.h>

static uint64_t referrers_of(const struct hd_objects *o, node_id n)
{
    if (o->one.from != NULL && o->one.of == n)
        return o->one.count;
    return objects_have(o, HD_OBJECTS_REFERRERS)
               ? o->referrers.begin[n + 1] - o->referrers.begin[n]
               : HD_UNKNOWN;
}

/* By the walk of chains, where nobody has marked what is reachable. */
static bool is_reached(const struct hd_objects *o, node_id n)
{
    const struct graph *g = o->snap->graph;
    if (g->reachable != NULL)
        return graph_reachable(g, n);
    if (!objects_have(o, HD_OBJECTS_CHAINS))
        return false;
    while (n != NO_NODE && n != g->root)
        n = o->walk.parent[n];
    return n == g->root;
}

bool hd_object(const struct hd_objects *o, uint32_t number, struct hd_object *object)
{
    *object = (struct hd_object){.number = number};
    if (!objects_have(o, HD_OBJECTS_GRAPH) || number >= o->snap->graph->node_count)
        return false;
    const struct graph *g = o->snap->graph;
    const struct type *t = &o->snap->types[g->type[number]];
    object->kind = objects_kind_of(t);
    object->address = graph_address(g, number);
    object->type = t->name;
    object->full_name = t->full_name;
    object->bytes = graph_size(g, number);
    object->generation = o->snap->info.has_generations
                             ? ranges_find(&o->snap->ranges, object->address)
                             : HD_GEN_UNKNOWN;
    object->is_reachable = is_reached(o, number);
    object->module = t->module;
    object->instances = t->raw.count;
    object->references = g->edge_begin[number + 1] - g->edge_begin[number];
    object->referrers = referrers_of(o, number);
    return true;
}

/* --- by address ------------------------------------------------------------------ */

static bool is_object(const struct hd_objects *o, node_id n)
{
    return objects_kind_of(&o->snap->types[o->snap->graph->type[n]]) == HD_OBJECT;
}

/* The ones that begin last at or before the address, and first behind it; NO_NODE. */
struct nearest {
    node_id before, behind;
};

static struct nearest find_nearest(const struct hd_objects *o, uint64_t address)
{
    const struct graph *g = o->snap->graph;
    struct nearest near = {NO_NODE, NO_NODE};
    uint64_t before = 0, behind = UINT64_MAX;
    for (node_id n = 0; n < g->node_count; n++) {
        uint64_t here = graph_address(g, n);
        bool is_before = here <= address;
        if (here == 0 || (is_before ? here <= before : here >= behind) || !is_object(o, n))
            continue;
        *(is_before ? &near.before : &near.behind) = n;
        *(is_before ? &before : &behind) = here;
    }
    return near;
}

static bool fail_to_find(const struct graph *g, uint64_t address, struct nearest near,
                         struct hd_error *err)
{
    uint64_t before = near.before != NO_NODE ? graph_address(g, near.before) : 0;
    uint64_t behind = near.behind != NO_NODE ? graph_address(g, near.behind) : 0;
    if (before == 0 && behind == 0)
        return fail(err, HD_USAGE, "this snapshot tells no address of any object");
    if (before == 0)
        return fail(err, HD_USAGE,
                    "no object is at 0x%" PRIx64 ", before all of them: the first is at "
                    "0x%" PRIx64,
                    address, behind);
    if (behind == 0)
        return fail(err, HD_USAGE,
                    "no object is at 0x%" PRIx64 ", behind all of them: the last, of "
                    "%" PRIu64 " bytes, is at 0x%" PRIx64,
                    address, graph_size(g, near.before), before);
    return fail(err, HD_USAGE,
                "no object is at 0x%" PRIx64
                ", which is free or unused: the one before, of "
                "%" PRIu64 " bytes, is at 0x%" PRIx64 ", the next at 0x%" PRIx64,
                address, graph_size(g, near.before), before, behind);
}

bool hd_object_at(const struct hd_objects *o, uint64_t address, uint32_t *number,
                  struct hd_error *err)
{
    if (!objects_have(o, HD_OBJECTS_GRAPH))
        return fail(err, HD_USAGE, "the graph is not there yet");
    const struct graph *g = o->snap->graph;
    if (g->addresses == NULL)
        return fail(err, HD_USAGE, "this snapshot tells no addresses");
    struct nearest near = find_nearest(o, address);
    node_id n = near.before;
    uint64_t begins = n != NO_NODE ? graph_address(g, n) : 0;
    if (n == NO_NODE || (address > begins && address - begins >= graph_size(g, n)))
        return fail_to_find(g, address, near, err);
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

bool hd_type_is_framework(const char *type)
{
    return names_is_framework(name_part(type), NAME_WHOLE);
}

const char *hd_object_kind_name(enum hd_object_kind kind)
{
    static const char *const names[] = {"object", "roots", "undefined"};
    return kind <= HD_OBJECT_UNDEFINED ? names[kind] : NULL;
}
