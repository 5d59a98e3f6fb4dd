/* Names of the types of a native AOT program: of definitions, of what is made of them, from
 * its file and its memory; and files in which something does not fit. */
#include "process/aot_image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A program of one segment, whose method tables are made when it starts. */
enum {
    FILE_SIZE = 0xc00,
    DYNAMIC = 0x100,
    RELOCATIONS = 0x180,
    HEADER = 0x300,
    MAP = 0x400,
    FIXUPS = 0x480,
    METADATA = 0x500,
    COMMANDS = 0x800,
    LISTS = 0xb00, /* of generic arguments */
    TABLES = 0x3000,
    ORDER = TABLES,
    RING = TABLES + 0x20,
    NODE = TABLES + 0x40,
    PAIR = TABLES + 0x60,
    NODES = TABLES + 0x80, /* Node<Order>[] */
    NODE_OF_ORDER = TABLES + 0xa0,
    PAIR_OF_BOTH = TABLES + 0xd0,
    MATRIX = TABLES + 0x100, /* Order[,] */
    STATICS = TABLES + 0x120,
    TABLES_END = TABLES + 0x140
};

struct program {
    unsigned char file[FILE_SIZE], tables[TABLES_END - TABLES];
    size_t metadata, command, relocation;
    unsigned major, tag_bits;
};

/* Those that are known, by the number in their header. */
enum { NET_8 = 9, NET_9 = 10, NET_10 = 16, NET_11 = 26 };
static const unsigned majors[] = {NET_8, NET_9, NET_10, NET_11};

static void put(unsigned char *at, uint64_t value, size_t size)
{
    le_put(at, value, size);
}

/* In five bytes, whatever it is. */
static uint32_t put_packed(struct program *p, const uint32_t *values, size_t count)
{
    size_t begin = p->metadata;
    for (size_t i = 0; i < count; i++) {
        p->file[METADATA + p->metadata] = 0x0f;
        put(p->file + METADATA + p->metadata + 1, values[i], 4);
        p->metadata += 5;
    }
    return (uint32_t)begin;
}

static uint32_t put_string(struct program *p, const char *s)
{
    size_t begin = p->metadata, len = strlen(s);
    p->file[METADATA + p->metadata] = (unsigned char)(len << 1);
    memcpy(p->file + METADATA + p->metadata + 1, s, len);
    p->metadata += 1 + len;
    return (uint32_t)begin;
}

static uint32_t put_namespace(struct program *p, uint32_t parent, unsigned kind,
                              uint32_t name)
{
    const uint32_t values[] = {parent << p->tag_bits | kind, name};
    return put_packed(p, values, 2);
}

static uint32_t put_type(struct program *p, uint32_t space, const char *name,
                         uint32_t enclosing)
{
    const uint32_t values[] = {0x100001, 0, space, put_string(p, name), 0, 0, enclosing};
    return put_packed(p, values, 7);
}

/* Entries of the map stand behind its only bucket: hash and offset, number and handle. */
static void put_map(struct program *p, const uint32_t *records, size_t count)
{
    unsigned char *map = p->file + MAP;
    size_t entries = 3 + 2 * count;
    map[1] = 2;
    map[2] = (unsigned char)(2 + 2 * count);
    for (size_t i = 0; i < count; i++) {
        size_t at = 3 + 2 * i, entry = entries + 6 * i;
        map[at] = (unsigned char)i;
        map[at + 1] = (unsigned char)((entry - at - 1) << 1);
        map[entry] = (unsigned char)(i << 1);
        map[entry + 1] = 0x0f;
        put(map + entry + 2, (uint64_t)AOT_RECORD_TYPE << (32 - p->tag_bits) | records[i],
            4);
        put(p->file + FIXUPS + 4 * i, ORDER + 0x20 * i - (FIXUPS + 4 * i), 4);
    }
}

/* --- method tables ---------------------------------------------------------------- */

static void put_table(struct program *p, unsigned at, uint32_t flags, uint32_t size)
{
    put(p->tables + at - TABLES, flags, 4);
    put(p->tables + at - TABLES + 4, size, 4);
}

