#include "render/written.h"
#include "report/phrases.h"

#include <math.h>

/* --- a report of nothing but what a summary is made of ---------------------------- */

enum { MAX_SNAPSHOTS = 12 };

struct made {
    struct hd_report r;
    struct hd_snapshot_facts snapshots[MAX_SNAPSHOTS];
    struct hd_tally totals[MAX_SNAPSHOTS], at[MAX_SNAPSHOTS], subject_at[MAX_SNAPSHOTS];
    uint64_t counts[MAX_SNAPSHOTS];
    struct hd_suspect suspects[4], below_threshold[1];
    struct hd_type_row rows[1];
    struct hd_no_match unmatched;
    struct hd_warning warnings[1];
    const char *holder[2];
    struct hd_chain_row chain;
};

static void tell_types(struct made *m, uint64_t first, uint64_t last)
{
    size_t n = m->r.snapshot_count;
    for (size_t k = 0; k < n; k++) {
        m->at[k] = (struct hd_tally){first + (last - first) * k / (n - 1), 100 * k};
        m->counts[k] = m->at[k].count;
    }
}

/* App.Order, 0 to 600, in this number of snapshots: a third of the heap, held by s_orders.
 * Further suspects have the same numbers. */
static struct made *make(size_t snapshots, size_t suspects)
{
    static const char *const titles[] = {"App.Order", "App.Bill", "App.Parcel"};
    struct made *m = calloc(1, sizeof(*m));
    struct hd_diff *d = &m->r.diff;
    m->r.kind = HD_REPORT_DIFF;
    m->r.options = hd_default_options();
    m->r.snapshots = m->snapshots;
    m->r.snapshot_count = snapshots;
    tell_types(m, 0, 600);
    m->holder[0] = "[static vars]";
    m->holder[1] = "[static var App.Shop.s_orders]";
    for (size_t i = 0; i < 3; i++)
        m->suspects[i] = (struct hd_suspect){.rank = i + 1,
                                             .type = "App.Order",
                                             .title = titles[i],
                                             .basis = HD_BASIS_GRAPH,
                                             .suspicion = HD_SUSPECT_SIZE,
                                             .at = m->at,
                                             .counted = titles[i],
                                             .counts = m->counts,
                                             .more = 2048,
                                             .more_share = 1.0 / 3,
                                             .per_iteration = HD_UNKNOWN,
                                             .holder = m->holder,
                                             .holder_len = 2};
    for (size_t k = 0; k < snapshots; k++)
        m->totals[k] = (struct hd_tally){6000, 3 * m->at[k].bytes};
    d->suspects = m->suspects;
    d->suspect_count = suspects;
    d->usable_count = snapshots;
    d->confidence = HD_CONFIDENCE_HIGH;
    d->by_graph = true;
    d->types.bytes_known = true;
    d->types.totals = m->totals;
    d->growth.explained = NAN;
    m->r.found.diff.suspect_count = suspects;
    m->r.found.diff.types.rows = m->rows;
    return m;
}

/* The confidence and its reason. Lives as long as m. */
static const char *confidence_of(struct made *m)
{
    for (size_t i = 0; i < m->r.summary.fact_len; i++)
        if (strcmp(m->r.summary.facts[i].label, "confidence") == 0)
            return m->r.summary.facts[i].text;
    return "";
}

static void drop(struct made *m)
{
    arena_free(&m->r.arena);
    free(m);
}

/* Expects the verdict, and the confidence if wanted; frees m. */
static void expect_both(struct made *m, enum hd_severity severity, const char *wanted,
                        const char *confidence)
{
    report_summarize(&m->r);
    cr_expect_str_eq(m->r.diff.headline, wanted, "%s", m->r.diff.headline);
    cr_expect_eq(m->r.summary.severity, severity, "%s", wanted);
    if (confidence != NULL)
        cr_expect_str_eq(confidence_of(m), confidence, "%s: %s", wanted, confidence_of(m));
    drop(m);
}

static void expect_words(struct made *m, enum hd_severity severity, const char *wanted)
{
    expect_both(m, severity, wanted, NULL);
}

#define ORDERS "App.Order: 0 → 600 objects in 6 snapshots, +2.00 KiB, 33 % of the heap"
#define LEAK "LEAK " ORDERS
#define HELD ", kept alive by static s_orders"
#define BRIEFLY ": 0 → 600 objects, +2.00 KiB (33 %), held by static s_orders"
#define BRIEF "Order" BRIEFLY
#define BILL "LEAK Bill" BRIEFLY
#define PARCEL "LEAK Parcel" BRIEFLY

/* --- suspects ------------------------------------------------------------------------ */

Test(summary, one_suspect_is_a_sentence)
{
    expect_both(make(6, 1), HD_SEVERITY_BAD, LEAK HELD,
                "high: 6 snapshots, +120 objects in every step");
}

Test(summary, each_of_several_leaks_has_a_line_and_the_fourth_is_counted)
{
    expect_words(make(6, 2), HD_SEVERITY_BAD, "LEAK " BRIEF "; " BILL);
    expect_words(make(6, 3), HD_SEVERITY_BAD, "LEAK " BRIEF "; " BILL "; " PARCEL);
    struct made *m = make(6, 3);
    m->r.diff.suspect_count = 3;
    m->suspects[3] = m->suspects[0];
    m->suspects[3].title = "App.Letter";
    m->r.diff.suspect_count = 4;
    expect_words(m, HD_SEVERITY_BAD, "LEAK " BRIEF "; " BILL "; " PARCEL "; and 1 more");
}

static const char *also_of(struct made *m)
{
    for (size_t i = 0; i < m->r.summary.fact_len; i++)
        if (strcmp(m->r.summary.facts[i].label, "also") == 0)
            return m->r.summary.facts[i].text;
    return "";
}

