/* Every way in which bytes come, from the same content. Archives are made here, with
 * libarchive's writer. */
#include "base/input.h"
#include "support/random.h"
#include "support/scratch.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

TestSuite(input, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

/* --- content --------------------------------------------------------------------- */

static const char magic[] = "SNAP";

static bool is_wanted(struct bytes head)
{
    return head.size >= 4 && memcmp(head.data, magic, 4) == 0;
}

static const struct input_options options = {.wanted = is_wanted};

/* More than two blocks of 256 KiB, and not a whole number of them; does not shrink to
 * nothing. */
enum { LARGE = 700001 };

static unsigned char *make_content(size_t size)
{
    struct random random = random_from(5);
    unsigned char *content = malloc(size > 0 ? size : 1);
    cr_assert_not_null(content);
    for (size_t i = 0; i < size; i++)
        content[i] = (unsigned char)('a' + random_below(&random, 16));
    memcpy(content, magic, size < 4 ? size : 4);
    return content;
}

/* --- archives -------------------------------------------------------------------- */

enum { PLAIN = -1, ZIP = -2 };

static const struct {
    const char *name;
    int filter; /* of libarchive; or PLAIN, ZIP */
} kinds[] = {
    {"plain", PLAIN},          {"gz", ARCHIVE_FILTER_GZIP},   {"zst", ARCHIVE_FILTER_ZSTD},
    {"xz", ARCHIVE_FILTER_XZ}, {"bz2", ARCHIVE_FILTER_BZIP2}, {"zip", ZIP},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static struct archive *open_writer(const char *path, int filter)
{
    struct archive *a = archive_write_new();
    cr_assert_not_null(a);
    if (filter == ZIP)
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_raw(a);
    if (filter >= 0)
        cr_assert_eq(archive_write_add_filter(a, filter), ARCHIVE_OK, "%s",
                     archive_error_string(a));
    archive_write_set_bytes_in_last_block(a, 1);
    cr_assert_eq(archive_write_open_filename(a, path), ARCHIVE_OK);
    return a;
}

static void add_entry(struct archive *a, const char *name, mode_t type, const void *data,
                      size_t size)
{
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0600);
    archive_entry_set_size(entry, (la_int64_t)size);
    cr_assert_eq(archive_write_header(a, entry), ARCHIVE_OK, "%s", archive_error_string(a));
    cr_assert(size == 0 || archive_write_data(a, data, size) == (la_ssize_t)size);
    archive_entry_free(entry);
}

static void close_writer(struct archive *a)
{
    cr_assert_eq(archive_write_close(a), ARCHIVE_OK, "%s", archive_error_string(a));
    archive_write_free(a);
}

/* A file of that kind with that content. */
static const char *make_file(size_t kind, const unsigned char *content, size_t size)
{
    if (kinds[kind].filter == PLAIN)
        return scratch_file(&scratch, "plain", content, size);
    const char *path = scratch_path(&scratch, kinds[kind].name);
    struct archive *a = open_writer(path, kinds[kind].filter);
    add_entry(a, "content", AE_IFREG, content, size);
    close_writer(a);
    return path;
}

/* --- reading --------------------------------------------------------------------- */

static struct input *open_good(const char *path)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, &options, &err);
    cr_assert_not_null(in, "%s: %s", path, err.message);
    return in;
}

static void expect_bytes(const char *what, struct bytes got, const unsigned char *content,
                         size_t size)
{
    cr_assert_eq(got.size, size, "%s: %zu bytes, not %zu", what, got.size, size);
    cr_assert(size == 0 || memcmp(got.data, content, size) == 0, "%s", what);
}

static void expect_all(const char *what, struct input *in, const unsigned char *content,
                       size_t size)
{
    struct hd_error err = {0};
    struct bytes all;
    cr_assert(input_all(in, &all, &err), "%s: %s", what, err.message);
    expect_bytes(what, all, content, size);
}

/* Up to that many blocks, which continue the content; all of it if there are fewer. */
static void expect_blocks(const char *what, struct input *in, size_t blocks,
                          const unsigned char *content, size_t size)
{
    size_t seen = 0;
    for (size_t i = 0; i < blocks; i++) {
        struct hd_error err = {0};
        struct bytes block;
        cr_assert(input_next(in, &block, &err), "%s: %s", what, err.message);
        if (block.size == 0) {
            cr_assert_eq(seen, size, "%s ends after %zu bytes", what, seen);
            return;
        }
        cr_assert_leq(block.size, size - seen, "%s", what);
        expect_bytes(what, block, content + seen, block.size);
        seen += block.size;
    }
}

