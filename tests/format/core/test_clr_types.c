#include "format/core/clr_types.h"

#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* A process with one module. Rows of its types: */
enum {
    MODULE = 1,
    OBJECT,
    STRING,
    ENUM,
    INT32,
    VALUE_TYPE,
    STORE,    /* Shop.Store */
    OUTER,    /* Shop.Outer`1 */
    INNER,    /* Shop.Outer`1+Inner`1 */
    LIST,     /* Shop.List`1 */
    PAIR,     /* Shop.Pair`2, a struct: First, Second */
    CELL,     /* Shop.Cell, a struct: Name, Count */
    CLOSURE,  /* Shop.Store+<>c__DisplayClass3_0 */
    ITERATOR, /* Shop.Store+<IEnumerable<K,V>>d__0 */
    RIGHTS,   /* Shop.Rights, an enum with flags */
    LEVEL,    /* Shop.Level, without */
    FOUR,     /* Shop.Four, an inline array of Cell */
    BUFFER,   /* Shop.Holder+<Bytes>e__FixedBuffer */
    SESSION   /* Shop.Session, with fields of all kinds */
};

static struct metadata_forge meta;
static struct clr_forge f;
static struct clr_types *types;
static uint64_t module, object, string, enumeration, value_type, int32, store, cell, rights,
    level;

/* Signatures of fields. */
#define SIGNATURE(name, bytes) forge_field(&meta, name, bytes, sizeof(bytes) - 1)
#define TYPE_DEF(row) ((char)((row) << 2))

static uint32_t field_of(const char *name, unsigned char kind, unsigned row)
{
    const char bytes[] = {6, (char)kind, TYPE_DEF(row)};
    return forge_field(&meta, name, bytes, sizeof(bytes));
}

/* A field of Pair<A,B>, both given as bytes of a signature. */
static uint32_t pair_field(const char *name, const char *arguments, size_t size)
{
    char bytes[32] = {6, 0x15, 0x11, TYPE_DEF(PAIR), 2};
    memcpy(bytes + 5, arguments, size);
    return forge_field(&meta, name, bytes, 5 + size);
}

/* Rows of fields, by what declares them. */
static struct {
    uint32_t first, second, name, count, value, low, high, all, element, number, fixed;
    uint32_t log, of_pair, of_cells, of_rights, of_buffer, of_generic, items, shared, mine;
} rows;

