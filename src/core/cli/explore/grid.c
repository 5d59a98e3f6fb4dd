#include "cli/explore/explore.h"

#include "cli/guard/allocate.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

void grid_begin(struct grid *g, unsigned width, unsigned height)
{
    g->width = width;
    g->height = height;
    g->len = 0;
    g->text.size = 0;
    grid_line(g, 0, false);
}

void grid_free(struct grid *g)
{
    free(g->pieces);
    hd_memory_free(&g->text);
    *g = (struct grid){0};
}

void grid_line(struct grid *g, unsigned line, bool chosen)
{
    g->line = line;
    g->column = 0;
    g->chosen = chosen;
}

unsigned grid_left(const struct grid *g)
{
    return g->column < g->width ? g->width - g->column : 0;
}

/* --- columns --------------------------------------------------------------------- */

size_t grid_fit(const char *text, unsigned columns, unsigned *used)
{
    size_t len = strlen(text), end = 0;
    *used = 0;
    while (end < len) {
        utf8proc_int32_t code;
        utf8proc_ssize_t got = utf8proc_iterate((const utf8proc_uint8_t *)text + end,
                                                (utf8proc_ssize_t)(len - end), &code);
        unsigned wide = got > 0 ? (unsigned)utf8proc_charwidth(code) : 1;
        if (*used + wide > columns)
            break;
        *used += wide;
        end += got > 0 ? (size_t)got : 1;
    }
    return end;
}

unsigned grid_columns(const char *text)
{
    unsigned used;
    grid_fit(text, UINT32_MAX / 2, &used);
    return used;
}

/* --- pieces ---------------------------------------------------------------------- */

static void add_bytes(struct grid *g, const char *bytes, size_t len)
{
    struct hd_sink to = hd_sink_memory(&g->text);
    if (len > 0)
        to.write(to.context, bytes, len);
}

static void add_blanks(struct grid *g, unsigned count)
{
    for (; count > 0; count--)
        add_bytes(g, " ", 1);
}

void grid_put(struct grid *g, enum look look, const char *text, unsigned columns,
              enum align align)
{
    unsigned used, left = grid_left(g);
    columns = columns < left ? columns : left;
    if (columns == 0 || g->line >= g->height)
        return;
    if (g->len == g->cap) {
        g->cap = g->cap > 0 ? 2 * g->cap : 256;
        g->pieces = more(g->pieces, g->cap * sizeof(*g->pieces));
    }
    struct grid_piece *p = &g->pieces[g->len++];
    *p = (struct grid_piece){g->line, g->column, columns, look, g->chosen, g->text.size, 0};
    g->column += columns;
    size_t fit = grid_fit(text, columns, &used);
    bool cut = text[fit] != '\0';
    if (cut)
        fit = grid_fit(text, columns - 1, &used);
    unsigned blanks = columns - used - cut;
    if (align == ALIGN_RIGHT)
        add_blanks(g, blanks);
    add_bytes(g, text, fit);
    if (cut)
        add_bytes(g, "…", strlen("…"));
    if (align == ALIGN_LEFT)
        add_blanks(g, blanks);
    p->len = g->text.size - p->begin;
}

void grid_add(struct grid *g, enum look look, const char *text)
{
    grid_put(g, look, text, grid_columns(text), ALIGN_LEFT);
}

void grid_end_line(struct grid *g, enum look look)
{
    grid_put(g, look, "", grid_left(g), ALIGN_LEFT);
}

/* --- paragraphs ------------------------------------------------------------------ */

/* Returns the bytes of text for a line of `columns`: up to a blank, if there is one. */
static size_t fit_words(const char *text, unsigned columns)
{
    unsigned used;
    size_t fit = grid_fit(text, columns, &used), cut = fit;
    while (text[fit] != '\0' && cut > 0 && text[cut] != ' ')
        cut--;
    return cut > 0 ? cut : fit > 0 ? fit : strlen(text);
}

/* Returns the columns of a line after its indent; the last one of the screen is unused. */
static unsigned width_after(unsigned indent, unsigned width)
{
    return width > indent + 2 ? width - indent - 1 : 1;
}

static const char *next_words(const char *text, size_t fit)
{
    for (text += fit; *text == ' ';)
        text++;
    return text;
}

unsigned grid_paragraph_lines(const struct paragraph *p, unsigned width)
{
    unsigned lines = 0, indent = p->first;
    for (const char *s = p->text; *s != '\0'; lines++, indent = p->others)
        s = next_words(s, fit_words(s, width_after(indent, width)));
    return lines;
}

unsigned grid_paragraph(struct grid *g, const struct paragraph *p, unsigned line,
                        unsigned end)
{
    const char *text = p->text;
    for (unsigned indent = p->first; *text != '\0' && line < end; indent = p->others) {
        unsigned available = width_after(indent, g->width);
        size_t fit = line + 1 < end ? fit_words(text, available) : strlen(text);
        char *part = more(NULL, fit + 1);
        memcpy(part, text, fit);
        part[fit] = '\0';
        grid_line(g, line++, false);
        if (text == p->text) {
            const char *label = p->label != NULL ? p->label : "";
            unsigned margin = indent > 0;
            grid_put(g, LOOK_PLAIN, "", margin, ALIGN_LEFT);
            grid_put(g, p->label_look, label, grid_columns(label), ALIGN_LEFT);
            unsigned used = margin + grid_columns(label);
            grid_put(g, LOOK_PLAIN, "", indent > used ? indent - used : 0, ALIGN_LEFT);
        } else {
            grid_put(g, LOOK_PLAIN, "", indent, ALIGN_LEFT);
        }
        grid_put(g, p->look, part, available, ALIGN_LEFT);
        free(part);
        text = next_words(text, fit);
    }
    return line;
}
