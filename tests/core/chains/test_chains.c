#include "chains/chains.h"
#include "report/format_units.h"
#include "series/sampler.h"

#include "support/forge.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- formulas -------------------------------------------------------------------- */

Test(chains, nodes_are_hashed_as_documented)
{
    static const uint64_t hashes[] = {0xc77b3abb6f87acd9, 0x2fbc593564db792e,
                                      0x2086c65c91eee243, 0x4d922029c1f42e7d};
    for (node_id n = 0; n < 4; n++)
        cr_expect_eq(sample_hash(n, 0), hashes[n], "%u", n);
    cr_expect_neq(sample_hash(0, 1), hashes[0]);
}

static void expect_interval(uint32_t k, uint32_t n, double low, double high)
{
    double got_low, got_high;
    wilson_interval(k, n, &got_low, &got_high);
    cr_expect_float_eq(got_low, low, 5e-5, "%u of %u: from %f", k, n, got_low);
    cr_expect_float_eq(got_high, high, 5e-5, "%u of %u: to %f", k, n, got_high);
}

Test(chains, shares_have_wilson_intervals)
{
    expect_interval(24, 32, 0.5789, 0.8675);
    expect_interval(32, 32, 0.8928, 1);
    expect_interval(1, 32, 0.0055, 0.1574);
}

Test(chains, intervals_stay_between_zero_and_all)
{
    for (uint32_t n = 1; n < 100; n++) {
        double low, high;
        wilson_interval(n, n, &low, &high);
        cr_expect(low > 0 && high <= 1 && high > 0.999999, "%u: %.17g", n, high);
        wilson_interval(0, n, &low, &high);
        cr_expect(low >= 0 && low < 1e-6 && high < 1, "%u: %.17g", n, low);
    }
}

/* --- asking -------------------------------------------------------------------------- */

/* Chains of the instances of some types of one snapshot. */
struct asked {
    struct hd_snapshot *snap;
    struct arena arena;
    struct walk walk;
    uint32_t *query_of_type;
    struct chain_question question;
    struct chain_options how;
    struct chains *found;
};

static struct asked asked_of(struct hd_snapshot *snap, uint32_t samples)
{
    struct asked a = {.snap = snap, .how = {.samples = samples}};
    a.walk = walk_graph(snap, &a.arena);
    a.query_of_type = arena_array(&a.arena, uint32_t, snap->type_count);
    a.question = (struct chain_question){.query_of_key = a.query_of_type,
                                         .key_count = snap->type_count};
    return a;
}

static void ask_for(struct asked *a, const char *type)
{
    a->query_of_type[forge_type_id(a->snap, TYPE_OBJECT, type)] =
        (uint32_t)++a->question.queries;
}

static void answer(struct asked *a)
{
    a->found = chains_find(a->snap, &a->walk, &a->question, &a->how, &a->arena);
}

static void asked_free(struct asked *a)
{
    hd_snapshot_close(a->snap);
    arena_free(&a->arena);
}

/* Prints "static: [static vars] [static var App.s_list] App.List (App.A App.B)x2-5". */
static void show(const struct hd_chain *c, struct text *t)
{
    text_add_string(t, root_kind_names[c->kind]);
    text_add_string(t, ":");
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct hd_frame *f = &c->frames[i];
        text_add_string(t, f->type_count > 1 ? " (" : " ");
        for (unsigned p = 0; p < f->type_count; p++) {
            text_add_string(t, p > 0 ? " " : "");
            text_add_string(t, f->types[p]);
        }
        text_add_string(t, f->type_count > 1 ? ")" : "");
        char times[32] = "";
        if (f->repeat_max > f->repeat_min)
            snprintf(times, sizeof(times), "x%u-%u", f->repeat_min, f->repeat_max);
        else if (f->repeat_max > 1)
            snprintf(times, sizeof(times), "x%u", f->repeat_max);
        text_add_string(t, times);
    }
}

/* "[static vars] [static var App.s_list] List._items Order[]", as in reports. */
static void expect_fields(struct asked *a, size_t i, const char *shown)
{
    struct text t = {0};
    const struct hd_chain *c = &a->found->all[i];
    for (size_t f = 0; f < c->frame_count; f++) {
        text_add_string(&t, f > 0 ? " " : "");
        format_frame(&t, &c->frames[f], true);
    }
    cr_expect_str_eq(text_string(&t), shown, "%s", text_string(&t));
    text_free(&t);
}

