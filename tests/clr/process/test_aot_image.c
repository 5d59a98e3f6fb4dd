/* Names of types of a native AOT program: definitions and constructed types, from its file
 * and its memory; and inconsistent files. */
#include "clr/process/aot_image.h"

#include "support/forge_aot.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void put(unsigned char *at, uint64_t value, size_t size)
{
    le_put(at, value, size);
}

static struct forged_program *make_program(void)
{
    return forge_aot_program(NET_10);
}

static struct bytes bytes_of(const struct forged_program *p)
{
    return (struct bytes){p->file, sizeof(p->file)};
}

static void expect_name(const struct aot_image *i, uint64_t rva, const char *name)
{
    struct text found = {0};
    text_add_string(&found, "a ");
    cr_expect_eq(aot_image_name(i, rva, &found), name != NULL);
    cr_expect_str_eq(text_string(&found) + 2, name != NULL ? name : "");
    text_free(&found);
}

static void expect_names(const struct aot_image *i)
{
    expect_name(i, AT_ORDER, "Acme.My_Shop.Gr\303\266\303\237e");
    expect_name(i, AT_RING, "Acme.Ring`1");
    expect_name(i, AT_NODE, "Acme.Ring`1+Node");
    expect_name(i, AT_NODE_OF_ORDER,
                "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]]");
    expect_name(i, AT_NODES, "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]");
    expect_name(i, AT_PAIR_OF_BOTH,
                "Pair`2[[Acme.My_Shop.Gr\303\266\303\237e],"
                "[Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]]]");
    expect_name(i, AT_MATRIX, "Acme.My_Shop.Gr\303\266\303\237e[,]");
    expect_name(i, AT_STATICS, AOT_STATICS);
    expect_name(i, AT_ORDER + 8, NULL);
    expect_name(i, AT_ORDER + 4, NULL);
    expect_name(i, AT_TABLES_END, NULL);
    expect_name(i, UINT64_MAX, NULL);
}

Test(aot_image, a_file_names_definitions_and_constructed_types)
{
    for (size_t k = 0; k < sizeof(forged_majors) / sizeof(*forged_majors); k++) {
        struct forged_program *p = forge_aot_program(forged_majors[k]);
        struct arena a = {0};
        struct aot_image i;
        cr_assert(aot_image_of_file(&i, bytes_of(p), &a), "%u", forged_majors[k]);
        cr_expect_eq(i.major, forged_majors[k]);
        cr_expect_eq(i.type_count, 4);
        expect_names(&i);
        arena_free(&a);
        free(p);
    }
}

/* A running program has made its tables; its pointers are addresses. */
Test(aot_image, memory_names_the_same)
{
    const uint64_t base = 0x7f0000000000;
    struct forged_program *p = make_program();
    struct arena a = {0};
    struct aot_image file, i;
    cr_assert(aot_image_of_file(&file, bytes_of(p), &a));
    uint64_t size = AT_TABLES_END - AT_TABLES;
    memcpy(p->tables, memory_at(file.memory, file.base + AT_TABLES, size), size);
    static const unsigned pointers[] = {AT_NODES + 8, AT_MATRIX + 8, AT_STATICS + 8};
    for (size_t k = 0; k < sizeof(pointers) / sizeof(*pointers); k++) {
        unsigned char *at = p->tables + pointers[k] - AT_TABLES;
        put(at, le_u64(at) - file.base + base, 8);
    }
    for (size_t at = 0; at < p->relocation; at += 24) {
        const unsigned char *r = p->file + AT_RELOCATIONS + at;
        put(p->file + le_u64(r), base + le_u64(r + 16), 8);
    }
    const struct memory_piece pieces[] = {{base, sizeof(p->file), p->file},
                                          {base + AT_TABLES, size, p->tables}};
    const struct memory m = memory_of(pieces, 2, &a);
    cr_assert(aot_image_in_memory(&i, &m, base, base + FORGED_AOT_SIZE, &a));
    expect_names(&i);
    cr_expect_not(aot_image_in_memory(&i, &m, base, base + AT_HEADER, &a), "no header");
    arena_free(&a);
    free(p);
}

Test(aot_image, an_unknown_version_is_refused)
{
    struct forged_program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    put(p->file + AT_HEADER + 4, 17, 2);
    cr_expect_not(aot_image_of_file(&i, bytes_of(p), &a));
    arena_free(&a);
    free(p);
}

/* "Write 5 million zeros", in four bytes, repeated. */
Test(aot_image, few_commands_get_no_memory_without_end)
{
    struct forged_program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    for (size_t at = AT_COMMANDS + 4; at + 4 <= AT_COMMANDS + p->command; at += 4)
        put(p->file + at, 0x505050f9, 4);
    cr_expect_not(aot_image_of_file(&i, bytes_of(p), &a));
    cr_expect_lt(a.size, 1 << 20);
    arena_free(&a);
    free(p);
}

/* A type constructed from itself has no name. */
Test(aot_image, circles_end)
{
    struct forged_program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    put(p->file + AT_LISTS, (uint64_t)AT_PAIR_OF_BOTH - AT_LISTS, 4);
    cr_assert(aot_image_of_file(&i, bytes_of(p), &a));
    expect_name(&i, AT_PAIR_OF_BOTH, NULL);
    expect_name(&i, AT_NODES, "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]");
    arena_free(&a);
    free(p);
}

/* A sanitizer reports reads outside; everything else depends on the file. */
Test(aot_image, damage_is_survived)
{
    struct forged_program *whole = make_program();
    unsigned char *copy = malloc(sizeof(whole->file));
    for (size_t at = 0; at < sizeof(whole->file); at++) {
        struct arena a = {0};
        struct aot_image i;
        struct text name = {0};
        memcpy(copy, whole->file, sizeof(whole->file));
        copy[at] ^= (unsigned char)(1 << at % 8 | 0x80);
        if (aot_image_of_file(&i, (struct bytes){copy, sizeof(whole->file)}, &a))
            for (uint64_t rva = AT_TABLES; rva < AT_TABLES_END; rva += 8)
                aot_image_name(&i, rva, &name);
        text_free(&name);
        arena_free(&a);
    }
    free(copy);
    free(whole);
}

Test(aot_image, any_part_of_a_file_is_survived)
{
    struct forged_program *whole = make_program();
    for (size_t size = 0; size < sizeof(whole->file); size++) {
        unsigned char *copy = malloc(size > 0 ? size : 1);
        struct arena a = {0};
        struct aot_image i;
        struct text name = {0};
        memcpy(copy, whole->file, size);
        if (aot_image_of_file(&i, (struct bytes){copy, size}, &a))
            for (uint64_t rva = AT_TABLES; rva < AT_TABLES_END; rva += 8)
                aot_image_name(&i, rva, &name);
        text_free(&name);
        arena_free(&a);
        free(copy);
    }
    free(whole);
}
