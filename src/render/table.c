#include "render/table.h"

#include "base/alloc.h"
#include "base/ascii.h"
#include "heap/place.h"
#include "render/wrap.h"
#include "report/format_units.h"

#include <stdlib.h>
#include <string.h>

enum cell_kind { CELL, NOTE, REMARK };

struct table_cell {
    size_t start, len, columns;
    enum cell_kind kind;
    struct cell_style style;
};

enum { GAP = 2, SHORTEST_CELL = 12, SHORTEST_TITLE = 4, REMARK_INDENT = 4, WIDEST = 60 };

#define DIM "\033[2m"
#define PLAIN "\033[0m"

static void add_cell(struct table *t, enum cell_kind kind)
{
    size_t len = t->content.len - t->cell_start;
    const char *s = len > 0 ? t->content.data + t->cell_start : "";
    t->cells = grow(t->cells, t->len, &t->cap, sizeof(*t->cells));
    t->cells[t->len++] = (struct table_cell){
        t->cell_start, len, printed_columns(s, len, t->ascii), kind, {0}};
    t->cell_start = t->content.len;
}

void table_end_cell(struct table *t)
{
    add_cell(t, CELL);
}

void table_end_cell_in(struct table *t, struct cell_style style)
{
    add_cell(t, CELL);
    t->cells[t->len - 1].style = style;
}

void table_cell(struct table *t, const char *s)
{
    text_add_string(&t->content, s);
    table_end_cell(t);
}

void table_note(struct table *t, const char *s, size_t len)
{
    text_add(&t->content, s, len);
    add_cell(t, NOTE);
}

void table_remark(struct table *t, const char *s, size_t len)
{
    if (len == 0)
        return;
    text_add(&t->content, s, len);
    add_cell(t, REMARK);
}

/* Without a width nothing is cut, and one long text would push away what follows in all
 * other rows: its own row is ragged instead. */
static bool is_ragged(const struct table *t, unsigned width, size_t c, size_t columns)
{
    return width == 0 && t->columns[c].gives_way == GIVES_WAY && columns > WIDEST;
}

static size_t *measure(const struct table *t, unsigned width)
{
    size_t *widths = alloc_zeroed(array_bytes(t->column_count, sizeof(*widths)));
    for (size_t c = 0; c < t->column_count; c++)
        if (t->columns[c].title != NULL)
            widths[c] =
                printed_columns(t->columns[c].title, strlen(t->columns[c].title), t->ascii);
    for (size_t i = 0, c = 0; i < t->len; i++) {
        if (t->cells[i].kind != CELL)
            continue;
        if (t->cells[i].columns > widths[c] && !is_ragged(t, width, c, t->cells[i].columns))
            widths[c] = t->cells[i].columns;
        c = c + 1 < t->column_count ? c + 1 : 0;
    }
    size_t total = GAP * (t->column_count - 1);
    for (size_t c = 0; c < t->column_count; c++)
        total += widths[c];
    for (size_t c = t->column_count; width > 0 && total > width && c-- > 0;) {
        if (t->columns[c].gives_way == GIVES_NOTHING)
            continue;
        size_t excess = total - width, before = widths[c];
        size_t shortest =
            t->columns[c].gives_way == GIVES_WAY_BY_LINE ? SHORTEST_TITLE : SHORTEST_CELL;
        size_t least = before < shortest ? before : shortest;
        widths[c] = before > excess + least ? before - excess : least;
        total -= before - widths[c];
    }
    return widths;
}

static void pad(struct text *line, size_t columns)
{
    for (; columns > 0; columns--)
        text_add_char(line, ' ');
}

static void add_painted(struct text *line, const char *s, size_t len, const char *color)
{
    text_add_string(line, color);
    text_add(line, s, len);
    text_add_string(line, color[0] != '\0' ? PLAIN : "");
}

static void shorten(const struct table *of, struct text *t, const struct table_cell *cell,
                    const char *s, size_t width)
{
    if (cell->style.is_words)
        format_shorten(t, s, cell->len, width, of->ascii);
    else
        format_shorten_name(t, s, cell->len, width, of->ascii);
}

static const char *color_of(const struct table_cell *cell)
{
    return cell->style.color != NULL ? cell->style.color : "";
}

static void add_aligned(struct text *line, const struct table *t, size_t c, size_t width,
                        const struct table_cell *cell, const char *s)
{
    struct text cut = {0};
    shorten(t, &cut, cell, s, width);
    size_t columns = cut.len > 0 ? printed_columns(cut.data, cut.len, t->ascii) : 0;
    size_t room = width > columns ? width - columns : 0;
    if (c > 0)
        pad(line, GAP);
    if (t->columns[c].align == ALIGN_RIGHT)
        pad(line, room);
    add_painted(line, text_string(&cut), cut.len, color_of(cell));
    if (t->columns[c].align == ALIGN_LEFT)
        pad(line, room);
    text_free(&cut);
}

