#include "fuzz/type_seeds.h"

#include "fuzz/memory_of_types.h"
#include "support/forge_clr.h"
#include "support/forge_metadata.h"

#include <string.h>

#define SIGNATURE(name, s) forge_field(&s_meta, name, s, sizeof(s) - 1)

/* Rows of types, from 1; fields are numbered through all of them. */
enum { OBJECT = 2, STRING, ENUM, INT32, VALUE_TYPE, STORE, PAIR, RIGHTS, SESSION, CLOSURE };

static struct metadata_forge s_meta;

static void make_metadata(void)
{
    s_meta = (struct metadata_forge){0};
    forge_type_def(&s_meta, "", "<Module>");
    forge_type_def(&s_meta, "System", "Object");
    forge_type_def(&s_meta, "System", "String");
    forge_type_def(&s_meta, "System", "Enum");
    forge_type_def(&s_meta, "System", "Int32");
    SIGNATURE("m_value", "\x06\x08");
    forge_type_def(&s_meta, "System", "ValueType");
    forge_type_def(&s_meta, "Shop", "Store");
    SIGNATURE("s_items", "\x06\x1C");
    SIGNATURE("<Shared>k__BackingField", "\x06\x1C");
    SIGNATURE("t_mine", "\x06\x1C");
    forge_type_def(&s_meta, "Shop", "Pair`2");
    SIGNATURE("First", "\x06\x13\x00");
    SIGNATURE("Second", "\x06\x13\x01");
    forge_type_def(&s_meta, "Shop", "Rights");
    SIGNATURE("value__", "\x06\x08");
    uint32_t read = SIGNATURE("Read", "\x06\x11\x24"),
             write = SIGNATURE("Write", "\x06\x11\x24");
    forge_type_def(&s_meta, "Shop", "Session");
    SIGNATURE("<Log>k__BackingField", "\x06\x15\x12\x20\x01\x0E");
    SIGNATURE("Extra", "\x06\x15\x11\x20\x02\x0E\x08");
    SIGNATURE("Grid", "\x06\x14\x08\x02\x00\x00");
    SIGNATURE("Names", "\x06\x1D\x0E");
    forge_type_def(&s_meta, "", "<>c__DisplayClass3_0");
    forge_nested(&s_meta, CLOSURE, STORE);
    forge_constant(&s_meta, read, 8, 1, 4);
    forge_constant(&s_meta, write, 8, 2, 4);
    forge_attribute(&s_meta, RIGHTS, "System", "FlagsAttribute");
}

struct made {
    uint64_t all[MEMORY_OF_TYPES_ASKED];
    size_t count;
};

static uint64_t add(struct made *m, uint64_t type)
{
    m->all[m->count++] = type;
    return type;
}

static uint64_t make_type(struct clr_forge *f, struct made *m, struct forged_type type)
{
    return add(m, forge_clr_type(f, &type));
}

