/* The text heap dump of the .NET Compact Framework ("XNA" format): a record per
 * line, a letter and fields. docs/formats/heap-text.md has the grammar and every
 * error and warning.
 *
 * This file knows how records are written and which may stand where. What they
 * add up to is the section's business (text_section.h). */
#include "base/error.h"
#include "base/hash.h"
#include "format/reader.h"
#include "format/table_text.h"
#include "format/text_scan.h"
#include "format/text_section.h"

#include <inttypes.h>
#include <string.h>

/* Names of the sections so far. */
struct domain {
    UT_hash_handle hh;
};

struct heap_text {
    struct builder *b;
    struct hd_error *err;
    struct scan scan;
    uint64_t line;    /* of the record at hand, from 1 */
    struct text rest; /* of that line */
    bool in_section;
    uint64_t sections;
    struct section section;
    struct span name; /* of the section */
    struct domain *domains;
    struct arena names;
    struct root_set roots;
    struct text_totals totals;
    bool sizes_have_letters;
};

/* --- failing ------------------------------------------------------------- */

static struct span span_of(const char *s, size_t len)
{
    return (struct span){s, len};
}

/* The scanner's word, or what it has kept of it. */
static struct span word_of(const struct heap_text *t)
{
    uint64_t len = t->scan.word_len;
    return span_of(t->scan.word, len < SCAN_WORD_KEPT ? (size_t)len : SCAN_WORD_KEPT);
}

static bool truncated(struct heap_text *t)
{
    return fail_at_line(t->err, t->line, "truncated",
                        "the file ends inside a section: the dump is incomplete");
}

/* Refuse the line at hand. quote, if it has any bytes, stands in front of why. In
 * a section a last line without a line end was cut, whatever seems wrong with it. */
static bool refuse(struct heap_text *t, const char *kind, struct span quote,
                   const char *why)
{
    scan_skip(&t->scan);
    if (t->in_section && scan_peek(&t->scan) < 0)
        return truncated(t);
    if (quote.len == 0)
        return fail_at_line(t->err, t->line, kind, "%s", why);
    return fail_at_line(t->err, t->line, kind, "\"%s\" %s", excerpt_of(quote).text, why);
}

static bool refuse_id(struct heap_text *t, const char *kind, uint64_t id, const char *why)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%" PRIx64, id);
    return refuse(t, kind, span_of(text, (size_t)len), why);
}

static bool refuse_nul(struct heap_text *t)
{
    return refuse(t, "nul-byte", span_of("", 0), "a NUL byte: this is no text");
}

static bool refuse_missing(struct heap_text *t, const char *field)
{
    return refuse(t, "missing-field", span_of("", 0), field);
}

/* --- fields -------------------------------------------------------------- */

static bool refuse_number(struct heap_text *t, unsigned base)
{
    if (t->scan.word_nul)
        return refuse_nul(t);
    return refuse(t, "bad-number", word_of(t),
                  base == 16 ? "is not a hex number" : "is not a decimal number");
}

static bool read_hex(struct heap_text *t, uint64_t *value, const char *missing)
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

static bool read_size(struct heap_text *t, uint64_t *size)
{
    static const char missing[] = "an object without a size";
    if (t->b->size_base == 10) {
        enum scan_token token = scan_number(&t->scan, 10, size);
        if (token == SCAN_NUMBER)
            return true;
        return token == SCAN_BAD ? refuse_number(t, 10) : refuse_missing(t, missing);
    }
    if (!read_hex(t, size, missing))
        return false;
    t->sizes_have_letters |= has_letter(*size);
    return true;
}

/* "name stamp", where the name may have blanks in it: the rest of an a or c line. */
static bool read_name_and_stamp(struct heap_text *t, struct span *name, uint64_t *stamp)
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
        return refuse(t, "bad-number", word, "is not a hex number");
    return true;
}

/* --- records ------------------------------------------------------------- */

/* Whether the section's name is new, which it is from now on no more. */
static bool is_new_domain(struct heap_text *t)
{
    struct domain *found;
    HASH_FIND(hh, t->domains, t->name.data, t->name.len, found);
    if (found != NULL)
        return false;
    found = arena_alloc(&t->names, sizeof(*found));
    HASH_ADD_KEYPTR(hh, t->domains, t->name.data, t->name.len, found);
    return true;
}

/* a version name stamp */
static bool read_begin(struct heap_text *t)
{
    uint64_t version = 0, stamp = 0;
    struct span name = {0};
    if (!read_hex(t, &version, "a section without a version") ||
        !read_name_and_stamp(t, &name, &stamp))
        return false;
    section_begin(&t->section, t->b);
    t->in_section = true;
    t->name = span_of(arena_strdup(&t->names, name.data, name.len), name.len);
    if (version != 2)
        section_odd(&t->section, WARN_UNKNOWN_VERSION, t->line);
    struct hd_snapshot *snap = t->b->snap;
    if (!is_new_domain(t)) {
        section_odd(&t->section, WARN_REPEATED_DOMAIN, t->line);
        snap->info.complete = false;
    }
    if (t->sections++ == 0) {
        snap->info.process = builder_string(t->b, name.data, name.len);
        snap->clock = (double)stamp / 1000;
    }
    return true;
}

