#include "base/little_endian.h"
#include "clr/process/opened.h"
#include "clr/process/process_image.h"
#include "support/forge_minidump.h"

#include <stdlib.h>

enum { PAGE = 4096 };

static struct opened open_dump(struct minidump_forge *f)
{
    return open_bytes(forge_minidump_bytes(f));
}

/* Expects bytes changed by hand to be rejected; frees f. */
static void expect_bytes_refused(struct minidump_forge *f, enum hd_status status,
                                 const char *why)
{
    struct opened o =
        open_bytes((struct bytes){(const unsigned char *)f->dump.data, f->dump.len});
    find_runtime(&o);
    cr_expect_not(o.ok, "%s", why);
    cr_expect_eq(o.err.status, status, "%s", o.err.message);
    cr_expect(strstr(o.err.message, why) != NULL, "%s: %s", why, o.err.message);
    cr_expect(strlen(o.err.message) < sizeof(o.err.message) - 1, "%s: cut", why);
    close_core(&o);
    forge_minidump_free(f);
}

static void expect_dump_refused(struct minidump_forge *f, enum hd_status status,
                                const char *why)
{
    forge_minidump_bytes(f);
    expect_bytes_refused(f, status, why);
}

static void patch(struct minidump_forge *f, size_t at, uint64_t value, size_t size)
{
    cr_assert(at + size <= f->dump.len);
    le_put((unsigned char *)f->dump.data + at, value, size);
}

/* A runtime with one object. */
static void forge_usual(struct minidump_forge *f, const struct forged_runtime *how)
{
    forge_minidump_runtime(f, how);
    forge_core_object(&f->process, 2, forge_core_type(&f->process, 24, 0), 24);
}

static void expect_runtime(struct minidump_forge *f, const char *version,
                           const char *described_by)
{
    struct opened o = open_dump(f);
    find_runtime(&o);
    cr_assert(o.ok, "%s: %s", version, o.err.message);
    cr_expect_str_eq(o.runtime.version, version);
    cr_expect_str_eq(o.runtime.described_by, described_by);
    cr_expect_eq(o.runtime.free_object, f->process.free_type);
    close_core(&o);
    forge_minidump_free(f);
}

/* --- what is in it ------------------------------------------------------------------- */

Test(minidump, is_recognised_by_its_first_bytes)
{
    cr_expect(minidump_is((struct bytes){(const unsigned char *)"MDMP\x93\xA7", 6}));
    cr_expect_not(minidump_is((struct bytes){(const unsigned char *)"MDMP\x93\xA7", 5}));
    cr_expect_not(minidump_is((struct bytes){(const unsigned char *)"MDMP\x94\xA7", 6}));
    cr_expect_not(minidump_is((struct bytes){NULL, 0}));
}

Test(minidump, has_memory_of_either_list)
{
    for (int is_list = 0; is_list < 2; is_list++) {
        struct minidump_forge f = {.is_list = is_list};
        bool ok = true;
        forge_core_region(&f.process, 0x20000, PAGE);
        forge_core_region(&f.process, 0x10000, PAGE);
        forge_core_put(&f.process, 0x10ff8, 0x1122334455667788, 8);
        struct opened o = open_dump(&f);
        cr_assert(o.ok, "%s", o.err.message);
        cr_expect_eq(memory_u64(&o.image.memory, 0x10ff8, &ok), 0x1122334455667788);
        cr_expect_eq(memory_u64(&o.image.memory, 0x20000, &ok), 0);
        cr_expect(ok);
        cr_expect_eq(memory_from(&o.image.memory, 0x11000).size, 0);
        cr_expect_eq(o.image.lost, 0);
        close_core(&o);
        forge_minidump_free(&f);
    }
}

Test(minidump, uses_the_first_of_overlapping_ranges)
{
    struct minidump_forge f = {0};
    bool ok = true;
    forge_core_region(&f.process, 0x10000, PAGE);
    forge_core_region(&f.process, 0x10800, PAGE);
    forge_core_put(&f.process, 0x10900, 7, 8);
    struct opened o = open_dump(&f);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(memory_u64(&o.image.memory, 0x10900, &ok), 7);
    cr_expect_eq(memory_from(&o.image.memory, 0x11000).size, 0x800);
    close_core(&o);
    forge_minidump_free(&f);
}

