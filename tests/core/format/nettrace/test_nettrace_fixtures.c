/* Every trace of the fixtures compared with expected.json, computed by another reader; the
 * series with a known leak with truth.json; and whole graphs with the .gcdump that
 * Microsoft's converter made of the same trace. */
#include "format/expected_table.h"
#include "support/forge.h"
#include "trace/trace_survey.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct hd_read_options whole = {0}, tables = {.tables_only = true};

static struct hd_snapshot *open_good(const char *path, const struct hd_read_options *opt)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, opt, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    return snap;
}

/* --- expected.json --------------------------------------------------------------- */

static void expect_rows(const char *path, const struct hd_snapshot *snap,
                        const json_t *rows)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_array_get(row, 0));
        const struct type *t = forge_type(snap, TYPE_OBJECT, name);
        cr_expect_not_null(t, "%s: no type %s", path, name);
        if (t == NULL)
            continue;
        expect_number(path, name, t->raw.count, expected_number(json_array_get(row, 1)));
        expect_number(path, name, t->raw.bytes, expected_number(json_array_get(row, 2)));
    }
    uint64_t used = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        used += snap->types[t].kind == TYPE_OBJECT && snap->types[t].raw.count > 0;
    expect_number(path, "rows", used, json_array_size(rows));
}

static void expect_generations(const char *path, const struct hd_snapshot *snap,
                               const json_t *expected)
{
    const json_t *all = expected_member(expected, "generations");
    cr_expect_eq(snap->info.has_generations, json_is_object(all), "%s", path);
    for (int g = 0; json_is_object(all) && g < HD_GENERATION_COUNT; g++) {
        const json_t *pair = json_object_get(all, generation_names[g]);
        struct hd_tally got = snap->by_generation[g];
        expect_number(path, generation_names[g], got.count,
                      pair != NULL ? expected_number(json_array_get(pair, 0)) : 0);
        expect_number(path, generation_names[g], got.bytes,
                      pair != NULL ? expected_number(json_array_get(pair, 1)) : 0);
    }
}

static void expect_table(const char *path, const struct hd_snapshot *snap,
                         const json_t *expected)
{
    expect_string(path, "format", snap->info.format, "nettrace");
    expect_number(path, "objects", snap->info.objects, expected_count(expected, "objects"));
    expect_number(path, "bytes", snap->info.bytes, expected_count(expected, "bytes"));
    expect_number(path, "types", snap->info.types, expected_count(expected, "types"));
    expect_number(path, "pid", snap->info.pid, expected_count(expected, "pid"));
    const struct warning *w = warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE);
    expect_number(path, "nameless types", w != NULL ? w->count : 0,
                  expected_count(expected, "nameless_types"));
    expect_rows(path, snap, expected_member(expected, "table"));
    expect_generations(path, snap, expected);
    bool good = json_is_true(expected_member(expected, "gc_complete")) &&
                expected_count(expected, "events_lost") +
                        expected_count(expected, "edges_short") +
                        expected_count(expected, "edges_extra") ==
                    0;
    cr_expect_eq(snap->info.complete, good, "%s", path);
    cr_expect_eq(warnings_find(&snap->warnings, WARN_INCOMPLETE) == NULL, good, "%s", path);
}

/* Roots that are not objects are left out. */
static void expect_graph(const char *path, const struct hd_snapshot *snap,
                         const json_t *expected)
{
    const struct hd_info *info = &snap->info;
    expect_number(path, "references", info->references,
                  expected_count(expected, "references_between_objects"));
    expect_number(path, "reachable objects", info->reachable_objects,
                  expected_count(expected, "reachable_objects"));
    expect_number(path, "reachable bytes", info->reachable_bytes,
                  expected_count(expected, "reachable_bytes"));
    uint64_t statics = snap->roots_by_kind[HD_ROOT_STATIC];
    expect_number(path, "strong roots", info->roots - statics,
                  expected_count(expected, "strong_roots_in_graph"));
    const struct warning *w = warnings_find(&snap->warnings, WARN_DANGLING_ROOT);
    cr_expect(w == NULL || !info->complete, "%s", path);
    if (info->complete)
        expect_number(path, "statics", statics, expected_count(expected, "statics"));
    for (node_id n = 0; n < snap->graph->node_count; n++) {
        bool is_object = snap->types[snap->graph->type[n]].kind == TYPE_OBJECT;
        cr_assert_eq(graph_address(snap->graph, n) != 0, is_object, "%s", path);
    }
}

/* Number of objects with too few references. The source of a lost reference is unknown, so
 * the other reader counts objects. */
