/* Facts of a process as text, their sums, and the parts of a size. */
#include "heap/process_facts.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <locale.h>
#include <string.h>

/* --- text ------------------------------------------------------------------------ */

static struct hd_process_facts parsed(const char *line)
{
    struct hd_process_facts facts = {0};
    process_facts_parse(&facts, line, strlen(line));
    return facts;
}

static const char *put(const struct hd_process_facts *facts, struct text *t)
{
    text_clear(t);
    process_facts_put(facts, t);
    return text_string(t);
}

static void expect_same(const struct hd_process_facts *a, const struct hd_process_facts *b)
{
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        cr_expect_eq(hd_fact(a, f), hd_fact(b, f), "%s", hd_fact_name(f));
    cr_expect_eq(a->known, b->known);
    for (size_t i = 0; i < HD_MAX_THREAD_NAMES; i++) {
        cr_expect_str_eq(a->threads[i].name, b->threads[i].name);
        cr_expect_eq(a->threads[i].count, b->threads[i].count);
    }
}

static uint64_t any_number(struct random *r)
{
    uint64_t n = (uint64_t)random_below(r, UINT32_MAX) << 32 | random_below(r, UINT32_MAX);
    return n >> random_below(r, 64);
}

/* Any bytes except NUL. */
static void any_name(char name[16], struct random *r, size_t number)
{
    size_t len = 2 + random_below(r, 14);
    name[0] = (char)('A' + number); /* unique */
    for (size_t i = 1; i < len; i++)
        name[i] = (char)(1 + random_below(r, 255));
    name[len] = '\0';
}

static struct hd_process_facts any_facts(struct random *r)
{
    struct hd_process_facts facts = {0};
    size_t names = random_below(r, HD_MAX_THREAD_NAMES + 1);
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        if (random_below(r, 2) == 0)
            hd_fact_set(&facts, f, any_number(r));
    for (size_t i = 0; i < names; i++) {
        facts.threads[i].count = 1 + random_below(r, UINT32_MAX - 1);
        any_name(facts.threads[i].name, r, i);
    }
    return facts;
}

Test(process_facts, any_facts_are_read_as_they_were_written)
{
    struct random r = random_from(49);
    struct text t = {0};
    for (int i = 0; i < 2000; i++) {
        struct hd_process_facts facts = any_facts(&r), again = {0};
        const char *line = put(&facts, &t);
        cr_assert_leq(t.len, MAX_PROCESS_LINE);
        for (size_t k = 0; k < t.len; k++)
            cr_assert(line[k] >= ' ' && line[k] <= '~', "\\x%02x", (unsigned char)line[k]);
        process_facts_parse(&again, line, t.len);
        expect_same(&facts, &again);
    }
    text_free(&t);
}

Test(process_facts, largest_facts_fit_into_a_line)
{
    struct hd_process_facts facts = {0}, again = {0};
    struct text t = {0};
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++)
        hd_fact_set(&facts, f, HD_UNKNOWN - 1);
    for (size_t i = 0; i < HD_MAX_THREAD_NAMES; i++) {
        facts.threads[i].count = UINT32_MAX;
        memset(facts.threads[i].name, (int)(0x80 + i), 15);
    }
    put(&facts, &t);
    cr_expect_leq(t.len, MAX_PROCESS_LINE);
    process_facts_parse(&again, t.data, t.len);
    expect_same(&facts, &again);
    text_free(&t);
}

Test(process_facts, line_has_keys_and_escapes)
{
    struct hd_process_facts facts = {0};
    struct text t = {0};
    cr_expect_str_eq(put(&facts, &t), "");
    hd_fact_set(&facts, HD_FACT_RESIDENT, 80203776);
    hd_fact_set(&facts, HD_FACT_THREADS, 8);
    hd_fact_set(&facts, HD_FACT_LIMIT, HD_UNKNOWN);
    facts.threads[0].count = 3;
    strcpy(facts.threads[0].name, ".NET TP Worker");
    facts.threads[1].count = 1;
    strcpy(facts.threads[1].name, "a%=:\n\x7f\xc3\xa9");
    cr_expect_str_eq(put(&facts, &t),
                     "resident=80203776 threads=8 thread=3:.NET%20TP%20Worker "
                     "thread=1:a%25=:%0a%7f%c3%a9");
    text_free(&t);
}

