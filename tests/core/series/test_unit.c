#include "series/series.h"

#include <criterion/criterion.h>

static void expect(enum hd_unit by, const char *name, const char *module,
                   const char *wanted)
{
    struct text got = {0};
    unit_name(&got, by, &(struct type){.name = name, .module = module});
    cr_expect_str_eq(text_string(&got), wanted, "%s: %s", name, text_string(&got));
    text_free(&got);
}

Test(unit, a_type_is_its_name)
{
    expect(HD_BY_TYPE, "App.Order", "/app/App.dll", "App.Order");
    expect(HD_BY_TYPE, "Entry<System.String,App.Order>[]", NULL,
           "Entry<System.String,App.Order>[]");
}

Test(unit, a_namespace_ends_at_the_last_dot_of_the_plain_name)
{
    expect(HD_BY_NAMESPACE, "App.Order", NULL, "App");
    expect(HD_BY_NAMESPACE, "App.Sales.Order", NULL, "App.Sales");
    expect(HD_BY_NAMESPACE, "Order", NULL, "(global)");
    expect(HD_BY_NAMESPACE, "", NULL, "(global)");
}

Test(unit, arguments_arrays_and_nested_types_are_not_namespaces)
{
    expect(HD_BY_NAMESPACE, "System.Collections.Generic.List<App.Order>", NULL,
           "System.Collections.Generic");
    expect(HD_BY_NAMESPACE, "Entry<System.String,App.Order>", NULL, "(global)");
    expect(HD_BY_NAMESPACE, "System.Byte[]", NULL, "System");
    expect(HD_BY_NAMESPACE, "App.Shop+Line.Odd", NULL, "App");
    expect(HD_BY_NAMESPACE, "<>c__DisplayClass0_0", NULL, "(global)");
}

Test(unit, a_leading_dot_makes_no_empty_namespace)
{
    expect(HD_BY_NAMESPACE, ".Odd", NULL, "(global)");
}

Test(unit, a_module_is_its_file_name)
{
    expect(HD_BY_MODULE, "A", "/usr/share/dotnet/System.Private.CoreLib.dll",
           "System.Private.CoreLib.dll");
    expect(HD_BY_MODULE, "A", "C:\\app\\App.dll", "App.dll");
    expect(HD_BY_MODULE, "A", "C:\\app/bin\\App.dll", "App.dll");
    expect(HD_BY_MODULE, "A", "App.dll", "App.dll");
}

Test(unit, an_unknown_module_is_marked)
{
    expect(HD_BY_MODULE, "A", NULL, "(unknown)");
    expect(HD_BY_MODULE, "A", "", "(unknown)");
    expect(HD_BY_MODULE, "A", "C:\\app\\", "(unknown)");
}

Test(unit, names_are_appended)
{
    struct text got = {0};
    text_add_string(&got, "> ");
    unit_name(&got, HD_BY_NAMESPACE, &(struct type){.name = "App.Order"});
    unit_name(&got, HD_BY_MODULE, &(struct type){.module = "/a/b"});
    cr_expect_str_eq(text_string(&got), "> Appb");
    text_free(&got);
}
