#include "clr/process/elf_image.h"
#include "support/forge_core.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096 };

static const struct forged_runtime described = {.json = "{\"types\":{}}"};

Test(elf_image, finds_symbols_of_a_file_wherever_it_is_laid_out)
{
    static const uint64_t bases[] = {0, 0x7f0000000000};
    struct text library = {0};
    forge_core_library(&library, &described);
    struct bytes file = {(const unsigned char *)library.data, library.len};
    for (size_t i = 0; i < 2; i++) {
        struct arena a = {0};
        struct memory m;
        struct elf_image e;
        cr_assert(elf_image_of_file(&e, &m, file, bases[i], &a));
        cr_expect_eq(elf_symbol(&e, "g_dacTable").address, bases[i] + 0x4000);
        cr_expect_eq(elf_symbol(&e, "g_dacTable").size, 0x1000);
        cr_expect_eq(elf_symbol(&e, "DotNetRuntimeContractDescriptor").address,
                     bases[i] + 0x3200);
        cr_expect_eq(elf_symbol(&e, "g_dacTabl").address, 0);
        cr_expect_eq(elf_symbol(&e, "").address, 0);
        bool ok = true;
        cr_expect_eq(elf_pointer(&e, bases[i] + 0x3210, &ok), bases[i] + 0x1800);
        cr_expect(ok);
        cr_expect_eq(elf_pointer(&e, bases[i] + 0x3211, &ok), 0);
        cr_expect_not(ok);
        struct bytes id = elf_build_id(&e, bases[i]);
        cr_expect(id.size == 8 && memcmp(id.data, "\1\2\3\4\5\6\7\10", 8) == 0);
        arena_free(&a);
    }
    text_free(&library);
}

Test(elf_image, reads_read_only_parts_from_a_file)
{
    struct text library = {0};
    struct memory_piece pieces[MAX_IMAGE_SEGMENTS];
    forge_core_library(&library, &described);
    struct bytes file = {(const unsigned char *)library.data, library.len};
    cr_assert_eq(elf_constant_pieces(file, 0x500000, pieces), 1);
    cr_expect_eq(pieces[0].address, 0x500000);
    cr_expect_eq(pieces[0].size, FORGED_LIBRARY_DATA);
    text_free(&library);
}

/* In memory of exactly this size, for sanitizers. */
static void try_cut(const struct text *library, size_t size)
{
    unsigned char *copy = malloc(size > 0 ? size : 1);
    struct arena a = {0};
    struct memory m;
    struct elf_image e;
    memcpy(copy, library->data, size);
    if (elf_image_of_file(&e, &m, (struct bytes){copy, size}, 0x10000, &a)) {
        bool ok = true;
        elf_symbol(&e, "g_dacTable");
        elf_pointer(&e, 0x13210, &ok);
        elf_build_id(&e, 0x10000);
    }
    arena_free(&a);
    free(copy);
}

Test(elf_image, survives_files_that_are_cut)
{
    struct text library = {0};
    forge_core_library(&library, &described);
    for (size_t size = 0; size < 0x300; size++)
        try_cut(&library, size);
    for (size_t size = 0x300; size < library.len; size += 61)
        try_cut(&library, size);
    text_free(&library);
}

/* An endless bucket of symbols, a table of relocations as large as memory. */
Test(elf_image, ends_where_counts_do_not)
{
    struct text library = {0};
    struct arena a = {0};
    struct memory m;
    struct elf_image e;
    bool ok = true;
    forge_core_library(&library, &described);
    memset(library.data + 0x1000 + 28, 0, 8);
    memset(library.data + FORGED_LIBRARY_DATA + 4 * 16 + 8, 0xff, 8);
    struct bytes file = {(const unsigned char *)library.data, library.len};
    cr_assert(elf_image_of_file(&e, &m, file, 0, &a));
    cr_expect_eq(elf_symbol(&e, "g_dacTable").address, 0);
    elf_pointer(&e, 1, &ok);
    cr_expect_not(ok);
    arena_free(&a);
    text_free(&library);
}

/* --- what a library may say otherwise ---------------------------------------------- */

/* First offset of these 8 bytes. */
static size_t place_of(const struct text *library, uint64_t value)
{
    for (size_t at = 0; at + 8 <= library->len; at += 4)
        if (le_u64((const unsigned char *)library->data + at) == value)
            return at;
    cr_assert_fail("no %llx", (unsigned long long)value);
    return 0;
}

static void put(struct text *library, size_t at, uint64_t value, size_t size)
{
    cr_assert_leq(at + size, library->len);
    le_put((unsigned char *)library->data + at, value, size);
}

/* The image of a library with one number changed; must not outlive the library's bytes. */
struct changed {
    struct text library;
    struct arena a;
    struct memory m;
    struct elf_image e;
};

static void open_changed(struct changed *c, size_t at, uint64_t value, size_t size)
{
    put(&c->library, at, value, size);
    struct bytes file = {(const unsigned char *)c->library.data, c->library.len};
    cr_assert(elf_image_of_file(&c->e, &c->m, file, 0x10000, &c->a));
}

static void close_changed(struct changed *c)
{
    arena_free(&c->a);
    text_free(&c->library);
}

enum { NOTE = FORGED_LIBRARY_BUILD_ID - 16, HASH_TABLE = 0x1000 };

