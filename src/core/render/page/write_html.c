/* The page: one file of HTML that works without a network or JavaScript. Its policy allows
 * only the built-in script (bytes.S), so that no name of a snapshot can be executed. A
 * document becomes static HTML: sections, tables with headings, suspects as cards, chains
 * as ladders. Must not depend on the content, nor on page.js. */
#include "base/quantity.h"
#include "base/text.h"
#include "document/build.h"
#include "render/page/page.h"
#include "render/writer.h"
#include "report/format_units.h"
#include "report/text_parts.h"
#include "report/view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct html_page {
    struct out *o;
    const struct hd_write_options *opt;
    size_t ids; /* ids assigned so far */
    struct page_hints *hints;
};

static void page_put(struct html_page *p, const char *s)
{
    out_string(p->o, s);
}

/* --- words ----------------------------------------------------------------------- */

/* Elements for our own words; other styles are for untrusted text. */
static const struct {
    bool is_ours;
    const char *begin, *end;
} looks[] = {
    [DOC_WORDS] = {true, "", ""},
    [DOC_STRONG] = {true, "<strong>", "</strong>"},
    [DOC_CODE] = {true, "<code>", "</code>"},
    [DOC_GOOD] = {true, "<strong class=\"good\">", "</strong>"},
    [DOC_BAD] = {true, "<strong class=\"bad\">", "</strong>"},
    [DOC_UNSURE] = {true, "<strong class=\"unsure\">", "</strong>"},
    [DOC_MORE] = {true, "<span class=\"more\">", "</span>"},
    [DOC_LESS] = {true, "<span class=\"less\">", "</span>"},
    [DOC_ASIDE] = {true, "<span class=\"remark\">", "</span>"},
    [DOC_QUOTED] = {false, "<bdi>", "</bdi>"},
    [DOC_NAME] = {false, "<bdi class=\"name\">", "</bdi>"},
};

/* A style without a look of its own is that of some name. */
static void put_run(struct out *o, const struct doc_run *run)
{
    size_t style = (size_t)run->style;
    if (style >= sizeof(looks) / sizeof(*looks) || looks[style].begin == NULL)
        style = DOC_NAME;
    out_string(o, looks[style].begin);
    (looks[style].is_ours ? html_words : html_name)(o, run->text);
    out_string(o, looks[style].end);
}

static void put_runs(struct out *o, const struct doc_runs *runs)
{
    for (size_t i = 0; i < runs->len; i++)
        put_run(o, &runs->all[i]);
}

/* A part that wide blanks separate in text gets its own element. */
static void put_line(struct out *o, const struct doc_line *l)
{
    for (size_t i = 0; i < l->len; i++) {
        const struct doc_piece *piece = &l->all[i];
        if (piece->cell.words.len == 0) /* for narrow places only */
            continue;
        bool is_thing = i > 0 && strncmp(piece->joint, "  ", 2) == 0;
        if (is_thing)
            out_string(o, " <span class=\"thing\">");
        else if (i > 0)
            html_words(o, piece->joint);
        if (piece->href != NULL) {
            out_string(o, "<a href=\"");
            html_words(o, piece->href);
            out_string(o, "\">");
        }
        put_runs(o, &piece->cell.words);
        out_string(o, piece->href != NULL ? "</a>" : "");
        out_string(o, is_thing ? "</span>" : "");
    }
}

/* Parts already in HTML, by kind. */
enum { PART_NAME, PART_RUNS, PART_LINE };

static void add_own_part(struct sentence *to, const struct say_part *p)
{
    (void)to, (void)p;
}

struct say_part html_of_name(const char *name)
{
    return (struct say_part){.add = add_own_part, .of = name, .n = PART_NAME};
}

struct say_part html_of_runs(const struct doc_runs *runs)
{
    return (struct say_part){.add = add_own_part, .of = runs, .n = PART_RUNS};
}

struct say_part html_of_line(const struct doc_line *l)
{
    return (struct say_part){.add = add_own_part, .of = l, .n = PART_LINE};
}

void html_put(struct out *o, const char *markup, const struct say_part *parts)
{
    struct text words = {0};
    for (const char *end; (end = strstr(markup, "{}")) != NULL; markup = end + 2) {
        const struct say_part *p = parts++;
        out_bytes(o, markup, (size_t)(end - markup));
        if (p->add != add_own_part) {
            text_clear(&words);
            say_text(&words, (const struct say_part[]){*p, {0}});
            html_words(o, text_string(&words));
        } else if (p->n == PART_NAME) {
            html_name(o, p->of);
        } else if (p->n == PART_RUNS) {
            put_runs(o, p->of);
        } else {
            put_line(o, p->of);
        }
    }
    out_string(o, markup);
    text_free(&words);
}