/* Appends a list of names and makes the entry of stream `of` refer to it. */
static void forge_thread_names(struct minidump_forge *f, uint32_t of, uint32_t count)
{
    static const unsigned char name[] = {8, 0, 0, 0, 'P', 0, 'u', 0, 'm', 0, 'p', 0, 0, 0};
    unsigned char list[4 + 12 * 2] = {0};
    size_t name_at = f->dump.len, list_at = name_at + sizeof(name);
    text_add(&f->dump, name, sizeof(name));
    le_put(list, count, 4);
    le_put(list + 4, 78, 4);
    le_put(list + 8, name_at, 8);
    le_put(list + 16, 4711, 4); /* a thread that does not exist */
    le_put(list + 20, name_at, 8);
    text_add(&f->dump, list, sizeof(list));
    uint32_t streams = le_u32((unsigned char *)f->dump.data + 8),
             at = le_u32((unsigned char *)f->dump.data + 12);
    for (uint32_t i = 0; i < streams; i++, at += 12)
        if (le_u32((unsigned char *)f->dump.data + at) == of) {
            patch(f, at, 24, 4);
            patch(f, at + 4, sizeof(list), 4);
            patch(f, at + 8, list_at, 4);
        }
}

Test(minidump, has_names_of_threads)
{
    enum { MISC = 15 };
    for (uint32_t count = 2; count < 4; count++) {
        struct minidump_forge f = {0};
        forge_core_thread(&f.process, 77, 0x40000, 0x30000);
        forge_core_thread(&f.process, 78, 0x41000, 0x31000);
        forge_minidump_bytes(&f);
        forge_thread_names(&f, MISC, count);
        struct opened o =
            open_bytes((struct bytes){(const unsigned char *)f.dump.data, f.dump.len});
        cr_assert(o.ok, "%s", o.err.message);
        cr_assert_eq(o.image.thread_count, 2);
        cr_expect_null(o.image.threads[0].name);
        if (count == 2)
            cr_expect_str_eq(o.image.threads[1].name, "Pump");
        else /* more than there is space for: a dump without names */
            cr_expect_null(o.image.threads[1].name);
        close_core(&o);
        forge_minidump_free(&f);
    }
}

Test(minidump, has_threads_with_their_registers_and_the_top_of_their_stack)
{
    enum { TEB = 0x30000, STACK = 0x40000, RSP = 4 };
    struct minidump_forge f = {0};
    forge_core_region(&f.process, TEB, PAGE);
    forge_core_put(&f.process, TEB + 8, STACK + PAGE, 8);
    forge_core_thread(&f.process, 77, STACK + 16, TEB);
    forge_core_thread(&f.process, 78, STACK + 32, 0x900000); /* a TEB that does not exist */
    struct opened o = open_dump(&f);
    cr_assert(o.ok, "%s", o.err.message);
    cr_assert_eq(o.image.thread_count, 2);
    cr_expect_eq(o.image.threads[0].id, 77);
    cr_expect_eq(o.image.threads[0].registers[RSP], STACK + 16);
    cr_expect_eq(o.image.processor->stack_pointer, RSP);
    cr_expect_eq(o.image.threads[0].thread_pointer, STACK + PAGE);
    cr_expect_eq(o.image.threads[1].thread_pointer, STACK + 32 + 0x40);
    close_core(&o);
    size_t threads = forged_stream(&f, FORGED_THREAD_LIST);
    uint32_t context = le_u32((unsigned char *)f.dump.data + threads + 4 + 44);
    patch(&f, context + 0x78, 4711, 4); /* Rax */
    patch(&f, context + 0xF8, 4712, 4); /* Rip */
    o = open_bytes((struct bytes){(const unsigned char *)f.dump.data, f.dump.len});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.threads[0].registers[0], 4711);
    cr_expect_eq(o.image.threads[0].registers[o.image.processor->registers - 1], 4712);
    close_core(&o);
    /* A truncated context, or one of another processor, has no registers. */
    patch(&f, context + 0x30, 0x40000B, 4);
    patch(&f, threads + 4 + 48 + 40, 0x70, 4);
    o = open_bytes((struct bytes){(const unsigned char *)f.dump.data, f.dump.len});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.threads[0].registers[RSP], 0);
    cr_expect_eq(o.image.threads[1].registers[RSP], 0);
    close_core(&o);
    forge_minidump_free(&f);
}