enum { TO_THE_END = 1000 };

static void rewind_input(struct input *in)
{
    struct hd_error err = {0};
    cr_assert(input_rewind(in, &err), "%s", err.message);
}

static void expect_refused(const char *path, const struct input_options *opt,
                           enum hd_status status)
{
    struct hd_error err = {0};
    struct input *in = input_open(path, opt, &err);
    struct bytes all;
    bool read = in != NULL && input_all(in, &all, &err);
    cr_expect_not(read, "%s can be read", path);
    cr_expect_eq(err.status, status, "%s: %s", path, err.message);
    cr_expect_gt(strlen(err.message), 0);
    cr_expect_null(strchr(err.message, '\n'), "%s", err.message);
    input_close(in);
}

/* --- all at once, and block after block ------------------------------------------ */

Test(input, both_ways_give_the_same_bytes_whatever_the_size)
{
    /* Around the head, the block, and none of them. */
    static const size_t sizes[] = {0,      1,      3,      65535,  65536, 65537,
                                   262143, 262144, 262145, 327680, LARGE};
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if (kinds[kind].filter == ZIP && sizes[i] < 4)
                continue; /* too short to be wanted */
            if (kinds[kind].filter != PLAIN && sizes[i] == 0)
                continue; /* a test of its own */
            const char *path = make_file(kind, content, sizes[i]);
            struct input *in = open_good(path);
            expect_blocks(path, in, TO_THE_END, content, sizes[i]);
            rewind_input(in);
            expect_all(path, in, content, sizes[i]);
            input_close(in);
        }
    free(content);
}

Test(input, the_head_is_the_beginning_and_does_not_move)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const char *path = make_file(kind, content, LARGE);
        struct input *in = open_good(path);
        expect_bytes(path, input_head(in), content, INPUT_HEAD_SIZE);
        expect_blocks(path, in, 3, content, LARGE);
        expect_bytes(path, input_head(in), content, INPUT_HEAD_SIZE);
        rewind_input(in);
        expect_all(path, in, content, LARGE);
        expect_bytes(path, input_head(in), content, INPUT_HEAD_SIZE);
        input_close(in);
    }
    free(content);
}

Test(input, begins_again_after_any_number_of_blocks)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const char *path = make_file(kind, content, LARGE);
        struct input *in = open_good(path);
        for (size_t blocks = 0; blocks < 6; blocks++) {
            expect_blocks(path, in, blocks, content, LARGE);
            rewind_input(in);
        }
        expect_blocks(path, in, TO_THE_END, content, LARGE);
        rewind_input(in);
        rewind_input(in);
        expect_blocks(path, in, TO_THE_END, content, LARGE);
        input_close(in);
    }
    free(content);
}

struct told {
    uint64_t done, again;
};

static void count_progress(void *context, enum hd_phase phase, uint64_t more, uint64_t all)
{
    struct told *told = context;
    cr_expect_eq(phase, HD_READING);
    told->done += more;
    told->again += all;
}

Test(input, tells_what_was_read_and_what_has_to_be_read_again)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const char *path = make_file(kind, content, LARGE);
        struct told told = {0};
        struct input_options how = {
            .wanted = is_wanted, .progress = count_progress, .progress_context = &told};
        struct hd_error err = {0};
        struct stat st;
        struct input *in = input_open(path, &how, &err);
        cr_assert_not_null(in, "%s", err.message);
        cr_assert_eq(stat(path, &st), 0);
        expect_blocks(path, in, TO_THE_END, content, LARGE);
        uint64_t once = told.done, size = (uint64_t)st.st_size;
        enum { LIST_OF_A_ZIP = 200 }; /* stands behind the files and is not needed */
        cr_expect(once <= size && size - once < LIST_OF_A_ZIP, "%s", path);
        cr_expect_eq(told.again, 0, "%s", path);
        rewind_input(in);
        cr_expect_eq(told.again, once, "%s", path);
        expect_blocks(path, in, TO_THE_END, content, LARGE);
        cr_expect_eq(told.done, 2 * once, "%s", path);
        input_close(in);
    }
    free(content);
}

Test(input, all_bytes_are_all_of_them_after_some_blocks_too)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        const char *path = make_file(kind, content, LARGE);
        for (size_t blocks = 0; blocks < 6; blocks++) {
            struct input *in = open_good(path);
            expect_blocks(path, in, blocks, content, LARGE);
            expect_all(path, in, content, LARGE);
            expect_all(path, in, content, LARGE);
            rewind_input(in);
            expect_blocks(path, in, TO_THE_END, content, LARGE);
            input_close(in);
        }
    }
    free(content);
}

