#include "ranking/suspect_title.h"

#include "ranking/ranked.h"

/* [static vars] -> a chain of types, each object holding one of the next, in 10 and then 20
 * copies. */
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

/* All types with more objects in the last snapshot grow. */
static const char *find_subject(struct ranked *r, const char *head)
{
    const struct ownership_tree *t = &r->tree;
    bool *grows = arena_array(&r->a.arena, bool, t->len);
    for (path_id p = 1; p < t->len; p++)
        grows[p] = t->count[(p + 1) * t->snapshots - 1] > t->count[p * t->snapshots];
    struct title_tree tree = title_tree_of(t, grows, &r->a.arena);
    return suspect_title_of(&tree, ranked_path(r, head), NULL);
}

/* Expects the title of the first type of a chain. */
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

/* --- 1. level by level -----------------------------------------------------------------
 */

Test(title, is_the_first_class_of_the_program_on_the_way_down)
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

/* Classes with a namespace are preferred; a dot inside < > does not count. */
Test(title, prefers_a_namespace)
{
    EXPECT_SUBJECT("App.Order", "CacheEntry", "App.Order");
    EXPECT_SUBJECT("App.Order", "Box<App.Line>", "CacheEntry", "App.Order");
}

/* The head is level 0; types beyond level 8 are ignored. */
Test(title, is_looked_for_eight_levels_down)
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

/* Delegates with targets of several kinds; counts are those of two snapshots. */
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

Test(title, of_several_is_the_one_with_the_largest_retained_growth)
{
    static const struct target targets[] = {{"App.Big", 1000, {10, 20}},
                                            {"App.Bigger", 500, {10, 40}}};
    expect_target(targets, 2, "App.Bigger");
}

Test(title, of_equals_is_the_first_by_name)
{
    static const struct target targets[] = {
        {"App.C", 8, {10, 20}}, {"App.A", 8, {10, 20}}, {"App.B", 8, {10, 20}}};
    expect_target(targets, 3, "App.A");
}

/* 20 delegates more: the target must grow with at least half of them. */
Test(title, must_grow_with_at_least_half_of_the_heads)
{
    static const struct target few[] = {{"App.Rare", 1000, {10, 19}},
                                        {"App.Order", 8, {10, 20}}};
    expect_target(few, 2, "App.Order");
    static const struct target only_few[] = {{"App.Rare", 1000, {10, 19}}};
    expect_target(only_few, 1, "System.Action");
}

Test(title, does_not_shrink_or_stay)
{
    static const struct target targets[] = {{"App.Steady", 1000, {20, 20}},
                                            {"App.Fewer", 1000, {30, 20}}};
    expect_target(targets, 2, "System.Action");
}

/* More objects below the head are not enough: they may only have gained a second owner. */
Test(title, is_something_that_grows)
{
    static const char *const types[] = {"System.Action", "App.Order"};
    struct ranked r = {0};
    add_chain(&r, types, 2);
    fold_series(&r);
    bool *grows = arena_array(&r.a.arena, bool, r.tree.len);
    struct title_tree tree = title_tree_of(&r.tree, grows, &r.a.arena);
    path_id head = ranked_path(&r, "[static vars] > System.Action");
    cr_expect_str_eq(suspect_title_of(&tree, head, NULL), "System.Action");
    ranked_free(&r);
}

/* The level counts, not the bytes. */
Test(title, on_an_earlier_level_wins)
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

Test(title, without_a_namespace_anywhere_is_the_first_that_is_not_plain)
{
    EXPECT_SUBJECT("CacheEntry", "CacheEntry", "System.String");
    EXPECT_SUBJECT("CacheEntry", "System.Object", "CacheEntry", "Other");
    EXPECT_SUBJECT("CacheEntry", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "CacheEntry");
    EXPECT_SUBJECT("System.A", "System.A", "System.B", "System.C", "System.D", "System.E",
                   "System.F", "System.G", "System.H", "System.I", "CacheEntry");
}

/* --- 2. up the path, 3. the type itself ------------------------------------------------
 */

/* A chain of single objects, and strings that grow in the last one. */
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

Test(title, above_is_the_nearest_class_of_the_program)
{
    static const char *const groups[] = {"[static vars]", "[static var App.Shop.s_log]"};
    static const char *const types[] = {"App.Shop", "Log", "List<System.String>",
                                        "System.String[]"};
    expect_above(groups, 2, types, 4, "Log");
}

