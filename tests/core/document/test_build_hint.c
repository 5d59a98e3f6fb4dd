/* Pages of hints: the order of the parts of docs/hints.md, in every format. */
#include "document/build.h"
#include "ranking/hints.h"
#include "render/page/page.h"
#include "render/writer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The document in a format; for free(). */
static char *rendered(const struct document *d, const struct writer *w,
                      const struct hd_write_options *opt)
{
    static const struct hd_write_options plain;
    struct hd_memory memory = {0};
    struct out o = {.to = hd_sink_memory(&memory)};
    w->render(d, opt != NULL ? opt : &plain, &o);
    cr_assert(out_finish(&o, NULL));
    return memory.bytes;
}

static size_t count_of(const struct doc_section *s, enum doc_block_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < s->block_count; i++)
        n += s->blocks[i].kind == kind;
    return n;
}

Test(build_hint, each_has_prose_and_two_listings)
{
    for (size_t i = 0; i < hint_count; i++) {
        if (hints[i].id == NULL)
            continue;
        struct document *d = document_of_hint(hints[i].id);
        cr_assert_not_null(d, "%s", hints[i].id);
        const struct doc_section *s = &d->sections[0];
        cr_expect_eq(d->section_count, 1);
        cr_expect_eq(count_of(s, DOC_LISTING), 2, "%s", hints[i].id);
        /* Its fix, symptom, cause, before, after, confirmation. */
        cr_expect_geq(count_of(s, DOC_PROSE), 6, "%s", hints[i].id);
        cr_expect_eq(count_of(s, DOC_LISTING) + count_of(s, DOC_PROSE), s->block_count);
        for (size_t k = 0; k < s->block_count; k++) {
            if (s->blocks[k].kind != DOC_LISTING)
                continue;
            const struct doc_listing *l = &s->blocks[k].listing;
            cr_expect_str_eq(l->language, "csharp");
            cr_expect(l->lines[0] != '\n' && l->lines[strlen(l->lines) - 1] == '\n');
            cr_expect_null(strstr(l->lines, "```"), "%s", l->lines);
        }
        document_free(d);
    }
}

Test(build_hint, an_unknown_name_has_no_page)
{
    cr_expect_null(document_of_hint("timer"));
    cr_expect_null(document_of_hint(""));
    struct build b = {.doc = document_new("x")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    build_hint_page(&b, s, NULL);
    build_hint_page(&b, s, "timer");
    cr_expect_eq(s->block_count, 0);
    document_free(b.doc);
}

/* The runs of words, each with a letter for its style. */
static void expect_runs(const char *words, const char *expected)
{
    struct build b = {.doc = document_new("x")};
    struct doc_runs runs = {0};
    struct text got = {0};
    build_marked(&b, &runs, words);
    for (size_t i = 0; i < runs.len; i++) {
        text_add_char(&got, "ws"[runs.all[i].style == DOC_STRONG]);
        if (runs.all[i].style == DOC_CODE)
            got.data[got.len - 1] = 'c';
        text_add_char(&got, '(');
        text_add_string(&got, runs.all[i].text);
        text_add_char(&got, ')');
    }
    cr_expect_str_eq(text_string(&got), expected);
    text_free(&got);
    text_free(&b.words);
    document_free(b.doc);
}

Test(build_hint, words_between_marks_are_runs_of_their_own)
{
    expect_runs("plain", "w(plain)");
    expect_runs("use `x += 1`, or `y`", "w(use )c(x += 1)w(, or )c(y)");
    expect_runs("**Cause:** it `is`.", "s(Cause:)w( it )c(is)w(.)");
    expect_runs("as with [static ones](#static-collection).", "w(as with static ones.)");
    expect_runs("one\nline", "w(one line)");
    expect_runs("`**no**`", "c(**no**)");
    /* Unterminated marks are literal. */
    expect_runs("a `b", "w(a `b)");
    expect_runs("2 ** 3", "w(2 ** 3)");
    expect_runs("[x] (y)", "w([x] (y))");
    expect_runs("", "");
}

Test(build_hint, a_page_of_text_has_room_around_prose_and_code)
{
    struct document *d = document_of_hint("string-interning");
    char *got = rendered(d, &write_text, &(struct hd_write_options){.width = 80});
    cr_expect_eq(strncmp(got, "string-interning\n\n  Interned strings ", 37), 0, "%s", got);
    cr_expect_not_null(strstr(got, "\n\n  Before:\n\n      string Name(string text) => "
                                   "string.Intern(text);\n\n  After:\n\n      "));
    cr_expect_not_null(strstr(got, "\n              return same;\n"));
    cr_expect_not_null(strstr(got, "\n\n  Symptom: `String` "));
    free(got);
    got = rendered(d, &write_text, &(struct hd_write_options){.width = 80, .color = true});
    cr_expect_not_null(strstr(got, "\n  \033[1mSymptom:\033[0m `String` "));
    free(got);
    document_free(d);
}

Test(build_hint, code_is_a_block_of_its_language_in_markdown_and_escaped_in_html)
{
    struct document *d = document_of_hint("thread-static-kept");
    char *got = rendered(d, &write_markdown, NULL);
    cr_expect_not_null(strstr(got, "\n\nBefore:\n\n```csharp\n[ThreadStatic] static "
                                   "List<Order> batch;\n"));
    cr_expect_not_null(strstr(got, "\n\n**Symptom:** `[thread static vars]`"));
    free(got);
    struct hd_memory memory = {0};
    struct out o = {.to = hd_sink_memory(&memory)};
    page_sections(d, &(struct hd_write_options){0}, NULL, &o);
    cr_assert(out_finish(&o, NULL));
    cr_expect_not_null(strstr(memory.bytes, "<p>Before:</p>\n<pre class=\"listing\" "
                                            "tabindex=\"0\"><code>[ThreadStatic] static "
                                            "List&lt;Order&gt; batch;\n"));
    cr_expect_not_null(strstr(memory.bytes, "<p><strong>Symptom:</strong> <code>[thread"));
    free(memory.bytes);
    document_free(d);
}

Test(build_hint, the_library_writes_one_and_all_and_knows_their_names)
{
    struct hd_memory memory = {0};
    struct hd_error err = {0};
    size_t n = 0;
    while (hd_hint_name(n) != NULL) {
        cr_expect_not_null(hd_hint_fix(n));
        n++;
    }
    cr_expect_null(hd_hint_fix(n));
    cr_expect_eq(n, hint_count - 1, "one has no name");
    cr_assert(hd_hint_write(NULL, NULL, hd_sink_memory(&memory), &err));
    cr_expect_not_null(strstr(memory.bytes, "\nstatic-collection "));
    hd_memory_free(&memory);
    memory = (struct hd_memory){0};
    cr_assert(hd_hint_write("static-collection", NULL, hd_sink_memory(&memory), &err));
    cr_expect_eq(strncmp(memory.bytes, "static-collection\n", 18), 0);
    hd_memory_free(&memory);
    memory = (struct hd_memory){0};
    cr_expect_not(hd_hint_write("zebra", NULL, hd_sink_memory(&memory), &err));
    cr_expect_eq(err.status, HD_USAGE);
    cr_expect_str_eq(err.message, "no hint is called zebra");
    hd_memory_free(&memory);
}