Test(input, the_end_stays_the_end)
{
    unsigned char *content = make_content(100);
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct input *in = open_good(make_file(kind, content, 100));
        expect_blocks(kinds[kind].name, in, TO_THE_END, content, 100);
        struct bytes block;
        cr_expect(input_next(in, &block, NULL));
        cr_expect_eq(block.size, 0, "%s", kinds[kind].name);
        input_close(in);
    }
    free(content);
}

Test(input, what_unpacks_to_nothing_is_empty)
{
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].filter == ZIP)
            continue;
        const char *path = make_file(kind, NULL, 0);
        struct input *in = open_good(path);
        cr_expect_eq(input_head(in).size, 0, "%s", path);
        expect_blocks(path, in, TO_THE_END, NULL, 0);
        expect_all(path, in, NULL, 0);
        input_close(in);
    }
}

Test(input, memory_is_borrowed_and_never_decompressed)
{
    static const unsigned char bytes[] = "\x1f\x8b not gzip";
    struct input *in = input_over(bytes, sizeof(bytes));
    struct bytes all;
    cr_assert(input_all(in, &all, NULL));
    cr_expect_eq(all.data, bytes);
    cr_expect_eq(all.size, sizeof(bytes));
    expect_blocks("memory", in, TO_THE_END, bytes, sizeof(bytes));
    rewind_input(in);
    expect_blocks("memory", in, TO_THE_END, bytes, sizeof(bytes));
    input_close(in);

    in = input_over(NULL, 0);
    expect_all("no memory", in, NULL, 0);
    cr_expect_eq(input_head(in).size, 0);
    input_close(in);
}

Test(input, closing_nothing_is_fine)
{
    input_close(NULL);
}

/* --- zips ------------------------------------------------------------------------ */

static const char *make_zip(const char *const *names, const char *const *contents,
                            size_t count)
{
    const char *path = scratch_path(&scratch, "a.zip");
    struct archive *a = open_writer(path, ZIP);
    for (size_t i = 0; i < count; i++) {
        bool folder = contents[i] == NULL;
        add_entry(a, names[i], folder ? AE_IFDIR : AE_IFREG, contents[i],
                  folder ? 0 : strlen(contents[i]));
    }
    close_writer(a);
    return path;
}

Test(input, a_zip_gives_the_one_snapshot_among_other_files)
{
    static const char snapshot[] = "SNAPSHOT";
    for (size_t place = 0; place < 4; place++) {
        const char *names[] = {"a/", "a/readme.txt", "empty", "z"};
        const char *contents[] = {NULL, "read me", "", "last"};
        names[place] = "the.gcdump";
        contents[place] = snapshot;
        const char *path = make_zip(names, contents, 4);
        struct input *in = open_good(path);
        expect_all(path, in, (const unsigned char *)snapshot, strlen(snapshot));
        expect_bytes(path, input_head(in), (const unsigned char *)snapshot,
                     strlen(snapshot));
        input_close(in);
    }
}

Test(input, a_zip_with_two_snapshots_is_not_for_us_to_choose_from)
{
    static const char *const names[] = {"1", "readme", "2"};
    static const char *const contents[] = {"SNAP1", "x", "SNAP2"};
    expect_refused(make_zip(names, contents, 3), &options, HD_UNSUPPORTED);
}

Test(input, a_zip_without_snapshot_is_none)
{
    static const char *const names[] = {"folder/", "readme", "empty"};
    static const char *const contents[] = {NULL, "SNA", ""};
    expect_refused(make_zip(names, contents, 3), &options, HD_NOT_A_SNAPSHOT);
    expect_refused(make_zip(NULL, NULL, 0), &options, HD_NOT_A_SNAPSHOT);
}

/* A pipe or a build server may have compressed it once more. */
Test(input, a_compressed_zip_is_a_zip)
{
    static const struct {
        const char *names[2], *contents[2];
        enum hd_status status;
    } cases[] = {
        {{"1", "2"}, {"SNAP1", "SNAP2"}, HD_UNSUPPORTED},
        {{"readme", "other"}, {"x", "y"}, HD_NOT_A_SNAPSHOT},
        {{"readme", "2"}, {"x", "SNAP2"}, HD_OK},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned char zip[4096];
        FILE *from = fopen(make_zip(cases[i].names, cases[i].contents, 2), "rb");
        cr_assert_not_null(from);
        size_t size = fread(zip, 1, sizeof(zip), from);
        fclose(from);
        for (size_t kind = 0; kind < KINDS; kind++) {
            if (kinds[kind].filter < 0)
                continue;
            const char *path = make_file(kind, zip, size);
            if (cases[i].status == HD_OK) {
                struct input *in = open_good(path);
                expect_all(path, in, (const unsigned char *)"SNAP2", 5);
                input_close(in);
            } else {
                expect_refused(path, &options, cases[i].status);
            }
        }
    }
}

