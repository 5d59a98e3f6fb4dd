/* Canonical type names, names of the framework, patterns; generic arguments, names across
 * builds, async methods, and nearest names.
 *
 * Every writer of heap snapshots spells types its own way. A canonical name is made in
 * steps, in the order of docs/names.md: each edits the name in place and never lengthens
 * it. A step does not change text that it cannot parse, so a strange name is at worst
 * unchanged.
 *
 * Must not depend on the format of the input or on the use of the name. */
#include "heap/names.h"

#include "base/alloc.h"
#include "base/arena.h"
#include "base/text.h"
#include "heapdrift.h"

#include <assert.h>
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

/* ASCII letters, digits and '_': the words of compiler-made names begin with one. */
static bool is_ascii_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Skips word if *at begins with it. */
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

/* True for the text in the parentheses of " (Bytes > 10K)" (dotnet-gcdump, PerfView), "
 * (Bytes > 1K,Ptrs,ElemSize=8)" and " (NoPtrs,ElemSize=2)" (HeapDump.exe). */
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

/* Returns the length of a leading number that is irrelevant to the type: "12" in "RefCnt:
 * 12]", "0x1f2e" in "[CCW 0x1f2e for". *before is the length of the text before it. */
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

/* --- canonical names ----------------------------------------------------------- */

/* Names become C strings, so a NUL must not hide the rest of a name. */
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

/* Spellings of an unknown name: SOS of .NET Framework and of .NET Core
 * ("<unknown_type_7f21c0d00010>"), and an empty one. */
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

/* Spells a number as Microsoft's tool does. */
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

/* Runs all steps once, in place; returns the new length. */
static size_t parse_steps(char *name, size_t len)
{
    len = drop_size_class(name, len);
    undo_bracket_rewriting(name, len);
    len = drop_versions(name, len);
    len = generics_write(name, len);
    return hide_counters(name, len);
}

/* A step may uncover text that an earlier one removes: a size class before a version,
 * brackets that an assembly separated. So steps repeat until the name settles. Two rounds
 * were enough for three million generated names; one that needs more than MAX_ROUNDS is not
 * a type name: false. */
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
            out->len = start; /* verbatim, so that the result is canonical */
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

/* Returns the position after the bracket that closes the one at s, or the end. */
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

/* DispatchProxy's name for a generated class, in .NET 8 to 11: generatedProxy_1. */
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
    if (name_part_is(name, "Interop"))
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

/* Bytes that ? matches. */
static size_t character_length(const char *s)
{
    if ((unsigned char)*s < 0x80)
        return 1;
    size_t n = utf8_length((const unsigned char *)s, strnlen(s, 4));
    return n > 0 ? n : 1;
}

/* Backtracks only to the last *, with one character more: it can match whatever an earlier
 * one could. */
