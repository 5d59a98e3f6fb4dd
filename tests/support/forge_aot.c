#include "support/forge_aot.h"

#include "base/little_endian.h"
#include "clr/process/aot_image.h"

#include <stdlib.h>
#include <string.h>

static void put(unsigned char *at, uint64_t value, size_t size)
{
    le_put(at, value, size);
}

/* Always five bytes. */
static uint32_t put_packed(struct forged_program *p, const uint32_t *values, size_t count)
{
    size_t begin = p->metadata;
    for (size_t i = 0; i < count; i++) {
        p->file[AT_METADATA + p->metadata] = 0x0f;
        put(p->file + AT_METADATA + p->metadata + 1, values[i], 4);
        p->metadata += 5;
    }
    return (uint32_t)begin;
}

static uint32_t put_string(struct forged_program *p, const char *s)
{
    size_t begin = p->metadata, len = strlen(s);
    p->file[AT_METADATA + p->metadata] = (unsigned char)(len << 1);
    memcpy(p->file + AT_METADATA + p->metadata + 1, s, len);
    p->metadata += 1 + len;
    return (uint32_t)begin;
}

static uint32_t put_namespace(struct forged_program *p, uint32_t parent, unsigned kind,
                              uint32_t name)
{
    const uint32_t values[] = {parent << p->tag_bits | kind, name};
    return put_packed(p, values, 2);
}

static uint32_t put_type(struct forged_program *p, uint32_t space, const char *name,
                         uint32_t enclosing)
{
    const uint32_t values[] = {0x100001, 0, space, put_string(p, name), 0, 0, enclosing};
    return put_packed(p, values, 7);
}

/* The entries (number and handle) follow the map's only bucket (hash and offset). */
static void put_map(struct forged_program *p, const uint32_t *records, size_t count)
{
    unsigned char *map = p->file + AT_MAP;
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
        put(p->file + AT_FIXUPS + 4 * i, AT_ORDER + 0x20 * i - (AT_FIXUPS + 4 * i), 4);
    }
}

/* --- method tables ---------------------------------------------------------------- */

static void put_table(struct forged_program *p, unsigned at, uint32_t flags, uint32_t size)
{
    put(p->tables + at - AT_TABLES, flags, 4);
    put(p->tables + at - AT_TABLES + 4, size, 4);
}

static void put_copy(struct forged_program *p, unsigned at, unsigned size)
{
    p->file[AT_COMMANDS + p->command++] = (unsigned char)(size << 3);
    memcpy(p->file + AT_COMMANDS + p->command, p->tables + at - AT_TABLES, size);
    p->command += size;
}

static void put_zeros(struct forged_program *p, unsigned size)
{
    p->file[AT_COMMANDS + p->command++] = (unsigned char)(size << 3 | 1);
}

static void put_distance(struct forged_program *p, unsigned to)
{
    put(p->file + AT_COMMANDS + p->command, to - (AT_COMMANDS + p->command), 4);
    p->command += 4;
}

/* Commands 2 and 3 refer to data after all commands, 4 and 5 to the next bytes. */
static void put_link(struct forged_program *p, unsigned command, unsigned to)
{
    unsigned which = command >= 4 || to != AT_ORDER ? 1 : 0;
    p->file[AT_COMMANDS + p->command++] = (unsigned char)(which << 3 | command);
    if (command >= 4)
        put_distance(p, to);
}

/* The number of parameters replaces the size, in .NET 8 the flags. */
static void put_definition(struct forged_program *p, unsigned at, uint32_t flags,
                           uint32_t arity)
{
    bool is_8 = p->major == NET_8;
    put_table(p, at, is_8 ? flags | arity : flags, is_8 ? 0 : arity);
}