static uint64_t short_of(const struct heap_walk *w, struct input *in)
{
    struct nettrace *t = nettrace_begin(in, NULL);
    struct trace_event e;
    uint64_t left = w->edges.records, nodes = 0;
    while (nettrace_next(t, &e)) {
        struct bytes payload;
        struct bulk b;
        if (trace_heap_event_kind(&e) != EVENT_NODES || !heap_walk_has(w, &e) ||
            !nettrace_payload(t, &payload) || !bulk_parse(EVENT_NODES, payload, 8, &b))
            continue;
        for (uint32_t i = 0; i < b.count; i++) {
            uint64_t wanted = heap_node_at(b.records + i * b.size, 8).edges;
            nodes += wanted > left;
            left -= wanted < left ? wanted : left;
        }
    }
    nettrace_free(t);
    return nodes;
}

static void expect_survey(const char *path, const json_t *expected)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, NULL, &err);
    cr_assert_not_null(in, "%s: %s", path, err.message);
    struct trace_survey s = {0};
    struct nettrace *t = nettrace_begin(in, &err);
    struct trace_event e;
    uint64_t ranges[4096];
    size_t range_count = 0;
    while (nettrace_next(t, &e)) {
        if (trace_heap_event_kind(&e) == EVENT_RANGE && range_count < 4096)
            ranges[range_count++] = e.time;
        cr_assert(trace_survey_add(&s, t, &e), "%s: %s", path, err.message);
    }
    bool complete = json_is_true(expected_member(expected, "gc_complete"));
    cr_expect_eq(trace_survey_done(&s), complete, "%s", path);
    cr_expect_eq(nettrace_end(t), complete ? TRACE_ENDS : TRACE_CUT, "%s", path);
    trace_survey_finish(&s, t);
    cr_assert_eq(s.walk_count, 1, "%s", path);
    const struct heap_walk *w = trace_survey_walk(&s, 0);
    uint64_t extra =
        w->edges.records > w->edges_wanted ? w->edges.records - w->edges_wanted : 0;
    size_t after = 0;
    for (size_t i = 0; i < range_count; i++)
        after += ranges[i] > w->last_node_time;
    expect_number(path, "events lost", s.events_lost,
                  expected_count(expected, "events_lost"));
    expect_number(path, "events lost of the walk", w->events_lost, s.events_lost);
    expect_number(path, "root records", w->roots.records,
                  expected_count(expected, "root_records"));
    expect_number(path, "handles", w->pairs.records,
                  expected_count(expected, "dependent_handles"));
    expect_number(path, "extra", extra, expected_count(expected, "edges_extra"));
    if (strstr(path, "leaklab") == NULL || w->is_complete)
        expect_number(path, "ranges", after,
                      expected_count(expected, "ranges_after_nodes"));
    nettrace_free(t);
    cr_assert(input_rewind(in, &err));
    expect_number(path, "objects short", short_of(w, in),
                  expected_count(expected, "edges_short"));
    trace_survey_free(&s);
    input_close(in);
}

static void expect_trace(const char *path, const json_t *expected)
{
    struct hd_snapshot *snap = open_good(path, &whole);
    expect_table(path, snap, expected);
    expect_graph(path, snap, expected);
    hd_snapshot_close(snap);
    snap = open_good(path, &tables);
    cr_expect_null(snap->graph, "%s", path);
    expect_table(path, snap, expected);
    hd_snapshot_close(snap);
    expect_survey(path, expected);
}

static size_t expect_traces(const char *folder, const char *list)
{
    json_t *all = expected_load(list);
    const char *file;
    json_t *expected;
    size_t count = 0;
    json_object_foreach(all, file, expected)
    {
        char path[256];
        snprintf(path, sizeof(path), "%s/%s", folder, file);
        if (access(path, R_OK) != 0)
            snprintf(path, sizeof(path), "%s/%s.zst", folder, file);
        if (access(path, R_OK) != 0 || strstr(file, "gcdump") != NULL)
            continue;
        expect_trace(path, expected);
        count++;
    }
    json_decref(all);
    return count;
}

Test(nettrace_fixtures, made_traces_are_read_as_by_another_reader)
{
    cr_expect_eq(expect_traces("fixtures/nettrace-vectors",
                               "fixtures/nettrace-vectors/expected.json"),
                 6);
}

Test(nettrace_fixtures, traces_of_net_core_3_1)
{
    cr_expect_eq(
        expect_traces("fixtures/nettrace-real", "fixtures/nettrace-real/expected.json"), 6);
}

