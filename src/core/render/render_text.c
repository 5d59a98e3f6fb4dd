/* A document as text for people, in the columns of a terminal. Without a terminal it is
 * uncoloured and uncut; only running text is folded. Colours are of the sixteen that every
 * terminal has in light and dark, and carry no information of their own. Must not depend on
 * the content. */
#include "base/text.h"
#include "document/build.h"
#include "heap/place.h"
#include "render/text_words.h"
#include "render/writer.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    struct out *o;
    const struct hd_write_options *opt;
    struct text t;   /* pending, for the current line or block */
    unsigned indent; /* of paragraphs, facts and notes */
    bool has_begun;  /* something was printed */
    bool after_tree; /* a tree, just now */
    bool owes_blank; /* a blank line, before what follows */
};

/* Indent of lines that belong to a row, and width of labels. */
enum { ROW_INDENT = 4, LABEL_COLUMNS = 9, HELD_INDENT = ROW_INDENT + LABEL_COLUMNS };

/* True if a part is for this output. */
static bool is_here(const struct printer *p, unsigned only)
{
    return doc_is_on(p->opt->details ? DOC_ON_DETAILED_LINES : DOC_ON_LINES, only);
}

/* --- printing ------------------------------------------------------------ */

static void blank_line(struct printer *p)
{
    if (p->has_begun)
        out_string(p->o, "\n");
    p->owes_blank = false;
}

static void flush(struct printer *p)
{
    if (p->owes_blank && p->t.len > 0)
        blank_line(p);
    p->has_begun |= p->t.len > 0;
    out_text(p->o, &p->t);
    text_clear(&p->t);
}

static void end_line(struct printer *p)
{
    words_end_line(&p->t);
    flush(p);
}

static const char *color(const struct printer *p, const char *code)
{
    return p->opt->color ? code : "";
}

/* --- chains -------------------------------------------------------------- */

static const char *frame_color(const struct printer *p, const struct doc_frame *f)
{
    if (f->is_owner)
        return color(p, BOLD);
    return words_color(p->opt, f->name.len > 0 ? f->name.all[0].style : DOC_WORDS);
}

/* All frames in one line, with arrows, and the colour of each element between them. */
struct chain_line {
    struct text words;
    const char **colors;
    size_t len, cap;
};

static void color_elements(struct chain_line *l, const char *code)
{
    size_t arrows = wrap_count_arrows(l->words.data, l->words.len);
    while (l->len < arrows + 1) {
        l->colors = grow(l->colors, l->len, &l->cap, sizeof(*l->colors));
        l->colors[l->len++] = code;
    }
}

static void text_add_chain(const struct printer *p, struct chain_line *l,
                           const struct doc_chain *c)
{
    for (size_t i = 0; i < c->frame_count; i++) {
        const struct doc_frame *f = &c->frames[i];
        text_add_string(&l->words, i > 0 ? " → " : "");
        if (f->omitted > 0) {
            say(&l->words, "… ", f->omitted, " more");
            color_elements(l, color(p, DIM));
            text_add_string(&l->words, " → ");
        }
        if (f->role != NULL)
            say(&l->words, f->role, " ");
        words_add_runs(&l->words, &f->name, SHORT_NAMES);
        color_elements(l, frame_color(p, f));
    }
}

