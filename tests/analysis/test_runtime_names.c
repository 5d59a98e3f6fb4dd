#include "analysis/runtime_names.h"

#include <criterion/criterion.h>

struct name_case {
    const char *name;
    bool wanted;
};

static void expect_names(bool (*is)(const char *), const struct name_case *cases,
                         size_t len)
{
    for (size_t i = 0; i < len; i++)
        cr_expect_eq(is(cases[i].name), cases[i].wanted, "%s", cases[i].name);
}

#define EXPECT_NAMES(is, cases) \
    expect_names((is), (cases), sizeof(cases) / sizeof(*(cases)))

/* Spelled as in snapshots of .NET 10 (fixtures/leaklab). */
Test(runtime_names, are_spelled_as_snapshots_spell_them)
{
    cr_expect_str_eq(THREAD_STATICS_ARRAY, "System.Object[]");
    cr_expect_str_eq(THREAD_TYPE, "System.Threading.Thread");
    cr_expect_str_eq(POOL_THREAD_TYPE, "System.Threading.ThreadPoolWorkQueueThreadLocals");
}

Test(runtime_names, tell_pools_of_buffers)
{
    static const struct name_case cases[] = {
        {"Microsoft.AspNetCore.PinnedBlockMemoryPool", true},
        {"Microsoft.AspNetCore.PinnedBlockMemoryPoolFactory", false},
        {"System.Buffers.SharedArrayPool<System.Byte>", true},
        {"System.Buffers.SharedArrayPoolPartitions", true},
        {"System.Buffers.ConfigurableArrayPool<System.Char>", true},
        {"System.Buffers.ArrayPool<System.Byte>", false},
        {"App.System.Buffers.SharedArrayPool<System.Byte>", false},
        {"System.Byte[]", false},
        {"", false},
    };
    EXPECT_NAMES(is_buffer_pool, cases);
}

Test(runtime_names, tell_blocks_of_pools_in_any_namespace)
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

Test(runtime_names, tell_what_holds_memory_outside_the_heap)
{
    static const struct name_case cases[] = {
        {"System.Reflection.RuntimeAssembly", true},
        {"System.Reflection.RuntimeModule", true},
        {"System.Reflection.Emit.DynamicResolver", true},
        {"System.Threading.Thread", true},
        {"Microsoft.Win32.SafeHandles.SafeFileHandle", true},
        {"Microsoft.Win32.SafeHandles.SafeX509Handle", true},
        {"System.Runtime.InteropServices.SafeHandle", true},
        {"App.MySafeHandle", true},
        {"System.Reflection.RuntimeMethodInfo", false},
        {"System.Threading.ThreadStart", false},
        {"System.Threading.Thread[]", false},
        {"System.String", false},
        {"", false},
    };
    EXPECT_NAMES(holds_native_memory, cases);
}
