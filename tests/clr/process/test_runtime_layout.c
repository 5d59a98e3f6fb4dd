/* The text in which a runtime describes itself: values that are used, and rejected ones:
 * invalid numbers, impossible offsets, other contracts. */
#include "clr/process/runtime.h"

#include "support/forge_core.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool add(struct descriptor *d, const char *json, struct hd_error *err)
{
    return descriptor_add(d, json, strlen(json), err);
}

static struct descriptor described(const char *types, const char *globals)
{
    struct descriptor d;
    struct hd_error err = {0};
    char json[512];
    snprintf(json, sizeof(json), "{\"types\":{%s},\"globals\":{%s}}", types, globals);
    descriptor_clear(&d);
    cr_assert(add(&d, json, &err), "%s: %s", json, err.message);
    return d;
}

Test(runtime_layout, offsets_are_small_numbers_in_several_spellings)
{
    static const struct {
        const char *value;
        uint32_t offset;
    } cases[] = {
        {"24", 24},
        {"[24,\"pointer\"]", 24},
        {"\"0x18\"", 24},
        {"[\"24\"]", 24},
        {"0", 0},
        {"1048575", 1048575},
        {"1048576", RUNTIME_NO_OFFSET}, /* larger than any structure */
        {"-1", RUNTIME_NO_OFFSET},
        {"\"-1\"", RUNTIME_NO_OFFSET},
        {"\"0x18 \"", RUNTIME_NO_OFFSET},
        {"\"x\"", RUNTIME_NO_OFFSET},
        {"\":\"", RUNTIME_NO_OFFSET},
        {"\"\"", RUNTIME_NO_OFFSET},
        {"\"0x10000000000000000\"", RUNTIME_NO_OFFSET},
        {"1.5", RUNTIME_NO_OFFSET},
        {"[]", RUNTIME_NO_OFFSET},
        {"{}", RUNTIME_NO_OFFSET},
        {"null", RUNTIME_NO_OFFSET},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char types[100];
        snprintf(types, sizeof(types), "\"Module\":{\"Base\":%s}", cases[i].value);
        struct descriptor d = described(types, "");
        cr_expect_eq(d.at.module_base, cases[i].offset, "%s: %u", cases[i].value,
                     d.at.module_base);
    }
}

