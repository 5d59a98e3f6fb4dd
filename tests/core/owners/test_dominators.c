/* Dominators compared with their definition: remove a node and find the nodes that become
 * unreachable. */
#include "owners/dominated.h"
#include "support/large.h"
#include "support/random.h"

enum { GRAPHS = MILLION / 50, MAX_NODES = 16, TYPES = 3 };

/* --- random heaps ------------------------------------------------------------------ */

/* A heap small enough to represent sets of nodes as bits. Node 0 is the root of all roots,
 * followed by the groups of roots, then the objects. */
struct small_heap {
    uint32_t groups, nodes;
    uint32_t refers[MAX_NODES]; /* set of nodes */
    uint32_t type[MAX_NODES];   /* of objects */
    uint64_t size[MAX_NODES];
    enum hd_root_kind kind[MAX_NODES]; /* of groups */
    node_id above[MAX_NODES];          /* parent of a group */
};

static const char *const type_names[TYPES] = {"App.A", "App.B", "App.C"};

/* HD_ROOT_KIND_COUNT: not known from the name; the kind of its parent. */
static const struct {
    const char *name;
    enum hd_root_kind kind;
} group_names[] = {
    {"[static vars]", HD_ROOT_STATIC},
    {"[thread static vars]", HD_ROOT_THREAD_STATIC},
    {"[strong Handles]", HD_ROOT_STRONG_HANDLE},
    {"[pinning Handles]", HD_ROOT_PINNED_HANDLE},
    {"[COM/WinRT Objects]", HD_ROOT_REF_COUNTED_HANDLE},
    {"[Dependent Handles]", HD_ROOT_DEPENDENT_HANDLE},
    {"[local vars]", HD_ROOT_STACK},
    {"[finalizer Handles]", HD_ROOT_FINALIZER},
    {"[other roots]", HD_ROOT_KIND_COUNT},
    {"[roots of App.dll]", HD_ROOT_KIND_COUNT},
};

static void refer(struct forge *f, struct small_heap *h, node_id from, node_id to)
{
    forge_reference(f, from, to);
    h->refers[from] |= 1u << to;
}

static void add_groups(struct forge *f, struct small_heap *h, struct random *r)
{
    h->groups = 1 + random_below(r, 5);
    h->kind[0] = HD_ROOT_OTHER;
    for (node_id n = 1; n <= h->groups; n++) {
        uint32_t name = random_below(r, sizeof(group_names) / sizeof(*group_names));
        h->above[n] = random_below(r, 2) == 0 ? 0 : random_below(r, n);
        h->kind[n] = group_names[name].kind;
        if (h->kind[n] == HD_ROOT_KIND_COUNT)
            h->kind[n] = h->kind[h->above[n]];
        forge_pseudo(f, group_names[name].name);
        refer(f, h, h->above[n], n);
    }
}

/* Duplicates, self-references, cycles, and objects without references all occur. */
static void add_objects(struct forge *f, struct small_heap *h, struct random *r)
{
    uint32_t objects = 1 + random_below(r, MAX_NODES - h->groups - 1);
    h->nodes = 1 + h->groups + objects;
    node_id first = h->groups + 1;
    for (node_id n = first; n < h->nodes; n++) {
        h->type[n] = random_below(r, TYPES);
        h->size[n] = 8 * (1 + (uint64_t)random_below(r, 9));
        forge_object(f, type_names[h->type[n]], h->size[n]);
    }
    for (uint32_t roots = 1 + random_below(r, 4); roots > 0; roots--)
        refer(f, h, 1 + random_below(r, h->groups), first + random_below(r, objects));
    for (uint32_t references = random_below(r, 3 * objects); references > 0; references--)
        refer(f, h, first + random_below(r, objects), first + random_below(r, objects));
}

static struct small_heap make_small_heap(struct forge *f, struct random *r)
{
    struct small_heap h = {0};
    forge_start(f, forge_pseudo(f, "[.NET Roots]"));
    add_groups(f, &h, r);
    add_objects(f, &h, r);
    return h;
}

/* --- by definition -------------------------------------------------------------------- */

/* Nodes reachable from `from`, including itself, without passing through `without`. */
static uint32_t reach(const struct small_heap *h, node_id from, uint32_t without)
{
    uint32_t found = (1u << from) & ~without;
    for (uint32_t before = 0; before != found;) {
        before = found;
        for (node_id n = 0; n < h->nodes; n++)
            if (before >> n & 1)
                found |= h->refers[n] & ~without;
    }
    return found;
}

/* owned[d]: nodes that become unreachable without d, including itself; empty if d is
 * unreachable. */
static void find_owned(const struct small_heap *h, uint32_t *owned)
{
    uint32_t all = reach(h, 0, 0);
    for (node_id d = 0; d < h->nodes; d++)
        owned[d] = (all >> d & 1) != 0 ? all & ~reach(h, 0, 1u << d) : 0;
}

