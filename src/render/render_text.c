/* A document as text for people, in the columns of a terminal. Without a terminal there is
 * no colour, and nothing is cut; only what flows is folded. Colours are of the sixteen that
 * every terminal has in light and dark, and say nothing that words do not. It does not know
 * what is told. */
#include "base/ascii.h"
#include "document/build.h"
#include "render/table.h"
#include "render/text_words.h"
#include "render/tree_lines.h"
#include "render/writer.h"

#include <stdlib.h>
#include <string.h>

struct printer {
    struct out *o;
    const struct hd_write_options *opt;
    struct text t;   /* what comes next, of the current line or block */
    unsigned indent; /* of paragraphs, facts and notes */
    bool has_begun;  /* something was printed */
    bool after_tree; /* a tree, just now */
};

/* What belongs to a row is indented so far, and so wide are labels. */
enum { ROW_INDENT = 4, LABEL_COLUMNS = 9, HELD_INDENT = ROW_INDENT + LABEL_COLUMNS };

/* Whether a thing is for this place. */
static bool is_here(const struct printer *p, unsigned only)
{
    return doc_is_on(p->opt->details ? DOC_ON_DETAILED_LINES : DOC_ON_LINES, only);
}

/* --- printing ------------------------------------------------------------ */

static void flush(struct printer *p)
{
    p->has_begun |= p->t.len > 0;
    out_text(p->o, &p->t);
    text_clear(&p->t);
}

static void pad(struct text *t, size_t columns)
{
    for (; columns > 0; columns--)
        text_add_char(t, ' ');
}

static void end_line(struct printer *p)
{
    while (p->t.len > 0 && p->t.data[p->t.len - 1] == ' ')
        p->t.len--;
    text_add_char(&p->t, '\n');
    flush(p);
}

static void blank_line(struct printer *p)
{
    if (p->has_begun)
        out_string(p->o, "\n");
}

static void begin_color(struct printer *p, const char *code)
{
    text_add_string(&p->t, p->opt->color ? code : "");
}

static void end_color(struct printer *p)
{
    begin_color(p, PLAIN);
}

/* --- chains -------------------------------------------------------------- */

static void add_frame(struct text *t, const struct doc_frame *f, enum words_names names)
{
    if (names == SHORT_NAMES && f->role != NULL) {
        text_add_string(t, f->role);
        text_add_char(t, ' ');
    }
    words_add_runs(t, &f->name, names);
}

static void add_omitted(struct text *t, size_t frames)
{
    text_add_string(t, "… ");
    format_count(t, frames);
    text_add_string(t, " more");
}

static const char *frame_color(const struct printer *p, const struct doc_frame *f)
{
    if (!p->opt->color)
        return "";
    if (f->is_owner)
        return BOLD;
    return words_color(p->opt, f->name.len > 0 ? f->name.all[0].style : DOC_WORDS);
}

/* All frames in one line, with arrows, and the colour of each element between them. */
struct chain_line {
    struct text words;
    const char **colors;
    size_t len, cap;
};

static void color_elements(struct chain_line *l, const char *color)
{
    size_t arrows = wrap_count_arrows(l->words.data, l->words.len);
    while (l->len < arrows + 1) {
        l->colors = grow(l->colors, l->len, &l->cap, sizeof(*l->colors));
        l->colors[l->len++] = color;
    }
}

static void add_chain(const struct printer *p, struct chain_line *l,
                      const struct doc_chain *c)
{
    for (size_t i = 0; i < c->frame_count; i++) {
        text_add_string(&l->words, i > 0 ? " → " : "");
        if (c->frames[i].omitted > 0) {
            add_omitted(&l->words, c->frames[i].omitted);
            color_elements(l, p->opt->color ? DIM : "");
            text_add_string(&l->words, " → ");
        }
        add_frame(&l->words, &c->frames[i], SHORT_NAMES);
        color_elements(l, frame_color(p, &c->frames[i]));
    }
}

