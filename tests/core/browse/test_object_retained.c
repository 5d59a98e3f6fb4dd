/* Retained size of an object, computed by a thread. */
#include "browse/objects.h"
#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>

struct opened {
    struct hd_snapshot *snap;
    struct hd_comparison *c;
    struct hd_objects *o;
};

static struct opened open_forged(struct forge *f)
{
    struct opened s = {.snap = forge_finish(f)};
    s.c = hd_comparison_of(&s.snap, 1, NULL);
    s.o = hd_objects_open(s.c, 0);
    hd_objects_wait(s.o, NULL);
    return s;
}

static void close_opened(struct opened *s)
{
    hd_objects_close(s->o);
    hd_comparison_free(s->c);
    hd_snapshot_close(s->snap);
}

static uint64_t retained(const struct opened *s, uint32_t number)
{
    uint64_t bytes;
    while (!hd_object_retained(s->o, number, &bytes))
        sched_yield();
    return bytes;
}

/* Two orders share a name; a pair is unreachable. */
Test(object_retained, is_what_hangs_on_it_alone)
{
    struct forge f = {0};
    node_id list = forge_object(&f, "App.List", 32);
    node_id order = forge_objects(&f, "App.Order", 40, 2);
    node_id name = forge_object(&f, "System.String", 30);
    node_id note = forge_object(&f, "System.String", 20);
    node_id lost = forge_objects(&f, "App.Lost", 24, 2);
    forge_reference(&f, list, order);
    forge_reference(&f, list, order + 1);
    forge_reference(&f, order, name);
    forge_reference(&f, order + 1, name);
    forge_reference(&f, order + 1, note);
    forge_reference(&f, order + 1, list);
    forge_reference(&f, lost, lost + 1);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_all", list);
    struct opened s = open_forged(&f);
    cr_expect_eq(retained(&s, order), 40);
    cr_expect_eq(retained(&s, order + 1), 60);
    cr_expect_eq(retained(&s, order + 1), 60, "asked twice");
    cr_expect_eq(retained(&s, name), 30);
    cr_expect_eq(retained(&s, list), 32 + 2 * 40 + 30 + 20);
    cr_expect_eq(retained(&s, lost), HD_UNKNOWN, "no root reaches it");
    cr_expect_eq(retained(&s, s.snap->graph->root), HD_UNKNOWN, "no object");
    cr_expect_eq(retained(&s, UINT32_MAX), HD_UNKNOWN);
    close_opened(&s);
}

Test(object_retained, is_unknown_without_roots)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Order", 40, 2);
    forge_reference(&f, first, first + 1);
    struct opened s = open_forged(&f);
    cr_expect_eq(retained(&s, first), HD_UNKNOWN);
    close_opened(&s);
}

/* Bytes reachable from the root without entering the node. */
static uint64_t reached_without(const struct hd_snapshot *snap, node_id without)
{
    const struct graph *g = snap->graph;
    bool *seen = calloc(g->node_count, sizeof(*seen));
    node_id *queue = calloc(g->node_count, sizeof(*queue));
    uint64_t bytes = 0;
    size_t head = 0, tail = 0;
    seen[g->root] = true;
    queue[tail++] = g->root;
    while (head < tail) {
        node_id n = queue[head++];
        bytes += snap->types[g->type[n]].kind == TYPE_OBJECT ? graph_size(g, n) : 0;
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (!seen[to] && to != without) {
                seen[to] = true;
                queue[tail++] = to;
            }
        }
    }
    free(queue);
    free(seen);
    return bytes;
}

Test(object_retained, is_the_difference_that_the_object_makes)
{
    enum { GRAPHS = 20, NODES = 40, EDGES = 90 };
    struct random r = random_from(5);
    for (int i = 0; i < GRAPHS; i++) {
        struct forge f = {0};
        node_id first = forge_object(&f, "App.Node", 24);
        for (uint32_t n = 1; n < NODES; n++)
            forge_object(&f, "App.Node", 24 + 8 * random_below(&r, 9));
        for (uint32_t e = 0; e < EDGES; e++)
            forge_reference(&f, first + random_below(&r, NODES),
                            first + random_below(&r, NODES));
        forge_root(&f, HD_ROOT_STATIC, "App.s_all", first + random_below(&r, NODES));
        struct opened s = open_forged(&f);
        uint64_t all = reached_without(s.snap, NO_NODE);
        for (node_id n = first; n < first + NODES; n++) {
            uint64_t others = reached_without(s.snap, n);
            cr_assert_eq(retained(&s, n), others == all ? HD_UNKNOWN : all - others);
        }
        close_opened(&s);
    }
}

/* The thread works on one object when another is requested or all are closed. */
Test(object_retained, is_cancelled_immediately_by_another_request)
{
    enum { MANY = 300000 };
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 24, MANY);
    for (uint32_t n = 1; n < MANY; n++)
        forge_reference(&f, first + n - 1, first + n);
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", first);
    struct opened s = open_forged(&f);
    uint64_t bytes;
    for (uint32_t n = 0; n < 20; n++)
        hd_object_retained(s.o, first + n, &bytes);
    cr_expect_eq(retained(&s, first + 1), UINT64_C(24) * (MANY - 1));
    hd_object_retained(s.o, first, &bytes);
    close_opened(&s);
}
