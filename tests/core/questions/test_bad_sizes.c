/* Heaps made to be slow: with a path, head, type or level for each object. A report may
 * take some times as long as on a plain heap with the same number of objects. Checks this
 * ratio, because seconds depend on the machine. */
#include "render/written.h"
#include "support/asked.h"

#include <criterion/criterion.h>
#include <time.h>

enum { SNAPSHOTS = 4, MANY = 100000 };

/* Limit for the time relative to the plain heap. Most need ten times, ten thousand suspects
 * thirty to almost fifty times; quadratic algorithms needed 70 to 150 times. */
enum { MAX_TIMES = 50 };

typedef void make_heap(struct forge *f, size_t k);

static double seconds_of(make_heap *make, const struct hd_options *opt,
                         struct hd_report **report)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_error err = {0};
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        make(&f, k);
        snaps[k] = forge_finish(&f);
    }
    clock_t begin = clock();
    struct hd_report *r = ask_check(snaps, SNAPSHOTS, opt, NULL, &err);
    cr_assert_not_null(r, "%s", err.message);
    static const char *const formats[] = {"text", "md", "json", "csv"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
        free(written(r, formats[i]));
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    close_all(snaps, SNAPSHOTS);
    *report = r;
    return seconds;
}

static node_id array_in(struct forge *f, const char *holder, const char *variable)
{
    node_id array = forge_object(f, holder, 24);
    forge_root(f, HD_ROOT_STATIC, variable, array);
    return array;
}

/* The same number of objects in one list. */
static void plain(struct forge *f, size_t k)
{
    uint32_t count = MANY + 10000 * (uint32_t)k;
    node_id array = array_in(f, "App.Item[]", "App.Shop.s_items");
    node_id item = forge_objects(f, "App.Item", 40, 2 * count);
    for (uint32_t i = 0; i < 2 * count; i++)
        forge_reference(f, array, item + i);
}

/* The report on the heap, within the time. Processor time includes page reclaim, which
 * takes a second if memory is scarce, so one of three tries is enough; each measures the
 * plain heap too, right before. */
static struct hd_report *timely(make_heap *make, const struct hd_options *opt)
{
    struct hd_report *r = NULL;
    double usual = 0, taken = 0;
    for (int tries = 0; tries == 0 || (taken >= MAX_TIMES * usual && tries < 3); tries++) {
        hd_report_free(r);
        usual = seconds_of(plain, NULL, &r);
        hd_report_free(r);
        taken = seconds_of(make, opt, &r);
    }
    if (getenv("TIMES") != NULL)
        fprintf(stderr, "%.3f s, plain %.3f s: %.1f times\n", taken, usual, taken / usual);
    cr_expect_lt(taken, MAX_TIMES * usual, "%.2f s, plain %.2f s", taken, usual);
    return r;
}

/* --- one type at 10^5 places -------------------------------------------------------- */

enum { SIDE = 320 }; /* about the square root of MANY */

/* Cell i of SIDE * SIDE: [static App.Shop.s_a7] -> App.A7 -> App.B3 -> count(i, k) objects.
 * Has the first object of each cell. */
struct cells {
    node_id first[SIDE * SIDE];
};

static void make_cells(struct forge *f, size_t k, uint32_t (*count)(uint32_t, size_t),
                       struct cells *cells)
{
    char name[64];
    for (uint32_t a = 0; a < SIDE; a++) {
        snprintf(name, sizeof(name), "App.Shop.s_a%u", a);
        node_id item = (node_id)0, top;
        char type[64];
        snprintf(type, sizeof(type), "App.A%u", a);
        top = array_in(f, type, name);
        for (uint32_t b = 0; b < SIDE; b++) {
            uint32_t cell = a * SIDE + b;
            snprintf(type, sizeof(type), "App.B%u", b);
            node_id middle = forge_object(f, type, 24);
            forge_reference(f, top, middle);
            item = forge_objects(f, "App.Item", 40, count(cell, k));
            cells->first[cell] = item;
            for (uint32_t i = 0; i < count(cell, k); i++)
                forge_reference(f, middle, item + i);
        }
    }
}

static uint32_t rising(uint32_t cell, size_t k)
{
    (void)cell;
    return 1 + (uint32_t)k;
}

static uint32_t rising_and_falling(uint32_t cell, size_t k)
{
    return 1 + (uint32_t)(cell % 2 ? k : SNAPSHOTS - 1 - k);
}

/* All losses are in the first step, so that no loss matches a gain though all sums agree.
 */
