#include "report/phrases.h"

#include <criterion/criterion.h>

/* For a heap of 75 MB with six snapshots. */
static struct hd_report made(void)
{
    struct hd_report r = {.kind = HD_REPORT_DIFF};
    r.diff.types.bytes_known = true;
    r.diff.would_show = (struct hd_power){
        .steps = 5, .large = 1536 * 1024, .bytes = 75 * 1024, .objects = 25, .even = 12};
    return r;
}

static void expect(const struct hd_report *r, const char *wanted)
{
    struct text t = {0};
    cr_expect_eq(phrase_power_of_verdict(&t, r), wanted != NULL);
    if (wanted != NULL)
        cr_expect_str_eq(text_string(&t), wanted);
    text_free(&t);
}

Test(phrase_power, names_the_smallest_visible_leak)
{
    struct hd_report r = made();
    expect(&r,
           "A leak of 25 objects and 75.0 KiB or more in these 5 steps would have shown; "
           "of fewer objects, one of 1.50 MiB");
    r.diff.would_show.bytes = 599; /* 25 of the smallest have 600 */
    expect(&r, "A leak of 25 objects or more in these 5 steps would have shown; of fewer "
               "objects, one of 1.50 MiB");
    r.diff.would_show.bytes = 75 * 1024;
    r.diff.would_show.objects = HD_UNKNOWN;
    expect(&r, "By counts alone, a leak of 1.50 MiB or more in these 5 steps would have "
               "shown; with even steps, one of 12 objects and 75.0 KiB");
    r.diff.would_show.even = HD_UNKNOWN;
    r.diff.would_show.steps = 1;
    expect(&r, "By counts alone, a leak of 1.50 MiB or more in this step would have shown");
    r.diff.types.bytes_known = false;
    r.diff.would_show.large = 1200;
    expect(&r, "By counts alone, a leak of 1,200 objects or more in this step would have "
               "shown");
}

Test(phrase_power, is_only_below_an_all_clear)
{
    struct hd_report r = made();
    struct hd_no_match none = {0};
    r.diff.suspect_count = 1;
    expect(&r, NULL);
    r.diff.suspect_count = 0;
    r.diff.no_match = &none;
    expect(&r, NULL);
    r = made();
    r.diff.would_show.steps = 0;
    expect(&r, NULL);
    r = made();
    r.kind = HD_REPORT_CHECK;
    r.check.verdict = HD_FAIL;
    expect(&r, NULL);
    r.check.verdict = HD_INCONCLUSIVE;
    expect(&r, NULL);
    r.check.verdict = HD_PASS;
    r.diff.suspect_count = 1; /* for example suppressed */
    struct text t = {0};
    cr_expect(phrase_power_of_verdict(&t, &r));
    text_free(&t);
}
