/* Types of a process whose memory is wrong, incomplete, or expensive to read: reading
 * always terminates, and every answer is right or "UNKNOWN". */
#include "clr/managed/clr_types.h"
#include "clr/managed/forged_clr.h"

TestSuite(clr_damage, .init = begin, .fini = end);

/* --- lies ------------------------------------------------------------------------------
 */

Test(clr_damage, arguments_and_elements_that_contain_themselves)
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

/* Each is a pair of the previous one: names would double each time. */
Test(clr_damage, names_are_bounded)
{
    uint64_t type = string;
    for (int i = 0; i < 40; i++)
        type = pair(type, type, 0x12, 8);
    types = forge_clr_open(&f);
    cr_expect_leq(strlen(clr_type_of(types, type)->name), 16U * 1024);
}

Test(clr_damage, bases_and_structs_in_circles)
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

static void take_no_variable(void *context, const struct clr_static *v)
{
    (void)context;
    cr_assert(v->field != NULL && v->declared_by != NULL);
}

/* Cycles in threads, maps and hash tables. */
Test(clr_damage, chains_in_circles)
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
    clr_types_variables(types, take_no_variable, NULL);
    expect_name(store, "Shop.Store", "Shop.Store");
}

/* Each nonzero byte is changed once; all questions must terminate. */
Test(clr_damage, damage_ends)
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
        clr_types_variables(types, take_no_variable, NULL);
        clr_types_close(types);
        arena_free(&f.arena);
        types = NULL;
        f.bytes[i] = was;
    }
}

/* --- what is not there -----------------------------------------------------------------
 */

/* Types of every kind: expected names, fields and static variables. */
struct asked {
    uint64_t types[6];
    const char *names[6];
    size_t fields[6];
    struct text statics;
};

static void note_static(void *context, const struct clr_static *s)
{
    char line[512];
    snprintf(line, sizeof(line), "%s.%s %llx\n", s->declared_by, s->field,
             (unsigned long long)s->object);
    text_add_string(context, line);
}

static void make_asked(struct asked *a)
{
    uint64_t values = forge_clr_reserve(&f, 64);
    *a = (struct asked){.types = {session(3), instance(INNER, string, int32),
                                  forge_clr_array(&f, module, cell, 16, 0), rights, store,
                                  forge_clr_array(&f, module, string, 8, 3)}};
    forge_clr_put(&f, values, 0xAAA0, 8);
    struct forged_type with_statics = {
        .module = module,
        .row = OUTER,
        .flags = FORGED_INSTANCE,
        .flags2 = FORGED_HAS_STATICS,
        .parent = object,
        .fields = {{rows.of_generic, 0, 0x12, FORGED_STATIC}},
        .arguments = {string},
        .statics = values};
    forge_clr_type(&f, &with_statics);
    uint64_t data = forge_clr_thread(&f, 4711, 8, 4), box = forge_clr_reserve(&f, 32);
    forge_clr_put(&f, box + 8, 0xBBB0, 8);
    forge_clr_put(&f, forge_clr_get(&f, data + 8) + 8 * 5, box, 8);
    make_thread_static(STORE, 5);
    struct clr_types *t = forge_clr_open(&f);
    for (size_t i = 0; i < 6; i++) {
        a->names[i] = strdup(clr_type_of(t, a->types[i])->full_name);
        a->fields[i] = clr_type_of(t, a->types[i])->field_count;
    }
    clr_types_statics(t, note_static, &a->statics);
    cr_assert_str_eq(text_string(&a->statics),
                     "Shop.Store.t_mine bbb0\nShop.Outer<System.String>.s_value aaa0\n");
    clr_types_close(t);
    arena_free(&f.arena);
}

static void free_asked(struct asked *a)
{
    for (size_t i = 0; i < 6; i++)
        free((char *)a->names[i]);
    text_free(&a->statics);
}

/* True if each word of a name is in the right name or unknown: a namespace may be lost, and
 * brackets may be those of metadata. */
static bool is_made_of(const char *name, const char *right)
{
    static const char separators[] = "<>[],+`. ";
    char words[512], *rest;
    bool is = strlen(name) < sizeof(words);
    snprintf(words, sizeof(words), "%s", name);
    for (char *word = strtok_r(words, separators, &rest); word != NULL && is;
         word = strtok_r(NULL, separators, &rest))
        is = strncmp(word, "UNKNOWN", 7) == 0 || strspn(word, "0123456789") > 0 ||
             strstr(right, word) != NULL;
    return is;
}

