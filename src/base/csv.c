#include "base/csv.h"

#include <string.h>

bool csv_looks_like_formula(const char *s, size_t len)
{
    size_t quotes = 0;
    while (quotes < len && s[quotes] == '\'')
        quotes++;
    return quotes < len && s[quotes] != '\0' && strchr("=+-@", s[quotes]) != NULL;
}

void csv_add_clean(struct text *t, const char *value)
{
    if (csv_looks_like_formula(value, strlen(value)))
        text_add_char(t, '\'');
    text_add_utf8(t, value, strlen(value));
}

void csv_add_cell(struct text *t, const char *value)
{
    struct text clean = {0};
    csv_add_clean(&clean, value);
    if (strpbrk(text_string(&clean), ",\"\r\n") == NULL) {
        text_add(t, clean.data, clean.len);
    } else {
        text_add_char(t, '"');
        for (size_t i = 0; i < clean.len; i++) {
            if (clean.data[i] == '"')
                text_add_char(t, '"');
            text_add_char(t, clean.data[i]);
        }
        text_add_char(t, '"');
    }
    text_free(&clean);
}