static void put_name(struct html_page *p, const char *name)
{
    HTML(p->o, "<bdi class=\"name\">{}</bdi>", html_of_name(name));
}

/* The name of a type, without its namespaces and with them: the style sheet chooses. */
static void put_both_names(struct html_page *p, const char *name)
{
    struct text brief = {0};
    format_short_place(&brief, name);
    if (strcmp(text_string(&brief), name) == 0)
        put_name(p, name);
    else
        HTML(p->o,
             "<bdi class=\"name\" title=\"{}\"><span class=\"brief\">{}</span>"
             "<span class=\"full\">{}</span></bdi>",
             html_of_name(name), html_of_name(text_string(&brief)), html_of_name(name));
    text_free(&brief);
}

/* Writes our title with its explanation, accessible by pointer, keyboard and screen
 * reader. */
static void put_title(struct html_page *p, const char *title, const char *meaning)
{
    if (meaning == NULL) {
        html_words(p->o, title);
        return;
    }
    struct say_part id = as_digits(++p->ids);
    HTML(p->o,
         "<button type=\"button\" class=\"ask\" aria-describedby=\"t{}\">{}</button>"
         "<span role=\"tooltip\" id=\"t{}\">{}</span>",
         id, title, id, meaning);
}

/* "grew-and-stayed": of a title of ours a name to link to, or for the style to know. */
static void put_id(struct html_page *p, const char *title)
{
    for (const char *s = title; *s != '\0'; s++) {
        const char low = (char)(*s >= 'A' && *s <= 'Z' ? *s - 'A' + 'a' : *s);
        if (low >= 'a' && low <= 'z')
            out_bytes(p->o, &low, 1);
        else if (*s == ' ')
            page_put(p, "-");
    }
}

/* --- chains ---------------------------------------------------------------------- */

static void put_frame(struct html_page *p, const struct doc_frame *f)
{
    if (f->omitted > 0)
        HTML(p->o, "<li class=\"gap\">… {} more</li>\n", f->omitted);
    page_put(p, f->is_root ? "<li class=\"root\">" : "<li>");
    if (f->role != NULL)
        out_printf(p->o, "<span class=\"role\">%s</span> ", f->role);
    for (size_t i = 0; i < f->name.len; i++)
        if (f->name.all[i].style >= DOC_NAME)
            put_both_names(p, f->name.all[i].text);
        else
            put_run(p->o, &f->name.all[i]);
    if (f->generation != NULL)
        out_printf(p->o, " <span class=\"role\">%s</span>", f->generation);
    page_put(p, "</li>\n");
}

static void put_chain(struct html_page *p, const struct doc_chain *c)
{
    page_put(p, "<div class=\"chain\">\n");
    if (c->head.len > 0)
        HTML(p->o, "<p class=\"share\">{}</p>\n", html_of_line(&c->head));
    if (c->frame_count > 0)
        page_put(p, "<ol class=\"ladder\">\n");
    for (size_t i = 0; i < c->frame_count; i++)
        put_frame(p, &c->frames[i]);
    page_put(p, c->frame_count > 0 ? "</ol>\n</div>\n" : "</div>\n");
}

static void put_chains(struct html_page *p, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++)
        put_chain(p, &chains->all[i]);
    if (chains->rest.len > 0)
        HTML(p->o, "<p class=\"rest\">{}</p>\n", html_of_line(&chains->rest));
}

/* --- details of rows ------------------------------------------------------------- */

/* Writes paragraphs and listings, the only blocks of a hint. False for other blocks. */
static bool put_written(struct html_page *p, const struct doc_block *b)
{
    if (b->kind == DOC_LISTING)
        HTML(p->o, "<pre class=\"listing\" tabindex=\"0\"><code>{}</code></pre>\n",
             b->listing.lines);
    else if (b->kind == DOC_PARAGRAPH || b->kind == DOC_PROSE)
        HTML(p->o, "<p>{}</p>\n", html_of_line(&b->line));
    else
        return false;
    return true;
}

static bool hint_is_known(const struct page_hints *known, const char *id)
{
    for (size_t i = 0; i < known->len; i++)
        if (strcmp(known->all[i], id) == 0)
            return true;
    return false;
}

/* The hint's explanation; the line with the remedy precedes it. */
static void page_hint(const char *id, struct page_hints *known, struct out *o)
{
    enum { CAPACITY = sizeof(known->all) / sizeof(*known->all) };
    struct html_page p = {.o = o};
    bool is_new = !hint_is_known(known, id) && known->len < CAPACITY;
    struct document *hint = is_new ? document_of_hint(id) : NULL;
    if (hint == NULL)
        return;
    known->all[known->len++] = id;
    out_printf(o,
               "<details class=\"fix-code\" id=\"hint-%s\"><summary>Cause, and code "
               "before and after</summary>\n",
               id);
    for (size_t k = 1; k < hint->sections[0].block_count; k++)
        put_written(&p, &hint->sections[0].blocks[k]);
    out_string(o, "</details>\n");
    document_free(hint);
}

