#include "heap/place.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct {
    const char *name;
    enum place_kind kind;
    const char *type, *field; /* field NULL: none */
} places[] = {
    /* dotnet-gcdump and traces: variables by the type of their value */
    {"[static var App.Shop.s_all]", PLACE_STATIC, "App.Shop", "s_all"},
    {"[static var System.String[].s_names]", PLACE_STATIC, "System.String[]", "s_names"},
    {"[static var <>c.<>9]", PLACE_STATIC, "<>c", "<>9"},
    {"[static var System.Func<App.Order,System.Int32>.<>9__0_0]", PLACE_STATIC,
     "System.Func<App.Order,System.Int32>", "<>9__0_0"},
    {"[static var Type(0x7f3a).s_all]", PLACE_STATIC, "Type(0x7f3a)", "s_all"},
    {"[static var A<B.C>.<I.X>k__BackingField]", PLACE_STATIC, "A<B.C>",
     "<I.X>k__BackingField"},
    {"[static var D`2[[A.B, asm],[C.D, asm]].s_all]", PLACE_STATIC,
     "D`2[[A.B, asm],[C.D, asm]]", "s_all"},
    /* cores, and full names: by the declaring class */
    {"[static var App.Cache<System.String>+Entry<A.B>.s_all]", PLACE_STATIC,
     "App.Cache<System.String>+Entry<A.B>", "s_all"},
    /* heap text: any text after "static var" */
    {"[static var App]", PLACE_STATIC, "App", NULL},
    {"[static var ?]", PLACE_STATIC, "?", NULL},
    {"[static var A<B.C>]", PLACE_STATIC, "A<B.C>", NULL},
    {"[static var ]", PLACE_STATIC, "", NULL},
    {"[static var .]", PLACE_STATIC, "", ""},
    {"[static var App.]", PLACE_STATIC, "App", ""},
    {"[static var .s_all]", PLACE_STATIC, "", "s_all"},
    {"[static var App.a → b]", PLACE_STATIC, "App", "a → b"},
    {"[static var [static var A.b].c]", PLACE_STATIC, "[static var A.b]", "c"},
    {"[static var A.s_cut", PLACE_STATIC, "A", "s_cut"},
    {"[static var A<.b]", PLACE_STATIC, "A<.b", NULL},
    {"[static var A>.b]", PLACE_STATIC, "A>", "b"},
    {"[Static Var T.f]", PLACE_STATIC, "T", "f"},
    {"[thread static var App.Shop.t_all]", PLACE_THREAD_STATIC, "App.Shop", "t_all"},
    {"App.Cache.s_all (static var)", PLACE_STATIC, "App.Cache", "s_all"},
    /* roots, groups of roots, and handles */
    {"[static vars]", PLACE_ROOTS, "[static vars]", NULL},
    {"[static variable]", PLACE_ROOTS, "[static variable]", NULL},
    {"[.NET Roots]", PLACE_ROOTS, "[.NET Roots]", NULL},
    {"[strong Handles]", PLACE_ROOTS, "[strong Handles]", NULL},
    {"[CCW # for type App.Shop]", PLACE_ROOTS, "[CCW # for type App.Shop]", NULL},
    {"[unreachable]", PLACE_ROOTS, "[unreachable]", NULL},
    {"[", PLACE_ROOTS, "[", NULL},
    /* types; the only kind in dumpheap, tables and mono */
    {"App.Order", PLACE_TYPE, "App.Order", NULL},
    {"App.Order[,]", PLACE_TYPE, "App.Order[,]", NULL},
    {"System.Func<App.Order,A[]>+<>c", PLACE_TYPE, "System.Func<App.Order,A[]>+<>c", NULL},
    {"UNKNOWN 0x7f3a", PLACE_TYPE, "UNKNOWN 0x7f3a", NULL},
    {"Thread Static Variables", PLACE_TYPE, "Thread Static Variables", NULL},
    {"A [static var B.c]", PLACE_TYPE, "A [static var B.c]", NULL},
    {" (static var)", PLACE_TYPE, " (static var)", NULL},
    {"…", PLACE_TYPE, "…", NULL},
    {"", PLACE_TYPE, "", NULL},
};

