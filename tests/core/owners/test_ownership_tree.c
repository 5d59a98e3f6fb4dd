#include "owners/ownership_tree.h"

#include "owners/tree_paths.h"
#include "ranking/ranked.h"
#include "support/large.h"

#include <stdlib.h>

/* Seconds for a million objects: without recursion or quadratic steps. */

#define PATIENCE 60

/* Number of paths of the ownership tree, without the root. */
static void expect_path_count(const struct ranked *r, size_t count)
{
    cr_expect_eq(r->tree.len, 1 + count, "%zu paths", r->tree.len - 1);
}

static void expect_one(struct ranked *r, const char *name, uint64_t count,
                       uint64_t retained)
{
    expect_path(r, name, &count, &retained);
}

/* A heap with one group of roots. */
static node_id begin(struct forge *f)
{
    return heap_group(f, heap_root(f), "[static vars]");
}

static void finish(struct ranked *r, struct forge *f)
{
    aligned_add(&r->a, forge_finish(f));
    fold_series(r);
}

/* A chain of objects of 8 bytes, below holder. */
static node_id add_chain(struct forge *f, node_id holder, const char *const *types,
                         size_t type_count, size_t len)
{
    for (size_t i = 0; i < len; i++)
        holder = heap_object(f, holder, types[i % type_count], 8);
    return holder;
}

/* --- folding ---------------------------------------------------------------------- */

Test(tree, a_linked_list_is_one_path)
{
    static const char *const node[] = {"App.Node"};
    struct ranked r = {0};
    struct forge f = {0};
    node_id statics = begin(&f), list = heap_object(&f, statics, "App.List", 24);
    node_id last = add_chain(&f, list, node, 1, 100);
    heap_object(&f, last, "App.Tail", 40);
    finish(&r, &f);
    expect_path_count(&r, 4);
    expect_one(&r, "App.List", 1, 824);
    expect_one(&r, "App.List > App.Node", 100, 800);
    expect_one(&r, "App.Tail", 1, 40);
    ranked_free(&r);
}

Test(tree, a_tree_is_one_path)
{
    enum { NODES = 127 };
    struct ranked r = {0};
    struct forge f = {0};
    node_id statics = begin(&f), first = forge_objects(&f, "App.Node", 8, NODES);
    forge_reference(&f, statics, first);
    for (node_id i = 1; i < NODES; i++)
        forge_reference(&f, first + (i - 1) / 2, first + i);
    finish(&r, &f);
    expect_path_count(&r, 2);
    expect_one(&r, "[static vars] > App.Node", NODES, 8 * NODES);
    ranked_free(&r);
}

Test(tree, a_dictionary_in_a_dictionary_is_two_paths)
{
    static const char *const nested[] = {"App.Map", "Entry[]"};
    struct ranked r = {0};
    struct forge f = {0};
    add_chain(&f, begin(&f), nested, 2, 40);
    finish(&r, &f);
    expect_path_count(&r, 3);
    expect_one(&r, "[static vars] > App.Map", 20, 320);
    expect_one(&r, "[static vars] > App.Map > Entry[]", 20, 160);
    ranked_free(&r);
}

static const char *const nine_types[] = {"App.A", "App.B", "App.C", "App.D", "App.E",
                                         "App.F", "App.G", "App.H", "App.I"};

Test(tree, eight_types_in_a_cycle_fold_and_nine_do_not)
{
    for (size_t types = 8; types <= 9; types++) {
        struct ranked r = {0};
        struct forge f = {0};
        add_chain(&f, begin(&f), nine_types, types, 3 * types);
        finish(&r, &f);
        expect_path_count(&r, 1 + (types == 8 ? types : 3 * types));
        ranked_free(&r);
    }
}

/* The first type of a snapshot has the same number as the root's label. */
Test(tree, nothing_folds_into_the_root)
{
    struct ranked r = {0};
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 8, 2);
    node_id root = heap_root(&f);
    forge_reference(&f, root, first);
    forge_reference(&f, root, first + 1);
    finish(&r, &f);
    expect_path_count(&r, 1);
    expect_one(&r, "App.Node", 2, 16);
    ranked_free(&r);
}

