/* Checks a layout table against the runtime's own library: a process of .NET 8 with the
 * types that are checked, with one word changed at a time. */
#include "clr/managed/clr_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <string.h>

enum { OBJECT = 2, STRING, INT32, LIST };

static struct metadata_forge meta;
static struct clr_forge f;
static uint64_t library, object, string, number, list, statics, empty;

static void forge_types(uint32_t length, uint32_t of_empty, uint32_t value)
{
    object = forge_clr_type(&f, &(struct forged_type){.module = library, .row = OBJECT});
    string = forge_clr_type(
        &f, &(struct forged_type){.module = library,
                                  .row = STRING,
                                  .flags = 0x80000002U,
                                  .parent = object,
                                  .size = 6,
                                  .fields = {{length, 0, ELEMENT_I4, 0},
                                             {of_empty, 0, ELEMENT_CLASS, FORGED_STATIC}},
                                  .statics = statics});
    number =
        forge_clr_type(&f, &(struct forged_type){.module = library,
                                                 .row = INT32,
                                                 .flags = FORGED_VALUE,
                                                 .parent = object,
                                                 .element = ELEMENT_I4,
                                                 .size = 4,
                                                 .fields = {{value, 0, ELEMENT_I4, 0}}});
    list = forge_clr_type(&f, &(struct forged_type){.module = library,
                                                    .row = LIST,
                                                    .flags = FORGED_INSTANCE | 0x4,
                                                    .parent = object,
                                                    .arguments = {string},
                                                    .statics = statics});
    forge_clr_put(&f, empty, string, 8);
}

static void begin(void)
{
    meta = (struct metadata_forge){0};
    forge_clr_begin_8(&f);
    forge_type_def(&meta, "", "<Module>");
    forge_type_def(&meta, "System", "Object");
    forge_type_def(&meta, "System", "String");
    uint32_t length = forge_field(&meta, "_stringLength", "\x06\x08", 2);
    uint32_t of_empty = forge_field(&meta, "Empty", "\x06\x0E", 2);
    forge_type_def(&meta, "System", "Int32");
    uint32_t value = forge_field(&meta, "m_value", "\x06\x08", 2);
    forge_type_def(&meta, "System", "List`1");
    library = forge_clr_module(&f, forge_metadata_bytes(&meta));
    statics = forge_clr_reserve(&f, 16);
    empty = forge_clr_reserve(&f, 32);
    forge_clr_put(&f, statics, empty, 8);
    forge_types(length, of_empty, value);
}

static void end(void)
{
    forge_clr_end(&f);
    forge_metadata_free(&meta);
}

TestSuite(clr_check, .init = begin, .fini = end);

static void expect_misfit(const char *structure, const char *what)
{
    struct clr_types *t = forge_clr_open(&f);
    const char *misfit = clr_types_misfit(t);
    cr_expect(structure == NULL ? misfit == NULL
                                : misfit != NULL && strcmp(misfit, structure) == 0,
              "%s: %s", what, misfit != NULL ? misfit : "fits");
    clr_types_close(t);
}

Test(clr_check, a_matching_table_is_accepted_silently)
{
    expect_misfit(NULL, "all");
}

Test(clr_check, a_mismatch_is_named)
{
    const struct runtime_layout *at = &f.runtime.at;
    uint64_t local = forge_clr_get(&f, library + at->module_local_module);
    uint64_t items = forge_clr_get(&f, local + at->local_module_classes);
    uint64_t map = forge_clr_get(&f, library + at->module_type_def_map + 8);
    uint64_t of_string = forge_clr_get(&f, string + 40);
    uint64_t of_number = forge_clr_get(&f, number + 40);
    uint64_t dictionary = forge_clr_get(&f, forge_clr_get(&f, list + 48));
    uint64_t instances = forge_clr_get(
        &f, forge_clr_get(&f, library + at->module_available_type_params) + 16);
    const struct {
        uint64_t at, value;
        size_t size;
        const char *structure, *what;
    } cases[] = {
        {map + 8 * OBJECT, 0, 8, "Module", "no type in the map"},
        {map + 8 * STRING, object, 8, "MethodTable", "another type in the map"},
        {map + 8 * INT32, library, 8, "Module", "no type at all"},
        {string + 10, LIST, 2, "MethodTable", "another row"},
        {string + 24, empty, 8, "MethodTable", "another module"},
        {object + 16, string, 8, "MethodTable", "an object has no base"},
        {string + 16, 0, 8, "MethodTable", "a string has one"},
        {of_string + 24, of_number, 8, "EEClass", "no list of fields"},
        {of_number + 48, ELEMENT_I8, 1, "EEClass", "a number of another size"},
        {of_number + 51, 16, 1, "EEClass", "another padding"},
        {statics, 0, 8, NULL, "not made yet"},
        {statics, library, 8, "DomainLocalModule", "no string"},
        {local + 32, 0, 8, "DomainLocalModule", "no statics"},
        {library + at->module_local_module, empty, 8, "DomainLocalModule", "no place"},
        {forge_clr_get(&f, library + at->module_dynamic_types), string, 8,
         "DomainLocalModule", "a type without an entry"},
        {items + 8, 0x10, 4, "DomainLocalModule", "flags that there are not"},
        {items, 0x10, 8, "DomainLocalModule", "an entry that is no memory"},
        {items, 0, 8, "DomainLocalModule", "no entry at all"},
        {library + at->module_index, 1, 8, "Module", "not the first one"},
        {dictionary, library, 8, "EETypeHashTable", "an argument that is no type"},
        {list + 48, library, 8, "EETypeHashTable", "no arguments"},
        {instances, 0, 8, "EETypeHashTable", "no instantiations"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint64_t was = forge_clr_get(&f, cases[i].at & ~UINT64_C(7));
        forge_clr_put(&f, cases[i].at, cases[i].value, cases[i].size);
        expect_misfit(cases[i].structure, cases[i].what);
        forge_clr_put(&f, cases[i].at & ~UINT64_C(7), was, 8);
        expect_misfit(NULL, "put back");
    }
}

/* Missing names, a truncated dump, and runtimes that describe themselves. */
Test(clr_check, nothing_is_checked_without_evidence)
{
    forge_clr_put(&f, string + 10, LIST, 2);
    expect_misfit("MethodTable", "another row");
    f.image.lost = 1;
    expect_misfit(NULL, "cut");
    f.image.lost = 0;
    uint64_t copy = forge_clr_get(&f, library + f.runtime.at.module_dynamic_metadata);
    forge_clr_put(&f, copy, 0, 4);
    expect_misfit(NULL, "no metadata");
    forge_clr_end(&f);
    forge_clr_begin(&f);
    forge_clr_module(&f, forge_metadata_bytes(&meta));
    expect_misfit(NULL, ".NET 10");
}
