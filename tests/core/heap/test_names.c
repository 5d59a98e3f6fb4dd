#include "heap/names.h"

#include "format/expected_table.h"
#include "support/large.h"
#include "support/random.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <jansson.h>
#include <string.h>

/* Generic arguments are parsed in names of up to a mebibyte: one size below, one above. */
enum { BIG = MILLION / 4, BIGGER = 5 * BIG };

struct pair {
    const char *raw, *canonical;
};

static void check_one(const char *raw, size_t len, const char *wanted)
{
    struct text got = {0};
    names_canonical(&got, raw, len);
    cr_expect_str_eq(text_string(&got), wanted, "%s\n    became %s\n    and not %s", raw,
                     text_string(&got), wanted);
    text_free(&got);
}

static void check(const char *raw, const char *wanted)
{
    check_one(raw, strlen(raw), wanted);
}

static void check_all(const struct pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check(pairs[i].raw, pairs[i].canonical);
        check(pairs[i].canonical, pairs[i].canonical);
    }
}

#define CHECK_ALL(pairs) check_all((pairs), sizeof(pairs) / sizeof((pairs)[0]))

Test(names, canonical_is_appended)
{
    struct text out = {0};
    text_add_string(&out, "[");
    names_canonical(&out, "Foo (Bytes > 1K)", 16);
    names_canonical(&out, "UNKNOWN", 7);
    cr_assert_str_eq(text_string(&out), "[Foo<unknown type>");
    text_free(&out);
}

