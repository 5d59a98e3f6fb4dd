/* Every .gcdump of the fixtures compared with expected.json, computed by another reader,
 * and the series of a known leak compared with truth.json, written by the leaking program.
 */
#include "format/expected_table.h"
#include "heap/names.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdio.h>
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

/* --- what expected.json says ----------------------------------------------------- */

static void expect_tally(const char *path, const char *what, struct hd_tally got,
                         const json_t *count, const json_t *bytes)
{
    expect_number(path, what, got.count, expected_number(count));
    expect_number(path, what, got.bytes, expected_number(bytes));
}

/* Rows are [name, count, bytes]; the list is complete. */
static void expect_rows(const char *path, const struct hd_snapshot *snap,
                        const json_t *rows, bool scaled)
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
        expect_tally(path, name, scaled ? t->tally[SELECT_ALL] : t->raw,
                     json_array_get(row, 1), json_array_get(row, 2));
        if (!snap->info.sampled)
            expect_tally(path, name, t->tally[SELECT_ALL], json_array_get(row, 1),
                         json_array_get(row, 2));
    }
    uint64_t used = 0;
    for (type_id t = 0; t < snap->type_count; t++)
        used += snap->types[t].kind == TYPE_OBJECT && snap->types[t].raw.count > 0;
    expect_number(path, "rows", used, json_array_size(rows));
}

static void expect_table(const char *path, const struct hd_snapshot *snap,
                         const json_t *expected)
{
    expect_number(path, "objects", snap->info.objects, expected_count(expected, "objects"));
    expect_number(path, "bytes", snap->info.bytes, expected_count(expected, "bytes"));
    expect_number(path, "types", snap->info.types, expected_count(expected, "types"));
    cr_expect_eq(snap->info.sampled, json_is_true(expected_member(expected, "sampled")),
                 "%s", path);
    expect_rows(path, snap, expected_member(expected, "table"), false);
    if (snap->info.sampled)
        expect_rows(path, snap, expected_member(expected, "table_scaled"), true);
}

/* Keys are "0" to "2", "3" for the LOH, "4" for the POH, and "unknown". */
static void expect_generations(const char *path, const struct hd_snapshot *snap,
                               const json_t *expected)
{
    static const struct {
        const char *key;
        enum hd_generation generation;
    } keys[] = {{"0", HD_GEN0},    {"1", HD_GEN1},    {"2", HD_GEN2},
                {"3", HD_GEN_LOH}, {"4", HD_GEN_POH}, {"unknown", HD_GEN_UNKNOWN}};
    bool has = json_is_true(expected_member(expected, "has_generations"));
    cr_expect_eq(snap->info.has_generations, has, "%s", path);
    uint64_t objects = 0;
    for (size_t i = 0; has && i < sizeof(keys) / sizeof(keys[0]); i++) {
        const json_t *pair =
            json_object_get(expected_member(expected, "generations"), keys[i].key);
        struct hd_tally got = snap->by_generation[keys[i].generation];
        objects += got.count;
        expect_number(path, keys[i].key, got.count,
                      pair != NULL ? expected_number(json_array_get(pair, 0)) : 0);
        expect_number(path, keys[i].key, got.bytes,
                      pair != NULL ? expected_number(json_array_get(pair, 1)) : 0);
    }
    if (has)
        expect_number(path, "objects of generations", objects, snap->info.objects);
}

/* The two times in the fixtures; ticks are 100 ns since year 1. */
static const char *time_of(uint64_t ticks)
{
    if (ticks == HD_UNKNOWN)
        return NULL;
    if (ticks == 638848805501234567)
        return "2025-06-07T08:09:10";
    cr_assert_eq(ticks, 635360997932706710, "a time that this test knows");
    return "2014-05-19T12:36:33";
}

static void expect_origin_of(const char *path, const struct hd_snapshot *snap,
                             const json_t *expected)
{
    const struct hd_info *info = &snap->info;
    expect_string(path, "format", info->format, "gcdump");
    expect_string(path, "time", info->time,
                  time_of(expected_count(expected, "time_ticks")));
    expect_number(path, "pid", info->pid, expected_count(expected, "pid"));
    expect_string(path, "process", info->process,
                  json_string_value(expected_member(expected, "process")));
    expect_string(path, "producer", info->producer,
                  json_string_value(expected_member(expected, "producer")));
}

