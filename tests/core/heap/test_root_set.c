#include "heap/root_set.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { OBJECTS = 4 };

/* A heap of four objects without references. */
static struct builder begin(void)
{
    struct builder b = builder_begin(NULL, "test");
    b.want_graph = true;
    uint32_t type = builder_type(&b, TYPE_OBJECT, "T", 1);
    for (int i = 0; i < OBJECTS; i++) {
        cr_assert(builder_object(&b, type, 8, HD_GEN_UNKNOWN));
        builder_node(&b, type, 8);
    }
    return b;
}

static void add(struct root_set *s, enum hd_root_kind kind, const char *name,
                node_id object)
{
    root_set_add(s, kind, name, name != NULL ? strlen(name) : 0, object);
}

static struct hd_snapshot *finish(struct root_set *s, struct builder *b)
{
    root_set_emit(s, b);
    root_set_free(s);
    struct hd_snapshot *snap = builder_finish(b, NULL);
    cr_assert_not_null(snap);
    return snap;
}

/* Prints the tree below the root in one line: "[local vars](0 1) [static vars](...)". */
static void print_tree(const struct hd_snapshot *snap, node_id n, char *to, size_t size)
{
    const struct graph *g = snap->graph;
    size_t len = 0;
    to[0] = '\0';
    for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++) {
        node_id child = g->edge_to[e];
        const char *space = e > g->edge_begin[n] ? " " : "";
        if (child < OBJECTS) {
            len += (size_t)snprintf(to + len, size - len, "%s%u", space, child);
            continue;
        }
        char below[256];
        print_tree(snap, child, below, sizeof(below));
        len += (size_t)snprintf(to + len, size - len, "%s%s(%s)", space,
                                snap->types[g->type[child]].name, below);
    }
}

static void expect_tree(const struct hd_snapshot *snap, const char *wanted)
{
    char tree[1024];
    cr_expect_str_eq(snap->types[snap->graph->type[snap->graph->root]].name, "[roots]");
    print_tree(snap, snap->graph->root, tree, sizeof(tree));
    cr_expect_str_eq(tree, wanted, "\n%s\nand not\n%s", tree, wanted);
}

Test(root_set, groups_are_in_the_order_of_kinds)
{
    struct root_set s = {0};
    struct builder b = begin();
    add(&s, HD_ROOT_OTHER, NULL, 0);
    add(&s, HD_ROOT_FINALIZER, NULL, 1);
    add(&s, HD_ROOT_STACK, NULL, 2);
    add(&s, HD_ROOT_DEPENDENT_HANDLE, NULL, 3);
    add(&s, HD_ROOT_REF_COUNTED_HANDLE, NULL, 0);
    add(&s, HD_ROOT_PINNED_HANDLE, NULL, 1);
    add(&s, HD_ROOT_STRONG_HANDLE, NULL, 2);
    add(&s, HD_ROOT_THREAD_STATIC, NULL, 3);
    struct hd_snapshot *snap = finish(&s, &b);
    expect_tree(snap, "[thread static vars](3) [strong Handles](2) [pinning Handles](1) "
                      "[COM/WinRT Objects](0) [Dependent Handles](3) [local vars](2) "
                      "[finalizer Handles](1) [other roots](0)");
    cr_expect_eq(snap->info.roots, 8);
    for (int k = HD_ROOT_THREAD_STATIC; k <= HD_ROOT_OTHER; k++)
        cr_expect_eq(snap->roots_by_kind[k], 1, "%s", root_kind_names[k]);
    hd_snapshot_close(snap);
}

Test(root_set, roots_of_a_group_keep_their_order_and_repeat)
{
    struct root_set s = {0};
    struct builder b = begin();
    add(&s, HD_ROOT_STACK, NULL, 3);
    add(&s, HD_ROOT_STRONG_HANDLE, NULL, 1);
    add(&s, HD_ROOT_STACK, NULL, 3);
    add(&s, HD_ROOT_STACK, NULL, 0);
    struct hd_snapshot *snap = finish(&s, &b);
    expect_tree(snap, "[strong Handles](1) [local vars](3 3 0)");
    hd_snapshot_close(snap);
}

Test(root_set, a_static_variable_is_one_node_however_many_objects_it_holds)
{
    struct root_set s = {0};
    struct builder b = begin();
    add(&s, HD_ROOT_STATIC, "App.B", 2);
    add(&s, HD_ROOT_STATIC, "App.A", 1);
    add(&s, HD_ROOT_STATIC, "App.B", 0);
    struct hd_snapshot *snap = finish(&s, &b);
    expect_tree(snap, "[static vars]([static var App.B](2 0) [static var App.A](1))");
    cr_expect_eq(snap->info.roots, 3);
    cr_expect_eq(snap->roots_by_kind[HD_ROOT_STATIC], 3);
    cr_expect_eq(snap->info.reachable_objects, 3);
    hd_snapshot_close(snap);
}

Test(root_set, names_of_statics_are_copied)
{
    char name[] = "App.Cache";
    struct root_set s = {0};
    struct builder b = begin();
    root_set_add(&s, HD_ROOT_STATIC, name, 5, 0);
    memset(name, 'x', sizeof(name) - 1);
    struct hd_snapshot *snap = finish(&s, &b);
    expect_tree(snap, "[static vars]([static var App.C](0))");
    hd_snapshot_close(snap);
}

Test(root_set, many_statics_are_found_again)
{
    enum { MANY = 5000 };
    struct root_set s = {0};
    struct builder b = begin();
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++) {
            char name[32];
            snprintf(name, sizeof(name), "App.s_%u", i);
            add(&s, HD_ROOT_STATIC, name, i % OBJECTS);
        }
    cr_expect_eq(s.variable_count, MANY);
    struct hd_snapshot *snap = finish(&s, &b);
    cr_expect_eq(snap->graph->node_count, OBJECTS + MANY + 2);
    cr_expect_eq(snap->info.roots, 2 * MANY);
    hd_snapshot_close(snap);
}

Test(root_set, without_roots_no_nodes_are_added)
{
    struct root_set s = {0};
    struct builder b = begin();
    root_set_emit(&s, &b);
    cr_expect_eq(b.graph->node_count, OBJECTS);
    root_set_free(&s);
    builder_abandon(&b);
}
