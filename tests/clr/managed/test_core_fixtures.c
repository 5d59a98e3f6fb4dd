/* Real cores, reduced to the parts that are read, compared with gcdumps of the same
 * processes in the same state: the gate of tests/live/core_gate.py, for machines without
 * .NET. fixtures/README.md has their origin. */
#include "format/open.h"
#include "heap/graph.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {"net10", "net9-server", "net8", "net10-aarch64",
                                    "net10-windows"};
enum { FILES = sizeof(files) / sizeof(*files) };

/* suffix: "core" or "gcdump"; a core of Windows is a minidump. */
static struct hd_snapshot *open_fixture(const char *name, const char *suffix)
{
    if (strcmp(suffix, "core") == 0 && strstr(name, "windows") != NULL)
        suffix = "dmp";
    char path[100];
    struct hd_error err = {0};
    struct hd_read_options how = {.size = sizeof(how)};
    snprintf(path, sizeof(path), "fixtures/core/%s.%s.xz", name, suffix);
    struct hd_snapshot *snap = hd_snapshot_open(path, &how, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    cr_assert(snapshot_need_graph(snap, &err), "%s: %s", path, err.message);
    cr_assert(snapshot_need_reach(snap, &err), "%s: %s", path, err.message);
    return snap;
}

/* --- objects by address ---------------------------------------------------------- */

struct place {
    uint64_t address;
    node_id node;
};

struct places {
    struct place *all;
    size_t len;
};

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct place *)a)->address, y = ((const struct place *)b)->address;
    return x < y ? -1 : x > y;
}

static struct places places_of(const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    struct places p = {.all = calloc(g->node_count, sizeof(*p.all))};
    cr_assert_not_null(p.all);
    for (node_id n = 0; n < g->node_count; n++)
        if (snap->types[g->type[n]].kind == TYPE_OBJECT)
            p.all[p.len++] = (struct place){graph_address(g, n), n};
    qsort(p.all, p.len, sizeof(*p.all), by_address);
    return p;
}

static node_id node_at(const struct places *p, uint64_t address)
{
    struct place key = {.address = address};
    struct place *found = bsearch(&key, p->all, p->len, sizeof(key), by_address);
    return found != NULL ? found->node : NO_NODE;
}

static const char *type_of(const struct hd_snapshot *snap, node_id n)
{
    return snap->types[snap->graph->type[n]].name;
}

/* --- what is held ---------------------------------------------------------------- */

static void take(const struct graph *g, node_id n, bool *seen, node_id *queue, size_t *len)
{
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        if (!seen[g->edge_to[e]]) {
            seen[g->edge_to[e]] = true;
            queue[(*len)++] = g->edge_to[e];
        }
}

/* By node: true if a root other than those of finalizers holds it. Finalizers ran soon
 * after the collection in the gcdump. */
static bool *held_nodes(const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    bool *seen = calloc(g->node_count, sizeof(*seen));
    node_id *queue = calloc(g->node_count, sizeof(*queue));
    size_t len = 0;
    cr_assert(seen != NULL && queue != NULL);
    for (node_id n = 0; n < g->node_count; n++)
        seen[n] = strstr(type_of(snap, n), "inalizer") != NULL &&
                  snap->types[g->type[n]].kind == TYPE_PSEUDO;
    take(g, g->root, seen, queue, &len);
    for (size_t i = 0; i < len; i++)
        take(g, queue[i], seen, queue, &len);
    free(queue);
    return seen;
}

/* --- references ------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The reference that keeps a collectible type alive is not a field. */
static bool is_no_allocator(const struct hd_snapshot *snap, node_id to)
{
    return strcmp(type_of(snap, to), "System.Reflection.LoaderAllocator") != 0;
}

/* Addresses that n refers to, ascending. */
static uint64_t *targets_of(const struct hd_snapshot *snap, node_id n, size_t *len)
{
    const struct graph *g = snap->graph;
    uint32_t begin = g->edge_begin[n], end = g->edge_begin[n + 1];
    uint64_t *to = calloc(end - begin + 1U, sizeof(*to));
    cr_assert_not_null(to);
    *len = 0;
    for (uint32_t e = begin; e < end; e++)
        to[(*len)++] = graph_address(g, g->edge_to[e]);
    qsort(to, *len, sizeof(*to), by_number);
    return to;
}

static void expect_same_references(const struct hd_snapshot *core, node_id here,
                                   const struct hd_snapshot *gcdump, node_id there)
{
    size_t len, wanted;
    uint64_t *to = targets_of(core, here, &len);
    uint64_t *wanted_to = targets_of(gcdump, there, &wanted);
    cr_expect(len == wanted && memcmp(to, wanted_to, len * sizeof(*to)) == 0,
              "%s at %llx refers to %zu objects, in the gcdump to %zu", type_of(core, here),
              (unsigned long long)graph_address(core->graph, here), len, wanted);
    free(to);
    free(wanted_to);
}

