#include "document/document.h"

#include "document/build.h"
#include "render/markdown.h"
#include "render/writer.h"
#include "render/written.h"
#include "support/made_fields.h"

/* The document as text or Markdown; for free(). */
static char *rendered(const struct document *d,
                      void (*render)(const struct document *,
                                     const struct hd_write_options *, struct out *),
                      const struct hd_write_options *opt)
{
    static const struct hd_write_options plain;
    struct hd_memory memory = {0};
    struct out o = {.to = hd_sink_memory(&memory)};
    render(d, opt != NULL ? opt : &plain, &o);
    cr_assert(out_finish(&o, NULL));
    return memory.bytes;
}

/* --- built once --------------------------------------------------------------------- */

/* One report of each kind. */
static struct hd_report *report_of_kind(size_t i)
{
    struct hd_options few = hd_default_options(), wide = hd_default_options();
    few.rows = 2;
    few.min_share = 0.5;
    wide.chains = 1;
    wide.samples = 5;
    switch (i) {
    case 0:
        return shop_diff(NULL);
    case 1:
        return shop_diff(&few);
    case 2:
        return shop_table_diff(NULL);
    case 3:
        return shop_check();
    case 4:
        return top_of(shop(10), &few);
    case 5:
        return roots_of(shop(50), "System.String", wide);
    case 6:
        return info_of_two();
    case 7:
        return object_of(shop(50), 1, false, NULL);
    case 8:
        return object_of(made_fields(), MADE_ENTRIES, true, NULL);
    default:
        return NULL;
    }
}

/* A document must not depend on width or format. */
Test(document, one_is_enough_for_all_widths_and_renderers)
{
    static const unsigned widths[] = {0, 40, 60, 80, 99, 100, 110, 120, 200};
    struct hd_report *r;
    for (size_t kind = 0; (r = report_of_kind(kind)) != NULL; kind++) {
        struct document *d = document_of(r, NULL, false);
        for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
            struct hd_write_options opt = {
                .width = widths[i], .color = i % 2 > 0, .details = i % 3 > 0};
            char *once = rendered(d, write_text.render, &opt);
            char *anew = written_with(r, "text", &opt);
            cr_expect_str_eq(once, anew, "kind %zu, width %u", kind, widths[i]);
            free(once);
            free(anew);
            once = rendered(d, write_markdown.render, &opt);
            anew = written_with(r, "md", NULL);
            cr_expect_str_eq(once, anew, "kind %zu", kind);
            free(once);
            free(anew);
        }
        document_free(d);
        hd_report_free(r);
    }
}

Test(document, it_outlives_its_report)
{
    struct hd_report *r;
    for (size_t kind = 0; (r = report_of_kind(kind)) != NULL; kind++) {
        char *before = written(r, "text");
        struct document *d = document_of(r, NULL, false);
        hd_report_free(r);
        const struct hd_write_options all = {.details = true};
        char *after = rendered(d, write_text.render, &all);
        cr_expect_str_eq(after, before);
        free(before);
        free(after);
        document_free(d);
    }
}

/* --- one more renderer ---------------------------------------------------------------- */

/* A minimal renderer: walks plain data. This one collects the names. */
struct visitor {
    void (*visit)(const struct doc_run *run, void *context);
    void *context;
    enum doc_place place;
};

static bool is_there(const struct visitor *w, unsigned only)
{
    return only == 0 || (only & w->place) != 0;
}

static void walk_runs(const struct visitor *w, const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++)
        w->visit(&runs->all[i], w->context);
}

static void walk_line(const struct visitor *w, const struct doc_line *l)
{
    for (size_t i = 0; i < l->len; i++)
        walk_runs(w, &l->all[i].cell.words);
}

static void walk_chains(const struct visitor *w, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++) {
        walk_line(w, &chains->all[i].head);
        for (size_t f = 0; f < chains->all[i].frame_count; f++)
            walk_runs(w, &chains->all[i].frames[f].name);
    }
    walk_line(w, &chains->rest);
}

