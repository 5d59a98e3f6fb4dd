/* Fields from left to right; what is wrong with values after all fields of the line were
 * read. docs/formats/heap-text.md has the grammar and every error. */
#include "format/text/text_records.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

/* --- scanning ------------------------------------------------------------------ */

enum scan_token { SCAN_NUMBER, SCAN_LINE_END, SCAN_BAD };

/* 0x10 + what a hex digit stands for; 0 for every other byte. */
static const unsigned char scan_digits[256] = {
    ['0'] = 0x10, ['1'] = 0x11, ['2'] = 0x12, ['3'] = 0x13, ['4'] = 0x14, ['5'] = 0x15,
    ['6'] = 0x16, ['7'] = 0x17, ['8'] = 0x18, ['9'] = 0x19, ['A'] = 0x1A, ['B'] = 0x1B,
    ['C'] = 0x1C, ['D'] = 0x1D, ['E'] = 0x1E, ['F'] = 0x1F, ['a'] = 0x1A, ['b'] = 0x1B,
    ['c'] = 0x1C, ['d'] = 0x1D, ['e'] = 0x1E, ['f'] = 0x1F,
};

static bool is_blank(int c)
{
    return c == ' ' || c == '\t';
}

/* --- blocks -------------------------------------------------------------------- */

struct scan scan_begin(struct input *in, struct hd_error *err)
{
    static const unsigned char nothing[1];
    return (struct scan){.at = nothing, .end = nothing, .in = in, .err = err};
}

/* Whether a byte is at hand, of the next block if need be. */
static bool has_byte(struct scan *s)
{
    if (s->at < s->end)
        return true;
    if (s->ended)
        return false;
    struct bytes block = {0};
    s->failed = account_is_over(s->account) ? !account_fail(s->account, s->err)
                                            : !input_next(s->in, &block, s->err);
    s->ended = s->failed || block.size == 0;
    if (s->ended)
        return false;
    s->at = block.data;
    s->end = block.data + block.size;
    return true;
}

int scan_peek(struct scan *s)
{
    return has_byte(s) ? *s->at : -1;
}

/* --- words --------------------------------------------------------------------- */

static void scan_blanks(struct scan *s)
{
    while (is_blank(scan_peek(s)))
        s->at++;
}

static bool at_line_end(struct scan *s)
{
    int c = scan_peek(s);
    return c == '\n' || c < 0;
}

/* Everything up to a blank or line end: nothing, if one of them is at hand. A byte at a
 * time: words that matter are short, or cut by the end of a block. */
static void scan_word(struct scan *s)
{
    bool last_is_cr = false;
    s->word_len = 0;
    s->word_nul = false;
    for (; !at_line_end(s) && !is_blank(*s->at); s->at++) {
        if (s->word_len < SCAN_WORD_KEPT)
            s->word[s->word_len] = (char)*s->at;
        s->word_len++;
        s->word_nul |= *s->at == '\0';
        last_is_cr = *s->at == '\r';
    }
    /* One CR belongs to the line end; every other is an ordinary byte. */
    if (last_is_cr && at_line_end(s))
        s->word_len--;
}

/* If the word at hand is one byte with a blank behind it, go past it and return
 * it; else 0, and the word has been read as by scan_word(). */
static int scan_letter(struct scan *s)
{
    if (s->end - s->at >= 2 && is_blank(s->at[1]) && *s->at > ' ')
        return *s->at++;
    scan_word(s);
    return s->word_len == 1 && is_blank(scan_peek(s)) ? (unsigned char)s->word[0] : 0;
}

/* The number that is all of the len bytes at word, 1 to 16 digits. */
static bool parse_number(const char *word, uint64_t len, unsigned base, uint64_t *value)
{
    enum { MAX_DIGITS = 16 };
    if (len == 0 || len > MAX_DIGITS)
        return false;
    uint64_t v = 0;
    for (uint64_t i = 0; i < len; i++) {
        unsigned code = scan_digits[(unsigned char)word[i]];
        if (code == 0 || (code & 15) >= base)
            return false;
        v = v * base + (code & 15);
    }
    *value = v;
    return true;
}

/* The next word of the line as a number of 1 to 16 digits, hex or decimal. If it
 * is none, SCAN_BAD, and the word tells why. */
static enum scan_token scan_number(struct scan *s, unsigned base, uint64_t *value)
{
    scan_blanks(s);
    scan_word(s);
    if (s->word_len == 0)
        return SCAN_LINE_END;
    return parse_number(s->word, s->word_len, base, value) ? SCAN_NUMBER : SCAN_BAD;
}

