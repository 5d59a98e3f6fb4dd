/* Checks a layout table: a process of .NET 8 with a module, an assembly, an image and two
 * threads; one pointer at a time has a wrong target, or is missing in the dump. */
#include "clr/process/opened.h"

#define PARTS UINT64_C(0x7f4000000000)

enum {
    MODULE = 0x0,
    ASSEMBLY = 0x800,
    DOMAIN_ASSEMBLY = 0x900,
    LOCAL_MODULE = 0xA00,
    PE_ASSEMBLY = 0xB00,
    PE_IMAGE = 0xC00,
    LAYOUT = 0xD00,
    STORE = 0xF00,
    THREAD = 0x1000, /* another one follows THREAD_SIZE further */
    THREAD_SIZE = 0x800,
    MODULES = 0x2000, /* of a thread */
    HANDLE = 0x2040,
    ARRAY = 0x2048,
    THREAD_MODULE = 0x2060,
    LOOSE = 0x2080, /* a pointer to STORE, minus the offset of the module in an Assembly */
    DOMAIN = 0x2100,
    IMAGE = 0x3000, /* as the loader maps it */
    PARTS_SIZE = 0x3100,
    LIST = 2544
};

static struct core_forge f;
static uint64_t type, base_type;

static void put(uint64_t at, uint64_t value)
{
    forge_core_put(&f, PARTS + at, value, 8);
}

static void forge_threads(void)
{
    for (uint64_t i = 0; i < 2; i++) {
        uint64_t thread = THREAD + i * THREAD_SIZE;
        put(thread + 232, i == 0 ? PARTS + THREAD + THREAD_SIZE + 232 : 0);
        put(thread + 88, 0x1000);
        put(thread + 96, 0x2000);
        put(thread + 1080, PARTS + MODULES);
        put(thread + 1088, 8);
    }
    put(MODULES, PARTS + THREAD_MODULE);
    put(THREAD_MODULE, PARTS + ARRAY);
    put(THREAD_MODULE + 16, PARTS + HANDLE);
    put(HANDLE, PARTS + ARRAY);
    put(ARRAY, type);
    put(STORE + 160, PARTS + THREAD + 232);
    put(STORE + 184, 2);
}

static void forge_all(void)
{
    f = (struct core_forge){0};
    forge_core_runtime(&f, &(struct forged_runtime){.major = 8});
    base_type = forge_core_type(&f, 24, 0);
    type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 2, type, 24);
    forge_core_region(&f, PARTS, PARTS_SIZE);
    forge_core_put(&f, type + 16, base_type, 8);
    forge_core_put(&f, type + 24, PARTS + MODULE, 8);
    put(MODULE + 272, PARTS + PE_ASSEMBLY);
    put(MODULE + 296, PARTS + ASSEMBLY);
    put(MODULE + 1224, PARTS + LOCAL_MODULE);
    put(ASSEMBLY + 24, PARTS + MODULE);
    put(DOMAIN_ASSEMBLY, PARTS + ASSEMBLY);
    put(LOCAL_MODULE, PARTS + DOMAIN_ASSEMBLY);
    put(PE_ASSEMBLY + 8, PARTS + PE_IMAGE);
    put(PE_IMAGE + 120, PARTS + LAYOUT);
    put(LAYOUT + 8, PARTS + IMAGE);
    forge_core_put_bytes(&f, PARTS + IMAGE, "MZ", 2);
    forge_threads();
    put(LOOSE, PARTS + STORE + 160 - 24);
    put(DOMAIN + LIST, 1);
    put(DOMAIN + LIST + 8 + 16, PARTS + DOMAIN_ASSEMBLY);
    forge_core_put(&f, forged_app_domain_variable(), PARTS + DOMAIN, 8);
    forge_core_put(&f, forged_thread_store_variable(), PARTS + STORE, 8);
}

TestSuite(runtime_check, .init = forge_all);

static void expect_fits(const char *what)
{
    struct opened o = open_core(&f);
    find_runtime(&o);
    cr_expect(o.ok, "%s: %s", what, o.err.message);
    if (o.ok)
        cr_expect_str_eq(o.runtime.version, "8.0.31");
    close_core(&o);
}

Test(runtime_check, a_matching_table_is_accepted)
{
    expect_fits("all");
    forge_core_free(&f);
}