static void make_metadata(void)
{
    forge_type_def(&meta, "", "<Module>");
    forge_type_def(&meta, "System", "Object");
    forge_type_def(&meta, "System", "String");
    forge_type_def(&meta, "System", "Enum");
    forge_type_def(&meta, "System", "Int32");
    rows.number = SIGNATURE("m_value", "\x06\x08");
    forge_type_def(&meta, "System", "ValueType");
    forge_type_def(&meta, "Shop", "Store");
    rows.items = SIGNATURE("s_items", "\x06\x1C");
    rows.shared = SIGNATURE("<Shared>k__BackingField", "\x06\x1C");
    rows.mine = SIGNATURE("t_mine", "\x06\x1C");
    forge_type_def(&meta, "Shop", "Outer`1");
    rows.of_generic = SIGNATURE("s_value", "\x06\x13\x00");
    forge_type_def(&meta, "", "Inner`1");
    forge_type_def(&meta, "Shop", "List`1");
    forge_type_def(&meta, "Shop", "Pair`2");
    rows.first = SIGNATURE("First", "\x06\x13\x00");
    rows.second = SIGNATURE("Second", "\x06\x13\x01");
    forge_type_def(&meta, "Shop", "Cell");
    rows.name = SIGNATURE("Name", "\x06\x0E");
    rows.count = SIGNATURE("Count", "\x06\x08");
    forge_type_def(&meta, "", "<>c__DisplayClass3_0");
    forge_type_def(&meta, "", "<IEnumerable<K,V>>d__0");
    forge_type_def(&meta, "Shop", "Rights");
    rows.value = SIGNATURE("value__", "\x06\x08");
    rows.low = field_of("Read", 0x11, RIGHTS);
    rows.high = field_of("Write", 0x11, RIGHTS);
    rows.all = field_of("Both", 0x11, RIGHTS);
    uint32_t execute = field_of("Execute", 0x11, RIGHTS);
    forge_type_def(&meta, "Shop", "Level");
    SIGNATURE("value__", "\x06\x04");
    uint32_t minus = field_of("Minus", 0x11, LEVEL), one = field_of("One", 0x11, LEVEL);
    forge_type_def(&meta, "Shop", "Four");
    rows.element = field_of("_element0", 0x11, CELL);
    forge_type_def(&meta, "", "<Bytes>e__FixedBuffer");
    rows.fixed = SIGNATURE("FixedElementField", "\x06\x05");
    forge_type_def(&meta, "Shop", "Session");
    rows.log = forge_field(&meta, "<Log>k__BackingField", "\x06\x15\x12\x28\x01\x0E", 6);
    const char arguments[] = {0x0E, 0x11, TYPE_DEF(CELL)};
    rows.of_pair = pair_field("Extra", arguments, sizeof(arguments));
    rows.of_cells = field_of("Cells", 0x11, FOUR);
    rows.of_rights = field_of("Allowed", 0x11, RIGHTS);
    rows.of_buffer = field_of("Bytes", 0x11, BUFFER);
    forge_nested(&meta, INNER, OUTER);
    forge_nested(&meta, CLOSURE, STORE);
    forge_nested(&meta, ITERATOR, STORE);
    forge_nested(&meta, BUFFER, SESSION);
    forge_constant(&meta, rows.low, 8, 1, 4);
    forge_constant(&meta, rows.high, 8, 2, 4);
    forge_constant(&meta, rows.all, 8, 3, 4);
    forge_constant(&meta, execute, 8, 4, 4);
    forge_constant(&meta, minus, 4, 0xFF, 1);
    forge_constant(&meta, one, 4, 1, 1);
    forge_attribute(&meta, RIGHTS, "System", "FlagsAttribute");
    forge_attribute(&meta, FOUR, "System.Runtime.CompilerServices", "InlineArrayAttribute");
}

static uint64_t plain(uint32_t row, uint64_t parent)
{
    return forge_clr_type(&f, &(struct forged_type){module, row, .parent = parent});
}

static uint64_t instance(uint32_t row, uint64_t first, uint64_t second)
{
    return forge_clr_type(&f, &(struct forged_type){.module = module,
                                                    .row = row,
                                                    .flags = FORGED_INSTANCE,
                                                    .parent = object,
                                                    .arguments = {first, second}});
}

static uint64_t pair(uint64_t first, uint64_t second, unsigned element, uint32_t offset)
{
    return forge_clr_type(
        &f, &(struct forged_type){
                .module = module,
                .row = PAIR,
                .flags = FORGED_INSTANCE | FORGED_VALUE,
                .parent = value_type,
                .size = 24,
                .fields = {{rows.first, 0, 0x12, 0}, {rows.second, offset, element, 0}},
                .arguments = {first, second}});
}