static void put_copy(struct program *p, unsigned at, unsigned size)
{
    p->file[COMMANDS + p->command++] = (unsigned char)(size << 3);
    memcpy(p->file + COMMANDS + p->command, p->tables + at - TABLES, size);
    p->command += size;
}

static void put_zeros(struct program *p, unsigned size)
{
    p->file[COMMANDS + p->command++] = (unsigned char)(size << 3 | 1);
}

static void put_distance(struct program *p, unsigned to)
{
    put(p->file + COMMANDS + p->command, to - (COMMANDS + p->command), 4);
    p->command += 4;
}

/* Command 2 and 3 take what stands behind all commands, 4 and 5 what follows. */
static void put_link(struct program *p, unsigned command, unsigned to)
{
    unsigned which = command >= 4 || to != ORDER ? 1 : 0;
    p->file[COMMANDS + p->command++] = (unsigned char)(which << 3 | command);
    if (command >= 4)
        put_distance(p, to);
}

/* How many parameters it has stands in place of the size, in .NET 8 of flags. */
static void put_definition(struct program *p, unsigned at, uint32_t flags, uint32_t arity)
{
    bool is_8 = p->major == NET_8;
    put_table(p, at, is_8 ? flags | arity : flags, is_8 ? 0 : arity);
}

static void put_tables(struct program *p)
{
    const uint32_t class = 0x14U << 26, definition = class | 0x30000;
    put_distance(p, TABLES);
    p->command += p->major == NET_11 ? 4 : 0;
    put_table(p, ORDER, class, 24);
    put_definition(p, RING, definition, 1);
    put_definition(p, NODE, definition, 1);
    put_definition(p, PAIR, definition, 2);
    for (unsigned at = ORDER; at < NODES; at += 0x20) {
        put_copy(p, at, 24);
        put_zeros(p, 8);
    }
    put_table(p, NODES, 0x18U << 26 | 0x20000, 24);
    put_copy(p, NODES, 8);
    put_link(p, 5, NODE_OF_ORDER);
    put_zeros(p, 16);
    /* With a flag that says in .NET 8 alone that something stands in front. */
    put_table(p, NODE_OF_ORDER, class | 0x2000000 | 0x1000000, 24);
    put_copy(p, NODE_OF_ORDER, 24);
    put_zeros(p, p->major == NET_8 ? 12 : 8);
    put_link(p, 4, NODE);
    put_link(p, 2, ORDER);
    put_zeros(p, p->major == NET_8 ? 4 : 8);
    put_table(p, PAIR_OF_BOTH, class | 0x2000000 | 0x140000, 24); /* 8 bytes more */
    put_copy(p, PAIR_OF_BOTH, 24);
    put_zeros(p, 16);
    put_link(p, 4, PAIR);
    put_link(p, 4, LISTS);
    put_table(p, MATRIX, 0x17U << 26 | 0x20000, 24 + 16);
    put_copy(p, MATRIX, 8);
    put_link(p, 3, ORDER);
    put_zeros(p, 16);
    put_table(p, STATICS, 0x1000000, 24);
    put_copy(p, STATICS, 8);
    put_link(p, 3, ORDER);
    put_zeros(p, 16);
    put(p->file + COMMANDS + p->command, ORDER - (COMMANDS + p->command), 4);
    if (p->major == NET_11)
        put(p->file + COMMANDS + 4, p->command, 4);
    put(p->file + LISTS, ORDER - LISTS, 4);
    put(p->file + LISTS + 4, NODES - (LISTS + 4), 4);
}

/* --- the file ---------------------------------------------------------------------- */

static void put_pointer(struct program *p, size_t at, unsigned value)
{
    unsigned char *r = p->file + RELOCATIONS + p->relocation;
    put(r, at, 8);
    put(r + 8, 8, 4); /* R_X86_64_RELATIVE */
    put(r + 16, value, 8);
    p->relocation += 24;
}

static void put_section(struct program *p, unsigned number, uint32_t id, unsigned start,
                        unsigned end)
{
    bool is_11 = p->major == NET_11;
    size_t at = HEADER + 16 + (is_11 ? 16 : 24) * number;
    put(p->file + at, id, 4);
    put_pointer(p, at + 8, start);
    if (is_11)
        put(p->file + at + 4, end - start, 4);
    else
        put_pointer(p, at + 16, end);
}

