#include "chains/chain_owner.h"

#include "base/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Types are letters. */
static struct signature of(const char *chain)
{
    struct signature s = {0};
    for (; *chain != '\0'; chain++)
        signature_push(&s, (uint32_t)*chain, NO_FIELD);
    return s;
}

/* "(AB)x2 A C": the elements with repetitions, as in reports. */
static void expect(const char *chain, const char *shown)
{
    struct signature s = of(chain);
    struct text t = {0};
    for (size_t i = 0; i < s.len;) {
        uint32_t repeats;
        unsigned period = signature_pattern(&s, i, &repeats);
        text_add_string(&t, period > 1 ? "(" : "");
        for (unsigned p = 0; p < period; p++)
            text_add_char(&t, (char)s.all[i + p].type);
        text_add_string(&t, period > 1 ? ")" : "");
        char times[16] = "";
        if (repeats > 1)
            snprintf(times, sizeof(times), "x%u", repeats);
        text_add_string(&t, times);
        i += period;
        text_add_string(&t, i < s.len ? " " : "");
    }
    cr_expect_str_eq(text_string(&t), shown, "%s: %s", chain, text_string(&t));
    text_free(&t);
    signature_free(&s);
}

static void expect_same(const char *a, const char *b, bool same)
{
    struct signature x = of(a), y = of(b);
    int order = signature_compare(&x, &y);
    cr_expect((order == 0) == same, "%s and %s", a, b);
    cr_expect(order == -signature_compare(&y, &x), "%s and %s", a, b);
    signature_free(&x);
    signature_free(&y);
}

Test(signature, the_worked_examples_fold)
{
    expect("ABABAC", "(AB)x2 A C");
    expect("LNNNNS", "L Nx4 S");
    expect_same("ABABAC", "ABAC", true);
}

Test(signature, elements_without_repetition_are_unchanged)
{
    expect("A", "A");
    expect("ABC", "A B C");
    expect("ABCA", "A B C A");
    expect("ABCDABCD", "A B C D A B C D"); /* period 4 is not searched */
}

Test(signature, periods_one_two_and_three_fold)
{
    expect("AAA", "Ax3");
    expect("ABABAB", "(AB)x3");
    expect("ABCABCABC", "(ABC)x3");
    expect("ABCABCD", "(ABC)x2 D");
    expect("XABCABCY", "X (ABC)x2 Y");
}

Test(signature, the_shortest_period_folds_first)
{
    expect("AAAAAA", "Ax6");
    /* After the second B, A A is one A on both sides: the pair repeats. */
    expect("AABAAB", "(AB)x2");
}

Test(signature, a_folded_run_has_the_signature_of_a_short_one)
{
    expect_same("LNS", "LNNNNS", true);
    expect_same("LNNS", "LNNNNNNNNNNNS", true);
    expect_same("ABAB", "ABABABAB", true);
    expect_same("LNS", "LNT", false);
    expect_same("LN", "LNS", false);
    expect_same("", "A", false);
    expect_same("", "", true);
}

Test(signature, order_is_total)
{
    static const char *const chains[] = {"", "A", "B", "AB", "BA", "ABA", "ABC"};
    size_t count = sizeof(chains) / sizeof(*chains);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            expect_same(chains[i], chains[j], i == j);
}

/* Collapsing is constant work per push, independent of the chain so far. */
Test(signature, a_million_elements_fold_into_one)
{
    enum { LONG = 1000000 };
    struct signature s = {0};
    for (int i = 0; i < LONG; i++)
        signature_push(&s, 'N', NO_FIELD);
    uint32_t repeats;
    cr_expect_eq(s.len, 1);
    cr_expect_eq(signature_pattern(&s, 0, &repeats), 1);
    cr_expect_eq(repeats, LONG);
    signature_free(&s);
}
