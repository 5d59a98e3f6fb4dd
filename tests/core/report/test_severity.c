/* Verdicts in every format that has colors, signs or levels. */
#include "render/written.h"

/* --- verdicts ---------------------------------------------------------------------- */

static struct hd_report *two_that_grow(void)
{
    struct hd_snapshot *snaps[] = {shop(10), shop(40)};
    return diff_of(snaps, 2, NULL);
}

static struct hd_report *suspects(void)
{
    return shop_diff(NULL);
}

static struct hd_report *hidden_suspect(void)
{
    const char *none[] = {"*Order*"};
    struct hd_options opt = hd_default_options();
    opt.excludes = none;
    opt.exclude_count = 1;
    return shop_diff(&opt);
}

enum { MANY = 6 };

static struct hd_report *of_one_size(size_t count)
{
    struct hd_snapshot *snaps[MANY];
    for (size_t k = 0; k < count; k++)
        snaps[k] = shop(10);
    return diff_of(snaps, count, NULL);
}

static struct hd_report *nothing(void)
{
    return of_one_size(MANY);
}

static struct hd_report *nothing_in_two(void)
{
    return of_one_size(2);
}

static struct hd_report *tables(void)
{
    return shop_table_diff(NULL);
}

static struct hd_report *no_match(void)
{
    const char *types[] = {"No.Such"};
    struct hd_options opt = hd_default_options();
    opt.types = types;
    opt.type_count = 1;
    return shop_diff(&opt);
}

static struct hd_report *check_of_rule(const char *limit, size_t count)
{
    struct hd_snapshot *snaps[SHOPS];
    struct hd_budgets *b = hd_budgets_new();
    for (size_t k = 0; k < count; k++)
        snaps[k] = shop(10 * ((uint32_t)k + 1));
    if (limit != NULL)
        cr_assert(hd_budgets_add_option(b, "budget", limit, NULL));
    return check_of(snaps, count, NULL, b);
}

static struct hd_report *check_passes(void)
{
    return check_of_rule("App.Order=500", SHOPS);
}

static struct hd_report *check_fails(void)
{
    return check_of_rule("App.Order=5", SHOPS);
}

static struct hd_report *check_of_two(void)
{
    return check_of_rule(NULL, 2);
}

static struct hd_report *no_verdict(void)
{
    return top_of(shop(10), NULL);
}

static const struct {
    const char *name;
    struct hd_report *(*make)(void);
    int severity; /* enum hd_severity */
} verdicts[] = {{"suspects", suspects, HD_SEVERITY_BAD},
                {"suspects of tables", tables, HD_SEVERITY_BAD},
                {"two that grow", two_that_grow, HD_SEVERITY_UNSURE},
                {"a hidden suspect", hidden_suspect, HD_SEVERITY_UNSURE},
                {"nothing grows", nothing, HD_SEVERITY_GOOD},
                {"nothing grows in two", nothing_in_two, HD_SEVERITY_UNSURE},
                {"no match", no_match, HD_SEVERITY_UNSURE},
                {"a check that passes", check_passes, HD_SEVERITY_GOOD},
                {"a check that fails", check_fails, HD_SEVERITY_BAD},
                {"a check of two", check_of_two, HD_SEVERITY_UNSURE},
                {"no verdict", no_verdict, -1}};

/* --- formats ----------------------------------------------------------------------- */

static const int all_severities[] = {HD_SEVERITY_GOOD, HD_SEVERITY_UNSURE, HD_SEVERITY_BAD};

/* The verdict must have one of these signs, by severity; only: in a check. */
static const struct {
    const char *format;
    bool only_check;
    const char *sign[3];
} formats[] = {
    {"text", false, {"\033[1m\033[32m", "\033[1m\033[33m", "\033[1m\033[31m"}},
    {"html",
     false,
     {"<h1 class=\"verdict good\">", "<h1 class=\"verdict unsure\">",
      "<h1 class=\"verdict bad\">"}},
    {"md", true, {"✅ **PASS**", "❔ **INCONCLUSIVE**", "❌ **FAIL**"}},
    {"github", true, {NULL, NULL, "::error "}},
    {"sarif", true, {NULL, NULL, "\"level\": \"error\""}},
    {"junit", true, {NULL, NULL, "<failure"}},
    {"json",
     true,
     {"\"verdict\": \"pass\"", "\"verdict\": \"inconclusive\"", "\"verdict\": \"fail\""}}};

/* The verdict in text is its first line. */
static char *first_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void expect_signs(const struct hd_report *r, size_t v, size_t f)
{
    struct hd_write_options opt = {.size = sizeof(opt), .color = true};
    char *bytes = written_with(r, formats[f].format, &opt);
    if (strcmp(formats[f].format, "text") == 0)
        bytes = first_line(bytes);
    for (size_t t = 0; t < sizeof(all_severities) / sizeof(*all_severities); t++) {
        const char *sign = formats[f].sign[t];
        if (sign != NULL)
            cr_expect_eq(strstr(bytes, sign) != NULL,
                         all_severities[t] == verdicts[v].severity, "%s as %s: \"%s\"",
                         verdicts[v].name, formats[f].format, sign);
    }
    free(bytes);
}

Test(severity, every_format_paints_a_verdict_alike)
{
    for (size_t v = 0; v < sizeof(verdicts) / sizeof(*verdicts); v++) {
        struct hd_report *r = verdicts[v].make();
        if (r->kind == HD_REPORT_DIFF)
            cr_expect_eq((int)hd_report_model(r)->summary->severity, verdicts[v].severity,
                         "%s", verdicts[v].name);
        for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++)
            if (r->kind == HD_REPORT_CHECK || !formats[f].only_check)
                expect_signs(r, v, f);
        hd_report_free(r);
    }
}
