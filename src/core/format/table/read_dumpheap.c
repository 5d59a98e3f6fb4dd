/* Reads the table that `dumpheap -stat` of SOS prints, in any text it was pasted into.
 * docs/formats/dumpheap-stat.md.
 *
 *   file   = *noise header *( row / skip ) footer *noise
 *   row    = MT count bytes name
 *   footer = "Total 104,534 objects, 7,588,720 bytes", the bytes since 2023
 *
 * The text may be quoted, have the prefixes of a log, be the tail of a table, or have lines
 * replaced by "...". Other lines than rows are skipped. If rows and footer do not agree
 * then, or the footer is missing, the snapshot is incomplete: rows that a pipe, an editor
 * or a paste dropped would be reported as freed. The whole text is held in memory; a table
 * has some 10^4 rows. */
#include "base/error.h"
#include "base/say.h"
#include "format/table/type_tables.h"
#include "heap/ids.h"

#include <string.h>

static const char header_words[] = "MT Count TotalSize Class Name";

/* --- spans --------------------------------------------------------------- */

static void skip(struct span *s, size_t n)
{
    s->data += n;
    s->len -= n;
}

/* Skips text; false if s does not begin with it. */
static bool skip_text(struct span *s, const char *text)
{
    bool begins = span_begins(*s, text);
    skip(s, begins ? strlen(text) : 0);
    return begins;
}

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Skips bytes of the set; returns how many. */
static size_t skip_all(struct span *s, const char *set)
{
    size_t n = 0;
    while (n < s->len && is_one_of(s->data[n], set))
        n++;
    skip(s, n);
    return n;
}

/* --- the command line ---------------------------------------------------- */

/* Facts about a table from the echo of a debugger's command line.
 *
 *   0:000> !dumpheap -stat -live -gen gen2
 *   (lldb) sos dumpheap -stat -live
 *   > dumpgen gen2
 *
 * A table does not contain which objects are in it; the command does, if the transcript has
 * it. */

enum sos_output {
    SOS_ANYTHING, /* no echo, or a command without a table */
    SOS_HEAP,     /* dumpheap or dumpgen: the table counts the heap */
    SOS_STRINGS,  /* dumpheap -strings: a table of values */
    SOS_NO_TABLE, /* dumpheap -short, -thinlock */
    SOS_NOT_HEAP  /* a table of the same form, but of something else */
};

struct sos_echo {
    enum sos_output output;
    struct text command;    /* without prompt; empty if not of dumpheap or dumpgen */
    struct text filters;    /* "-type Orchard -min 40" */
    const char *generation; /* NULL: unknown, or all; static */
    bool live, dead;
};

static void echo_free(struct sos_echo *e)
{
    text_free(&e->command);
    text_free(&e->filters);
    *e = (struct sos_echo){0};
}

/* 0:000>   0:000:x86>   0: kd>   (WinDbg, cdb, kd) */
static bool skip_windbg_prompt(struct span *s)
{
    static const char decimal[] = "0123456789";
    if (skip_all(s, decimal) == 0 || !skip_text(s, ":"))
        return false;
    if (skip_all(s, decimal) == 0) {
        skip_all(s, " ");
        if (!skip_text(s, "kd"))
            return false;
    }
    if (skip_text(s, ":"))
        while (s->len > 0 && !is_one_of(s->data[0], "> "))
            skip(s, 1);
    return skip_text(s, ">");
}

/* True if the line has a prompt, with or without a command; *line becomes the rest. */
static bool skip_prompt(struct span *line)
{
    struct span s = span_trim(*line);
    if (!skip_text(&s, "(lldb)") && !skip_text(&s, ">") && !skip_windbg_prompt(&s))
        return false;
    *line = s;
    return true;
}

/* An argument ends at a blank, unless that is in quotes. */
static struct span parse_argument(struct span *rest)
{
    skip_all(rest, " \t");
    struct span argument = {rest->data, 0};
    for (bool quoted = false; argument.len < rest->len; argument.len++) {
        char c = rest->data[argument.len];
        quoted ^= c == '"';
        if (!quoted && is_one_of(c, " \t"))
            break;
    }
    skip(rest, argument.len);
    return argument;
}

static void add_argument(struct text *t, struct span word)
{
    if (t->len > 0)
        text_add_char(t, ' ');
    text_add(t, word.data, word.len);
}