Test(input, whoever_wants_nothing_special_gets_the_only_entry)
{
    static const char *const names[] = {"folder/", "readme"};
    static const char *const contents[] = {NULL, "hello"};
    struct input *in = input_open(make_zip(names, contents, 2), NULL, NULL);
    cr_assert_not_null(in);
    expect_all("zip", in, (const unsigned char *)"hello", 5);
    input_close(in);
}

/* --- what is damaged ------------------------------------------------------------- */

/* From short to long. The directory at the end of a zip is not needed to read what stands
 * before it. */
static size_t cuts_of(size_t kind, size_t size, size_t *cuts)
{
    size_t n = 0;
    cuts[n++] = 100;
    cuts[n++] = size / 4;
    cuts[n++] = size / 2;
    cuts[n++] = size / 4 * 3;
    if (kinds[kind].filter != ZIP) {
        cuts[n++] = size - 20;
        cuts[n++] = size - 8;
        cuts[n++] = size - 1;
    }
    return n;
}

Test(input, a_cut_archive_is_an_error_wherever_it_was_cut)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].filter == PLAIN)
            continue;
        struct stat st;
        const char *path = make_file(kind, content, LARGE);
        cr_assert_eq(stat(path, &st), 0);
        size_t cuts[8], count = cuts_of(kind, (size_t)st.st_size, cuts);
        while (count-- > 0) {
            cr_assert_eq(truncate(path, (off_t)cuts[count]), 0);
            expect_refused(path, &options, HD_BAD_FORMAT);
        }
    }
    free(content);
}

/* In blocks, too: the bytes before the cut come, then the error. */
Test(input, a_cut_archive_is_an_error_block_by_block)
{
    unsigned char *content = make_content(LARGE);
    const char *path = make_file(1, content, LARGE);
    cr_assert_eq(truncate(path, 300000), 0);
    struct input *in = open_good(path);
    struct hd_error err = {0};
    struct bytes block = {0};
    size_t seen = 0;
    bool ok;
    while ((ok = input_next(in, &block, &err)) && block.size > 0) {
        expect_bytes(path, block, content + seen, block.size);
        seen += block.size;
    }
    cr_expect_not(ok);
    cr_expect_gt(seen, 0);
    cr_expect_lt(seen, LARGE);
    cr_expect_eq(err.status, HD_BAD_FORMAT, "%s", err.message);
    input_close(in);
    free(content);
}

Test(input, a_missing_file_and_a_folder_are_errors)
{
    expect_refused(scratch_path(&scratch, "missing"), &options, HD_IO);
    expect_refused(scratch.folder, &options, HD_IO);
    struct hd_error err = {0};
    cr_expect_null(input_open("", NULL, &err));
    cr_expect_eq(err.status, HD_IO);
}

/* --- memory ---------------------------------------------------------------------- */

Test(input, no_more_is_decompressed_into_memory_than_allowed)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (kinds[kind].filter == PLAIN)
            continue;
        const char *path = make_file(kind, content, LARGE);
        struct input_options limit = {.wanted = is_wanted, .max_memory = LARGE - 1};
        expect_refused(path, &limit, HD_TOO_BIG);
        limit.max_memory = LARGE;
        struct input *in = input_open(path, &limit, NULL);
        cr_assert_not_null(in);
        expect_all(path, in, content, LARGE);
        input_close(in);
    }
    free(content);
}

Test(input, what_is_mapped_or_read_in_blocks_needs_no_memory)
{
    unsigned char *content = make_content(LARGE);
    const struct input_options limit = {.wanted = is_wanted, .max_memory = 1000};
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct input *in = input_open(make_file(kind, content, LARGE), &limit, NULL);
        cr_assert_not_null(in, "%s", kinds[kind].name);
        expect_blocks(kinds[kind].name, in, TO_THE_END, content, LARGE);
        input_close(in);
    }
    struct input *in = input_open(scratch_path(&scratch, "plain"), &limit, NULL);
    cr_assert_not_null(in);
    expect_all("plain", in, content, LARGE);
    input_close(in);
    free(content);
}

/* --- pipes ----------------------------------------------------------------------- */

