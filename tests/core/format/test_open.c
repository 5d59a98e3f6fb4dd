#include "base/hash.h"
#include "format/open.h"
#include "format/reader.h"
#include "format/usual_gcdump.h"
#include "support/scratch.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* The usual file with enough undefined nodes for a large graph. */
static struct gcdump_bytes large_bytes(const struct made_gcdump *change)
{
    struct made_gcdump m = *change;
    m.undefined_nodes += 800000;
    return gcdump_bytes_make(&m);
}

static const char *make_large(void)
{
    struct gcdump_bytes b = large_bytes(&usual);
    const char *path = scratch_file(&scratch, "large.gcdump", b.data.data, b.data.len);
    gcdump_bytes_free(&b);
    return path;
}

/* Drops the graph, as a comparison does until it needs it. */
static struct hd_snapshot *dropping(struct hd_snapshot *snap)
{
    snap->may_drop = true;
    snapshot_release_graph(snap);
    return snap;
}

Test(open, a_large_graph_is_dropped_and_read_again_when_needed)
{
    struct hd_snapshot *snap = dropping(open_good(make_large(), NULL));
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

/* Together they could be larger than the limit. */
Test(open, a_small_graph_is_dropped_if_there_are_many)
{
    struct hd_snapshot *snap = open_good(PLAIN, NULL);
    snap->read.max_memory = 16 * snap->graph_bytes;
    snap->beside = 8;
    cr_expect_not_null(dropping(snap)->graph);
    snap->beside = 9;
    cr_expect_null(dropping(snap)->graph);
    hd_snapshot_close(snap);
}

Test(open, a_small_graph_is_kept)
{
    struct hd_snapshot *snap = dropping(open_good(PLAIN, NULL));
    const struct graph *g = snap->graph;
    cr_assert_not_null(g);
    cr_expect(snapshot_need_graph(snap, NULL));
    snapshot_release_graph(snap);
    cr_expect_eq((const void *)snap->graph, (const void *)g);
    hd_snapshot_close(snap);
}

Test(open, a_large_graph_is_kept_until_it_is_dropped)
{
    struct hd_snapshot *snap = open_good(make_large(), NULL);
    snapshot_release_graph(snap);
    cr_expect_not_null(snap->graph);
    hd_snapshot_close(snap);
}

Test(open, a_graph_from_memory_is_read_again_from_there)
{
    struct gcdump_bytes b = large_bytes(&usual);
    struct hd_snapshot *snap =
        dropping(hd_snapshot_from_memory(b.data.data, b.data.len, NULL, NULL));
    cr_assert_not_null(snap);
    cr_expect_null(snap->graph);
    struct hd_error err = {0};
    cr_assert(snapshot_need_graph(snap, &err), "%s", err.message);
    expect_usual(snap);
    hd_snapshot_close(snap);
    gcdump_bytes_free(&b);
}

Test(open, a_changed_or_deleted_file_gives_no_graph)
{
    const char *path = make_large();
    struct hd_snapshot *snap = dropping(open_good(path, NULL));
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

/* Sets the time a second later. */
static void make_newer(const char *path)
{
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    struct timespec times[] = {st.st_atim, st.st_mtim};
    times[1].tv_sec++;
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void expect_changed(struct hd_snapshot *snap)
{
    struct hd_error err = {0};
    uint64_t sum;
    cr_expect_not(snapshot_need_graph(snap, &err));
    cr_expect_eq(err.status, HD_IO, "%s", err.message);
    cr_expect_not_null(strstr(err.message, "was modified"), "%s", err.message);
    cr_expect_null(snap->graph);
    cr_expect_not(snapshot_checksum(snap, &sum));
}

/* The same totals, but the text refers to itself. */
Test(open, a_file_with_other_references_is_another_file)
{
    const char *path = make_large();
    struct hd_snapshot *snap = dropping(open_good(path, NULL));
    struct made_node nodes[COUNT(usual_nodes)];
    memcpy(nodes, usual_nodes, sizeof(nodes));
    nodes[3].to[0] = 3;
    struct made_gcdump m = with_nodes(nodes, COUNT(nodes));
    struct gcdump_bytes b = large_bytes(&m);
    scratch_file(&scratch, "large.gcdump", b.data.data, b.data.len);
    gcdump_bytes_free(&b);
    make_newer(path);
    expect_changed(snap);
    hd_snapshot_close(snap);
}

Test(open, a_file_that_took_the_place_of_another_is_another_file)
{
    const char *path = make_large(), *other = scratch_path(&scratch, "other.gcdump");
    struct hd_snapshot *snap = dropping(open_good(path, NULL));
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    cr_assert_eq(rename(path, other), 0);
    make_large();
    const struct timespec times[] = {st.st_atim, st.st_mtim};
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    expect_changed(snap);
    cr_assert_eq(rename(other, path), 0);
    struct hd_error err = {0};
    cr_expect(snapshot_need_graph(snap, &err), "it is back: %s", err.message);
    hd_snapshot_close(snap);
}

/* Input in memory has no time, so each of the totals must detect a change. */
Test(open, a_graph_with_other_numbers_is_another_graph)
{
    /* All have the size of the first. */
    enum { EXTRA = 4 };
    struct made_node nodes[COUNT(usual_nodes) + 1];
    struct made_type types[COUNT(usual_types) + 1];
    memcpy(nodes, usual_nodes, sizeof(usual_nodes));
    memcpy(types, usual_types, sizeof(usual_types));
    nodes[EXTRA] = (struct made_node){.type = STACK, .address = 0x3000};
    types[COUNT(usual_types)] = (struct made_type){.name = "App.Ordex", .multiplier = 1};
    struct made_gcdump first = usual;
    first.nodes = nodes;
    first.node_count = COUNT(nodes);
    first.types = types;
    first.type_count = COUNT(types);
    first.tool = "0123456789abcdef";
    struct gcdump_bytes before = large_bytes(&first);
    for (int what = 0; what < 5; what++) {
        struct made_node other_nodes[COUNT(nodes)];
        struct made_type other_types[COUNT(types)];
        memcpy(other_nodes, nodes, sizeof(nodes));
        memcpy(other_types, types, sizeof(types));
        struct made_gcdump m = first;
        m.nodes = other_nodes;
        m.types = other_types;
        if (what == 0)
            other_types[COUNT(usual_types)].name = "App.Order"; /* types */
        if (what == 1)
            other_nodes[EXTRA].address = 0; /* objects: a group of roots */
        if (what == 2)
            other_nodes[3].size++; /* bytes */
        if (what == 3) {           /* nodes */
            m.undefined_nodes++;
            m.tool = "0123";
        }
        if (what == 4) { /* references */
            other_nodes[1].references = 2;
            other_nodes[1].to[1] = 3;
            m.tool = "0123456789abcde";
        }
        struct gcdump_bytes b = large_bytes(&m);
        cr_assert_eq(b.data.len, before.data.len, "%d", what);
        char *memory = malloc(b.data.len);
        cr_assert_not_null(memory);
        memcpy(memory, before.data.data, b.data.len);
        struct hd_snapshot *snap =
            dropping(hd_snapshot_from_memory(memory, b.data.len, NULL, NULL));
        cr_assert(snap != NULL && snap->graph == NULL);
        struct hd_error err = {0};
        memcpy(memory, b.data.data, b.data.len);
        cr_expect_not(snapshot_need_graph(snap, &err), "%d", what);
        cr_expect_eq(err.status, HD_IO, "%d: %s", what, err.message);
        hd_snapshot_close(snap);
        free(memory);
        gcdump_bytes_free(&b);
    }
    gcdump_bytes_free(&before);
}

/* A limit at which the file is mapped, and the graph just fits. */
static const struct hd_read_options tight = {.max_memory = 40 << 20};

Test(open, a_graph_over_a_mapped_file_that_changed_is_useless)
{
    const char *path = make_large();
    struct hd_snapshot *mapped = open_good(path, &tight);
    struct hd_error err = {0};
    cr_expect(snapshot_need_graph(mapped, &err), "%s", err.message);
    make_newer(path);
    cr_expect_not(snapshot_need_graph(mapped, &err));
    cr_expect_eq(err.status, HD_IO, "%s", err.message);
    hd_snapshot_close(mapped);
}

static void touch_while_reading(void *context, enum hd_phase phase, uint64_t more,
                                uint64_t all)
{
    (void)more;
    (void)all;
    if (phase == HD_READING)
        make_newer(context);
}

Test(open, a_file_that_changes_while_it_is_read_is_refused)
{
    for (int mapped = 0; mapped < 2; mapped++) {
        const char *path = make_large();
        const struct hd_read_options opt = {.progress = touch_while_reading,
                                            .progress_context = (void *)path,
                                            .max_memory = mapped ? tight.max_memory : 0};
        expect_no_snapshot(path, &opt, HD_IO);
    }
}

Test(open, tables_have_no_graph_to_read_again)
{
    const struct hd_read_options opt = {.tables_only = true};
    struct hd_snapshot *snap = dropping(open_good(PLAIN, &opt));
    cr_expect(snapshot_need_graph(snap, NULL));
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
    snap = dropping(open_good("fixtures/dumpheap-stat/managed.txt", NULL));
    cr_expect(snapshot_need_graph(snap, NULL));
    cr_expect_null(snap->graph);
    hd_snapshot_close(snap);
}

/* --- the checksum ---------------------------------------------------------------- */

/* The checksum of the unpacked bytes, read in one piece. */
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
    expect_no_snapshot(COMPRESSED, &opt, HD_TOO_BIG); /* the unpacked file */
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

Test(open, an_unrecognized_file_is_not_a_snapshot)
{
    static const char *const texts[] = {"hello, world\n", "\x7f", "{}", "<html>"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        expect_no_snapshot(scratch_file(&scratch, "x", texts[i], strlen(texts[i])), NULL,
                           HD_NOT_A_SNAPSHOT);
    cr_expect_null(hd_snapshot_from_memory(NULL, 0, NULL, NULL));
}

Test(open, an_empty_file_is_not_a_snapshot)
{
    static const char *const texts[] = {"", "\n", " \t\r\n", "\xEF\xBB\xBF"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct hd_error err = {0};
        cr_expect_null(hd_snapshot_from_memory(texts[i], strlen(texts[i]), NULL, &err));
        cr_expect_eq(err.status, HD_NOT_A_SNAPSHOT);
        cr_expect_gt(strlen(err.message), 0);
    }
}

Test(open, missing_files_and_folders_are_errors)
{
    expect_no_snapshot("fixtures/missing", NULL, HD_IO);
    expect_no_snapshot("fixtures", NULL, HD_IO);
}

Test(open, the_name_of_a_file_does_not_matter)
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

/* In a .diagsession, or in an attachment to a ticket. */
Test(open, a_snapshot_is_found_in_a_zip)
{
    static const char *const files[] = {".clang-format",
                                        "fixtures/leaklab/expected/none/truth.json", PLAIN,
                                        "src/core/base/arena.h"};
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
    static const char *const none[] = {".clang-format", "src/core/base/arena.h"};
    expect_no_snapshot(make_zip(several, 3), NULL, HD_UNSUPPORTED);
    expect_no_snapshot(make_zip(none, 2), NULL, HD_NOT_A_SNAPSHOT);
}

/* The path names the other part: zip.entry decides, without another search. */
Test(open, a_part_of_a_zip_that_is_known_is_not_looked_for)
{
    static const char *const files[] = {".clang-format", PLAIN,
                                        "fixtures/gcdump-made/v10.gcdump"};
    static const unsigned entries[] = {2, 3};
    struct hd_inputs inputs = {0};
    cr_assert(hd_inputs_add(&inputs, make_zip(files, 3), NULL));
    cr_assert_eq(inputs.count, 2);
    for (size_t i = 0; i < inputs.count; i++) {
        const struct hd_read_options opt = {
            .size = sizeof(opt), .checksum = true, .zip = inputs.all[i].zip};
        cr_expect_eq(opt.zip.entry, entries[i]);
        struct hd_snapshot *snap = open_good(inputs.all[1 - i].path, &opt);
        cr_expect_eq(snap->info.xxh3, checksum_of(files[entries[i] - 1]));
        hd_snapshot_close(snap);
    }
    hd_inputs_free(&inputs);
}

/* --- the list of formats --------------------------------------------------------- */

Test(open, every_format_has_a_name_of_its_own_and_a_summary)
{
    size_t count = 0;
    for (; hd_input_format_name(count) != NULL; count++) {
        const char *name = hd_input_format_name(count);
        cr_expect_str_eq(name, reader_at(count)->name);
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
    cr_expect_null(reader_at(count));
    cr_expect_null(hd_input_format_summary(count));
    cr_expect_null(hd_input_format_name((size_t)-2));
}

/* With any byte of its head changed, a file is not a gcdump. */
Test(open, a_gcdump_is_known_by_each_byte_of_its_head)
{
    enum { MAGIC = 24 };
    unsigned char head[] = "\x14\0\0\0!FastSerialization.1";
    cr_assert_eq(sizeof(head), MAGIC + 1);
    for (size_t i = 0; i <= MAGIC; i++) {
        unsigned char whole[MAGIC + 1];
        memcpy(whole, head, sizeof(head));
        if (i < MAGIC)
            whole[i] ^= 1;
        const struct reader *reader = reader_for((struct bytes){whole, MAGIC});
        bool is_gcdump = reader != NULL && strcmp(reader->name, "gcdump") == 0 &&
                         reader->recognises((struct bytes){whole, MAGIC}) == RECOGNISED_YES;
        cr_expect_eq(is_gcdump, i == MAGIC, "byte %zu", i);
    }
}

/* Plain text may always be a table cut out of a session. */
Test(open, possible_formats_are_tried_if_none_is_certain)
{
    static const unsigned char text[] = "hello, world\n";
    const struct bytes head = {text, sizeof(text) - 1};
    const struct reader *reader = reader_for(head);
    cr_assert_not_null(reader);
    cr_expect_eq(reader->recognises(head), RECOGNISED_MAYBE, "%s", reader->name);
    cr_expect_null(reader_for((struct bytes){(const unsigned char *)"\0\1\2\3", 4}));
}

/* Heads may end anywhere: a short file, or a format that reads far ahead. */
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
