#include "series/runtime_names.h"

#include "support/forge.h"

#include <criterion/criterion.h>

struct name_case {
    const char *name;
    bool wanted;
};

/* A type of the program never belongs to the runtime; without a module the name decides. */
static void expect_names(bool (*is)(const char *, enum type_origin),
                         const struct name_case *cases, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        cr_expect_eq(is(cases[i].name, ORIGIN_RUNTIME), cases[i].wanted, "%s",
                     cases[i].name);
        cr_expect_eq(is(cases[i].name, ORIGIN_UNKNOWN), cases[i].wanted, "%s",
                     cases[i].name);
        cr_expect_not(is(cases[i].name, ORIGIN_PROGRAM), "%s", cases[i].name);
    }
}

#define EXPECT_NAMES(is, cases) \
    expect_names((is), (cases), sizeof(cases) / sizeof(*(cases)))

Test(runtime_names, modules_decide_the_origin_of_a_type)
{
    static const struct {
        const char *module;
        enum type_origin origin;
    } cases[] = {
        {NULL, ORIGIN_UNKNOWN},
        {"", ORIGIN_UNKNOWN},
        {"System.Private.CoreLib.dll", ORIGIN_RUNTIME},
        {"/usr/lib/dotnet/shared/System.Private.CoreLib.dll", ORIGIN_RUNTIME},
        {"C:\\dotnet\\Microsoft.AspNetCore.Server.Kestrel.Core.dll", ORIGIN_RUNTIME},
        {"mscorlib.dll", ORIGIN_RUNTIME},
        {"netstandard.dll", ORIGIN_RUNTIME},
        {"/srv/System.Mine/app.dll", ORIGIN_PROGRAM},
        {"Systematic.dll", ORIGIN_PROGRAM},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        cr_expect_eq(type_origin_of(cases[i].module), cases[i].origin, "case %zu", i);
}

/* A module of the program in any snapshot decides; an unknown one leaves it open. */
Test(runtime_names, the_snapshot_with_the_least_evidence_decides_for_a_series)
{
    static const char *const modules[] = {"System.Private.CoreLib.dll", NULL, "app.dll"};
    for (size_t i = 0; i < 27; i++) {
        struct hd_snapshot *snaps[3];
        size_t of[] = {i % 3, i / 3 % 3, i / 9}, worst = 0;
        for (size_t k = 0; k < 3; k++) {
            struct forge f = {0};
            forge_object(&f, "System.Threading.Thread", 72);
            if (modules[of[k]] != NULL)
                forge_module(&f, "System.Threading.Thread", modules[of[k]]);
            snaps[k] = forge_finish(&f);
            worst = of[k] > worst ? of[k] : worst;
        }
        cr_expect_eq(type_origin_in(snaps, 3, "System.Threading.Thread"), worst);
        cr_expect_eq(type_origin_in(snaps, 3, "System.Threading.Timer"), ORIGIN_UNKNOWN);
        for (size_t k = 0; k < 3; k++)
            hd_snapshot_close(snaps[k]);
    }
}

/* Names as in snapshots of .NET 10 (fixtures/leaklab). */
Test(runtime_names, are_spelled_as_snapshots_spell_them)
{
    cr_expect_str_eq(THREAD_STATICS_ARRAY, "System.Object[]");
    cr_expect_str_eq(THREAD_TYPE, "System.Threading.Thread");
    cr_expect_str_eq(POOL_THREAD_TYPE, "System.Threading.ThreadPoolWorkQueueThreadLocals");
}

Test(runtime_names, recognize_pools_of_buffers)
{
    static const struct name_case cases[] = {
        {"Microsoft.AspNetCore.PinnedBlockMemoryPool", true},
        {"Microsoft.AspNetCore.PinnedBlockMemoryPoolFactory", false},
        {"System.Buffers.SharedArrayPool<System.Byte>", true},
        {"System.Buffers.SharedArrayPool<App.Mine>", true},
        {"System.Buffers.SharedArrayPool+<>c<System.Char>", true},
        {"System.Buffers.SharedArrayPoolPartitions", true},
        {"System.Buffers.SharedArrayPoolPartitions+Partition[]", true},
        {"System.Buffers.SharedArrayPoolThreadLocalArray[]", true},
        {"System.Buffers.SharedArrayPoolOfMine<System.Byte>", false},
        {"System.Buffers.SharedArrayPools", false},
        {"SharedArrayPool<App.Mine>", false},
        {"App.SharedArrayPool<System.Byte>", false},
        {"System.Buffers.ConfigurableArrayPool<System.Char>", true},
        {"System.Buffers.ArrayPool<System.Byte>", false},
        {"App.System.Buffers.SharedArrayPool<System.Byte>", false},
        {"System.Byte[]", false},
        {"", false},
    };
    EXPECT_NAMES(is_buffer_pool, cases);
}

Test(runtime_names, recognize_blocks_of_pools_in_any_namespace)
{
    static const struct name_case cases[] = {
        {"Microsoft.AspNetCore.MemoryPoolBlock", true},
        {"System.Buffers.MemoryPoolBlock", true},
        {"MemoryPoolBlock", true},
        {"App.NotAMemoryPoolBlock", false},
        {"App.MemoryPoolBlock[]", false},
        {"App.MemoryPoolBlockOwner", false},
        {"", false},
    };
    EXPECT_NAMES(is_pool_block, cases);
}
