/* Lines of source code, from forged modules and symbols. */
#include "clr/clr.h"
#include "support/forge_symbols.h"
#include "support/scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { METHOD = 0x06000000, CART_ADD = METHOD + 1, CART_CLEAR, LINE_SUM, ELSEWHERE, LATER };

static const unsigned char id[FORGED_ID] = "0123456789abcdef\x11\x22\x33\x44";
static const unsigned char other_id[FORGED_ID] = "0123456789abcdef\x11\x22\x33\x45";

static struct scratch scratch;
static struct text module, symbols;
static int dll = -1;

/* Shop.Cart with two methods, and Shop.Cart+Line`1 with two. */
static void forge_module(void)
{
    struct metadata_forge f = {0};
    forge_type_def(&f, "", "<Module>");
    uint32_t cart = forge_type_def(&f, "Shop", "Cart");
    forge_method(&f, "Add");
    forge_method(&f, "Clear");
    uint32_t line = forge_type_def(&f, "", "Line`1");
    forge_method(&f, "Sum");
    forge_method(&f, "Elsewhere");
    forge_method(&f, "Later");
    forge_nested(&f, line, cart);
    forge_image(&module, forge_metadata_bytes(&f), false);
    forge_metadata_free(&f);
}

/* Add has lines 10, 12 to 14, none, 11; Clear none; Sum none, 300, 90, 100000, 1; Elsewhere
 * is in two files, and has the code of Later. */
static void forge_pdb(uint32_t methods)
{
    struct metadata_forge f = {.other_methods = methods};
    struct forged_points p;
    forge_symbols_id(&f, id);
    uint32_t cart =
        forge_document(&f, '/', (const char *const[]){"", "src", "Cart.cs", NULL});
    uint32_t part =
        forge_document(&f, '\0', (const char *const[]){"C:\\src\\Part.cs", NULL});
    forge_points_begin(&p, 0);
    forge_point(&p, 0, 10, 0);
    forge_point(&p, 5, 12, 2);
    forge_hidden_point(&p, 9);
    forge_point(&p, 200, 11, 0);
    forge_method_points(&f, cart, &p);
    forge_points_begin(&p, 0);
    forge_method_points(&f, cart, &p);
    forge_points_begin(&p, 0);
    forge_hidden_point(&p, 0);
    forge_point(&p, 3, 300, 0);
    forge_point(&p, 5, 90, 0);
    forge_point(&p, 6, 100000, 0);
    forge_point(&p, 8, 1, 0);
    forge_method_points(&f, cart, &p);
    forge_points_begin(&p, part);
    forge_point(&p, 0, 7, 0);
    forge_points_document(&p, cart);
    forge_point(&p, 4, 70, 0);
    forge_method_points(&f, 0, &p);
    const uint32_t none[FORGED_COLUMNS] = {0};
    forge_metadata_row(&f, 0x31, none);
    forge_metadata_row(&f, 0x33, none); /* a local variable */
    forge_state_machine(&f, ELSEWHERE - METHOD, LATER - METHOD);
    forge_state_machine(&f, LINE_SUM - METHOD, 1);
    struct bytes all = forge_metadata_bytes(&f);
    text_add(&symbols, all.data, all.size);
    forge_metadata_free(&f);
}

static void begin(void)
{
    scratch_open(&scratch);
    module = symbols = (struct text){0};
    forge_module();
    forge_pdb(5);
}

static void end(void)
{
    text_free(&module);
    text_free(&symbols);
    scratch_remove(&scratch);
}

TestSuite(sequence_points, .init = begin, .fini = end);

static int file_of(const char *name, const struct text *content)
{
    return open(scratch_file(&scratch, name, content->data, content->len),
                O_RDONLY | O_CLOEXEC);
}

/* The module is open until the next call. */
static struct clr_source *open_source(bool has_file)
{
    if (dll >= 0)
        close(dll);
    dll = file_of("Shop.dll", &module);
    int pdb = has_file ? file_of("Shop.pdb", &symbols) : -1;
    struct clr_source *s = clr_source_open(dll, pdb);
    if (pdb >= 0)
        close(pdb);
    return s;
}