static void print_ladder_frame(struct printer *p, const struct doc_frame *f, bool first)
{
    enum { INDENT = 6 };
    unsigned width = p->opt->width;
    size_t available = width > 2 * INDENT ? width - INDENT : SIZE_MAX;
    struct text name = {0}, cut = {0};
    if (f->omitted > 0)
        say(&p->t, "      … ", f->omitted, " more\n");
    text_add_string(&p->t, first ? "      " : "    → ");
    words_add_runs(&name, &f->name, WHOLE_NAMES);
    size_t all = words_columns(p->opt, &name) +
                 (f->generation != NULL ? strlen(f->generation) + 3 : 0);
    if (all > available && !f->is_root) {
        /* namespaces are cut before the middle of a name */
        text_clear(&name);
        text_add_string(&name, "…");
        words_add_runs(&name, &f->name, SHORT_NAMES);
    }
    if (f->generation != NULL)
        say(&name, " (", f->generation, ")");
    (f->is_root ? format_shorten_name : format_shorten)(&cut, text_string(&name), name.len,
                                                        available, p->opt->ascii);
    words_paint(&p->t, frame_color(p, f), text_string(&cut), cut.len);
    text_add_char(&p->t, '\n');
    flush(p);
    text_free(&name);
    text_free(&cut);
}

static void print_chains(struct printer *p, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++) {
        const struct doc_chain *c = &chains->all[i];
        say(&p->t, "\n", c->number, ".  ");
        words_add_line(p->opt, &p->t, &c->head, 0, 0, NULL);
        text_add_char(&p->t, '\n');
        for (size_t f = 0; f < c->frame_count; f++)
            print_ladder_frame(p, &c->frames[f], f == 0);
    }
    if (chains->rest.len == 0)
        return;
    text_add_char(&p->t, '\n');
    words_add_line(p->opt, &p->t, &chains->rest, 0, 0, NULL);
    text_add_char(&p->t, '\n');
    flush(p);
}

/* "56 % (39–72 %)  [static var ...] → ...": shares of equal width, so that the chains of a
 * row are aligned. */
static void add_held_by(const struct printer *p, struct text *line,
                        const struct doc_chain *c)
{
    enum { SHARE_COLUMNS = 24 };
    struct chain_line chain = {0};
    struct text share = {0};
    struct wrap_area area = {
        .indent = HELD_INDENT, .width = words_fold_columns(p->opt), .ascii = p->opt->ascii};
    size_t used = 0;
    text_add_chain(p, &chain, c);
    if (c->head.len > 0) {
        const struct doc_runs *words = words_of_cell(p->opt, &c->head.all[0].cell);
        words_add_pieces(p->opt, line, &c->head, 0, 0);
        words_add_runs(&share, words, WHOLE_NAMES);
        for (size_t i = 1; i < c->head.len; i++) {
            text_add_string(&share, c->head.all[i].joint);
            words_add_cell(p->opt, &share, &c->head.all[i].cell);
        }
        /* The chain begins where the share of the widest would end. */
        size_t whole =
            HELD_INDENT + SHARE_COLUMNS + 2 + words_columns(p->opt, &chain.words);
        bool fits = whole <= area.width;
        size_t until = fits || chain.words.len == 0 ? SHARE_COLUMNS + 2 : 2;
        used = words_columns(p->opt, &share);
        do
            text_add_char(line, ' ');
        while (++used < until);
    }
    area.column = HELD_INDENT + used;
    area.is_hard = p->opt->width > 0;
    if (chain.words.len > 0)
        wrap_arrows(line, chain.words.data, chain.words.len, area, chain.colors);
    text_free(&chain.words);
    free(chain.colors);
    text_free(&share);
}

/* --- tables -------------------------------------------------------------- */

/* If the table is wider than the terminal, cells of flexible columns are shortened, the
 * last column's first, or moved below their rows. */

enum { GAP = 2, SHORTEST_CELL = 12, SHORTEST_TITLE = 4, REMARK_INDENT = 4, WIDEST = 60 };

#define HIDDEN SIZE_MAX

static bool gives_way(const struct doc_column *c)
{
    return c->is_title || c->is_subject || c->gives_way;
}

/* Without a width all text is whole, and one long text would shift the following columns in
 * all rows: its own row is ragged instead. */
static bool is_ragged(const struct printer *p, const struct doc_column *c, size_t columns)
{
    return p->opt->width == 0 && gives_way(c) && !c->is_title && columns > WIDEST;
}