static void make_types(void)
{
    object = plain(OBJECT, 0);
    string = forge_clr_type(&f, &(struct forged_type){module, STRING, 0x80000002U,
                                                      .parent = object, .size = 6});
    value_type = plain(VALUE_TYPE, object);
    enumeration = plain(ENUM, value_type);
    int32 = forge_clr_type(&f, &(struct forged_type){.module = module,
                                                     .row = INT32,
                                                     .flags = FORGED_VALUE,
                                                     .parent = value_type,
                                                     .element = 8,
                                                     .size = 4,
                                                     .fields = {{rows.number, 0, 8, 0}}});
    store = plain(STORE, object);
    cell = forge_clr_type(&f, &(struct forged_type){.module = module,
                                                    .row = CELL,
                                                    .flags = FORGED_VALUE,
                                                    .parent = value_type,
                                                    .size = 16,
                                                    .fields = {{rows.name, 0, 0x12, 0},
                                                               {rows.count, 8, 8, 0}}});
    rights = forge_clr_type(&f, &(struct forged_type){.module = module,
                                                      .row = RIGHTS,
                                                      .flags = FORGED_VALUE,
                                                      .parent = enumeration,
                                                      .element = 8,
                                                      .size = 4,
                                                      .fields = {{rows.value, 0, 8, 0}}});
    level = forge_clr_type(&f, &(struct forged_type){.module = module,
                                                     .row = LEVEL,
                                                     .flags = FORGED_VALUE,
                                                     .parent = enumeration,
                                                     .element = 4,
                                                     .size = 1,
                                                     .fields = {{rows.value, 0, 4, 0}}});
}

static void begin(void)
{
    meta = (struct metadata_forge){0};
    types = NULL;
    forge_clr_begin(&f);
    make_metadata();
    module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    make_types();
}

static void end(void)
{
    clr_types_close(types);
    forge_clr_end(&f);
    forge_metadata_free(&meta);
}

TestSuite(clr_types, .init = begin, .fini = end);

/* --- names -----------------------------------------------------------------------------
 */

static void expect_name(uint64_t type, const char *name, const char *full_name)
{
    if (types == NULL)
        types = forge_clr_open(&f);
    const struct clr_type *t = clr_type_of(types, type);
    cr_expect_str_eq(t->name, name);
    cr_expect_str_eq(t->full_name, full_name);
    cr_expect_eq(clr_type_of(types, type), t, "made once");
}

Test(clr_types, names_with_and_without_the_outer_class)
{
    uint64_t inner = instance(INNER, string, int32), list = instance(LIST, inner, 0);
    uint64_t of_closure = instance(LIST, plain(CLOSURE, object), 0);
    uint64_t of_iterator = instance(LIST, plain(ITERATOR, object), 0);
    expect_name(store, "Shop.Store", "Shop.Store");
    expect_name(inner, "Inner<System.String,System.Int32>",
                "Shop.Outer+Inner<System.String,System.Int32>");
    expect_name(list, "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>",
                "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>");
    expect_name(of_closure, "Shop.List<Shop.Store+<>c__DisplayClass3_0>",
                "Shop.List<Shop.Store+<>c__DisplayClass3_0>");
    expect_name(of_iterator, "Shop.List<Shop.Store+<IEnumerable<K\\,V>>d__0>",
                "Shop.List<Shop.Store+<IEnumerable<K,V>>d__0>");
}

Test(clr_types, names_of_arrays_and_pointers)
{
    uint64_t closure = plain(CLOSURE, object);
    uint64_t vector = forge_clr_array(&f, module, closure, 8, 0);
    uint64_t jagged = forge_clr_array(&f, module, vector, 8, 2);
    uint64_t one_bound = forge_clr_array(&f, module, int32, 4, 1);
    uint64_t pointer = forge_clr_pointer(&f, int32, 0x0F);
    uint64_t pointers = forge_clr_array(&f, module, pointer, 8, 0);
    uint64_t list = instance(LIST, vector, 0);
    expect_name(vector, "<>c__DisplayClass3_0[]", "Shop.Store+<>c__DisplayClass3_0[]");
    expect_name(jagged, "<>c__DisplayClass3_0[][,]",
                "Shop.Store+<>c__DisplayClass3_0[][,]");
    /* As gcdumps have it, too. */
    expect_name(one_bound, "System.Int32<*>", "System.Int32<*>");
    expect_name(pointers, "System.Int32*[]", "System.Int32*[]");
    expect_name(list, "Shop.List<Shop.Store+<>c__DisplayClass3_0[]>",
                "Shop.List<Shop.Store+<>c__DisplayClass3_0[]>");
    const struct clr_type *t = clr_type_of(types, jagged);
    cr_expect(t->is_array);
    cr_expect_eq(t->elements_at, 32, "behind two sizes and two lower bounds");
    cr_expect_eq(clr_type_of(types, vector)->elements_at, 16);
    cr_expect_eq(clr_type_of(types, string)->elements_at, 12);
    cr_expect(clr_type_of(types, string)->is_string);
}