static void expect_line(const struct clr_source *s, uint32_t token, uint32_t offset,
                        const char *file, uint32_t line)
{
    struct clr_line found;
    const struct clr_instruction at = {token, offset, 0};
    bool has_it = clr_source_line(s, &at, &found);
    cr_expect_eq(has_it, file != NULL, "%x %u", (unsigned)token, (unsigned)offset);
    if (!has_it || file == NULL)
        return;
    cr_expect(found.file.size == strlen(file) &&
                  memcmp(found.file.data, file, found.file.size) == 0,
              "%x %u: %.*s", (unsigned)token, (unsigned)offset, (int)found.file.size,
              (const char *)found.file.data);
    cr_expect_eq(found.line, line, "%x %u: line %u", (unsigned)token, (unsigned)offset,
                 (unsigned)found.line);
}

static void expect_all_lines(const struct clr_source *s)
{
    cr_assert_not_null(s);
    expect_line(s, CART_ADD, 0, "Cart.cs", 10);
    expect_line(s, CART_ADD, 4, "Cart.cs", 10);
    expect_line(s, CART_ADD, 5, "Cart.cs", 12);
    expect_line(s, CART_ADD, 9, "Cart.cs", 12);
    expect_line(s, CART_ADD, 199, "Cart.cs", 12);
    expect_line(s, CART_ADD, 5000, "Cart.cs", 11);
    expect_line(s, CART_ADD, CLR_NO_OFFSET, "Cart.cs", 0);
    expect_line(s, CART_CLEAR, 0, NULL, 0);
    expect_line(s, LINE_SUM, 0, "Cart.cs", 300);
    expect_line(s, LINE_SUM, 4, "Cart.cs", 300);
    expect_line(s, LINE_SUM, 5, "Cart.cs", 90);
    expect_line(s, LINE_SUM, 7, "Cart.cs", 100000);
    expect_line(s, LINE_SUM, 9, "Cart.cs", 1);
    expect_line(s, ELSEWHERE, 3, "Part.cs", 7);
    expect_line(s, ELSEWHERE, 4, "Cart.cs", 70);
    expect_line(s, ELSEWHERE, CLR_NO_OFFSET, "Part.cs", 0);
    expect_line(s, LATER, 100, "Part.cs", 7);
    expect_line(s, LATER, CLR_NO_OFFSET, "Part.cs", 0);
    expect_line(s, LATER + 1, 0, NULL, 0);
    expect_line(s, METHOD, 0, NULL, 0);
    expect_line(s, 0x0A000001, 0, NULL, 0);
}

Test(sequence_points, a_line_is_that_of_the_last_visible_point_at_or_before)
{
    forge_debug_directory(&module, id, (struct bytes){0});
    struct clr_source *s = open_source(true);
    expect_all_lines(s);
    clr_source_free(s);
}

Test(sequence_points, a_module_of_many_methods_makes_the_numbers_of_symbols_wider)
{
    text_clear(&symbols);
    forge_pdb(0x10000);
    forge_debug_directory(&module, id, (struct bytes){0});
    struct clr_source *s = open_source(true);
    expect_all_lines(s);
    clr_source_free(s);
}

Test(sequence_points, symbols_may_be_part_of_the_module)
{
    forge_debug_directory(&module, id,
                          (struct bytes){(unsigned char *)symbols.data, symbols.len});
    struct clr_source *s = open_source(false);
    expect_all_lines(s);
    clr_source_free(s);
}

Test(sequence_points, symbols_of_another_build_are_ignored_and_embedded_ones_are_read)
{
    struct bytes inside = {(unsigned char *)symbols.data, symbols.len};
    struct text before = {0};
    text_add(&before, module.data, module.len);
    forge_debug_directory(&module, other_id, (struct bytes){0});
    struct clr_source *s = open_source(true);
    cr_assert_not_null(s);
    expect_line(s, CART_ADD, 0, NULL, 0);
    clr_source_free(s);

    text_free(&module);
    module = before;
    forge_debug_directory(&module, id, inside);
    memcpy(symbols.data, "JUNK", 4);
    s = open_source(true);
    expect_line(s, CART_ADD, 0, "Cart.cs", 10);
    clr_source_free(s);
}

