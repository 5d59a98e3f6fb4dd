#include "clr/managed/metadata.h"

#include "base/arena.h"
#include "support/forge_metadata.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct metadata_forge forge;
static struct arena arena;
static struct metadata m;

static void begin(void)
{
    forge = (struct metadata_forge){0};
    arena = (struct arena){0};
}

static void end(void)
{
    forge_metadata_free(&forge);
    arena_free(&arena);
}

TestSuite(metadata, .init = begin, .fini = end);

static void open_it(void)
{
    struct bytes all = forge_metadata_bytes(&forge);
    cr_assert(
        metadata_open(&m, &(struct memory_piece){0, all.size, all.data}, NULL, &arena));
}

/* <Module>, Shop.Store with two fields, Shop.Store+Inner with one, an enum. */
static void make_shop(void)
{
    forge_type_def(&forge, "", "<Module>");
    forge_type_def(&forge, "Shop", "Store");
    forge_field(&forge, "s_items", "\x06\x1C", 2);
    forge_field(&forge, "_number", "\x06\x08", 2);
    forge_type_def(&forge, "", "Inner");
    forge_field(&forge, "value", "\x06\x0E", 2);
    forge_type_def(&forge, "Shop", "Level");
    forge_field(&forge, "value__", "\x06\x05", 2);
    uint32_t low = forge_field(&forge, "Low", "\x06\x11\x10", 3);
    uint32_t high = forge_field(&forge, "High", "\x06\x11\x10", 3);
    forge_nested(&forge, 3, 2);
    forge_constant(&forge, low, 0x04, 0xFF, 1);
    forge_constant(&forge, high, 0x05, 0xFF, 1);
    uint32_t outer = forge_type_ref(&forge, 2, "System", "Outer");
    forge_type_ref(&forge, outer << 2 | 3, "", "Nested");
    forge_attribute(&forge, 4, "System", "FlagsAttribute");
}

static void expect_shop(void)
{
    struct bytes value;
    uint64_t number;
    uint32_t first;
    cr_expect_str_eq(metadata_type_name(&m, 1).name, "<Module>");
    cr_expect_str_eq(metadata_type_name(&m, 2).space, "Shop");
    cr_expect_str_eq(metadata_type_name(&m, 2).name, "Store");
    cr_expect_str_eq(metadata_type_name(&m, 3).name, "Inner");
    cr_expect_eq(metadata_outer(&m, 3), 2);
    cr_expect_eq(metadata_outer(&m, 2), 0);
    cr_expect_eq(metadata_fields(&m, 2, &first), 3);
    cr_expect_eq(first, 1);
    cr_expect_str_eq(metadata_field_name(&m, 2), "_number");
    cr_expect_eq(metadata_field_signature(&m, 2).size, 2);
    cr_expect_eq(metadata_field_signature(&m, 2).data[1], 0x08);
    cr_expect_eq(metadata_fields(&m, 4, &first), m.tables[METADATA_FIELD].count + 1);
    cr_expect(metadata_constant(&m, 5, &number));
    cr_expect_eq(number, UINT64_MAX, "signed ones are extended");
    cr_expect(metadata_constant(&m, 6, &number));
    cr_expect_eq(number, 0xFF);
    cr_expect_not(metadata_constant(&m, 4, &number));
    cr_expect_str_eq(metadata_ref_name(&m, 2).name, "Nested");
    cr_expect_eq(metadata_ref_outer(&m, 2), 1);
    cr_expect_eq(metadata_ref_outer(&m, 1), 0);
    cr_expect(metadata_has_attribute(&m, 4, "System", "FlagsAttribute", &value));
    cr_expect_eq(value.size, 4);
    cr_expect_not(metadata_has_attribute(&m, 2, "System", "FlagsAttribute", &value));
    cr_expect_not(metadata_has_attribute(&m, 4, "System", "Flags", &value));
}

Test(metadata, narrow_heaps_and_tables)
{
    make_shop();
    open_it();
    expect_shop();
}

Test(metadata, wide_heaps)
{
    forge.wide_heaps = true;
    make_shop();
    open_it();
    expect_shop();
}

Test(metadata, four_bytes_in_front_of_the_tables)
{
    forge.extra_data = true;
    make_shop();
    open_it();
    expect_shop();
}

