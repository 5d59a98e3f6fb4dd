/* Names of types of a native AOT program from its symbols: mangled names that can be
 * decoded, others, and files without symbols, or with damaged ones. */
#include "clr/process/aot_image.h"

#include "base/little_endian.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a file with symbols ----------------------------------------------------------- */

struct made {
    struct text symbols, names;
    uint64_t base; /* address of the first segment */
};

static void put(struct text *t, uint64_t value, size_t size)
{
    unsigned char bytes[8];
    le_put(bytes, value, 8);
    text_add(t, bytes, size);
}

static void add_symbol(struct made *m, const char *name, unsigned kind, uint64_t rva)
{
    put(&m->symbols, m->names.len, 4);
    put(&m->symbols, kind, 4);
    put(&m->symbols, m->base + rva, 8);
    put(&m->symbols, 0, 8);
    text_add(&m->names, name, strlen(name) + 1);
}

static void add_table(struct made *m, const char *mangled, uint64_t rva)
{
    char name[1024];
    snprintf(name, sizeof(name), "_ZTV%zu%s", strlen(mangled), mangled);
    add_symbol(m, name, 1, rva);
}

enum { SEGMENT = 64, SECTIONS = 120, SYMBOLS = SECTIONS + 3 * 64 };

static void add_section(struct text *t, uint32_t kind, uint64_t offset, uint64_t size,
                        uint32_t link)
{
    put(t, 0, 4);
    put(t, kind, 4);
    put(t, 0, 8);
    put(t, 0, 8);
    put(t, offset, 8);
    put(t, size, 8);
    put(t, link, 8);
    put(t, 0, 8);
    put(t, 24, 8);
}

static struct text finish(struct made *m)
{
    static const char begin[16] = "\177ELF\2\1\1";
    struct text file = {0};
    text_add(&file, begin, sizeof(begin));
    put(&file, 3, 8); /* kind, machine, version */
    put(&file, 0, 8);
    put(&file, SEGMENT, 8);
    put(&file, SECTIONS, 8);
    put(&file, 0, 4);
    const unsigned sizes[] = {64, 56, 1, 64, 3, 0};
    for (size_t i = 0; i < 6; i++)
        put(&file, sizes[i], 2);
    put(&file, 1, 8);
    put(&file, 0, 8);
    put(&file, m->base, 8);
    for (size_t i = 0; i < 4; i++)
        put(&file, 0, 8);
    add_section(&file, 0, 0, 0, 0);
    add_section(&file, 2, SYMBOLS, m->symbols.len, 2);
    add_section(&file, 3, SYMBOLS + m->symbols.len, m->names.len, 0);
    text_add(&file, m->symbols.data, m->symbols.len);
    text_add(&file, m->names.data, m->names.len);
    text_free(&m->symbols);
    text_free(&m->names);
    return file;
}

static struct bytes bytes_of(const struct text *t)
{
    return (struct bytes){(const unsigned char *)t->data, t->len};
}

/* --- names -------------------------------------------------------------------------- */

