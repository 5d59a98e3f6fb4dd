/* Phrases for the numbers of a finding. */
#include "report/phrased.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(phrases, a_limit_has_its_unit)
{
    static const struct {
        struct hd_finding rule;
        const char *limit;
    } cases[] = {
        {{.kind = HD_RULE_TYPE, .limit.amount = 1}, "+1 instance"},
        {{.kind = HD_RULE_TOTAL, .limit.amount = 20}, "+20 objects"},
        {{.kind = HD_RULE_TYPE, .limit.amount = 0, .per = HD_PER_STEP},
         "+0 instances per step"},
        {{.measure = HD_MEASURE_BYTES, .limit.amount = 1024, .per = HD_PER_ITERATION},
         "+1.00 KiB per iteration"},
        {{.limit = {.relative = true, .percent = 2.5}}, "+2.5 %"},
        {{.measure = HD_MEASURE_SCORE, .limit = {.relative = true, .percent = 2}},
         "score below 2 %"},
        {{.measure = HD_MEASURE_SCORE, .limit.amount = 2048, .is_by_steadiness = true},
         "score below 2.00 KiB if steady"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_str_eq(text_of_limit(&cases[i].rule), cases[i].limit);
}

Test(phrases, observed_values_have_the_unit_of_the_limit)
{
    static const struct {
        struct hd_finding rule;
        const char *observed;
    } cases[] = {
        {{.kind = HD_RULE_TYPE, .observed_value = 60}, "+60 instances"},
        {{.kind = HD_RULE_TYPE, .observed_value = -2.5, .per = HD_PER_ITERATION},
         "-2.50 instances per iteration"},
        {{.observed_value = 1, .base = 10, .kind = HD_RULE_TYPE, .limit.relative = true},
         "+10.0 % (+1 instance)"},
        {{.measure = HD_MEASURE_SCORE,
          .observed_value = 512,
          .base = 1024,
          .is_in_bytes = true},
         "score 50 % (512 B)"},
        {{.measure = HD_MEASURE_SCORE, .observed_value = 1, .base = 4},
         "score 25 % (1 object)"},
        {{.measure = HD_MEASURE_SCORE, .observed_value = NAN, .status = HD_FOUND_PASS},
         "nothing grows"},
        {{.measure = HD_MEASURE_SCORE,
          .observed_value = NAN,
          .status = HD_FOUND_INCONCLUSIVE},
         "-"},
        {{.observed_value = NAN, .status = HD_FOUND_PASS}, "-"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_str_eq(text_of_observed(&cases[i].rule), cases[i].observed);
}

Test(phrases, every_reason_has_a_sentence_of_its_own)
{
    static const struct hd_suspect cache = {.title = "App.Page",
                                            .reservation = HD_RESERVED_FILLS};
    static const struct hd_native_memory threads = {
        .what = "threads", .first = 3, .last = 9};
    static uint64_t size[] = {50 << 20, 90 << 20}, native_memory[] = {10 << 20, 50 << 20};
    static const struct hd_process_growth process = {.size = size,
                                                     .last = 1,
                                                     .where = HD_PART_NATIVE,
                                                     .parts[HD_PART_NATIVE] =
                                                         native_memory};
    static uint64_t blocks[] = {3, 70}, largest[] = {4 << 20, 8 << 20};
    static const struct hd_free_growth free_space = {.bytes = native_memory,
                                                     .blocks = blocks,
                                                     .largest = largest,
                                                     .last = 1,
                                                     .within = HD_FACT_COUNT,
                                                     .pinned_objects = HD_UNKNOWN};
    char all[HD_REASON_COUNT][512];
    for (int code = 0; code < HD_REASON_COUNT; code++) {
        struct hd_finding rule = {.kind = HD_RULE_TYPE,
                                  .accepted = 3,
                                  .reason = {.code = (enum hd_reason_code)code,
                                             .share = 0.25,
                                             .meant = "App.Order",
                                             .words = "a pool",
                                             .until = "2026-11-20",
                                             .native_memory = &threads,
                                             .process = &process,
                                             .free = &free_space,
                                             .suspect = &cache}};
        snprintf(all[code], sizeof(all[code]), "%s", text_of_reason(&rule));
        cr_expect(code == HD_REASON_NONE ? strcmp(all[code], "-") == 0
                                         : strlen(all[code]) > strlen("a poo"),
                  "reason %d: %s", code, all[code]);
        for (int other = 0; other < code; other++)
            cr_expect_str_neq(all[code], all[other], "reasons %d and %d", other, code);
    }
    cr_expect_str_eq(all[HD_REASON_NATIVE_MEMORY],
                     "threads rose in every step, 3 → 9; their "
                     "memory outside the heap is not counted");
    cr_expect_str_eq(all[HD_REASON_OUTSIDE],
                     "the process grew from 50.0 MiB to 90.0 MiB, outside of the managed "
                     "heap: native memory 10.0 MiB → 50.0 MiB");
    cr_expect_str_eq(all[HD_REASON_NO_MATCH], "matches no type; did you mean App.Order?");
    cr_expect_str_eq(all[HD_REASON_EXPIRED], "was suppressed until 2026-11-20: a pool");
    cr_expect_str_eq(all[HD_REASON_ACCEPTED],
                     "besides 3 instances that the baseline accepts");
}

Test(phrases, a_rule_is_named_with_its_place)
{
    struct hd_finding rule = {
        .kind = HD_RULE_TYPE, .pattern = "App.*", .path = "heapdrift.yml", .line = 7};
    struct text t = {0};
    phrase_rule(&t, &rule);
    text_add_string(&t, ", ");
    phrase_source(&t, &rule);
    rule.path = NULL;
    text_add_string(&t, ", ");
    phrase_source(&t, &rule);
    rule.is_default = true;
    text_add_string(&t, ", ");
    phrase_source(&t, &rule);
    cr_expect_str_eq(text_string(&t), "type App.*, heapdrift.yml:7, option, default");
    text_free(&t);
}

Test(phrases, a_pattern_without_a_match_has_a_suggestion)
{
    struct hd_no_match none = {.pattern = "App.Ordre", .nearest = "App.Order"};
    struct text t = {0};
    phrase_no_match(&t, HD_BY_TYPE, &none);
    cr_expect_str_eq(text_string(&t), "no type matches App.Ordre; did you mean App.Order?");
    text_clear(&t);
    none.nearest = NULL;
    phrase_no_match(&t, HD_BY_MODULE, &none);
    cr_expect_str_eq(text_string(&t),
                     "no module matches App.Ordre; `heapdrift top` lists all");
    text_free(&t);
}

/* --- side by side ------------------------------------------------------------------ */

/* The leading number and its unit. */
static void first_words(const char *phrase, char words[64])
{
    const char *end = strchr(phrase, ' ');
    size_t len = end != NULL ? (size_t)(end - phrase) + 4 : strlen(phrase);
    snprintf(words, 64, "%.*s", (int)len, phrase);
}

static void expect_apart(const struct hd_finding *rule)
{
    char limit[64], observed[64];
    const char *size = rule->measure == HD_MEASURE_SCORE && !rule->limit.relative
                           ? strchr(text_of_observed(rule), '(') + 1
                           : text_of_observed(rule);
    bool is_score = rule->measure == HD_MEASURE_SCORE;
    first_words(size + (is_score && rule->limit.relative ? strlen("score ") : 0), observed);
    first_words(text_of_limit(rule) + (is_score ? strlen("score below ") : 0), limit);
    double bound = rule->limit.relative ? rule->limit.percent * rule->base / 100
                                        : (double)rule->limit.amount;
    if (strtod(limit, NULL) == strtod(observed, NULL))
        cr_expect(strcmp(strchr(limit, ' '), strchr(observed, ' ')) != 0,
                  "%s and %s; %.17g of %.17g", limit, observed, rule->observed_value,
                  bound);
}

/* Every measure and every kind of limit, a little above and a little below. */
Test(phrases, a_limit_and_a_value_over_it_never_look_equal)
{
    static const double sizes[] = {5e6, 1024, 1048576, 1e9, 123456789, 4.99e12};
    static const double apart[] = {1, 2, 10, 1000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        for (size_t j = 0; j < 2 * sizeof(apart) / sizeof(*apart); j++) {
            double by = j % 2 == 0 ? apart[j / 2] : -apart[j / 2];
            struct hd_finding bytes = {.measure = HD_MEASURE_BYTES,
                                       .is_in_bytes = true,
                                       .limit.amount = (uint64_t)sizes[i],
                                       .observed_value = sizes[i] + by};
            expect_apart(&bytes);
            struct hd_finding score = bytes;
            score.measure = HD_MEASURE_SCORE;
            score.base = 2 * sizes[i];
            expect_apart(&score);
            struct hd_finding mean = {.kind = HD_RULE_TYPE,
                                      .limit.amount = (uint64_t)sizes[i] % 1000,
                                      .observed_value =
                                          (double)((uint64_t)sizes[i] % 1000) + by / 10000,
                                      .per = HD_PER_ITERATION};
            expect_apart(&mean);
            struct hd_finding share = bytes;
            share.limit = (struct hd_limit){.relative = true, .percent = 5};
            share.base = 1000 * sizes[i] < 1e9 ? 20 * sizes[i] : 20 * 1e6;
            share.observed_value = share.base * 0.05 + by;
            expect_apart(&share);
            share.measure = HD_MEASURE_SCORE;
            expect_apart(&share);
        }
}

Test(phrases, a_value_equal_to_the_limit_has_the_same_digits)
{
    struct hd_finding rule = {
        .measure = HD_MEASURE_BYTES, .limit.amount = 5000000, .observed_value = 5000000};
    cr_expect_str_eq(text_of_limit(&rule), "+4.77 MiB");
    cr_expect_str_eq(text_of_observed(&rule), "+4.77 MiB");
    rule.observed_value = 5001216;
    cr_expect_str_eq(text_of_limit(&rule), "+4.768 MiB");
    cr_expect_str_eq(text_of_observed(&rule), "+4.770 MiB");
}
