#include "base/little_endian.h"
#include "clr/process/opened.h"
#include "clr/process/process_image.h"
#include "support/scratch.h"

#include <stdlib.h>

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(core_file, .init = open_scratch, .fini = remove_scratch);

enum { PAGE = 4096 };

/* --- recognition --------------------------------------------------------------------- */

Test(core_file, is_recognised_in_either_byte_order)
{
    static const char little[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0",
                      big[] = "\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4",
                      program[] = "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0";
    cr_expect(core_file_is((struct bytes){(const unsigned char *)little, 18}));
    cr_expect(core_file_is((struct bytes){(const unsigned char *)big, 18}));
    cr_expect_not(core_file_is((struct bytes){(const unsigned char *)program, 18}));
    cr_expect_not(core_file_is((struct bytes){(const unsigned char *)little, 17}));
    cr_expect_not(core_file_is((struct bytes){NULL, 0}));
}

Test(core_file, from_another_machine_is_refused_by_name)
{
    struct core_forge f = {.machine = 243};
    expect_refused(&f, HD_UNSUPPORTED,
                   "a core dump of RISC-V; only those of x86-64 and aarch64 can be read;");
    f.machine = 3;
    expect_refused(&f, HD_UNSUPPORTED, "a core dump of x86 (32 bits)");
    f.machine = 999;
    expect_refused(&f, HD_UNSUPPORTED, "an unknown machine (999)");
    static const unsigned char big[64] = "\177ELF\2\2\1\0\0\0\0\0\0\0\0\0\0\4\0\267";
    struct process_image image;
    struct arena a = {0};
    struct hd_error err = {0};
    cr_assert_not(core_file_open(&image, (struct bytes){big, sizeof(big)}, &a, &err));
    cr_expect(strstr(err.message, "of aarch64 with the highest byte first;") != NULL, "%s",
              err.message);
    arena_free(&a);
}

/* --- memory -------------------------------------------------------------------------- */

Test(core_file, has_the_memory_of_its_segments)
{
    struct core_forge f = {0};
    bool ok = true;
    forge_core_region(&f, 0x20000, PAGE);
    forge_core_region(&f, 0x10000, PAGE);
    forge_core_put(&f, 0x10ff8, 0x1122334455667788, 8);
    struct opened o = open_core(&f);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(memory_u64(&o.image.memory, 0x10ff8, &ok), 0x1122334455667788);
    cr_expect_eq(memory_u64(&o.image.memory, 0x20000, &ok), 0);
    cr_expect(ok);
    cr_expect_eq(memory_from(&o.image.memory, 0x11000).size, 0);
    cr_expect_eq(o.image.lost, 0);
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, may_have_more_segments_than_its_header_can_count)
{
    struct core_forge f = {.many_segments = true};
    forge_core_region(&f, 0x10000, PAGE);
    struct opened o = open_core(&f);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(memory_from(&o.image.memory, 0x10000).size, PAGE);
    close_core(&o);
    forge_core_free(&f);
}

/* The address of a member of a segment's header. */
static unsigned char *in_segment(struct core_forge *f, size_t i, size_t member)
{
    return (unsigned char *)f->core.data + 64 + i * 56 + member;
}

static struct bytes core_of(const struct core_forge *f)
{
    return (struct bytes){(const unsigned char *)f->core.data, f->core.len};
}

/* p_memsz beyond p_filesz: not in the dump. */
Test(core_file, does_not_make_up_what_was_not_dumped)
{
    struct core_forge f = {0};
    forge_core_region(&f, 0x10000, PAGE);
    forge_core_bytes(&f);
    le_put(in_segment(&f, 1, 40), 4 * PAGE, 8);
    struct opened o = open_bytes(core_of(&f));
    cr_expect_eq(memory_from(&o.image.memory, 0x10000).size, PAGE);
    cr_expect_eq(o.image.lost, 0);
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, that_is_cut_has_what_is_left)
{
    struct core_forge f = {0};
    forge_core_region(&f, 0x10000, PAGE);
    forge_core_region(&f, 0x20000, PAGE);
    struct bytes core = forge_core_bytes(&f);
    core.size -= PAGE + 96;
    struct opened o = open_bytes(core);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(memory_from(&o.image.memory, 0x10000).size, PAGE - 96);
    cr_expect_eq(memory_from(&o.image.memory, 0x20000).size, 0);
    cr_expect_eq(o.image.lost, PAGE + 96);
    cr_expect_eq(o.image.cut_at, core.size);
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, truncated_in_its_headers_reports_the_position)
{
    struct core_forge f = {.many_segments = true};
    forge_core_region(&f, 0x10000, PAGE);
    struct bytes core = forge_core_bytes(&f);
    static const size_t sizes[] = {18, 63, 64, 127, 128, 128 + 56, 128 + 111};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct opened o = open_bytes((struct bytes){core.data, sizes[i]});
        cr_expect_not(o.ok, "%zu", sizes[i]);
        cr_expect_eq(o.err.status, HD_BAD_FORMAT);
        cr_expect_eq(o.err.at, sizes[i]);
        close_core(&o);
    }
    forge_core_free(&f);
}

