#include "report/table.h"

#include "base/alloc.h"
#include "base/ascii.h"
#include "report/human.h"
#include "report/wrap.h"

#include <stdlib.h>
#include <string.h>

enum cell_kind { CELL, NOTE, REMARK };

struct table_cell {
    size_t start, len, columns;
    enum cell_kind kind;
};

enum { GAP = 2, SHORTEST_CELL = 12, REMARK_INDENT = 4 };

static void add_cell(struct table *t, enum cell_kind kind)
{
    size_t len = t->content.len - t->cell_start;
    const char *s = len > 0 ? t->content.data + t->cell_start : "";
    t->cells = grow(t->cells, t->len, &t->cap, sizeof(*t->cells));
    t->cells[t->len++] =
        (struct table_cell){t->cell_start, len, printed_columns(s, len, t->ascii), kind};
    t->cell_start = t->content.len;
}

void table_end_cell(struct table *t)
{
    add_cell(t, CELL);
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
        if (t->cells[i].columns > widths[c])
            widths[c] = t->cells[i].columns;
        c = c + 1 < t->column_count ? c + 1 : 0;
    }
    size_t total = GAP * (t->column_count - 1);
    for (size_t c = 0; c < t->column_count; c++)
        total += widths[c];
    for (size_t c = t->column_count; width > 0 && total > width && c-- > 0;) {
        if (!t->columns[c].gives_way)
            continue;
        size_t excess = total - width, before = widths[c];
        size_t least = before < SHORTEST_CELL ? before : SHORTEST_CELL;
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

static void add_aligned(struct text *line, const struct table *t, size_t c, size_t width,
                        const char *s, size_t len)
{
    struct text cut = {0};
    human_shorten_name(&cut, s, len, width, t->ascii);
    size_t columns = cut.len > 0 ? printed_columns(cut.data, cut.len, t->ascii) : 0;
    size_t room = width > columns ? width - columns : 0;
    if (c > 0)
        pad(line, GAP);
    if (t->columns[c].align == ALIGN_RIGHT)
        pad(line, room);
    text_add(line, cut.data, cut.len);
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
        add_aligned(&line, t, c, widths[c], title, strlen(title));
    }
    if (any) {
        out_string(o, color ? "\033[2m" : "");
        while (line.len > 0 && line.data[line.len - 1] == ' ')
            line.len--;
        out_text(o, &line);
        out_string(o, color ? "\033[0m\n" : "\n");
    }
    text_free(&line);
}

/* Behind the row that ends line if both fit the width; else below it. */
static void add_remark(const struct table *t, struct text *line, struct out *o,
                       const char *s, size_t len, unsigned width)
{
    struct text words = {0};
    while (line->len > 0 && line->data[line->len - 1] == ' ')
        line->len--;
    size_t used = line->len > 0 ? printed_columns(line->data, line->len, t->ascii) : 0;
    text_add(&words, s, len);
    if (width == 0 || used + GAP + printed_columns(s, len, t->ascii) <= width) {
        pad(line, GAP);
        text_add(line, s, len);
    } else {
        end_line(line, o);
        pad(line, REMARK_INDENT);
        wrap_words(line, text_string(&words), REMARK_INDENT, REMARK_INDENT, width,
                   t->ascii);
    }
    text_free(&words);
}

void table_print(const struct table *t, struct out *o, unsigned width, bool color)
{
    size_t *widths = measure(t, width);
    print_titles(t, o, widths, color);
    struct text line = {0};
    for (size_t i = 0, c = 0; i < t->len; i++) {
        const struct table_cell *cell = &t->cells[i];
        const char *s = cell->len > 0 ? t->content.data + cell->start : "";
        if (cell->kind == CELL) {
            add_aligned(&line, t, c, widths[c], s, cell->len);
            c = c + 1 < t->column_count ? c + 1 : 0;
        } else if (cell->kind == NOTE) {
            text_add(&line, s, cell->len);
        } else {
            add_remark(t, &line, o, s, cell->len, width);
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
