/* Every file of fixtures/heap-text compared with expected.json, computed by another
 * program. Lines are tested in test_text_scan.c, sections in test_text_section.c. */
#include "format/reader.h"
#include "heap/names.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "fixtures/heap-text/"

static const struct hd_read_options whole = {0}, tables = {.tables_only = true};

static const char *path_of(const char *file)
{
    static char path[256];
    snprintf(path, sizeof(path), FOLDER "%s", file);
    return path;
}

static uint64_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "%s is a number", key);
    return (uint64_t)json_integer_value(value);
}

static const char *string(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_string(value), "%s is a string", key);
    return json_string_value(value);
}

static json_t *load_expected(void)
{
    json_error_t err;
    json_t *all = json_load_file(FOLDER "expected.json", 0, &err);
    cr_assert_not_null(all, "%s", err.text);
    return all;
}

static struct hd_snapshot *open_good(const char *file, const struct hd_read_options *opt)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path_of(file), opt, &err);
    cr_assert_not_null(snap, "%s: %s", file, err.message);
    return snap;
}

/* --- what expected.json says ------------------------------------------------ */

static enum hd_root_kind kind_in_prose(const char *prose)
{
    static const struct {
        const char *prose;
        enum hd_root_kind kind;
    } kinds[] = {
        {"handle", HD_ROOT_STRONG_HANDLE},
        {"pinned handle", HD_ROOT_PINNED_HANDLE},
        {"static", HD_ROOT_STATIC},
        {"stack", HD_ROOT_STACK},
        {"finalizer queue", HD_ROOT_FINALIZER},
        {"other", HD_ROOT_OTHER},
    };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(prose, kinds[i].prose) == 0)
            return kinds[i].kind;
    cr_assert_fail("no kind of root: %s", prose);
    return HD_ROOT_KIND_COUNT;
}

static const struct type *row_of(const struct hd_snapshot *snap, const char *canonical)
{
    for (uint32_t i = 0; i < snap->type_count; i++)
        if (snap->types[i].kind == TYPE_OBJECT &&
            strcmp(snap->types[i].name, canonical) == 0)
            return &snap->types[i];
    return NULL;
}

static const struct type *row_of_raw(const struct hd_snapshot *snap, const char *raw)
{
    struct text name = {0};
    names_canonical(&name, raw, strlen(raw));
    const struct type *row = row_of(snap, text_string(&name));
    text_free(&name);
    return row;
}

static bool needs_graph(const char *warning)
{
    return strcmp(warning, "dangling-reference") == 0 ||
           strcmp(warning, "dangling-root") == 0;
}

static void expect_warnings(const char *file, const struct hd_snapshot *snap,
                            const json_t *expected, bool graph)
{
    size_t i, seen = 0;
    const json_t *one;
    json_array_foreach(expected, i, one)
    {
        if (!graph && needs_graph(string(one, "kind")))
            continue;
        cr_assert_lt(seen, snap->warnings.len, "%s: warning %s", file, string(one, "kind"));
        /* In file order. */
        const struct warning *w = &snap->warnings.all[seen++];
        cr_expect_str_eq(warning_texts[w->code].code, string(one, "kind"), "%s", file);
        cr_expect_eq(w->count, number(one, "count"), "%s: %s", file, string(one, "kind"));
        cr_expect_eq(w->line, number(one, "line"), "%s: %s", file, string(one, "kind"));
    }
    cr_expect_eq(snap->warnings.len, seen, "%s: no other warnings", file);
}

static void expect_table(const char *file, const struct hd_snapshot *snap,
                         const json_t *expected, bool graph)
{
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(expected, "table"), i, row)
    {
        const char *name = string(row, "type");
        const struct type *t = row_of_raw(snap, name);
        cr_assert_not_null(t, "%s: row %s", file, name);
        cr_expect_eq(t->raw.count, number(row, "count"), "%s: %s", file, name);
        cr_expect_eq(t->raw.bytes, number(row, "bytes"), "%s: %s", file, name);
        cr_expect_eq(t->tally[SELECT_ALL].count, number(row, "count"), "%s: %s", file,
                     name);
        if (!graph)
            continue;
        const struct hd_tally *r = &t->tally[SELECT_REACHABLE];
        cr_expect_eq(r->count, number(row, "reachable"), "%s: %s", file, name);
        cr_expect_eq(r->bytes, number(row, "reachable_bytes"), "%s: %s", file, name);
    }
    json_array_foreach(json_object_get(expected, "canonical_table"), i, row)
    {
        const char *name = json_string_value(json_array_get(row, 0));
        const struct type *t = row_of(snap, name);
        cr_assert_not_null(t, "%s: row %s", file, name);
        cr_expect_eq(t->raw.count, (uint64_t)json_integer_value(json_array_get(row, 1)));
        cr_expect_eq(t->raw.bytes, (uint64_t)json_integer_value(json_array_get(row, 2)));
    }
    uint64_t rows = 0;
    for (uint32_t t = 0; t < snap->type_count; t++)
        rows += snap->types[t].kind == TYPE_OBJECT;
    cr_expect_eq(rows, number(expected, "types"), "%s: no row without objects", file);
}