static void print_ladder_frame(struct printer *p, const struct doc_frame *f, bool first)
{
    enum { INDENT = 6 };
    unsigned width = p->opt->width;
    size_t room = width > 2 * INDENT ? width - INDENT : SIZE_MAX;
    struct text name = {0};
    if (f->omitted > 0) {
        pad(&p->t, INDENT);
        add_omitted(&p->t, f->omitted);
        text_add_char(&p->t, '\n');
    }
    text_add_string(&p->t, first ? "      " : "    → ");
    const char *color = frame_color(p, f);
    text_add_string(&p->t, color);
    words_add_runs(&name, &f->name, WHOLE_NAMES);
    size_t all = words_columns(p->opt, &name) +
                 (f->generation != NULL ? strlen(f->generation) + 3 : 0);
    if (all > room && !f->is_root) {
        /* Namespaces go before the middle of a name does. */
        text_clear(&name);
        text_add_string(&name, "…");
        words_add_runs(&name, &f->name, SHORT_NAMES);
    }
    if (f->generation != NULL) {
        text_add_string(&name, " (");
        text_add_string(&name, f->generation);
        text_add_char(&name, ')');
    }
    if (f->is_root)
        format_shorten_name(&p->t, text_string(&name), name.len, room, p->opt->ascii);
    else
        format_shorten(&p->t, text_string(&name), name.len, room, p->opt->ascii);
    text_add_string(&p->t, color[0] != '\0' ? PLAIN : "");
    text_add_char(&p->t, '\n');
    flush(p);
    text_free(&name);
}

static void print_chains(struct printer *p, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++) {
        const struct doc_chain *c = &chains->all[i];
        text_add_char(&p->t, '\n');
        format_count(&p->t, c->number);
        text_add_string(&p->t, ".  ");
        words_add_line(p->opt, &p->t, &c->head, 0, 0);
        text_add_char(&p->t, '\n');
        for (size_t f = 0; f < c->frame_count; f++)
            print_ladder_frame(p, &c->frames[f], f == 0);
    }
    if (chains->rest.len == 0)
        return;
    text_add_char(&p->t, '\n');
    words_add_line(p->opt, &p->t, &chains->rest, 0, 0);
    text_add_char(&p->t, '\n');
    flush(p);
}

/* "56 % (39–72 %)  [static var ...] → ...": shares of one width, so that the chains of a
 * row begin below each other. */
static void add_held_by(const struct printer *p, struct text *line,
                        const struct doc_chain *c)
{
    enum { SHARE_COLUMNS = 24 };
    struct chain_line chain = {0};
    struct text share = {0};
    struct wrap_room room = {
        .indent = HELD_INDENT, .width = words_fold_columns(p->opt), .ascii = p->opt->ascii};
    size_t used = 0;
    add_chain(p, &chain, c);
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
        bool fits = whole <= room.width;
        size_t until = fits || chain.words.len == 0 ? SHARE_COLUMNS + 2 : 2;
        used = words_columns(p->opt, &share);
        do
            text_add_char(line, ' ');
        while (++used < until);
    }
    room.column = HELD_INDENT + used;
    room.is_hard = p->opt->width > 0;
    if (chain.words.len > 0)
        wrap_arrows(line, chain.words.data, chain.words.len, room, chain.colors);
    text_free(&chain.words);
    free(chain.colors);
    text_free(&share);
}

/* --- tables -------------------------------------------------------------- */

static bool has_column(const struct printer *p, const struct doc_column *c)
{
    return !c->is_for_pages && (!c->is_detail || p->opt->details) &&
           !words_is_narrow(p->opt, c->from_width);
}

static void note_line(struct table *t, struct text *line)
{
    table_note(t, text_string(line), line->len);
    text_clear(line);
}

static void begin_attached(struct text *line, const char *label)
{
    pad(line, ROW_INDENT);
    if (label == NULL)
        return;
    text_add_string(line, label);
    size_t used = strlen(label);
    pad(line, used < LABEL_COLUMNS ? LABEL_COLUMNS - used : 0);
}

static void add_attached(const struct printer *p, struct table *t,
                         const struct doc_attached *a)
{
    struct text line = {0};
    const struct doc_chains *chains = &a->chains;
    if (a->is_for_pages)
        return;
    if (a->line.len > 0) {
        size_t indent = a->label != NULL ? HELD_INDENT : ROW_INDENT;
        begin_attached(&line, a->label);
        words_add_line(p->opt, &line, &a->line, indent, indent);
        note_line(t, &line);
    }
    for (size_t i = 0; i < chains->len; i++) {
        begin_attached(&line, i == 0 ? a->label : "");
        add_held_by(p, &line, &chains->all[i]);
        note_line(t, &line);
    }
    if (chains->rest.len > 0) {
        begin_attached(&line, "");
        words_add_line(p->opt, &line, &chains->rest, HELD_INDENT, HELD_INDENT);
        note_line(t, &line);
    }
    text_free(&line);
}

/* That of what the cell begins with. */
static struct cell_style cell_style(const struct printer *p, const struct doc_row *row,
                                    const struct doc_column *column,
                                    const struct doc_cell *cell)
{
    const struct doc_runs *words = words_of_cell(p->opt, cell);
    enum doc_style first = words->len > 0 ? words->all[0].style : DOC_WORDS;
    bool bold = row->is_suspect && column->is_subject && p->opt->color;
    return (struct cell_style){bold ? BOLD : words_color(p->opt, first),
                               first == DOC_QUOTED};
}

