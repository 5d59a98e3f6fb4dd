/* Structs that are shown as one value, in types: which ones, from which assembly, and those
 * with another layout. */
#include "clr/managed/clr_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Rows of the core library. */
enum { OBJECT = 2, VALUE_TYPE, DATE_TIME, GUID, NULLABLE, BOOLEAN, VERSION, HALF };

static struct clr_forge f;
static struct metadata_forge meta, own;
static uint64_t core, program, object, value_type, date_time;
static uint32_t data, a, has_value, value, flag, numbers[4], half, string;

static void make_core(void)
{
    static const char *const names[] = {"_Major", "_Minor", "_Build", "_Revision"};
    forge_type_def(&meta, "", "<Module>");
    forge_type_def(&meta, "System", "Object");
    forge_type_def(&meta, "System", "ValueType");
    forge_type_def(&meta, "System", "DateTime");
    data = forge_field(&meta, "_dateData", "\x06\x0B", 2);
    forge_type_def(&meta, "System", "Guid");
    a = forge_field(&meta, "_a", "\x06\x08", 2);
    forge_type_def(&meta, "System", "Nullable`1");
    has_value = forge_field(&meta, "hasValue", "\x06\x02", 2);
    value = forge_field(&meta, "value", "\x06\x13\x00", 3);
    forge_type_def(&meta, "System", "Boolean");
    flag = forge_field(&meta, "m_value", "\x06\x02", 2);
    forge_type_def(&meta, "System", "Version");
    for (size_t i = 0; i < 4; i++)
        numbers[i] = forge_field(&meta, names[i], "\x06\x08", 2);
    forge_type_def(&meta, "System", "Half");
    half = forge_field(&meta, "_value", "\x06\x07", 2);
    core = forge_clr_module(&f, forge_metadata_bytes(&meta));
}

static uint64_t plain(uint64_t module, uint32_t row, uint64_t parent)
{
    return forge_clr_type(&f, &(struct forged_type){module, row, .parent = parent});
}

/* A struct of one field of eight bytes or fewer. */
static uint64_t single(uint64_t module, uint32_t row, uint32_t field, unsigned element,
                       uint32_t size)
{
    return forge_clr_type(&f, &(struct forged_type){.module = module,
                                                    .row = row,
                                                    .flags = FORGED_VALUE,
                                                    .parent = value_type,
                                                    .size = size,
                                                    .fields = {{field, 0, element, 0}}});
}

static void begin(void)
{
    meta = own = (struct metadata_forge){0};
    forge_clr_begin(&f);
    make_core();
    forge_type_def(&own, "", "<Module>");
    forge_type_def(&own, "System", "DateTime");
    forge_field(&own, "_dateData", "\x06\x0B", 2);
    forge_type_def(&own, "System", "Uri");
    string = forge_field(&own, "_string", "\x06\x0E", 2);
    program = forge_clr_module(&f, forge_metadata_bytes(&own));
    object = plain(core, OBJECT, 0);
    value_type = plain(core, VALUE_TYPE, object);
    date_time = single(core, DATE_TIME, data, 0x0B, 8);
}

static void end(void)
{
    forge_clr_end(&f);
    forge_metadata_free(&meta);
    forge_metadata_free(&own);
}

TestSuite(clr_folded, .init = begin, .fini = end);

/* "offset name kind size" for each field. */
static void expect_fields(uint64_t type, const char *wanted)
{
    char got[512] = "";
    struct clr_types *types = forge_clr_open(&f);
    const struct clr_type *t = clr_type_of(types, type);
    for (size_t i = 0; i < t->field_count; i++) {
        const struct clr_field *x = &t->fields[i];
        size_t len = strlen(got);
        snprintf(got + len, sizeof(got) - len, "%u+%u %s %d %u\n", x->offset, x->inside,
                 x->name, (int)x->kind, x->size);
    }
    cr_expect_str_eq(got, wanted);
    clr_types_close(types);
}

Test(clr_folded, a_date_of_the_core_library_is_one_value)
{
    expect_fields(date_time, "8+0 value 8 8\n");
    expect_fields(forge_clr_array(&f, core, date_time, 8, 0), "0+0 [] 8 8\n");
    expect_fields(single(core, HALF, half, 7, 2), "8+0 value 6 2\n");
}

/* It has the name of one in the core library, but belongs to the program. */
Test(clr_folded, a_date_of_the_program_shows_its_fields)
{
    expect_fields(single(program, 2, 1, 0x0B, 8), "8+0 _dateData 5 8\n");
}

