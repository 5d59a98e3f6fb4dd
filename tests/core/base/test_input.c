/* All sources with the same content, read as a whole and in blocks: files, pipes, standard
 * input and streams. Compressed and damaged input is in test_unpack.c. */
#include "base/inputs_made.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(input, .init = open_scratch, .fini = remove_scratch, .timeout = 60);

/* --- all at once, and block after block ------------------------------------------ */

Test(input, both_ways_give_the_same_bytes_whatever_the_size)
{
    /* Around the sizes of head and block, and far from both. */
    static const size_t sizes[] = {0,      1,      3,      65535,  65536, 65537,
                                   262143, 262144, 262145, 327680, LARGE};
    unsigned char *content = make_content(LARGE);
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            if (kinds[kind].filter == ZIP && sizes[i] < 4)
                continue; /* too short for its head */
            if (kinds[kind].filter != PLAIN && sizes[i] == 0)
                continue; /* has its own test */
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

Test(input, reports_progress_of_reading_and_of_reading_again)
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
        enum { LIST_OF_A_ZIP = 200 }; /* after the files; not needed */
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

Test(input, all_bytes_are_complete_after_some_blocks_too)
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

Test(input, an_archive_of_an_empty_file_is_empty)
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

Test(input, mapped_input_and_blocks_need_no_memory)
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

/* Copies a file into the pipe until the reader closes it. */
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

/* Sends zeros until the reader closes the pipe, and counts them. */
struct flood {
    const char *to;
    uint64_t sent;
    pthread_t thread;
};

static void *send_zeros(void *arg)
{
    static const char zeros[4096];
    struct flood *f = arg;
    int fd = open(f->to, O_WRONLY);
    cr_assert_neq(fd, -1);
    for (ssize_t n; (n = write(fd, zeros, sizeof(zeros))) > 0;)
        f->sent += (uint64_t)n;
    close(fd);
    return NULL;
}

static uint64_t flooded(const struct input_options *opt, struct input **in,
                        struct hd_error *err)
{
    struct flood f = {.to = scratch_path(&scratch, "flood")};
    signal(SIGPIPE, SIG_IGN);
    cr_assert(mkfifo(f.to, 0600) == 0 || errno == EEXIST);
    cr_assert_eq(pthread_create(&f.thread, NULL, send_zeros, &f), 0);
    *in = input_open(f.to, opt, err);
    pthread_join(f.thread, NULL);
    return f.sent;
}

enum { IN_THE_PIPE = 64 * 1024 + 4096 }; /* written but never read */

Test(input, an_endless_pipe_is_left_as_soon_as_it_is_over_the_limit)
{
    /* Not a power of two: buffers that double would read up to twice the limit. */
    const struct input_options limit = {.max_memory = 5000000};
    struct hd_error err = {0};
    struct input *in;
    uint64_t sent = flooded(&limit, &in, &err);
    cr_expect_null(in);
    cr_expect_eq(err.status, HD_TOO_BIG, "%s", err.message);
    cr_expect_leq(sent, limit.max_memory + IN_THE_PIPE, "%llu", (unsigned long long)sent);
}

Test(input, a_pipe_that_no_reader_wants_is_left_after_its_head)
{
    const struct input_options wants = {.may_be = is_wanted};
    struct input *in;
    uint64_t sent = flooded(&wants, &in, NULL);
    cr_assert_not_null(in);
    cr_expect_eq(input_head(in).size, INPUT_HEAD_SIZE);
    cr_expect_leq(sent, INPUT_HEAD_SIZE + IN_THE_PIPE, "%llu", (unsigned long long)sent);
    input_close(in);
}

Test(input, a_pipe_that_may_be_wanted_is_read_to_its_end)
{
    unsigned char *content = make_content(LARGE);
    const struct input_options wants = {.wanted = is_wanted, .may_be = is_wanted};
    for (size_t kind = 0; kind < KINDS; kind++) {
        struct sender s = send_through_pipe(make_file(kind, content, LARGE));
        cr_assert_eq(pthread_create(&s.thread, NULL, send_file, &s), 0);
        struct input *in = input_open(s.to, &wants, NULL);
        pthread_join(s.thread, NULL);
        cr_assert_not_null(in, "%s", kinds[kind].name);
        expect_all(kinds[kind].name, in, content, LARGE);
        input_close(in);
    }
    free(content);
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

static ssize_t read_fd(void *fd, void *to, size_t capacity)
{
    return read(*(int *)fd, to, capacity);
}

Test(input, a_stream_gives_every_byte_once)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    struct input *in = input_stream(read_fd, &ends[0]);
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

Test(input, a_failing_stream_has_a_reason)
{
    int none = -1;
    struct input *in = input_stream(read_fd, &none);
    struct hd_error err = {0};
    struct bytes block;
    cr_expect_not(input_next(in, &block, &err));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_str_eq(err.message, strerror(EBADF));
    input_close(in);
}

/* --- files that change -------------------------------------------------------------- */

/* Other bytes, the same size, the same file. */
static void overwrite(const char *path, char with, size_t size)
{
    char *other = malloc(size);
    int fd = open(path, O_WRONLY);
    cr_assert(other != NULL && fd != -1);
    memset(other, with, size);
    cr_assert_eq(write(fd, other, size), (ssize_t)size);
    close(fd);
    free(other);
}

Test(input, a_file_of_usual_size_stays_what_it_was_once_it_is_read)
{
    unsigned char *content = make_content(LARGE);
    const char *path = make_file(0, content, LARGE);
    struct input *in = open_good(path);
    struct bytes all;
    cr_assert(input_all(in, &all, NULL));
    overwrite(path, 'x', LARGE);
    expect_bytes("written over", all, content, LARGE);
    cr_assert_eq(truncate(path, 0), 0);
    expect_bytes("cut", all, content, LARGE);
    cr_expect_not(input_is_stale(in));
    cr_expect_not(input_is_as_opened(in));
    input_close(in);
    free(content);
}

Test(input, a_file_that_became_shorter_is_an_error)
{
    unsigned char *content = make_content(LARGE);
    const char *path = make_file(0, content, LARGE);
    struct input *in = open_good(path);
    cr_assert_eq(truncate(path, LARGE - 1), 0);
    struct hd_error err = {0};
    struct bytes all;
    cr_expect_not(input_all(in, &all, &err));
    cr_expect_eq(err.status, HD_IO, "%s", err.message);
    input_close(in);
    free(content);
}

Test(input, released_memory_can_be_reserved_again)
{
    unsigned char *content = make_content(LARGE);
    const struct input_options tight = {.max_memory = LARGE};
    for (size_t kind = 0; kind < KINDS; kind++)
        for (int held = 0; held < 2; held++) {
            struct input *in =
                input_open(make_file(kind, content, LARGE), held ? NULL : &tight, NULL);
            for (int round = 0; round < 3; round++) {
                expect_all(kinds[kind].name, in, content, LARGE);
                cr_expect_eq(input_is_held(in), held || kinds[kind].filter != PLAIN);
                input_forget(in);
                input_forget(in);
                cr_expect_not(input_is_held(in));
            }
            expect_blocks(kinds[kind].name, in, TO_THE_END, content, LARGE);
            rewind_input(in);
            expect_blocks(kinds[kind].name, in, TO_THE_END, content, LARGE);
            input_close(in);
        }
    input_forget(NULL);
    free(content);
}

/* Simulates a file system whose clock has not advanced. */
static void set_time(const char *path, const struct timespec *to)
{
    const struct timespec times[] = {*to, *to};
    cr_assert_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const struct timespec then = {1000000000, 123456789};

Test(input, a_file_is_the_same_by_its_place_size_and_time)
{
    static const struct timespec later = {1000000000, 123456790},
                                 next = {1000000001, 123456789};
    unsigned char *content = make_content(1000);
    const char *path = make_file(0, content, 1000);
    set_time(path, &then);
    struct input *in = open_good(path);
    cr_expect(input_is_as_opened(in));
    cr_expect_not(input_is_stale(NULL));
    set_time(path, &later);
    cr_expect_not(input_is_as_opened(in), "a nanosecond");
    set_time(path, &next);
    cr_expect_not(input_is_as_opened(in), "a second");
    cr_assert_eq(truncate(path, 999), 0);
    set_time(path, &then);
    cr_expect_not(input_is_as_opened(in), "a byte");
    cr_assert_eq(truncate(path, 1000), 0);
    set_time(path, &then);
    cr_expect(input_is_as_opened(in), "nothing else is looked at");

    /* Another file at the same path, with the same size and time. */
    const char *other = scratch_file(&scratch, "other", content, 1000);
    set_time(other, &then);
    cr_assert_eq(rename(other, path), 0);
    cr_expect(input_is_as_opened(in), "it is still open");
    struct input *now = open_good(path);
    struct file_stamp was = input_stamp(in), is = input_stamp(now);
    cr_expect_not(file_stamps_equal(&was, &is));
    is = was;
    is.device++;
    cr_expect_not(file_stamps_equal(&was, &is), "on another disk");
    input_close(now);
    input_close(in);
    free(content);
}

Test(input, a_mapping_is_stale_when_its_file_was_written_to)
{
    unsigned char *content = make_content(LARGE);
    const struct input_options tight = {.max_memory = LARGE};
    const char *path = make_file(0, content, LARGE);
    set_time(path, &then);
    struct input *in = input_open(path, &tight, NULL);
    cr_expect_not(input_is_stale(in));
    expect_all("mapped", in, content, LARGE);
    cr_expect_not(input_is_stale(in));
    overwrite(path, 'x', LARGE);
    cr_expect(input_is_stale(in));
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
