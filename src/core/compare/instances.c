#include "compare/instances.h"

#include "base/error.h"
#include "chains/chains.h"
#include "format/open.h"
#include "heap/snapshot.h"
#include "owners/retained.h"

#include <stdlib.h>

/* Bytes of a chain in which an owner is sought, and of the search. */
enum { PER_CHAIN = 64 };

struct instance_finder {
    const struct instances_question *ask;
    struct instances *found;
    struct arena *a;
    const struct hd_snapshot *snap;
    struct walk walk;
    unsigned char *root_of; /* by node */
    uint64_t *chosen;       /* bits, by node */
    uint64_t *by_older; /* those that local variables hold through older objects; NULL */
    const struct graph_work *work;
};

/* The rest of the walk, and, in addition to dominators, the retained size and the place of
 * an object. */
static uint64_t plan_instances(uint64_t objects, uint64_t references)
{
    enum { PER_OBJECT = 20 };
    return plan_dominators(objects, references) + objects * PER_OBJECT;
}

/* --- local variables, and what was there before ----------------------------------- */

/* An object on the stack only is about to die, unless it was added to an older object: that
 * one will keep it alive. */
static bool is_older(const struct instance_finder *f, node_id n)
{
    return f->root_of[n] == HD_ROOT_STACK &&
           f->snap->types[f->snap->graph->type[n]].kind == TYPE_OBJECT &&
           f->ask->since_of_node[n] < f->ask->since.first;
}

static void mark_below_older(struct instance_finder *f)
{
    const struct graph *g = f->snap->graph;
    node_id *left = alloc_resize(NULL, array_bytes(g->node_count + 1, sizeof(*left)));
    size_t len = 0;
    f->by_older = bits_new(g->node_count);
    for (node_id n = 0; n < g->node_count; n++)
        if (is_older(f, n)) {
            bits_set(f->by_older, n);
            left[len++] = n;
        }
    while (len > 0) {
        node_id n = left[--len];
        for (uint32_t i = g->edge_begin[n]; i < g->edge_begin[n + 1]; i++) {
            node_id to = g->edge_to[i];
            if (f->root_of[to] != HD_ROOT_STACK || bits_have(f->by_older, to))
                continue;
            bits_set(f->by_older, to);
            left[len++] = to;
        }
    }
    free(left);
}

/* --- which are meant ------------------------------------------------------------- */

static void count_one(const struct instance_finder *f, struct instances_sum *sum, node_id n)
{
    sum->count++;
    sum->bytes += graph_size(f->snap->graph, n);
    sum->held[f->root_of[n]]++;
    if (f->by_older != NULL && f->root_of[n] == HD_ROOT_STACK)
        sum->held_by_older += bits_have(f->by_older, n);
}

static void instances_choose(struct instance_finder *f)
{
    const struct hd_snapshot *snap = f->snap;
    const struct graph *g = snap->graph;
    struct arena scratch = {0};
    uint32_t *query_of_type = arena_array(&scratch, uint32_t, snap->type_count);
    for (type_id t = 0; t < snap->type_count; t++)
        query_of_type[t] = f->ask->is_type[t];
    const struct chain_question ask = {.query_of_key = query_of_type,
                                       .key_count = snap->type_count,
                                       .queries = 1,
                                       .since_of_node = f->ask->since_of_node,
                                       .since_of_query = &f->ask->since,
                                       .selection = f->ask->selection};
    for (node_id n = 0; n < g->node_count; n++) {
        if (chain_query_of(snap, &ask, n) == 0)
            continue;
        bits_set(f->chosen, n);
        count_one(f, &f->found->all, n);
        count_one(f, &f->found->of_type[g->type[n]], n);
    }
    if (f->by_older == NULL) {
        f->found->all.held_by_older = HD_UNKNOWN;
        for (type_id t = 0; t < f->snap->type_count; t++)
            f->found->of_type[t].held_by_older = HD_UNKNOWN;
    }
    arena_free(&scratch);
}

/* --- the largest ----------------------------------------------------------------- */

/* Unknown sizes are last. */
static bool is_before(const struct graph *g, const struct one_instance *x,
                      const struct one_instance *y)
{
    uint64_t a = x->retained + 1, b = y->retained + 1; /* HD_UNKNOWN + 1 is 0 */
    if (a != b)
        return a > b;
    a = graph_address(g, x->node);
    b = graph_address(g, y->node);
    return a != b ? a < b : x->node < y->node;
}

/* A heap with the first one to drop on top. */
static void sink(struct instances *found, const struct graph *g, size_t i, size_t len)
{
    struct one_instance *all = found->largest, moved = all[i];
    for (size_t child; (child = 2 * i + 1) < len; i = child) {
        if (child + 1 < len && is_before(g, &all[child], &all[child + 1]))
            child++;
        if (!is_before(g, &moved, &all[child]))
            break;
        all[i] = all[child];
    }
    all[i] = moved;
}

static void rise(struct instances *found, const struct graph *g, size_t i)
{
    struct one_instance *all = found->largest, moved = all[i];
    for (; i > 0 && is_before(g, &all[(i - 1) / 2], &moved); i = (i - 1) / 2)
        all[i] = all[(i - 1) / 2];
    all[i] = moved;
}

