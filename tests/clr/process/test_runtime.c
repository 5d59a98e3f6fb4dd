#include "clr/process/opened.h"
#include "support/scratch.h"

static struct scratch scratch;

static void open_scratch(void)
{
    scratch_open(&scratch);
}

static void remove_scratch(void)
{
    scratch_remove(&scratch);
}

TestSuite(runtime, .init = open_scratch, .fini = remove_scratch);

static const char self_contained[] = "/app/libcoreclr.so";
static const char version_11[] = FORGED_PATH_11;

/* A process with an object in generation 2. */
static uint64_t forge_process(struct core_forge *f, struct forged_runtime how)
{
    *f = (struct core_forge){0};
    forge_core_runtime(f, &how);
    uint64_t type = forge_core_type(f, 24, 0);
    forge_core_object(f, 2, type, 24);
    return type;
}

/* Moves o to its final place: a runtime holds the address of its image. */
static void expect_found(struct opened *o, struct core_forge *f, const char *version)
{
    *o = open_core(f);
    cr_assert(o->ok && runtime_find(&o->runtime, &o->image, &o->a, &o->err), "%s",
              o->err.message);
    cr_expect_str_eq(o->runtime.version, version);
}

static void expect_described(struct core_forge *f, const char *version, const char *by)
{
    struct opened o;
    expect_found(&o, f, version);
    cr_expect_str_eq(o.runtime.described_by, by);
    close_core(&o);
    forge_core_free(f);
}

Test(runtime, is_found_by_the_table_of_its_version)
{
    struct core_forge f;
    uint64_t type = forge_process(&f, (struct forged_runtime){0});
    struct opened o = open_core(&f);
    find_runtime(&o);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_str_eq(o.runtime.version, "10.0.12");
    cr_expect_str_eq(o.runtime.described_by, "the table of .NET 10");
    cr_expect_eq(o.runtime.free_object, f.free_type);
    cr_expect_eq(o.runtime.at.module_base, 224);
    cr_expect(runtime_is_method_table(&o.runtime, type));
    cr_expect_not(runtime_is_method_table(&o.runtime, type + 8));
    cr_expect_not(runtime_is_method_table(&o.runtime, type + 1));
    cr_expect_not(runtime_is_method_table(&o.runtime, 0));
    cr_expect_not(runtime_is_method_table(&o.runtime, UINT64_MAX - 7));
    cr_expect_not(runtime_is_method_table(&o.runtime, f.free_type));
    cr_expect(gc_heap_is_valid(&o.runtime));
    cr_expect_eq(gc_count_address(&o.image.memory, o.runtime.gc), forged_count_variable());
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, takes_an_instantiation_for_a_type_if_its_canonical_one_is_one)
{
    struct core_forge f;
    uint64_t type = forge_process(&f, (struct forged_runtime){0});
    uint64_t generic = forge_core_type(&f, 24, 0), circle = forge_core_type(&f, 24, 0);
    forge_core_put(&f, generic + 40, type | 1, 8);
    forge_core_put(&f, circle + 40, circle | 1, 8);
    struct opened o = open_core(&f);
    find_runtime(&o);
    cr_expect(runtime_is_method_table(&o.runtime, generic));
    cr_expect_not(runtime_is_method_table(&o.runtime, circle));
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, reports_a_collection_in_progress)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    forge_core_put(&f, forged_count_variable(), 1, 4);
    struct opened o = open_core(&f);
    find_runtime(&o);
    cr_assert(o.ok, "%s", o.err.message);
    cr_expect_not(gc_heap_is_valid(&o.runtime));
    close_core(&o);
    forge_core_free(&f);
}

/* --- versions ------------------------------------------------------------------------ */

Test(runtime, is_described_by_its_own_descriptor)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.json = forged_json(10)});
    expect_described(&f, "10.0.12", "its descriptor");
}

