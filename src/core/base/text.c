#include "base/text.h"

#include "base/alloc.h"
#include "base/arrays.h"
#include "base/little_endian.h"
#include "heapdrift.h"

#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

void text_add(struct text *t, const void *bytes, size_t len)
{
    if (len == 0)
        return;
    if (len > t->cap - t->len) {
        size_t cap = t->cap > 0 ? t->cap : 64;
        while (cap - t->len < len)
            cap = array_bytes(cap, 2);
        t->data = alloc_resize(t->data, cap);
        t->cap = cap;
    }
    memcpy(t->data + t->len, bytes, len);
    t->len += len;
}

void text_add_char(struct text *t, char c)
{
    text_add(t, &c, 1);
}

void text_add_string(struct text *t, const char *s)
{
    text_add(t, s, strlen(s));
}

void text_add_code_point(struct text *t, uint32_t code)
{
    unsigned char bytes[4];
    text_add(t, bytes, (size_t)utf8proc_encode_char((utf8proc_int32_t)code, bytes));
}

static bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

size_t utf8_length(const unsigned char *s, size_t left)
{
    utf8proc_int32_t code;
    utf8proc_ssize_t cap = left < 4 ? (utf8proc_ssize_t)left : 4;
    utf8proc_ssize_t n = cap > 0 ? utf8proc_iterate(s, cap, &code) : 0;
    return n > 0 ? (size_t)n : 0;
}

uint32_t utf8_decode(const unsigned char *s, size_t n)
{
    utf8proc_int32_t code = 0;
    utf8proc_iterate(s, (utf8proc_ssize_t)n, &code);
    return (uint32_t)code;
}

bool utf8_is_lone_surrogate(const unsigned char *s, size_t left)
{
    return left >= 3 && s[0] == 0xED && s[1] >= 0xA0 && s[1] <= 0xBF && is_tail(s[2]);
}

bool utf8_is_damaged(const char *string)
{
    const unsigned char *s = (const unsigned char *)string;
    for (size_t left = strlen(string), n; left > 0; s += n, left -= n) {
        n = utf8_length(s, left);
        if (n == 0 && !utf8_is_lone_surrogate(s, left))
            return true;
        n = n > 0 ? n : 3;
    }
    return false;
}

size_t utf8_columns(const char *s, size_t len)
{
    size_t columns = 0;
    for (size_t i = 0, n; i<len; i += n> 0 ? n : 1) {
        const unsigned char *at = (const unsigned char *)s + i;
        n = utf8_length(at, len - i);
        columns +=
            n > 0 ? (size_t)utf8proc_charwidth((utf8proc_int32_t)utf8_decode(at, n)) : 1;
    }
    return columns;
}

void text_add_utf8(struct text *t, const void *bytes, size_t len)
{
    const unsigned char *s = bytes, *end = s + len;
    while (s < end) {
        size_t n = utf8_length(s, (size_t)(end - s));
        if (n > 0) {
            text_add(t, s, n);
            s += n;
            continue;
        }
        text_add_code_point(t, 0xFFFD);
        s += utf8_is_lone_surrogate(s, (size_t)(end - s)) ? 3 : 1;
    }
}

