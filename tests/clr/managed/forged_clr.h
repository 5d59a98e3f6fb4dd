/* forged_clr.h - a process with one module that has types of all kinds: classes, generic
 * ones, structs, enums, arrays in a struct. Tests add their own. */
#ifndef FORGED_CLR_H
#define FORGED_CLR_H

#include "clr/managed/clr_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Rows of its types. */
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

static inline uint32_t field_of(const char *name, unsigned char kind, unsigned row)
{
    const char bytes[] = {6, (char)kind, TYPE_DEF(row)};
    return forge_field(&meta, name, bytes, sizeof(bytes));
}

/* A field of Pair<A,B>, both given as bytes of a signature. */
static inline uint32_t pair_field(const char *name, const char *arguments, size_t size)
{
    char bytes[32] = {6, 0x15, 0x11, TYPE_DEF(PAIR), 2};
    memcpy(bytes + 5, arguments, size);
    return forge_field(&meta, name, bytes, 5 + size);
}

/* Rows of fields, by declaring type. */
static struct {
    uint32_t first, second, name, count, value, low, high, all, element, number, fixed;
    uint32_t log, of_pair, of_cells, of_rights, of_buffer, of_generic, items, shared, mine;
} rows;

static inline void make_metadata(void)
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

static inline uint64_t plain(uint32_t row, uint64_t parent)
{
    return forge_clr_type(&f, &(struct forged_type){module, row, .parent = parent});
}

static inline uint64_t instance(uint32_t row, uint64_t first, uint64_t second)
{
    return forge_clr_type(&f, &(struct forged_type){.module = module,
                                                    .row = row,
                                                    .flags = FORGED_INSTANCE,
                                                    .parent = object,
                                                    .arguments = {first, second}});
}

static inline uint64_t pair(uint64_t first, uint64_t second, unsigned element,
                            uint32_t offset)
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

static inline void make_types(void)
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

static inline void begin_all(void (*begin_process)(struct clr_forge *f), bool is_unpacked)
{
    meta = (struct metadata_forge){0};
    types = NULL;
    begin_process(&f);
    f.is_unpacked = is_unpacked;
    make_metadata();
    module = forge_clr_module(&f, forge_metadata_bytes(&meta));
    make_types();
}

static inline void begin(void)
{
    begin_all(forge_clr_begin, false);
}

static inline void end(void)
{
    clr_types_close(types);
    forge_clr_end(&f);
    forge_metadata_free(&meta);
}

static inline uint64_t session(uint32_t buffer_size)
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

static inline void make_thread_static(uint32_t row, uint32_t index)
{
    forge_clr_type(&f, &(struct forged_type){
                           .module = module,
                           .row = row,
                           .flags2 = FORGED_HAS_STATICS,
                           .parent = object,
                           .fields = {{rows.mine, 8, 0x12, FORGED_STATIC | FORGED_THREAD}},
                           .thread_index = index});
}

static inline void expect_name(uint64_t type, const char *name, const char *full_name)
{
    if (types == NULL)
        types = forge_clr_open(&f);
    const struct clr_type *t = clr_type_of(types, type);
    cr_expect_str_eq(t->name, name);
    cr_expect_str_eq(t->full_name, full_name);
    cr_expect_eq(clr_type_of(types, type), t, "made once");
}

/* --- fields and statics -------------------------------------------------------- */

static inline void expect_fields(uint64_t type, const char *expected)
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

static inline void expect_session(void)
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
}

static struct text statics_told;

static inline void tell(void *context, const struct clr_static *s)
{
    char line[256];
    (void)context;
    snprintf(line, sizeof(line), "%s.%s %llx%s %llu\n", s->declared_by, s->field,
             (unsigned long long)s->object, s->of_thread ? " thread" : "",
             (unsigned long long)s->thread);
    text_add_string(&statics_told, line);
}

static inline void expect_statics(const char *expected)
{
    types = forge_clr_open(&f);
    text_clear(&statics_told);
    clr_types_statics(types, tell, NULL);
    cr_expect_str_eq(text_string(&statics_told), expected);
    text_free(&statics_told);
    statics_told = (struct text){0};
}

#endif