/* In a card its label is a heading, in a cell of a table a paragraph. Scripts look for the
 * label, which is our own word. */
static void put_attached(struct html_page *p, const struct doc_attached *a, bool in_card)
{
    bool known = a->hint != NULL && p->hints != NULL && hint_is_known(p->hints, a->hint);
    HTML(p->o,
         a->label != NULL ? "<div class=\"{}\" data-about=\"{}\">\n"
                          : "<div class=\"{}\">\n",
         a->label == NULL  ? "about"
         : a->line.len > 0 ? "said"
                           : "held",
         a->label);
    if (a->label != NULL)
        HTML(p->o, in_card ? "<h4>{}</h4>\n" : "<p class=\"labelled\">{}</p>\n", a->label);
    if (a->line.len > 0 && known)
        HTML(p->o, "<p><a href=\"#hint-{}\">{}</a></p>\n", a->hint, html_of_line(&a->line));
    else if (a->line.len > 0)
        HTML(p->o, "<p>{}</p>\n", html_of_line(&a->line));
    put_chains(p, &a->chains);
    if (a->hint != NULL && p->hints != NULL && !known)
        page_hint(a->hint, p->hints, p->o);
    page_put(p, "</div>\n");
}

static void put_remarks(struct html_page *p, const struct doc_row *row)
{
    for (size_t i = 0; i < row->remark_count; i++)
        HTML(p->o, " <span class=\"remark\">{}</span>", html_of_runs(&row->remarks[i]));
}

/* --- charts ---------------------------------------------------------------------- */

/* A line of numbers over time as SVG, without scripts: for rows that are compared. The
 * numbers are next to it in words, so it is redundant for readers who cannot see it. */

enum { WIDE = 160, HIGH = 40, MARGIN = 3 };

struct plane {
    double x0, x1, most;
};

static void put_point(struct out *o, const struct plane *p, double x, double y)
{
    char point[80];
    double right = p->x1 > p->x0 ? (x - p->x0) / (p->x1 - p->x0) : 0.5;
    double up = p->most > 0 ? y / p->most : 0;
    c_snprintf(point, sizeof(point), "%.1f,%.1f ", MARGIN + right * (WIDE - 2 * MARGIN),
               HIGH - MARGIN - up * (HIGH - 2 * MARGIN));
    out_string(o, point);
}

/* Unknown values become gaps. */
static void put_curve(struct out *o, const struct doc_chart *c, const struct plane *p)
{
    bool in_line = false;
    for (size_t k = 0; k < c->len; k++) {
        if (isnan(c->y[k])) {
            out_string(o, in_line ? "\"/>" : "");
            in_line = false;
            continue;
        }
        out_string(o, in_line ? "" : "<polyline points=\"");
        in_line = true;
        put_point(o, p, c->x[k], c->y[k]);
    }
    out_string(o, in_line ? "\"/>" : "");
}

/* Fills the area down to zero: the heights of two charts are comparable. */
static void put_area(struct out *o, const struct doc_chart *c, const struct plane *p)
{
    out_string(o, "<polygon points=\"");
    put_point(o, p, p->x0, 0);
    for (size_t k = 0; k < c->len; k++)
        if (!isnan(c->y[k]))
            put_point(o, p, c->x[k], c->y[k]);
    put_point(o, p, p->x1, 0);
    out_string(o, "\"/>");
}

static void put_chart(struct out *o, const struct doc_chart *c)
{
    if (c->len == 0)
        return;
    const struct plane p = {c->x[0], c->x[c->len - 1], c->most};
    out_printf(o,
               "<svg class=\"multiple\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\" "
               "focusable=\"false\">",
               WIDE, HIGH);
    put_area(o, c, &p);
    put_curve(o, c, &p);
    out_string(o, "</svg>");
}

/* --- suspects -------------------------------------------------------------------- */

/* True for rows with details, and much text. */
static bool is_card(const struct doc_table *t, const struct doc_row *row)
{
    bool has_more = false;
    for (size_t i = 0; i < row->attached_count; i++)
        has_more |= row->attached[i].label != NULL;
    return t->details != NULL && row->kind == DOC_ROW &&
           (has_more || row->cells[0].words.len > 0);
}

static bool is_number(const struct doc_column *c)
{
    return strcmp(c->title, "#") == 0;
}

static bool is_trend(const struct doc_column *c)
{
    return strcmp(c->title, "trend") == 0;
}

