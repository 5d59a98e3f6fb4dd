/* Special rules of the ranking for the runtime: threads and pools of buffers. */
#include "ranking/ranked.h"

/* --- threads -------------------------------------------------------------------------- */

struct thread_case {
    const char *group, *array, *owner;
    uint32_t owners[3], arrays[3];
};

static void add_threads(struct ranked *r, const struct thread_case *c)
{
    for (size_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id root = heap_root(&f);
        heap_objects(&f, heap_group(&f, root, c->group), c->array, 100, c->arrays[k]);
        heap_objects(&f, heap_group(&f, root, "[strong Handles]"), c->owner, 1,
                     c->owners[k]);
        aligned_add(&r->a, forge_finish(&f));
    }
}

/* The score of the arrays if their owners score 20; 0 if they are not ranked. */
static double score_of_arrays(const struct thread_case *c)
{
    struct ranked r = {0};
    add_threads(&r, c);
    rank(&r);
    double score = 0;
    for (size_t i = 0; i < r.ranking.len; i++)
        if (strcmp(r.tree.labels.all[r.ranking.all[i].label].name, c->array) == 0)
            score = r.ranking.all[i].score;
    ranked_free(&r);
    return score;
}

Test(leak_ranking_runtime, arrays_of_thread_statics_are_explained_by_threads)
{
    static const char *const owners[] = {
        "System.Threading.Thread", "System.Threading.ThreadPoolWorkQueueThreadLocals"};
    static const char *const groups[] = {"[local vars]", "[Pinned local vars]"};
    for (size_t i = 0; i < 4; i++) {
        struct thread_case c = {.group = groups[i / 2],
                                .array = "System.Object[]",
                                .owner = owners[i % 2],
                                .owners = {10, 20, 30},
                                .arrays = {20, 40, 60}};
        cr_expect_eq(score_of_arrays(&c), 0, "%s", owners[i % 2]);
        c.owner = "App.Thread";
        cr_expect_eq(score_of_arrays(&c), 4000, "%s", owners[i % 2]);
    }
}

Test(leak_ranking_runtime, arrays_that_outgrow_the_threads_stay)
{
    struct thread_case c = {.group = "[local vars]",
                            .array = "System.Object[]",
                            .owner = "System.Threading.Thread",
                            .owners = {10, 15, 20},
                            .arrays = {10, 110, 210}};
    /* One array in twenty is explained: 10 * 10 / (10 * 200). */
    cr_expect_float_eq(score_of_arrays(&c), 19000, 1e-6);
}

Test(leak_ranking_runtime, threads_explain_nothing_else)
{
    static const struct thread_case cases[] = {
        {.group = "[static vars]", .array = "System.Object[]", .owner = "App.Thread"},
        {.group = "[local vars]", .array = "App.Order[]", .owner = "App.Thread"},
        {.group = "[local vars]", .array = "System.Object[]", .owner = "App.Thread"},
    };
    for (size_t i = 0; i < 3; i++) {
        struct thread_case c = cases[i];
        if (i < 2)
            c.owner = "System.Threading.Thread";
        for (uint32_t k = 0; k < 3; k++)
            c.owners[k] = c.arrays[k] = 10 + 10 * k;
        cr_expect_eq(score_of_arrays(&c), 2000, "%s, %s, %s", c.group, c.array, c.owner);
    }
}

/* --- pools -----------------------------------------------------------------------------
 */

/* [static vars] -> a chain of single objects -> 10, 20, 30 of the last type. */
static void add_pool(struct ranked *r, const char *const *chain, size_t len)
{
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id at = heap_group(&f, heap_root(&f), "[static vars]");
        for (size_t i = 0; i + 1 < len; i++)
            at = heap_object(&f, at, chain[i], 24);
        heap_objects(&f, at, chain[len - 1], 100, 10 + 10 * k);
        aligned_add(&r->a, forge_finish(&f));
    }
}

struct pool_case {
    bool pooled;
    const char *chain[6];
};

Test(leak_ranking_runtime, objects_in_a_pool_are_listed_separately)
{
    static const struct pool_case cases[] = {
        {true, {"System.Buffers.SharedArrayPool<System.Byte>"}},
        {true, {"System.Buffers.SharedArrayPool<System.Byte>", "System.Byte[]"}},
        {true, {"System.Buffers.ConfigurableArrayPool<X>", "Bucket", "System.Byte[]"}},
        {true,
         {"Microsoft.AspNetCore.PinnedBlockMemoryPool", "Q", "S", "T",
          "Microsoft.AspNetCore.MemoryPoolBlock"}},
        {false, {"System.Buffers.SharedArrayPool<X>", "A", "B", "System.Byte[]"}},
        {false, {"System.Buffers.SharedArrayPool<System.Byte>", "App.Order"}},
        {false, {"Microsoft.AspNetCore.PinnedBlockMemoryPoolFactory", "System.Byte[]"}},
        {false, {"App.Cache", "System.Byte[]"}},
        {false, {"App.Cache", "Microsoft.AspNetCore.MemoryPoolBlock"}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t len = 0;
        while (cases[i].chain[len] != NULL)
            len++;
        struct ranked r = {0};
        add_pool(&r, cases[i].chain, len);
        rank(&r);
        cr_expect_eq(r.ranking.pooled, cases[i].pooled, "case %zu", i);
        cr_expect_eq(r.ranking.len, !cases[i].pooled, "case %zu", i);
        cr_expect_eq(r.ranking.all[0].pooled, cases[i].pooled, "case %zu", i);
        cr_expect_eq(r.ranking.all[0].score, 2000, "case %zu", i);
        ranked_free(&r);
    }
}

/* Buffers that were rented and never returned are held elsewhere. */
Test(leak_ranking_runtime, a_type_can_be_ranked_and_pooled)
{
    struct ranked r = {0};
    for (uint32_t k = 0; k < 3; k++) {
        struct forge f = {0};
        node_id statics = heap_group(&f, heap_root(&f), "[static vars]");
        node_id pool = heap_object(&f, statics, "System.Buffers.SharedArrayPool<X>", 24);
        heap_objects(&f, pool, "System.Byte[]", 100, 10 + 10 * k);
        node_id lost = heap_object(&f, statics, "App.Requests", 24);
        heap_objects(&f, lost, "System.Byte[]", 50, 10 + 10 * k);
        heap_objects(&f, lost, "App.Request", 1, 10 + 10 * k);
        aligned_add(&r.a, forge_finish(&f));
    }
    rank(&r);
    expect_ranking(&r, {"System.Byte[]", 1000}, {"App.Request", 20});
    expect_pooled(&r, {"System.Byte[]", 2000});
    cr_expect(r.ranking.all[2].pooled);
    ranked_free(&r);
}
