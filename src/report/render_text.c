/* A document as text for people, in the columns of a terminal. Without a terminal there is
 * no colour and no limit of width. It does not know what is told. */
#include "base/ascii.h"
#include "report/build.h"
#include "report/render.h"
#include "report/table.h"
#include "report/tree_lines.h"
#include "report/wrap.h"
#include "report/writer.h"

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

/* --- words --------------------------------------------------------------- */

/* Names without namespaces where lines would be too long with them. */
enum names { WHOLE_NAMES, SHORT_NAMES };

/* All that is printed goes through here, and what others wrote is escaped. Where only ASCII
 * can be shown the output turns the rest into it, once and for all (struct out); lines are
 * laid out for what they will be. */
static void add_run(struct text *t, const struct doc_run *run, enum names names)
{
    switch (run->style) {
    case DOC_NAME:
    case DOC_COMMON_NAME:
        if (names == SHORT_NAMES)
            human_short_name(t, run->text);
        else
            human_name(t, run->text);
        break;
    case DOC_QUOTED:
        human_name(t, run->text);
        break;
    case DOC_WORDS:
    case DOC_STRONG:
    case DOC_CODE:
    case DOC_GOOD:
    case DOC_BAD:
    case DOC_UNSURE:
    case DOC_MORE:
    case DOC_LESS:
    case DOC_ASIDE:
        text_add_string(t, run->text);
        break;
    }
}

static void add_runs(struct text *t, const struct doc_runs *runs, enum names names)
{
    for (size_t i = 0; i < runs->len; i++)
        add_run(t, &runs->all[i], names);
}

static bool is_narrow(const struct printer *p, unsigned below)
{
    return p->opt->width > 0 && p->opt->width < below;
}

static void add_cell(const struct printer *p, struct text *t, const struct doc_cell *cell)
{
    bool brief = cell->brief != NULL && is_narrow(p, cell->brief->below);
    add_runs(t, brief ? &cell->brief->words : &cell->words, WHOLE_NAMES);
}

static size_t columns_of(const struct printer *p, const struct text *t)
{
    return t->len > 0 ? printed_columns(t->data, t->len, p->opt->ascii) : 0;
}

/* Pieces broken where they do not fit; a joint loses its blanks at the end of a line. */
static void add_pieces(const struct printer *p, struct text *t, const struct doc_line *l,
                       size_t column, size_t indent)
{
    struct text piece = {0};
    for (size_t i = 0; i < l->len; i++) {
        const char *joint = i > 0 ? l->all[i].joint : "";
        text_clear(&piece);
        add_cell(p, &piece, &l->all[i].cell);
        column +=
            printed_columns(joint, strlen(joint), p->opt->ascii) + columns_of(p, &piece);
        text_add_string(t, joint);
        if (i > 0 && l->all[i].breaks && p->opt->width > 0 && column > p->opt->width) {
            wrap_break(t, indent);
            column = indent + columns_of(p, &piece);
        }
        text_add(t, text_string(&piece), piece.len);
    }
    text_free(&piece);
}

/* A line that begins at the given column, and goes on at indent if it may be broken. */
static void add_line(const struct printer *p, struct text *t, const struct doc_line *l,
                     size_t column, size_t indent)
{
    struct text flat = {0};
    if (!l->wraps) {
        add_pieces(p, t, l, column, indent);
        return;
    }
    add_pieces(p, &flat, l, column, indent);
    wrap_words(t, text_string(&flat), column, indent, p->opt->width, p->opt->ascii);
    text_free(&flat);
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
    begin_color(p, "\033[0m");
}

/* --- chains -------------------------------------------------------------- */

static void add_frame(struct text *t, const struct doc_frame *f, enum names names)
{
    if (names == SHORT_NAMES && f->role != NULL) {
        text_add_string(t, f->role);
        text_add_char(t, ' ');
    }
    add_runs(t, &f->name, names);
}

static void add_omitted(struct text *t, size_t frames)
{
    text_add_string(t, "… ");
    human_count(t, frames);
    text_add_string(t, " more");
}

