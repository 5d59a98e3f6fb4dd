/* Canonical type names, names of the framework, patterns of names.
 *
 * Every writer of heap snapshots spells types its own way. A canonical name is
 * made in steps, in the order of docs/names.md: each takes the name where it
 * stands and leaves it at most as long as it was. What a step does not understand
 * it leaves alone, so the worst that can happen to a strange name is nothing.
 *
 * This file must not know which format a name comes from, nor what it is for. */
#include "heap/names.h"

#include "heap/generics.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Letters, digits and '_' of ASCII: what compilers begin made-up names with. */
static bool is_ascii_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Step over word if it stands at *at. */
static bool names_take(const char **at, const char *end, const char *word)
{
    size_t len = strlen(word);
    if ((size_t)(end - *at) < len || memcmp(*at, word, len) != 0)
        return false;
    *at += len;
    return true;
}

static size_t take_while(const char **at, const char *end, bool (*wanted)(char))
{
    const char *start = *at;
    while (*at < end && wanted(**at))
        ++*at;
    return (size_t)(*at - start);
}

/* --- step: size classes -------------------------------------------------------- */

/* What stands in the parentheses of " (Bytes > 10K)" (dotnet-gcdump, PerfView),
 * " (Bytes > 1K,Ptrs,ElemSize=8)" and " (NoPtrs,ElemSize=2)" (HeapDump.exe). */
static bool is_size_class(const char *at, const char *end)
{
    if (names_take(&at, end, "Bytes > ")) {
        if (!names_take(&at, end, "100") && !names_take(&at, end, "10") &&
            !names_take(&at, end, "1"))
            return false;
        if (!names_take(&at, end, "K") && !names_take(&at, end, "M"))
            return false;
        if (at == end)
            return true;
        if (!names_take(&at, end, ","))
            return false;
    }
    if (!names_take(&at, end, "Ptrs,ElemSize=") &&
        !names_take(&at, end, "NoPtrs,ElemSize="))
        return false;
    return take_while(&at, end, is_digit) > 0 && at == end;
}

static size_t drop_size_class(const char *name, size_t len)
{
    while (len > 0 && name[len - 1] == ')') {
        size_t inside = len;
        while (inside > 0 && name[inside - 1] != '(')
            inside--;
        if (inside < 2 || name[inside - 2] != ' ' ||
            !is_size_class(name + inside, name + len - 1))
            break;
        len = inside - 2;
    }
    return len;
}

/* --- step: brackets ------------------------------------------------------------ */

/* Writers that read event streams turn all [ ] of a name into < >, then <> into [].
 * That hits compiler-made names ("<>c" becomes "[]c") and ranks of arrays ("[,]"
 * becomes "<,>"). No name has "[]" before a word, or commas alone in < >, so both
 * can be undone. */
static void undo_bracket_rewriting(char *name, size_t len)
{
    for (size_t i = 0; i + 2 < len; i++) {
        if (name[i] == '[' && name[i + 1] == ']' && is_ascii_word(name[i + 2])) {
            name[i] = '<';
            name[i + 1] = '>';
        } else if (name[i] == '<' && name[i + 1] == ',') {
            size_t open = i;
            while (i + 1 < len && name[i + 1] == ',')
                i++;
            if (i + 1 < len && name[i + 1] == '>') {
                name[open] = '[';
                name[i + 1] = ']';
            }
        }
    }
}

/* --- step: versions ------------------------------------------------------------ */

static size_t drop_versions(char *name, size_t len)
{
    const char *at = name, *end = name + len;
    size_t kept = 0;
    while (at < end) {
        if (names_take(&at, end, ", Version=") || names_take(&at, end, ", Culture=") ||
            names_take(&at, end, ", PublicKeyToken=")) {
            while (at < end && *at != ',' && *at != ']' && *at != '>')
                at++;
        } else {
            name[kept++] = *at++;
        }
    }
    return kept;
}

/* --- step: wrappers ------------------------------------------------------------ */

/* The length of a number at the start that says nothing about the type: of
 * "12" in "RefCnt: 12]" and of "0x1f2e" in "[CCW 0x1f2e for". *before is the length
 * of the text in front of it. */
