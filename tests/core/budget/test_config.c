#include "budget/budgets.h"

#include "base/text.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(config, .init = open_scratch, .fini = remove_scratch);

/* Parses text as a budget file. */
static bool read_text(struct hd_budgets *b, const char *text, struct hd_error *err)
{
    return hd_budgets_read(b, scratch_file(&scratch, "heapdrift.yml", text, strlen(text)),
                           err);
}

Test(config, has_every_kind_of_budget)
{
    static const char text[] = "# budgets\n"
                               "version: 1\n"
                               "budgets:\n"
                               "  - total: reachable_bytes\n"
                               "    max_growth: 10MiB\n"
                               "    per: step\n"
                               "  - type: \"MyApp.*\"\n"
                               "    max_growth: 0\n"
                               "    max_growth_bytes: 5%\n"
                               "  - holder: '*s_cache]*'\n"
                               "    max_growth: 100\n"
                               "    per: iteration\n"
                               "  - {suspects: any, max_score: 2%}\n"
                               "suppress:\n"
                               "  - type: MyApp.Legacy.*\n"
                               "    reason: \"JIRA-123: pool warms up\"\n"
                               "    until: 2026-12-31\n"
                               "  - holder: \"*s_pool*\"\n"
                               "    reason: it is a pool\n";
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_assert(read_text(b, text, &err), "%s", err.message);
    cr_assert_eq(b->rule_count, 5);
    const struct rule *r = b->rules;
    cr_expect(r[0].kind == HD_RULE_TOTAL && r[0].total == HD_TOTAL_REACHABLE_BYTES);
    cr_expect(r[0].measure == HD_MEASURE_BYTES && r[0].limit.amount == 10 << 20);
    cr_expect(r[0].per == HD_PER_STEP && r[0].line == 4);
    cr_expect(r[1].kind == HD_RULE_TYPE && r[1].measure == HD_MEASURE_COUNT);
    cr_expect(!r[1].limit.relative && r[1].limit.amount == 0);
    cr_expect_str_eq(r[1].pattern, "MyApp.*");
    cr_expect(r[2].measure == HD_MEASURE_BYTES && r[2].limit.relative);
    cr_expect(r[2].limit.percent == 5 && r[2].entry == r[1].entry);
    cr_expect(r[3].kind == HD_RULE_HOLDER && r[3].per == HD_PER_ITERATION &&
              r[3].line == 10);
    cr_expect(r[4].kind == HD_RULE_SUSPECTS && r[4].limit.percent == 2);
    cr_assert_eq(b->suppression_count, 2);
    cr_expect_str_eq(b->suppressions[0].type, "MyApp.Legacy.*");
    cr_expect_eq(b->suppressions[0].until, 20818);
    cr_expect_eq(b->suppressions[0].line, 15);
    cr_expect_null(b->suppressions[1].type);
    cr_expect_not(b->suppressions[1].expires);
    const char *name = strrchr(r[1].path, '/');
    cr_expect_str_eq(name != NULL ? name + 1 : r[1].path, "heapdrift.yml");
    cr_expect_eq(r[1].line, 7);
    hd_budgets_free(b);
}

Test(config, has_budgets_of_the_process)
{
    static const char text[] = "version: 1\n"
                               "process:\n"
                               "  size: 10%\n"
                               "  native: {max_growth: 50MiB, per: step}\n"
                               "  threads:\n"
                               "    max_growth: 5\n"
                               "    per: iteration\n"
                               "  handles: 20%\n"
                               "  private: 5\n";
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_assert(read_text(b, text, &err), "%s", err.message);
    cr_assert_eq(b->rule_count, 5);
    const struct rule *r = b->rules;
    for (size_t i = 0; i < b->rule_count; i++)
        cr_expect_eq(r[i].kind, HD_RULE_PROCESS);
    cr_expect(r[0].process == HD_PROCESS_SIZE && r[0].limit.percent == 10);
    cr_expect(r[0].measure == HD_MEASURE_BYTES && r[0].per == HD_PER_TOTAL);
    cr_expect(r[1].process == HD_PROCESS_NATIVE && r[1].limit.amount == 50 << 20);
    cr_expect(r[1].per == HD_PER_STEP && r[1].line == 4);
    cr_expect(r[2].process == HD_PROCESS_THREADS && r[2].limit.amount == 5);
    cr_expect(r[2].measure == HD_MEASURE_COUNT && r[2].per == HD_PER_ITERATION);
    cr_expect(r[2].line == 5 && !r[2].lacks_unit);
    cr_expect(r[3].process == HD_PROCESS_HANDLES && r[3].limit.relative);
    cr_expect(r[4].process == HD_PROCESS_PRIVATE && r[4].lacks_unit);
    hd_budgets_free(b);
}