/* A sparse file is large enough for them. */
Test(core_file, with_too_many_segments_is_refused)
{
    struct core_forge f = {.many_segments = true};
    forge_core_bytes(&f);
    le_put((unsigned char *)f.core.data + 64 + 44, UINT32_MAX, 4);
    struct opened o = open_bytes(core_of(&f));
    cr_expect_not(o.ok);
    cr_expect_eq(o.err.status, HD_BAD_FORMAT);
    cr_expect_not_null(strstr(o.err.message, "4294967295 segments"));
    close_core(&o);
    forge_core_free(&f);
}

/* Otherwise a few bytes could be terabytes of heap. */
Test(core_file, with_overlapping_segments_is_refused)
{
    struct core_forge f = {0};
    for (uint64_t i = 1; i <= 16; i++)
        forge_core_region(&f, i << 16, PAGE);
    forge_core_bytes(&f);
    for (size_t i = 1; i <= 16; i++) {
        le_put(in_segment(&f, i, 8), 0, 8);
        le_put(in_segment(&f, i, 32), f.core.len, 8);
    }
    struct opened o = open_bytes(core_of(&f));
    cr_expect_not(o.ok);
    cr_expect_eq(o.err.status, HD_BAD_FORMAT);
    close_core(&o);
    forge_core_free(&f);
}

/* --- notes --------------------------------------------------------------------------- */

Test(core_file, has_threads_program_and_mappings)
{
    struct core_forge f = {.pid = 4711, .name = "shop", .command = "dotnet shop.dll "};
    f.program_headers = 0x400040;
    forge_core_thread(&f, 4711, 0x7ffe0000, 0x7f01);
    forge_core_thread(&f, 4712, 0x7ffd0000, 0x7f02);
    forge_core_mapping(&f, 0x500000, 0x501000, PAGE, "/app/b");
    forge_core_mapping(&f, 0x400000, 0x402000, 0, "/app/a");
    struct opened o = open_core(&f);
    const struct process_image *p = &o.image;
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(p->pid, 4711);
    cr_expect_str_eq(p->name, "shop");
    cr_expect_str_eq(p->command, "dotnet shop.dll");
    cr_expect_eq(p->program_headers, 0x400040);
    cr_assert_eq(p->thread_count, 2);
    cr_expect_eq(p->threads[1].id, 4712);
    cr_expect_eq(p->threads[1].registers[p->processor->stack_pointer], 0x7ffd0000);
    cr_expect_eq(p->threads[0].thread_pointer, 0x7f01);
    cr_assert_eq(p->mapping_count, 2);
    cr_expect_str_eq(p->mappings[0].path, "/app/a");
    cr_expect_eq(p->mappings[1].offset, PAGE);
    cr_expect_eq(image_mapping_at(p, 0x401fff), &p->mappings[0]);
    cr_expect_eq(image_mapping_at(p, 0x402000), NULL);
    cr_expect_eq(image_mapping_at(p, 0x500000), &p->mappings[1]);
    cr_expect_eq(image_mapping_at(p, 0), NULL);
    close_core(&o);
    forge_core_free(&f);
}

/* user_pt_regs, and a separate note for the thread pointer, which not every tool writes. */
Test(core_file, from_aarch64_has_other_registers)
{
    struct core_forge f = {.machine = MACHINE_AARCH64, .page = 0x10000};
    forge_core_thread(&f, 4711, 0x7ffe0000, 0);
    forge_core_thread(&f, 4712, 0x7ffd0000, 0x7f02);
    forge_core_thread(&f, 4713, 0x7ffc0000, 0);
    struct opened o = open_core(&f);
    const struct process_image *p = &o.image;
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_str_eq(p->processor->name, "aarch64");
    cr_expect_eq(p->page, 0x10000);
    cr_assert_eq(p->thread_count, 3);
    for (size_t i = 0; i < 3; i++) {
        cr_expect_eq(p->threads[i].registers[31], 0x7ffe0000 - i * 0x10000);
        cr_expect_eq(p->threads[i].thread_pointer, i == 1 ? 0x7f02 : 0);
    }
    close_core(&o);
    /* The registers of x86-64 are too short. */
    f.machine = MACHINE_X86_64;
    struct bytes core = forge_core_bytes(&f);
    ((unsigned char *)core.data)[18] = MACHINE_AARCH64;
    struct process_image image;
    struct arena a = {0};
    cr_assert(core_file_open(&image, core, &a, NULL));
    cr_expect_eq(image.thread_count, 0);
    process_image_close(&image);
    arena_free(&a);
    forge_core_free(&f);
}