static void expect_chain(const struct hd_chain *c, uint64_t count, const char *shown)
{
    struct text t = {0};
    show(c, &t);
    cr_expect_str_eq(text_string(&t), shown, "%s", text_string(&t));
    cr_expect_eq(c->count, count, "%s: %llu", shown, (unsigned long long)c->count);
    text_free(&t);
}

/* Expects a single group for the instances of a type. */
static void expect_one_chain(struct forge *f, const char *type, uint64_t instances,
                             const char *shown)
{
    struct asked a = asked_of(forge_finish(f), 32);
    ask_for(&a, type);
    answer(&a);
    cr_expect_eq(a.found->instances, instances);
    cr_assert_eq(a.found->len, 1);
    cr_expect_eq(a.found->all[0].share, 1);
    expect_chain(&a.found->all[0], a.found->samples, shown);
    asked_free(&a);
}

/* --- chains ----------------------------------------------------------------------------
 */

Test(chains, a_chain_leads_from_the_root_to_the_instance)
{
    struct forge f = {0};
    node_id cache = forge_object(&f, "App.Cache", 24),
            array = forge_object(&f, "Order[]", 96);
    node_id orders = forge_objects(&f, "App.Order", 96, 5);
    forge_reference(&f, cache, array);
    for (node_id i = 0; i < 5; i++)
        forge_reference(&f, array, orders + i);
    forge_root(&f, HD_ROOT_STATIC, "App.s_cache", cache);
    expect_one_chain(&f, "App.Order", 5,
                     "static: [static vars] [static var App.s_cache] App.Cache Order[] "
                     "App.Order");
}

Test(chains, instances_are_selected_by_cohort)
{
    enum { OLD = 40, YOUNG = 7 };
    struct forge f = {0};
    node_id cache = forge_object(&f, "App.Cache", 24),
            queue = forge_object(&f, "App.Queue", 24);
    node_id orders = forge_objects(&f, "App.Order", 96, OLD + YOUNG);
    for (node_id i = 0; i < OLD + YOUNG; i++)
        forge_reference(&f, i < OLD ? cache : queue, orders + i);
    forge_root(&f, HD_ROOT_STATIC, "App.s_cache", cache);
    forge_root(&f, HD_ROOT_STATIC, "App.s_queue", queue);
    struct asked a = asked_of(forge_finish(&f), 32);
    unsigned char *since = arena_array(&a.arena, unsigned char, a.snap->graph->node_count);
    for (node_id i = 0; i < YOUNG; i++)
        since[orders + OLD + i] = i == 0 ? 3 : i == 1 ? 1 : 2;
    const struct since_range range = {1, 2};
    a.question.since_of_node = since;
    a.question.since_of_query = &range;
    ask_for(&a, "App.Order");
    for (int exact = 0; exact < 2; exact++) {
        a.how.exact = exact != 0;
        answer(&a);
        cr_expect_eq(a.found->instances, YOUNG - 1);
        cr_assert_eq(a.found->len, 1);
        expect_chain(&a.found->all[0], YOUNG - 1,
                     "static: [static vars] [static var App.s_queue] App.Queue App.Order");
    }
    asked_free(&a);
}

static void link_list(struct forge *f, uint32_t count, bool both_ways)
{
    node_id list = forge_object(f, "App.List", 24);
    node_id first = forge_objects(f, "App.Node", 32, count);
    forge_root(f, HD_ROOT_STATIC, "App.s_list", list);
    forge_reference(f, list, first);
    for (node_id i = 0; i + 1 < count; i++) {
        forge_reference(f, first + i, first + i + 1);
        if (both_ways)
            forge_reference(f, first + i + 1, first + i);
    }
}

