/* A document as Markdown for a ticket or a pull request, in GitHub's dialect: tables,
 * chains in code blocks, long parts folded. The first line is a comment by which a bot
 * finds its own text again. Must not depend on the content. */
#include "base/hash.h"
#include "document/build.h"
#include "render/markdown.h"
#include "render/text_words.h"
#include "render/writer.h"
#include "report/format_units.h"

#include <stdio.h>
#include <string.h>

/* --- visible characters ---------------------------------------------------------- */

/* Marks and controls of direction, which make a name look like another one (Unicode
 * Technical Report 36, 3.1), and characters without width. */
static bool is_hidden(uint32_t code)
{
    return code == 0x061C || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2060 && code <= 0x206F) ||
           code == 0xFEFF;
}

/* As in text, except for these. */
static void add_visible(struct text *t, const char *s)
{
    struct text clean = {0};
    format_name(&clean, s);
    for (size_t i = 0, n; i < clean.len; i += n) {
        const unsigned char *at = (const unsigned char *)clean.data + i;
        n = utf8_length(at, clean.len - i);
        uint32_t code = utf8_decode(at, n);
        char escape[16];
        snprintf(escape, sizeof(escape), "\\u%04x", code);
        if (is_hidden(code))
            text_add_string(t, escape);
        else
            text_add(t, at, n);
    }
    text_free(&clean);
}

/* --- escapes --------------------------------------------------------------------- */

/* Amount of markup to escape: in code only the end of a cell; in our words, which may
 * contain code and emphasis, tags as well; in untrusted text everything. */
enum origin { OF_CODE, OF_OURS, OF_OTHERS };

/* A comment within "@team", "#12" and "://" prevents links, which GitHub adds after
 * Markdown is processed. A bar ends a cell even within code, unless there is a backslash
 * before it. */
static void markdown_add_escaped(struct text *t, const struct text *s, enum origin origin,
                                 enum markdown_place in)
{
    const char *const marks = origin == OF_OTHERS   ? "\\`*_[]|~$"
                              : in == MARKDOWN_CELL ? "|"
                                                    : "";
    for (size_t i = 0; i < s->len; i++) {
        const char c = s->data[i];
        char next = '\0';
        if (i + 1 < s->len)
            next = s->data[i + 1];
        bool parted = c == '@' || (c == '#' && next >= '0' && next <= '9') ||
                      (c == ':' && next == '/');
        if (c == '<' && origin != OF_CODE) {
            text_add_string(t, "&lt;");
        } else if (c == '&' && origin == OF_OTHERS) {
            text_add_string(t, "&amp;");
        } else {
            text_add_string(t, c != '\0' && strchr(marks, c) != NULL ? "\\" : "");
            text_add_char(t, c);
        }
        if (parted && origin == OF_OTHERS)
            text_add_string(t, "<!-- -->");
    }
}

/* --- code ------------------------------------------------------------------------ */

