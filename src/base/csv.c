#include "base/csv.h"

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