static size_t find_counter(const char *name, const char *end, size_t *before)
{
    const char *at = name;
    if (names_take(&at, end, "RefCnt: ")) {
        *before = (size_t)(at - name);
        size_t digits = take_while(&at, end, is_digit);
        return names_take(&at, end, "]") ? digits : 0;
    }
    if (names_take(&at, end, "[CCW ")) {
        *before = (size_t)(at - name);
        if (names_take(&at, end, "0x") && take_while(&at, end, is_hex_digit) > 0) {
            size_t digits = (size_t)(at - name) - *before;
            return names_take(&at, end, " for") ? digits : 0;
        }
    }
    return 0;
}

static size_t hide_counters(char *name, size_t len)
{
    if (len == 0 || name[0] != '[')
        return len;
    size_t kept = 0;
    for (size_t i = 0; i < len;) {
        size_t before = 0;
        size_t digits = find_counter(name + i, name + len, &before);
        if (digits == 0) {
            name[kept++] = name[i++];
            continue;
        }
        memmove(name + kept, name + i, before);
        kept += before;
        name[kept++] = '#';
        i += before + digits;
    }
    return kept;
}

/* --- canonical names ----------------------------------------------------------- */

/* Names end up as C strings; in the middle of one a NUL must not hide the rest. */
static void add_without_nul(struct text *out, const char *raw, size_t len)
{
    while (len > 0) {
        const char *nul = memchr(raw, '\0', len);
        size_t part = nul != NULL ? (size_t)(nul - raw) : len;
        text_add(out, raw, part);
        if (nul == NULL)
            return;
        text_add_code_point(out, 0xFFFD);
        raw += part + 1;
        len -= part + 1;
    }
}

/* How writers spell that they do not know the name: SOS of .NET Framework and of
 * .NET Core ("<unknown_type_7f21c0d00010>"), and others not at all. */
static bool is_unknown(const char *name, size_t len)
{
    const char *at = name, *end = name + len;
    if (len == 0 || (len == 7 && names_take(&at, end, "UNKNOWN")))
        return true;
    return names_take(&at, end, "<unknown_type_") &&
           take_while(&at, end, is_hex_digit) > 0 && names_take(&at, end, ">") && at == end;
}

/* A number in the place of a name: "TypeID(0x39a6f0)" of dotnet-gcdump, for which traces
 * have "Type(" and "ArrayType(". at_number becomes where "0x" begins. */
static bool is_number(const char *name, size_t len, const char **at_number)
{
    const char *at = name, *end = name + len;
    if (!names_take(&at, end, "TypeID(") && !names_take(&at, end, "Type(") &&
        !names_take(&at, end, "ArrayType("))
        return false;
    *at_number = at;
    return names_take(&at, end, "0x") && take_while(&at, end, is_hex_digit) > 0 &&
           names_take(&at, end, ")") && at == end;
}

bool names_number(const char *name, uint64_t *number)
{
    const char *at = NULL;
    if (!is_number(name, strlen(name), &at) || strlen(at) > strlen("0x)") + 16)
        return false;
    *number = strtoull(at, NULL, 16);
    return true;
}

/* As the file of Microsoft's tool has it. */
static void spell_number(struct text *out, size_t start)
{
    const char *name = out->data + start, *at;
    size_t len = out->len - start;
    if (!is_number(name, len, &at) || at == name + strlen("TypeID("))
        return;
    struct text number = {0};
    text_add(&number, at, len - (size_t)(at - name));
    out->len = start;
    text_add_string(out, "TypeID(");
    text_add(out, number.data, number.len);
    text_free(&number);
}

/* All steps, once, in place; the new length. */
static size_t parse_steps(char *name, size_t len)
{
    len = drop_size_class(name, len);
    undo_bracket_rewriting(name, len);
    len = drop_versions(name, len);
    len = generics_write(name, len);
    return hide_counters(name, len);
}

/* What one step uncovers, an earlier one may take: a size class in front of a version,
 * brackets that an assembly kept apart. So steps are taken until nothing changes. Of three
 * million made-up names none took more than two rounds; what takes more than these is no
 * name. False then. */
static bool names_settle(char *name, size_t *len)
{
    enum { MAX_ROUNDS = 8 };
    struct text before = {0};
    bool settled = false;
    for (int round = 0; !settled && round < MAX_ROUNDS; round++) {
        text_clear(&before);
        text_add(&before, name, *len);
        *len = parse_steps(name, *len);
        settled =
            *len == before.len && (*len == 0 || memcmp(name, before.data, before.len) == 0);
    }
    text_free(&before);
    return settled;
}