/* Its threads are larger there. */
Test(runtime, is_another_one_on_another_processor)
{
    static const struct {
        uint16_t machine;
        uint32_t link, os_id, stack_base, statics;
    } cases[] = {{MACHINE_X86_64, 112, 296, 120, 568},
                 {MACHINE_AARCH64, 152, 336, 160, 608}};
    for (size_t i = 0; i < 2; i++) {
        struct core_forge f;
        forge_process(&f, (struct forged_runtime){0});
        f.machine = cases[i].machine;
        struct opened o;
        expect_found(&o, &f, "10.0.12");
        cr_expect_eq(o.runtime.at.thread_link, cases[i].link);
        cr_expect_eq(o.runtime.at.thread_os_id, cases[i].os_id);
        cr_expect_eq(o.runtime.at.thread_stack_base, cases[i].stack_base);
        cr_expect_eq(o.runtime.at.thread_static_data, cases[i].statics);
        cr_expect_eq(o.runtime.at.thread_store_first_link, 88);
        close_core(&o);
        forge_core_free(&f);
    }
}

Test(runtime, is_supported_per_version_and_processor)
{
    static const char path[] =
        "/usr/share/dotnet/shared/Microsoft.NETCore.App/9.0.20/libcoreclr.so";
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.path = path, .major = 9});
    f.machine = MACHINE_AARCH64;
    expect_refused(&f, HD_UNSUPPORTED,
                   "a core dump of .NET 9.0.20 on aarch64; only later versions can be read "
                   "there; take a gcdump");
    cr_expect(runtime_is_of_others("9.0.20", processor_of(MACHINE_AARCH64)));
    cr_expect_not(runtime_is_of_others("9.0.20", processor_of(MACHINE_X86_64)));
    cr_expect_not(runtime_is_of_others("10.0.12", processor_of(MACHINE_AARCH64)));
    cr_expect_not(runtime_is_of_others("11.0.0", processor_of(MACHINE_AARCH64)));
}

Test(runtime, has_its_version_in_memory_if_not_in_its_path)
{
    struct core_forge f;
    forge_process(
        &f, (struct forged_runtime){.path = self_contained, .own_version = "10.0.1126.4"});
    expect_described(&f, "10.0.11", "the table of .NET 10");
    forge_process(&f, (struct forged_runtime){.path = self_contained,
                                              .own_version = "10.0.25.52411"});
    expect_described(&f, "10.0.0", "the table of .NET 10");
    forge_process(&f,
                  (struct forged_runtime){.path = self_contained, .own_version = "10.0.5"});
    expect_described(&f, "10.0", "the table of .NET 10");
    /* A folder that only begins with a version. */
    static const char copied[] = "/opt/Microsoft.NETCore.App/10.0.3_copy/libcoreclr.so";
    forge_process(&f,
                  (struct forged_runtime){.path = copied, .own_version = "10.0.1126.4"});
    expect_described(&f, "10.0.11", "the table of .NET 10");
}

Test(runtime, has_the_version_of_its_folder)
{
    static const char *const paths[][2] = {
        {"/x/Microsoft.NETCore.App/10.0.0-rc.1.25451.107/libcoreclr.so",
         "10.0.0-rc.1.25451.107"},
        {"/x/Microsoft.NETCore.App/10.0.4/libcoreclr.so (deleted)", "10.0.4"},
        {"/x/Microsoft.NETCore.App/10.0.4_/libcoreclr.so", "10"},
        {"/x/Microsoft.NETCore.App/-rc/libcoreclr.so", "10"},
        {"/x/Microsoft.NETCore.App/", "10"},
    };
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        struct core_forge f;
        bool is_program = strstr(paths[i][0], "libcoreclr") == NULL;
        forge_process(
            &f, (struct forged_runtime){.path = paths[i][0], .is_program = is_program});
        expect_described(&f, paths[i][1], "the table of .NET 10");
    }
}

Test(runtime, has_no_version_if_it_is_not_a_number)
{
    static const char *const own_version[] = {"ten",   "10",   "10.0",
                                              "10.0.", ".0.1", "10.0.x"};
    for (size_t i = 0; i < sizeof(own_version) / sizeof(own_version[0]); i++) {
        struct core_forge f;
        forge_process(&f, (struct forged_runtime){.path = self_contained,
                                                  .own_version = own_version[i]});
        expect_described(&f, "10", "the table of .NET 10");
    }
}