static void offer(struct instance_finder *f, node_id n, uint64_t retained)
{
    struct instances *found = f->found;
    const struct graph *g = f->snap->graph;
    const struct one_instance one = {
        .node = n, .retained = retained, .root = (enum hd_root_kind)f->root_of[n]};
    if (found->len < f->ask->most && found->len < found->all.count) {
        found->largest[found->len++] = one;
        rise(found, g, found->len - 1);
    } else if (found->len > 0 && is_before(g, &one, &found->largest[0])) {
        found->largest[0] = one;
        sink(found, g, 0, found->len);
    }
}

/* --- what they retain ------------------------------------------------------------ */

static void instances_find_retained(struct instance_finder *f)
{
    const struct hd_snapshot *snap = f->snap;
    size_t most = f->found->all.count < f->ask->most ? f->found->all.count : f->ask->most;
    bool has_roots = snap->info.has_roots;
    f->found->largest = arena_array(f->a, struct one_instance, most);
    if (has_roots) {
        struct dominators d = dominators_find(snap, DOMINATORS_PLAIN);
        struct retained_sizes r = retained_by_objects(&d, snap, f->chosen, f->a);
        f->found->all.retained = r.all;
        for (type_id t = 0; t < snap->type_count; t++)
            f->found->of_type[t].retained = r.of_type[t];
        for (uint32_t w = 0; w < d.count; w++)
            if (bits_have(f->chosen, d.node[w]))
                offer(f, d.node[w], r.each[w]);
        free(r.each);
        dominators_free(&d);
    } else {
        f->found->all.retained = HD_UNKNOWN;
        for (type_id t = 0; t < snap->type_count; t++)
            f->found->of_type[t].retained = HD_UNKNOWN;
    }
    for (node_id n = 0; n < snap->graph->node_count; n++)
        if (bits_have(f->chosen, n) && (!has_roots || f->root_of[n] == HD_ROOT_UNREACHABLE))
            offer(f, n, HD_UNKNOWN);
    for (size_t len = f->found->len; len > 1; len--) {
        struct one_instance last = f->found->largest[0];
        f->found->largest[0] = f->found->largest[len - 1];
        f->found->largest[len - 1] = last;
        sink(f->found, snap->graph, 0, len - 1);
    }
}

/* --- who owns them --------------------------------------------------------------- */

static bool too_many_chains(const struct instance_finder *f, struct hd_error *err)
{
    uint64_t limit = f->work->c->how.max_memory;
    return fail_memory(err, "finding who owns these objects",
                       limit + (uint64_t)f->snap->node_count * PER_CHAIN, limit);
}

static bool find_owners(struct instance_finder *f, struct hd_error *err)
{
    struct instances *found = f->found;
    struct arena scratch = {0};
    node_id *nodes = arena_array(&scratch, node_id, found->len);
    struct node_owner *owners = arena_array(&scratch, struct node_owner, found->len);
    uint64_t most = f->work->plan.left / PER_CHAIN;
    for (size_t i = 0; i < found->len; i++)
        nodes[i] = found->largest[i].node;
    struct owner_types types = owner_types_of(f->ask->snaps, f->ask->count);
    bool ok = node_owners_find(owners, nodes, found->len, f->snap, &f->walk,
                               owner_roles(&types, f->snap, &scratch),
                               most < f->snap->node_count ? (size_t)most + 1 : 0);
    for (size_t i = 0; ok && i < found->len; i++)
        found->largest[i].owner = owners[i];
    owner_types_free(&types);
    arena_free(&scratch);
    return ok || too_many_chains(f, err);
}

/* --- the whole search ------------------------------------------------------------ */

static bool find_in(void *context, size_t place, struct hd_snapshot *snap,
                    struct hd_error *err)
{
    struct instance_finder *f = context;
    struct arena of_walk = {0};
    (void)place;
    if (!snapshot_need_graph(snap, err) || !snapshot_need_reach(snap, err))
        return false;
    if (snap->graph == NULL)
        return fail(err, HD_USAGE, "a %s holds no objects", snap->info.format);
    f->snap = snap;
    f->found->of_type = arena_array(f->a, struct instances_sum, snap->type_count);
    f->walk = walk_graph(snap, &of_walk);
    f->root_of = walk_root_kinds(snap, &f->walk);
    f->chosen = bits_new(snap->graph->node_count);
    if (f->ask->since_of_node != NULL)
        mark_below_older(f);
    instances_choose(f);
    comparison_report_progress(f->work->c, HD_FINDING_CHAINS, snap->node_count,
                               snap->node_count);
    instances_find_retained(f);
    bool ok = find_owners(f, err);
    free(f->chosen);
    free(f->by_older);
    free(f->root_of);
    arena_free(&of_walk);
    return ok;
}

bool instances_find(struct instances *found, struct hd_comparison *c,
                    const struct instances_question *ask, struct arena *a,
                    struct hd_error *err)
{
    const size_t last = c->count - 1;
    struct instance_finder f = {.ask = ask, .found = found, .a = a};
    struct graph_work w = {.c = c,
                           .indexes = &last,
                           .count = 1,
                           .work = plan_instances,
                           .on = find_in,
                           .context = &f};
    f.work = &w;
    *found = (struct instances){0};
    comparison_report_progress(c, HD_FINDING_CHAINS, 0, c->snaps[last]->node_count);
    return comparison_work(&w, err);
}