/* t id name */
static bool read_type(struct heap_text *t)
{
    uint64_t id = 0;
    if (!read_hex(t, &id, "a type without an id"))
        return false;
    if (!scan_rest(&t->scan, &t->rest))
        return refuse_nul(t);
    if (t->rest.len == 0)
        return refuse_missing(t, "a type without a name");
    if (!section_name_type(&t->section, id, t->rest.data, t->rest.len, t->line))
        return refuse(t, "duplicate-type", span_of(t->rest.data, t->rest.len),
                      "has the id of another type");
    return true;
}

/* Nulls are left out here. */
static bool read_references(struct heap_text *t)
{
    uint64_t id = 0;
    enum scan_token token;
    while ((token = scan_hex(&t->scan, &id)) == SCAN_NUMBER)
        if (id != 0)
            section_reference(&t->section, id);
    return token == SCAN_LINE_END || refuse_number(t, 16);
}

/* o id type size references... */
static bool read_object(struct heap_text *t)
{
    uint64_t id = 0, type = 0, size = 0;
    if (!read_hex(t, &id, "an object without an id") ||
        !read_hex(t, &type, "an object without a type id") || !read_size(t, &size))
        return false;
    if (t->b->want_graph) {
        if (!read_references(t))
            return false;
    } else if (!scan_skip(&t->scan)) {
        return refuse_nul(t);
    }
    if (id == 0)
        return refuse(t, "null-id", span_of("", 0),
                      "an object with id 0, which means null");
    switch (section_object(&t->section, id, type, size, t->line)) {
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

static enum root_kind root_kind_for(uint64_t kind, uint64_t flags)
{
    static const enum root_kind kinds[KIND_COUNT] = {
        ROOT_OTHER, ROOT_STACK, ROOT_FINALIZER, ROOT_STRONG_HANDLE, ROOT_STATIC, ROOT_OTHER,
    };
    if (kind == KIND_HANDLE && flags & FLAG_PINNED)
        return ROOT_PINNED_HANDLE;
    return kind < KIND_COUNT ? kinds[kind] : ROOT_OTHER;
}

/* [type], for statics; nothing else may follow. */
static bool read_container(struct heap_text *t, bool is_static, uint64_t *id, bool *there)
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
static bool read_root(struct heap_text *t)
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
        section_odd(&t->section, WARN_UNKNOWN_ROOT_KIND, t->line);
    if (flags & ~(uint64_t)(FLAG_PINNED | FLAG_WEAK | FLAG_UNSAFE))
        section_odd(&t->section, WARN_UNKNOWN_ROOT_FLAG, t->line);
    if (flags & FLAG_WEAK) {
        t->totals.weak_roots++;
        return true;
    }
    section_root(&t->section, &t->totals, object, root_kind_for(kind, flags),
                 has_container ? &container : NULL, t->line);
    return true;
}

/* c name stamp */
static bool read_end(struct heap_text *t)
{
    uint64_t stamp = 0;
    struct span name = {0};
    if (!read_name_and_stamp(t, &name, &stamp))
        return false;
    if (name.len != t->name.len || memcmp(name.data, t->name.data, name.len) != 0)
        section_odd(&t->section, WARN_DOMAIN_NAME_MISMATCH, t->line);
    section_end(&t->section, &t->roots, &t->totals);
    t->in_section = false;
    return true;
}

/* --- lines --------------------------------------------------------------- */

/* A line that does not begin with a letter and a blank: blank, or an error. */
static bool read_other(struct heap_text *t)
{
    const char *why = "is no record: a, t, o, r or c and a blank";
    if (t->scan.word_len == 0) {
        scan_blanks(&t->scan);
        scan_word(&t->scan);
        if (t->scan.word_len == 0)
            return true;
        why = "has blanks in front: a record starts in column 1";
    }
    return t->scan.word_nul ? refuse_nul(t) : refuse(t, "unknown-record", word_of(t), why);
}

static bool read_line(struct heap_text *t)
{
    static const struct {
        char letter;
        bool (*read)(struct heap_text *t);
    } records[] = {
        {'o', read_object}, {'t', read_type}, {'r', read_root},
        {'a', read_begin},  {'c', read_end},
    };
    int letter = scan_letter(&t->scan);
    if (letter == 0)
        return read_other(t);
    char seen = (char)letter;
    for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
        if (records[i].letter != seen)
            continue;
        if (seen == 'a' && t->in_section)
            return refuse(t, "nested-domain", t->name, "has no end record yet");
        if (seen != 'a' && !t->in_section)
            return refuse(t, "outside-domain", span_of(&seen, 1),
                          "record outside of a section (a ... c)");
        return records[i].read(t);
    }
    return refuse(t, "unknown-record", span_of(&seen, 1), "is no record: a, t, o, r or c");
}