static uint32_t never_the_same(uint32_t cell, size_t k)
{
    if (cell % 2)
        return 1 + (uint32_t)k;
    return k == 0 ? SNAPSHOTS : 1;
}

static struct cells cells;

static void all_rise(struct forge *f, size_t k)
{
    make_cells(f, k, rising, &cells);
}

static void half_fall(struct forge *f, size_t k)
{
    make_cells(f, k, rising_and_falling, &cells);
}

static void half_fall_otherwise(struct forge *f, size_t k)
{
    make_cells(f, k, never_the_same, &cells);
}

/* The objects of a cell refer to those of the next. */
static void in_a_chain(struct forge *f, size_t k)
{
    make_cells(f, k, rising, &cells);
    for (uint32_t c = 0; c + 1 < SIDE * SIDE; c++)
        for (uint32_t i = 0; i < rising(c, k); i++)
            forge_reference(f, cells.first[c] + i, cells.first[c + 1] + i);
}

/* To those of the previous cell: the worst order for joining them. */
static void in_a_chain_backwards(struct forge *f, size_t k)
{
    make_cells(f, k, rising, &cells);
    for (uint32_t c = 1; c < SIDE * SIDE; c++)
        for (uint32_t i = 0; i < rising(c, k); i++)
            forge_reference(f, cells.first[c] + i, cells.first[c - 1] + i);
}

/* All refer to a few, and a few refer to all. */
static void crossed(struct forge *f, size_t k)
{
    make_cells(f, k, rising, &cells);
    for (uint32_t c = 0; c < SIDE * SIDE; c++)
        for (uint32_t i = 0; i < rising(c, k); i++) {
            forge_reference(f, cells.first[c] + i, cells.first[c % 4] + i);
            forge_reference(f, cells.first[c % 4] + i, cells.first[c] + i);
        }
}

