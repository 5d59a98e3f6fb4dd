#include "report/wrap.h"

#include "base/ascii.h"
#include "report/human.h"

#include <string.h>

/* A frame that is cut for a narrow terminal keeps at least this. */
enum { SHORTEST_PIECE = 20 };

void wrap_break(struct text *t, size_t indent)
{
    while (t->len > 0 && t->data[t->len - 1] == ' ')
        t->len--;
    text_add_char(t, '\n');
    for (size_t column = 0; column < indent; column++)
        text_add_char(t, ' ');
}

void wrap_arrows(struct text *t, const char *line, size_t len, size_t column, size_t indent,
                 unsigned width, bool ascii)
{
    static const char arrow[] = " → ";
    const size_t arrow_len = sizeof(arrow) - 1;
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i + 1; end < len; end++)
            if (end + arrow_len <= len && memcmp(line + end, arrow, arrow_len) == 0)
                break;
        size_t piece = printed_columns(line + i, end - i, ascii);
        if (width > 0 && column > indent && column + piece > width) {
            wrap_break(t, indent);
            column = indent;
            bool blank = line[i] == ' ';
            i += blank;
            piece -= blank;
        }
        size_t room = width > column + SHORTEST_PIECE ? width - column : SHORTEST_PIECE;
        human_shorten_name(t, line + i, end - i, width > 0 ? room : piece, ascii);
        column += piece;
    }
}

void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii)
{
    for (const char *end; *words != '\0'; words = end + (*end == ' ')) {
        end = words + strcspn(words, " ");
        size_t word = printed_columns(words, (size_t)(end - words), ascii);
        if (width > 0 && column > indent && column + word > width) {
            wrap_break(t, indent);
            column = indent;
        }
        text_add(t, words, (size_t)(end - words));
        if (*end == ' ')
            text_add_char(t, ' ');
        column += word + 1;
    }
}