/* A dump without the runtime's code has the resources of a library shipped with it. */
Test(runtime, has_the_version_of_the_library_shipped_with_it)
{
    enum { SIZE = 0x1000, FIXED = 16 };
    static const unsigned char fixed[FIXED] = {0xBD, 0x04, 0xEF, 0xFE, 0, 0, 1,    0,
                                               0,    0,    10,   0,    9, 9, 0x66, 4};
    static const struct {
        uint64_t at;
        size_t size;
        const char *path, *version;
    } cases[] = {
        {0x100, FIXED, "/app/System.Private.CoreLib.dll", "10.0.11"},
        {SIZE - FIXED, FIXED, "/app/System.Private.CoreLib.dll", "10.0.11"},
        {SIZE - FIXED + 1, FIXED - 1, "/app/System.Private.CoreLib.dll", "10"},
        {SIZE - 8, 8, "/app/System.Private.CoreLib.dll", "10"},
        {SIZE - 7, 7, "/app/System.Private.CoreLib.dll", "10"},
        {0x100, FIXED, "/app/System.Private.Other.dll", "10"},
    };
    const uint64_t base = 0x7f8000000000;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct core_forge f;
        forge_process(&f, (struct forged_runtime){.path = self_contained});
        forge_core_region(&f, base, SIZE);
        forge_core_mapping(&f, base, base + SIZE, 0, cases[i].path);
        forge_core_put_bytes(&f, base + 0x10, "\xBD\x04\xEF", 3); /* a false start */
        forge_core_put_bytes(&f, base + cases[i].at, fixed, cases[i].size);
        expect_described(&f, cases[i].version, "the table of .NET 10");
    }
}

Test(runtime, has_the_matching_version_if_there_is_no_other_source)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.path = self_contained});
    expect_described(&f, "10", "the table of .NET 10");
    forge_process(&f, (struct forged_runtime){.path = self_contained, .major = 9});
    struct opened o;
    expect_found(&o, &f, "9");
    cr_expect_eq(o.runtime.at.module_base, 288);
    cr_expect_eq(o.runtime.at.allocation_gc_context, 0);
    close_core(&o);
    forge_core_free(&f);
    forge_process(&f, (struct forged_runtime){.path = self_contained, .major = 8});
    expect_found(&o, &f, "8");
    cr_expect_str_eq(o.runtime.described_by, "the table of .NET 8");
    cr_expect_eq(o.runtime.at.module_base, RUNTIME_NO_OFFSET);
    cr_expect_eq(o.runtime.at.module_pe_assembly, 272);
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, may_be_in_the_main_program)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.path = "/app/shop", .is_program = true});
    expect_described(&f, "10", "the table of .NET 10");
}

/* Its contents take precedence over the table. */
Test(runtime, believes_its_descriptor_more_than_the_table)
{
    struct core_forge f;
    forge_process(
        &f, (struct forged_runtime){
                .json = "{\"types\":{\"Module\":{\"Base\":[232,\"pointer\"]},"
                        "\"Thread\":{\"OSId\":-8}},\"contracts\":{\"Loader\":\"c1\"}}"});
    struct opened o;
    expect_found(&o, &f, "10.0.12");
    cr_expect_eq(o.runtime.at.module_base, 232);
    cr_expect_eq(o.runtime.at.thread_os_id, 296);
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, with_a_newer_version_is_read_if_it_has_a_descriptor)
{
    struct core_forge f;
    const char *json = forged_json_11();
    forge_process(&f, (struct forged_runtime){.path = version_11, .json = json});
    expect_described(&f, "11.0.3", "its descriptor");
    forge_process(&f, (struct forged_runtime){.path = self_contained, .json = json});
    forged_move_global(&f, 56, 60);
    expect_described(&f, "11 or later", "its descriptor");
}