static size_t text_width_of(const struct printer *p, const struct doc_table *t, size_t c)
{
    const struct doc_column *column = &t->columns[c];
    struct text words = {0};
    if (column->is_for_pages || (column->is_detail && !p->opt->details) ||
        words_is_narrow(p->opt, column->from_width))
        return HIDDEN;
    size_t width = printed_columns(column->title, strlen(column->title), p->opt->ascii);
    for (size_t i = 0; i < t->row_count; i++) {
        const struct doc_row *row = &t->rows[i];
        if (row->kind != DOC_ROW || !is_here(p, row->only))
            continue;
        text_clear(&words);
        words_add_cell(p->opt, &words, &row->cells[c]);
        size_t columns = words_columns(p->opt, &words);
        if (columns > width && !is_ragged(p, column, columns))
            width = columns;
    }
    text_free(&words);
    return width;
}

/* Measures all columns; flexible ones give up the excess. */
static size_t *text_measure(const struct printer *p, const struct doc_table *t)
{
    size_t *widths = alloc_zeroed(array_bytes(t->column_count, sizeof(*widths))), total = 0;
    for (size_t c = 0; c < t->column_count; c++) {
        widths[c] = text_width_of(p, t, c);
        if (widths[c] != HIDDEN)
            total += widths[c] + (total > 0 ? GAP : 0);
    }
    for (size_t c = t->column_count;
         p->opt->width > 0 && total > p->opt->width && c-- > 0;) {
        const struct doc_column *column = &t->columns[c];
        size_t width = widths[c], excess = total - p->opt->width;
        size_t least = column->is_title ? SHORTEST_TITLE : SHORTEST_CELL;
        if (width == HIDDEN || width <= least || !gives_way(column))
            continue;
        widths[c] = width > excess + least ? width - excess : least;
        total -= width - widths[c];
    }
    return widths;
}

/* Shortens: words are cut in their middle, names of types lose their namespaces first. */
static void shorten(const struct printer *p, struct text *to, struct text *words,
                    enum doc_style style, size_t width)
{
    text_clear(to);
    (style == DOC_QUOTED ? format_shorten : format_shorten_name)(
        to, text_string(words), words->len, width, p->opt->ascii);
}

static void add_padded(struct printer *p, const struct doc_column *column, size_t available,
                       struct text *words, const char *code)
{
    words_pad(&p->t, column->align == DOC_RIGHT ? available : 0);
    words_paint(&p->t, code, text_string(words), words->len);
    words_pad(&p->t, column->align == DOC_LEFT ? available : 0);
}

/* A title that would lose more than its namespaces gets a line of its own. */
static void add_cell(struct printer *p, const struct doc_column *column, size_t width,
                     struct text *words, enum doc_style style, const char *code)
{
    struct text cut = {0};
    size_t all = words_columns(p->opt, words);
    if (all <= width || is_ragged(p, column, all)) {
        add_padded(p, column, all < width ? width - all : 0, words, code);
        return;
    }
    shorten(p, &cut, words, style, width);
    /* true if more than a namespace was cut, "…Order", from the name of a type or place */
    const char *name = place_of(text_string(&cut)).type.at;
    name += strncmp(name, "…", strlen("…")) == 0 ? strlen("…") : 0;
    bool has_lost_more = strstr(name, "…") != NULL;
    if (column->is_title && p->opt->width > REMARK_INDENT && has_lost_more) {
        end_line(p);
        words_pad(&p->t, REMARK_INDENT);
        shorten(p, &cut, words, style, p->opt->width - REMARK_INDENT);
        words_paint(&p->t, code, text_string(&cut), cut.len);
    } else {
        size_t used = words_columns(p->opt, &cut);
        add_padded(p, column, width > used ? width - used : 0, &cut, code);
    }
    text_free(&cut);
}