static void expect_graph(const char *path, const struct hd_snapshot *snap,
                         const json_t *expected)
{
    const struct graph *g = snap->graph;
    cr_assert_not_null(g, "%s", path);
    uint64_t of_kind[TYPE_UNDEFINED + 1] = {0}, bytes = 0;
    for (node_id n = 0; n < g->node_count; n++) {
        const struct type *t = &snap->types[g->type[n]];
        of_kind[t->kind]++;
        if (t->kind == TYPE_OBJECT)
            bytes += graph_size(g, n);
    }
    expect_number(path, "nodes", g->node_count, expected_count(expected, "nodes"));
    expect_number(path, "object nodes", of_kind[TYPE_OBJECT],
                  expected_count(expected, "objects"));
    expect_number(path, "bytes of nodes", bytes, expected_count(expected, "bytes"));
    expect_number(path, "undefined nodes", of_kind[TYPE_UNDEFINED],
                  expected_count(expected, "undefined_nodes"));
    expect_number(path, "pseudo-nodes", of_kind[TYPE_PSEUDO],
                  expected_count(expected, "pseudo_nodes"));
    expect_number(path, "edges", g->edge_count,
                  expected_count(expected, "references_between_nodes"));
    expect_number(path, "references", snap->info.references,
                  expected_count(expected, "references_between_objects"));
    expect_number(path, "reachable objects", snap->info.reachable_objects,
                  expected_count(expected, "reachable_objects"));
    expect_number(path, "reachable bytes", snap->info.reachable_bytes,
                  expected_count(expected, "reachable_bytes"));
}

/* --- what must hold for any snapshot --------------------------------------------- */

static void expect_sums(const char *path, const struct hd_snapshot *snap)
{
    struct hd_tally raw = {0}, reached = {0};
    for (type_id i = 0; i < snap->type_count; i++) {
        const struct type *t = &snap->types[i];
        cr_expect(t->kind == TYPE_OBJECT || t->raw.count == 0, "%s: %s", path, t->name);
        raw.count += t->raw.count;
        raw.bytes += t->raw.bytes;
        reached.count += t->tally[SELECT_REACHABLE].count;
        reached.bytes += t->tally[SELECT_REACHABLE].bytes;
    }
    expect_number(path, "objects of all rows", raw.count, snap->info.objects);
    expect_number(path, "bytes of all rows", raw.bytes, snap->info.bytes);
    if (snap->graph == NULL || snap->info.sampled)
        return;
    expect_number(path, "reachable objects of all rows", reached.count,
                  snap->info.reachable_objects);
    expect_number(path, "reachable bytes of all rows", reached.bytes,
                  snap->info.reachable_bytes);
}

static void expect_file(const char *path, const json_t *expected)
{
    struct hd_snapshot *snap = open_good(path, &whole);
    expect_table(path, snap, expected);
    expect_generations(path, snap, expected);
    expect_origin_of(path, snap, expected);
    expect_graph(path, snap, expected);
    expect_sums(path, snap);
    cr_expect_null(warnings_find(&snap->warnings, WARN_SIZE_MISMATCH), "%s", path);
    cr_expect_null(warnings_find(&snap->warnings, WARN_NO_TRAILER), "%s", path);
    cr_expect(snap->info.complete, "%s", path);
    hd_snapshot_close(snap);

    snap = open_good(path, &tables);
    cr_expect_null(snap->graph, "%s", path);
    expect_number(path, "references", snap->info.references, HD_UNKNOWN);
    expect_number(path, "reachable objects", snap->info.reachable_objects, HD_UNKNOWN);
    expect_table(path, snap, expected);
    expect_generations(path, snap, expected);
    expect_origin_of(path, snap, expected);
    expect_sums(path, snap);
    hd_snapshot_close(snap);
}

static void expect_refused_file(const char *path)
{
    for (int only_tables = 0; only_tables < 2; only_tables++) {
        struct hd_error err = {0};
        struct hd_snapshot *snap =
            hd_snapshot_open(path, only_tables ? &tables : &whole, &err);
        cr_expect_null(snap, "%s", path);
        cr_expect_eq(err.status, HD_BAD_FORMAT, "%s: %s", path, err.message);
        cr_expect_eq(err.where, HD_AT_BYTE, "%s: %s", path, err.message);
        hd_snapshot_close(snap);
    }
}