Test(elf_image, has_the_build_id_of_one_note_only)
{
    static const struct {
        size_t at, size;
        uint64_t value;
        size_t id; /* its bytes */
    } cases[] = {
        {NOTE, 4, 4, 8},
        {NOTE + 4, 4, 5, 5},
        {NOTE + 4, 4, 0, 0},
        {NOTE + 4, 4, UINT32_MAX, 0},
        {NOTE, 4, UINT32_MAX, 0},
        {NOTE, 4, 3, 0},
        {NOTE + 8, 4, 1, 0},
        {NOTE + 12, 4, 0x554e47, 8}, /* "GNU" */
        {NOTE + 12, 4, 0x554e48, 0},
        {NOTE + 4, 4, 1U << 20, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct changed c = {0};
        forge_core_library(&c.library, &described);
        open_changed(&c, cases[i].at, cases[i].value, cases[i].size);
        cr_expect_eq(elf_build_id(&c.e, 0x10000).size, cases[i].id, "case %zu: %zu", i,
                     elf_build_id(&c.e, 0x10000).size);
        close_changed(&c);
    }
}

/* Missing tables, buckets without a target, symbols of other modules. */
Test(elf_image, finds_no_symbol_by_tables_that_cannot_be)
{
    enum { FILTER = HASH_TABLE + 8 };
    struct text library = {0};
    forge_core_library(&library, &described);
    size_t symbol = place_of(&library, 0x4000) - 8; /* symbol of g_dacTable */
    while (le_u64((unsigned char *)library.data + symbol + 16) != 0x1000)
        symbol += 4;
    uint32_t filter = le_u32((unsigned char *)library.data + FILTER);
    const struct {
        size_t at, size;
        uint64_t value;
    } cases[] = {
        {HASH_TABLE, 4, 0},                   /* no buckets */
        {HASH_TABLE + 4, 4, 1000},            /* all refer to symbols below the first */
        {HASH_TABLE + 8, 4, UINT32_MAX},      /* the filter ends beyond the memory */
        {HASH_TABLE + 16 + 8 * filter, 4, 0}, /* an empty bucket */
        {symbol + 6, 2, 0},                   /* undefined symbol */
        {symbol, 4, UINT32_MAX},              /* its name is at an invalid address */
        {symbol, 4, 0},                       /* or another one */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct changed c = {0};
        forge_core_library(&c.library, &described);
        open_changed(&c, cases[i].at, cases[i].value, cases[i].size);
        cr_expect_eq(elf_symbol(&c.e, "g_dacTable").address, 0, "case %zu", i);
        char longer[100] = "";
        memset(longer, 'x', sizeof(longer) - 1);
        cr_expect_eq(elf_symbol(&c.e, longer).address, 0);
        close_changed(&c);
    }
    text_free(&library);
}

Test(elf_image, takes_pointers_from_relative_relocations_only)
{
    struct changed c = {0};
    bool ok = true;
    forge_core_library(&c.library, &described);
    size_t entry = place_of(&c.library, 0x3210);
    open_changed(&c, entry + 8, 1, 4); /* R_X86_64_64 */
    cr_expect_eq(elf_pointer(&c.e, 0x10000 + 0x3210, &ok), 0);
    cr_expect_not(ok);
    close_changed(&c);
}

/* Each processor has its own numbers of relocations. */
Test(elf_image, knows_relocations_by_the_processor)
{
    static const struct {
        uint16_t machine;
        uint32_t relative;
        bool is_pointer;
    } cases[] = {{MACHINE_X86_64, 8, true},
                 {MACHINE_X86_64, 1027, false},
                 {MACHINE_AARCH64, 1027, true},
                 {MACHINE_AARCH64, 8, false},
                 {243, 1027, false},
                 {243, 8, false}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct changed c = {0};
        bool ok = true;
        forge_core_library(&c.library, &described);
        size_t entry = place_of(&c.library, 0x3210);
        le_put((unsigned char *)c.library.data + 18, cases[i].machine, 2);
        open_changed(&c, entry + 8, cases[i].relative, 4);
        elf_pointer(&c.e, 0x10000 + 0x3210, &ok);
        cr_expect_eq(ok, cases[i].is_pointer, "case %zu", i);
        close_changed(&c);
    }
}

Test(elf_image, is_invalid_without_a_table_of_segments)
{
    enum { CLASS = 4, SEGMENTS = 32, SEGMENT_COUNT = 56 };
    static const struct {
        size_t at, size;
        uint64_t value;
    } cases[] = {
        {0, 1, 'E'},           {CLASS, 1, 1},
        {CLASS + 1, 1, 2},     {SEGMENTS, 8, UINT64_MAX},
        {SEGMENTS, 8, 0x5fff}, {SEGMENT_COUNT, 2, MAX_IMAGE_SEGMENTS + 1},
        {SEGMENT_COUNT, 2, 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text library = {0};
        struct arena a = {0};
        struct memory m;
        struct elf_image e;
        struct memory_piece pieces[MAX_IMAGE_SEGMENTS];
        forge_core_library(&library, &described);
        put(&library, cases[i].at, cases[i].value, cases[i].size);
        struct bytes file = {(const unsigned char *)library.data, library.len};
        cr_expect_not(elf_image_of_file(&e, &m, file, 0x10000, &a), "case %zu", i);
        cr_expect_eq(elf_constant_pieces(file, 0x10000, pieces), 0);
        arena_free(&a);
        text_free(&library);
    }
}
