/* Snapshots of files that are still being written: equal to those of the whole file, for
 * any piece size and format. */
#include "format/nettrace/forged_walks.h"
#include "format/open.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(reading, .init = open_scratch, .fini = remove_scratch, .timeout = 120);

static FILE *new_file(void)
{
    FILE *file = fopen(scratch_path(&scratch, "growing"), "w+");
    cr_assert_not_null(file);
    return file;
}

static struct hd_read_options by_threads(unsigned threads)
{
    return (struct hd_read_options){
        .size = sizeof(struct hd_read_options), .to_write = true, .threads = threads};
}

static void append(FILE *file, const void *data, size_t size)
{
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fflush(file), 0);
}

/* Reads everything in pieces of this size, with a progress call for each. */
static struct hd_snapshot *read_in_pieces(struct bytes all, size_t piece,
                                          const struct hd_read_options *how,
                                          struct hd_error *err)
{
    FILE *file = new_file();
    struct hd_reading *r = hd_reading_begin(file, how);
    for (size_t at = 0; at < all.size; at += piece) {
        append(file, all.data + at, all.size - at < piece ? all.size - at : piece);
        hd_reading_arrived(r, at + piece < all.size ? at + piece : all.size);
    }
    hd_reading_end(r);
    struct hd_snapshot *snap = hd_reading_snapshot(r, err);
    fclose(file);
    return snap;
}

static void expect_same(struct hd_snapshot *a, struct hd_snapshot *b, const char *what)
{
    struct hd_memory x = {0}, y = {0};
    struct hd_error err = {0};
    cr_assert(hd_snapshot_write(a, "gcdump", hd_sink_memory(&x), NULL, &err), "%s: %s",
              what, err.message);
    cr_assert(hd_snapshot_write(b, "gcdump", hd_sink_memory(&y), NULL, &err));
    cr_expect_eq(x.size, y.size, "%s: %zu %zu", what, x.size, y.size);
    cr_expect(x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0, "%s", what);
    hd_memory_free(&x);
    hd_memory_free(&y);
    const struct hd_info *i = hd_snapshot_info(a), *k = hd_snapshot_info(b);
    cr_expect_eq(i->objects, k->objects, "%s", what);
    cr_expect_eq(i->references, k->references, "%s: %llu %llu", what,
                 (unsigned long long)i->references, (unsigned long long)k->references);
    cr_expect_eq(i->complete, k->complete, "%s", what);
    cr_expect_eq(i->types, k->types, "%s", what);
    cr_expect_eq(i->roots, k->roots, "%s", what);
    for (enum warning_code w = 0; w < WARN_CODE_COUNT; w++) {
        const struct warning *x1 = warnings_find(&a->warnings, w),
                             *y1 = warnings_find(&b->warnings, w);
        cr_expect_eq(x1 != NULL ? x1->count : 0, y1 != NULL ? y1->count : 0, "%s: %s", what,
                     warning_texts[w].code);
    }
}

static void compare_with_whole(const char *path, unsigned threads, size_t piece)
{
    struct hd_error err = {0}, other = {0};
    struct bytes all;
    const struct hd_read_options how = by_threads(threads);
    struct input *in = input_open(path, NULL, &err);
    cr_assert(in != NULL && input_all(in, &all, &err), "%s: %s", path, err.message);
    struct hd_snapshot *whole = hd_snapshot_from_memory(all.data, all.size, &how, &err),
                       *along = read_in_pieces(all, piece, &how, &other);
    cr_expect_eq(whole == NULL, along == NULL, "%s: %s", path, other.message);
    if (whole == NULL)
        cr_expect_str_eq(err.message, other.message);
    else if (along != NULL)
        expect_same(whole, along, path);
    hd_snapshot_close(whole);
    hd_snapshot_close(along);
    input_close(in);
}

Test(reading, of_a_growing_trace_gives_the_snapshot_of_the_whole_file)
{
    static const char *const patterns[] = {"fixtures/nettrace-real/*.nettrace*",
                                           "fixtures/nettrace-vectors/*.nettrace",
                                           "fixtures/leaklab/nettrace*/*.nettrace*",
                                           "fixtures/leaklab/odd/lossy.nettrace.zst"};
    glob_t files;
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
        cr_assert_eq(glob(patterns[i], i > 0 ? GLOB_APPEND : 0, NULL, &files), 0);
    cr_expect_geq(files.gl_pathc, 14);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        compare_with_whole(files.gl_pathv[i], 2, 40000);
        compare_with_whole(files.gl_pathv[i], 1, 1 << 20);
    }
    globfree(&files);
}

Test(reading, of_other_growing_files_gives_the_snapshot_of_the_whole_file)
{
    compare_with_whole("fixtures/leaklab/cache/1.gcdump.gz", 2, 100000);
    compare_with_whole("README.md", 2, 1000);
}

/* --- in one go ------------------------------------------------------------- */

/* An existing file that appears to grow by a piece with each request. */
struct growth {
    uint64_t size, piece, stop; /* stop: the size at which it stops growing */
};

static bool grow_on(void *from, uint64_t have, uint64_t *now)
{
    const struct growth *g = from;
    *now = g->size - have > g->piece ? have + g->piece : g->size;
    return *now <= g->stop;
}