/* The chain to App.Bill leads through an App.Order. */
Test(summary, what_each_object_of_a_leak_holds_has_no_line_of_its_own)
{
    struct hd_frame frames[] = {{.types = {"App.Order"}, .type_count = 1},
                                {.types = {"App.Bill"}, .type_count = 1}};
    struct hd_chain_row row = {
        .chain = {.frames = frames, .frame_count = 2, .owner_frame = SIZE_MAX, .share = 1}};
    uint64_t others[] = {0, 130, 240, 360, 480, 600};
    for (size_t i = 0; i < 5; i++) {
        struct made *m = make(6, 2);
        m->suspects[1].chains = (struct hd_chains){.all = &row, .len = i != 0};
        if (i == 2)
            m->suspects[1].counts = others;
        if (i == 3)
            m->suspects[0].title = frames[0].types[0] = "[static var App.Shop.s_orders]";
        if (i == 4) /* a single owner */
            m->suspects[0].title = frames[0].types[0] = "App.Shop";
        report_summarize(&m->r);
        cr_expect_eq(m->r.summary.verdict_len, i == 1 ? 1 : 2, "%zu", i);
        cr_expect_str_eq(also_of(m), i == 1 ? "App.Bill in each App.Order" : "");
        drop(m);
    }
}

Test(summary, the_same_objects_in_two_places_are_one_leak)
{
    struct made *m = make(6, 2);
    m->suspects[1].title = m->suspects[1].counted = "App.Order";
    expect_words(m, HD_SEVERITY_BAD, LEAK HELD);
    m = make(6, 2); /* two fields */
    m->suspects[1].title = "App.Order";
    report_summarize(&m->r);
    cr_expect_eq(m->r.summary.verdict_len, 2);
    drop(m);
}

Test(summary, two_or_three_snapshots_show_no_leak)
{
    expect_both(make(2, 1), HD_SEVERITY_UNSURE,
                "UNSURE Two snapshots cannot tell a leak from warm-up: take four or more, "
                "under the same load.; GREW App.Order: 0 → 600 objects between 2 "
                "snapshots, +2.00 KiB, 33 % of the heap" HELD,
                "high: 2 snapshots");
    expect_words(make(3, 1), HD_SEVERITY_UNSURE,
                 "UNSURE Three snapshots cannot tell a leak from warm-up: take four or "
                 "more, under the same load.; GREW App.Order: 0 → 600 objects in 3 "
                 "snapshots, +2.00 KiB, 33 % of the heap" HELD);
}

/* Snapshots of different programs are compared, but prove nothing. */
Test(summary, low_confidence_is_not_a_leak)
{
    struct made *m = make(6, 1);
    m->r.diff.confidence = HD_CONFIDENCE_LOW;
    expect_words(m, HD_SEVERITY_UNSURE,
                 "UNSURE These snapshots may not be comparable; what follows grew from one "
                 "to the next.; GREW " ORDERS HELD);
}

Test(summary, the_next_step_has_a_command)
{
    struct made *m = make(6, 1);
    m->suspects[0].hint = "timer-not-disposed";
    report_summarize(&m->r);
    cr_assert_eq(m->r.summary.verdict_len, 2);
    cr_expect_str_eq(m->r.summary.verdict[1].label, "FIX");
    cr_expect_str_eq(m->r.summary.verdict[1].command,
                     "heapdrift help hint timer-not-disposed");
    cr_expect_str_eq(m->r.diff.headline, LEAK HELD);
    drop(m);
    m = make(2, 1); /* not known to leak */
    m->suspects[0].hint = "timer-not-disposed";
    report_summarize(&m->r);
    cr_assert_eq(m->r.summary.verdict_len, 2);
    cr_expect_str_eq(m->r.summary.verdict[1].label, "GREW");
    drop(m);
}

Test(summary, the_next_step_is_below_its_leak)
{
    struct made *m = make(6, 2);
    m->suspects[0].hint = m->suspects[1].hint = "timer-not-disposed";
    report_summarize(&m->r);
    cr_assert_eq(m->r.summary.verdict_len, 3);
    cr_expect_str_eq(m->r.summary.verdict[1].label, "FIX");
    cr_expect_str_eq(m->r.summary.verdict[2].label, "LEAK");
    drop(m);
    m = make(6, 2); /* unknown for the first suspect; that of the second is irrelevant */
    m->suspects[1].hint = "timer-not-disposed";
    report_summarize(&m->r);
    cr_assert_eq(m->r.summary.verdict_len, 2);
    drop(m);
}

/* Threads of a leaked telemetry configuration have no line of their own. */
Test(summary, growth_with_a_known_cause_is_not_a_second_leak)
{
    struct hd_tally threads[MAX_SNAPSHOTS];
    struct hd_native_memory native_memory = {.type = "System.Threading.Thread",
                                             .what = "threads",
                                             .at = threads,
                                             .first = 20,
                                             .last = 620,
                                             .is_undecided = true};
    static const struct {
        const char *hint;
        uint64_t more;
        size_t lines;
    } all[] = {{"telemetry-configuration-per-call", 0, 2}, /* LEAK, FIX */
               {"telemetry-configuration-per-call", 1, 2}, /* two LEAKs */
               {"static-collection", 0, 2}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct made *m = make(6, 1);
        for (size_t k = 0; k < 6; k++)
            threads[k] = (struct hd_tally){20 + m->counts[k] + (k == 3) * all[i].more, 0};
        m->suspects[0].suspicion = HD_SUSPECT_STEADY;
        m->suspects[0].hint = all[i].hint;
        m->r.diff.native_memory = &native_memory;
        m->r.diff.native_memory_count = 1;
        report_summarize(&m->r);
        cr_assert_eq(m->r.summary.verdict_len, all[i].lines, "case %zu", i);
        cr_expect_eq(strstr(m->r.summary.verdict[0].text, "Threads rose") == NULL, i == 0,
                     "case %zu: %s", i, m->r.summary.verdict[0].text);
        drop(m);
    }
}