/* --- made files ------------------------------------------------------------------ */

Test(gcdump_fixtures, made_files_are_read_as_by_another_reader)
{
    json_t *all = expected_load("fixtures/gcdump-made/expected.json");
    struct hd_inputs files = {0};
    cr_assert(hd_inputs_add(&files, "fixtures/gcdump-made", NULL));
    cr_expect_eq(json_object_size(all), files.count - 1, "every file but expected.json");
    hd_inputs_free(&files);
    const char *file;
    json_t *expected;
    json_object_foreach(all, file, expected)
    {
        char path[256];
        snprintf(path, sizeof(path), "fixtures/gcdump-made/%s", file);
        if (json_object_get(expected, "error") != NULL)
            expect_refused_file(path);
        else
            expect_file(path, expected);
    }
    json_decref(all);
}

/* The example of docs/formats/gcdump.md. */
Test(gcdump_fixtures, the_smallest_file_is_read_as_it_is_described)
{
    struct hd_snapshot *snap = open_good("fixtures/gcdump-made/tiny.gcdump", &whole);
    const struct graph *g = snap->graph;
    static const struct {
        const char *type;
        uint64_t size, address;
        uint32_t references;
        node_id to[3];
    } nodes[] = {
        {"[.NET Roots]", 0, 0, 1, {1}},
        {"[static vars]", 0, 0, 1, {2}},
        {"A", 24, 0x7f0000001000, 3, {3, 4, 3}},
        {"System.Byte[]", 32, 0x7f0000002000, 0, {0}},
        {"System.Byte[]", 1000, 0x7f0000003000, 0, {0}},
    };
    cr_assert_eq(g->node_count, 5);
    cr_expect_eq(g->root, 0);
    for (node_id n = 0; n < 5; n++) {
        cr_expect_str_eq(snap->types[g->type[n]].name, nodes[n].type);
        cr_expect_eq(graph_size(g, n), nodes[n].size);
        cr_expect_eq(graph_address(g, n), nodes[n].address);
        cr_assert_eq(g->edge_begin[n + 1] - g->edge_begin[n], nodes[n].references);
        for (uint32_t e = 0; e < nodes[n].references; e++)
            cr_expect_eq(g->edge_to[g->edge_begin[n] + e], nodes[n].to[e]);
    }
    cr_expect_str_eq(forge_type(snap, TYPE_OBJECT, "A")->module, "/x/m.dll");
    cr_expect_str_eq(forge_type(snap, TYPE_OBJECT, "System.Byte[]")->module, "/x/c.dll");
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STATIC], 1);
    hd_snapshot_close(snap);
}

/* --- real series ----------------------------------------------------------------- */

/* A series is stored with one of these suffixes. */
static void compressed_path(char *path, size_t size, const char *series, const char *file)
{
    static const char *const suffixes[] = {".gz", ".zst", ".xz", ".bz2", ""};
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        snprintf(path, size, "fixtures/leaklab/%s/%s%s", series, file, suffixes[i]);
        if (access(path, R_OK) == 0)
            return;
    }
    cr_assert_fail("no fixture %s/%s", series, file);
}

static json_t *load_of(const char *series, const char *file)
{
    char path[256];
    snprintf(path, sizeof(path), "fixtures/leaklab/expected/%s/%s", series, file);
    return expected_load(path);
}

/* A trace is not a .gcdump. */
static bool is_gcdump(const char *file)
{
    static const char suffix[] = ".gcdump";
    size_t len = strlen(file), tail = sizeof(suffix) - 1;
    return len > tail && strcmp(file + len - tail, suffix) == 0;
}

static void expect_series(const char *series, size_t files)
{
    json_t *all = load_of(series, "expected.json.xz");
    const char *file;
    json_t *expected;
    size_t seen = 0;
    json_object_foreach(all, file, expected)
    {
        if (!is_gcdump(file))
            continue;
        char path[256];
        compressed_path(path, sizeof(path), series, file);
        expect_file(path, expected);
        seen++;
    }
    cr_expect_eq(seen, files, "%s", series);
    json_decref(all);
}

enum { SNAPSHOTS_OF_A_SERIES = 6 };