Test(tree, is_as_deep_as_a_million_objects_that_do_not_fold, .timeout = PATIENCE)
{
    struct ranked r = {0};
    struct forge f = {0};
    add_chain(&f, begin(&f), nine_types, 9, MILLION);
    finish(&r, &f);
    expect_path_count(&r, 1 + MILLION);
    path_id last = (path_id)r.tree.len - 1;
    cr_expect_eq(tree_depth(&r.tree, last), 1 + MILLION);
    cr_expect_eq(r.tree.retained[last], 8);
    cr_expect_eq(r.tree.retained[0], 8 * (uint64_t)MILLION);
    ranked_free(&r);
}

Test(tree, of_a_million_list_nodes_is_one_path, .timeout = PATIENCE)
{
    static const char *const node[] = {"App.Node"};
    struct ranked r = {0};
    struct forge f = {0};
    add_chain(&f, begin(&f), node, 1, MILLION);
    finish(&r, &f);
    expect_path_count(&r, 2);
    expect_one(&r, "[static vars] > App.Node", MILLION, 8 * (uint64_t)MILLION);
    ranked_free(&r);
}

/* --- anchors and alignment ---------------------------------------------------------- */

/* [static vars] -> services x App.Service -> App.List -> App.Item. */
static void add_services(struct ranked *r, uint32_t services)
{
    struct forge f = {0};
    node_id statics = begin(&f);
    for (uint32_t i = 0; i < services; i++) {
        node_id service = heap_object(&f, statics, "App.Service", 24);
        heap_objects(&f, heap_object(&f, service, "App.List", 32), "App.Item", 8, 2);
    }
    aligned_add(&r->a, forge_finish(&f));
}

Test(tree, paths_begin_at_types_that_never_have_two_objects)
{
    struct ranked r = {0};
    add_services(&r, 1);
    add_services(&r, 1);
    fold_series(&r);
    expect_path_count(&r, 4);
    expect_path(&r, "[static vars]", (uint64_t[]){1, 1}, (uint64_t[]){0, 0});
    expect_path(&r, "App.Service", (uint64_t[]){1, 1}, (uint64_t[]){24, 24});
    expect_path(&r, "App.List", (uint64_t[]){1, 1}, (uint64_t[]){48, 48});
    expect_path(&r, "App.List > App.Item", (uint64_t[]){2, 2}, (uint64_t[]){16, 16});
    ranked_free(&r);
}

Test(tree, a_type_with_two_objects_in_any_snapshot_is_not_an_anchor)
{
    struct ranked r = {0};
    add_services(&r, 1);
    add_services(&r, 2);
    add_services(&r, 1);
    fold_series(&r);
    expect_path_count(&r, 4);
    expect_path(&r, "[static vars] > App.Service", (uint64_t[]){1, 2, 1},
                (uint64_t[]){72, 144, 72});
    expect_path(&r, "[static vars] > App.Service > App.List > App.Item",
                (uint64_t[]){2, 4, 2}, (uint64_t[]){16, 32, 16});
    ranked_free(&r);
}

Test(tree, unreachable_objects_do_not_count)
{
    struct ranked r = {0};
    struct forge f = {0};
    node_id statics = begin(&f), kept = heap_object(&f, statics, "App.Service", 24);
    node_id lost = forge_object(&f, "App.Service", 24);
    finish(&r, &f);
    expect_one(&r, "App.Service", 1, 24);
    cr_expect_neq(r.tree.full[0].at_node[kept], NO_PATH);
    cr_expect_eq(r.tree.full[0].at_node[lost], NO_PATH);
    ranked_free(&r);
}

/* A service whose owner changes keeps its path and its children. */
Test(tree, a_change_above_an_anchor_moves_nothing_below_it)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f);
        node_id group = heap_group(&f, root, k == 0 ? "[static vars]" : "[local vars]");
        node_id owner = heap_object(&f, group, k == 0 ? "App.Old" : "App.New", 24);
        heap_objects(&f, heap_object(&f, owner, "App.Service", 32), "App.Item", 8, 5);
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    expect_path_count(&r, 6);
    expect_path(&r, "App.Service > App.Item", (uint64_t[]){5, 5}, (uint64_t[]){40, 40});
    expect_path(&r, "App.Old", (uint64_t[]){1, 0}, (uint64_t[]){24, 0});
    expect_path(&r, "App.New", (uint64_t[]){0, 1}, (uint64_t[]){0, 24});
    ranked_free(&r);
}

