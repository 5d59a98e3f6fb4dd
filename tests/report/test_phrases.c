/* What people read of the numbers of a finding. */
#include "report/phrased.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(phrases, a_limit_is_told_in_what_it_counts)
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
        cr_expect_str_eq(told_limit(&cases[i].rule), cases[i].limit);
}

Test(phrases, what_was_observed_is_told_as_its_limit_is)
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
        cr_expect_str_eq(told_observed(&cases[i].rule), cases[i].observed);
}

Test(phrases, every_reason_has_a_sentence_of_its_own)
{
    static const struct hd_native threads = {.what = "threads", .first = 3, .last = 9};
    char all[HD_REASON_COUNT][512];
    for (int code = 0; code < HD_REASON_COUNT; code++) {
        struct hd_finding rule = {.kind = HD_RULE_TYPE,
                                  .accepted = 3,
                                  .reason = {.code = (enum hd_reason_code)code,
                                             .share = 0.25,
                                             .meant = "App.Order",
                                             .words = "a pool",
                                             .until = "2026-11-20",
                                             .native = &threads}};
        snprintf(all[code], sizeof(all[code]), "%s", told_reason(&rule));
        cr_expect(code == HD_REASON_NONE ? strcmp(all[code], "-") == 0
                                         : strlen(all[code]) > strlen("a poo"),
                  "reason %d: %s", code, all[code]);
        for (int other = 0; other < code; other++)
            cr_expect_str_neq(all[code], all[other], "reasons %d and %d", other, code);
    }
    cr_expect_str_eq(all[HD_REASON_NATIVE], "threads rose in every step, 3 → 9; what they "
                                            "hold outside the heap is not counted");
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

Test(phrases, a_pattern_without_a_match_says_what_may_be_meant)
{
    struct hd_no_match none = {.pattern = "App.Ordre", .nearest = "App.Order"};
    struct text t = {0};
    phrase_no_match(&t, HD_BY_TYPE, &none);
    cr_expect_str_eq(text_string(&t), "no type matches App.Ordre; did you mean App.Order?");
    text_clear(&t);
    none.nearest = NULL;
    phrase_no_match(&t, HD_BY_MODULE, &none);
    cr_expect_str_eq(text_string(&t),
                     "no module matches App.Ordre; `heapdrift top` lists them");
    text_free(&t);
}