Test(clr_types, modules_and_collectible_types)
{
    uint64_t collectible = forge_clr_type(
        &f, &(struct forged_type){module, CLOSURE, FORGED_COLLECTIBLE, .parent = object});
    types = forge_clr_open(&f);
    cr_expect_str_eq(clr_type_of(types, store)->module, "", "emitted");
    cr_expect_not(clr_type_of(types, store)->is_collectible);
    cr_expect(clr_type_of(types, collectible)->is_collectible);
    cr_expect_eq(clr_type_of(types, collectible)->method_table, collectible);
}

Test(clr_types, what_has_no_name)
{
    uint64_t lost = plain(0, object), foreign = forge_clr_room(&f, 64);
    uint64_t list = instance(LIST, foreign, 0);
    char name[64];
    types = forge_clr_open(&f);
    snprintf(name, sizeof(name), "UNKNOWN 0x%llx", (unsigned long long)lost);
    expect_name(lost, name, name);
    snprintf(name, sizeof(name), "UNKNOWN 0x%llx", (unsigned long long)foreign);
    expect_name(foreign, name, name);
    snprintf(name, sizeof(name), "Shop.List<UNKNOWN 0x%llx>", (unsigned long long)foreign);
    expect_name(list, name, name);
    expect_name(1, "UNKNOWN 0x1", "UNKNOWN 0x1");
}

/* --- fields ----------------------------------------------------------------------------
 */

static void expect_fields(uint64_t type, const char *expected)
{
    struct text all = {0};
    if (types == NULL)
        types = forge_clr_open(&f);
    const struct clr_type *t = clr_type_of(types, type);
    for (size_t i = 0; i < t->field_count; i++) {
        const struct clr_field *field = &t->fields[i];
        char line[256];
        snprintf(line, sizeof(line), "%u %s %s %d %u\n", (unsigned)field->offset,
                 field->name, field->type_name != NULL ? field->type_name : "?",
                 (int)field->kind, (unsigned)field->size);
        text_add_string(&all, line);
    }
    cr_expect_str_eq(text_string(&all), expected);
    text_free(&all);
}

static uint64_t session(uint32_t buffer_size)
{
    pair(object, cell, 0x11, 8);
    forge_clr_type(&f, &(struct forged_type){.module = module,
                                             .row = FOUR,
                                             .flags = FORGED_VALUE,
                                             .parent = value_type,
                                             .size = 32,
                                             .fields = {{rows.element, 0, 0x11, 0}}});
    forge_clr_type(&f, &(struct forged_type){.module = module,
                                             .row = BUFFER,
                                             .flags = FORGED_VALUE,
                                             .parent = value_type,
                                             .size = buffer_size,
                                             .fields = {{rows.fixed, 0, 5, 0}}});
    return forge_clr_type(&f,
                          &(struct forged_type){.module = module,
                                                .row = SESSION,
                                                .parent = object,
                                                .size = 96,
                                                .fields = {{rows.of_buffer, 68, 0x11, 0},
                                                           {rows.of_rights, 64, 8, 0},
                                                           {rows.of_pair, 8, 0x11, 0},
                                                           {rows.of_cells, 32, 0x11, 0},
                                                           {rows.log, 0, 0x12, 0}}});
}