/* "suspect-1": what the tree and the address name it by. */
static void put_suspect_id(struct html_page *p, const struct doc_table *t,
                           const struct doc_row *row)
{
    if (t->details == NULL || !row->is_suspect)
        return;
    page_put(p, " id=\"suspect-");
    for (size_t c = 0; c < t->column_count; c++)
        if (is_number(&t->columns[c]))
            put_runs(p->o, &row->cells[c].words);
    page_put(p, "\"");
}

/* Writes the reasons for its rank, explained for newcomers: folded. */
static void put_why(struct html_page *p, const struct doc_table *t,
                    const struct doc_row *row)
{
    page_put(p, "<details class=\"why\"><summary>Why this rank</summary>\n<dl>\n");
    for (size_t c = 0; c < t->column_count; c++) {
        const struct doc_column *column = &t->columns[c];
        if (!column->is_detail || row->cells[c].words.len == 0)
            continue;
        HTML(p->o, "<div><dt>{}</dt><dd>{}</dd>", column->title,
             html_of_runs(&row->cells[c].words));
        if (column->meaning != NULL)
            HTML(p->o, "<dd class=\"meaning\">{}</dd>", column->meaning);
        page_put(p, "</div>\n");
    }
    page_put(p, "</dl>\n</details>\n");
}

static void put_card_title(struct html_page *p, const struct doc_table *t,
                           const struct doc_row *row, size_t id)
{
    page_put(p, "<header>");
    for (size_t c = 0; c < t->column_count; c++)
        if (is_number(&t->columns[c]))
            HTML(p->o,
                 "<span class=\"rank\"><span class=\"aside\">suspect </span>{}</span> ",
                 html_of_runs(&row->cells[c].words));
    out_printf(p->o, "<h3 id=\"c%zu\">", id);
    for (size_t c = 0; c < t->column_count; c++)
        if (t->columns[c].is_subject)
            put_runs(p->o, &row->cells[c].words);
    page_put(p, "</h3>");
    put_remarks(p, row);
    page_put(p, "</header>\n");
}

/* Writes the numbers from which scripts draw the bars that text draws with letters. */
static void put_values(struct html_page *p, const struct doc_chart *c)
{
    if (c == NULL)
        return;
    out_printf(p->o, " data-unit=\"%s\" data-values=\"", c->is_size ? "bytes" : "objects");
    for (size_t k = 0; k < c->len; k++)
        if (isnan(c->y[k]))
            page_put(p, k > 0 ? " -" : "-");
        else
            out_printf(p->o, k > 0 ? " %.0f" : "%.0f", c->y[k]);
    page_put(p, "\"");
}

static void put_card(struct html_page *p, const struct doc_table *t,
                     const struct doc_row *row)
{
    size_t id = ++p->ids;
    page_put(p, "<article class=\"card\"");
    put_suspect_id(p, t, row);
    out_printf(p->o, " aria-labelledby=\"c%zu\">\n", id);
    put_card_title(p, t, row, id);
    page_put(p, "<dl class=\"numbers\">\n");
    for (size_t c = 0; c < t->column_count; c++) {
        const struct doc_column *column = &t->columns[c];
        if (column->is_subject || column->is_detail || is_number(column) ||
            row->cells[c].words.len == 0)
            continue;
        page_put(p, "<div><dt>");
        put_title(p, column->title, column->meaning);
        page_put(p, is_trend(column) ? "</dt><dd class=\"trend\"" : "</dt><dd");
        put_values(p, row->cells[c].chart);
        page_put(p, ">");
        put_runs(p->o, &row->cells[c].words);
        page_put(p, "</dd></div>\n");
    }
    page_put(p, "</dl>\n");
    for (size_t i = 0; i < row->attached_count; i++)
        put_attached(p, &row->attached[i], true);
    put_why(p, t, row);
    page_put(p, "</article>\n");
}

/* For a suspect shown as a row: the content of a card, folded. */
static void put_folded(struct html_page *p, const struct doc_table *t,
                       const struct doc_row *row)
{
    page_put(p, "<details class=\"row-more\"><summary>");
    for (size_t i = 0; i < row->attached_count; i++) {
        page_put(p, i > 0 ? ", " : "");
        html_words(p->o, row->attached[i].label != NULL ? row->attached[i].label : "more");
    }
    page_put(p, row->attached_count > 0 ? ", rank</summary>\n" : "rank</summary>\n");
    for (size_t i = 0; i < row->attached_count; i++)
        put_attached(p, &row->attached[i], false);
    put_why(p, t, row);
    page_put(p, "</details>\n");
}

/* --- tables ---------------------------------------------------------------------- */

static bool is_shown(const struct doc_column *c)
{
    return !c->is_detail;
}

