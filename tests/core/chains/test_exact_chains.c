/* Exact answers of chains_find(), compared with tracing every instance. */
#include "chains/chains.h"

#include "chains/chain_owner.h"
#include "support/forge.h"
#include "support/large.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 40, TYPES = 3, ROUNDS = 2000, SAMPLES_FOR_ALL = 64 };

static const char *const type_names[TYPES] = {"App.A", "App.B", "App.C"};

/* --- random heaps ------------------------------------------------------------------ */

/* Static and thread-static variables, handles, stacks, and unreachable objects. */
static struct hd_snapshot *random_heap(struct random *r)
{
    struct forge f = {0};
    uint32_t objects = TYPES + random_below(r, MAX_NODES - TYPES);
    for (uint32_t i = 0; i < objects; i++) {
        forge_object(&f, type_names[i < TYPES ? i : random_below(r, TYPES)], 24);
        forge_generation(&f, i, random_below(r, 2) ? HD_GEN2 : HD_GEN0);
    }
    for (uint32_t i = random_below(r, 3 * objects); i > 0; i--)
        forge_reference(&f, random_below(r, objects), random_below(r, objects));
    node_id root = forge_pseudo(&f, "[.NET Roots]");
    static const char *const groups[] = {"[static vars]", "[thread static vars]",
                                         "[local vars]", "[other roots]"};
    for (size_t g = 0; g < 4; g++) {
        node_id group = forge_pseudo(&f, groups[g]);
        forge_reference(&f, root, group);
        for (uint32_t i = random_below(r, 2); i > 0; i--) {
            node_id variable = g < 2 ? forge_pseudo(&f, "[static var App.s]") : group;
            if (variable != group)
                forge_reference(&f, group, variable);
            forge_reference(&f, variable, random_below(r, objects));
        }
    }
    forge_start(&f, root);
    return forge_finish(&f);
}

/* --- by definition ----------------------------------------------------------------- */

/* The unfolded chain of one instance; kind as found by the walk. */
struct traced {
    struct signature signature;
    enum hd_root_kind kind;
};

static struct traced traced_of(const struct hd_snapshot *snap, const struct walk *walk,
                               node_id n)
{
    const struct graph *g = snap->graph;
    node_id chain[MAX_NODES + 16];
    size_t len = 0;
    for (; n != NO_NODE && n != g->root; n = walk->parent[n])
        chain[len++] = n;
    struct traced t = {.kind = HD_ROOT_OTHER};
    bool lost = walk->parent[chain[len - 1]] == NO_NODE;
    if (lost)
        signature_push(&t.signature, UNREACHABLE_GROUP, NO_FIELD);
    while (len > 0) {
        const struct type *type = &snap->types[g->type[chain[--len]]];
        if (type->kind == TYPE_PSEUDO)
            t.kind = root_kind_below(type->name, t.kind);
        signature_push(&t.signature, g->type[chain[len]], NO_FIELD);
    }
    t.kind = lost ? HD_ROOT_UNREACHABLE : t.kind;
    return t;
}

/* True if the frames, with their repetitions, spell the chain. */
static bool spells(const struct hd_chain *c, const struct hd_snapshot *snap,
                   const struct signature *s)
{
    size_t at = 0;
    for (size_t i = 0; i < c->frame_count; i++)
        for (unsigned p = 0; p < c->frames[i].type_count; p++, at++) {
            if (at >= s->len)
                return false;
            uint32_t type = s->all[at].type;
            const char *name =
                type == UNREACHABLE_GROUP ? "[unreachable]" : snap->types[type].name;
            if (strcmp(c->frames[i].types[p], name) != 0)
                return false;
        }
    return at == s->len;
}

/* --- the same question both ways ------------------------------------------------------ */

struct asked {
    struct hd_snapshot *snap;
    struct arena arena;
    struct walk walk;
    struct chain_question question;
    const uint32_t *key_of_node;
};

/* One question per type or, with by_key, per key, independent of types; key 3 has no
 * question. */