static void expect_roots(const char *file, const struct hd_snapshot *snap,
                         const json_t *expected, uint64_t dangling)
{
    cr_expect_eq(snap->info.roots, number(expected, "roots") + dangling, "%s: roots", file);
    cr_expect_eq(snap->weak_roots, number(expected, "weak_roots"), "%s: weak", file);
    cr_expect_eq(snap->info.has_roots, number(expected, "roots") > 0, "%s", file);
    uint64_t kinds[HD_ROOT_KIND_COUNT] = {0};
    const char *prose;
    json_t *count;
    json_object_foreach(json_object_get(expected, "roots_by_kind"), prose, count)
        kinds[kind_in_prose(prose)] = (uint64_t)json_integer_value(count);
    for (size_t k = 0; k < HD_ROOT_KIND_COUNT && dangling == 0; k++)
        cr_expect_eq(snap->roots_by_kind[k], kinds[k], "%s: %s", file, root_kind_names[k]);
}

static void expect_sections(const char *file, const struct hd_snapshot *snap,
                            const json_t *expected)
{
    const json_t *first = json_array_get(json_object_get(expected, "domains"), 0);
    cr_expect_str_eq(snap->info.format, string(expected, "format"), "%s", file);
    cr_expect_str_eq(snap->info.process, string(first, "name"), "%s", file);
    cr_expect_float_eq(snap->clock, (double)number(first, "start_ms") / 1000, 1e-9, "%s",
                       file);
    cr_expect_not(snap->clock_is_date);
    cr_expect(snap->info.has_graph);
    cr_expect_not(snap->info.has_generations);
    cr_expect_eq(snap->info.pid, HD_UNKNOWN);
}

static void expect_totals(const char *file, const struct hd_snapshot *snap,
                          const json_t *expected, bool graph)
{
    const struct hd_info *info = &snap->info;
    cr_expect_eq(info->objects, number(expected, "objects"), "%s: objects", file);
    cr_expect_eq(info->bytes, number(expected, "bytes"), "%s: bytes", file);
    cr_expect_eq(info->types, number(expected, "types"), "%s: types", file);
    uint64_t dangling = number(expected, "dangling_references");
    uint64_t references = number(expected, "references");
    bool repeated = strcmp(file, "repeated-domain.txt") == 0;
    if (!graph) {
        cr_expect_eq(info->references, HD_UNKNOWN, "%s", file);
        cr_expect_eq(info->reachable_objects, HD_UNKNOWN, "%s", file);
        cr_expect_eq(info->complete, !repeated, "%s", file);
        return;
    }
    cr_expect_eq(info->references, references, "%s: references", file);
    cr_expect_eq(info->reachable_objects, number(expected, "reachable_objects"), "%s",
                 file);
    cr_expect_eq(info->reachable_bytes, number(expected, "reachable_bytes"), "%s", file);
    bool too_many = 100 * dangling > references + dangling;
    cr_expect_eq(info->complete, !repeated && !too_many, "%s: complete", file);
}

/* --- the graph, node by node ------------------------------------------------- */

static bool is_pseudo(const struct hd_snapshot *snap, node_id n)
{
    return snap->types[snap->graph->type[n]].kind == TYPE_PSEUDO;
}

/* Number of references from the roots to each object, including the first; 0: unreachable.
 */
static uint32_t *depths(const struct hd_snapshot *snap)
{
    const struct graph *g = snap->graph;
    uint32_t *depth = calloc(g->node_count, sizeof(*depth));
    for (uint32_t level = 0, found = 1; level == 0 || found > 0; level++) {
        found = 0;
        for (node_id n = 0; n < g->node_count; n++) {
            if (level == 0 ? !is_pseudo(snap, n) : depth[n] != level || is_pseudo(snap, n))
                continue;
            for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
                node_id to = g->edge_to[e];
                if (depth[to] > 0 || is_pseudo(snap, to))
                    continue;
                depth[to] = level + 1;
                found++;
            }
        }
    }
    return depth;
}

/* "static Orchard.Program", "pinned handle": a pseudo-node in the words of
 * expected.json. */
static bool is_root_called(const char *pseudo, const char *prose)
{
    char variable[256];
    const char *of = strncmp(prose, "static ", 7) == 0 ? prose + 7 : NULL;
    snprintf(variable, sizeof(variable), "[static var %s]", of != NULL ? of : "");
    return of != NULL ? strcmp(pseudo, variable) == 0
                      : root_kind_of(pseudo) == kind_in_prose(prose) ||
                            (root_kind_of(pseudo) == HD_ROOT_KIND_COUNT &&
                             kind_in_prose(prose) == HD_ROOT_OTHER);
}

