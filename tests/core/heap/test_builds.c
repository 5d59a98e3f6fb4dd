#include "heap/names.h"

#include "support/random.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect_folded(const char *name, const char *wanted)
{
    struct text out = {0};
    builds_fold(&out, name, strlen(name));
    cr_expect_str_eq(text_string(&out), wanted, "%s: %s", name, text_string(&out));
    text_free(&out);
}

static void expect_kept(const char *name)
{
    expect_folded(name, name);
}

Test(builds, closures_lose_their_numbers)
{
    expect_folded("App.Shop+<>c__DisplayClass12_0", "App.Shop+<>c__DisplayClass#_#");
    expect_folded("App.Shop+<>c__DisplayClass7", "App.Shop+<>c__DisplayClass#");
    expect_folded("App.Shop+<>c__DisplayClass0_0`1", "App.Shop+<>c__DisplayClass#_#`1");
}

Test(builds, state_machines_and_lambdas_lose_their_numbers)
{
    expect_folded("App.Shop+<Load>d__9", "App.Shop+<Load>d__#");
    expect_folded("App.Shop+<Load>d__19_3", "App.Shop+<Load>d__#_#");
    expect_folded("App.Shop+<<Load>b__4_0>d", "App.Shop+<<Load>b__#_#>d");
    expect_folded("<Main>b__12_1", "<Main>b__#_#");
    expect_folded("<>9__3_1", "<>9__#_#");
    expect_folded("b__12", "b__#");
}

Test(builds, anonymous_types_and_proxies_lose_their_numbers)
{
    expect_folded("<>f__AnonymousType3<System.String>",
                  "<>f__AnonymousType#<System.String>");
    expect_folded("VB$AnonymousType_0", "VB$AnonymousType_0");
    expect_folded("Castle.Proxies.Proxy_17", "Castle.Proxies.Proxy_#");
}

Test(builds, type_ids_are_hexadecimal)
{
    expect_folded("TypeID(0x7ffa3c)", "TypeID(0x#)");
    expect_folded("Type(0xDEADbeef)[]", "Type(0x#)[]");
    expect_folded("UNKNOWN 0x00ff", "UNKNOWN 0x#");
    expect_folded("TypeID(0x1g)", "TypeID(0x#g)");
}

Test(builds, numbers_of_people_stay)
{
    expect_kept("App.Order2");
    expect_kept("System.Int32");
    expect_kept("System.Tuple`2");
    expect_kept("App.Version_12_0");
    expect_kept("App.Vector3[]");
    expect_kept("0x12");
    expect_kept("");
    expect_kept("App.DisplayClass12");
    expect_kept("App.sub__12");
}

Test(builds, a_number_must_follow_immediately)
{
    expect_kept("<>c__DisplayClass");
    expect_kept("<>c__DisplayClass_0");
    expect_kept("<>c__DisplayClassA12");
    expect_kept("TypeID(0x)");
}

Test(builds, an_underscore_without_a_number_stays)
{
    expect_folded("<>c__DisplayClass12_", "<>c__DisplayClass#_");
    expect_folded("<>c__DisplayClass12_x", "<>c__DisplayClass#_x");
    expect_folded("<>c__DisplayClass1__2", "<>c__DisplayClass#__2");
}

Test(builds, every_made_name_in_a_name_is_folded)
{
    expect_folded("App.Map<App.A+<>c__DisplayClass1_2,App.B+<Run>d__3>",
                  "App.Map<App.A+<>c__DisplayClass#_#,App.B+<Run>d__#>");
    expect_folded("App.A+<>c__DisplayClass1_2+<<Go>b__0>d__5[]",
                  "App.A+<>c__DisplayClass#_#+<<Go>b__#>d__#[]");
}

Test(builds, two_builds_give_one_name_and_others_stay_apart)
{
    struct text a = {0}, b = {0};
    builds_fold(&a, "S+<>c__DisplayClass12_0", 23);
    builds_fold(&b, "S+<>c__DisplayClass4_10", 23);
    cr_expect_str_eq(text_string(&a), text_string(&b));
    text_clear(&b);
    builds_fold(&b, "T+<>c__DisplayClass4_10", 23);
    cr_expect_str_neq(text_string(&a), text_string(&b));
    text_free(&a);
    text_free(&b);
}

Test(builds, appends_to_the_text_and_reads_len_bytes_only)
{
    struct text out = {0};
    text_add_string(&out, "x ");
    builds_fold(&out, "<>9__12_34", 8);
    cr_expect_str_eq(text_string(&out), "x <>9__#_");
    text_free(&out);
}

/* A folded name contains no other number to fold. */
Test(builds, folding_twice_is_folding_once)
{
    static const char *const parts[] = {"<>c__DisplayClass",
                                        ">d__",
                                        ">b__",
                                        "<>9__",
                                        "AnonymousType",
                                        "Proxy_",
                                        "TypeID(0x",
                                        "UNKNOWN 0x",
                                        "_",
                                        "1",
                                        "23",
                                        "b__",
                                        "f",
                                        "A"};
    struct random r = random_from(3);
    for (int i = 0; i < 5000; i++) {
        struct text name = {0}, once = {0}, twice = {0};
        for (uint32_t n = random_below(&r, 8); n > 0; n--)
            text_add_string(&name, parts[random_below(&r, sizeof(parts) / sizeof(*parts))]);
        const char *given = text_string(&name);
        builds_fold(&once, given, strlen(given));
        builds_fold(&twice, text_string(&once), once.len);
        cr_expect_str_eq(text_string(&twice), text_string(&once), "%s", given);
        cr_expect_leq(once.len, strlen(given));
        text_free(&name);
        text_free(&once);
        text_free(&twice);
    }
}