Test(chains, a_list_of_a_million_is_one_frame)
{
    enum { LONG = 1000000 };
    struct forge f = {0};
    link_list(&f, LONG, false);
    struct asked a = asked_of(forge_finish(&f), 32);
    ask_for(&a, "App.Node");
    answer(&a);
    cr_expect_eq(a.found->instances, LONG);
    cr_assert_eq(a.found->len, 1);
    const struct hd_chain *c = a.found->all;
    cr_expect_eq(c->count, 32);
    cr_assert_eq(c->frame_count, 4);
    cr_expect_str_eq(c->frames[3].types[0], "App.Node");
    const struct hd_frame *nodes = &c->frames[3];
    cr_expect(nodes->repeat_min < nodes->repeat_max && nodes->repeat_max <= LONG);
    for (node_id n = 1; n <= LONG; n++)
        cr_assert_geq(sample_hash(n, 0), sample_hash(c->example, 0), "%u", n);
    asked_free(&a);
}

Test(chains, a_list_that_points_back_folds_as_well)
{
    struct forge f = {0};
    link_list(&f, 20, true);
    expect_one_chain(
        &f, "App.Node", 20,
        "static: [static vars] [static var App.s_list] App.List App.Nodex1-20");
}

Test(chains, alternating_types_fold_into_a_pattern)
{
    struct forge f = {0};
    node_id nodes[8];
    for (int i = 0; i < 8; i++) {
        nodes[i] = forge_object(&f, i % 2 == 0 ? "App.A" : "App.B", 24);
        if (i > 0)
            forge_reference(&f, nodes[i - 1], nodes[i]);
    }
    node_id last = forge_object(&f, "App.C", 24);
    forge_reference(&f, nodes[7], last);
    forge_root(&f, HD_ROOT_STACK, NULL, nodes[0]);
    expect_one_chain(&f, "App.C", 1, "stack: [local vars] (App.A App.B)x4 App.C");
}

Test(chains, unreachable_instances_are_marked)
{
    struct forge f = {0};
    node_id lost = forge_object(&f, "App.Lost", 24);
    forge_reference(&f, lost, forge_object(&f, "App.Order", 24));
    forge_root(&f, HD_ROOT_STACK, NULL, forge_object(&f, "App.Held", 24));
    expect_one_chain(&f, "App.Order", 1, "unreachable: [unreachable] App.Lost App.Order");
}

Test(chains, a_thread_static_stays_one_below_its_variable)
{
    struct forge f = {0};
    node_id root = forge_pseudo(&f, "[.NET Roots]");
    node_id threads = forge_pseudo(&f, "[thread static vars]");
    node_id variable = forge_pseudo(&f, "[static var App.t_cache]");
    node_id order = forge_object(&f, "App.Order", 24);
    forge_reference(&f, root, threads);
    forge_reference(&f, threads, variable);
    forge_reference(&f, variable, order);
    forge_start(&f, root);
    expect_one_chain(
        &f, "App.Order", 1,
        "thread_static: [thread static vars] [static var App.t_cache] App.Order");
}

/* --- groups ----------------------------------------------------------------------------
 */

/* 3 orders below a static, 6 on the stack, 1 unreachable. */
static struct hd_snapshot *ten_orders(void)
{
    struct forge f = {0};
    node_id orders = forge_objects(&f, "App.Order", 24, 10);
    forge_objects(&f, "App.Other", 24, 7);
    for (node_id i = 0; i < 3; i++)
        forge_root(&f, HD_ROOT_STATIC, "App.s_order", orders + i);
    for (node_id i = 3; i < 9; i++) {
        forge_root(&f, HD_ROOT_STACK, NULL, orders + i);
        forge_generation(&f, orders + i, i % 2 == 0 ? HD_GEN2 : HD_GEN0);
    }
    return forge_finish(&f);
}

Test(chains, groups_are_sorted_by_size_and_exact_when_all_are_looked_at)
{
    struct asked a = asked_of(ten_orders(), 10);
    ask_for(&a, "App.Order");
    answer(&a);
    cr_expect_eq(a.found->instances, 10);
    cr_expect_eq(a.found->samples, 10);
    cr_assert_eq(a.found->len, 3);
    expect_chain(&a.found->all[0], 6, "stack: [local vars] App.Order");
    expect_chain(&a.found->all[1], 3,
                 "static: [static vars] [static var App.s_order] App.Order");
    expect_chain(&a.found->all[2], 1, "unreachable: [unreachable] App.Order");
    static const double shares[] = {0.6, 0.3, 0.1};
    for (size_t i = 0; i < 3; i++) {
        const struct hd_chain *c = &a.found->all[i];
        cr_expect(c->exact);
        cr_expect_float_eq(c->share, shares[i], 1e-12);
        cr_expect(c->low == c->share && c->high == c->share);
    }
    asked_free(&a);
}

