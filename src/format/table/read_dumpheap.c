/* read_dumpheap.c - the table that `dumpheap -stat` of SOS prints, in whatever
 * text it was pasted into. docs/formats/dumpheap-stat.md.
 *
 *   file   = *noise header *( row / skip ) footer *noise
 *   row    = MT count bytes name
 *   footer = "Total 104,534 objects, 7,588,720 bytes", the bytes since 2023
 *
 * Rows and footer must agree: what a pipe, an editor or a paste took away would
 * be reported as freed. The whole text is held in memory; a table has some 10^4
 * rows. What the command line tells is read by sos_echo.c. */
#include "base/error.h"
#include "base/hash.h"
#include "format/reader.h"
#include "format/table/sos_echo.h"
#include "format/table/table_text.h"

#include <string.h>

static const char header_words[] = "MT Count TotalSize Class Name";

/* --- recognition --------------------------------------------------------- */

/* Whether a line makes the text one of ours: a README may speak of dumpheap, but does not
 * give the command on a line of its own. */
static bool has_mark(struct span line, bool is_echo)
{
    return span_contains_nocase(line, "TotalSize") ||
           (is_echo && (span_contains_nocase(line, "dumpheap") ||
                        span_contains_nocase(line, "dumpgen")));
}

/* Any text may speak of dumpheap; the header line alone is proof. */
static enum recognition recognise_text(struct span text)
{
    bool nul = memchr(text.data, '\0', text.len) != NULL;
    struct lines lines = lines_of(text);
    struct span line;
    while (lines_next(&lines, &line))
        if (span_has_words(line, header_words))
            return RECOGNISED_YES;
    return nul ? RECOGNISED_NO : RECOGNISED_MAYBE;
}

static enum recognition recognises(struct bytes head)
{
    struct table_text t = table_text_of(head);
    enum recognition how = recognise_text(t.all);
    table_text_close(&t);
    return how;
}

/* --- the state of a reading ---------------------------------------------- */

/* A method table that has had its row. */
struct seen {
    uint64_t mt;
    UT_hash_handle hh;
};

struct reading {
    struct builder *b;
    struct hd_error *err;
    struct lines lines;
    struct sos_echo echo;
    bool other_table;     /* text in front of the header says: not of the heap */
    bool marked;          /* some line has one of the marks */
    uint64_t header_line; /* 0: not found */
    struct seen *seen;
    struct arena scratch;    /* struct seen */
    uint64_t objects, bytes; /* sums of the rows; their overflow is the builder's */
};

/* --- before the table ---------------------------------------------------- */

static bool is_strings_header(struct span line)
{
    return span_has_words(line, "Count TotalSize String Value");
}