/* Returns the length of the longest sequence of backticks. */
static size_t longest_fence(const char *s)
{
    size_t longest = 0;
    for (size_t run; *s != '\0'; s += run > 0 ? run : 1) {
        run = strspn(s, "`");
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void add_fence(struct text *t, size_t len)
{
    while (len-- > 0)
        text_add_char(t, '`');
}

static void add_code(struct text *t, const struct text *s, enum markdown_place in)
{
    struct text copy = {0};
    text_add(&copy, s->data, s->len);
    size_t fence = longest_fence(text_string(&copy)) + 1;
    bool edge = s->len > 0 && (s->data[0] == '`' || s->data[s->len - 1] == '`');
    add_fence(t, fence);
    text_add_string(t, edge ? " " : "");
    markdown_add_escaped(t, s, OF_CODE, in);
    text_add_string(t, edge ? " " : "");
    add_fence(t, fence);
    text_free(&copy);
}

void markdown_block(struct text *t, const char *first, const char *lines)
{
    enum { USUAL = 3 };
    size_t a = longest_fence(first), b = longest_fence(lines), most = a > b ? a : b;
    size_t fence = most >= USUAL ? most + 1 : USUAL, len = strlen(lines);
    add_fence(t, fence);
    say(t, "\n", first, lines, len > 0 && lines[len - 1] != '\n' ? "\n" : "");
    add_fence(t, fence);
}

/* --- runs ------------------------------------------------------------------------ */

void markdown_run(struct text *t, const struct doc_run *run, enum markdown_place in)
{
    static const char *const emphasis[DOC_LIBRARY_NAME + 1] = {[DOC_STRONG] = "**",
                                                               [DOC_GOOD] = "✅ **",
                                                               [DOC_BAD] = "❌ **",
                                                               [DOC_UNSURE] = "❔ **",
                                                               [DOC_MORE] = "**"};
    struct text s = {0};
    bool is_name = run->style == DOC_NAME || run->style == DOC_LIBRARY_NAME;
    bool is_ours = !is_name && run->style != DOC_QUOTED;
    bool is_strong =
        emphasis[run->style] != NULL && (run->style != DOC_MORE || in == MARKDOWN_TEXT);
    if (is_ours)
        text_add_string(&s, run->text);
    else
        add_visible(&s, run->text);
    if (in == MARKDOWN_BLOCK)
        text_add(t, text_string(&s), s.len);
    else if (is_name || run->style == DOC_CODE)
        add_code(t, &s, in);
    else {
        text_add_string(t, is_strong ? emphasis[run->style] : "");
        markdown_add_escaped(t, &s, is_ours ? OF_OURS : OF_OTHERS, in);
        text_add_string(t, is_strong ? "**" : "");
    }
    text_free(&s);
}

void hd_put_markdown_cell(struct hd_sink to, const char *words)
{
    struct text t = {0};
    markdown_run(&t, &(struct doc_run){DOC_QUOTED, words}, MARKDOWN_CELL);
    to.write(to.context, text_string(&t), t.len);
    text_free(&t);
}

/* --- the page -------------------------------------------------------------------- */

/* A chain that was shown; it is not shown again. */
struct shown_chain {
    UT_hash_handle hh;
    const char *frames;
};

struct markdown_page {
    struct text t;
    const struct hd_write_options *opt;
    struct shown_chain *chains;
    struct arena arena; /* for the chains */
};

/* more rows with chains than this are too long for reading in passing */
enum { MAX_OPEN = 3 };

/* --- words ----------------------------------------------------------------------- */

static void add_runs(struct text *t, const struct doc_runs *runs, enum markdown_place in)
{
    for (size_t i = 0; i < runs->len; i++)
        markdown_run(t, &runs->all[i], in);
}

/* Parts that wide blanks separate in text are separated by commas: Markdown has no wide
 * blanks. */
static const char *joint_of(const struct doc_piece *piece)
{
    const struct doc_runs *runs = &piece->cell.words, *before = &piece[-1].cell.words;
    const char *end = before->len > 0 ? before->all[before->len - 1].text : "";
    bool is_thing = strncmp(piece->joint, "  ", 2) == 0;
    bool bracket = runs->len > 0 && runs->all[0].text[0] == '(';
    bool sentence = end[0] != '\0' && end[strlen(end) - 1] == '.';
    return is_thing && (bracket || sentence) ? " " : is_thing ? ", " : piece->joint;
}

static void markdown_add_line(struct text *t, const struct doc_line *l,
                              enum markdown_place in)
{
    for (size_t i = 0; i < l->len; i++) {
        if (l->all[i].cell.words.len == 0) /* for narrow places only */
            continue;
        text_add_string(t, i > 0 ? joint_of(&l->all[i]) : "");
        add_runs(t, &l->all[i].cell.words, in);
    }
}

/* Appends our own words as a sentence: with a capital. */
static void add_capital(struct text *t, const char *words)
{
    bool small = words[0] >= 'a' && words[0] <= 'z';
    if (small)
        text_add_char(t, (char)(words[0] - 'a' + 'A'));
    text_add_string(t, words + small);
}

/* Begins a block, after an empty line. */
static void begin_block(struct markdown_page *p)
{
    struct text *t = &p->t;
    while (t->len > 0 && (t->data[t->len - 1] == '\n' || t->data[t->len - 1] == ' '))
        t->len--;
    text_add_string(t, "\n\n");
}

static void begin_fold(struct markdown_page *p, const char *title, const char *remark)
{
    begin_block(p);
    text_add_string(&p->t, "<details><summary>");
    add_capital(&p->t, title);
    say(&p->t, remark != NULL ? " " : "", remark != NULL ? remark : "", "</summary>");
    begin_block(p);
}

static void end_fold(struct markdown_page *p)
{
    begin_block(p);
    text_add_string(&p->t, "</details>\n");
}

/* --- chains ---------------------------------------------------------------------- */

static void markdown_add_frames(struct text *t, const struct doc_chain *c)
{
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct doc_frame *f = &c->frames[i];
        if (f->omitted > 0) {
            say(t, "  … ", f->omitted, " more\n");
        }
        say(t, i == 0 ? "    " : "  → ", f->role != NULL ? f->role : "",
            f->role != NULL ? " " : "");
        add_runs(t, &f->name, MARKDOWN_BLOCK);
        if (f->generation != NULL) {
            say(t, " (", f->generation, ")");
        }
        text_add_char(t, '\n');
    }
}

/* True if this chain was not shown before. */
static bool is_new(struct markdown_page *p, struct text *frames)
{
    struct shown_chain *known = NULL;
    HASH_FIND(hh, p->chains, text_string(frames), frames->len, known);
    if (known != NULL)
        return false;
    known = arena_alloc(&p->arena, sizeof(*known));
    known->frames = arena_strdup(&p->arena, frames->data, frames->len);
    HASH_ADD_KEYPTR(hh, p->chains, known->frames, frames->len, known);
    return true;
}

static void markdown_add_chain(struct markdown_page *p, const struct doc_chain *c)
{
    struct text frames = {0}, head = {0};
    markdown_add_frames(&frames, c);
    begin_block(p);
    markdown_add_line(&head, &c->head, c->number > 0 ? MARKDOWN_TEXT : MARKDOWN_BLOCK);
    bool alone = frames.len == 0 || !is_new(p, &frames);
    if (c->number > 0) {
        say(&p->t, "**", c->number, ".** ");
    }
    if (c->number > 0 || alone)
        text_add(&p->t, text_string(&head), head.len);
    if (alone && frames.len > 0)
        text_add_string(&p->t, head.len > 0 ? ", as above" : "as above");
    if (!alone) {
        if (c->number > 0)
            begin_block(p);
        else if (head.len > 0)
            text_add_char(&head, '\n');
        markdown_block(&p->t, c->number > 0 ? "" : text_string(&head),
                       text_string(&frames));
    }
    text_add_char(&p->t, '\n');
    text_free(&frames);
    text_free(&head);
}

static void add_chains(struct markdown_page *p, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++)
        markdown_add_chain(p, &chains->all[i]);
    if (chains->rest.len == 0)
        return;
    begin_block(p);
    markdown_add_line(&p->t, &chains->rest, MARKDOWN_TEXT);
    text_add_string(&p->t, ".\n");
}