Test(chains, a_sample_has_intervals_instead)
{
    struct asked a = asked_of(ten_orders(), 9);
    ask_for(&a, "App.Order");
    answer(&a);
    cr_expect_eq(a.found->instances, 10);
    cr_expect_eq(a.found->samples, 9);
    uint64_t samples = 0;
    for (size_t i = 0; i < a.found->len; i++) {
        const struct hd_chain *c = &a.found->all[i];
        double low, high;
        wilson_interval(c->count, 9, &low, &high);
        cr_expect_not(c->exact);
        cr_expect(c->low == low && c->high == high);
        cr_expect_float_eq(c->share, (double)c->count / 9.0, 1e-12);
        samples += c->count;
    }
    cr_expect_eq(samples, 9);
    asked_free(&a);
}

/* A digest has no samples of small places: all of their instances may have this chain, or
 * none. */
Test(chains, instances_without_samples_widen_what_may_be_true)
{
    static const struct {
        uint64_t count, samples, instances, uncovered;
    } cases[] = {{6, 10, 10, 0},    {6, 8, 10, 2},    {0, 8, 10, 2},
                 {8, 8, 10, 2},     {6, 8, 10, 10},   {30, 64, 640, 0},
                 {30, 64, 640, 64}, {64, 64, 640, 1}, {0, 64, 640, 320}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct chains all = {.samples = (uint32_t)cases[i].samples,
                             .instances = cases[i].instances,
                             .uncovered = cases[i].uncovered};
        struct hd_chain c = {.count = (uint32_t)cases[i].count};
        double low = (double)cases[i].count / (double)cases[i].samples, high = low;
        double rest = (double)cases[i].uncovered / (double)cases[i].instances;
        if (cases[i].samples != cases[i].instances)
            wilson_interval(cases[i].count, cases[i].samples, &low, &high);
        chain_set_share(&c, &all);
        cr_expect_float_eq(c.low, low * (1 - rest), 1e-12, "case %zu: %g", i, c.low);
        cr_expect_float_eq(c.high, high * (1 - rest) + rest, 1e-12, "case %zu: %g", i,
                           c.high);
        cr_expect(0 <= c.low && c.low <= c.high && c.high <= 1 + 1e-12, "case %zu", i);
    }
}