Test(sequence_points, a_module_without_symbols_has_methods)
{
    struct clr_source *s = open_source(false);
    cr_assert_not_null(s);
    expect_line(s, CART_ADD, 0, NULL, 0);
    cr_expect(clr_source_has(s, CART_ADD, "Shop.Cart", "Add"));
    cr_expect(clr_source_has(s, LINE_SUM, "Shop.Cart+Line`1[System.__Canon]", "Sum"));
    cr_expect_not(clr_source_has(s, CART_ADD, "Shop.Cart", "Clear"), "another name");
    cr_expect_not(clr_source_has(s, CART_ADD, "Shop.List", "Add"), "another type");
    cr_expect_not(clr_source_has(s, LINE_SUM, "Package.Handler`1[Shop.Line`1]", "Sum"));
    cr_expect_not(clr_source_has(s, METHOD, "Shop.Cart", "Add"), "no row");
    cr_expect_not(clr_source_has(s, METHOD + 6, "Shop.Cart", ""), "no row");
    cr_expect_not(clr_source_has(s, 0x0A000001, "Shop.Cart", "Add"), "another table");
    cr_expect_not(clr_source_has(s, CART_ADD, "", "Add"));
    clr_source_free(s);
}

Test(sequence_points, a_file_that_is_not_a_module_is_ignored)
{
    module.len = 0;
    cr_expect_null(open_source(true));
    text_add_string(&module, "MZ");
    cr_expect_null(open_source(true));
}

/* symbols/Cart.cs, built by the SDK of .NET 10 with -c Release -p:DebugType=embedded. */
Test(sequence_points, symbols_of_the_sdk_have_the_lines_of_the_source)
{
    dll = open("tests/clr/managed/symbols/Cart.dll", O_RDONLY | O_CLOEXEC);
    struct clr_source *s = clr_source_open(dll, -1);
    cr_assert_not_null(s);
    cr_expect(clr_source_has(s, METHOD + 1, "Shop.Cart", "Add"));
    expect_line(s, METHOD + 1, 0, "Cart.cs", 8);
    expect_line(s, METHOD + 1, 4, "Cart.cs", 9);
    expect_line(s, METHOD + 1, 9, "Cart.cs", 9);
    expect_line(s, METHOD + 1, 10, "Cart.cs", 10);
    cr_expect(clr_source_has(s, METHOD + 2, "Shop.Cart", "AddAsync"));
    expect_line(s, METHOD + 2, 20, "Cart.cs", 15);
    cr_expect(clr_source_has(s, METHOD + 4, "Shop.Cart+<AddAsync>d__1", "MoveNext"));
    expect_line(s, METHOD + 4, 0, "Cart.cs", 15);
    expect_line(s, METHOD + 4, 200, "Cart.cs", 17);
    clr_source_free(s);
}

/* Its code: ldarg.1, ldc.i4.1, ble.s 10, 4: newobj, ret, 10: ldarg.1, newarr, ret. */
Test(sequence_points, the_first_allocation_before_another_offset_counts_or_no_line)
{
    static const struct {
        struct clr_instruction at;
        uint32_t line;
    } cases[] = {
        {{METHOD + 1, 0, 4}, 0},      {{METHOD + 1, 0, 5}, 9},
        {{METHOD + 1, 4, 9999}, 9},   {{METHOD + 1, 5, 11}, 0},
        {{METHOD + 1, 5, 12}, 10},    {{METHOD + 1, 12, 9999}, 0},
        {{METHOD + 1, 9999, 10}, 10}, {{METHOD + 1, CLR_NO_OFFSET, 9}, 0},
        {{METHOD + 2, 0, 9999}, 15},
    };
    dll = open("tests/clr/managed/symbols/Cart.dll", O_RDONLY | O_CLOEXEC);
    struct clr_source *s = clr_source_open(dll, -1);
    struct clr_line line;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        cr_assert(clr_source_line(s, &cases[i].at, &line));
        cr_expect_eq(line.line, cases[i].line, "%zu: line %u", i, (unsigned)line.line);
    }
    clr_source_free(s);
}