static void expect_rooted_by(const char *file, const struct hd_snapshot *snap, node_id n,
                             const json_t *names)
{
    const struct graph *g = snap->graph;
    size_t records = 0, i;
    const json_t *name;
    for (node_id from = 0; from < g->node_count; from++)
        for (uint32_t e = g->edge_begin[from]; e < g->edge_begin[from + 1]; e++)
            records += is_pseudo(snap, from) && g->edge_to[e] == n;
    cr_expect_eq(records, json_array_size(names), "%s: roots of node %u", file, n);
    json_array_foreach(names, i, name)
    {
        bool found = false;
        for (node_id from = 0; from < g->node_count; from++)
            for (uint32_t e = g->edge_begin[from]; e < g->edge_begin[from + 1]; e++)
                found |= g->edge_to[e] == n && is_pseudo(snap, from) &&
                         is_root_called(snap->types[g->type[from]].name,
                                        json_string_value(name));
        cr_expect(found, "%s: node %u is rooted by %s", file, n, json_string_value(name));
    }
}

/* The node with this id in the same section; nodes are in file order. */
static node_id node_of(const json_t *nodes, uint64_t domain, const char *id)
{
    size_t i;
    const json_t *node;
    json_array_foreach(nodes, i,
                       node) if (number(node, "domain") == domain &&
                                 strcmp(string(node, "id"), id) == 0) return (node_id)i;
    return NO_NODE;
}

static void expect_references(const char *file, const struct hd_snapshot *snap, node_id n,
                              const json_t *nodes)
{
    const struct graph *g = snap->graph;
    const json_t *node = json_array_get(nodes, n), *refs = json_object_get(node, "refs");
    uint32_t begin = g->edge_begin[n];
    cr_assert_eq(g->edge_begin[n + 1] - begin, json_array_size(refs), "%s: node %u", file,
                 n);
    for (uint32_t i = 0; i < json_array_size(refs); i++)
        cr_expect_eq(g->edge_to[begin + i],
                     node_of(nodes, number(node, "domain"),
                             json_string_value(json_array_get(refs, i))),
                     "%s: reference %u of node %u", file, i, n);
}

static void expect_nodes(const char *file, const struct hd_snapshot *snap,
                         const json_t *nodes)
{
    const struct graph *g = snap->graph;
    uint32_t *depth = depths(snap);
    for (node_id n = 0; n < json_array_size(nodes); n++) {
        const json_t *node = json_array_get(nodes, n);
        cr_expect_eq(&snap->types[g->type[n]], row_of_raw(snap, string(node, "type")),
                     "%s: type of node %u", file, n);
        cr_expect_eq(graph_size(g, n), number(node, "size"), "%s: node %u", file, n);
        const json_t *level = json_object_get(node, "depth");
        cr_expect_eq(depth[n], json_is_null(level) ? 0 : json_integer_value(level),
                     "%s: depth of node %u", file, n);
        expect_references(file, snap, n, nodes);
        expect_rooted_by(file, snap, n, json_object_get(node, "rooted_by"));
    }
    free(depth);
}

/* --- the fixtures ------------------------------------------------------------ */

Test(read_heap_text, reads_every_good_file_as_expected)
{
    json_t *all = load_expected(), *e;
    const char *file;
    size_t good = 0;
    json_object_foreach(json_object_get(all, "files"), file, e)
    {
        if (!json_is_true(json_object_get(e, "ok")))
            continue;
        struct hd_snapshot *snap = open_good(file, &whole);
        expect_totals(file, snap, e, true);
        expect_roots(file, snap, e, 0);
        expect_sections(file, snap, e);
        expect_table(file, snap, e, true);
        expect_warnings(file, snap, json_object_get(e, "warnings"), true);
        const struct warning *dangling =
            warnings_find(&snap->warnings, WARN_DANGLING_REFERENCE);
        cr_expect_eq(dangling != NULL ? dangling->count : 0,
                     number(e, "dangling_references"), "%s", file);
        dangling = warnings_find(&snap->warnings, WARN_DANGLING_ROOT);
        cr_expect_eq(dangling != NULL ? dangling->count : 0, number(e, "dangling_roots"));
        if (json_object_get(e, "nodes") != NULL)
            expect_nodes(file, snap, json_object_get(e, "nodes"));
        hd_snapshot_close(snap);
        good++;
    }
    cr_expect_eq(good, 17);
    json_decref(all);
}

