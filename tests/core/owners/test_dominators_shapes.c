/* Shapes of heaps that make careless algorithms recurse, quadratic or wrong: small ones
 * compared with dominators worked out by hand, a million nodes with the rule for them. Node
 * 0 is the root of all roots, the others are objects of 24 bytes. */
#include "owners/dominated.h"
#include "support/random.h"

#include <string.h>

enum { SMALL = 12, LARGE = 1000000, OBJECT = 24 };

/* Seconds. A quadratic algorithm needs more than a minute; a linear one needs two seconds,
 * even under sanitizers. */
#define PATIENCE 60

struct shape {
    void (*refer)(struct forge *f, uint32_t n);
    node_id (*idom)(node_id i, uint32_t n); /* of node i > 0 */
    node_id small[SMALL];                   /* the same for n = 12; small[0] is not used */
};

static struct hd_snapshot *make(const struct shape *s, uint32_t n)
{
    struct forge f = {0};
    forge_start(&f, forge_pseudo(&f, "[.NET Roots]"));
    forge_objects(&f, "App.Node", OBJECT, n - 1);
    s->refer(&f, n);
    return forge_finish(&f);
}

static void expect_small(const struct shape *s)
{
    struct dominated d = dominate(make(s, SMALL), DOMINATORS_PLAIN);
    for (node_id i = 1; i < SMALL; i++) {
        cr_expect_eq(d.idom[i], s->small[i], "idom(%u) is %u", i, d.idom[i]);
        cr_expect_eq(s->idom(i, SMALL), s->small[i], "the rule for %u", i);
    }
    dominated_free(&d);
}

/* The retained size is the object's own size plus the retained sizes of its children. */
static void expect_retained(const struct dominated *d, uint32_t n)
{
    uint64_t *below = arena_array(&d->snap->arena, uint64_t, n);
    for (node_id i = 1; i < n; i++)
        below[d->idom[i]] += d->retained[i];
    for (node_id i = 0; i < n; i++)
        cr_assert_eq(d->retained[i], below[i] + (i > 0 ? OBJECT : 0), "%u", i);
    cr_assert_eq(d->retained[0], OBJECT * ((uint64_t)n - 1));
}

static void expect_shape(const struct shape *s)
{
    expect_small(s);
    struct dominated d = dominate(make(s, LARGE), DOMINATORS_PLAIN);
    for (node_id i = 1; i < LARGE; i++)
        cr_assert_eq(d.idom[i], s->idom(i, LARGE), "idom(%u) is %u", i, d.idom[i]);
    expect_retained(&d, LARGE);
    dominated_free(&d);
}

/* --- shapes -------------------------------------------------------------------------- */

/* i -> i + 1 for from <= i < to. */
static void refer_forward(struct forge *f, node_id from, node_id to)
{
    for (node_id i = from; i < to; i++)
        forge_reference(f, i, i + 1);
}

/* i -> i - 1, where i - 1 is an object. */
static void refer_back(struct forge *f, uint32_t n)
{
    for (node_id i = 2; i < n; i++)
        forge_reference(f, i, i - 1);
}

static node_id idom_before(node_id i, uint32_t n)
{
    (void)n;
    return i - 1;
}

static node_id idom_root(node_id i, uint32_t n)
{
    (void)i, (void)n;
    return 0;
}

static void refer_chain(struct forge *f, uint32_t n)
{
    refer_forward(f, 0, n - 1);
}

