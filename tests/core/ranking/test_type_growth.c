/* Growth by type that paths do not explain, growth explained by suspects, and growth that
 * leveled off: examples worked by hand with docs/ranking.md, to the digit. */
#include "ranking/ranked.h"

static node_id begin_statics(struct forge *f)
{
    return heap_group(f, heap_root(f), "[static vars]");
}

static struct ranked ranked_series(void (*add)(struct ranked *r))
{
    struct ranked r = {0};
    add(&r);
    rank(&r);
    return r;
}

static void expect_reachable(const struct ranked *r, const uint64_t *bytes)
{
    for (size_t k = 0; k < r->a.count; k++)
        cr_expect_eq(r->tree.retained[k], bytes[k], "snapshot %zu: %llu", k,
                     (unsigned long long)r->tree.retained[k]);
}

static void expect_bytes(const char *what, const uint64_t *got, const uint64_t *wanted,
                         size_t snapshots)
{
    for (size_t k = 0; k < snapshots; k++)
        cr_expect_eq(got[k], wanted[k], "%s, snapshot %zu: %llu", what, k,
                     (unsigned long long)got[k]);
}

static void expect_suspects_have(const struct ranked *r, const uint64_t *bytes)
{
    expect_bytes("suspects", r->ranking.growth.suspects, bytes, r->a.count);
}

static void expect_rest(const struct ranked *r, const uint64_t *bytes)
{
    expect_bytes("rest", r->ranking.growth.rest, bytes, r->a.count);
}

static void expect_explained(const struct ranked *r, double share)
{
    cr_expect(fabs(r->ranking.growth.explained - share) <= 1e-9, "explained: %.9f",
              r->ranking.growth.explained);
}

/* Expects a single one. */
static void expect_leveled_off(const struct ranked *r, const char *type, double growth)
{
    cr_assert_eq(r->ranking.leveled_off_count, 1, "%zu stopped",
                 r->ranking.leveled_off_count);
    const struct ranked_leveled_off *leveled_off = &r->ranking.leveled_off[0];
    cr_expect_str_eq(r->tree.labels.all[leveled_off->label].name, type);
    cr_expect(fabs(leveled_off->growth - growth) <= 1e-9, "%s grew by %.9f", type,
              leveled_off->growth);
}

/* --- a type that is held elsewhere each time ------------------------------------------ */