Test(minidump, has_process_time_and_modules)
{
    struct minidump_forge f = {.time = 1764000000, .version = UINT64_C(0x000A000004CAA544)};
    f.process.pid = 4711;
    forge_core_mapping(&f.process, 0x140000000, 0x140010000, 0, "C:\\app\\Shop.exe");
    forge_core_mapping(&f.process, 0x10000, 0x30000, 0, "C:\\app\\low.dll");
    forge_core_mapping(&f.process, 0x20000, 0x40000, 0, "C:\\app\\over.dll");
    struct opened o = open_dump(&f);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(o.image.pid, 4711);
    cr_expect_eq(o.image.time, 1764000000);
    cr_expect_str_eq(o.image.name, "Shop.exe");
    cr_expect_eq(o.image.program_headers, 0x140000000);
    cr_assert_eq(o.image.mapping_count, 3);
    cr_expect_str_eq(o.image.mappings[0].path, "C:/app/low.dll");
    cr_expect_eq(o.image.mappings[0].end, 0x20000);
    cr_expect_str_eq(o.image.mappings[2].path, "C:/app/Shop.exe");
    cr_expect_eq(o.image.mappings[2].version, UINT64_C(0x000A000004CAA544));
    close_core(&o);
    f.process.pid = 0;
    o = open_dump(&f);
    cr_expect_eq(o.image.pid, HD_UNKNOWN);
    close_core(&o);
    forge_minidump_free(&f);
}

/* --- the runtime --------------------------------------------------------------------- */

Test(minidump, finds_the_runtime_by_its_exports)
{
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){0});
    expect_runtime(&f, "10.0.12", "the table of .NET 10");
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\dotnet\\shared\\"
                                                     "Microsoft.NETCore.App\\9.0.20\\"
                                                     "coreclr.dll",
                                             .major = 9});
    expect_runtime(&f, "9.0.20", "the table of .NET 9");
    forge_usual(&f, &(struct forged_runtime){.json = forged_json(10)});
    expect_runtime(&f, "10.0.12", "its descriptor");
}

Test(minidump, finds_the_version_of_a_runtime_next_to_its_program)
{
    struct minidump_forge f = {.version = UINT64_C(0x000A000004CAA544)};
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\coreclr.dll"});
    expect_runtime(&f, "10.0.12", "the table of .NET 10");
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\CoreCLR.dll"});
    expect_runtime(&f, "10", "the table of .NET 10"); /* the table that fits */
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\coreclr.dll", .major = 9});
    expect_runtime(&f, "9", "the table of .NET 9");
}

/* Its own version is the program's. */
Test(minidump, finds_the_runtime_in_a_single_file)
{
    struct minidump_forge f = {.version = UINT64_C(0x0001000000000000)};
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\Shop.exe"});
    expect_runtime(&f, "10", "the table of .NET 10");
}

/* --- what is refused ----------------------------------------------------------------- */

Test(minidump, from_other_processors_and_systems_is_refused_by_name)
{
    struct minidump_forge f = {.architecture = FORGED_X86};
    expect_dump_refused(&f, HD_UNSUPPORTED,
                        "a minidump of a process of 32 bits (x86); only those of x64");
    f.architecture = 12;
    expect_dump_refused(&f, HD_UNSUPPORTED, "a process of ARM64");
    f.architecture = 77;
    expect_dump_refused(&f, HD_UNSUPPORTED, "an unknown processor (77)");
    f.platform = 0x8201;
    expect_dump_refused(&f, HD_UNSUPPORTED, "of another system than Windows");
    f.lacks = FORGED_SYSTEM_INFO;
    expect_dump_refused(&f, HD_BAD_FORMAT, "does not contain its system");
}

