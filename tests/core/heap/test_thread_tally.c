#include "heap/process_facts.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct hd_process_facts counted(const char *const *names, size_t count)
{
    static struct thread_tally t;
    struct hd_process_facts facts = {0};
    t = (struct thread_tally){.count = 0};
    for (size_t i = 0; i < count; i++)
        thread_tally_add(&t, names[i]);
    thread_tally_put(&t, &facts);
    return facts;
}

Test(thread_tally, most_frequent_names_are_first)
{
    static const char *const names[] = {"b", "a", "pool", "pool", ""};
    struct hd_process_facts facts = counted(names, 5);
    cr_expect_str_eq(facts.threads[0].name, "pool");
    cr_expect_eq(facts.threads[0].count, 2);
    cr_expect_str_eq(facts.threads[1].name, "a");
    cr_expect_str_eq(facts.threads[2].name, "b");
    cr_expect_str_eq(facts.threads[3].name, "");
}

Test(thread_tally, names_are_cut_between_characters)
{
    static const struct {
        const char *name, *is;
    } all[] = {
        {"0123456789abcdefgh", "0123456789abcde"},
        {"0123456789abcd\xc3\xa9", "0123456789abcd"},
        {"0123456789abc\xc3\xa9", "0123456789abc\xc3\xa9"},
        {"0123456789abcd\xc3", "0123456789abcd"},
        {"0123456789abc\xe2\x82", "0123456789abc"},
        {"\xff\xc3x", "??x"},
        {"a\x80", "a?"},
        {"\x1b[31m", "\x1b[31m"},
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct hd_process_facts facts = counted(&all[i].name, 1);
        cr_expect_str_eq(facts.threads[0].name, all[i].is);
    }
}

Test(thread_tally, further_names_are_not_counted)
{
    static char text[300][8];
    static const char *names[300];
    for (size_t i = 0; i < 300; i++) {
        snprintf(text[i], sizeof(text[i]), "%zu", i);
        names[i] = text[i];
    }
    struct hd_process_facts facts = counted(names, 300);
    cr_expect_str_neq(facts.threads[HD_MAX_THREAD_NAMES - 1].name, "");
    cr_expect_eq(facts.threads[0].count, 1);
}
