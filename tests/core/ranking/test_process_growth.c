/* Detects parts of a process that keep growing, and derives findings from a series. */
#include "ranking/process_growth.h"

#include "heap/process_facts.h"
#include "owners/aligned.h"
#include "ranking/hints.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

/* --- the rule ---------------------------------------------------------------------- */

enum { MAX_SNAPSHOTS = 14 };

struct part_case {
    const char *what;
    enum hd_process_part part;
    uint64_t size, last_size;   /* KiB */
    uint64_t at[MAX_SNAPSHOTS]; /* KiB */
    size_t n;
    bool keeps_growing;
};

/* For a series of this length. */
static void expect_within(const struct part_case *c, double seconds)
{
    uint64_t at[MAX_SNAPSHOTS];
    for (size_t k = 0; k < c->n; k++)
        at[k] = c->at[k] * KIB;
    const struct process_ends ends = {c->size * KIB, c->last_size * KIB, seconds};
    cr_expect_eq(process_part_keeps_growing(c->part, at, c->n, &ends), c->keeps_growing,
                 "%s, %s", hd_process_part_name(c->part), c->what);
}

static void expect_case(const struct part_case *c)
{
    expect_within(c, NAN);
}

/* Programs with six snapshots, five seconds apart, from their start on. */
static const struct part_case recorded[] = {
    {"AllocHGlobal",
     HD_PART_NATIVE,
     59380,
     118404,
     {8504, 19148, 29572, 39204, 52620, 62040},
     6,
     true},
    {"malloc",
     HD_PART_NATIVE,
     63452,
     119188,
     {13732, 23996, 34568, 44564, 54352, 64344},
     6,
     true},
    {"strings for native code",
     HD_PART_NATIVE,
     60300,
     131856,
     {11188, 24240, 36868, 52568, 64860, 77156},
     6,
     true},
    {"malloc of many threads",
     HD_PART_NATIVE,
     58840,
     73288,
     {8944, 13484, 16132, 18280, 20552, 22304},
     6,
     true},
    {"threads",
     HD_PART_STACKS,
     56652,
     84320,
     {3184, 8176, 12860, 17712, 22440, 27096},
     6,
     true},
    {"mapped files",
     HD_PART_FILES,
     60284,
     113088,
     {36464, 46932, 57124, 66900, 77092, 86868},
     6,
     true},
    {"steady load",
     HD_PART_NATIVE,
     53312,
     59900,
     {3892, 4660, 5236, 5240, 5240, 5240},
     6,
     false},
    {"steady load",
     HD_PART_GC,
     53312,
     59900,
     {16287, 16606, 20526, 20526, 20526, 20526},
     6,
     false},
    {"steady load",
     HD_PART_FILES,
     53312,
     59900,
     {29980, 30684, 30684, 30684, 30684, 30684},
     6,
     false},
    {"native buffers that are freed",
     HD_PART_NATIVE,
     53300,
     63896,
     {4016, 4756, 5336, 5384, 8956, 8956},
     6,
     false},
    {"a server that starts",
     HD_PART_NATIVE,
     53916,
     64460,
     {3792, 4684, 8672, 8848, 8848, 8848},
     6,
     false},
    {"a server that starts",
     HD_PART_GC,
     53916,
     64460,
     {16570, 17239, 18106, 21254, 21254, 21254},
     6,
     false},
    {"a burst", HD_PART_GC, 52944, 86524, {16198, 2034, 0, 21594, 8268, 27474}, 6, false},
    {"a burst", HD_PART_FREE, 52944, 86524, {3, 6, 2869, 6, 19548, 6}, 6, false},
    {"large objects",
     HD_PART_FREE,
     57056,
     92368,
     {2817, 5001, 8216, 6558, 27209, 28496},
     6,
     false},
    {"pinned objects",
     HD_PART_FREE,
     59784,
     104768,
     {13475, 13996, 42468, 35038, 21447, 42186},
     6,
     false},
    {"objects that leak",
     HD_PART_FREE,
     56400,
     108784,
     {6, 7, 3163, 3137, 1452, 4440},
     6,
     false},
};

Test(process_growth, parts_of_recorded_programs)
{
    for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++)
        expect_case(&recorded[i]);
}

