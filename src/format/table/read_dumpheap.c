/* read_dumpheap.c - the table that `dumpheap -stat` of SOS prints, in whatever
 * text it was pasted into. docs/formats/dumpheap-stat.md.
 *
 *   file   = *noise header *( row / skip ) footer *noise
 *   row    = MT count bytes name
 *   footer = "Total 104,534 objects, 7,588,720 bytes", the bytes since 2023
 *
 * The text is whatever was pasted: quoted, with the prefixes of a log, the tail of a table,
 * lines replaced by "...". Lines that are no rows are left out. If rows and footer do not
 * agree then, or there is no footer, the snapshot is incomplete: what a pipe, an editor or
 * a paste took away would be reported as freed. The whole text is held in memory; a table
 * has some 10^4 rows. The command line is read by sos_echo.c. */
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

static size_t parse_mt(struct span word, uint64_t *mt)
{
    size_t at = span_begins(word, "0x") || span_begins(word, "0X") ? 2 : 0, digits = 0;
    if (word.len == at || word.len - at > 16)
        return 0;
    *mt = 0;
    for (; at < word.len; at++, digits++) {
        char c = word.data[at];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return 0;
        *mt = *mt << 4 | (uint64_t)digit;
    }
    return digits;
}

/* A row by itself, without a header above it: then its method table has all its digits. */
static bool looks_like_row(struct span line)
{
    enum { MIN_DIGITS = 8 };
    struct span mt = span_word(&line), count = span_word(&line), bytes = span_word(&line);
    uint64_t number;
    return parse_mt(mt, &number) >= MIN_DIGITS && span_grouped_number(count, &number) &&
           span_grouped_number(bytes, &number) && span_trim(line).len > 0;
}

/* Where the table is in a text, and what is in front of each of its lines: the marks of a
 * quotation, or the time and stream of a log, which are words. */
struct layout {
    bool has_header;
    unsigned rows; /* before the header, at most enough of them */
    size_t prefix; /* words */
};

enum { MAX_PREFIX = 8, ENOUGH_ROWS = 2 };

/* Fields of an object are listed like rows: MT, Field, Offset, Type. */
static bool is_field_listing(struct span line)
{
    struct span mt = span_word(&line), field = span_word(&line);
    return span_is(mt, "MT") && span_is(field, "Field");
}

static bool look_at_line(struct layout *l, struct span line, bool *rows_are_fields)
{
    for (size_t words = 0; words <= MAX_PREFIX && line.len > 0; words++) {
        l->has_header = span_has_words(line, header_words);
        *rows_are_fields |= is_field_listing(line);
        bool is_row = !*rows_are_fields && l->rows < ENOUGH_ROWS && looks_like_row(line);
        if (l->has_header || (is_row && l->rows == 0))
            l->prefix = words;
        l->rows += is_row;
        if (is_row || l->has_header)
            break;
        span_word(&line);
    }
    return l->has_header;
}

static struct layout layout_of(struct span text)
{
    struct layout l = {0};
    struct lines lines = lines_of(text);
    struct span line;
    bool rows_are_fields = false;
    while (lines_next(&lines, &line) && !look_at_line(&l, line, &rows_are_fields))
        continue;
    if (rows_are_fields)
        l.rows = 0;
    return l;
}

/* Any text may speak of dumpheap; the header line alone is proof. */
static enum recognition recognise_text(struct span text)
{
    if (layout_of(text).has_header)
        return RECOGNISED_YES;
    bool nul = memchr(text.data, '\0', text.len) != NULL;
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
    struct layout layout;
    struct sos_echo echo;
    bool other_table;     /* text in front of the header says: not of the heap */
    bool marked;          /* some line has one of the marks */
    uint64_t header_line; /* or that of the first row; 0: not found */
    const char *end;      /* of the text */
    uint64_t rows;
    uint64_t left_out, first_left_out; /* lines between rows that are none; its number */
    uint64_t last_row_cut;             /* its line; 0: it is not */
    bool has_footer;
    uint64_t missing; /* objects of the footer that no row has */
    bool has_string;  /* there is a row of System.String */
    bool has_small;   /* there is a row of small objects */
    struct seen *seen;
    struct arena scratch;    /* struct seen */
    uint64_t objects, bytes; /* sums of the rows; their overflow is the builder's */
};