/* Opcodes that do not allocate, and the sizes of their operands (III.3 and 4). */
static const struct {
    unsigned char opcode[2], size;
} instructions[] = {
    {{0x00}, 0},       {{0x02}, 0},       {{0x0E}, 1},       {{0x13}, 1},
    {{0x14}, 0},       {{0x1F}, 1},       {{0x20}, 4},       {{0x21}, 8},
    {{0x22}, 4},       {{0x23}, 8},       {{0x25}, 0},       {{0x28}, 4},
    {{0x29}, 4},       {{0x2A}, 0},       {{0x2B}, 1},       {{0x2C}, 1},
    {{0x37}, 1},       {{0x38}, 4},       {{0x44}, 4},       {{0x58}, 0},
    {{0x6F}, 4},       {{0x72}, 4},       {{0x74}, 4},       {{0x75}, 4},
    {{0x79}, 4},       {{0x7A}, 0},       {{0x7B}, 4},       {{0x80}, 4},
    {{0x81}, 4},       {{0x8E}, 0},       {{0x8F}, 4},       {{0xA3}, 4},
    {{0xA5}, 4},       {{0xC6}, 4},       {{0xD0}, 4},       {{0xDD}, 4},
    {{0xDE}, 1},       {{0xFE, 0x01}, 0}, {{0xFE, 0x06}, 4}, {{0xFE, 0x07}, 4},
    {{0xFE, 0x09}, 2}, {{0xFE, 0x0E}, 2}, {{0xFE, 0x12}, 1}, {{0xFE, 0x15}, 4},
    {{0xFE, 0x16}, 4}, {{0xFE, 0x1A}, 0}, {{0xFE, 0x1C}, 4},
};

enum { NEWARR = 0x8D };

/* All of these, with operands that look like an allocation; a switch; and an allocation. */
static uint32_t forge_code(struct text *to)
{
    for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++) {
        text_add(to, instructions[i].opcode, instructions[i].opcode[0] == 0xFE ? 2 : 1);
        for (int n = 0; n < instructions[i].size; n++)
            text_add_char(to, (char)NEWARR);
    }
    text_add(to, "\x45\2\0\0\0", 5);
    for (int n = 0; n < 8; n++)
        text_add_char(to, (char)NEWARR);
    uint32_t at = (uint32_t)to->len;
    text_add_char(to, (char)NEWARR);
    return at;
}

Test(sequence_points, an_operand_is_not_an_allocation)
{
    enum { SECTION = 0x2000, ROOT = 0x48, HEAD = 12, FAT = 3 };
    struct text code = {0};
    struct clr_line line;
    uint32_t at = forge_code(&code), place = 0;
    /* The code follows the metadata, which has its address. */
    for (int round = 0; round < 2; round++) {
        struct metadata_forge f = {0};
        forge_type_def(&f, "Shop", "Cart");
        const uint32_t row[FORGED_COLUMNS] = {place, 0, 0, forge_string(&f, "Add")};
        forge_metadata_row(&f, 0x06, row);
        struct bytes all = forge_metadata_bytes(&f);
        place = SECTION + ROOT + (uint32_t)all.size;
        text_clear(&module);
        forge_image(&module, all, false);
        forge_metadata_free(&f);
    }
    for (int i = 0; i < HEAD; i++)
        text_add_char(&module, i == 0 ? FAT : i == 4 ? (char)code.len : '\0');
    text_add(&module, code.data, code.len);
    forge_debug_directory(&module, id, (struct bytes){0});

    struct metadata_forge f = {.other_methods = 1};
    struct forged_points p;
    forge_symbols_id(&f, id);
    uint32_t cart = forge_document(&f, '/', (const char *const[]){"Cart.cs", NULL});
    forge_points_begin(&p, 0);
    forge_point(&p, 0, 10, 0);
    forge_point(&p, 1, 11, 0);
    forge_point(&p, at, 20, 0);
    forge_method_points(&f, cart, &p);
    struct bytes all = forge_metadata_bytes(&f);
    text_clear(&symbols);
    text_add(&symbols, all.data, all.size);
    forge_metadata_free(&f);

    struct clr_source *s = open_source(true);
    cr_assert(clr_source_line(s, &(struct clr_instruction){CART_ADD, 0, at + 1}, &line));
    cr_expect_eq(line.line, 20, "line %u", (unsigned)line.line);
    cr_assert(clr_source_line(s, &(struct clr_instruction){CART_ADD, 0, at}, &line));
    cr_expect_eq(line.line, 10, "line %u", (unsigned)line.line);
    clr_source_free(s);
    text_free(&code);
}

