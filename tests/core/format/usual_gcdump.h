/* usual_gcdump.h - an ordinary .gcdump, of which each test changes a part. root -> [local
 * vars] -> App.Order -> System.String -> App.Order */
#ifndef USUAL_GCDUMP_H
#define USUAL_GCDUMP_H

#include "support/forge.h"
#include "support/gcdump_bytes.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { UNDEFINED, ROOTS, STACK, ORDER, TEXT };

static const struct made_type usual_types[] = {
    [UNDEFINED] = {.name = "UNDEFINED", .multiplier = 0},
    [ROOTS] = {.name = "[.NET Roots]", .multiplier = 1},
    [STACK] = {.name = "[local vars]", .multiplier = 1},
    [ORDER] = {.name = "App.Order", .size = 24, .module = "/app.dll", .multiplier = 1},
    [TEXT] = {.name = "System.String", .size = 32, .multiplier = 2},
};

/* roots -> stack -> order -> text, text -> order */
static const struct made_node usual_nodes[] = {
    {.type = ROOTS, .references = 1, .to = {1}},
    {.type = STACK, .references = 1, .to = {2}},
    {.type = ORDER, .size = 24, .address = 0x1000, .references = 1, .to = {3}},
    {.type = TEXT, .size = 100, .address = 0x2000, .references = 1, .to = {2}},
};

static const struct made_gcdump usual = {
    .types = usual_types,
    .type_count = COUNT(usual_types),
    .nodes = usual_nodes,
    .node_count = COUNT(usual_nodes),
    .tool = "test",
};

static inline struct made_gcdump with_nodes(const struct made_node *nodes, size_t count)
{
    struct made_gcdump m = usual;
    m.nodes = nodes;
    m.node_count = count;
    return m;
}

static inline struct hd_snapshot *read_bytes(const struct gcdump_bytes *b, bool tables_only,
                                             struct hd_error *err)
{
    const struct hd_read_options opt = {.tables_only = tables_only};
    return hd_snapshot_from_memory(b->data.data, b->data.len, &opt, err);
}

static inline struct hd_snapshot *read_good(const struct gcdump_bytes *b)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_bytes(b, false, &err);
    cr_assert_not_null(snap, "byte 0x%llx: %s", (unsigned long long)err.at, err.message);
    return snap;
}

/* The bytes must live as long as the snapshot, so they are freed with it. */
static struct gcdump_bytes bytes_in_use;

static inline struct hd_snapshot *read_made(const struct made_gcdump *m)
{
    bytes_in_use = gcdump_bytes_make(m);
    return read_good(&bytes_in_use);
}

static inline void close_made(struct hd_snapshot *snap)
{
    hd_snapshot_close(snap);
    gcdump_bytes_free(&bytes_in_use);
}

/* why is a part of the message. Some checks need references, so reading tables only may
 * succeed. */
static inline void expect_refused(const struct gcdump_bytes *b, const char *why)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = read_bytes(b, false, &err);
    cr_expect_null(snap, "%s: read", why);
    cr_expect_eq(err.status, HD_BAD_FORMAT, "%s", why);
    cr_expect_eq(err.where, HD_AT_BYTE, "%s", why);
    cr_expect_leq(err.at, b->data.len, "%s", why);
    cr_expect_not_null(strstr(err.message, why), "%s, and not: %s", err.message, why);
    hd_snapshot_close(snap);
}

static inline void expect_made_refused(const struct made_gcdump *m, const char *why)
{
    struct gcdump_bytes b = gcdump_bytes_make(m);
    expect_refused(&b, why);
    gcdump_bytes_free(&b);
}

static inline bool warns(const struct hd_snapshot *snap, enum warning_code code)
{
    return warnings_find(&snap->warnings, code) != NULL;
}

static inline const struct type *row(const struct hd_snapshot *snap, enum type_kind kind,
                                     const char *name)
{
    const struct type *t = forge_type(snap, kind, name);
    cr_assert_not_null(t, "row %s", name);
    return t;
}

/* The graph of the usual file is unchanged, whatever surrounds it. */
static inline void expect_usual(const struct hd_snapshot *snap)
{
    cr_expect_eq(snap->info.objects, 2);
    cr_expect_eq(snap->info.bytes, 124);
    cr_expect_eq(snap->info.references, 2);
    cr_expect_eq(snap->info.roots, 1);
    cr_expect_eq(snap->info.reachable_objects, 2);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STACK], 1);
    cr_expect_eq(row(snap, TYPE_OBJECT, "App.Order")->raw.bytes, 24);
    cr_expect_str_eq(row(snap, TYPE_OBJECT, "App.Order")->module, "/app.dll");
    cr_expect_eq(row(snap, TYPE_OBJECT, "System.String")->raw.bytes, 100);
    cr_expect_eq(graph_address(snap->graph, 3), 0x2000);
}

static inline void expect_usual_made(const struct made_gcdump *m)
{
    struct hd_snapshot *snap = read_made(m);
    expect_usual(snap);
    close_made(snap);
}

#endif
