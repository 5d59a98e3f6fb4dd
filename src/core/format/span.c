#include "format/span.h"

#include <string.h>

/* --- lines and words ----------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct lines lines_of(struct span text)
{
    return (struct lines){.at = text.data, .end = text.data + text.len};
}

bool lines_next(struct lines *l, struct span *line)
{
    if (l->at == l->end)
        return false;
    const char *start = l->at;
    const char *stop = memchr(start, '\n', (size_t)(l->end - start));
    l->at = stop != NULL ? stop + 1 : l->end;
    if (stop == NULL)
        stop = l->end;
    if (stop > start && stop[-1] == '\r')
        stop--;
    *line = (struct span){start, (size_t)(stop - start)};
    l->number++;
    return true;
}

struct span first_line(struct span text)
{
    struct lines l = lines_of(text);
    struct span line;
    while (lines_next(&l, &line))
        if (span_trim(line).len > 0)
            return span_trim(line);
    return (struct span){"", 0};
}

char first_byte(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_blank(text.data[i]) && text.data[i] != '\r' && text.data[i] != '\n')
            return text.data[i];
    return '\0';
}

struct span span_trim(struct span s)
{
    while (s.len > 0 && is_blank(s.data[0])) {
        s.data++;
        s.len--;
    }
    while (s.len > 0 && is_blank(s.data[s.len - 1]))
        s.len--;
    return s;
}

struct span span_word(struct span *rest)
{
    size_t start = 0;
    while (start < rest->len && is_blank(rest->data[start]))
        start++;
    size_t end = start;
    while (end < rest->len && !is_blank(rest->data[end]))
        end++;
    struct span word = {rest->data + start, end - start};
    rest->data += end;
    rest->len -= end;
    return word;
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

static bool equal_nocase(const char *a, const char *b, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (lower(a[i]) != lower(b[i]))
            return false;
    return true;
}

bool span_is(struct span s, const char *text)
{
    return s.len == strlen(text) && memcmp(s.data, text, s.len) == 0;
}

bool span_is_nocase(struct span s, const char *text)
{
    return s.len == strlen(text) && equal_nocase(s.data, text, s.len);
}

bool span_begins(struct span s, const char *text)
{
    return s.len >= strlen(text) && memcmp(s.data, text, strlen(text)) == 0;
}

bool span_ends(struct span s, const char *text)
{
    size_t len = strlen(text);
    return s.len >= len && memcmp(s.data + s.len - len, text, len) == 0;
}

bool span_contains_nocase(struct span s, const char *text)
{
    size_t len = strlen(text);
    for (size_t i = 0; i + len <= s.len; i++)
        if (equal_nocase(s.data + i, text, len))
            return true;
    return false;
}

bool span_has_words(struct span line, const char *words)
{
    struct span wanted = {words, strlen(words)};
    for (;;) {
        struct span a = span_word(&line), b = span_word(&wanted);
        if (a.len != b.len || memcmp(a.data, b.data, a.len) != 0)
            return false;
        if (a.len == 0)
            return true;
    }
}

/* --- numbers ------------------------------------------------------------- */

enum { MAX_DIGITS = 20 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* False when value no longer fits. */
static bool add_digit(uint64_t *value, char c)
{
    uint64_t digit = (uint64_t)(c - '0');
    if (*value > (UINT64_MAX - digit) / 10)
        return false;
    *value = *value * 10 + digit;
    return true;
}

bool span_number(struct span s, uint64_t *value)
{
    *value = 0;
    if (s.len == 0 || s.len > MAX_DIGITS)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!is_digit(s.data[i]) || !add_digit(value, s.data[i]))
            return false;
    return true;
}

/* Returns the group separator at the start of s, or an empty span. */
static struct span separator(struct span s)
{
    static const char *const known[] = {",", ".", "'", u8"\u2019", u8"\u00A0", u8"\u202F"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (span_begins(s, known[i]))
            return (struct span){s.data, strlen(known[i])};
    return (struct span){s.data, 0};
}

/* Parses the digits at the front of s into value; returns their number, or 0 if they do not
 * fit. */
static size_t parse_digits(struct span *s, uint64_t *value)
{
    size_t n = 0;
    for (; n < s->len && is_digit(s->data[n]); n++)
        if (!add_digit(value, s->data[n]))
            return 0;
    s->data += n;
    s->len -= n;
    return n;
}

bool span_grouped_number(struct span s, uint64_t *value)
{
    if (span_number(s, value))
        return true;
    *value = 0;
    size_t group = parse_digits(&s, value);
    if (group < 1 || group > 3)
        return false;
    struct span sep = separator(s);
    if (sep.len == 0)
        return false;
    while (s.len > 0) {
        if (s.len < sep.len || memcmp(s.data, sep.data, sep.len) != 0)
            return false;
        s.data += sep.len;
        s.len -= sep.len;
        group = parse_digits(&s, value);
        if (group < 2 || group > 3)
            return false;
    }
    return group == 3;
}

/* --- messages ------------------------------------------------------------ */

struct excerpt excerpt_of(struct span s)
{
    enum { MAX_BYTES = 40 };
    struct excerpt e = {{0}};
    size_t len = 0, i = 0;
    while (i < s.len) {
        const unsigned char *at = (const unsigned char *)s.data + i;
        size_t n = utf8_length(at, s.len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0;
        bool printable = code >= 0x20 && (code < 0x7F || code > 0x9F);
        size_t width = printable ? n : 1;
        if (len + width > MAX_BYTES)
            break;
        if (printable)
            memcpy(e.text + len, at, n);
        else
            e.text[len] = '?';
        len += width;
        i += n > 0 ? n : 1;
    }
    if (i < s.len)
        memcpy(e.text + len, "...", 3);
    return e;
}
