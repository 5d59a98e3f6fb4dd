/* Types of a process of .NET 8: rows in 16 bits, packed counts of fields, images through a
 * PEAssembly, statics in local modules. Answers are the same as for later versions; wrong
 * memory terminates. */
#include "clr/managed/clr_types.h"
#include "clr/managed/forged_clr.h"

static void begin_8(void)
{
    begin_all(forge_clr_begin_8, false);
}

TestSuite(clr_locals, .init = begin_8, .fini = end);

/* --- types --------------------------------------------------------------------- */

Test(clr_locals, names_of_all_kinds)
{
    uint64_t inner = instance(INNER, string, int32), list = instance(LIST, inner, 0);
    uint64_t pointers =
        forge_clr_array(&f, module, forge_clr_pointer(&f, int32, 0x0F), 8, 0);
    uint64_t grid = forge_clr_array(&f, module, list, 8, 2);
    expect_name(inner, "Inner<System.String,System.Int32>",
                "Shop.Outer+Inner<System.String,System.Int32>");
    expect_name(list, "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>",
                "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>");
    expect_name(pointers, "System.Int32*[]", "System.Int32*[]");
    expect_name(grid, "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>[,]",
                "Shop.List<Shop.Outer+Inner<System.String,System.Int32>>[,]");
    cr_expect_str_eq(clr_type_of(types, store)->module, "", "emitted");
}

Test(clr_locals, types_that_can_be_unloaded)
{
    uint64_t collectible = forge_clr_type(
        &f, &(struct forged_type){module, CLOSURE, FORGED_COLLECTIBLE_8, .parent = object});
    uint64_t other = forge_clr_type(
        &f, &(struct forged_type){module, ITERATOR, FORGED_COLLECTIBLE, .parent = object});
    types = forge_clr_open(&f);
    cr_expect(clr_type_of(types, collectible)->is_collectible);
    cr_expect_not(clr_type_of(types, other)->is_collectible, "the flag of later versions");
}

/* 65535 means that the row is stored elsewhere. */
Test(clr_locals, rows_have_16_bits)
{
    uint64_t far = plain(CLOSURE, object);
    char name[64];
    forge_clr_put(&f, far + 10, 0xFFFF, 2);
    snprintf(name, sizeof(name), "UNKNOWN 0x%llx", (unsigned long long)far);
    expect_name(far, name, name);
}

Test(clr_locals, structs_are_taken_apart)
{
    expect_session();
    cr_expect_eq(clr_type_of(types, rights)->fields[0].kind, HD_FIELD_ENUM);
    cr_expect_str_eq(clr_enum_name(types, rights, 7), "Both | Execute");
}

static void begin_unpacked(void)
{
    end(); /* begun by the suite */
    begin_all(forge_clr_begin_8, true);
}

Test(clr_locals, counts_of_fields_may_be_unpacked, .init = begin_unpacked)
{
    expect_session();
}

/* A number follows its length, at most 32 bits. */
Test(clr_locals, packed_counts_of_any_length)
{
    static const struct {
        unsigned char bytes[16];
        uint32_t fields;
    } cases[] = {
        /* Lengths 1, 1, 1: 1 instance field, 0 methods, 1 static field. */
        {{0x20, 0x00, 0x02}, 2},
        /* Lengths of 32 bits, all ones: more fields than possible. */
        {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
          0xFF, 0xFF, 0xFF},
         0},
        {{0}, 0},
    };
    uint64_t class = forge_clr_get(&f, cell + 40);
    struct method_table m;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        memcpy(f.bytes + (class + 56 - FORGED_CLR_BASE), cases[i].bytes, 16);
        types = forge_clr_open(&f);
        cr_assert(method_table_read(types, cell, &m));
        cr_expect_eq(method_table_fields(types, &m).count, cases[i].fields, "case %zu: %u",
                     i, method_table_fields(types, &m).count);
        clr_types_close(types);
        types = NULL;
    }
}

/* An instantiation over types of another module: its own module is among the optional
 * members after the MethodTable, one bit for each. */