Test(process_growth, native_parts_rise_steadily_and_continue)
{
    static const struct part_case cases[] = {
        {"steady", 0, 51200, 0, {0, 5000, 10000, 15000}, 4, true},
        {"three snapshots", 0, 51200, 0, {0, 5000, 10000}, 3, false},
        {"two snapshots", 0, 51200, 0, {0, 50000}, 2, false},
        {"falls", 0, 51200, 0, {15000, 10000, 5000, 0}, 4, false},
        {"as large as at first", 0, 51200, 0, {5000, 9000, 9000, 5000}, 4, false},
        {"a start that slows down",
         0,
         51200,
         0,
         {10240, 30720, 43008, 53248, 58368, 62464},
         6,
         false},
        {"large at first, and steady then",
         0,
         51200,
         0,
         {0, 51200, 61440, 71680, 81920, 92160},
         6,
         true},
        {"later steps half of the earlier ones",
         0,
         51200,
         0,
         {0, 6000, 12000, 18000, 21000, 24000},
         6,
         true},
        {"a little less", 0, 51200, 0, {0, 6000, 12000, 18000, 20900, 23800}, 6, false},
        {"one flat step of five",
         0,
         51200,
         0,
         {0, 9000, 18000, 18000, 27000, 36000},
         6,
         false},
        {"one flat step of six",
         0,
         51200,
         0,
         {0, 9000, 18000, 18000, 27000, 36000, 45000},
         7,
         true},
        {"two flat steps of ten",
         0,
         51200,
         0,
         {0, 9000, 18000, 18000, 27000, 36000, 45000, 45000, 54000, 63000, 72000},
         11,
         false},
        {"two flat steps of eleven",
         0,
         51200,
         0,
         {0, 9000, 18000, 18000, 27000, 36000, 45000, 45000, 54000, 63000, 72000, 81000},
         12,
         true},
        {"swings", 0, 51200, 0, {10000, 30000, 15000, 40000, 20000, 50000}, 6, false},
        {"2 MiB", 0, 51200, 0, {0, 683, 1366, 2048}, 4, true},
        {"less than 2 MiB", 0, 51200, 0, {0, 683, 1366, 2047}, 4, false},
        {"less than 2 % of the process", 0, 512000, 0, {0, 3000, 6000, 9000}, 4, false},
        {"more than 2 % of the process", 0, 512000, 0, {0, 4000, 8000, 12000}, 4, true},
    };
    static const enum hd_process_part parts[] = {HD_PART_CODE, HD_PART_STACKS,
                                                 HD_PART_FILES, HD_PART_NATIVE};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
            struct part_case c = cases[i];
            c.part = parts[p];
            expect_case(&c);
        }
}

Test(process_growth, a_brief_series_has_to_show_more)
{
    static const struct part_case more = {
        "8 MiB", HD_PART_NATIVE, 51200, 0, {0, 2731, 5462, 8192}, 4, true};
    static const struct part_case less = {
        "less than 8 MiB", HD_PART_NATIVE, 51200, 0, {0, 2731, 5462, 8191}, 4, false};
    static const struct part_case enough = {
        "2 MiB", HD_PART_NATIVE, 51200, 0, {0, 683, 1366, 2048}, 4, true};
    expect_within(&more, 1);
    expect_within(&less, 9.9);
    expect_within(&enough, 10);
}

Test(process_growth, parts_of_the_collector_are_apart_and_large)
{
    static const struct part_case cases[] = {
        {"later half above the earlier one",
         0,
         60000,
         90000,
         {3000, 5000, 4000, 17000, 27000, 38000},
         6,
         true},
        {"falls in between",
         0,
         60000,
         90000,
         {3000, 5000, 4000, 20000, 17000, 48000},
         6,
         true},
        {"one of the later ones is smaller",
         0,
         60000,
         90000,
         {3000, 5000, 4000, 17000, 4900, 38000},
         6,
         false},
        {"the middle one is of no half",
         0,
         60000,
         90000,
         {3000, 5000, 1, 27000, 38000},
         5,
         true},
        {"less than 15 % of the process",
         0,
         60000,
         90000,
         {3000, 5000, 7000, 10000, 13000, 16000},
         6,
         false},
        {"slows down", 0, 60000, 90000, {3000, 5000, 19000, 27000, 28000, 29000}, 6, false},
        {"three snapshots", 0, 60000, 90000, {3000, 5000, 38000}, 3, false},
        {"less than 2 MiB of a small one", 0, 5000, 8000, {0, 300, 900, 1500}, 4, false},
    };
    static const enum hd_process_part parts[] = {HD_PART_FREE, HD_PART_GC};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
            struct part_case c = cases[i];
            c.part = parts[p];
            expect_case(&c);
        }
}