Test(runtime_layout, globals_are_places_in_a_table_or_numbers)
{
    static const struct {
        const char *value;
        uint32_t place;
    } cases[] = {
        {"[[3],\"pointer\"]", 3},
        {"[3]", 3},
        {"[[\"0x3\"]]", 3},
        {"[[3,4],\"pointer\"]", NO_GLOBAL},
        {"[[],\"pointer\"]", NO_GLOBAL},
        {"3", NO_GLOBAL},
        {"[3,4]", NO_GLOBAL},
        {"[[-3]]", NO_GLOBAL},
        {"[[1048576]]", NO_GLOBAL},
        {"null", NO_GLOBAL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char globals[100];
        snprintf(globals, sizeof(globals), "\"AppDomain\":%s", cases[i].value);
        struct descriptor d = described("", globals);
        cr_expect_eq(d.place[GLOBAL_APP_DOMAIN], cases[i].place, "%s: %u", cases[i].value,
                     d.place[GLOBAL_APP_DOMAIN]);
        cr_expect_eq(d.place[GLOBAL_THREAD_STORE], NO_GLOBAL);
    }
    static const char name[] = "NumberOfTlsOffsetsNotUsedInNoncollectibleArray";
    char globals[200];
    snprintf(globals, sizeof(globals),
             "\"%s\":[2,\"uint8\"],\"StaticsPointerMask\":\"0xfe\"", name);
    struct descriptor d = described("", globals);
    cr_expect_eq(d.at.tls_offsets_unused, 2);
    cr_expect_eq(d.at.statics_mask, 0xfe);
    snprintf(globals, sizeof(globals), "\"%s\":2000000,\"StaticsPointerMask\":\"-2\"",
             name);
    d = described("", globals);
    cr_expect_eq(d.at.tls_offsets_unused, 0);
    cr_expect_eq(d.at.statics_mask, 0);
}

Test(runtime_layout, contracts_are_those_that_this_was_written_for)
{
    static const struct {
        const char *value;
        bool known;
    } cases[] = {
        {"1", true},
        {"\"c1\"", true},
        {"\"1\"", true},
        {"2", false},
        {"\"c2\"", false},
        {"\"c1 \"", false},
        {"\"c\"", false},
        {"\"C1\"", false},
        {"null", false},
        {"\"\"", false},
        {"\"c99999999999999999999999\"", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct descriptor d;
        struct hd_error err = {0};
        char json[200];
        snprintf(json, sizeof(json), "{\"types\":{},\"contracts\":{\"Loader\":%s}}",
                 cases[i].value);
        descriptor_clear(&d);
        cr_expect_eq(add(&d, json, &err), cases[i].known, "%s", cases[i].value);
        cr_expect_eq(err.status, cases[i].known ? HD_OK : HD_UNSUPPORTED);
        if (!cases[i].known)
            cr_expect_not_null(strstr(err.message, "(contract Loader)"), "%s", err.message);
    }
}

/* Members for .NET 8 only must not matter for later versions, nor the reverse: a descriptor
 * has more members than a table. */
Test(runtime_layout, layouts_are_equal_if_all_used_members_are)
{
    struct descriptor table, own;
    struct hd_error err = {0};
    for (unsigned major = 8; major <= 10; major++) {
        bool is_8 = major == 8;
        descriptor_clear(&table);
        cr_assert(add(&table, forged_json(major), &err), "%s", err.message);
        descriptor_clear(&own);
        descriptor_add_table(&own, runtime_table_of(major, processor_of(MACHINE_X86_64)));
        cr_expect_eq(table.at.statics_mask, own.at.statics_mask);
        own.at.tls_offsets_unused = table.at.tls_offsets_unused;
        cr_expect(memcmp(&table.at, &own.at, sizeof(own.at)) == 0, "%u", major);
        cr_assert(add(&own,
                      is_8 ? "{\"types\":{\"Module\":{\"Base\":224}}}"
                           : "{\"types\":{\"Module\":{\"PEAssembly\":216,\"Assembly\":248},"
                             "\"MethodTable\":{\"NumVirtuals\":12}}}",
                      &err));
        cr_expect(descriptor_same_layout(&table.at, &own.at), "%u", major);
        cr_expect(descriptor_same_layout(&own.at, &table.at), "%u", major);
        cr_assert(add(&own, "{\"types\":{\"Module\":{\"LoaderAllocator\":8}}}", &err));
        cr_expect_not(descriptor_same_layout(&table.at, &own.at), "%u", major);
        own = table;
        own.at.thread_linked = 0;
        cr_expect_not(descriptor_same_layout(&table.at, &own.at), "%u", major);
    }
}

Test(runtime_layout, an_invalid_description_is_refused)
{
    static const char *const texts[] = {
        "", "{", "[]", "{\"types\":[]}", "{\"types\"", "null", "{\"Types\":{}}", "{}x"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct descriptor d;
        struct hd_error err = {0};
        descriptor_clear(&d);
        cr_expect_not(add(&d, texts[i], &err), "%s", texts[i]);
        cr_expect_eq(err.status, HD_BAD_FORMAT);
        cr_expect_str_eq(err.message, "the descriptor of the runtime is damaged");
    }
}

/* The first missing required member is reported, but not optional ones. */
Test(runtime_layout, a_missing_member_is_reported)
{
    struct arena a = {0};
    struct descriptor d;
    struct hd_error err = {0};
    descriptor_clear(&d);
    cr_expect_str_eq(descriptor_lacks(&d, &a), "MethodTable.!");
    cr_assert(add(&d, forged_json(10), &err), "%s", err.message);
    cr_expect_null(descriptor_lacks(&d, &a));
    d.at.app_domain_assembly_list = d.at.thread_static_data = RUNTIME_NO_OFFSET;
    cr_expect_null(descriptor_lacks(&d, &a));
    d.at.statics_mask = 0;
    cr_expect_str_eq(descriptor_lacks(&d, &a), "StaticsPointerMask");
    d.at.dynamic_metadata_data = RUNTIME_NO_OFFSET;
    cr_expect_str_eq(descriptor_lacks(&d, &a), "DynamicMetadata.Data");
    d.at.thread_link = RUNTIME_NO_OFFSET;
    cr_expect_str_eq(descriptor_lacks(&d, &a), "Thread.LinkNext");
    arena_free(&a);
}
