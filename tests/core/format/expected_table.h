/* expected_table.h - compares readers of type tables with an expected.json, for every input
 * that it lists. The numbers come from another reader. */
#ifndef EXPECTED_TABLE_H
#define EXPECTED_TABLE_H

#include "base/input.h"
#include "heap/snapshot.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <string.h>

/* --- single values ----------------------------------------------------------- */

/* Plain, or packed: long lists of numbers shrink to a fortieth. */
static inline json_t *expected_load(const char *path)
{
    struct hd_error err = {0};
    struct bytes text = {0};
    json_error_t why = {0};
    struct input *in = input_open(path, NULL, &err);
    json_t *all = in != NULL && input_all(in, &text, &err)
                      ? json_loadb((const char *)text.data, text.size, 0, &why)
                      : NULL;
    cr_assert_not_null(all, "%s: %s%s", path, err.message, why.text);
    input_close(in);
    return all;
}

static inline const json_t *expected_member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert_not_null(value, "there is a %s", key);
    return value;
}

static inline uint64_t expected_number(const json_t *value)
{
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : HD_UNKNOWN;
}

static inline uint64_t expected_count(const json_t *object, const char *key)
{
    return expected_number(expected_member(object, key));
}

static inline bool same_string(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static inline void expect_string(const char *file, const char *what, const char *got,
                                 const char *expected)
{
    cr_expect(same_string(got, expected), "%s: %s is %s, not %s", file, what,
              got != NULL ? got : "unknown", expected != NULL ? expected : "unknown");
}

static inline void expect_number(const char *file, const char *what, uint64_t got,
                                 uint64_t expected)
{
    cr_expect(got == expected, "%s: %s is %llu, not %llu", file, what,
              (unsigned long long)got, (unsigned long long)expected);
}

/* --- parts of a snapshot -------------------------------------------------------- */

static inline const struct type *find_type(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (strcmp(snap->types[t].name, name) == 0)
            return &snap->types[t];
    return NULL;
}

static inline void expect_type(const char *file, const struct hd_snapshot *snap,
                               const char *name, uint64_t count, uint64_t bytes)
{
    const struct type *t = find_type(snap, name);
    cr_expect(t != NULL, "%s: no type %s", file, name);
    if (t == NULL)
        return;
    expect_number(file, name, t->raw.count, count);
    expect_number(file, name, t->raw.bytes, bytes);
}

static inline void expect_types(const char *file, const struct hd_snapshot *snap,
                                const json_t *expected)
{
    const json_t *canonical = json_object_get(expected, "canonical_table");
    const json_t *table =
        canonical != NULL ? canonical : json_object_get(expected, "table");
    expect_number(file, "rows", snap->type_count, json_array_size(table));
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        if (canonical != NULL)
            expect_type(file, snap, json_string_value(json_array_get(row, 0)),
                        expected_number(json_array_get(row, 1)),
                        expected_number(json_array_get(row, 2)));
        else
            expect_type(file, snap, json_string_value(json_object_get(row, "type")),
                        expected_number(json_object_get(row, "count")),
                        expected_number(json_object_get(row, "bytes")));
    }
}

static inline void expect_warnings(const char *file, const struct hd_snapshot *snap,
                                   const json_t *expected)
{
    expect_number(file, "number of warnings", snap->warnings.len,
                  json_array_size(expected));
    for (size_t i = 0; i < json_array_size(expected) && i < snap->warnings.len; i++) {
        const json_t *e = json_array_get(expected, i);
        const struct warning *w = &snap->warnings.all[i];
        expect_string(file, "warning", warning_texts[w->code].code,
                      json_string_value(json_object_get(e, "kind")));
        expect_number(file, "count of warning", w->count,
                      expected_number(json_object_get(e, "count")));
        expect_number(file, "line of warning", w->line,
                      expected_number(json_object_get(e, "line")));
    }
}

static inline void expect_filters(const char *file, const char *got, const json_t *expected)
{
    char all[256] = "";
    for (size_t i = 0; i < json_array_size(expected); i++) {
        size_t len = strlen(all);
        snprintf(all + len, sizeof(all) - len, "%s%s", i > 0 ? " " : "",
                 json_string_value(json_array_get(expected, i)));
    }
    expect_string(file, "filters", got, all);
}

static inline void expect_origin(const char *file, const struct hd_table_origin *o,
                                 const json_t *expected)
{
    const char *command = json_string_value(json_object_get(expected, "command"));
    const char *liveness = json_string_value(json_object_get(expected, "liveness"));
    if (same_string(liveness, "unknown"))
        liveness = NULL;
    expect_string(file, "command", o->command, command);
    expect_string(file, "generation", o->generation,
                  json_string_value(json_object_get(expected, "generation")));
    expect_string(file, "liveness", o->liveness, liveness);
    if (command != NULL)
        expect_filters(file, o->filters, json_object_get(expected, "filters"));
    else
        expect_string(file, "filters", o->filters, NULL);
}

