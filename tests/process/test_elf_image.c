#include "process/elf_image.h"
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
        cr_expect_eq(elf_pointer(&e, bases[i] + 0x3210, &ok), bases[i] + 0x2000);
        cr_expect(ok);
        cr_expect_eq(elf_pointer(&e, bases[i] + 0x3211, &ok), 0);
        cr_expect_not(ok);
        struct bytes id = elf_build_id(&e, bases[i]);
        cr_expect(id.size == 8 && memcmp(id.data, "\1\2\3\4\5\6\7\10", 8) == 0);
        arena_free(&a);
    }
    text_free(&library);
}

Test(elf_image, takes_from_a_file_what_nobody_writes_to)
{
    struct text library = {0};
    struct memory_piece pieces[ELF_SEGMENTS];
    forge_core_library(&library, &described);
    struct bytes file = {(const unsigned char *)library.data, library.len};
    cr_assert_eq(elf_constant_pieces(file, 0x500000, pieces), 1);
    cr_expect_eq(pieces[0].address, 0x500000);
    cr_expect_eq(pieces[0].size, FORGED_LIBRARY_DATA);
    text_free(&library);
}

/* Like a sanitizer's: memory of exactly that size. */
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

/* A bucket of symbols without an end, a table of relocations as large as memory. */
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