Test(nettrace_fixtures, traces_of_net_10)
{
    static const char list[] = "fixtures/leaklab/expected/nettrace/expected.json.xz";
    cr_expect_eq(expect_traces("fixtures/leaklab/nettrace", list), 3);
    cr_expect_eq(expect_traces("fixtures/leaklab/nettrace-official", list), 1);
    cr_expect_eq(expect_traces("fixtures/leaklab/odd",
                               "fixtures/leaklab/expected/odd/expected.json.xz"),
                 1);
}

/* The numbers of docs/formats/nettrace.md. */
Test(nettrace_fixtures, a_known_program_has_the_objects_that_it_made)
{
    static const struct {
        const char *type;
        uint64_t count;
    } made[] = {{"LeakApp.Payload", 1006},
                {"LeakApp.Subscriber", 1000},
                {"LeakApp.WithFinalizer", 20},
                {"System.Byte[]", 2012}};
    struct hd_snapshot *snap =
        open_good("fixtures/nettrace-real/leak31_first.nettrace.zst", &whole);
    for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
        cr_expect_eq(forge_type(snap, TYPE_OBJECT, made[i].type)->raw.count, made[i].count,
                     "%s", made[i].type);
    cr_expect_str_eq(snap->info.process, "leakapp");
    cr_expect_str_eq(snap->info.time, "2026-11-20T22:34:26");
    cr_expect_null(forge_type(snap, TYPE_OBJECT, "System.String")->module);
    hd_snapshot_close(snap);
    snap = open_good("fixtures/nettrace-real/leak31_gens_rundown.nettrace.zst", &whole);
    const char *module = forge_type(snap, TYPE_OBJECT, "LeakApp.Payload")->module;
    cr_assert_not_null(module, "modules are told at the end");
    cr_expect_not_null(strstr(module, "leakapp.dll"), "%s", module);
    hd_snapshot_close(snap);
}

/* --- truth.json ------------------------------------------------------------------ */

static uint64_t generation_of(const json_t *all, size_t k, enum hd_generation g)
{
    char key[4];
    snprintf(key, sizeof(key), "%d", (int)g);
    const json_t *count = json_object_get(json_array_get(all, k), key);
    return count != NULL ? expected_number(count) : 0;
}

Test(nettrace_fixtures, leaked_objects_have_the_expected_counts_and_generations)
{
    static const char *const files[] = {"1", "2", "3"};
    json_t *truth = expected_load("fixtures/leaklab/expected/nettrace/truth.json");
    for (size_t k = 0; k < 3; k++) {
        char path[64];
        snprintf(path, sizeof(path), "fixtures/leaklab/nettrace/%s.nettrace.zst", files[k]);
        struct hd_snapshot *snap = open_good(path, &whole);
        size_t i;
        const json_t *culprit;
        json_array_foreach(expected_member(truth, "culprits"), i, culprit)
        {
            const char *raw = json_string_value(expected_member(culprit, "type_raw"));
            char name[128];
            size_t len = 0;
            for (const char *c = raw; *c != '\0'; c++) {
                bool generic = (*c == '[' || *c == ']') && strstr(raw, "[]") == NULL;
                if (*c == '`')
                    c++;
                else
                    name[len++] = !generic ? *c : *c == '[' ? '<' : '>';
            }
            name[len] = '\0';
            type_id id = forge_type_id(snap, TYPE_OBJECT, name);
            cr_assert_neq(id, NO_TYPE, "%s: %s", path, name);
            uint64_t by_generation[HD_GENERATION_COUNT] = {0};
            for (node_id n = 0; n < snap->graph->node_count; n++)
                if (snap->graph->type[n] == id)
                    by_generation[ranges_find(&snap->ranges,
                                              graph_address(snap->graph, n))]++;
            expect_number(
                path, name, snap->types[id].raw.count,
                expected_number(json_array_get(expected_member(culprit, "expected"), k)));
            const json_t *measured = expected_member(culprit, "measured_by_generation");
            for (enum hd_generation g = HD_GEN0; g <= HD_GEN2; g++)
                expect_number(path, name, by_generation[g], generation_of(measured, k, g));
            expect_number(path, "old", snap->types[id].tally[SELECT_GEN2].count,
                          by_generation[HD_GEN2]);
        }
        hd_snapshot_close(snap);
    }
    json_decref(truth);
}

/* --- the same graph as the converter's --------------------------------------------- */

/* All properties that must be equal: type, size, and the addresses that it refers to. */
struct object {
    uint64_t address, size;
    const char *type;
    uint64_t *to;
    size_t count;
};

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int by_address(const void *a, const void *b)
{
    return by_number(&((const struct object *)a)->address,
                     &((const struct object *)b)->address);
}