enum { PLACES = sizeof(places) / sizeof(*places) };

Test(place, is_taken_to_parts_and_put_together)
{
    struct text name = {0};
    for (size_t i = 0; i < PLACES; i++) {
        struct place p = place_of(places[i].name);
        text_clear(&name);
        place_add(&name, &p);
        cr_expect_str_eq(text_string(&name), places[i].name);
        cr_expect_eq(p.kind, places[i].kind, "%s", places[i].name);
        cr_expect(name_part_is(p.type, places[i].type), "%s: type %.*s", places[i].name,
                  (int)p.type.len, p.type.at);
        cr_assert_eq(p.field.at != NULL, places[i].field != NULL, "%s", places[i].name);
        cr_expect(places[i].field == NULL || name_part_is(p.field, places[i].field),
                  "%s: field %.*s", places[i].name, (int)p.field.len, p.field.at);
    }
    text_free(&name);
}

Test(place, any_bytes_are_one)
{
    static const char *const parts[] = {"[static var ",  "[", "]",   ".",    "<", ">",
                                        " (static var)", "A", " → ", "\xFF", " "};
    enum { PARTS = sizeof(parts) / sizeof(*parts), LONGEST = 5, NAMES = 161051 };
    struct text name = {0};
    for (size_t n = 0; n < NAMES; n++) {
        char raw[LONGEST * 16] = "";
        for (size_t i = 0, rest = n; i < LONGEST; i++, rest /= PARTS)
            strcat(raw, parts[rest % PARTS]);
        struct place p = place_of(raw);
        text_clear(&name);
        place_add(&name, &p);
        cr_assert_str_eq(text_string(&name), raw);
    }
    text_free(&name);
}

Test(place, static_variables_are_put_together)
{
    struct text name = {0};
    place_add_static(&name, name_part("App.Shop"), name_part("s_all"));
    place_add_static(&name, name_part("A"), (struct name_part){0});
    cr_expect_str_eq(text_string(&name), "[static var App.Shop.s_all][static var A]");
    text_free(&name);
}

Test(place, variables_of_the_framework_count_for_collections_only)
{
    static const struct {
        const char *name;
        bool tells;
    } cases[] = {
        {"[static var App.Shop.s_all]", true},
        {"[thread static var App.Shop.t_all]", true},
        {"[static var System.Func<App.Order>.s_all]", true},
        {"[static var System.Func<System.String>.s_all]", false},
        {"[static var System.Collections.Generic.List<System.String>.s_all]", true},
        {"[static var Microsoft.Win32.Registry.<System.A>k__BackingField]", false},
        {"[static vars]", false},
        {"App.Shop", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct place p = place_of(cases[i].name);
        cr_expect_eq(place_tells(&p), cases[i].tells, "%s", cases[i].name);
    }
}

/* --- holders --- */

Test(holder, is_split_at_arrows_and_joined)
{
    static const struct {
        const char *name;
        const char *places[3];
        size_t len;
    } cases[] = {
        {"A", {"A"}, 1},
        {"[static vars] → [static var App.s_all] → A[]",
         {"[static vars]", "[static var App.s_all]", "A[]"},
         3},
        {"A →B→ C", {"A →B→ C"}, 1},
        {"A → → B", {"A", "→ B"}, 2},
        {"…", {"…"}, 1},
        {"", {""}, 1},
        {" → ", {"", ""}, 2},
    };
    struct arena a = {0};
    struct text joined = {0};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char **split;
        size_t len = holder_split(cases[i].name, &split, &a);
        cr_assert_eq(len, cases[i].len, "%s", cases[i].name);
        for (size_t n = 0; n < len; n++)
            cr_expect_str_eq(split[n], cases[i].places[n], "%s", cases[i].name);
        text_clear(&joined);
        holder_join(&joined, split, len);
        cr_expect_str_eq(text_string(&joined), cases[i].name);
        cr_expect_eq(holder_place_end(cases[i].name) - cases[i].name,
                     (long)strlen(split[0]), "%s", cases[i].name);
    }
    text_free(&joined);
    arena_free(&a);
}