/* Extra is Pair<string, Cell>: what is loaded is the one of any reference. */
Test(clr_types, structs_are_taken_apart)
{
    expect_fields(session(3), "8 Log Shop.List<System.String> 1 8\n"
                              "16 Extra.First System.String 1 8\n"
                              "24 Extra.Second.Name System.String 1 8\n"
                              "32 Extra.Second.Count System.Int32 4 4\n"
                              "40 Cells[0].Name System.String 1 8\n"
                              "48 Cells[0].Count System.Int32 4 4\n"
                              "56 Cells[1].Name System.String 1 8\n"
                              "64 Cells[1].Count System.Int32 4 4\n"
                              "72 Allowed Shop.Rights 7 4\n"
                              "76 Bytes[0] System.Byte 5 1\n"
                              "77 Bytes[1] System.Byte 5 1\n"
                              "78 Bytes[2] System.Byte 5 1\n");
    const struct clr_field *last = &clr_type_of(types, rights)->fields[0];
    cr_expect_eq(last->kind, HD_FIELD_ENUM, "the value of a boxed one");
    cr_expect_eq(last->type, rights);
}

Test(clr_types, fields_of_elements_and_of_bases)
{
    uint64_t of_cells = forge_clr_array(&f, module, cell, 16, 0);
    uint64_t base =
        forge_clr_type(&f, &(struct forged_type){.module = module,
                                                 .row = OUTER,
                                                 .flags = FORGED_INSTANCE,
                                                 .parent = object,
                                                 .fields = {{rows.of_generic, 0, 0x12, 0}},
                                                 .arguments = {of_cells}});
    uint64_t derived =
        forge_clr_type(&f, &(struct forged_type){.module = module,
                                                 .row = CLOSURE,
                                                 .parent = base,
                                                 .inherited = 1,
                                                 .fields = {{rows.count, 8, 8, 0}}});
    uint64_t objects = forge_clr_array(&f, module, object, 8, 0);
    uint64_t numbers = forge_clr_array(&f, module, int32, 4, 0);
    uint64_t all_rights = forge_clr_array(&f, module, rights, 4, 0);
    expect_fields(derived, "8 s_value Shop.Cell[] 1 8\n16 Count System.Int32 4 4\n");
    const struct clr_type *t = clr_type_of(types, derived);
    cr_expect_str_eq(t->fields[0].declared_by, "Shop.Outer<Shop.Cell[]>");
    cr_expect_str_eq(t->fields[1].declared_by, "Shop.Store+<>c__DisplayClass3_0");
    expect_fields(of_cells, "0 [].Name System.String 1 8\n8 [].Count System.Int32 4 4\n");
    cr_expect_null(clr_type_of(types, of_cells)->fields[0].declared_by);
    expect_fields(objects, "0 [] System.Object 1 8\n");
    expect_fields(numbers, "0 [] System.Int32 4 4\n");
    expect_fields(all_rights, "0 [] Shop.Rights 7 4\n");
    expect_fields(string, "0 [] System.Char 3 2\n");
    expect_fields(int32, "8 m_value System.Int32 4 4\n");
}

Test(clr_types, members_of_enums)
{
    types = forge_clr_open(&f);
    cr_expect_str_eq(clr_enum_name(types, rights, 1), "Read");
    cr_expect_str_eq(clr_enum_name(types, rights, 3), "Both");
    cr_expect_str_eq(clr_enum_name(types, rights, 5), "Read | Execute");
    cr_expect_str_eq(clr_enum_name(types, rights, 7), "Both | Execute");
    cr_expect_null(clr_enum_name(types, rights, 8));
    cr_expect_null(clr_enum_name(types, rights, 9), "not all bits have a name");
    cr_expect_null(clr_enum_name(types, rights, 0));
    cr_expect_str_eq(clr_enum_name(types, level, UINT64_MAX), "Minus");
    cr_expect_str_eq(clr_enum_name(types, level, 0xFF), "Minus");
    cr_expect_null(clr_enum_name(types, level, 3), "no flags");
    cr_expect_null(clr_enum_name(types, store, 1));
    cr_expect_null(clr_enum_name(types, 1, 1));
}

/* --- statics ---------------------------------------------------------------------------
 */

static struct text told;

