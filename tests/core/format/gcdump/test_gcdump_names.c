/* Full names are written to the log of a gcdump and read again, if they are plausible. */
#include "format/gcdump/gcdump_log.h"
#include "support/forge.h"
#include "support/rewritten.h"

#include <criterion/criterion.h>
#include <string.h>

static struct hd_snapshot *forged(void)
{
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STATIC, "App.Order.s_all",
               forge_object(&f, "Node<App.A>[]", 40));
    return forge_finish(&f);
}

static struct type *row(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (strcmp(snap->types[t].name, name) == 0)
            return &snap->types[t];
    cr_assert_fail("no row %s", name);
    return NULL;
}

Test(gcdump_names, each_full_name_is_a_line)
{
    struct hd_snapshot *snap = forged();
    struct text log = {0};
    row(snap, "Node<App.A>[]")->full_name = "App.Ring+Node<App.A>[]";
    text_add_string(&log, "Done");
    gcdump_names_write(&log, snap);
    cr_expect_str_eq(text_string(&log),
                     "Done\r\nheapdrift: full Node<App.A>[]\tApp.Ring+Node<App.A>[]\r\n");
    text_free(&log);
    hd_snapshot_close(snap);
}

/* A class with a variable of its own type needs a line, too. */
Test(gcdump_names, a_variable_of_its_own_class_is_declared_there)
{
    static const char name[] = "[static var App.Order.s_all]";
    struct hd_snapshot *snap = forged();
    struct text log = {0};
    row(snap, name)->full_name = name;
    gcdump_names_write(&log, snap);
    cr_expect_str_eq(text_string(&log), "heapdrift: full [static var App.Order.s_all]"
                                        "\t[static var App.Order.s_all]\r\n");
    text_free(&log);
    hd_snapshot_close(snap);
}

Test(gcdump_names, no_name_makes_a_line_of_its_own_or_the_log_long)
{
    static char endless[1 << 20];
    struct hd_snapshot *snap = forged();
    struct text log = {0};
    memset(endless, 'a', sizeof(endless) - 1);
    const char *hostile[] = {"A+Node\r\nheapdrift: instance 0123456789abcdef", "A+Node\tB",
                             "A+Node\xff", endless, "Node<App.A>[]"};
    for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
        row(snap, "Node<App.A>[]")->full_name = hostile[i];
        gcdump_names_write(&log, snap);
        cr_expect_eq(log.len, 0, "%.40s", hostile[i]);
    }
    text_free(&log);
    hd_snapshot_close(snap);
}

/* Expects the full name that the log gives for a name. */
static void expect(const char *log, const char *name, const char *full)
{
    struct builder b = builder_begin(input_over("", 0), "");
    struct gcdump_names n = {0};
    gcdump_names_read(&n, &b, log);
    const char *found = gcdump_names_find(&n, name);
    if (full != NULL && found != NULL)
        cr_expect_str_eq(found, full);
    else
        cr_expect_eq(found, full, "%s: %s", log, found != NULL ? found : "");
    gcdump_names_free(&n);
    builder_abandon(&b);
}

#define FULL "heapdrift: full "

Test(gcdump_names, lines_are_read_where_they_can_be_true)
{
    expect(NULL, "A", NULL);
    expect("x\r\n" FULL "Node\tA+Node\r\n" FULL "Node\tB+Node", "Node", "A+Node");
    expect(FULL "<>c__D1_0<T>\tA+<>c__D1_0<T>", "<>c__D1_0<T>", "A+<>c__D1_0<T>");
    expect(FULL "Entry<A,B>[]\tDict<A,B>+Entry[]", "Entry<A,B>[]", "Dict<A,B>+Entry[]");
    expect(FULL "[static var L<A.B>.s_x]\t[static var C.s_x]", "[static var L<A.B>.s_x]",
           "[static var C.s_x]");
    expect(FULL "[static var C.s_x]\t[static var C.s_x]", "[static var C.s_x]",
           "[static var C.s_x]");
    expect(FULL "[static var L.<X>k__B]\t[static var C<D>.<X>k__B]",
           "[static var L.<X>k__B]", "[static var C<D>.<X>k__B]");
}

Test(gcdump_names, wrong_and_damaged_lines_are_skipped)
{
    static const char *const lies[] = {
        FULL "Node\tSystem.String",
        FULL "Node\tA+NodeList",
        FULL "Node\tA+Nod",
        FULL "Node",
        FULL "Node\t",
        FULL "\tA+Node",
        "heapdrift: full\tNode\tA+Node",
    };
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++)
        expect(lies[i], "Node", NULL);
    expect(FULL "[static var L.s_x]\t[static var C.s_y]", "[static var L.s_x]", NULL);
    expect(FULL "[static var L.s_x]\tA+L.s_x", "[static var L.s_x]", NULL);
    expect(FULL "[static var ]\t[static var ]", "[static var ]", NULL);
    expect(FULL "[static vars]\tNode", "[static vars]", NULL);
}

Test(gcdump_names, many_lines_end)
{
    struct text log = {0};
    struct builder b = builder_begin(input_over("", 0), "");
    struct gcdump_names n = {0};
    for (unsigned i = 0; i < 70000; i++) {
        char line[64];
        snprintf(line, sizeof(line), FULL "N%u\tA+N%u\n", i, i);
        text_add_string(&log, line);
    }
    gcdump_names_read(&n, &b, text_string(&log));
    cr_expect_not_null(gcdump_names_find(&n, "N65535"));
    cr_expect_null(gcdump_names_find(&n, "N65536"));
    cr_expect_null(gcdump_names_find(&n, NULL));
    gcdump_names_free(&n);
    builder_abandon(&b);
    text_free(&log);
}

Test(gcdump_names, a_trace_keeps_its_outer_classes_as_a_gcdump)
{
    static const struct hd_read_options how = {.to_write = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap =
        hd_snapshot_open("fixtures/leaklab/nettrace/1.nettrace.zst", &how, &err);
    cr_assert_not_null(snap, "%s", err.message);
    char *data;
    size_t size, named = 0;
    FILE *to = open_memstream(&data, &size);
    cr_assert(hd_snapshot_write(snap, "gcdump", hd_sink_file(to), NULL, &err));
    fclose(to);
    struct hd_snapshot *again = hd_snapshot_from_memory(data, size, &how, &err);
    cr_assert_not_null(again, "%s", err.message);
    for (type_id t = 0; t < snap->type_count; t++) {
        const struct type *type = &snap->types[t];
        if (type->full_name == NULL || type->raw.count == 0)
            continue;
        cr_assert_not_null(row(again, type->name)->full_name, "%s", type->name);
        cr_expect_str_eq(row(again, type->name)->full_name, type->full_name);
        named++;
    }
    cr_expect_gt(named, 0);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    free(data);
}
