#include "base/hash.h"
#include "format/open.h"
#include "format/reader.h"
#include "format/usual_gcdump.h"
#include "support/scratch.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLAIN "fixtures/gcdump-made/tiny.gcdump"
#define COMPRESSED "fixtures/leaklab/none/1.gcdump.gz"

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(open, .init = open_scratch, .fini = remove_scratch);

static struct hd_snapshot *open_good(const char *path, const struct hd_read_options *opt)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, opt, &err);
    cr_assert_not_null(snap, "%s: %s", path, err.message);
    return snap;
}

static void expect_no_snapshot(const char *path, const struct hd_read_options *opt,
                               enum hd_status status)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path, opt, &err);
    cr_expect_null(snap, "%s", path);
    cr_expect_eq(err.status, status, "%s: %s", path, err.message);
    cr_expect_gt(strlen(err.message), 0);
    hd_snapshot_close(snap);
    cr_expect_null(hd_snapshot_open(path, opt, NULL), "nobody listens");
}

Test(open, without_options_everything_is_read)
{
    struct hd_snapshot *snap = open_good(PLAIN, NULL);
    const struct hd_info *info = hd_snapshot_info(snap);
    cr_expect_str_eq(info->path, PLAIN);
    cr_expect_str_eq(info->format, "gcdump");
    cr_expect_eq(info->objects, 3);
    cr_expect(info->has_graph && info->has_roots);
    cr_expect_not_null(snap->graph);
    cr_expect_eq(info->xxh3, HD_UNKNOWN, "not asked for");
    hd_snapshot_close(snap);
    hd_snapshot_close(NULL);
}

Test(open, tables_only_has_no_graph)
{
    const struct hd_read_options opt = {.tables_only = true};
    struct hd_snapshot *snap = open_good(COMPRESSED, &opt);
    cr_expect_null(snap->graph);
    cr_expect_eq(snap->info.references, HD_UNKNOWN);
    cr_expect_eq(snap->info.reachable_objects, HD_UNKNOWN);
    cr_expect_gt(snap->info.objects, 0);
    hd_snapshot_close(snap);
}

/* --- graphs that are not kept ---------------------------------------------------- */

/* The usual file with so many undefined nodes that its graph is a large one. */
static const char *make_large(void)
{
    struct made_gcdump m = usual;
    m.undefined_nodes = 800000;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    const char *path = scratch_file(&scratch, "large.gcdump", b.data.data, b.data.len);
    gcdump_bytes_free(&b);
    return path;
}

static const struct hd_read_options dropping = {.drop_graph = true};

Test(open, a_large_graph_is_dropped_and_read_again_when_needed)
{
    struct hd_snapshot *snap = open_good(make_large(), &dropping);
    cr_expect_null(snap->graph);
    cr_expect_null(snap->input);
    cr_expect(snap->info.has_graph);
    cr_expect_eq(snap->info.references, 2, "it was looked at");
    cr_expect_eq(snap->info.reachable_objects, 2);
    for (int round = 0; round < 2; round++) {
        struct hd_error err = {0};
        cr_assert(snapshot_need_graph(snap, &err), "%s", err.message);
        cr_assert_not_null(snap->graph);
        expect_usual(snap);
        snapshot_release_graph(snap);
        cr_expect_null(snap->graph);
    }
    hd_snapshot_close(snap);
}

Test(open, a_small_graph_is_kept)
{
    struct hd_snapshot *snap = open_good(PLAIN, &dropping);
    const struct graph *g = snap->graph;
    cr_assert_not_null(g);
    cr_expect(snapshot_need_graph(snap, NULL));
    snapshot_release_graph(snap);
    cr_expect_eq((const void *)snap->graph, (const void *)g);
    hd_snapshot_close(snap);
}

Test(open, a_large_graph_is_kept_by_who_does_not_drop_it)
{
    struct hd_snapshot *snap = open_good(make_large(), NULL);
    snapshot_release_graph(snap);
    cr_expect_not_null(snap->graph);
    hd_snapshot_close(snap);
}