void names_canonical(struct text *out, const char *raw, size_t len)
{
    size_t start = out->len;
    add_without_nul(out, raw, len);
    if (out->len > start) {
        char *name = out->data + start;
        size_t now = out->len - start;
        if (names_settle(name, &now)) {
            out->len = is_unknown(name, now) ? start : start + now;
        } else {
            out->len = start; /* as it is: then this is canonical */
            add_without_nul(out, raw, len);
        }
    }
    if (out->len == start)
        text_add_string(out, UNKNOWN_TYPE_NAME);
    spell_number(out, start);
}

/* --- names of the framework ---------------------------------------------------- */

static bool begins_like_framework(const char *s, const char *end)
{
    /* The second half: bindings of Android and iOS, as in programs of MAUI. */
    static const char *const prefixes[] = {
        "System.", "Microsoft.", "MS.",       "Internal.", "Interop+",     "Java.",
        "Javax.",  "Android.",   "AndroidX.", "UIKit.",    "ObjCRuntime.", "Foundation.NS"};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (names_take(&s, end, prefixes[i]))
            return true;
    return false;
}

/* Behind the bracket that closes the one at s, or at the end. */
static const char *skip_brackets(const char *s, const char *end, char open, char close)
{
    size_t depth = 0;
    for (; s < end; s++) {
        if (*s == open)
            depth++;
        else if (*s == close && --depth == 0)
            return s + 1;
    }
    return s;
}

bool names_is_array(const char *name)
{
    size_t len = strlen(name);
    return len > 0 && name[len - 1] == ']';
}

bool names_is_value(const char *name)
{
    static const char *const values[] = {
        "Boolean",  "Byte",    "Char",   "DateOnly", "DateTime", "DateTimeOffset",
        "Decimal",  "Double",  "Guid",   "Half",     "Int128",   "Int16",
        "Int32",    "Int64",   "IntPtr", "SByte",    "Single",   "TimeOnly",
        "TimeSpan", "UInt128", "UInt16", "UInt32",   "UInt64",   "UIntPtr"};
    if (strncmp(name, "System.", strlen("System.")) != 0)
        return false;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (strcmp(name + strlen("System."), values[i]) == 0)
            return true;
    return false;
}

/* What DispatchProxy calls a class that it makes, in .NET 8 to 11: generatedProxy_1. */
#define PROXY "generatedProxy_"

bool names_is_unnamed(const char *name)
{
    return name[0] == '\0' || name[0] == '<' || name[0] == '[' || names_is_array(name) ||
           strncmp(name, PROXY, strlen(PROXY)) == 0;
}

bool names_has_namespace(const char *name)
{
    return memchr(name, '.', strcspn(name, "<[")) != NULL;
}

bool names_is_framework(struct name_part name, enum name_extent extent)
{
    const char *end = name.at + name.len;
    if (name_part_is(name, "Free") || name_part_is(name, "Interop"))
        return true;
    if (!begins_like_framework(name.at, end))
        return false;
    for (const char *s = name.at; extent == NAME_WHOLE && s < end;) {
        if (*s == '[') {
            s = skip_brackets(s, end, '[', ']'); /* the rank of an array */
        } else if (*s == '<' && (s[-1] == '+' || s[-1] == '.')) {
            s = skip_brackets(s, end, '<', '>'); /* "+<>c", "+<Main>d__5": a compiler's */
        } else if (*s == '<' || *s == ',') {
            if (!begins_like_framework(++s, end))
                return false;
        } else {
            s++;
        }
    }
    return true;
}

bool names_is_of_program(const char *name)
{
    return names_has_namespace(name) && !names_is_framework(name_part(name), NAME_CLASS);
}

/* --- as tools write them ------------------------------------------------------- */

void names_rewritten(struct text *out, const char *name, size_t len)
{
    size_t start = out->len;
    for (size_t i = 0; i < len; i++) {
        size_t digits = 0;
        while (name[i] == '`' && i + 1 + digits < len && name[i + 1 + digits] >= '0' &&
               name[i + 1 + digits] <= '9')
            digits++;
        if (digits > 0) {
            i += digits;
            continue;
        }
        bool closes = name[i] == ']' || name[i] == '>';
        if (closes && out->len > start && out->data[out->len - 1] == '<') {
            out->data[out->len - 1] = '[';
            text_add_char(out, ']');
        } else if (name[i] == '[') {
            text_add_char(out, '<');
        } else if (name[i] == ']') {
            text_add_char(out, '>');
        } else {
            text_add_char(out, name[i]);
        }
    }
}