/* The links of its threads refer to the Threads. */
Test(runtime, links_of_threads_are_those_of_the_version_of_the_description)
{
    struct core_forge f;
    forge_process(&f,
                  (struct forged_runtime){.path = version_11, .json = forged_json_11()});
    struct opened o;
    expect_found(&o, &f, "11.0.3");
    cr_expect_eq(runtime_linked_thread(&o.runtime, 0x5000), 0x5000);
    close_core(&o);
    forge_core_free(&f);
    forge_process(&f, (struct forged_runtime){.json = forged_json(10)});
    expect_found(&o, &f, "10.0.12");
    cr_expect_eq(runtime_linked_thread(&o.runtime, 0x5000 + 112), 0x5000);
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, is_refused_where_the_version_of_its_description_is_another_one)
{
    static const char *const versions[] = {"1", "3", "-1", "2.5", "null", "\"x\"", "[]"};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        struct core_forge f;
        char json[64], why[128];
        snprintf(json, sizeof(json), "{\"version\":%s,\"types\":{}}", versions[i]);
        snprintf(why, sizeof(why),
                 "this runtime describes itself in an unknown format (descriptor version "
                 "%s); a newer heapdrift may read it",
                 versions[i]);
        forge_process(&f, (struct forged_runtime){.path = version_11, .json = json});
        expect_refused(&f, HD_UNSUPPORTED, why);
    }
}

/* All generated types have the class of the first. */
Test(runtime, takes_a_generated_continuation_for_a_type)
{
    struct core_forge f;
    forge_process(&f,
                  (struct forged_runtime){.path = version_11, .json = forged_json_11()});
    uint64_t base = forge_core_type(&f, 24, 0), first = forge_core_type(&f, 32, 0),
             second = forge_core_type(&f, 40, 0), other = forge_core_type(&f, 40, 0),
             class = forge_core_get(&f, first + 40);
    forge_core_put(&f, first + 16, base, 8);
    forge_core_put(&f, second + 16, base, 8);
    forge_core_put(&f, second + 40, class, 8);
    forge_core_put(&f, other + 40, class, 8); /* another parent: not a continuation */
    struct opened o;
    expect_found(&o, &f, "11.0.3");
    cr_expect_not(runtime_is_method_table(&o.runtime, second), "none is known yet");
    close_core(&o);
    forge_core_put(&f, forged_continuation_variables(), base, 8);
    forge_core_put(&f, forged_continuation_variables() + 8, class, 8);
    expect_found(&o, &f, "11.0.3");
    cr_expect(runtime_is_method_table(&o.runtime, base));
    cr_expect(runtime_is_method_table(&o.runtime, first));
    cr_expect(runtime_is_method_table(&o.runtime, second));
    cr_expect_not(runtime_is_method_table(&o.runtime, other));
    cr_expect(runtime_is_continuation(&o.runtime, first));
    cr_expect_not(runtime_is_continuation(&o.runtime, base));
    close_core(&o);
    forge_core_free(&f);
}

Test(runtime, with_a_newer_version_is_refused_if_a_member_is_missing)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.path = version_11});
    expect_refused(&f, HD_UNSUPPORTED, ".NET 11.0.3, which is unknown here");
    forge_process(&f,
                  (struct forged_runtime){.path = version_11, .json = "{\"types\":{}}"});
    expect_refused(&f, HD_UNSUPPORTED, "without the location of MethodTable.!");
    forge_process(&f, (struct forged_runtime){.path = version_11});
    forged_move_global(&f, 19, 511);
    forge_core_put(&f, forged_globals() + 511 * 8, 0, 8);
    expect_refused(&f, HD_UNSUPPORTED, "without its garbage collector");
}

Test(runtime, is_refused_where_a_contract_is_another_one)
{
    static const char *const contracts[] = {
        "{\"types\":{},\"contracts\":{\"RuntimeTypeSystem\":2}}",
        "{\"types\":{},\"contracts\":{\"RuntimeTypeSystem\":\"c2\"}}",
        "{\"types\":{},\"contracts\":{\"RuntimeTypeSystem\":\"c\"}}",
        "{\"types\":{},\"contracts\":{\"RuntimeTypeSystem\":null}}",
    };
    for (size_t i = 0; i < sizeof(contracts) / sizeof(contracts[0]); i++) {
        struct core_forge f;
        forge_process(&f, (struct forged_runtime){.json = contracts[i]});
        expect_refused(&f, HD_UNSUPPORTED, "contract RuntimeTypeSystem");
    }
}