/* The smallest owner of node, other than itself. */
static node_id smallest_owner(const struct small_heap *h, const uint32_t *owned,
                              node_id node)
{
    node_id best = NO_NODE;
    for (node_id d = 0; d < h->nodes; d++)
        if (d != node && (owned[d] >> node & 1) &&
            (best == NO_NODE || (owned[best] & owned[d]) == owned[d]))
            best = d;
    return best;
}

static uint64_t bytes_of(const struct small_heap *h, uint32_t set)
{
    uint64_t bytes = 0;
    for (node_id n = 0; n < h->nodes; n++)
        bytes += (set >> n & 1) != 0 ? h->size[n] : 0;
    return bytes;
}

static uint32_t owned_by_type(const struct small_heap *h, const uint32_t *owned,
                              uint32_t type)
{
    uint32_t all = 0;
    for (node_id n = h->groups + 1; n < h->nodes; n++)
        all |= h->type[n] == type ? owned[n] : 0;
    return all;
}

static void expect_by_definition(const struct small_heap *h, const struct dominated *d,
                                 uint32_t graph)
{
    uint32_t owned[MAX_NODES];
    find_owned(h, owned);
    for (node_id n = 0; n < h->nodes; n++) {
        node_id owner = smallest_owner(h, owned, n);
        cr_assert_eq(d->idom[n], owner, "graph %u: idom(%u) is %u, not %u", graph, n,
                     d->idom[n], owner);
        uint64_t bytes = bytes_of(h, owned[n]);
        cr_assert_eq(d->retained[n], bytes, "graph %u: %u retains %llu, not %llu", graph, n,
                     (unsigned long long)d->retained[n], (unsigned long long)bytes);
    }
    for (uint32_t type = 0; type < TYPES; type++) {
        type_id id = forge_type_id(d->snap, TYPE_OBJECT, type_names[type]);
        if (id == NO_TYPE)
            continue;
        uint64_t bytes = bytes_of(h, owned_by_type(h, owned, type));
        cr_assert_eq(d->by_type[id], bytes, "graph %u: %s", graph, type_names[type]);
    }
}

/* --- owners ----------------------------------------------------------------------------
 */

static unsigned class_of_group(const struct small_heap *h, node_id n)
{
    return root_kind_class(h->kind[n]);
}

/* A group whose parent has another class becomes a child of the root of all roots. */
static void hang_groups(struct small_heap *h)
{
    for (node_id n = 1; n <= h->groups; n++)
        if (class_of_group(h, n) != class_of_group(h, h->above[n])) {
            h->refers[h->above[n]] &= ~(1u << n);
            h->refers[0] |= 1u << n;
        }
}

/* An object belongs to the strongest class that reaches it; weaker classes do not own it.
 */
static void ignore_weaker(struct small_heap *h)
{
    unsigned class[MAX_NODES];
    for (node_id n = 0; n < h->nodes; n++)
        class[n] = ROOT_CLASSES;
    for (node_id g = 1; g <= h->groups; g++) {
        class[g] = class_of_group(h, g);
        uint32_t reached = reach(h, g, 0);
        for (node_id n = h->groups + 1; n < h->nodes; n++)
            if ((reached >> n & 1) != 0 && class_of_group(h, g) < class[n])
                class[n] = class_of_group(h, g);
    }
    for (node_id from = 1; from < h->nodes; from++)
        for (node_id to = h->groups + 1; to < h->nodes; to++)
            if (class[from] > class[to])
                h->refers[from] &= ~(1u << to);
}

/* --- tests -----------------------------------------------------------------------------
 */

Test(dominators, match_their_definition)
{
    struct random r = random_from(1);
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        struct forge f = {0};
        struct small_heap h = make_small_heap(&f, &r);
        struct dominated d = dominate(forge_finish(&f), DOMINATORS_PLAIN);
        expect_by_definition(&h, &d, graph);
        dominated_free(&d);
    }
}

Test(dominators, of_owners_ignore_references_from_weaker_classes)
{
    struct random r = random_from(2);
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        struct forge f = {0};
        struct small_heap h = make_small_heap(&f, &r);
        struct dominated d = dominate(forge_finish(&f), DOMINATORS_OF_OWNERS);
        hang_groups(&h);
        ignore_weaker(&h);
        expect_by_definition(&h, &d, graph);
        dominated_free(&d);
    }
}

Test(dominators, of_both_kinds_are_those_of_owners_and_the_plain_ones)
{
    struct random r = random_from(4);
    for (uint32_t graph = 0; graph < GRAPHS; graph++) {
        struct forge f = {0};
        struct small_heap h = make_small_heap(&f, &r);
        struct dominated d = dominate(forge_finish(&f), DOMINATORS_OF_BOTH);
        hang_groups(&h);
        expect_by_definition(&h, &d, graph);
        struct dominators both = dominators_find(d.snap, DOMINATORS_OF_BOTH);
        struct dominators owners = dominators_find(d.snap, DOMINATORS_OF_OWNERS);
        cr_assert_eq(both.count, owners.count, "graph %u", graph);
        for (uint32_t w = 0; w < both.count; w++)
            cr_assert(both.node[w] == owners.node[w] && both.idom[w] == owners.idom[w],
                      "graph %u, number %u", graph, w);
        dominators_free(&both);
        dominators_free(&owners);
        dominated_free(&d);
    }
}