static bool is_handle_listing(struct span line)
{
    static const char *const words[] = {"Handle", "Type", "Object", "Size"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (!span_is(span_word(&line), words[i]))
            return false;
    return true;
}

/* What only stands in front of the tables of finalizequeue, objsize, gchandles. */
static bool announces_other_table(struct span line)
{
    return span_begins(line, "Statistics for all finalizable objects") ||
           span_ends(line, "transitively keep alive:") || is_handle_listing(line);
}

static bool not_a_heap(struct reading *r, uint64_t line)
{
    return fail_at_line(r->err, line, "not-a-heap",
                        "a table of something other than the heap (finalizable objects, "
                        "handles, ...); use `dumpheap -stat`");
}

static bool strings_table(struct reading *r, uint64_t line)
{
    return fail_at_line(r->err, line, "strings-table",
                        "a table of string values; use `dumpheap -stat` without -strings");
}

/* The last echo counts; and it begins the output of another command. */
static void note_line(struct reading *r, struct span line)
{
    bool is_echo = sos_echo_read(&r->echo, line);
    r->marked |= has_mark(line, is_echo);
    if (is_echo)
        r->other_table = false;
    else
        r->other_table |= announces_other_table(span_trim(line));
}

static bool no_header(struct reading *r, struct span all)
{
    uint64_t last = r->lines.number;
    if (first_line(all).len == 0)
        return fail_at_line(r->err, 1, "empty", "no text in it");
    if (!r->marked)
        return fail(
            r->err, HD_NOT_A_SNAPSHOT,
            "not a heap snapshot: neither a gcdump, heap text nor a type table such "
            "as that of `dumpheap -stat`");
    if (r->echo.output == SOS_STRINGS)
        return strings_table(r, last);
    if (r->other_table || r->echo.output == SOS_NOT_HEAP)
        return not_a_heap(r, last);
    fail_at_line(r->err, last, "no-table",
                 "no table with the header `%s`: nothing matched, or it was cut off; use "
                 "`dumpheap -stat`",
                 header_words);
    /* Any text may speak of dumpheap; in a folder it is passed over. */
    if (r->err != NULL && r->err->status == HD_BAD_FORMAT)
        r->err->status = HD_NOT_A_SNAPSHOT;
    return false;
}

static bool find_header(struct reading *r, struct span all)
{
    struct span line;
    while (r->header_line == 0) {
        if (!lines_next(&r->lines, &line))
            return no_header(r, all);
        if (is_strings_header(line))
            return strings_table(r, r->lines.number);
        if (span_has_words(line, header_words))
            r->header_line = r->lines.number;
        else
            note_line(r, line);
    }
    if (r->echo.output == SOS_STRINGS)
        return strings_table(r, r->header_line);
    if (r->other_table || r->echo.output == SOS_NOT_HEAP)
        return not_a_heap(r, r->header_line);
    return true;
}

/* --- rows ---------------------------------------------------------------- */

static bool parse_mt(struct span word, uint64_t *mt)
{
    size_t at = span_begins(word, "0x") || span_begins(word, "0X") ? 2 : 0;
    if (word.len == at || word.len - at > 16)
        return false;
    *mt = 0;
    for (; at < word.len; at++) {
        char c = word.data[at];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return false;
        *mt = *mt << 4 | (uint64_t)digit;
    }
    return true;
}

static bool read_number(struct reading *r, struct span word, uint64_t *value)
{
    if (span_grouped_number(word, value))
        return true;
    if (span_begins(word, "..."))
        return fail_at_line(r->err, r->lines.number, "cut-number",
                            "\"%s\": this version of SOS truncates long numbers; make the "
                            "table again with a newer one",
                            excerpt_of(word).text);
    return fail_at_line(r->err, r->lines.number, "bad-number", "\"%s\" is not a number",
                        excerpt_of(word).text);
}

static bool first_time(struct reading *r, uint64_t mt)
{
    struct seen *s;
    HASH_FIND(hh, r->seen, &mt, sizeof(mt), s);
    if (s != NULL)
        return fail_at_line(r->err, r->lines.number, "duplicate-row",
                            "method table %llx has two rows: was the table pasted twice?",
                            (unsigned long long)mt);
    s = arena_alloc(&r->scratch, sizeof(*s));
    account_charge(r->scratch.account, sizeof(*s)); /* about what its buckets take */
    s->mt = mt;
    HASH_ADD(hh, r->seen, mt, sizeof(s->mt), s);
    return true;
}

/* SOS prints UNKNOWN, or the address of the method table, which means nothing in
 * another process. */
static bool is_nameless(struct span name)
{
    return span_is(name, "UNKNOWN") ||
           (span_begins(name, "<unknown_type_") && span_ends(name, ">"));
}

static bool read_row(struct reading *r, struct span line)
{
    struct span rest = line;
    struct span mt_word = span_word(&rest), count = span_word(&rest),
                bytes = span_word(&rest);
    struct table_row row = {.name = span_trim(rest), .line = r->lines.number};
    uint64_t mt;
    if (row.name.len == 0 || !parse_mt(mt_word, &mt))
        return fail_at_line(
            r->err, row.line, "bad-row",
            "\"%s\" is not a row: expected method table, count, size and name",
            excerpt_of(span_trim(line)).text);
    if (!read_number(r, count, &row.count) || !read_number(r, bytes, &row.bytes) ||
        !first_time(r, mt))
        return false;
    if (is_nameless(row.name))
        row.name.len = 0;
    if (!table_row_add(r->b, &row, r->err))
        return false;
    r->objects += row.count;
    r->bytes += row.bytes;
    return true;
}

/* --- the footer ---------------------------------------------------------- */

struct footer {
    uint64_t objects, bytes;
    bool negative, has_bytes;
    bool grouped; /* the number of objects has separators */
};

/* False when line is no footer. A number in it that is none leaves err set. */
static bool parse_footer(struct reading *r, struct span line, struct footer *f)
{
    *f = (struct footer){0};
    if (!span_is(span_word(&line), "Total"))
        return false;
    struct span number = span_word(&line), objects = span_word(&line);
    struct span bytes = span_word(&line), unit = span_word(&line);
    f->has_bytes = span_is(objects, "objects,") && span_is(unit, "bytes");
    bool plain = span_is(objects, "objects") && bytes.len == 0;
    if (span_trim(line).len > 0 || (!f->has_bytes && !plain))
        return false;
    f->negative = span_begins(number, "-");
    if (f->negative) {
        number.data++;
        number.len--;
    }
    uint64_t ignored;
    f->grouped = !span_number(number, &ignored);
    return read_number(r, number, &f->objects) &&
           (!f->has_bytes || read_number(r, bytes, &f->bytes));
}

/* The SOS written in C++ adds up in a signed 32-bit number, which wraps; it
 * prints neither bytes nor, since .NET 2.0, separators. */
static bool objects_agree(const struct footer *f, uint64_t objects)
{
    if (!f->negative && f->objects == objects)
        return true;
    if (f->has_bytes || f->grouped || f->objects > (uint64_t)INT32_MAX + f->negative)
        return false;
    uint64_t printed = f->negative ? 0 - f->objects : f->objects;
    return (uint32_t)printed == (uint32_t)objects;
}

/* 104534 -> "104,534", for messages that quote a tool that does the same. */
static struct excerpt grouped(uint64_t value)
{
    char digits[24];
    struct excerpt e = {{0}};
    int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    size_t len = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            e.text[len++] = ',';
        e.text[len++] = digits[i];
    }
    return e;
}