/* scan_number() for base 16. The usual case is inline: a space, a number, a space
 * or LF, none of it cut by the end of a block. It is nearly all that the millions
 * of references in a dump need. */
static inline enum scan_token scan_hex(struct scan *s, uint64_t *value)
{
    enum { MAX_DIGITS = 16, USUAL_BYTES = 1 + MAX_DIGITS + 1 };
    if (s->end - s->at < USUAL_BYTES)
        return scan_number(s, 16, value);
    const unsigned char *first = s->at + (*s->at == ' '), *p = first;
    uint64_t v = 0;
    for (unsigned digit; p < first + MAX_DIGITS && (digit = scan_digits[*p]) != 0; p++)
        v = v << 4 | (digit & 15);
    if (p == first || (*p != ' ' && *p != '\n'))
        return scan_number(s, 16, value);
    s->at = p;
    *value = v;
    return SCAN_NUMBER;
}

/* --- lines --------------------------------------------------------------------- */

/* Where the line ends, as far as the block at hand shows. */
static const unsigned char *line_stop(const struct scan *s)
{
    const unsigned char *lf = memchr(s->at, '\n', (size_t)(s->end - s->at));
    return lf != NULL ? lf : s->end;
}

/* The rest of the line without blanks around it; false if it holds a NUL. */
static bool scan_rest(struct scan *s, struct text *rest)
{
    bool clean = true;
    text_clear(rest);
    scan_blanks(s);
    while (!at_line_end(s)) {
        size_t len = (size_t)(line_stop(s) - s->at);
        clean = clean && memchr(s->at, '\0', len) == NULL;
        size_t before = rest->cap;
        text_add(rest, s->at, len);
        account_charge(s->account, rest->cap - before);
        s->at += len;
    }
    if (rest->len > 0 && rest->data[rest->len - 1] == '\r')
        rest->len--;
    while (rest->len > 0 && is_blank(rest->data[rest->len - 1]))
        rest->len--;
    return clean;
}

/* Go to the end of the line; false if there is a NUL on the way. */
static bool scan_skip(struct scan *s)
{
    bool clean = true;
    while (!at_line_end(s)) {
        size_t len = (size_t)(line_stop(s) - s->at);
        clean = clean && memchr(s->at, '\0', len) == NULL;
        s->at += len;
    }
    return clean;
}

/* The last byte stays: who reads on finds at least that. */
uint64_t scan_blank_lines(struct scan *s)
{
    uint64_t lines = 0;
    const unsigned char *p = s->at;
    for (; s->end - p > 1; p++) {
        if (*p == '\n') {
            lines++;
            s->at = p + 1;
        } else if (!is_blank(*p) && !(*p == '\r' && p[1] == '\n')) {
            break;
        }
    }
    return lines;
}

bool scan_next_line(struct scan *s)
{
    if (scan_peek(s) == '\n')
        s->at++;
    return scan_peek(s) >= 0;
}

/* --- failing ------------------------------------------------------------------- */

static struct span span_of(const char *s, size_t len)
{
    return (struct span){s, len};
}

/* The scanner's word, or what it has kept of it. */
static struct span word_of(const struct text_records *t)
{
    uint64_t len = t->scan.word_len;
    return span_of(t->scan.word, len < SCAN_WORD_KEPT ? (size_t)len : SCAN_WORD_KEPT);
}

bool text_records_truncated(struct text_records *t)
{
    return fail_at_line(t->err, t->line, "truncated",
                        "the file ends inside a section: the dump is incomplete");
}

/* Refuse the line at hand. quote, if it has any bytes, stands in front of why. In
 * a section a last line without a line end was cut, whatever seems wrong with it. */
static bool refuse(struct text_records *t, const char *kind, struct span quote,
                   const char *why)
{
    scan_skip(&t->scan);
    if (t->in_section && scan_peek(&t->scan) < 0)
        return text_records_truncated(t);
    if (quote.len == 0)
        return fail_at_line(t->err, t->line, kind, "%s", why);
    return fail_at_line(t->err, t->line, kind, "\"%s\" %s", excerpt_of(quote).text, why);
}

static bool refuse_id(struct text_records *t, const char *kind, uint64_t id,
                      const char *why)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRIx64, id);
    return refuse(t, kind, span_of(text, (size_t)len), why);
}

static bool refuse_nul(struct text_records *t)
{
    return refuse(t, "nul-byte", span_of("", 0), "a NUL byte: not text");
}