static void expect_same_heap(const char *name)
{
    struct hd_snapshot *core = open_fixture(name, "core");
    struct hd_snapshot *gcdump = open_fixture(name, "gcdump");
    struct places here = places_of(core), there = places_of(gcdump);
    bool *held = held_nodes(gcdump);
    size_t reachable = 0;
    for (size_t i = 0; i < there.len; i++) {
        node_id wanted = there.all[i].node, n = node_at(&here, there.all[i].address);
        /* Another object may be at its address by now. */
        if (!held[wanted] &&
            (n == NO_NODE || strcmp(type_of(core, n), type_of(gcdump, wanted)) != 0))
            continue;
        cr_assert_neq(n, NO_NODE, "an object at %llx",
                      (unsigned long long)there.all[i].address);
        cr_assert_str_eq(type_of(core, n), type_of(gcdump, wanted));
        cr_assert_eq(graph_size(core->graph, n), graph_size(gcdump->graph, wanted));
        cr_assert(graph_reachable(core->graph, n) || !held[wanted], "%s is held",
                  type_of(core, n));
        expect_same_references(core, n, gcdump, wanted);
    }
    free(held);
    for (size_t i = 0; i < here.len; i++)
        reachable += graph_reachable(core->graph, here.all[i].node);
    cr_expect_leq(reachable, there.len + 20, "what a session of the gcdump allocates");
    cr_expect_gt(there.len, 5000);
    free(here.all);
    free(there.all);
    hd_snapshot_close(core);
    hd_snapshot_close(gcdump);
}

Test(core_fixtures, the_same_heap)
{
    for (size_t i = 0; i < FILES; i++)
        expect_same_heap(files[i]);
}

/* --- fields ---------------------------------------------------------------------- */

/* Number of n's references without a field: dependent handles. */
static size_t without_field(const struct hd_snapshot *core, node_id n, field_id *ids)
{
    const struct graph *g = core->graph;
    size_t count = 0;
    g->fields->of_node(g->fields->context, n, ids);
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
        count +=
            ids[e - g->edge_begin[n]] == NO_FIELD && is_no_allocator(core, g->edge_to[e]);
    return count;
}

static void expect_fields(const char *name)
{
    struct hd_snapshot *core = open_fixture(name, "core");
    const struct graph *g = core->graph;
    field_id *ids = calloc(g->edge_count + 1U, sizeof(*ids));
    cr_assert_not_null(ids);
    cr_assert_not_null(g->fields);
    for (node_id n = 0; n < g->node_count; n++) {
        if (core->types[g->type[n]].kind != TYPE_OBJECT)
            continue;
        size_t unnamed = without_field(core, n, ids);
        /* A session has a note in a ConditionalWeakTable. */
        cr_expect_leq(unnamed, 1, "%zu references of a %s", unnamed, type_of(core, n));
    }
    free(ids);
    hd_snapshot_close(core);
}

Test(core_fixtures, every_reference_has_a_field)
{
    for (size_t i = 0; i < FILES; i++)
        expect_fields(files[i]);
}

static node_id first_below(const struct hd_snapshot *core, const char *pseudo)
{
    const struct graph *g = core->graph;
    for (node_id n = 0; n < g->node_count; n++)
        if (core->types[g->type[n]].kind == TYPE_PSEUDO &&
            strcmp(type_of(core, n), pseudo) == 0)
            return g->edge_to[g->edge_begin[n]];
    cr_assert_fail("there is no %s", pseudo);
    return NO_NODE;
}

/* The object that a field of n refers to; for an array, from the last element. */
static node_id follow(const struct hd_snapshot *core, node_id n, const char *field)
{
    const struct graph *g = core->graph;
    for (uint32_t e = g->edge_begin[n + 1]; e-- > g->edge_begin[n];) {
        const char *name = field_between(g, n, g->edge_to[e]);
        if (name != NULL && strcmp(name, field) == 0)
            return g->edge_to[e];
    }
    cr_assert_fail("%s has no %s", type_of(core, n), field);
    return NO_NODE;
}

Test(core_fixtures, a_chain_by_its_fields)
{
    static const char *const steps[][2] = {
        {"_entries", "Entry<System.Int32,Shop.Session>[]"},
        {"[].value", "Shop.Session"},
        {"Log", "System.Collections.Generic.List<Shop.LogEntry>"},
        {"_items", "Shop.LogEntry[]"},
        {"[]", "Shop.LogEntry"},
        {"Text", "System.String"},
    };
    for (size_t k = 0; k < FILES; k++) {
        struct hd_snapshot *core = open_fixture(files[k], "core");
        node_id n = first_below(core, "[static var Shop.Store.s_byNumber]");
        cr_expect_str_eq(
            type_of(core, n),
            "System.Collections.Generic.Dictionary<System.Int32,Shop.Session>");
        for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
            n = follow(core, n, steps[i][0]);
            cr_expect_str_eq(type_of(core, n), steps[i][1]);
        }
        hd_snapshot_close(core);
    }
}