Test(config, may_have_no_budgets)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect(read_text(b, "version: 1\nbudgets: []\n", &err), "%s", err.message);
    cr_expect_eq(b->rule_count, 0);
    hd_budgets_free(b);
}

/* All errors, with the line that has to be corrected. */
static const struct {
    const char *text;
    uint64_t line;
    const char *kind, *says;
} mistakes[] = {
    {"", 1, "empty-file", "version: 1"},
    {"# nothing\n", 1, "empty-file", NULL},
    {"---\n...\n", 1, "empty-file", NULL},
    {"hello\n", 1, "wrong-type", NULL},
    {"- a\n", 1, "wrong-type", NULL},
    {"budgets: []\n", 1, "no-version", "version: 1"},
    {"version: 2\n", 1, "unknown-version", "1"},
    {"version: one\n", 1, "unknown-version", "one"},
    {"version: [1]\n", 1, "wrong-type", NULL},
    {"version: 1\nbudget: []\n", 2, "unknown-key", "did you mean budgets?"},
    {"version: 1\nzebra: []\n", 2, "unknown-key",
     "allowed here: version, budgets, process, suppress"},
    {"version: 1\nversion: 1\n", 2, "duplicate-key", "line 1"},
    {"version: 1\nbudgets: foo\n", 2, "wrong-type", "list"},
    {"version: 1\nbudgets:\n", 2, "empty-list", "[]"},
    {"version: 1\nprocess:\n", 2, "wrong-type", "native: 50MiB"},
    {"version: 1\nprocess: 50MiB\n", 2, "wrong-type", "native: 50MiB"},
    {"version: 1\nprocess: [native]\n", 2, "wrong-type", "native: 50MiB"},
    {"version: 1\nprocess:\n  nativ: 1MiB\n", 3, "unknown-key", "did you mean native?"},
    {"version: 1\nprocess:\n  zebra: 1MiB\n", 3, "unknown-key", "size, resident, private"},
    {"version: 1\nprocess:\n  native: 1MiB\n  native: 2MiB\n", 4, "duplicate-key",
     "line 3"},
    {"version: 1\nprocess:\n  native: 5XB\n", 3, "bad-limit",
     "native: 5XB: must be a size"},
    {"version: 1\nprocess:\n  native:\n", 3, "bad-limit", "size"},
    {"version: 1\nprocess:\n  native: -1MiB\n", 3, "bad-limit", "negative"},
    {"version: 1\nprocess:\n  threads: 1MiB\n", 3, "bad-limit", "a number such as 200"},
    {"version: 1\nprocess:\n  native: [1MiB]\n", 3, "wrong-type", "SEQUENCE_START"},
    {"version: 1\nprocess:\n  native:\n    max_growth: [1]\n", 4, "wrong-type",
     "SEQUENCE_START"},
    {"version: 1\nprocess:\n  native:\n    per: step\n", 3, "bad-entry", "add max_growth"},
    {"version: 1\nprocess:\n  native:\n    max_growth: 1MiB\n    per: hour\n", 5,
     "bad-value", "total, step, iteration"},
    {"version: 1\nprocess:\n  native:\n    max_grow: 1MiB\n", 4, "unknown-key",
     "did you mean max_growth?"},
    {"version: 1\nbudgets:\n  - process: native\n    max_growth: 1MiB\n", 3, "unknown-key",
     "process"},
    {"version: 1\nbudgets:\n  - foo\n", 3, "bad-entry", NULL},
    {"version: 1\nbudgets:\n  - type: X\n    max_grow: 1\n", 4, "unknown-key",
     "max_grow; did you mean max_growth?"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1\n    max_growth: 2\n", 5,
     "duplicate-key", "line 4"},
    {"version: 1\nbudgets:\n  - type: [X]\n    max_growth: 1\n", 3, "wrong-type",
     "Expecting STRING, got event: SEQUENCE_START"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: {a: b}\n", 4, "wrong-type",
     "Expecting STRING, got event: MAPPING_START"},
    {"version: 1\nbudgets:\n  - type: &a X\n    max_growth: 1\n  - type: *a\n", 5,
     "wrong-type", "alias"},
    {"version: 1\nbudgets:\n  - type: X\n", 3, "bad-entry", "max_growth"},
    {"version: 1\nbudgets:\n  - type:\n    max_growth: 1\n", 3, "bad-value", "type"},
    {"version: 1\nbudgets:\n  - max_growth: 1\n", 3, "bad-entry", "total, type, holder"},
    {"version: 1\nbudgets:\n  - type: X\n    total: bytes\n    max_growth: 1\n", 3,
     "bad-entry", "one of"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: -1\n", 4, "bad-limit", "negative"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 5XB\n", 4, "bad-limit", "5XB"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1MiB\n", 4, "bad-limit",
     "max_growth_bytes"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1.5\n", 4, "bad-limit", "number"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth:\n", 4, "bad-limit", NULL},
    {"version: 1\nbudgets:\n  - total: bytes\n    max_growth: ten\n", 4, "bad-limit",
     "size"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1\n    optional: yes\n", 5,
     "bad-value", "false, true"},
    {"version: 1\nbudgets:\n  - total: bytes\n    max_growth: 1B\n    optional: true\n", 5,
     "bad-entry", "always"},
    {"version: 1\nbudgets:\n  - type: \"a\\0b\"\n    max_growth: 1\n", 3, "bad-value",
     "NUL"},
    {"version: 1\nbudgets: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\n", 2, "too-deep", NULL},
    {"version: 1\nbudgets:\n  - total: byte\n    max_growth: 1\n", 3, "bad-value",
     "did you mean bytes?"},
    {"version: 1\nbudgets:\n  - total: zebra\n    max_growth: 1\n", 3, "bad-value",
     "bytes, objects, reachable_bytes"},
    {"version: 1\nbudgets:\n  - total: bytes\n    max_growth_bytes: 1\n", 4, "bad-entry",
     "total: bytes"},
    {"version: 1\nbudgets:\n  - total: bytes\n    max_score: 1\n", 4, "bad-entry",
     "suspects"},
    {"version: 1\nbudgets:\n  - suspects: all\n", 3, "bad-value", "any"},
    {"version: 1\nbudgets:\n  - suspects: any\n    max_growth: 1\n", 4, "bad-entry",
     "max_score"},
    {"version: 1\nbudgets:\n  - suspects: any\n    max_score: -2%\n", 4, "bad-limit", NULL},
    {"version: 1\nbudgets:\n  - suspects: any\n    per: step\n", 4, "bad-entry", NULL},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1\n    per: steps\n", 5,
     "bad-value", "did you mean step?"},
    {"version: 1\nbudgets:\n  - type: X\n    max_growth: 1\n  - type: X\n    max_growth: "
     "2\n",
     5, "duplicate-rule", "line 3"},
    {"version: 1\nbudgets:\n  - total: bytes\n    max_growth: 1B\n  - total: bytes\n    "
     "max_growth: 2B\n",
     5, "duplicate-rule", "line 3"},
    {"version: 1\nsuppress:\n  - type: X\n", 3, "no-reason", NULL},
    {"version: 1\nsuppress:\n  - type: X\n    reason: ''\n", 3, "no-reason", NULL},
    {"version: 1\nsuppress:\n  - type: X\n    reason: '  '\n", 3, "no-reason", NULL},
    {"version: 1\nsuppress:\n  - type: X\n    reason: \" \\t\\n\"\n", 3, "no-reason", NULL},
    {"version: 1\nsuppress:\n  - reason: X\n", 3, "bad-entry", "type, holder"},
    {"version: 1\nsuppress:\n  - type: X\n    reason: R\n    until: 31.12.2026\n", 5,
     "bad-date", "2026-12-31"},
    {"version: 1\nsuppress:\n  - type: X\n    reason: R\n    until: 2026-02-30\n", 5,
     "bad-date", NULL},
    {"version: 1\nsuppress:\n  - type: X\n    reason: R\n  - type: X\n    reason: S\n", 5,
     "duplicate-rule", "line 3"},
    {"version: 1\nsuppress:\n  - typ: X\n    reason: R\n", 3, "unknown-key", "type"},
    {"version: 1\nbudgets: [\n", 3, "bad-yaml", NULL},
    {"version: 1\n\tbudgets: []\n", 2, "bad-yaml", NULL},
    {"version: 1\n---\nversion: 1\n", 3, "second-document", NULL},
    {"version: 1\nbudgets:\n  - &a {type: X, max_growth: 1}\n  - *a\n", 0, NULL, NULL},
    {"version: 1\n? [a]\n: b\n", 2, "bad-key", NULL},
};