/* The next line without its prefix. */
static bool next_line(struct reading *r, struct span *line)
{
    if (!lines_next(&r->lines, line))
        return false;
    for (size_t i = 0; i < r->layout.prefix; i++)
        span_word(line);
    return true;
}

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
    bool headless = !r->layout.has_header && r->layout.rows == ENOUGH_ROWS;
    while (r->header_line == 0) {
        struct lines before = r->lines;
        if (!next_line(r, &line))
            return no_header(r, all);
        if (is_strings_header(line))
            return strings_table(r, r->lines.number);
        if (span_has_words(line, header_words) || (headless && looks_like_row(line)))
            r->header_line = r->lines.number;
        else
            note_line(r, line);
        if (headless && r->header_line > 0)
            r->lines = before;
    }
    if (r->echo.output == SOS_STRINGS)
        return strings_table(r, r->header_line);
    if (r->other_table || r->echo.output == SOS_NOT_HEAP)
        return not_a_heap(r, r->header_line);
    return true;
}

/* --- rows ---------------------------------------------------------------- */

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

static bool leave_out(struct reading *r, uint64_t *count)
{
    if (r->left_out + *count == 0)
        r->first_left_out = r->lines.number;
    ++*count;
    return true;
}

/* Notes written beside a row, and set apart from its name by more than one blank. */
static struct span without_note(struct span name)
{
    static const char *const marks[] = {"<--", "<==", u8"\u2190", "//", "#"};
    for (size_t i = 1; i + 2 < name.len; i++)
        for (size_t m = 0; m < sizeof(marks) / sizeof(*marks); m++)
            if (memcmp(name.data + i - 1, "  ", 2) == 0 &&
                span_begins((struct span){name.data + i + 1, name.len - i - 1}, marks[m]))
                return span_trim((struct span){name.data, i});
    return name;
}

/* A heap has strings, and objects without fields: 12 or 24 bytes. */
static void note_row(struct reading *r, const struct table_row *row)
{
    enum { SMALL = 128 };
    r->rows++;
    r->objects += row->count;
    r->bytes += row->bytes;
    r->has_string |= span_is(row->name, "System.String");
    r->has_small |= row->count > 0 && row->bytes / row->count < SMALL;
}

/* "000 System.String": what is left of 12 000 if blanks are separators. */
static bool begins_with_number(struct span name)
{
    uint64_t number;
    struct span first = span_word(&name);
    return span_number(first, &number) && span_trim(name).len > 0;
}

/* Counts a row; a line that is none is left out, and counted in *left. */
static bool read_row(struct reading *r, struct span line, uint64_t *left)
{
    struct span rest = line;
    struct span mt_word = span_word(&rest), count = span_word(&rest),
                bytes = span_word(&rest);
    struct table_row row = {.name = without_note(span_trim(rest)), .line = r->lines.number};
    uint64_t mt;
    if (row.name.len == 0 || parse_mt(mt_word, &mt) == 0)
        return leave_out(r, left);
    if (!read_number(r, count, &row.count) || !read_number(r, bytes, &row.bytes))
        return false;
    if (begins_with_number(row.name))
        return fail_at_line(r->err, row.line, "bad-number",
                            "\"%s\" is no name: the numbers before it have blanks in them",
                            excerpt_of(row.name).text);
    if (!first_time(r, mt))
        return false;
    if (is_nameless(row.name))
        row.name.len = 0;
    if (!table_row_add(r->b, &row, r->err))
        return false;
    note_row(r, &row);
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
    bool fewer = !f->negative && r->rows > 0 && r->objects < f->objects &&
                 f->objects <= (f->has_bytes || f->grouped ? UINT64_MAX : INT32_MAX) &&
                 (!f->has_bytes || r->bytes < f->bytes);
    r->missing = fewer ? f->objects - r->objects : 0;
    if (!fewer && !objects_agree(f, r->objects))
        return mismatch(r, r->objects, f->negative ? "-" : "", f->objects, "objects");
    if (!fewer && f->has_bytes && f->bytes != r->bytes)
        return mismatch(r, r->bytes, "", f->bytes, "bytes");
    return true;
}

/* --- the table ----------------------------------------------------------- */

static bool several_tables(struct reading *r)
{
    return fail_at_line(r->err, r->lines.number, "several-tables",
                        "a second table; put each into its own file");
}