static void print_titles(struct printer *p, const struct doc_table *t, const size_t *widths)
{
    struct text title = {0};
    bool any = false;
    for (size_t c = 0, shown = 0; c < t->column_count; c++) {
        if (widths[c] == HIDDEN)
            continue;
        text_clear(&title);
        text_add_string(&title, t->columns[c].title);
        any |= title.len > 0;
        words_pad(&p->t, shown++ > 0 ? GAP : 0);
        add_cell(p, &t->columns[c], widths[c], &title, DOC_WORDS, "");
    }
    words_end_line(&p->t);
    if (any) {
        out_string(p->o, color(p, DIM));
        p->t.len--;
        flush(p);
        out_string(p->o, color(p, PLAIN));
        out_string(p->o, "\n");
    }
    text_clear(&p->t);
    text_free(&title);
}

/* Returns the columns of the line, without blanks at the end and colours. */
static size_t used_columns(struct printer *p)
{
    struct text bare = {0};
    words_end_line(&p->t);
    p->t.len--;
    for (size_t i = 0; i < p->t.len; i++) {
        if (p->t.data[i] == '\033')
            while (i < p->t.len && p->t.data[i] != 'm')
                i++;
        else
            text_add_char(&bare, p->t.data[i]);
    }
    size_t columns = words_columns(p->opt, &bare);
    text_free(&bare);
    return columns;
}

/* After the row if both fit the width; else below it. So they never shorten a cell. */
static void add_remarks(struct printer *p, const struct doc_row *row)
{
    const unsigned width = p->opt->width;
    struct text words = {0};
    for (size_t i = 0; i < row->remark_count; i++) {
        text_add_string(&words, i > 0 ? "  " : "");
        words_add_runs(&words, &row->remarks[i], SHORT_NAMES);
    }
    if (words.len > 0 &&
        (used_columns(p) + GAP + words_columns(p->opt, &words) <= width || width == 0)) {
        words_pad(&p->t, GAP);
        words_paint(&p->t, color(p, DIM), text_string(&words), words.len);
    } else if (words.len > 0) {
        end_line(p);
        words_pad(&p->t, REMARK_INDENT);
        text_add_string(&p->t, color(p, DIM));
        wrap_words(&p->t, text_string(&words), REMARK_INDENT, REMARK_INDENT, width,
                   p->opt->ascii);
        text_add_string(&p->t, color(p, PLAIN));
    }
    text_free(&words);
}

static void print_row(struct printer *p, const struct doc_table *t, const size_t *widths,
                      const struct doc_row *row)
{
    struct text words = {0};
    for (size_t c = 0, shown = 0; c < t->column_count; c++) {
        if (widths[c] == HIDDEN)
            continue;
        const struct doc_runs *runs = words_of_cell(p->opt, &row->cells[c]);
        enum doc_style style = runs->len > 0 ? runs->all[0].style : DOC_WORDS;
        bool bold = row->is_suspect && t->columns[c].is_subject && p->opt->color;
        text_clear(&words);
        words_add_runs(&words, runs, WHOLE_NAMES);
        words_pad(&p->t, shown++ > 0 ? GAP : 0);
        add_cell(p, &t->columns[c], widths[c], &words, style,
                 bold ? BOLD : words_color(p->opt, style));
    }
    text_free(&words);
    add_remarks(p, row);
    end_line(p);
}

static void begin_attached(struct printer *p, const char *label)
{
    words_pad(&p->t, ROW_INDENT);
    if (label == NULL)
        return;
    text_add_string(&p->t, label);
    words_pad(&p->t, strlen(label) < LABEL_COLUMNS ? LABEL_COLUMNS - strlen(label) : 0);
}