/* In this locale the byte is a letter, though not in ASCII. */
Test(process_facts, locale_does_not_change_the_line)
{
    struct hd_process_facts facts = {.threads = {{"\xe9t\xe9", 1}}};
    struct text t = {0};
    if (setlocale(LC_ALL, "de_DE.ISO-8859-1") == NULL)
        setlocale(LC_ALL, "");
    cr_expect_str_eq(put(&facts, &t), "thread=1:%e9t%e9");
    setlocale(LC_ALL, "C");
    text_free(&t);
}

Test(process_facts, damaged_and_unknown_parts_are_skipped)
{
    static const char *const nothing[] = {"",
                                          " ",
                                          "resident",
                                          "resident=",
                                          "resident=x",
                                          "resident=-1",
                                          "resident=+1",
                                          "resident=1x",
                                          "resident=1.5",
                                          "resident=0x10",
                                          "=5",
                                          "Resident=5",
                                          "residents=5",
                                          "residen=5",
                                          "later_fact=5",
                                          "resident=18446744073709551615",
                                          "resident=18446744073709551616",
                                          "resident=99999999999999999999999",
                                          "thread=",
                                          "thread=3",
                                          "thread=3:",
                                          "thread=:a",
                                          "thread=0:a",
                                          "thread=-3:a",
                                          "thread=4294967296:a",
                                          "thread=99999999999999999999999:a",
                                          "thread=3x:a",
                                          "thread=3;a"};
    for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++) {
        struct hd_process_facts facts = parsed(nothing[i]);
        cr_expect_eq(facts.known, 0, "%s", nothing[i]);
        cr_expect_eq(facts.threads[0].name[0], '\0', "%s", nothing[i]);
        char line[100];
        snprintf(line, sizeof(line), "swapped=7  %s   pipes=9 ", nothing[i]);
        facts = parsed(line);
        cr_expect_eq(hd_fact(&facts, HD_FACT_SWAPPED), 7, "%s", line);
        cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), 9, "%s", line);
        cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), HD_UNKNOWN, "%s", line);
    }
    struct hd_process_facts most = parsed("resident=18446744073709551614");
    cr_expect_eq(hd_fact(&most, HD_FACT_RESIDENT), HD_UNKNOWN - 1);
}

Test(process_facts, first_of_a_key_counts)
{
    struct hd_process_facts facts = parsed("resident=5 resident=6 thread=2:a thread=3:b "
                                           "thread=4:a");
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), 5);
    cr_expect_eq(facts.threads[0].count, 2);
    cr_expect_str_eq(facts.threads[1].name, "b");
    cr_expect_str_eq(facts.threads[2].name, "", "a name twice");
    static const char more[] = "resident=7 swapped=8 thread=9:c";
    process_facts_parse(&facts, more, strlen(more));
    cr_expect_eq(hd_fact(&facts, HD_FACT_RESIDENT), 5);
    cr_expect_eq(hd_fact(&facts, HD_FACT_SWAPPED), 8);
    cr_expect_str_eq(facts.threads[2].name, "", "names of two lines do not add up");
}

Test(process_facts, invalid_escapes_are_characters)
{
    static const struct {
        const char *line, *name;
    } cases[] = {
        {"thread=1:a%20b", "a b"},
        {"thread=1:%C3%a9", "\xc3\xa9"},
        {"thread=1:a%", "a%"},
        {"thread=1:a%2", "a%2"},
        {"thread=1:a%2g", "a%2g"},
        {"thread=1:a%00", "a%00"},
        {"thread=1:a%+1", "a%+1"},
        {"thread=1:a%-1", "a%-1"},
        {"thread=1:a%0x", "a%0x"},
        {"thread=1:%25%", "%%"},
        {"thread=1:a:b=c", "a:b=c"},
        {"thread=1:123456789012345", "123456789012345"},
        {"thread=1:1234567890123456", "123456789012345"},
        {"thread=1:12345678901234%41B", "12345678901234A"},
        {"thread=4294967295:a", "a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_process_facts facts = parsed(cases[i].line);
        cr_expect_str_eq(facts.threads[0].name, cases[i].name, "%s", cases[i].line);
    }
    /* an escape at the very end of a fact does not reach into the next one */
    struct hd_process_facts facts = parsed("thread=1:a% 20=5 pipes=3");
    cr_expect_str_eq(facts.threads[0].name, "a%");
    cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), 3);
}