/* The widths of an index, and of one into several tables: 16 bits, minus those of the tag.
 */
Test(metadata, wide_tables)
{
    static const struct {
        unsigned table;
        uint32_t rows;
    } cases[] = {{0x01, 0x3FFF}, {0x01, 0x4000},  {0x04, 0x3FFF}, {0x04, 0x4000},
                 {0x04, 0xFFFF}, {0x04, 0x10000}, {0x06, 0x7FF},  {0x06, 0x800},
                 {0x06, 0x1FFF}, {0x06, 0x2000},  {0x23, 0x4000}, {0x02, 0x10000},
                 {0x0A, 0x2000}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        make_shop();
        uint32_t there = forge.tables[cases[i].table].count;
        forge_rows(&forge, cases[i].table, cases[i].rows - there);
        open_it();
        if (cases[i].table != 0x02 && cases[i].table != 0x06)
            expect_shop();
        cr_expect_str_eq(metadata_type_name(&m, 3).name, "Inner");
        cr_expect_eq(metadata_outer(&m, 3), 2, "table %x, %u rows", cases[i].table,
                     (unsigned)cases[i].rows);
        forge_metadata_free(&forge);
    }
}

/* Reflection.Emit, edit and continue: "#-", and unsorted tables. */
Test(metadata, tables_out_of_order_and_fields_by_pointers)
{
    forge.name = "#-";
    for (int i = 0; i < 5; i++)
        forge_type_def(&forge, "", i % 2 ? "Odd" : "Even");
    forge_nested(&forge, 5, 1);
    forge_nested(&forge, 3, 2);
    forge_nested(&forge, 4, 3);
    forge_type_def(&forge, "", "WithFields");
    forge_metadata_row(&forge, 0x03, (const uint32_t[FORGED_COLUMNS]){2});
    forge_metadata_row(&forge, 0x03, (const uint32_t[FORGED_COLUMNS]){1});
    forge_field(&forge, "b", "\x06\x08", 2);
    forge_field(&forge, "a", "\x06\x08", 2);
    open_it();
    cr_expect_eq(metadata_outer(&m, 3), 2);
    cr_expect_eq(metadata_outer(&m, 4), 3);
    cr_expect_eq(metadata_outer(&m, 5), 1);
    cr_expect_eq(metadata_outer(&m, 2), 0);
    uint32_t first;
    cr_expect_eq(metadata_fields(&m, 6, &first), 3);
    cr_expect_str_eq(metadata_field_name(&m, metadata_field(&m, first)), "a");
}

Test(metadata, rows_that_are_not_there_are_empty)
{
    make_shop();
    open_it();
    uint32_t first;
    uint64_t value;
    struct bytes blob;
    for (uint32_t row = 0; row < 3; row++) {
        uint32_t n = row == 0 ? 0 : row == 1 ? 1000 : UINT32_MAX;
        cr_expect_str_eq(metadata_type_name(&m, n).name, "");
        cr_expect_str_eq(metadata_ref_name(&m, n).space, "");
        cr_expect_str_eq(metadata_field_name(&m, n), "");
        cr_expect_eq(metadata_field_signature(&m, n).size, 0);
        cr_expect_eq(metadata_outer(&m, n), 0);
        cr_expect_eq(metadata_ref_outer(&m, n), 0);
        cr_expect_leq(metadata_fields(&m, n, &first), m.tables[METADATA_FIELD].count + 1);
        metadata_constant(&m, n, &value);
        cr_expect_not(metadata_has_attribute(&m, n, "System", "FlagsAttribute", &blob));
    }
}

