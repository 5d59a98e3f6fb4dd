/* A converted trace compared, node for node, with the .gcdump that Microsoft's converter
 * made of it. The differences are those in docs/convert.md. */
#include "support/rewritten.h"

#include "heap/snapshot.h"
#include "support/trace_forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct hd_snapshot *open_to_write(const char *path)
{
    const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    return snap;
}

struct converted {
    struct hd_snapshot *ours, *theirs;
    char *data;
    node_id null_root;       /* in theirs only */
    size_t null_root_edges;  /* references to it */
    size_t null_root_owners; /* nodes with such references */
};

static enum type_kind kind_of(const struct hd_snapshot *snap, node_id n)
{
    return snap->types[snap->graph->type[n]].kind;
}

static struct converted convert(const char *trace, const char *official)
{
    struct converted c = {.theirs = open_to_write(official), .null_root = NO_NODE};
    struct hd_error err = {0};
    size_t size;
    struct hd_snapshot *from = open_to_write(trace);
    c.ours = rewritten(from, "gcdump", &c.data, &size, &err);
    cr_assert_not_null(c.ours, "%s: %s", trace, err.message);
    hd_snapshot_close(from);
    for (node_id n = 0; n < c.theirs->graph->node_count; n++) {
        if (kind_of(c.theirs, n) != TYPE_UNDEFINED)
            continue;
        cr_assert_eq(c.null_root, NO_NODE, "all null roots are one node");
        c.null_root = n;
    }
    return c;
}

static void close(struct converted *c)
{
    hd_snapshot_close(c->ours);
    hd_snapshot_close(c->theirs);
    free(c->data);
}

/* Our number of one of their nodes. */
static node_id same_node(const struct converted *c, node_id theirs)
{
    return theirs > c->null_root ? theirs - 1 : theirs;
}

static const struct source_gcdump_type *type_of(const struct hd_snapshot *snap, node_id n)
{
    const struct source *s = snap->source;
    return &s->gcdump_types[s->types[snap->graph->source_type[n]].number];
}

static void expect_same_string(node_id n, const char *ours, const char *theirs)
{
    cr_assert_eq(ours == NULL, theirs == NULL, "node %u", n);
    if (ours != NULL)
        cr_assert_str_eq(ours, theirs, "node %u", n);
}

/* In order; counts the references to the null root. */
static void expect_same_references(struct converted *c, node_id n)
{
    const struct graph *x = c->ours->graph, *y = c->theirs->graph;
    node_id same = same_node(c, n);
    uint32_t at = x->edge_begin[same];
    size_t nulls = 0;
    for (uint32_t e = y->edge_begin[n]; e < y->edge_begin[n + 1]; e++) {
        if (y->edge_to[e] == c->null_root) {
            nulls++;
            continue;
        }
        cr_assert_lt(at, x->edge_begin[same + 1], "node %u", n);
        cr_assert_eq(x->edge_to[at], same_node(c, y->edge_to[e]), "node %u", n);
        at++;
    }
    cr_assert_eq(at, x->edge_begin[same + 1], "node %u", n);
    c->null_root_edges += nulls;
    c->null_root_owners += nulls > 0;
}

static void expect_same_node(struct converted *c, node_id n)
{
    node_id same = same_node(c, n);
    const struct source_gcdump_type *x = type_of(c->ours, same), *y = type_of(c->theirs, n);
    expect_same_string(n, x->name, y->name);
    expect_same_string(n, x->module, y->module);
    cr_assert_eq(kind_of(c->ours, same), kind_of(c->theirs, n), "node %u", n);
    cr_assert_eq(graph_address(c->ours->graph, same), graph_address(c->theirs->graph, n),
                 "node %u", n);
    cr_assert_eq(graph_size(c->ours->graph, same), graph_size(c->theirs->graph, n),
                 "node %u", n);
    expect_same_references(c, n);
}