/* --- patterns ------------------------------------------------------------------ */

/* Bytes that ? stands for. */
static size_t character_length(const char *s)
{
    if ((unsigned char)*s < 0x80)
        return 1;
    size_t n = utf8_length((const unsigned char *)s, strnlen(s, 4));
    return n > 0 ? n : 1;
}

/* Only the last * seen is ever tried again, with one character more: what an
 * earlier one could still take, the last one can take too. */
static bool matches_whole(const char *pattern, const char *name)
{
    const char *behind_star = NULL, *retry = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            behind_star = ++pattern;
            retry = name;
        } else if (*pattern == '?') {
            pattern++;
            name += character_length(name);
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (behind_star != NULL) {
            retry += character_length(retry);
            name = retry;
            pattern = behind_star;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

static bool is_inside_angles(const char *name, size_t at)
{
    size_t depth = 0;
    for (size_t i = 0; i < at; i++) {
        if (name[i] == '<')
            depth++;
        else if (name[i] == '>' && depth > 0)
            depth--;
    }
    return depth > 0;
}

/* What stands in front of the first wildcard and behind the last must be there as it is: as
 * a rule that alone tells, without looking at characters. */
static bool has_ends(const char *pattern, size_t wildcard, const char *name)
{
    if (strncmp(pattern, name, wildcard) != 0)
        return false;
    size_t tail = strlen(pattern), len = strlen(name);
    const char *end = pattern + tail;
    while (end[-1] != '*' && end[-1] != '?')
        end--;
    tail -= (size_t)(end - pattern);
    return tail <= len && memcmp(name + len - tail, end, tail) == 0;
}

/* "*Order*": what stands between the two must be somewhere. */
static bool is_within(const char *pattern, const char *name)
{
    enum { LONGEST = 128 };
    char between[LONGEST];
    size_t len = strcspn(pattern + 1, "*?");
    if (pattern[0] != '*' || len >= LONGEST || strcmp(pattern + 1 + len, "*") != 0)
        return true;
    memcpy(between, pattern + 1, len);
    between[len] = '\0';
    return strstr(name, between) != NULL;
}

bool names_match(const char *pattern, const char *name)
{
    size_t wildcard = strcspn(pattern, "*?");
    if (pattern[wildcard] != '\0')
        return has_ends(pattern, wildcard, name) && is_within(pattern, name) &&
               matches_whole(pattern, name);
    size_t len = strlen(name), end = strlen(pattern);
    if (end > len || strcmp(name + (len - end), pattern) != 0)
        return false;
    if (end == len)
        return true;
    size_t dot = len - end - 1;
    return end > 0 && name[dot] == '.' && !is_inside_angles(name, dot);
}

/* --- names that line up over builds -------------------------------------------- */

/* What stands in front of a number that means nothing. */
static const struct {
    const char *before;
    bool hex;
} numbered[] = {
    {"__DisplayClass", false}, {">d__", false},          {">b__", false},
    {"<>9__", false},          {"AnonymousType", false}, {"Proxy_", false},
    {"TypeID(0x", true},       {"Type(0x", true},        {"UNKNOWN 0x", true},
};

static bool is_digit_of(char c, bool hex)
{
    return hex ? is_hex_digit(c) : is_digit(c);
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
        while (at < len && is_digit_of(s[at], hex))
            at++;
        if (at > start)
            text_add_char(out, '#');
        if (at == start || at + 1 >= len || s[at] != '_' || !is_digit_of(s[at + 1], hex))
            return at;
        text_add_char(out, '_');
        at++;
    }
}

void builds_fold(struct text *out, const char *name, size_t len)
{
    for (size_t i = 0; i < len;) {
        int which = is_digit_of(name[i], true) ? ends_in(name, i) : -1;
        size_t folded =
            which >= 0 ? fold_numbers(out, name + i, len - i, numbered[which].hex) : 0;
        if (folded == 0)
            text_add_char(out, name[i++]);
        i += folded;
    }
}