static void add_row(const struct printer *p, struct table *t, const struct doc_table *from,
                    const struct doc_row *row)
{
    struct text remarks = {0};
    for (size_t c = 0; c < from->column_count; c++) {
        if (!has_column(p, &from->columns[c]))
            continue;
        words_add_cell(p->opt, &t->content, &row->cells[c]);
        table_end_cell(t, cell_style(p, row, &from->columns[c], &row->cells[c]));
    }
    for (size_t i = 0; i < row->remark_count; i++) {
        text_add_string(&remarks, i > 0 ? "  " : "");
        words_add_runs(&remarks, &row->remarks[i], SHORT_NAMES);
    }
    table_remark(t, text_string(&remarks), remarks.len);
    for (size_t i = 0; i < row->attached_count; i++)
        add_attached(p, t, &row->attached[i]);
    text_free(&remarks);
}

/* One line between rows. */
static void add_row_line(const struct printer *p, struct table *t,
                         const struct doc_row *row)
{
    struct text line = {0};
    struct text words = {0};
    size_t indent = row->is_below ? ROW_INDENT : 0;
    pad(&line, indent);
    text_add_string(&words, row->kind == DOC_GROUP ? "— " : "");
    words_add_cell(p->opt, &words, &row->cells[0]);
    text_add_string(&words, row->kind == DOC_GROUP ? " —" : "");
    text_add_string(&line, p->opt->color ? DIM : "");
    wrap_words(&line, text_string(&words), indent, indent, p->opt->width, p->opt->ascii);
    text_add_string(&line, p->opt->color ? PLAIN : "");
    text_free(&words);
    note_line(t, &line);
    text_free(&line);
}

static void print_table(struct printer *p, const struct doc_table *from)
{
    struct column *columns =
        alloc_zeroed(array_bytes(from->column_count, sizeof(*columns)));
    struct table t = {.columns = columns, .ascii = p->opt->ascii};
    for (size_t c = 0; c < from->column_count; c++) {
        const struct doc_column *column = &from->columns[c];
        if (has_column(p, column))
            columns[t.column_count++] = (struct column){
                column->title, column->align == DOC_RIGHT ? ALIGN_RIGHT : ALIGN_LEFT,
                column->is_title                          ? GIVES_WAY_BY_LINE
                : column->is_subject || column->gives_way ? GIVES_WAY
                                                          : GIVES_NOTHING};
    }
    for (size_t i = 0; i < from->row_count; i++) {
        const struct doc_row *row = &from->rows[i];
        if (!is_here(p, row->only))
            continue;
        if (row->kind == DOC_ROW)
            add_row(p, &t, from, row);
        else
            add_row_line(p, &t, row);
    }
    if (t.len > 0)
        table_print(&t, p->o, p->opt->width, p->opt->color);
    p->has_begun |= t.len > 0;
    table_free(&t);
    free(columns);
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
        pad(&p->t, p->indent + gap * f->level);
        text_add_string(&p->t, f->name);
        pad(&p->t, widest + gap - gap * f->level - strlen(f->name));
        words_add_line(p->opt, &p->t, &f->value, indent, indent);
        if (f->if_brief != NULL && !p->opt->details)
            text_add_string(&p->t, f->if_brief);
        end_line(p);
    }
}

static void print_notes(struct printer *p, const struct doc_notes *notes)
{
    for (size_t i = 0; !notes->is_aside && i < notes->len; i++) {
        const struct doc_note *n = &notes->all[i];
        const struct doc_run message = {DOC_QUOTED, n->message};
        pad(&p->t, p->indent);
        text_add_string(&p->t, "warning: ");
        text_add_string(&p->t, n->code);
        text_add_string(&p->t, ": ");
        words_add_run(&p->t, &message, WHOLE_NAMES);
        char count[64] = "", line[64] = "";
        if (n->count > 1)
            snprintf(count, sizeof(count), " (%llu times)", (unsigned long long)n->count);
        if (n->line > 0)
            snprintf(line, sizeof(line), ", first in line %llu",
                     (unsigned long long)n->line);
        text_add_string(&p->t, count);
        text_add_string(&p->t, line);
        text_add_char(&p->t, '\n');
        flush(p);
    }
}