/* --- tables ---------------------------------------------------------------------- */

/* One table may become two: the main columns, and the details. */
static bool has_column(const struct doc_table *t, size_t c, bool details)
{
    const struct doc_column *column = &t->columns[c];
    return !details ? !column->is_detail
                    : column->is_detail || column->is_subject || c == 0;
}

static void add_titles(struct text *t, const struct doc_table *table, bool details)
{
    for (size_t c = 0; c < table->column_count; c++) {
        if (!has_column(table, c, details))
            continue;
        say(t, "| ", table->columns[c].title, " ");
    }
    text_add_string(t, "|\n");
    for (size_t c = 0; c < table->column_count; c++)
        if (has_column(table, c, details))
            text_add_string(t, table->columns[c].align == DOC_RIGHT ? "|---:" : "|---");
    text_add_string(t, "|\n");
}

/* Appends the remarks and the words of a row to the cell of its title. */
static void add_about(struct text *t, const struct doc_row *row)
{
    for (size_t i = 0; i < row->remark_count; i++) {
        const struct doc_runs *runs = &row->remarks[i];
        bool bracket = runs->len > 0 && runs->all[0].text[0] == '(';
        text_add_string(t, bracket ? " " : ", ");
        add_runs(t, runs, MARKDOWN_CELL);
    }
    for (size_t i = 0; i < row->attached_count; i++) {
        const struct doc_attached *a = &row->attached[i];
        if (a->label != NULL || a->line.len == 0)
            continue;
        text_add_string(t, "<br>");
        markdown_add_line(t, &a->line, MARKDOWN_CELL);
    }
}