static struct asked ask_about(struct hd_snapshot *snap, struct random *r, bool by_key)
{
    struct asked a = {.snap = snap};
    const struct graph *g = snap->graph;
    a.walk = walk_graph(snap, &a.arena);
    uint32_t *key = arena_array(&a.arena, uint32_t, g->node_count);
    for (node_id n = 0; n < g->node_count; n++)
        key[n] = by_key ? random_below(r, TYPES + 2) : g->type[n];
    uint32_t *query = arena_array(&a.arena, uint32_t, snap->type_count + TYPES);
    for (uint32_t q = 0; q < TYPES; q++)
        query[by_key ? q : forge_type_id(snap, TYPE_OBJECT, type_names[q])] = q + 1;
    a.key_of_node = key;
    a.question = (struct chain_question){.key_of_node = by_key ? key : NULL,
                                         .query_of_key = query,
                                         .key_count = by_key ? TYPES : snap->type_count,
                                         .queries = TYPES,
                                         .selection = random_below(r, SELECTIONS)};
    return a;
}

static void asked_free(struct asked *a)
{
    hd_snapshot_close(a->snap);
    arena_free(&a->arena);
}

static bool is_asked(const struct asked *a, node_id n, size_t q)
{
    const struct graph *g = a->snap->graph;
    enum selection selection = a->question.selection;
    if (a->snap->types[g->type[n]].kind != TYPE_OBJECT ||
        a->key_of_node[n] >= a->question.key_count ||
        a->question.query_of_key[a->key_of_node[n]] != q + 1)
        return false;
    if ((selection & SELECT_REACHABLE) && !graph_reachable(g, n))
        return false;
    return !(selection & SELECT_GEN2) || graph_address(g, n) == forge_address(HD_GEN2, n);
}

/* Chain c of question q is that of its example, and has the right number of instances. */
static void expect_chain(const struct asked *a, const struct hd_chain *c, size_t q)
{
    cr_assert(is_asked(a, c->example, q));
    struct traced wanted = traced_of(a->snap, &a->walk, c->example);
    uint64_t same = 0;
    for (node_id n = 0; n < a->snap->graph->node_count; n++) {
        if (!is_asked(a, n, q))
            continue;
        struct traced t = traced_of(a->snap, &a->walk, n);
        same += signature_compare(&t.signature, &wanted.signature) == 0;
        signature_free(&t.signature);
    }
    cr_assert_eq(c->count, same);
    cr_assert_eq(c->kind, wanted.kind, "%s, not %s", root_kind_names[c->kind],
                 root_kind_names[wanted.kind]);
    cr_assert(spells(c, a->snap, &wanted.signature));
    signature_free(&wanted.signature);
}

static void expect_question(const struct asked *a, const struct chains *found, size_t q)
{
    uint64_t instances = 0, sum = 0;
    for (node_id n = 0; n < a->snap->graph->node_count; n++)
        instances += is_asked(a, n, q);
    for (size_t i = 0; i < found->len; i++) {
        const struct hd_chain *c = &found->all[i];
        expect_chain(a, c, q);
        cr_assert(c->exact && c->low == c->share && c->high == c->share);
        cr_assert_float_eq(c->share, (double)c->count / (double)instances, 1e-12);
        cr_assert(i == 0 || found->all[i - 1].count >= c->count);
        sum += c->count;
    }
    cr_assert_eq(found->instances, instances);
    cr_assert_eq(found->samples, instances);
    cr_assert_eq(sum, instances, "no chain is missing or twice");
}

Test(exact_chains, count_what_tracing_every_instance_counts)
{
    struct random r = random_from(31);
    for (int round = 0; round < ROUNDS; round++) {
        struct asked a = ask_about(random_heap(&r), &r, round % 2 == 0);
        struct chain_options how = {.samples = random_below(&r, 6), .exact = true};
        struct chains *found = chains_find(a.snap, &a.walk, &a.question, &how, &a.arena);
        for (size_t q = 0; q < TYPES; q++)
            expect_question(&a, &found[q], q);
        asked_free(&a);
    }
}

/* --- and by samples --------------------------------------------------------------- */

