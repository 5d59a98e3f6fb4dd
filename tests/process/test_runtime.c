#include "process/core_file.h"
#include "process/runtime.h"
#include "support/forge_core.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct found {
    struct arena a;
    struct process_image image;
    struct runtime runtime;
    struct hd_error err;
    bool ok;
};

static struct found find(struct core_forge *f)
{
    struct found found = {0};
    found.ok = core_file_open(&found.image, forge_core_bytes(f), &found.a, &found.err);
    return found;
}

static void look(struct found *found)
{
    found->ok =
        found->ok && runtime_find(&found->runtime, &found->image, &found->a, &found->err);
}

static void drop(struct found *found, struct core_forge *f)
{
    core_file_close(&found->image);
    arena_free(&found->a);
    forge_core_free(f);
}

static void expect_refused(struct core_forge *f, const char *why)
{
    struct found found = find(f);
    look(&found);
    cr_expect_not(found.ok);
    cr_expect_not_null(strstr(found.err.message, why), "%s", found.err.message);
    drop(&found, f);
}

Test(runtime, is_found_by_the_table_of_its_version)
{
    struct core_forge f = {0};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    uint64_t type = forge_core_type(&f, 24, 0);
    forge_core_object(&f, 2, type, 24);
    struct found found = find(&f);
    look(&found);
    cr_expect(found.ok, "%s", found.err.message);
    cr_expect_str_eq(found.runtime.version, "10.0.12");
    cr_expect_str_eq(found.runtime.described_by, "the table of .NET 10");
    cr_expect_eq(found.runtime.free_object, f.free_type);
    cr_expect_eq(found.runtime.at.module.base, 224);
    cr_expect(runtime_is_method_table(&found.runtime, type));
    cr_expect_not(runtime_is_method_table(&found.runtime, type + 8));
    cr_expect_not(runtime_is_method_table(&found.runtime, f.free_type));
    cr_expect(runtime_heap_is_valid(&found.runtime));
    cr_expect_eq(runtime_heap_count_address(&found.runtime), forged_count_variable());
    drop(&found, &f);
}

Test(runtime, says_when_a_collection_was_going_on)
{
    struct core_forge f = {0};
    forge_core_runtime(&f, &(struct forged_runtime){0});
    forge_core_object(&f, 2, forge_core_type(&f, 24, 0), 24);
    forge_core_put(&f, forged_count_variable(), 1, 4);
    struct found found = find(&f);
    look(&found);
    cr_expect(found.ok, "%s", found.err.message);
    cr_expect_not(runtime_heap_is_valid(&found.runtime));
    drop(&found, &f);
}

Test(runtime, is_not_in_other_programs)
{
    struct core_forge f = {0};
    forge_core_mapping(&f, 0x400000, 0x401000, 0, "/usr/bin/cat");
    expect_refused(&f, "a program without .NET");
}

Test(runtime, is_not_found_in_native_programs)
{
    struct core_forge f = {0};
    forge_core_runtime(&f,
                       &(struct forged_runtime){.is_native = true, .path = "/app/native"});
    expect_refused(&f, "native AOT");
}