static void walk_table(const struct visitor *w, const struct doc_table *t)
{
    for (size_t i = 0; i < t->row_count; i++) {
        const struct doc_row *row = &t->rows[i];
        if (!is_there(w, row->only))
            continue;
        for (size_t c = 0; c < (row->kind == DOC_ROW ? t->column_count : 1); c++)
            if (row->kind != DOC_ROW || !t->columns[c].is_detail)
                walk_runs(w, &row->cells[c].words);
        for (size_t k = 0; k < row->remark_count; k++)
            walk_runs(w, &row->remarks[k]);
        for (size_t k = 0; k < row->attached_count; k++) {
            if (row->attached[k].is_said_below || row->attached[k].is_for_pages)
                continue;
            walk_line(w, &row->attached[k].line);
            walk_chains(w, &row->attached[k].chains);
        }
    }
}

static void walk_document(const struct visitor *w, const struct document *d)
{
    walk_runs(w, &d->summary);
    for (size_t i = 0; i < d->verdict_len; i++)
        walk_runs(w, &d->verdict[i].words);
    for (size_t i = 0; i < d->section_count; i++)
        for (size_t b = 0;
             is_there(w, d->sections[i].only) && b < d->sections[i].block_count; b++) {
            const struct doc_block *block = &d->sections[i].blocks[b];
            if (block->kind == DOC_PARAGRAPH)
                walk_line(w, &block->line);
            else if (block->kind == DOC_TABLE)
                walk_table(w, &block->table);
            else if (block->kind == DOC_CHAINS)
                walk_chains(w, &block->chains);
            else if (block->kind == DOC_FACTS)
                for (size_t f = 0; f < block->facts.len; f++)
                    walk_line(w, &block->facts.all[f].value);
        }
}

struct told {
    const char *in;
    bool is_text; /* names may be short, and verdicts have no signs */
    size_t runs;
};

static void expect_told(const struct doc_run *run, void *context)
{
    struct told *told = context;
    bool is_name = run->style == DOC_NAME || run->style == DOC_LIBRARY_NAME;
    told->runs++;
    if (run->style == DOC_QUOTED)
        return;
    struct text shown = {0};
    format_short_name(&shown, run->text);
    bool there =
        strstr(told->in, run->text) != NULL ||
        (is_name && told->is_text && strstr(told->in, text_string(&shown)) != NULL);
    cr_expect(there, "%s lacks %s:\n%s", told->is_text ? "text" : "page", run->text,
              told->in);
    text_free(&shown);
}

static void expect_all_told(const struct document *d, const char *in, enum doc_place place)
{
    struct told told = {in, place != DOC_ON_PAGES, 0};
    walk_document(&(struct visitor){expect_told, &told, place}, d);
    cr_expect_gt(told.runs, 3);
}

/* Both formats have the same content, except for parts meant for one of them. */
Test(document, text_and_markdown_have_the_same_content)
{
    static const struct hd_write_options wide = {.width = 400},
                                         details = {.details = true, .width = 400};
    struct hd_report *r;
    for (size_t kind = 0; (r = report_of_kind(kind)) != NULL; kind++) {
        struct document *d = document_of(r, NULL, false);
        char *text = rendered(d, write_text.render, &wide);
        char *more = rendered(d, write_text.render, &details);
        char *markdown = rendered(d, write_markdown.render, NULL);
        expect_all_told(d, text, DOC_ON_LINES);
        expect_all_told(d, more, DOC_ON_DETAILED_LINES);
        expect_all_told(d, markdown, DOC_ON_PAGES);
        free(text);
        free(more);
        free(markdown);
        document_free(d);
        hd_report_free(r);
    }
}

/* --- what renderers choose ---------------------------------------------------------- */

static struct doc_line *add_paragraph(struct document *d)
{
    struct doc_section *s = d->section_count > 0 ? d->sections : doc_section(d, DOC_PLAIN);
    return &doc_block(d, s, DOC_PARAGRAPH)->line;
}

static void expect_text(const struct document *d, unsigned width, const char *wanted)
{
    struct hd_write_options opt = {.width = width};
    char *got = rendered(d, write_text.render, &opt);
    cr_expect_str_eq(got, wanted, "%s", got);
    free(got);
}

Test(document, a_brief_form_is_shown_below_its_width)
{
    struct document *d = document_new("test");
    struct doc_line *l = add_paragraph(d);
    doc_run(d, doc_piece(d, l, ""), DOC_WORDS, "1 → 2 → 3");
    doc_run(d, doc_brief(d, &l->all[0].cell, 100), DOC_WORDS, "1 … 3");
    expect_text(d, 99, "1 … 3\n");
    expect_text(d, 100, "1 → 2 → 3\n");
    expect_text(d, 0, "1 → 2 → 3\n");
    document_free(d);
}