/* Expects every answer of t to be true or unknown. Returns the number of right names. */
static size_t expect_truth(struct clr_types *t, struct asked *a, const char *what,
                           uint64_t where)
{
    struct text told = {0};
    size_t right = 0;
    for (size_t i = 0; i < 6; i++) {
        const struct clr_type *type = clr_type_of(t, a->types[i]);
        bool same = strcmp(type->full_name, a->names[i]) == 0;
        right += same;
        cr_assert(is_made_of(type->full_name, a->names[i]), "%s %llx: %s", what,
                  (unsigned long long)where, type->full_name);
        cr_assert_leq(type->field_count, a->fields[i] + 3, "%s: %s has %zu fields", what,
                      type->full_name, type->field_count);
    }
    const char *member = clr_enum_name(t, rights, 7);
    cr_assert(member == NULL || strcmp(member, "Both | Execute") == 0 ||
                  strstr("Read | Write | Execute", member) != NULL,
              "%s: %s", what, member);
    clr_types_statics(t, note_static, &told);
    text_string(&told); /* to terminate it */
    for (char *rest = told.data, *line; (line = strtok_r(rest, "\n", &rest)) != NULL;)
        cr_assert(is_made_of(line, text_string(&a->statics)), "%s %llx: %s", what,
                  (unsigned long long)where, line);
    text_free(&told);
    return right;
}

/* A dump lacks pages, or its runtime's memory was never read. */
Test(clr_damage, memory_with_a_hole_gives_fewer_but_correct_answers)
{
    enum { HOLE = 16 };
    struct asked a;
    make_asked(&a);
    size_t right = 0, holes = 0;
    for (size_t at = 0; at + HOLE < f.len; at += HOLE, holes++) {
        struct memory_piece pieces[2] = {
            {FORGED_CLR_BASE, at, f.bytes},
            {FORGED_CLR_BASE + at + HOLE, f.len - at - HOLE, f.bytes + at + HOLE}};
        types = forge_clr_open(&f);
        f.image.memory =
            (struct memory){.all = at > 0 ? pieces : pieces + 1, .len = at > 0 ? 2 : 1};
        right += expect_truth(types, &a, "hole", at);
        clr_types_close(types);
        types = NULL;
        arena_free(&f.arena);
    }
    cr_expect_gt(right, 3 * holes, "%zu of %zu", right, 6 * holes);
    free_asked(&a);
}

Test(clr_damage, an_exhausted_budget_gives_fewer_but_correct_answers)
{
    struct asked a;
    make_asked(&a);
    types = forge_clr_open(&f);
    uint64_t all = types->budget;
    cr_expect_eq(expect_truth(types, &a, "all of it", all), 6);
    uint64_t spent = all - types->budget;
    clr_types_close(types);
    types = NULL;
    arena_free(&f.arena);
    for (uint64_t budget = 0; budget < spent; budget += 8) {
        types = forge_clr_open(&f);
        types->budget = budget;
        expect_truth(types, &a, "budget", budget);
        clr_types_close(types);
        types = NULL;
        arena_free(&f.arena);
    }
    free_asked(&a);
}

/* Members that a runtime's description may omit. */
Test(clr_damage, layouts_may_lack_members)
{
    struct asked a;
    make_asked(&a);
    struct runtime_layout *at = &f.runtime.at;
    uint32_t *const members[] = {
        &at->dynamic_statics_size,
        &at->method_table_auxiliary_data,
        &at->thread_static_data,
        &at->app_domain_assembly_list,
        &at->ee_class_instance_fields,
        &at->module_dynamic_metadata,
        &at->module_base,
    };
    static const bool told[] = {false, false, true, true, false, false, true};
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        uint32_t was = *members[i];
        *members[i] = RUNTIME_NO_OFFSET;
        types = forge_clr_open(&f);
        expect_truth(types, &a, "member", i);
        struct text statics = {0};
        clr_types_statics(types, note_static, &statics);
        bool any = statics.len > 0;
        cr_expect_eq(any, told[i], "member %zu: %s", i, text_string(&statics));
        text_free(&statics);
        clr_types_close(types);
        types = NULL;
        arena_free(&f.arena);
        *members[i] = was;
    }
    free_asked(&a);
}