static void expect_program_refused(const char *library, const char *why)
{
    struct minidump_forge f = {0};
    forge_core_region(&f.process, 0x140000000, PAGE);
    forge_core_mapping(&f.process, 0x140000000, 0x140001000, 0, "C:\\app\\Shop.exe");
    forge_core_mapping(&f.process, 0x10000, 0x20000, 0, library);
    expect_dump_refused(&f, HD_UNSUPPORTED, why);
}

Test(minidump, from_other_programs_is_refused_by_name)
{
    expect_program_refused("C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\clr.dll",
                           "a minidump of .NET Framework; heapdrift reads those of .NET: "
                           "take a gcdump with PerfView");
    expect_program_refused("C:\\Windows\\System32\\WOW64.dll",
                           "a minidump of a 32-bit process");
    expect_program_refused("C:\\Windows\\System32\\ntdll.dll",
                           "a minidump of a program without .NET");
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){0});
    forge_core_mapping(&f.process, 0x10000, 0x20000, 0, "C:\\Windows\\System32\\wow64.dll");
    expect_dump_refused(&f, HD_UNSUPPORTED, "a minidump of a 32-bit process");
    forge_core_region(&f.process, 0x140000000, PAGE);
    forge_core_mapping(&f.process, 0x10000, 0x20000, 0, "C:\\Windows\\System32\\wow64.dll");
    forge_core_mapping(&f.process, 0x30000, 0x40000, 0, "C:\\Windows\\mscorwks.dll");
    expect_dump_refused(&f, HD_UNSUPPORTED, "a minidump of .NET Framework");
    forge_minidump_runtime(
        &f, &(struct forged_runtime){.path = "C:\\app\\Shop.exe", .is_native = true});
    expect_dump_refused(&f, HD_UNSUPPORTED, "a minidump of a native AOT program");
    f.lacks = FORGED_MODULE_LIST;
    expect_dump_refused(&f, HD_UNSUPPORTED, "a minidump without a list of mapped files");
}

/* It has no descriptor, and structures with locks are smaller than on Linux. */
Test(minidump, from_dotnet_8_is_read_with_the_offsets_of_windows)
{
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\shared\\"
                                                     "Microsoft.NETCore.App\\8.0.31\\"
                                                     "coreclr.dll",
                                             .major = 8});
    struct opened o = open_dump(&f);
    find_runtime(&o);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_str_eq(o.runtime.version, "8.0.31");
    cr_expect_eq(o.runtime.free_object, f.process.free_type);
    cr_expect_eq(o.runtime.at.thread_link, 248);
    cr_expect_eq(o.runtime.at.thread_local_block, 1120);
    cr_expect_eq(o.runtime.at.thread_store_first_link, 64);
    cr_expect_eq(o.runtime.at.module_local_module, 744);
    cr_expect_eq(o.runtime.at.pe_loaded, 120); /* the same on both */
    close_core(&o);
    forge_minidump_free(&f);
}

Test(minidump, from_unknown_versions_is_refused_by_name)
{
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){.path = "C:\\app\\shared\\"
                                                     "Microsoft.NETCore.App\\7.0.20\\"
                                                     "coreclr.dll",
                                             .major = 9});
    expect_dump_refused(
        &f, HD_UNSUPPORTED,
        "a minidump of .NET 7.0.20; heapdrift reads those of .NET 8 or later");
}

Test(minidump, without_the_heap_or_the_runtime_s_image_is_refused)
{
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){0});
    f.lacks = FORGED_MEMORY_64_LIST;
    expect_dump_refused(&f, HD_UNSUPPORTED,
                        "a minidump without all memory (a mini, triage or heap dump); take "
                        "one with `dotnet-dump collect -p PID`");
    forge_usual(&f, &(struct forged_runtime){0});
    forge_core_leave_out(&f.process, FORGED_RUNTIME_BASE, FORGED_RUNTIME_BASE + 0x1000);
    expect_dump_refused(&f, HD_UNSUPPORTED, "a minidump without all memory");
}