/* Counts and bytes of a type in every snapshot. */
static void expect_culprit(const char *series, struct hd_snapshot *const *snaps,
                           const json_t *culprit)
{
    const char *raw = json_string_value(expected_member(culprit, "type"));
    struct text name = {0};
    names_canonical(&name, raw, strlen(raw));
    for (size_t i = 0; i < SNAPSHOTS_OF_A_SERIES; i++) {
        const struct type *t = forge_type(snaps[i], TYPE_OBJECT, text_string(&name));
        struct hd_tally got = t != NULL ? t->raw : (struct hd_tally){0};
        expect_tally(series, raw, got,
                     json_array_get(expected_member(culprit, "measured_count"), i),
                     json_array_get(expected_member(culprit, "measured_bytes"), i));
        if (json_is_true(expected_member(culprit, "exact")))
            expect_number(
                series, raw, got.count,
                expected_number(json_array_get(expected_member(culprit, "expected"), i)));
    }
    text_free(&name);
}

static void expect_truth(const char *series)
{
    json_t *truth = load_of(series, "truth.json");
    const json_t *files = expected_member(truth, "files"),
                 *totals = expected_member(truth, "snapshots");
    cr_assert_eq(json_array_size(files), SNAPSHOTS_OF_A_SERIES, "%s", series);
    cr_assert_eq(json_array_size(totals), SNAPSHOTS_OF_A_SERIES, "%s", series);
    struct hd_snapshot *snaps[SNAPSHOTS_OF_A_SERIES];
    for (size_t i = 0; i < SNAPSHOTS_OF_A_SERIES; i++) {
        char path[256];
        compressed_path(path, sizeof(path), series,
                        json_string_value(json_array_get(files, i)));
        snaps[i] = open_good(path, &whole);
        const json_t *total = json_array_get(totals, i);
        expect_number(path, "nodes", snaps[i]->graph->node_count,
                      expected_count(total, "nodes"));
        expect_number(path, "edges", snaps[i]->graph->edge_count,
                      expected_count(total, "edges"));
        expect_number(path, "bytes", snaps[i]->info.bytes, expected_count(total, "bytes"));
    }
    size_t i;
    const json_t *culprit;
    json_array_foreach(expected_member(truth, "culprits"), i, culprit)
    {
        expect_culprit(series, snaps, culprit);
    }
    for (i = 0; i < SNAPSHOTS_OF_A_SERIES; i++)
        hd_snapshot_close(snaps[i]);
    json_decref(truth);
}

Test(gcdump_fixtures, events)
{
    expect_series("events", SNAPSHOTS_OF_A_SERIES);
    expect_truth("events");
}

Test(gcdump_fixtures, cache)
{
    expect_series("cache", SNAPSHOTS_OF_A_SERIES);
    expect_truth("cache");
}

Test(gcdump_fixtures, timers)
{
    expect_series("timers", SNAPSHOTS_OF_A_SERIES);
    expect_truth("timers");
}

Test(gcdump_fixtures, list)
{
    expect_series("list", SNAPSHOTS_OF_A_SERIES);
    expect_truth("list");
}

Test(gcdump_fixtures, none)
{
    expect_series("none", SNAPSHOTS_OF_A_SERIES);
    expect_truth("none");
}

Test(gcdump_fixtures, density)
{
    expect_series("density", SNAPSHOTS_OF_A_SERIES);
    expect_truth("density");
}

Test(gcdump_fixtures, odd)
{
    expect_series("odd", 2);
}

static bool warns(const char *path, enum warning_code code)
{
    struct hd_snapshot *snap = open_good(path, &tables);
    bool found = warnings_find(&snap->warnings, code) != NULL;
    hd_snapshot_close(snap);
    return found;
}

Test(gcdump_fixtures, unusual_files_have_warnings)
{
    cr_expect(warns("fixtures/leaklab/odd/empty.gcdump.gz", WARN_EMPTY_HEAP));
    cr_expect(warns("fixtures/leaklab/odd/nameless.gcdump.gz", WARN_UNKNOWN_TYPE));
    cr_expect(warns("fixtures/gcdump-made/sampled.gcdump", WARN_SAMPLED));
    cr_expect_not(warns("fixtures/leaklab/none/0.gcdump.gz", WARN_EMPTY_HEAP));
    cr_expect_not(warns("fixtures/leaklab/none/0.gcdump.gz", WARN_UNKNOWN_TYPE));
}