/* --- a series ---------------------------------------------------------------------- */

/* A snapshot with objects of this total size and the facts of a line; "": without facts. */
static void add(struct aligned *a, uint64_t objects, const char *line)
{
    struct hd_snapshot *snap = any_table(100);
    process_facts_parse(&snap->facts, line, strlen(line));
    snap->info.bytes = objects;
    aligned_add(a, snap);
}

/* Six snapshots: fact `f` is 10 MiB, plus 8 MiB in each step; objects grow by `objects`. */
static struct aligned growing(enum hd_fact f, uint64_t objects)
{
    enum { SNAPSHOTS = 6 };
    struct aligned a = {0};
    for (uint64_t k = 0; k < SNAPSHOTS; k++) {
        uint64_t grown = k * 8 * MIB, live = 5 * MIB + k * objects;
        bool is_managed = f == HD_FACT_FRAGMENTED || f == HD_FACT_OF_GC;
        struct hd_process_facts facts = {0};
        struct text t = {0};
        hd_fact_set(&facts, HD_FACT_RESIDENT, 100 * MIB + grown + k * objects);
        for (enum hd_fact g = HD_FACT_OF_GC; g <= HD_FACT_OF_SMALL; g++)
            hd_fact_set(&facts, g, 10 * MIB);
        hd_fact_set(&facts, HD_FACT_OF_GC,
                    15 * MIB + k * objects + (is_managed ? grown : 0));
        hd_fact_set(&facts, HD_FACT_FRAGMENTED, MIB);
        if (f != HD_FACT_OF_GC)
            hd_fact_set(&facts, f, (f == HD_FACT_FRAGMENTED ? MIB : 10 * MIB) + grown);
        process_facts_put(&facts, &t);
        add(&a, live, text_string(&t));
        text_free(&t);
    }
    return a;
}

static const struct hd_process_growth *growth_in(struct aligned *a)
{
    align(a, NULL);
    cr_assert_eq(a->series.usable_count, a->count);
    return process_growth_of(&a->series, &a->arena);
}

/* Four snapshots with these numbers of sockets. */
static bool sockets_are_opened(const uint64_t at[4])
{
    struct aligned a = {0};
    for (size_t k = 0; k < 4; k++) {
        struct hd_process_facts facts = {0};
        struct text t = {0};
        hd_fact_set(&facts, HD_FACT_RESIDENT, 100 * MIB);
        hd_fact_set(&facts, HD_FACT_SOCKETS, at[k]);
        hd_fact_set(&facts, HD_FACT_PIPES, 10);
        process_facts_put(&facts, &t);
        add(&a, MIB, text_string(&t));
        text_free(&t);
    }
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    bool is_opened = g->is_opened[HD_FACT_SOCKETS];
    cr_expect(!g->is_opened[HD_FACT_PIPES], "as many each time");
    cr_expect(!g->is_opened[HD_FACT_REGULAR], "unknown");
    aligned_free(&a);
    return is_opened;
}

Test(process_growth, descriptors_that_rise_in_each_step_are_opened)
{
    cr_expect(sockets_are_opened((uint64_t[]){40, 44, 46, 50}));
    cr_expect(!sockets_are_opened((uint64_t[]){40, 44, 46, 49}), "less than ten");
    cr_expect(!sockets_are_opened((uint64_t[]){40, 44, 44, 60}), "not in each step");
    cr_expect(!sockets_are_opened((uint64_t[]){404, 450, 470, 504}), "less than a quarter");
    cr_expect(!sockets_are_opened((uint64_t[]){60, 50, 46, 40}), "falls");
}