/* --- damage -------------------------------------------------------------------------- */

Test(minidump, reports_truncation)
{
    struct minidump_forge f = {0};
    forge_usual(&f, &(struct forged_runtime){0});
    forge_minidump_bytes(&f);
    f.dump.len = 20;
    expect_bytes_refused(&f, HD_BAD_FORMAT, "truncated in its header");
    forge_usual(&f, &(struct forged_runtime){0});
    forge_minidump_bytes(&f);
    f.dump.len = 80;
    expect_bytes_refused(&f, HD_BAD_FORMAT, "truncated in the directory of its 5 streams");
    forge_usual(&f, &(struct forged_runtime){0});
    forge_minidump_bytes(&f);
    f.dump.len = forged_stream(&f, FORGED_MODULE_LIST) + 4;
    expect_bytes_refused(&f, HD_BAD_FORMAT, "truncated: its stream");
    forge_usual(&f, &(struct forged_runtime){0});
    forge_minidump_bytes(&f);
    f.dump.len = forged_stream(&f, FORGED_MEMORY_64_LIST) + 0x1800;
    expect_bytes_refused(&f, HD_BAD_FORMAT, "the minidump is truncated: ");
}

/* The missing end is reported. */
Test(minidump, that_is_cut_in_its_memory_has_the_rest)
{
    struct minidump_forge f = {0};
    forge_core_region(&f.process, 0x10000, PAGE);
    forge_core_region(&f.process, 0x20000, PAGE);
    struct bytes whole = forge_minidump_bytes(&f);
    struct opened o = open_bytes((struct bytes){whole.data, whole.size - PAGE - 100});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(memory_from(&o.image.memory, 0x10000).size, PAGE - 100);
    cr_expect_eq(o.image.lost, PAGE + 100);
    close_core(&o);
    forge_minidump_free(&f);
}

/* An impossible number in a stream. */
static void expect_number_refused(bool is_list, uint32_t type, size_t at, uint64_t value,
                                  size_t size, const char *why)
{
    struct minidump_forge f = {.is_list = is_list};
    forge_usual(&f, &(struct forged_runtime){0});
    forge_minidump_bytes(&f);
    patch(&f, forged_stream(&f, type) + at, value, size);
    expect_bytes_refused(&f, HD_BAD_FORMAT, why);
}

Test(minidump, counts_that_no_stream_has_room_for_are_refused)
{
    const uint64_t huge = UINT64_MAX;
    expect_number_refused(false, FORGED_THREAD_LIST, 0, huge, 4,
                          "stream 3 of the minidump has room for 0 records");
    expect_number_refused(false, FORGED_MODULE_LIST, 0, huge, 4,
                          "has room for 1 records, not for 4294967295");
    expect_number_refused(false, FORGED_MEMORY_64_LIST, 0, huge, 8, "stream 9");
    expect_number_refused(true, FORGED_MEMORY_LIST, 0, huge, 4, "stream 5");
    expect_number_refused(false, FORGED_MODULE_LIST, 0, 2, 4,
                          "has room for 1 records, not for 2");
}

/* Ranges that begin beyond the file, or whose sizes overflow 64 bits. */
Test(minidump, places_beyond_the_file_are_missing)
{
    const uint64_t far[] = {UINT64_C(5) << 32, UINT64_MAX};
    for (size_t i = 0; i < 2; i++) {
        expect_number_refused(false, FORGED_MEMORY_64_LIST, 8, far[i], 8,
                              "the minidump is truncated: ");
        expect_number_refused(false, FORGED_MEMORY_64_LIST, 24, far[i], 8,
                              "the minidump is truncated: ");
    }
    expect_number_refused(true, FORGED_MEMORY_LIST, 4 + 12, UINT32_MAX, 4,
                          "the minidump is truncated: ");
}

