#include "clr/managed/clr_types.h"
#include "clr/managed/forged_clr.h"

TestSuite(clr_types, .init = begin, .fini = end);

/* --- names -----------------------------------------------------------------------------
 */

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
    /* As in gcdumps. */
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

Test(clr_types, types_without_a_name_are_unknown)
{
    uint64_t lost = plain(0, object), foreign = forge_clr_reserve(&f, 64);
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

/* Generated types of continuations have no row, and share one class: named as in the
 * runtime's events. */
Test(clr_types, names_of_continuations_are_that_of_their_base)
{
    uint64_t first = plain(0, store), second = plain(0, store), other = plain(0, object),
             class = forge_clr_get(&f, first + 40);
    char name[64];
    forge_clr_put(&f, second + 40, class, 8);
    forge_clr_put(&f, other + 40, class, 8);
    f.runtime.continuation = store;
    f.runtime.continuation_class = class;
    types = forge_clr_open(&f);
    expect_name(first, "Shop.Store", "Shop.Store");
    expect_name(second, "Shop.Store", "Shop.Store");
    snprintf(name, sizeof(name), "UNKNOWN 0x%llx", (unsigned long long)other);
    expect_name(other, name, name);
}

/* --- fields ----------------------------------------------------------------------------
 */

/* Extra is Pair<string, Cell>; the loaded type is that of any reference. */
Test(clr_types, structs_are_taken_apart)
{
    expect_session();
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

/* One null, one without its own place, and two that count. */
Test(clr_types, statics_of_classes_and_instantiations)
{
    uint64_t values = forge_clr_reserve(&f, 64);
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

Test(clr_types, statics_of_threads)
{
    uint64_t data = forge_clr_thread(&f, 4711, 8, 4), box = forge_clr_reserve(&f, 32);
    uint64_t handle = forge_clr_reserve(&f, 8), other = forge_clr_reserve(&f, 32);
    forge_clr_put(&f, box + 8, 0xAAA0, 8);
    forge_clr_put(&f, other + 8, 0xBBB0, 8);
    forge_clr_put(&f, handle, other, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 8) + 8 * 5, box, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 16) + 8 * 3, handle, 8);
    make_thread_static(STORE, 5);
    make_thread_static(CLOSURE, 1 << 24 | 3);
    make_thread_static(ITERATOR, 8);           /* after the end */
    make_thread_static(SESSION, 2U << 24 | 3); /* stored elsewhere */
    expect_statics("Shop.Store.t_mine aaa0 thread 4711\n"
                   "Shop.Store+<>c__DisplayClass3_0.t_mine bbb0 thread 4711\n");
}

/* --- agreement -------------------------------------------------------------------------
 */

/* Checked and equal numbers, of each kind. */
static void expect_agreement(uint64_t of_rows, uint64_t of_instances, uint64_t of_fields)
{
    struct clr_agreement a = clr_types_agreement(types);
    cr_expect(a.rows.asked == 2 && a.rows.agreed == of_rows);
    cr_expect(a.instances.asked == 1 && a.instances.agreed == of_instances);
    cr_expect(a.fields.asked == 2 && a.fields.agreed == of_fields);
}

/* Counts types that were asked for; each is compared with its module. */
Test(clr_types, agree_with_their_modules)
{
    uint64_t list = instance(LIST, cell, 0), class = forge_clr_get(&f, cell + 40);
    uint64_t map = module + f.runtime.at.module_type_def_map;
    uint64_t map_rows = forge_clr_get(&f, map + f.runtime.at.lookup_map_table);
    types = forge_clr_open(&f);
    clr_shape_of(types, list);
    clr_shape_of(types, int32);
    expect_agreement(2, 1, 2);
    forge_clr_put(&f, map_rows + 8 * CELL, store, 8);
    expect_agreement(1, 1, 2);
    forge_clr_put(&f, class + f.runtime.at.ee_class_instance_fields, 3, 2);
    expect_agreement(1, 1, 1);
    uint64_t table = forge_clr_get(&f, module + f.runtime.at.module_available_type_params);
    forge_clr_put(&f, table + f.runtime.at.type_hash_buckets, 0, 8);
    expect_agreement(1, 0, 1);
}