static void put_head(struct html_page *p, const struct doc_table *t)
{
    page_put(p, "<thead><tr>");
    for (size_t c = 0; c < t->column_count; c++) {
        const struct doc_column *column = &t->columns[c];
        if (!is_shown(column))
            continue;
        bool unnamed = column->title[0] == '\0';
        out_printf(p->o, "<%s%s>", unnamed ? "td" : "th scope=\"col\"",
                   column->align == DOC_RIGHT ? " class=\"number\"" : "");
        html_words(p->o, column->title);
        page_put(p, unnamed ? "</td>" : "</th>");
    }
    page_put(p, "</tr></thead>\n");
}

/* Writes the details of a row: open in the first rows. */
static void put_below(struct html_page *p, const struct doc_table *t,
                      const struct doc_row *row)
{
    enum { OPEN_ROWS = 3 };
    const bool is_open = row < t->rows + OPEN_ROWS;
    if (is_card(t, row)) {
        put_folded(p, t, row);
        return;
    }
    for (size_t i = 0; i < row->attached_count; i++) {
        const struct doc_attached *a = &row->attached[i];
        bool folds = !is_open && a->chains.len > 0 && a->label != NULL;
        if (folds)
            HTML(p->o, "<details class=\"row-more\"><summary>{}</summary>\n", a->label);
        put_attached(p, a, false);
        page_put(p, folds ? "</details>\n" : "");
    }
}

static void put_cell(struct html_page *p, const struct doc_table *t,
                     const struct doc_row *row, size_t c)
{
    enum { DEEPEST = 16 }; /* levels with a class in the style sheet */
    const struct doc_column *column = &t->columns[c];
    out_printf(p->o, "<%s%s", column->is_subject ? "th scope=\"row\"" : "td",
               column->align == DOC_RIGHT ? " class=\"number\""
               : is_trend(column)         ? " class=\"trend\""
                                          : "");
    if (t->is_tree && column->is_subject)
        out_printf(p->o, " class=\"deep d%u\"",
                   row->depth < DEEPEST ? row->depth : DEEPEST);
    page_put(p, ">");
    if (row->cells[c].chart != NULL)
        put_chart(p->o, row->cells[c].chart);
    else
        put_runs(p->o, &row->cells[c].words);
    if (column->is_subject) {
        put_remarks(p, row);
        put_below(p, t, row);
    }
    page_put(p, column->is_subject ? "</th>" : "</td>");
}

static void put_row(struct html_page *p, const struct doc_table *t,
                    const struct doc_row *row)
{
    page_put(p, "<tr");
    put_suspect_id(p, t, row);
    page_put(p, ">");
    size_t columns_shown = 0;
    for (size_t c = 0; c < t->column_count; c++)
        columns_shown += is_shown(&t->columns[c]);
    if (row->kind != DOC_ROW)
        HTML(p->o, "<td class=\"rest\" colspan=\"{}\">{}</td>", columns_shown,
             html_of_runs(&row->cells[0].words));
    for (size_t c = 0; row->kind == DOC_ROW && c < t->column_count; c++)
        if (is_shown(&t->columns[c]))
            put_cell(p, t, row, c);
    page_put(p, "</tr>\n");
}

static void put_rows(struct html_page *p, const struct doc_table *t, size_t first,
                     size_t end)
{
    if (first == end)
        return;
    page_put(p, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" "
                "aria-label=\"table\"><table>\n");
    put_head(p, t);
    page_put(p, "<tbody>\n");
    for (size_t i = first; i < end; i++)
        if (doc_is_on(DOC_ON_PAGES, t->rows[i].only))
            put_row(p, t, &t->rows[i]);
    page_put(p, "</tbody></table></div>\n");
}

/* Returns the end of the group that begins at this row. */
static size_t group_end(const struct doc_table *t, size_t i)
{
    while (i < t->row_count && t->rows[i].kind != DOC_GROUP)
        i++;
    return i;
}

static void put_table(struct html_page *p, const struct doc_table *t)
{
    enum { MAX_CARDS = 3 }; /* enough to read */
    size_t i = 0, end = group_end(t, 0);
    while (i < end && i < MAX_CARDS && is_card(t, &t->rows[i]))
        put_card(p, t, &t->rows[i++]);
    put_rows(p, t, i, end);
    for (i = end; i < t->row_count; i = end) {
        end = group_end(t, i + 1);
        if (!doc_is_on(DOC_ON_PAGES, t->rows[i].only))
            continue;
        HTML(p->o, "<details{}><summary>{}</summary>\n", t->rows[i].is_open ? " open" : "",
             html_of_runs(&t->rows[i].cells[0].words));
        put_rows(p, t, i + 1, end);
        page_put(p, "</details>\n");
    }
}

/* --- blocks ---------------------------------------------------------------------- */

