#include "render/wrap.h"

#include "base/ascii.h"
#include "heap/place.h"
#include "report/format_units.h"

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

enum { ARROW = sizeof(HOLDER_ARROW) - 1 };

static bool is_arrow(const char *line, size_t len, size_t i)
{
    return i + ARROW <= len && memcmp(line + i, HOLDER_ARROW, ARROW) == 0;
}

size_t wrap_count_arrows(const char *line, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += is_arrow(line, len, i);
    return count;
}

/* Its arrow keeps the colour of the line. */
static void add_element(struct text *t, const char *s, size_t len, const char *color)
{
    size_t lead = is_arrow(s, len, 0) ? ARROW : 0;
    if (lead == 0 && len >= ARROW - 1 && memcmp(s, &HOLDER_ARROW[1], ARROW - 1) == 0)
        lead = ARROW - 1;
    text_add(t, s, lead);
    text_add_string(t, color);
    text_add(t, s + lead, len - lead);
    text_add_string(t, color[0] != '\0' ? "\033[0m" : "");
}

void wrap_arrows(struct text *t, const char *line, size_t len, struct wrap_room room,
                 const char *const *colors)
{
    struct text element = {0};
    size_t column = room.column, number = 0;
    for (size_t i = 0, end; i < len; i = end, number++) {
        for (end = i + 1; end < len && !is_arrow(line, len, end);)
            end++;
        size_t piece = printed_columns(line + i, end - i, room.ascii);
        if (room.width > 0 && column > room.indent && column + piece > room.width) {
            wrap_break(t, room.indent);
            column = room.indent;
            bool blank = line[i] == ' ';
            i += blank;
            piece -= blank;
        }
        size_t left =
            room.width > column + SHORTEST_PIECE ? room.width - column : SHORTEST_PIECE;
        text_clear(&element);
        format_shorten_name(&element, line + i, end - i,
                            room.width > 0 && room.is_hard ? left : piece, room.ascii);
        add_element(t, text_string(&element), element.len,
                    colors != NULL ? colors[number] : "");
        column += piece;
    }
    text_free(&element);
}

/* "3.31 MiB", "66 %", "0 → 6,000": no line ends within a number. */
static bool is_one(const char *words, const char *blank)
{
    static const char *const units[] = {"%", "B", "KiB", "MiB", "GiB", "TiB", "→"};
    const char *next = blank + 1;
    bool after_arrow = blank - words >= 3 && memcmp(blank - 3, "→", 3) == 0;
    if (after_arrow)
        return *next >= '0' && *next <= '9';
    if (blank == words || blank[-1] < '0' || blank[-1] > '9')
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
        size_t len = strlen(units[i]);
        if (strncmp(next, units[i], len) == 0 && strchr(" ,.;:)", next[len]) != NULL)
            return true;
    }
    return false;
}

void wrap_words(struct text *t, const char *words, size_t column, size_t indent,
                unsigned width, bool ascii)
{
    const char *begin = words;
    for (const char *end; *words != '\0'; words = end + (*end == ' ')) {
        end = words + strcspn(words, " ");
        while (*end == ' ' && is_one(begin, end))
            end += 1 + strcspn(end + 1, " ");
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
