#include "base/csv.h"

#include "base/c_locale.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool csv_needs_apostrophe(const char *s, size_t len)
{
    size_t quotes = 0;
    while (quotes < len && s[quotes] == '\'')
        quotes++;
    if (quotes == len || s[quotes] == '\0')
        return false;
    bool command = len - quotes >= 2 && memcmp(s + quotes, "::", 2) == 0;
    return command || strchr("=+-@\t\r", s[quotes]) != NULL;
}

void csv_add_clean(struct text *t, const char *value)
{
    if (csv_needs_apostrophe(value, strlen(value)))
        text_add_char(t, '\'');
    text_add_utf8(t, value, strlen(value));
}

void csv_add_cell(struct text *t, const char *value)
{
    struct text clean = {0}, cell = {0};
    csv_add_clean(&clean, value);
    if (strpbrk(text_string(&clean), ",\"\r\n") == NULL) {
        text_add(&cell, clean.data, clean.len);
    } else {
        text_add_char(&cell, '"');
        for (size_t i = 0; i < clean.len; i++) {
            if (clean.data[i] == '"')
                text_add_char(&cell, '"');
            text_add_char(&cell, clean.data[i]);
        }
        text_add_char(&cell, '"');
    }
    text_add_visible(t, cell.data, cell.len, true);
    text_free(&clean);
    text_free(&cell);
}

/* --- tables ------------------------------------------------------------------------ */

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

void csv_real(struct csv_writer *s, double x)
{
    char number[40];
    csv_begin_cell(s);
    if (isnan(x))
        return;
    c_snprintf(number, sizeof(number), "%.15g", x);
    out_string(s->out, number);
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
