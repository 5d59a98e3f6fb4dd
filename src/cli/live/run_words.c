#include "cli/live/run_words.h"

#include "cli/guard/allocate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *s, size_t len)
{
    char *copy = more(NULL, len + 1);
    memcpy(copy, s, len);
    copy[len] = '\0';
    return copy;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* --- attributes ---------------------------------------------------------------------- */

/* In place; false for a % without two digits, and for %00. */
static bool decode(char *s)
{
    char *to = s;
    while (*s != '\0') {
        if (*s != '%') {
            *to++ = *s++;
            continue;
        }
        int high = digit(s[1]), low = high >= 0 ? digit(s[2]) : -1;
        if (low < 0 || high + low == 0)
            return false;
        *to++ = (char)(high * 16 + low);
        s += 3;
    }
    *to = '\0';
    return true;
}

static char *trimmed(char *s)
{
    static const char blanks[] = " \t";
    s += strspn(s, blanks);
    size_t len = strlen(s);
    while (len > 0 && strchr(blanks, s[len - 1]) != NULL)
        s[--len] = '\0';
    return s;
}

/* A pair without a name is none; nothing at all is no pair. */
static bool take_attributes(char *text, take_pair *take, void *context)
{
    for (char *rest = text, *pair; (pair = strsep(&rest, ",")) != NULL;) {
        char *equals = strchr(pair, '=');
        if (trimmed(pair)[0] == '\0')
            continue;
        if (equals == NULL)
            return false;
        *equals = '\0';
        char *name = trimmed(pair), *value = trimmed(equals + 1);
        if (name[0] == '\0' || !decode(name) || !decode(value))
            return false;
        if (take != NULL)
            take(context, name, value);
    }
    return true;
}

bool run_words_attributes(const char *text, take_pair *take, void *context)
{
    char *copy = copy_of(text, strlen(text));
    bool ok = take_attributes(copy, NULL, NULL);
    memcpy(copy, text, strlen(text) + 1);
    if (ok)
        take_attributes(copy, take, context);
    free(copy);
    return ok;
}

/* --- labels -------------------------------------------------------------------------- */

static char *put_utf8(char *to, uint32_t code)
{
    const unsigned tail = 0x80, bits = 6, mask = 0x3F;
    if (code < tail) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> bits);
        *to++ = (char)(tail | (code & mask));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 2 * bits);
        *to++ = (char)(tail | (code >> bits & mask));
        *to++ = (char)(tail | (code & mask));
    } else {
        *to++ = (char)(0xF0 | code >> 3 * bits);
        *to++ = (char)(tail | (code >> 2 * bits & mask));
        *to++ = (char)(tail | (code >> bits & mask));
        *to++ = (char)(tail | (code & mask));
    }
    return to;
}

/* So many digits behind an escape's letter; false if they are not there. */
static bool read_digits(const char *s, unsigned count, uint32_t *code)
{
    *code = 0;
    for (unsigned i = 0; i < count; i++) {
        if (digit(s[i]) < 0)
            return false;
        *code = *code * 16 + (uint32_t)digit(s[i]);
    }
    return *code > 0 && *code < 0x110000;
}

/* What stands behind a backslash at *from, which moves behind it. */
static bool unescape(const char **from, char **to)
{
    static const char letters[] = "abfnrtv\\\"'", meanings[] = "\a\b\f\n\r\t\v\\\"'";
    char letter = *(*from)++;
    const char *simple = letter != '\0' ? strchr(letters, letter) : NULL;
    unsigned count = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    uint32_t code;
    if (simple != NULL) {
        *(*to)++ = meanings[simple - letters];
        return true;
    }
    if (count == 0 || !read_digits(*from, count, &code))
        return false;
    *from += count;
    if (letter == 'x')
        *(*to)++ = (char)code;
    else
        *to = put_utf8(*to, code);
    return true;
}

/* In place: from behind the first quote up to the last. */
static bool unquote(char *s)
{
    const char *from = s;
    char *to = s;
    while (*from != '"') {
        if (*from == '\0')
            return false;
        if (*from != '\\') {
            *to++ = *from++;
            continue;
        }
        from++;
        if (!unescape(&from, &to))
            return false;
    }
    *to = '\0';
    return true;
}

void run_words_labels(const char *text, take_pair *take, void *context)
{
    char *copy = copy_of(text, strlen(text));
    for (char *rest = copy, *line; (line = strsep(&rest, "\n")) != NULL;) {
        char *equals = strchr(line, '=');
        if (equals == NULL || equals == line || equals[1] != '"')
            continue;
        *equals = '\0';
        if (unquote(equals + 2))
            take(context, line, equals + 2);
    }
    free(copy);
}