static struct hd_snapshot *read_growing(struct trace_forge *f, struct growth growth,
                                        const struct hd_read_options *how,
                                        struct hd_error *err)
{
    FILE *file = new_file();
    append(file, f->bytes.data, f->bytes.len);
    growth.size = f->bytes.len;
    const struct growing_file growing = {
        .more = grow_on, .from = &growth, .fd = fileno(file)};
    struct hd_snapshot *snap = snapshot_read(input_growing(&growing), "-", how, err);
    fclose(file);
    return snap;
}

static const struct growth by_seven = {.piece = 7, .stop = UINT64_MAX};

/* Objects refer to earlier and later ones, to none, and twice. */
static struct trace_forge forge_usual(unsigned pointer_size)
{
    enum { OBJECTS = 300 };
    struct trace_forge f = begin(pointer_size);
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < OBJECTS; i++) {
        trace_forge_node(&f, 0x7000 + 32 * i, 24 + 8 * (i % 3), box.id, i % 4);
        for (uint64_t k = 0; k < i % 4; k++)
            trace_forge_edge(&f, 0x7000 + 32 * ((i * 7 + k * 299) % (OBJECTS + 5)));
    }
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    return f;
}

Test(reading, reads_a_usual_trace_in_one_pass)
{
    for (unsigned pointer_size = 4; pointer_size <= 8; pointer_size += 4) {
        struct trace_forge f = forge_usual(pointer_size);
        struct hd_error err = {0};
        const struct hd_read_options how = by_threads(2);
        struct hd_snapshot *along = read_growing(&f, by_seven, &how, &err),
                           *whole = open_trace(&f, &how, &err);
        cr_assert_not_null(whole, "%s", err.message);
        cr_assert_not_null(along, "it need not be read again");
        cr_expect_gt(whole->info.references, 300);
        expect_same(whole, along, "forged");
        hd_snapshot_close(along);
        hd_snapshot_close(whole);
        trace_forge_free(&f);
    }
}

Test(reading, gives_up_what_is_not_usual)
{
    struct hd_error err = {0};
    const struct hd_read_options how = by_threads(2);
    struct trace_forge f = forge_usual(8);
    const struct growth dies = {.piece = 100, .stop = f.bytes.len / 2};
    cr_expect_null(read_growing(&f, dies, &how, &err), "it never becomes complete");
    f.bytes.len -= 40;
    cr_expect_null(read_growing(&f, by_seven, &how, &err), "the end is missing");
    trace_forge_free(&f);
}

Test(reading, stays_below_the_memory_it_may_use)
{
    struct hd_error err = {0};
    struct hd_read_options how = by_threads(2);
    enum { OBJECTS = 200000 };
    struct trace_forge f = begin(8);
    trace_forge_gc(&f, MAIN, true, 1);
    for (uint64_t i = 0; i < OBJECTS; i++)
        trace_forge_node(&f, 0x7000 + 32 * i, 24, box.id, 0);
    trace_forge_walk(&f, MAIN);
    trace_forge_gc(&f, MAIN, false, 1);
    trace_forge_end(&f);
    how.max_memory = 5 << 20;
    struct bytes all = {(const unsigned char *)f.bytes.data, f.bytes.len};
    cr_expect_null(read_in_pieces(all, 1 << 16, &how, &err));
    cr_expect_eq(err.status, HD_TOO_BIG, "%s", err.message);
    trace_forge_free(&f);
}

/* --- otherwise ------------------------------------------------------------- */

Test(reading, restarts_with_the_file)
{
    struct hd_error err = {0};
    const struct hd_read_options how = by_threads(2);
    struct trace_forge f = forge_usual(8);
    struct hd_snapshot *whole = open_trace(&f, &how, &err);
    FILE *file = new_file();
    struct hd_reading *r = hd_reading_begin(file, &how);
    append(file, f.bytes.data, f.bytes.len / 2);
    hd_reading_arrived(r, f.bytes.len / 2);
    cr_assert_eq(fseek(file, 0, SEEK_SET), 0);
    cr_assert_eq(ftruncate(fileno(file), 0), 0);
    hd_reading_arrived(r, 0);
    append(file, f.bytes.data, f.bytes.len);
    hd_reading_arrived(r, f.bytes.len);
    hd_reading_end(r);
    struct hd_snapshot *along = hd_reading_snapshot(r, &err);
    cr_assert(whole != NULL && along != NULL, "%s", err.message);
    expect_same(whole, along, "anew");
    hd_snapshot_close(along);
    hd_snapshot_close(whole);
    fclose(file);
    trace_forge_free(&f);
}

Test(reading, ends_without_a_snapshot_where_the_file_does_not)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct hd_error err = {0};
        const struct hd_read_options how = by_threads(threads);
        FILE *file = new_file();
        struct hd_reading *r = hd_reading_begin(file, &how);
        append(file, "Nettrace", 8);
        hd_reading_arrived(r, 8);
        cr_expect_null(hd_reading_snapshot(r, &err));
        cr_expect_eq(err.status, HD_CANCELLED, "%s", err.message);
        fclose(file);
    }
}

Test(reading, reports_unknown_options_at_the_end)
{
    struct hd_error err = {0};
    const struct {
        struct hd_read_options known;
        uint64_t more;
    } how = {.known = {.size = sizeof(how)}, .more = 1};
    FILE *file = new_file();
    struct hd_reading *r = hd_reading_begin(file, &how.known);
    hd_reading_end(r);
    cr_expect_null(hd_reading_snapshot(r, &err));
    cr_expect_eq(err.status, HD_USAGE, "%s", err.message);
    fclose(file);
}