/* Sampling everything gives the same groups. */
static void expect_same(const struct chains *exact, const struct chains *sampled)
{
    cr_assert_eq(exact->len, sampled->len);
    for (size_t i = 0; i < exact->len; i++) {
        const struct hd_chain *x = &exact->all[i], *y = NULL;
        for (size_t j = 0; j < sampled->len; j++)
            if (sampled->all[j].hash == x->hash)
                y = &sampled->all[j];
        cr_assert_not_null(y, "the hash is that of the sampled group");
        cr_assert_eq(x->count, y->count);
        cr_assert_eq(x->kind, y->kind);
    }
}

Test(exact_chains, have_the_hashes_and_kinds_of_sampled_groups)
{
    struct random r = random_from(32);
    for (int round = 0; round < ROUNDS; round++) {
        struct asked a = ask_about(random_heap(&r), &r, round % 2 == 0);
        struct chain_options few = {.samples = random_below(&r, 6), .exact = true};
        struct chain_options all = {.samples = SAMPLES_FOR_ALL};
        struct chains *exact = chains_find(a.snap, &a.walk, &a.question, &few, &a.arena);
        struct chains *sampled = chains_find(a.snap, &a.walk, &a.question, &all, &a.arena);
        for (size_t q = 0; q < TYPES; q++)
            expect_same(&exact[q], &sampled[q]);
        asked_free(&a);
    }
}

/* --- large ones --------------------------------------------------------------------- */

/* A linked list of elements with alternating types. */
static struct asked ask_about_list(uint32_t elements, uint32_t types)
{
    static const char *const names[] = {"App.A", "App.B", "App.C", "App.D"};
    struct forge f = {0};
    for (uint32_t i = 0; i < elements; i++) {
        forge_object(&f, names[i % types], 32);
        if (i > 0)
            forge_reference(&f, i - 1, i);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", 0);
    struct asked a = {.snap = forge_finish(&f)};
    a.walk = walk_graph(a.snap, &a.arena);
    uint32_t *query = arena_array(&a.arena, uint32_t, a.snap->type_count);
    for (uint32_t t = 0; t < types; t++)
        query[forge_type_id(a.snap, TYPE_OBJECT, names[t])] = 1;
    a.question = (struct chain_question){
        .query_of_key = query, .key_count = a.snap->type_count, .queries = 1};
    return a;
}

/* Tracing each element separately would take 5 * 10^11 steps. */
Test(exact_chains, all_elements_of_a_list_of_a_million_are_one_chain, .timeout = 60)
{
    enum { LONG = MILLION };
    struct asked a = ask_about_list(LONG, 1);
    struct chain_options how = {.samples = 4, .exact = true};
    struct chains *found = chains_find(a.snap, &a.walk, &a.question, &how, &a.arena);
    cr_assert_eq(found->len, 1);
    cr_expect_eq(found->all[0].count, LONG);
    cr_expect_eq(found->all[0].share, 1);
    cr_expect_eq(found->all[0].frame_count, 3);
    cr_expect_gt(found->all[0].frames[2].repeat_max, 1, "the samples tell the repeats");
    asked_free(&a);
}

/* Four alternating types do not fold: every element has its own chain. */
Test(exact_chains, a_list_that_does_not_fold_has_frames_for_the_first_ones, .timeout = 60)
{
    enum { LONG = 20000, MAX_WITH_FRAMES = 256 };
    struct asked a = ask_about_list(LONG, 4);
    struct chain_options how = {.exact = true};
    struct chains *found = chains_find(a.snap, &a.walk, &a.question, &how, &a.arena);
    cr_assert_eq(found->len, LONG);
    size_t with_frames = 0;
    for (size_t i = 0; i < LONG; i++) {
        with_frames += found->all[i].frame_count > 0;
        cr_assert_eq(found->all[i].count, 1);
        cr_assert_eq(found->all[i].kind, HD_ROOT_STATIC);
    }
    cr_expect_eq(with_frames, MAX_WITH_FRAMES);
    asked_free(&a);
}