/* A changed word, and the structure that is reported. */
Test(runtime_check, a_mismatch_is_refused_by_name)
{
    const struct {
        uint64_t at, value;
        const char *structure;
    } cases[] = {
        {type + 16, PARTS + MODULE, "MethodTable"},
        {type + 16, type, "MethodTable"}, /* a cycle */
        {PARTS + ASSEMBLY + 24, PARTS + STORE, "Module"},
        {PARTS + MODULE + 296, PARTS + STORE, "Module"},
        {PARTS + LOCAL_MODULE, PARTS + STORE, "Module"},
        {PARTS + DOMAIN + LIST + 8 + 16, PARTS + LOOSE, "AppDomain"},
        {PARTS + IMAGE, 0, "PEAssembly"},
        {PARTS + LAYOUT + 8, PARTS + STORE, "PEAssembly"},
        {PARTS + LAYOUT + 8, 0, "PEAssembly"},
        {PARTS + DOMAIN + LIST + 8 + 16, 0, "AppDomain"},
        {PARTS + DOMAIN + LIST + 8 + 16, 0x10, "AppDomain"}, /* invalid address */
        {PARTS + STORE + 184, 5, "ThreadStore"},
        {PARTS + STORE + 184, 3, NULL}, /* one has just ended */
        {PARTS + STORE + 184, 1, NULL}, /* one has just started */
        {PARTS + THREAD + 232, PARTS + THREAD + 232, "ThreadStore"},
        {PARTS + THREAD + 232, 0x10, "ThreadStore"},
        {PARTS + THREAD + 424, UINT64_C(1) << 32, "Thread"},
        {PARTS + THREAD + 424, 0xBAADF00D, NULL}, /* it has ended */
        {PARTS + THREAD + 1080, 0x10, "Thread"},
        {PARTS + THREAD + 1088, UINT32_MAX, "Thread"},
        {PARTS + MODULES, 0x10, "Thread"},
        {PARTS + THREAD_MODULE, 0x10, "Thread"},
        {PARTS + THREAD_MODULE + 16, 0x10, "Thread"},
        {PARTS + HANDLE, PARTS + LOOSE, "Thread"}, /* not an array */
        {PARTS + HANDLE, 0, NULL},
        {PARTS + THREAD + 88, 0x3000, NULL}, /* being changed */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char why[200] = "";
        forge_core_free(&f);
        forge_all();
        forge_core_put(&f, cases[i].at, cases[i].value, 8);
        if (cases[i].structure == NULL) {
            snprintf(why, sizeof(why), "case %zu", i);
            expect_fits(why);
            continue;
        }
        snprintf(why, sizeof(why),
                 "the memory layout of this .NET 8.0.31 differs from the table of .NET 8 "
                 "(%s); take a gcdump",
                 cases[i].structure);
        expect_refused(&f, HD_UNSUPPORTED, why);
    }
    forge_core_free(&f);
}

/* If no thread has a valid allocation context, the table is wrong. */
Test(runtime_check, not_all_threads_are_half_changed)
{
    put(THREAD + 88, 0x3000);
    put(THREAD + THREAD_SIZE + 88, 0x1001);
    expect_refused(&f, HD_UNSUPPORTED, "(Thread)");
}

/* Missing memory proves nothing, but the runtime's own pointers must have a target. */
Test(runtime_check, missing_memory_proves_nothing)
{
    enum { STEP = 0x40 };
    size_t refused = 0;
    for (uint64_t at = STEP; at + STEP < PARTS_SIZE; at += STEP) {
        forge_core_free(&f);
        forge_all();
        forge_core_leave_out(&f, PARTS + at, PARTS + at + STEP);
        struct opened o = open_core(&f);
        find_runtime(&o);
        cr_expect(o.ok || strstr(o.err.message, "differs from the table") != NULL,
                  "without 0x%x: %s", (unsigned)at, o.err.message);
        refused += !o.ok;
        close_core(&o);
    }
    forge_core_free(&f);
    cr_expect_leq(refused, 12, "%zu", refused);
}

/* Cyclic lists of threads terminate. */
Test(runtime_check, every_word_may_be_another)
{
    static const uint64_t values[] = {
        0, 1, 8, UINT32_MAX, UINT64_MAX, UINT64_MAX - 7, PARTS + THREAD + 232, PARTS};
    for (uint64_t at = 0; at < PARTS_SIZE; at += 8) {
        if (forge_core_get(&f, PARTS + at) == 0)
            continue;
        for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++) {
            uint64_t was = forge_core_get(&f, PARTS + at);
            put(at, values[k]);
            struct opened o = open_core(&f);
            find_runtime(&o);
            cr_expect(o.ok || strstr(o.err.message, "differs from the table") != NULL,
                      "0x%x: %s", (unsigned)at, o.err.message);
            close_core(&o);
            put(at, was);
        }
    }
    forge_core_free(&f);
}
