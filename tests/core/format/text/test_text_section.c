/* Sections of heap text as a whole: warnings, ids, references. */
#include "base/text.h"
#include "heap/snapshot.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const struct hd_read_options whole = {0};

static struct hd_snapshot *from_text(const char *text, const struct hd_read_options *opt,
                                     struct hd_error *err)
{
    return hd_snapshot_from_memory(text, strlen(text), opt, err);
}

Test(text_section, counts_what_is_odd_in_order_of_first_lines)
{
    struct hd_error err = {0};
    struct hd_snapshot *snap = from_text("a 2 x 1\n"
                                         "r 7 4 0 9\n"
                                         "o 1 5 8 2 2\n"
                                         "r 1 4 0\n"
                                         "r 8 6 2\n"
                                         "o 2 5 8 3\n"
                                         "o 4 9 8\n"
                                         "r 0 9 ff\n"
                                         "c y 2\n",
                                         &whole, &err);
    cr_assert_not_null(snap, "%s", err.message);
    static const struct warning expected[] = {
        {WARN_DANGLING_ROOT, 1, 2, NULL},        {WARN_UNKNOWN_CONTAINER, 1, 2, NULL},
        {WARN_UNKNOWN_TYPE, 3, 3, NULL},         {WARN_MISSING_CONTAINER, 1, 4, NULL},
        {WARN_UNKNOWN_ROOT_KIND, 1, 5, NULL},    {WARN_DANGLING_REFERENCE, 1, 6, NULL},
        {WARN_DOMAIN_NAME_MISMATCH, 1, 9, NULL},
    };
    size_t count = sizeof(expected) / sizeof(expected[0]);
    cr_expect_eq(snap->warnings.len, count);
    for (size_t i = 0; i < count; i++) {
        const struct warning *w = warnings_find(&snap->warnings, expected[i].code);
        cr_assert_not_null(w, "%s", warning_texts[expected[i].code].code);
        cr_expect_eq(w->count, expected[i].count, "%s", warning_texts[w->code].code);
        cr_expect_eq(w->line, expected[i].line, "%s", warning_texts[w->code].code);
    }
    cr_expect_eq(snap->weak_roots, 1);
    cr_expect_eq(snap->info.roots, 1);
    hd_snapshot_close(snap);
}

Test(text_section, is_incomplete_when_more_than_one_in_a_hundred_references_dangle)
{
    for (int dangling = 1; dangling <= 2; dangling++) {
        struct text text = {0};
        text_add_string(&text, "a 2 x 1\no 1 1 8");
        for (int i = 0; i < 100 - dangling; i++)
            text_add_string(&text, " 1");
        for (int i = 0; i < dangling; i++)
            text_add_string(&text, " 2");
        text_add_string(&text, "\nt 1 A\nr 1 1 0\nc x 2\n");
        struct hd_snapshot *snap =
            hd_snapshot_from_memory(text.data, text.len, &whole, NULL);
        cr_assert_not_null(snap);
        cr_expect_eq(snap->info.complete, dangling == 1);
        hd_snapshot_close(snap);
        text_free(&text);
    }
}

Test(text_section, keeps_ids_of_the_whole_range_apart)
{
    struct hd_snapshot *snap =
        from_text("a 2 x 1\nt ffffffffffffffff A\n"
                  "o ffffffffffffffff ffffffffffffffff 100000000 1 8000000000000000\n"
                  "o 1 ffffffffffffffff 8 FFFFFFFFFFFFFFFF\n"
                  "o 8000000000000000 ffffffffffffffff 8 1 1\nr 1 2 0\nc x 2\n",
                  &whole, NULL);
    cr_assert_not_null(snap);
    static const node_id edges[] = {1, 2, 0, 1, 1};
    cr_expect_arr_eq(snap->graph->edge_to, edges, sizeof(edges));
    cr_expect_eq(graph_size(snap->graph, 0), 0x100000000);
    cr_expect_eq(snap->info.reachable_objects, 3);
    cr_expect_eq(snap->info.bytes, 0x100000010);
    hd_snapshot_close(snap);
}

Test(text_section, has_an_empty_graph_for_an_empty_heap)
{
    struct hd_snapshot *snap = from_text("a 2 x 1\nc x 2", &whole, NULL);
    cr_assert_not_null(snap);
    cr_assert_not_null(snap->graph);
    cr_expect_eq(snap->info.objects, 0);
    cr_expect_eq(snap->info.reachable_objects, 0);
    cr_expect_eq(snap->warnings.len, 0);
    hd_snapshot_close(snap);
}

/* The cost of a section must not depend on earlier ones. */
Test(text_section, reads_many_small_sections_after_a_large_one, .timeout = 20)
{
    enum { OBJECTS = 100000, SECTIONS = 20000 };
    struct text text = {0};
    char line[64];
    text_add_string(&text, "a 2 big 1\nt 1 A\n");
    for (int i = 1; i <= OBJECTS; i++) {
        snprintf(line, sizeof(line), "o %x 1 a %x\n", i, OBJECTS - i);
        text_add_string(&text, line);
    }
    text_add_string(&text, "c big 2\n");
    for (int i = 0; i < SECTIONS; i++) {
        snprintf(line, sizeof(line), "a 2 s%d 1\no 1 1 a 1\nt 1 B\nr 1 1 0\nc s%d 2\n", i,
                 i);
        text_add_string(&text, line);
    }
    struct hd_snapshot *snap = hd_snapshot_from_memory(text.data, text.len, &whole, NULL);
    cr_assert_not_null(snap);
    cr_expect_eq(snap->info.objects, OBJECTS + SECTIONS);
    cr_expect_eq(snap->info.references, OBJECTS - 1 + SECTIONS);
    cr_expect_eq(snap->info.reachable_objects, SECTIONS);
    cr_expect_eq(snap->info.types, 2);
    hd_snapshot_close(snap);
    text_free(&text);
}

static bool looks_decimal(int objects, const char *odd_size)
{
    struct text text = {0};
    char line[64];
    text_add_string(&text, "a 2 x 1\nt 1 A\n");
    for (int i = 1; i <= objects; i++) {
        snprintf(line, sizeof(line), "o %x 1 %s\n", i, i == 500 ? odd_size : "9018");
        text_add_string(&text, line);
    }
    text_add_string(&text, "c x 2\n");
    struct hd_snapshot *snap = hd_snapshot_from_memory(text.data, text.len, &whole, NULL);
    cr_assert_not_null(snap);
    bool warned = warnings_find(&snap->warnings, WARN_SIZES_LOOK_DECIMAL) != NULL;
    hd_snapshot_close(snap);
    text_free(&text);
    return warned;
}

Test(text_section, takes_sizes_for_hex_as_soon_as_one_has_a_letter)
{
    cr_expect_not(looks_decimal(1000, "18"), "too few to tell");
    cr_expect(looks_decimal(1001, "18"));
    cr_expect(looks_decimal(1001, "7777777789989898"));
    static const char *const letters[] = {"a", "1B", "c0", "1d1", "E", "f000000000000000"};
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        cr_expect_not(looks_decimal(1001, letters[i]), "%s", letters[i]);
}