Test(core_file, keeps_mappings_apart)
{
    struct core_forge f = {0};
    forge_core_mapping(&f, 0x1000, 0x9000, 0, "/a");
    forge_core_mapping(&f, 0x3000, 0x4000, 0, "/b");
    forge_core_mapping(&f, 0x3000, 0x3000, 0, "/c");
    forge_core_mapping(&f, 0x8000, 0x7000, 0, "/d");
    struct opened o = open_core(&f);
    cr_assert_eq(o.image.mapping_count, 2);
    cr_expect_eq(o.image.mappings[0].end, 0x3000);
    cr_expect_str_eq(o.image.mappings[1].path, "/b");
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, without_notes_is_memory_alone)
{
    struct core_forge f = {0};
    forge_core_region(&f, 0x10000, PAGE);
    forge_core_bytes(&f);
    le_put(in_segment(&f, 0, 32), 0, 8);
    struct opened o = open_bytes(core_of(&f));
    cr_assert(o.ok);
    cr_expect_eq(o.image.pid, HD_UNKNOWN);
    cr_expect_eq(o.image.mapping_count, 0);
    cr_expect_eq(o.image.thread_count, 0);
    cr_expect_eq(memory_from(&o.image.memory, 0x10000).size, PAGE);
    close_core(&o);
    forge_core_free(&f);
}

/* --- files on disk ------------------------------------------------------------------- */

/* An assembly of some different pages. */
static void make_assembly(unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i / PAGE * 31 + i % 251);
    memcpy(bytes, "MZ", 2);
}

enum { ASSEMBLY = 4 * PAGE - 100 };

struct assembly {
    unsigned char bytes[4 * PAGE];
    const char *path;
};

static struct assembly write_assembly(const char *name)
{
    struct assembly a = {.path = NULL};
    make_assembly(a.bytes, ASSEMBLY);
    a.path = scratch_file(&scratch, name, a.bytes, ASSEMBLY);
    return a;
}

/* Mapped at 0x100000; the dump has only this page. */
static void forge_mapped(struct core_forge *f, const struct assembly *a, const char *path,
                         uint64_t page)
{
    *f = (struct core_forge){0};
    forge_core_mapping(f, 0x100000, 0x100000 + 4 * PAGE, 0, path);
    if (page >= 4)
        return;
    forge_core_region(f, 0x100000 + page * PAGE, PAGE);
    forge_core_put_bytes(f, 0x100000 + page * PAGE, a->bytes + page * PAGE, PAGE);
}

static void expect_file(struct core_forge *f, enum image_file_state state)
{
    struct opened o = open_core(f);
    bool ok = true;
    cr_assert_eq(o.image.file_count, 1);
    cr_expect_eq(o.image.files[0].state, state);
    uint8_t byte = memory_u8(&o.image.memory, 0x100000 + 2 * PAGE + 7, &ok);
    cr_expect_eq(ok, state >= IMAGE_FILE_LIKELY);
    cr_expect(!ok || byte == 229);
    cr_expect_eq(image_file_at(&o.image, 0x100000) != NULL, ok);
    close_core(&o);
    forge_core_free(f);
}

/* A kernel with pages of 64 KiB maps this much of a file of 16. A page size of 1 TiB is not
 * trusted. */
Test(core_file, with_large_pages_maps_more_than_the_file)
{
    static const struct {
        uint64_t page, end;
        bool fits;
    } cases[] = {{0x10000, 0x110000, true},
                 {0x4000, 0x104000, true},
                 {0, 0x110000, false},
                 {0x1000, 0x110000, false},
                 {0x10000, 0x104000, false},
                 {0x3000, 0x106000, false},
                 {UINT64_C(1) << 40, 0x110000, false}};
    struct assembly a = write_assembly("shop.dll");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct core_forge f = {.machine = MACHINE_AARCH64, .page = cases[i].page};
        forge_core_mapping(&f, 0x100000, cases[i].end, 0, a.path);
        expect_file(&f, cases[i].fits ? IMAGE_FILE_LIKELY : IMAGE_FILE_DIFFERENT);
    }
}

