/* Types with memory outside the heap, by name, and the growth at which they are reported.
 */
#include "ranking/native_memory.h"

#include "support/forge.h"

#include <criterion/criterion.h>
#include <string.h>

#define NAMES_XML                                                                          \
    "System.Collections.Generic.Dictionary<System.Xml.Serialization.TempAssemblyCacheKey," \
    "System.Xml.Serialization.TempAssembly>"

Test(native, is_recognized_by_whole_names_of_the_runtime)
{
    static const struct {
        const char *name, *what;
        bool is_handle;
    } cases[] = {
        {"System.Reflection.RuntimeAssembly", "loaded assemblies", false},
        {"System.Reflection.RuntimeModule", "loaded modules", false},
        {"System.Reflection.LoaderAllocator", "collectible load contexts", false},
        {"System.Runtime.Loader.AssemblyLoadContext", "load contexts", false},
        {"System.Runtime.Loader.IndividualAssemblyLoadContext", "load contexts", false},
        {"System.Reflection.Emit.DynamicResolver", "dynamic methods", false},
        {"System.Threading.Thread", "threads", false},
        {"Microsoft.Win32.SafeHandles.SafeFileHandle", "handles of the system", true},
        {"Microsoft.Win32.SafeHandles.SafeX509Handle", "handles of the system", true},
        {"System.Runtime.InteropServices.SafeHandle", "handles of the system", true},
        {"App.MySafeHandle", "handles of the system", true},
        {"System.Reflection.RuntimeMethodInfo", NULL, false},
        {"System.Reflection.RuntimeAssembly+ManifestResourceStream", NULL, false},
        {"System.Reflection.Emit.DynamicResolver+DestroyScout", NULL, false},
        {"System.Threading.ThreadStart", NULL, false},
        {"System.Threading.Thread[]", NULL, false},
        {"App.Thread", NULL, false},
        {"System.String", NULL, false},
        {"", NULL, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int origin = ORIGIN_RUNTIME; origin <= ORIGIN_PROGRAM; origin++) {
            const struct native_memory_kind *kind =
                native_memory_kind_of(cases[i].name, (enum type_origin)origin);
            bool wanted =
                cases[i].what != NULL && (origin != ORIGIN_PROGRAM || cases[i].is_handle);
            cr_assert_eq(kind != NULL, wanted, "%s, %d", cases[i].name, origin);
            if (wanted)
                cr_expect_str_eq(kind->what, cases[i].what);
        }
}

enum { MAX_SNAPSHOTS = 6 };

/* Rows with this name and count in each of n snapshots, and the expected finding. */
struct native_case {
    const char *name, *other_row; /* another row, in all snapshots; NULL */
    uint64_t counts[MAX_SNAPSHOTS];
    size_t n;
    bool found, is_much;
    const char *hint;
};

static void expect_native(const struct native_case *c)
{
    struct hd_snapshot *snaps[MAX_SNAPSHOTS];
    struct series s;
    struct series_question ask = {.by = HD_BY_TYPE};
    struct series_warnings ignored = {0};
    struct arena a = {0};
    size_t count;
    for (size_t k = 0; k < c->n; k++) {
        struct forge f = {0};
        forge_row(&f, "System.String", 1000, 24000);
        forge_row(&f, c->name, c->counts[k], 48 * c->counts[k]);
        if (c->other_row != NULL)
            forge_row(&f, c->other_row, 40 + c->counts[k], 80);
        snaps[k] = forge_finish(&f);
    }
    cr_assert(series_align(&s, snaps, c->n, &ask, &a, &ignored, NULL));
    struct native_memory_growth *all = native_memory_growths_of(&s, &count, &a);
    cr_assert_eq(count, c->found, "%s, %llu, %zu", c->name,
                 (unsigned long long)c->counts[1], c->n);
    if (c->found) {
        cr_expect_str_eq(all[0].row->name, c->name);
        cr_expect_str_eq(all[0].hint, c->hint);
        cr_expect_eq(all[0].is_much, c->is_much, "%s", c->name);
    }
    for (size_t k = 0; k < c->n; k++)
        hd_snapshot_close(snaps[k]);
    arena_free(&a);
}

Test(native, must_rise_in_every_step_and_by_ten_to_weigh)
{
    static const char assembly[] = "System.Reflection.RuntimeAssembly",
                      module[] = "System.Reflection.RuntimeModule", /* co-retained */
        unload[] = "assembly-not-unloaded", thread[] = "System.Threading.Thread";
    const struct native_case cases[] = {
        {assembly, module, {9, 14, 19, 24, 29, 34}, 6, true, true, unload},
        {assembly,
         NAMES_XML,
         {9, 14, 19, 24, 29, 34},
         6,
         true,
         true,
         "xml-serializer-per-call"},
        {module, NULL, {9, 14, 19, 24, 29, 34}, 6, true, true, unload},
        {assembly, NULL, {9, 14, 19, 24}, 4, true, true, unload},
        {assembly, NULL, {9, 14, 24}, 3, true, false, unload},
        {assembly, NULL, {9, 34}, 2, false, false, NULL},
        {assembly, NULL, {9, 10, 11, 12, 13, 14}, 6, true, false, unload},
        {assembly, NULL, {9, 10, 11, 12, 13, 18}, 6, true, false, unload},
        {assembly, NULL, {9, 10, 11, 12, 13, 19}, 6, true, true, unload},
        {assembly, NULL, {9, 14, 19, 24, 29, 29}, 6, false, false, NULL},
        {assembly, NULL, {9, 14, 19, 18, 29, 34}, 6, false, false, NULL},
        {assembly, NULL, {34, 34, 34, 34, 34, 34}, 6, false, false, NULL},
        {thread, NULL, {1, 9, 19, 24, 29, 34}, 6, true, true, "thread-never-ends"},
        {thread, NAMES_XML, {1, 9, 19, 24, 29, 34}, 6, true, true, "thread-never-ends"},
        {"System.Reflection.Emit.DynamicResolver",
         NULL,
         {0, 9, 19, 24},
         4,
         true,
         true,
         "compiled-code-kept"},
        {"App.MySafeHandle", NULL, {0, 9, 19, 24}, 4, true, true, "handle-not-disposed"},
        {"App.Order", NULL, {9, 14, 19, 24, 29, 34}, 6, false, false, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_native(&cases[i]);
}