static bool is_address(struct span s)
{
    if (!skip_text(&s, "0x"))
        skip_text(&s, "0X");
    /* WinDbg writes 00007f21`34000028. */
    return skip_all(&s, "0123456789abcdefABCDEF`") > 0 && s.len == 0;
}

/* NULL for all generations, and for unknown words. */
static const char *sos_generation(struct span word)
{
    static const char *const known[][2] = {
        {"gen0", "gen0"},  {"gen1", "gen1"},  {"gen2", "gen2"},
        {"loh", "loh"},    {"large", "loh"},  {"poh", "poh"},
        {"pinned", "poh"}, {"foh", "frozen"}, {"frozen", "frozen"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (span_is_nocase(word, known[i][0]))
            return known[i][1];
    return NULL;
}

/* Reads an option. Its value may be attached: -gen:gen2, -gen=gen2. Filters are stored as
 * in the documentation, whatever their case and first character, so that two such lists can
 * be compared. */
static void read_option(struct sos_echo *e, struct span option, struct span *rest)
{
    static const char *const names[] = {"type", "mt", "min", "max", "heap", "segment"};
    const char *filter = NULL;
    struct span value = option;
    while (value.len > 0 && !is_one_of(value.data[0], "=:"))
        skip(&value, 1);
    option.len -= value.len;
    skip(&value, value.len > 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (span_is_nocase(option, names[i]))
            filter = names[i];
    bool is_generation = span_is_nocase(option, "gen");
    if ((filter != NULL || is_generation) && value.len == 0) {
        value = parse_argument(rest);
        if (value.len > 0)
            add_argument(&e->command, value);
    }
    if (filter != NULL) {
        say(&e->filters, e->filters.len > 0 ? " -" : "-", filter);
        add_argument(&e->filters, value);
    } else if (is_generation) {
        e->generation = sos_generation(value);
    } else if (span_is_nocase(option, "strings")) {
        e->output = SOS_STRINGS;
    } else if (span_is_nocase(option, "short") || span_is_nocase(option, "thinlock")) {
        e->output = SOS_ANYTHING;
    }
    e->live |= span_is_nocase(option, "live");
    e->dead |= span_is_nocase(option, "dead");
}

/* Bare words are the generation of dumpgen, or a range of addresses. */
static void read_arguments(struct sos_echo *e, struct span rest, bool dumpgen)
{
    struct span argument;
    while ((argument = parse_argument(&rest)).len > 0) {
        add_argument(&e->command, argument);
        if (argument.len > 1 && is_one_of(argument.data[0], "-/")) {
            skip(&argument, 1);
            read_option(e, argument, &rest);
        } else if (dumpgen) {
            e->generation = sos_generation(argument);
            dumpgen = false;
        } else if (is_address(argument)) {
            add_argument(&e->filters, argument);
        }
    }
}

/* If line is an echo, replaces *e by its contents. */
static bool read_echo(struct sos_echo *e, struct span line)
{
    /* tables with the header of dumpheap that count something else */
    static const char *const not_heap[] = {"finalizequeue", "objsize", "gchandles",
                                           "threadpool", "notreachableinrange"};
    struct span rest = line;
    bool prompt = skip_prompt(&rest);
    rest = span_trim(rest);
    /* The command's own name: of !sos.dumpheap, sos dumpheap or ext dumpheap. */
    bool bang = skip_text(&rest, "!");
    struct span command = span_word(&rest);
    if (!bang && (span_is_nocase(command, "sos") || span_is_nocase(command, "ext")))
        command = span_word(&rest);
    for (size_t i = command.len; i > 0; i--)
        if (command.data[i - 1] == '.') {
            skip(&command, i);
            break;
        }
    bool dumpgen = span_is_nocase(command, "dumpgen");
    bool heap = dumpgen || span_is_nocase(command, "dumpheap");
    /* Only these two are recognised without a prompt: any line has a first word. */
    if (!heap && (!prompt || command.len == 0))
        return false;
    echo_free(e);
    if (heap) {
        e->output = SOS_HEAP;
        add_argument(&e->command, command);
        read_arguments(e, rest, dumpgen);
    }
    for (size_t i = 0; i < sizeof(not_heap) / sizeof(not_heap[0]); i++)
        if (span_is_nocase(command, not_heap[i]))
            e->output = SOS_NOT_HEAP;
    return true;
}

/* --- recognition --------------------------------------------------------- */

/* Returns the number of digits of a method table; 0 if word is not one. */
static size_t parse_mt(struct span word, uint64_t *mt)
{
    enum { MAX_DIGITS = 16 };
    if (!skip_text(&word, "0x"))
        skip_text(&word, "0X");
    if (word.len > MAX_DIGITS)
        return 0;
    *mt = 0;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.data[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return 0;
        *mt = *mt << 4 | (uint64_t)digit;
    }
    return word.len;
}

/* True for a row without a header above it: its method table must have all digits. */
static bool looks_like_row(struct span line)
{
    enum { MIN_DIGITS = 8 };
    struct span mt = span_word(&line), count = span_word(&line), bytes = span_word(&line);
    uint64_t number;
    return parse_mt(mt, &number) >= MIN_DIGITS && span_grouped_number(count, &number) &&
           span_grouped_number(bytes, &number) && span_trim(line).len > 0;
}

/* The position of the table in a text, and the prefix of its lines: the marks of a
 * quotation, or the time and stream of a log, which are words. */
struct dumpheap_layout {
    bool has_header;
    unsigned rows; /* before the header, at most ENOUGH_ROWS */
    size_t prefix; /* words */
};

enum { MAX_PREFIX = 8, ENOUGH_ROWS = 2 };

static struct dumpheap_layout layout_of(struct span text)
{
    struct dumpheap_layout l = {0};
    struct lines lines = lines_of(text);
    struct span line;
    /* Fields of an object are listed like rows: MT, Field, Offset, Type. */
    bool has_fields = false;
    while (!l.has_header && lines_next(&lines, &line)) {
        bool is_row = false;
        for (size_t words = 0; words <= MAX_PREFIX && line.len > 0; words++) {
            struct span rest = line;
            l.has_header = span_has_words(line, header_words);
            has_fields |=
                span_is(span_word(&rest), "MT") && span_is(span_word(&rest), "Field");
            is_row = !has_fields && l.rows < ENOUGH_ROWS && looks_like_row(line);
            if (l.has_header || (is_row && l.rows == 0))
                l.prefix = words;
            if (l.has_header || is_row)
                break;
            span_word(&line);
        }
        l.rows += is_row;
    }
    if (has_fields)
        l.rows = 0;
    return l;
}

/* Any text may mention dumpheap; the header line alone is proof. */
static enum recognition dumpheap_by_text(struct span text)
{
    if (layout_of(text).has_header)
        return RECOGNISED_YES;
    return memchr(text.data, '\0', text.len) != NULL ? RECOGNISED_NO : RECOGNISED_MAYBE;
}

static enum recognition dumpheap_recognises(struct bytes head)
{
    return type_table_recognise(head, dumpheap_by_text);
}

/* --- before the table ---------------------------------------------------- */

struct dumpheap {
    struct type_table *t;
    struct dumpheap_layout layout;
    struct sos_echo echo;
    bool other_table;     /* text before the header announces one that is not of the heap */
    bool marked;          /* some line has one of the marks */
    uint64_t header_line; /* or that of the first row; 0: not found */
    uint64_t rows;
    uint64_t left_out;       /* other lines between rows */
    uint64_t left;           /* the same after the last row */
    uint64_t first_left_out; /* its number */
    bool last_row_cut, has_footer;
    uint64_t missing;        /* objects of the footer that no row has */
    bool has_string;         /* a row of System.String was read */
    bool has_small;          /* a row of small objects was read */
    struct id_numbers seen;  /* method tables of rows */
    uint64_t objects, bytes; /* sums of the rows; their overflow is the builder's */
};

static bool refuse_dumpheap(struct dumpheap *r, const char *kind, const char *why)
{
    return fail_at_line(r->t->err, r->t->lines.number, kind, "%s", why);
}

/* The next line without its prefix. */
static bool next_line(struct dumpheap *r, struct span *line)
{
    if (!lines_next(&r->t->lines, line))
        return false;
    for (size_t i = 0; i < r->layout.prefix; i++)
        span_word(line);
    return true;
}

/* Lines before the tables of finalizequeue, objsize and gchandles. */
static bool announces_other_table(struct span line)
{
    static const char *const handles[] = {"Handle", "Type", "Object", "Size"};
    if (span_begins(line, "Statistics for all finalizable objects") ||
        span_ends(line, "transitively keep alive:"))
        return true;
    for (size_t i = 0; i < sizeof(handles) / sizeof(handles[0]); i++)
        if (!span_is(span_word(&line), handles[i]))
            return false;
    return true;
}

static bool strings_table(struct dumpheap *r)
{
    return refuse_dumpheap(
        r, "strings-table",
        "a table of string values; use `dumpheap -stat` without -strings");
}

static bool not_a_heap(struct dumpheap *r, uint64_t line)
{
    return fail_at_line(r->t->err, line, "not-a-heap",
                        "a table of something other than the heap (finalizable objects, "
                        "handles, ...); use `dumpheap -stat`");
}

/* Fails unless the table counts the heap, as far as the lines before it show. */
static bool counts_heap(struct dumpheap *r)
{
    if (r->echo.output == SOS_STRINGS)
        return strings_table(r);
    return (!r->other_table && r->echo.output != SOS_NOT_HEAP) ||
           not_a_heap(r, r->t->lines.number);
}

static bool no_header(struct dumpheap *r)
{
    struct hd_error *err = r->t->err;
    if (first_line(r->t->text).len == 0)
        return fail_at_line(err, 1, "empty", "no text in it");
    if (!r->marked)
        return fail(
            err, HD_NOT_A_SNAPSHOT,
            "not a heap snapshot: neither a gcdump, heap text nor a type table such "
            "as that of `dumpheap -stat`");
    if (!counts_heap(r))
        return false;
    fail_at_line(err, r->t->lines.number, "no-table",
                 "no table with the header `%s`: nothing matched, or it was cut off; use "
                 "`dumpheap -stat`",
                 header_words);
    /* Any text may mention dumpheap; in a folder it is skipped. */
    if (err != NULL && err->status == HD_BAD_FORMAT)
        err->status = HD_NOT_A_SNAPSHOT;
    return false;
}

/* Finds the table; without a header it begins with its first row. */
static bool find_header(struct dumpheap *r)
{
    struct span line;
    bool headless = !r->layout.has_header && r->layout.rows == ENOUGH_ROWS;
    while (r->header_line == 0) {
        struct lines before = r->t->lines;
        if (!next_line(r, &line))
            return no_header(r);
        if (span_has_words(line, "Count TotalSize String Value"))
            return strings_table(r);
        if (span_has_words(line, header_words) || (headless && looks_like_row(line))) {
            r->header_line = r->t->lines.number;
        } else {
            /* The last echo counts; and it begins the output of another command. A README
             * may mention dumpheap, but does not have the command on a line of its own. */
            bool is_echo = read_echo(&r->echo, line);
            r->marked |= span_contains_nocase(line, "TotalSize") ||
                         (is_echo && (span_contains_nocase(line, "dumpheap") ||
                                      span_contains_nocase(line, "dumpgen")));
            r->other_table =
                !is_echo && (r->other_table || announces_other_table(span_trim(line)));
        }
        if (r->header_line > 0 && !counts_heap(r))
            return false;
        if (r->header_line > 0 && headless)
            r->t->lines = before;
    }
    return true;
}

/* --- rows ---------------------------------------------------------------- */

static bool read_count(struct dumpheap *r, struct span word, uint64_t *value)
{
    if (span_grouped_number(word, value))
        return true;
    if (span_begins(word, "..."))
        return fail_at_line(r->t->err, r->t->lines.number, "cut-number",
                            "\"%s\": this version of SOS truncates long numbers; make the "
                            "table again with a newer one",
                            excerpt_of(word).text);
    return type_table_bad_number(r->t, word);
}

/* SOS prints UNKNOWN, or the address of the method table, which is meaningless in another
 * process. */
static bool is_unnamed(struct span name)
{
    return span_is(name, "UNKNOWN") ||
           (span_begins(name, "<unknown_type_") && span_ends(name, ">"));
}

/* Drops a note after a name, separated from it by more than one blank. */
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

/* "000 System.String": what is left of 12 000 if blanks are separators. */
static bool begins_with_number(struct span name)
{
    uint64_t number;
    struct span first = span_word(&name);
    return span_number(first, &number) && span_trim(name).len > 0;
}

/* Counts a row; skips other lines. */
static bool read_dumpheap_row(struct dumpheap *r, struct span line)
{
    enum { SMALL = 128 };
    struct hd_error *err = r->t->err;
    struct span rest = line, mt_word = span_word(&rest), count = span_word(&rest),
                bytes = span_word(&rest);
    struct type_table_row row = {.name = without_note(span_trim(rest)),
                                 .line = r->t->lines.number};
    uint64_t mt;
    if (row.name.len == 0 || parse_mt(mt_word, &mt) == 0) {
        if (r->left_out + r->left++ == 0)
            r->first_left_out = row.line;
        return true;
    }
    if (!read_count(r, count, &row.count) || !read_count(r, bytes, &row.bytes))
        return false;
    if (begins_with_number(row.name))
        return fail_at_line(err, row.line, "bad-number",
                            "\"%s\" is no name: the numbers before it have blanks in them",
                            excerpt_of(row.name).text);
    if (id_numbers_add(&r->seen, mt) + 1 != ++r->rows)
        return fail_at_line(err, row.line, "duplicate-row",
                            "method table %llx has two rows: was the table pasted twice?",
                            (unsigned long long)mt);
    if (is_unnamed(row.name))
        row.name.len = 0;
    if (!type_table_add(r->t->b, &row, err))
        return false;
    r->left_out += r->left;
    r->left = 0;
    r->objects += row.count;
    r->bytes += row.bytes;
    /* A heap has strings, and objects without fields: 12 or 24 bytes. */
    r->has_string |= span_is(row.name, "System.String");
    r->has_small |= row.count > 0 && row.bytes / row.count < SMALL;
    return true;
}

/* --- the footer ---------------------------------------------------------- */

static bool has_rows(struct dumpheap *r)
{
    if (r->rows == 0 && r->left_out > 0)
        return fail_at_line(r->t->err, r->first_left_out, "bad-row",
                            "no row: expected method table, count, size and name");
    return r->rows > 0 || r->has_footer ||
           refuse_dumpheap(
               r, "truncated",
               "the table ends without the line `Total ... objects`; copy the whole table");
}

static bool mismatch(struct dumpheap *r, uint64_t rows, const char *sign, uint64_t footer,
                     const char *unit)
{
    struct text t = {0};
    say(&t, "rows add up to ", rows, " ", unit, ", the footer has ", sign, footer,
        ": rows were lost or edited");
    refuse_dumpheap(r, "total-mismatch", text_string(&t));
    text_free(&t);
    return false;
}

/* Sets r->has_footer if the line is a footer; false if it is wrong. The SOS written in C++
 * uses a signed 32-bit sum, which wraps; it omits bytes and, since .NET 2.0, separators. */
static bool read_footer(struct dumpheap *r, struct span line)
{
    struct span total = span_word(&line), number = span_word(&line),
                noun = span_word(&line), size = span_word(&line), unit = span_word(&line);
    bool has_bytes = span_is(noun, "objects,") && span_is(unit, "bytes");
    if (!span_is(total, "Total") || span_trim(line).len > 0 ||
        !(has_bytes || (span_is(noun, "objects") && size.len == 0)))
        return true;
    uint64_t objects, bytes = 0, plain;
    bool negative = skip_text(&number, "-");
    bool may_wrap = !has_bytes && span_number(number, &plain);
    if (!read_count(r, number, &objects) || (has_bytes && !read_count(r, size, &bytes)))
        return false;
    r->has_footer = true;
    r->left_out += r->left;
    if (!has_rows(r))
        return false;
    if (!negative && r->rows > 0 && r->objects < objects &&
        objects <= (may_wrap ? INT32_MAX : UINT64_MAX) &&
        (!has_bytes || r->bytes < bytes)) {
        r->missing = objects - r->objects;
        return true;
    }
    bool wraps = may_wrap && objects <= (uint64_t)INT32_MAX + negative &&
                 (uint32_t)(negative ? 0 - objects : objects) == (uint32_t)r->objects;
    if (!wraps && (negative || objects != r->objects))
        return mismatch(r, r->objects, negative ? "-" : "", objects, "objects");
    return !has_bytes || bytes == r->bytes || mismatch(r, r->bytes, "", bytes, "bytes");
}

/* --- the table ----------------------------------------------------------- */

static bool several_tables(struct dumpheap *r)
{
    return refuse_dumpheap(r, "several-tables",
                           "a second table; put each into its own file");
}

/* Reads rows up to and including the footer, or up to the end of the text or the next
 * prompt. Lines after the last row are not part of the table. */
static bool read_rows(struct dumpheap *r)
{
    struct span line;
    while (next_line(r, &line)) {
        struct span trimmed = span_trim(line), rest = line;
        /* Debuggers print complaints about symbols between rows. */
        if (trimmed.len == 0 || span_begins(trimmed, "***"))
            continue;
        if (skip_prompt(&rest))
            break;
        if (r->rows > 0 && span_has_words(trimmed, header_words))
            return several_tables(r);
        if (!read_footer(r, trimmed))
            return false;
        if (r->has_footer)
            return true;
        /* Without a footer the last line may be half a row with a name that looks
         * complete. */
        r->last_row_cut = line.data + line.len == r->t->lines.end;
        if (r->last_row_cut)
            break;
        if (!read_dumpheap_row(r, line))
            return false;
    }
    r->left_out += r->rows == 0 ? r->left : 0;
    return has_rows(r);
}

static bool read_rest(struct dumpheap *r)
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

/* Reports that the table is an excerpt, if it is. */
static void report_excerpt(struct dumpheap *r)
{
    struct builder *b = r->t->b;
    struct text t = {0};
    if (r->has_footer && r->missing == 0)
        return;
    if (r->has_footer)
        say(&t, "an excerpt of a table: ", r->missing,
            r->missing == 1 ? " object of its total is" : " objects of its total are",
            " not listed");
    else
        say(&t, "an excerpt of a table: how many objects are not listed is unknown, it has "
                "no total");
    if (r->left_out > 0)
        say(&t, "; ", r->left_out,
            r->left_out == 1 ? " line was left out" : " lines were left out");
    if (r->last_row_cut)
        say(&t, "; the last line, which may be cut, was left out");
    b->snap->info.complete = false;
    builder_warn(b, WARN_INCOMPLETE, r->first_left_out);
    warnings_add_detail(&b->snap->warnings, WARN_INCOMPLETE,
                        builder_string(b, t.data, t.len));
    text_free(&t);
}

/* Reports a filter that no command shows. A generation's table may lack either type. */
static void report_part(struct dumpheap *r)
{
    struct builder *b = r->t->b;
    if (r->rows == 0 || r->echo.filters.len > 0 || r->echo.generation != NULL ||
        !b->snap->info.complete || (r->has_string && r->has_small))
        return;
    builder_warn(b, WARN_FILTERED, 0);
    warnings_add_detail(&b->snap->warnings, WARN_FILTERED,
                        r->has_string
                            ? "no type of small objects is listed: a part of a heap"
                            : "no System.String is listed: a part of a heap");
}

/* Stores which objects the table counts in b->snap->origin and warnings. */
static void report_echo(const struct sos_echo *e, struct builder *b)
{
    struct hd_table_origin *o = &b->snap->origin;
    if (e->output != SOS_HEAP)
        return;
    o->command = builder_string(b, e->command.data, e->command.len);
    o->generation = e->generation;
    o->liveness = e->live == e->dead ? "all" : e->live ? "live" : "dead";
    o->filters =
        e->filters.len > 0 ? builder_string(b, e->filters.data, e->filters.len) : "";
    if (e->filters.len > 0)
        builder_warn(b, WARN_FILTERED, 0);
    if (e->dead && !e->live)
        builder_warn(b, WARN_DEAD_OBJECTS_ONLY, 0);
}

static bool read_dumpheap_text(struct type_table *t)
{
    struct dumpheap r = {
        .t = t, .layout = layout_of(t->text), .seen = {.account = builder_account(t->b)}};
    bool ok = find_header(&r);
    if (ok) {
        report_echo(&r.echo, t->b);
        ok = read_rows(&r) && read_rest(&r);
    }
    if (ok) {
        report_excerpt(&r);
        report_part(&r);
    }
    id_numbers_free(&r.seen);
    echo_free(&r.echo);
    return ok;
}

static bool dumpheap_read(struct input *in, struct builder *b, struct hd_error *err)
{
    return type_table_read(in, b, err, read_dumpheap_text);
}

const struct reader read_dumpheap = {
    .name = "dumpheap-stat",
    .summary = "type table of SOS: `dumpheap -stat`, `dumpgen`",
    .recognises = dumpheap_recognises,
    .read = dumpheap_read,
};