static void put_tables(struct forged_program *p)
{
    const uint32_t class = 0x14U << 26, definition = class | 0x30000;
    put_distance(p, AT_TABLES);
    p->command += p->major == NET_11 ? 4 : 0;
    put_table(p, AT_ORDER, class, 24);
    put_definition(p, AT_RING, definition, 1);
    put_definition(p, AT_NODE, definition, 1);
    put_definition(p, AT_PAIR, definition, 2);
    for (unsigned at = AT_ORDER; at < AT_NODES; at += 0x20) {
        put_copy(p, at, 24);
        put_zeros(p, 8);
    }
    put_table(p, AT_NODES, 0x18U << 26 | 0x20000, 24);
    put_copy(p, AT_NODES, 8);
    put_link(p, 5, AT_NODE_OF_ORDER);
    put_zeros(p, 16);
    /* The flag announces a field in front, in .NET 8 only. */
    put_table(p, AT_NODE_OF_ORDER, class | 0x2000000 | 0x1000000, 24);
    put_copy(p, AT_NODE_OF_ORDER, 24);
    put_zeros(p, p->major == NET_8 ? 12 : 8);
    put_link(p, 4, AT_NODE);
    put_link(p, 2, AT_ORDER);
    put_zeros(p, p->major == NET_8 ? 4 : 8);
    put_table(p, AT_PAIR_OF_BOTH, class | 0x2000000 | 0x140000, 24); /* 8 bytes more */
    put_copy(p, AT_PAIR_OF_BOTH, 24);
    put_zeros(p, 16);
    put_link(p, 4, AT_PAIR);
    put_link(p, 4, AT_LISTS);
    put_table(p, AT_MATRIX, 0x17U << 26 | 0x20000, 24 + 16);
    put_copy(p, AT_MATRIX, 8);
    put_link(p, 3, AT_ORDER);
    put_zeros(p, 16);
    put_table(p, AT_STATICS, 0x1000000, 24);
    put_copy(p, AT_STATICS, 8);
    put_link(p, 3, AT_ORDER);
    put_zeros(p, 16);
    put(p->file + AT_COMMANDS + p->command, AT_ORDER - (AT_COMMANDS + p->command), 4);
    if (p->major == NET_11)
        put(p->file + AT_COMMANDS + 4, p->command, 4);
    put(p->file + AT_LISTS, AT_ORDER - AT_LISTS, 4);
    put(p->file + AT_LISTS + 4, AT_NODES - (AT_LISTS + 4), 4);
}

/* --- the file ---------------------------------------------------------------------- */

static void put_pointer(struct forged_program *p, size_t at, unsigned value)
{
    unsigned char *r = p->file + AT_RELOCATIONS + p->relocation;
    put(r, at, 8);
    put(r + 8, 8, 4); /* R_X86_64_RELATIVE */
    put(r + 16, value, 8);
    p->relocation += 24;
}

static void put_section(struct forged_program *p, unsigned number, uint32_t id,
                        unsigned start, unsigned end)
{
    bool is_11 = p->major == NET_11;
    size_t at = AT_HEADER + 16 + (is_11 ? 16 : 24) * number;
    put(p->file + at, id, 4);
    put_pointer(p, at + 8, start);
    if (is_11)
        put(p->file + at + 4, end - start, 4);
    else
        put_pointer(p, at + 16, end);
}

static void put_elf(struct forged_program *p)
{
    static const unsigned char begin[] = "\177ELF\2\1\1";
    unsigned char *h = p->file;
    memcpy(h, begin, sizeof(begin));
    put(h + 18, 62, 2);
    put(h + 32, 64, 8);
    put(h + 54, 56, 2);
    put(h + 56, 2, 2);
    put(h + 64, 1, 4);
    put(h + 64 + 32, FORGED_AOT_SIZE, 8);
    put(h + 64 + 40, 0x4000, 8);
    put(h + 120, 2, 4);
    put(h + 120 + 16, AT_DYNAMIC, 8);
    put(h + 120 + 40, 48, 8);
    put(p->file + AT_DYNAMIC, 7, 8);
    put(p->file + AT_DYNAMIC + 8, AT_RELOCATIONS, 8);
    put(p->file + AT_DYNAMIC + 16, 8, 8);
    put(p->file + AT_DYNAMIC + 24, p->relocation, 8);
}

struct forged_program *forge_aot_program(unsigned major)
{
    struct forged_program *p = calloc(1, sizeof(*p));
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
    memcpy(p->file + AT_HEADER, "RTR", 4);
    put(p->file + AT_HEADER + 4, major, 2);
    put(p->file + AT_HEADER + 12, 4, 2);
    p->file[AT_HEADER + 14] = major == NET_11 ? 16 : 24;
    p->file[AT_HEADER + 15] = 1;
    put_section(p, 0, 207, AT_COMMANDS,
                AT_COMMANDS + (unsigned)p->command + (major == NET_11 ? 4 : 0));
    put_section(p, 1, 301, AT_MAP, AT_MAP + 0x40);
    put_section(p, 2, 308, AT_FIXUPS, AT_FIXUPS + 16);
    put_section(p, 3, 313, AT_METADATA, AT_METADATA + (unsigned)p->metadata);
    put_elf(p);
    return p;
}