/* Their null root has no record of its own. */
static void expect_same_order_of_records(const struct converted *c)
{
    const struct source *x = c->ours->source, *y = c->theirs->source;
    cr_assert_eq(x->described_count, y->described_count);
    for (uint32_t i = 0; i < x->described_count; i++)
        cr_assert_eq(x->described[i], same_node(c, y->described[i]), "record %u", i);
}

/* Types of the table without a node; type 0 is that of undefined nodes. */
static size_t unused_types(const struct hd_snapshot *snap)
{
    const struct source *s = snap->source;
    bool *used = calloc(s->gcdump_type_count, sizeof(*used));
    size_t unused = s->gcdump_type_count - 1;
    used[0] = true;
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        bool *type = &used[s->types[snap->graph->source_type[n]].number];
        unused -= !*type;
        *type = true;
    }
    free(used);
    return unused;
}

struct expected {
    const char *trace, *official;
    node_id nodes; /* of theirs */
    size_t null_roots, large_types, unused_types;
};

static void expect_same_but_for(const struct expected *e)
{
    struct converted c = convert(e->trace, e->official);
    const struct graph *x = c.ours->graph, *y = c.theirs->graph;
    cr_assert_eq(y->node_count, e->nodes);
    cr_assert_neq(c.null_root, NO_NODE);
    cr_assert_eq(x->node_count, y->node_count - 1);
    cr_expect_eq(y->root, 0);
    cr_expect_eq(x->root, 0);
    for (node_id n = 0; n < y->node_count; n++)
        if (n != c.null_root)
            expect_same_node(&c, n);
    expect_same_order_of_records(&c);

    cr_expect_eq(c.null_root_edges, e->null_roots, "%zu", c.null_root_edges);
    cr_expect_eq(c.null_root_owners, 1, "[local vars]");
    /* Ours has types without objects only if all of these are in size classes. */
    cr_expect_eq(unused_types(c.ours), e->large_types, "%zu", unused_types(c.ours));
    cr_expect_eq(unused_types(c.theirs), e->large_types + e->unused_types, "%zu",
                 unused_types(c.theirs));
    cr_expect_eq(c.ours->source->is_64_bit, c.theirs->source->is_64_bit);
    /* Values that theirs lacks. */
    cr_expect_str_eq(c.ours->source->tool, "heapdrift");
    cr_expect_gt(c.ours->source->ticks, 0);
    cr_expect_eq(c.theirs->source->ticks, 0);
    cr_expect_gt(c.ours->source->pid, 0);
    cr_expect_eq(c.theirs->source->pid, 0);
    cr_expect_not(c.theirs->source->has_heap_info);
    close(&c);
}

Test(official_gcdump, is_what_a_converted_trace_is_node_for_node)
{
    expect_same_but_for(&(struct expected){
        "fixtures/leaklab/nettrace/1.nettrace.zst",
        "fixtures/leaklab/nettrace-official/1.gcdump.zst", 40914, 86, 7, 112});
    expect_same_but_for(&(struct expected){
        "fixtures/leaklab/nettrace-official/dotnet-trace-1.nettrace.zst",
        "fixtures/leaklab/nettrace-official/dotnet-trace-1.gcdump.zst", 40886, 86, 7, 112});
}

/* --- every kind of root ----------------------------------------------------------------
 */