static bool matches_whole(const char *pattern, const char *name)
{
    const char *after_star = NULL, *retry = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = name;
        } else if (*pattern == '?') {
            pattern++;
            name += character_length(name);
        } else if (*pattern == *name) {
            pattern++;
            name++;
        } else if (after_star != NULL) {
            retry += character_length(retry);
            name = retry;
            pattern = after_star;
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

/* The text before the first wildcard and after the last must match literally. Usually this
 * decides, without decoding characters. */
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

/* "*Order*": the text between the two must occur somewhere. */
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

/* Text before a meaningless number. */
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

/* Returns the index of the entry that ends the len bytes at s, or -1. */
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

/* Folds digits, and after "_" more digits: 12_0. */
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

/* --- generics --------------------------------------------------------------------- */

/* Metadata names have all arguments of a name after its last part, so a list is read before
 * the position of its text is known. The result is a chain of pieces, and the arguments are
 * linked in where they belong: no text moves once per level of nesting, and everything is
 * linear. Open constructs are on a stack of frames, so nesting costs memory but no
 * recursion.
 *
 * Must not depend on any other rule for names. */

/* Longer names are unchanged. Metadata allows 1,023 bytes for one identifier, and reading
 * needs up to some 100 bytes of memory per byte of the name. */
enum { LONGEST_PARSED = 1024 * 1024 };

struct generics_piece {
    const char *text; /* in the name, or a literal */
    uint32_t len, next;
};

struct chain {
    uint32_t first, last; /* first is an empty piece: no chain is without one */
};

/* A "`2" that waits for its arguments. */
struct slot {
    uint32_t piece, arity;
};

enum frame_kind { TOP, GROUP, ANGLE, LIST, ARGUMENT };

struct generics_frame {
    enum frame_kind kind;
    struct chain chain; /* of TOP and ARGUMENT */
    size_t owner;       /* the frame whose chain gets the text read here */
    size_t slots, args; /* their number when it was opened */
};

struct parse {
    const char *start, *at, *end;
    const char *unlinked; /* [unlinked, at) is read, but in no piece yet */
    struct generics_piece *pieces;
    struct slot *slots; /* a stack; the slots of the current name are on top */
    struct chain *args; /* a stack; the arguments of the innermost list are on top */
    struct generics_frame *frames;
    size_t piece_count, piece_cap, slot_count, slot_cap;
    size_t arg_count, arg_cap, frame_count, frame_cap;
};

static struct generics_frame *top(struct parse *p)
{
    return &p->frames[p->frame_count - 1];
}

static uint32_t new_piece(struct parse *p, const char *text, size_t len)
{
    p->pieces = grow(p->pieces, p->piece_count, &p->piece_cap, sizeof(*p->pieces));
    p->pieces[p->piece_count] = (struct generics_piece){.text = text, .len = (uint32_t)len};
    return (uint32_t)p->piece_count++;
}

static uint32_t append(struct parse *p, const char *text, size_t len)
{
    uint32_t piece = new_piece(p, text, len);
    struct chain *chain = &p->frames[top(p)->owner].chain;
    p->pieces[chain->last].next = piece;
    chain->last = piece;
    return piece;
}

/* Links the text read so far. */
static void link_text(struct parse *p)
{
    if (p->unlinked < p->at)
        append(p, p->unlinked, (size_t)(p->at - p->unlinked));
    p->unlinked = p->at;
}

static void generics_push(struct parse *p, enum frame_kind kind)
{
    bool own = kind == TOP || kind == ARGUMENT;
    struct generics_frame f = {.kind = kind, .slots = p->slot_count, .args = p->arg_count};
    f.owner = own ? p->frame_count : top(p)->owner;
    if (own)
        f.chain.first = f.chain.last = new_piece(p, "", 0);
    *APPEND(p->frames, p->frame_count, p->frame_cap) = f;
}

static void pop(struct parse *p)
{
    p->slot_count = top(p)->slots;
    p->frame_count--;
}

/* Another name follows: the arities so far had no arguments and are unchanged. */
static void begin_name(struct parse *p)
{
    p->slot_count = top(p)->slots;
}

static void read_arity(struct parse *p)
{
    const char *digit = p->at + 1;
    uint32_t arity = 0;
    for (; digit < p->end && is_digit(*digit); digit++)
        if (arity < LONGEST_PARSED) /* more than any list has */
            arity = arity * 10 + (uint32_t)(*digit - '0');
    if (arity > 0) {
        link_text(p);
        p->slots = grow(p->slots, p->slot_count, &p->slot_cap, sizeof(*p->slots));
        uint32_t piece = append(p, p->at, (size_t)(digit - p->at));
        p->slots[p->slot_count++] = (struct slot){.piece = piece, .arity = arity};
        p->unlinked = digit;
    }
    p->at = digit;
}

/* Turns a piece of the output chain into "<A,B>". */
static void write_list(struct parse *p, uint32_t piece, const struct chain *args,
                       size_t count)
{
    struct chain *out = &p->frames[top(p)->owner].chain;
    uint32_t after = p->pieces[piece].next, last = piece;
    bool at_end = out->last == piece;
    p->pieces[piece].text = "<";
    p->pieces[piece].len = 1;
    for (size_t i = 0; i < count; i++) {
        p->pieces[last].next = args[i].first;
        last = new_piece(p, i + 1 < count ? "," : ">", 1);
        p->pieces[args[i].last].next = last;
    }
    p->pieces[last].next = after;
    if (at_end)
        out->last = last;
}

/* Distributes the arguments over the parts of the name by their arities; if these do not
 * add up (obfuscators drop arities), they are all at the end of the name. */
static void deal_out(struct parse *p, const struct chain *args, size_t count)
{
    size_t first = top(p)->slots;
    uint64_t sum = 0;
    for (size_t i = first; i < p->slot_count; i++)
        sum += p->slots[i].arity;
    if (sum != count) {
        write_list(p, append(p, "", 0), args, count);
    } else {
        for (size_t i = first; i < p->slot_count; args += p->slots[i].arity, i++)
            write_list(p, p->slots[i].piece, args, p->slots[i].arity);
    }
    begin_name(p);
}

/* True if "[[" opens a list: it then directly follows a name. */
static bool opens_list(const struct parse *p)
{
    return p->at > p->start && strchr(" ,[]<>(", p->at[-1]) == NULL && p->end - p->at > 2 &&
           p->at[1] == '[' && p->at[2] != '[' && p->at[2] != ']';
}

static void skip_blanks(struct parse *p)
{
    while (p->at < p->end && *p->at == ' ')
        p->at++;
}

static bool is_at(const struct parse *p, char c)
{
    return p->at < p->end && *p->at == c;
}

/* At the inner "[" of a list: skips it, and the blanks before the type. */
static void open_argument(struct parse *p)
{
    generics_push(p, ARGUMENT);
    p->at++;
    skip_blanks(p);
    p->unlinked = p->at;
}

/* At the second "]" of a list. False if another list follows: its owner would be
 * ambiguous. */
static bool close_list(struct parse *p)
{
    size_t first = top(p)->args;
    pop(p);
    deal_out(p, p->args + first, p->arg_count - first);
    p->arg_count = first;
    p->unlinked = ++p->at;
    return !is_at(p, '[') || p->end - p->at < 2 || p->at[1] != '[';
}

/* At the "]" after an argument, or at the comma before its assembly, which is dropped.
 * Another argument or the end of the list follows. */
static bool close_argument(struct parse *p)
{
    link_text(p);
    while (p->at < p->end && *p->at != ']' && *p->at != '[')
        p->at++;
    struct chain type = top(p)->chain;
    if (type.first == type.last || !is_at(p, ']'))
        return false;
    p->at++;
    pop(p);
    *APPEND(p->args, p->arg_count, p->arg_cap) = type;

    if (is_at(p, ']'))
        return close_list(p);
    if (!is_at(p, ','))
        return false;
    p->at++;
    skip_blanks(p);
    if (!is_at(p, '['))
        return false;
    open_argument(p);
    return true;
}

static void read_comma(struct parse *p)
{
    begin_name(p);
    p->at++;
    if (top(p)->kind != ANGLE || !is_at(p, ' '))
        return;
    link_text(p);
    skip_blanks(p);
    p->unlinked = p->at;
}

static void open_bracket(struct parse *p)
{
    if (opens_list(p)) {
        link_text(p);
        generics_push(p, LIST);
        p->at++;
        open_argument(p);
    } else {
        generics_push(p, GROUP);
        p->at++;
    }
}

/* Reads one token; false if it is not allowed here. */
static bool read_next(struct parse *p)
{
    enum frame_kind kind = top(p)->kind;
    switch (*p->at) {
    case '`':
        read_arity(p);
        return true;
    case '[':
        open_bracket(p);
        return true;
    case ']':
        if (kind == ARGUMENT)
            return close_argument(p);
        if (kind != GROUP)
            return false;
        pop(p);
        break;
    case '<':
        generics_push(p, ANGLE);
        break;
    case '>':
        if (kind == ANGLE)
            pop(p);
        break;
    case ',':
        if (kind == ARGUMENT)
            return close_argument(p);
        read_comma(p);
        return true;
    case ' ':
        begin_name(p);
        break;
    default:
        break;
    }
    p->at++;
    return true;
}

static bool contains(const char *name, size_t len, const char *two)
{
    for (size_t i = 0; i + 1 < len; i++)
        if (name[i] == two[0] && name[i + 1] == two[1])
            return true;
    return false;
}

/* The text of a chain, over the name that its pieces were cut from. */
static size_t write_back(const struct parse *p, struct chain chain, char *name)
{
    struct text result = {0};
    for (uint32_t i = chain.first; i != chain.last; i = p->pieces[i].next)
        text_add(&result, p->pieces[i].text, p->pieces[i].len);
    text_add(&result, p->pieces[chain.last].text, p->pieces[chain.last].len);

    size_t len = result.len;
    assert(len <= (size_t)(p->end - p->start)); /* a list loses more than it gains */
    memcpy(name, result.data, len);
    text_free(&result);
    return len;
}

size_t generics_write(char *name, size_t len)
{
    if (len > LONGEST_PARSED || (!contains(name, len, "[[") && !contains(name, len, ", ")))
        return len;
    struct parse p = {.start = name, .at = name, .end = name + len, .unlinked = name};
    generics_push(&p, TOP);
    bool ok = true;
    while (ok && p.at < p.end)
        ok = read_next(&p);
    if (ok && p.frame_count == 1) {
        link_text(&p);
        len = write_back(&p, p.frames[0].chain, name);
    }
    free(p.pieces);
    free(p.slots);
    free(p.args);
    free(p.frames);
    return len;
}

/* --- async names ------------------------------------------------------------------ */

/* Returns the last argument, the state machine; NULL if the type is not a box. Pools of
 * boxes and debug builds have other box names with the same end. */
static const char *machine_in(const char *type, size_t *len)
{
    static const char box[] = "StateMachineBox<";
    const char *begin = strstr(type, box);
    size_t whole = strlen(type);
    if (begin == NULL || strcspn(type, "<") != (size_t)(begin - type) + sizeof(box) - 2 ||
        type[whole - 1] != '>')
        return NULL;
    begin += sizeof(box) - 1;
    const char *end = &type[whole - 1], *last = begin;
    size_t depth = 0;
    for (const char *c = begin; c < end; c++) {
        depth += *c == '<';
        depth -= *c == '>' && depth > 0;
        if (*c == ',' && depth == 0)
            last = c + 1;
    }
    *len = (size_t)(end - last);
    return last;
}

/* App.Worker+<RunAsync>d__5; for a lambda App.Worker+<>c+<<RunAsync>b__0_0>d. */
bool async_method_of(struct async_method *m, const char *type)
{
    size_t len = 0;
    const char *machine = machine_in(type, &len);
    const char *method = NULL, *of_end = NULL;
    for (size_t i = 0; machine != NULL && i + 1 < len; i++)
        if (machine[i] == '+' && machine[i + 1] == '<') {
            of_end = of_end == NULL ? &machine[i] : of_end;
            method = &machine[i + 1];
        }
    if (method == NULL || of_end == machine)
        return false;
    method += strspn(method, "<");
    size_t method_len = strcspn(method, ">$|");
    if (method_len == 0 || &method[method_len] >= &machine[len])
        return false;
    *m = (struct async_method){machine, (size_t)(of_end - machine), method, method_len};
    return true;
}

/* --- nearest name ----------------------------------------------------------------- */

static const char *lower(struct arena *a, const char *s)
{
    size_t len = strlen(s);
    char *copy = arena_alloc(a, len + 1);
    for (size_t i = 0; i < len; i++)
        copy[i] = (char)(s[i] >= 'A' && s[i] <= 'Z' ? s[i] - 'A' + 'a' : s[i]);
    copy[len] = '\0';
    return copy;
}

/* Returns the part after the last dot or plus outside of generic arguments: the part that
 * people remember. */
static const char *last_part(const char *name)
{
    const char *part = name;
    size_t depth = 0;
    for (const char *c = name; *c != '\0'; c++) {
        if (*c == '<')
            depth++;
        else if (*c == '>' && depth > 0)
            depth--;
        else if ((*c == '.' || *c == '+') && depth == 0 && c[1] != '\0')
            part = c + 1;
    }
    return part;
}

static bool nearest_name_is_better(const char *name, const char *than)
{
    if (than == NULL || strlen(name) != strlen(than))
        return than == NULL || strlen(name) < strlen(than);
    return strcmp(name, than) < 0;
}

/* Generic arguments do not count: a list of agents is not an agent. */
static bool has_inside(const char *pattern, const char *name)
{
    enum { SHORTEST = 3 };
    const char *part = last_part(name), *found = strstr(part, pattern);
    return strlen(pattern) >= SHORTEST && found != NULL &&
           (size_t)(found - part) < strcspn(part, "<");
}

/* Returns the best of the names that fit; pattern and lowered are in lower case. */
static const char *best_of(const char *pattern, const char *const *names,
                           const char *const *lowered, size_t count,
                           bool (*fits)(const char *pattern, const char *name))
{
    const char *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (nearest_name_is_better(names[i], best) && fits(pattern, lowered[i]))
            best = names[i];
    return best;
}

static const char *fewest_edits(const char *pattern, const char *const *names,
                                const char *const *lowered, size_t count, struct arena *a)
{
    const char **parts = arena_array(a, const char *, count + 1);
    for (size_t i = 0; i < count; i++)
        parts[i] = last_part(lowered[i]);
    const char *nearest = hd_nearest_word(last_part(pattern), parts);
    const char *best = NULL;
    for (size_t i = 0; nearest != NULL && i < count; i++)
        if (strcmp(parts[i], nearest) == 0 && nearest_name_is_better(names[i], best))
            best = names[i];
    return best;
}

/* "orchard.*" meant "Orchard.*": writes the text before the wildcard as spelled in the
 * name. */
static void write_pattern(struct text *out, const char *pattern, const char *name)
{
    size_t start = out->len, front = strcspn(pattern, "*?");
    if (front > 0) {
        text_add(out, name, front);
        text_add_string(out, pattern + front);
        if (names_match(text_string(out) + start, name))
            return;
    }
    out->len = start;
    text_add_string(out, name);
}

/* A pattern with wildcards must match from the first character on: "List<*" meant
 * "*List<*". */
static const char *from_anywhere(struct arena *a, const char *pattern)
{
    size_t len = strlen(pattern);
    char *longer = arena_alloc(a, len + 2);
    longer[0] = '*';
    memcpy(longer + 1, pattern, len + 1);
    return longer;
}

bool nearest_name(struct text *out, const char *pattern, const char *const *names,
                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (names_match(pattern, names[i]))
            return false;
    struct arena a = {0};
    const char **lowered = arena_array(&a, const char *, count);
    for (size_t i = 0; i < count; i++)
        lowered[i] = lower(&a, names[i]);
    const char *low = lower(&a, pattern);
    const char *best = best_of(low, names, lowered, count, names_match);
    if (strpbrk(pattern, "*?") != NULL) {
        const char *longer = from_anywhere(&a, pattern);
        if (best != NULL)
            write_pattern(out, pattern, best);
        else if (best_of(longer, names, names, count, names_match) != NULL)
            text_add_string(out, best = longer);
    } else {
        if (best == NULL)
            best = best_of(low, names, lowered, count, has_inside);
        if (best == NULL)
            best = fewest_edits(low, names, lowered, count, &a);
        if (best != NULL)
            text_add_string(out, best);
    }
    arena_free(&a);
    return best != NULL;
}