Test(title, above_may_be_a_static_variable)
{
    static const char *const groups[] = {"[static vars]", "[static var App.Shop.s_log]"};
    static const char *const types[] = {"List<System.String>", "System.String[]"};
    expect_above(groups, 2, types, 2, "[static var App.Shop.s_log]");
}

Test(title, without_candidates_is_the_type_itself)
{
    static const char *const groups[] = {"[local vars]"};
    static const char *const types[] = {"List<System.String>", "System.String[]"};
    expect_above(groups, 1, types, 2, "System.String");
    expect_above(groups, 1, NULL, 0, "System.String");
}

/* A growing buffer has no more objects, so there is no candidate below it. */
Test(title, of_a_type_that_grows_in_size_is_searched_above)
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

/* --- whose it is -----------------------------------------------------------------------
 */

/* A chain as above in a process, each type with its module ("": unknown). */
static const char *subject_among(const char *const *types, const char *const *modules,
                                 size_t len, struct ranked *r)
{
    add_chain(r, types, len);
    for (size_t k = 0; k < 2; k++) {
        struct hd_snapshot *snap = r->a.snaps[k];
        snap->info.process = "Acme.Web";
        for (type_id t = 0; t < snap->type_count; t++)
            for (size_t i = 0; i < len; i++)
                if (strcmp(snap->types[t].name, types[i]) == 0)
                    snap->types[t].module = modules[i];
    }
    fold_series(r);
    return find_subject(r, arena_printf(&r->a.arena, "[static vars] > %s", types[0]));
}

/* An Akka actor: the program's class is below three classes of the package. A type nested
 * in a class of the framework does not belong to the program. */
Test(title, is_the_programs_own_class_before_that_of_a_package)
{
    static const char *const actor[] = {"Akka.Actor.ActorCell", "Akka.Actor.Props",
                                        "Acme.Web.OrderSaga", "Acme.Web.Order"};
    static const char *const of_actor[] = {"Akka.dll", "Akka.dll", "Acme.Web.dll",
                                           "Acme.Web.dll"};
    static const char *const cell[] = {"Akka.Actor.ActorCell", "Child", "System.String"};
    static const char *const of_cell[] = {"Akka.dll", "Acme.Web.dll", "System.Runtime.dll"};
    static const char *const timer[] = {"System.Threading.TimerQueueTimer",
                                        "Registrations"};
    static const char *const of_timer[] = {"System.Private.CoreLib.dll",
                                           "System.Private.CoreLib.dll"};
    struct ranked a = {0}, b = {0}, c = {0};
    cr_expect_str_eq(subject_among(actor, of_actor, 4, &a), "Acme.Web.OrderSaga");
    cr_expect_str_eq(subject_among(cell, of_cell, 3, &b), "Child");
    cr_expect_str_eq(subject_among(timer, of_timer, 2, &c),
                     "System.Threading.TimerQueueTimer");
    ranked_free(&a);
    ranked_free(&b);
    ranked_free(&c);
}

/* Below Acme.Web.Host the package's registry is nearer; without it, the head itself. */
Test(title, above_is_the_programs_own_class_before_that_of_a_package)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id at = heap_group(&f, heap_root(&f), "[static vars]");
        at = heap_object(&f, at, "Acme.Web.Host", 24);
        at = heap_object(&f, at, "Polly.Registry", 24);
        heap_objects(&f, at, "System.String", 50, 10 + 10 * k);
        forge_module(&f, "Acme.Web.Host", "/app/Acme.Web.dll");
        forge_module(&f, "Polly.Registry", "/app/Polly.Core.dll");
        struct hd_snapshot *snap = forge_finish(&f);
        snap->info.process = "Acme.Web";
        aligned_add(&r.a, snap);
    }
    fold_series(&r);
    cr_expect_str_eq(find_subject(&r, "Polly.Registry > System.String"), "Acme.Web.Host");
    const struct full_tree *f = &r.tree.full[1];
    for (path_id p = 1; p < f->len; p++)
        if (strcmp(r.tree.labels.all[f->label[p]].name, "System.String") == 0)
            cr_expect_str_eq(suspect_title_above(&r.tree.labels, f, p), "Acme.Web.Host");
    ranked_free(&r);
}
