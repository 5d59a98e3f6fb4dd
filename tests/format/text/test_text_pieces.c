/* The fast way to a type table against the plain one: the reader of graphs goes through
 * the same text record by record. Thousands of odd texts, cut into pieces everywhere, by
 * every marker that works here. */
#include "base/input.h"
#include "format/text/text_pieces.h"
#include "heap/snapshot.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- reading and comparing ------------------------------------------------- */

/* NULL if the text must be read record by record. */
static struct hd_snapshot *fast(const struct text *text, unsigned threads,
                                const struct text_marker *marker, uint64_t least)
{
    struct input *in = input_over(text->data, text->len);
    struct builder b = builder_begin(in, "-");
    struct text_pieces_options how = {
        .threads = threads, .marker = marker, .least_bytes = least};
    if (text_pieces_read(in, &b, &how))
        return builder_finish(&b, NULL);
    cr_assert_eq(b.type_count, 0, "the builder is as it was");
    cr_assert_eq(b.snap->warnings.len, 0);
    builder_abandon(&b);
    return NULL;
}

static bool only_graphs_know(enum warning_code code)
{
    return code == WARN_DANGLING_REFERENCE || code == WARN_DANGLING_ROOT ||
           code == WARN_MOSTLY_UNREACHABLE;
}

static const struct type *row(const struct hd_snapshot *snap, const char *name)
{
    for (type_id t = 0; t < snap->type_count; t++)
        if (snap->types[t].kind == TYPE_OBJECT && strcmp(snap->types[t].name, name) == 0)
            return &snap->types[t];
    return NULL;
}

static void expect_warnings(const struct hd_snapshot *snap, const struct hd_snapshot *graph)
{
    size_t seen = 0;
    for (size_t i = 0; i < graph->warnings.len; i++) {
        const struct warning *w = &graph->warnings.all[i];
        if (only_graphs_know(w->code))
            continue;
        const char *code = warning_texts[w->code].code;
        cr_assert_lt(seen, snap->warnings.len, "%s", code);
        const struct warning *got = &snap->warnings.all[seen++];
        cr_assert_eq(got->code, w->code, "%s, not %s", warning_texts[got->code].code, code);
        cr_assert_eq(got->count, w->count, "%s", code);
        cr_assert_eq(got->line, w->line, "%s: line %lu, not %lu", code,
                     (unsigned long)got->line, (unsigned long)w->line);
    }
    cr_assert_eq(snap->warnings.len, seen);
}

static void expect_same(const struct hd_snapshot *snap, const struct hd_snapshot *graph)
{
    cr_assert_eq(snap->info.objects, graph->info.objects);
    cr_assert_eq(snap->info.bytes, graph->info.bytes);
    cr_assert_eq(snap->info.types, graph->info.types);
    cr_assert_eq(snap->weak_roots, graph->weak_roots);
    cr_assert_str_eq(snap->info.process, graph->info.process);
    cr_assert(snap->clock == graph->clock);
    for (type_id t = 0; t < graph->type_count; t++) {
        const struct type *expected = &graph->types[t];
        if (expected->kind != TYPE_OBJECT)
            continue;
        const struct type *got = row(snap, expected->name);
        cr_assert_not_null(got, "%s", expected->name);
        cr_assert_eq(got->raw.count, expected->raw.count, "%s", expected->name);
        cr_assert_eq(got->raw.bytes, expected->raw.bytes, "%s", expected->name);
    }
    expect_warnings(snap, graph);
}

/* Every row and warning of two tables, in order. */
static void expect_equal(const struct hd_snapshot *a, const struct hd_snapshot *b)
{
    cr_assert_eq(a->type_count, b->type_count);
    cr_assert_eq(a->info.roots, b->info.roots);
    cr_assert_eq(a->info.complete, b->info.complete);
    cr_assert_arr_eq(a->roots_by_kind, b->roots_by_kind, sizeof(a->roots_by_kind));
    for (type_id t = 0; t < a->type_count; t++) {
        cr_assert_str_eq(a->types[t].name, b->types[t].name);
        cr_assert_eq(a->types[t].raw.count, b->types[t].raw.count);
        cr_assert_eq(a->types[t].raw.bytes, b->types[t].raw.bytes);
    }
    expect_warnings(a, b);
}

/* In pieces of every number, by every marker: the same, and the same as the graph. */
static void expect_all_ways(const struct text *text)
{
    static const unsigned threads[] = {2, 3, 8, 64};
    struct hd_error err = {0};
    struct hd_snapshot *graph = hd_snapshot_from_memory(text->data, text->len, NULL, &err);
    struct hd_snapshot *one = fast(text, 1, NULL, 0);
    if (graph != NULL) {
        cr_assert_not_null(one, "%.*s", (int)text->len, text->data);
        expect_same(one, graph);
    }
    for (size_t k = 0; text_markers[k] != NULL; k++)
        for (size_t i = 0; i < sizeof(threads) / sizeof(threads[0]); i++) {
            if (!text_markers[k]->works())
                continue;
            struct hd_snapshot *many = fast(text, threads[i], text_markers[k], 1);
            cr_assert_eq(many != NULL, one != NULL, "%u threads:\n%.*s", threads[i],
                         (int)text->len, text->data);
            if (one != NULL)
                expect_equal(many, one);
            hd_snapshot_close(many);
        }
    hd_snapshot_close(one);
    hd_snapshot_close(graph);
}