static bool is_hint(const char *id)
{
    for (size_t i = 0; i < hint_count; i++)
        if (hints[i].id != NULL && strcmp(hints[i].id, id) == 0)
            return true;
    return false;
}

Test(process_growth, part_that_grows_has_its_hint)
{
    static const struct {
        enum hd_fact fact;
        enum hd_process_part where;
        enum hd_fact within;
        const char *hint;
    } cases[] = {
        {HD_FACT_OF_ARENAS, HD_PART_NATIVE, HD_FACT_OF_ARENAS, "native-memory-grows"},
        {HD_FACT_OF_BRK, HD_PART_NATIVE, HD_FACT_OF_BRK, "native-memory-grows"},
        {HD_FACT_OF_LARGE, HD_PART_NATIVE, HD_FACT_OF_LARGE, "native-memory-grows"},
        {HD_FACT_OF_SMALL, HD_PART_NATIVE, HD_FACT_OF_SMALL, "native-memory-grows"},
        {HD_FACT_OF_STACKS, HD_PART_STACKS, HD_FACT_COUNT, "thread-never-ends"},
        {HD_FACT_OF_FILES, HD_PART_FILES, HD_FACT_COUNT, "mapped-files-kept"},
        {HD_FACT_OF_SHARED, HD_PART_FILES, HD_FACT_COUNT, "mapped-files-kept"},
        {HD_FACT_OF_CODE, HD_PART_CODE, HD_FACT_COUNT, "compiled-code-kept"},
        {HD_FACT_FRAGMENTED, HD_PART_FREE, HD_FACT_COUNT, "heap-fragmented"},
        {HD_FACT_OF_GC, HD_PART_GC, HD_FACT_COUNT, "collector-keeps"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct aligned a = growing(cases[i].fact, 0);
        const struct hd_process_growth *g = growth_in(&a);
        const char *name = hd_fact_name(cases[i].fact);
        cr_assert_not_null(g, "%s", name);
        cr_expect_eq(g->known, 6);
        cr_expect_eq(g->first, 0);
        cr_expect_eq(g->last, 5);
        cr_expect_eq(g->growth, (int64_t)(40 * MIB), "%s", name);
        cr_expect_eq(g->size[5], 140 * MIB);
        cr_expect_eq(g->explained, 0, "%s", name);
        cr_expect_eq(g->where, cases[i].where, "%s: %d", name, (int)g->where);
        cr_expect_eq(g->within, cases[i].within, "%s: %d", name, (int)g->within);
        cr_expect(g->is_outside, "%s", name);
        cr_assert_not_null(g->hint, "%s", name);
        cr_expect_str_eq(g->hint, cases[i].hint, "%s", name);
        cr_expect(is_hint(g->hint), "%s", g->hint);
        cr_expect_eq(g->parts[g->where][5] - g->parts[g->where][0], 40 * MIB);
        cr_expect_eq(g->threads[3], HD_UNKNOWN);
        aligned_free(&a);
    }
}

/* 8 MiB of native memory per step, with growing objects. */
Test(process_growth, growth_that_objects_explain_by_half_is_not_outside)
{
    static const struct {
        uint64_t objects;
        bool is_outside;
    } cases[] = {{0, true}, {7 * MIB, true}, {8 * MIB, false}, {20 * MIB, false}};
    for (size_t i = 0; i < 4; i++) {
        struct aligned a = growing(HD_FACT_OF_BRK, cases[i].objects);
        const struct hd_process_growth *g = growth_in(&a);
        cr_assert_not_null(g);
        cr_expect_eq(g->where, HD_PART_NATIVE);
        cr_expect_eq(g->is_outside, cases[i].is_outside, "%zu: %f", i, g->explained);
        cr_expect_float_eq(g->explained,
                           (double)cases[i].objects / (double)(cases[i].objects + 8 * MIB),
                           1e-9);
        aligned_free(&a);
    }
}

Test(process_growth, a_process_that_does_not_grow_has_no_finding)
{
    struct aligned a = {0};
    for (int k = 0; k < 5; k++)
        add(&a, 5 * MIB, "resident=100000000 of_gc=10000000 threads=7");
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->growth, 0);
    cr_expect(isnan(g->explained));
    cr_expect_eq(g->where, HD_PART_COUNT);
    cr_expect_not(g->is_outside);
    cr_expect_null(g->hint);
    cr_expect_eq(g->threads[4], 7);
    aligned_free(&a);
}

