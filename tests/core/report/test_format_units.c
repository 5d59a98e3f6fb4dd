#include "report/format_units.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect(struct text *got, const char *wanted)
{
    cr_expect_str_eq(text_string(got), wanted, "%s, not %s", text_string(got), wanted);
    text_free(got);
}

Test(human, a_trend_is_a_bar_per_snapshot)
{
    static const struct hd_tally rising[] = {{100, 0}, {100, 0}, {450, 0}, {800, 0}};
    struct text t = {0};
    format_trend(&t, rising, 4);
    expect(&t, "▁▁▅█");
    static const struct hd_tally still[] = {{7, 0}, {7, 0}};
    format_trend(&t, still, 2);
    expect(&t, "▁▁");
}

/* --- names ------------------------------------------------------------------------- */

static void expect_short(const char *name, const char *wanted)
{
    struct text t = {0};
    format_short_name(&t, name);
    expect(&t, wanted);
}

Test(human, a_call_is_named_by_its_method)
{
    static const char box[] =
        "AsyncStateMachineBox<System.Int32,App.Sales.Desk+<RunAsync>d__5>";
    struct text t = {0};
    cr_expect(format_method(&t, box, false));
    expect(&t, "App.Sales.Desk.RunAsync");
    t = (struct text){0};
    cr_expect(format_method(&t, box, true));
    expect(&t, "Desk.RunAsync");
    t = (struct text){0};
    cr_expect_not(format_method(&t, "App.Sales.Desk+<RunAsync>d__5", false));
    expect(&t, "");
}

Test(human, short_names_have_no_namespaces)
{
    expect_short("Order", "Order");
    expect_short("App.Sales.Order", "Order");
    expect_short("System.Byte[]", "Byte[]");
    expect_short("System.Int32[,]", "Int32[,]");
    expect_short("System.Collections.Generic.List<App.Order>", "List<Order>");
    expect_short("A.Dictionary<System.String,B.C.List<D.E>>+Entry[]",
                 "Dictionary<String,List<E>>+Entry[]");
    expect_short("App.Shop+<Run>d__5", "Shop+<Run>d__5");
    expect_short("App.Shop+<>c__DisplayClass3_0", "Shop+<>c__DisplayClass3_0");
}

Test(human, names_of_any_letters_are_shortened)
{
    expect_short("App._Order", "_Order");
    expect_short("App.Größe", "Größe");
    expect_short("App.Ärger", "Ärger");
}

Test(human, names_that_begin_with_a_bracket_stay_whole)
{
    expect_short("[static var App.Shop.s_orders]", "[static var App.Shop.s_orders]");
    expect_short("<unknown type>", "<unknown type>");
}

/* --- frames -------------------------------------------------------------------------- */

static void expect_frame(struct hd_frame f, bool short_names, const char *wanted)
{
    struct text t = {0};
    format_frame(&t, &f, short_names);
    expect(&t, wanted);
}

Test(human, repeated_frames_have_their_number)
{
    struct hd_frame one = {
        .types = {"App.A"}, .type_count = 1, .repeat_min = 1, .repeat_max = 1};
    expect_frame(one, false, "App.A");
    expect_frame(one, true, "A");
    one.repeat_min = one.repeat_max = 4;
    expect_frame(one, true, "A ×4");
    one.repeat_min = 1;
    one.repeat_max = 1000;
    expect_frame(one, true, "A ×1–1,000");
    struct hd_frame two = {
        .types = {"App.A", "App.B"}, .type_count = 2, .repeat_min = 2, .repeat_max = 9};
    expect_frame(two, false, "(App.A → App.B) ×2–9");
}

/* --- shortening ------------------------------------------------------ */

static void expect_cut(const char *s, size_t columns, const char *wanted)
{
    struct text t = {0};
    format_shorten(&t, s, strlen(s), columns, false);
    cr_expect_str_eq(text_string(&t), wanted, "%s in %zu: %s", s, columns, text_string(&t));
    text_free(&t);
}

Test(human, names_that_fit_are_not_shortened)
{
    expect_cut("Order", 5, "Order");
    expect_cut("Order", 500, "Order");
    expect_cut("", 0, "");
    expect_cut("日本", 4, "日本");
    expect_cut("e\u0301", 1, "e\u0301");
}

Test(human, the_middle_gives_way_and_the_end_keeps_more)
{
    expect_cut("abcdefghij", 9, "abc…fghij");
    expect_cut("abcdefghij", 6, "ab…hij");
    expect_cut("abcdefghij", 2, "…j");
    expect_cut("abcdefghij", 1, "…");
    expect_cut("abcdefghij", 0, "");
}

Test(human, wide_characters_take_two_columns)
{
    expect_cut("日本語日本語", 7, "日…本語");
    expect_cut("日本語日本語", 8, "日…本語"); /* half a character is dropped */
    expect_cut("日本語日本語", 2, "…");
}

/* Eight letters with an accent each, as two characters. */
Test(human, combining_characters_stay_with_their_letters)
{
    expect_cut("a\u0301b\u0301c\u0301d\u0301e\u0301", 4, "a\u0301…d\u0301e\u0301");
}

