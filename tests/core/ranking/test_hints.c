/* Requirements of every hint, and the page that belongs to the list. */
#include "ranking/hints.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FIX = 150 };

/* --- the list --------------------------------------------------------------- */

static bool is_id(const char *s)
{
    for (const char *c = s; *c != '\0'; c++)
        if (!islower((unsigned char)*c) && (*c != '-' || c == s || c[1] == '\0'))
            return false;
    return *s != '\0';
}

Test(hints, each_has_a_unique_name_and_a_remedy)
{
    for (size_t i = 0; i < hint_count; i++) {
        const struct hint *h = &hints[i];
        if (h->id == NULL)
            continue;
        cr_expect(is_id(h->id), "%s", h->id);
        for (size_t k = 0; k < i; k++)
            cr_expect(hints[k].id == NULL || strcmp(hints[k].id, h->id) != 0, "%s twice",
                      h->id);
        size_t len = strlen(h->fix);
        cr_expect_leq(len, LONGEST_FIX, "%s: %zu", h->id, len);
        cr_expect_eq(h->fix[len - 1], '.', "%s", h->id);
        cr_expect_null(strstr(h->fix, "Usually"), "%s", h->id);
        cr_expect_null(strpbrk(h->fix, "<|"), "%s: not for Markdown", h->id);
    }
}

/* It follows "kept alive by". */
Test(hints, the_holder_is_a_noun_in_the_middle_of_a_sentence)
{
    enum { LONGEST_HOLDER = 60 };
    size_t known = 0;
    for (size_t i = 0; i < hint_count; i++) {
        const char *holder = hints[i].holder;
        if (holder == NULL)
            continue;
        known++;
        cr_expect_leq(strlen(holder), LONGEST_HOLDER, "%s", holder);
        cr_expect_null(strpbrk(holder, ".,:;`<|"), "%s", holder);
        cr_expect_neq(holder[strlen(holder) - 1], ' ', "%s", holder);
        cr_expect(hints[i].id != NULL);
    }
    cr_expect_gt(known, hint_count / 2);
}

static bool is_root_kind(const char *word)
{
    for (int k = 0; k < HD_ROOT_KIND_COUNT; k++)
        if (strcmp(root_kind_names[k], word) == 0)
            return true;
    return false;
}

/* Hints about the process have no types as evidence; their names are in process_growth.c.
 */
static bool is_of_process(const struct hint *h)
{
    static const char *const ids[] = {"native-memory-grows", "malloc-arenas",
                                      "mapped-files-kept", "heap-fragmented",
                                      "collector-keeps"};
    bool found = false;
    for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
        found |= h->id != NULL && strcmp(h->id, ids[i]) == 0;
    return found;
}

Test(hints, each_case_asks_for_something_that_there_is)
{
    for (size_t i = 0; i < hint_count; i++) {
        cr_expect_eq(hints[i].case_count == 0, is_of_process(&hints[i]), "%s",
                     hints[i].id != NULL ? hints[i].id : "");
        for (size_t k = 0; k < hints[i].case_count; k++) {
            const struct hint_case *c = &hints[i].cases[k];
            cr_expect(c->at != NULL || c->with != NULL || c->above != NULL ||
                          c->in != NULL || c->of != NULL || c->root != NULL,
                      "case %zu of %s fits anything", k, hints[i].id);
            cr_expect(c->root == NULL || is_root_kind(c->root), "%s", c->root);
        }
    }
}

/* --- how a case is compared ------------------------------------------------- */

static const struct hint *hint_below(const char *type, const char *const *way, size_t len)
{
    struct hint_clues clues = {.type = type, .way_count = 1};
    clues.ways[0] = (struct hint_way){way, len, HD_ROOT_STATIC, 1};
    return hint_for(&clues);
}

Test(hints, the_direct_holder_is_compared_with_the_end_of_the_way)
{
    static const char *const way[] = {"App.Feed", "System.EventHandler", "System.Object[]",
                                      "App.Other"};
    cr_assert_not_null(hint_below("System.EventHandler", way, 3));
    cr_expect_str_eq(hint_below("System.EventHandler", way, 3)->id,
                     "event-not-unsubscribed");
    cr_expect_null(hint_below("System.EventHandler", way, 4), "something between");
    cr_expect_null(hint_below("System.EventHandler", way, 2), "no array");
    cr_expect_null(hint_below("System.EventHandler", way + 2, 1), "no delegate above it");
    cr_expect_null(hint_below("System.EventHandler", way, 0), "nothing known");
}