/* 2026-11-23 14:05:59 UTC; seconds are dropped. */
Test(summary, late_growth_has_its_start)
{
    static const size_t of[] = {0, 1, 2, 3, 4, 5};
    static const uint64_t none[21] = {0};
    struct hd_cohorts cohorts = {
        .count = 6, .snapshot = of, .at = none, .accumulates = true, .since = 2};
    struct made *m = make(6, 1);
    m->suspects[0].cohorts = &cohorts;
    m->suspects[0].suspicion = HD_SUSPECT_AGE;
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Order: 0 → 600 objects in 6 snapshots, since snapshot 3, "
                 "+2.00 KiB, 33 % of the heap" HELD);
    m = make(6, 1);
    m->suspects[0].cohorts = &cohorts;
    m->snapshots[2].clock_is_date = true;
    m->snapshots[2].clock = 1795442759;
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Order: 0 → 600 objects in 6 snapshots, since snapshot 3 (14:05 "
                 "UTC), +2.00 KiB, 33 % of the heap" HELD);
    m = make(6, 1);
    cohorts.accumulates = false;
    m->suspects[0].cohorts = &cohorts;
    expect_words(m, HD_SEVERITY_BAD, LEAK HELD);
}

/* In less than a minute it would be guesswork. */
Test(summary, the_growth_of_the_heap_has_its_rate_where_times_are_known)
{
    struct made *m = make(6, 1);
    for (size_t k = 0; k < 6; k++) {
        m->snapshots[k].clock = 1795442759 + (double)k * 120;
        m->snapshots[k].clock_is_date = true;
        m->totals[k] = (struct hd_tally){.count = 1, .bytes = (k + 1) << 20};
    }
    report_summarize(&m->r);
    cr_assert_gt(m->r.summary.fact_len, 0);
    const char *heap = m->r.summary.facts[0].text;
    cr_expect(strstr(heap, "+5.00 MiB (+30.0 MiB/h)") != NULL, "%s", heap);
    m->snapshots[5].clock = m->snapshots[0].clock + 59;
    report_summarize(&m->r);
    heap = m->r.summary.facts[0].text;
    cr_expect(strstr(heap, "/h)") == NULL, "%s", heap);
    drop(m);
}

Test(summary, an_exact_rate_is_given)
{
    struct made *m = make(6, 1);
    m->suspects[0].per_iteration = 20;
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Order: 0 → 600 objects in 6 snapshots, exactly 20 per "
                 "iteration, +2.00 KiB, 33 % of the heap" HELD);
}

/* The title is the suspect's; a different counted type is named. */
Test(summary, a_number_belongs_to_the_name_next_to_it)
{
    struct made *m = make(6, 1);
    m->suspects[0].title = "App.Cart";
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Cart: 0 → 600 Order objects in 6 snapshots, +2.00 KiB, 33 % of "
                 "the heap" HELD);
    m = make(6, 1);
    m->suspects[0].title = "[static var App.Shop.s_orders]";
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK static s_orders: 0 → 600 Order objects in 6 snapshots, +2.00 KiB, "
                 "33 % of the heap");
    m = make(6, 1); /* not "Object objects" */
    m->suspects[0].title = "App.Cart";
    m->suspects[0].counted = "System.Object";
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Cart: 0 → 600 objects in 6 snapshots, +2.00 KiB, 33 % of the "
                 "heap" HELD);
}

/* A single array that is replaced by larger ones: 0, 1, 1, 1. */
Test(summary, growth_in_size_is_not_reported_as_more_objects)
{
    struct made *m = make(6, 1);
    tell_types(m, 3, 3);
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Order: 3 objects that grow in 6 snapshots, +2.00 KiB, 33 % of "
                 "the heap" HELD);
    m = make(6, 1);
    tell_types(m, 1, 1);
    m->counts[0] = 0;
    expect_words(m, HD_SEVERITY_BAD,
                 "LEAK App.Order: 1 object that grows in 6 snapshots, +2.00 KiB, 33 % of "
                 "the heap" HELD);
}

Test(summary, steps_are_described_by_their_evenness)
{
    struct made *m = make(6, 1);
    m->counts[3] += 20;
    expect_both(m, HD_SEVERITY_BAD, LEAK HELD,
                "high: 6 snapshots, +100–140 objects in every step");
    m = make(6, 1);
    m->counts[3] = 100;
    expect_both(m, HD_SEVERITY_BAD, LEAK HELD, "high: 6 snapshots, grew in 4 of 5 steps");
}

/* --- what holds it ------------------------------------------------------------------- */

static struct made *held(double share, enum hd_basis basis)
{
    struct made *m = make(6, 1);
    m->suspects[0].basis = basis;
    m->chain.chain.share = share;
    m->chain.chain.owner_frame = HD_NO_OWNER;
    m->chain.chain.kind = HD_ROOT_STACK;
    m->suspects[0].chains = (struct hd_chains){.all = &m->chain, .len = 1};
    return m;
}

Test(summary, a_holder_is_named_as_far_as_it_holds)
{
    expect_words(held(1, HD_BASIS_GRAPH), HD_SEVERITY_BAD, LEAK HELD);
    expect_words(held(0.7, HD_BASIS_GRAPH), HD_SEVERITY_BAD,
                 LEAK ", mostly kept alive by static s_orders");
    expect_words(held(0.3, HD_BASIS_GRAPH), HD_SEVERITY_BAD,
                 LEAK ", kept alive through several paths");
    expect_words(held(1, HD_BASIS_TYPE), HD_SEVERITY_BAD, LEAK HELD);
    expect_words(held(0.8, HD_BASIS_TYPE), HD_SEVERITY_BAD,
                 LEAK ", kept alive by different owners over time");
    /* Each place in a list of several classes has its own chain; the owner is the same. */
    struct made *m = held(0.03, HD_BASIS_GRAPH);
    m->suspects[0].chains.owner_share = 1;
    expect_words(m, HD_SEVERITY_BAD, LEAK HELD);
}