/* Beside each other if they fit. */
static void print_command(struct printer *p, const struct doc_command *c)
{
    const size_t indent = strlen(c->label) + 2, gap = 4;
    size_t column = indent;
    if (c->names_files && p->opt->files_go)
        return;
    blank_line(p);
    text_add_string(&p->t, c->label);
    text_add_string(&p->t, ": ");
    for (const char *line = c->lines, *end; *line != '\0'; line = end + (*end != '\0')) {
        end = line + strcspn(line, "\n");
        size_t columns = printed_columns(line, (size_t)(end - line), p->opt->ascii);
        bool first = line == c->lines;
        bool fits = p->opt->width > 0 && column + gap + columns <= p->opt->width;
        if (!first && !fits)
            text_add_char(&p->t, '\n');
        pad(&p->t, first ? 0 : fits ? gap : indent);
        text_add(&p->t, line, (size_t)(end - line));
        column = (first || !fits ? indent : column + gap) + columns;
    }
    text_add_char(&p->t, '\n');
    flush(p);
}

/* A label that it begins with stands out; code is in quotes, as in all that is said on a
 * terminal. */
static void print_prose(struct printer *p, const struct doc_line *l)
{
    enum { MOST_COLUMNS = 100 }; /* longer lines are hard to follow */
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
               width < MOST_COLUMNS ? width : MOST_COLUMNS, p->opt->ascii);
    const struct doc_runs *first = &l->all[0].cell.words;
    bool labelled = first->len > 0 && first->all[0].style == DOC_STRONG;
    size_t label = labelled ? strlen(first->all[0].text) : 0;
    if (strncmp(text_string(&folded), labelled ? first->all[0].text : "", label) != 0)
        label = 0; /* it is broken itself */
    blank_line(p);
    pad(&p->t, p->indent);
    begin_color(p, label > 0 ? BOLD : "");
    text_add(&p->t, text_string(&folded), label);
    begin_color(p, label > 0 ? PLAIN : "");
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
        pad(&p->t, end > line ? p->indent + INDENT : 0);
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
        pad(&p->t, p->indent);
        words_add_line(p->opt, &p->t, &b->line, p->indent, b->line.indent);
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

/* Of our words: ASCII, whatever the locale is. */
static void add_capitals(struct text *t, const char *words)
{
    for (; *words != '\0'; words++) {
        char c = *words;
        if (c >= 'a' && c <= 'z')
            c = (char)(c - 'a' + 'A');
        text_add_char(t, c);
    }
}

/* Topics stand out by capitals too: not every place has bold letters. */
static void print_title(struct printer *p, const struct doc_section *s)
{
    blank_line(p);
    begin_color(p, BOLD);
    if (s->kind == DOC_TOPIC)
        add_capitals(&p->t, s->title.text);
    else
        words_add_run(&p->t, &s->title, WHOLE_NAMES);
    end_color(p);
    if (s->remark != NULL) {
        size_t indent = strlen(s->title.text) + 2;
        text_add_string(&p->t, "  ");
        begin_color(p, DIM);
        wrap_words(&p->t, s->remark, indent, indent, words_fold_columns(p->opt),
                   p->opt->ascii);
        end_color(p);
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
    pad(&line, indent);
    wrap_words(&line, text_string(&words), indent, indent, p->opt->width, p->opt->ascii);
    if (v->command != NULL)
        words_add_command(p->opt, &line, v->command, indent);
    begin_color(p, words_color(p->opt, v->style));
    text_add_string(&p->t, label);
    end_color(p);
    text_add_string(&p->t, text_string(&line) + strlen(label));
    text_free(&words);
    text_free(&line);
    text_add_char(&p->t, '\n');
    flush(p);
}

/* On a terminal sentences are broken between words; elsewhere each is one line. */
static void print_verdict(struct printer *p, const struct document *d)
{
    size_t widest = 0;
    for (size_t i = 0; i < d->verdict_len; i++)
        if (d->verdict[i].label != NULL && strlen(d->verdict[i].label) > widest)
            widest = strlen(d->verdict[i].label);
    for (size_t i = 0; i < d->verdict_len; i++)
        print_verdict_line(p, &d->verdict[i], widest + 2);
}

/* Who has only the end of it before their eyes reads it there. */
static bool has_scrolled_away(const struct printer *p)
{
    return p->opt->lines > 0 && p->o->lines >= p->opt->lines;
}

static void render(const struct document *d, const struct hd_write_options *opt,
                   struct out *o)
{
    enum { ITEM_INDENT = 2 };
    struct printer p = {.o = o, .opt = opt};
    o->ascii = opt->ascii;
    print_verdict(&p, d);
    if (d->verdict_len > 0)
        blank_line(&p);
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
    if (d->verdict_len > 0 && has_scrolled_away(&p)) {
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