Test(runtime, is_refused_with_a_damaged_descriptor)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.json = "{\"types\":"});
    expect_refused(&f, HD_BAD_FORMAT, "descriptor");
    forge_process(&f, (struct forged_runtime){.json = "[1]"});
    expect_refused(&f, HD_BAD_FORMAT, "descriptor");
}

/* Regardless of the contents at the offsets of another version. */
Test(runtime, older_than_8_is_refused_by_name)
{
    static const char *const versions[] = {"7.0.20", "6.0.36", "5.0.17", "3.1.32"};
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        struct core_forge f;
        char path[80], why[80];
        snprintf(path, sizeof(path), "/x/Microsoft.NETCore.App/%s/libcoreclr.so",
                 versions[i]);
        snprintf(why, sizeof(why),
                 "a core dump of .NET %s; heapdrift reads those of .NET 8 or later",
                 versions[i]);
        forge_process(&f, (struct forged_runtime){.path = path, .major = 8});
        expect_refused(&f, HD_UNSUPPORTED, why);
    }
}

Test(runtime, with_an_unknown_layout_is_refused)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){.path = self_contained});
    forged_move_global(&f, 56, 58);
    expect_refused(&f, HD_UNSUPPORTED, "a core dump of a .NET version, which is unknown");
}

Test(runtime, is_refused_where_types_do_not_lead_back)
{
    struct core_forge f;
    uint64_t type = forge_process(&f, (struct forged_runtime){0});
    forge_core_put(&f, type + 40, type, 8);
    expect_refused(&f, HD_UNSUPPORTED,
                   "the memory layout of this .NET 10.0.12 differs from the table");
}

/* --- the collector ------------------------------------------------------------------- */

Test(runtime, does_not_choose_between_two_collectors)
{
    enum { VARIABLE = 0x1000, COPY = 0x1100 };
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    for (uint64_t i = 0; i < 256; i += 8)
        forge_core_put(&f, FORGED_TYPES + COPY + i,
                       forge_core_get(&f, forged_collector() + i), 8);
    forge_core_put(&f, FORGED_TYPES + VARIABLE, FORGED_TYPES + COPY, 8);
    forge_core_put(&f, forged_globals() + 30 * 8, FORGED_TYPES + VARIABLE, 8);
    expect_refused(&f, HD_UNSUPPORTED, "mini or triage");
    /* Unless it is the same under another name. */
    forge_process(&f, (struct forged_runtime){0});
    forge_core_put(&f, FORGED_TYPES + VARIABLE, forged_collector(), 8);
    forge_core_put(&f, forged_globals() + 30 * 8, FORGED_TYPES + VARIABLE, 8);
    expect_described(&f, "10.0.12", "the table of .NET 10");
}

/* Separate heaps, each with its generations at an offset given by the collector. */
Test(runtime, finds_the_heaps_of_a_server_collector)
{
    enum {
        HEAPS = 0x1000,
        ARRAY = 0x1010,
        COUNT = 0x1020,
        OFFSETS = 0x1100,
        HEAP = 0x1200
    };
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    uint64_t gc = forged_collector(), generations = forge_core_get(&f, gc + 48);
    forge_core_put(&f, gc + 176, FORGED_TYPES + COUNT, 8);
    forge_core_put(&f, gc + 184, FORGED_TYPES + HEAPS, 8);
    forge_core_put(&f, gc + 240, FORGED_TYPES + OFFSETS, 8);
    forge_core_put(&f, gc + 48, 0, 8);
    forge_core_put(&f, FORGED_TYPES + COUNT, 1, 4);
    forge_core_put(&f, FORGED_TYPES + HEAPS, FORGED_TYPES + ARRAY, 8);
    forge_core_put(&f, FORGED_TYPES + ARRAY, FORGED_TYPES + HEAP, 8);
    forge_core_put(&f, FORGED_TYPES + OFFSETS + 18 * 4, 64, 4);
    for (uint64_t i = 0; i < 5 * 256; i += 8)
        forge_core_put(&f, FORGED_TYPES + HEAP + 64 + i,
                       forge_core_get(&f, generations + i), 8);
    struct opened o;
    expect_found(&o, &f, "10.0.12");
    close_core(&o);
    forge_core_put(&f, FORGED_TYPES + COUNT, 0, 4);
    expect_refused(&f, HD_UNSUPPORTED, "mini or triage");
}

