#include "collect/own_modules.h"

#include <criterion/criterion.h>
#include <string.h>

/* As written by the SDK, shortened. */
static const char deps[] =
    "{\"runtimeTarget\":{\"name\":\".NETCoreApp,Version=v10.0\",\"signature\":\"\"},"
    "\"compilationOptions\":{},"
    "\"targets\":{\".NETCoreApp,Version=v10.0\":{"
    "\"Shop/1.0.0\":{\"dependencies\":{\"Shop.Core\":\"1.0.0\"},"
    "\"runtime\":{\"Shop.dll\":{}}},"
    "\"Newtonsoft.Json/13.0.3\":{\"runtime\":{\"lib/net6.0/Newtonsoft.Json.dll\":"
    "{\"assemblyVersion\":\"13.0.0.0\",\"fileVersion\":\"13.0.3.27908\"}}},"
    "\"Shop.Core/1.0.0\":{\"runtime\":{\"lib\\/Shop.Core.dll\":{\"fileVersion\":\"1\"}},"
    "\"resources\":{\"de/Shop.Core.resources.dll\":{\"locale\":\"de\"}}}}},"
    "\"libraries\":{"
    "\"Shop/1.0.0\":{\"type\":\"project\",\"serviceable\":false,\"sha512\":\"\"},"
    "\"Newtonsoft.Json/13.0.3\":{\"type\":\"package\",\"serviceable\":true},"
    "\"Shop.Core/1.0.0\":{\"path\":\"x\",\"type\":\"project\"}}}";

static struct bytes bytes_of(const char *s)
{
    return (struct bytes){(const unsigned char *)s, strlen(s)};
}

Test(own_modules, projects_are_own_and_packages_are_not)
{
    struct text names = {0};
    cr_assert(own_modules_of_deps(bytes_of(deps), &names));
    cr_expect(own_modules_have(&names, "/app/Shop.dll"));
    cr_expect(own_modules_have(&names, "/app/Shop.Core.dll"));
    cr_expect(own_modules_have(&names, "C:\\app\\Shop.Core.dll"));
    cr_expect(own_modules_have(&names, "Shop.dll"));
    cr_expect_not(own_modules_have(&names, "/app/Newtonsoft.Json.dll"));
    cr_expect_not(own_modules_have(&names, "/app/Shop.Core.resources.dll"));
    cr_expect_not(own_modules_have(&names, "/app/Shop.dl"));
    cr_expect_not(own_modules_have(&names, "/app/hop.dll"));
    cr_expect_not(own_modules_have(&names, ""));
    text_free(&names);
}

Test(own_modules, no_beginning_of_a_file_names_anything)
{
    struct text names = {0};
    for (size_t i = 0; i < sizeof(deps) - 1; i++) {
        cr_expect_not(
            own_modules_of_deps((struct bytes){(const unsigned char *)deps, i}, &names),
            "%zu", i);
        cr_expect_eq(names.len, 0);
    }
    text_free(&names);
}

Test(own_modules, a_file_of_another_form_names_nothing)
{
    static const char *const files[] = {
        "{}",
        "[]",
        "\"targets\"",
        "{\"targets\":{},\"libraries\":{}}",
        "{\"targets\":[],\"libraries\":{}}",
        "{\"targets\":{\"a\":{\"Shop\":{\"runtime\":{\"Shop.dll\":{}}}}}}",
        "{\"libraries\":{\"Shop\":{\"type\":\"project\"}}}",
        "{\"libraries\":{\"Shop\":{\"type\":\"project\"}},"
        "\"targets\":{\"a\":{\"Shop\":{\"runtime\":{}}}}}",
        "{\"libraries\":{\"Shop\":{\"type\":null}},"
        "\"targets\":{\"a\":{\"Shop\":{\"runtime\":{\"Shop.dll\":{}}}}}}",
        "{\"libraries\":{\"Shop\":{\"type\":\"project\"}},"
        "\"targets\":{\"a\":{\"Shop\":{\"runtime\":{\"Shop.dll\":{}}}},\"b\":[]}}",
        "{\"libraries\":{\"Shop\":\"project\"},"
        "\"targets\":{\"a\":{\"Shop\":{\"runtime\":{\"Shop.dll\":{}}}}}}",
    };
    struct text names = {0};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        cr_expect_not(own_modules_of_deps(bytes_of(files[i]), &names), "%s", files[i]);
    cr_expect_eq(names.len, 0);
    text_free(&names);
}

Test(own_modules, deep_and_wide_files_take_a_moment)
{
    enum { DEEP = 100000, WIDE = 20000 };
    struct text json = {0}, names = {0};
    for (int i = 0; i < DEEP; i++)
        text_add_string(&json, "{\"targets\":");
    cr_expect_not(own_modules_of_deps(bytes_of(text_string(&json)), &names));
    text_clear(&json);
    text_add_string(&json, "{\"libraries\":{\"x\":{}");
    for (int i = 0; i < WIDE; i++)
        text_add_string(&json, ",\"Shop.Of.A.Long.Name\":{\"type\":\"project\"}");
    text_add_string(&json, "},\"targets\":{\"a\":{\"x\":{}");
    for (int i = 0; i < WIDE; i++)
        text_add_string(&json, ",\"Shop.Of.A.Long.Nam\":{}");
    text_add_string(&json, "}}}");
    cr_expect_not(own_modules_of_deps(bytes_of(text_string(&json)), &names));
    text_free(&json);
    text_free(&names);
}

Test(own_modules, without_a_file_what_has_no_name_of_the_framework_may_be_own)
{
    cr_expect(own_modules_may_be("/app/Shop.dll"));
    cr_expect(own_modules_may_be("/app/SystemShop.dll"));
    cr_expect_not(own_modules_may_be("/app/System.Text.Json.dll"));
    cr_expect_not(own_modules_may_be("/app/Microsoft.Extensions.Hosting.dll"));
    cr_expect_not(own_modules_may_be("C:\\app\\netstandard.dll"));
}

Test(own_modules, a_program_is_found_by_its_name)
{
    cr_expect(own_modules_is_named("/app/Shop.dll", "Shop"));
    cr_expect(own_modules_is_named("C:\\app\\Shop.exe", "Shop"));
    cr_expect_not(own_modules_is_named("/app/Shop.Core.dll", "Shop"));
    cr_expect_not(own_modules_is_named("/Shop.dll/x", "Shop"));
    cr_expect_eq(own_modules_folder("/app/Shop.dll"), 4);
    cr_expect_eq(own_modules_folder("Shop.dll"), 0);
}