Test(core_fixtures, statics_with_their_classes)
{
    static const char *const wanted[][2] = {
        {"[static var Shop.Store.s_publisher]", "Shop.Publisher"},
        {"[static var Shop.Store.s_best]", "Shop.Pair"},
        {"[static var Shop.Generic<Shop.Session>.s_items]",
         "System.Collections.Generic.List<Shop.Session>"},
        {"[static var System.Array+EmptyArray<Shop.Order>.Value]", "Shop.Order[]"},
        {"[static var Shop.Store.t_current]", "Shop.Session"},
        {"[static var Shop.Generic2<System.String,Shop.Session>.t_list]",
         "System.Collections.Generic.List<Shop.Session>"},
        {"[static var Dyn.Thing.s_shared]", "Shop.Session"},
    };
    for (size_t k = 0; k < FILES; k++) {
        struct hd_snapshot *core = open_fixture(files[k], "core");
        for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
            cr_expect_str_eq(type_of(core, first_below(core, wanted[i][0])), wanted[i][1],
                             "%s: %s", files[k], wanted[i][0]);
        hd_snapshot_close(core);
    }
}

/* A core does not contain its time. */
Test(core_fixtures, a_minidump_knows_its_time)
{
    struct hd_snapshot *core = open_fixture("net10", "core"),
                       *windows = open_fixture("net10-windows", "core");
    cr_expect_null(core->info.time);
    cr_expect_str_eq(windows->info.time, "2026-11-24T16:01:36");
    cr_expect(windows->clock_is_date);
    cr_expect_eq(windows->clock, 1795536096);
    hd_snapshot_close(core);
    hd_snapshot_close(windows);
}

/* --- values ---------------------------------------------------------------------- */

/* "[17].value" is "[].value" of element 17. */
static void expect_name(const char *value, const char *field, uint64_t element)
{
    char name[256];
    if (strncmp(field, "[]", 2) == 0) {
        snprintf(name, sizeof(name), "[%llu]%s", (unsigned long long)element, field + 2);
        field = name;
    }
    cr_assert_str_eq(value, field);
}

/* Expects the references among the values of n to be those with a field in the graph, in
 * order. Returns the number of values. */
static uint64_t expect_values(const struct hd_snapshot *core, node_id n, field_id *ids,
                              struct arena *a)
{
    const struct graph *g = core->graph;
    const struct fields *f = g->fields;
    uint32_t edges = g->edge_begin[n + 1] - g->edge_begin[n], e = 0;
    const node_id *to = &g->edge_to[g->edge_begin[n]];
    uint64_t count;
    size_t len;
    f->of_node(f->context, n, ids);
    const struct hd_field *all =
        f->values(f->context, n, 0, SIZE_MAX, false, 0, a, &len, &count);
    cr_assert_eq(len, count);
    for (size_t i = 0; i < len; i++) {
        if (all[i].to == HD_NO_OBJECT)
            continue;
        cr_assert_eq(all[i].kind, HD_FIELD_REFERENCE);
        while (e < edges && ids[e] == NO_FIELD)
            e++;
        cr_assert_lt(e, edges, "%s.%s", type_of(core, n), all[i].name);
        cr_assert_eq(all[i].to, to[e], "%s.%s", type_of(core, n), all[i].name);
        uint64_t element = all[i].name[0] == '[' ? strtoull(all[i].name + 1, NULL, 10) : 0;
        expect_name(all[i].name, f->names[ids[e++]], element);
    }
    while (e < edges && ids[e] == NO_FIELD)
        e++;
    cr_assert_eq(e, edges, "%s has a reference more", type_of(core, n));
    return count;
}

Test(core_fixtures, references_among_values_are_those_of_the_graph)
{
    for (size_t i = 0; i < FILES; i++) {
        struct hd_snapshot *core = open_fixture(files[i], "core");
        const struct graph *g = core->graph;
        field_id *ids = calloc(g->edge_count + 1U, sizeof(*ids));
        uint64_t values = 0;
        cr_assert_not_null(ids);
        for (node_id n = 0; n < g->node_count; n++) {
            struct arena a = {0};
            if (core->types[g->type[n]].kind == TYPE_OBJECT)
                values += expect_values(core, n, ids, &a);
            arena_free(&a);
        }
        cr_expect_gt(values, g->edge_count);
        free(ids);
        hd_snapshot_close(core);
    }
}