Test(config, every_mistake_has_its_line_and_a_remedy)
{
    for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++) {
        struct hd_budgets *b = hd_budgets_new();
        struct hd_error err = {0};
        const char *text = mistakes[i].text;
        cr_expect_not(read_text(b, text, &err), "taken:\n%s", text);
        if (mistakes[i].kind != NULL)
            cr_expect_str_eq(err.kind != NULL ? err.kind : "", mistakes[i].kind, "%s: %s",
                             text, err.message);
        if (mistakes[i].line > 0)
            cr_expect_eq(err.at, mistakes[i].line, "%s: %lu: %s", text,
                         (unsigned long)err.at, err.message);
        if (mistakes[i].says != NULL)
            cr_expect(strstr(err.message, mistakes[i].says) != NULL, "%s: %s", text,
                      err.message);
        cr_expect_null(strchr(err.message, '\n'), "%s", err.message);
        hd_budgets_free(b);
    }
}

Test(config, a_file_that_is_not_there_is_an_error)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect_not(hd_budgets_read(b, "no/such/heapdrift.yml", &err));
    cr_expect_eq(err.status, HD_IO);
    err = (struct hd_error){0};
    cr_expect_not(hd_budgets_read(b, "/", &err));
    cr_expect_neq(err.status, HD_OK);
    hd_budgets_free(b);
}