/* One way must match all parts of a case. */
Test(hints, one_way_has_to_fit_as_a_whole)
{
    static const char *const list[] = {"[static var App.Store.s_all]",
                                       "System.Collections.Generic.List<App.Order>",
                                       "App.Order[]"};
    static const char *const other[] = {"App.Store"};
    struct hint_clues clues = {.type = "App.Order", .way_count = 2};
    clues.ways[0] = (struct hint_way){list, 3, HD_ROOT_OTHER, 1};
    clues.ways[1] = (struct hint_way){other, 1, HD_ROOT_STATIC, 1};
    cr_assert_not_null(hint_for(&clues));
    cr_expect_str_eq(hint_for(&clues)->id, "collection-never-emptied", "not static");
    clues.ways[0].root = HD_ROOT_STATIC;
    cr_expect_str_eq(hint_for(&clues)->id, "static-collection");
    clues.ways[0].root = HD_ROOT_REF_COUNTED_HANDLE;
    cr_expect_str_eq(hint_for(&clues)->id, "com-object-not-released",
                     "a root before a list");
}

/* Shares of matching ways are added. */
Test(hints, half_of_the_instances_have_to_be_held_so)
{
    static const char *const queue[] = {"App.A", "System.Collections.Generic.Queue<App.X>",
                                        "App.X[]"};
    static const char *const same[] = {"App.B", "System.Collections.Generic.Queue<App.X>",
                                       "App.X[]"};
    static const char *const other[] = {"App.Store"};
    struct hint_clues clues = {.type = "App.X", .way_count = 3};
    clues.ways[0] = (struct hint_way){queue, 3, HD_ROOT_STATIC, 0.3};
    clues.ways[1] = (struct hint_way){same, 3, HD_ROOT_STATIC, 0.2};
    clues.ways[2] = (struct hint_way){other, 1, HD_ROOT_STATIC, 0.5};
    cr_assert_not_null(hint_for(&clues));
    cr_expect_str_eq(hint_for(&clues)->id, "queue-without-consumer");
    clues.ways[1].share = 0.19;
    cr_expect_null(hint_for(&clues));
}

/* --- which of several --------------------------------------------------------- */

static const char *chosen(const char *type, const struct hint_below *below, size_t len)
{
    struct hint_clues clues = {.type = type, .below = below, .below_count = len};
    const struct hint *h = hint_for(&clues);
    return h != NULL ? h->id : "none";
}

/* The order of the table must not matter: the more specific or nearer case wins. */
Test(hints, the_more_specific_and_the_nearer_case_win)
{
    static const char timer[] = "System.Threading.TimerQueueTimer";
    static const struct hint_below periodic[] = {
        {"System.Threading.PeriodicTimer", 2},
        {"System.Threading.CancellationTokenSource", 3}};
    static const struct hint_below source[] = {
        {"System.Threading.CancellationTokenSource", 1}, {"DelayPromise", 4}};
    static const struct hint_below client[] = {
        {"System.Net.Http.HttpConnectionSettings", 4}};
    cr_expect_str_eq(chosen(timer, NULL, 0), "timer-not-disposed");
    cr_expect_str_eq(chosen(timer, periodic, 2), "periodic-timer-not-disposed");
    cr_expect_str_eq(chosen(timer, source, 2), "timeout-token-source-not-disposed");
    cr_expect_str_eq(chosen(timer, client, 1), "timer-not-disposed",
                     "what it is before what it holds");
    cr_expect_str_eq(chosen("App.Client", client, 1), "http-client-per-call");
}

/* If two hints had an equal case, the order of the table would decide. */
Test(hints, no_two_hints_have_a_case_in_common)
{
    for (size_t i = 0; i < hint_count; i++)
        for (size_t j = 0; j < i; j++)
            for (size_t k = 0; k < hints[i].case_count; k++)
                for (size_t l = 0; l < hints[j].case_count; l++) {
                    const struct hint_case *a = &hints[i].cases[k], *b = &hints[j].cases[l];
                    const char *x[] = {a->at, a->with, a->above, a->in, a->of, a->root};
                    const char *y[] = {b->at, b->with, b->above, b->in, b->of, b->root};
                    bool same = true;
                    for (size_t m = 0; m < 6; m++)
                        same &= (x[m] == NULL) == (y[m] == NULL) &&
                                (x[m] == NULL || strcmp(x[m], y[m]) == 0);
                    cr_expect_not(same, "%s and %s", hints[i].id, hints[j].id);
                }
}

