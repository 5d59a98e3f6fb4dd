/* Modules of a process: their paths, their metadata, their maps of types in parts; limits.
 */
#include "clr/managed/clr_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <string.h>

static struct metadata_forge meta;
static struct clr_forge f;
static struct clr_types *types;

static void begin(void)
{
    meta = (struct metadata_forge){0};
    types = NULL;
    forge_clr_begin(&f);
    forge_type_def(&meta, "", "<Module>");
    forge_type_def(&meta, "Shop", "Store");
}

static void end(void)
{
    clr_types_close(types);
    forge_clr_end(&f);
    forge_metadata_free(&meta);
}

TestSuite(clr_modules, .init = begin, .fini = end);

static struct clr_module *open_module(uint64_t address)
{
    clr_types_close(types);
    types = forge_clr_open(&f);
    return clr_module_of(types, address);
}

/* --- paths --------------------------------------------------------------------- */

static uint64_t put_wide(const char *ascii, size_t len, bool ended)
{
    uint64_t at = forge_clr_reserve(&f, 2 * (len + ended));
    for (size_t i = 0; i < len; i++)
        forge_clr_put(&f, at + 2 * i, (unsigned char)ascii[i % strlen(ascii)], 2);
    return at;
}

/* A module with an image that the dump lacks. */
Test(clr_modules, paths_end_in_memory)
{
    enum { LONGEST = 4095 };
    uint64_t with_path = forge_clr_reserve(&f, 1024);
    struct {
        uint64_t at;
        size_t len; /* 0: no path */
    } cases[] = {
        {put_wide("/app/Shop.dll", 13, true), 13},
        {put_wide("/long", LONGEST, true), LONGEST},
        {put_wide("/long", LONGEST + 1, true), 0},
        {put_wide("", 0, true), 0},
        {0, 0},
        {1, 0}, /* invalid address */
        {put_wide("/cut", 4, false), 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        forge_clr_put(&f, with_path + f.runtime.at.module_path, cases[i].at, 8);
        struct clr_module *m = open_module(with_path);
        cr_assert_not_null(m);
        cr_expect_eq(m->path != NULL, cases[i].len > 0, "case %zu", i);
        cr_expect_eq(m->path != NULL ? strlen(m->path) : 0, cases[i].len, "case %zu", i);
        cr_expect_eq(m->metadata.tables[METADATA_TYPE_DEF].count, 0);
    }
    forge_clr_put(&f, with_path + f.runtime.at.module_path, cases[0].at, 8);
    cr_expect_str_eq(open_module(with_path)->path, "/app/Shop.dll");
}

/* --- metadata ------------------------------------------------------------------ */

Test(clr_modules, emitted_metadata_has_its_declared_length)
{
    uint64_t module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    uint64_t copy = forge_clr_get(&f, module + f.runtime.at.module_dynamic_metadata);
    uint32_t size = (uint32_t)forge_clr_get(&f, copy);
    const struct {
        uint64_t copy;
        uint32_t size;
        uint32_t rows;
    } cases[] = {
        {copy, size, 2}, {copy, UINT32_MAX, 2}, /* up to the end of the memory */
        {copy, 0, 0},    {copy, 8, 0},
        {0, size, 0},    {8, size, 0}, /* invalid address */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        forge_clr_put(&f, module + f.runtime.at.module_dynamic_metadata, cases[i].copy, 8);
        forge_clr_put(&f, copy, cases[i].size, 4);
        struct clr_module *m = open_module(module);
        cr_expect_eq(m->metadata.tables[METADATA_TYPE_DEF].count, cases[i].rows, "case %zu",
                     i);
    }
}

Test(clr_modules, an_invalid_address_is_not_a_module)
{
    cr_expect_null(open_module(8));
    cr_expect_null(open_module(FORGED_CLR_BASE + f.len - 4));
    cr_expect_null(open_module(UINT64_MAX));
}

/* --- maps ---------------------------------------------------------------------- */

/* Three parts: rows 0 to 2, 3 to 4, none; the last one is at an invalid address. */
Test(clr_modules, maps_of_types_continue_in_parts)
{
    const struct runtime_layout *at = &f.runtime.at;
    uint64_t module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    uint64_t parts[] = {module + at->module_type_def_map, forge_clr_reserve(&f, 64),
                        forge_clr_reserve(&f, 64), 8};
    static const uint32_t counts[] = {3, 2, 0};
    uint64_t table = forge_clr_reserve(&f, 64);
    for (uint64_t i = 0; i < 8; i++)
        forge_clr_put(&f, table + 8 * i, 0x1000 * (i + 1) | 3, 8);
    for (size_t i = 0, row = 0; i < 3; row += counts[i++]) {
        forge_clr_put(&f, parts[i] + at->lookup_map_next, parts[i + 1], 8);
        forge_clr_put(&f, parts[i] + at->lookup_map_table, table + 8 * row, 8);
        forge_clr_put(&f, parts[i] + at->lookup_map_count, counts[i], 4);
        forge_clr_put(&f, parts[i] + at->lookup_map_flags_mask, i == 0 ? 3 : 1, 8);
    }
    struct clr_module *m = open_module(module);
    static const uint64_t wanted[] = {0x1000, 0x2000, 0x3000, 0x4002, 0x5002, 0, 0};
    for (uint32_t row = 0; row < sizeof(wanted) / sizeof(wanted[0]); row++)
        cr_expect_eq(clr_module_type(types, m, METADATA_TYPE_DEF, row), wanted[row],
                     "row %u", row);
    forge_clr_put(&f, parts[1] + at->lookup_map_next, 0, 8);
    cr_expect_eq(clr_module_type(types, m, METADATA_TYPE_DEF, 5), 0,
                 "behind the last part");
}

/* --- many ---------------------------------------------------------------------- */

/* Any address may be used as a module; each is made once, in order of use. */
Test(clr_modules, there_may_be_thousands_until_the_budget_is_used_up)
{
    enum { MANY = 5000 };
    forge_clr_reserve(&f, MANY + 64);
    types = forge_clr_open(&f);
    struct clr_module *first = clr_module_of(types, FORGED_CLR_BASE), *m = first;
    for (uint64_t i = 1; i < MANY; i++) {
        struct clr_module *next = clr_module_of(types, FORGED_CLR_BASE + i);
        cr_assert_not_null(next, "%llu", (unsigned long long)i);
        cr_assert_eq(clr_module_after(types, m), next);
        m = next;
    }
    types->budget = sizeof(*m) - 1;
    cr_expect_null(clr_module_of(types, FORGED_CLR_BASE + MANY));
    cr_expect_eq(clr_module_of(types, FORGED_CLR_BASE), first);
    cr_expect_eq(clr_module_of(types, FORGED_CLR_BASE + MANY - 1), m);
    cr_expect_eq(clr_module_after(types, NULL), first);
}

/* Since .NET 11 the list has the Assemblies themselves. */
Test(clr_modules, are_listed_by_assemblies_or_by_domain_assemblies)
{
    uint64_t module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    uint64_t item = f.runtime.app_domain + f.runtime.at.app_domain_assembly_list + 8 + 16;
    types = forge_clr_open(&f);
    clr_modules_all(types);
    cr_assert_not_null(clr_module_after(types, NULL));
    cr_expect_eq(clr_module_after(types, NULL)->address, module);
    clr_types_close(types);
    f.runtime.at.app_domain_assemblies = f.runtime.at.app_domain_assembly_list;
    f.runtime.at.app_domain_assembly_list = RUNTIME_NO_OFFSET;
    forge_clr_put(&f, item, forge_clr_get(&f, forge_clr_get(&f, item)), 8);
    types = forge_clr_open(&f);
    clr_modules_all(types);
    cr_assert_not_null(clr_module_after(types, NULL));
    cr_expect_eq(clr_module_after(types, NULL)->address, module);
}
