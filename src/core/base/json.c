#include "base/json.h"

#include "base/alloc.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

/* --- json out --------------------------------------------------------------------- */

json_t *json_string_or_null(const char *s)
{
    if (s == NULL)
        return json_null();
    struct text t = {0};
    text_add_utf8(&t, s, strlen(s));
    json_t *value = json_stringn_nocheck(t.len > 0 ? t.data : "", t.len);
    text_free(&t);
    return value;
}

json_t *json_number_or_null(uint64_t n)
{
    if (n == HD_UNKNOWN)
        return json_null();
    /* Larger than any heap; jansson's integers are signed. */
    return n <= INT64_MAX ? json_integer((json_int_t)n) : json_real((double)n);
}

bool json_parse_uint64(const json_t *value, uint64_t *n)
{
    *n = HD_UNKNOWN;
    if (json_is_null(value))
        return true;
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *n = (uint64_t)json_integer_value(value);
    return true;
}

json_t *json_real_or_null(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_numbers(const uint64_t *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_number_or_null(all[i]));
    return array;
}

json_t *json_reals(const double *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_real_or_null(all[i]));
    return array;
}

json_t *json_strings(const char *const *all, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_append(array, json_string_or_null(all[i]));
    return array;
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new_nocheck(object, key, value) != 0)
        out_of_memory(0);
}

void json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        out_of_memory(0);
}

static int write_piece(const char *piece, size_t size, void *out)
{
    struct out *o = out;
    /* JSON allows DEL, C1, bidirectional controls and "##vso[" as they are; but a terminal
     * or a build server may read the output. Escaped, the names stay the same. C0 is
     * escaped already, and jansson splits no character and no command. */
    size_t written = 0;
    for (size_t i = 0, n; i < size; i += n) {
        n = 1;
        if (piece[i] > 0 && piece[i] < 0x7F && piece[i] != '#')
            continue;
        const unsigned char *at = (const unsigned char *)piece + i;
        n = utf8_length(at, size - i);
        uint32_t code = n > 0 ? utf8_decode(at, n) : 0xFFFD;
        n = n > 0 ? n : 1;
        if (code == '#' ? !text_is_command(piece, size, i) : !text_is_control(code))
            continue;
        out_bytes(o, piece + written, i - written);
        out_printf(o, "\\u%04X", code);
        written = i + n;
    }
    out_bytes(o, piece + written, size - written);
    return o->failed != 0 ? -1 : 0;
}

void json_write_with(json_t *value, struct out *o, json_dump_callback_t piece, size_t flags)
{
    if (json_dump_callback(value, piece, o, flags) != 0 && o->failed == 0)
        out_of_memory(0);
    json_decref(value);
}

static void write_value(json_t *value, struct out *o, size_t flags)
{
    json_write_with(value, o, write_piece, flags);
}

void json_write_line(json_t *value, struct out *o)
{
    write_value(value, o, 0);
}

void json_write_string(const char *s, struct out *o)
{
    write_value(json_string_or_null(s), o, JSON_ENCODE_ANY);
}

void json_write(json_t *value, struct out *o)
{
    write_value(value, o, JSON_INDENT(1));
    out_string(o, "\n");
}

/* --- json scan -------------------------------------------------------------------- */

struct json_scan json_scan_over(struct bytes bytes, struct hd_error *err)
{
    return (struct json_scan){.at = cursor_over(bytes, err)};
}

void json_scan_free(struct json_scan *j)
{
    text_free(&j->string);
}

/* Returns the next byte after blanks; -1 at the end and after a failure. */
static int json_scan_next(struct json_scan *j)
{
    if (j->at.failed)
        return -1;
    struct cursor *c = &j->at;
    while (c->at < c->end &&
           (*c->at == ' ' || *c->at == '\n' || *c->at == '\t' || *c->at == '\r'))
        c->at++;
    return cursor_peek(&j->at);
}

static bool expected(struct json_scan *j, const char *what)
{
    if (cursor_left(&j->at) == 0)
        return cursor_fail(&j->at, "the file ends here, incomplete");
    return cursor_fail(&j->at, "expected %s here", what);
}

static bool json_scan_take(struct json_scan *j, char c, const char *what)
{
    if (json_scan_next(j) != c)
        return expected(j, what);
    j->at.at++;
    return true;
}

bool json_scan_enter(struct json_scan *j, char bracket)
{
    return json_scan_take(j, bracket, bracket == '{' ? "{" : "[");
}

bool json_scan_more(struct json_scan *j, char end, bool first)
{
    if (json_scan_next(j) == end) {
        j->at.at++;
        return false;
    }
    return first ? json_scan_ok(j)
                 : json_scan_take(j, ',', end == '}' ? ", or }" : ", or ]");
}

bool json_scan_name(struct json_scan *j)
{
    return json_scan_next(j) == '"' ? json_scan_string(j) && json_scan_take(j, ':', ":")
                                    : expected(j, "the name of a member");
}

static bool take_word(struct json_scan *j, const char *word)
{
    size_t len = strlen(word);
    if (cursor_left(&j->at) < len || memcmp(j->at.at, word, len) != 0)
        return false;
    j->at.at += len;
    return true;
}

uint64_t json_scan_number(struct json_scan *j)
{
    int first = json_scan_next(j);
    const unsigned char *at = j->at.at, *end = j->at.end;
    uint64_t n = 0;
    if (first == 'n' && take_word(j, "null"))
        return HD_UNKNOWN;
    if (first < '0' || first > '9')
        return expected(j, "a whole number"), HD_UNKNOWN;
    for (; at < end && *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (n > (HD_UNKNOWN - 1 - digit) / 10)
            return cursor_fail(&j->at, "this number is too large"), HD_UNKNOWN;
        n = n * 10 + digit;
    }
    if (at < end && (*at == '.' || *at == 'e' || *at == 'E'))
        return expected(j, "a whole number"), HD_UNKNOWN;
    j->at.at = at;
    return n;
}