static void print_attached(struct printer *p, const struct doc_attached *a)
{
    const struct doc_chains *chains = &a->chains;
    if (a->is_for_pages)
        return;
    if (a->line.len > 0) {
        size_t indent = a->label != NULL ? HELD_INDENT : ROW_INDENT;
        begin_attached(p, a->label);
        words_add_line(p->opt, &p->t, &a->line, indent, indent, NULL);
        end_line(p);
    }
    for (size_t i = 0; i < chains->len; i++) {
        begin_attached(p, i == 0 ? a->label : "");
        add_held_by(p, &p->t, &chains->all[i]);
        end_line(p);
    }
    if (chains->rest.len > 0) {
        begin_attached(p, "");
        words_add_line(p->opt, &p->t, &chains->rest, HELD_INDENT, HELD_INDENT, NULL);
        end_line(p);
    }
}

/* One line between rows. */
static void print_row_line(struct printer *p, const struct doc_row *row)
{
    struct text words = {0};
    size_t indent = row->is_below ? ROW_INDENT : 0;
    text_add_string(&words, row->kind == DOC_GROUP ? "— " : "");
    words_add_cell(p->opt, &words, &row->cells[0]);
    text_add_string(&words, row->kind == DOC_GROUP ? " —" : "");
    words_pad(&p->t, indent);
    text_add_string(&p->t, color(p, DIM));
    wrap_words(&p->t, text_string(&words), indent, indent, p->opt->width, p->opt->ascii);
    text_add_string(&p->t, color(p, PLAIN));
    end_line(p);
    text_free(&words);
}

static void print_table(struct printer *p, const struct doc_table *t)
{
    size_t *widths = text_measure(p, t);
    bool has_rows = false;
    for (size_t i = 0; i < t->row_count; i++)
        has_rows |= t->rows[i].kind == DOC_ROW && is_here(p, t->rows[i].only);
    if (has_rows)
        print_titles(p, t, widths);
    for (size_t i = 0; i < t->row_count; i++) {
        const struct doc_row *row = &t->rows[i];
        if (!is_here(p, row->only))
            continue;
        p->has_begun = true;
        if (row->kind != DOC_ROW) {
            print_row_line(p, row);
            continue;
        }
        print_row(p, t, widths, row);
        for (size_t k = 0; k < row->attached_count; k++)
            print_attached(p, &row->attached[k]);
    }
    free(widths);
}

static void add_short(struct text *t, const struct doc_run *run)
{
    words_add_run(t, run, SHORT_NAMES);
}

static void add_whole(struct text *t, const struct doc_run *run)
{
    words_add_run(t, run, WHOLE_NAMES);
}

static void print_tree(struct printer *p, const struct doc_table *tree)
{
    const struct tree_look look = {.opt = p->opt,
                                   .add = p->opt->details ? add_whole : add_short};
    tree_lines(&p->t, tree, &look);
    flush(p);
    p->after_tree = true;
}

/* --- blocks -------------------------------------------------------------- */

static void print_facts(struct printer *p, const struct doc_facts *facts)
{
    const size_t gap = 2;
    size_t widest = facts->name_columns;
    for (size_t i = 0; i < facts->len; i++) {
        size_t columns = gap * facts->all[i].level + strlen(facts->all[i].name);
        widest = columns > widest ? columns : widest;
    }
    for (size_t i = 0; i < facts->len; i++) {
        const struct doc_fact *f = &facts->all[i];
        size_t indent = p->indent + widest + gap;
        words_pad(&p->t, p->indent + gap * f->level);
        text_add_string(&p->t, f->name);
        words_pad(&p->t, widest + gap - gap * f->level - strlen(f->name));
        words_add_line(p->opt, &p->t, &f->value, indent, indent,
                       p->opt->details ? NULL : f->if_brief);
        end_line(p);
    }
}

static void print_notes(struct printer *p, const struct doc_notes *notes)
{
    for (size_t i = 0; !notes->is_aside && i < notes->len; i++) {
        const struct doc_note *n = &notes->all[i];
        words_pad(&p->t, p->indent);
        say(&p->t, "warning: ", n->code, ": ", as_name(n->message));
        if (n->count > 1)
            say(&p->t, " (", as_digits(n->count), " times)");
        if (n->line > 0)
            say(&p->t, ", first in line ", as_digits(n->line));
        text_add_char(&p->t, '\n');
        flush(p);
    }
}