static void put_facts(struct html_page *p, const struct doc_facts *facts)
{
    page_put(p, "<dl class=\"facts\">\n");
    for (size_t i = 0; i < facts->len; i++) {
        page_put(p, facts->all[i].level > 0 ? "<div class=\"part fact-"
                                            : "<div class=\"fact-");
        put_id(p, facts->all[i].name);
        HTML(p->o, "\"><dt>{}</dt><dd>{}</dd></div>\n", facts->all[i].name,
             html_of_line(&facts->all[i].value));
    }
    page_put(p, "</dl>\n");
}

static void put_notes(struct html_page *p, const struct doc_notes *notes)
{
    page_put(p, "<ul class=\"notes\">\n");
    for (size_t i = 0; i < notes->len; i++) {
        const struct doc_note *n = &notes->all[i];
        HTML(p->o, "<li><strong>{}</strong> ", n->code);
        if (n->file != NULL) {
            put_name(p, n->file);
            page_put(p, ": ");
        }
        HTML(p->o, "<bdi>{}</bdi>", html_of_name(n->message));
        if (n->count > 1)
            HTML(p->o, " ({} times)", as_digits(n->count));
        if (n->line > 0)
            HTML(p->o, ", first in line {}", as_digits(n->line));
        page_put(p, "</li>\n");
    }
    page_put(p, "</ul>\n");
}

static void put_command(struct html_page *p, const struct doc_command *c)
{
    if (c->names_files && p->opt->files_go)
        return;
    HTML(p->o,
         "<div class=\"command\"><span>{}</span><pre "
         "tabindex=\"0\"><code>{}</code></pre></div>\n",
         c->label, c->lines);
}

static void put_block(struct html_page *p, const struct doc_block *b)
{
    switch (b->kind) {
    case DOC_PARAGRAPH:
    case DOC_PROSE:
    case DOC_LISTING:
        put_written(p, b);
        break;
    case DOC_FACTS:
        put_facts(p, &b->facts);
        break;
    case DOC_TABLE:
        put_table(p, &b->table);
        break;
    case DOC_CHAINS:
        put_chains(p, &b->chains);
        break;
    case DOC_NOTES:
        put_notes(p, &b->notes);
        break;
    case DOC_COMMAND:
        put_command(p, &b->command);
        break;
    }
}

/* --- sections -------------------------------------------------------------------- */

static const struct doc_facts *facts_of_verdict(const struct document *d)
{
    const struct doc_section *s = d->verdict_len > 0 ? d->sections : NULL;
    bool has = s != NULL && d->section_count > 0 && s->kind == DOC_PLAIN &&
               s->block_count > 0 && s->blocks[0].kind == DOC_FACTS;
    return has ? &s->blocks[0].facts : NULL;
}

static bool page_leads(const struct document *d)
{
    return d->summary.len + d->verdict_len == 0 && d->section_count > 0 &&
           d->sections[0].kind == DOC_PLAIN && d->sections[0].block_count > 0 &&
           d->sections[0].blocks[0].kind == DOC_PARAGRAPH;
}

static void put_section_title(struct html_page *p, const struct doc_section *s)
{
    if (s->kind == DOC_TOPIC && s->title.style == DOC_WORDS) {
        page_put(p, "<section id=\"");
        put_id(p, s->title.text);
        page_put(p, "\">\n");
    } else {
        page_put(p, s->kind == DOC_PLAIN ? "<section class=\"plain\">\n" : "<section>\n");
    }
    if (s->kind == DOC_PLAIN)
        return;
    page_put(p, "<h2>");
    put_run(p->o, &s->title);
    page_put(p, "</h2>\n");
    if (s->remark != NULL)
        HTML(p->o, "<p class=\"remark\">{}</p>\n", s->remark);
}

void page_sections(const struct document *d, const struct hd_write_options *opt,
                   struct page_hints *known, struct out *o)
{
    struct html_page p = {.o = o, .opt = opt, .hints = known};
    for (size_t i = 0; i < d->section_count; i++) {
        const struct doc_section *s = &d->sections[i];
        size_t said = i == 0 && (page_leads(d) || facts_of_verdict(d) != NULL) ? 1 : 0;
        if (!doc_is_on(DOC_ON_PAGES, s->only) || (said > 0 && s->block_count == said))
            continue;
        put_section_title(&p, s);
        for (size_t k = said; k < s->block_count; k++)
            put_block(&p, &s->blocks[k]);
        page_put(&p, "</section>\n");
    }
}

/* Rows of types without JavaScript and on paper. */
enum { STATIC_ROWS = 50 };

/* --- head of the page ------------------------------------------------------------ */

static void put_between(struct out *o, const char *begin, const char *end)
{
    out_bytes(o, begin, (size_t)(end - begin));
}