Test(summary, without_a_variable_it_is_a_class_of_the_program_or_the_kind_of_root)
{
    struct hd_frame frames[] = {
        {.types = {"[local vars]"}, .type_count = 1},
        {.types = {"App.Innocent"}, .type_count = 1, .is_program = true},
        {.types = {"App.Cache"}, .type_count = 1, .is_program = true},
        {.types = {"App.Order[]"}, .type_count = 1, .is_program = true},
        {.types = {"App.Order"}, .type_count = 1, .is_program = true}};
    struct made *m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    expect_words(m, HD_SEVERITY_BAD, LEAK ", kept alive by a local variable");
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = 5;
    expect_words(m, HD_SEVERITY_BAD, LEAK ", kept alive by Cache");
    /* Frames above the owner are innocent. */
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = 5;
    m->chain.chain.owner_frame = 3;
    m->chain.chain.owner = "Lib.MemoryCache";
    m->chain.chain.service = HD_SERVICE_SINGLETON;
    expect_words(m, HD_SEVERITY_BAD, LEAK ", kept alive by singleton MemoryCache");
    /* Not "App.Cache: 0 → 600 Order objects, kept alive by Cache". */
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->suspects[0].title = "App.Cache";
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = 5;
    expect_words(
        m, HD_SEVERITY_BAD,
        "LEAK App.Cache: 0 → 600 Order objects in 6 snapshots, +2.00 KiB, 33 % of the "
        "heap");
}

/* A hint is more specific than the kind of root or a class of the framework, and less than
 * a variable or a class of the program. */
Test(summary, a_hint_knows_the_holder_where_names_do_not)
{
    struct made *m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].holder_len = 1;
    m->suspects[0].hint = "timer-not-disposed";
    expect_words(m, HD_SEVERITY_BAD, LEAK ", kept alive by timers");
    m = held(0.8, HD_BASIS_TYPE);
    m->suspects[0].hint = "timer-not-disposed";
    expect_words(m, HD_SEVERITY_BAD, LEAK ", kept alive by timers");
    m = held(1, HD_BASIS_GRAPH);
    m->suspects[0].hint = "timer-not-disposed";
    expect_words(m, HD_SEVERITY_BAD, LEAK HELD);
}

/* --- no leak ------------------------------------------------------------------------- */

#define NONE "NO LEAK FOUND in 6 snapshots"
#define OPEN "UNSURE No leak found in 6 snapshots, but one cannot be ruled out"

Test(summary, the_all_clear_is_plain_only_without_doubts)
{
    expect_both(make(6, 0), HD_SEVERITY_GOOD, NONE, "high");
    struct made *m = make(6, 0);
    m->r.diff.would_show = (struct hd_power){5, 1536, HD_UNKNOWN, HD_UNKNOWN, HD_UNKNOWN};
    expect_both(m, HD_SEVERITY_GOOD, NONE,
                "high for leaks above 1.50 KiB (2 % of the heap); slower leaks need a "
                "longer run");
}

static void add_below_threshold(struct made *m, double share)
{
    m->below_threshold[0] = m->suspects[0];
    m->below_threshold[0].more_share = share;
    m->r.found.diff.below_threshold = m->below_threshold;
    m->r.found.diff.below_threshold_count = 1;
}

Test(summary, growth_below_the_threshold_is_mentioned)
{
    struct made *m = make(6, 0);
    add_below_threshold(m, 0.001);
    expect_words(m, HD_SEVERITY_GOOD, NONE);
    m = make(6, 0);
    add_below_threshold(m, 0.01);
    expect_words(m, HD_SEVERITY_GOOD, "NO LEAK FOUND above 2 % of the heap in 6 snapshots");
    m = make(2, 0);
    add_below_threshold(m, 0.001);
    expect_words(m, HD_SEVERITY_UNSURE,
                 "UNSURE No leak found above 2 % of the heap between 2 snapshots, but one "
                 "cannot be ruled out");
}

/* A list of structs is one array, which doubles now and then. */
Test(summary, a_single_array_that_grows_is_named)
{
    static const uint64_t retained[] = {1 << 20, 1 << 20, 2 << 20,
                                        2 << 20, 2 << 20, 4 << 20};
    static const uint64_t one[] = {1, 1, 1, 1, 1, 1}, two[] = {1, 1, 1, 1, 1, 2};
    static const struct {
        const uint64_t *held;
        int64_t more, rest;
        const char *said;
    } all[] = {{one, 3 << 20, 5 << 20,
                "UNSURE App.Log: one Byte[] grew, 1.00 MiB → 4.00 MiB, which is most of "
                "the growth: "
                "take more snapshots, further apart."},
               {one, 3 << 20, 7 << 20,
                "UNSURE Unexplained growth: 40 % of the heap; take more snapshots, further "
                "apart."},
               {two, 3 << 20, 5 << 20,
                "UNSURE Unexplained growth: 40 % of the heap; take more snapshots, further "
                "apart. Most is App.Log, +3.00 MiB."}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct made *m = make(6, 0);
        add_below_threshold(m, 0.01);
        m->below_threshold[0].type = "System.Byte[]";
        m->below_threshold[0].title = "App.Log";
        m->below_threshold[0].held = (uint64_t *)all[i].held;
        m->below_threshold[0].retained = (uint64_t *)retained;
        m->below_threshold[0].more = all[i].more;
        m->r.diff.growth.rest = all[i].rest;
        m->r.diff.growth.is_open = true;
        m->r.diff.growth.open_share = 0.4;
        expect_words(m, HD_SEVERITY_UNSURE, all[i].said);
    }
}