Test(open, a_graph_from_memory_is_read_again_from_there)
{
    struct made_gcdump m = usual;
    m.undefined_nodes = 800000;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    struct hd_snapshot *snap =
        hd_snapshot_from_memory(b.data.data, b.data.len, &dropping, NULL);
    cr_assert_not_null(snap);
    cr_expect_null(snap->graph);
    struct hd_error err = {0};
    cr_assert(snapshot_need_graph(snap, &err), "%s", err.message);
    expect_usual(snap);
    hd_snapshot_close(snap);
    gcdump_bytes_free(&b);
}

Test(open, a_file_that_changed_or_went_gives_no_graph)
{
    const char *path = make_large();
    struct hd_snapshot *snap = open_good(path, &dropping);
    struct made_gcdump m = usual;
    m.node_count--;
    struct made_node nodes[COUNT(usual_nodes)];
    memcpy(nodes, usual_nodes, sizeof(nodes));
    nodes[2].references = 0;
    m.nodes = nodes;
    struct gcdump_bytes b = gcdump_bytes_make(&m);
    scratch_file(&scratch, "large.gcdump", b.data.data, b.data.len);
    gcdump_bytes_free(&b);
    struct hd_error err = {0};
    cr_expect_not(snapshot_need_graph(snap, &err));
    cr_expect_eq(err.status, HD_IO, "%s", err.message);
    cr_expect_eq(unlink(path), 0);
    err = (struct hd_error){0};
    cr_expect_not(snapshot_need_graph(snap, &err));
    cr_expect_eq(err.status, HD_IO, "%s", err.message);
    cr_expect_null(snap->graph);
    cr_expect_eq(snap->info.objects, 2, "the table stays");
    hd_snapshot_close(snap);
}

Test(open, tables_have_no_graph_to_read_again)
{
    const struct hd_read_options opt = {.tables_only = true, .drop_graph = true};
    struct hd_snapshot *snap = open_good(PLAIN, &opt);
    cr_expect(snapshot_need_graph(snap, NULL));
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
    snap = open_good("fixtures/dumpheap-stat/managed.txt", &dropping);
    cr_expect(snapshot_need_graph(snap, NULL));
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
}

/* --- the checksum ---------------------------------------------------------------- */

/* Of the bytes as they are unpacked, taken at once. */
static uint64_t checksum_of(const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, NULL, &err);
    cr_assert_not_null(in, "%s", err.message);
    struct bytes all;
    cr_assert(input_all(in, &all, &err), "%s", err.message);
    uint64_t sum = XXH3_64bits(all.data, all.size);
    input_close(in);
    return sum;
}