Test(chains, groups_of_one_size_are_sorted_by_signature)
{
    struct forge f = {0};
    static const char *const holders[] = {"App.C", "App.A", "App.D", "App.B"};
    for (int i = 0; i < 4; i++) {
        node_id holder = forge_object(&f, holders[i], 24);
        forge_reference(&f, holder, forge_object(&f, "App.Order", 24));
        forge_root(&f, HD_ROOT_STACK, NULL, holder);
    }
    struct asked a = asked_of(forge_finish(&f), 32);
    ask_for(&a, "App.Order");
    answer(&a);
    cr_assert_eq(a.found->len, 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_str_eq(a.found->all[i].frames[1].types[0],
                         ((const char *[]){"App.A", "App.B", "App.C", "App.D"})[i]);
    asked_free(&a);
}

Test(chains, only_selected_instances_are_looked_at)
{
    static const struct {
        enum selection selection;
        uint64_t instances;
    } cases[] = {{SELECT_ALL, 10},
                 {SELECT_REACHABLE, 9},
                 {SELECT_GEN2, 3},
                 {SELECT_GEN2 | SELECT_REACHABLE, 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct asked a = asked_of(ten_orders(), 32);
        ask_for(&a, "App.Order");
        a.question.selection = cases[i].selection;
        answer(&a);
        cr_expect_eq(a.found->instances, cases[i].instances, "%u: %llu", cases[i].selection,
                     (unsigned long long)a.found->instances);
        asked_free(&a);
    }
}

Test(chains, more_samples_than_objects_need_no_more_memory)
{
    struct asked a = asked_of(ten_orders(), UINT32_MAX);
    ask_for(&a, "App.Order");
    answer(&a);
    cr_expect_eq(a.found->samples, a.found->instances);
    asked_free(&a);
}

Test(chains, no_samples_no_chains)
{
    struct asked a = asked_of(ten_orders(), 0);
    ask_for(&a, "App.Order");
    answer(&a);
    cr_expect_eq(a.found->instances, 10);
    cr_expect_eq(a.found->len, 0);
    asked_free(&a);
}

Test(chains, answers_do_not_depend_on_the_order_of_the_questions)
{
    struct asked one = asked_of(ten_orders(), 4), other = asked_of(ten_orders(), 4);
    ask_for(&one, "App.Order");
    ask_for(&one, "App.Other");
    ask_for(&other, "App.Other");
    ask_for(&other, "App.Order");
    answer(&one);
    answer(&other);
    for (size_t q = 0; q < 2; q++) {
        const struct chains *x = &one.found[q], *y = &other.found[1 - q];
        cr_assert_eq(x->len, y->len);
        cr_expect_eq(x->instances, y->instances);
        for (size_t i = 0; i < x->len; i++) {
            struct text t = {0};
            show(&y->all[i], &t);
            expect_chain(&x->all[i], y->all[i].count, text_string(&t));
            cr_expect_eq(x->all[i].example, y->all[i].example);
            text_free(&t);
        }
    }
    asked_free(&one);
    asked_free(&other);
}

Test(chains, another_seed_takes_another_sample)
{
    bool differs = false;
    for (uint64_t seed = 1; seed < 10; seed++) {
        struct asked a = asked_of(ten_orders(), 1), b = asked_of(ten_orders(), 1);
        ask_for(&a, "App.Order");
        ask_for(&b, "App.Order");
        b.how.seed = seed;
        answer(&a);
        answer(&b);
        differs |= a.found->all[0].example != b.found->all[0].example;
        asked_free(&a);
        asked_free(&b);
    }
    cr_expect(differs);
}

/* --- by definition
 * ------------------------------------------------------------------------- */

enum { MAX_NODES = 40, TYPES = 3 };

static const char *const type_names[TYPES] = {"App.A", "App.B", "App.C"};

/* An instance with its folded chain of types as letters. */
struct instance {
    node_id node;
    char signature[MAX_NODES + 8];
};

static bool is_repeated(const char *s, size_t len, size_t period)
{
    return len >= 2 * period && memcmp(s + len - period, s + len - 2 * period, period) == 0;
}

static void fold(char *s, size_t *len, char next)
{
    s[(*len)++] = next;
    for (size_t period = 1; period <= 3; period++) {
        if (!is_repeated(s, *len, period))
            continue;
        *len -= period;
        break;
    }
    s[*len] = '\0';
}

static void sign(const struct asked *a, struct instance *i)
{
    const struct graph *g = a->snap->graph;
    node_id chain[MAX_NODES + 8];
    size_t length = 0, len = 0;
    for (node_id n = i->node; n != NO_NODE && n != g->root; n = a->walk.parent[n])
        chain[length++] = n;
    if (a->walk.parent[chain[length - 1]] == NO_NODE)
        fold(i->signature, &len, '!');
    while (length > 0)
        fold(i->signature, &len, (char)('a' + g->type[chain[--length]]));
}

static int by_hash(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    uint64_t p = sample_hash(x->node, 0), q = sample_hash(y->node, 0);
    return (p > q) - (p < q);
}

/* The instances to be examined, in the order of their hashes. */
static size_t instances_of(const struct asked *a, const char *type, struct instance *all)
{
    const struct graph *g = a->snap->graph;
    type_id wanted = forge_type_id(a->snap, TYPE_OBJECT, type);
    size_t count = 0;
    for (node_id n = 0; n < g->node_count; n++)
        if (g->type[n] == wanted)
            all[count++].node = n;
    cr_assert_eq(a->found->instances, count);
    qsort(all, count, sizeof(*all), by_hash);
    if (count > a->how.samples && !a->how.exact)
        count = a->how.samples;
    for (size_t i = 0; i < count; i++)
        sign(a, &all[i]);
    return count;
}

static void expect_groups(const struct asked *a, const char *type)
{
    struct instance all[MAX_NODES];
    size_t count = instances_of(a, type, all);
    uint64_t sum = 0;
    cr_assert_eq(a->found->samples, count);
    for (size_t i = 0; i < a->found->len; i++) {
        const struct hd_chain *c = &a->found->all[i];
        struct instance example = {.node = c->example};
        sign(a, &example);
        uint64_t same = 0;
        size_t first = count;
        for (size_t j = count; j-- > 0;) {
            if (strcmp(all[j].signature, example.signature) != 0)
                continue;
            same++;
            first = j;
        }
        cr_assert_eq(c->count, same, "%s", example.signature);
        cr_assert(a->how.exact || all[first].node == c->example, "%s", example.signature);
        cr_assert(i == 0 || a->found->all[i - 1].count >= c->count);
        sum += same;
    }
    cr_assert_eq(sum, count, "no group is missing or twice");
}

static void expect_random_heap(struct random *r, bool exact)
{
    struct forge f = {0};
    uint32_t objects = TYPES + random_below(r, MAX_NODES - TYPES);
    for (uint32_t i = 0; i < objects; i++)
        forge_object(&f, type_names[i < TYPES ? i : random_below(r, TYPES)], 24);
    for (uint32_t i = random_below(r, 3 * objects); i > 0; i--)
        forge_reference(&f, random_below(r, objects), random_below(r, objects));
    for (uint32_t i = 1 + random_below(r, 3); i > 0; i--)
        forge_root(&f, random_below(r, 2) ? HD_ROOT_STACK : HD_ROOT_STRONG_HANDLE, NULL,
                   random_below(r, objects));
    struct asked a = asked_of(forge_finish(&f), 1 + random_below(r, 20));
    a.how.exact = exact;
    const char *type = type_names[random_below(r, TYPES)];
    ask_for(&a, type);
    answer(&a);
    expect_groups(&a, type);
    asked_free(&a);
}

Test(chains, random_heaps_are_grouped_as_defined)
{
    struct random r = random_from(5);
    for (int round = 0; round < 2000; round++)
        expect_random_heap(&r, false);
}

Test(chains, exact_answers_count_all_instances_as_defined)
{
    struct random r = random_from(6);
    for (int round = 0; round < 2000; round++)
        expect_random_heap(&r, true);
}

/* Types have other numbers here, so numbers must not matter. */
Test(chains, a_chain_has_the_same_hash_in_every_snapshot)
{
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        struct forge f = {0};
        node_id other = forge_object(&f, k == 0 ? "App.Other" : "App.Order", 24);
        node_id order = forge_object(&f, k == 0 ? "App.Order" : "App.Other", 24);
        node_id below = k == 0 ? order : other, above = k == 0 ? other : order;
        forge_reference(&f, above, below);
        forge_root(&f, HD_ROOT_STACK, NULL, above);
        struct asked a = asked_of(forge_finish(&f), 32);
        ask_for(&a, "App.Order");
        a.how.exact = k == 1;
        answer(&a);
        cr_assert_eq(a.found->len, 1);
        hash[k] = a.found->all[0].hash;
        expect_chain(&a.found->all[0], 1, "stack: [local vars] App.Other App.Order");
        asked_free(&a);
    }
    cr_expect_eq(hash[0], hash[1]);
}

/* --- fields ------------------------------------------------------------------------- */

enum { SESSIONS = 20 };

/* A static list of sessions; each has an order in a field, and a log of the same type. */
static void hold_sessions(struct forge *f, const char *second)
{
    node_id list = forge_object(f, "List<App.Session>", 32),
            array = forge_object(f, "App.Session[]", 400);
    node_id sessions = forge_objects(f, "App.Session", 40, SESSIONS);
    node_id orders = forge_objects(f, "App.Order", 96, 2 * SESSIONS);
    forge_root(f, HD_ROOT_STATIC, "App.Store.s_all", list);
    forge_reference_by(f, list, "_items", array);
    for (node_id i = 0; i < SESSIONS; i++) {
        forge_reference_by(f, array, "[]", sessions + i);
        forge_reference_by(f, sessions + i, "Order", orders + 2 * i);
        forge_reference_by(f, sessions + i, second, orders + 2 * i + 1);
    }
}

static struct asked asked_for_orders(struct forge *f, bool fields, bool exact)
{
    struct asked a = asked_of(forge_finish(f), 64);
    a.how.fields = fields;
    a.how.exact = exact;
    ask_for(&a, "App.Order");
    answer(&a);
    return a;
}

Test(chains, a_frame_has_the_field_of_its_reference)
{
    for (int exact = 0; exact < 2; exact++) {
        struct forge f = {0};
        hold_sessions(&f, "Order");
        struct asked a = asked_for_orders(&f, false, exact);
        cr_assert_eq(a.found->len, 1);
        expect_fields(&a, 0,
                      "[static vars] [static var App.Store.s_all] List<Session>._items "
                      "Session[] Session.Order Order");
        asked_free(&a);
    }
}

Test(chains, several_fields_of_a_group_are_omitted)
{
    struct forge f = {0};
    hold_sessions(&f, "Extra.Item3");
    struct asked a = asked_for_orders(&f, false, false);
    cr_assert_eq(a.found->len, 1);
    expect_fields(&a, 0,
                  "[static vars] [static var App.Store.s_all] List<Session>._items "
                  "Session[] Session Order");
    asked_free(&a);
}

Test(chains, two_fields_of_one_type_separate_a_chain_on_request)
{
    for (int exact = 0; exact < 2; exact++) {
        struct forge f = {0};
        hold_sessions(&f, "Extra.Item3");
        struct asked a = asked_for_orders(&f, true, exact);
        cr_assert_eq(a.found->len, 2);
        cr_expect_eq(a.found->all[0].count, SESSIONS);
        cr_expect_eq(a.found->all[1].count, SESSIONS);
        cr_expect_neq(a.found->all[0].hash, a.found->all[1].hash);
        bool swapped = strcmp(a.found->all[0].frames[4].field, "Order") != 0;
        expect_fields(&a, swapped ? 1 : 0,
                      "[static vars] [static var App.Store.s_all] List<Session>._items "
                      "Session[] Session.Order Order");
        expect_fields(&a, swapped ? 0 : 1,
                      "[static vars] [static var App.Store.s_all] List<Session>._items "
                      "Session[] Session.Extra.Item3 Order");
        asked_free(&a);
    }
}

Test(chains, exact_and_sampled_chains_with_fields_have_one_hash)
{
    uint64_t hashes[2][2];
    for (int exact = 0; exact < 2; exact++) {
        struct forge f = {0};
        hold_sessions(&f, "Extra.Item3");
        struct asked a = asked_for_orders(&f, true, exact);
        for (size_t i = 0; i < 2; i++)
            hashes[exact][i] = a.found->all[i].hash;
        asked_free(&a);
    }
    cr_expect(memcmp(hashes[0], hashes[1], sizeof(hashes[0])) == 0);
}

Test(chains, a_repeated_type_has_its_inner_and_its_last_field)
{
    struct forge f = {0};
    node_id first = forge_objects(&f, "App.Node", 32, 5),
            order = forge_object(&f, "App.Order", 8);
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", first);
    for (node_id i = 0; i < 4; i++)
        forge_reference_by(&f, first + i, "Next", first + i + 1);
    forge_reference_by(&f, first + 4, "Value", order);
    struct asked a = asked_for_orders(&f, false, false);
    expect_fields(&a, 0, "[static vars] [static var App.s_list] Node.Next ×5 .Value Order");
    asked_free(&a);
}

Test(chains, a_repeated_pattern_has_a_field_for_each_of_its_types)
{
    struct forge f = {0};
    node_id a[4], b[4], order = forge_object(&f, "App.Order", 8);
    for (int i = 0; i < 4; i++) {
        a[i] = forge_object(&f, "App.A", 16);
        b[i] = forge_object(&f, "App.B", 16);
        forge_reference_by(&f, a[i], "b", b[i]);
        if (i > 0)
            forge_reference_by(&f, b[i - 1], i == 2 ? "other" : "a", a[i]);
    }
    forge_reference_by(&f, b[3], "order", order);
    forge_root(&f, HD_ROOT_STATIC, "App.s_list", a[0]);
    struct asked asked = asked_for_orders(&f, false, false);
    expect_fields(&asked, 0,
                  "[static vars] [static var App.s_list] (A.b → B) ×4 .order Order");
    asked_free(&asked);
}