/* All frames in one line, with arrows. */
static void add_chain(struct text *t, const struct doc_chain *c)
{
    for (size_t i = 0; i < c->frame_count; i++) {
        text_add_string(t, i > 0 ? " → " : "");
        if (c->frames[i].omitted > 0) {
            add_omitted(t, c->frames[i].omitted);
            text_add_string(t, " → ");
        }
        add_frame(t, &c->frames[i], SHORT_NAMES);
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
    add_runs(&name, &f->name, WHOLE_NAMES);
    size_t all =
        columns_of(p, &name) + (f->generation != NULL ? strlen(f->generation) + 3 : 0);
    if (all > room && !f->is_root) {
        /* Namespaces go before the middle of a name does. */
        text_clear(&name);
        text_add_string(&name, "…");
        add_runs(&name, &f->name, SHORT_NAMES);
    }
    if (f->generation != NULL) {
        text_add_string(&name, " (");
        text_add_string(&name, f->generation);
        text_add_char(&name, ')');
    }
    if (f->is_root)
        human_shorten_name(&p->t, text_string(&name), name.len, room, p->opt->ascii);
    else
        human_shorten(&p->t, text_string(&name), name.len, room, p->opt->ascii);
    text_add_char(&p->t, '\n');
    flush(p);
    text_free(&name);
}

static void print_chains(struct printer *p, const struct doc_chains *chains)
{
    for (size_t i = 0; i < chains->len; i++) {
        const struct doc_chain *c = &chains->all[i];
        text_add_char(&p->t, '\n');
        human_count(&p->t, c->number);
        text_add_string(&p->t, ".  ");
        add_line(p, &p->t, &c->head, 0, 0);
        text_add_char(&p->t, '\n');
        for (size_t f = 0; f < c->frame_count; f++)
            print_ladder_frame(p, &c->frames[f], f == 0);
    }
    if (chains->rest.len == 0)
        return;
    text_add_char(&p->t, '\n');
    add_line(p, &p->t, &chains->rest, 0, 0);
    text_add_char(&p->t, '\n');
    flush(p);
}

/* "56 % (39–72 %)  [static var ...] → ...": shares of one width, so that the chains of a
 * row begin below each other. */
static void add_held_by(const struct printer *p, struct text *line,
                        const struct doc_chain *c)
{
    enum { SHARE_COLUMNS = 15 };
    struct text chain = {0}, share = {0};
    const unsigned width = p->opt->width;
    size_t used = 0;
    add_chain(&chain, c);
    if (c->head.len > 0) {
        add_pieces(p, &share, &c->head, 0, 0);
        text_add(line, text_string(&share), share.len);
        /* The chain begins where the share of the widest would end. */
        size_t whole = HELD_INDENT + SHARE_COLUMNS + 2 + columns_of(p, &chain);
        bool fits = width == 0 || whole <= width;
        size_t room = fits || chain.len == 0 ? SHARE_COLUMNS + 2 : 2;
        used = columns_of(p, &share);
        do
            text_add_char(line, ' ');
        while (++used < room);
    }
    if (chain.len > 0)
        wrap_arrows(line, chain.data, chain.len, HELD_INDENT + used, HELD_INDENT, width,
                    p->opt->ascii);
    text_free(&chain);
    text_free(&share);
}

/* --- tables -------------------------------------------------------------- */

static bool has_column(const struct printer *p, const struct doc_column *c)
{
    return !c->is_for_pages && (!c->is_detail || p->opt->details) &&
           !is_narrow(p, c->from_width);
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
        add_line(p, &line, &a->line, indent, indent);
        note_line(t, &line);
    }
    for (size_t i = 0; i < chains->len; i++) {
        begin_attached(&line, i == 0 ? a->label : "");
        add_held_by(p, &line, &chains->all[i]);
        note_line(t, &line);
    }
    if (chains->rest.len > 0) {
        begin_attached(&line, "");
        add_line(p, &line, &chains->rest, HELD_INDENT, HELD_INDENT);
        note_line(t, &line);
    }
    text_free(&line);
}