bool text_is_control(uint32_t code)
{
    static const uint32_t turns[] = {0x061C, 0x200E, 0x200F};
    bool turned = (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    for (size_t i = 0; i < sizeof(turns) / sizeof(*turns); i++)
        turned |= code == turns[i];
    return turned || code < 0x20 || (code >= 0x7F && code < 0xA0);
}

bool text_is_command(const char *s, size_t len, size_t i)
{
    static const char *const marks[] = {"##vso[", "##["};
    if (i == 0 || s[i - 1] == '\n' || s[i - 1] == '\r')
        return len - i >= 2 && memcmp(s + i, "::", 2) == 0;
    for (size_t m = 0; s[i] == '#' && m < sizeof(marks) / sizeof(*marks); m++)
        if (len - i + 1 >= strlen(marks[m]) &&
            memcmp(s + i - 1, marks[m], strlen(marks[m])) == 0)
            return true;
    return false;
}

static bool is_line(uint32_t code)
{
    return code == '\t' || code == '\n' || code == '\r';
}

void text_add_visible(struct text *t, const char *s, size_t len, bool keep_lines)
{
    for (size_t i = 0, n; i < len; i += n) {
        const unsigned char *at = (const unsigned char *)s + i;
        char escape[8];
        n = utf8_length(at, len - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        n = n > 0 ? n : 1;
        bool shown = is_line(code) ? keep_lines : !text_is_control(code);
        if (shown && !text_is_command(s, len, i)) {
            text_add(t, at, n);
        } else if (is_line(code)) {
            text_add_string(t, code == '\t' ? "\\t" : code == '\n' ? "\\n" : "\\r");
        } else {
            snprintf(escape, sizeof(escape), code > 0xFF ? "\\u%04x" : "\\x%02x", code);
            text_add_string(t, escape);
        }
    }
}

const char *text_string(struct text *t)
{
    text_add_char(t, '\0');
    t->len--;
    return t->data;
}

void text_free(struct text *t)
{
    free(t->data);
    *t = (struct text){0};
}

/* --- ascii ------------------------------------------------------------------------ */

/* Sorted by code point. The bars of a trend get darker as they get higher, which is how
 * pictures were made of letters: .:-=+*%# */
static const struct {
    uint32_t code;
    const char *plain;
} forms[] = {
    {0x00B1, "+/-"}, /* ± */
    {0x00B7, "."},   /* · */
    {0x00D7, "x"},   /* × */
    {0x0394, "+/-"}, /* Δ, of a column's title */
    {0x2013, "-"},   /* – */
    {0x2014, "-"},   /* — */
    {0x2022, "*"},   /* • */
    {0x2026, "..."}, /* … */
    {0x2190, "<-"},  /* ← */
    {0x2191, "^"},   /* ↑ */
    {0x2192, "->"},  /* → */
    {0x2193, "v"},   /* ↓ */
    {0x2212, "-"},   /* minus */
    {0x2248, "~"},   /* ≈ */
    {0x2264, "<="},  /* ≤ */
    {0x2265, ">="},  /* ≥ */
    {0x22EE, ":"},   /* ⋮ */
    {0x2500, "-"},   /* ─ */
    {0x2502, "|"},   /* │ */
    {0x2514, "`"},   /* └ */
    {0x251C, "|"},   /* ├ */
    {0x2581, "."},   /* ▁ to █: the bars of a trend */
    {0x2582, ":"},   {0x2583, "-"}, {0x2584, "="}, {0x2585, "+"}, {0x2586, "*"},
    {0x2587, "%"},   {0x2588, "#"}, {0x2589, "#"}, /* ▉ to ▏: the end of a horizontal bar */
    {0x258A, "="},   {0x258B, "="}, {0x258C, "="}, {0x258D, "-"}, {0x258E, "-"},
    {0x258F, "-"},   {0x2591, "."}, /* ░ */
    {0x25B2, "^"},                  /* ▲ */
    {0x25B6, ">"},                  /* ▶ */
    {0x25BC, "v"},                  /* ▼ */
    {0x25C0, "<"},                  /* ◀ */
    {0x2713, "+"},                  /* ✓ */
    {0x2717, "x"},                  /* ✗ */
};

static bool is_of_smaller(const void *all, size_t i, const void *code)
{
    (void)all;
    return forms[i].code < *(const uint32_t *)code;
}

enum { LONGEST_FORM = 16 };

/* Returns the ASCII form of the character at s, whose length is *used. */
static const char *form_at(const char *s, size_t left, size_t *used,
                           char buffer[LONGEST_FORM])
{
    const unsigned char *at = (const unsigned char *)s;
    size_t n = utf8_length(at, left);
    uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
    size_t count = sizeof(forms) / sizeof(*forms),
           found = search_first(forms, 0, count, is_of_smaller, &code);
    *used = n > 0 ? n : 1;
    if (found < count && forms[found].code == code)
        return forms[found].plain;
    snprintf(buffer, LONGEST_FORM, "\\u{%" PRIx32 "}", code);
    return buffer;
}

static bool is_ascii(char c)
{
    return ((unsigned char)c & 0x80) == 0;
}

void text_add_ascii(struct text *t, const char *s, size_t len)
{
    char buffer[LONGEST_FORM];
    for (size_t i = 0, n; i < len; i += n) {
        for (n = 0; i + n < len && is_ascii(s[i + n]); n++)
            ;
        text_add(t, s + i, n);
        if (n == 0)
            text_add_string(t, form_at(s + i, len - i, &n, buffer));
    }
}

size_t printed_columns(const char *s, size_t len, bool ascii)
{
    char buffer[LONGEST_FORM];
    size_t columns = 0;
    if (!ascii)
        return utf8_columns(s, len);
    for (size_t i = 0, n = 1; i < len; i += n) {
        n = 1;
        columns += is_ascii(s[i]) ? 1 : strlen(form_at(s + i, len - i, &n, buffer));
    }
    return columns;
}

/* --- utf16 ------------------------------------------------------------------------ */

enum { FIRST_OF_PAIRS = 0x10000, HIGH = 0xD800, LOW = 0xDC00, BITS = 10, MASK = 0x3FF };

uint32_t utf16_join(uint32_t high, uint32_t low)
{
    return FIRST_OF_PAIRS + ((high & MASK) << BITS) + (low & MASK);
}

void utf16_split(uint32_t code, uint32_t *high, uint32_t *low)
{
    *high = HIGH + ((code - FIRST_OF_PAIRS) >> BITS & MASK);
    *low = LOW + (code & MASK);
}

static uint32_t unit_at(const unsigned char *units, size_t i, enum utf16_order order)
{
    const unsigned char *p = units + 2 * i;
    return order == UTF16_LITTLE ? le_u16(p) : (uint32_t)(p[0] << 8 | p[1]);
}

void text_add_utf16(struct text *t, const unsigned char *units, size_t count,
                    enum utf16_order order)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t code = unit_at(units, i, order);
        uint32_t next =
            utf16_is_high(code) && i + 1 < count ? unit_at(units, i + 1, order) : 0;
        if (utf16_is_low(next)) {
            code = utf16_join(code, next);
            i++;
        }
        text_add_code_point(t, code);
    }
}

