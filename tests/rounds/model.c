#include "rounds/model.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making ---------------------------------------------------------------------- */

static const enum hd_root_kind kinds[] = {HD_ROOT_STATIC, HD_ROOT_STACK,
                                          HD_ROOT_STRONG_HANDLE, HD_ROOT_PINNED_HANDLE,
                                          HD_ROOT_FINALIZER};

/* Canonical already, so that they are the same in every form. */
static void make_types(struct model *m, struct random *r)
{
    static const char *const usual[] = {"System.String",
                                        "App.Node",
                                        "App.Shop+Order",
                                        "App.Map<System.String,App.Node>",
                                        "App.Shop+<>c__DisplayClass3_0",
                                        "x"};
    enum { USUAL = sizeof(usual) / sizeof(*usual) };
    m->type_count = 1 + random_below(r, MODEL_TYPES);
    for (unsigned t = 0; t < m->type_count; t++) {
        if (t < USUAL && random_below(r, 2) == 0)
            snprintf(m->types[t], sizeof(m->types[t]), "%s", usual[t]);
        else
            snprintf(m->types[t], sizeof(m->types[t]), "Gen.T%u.C%x", t,
                     random_below(r, 1 << 20));
    }
}

static void make_objects(struct model *m, struct random *r)
{
    uint64_t address = UINT64_C(0x10000000) + 16 * random_below(r, 1000);
    uint32_t cut[HD_GEN_FROZEN - 1];
    for (unsigned g = 0; g < HD_GEN_FROZEN - 1; g++) {
        cut[g] = random_below(r, m->count + 1);
        for (unsigned at = g; at > 0 && cut[at - 1] > cut[at]; at--) {
            uint32_t other = cut[at - 1];
            cut[at - 1] = cut[at];
            cut[at] = other;
        }
    }
    unsigned g = 0;
    m->generation_begin[0] = address;
    for (uint32_t i = 0; i < m->count; i++) {
        struct model_object *o = &m->objects[i];
        while (g < HD_GEN_FROZEN - 1 && cut[g] == i)
            m->generation_begin[++g] = address;
        o->type = random_below(r, m->type_count);
        o->size = 8 * (1 + random_below(r, 40));
        if (random_below(r, 30) == 0)
            o->size = random_below(r, 3000000) + 1;
        o->address = address;
        o->generation = (enum hd_generation)g;
        address += (o->size + 15) / 16 * 16 + 16 * random_below(r, 3);
        o->references = random_below(r, MODEL_REFERENCES + 1);
        for (unsigned e = 0; e < o->references; e++)
            o->to[e] = random_below(r, m->count);
    }
    while (g < HD_GEN_FROZEN)
        m->generation_begin[++g] = address;
}

static bool has_root(const struct model *m, enum hd_root_kind kind, uint32_t object)
{
    for (unsigned i = 0; i < m->root_count; i++)
        if (m->roots[i].kind == kind && m->roots[i].object == object)
            return true;
    return false;
}

static unsigned roots_of_kind(const struct model *m, enum hd_root_kind kind)
{
    unsigned count = 0;
    for (unsigned i = 0; i < m->root_count; i++)
        count += m->roots[i].kind == kind;
    return count;
}

static void make_roots(struct model *m, struct random *r)
{
    for (unsigned more = 1 + random_below(r, MODEL_ROOTS); more > 0; more--) {
        struct model_root root = {.kind = kinds[random_below(r, 5)],
                                  .object = random_below(r, m->count)};
        snprintf(root.field, sizeof(root.field), "s_%u", m->root_count);
        if (!has_root(m, root.kind, root.object) &&
            roots_of_kind(m, root.kind) < MODEL_REFERENCES)
            m->roots[m->root_count++] = root;
    }
}

void model_make(struct model *m, struct random *r, uint32_t most)
{
    *m = (struct model){.count = 1 + random_below(r, most)};
    m->objects = alloc_zeroed(array_bytes(m->count, sizeof(*m->objects)));
    make_types(m, r);
    make_objects(m, r);
    make_roots(m, r);
}

void model_free(struct model *m)
{
    free(m->objects);
    *m = (struct model){0};
}

const char *model_variable(const struct model *m, const struct model_root *root,
                           bool by_type, struct text *to)
{
    text_clear(to);
    text_add_string(to, "[static var ");
    text_add_string(to, m->types[m->objects[root->object].type]);
    if (!by_type) {
        text_add_char(to, '.');
        text_add_string(to, root->field);
    }
    text_add_char(to, ']');
    return text_string(to);
}

/* --- comparing ------------------------------------------------------------------- */

static const char *rows_differ(const struct model *m, const struct hd_snapshot *snap)
{
    uint64_t rows = 0, bytes = 0;
    struct hd_tally want[MODEL_TYPES] = {0};
    for (uint32_t i = 0; i < m->count; i++) {
        const struct model_object *o = &m->objects[i];
        want[o->type].count++;
        want[o->type].bytes += o->size;
        bytes += o->size;
    }
    if (snap->info.objects != m->count || snap->info.bytes != bytes)
        return "objects or bytes";
    for (unsigned t = 0; t < m->type_count; t++) {
        rows += want[t].count > 0;
        for (type_id i = 0; want[t].count > 0; i++) {
            if (i == snap->type_count)
                return "a type is missing";
            const struct type *row = &snap->types[i];
            if (row->kind != TYPE_OBJECT || strcmp(row->name, m->types[t]) != 0)
                continue;
            if (row->raw.count != want[t].count || row->raw.bytes != want[t].bytes)
                return "counts or bytes of a type";
            break;
        }
    }
    return snap->info.types == rows ? NULL : "the number of types";
}