/* --- the way from its root ------------------------------------------------------------ */

/* Expects the path of a chain of these frames, with its owner at a frame. */
static void expect_path(const char *const types[], size_t owner, const char *wanted)
{
    enum { FRAMES = 10 };
    struct hd_frame frames[FRAMES] = {0};
    struct made *m = held(1, HD_BASIS_GRAPH);
    size_t n = 0;
    for (; types[n] != NULL; n++)
        frames[n] = (struct hd_frame){.types = {types[n]},
                                      .type_count = 1,
                                      .is_program = strncmp(types[n], "App.", 4) == 0};
    m->chain.status = HD_CHAIN_GROWING;
    m->chain.chain.frames = frames;
    m->chain.chain.frame_count = n;
    m->chain.chain.owner_frame = owner;
    if (owner != HD_NO_OWNER)
        m->chain.chain.owner = types[owner];
    report_summarize(&m->r);
    for (size_t i = 0; i < m->r.summary.fact_len; i++)
        if (strcmp(m->r.summary.facts[i].label, "path") == 0)
            cr_expect_str_eq(m->r.summary.facts[i].text, wanted);
    drop(m);
}

Test(summary, a_path_shows_where_one_becomes_many_and_its_owner)
{
    expect_path((const char *[]){"[local vars]", "App.Host", "Lib.Hub", "Lib.Table",
                                 "App.Rows", "Lib.Entry[]", "App.Order", NULL},
                2, "a local variable → … → Hub → … → Rows → Entry[] → Order");
    /* Frames above the owner are left out. */
    expect_path((const char *[]){"[local vars]", "App.Host", "App.Hub", "App.Order", NULL},
                2, "a local variable → … → Hub → Order");
    /* As many as fit; always the root and the end. */
    expect_path((const char *[]){"[local vars]", "Lib.AVeryLongNameOfSomethingThatHasAll",
                                 "Lib.AnotherVeryLongNameOfAnEntry[]", "App.Order", NULL},
                HD_NO_OWNER,
                "a local variable → AVeryLongNameOfSomethingThatHasAll → … → Order");
}

/* Reasons for uncertainty, alone and with a suspect. */
static void change(struct made *m, int what)
{
    struct hd_diff *d = &m->r.diff;
    switch (what) {
    case 0:
        d->growth.is_open = d->growth.unexplained = true;
        d->growth.open_share = 0.4;
        break;
    case 1:
        d->growth.has_leveled_off = true;
        d->growth.leveled_off_share = 0.12;
        break;
    case 2:
        d->hidden_count = 2;
        break;
    case 3:
        d->usable_count = 5;
        break;
    case 4:
        m->snapshots[2].info.sampled = true;
        break;
    case 5:
        d->confidence = HD_CONFIDENCE_MEDIUM;
        break;
    case 6:
        d->by_graph = false;
        break;
    case 7:
        m->r.options.gen2 = true;
        break;
    case 8:
        m->r.options.reachable = true;
        break;
    case 9:
        m->warnings[0].code = "different-process";
        m->r.warnings = m->warnings;
        m->r.warning_count = 1;
        break;
    default:
        d->growth.known = d->growth.unexplained = true;
        d->growth.suspects = 2048;
        d->growth.rest = 4096;
        break;
    }
}

Test(summary, every_doubt_is_mentioned)
{
    static const struct {
        const char *headline, *confidence;
    } told[] = {
        {"UNSURE Unexplained growth: 40 % of the heap; take more snapshots, further apart.",
         "high: part of the growth is unexplained"},
        {"UNSURE Nothing is growing now. The heap grew by 12 %, then leveled off: a full "
         "cache, or load that stopped?",
         "high: what leveled off may grow again under load"},
        {"UNSURE 2 suspects are hidden by --type, --exclude or --app-only.",
         "high: some suspects are hidden"},
        {"UNSURE No leak found in 5 snapshots, but one cannot be ruled out",
         "high; 1 of 6 snapshots could not be compared"},
        {OPEN, "high; counts are estimates from a sample"},
        {OPEN, "medium"},
        {OPEN, "high; without references the holders are unknown"},
        {OPEN, "high; only gen2, LOH, POH and frozen segments count"},
        {OPEN, "high; only reachable objects count"},
        {OPEN, "high; the snapshots are not of one process"}};
    for (size_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
        struct made *m = make(6, 0);
        change(m, (int)i);
        expect_both(m, HD_SEVERITY_UNSURE, told[i].headline, told[i].confidence);
    }
}

Test(summary, doubts_are_shown_with_a_suspect)
{
#define STEADY "6 snapshots, +120 objects in every step"
    static const struct {
        int what;
        const char *confidence;
    } all[] = {{4, "high: " STEADY "; counts are estimates from a sample"},
               {5, "medium: " STEADY},
               {9, "high: " STEADY "; the snapshots are not of one process"}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct made *m = make(6, 1);
        change(m, all[i].what);
        expect_both(m, HD_SEVERITY_BAD, LEAK HELD, all[i].confidence);
    }
}

/* Growth outside of all suspects is given after that of the heap. */
Test(summary, unexplained_growth_is_reported_with_a_suspect)
{
    struct made *m = make(6, 1);
    change(m, 10);
    report_summarize(&m->r);
    expect_part(m->r.summary.facts[0].text, "leak +2.00 KiB, unexplained +4.00 KiB");
    drop(m);
}

Test(summary, doubts_are_listed_together)
{
    struct made *m = make(3, 0);
    change(m, 4);
    change(m, 7);
    expect_both(m, HD_SEVERITY_UNSURE,
                "UNSURE No leak found in 3 snapshots, but one cannot be ruled out",
                "high: 3 snapshots cannot tell a leak from warm-up: take four or more; "
                "counts are estimates from a sample; only gen2, LOH, POH and frozen "
                "segments count");
}