/* --- texts ------------------------------------------------------------------- */

/* A word of lines such as people and programs write; ! marks those that are errors, and
 * # stands for a number that is new. */
static const char *const usual[] = {
    "o # 1a 18", "o # 1a 18 1 2 3", "o # 2 28 1", "o # 3 64", "o # 2 1c 0 0 9",
};
static const char *const odd[] = {
    "o\t# 1a  18",
    "o # 1A 18 \t",
    "o 000000000000000# 0002 0000000020",
    "o # 3 18\r",
    "",
    " \t ",
    "t 1a System.X",
    "t 1a System.X",
    "t 2 A<B, C>",
    "r 1 4 0 7",
    "r 1 4 0",
    "r 2 3 2",
    "r 2 9 0",
    "r 1 0 10",
    "o # ffffffffffffffff 4",
    "t 7 My.Statics",
    "r 0 1 0",
    "o # 123456789a 8 1",
    "o # 0 c",
    "o # 3 fffffff0",
    "t ffffffffffffffff Last Type",
    "o # 3 123456789",
    "r 1 2 1 ",
    "t 123456789a Far",
};
static const char *const wrong[] = {
    "o # 1a",    "o # 1g 18",    "t 1a Other", "x",        " o # 1 2", "o 0 1 18", "t 5",
    "r 1 3 0 7", "a 2 again 10", "r 1 2",      "o # 1 -8", "o  ",      "c",
};

#define ANY(list, r) (list)[random_below((r), sizeof(list) / sizeof((list)[0]))]

static void add_line(struct text *text, const char *line, unsigned *number)
{
    char digits[16];
    for (; *line != '\0'; line++) {
        if (*line != '#') {
            text_add_char(text, *line);
            continue;
        }
        snprintf(digits, sizeof(digits), "%x", ++*number);
        text_add_string(text, digits);
    }
    text_add_char(text, '\n');
}

static void add_section(struct text *text, struct random *r, unsigned mistakes)
{
    char line[64];
    unsigned number = 0, lines = random_below(r, 60), name = random_below(r, 3);
    snprintf(line, sizeof(line), "a %u dom %u %x", 2 + (random_below(r, 5) == 0), name,
             random_below(r, 1000));
    add_line(text, line, &number);
    for (unsigned i = 0; i < lines; i++) {
        unsigned kind = random_below(r, 100);
        if (kind < mistakes)
            add_line(text, ANY(wrong, r), &number);
        else
            add_line(text, kind < 30 ? ANY(odd, r) : ANY(usual, r), &number);
    }
    snprintf(line, sizeof(line), "c dom %u %x", name + (random_below(r, 5) == 0), 1000);
    add_line(text, line, &number);
}

/* Each text is read in dozens of ways, with threads: under ASan a few have to do. */
#ifdef __SANITIZE_ADDRESS__
enum { ODD_TEXTS = 50 };
#else
enum { ODD_TEXTS = 400 };
#endif

Test(text_pieces, are_those_of_the_plain_way_for_odd_texts, .timeout = 120)
{
    struct random r = random_from(7);
    for (int round = 0; round < ODD_TEXTS; round++) {
        struct text text = {0};
        for (unsigned k = 1 + random_below(&r, 3); k > 0; k--)
            add_section(&text, &r, round % 4 == 0 ? 2 : 0);
        if (round % 8 == 1) /* cut */
            text.len = random_below(&r, (uint32_t)text.len);
        expect_all_ways(&text);
        text_free(&text);
    }
}

static struct text file(const char *name)
{
    char path[128];
    struct text text = {0};
    snprintf(path, sizeof(path), "fixtures/heap-text/%s", name);
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    for (int c; (c = getc(f)) != EOF;)
        text_add_char(&text, (char)c);
    fclose(f);
    return text;
}

Test(text_pieces, are_those_of_the_plain_way_for_files, .timeout = 60)
{
    static const char *const files[] = {
        "after.txt",        "domains.txt",         "example.txt",
        "late-types.txt",   "no-roots.txt",        "long-line.txt",
        "odd-but-read.txt", "repeated-domain.txt", "root-kinds.txt",
        "bad-number.txt",   "bad-after-end.txt",   "bad-nested-domain.txt",
        "bad-no-end.txt",   "bad-nul.txt",         "bad-size-overflow.txt",
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        struct text text = file(files[i]);
        expect_all_ways(&text);
        text_free(&text);
    }
}