/* --- damage -------------------------------------------------------------------------- */

/* Asks all questions; the answers do not matter. */
static void ask_all(const struct clr_source *s)
{
    struct clr_line line;
    for (uint32_t token = METHOD; s != NULL && token <= METHOD + 6; token++) {
        clr_source_has(s, token, "Shop.Cart", "Add");
        for (uint32_t offset = 0; offset < 12; offset += 3)
            clr_source_line(s, &(struct clr_instruction){token, offset, 9}, &line);
        clr_source_line(s, &(struct clr_instruction){token, CLR_NO_OFFSET, 0}, &line);
    }
}

static void try_damage(struct text *damaged, bool has_file)
{
    static const unsigned char values[] = {0x00, 0x01, 0x7F, 0x80, 0xC0, 0xFF};
    size_t len = damaged->len;
    for (damaged->len = 0; damaged->len < len; damaged->len += 7) {
        struct clr_source *s = open_source(has_file);
        ask_all(s);
        clr_source_free(s);
    }
    damaged->len = len;
    for (size_t i = 0; i < len; i++) {
        char before = damaged->data[i];
        damaged->data[i] = (char)values[i % sizeof(values)];
        struct clr_source *s = open_source(has_file);
        ask_all(s);
        clr_source_free(s);
        damaged->data[i] = before;
    }
}

Test(sequence_points, damaged_symbols_are_survived)
{
    forge_debug_directory(&module, id, (struct bytes){0});
    try_damage(&symbols, true);
}

Test(sequence_points, damaged_modules_are_survived)
{
    forge_debug_directory(&module, id,
                          (struct bytes){(unsigned char *)symbols.data, symbols.len});
    try_damage(&module, false);
}

Test(sequence_points, damaged_code_is_survived)
{
    char block[4096];
    ssize_t n;
    dll = open("tests/clr/managed/symbols/Cart.dll", O_RDONLY | O_CLOEXEC);
    text_clear(&module);
    while ((n = read(dll, block, sizeof(block))) > 0)
        text_add(&module, block, (size_t)n);
    /* Headers, code and metadata, without the symbols after them. */
    module.len = module.len < 0xA00 ? module.len : 0xA00;
    try_damage(&module, false);
}

/* A few bytes with a large declared size. */
Test(sequence_points, symbols_of_another_size_than_declared_are_ignored)
{
    static const uint32_t sizes[] = {0, 1, 1 << 20, 1 << 30, UINT32_MAX};
    forge_debug_directory(&module, id,
                          (struct bytes){(unsigned char *)symbols.data, symbols.len});
    size_t at = 0;
    while (memcmp(module.data + at, "MPDB", 4) != 0)
        at++;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        for (int b = 0; b < 4; b++)
            module.data[at + 4 + (size_t)b] = (char)(sizes[i] >> 8 * b);
        struct clr_source *s = open_source(false);
        cr_assert_not_null(s);
        expect_line(s, CART_ADD, 0, NULL, 0);
        clr_source_free(s);
    }
}
