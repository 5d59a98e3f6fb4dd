#include "format/usual_gcdump.h"
#include "support/rewritten.h"

static char *data;
static size_t size;
static struct hd_losses lost;

/* Writes snap and closes it. */
static const char *text_of(struct hd_snapshot *snap)
{
    struct hd_error err = {0};
    FILE *to = open_memstream(&data, &size);
    cr_assert(hd_snapshot_write(snap, "heap-text", hd_sink_file(to), &lost, &err), "%s",
              err.message);
    fclose(to);
    return data;
}

static void expect_loss(const char *what, const char *message)
{
    for (size_t i = 0; i < lost.count; i++)
        if (strcmp(lost.all[i].what, what) == 0) {
            cr_expect_not_null(strstr(lost.all[i].message, message), "%s: %s", what,
                               lost.all[i].message);
            return;
        }
    cr_expect_fail("no loss of %s", what);
}

Test(write_heap_text, writes_types_objects_and_roots)
{
    struct forge f = {0};
    node_id hub = forge_object(&f, "App.Hub", 40);
    node_id page = forge_object(&f, "App.Page<System.String, App.Item>", 0x1a0);
    forge_reference(&f, hub, page);
    forge_reference(&f, hub, hub);
    forge_reference(&f, hub, page);
    forge_root(&f, HD_ROOT_STATIC, "App.Program.s_hub", hub);
    forge_root(&f, HD_ROOT_PINNED_HANDLE, NULL, page);
    forge_root(&f, HD_ROOT_STACK, NULL, hub);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->info.process = "Shop 2.exe";
    snap->clock = 6171.152;
    cr_expect_str_eq(text_of(snap), "a 2 Shop 2.exe 5e2a10\n"
                                    "t 1 App.Hub\n"
                                    "t 2 App.Page<System.String,App.Item>\n"
                                    "o 1 1 28 2 1 2\n"
                                    "o 2 2 1a0\n"
                                    "r 2 3 1\n"
                                    "r 1 1 0\n"
                                    "t 3 App.Program.s_hub\n"
                                    "r 1 4 0 3\n"
                                    "c Shop 2.exe 5e2a10\n");
    cr_expect_eq(lost.count, 0);
    hd_snapshot_close(snap);
    free(data);
}

Test(write_heap_text, every_kind_of_root_has_its_code)
{
    static const struct {
        enum hd_root_kind kind;
        const char *line;
    } cases[] = {{HD_ROOT_STRONG_HANDLE, "r 1 3 0\n"},
                 {HD_ROOT_PINNED_HANDLE, "r 1 3 1\n"},
                 {HD_ROOT_REF_COUNTED_HANDLE, "r 1 3 0\n"},
                 {HD_ROOT_DEPENDENT_HANDLE, "r 1 3 0\n"},
                 {HD_ROOT_STACK, "r 1 1 0\n"},
                 {HD_ROOT_FINALIZER, "r 1 2 0\n"},
                 {HD_ROOT_OTHER, "r 1 0 0\n"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct forge f = {0};
        forge_root(&f, cases[i].kind, NULL, forge_object(&f, "A", 24));
        struct hd_snapshot *snap = forge_finish(&f);
        cr_expect_not_null(strstr(text_of(snap), cases[i].line), "%s", data);
        bool exact = cases[i].kind != HD_ROOT_REF_COUNTED_HANDLE &&
                     cases[i].kind != HD_ROOT_DEPENDENT_HANDLE;
        if (exact)
            cr_expect_eq(lost.count, 0);
        else
            expect_loss("root-kinds", ": 1");
        hd_snapshot_close(snap);
        free(data);
    }
}

Test(write_heap_text, names_stay_on_their_line)
{
    struct forge f = {0};
    forge_object(&f, "a\nb\r", 24);
    forge_object(&f, " c ", 24);
    forge_root(&f, HD_ROOT_STATIC, " ", 0);
    struct hd_snapshot *snap = forge_finish(&f);
    snap->info.process = "\t";
    const char *text = text_of(snap);
    cr_expect_not_null(strstr(text, "a 2 unknown 0\n"));
    cr_expect_not_null(strstr(text, "t 1 a b\n"), "%s", text);
    cr_expect_not_null(strstr(text, "t 2 c\n"), "%s", text);
    cr_expect_not_null(strstr(text, " ?\n"), "%s", text);
    expect_loss("names", ": 4");
    struct hd_error err = {0};
    struct hd_snapshot *again = hd_snapshot_from_memory(data, size, NULL, &err);
    cr_assert_not_null(again, "%s", err.message);
    cr_expect_eq(again->info.objects, 2);
    hd_snapshot_close(again);
    hd_snapshot_close(snap);
    free(data);
}

Test(write_heap_text, names_of_only_line_ends_can_be_read_again)
{
    static const char *const names[] = {"\n", "\r", "\r\n \n", " \n\t", "\n App.A \n"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct forge f = {0};
        forge_root(&f, HD_ROOT_STATIC, "s", forge_object(&f, names[i], 40));
        struct hd_snapshot *snap = forge_finish(&f);
        text_of(snap);
        struct hd_error err = {0};
        struct hd_snapshot *again = hd_snapshot_from_memory(data, size, NULL, &err);
        cr_expect_not_null(again, "%zu: %s in %s", i, err.message, data);
        hd_snapshot_close(again);
        hd_snapshot_close(snap);
        free(data);
    }
}

Test(write_heap_text, omits_nodes_that_are_not_objects)
{
    struct forge f = {0};
    node_id object = forge_object(&f, "A", 24);
    node_id undefined = forge_undefined(&f);
    forge_reference(&f, object, undefined);
    forge_reference(&f, object, object);
    forge_root(&f, HD_ROOT_STACK, NULL, object);
    forge_root(&f, HD_ROOT_STACK, NULL, undefined);
    struct hd_snapshot *snap = forge_finish(&f);
    cr_expect_not_null(strstr(text_of(snap), "o 1 1 18 1\n"), "%s", data);
    expect_loss("undefined", ": 1");
    hd_snapshot_close(snap);
    free(data);
}

/* A date is not a time since a start, but keeps the order of a series. */
Test(write_heap_text, reports_data_that_it_cannot_store)
{
    struct made_gcdump m = usual;
    static const struct made_segment segment = {0x1000, 0x3000, {0x3000, 0, 0, 0, 0}};
    static const struct hd_read_options to_write = {.to_write = true};
    m.segments = &segment;
    m.segment_count = 1;
    m.ticks = 639210780000000000;
    m.process = "shop";
    m.pid = 7;
    m.sampled = true;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    struct hd_error err = {0};
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(b.data.data, b.data.len, &to_write, &err);
    cr_assert_not_null(snap, "%s", err.message);
    snap->info.complete = false;
    text_of(snap);
    static const char *const what[] = {"generations", "addresses", "modules",   "time",
                                       "pid",         "sampling",  "incomplete"};
    for (size_t i = 0; i < COUNT(what); i++)
        expect_loss(what[i], "heap-text cannot hold");
    cr_expect_eq(lost.count, COUNT(what));
    hd_snapshot_close(snap);
    free(data);
    gcdump_bytes_free(&b);
}
