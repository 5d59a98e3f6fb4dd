/* A PE image made by hand: headers, a directory of exports, and damaged ones. */
#include "base/arena.h"
#include "base/little_endian.h"
#include "clr/process/pe_image.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum {
    BASE = 0x10000,
    SIZE = 0x4000,
    SIGNATURE = 0x80,
    OPTIONAL = SIGNATURE + 24,
    SECTIONS = OPTIONAL + 240,
    EXPORTS = 0x1000,
    EXPORTS_SIZE = 0x2000,
    ADDRESSES = 0x1100,
    NAMES = 0x1800,
    NUMBERS = 0x2000,
    STRINGS = 0x2400,
    STRING = 8,
    COUNT = 200
};

struct made {
    unsigned char bytes[SIZE];
    struct memory_piece piece;
    struct memory memory;
    struct pe_image image;
};

static void put(struct made *m, size_t at, uint64_t value, size_t size)
{
    le_put(m->bytes + at, value, size);
}

/* name000 to name199, name n at 0x3800 + n. */
static void make(struct made *m)
{
    memset(m, 0, sizeof(*m));
    m->piece = (struct memory_piece){BASE, SIZE, m->bytes};
    m->memory = (struct memory){.all = &m->piece, .len = 1};
    memcpy(m->bytes, "MZ", 2);
    put(m, 0x3C, SIGNATURE, 4);
    memcpy(m->bytes + SIGNATURE, "PE\0\0", 4);
    put(m, SIGNATURE + 6, 1, 2);
    put(m, SIGNATURE + 20, 240, 2);
    put(m, OPTIONAL, 0x20B, 2);
    put(m, OPTIONAL + 112, EXPORTS, 4);
    put(m, OPTIONAL + 116, EXPORTS_SIZE, 4);
    put(m, EXPORTS + 20, COUNT, 4);
    put(m, EXPORTS + 24, COUNT, 4);
    put(m, EXPORTS + 28, ADDRESSES, 4);
    put(m, EXPORTS + 32, NAMES, 4);
    put(m, EXPORTS + 36, NUMBERS, 4);
    for (unsigned i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "name%03u", i);
        put(m, ADDRESSES + (size_t)4 * i, 0x3800 + i, 4);
        put(m, NAMES + (size_t)4 * i, STRINGS + (size_t)STRING * i, 4);
        put(m, NUMBERS + (size_t)2 * i, i, 2);
        memcpy(m->bytes + STRINGS + (size_t)STRING * i, name, STRING);
    }
    cr_assert(pe_image_at(&m->image, &m->memory, BASE));
}

Test(pe_image, finds_every_export_and_no_other)
{
    struct made m;
    make(&m);
    for (unsigned i = 0; i < COUNT; i++) {
        char name[32];
        snprintf(name, sizeof(name), "name%03u", i);
        cr_expect_eq(pe_export(&m.image, name), BASE + 0x3800 + i, "%s", name);
    }
    const char *none[] = {"", "name", "name2000", "name200", "name0000", "zzz", "aaa"};
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        cr_expect_eq(pe_export(&m.image, none[i]), 0, "%s", none[i]);
}

Test(pe_image, exports_of_another_library_are_ignored)
{
    struct made m;
    make(&m);
    put(&m, ADDRESSES + 4 * 7, EXPORTS + 0x1f00, 4); /* "other.function" */
    put(&m, ADDRESSES + 4 * 8, 0, 4);
    put(&m, NUMBERS + 2 * 9, COUNT, 2);
    put(&m, ADDRESSES + 4 * COUNT, 0x3900, 4);
    cr_expect_eq(pe_export(&m.image, "name007"), 0);
    cr_expect_eq(pe_export(&m.image, "name008"), 0);
    cr_expect_eq(pe_export(&m.image, "name009"), 0);
    cr_expect_eq(pe_export(&m.image, "name010"), BASE + 0x3800 + 10);
}

Test(pe_image, impossible_counts_and_offsets_find_nothing)
{
    static const size_t fields[] = {EXPORTS + 20,   EXPORTS + 24,   EXPORTS + 28,
                                    EXPORTS + 32,   EXPORTS + 36,   OPTIONAL + 112,
                                    OPTIONAL + 116, NAMES + 4 * 99, 0x3C};
    static const uint32_t values[] = {0, 1, 0x7fffffff, UINT32_MAX, SIZE - 1};
    struct made m;
    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) {
            make(&m);
            put(&m, fields[i], values[k], 4);
            if (pe_image_at(&m.image, &m.memory, BASE))
                pe_export(&m.image, "name099");
        }
    make(&m);
    put(&m, OPTIONAL + 112, 0, 4);
    cr_expect_eq(pe_export(&m.image, "name099"), 0);
    m.bytes[SIGNATURE] = 'N';
    cr_expect_not(pe_image_at(&m.image, &m.memory, BASE));
    cr_expect_not(pe_image_at(&m.image, &m.memory, BASE + SIZE));
}

Test(pe_image, offsets_in_the_file_depend_on_the_section)
{
    struct made m;
    uint32_t offset;
    make(&m);
    put(&m, SECTIONS + 8, 0x100, 4);
    put(&m, SECTIONS + 12, 0x2000, 4);
    put(&m, SECTIONS + 16, 0x200, 4);
    put(&m, SECTIONS + 20, 0x400, 4);
    cr_assert(pe_in_file(&m.image, 0x21ff, &offset));
    cr_expect_eq(offset, 0x5ff);
    cr_expect_not(pe_in_file(&m.image, 0x2200, &offset));
    cr_expect_not(pe_in_file(&m.image, 0x1fff, &offset));
}