Test(tree, a_path_has_its_place_in_every_snapshot)
{
    struct ranked r = {0};
    add_services(&r, 0);
    add_services(&r, 1);
    fold_series(&r);
    path_id item = ranked_path(&r, "App.List > App.Item");
    cr_expect_eq(tree_depth(&r.tree, item), 2);
    cr_expect_eq(tree_depth(&r.tree, 0), 0);
    cr_expect_eq(r.tree.full_of[item * 2], NO_PATH);
    const struct full_tree *full = &r.tree.full[1];
    path_id at = r.tree.full_of[item * 2 + 1];
    static const char *const upwards[] = {"App.Item", "App.List", "App.Service",
                                          "[static vars]"};
    for (size_t i = 0; i < 4; i++, at = full->parent[at])
        cr_expect_str_eq(r.tree.labels.all[full->label[at]].name, upwards[i]);
    cr_expect_eq(at, 0);
    ranked_free(&r);
}

/* A type may have the name of a writer's group of roots. */
Test(tree, an_object_and_a_pseudo_node_of_one_name_are_different)
{
    struct ranked r = {0};
    struct forge f = {0};
    heap_objects(&f, heap_group(&f, begin(&f), "App.Shop"), "App.Shop", 24, 2);
    finish(&r, &f);
    expect_path_count(&r, 3);
    expect_one(&r, "App.Shop > App.Shop", 2, 48);
    ranked_free(&r);
}

/* Young objects are not counted, but remain as owners; two of one type remain two at any
 * age. */
Test(tree, counts_what_is_selected_and_keeps_the_way_to_it)
{
    struct ranked r = {.selection = SELECT_GEN2};
    struct forge f = {0};
    node_id statics = begin(&f);
    for (uint32_t i = 0; i < 2; i++) {
        node_id young = heap_object(&f, statics, "App.Request", 24);
        forge_generation(&f, young, i == 0 ? HD_GEN0 : HD_GEN2);
        forge_generation(&f, heap_object(&f, young, "App.User", 40), HD_GEN2);
    }
    finish(&r, &f);
    expect_one(&r, "[static vars] > App.Request", 1, 104);
    expect_one(&r, "[static vars] > App.Request > App.User", 2, 80);
    ranked_free(&r);
}

/* --- samples ------------------------------------------------------------------------ */

/* Each object of this type represents ten, others one. */
Test(tree, counts_the_objects_that_a_sample_represents)
{
    struct ranked r = {0};
    struct forge f = {0};
    node_id cache = heap_object(&f, begin(&f), "App.Cache", 24);
    heap_objects(&f, cache, "App.Item", 8, 5);
    forge_multiplier(&f, "App.Item", 10);
    finish(&r, &f);
    expect_one(&r, "App.Cache > App.Item", 50, 400);
    expect_one(&r, "App.Cache", 1, 424);
    const struct label *item = &r.tree.labels.all[r.tree.label[r.tree.len - 1]];
    cr_expect_str_eq(item->name, "App.Item");
    cr_expect_eq(item->scale[0], 10);
    ranked_free(&r);
}

/* --- order -------------------------------------------------------------------------- */

/* Twice the number in the second snapshot, so that no type is an anchor. */
Test(tree, paths_have_an_order_by_the_names_along_them)
{
    static const char *const in_order[] = {
        "",      "App.A",         "App.B",        "App.B > App.Z", "App.B > App.Z > App.Y",
        "App.C", "App.C > App.A", "[static vars]"};
    struct ranked r = {0};
    for (uint32_t times = 1; times <= 2; times++) {
        struct forge f = {0};
        node_id root = heap_root(&f);
        for (uint32_t i = 0; i < times; i++) {
            node_id c = heap_object(&f, root, "App.C", 8);
            heap_group(&f, root, "[static vars]");
            heap_object(&f, c, "App.A", 8);
            node_id z = heap_object(&f, heap_object(&f, root, "App.B", 8), "App.Z", 8);
            heap_object(&f, z, "App.Y", 8);
            heap_object(&f, root, "App.A", 8);
        }
        aligned_add(&r.a, forge_finish(&f));
    }
    fold_series(&r);
    uint32_t *order = ownership_tree_order(&r.tree);
    for (uint32_t i = 1; i < 8; i++)
        cr_expect_eq(order[ranked_path(&r, in_order[i])], i, "%s", in_order[i]);
    cr_expect_eq(order[0], 0);
    free(order);
    ranked_free(&r);
}