Test(clr_locals, a_module_may_be_overridden)
{
    enum { OVERRIDE = 0x10, VIRTUALS = 9 };
    static const struct {
        uint32_t present, at;
    } cases[] = {{0x1, 56},           {0x2, 48}, {0x3, 64 + 16}, {0x7, 64 + 16 + 8},
                 {0xF, 64 + 16 + 16}, {0x0, 48}, {0x6, 64 + 16}, {0x4, 56}};
    uint64_t other = forge_clr_module(&f, (struct bytes){(const unsigned char *)"", 0});
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        uint64_t type = forge_clr_reserve(&f, 128), class = forge_clr_reserve(&f, 64);
        forge_clr_put(&f, type + 8, CLOSURE << 16 | OVERRIDE | cases[i].present, 4);
        forge_clr_put(&f, type + 12, VIRTUALS, 2);
        forge_clr_put(&f, type + 24, other, 8);
        forge_clr_put(&f, type + 40, class, 8);
        forge_clr_put(&f, class + 16, type, 8);
        forge_clr_put(&f, type + cases[i].at, module, 8);
        struct method_table m;
        types = forge_clr_open(&f);
        cr_assert(method_table_read(types, type, &m));
        cr_expect_eq(m.module, module, "case %zu", i);
        cr_expect_eq(m.row, CLOSURE);
        clr_types_close(types);
        types = NULL;
    }
}

/* --- images -------------------------------------------------------------------- */

/* PEAssembly, PEImage, PEImageLayout. An image loaded from bytes has no loaded layout. */
Test(clr_locals, images_by_way_of_a_pe_assembly)
{
    static const char path[] = "/app/Shop.dll";
    uint64_t with_image = forge_clr_reserve(&f, 2048), assembly = forge_clr_reserve(&f, 64),
             image = forge_clr_reserve(&f, 256), layout = forge_clr_reserve(&f, 64);
    uint64_t wide = forge_clr_reserve(&f, 2 * sizeof(path));
    struct text bytes = {0};
    forge_image(&bytes, forge_metadata_bytes(&meta), false);
    uint64_t base = forge_clr_reserve(&f, bytes.len);
    memcpy(f.bytes + (base - FORGED_CLR_BASE), bytes.data, bytes.len);
    text_free(&bytes);
    for (size_t i = 0; i < sizeof(path); i++)
        forge_clr_put(&f, wide + 2 * i, (unsigned char)path[i], 2);
    forge_clr_put(&f, with_image + 272, assembly, 8);
    forge_clr_put(&f, assembly + 8, image, 8);
    forge_clr_put(&f, image + 16, wide, 8);
    forge_clr_put(&f, layout + 8, base, 8);
    static const uint32_t layouts[] = {120, 112};
    for (size_t i = 0; i < 2; i++) {
        forge_clr_put(&f, image + 112, 0, 8);
        forge_clr_put(&f, image + 120, 0, 8);
        forge_clr_put(&f, image + layouts[i], layout, 8);
        types = forge_clr_open(&f);
        const struct clr_module *m = clr_module_of(types, with_image);
        cr_assert_not_null(m);
        cr_expect_str_eq(m->path, path);
        cr_expect_str_eq(metadata_type_name(&m->metadata, STORE).name, "Store");
        clr_types_close(types);
        types = NULL;
    }
}

/* --- statics ------------------------------------------------------------------- */

static uint64_t array_of(uint64_t first, uint64_t second)
{
    uint64_t array = forge_clr_reserve(&f, 64);
    forge_clr_put(&f, array + 8, 2, 4);
    forge_clr_put(&f, array + 16, first, 8);
    forge_clr_put(&f, array + 24, second, 8);
    return array;
}