Test(config, a_file_of_a_megabyte_and_more_is_refused)
{
    size_t size = BUDGETS_LONGEST_FILE + 1;
    char *text = calloc(size + 1, 1);
    memset(text, '#', size);
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect_not(read_text(b, text, &err));
    cr_expect_eq(err.status, HD_TOO_BIG);
    hd_budgets_free(b);
    free(text);
}

/* A file of the maximum size: head, then repetitions of part with a number in each. */
static void expect_refused(const char *head, const char *part, const char *kind)
{
    struct text t = {0};
    char one[32];
    text_add_string(&t, head);
    for (unsigned i = 0; t.len < BUDGETS_LONGEST_FILE - sizeof(one); i++) {
        snprintf(one, sizeof(one), part, i);
        text_add_string(&t, one);
    }
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect_not(read_text(b, text_string(&t), &err));
    cr_expect_str_eq(err.kind, kind, "%s: %s", part, err.message);
    hd_budgets_free(b);
    text_free(&t);
}

/* Seconds; each of these used to take minutes. */
Test(config, a_file_of_brackets_is_refused_quickly, .timeout = 10)
{
    static const char *const parts[] = {"[", "{a: ", "- ", "? ", "[a, "};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        expect_refused("version: 1\nbudgets:\n ", parts[i], "too-deep");
}

Test(config, a_file_of_anchors_or_directives_is_refused_quickly, .timeout = 10)
{
    static const char *const line_ends[] = {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8"};
    expect_refused("version: 1\nbudgets: [", "&a%x 1,", "too-many");
    expect_refused("version: 1\nbudgets: [", "&a%x [],", "too-many");
    expect_refused("version: 1\nbudgets: [", "&a%x {},", "too-many");
    for (size_t i = 0; i < sizeof(line_ends) / sizeof(*line_ends); i++) {
        char part[32];
        snprintf(part, sizeof(part), "%%%%TAG !a%%x! x%s", line_ends[i]);
        expect_refused("\n", part, "too-many");
    }
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect(read_text(b,
                        "%YAML 1.1\n---\nversion: 1\nbudgets:\n- &a {total: &b bytes, "
                        "max_growth: 5%}\n",
                        &err),
              "%s", err.message);
    hd_budgets_free(b);
}

Test(config, limits_in_bytes_need_no_unit_if_no_other_is_plausible)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect(
        read_text(b,
                  "version: 1\nbudgets:\n"
                  " - {total: bytes, max_growth: 0}\n"
                  " - {total: reachable_bytes, max_growth: 1048576}\n"
                  " - {type: X, max_growth_bytes: 5mb, max_growth: 5, optional: true}\n",
                  &err),
        "%s", err.message);
    cr_expect_eq(b->rules[3].limit.amount, 5000000);
    cr_expect(b->rules[3].is_optional && !b->rules[0].is_optional);
    hd_budgets_free(b);
}

