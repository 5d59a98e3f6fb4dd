#include "base/error.h"

#include <criterion/criterion.h>
#include <string.h>

Test(error, has_a_message)
{
    struct hd_error err = {0};
    cr_expect_not(fail(&err, HD_IO, "%s: %d", "cannot read", 5));
    cr_expect_eq(err.status, HD_IO);
    cr_expect_eq(err.where, HD_NOWHERE);
    cr_expect_str_eq(err.message, "cannot read: 5");
    cr_expect_null(err.kind);
}

Test(error, names_a_byte_of_a_binary_input)
{
    struct hd_error err = {0};
    cr_expect_not(fail_at_byte(&err, 1ULL << 40, "bad tag %d", 9));
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect_eq(err.where, HD_AT_BYTE);
    cr_expect_eq(err.at, 1ULL << 40);
    cr_expect_str_eq(err.message, "bad tag 9");
}

Test(error, names_a_line_and_the_kind_of_a_text_input)
{
    struct hd_error err = {0};
    cr_expect_not(fail_at_line(&err, 17, "bad-number", "not a number: %s", "x"));
    cr_expect_eq(err.status, HD_BAD_FORMAT);
    cr_expect_eq(err.where, HD_AT_LINE);
    cr_expect_eq(err.at, 17);
    cr_expect_str_eq(err.kind, "bad-number");
    cr_expect_str_eq(err.message, "not a number: x");
}

Test(error, line_0_is_nowhere)
{
    struct hd_error err = {0};
    cr_expect_not(fail_at_line(&err, 0, "no-end", "no end"));
    cr_expect_eq(err.where, HD_NOWHERE);
    cr_expect_str_eq(err.kind, "no-end");
}

Test(error, the_first_failure_wins)
{
    struct hd_error err = {0};
    fail_at_byte(&err, 3, "first");
    const struct hd_error first = err;
    cr_expect_not(fail(&err, HD_IO, "second"));
    cr_expect_not(fail_at_byte(&err, 4, "third"));
    cr_expect_not(fail_at_line(&err, 5, "fourth", "fourth"));
    cr_expect_eq(memcmp(&err, &first, sizeof(err)), 0);
}

Test(error, a_caller_may_ignore_it)
{
    cr_expect_not(fail(NULL, HD_IO, "x"));
    cr_expect_not(fail_at_byte(NULL, 1, "x"));
    cr_expect_not(fail_at_line(NULL, 1, "x", "x"));
}

Test(error, a_long_message_is_cut)
{
    struct hd_error err = {0};
    fail(&err, HD_IO, "%1000d", 1);
    cr_expect_eq(strlen(err.message), sizeof(err.message) - 1);
}

/* C1 as UTF-8, and invalid UTF-8: a terminal may obey either. */
Test(error, messages_have_no_control_characters)
{
    struct hd_error err = {0};
    fail(&err, HD_IO,
         "a\x1b[2J\x7f \xC2\x9B"
         "31m \x9B"
         "0m \xE2\x80\xAE Gr\xC3\xB6\xC3\x9F"
         "e \xE2\x80\xA6");
    cr_expect_str_eq(err.message, "a?[2J? ?31m ?0m ? Gr\xC3\xB6\xC3\x9F"
                                  "e \xE2\x80\xA6");
}

Test(error, a_long_message_is_not_cut_inside_of_a_character)
{
    struct hd_error err = {0};
    char name[400];
    for (size_t i = 0; i + 2 < sizeof(name); i += 2)
        memcpy(name + i, "\xC3\xB6", 3);
    fail(&err, HD_IO, "%s", name);
    size_t len = strlen(err.message);
    cr_expect_eq(err.message[len - 1], '?');
    cr_expect_str_eq(err.message + len - 3, "\xC3\xB6?");
}

Test(error, the_subject_is_that_of_the_first_failure)
{
    struct hd_error err = {0};
    cr_expect_not(fail_about(&err, HD_ABOUT_GEN2, HD_USAGE, "are unknown"));
    cr_expect_eq(err.topic, HD_ABOUT_GEN2);
    cr_expect_not(fail_at_line_about(&err, HD_ABOUT_BASELINE, 7, "bad", "later"));
    cr_expect_eq(err.topic, HD_ABOUT_GEN2);
    cr_expect_eq(err.where, HD_NOWHERE);
    err = (struct hd_error){0};
    cr_expect_not(fail_at_line_about(&err, HD_ABOUT_BASELINE, 7, "bad", "first"));
    cr_expect(err.topic == HD_ABOUT_BASELINE && err.at == 7 && err.where == HD_AT_LINE);
}