/* Statics of a module's plain types are together, those of generic ones separate. */
static void make_statics(uint32_t flags, uint64_t of_plain, uint64_t of_generic)
{
    struct forged_type t = {.module = module,
                            .row = STORE,
                            .parent = object,
                            .fields = {{rows.items, 8, 0x12, FORGED_STATIC},
                                       {rows.mine, 0, 0x12, FORGED_STATIC},
                                       {rows.shared, 0, 0x11, FORGED_STATIC | FORGED_RVA},
                                       {rows.count, 0, 8, FORGED_STATIC}},
                            .statics = of_plain};
    forge_clr_type(&f, &t);
    t = (struct forged_type){.module = module,
                             .row = OUTER,
                             .flags = FORGED_INSTANCE | 0x4 | flags,
                             .parent = object,
                             .fields = {{rows.of_generic, 8, 0x12, FORGED_STATIC}},
                             .arguments = {string},
                             .statics = of_generic};
    forge_clr_type(&f, &t);
}

Test(clr_locals, statics_of_plain_types_and_of_generic_ones)
{
    make_statics(0, array_of(0, 0xAAA0) + 16, array_of(0, 0xBBB0) + 16);
    expect_statics("Shop.Store.s_items aaa0 0\n"
                   "Shop.Outer<System.String>.s_value bbb0 0\n");
}

/* For emitted types, which are in the map of their module. */
Test(clr_locals, statics_of_emitted_types)
{
    struct forged_type t = {.module = module,
                            .row = CLOSURE,
                            .flags = 0x2,
                            .parent = object,
                            .fields = {{rows.items, 0, 0x12, FORGED_STATIC}},
                            .statics = array_of(0xAAA0, 0) + 16};
    forge_clr_type(&f, &t);
    expect_statics("Shop.Store+<>c__DisplayClass3_0.s_items aaa0 0\n");
}

/* An object that holds arrays, reached from a module. */
static void make_allocator(uint64_t slots)
{
    uint32_t row = forge_type_def(&meta, "System.Reflection", "LoaderAllocator");
    uint32_t field = forge_field(&meta, "m_slots", "\x06\x1D\x1C", 3);
    uint64_t other = forge_clr_module(&f, forge_metadata_bytes(&meta));
    uint64_t type =
        forge_clr_type(&f, &(struct forged_type){.module = other,
                                                 .row = row,
                                                 .parent = object,
                                                 .fields = {{field, 0, 0x12, 0}}});
    uint64_t allocator = forge_clr_reserve(&f, 32), handle = forge_clr_reserve(&f, 8);
    forge_clr_put(&f, allocator, type, 8);
    forge_clr_put(&f, allocator + 8, slots, 8);
    forge_clr_put(&f, handle, allocator, 8);
    forge_clr_put(&f, forge_clr_get(&f, module + 248) + 976, handle, 8);
}

Test(clr_locals, statics_of_types_that_can_be_unloaded)
{
    uint64_t array = array_of(0, 0xBBB0), place = forge_clr_reserve(&f, 8);
    make_allocator(array_of(0, array));
    forge_clr_put(&f, place, array, 8);
    static const char expected[] = "Shop.Outer<System.String>.s_value bbb0 0\n";
    const struct {
        uint64_t handle;
        bool known;
    } cases[] = {{4, true},                       /* the second slot */
                 {place | 1, true},   {6, false}, /* after the last */
                 {2, false},                      /* null */
                 {0, false},          {1, false},
                 {UINT64_MAX, false}, {UINT64_MAX - 1, false}};
    make_statics(FORGED_COLLECTIBLE_8, 0, 4);
    uint64_t local = forge_clr_get(&f, module + 1224);
    uint64_t entry = forge_clr_get(&f, forge_clr_get(&f, local + 8));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        forge_clr_put(&f, entry, cases[i].handle, 8);
        expect_statics(cases[i].known ? expected : "");
        clr_types_close(types);
        types = NULL;
    }
}

/* --- threads ------------------------------------------------------------------- */

/* Makes module 0 of the only thread; returns its address. */
static uint64_t make_thread_module(uint64_t block, uint64_t plain_array)
{
    uint64_t local = forge_clr_reserve(&f, 64), handle = forge_clr_reserve(&f, 8);
    forge_clr_put(&f, forge_clr_get(&f, block), local, 8);
    forge_clr_put(&f, handle, plain_array, 8);
    forge_clr_put(&f, local + 16, handle, 8);
    forge_clr_put(&f, local, forge_clr_reserve(&f, 16 * 8), 8);
    forge_clr_put(&f, local + 8, 8, 8);
    return local;
}