Test(dominators_shapes, a_chain, .timeout = PATIENCE)
{
    static const struct shape chain = {
        refer_chain, idom_before, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    expect_shape(&chain);
    struct dominated d = dominate(make(&chain, LARGE), DOMINATORS_PLAIN);
    for (node_id i = 1; i < LARGE; i++)
        cr_assert_eq(d.retained[i], OBJECT * (uint64_t)(LARGE - i));
    cr_assert_eq(d.by_type[forge_type_id(d.snap, TYPE_OBJECT, "App.Node")],
                 OBJECT * (uint64_t)(LARGE - 1));
    dominated_free(&d);
}

/* Iterative algorithms need n - 1 rounds. */
static void refer_linked_list(struct forge *f, uint32_t n)
{
    forge_reference(f, 0, 1);
    forge_reference(f, 0, n - 1);
    refer_forward(f, 1, n - 1);
    refer_back(f, n);
}

Test(dominators_shapes, a_doubly_linked_list_held_at_both_ends, .timeout = PATIENCE)
{
    static const struct shape list = {refer_linked_list, idom_root, {0}};
    expect_shape(&list);
}

/* System.Collections.Generic.LinkedList: 1 is the list, 2 the head; the nodes form a ring
 * and refer to their list. */
static void refer_ring(struct forge *f, uint32_t n)
{
    forge_reference(f, 0, 1);
    forge_reference(f, 1, 2);
    for (node_id i = 2; i < n; i++) {
        forge_reference(f, i, i + 1 < n ? i + 1 : 2);
        forge_reference(f, i, i > 2 ? i - 1 : n - 1);
        forge_reference(f, i, 1);
    }
}

static node_id idom_ring(node_id i, uint32_t n)
{
    (void)n;
    return i == 1 ? 0 : i == 2 ? 1 : 2;
}

Test(dominators_shapes, a_linked_list_of_the_framework, .timeout = PATIENCE)
{
    static const struct shape ring = {
        refer_ring, idom_ring, {0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2}};
    expect_shape(&ring);
}

/* A long list whose last element refers to objects that a root also holds: naive walks up
 * to the dominator need (n/2)^2 steps. */
static void refer_killer(struct forge *f, uint32_t n)
{
    node_id h = n / 2;
    forge_reference(f, 0, 1);
    for (node_id j = h + 1; j < n; j++)
        forge_reference(f, 0, j);
    refer_forward(f, 1, h);
    for (node_id j = h + 1; j < n; j++)
        forge_reference(f, h, j);
}

static node_id idom_killer(node_id i, uint32_t n)
{
    return i <= n / 2 ? i - 1 : 0;
}

Test(dominators_shapes, a_long_list_with_objects_at_its_end_that_a_root_also_holds,
     .timeout = PATIENCE)
{
    static const struct shape killer = {
        refer_killer, idom_killer, {0, 0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0}};
    expect_shape(&killer);
}

static void refer_folded(struct forge *f, uint32_t n)
{
    for (node_id i = 0; i + 1 < n; i++) {
        forge_reference(f, i, i + 1);
        if (i > 0 && i < n / 2)
            forge_reference(f, i, n - 1 - i);
    }
}

/* After the middle, n - 1 - i is reachable from i and through the chain from n / 2. */
static node_id idom_folded(node_id i, uint32_t n)
{
    return i <= n / 2 || i == n - 1 ? i - 1 : n - 1 - i;
}

Test(dominators_shapes, a_folded_chain, .timeout = PATIENCE)
{
    static const struct shape folded = {
        refer_folded, idom_folded, {0, 0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 10}};
    expect_shape(&folded);
}

static void refer_shortcuts(struct forge *f, uint32_t n)
{
    refer_forward(f, 0, n - 1);
    for (node_id j = 3; j < n; j += 2)
        forge_reference(f, 0, j);
}

static node_id idom_shortcuts(node_id i, uint32_t n)
{
    (void)n;
    return i % 2 == 1 ? 0 : i - 1;
}

Test(dominators_shapes, shortcuts_to_every_other_node, .timeout = PATIENCE)
{
    static const struct shape shortcuts = {
        refer_shortcuts, idom_shortcuts, {0, 0, 1, 0, 3, 0, 5, 0, 7, 0, 9, 0}};
    expect_shape(&shortcuts);
}

static void refer_back_edges(struct forge *f, uint32_t n)
{
    refer_forward(f, 0, n - 1);
    forge_reference(f, 0, n - 1);
    refer_back(f, n);
}

Test(dominators_shapes, a_chain_with_references_back_and_the_tail_held, .timeout = PATIENCE)
{
    static const struct shape back = {refer_back_edges, idom_root, {0}};
    expect_shape(&back);
}

/* Every back reference spans half of the chain: (n/2)^2 steps without path compression. */
static void refer_far_back(struct forge *f, uint32_t n)
{
    refer_forward(f, 0, n - 1);
    for (node_id i = n / 2 + 1; i < n; i++)
        forge_reference(f, i, i - n / 2);
}

Test(dominators_shapes, a_chain_with_references_far_back, .timeout = PATIENCE)
{
    static const struct shape far_back = {
        refer_far_back, idom_before, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    expect_shape(&far_back);
}

static void refer_children(struct forge *f, uint32_t n)
{
    forge_reference(f, 0, 1);
    for (node_id i = 2; i < n; i++)
        forge_reference(f, 1, i);
}

static node_id idom_children(node_id i, uint32_t n)
{
    (void)n;
    return i == 1 ? 0 : 1;
}

Test(dominators_shapes, one_node_with_a_million_children, .timeout = PATIENCE)
{
    static const struct shape children = {
        refer_children, idom_children, {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
    expect_shape(&children);
}

/* Every reference three times, with a self-reference in between. */
static void refer_again(struct forge *f, uint32_t n)
{
    for (node_id i = 0; i + 1 < n; i++) {
        forge_reference(f, i, i + 1);
        forge_reference(f, i, i);
        forge_reference(f, i, i + 1);
        forge_reference(f, i, i + 1);
    }
}

Test(dominators_shapes, duplicates_and_self_references, .timeout = PATIENCE)
{
    static const struct shape again = {
        refer_again, idom_before, {0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}};
    expect_shape(&again);
}

/* --- against a second algorithm ------------------------------------------------------- */

/* Immediate dominators by the algorithm of K. Cooper, T. Harvey and K. Kennedy, A simple,
 * fast dominance algorithm (2001): iterate over the nodes in reverse postorder until
 * stable. Independent of semidominators. */
struct second {
    const struct graph *g;
    uint32_t *order; /* node -> position in reverse postorder from the end; 0: unreached */
    node_id *postorder;
    uint32_t reached;
    uint32_t *into_begin; /* references into each node */
    node_id *into;
    node_id *idom;
};

static void find_postorder(struct second *s, struct arena *a)
{
    const struct graph *g = s->g;
    node_id *stack = arena_array(a, node_id, g->node_count);
    uint32_t *edge = arena_array(a, uint32_t, g->node_count);
    bool *seen = arena_array(a, bool, g->node_count);
    size_t depth = 0;
    memcpy(edge, g->edge_begin, g->node_count * sizeof(*edge));
    stack[depth++] = g->root;
    seen[g->root] = true;
    while (depth > 0) {
        node_id n = stack[depth - 1];
        if (edge[n] == g->edge_begin[n + 1]) {
            s->postorder[s->reached++] = n;
            s->order[n] = s->reached;
            depth--;
            continue;
        }
        node_id to = g->edge_to[edge[n]++];
        if (seen[to])
            continue;
        seen[to] = true;
        stack[depth++] = to;
    }
}

static void turn_around(struct second *s, struct arena *a)
{
    const struct graph *g = s->g;
    s->into_begin = arena_array(a, uint32_t, (size_t)g->node_count + 2);
    s->into = arena_array(a, node_id, g->edge_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        s->into_begin[g->edge_to[e] + 2]++;
    for (node_id n = 0; n < g->node_count; n++)
        s->into_begin[n + 2] += s->into_begin[n + 1];
    for (node_id n = 0; n < g->node_count; n++)
        for (uint32_t e = g->edge_begin[n]; e < g->edge_begin[n + 1]; e++)
            s->into[s->into_begin[g->edge_to[e] + 1]++] = n;
}

static node_id meet(const struct second *s, node_id a, node_id b)
{
    while (a != b) {
        while (s->order[a] < s->order[b])
            a = s->idom[a];
        while (s->order[b] < s->order[a])
            b = s->idom[b];
    }
    return a;
}

static bool sweep(const struct second *s)
{
    bool changed = false;
    for (uint32_t i = s->reached - 1; i-- > 0;) {
        node_id n = s->postorder[i], best = NO_NODE;
        for (uint32_t e = s->into_begin[n]; e < s->into_begin[n + 1]; e++) {
            node_id from = s->into[e];
            if (s->order[from] > 0 && s->idom[from] != NO_NODE)
                best = best == NO_NODE ? from : meet(s, from, best);
        }
        changed |= s->idom[n] != best;
        s->idom[n] = best;
    }
    return changed;
}

static const node_id *second_idoms(const struct graph *g, struct arena *a)
{
    struct second s = {.g = g,
                       .order = arena_array(a, uint32_t, g->node_count),
                       .postorder = arena_array(a, node_id, g->node_count),
                       .idom = arena_array(a, node_id, g->node_count)};
    find_postorder(&s, a);
    turn_around(&s, a);
    for (node_id n = 0; n < g->node_count; n++)
        s.idom[n] = NO_NODE;
    s.idom[g->root] = g->root;
    while (sweep(&s))
        continue;
    s.idom[g->root] = NO_NODE;
    return s.idom;
}

enum { COMPARED = 100000 };

static void expect_same(struct hd_snapshot *snap, enum dominator_kind kind)
{
    struct arena scratch = {0};
    const node_id *idom = second_idoms(snap->graph, &scratch);
    struct dominated d = dominate(snap, kind);
    cr_assert_gt(d.reached, COMPARED / 2);
    for (node_id n = 0; n < snap->graph->node_count; n++)
        cr_assert_eq(d.idom[n], idom[n], "idom(%u) is %u, not %u", n, d.idom[n], idom[n]);
    arena_free(&scratch);
    dominated_free(&d);
}

Test(dominators_shapes, of_a_random_graph_match_another_algorithm, .timeout = PATIENCE)
{
    struct random r = random_from(7);
    struct forge f = {0};
    forge_start(&f, forge_pseudo(&f, "[.NET Roots]"));
    forge_objects(&f, "App.Node", OBJECT, COMPARED - 1);
    for (node_id i = 0; i < COMPARED; i++) {
        for (int targets = 0; targets < 3; targets++)
            forge_reference(&f, i, random_below(&r, COMPARED));
        if (i % 1000 == 0)
            forge_reference(&f, i, i + 1);
    }
    expect_same(forge_finish(&f), DOMINATORS_PLAIN);
}

/* Trees of statics, parts of which a stack and handles also hold. */
Test(dominators_shapes, of_several_classes_match_another_algorithm, .timeout = PATIENCE)
{
    struct random r = random_from(9);
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[.NET Roots]"), first = root + 4;
    forge_start(&f, root);
    forge_reference(&f, root, forge_pseudo(&f, "[static vars]"));
    forge_reference(&f, root, forge_pseudo(&f, "[strong Handles]"));
    forge_reference(&f, root, forge_pseudo(&f, "[local vars]"));
    forge_objects(&f, "App.Node", OBJECT, COMPARED);
    for (uint32_t i = 0; i < COMPARED; i++) {
        bool held = random_below(&r, 100) == 0;
        forge_reference(&f, held ? root + 1 + random_below(&r, 3) : first + i / 2,
                        first + i);
        if (random_below(&r, 4) == 0)
            forge_reference(&f, first + random_below(&r, COMPARED),
                            first + random_below(&r, COMPARED));
    }
    expect_same(forge_finish(&f), DOMINATORS_OF_BOTH);
}

/* A chain with a jump ahead from every node and one back. */
Test(dominators_shapes, of_jumps_ahead_and_back_match_another_algorithm,
     .timeout = PATIENCE)
{
    enum { FARTHEST = 1000 };
    struct random r = random_from(8);
    struct forge f = {0};
    forge_start(&f, forge_pseudo(&f, "[.NET Roots]"));
    forge_objects(&f, "App.Node", OBJECT, COMPARED - 1);
    for (node_id i = 0; i + 1 < COMPARED; i++) {
        uint32_t ahead = 1 + random_below(&r, FARTHEST);
        forge_reference(&f, i, i + 1);
        forge_reference(&f, i, i + ahead < COMPARED ? i + ahead : COMPARED - 1);
        uint32_t back = 1 + random_below(&r, i < FARTHEST ? i + 1 : FARTHEST);
        if (i > 10)
            forge_reference(&f, i, i > back ? i - back : 1);
    }
    expect_same(forge_finish(&f), DOMINATORS_PLAIN);
}