static void add_row(const struct printer *p, struct table *t, const struct doc_table *from,
                    const struct doc_row *row)
{
    struct text remarks = {0};
    for (size_t c = 0; c < from->column_count; c++) {
        if (!has_column(p, &from->columns[c]))
            continue;
        add_cell(p, &t->content, &row->cells[c]);
        table_end_cell(t);
    }
    for (size_t i = 0; i < row->remark_count; i++) {
        text_add_string(&remarks, i > 0 ? "  " : "");
        add_runs(&remarks, &row->remarks[i], SHORT_NAMES);
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
    pad(&line, row->is_below ? ROW_INDENT : 0);
    text_add_string(&line, row->kind == DOC_GROUP ? "— " : "");
    add_cell(p, &line, &row->cells[0]);
    text_add_string(&line, row->kind == DOC_GROUP ? " —" : "");
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
                column->is_subject || column->gives_way};
    }
    for (size_t i = 0; i < from->row_count; i++) {
        const struct doc_row *row = &from->rows[i];
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

static void add_tree_run(struct text *t, const struct doc_run *run)
{
    add_run(t, run, SHORT_NAMES);
}

static void print_tree(struct printer *p, const struct doc_table *tree)
{
    const struct tree_look look = {.width = p->opt->width,
                                   .color = p->opt->color,
                                   .ascii = p->opt->ascii,
                                   .add = add_tree_run};
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
        add_line(p, &p->t, &f->value, indent, indent);
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
        add_run(&p->t, &message, WHOLE_NAMES);
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

static void print_command(struct printer *p, const struct doc_command *c)
{
    if (c->names_files && p->opt->files_go)
        return;
    blank_line(p);
    text_add_string(&p->t, c->label);
    text_add_string(&p->t, ": ");
    text_add_string(&p->t, c->line);
    text_add_char(&p->t, '\n');
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
        add_line(p, &p->t, &b->line, p->indent, b->line.indent);
        text_add_char(&p->t, '\n');
        flush(p);
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
    begin_color(p, "\033[1m");
    if (s->kind == DOC_TOPIC)
        add_capitals(&p->t, s->title.text);
    else
        add_run(&p->t, &s->title, WHOLE_NAMES);
    end_color(p);
    if (s->remark != NULL) {
        text_add_string(&p->t, "  ");
        begin_color(p, "\033[2m");
        text_add_string(&p->t, s->remark);
        end_color(p);
    }
    text_add_char(&p->t, '\n');
    flush(p);
}

static void print_verdict(struct printer *p, const struct document *d)
{
    static const char *const colors[] = {
        [DOC_GOOD] = "\033[1;32m", [DOC_BAD] = "\033[1;31m", [DOC_UNSURE] = "\033[1;33m"};
    for (size_t i = 0; i < d->summary.len; i++) {
        const struct doc_run *run = &d->summary.all[i];
        bool coloured = run->style >= DOC_GOOD && run->style <= DOC_UNSURE;
        begin_color(p, coloured ? colors[run->style] : "");
        add_run(&p->t, run, WHOLE_NAMES);
        if (coloured)
            end_color(p);
    }
    text_add_char(&p->t, '\n');
    flush(p);
}

void render_text(const struct document *d, const struct hd_write_options *opt,
                 struct out *o)
{
    enum { ITEM_INDENT = 2 };
    struct printer p = {.o = o, .opt = opt};
    o->ascii = opt->ascii;
    if (d->is_verdict)
        print_verdict(&p, d);
    for (size_t i = 0; i < d->section_count; i++) {
        const struct doc_section *s = &d->sections[i];
        p.indent = s->kind == DOC_ITEM ? ITEM_INDENT : 0;
        if (s->kind != DOC_PLAIN)
            print_title(&p, s);
        for (size_t b = 0; b < s->block_count; b++)
            print_block(&p, &s->blocks[b], s->kind == DOC_PLAIN);
    }
    text_free(&p.t);
    o->ascii = false;
}

static void write(const struct hd_report *r, const struct hd_write_options *opt,
                  struct out *o)
{
    struct document *d = document_of(r);
    render_text(d, opt, o);
    document_free(d);
}

const struct writer write_text = {
    .name = "text",
    .summary = "for people",
    .write = write,
};