/* Four are enough with survivors from GC events. */
Test(summary, four_snapshots_may_miss_a_slow_leak)
{
    struct made *m = make(4, 0);
    expect_both(m, HD_SEVERITY_UNSURE,
                "UNSURE No leak found in 4 snapshots, but one cannot be ruled out",
                "high; a slow leak may not show in 4 snapshots: take six");
    m = make(4, 0);
    m->r.diff.identity = HD_SAME_BY_EVENTS;
    expect_words(m, HD_SEVERITY_GOOD, "NO LEAK FOUND in 4 snapshots");
    expect_words(make(5, 0), HD_SEVERITY_GOOD, "NO LEAK FOUND in 5 snapshots");
}

Test(summary, an_undecided_series_is_not_an_all_clear)
{
    struct made *m = make(2, 0);
    m->r.diff.usable_count = 1;
    expect_words(m, HD_SEVERITY_UNSURE,
                 "UNSURE Fewer than two of the snapshots can be compared.");
    m = make(6, 0);
    m->unmatched = (struct hd_no_match){"Ordre", "App.Order"};
    m->r.diff.no_match = &m->unmatched;
    expect_words(m, HD_SEVERITY_UNSURE,
                 "UNSURE No type matches Ordre; did you mean App.Order?");
}

Test(summary, growth_that_cannot_be_followed_has_its_reason)
{
    struct made *m = make(6, 1);
    m->r.diff.undecided = &m->suspects[0];
    m->r.diff.suspect_count = m->r.found.diff.suspect_count = 0;
    expect_both(m, HD_SEVERITY_UNSURE,
                "UNSURE App.Order rose in every step, 0 → 600, and may leak: take more "
                "snapshots.",
                "high: what grew may be a leak");
}

/* --- units and tables ---------------------------------------------------------------- */

Test(summary, rows_may_be_other_things_than_types)
{
    static const struct {
        enum hd_unit by;
        const char *title, *told;
    } units[] = {
        {HD_BY_NAMESPACE, "App.Shop",
         "LEAK namespace App.Shop: 0 → 600 objects in 6 snapshots, +2.00 KiB, 33 % of the "
         "heap"},
        {HD_BY_MODULE, "Shop.dll",
         "LEAK module Shop.dll: 0 → 600 objects in 6 snapshots, +2.00 KiB, 33 % of the "
         "heap"},
        {HD_BY_HOLDER, "[static vars] → [static var App.Shop.s_orders]",
         "LEAK static s_orders: 0 → 600 objects in 6 snapshots, +2.00 KiB, 33 % of the "
         "heap"}};
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        for (size_t suspects = 0; suspects < 2; suspects++) {
            struct made *m = make(6, suspects);
            m->r.options.by = units[i].by;
            m->suspects[0].type = m->suspects[0].title = units[i].title;
            expect_words(m, suspects ? HD_SEVERITY_BAD : HD_SEVERITY_GOOD,
                         suspects ? units[i].told : NONE);
        }
}

Test(summary, without_bytes_it_is_a_share_of_the_objects)
{
    struct made *m = make(6, 1);
    m->r.diff.by_graph = m->r.diff.types.bytes_known = false;
    m->suspects[0].holder_len = 0;
    expect_both(m, HD_SEVERITY_BAD,
                "LEAK App.Order: 0 → 600 objects in 6 snapshots, 10 % of the objects",
                "high: " STEADY "; without references the holders are unknown");
}

/* --- hostile names ------------------------------------------------------------------- */

Test(summary, names_are_short_visible_and_known_as_names)
{
    struct made *m = make(6, 1);
    char name[200000];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    memcpy(name, "App.\x1b[2J\n<b>", 12);
    m->suspects[0].type = m->suspects[0].title = name;
    m->holder[1] = "[static var App.Shop.\x1b]0;s_all]";
    m->suspects[0].counted = name;
    report_summarize(&m->r);
    const struct hd_line *l = &m->r.summary.verdict[0];
    cr_expect_lt(strlen(l->text), 400);
    cr_expect_null(strpbrk(l->text, "\x1b\n"), "%s", l->text);
    cr_assert_eq(l->name_count, 2);
    for (const char *c = l->text; *c != '\0'; c++) {
        size_t at = (size_t)(c - l->text);
        bool in_name = (at >= l->names[0].from && at < l->names[0].to) ||
                       (at >= l->names[1].from && at < l->names[1].to);
        cr_expect(in_name || strchr("<\\x;]", *c) == NULL, "%s", c);
    }
    drop(m);
}

/* --- where it is said ---------------------------------------------------------------- */

Test(summary, all_formats_for_people_and_the_model_agree)
{
    struct hd_report *r = shop_diff(NULL);
    const struct hd_summary *s = hd_report_model(r)->summary;
    cr_expect_str_eq(hd_report_model(r)->diff->headline,
                     "LEAK App.Order: 10 → 40 objects in 4 snapshots, +3.98 KiB, 70 % of "
                     "the heap, kept alive by static s_orders");
    cr_expect_eq(s->severity, HD_SEVERITY_BAD);
    char *text = written(r, "text"), *page = written(r, "md"), *json = written(r, "json");
    expect_part(text, s->verdict[0].text);
    expect_part(page, "**LEAK** `App.Order`: 10 → 40 objects in 4 snapshots, ");
    expect_part(json, "\"headline\": \"LEAK App.Order: 10 ");
    free(text);
    free(page);
    free(json);
    hd_report_free(r);
}