static bool mismatch(struct reading *r, uint64_t rows, const char *sign, uint64_t footer,
                     const char *unit)
{
    return fail_at_line(
        r->err, r->lines.number, "total-mismatch",
        "rows add up to %s %s, the footer says %s%s: rows were lost or edited",
        grouped(rows).text, unit, sign, grouped(footer).text);
}

static bool check_footer(struct reading *r, const struct footer *f)
{
    if (!objects_agree(f, r->objects))
        return mismatch(r, r->objects, f->negative ? "-" : "", f->objects, "objects");
    if (f->has_bytes && f->bytes != r->bytes)
        return mismatch(r, r->bytes, "", f->bytes, "bytes");
    return true;
}

/* --- the table ----------------------------------------------------------- */

static bool truncated(struct reading *r)
{
    return fail_at_line(
        r->err, r->lines.number, "truncated",
        "the table ends without the line `Total ... objects`; copy all of it");
}

/* Rows up to and with the footer. */
static bool read_table(struct reading *r)
{
    struct span line;
    while (lines_next(&r->lines, &line)) {
        struct span trimmed = span_trim(line);
        struct footer footer;
        /* Debuggers complain about symbols while they look names up. */
        if (trimmed.len == 0 || span_begins(trimmed, "***"))
            continue;
        if (sos_is_prompt(trimmed))
            return truncated(r);
        if (span_begins(trimmed, "Total") && parse_footer(r, trimmed, &footer))
            return check_footer(r, &footer);
        if (!read_row(r, line))
            return false;
    }
    return truncated(r);
}

static bool read_rest(struct reading *r)
{
    bool first = true;
    struct span line;
    while (lines_next(&r->lines, &line)) {
        struct span trimmed = span_trim(line);
        if (trimmed.len == 0)
            continue;
        if (first && span_is(trimmed, "Handles:"))
            return not_a_heap(r, r->header_line);
        first = false;
        if (span_has_words(trimmed, header_words))
            return fail_at_line(r->err, r->lines.number, "several-tables",
                                "a second table; put each into its own file");
    }
    return true;
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct table_text t;
    struct reading r = {.b = b, .err = err, .scratch = {.account = builder_account(b)}};
    bool ok = table_text_open(&t, in, b, err) && table_text_has_no_nul(&t, err);
    if (ok) {
        r.lines = lines_of(t.all);
        ok = find_header(&r, t.all);
    }
    if (ok) {
        sos_echo_report(&r.echo, b);
        ok = read_table(&r) && read_rest(&r);
    }
    HASH_CLEAR(hh, r.seen);
    arena_free(&r.scratch);
    sos_echo_free(&r.echo);
    table_text_close(&t);
    return ok;
}

const struct reader read_dumpheap = {
    .name = "dumpheap-stat",
    .summary = "type table of SOS: `dumpheap -stat`, `dumpgen`",
    .recognises = recognises,
    .read = read,
};