/* All classes together reach the same objects, so both trees have all reachable bytes. */
Test(dominators, of_either_kind_retain_all_reachable_objects)
{
    static const enum dominator_kind kinds[] = {DOMINATORS_PLAIN, DOMINATORS_OF_OWNERS};
    struct random r = random_from(3);
    for (uint32_t graph = 0; graph < 1000; graph++) {
        struct forge f = {0};
        make_small_heap(&f, &r);
        struct dominated d = dominate(forge_finish(&f), kinds[graph % 2]);
        cr_assert_eq(d.retained[0], d.snap->info.reachable_bytes, "graph %u", graph);
        dominated_free(&d);
    }
}

Test(dominators, of_a_heap_without_roots_are_the_root_alone)
{
    struct forge f = {0};
    forge_object(&f, "App.Order", 24);
    struct dominated d = dominate(forge_finish(&f), DOMINATORS_OF_OWNERS);
    cr_expect_eq(d.reached, 1);
    cr_expect_eq(d.retained[0], 0);
    cr_expect_eq(d.retained[1], 0);
    dominated_free(&d);
}

Test(dominators, retain_more_than_32_bits_of_bytes)
{
    enum { HUGE_OBJECTS = 3 };
    const uint64_t huge = 5ULL << 30;
    struct forge f = {0};
    node_id list = forge_object(&f, "App.List", 24);
    node_id first = forge_objects(&f, "System.Byte[]", huge, HUGE_OBJECTS);
    for (node_id i = 0; i < HUGE_OBJECTS; i++)
        forge_reference(&f, list, first + i);
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", list);
    struct dominated d = dominate(forge_finish(&f), DOMINATORS_PLAIN);
    cr_expect_eq(d.retained[list], 24 + HUGE_OBJECTS * huge);
    type_id bytes = forge_type_id(d.snap, TYPE_OBJECT, "System.Byte[]");
    cr_expect_eq(d.by_type[bytes], HUGE_OBJECTS * huge);
    dominated_free(&d);
}

/* --- owners, one by one ----------------------------------------------------------------
 */

/* A root of all roots. */
static node_id start(struct forge *f)
{
    node_id root = forge_pseudo(f, "[.NET Roots]");
    forge_start(f, root);
    return root;
}

static node_id group(struct forge *f, node_id above, const char *name)
{
    node_id n = forge_pseudo(f, name);
    forge_reference(f, above, n);
    return n;
}

Test(dominators, a_stack_frame_takes_nothing_away_from_a_static)
{
    static const enum dominator_kind kinds[] = {DOMINATORS_PLAIN, DOMINATORS_OF_OWNERS};
    for (size_t i = 0; i < 2; i++) {
        struct forge f = {0};
        node_id root = start(&f), stack = group(&f, root, "[local vars]");
        node_id statics = group(&f, root, "[static vars]");
        node_id list = forge_object(&f, "App.List", 32);
        node_id item = forge_object(&f, "App.Item", 8);
        forge_reference(&f, stack, item);
        forge_reference(&f, statics, list);
        forge_reference(&f, list, item);
        bool owners = kinds[i] == DOMINATORS_OF_OWNERS;
        struct dominated d = dominate(forge_finish(&f), kinds[i]);
        cr_expect_eq(d.idom[item], owners ? list : root);
        cr_expect_eq(d.retained[list], owners ? 40 : 32);
        dominated_free(&d);
    }
}

Test(dominators, of_one_class_two_roots_share_what_both_hold)
{
    struct forge f = {0};
    node_id item = forge_object(&f, "App.Item", 8);
    forge_root(&f, HD_ROOT_STRONG_HANDLE, NULL, item);
    forge_root(&f, HD_ROOT_PINNED_HANDLE, NULL, item);
    struct dominated d = dominate(forge_finish(&f), DOMINATORS_OF_OWNERS);
    cr_expect_eq(d.idom[item], d.snap->graph->root);
    dominated_free(&d);
}

Test(dominators, a_group_of_another_class_hangs_from_the_root_itself)
{
    struct forge f = {0};
    node_id root = start(&f), other = group(&f, root, "[other roots]");
    node_id strong = group(&f, other, "[strong Handles]");
    node_id more = group(&f, other, "[roots of App.dll]");
    node_id a = forge_object(&f, "App.A", 8), b = forge_object(&f, "App.B", 8);
    forge_reference(&f, strong, a);
    forge_reference(&f, more, b);
    struct dominated d = dominate(forge_finish(&f), DOMINATORS_OF_OWNERS);
    cr_expect_eq(d.idom[strong], root);
    cr_expect_eq(d.idom[more], other);
    cr_expect_eq(d.retained[other], 8);
    dominated_free(&d);
}
