#include "base/out.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Accepts `left` pieces, then fails. */
struct few {
    int left, calls, error;
    struct hd_memory got;
};

static int take_few(void *context, const void *bytes, size_t size)
{
    struct few *f = context;
    struct hd_sink memory = hd_sink_memory(&f->got);
    f->calls++;
    return f->left-- > 0 ? memory.write(memory.context, bytes, size) : f->error;
}

Test(out, small_pieces_are_joined)
{
    struct few f = {.left = 1};
    struct out o = {.to = {take_few, &f}};
    out_string(&o, "a");
    out_printf(&o, "%d", 7);
    cr_expect_eq(f.calls, 0, "nothing before there is a block of it");
    cr_expect(out_finish(&o, NULL));
    cr_expect_eq(f.calls, 1);
    cr_expect_str_eq(f.got.bytes, "a7");
    hd_memory_free(&f.got);
}

Test(out, large_and_small_pieces_keep_their_order)
{
    enum { LARGE = 200 * 1000 };
    struct hd_memory got = {0};
    struct out o = {.to = hd_sink_memory(&got)};
    struct text large = {0}, wanted = {0};
    for (int i = 0; i < LARGE; i++)
        text_add_char(&large, (char)('a' + i % 26));
    for (int i = 0; i < 3; i++) {
        out_string(&o, "<");
        out_text(&o, &large);
        out_printf(&o, "%s>", text_string(&large));
        text_add_char(&wanted, '<');
        text_add(&wanted, large.data, large.len);
        text_add(&wanted, large.data, large.len);
        text_add_char(&wanted, '>');
    }
    cr_expect(out_finish(&o, NULL));
    cr_expect_eq(got.size, wanted.len);
    cr_expect_str_eq(got.bytes, text_string(&wanted));
    hd_memory_free(&got);
    text_free(&large);
    text_free(&wanted);
}

static void expect_end(int error, enum hd_status status)
{
    enum { MANY = 100 * 1000 };
    struct few f = {.left = 1, .error = error};
    struct out o = {.to = {take_few, &f}};
    struct hd_error err = {0};
    for (int i = 0; i < MANY; i++)
        out_printf(&o, "%d\n", i);
    cr_expect_not(out_finish(&o, &err));
    cr_expect_eq(err.status, status);
    cr_expect_str_eq(err.message, strerror(error));
    cr_expect_eq(f.calls, 2, "nothing is written after a failure");
    hd_memory_free(&f.got);
}

Test(out, a_sink_that_fails_in_the_middle_is_asked_no_more)
{
    expect_end(ENOSPC, HD_IO);
    expect_end(EPIPE, HD_CLOSED);
}

Test(out, a_file_has_what_was_written)
{
    int ends[2];
    char got[8] = "";
    cr_assert_eq(pipe(ends), 0);
    FILE *to = fdopen(ends[1], "w");
    struct out o = {.to = hd_sink_file(to)};
    out_string(&o, "abc");
    cr_expect(out_finish(&o, NULL));
    cr_expect_eq(read(ends[0], got, sizeof(got)), 3, "flushed, not only buffered");
    cr_expect_str_eq(got, "abc");
    fclose(to);
    close(ends[0]);
}