static void markdown_add_row(struct text *t, const struct doc_table *table,
                             const struct doc_row *row, bool details)
{
    for (size_t c = 0; c < table->column_count; c++) {
        const struct doc_column *column = &table->columns[c];
        if (!has_column(table, c, details))
            continue;
        text_add_string(t, "| ");
        if (row->kind == DOC_ROW)
            add_runs(t, &row->cells[c].words, MARKDOWN_CELL);
        else if (column->is_subject)
            add_runs(t, &row->cells[0].words, MARKDOWN_CELL);
        if (row->kind == DOC_ROW && column->is_subject && !details)
            add_about(t, row);
        text_add_string(t, t->data[t->len - 1] == ' ' ? "" : " ");
    }
    text_add_string(t, "|\n");
}

/* Returns the end of the group that begins at this row. */
static size_t group_end(const struct doc_table *t, size_t i)
{
    while (i < t->row_count && t->rows[i].kind != DOC_GROUP)
        i++;
    return i;
}

static void markdown_add_rows(struct markdown_page *p, const struct doc_table *t,
                              size_t first, size_t end)
{
    if (first == end)
        return;
    begin_block(p);
    add_titles(&p->t, t, false);
    for (size_t i = first; i < end; i++)
        if (doc_is_on(DOC_ON_PAGES, t->rows[i].only))
            markdown_add_row(&p->t, t, &t->rows[i], false);
}

/* --- details of rows ------------------------------------------------------------- */

static bool is_more(const struct doc_attached *a)
{
    return a->label != NULL && !a->is_said_below;
}

static bool has_more(const struct doc_row *row)
{
    for (size_t i = 0; i < row->attached_count; i++)
        if (is_more(&row->attached[i]))
            return true;
    return false;
}

static void add_attached(struct markdown_page *p, const struct doc_attached *a, bool first)
{
    if (a->line.len > 0) {
        if (!first)
            begin_block(p);
        say(&p->t, first ? ", " : "", a->label, ": ");
        markdown_add_line(&p->t, &a->line, MARKDOWN_TEXT);
        text_add_char(&p->t, '\n');
        return;
    }
    say(&p->t, first ? ", " : "", a->label);
    add_chains(p, &a->chains);
}

static void add_all_attached(struct markdown_page *p, const struct doc_table *t)
{
    size_t rows = 0;
    for (size_t i = 0; i < t->row_count; i++)
        if (has_more(&t->rows[i]))
            rows++;
    if (rows > MAX_OPEN)
        begin_fold(p, "held by", NULL);
    for (size_t i = 0; i < t->row_count; i++) {
        const struct doc_row *row = &t->rows[i];
        if (!has_more(row))
            continue;
        /* "**1.** `App.Order`": its number, if it begins with one, and its subject. */
        begin_block(p);
        for (size_t c = 0; c < t->column_count; c++) {
            bool is_number = c == 0 && strcmp(t->columns[c].title, "#") == 0;
            text_add_string(&p->t, is_number ? "**" : "");
            if (is_number || t->columns[c].is_subject)
                add_runs(&p->t, &row->cells[c].words, MARKDOWN_TEXT);
            text_add_string(&p->t, is_number ? ".** " : "");
        }
        bool first = true;
        for (size_t k = 0; k < row->attached_count; k++) {
            if (!is_more(&row->attached[k]))
                continue;
            add_attached(p, &row->attached[k], first);
            first = false;
        }
    }
    if (rows > MAX_OPEN)
        end_fold(p);
}