Test(minidump, ranges_that_share_bytes_are_refused)
{
    struct minidump_forge f = {.is_list = true};
    for (uint64_t i = 0; i < 4; i++)
        forge_core_region(&f.process, 0x10000 * (i + 1), PAGE);
    forge_minidump_bytes(&f);
    size_t list = forged_stream(&f, FORGED_MEMORY_LIST);
    for (size_t i = 0; i < 4; i++) {
        patch(&f, list + 4 + 16 * i + 8, 2 * PAGE, 4);
        patch(&f, list + 4 + 16 * i + 12, list, 4);
    }
    expect_bytes_refused(&f, HD_BAD_FORMAT, "ranges of the minidump overlap in the file");
}

/* One long name shared by all modules is copied at most to the length of the file. */
Test(minidump, names_of_modules_are_bounded_by_the_file)
{
    enum { LONG = 0x7000, MODULES = FORGED_MAPPINGS };
    struct minidump_forge f = {0};
    char *name = malloc(LONG + 1);
    memset(name, 'x', LONG);
    name[LONG] = '\0';
    for (uint64_t i = 0; i < MODULES; i++)
        forge_core_mapping(&f.process, 0x10000 * (i + 1), 0x10000 * (i + 1) + PAGE, 0,
                           i == 0 ? name : "y");
    forge_minidump_bytes(&f);
    size_t list = forged_stream(&f, FORGED_MODULE_LIST);
    uint32_t place = le_u32((unsigned char *)f.dump.data + list + 4 + 20);
    for (size_t i = 0; i < MODULES; i++)
        patch(&f, list + 4 + 108 * i + 20, place, 4);
    struct opened o =
        open_bytes((struct bytes){(const unsigned char *)f.dump.data, f.dump.len});
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_eq(strlen(o.image.mappings[0].path), LONG);
    cr_expect_str_eq(o.image.mappings[1].path, "");
    close_core(&o);
    forge_minidump_free(&f);
    free(name);
}

/* True if it was read. In memory of its exact size, so that a sanitizer reports reads
 * beyond it. */
static bool try_dump(struct bytes dump)
{
    unsigned char *copy = malloc(dump.size > 0 ? dump.size : 1);
    if (dump.size > 0)
        memcpy(copy, dump.data, dump.size);
    struct opened o = open_bytes((struct bytes){copy, dump.size});
    find_runtime(&o);
    bool ok = o.ok;
    cr_assert(ok || o.err.message[0] != '\0');
    cr_assert(ok || strchr(o.err.message, '\n') == NULL);
    close_core(&o);
    free(copy);
    return ok;
}

static void forge_small(struct minidump_forge *f)
{
    forge_usual(f, &(struct forged_runtime){.json = forged_json(10)});
    forge_core_thread(&f->process, 1, FORGED_HEAP, FORGED_HEAP + 8);
    for (size_t i = 1; i < f->process.region_count; i++)
        f->process.regions[i].size = 0x300;
}

/* Every byte and length of the headers and streams; some bytes of memory. */
Test(minidump, damage_anywhere_is_refused_or_read)
{
    enum { STEP = 103 };
    static const unsigned char masks[] = {0x01, 0xff};
    struct minidump_forge f = {0};
    forge_small(&f);
    struct bytes dump = forge_minidump_bytes(&f);
    cr_expect(try_dump(dump));
    const size_t headers = forged_stream(&f, FORGED_MEMORY_64_LIST) + 16 * 20;
    for (size_t i = 0; i < dump.size; i += i < headers ? 1 : STEP) {
        try_dump((struct bytes){dump.data, i});
        for (size_t k = 0; k < sizeof(masks); k++) {
            f.dump.data[i] = (char)((unsigned char)f.dump.data[i] ^ masks[k]);
            try_dump(dump);
            f.dump.data[i] = (char)((unsigned char)f.dump.data[i] ^ masks[k]);
        }
    }
    forge_minidump_free(&f);
}