static void make_of_thread(uint32_t row, uint32_t flags)
{
    forge_clr_type(&f, &(struct forged_type){
                           .module = module,
                           .row = row,
                           .flags = flags,
                           .parent = object,
                           .fields = {{rows.mine, 8, 0x12, FORGED_STATIC | FORGED_THREAD}},
                       });
}

Test(clr_locals, statics_of_threads)
{
    uint64_t block = forge_clr_thread(&f, 4711, 4, 0), handle = forge_clr_reserve(&f, 8);
    uint64_t local = make_thread_module(block, array_of(0, 0xAAA0));
    uint64_t entry = forge_clr_reserve(&f, 16);
    forge_clr_put(&f, handle, array_of(0, 0xBBB0), 8);
    forge_clr_put(&f, entry, handle, 8);
    make_of_thread(STORE, 0);
    make_of_thread(CLOSURE, 0x2);  /* entry 0 */
    make_of_thread(ITERATOR, 0x2); /* entry 1, which this thread lacks */
    forge_clr_put(&f, forge_clr_get(&f, local), entry, 8);
    static const char expected[] =
        "Shop.Store.t_mine aaa0 thread 4711\n"
        "Shop.Store+<>c__DisplayClass3_0.t_mine bbb0 thread 4711\n";
    expect_statics(expected);
    clr_types_close(types);
    /* A thread that has used no static of the module; and one with fewer modules. */
    forge_clr_put(&f, module + 1232, 1, 8);
    expect_statics("");
    clr_types_close(types);
    forge_clr_put(&f, module + 1232, 4, 8);
    expect_statics("");
    clr_types_close(types);
    forge_clr_put(&f, module + 1232, 0, 8);
    expect_statics(expected);
}

/* --- what is no reference ------------------------------------------------------ */

static struct clr_bases statics_of(uint64_t type, uint64_t block)
{
    struct method_table m;
    types = forge_clr_open(&f);
    clr_modules_all(types);
    cr_assert(method_table_read(types, type, &m));
    struct clr_bases found = clr_local_bases(types, &m, block);
    clr_types_close(types);
    types = NULL;
    return found;
}

/* Numbers of plain types follow the local module, those of others their entry. */
Test(clr_locals, numbers_have_a_place_too)
{
    enum { HAS_CONSTRUCTOR = 0x400 };
    uint64_t local = forge_clr_get(&f, module + 1224);
    uint64_t block = forge_clr_thread(&f, 4711, 4, 0);
    uint64_t of_thread = make_thread_module(block, array_of(0, 0));
    uint64_t with = forge_clr_type(&f, &(struct forged_type){.module = module,
                                                             .row = STORE,
                                                             .flags2 = HAS_CONSTRUCTOR,
                                                             .parent = object});
    uint64_t own = forge_clr_type(
        &f, &(struct forged_type){
                .module = module, .row = CLOSURE, .flags = 0x2, .parent = object});
    uint64_t entry = forge_clr_get(&f, forge_clr_get(&f, local + 8));
    cr_expect_eq(statics_of(with, 0).plain, local);
    cr_expect_not(statics_of(with, 0).is_used, "its constructor has not run");
    forge_clr_put(&f, local + 48 + STORE - 1, 5, 1);
    cr_expect(statics_of(with, 0).is_used);
    cr_expect(statics_of(cell, 0).is_used, "it has none");
    cr_expect_eq(statics_of(with, block).plain, of_thread);
    cr_expect_not(statics_of(with, block).is_used);
    forge_clr_put(&f, of_thread + 24 + STORE - 1, 1, 1);
    cr_expect(statics_of(with, block).is_used);
    cr_expect_eq(statics_of(own, 0).plain, entry);
    cr_expect(statics_of(own, 0).is_used);
    cr_expect_eq(statics_of(own, block).plain, 0, "the thread has no entry for it");
    cr_expect_not(statics_of(own, block).is_used);
}