Test(bad_sizes, one_type_that_grows_at_very_many_places)
{
    struct hd_report *r = timely(all_rise, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.Item");
    cr_expect_eq(r->diff.suspects[0].head_count, SIDE * SIDE);
    hd_report_free(r);
}

Test(bad_sizes, one_type_that_grows_and_shrinks_at_very_many_places)
{
    struct hd_report *r = timely(half_fall, NULL);
    cr_expect_eq(r->diff.suspect_count, 0, "it has moved");
    hd_report_free(r);
}

Test(bad_sizes, one_type_that_shrinks_by_the_same_amount_in_other_steps)
{
    struct hd_report *r = timely(half_fall_otherwise, NULL);
    hd_report_free(r);
}

Test(bad_sizes, very_many_heads_that_refer_to_each_other)
{
    make_heap *const all[] = {in_a_chain, in_a_chain_backwards, crossed};
    for (size_t i = 0; i < 3; i++) {
        struct hd_report *r = timely(all[i], NULL);
        cr_assert_eq(r->diff.suspect_count, 1, "%zu", i);
        cr_expect_str_eq(r->diff.suspects[0].type, "App.Item");
        cr_expect_eq(r->diff.suspects[0].also_count, 0, "not with itself");
        hd_report_free(r);
    }
}

/* --- very many types ------------------------------------------------------------------ */

enum { TYPES = 20000, OF_EACH = 10 };

/* A journal of events of TYPES classes, each far below the threshold. */
static void in_one_store(struct forge *f, size_t k)
{
    node_id array = array_in(f, "App.Event[]", "App.Shop.s_journal");
    for (uint32_t i = 0; i < TYPES; i++) {
        char type[64];
        snprintf(type, sizeof(type), "App.Event%u", i);
        uint32_t count = OF_EACH + (uint32_t)k * (1 + i % 3);
        node_id event = forge_objects(f, type, 40, count);
        for (uint32_t e = 0; e < count; e++)
            forge_reference(f, array, event + e);
    }
}

/* Records of one class with parts of TYPES classes, which a table also holds. */
static void co_retained(struct forge *f, size_t k)
{
    node_id records = array_in(f, "App.Record[]", "App.Shop.s_records");
    node_id parts = array_in(f, "System.Object[]", "App.Shop.s_parts");
    uint32_t count = OF_EACH * (1 + (uint32_t)k);
    node_id record = forge_objects(f, "App.Record", 4000, count);
    for (uint32_t r = 0; r < count; r++)
        forge_reference(f, records, record + r);
    for (uint32_t i = 0; i < TYPES; i++) {
        char type[64];
        snprintf(type, sizeof(type), "App.Part%u", i);
        node_id part = forge_objects(f, type, 24, count / OF_EACH);
        for (uint32_t p = 0; p < count / OF_EACH; p++) {
            forge_reference(f, parts, part + p);
            forge_reference(f, record + p, part + p);
        }
    }
}

/* Each refers to the next, and a table to all: each is co-retained with its predecessor. */
static void carried_in_a_chain(struct forge *f, size_t k)
{
    node_id all = array_in(f, "System.Object[]", "App.Shop.s_all"), before = all;
    uint32_t count = 10 * (1 + (uint32_t)k);
    for (uint32_t i = 0; i < TYPES; i++) {
        char type[64];
        snprintf(type, sizeof(type), "App.Link%05u", i);
        node_id link = forge_objects(f, type, 24, count);
        for (uint32_t n = 0; n < count; n++) {
            forge_reference(f, all, link + n);
            if (i > 0)
                forge_reference(f, before + n, link + n);
        }
        before = link;
    }
}

/* Strings of records of CLASSES classes: every record refers to every string. */
static void carried_by_many(struct forge *f, size_t k)
{
    enum { CLASSES = 20000 };
    node_id all = array_in(f, "System.Object[]", "App.Shop.s_all");
    uint32_t count = 2 * (1 + (uint32_t)k);
    node_id string = forge_objects(f, "System.String", 2000, count);
    node_id node = forge_objects(f, "System.Node", 3000, count);
    for (uint32_t n = 0; n < count; n++) {
        forge_reference(f, all, string + n);
        forge_reference(f, all, node + n);
    }
    for (uint32_t i = 0; i < CLASSES; i++) {
        char type[64];
        snprintf(type, sizeof(type), "System.Part%u", i);
        node_id part = forge_objects(f, type, 24, count);
        snprintf(type, sizeof(type), "App.Record%u", i);
        node_id record = forge_objects(f, type, 24, count);
        for (uint32_t n = 0; n < count; n++) {
            forge_reference(f, node + n, part + n);
            forge_reference(f, all, record + n);
            forge_reference(f, record + n, string + n);
            forge_reference(f, record + n, node + n);
        }
    }
}

Test(bad_sizes, very_many_types_co_retained_with_the_previous_one)
{
    struct hd_report *r = timely(carried_in_a_chain, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.Link00000");
    cr_expect_eq(r->diff.suspects[0].also_count, TYPES - 1);
    hd_report_free(r);
}

Test(bad_sizes, very_many_types_that_could_be_co_retained)
{
    struct hd_report *r = timely(carried_by_many, NULL);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.Record0");
    hd_report_free(r);
}

Test(bad_sizes, very_many_types_in_one_store)
{
    struct hd_report *r = timely(in_one_store, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].also_count, TYPES - 1);
    hd_report_free(r);
}

Test(bad_sizes, very_many_types_co_retained_with_one)
{
    struct hd_report *r = timely(co_retained, NULL);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "App.Record");
    cr_expect_eq(r->diff.suspects[0].also_count, TYPES);
    hd_report_free(r);
}

/* Held in two alternating places, so that only whole types grow; every second owns the
 * next. */
static void in_changing_places(struct forge *f, size_t k)
{
    node_id even = array_in(f, "App.Even", "App.Shop.s_even");
    node_id odd = array_in(f, "App.Odd", "App.Shop.s_odd"), before = even;
    uint32_t count = 2 + 2 * (uint32_t)k;
    for (uint32_t i = 0; i < TYPES; i++) {
        char type[64];
        snprintf(type, sizeof(type), "System.Node%05u", i);
        node_id node = forge_objects(f, type, 40, count);
        for (uint32_t n = 0; n < count; n++)
            forge_reference(f, i % 2 > 0 ? before + n : k % 2 ? odd : even, node + n);
        before = node;
    }
}

Test(bad_sizes, very_many_whole_types)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 1e-9;
    struct hd_report *r = timely(in_changing_places, &opt);
    cr_assert_eq(r->diff.suspect_count, TYPES / 2);
    cr_expect_eq(r->diff.suspects[0].basis, HD_BASIS_TYPE);
    hd_report_free(r);
}

/* --- a deep ownership tree
 * ------------------------------------------------------------------------
 */

/* More than recursion folding looks back: each object is a level of its own. */
enum { KINDS = 11 };