Test(core_file, is_completed_by_the_files_that_were_mapped)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    for (uint64_t page = 0; page < 4; page++) {
        forge_mapped(&f, &a, a.path, page);
        if (page != 2)
            expect_file(&f, IMAGE_FILE_SAME);
        forge_core_free(&f);
    }
    forge_mapped(&f, &a, a.path, 4);
    expect_file(&f, IMAGE_FILE_LIKELY);
}

Test(core_file, ends_a_file_where_it_ends)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    forge_mapped(&f, &a, a.path, 0);
    struct opened o = open_core(&f);
    cr_expect_eq(memory_from(&o.image.memory, 0x100000 + PAGE).size, ASSEMBLY - PAGE);
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, is_not_completed_by_other_files)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    forge_mapped(&f, &a, a.path, 0);
    forge_core_put(&f, 0x100088, 0, 8);
    expect_file(&f, IMAGE_FILE_DIFFERENT);
    forge_mapped(&f, &a, a.path, 4);
    f.mappings[0].end += PAGE;
    expect_file(&f, IMAGE_FILE_DIFFERENT);
    forge_mapped(&f, &a, "/nowhere/shop.dll", 0);
    expect_file(&f, IMAGE_FILE_MISSING);
    forge_mapped(&f, &a, scratch_folder(&scratch, "folder"), 0);
    expect_file(&f, IMAGE_FILE_MISSING);
    forge_mapped(&f, &a, "/dev/zero", 0);
    expect_file(&f, IMAGE_FILE_MISSING);
    a.path = scratch_file(&scratch, "secret", a.bytes + 2, ASSEMBLY - 2);
    forge_mapped(&f, &a, a.path, 4);
    expect_file(&f, IMAGE_FILE_DIFFERENT);
}

Test(core_file, trusts_a_deleted_file_by_its_contents_only)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    struct arena names = {0};
    const char *gone = arena_printf(&names, "%s (deleted)", a.path);
    forge_mapped(&f, &a, gone, 0);
    expect_file(&f, IMAGE_FILE_SAME);
    forge_mapped(&f, &a, gone, 4);
    expect_file(&f, IMAGE_FILE_DIFFERENT);
    arena_free(&names);
}

/* Bytes in the dump take precedence over the file. */
Test(core_file, believes_the_dump_more_than_the_file)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    bool ok = true;
    forge_mapped(&f, &a, a.path, 0);
    forge_core_region(&f, 0x100000 + 2 * PAGE, PAGE);
    struct opened o = open_core(&f);
    cr_expect_eq(memory_u8(&o.image.memory, 0x100000 + 2 * PAGE + 7, &ok), 0);
    cr_expect_eq(memory_u8(&o.image.memory, 0x100000 + PAGE + 7, &ok), 118);
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, lists_missing_assemblies)
{
    struct core_forge f = {0};
    struct assembly a = write_assembly("shop.dll");
    forge_core_mapping(&f, 0x100000, 0x100000 + 4 * PAGE, 0, a.path);
    forge_core_mapping(&f, 0x200000, 0x200000 + PAGE, 0, "/nowhere/libfast.so");
    struct opened o = open_core(&f);
    cr_expect_null(mapped_files_lacking(&o.image, &o.a));
    close_core(&o);
    forge_core_mapping(&f, 0x300000, 0x300000 + PAGE, 0, "/nowhere/b.dll");
    o = open_core(&f);
    cr_expect_str_eq(mapped_files_lacking(&o.image, &o.a), "/nowhere/b.dll");
    close_core(&o);
    forge_core_mapping(&f, 0x280000, 0x280000 + PAGE, 0, "/nowhere/a.dll");
    o = open_core(&f);
    cr_expect_str_eq(mapped_files_lacking(&o.image, &o.a), "/nowhere/a.dll and others");
    close_core(&o);
    forge_core_free(&f);
}

Test(core_file, does_not_look_for_relative_paths)
{
    struct core_forge f;
    struct assembly a = write_assembly("shop.dll");
    forge_mapped(&f, &a, "shop.dll", 4);
    struct opened o = open_core(&f);
    cr_expect_eq(o.image.file_count, 0);
    close_core(&o);
    forge_core_free(&f);
}