/* --- what is no .NET, or not enough -------------------------------------------------- */

Test(runtime, is_not_in_other_programs)
{
    struct core_forge f = {0};
    expect_refused(&f, HD_UNSUPPORTED, "a list of mapped files");
    forge_core_mapping(&f, 0x400000, 0x401000, 0, "/usr/bin/cat");
    expect_refused(&f, HD_UNSUPPORTED, "a program without .NET");
    forge_process(&f, (struct forged_runtime){.is_native = true, .path = "/app/native"});
    expect_refused(&f, HD_UNSUPPORTED, "native AOT");
}

Test(runtime, needs_the_heap)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    for (size_t i = 1; i < f.region_count; i++) /* the library only */
        f.regions[i].size = 0;
    expect_refused(&f, HD_UNSUPPORTED, "mini or triage");
    forge_process(&f, (struct forged_runtime){0});
    forge_core_leave_out(&f, FORGED_RUNTIME_BASE + FORGED_LIBRARY_DATA + 0x1000,
                         FORGED_RUNTIME_BASE + FORGED_LIBRARY_SIZE);
    expect_refused(&f, HD_UNSUPPORTED, "mini or triage");
}

Test(runtime, reports_the_end_of_a_truncated_core)
{
    struct core_forge f;
    forge_process(&f, (struct forged_runtime){0});
    struct bytes core = forge_core_bytes(&f);
    core.size -= FORGED_HEAP_SIZE * 5 + 1;
    struct opened o = open_bytes(core);
    find_runtime(&o);
    cr_expect_not(o.ok);
    cr_expect_eq(o.err.status, HD_BAD_FORMAT);
    cr_expect_eq(o.err.at, core.size);
    cr_expect_not_null(
        strstr(o.err.message, "is truncated: 40961 bytes of memory are missing"), "%s",
        o.err.message);
    close_core(&o);
    forge_core_free(&f);
}

/* --- the file of the runtime --------------------------------------------------------- */

static const char *write_library(const char *name, const struct forged_runtime *how)
{
    struct text library = {0};
    forge_core_library(&library, how);
    const char *path = scratch_file(&scratch, name, library.data, library.len);
    text_free(&library);
    return path;
}

/* As dumped by the kernel: the first page and the modified ones. */
static void forge_kernel_process(struct core_forge *f, struct forged_runtime how)
{
    forge_process(f, how);
    forge_core_leave_out(f, FORGED_RUNTIME_BASE + 0x1000,
                         FORGED_RUNTIME_BASE + FORGED_LIBRARY_DATA);
}

Test(runtime, is_found_by_its_file_where_the_dump_lacks_it)
{
    struct core_forge f;
    struct forged_runtime how = {.json = forged_json(10), .own_version = "10.0.700.1"};
    how.path = write_library("libcoreclr.so", &how);
    forge_kernel_process(&f, how);
    expect_described(&f, "10.0.7", "its descriptor");
    /* As dumped by createdump: also without the modified page of the descriptor. */
    forge_process(&f, how);
    forge_core_leave_out(&f, FORGED_RUNTIME_BASE + FORGED_LIBRARY_DATA,
                         FORGED_RUNTIME_BASE + FORGED_LIBRARY_DATA + 0x1000);
    expect_described(&f, "10.0.7", "the descriptor in its file");
}

Test(runtime, is_not_looked_for_in_another_file_of_its_name)
{
    struct core_forge f;
    struct forged_runtime how = {.json = forged_json(10)};
    struct text library = {0};
    forge_core_library(&library, &how);
    library.data[FORGED_LIBRARY_BUILD_ID]++;
    how.path = scratch_file(&scratch, "libcoreclr.so", library.data, library.len);
    text_free(&library);
    forge_kernel_process(&f, how);
    expect_refused(&f, HD_UNSUPPORTED, "symbols of libcoreclr.so are not in the core dump");
    how.path = "/nowhere/libcoreclr.so";
    forge_kernel_process(&f, how);
    expect_refused(&f, HD_UNSUPPORTED, "symbols of libcoreclr.so are not in the core dump");
}