static inline void expect_free(const char *file, const struct hd_snapshot *snap,
                               const json_t *expected)
{
    const struct hd_process_facts *facts = &snap->facts;
    if (expected == NULL)
        return;
    bool is_known = hd_fact(facts, HD_FACT_FREE_BLOCKS) != HD_UNKNOWN;
    expect_number(file, "free blocks", is_known ? hd_fact(facts, HD_FACT_FREE_BLOCKS) : 0,
                  expected_number(json_object_get(expected, "count")));
    expect_number(file, "free bytes", is_known ? hd_fact(facts, HD_FACT_FRAGMENTED) : 0,
                  expected_number(json_object_get(expected, "bytes")));
}

/* --- whole files ------------------------------------------------------------------ */

static inline void expect_error(const char *file, const struct hd_error *err,
                                const json_t *expected)
{
    uint64_t line = expected_number(json_object_get(expected, "line"));
    expect_string(file, "kind of error", err->kind,
                  json_string_value(json_object_get(expected, "kind")));
    expect_number(file, "line of error", err->at, line);
    cr_expect(err->where == (line > 0 ? HD_AT_LINE : HD_NOWHERE), "%s: %s", file,
              err->message);
    cr_expect(strlen(err->message) > 0 && strchr(err->message, '\n') == NULL, "%s", file);
}

static inline void expect_snapshot(const char *file, const struct hd_snapshot *snap,
                                   const json_t *expected)
{
    const struct hd_info *info = &snap->info;
    expect_string(file, "format", info->format,
                  json_string_value(json_object_get(expected, "format")));
    /* The totals of a table include its row of free space. */
    uint64_t blocks = hd_fact(&snap->facts, HD_FACT_FREE_BLOCKS),
             free = hd_fact(&snap->facts, HD_FACT_FRAGMENTED);
    bool has_free = find_type(snap, "Free") != NULL;
    expect_number(file, "types", info->types + has_free,
                  expected_number(json_object_get(expected, "types")));
    expect_number(file, "objects", info->objects + (has_free ? blocks : 0),
                  expected_number(json_object_get(expected, "objects")));
    bool is_known = !has_free || free != HD_UNKNOWN;
    expect_number(file, "bytes",
                  is_known ? info->bytes + (has_free ? free : 0) : HD_UNKNOWN,
                  expected_number(json_object_get(expected, "bytes")));
    cr_expect(!info->has_graph && !info->has_roots && !info->has_generations, "%s", file);
    bool complete = !json_is_false(json_object_get(expected, "complete"));
    cr_expect(info->complete == complete && !info->sampled, "%s", file);
    expect_origin(file, &snap->origin, expected);
    expect_free(file, snap, json_object_get(expected, "free"));
    expect_warnings(file, snap, json_object_get(expected, "warnings"));
    expect_types(file, snap, expected);
}

/* Checks every file in folder/expected.json; returns their number. */
static inline size_t expect_folder(const char *folder)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/expected.json", folder);
    json_t *all = expected_load(path);
    json_t *files = json_object_get(all, "files");
    for (void *i = json_object_iter(files); i != NULL;
         i = json_object_iter_next(files, i)) {
        const char *file = json_object_iter_key(i);
        const json_t *expected = json_object_iter_value(i);
        struct hd_error err = {0};
        snprintf(path, sizeof(path), "%s/%s", folder, file);
        struct hd_snapshot *snap = hd_snapshot_open(path, NULL, &err);
        bool ok = json_is_true(json_object_get(expected, "ok"));
        cr_expect(ok == (snap != NULL), "%s: %s", file, snap ? "read" : err.message);
        if (snap != NULL && ok)
            expect_snapshot(file, snap, expected);
        else if (snap == NULL && !ok)
            expect_error(file, &err, json_object_get(expected, "error"));
        hd_snapshot_close(snap);
    }
    size_t count = json_object_size(files);
    json_decref(all);
    return count;
}

/* --- texts of a test ----------------------------------------------------------------- */

static inline struct hd_snapshot *read_text(const char *text, struct hd_error *err)
{
    *err = (struct hd_error){0};
    return hd_snapshot_from_memory(text, strlen(text), NULL, err);
}

static inline void expect_read(const char *text, uint64_t objects, uint64_t bytes)
{
    struct hd_error err;
    struct hd_snapshot *snap = read_text(text, &err);
    cr_expect(snap != NULL, "%s\n%s", err.message, text);
    if (snap != NULL) {
        bool has_free = find_type(snap, "Free") != NULL;
        uint64_t blocks = has_free ? hd_fact(&snap->facts, HD_FACT_FREE_BLOCKS) : 0,
                 free = has_free ? hd_fact(&snap->facts, HD_FACT_FRAGMENTED) : 0;
        expect_number(text, "objects", snap->info.objects + blocks, objects);
        expect_number(text, "bytes", snap->info.bytes + free, bytes);
    }
    hd_snapshot_close(snap);
}

static inline void expect_refused(const char *text, const char *kind, uint64_t line)
{
    struct hd_error err;
    struct hd_snapshot *snap = read_text(text, &err);
    cr_expect(snap == NULL, "read, but wrong: %s", text);
    expect_string(text, "kind of error", err.kind, kind);
    expect_number(text, "line of error", err.at, line);
    hd_snapshot_close(snap);
}

#endif