static const struct {
    const char *mangled, *name;
} names[] = {
    {"My_Shop_Acme_Order", "Acme.Order"},
    {"Boxed_My_Shop_Acme_Money", "Acme.Money"},
    {"String", "System.String"},
    {"Boxed_Bool", "System.Boolean"},
    {"S_P_CoreLib_System_Type", "System.Type"},
    {"System_Linq_System_Linq_Enumerable_Iterator_1<My_Shop_Acme_Order>",
     "System.Linq.Enumerable+Iterator`1[[Acme.Order]]"},
    {"S_P_CoreLib_System_Collections_Generic_Dictionary_2_Entry<String__Int32>",
     "System.Collections.Generic.Dictionary`2+Entry[[System.String],[System.Int32]]"},
    {"__Array<__MDArray<UInt8,3>>", "System.Byte[,,][]"},
    {"__Array<Char<Pointer>>", "System.Char*[]"},
    {"My_Shop_Acme_Pair_2<__Array<My_Shop_Acme_Order>____MDArray<Int32,2>>",
     "Acme.Pair`2[[Acme.Order[]],[System.Int32[,]]]"},
    {"My_Shop_Acme_Prog___c", "Acme.Prog+<>c"},
    {"My_Shop_Acme_Prog___c__DisplayClass6_0", "Acme.Prog+<>c__DisplayClass6_0"},
    {"My_Shop_Acme_Prog___c__62_1", "Acme.Prog+<>c__62`1"},
    {"My_Shop_Acme_Prog___c__DisplayClass6_0___Main_b__1_d",
     "Acme.Prog+<>c__DisplayClass6_0+<<Main>b__1>d"},
    {"My_Shop_Acme_Prog__Wait_d__0", "Acme.Prog+<Wait>d__0"},
    {"My_Shop_Acme_Prog__WaitFor_d__1_1<Int64>",
     "Acme.Prog+<WaitFor>d__1`1[[System.Int64]]"},
    {"S_P_CoreLib_System_Box_2<Int32__My_Shop_Acme_Prog__VT_d__2>",
     "System.Box`2[[System.Int32],[Acme.Prog+<VT>d__2]]"},
    {"My_Shop___f__AnonymousType0_2<Int32__String>",
     "<>f__AnonymousType0`2[[System.Int32],[System.String]]"},
    {"My_Shop_GlobalOne", "GlobalOne"},
    /* Ambiguous names are left unchanged. */
    {"Newtonsoft_Json_Linq_JObject", "Newtonsoft_Json_Linq_JObject"},
    {"S_P_CoreLib_System_Lazy_1<Newtonsoft_Json_Linq_JObject>",
     "S_P_CoreLib_System_Lazy_1<Newtonsoft_Json_Linq_JObject>"},
    {"My_Shop_Acme_Prog____weird_", "Acme.Prog+___weird_"},
    {"__Array<My_Shop_Acme_Order", "__Array<My_Shop_Acme_Order"},
    {"__Array<>", "__Array<>"},
    {"__MDArray<Int32,9>", "__MDArray<Int32,9>"},
    {"__MDArray<,2>", "__MDArray<,2>"},
    {"System_Box_1<>", "System_Box_1<>"},
    {"System_NotGeneric<Int32>", "System_NotGeneric<Int32>"},
    {">", ">"},
    {"<", "<"},
    {"_", "_"},
};

enum { NAMES = sizeof(names) / sizeof(*names) };

static struct text make_file(uint64_t base)
{
    struct made m = {.base = base};
    add_symbol(&m, "", 0, 0);
    add_table(&m, "My_Shop__Module_", 8);
    add_symbol(&m, "My_Shop_Acme_Prog__Main", 2, 0);
    add_symbol(&m, "System_Linq_System_Linq_Enumerable__Select<System___Canon>", 2, 0);
    for (size_t i = NAMES; i-- > 0;)
        add_table(&m, names[i].mangled, 0x1000 + 16 * i);
    add_symbol(&m, "__GCStaticEEType_01", 1, 0x8000);
    add_symbol(&m, "_ZTV7Order", 1, 0x8010);
    add_symbol(&m, "_ZTV99999999999999999999x", 1, 0x8020);
    add_symbol(&m, "_ZTVN3gc4heapE", 1, 0x8030);
    return finish(&m);
}

static void expect_name(const struct aot_symbols *s, uint64_t rva, const char *name)
{
    struct text found = {0};
    cr_expect_eq(aot_symbols_name(s, rva, &found), name != NULL, "%llx",
                 (unsigned long long)rva);
    cr_expect_str_eq(text_string(&found), name != NULL ? name : "");
    text_free(&found);
}

Test(aot_symbols, mangled_names_are_read_as_those_of_classes)
{
    static const uint64_t bases[] = {0, 0x400000};
    for (size_t k = 0; k < 2; k++) {
        struct text file = make_file(bases[k]);
        struct arena a = {0};
        struct aot_symbols s;
        cr_assert(aot_symbols_of_file(&s, bytes_of(&file), &a, NULL));
        for (size_t i = 0; i < NAMES; i++)
            expect_name(&s, 0x1000 + 16 * i, names[i].name);
        expect_name(&s, 0x8000, AOT_STATICS);
        for (uint64_t rva = 0x8010; rva < 0x8040; rva += 8)
            expect_name(&s, rva, NULL);
        expect_name(&s, 0xfff, NULL);
        arena_free(&a);
        text_free(&file);
    }
}

/* --- files --------------------------------------------------------------------------- */

static void expect_refused(const char *bytes, size_t size, const char *why)
{
    struct aot_symbols s;
    struct arena a = {0};
    struct hd_error err = {0};
    struct bytes file = {(const unsigned char *)bytes, size};
    cr_expect_not(aot_symbols_of_file(&s, file, &a, &err));
    cr_expect_str_eq(err.message, why);
    arena_free(&a);
}

