/* Snapshots converted to another format and back must give the same answers. */
#include "support/asked.h"
#include "support/forge.h"
#include "support/large.h"
#include "support/random.h"
#include "support/rewritten.h"

#include <criterion/criterion.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- random heaps -------------------------------------------------------------------- */

static const char *const type_names[] = {"App.Order",
                                         "App.Map<System.String,App.Order[]>",
                                         "System.Byte[]",
                                         "System.Int32[,]",
                                         "App.Shop+<>c__DisplayClass3_0",
                                         "App.Node",
                                         "System.String",
                                         "Größe",
                                         "Freed",
                                         "x"};

/* Kinds that heap text has, too. */
static const enum hd_root_kind kinds[] = {HD_ROOT_STATIC,        HD_ROOT_STRONG_HANDLE,
                                          HD_ROOT_PINNED_HANDLE, HD_ROOT_STACK,
                                          HD_ROOT_FINALIZER,     HD_ROOT_OTHER};

static struct hd_snapshot *random_heap(struct random *r, bool any_kind)
{
    static const char *const variables[] = {"App.Cache.s_all", "App.Map<App.Order>.s_map",
                                            "?"};
    struct forge f = {0};
    uint32_t objects = 1 + random_below(r, 40);
    for (uint32_t i = 0; i < objects; i++) {
        uint64_t size =
            random_below(r, 10) == 0 ? random_below(r, 3000000) : random_below(r, 8) * 8;
        forge_object(&f, type_names[random_below(r, COUNT(type_names))], size);
    }
    for (uint32_t e = random_below(r, 3 * objects); e > 0; e--)
        forge_reference(&f, random_below(r, objects), random_below(r, objects));
    for (uint32_t e = random_below(r, 8); e > 0; e--) {
        enum hd_root_kind kind =
            any_kind ? (enum hd_root_kind)random_below(r, HD_ROOT_UNREACHABLE)
                     : kinds[random_below(r, COUNT(kinds))];
        const char *variable =
            kind == HD_ROOT_STATIC ? variables[random_below(r, COUNT(variables))] : NULL;
        forge_root(&f, kind, variable, random_below(r, objects));
    }
    return forge_finish(&f);
}

struct written {
    struct hd_snapshot *snap;
    char *data;
    size_t size;
};

static struct written through(struct hd_snapshot *snap, const char *target)
{
    struct written w;
    struct hd_error err = {0};
    w.snap = rewritten(snap, target, &w.data, &w.size, &err);
    cr_assert_not_null(w.snap, "%s: %s", target, err.message);
    return w;
}

static void close(struct written *w)
{
    hd_snapshot_close(w->snap);
    free(w->data);
}

static void expect_no(const char *what)
{
    cr_expect_null(what, "differs: %s", what);
}

static void expect_same_bytes(const struct written *a, const struct written *b)
{
    cr_expect_eq(a->size, b->size);
    cr_expect(a->size == b->size && memcmp(a->data, b->data, a->size) == 0);
}

/* --- there and back -------------------------------------------------- */

Test(convert, gcdump_to_gcdump_loses_nothing)
{
    struct random r = random_from(20);
    for (int i = 0; i < 1000; i++) {
        struct hd_snapshot *snap = random_heap(&r, true);
        struct written once = through(snap, "gcdump"), twice = through(once.snap, "gcdump");
        expect_no(rewritten_totals_differ(snap, once.snap));
        expect_no(rewritten_rows_differ(snap, once.snap, false, true));
        expect_no(rewritten_gcdump_overflows(once.snap));
        cr_expect_arr_eq(snap->roots_by_kind, once.snap->roots_by_kind,
                         sizeof(snap->roots_by_kind));
        expect_no(rewritten_gcdump_differs(once.snap, twice.snap));
        expect_same_bytes(&once, &twice);
        close(&twice);
        close(&once);
        hd_snapshot_close(snap);
    }
}

static char *json_of(struct hd_report *report, const struct hd_error *err)
{
    char *text = NULL;
    size_t len = 0;
    cr_assert_not_null(report, "%s", err->message);
    FILE *to = open_memstream(&text, &len);
    cr_assert(hd_report_write(report, "json", NULL, hd_sink_file(to), NULL));
    fclose(to);
    hd_report_free(report);
    return text;
}

/* diff, top and roots of both, as JSON. */
static void expect_same_reports(struct hd_snapshot *const *a, struct hd_snapshot *const *b)
{
    static const char *const any = "*";
    struct hd_options opt = hd_default_options();
    struct hd_error err = {0};
    opt.rows = 0;
    opt.exact = true;
    char *x = json_of(ask_diff(a, 2, &opt, &err), &err);
    char *y = json_of(ask_diff(b, 2, &opt, &err), &err);
    cr_expect_str_eq(x, y);
    free(x), free(y);
    x = json_of(ask_top(a[1], &opt, &err), &err);
    y = json_of(ask_top(b[1], &opt, &err), &err);
    cr_expect_str_eq(x, y);
    free(x), free(y);
    opt.types = &any;
    opt.type_count = 1;
    x = json_of(ask_roots(a, 2, &opt, &err), &err);
    y = json_of(ask_roots(b, 2, &opt, &err), &err);
    cr_expect_str_eq(x, y);
    free(x), free(y);
}