static void tell(void *context, const struct clr_static *s)
{
    char line[256];
    (void)context;
    snprintf(line, sizeof(line), "%s.%s %llx%s %llu\n", s->declared_by, s->field,
             (unsigned long long)s->object, s->of_thread ? " thread" : "",
             (unsigned long long)s->thread);
    text_add_string(&told, line);
}

static void expect_statics(const char *expected)
{
    types = forge_clr_open(&f);
    text_clear(&told);
    clr_types_statics(types, tell, NULL);
    cr_expect_str_eq(text_string(&told), expected);
    text_free(&told);
    told = (struct text){0};
}

/* One that is null, one without a place of its own, and two that count. */
Test(clr_types, statics_of_classes_and_instantiations)
{
    uint64_t values = forge_clr_room(&f, 64);
    forge_clr_put(&f, values, 0xAAA0, 8);
    forge_clr_put(&f, values + 16, 0xBBB0, 8);
    forge_clr_put(&f, values + 24, 0xCCC0, 8);
    struct forged_type t = {.module = module,
                            .row = STORE,
                            .flags2 = FORGED_HAS_STATICS,
                            .parent = object,
                            .fields = {{rows.items, 0, 0x12, FORGED_STATIC},
                                       {rows.mine, 8, 0x12, FORGED_STATIC},
                                       {rows.shared, 16, 0x11, FORGED_STATIC},
                                       {rows.shared, 0, 0x11, FORGED_STATIC | FORGED_RVA},
                                       {rows.count, 0, 8, FORGED_STATIC}},
                            .statics = values | 1};
    forge_clr_type(&f, &t);
    t = (struct forged_type){.module = module,
                             .row = OUTER,
                             .flags = FORGED_INSTANCE,
                             .flags2 = FORGED_HAS_STATICS,
                             .parent = object,
                             .fields = {{rows.of_generic, 0, 0x12, FORGED_STATIC}},
                             .arguments = {string},
                             .statics = values + 24};
    forge_clr_type(&f, &t);
    expect_statics("Shop.Store.s_items aaa0 0\n"
                   "Shop.Store.<Shared>k__BackingField bbb0 0\n"
                   "Shop.Outer<System.String>.s_value ccc0 0\n");
}

static void make_thread_static(uint32_t row, uint32_t index)
{
    forge_clr_type(&f, &(struct forged_type){
                           .module = module,
                           .row = row,
                           .flags2 = FORGED_HAS_STATICS,
                           .parent = object,
                           .fields = {{rows.mine, 8, 0x12, FORGED_STATIC | FORGED_THREAD}},
                           .thread_index = index});
}

Test(clr_types, statics_of_threads)
{
    uint64_t data = forge_clr_thread(&f, 4711, 8, 4), box = forge_clr_room(&f, 32);
    uint64_t handle = forge_clr_room(&f, 8), other = forge_clr_room(&f, 32);
    forge_clr_put(&f, box + 8, 0xAAA0, 8);
    forge_clr_put(&f, other + 8, 0xBBB0, 8);
    forge_clr_put(&f, handle, other, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 8) + 8 * 5, box, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 16) + 8 * 3, handle, 8);
    make_thread_static(STORE, 5);
    make_thread_static(CLOSURE, 1 << 24 | 3);
    make_thread_static(ITERATOR, 8);           /* behind the end */
    make_thread_static(SESSION, 2U << 24 | 3); /* kept elsewhere */
    expect_statics("Shop.Store.t_mine aaa0 thread 4711\n"
                   "Shop.Store+<>c__DisplayClass3_0.t_mine bbb0 thread 4711\n");
}

/* --- lies ------------------------------------------------------------------------------
 */

