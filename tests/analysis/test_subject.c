#include "analysis/subject.h"

#include "analysis/ranked.h"

/* [static vars] -> a chain of types, each object holding one of the next, in 10 and then
 * 20 copies. */
static void add_chain(struct ranked *r, const char *const *types, size_t len)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id at = heap_group(&f, heap_root(&f), "[static vars]");
        uint32_t count = 10 + 10 * k;
        node_id above = 0;
        for (size_t i = 0; i < len; i++) {
            node_id first = forge_objects(&f, types[i], 8, count);
            for (uint32_t c = 0; c < count; c++)
                forge_reference(&f, i == 0 ? at : above + c, first + c);
            above = first;
        }
        aligned_add(&r->a, forge_finish(&f));
    }
}

/* All that has more objects in the last snapshot grows. */
static const char *find_subject(struct ranked *r, const char *head)
{
    const struct trie *t = &r->trie;
    bool *grows = arena_array(&r->a.arena, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = t->count[(p + 1) * t->snapshots - 1] > t->count[p * t->snapshots];
    struct subject_tree tree = subject_tree_of(t, grows, &r->a.arena);
    return subject_of(&tree, ranked_path(r, head), NULL);
}

/* Of the first type of a chain. */
static void expect_subject(const char *const *types, size_t len, const char *wanted)
{
    struct ranked r = {0};
    add_chain(&r, types, len);
    fold_series(&r);
    const char *head = arena_printf(&r.a.arena, "[static vars] > %s", types[0]);
    const char *got = find_subject(&r, head);
    cr_expect_str_eq(got, wanted, "%s: %s and not %s", types[0], got, wanted);
    ranked_free(&r);
}

#define EXPECT_SUBJECT(wanted, ...)                    \
    expect_subject((const char *const[]){__VA_ARGS__}, \
                   sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (wanted))

/* --- plain names -------------------------------------------------------------------- */

Test(subject, plain_are_the_framework_arrays_groups_and_generics_without_a_namespace)
{
    static const struct {
        const char *name;
        bool plain;
    } cases[] = {
        {"System.String", true},
        {"Microsoft.Extensions.Logging.Logger", true},
        {"<>c__DisplayClass3_0", true},
        {"[static vars]", true},
        {"App.Order[]", true},
        {"Node<System.String,App.Session>", true},
        {"App.Order", false},
        {"CacheEntry", false},
        {"App.Node<System.String>", false},
        {"SystemClock", false},
        {"MicrosoftLogin", false},
        {"App.List<App.Order[]>", false},
        {"", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(subject_is_plain(cases[i].name), cases[i].plain, "%s", cases[i].name);
}

/* --- 1. level by level -----------------------------------------------------------------
 */

Test(subject, is_the_first_class_of_the_program_on_the_way_down)
{
    EXPECT_SUBJECT("App.OrderNotifier", "System.EventHandler", "App.OrderNotifier",
                   "App.Order");
    EXPECT_SUBJECT("Shop.Session", "Node<System.String,Shop.Session>", "Shop.Session",
                   "System.String");
    EXPECT_SUBJECT("Shop.Reminder", "System.Threading.TimerQueueTimer",
                   "System.Threading.TimerCallback", "Shop.Reminder");
    EXPECT_SUBJECT("App.Order", "App.Order", "App.Line");
    EXPECT_SUBJECT("App.Order<X>", "System.Object", "App.Order<X>");
}

/* Classes without a namespace are passed by if there is one with, and a dot inside < >
 * is none. */
Test(subject, prefers_a_namespace)
{
    EXPECT_SUBJECT("App.Order", "CacheEntry", "App.Order");
    EXPECT_SUBJECT("App.Order", "Box<App.Line>", "CacheEntry", "App.Order");
}

/* The head is level 0; the first type behind level 8 is too far. */
Test(subject, is_looked_for_eight_levels_down)
{
    EXPECT_SUBJECT("App.Order", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "App.Order");
    EXPECT_SUBJECT("System.A", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "System.I", "App.Order");
    EXPECT_SUBJECT("App.Order", "CacheEntry", "System.B", "System.C", "System.D",
                   "System.E", "System.F", "System.G", "System.H", "App.Order");
    EXPECT_SUBJECT("CacheEntry", "CacheEntry", "System.B", "System.C", "System.D",
                   "System.E", "System.F", "System.G", "System.H", "System.I", "App.Order");
}

/* Delegates, each with a target of another kind; counts are those of two snapshots. */
struct target {
    const char *type;
    uint64_t size;
    uint32_t count[2];
};

/* [static vars] -> 10, then 30 delegates; targets are dealt out one after the other. */
static void add_delegates(struct ranked *r, const struct target *targets, size_t len)
{
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
        uint32_t count = 10 + 20 * k;
        node_id first = heap_objects(&f, statics, "System.Action", 64, count);
        for (size_t i = 0; i < len; i++)
            for (uint32_t c = 0; c < targets[i].count[k]; c++)
                heap_object(&f, first + c % count, targets[i].type, targets[i].size);
        aligned_add(&r->a, forge_finish(&f));
    }
}

static void expect_target(const struct target *targets, size_t len, const char *wanted)
{
    struct ranked r = {0};
    add_delegates(&r, targets, len);
    fold_series(&r);
    const char *got = find_subject(&r, "[static vars] > System.Action");
    cr_expect_str_eq(got, wanted, "%s and not %s", got, wanted);
    ranked_free(&r);
}

Test(subject, of_several_is_the_one_that_retains_most_more)
{
    static const struct target targets[] = {{"App.Big", 1000, {10, 20}},
                                            {"App.Bigger", 500, {10, 40}}};
    expect_target(targets, 2, "App.Bigger");
}

Test(subject, of_equals_is_the_first_by_name)
{
    static const struct target targets[] = {
        {"App.C", 8, {10, 20}}, {"App.A", 8, {10, 20}}, {"App.B", 8, {10, 20}}};
    expect_target(targets, 3, "App.A");
}

/* 20 delegates more: a target that comes with half of them is one, with fewer is none. */
Test(subject, comes_with_half_of_the_heads_at_least)
{
    static const struct target few[] = {{"App.Rare", 1000, {10, 19}},
                                        {"App.Order", 8, {10, 20}}};
    expect_target(few, 2, "App.Order");
    static const struct target only_few[] = {{"App.Rare", 1000, {10, 19}}};
    expect_target(only_few, 1, "System.Action");
}

Test(subject, does_not_shrink_or_stay)
{
    static const struct target targets[] = {{"App.Steady", 1000, {20, 20}},
                                            {"App.Fewer", 1000, {30, 20}}};
    expect_target(targets, 2, "System.Action");
}

/* More objects are not enough: one that only gained a second owner does not grow. */
Test(subject, is_something_that_grows)
{
    static const char *const types[] = {"System.Action", "App.Order"};
    struct ranked r = {0};
    add_chain(&r, types, 2);
    fold_series(&r);
    bool *grows = arena_array(&r.a.arena, bool, r.trie.len);
    struct subject_tree tree = subject_tree_of(&r.trie, grows, &r.a.arena);
    path_id head = ranked_path(&r, "[static vars] > System.Action");
    cr_expect_str_eq(subject_of(&tree, head, NULL), "System.Action");
    ranked_free(&r);
}

/* The level counts, not the bytes. */
Test(subject, on_an_earlier_level_wins)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
        for (uint32_t i = 0; i < 10 + 10 * k; i++) {
            node_id action = heap_object(&f, statics, "System.Action", 64);
            node_id object = heap_object(&f, action, "System.Object", 24);
            heap_object(&f, object, "App.Deep", 5000);
            heap_object(&f, action, "App.Near", 8);
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    cr_expect_str_eq(find_subject(&r, "[static vars] > System.Action"), "App.Near");
    ranked_free(&r);
}

/* --- 2. down the largest ---------------------------------------------------------------
 */

Test(subject, without_a_namespace_anywhere_is_the_first_that_is_not_plain)
{
    EXPECT_SUBJECT("CacheEntry", "CacheEntry", "System.String");
    EXPECT_SUBJECT("CacheEntry", "System.Object", "CacheEntry", "Other");
    EXPECT_SUBJECT("CacheEntry", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "CacheEntry");
    EXPECT_SUBJECT("System.A", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "System.I", "CacheEntry");
}

Test(subject, is_not_found_below_a_smaller_child)
{
    static const struct target targets[] = {{"Small", 8, {10, 30}},
                                            {"System.Large", 1000, {10, 30}}};
    expect_target(targets, 2, "System.Action");
    static const struct target other[] = {{"System.Small", 8, {10, 30}},
                                          {"Large", 1000, {10, 30}}};
    expect_target(other, 2, "Large");
}

/* --- 3. up the path, 4. the type itself --------------------------------------------------
 */

/* A chain of single objects, and strings that grow in the last of them. */
static void expect_above(const char *const *groups, size_t group_count,
                         const char *const *types, size_t type_count, const char *wanted)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id at = heap_root(&f);
        for (size_t i = 0; i < group_count; i++)
            at = heap_group(&f, at, groups[i]);
        for (size_t i = 0; i < type_count; i++)
            at = heap_object(&f, at, types[i], 24);
        heap_objects(&f, at, "System.String", 50, 10 + 10 * k);
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    const char *parent = type_count > 0 ? types[type_count - 1] : groups[group_count - 1];
    const char *head = arena_printf(&r.a.arena, "%s > System.String", parent);
    cr_expect_str_eq(find_subject(&r, head), wanted);
    ranked_free(&r);
}

Test(subject, above_is_the_nearest_class_of_the_program)
{
    static const char *const groups[] = {"[static vars]", "[static var App.Shop.s_log]"};
    static const char *const types[] = {"App.Shop", "Log", "List<System.String>",
                                        "System.String[]"};
    expect_above(groups, 2, types, 4, "Log");
}

Test(subject, above_may_be_a_static_variable)
{
    static const char *const groups[] = {"[static vars]", "[static var App.Shop.s_log]"};
    static const char *const types[] = {"List<System.String>", "System.String[]"};
    expect_above(groups, 2, types, 2, "[static var App.Shop.s_log]");
}

Test(subject, with_nothing_else_is_the_type_itself)
{
    static const char *const groups[] = {"[local vars]"};
    static const char *const types[] = {"List<System.String>", "System.String[]"};
    expect_above(groups, 1, types, 2, "System.String");
    expect_above(groups, 1, NULL, 0, "System.String");
}

/* A buffer that grows has no more objects, so nothing below it is a candidate. */
Test(subject, of_what_grows_in_size_is_looked_for_above)
{
    struct ranked r = {0};
    for (uint64_t k = 1; k <= 2; k++) {
        struct forge f = {0};
        node_id log =
            heap_object(&f, heap_group(&f, heap_root(&f), "[static vars]"), "App.Log", 24);
        node_id array = heap_object(&f, log, "System.Object[]", 1000 * k);
        heap_objects(&f, array, "App.Line", 8, 2 * (uint32_t)k);
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    cr_expect_str_eq(find_subject(&r, "System.Object[]"), "App.Log");
    ranked_free(&r);
}
