#include "heap/names.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <string.h>

static void check(const char *raw, const char *wanted)
{
    struct text name = {0};
    text_add_string(&name, raw);
    name.len = generics_write(name.data, name.len);
    cr_expect_str_eq(text_string(&name), wanted, "%s\n    became %s\n    and not %s", raw,
                     text_string(&name), wanted);
    text_free(&name);
}

Test(generics, arguments_lose_their_assemblies)
{
    check("System.Collections.Generic.List`1[[System.String, mscorlib]]",
          "System.Collections.Generic.List<System.String>");
    check("List`1[[A]]", "List<A>");
    check("List`1[[ A, asm]]", "List<A>");
    check("F`2[[A, x], [B, y]]", "F<A,B>");
    check("List`1[[A, asm, with more, and more]]", "List<A>");
}

Test(generics, arguments_are_dealt_out_by_arity)
{
    check("Dictionary`2+Entry[[A, x],[B, y]][]", "Dictionary<A,B>+Entry[]");
    check("Outer`1+Inner`2[[A, x],[B, y],[C, z]]", "Outer<A>+Inner<B,C>");
    check("A`1.B.C`1+D[[X],[Y]]", "A<X>.B.C<Y>+D");
    check("Foo`1+<Bar>d__3[[A, asm]]", "Foo<A>+<Bar>d__3");
    check("Foo`1+<Bar`1>d__3[[A, asm]]", "Foo<A>+<Bar`1>d__3");
    check("<>c__DisplayClass3_0`1[[A, asm]]", "<>c__DisplayClass3_0<A>");
}

Test(generics, arguments_that_do_not_add_up_stay_together)
{
    check("a[[A, x],[B, y]]", "a<A,B>");
    check("a+b`1[[A, x],[B, y]]", "a+b`1<A,B>");
    check("a`3[[A, x],[B, y]]", "a`3<A,B>");
    check("a`99999999999999999999999[[A, x]]", "a`99999999999999999999999<A>");
    check("a`0[[A, x]]", "a`0<A>");
    check("a`[[A, x]]", "a`<A>");
}

Test(generics, arguments_nest)
{
    check("D`2[[A`1[[B, x]], x],[C`2+E[[F, x],[G`1[[H, x]][], x]], x]][,]",
          "D<A<B>,C<F,G<H>[]>+E>[,]");
    check("List`1[[System.Int32[,][], mscorlib]]", "List<System.Int32[,][]>");
    check("List`1[[A<B, C>, x]]", "List<A<B,C>>");
    check("A<List`1[[B, x]], C>", "A<List<B>,C>");
    check("[static var List`1[[B, x]].s_x]", "[static var List<B>.s_x]");
}

Test(generics, an_arity_without_arguments_stays)
{
    check("List`1", "List`1");
    check("Foo`1 Bar`1[[A, x]]", "Foo`1 Bar<A>");
    check("Foo`1, Bar`1[[A, x]]", "Foo`1, Bar<A>");
    check("List`1[A]", "List`1[A]");
}

Test(generics, no_blank_follows_a_comma_between_arguments)
{
    check("Dictionary<System.String, App.Session>+Entry[]",
          "Dictionary<System.String,App.Session>+Entry[]");
    check("A<B,  C, D<E, F>>, G", "A<B,C,D<E,F>>, G");
    check("[static var A<B, C>.d, e]", "[static var A<B,C>.d, e]");
}

Test(generics, names_that_do_not_parse_are_unchanged)
{
    static const char *const names[] = {
        "",
        "[[A, x]]",
        "List`1[[A, x",
        "List`1[[A, x]",
        "List`1[[A, x]]]",
        "List`1[[A, [x]]]",
        "List`1[[]]",
        "List`1[[, x]]",
        "List`1[[A, x],]",
        "List`1[[A, x],B]",
        "List`1[[A, x]B]",
        "List`1[[A<B, x]]",
        "List`1[[[A, x]]]",
        "List`1[[A, x]][[B, x]]",
        "A<B, C",
        "a < b, c",
        "A<B], C>",
        "]A<B, C>",
        "[A<B, C>",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        check(names[i], names[i]);
}

Test(generics, deep_nesting_is_linear, .timeout = 60)
{
    enum { DEPTH = 80000 };
    struct text raw = {0}, wanted = {0};
    for (int i = 0; i < DEPTH; i++) {
        text_add_string(&raw, "A`1+B[[");
        text_add_string(&wanted, "A<");
    }
    text_add_string(&raw, "X");
    text_add_string(&wanted, "X");
    for (int i = 0; i < DEPTH; i++) {
        text_add_string(&raw, ", m]]");
        text_add_string(&wanted, ">+B");
    }
    raw.len = generics_write(raw.data, raw.len);
    cr_assert_eq(raw.len, wanted.len);
    cr_assert_eq(memcmp(raw.data, wanted.data, raw.len), 0);
    text_free(&raw);
    text_free(&wanted);
}

Test(generics, names_of_more_than_a_mebibyte_stay)
{
    enum { MEBIBYTE = 1024 * 1024 };
    struct text name = {0};
    while (name.len <= MEBIBYTE)
        text_add_string(&name, "List`1[[A, x]], ");
    size_t len = name.len;
    cr_assert_eq(generics_write(name.data, len), len);
    text_free(&name);
}