Test(clr_locals, numbers_of_types_that_can_be_unloaded)
{
    uint64_t bytes = array_of(0, 0), place = forge_clr_reserve(&f, 8);
    make_statics(FORGED_COLLECTIBLE_8, 0, 0);
    uint64_t local = forge_clr_get(&f, module + 1224);
    uint64_t entry = forge_clr_get(&f, forge_clr_get(&f, local + 8));
    uint64_t type = forge_clr_get(&f, forge_clr_get(&f, module + 1296));
    cr_expect_eq(statics_of(type, 0).plain, 0);
    forge_clr_put(&f, place, bytes, 8);
    forge_clr_put(&f, entry + 8, place | 1, 8);
    cr_expect_eq(statics_of(type, 0).plain, bytes + 16 - 8);
}

/* --- damage -------------------------------------------------------------------- */

static void take_nothing(void *context, const struct clr_static *s)
{
    (void)context;
    (void)s;
}

static void make_everything(uint64_t asked[4])
{
    uint64_t block = forge_clr_thread(&f, 4711, 4, 0);
    make_thread_module(block, array_of(0, 0xAAA0));
    make_allocator(array_of(0, array_of(0, 0xCCC0)));
    make_statics(FORGED_COLLECTIBLE_8, array_of(0, 0xAAA0) + 16, 4);
    make_of_thread(CLOSURE, 0x2);
    asked[0] = session(3);
    asked[1] = instance(INNER, string, int32);
    asked[2] = forge_clr_array(&f, module, cell, 16, 0);
    asked[3] = rights;
}

static void ask_all(const uint64_t asked[4])
{
    types = forge_clr_open(&f);
    for (size_t n = 0; n < 4; n++)
        clr_type_of(types, asked[n]);
    clr_enum_name(types, rights, 7);
    clr_types_statics(types, take_nothing, NULL);
    clr_types_close(types);
    arena_free(&f.arena);
    types = NULL;
}

/* Each nonzero byte is changed once; all questions must terminate. */
Test(clr_locals, damage_ends)
{
    uint64_t asked[4];
    make_everything(asked);
    for (size_t i = 0; i < f.len; i++) {
        unsigned char was = f.bytes[i];
        if (was == 0)
            continue;
        f.bytes[i] = (unsigned char)(i % 2 ? was ^ 0xFF : was + 1);
        ask_all(asked);
        f.bytes[i] = was;
    }
}

/* Impossible counts, and cyclic tables. */
Test(clr_locals, hostile_counts_and_circles_end)
{
    uint64_t asked[4];
    make_everything(asked);
    uint64_t local = forge_clr_get(&f, module + 1224);
    uint64_t block = f.runtime.thread_store, thread = forge_clr_get(&f, block + 160) - 232;
    const uint64_t places[] = {module + 1280, module + 1296, local + 8,     local + 16,
                               local + 32,    module + 1232, thread + 1080, thread + 1088,
                               module + 272,  module + 248,  module + 1224};
    const uint64_t values[] = {UINT64_MAX, UINT64_MAX - 7, UINT32_MAX,   module,
                               local,      thread,         module + 1296};
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        uint64_t was = forge_clr_get(&f, places[i]);
        for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) {
            forge_clr_put(&f, places[i], values[k], 8);
            ask_all(asked);
        }
        forge_clr_put(&f, places[i], was, 8);
    }
}

/* A dump lacks pages: some answers are missing. */
Test(clr_locals, memory_with_a_hole_ends)
{
    enum { HOLE = 64 };
    uint64_t asked[4];
    make_everything(asked);
    for (size_t at = HOLE; at + HOLE < f.len; at += HOLE) {
        struct memory_piece pieces[2] = {
            {FORGED_CLR_BASE, at, f.bytes},
            {FORGED_CLR_BASE + at + HOLE, f.len - at - HOLE, f.bytes + at + HOLE}};
        types = forge_clr_open(&f);
        f.image.memory = (struct memory){.all = pieces, .len = 2};
        clr_types_statics(types, take_nothing, NULL);
        for (size_t n = 0; n < 4; n++)
            cr_assert_leq(clr_type_of(types, asked[n])->field_count, 16);
        clr_types_close(types);
        arena_free(&f.arena);
        types = NULL;
    }
}