Test(process_growth, snapshots_without_a_size_are_left_out)
{
    struct aligned a = {0};
    add(&a, MIB, "threads=3");
    add(&a, MIB, "resident=50000000 of_gc=2000000 of_brk=10000000");
    add(&a, MIB, "");
    add(&a, MIB, "resident=60000000 of_gc=2000000 of_brk=20000000");
    add(&a, MIB, "resident=70000000 of_gc=2000000 of_brk=30000000");
    add(&a, MIB, "resident=80000000 of_gc=2000000 of_brk=40000000 threads=5");
    add(&a, MIB, "swapped=5");
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->known, 4);
    cr_expect_eq(g->first, 1);
    cr_expect_eq(g->last, 5);
    cr_expect_eq(g->growth, 30000000);
    cr_expect_eq(g->size[0], HD_UNKNOWN);
    cr_expect_eq(g->size[1], 50000000);
    cr_expect_eq(g->size[2], HD_UNKNOWN);
    cr_expect_eq(g->size[6], HD_UNKNOWN);
    cr_expect_eq(g->parts[HD_PART_NATIVE][2], HD_UNKNOWN);
    cr_expect_eq(g->parts[HD_PART_STACKS][3], HD_UNKNOWN);
    cr_expect_eq(g->threads[0], HD_UNKNOWN, "not one of those that are compared");
    cr_expect_eq(g->threads[5], 5);
    cr_expect_eq(g->where, HD_PART_NATIVE);
    cr_expect_eq(g->within, HD_FACT_OF_BRK);
    aligned_free(&a);
}

/* Facts of six snapshots that grow by 10 MB each; returns the finding. */
static const struct hd_process_growth *growth_of_six(struct aligned *a, const char *always,
                                                     const char *later, const char *part,
                                                     unsigned step)
{
    for (unsigned k = 0; k < 6; k++) {
        char facts[256];
        snprintf(facts, sizeof(facts), "resident=%u %s %s %s=%u", 50000000 + 10000000 * k,
                 always, k > 2 ? later : "", part, 1000000 + step * k);
        add(a, MIB, facts);
    }
    return growth_in(a);
}

Test(process_growth, the_remainder_is_native_only_if_all_else_is_known)
{
    static const struct {
        const char *always, *later;
        enum hd_process_part where;
    } all[] = {{"of_gc=2000000", "", HD_PART_NATIVE},
               {"gc_committed=2000000", "", HD_PART_NATIVE},
               {"", "", HD_PART_COUNT},
               {"", "of_gc=2000000", HD_PART_COUNT},
               {"of_gc=2000000", "of_files=9000000", HD_PART_COUNT},
               {"of_gc=2000000 of_files=9000000", "", HD_PART_NATIVE}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct aligned a = {0};
        const struct hd_process_growth *g =
            growth_of_six(&a, all[i].always, all[i].later, "of_brk", 10000000);
        cr_expect_eq(g->where, all[i].where, "%s, %s", all[i].always, all[i].later);
        cr_expect_eq(g->is_outside, all[i].where == HD_PART_NATIVE);
        aligned_free(&a);
    }
}

Test(process_growth, a_part_of_less_than_half_of_the_growth_is_not_it)
{
    for (unsigned step = 3000000; step <= 7000000; step += 4000000) {
        struct aligned a = {0};
        const struct hd_process_growth *g = growth_of_six(&a, "", "", "of_files", step);
        cr_expect_eq(g->where, HD_PART_FILES);
        cr_expect_eq(g->is_outside, step == 7000000);
        aligned_free(&a);
    }
}

Test(process_growth, one_known_size_cannot_be_compared)
{
    struct aligned a = {0};
    add(&a, MIB, "resident=50000000");
    add(&a, MIB, "");
    add(&a, MIB, "");
    cr_expect_null(growth_in(&a));
    aligned_free(&a);
    a = (struct aligned){0};
    add(&a, MIB, "resident=50000000");
    add(&a, MIB, "resident=90000000");
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->where, HD_PART_COUNT, "two do not show that it goes on");
    cr_expect_not(g->is_outside);
    aligned_free(&a);
}

