#include "budget/budgets.h"

#include "base/arena.h"

#include <criterion/criterion.h>
#include <string.h>

static const char valid[] = "heapdrift-baseline\t1\n"
                            "# a remark\n"
                            "\n"
                            "snapshots\t4\n"
                            "iterations\t60\n"
                            "seconds\t3600\n"
                            "total\t0\t4096\t0\t2048\t0\tbytes\n"
                            "type\t12\t384\t4\t128\t9000\tMyApp.Order\r\n"
                            "holder\t5\t40\t3\t24\t0\t*s_all]*\n";

static bool parse(struct baseline *b, const char *s, struct arena *a, struct hd_error *err)
{
    return baseline_parse(b, s, strlen(s), a, err);
}

Test(baseline, knows_what_is_accepted)
{
    struct baseline b = {0};
    struct arena a = {0};
    struct hd_error err = {0};
    cr_assert(parse(&b, valid, &a, &err), "%s", err.message);
    cr_expect_eq(b.snapshots, 4);
    cr_expect_eq(b.iterations, 60);
    cr_expect_eq(b.seconds, 3600);
    struct hd_accepted order = baseline_find(&b, HD_ACCEPTED_TYPE, "MyApp.Order");
    cr_expect_eq(order.count, 12);
    cr_expect_eq(order.bytes, 384);
    cr_expect_eq(order.step_count, 4);
    cr_expect_eq(order.step_bytes, 128);
    cr_expect_eq(order.score, 9000);
    cr_expect_eq(baseline_find(&b, HD_ACCEPTED_TOTAL, "bytes").bytes, 4096);
    cr_expect_eq(baseline_find(&b, HD_ACCEPTED_HOLDER, "*s_all]*").count, 5);
    cr_expect_null(baseline_find(&b, HD_ACCEPTED_HOLDER, "MyApp.Order").name);
    cr_expect_eq(baseline_find(&b, HD_ACCEPTED_TYPE, "Other").count, 0);
    baseline_free(&b);
    arena_free(&a);
}

Test(baseline, is_the_same_after_writing_and_reading)
{
    struct baseline b = {.snapshots = 4, .iterations = HD_UNKNOWN, .seconds = 60},
                    again = {0};
    struct arena a = {0};
    struct text first = {0}, second = {0};
    const char *names[] = {"Z", "a\tb\\c\nd\re", "\x01\xff\xc2\x9b", "*\xe2\x86\x92*"};
    for (uint64_t i = 0; i < 4; i++)
        baseline_add(&b, &(struct hd_accepted){.kind = i == 3 ? HD_ACCEPTED_HOLDER
                                                              : HD_ACCEPTED_TYPE,
                                               .name = names[i],
                                               .count = i,
                                               .bytes = UINT64_MAX - 1 - i,
                                               .score = 7 * i});
    baseline_print(&first, baseline_growth(&b, &a));
    cr_assert(baseline_parse(&again, first.data, first.len, &a, NULL));
    cr_expect_eq(again.iterations, HD_UNKNOWN);
    cr_expect_eq(again.seconds, 60);
    for (uint64_t i = 0; i < 3; i++)
        cr_expect_eq(baseline_find(&again, HD_ACCEPTED_TYPE, names[i]).score, 7 * i);
    baseline_print(&second, baseline_growth(&again, &a));
    cr_expect_eq(first.len, second.len);
    cr_expect_eq(memcmp(first.data, second.data, first.len), 0);
    /* Sorted: 0x01 is first. */
    cr_expect_not_null(strstr(text_string(&first), "\t\\x01\\xff\\xc2\\x9b\n"));
    cr_expect(strstr(text_string(&first), "\\x01") < strstr(text_string(&first), "\tZ\n"));
    baseline_free(&b);
    baseline_free(&again);
    text_free(&first);
    text_free(&second);
    arena_free(&a);
}

Test(baseline, mistakes_have_a_line)
{
    static const struct {
        const char *text, *kind;
        uint64_t line;
    } cases[] = {
        {"", "no-baseline", 1},
        {"type\t1\n", "no-baseline", 1},
        {"heapdrift-baseline\tone\n", "no-baseline", 1},
        {"heapdrift-baseline\t2\n", "unknown-version", 1},
        {"heapdrift-baseline\t1\n", "no-baseline", 1},
        {"heapdrift-baseline\t1\nsnapshots\t1\n", "no-baseline", 2},
        {"heapdrift-baseline\t1\nsnapshots\tx\n", "bad-number", 2},
        {"heapdrift-baseline\t1\nsnapshots\t-4\n", "bad-number", 2},
        {"heapdrift-baseline\t1\nsnapshots\t4\nseconds\t-1\n", "bad-number", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\nhello\n", "bad-line", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\tX\n", "bad-line", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\nkind\t1\t2\t3\t4\t5\tX\n", "unknown-line",
         3},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\t4\t5.0\tX\n", "bad-number",
         3},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\t4\t5\t\n", "bad-name", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\t4\t5\ta\\x\n", "bad-name", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\t4\t5\ta\\\n", "bad-name", 3},
        {"heapdrift-"
         "baseline\t1\nsnapshots\t4\ntype\t1\t2\t3\t4\t5\tX\ntype\t1\t2\t3\t4\t5\tX\n",
         "duplicate", 4},
        {"heapdrift-baseline\t1\nsnapshots\t4\nsnapshots\t4\n", "duplicate", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\niterations\t9\niterations\t8\n", "duplicate",
         4},
        {"heapdrift-baseline\t1\nsnapshots\t4\ntotal\t0\t2\t0\t4\t5\tbites\n",
         "unknown-total", 3},
        {"heapdrift-baseline\t1\nsnapshots\t4\nprocess\t0\t2\t0\t4\t5\tnativ\n",
         "unknown-process", 3},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct baseline b = {0};
        struct arena a = {0};
        struct hd_error err = {0};
        cr_expect_not(parse(&b, cases[i].text, &a, &err), "%s", cases[i].text);
        cr_expect_str_eq(err.kind != NULL ? err.kind : "", cases[i].kind, "%s",
                         cases[i].text);
        cr_expect_eq(err.at, cases[i].line, "%s", cases[i].text);
        baseline_free(&b);
        arena_free(&a);
    }
}

Test(baseline, every_prefix_is_read_or_refused)
{
    for (size_t len = 0; len < sizeof(valid); len++) {
        struct baseline b = {0};
        struct arena a = {0};
        struct hd_error err = {0};
        if (!baseline_parse(&b, valid, len, &a, &err))
            cr_expect_neq(err.status, HD_OK);
        baseline_free(&b);
        arena_free(&a);
    }
}