Test(aot_symbols, other_files_are_refused_by_their_kind)
{
    struct text file = make_file(0);
    expect_refused("", 0, "not a program (no ELF file)");
    expect_refused("#!/bin/sh\n", 10, "not a program (no ELF file)");
    expect_refused("MZ\x90", 3, "a program of Windows; only ELF files are read");
    expect_refused("\xcf\xfa\xed\xfe\7", 5, "a program of macOS; only ELF files are read");
    expect_refused(file.data, 63, "not a program (no ELF file)");
    file.data[4] = 1;
    expect_refused(file.data, file.len, "an ELF file that is not of 64 bits");
    file.data[4] = 2;
    expect_refused(file.data, SECTIONS, "damaged: its section headers are not in the file");
    expect_refused(file.data, file.len - 1, "damaged: its symbols are not in the file");
    memset(file.data + 40, 0xff, 8);
    expect_refused(file.data, file.len, "damaged: its section headers are not in the file");
    text_free(&file);
}

Test(aot_symbols, a_stripped_program_has_no_names)
{
    struct text file = make_file(0);
    struct aot_symbols s;
    struct arena a = {0};
    memset(file.data + 60, 0, 2);
    cr_expect(aot_symbols_of_file(&s, bytes_of(&file), &a, NULL));
    cr_expect_eq(s.count, 0);
    expect_name(&s, 0x1000, NULL);
    arena_free(&a);
    text_free(&file);
}

/* The last name has no NUL and is at the end of the file. */
Test(aot_symbols, names_end_with_the_file)
{
    static const char last[] = "_ZTV18My_Shop_Acme_Order";
    struct made m = {0};
    add_table(&m, "My_Shop__Module_", 8);
    add_symbol(&m, last, 1, 16);
    m.names.len--;
    struct text file = finish(&m);
    for (size_t cut = 0; cut < sizeof(last); cut++) {
        char *copy = malloc(file.len - cut);
        struct aot_symbols s;
        struct arena a = {0};
        memcpy(copy, file.data, file.len - cut);
        le_put((unsigned char *)copy + SECTIONS + 128 + 32, file.len - cut - SYMBOLS - 48,
               8);
        struct bytes bytes = {(unsigned char *)copy, file.len - cut};
        cr_expect(aot_symbols_of_file(&s, bytes, &a, NULL));
        expect_name(&s, 16, cut == 0 ? "Acme.Order" : NULL);
        arena_free(&a);
        free(copy);
    }
    text_free(&file);
}

Test(aot_symbols, damage_is_survived)
{
    struct text whole = make_file(0);
    char *copy = malloc(whole.len);
    for (size_t at = 0; at < whole.len; at++) {
        struct aot_symbols s;
        struct arena a = {0};
        struct text name = {0};
        memcpy(copy, whole.data, whole.len);
        copy[at] = (char)(copy[at] ^ (1 << at % 8));
        if (aot_symbols_of_file(&s, (struct bytes){(unsigned char *)copy, whole.len}, &a,
                                NULL))
            for (size_t i = 0; i < s.count; i++)
                aot_symbols_name(&s, s.tables[i].rva, &name);
        text_free(&name);
        arena_free(&a);
    }
    free(copy);
    text_free(&whole);
}

/* A million symbols, of one class or of a million; and one name of a megabyte. */
Test(aot_symbols, time_and_memory_are_those_of_sorting, .timeout = 60)
{
    enum { MANY = 1000000 };
    struct made m = {0};
    char name[64];
    char *longest = malloc(1 << 20);
    memset(longest, '_', (1 << 20) - 1);
    longest[(1 << 20) - 1] = '\0';
    for (unsigned i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "System_C%u__Run", (i * 2654435761U) >> 4);
        add_symbol(&m, name, 2, i);
    }
    add_symbol(&m, longest, 2, 0);
    memcpy(longest, "_ZTV999993Box_1<", 16);
    longest[999993 + 10] = '\0';
    add_symbol(&m, longest, 1, 16);
    struct text file = finish(&m);
    struct arena a = {0};
    struct aot_symbols s;
    cr_assert(aot_symbols_of_file(&s, bytes_of(&file), &a, NULL));
    cr_expect_eq(s.type_count, MANY);
    cr_expect_lt(a.size, (size_t)64 << 20);
    expect_name(&s, 16, longest + 10);
    arena_free(&a);
    text_free(&file);
    free(longest);
}