Test(metadata, compressed_numbers)
{
    static const struct {
        const char *bytes;
        size_t size;
        uint32_t number;
        bool ok;
    } cases[] = {{"\x03", 1, 3, true},
                 {"\x7F", 1, 0x7F, true},
                 {"\x80\x80", 2, 0x80, true},
                 {"\xAE\x57", 2, 0x2E57, true},
                 {"\xBF\xFF", 2, 0x3FFF, true},
                 {"\xC0\x00\x40\x00", 4, 0x4000, true},
                 {"\xDF\xFF\xFF\xFF", 4, 0x1FFFFFFF, true},
                 {"", 0, 0, false},
                 {"\x80", 1, 0, false},
                 {"\xC0\x00\x40", 3, 0, false},
                 {"\xE0\x00\x00\x00", 4, 0, false},
                 {"\xFF", 1, 0, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct bytes b = {(const unsigned char *)cases[i].bytes, cases[i].size};
        uint32_t number;
        size_t at = 0;
        cr_expect_eq(metadata_number(b, &at, &number), cases[i].ok, "%zu", i);
        cr_expect_eq(number, cases[i].number, "%zu: %u", i, (unsigned)number);
        cr_expect_eq(at, cases[i].size, "%zu", i);
    }
    uint32_t row;
    cr_expect_eq(metadata_type_token(0x49, &row), METADATA_TYPE_REF);
    cr_expect_eq(row, 0x12);
    cr_expect_eq(metadata_type_token(3, &row), METADATA_TABLES);
}

/* --- images ----------------------------------------------------------------------------
 */

static struct bytes found_in(const struct text *image, size_t cut)
{
    struct memory_piece pieces[] = {
        {0x10000, cut, (const unsigned char *)image->data},
        {0x10000 + cut, image->len - cut, (const unsigned char *)image->data + cut}};
    /* Adjacent in memory, but not in the file: copied. */
    unsigned char *second = malloc(pieces[1].size + 1);
    memcpy(second, pieces[1].bytes, pieces[1].size);
    pieces[1].bytes = second;
    struct memory memory = memory_of(pieces, 2, &arena);
    struct memory_piece found = metadata_of_image(&memory, 0x10000, 1 << 20, &arena);
    cr_expect_null(metadata_of_image(&memory, 0x10001, 1 << 20, &arena).bytes);
    cr_expect_null(metadata_of_image(&memory, 0x10000, 8, &arena).bytes, "too large");
    unsigned char *copy = arena_alloc(&arena, found.size + 1);
    if (found.bytes != NULL)
        memcpy(copy, found.bytes, found.size);
    free(second);
    return (struct bytes){found.bytes != NULL ? copy : NULL, found.size};
}

Test(metadata, images_mapped_flat_and_in_pieces)
{
    make_shop();
    struct bytes blob = forge_metadata_bytes(&forge);
    for (int mapped = 0; mapped < 2; mapped++) {
        struct text image = {0};
        forge_image(&image, blob, mapped);
        size_t cuts[] = {image.len, image.len - 100, image.len - blob.size + 3};
        for (int i = 0; i < 3; i++) {
            struct bytes found = found_in(&image, cuts[i]);
            if (i == 2) {
                cr_expect_null(found.data, "the root itself is in pieces");
                continue;
            }
            cr_assert_eq(found.size, blob.size);
            cr_expect_arr_eq(found.data, blob.data, blob.size);
        }
        text_free(&image);
    }
}

/* --- damage ----------------------------------------------------------------------------
 */

/* Asks all questions; the answers do not matter. */
static void ask_all(void)
{
    struct bytes value;
    uint64_t number;
    uint32_t first;
    for (uint32_t row = 0; row < 12; row++) {
        metadata_type_name(&m, row);
        metadata_ref_name(&m, row);
        metadata_outer(&m, row);
        metadata_ref_outer(&m, row);
        metadata_fields(&m, row, &first);
        metadata_field(&m, row);
        metadata_field_name(&m, row);
        metadata_field_signature(&m, row);
        metadata_constant(&m, row, &number);
        metadata_has_attribute(&m, row, "System", "FlagsAttribute", &value);
    }
}

/* In memory of its own, so that a sanitizer reports reads outside. */
static void ask_about(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    memcpy(copy, bytes, size);
    copy = realloc(copy, size > 0 ? size : 1);
    if (metadata_open(&m, &(struct memory_piece){0, size, copy}, NULL, &arena))
        ask_all();
    free(copy);
}

Test(metadata, damage_and_cuts_read_nothing_outside)
{
    make_shop();
    struct bytes blob = forge_metadata_bytes(&forge);
    unsigned char *damaged = malloc(blob.size);
    for (size_t i = 0; i < blob.size; i++) {
        static const unsigned char flips[] = {0x01, 0x80, 0xFF};
        ask_about(blob.data, i);
        for (size_t n = 0; n < sizeof(flips); n++) {
            memcpy(damaged, blob.data, blob.size);
            damaged[i] ^= flips[n];
            ask_about(damaged, blob.size);
        }
    }
    free(damaged);
}