Test(process_growth, part_that_one_snapshot_lacks_is_not_accused)
{
    struct aligned a = {0};
    add(&a, MIB, "resident=50000000 of_stacks=10000000");
    add(&a, MIB, "resident=60000000 of_stacks=20000000");
    add(&a, MIB, "resident=70000000");
    add(&a, MIB, "resident=80000000 of_stacks=40000000");
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_neq(g->where, HD_PART_STACKS);
    aligned_free(&a);
}

Test(process_growth, objects_of_unknown_size_explain_an_unknown_share)
{
    struct aligned a = {0};
    for (uint64_t k = 0; k < 6; k++) {
        char line[80];
        snprintf(line, sizeof(line), "resident=%llu of_brk=%llu",
                 (unsigned long long)(50 * MIB + k * 10 * MIB),
                 (unsigned long long)(k * 10 * MIB));
        add(&a, k == 3 ? HD_UNKNOWN : MIB, line);
    }
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->growth, (int64_t)(50 * MIB));
    cr_expect(isnan(g->explained));
    cr_expect_not(g->is_outside);
    aligned_free(&a);
}

/* Numbers from forged files. */
Test(process_growth, sizes_beyond_measure_are_cut)
{
    struct aligned a = {0};
    add(&a, MIB, "resident=0");
    add(&a, MIB, "resident=1");
    add(&a, MIB, "resident=9223372036854775808");
    add(&a, MIB, "resident=18446744073709551614 swapped=5");
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->growth, INT64_MAX);
    aligned_free(&a);
    a = (struct aligned){0};
    add(&a, MIB, "resident=18446744073709551614");
    add(&a, MIB, "resident=0");
    g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->growth, -INT64_MAX);
    aligned_free(&a);
}

/* Six snapshots; each number is MiB at first and in each step. */
struct made_parts {
    int objects[2], kept[2], fragmented[2], code[2], stacks[2], files[2], native[2];
};

static const struct hd_process_growth *growth_of_parts(struct aligned *a,
                                                       const struct made_parts *m)
{
    for (int k = 0; k < 6; k++) {
        struct hd_process_facts facts = {0};
        struct text t = {0};
        uint64_t size = 0, at[7];
        const int *all[] = {m->objects, m->kept,  m->fragmented, m->code,
                            m->stacks,  m->files, m->native};
        for (int i = 0; i < 7; i++) {
            at[i] = (uint64_t)(all[i][0] + k * all[i][1]) * MIB;
            size += at[i];
        }
        hd_fact_set(&facts, HD_FACT_RESIDENT, size);
        hd_fact_set(&facts, HD_FACT_OF_GC, at[0] + at[1] + at[2]);
        hd_fact_set(&facts, HD_FACT_FRAGMENTED, at[2]);
        hd_fact_set(&facts, HD_FACT_OF_CODE, at[3]);
        hd_fact_set(&facts, HD_FACT_OF_STACKS, at[4]);
        hd_fact_set(&facts, HD_FACT_OF_FILES, at[5]);
        hd_fact_set(&facts, HD_FACT_OF_BRK, at[6]);
        process_facts_put(&facts, &t);
        add(a, at[0], text_string(&t));
        text_free(&t);
    }
    return growth_in(a);
}

static void expect_parts(const char *what, const struct made_parts *m,
                         enum hd_process_part where, bool is_outside)
{
    struct aligned a = {0};
    const struct hd_process_growth *g = growth_of_parts(&a, m);
    cr_assert_not_null(g);
    cr_expect_eq(g->where, where, "%s: %d", what, (int)g->where);
    cr_expect_eq(g->is_outside, is_outside, "%s", what);
    cr_expect_not(g->is_undivided, "%s", what);
    aligned_free(&a);
}

Test(process_growth, objects_in_memory_of_the_collector_are_not_an_explanation)
{
    expect_parts(
        "kept memory",
        &(struct made_parts){.objects = {100, 8}, .kept = {200, -8}, .native = {100, 15}},
        HD_PART_NATIVE, true);
    expect_parts("free memory",
                 &(struct made_parts){
                     .objects = {100, 8}, .fragmented = {200, -8}, .native = {100, 10}},
                 HD_PART_NATIVE, true);
    expect_parts(
        "half of it",
        &(struct made_parts){.objects = {100, 20}, .kept = {200, -8}, .native = {100, 12}},
        HD_PART_NATIVE, false);
    expect_parts(
        "the collector keeps more besides",
        &(struct made_parts){.objects = {100, 20}, .kept = {20, 2}, .native = {100, 15}},
        HD_PART_NATIVE, false);
}

