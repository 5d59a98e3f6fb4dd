#include "heap/method_words.h"

#include <criterion/criterion.h>

static void expect_written(const char *type, const char *method, const char *expected)
{
    struct text t = {0};
    method_written(&t, name_part(type), name_part(method));
    cr_expect_str_eq(text_string(&t), expected, "%s | %s: %s", type, method,
                     text_string(&t));
    text_free(&t);
}

/* Names as in the events of .NET 8 to 10. */
static const struct {
    const char *type, *method, *written;
} cases[] = {
    {"Shop.Cart", "Add", "Shop.Cart.Add"},
    {"Cart", "Add", "Cart.Add"},
    {"Shop.Cart+Line", "Add", "Shop.Cart.Line.Add"},
    {"", "Add", "Add"},
    {"Shop.Cart", "", "Shop.Cart"},
    {"", "", ""},
    /* state machines */
    {"Shop.Cart+<Add>d__5", "MoveNext", "Shop.Cart.Add"},
    {"Shop.Cart+<Add>d__5`1[System.__Canon]", "MoveNext", "Shop.Cart.Add"},
    {"Shop.Cart`1+<Add>d__5`2[System.__Canon,System.Int32]", "MoveNext", "Shop.Cart.Add"},
    {"Shop.Cart+<Lines>d__7", "System.Collections.IEnumerator.MoveNext", "Shop.Cart.Lines"},
    {"Shop.Cart+<Lines>d__7",
     "System.Collections.Generic.IEnumerable<Shop.Line>."
     "GetEnumerator",
     "Shop.Cart.Lines"},
    {"Shop.Cart+<Lines>d__7", ".ctor", "Shop.Cart.Lines"},
    {"Shop.Cart+<Shop-IStore-Add>d__3", "MoveNext", "Shop.Cart.Add"},
    {"Shop.Cart+<System-Collections-Generic-IEnumerable<Shop-Line>-GetEnumerator>d__1",
     "MoveNext", "Shop.Cart.GetEnumerator"},
    {"Shop.Line+Enumerator", "MoveNext", "Shop.Line.Enumerator.MoveNext"},
    /* lambdas and local functions */
    {"Shop.Cart+<>c", "<Add>b__3_0", "Shop.Cart.Add (lambda)"},
    {"Shop.Cart+<>c__DisplayClass3_0", "<Add>b__0", "Shop.Cart.Add (lambda)"},
    {"Shop.Cart+<>c__DisplayClass3_0`1[System.__Canon]", "<Add>b__0",
     "Shop.Cart.Add (lambda)"},
    {"Shop.Cart+<>c__3`1[System.__Canon]", "<Add>b__3_0", "Shop.Cart.Add (lambda)"},
    {"Shop.Cart+<>c+<<Add>b__3_0>d", "MoveNext", "Shop.Cart.Add (lambda)"},
    {"Shop.Cart+<>c", ".cctor", "Shop.Cart.cctor"},
    {"Shop.Cart+<>c__DisplayClass3_0", ".ctor", "Shop.Cart.ctor"},
    {"Shop.Cart+<>c", "<.ctor>b__3_0", "Shop.Cart.ctor (lambda)"},
    {"Shop.Cart+<>c", "<get_Total>b__3_0", "Shop.Cart.Total (lambda)"},
    {"Shop.Cart", "<Add>g__Check|3_0", "Shop.Cart.Add.Check"},
    {"Shop.Cart+<>c__DisplayClass3_0", "<Add>g__Check|0", "Shop.Cart.Add.Check"},
    {"Shop.Cart+<<Add>g__Check|3_0>d", "MoveNext", "Shop.Cart.Add.Check"},
    {"Shop.Cart", "<<Add>g__Outer|3_0>g__Inner|3_1", "Shop.Cart.Add.Outer.Inner"},
    {"Shop.Cart", "<<Add>b__3_0>g__Inner|3_1", "Shop.Cart.Add.Inner (lambda)"},
    {"Shop.Cart", "<Shop.IStore.Add>b__3_0", "Shop.Cart.Add (lambda)"},
    /* top-level programs */
    {"Program", "<Main>$", "Program.Main"},
    {"Program", "<Main>", "Program.Main"},
    {"Program+<<Main>$>d__0", "MoveNext", "Program.Main"},
    {"Program+<>c", "<<Main>$>b__0_0", "Program.Main (lambda)"},
    {"Program", "<<Main>$>g__Work|0_0", "Program.Main.Work"},
    /* constructors, properties, operators, interfaces */
    {"Shop.Order", ".ctor", "Shop.Order.ctor"},
    {"Shop.Order", ".cctor", "Shop.Order.cctor"},
    {"Shop.Order", "get_Total", "Shop.Order.Total"},
    {"Shop.Order", "set_Total", "Shop.Order.Total"},
    {"Shop.Order", "add_Changed", "Shop.Order.Changed"},
    {"Shop.Order", "remove_Changed", "Shop.Order.Changed"},
    {"Shop.Order", "get_Item", "Shop.Order.this[]"},
    {"Shop.Order", "get_item", "Shop.Order.get_item"},
    {"Shop.Order", "get_", "Shop.Order.get_"},
    {"Shop.Order", "Item", "Shop.Order.Item"},
    {"Shop.Money", "op_Addition", "Shop.Money.operator +"},
    {"Shop.Money", "op_Implicit", "Shop.Money.operator implicit"},
    {"Shop.Money", "op_Strange", "Shop.Money.operator Strange"},
    {"Shop.Order", "Shop.IStore.Add", "Shop.Order.Add"},
    {"Shop.Order", "Shop.IStore<System.Int32>.get_Total", "Shop.Order.Total"},
    {"Shop.Order", "<Clone>$", "Shop.Order.Clone"},
    {"Shop.Order", "<>n__0", "Shop.Order.<>n__0"},
    /* generics: shared code has no arguments */
    {"System.Collections.Generic.List`1[System.__Canon]", "AddWithResize",
     "System.Collections.Generic.List.AddWithResize"},
    {"System.Collections.Generic.List`1[System.Int32]", "Add",
     "System.Collections.Generic.List<System.Int32>.Add"},
    {"System.Collections.Generic.Dictionary`2[System.__Canon,System.Int32]", "Resize",
     "System.Collections.Generic.Dictionary.Resize"},
    {"Shop.Cache`1+Slot[System.Int32[]]", "Put", "Shop.Cache.Slot<System.Int32[]>.Put"},
    /* others */
    {"dynamicClass", "lambda_method12", "dynamic lambda_method12"},
    {"Shop.<Cart>F0123456789ABCDEF__Line", "Add", "Shop.Line.Add"},
    {"<Module>", "Start", "<Module>.Start"},
    {"<>f__AnonymousType0`1[System.__Canon]", ".ctor", "<>f__AnonymousType0.ctor"},
    /* F# */
    {"Shop.Cart+add@12-1", "Invoke", "Shop.Cart.add (lambda)"},
    {"Shop.Cart+run@20", "MoveNext", "Shop.Cart.run"},
    {"Shop.Cart", "loop@23", "Shop.Cart.loop"},
    {"Shop.Cart", "mail@work", "Shop.Cart.mail@work"},
    {"<StartupCode$Shop>.$Program", "main@", "Program.main"},
    /* VB */
    {"Shop.Cart+VB$StateMachine_5_Add", "MoveNext", "Shop.Cart.Add"},
    {"Shop.Cart+_Closure$__3-0", "_Lambda$__0", "Shop.Cart (lambda)"},
    /* not made by a compiler */
    {"Shop.Cart", "<Add", "Shop.Cart.<Add"},
    {"Shop.Cart", "<Add>x", "Shop.Cart.<Add>x"},
    {"Shop.Cart", "<>", "Shop.Cart.<>"},
    {"Shop.Cart+<Add>", "Get", "Shop.Cart.<Add>.Get"},
    {"Shop.Cart+", "Get", "Shop.Cart..Get"},
    {"Shop.Cart>>", "Get", "Shop.Cart>>.Get"},
};

Test(method_words, a_method_is_what_its_author_wrote)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_written(cases[i].type, cases[i].method, cases[i].written);
}

Test(method_words, deep_nesting_takes_a_moment)
{
    enum { DEEP = 20000 };
    struct text name = {0}, out = {0};
    for (int i = 0; i < DEEP; i++)
        text_add_char(&name, '<');
    for (int i = 0; i < DEEP; i++)
        text_add_string(&name, ">b__0");
    struct name_part part = {name.data, name.len};
    method_written(&out, part, part);
    cr_expect_gt(out.len, 0);
    text_free(&name);
    text_free(&out);
}