Test(summary, the_verdict_is_repeated_if_its_start_has_scrolled_away)
{
    struct hd_report *r = shop_diff(NULL);
    static const struct {
        unsigned lines;
        size_t times;
    } terminals[] = {{0, 1}, {10, 2}, {200, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct hd_write_options opt = {.size = sizeof(opt),
                                       .width = 200,
                                       .lines = terminals[i].lines,
                                       .details = true};
        char *text = written_with(r, "text", &opt);
        size_t times = 0;
        for (const char *at = text; (at = strstr(at, "LEAK  ")) != NULL; at++)
            times++;
        cr_expect_eq(times, terminals[i].times, "%s", text);
        free(text);
    }
    hd_report_free(r);
}

/* --- outside of the objects ----------------------------------------------------------- */

/* A process that grew from 58 to 116 MiB, its `part` from 8 to 60. */
struct made_process {
    struct hd_process_growth growth;
    uint64_t size[6], part[6], threads[6];
};

static void grow_process(struct made *m, struct made_process *p, enum hd_process_part part,
                         const char *hint)
{
    const uint64_t mib = 1 << 20;
    *p = (struct made_process){.size = {58, 70, 82, 92, 104, 116},
                               .part = {8, 18, 29, 38, 51, 60},
                               .threads = {23, 48, 71, 94, 118, 140}};
    for (size_t k = 0; k < 6; k++) {
        p->size[k] *= mib;
        p->part[k] *= mib;
    }
    p->growth = (struct hd_process_growth){.known = 6,
                                           .size = p->size,
                                           .threads = p->threads,
                                           .last = 5,
                                           .growth = (int64_t)(58 * mib),
                                           .explained = 0.02,
                                           .where = part,
                                           .within = HD_FACT_COUNT,
                                           .is_outside = true,
                                           .hint = hint};
    for (int i = 0; i < HD_PART_COUNT; i++)
        p->growth.parts[i] = p->part;
    m->r.diff.process = &p->growth;
}

static const char *process_of(const struct made *m)
{
    for (size_t i = 0; i < m->r.summary.fact_len; i++)
        if (strcmp(m->r.summary.facts[i].label, "process") == 0)
            return m->r.summary.facts[i].text;
    return NULL;
}

#define OUTSIDE_SIZES "The process grew from 58.0 MiB to 116 MiB"
#define OUTSIDE OUTSIDE_SIZES ", "

Test(summary, growth_outside_of_objects_is_not_an_all_clear)
{
    static const struct {
        enum hd_process_part part;
        const char *hint, *headline;
    } cases[] = {
        {HD_PART_NATIVE, "native-memory-grows",
         "NOT MANAGED " OUTSIDE
         "outside of the managed heap: native memory 8.00 MiB → 60.0 MiB."},
        {HD_PART_STACKS, "thread-never-ends",
         "NOT MANAGED " OUTSIDE
         "outside of the managed heap: stacks of threads 8.00 MiB → 60.0 MiB, 23 → 140 "
         "threads."},
        {HD_PART_FILES, "mapped-files-kept",
         "NOT MANAGED " OUTSIDE
         "outside of the managed heap: mapped files 8.00 MiB → 60.0 MiB."},
        {HD_PART_CODE, "compiled-code-kept",
         "NOT MANAGED " OUTSIDE
         "outside of the managed heap: compiled code 8.00 MiB → 60.0 MiB."},
        {HD_PART_FREE, "heap-fragmented",
         "UNSURE " OUTSIDE
         "and objects explain 2.0 % of that: free between objects 8.00 MiB → 60.0 MiB."},
        {HD_PART_GC, "collector-keeps",
         "UNSURE " OUTSIDE
         "and objects explain 2.0 % of that: kept by the collector 8.00 MiB → 60.0 MiB."},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct made *m = make(6, 0);
        struct made_process p;
        grow_process(m, &p, cases[i].part, cases[i].hint);
        report_summarize(&m->r);
        cr_expect_str_eq(m->r.diff.headline, cases[i].headline, "%s", m->r.diff.headline);
        cr_expect_eq(m->r.summary.severity, HD_SEVERITY_UNSURE);
        cr_assert_eq(m->r.summary.verdict_len, 2, "%s", cases[i].hint);
        cr_expect_str_eq(m->r.summary.verdict[1].label, "FIX");
        cr_expect_not_null(strstr(m->r.summary.verdict[1].command, cases[i].hint));
        cr_assert_not_null(process_of(m));
        drop(m);
    }
}

static const char *confidence_in(const struct made *m)
{
    for (size_t i = 0; i < m->r.summary.fact_len; i++)
        if (strcmp(m->r.summary.facts[i].label, "confidence") == 0)
            return m->r.summary.facts[i].text;
    return "";
}

/* Sizes of two processes may differ from the start. */
Test(summary, growth_outside_across_a_restart_or_of_samples_is_less_certain)
{
    static const struct {
        int what;
        const char *label, *confidence;
    } cases[] = {
        {-1, "NOT MANAGED", "high: 6 snapshots"},
        {9, "UNSURE", "low: 6 snapshots; the snapshots are not of one process"},
        {4, "NOT MANAGED", "medium: 6 snapshots; counts are estimates from a sample"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct made *m = make(6, 0);
        struct made_process p;
        grow_process(m, &p, HD_PART_NATIVE, "native-memory-grows");
        m->r.diff.span_seconds = 3600;
        if (cases[i].what >= 0)
            change(m, cases[i].what);
        report_summarize(&m->r);
        cr_expect_str_eq(m->r.summary.verdict[0].label, cases[i].label);
        const char *said = confidence_in(m);
        bool begins = strncmp(said, cases[i].confidence, 5) == 0;
        const char *doubt = strchr(cases[i].confidence, ';');
        cr_expect(begins && (doubt != NULL) == (strchr(said, ';') != NULL), "%s", said);
        cr_expect(doubt == NULL || strstr(said, doubt) != NULL, "%s", said);
        drop(m);
    }
}

Test(summary, growth_that_cannot_be_divided_is_not_an_all_clear)
{
    struct made *m = make(6, 0);
    struct made_process p;
    grow_process(m, &p, HD_PART_COUNT, NULL);
    p.growth.is_outside = false;
    p.growth.is_undivided = true;
    report_summarize(&m->r);
    cr_expect_str_eq(m->r.diff.headline,
                     "UNSURE " OUTSIDE_SIZES
                     "; objects explain 2.0 % of that; where the rest is, is unknown.",
                     "%s", m->r.diff.headline);
    cr_expect_eq(m->r.summary.severity, HD_SEVERITY_UNSURE);
    cr_expect_str_eq(confidence_in(m), "medium: what the process gained is unknown", "%s",
                     confidence_in(m));
    cr_assert_not_null(process_of(m));
    drop(m);
}

Test(summary, a_process_that_shrinks_has_another_sentence)
{
    struct made *m = make(6, 0);
    struct made_process p;
    grow_process(m, &p, HD_PART_NATIVE, "native-memory-grows");
    p.size[5] = p.size[0];
    p.growth.growth = 0;
    p.growth.explained = NAN;
    report_summarize(&m->r);
    cr_expect_str_eq(m->r.diff.headline,
                     "NOT MANAGED The process did not grow, but memory outside of the "
                     "managed heap did: native memory 8.00 MiB → 60.0 MiB.",
                     "%s", m->r.diff.headline);
    cr_assert_not_null(process_of(m));
    cr_expect_null(strstr(process_of(m), "objects"), "%s", process_of(m));
    drop(m);
}

Test(summary, fragmentation_has_its_own_confidence)
{
    struct made *m = make(6, 0);
    uint64_t bytes[6], unknown[6];
    for (uint64_t k = 0; k < 6; k++) {
        bytes[k] = (2 + 10 * k) << 20;
        unknown[k] = HD_UNKNOWN;
    }
    const struct hd_free_growth g = {.bytes = bytes,
                                     .blocks = unknown,
                                     .largest = unknown,
                                     .last = 5,
                                     .within = HD_FACT_COUNT,
                                     .pinned_objects = HD_UNKNOWN,
                                     .is_finding = true,
                                     .hint = "heap-fragmented"};
    m->r.diff.free = &g;
    report_summarize(&m->r);
    cr_expect_str_eq(m->r.summary.verdict[0].label, "UNSURE");
    cr_expect_eq(strncmp(confidence_in(m), "medium: 6 snapshots", 19), 0, "%s",
                 confidence_in(m));
    cr_expect_null(strstr(confidence_in(m), "above"));
    drop(m);
}

Test(summary, leak_stays_a_leak_when_more_grows_outside)
{
    struct made *m = make(6, 1);
    struct made_process p;
    grow_process(m, &p, HD_PART_NATIVE, "native-memory-grows");
    report_summarize(&m->r);
    cr_expect_str_eq(m->r.diff.headline, LEAK HELD);
    cr_expect_eq(m->r.summary.severity, HD_SEVERITY_BAD);
    cr_assert_not_null(process_of(m));
    cr_expect_str_eq(process_of(m),
                     "58.0 MiB → 116 MiB  ▁▂▄▅▇█  +58.0 MiB, objects 2.0 %, native "
                     "memory +52.0 MiB",
                     "%s", process_of(m));
    drop(m);
}

Test(summary, unknown_numbers_of_threads_are_not_printed)
{
    for (int i = 0; i < 2; i++) {
        struct made *m = make(6, 0);
        struct made_process p;
        grow_process(m, &p, HD_PART_STACKS, "thread-never-ends");
        p.threads[i == 0 ? 0 : 5] = HD_UNKNOWN;
        report_summarize(&m->r);
        cr_expect_null(strstr(m->r.diff.headline, "thread."), "%s", m->r.diff.headline);
        cr_expect_null(strstr(m->r.diff.headline, "threads."), "%s", m->r.diff.headline);
        drop(m);
    }
}

/* The process is mentioned if it grew much and objects do not explain it. */
Test(summary, process_is_shown_if_objects_do_not_explain_it)
{
    static const struct {
        double explained;
        int64_t growth;
        bool is_outside, is_shown;
    } cases[] = {
        {0.02, 58 << 20, true, true},  {0.02, 58 << 20, false, true},
        {0.49, 58 << 20, false, true}, {0.5, 58 << 20, false, false},
        {NAN, 58 << 20, false, false}, {0.02, 11 << 20, false, false},
        {0.02, 12 << 20, false, true}, {0.02, 11 << 20, true, true},
        {NAN, 0, false, false},        {NAN, -(58 << 20), false, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct made *m = make(6, 0);
        struct made_process p;
        grow_process(m, &p, HD_PART_NATIVE, "native-memory-grows");
        p.growth.explained = cases[i].explained;
        p.growth.growth = cases[i].growth;
        p.growth.is_outside = cases[i].is_outside;
        p.growth.where = cases[i].is_outside ? HD_PART_NATIVE : HD_PART_COUNT;
        report_summarize(&m->r);
        cr_expect_eq(process_of(m) != NULL, cases[i].is_shown, "%zu", i);
        drop(m);
    }
}

Test(summary, snapshots_without_a_size_have_no_bars)
{
    struct made *m = make(6, 0);
    struct made_process p;
    grow_process(m, &p, HD_PART_NATIVE, "native-memory-grows");
    p.size[0] = p.size[3] = p.part[0] = p.part[3] = HD_UNKNOWN;
    p.growth.first = 1;
    p.growth.known = 4;
    report_summarize(&m->r);
    cr_assert_not_null(process_of(m));
    cr_expect_str_eq(process_of(m),
                     "70.0 MiB → 116 MiB  ▁▃▆█  +46.0 MiB, objects 2.0 %, native "
                     "memory +42.0 MiB",
                     "%s", process_of(m));
    drop(m);
}