Test(names, ordinary_names_stay_as_they_are)
{
    static const char *const names[] = {
        "System.String",
        "System.Byte[]",
        "System.Int32[,]",
        "System.Int32[][]",
        "System.Byte*",
        "Orchard.Program+<>c",
        "LeakLab.Background+<>c__DisplayClass26_0+<<PoolWorkAsync>b__0>d",
        "Program+<<Main>$>d__0",
        "System.Collections.Generic.Dictionary<System.String,Orchard.Session>+Entry[]",
        "Odd \"quoted\" name",
        "a, b",
        "TypeID(0x2a)",
        "UNKNOWN 0x7f9c5abdb208",
        "UNKNOWNS",
        "<unknown type>",
        "<unknown_type_>",
        "Free",
        "tab\tname",
        "nl\r\nx1089a",
        "\xE6\xBC\xA2\xF0\x9F\x98\x80",    /* UTF-8 */
        "lone \xED\xA0\xBD surrogate\xFF", /* invalid UTF-8 */
        "property (Type  T <|tag:value|>)",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        check(names[i], names[i]);
}

/* For a native AOT program, traces and files of dotnet-gcdump have the same number. */
Test(names, types_without_a_name_have_their_number)
{
    uint64_t number = 0;
    check("Type(0x7f9c5ac7c508)", "TypeID(0x7f9c5ac7c508)");
    check("ArrayType(0x2a)", "TypeID(0x2a)");
    check("ArrayType(0x2a) (Bytes > 1K)", "TypeID(0x2a)");
    check("ArrayType(0x2a)[]", "ArrayType(0x2a)[]");
    check("Type(0x)", "Type(0x)");
    check("Type(0x2a", "Type(0x2a");
    check("MyType(0x2a)", "MyType(0x2a)");
    cr_expect(names_number("TypeID(0xfFfFfFfFfFfFfFfF)", &number));
    cr_expect_eq(number, UINT64_MAX);
    cr_expect_not(names_number("TypeID(0x10000000000000000)", &number));
    cr_expect_not(names_number("TypeID(0x2a) ", &number));
    cr_expect_not(names_number("App.Order", &number));
}

/* --- what is canonical stays ------------------------------------------------------- */

/* A name: concatenated parts, and suffixes of writers. Most parse, some do not. */
static void add_random_name(struct text *t, struct random *r, int depth)
{
    static const char *const parts[] = {"A",
                                        "App.Order",
                                        "System.Byte",
                                        "b",
                                        "Outer`1",
                                        "+Inner`2",
                                        "`1",
                                        "`0",
                                        "<>c",
                                        "[]c",
                                        "[]",
                                        "[,]",
                                        "<,>",
                                        "<,,>",
                                        "<",
                                        ">",
                                        "[",
                                        "]",
                                        "[[",
                                        "]]",
                                        ",",
                                        ", ",
                                        " ",
                                        "*",
                                        "+",
                                        ".",
                                        "(",
                                        ")",
                                        "d__5",
                                        "RefCnt: 12]",
                                        "[CCW 0x1f for",
                                        "[RCW x!A "};
    static const char *const tails[] = {" (Bytes > 1K)",
                                        " (NoPtrs,ElemSize=2)",
                                        " (Bytes > 10M,Ptrs,ElemSize=8)",
                                        ", Version=1.0.0.0",
                                        ", Culture=neutral",
                                        ", PublicKeyToken=b7",
                                        ", mscorlib",
                                        "[]",
                                        "[,]",
                                        "<,>"};
    enum { PARTS = sizeof(parts) / sizeof(*parts), TAILS = sizeof(tails) / sizeof(*tails) };
    for (uint32_t i = 1 + random_below(r, 3); i > 0; i--)
        text_add_string(t, parts[random_below(r, PARTS)]);
    if (depth < 3 && random_below(r, 2) == 0) {
        bool metadata = random_below(r, 2) == 0;
        text_add_string(t, metadata ? "[[" : "<");
        for (uint32_t i = 1 + random_below(r, 2); i > 0; i--) {
            add_random_name(t, r, depth + 1);
            text_add_string(t, i == 1 ? "" : metadata ? "],[" : ", ");
        }
        text_add_string(t, metadata ? "]]" : ">");
    }
    for (uint32_t i = random_below(r, 4); i > 0; i--)
        text_add_string(t, tails[random_below(r, TAILS)]);
}

Test(names, canonical_names_of_100_000_random_ones_stay_as_they_are)
{
    struct random r = random_from(13);
    for (int i = 0; i < MILLION / 10; i++) {
        struct text raw = {0}, once = {0}, twice = {0};
        add_random_name(&raw, &r, 0);
        names_canonical(&once, raw.data, raw.len);
        names_canonical(&twice, once.data, once.len);
        cr_assert_str_eq(text_string(&twice), text_string(&once), "%s\n    became %s",
                         text_string(&raw), text_string(&once));
        text_free(&raw);
        text_free(&once);
        text_free(&twice);
    }
}

Test(names, a_rule_applies_to_the_result_of_another)
{
    static const struct pair pairs[] = {
        {"A (Bytes > 1K), Version=1.0", "A"},
        {"A (Bytes > 1K), Version=1.0 (Bytes > 10K)", "A"},
        {"A+[, Version=1.0]c", "A+<>c"},
        {"System.Int32<, Version=1.0,>", "System.Int32[,]"},
    };
    CHECK_ALL(pairs);
}

Test(names, size_classes_are_removed)
{
    static const struct pair pairs[] = {
        {"System.String (Bytes > 1K)", "System.String"},
        {"System.String (Bytes > 10K)", "System.String"},
        {"System.String (Bytes > 100K)", "System.String"},
        {"System.String (Bytes > 1M)", "System.String"},
        {"System.Byte[] (Bytes > 10M)", "System.Byte[]"},
        {"Free (Bytes > 100M)", "Free"},
        {"System.Object[] (Bytes > 1K,Ptrs,ElemSize=8)", "System.Object[]"},
        {"System.Byte[] (NoPtrs,ElemSize=1)", "System.Byte[]"},
        {"UNKNOWN 0x7f9c5a2522d8 (Bytes > 1K)", "UNKNOWN 0x7f9c5a2522d8"},
        {"A (Bytes > 1K) (Bytes > 1K)", "A"},
        {"A (Bytes > 2K)", "A (Bytes > 2K)"},
        {"A (Bytes > 1G)", "A (Bytes > 1G)"},
        {"A (Bytes > 1K,)", "A (Bytes > 1K,)"},
        {"A (Bytes > 1K", "A (Bytes > 1K"},
        {"A(Bytes > 1K)", "A(Bytes > 1K)"},
        {"A (Ptrs,ElemSize=)", "A (Ptrs,ElemSize=)"},
        {"A (Ptrs,ElemSize=8x)", "A (Ptrs,ElemSize=8x)"},
        {"(Bytes > 1K)", "(Bytes > 1K)"},
    };
    CHECK_ALL(pairs);
}

Test(names, bracket_rewriting_is_undone)
{
    static const struct pair pairs[] = {
        {"[]c", "<>c"},
        {"[]c__DisplayClass3", "<>c__DisplayClass3"},
        {"Foo+[]c__DisplayClass3+<<Bar>b__0>d", "Foo+<>c__DisplayClass3+<<Bar>b__0>d"},
        {"List<Foo+[]c>", "List<Foo+<>c>"},
        {"A.B<C>[]105e8", "A.B<C><>105e8"},
        {"[]_x[]", "<>_x[]"},
        {"System.Int32<,>", "System.Int32[,]"},
        {"System.Int32<,,>[]", "System.Int32[,,][]"},
        {"Foo<System.Int32<,>,Bar>", "Foo<System.Int32[,],Bar>"},
        {"Foo<>", "Foo<>"},
        {"Foo<,", "Foo<,"},
        {"Foo[].Bar", "Foo[].Bar"},
    };
    CHECK_ALL(pairs);
}

Test(names, tools_write_brackets_as_angles_and_leave_out_how_many_arguments)
{
    static const struct pair pairs[] = {
        {"App.List`1", "App.List"},
        {"App.List`12", "App.List"},
        {"A`1[B]", "A<B>"},
        {"A`2[B,C`1[D]]", "A<B,C<D>>"},
        {"B[]", "B[]"},
        {"B[][]", "B[][]"},
        {"A`1[B[]]", "A<B[]>"},
        {"A<>", "A[]"},
        {"A`", "A`"},
        {"A`x1", "A`x1"},
        {"A`1x", "Ax"},
        {"`1", ""},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        struct text got = {0};
        names_rewritten(&got, pairs[i].raw, strlen(pairs[i].raw));
        cr_expect_str_eq(text_string(&got), pairs[i].canonical, "%s became %s",
                         pairs[i].raw, text_string(&got));
        text_free(&got);
    }
}

Test(names, versions_of_assemblies_are_removed)
{
    static const struct pair pairs[] = {
        {"Foo, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null", "Foo"},
        {"Foo, MyAsm, Version=1.0.0.0", "Foo, MyAsm"},
        {"A<B, Version=1.0, Culture=neutral, C>[]", "A<B,C>[]"},
        {"List`1[[A, asm, Version=4.0.0.0, Culture=neutral, "
         "PublicKeyToken=b77a5c561934e089]]",
         "List<A>"},
        {"Foo, Versions=1", "Foo, Versions=1"},
    };
    CHECK_ALL(pairs);
}

Test(names, counters_in_wrappers_are_hidden)
{
    static const struct pair pairs[] = {
        {"[RCW mscorlib!System.Foo RefCnt: 12]", "[RCW mscorlib!System.Foo RefCnt: #]"},
        {"[CCW for Foo RefCnt: 1]", "[CCW for Foo RefCnt: #]"},
        {"[CCW 0x1f2e for type Foo]", "[CCW # for type Foo]"},
        {"[CCW 0x1F for type []c RefCnt: 12345]", "[CCW # for type <>c RefCnt: #]"},
        {"[RCW Foo]", "[RCW Foo]"},
        {"[RCW Foo RefCnt: x]", "[RCW Foo RefCnt: x]"},
        {"[RCW Foo RefCnt: 1", "[RCW Foo RefCnt: 1"},
        {"[CCW 0x1f2e type Foo]", "[CCW 0x1f2e type Foo]"},
        {"[CCW 0x for type Foo]", "[CCW 0x for type Foo]"},
        {"Foo RefCnt: 12]", "Foo RefCnt: 12]"},
    };
    CHECK_ALL(pairs);
}

Test(names, unknown_types_are_one)
{
    check("UNKNOWN", UNKNOWN_TYPE_NAME);
    check("UNKNOWN (Bytes > 1K)", UNKNOWN_TYPE_NAME);
    check("<unknown_type_7f21c0d00010>", UNKNOWN_TYPE_NAME);
    check("", UNKNOWN_TYPE_NAME);
    check(" (Bytes > 10K)", UNKNOWN_TYPE_NAME);
}

Test(names, a_nul_does_not_hide_the_rest)
{
    check_one("a\0b\0", 4,
              "a\xEF\xBF\xBD"
              "b\xEF\xBF\xBD");
}

Test(names, pseudo_nodes_keep_their_names)
{
    static const struct pair pairs[] = {
        {"[.NET Roots]", "[.NET Roots]"},
        {"[static vars]", "[static vars]"},
        {"[COM/WinRT Objects]", "[COM/WinRT Objects]"},
        {"[static var System.Byte[].s_x]", "[static var System.Byte[].s_x]"},
        {"[static var System.Func<System.Int32>[].Cache]",
         "[static var System.Func<System.Int32>[].Cache]"},
        {"[static var System.Comparison<System.ValueTuple<A,B>>.<>9__147_0]",
         "[static var System.Comparison<System.ValueTuple<A,B>>.<>9__147_0]"},
        {"[static var System.Foo<A, B>.s_x]", "[static var System.Foo<A,B>.s_x]"},
        {"[static var []c.<>9__3_0]", "[static var <>c.<>9__3_0]"},
        {"[static var Foo.<Log>k__BackingField]", "[static var Foo.<Log>k__BackingField]"},
        {"[static var Foo.<0>__CreateCacheEntry]",
         "[static var Foo.<0>__CreateCacheEntry]"},
        {"[static var List`1[[A, asm]].s_x]", "[static var List<A>.s_x]"},
    };
    CHECK_ALL(pairs);
}

/* --- every name of the fixtures --- */

/* Rows are {"type": name, ...} or [name, ...]. */
static const char *row_name(const json_t *row)
{
    return json_string_value(json_is_array(row) ? json_array_get(row, 0)
                                                : json_object_get(row, "type"));
}

/* Both contain the same rows in the same order. */
static size_t check_table(const json_t *raw, const json_t *canonical)
{
    cr_assert_eq(json_array_size(raw), json_array_size(canonical));
    for (size_t i = 0; i < json_array_size(raw); i++)
        check(row_name(json_array_get(raw, i)), row_name(json_array_get(canonical, i)));
    return json_array_size(raw);
}

static size_t check_tables_of(const char *path, const char *raw_key,
                              const char *canonical_key)
{
    json_t *root = expected_load(path), *files = json_object_get(root, "files"), *file;
    size_t checked = 0;
    const char *name;
    json_object_foreach(files != NULL ? files : root, name, file)
    {
        const json_t *canonical = json_object_get(file, canonical_key);
        if (canonical != NULL)
            checked += check_table(json_object_get(file, raw_key), canonical);
    }
    json_decref(root);
    return checked;
}

Test(names, raw_names_of_the_text_fixtures_become_the_canonical_ones)
{
    cr_assert_eq(
        check_tables_of("fixtures/heap-text/expected.json", "table", "canonical_table"),
        75);
    cr_assert_eq(
        check_tables_of("fixtures/dumpheap-stat/expected.json", "table", "canonical_table"),
        99);
    cr_assert_eq(
        check_tables_of("fixtures/type-tables/expected.json", "table", "canonical_table"),
        4);
}

Test(names, canonical_names_of_all_fixtures_are_fixed_points)
{
    size_t checked = 0;
    glob_t paths = {0};
    cr_assert_eq(glob("fixtures/leaklab/expected/*/expected.json.xz", 0, NULL, &paths), 0);
    cr_assert_eq(glob("fixtures/gcdump-made/expected.json", GLOB_APPEND, NULL, &paths), 0);
    for (size_t i = 0; i < paths.gl_pathc; i++) {
        checked += check_tables_of(paths.gl_pathv[i], "table", "table");
        checked += check_tables_of(paths.gl_pathv[i], "table_scaled", "table_scaled");
    }
    globfree(&paths);
    static const char *const texts[] = {"fixtures/heap-text/expected.json",
                                        "fixtures/dumpheap-stat/expected.json",
                                        "fixtures/type-tables/expected.json"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        checked += check_tables_of(texts[i], "canonical_table", "canonical_table");
    cr_assert_gt(checked, 10000, "only %zu names", checked);
}

/* --- hostile names --- */

static struct text repeated(const char *part, size_t size)
{
    struct text t = {0};
    text_add_string(&t, "[A");
    while (t.len < size)
        text_add_string(&t, part);
    text_add_string(&t, ", [[");
    return t;
}

static bool is_framework(const char *name)
{
    return names_is_framework(name_part(name), NAME_WHOLE);
}

/* Quadratic time would be minutes. */
Test(names, hostile_names_take_linear_time, .timeout = 60)
{
    static const char *const parts[] = {
        "<",         "[",          "[[",       "]",      ">",       "`1",    "`99999999999",
        "A`1[[",     "A<B, ",      "[]",       "<,",     ", ",      "),",    "[CCW 0x1",
        "RefCnt: 1", "(Bytes > ",  "`1+x",     "],[",    " (Ptrs,", "[[A]]", "``",
        "<>c",       ", Version=", "\xED\xA0", "System", "[[A,",    "+<",    "<A>[[B]",
        "*?*",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        for (size_t size = BIG; size <= BIGGER; size += BIGGER - BIG) {
            struct text raw = repeated(parts[i], size), name = {0};
            names_canonical(&name, raw.data, raw.len);
            cr_expect_leq(name.len, raw.len);
            cr_expect_not(is_framework(text_string(&name)));
            cr_expect_not(names_match("*\x01*?\x02", text_string(&name)));
            cr_expect_not(names_match("\x01", text_string(&name)));
            text_free(&raw);
            text_free(&name);
        }
    }
}

Test(names, hostile_framework_names_take_linear_time, .timeout = 60)
{
    static const char *const parts[] = {"<System.A", "+<", "[", ">", ",System.", "]"};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        struct text name = {0};
        text_add_string(&name, "System.B");
        while (name.len < BIGGER)
            text_add_string(&name, parts[i]);
        cr_expect(is_framework(text_string(&name)), "%s", parts[i]);
        text_free(&name);
    }
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 16;
}

Test(names, canonical_names_of_random_names_are_fixed_points)
{
    static const char *const parts[] = {
        "[",  "]",   "[[", "]]",       "],[",  "<",          ">",     ",",
        "`1", "`2",  "`",  "A",        "Sys.", "+",          "[]",    "[,]",
        "<>", "c",   "_",  "asm",      ".",    "(",          ")",     "RefCnt: 12]",
        "é",  "[]x", "<,", "[CCW 0x1", " for", "[[A, asm]]", "<A, B", "`2+E[[A, x],[B, y]]",
    };
    unsigned state = 1;
    for (int round = 0; round < 100000; round++) {
        struct text raw = {0}, once = {0}, twice = {0};
        for (unsigned n = 1 + next_random(&state) % 12; n > 0; n--)
            text_add_string(&raw,
                            parts[next_random(&state) % (sizeof(parts) / sizeof(*parts))]);
        names_canonical(&once, raw.data, raw.len);
        names_canonical(&twice, once.data, once.len);
        cr_assert_str_eq(text_string(&twice), text_string(&once), "%s", text_string(&raw));
        text_free(&raw);
        text_free(&once);
        text_free(&twice);
    }
}

/* --- names of the framework --- */

Test(names, framework_names)
{
    static const char *const names[] = {
        "System.String",
        "System.Byte[]",
        "System.Int32[,][]",
        "System.Collections.Generic.List<System.String>",
        "System.Collections.Generic.Dictionary<System.String,System.Object>+Entry[]",
        "System.Func<System.Collections.Generic.List<System.Int32[,]>[]>",
        "System.Diagnostics.Tracing.EventSource+EventMetadata",
        "System.Linq.Enumerable+<Iterator>d__3<System.Int32>",
        "System.Threading.Tasks.Task+<>c",
        "System.A+<>c__DisplayClass1_0+<<Run>b__0>d",
        "Microsoft.Win32.SafeHandles.SafeFileHandle",
        "MS.Win32.HwndWrapper",
        "Internal.Console",
        "Interop+Sys",
        "Java.Interop.JniPeerMembers",
        "Android.Runtime.JavaSet<System.String>",
        "AndroidX.Fragment.App.Fragment",
        "Foundation.NSObject",
        "UIKit.UIView[]",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        cr_expect(is_framework(names[i]), "%s", names[i]);
}

Test(names, other_names)
{
    static const char *const names[] = {
        "",
        "System",
        "Systematic.Foo",
        "MyApp.System.Foo",
        "MSBuild.Foo",
        "InteropDemo.Order",
        "Foundation.Search.Index",
        "JavaScript.Engine",
        "Androids.Robot",
        "Free",
        "Freedom",
        "Free[]",
        "Shop.Orders.Order[]",
        "Shop.Cache<System.String>",
        "System.Collections.Generic.List<Shop.Order>",
        "System.Collections.Generic.List<Shop.Order>+Enumerator",
        "System.Collections.Generic.Dictionary<System.String,Shop.Order[]>",
        "System.Collections.Generic.Dictionary<System.Int32[,],Shop.Order>",
        "System.Func<System.Func<System.Int32,Shop.Order>>",
        "System.Foo+<>c<Shop.Order>",
        /* A nested type without its outer one may belong to any class. */
        "LogEntry[]",
        "Entry<System.String,System.Object>[]",
        "Node<System.String,Shop.Sessions.Session>",
        "System.Action<LogEntry>",
        "<>c",
        "<unknown type>",
        "UNKNOWN 0x7f9c5abdb208",
        "[static vars]",
        "[RCW System.Foo]",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        cr_expect_not(is_framework(names[i]), "%s", names[i]);
}

/* --- patterns --- */

Test(names, a_pattern_without_a_wildcard_is_the_name_or_its_end_after_a_dot)
{
    cr_expect(names_match("MyApp.Order", "MyApp.Order"));
    cr_expect(names_match("Order", "MyApp.Order"));
    cr_expect(names_match("App.Order", "My.App.Order"));
    cr_expect(names_match("Byte[]", "System.Byte[]"));
    cr_expect(names_match("List<System.String>",
                          "System.Collections.Generic.List<System.String>"));
    cr_expect(names_match("Bar", "Foo+<>c.Bar"));
    cr_expect_not(names_match("Order", "MyApp.PreOrder"));
    cr_expect_not(names_match("Order", "MyApp.Order[]"));
    cr_expect_not(names_match("Order", "MyApp.Shop+Order"));
    cr_expect_not(names_match("order", "MyApp.Order"));
    cr_expect_not(names_match("MyApp.Order", "Order"));
    cr_expect_not(names_match("MyApp.Orders", "MyApp.Order"));
    cr_expect_not(names_match("MyApp.Ordes", "MyApp.Order"));
    cr_expect_not(names_match("Order>", "List<MyApp.Order>"), "the dot is inside of < >");
    cr_expect_not(names_match("String>", "A<B<C>,System.String>"));
    cr_expect_not(names_match("", "MyApp."));
    cr_expect(names_match("", ""));
}

Test(names, a_pattern_with_a_wildcard_must_match_the_whole_name)
{
    cr_expect(names_match("*", ""));
    cr_expect(names_match("*", "MyApp.Order"));
    cr_expect(names_match("MyApp.*", "MyApp.Order"));
    cr_expect(names_match("*Order", "MyApp.Order"));
    cr_expect(names_match("*.Ord*", "MyApp.Order"));
    cr_expect(names_match("**O**r", "MyApp.Order"));
    cr_expect(names_match("MyApp.Orde?", "MyApp.Order"));
    cr_expect(names_match("*aab*", "aaaaab"));
    cr_expect(names_match("*[]", "System.Byte[]"), "brackets are literal");
    cr_expect(names_match("*<*,*>", "System.Func<A,B>"));
    cr_expect_not(names_match("Orde?", "MyApp.Order"));
    cr_expect_not(names_match("MyApp.Order?", "MyApp.Order"));
    cr_expect_not(names_match("*Order", "MyApp.Order[]"));
    cr_expect_not(names_match("?", ""));
    cr_expect_not(names_match("Byt[ae]*", "Byte"));
    cr_expect_not(names_match("*aab", "aaaaabc"));
    cr_expect_not(names_match("a*b*c", "acb"));
}

Test(names, a_question_mark_is_one_character)
{
    cr_expect(names_match("A?B", "A\xC3\xA9"
                                 "B"));
    cr_expect(names_match("A?B", "A\xF0\x9F\x98\x80"
                                 "B"));
    cr_expect(names_match("A?B", "A\xFF"
                                 "B"),
              "a byte that is no UTF-8");
    cr_expect_not(names_match("A??B", "A\xC3\xA9"
                                      "B"));
    cr_expect_not(names_match("*??", "\xE6\xBC\xA2"));
    cr_expect_not(names_match("*??BC", "\xE6\xBC\xA2"
                                       "BC"),
                  "* takes whole characters too");
    cr_expect(names_match("*?", "\xE6\xBC\xA2"));
    cr_expect_not(names_match("A?", "A\xE6\xBC"), "cut at the end: two bytes");
}