static void end_line(struct text *line, struct out *o)
{
    while (line->len > 0 && line->data[line->len - 1] == ' ')
        line->len--;
    out_text(o, line);
    out_string(o, "\n");
    text_clear(line);
}

static void print_titles(const struct table *t, struct out *o, const size_t *widths,
                         bool color)
{
    struct text line = {0};
    bool any = false;
    for (size_t c = 0; c < t->column_count; c++) {
        const char *title = t->columns[c].title != NULL ? t->columns[c].title : "";
        any |= title[0] != '\0';
        const struct table_cell cell = {.len = strlen(title)};
        add_aligned(&line, t, c, widths[c], &cell, title);
    }
    if (any) {
        out_string(o, color ? DIM : "");
        while (line.len > 0 && line.data[line.len - 1] == ' ')
            line.len--;
        out_text(o, &line);
        out_string(o, color ? PLAIN "\n" : "\n");
    }
    text_free(&line);
}

/* Columns of a line without its blanks at the end; what is painted takes none. */
static size_t columns_of(const struct table *t, struct text *line)
{
    struct text bare = {0};
    while (line->len > 0 && line->data[line->len - 1] == ' ')
        line->len--;
    for (size_t i = 0; i < line->len; i++) {
        if (line->data[i] == '\033')
            while (i < line->len && line->data[i] != 'm')
                i++;
        else
            text_add_char(&bare, line->data[i]);
    }
    size_t columns = bare.len > 0 ? printed_columns(bare.data, bare.len, t->ascii) : 0;
    text_free(&bare);
    return columns;
}

/* Behind the row that ends line if both fit the width; else below it. */
static void add_remark(const struct table *t, struct text *line, struct out *o,
                       const char *s, size_t len, unsigned width, bool color)
{
    struct text words = {0};
    size_t used = columns_of(t, line);
    text_add(&words, s, len);
    if (width == 0 || used + GAP + printed_columns(s, len, t->ascii) <= width) {
        pad(line, GAP);
        add_painted(line, s, len, color ? DIM : "");
    } else {
        end_line(line, o);
        pad(line, REMARK_INDENT);
        text_add_string(line, color ? DIM : "");
        wrap_words(line, text_string(&words), REMARK_INDENT, REMARK_INDENT, width,
                   t->ascii);
        text_add_string(line, color ? PLAIN : "");
    }
    text_free(&words);
}

/* A title loses its namespaces first, and goes to a line of its own before it is cut. */
static bool needs_line(const struct table *t, size_t c, size_t width,
                       const struct table_cell *cell, const char *s)
{
    struct text plain = {0};
    if (t->columns[c].gives_way != GIVES_WAY_BY_LINE || cell->columns <= width)
        return false;
    shorten(t, &plain, cell, s, width);
    /* "…Order" has lost its namespace only. */
    const char *cut = place_of(text_string(&plain)).type.at;
    bool is_plain = strncmp(cut, "…", strlen("…")) == 0;
    bool is_cut = strstr(is_plain ? cut + strlen("…") : cut, "…") != NULL;
    text_free(&plain);
    return is_cut;
}

static void add_cell_of_row(struct text *line, struct out *o, const struct table *t,
                            size_t c, size_t width, const struct table_cell *cell,
                            const char *s, unsigned whole)
{
    if (needs_line(t, c, width, cell, s) && whole > REMARK_INDENT) {
        end_line(line, o);
        pad(line, REMARK_INDENT);
        struct text name = {0};
        shorten(t, &name, cell, s, whole - REMARK_INDENT);
        add_painted(line, text_string(&name), name.len, color_of(cell));
        text_free(&name);
        return;
    }
    if (is_ragged(t, whole, c, cell->columns))
        width = cell->columns;
    add_aligned(line, t, c, width, cell, s);
}

static bool has_rows(const struct table *t)
{
    for (size_t i = 0; i < t->len; i++)
        if (t->cells[i].kind == CELL)
            return true;
    return false;
}

void table_print(const struct table *t, struct out *o, unsigned width, bool color)
{
    size_t *widths = measure(t, width);
    if (t->len == 0 || has_rows(t))
        print_titles(t, o, widths, color);
    struct text line = {0};
    for (size_t i = 0, c = 0; i < t->len; i++) {
        const struct table_cell *cell = &t->cells[i];
        const char *s = cell->len > 0 ? t->content.data + cell->start : "";
        if (cell->kind == CELL) {
            add_cell_of_row(&line, o, t, c, widths[c], cell, s, width);
            c = c + 1 < t->column_count ? c + 1 : 0;
        } else if (cell->kind == NOTE) {
            text_add(&line, s, cell->len);
        } else {
            add_remark(t, &line, o, s, cell->len, width, color);
        }
        bool remark_follows = i + 1 < t->len && t->cells[i + 1].kind == REMARK;
        if (c == 0 && !remark_follows)
            end_line(&line, o);
    }
    text_free(&line);
    free(widths);
}

void table_free(struct table *t)
{
    free(t->cells);
    text_free(&t->content);
    *t = (struct table){0};
}
