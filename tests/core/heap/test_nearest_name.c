#include "heap/names.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const names[] = {
    "Shop.Sessions.Session",  "Shop.Sessions.SessionStore",
    "Shop.Orders.Order",      "Shop.Orders.Order[]",
    "System.String",          "System.Collections.Generic.List<Shop.Orders.Order>",
    "Shop.Orders.Cart+Entry",
};

enum { NAMES = sizeof(names) / sizeof(names[0]) };

static void expect(const char *pattern, const char *wanted)
{
    struct text got = {0};
    text_add_string(&got, "> ");
    bool any = nearest_name(&got, pattern, names, NAMES);
    cr_expect_eq(any, wanted != NULL, "%s", pattern);
    cr_expect_str_eq(text_string(&got) + 2, wanted != NULL ? wanted : "", "%s", pattern);
    text_free(&got);
}

Test(nearest_name, case_is_the_usual_slip)
{
    expect("session", "Shop.Sessions.Session");
    expect("shop.sessions.session", "Shop.Sessions.Session");
    expect("STRING", "System.String");
    expect("order[]", "Shop.Orders.Order[]");
    expect("cart+entry", "Shop.Orders.Cart+Entry");
}

Test(nearest_name, wildcards_stay_where_they_were)
{
    expect("shop.*", "Shop.*");
    expect("shop.Orders.?rder", "Shop.Orders.?rder");
    expect("*.session", "Shop.Sessions.Session");
    expect("shop.*.session", "Shop.Sessions.Session");
    expect("Zebra.*", NULL);
}

Test(nearest_name, a_pattern_without_the_namespace_gets_a_leading_wildcard)
{
    expect("List<*", "*List<*");
    expect("Session*", "*Session*");
    expect("Sessions?Session", "*Sessions?Session");
}

Test(nearest_name, a_part_of_the_last_part_is_enough)
{
    expect("store", "Shop.Sessions.SessionStore");
    expect("entry", "Shop.Orders.Cart+Entry");
    expect("Cart", NULL);
    expect("list", "System.Collections.Generic.List<Shop.Orders.Order>");
    expect("ders", NULL);
}

Test(nearest_name, so_are_few_edits)
{
    expect("Sesion", "Shop.Sessions.Session");
    expect("Shop.Order.Oredr", "Shop.Orders.Order");
    expect("NoSuchType", NULL);
}

Test(nearest_name, a_match_needs_no_suggestion)
{
    expect("Session", NULL);
    expect("Shop.*", NULL);
}

Test(nearest_name, without_names_there_is_no_nearest)
{
    struct text got = {0};
    cr_expect_not(nearest_name(&got, "x", NULL, 0));
    cr_expect_eq(got.len, 0);
    text_free(&got);
}
