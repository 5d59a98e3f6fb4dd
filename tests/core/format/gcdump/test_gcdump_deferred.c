/* Types whose names are in symbols: their modules, their names, and invalid lists of them.
 */
#include "format/usual_gcdump.h"

#include <stdio.h>

static const char app[] = "/app/Shop.dll", lib[] = "/lib/Native.dll";

/* Only the first ones have names. */
static const struct made_type unnamed_types[] = {
    [UNDEFINED] = {.name = "UNDEFINED"},
    [ROOTS] = {.name = "[.NET Roots]", .multiplier = 1},
    [STACK] = {.name = "[local vars]", .multiplier = 1},
    [ORDER] = {.size = 24},
    [TEXT] = {.size = 32, .module = "/told.dll"},
};

/* One per type, up to the last deferred one. */
static struct made_gcdump with_deferred(const struct made_deferred *deferred, size_t count)
{
    struct made_gcdump m = usual;
    m.types = unnamed_types;
    m.deferred = deferred;
    m.deferred_count = count;
    return m;
}

/* The row of a node of the usual file. */
static const struct type *row_of(const struct hd_snapshot *snap, node_id n)
{
    return &snap->types[snap->graph->type[n]];
}

static void expect_named(const struct made_gcdump *m)
{
    struct hd_snapshot *snap = read_made(m);
    cr_expect_str_eq(row_of(snap, 2)->name, "TypeID(0x2a)");
    cr_expect_str_eq(row_of(snap, 2)->module, app);
    cr_expect_str_eq(row_of(snap, 3)->name, "TypeID(0x0)");
    cr_expect_str_eq(row_of(snap, 3)->module, "/told.dll", "what the type says counts");
    cr_expect_eq(snap->info.objects, 2);
    cr_assert_eq(snap->warnings.len, 1);
    cr_expect_eq(snap->warnings.all[0].code, WARN_UNKNOWN_TYPE);
    cr_expect_eq(snap->warnings.all[0].count, 2);
    cr_expect_str_eq(snap->warnings.all[0].detail, AOT_UNNAMED);
    close_made(snap);
}

Test(gcdump_deferred, types_are_called_by_their_ids)
{
    static const struct made_deferred deferred[] = {
        {0}, {.module = lib}, {.id = 7}, {.id = 42, .module = app}, {.module = app}};
    for (unsigned form = 0; form < 4; form++) {
        struct made_gcdump m = with_deferred(deferred, COUNT(deferred));
        m.wide_modules = form & 1;
        m.eight_byte_labels = form & 2;
        expect_named(&m);
    }
}

Test(gcdump_deferred, a_type_without_id_and_module_stays_unknown)
{
    static const struct made_deferred deferred[] = {{0}, {0}, {0}, {0}, {.id = 5}};
    const struct made_gcdump m = with_deferred(deferred, COUNT(deferred));
    struct hd_snapshot *snap = read_made(&m);
    cr_expect_str_eq(row_of(snap, 2)->name, "<unknown type>");
    cr_expect_null(row_of(snap, 2)->module);
    cr_expect_str_eq(row_of(snap, 3)->name, "TypeID(0x5)");
    close_made(snap);
}

Test(gcdump_deferred, there_may_be_fewer_than_types)
{
    static const struct made_deferred deferred[] = {{.id = 9, .module = app}};
    struct made_gcdump m = with_deferred(deferred, COUNT(deferred));
    m.types = usual_types;
    struct hd_snapshot *snap = read_made(&m);
    expect_usual(snap);
    close_made(snap);
}

Test(gcdump_deferred, modules_in_thousands_are_told_apart)
{
    enum { MANY = 3000 };
    static char paths[MANY][32];
    static struct made_type types[MANY];
    static struct made_node nodes[MANY];
    static struct made_deferred deferred[MANY];
    types[0] = (struct made_type){.name = "[.NET Roots]"};
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(paths[i], sizeof(paths[i]), "/app/%u.dll", i / 2);
        const char *path = i % 2 == 0 || i == 0 ? paths[i] : paths[i - 1];
        deferred[i] = (struct made_deferred){.id = i, .module = path};
        nodes[i] = (struct made_node){.type = i, .size = i > 0 ? 24 : 0, .address = 64 * i};
    }
    struct made_gcdump m = usual;
    m.types = types;
    m.type_count = MANY;
    m.nodes = nodes;
    m.node_count = MANY;
    m.deferred = deferred;
    m.deferred_count = MANY;
    struct hd_snapshot *snap = read_made(&m);
    char name[32];
    for (node_id n = 1; n < MANY; n++) {
        snprintf(name, sizeof(name), "TypeID(0x%x)", n);
        cr_assert_str_eq(row_of(snap, n)->name, name);
        cr_assert_str_eq(row_of(snap, n)->module, paths[n - n % 2]);
    }
    close_made(snap);
}

/* --- lists that lie -------------------------------------------------------------- */

Test(gcdump_deferred, an_invalid_list_is_refused)
{
    static const struct made_deferred deferred[] = {
        {.id = 1, .module = app}, {.module = app}, {0}, {0}, {0}, {0}};
    struct made_gcdump m = with_deferred(deferred, 5);
    m.module_class = "Graphs.Node";
    expect_made_refused(&m, "a Graphs.Node instead of a Graphs.Module");
    m = with_deferred(deferred, 6);
    expect_made_refused(&m, "6 deferred types, but only 5 types");

    m = with_deferred(deferred, 5);
    m.wide_modules = true; /* the form that is tried last, so its errors are reported */
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    gcdump_bytes_put(&b, b.deferred_count_at, UINT32_MAX);
    expect_refused(&b, "deferred types do not fit");
    gcdump_bytes_put(&b, b.deferred_count_at, 4);
    expect_refused(&b, "does not end where it should");
    gcdump_bytes_put(&b, b.deferred_count_at, 5);
    gcdump_bytes_put(&b, b.forwards_at + 8, (uint32_t)b.deferred_end + 1);
    expect_refused(&b, "does not end where it should");
    gcdump_bytes_free(&b);
}

/* A reference replaces the first module: to nothing, and to a later module. */
Test(gcdump_deferred, modules_must_be_there_before_they_are_referred_to)
{
    static const struct made_deferred deferred[] = {
        {.id = 1, .module = app}, {.module = app}, {0}, {0}, {0}};
    const struct made_gcdump m = with_deferred(deferred, COUNT(deferred));
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    b.data.data[b.first_module_at] = 2;
    for (uint32_t label = 0; label < 300; label += 50) {
        gcdump_bytes_put(&b, b.first_module_at + 1, label);
        expect_refused(&b, "a reference to an unknown module");
    }
    gcdump_bytes_free(&b);
}

Test(gcdump_deferred, a_dump_needs_a_graph)
{
    struct made_gcdump m = usual;
    m.no_graph = true;
    expect_made_refused(&m, "a dump without a graph");
}