Test(process_facts, seventeenth_thread_name_is_dropped)
{
    struct text t = {0};
    for (int i = 0; i < HD_MAX_THREAD_NAMES + 1; i++) {
        char part[40];
        snprintf(part, sizeof(part), "thread=%d:n%d ", 100 - i, i);
        text_add_string(&t, part);
    }
    text_add_string(&t, "pipes=3");
    struct hd_process_facts facts = parsed(text_string(&t));
    cr_expect_str_eq(facts.threads[HD_MAX_THREAD_NAMES - 1].name, "n15");
    cr_expect_eq(facts.threads[HD_MAX_THREAD_NAMES - 1].count, 85);
    cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), 3);
    text_free(&t);
}

Test(process_facts, too_long_lines_are_ignored)
{
    struct text t = {0};
    text_add_string(&t, "pipes=3 ");
    while (t.len < MAX_PROCESS_LINE)
        text_add_char(&t, 'x');
    struct hd_process_facts facts = {0};
    process_facts_parse(&facts, t.data, t.len);
    cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), 3);
    text_add_char(&t, 'x');
    facts = (struct hd_process_facts){0};
    process_facts_parse(&facts, t.data, t.len);
    cr_expect_eq(facts.known, 0);
    process_facts_parse(&facts, "pipes=31", 7);
    cr_expect_eq(hd_fact(&facts, HD_FACT_PIPES), 3, "no byte after the line");
    text_free(&t);
}

/* Each byte of a good line replaced by each other one: the result is valid facts, and stays
 * the same when written and parsed again. */
Test(process_facts, any_damaged_line_makes_facts_that_can_be_written)
{
    static const char good[] = "resident=80203776 gc_free=12 thread=3:.NET%20TP thread=1:x";
    struct text t = {0};
    for (size_t at = 0; at < sizeof(good) - 1; at++)
        for (int c = 0; c < 256; c++) {
            char line[sizeof(good)];
            memcpy(line, good, sizeof(good));
            line[at] = (char)c;
            struct hd_process_facts facts = {0}, again = {0};
            process_facts_parse(&facts, line, sizeof(good) - 1);
            put(&facts, &t);
            process_facts_parse(&again, t.data, t.len);
            cr_assert_eq(memcmp(&facts, &again, sizeof(facts)), 0, "%zu, %d", at, c);
        }
    text_free(&t);
}

/* --- names ----------------------------------------------------------------------- */

Test(process_facts, every_fact_has_a_key_of_its_own)
{
    for (enum hd_fact f = 0; f < HD_FACT_COUNT; f++) {
        const char *name = hd_fact_name(f);
        cr_assert(name != NULL && name[0] != '\0' && strcspn(name, " =%") == strlen(name));
        cr_expect_eq(hd_fact_is_count(f), f >= HD_FACT_FREE_BLOCKS, "%s", name);
        for (enum hd_fact g = 0; g < f; g++)
            cr_expect(strcmp(name, hd_fact_name(g)) != 0, "%s", name);
    }
    cr_expect_null(hd_fact_name(HD_FACT_COUNT));
    cr_expect_not(hd_fact_is_count(HD_FACT_COUNT));
    for (enum hd_process_part p = 0; p < HD_PART_COUNT; p++)
        cr_expect_not_null(hd_process_part_name(p));
    cr_expect_null(hd_process_part_name(HD_PART_COUNT));
}

/* --- sums ------------------------------------------------------------------------ */