Test(open, the_checksum_is_that_of_the_unpacked_bytes)
{
    static const char *const paths[] = {PLAIN,
                                        COMPRESSED,
                                        "fixtures/leaklab/list/0.gcdump.bz2",
                                        "fixtures/leaklab/events/0.gcdump.zst",
                                        "fixtures/leaklab/timers/0.gcdump.xz",
                                        "fixtures/heap-text/before.txt",
                                        "fixtures/dumpheap-stat/managed.txt"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        for (int tables = 0; tables < 2; tables++) {
            const struct hd_read_options opt = {.checksum = true,
                                                .tables_only = tables == 1};
            struct hd_snapshot *snap = open_good(paths[i], &opt);
            cr_expect_eq(snap->info.xxh3, checksum_of(paths[i]), "%s", paths[i]);
            cr_expect_gt(snap->info.objects, 0, "and it was read: %s", paths[i]);
            hd_snapshot_close(snap);
        }
}

/* --- memory ---------------------------------------------------------------------- */

Test(open, from_memory_is_as_from_a_file)
{
    struct input *in = input_open(COMPRESSED, NULL, NULL);
    struct bytes all;
    cr_assert(in != NULL && input_all(in, &all, NULL));
    const struct hd_read_options opt = {.checksum = true};
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_from_memory(all.data, all.size, &opt, &err);
    cr_assert_not_null(snap, "%s", err.message);
    struct hd_snapshot *file = open_good(COMPRESSED, &opt);
    cr_expect_str_eq(snap->info.path, "-");
    cr_expect_eq(snap->info.objects, file->info.objects);
    cr_expect_eq(snap->info.references, file->info.references);
    cr_expect_eq(snap->info.xxh3, file->info.xxh3);
    hd_snapshot_close(file);
    hd_snapshot_close(snap);
    input_close(in);
}

Test(open, refuses_more_memory_than_allowed)
{
    struct hd_read_options opt = {.max_memory = 200000};
    expect_no_snapshot(COMPRESSED, &opt, HD_TOO_BIG); /* what it unpacks to */
    struct input *in = input_open(COMPRESSED, NULL, NULL);
    struct bytes all;
    cr_assert(in != NULL && input_all(in, &all, NULL));
    const char *plain = scratch_file(&scratch, "1.gcdump", all.data, all.size);
    expect_no_snapshot(plain, &opt, HD_TOO_BIG); /* the graph */
    input_close(in);
    opt.tables_only = true;
    hd_snapshot_close(open_good(plain, &opt));
    opt = (struct hd_read_options){.max_memory = 20000000};
    hd_snapshot_close(open_good(plain, &opt));
    hd_snapshot_close(open_good(COMPRESSED, &opt));
}

/* --- what is no snapshot --------------------------------------------------------- */

Test(open, what_nobody_recognises_is_no_snapshot)
{
    static const char *const texts[] = {"hello, world\n", "\x7f", "{}", "<html>"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_no_snapshot(scratch_file(&scratch, "x", texts[i], strlen(texts[i])), NULL,
                           HD_NOT_A_SNAPSHOT);
    cr_expect_null(hd_snapshot_from_memory(NULL, 0, NULL, NULL));
}

Test(open, nothing_is_no_snapshot)
{
    static const char *const texts[] = {"", "\n", " \t\r\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct hd_error err = {0};
        cr_expect_null(hd_snapshot_from_memory(texts[i], strlen(texts[i]), NULL, &err));
        cr_expect_neq(err.status, HD_OK);
        cr_expect_gt(strlen(err.message), 0);
    }
}

Test(open, missing_files_and_folders_are_errors)
{
    expect_no_snapshot("fixtures/missing", NULL, HD_IO);
    expect_no_snapshot("fixtures", NULL, HD_IO);
}

Test(open, the_name_of_a_file_says_nothing)
{
    struct input *in = input_open(PLAIN, NULL, NULL);
    struct bytes all;
    cr_assert(in != NULL && input_all(in, &all, NULL));
    const char *path = scratch_file(&scratch, "table.csv", all.data, all.size);
    input_close(in);
    struct hd_snapshot *snap = open_good(path, NULL);
    cr_expect_str_eq(snap->info.format, "gcdump");
    hd_snapshot_close(snap);
}

/* --- zips ------------------------------------------------------------------------ */

static const char *make_zip(const char *const *files, size_t count)
{
    const char *path = scratch_path(&scratch, "a.zip");
    struct archive *a = archive_write_new();
    archive_write_set_format_zip(a);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    for (size_t i = 0; i < count; i++) {
        struct input *in = input_open(files[i], NULL, NULL);
        struct bytes all;
        cr_assert(in != NULL && input_all(in, &all, NULL), "%s", files[i]);
        struct archive_entry *entry = archive_entry_new();
        archive_entry_set_pathname(entry, files[i]);
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_perm(entry, 0600);
        archive_entry_set_size(entry, (la_int64_t)all.size);
        cr_assert_eq(archive_write_header(a, entry), ARCHIVE_OK);
        cr_assert_eq(archive_write_data(a, all.data, all.size), (la_ssize_t)all.size);
        archive_entry_free(entry);
        input_close(in);
    }
    cr_assert_eq(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    return path;
}

/* Of a .diagsession, or of what somebody attached to a ticket. */
Test(open, a_snapshot_is_found_in_a_zip)
{
    static const char *const files[] = {".clang-format",
                                        "fixtures/leaklab/expected/none/truth.json", PLAIN,
                                        "src/base/arena.h"};
    const struct hd_read_options opt = {.checksum = true};
    struct hd_snapshot *snap = open_good(make_zip(files, 4), &opt);
    cr_expect_eq(snap->info.objects, 3);
    cr_expect_str_eq(snap->info.format, "gcdump");
    cr_expect_eq(snap->info.xxh3, checksum_of(PLAIN));
    hd_snapshot_close(snap);
}

Test(open, a_zip_of_several_snapshots_or_of_none_is_an_error)
{
    static const char *const several[] = {PLAIN, ".clang-format",
                                          "fixtures/gcdump-made/v10.gcdump"};
    static const char *const none[] = {".clang-format", "src/base/arena.h"};
    expect_no_snapshot(make_zip(several, 3), NULL, HD_UNSUPPORTED);
    expect_no_snapshot(make_zip(none, 2), NULL, HD_NOT_A_SNAPSHOT);
}

/* --- the list of formats --------------------------------------------------------- */

Test(open, every_format_has_a_name_of_its_own_and_a_summary)
{
    size_t count = 0;
    for (; hd_input_format_name(count) != NULL; count++) {
        const char *name = hd_input_format_name(count);
        cr_expect_str_eq(name, readers[count]->name);
        cr_expect_eq(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(name),
                     "%s", name);
        const char *summary = hd_input_format_summary(count);
        cr_expect_eq(summary == NULL, strcmp(name, "foreign") == 0, "%s", name);
        cr_expect(summary == NULL || (summary[0] != '\0' && !strchr(summary, '\n')), "%s",
                  name);
        for (size_t other = 0; other < count; other++)
            cr_expect_str_neq(name, hd_input_format_name(other));
    }
    cr_expect_gt(count, 3);
    cr_expect_null(readers[count]);
    cr_expect_null(hd_input_format_summary(count));
    cr_expect_null(hd_input_format_name((size_t)-2));
}

/* Plain text may always be a table that somebody has cut out of a session. */
Test(open, what_may_be_of_a_format_is_tried_if_nobody_is_sure)
{
    static const unsigned char text[] = "hello, world\n";
    const struct bytes head = {text, sizeof(text) - 1};
    const struct reader *reader = reader_for(head);
    cr_assert_not_null(reader);
    cr_expect_eq(reader->recognises(head), RECOGNISED_MAYBE, "%s", reader->name);
    cr_expect_null(reader_for((struct bytes){(const unsigned char *)"\0\1\2\3", 4}));
}

/* Heads are cut anywhere: a short file, or a format that looks far ahead. */
Test(open, recognising_reads_no_byte_too_many)
{
    static const char *const paths[] = {PLAIN,
                                        "fixtures/heap-text/before.txt",
                                        "fixtures/dumpheap-stat/managed.txt",
                                        "fixtures/type-tables/table.csv",
                                        "fixtures/type-tables/table.json",
                                        "fixtures/type-tables/gcdump-report.txt"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct input *in = input_open(paths[i], NULL, NULL);
        cr_assert_not_null(in, "%s", paths[i]);
        struct bytes head = input_head(in);
        for (size_t size = 0; size <= head.size && size < 600; size++) {
            unsigned char *copy = malloc(size > 0 ? size : 1);
            cr_assert_not_null(copy);
            memcpy(copy, head.data, size);
            reader_for((struct bytes){copy, size});
            free(copy);
        }
        cr_expect_not_null(reader_for(head), "%s", paths[i]);
        input_close(in);
    }
    reader_for((struct bytes){NULL, 0});
}
