#include "render/csv_writer.h"

#include "base/csv.h"

#include <inttypes.h>

void csv_begin_cell(struct csv_writer *s)
{
    if (s->in_row)
        out_string(s->out, s->tabs ? "\t" : ",");
    s->in_row = true;
}

void csv_end_row(struct csv_writer *s)
{
    out_string(s->out, "\n");
    s->in_row = false;
}

/* TSV has no quotes: what would end a cell is escaped. */
static void add_escaped(struct text *t, const char *s, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (s[i] == '\t' || s[i] == '\n' || s[i] == '\r')
            text_add_string(t, s[i] == '\t' ? "\\t" : s[i] == '\n' ? "\\n" : "\\r");
        else if (s[i] == '\\')
            text_add_string(t, "\\\\");
        else
            text_add_char(t, s[i]);
    }
}

void csv_cell(struct csv_writer *s, const char *value)
{
    struct text cell = {0}, clean = {0}, line = {0};
    if (s->tabs) {
        csv_add_clean(&clean, value);
        add_escaped(&line, clean.data, clean.len);
        text_add_visible(&cell, line.data, line.len, false);
    } else {
        csv_add_cell(&cell, value);
    }
    csv_begin_cell(s);
    out_text(s->out, &cell);
    text_free(&line);
    text_free(&clean);
    text_free(&cell);
}

void csv_number(struct csv_writer *s, uint64_t n)
{
    csv_begin_cell(s);
    if (n != HD_UNKNOWN)
        out_printf(s->out, "%" PRIu64, n);
}

void csv_share(struct csv_writer *s, double share)
{
    csv_begin_cell(s);
    out_printf(s->out, "%.6g", share);
}

void csv_optional(struct csv_writer *s, const char *value)
{
    csv_cell(s, value != NULL ? value : "");
}

void csv_titles(struct csv_writer *s, const char *const *titles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        csv_cell(s, titles[i]);
    csv_end_row(s);
}