static void add_timers(struct ranked *r)
{
    for (uint32_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        node_id names = heap_object(&f, statics, "Names", 24);
        heap_objects(&f, heap_object(&f, names, "Object[]", 8024), "System.String", 30,
                     1000);
        node_id even = heap_object(&f, statics, "Even", 24);
        node_id odd = heap_object(&f, statics, "Odd", 24);
        for (uint32_t i = 0; i < 100 * (k + 1); i++) {
            node_id timer =
                heap_object(&f, k % 2 == 0 ? even : odd, "System.Threading.Timer", 40);
            node_id order = heap_object(&f, timer, "App.Order", 30);
            heap_object(&f, heap_object(&f, order, "System.String[]", 10), "System.String",
                        20);
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

/* A thousand constant strings must not count in the objects of the timers. */
Test(type_growth, a_type_is_found_wherever_it_is_held)
{
    struct ranked r = ranked_series(add_timers);
    expect_reachable(&r, (uint64_t[]){48096, 58096, 68096, 78096});
    expect_path(&r, "Even > System.Threading.Timer", (uint64_t[]){100, 0, 300, 0},
                (uint64_t[]){10000, 0, 30000, 0});
    expect_ranking(&r, {"System.Threading.Timer", 30000});
    const struct ranked_type *timer = ranked_type(&r, "System.Threading.Timer");
    cr_expect_eq(timer->basis, HD_BASIS_TYPE);
    cr_expect_eq(timer->suspicion, HD_SUSPECT_SIZE);
    cr_expect_str_eq(timer->title, "App.Order");
    cr_expect_str_eq(holder_of(&r, "System.Threading.Timer"), "[static vars] > Odd");
    expect_bytes("timers", timer->count, (uint64_t[]){100, 200, 300, 400}, 4);
    expect_suspects_have(&r, (uint64_t[]){10000, 20000, 30000, 40000});
    expect_rest(&r, (uint64_t[]){38096, 38096, 38096, 38096});
    expect_explained(&r, 1);
    cr_expect_not(r.ranking.growth.open.grew);
    ranked_free(&r);
}

/* --- a little of a type, the same number in every iteration ----------------------------
 */

/* 100 timers of 40 bytes in a heap of a million, in alternating lists; late: one of them is
 * added a snapshot later. */
static void add_few_timers(struct ranked *r, bool late)
{
    for (uint32_t k = 0; k < 5; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, statics, "System.Byte[]", 1000000);
        node_id even = heap_object(&f, statics, "Even", 24);
        node_id odd = heap_object(&f, statics, "Odd", 24);
        uint32_t count = 100 * (k + 1) - (late && k == 2 ? 1 : 0);
        heap_objects(&f, k % 2 == 0 ? even : odd, "System.Threading.Timer", 40, count);
        aligned_add(&r->a, forge_finish(&f));
    }
}

static enum hd_suspicion suspicion_of_few(const uint64_t *iterations, bool late)
{
    struct ranked r = {.iterations = iterations};
    add_few_timers(&r, late);
    rank(&r);
    enum hd_suspicion suspicion = HD_SUSPECT_NOT;
    for (size_t i = 0; i < r.ranking.len; i++)
        if (r.ranking.all[i].suspicion != HD_SUSPECT_NOT) {
            cr_expect_eq(r.ranking.all[i].basis, HD_BASIS_TYPE);
            suspicion = r.ranking.all[i].suspicion;
        }
    ranked_free(&r);
    return suspicion;
}

Test(type_growth, an_exact_number_per_iteration_needs_no_share_of_the_heap)
{
    static const uint64_t tens[] = {0, 10, 20, 30, 40}, odd[] = {0, 10, 20, 30, 50};
    static const uint64_t thirds[] = {0, 30, 60, 90, 120};
    cr_expect_eq(suspicion_of_few(tens, false), HD_SUSPECT_STEADY);
    cr_expect_eq(suspicion_of_few(tens, true), HD_SUSPECT_NOT, "one came late");
    cr_expect_eq(suspicion_of_few(odd, false), HD_SUSPECT_NOT, "10 or 5 per iteration");
    cr_expect_eq(suspicion_of_few(thirds, false), HD_SUSPECT_NOT, "no whole number");
    cr_expect_eq(suspicion_of_few(NULL, false), HD_SUSPECT_NOT, "nobody counted");
}

/* --- strings of this and that --------------------------------------------------------- */

static void add_texts(struct forge *f, node_id statics, const char *holder,
                      const char *array, const char *type, uint32_t count)
{
    node_id held = heap_object(f, heap_object(f, statics, holder, 24), array, 8024);
    node_id first = heap_objects(f, held, type, 24, count);
    for (uint32_t i = 0; i < count; i++)
        heap_object(f, first + i, "System.String", 100);
}

static void add_leaves(struct ranked *r)
{
    static const uint32_t docs[] = {100, 150, 90, 160}, pages[] = {100, 80, 170, 150};
    for (size_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        add_texts(&f, statics, "Docs", "Doc[]", "Doc", docs[k]);
        add_texts(&f, statics, "Pages", "Page[]", "Page", pages[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

/* As a type the strings rise without a dip: 200, 230, 260, 310. */
Test(type_growth, strings_belong_to_their_referrers_even_if_these_do_not_grow)
{
    struct ranked r = ranked_series(add_leaves);
    expect_reachable(&r, (uint64_t[]){40896, 44616, 48336, 54536});
    expect_empty_ranking(&r);
    expect_rest(&r, (uint64_t[]){40896, 44616, 48336, 54536});
    expect_explained(&r, 0);
    cr_expect(r.ranking.growth.open.grew);
    ranked_free(&r);
}

/* --- a path that shows a part of it --------------------------------------------------- */

static void add_jobs(struct ranked *r)
{
    static const uint32_t even[] = {100, 0, 100, 100}, odd[] = {0, 200, 200, 300};
    for (size_t k = 0; k < 4; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_objects(&f, heap_object(&f, statics, "Even", 24), "App.Job", 100, even[k]);
        heap_objects(&f, heap_object(&f, statics, "Odd", 24), "App.Job", 100, odd[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(type_growth, a_suspect_of_which_a_path_shows_a_part_is_counted_as_a_whole)
{
    struct ranked r = ranked_series(add_jobs);
    expect_ranking(&r, {"App.Job", 30000});
    const struct ranked_type *job = ranked_type(&r, "App.Job");
    cr_expect_eq(job->basis, HD_BASIS_TYPE);
    cr_expect_eq(job->suspicion, HD_SUSPECT_SIZE);
    cr_expect_eq(job->tau, 1);
    expect_bytes("jobs", job->count, (uint64_t[]){100, 200, 300, 400}, 4);
    expect_suspects_have(&r, (uint64_t[]){10000, 20000, 30000, 40000});
    ranked_free(&r);
}

/* --- what stopped --------------------------------------------------------------------- */

/* lines: with a log that keeps growing. */
static void add_leveled_off(struct ranked *r, size_t snapshots, bool lines)
{
    static const uint32_t items[] = {100, 200, 300, 300, 299};
    for (uint32_t k = 0; k < snapshots; k++) {
        struct forge f = {0};
        node_id statics = begin_statics(&f);
        heap_object(&f, statics, "Bulk", 50000);
        node_id cache = heap_object(&f, statics, "Cache", 24);
        node_id array = heap_object(&f, cache, "App.Item[]", 8024);
        for (uint32_t i = 0; i < items[k]; i++)
            heap_object(&f, heap_object(&f, array, "App.Item", 24), "System.Byte[]", 76);
        if (lines)
            heap_objects(&f, heap_object(&f, statics, "Log", 24), "App.Line", 100,
                         100 * (k + 1));
        aligned_add(&r->a, forge_finish(&f));
    }
}

Test(type_growth, leveled_off_growth_is_not_a_suspect)
{
    struct ranked r = {0};
    add_leveled_off(&r, 5, false);
    rank(&r);
    expect_empty_ranking(&r);
    expect_leveled_off(&r, "App.Item", 19900);
    cr_expect_not(r.ranking.growth.open.grew);
    ranked_free(&r);
}

Test(type_growth, continuing_growth_next_to_it_is_the_only_suspect)
{
    struct ranked r = {0};
    add_leveled_off(&r, 5, true);
    rank(&r);
    expect_ranking(&r, {"App.Line", 40000});
    expect_leveled_off(&r, "App.Item", 19900);
    expect_explained(&r, 40000 / 59900.0);
    ranked_free(&r);
}

Test(type_growth, four_snapshots_show_that_growth_leveled_off)
{
    struct ranked r = {0};
    add_leveled_off(&r, 4, false);
    rank(&r);
    expect_empty_ranking(&r);
    expect_leveled_off(&r, "App.Item", 20000);
    ranked_free(&r);
}

/* Counts of objects of 100 bytes, in a heap in which they matter. */
static size_t leveled_off_of(const uint32_t *counts, size_t snapshots)
{
    struct ranked r = {0};
    for (size_t k = 0; k < snapshots; k++) {
        struct forge f = {0};
        node_id cache = heap_object(&f, begin_statics(&f), "Cache", 24);
        heap_objects(&f, cache, "App.Item", 100, counts[k]);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    size_t leveled_off = r.ranking.leveled_off_count;
    ranked_free(&r);
    return leveled_off;
}

/* The second half stays within a tenth of the growth. */
Test(type_growth, leveled_off_growth_is_neither_much_more_nor_less_at_the_end)
{
    static const struct {
        size_t snapshots;
        uint32_t counts[5];
        bool leveled_off;
    } cases[] = {
        {4, {1, 5, 9, 9}, true},           {4, {1, 5, 9, 8}, false},
        {4, {1, 9, 9, 9}, true},           {4, {1, 1, 1, 9}, false},
        {4, {1, 12, 9, 9}, false},         {3, {1, 9, 9}, false},
        {5, {0, 80, 95, 110, 110}, false}, {5, {0, 80, 100, 110, 110}, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(leveled_off_of(cases[i].counts, cases[i].snapshots),
                     cases[i].leveled_off, "case %zu", i);
}
