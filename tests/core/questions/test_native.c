/* Objects with memory outside the heap that pile up, in every format, and in checks:
 * suppressed, excluded, or accepted. */
#include "render/written.h"
#include "report/phrased.h"
#include "support/asked.h"
#include "support/forge.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define ASSEMBLY "System.Reflection.RuntimeAssembly"
#define MODULE "System.Reflection.RuntimeModule"

enum { SNAPSHOTS = 6 };

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(native_report, .init = open_scratch, .fini = remove_scratch);

/* Assemblies below one strong handle, each with its module, in a heap that is large enough
 * to have no suspect, or small enough to have one. */
static struct hd_snapshot *heap(uint32_t assemblies, uint32_t heap_bytes)
{
    struct forge f = {0};
    node_id blob = forge_object(&f, "App.Blob", heap_bytes);
    forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_blob", blob);
    node_id table = forge_object(&f, "System.Object[]", 8000);
    forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, table);
    node_id first = forge_objects(&f, ASSEMBLY, 48, assemblies);
    node_id module = forge_objects(&f, MODULE, 40, assemblies);
    for (uint32_t i = 0; i < assemblies; i++) {
        forge_reference(&f, table, first + i);
        forge_reference(&f, first + i, module + i);
    }
    return forge_finish(&f);
}

static void open_series(struct hd_snapshot **snaps, uint32_t each, uint32_t heap_bytes)
{
    for (uint32_t k = 0; k < SNAPSHOTS; k++)
        snaps[k] = heap(9 + each * k, heap_bytes);
}

static struct hd_budgets *budgets_of(const char *yaml)
{
    struct hd_budgets *b = hd_budgets_new();
    struct hd_error err = {0};
    if (yaml != NULL)
        cr_assert(hd_budgets_read(
                      b, scratch_file(&scratch, "heapdrift.yml", yaml, strlen(yaml)), &err),
                  "%s", err.message);
    return b;
}

enum { LARGE_HEAP = 10000000, SMALL_HEAP = 20000 };

static struct hd_report *check(uint32_t each, uint32_t heap_bytes,
                               const struct hd_options *opt, const struct hd_budgets *b)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    open_series(snaps, each, heap_bytes);
    struct hd_report *r = ask_check(snaps, SNAPSHOTS, opt, b, &err);
    cr_assert_not_null(r, "%s", err.message);
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    return r;
}

/* 5 assemblies per step. A heap in which they pile up does not pass, unless the user has
 * suppressed, excluded or accepted the type. */
Test(native_report, does_not_pass_unless_it_is_excused)
{
    static const char *const names[] = {ASSEMBLY};
    static const struct {
        const char *yaml;
        uint32_t each;
        bool exclude, accept;
        enum hd_verdict verdict;
        int strict;
    } cases[] = {
        {NULL, 0, false, false, HD_PASS, 0},
        {NULL, 1, false, false, HD_PASS, 0},
        {NULL, 2, false, false, HD_INCONCLUSIVE, 3},
        {NULL, 5, false, false, HD_INCONCLUSIVE, 3},
        {NULL, 5, true, false, HD_PASS, 0},
        {NULL, 5, false, true, HD_PASS, 0},
        {"version: 1\nsuppress: [{type: " ASSEMBLY ", reason: plug-ins}]\n", 5, false,
         false, HD_PASS, 0},
        {"version: 1\nsuppress: [{type: App.Other, reason: r}]\n", 5, false, false,
         HD_INCONCLUSIVE, 3},
        {"version: 1\nbudgets: [{suspects: any, max_score: 1%}]\n", 5, false, false,
         HD_INCONCLUSIVE, 3},
        {"version: 1\nbudgets: [{total: bytes, max_growth: 10%}]\n", 5, false, false,
         HD_PASS, 0},
        {"version: 1\nbudgets: [{type: " ASSEMBLY ", max_growth: 10}]\n", 5, false, false,
         HD_FAIL, 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct hd_options opt = hd_default_options();
        struct hd_budgets *b = budgets_of(cases[i].yaml);
        if (cases[i].exclude) {
            opt.excludes = names;
            opt.exclude_count = 1;
        }
        if (cases[i].accept)
            hd_budgets_accept(b);
        struct hd_report *r = check(cases[i].each, LARGE_HEAP, &opt, b);
        const struct hd_finding *f = &r->check.rules[0];
        cr_expect_eq(hd_report_verdict(r), cases[i].verdict, "case %zu: %s, %s", i,
                     verdict_names[hd_report_verdict(r)], text_of_reason(f));
        cr_expect_eq(hd_report_status(r, true), cases[i].strict, "case %zu", i);
        if (cases[i].verdict == HD_INCONCLUSIVE)
            cr_expect_eq(f->reason.code, HD_REASON_NATIVE_MEMORY, "case %zu", i);
        hd_report_free(r);
        hd_budgets_free(b);
    }
}

Test(native_report, is_reported_in_every_format_with_its_number)
{
    static const char *const formats[] = {"text", "md",    "json",  "csv",
                                          "html", "junit", "sarif", "github"};
    struct hd_report *r = check(5, LARGE_HEAP, NULL, NULL);
    cr_assert_eq(r->diff.native_memory_count, 1, "an assembly and its module are one");
    cr_expect_str_eq(r->diff.native_memory[0].type, ASSEMBLY);
    cr_expect_str_eq(r->diff.native_memory[0].hint, "assembly-not-unloaded");
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        char *all = written(r, formats[i]);
        cr_expect_not_null(strstr(all, "loaded assemblies"), "%s: %s", formats[i], all);
        cr_expect_not_null(strstr(all, "9 → 34"), "%s: %s", formats[i], all);
        free(all);
    }
    hd_report_free(r);
}