Test(clr_folded, a_layout_that_is_another_shows_its_fields)
{
    uint64_t guid = single(core, GUID, a, 8, 4);
    uint64_t more = forge_clr_type(
        &f, &(struct forged_type){.module = core,
                                  .row = DATE_TIME,
                                  .flags = FORGED_VALUE,
                                  .parent = value_type,
                                  .size = 16,
                                  .fields = {{data, 0, 0x0B, 0}, {a, 8, 8, 0}}});
    expect_fields(more, "8+0 _dateData 5 8\n16+0 _a 4 4\n");
    expect_fields(guid, "8+0 _a 4 4\n");
    expect_fields(forge_clr_array(&f, core, guid, 4, 0), "0+0 []._a 4 4\n");
}

static uint64_t nullable(uint64_t of, unsigned element, uint32_t flag_at, uint32_t at)
{
    return forge_clr_type(&f, &(struct forged_type){.module = core,
                                                    .row = NULLABLE,
                                                    .flags = FORGED_INSTANCE | FORGED_VALUE,
                                                    .parent = value_type,
                                                    .size = 16,
                                                    .fields = {{has_value, flag_at, 2, 0},
                                                               {value, at, element, 0}},
                                                    .arguments = {of}});
}

Test(clr_folded, a_nullable_is_what_it_holds)
{
    uint64_t boolean =
        forge_clr_type(&f, &(struct forged_type){.module = core,
                                                 .row = BOOLEAN,
                                                 .flags = FORGED_VALUE,
                                                 .parent = value_type,
                                                 .element = 2,
                                                 .size = 1,
                                                 .fields = {{flag, 0, 2, 0}}});
    expect_fields(forge_clr_array(&f, core, nullable(date_time, 0x11, 0, 8), 16, 0),
                  "0+8 [] 8 8\n");
    expect_fields(forge_clr_array(&f, core, nullable(boolean, 2, 0, 1), 2, 0),
                  "0+1 [] 2 1\n");
}

Test(clr_folded, a_nullable_of_another_layout_shows_its_fields)
{
    expect_fields(forge_clr_array(&f, core, nullable(date_time, 0x11, 8, 0), 16, 0),
                  "0+0 [].value 8 8\n8+0 [].hasValue 2 1\n");
    expect_fields(forge_clr_array(&f, core, nullable(date_time, 0x11, 0, 4000), 16, 0),
                  "0+0 [].hasValue 2 1\n4000+0 [].value 8 8\n");
}

static uint64_t version(uint32_t last_at)
{
    return forge_clr_type(&f,
                          &(struct forged_type){.module = core,
                                                .row = VERSION,
                                                .parent = object,
                                                .size = 24,
                                                .fields = {{numbers[0], 0, 8, 0},
                                                           {numbers[1], 4, 8, 0},
                                                           {numbers[2], 8, 8, 0},
                                                           {numbers[3], last_at, 8, 0}}});
}

Test(clr_folded, objects_with_a_value_in_addition_to_fields_show_both)
{
    uint64_t right = version(12), wrong = version(16);
    struct clr_types *types = forge_clr_open(&f);
    const struct clr_type *t = clr_type_of(types, right);
    cr_expect_eq(t->self, CLR_A_VERSION);
    cr_expect_eq(t->field_count, 4);
    cr_expect_eq(t->self_value.offset, 8);
    cr_expect_eq(t->self_value.size, 16);
    cr_expect_eq(clr_type_of(types, wrong)->self, CLR_JUST_FIELDS);
    cr_expect_eq(clr_type_of(types, date_time)->self, CLR_BOXED_VALUE);
    cr_expect_eq(clr_type_of(types, object)->self, CLR_JUST_FIELDS);
    clr_types_close(types);
}

/* Its assembly is recognized by the file name, on either system. */
Test(clr_folded, a_uri_is_known_by_the_assembly)
{
    static const struct {
        const char *path;
        enum clr_self self;
    } cases[] = {{"/app/System.Private.Uri.dll", CLR_A_URI},
                 {"C:\\app\\System.Private.Uri.dll", CLR_A_URI},
                 {"System.Private.Uri.dll", CLR_A_URI},
                 {"C:\\app\\Shop.System.Private.Uri.dll", CLR_JUST_FIELDS},
                 {"/System.Private.Uri.dll/Shop.dll", CLR_JUST_FIELDS},
                 {"", CLR_JUST_FIELDS}};
    uint64_t uri =
        forge_clr_type(&f, &(struct forged_type){.module = program,
                                                 .row = 3,
                                                 .parent = object,
                                                 .size = 8,
                                                 .fields = {{string, 0, 0x12, 0}}});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct clr_types *types = forge_clr_open(&f);
        clr_module_of(types, program)->path = cases[i].path;
        cr_expect_eq(clr_type_of(types, uri)->self, cases[i].self, "case %zu", i);
        clr_types_close(types);
    }
}