static void put_page_title(const struct document *d, struct out *o)
{
    out_string(o, "<title>");
    for (size_t i = 0; i < d->summary.len; i++)
        html_name(o, d->summary.all[i].text);
    if (d->verdict_len > 0) {
        HTML(o, "{} ", d->verdict[0].label);
        for (size_t i = 0; i < d->verdict[0].words.len; i++)
            html_name(o, d->verdict[0].words.all[i].text);
    }
    out_string(o, d->summary.len + d->verdict_len > 0 ? " · " : "");
    HTML(o, "{}</title>\n", d->title);
}

/* The icon is of the page: a browser that looks for one would ask a server. */
static void put_page_head(const struct document *d, struct out *o)
{
    out_string(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"");
    put_between(o, page_policy, page_policy_end);
    out_string(o,
               "\">\n<meta name=\"viewport\" content=\"width=device-width, "
               "initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
               "<meta name=\"generator\" content=\"");
    HTML(o, "{}\">\n", d->made_by);
    put_page_title(d, o);
    out_string(o, "<link rel=\"icon\" href=\"data:image/svg+xml,"
                  "%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E"
                  "%3Cpath d='M1 15V11l4-2 4 1 6-8v13z' fill='%23c2410c'/%3E%3C/svg%3E\">\n"
                  "<style>");
    put_between(o, page_style, page_style_end);
    out_string(o, "</style>\n</head>\n");
}

/* --- the banner ------------------------------------------------------------------ */

/* The beginning of the page: the process, the time, the verdict, its confidence, and the
 * remedy. The words are the document's; this file chooses headings. */

/* The verdict's mood; empty without a verdict. */
static const char *page_mood(const struct document *d)
{
    switch (d->verdict_style) {
    case DOC_GOOD:
        return "good";
    case DOC_BAD:
        return "bad";
    case DOC_UNSURE:
        return "unsure";
    default:
        return "plain";
    }
}

/* --- where it is from ------------------------------------------------------------ */

/* The next of the parts, which have a dot between them. */
static void begin_part(struct out *o, size_t *parts)
{
    out_string(o, (*parts)++ > 0 ? " <span class=\"part\">" : "<span class=\"part\">");
}

static void put_named(struct out *o, size_t *parts, const char *before, const char *name)
{
    if (name == NULL)
        return;
    begin_part(o, parts);
    HTML(o, "{}<bdi>{}</bdi></span>", before, html_of_name(name));
}

static void put_snapshots(struct out *o, size_t *parts, const struct hd_report *r)
{
    const size_t n = r->snapshot_count;
    const char *time = r->snapshots[n - 1].info.time;
    char clean[sizeof("2026-11-22 14:05:10")];
    struct text span = {0};
    if (n > 1) {
        heading_add_span(&span, r);
        begin_part(o, parts);
        HTML(o, "{}{}</span>", as_plural(n, "snapshot"), as_text(&span));
        text_free(&span);
    }
    /* files with a time have no time zone */
    if (time == NULL || strlen(time) < sizeof(clean) - 1)
        return;
    snprintf(clean, sizeof(clean), "%s", time);
    char *t = strchr(clean, 'T');
    if (t != NULL)
        *t = ' ';
    put_named(o, parts, n > 1 ? "last taken " : "taken ", clean);
}

/* The facts for a reader without access to the machine. */
static void put_origin(const struct hd_report *r, struct out *o)
{
    size_t parts = 0;
    struct heading_origin from = {.pid = HD_UNKNOWN};
    out_string(o, "<p class=\"origin\">");
    bool is_known = heading_origin(r, &from);
    if (from.process != NULL || from.several || from.pid != HD_UNKNOWN) {
        begin_part(o, &parts);
        if (from.process != NULL)
            HTML(o, "<strong><bdi>{}</bdi></strong>", html_of_name(from.process));
        else if (from.several)
            out_string(o, "several processes");
        if (from.pid != HD_UNKNOWN)
            HTML(o, from.process != NULL ? " (pid {})" : "pid {}", as_digits(from.pid));
        out_string(o, "</span>");
    }
    put_named(o, &parts, "on ", from.host);
    put_named(o, &parts, "container ", from.container);
    put_named(o, &parts, ".NET ", is_known ? from.runtime : NULL);
    put_snapshots(o, &parts, r);
    out_string(o, "</p>\n");
}

/* --- the verdict ----------------------------------------------------------------- */

/* Returns the hint in "heapdrift help hint static-collection"; NULL for another command. */
static const char *hint_of(const char *command)
{
    static const char help[] = "heapdrift help hint ";
    bool is_help = command != NULL && strncmp(command, help, sizeof(help) - 1) == 0;
    return is_help ? command + sizeof(help) - 1 : NULL;
}

