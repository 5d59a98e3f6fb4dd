/* Lines, words and blocks of heap text, through the reader: rejected lines and their
 * messages, and independence of line sizes and block borders. */
#include "base/text.h"
#include "heap/snapshot.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "fixtures/heap-text/"

static const struct hd_read_options whole = {0}, tables = {.tables_only = true};

static const char *path_of(const char *file)
{
    static char path[256];
    snprintf(path, sizeof(path), FOLDER "%s", file);
    return path;
}

static struct hd_snapshot *open_good(const char *file, const struct hd_read_options *opt)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = hd_snapshot_open(path_of(file), opt, &err);
    cr_assert_not_null(snap, "%s: %s", file, err.message);
    return snap;
}

static struct hd_snapshot *from_text(const char *text, const struct hd_read_options *opt,
                                     struct hd_error *err)
{
    return hd_snapshot_from_memory(text, strlen(text), opt, err);
}

/* --- errors and warnings, one line each --------------------------------------- */

static const struct {
    const char *text, *kind;
    uint64_t line;
} refused[] = {
    /* Left to right; wrong values are reported last. */
    {"a 2 x 1\no zz\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\no 0 1\nc x 2\n", "missing-field", 2},
    {"a 2 x 1\no 0 1 8 g\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\no \nc x 2\n", "missing-field", 2},
    {"a 2 x 1\no\nc x 2\n", "unknown-record", 2},
    {"a 2 x 1\no1 1 8\nc x 2\n", "unknown-record", 2},
    {"a 2 x 1\nO 1 1 8\nc x 2\n", "unknown-record", 2},
    {"a 2 x 1\no 1 1 -8\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\no 1 1 8 00000000000000001\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\nr 1 1\nc x 2\n", "missing-field", 2},
    {"a 2 x 1\nr 1 1 0 zz\nc x 2\n", "extra-field", 2},
    {"a 2 x 1\nr 1 4 0 zz\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\nr 1 4 0 1 1\nc x 2\n", "extra-field", 2},
    {"a 2 100\n", "missing-field", 1},
    {"a 2 x 1g\n", "bad-number", 1},
    {"a x y 1\n", "bad-number", 1},
    {"a 2 x 1\nc 2\nt 1 A\n", "missing-field", 2},
    {"\n \na 2 x 1\na 2 y 1\nc y 2\n", "nested-domain", 4},
    /* A CR that is not before the LF is an ordinary byte. */
    {"a 2 x 1\no 1 1 8\r 2\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\no 1 1 8\r\r\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\no 1 1 8 \r 2\nc x 2\n", "bad-number", 2},
    {"a 2 x 1\n\r2\nc x 2\n", "unknown-record", 2},
    /* In a line without LF, the end of the file is the first error. */
    {"a 2 x 1\no zz", "truncated", 2},
    {"a 2 x 1\nc x", "truncated", 2},
    {"a 2 x 1\na 2", "truncated", 2},
    {"a 2 x 1\n  ", "truncated", 2},
    {"a 2 x 1\n\n\n", "truncated", 3},
    {"a 2 x 1", "truncated", 1},
    {"a 2 x 1\nc x 2\no", "unknown-record", 3},
    {"a 2 x 1\nc x 2\nc x 2", "outside-domain", 3},
    {"a 2 x 1\nt 1 A\no 1 1 18 1\nc x 2\no 2 1 18 2\n", "outside-domain", 5},
    {"o 1 1 18 1\na 2 x 1\nt 1 A\nc x 2\n", "outside-domain", 1},
};

Test(text_scan, refuses_the_first_thing_that_is_wrong)
{
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        struct hd_error err = {0};
        cr_expect_null(from_text(refused[i].text, &whole, &err), "%s", refused[i].text);
        cr_assert_not_null(err.kind, "%s: %s", refused[i].text, err.message);
        cr_expect_str_eq(err.kind, refused[i].kind, "%s", refused[i].text);
        cr_expect_eq(err.at, refused[i].line, "%s: line %lu", refused[i].text,
                     (unsigned long)err.at);
    }
}

/* More blank lines than a block has bytes, of every kind; the line after them is in the
 * message. */