/* Objects by node, and nodes by object. */
struct match {
    uint32_t *node_of, *object_of;
};

static bool is_object(const struct hd_snapshot *snap, node_id n)
{
    return snap->types[snap->graph->type[n]].kind == TYPE_OBJECT;
}

static uint32_t object_at(const struct model *m, uint64_t address)
{
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->objects[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->objects[low].address == address ? low : UINT32_MAX;
}

static struct match match_objects(const struct model *m, const struct hd_snapshot *snap,
                                  const struct model_view *view, struct arena *a)
{
    const struct graph *g = snap->graph;
    struct match x = {arena_array(a, uint32_t, m->count),
                      arena_array(a, uint32_t, g->node_count)};
    memset(x.node_of, 0xFF, m->count * sizeof(*x.node_of));
    memset(x.object_of, 0xFF, g->node_count * sizeof(*x.object_of));
    uint32_t next = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        uint32_t object = UINT32_MAX;
        if (!is_object(snap, n))
            continue;
        if (graph_address(g, n) != 0)
            object = object_at(m, graph_address(g, n));
        else if (next < m->count)
            object = view->order != NULL ? view->order[next] : next;
        next++;
        x.object_of[n] = object;
        if (object != UINT32_MAX)
            x.node_of[object] = n;
    }
    return x;
}

static const char *objects_differ(const struct model *m, const struct hd_snapshot *snap,
                                  const struct model_view *view, const struct match *x)
{
    const struct graph *g = snap->graph;
    for (uint32_t i = 0; i < m->count; i++) {
        const struct model_object *o = &m->objects[i];
        node_id n = x->node_of[i];
        if (n == NO_NODE)
            return "an object is missing";
        if (strcmp(snap->types[g->type[n]].name, m->types[o->type]) != 0)
            return "the type of an object";
        if (graph_size(g, n) != o->size)
            return "the size of an object";
        if (g->edge_begin[n + 1] - g->edge_begin[n] != o->references)
            return "the number of references of an object";
        for (unsigned e = 0; e < o->references; e++)
            if (g->edge_to[g->edge_begin[n] + e] != x->node_of[o->to[e]])
                return "a reference";
        if (view->generations &&
            ranges_find(&snap->ranges, graph_address(g, n)) != o->generation)
            return "the generation of an object";
    }
    return NULL;
}

/* --- roots ------------------------------------------------------------------------- */

struct finder {
    const struct model *m;
    const struct hd_snapshot *snap;
    const struct match *x;
    bool by_type;
    unsigned found;
    bool seen[MODEL_ROOTS];
};

static bool take_root(struct finder *f, enum hd_root_kind kind, const char *group,
                      uint32_t object)
{
    struct text name = {0};
    bool taken = false;
    for (unsigned i = 0; !taken && i < f->m->root_count; i++) {
        const struct model_root *r = &f->m->roots[i];
        if (f->seen[i] || r->kind != kind || r->object != object)
            continue;
        taken = kind != HD_ROOT_STATIC ||
                strcmp(group, model_variable(f->m, r, f->by_type, &name)) == 0;
        f->seen[i] = taken;
    }
    text_free(&name);
    f->found += taken;
    return taken;
}

/* Pseudo-nodes are few and nested at most three deep. */
static bool take_roots(struct finder *f, node_id n, enum hd_root_kind kind, unsigned depth)
{
    const struct graph *g = f->snap->graph;
    const char *group = f->snap->types[g->type[n]].name;
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
        node_id to = g->edge_to[e];
        const struct type *t = &f->snap->types[g->type[to]];
        bool ok =
            t->kind == TYPE_PSEUDO
                ? depth < 4 && take_roots(f, to, root_kind_below(t->name, kind), depth + 1)
                : take_root(f, kind, group, f->x->object_of[to]);
        if (!ok)
            return false;
    }
    return true;
}

static const char *roots_differ(const struct model *m, const struct hd_snapshot *snap,
                                const struct model_view *view, const struct match *x)
{
    struct finder f = {m, snap, x, view->statics_by_type, 0, {false}};
    if (!take_roots(&f, snap->graph->root, HD_ROOT_OTHER, 0))
        return "a root that the model lacks";
    return f.found == m->root_count ? NULL : "a root is missing";
}

static uint64_t reachable_in(const struct model *m, struct arena *a)
{
    uint32_t *queue = arena_array(a, uint32_t, m->count), len = 0;
    bool *seen = arena_array(a, bool, m->count);
    for (unsigned i = 0; i < m->root_count; i++)
        if (!seen[m->roots[i].object]) {
            seen[m->roots[i].object] = true;
            queue[len++] = m->roots[i].object;
        }
    for (uint32_t head = 0; head < len; head++)
        for (unsigned e = 0; e < m->objects[queue[head]].references; e++) {
            uint32_t to = m->objects[queue[head]].to[e];
            if (!seen[to])
                queue[len++] = to;
            seen[to] = true;
        }
    return len;
}

const char *model_differs(const struct model *m, const struct hd_snapshot *snap,
                          const struct model_view *view)
{
    const char *what = rows_differ(m, snap);
    if (what != NULL || !view->graph)
        return what;
    if (snap->graph == NULL)
        return "the graph";
    struct arena scratch = {0};
    struct match x = match_objects(m, snap, view, &scratch);
    what = objects_differ(m, snap, view, &x);
    what = what != NULL ? what : roots_differ(m, snap, view, &x);
    if (what == NULL && snap->info.reachable_objects != reachable_in(m, &scratch))
        what = "what is reachable";
    arena_free(&scratch);
    return what;
}