struct sender {
    const char *from, *to;
    pthread_t thread;
};

/* Copies a file into the pipe, until nobody reads any more. */
static void *send_file(void *arg)
{
    const struct sender *s = arg;
    static char bytes[LARGE + 100000];
    FILE *from = fopen(s->from, "rb");
    size_t len = from != NULL ? fread(bytes, 1, sizeof(bytes), from) : 0;
    if (from != NULL)
        fclose(from);
    int fd = open(s->to, O_WRONLY);
    for (size_t sent = 0; fd >= 0 && sent < len;) {
        ssize_t n = write(fd, bytes + sent, len - sent);
        if (n <= 0)
            break;
        sent += (size_t)n;
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

static struct sender send_through_pipe(const char *file)
{
    struct sender s = {.from = file, .to = scratch_path(&scratch, "pipe")};
    cr_assert(mkfifo(s.to, 0600) == 0 || errno == EEXIST);
    return s;
}

Test(input, a_pipe_is_read_once_and_can_be_rewound)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct sender s = send_through_pipe(make_file(kind, content, LARGE));
        cr_assert_eq(pthread_create(&s.thread, NULL, send_file, &s), 0);
        struct input *in = open_good(s.to);
        pthread_join(s.thread, NULL);
        expect_bytes("pipe", input_head(in), content, INPUT_HEAD_SIZE);
        for (size_t blocks = 0; blocks < 4; blocks++) {
            expect_blocks(kinds[kind].name, in, blocks, content, LARGE);
            rewind_input(in);
        }
        expect_blocks(kinds[kind].name, in, TO_THE_END, content, LARGE);
        expect_all(kinds[kind].name, in, content, LARGE);
        input_close(in);
    }
    free(content);
}

Test(input, an_empty_pipe_is_an_empty_input)
{
    struct sender s = send_through_pipe(scratch_file(&scratch, "plain", "", 0));
    cr_assert_eq(pthread_create(&s.thread, NULL, send_file, &s), 0);
    struct input *in = open_good(s.to);
    pthread_join(s.thread, NULL);
    expect_blocks("pipe", in, TO_THE_END, NULL, 0);
    expect_all("pipe", in, NULL, 0);
    input_close(in);
}

Test(input, an_endless_pipe_stops_at_the_limit)
{
    struct hd_error err = {0};
    const struct input_options limit = {.max_memory = 10000000};
    cr_expect_null(input_open("/dev/zero", &limit, &err));
    cr_expect_eq(err.status, HD_TOO_BIG, "%s", err.message);
}

Test(input, a_dash_is_standard_input)
{
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++) {
        int fd = open(make_file(kind, content, LARGE), O_RDONLY);
        cr_assert_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
        close(fd);
        struct input *in = open_good("-");
        expect_blocks(kinds[kind].name, in, 2, content, LARGE);
        expect_all(kinds[kind].name, in, content, LARGE);
        input_close(in);
        cr_expect_neq(fcntl(STDIN_FILENO, F_GETFD), -1, "it stays open");
    }
    free(content);
}

/* --- streams ---------------------------------------------------------------------- */

Test(input, a_stream_gives_what_is_there_and_nothing_twice)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    struct input *in = input_stream_fd(ends[0]);
    struct hd_error err = {0};
    struct bytes block, all;
    cr_expect_eq(input_head(in).size, 0);
    cr_assert_eq(write(ends[1], "one", 3), 3);
    cr_assert(input_next(in, &block, &err), "%s", err.message);
    cr_expect_eq(block.size, 3, "it does not wait for a whole block");
    cr_expect_eq(memcmp(block.data, "one", 3), 0);
    cr_assert_eq(write(ends[1], "two", 3), 3);
    close(ends[1]);
    cr_assert(input_next(in, &block, &err));
    cr_expect_eq(memcmp(block.data, "two", 3), 0);
    cr_assert(input_next(in, &block, &err));
    cr_expect_eq(block.size, 0, "the other side has closed it");
    cr_expect_not(input_rewind(in, &err));
    cr_expect_eq(err.status, HD_UNSUPPORTED);
    cr_expect_not(input_all(in, &all, NULL));
    cr_expect_not(input_can_reopen(in));
    input_close(in);
    cr_expect_eq(close(ends[0]), 0, "it was the caller's");
}

Test(input, a_stream_that_fails_says_why)
{
    struct input *in = input_stream_fd(-1);
    struct hd_error err = {0};
    struct bytes block;
    cr_expect_not(input_next(in, &block, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_str_eq(err.message, strerror(EBADF));
    input_close(in);
}
