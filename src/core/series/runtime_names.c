#include "series/runtime_names.h"

#include <stddef.h>
#include <string.h>

/* True for the name with any arguments and dimensions, and for types nested in it. */
static bool is_or_is_in(const char *type, const char *name)
{
    size_t len = strlen(name);
    return strncmp(type, name, len) == 0 &&
           (type[len] == '\0' || strchr("<[+", type[len]) != NULL);
}

bool is_buffer_pool(const char *type, enum type_origin origin)
{
    static const char *const pools[] = {"Microsoft.AspNetCore.PinnedBlockMemoryPool",
                                        "System.Buffers.SharedArrayPool",
                                        "System.Buffers.SharedArrayPoolPartitions",
                                        "System.Buffers.SharedArrayPoolStatics",
                                        "System.Buffers.SharedArrayPoolThreadLocalArray",
                                        "System.Buffers.ConfigurableArrayPool"};
    for (size_t i = 0; i < sizeof(pools) / sizeof(*pools); i++)
        if (is_or_is_in(type, pools[i]))
            return origin != ORIGIN_PROGRAM;
    return false;
}

bool is_pool_block(const char *type, enum type_origin origin)
{
    const char *name = strrchr(type, '.');
    return strcmp(name != NULL ? name + 1 : type, "MemoryPoolBlock") == 0 &&
           origin != ORIGIN_PROGRAM;
}