static node_id deep(struct forge *f, uint32_t depth, node_id above)
{
    node_id first = (node_id)f->node_count;
    for (uint32_t i = 0; i < depth; i++) {
        char type[64];
        snprintf(type, sizeof(type), "App.Level%u", i % KINDS);
        node_id level = forge_object(f, type, 40);
        forge_reference(f, above, level);
        above = level;
    }
    return first;
}

/* A list of alternating nodes to which nodes are appended. */
static void deep_list(struct forge *f, size_t k)
{
    deep(f, MANY + 10000 * (uint32_t)k, array_in(f, "App.List", "App.Shop.s_list"));
}

/* Each level has its string, and every hundredth a leak of its own. */
static void deep_and_bushy(struct forge *f, size_t k)
{
    node_id level = deep(f, MANY, array_in(f, "App.List", "App.Shop.s_list"));
    for (uint32_t i = 0; i < MANY; i++) {
        forge_reference(f, level + i, forge_object(f, "System.String", 30));
        if (i % 100 != 0)
            continue;
        node_id leak = forge_objects(f, "System.Byte[]", 1000, 2 + (uint32_t)k);
        for (uint32_t j = 0; j < 2 + (uint32_t)k; j++)
            forge_reference(f, level + i, leak + j);
    }
}

/* Entered elsewhere in each snapshot, so that every path is new. */
static void deep_and_turned(struct forge *f, size_t k)
{
    node_id list = array_in(f, "App.List", "App.Shop.s_list"), above = list;
    for (uint32_t i = 0; i < k; i++) {
        node_id turn = forge_object(f, "App.Turn", 40);
        forge_reference(f, above, turn);
        above = turn;
        char type[64];
        snprintf(type, sizeof(type), "App.Other%u", i);
        turn = forge_object(f, type, 40);
        forge_reference(f, above, turn);
        above = turn;
    }
    deep(f, MANY + 10000 * (uint32_t)k, above);
}

Test(bad_sizes, a_deep_list)
{
    hd_report_free(timely(deep_list, NULL));
}

Test(bad_sizes, very_many_heads_far_below_each_other)
{
    struct hd_report *r = timely(deep_and_bushy, NULL);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].type, "System.Byte[]");
    hd_report_free(r);
}

Test(bad_sizes, a_deep_list_that_is_entered_elsewhere)
{
    struct hd_report *r = timely(deep_and_turned, NULL);
    cr_assert_geq(r->diff.suspect_count, 1);
    cr_expect_eq(r->diff.suspects[0].basis, HD_BASIS_TYPE);
    hd_report_free(r);
}

/* --- names of what is deep
 * ---------------------------------------------------------------- */

static void deep_leak(struct forge *f, size_t k)
{
    enum { DEPTH = 50 };
    node_id level = deep(f, DEPTH, array_in(f, "App.List", "App.Shop.s_list")) + DEPTH - 1;
    node_id leak = forge_objects(f, "App.Leak", 1000, 100 * (1 + (uint32_t)k));
    for (uint32_t i = 0; i < 100 * (1 + k); i++)
        forge_reference(f, level, leak + i);
}

static void open_deep_leak(struct hd_snapshot **snaps)
{
    for (size_t k = 0; k < SNAPSHOTS; k++) {
        struct forge f = {0};
        deep_leak(&f, k);
        snaps[k] = forge_finish(&f);
    }
}

/* The output of --by=holder can be copied into a suppression. */
Test(bad_sizes, a_deep_holder_has_the_same_name_for_rows_and_for_suspects)
{
    struct hd_snapshot *snaps[SNAPSHOTS];
    struct hd_options opt = hd_default_options();
    opt.by = HD_BY_HOLDER;
    open_deep_leak(snaps);
    struct hd_report *rows = diff_of(snaps, SNAPSHOTS, &opt);
    open_deep_leak(snaps);
    struct hd_report *r = diff_of(snaps, SNAPSHOTS, NULL);
    cr_assert_eq(r->diff.suspect_count, 1);
    cr_assert_eq(r->diff.suspects[0].head_count, 1);
    cr_expect_str_eq(r->diff.suspects[0].heads[0].holder, rows->diff.types.rows[0].type);
    expect_part(rows->diff.types.rows[0].type, "App.Level0 → App.Level1 → … → App.Level1");
    cr_expect_eq(r->diff.suspects[0].holder_len, 33);
    cr_expect_str_eq(r->diff.suspects[0].holder[16], "…");
    cr_expect_str_eq(r->diff.suspects[0].holder[32], "App.Level5");
    hd_report_free(rows);
    hd_report_free(r);
}