Test(process_growth, several_parts_are_added)
{
    expect_parts(
        "three",
        &(struct made_parts){
            .objects = {50, 0}, .stacks = {5, 10}, .files = {10, 11}, .native = {30, 10}},
        HD_PART_FILES, true);
    expect_parts("less than half",
                 &(struct made_parts){.objects = {50, 10},
                                      .kept = {10, 12},
                                      .stacks = {5, 4},
                                      .files = {400, 4},
                                      .native = {30, 5}},
                 HD_PART_NATIVE, false);
    expect_parts(
        "less than objects",
        &(struct made_parts){.objects = {50, 22}, .stacks = {5, 10}, .native = {30, 10}},
        HD_PART_STACKS, false);
}

Test(process_growth, part_may_grow_while_the_collector_shrinks)
{
    expect_parts(
        "shrinks",
        &(struct made_parts){.objects = {2, 0}, .kept = {150, -22}, .native = {20, 20}},
        HD_PART_NATIVE, true);
    expect_parts(
        "as large",
        &(struct made_parts){.objects = {2, 0}, .kept = {150, -20}, .native = {20, 20}},
        HD_PART_NATIVE, true);
    expect_parts(
        "objects in place of files",
        &(struct made_parts){.objects = {2, 30}, .files = {300, -40}, .native = {20, 10}},
        HD_PART_NATIVE, false);
    expect_parts(
        "space that moves within the collector's memory",
        &(struct made_parts){.objects = {2, 0}, .kept = {150, -22}, .fragmented = {2, 20}},
        HD_PART_FREE, false);
}

static void expect_undivided(bool wanted, const char *first, const char *last, int step)
{
    struct aligned a = {0};
    for (int k = 0; k < 6; k++) {
        char facts[256];
        snprintf(facts, sizeof(facts), "resident=%d %s", 60000000 + step * k,
                 k < 4 ? first : last);
        add(&a, MIB, facts);
    }
    const struct hd_process_growth *g = growth_in(&a);
    cr_assert_not_null(g);
    cr_expect_eq(g->is_undivided, wanted, "%s, %s, %d", first, last, step);
    cr_expect_not(g->is_outside);
    aligned_free(&a);
}

#define ALL "of_gc=9000000 of_code=5000000 of_stacks=1000000 of_files=10000000"

Test(process_growth, undivided_growth_is_reported)
{
    expect_undivided(true, "private=30000000", "private=30000000", 10000000);
    expect_undivided(true, ALL, "", 10000000);
    expect_undivided(true, ALL " gc_committed=9000000", "gc_committed=9000000", 10000000);
    expect_undivided(false, "", "", 100000);
    expect_undivided(false, "", "", 0);
    expect_undivided(false, "", "", -1000000);
}

Test(process_growth, growth_that_slows_down_or_that_objects_explain_is_not_undivided)
{
    static const uint64_t slows[] = {60, 90, 105, 110, 112, 113};
    struct aligned a = {0}, b = {0}, c = {0};
    for (uint64_t k = 0; k < 6; k++) {
        char facts[64];
        snprintf(facts, sizeof(facts), "resident=%llu",
                 (unsigned long long)(slows[k] * MIB));
        add(&a, MIB, facts);
        snprintf(facts, sizeof(facts), "resident=%llu",
                 (unsigned long long)((60 + 10 * k) * MIB));
        add(&b, (1 + 6 * k) * MIB, facts);
        if (k < 3)
            add(&c, MIB, facts);
    }
    cr_expect_not(growth_in(&a)->is_undivided, "slows down");
    cr_expect_not(growth_in(&b)->is_undivided, "objects");
    cr_expect_not(growth_in(&c)->is_undivided, "three");
    aligned_free(&a);
    aligned_free(&b);
    aligned_free(&c);
}