static bool is_kind(const struct hd_snapshot *snap, node_id n, enum type_kind kind)
{
    return snap->types[snap->graph->type[n]].kind == kind;
}

static struct object *objects_of(const struct hd_snapshot *snap, struct arena *a)
{
    const struct graph *g = snap->graph;
    struct object *all = arena_array(a, struct object, snap->info.objects);
    size_t len = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        if (!is_kind(snap, n, TYPE_OBJECT))
            continue;
        struct object *o = &all[len++];
        *o = (struct object){
            graph_address(g, n), graph_size(g, n), snap->types[g->type[n]].name,
            arena_array(a, uint64_t, g->edge_begin[n + 1] - g->edge_begin[n]), 0};
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            if (is_kind(snap, g->edge_to[e], TYPE_OBJECT))
                o->to[o->count++] = graph_address(g, g->edge_to[e]);
        qsort(o->to, o->count, sizeof(*o->to), by_number);
    }
    qsort(all, len, sizeof(*all), by_address);
    return all;
}

/* "[other roots] [strong Handles] 7f12": all paths from the root to an object through
 * pseudo-nodes only, at most three levels deep. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **roots_of(const struct hd_snapshot *snap, struct arena *a, size_t *len)
{
    const struct graph *g = snap->graph;
    char **all = arena_array(a, char *, snap->info.roots);
    const char **path = arena_array(a, const char *, g->node_count);
    node_id *stack = arena_array(a, node_id, g->node_count);
    size_t depth = 0;
    stack[depth++] = g->root;
    path[g->root] = "";
    *len = 0;
    while (depth > 0) {
        node_id n = stack[--depth];
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
            node_id to = g->edge_to[e];
            if (is_kind(snap, to, TYPE_PSEUDO)) {
                path[to] = arena_printf(a, "%s %s", path[n], snap->types[g->type[to]].name);
                stack[depth++] = to;
            } else if (is_kind(snap, to, TYPE_OBJECT)) {
                all[(*len)++] = arena_printf(a, "%s %llx", path[n],
                                             (unsigned long long)graph_address(g, to));
            }
        }
    }
    qsort(all, *len, sizeof(*all), by_text);
    return all;
}

static void expect_same_graph(const char *trace, const char *gcdump)
{
    struct hd_snapshot *ours = open_good(trace, &whole),
                       *theirs = open_good(gcdump, &whole);
    struct arena a = {0};
    cr_assert_eq(ours->info.objects, theirs->info.objects, "%s", trace);
    const struct object *x = objects_of(ours, &a), *y = objects_of(theirs, &a);
    for (size_t i = 0; i < ours->info.objects; i++) {
        cr_assert_eq(x[i].address, y[i].address, "%s: object %zu", trace, i);
        cr_assert_str_eq(x[i].type, y[i].type);
        cr_assert_eq(x[i].size, y[i].size, "%s: %s", trace, x[i].type);
        cr_assert_eq(x[i].count, y[i].count, "%s: %s", trace, x[i].type);
        for (size_t e = 0; e < x[i].count; e++)
            cr_assert_eq(x[i].to[e], y[i].to[e], "%s: %s", trace, x[i].type);
    }
    size_t x_len, y_len;
    char **x_roots = roots_of(ours, &a, &x_len), **y_roots = roots_of(theirs, &a, &y_len);
    cr_assert_eq(x_len, y_len, "%s: %zu roots, not %zu", trace, x_len, y_len);
    for (size_t i = 0; i < x_len; i++)
        cr_assert_str_eq(x_roots[i], y_roots[i]);
    for (type_id t = 0; t < theirs->type_count; t++) {
        const struct type *wanted = &theirs->types[t];
        const struct type *got = forge_type(ours, TYPE_OBJECT, wanted->name);
        if (wanted->kind != TYPE_OBJECT || wanted->raw.count == 0)
            continue;
        cr_assert_not_null(got, "%s", wanted->name);
        expect_string(wanted->name, "module", got->module, wanted->module);
    }
    arena_free(&a);
    hd_snapshot_close(ours);
    hd_snapshot_close(theirs);
}

Test(nettrace_fixtures, graphs_are_those_of_the_official_converter)
{
    expect_same_graph("fixtures/leaklab/nettrace/1.nettrace.zst",
                      "fixtures/leaklab/nettrace-official/1.gcdump.zst");
    expect_same_graph("fixtures/leaklab/nettrace-official/dotnet-trace-1.nettrace.zst",
                      "fixtures/leaklab/nettrace-official/dotnet-trace-1.gcdump.zst");
}