Test(document, a_line_is_broken_only_where_it_may_be)
{
    struct document *d = document_new("test");
    struct doc_line *l = add_paragraph(d);
    l->indent = 2;
    for (int i = 0; i < 4; i++) {
        doc_run(d, doc_piece(d, l, ", "), DOC_WORDS, "eight ch");
        l->all[i].breaks = i == 2;
    }
    expect_text(d, 0, "eight ch, eight ch, eight ch, eight ch\n");
    expect_text(d, 20, "eight ch, eight ch,\n  eight ch, eight ch\n");
    expect_text(d, 5, "eight ch, eight ch,\n  eight ch, eight ch\n");
    document_free(d);
}

Test(document, a_name_wider_than_the_place_is_cut_and_numbers_never_are)
{
    struct document *d = document_new("test");
    struct doc_line *l = add_paragraph(d);
    doc_run(d, doc_piece(d, l, ""), DOC_WORDS, "100,000,000,000 objects");
    doc_run(d, doc_piece(d, l, "  "), DOC_NAME, "a-very-long-name.gcdump");
    l->all[1].breaks = true;
    expect_text(d, 20, "100,000,000,000 objects\na-very-…-name.gcdump\n");
    expect_text(d, 0, "100,000,000,000 objects  a-very-long-name.gcdump\n");
    document_free(d);
}