Test(text_scan, counts_skipped_blank_lines)
{
    static const char *const kinds[] = {"\n", " \n", "\t\n", "\r\n", "  \t\n", " \r\n"};
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), LINES = 300000 };
    for (size_t kind = 0; kind <= KINDS; kind++) {
        struct text t = {0};
        text_add_string(&t, "a 2 x 1\n");
        for (size_t i = 0; i < LINES; i++)
            text_add_string(&t, kinds[kind < KINDS ? kind : i * i % KINDS]);
        size_t good = t.len;
        text_add_string(&t, " o 1 1 8\nc x 2\n");
        struct hd_error err = {0}, again = {0};
        cr_expect_null(from_text(text_string(&t), &whole, &err));
        cr_expect_str_eq(err.kind, "unknown-record");
        cr_expect_eq(err.at, LINES + 2, "%zu: %lu", kind, (unsigned long)err.at);
        cr_expect_null(from_text(text_string(&t), &tables, &again));
        cr_expect_eq(again.at, LINES + 2);
        t.len = good;
        text_add_string(&t, "o 1 1 8\nc x 2\n");
        for (int i = 0; i < 2; i++) {
            struct hd_error why = {0};
            struct hd_snapshot *snap =
                from_text(text_string(&t), i == 0 ? &whole : &tables, &why);
            cr_assert_not_null(snap, "%zu: %s", kind, why.message);
            const struct warning *w = warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE);
            cr_expect(w != NULL && w->line == LINES + 2);
            hd_snapshot_close(snap);
        }
        text_free(&t);
    }
}

Test(text_scan, finds_a_nul_at_any_position)
{
    static const char good[] = "a 2 x 1\nt 1 A\no 1 1 8 1 1\nr 1 4 0 1\n\n \nc x 2\n";
    uint64_t line = 1;
    for (size_t i = 2; i < sizeof(good) - 1; i++) {
        char text[sizeof(good)];
        memcpy(text, good, sizeof(good));
        line += good[i - 1] == '\n';
        /* Replacing a line end would join two lines. */
        if (good[i] == '\n')
            continue;
        text[i] = '\0';
        for (int t = 0; t < 2; t++) {
            struct hd_error err = {0};
            cr_expect_null(hd_snapshot_from_memory(text, sizeof(good) - 1,
                                                   t ? &tables : &whole, &err));
            cr_assert_not_null(err.kind, "byte %zu: %s", i, err.message);
            cr_expect_str_eq(err.kind, "nul-byte", "byte %zu", i);
            cr_expect_eq(err.at, line, "byte %zu", i);
        }
    }
}

Test(text_scan, finds_a_nul_in_a_word_that_is_larger_than_a_block)
{
    struct hd_error err = {0};
    struct text t = {0};
    text_add_string(&t, "a 2 x 1\no 1 1 ");
    for (int i = 0; i < 300000; i++)
        text_add_char(&t, 'z');
    text_add_char(&t, '\0');
    text_add_string(&t, "\nc x 2\n");
    cr_expect_null(hd_snapshot_from_memory(t.data, t.len, &tables, &err));
    cr_expect_str_eq(err.kind, "nul-byte");
    cr_expect_eq(err.at, 2);
    text_free(&t);
}

Test(text_scan, quotes_forty_printable_bytes_at_most)
{
    struct hd_error err = {0};
    cr_expect_null(from_text("a 2 x 1\no 1 1 \x1b"
                             "23456789a123456789b123456789c123456789d123456789e"
                             "123456789f123456789\nc x 2\n",
                             &whole, &err));
    cr_expect_str_eq(
        err.message,
        "\"?23456789a123456789b123456789c123456789d...\" is not a hexadecimal number");
}

/* --- blocks and lengths ------------------------------------------------------- */

static void expect_same(const struct hd_snapshot *a, const struct hd_snapshot *b,
                        uint64_t lines, size_t shift)
{
    cr_assert_eq(a->info.objects, b->info.objects, "shifted by %zu", shift);
    cr_assert_eq(a->info.bytes, b->info.bytes, "shifted by %zu", shift);
    cr_assert_eq(a->info.references, b->info.references, "shifted by %zu", shift);
    cr_assert_eq(a->info.roots, b->info.roots, "shifted by %zu", shift);
    cr_assert_eq(a->info.reachable_bytes, b->info.reachable_bytes, "shifted by %zu", shift);
    cr_assert_eq(a->warnings.len, b->warnings.len, "shifted by %zu", shift);
    for (size_t i = 0; i < a->warnings.len; i++)
        cr_assert_eq(a->warnings.all[i].line + lines, b->warnings.all[i].line);
    for (uint32_t i = 0; i < a->type_count; i++)
        cr_assert_str_eq(a->types[i].name, b->types[i].name, "shifted by %zu", shift);
}