/* --- the file ------------------------------------------------------------ */

/* Ranking and chains start at a root of all roots, even if it holds nothing. */
static void add_lone_root(struct builder *b)
{
    static const char name[] = "[roots]";
    node_id root = b->graph != NULL ? b->graph->node_count : 0;
    builder_node(b, builder_type(b, TYPE_PSEUDO, name, sizeof(name) - 1), 0);
    builder_root(b, root);
}

static void finish(struct heap_text *t)
{
    enum { MANY_OBJECTS = 1000 };
    struct hd_snapshot *snap = t->b->snap;
    const struct text_totals *totals = &t->totals;
    snap->info.has_graph = true;
    snap->info.has_roots = totals->strong_roots > 0;
    snap->weak_roots = totals->weak_roots;
    if (totals->dangling_references > totals->references / 100)
        snap->info.complete = false;
    if (snap->info.objects > MANY_OBJECTS && t->b->size_base != 10 &&
        !t->sizes_have_letters)
        builder_warn(t->b, WARN_SIZES_LOOK_DECIMAL, 0);
    if (snap->info.objects > 0 && totals->strong_roots == 0)
        builder_warn(t->b, WARN_NO_ROOTS, 0);
    if (!t->b->want_graph) {
        snap->info.roots = totals->strong_roots;
        memcpy(snap->roots_by_kind, totals->roots_by_kind, sizeof(snap->roots_by_kind));
    } else if (totals->strong_roots > 0) {
        root_set_emit(&t->roots, t->b);
    } else {
        add_lone_root(t->b);
    }
}

static bool read_lines(struct heap_text *t)
{
    for (bool more = scan_peek(&t->scan) >= 0; more; more = scan_next_line(&t->scan)) {
        t->line++;
        if (!read_line(t))
            return false;
    }
    if (t->scan.failed)
        return false;
    if (t->in_section)
        return truncated(t);
    if (t->sections == 0)
        return fail_at_line(t->err, 1, "empty", "nothing in it");
    finish(t);
    return true;
}

static size_t utf8_mark(struct bytes head)
{
    static const unsigned char mark[] = {0xEF, 0xBB, 0xBF};
    bool there = head.size >= sizeof(mark) && memcmp(head.data, mark, sizeof(mark)) == 0;
    return there ? sizeof(mark) : 0;
}

/* Little or big endian, by their byte order mark. */
static bool is_utf16(struct bytes head)
{
    return head.size >= 2 && ((head.data[0] == 0xFF && head.data[1] == 0xFE) ||
                              (head.data[0] == 0xFE && head.data[1] == 0xFF));
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct bytes head = input_head(in);
    if (is_utf16(head))
        return fail_at_line(err, 1, "utf-16", "UTF-16 text; convert it to UTF-8");
    struct heap_text t = {.b = b, .err = err, .scan = scan_begin(in, err)};
    for (size_t i = utf8_mark(head); i > 0 && scan_peek(&t.scan) >= 0; i--)
        t.scan.at++;
    bool ok = read_lines(&t);
    section_free(&t.section);
    root_set_free(&t.roots);
    HASH_CLEAR(hh, t.domains);
    arena_free(&t.names);
    text_free(&t.rest);
    return ok;
}

/* --- recognising --------------------------------------------------------- */

static bool begins_record(int letter, int next)
{
    return letter > 0 && strchr("atorc", letter) != NULL && (next == ' ' || next == '\t');
}

static enum recognition recognises_utf16(struct bytes head)
{
    enum { MARK = 2, UNIT = 2, WANTED = MARK + 2 * UNIT };
    if (head.size < WANTED)
        return RECOGNISED_NO;
    const unsigned char *p = head.data;
    bool big = p[0] == 0xFE;
    const unsigned char *first = p + MARK, *second = first + UNIT;
    bool ascii = first[big ? 0 : 1] == 0 && second[big ? 0 : 1] == 0;
    return ascii && begins_record(first[big], second[big]) ? RECOGNISED_YES : RECOGNISED_NO;
}

/* By the first line that is not blank. */
static enum recognition recognises(struct bytes head)
{
    if (is_utf16(head))
        return recognises_utf16(head);
    size_t begin = utf8_mark(head), at = begin;
    while (at < head.size && strchr(" \t\r\n", head.data[at]) != NULL && head.data[at] != 0)
        at++;
    if (at == head.size)
        return RECOGNISED_MAYBE;
    bool in_column_1 = at == begin || head.data[at - 1] == '\n';
    bool record = at + 1 < head.size && begins_record(head.data[at], head.data[at + 1]);
    return in_column_1 && record ? RECOGNISED_YES : RECOGNISED_NO;
}

const struct reader read_heap_text = {
    .name = "heap-text",
    .summary = "text heap dump of the .NET Compact Framework (XNA)",
    .recognises = recognises,
    .read = read,
};