Test(document, parts_for_one_format_are_only_in_it)
{
    static const struct doc_column columns[] = {{.title = "a", .is_subject = true}};
    static const unsigned only[] = {0, DOC_ON_LINES, DOC_ON_DETAILED_LINES, DOC_ON_PAGES};
    static const char *const words[] = {"all", "lines", "detailed", "pages"};
    struct build b = {.doc = document_new("test")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    struct doc_table *t = build_table(&b, s, columns, 1);
    for (size_t i = 0; i < 4; i++) {
        build_row(&b, t, DOC_ROW);
        b.row->only = only[i];
        CELL(&b, words[i]);
    }
    expect_text(b.doc, 0, "a\nall\nlines\n");
    struct hd_write_options details = {.details = true};
    char *got = rendered(b.doc, write_text.render, &details);
    cr_expect_str_eq(got, "a\nall\ndetailed\n", "%s", got);
    free(got);
    got = rendered(b.doc, write_markdown.render, NULL);
    expect_part(got, "| a |\n|---|\n| all |\n| pages |\n");
    free(got);
    text_free(&b.words);
    document_free(b.doc);
}

Test(document, columns_of_a_table_depend_on_the_place)
{
    static const struct doc_column columns[] = {{.title = "a"},
                                                {.title = "wide", .from_width = 100},
                                                {.title = "detail", .is_detail = true},
                                                {.title = "page", .is_for_pages = true},
                                                {.title = "b", .is_subject = true}};
    struct build b = {.doc = document_new("test")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    struct doc_table *t = build_table(&b, s, columns, 5);
    t->details = "Details";
    build_row(&b, t, DOC_ROW);
    for (int i = 0; i < 5; i++)
        CELL(&b, "x");
    expect_text(b.doc, 99, "a  b\nx  x\n");
    expect_text(b.doc, 100, "a  wide  b\nx  x     x\n");
    struct hd_write_options details = {.width = 60, .details = true};
    char *got = rendered(b.doc, write_text.render, &details);
    cr_expect_str_eq(got, "a  detail  b\nx  x       x\n");
    free(got);
    got = rendered(b.doc, write_markdown.render, NULL);
    expect_part(got, "\n| a | wide | page | b |\n");
    expect_part(got, "<summary>Details</summary>\n\n| a | detail | b |\n");
    free(got);
    text_free(&b.words);
    document_free(b.doc);
}

Test(document, a_command_with_files_is_omitted_if_they_are_deleted)
{
    struct hd_report *r = shop_diff(NULL);
    static const char *const inputs[] = {"my shop"};
    struct hd_write_options gone = {.files_go = true, .inputs = inputs, .input_count = 1};
    struct document *d = document_of(r, &gone, false);
    char *text = rendered(d, write_text.render, NULL);
    char *page = rendered(d, write_markdown.render, NULL);
    expect_part(text, "\nnext: heapdrift explore 'my shop'\n");
    expect_part(page, "\nNext:\n\n```\nheapdrift explore 'my shop'\nheapdrift report ");
    free(text);
    free(page);
    text = rendered(d, write_text.render, &gone);
    page = rendered(d, write_markdown.render, &gone);
    expect_no_part(text, "heapdrift explore");
    expect_no_part(page, "heapdrift explore");
    free(text);
    free(page);
    document_free(d);
    hd_report_free(r);
}

/* --- what others wrote -------------------------------------------------------------- */

/* A name or a message, and its forms: in text; in Markdown as a name, as a name in a table,
 * and as words. */
static const struct {
    const char *raw, *text, *name, *cell, *words;
} hostile[] = {
    {"a`b", "a`b", "``a`b``", "``a`b``", "a\\`b"},
    {"`", "`", "`` ` ``", "`` ` ``", "\\`"},
    {"``a", "``a", "``` ``a ```", "``` ``a ```", "\\`\\`a"},
    {"a|b", "a|b", "`a|b`", "`a\\|b`", "a\\|b"},
    {"a\n# b\r\t", "a\\n# b\\r\\t", "`a\\n# b\\r\\t`", "`a\\n# b\\r\\t`",
     "a\\\\n# b\\\\r\\\\t"},
    {"@team", "@team", "`@team`", "`@team`", "@<!-- -->team"},
    {"fixes #12", "fixes #12", "`fixes #12`", "`fixes #12`", "fixes #<!-- -->12"},
    {"![x](http://x)", "![x](http://x)", "`![x](http://x)`", "`![x](http://x)`",
     "!\\[x\\](http:<!-- -->//x)"},
    {"\\[x](y)", "\\[x](y)", "`\\[x](y)`", "`\\[x](y)`", "\\\\\\[x\\](y)"},
    {"<img src=x>&lt;", "<img src=x>&lt;", "`<img src=x>&lt;`", "`<img src=x>&lt;`",
     "&lt;img src=x>&amp;lt;"},
    {"*a* _b_ ~~c~~", "*a* _b_ ~~c~~", "`*a* _b_ ~~c~~`", "`*a* _b_ ~~c~~`",
     "\\*a\\* \\_b\\_ \\~\\~c\\~\\~"},
    {"::error::x", "\\x3a:error::x", "`\\x3a:error::x`", "`\\x3a:error::x`",
     "\\\\x3a:error::x"},
    {"a\x1b[31m", "a\\x1b[31m", "`a\\x1b[31m`", "`a\\x1b[31m`", "a\\\\x1b\\[31m"},
    {"a\u202eb", "a\\u202eb", "`a\\u202eb`", "`a\\u202eb`", "a\\\\u202eb"},
    {"a\u200bb", "a\u200bb", "`a\\u200bb`", "`a\\u200bb`", "a\\\\u200bb"},
    {"a\xff", "a\ufffd", "`a\ufffd`", "`a\ufffd`", "a\ufffd"},
};

static void expect_md(const char *raw, enum doc_style style, enum markdown_place in,
                      const char *wanted)
{
    struct text t = {0};
    const struct doc_run run = {style, raw};
    markdown_run(&t, &run, in);
    cr_expect_str_eq(text_string(&t), wanted, "%s", text_string(&t));
    text_free(&t);
}

Test(document, foreign_text_is_neither_markup_nor_a_command)
{
    for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
        const char *raw = hostile[i].raw;
        struct text line = {0};
        text_add_string(&line, hostile[i].text);
        text_add_char(&line, '\n');
        for (int quoted = 0; quoted < 2; quoted++) {
            struct document *d = document_new("test");
            doc_run(d, doc_piece(d, add_paragraph(d), ""), quoted ? DOC_QUOTED : DOC_NAME,
                    raw);
            expect_text(d, 0, text_string(&line));
            document_free(d);
        }
        text_free(&line);
        expect_md(raw, DOC_NAME, MARKDOWN_TEXT, hostile[i].name);
        expect_md(raw, DOC_NAME, MARKDOWN_CELL, hostile[i].cell);
        expect_md(raw, DOC_QUOTED, MARKDOWN_TEXT, hostile[i].words);
        expect_md(raw, DOC_QUOTED, MARKDOWN_CELL, hostile[i].words);
    }
}

/* For any name, the numbers of lines and of cells per line are the same. */
Test(document, no_name_changes_the_shape_of_a_page)
{
    for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
        struct hd_snapshot *snaps[] = {table_of(hostile[i].raw, 1, 30),
                                       table_of(hostile[i].raw, 9, 270)};
        struct hd_snapshot *tame[] = {table_of("A", 1, 30), table_of("A", 9, 270)};
        struct hd_report *r = diff_of(snaps, 2, NULL);
        struct hd_report *other = diff_of(tame, 2, NULL);
        char *got = written(r, "md"), *wanted = written(other, "md");
        size_t lines = 0, tame_lines = 0;
        for (const char *c = got; *c != '\0'; c++)
            lines += *c == '\n';
        for (const char *c = wanted; *c != '\0'; c++)
            tame_lines += *c == '\n';
        cr_expect_eq(lines, tame_lines, "%s", got);
        free(got);
        free(wanted);
        hd_report_free(r);
        hd_report_free(other);
    }
}

