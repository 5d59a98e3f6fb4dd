#include "heap/builds.h"

#include <stdbool.h>
#include <string.h>

/* What stands in front of a number that means nothing. */
static const struct {
    const char *before;
    bool hex;
} numbered[] = {
    {"__DisplayClass", false}, {">d__", false},          {">b__", false},
    {"<>9__", false},          {"AnonymousType", false}, {"Proxy_", false},
    {"TypeID(0x", true},       {"Type(0x", true},        {"UNKNOWN 0x", true},
};

static bool is_digit(char c, bool hex)
{
    return (c >= '0' && c <= '9') ||
           (hex && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

/* Which of them ends in the len bytes at s; -1 for none. */
static int ends_in(const char *s, size_t len)
{
    for (size_t i = 0; i < sizeof(numbered) / sizeof(*numbered); i++) {
        size_t n = strlen(numbered[i].before);
        if (n <= len && memcmp(s + len - n, numbered[i].before, n) == 0)
            return (int)i;
    }
    /* A lambda's method, alone. */
    return len == 3 && memcmp(s, "b__", 3) == 0 ? 2 : -1;
}

/* Digits, and after "_" more digits: 12_0. */
static size_t fold_numbers(struct text *out, const char *s, size_t len, bool hex)
{
    size_t at = 0;
    for (;;) {
        size_t start = at;
        while (at < len && is_digit(s[at], hex))
            at++;
        if (at > start)
            text_add_char(out, '#');
        if (at == start || at + 1 >= len || s[at] != '_' || !is_digit(s[at + 1], hex))
            return at;
        text_add_char(out, '_');
        at++;
    }
}

void builds_fold(struct text *out, const char *name, size_t len)
{
    for (size_t i = 0; i < len;) {
        int which = is_digit(name[i], true) ? ends_in(name, i) : -1;
        size_t folded =
            which >= 0 ? fold_numbers(out, name + i, len - i, numbered[which].hex) : 0;
        if (folded == 0)
            text_add_char(out, name[i++]);
        i += folded;
    }
}
