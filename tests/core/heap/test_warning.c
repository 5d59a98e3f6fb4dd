#include "heap/warning.h"

#include <criterion/criterion.h>
#include <string.h>

Test(warning, counts_and_keeps_the_line_of_the_first)
{
    struct warnings w = {0};
    warnings_add(&w, WARN_UNKNOWN_TYPE, 12);
    warnings_add(&w, WARN_NO_ROOTS, 0);
    warnings_add(&w, WARN_UNKNOWN_TYPE, 99);
    cr_assert_eq(w.len, 2, "one per kind");
    const struct warning *unknown = warnings_find(&w, WARN_UNKNOWN_TYPE);
    cr_assert_not_null(unknown);
    cr_expect_eq(unknown->count, 2);
    cr_expect_eq(unknown->line, 12);
    cr_expect_null(unknown->detail);
    cr_expect_null(warnings_find(&w, WARN_SAMPLED));
    warnings_free(&w);
}

Test(warning, order_is_that_of_first_occurrence)
{
    static const enum warning_code codes[] = {WARN_SAMPLED, WARN_FILTERED,
                                              WARN_DANGLING_ROOT};
    struct warnings w = {0};
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < 3; i++)
            warnings_add(&w, codes[i], 1);
    cr_assert_eq(w.len, 3);
    for (size_t i = 0; i < 3; i++)
        cr_expect_eq(w.all[i].code, codes[i]);
    warnings_free(&w);
}

Test(warning, a_detail_replaces_the_message_before_and_after_counting)
{
    struct warnings w = {0};
    warnings_add_detail(&w, WARN_INCOMPLETE, "cut");
    warnings_add(&w, WARN_INCOMPLETE, 3);
    warnings_add(&w, WARN_FILTERED, 4);
    warnings_add_detail(&w, WARN_FILTERED, "-type");
    const struct warning *incomplete = warnings_find(&w, WARN_INCOMPLETE);
    cr_expect_str_eq(incomplete->detail, "cut");
    cr_expect_eq(incomplete->count, 1);
    cr_expect_eq(incomplete->line, 3);
    const struct warning *filtered = warnings_find(&w, WARN_FILTERED);
    cr_expect_str_eq(filtered->detail, "-type");
    cr_expect_eq(filtered->count, 1);
    warnings_free(&w);
}

Test(warning, there_is_room_for_every_code)
{
    struct warnings w = {0};
    for (int c = 0; c < WARN_CODE_COUNT; c++)
        warnings_add(&w, (enum warning_code)c, (uint64_t)c);
    cr_assert_eq(w.len, (size_t)WARN_CODE_COUNT);
    for (int c = 0; c < WARN_CODE_COUNT; c++)
        cr_expect_eq(warnings_find(&w, (enum warning_code)c)->line, (uint64_t)c);
    warnings_free(&w);
    cr_expect_null(w.all);
    cr_expect_eq(w.len, 0);
}

/* Codes are keys in JSON and words on the command line; messages follow a colon. */
Test(warning, every_code_has_a_word_and_a_message_of_its_own)
{
    for (int c = 0; c < WARN_CODE_COUNT; c++) {
        const struct warning_text *t = &warning_texts[c];
        cr_assert_not_null(t->code, "code %d", c);
        cr_assert_not_null(t->message, "%s", t->code);
        cr_expect_eq(strspn(t->code, "abcdefghijklmnopqrstuvwxyz-"), strlen(t->code), "%s",
                     t->code);
        cr_expect_gt(strlen(t->message), 0, "%s", t->code);
        cr_expect_null(strpbrk(t->message, "\n\t"), "%s: one line", t->code);
        cr_expect_neq(t->message[strlen(t->message) - 1], '.', "%s: no full stop", t->code);
        for (int other = 0; other < c; other++)
            cr_expect_str_neq(t->code, warning_texts[other].code);
    }
}

Test(warning, an_unfounded_warning_is_removed)
{
    struct warnings w = {0};
    for (int i = 0; i < 3; i++)
        warnings_add(&w, WARN_UNKNOWN_TYPE, 0);
    warnings_add(&w, WARN_SAMPLED, 0);
    warnings_take_back(&w, WARN_UNKNOWN_TYPE, 2);
    cr_expect_eq(warnings_find(&w, WARN_UNKNOWN_TYPE)->count, 1);
    warnings_take_back(&w, WARN_UNKNOWN_TYPE, 5);
    cr_expect_null(warnings_find(&w, WARN_UNKNOWN_TYPE));
    warnings_take_back(&w, WARN_FILTERED, 1);
    cr_expect_eq(w.len, 1);
    cr_expect_eq(w.all[0].code, WARN_SAMPLED);
    warnings_free(&w);
}
