/* forge_aot.h - a native AOT program of a few types, with all data that their names are
 * read from, in the layout of each version of .NET. From docs/formats/native-aot.md; must
 * not share code with the reader. */
#ifndef FORGE_AOT_H
#define FORGE_AOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Layout of a program of one segment, whose method tables are made when it starts. */
enum {
    FORGED_AOT_SIZE = 0xc00,
    AT_DYNAMIC = 0x100,
    AT_RELOCATIONS = 0x180,
    AT_HEADER = 0x300,
    AT_MAP = 0x400,
    AT_FIXUPS = 0x480,
    AT_METADATA = 0x500,
    AT_COMMANDS = 0x800,
    AT_LISTS = 0xb00, /* of generic arguments */
    AT_TABLES = 0x3000,
    AT_ORDER = AT_TABLES,
    AT_RING = AT_TABLES + 0x20,
    AT_NODE = AT_TABLES + 0x40,
    AT_PAIR = AT_TABLES + 0x60,
    AT_NODES = AT_TABLES + 0x80, /* Node<Order>[] */
    AT_NODE_OF_ORDER = AT_TABLES + 0xa0,
    AT_PAIR_OF_BOTH = AT_TABLES + 0xd0,
    AT_MATRIX = AT_TABLES + 0x100, /* Order[,] */
    AT_STATICS = AT_TABLES + 0x120,
    AT_TABLES_END = AT_TABLES + 0x140
};

struct forged_program {
    unsigned char file[FORGED_AOT_SIZE], tables[AT_TABLES_END - AT_TABLES];
    size_t metadata, command, relocation;
    unsigned major, tag_bits;
};

/* Known versions, by the number in their header. */
enum { NET_8 = 9, NET_9 = 10, NET_10 = 16, NET_11 = 26 };
static const unsigned forged_majors[] = {NET_8, NET_9, NET_10, NET_11};

/* The caller frees it. major: one of the above. */
struct forged_program *forge_aot_program(unsigned major);

#endif