static bool refuse_missing(struct text_records *t, const char *field)
{
    return refuse(t, "missing-field", span_of("", 0), field);
}

/* --- fields -------------------------------------------------------------------- */

static bool refuse_number(struct text_records *t, unsigned base)
{
    if (t->scan.word_nul)
        return refuse_nul(t);
    return refuse(t, "bad-number", word_of(t),
                  base == 16 ? "is not a hexadecimal number" : "is not a decimal number");
}

static bool read_hex(struct text_records *t, uint64_t *value, const char *missing)
{
    enum scan_token token = scan_hex(&t->scan, value);
    if (token == SCAN_NUMBER)
        return true;
    return token == SCAN_BAD ? refuse_number(t, 16) : refuse_missing(t, missing);
}

/* Any hex digit from a to f in it. */
static bool has_letter(uint64_t value)
{
    return (value >> 3 & (value >> 2 | value >> 1) & 0x1111111111111111) != 0;
}

static bool read_size(struct text_records *t, uint64_t *size)
{
    static const char missing[] = "an object without a size";
    if (t->size_base == 10) {
        enum scan_token token = scan_number(&t->scan, 10, size);
        if (token == SCAN_NUMBER)
            return true;
        return token == SCAN_BAD ? refuse_number(t, 10) : refuse_missing(t, missing);
    }
    if (!read_hex(t, size, missing))
        return false;
    t->totals->sizes_have_letters |= has_letter(*size);
    return true;
}

/* "name stamp", where the name may have blanks in it: the rest of an a or c line. */
static bool read_name_and_stamp(struct text_records *t, struct span *name, uint64_t *stamp)
{
    if (!scan_rest(&t->scan, &t->rest))
        return refuse_nul(t);
    const char *all = t->rest.data;
    size_t at = t->rest.len;
    while (at > 0 && all[at - 1] != ' ' && all[at - 1] != '\t')
        at--;
    if (at == 0)
        return refuse_missing(t, "a section needs a name and a time stamp");
    *name = span_trim(span_of(all, at));
    struct span word = span_of(all + at, t->rest.len - at);
    if (!parse_number(word.data, word.len, 16, stamp))
        return refuse(t, "bad-number", word, "is not a hexadecimal number");
    return true;
}

/* --- records ------------------------------------------------------------------- */

/* a version name stamp */
static bool read_begin(struct text_records *t)
{
    t->version = 0;
    return read_hex(t, &t->version, "a section without a version") &&
           read_name_and_stamp(t, &t->name, &t->stamp);
}

/* t id name */
static bool read_type(struct text_records *t)
{
    uint64_t id = 0;
    if (!read_hex(t, &id, "a type without an id"))
        return false;
    if (!scan_rest(&t->scan, &t->rest))
        return refuse_nul(t);
    if (t->rest.len == 0)
        return refuse_missing(t, "a type without a name");
    if (!section_name_type(t->section, id, t->rest.data, t->rest.len, t->line))
        return refuse(t, "duplicate-type", span_of(t->rest.data, t->rest.len),
                      "has the same id as another type");
    return true;
}

/* Nulls are left out here. */
static bool read_references(struct text_records *t)
{
    uint64_t id = 0;
    enum scan_token token;
    while ((token = scan_hex(&t->scan, &id)) == SCAN_NUMBER)
        if (id != 0)
            section_reference(t->section, id);
    return token == SCAN_LINE_END || refuse_number(t, 16);
}

/* o id type size references... */
static bool read_object(struct text_records *t)
{
    uint64_t id = 0, type = 0, size = 0;
    if (!read_hex(t, &id, "an object without an id") ||
        !read_hex(t, &type, "an object without a type id") || !read_size(t, &size))
        return false;
    if (t->section->want_graph) {
        if (!read_references(t))
            return false;
    } else if (!scan_skip(&t->scan)) {
        return refuse_nul(t);
    }
    if (id == 0)
        return refuse(t, "null-id", span_of("", 0),
                      "an object with id 0, which means null");
    switch (section_object(t->section, t->totals, id, type, size, t->line)) {
    case SECTION_DUPLICATE:
        return refuse_id(t, "duplicate-object", id, "is already the id of an object");
    case SECTION_OVERFLOW:
        return refuse(t, "size-overflow", span_of("", 0),
                      "the sum of all sizes exceeds 64 bits");
    case SECTION_TOO_BIG:
        return fail(t->err, HD_TOO_BIG, "more than 4294967294 objects or references");
    case SECTION_OK:
        break;
    }
    return true;
}

