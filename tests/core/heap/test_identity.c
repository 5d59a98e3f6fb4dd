#include "heap/snapshot.h"

#include "base/alloc.h"
#include "support/forge.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A sketch of `count` addresses: from, from + 8, ... */
static struct sketch range_of(uint64_t from, size_t count, struct arena *a)
{
    struct sketch_builder *s = alloc_zeroed(sizeof(*s));
    for (size_t i = 0; i < count; i++)
        sketch_add(s, from + 8 * i);
    struct sketch done = sketch_finish(s, a);
    free(s);
    return done;
}

static enum process_match match_of(uint64_t from, size_t count, uint64_t other,
                                   size_t others)
{
    struct arena a = {0};
    struct sketch x = range_of(from, count, &a), y = range_of(other, others, &a);
    enum process_match match = sketch_compare(&x, &y);
    cr_expect_eq(sketch_compare(&y, &x), match, "whichever comes first");
    arena_free(&a);
    return match;
}

Test(identity, sets_that_share_an_address_are_of_one_process)
{
    cr_expect_eq(match_of(0x1000, 10, 0x1000, 10), PROCESS_SAME);
    cr_expect_eq(match_of(0x1000, 10, 0x1048, 10), PROCESS_SAME, "one in common");
    cr_expect_eq(match_of(0x1000, 10, 0x9000, 10), PROCESS_OTHER);
    cr_expect_eq(match_of(0x1000, 0, 0x9000, 10), PROCESS_UNKNOWN);
    cr_expect_eq(match_of(0x1000, 0, 0x9000, 0), PROCESS_UNKNOWN);
}

/* The first few addresses are in the later set, but the sketch drops some. */
Test(identity, a_set_that_grew_is_never_another_one)
{
    for (size_t few = 1; few < 40; few++)
        for (size_t many = 900; many < 60000; many *= 3)
            cr_expect_neq(match_of(0x1000, few, 0x1000, many), PROCESS_OTHER, "%zu of %zu",
                          few, many);
    cr_expect_eq(match_of(0x1000, 50000, 0x1000, 60000), PROCESS_SAME);
    cr_expect_eq(match_of(0x1000, 50000, 0x9000000, 60000), PROCESS_OTHER);
}

Test(identity, a_sketch_keeps_each_address_once_and_has_an_end)
{
    struct arena a = {0};
    struct sketch_builder *s = alloc_zeroed(sizeof(*s));
    for (size_t i = 0; i < 100000; i++)
        sketch_add(s, 8 * (i % 7));
    struct sketch few = sketch_finish(s, &a), many = range_of(8, 100000, &a);
    cr_expect_eq(few.len, 7);
    cr_expect_not(few.is_cut);
    cr_expect_eq(many.len, SKETCH_SIZE);
    cr_expect(many.is_cut);
    for (size_t i = 1; i < many.len; i++)
        cr_assert_lt(many.all[i - 1], many.all[i]);
    free(s);
    arena_free(&a);
}

/* --- of snapshots ------------------------------------------------------------- */

enum { TABLE = 8184 };

/* Types and tables after this number of other objects. */
static struct hd_snapshot *process(uint32_t types_at, uint32_t tables_at)
{
    struct forge f = {0};
    uint32_t all = (types_at > tables_at ? types_at : tables_at) + 8;
    for (uint32_t i = 0; i < all; i++) {
        bool type = i >= types_at && i < types_at + 3, table = i == tables_at + 4;
        node_id n = forge_object(&f,
                                 type    ? "System.RuntimeType"
                                 : table ? "System.Object[]"
                                         : "App.Order",
                                 table ? TABLE : 40);
        forge_generation(&f, n, HD_GEN2);
    }
    forge_root(&f, HD_ROOT_STATIC, "App.s_all", 0);
    return forge_finish(&f);
}

static void expect_match(struct hd_snapshot *a, struct hd_snapshot *b,
                         enum process_match match)
{
    cr_expect_eq(identity_compare(&a->identity, &b->identity), match);
    hd_snapshot_close(a);
    hd_snapshot_close(b);
}

