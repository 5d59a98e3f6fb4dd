/* read_gcdump_report.c - the text of `dotnet-gcdump report`.
 *
 *         6,317,152  GC Heap bytes
 *            94,518  GC Heap objects
 *
 *      Object Bytes     Count  Type
 *                62    66,412  System.String  [System.Private.CoreLib.dll]
 *
 * "Object Bytes" is the size of one object of the type, the first that was seen.
 * Times the count it would be wrong for strings and arrays, where it matters
 * most; so counts are taken and bytes stay unknown. The two numbers above are not
 * checked against the rows: pseudo-objects and types of size 0 have no row.
 * docs/formats/gcdump-report.md. */
#include "base/error.h"
#include "format/reader.h"
#include "format/table/table_text.h"

#include <string.h>

static const char first_words[] = "GC Heap bytes";

/* Before version 5.0: a row has one number, the size of one object or the count. */
static const char old_words[] = "(Dump size)";
static const char header_words[] = "Object Bytes Count Type";

static enum recognition recognises(struct bytes head)
{
    struct table_text t = table_text_of(head);
    struct span first = first_line(t.all);
    bool ours = span_ends(first, first_words) || span_ends(first, old_words);
    table_text_close(&t);
    return ours ? RECOGNISED_YES : RECOGNISED_NO;
}

struct reading {
    struct builder *b;
    struct hd_error *err;
    struct lines lines;
};

static bool bad_number(struct reading *r, struct span word)
{
    return fail_at_line(r->err, r->lines.number, "bad-number", "\"%s\" is not a number",
                        excerpt_of(word).text);
}

/* Down to the header: what the totals are is not used, but they must be numbers. */
static bool read_totals(struct reading *r)
{
    struct span line;
    while (lines_next(&r->lines, &line)) {
        if (span_has_words(line, header_words)) {
            builder_warn(r->b, WARN_BYTES_UNKNOWN, r->lines.number);
            return true;
        }
        struct span rest = line, word = span_word(&rest);
        uint64_t total;
        if (word.len > 0 && !span_grouped_number(word, &total))
            return bad_number(r, word);
    }
    return fail_at_line(r->err, r->lines.number, "no-table",
                        "no line `Object Bytes  Count  Type`: the report was cut off");
}

/* Split off the "  [module]" that may stand at the end; an array's [] has no blanks
 * in front. */
static struct span parse_module(struct span *name)
{
    struct span none = {"", 0};
    if (!span_ends(*name, "]"))
        return none;
    for (size_t i = name->len - 1; i >= 3; i--) {
        if (memcmp(name->data + i - 3, "  [", 3) != 0)
            continue;
        struct span module = {name->data + i, name->len - 1 - i};
        *name = span_trim((struct span){name->data, i - 3});
        return module;
    }
    return none;
}

static bool read_row(struct reading *r, struct span line)
{
    struct span rest = line, size = span_word(&rest), count = span_word(&rest);
    struct table_row row = {.bytes_unknown = true, .line = r->lines.number};
    uint64_t one_object;
    bool two_blanks = rest.len > 2 && span_begins(rest, "  ");
    row.name = span_trim(rest);
    if (row.name.len == 0 || !two_blanks)
        return fail_at_line(
            r->err, row.line, "bad-row",
            "\"%s\" is not a row: expected size, count, two blanks and a type",
            excerpt_of(span_trim(line)).text);
    if (!span_grouped_number(size, &one_object))
        return bad_number(r, size);
    if (!span_grouped_number(count, &row.count))
        return bad_number(r, count);
    row.module = parse_module(&row.name);
    return table_row_add(r->b, &row, r->err);
}

static bool read_rows(struct reading *r)
{
    struct span line;
    while (lines_next(&r->lines, &line))
        if (span_trim(line).len > 0 && !read_row(r, line))
            return false;
    return true;
}

static bool read(struct input *in, struct builder *b, struct hd_error *err)
{
    struct table_text t;
    bool ok = table_text_open(&t, in, b, err) && table_text_has_no_nul(&t, err);
    if (ok && span_ends(first_line(t.all), old_words))
        ok = fail(
            err, HD_UNSUPPORTED,
            "a report of dotnet-gcdump before 5.0, which has no counts; use the .gcdump");
    if (ok) {
        struct reading r = {.b = b, .err = err, .lines = lines_of(t.all)};
        ok = read_totals(&r) && read_rows(&r);
    }
    table_text_close(&t);
    return ok;
}

const struct reader read_gcdump_report = {
    .name = "gcdump-report",
    .summary = "text of `dotnet-gcdump report`: counts only",
    .recognises = recognises,
    .read = read,
};