static void put_elf(struct program *p)
{
    static const unsigned char begin[] = "\177ELF\2\1\1";
    unsigned char *h = p->file;
    memcpy(h, begin, sizeof(begin));
    put(h + 18, 62, 2);
    put(h + 32, 64, 8);
    put(h + 54, 56, 2);
    put(h + 56, 2, 2);
    put(h + 64, 1, 4);
    put(h + 64 + 32, FILE_SIZE, 8);
    put(h + 64 + 40, 0x4000, 8);
    put(h + 120, 2, 4);
    put(h + 120 + 16, DYNAMIC, 8);
    put(h + 120 + 40, 48, 8);
    put(p->file + DYNAMIC, 7, 8);
    put(p->file + DYNAMIC + 8, RELOCATIONS, 8);
    put(p->file + DYNAMIC + 16, 8, 8);
    put(p->file + DYNAMIC + 24, p->relocation, 8);
}

static struct program *make_program_of(unsigned major)
{
    struct program *p = calloc(1, sizeof(*p));
    p->major = major;
    p->tag_bits = major < NET_10 ? 8 : 7;
    p->metadata = 1;
    uint32_t root = put_namespace(p, 1, 0x38, 0),
             acme = put_namespace(p, root, AOT_RECORD_NAMESPACE, put_string(p, "Acme")),
             shop = put_namespace(p, acme, AOT_RECORD_NAMESPACE, put_string(p, "My_Shop"));
    uint32_t records[4] = {put_type(p, shop, "Gr\303\266\303\237e", 0),
                           put_type(p, acme, "Ring`1", 0)};
    records[2] = put_type(p, acme, "Node", records[1]);
    records[3] = put_type(p, root, "Pair`2", 0);
    put_map(p, records, 4);
    put_tables(p);
    memcpy(p->file + HEADER, "RTR", 4);
    put(p->file + HEADER + 4, major, 2);
    put(p->file + HEADER + 12, 4, 2);
    p->file[HEADER + 14] = major == NET_11 ? 16 : 24;
    p->file[HEADER + 15] = 1;
    put_section(p, 0, 207, COMMANDS,
                COMMANDS + (unsigned)p->command + (major == NET_11 ? 4 : 0));
    put_section(p, 1, 301, MAP, MAP + 0x40);
    put_section(p, 2, 308, FIXUPS, FIXUPS + 16);
    put_section(p, 3, 313, METADATA, METADATA + (unsigned)p->metadata);
    put_elf(p);
    return p;
}

static struct program *make_program(void)
{
    return make_program_of(NET_10);
}

static struct bytes bytes_of(const struct program *p)
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
    expect_name(i, ORDER, "Acme.My_Shop.Gr\303\266\303\237e");
    expect_name(i, RING, "Acme.Ring`1");
    expect_name(i, NODE, "Acme.Ring`1+Node");
    expect_name(i, NODE_OF_ORDER, "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]]");
    expect_name(i, NODES, "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]");
    expect_name(i, PAIR_OF_BOTH,
                "Pair`2[[Acme.My_Shop.Gr\303\266\303\237e],"
                "[Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]]]");
    expect_name(i, MATRIX, "Acme.My_Shop.Gr\303\266\303\237e[,]");
    expect_name(i, STATICS, AOT_STATICS);
    expect_name(i, ORDER + 8, NULL);
    expect_name(i, ORDER + 4, NULL);
    expect_name(i, TABLES_END, NULL);
    expect_name(i, UINT64_MAX, NULL);
}

Test(aot_image, a_file_names_definitions_and_what_is_made_of_them)
{
    for (size_t k = 0; k < sizeof(majors) / sizeof(*majors); k++) {
        struct program *p = make_program_of(majors[k]);
        struct arena a = {0};
        struct aot_image i;
        cr_assert(aot_image_of_file(&i, bytes_of(p), &a), "%u", majors[k]);
        cr_expect_eq(i.major, majors[k]);
        cr_expect_eq(i.type_count, 4);
        expect_names(&i);
        arena_free(&a);
        free(p);
    }
}