Test(identity, another_process_has_types_and_tables_at_other_addresses)
{
    expect_match(process(10, 10), process(10, 10), PROCESS_SAME);
    expect_match(process(10, 10), process(10, 50), PROCESS_SAME);
    expect_match(process(10, 10), process(50, 10), PROCESS_SAME);
    expect_match(process(10, 10), process(50, 50), PROCESS_OTHER);
}

Test(identity, a_possibly_partial_heap_proves_nothing)
{
    struct forge f = {0};
    forge_generation(&f, forge_object(&f, "System.RuntimeType", 40), HD_GEN2);
    forge_generation(&f, forge_object(&f, "System.Object[]", 4000), HD_GEN2);
    expect_match(process(10, 10), forge_finish(&f), PROCESS_UNKNOWN);
    forge_generation(&f, forge_object(&f, "System.RuntimeType", 40), HD_GEN2);
    forge_generation(&f, forge_object(&f, "System.Object[]", TABLE), HD_GEN2);
    forge_multiplier(&f, "System.RuntimeType", 4);
    expect_match(process(10, 10), forge_finish(&f), PROCESS_UNKNOWN);
}

/* From a runtime without these: the addresses are those of the generation. */
static struct hd_snapshot *foreign(uint32_t objects, enum hd_generation generation)
{
    struct forge f = {0};
    for (uint32_t i = 0; i < objects; i++)
        forge_generation(&f, forge_object(&f, "App.Order", 40), generation);
    return forge_finish(&f);
}

Test(identity, without_types_and_tables_no_block_in_common_is_another_process)
{
    enum { ENOUGH = 1000 };
    expect_match(foreign(ENOUGH, HD_GEN1), foreign(3 * ENOUGH, HD_GEN2), PROCESS_OTHER);
    expect_match(foreign(ENOUGH - 1, HD_GEN1), foreign(3 * ENOUGH, HD_GEN2),
                 PROCESS_UNKNOWN);
    expect_match(foreign(ENOUGH, HD_GEN2), foreign(ENOUGH, HD_GEN2), PROCESS_UNKNOWN);
    expect_match(foreign(ENOUGH, HD_GEN1), process(10, 10), PROCESS_UNKNOWN);
}

Test(identity, the_hash_of_a_process_decides_alone)
{
    struct hd_snapshot *a = process(10, 10), *b = process(50, 50);
    a->identity.instance = b->identity.instance = 7;
    expect_match(a, b, PROCESS_SAME);
    a = process(10, 10), b = process(10, 10);
    a->identity.instance = 7;
    b->identity.instance = 8;
    expect_match(a, b, PROCESS_OTHER);
}

static const char *runtime_at(const char *module)
{
    static char runtime[64];
    struct forge f = {0};
    forge_object(&f, "System.String", 40);
    forge_module(&f, "System.String", module);
    struct hd_snapshot *snap = forge_finish(&f);
    snprintf(runtime, sizeof(runtime), "%s",
             snap->info.runtime != NULL ? snap->info.runtime : "-");
    hd_snapshot_close(snap);
    return runtime;
}

Test(identity, the_runtime_is_identified_by_the_address_of_its_library)
{
    cr_expect_str_eq(
        runtime_at("/usr/share/dotnet/shared/Microsoft.NETCore.App/10.0.12/System.dll"),
        "10.0.12");
    cr_expect_str_eq(
        runtime_at("C:\\dotnet\\shared\\Microsoft.NETCore.App\\9.0.0-rc.1\\System.dll"),
        "9.0.0-rc.1");
    cr_expect_str_eq(runtime_at("/app/System.Private.CoreLib.dll"), "-");
    cr_expect_str_eq(runtime_at("/shared/Microsoft.NETCore.App/10.0.12"), "-");
    cr_expect_str_eq(runtime_at("/shared/Microsoft.NETCore.App/ref/System.dll"), "-");
}