Test(config, every_prefix_and_every_changed_byte_is_read_or_refused)
{
    static const char text[] =
        "version: 1\nbudgets:\n  - type: \"A.*\"\n    max_growth: 5%\n"
        "suppress:\n  - type: B\n    reason: c\n    until: 2026-12-31\n";
    char changed[sizeof(text)];
    for (size_t i = 0; i + 1 < sizeof(text); i++) {
        for (int how = 0; how < 4; how++) {
            memcpy(changed, text, sizeof(text));
            changed[i] = how == 0 ? '\0' : how == 1 ? ':' : how == 2 ? '\xff' : '\n';
            struct hd_budgets *b = hd_budgets_new();
            struct hd_error err = {0};
            if (!read_text(b, changed, &err))
                cr_expect_neq(err.status, HD_OK);
            hd_budgets_free(b);
        }
    }
}

Test(config, options_precede_the_file_and_replace_equal_rules)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    cr_expect(hd_budgets_add_option(b, "max-growth", "1MiB", &err), "%s", err.message);
    cr_expect(hd_budgets_add_option(b, "max-growth-objects", "10%", &err));
    cr_expect(hd_budgets_add_option(b, "budget", "A.B=C<=D>=7", &err));
    cr_expect(hd_budgets_add_option(b, "budget", "X=64KiB", &err));
    cr_expect(hd_budgets_add_option(b, "max-score", "3%", &err));
    cr_assert_eq(b->rule_count, 5);
    cr_expect_str_eq(b->rules[2].pattern, "A.B=C<=D>");
    cr_expect_eq(b->rules[2].limit.amount, 7);
    cr_expect_eq(b->rules[3].measure, HD_MEASURE_BYTES);
    cr_expect_eq(b->rules[3].limit.amount, 65536);
    cr_assert(read_text(b,
                        "version: 1\nbudgets:\n  - total: bytes\n    max_growth: 5B\n"
                        "  - total: bytes\n    per: step\n    max_growth: 6B\n",
                        &err),
              "%s", err.message);
    cr_assert_eq(b->rule_count, 6);
    cr_expect_eq(b->rules[5].per, HD_PER_STEP);
    hd_budgets_free(b);
}

Test(config, invalid_options_are_reported)
{
    static const struct {
        const char *name, *value;
    } wrong[] = {{"max-growth", "-5"},  {"max-growth", ""},
                 {"max-growth", "5XB"}, {"max-growth-objects", "1MiB"},
                 {"budget", "X"},       {"budget", "=5"},
                 {"budget", "X="},      {"budget", "X=-1"},
                 {"max-score", "much"}, {"zebra", "1"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct hd_budgets *b = hd_budgets_new();
        struct hd_error err = {0};
        cr_expect_not(hd_budgets_add_option(b, wrong[i].name, wrong[i].value, &err),
                      "--%s=%s", wrong[i].name, wrong[i].value);
        cr_expect_eq(err.status, HD_USAGE);
        hd_budgets_free(b);
    }
    struct hd_budgets *b = hd_budgets_new();
    cr_expect(hd_budgets_add_option(b, "budget", "X=5", NULL));
    cr_expect(hd_budgets_add_option(b, "budget", "X=5", NULL), "the same again");
    cr_expect_not(hd_budgets_add_option(b, "budget", "X=6", NULL));
    cr_expect_not(hd_budgets_add_option(b, "budget", "X=5B", NULL), "bytes, not objects");
    cr_expect_not(hd_budgets_add_option(b, "budget", "X=5%", NULL));
    cr_expect_eq(b->rule_count, 1);
    hd_budgets_free(b);
}