size_t json_scan_numbers(struct json_scan *j, uint64_t *to, size_t capacity)
{
    enum { DIGITS = 18 }; /* that surely fit 64 bits */
    const unsigned char *at = j->at.at, *end = j->at.end;
    size_t len = 0;
    while (len < capacity && !j->at.failed && end - at > DIGITS + 2 && at[0] == ',') {
        const unsigned char *digit = at + 1;
        uint64_t n = 0;
        while (digit - at <= DIGITS && *digit >= '0' && *digit <= '9')
            n = n * 10 + (uint64_t)(*digit++ - '0');
        if (digit == at + 1 || (*digit != ',' && *digit != ']'))
            break;
        to[len++] = n;
        at = digit;
    }
    j->at.at = at;
    return len;
}

double json_scan_real(struct json_scan *j)
{
    enum { MAX_DIGITS = 40 };
    char number[MAX_DIGITS + 1];
    size_t len = 0;
    int first = json_scan_next(j);
    if (first == 'n' && take_word(j, "null"))
        return NAN;
    while (len < MAX_DIGITS && len < cursor_left(&j->at) && j->at.at[len] != '\0' &&
           strchr("+-0123456789.eE", j->at.at[len]) != NULL)
        len++;
    if (first != '-' && (first < '0' || first > '9'))
        return expected(j, "a number"), NAN;
    memcpy(number, j->at.at, len);
    number[len] = '\0';
    char *end;
    double x = c_strtod(number, &end);
    if (*end != '\0' || !isfinite(x))
        return expected(j, "a number"), NAN;
    j->at.at += len;
    return x;
}

bool json_scan_truth(struct json_scan *j)
{
    int first = json_scan_next(j);
    if (first == 't' && take_word(j, "true"))
        return true;
    if (first != 'f' || !take_word(j, "false"))
        expected(j, "true or false");
    return false;
}

/* --- strings ------------------------------------------------------------------- */

static int hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses four hexadecimal digits; NONE, more than 16 bits, on failure. */
static uint32_t parse_unit(struct json_scan *j)
{
    enum { DIGITS = 4, NONE = 1 << 16 };
    uint32_t unit = 0;
    if (cursor_left(&j->at) < DIGITS)
        return NONE;
    for (int i = 0; i < DIGITS; i++) {
        int digit = hex_digit(j->at.at[i]);
        if (digit < 0)
            return NONE;
        unit = unit << 4 | (uint32_t)digit;
    }
    j->at.at += DIGITS;
    return unit;
}

/* After "\u": one unit of UTF-16, or the two of a pair. A lone half is kept. */
static bool parse_code(struct json_scan *j)
{
    enum { BEYOND = 0x10000 };
    uint32_t code = parse_unit(j);
    if (code >= BEYOND)
        return false;
    struct cursor before = j->at;
    if (utf16_is_high(code) && take_word(j, "\\u")) {
        uint32_t low = parse_unit(j);
        if (utf16_is_low(low))
            code = utf16_join(code, low);
        else
            j->at = before;
    }
    if (code != 0) /* a name ends there */
        text_add_code_point(&j->string, code);
    return true;
}

static bool parse_escape(struct json_scan *j)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int c = cursor_peek(&j->at);
    const char *found = c > 0 ? strchr(letters, c) : NULL;
    if (c == 'u') {
        j->at.at++;
        return parse_code(j);
    }
    if (found == NULL)
        return false;
    j->at.at++;
    text_add_char(&j->string, meant[found - letters]);
    return true;
}

bool json_scan_string(struct json_scan *j)
{
    struct cursor *c = &j->at;
    text_clear(&j->string);
    int first = json_scan_next(j);
    if (first == 'n' && take_word(j, "null"))
        return false;
    if (!json_scan_take(j, '"', "a string"))
        return false;
    for (;;) {
        const unsigned char *begin = c->at;
        while (c->at < c->end && *c->at >= ' ' && *c->at != '"' && *c->at != '\\')
            c->at++;
        text_add(&j->string, begin, (size_t)(c->at - begin));
        if (c->at == c->end || *c->at < ' ')
            return expected(j, "the end of a string");
        if (*c->at++ == '"')
            return true;
        if (!parse_escape(j))
            return expected(j, "an escape");
    }
}

/* --- what is not wanted ---------------------------------------------------------- */

static void skip_plain(struct json_scan *j)
{
    switch (json_scan_next(j)) {
    case '"':
        json_scan_string(j);
        return;
    case 't':
    case 'f':
        json_scan_truth(j);
        return;
    default:
        json_scan_real(j);
    }
}

void json_scan_skip(struct json_scan *j)
{
    enum { MAX_DEPTH = 64 };
    char ends[MAX_DEPTH];
    int depth = 0;
    bool first = true;
    do {
        if (depth > 0 && !json_scan_more(j, ends[depth - 1], first)) {
            depth--;
            first = false;
            continue;
        }
        if (depth > 0 && ends[depth - 1] == '}')
            json_scan_name(j);
        int c = json_scan_next(j);
        first = c == '{' || c == '[';
        if (!first) {
            skip_plain(j);
        } else if (depth == MAX_DEPTH) {
            cursor_fail(&j->at, "values are nested too deeply here");
        } else {
            j->at.at++;
            ends[depth++] = c == '{' ? '}' : ']';
        }
    } while (depth > 0 && json_scan_ok(j));
}

bool json_scan_end(struct json_scan *j)
{
    if (json_scan_next(j) == -1)
        return json_scan_ok(j);
    return expected(j, "the end of the file");
}