Test(process_facts, size_is_resident_and_swapped)
{
    static const struct {
        const char *line;
        uint64_t size;
    } cases[] = {
        {"", HD_UNKNOWN},
        {"swapped=5", HD_UNKNOWN},
        {"resident=0", 0},
        {"resident=5", 5},
        {"resident=5 swapped=0", 5},
        {"resident=5 swapped=6", 11},
        {"resident=18446744073709551614", HD_UNKNOWN - 1},
        {"resident=18446744073709551614 swapped=1", HD_UNKNOWN - 1},
        {"resident=18446744073709551613 swapped=1", HD_UNKNOWN - 1},
        {"resident=1 swapped=18446744073709551614", HD_UNKNOWN - 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_process_facts facts = parsed(cases[i].line);
        cr_expect_eq(process_facts_size(&facts), cases[i].size, "%s", cases[i].line);
    }
}

Test(process_facts, adding_keeps_known_facts)
{
    struct hd_process_facts a = parsed("resident=5 pipes=2"),
                            b = parsed("resident=6 swapped=7 thread=2:b");
    process_facts_add(&a, &b);
    cr_expect_eq(hd_fact(&a, HD_FACT_RESIDENT), 5);
    cr_expect_eq(hd_fact(&a, HD_FACT_SWAPPED), 7);
    cr_expect_eq(hd_fact(&a, HD_FACT_PIPES), 2);
    cr_expect_eq(hd_fact(&a, HD_FACT_THREADS), HD_UNKNOWN);
    cr_expect_str_eq(a.threads[0].name, "b");
    struct hd_process_facts c = parsed("thread=3:c thread=1:d");
    process_facts_add(&a, &c);
    cr_expect_str_eq(a.threads[0].name, "b");
    cr_expect_str_eq(a.threads[1].name, "");
}

Test(process_facts, sums_are_of_known_facts_and_saturate)
{
    struct hd_process_facts a = parsed("resident=5 pipes=2 gc_free=18446744073709551610"),
                            b = parsed("resident=6 swapped=7 gc_free=4");
    process_facts_sum(&a, &b);
    cr_expect_eq(hd_fact(&a, HD_FACT_RESIDENT), 11);
    cr_expect_eq(hd_fact(&a, HD_FACT_SWAPPED), 7);
    cr_expect_eq(hd_fact(&a, HD_FACT_PIPES), 2);
    cr_expect_eq(hd_fact(&a, HD_FACT_GC_FREE), HD_UNKNOWN - 1);
    process_facts_sum(&a, &b);
    cr_expect_eq(hd_fact(&a, HD_FACT_GC_FREE), HD_UNKNOWN - 1, "never unknown, never less");
}

/* --- parts ----------------------------------------------------------------------- */

static void expect_parts(const char *line, uint64_t objects, uint64_t size,
                         const uint64_t wanted[HD_PART_COUNT])
{
    struct hd_process_facts facts = parsed(line);
    uint64_t parts[HD_PART_COUNT];
    cr_expect_eq(hd_process_parts(&facts, objects, parts), size, "%s", line);
    for (enum hd_process_part p = 0; p < HD_PART_COUNT; p++)
        cr_expect_eq(parts[p], wanted[p], "%s: %s is %llu", line, hd_process_part_name(p),
                     (unsigned long long)parts[p]);
}

#define NONE HD_UNKNOWN
#define PARTS(...) ((const uint64_t[HD_PART_COUNT]){__VA_ARGS__})

/* objects, free, collector, code, stacks, files, native */
Test(process_facts, parts_of_a_size)
{
    expect_parts("", 10, NONE, PARTS(NONE, NONE, NONE, NONE, NONE, NONE, NONE));
    expect_parts("of_gc=50 of_code=3", 10, NONE,
                 PARTS(NONE, NONE, NONE, NONE, NONE, NONE, NONE));
    expect_parts("resident=90 swapped=10 of_gc=50 fragmented=8 of_code=3 of_stacks=2 "
                 "of_files=20 of_shared=1 of_arenas=9 of_brk=15",
                 30, 100, PARTS(30, 8, 12, 3, 2, 21, 24));
    expect_parts("resident=100 of_gc=50", 30, 100,
                 PARTS(30, NONE, 20, NONE, NONE, NONE, 50));
    expect_parts("resident=100 gc_committed=60 fragmented=5", 30, 100,
                 PARTS(30, 5, 25, NONE, NONE, NONE, 40));
    expect_parts("resident=100 of_gc=50 gc_committed=60", 30, 100,
                 PARTS(30, NONE, 20, NONE, NONE, NONE, 50));
    expect_parts("resident=100 of_gc=61 gc_committed=60", 30, 100,
                 PARTS(30, NONE, 30, NONE, NONE, NONE, 40));
    expect_parts("resident=100", 30, 100, PARTS(30, NONE, NONE, NONE, NONE, NONE, 70));
    expect_parts("resident=100 fragmented=10", 30, 100,
                 PARTS(30, 10, NONE, NONE, NONE, NONE, 60));
    expect_parts("resident=100 of_gc=50", NONE, 100,
                 PARTS(NONE, NONE, 50, NONE, NONE, NONE, 50));
}

/* Parts that were measured at another time, or that are not resident. */
Test(process_facts, parts_are_cut_to_the_size)
{
    expect_parts("resident=100 of_gc=20 fragmented=5", 30, 100,
                 PARTS(20, 0, 0, NONE, NONE, NONE, 80));
    expect_parts("resident=100 gc_committed=500", 30, 100,
                 PARTS(30, NONE, 70, NONE, NONE, NONE, 0));
    expect_parts("resident=10 of_gc=50 of_code=4 of_stacks=4 of_files=4 of_shared=4", 30,
                 10, PARTS(0, NONE, 0, 4, 4, 2, 0));
    expect_parts("resident=0", 30, 0, PARTS(0, NONE, NONE, NONE, NONE, NONE, 0));
    expect_parts("resident=100 of_files=18446744073709551614 of_shared=1", 0, 100,
                 PARTS(0, NONE, NONE, NONE, NONE, 100, 0));
    expect_parts("resident=100 of_files=18446744073709551614 of_shared=7", 0, 100,
                 PARTS(0, NONE, NONE, NONE, NONE, 100, 0));
}

/* All combinations of known and unknown facts, with objects and without. */
Test(process_facts, parts_sum_to_the_size_whatever_is_known)
{
    static const enum hd_fact of[] = {
        HD_FACT_RESIDENT,  HD_FACT_SWAPPED,      HD_FACT_OF_GC,
        HD_FACT_OF_CODE,   HD_FACT_OF_STACKS,    HD_FACT_OF_FILES,
        HD_FACT_OF_SHARED, HD_FACT_GC_COMMITTED, HD_FACT_FRAGMENTED};
    enum { FACTS = sizeof(of) / sizeof(*of), ROUNDS = 20 };
    struct random r = random_from(7);
    for (unsigned set = 0; set < 2U << FACTS; set++)
        for (int round = 0; round < ROUNDS; round++) {
            struct hd_process_facts facts = {0};
            bool wild = round % 4 == 0;
            uint64_t parts[HD_PART_COUNT], sum = 0;
            uint64_t objects = set >> FACTS & 1 ? HD_UNKNOWN : random_below(&r, 1000);
            for (int i = 0; i < FACTS; i++)
                if (set >> i & 1)
                    hd_fact_set(&facts, of[i],
                                wild ? any_number(&r) : random_below(&r, 1000));
            uint64_t size = hd_process_parts(&facts, objects, parts);
            cr_assert_eq(size, process_facts_size(&facts));
            for (enum hd_process_part p = 0; p < HD_PART_COUNT; p++) {
                cr_assert(size != HD_UNKNOWN || parts[p] == HD_UNKNOWN);
                sum += parts[p] != HD_UNKNOWN ? parts[p] : 0;
            }
            cr_assert(size == HD_UNKNOWN || sum == size, "set %x: %llu of %llu", set,
                      (unsigned long long)sum, (unsigned long long)size);
        }
}
