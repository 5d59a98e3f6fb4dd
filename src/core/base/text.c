#include "base/text.h"

#include "base/alloc.h"

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
