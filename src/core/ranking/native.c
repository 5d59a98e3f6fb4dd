#include "ranking/native.h"

#include "heap/names.h"
#include "series/ranking_constants.h"

#include <string.h>

static const char assembly[] = "System.Reflection.RuntimeAssembly",
                  module[] = "System.Reflection.RuntimeModule";

/* Names of .NET 10, as snapshots spell them. */
static const struct native_kind kinds[] = {
    {assembly, "loaded assemblies", "assembly-not-unloaded"},
    {module, "loaded modules", "assembly-not-unloaded"},
    {"System.Reflection.LoaderAllocator", "collectible load contexts",
     "assembly-not-unloaded"},
    {"System.Runtime.Loader.AssemblyLoadContext", "load contexts", "assembly-not-unloaded"},
    {"System.Runtime.Loader.IndividualAssemblyLoadContext", "load contexts",
     "assembly-not-unloaded"},
    {"System.Reflection.Emit.DynamicResolver", "dynamic methods", "compiled-code-kept"},
    {"System.Threading.Thread", "threads", "thread-never-ends"}};

/* A program derives classes of its own. */
static const struct native_kind handles = {NULL, "handles of the system",
                                           "handle-not-disposed"};

const struct native_kind *native_kind_of(const char *type, enum type_origin origin)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(type, kinds[i].type) == 0)
            return origin != ORIGIN_PROGRAM ? &kinds[i] : NULL;
    return strstr(type, "SafeHandle") != NULL ? &handles : NULL;
}

/* Whether something in the heap has such a name. */
static bool knows(const struct series *s, const char *pattern)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (names_match(pattern, s->rows[i].name))
            return true;
    return false;
}

/* What makes an assembly for each XmlSerializer leaves no object that tells of it, but its
 * tables show that it is used at all. */
static const char *hint_of(const struct series *s, const struct native_kind *kind)
{
    bool is_assembly = kind->type == assembly || kind->type == module;
    return is_assembly && knows(s, "*System.Xml.Serialization.TempAssembly*")
               ? "xml-serializer-per-call"
               : kind->hint;
}

static bool rises_always(const struct series *s, const struct series_row *row)
{
    double y[SERIES_MAX_SNAPSHOTS], noise[SERIES_MAX_SNAPSHOTS];
    struct trend t = series_trend(s, row, false, y, noise);
    return row->growth == GROWS_IN_COUNT && trend_tau(&t) >= 1;
}

static bool is_much(const struct series *s, const struct series_row *row)
{
    uint64_t first = row->at[s->usable[0]].count,
             last = row->at[s->usable[s->usable_count - 1]].count;
    return s->usable_count >= rank_by.enough_snapshots &&
           last - first >= rank_by.fewest_native;
}

struct native_growth *native_growths_of(const struct series *s, size_t *count,
                                        struct arena *a)
{
    struct native_growth *all = arena_array(a, struct native_growth, s->row_count);
    *count = 0;
    for (size_t i = 0; i < s->row_count && s->usable_count >= rank_by.some_snapshots; i++) {
        const struct series_row *row = &s->rows[i];
        const struct native_kind *kind = native_kind_of(row->name, ORIGIN_UNKNOWN);
        if (kind == NULL || !rises_always(s, row) ||
            native_kind_of(row->name, type_origin_in(s->snaps, s->count, row->name)) ==
                NULL)
            continue;
        all[(*count)++] =
            (struct native_growth){kind, row, hint_of(s, kind), is_much(s, row)};
    }
    /* Each assembly has its module. */
    size_t kept = 0;
    bool assemblies = false;
    for (size_t i = 0; i < *count; i++)
        assemblies |= all[i].kind->type == assembly;
    for (size_t i = 0; i < *count; i++)
        if (!assemblies || all[i].kind->type != module)
            all[kept++] = all[i];
    *count = kept;
    return all;
}
