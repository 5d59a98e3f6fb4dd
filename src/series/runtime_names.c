#include "series/runtime_names.h"

#include <stddef.h>
#include <string.h>

static bool begins(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* --- whose a type is ---------------------------------------------------------- */

enum type_origin type_origin_of(const char *module)
{
    static const char *const prefixes[] = {"System.", "Microsoft.", "mscorlib",
                                           "netstandard"};
    const char *file = module;
    if (module == NULL || module[0] == '\0')
        return ORIGIN_UNKNOWN;
    for (const char *c = module; *c != '\0'; c++)
        if (*c == '/' || *c == '\\')
            file = c + 1;
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (begins(file, prefixes[i]))
            return ORIGIN_RUNTIME;
    return ORIGIN_PROGRAM;
}

enum type_origin type_origin_in(struct hd_snapshot *const *snaps, size_t count,
                                const char *name)
{
    enum type_origin origin = ORIGIN_RUNTIME;
    bool found = false;
    for (size_t k = 0; k < count; k++)
        for (type_id t = 0; t < snaps[k]->type_count; t++) {
            const struct type *type = &snaps[k]->types[t];
            if (type->kind != TYPE_OBJECT || strcmp(type->name, name) != 0)
                continue;
            enum type_origin here = type_origin_of(type->module);
            origin = here > origin ? here : origin;
            found = true;
        }
    return found ? origin : ORIGIN_UNKNOWN;
}

/* --- names -------------------------------------------------------------------- */

/* The name, of whatever arguments and dimensions, or what is nested in it. */
static bool is_or_is_in(const char *type, const char *name)
{
    size_t len = strlen(name);
    return begins(type, name) && (type[len] == '\0' || strchr("<[+", type[len]) != NULL);
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