/* On one line if both fit. */
static void print_command(struct printer *p, const struct doc_command *c)
{
    const size_t indent = strlen(c->label) + 2, gap = 4;
    size_t column = indent;
    if (c->names_files && p->opt->files_go)
        return;
    blank_line(p);
    say(&p->t, c->label, ": ");
    for (const char *line = c->lines, *end; *line != '\0'; line = end + (*end != '\0')) {
        end = line + strcspn(line, "\n");
        size_t columns = printed_columns(line, (size_t)(end - line), p->opt->ascii);
        bool first = line == c->lines;
        bool fits = p->opt->width > 0 && column + gap + columns <= p->opt->width;
        if (!first && !fits)
            text_add_char(&p->t, '\n');
        words_pad(&p->t, first ? 0 : fits ? gap : indent);
        text_add(&p->t, line, (size_t)(end - line));
        column = (first || !fits ? indent : column + gap) + columns;
    }
    text_add_char(&p->t, '\n');
    flush(p);
}

/* A label at the beginning is emphasized; code is in quotes, as everywhere on a
 * terminal. */
static void print_prose(struct printer *p, const struct doc_line *l)
{
    enum { MAX_COLUMNS = 100 }; /* longer lines are hard to follow */
    unsigned width = words_fold_columns(p->opt);
    struct text flat = {0}, folded = {0};
    for (size_t i = 0; i < l->len; i++)
        for (size_t k = 0; k < l->all[i].cell.words.len; k++) {
            const struct doc_run *run = &l->all[i].cell.words.all[k];
            text_add_string(&flat, run->style == DOC_CODE ? "`" : "");
            words_add_to_wrap(&flat, run);
            text_add_string(&flat, run->style == DOC_CODE ? "`" : "");
        }
    wrap_words(&folded, text_string(&flat), p->indent, p->indent,
               width < MAX_COLUMNS ? width : MAX_COLUMNS, p->opt->ascii);
    const struct doc_runs *first = &l->all[0].cell.words;
    bool labelled = first->len > 0 && first->all[0].style == DOC_STRONG;
    size_t label = labelled ? strlen(first->all[0].text) : 0;
    if (strncmp(text_string(&folded), labelled ? first->all[0].text : "", label) != 0)
        label = 0; /* the label itself is broken */
    blank_line(p);
    words_pad(&p->t, p->indent);
    words_paint(&p->t, label > 0 ? color(p, BOLD) : "", text_string(&folded), label);
    text_add_string(&p->t, text_string(&folded) + label);
    end_line(p);
    text_free(&folded);
    text_free(&flat);
}

static void print_listing(struct printer *p, const struct doc_listing *l)
{
    enum { INDENT = 4 };
    blank_line(p);
    for (const char *line = l->lines, *end; *line != '\0'; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        words_pad(&p->t, end > line ? p->indent + INDENT : 0);
        text_add(&p->t, line, (size_t)(end - line));
        text_add_char(&p->t, '\n');
    }
    flush(p);
}

static void print_block(struct printer *p, const struct doc_block *b, bool is_plain)
{
    switch (b->kind) {
    case DOC_PARAGRAPH:
        if (p->after_tree)
            blank_line(p);
        p->after_tree = false;
        words_pad(&p->t, p->indent);
        words_add_line(p->opt, &p->t, &b->line, p->indent, b->line.indent, NULL);
        text_add_char(&p->t, '\n');
        flush(p);
        break;
    case DOC_PROSE:
        print_prose(p, &b->line);
        break;
    case DOC_LISTING:
        print_listing(p, &b->listing);
        break;
    case DOC_FACTS:
        print_facts(p, &b->facts);
        break;
    case DOC_TABLE:
        if (is_plain)
            blank_line(p);
        if (b->table.is_tree)
            print_tree(p, &b->table);
        else
            print_table(p, &b->table);
        break;
    case DOC_CHAINS:
        print_chains(p, &b->chains);
        break;
    case DOC_NOTES:
        print_notes(p, &b->notes);
        break;
    case DOC_COMMAND:
        print_command(p, &b->command);
        break;
    }
}