Test(document, no_line_of_a_chain_ends_its_block_of_code)
{
    struct text t = {0};
    markdown_block(&t, "", "    a\n  → ```\n````\n");
    cr_expect_str_eq(text_string(&t), "`````\n    a\n  → ```\n````\n`````");
    text_free(&t);
}

/* --- chains on pages ------------------------------------------------------------------ */

static size_t parts_of(const char *text, const char *part)
{
    size_t n = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        n++;
    return n;
}

Test(document, a_page_prints_no_chain_twice)
{
    static const char *const path[] = {"[static vars]", "App.Order"};
    const struct hd_report nothing = {0};
    struct build b = {.r = &nothing, .doc = document_new("test")};
    struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
    struct doc_chains *chains = &doc_block(b.doc, s, DOC_CHAINS)->chains;
    for (size_t i = 1; i <= 2; i++) {
        build_path(&b, chains, path, 2);
        chains->all[i - 1].number = i;
        SAY(&b, doc_piece(b.doc, &chains->all[i - 1].head, ""), "50 %");
    }
    char *page = rendered(b.doc, write_markdown.render, NULL);
    cr_expect_eq(parts_of(page, "App.Order"), 1, "%s", page);
    expect_part(page, "**2.** 50 %, as above\n");
    free(page);
    text_free(&b.words);
    document_free(b.doc);
}

/* In text the holder of a rule's type follows the rule; on a page it is only in the
 * suspects. */
Test(document, parts_repeated_below_are_omitted_on_a_page_only)
{
    static const struct doc_column columns[] = {{.title = "rule", .is_subject = true}};
    static const char *const path[] = {"[static vars]", "App.Order"};
    const struct hd_report nothing = {0};
    for (int below = 0; below < 2; below++) {
        struct build b = {.r = &nothing, .doc = document_new("test")};
        struct doc_section *s = doc_section(b.doc, DOC_PLAIN);
        struct doc_table *t = build_table(&b, s, columns, 1);
        build_row(&b, t, DOC_ROW);
        CELL(&b, run_name("type X"));
        struct doc_attached *held = doc_attached(b.doc, b.row, "held by");
        held->is_said_below = below;
        build_path(&b, &held->chains, path, 2);
        char *text = rendered(b.doc, write_text.render, NULL);
        char *page = rendered(b.doc, write_markdown.render, NULL);
        expect_part(text, "\n    held by  [static vars] → Order\n");
        cr_expect_eq(parts_of(page, "→ App.Order"), below ? 0 : 1, "%s", page);
        free(text);
        free(page);
        text_free(&b.words);
        document_free(b.doc);
    }
}

Test(document, rows_below_the_threshold_are_collapsed_on_pages)
{
    struct hd_options opt = hd_default_options();
    opt.min_share = 0.99;
    opt.min_steady_share = 0;
    struct hd_report *r = shop_diff(&opt);
    char *text = written(r, "text"), *page = written(r, "md");
    expect_part(text, "— below 99 % of the heap at the current rate —\n");
    expect_part(page, "<details><summary>Below 99 % of the heap at the current rate"
                      "</summary>\n\n| # | ");
    free(text);
    free(page);
    hd_report_free(r);
}