/* Four objects; the first refers to the last. */
static struct hd_snapshot *forged(void)
{
    enum { THREAD = 11, STACK = 0, FINALIZER, HANDLE, ELSE, PINNING = 1, REF_COUNTED = 8 };
    const struct hd_read_options how = {.to_write = true};
    const struct forged_type map = {.id = 0x10000, .name = "App.<>c[App.Map`1[App.Box]]"};
    struct trace_forge f = {.pointer_size = 8};
    struct hd_error err = {0};
    trace_forge_begin(&f);
    trace_forge_gc(&f, THREAD, true, 1);
    trace_forge_types(&f, THREAD, &map, 1);
    trace_forge_static(&f, THREAD, 0x7020, map.id, 1, "<App.IMap.Of>k__BackingField");
    trace_forge_static(&f, THREAD, 0x7040, map.id, 0, "<>9__1");
    trace_forge_static(&f, THREAD, 0x7020, map.id, 0, "<>9__1");
    trace_forge_node(&f, 0x7000, 32, map.id, 1);
    for (uint64_t at = 0x7020; at <= 0x7060; at += 0x20)
        trace_forge_node(&f, at, 32, map.id, 0);
    trace_forge_edge(&f, 0x7060);
    trace_forge_root(&f, 0x7040, HANDLE, 0);
    trace_forge_root(&f, 0, STACK, 0);
    trace_forge_root(&f, 0x7000, STACK, 0);
    trace_forge_root(&f, 0x7000, HANDLE, PINNING);
    trace_forge_root(&f, 0x7000, HANDLE, REF_COUNTED);
    trace_forge_root(&f, 0x7000, ELSE, 0);
    trace_forge_root(&f, 0x7040, FINALIZER, 0);
    trace_forge_root(&f, 0x7000, HANDLE, 0);
    trace_forge_pair(&f, 0x9000, 0x7000);
    trace_forge_walk(&f, THREAD);
    trace_forge_gc(&f, THREAD, false, 1);
    trace_forge_end(&f);
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(f.bytes.data, f.bytes.len, &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    trace_forge_free(&f);
    return snap;
}

Test(official_gcdump, has_its_order_for_every_kind_of_root)
{
    /* By number: a name or an address, and the references. */
    static const struct {
        const char *name;
        uint64_t address;
        node_id to[6];
    } wanted[] = {
        {"[.NET Roots]", 0, {1, 2, 5, 12, 15}},
        {"[static vars]", 0, {13}},
        {"[other roots]", 0, {3, 7, 8, 9, 10, 11}},
        {"[strong Handles]", 0, {4, 6}},
        {NULL, 0x7040, {0}},
        {"[local vars]", 0, {6}},
        {NULL, 0x7000, {17}},
        {"[pinning Handles]", 0, {6}},
        {"[COM/WinRT Objects]", 0, {6}},
        {"[other Handles]", 0, {6}},
        {"[finalizer Handles]", 0, {4}},
        {"[Dependent Handles]", 0, {6}},
        {"[COM/WinRT Objects]", 0, {0}},
        {"[static var App.[]c<App.Map<App.Box>>.<>9__1]", 0, {4, 14}},
        {NULL, 0x7020, {0}},
        {"[thread static vars]", 0, {16}},
        {"[static var App.[]c<App.Map<App.Box>>.<App.IMap.Of>k__BackingField]", 0, {14}},
        {NULL, 0x7060, {0}},
    };
    /* Objects in order, and the tree from the root on. */
    static const node_id described[] = {6, 14, 4, 17, 0,  1, 13, 2,  3,
                                        7, 8,  9, 10, 11, 5, 12, 15, 16};
    enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
    struct hd_error err = {0};
    char *data;
    size_t size;
    struct hd_snapshot *from = forged(),
                       *snap = rewritten(from, "gcdump", &data, &size, &err);
    cr_assert_not_null(snap, "%s", err.message);
    const struct graph *g = snap->graph;
    cr_assert_eq(g->node_count, COUNT);
    cr_expect_eq(g->root, 0);
    for (node_id n = 0; n < COUNT; n++) {
        uint32_t count = 0;
        cr_expect_eq(graph_address(g, n), wanted[n].address, "node %u", n);
        if (wanted[n].name != NULL)
            cr_expect_str_eq(type_of(snap, n)->name, wanted[n].name, "node %u", n);
        while (count < 6 && wanted[n].to[count] != 0)
            count++;
        cr_assert_eq(g->edge_begin[n + 1] - g->edge_begin[n], count, "node %u", n);
        for (uint32_t e = 0; e < count; e++)
            cr_expect_eq(g->edge_to[g->edge_begin[n] + e], wanted[n].to[e], "node %u", n);
    }
    cr_assert_eq(snap->source->described_count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        cr_expect_eq(snap->source->described[i], described[i], "record %u", i);
    hd_snapshot_close(from);
    hd_snapshot_close(snap);
    free(data);
}