static struct text file_text(const char *file)
{
    struct text text = {0};
    FILE *f = fopen(path_of(file), "rb");
    cr_assert_not_null(f, "%s", file);
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof(buffer), f)) > 0;)
        text_add(&text, buffer, n);
    fclose(f);
    return text;
}

/* Blocks have 256 KiB. A section without objects before the file moves each of its bytes to
 * a block border. */
static void expect_no_borders(const char *file, const struct hd_read_options *opt)
{
    enum { BLOCK = 256 * 1024, FRONT_LINES = 3 };
    static const char front[] = "a 2 front 1\nt 1 ", end[] = "\nc front 2\r\n";
    struct text body = file_text(file);
    size_t mark = memcmp(body.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    const char *start = body.data + mark;
    size_t len = body.len - mark;
    struct hd_snapshot *plain = open_good(file, opt);
    char *all = malloc(BLOCK + len);
    for (size_t before = 1; before<len; before += len> 1000 ? 5 : 1) {
        size_t size = BLOCK - before;
        memset(all, 'x', size);
        memcpy(all, front, sizeof(front) - 1);
        memcpy(all + size - (sizeof(end) - 1), end, sizeof(end) - 1);
        memcpy(all + size, start, len);
        struct hd_error err = {0};
        struct hd_snapshot *moved = hd_snapshot_from_memory(all, size + len, opt, &err);
        cr_assert_not_null(moved, "%s shifted by %zu: %s", file, before, err.message);
        expect_same(plain, moved, FRONT_LINES, before);
        hd_snapshot_close(moved);
    }
    hd_snapshot_close(plain);
    free(all);
    text_free(&body);
}

Test(text_scan, does_not_notice_where_blocks_end)
{
    expect_no_borders("example.txt", &whole);
    expect_no_borders("odd-but-read.txt", &whole);
    expect_no_borders("crlf-bom.txt", &whole);
    expect_no_borders("odd-but-read.txt", &tables);
}

Test(text_scan, refuses_every_part_of_a_file)
{
    static const char *const files[] = {"example.txt", "cycles.txt", "crlf-bom.txt"};
    for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
        struct text text = file_text(files[f]);
        /* The time in the last line can be truncated undetected. */
        size_t last = text.len;
        while (last > 0 && strchr(" \t\r\n", text.data[last - 1]) != NULL)
            last--;
        while (last > 0 && text.data[last - 1] != ' ')
            last--;
        for (size_t len = 0; len <= last; len++) {
            struct hd_error err = {0};
            cr_assert_null(hd_snapshot_from_memory(text.data, len, &whole, &err));
            cr_assert_neq(err.status, HD_OK);
            bool in_section = memchr(text.data, '\n', len) != NULL;
            cr_assert(!in_section || strcmp(err.kind, "truncated") == 0,
                      "%s: %zu bytes: %s", files[f], len, err.kind);
        }
        text_free(&text);
    }
}

Test(text_scan, reads_lines_and_names_that_are_larger_than_a_block)
{
    enum { LONG = 600 * 1000 };
    struct text text = {0};
    text_add_string(&text, "a 2 x 1\nt 1 ");
    for (int i = 0; i < LONG; i++)
        text_add_char(&text, (char)('a' + i % 26));
    text_add_string(&text, "\no 1 1 8");
    for (int i = 0; i < LONG; i++)
        text_add_string(&text, i % 3 == 0 ? " 0" : "\t  1");
    text_add_string(&text, "\nr 1 1 0\nc x 2\n");
    struct hd_snapshot *snap = hd_snapshot_from_memory(text.data, text.len, &whole, NULL);
    cr_assert_not_null(snap);
    cr_expect_eq(snap->info.references, LONG / 3 * 2);
    cr_expect_eq(strlen(snap->types[0].name), LONG);
    hd_snapshot_close(snap);
    text_free(&text);
}