/* --- docs/hints.md ----------------------------------------------------------- */

static char *page(void)
{
    enum { MAX_BYTES = 1 << 20 };
    FILE *f = fopen("docs/hints.md", "rb");
    cr_assert_not_null(f, "run where docs/ is");
    char *text = calloc(MAX_BYTES, 1);
    size_t len = fread(text, 1, MAX_BYTES - 1, f);
    fclose(f);
    cr_assert(len > 0 && len < MAX_BYTES - 1);
    return text;
}

/* The section with this name, or NULL; its end in *end. */
static const char *section(const char *text, const char *name, const char **end)
{
    char heading[80];
    snprintf(heading, sizeof(heading), "\n## %s\n", name);
    const char *begin = strstr(text, heading);
    if (begin == NULL)
        return NULL;
    *end = strstr(begin + strlen(heading), "\n## ");
    if (*end == NULL)
        *end = begin + strlen(begin);
    return begin;
}

static unsigned count_in(const char *begin, const char *end, const char *word)
{
    unsigned count = 0;
    for (const char *at = begin; (at = strstr(at, word)) != NULL && at < end; at++)
        count++;
    return count;
}

Test(hints, each_has_a_section_with_code_before_and_after)
{
    static const char *const parts[] = {"\n**Symptom:** ", "\n**Cause:** ", "\nBefore:\n",
                                        "\nAfter:\n", "\n**How to confirm:** "};
    char *text = page();
    for (size_t i = 0; i < hint_count; i++) {
        const char *end = NULL;
        if (hints[i].id == NULL)
            continue;
        const char *begin = section(text, hints[i].id, &end);
        cr_assert_not_null(begin, "no section of %s", hints[i].id);
        for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++)
            cr_expect_eq(count_in(begin, end, parts[k]), 1, "%s of %s", parts[k],
                         hints[i].id);
        cr_expect_eq(count_in(begin, end, "\n```csharp\n"), 2, "%s", hints[i].id);
    }
    free(text);
}

/* build_hint_page() reads them, which supports only paragraphs and code. */
Test(hints, sections_have_paragraphs_and_code_only)
{
    enum { LONGEST_CODE = 90 }; /* indented in help, on a terminal */
    char *text = page(), *at = strstr(text, "\n## ");
    bool in_code = false;
    cr_assert_not_null(at);
    for (char *line = strtok(at, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        bool fence = strncmp(line, "```", 3) == 0;
        if (in_code && !fence)
            cr_expect_leq(strlen(line), LONGEST_CODE, "%s", line);
        if (!in_code && !fence && strncmp(line, "## ", 3) != 0)
            cr_expect_null(strchr("#-+>|!1234567890 \t", line[0]), "%s", line);
        in_code ^= fence;
    }
    cr_expect_not(in_code);
    free(text);
}

Test(hints, the_table_of_the_page_has_each_with_its_fix_in_order)
{
    char *text = page();
    const char *at = strstr(text, "| hint |");
    cr_assert_not_null(at);
    for (size_t i = 0; i < hint_count; i++) {
        char row[LONGEST_FIX + 200];
        if (hints[i].id == NULL)
            continue;
        snprintf(row, sizeof(row), "\n| [%s](#%s) | %s |\n", hints[i].id, hints[i].id,
                 hints[i].fix);
        const char *found = strstr(text, row);
        cr_expect_not_null(found, "no row%s", row);
        cr_expect(found == NULL || found > at, "%s stands too early", hints[i].id);
        at = found != NULL ? found : at;
    }
    free(text);
}

Test(hints, every_section_of_the_page_is_a_hint)
{
    char *text = page();
    for (const char *at = text; (at = strstr(at, "\n## ")) != NULL; at++) {
        size_t len = strcspn(at + 4, "\n");
        bool found = false;
        for (size_t i = 0; i < hint_count; i++)
            found |= hints[i].id != NULL && strlen(hints[i].id) == len &&
                     strncmp(hints[i].id, at + 4, len) == 0;
        cr_expect(found, "%.*s", (int)len, at + 4);
    }
    free(text);
}