/* The first line is the heading; what to do about it has its reasons and code below. */
static void put_verdict(const struct document *d, struct page_hints *known, struct out *o)
{
    for (size_t i = 0; i < d->verdict_len; i++) {
        const struct doc_verdict *v = &d->verdict[i];
        const char *hint = hint_of(v->command);
        if (i == 0)
            out_printf(o, "<h1 class=\"verdict %s\">", page_mood(d));
        else
            out_string(o, hint != NULL ? "<div class=\"fix\">\n<p>" : "<p class=\"line\">");
        if (v->label != NULL)
            HTML(o, "<strong class=\"word\">{}</strong> ", v->label);
        HTML(o, "{}", html_of_runs(&v->words));
        out_string(o, i == 0 ? "</h1>\n" : "</p>\n");
        if (hint != NULL)
            page_hint(hint, known, o);
        out_string(o, i > 0 && hint != NULL ? "</div>\n" : "");
    }
    if (d->verdict_len > 0)
        return;
    out_printf(o, "<h1 class=\"verdict %s\">", page_mood(d));
    if (page_leads(d))
        put_line(o, &d->sections[0].blocks[0].line);
    else if (d->summary.len > 0)
        put_runs(o, &d->summary);
    else
        html_words(o, d->title);
    out_string(o, "</h1>\n");
}

static void put_banner(const struct hd_report *r, const struct document *d,
                       struct page_hints *known, struct out *o)
{
    const struct doc_facts *facts = facts_of_verdict(d);
    HTML(o, "<header class=\"top\">\n<p class=\"brand\">{}</p>\n", d->title);
    if (r->snapshot_count > 0)
        put_origin(r, o);
    out_printf(o, "<div class=\"banner %s\">\n", page_mood(d));
    put_verdict(d, known, o);
    if (facts != NULL)
        put_facts(&(struct html_page){.o = o}, facts);
    out_string(o, "</div>\n<nav hidden aria-label=\"sections\"></nav>\n</header>\n");
}

/* --- data ------------------------------------------------------------------------ */

static void put_data(struct out *o, const char *id, json_t *value)
{
    out_printf(o, "<script type=\"application/json\" id=\"%s\">", id);
    html_json(o, value);
    out_string(o, "</script>\n");
}

/* The page has types by columns, and rows that are not suspects only there. */
static json_t *report_without(const struct hd_report *r)
{
    struct hd_model m = r->model;
    struct hd_diff diff;
    struct hd_top top;
    if (m.diff != NULL) {
        diff = *m.diff;
        diff.types.shown = 0;
        diff.below_threshold_count = diff.below_threshold_count > STATIC_ROWS
                                         ? STATIC_ROWS
                                         : diff.below_threshold_count;
        diff.pooled_count =
            diff.pooled_count > STATIC_ROWS ? STATIC_ROWS : diff.pooled_count;
        m.diff = &diff;
    }
    if (m.top != NULL) {
        top = *m.top;
        top.types.shown = 0;
        m.top = &top;
    }
    return report_json(&m);
}

/* --- the whole page -------------------------------------------------------------- */

static bool has_types(const struct hd_report *r)
{
    return r->model.diff != NULL || r->model.top != NULL;
}

static void put_body(const struct hd_report *r, const struct hd_write_options *opt,
                     struct out *o)
{
    struct document *d = document_of(r, opt, true);
    struct page_hints known = {.len = 0};
    char time[CALENDAR_TIME];
    put_page_head(d, o);
    out_printf(o, "<body class=\"mood-%s\">\n", page_mood(d));
    out_string(o, "<a class=\"skip\" href=\"#main\">Skip to the report</a>\n");
    put_banner(r, d, &known, o);
    out_string(o, "<main id=\"main\">\n");
    page_sections(d, opt, &known, o);
    HTML(o, "</main>\n<footer>{}", d->made_by);
    /* date only: the same input gives the same page on one day */
    if (opt->made_at > 0 && calendar_time(opt->made_at, time))
        out_printf(o, " · page made on %.*s", (int)(strchr(time, 'T') - time), time);
    out_string(o, "</footer>\n");
    document_free(d);
}

static void html_write(const struct hd_report *r, const struct hd_write_options *opt,
                       struct out *o)
{
    struct hd_report shown = *r;
    struct arena sums = {0};
    if (r->options.rows == HD_DEFAULT_ROWS)
        view_cut(&shown, STATIC_ROWS, &sums);
    report_publish(&shown);
    put_body(&shown, opt, o);
    put_data(o, "report-data", report_without(&shown));
    if (has_types(r))
        put_data(o, "types-data", page_types(&shown));
    if (has_types(r) && r->found.tree.len > 0)
        put_data(o, "tree-data", page_tree(&shown));
    out_string(o, "<script>");
    put_between(o, page_script, page_script_end);
    out_string(o, "</script>\n</body>\n</html>\n");
    arena_free(&sums);
}

const struct writer write_html = {
    .name = "html",
    .summary = "a page that a browser opens, with everything in it",
    .write = html_write,
};