enum { KIND_HANDLE = 3, KIND_STATIC = 4, KIND_COUNT = 6 };
enum { FLAG_PINNED = 1, FLAG_WEAK = 2, FLAG_UNSAFE = 4 };

static enum hd_root_kind root_kind_for(uint64_t kind, uint64_t flags)
{
    static const enum hd_root_kind kinds[KIND_COUNT] = {
        HD_ROOT_OTHER,         HD_ROOT_STACK,  HD_ROOT_FINALIZER,
        HD_ROOT_STRONG_HANDLE, HD_ROOT_STATIC, HD_ROOT_OTHER,
    };
    if (kind == KIND_HANDLE && flags & FLAG_PINNED)
        return HD_ROOT_PINNED_HANDLE;
    return kind < KIND_COUNT ? kinds[kind] : HD_ROOT_OTHER;
}

/* [type], for statics; nothing else may follow. */
static bool read_container(struct text_records *t, bool is_static, uint64_t *id,
                           bool *there)
{
    if (is_static) {
        enum scan_token token = scan_hex(&t->scan, id);
        if (token == SCAN_BAD)
            return refuse_number(t, 16);
        *there = token == SCAN_NUMBER;
    }
    scan_blanks(&t->scan);
    scan_word(&t->scan);
    if (t->scan.word_len == 0)
        return true;
    return t->scan.word_nul ? refuse_nul(t)
                            : refuse(t, "extra-field", word_of(t), "is one field too many");
}

/* r object kind flags [type] */
static bool read_root(struct text_records *t)
{
    uint64_t object = 0, kind = 0, flags = 0, container = 0;
    bool has_container = false;
    if (!read_hex(t, &object, "a root without an object") ||
        !read_hex(t, &kind, "a root without a kind") ||
        !read_hex(t, &flags, "a root without flags") ||
        !read_container(t, kind == KIND_STATIC, &container, &has_container))
        return false;
    if (object == 0)
        return true;
    if (kind >= KIND_COUNT)
        section_odd(t->section, WARN_UNKNOWN_ROOT_KIND, t->line);
    if (flags & ~(uint64_t)(FLAG_PINNED | FLAG_WEAK | FLAG_UNSAFE))
        section_odd(t->section, WARN_UNKNOWN_ROOT_FLAG, t->line);
    if (flags & FLAG_WEAK) {
        t->totals->weak_roots++;
        return true;
    }
    section_root(t->section, t->totals, object, root_kind_for(kind, flags),
                 has_container ? &container : NULL, t->line);
    return true;
}

/* c name stamp */
static bool read_end(struct text_records *t)
{
    return read_name_and_stamp(t, &t->name, &t->stamp);
}

/* --- lines --------------------------------------------------------------------- */

/* A line that does not begin with a letter and a blank: blank, or an error. */
static bool read_other(struct text_records *t)
{
    const char *why = "is not a record: expected a, t, o, r or c and a blank";
    if (t->scan.word_len == 0) {
        scan_blanks(&t->scan);
        scan_word(&t->scan);
        if (t->scan.word_len == 0)
            return true;
        why = "has leading blanks: a record starts in column 1";
    }
    return t->scan.word_nul ? refuse_nul(t) : refuse(t, "unknown-record", word_of(t), why);
}

static enum text_record bad(bool refused)
{
    return refused ? TEXT_BLANK : TEXT_BAD;
}

enum text_record text_record_read(struct text_records *t)
{
    static const struct {
        bool (*read)(struct text_records *t);
        enum text_record gives;
        char letter;
    } records[] = {
        {read_object, TEXT_RECORD, 'o'}, {read_type, TEXT_RECORD, 't'},
        {read_root, TEXT_RECORD, 'r'},   {read_begin, TEXT_BEGIN, 'a'},
        {read_end, TEXT_END, 'c'},
    };
    int letter = scan_letter(&t->scan);
    if (letter == 0)
        return read_other(t) ? TEXT_BLANK : TEXT_BAD;
    char seen = (char)letter;
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
        if (records[i].letter != seen)
            continue;
        if (seen == 'a' && t->in_section)
            return bad(refuse(t, "nested-domain", t->open, "has no end record yet"));
        if (seen != 'a' && !t->in_section)
            return bad(refuse(t, "outside-domain", span_of(&seen, 1),
                              "record outside a section (a ... c)"));
        return records[i].read(t) ? records[i].gives : TEXT_BAD;
    }
    return bad(refuse(t, "unknown-record", span_of(&seen, 1),
                      "is not a record: expected a, t, o, r or c"));
}