Test(read_heap_text, finds_the_same_table_without_a_graph)
{
    json_t *all = load_expected(), *e;
    const char *file;
    json_object_foreach(json_object_get(all, "files"), file, e)
    {
        if (!json_is_true(json_object_get(e, "ok")))
            continue;
        struct hd_snapshot *snap = open_good(file, &tables);
        cr_expect_null(snap->graph);
        expect_totals(file, snap, e, false);
        expect_roots(file, snap, e, number(e, "dangling_roots"));
        expect_sections(file, snap, e);
        expect_table(file, snap, e, false);
        expect_warnings(file, snap, json_object_get(e, "warnings"), false);
        hd_snapshot_close(snap);
    }
    json_decref(all);
}

static void expect_refused(const char *file, const struct hd_read_options *opt,
                           const json_t *error)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path_of(file), opt, &err);
    cr_assert_null(snap, "%s is refused", file);
    cr_expect_eq(err.where, HD_AT_LINE, "%s", file);
    cr_assert_not_null(err.kind, "%s: %s", file, err.message);
    bool is_empty = strcmp(err.kind, "empty") == 0; /* as a folder may contain */
    cr_expect_eq(err.status, is_empty ? HD_NOT_A_SNAPSHOT : HD_BAD_FORMAT, "%s: %s", file,
                 err.message);
    cr_expect_str_eq(err.kind, string(error, "kind"), "%s", file);
    cr_expect_eq(err.at, number(error, "line"), "%s", file);
}

Test(read_heap_text, refuses_every_bad_file_at_its_line)
{
    json_t *all = load_expected(), *e;
    const char *file;
    size_t bad = 0;
    json_object_foreach(json_object_get(all, "files"), file, e)
    {
        if (json_is_true(json_object_get(e, "ok")))
            continue;
        bad++;
        expect_refused(file, &whole, json_object_get(e, "error"));
        if (json_is_true(json_object_get(e, "graph_only")))
            hd_snapshot_close(open_good(file, &tables));
        else
            expect_refused(file, &tables, json_object_get(e, "error"));
    }
    cr_expect_eq(bad, 23);
    json_decref(all);
}

Test(read_heap_text, reads_decimal_sizes_on_request)
{
    struct hd_read_options decimal = {.size_base = 10};
    json_t *all = load_expected();
    const json_t *e = json_object_get(json_object_get(all, "files"), "decimal-sizes.txt");
    struct hd_snapshot *snap = open_good("decimal-sizes.txt", &decimal);
    cr_expect_eq(snap->info.bytes, number(e, "bytes_with_size_base_10"));
    cr_expect_eq(snap->warnings.len, 0, "the choice was made: nothing to warn about");
    hd_snapshot_close(snap);
    json_decref(all);

    struct hd_error err = {0};
    cr_expect_null(hd_snapshot_open(path_of("example.txt"), &decimal, &err));
    cr_expect_str_eq(err.kind, "bad-number");
    cr_expect_str_eq(err.message, "\"2c\" is not a decimal number");
    cr_expect_eq(err.at, 3);
}

/* --- recognising --------------------------------------------------------------- */

extern const struct reader read_heap_text;

Test(read_heap_text, is_recognised_by_its_first_line_that_is_not_blank)
{
#define HEAD(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }
    static const struct {
        struct {
            const char *data;
            size_t size;
        } head;
        enum recognition expected;
    } cases[] = {
        {HEAD("a 2 x 1\n"), RECOGNISED_YES},
        {HEAD("\xEF\xBB\xBF \r\n\t\no\t1"), RECOGNISED_YES},
        {HEAD("c "), RECOGNISED_YES},
        {HEAD("\xFF\xFE"
              "a\0 \0"),
         RECOGNISED_YES},
        {HEAD("\xFE\xFF\0t\0\t"), RECOGNISED_YES},
        {HEAD(""), RECOGNISED_MAYBE},
        {HEAD("\xEF\xBB\xBF"), RECOGNISED_MAYBE},
        {HEAD(" \n\r\n"), RECOGNISED_MAYBE},
        {HEAD("a"), RECOGNISED_NO},
        {HEAD("an a"), RECOGNISED_NO},
        {HEAD(" a 2 x 1"), RECOGNISED_NO},
        {HEAD("\0 a"), RECOGNISED_NO},
        {HEAD("\0 "), RECOGNISED_NO},
        {HEAD("b 1"), RECOGNISED_NO},
        {HEAD("\xFF\xFE"
              "a\0b\0"),
         RECOGNISED_NO},
        {HEAD("\xFF\xFE"
              "a\1 \0"),
         RECOGNISED_NO},
        {HEAD("\xFF\xFE"
              "a\0 "),
         RECOGNISED_NO},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct bytes head = {(const unsigned char *)cases[i].head.data, cases[i].head.size};
        cr_expect_eq(read_heap_text.recognises(head), cases[i].expected, "case %zu", i);
    }
}