/* Parts of an array equal those of the whole; there are none after its end. */
Test(core_fixtures, values_of_a_part_are_those_of_the_whole)
{
    struct hd_snapshot *core = open_fixture("net10", "core");
    const struct fields *f = core->graph->fields;
    node_id dictionary = first_below(core, "[static var Shop.Store.s_byNumber]");
    node_id entries = follow(core, dictionary, "_entries");
    struct arena a = {0};
    uint64_t count, same;
    size_t len, part_len;
    const struct hd_field *all =
        f->values(f->context, entries, 0, SIZE_MAX, false, 0, &a, &len, &count);
    cr_assert_gt(count, 12);
    cr_expect_str_eq(all[0].name, "[0].value");
    for (uint64_t first = 0; first <= count + 1; first += 3) {
        const struct hd_field *part =
            f->values(f->context, entries, first, 5, false, 0, &a, &part_len, &same);
        uint64_t left = first < count ? count - first : 0;
        cr_expect_eq(same, count);
        cr_assert_eq(part_len, left < 5 ? left : 5);
        cr_expect_eq(part == NULL, left == 0);
        for (size_t i = 0; i < part_len; i++) {
            cr_assert_str_eq(part[i].name, all[first + i].name);
            cr_assert_eq(part[i].number, all[first + i].number);
            cr_assert_eq(part[i].to, all[first + i].to);
        }
    }
    arena_free(&a);
    hd_snapshot_close(core);
}

static bool is_string(const struct hd_snapshot *core, node_id n)
{
    return strcmp(type_of(core, n), "System.String") == 0;
}

/* Contents of strings and of arrays without references; equal only if types, sizes and
 * bytes are. */
Test(core_fixtures, contents_of_objects_without_references_can_be_compared)
{
    for (size_t i = 0; i < FILES; i++) {
        struct hd_snapshot *core = open_fixture(files[i], "core");
        const struct graph *g = core->graph;
        size_t fixed = 0, mutable = 0, strings = 0, alike = 0;
        uint64_t hash = 0, last = 0;
        for (node_id n = 0; n < g->node_count; n++) {
            bool is_object = core->types[g->type[n]].kind == TYPE_OBJECT;
            enum contents what = g->fields->contents(g->fields->context, n, &hash);
            bool refers = g->edge_begin[n] < g->edge_begin[n + 1];
            cr_assert_eq(what == CONTENTS_FIXED, is_object && is_string(core, n));
            cr_assert(what == CONTENTS_UNKNOWN || !refers, "%s", type_of(core, n));
            fixed += what == CONTENTS_FIXED;
            mutable += what == CONTENTS_MUTABLE;
            strings += is_object && is_string(core, n);
            alike += what == CONTENTS_FIXED && hash == last;
            last = what == CONTENTS_FIXED ? hash : last;
        }
        cr_expect_eq(fixed, strings);
        cr_expect_gt(mutable, 100);
        cr_expect_lt(10 * alike, fixed, "%zu of %zu follow an equal one", alike, fixed);
        hd_snapshot_close(core);
    }
}

/* Text of strings only on request, up to a maximum number of characters; "" if empty. */
Test(core_fixtures, text_of_strings_is_cut_where_it_is_asked_to_be)
{
    struct hd_snapshot *core = open_fixture("net10", "core");
    const struct graph *g = core->graph;
    const struct fields *f = g->fields;
    static const size_t lengths[] = {0, 1, 3, 1000000};
    struct arena a = {0};
    size_t len, texts = 0, cuts = 0;
    uint64_t count;
    for (node_id n = 0; n < g->node_count; n++) {
        if (core->types[g->type[n]].kind != TYPE_OBJECT ||
            strcmp(type_of(core, n), "Shop.LogEntry") != 0)
            continue;
        for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
            const struct hd_field *all =
                f->values(f->context, n, 0, SIZE_MAX, true, lengths[i], &a, &len, &count);
            for (size_t v = 0; v < len; v++) {
                if (all[v].text == NULL)
                    continue;
                texts++;
                cuts += all[v].is_cut;
                cr_assert_leq(strlen(all[v].text), lengths[i], "all are ASCII");
                cr_assert_eq(all[v].is_cut, strlen(all[v].text) == lengths[i]);
            }
        }
        const struct hd_field *none =
            f->values(f->context, n, 0, SIZE_MAX, false, 100, &a, &len, &count);
        for (size_t v = 0; v < len; v++)
            cr_assert_null(none[v].text);
    }
    cr_expect_gt(texts, 0);
    cr_expect_gt(cuts, 0);
    cr_expect_lt(cuts, texts);
    arena_free(&a);
    hd_snapshot_close(core);
}