static void make_types(struct clr_forge *f, struct made *m, uint64_t module)
{
    struct forged_type t = {.module = module, .row = OBJECT};
    uint64_t object = make_type(f, m, t);
    uint64_t string = make_type(
        f, m,
        (struct forged_type){module, STRING, 0x80000002U, .parent = object, .size = 6});
    uint64_t value =
        make_type(f, m, (struct forged_type){module, VALUE_TYPE, .parent = object});
    uint64_t enumeration =
        make_type(f, m, (struct forged_type){module, ENUM, .parent = value});
    uint64_t int32 = make_type(f, m,
                               (struct forged_type){.module = module,
                                                    .row = INT32,
                                                    .flags = FORGED_VALUE,
                                                    .parent = value,
                                                    .element = 8,
                                                    .size = 4,
                                                    .fields = {{1, 0, 8, 0}}});
    uint64_t capacity = forge_clr_reserve(f, 64);
    forge_clr_put(f, capacity, capacity + 32, 8);
    make_type(f, m,
              (struct forged_type){
                  .module = module,
                  .row = STORE,
                  .flags2 = FORGED_HAS_STATICS,
                  .parent = object,
                  .fields = {{2, 0, 0x12, FORGED_STATIC}, {3, 8, 0x12, FORGED_STATIC}},
                  .statics = capacity});
    make_type(f, m,
              (struct forged_type){.module = module,
                                   .row = PAIR,
                                   .flags = FORGED_INSTANCE | FORGED_VALUE,
                                   .parent = value,
                                   .size = 24,
                                   .fields = {{5, 0, 0x12, 0}, {6, 8, 8, 0}},
                                   .arguments = {string, int32}});
    make_type(f, m,
              (struct forged_type){.module = module,
                                   .row = RIGHTS,
                                   .flags = FORGED_VALUE,
                                   .parent = enumeration,
                                   .element = 8,
                                   .size = 4,
                                   .fields = {{7, 0, 8, 0}}});
    make_type(f, m,
              (struct forged_type){.module = module,
                                   .row = SESSION,
                                   .parent = object,
                                   .size = 56,
                                   .fields = {{10, 0, 0x12, 0},
                                              {11, 8, 0x11, 0},
                                              {12, 32, 0x12, 0},
                                              {13, 40, 0x12, 0}}});
    make_type(f, m, (struct forged_type){module, CLOSURE, .parent = object});
    uint64_t vector = add(m, forge_clr_array(f, module, string, 8, 0));
    add(m, forge_clr_array(f, module, vector, 8, 2));
    add(m, forge_clr_array(f, module, forge_clr_pointer(f, int32, 0x0F), 8, 0));
    forge_clr_refer(f, module, 1, object);
}

/* .NET 8: a thread with statics of the module, and a type with its own statics. */
static void make_locals(struct clr_forge *f, struct made *m, uint64_t module)
{
    uint64_t block = forge_clr_thread(f, 7, 4, 4), local = forge_clr_reserve(f, 64),
             array = forge_clr_reserve(f, 64), handle = forge_clr_reserve(f, 8);
    forge_clr_put(f, handle, array, 8);
    forge_clr_put(f, array + 16, array, 8);
    forge_clr_put(f, forge_clr_get(f, block), local, 8);
    forge_clr_put(f, local, forge_clr_reserve(f, 16 * FORGED_ENTRIES), 8);
    forge_clr_put(f, local + 8, FORGED_ENTRIES, 8);
    forge_clr_put(f, local + 16, handle, 8);
    make_type(f, m,
              (struct forged_type){.module = module,
                                   .row = CLOSURE,
                                   .flags = 0x2 | FORGED_COLLECTIBLE_8,
                                   .fields = {{2, 0, 0x12, FORGED_STATIC},
                                              {4, 0, 0x12, FORGED_STATIC | FORGED_THREAD}},
                                   .statics = handle | 1});
}

void type_seed(struct text *to, bool is_8)
{
    struct clr_forge f;
    struct made made = {.count = 0};
    if (is_8)
        forge_clr_begin_8(&f);
    else
        forge_clr_begin(&f);
    make_metadata();
    uint64_t module = forge_clr_module(&f, forge_metadata_bytes(&s_meta));
    make_types(&f, &made, module);
    if (is_8)
        make_locals(&f, &made, module);
    else
        forge_clr_thread(&f, 7, 4, 4);
    uint64_t at = FORGED_CLR_BASE;
    memcpy(f.bytes, is_8 ? MEMORY_OF_TYPES_8 : MEMORY_OF_TYPES, 8);
    forge_clr_put(&f, at + 8, f.runtime.thread_store, 8);
    for (size_t i = 0; i < made.count; i++)
        forge_clr_put(&f, at + 16 + 8 * i, made.all[i], 8);
    text_add(to, f.bytes, f.len);
    forge_clr_end(&f);
    forge_metadata_free(&s_meta);
}