Test(convert, heap_text_to_gcdump_and_back_gives_the_same_graph_and_reports)
{
    struct random r = random_from(21);
    for (int i = 0; i < MILLION / 2000; i++) {
        struct hd_snapshot *first[2], *last[2];
        struct written text[2], dump[2], back[2];
        for (int k = 0; k < 2; k++) {
            struct hd_snapshot *snap = random_heap(&r, false);
            text[k] = through(snap, "heap-text");
            dump[k] = through(text[k].snap, "gcdump");
            back[k] = through(dump[k].snap, "heap-text");
            expect_no(rewritten_totals_differ(snap, text[k].snap));
            expect_no(rewritten_totals_differ(text[k].snap, dump[k].snap));
            expect_no(rewritten_graph_differs(text[k].snap, back[k].snap));
            cr_expect_arr_eq(snap->roots_by_kind, dump[k].snap->roots_by_kind,
                             sizeof(snap->roots_by_kind));
            cr_expect_arr_eq(snap->roots_by_kind, back[k].snap->roots_by_kind,
                             sizeof(snap->roots_by_kind));
            first[k] = text[k].snap;
            last[k] = back[k].snap;
            hd_snapshot_close(snap);
        }
        if (first[1]->info.has_roots)
            expect_same_reports(first, last);
        for (int k = 0; k < 2; k++) {
            close(&back[k]);
            close(&dump[k]);
            close(&text[k]);
        }
    }
}

Test(convert, tables_hold_counts_and_bytes_of_every_type)
{
    static const char *const targets[] = {"table-csv", "table-json"};
    struct random r = random_from(22);
    for (int i = 0; i < 200; i++) {
        struct hd_snapshot *snap = random_heap(&r, true);
        for (size_t t = 0; t < COUNT(targets); t++) {
            struct written table = through(snap, targets[t]);
            struct written twice = through(table.snap, targets[t]);
            cr_expect_eq(table.snap->info.objects, snap->info.objects);
            cr_expect_eq(table.snap->info.bytes, snap->info.bytes);
            expect_no(rewritten_rows_differ(snap, table.snap, true, false));
            expect_same_bytes(&table, &twice);
            close(&twice);
            close(&table);
        }
        hd_snapshot_close(snap);
    }
}

/* --- what tables know of the snapshot -------------------------------- */

Test(convert, json_tables_know_when_and_where_and_that_objects_are_missing)
{
    struct forge f = {0};
    forge_row(&f, "A", 3, HD_UNKNOWN);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->info.process = "shop";
    snap->info.pid = 4711;
    snap->info.time = "2026-08-01T12:00:00";
    snap->info.complete = false;
    struct written json = through(snap, "table-json"), csv = through(snap, "table-csv");
    cr_expect_str_eq(json.snap->info.process, "shop");
    cr_expect_eq(json.snap->info.pid, 4711);
    cr_expect_str_eq(json.snap->info.time, "2026-08-01T12:00:00");
    cr_expect_not(json.snap->info.complete);
    cr_expect_eq(json.snap->info.bytes, HD_UNKNOWN);
    cr_expect_eq(csv.snap->info.bytes, HD_UNKNOWN);
    cr_expect_eq(csv.snap->info.objects, 3);
    close(&csv);
    close(&json);
    hd_snapshot_close(snap);
}

Test(convert, names_in_invalid_utf_8_are_reported)
{
    static const struct {
        const char *target;
        size_t losses;
    } cases[] = {{"gcdump", 1}, {"heap-text", 0}, {"table-csv", 2}, {"table-json", 2}};
    struct forge f = {0};
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "a\xFF", 24));
    struct hd_snapshot *snap = forge_finish(&f);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct hd_losses lost;
        char *data = NULL;
        size_t size;
        FILE *to = open_memstream(&data, &size);
        cr_assert(hd_snapshot_write(snap, cases[i].target, hd_sink_file(to), &lost, NULL));
        fclose(to);
        cr_expect_eq(lost.count, cases[i].losses, "%s", cases[i].target);
        if (cases[i].losses > 0)
            cr_expect_str_eq(lost.all[lost.count - 1].what, "names");
        free(data);
    }
    hd_snapshot_close(snap);
}

Test(convert, names_that_csv_escapes_are_reported)
{
    static const char *const names[] = {"a\x1b[2J", "a\xe2\x80\xae", "a##vso[x]"};
    static const char *const kept[] = {"::a", "=a", "a\nb", "'",
                                       "Gr\xc3\xb6\xc3\x9f"
                                       "e"};
    struct forge f = {0};
    for (size_t i = 0; i < COUNT(names); i++)
        forge_row(&f, names[i], 1, 10);
    for (size_t i = 0; i < COUNT(kept); i++)
        forge_row(&f, kept[i], 1, 10);
    struct hd_snapshot *snap = forge_finish(&f);
    struct hd_losses lost;
    struct hd_memory written = {0};
    cr_assert(hd_snapshot_write(snap, "table-csv", hd_sink_memory(&written), &lost, NULL));
    cr_assert_eq(lost.count, 1);
    cr_expect_str_eq(lost.all[0].what, "names");
    cr_expect(strncmp(lost.all[0].message, "3 ", 2) == 0, "%s", lost.all[0].message);
    hd_memory_free(&written);
    hd_snapshot_close(snap);
}

Test(convert, the_list_of_targets_ends)
{
    struct hd_target target;
    size_t n = 0;
    while (hd_target(n, &target)) {
        cr_expect_eq(target.suffix[0], '.');
        n++;
    }
    cr_expect_eq(n, 6);
    cr_expect_not(hd_target(n + 1, &target));
}