/* Topics are in capitals as well: not every terminal has bold letters. Our own words are
 * ASCII in every locale. */
static void print_title(struct printer *p, const struct doc_section *s)
{
    blank_line(p);
    text_add_string(&p->t, color(p, BOLD));
    if (s->kind == DOC_TOPIC)
        for (const char *c = s->title.text; *c != '\0'; c++)
            text_add_char(&p->t, (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c));
    else
        words_add_run(&p->t, &s->title, WHOLE_NAMES);
    text_add_string(&p->t, color(p, PLAIN));
    if (s->remark != NULL) {
        size_t indent = strlen(s->title.text) + 2;
        say(&p->t, "  ", color(p, DIM));
        wrap_words(&p->t, s->remark, indent, indent, words_fold_columns(p->opt),
                   p->opt->ascii);
        text_add_string(&p->t, color(p, PLAIN));
    }
    text_add_char(&p->t, '\n');
    flush(p);
}

static void print_verdict_line(struct printer *p, const struct doc_verdict *v,
                               size_t indent)
{
    const char *label = v->label != NULL ? v->label : "";
    struct text words = {0}, line = {0};
    words_add_runs(&words, &v->words, WHOLE_NAMES);
    if (v->if_brief != NULL && !p->opt->details)
        text_add_string(&words, v->if_brief);
    words_pad(&line, indent);
    wrap_words(&line, text_string(&words), indent, indent, p->opt->width, p->opt->ascii);
    if (v->command != NULL)
        words_add_command(p->opt, &line, v->command, indent);
    say(&p->t, words_color(p->opt, v->style), label, color(p, PLAIN),
        text_string(&line) + strlen(label));
    text_free(&words);
    text_free(&line);
    text_add_char(&p->t, '\n');
    flush(p);
}

/* Prints the verdict: on a terminal sentences are broken between words; elsewhere each is
 * one line. */
static void print_verdict(struct printer *p, const struct document *d)
{
    size_t widest = 0;
    for (size_t i = 0; i < d->verdict_len; i++)
        if (d->verdict[i].label != NULL && strlen(d->verdict[i].label) > widest)
            widest = strlen(d->verdict[i].label);
    for (size_t i = 0; i < d->verdict_len; i++)
        print_verdict_line(p, &d->verdict[i], widest + 2);
}

static void render(const struct document *d, const struct hd_write_options *opt,
                   struct out *o)
{
    enum { ITEM_INDENT = 2 };
    struct printer p = {.o = o, .opt = opt};
    o->ascii = opt->ascii;
    print_verdict(&p, d);
    p.owes_blank = d->verdict_len > 0;
    for (size_t i = 0; i < d->section_count; i++) {
        const struct doc_section *s = &d->sections[i];
        if (!is_here(&p, s->only))
            continue;
        p.indent = s->kind == DOC_ITEM ? ITEM_INDENT : 0;
        if (s->kind != DOC_PLAIN)
            print_title(&p, s);
        for (size_t b = 0; b < s->block_count; b++)
            print_block(&p, &s->blocks[b], s->kind == DOC_PLAIN);
    }
    /* Repeated for readers who see only the end. */
    if (d->verdict_len > 0 && opt->lines > 0 && o->lines >= opt->lines) {
        blank_line(&p);
        print_verdict(&p, d);
    }
    text_free(&p.t);
    o->ascii = false;
}

const struct writer write_text = {
    .name = "text",
    .summary = "for people",
    .render = render,
};