Test(human, shortened_names_are_never_too_wide_and_always_valid)
{
    static const char *const names[] = {
        "System.Collections.Generic.Dictionary<System.String,App.Order>",
        "日本語.日本語<日本語>", "a\u0301\u0302bcde\u0301", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 and more of it"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        for (size_t columns = 0; columns < 70; columns++) {
            struct text t = {0}, valid = {0};
            format_shorten(&t, names[i], strlen(names[i]), columns, false);
            text_add_utf8(&valid, t.data, t.len);
            cr_expect_leq(utf8_columns(text_string(&t), t.len), columns, "%s in %zu",
                          names[i], columns);
            cr_expect_str_eq(text_string(&t), text_string(&valid));
            text_free(&t);
            text_free(&valid);
        }
    }
}

static void expect_short_name(const char *s, size_t columns, const char *wanted)
{
    struct text t = {0};
    format_shorten_name(&t, s, strlen(s), columns, false);
    cr_expect_str_eq(text_string(&t), wanted, "%s in %zu: %s", s, columns, text_string(&t));
    cr_expect_leq(utf8_columns(text_string(&t), t.len), columns);
    text_free(&t);
}

Test(human, namespaces_give_way_before_the_name_does)
{
    expect_short_name("Contoso.Orders.OrderNotifier", 28, "Contoso.Orders.OrderNotifier");
    expect_short_name("Contoso.Orders.OrderNotifier", 27, "…OrderNotifier");
    expect_short_name("Node<System.String,App.Order>", 20, "…Node<String,Order>");
    expect_short_name("Node<System.String,App.Order>", 16, "…Node<…ng,Order>");
    expect_short_name("type App.*: App.Orders.Order", 20, "type App.*: …Order");
    expect_short_name("type App.*: App.Orders.Order", 12, "type…s.Order");
    expect_short_name("[static var App.Orders.Order.s_all]", 33,
                      "[static var …Order.s_all]");
    expect_short_name("[static var System.Func<App.Order>.s_all]", 33,
                      "[static var …Func<Order>.s_all]");
    expect_short_name("[static vars of something else]", 20, "[static…ething else]");
    expect_short_name(" → System.Func<App.Order>", 18, " → …Func<Order>");
    expect_short_name("OrderNotifierOfAll", 10, "Ord…rOfAll");
    expect_short_name("A → B.C", 6, "A …B.C");
    expect_short_name("[static vars] → App.Host → App.List<App.Order> → App.Order", 27,
                      "… → List<Order> → Order");
    expect_short_name("[static vars] → App.Host → App.Order", 28,
                      "[static vars] → Host → Order");
    expect_short_name("App.Host → App.OrderNotifier", 12, "… → Or…ifier");
    expect_short_name("Contoso.Orders", 0, "");
}

/* A pattern of a budget may be anything, even arrows that share a blank. */
Test(human, names_with_any_arrows_get_short)
{
    static const char *const parts[] = {"App.Order", "B", " → ", "→ ", " ", ".", ""};
    enum { PARTS = sizeof(parts) / sizeof(*parts) };
    expect_short_name("App.Order → → App.Order", 20, "Order → → Order");
    expect_short_name("App.Orders → ", 10, "Orders");
    for (size_t n = 0; n < 16807; n++) { /* 7 to the fifth */
        char name[128] = "";
        for (size_t i = 0, rest = n; i < 5; i++, rest /= PARTS)
            strcat(name, parts[rest % PARTS]);
        for (size_t columns = 0; columns < 30; columns += 7) {
            struct text t = {0};
            format_shorten_name(&t, name, strlen(name), columns, false);
            cr_assert_leq(utf8_columns(text_string(&t), t.len), columns, "%s", name);
            text_free(&t);
        }
    }
}

/* --- the shell ------------------------------------------------------- */

/* Expects the word as sh parses it. */
static void expect_word(const char *word, const char *wanted)
{
    struct text t = {0}, command = {0};
    format_shell_word(&t, word);
    cr_expect_str_eq(text_string(&t), wanted);
    text_add_string(&command, "printf %s ");
    text_add_string(&command, text_string(&t));
    FILE *sh = popen(text_string(&command), "r");
    char got[256];
    got[fread(got, 1, sizeof(got) - 1, sh)] = '\0';
    pclose(sh);
    cr_expect_str_eq(got, word);
    text_free(&t);
    text_free(&command);
}

Test(human, shell_words_are_quoted_only_if_they_must_be)
{
    expect_word("3.gcdump", "3.gcdump");
    expect_word("--type=App.Order", "--type=App.Order");
    expect_word("a b", "'a b'");
    expect_word("", "''");
    expect_word("~", "'~'");
    expect_word("--type=List<A>", "'--type=List<A>'");
    expect_word("it's", "'it'\\''s'");
    expect_word("$(date)`date`!*?[\\\"", "'$(date)`date`!*?[\\\"'");
    expect_word("a\nb", "'a\nb'");
}

/* Commands of Azure Pipelines and GitHub Actions, whose logs get the output. */
Test(human, names_are_not_commands_of_a_build_server)
{
    static const struct {
        const char *name, *shown;
    } cases[] = {
        {"##vso[task.complete]", "#\\x23vso[task.complete]"},
        {"A ##[error]b", "A #\\x23[error]b"},
        {"###[error]", "##\\x23[error]"},
        {"::error::x", "\\x3a:error::x"},
        {"std::vector", "std::vector"},
        {"A##B", "A##B"},
        {"#[x]", "#[x]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text t = {0};
        format_name(&t, cases[i].name);
        cr_expect_str_eq(text_string(&t), cases[i].shown, "%s", cases[i].name);
        text_free(&t);
    }
}