/* Every place where blocks and pieces may be cut. */
Test(text_pieces, do_not_depend_on_where_a_text_is_cut, .timeout = 60)
{
    struct text text = {0};
    text_add_string(&text, "a 2 x 1\nt 1 A\no 1 1 10 2\no 2 1 1c 1 1\nr 1 3 0\nc x 2\n"
                           "a 2 y 1\no 1 1 10\nt 1 B\nc y 2");
    for (unsigned threads = 1; threads <= text.len; threads++) {
        struct hd_snapshot *snap = fast(&text, threads, NULL, 1);
        cr_assert_not_null(snap, "%u threads", threads);
        cr_expect_eq(snap->info.objects, 3);
        cr_expect_eq(snap->info.bytes, 60);
        cr_expect_eq(row(snap, "A")->raw.count, 2);
        hd_snapshot_close(snap);
    }
    text_free(&text);
}

/* Lines of 3 MB, each longer than all blocks; a type's name too is not held by them. */
Test(text_pieces, go_past_lines_that_are_longer_than_a_block, .timeout = 60)
{
    struct text text = {0};
    text_add_string(&text, "a 2 x 1\nt 1 A\n");
    for (int i = 1; i <= 3; i++) {
        char line[32];
        snprintf(line, sizeof(line), "o %x 1 %x", i, 1 << i);
        text_add_string(&text, line);
        for (int k = 0; k < 1000000; k++)
            text_add_string(&text, " 1");
        text_add_string(&text, "\no 9");
        snprintf(line, sizeof(line), "%x 1 10\n", i);
        text_add_string(&text, line);
    }
    text_add_string(&text, "r 1 3 0\nc x 2\n");
    for (unsigned threads = 1; threads <= 9; threads++) {
        struct hd_snapshot *snap = fast(&text, threads, NULL, 1);
        cr_assert_not_null(snap, "%u threads", threads);
        cr_expect_eq(snap->info.objects, 6);
        cr_expect_eq(snap->info.bytes, 2 + 4 + 8 + 3 * 16);
        hd_snapshot_close(snap);
    }
    text.data[text.len / 2] = '\0';
    cr_expect_null(fast(&text, 2, NULL, 1), "a NUL among references");
    text_free(&text);
}

Test(text_pieces, leave_long_names_to_the_plain_way)
{
    struct text text = {0};
    text_add_string(&text, "a 2 x 1\nt 1 ");
    for (int i = 0; i < 700000; i++)
        text_add_char(&text, 'N');
    text_add_string(&text, "\no 1 1 10\nr 1 3 0\nc x 2\n");
    cr_expect_null(fast(&text, 1, NULL, 0));
    struct hd_read_options tables = {.tables_only = true, .threads = 2};
    struct hd_snapshot *snap = hd_snapshot_from_memory(text.data, text.len, &tables, NULL);
    cr_assert_not_null(snap);
    cr_expect_eq(snap->info.objects, 1);
    hd_snapshot_close(snap);
    text_free(&text);
}

/* A megabyte and more, so that threads are worth it: errors and their lines. */
Test(text_pieces, say_the_same_of_large_texts_by_any_number_of_threads, .timeout = 60)
{
    enum { OBJECTS = 200000, WRONG_LINE = 150003 };
    struct text text = {0};
    char line[64];
    size_t at_wrong = 0;
    text_add_string(&text, "a 2 x 1\nt 1 A\n");
    for (unsigned i = 1; i <= OBJECTS; i++) {
        if (i + 2 == WRONG_LINE)
            at_wrong = text.len;
        snprintf(line, sizeof(line), "o %08x %x 18 %x\n", i, i < OBJECTS - 5 ? 1 : 2, i);
        text_add_string(&text, line);
    }
    text_add_string(&text, "r 1 3 0\nc x 2\n");
    for (unsigned threads = 1; threads <= 8; threads *= 2) {
        struct hd_read_options tables = {.tables_only = true, .threads = threads};
        struct hd_error err = {0};
        struct hd_snapshot *snap =
            hd_snapshot_from_memory(text.data, text.len, &tables, &err);
        cr_assert_not_null(snap, "%s", err.message);
        const struct warning *w = warnings_find(&snap->warnings, WARN_UNKNOWN_TYPE);
        cr_assert_not_null(w);
        cr_expect_eq(w->count, 6);
        cr_expect_eq(w->line, OBJECTS - 5 + 2);
        hd_snapshot_close(snap);

        text.data[at_wrong + 11] = 'z';
        cr_expect_null(hd_snapshot_from_memory(text.data, text.len, &tables, &err));
        cr_expect_eq(err.at, WRONG_LINE);
        cr_expect_str_eq(err.kind, "bad-number");
        text.data[at_wrong + 11] = '1';
    }
    text_free(&text);
}