static void add_tree_run(struct text *t, const struct doc_run *run)
{
    struct doc_run plain = *run;
    struct text name = {0};
    if (run->style == DOC_NAME || run->style == DOC_LIBRARY_NAME) {
        format_short_name(&name, run->text);
        plain.text = text_string(&name);
    }
    markdown_run(t, &plain, MARKDOWN_BLOCK);
    text_free(&name);
}

static void add_tree(struct markdown_page *p, const struct doc_table *t)
{
    const struct hd_write_options plain = {0};
    const struct tree_look look = {.opt = &plain, .add = add_tree_run};
    struct text lines = {0};
    tree_lines(&lines, t, &look);
    markdown_block(&p->t, "", text_string(&lines));
    text_add_char(&p->t, '\n');
    text_free(&lines);
}

static void markdown_add_table(struct markdown_page *p, const struct doc_table *t)
{
    if (t->is_tree) {
        add_tree(p, t);
        return;
    }
    size_t i = group_end(t, 0);
    markdown_add_rows(p, t, 0, i);
    add_all_attached(p, t);
    while (i < t->row_count) {
        size_t end = group_end(t, i + 1);
        struct text title = {0};
        add_runs(&title, &t->rows[i].cells[0].words, MARKDOWN_TEXT);
        begin_fold(p, text_string(&title), NULL);
        markdown_add_rows(p, t, i + 1, end);
        end_fold(p);
        text_free(&title);
        i = end;
    }
    if (t->details == NULL || t->row_count == 0)
        return;
    begin_fold(p, t->details, NULL);
    add_titles(&p->t, t, true);
    for (i = 0; i < t->row_count; i++)
        if (t->rows[i].kind == DOC_ROW)
            markdown_add_row(&p->t, t, &t->rows[i], true);
    end_fold(p);
}

/* --- blocks ---------------------------------------------------------------------- */

static void markdown_add_facts(struct markdown_page *p, const struct doc_facts *facts)
{
    for (size_t i = 0; i < facts->len; i++) {
        const struct doc_fact *f = &facts->all[i];
        say(&p->t, f->level > 0 ? "  - **" : "- **", f->name, "**: ");
        markdown_add_line(&p->t, &f->value, MARKDOWN_TEXT);
        text_add_char(&p->t, '\n');
    }
}

static void add_notes(struct markdown_page *p, const struct doc_notes *notes)
{
    for (size_t i = 0; i < notes->len; i++) {
        const struct doc_note *n = &notes->all[i];
        const struct doc_run file = {DOC_NAME, n->file != NULL ? n->file : ""};
        const struct doc_run message = {DOC_QUOTED, n->message};
        say(&p->t, "> **", n->code, "** ");
        if (n->file != NULL) {
            markdown_run(&p->t, &file, MARKDOWN_TEXT);
            text_add_string(&p->t, ": ");
        }
        markdown_run(&p->t, &message, MARKDOWN_TEXT);
        if (n->count > 1)
            say(&p->t, " (", as_digits(n->count), " times)");
        if (n->line > 0)
            say(&p->t, ", first in line ", as_digits(n->line));
        text_add_string(&p->t, i + 1 < notes->len ? "  \n" : "\n");
    }
}

static void add_command(struct markdown_page *p, const struct doc_command *c)
{
    if (c->names_files && p->opt->files_go)
        return;
    begin_block(p);
    add_capital(&p->t, c->label);
    text_add_string(&p->t, ":\n\n");
    markdown_block(&p->t, "", c->lines);
    text_add_char(&p->t, '\n');
}

/* Adds a paragraph; adjacent ones become its lines. */
static void add_paragraph(struct markdown_page *p, const struct doc_line *l, bool goes_on)
{
    if (goes_on && p->t.data[p->t.len - 1] == '\n') {
        p->t.len--;
        text_add_string(&p->t, "  \n");
    }
    markdown_add_line(&p->t, l, MARKDOWN_TEXT);
    text_add_char(&p->t, '\n');
}