/* The headline without a suspect, with a large one, with the type itself. */
Test(native_report, the_headline_does_not_claim_that_nothing_grows)
{
    struct hd_report *r = check(5, LARGE_HEAP, NULL, NULL);
    cr_expect_str_eq(r->diff.headline,
                     "INCONCLUSIVE Loaded assemblies rose in every step, 9 → 34; their "
                     "memory outside the heap is not counted.");
    cr_expect_eq(r->summary.severity, HD_SEVERITY_UNSURE);
    hd_report_free(r);
    r = check(5, SMALL_HEAP, NULL, NULL);
    cr_expect_eq(r->check.verdict, HD_FAIL);
    cr_expect_not_null(strstr(r->diff.headline, "RuntimeAssembly: 9 → 34 objects"), "%s",
                       r->diff.headline);
    const struct hd_line *also = &r->summary.facts[r->summary.fact_len - 1];
    cr_expect_str_eq(also->label, "also");
    cr_expect_not_null(strstr(also->text, "34 loaded assemblies, more in every step"));
    hd_report_free(r);
}

/* Few objects that are co-retained with the assemblies are not in the headline. */
Test(native_report, leads_the_headline_where_suspects_are_small)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    for (uint32_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_blob",
                   forge_object(&f, "App.Blob", 200000));
        node_id cache = forge_object(&f, "System.String[]", 2424);
        node_id table = forge_object(&f, "System.Object[]", 8000);
        forge_root(&f, HD_ROOT_STATIC, "App.Shop.s_names", cache);
        forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, table);
        node_id first = forge_objects(&f, ASSEMBLY, 8, 9 + 5 * k);
        node_id string = forge_objects(&f, "System.String", 32, 9 + 5 * k);
        for (uint32_t i = 0; i < 9 + 5 * k; i++) {
            forge_reference(&f, table, first + i);
            forge_reference(&f, cache, string + i);
        }
        snaps[k] = forge_finish(&f);
    }
    struct hd_report *r = ask_diff(snaps, SNAPSHOTS, NULL, &err);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].suspicion, HD_SUSPECT_STEADY);
    cr_expect_str_eq(r->diff.headline,
                     "LEAK Loaded assemblies rose in every step, 9 → 34; their memory "
                     "outside the heap is not counted; LEAK static s_names: 9 → "
                     "34 String objects in 6 snapshots, +1000 B, 0.5 % of the heap");
    for (size_t k = 0; k < SNAPSHOTS; k++)
        hd_snapshot_close(snaps[k]);
    hd_report_free(r);
}
