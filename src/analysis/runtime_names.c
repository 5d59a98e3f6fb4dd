#include "analysis/runtime_names.h"

#include <stddef.h>
#include <string.h>

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool is_buffer_pool(const char *type)
{
    return strcmp(type, "Microsoft.AspNetCore.PinnedBlockMemoryPool") == 0 ||
           begins(type, "System.Buffers.SharedArrayPool") ||
           begins(type, "System.Buffers.ConfigurableArrayPool");
}

bool is_pool_block(const char *type)
{
    const char *name = strrchr(type, '.');
    return strcmp(name != NULL ? name + 1 : type, "MemoryPoolBlock") == 0;
}

bool holds_native_memory(const char *type)
{
    static const char *const types[] = {
        "System.Reflection.RuntimeAssembly", "System.Reflection.RuntimeModule",
        "System.Reflection.Emit.DynamicResolver", "System.Threading.Thread"};
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(type, types[i]) == 0)
            return true;
    return strstr(type, "SafeHandle") != NULL ||
           begins(type, "Microsoft.Win32.SafeHandles.");
}
