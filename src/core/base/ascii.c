#include "base/ascii.h"

#include "base/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
    {0x2587, "%"},   {0x2588, "#"}, {0x2589, "#"}, /* ▉ to ▏: the end of a bar that lies */
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

/* The form of the character at s, of which *used bytes are it. */
static const char *form_at(const char *s, size_t left, size_t *used,
                           char room[LONGEST_FORM])
{
    const unsigned char *at = (const unsigned char *)s;
    size_t n = utf8_length(at, left);
    uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
    size_t count = sizeof(forms) / sizeof(*forms),
           found = search_first(forms, 0, count, is_of_smaller, &code);
    *used = n > 0 ? n : 1;
    if (found < count && forms[found].code == code)
        return forms[found].plain;
    snprintf(room, LONGEST_FORM, "\\u{%" PRIx32 "}", code);
    return room;
}

static bool is_ascii(char c)
{
    return ((unsigned char)c & 0x80) == 0;
}

void text_add_ascii(struct text *t, const char *s, size_t len)
{
    char room[LONGEST_FORM];
    for (size_t i = 0, n; i < len; i += n) {
        for (n = 0; i + n < len && is_ascii(s[i + n]); n++)
            ;
        text_add(t, s + i, n);
        if (n == 0)
            text_add_string(t, form_at(s + i, len - i, &n, room));
    }
}

size_t printed_columns(const char *s, size_t len, bool ascii)
{
    char room[LONGEST_FORM];
    size_t columns = 0;
    if (!ascii)
        return utf8_columns(s, len);
    for (size_t i = 0, n = 1; i < len; i += n) {
        n = 1;
        columns += is_ascii(s[i]) ? 1 : strlen(form_at(s + i, len - i, &n, room));
    }
    return columns;
}
