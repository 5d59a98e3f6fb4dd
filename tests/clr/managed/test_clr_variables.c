/* Static variables of all kinds: their addresses, and those without a value yet. */
#include "clr/managed/forged_clr.h"

TestSuite(clr_variables, .init = begin, .fini = end);

static struct text told;

/* "class.name type kind slot" and marks: boxed, unused, the thread. */
static void tell_variable(void *context, const struct clr_static *v)
{
    char line[256];
    (void)context;
    snprintf(line, sizeof(line), "%s.%s %s %d %llx%s%s", v->declared_by, v->field,
             v->value.type_name != NULL ? v->value.type_name : "?", (int)v->value.kind,
             (unsigned long long)v->slot, v->is_boxed ? " boxed" : "",
             v->is_used ? "" : " unused");
    text_add_string(&told, line);
    if (v->of_thread) {
        snprintf(line, sizeof(line), " thread %llu", (unsigned long long)v->thread);
        text_add_string(&told, line);
    }
    text_add_char(&told, '\n');
}

static void expect_variables(const char *wanted)
{
    types = forge_clr_open(&f);
    text_clear(&told);
    clr_types_variables(types, tell_variable, NULL);
    cr_expect_str_eq(text_string(&told), wanted);
    text_free(&told);
    told = (struct text){0};
}

static void make_store(uint64_t statics, uint64_t plain_statics)
{
    forge_clr_type(&f, &(struct forged_type){
                           .module = module,
                           .row = STORE,
                           .flags2 = FORGED_HAS_STATICS,
                           .parent = object,
                           .fields = {{rows.items, 0, 0x12, FORGED_STATIC},
                                      {rows.of_rights, 4, 8, FORGED_STATIC},
                                      {rows.count, 8, 8, FORGED_STATIC},
                                      {rows.of_cells, 16, 0x11, FORGED_STATIC},
                                      {rows.shared, 0, 0x11, FORGED_STATIC | FORGED_RVA}},
                           .statics = statics,
                           .plain_statics = plain_statics});
}

/* References and boxes, numbers and enums; without those in the image. */
Test(clr_variables, of_a_class)
{
    make_store(0x5000, 0x6000);
    expect_variables("Shop.Store.s_items System.Object 1 5000\n"
                     "Shop.Store.Allowed Shop.Rights 7 6004\n"
                     "Shop.Store.Count System.Int32 4 6008\n"
                     "Shop.Store.Cells Shop.Four 1 5010 boxed\n");
}

Test(clr_variables, of_a_class_that_was_not_used)
{
    make_store(0x5000 | 1, 1);
    expect_variables("Shop.Store.s_items System.Object 1 5000 unused\n"
                     "Shop.Store.Allowed Shop.Rights 7 0 unused\n"
                     "Shop.Store.Count System.Int32 4 0 unused\n"
                     "Shop.Store.Cells Shop.Four 1 5010 boxed unused\n");
}

/* A runtime without the offsets of numbers. */
Test(clr_variables, of_a_layout_without_numbers)
{
    make_store(0x5000, 0x6000);
    f.runtime.at.dynamic_statics_plain = RUNTIME_NO_OFFSET;
    expect_variables("Shop.Store.s_items System.Object 1 5000\n"
                     "Shop.Store.Allowed Shop.Rights 0 0\n"
                     "Shop.Store.Count System.Int32 0 0\n"
                     "Shop.Store.Cells Shop.Four 1 5010 boxed\n");
}

static void make_of_thread(uint32_t row, uint32_t index, uint32_t plain_index)
{
    forge_clr_type(&f, &(struct forged_type){
                           .module = module,
                           .row = row,
                           .flags2 = FORGED_HAS_STATICS,
                           .parent = object,
                           .fields = {{rows.mine, 8, 0x12, FORGED_STATIC | FORGED_THREAD},
                                      {rows.count, 16, 8, FORGED_STATIC | FORGED_THREAD}},
                           .thread_index = index,
                           .plain_thread_index = plain_index});
}

/* In arrays of the thread, or within its own structure; a variable that no thread has used
 * is listed as unused. */
Test(clr_variables, of_threads)
{
    char wanted[512];
    uint64_t data = forge_clr_thread(&f, 4711, 8, 4), box = forge_clr_reserve(&f, 32),
             plain_box = forge_clr_reserve(&f, 32);
    forge_clr_put(&f, forge_clr_get(&f, data + 8) + 40, box, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 8) + 48, plain_box, 8);
    make_of_thread(STORE, 5, 6);
    make_of_thread(CLOSURE, 7, 2U << 24 | 40);
    make_of_thread(ITERATOR, 7, 7);
    snprintf(wanted, sizeof(wanted),
             "Shop.Store.t_mine System.Object 1 %llx thread 4711\n"
             "Shop.Store.Count System.Int32 4 %llx thread 4711\n"
             "Shop.Store+<>c__DisplayClass3_0.t_mine System.Object 1 0 unused thread 4711\n"
             "Shop.Store+<>c__DisplayClass3_0.Count System.Int32 4 %llx thread 4711\n"
             "Shop.Store+<IEnumerable<K,V>>d__0.t_mine System.Object 1 0 unused thread 0\n"
             "Shop.Store+<IEnumerable<K,V>>d__0.Count System.Int32 4 0 unused thread 0\n",
             (unsigned long long)box + 8, (unsigned long long)plain_box + 16,
             (unsigned long long)data + 40 + 16);
    expect_variables(wanted);
}