/* --- c locale --------------------------------------------------------------------- */

static locale_t c_locale;

static void make_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* For this thread only. Returns the previous locale. */
static locale_t c_locale_enter(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    /* The only reason that POSIX has for "C". */
    if (c_locale == (locale_t)0)
        out_of_memory(0);
    return uselocale(c_locale);
}

int c_vsnprintf(char *s, size_t size, const char *fmt, va_list args)
{
    locale_t before = c_locale_enter();
    int n = vsnprintf(s, size, fmt, args);
    uselocale(before);
    return n;
}

int c_snprintf(char *s, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = c_vsnprintf(s, size, fmt, args);
    va_end(args);
    return n;
}

double c_strtod(const char *s, char **end)
{
    locale_t before = c_locale_enter();
    double value = strtod(s, end);
    uselocale(before);
    return value;
}

bool ascii_is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool ascii_same_word(const char *a, const char *b)
{
    while (*a != '\0' && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return lower(*a) == lower(*b);
}

/* --- word ------------------------------------------------------------------------- */

static bool is_escaped(unsigned char c)
{
    return c <= ' ' || c > '~' || c == '%'; /* in any locale */
}

void text_add_word(struct text *t, const char *name)
{
    for (; *name != '\0'; name++) {
        unsigned char c = (unsigned char)*name;
        char escaped[4] = {(char)c};
        if (is_escaped(c))
            snprintf(escaped, sizeof(escaped), "%%%02x", c);
        text_add_string(t, escaped);
    }
}

size_t text_word_length(const char *name, size_t len)
{
    size_t bytes = len;
    for (size_t i = 0; i < len; i++)
        bytes += is_escaped((unsigned char)name[i]) ? 2 : 0;
    return bytes;
}

/* Returns 16 if c is not a hexadecimal digit. */
static unsigned hex_digit(char c)
{
    static const char hex[] = "0123456789abcdef0123456789ABCDEF";
    const char *at = c != '\0' ? strchr(hex, c) : NULL;
    return at != NULL ? (unsigned)(at - hex) % 16 : 16;
}

char text_take_char(const char **at, const char *end)
{
    const char *c = (*at)++;
    unsigned high = *c == '%' && end - c >= 3 ? hex_digit(c[1]) : 16;
    unsigned low = high < 16 ? hex_digit(c[2]) : 16, byte = high * 16 + low;
    if (low == 16 || byte == 0)
        return *c;
    *at = c + 3;
    return (char)byte;
}

/* --- path ------------------------------------------------------------------------- */

const char *path_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

bool path_ends_in(const char *path, const char *end)
{
    size_t len = strlen(path), tail = strlen(end);
    return len >= tail && strcmp(path + len - tail, end) == 0;
}

/* --- nearest ---------------------------------------------------------------------- */

/* The nearest right word for a mistyped one: of options, commands, keys of heapdrift.yml.
 */

enum { LONGEST_WORD = 40 };

/* Insertions, deletions, replacements, swaps of neighbours (the restricted
 * Damerau-Levenshtein distance). */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return LONGEST_WORD;
    size_t rows[3][LONGEST_WORD + 1];
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3],
               *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *hd_nearest_word(const char *word, const char *const *all)
{
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* more is another word */
    for (; *all != NULL; all++) {
        size_t d = distance(word, *all);
        if (d < least) {
            least = d;
            best = *all;
        }
    }
    return best;
}