static bool has_rows(struct reading *r)
{
    if (r->rows == 0 && r->left_out > 0)
        return fail_at_line(r->err, r->first_left_out, "bad-row",
                            "no row: expected method table, count, size and name");
    return r->rows > 0 || r->has_footer ||
           fail_at_line(
               r->err, r->lines.number, "truncated",
               "the table ends without the line `Total ... objects`; copy all of it");
}

/* Without a footer the last line may be half a row, whose name looks like a whole one. */
static bool is_cut(const struct reading *r, struct span line)
{
    return line.data + line.len == r->end;
}

/* Rows up to and with the footer, or up to the end of the text or the next prompt. Lines
 * after the last row are not the table's. */
static bool read_table(struct reading *r)
{
    struct span line;
    uint64_t left = 0;
    while (next_line(r, &line)) {
        struct span trimmed = span_trim(line);
        struct footer footer;
        /* Debuggers complain about symbols while they look names up. */
        if (trimmed.len == 0 || span_begins(trimmed, "***"))
            continue;
        if (sos_is_prompt(trimmed))
            break;
        if (r->rows > 0 && span_has_words(trimmed, header_words))
            return several_tables(r);
        if (span_begins(trimmed, "Total") && parse_footer(r, trimmed, &footer)) {
            r->left_out += left;
            r->has_footer = true;
            return has_rows(r) && check_footer(r, &footer);
        }
        if (r->err != NULL && r->err->status != HD_OK)
            return false;
        if (is_cut(r, line)) {
            r->last_row_cut = r->lines.number;
            break;
        }
        uint64_t before = r->rows;
        if (!read_row(r, line, &left))
            return false;
        if (r->rows > before) {
            r->left_out += left;
            left = 0;
        }
    }
    r->left_out += r->rows == 0 ? left : 0;
    return has_rows(r);
}

/* --- what is missing ----------------------------------------------------- */

static void add_counted(struct text *t, uint64_t n, const char *one, const char *many)
{
    text_add_string(t, grouped(n).text);
    text_add_string(t, n == 1 ? one : many);
}

/* Says what was left out of the table, if anything was. */
static void report_excerpt(struct reading *r)
{
    struct text t = {0};
    if (r->has_footer && r->missing == 0)
        return;
    text_add_string(&t, "an excerpt of a table: ");
    if (r->has_footer)
        add_counted(&t, r->missing, " object of its total is", " objects of its total are");
    else
        text_add_string(&t, "how many objects are");
    text_add_string(&t, r->has_footer ? " not listed"
                                      : " not listed is unknown, it has no total");
    if (r->left_out > 0) {
        text_add_string(&t, "; ");
        add_counted(&t, r->left_out, " line was left out", " lines were left out");
    }
    if (r->last_row_cut > 0)
        text_add_string(&t, "; the last line, which may be cut, was left out");
    r->b->snap->info.complete = false;
    builder_warn(r->b, WARN_INCOMPLETE, r->first_left_out);
    warnings_add_detail(&r->b->snap->warnings, WARN_INCOMPLETE,
                        builder_string(r->b, t.data, t.len));
    text_free(&t);
}

/* A filter that no command tells of. Tables of one generation may lack either. */
static void report_part(struct reading *r)
{
    if (r->rows == 0 || r->echo.filters.len > 0 || r->echo.generation != NULL ||
        !r->b->snap->info.complete || (r->has_string && r->has_small))
        return;
    builder_warn(r->b, WARN_FILTERED, 0);
    warnings_add_detail(&r->b->snap->warnings, WARN_FILTERED,
                        r->has_string
                            ? "no type of small objects is listed: a part of a heap"
                            : "no System.String is listed: a part of a heap");
}

static bool read_rest(struct reading *r)
{
    bool first = true;
    struct span line;
    while (next_line(r, &line)) {
        struct span trimmed = span_trim(line);
        if (trimmed.len == 0)
            continue;
        if (first && span_is(trimmed, "Handles:"))
            return not_a_heap(r, r->header_line);
        first = false;
        bool is_row = !r->layout.has_header && looks_like_row(trimmed);
        if (is_row || span_has_words(trimmed, header_words))
            return several_tables(r);
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
        r.end = t.all.data + t.all.len;
        r.layout = layout_of(t.all);
        ok = find_header(&r, t.all);
    }
    if (ok) {
        sos_echo_report(&r.echo, b);
        ok = read_table(&r) && read_rest(&r);
    }
    if (ok) {
        report_excerpt(&r);
        report_part(&r);
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