static void add_block(struct markdown_page *p, const struct doc_block *b, bool goes_on)
{
    if (b->kind != DOC_COMMAND && !goes_on)
        begin_block(p);
    switch (b->kind) {
    case DOC_PARAGRAPH:
        add_paragraph(p, &b->line, goes_on);
        break;
    case DOC_PROSE:
        add_paragraph(p, &b->line, false);
        break;
    case DOC_LISTING:
        say(&p->t, "```", b->listing.language, "\n", b->listing.lines, "```\n");
        break;
    case DOC_FACTS:
        markdown_add_facts(p, &b->facts);
        break;
    case DOC_TABLE:
        markdown_add_table(p, &b->table);
        break;
    case DOC_CHAINS:
        add_chains(p, &b->chains);
        break;
    case DOC_NOTES:
        add_notes(p, &b->notes);
        break;
    case DOC_COMMAND:
        add_command(p, &b->command);
        break;
    }
}

/* --- sections -------------------------------------------------------------------- */

static void add_title(struct markdown_page *p, const struct doc_section *s)
{
    if (s->is_long) {
        begin_fold(p, s->title.text, s->remark);
        return;
    }
    begin_block(p);
    text_add_string(&p->t, "### ");
    markdown_run(&p->t, &s->title, MARKDOWN_TEXT);
    text_add_char(&p->t, '\n');
    if (s->remark == NULL)
        return;
    begin_block(p);
    add_capital(&p->t, s->remark);
    text_add_string(&p->t, ".\n");
}

static void add_section(struct markdown_page *p, const struct doc_section *s, bool is_first)
{
    if (s->kind != DOC_PLAIN)
        add_title(p, s);
    for (size_t i = 0; i < s->block_count; i++) {
        bool line = s->blocks[i].kind == DOC_PARAGRAPH;
        bool after_line = i > 0 ? s->blocks[i - 1].kind == DOC_PARAGRAPH : is_first;
        add_block(p, &s->blocks[i], line && after_line);
    }
    if (s->is_long)
        end_fold(p);
}

static bool has_lead(const struct document *d)
{
    return d->summary.len + d->verdict_len == 0 && d->section_count > 0 &&
           d->sections[0].block_count > 0 && d->sections[0].kind == DOC_PLAIN &&
           d->sections[0].blocks[0].kind == DOC_PARAGRAPH;
}

/* "**heapdrift**: `App.Order`"; without a summary the first paragraph continues the
 * line. */
static void add_summary(struct markdown_page *p, const struct document *d)
{
    say(&p->t, "**", d->title, "**");
    if (d->summary.len > 0 || has_lead(d))
        text_add_string(&p->t, ": ");
    add_runs(&p->t, &d->summary, MARKDOWN_TEXT);
    if (!has_lead(d))
        text_add_char(&p->t, '\n');
}

/* "**LEAK** `Session`: ...", each a line of the same paragraph. */
static void add_verdict(struct markdown_page *p, const struct document *d)
{
    for (size_t i = 0; i < d->verdict_len; i++) {
        const struct doc_verdict *v = &d->verdict[i];
        text_add_string(&p->t, i > 0 ? "  \n" : "");
        if (v->label != NULL) {
            markdown_run(&p->t, &(struct doc_run){v->style, v->label}, MARKDOWN_TEXT);
            text_add_char(&p->t, ' ');
        }
        add_runs(&p->t, &v->words, MARKDOWN_TEXT);
        if (v->command == NULL)
            continue;
        say(&p->t, " `", v->command, "`");
    }
    text_add_char(&p->t, '\n');
}

static void render(const struct document *d, const struct hd_write_options *opt,
                   struct out *o)
{
    struct markdown_page p = {.opt = opt};
    text_add_string(&p.t, "<!-- heapdrift -->\n");
    if (d->verdict_len > 0)
        add_verdict(&p, d);
    else
        add_summary(&p, d);
    for (size_t i = 0; i < d->section_count; i++)
        if (doc_is_on(DOC_ON_PAGES, d->sections[i].only))
            add_section(&p, &d->sections[i], i == 0);
    begin_block(&p);
    say(&p.t, "<sub>", d->made_by, "</sub>\n");
    out_text(o, &p.t);
    text_free(&p.t);
    HASH_CLEAR(hh, p.chains);
    arena_free(&p.arena);
}

const struct writer write_markdown = {
    .name = "md",
    .summary = "Markdown, for a ticket or a pull request",
    .render = render,
};