/* A running program has made its tables, and its pointers are addresses. */
Test(aot_image, memory_names_the_same)
{
    const uint64_t base = 0x7f0000000000;
    struct program *p = make_program();
    struct arena a = {0};
    struct aot_image file, i;
    cr_assert(aot_image_of_file(&file, bytes_of(p), &a));
    uint64_t size = TABLES_END - TABLES;
    memcpy(p->tables, memory_at(file.memory, file.base + TABLES, size), size);
    static const unsigned pointers[] = {NODES + 8, MATRIX + 8, STATICS + 8};
    for (size_t k = 0; k < sizeof(pointers) / sizeof(*pointers); k++) {
        unsigned char *at = p->tables + pointers[k] - TABLES;
        put(at, le_u64(at) - file.base + base, 8);
    }
    for (size_t at = 0; at < p->relocation; at += 24) {
        const unsigned char *r = p->file + RELOCATIONS + at;
        put(p->file + le_u64(r), base + le_u64(r + 16), 8);
    }
    const struct memory_piece pieces[] = {{base, sizeof(p->file), p->file},
                                          {base + TABLES, size, p->tables}};
    const struct memory m = memory_of(pieces, 2, &a);
    cr_assert(aot_image_in_memory(&i, &m, base, base + FILE_SIZE, &a));
    expect_names(&i);
    cr_expect_not(aot_image_in_memory(&i, &m, base, base + HEADER, &a), "no header");
    arena_free(&a);
    free(p);
}

Test(aot_image, an_unknown_version_is_refused)
{
    struct program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    put(p->file + HEADER + 4, 17, 2);
    cr_expect_not(aot_image_of_file(&i, bytes_of(p), &a));
    arena_free(&a);
    free(p);
}

/* "Write 5 million zeros", in four bytes, again and again. */
Test(aot_image, few_commands_get_no_memory_without_end)
{
    struct program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    for (size_t at = COMMANDS + 4; at + 4 <= COMMANDS + p->command; at += 4)
        put(p->file + at, 0x505050f9, 4);
    cr_expect_not(aot_image_of_file(&i, bytes_of(p), &a));
    cr_expect_lt(a.size, 1 << 20);
    arena_free(&a);
    free(p);
}

/* A type that is made of itself has no name. */
Test(aot_image, circles_end)
{
    struct program *p = make_program();
    struct arena a = {0};
    struct aot_image i;
    put(p->file + LISTS, (uint64_t)PAIR_OF_BOTH - LISTS, 4);
    cr_assert(aot_image_of_file(&i, bytes_of(p), &a));
    expect_name(&i, PAIR_OF_BOTH, NULL);
    expect_name(&i, NODES, "Acme.Ring`1+Node[[Acme.My_Shop.Gr\303\266\303\237e]][]");
    arena_free(&a);
    free(p);
}

/* Under a sanitizer nothing is read that is not there; all else is up to the file. */
Test(aot_image, damage_is_survived)
{
    struct program *whole = make_program();
    unsigned char *copy = malloc(sizeof(whole->file));
    for (size_t at = 0; at < sizeof(whole->file); at++) {
        struct arena a = {0};
        struct aot_image i;
        struct text name = {0};
        memcpy(copy, whole->file, sizeof(whole->file));
        copy[at] ^= (unsigned char)(1 << at % 8 | 0x80);
        if (aot_image_of_file(&i, (struct bytes){copy, sizeof(whole->file)}, &a))
            for (uint64_t rva = TABLES; rva < TABLES_END; rva += 8)
                aot_image_name(&i, rva, &name);
        text_free(&name);
        arena_free(&a);
    }
    free(copy);
    free(whole);
}

Test(aot_image, any_part_of_a_file_is_survived)
{
    struct program *whole = make_program();
    for (size_t size = 0; size < sizeof(whole->file); size++) {
        unsigned char *copy = malloc(size > 0 ? size : 1);
        struct arena a = {0};
        struct aot_image i;
        struct text name = {0};
        memcpy(copy, whole->file, size);
        if (aot_image_of_file(&i, (struct bytes){copy, size}, &a))
            for (uint64_t rva = TABLES; rva < TABLES_END; rva += 8)
                aot_image_name(&i, rva, &name);
        text_free(&name);
        arena_free(&a);
        free(copy);
    }
    free(whole);
}