Test(clr_types, arguments_and_elements_that_contain_themselves)
{
    uint64_t list = instance(LIST, string, 0);
    uint64_t info = forge_clr_get(&f, list + 48);
    forge_clr_put(&f, forge_clr_get(&f, info), list, 8);
    uint64_t array = forge_clr_array(&f, module, object, 8, 0);
    forge_clr_put(&f, array + 48, array, 8);
    uint64_t deep = object;
    for (int i = 0; i < 100; i++)
        deep = forge_clr_array(&f, module, deep, 8, 0);
    expect_name(list, "Shop.List<UNKNOWN>", "Shop.List<UNKNOWN>");
    expect_name(array, "UNKNOWN[]", "UNKNOWN[]");
    cr_expect_gt(strlen(clr_type_of(types, deep)->name), 32U);
}

/* Each pair of the one before: names would double each time. */
Test(clr_types, names_are_bounded)
{
    uint64_t type = string;
    for (int i = 0; i < 40; i++)
        type = pair(type, type, 0x12, 8);
    types = forge_clr_open(&f);
    cr_expect_leq(strlen(clr_type_of(types, type)->name), 16U * 1024);
}

Test(clr_types, bases_and_structs_in_circles)
{
    uint64_t derived = session(3);
    forge_clr_put(&f, derived + 16, derived, 8);
    /* Cell.Name is a Cell itself. */
    uint64_t list = forge_clr_get(&f, forge_clr_get(&f, cell + 40) + 24);
    forge_clr_put(&f, list + 8, rows.element, 4);
    forge_clr_put(&f, list + 12, 0x11U << 27, 4);
    forge_clr_put(&f, list + 24, rows.element, 4);
    forge_clr_put(&f, list + 28, 0x11U << 27, 4);
    types = forge_clr_open(&f);
    cr_expect_leq(clr_type_of(types, cell)->field_count, 4096U);
    cr_expect_leq(clr_type_of(types, derived)->field_count, 4096U);
}

static void take_nothing(void *context, const struct clr_static *s)
{
    (void)context;
    (void)s;
}

/* Links that lead back to where they come from: of threads, maps, hash tables. */
Test(clr_types, chains_in_circles)
{
    pair(string, int32, 8, 8);
    uint64_t data = forge_clr_thread(&f, 1, 8, 0);
    (void)data;
    uint64_t link = forge_clr_get(&f, f.runtime.thread_store + 88);
    forge_clr_put(&f, link, link, 8);
    forge_clr_put(&f, module + 416, module + 416, 8);
    forge_clr_put(&f, module + 416 + 16, 0, 4);
    uint64_t buckets = forge_clr_get(&f, forge_clr_get(&f, module + 600) + 16);
    forge_clr_put(&f, buckets + 8, buckets, 8);
    for (uint64_t i = 3; i < 7; i++) {
        uint64_t entry = forge_clr_get(&f, buckets + 8 * i);
        if (!(entry & 1))
            forge_clr_put(&f, entry + 8, entry, 8);
    }
    uint64_t domain = f.runtime.app_domain + 576;
    forge_clr_put(&f, domain + 8, domain + 8, 8);
    forge_clr_put(&f, domain, UINT32_MAX, 4);
    types = forge_clr_open(&f);
    clr_types_statics(types, take_nothing, NULL);
    expect_name(store, "Shop.Store", "Shop.Store");
}

/* Every byte that is not zero, once another; all is asked, and must end. */
Test(clr_types, damage_ends)
{
    uint64_t asked[] = {session(3), instance(INNER, string, int32),
                        forge_clr_array(&f, module, cell, 16, 0), rights};
    forge_clr_thread(&f, 4711, 8, 4);
    make_thread_static(STORE, 5);
    for (size_t i = 0; i < f.len; i++) {
        unsigned char was = f.bytes[i];
        if (was == 0)
            continue;
        f.bytes[i] = (unsigned char)(i % 2 ? was ^ 0xFF : was + 1);
        types = forge_clr_open(&f);
        for (size_t n = 0; n < sizeof(asked) / sizeof(*asked); n++)
            clr_type_of(types, asked[n]);
        clr_enum_name(types, rights, 7);
        clr_types_statics(types, take_nothing, NULL);
        clr_types_close(types);
        arena_free(&f.arena);
        types = NULL;
        f.bytes[i] = was;
    }
}
